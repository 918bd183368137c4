"""Ready-made laws that pull an endpoint as springs and dampers do: impedance, and the transposed Jacobian."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...model.model import Model
from ...model.state import State
from ...motion.endpoint_paths import EndpointPath
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, choice, number, numbers
from .cores import endpoint as cores
from .endpoint import settings
from .leading import Led, law_around

_IMPEDANCE = law_around(cores.impedance, "impedance")
_TRANSPOSED = law_around(cores.transposed_jacobian, "transposed_jacobian")


@checked_arguments(**MEANT)
def impedance(
    model: Model,
    state: State,
    *,
    endpoint: str,
    path: EndpointPath | Mapping[str, Any],
    stiffness: ArrayLike,
    damping: ArrayLike | None = None,
    damping_ratio: float = 1.0,
    follow: Iterable[str] | None = None,
    posture: float = 0.5,
    singular: float | None = None,
    on_singular: str = "damp",
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Impedance of an endpoint: it follows its path, and gives way to a push F as a spring and a damper do.

    M (a - a_path) + D (v - v_path) + K (x - x_path) = F, with the inertia M = (J H⁻¹ J')⁻¹ that a push meets by itself,
    base included; so no force has to be measured, and a steady push moves the endpoint by F/K. Hogan (1985). It cannot
    change M, and where directions are left out the rest is soft.

    Parameters
    ----------
    model, state, endpoint, path, follow, singular, on_singular, joints, others, gravity, period, delay
        As in `resolved_rate`.
    stiffness : float or (6,)
        K [N/m, N m/rad], linear then angular, inertial axes.
    damping : float or (6,), optional
        D [N s/m, N m s/rad]; by `damping_ratio` and the inertia M in the state if left out.
    damping_ratio : float
        For that.
    posture : float
        As in `resolved_acceleration`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ssrms")
    >>> start = robot.state(q=[0.1, 0.5, -0.3, 0.9, 0.2, 0.4, 0.1])
    >>> stay = {"kind": "waypoints", "times": [0, 1], "positions": [[0, 0, 0]] * 2, "relative": True}
    >>> law = sd.control.impedance(robot, start, endpoint="hand", path=stay, stiffness=50.0, posture=0.1)
    >>> hand = robot.endpoints[robot.endpoint_index("hand")]
    >>> push = sd.Wrench(hand.body, force=[2.0, 0, 0], point=hand.position)
    >>> run = sd.simulate(robot, start, 400.0, laws=[law], elements=[push], record=100.0)
    >>> hand = run.endpoint("hand").position
    >>> (abs(hand[-1] - hand[0]) + 0.0).round(3).tolist()  # 2 N on a spring of 50 N/m
    [0.04, 0.0, 0.0]
    """
    name = "impedance"
    led = Led(name, model, state, endpoint, path, follow, joints, others)
    led.check_rank()
    K = numbers(name, "stiffness", stiffness, 6, least=0.0)
    ratio = number(name, "damping_ratio", damping_ratio, least=0.0)
    D = 2.0 * ratio * np.sqrt(K * led.felt) if damping is None else numbers(name, "damping", damping, 6, least=0.0)
    epsilon = led.threshold(singular, led.map)
    keep = number(name, "posture", posture, least=0.0)
    return _IMPEDANCE(
        **led.parameters(gravity),
        **led.common(cores.impedance, on_singular, epsilon, led.map, period),
        settings=settings(led.size, led.home, EPSILON=epsilon, POSTURE=keep, KP=K, KD=D),
        period=period,
        delay=delay,
    )


@checked_arguments(**MEANT)
def transposed_jacobian(
    model: Model,
    state: State,
    *,
    endpoint: str,
    path: EndpointPath | Mapping[str, Any],
    follow: Iterable[str] | None = None,
    jacobian: str = "generalized",
    bandwidth: float = 0.5,
    damping: float = 1.0,
    joint_damping: float = 0.0,
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Transposed generalized Jacobian: joint forces J' (K e + D ė) + bias, as if springs pulled the endpoint.

    Nothing is inverted, so no pose is singular to it. It brings the endpoint to a place and holds it there; it cannot
    keep a moving endpoint on its path, behind which it lags. Masutani, Miyazaki & Arimoto (1989); Papadopoulos &
    Dubowsky (1991).

    Parameters
    ----------
    model, state, endpoint, path, follow, jacobian, joints, others, gravity, period, delay
        As in `resolved_rate`.
    bandwidth, damping : float
        [rad/s] and damping ratio: with the inertia that joint forces meet at the endpoint in the state they give the
        gains, K = ω² Λ and D = 2 ζ ω Λ, which stay.
    joint_damping : float
        Brakes in the joints [N m s/rad, N s/m], for motions that the endpoint does not notice.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    >>> line = {"kind": "line", "by": [-0.1, 0.1, -0.1], "duration": 10.0}
    >>> law = sd.control.transposed_jacobian(robot, start, endpoint="hand", path=line)
    >>> hand = sd.simulate(robot, start, 60.0, laws=[law], record=10.0).endpoint("hand").position
    >>> bool(abs(hand[-1] - hand[0] - [-0.1, 0.1, -0.1]).max() < 1e-6)
    True
    """
    name = "transposed_jacobian"
    led = Led(name, model, state, endpoint, path, follow, joints, others)
    floating = choice(name, "jacobian", jacobian, ("generalized", "fixed")) == "generalized"
    omega, zeta = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    return _TRANSPOSED(
        **led.parameters(gravity),
        **led.common(cores.transposed_jacobian, "damp", 0.0, led.map, period),
        settings=np.append(
            settings(
                led.size,
                GENERALIZED=float(floating),
                KD=2.0 * zeta / max(omega, 1e-12),
                JOINT_DAMPING=number(name, "joint_damping", joint_damping, least=0.0),
            ),
            omega**2 * led.moved,
        ),
        period=period,
        delay=delay,
    )
