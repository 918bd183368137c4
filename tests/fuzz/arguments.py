"""Arguments of calls: good ones by the name of the parameter, and ways to make bad ones of them."""

import datetime
import decimal
import fractions
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import xarray

import spacedyn as sd
from spacedyn import control

SHAPES = ((), (), (), (0,), (1,), (2,), (3,), (4,), (5,), (7,), (8,), (9,), (16,), (17,), (20,), (2, 3), (0, 3), (1, 1, 1))


@dataclass
class Setting:
    """A robot and a batch that a call is about."""

    rng: Random
    model: sd.Model
    shape: tuple[int, ...]

    @cached_property
    def numbers(self) -> np.random.Generator:
        """Random numbers for arrays."""
        return np.random.default_rng(self.rng.getrandbits(32))

    @cached_property
    def state(self) -> sd.State:
        """A state of the robot."""
        return self.model.random_state(self.numbers, self.shape if self.shape else None)

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


def _models() -> list[sd.Model]:
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


MODELS = _models()


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
    "robots": lambda c: {"a": c.model, "b": MODELS[-1]},
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


class Own(np.ndarray):
    """A subclass of arrays."""


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**400, -(10**400), 2**63, 1.5, -0.0, 1e308, -1e308, 1e-308, 1e200, 1e16),
    *(float("nan"), float("inf"), -float("inf"), 1j, 1 + 0j, "", "a", "1", "nan", "com", "free", "bus", "\x00", "é" * 200),
    *(b"", b"bus", bytearray(b"x"), [], [[]], (), {}, {"a": 1}, {1: 2}, set(), frozenset({1}), [None], ["a"], [[1], [2, 3]]),
    *([1, 2, 3], [1.0] * 6, [float("nan")] * 3, [1e308] * 3, [1e308] * 6, [True] * 3, [1j] * 3, ["1", "2", "3"], [[1, 2, 3]]),
    *(np.nan, np.float32(1), np.float16(1), np.int8(1), np.longdouble(1), np.bool_(True), np.str_("bus"), np.datetime64("2024")),
    *(np.array(1.0), np.array("bus"), np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(10**4), np.zeros((1,) * 20)),
    *(np.eye(3), np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan), np.zeros((4, 4)), np.array([None] * 3, dtype=object)),
    *(np.ma.masked, np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.zeros(3, dtype=[("a", float)]), np.array(["a"] * 3)),
    *(slice(None), ..., range(3), object(), object, int, float, len, lambda: None, Path("x"), Random(1)),
    *(decimal.Decimal("1.5"), decimal.Decimal("NaN"), fractions.Fraction(1, 3), datetime.date(2024, 1, 1), memoryview(b"abc")),
    *(xarray.DataArray([1.0, 2.0, 3.0]), np.random.default_rng(0), sd, sd.load, sd.Model, sd.State, np.ndarray, ValueError("x")),
)
"""What no parameter expects, or hardly any."""


def good(setting: Setting, parameter: str, default: Any) -> Any:
    """A value that a parameter is meant for."""
    if parameter in VALID:
        return VALID[parameter](setting)
    if parameter in VECTORS:
        return setting.numbers.normal(size=3)
    return 1.0 if default is None or not isinstance(default, bool | int | float | str | tuple) else default


def bad(setting: Setting, value: Any) -> Any:
    """Something odd, or a good value spoiled."""
    rng = setting.rng
    if rng.random() < 0.4:
        return rng.choice(ODD)
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {key: bad(setting, value[key])} if rng.random() < 0.6 else {rng.choice(("a", 1, None, "")): value[key]}
    if isinstance(value, sd.Model | sd.State):
        other = Setting(rng, rng.choice(MODELS), rng.choice(SHAPES))
        return other.model if isinstance(value, sd.Model) else other.state
    if isinstance(value, str):
        return rng.choice((value.upper(), value + "x", value[:-1], value.encode(), [value], value * 50, np.str_(value), 0))
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return rng.choice(([value], [value, None], (value, value), [], None))
    return spoiled(rng, array)


_PLACED = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e200, 1e-320, 0.0, -1.0, 1e16)


def spoiled(rng: Random, array: np.ndarray) -> Any:
    """An array of another shape, type or order, or with a bad number in it."""
    if rng.random() < 0.35 and array.size:
        array = array.copy()
        array.flat[rng.randrange(array.size)] = rng.choice(_PLACED)
        return array
    with np.errstate(all="ignore"):
        return rng.choice(_WAYS)(array)


_WAYS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda a: a[..., :-1] if a.ndim else [a],
    lambda a: np.concatenate([a, a], axis=-1) if a.ndim else [a, a],
    lambda a: a[None],
    lambda a: a[..., None],
    lambda a: a.T,
    lambda a: a[..., ::-1] if a.ndim else -a,
    lambda a: a.ravel(),
    lambda a: a.tolist(),
    lambda a: tuple(a.tolist()) if a.ndim else (a.item(),),
    lambda a: a.astype(np.float32),
    lambda a: a.astype(np.float16),
    lambda a: a.astype(np.longdouble),
    lambda a: a.astype(int),
    lambda a: a.astype(np.uint8),
    lambda a: a.astype(bool),
    lambda a: a.astype(complex),
    lambda a: a * (1 + 2j),
    lambda a: a.astype(object),
    lambda a: a.astype(str),
    lambda a: a.astype(">f8"),
    lambda a: a.view(Own),
    lambda a: np.asfortranarray(a),
    lambda a: np.ma.array(a, mask=True),
    lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) % 2 == 0),
    lambda a: np.ma.array(a),
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    lambda a: np.broadcast_to(a, (3, *a.shape)),
    lambda a: a * 1e308,
    lambda a: a * 1e200,
    lambda a: -a,
    lambda a: a * 0.0,
    lambda a: xarray.DataArray(a),
    lambda a: iter(a.ravel()),
    lambda a: np.zeros((0, *a.shape)),
    lambda a: a[..., :0] if a.ndim else [],
    lambda a: a.tobytes(),
    lambda a: memoryview(np.ascontiguousarray(a)),
    lambda a: list(map(str, a.ravel())),
    lambda a: a.size,
    lambda a: np.array2string(a),
)
