"""Joints that move as given functions of time, while the rest of the robot is free.

    run = sd.simulate(robot, state, 10.0, prescribed={
        "shoulder": sd.waypoints([0, 4, 10], [0.0, 0.8, 0.3]),   # or any spline of SciPy, a polynomial of NumPy
        "elbow": swing(size=0.3, rate=1.5),                      # a function made by @sd.motion
        "wrist": "locked",                                       # stays where it starts
    })

The force that each of them takes is in the record, its work in the ledger.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import Polynomial
from scipy.interpolate import BSpline, PPoly

from .errors import InputError
from .kernels import plan as p
from .laws import Compiled, Law, LawTemplate, Role, compile_law
from .model.model import Model
from .model.state import State
from .trajectories import Trajectory, trajectory_of

Array = np.ndarray
SIMPLE = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar")
MODES = {"free": p.MODE_FREE, "locked": p.MODE_LOCKED, "prescribed": p.MODE_PRESCRIBED}
"""What a joint may be: free to move, locked where it is, or moved as prescribed."""
_NEAR = 1e-9  # of a state to what is prescribed at the start

MOTION = Role(
    "motion",
    ("t", "p", "out"),
    {"value": "o[0:ns]", "rate": "o[ns : 2 * ns]", "acceleration": "o[2 * ns : 3 * ns]"},
)


@dataclass(frozen=True, eq=False)
class Motion(Law):
    """A function of time that prescribes a joint; made by `motion`."""

    role: ClassVar[Role] = MOTION

    def at(self, t: float, size: int) -> Array:
        """(3, size) value, rate and acceleration at a time, by plain Python."""
        return self.over_times(np.array([t]), size)[:, 0]

    def over_times(self, times: Array, size: int) -> Array:
        """(3, times, size) the same at many times."""
        out = np.zeros((len(times), 3, size))
        given = SimpleNamespace(**{k: float(v) if v.ndim == 0 else v for k, v in self.parameters.items()})
        function = getattr(self.function, "py_func", self.function)
        for t, one in zip(times, out, strict=True):
            function(float(t), given, SimpleNamespace(value=one[0], rate=one[1], acceleration=one[2]))
        return out.transpose(1, 0, 2)


@dataclass(frozen=True)
class MotionTemplate(LawTemplate):
    """A motion without its parameters; call it with them to get a `Motion`."""

    @property
    def made(self) -> type[Law]:
        """What it becomes with its parameters."""
        return Motion


def motion(function: Callable) -> MotionTemplate:
    """Make a prescribed motion of a function f(t, p, out); it is compiled when it is first simulated.

    Parameters
    ----------
    function : callable
        Reads the time `t` [s] and parameters `p`; writes `out.value`, `out.rate` and `out.acceleration`, arrays with an
        entry for each coordinate of the joint. Rate and acceleration must be the derivatives of the value.

    Returns
    -------
    MotionTemplate
        Call it with the parameters.

    Examples
    --------
    >>> import math
    >>> import spacedyn as sd
    >>> @sd.motion
    ... def swing(t, p, out):
    ...     out.value[0] = p.size * math.sin(p.speed * t)
    ...     out.rate[0] = p.size * p.speed * math.cos(p.speed * t)
    ...     out.acceleration[0] = -p.size * p.speed**2 * math.sin(p.speed * t)
    >>> swing(size=0.2, speed=1.5).at(0.0, 1).ravel().round(3).tolist()
    [0.0, 0.3, -0.0]
    """
    return MotionTemplate(function)


def _of_polynomial(polynomial: Polynomial, start: float, end: float) -> Trajectory:
    """Around the start of the run, which is its only piece."""
    moved = polynomial.convert(domain=[-1, 1], window=[-1, 1])(Polynomial([start, 1.0]))
    return Trajectory(np.array([start, end]), moved.coef[::-1].reshape(1, 1, -1))


@dataclass(frozen=True, eq=False)
class Prescribed:
    """One joint's motion as the kernels take it, None if it has none; and the mode that it starts in."""

    joint: str
    size: int
    given: Trajectory | Motion | None
    mode: int

    def at(self, t: float) -> Array:
        """(3, size) value, rate and acceleration."""
        assert self.given is not None
        return self.given.at(t, self.size)


