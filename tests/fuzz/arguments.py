"""Good arguments of calls, by the names of the parameters; see `spoiling` for bad ones."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import spacedyn as sd

from .robots import brake, models, pull, rub, run_in_orbit, same_again, short_runs, springy, touching, wheeled

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

    def __post_init__(self) -> None:
        self.beside = self.shape  # axes besides those of a fleet, which come last
        self.shape = (*self.shape, *self.model.shape)

    @cached_property
    def numbers(self) -> np.random.Generator:
        """Random numbers for arrays."""
        return np.random.default_rng(self.rng.getrandbits(32))

    @cached_property
    def state(self) -> sd.State:
        """A state of the robot; now and then with huge numbers in it."""
        state = self._random(self.beside)
        if self.rng.random() < 0.97 or self.calm or not self.joint_rates:
            return state
        return state.replace(qd=state.qd * 10.0 ** self.rng.choice((8, 50, 160, 300)))

    def _random(self, shape: tuple[int, ...]) -> sd.State:
        return self.model.random_state(self.numbers, shape or None)

    @cached_property
    def one_state(self) -> sd.State:
        """A state of one robot, or of each of a fleet; now and then one that such a call does not take."""
        return self._random(()) if self.rng.random() < 0.9 else self.state

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


LAWS: tuple[Callable[[Setting], list[Any]], ...] = (
    lambda c: [pull(force=1.0)],
    lambda c: [brake(gain=1.0)],
    lambda c: [sd.control.joint_hold(c.model, c.one_state)],
    lambda c: [sd.control.attitude_hold(c.model, c.one_state, period=0.02), pull(force=1.0)],
)
ELEMENTS: tuple[Callable[[Setting], list[Any]], ...] = (
    lambda c: [sd.Spring(c.name("body"), stiffness=1.0), sd.Wrench(c.name("body"), force=(1, 0, 0), stop=0.02)],
    lambda c: [sd.Tether(c.name("body"), stiffness=5.0, damping=0.1, rest_length=0.1), sd.Drag("bus", linear=0.5)],
    lambda c: [sd.UniformGravity((0, 0, -1.6)), sd.LockedJoint(c.name("joint")), brake(gain=0.5)],
    lambda c: [sd.CentralGravity(mu=1.0, center=(50.0, 0, 0)), sd.Motor(c.name("joint"), stall_torque=1.0)],
    lambda c: [sd.BristleFriction(c.name("joint"), coulomb=0.1, stiffness=100.0, name="brush")],
    lambda c: [
        sd.Gyro(c.name("body"), period=0.01, noise=0.1, name="gyro"),
        sd.DCMotor(c.name("joint"), resistance=1.0, torque_constant=0.1, inductance=0.01, fail_at=0.01),
        sd.Magnetorquer(c.name("body"), residual=[1.0, 0, 0], field=sd.MagneticField(uniform=[0, 0, 1e-5])),
    ],
    lambda c: [
        sd.Contact(
            c.name("body"),
            (0, 0, 0),
            sd.Plane(position=(0, 0, -0.5)),
            sd.ContactMaterial(100.0, friction=0.3),
            name="foot",
        )
    ],
    lambda c: [rub(axle=c.name("joint"), tip=c.name("body"), drag=0.3, threshold=0.1)],
)


def _unit(v: Any) -> Any:
    return v / np.linalg.norm(v)


VALID: dict[str, Callable[[Setting], Any]] = {
    "model": lambda c: c.model,
    "state": lambda c: c.state,
    "ops": lambda c: sd.operators.SpatialOperators(c.model, c.state),
    "tau": lambda c: c.array(c.joint_rates),
    "udot": lambda c: c.array(c.model.nv),
    "acceleration": lambda c: c.numbers.normal(size=3),
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
    "first joint": lambda c: models()[-1].joint_names[0],
    "last joint": lambda c: models()[-1].joint_names[-1],
    "joints": lambda c: [c.name("joint")],
    "leader": lambda c: c.name("joint"),
    "given": lambda c: [c.name("joint")],
    "prescribed": lambda c: [c.name("joint")],
    "about": lambda c: c.rng.choice(("com", "base", (0.1, 0.2, 0.3))),
    "times": lambda c: [0.0, 1.0, 2.5],
    "values": lambda c: c.numbers.normal(size=(3, c.joint_rates)),
    "positions": lambda c: c.numbers.normal(size=(3, 3)),
    "forces": lambda c: c.numbers.normal(size=(3, 3)),
    "pulses": lambda c: [[0, 0.0, 0.5], [1, 1.0, 1.5], [2, 2.0, 2.5]],
    "qd of one": lambda c: c.numbers.normal(size=c.joint_rates),
    "attitudes": lambda c: sd.Rotation.from_rotvec(c.numbers.normal(size=(3, 3))),
    "table": lambda c: sd.table([0.0, 1.0, 2.0], [[0.0], [1.0], [0.5]]),
    "t": lambda c: 0.5,
    "wheeled": lambda c: wheeled(),
    "two numbers": lambda c: (1.0, -2.0),
    "loop joint": lambda c: "revolute",
    "loops": lambda c: [sd.Loop("plane", "lower", name="floor"), sd.Loop("line", "bus", name="rail")],
    "state of wheeled": lambda c: wheeled().random_state(c.numbers),
    "frequencies": lambda c: [0.2, 0.5],
    "free arm": lambda c: models()[0],
    "samples": lambda c: models()[0].random_state(c.numbers, 6),
    "springy": lambda c: springy(),
    "touching": lambda c: touching(),
    "state of touching": lambda c: touching().random_state(c.numbers),
    "one shape": lambda c: c.rng.choice(("bus", "disc")),
    "other shape": lambda c: c.rng.choice(("ball", "cone")),
    "rounding": lambda c: c.rng.choice((0.0, 1e-3, {"bus": 0.1})),
    "within": lambda c: 0.3 * c.numbers.random(),
    "floor": lambda c: sd.Plane(position=(0, 0, -1)),
    "pairs": lambda c: [("ball", "bus")],
    "neighbors": lambda c: True,
    "corners": lambda c: np.eye(4, 3),
    "triangles": lambda c: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    "deep": lambda c: c.rng.choice(("error", "-inf")),
    "state of springy": lambda c: springy().random_state(c.numbers),
    "boom": lambda c: ["boom1"],
    "wheels": lambda c: ["x", "y", "z"],
    "motors": lambda c: ["first", "second", "third"],
    "arm of wheeled": lambda c: ["upper", "lower"],
    "torques of wheeled": lambda c: c.numbers.normal(size=wheeled().nv - 6),
    "no rates of wheeled": lambda c: np.zeros(wheeled().nv),
    "wheeled at rest": lambda c: wheeled().neutral_state(),
    "path of an endpoint": lambda c: {"kind": "line", "by": [0.1, 0, 0], "turn": [0, 0.1, 0], "duration": 1.0},
    "one direction": lambda c: ["x"],
    "flexible": lambda c: ["x", "y"],
    "through": lambda c: c.rng.choice([None, {"torquer": "rods"}, {"wheels": ["x", "y", "z"], "torque": 0.1}]),
    "on_overrun": lambda c: "ignore",
    "on_singular": lambda c: "damp",
    "run": lambda c: c.rng.choice(short_runs()),
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
    "laws": lambda c: c.rng.choice(LAWS)(c),
    "continuous laws": lambda c: [brake(gain=1.0)],
    "method": lambda c: c.rng.choice((sd.RungeKutta4(0.01), sd.DormandPrince8(), sd.TimeStepping(0.01))),
    "duration": lambda c: 0.05,
    "record": lambda c: c.rng.choice((0.01, [0.0, 0.02], "steps")),
    "modes": lambda c: {c.name("joint"): "locked"},
    "events": lambda c: [sd.Event(sd.joint_reaches(c.name("joint"), 0.5))],
    "elements": lambda c: c.rng.choice(ELEMENTS)(c),
    "motions": lambda c: {c.name("joint"): sd.waypoints([0, 1, 2], [[0.0], [0.1], [0.0]])},
    "channels": lambda c: ["forces", "ledger"],
    "rng": lambda c: c.numbers,
    "time": lambda c: 0.0,
    "one state": lambda c: c.one_state,
    "other state": lambda c: c.state,
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
    "number": lambda c: 0.5,
    "place in orbit": lambda c: 7e6 * _unit(c.numbers.normal(size=3)),
    "speed in orbit": lambda c: 7.5e3 * _unit(c.numbers.normal(size=3)),
    "near": lambda c: c.numbers.normal(size=3),
    "normals": lambda c: np.eye(3),
    "areas": lambda c: [1.0, 2.0, 3.0],
    "points": lambda c: c.numbers.normal(size=(3, 3)),
    "epoch": lambda c: "2026-03-01T00:00:00",
    "star": lambda c: c.rng.choice(("sun", "moon")),
    "air": lambda c: c.rng.choice(("exponential", "harris_priester")),
    "altitudes": lambda c: [300e3, 400e3, 500e3],
    "densities": lambda c: [1e-11, 3e-12, 6e-13],
    "orbit": lambda c: sd.orbit.OrbitalElements(7e6, 0.1 * c.numbers.random(), *c.numbers.random(4)),
    "axes": lambda c: c.rng.choice(("turning", "still")),
    "run in orbit": lambda c: run_in_orbit(),
    "orbit of the run": lambda c: (np.full((4, 3), [7e6, 0, 0]), np.full((4, 3), [0, 7.5e3, c.numbers.normal()])),
    "source": lambda c: c.rng.choice(("series", "astropy")),
    "anomalies": lambda c: c.numbers.normal(size=(2, 3)),
    "seconds": lambda c: 0.01,
    "yes": lambda c: True,
    "unit": lambda c: (0.0, 0.6, 0.8),
    "arm": lambda c: "arm",
    "across": lambda c: (1.0, 0.0, 0.0),
    "longer": lambda c: 0.13,
    "no": lambda c: False,
    "surface": lambda c: c.rng.choice((sd.Plane(position=(0, 0, -9.0)), sd.SphereSurface(0.1, position=(0, 0, -9.0)))),
    "material": lambda c: sd.ContactMaterial(100.0, friction=0.3),
    "pair": lambda c: "steel on steel",
    "plane": lambda c: "plane",
    "sphere": lambda c: "sphere",
    "ellipsoid": lambda c: "ellipsoid",
    "height field": lambda c: "height_field",
    "rough ground": lambda c: "rough_ground",
    "heights": lambda c: 0.1 * c.numbers.normal(size=(4, 5)),
    "extent": lambda c: (4.0, 3.0),
    "visuals": lambda c: [sd.Visual("v", shape=sd.shapes.box(0.0, (1, 1, 1)))],
    "hand": lambda c: "hand",
    "batch": lambda c: c.beside or None,
    "loop": lambda c: np.stack([c.state.q, c.state.integrate(0.1 * c.array(c.model.nv)).q, c.state.q], axis=-2),
    "targets": lambda c: {c.name("endpoint"): c.array(3)},
    "task": lambda c: c.rng.choice(("position", "pose", ["vx", "wz"])),
    "component": lambda c: ["vx"],
    "five states": lambda c: c._random((5,)),
    "few": lambda c: 5,
    "some": lambda c: 20,
    "bus": lambda c: "bus",
    "shape": lambda c: sd.shapes.box(0.0, (1, 1, 1)),
    "prefix": lambda c: "other_",
    "kind of joint": lambda c: c.rng.choice(("revolute", "prismatic", "universal", "spherical", "free", "planar")),
    "action": lambda c: sd.actions.lock(c.name("joint")),
    "internal": lambda c: {"brush": c.array(1)},
    "recorded": lambda c: 0.02,
    "same laws": lambda c: same_again()["laws"],
    "same elements": lambda c: same_again()["elements"],
    "same events": lambda c: same_again()["events"],
    "same motions": lambda c: same_again()["prescribed"],
    "channel": lambda c: c.rng.choice(("q", "ledger", "base_rate", "time")),
    "masses": lambda c: {c.name("body"): 1.0 + c.numbers.random(3)},
    "stiffnesses": lambda c: {c.name("joint"): c.numbers.random()},
    "inertias": lambda c: {c.name("body"): 1.0 + 0.1 * c.numbers.random((2, 3))},
    "joint places": lambda c: {c.name("joint"): c.numbers.random((3, 3))},
    "places": lambda c: {c.rng.choice("ab"): (c.numbers.random(3), None)},
    "rotations": lambda c: {c.name("endpoint"): sd.Rotation.from_rotvec(c.numbers.normal(size=(3, 3)))},
}
"""A good value for each parameter; a parameter without one gets its default, or one of VECTORS, or a number."""

VALID |= {f"array {name}": lambda c, value=value: value for name, value in models()[-1].to_arrays().items()}

VECTORS = {
    "point",
    "other_point",
    "position",
    "normal",
    "force",
    "moment",
    "gravity",
    "Gravity",
    "acceleration",
    "com",
    "axis",
}
VECTORS |= {"target_rpy_xyz_deg", "u", "v", "a", "w", "w0"}


def good(setting: Setting, parameter: str, default: Any) -> Any:
    """A value that a parameter is meant for."""
    if parameter in VALID:
        return VALID[parameter](setting)
    if parameter in VECTORS:
        return setting.numbers.normal(size=3)
    return 1.0 if default is None or not isinstance(default, bool | int | float | str | tuple) else default
