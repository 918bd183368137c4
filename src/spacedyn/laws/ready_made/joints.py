"""Ready-made laws for joints: hold, follow a path, make a round trip, constant forces, damping."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...model.model import Model
from ...model.state import State
from ...motion.trajectories import sample
from ...signatures import checked_arguments
from ..law import Law, law
from .arguments import MEANT, Joints, called, check, number, numbers


@law
@called("joint_hold")
def _hold(t: float, s: Any, p: Any, out: Any) -> None:
    for i in range(p.target.size):
        q, qd = int(p.joints[0, i]), int(p.joints[1, i])
        tau = p.kp[i] * (p.target[i] - s.q[q]) - p.kd[i] * s.qd[qd]
        out.tau[qd] = min(max(tau, -p.limit[i]), p.limit[i])


@checked_arguments(**MEANT)
def joint_hold(
    model: Model,
    state: State,
    *,
    target: ArrayLike | None = None,
    joints: Iterable[str] | None = None,
    bandwidth: float = 1.0,
    damping: float = 1.0,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    limit: ArrayLike = 1e12,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Proportional and derivative control of joints: τ = kp (target - q) - kd q̇.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    target : (coordinates,), optional
        Where to [rad, m]; where they are in the state if left out.
    joints : names, optional
        Which; all if left out.
    bandwidth, damping : float
        [rad/s], and the damping ratio: with the inertia that each joint feels in the state they give the gains.
    kp, kd : float or (coordinates,), optional
        The gains themselves instead [N m/rad, N m s/rad].
    limit : float or (coordinates,)
        Largest force [N m, N].
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> law = sd.control.joint_hold(robot, start, target=[0.0] * 6, bandwidth=0.5)
    >>> run = sd.simulate(robot, start, 30.0, laws=[law])
    >>> bool(abs(run.final.q).max() < 1e-3)
    True
    """
    check("joint_hold", model, state)
    chosen = Joints("joint_hold", model, joints)
    return _hold(
        joints=chosen.table,
        target=chosen.values("target", target, state.q[chosen.places]),
        limit=numbers("joint_hold", "limit", limit, chosen.size, least=0.0),
        **chosen.gains(state, bandwidth, damping, kp, kd),
        period=period,
        delay=delay,
    )


@law
@called("joint_path")
def _follow(t: float, s: Any, p: Any, out: Any) -> None:
    for i in range(p.kp.size):
        q, qd = int(p.joints[0, i]), int(p.joints[1, i])
        error, rate = sample(p.path, t, i) - s.q[q], sample(p.path, t, i, 1) - s.qd[qd]
        tau = p.kp[i] * error + p.kd[i] * rate
        out.tau[qd] = min(max(tau, -p.limit[i]), p.limit[i])