def read_prescribed(
    model: Model,
    prescribed: Mapping[str, Any],
    modes: Mapping[str, str],
    start: float,
    end: float,
    every: bool = False,
) -> list[Prescribed]:
    """Check what was given for each joint, in the order of the model; with `every`, those without anything, too."""
    if not isinstance(prescribed, Mapping):
        raise InputError(f"prescribed: expected {{joint: motion}}, got {prescribed!r}")
    if not isinstance(modes, Mapping):
        raise InputError(f"modes: expected {{joint: mode}}, got {modes!r}")
    found = {name: _read(model, name, value, start, end) for name, value in prescribed.items()}
    for joint in model.joints if every else [model.joint(name) for name in modes]:
        found.setdefault(joint.name, Prescribed(joint.name, joint.nv, None, p.MODE_FREE))
    for name, mode in modes.items():
        found[name] = replace(found[name], mode=mode_number(name, mode, found[name].given is not None))
    return sorted(found.values(), key=lambda one: model.joint_index(one.joint))


def mode_number(joint: str, mode: Any, has_motion: bool) -> int:
    """A mode as the kernels have it; raise if the joint cannot have it."""
    if mode not in MODES:
        raise InputError(f"modes: expected one of {', '.join(map(repr, MODES))} for joint '{joint}', got {mode!r}")
    if mode == "prescribed" and not has_motion:
        raise InputError(f"joint '{joint}' has no motion to follow; give it one: prescribed={{'{joint}': ...}}")
    return MODES[mode]


def _read(model: Model, name: str, value: Any, start: float, end: float) -> Prescribed:
    joint = model.joint(name)
    if isinstance(value, str):
        if value != "locked":
            raise InputError(f"prescribed joint '{name}': expected a motion or 'locked', got {value!r}")
        return Prescribed(name, joint.nv, None, p.MODE_LOCKED)
    if joint.kind not in SIMPLE:
        raise InputError(
            f"joint '{name}' is {joint.kind} and can only be 'locked'; a motion can be prescribed for joints of the "
            f"kinds {', '.join(SIMPLE)}"
        )
    if isinstance(value, LawTemplate):
        raise InputError(f"motion '{value.function.__name__}' of joint '{name}' has no parameters yet; call it")
    if isinstance(value, Motion):
        _check_derivatives(name, value, joint.nv, start, end)
        return Prescribed(name, joint.nv, value, p.MODE_PRESCRIBED)
    path = _trajectory(name, value, start, end)
    if path.coefficients.shape[1] != joint.nv:
        raise InputError(
            f"joint '{name}' is {joint.kind}: its motion needs {joint.nv} column{'s' if joint.nv > 1 else ''}, one for "
            f"each coordinate, got {path.coefficients.shape[1]}"
        )
    if not np.isfinite(path.coefficients).all():
        raise InputError(f"the motion of joint '{name}' holds numbers that are not finite")
    path.check_smooth(start, end, name)
    return Prescribed(name, joint.nv, path.over(start, end, name), p.MODE_PRESCRIBED)


def _trajectory(name: str, value: Any, start: float, end: float) -> Trajectory:
    if isinstance(value, Trajectory | BSpline | PPoly):
        return trajectory_of(value)
    if isinstance(value, Polynomial):
        return _of_polynomial(value, start, end)
    try:
        constant = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise InputError(
            f"prescribed joint '{name}': expected waypoints(...), a function made by @motion, a spline of SciPy, a "
            f"Polynomial of NumPy, a constant, or 'locked', got {value!r}"
        ) from None
    return Trajectory(np.array([start, end]), constant.reshape(1, -1, 1))


