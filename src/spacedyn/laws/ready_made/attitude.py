"""Ready-made laws for the base's attitude and position, through actuators of any kind."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...quantities.momentum import center_of_mass
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, check, free_base, number, numbers
from .base import turned_inertia, wanted_attitude
from .cores import attitude as cores
from .outlets import law_through, outlet
from .sensed import attitude_known, rate_known

Array = np.ndarray
_STATION = "    station_force(pointer(s.com), pointer(s.linear_momentum), pointer(p.station), pointer(w))\n"


def attitude_settings(
    law: str, model: Model, state: State, wanted: Array, gains: tuple[float, float], limit: Any
) -> Array:
    """Settings of quaternion feedback by bandwidth and damping, with the inertia that the robot has in the state."""
    felt = turned_inertia(model, state)
    omega, zeta = number(law, "bandwidth", gains[0], least=0.0), number(law, "damping", gains[1], least=0.0)
    limits = numbers(law, "limit", limit, 3, least=0.0)
    return np.concatenate([wanted, felt * omega**2, 2.0 * felt * zeta * omega, limits])


@checked_arguments(**MEANT)
def detumble(
    model: Model,
    state: State,
    *,
    time_constant: float = 10.0,
    gain: ArrayLike | None = None,
    limit: ArrayLike = 1e12,
    through: Mapping[str, Any] | None = None,
    sensors: Mapping[str, Any] | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Stop the base from turning: a torque against each of its body rates, up to a limit.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    time_constant : float
        In which rates fall by a factor of e [s], with the inertia that the robot has in the state.
    gain : float or (3,), optional
        The gain itself instead, along the base's axes [N m s/rad].
    limit : float or (3,)
        Largest torque along the base's axes [N m].
    through : dict, optional
        As in `attitude_hold`; torques from outside if left out.
    sensors : dict, optional
        `{rate = "imu"}`: the `Gyro` on the base that it reads, with `rate_rotation` as in `attitude_hold`; the base's
        true rate if left out.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(base_rate=[0.02, -0.01, 0.03])
    >>> run = sd.simulate(robot, start, 100.0, laws=[sd.control.detumble(robot, start)])
    >>> bool(abs(run.final.base_rate).max() < 1e-3)
    True
    """
    name = "detumble"
    check(name, model, state)
    free_base(name, model)
    felt = turned_inertia(model, state) / number(name, "time_constant", time_constant, least=1e-9)
    gains = felt if gain is None else numbers(name, "gain", gain, 3, least=0.0)
    way, known = outlet(name, model, state, through, period), rate_known(name, sensors)
    made = law_through(name, known.lines, [known.function], way)
    settings = np.concatenate([gains, numbers(name, "limit", limit, 3, least=0.0)])
    given = {**way.parameters, **known.parameters, "room": cores.ROOM + way.room, "settings": settings}
    return made(**given, period=period, delay=delay)


