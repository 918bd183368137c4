"""Ready-made laws for thrusters: pulses by a timetable, and attitude held within a dead band by on and off."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...reals import finite_array
from ...signatures import checked_arguments
from ..law import Law, law
from .arguments import MEANT, called, check, free_base, number, numbers
from .base import attitude_error, axes_of, into, wanted_attitude


@law
@called("thruster_pulses")
def _pulses(t: float, s: Any, p: Any, out: Any) -> None:
    R = axes_of(s.base_quaternion_xyzw)
    for i in range(p.pulses.shape[0]):
        if p.pulses[i, 1] <= t + p.early < p.pulses[i, 2]:
            j = int(p.pulses[i, 0])
            for k in range(3):
                for axis in range(3):
                    out.base_wrench[k] += R[k, axis] * p.force[j, axis]
                    out.base_wrench[3 + k] += R[k, axis] * p.moment[j, axis]


@checked_arguments(**MEANT)
def thruster_pulses(
    model: Model,
    state: State,
    *,
    positions: ArrayLike,
    forces: ArrayLike,
    pulses: ArrayLike,
    period: float = 0.01,
    delay: float = 0.0,
) -> Law:
    """Thrusters on the base, switched by a timetable; sampled, so that every pulse lasts for whole periods.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    positions : (thrusters, 3)
        Where they are, in the base's frame [m].
    forces : (thrusters, 3)
        What they push the base with, in base axes [N].
    pulses : (pulses, 3)
        Which thruster (counted from 0), from when, to when [s].
    period, delay : float
        Of the sampling [s]; times of pulses should be multiples of the period.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> jets = {"positions": [[0, 0, 0]], "forces": [[0, 0, 20.0]], "pulses": [[0, 1.0, 1.5], [0, 3.0, 3.2]]}
    >>> law = sd.control.thruster_pulses(robot, robot.neutral_state(), **jets)
    >>> run = sd.simulate(robot, robot.neutral_state(), 5.0, laws=[law])
    >>> round(float(np.linalg.norm(run["impulse"][-1, :3])), 3)  # 20 N for 0.7 s, along an axis that hardly turns
    14.0
    """
    name = "thruster_pulses"
    check(name, model, state)
    if model.base_kind != "free":
        raise InputError(f"{name}: the base of '{model.name}' is {model.base_kind}; thrusters need a free one")
    where, push, table = (
        _rows(name, what, value) for what, value in (("positions", positions), ("forces", forces), ("pulses", pulses))
    )
    if len(where) != len(push):
        raise InputError(f"{name}: there are {len(where)} positions and {len(push)} forces; each thruster has both")
    if not np.isin(table[:, 0], np.arange(len(push))).all():
        raise InputError(f"{name}: pulses name thrusters from 0 to {len(push) - 1}, got {table[:, 0].tolist()}")
    if (table[:, 1] >= table[:, 2]).any():
        raise InputError(f"{name}: a pulse must start before it stops")
    moment = np.cross(where - model.bodies[0].com, push)
    period = number(name, "period", period, least=1e-9)
    return _pulses(force=push, moment=moment, pulses=table, early=1e-6 * period, period=period, delay=delay)


def _rows(law: str, name: str, value: Any) -> np.ndarray:
    expected = "rows of three finite numbers, [[x, y, z], ...]"
    array = finite_array(f"{law}: {name}", value, expected)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise InputError(f"{law}: {name} must be {expected}, got shape {array.shape}")
    return array


@law(period=0.1)
@called("thruster_attitude_hold")
def _bang_bang(t: float, s: Any, p: Any, out: Any) -> None:
    R = axes_of(s.base_quaternion_xyzw)
    spin, error = into(R, s.base_rate), attitude_error(s.base_quaternion_xyzw, p.target)
    for i in range(3):
        off = error[i] - p.lead * spin[i]
        torque = p.torque[i] if off > p.dead_band else -p.torque[i] if off < -p.dead_band else 0.0
        for k in range(3):
            out.base_wrench[3 + k] += R[k, i] * torque


@checked_arguments(**MEANT)
def thruster_attitude_hold(
    model: Model,
    state: State,
    *,
    torque: ArrayLike,
    dead_band_deg: float = 0.5,
    lead: float = 5.0,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    period: float = 0.1,
    delay: float = 0.0,
) -> Law:
    """Hold the base's attitude within a dead band by pairs of thrusters that are on or off.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    torque : float or (3,)
        Of the pair of each base axis [N m].
    dead_band_deg : float
        Half the width of the band [deg].
    lead : float
        How far rates are looked ahead [s]: a thruster fires when error - lead × rate leaves the band.
    target_xyzw, target_rpy_xyz_deg
        As in `attitude_hold`.
    period, delay : float
        Of the sampling [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(base_rate=[0.002, 0.0, -0.003])
    >>> laws = [sd.control.thruster_attitude_hold(robot, start, torque=20.0), sd.control.joint_hold(robot, start)]
    >>> end = sd.simulate(robot, start, 120.0, laws=laws).final
    >>> bool(np.degrees(end.base_attitude.magnitude()) < 1.5)
    True
    """
    name = "thruster_attitude_hold"
    check(name, model, state)
    free_base(name, model)
    return _bang_bang(
        target=wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg),
        torque=numbers(name, "torque", torque, 3, least=0.0),
        dead_band=np.radians(number(name, "dead_band_deg", dead_band_deg, least=0.0)),
        lead=number(name, "lead", lead, least=0.0),
        period=number(name, "period", period, least=1e-9),
        delay=delay,
    )
