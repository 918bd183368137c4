"""Ready-made laws of the whole robot: joints that leave the base alone, base and arm together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...motion.endpoint_paths import EndpointPath
from ...signatures import checked_arguments
from ..law import Law, LawTemplate
from .arguments import MEANT, Joints, check, free_base, number
from .base import wanted_attitude
from .cores import whole_body as cores
from .cores.places import AT_F
from .endpoint import settings
from .leading import STATES, Driven, Led, chain_to, law_around
from .plant import command, look, pointer, tally
from .wheels import check_wheels, motor_names

Array = np.ndarray
BASE_SHARE = 1e-4  # joints move a heavy base about some axes a thousand times less than about others
_TO_ENDPOINT = law_around(cores.base_and_endpoint, "reactionless")
_TO_JOINTS = law_around(cores.base_and_joints, "reactionless")


def _base_settings(law: str, bandwidth: float, damping: float, wanted: Array) -> Array:
    """Gains of the base's attitude, and the attitude."""
    omega, zeta = number(law, "base_bandwidth", bandwidth, least=0.0), number(law, "base_damping", damping, least=0.0)
    return np.array([omega**2, 2.0 * zeta * omega, *wanted])


def _endpoint_settings(led: Led, bandwidth: float, damping: float, posture: float, **thresholds: float) -> Array:
    omega, zeta = number(led.law, "bandwidth", bandwidth, least=0.0), number(led.law, "damping", damping, least=0.0)
    keep = number(led.law, "posture", posture, least=0.0)
    gains = {"KP": np.full(6, omega**2), "KD": np.full(6, 2.0 * zeta * omega)}
    return settings(led.size, led.home, POSTURE=keep, **gains, **thresholds)


def base_rows(driven: Driven, reaction: Array) -> Array:
    """(rows, joints) the base's angular acceleration for accelerations of driven joints."""
    model = driven.model
    return reaction[model.base_dof - (1 if model.base_kind == "planar" else 3) : model.base_dof]