@checked_arguments(**MEANT)
def attitude_hold(
    model: Model,
    state: State,
    *,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    bandwidth: float = 0.1,
    damping: float = 1.0,
    limit: ArrayLike = 1e12,
    through: Mapping[str, Any] | None = None,
    sensors: Mapping[str, Any] | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Turn the base to an attitude and hold it there by quaternion feedback, through whatever turns it.

    Torque = kp error - kd rate along each base axis, the error by the shorter way round. It cannot turn about the field
    line through magnetorquers at any one instant, nor on through wheels that have reached their largest speed.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    target_xyzw : (4,), optional
        The attitude as a unit quaternion, scalar last, base axes -> inertial axes; the state's own if left out.
    target_rpy_xyz_deg : (3,), optional
        The same by turns about x, the turned y, the turned z [deg].
    bandwidth, damping : float
        [rad/s] and damping ratio, with the inertia that the robot has in the state.
    limit : float or (3,)
        Largest torque along the base's axes [N m].
    through : dict, optional
        What gives the torque; torques from outside if left out.

        `{wheels = [...], motors = [...], torque = 0.1, speed = 600}`: revolute joints and the motors in them
        (`motor_<joint>` if left out), with their largest torques [N m] and speeds [rad/s], within which they share the
        torque in least squares; the law's state `missing` is the angular impulse that each could not give [N m s].
        `on_saturation = "stop"` ends the run there, by the wheel's name.

        `{gyros = [...], gimbal_bandwidth = 10, gimbal_rate = 1}`: control-moment gyros by the names that
        `Builder.control_moment_gyro` had, steered by the generalized singularity-robust law; the loop over gimbal rates
        [1/s], their limit [rad/s], and motors, or joint forces if none are named.

        `{torquer = "rods", axes = [...]}`: a `Magnetorquer` on the base, m = B × T/B²; axes of its rods, those of
        the base if left out.

        `{thrusters = [...], positions = [...], forces = [...], pulses = false, force_weight = 1}`: `Thruster` elements
        on the base, where they are [m] and what they push it with at full throttle [N], base axes; throttles come
        nearest to torque and no force in least squares, a force counting as much as a torque at `force_weight` [m].
        With `pulses` they are on or off, for whole periods.
    sensors : dict, optional
        What it knows of the base, whose true attitude and rate it takes if this is left out.

        `{attitude = "stars", rate = "imu"}`: names of a `StarTracker` and a `Gyro` on the base. `attitude_rotation` and
        `rate_rotation` are the `rotation` of each: from its axes to the base's, a matrix or a Rotation; the same axes
        if left out. While the tracker sees nothing (zeros), the law only damps rates.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.neutral_state()
    >>> law = sd.control.attitude_hold(robot, start, target_rpy_xyz_deg=[20, -10, 30])
    >>> hold = sd.control.joint_hold(robot, start)
    >>> end = sd.simulate(robot, start, 150.0, laws=[law, hold]).final
    >>> end.base_attitude.as_euler("XYZ", degrees=True).round(1).tolist()
    [20.0, -10.0, 30.0]
    """
    name = "attitude_hold"
    check(name, model, state)
    free_base(name, model)
    way, known = outlet(name, model, state, through, period), attitude_known(name, sensors)
    wanted = wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg)
    settings = attitude_settings(name, model, state, wanted, (bandwidth, damping), limit)
    made = law_through(name, known.lines, [known.function], way)
    given = {**way.parameters, **known.parameters, "room": cores.ROOM + way.room, "settings": settings}
    return made(**given, period=period, delay=delay)


@checked_arguments(**MEANT)
def station_keeping(
    model: Model,
    state: State,
    *,
    target_position: ArrayLike | None = None,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    bandwidth: float = 0.05,
    damping: float = 1.0,
    attitude_bandwidth: float = 0.1,
    attitude_damping: float = 1.0,
    force_limit: float = 1e12,
    torque_limit: ArrayLike = 1e12,
    through: Mapping[str, Any] | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Hold the robot's centre of mass and the base's attitude in inertial space, by thrusters or a wrench from outside.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    target_position : (3,), optional
        Of the robot's centre of mass [m], inertial axes; where it is in the state if left out.
    target_xyzw, target_rpy_xyz_deg
        Attitude of the base, as in `attitude_hold`.
    bandwidth, damping, attitude_bandwidth, attitude_damping : float
        [rad/s] and damping ratios, with the mass and the inertia that the robot has in the state.
    force_limit : float
        Largest length of the force [N].
    torque_limit : float or (3,)
        Largest torque along the base's axes [N m].
    through : dict, optional
        {thrusters = ...}, as in `attitude_hold`; a wrench from outside if left out. Wheels, gyros and magnetorquers
        give no force.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(base_velocity=[0.01, 0, 0], base_rate=[0, 0.002, 0])
    >>> laws = [sd.control.station_keeping(robot, start, bandwidth=0.1), sd.control.joint_hold(robot, start)]
    >>> run = sd.simulate(robot, start, 200.0, laws=laws, record=10.0)
    >>> bool(abs(sd.center_of_mass(robot, run.final) - sd.center_of_mass(robot, start)).max() < 1e-4)
    True
    """
    name = "station_keeping"
    check(name, model, state)
    if model.base_kind != "free":
        raise InputError(f"{name}: the base of '{model.name}' is {model.base_kind}; it must be free")
    way = outlet(name, model, state, through, period, force=True)
    if through is not None and "thrusters" not in through:
        raise InputError(f"{name}: a force comes from thrusters; {list(through)} give torques alone")
    omega, zeta = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    mass, here = sum(body.mass for body in model.bodies), center_of_mass(model, state)
    place = here if target_position is None else numbers(name, "target_position", target_position, 3)
    wanted = wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg)
    known = attitude_known(name, None)
    return law_through(name, known.lines + _STATION, [known.function, cores.station_force], way)(
        **way.parameters,
        room=cores.ROOM + way.room,
        settings=attitude_settings(name, model, state, wanted, (attitude_bandwidth, attitude_damping), torque_limit),
        station=[*place, mass * omega**2, 2.0 * zeta * omega, number(name, "force_limit", force_limit, least=0.0)],
        period=period,
        delay=delay,
    )
