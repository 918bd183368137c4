"""Ready-made laws of momentum: unload wheels, bring a robot with what it has caught to rest."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, RunWarning, warn_user
from ...model.model import Model
from ...model.state import State
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, Joints, check, choice, free_base, number, numbers
from .cores import attitude as cores
from .outlets import law_through, outlet
from .plant import reduced_at
from .wheels import wheel_axes

Array = np.ndarray


def wheel_table(law: str, model: Model, state: State, wheels: Sequence[str], speeds: Array) -> list[float]:
    """How many wheels; their rates, speeds to be kept, axial inertias, axes (3, wheels) in base axes."""
    if not len(wheels):
        return [0.0]
    named = Joints(law, model, wheels).names
    rates, inertias = [model.qd_slice(name).start for name in named], []
    for name in named:
        joint = model.joint(name)
        if joint.kind != "revolute":
            raise InputError(f"{law}: wheels are revolute joints; '{name}' is {joint.kind}")
        rotor = model.bodies[model.body_index(joint.child)]
        inertias.append(float(joint.axis @ rotor.inertia @ joint.axis))
    return [len(named), *rates, *speeds, *inertias, *wheel_axes(model, state, named).ravel()]


@checked_arguments(**MEANT)
def wheel_desaturation(
    model: Model,
    state: State,
    *,
    wheels: Sequence[str],
    speeds: ArrayLike = 0.0,
    time_constant: float = 50.0,
    limit: float = 1e12,
    through: Mapping[str, Any] | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Unload reaction wheels: a torque from outside against the momentum that they hold beyond wanted speeds.

    Beside a law that holds the attitude by these wheels, which then slow down: momentum h = Σ inertia (speed - wanted)
    axis falls as ḣ = -h/time_constant, or by `limit` [N m] where that is less. It cannot unload by wheels or gyros,
    whose torque is no torque from outside, and through magnetorquers only across the field.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    wheels : list of str
        Revolute joints.
    speeds : float or (wheels,)
        That they shall have [rad/s].
    time_constant : float
        [s]; well above that of the law that holds the attitude.
    limit : float
        Largest torque [N m].
    through : dict, optional
        {torquer = ...} or {thrusters = ...}, as in `attitude_hold`; torques from outside if left out.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("satellite")
    >>> b.base("bus", mass=200.0, inertia=(20.0, 25.0, 30.0))
    >>> for name, axis in {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.items():
    ...     b.wheel(name, on="bus", axis=axis, mass=3.0, inertia=0.02)
    >>> robot, wheels = b.build(), ["x", "y", "z"]
    >>> start = robot.state(qd=[100.0, -50.0, 80.0])
    >>> hold = sd.control.wheel_motor_attitude_hold(robot, start, wheels=wheels, bandwidth=0.5)
    >>> unload = sd.control.wheel_desaturation(robot, start, wheels=wheels, time_constant=30.0)
    >>> motors = [sd.Motor(name, stall_torque=0.5) for name in wheels]
    >>> run = sd.simulate(robot, start, 300.0, laws=[hold, unload], elements=motors, record=50.0)
    >>> bool(abs(run.final.qd).max() < 0.1), bool(run.final.base_attitude.magnitude() < 1e-4)
    (True, True)
    """
    name = "wheel_desaturation"
    check(name, model, state)
    free_base(name, model)
    if not len(wheels):
        raise InputError(f"{name}: there are no wheels")
    way = outlet(name, model, state, through, period)
    if way.wheels:
        raise InputError(f"{name}: wheels and gyros push the robot itself alone; go through thrusters or a torquer")
    lines = "    desaturating_torque(pointer(s.base_quaternion_xyzw), pointer(s.qd), pointer(p.settings), pointer(w))\n"
    kept = numbers(name, "speeds", speeds, len(wheels))
    strongest = number(name, "limit", limit, least=0.0)
    slow = number(name, "time_constant", time_constant, least=1e-9)
    return law_through(name, lines, [cores.desaturating_torque], way)(
        **way.parameters,
        room=cores.ROOM + way.room,
        settings=[strongest, slow, *wheel_table(name, model, state, wheels, kept)],
        period=period,
        delay=delay,
    )


