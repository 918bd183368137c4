"""Ready-made laws that lead an endpoint of a robot whose base recoils: by joint rates, or by accelerations."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...model.model import Model
from ...model.state import State
from ...motion.endpoint_paths import EndpointPath
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, choice, number
from .cores import endpoint as cores
from .leading import Led, law_around

Array = np.ndarray
_RATE = law_around(cores.resolved_rate, "resolved_rate")
_ACCELERATION = law_around(cores.resolved_acceleration, "resolved_acceleration")


def settings(size: int, home: Array | float = 0.0, **values: Any) -> Array:
    """The settings of the C functions, by name; what is not named is zero."""
    made = np.zeros(cores.HOME + size)
    made[cores.HOME :] = home
    made[cores.FASTEST] = 1e12
    for name, value in values.items():
        at = getattr(cores, name)
        made[at : at + np.size(value)] = value
    return made


@checked_arguments(**MEANT)
def resolved_rate(
    model: Model,
    state: State,
    *,
    endpoint: str,
    path: EndpointPath | Mapping[str, Any],
    follow: Iterable[str] | None = None,
    jacobian: str = "generalized",
    bandwidth: float = 1.0,
    rate_bandwidth: float = 20.0,
    rate_limit: float = 1e12,
    singular: float | None = None,
    on_singular: str = "damp",
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Resolved motion rate control: joint rates q̇ = J# (v + k e - drift) by the inverse of a Jacobian.

    With the generalized Jacobian the recoil of the base is in it, and what momentum or other joints do to the endpoint
    is measured and taken off (drift). With the fixed base's Jacobian the law believes that the base stands still: for
    comparison. Umetani & Yoshida (1989). Rates lag: the endpoint is behind by about (1/rate_bandwidth) of its changes
    of speed; `resolved_acceleration` does not lag.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    endpoint : str
        Its name.
    path : EndpointPath or dict
        Where it is to go: `sd.endpoint_line`, `sd.endpoint_screw`, `sd.endpoint_waypoints`; or a table such as
        `{kind = "line", by = [0.1, 0, 0], duration = 5.0}`, which begins where the endpoint is in the state.
    follow : names, optional
        Directions that it follows, of x, y, z, rx, ry, rz (inertial axes); all, or x, y, rz of a planar robot.
    jacobian : 'generalized' or 'fixed'
        Whether the base's recoil is known to the law.
    bandwidth, rate_bandwidth : float
        Of the endpoint's error, and of the loop over joint rates [1/s].
    rate_limit : float
        Largest joint rate that it asks for [rad/s, m/s]; beyond it all are slowed down alike.
    singular : float, optional
        Singular values σ of the Jacobian below this are inverted as σ/singular² [m or rad per rad]; 1/500 of the
        largest in the state if left out.
    on_singular : 'damp' or 'stop'
        Whether to go on near singular poses, with errors where the arm cannot follow, or to end the run.
    joints : names, optional
        Those that it drives; those between endpoint and base if left out.
    others : 'free' or 'held'
        Whether all other joints react (wheels, panels), or are held by other laws.
    gravity : (3,), optional
        What the simulation has [m/s²].
    period, delay : float, optional
        Of a sampled law [s].

    Returns
    -------
    Law
        Its states `damped` and `limited` are how long it was near a singular pose, and slowed down by `rate_limit` [s]:
        a second counts by 1 - (σ/singular)² of the least singular value, and by the share of the rates that was cut.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    >>> line = {"kind": "line", "by": [0.1, 0.2, -0.1], "duration": 10.0}
    >>> run = sd.simulate(robot, start, 15.0, laws=[sd.control.resolved_rate(robot, start, endpoint="hand", path=line)])
    >>> hand = run.endpoint("hand").position
    >>> bool(abs(hand[-1] - hand[0] - [0.1, 0.2, -0.1]).max() < 1e-3), float(run["resolved_rate0.damped"][-1, 0])
    (True, 0.0)
    """
    name = "resolved_rate"
    led = Led(name, model, state, endpoint, path, follow, joints, others)
    led.check_rank()
    floating = choice(name, "jacobian", jacobian, ("generalized", "fixed")) == "generalized"
    A = led.map if floating else led.jacobian[np.ix_(led.rows, led.active)]
    epsilon = led.threshold(singular, A)
    return _RATE(
        **led.parameters(gravity),
        **led.common(cores.resolved_rate, on_singular, epsilon, A, period),
        settings=settings(
            led.size,
            EPSILON=epsilon,
            FASTEST=number(name, "rate_limit", rate_limit, least=1e-12),
            GENERALIZED=float(floating),
            SERVO=number(name, "rate_bandwidth", rate_bandwidth, least=0.0),
            KP=np.full(6, number(name, "bandwidth", bandwidth, least=0.0)),
        ),
        period=period,
        delay=delay,
    )


@checked_arguments(**MEANT)
def resolved_acceleration(
    model: Model,
    state: State,
    *,
    endpoint: str,
    path: EndpointPath | Mapping[str, Any],
    follow: Iterable[str] | None = None,
    bandwidth: float = 2.0,
    damping: float = 1.0,
    posture: float = 0.5,
    singular: float | None = None,
    on_singular: str = "damp",
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Resolved acceleration control by the generalized Jacobian: q̈ = J# (a_wanted + kd ė + kp e - a).

    a is what the endpoint does by itself, J̇ u and the recoil of a robot with momentum included; so errors die away as
    ë + 2 ζ ω ė + ω² e = 0, and an endpoint that starts on its path stays on it. Luh, Walker & Paul (1980), with the
    base free. Where joints are left over, they keep their posture. It cannot follow through a singular pose, nor while
    others push the robot.

    Parameters
    ----------
    model, state, endpoint, path, follow, singular, on_singular, joints, others, gravity, period, delay
        As in `resolved_rate`.
    bandwidth, damping : float
        ω [rad/s] and ζ of the error.
    posture : float
        Bandwidth [rad/s] with which joints go back to where they start, as far as the endpoint does not notice.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    >>> pose = sd.endpoint_pose(robot, start, "hand")
    >>> about = {"point": pose.position + [0.2, 0, 0], "axis": [0, 0, 1], "angle": -0.3}
    >>> screw = sd.endpoint_screw(*pose[:2], **about, duration=10.0)
    >>> law = sd.control.resolved_acceleration(robot, start, endpoint="hand", path=screw)
    >>> run = sd.simulate(robot, start, 10.0, laws=[law])
    >>> bool(abs(run.endpoint("hand").position[-1] - screw.at(10.0).position).max() < 1e-6)
    True
    """
    name = "resolved_acceleration"
    led = Led(name, model, state, endpoint, path, follow, joints, others)
    led.check_rank()
    omega, zeta = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    epsilon = led.threshold(singular, led.map)
    return _ACCELERATION(
        **led.parameters(gravity),
        **led.common(cores.resolved_acceleration, on_singular, epsilon, led.map, period),
        settings=settings(
            led.size,
            led.home,
            EPSILON=epsilon,
            POSTURE=number(name, "posture", posture, least=0.0),
            KP=np.full(6, omega**2),
            KD=np.full(6, 2.0 * zeta * omega),
        ),
        period=period,
        delay=delay,
    )