@checked_arguments(**MEANT)
def joint_path(
    model: Model,
    state: State,
    *,
    times: ArrayLike,
    values: ArrayLike,
    kind: str = "quintic",
    stop: bool = False,
    joints: Iterable[str] | None = None,
    bandwidth: float = 2.0,
    damping: float = 1.0,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    limit: ArrayLike = 1e12,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Joints follow a smooth path through waypoints: τ = kp (path - q) + kd (its rate - q̇).

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    times : (points,)
        When [s].
    values : (points, coordinates)
        Where [rad, m]; a row for each time.
    kind, stop
        As in `waypoints`.
    joints, bandwidth, damping, kp, kd, limit, period, delay
        As in `joint_hold`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> start = robot.state(q=[0.1, 0.2, -0.1, 0.0])
    >>> there = [0.5, -0.3, 0.4, 0.2]
    >>> law = sd.control.joint_path(robot, start, times=[0, 10], values=[start.q, there])
    >>> bool(abs(sd.simulate(robot, start, 15.0, laws=[law]).final.q - there).max() < 1e-3)
    True
    """
    check("joint_path", model, state)
    chosen = Joints("joint_path", model, joints)
    return _follow(
        joints=chosen.table,
        path=chosen.path(times, values, kind, stop),
        limit=numbers("joint_path", "limit", limit, chosen.size, least=0.0),
        **chosen.gains(state, bandwidth, damping, kp, kd),
        period=period,
        delay=delay,
    )


@law
@called("joint_round_trip")
def _round_trip(t: float, s: Any, p: Any, out: Any) -> None:
    for i in range(p.reach.size):
        q, qd = int(p.joints[0, i]), int(p.joints[1, i])
        phase = min(max((t - p.begin - p.stagger * i) / p.trip, 0.0), 1.0)
        sine, cosine = math.sin(math.pi * phase), math.cos(math.pi * phase)
        wanted = p.home[i] + p.reach[i] * sine**4
        speed = p.reach[i] * 4.0 * math.pi / p.trip * sine**3 * cosine
        out.tau[qd] = p.kp[i] * (wanted - s.q[q]) + p.kd[i] * (speed - s.qd[qd])


@checked_arguments(**MEANT)
def joint_round_trip(
    model: Model,
    state: State,
    *,
    reach: ArrayLike,
    trip: float,
    begin: float = 0.0,
    stagger: float = 0.0,
    joints: Iterable[str] | None = None,
    bandwidth: float = 4.0,
    damping: float = 1.0,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Each joint makes one smooth round trip, reach sin⁴, from where it starts; the next one a little later.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    reach : (coordinates,)
        How far each goes [rad, m].
    trip : float
        How long there and back takes [s].
    begin, stagger : float
        When the first sets out, and how much later each next one [s].
    joints, bandwidth, damping, kp, kd, period, delay
        As in `joint_hold`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> law = sd.control.joint_round_trip(robot, start, reach=[0.3] * 6, trip=20.0, stagger=1.0)
    >>> run = sd.simulate(robot, start, 30.0, laws=[law])
    >>> bool(abs(run.final.q - start.q).max() < 1e-3)
    True
    """
    check("joint_round_trip", model, state)
    chosen = Joints("joint_round_trip", model, joints)
    return _round_trip(
        joints=chosen.table,
        home=state.q[chosen.places],
        reach=numbers("joint_round_trip", "reach", reach, chosen.size),
        trip=number("joint_round_trip", "trip", trip, least=1e-9),
        begin=number("joint_round_trip", "begin", begin),
        stagger=number("joint_round_trip", "stagger", stagger),
        **chosen.gains(state, bandwidth, damping, kp, kd),
        period=period,
        delay=delay,
    )


@law
@called("joint_torque")
def _torque(t: float, s: Any, p: Any, out: Any) -> None:
    if p.start <= t < p.stop:
        for i in range(p.tau.size):
            out.tau[int(p.joints[1, i])] = p.tau[i]


@checked_arguments(**MEANT)
def joint_torque(
    model: Model,
    state: State,
    *,
    tau: ArrayLike,
    joints: Iterable[str] | None = None,
    start: float = -1e12,
    stop: float = 1e12,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Constant forces in joints, for a while or throughout.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    tau : (coordinates,)
        [N m, N].
    joints : names, optional
        Which; all if left out.
    start, stop : float
        From when to when [s]; give a period that divides them, so that the jump falls on a sample.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> law = sd.control.joint_torque(robot, robot.neutral_state(), tau=[-0.5, -0.3, -0.1])
    >>> sd.simulate(robot, robot.neutral_state(), 1.0, laws=[law])["forces"][0, 6:].tolist()
    [-0.5, -0.3, -0.1]
    """
    check("joint_torque", model, state)
    chosen = Joints("joint_torque", model, joints)
    return _torque(
        joints=chosen.table,
        tau=numbers("joint_torque", "tau", tau, chosen.size),
        start=number("joint_torque", "start", start),
        stop=number("joint_torque", "stop", stop),
        period=period,
        delay=delay,
    )


@law
@called("joint_damping")
def _damp(t: float, s: Any, p: Any, out: Any) -> None:
    for i in range(p.kd.size):
        qd = int(p.rates[i])
        out.tau[qd] = -p.kd[i] * s.qd[qd]


@checked_arguments(**MEANT)
def joint_damping(model: Model, state: State, *, kd: ArrayLike, period: float | None = None, delay: float = 0.0) -> Law:
    """Brakes in all joints: τ = -kd q̇; also in spherical and free ones.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    kd : float or (rates,)
        [N m s/rad, N s/m].
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> start = robot.state(qd=[0.2, -0.1, 0.3, 0.1])
    >>> run = sd.simulate(robot, start, 60.0, laws=[sd.control.joint_damping(robot, start, kd=5.0)])
    >>> bool(abs(run.final.qd).max() < 1e-3)
    True
    """
    check("joint_damping", model, state)
    count = model.nv - model.base_dof
    kept = numbers("joint_damping", "kd", kd, count, least=0.0)
    return _damp(rates=np.arange(count), kd=kept, period=period, delay=delay)
