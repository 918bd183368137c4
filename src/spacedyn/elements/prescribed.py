"""Joints that move as given functions of time, while the rest of the robot is free.

    run = sd.simulate(robot, state, 10.0, prescribed={
        "shoulder": sd.waypoints([0, 4, 10], [0.0, 0.8, 0.3]),   # or any spline of SciPy, a polynomial of NumPy
        "elbow": swing(size=0.3, rate=1.5),                      # a function made by @sd.motion
        "wrist": "locked",                                       # stays where it starts
        "ball": sd.attitude_waypoints([0, 5], attitudes),        # a spherical joint: by SciPy's rotations
    })

The force that each of them takes is in the record, its work in the ledger.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from scipy.interpolate import BSpline, PPoly

from ..errors import InputError
from ..kernels.sim import codes
from ..laws.law import LawTemplate
from ..laws.motion_functions import Motion, Parts, attitude_path_motion, check_derivatives
from ..model.model import Model
from ..model.quaternions import conjugate, multiply, normalised
from ..model.state import State
from ..motion.trajectories import Trajectory, trajectory_of
from ..reals import NotReal, real_array

Array = np.ndarray
MODES = {"free": codes.MODE_FREE, "locked": codes.MODE_LOCKED, "prescribed": codes.MODE_PRESCRIBED}
"""What a joint may be: free to move, locked where it is, or moved as prescribed."""
_START_TOLERANCE = 1e-9  # of the start state against prescribed values, relative to 1 + |prescribed|


def _of_polynomial(polynomial: Polynomial, start: float, end: float) -> Trajectory:
    """A polynomial as one piece over the whole run, with coefficients about the start."""
    moved = polynomial.convert(domain=[-1, 1], window=[-1, 1])(Polynomial([start, 1.0]))
    return Trajectory(np.array([start, end]), moved.coef[::-1].reshape(1, 1, -1))


@dataclass(frozen=True, eq=False)
class Prescribed:
    """A joint's prescribed motion as kernels read it (None for none), and its mode at the start."""

    joint: str
    size: int
    given: Trajectory | Motion | None
    mode: int
    attitude: bool = False  # whether its last four coordinates are a quaternion

    def at(self, t: float) -> Parts:
        """Value (places,), rate and acceleration (size,)."""
        value, rate, acceleration = self.over_times(np.array([t]))
        return value[0], rate[0], acceleration[0]

    def over_times(self, times: Array) -> Parts:
        """Value, rate and acceleration at many times, (times, …)."""
        assert self.given is not None
        if isinstance(self.given, Motion):
            return self.given.over_times(times, self.size, self.size + self.attitude)
        value, rate, acceleration = self.given.over_times(times, self.size)
        return value, rate, acceleration

    @property
    def no_shift(self) -> Array:
        """The shift that changes nothing."""
        return np.array([*[0.0] * (self.size - 3), 0.0, 0.0, 0.0, 1.0]) if self.attitude else np.zeros(self.size)

    def shifted(self, value: Array, shift: Array) -> Array:
        """Values moved by a constant shift, attitudes turned by it, for a motion followed from another start."""
        if not self.attitude:
            return np.asarray(value + shift)
        places = value[..., :-4] + shift[..., :-4]
        return np.concatenate([places, multiply(*np.broadcast_arrays(shift[..., -4:], value[..., -4:]))], axis=-1)

    def shift_to(self, value: Array, has: Array) -> Array:
        """The shift that moves a value to the joint's present coordinate."""
        if not self.attitude:
            return np.asarray(has - value)
        turn = multiply(has[..., -4:], conjugate(normalised(value[..., -4:])))
        return np.concatenate([has[..., :-4] - value[..., :-4], turn], axis=-1)

    def distance(self, has: Array, wanted: Array) -> Array:
        """(…) largest deviation of coordinates, relative to 1 + |wanted|."""
        nearest = self.nearest(has, wanted)
        return np.asarray((np.abs(has - nearest) / (1.0 + np.abs(nearest))).max(axis=-1, initial=0.0))

    def nearest(self, has: Array, wanted: Array) -> Array:
        """`wanted`, with that sign of its quaternion which is nearer to the joint's present one."""
        if not self.attitude:
            return wanted
        q = normalised(wanted[..., -4:])
        same = np.sum(has[..., -4:] * q, axis=-1, keepdims=True) >= 0.0
        return np.concatenate([wanted[..., :-4], np.where(same, q, -q)], axis=-1)