def _check_derivatives(name: str, given: Motion, size: int, start: float, end: float) -> None:
    """Raise if what is written as rates is not the rate of what comes before it; at points, as kinks are allowed."""
    step = 1e-6 * min(end - start, 1.0)
    times = start + (end - start) * np.linspace(0.013, 0.987, 9)
    near = np.array([[given.at(t + k * step, size) for k in (-1, 0, 1)] for t in times])
    if not np.isfinite(near).all():
        raise InputError(f"motion '{given.name}' of joint '{name}' writes numbers that are not finite")
    for k, (what, of) in enumerate((("rate", "value"), ("acceleration", "rate"))):
        slope = (near[:, 2, k] - near[:, 0, k]) / (2 * step)
        room = (
            1e-4 * (1e-6 + np.abs(slope).max() + np.abs(near[:, 1, k + 1]).max()) + 1e-9 * np.abs(near[:, 1, k]) / step
        )
        off = np.abs(slope - near[:, 1, k + 1]) > room
        if np.count_nonzero(off.any(axis=1)) > len(times) // 2:
            i = int(np.argmax(off.any(axis=1)))
            raise InputError(
                f"motion '{given.name}' of joint '{name}': the {what} that it writes at t = {times[i]:g} s, "
                f"{near[i, 1, k + 1]}, is not the derivative of its {of}, {slope[i]}"
            )


def start_of(model: Model, state: State, joints: list[Prescribed], t: float, adjust: bool) -> State:
    """The state, if it agrees with what is prescribed at the start; put right, if wanted."""
    data = state._data.copy()
    for one in joints:
        if one.mode == p.MODE_FREE:
            continue
        q, qd = model.q_slice(one.joint), model.u_slice(one.joint)
        x, u = data[..., 7 + q.start : 7 + q.stop], data[..., 7 + model.nq + qd.start : 7 + model.nq + qd.stop]
        value, rate = (x, np.zeros(one.size)) if one.mode == p.MODE_LOCKED else one.at(t)[:2]
        for what, has, wanted in (("at", x, value), ("moving with", u, rate)):
            off = np.abs(has - wanted).max(initial=0.0)
            if off > _NEAR * (1.0 + np.abs(wanted).max(initial=0.0)) and not adjust:
                raise InputError(
                    f"joint '{one.joint}' is prescribed to be {what} {np.array2string(np.asarray(wanted))} at "
                    f"t = {t:g} s; the state is {off:.3g} off. Give a state that agrees, or adjust=True"
                )
            has[...] = wanted
    return State(model, data)


def lay_out(model: Model, joints: list[Prescribed], counter: int, put: Callable) -> tuple[Array, list[Compiled], Array]:
    """Records for the plan, compiled functions, and the times that steps must end at."""
    records = np.zeros((len(joints), p.JOINT_INTS), dtype=np.int64)
    compiled, breaks = [], [np.empty(0)]
    for i, one in enumerate(joints):
        record = records[i]
        record[p.J_RATE], record[p.J_COORDINATE] = model.u_slice(one.joint).start, 7 + model.q_slice(one.joint).start
        record[p.J_COUNT], record[p.J_PIECE] = one.size, counter + i
        if one.given is None:
            record[p.J_KIND] = p.NO_MOTION
        elif isinstance(one.given, Motion):
            code = compile_law(one.given)
            compiled.append(code)
            record[p.J_KIND], record[p.J_ADDRESS] = p.FUNCTION, code.address
            record[p.J_NUMBERS] = put(*one.given.parameters.values(), [0.0])
            record[p.J_SIZES : p.J_SIZES + p.SIZES] = 0, 0, 0, 0, 0, one.size, 0, 0, 3 * one.size
        else:
            path = one.given
            record[p.J_KIND], record[p.J_PIECES] = p.PIECEWISE, len(path.coefficients)
            record[p.J_DEGREE] = path.coefficients.shape[2] - 1
            record[p.J_NUMBERS] = put(path.breaks, path.coefficients)
            breaks.append(path.breaks)
    return records, compiled, np.unique(np.concatenate(breaks))
