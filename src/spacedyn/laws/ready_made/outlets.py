"""Through what a law turns the base: torques from outside, wheels, control-moment gyros, magnetorquers, thrusters.

A law's function is put together of lines: what finds the wanted wrench in base axes, then what an outlet does with it.
Elements are named in a law's code, so there is a function for each set of names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...quantities.kinematics import forward_kinematics
from ...quantities.momentum import center_of_mass
from ...reals import finite_array
from ...signatures import check_names, is_several
from ..law import LawTemplate
from .arguments import Joints, choice, number, numbers
from .cores import actuators
from .cores import attitude as cores
from .cores.linked import link
from .plant import pointer, reduced_at
from .wheels import check_wheels, motor_names, wheel_axes

Array = np.ndarray
KINDS = {
    "wheels": ("wheels", "motors", "torque", "speed", "on_saturation"),
    "gyros": ("gyros", "motors", "gimbal_bandwidth", "gimbal_rate"),
    "torquer": ("torquer", "axes"),
    "thrusters": ("thrusters", "positions", "forces", "pulses", "force_weight"),
}
"""Kinds of outlets, and the keys of each."""


@dataclass(frozen=True, eq=False)
class Outlet:
    """Lines of a law that give the wanted wrench, and what they need."""

    lines: str
    functions: tuple[Any, ...]  # C functions that they call
    parameters: dict[str, Any] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    room: int = 32
    wheels: tuple[str, ...] = ()  # wheels whose momentum does not count as the base's


def outlet(law: str, model: Model, state: State, through: Any, period: float | None, *, force: bool = False) -> Outlet:
    """The outlet that `through` describes; torques from outside if it is None, and forces if they are wanted."""
    if through is None and not force:
        return Outlet("    turn_base(pointer(w), pointer(out.base_wrench))\n", (actuators.turn_base,))
    if through is None:
        lines = "    push_base(pointer(s.com), pointer(s.base_position), pointer(w), pointer(out.base_wrench))\n"
        return Outlet(lines, (actuators.push_base,))
    if not isinstance(through, Mapping):
        raise InputError(f"{law}: through must be a table such as {{wheels = ['x', 'y', 'z']}}, got {through!r}")
    kinds = [kind for kind in KINDS if kind in through]
    if len(kinds) != 1:
        raise InputError(f"{law}: through names one of {', '.join(KINDS)}, got {list(through)}")
    check_names(f"key of through with {kinds[0]}", [str(key) for key in through], KINDS[kinds[0]])
    made = {"wheels": _wheels, "gyros": _gyros, "torquer": _torquer, "thrusters": _thrusters}[kinds[0]]
    return made(law, model, state, dict(through), period)


def listed(law: str, what: str, value: Any) -> list[Any]:
    """A list of the value's items, or of the value itself."""
    if isinstance(value, str):
        return [value]
    if not is_several(value):
        raise InputError(f"{law}: {what} must be a list of names, got {value!r}")
    return list(value)


def names_of(law: str, what: str, value: Any) -> list[str]:
    """Names of elements, which laws use: identifiers, each once."""
    named = listed(law, what, value)
    for one in named:
        if not (isinstance(one, str) and one.isidentifier()):
            raise InputError(f"{law}: {what} are names of elements, which are identifiers, got {one!r}")
    if not named or len(set(named)) != len(named):
        raise InputError(f"{law}: {what} must be one or more names, each once, got {named}")
    return named


