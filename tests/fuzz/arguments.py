"""Good arguments of calls, by the names of the parameters; see `spoiling` for bad ones."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

import numpy as np

import spacedyn as sd

SHAPES = (
    (),
    (),
    (),
    (0,),
    (1,),
    (2,),
    (3,),
    (4,),
    (5,),
    (7,),
    (8,),
    (9,),
    (16,),
    (17,),
    (20,),
    (2, 3),
    (0, 3),
    (1, 1, 1),
)


@dataclass
class Setting:
    """A robot and a batch that a call is about."""

    rng: Random
    model: sd.Model
    shape: tuple[int, ...]
    calm: bool = False  # whether no joint turns a million times a second, which is slow to simulate, and no fault

    @cached_property
    def numbers(self) -> np.random.Generator:
        """Random numbers for arrays."""
        return np.random.default_rng(self.rng.getrandbits(32))

    @cached_property
    def state(self) -> sd.State:
        """A state of the robot; now and then with huge numbers in it."""
        state = self.model.random_state(self.numbers, self.shape if self.shape else None)
        if self.rng.random() < 0.97 or self.calm or not self.joint_rates:
            return state
        return state.replace(qd=state.qd * 10.0 ** self.rng.choice((8, 50, 160, 300)))

    def array(self, *width: int) -> np.ndarray:
        """Numbers over the batch, or for all robots of it."""
        batch = self.shape if self.rng.random() < 0.7 else ()
        return self.numbers.normal(size=(*batch, *width))

    @property
    def joint_rates(self) -> int:
        """Rates of joints."""
        return self.model.nv - self.model.base_dof

    def name(self, what: str) -> str:
        """Of a body, joint or endpoint; one that does not exist if there is none."""
        return self.rng.choice([*getattr(self.model, f"{what}_names")] or ["none"])


@cache
def models() -> list[sd.Model]:
    """All kinds of bases, joints of one and of several coordinates, no joint at all."""
    made = []
    for base in ("free", "fixed", "planar", "attitude"):
        b = sd.Builder(base, base=base)
        b.base("bus", mass=20.0, inertia=(2, 3, 4))
        b.link("elbow", "revolute", parent="bus", position=(1, 0, 0), mass=2.0, inertia=(0.1, 0.2, 0.25))
        kind = "spherical" if base == "free" else "prismatic"
        b.link("wrist", kind, parent="elbow", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.25))
        b.endpoint("hand", body="wrist", position=(0.5, 0, 0))
        b.endpoint("eye", body="bus")
        made.append(b.build())
    b = sd.Builder("lone")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    return [*made, b.build(), sd.load("tian_wu")]


@sd.law(period=0.1)
def pull(t, s, p, out):
    """A law of a user."""
    out.base_wrench[0] = p.force


@sd.motion
def ramp(t, p, out):
    """A motion of a user."""
    out.value[0] = p.speed * t
    out.rate[0] = p.speed


VALID: dict[str, Callable[[Setting], Any]] = {
    "model": lambda c: c.model,
    "state": lambda c: c.state,
    "ops": lambda c: sd.operators.SpatialOperators(c.model, c.state),
    "tau": lambda c: c.array(c.joint_rates),
    "udot": lambda c: c.array(c.model.nv),
    "vectors": lambda c: c.array(c.model.nv),
    "step": lambda c: c.array(c.model.nv),
    "qd": lambda c: c.array(c.joint_rates),
    "qdd": lambda c: c.array(c.joint_rates),
    "momentum": lambda c: c.array(6),
    "base_wrench": lambda c: c.array(6),
    "endpoint_wrenches": lambda c: {c.name("endpoint"): c.array(6)} if c.model.endpoints else {},
    "endpoint": lambda c: c.name("endpoint"),
    "endpoints": lambda c: [c.name("endpoint")],
    "body": lambda c: c.name("body"),
    "joint": lambda c: c.name("joint"),
    "joints": lambda c: [c.name("joint")],
    "leader": lambda c: c.name("joint"),
    "given": lambda c: [c.name("joint")],
    "prescribed": lambda c: [c.name("joint")],
    "about": lambda c: c.rng.choice(("com", "base", (0.1, 0.2, 0.3))),
    "times": lambda c: [0.0, 1.0, 2.5],
    "values": lambda c: c.numbers.normal(size=(3, c.joint_rates)),
    "positions": lambda c: c.numbers.normal(size=(3, 3)),
    "forces": lambda c: c.numbers.normal(size=(3, 3)),
    "pulses": lambda c: [[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]],
    "attitudes": lambda c: sd.Rotation.from_rotvec(c.numbers.normal(size=(3, 3))),
    "table": lambda c: sd.table([0.0, 1.0, 2.0], [[0.0], [1.0], [0.5]]),
    "t": lambda c: 0.5,
    "robots": lambda c: {"a": c.model, "b": models()[-1]},
    "mimics": lambda c: [sd.Mimic(c.name("joint"), c.name("joint"))],
    "condition": lambda c: sd.joint_reaches(c.name("joint"), 0.5),
    "shapes": lambda c: [sd.shapes.box(1.0, (1, 1, 1)), sd.shapes.sphere(1.0, 0.2)],
    "size": lambda c: (1.0, 2.0, 0.5),
    "reach": lambda c: c.numbers.normal(size=c.joint_rates),
    "target": lambda c: c.numbers.normal(size=c.joint_rates),
    "target_xyzw": lambda c: (0.0, 0.0, 0.0, 1.0),
    "name": lambda c: "x",
    "frame": lambda c: "body",
    "reaction": lambda c: "moment",
    "other": lambda c: c.name("body"),
    "rotation": lambda c: np.eye(3),
    "scale": lambda c: (1.0, 1.0, 1.0),
    "color": lambda c: (1.0, 0.0, 0.0, 1.0),
    "direction": lambda c: 1,
    "part": lambda c: 0,
    "function": lambda c: lambda t, s, p, out: None,
    "states": lambda c: {"x": 2},
    "rates": lambda c: [0.1],
    "C": lambda c: np.eye(3),
    "A1": lambda c: np.eye(3),
    "A2": lambda c: np.eye(3),
    "q": lambda c: c.numbers.normal(size=4),
    "laws": lambda c: [pull(force=1.0)],
    "method": lambda c: c.rng.choice((sd.RungeKutta4(0.01), sd.DormandPrince8(), sd.SemiImplicitEuler(0.01))),
    "duration": lambda c: 0.05,
    "record": lambda c: c.rng.choice((0.01, [0.0, 0.02], "steps")),
    "modes": lambda c: {c.name("joint"): "locked"},
    "events": lambda c: [sd.Event(sd.joint_reaches(c.name("joint"), 0.5))],
    "springs": lambda c: [sd.Spring(c.name("body"), stiffness=1.0), sd.Wrench(c.name("body"), force=(1, 0, 0))],
    "motions": lambda c: {c.name("joint"): sd.waypoints([0, 1, 2], [[0.0], [0.1], [0.0]])},
    "channels": lambda c: ["forces", "ledger"],
    "rng": lambda c: c.numbers,
    "time": lambda c: 0.0,
    "other_state": lambda c: c.state,
    "index": lambda c: 0,
    "base_kind": lambda c: "free",
    "at": lambda c: c.name("body"),
    "base_position": lambda c: c.array(3),
    "base_frame_position": lambda c: c.array(3),
    "base_velocity": lambda c: c.array(3),
    "base_rate": lambda c: c.array(3),
    "base_attitude": lambda c: c.state.base_attitude,
    "base_quaternion_xyzw": lambda c: (0.0, 0.0, 0.0, 1.0),
    "state_q": lambda c: c.state.q,
    "state_qd": lambda c: c.state.qd,
    "kind": lambda c: "cubic",
    "mass": lambda c: 2.0,
    "inertia": lambda c: (1.0, 1.0, 1.0),
}
"""A good value for each parameter; a parameter without one gets its default, or one of VECTORS, or a number."""

VECTORS = {"point", "other_point", "position", "normal", "force", "moment", "gravity", "Gravity", "com", "axis"}
VECTORS |= {"target_rpy_xyz_deg", "u", "v", "a", "w", "w0"}


def good(setting: Setting, parameter: str, default: Any) -> Any:
    """A value that a parameter is meant for."""
    if parameter in VALID:
        return VALID[parameter](setting)
    if parameter in VECTORS:
        return setting.numbers.normal(size=3)
    return 1.0 if default is None or not isinstance(default, bool | int | float | str | tuple) else default
