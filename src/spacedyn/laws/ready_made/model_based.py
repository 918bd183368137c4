"""Ready-made model-based laws: computed torque, and endpoint control by the generalized Jacobian."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...motion.endpoint_paths import endpoint_waypoints
from ...motion.trajectories import waypoints
from ...quantities.kinematics import endpoint_pose
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, Joints, check, number
from .cores import joint as cores
from .cores.endpoint import resolved_rate
from .endpoint import settings
from .leading import DIRECTIONS, Driven, Led, law_around

_COMPUTED = law_around(cores.computed_torque, "computed_torque")
_ENDPOINT = law_around(resolved_rate, "endpoint_path")


@checked_arguments(**MEANT)
def computed_torque(
    model: Model,
    state: State,
    *,
    times: ArrayLike,
    values: ArrayLike,
    kind: str = "quintic",
    stop: bool = False,
    bandwidth: float = 2.0,
    damping: float = 1.0,
    joints: Iterable[str] | None = None,
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Joints follow a path through waypoints, by inverse dynamics of the whole robot with its base free.

    q̈ = path'' + ω² (path - q) + 2 ζ ω (path' - q̇), and the forces that give it while nothing pushes the base: errors
    die away as those of independent oscillators.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    times, values, kind, stop
        As in `joint_path`, of these joints.
    bandwidth, damping : float
        ω [rad/s] and ζ of the error.
    joints : names, optional
        Those that it drives; all if left out.
    others : 'free' or 'held'
        Whether all other joints react (wheels, panels), or are held by other laws.
    gravity : (3,), optional
        What the simulation has [m/s²].
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> there = [0.9, 0.7, -1.1, 0.5, 0.6, 0.4]
    >>> law = sd.control.computed_torque(robot, start, times=[0, 10], values=[start.q, there])
    >>> run = sd.simulate(robot, start, 10.0, laws=[law])
    >>> bool(abs(run.final.q - there).max() < 1e-8)
    True
    """
    name = "computed_torque"
    check(name, model, state)
    chosen = Joints(name, model, joints)
    driven = Driven(name, model, state, chosen.names, others)
    omega, zeta = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    return _COMPUTED(
        **driven.plant(gravity),
        **driven.common(cores.computed_torque, "damp", 0.0, np.empty((0, 0)), period),
        settings=[omega, zeta],
        path=chosen.path(times, values, kind, stop),
        period=period,
        delay=delay,
    )


@checked_arguments(**MEANT)
def endpoint_path(
    model: Model,
    state: State,
    *,
    endpoint: str,
    times: ArrayLike,
    positions: ArrayLike,
    relative: bool = False,
    stop: bool = False,
    attitude: str = "hold",
    bandwidth: float = 1.0,
    rate_bandwidth: float = 10.0,
    smoothing: float = 1e-3,
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """An endpoint follows a path in inertial space while the base floats: resolved motion rate control.

    Joint rates come from the wanted velocity of the endpoint through the generalized Jacobian, whatever momentum the
    robot has; a loop over the rates makes them true, by inverse dynamics with the base free. Umetani & Yoshida (1989).

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    endpoint : str
        Its name.
    times : (points,)
        When [s].
    positions : (points, 3)
        Where [m], inertial axes.
    relative : bool
        Whether positions are counted from where the endpoint starts.
    stop : bool
        Whether it comes to rest at every waypoint.
    attitude : 'hold' or 'free'
        Whether the endpoint keeps the attitude that it starts with.
    bandwidth, rate_bandwidth : float
        Of the endpoint's error and of the loop over joint rates [1/s].
    smoothing : float
        Singular values σ of the Jacobian below this are inverted as σ/smoothing² [m or rad per rad].
    gravity : (3,), optional
        What the simulation has [m/s²].
    period, delay : float, optional
        Of a sampled law [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> path = {"times": [0, 10], "positions": [[0, 0, 0], [0.1, 0.2, -0.1]], "relative": True}
    >>> run = sd.simulate(robot, start, 15.0, laws=[sd.control.endpoint_path(robot, start, endpoint="hand", **path)])
    >>> hand = run.endpoint("hand").position
    >>> bool(abs(hand[-1] - hand[0] - [0.1, 0.2, -0.1]).max() < 1e-3)
    True
    """
    name = "endpoint_path"
    check(name, model, state)
    if attitude not in ("hold", "free"):
        raise InputError(f"{name}: attitude must be 'hold' or 'free', got {attitude!r}")
    pose = endpoint_pose(model, state, endpoint)
    where = waypoints(times, positions, stop=stop)
    if where.coefficients.shape[1] != 3:
        raise InputError(f"{name}: positions must have three columns, got {where.coefficients.shape[1]}")
    curve = endpoint_waypoints(*pose[:2], times=times, positions=positions, relative=relative, stop=stop)
    rows = DIRECTIONS if attitude == "hold" else DIRECTIONS[:3]
    led = Led(name, model, state, endpoint, curve, rows, [one.name for one in model.joints if one.nv > 0], "free")
    return _ENDPOINT(
        **led.parameters(gravity),
        **led.common(resolved_rate, "damp", 0.0, led.map, period),
        settings=settings(
            led.size,
            EPSILON=number(name, "smoothing", smoothing, least=1e-12),
            GENERALIZED=1.0,
            SERVO=number(name, "rate_bandwidth", rate_bandwidth, least=0.0),
            KP=np.full(6, number(name, "bandwidth", bandwidth, least=0.0)),
        ),
        period=period,
        delay=delay,
    )