def _wheels(law: str, model: Model, state: State, given: dict[str, Any], period: float | None) -> Outlet:
    named = check_wheels(law, model, state, listed(law, "wheels", given["wheels"]))
    asked, count = given.get("motors"), len(named)
    motors = motor_names(law, named, None if asked is None else names_of(law, "motors", asked))
    torque = numbers(law, "torque of wheels", given.get("torque", 1e12), count, least=0.0)
    speed = numbers(law, "speed of wheels", given.get("speed", 1e12), count, least=1e-9)
    rates = [model.qd_slice(name).start for name in named]
    table = np.concatenate([[count], rates, torque, speed, wheel_axes(model, state, named).ravel()])
    lines = "    share_among_wheels(pointer(s.qd), pointer(p.wheels), pointer(w))\n"
    for i, motor in enumerate(motors):
        lines += f"    out.{motor}.torque[0] = w[{cores.ROOM + i}]\n"
    if choice(law, "on_saturation", given.get("on_saturation", "go on"), ("go on", "stop")) == "stop":
        for i, name in enumerate(named):
            words = (
                f"wheel '{name}' is saturated, in torque or speed: it has {torque[i]:g} N m, up to {speed[i]:g} rad/s; "
                "on_saturation='go on' goes on with what it has"
            )
            lines += f"    if w[{cores.ROOM + count + i}] > 1e-9:\n        raise ValueError({words!r})\n"
    lines += f"    keep_time(w, {cores.ROOM + count}, p.step, s.missing, out.missing)\n"
    room = 128 + 20 * count + (count + 6) ** 2
    parameters = {"wheels": table, "step": 0.0 if period is None else period}
    return Outlet(lines, (actuators.share_among_wheels,), parameters, {"missing": count}, room, tuple(named))


def _thrusters(law: str, model: Model, state: State, given: dict[str, Any], period: float | None) -> Outlet:
    named = names_of(law, "thrusters", given["thrusters"])
    count = len(named)
    where, push = (
        finite_array(f"{law}: {key} of thrusters", given.get(key), f"{count} rows of three numbers", [(count, 3)])
        for key in ("positions", "forces")
    )
    com = state.base_attitude.inv().apply(center_of_mass(model, state) - state.base_position) + model.bodies[0].com
    weight = number(law, "force_weight of thrusters", given.get("force_weight", 1.0), least=0.0)
    gives = np.vstack([push.T, np.cross(where - com, push).T])
    if np.linalg.matrix_rank(gives[3:], tol=1e-9 * max(np.abs(gives).max(), 1e-300)) < 3:
        raise InputError(f"{law}: the torques of {', '.join(named)} do not span three dimensions; add thrusters")
    parameters = {"jets": np.concatenate([[count, weight], gives.ravel()])}
    lines, states = "    throttle(pointer(p.jets), pointer(w))\n", {}
    if not isinstance(given.get("pulses", False), bool):
        raise InputError(f"{law}: pulses of thrusters must be true or false, got {given['pulses']!r}")
    if given.get("pulses", False):
        if period is None:
            raise InputError(f"{law}: pulses last for periods of a sampled law; give it a period, the shortest pulse")
        states = {"carry": count}
        lines += f"    pulses(w, {cores.ROOM}, s.carry, out.carry)\n"
    for i, name in enumerate(named):
        lines += f"    out.{name}.throttle[0] = w[{cores.ROOM + i}]\n"
    return Outlet(lines, (actuators.throttle,), parameters, states, 128 + 20 * count + (count + 6) ** 2)


def _torquer(law: str, model: Model, state: State, given: dict[str, Any], period: float | None) -> Outlet:
    (name,) = names_of(law, "torquer", given["torquer"])
    axes = finite_array(f"{law}: axes of rods", given.get("axes", np.eye(3)), "rows of three numbers")
    if axes.ndim != 2 or axes.shape[1] != 3 or not np.linalg.norm(axes, axis=1).all():
        raise InputError(f"{law}: axes of rods are rows of three numbers, none of them zero")
    unit = axes / np.linalg.norm(axes, axis=1)[:, None]
    lines = f"    dipoles(pointer(s.{name}.field), pointer(p.rods), pointer(w))\n"
    for i in range(len(axes)):
        lines += f"    out.{name}.dipole[{i}] = w[{cores.ROOM + i}]\n"
    return Outlet(lines, (actuators.dipoles,), {"rods": np.append(len(axes), np.linalg.pinv(unit.T).ravel())}, room=64)


