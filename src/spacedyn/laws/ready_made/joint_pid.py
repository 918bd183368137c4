"""Ready-made PID control of joints, with the robot's bias force compensated."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...motion.trajectories import table
from ...signatures import checked_arguments
from ..law import Law, LawTemplate
from .arguments import MEANT, Joints, check, number, numbers
from .cores import joint as cores
from .cores.linked import link
from .leading import Driven
from .plant import command, look, pointer

_MEANT = {name: meant for name, meant in MEANT.items() if name != "ki"}


def _joint_pid(t: float, s: Any, p: Any, out: Any) -> None:
    n, w = look(p.plan, p.par, s.base_position, s.base_quaternion_xyzw, s.q, s.base_velocity, s.base_rate, s.qd)
    core(t, pointer(n), pointer(w), pointer(p.settings), pointer(p.path), pointer(s.integral), pointer(out.integral))
    if p.step > 0.0:  # a sampled law has values of states, a continuous one their rates
        for i in range(s.integral.size):
            out.integral[i] = s.integral[i] + p.step * out.integral[i]
    command(n, w, out.tau, s.integral.size)


core = cores.joint_pid
_function: Callable = _joint_pid
_function.__name__ = "joint_pid"


@checked_arguments(**_MEANT)
def joint_pid(
    model: Model,
    state: State,
    *,
    target: ArrayLike | None = None,
    times: ArrayLike | None = None,
    values: ArrayLike | None = None,
    kind: str = "quintic",
    stop: bool = False,
    joints: Iterable[str] | None = None,
    bandwidth: float = 1.0,
    damping: float = 1.0,
    integral: float = 0.3,
    kp: ArrayLike | None = None,
    ki: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    limit: ArrayLike = 1e12,
    compensate: bool = True,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """PID control of joints with compensated bias: τ = bias + kp e + ki ∫e dt + kd ė, within limits.

    The bias is what the joints need at these rates while nothing accelerates them: gravity, velocity terms, springs,
    with base and other joints free to react. The integral removes a steady disturbance; while a force is at its limit
    and the error pushes on, the integral stands, so that it does not wind up. It cannot remove a disturbance that
    changes faster than `integral`, nor one beyond `limit`.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    target : (coordinates,), optional
        Where to [rad, m]; where they are in the state if left out. Or:
    times, values, kind, stop
        A path through waypoints, as in `joint_path`.
    joints : names, optional
        Which; all if left out.
    bandwidth, damping : float
        [rad/s], and the damping ratio: with the inertia that each joint feels in the state they give kp and kd.
    integral : float
        How fast a steady error is removed [1/s]: ki = integral × kp. Stable below 2 ζ ω.
    kp, ki, kd : float or (coordinates,), optional
        The gains themselves instead [N m/rad, N m/(rad s), N m s/rad].
    limit : float or (coordinates,)
        Largest force [N m, N].
    compensate : bool
        Whether the bias is added.
    others : 'free' or 'held'
        Whether all other joints react, or are held by other laws.
    gravity : (3,), optional
        What the simulation has [m/s²].
    period, delay : float, optional
        Of a sampled law [s].

    Returns
    -------
    Law
        Its state `integral` is ∫e dt of each joint [rad s, m s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ssrms")
    >>> start = robot.state(q=[0.1, 0.5, -0.3, 0.9, 0.2, 0.4, 0.1])
    >>> law = sd.control.joint_pid(robot, start, bandwidth=1.0, gravity=[0, 0, -9.81])
    >>> push = sd.Wrench(robot.body_names[-1], force=[20.0, 0, 5.0])  # which it does not know of
    >>> run = sd.simulate(robot, start, 90.0, laws=[law], elements=[push], gravity=[0, 0, -9.81], record=5.0)
    >>> bool(abs(run.final.q - start.q).max() < 1e-6)
    True
    """
    name = "joint_pid"
    check(name, model, state)
    chosen = Joints(name, model, joints)
    driven = Driven(name, model, state, chosen.names, others)
    if (times is None) != (values is None) or (times is not None and target is not None):
        raise InputError(f"{name}: give a target, or times and values, or neither to stay in place")
    if times is None:
        goal = chosen.values("target", target, state.q[chosen.places])
        path = table([0.0, 1.0], [goal, goal], "steps")
    else:
        path = chosen.path(times, values, kind, stop)
    gains = chosen.gains(state, bandwidth, damping, kp, kd)
    pull = number(name, "integral", integral, least=0.0) * gains["kp"]
    limits = numbers(name, "limit", limit, chosen.size, least=0.0)
    slow = pull if ki is None else numbers(name, "ki", ki, chosen.size, least=0.0)
    link(cores.joint_pid)
    return LawTemplate(_function, states={"integral": chosen.size})(
        **driven.plant(gravity),
        settings=np.concatenate([[float(compensate)], gains["kp"], slow, gains["kd"], limits]),
        path=path,
        step=0.0 if period is None else period,
        period=period,
        delay=delay,
    )