@checked_arguments(**MEANT)
def reactionless(
    model: Model,
    state: State,
    *,
    endpoint: str | None = None,
    path: EndpointPath | Mapping[str, Any] | None = None,
    follow: Iterable[str] | None = ("x", "y", "z"),
    times: ArrayLike | None = None,
    values: ArrayLike | None = None,
    bandwidth: float = 2.0,
    damping: float = 1.0,
    posture: float = 0.5,
    base_bandwidth: float = 2.0,
    base_damping: float = 1.0,
    singular: float | None = None,
    on_singular: str = "damp",
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Reactionless motion: an endpoint or joints follow a path so that the base keeps its attitude.

    The base comes first: joint accelerations q̈ are such that its angular acceleration, R q̈ + b, holds the attitude.
    What they can do beside that, the reaction null space, follows the path: with 6 joints three directions of an
    endpoint. Nenchev, Umetani & Yoshida (1992). It moves no wheel and burns nothing. It cannot go where the null space
    does not lead: where an endpoint or joints ask for more, they are left behind and the base stays.

    Parameters
    ----------
    model, state, singular, on_singular, joints, others, gravity, period, delay
        As in `resolved_rate`; all joints that move are driven if a path of joints is given and none are named.
    endpoint, path, follow
        As in `resolved_rate`; or instead of them:
    times, values
        Waypoints of the driven joints, as in `joint_path`: they are followed as far as the base does not notice.
    bandwidth, damping : float
        ω [rad/s] and ζ of the endpoint's error.
    posture : float
        Bandwidth [rad/s] of what is left then: the way back to where joints start, or their path.
    base_bandwidth, base_damping : float
        ω [rad/s] and ζ with which the base keeps the attitude of the state.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    >>> line = {"kind": "line", "by": [0.01, 0.01, -0.01], "duration": 10.0}
    >>> law = sd.control.reactionless(robot, start, endpoint="hand", path=line)
    >>> run = sd.simulate(robot, start, 10.0, laws=[law])
    >>> hand = run.endpoint("hand").position
    >>> bool(abs(hand[-1] - hand[0] - [0.01, 0.01, -0.01]).max() < 1e-6)
    True
    >>> bool(run.states.base_attitude.magnitude().max() < 1e-10)
    True
    """
    name = "reactionless"
    check(name, model, state)
    if (
        (endpoint is None) == (times is None)
        or (endpoint is None) != (path is None)
        or (times is None) != (values is None)
    ):
        raise InputError(f"{name}: give either an endpoint and its path, or times and values of joints")
    turning_base(name, model)
    base = _base_settings(name, base_bandwidth, base_damping, state.base_quaternion_xyzw)
    if endpoint is not None:
        led = Led(name, model, state, endpoint, path, follow, joints, others)
        rows = base_rows(led, led.reaction)
        led.check_rank(len(rows))
        first, epsilon = led.threshold(None, rows, BASE_SHARE), led.threshold(singular, led.map)
        return _TO_ENDPOINT(
            **led.parameters(gravity),
            **led.common(cores.base_and_endpoint, on_singular, first, rows, period),
            settings=np.append(
                _endpoint_settings(led, bandwidth, damping, posture, FIRST=first, EPSILON=epsilon), base
            ),
            period=period,
            delay=delay,
        )
    chosen = Joints(name, model, joints)
    driven = Driven(name, model, state, chosen.names, others)
    rows = base_rows(driven, driven.reaction)
    epsilon, keep = driven.threshold(singular, rows, BASE_SHARE), number(name, "posture", posture, least=0.0)
    return _TO_JOINTS(
        **driven.plant(gravity),
        **driven.common(cores.base_and_joints, on_singular, epsilon, rows, period),
        settings=np.append(settings(driven.size, FIRST=epsilon, POSTURE=keep), base),
        path=chosen.path(times, values),
        period=period,
        delay=delay,
    )


def turning_base(law: str, model: Model) -> None:
    """Raise unless the base can turn."""
    if model.base_kind == "fixed":
        raise InputError(f"{law}: the base of '{model.name}' is fixed; it keeps its attitude by itself")


_SOURCE = """
def coordinated(t, s, p, out):
    n, w = look(p.plan, p.par, s.base_position, s.base_quaternion_xyzw, s.q, s.base_velocity, s.base_rate, s.qd)
    core(t, pointer(n), pointer(w), pointer(p.settings), pointer(p.path))
    tally(n, w, p.stop, p.step, s.damped, s.limited, out.damped, out.limited)
    command(n, w, out.tau, int(p.arm))
"""
_TORQUE = """    for i in range(3):
        out.base_wrench[3 + i] = w[n[AT_F] + int(p.arm) + i]
"""
_MOTOR = "    out.{motor}.torque[0] = w[n[AT_F] + int(p.arm) + {i}]\n"


@lru_cache(maxsize=64)
def _coordinated(motors: tuple[str, ...]) -> Callable:
    """The law's function for wheels with motors of these names; without any, for torques on the base from outside."""
    space: dict[str, Any] = {"look": look, "core": cores.base_and_endpoint, "pointer": pointer, "tally": tally}
    space |= {"command": command, "AT_F": AT_F}
    lines = "".join(_MOTOR.format(i=i, motor=motor) for i, motor in enumerate(motors)) or _TORQUE
    exec(compile(_SOURCE + lines, "<coordinated>", "exec"), space)
    function: Callable = space["coordinated"]
    function.__module__ = __name__
    return function


@checked_arguments(**MEANT)
def coordinated(
    model: Model,
    state: State,
    *,
    endpoint: str,
    path: EndpointPath | Mapping[str, Any],
    wheels: Sequence[str] = (),
    motors: Sequence[str] | None = None,
    follow: Iterable[str] | None = None,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    bandwidth: float = 2.0,
    damping: float = 1.0,
    posture: float = 0.5,
    base_bandwidth: float = 0.5,
    base_damping: float = 1.0,
    singular: float | None = None,
    on_singular: str = "damp",
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Base and arm together: an endpoint follows its path while wheels, or torques from outside, hold or turn the base.

    One inverse dynamics for all: wheels give the arm's reaction before the base moves, and the arm knows how the base
    turns. It cannot know what motors do not give: where they saturate, both are off until feedback has them back.

    Parameters
    ----------
    model, state, endpoint, path, follow, singular, on_singular, joints, others, gravity, period, delay
        As in `resolved_rate`.
    wheels : list of str
        Revolute joints, three or more, whose axes span space. None: torques on the base from outside.
    motors : list of str, optional
        Names of the motors in these joints; `motor_<joint>`, as `sd.Motor` calls itself, if left out.
    target_xyzw, target_rpy_xyz_deg
        Attitude of the base, as in `attitude_hold`; that of the state if left out.
    bandwidth, damping, posture : float
        As in `resolved_acceleration`.
    base_bandwidth, base_damping : float
        ω [rad/s] and ζ of the base's attitude.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    >>> line = {"kind": "line", "by": [0.1, 0.2, -0.1], "duration": 10.0}
    >>> run = sd.simulate(robot, start, 10.0, laws=[sd.control.coordinated(robot, start, endpoint="hand", path=line)])
    >>> hand = run.endpoint("hand").position
    >>> bool(abs(hand[-1] - hand[0] - [0.1, 0.2, -0.1]).max() < 1e-6), bool(run.final.base_attitude.magnitude() < 1e-9)
    (True, True)
    """
    name = "coordinated"
    check(name, model, state)
    free_base(name, model)
    between = chain_to(model, model.endpoints[model.endpoint_index(endpoint)].body)
    arm = between if joints is None else [joints] if isinstance(joints, str) else list(joints)
    named = check_wheels(name, model, state, wheels) if len(wheels) else []
    if set(named) & set(arm):
        raise InputError(f"{name}: '{sorted(set(named) & set(arm))[0]}' is among the joints of the arm and the wheels")
    led = Led(name, model, state, endpoint, path, follow, [*arm, *named], others)
    count = led.size - len(named)
    led.places[count:] = [-1] * len(named)  # a wheel's angle says nothing
    if not named:
        led.drive_base()
    rows = base_rows(led, led.reaction)
    led.check_rank(len(rows))
    stacked = np.vstack([rows, led.map])
    first, epsilon = led.threshold(None, rows, BASE_SHARE), led.threshold(singular, led.map[:, :count])
    wanted = wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg)
    template = LawTemplate(_coordinated(motor_names(name, named, motors) if named else ()), states=STATES)
    return template(
        **led.parameters(gravity),
        **led.common(cores.base_and_endpoint, on_singular, epsilon, stacked, period),
        settings=np.append(
            _endpoint_settings(led, bandwidth, damping, posture, FIRST=first, EPSILON=epsilon),
            _base_settings(name, base_bandwidth, base_damping, wanted),
        ),
        arm=count,
        period=period,
        delay=delay,
    )