def _gyros(law: str, model: Model, state: State, given: dict[str, Any], period: float | None) -> Outlet:
    named = listed(law, "gyros", given["gyros"])
    table: list[float] = []
    turned = forward_kinematics(model, state).bodies.rotation
    gimbals = [f"{name}_gimbal" for name in named]
    Joints(law, model, [*gimbals, *(f"{name}_wheel" for name in named)])  # known, with a coordinate each
    for gimbal, name in zip(gimbals, named, strict=True):
        outer, inner = model.joint(gimbal), model.joint(f"{name}_wheel")
        carrier = turned[0].T @ turned[model.body_index(outer.parent)] @ outer.rotation
        rate, place = model.qd_slice(gimbal).start, model.q_slice(gimbal).start
        wheel, spin = model.qd_slice(inner.name).start, carrier @ inner.rotation @ inner.axis
        felt = reduced_at(model, state, [model.base_dof + rate])[0][0, 0]
        axial = float(inner.axis @ model.bodies[model.body_index(inner.child)].inertia @ inner.axis)
        table += [rate, place, wheel, axial, felt, *(carrier @ outer.axis), *spin]
    count = len(named)
    if count < 3:
        raise InputError(f"{law}: three gyros or more can turn the base about all axes, got {count}")
    servo = number(law, "gimbal_bandwidth", given.get("gimbal_bandwidth", 10.0), least=0.0)
    fastest = number(law, "gimbal_rate", given.get("gimbal_rate", 1e12), least=0.0)
    settings = [count, servo, fastest, 0.01, 10.0, 0.01, 0.5 * np.pi]
    lines = "    steer_gyros(t, pointer(s.q), pointer(s.qd), pointer(s.base_rate), pointer(p.gyros), pointer(w))\n"
    asked = given.get("motors")
    motors = None if asked is None else motor_names(law, gimbals, names_of(law, "motors", asked))
    for i, gimbal in enumerate(gimbals):
        target = f"out.tau[{model.qd_slice(gimbal).start}]" if motors is None else f"out.{motors[i]}.torque[0]"
        lines += f"    {target} = w[{cores.ROOM + i}]\n"
    wheels = tuple(f"{name}_wheel" for name in named)
    return Outlet(lines, (actuators.steer_gyros,), {"gyros": np.array(settings + table)}, {}, 64 + 20 * count, wheels)


@numba.njit
def keep_time(w, at, step, before, out):  # type: ignore[no-untyped-def]
    """Integrate over time: the rate of a continuous law's state, the value of a sampled one's."""
    for i in range(before.size):
        out[i] = w[at + i] if step == 0.0 else before[i] + step * w[at + i]


@numba.njit
def pulses(w, at, before, out):  # type: ignore[no-untyped-def]
    """Whole pulses for shares of a pulse: the difference is carried to the next sample."""
    for i in range(before.size):
        wanted = before[i] + w[at + i]
        w[at + i] = 1.0 if wanted >= 0.5 else 0.0
        out[i] = wanted - w[at + i]


_WRENCHES = (
    *("attitude_torque", "sensed_attitude_torque", "rate_torque", "sensed_rate_torque"),
    *("momentum_torque", "desaturating_torque", "station_force"),
)
_ACTUATORS = ("turn_base", "push_base", "share_among_wheels", "throttle", "dipoles", "steer_gyros")
_KNOWN = {name: getattr(cores, name) for name in _WRENCHES} | {name: getattr(actuators, name) for name in _ACTUATORS}


@lru_cache(maxsize=128)
def _function(name: str, lines: str) -> Callable:
    space: dict[str, Any] = {**_KNOWN, "np": np, "pointer": pointer, "keep_time": keep_time, "pulses": pulses}
    source = f"\ndef {name}(t, s, p, out):\n    w = np.zeros(int(p.room))\n{lines}"
    exec(compile(source, f"<{name}>", "exec"), space)
    function: Callable = space[name]
    function.__module__ = __name__
    return function


def law_through(name: str, lines: str, functions: Sequence[Any], way: Outlet) -> LawTemplate:
    """A law that finds a wrench by its lines and gives it through an outlet; make it with room=..., and parameters."""
    link(*functions, *way.functions)
    return LawTemplate(_function(name, lines + way.lines), states=way.states)