@checked_arguments(**MEANT)
def post_capture(
    model: Model,
    state: State,
    *,
    torque: float,
    time_constant: float = 5.0,
    joints: Iterable[str] | None = None,
    joint_limit: ArrayLike = 1e12,
    joint_time_constant: float = 2.0,
    through: Mapping[str, Any] | None = None,
    on_overrun: str = "warn",
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Bring a robot that has caught a tumbling body to rest, with bounded torques on the base and in the joints.

    On the base, a torque against the angular momentum L of all but wheels: as large as it may be, so that |L| falls in
    a straight line and is gone after |L|/torque, the least time for a torque of bounded length, whatever the robot's
    inertia; in the last `time_constant` × torque it fades. In the joints brakes, -clip(kd q̇, ±joint_limit), which take
    energy away always. It cannot stop the centre of mass, and joints that are too fast for their brakes run into their
    stops: that is said when the law is made.

    Parameters
    ----------
    model, state
        The robot with what it has caught, and the state that it starts from.
    torque : float
        Largest length of the torque on the base [N m].
    time_constant : float
        Below torque × time_constant, L falls by a factor of e in this time [s].
    joints : names, optional
        Joints that brake; all but wheels if left out.
    joint_limit : float or (rates,)
        Largest force of a brake [N m, N].
    joint_time_constant : float
        In which their rates fall by a factor of e [s], with the inertia that each feels in the state.
    through : dict, optional
        As in `attitude_hold`: wheels take the momentum, thrusters carry it away; torques from outside if left out.
    on_overrun : 'warn', 'stop' or 'ignore'
        What happens if a joint would need more than the way up to its limit to stop: a warning, an error, nothing.
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1], base_rate=[0.02, -0.01, 0.03], qd=[0.1] * 6)
    >>> law = sd.control.post_capture(robot, start, torque=10.0, joint_limit=50.0)
    >>> run = sd.simulate(robot, start, 60.0, laws=[law], record=1.0)
    >>> bool(abs(run.final.u[3:]).max() < 1e-4)
    True
    >>> bool(np.linalg.norm(run["base_wrench"][:, 3:], axis=1).max() < 10.0 + 1e-9)
    True
    """
    name = "post_capture"
    check(name, model, state)
    free_base(name, model)
    way = outlet(name, model, state, through, period)
    rates, kd, most = _brakes(name, model, state, joints, joint_limit, joint_time_constant, way.wheels)
    allowed = choice(name, "on_overrun", on_overrun, ("warn", "stop", "ignore"))
    for problem in _overruns(model, state, rates, kd, most) if allowed != "ignore" else []:
        if allowed == "stop":
            raise InputError(f"{name}: {problem}")
        warn_user(f"{name}: {problem}", RunWarning)
    lines = (
        "    momentum_torque(pointer(s.base_quaternion_xyzw), pointer(s.angular_momentum), pointer(s.qd),"
        " pointer(p.settings), pointer(w))\n"
        "    for i in range(p.rates.size):\n"
        "        k = int(p.rates[i])\n"
        "        out.tau[k] = min(max(-p.kd[i] * s.qd[k], -p.most[i]), p.most[i])\n"
    )
    strongest = number(name, "torque", torque, least=1e-12)
    slow = number(name, "time_constant", time_constant, least=1e-9)
    return law_through(name, lines, [cores.momentum_torque], way)(
        **way.parameters,
        room=cores.ROOM + way.room,
        settings=[strongest, slow, *wheel_table(name, model, state, way.wheels, np.zeros(len(way.wheels)))],
        rates=rates - model.base_dof,
        kd=kd,
        most=most,
        period=period,
        delay=delay,
    )


def _brakes(
    law: str, model: Model, state: State, joints: Any, limit: Any, slow: float, wheels: Sequence[str]
) -> tuple[Array, Array, Array]:
    """Rates, as in u, of joints that brake; their gains and limits."""
    named = [joints] if isinstance(joints, str) else joints
    moving = [joint for joint in model.joints if joint.nv > 0 and joint.name not in wheels]
    chosen = moving if named is None else [model.joint(one) for one in named]
    rates = [model.base_dof + k for joint in chosen for k in range(*model.qd_slice(joint.name).indices(model.nv))]
    time = number(law, "joint_time_constant", slow, least=1e-9)
    felt = np.diag(reduced_at(model, state, rates)[0]) if rates else np.empty(0)
    most = numbers(law, "joint_limit", limit, max(len(rates), 1), least=0.0)[: len(rates)]
    return np.array(rates, dtype=int), felt / time, most


def _overruns(model: Model, state: State, rates: Array, kd: Array, most: Array) -> list[str]:
    """Joints whose brakes need more way than there is to their limits."""
    found = []
    felt = np.diag(reduced_at(model, state, rates.tolist())[0]) if len(rates) else np.empty(0)
    for joint in model.joints:
        if joint.nv != 1:
            continue
        at = np.flatnonzero(rates == model.base_dof + model.qd_slice(joint.name).start)
        if not at.size or not most[at[0]] > 0.0:
            continue
        q, speed = float(state.q[model.q_slice(joint.name)][0]), float(state.qd[model.qd_slice(joint.name)][0])
        edge = joint.upper[0] if speed > 0.0 else joint.lower[0]
        strongest, gain = float(most[at[0]]), float(kd[at[0]])
        slow = min(abs(speed), strongest / gain)  # below this speed the brake is below its limit
        way = abs(float(edge) - q)
        needed = 0.5 * felt[at[0]] * (speed**2 - slow**2) / strongest + felt[at[0]] / gain * slow
        if np.isfinite(way) and needed > way:
            found.append(
                f"joint '{joint.name}' moves by {speed:.3g} and {strongest:g} N m stop it after {needed:.3g}, but "
                f"its limit is {way:.3g} away; it will run into its stop: catch it slower, or brake harder"
            )
    return found