def read_prescribed(
    model: Model,
    prescribed: Mapping[str, Any],
    modes: Mapping[str, str],
    start: float,
    end: float,
    every: bool = False,
    last: float | None = None,
) -> list[Prescribed]:
    """Check the motions and modes given for joints, in the model's order; `every`: include joints without either.

    Motions must cover the run up to the time `last`, by default its end.
    """
    if not isinstance(prescribed, Mapping):
        raise InputError(f"prescribed: expected {{joint: motion}}, got {prescribed!r}")
    if not isinstance(modes, Mapping):
        raise InputError(f"modes: expected {{joint: mode}}, got {modes!r}")
    found = {}
    for given, value in prescribed.items():
        name = model.joint(given).name
        found[name] = _read(model, name, value, start, end, end if last is None else last)
    for joint in model.joints if every else [model.joint(name) for name in modes]:
        found.setdefault(
            joint.name, Prescribed(joint.name, joint.nv, None, codes.MODE_FREE, joint.kind_record.has_attitude)
        )
    for name, mode in ((model.joint(given).name, mode) for given, mode in modes.items()):
        found[name] = replace(found[name], mode=mode_number(name, mode, found[name].given is not None))
    return sorted(found.values(), key=lambda one: model.joint_index(one.joint))


def mode_number(joint: str, mode: Any, has_motion: bool) -> int:
    """The code of a mode; raise if the joint cannot have it."""
    if not isinstance(mode, str) or mode not in MODES:
        raise InputError(f"modes: expected one of {', '.join(map(repr, MODES))} for joint '{joint}', got {mode!r}")
    if mode == "prescribed" and not has_motion:
        raise InputError(f"joint '{joint}' has no motion to follow; give it one: prescribed={{'{joint}': ...}}")
    return MODES[mode]


def _read(model: Model, name: str, value: Any, start: float, end: float, last: float) -> Prescribed:
    joint = model.joint(name)
    attitude = joint.kind_record.has_attitude
    if isinstance(value, str):
        if value != "locked":
            raise InputError(f"prescribed joint '{name}': expected a motion or 'locked', got {value!r}")
        return Prescribed(name, joint.nv, None, codes.MODE_LOCKED, attitude)
    if joint.nv == 0:
        raise InputError(f"joint '{name}' is fixed: it cannot move, and nothing can be prescribed for it")
    if isinstance(value, LawTemplate):
        raise InputError(f"motion '{value.function.__name__}' of joint '{name}' has no parameters yet; call it")
    if isinstance(value, Motion):
        check_derivatives(name, value, joint.nv, joint.nq, start, end)
        return Prescribed(name, joint.nv, value, codes.MODE_PRESCRIBED, attitude)
    if attitude:
        return Prescribed(
            name, joint.nv, attitude_path_motion(name, joint.kind, value, start, last), codes.MODE_PRESCRIBED, True
        )
    path = _trajectory(name, value, start, end)
    if path.coefficients.shape[1] != joint.nv:
        raise InputError(
            f"joint '{name}' is {joint.kind}: its motion needs {joint.nv} column{'s' if joint.nv > 1 else ''}, one for "
            f"each coordinate, got {path.coefficients.shape[1]}"
        )
    if not np.isfinite(path.coefficients).all():
        raise InputError(f"the motion of joint '{name}' holds numbers that are not finite")
    path.check_smooth(start, last, name)
    return Prescribed(name, joint.nv, path.over(start, last, name), codes.MODE_PRESCRIBED)


def _trajectory(name: str, value: Any, start: float, end: float) -> Trajectory:
    if isinstance(value, Trajectory | BSpline | PPoly):
        return trajectory_of(value)
    if isinstance(value, Polynomial):
        return _of_polynomial(value, start, end)
    try:
        constant = np.atleast_1d(real_array(value).astype(float))
    except NotReal as reason:
        raise InputError(
            f"prescribed joint '{name}': expected waypoints(...), a function made by @motion, a spline of SciPy, a "
            f"Polynomial of NumPy, a constant, or 'locked', got {reason}"
        ) from None
    return Trajectory(np.array([start, end]), constant.reshape(1, -1, 1))


def start_of(model: Model, state: State, joints: list[Prescribed], t: float, adjust: bool) -> State:
    """The start state, checked against prescribed values; with `adjust`, corrected to them."""
    data = state._data.copy()
    for one in joints:
        if one.mode == codes.MODE_FREE:
            continue
        q, qd = model.q_slice(one.joint), model.u_slice(one.joint)
        x, u = data[..., 7 + q.start : 7 + q.stop], data[..., 7 + model.nq + qd.start : 7 + model.nq + qd.stop]
        value, rate = (x, np.zeros(one.size)) if one.mode == codes.MODE_LOCKED else one.at(t)[:2]
        if one.mode == codes.MODE_PRESCRIBED:
            value = one.nearest(x, np.broadcast_to(value, x.shape))
        for what, has, wanted in (("at", x, value), ("moving with", u, rate)):
            off = np.abs(has - wanted).max(initial=0.0)
            if off > _START_TOLERANCE * (1.0 + np.abs(wanted).max(initial=0.0)) and not adjust:
                raise InputError(
                    f"joint '{one.joint}' is prescribed to be {what} {np.array2string(np.asarray(wanted))} at "
                    f"t = {t:g} s; the state is {off:.3g} off. Give a state that agrees, or adjust=True"
                )
            has[...] = wanted
    return State(model, data)._carrying(state.internal)
