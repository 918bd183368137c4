"""Ready-made model-based laws: computed torque, and endpoint control by the generalized Jacobian."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...motion.trajectories import Trajectory, sample, waypoints
from ...quantities.kinematics import endpoint_pose
from ...signatures import checked_arguments
from ..law import Law, law
from .arguments import MEANT, Joints, called, check, number
from .plant import joint_forces, plant, recoil, solve, terms


@law
@called("computed_torque")
def _computed_torque(t: float, s: Any, p: Any, out: Any) -> None:
    H, c, _ = terms(
        p.plant_tree, p.plant_par, p.plant_sizes, p.plant_base,
        s.base_position, s.base_quaternion_xyzw, s.q, s.base_velocity, s.base_rate, s.qd, -1,
    )  # fmt: skip
    wanted = np.zeros(s.qd.size)
    for i in range(p.joints.shape[1]):
        q, qd = int(p.joints[0, i]), int(p.joints[1, i])
        error, rate = sample(p.path, t, i) - s.q[q], sample(p.path, t, i, 1) - s.qd[qd]
        wanted[qd] = sample(p.path, t, i, 2) + p.bandwidth**2 * error + 2.0 * p.damping * p.bandwidth * rate
    tau = joint_forces(H, c, int(p.plant_sizes[2]), wanted)
    for i in range(tau.size):
        out.tau[i] = tau[i]


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
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """All joints follow a path through waypoints, by inverse dynamics of the whole robot with its base free.

    q̈ = path'' + ω² (path - q) + 2 ζ ω (path' - q̇), and the forces that give it while nothing pushes the base: errors
    die away as those of independent oscillators.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    times, values, kind, stop
        As in `joint_path`, of all joints.
    bandwidth, damping : float
        ω [rad/s] and ζ of the error.
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
    check("computed_torque", model, state)
    chosen = Joints("computed_torque", model)
    return _computed_torque(
        **plant(model, gravity),
        joints=chosen.table,
        path=chosen.path(times, values, kind, stop),
        bandwidth=number("computed_torque", "bandwidth", bandwidth, least=0.0),
        damping=number("computed_torque", "damping", damping, least=0.0),
        period=period,
        delay=delay,
    )


@law
@called("endpoint_path")
def _endpoint(t: float, s: Any, p: Any, out: Any) -> None:
    e, held, n = int(p.endpoint), int(p.plant_sizes[2]), s.qd.size
    H, c, J = terms(
        p.plant_tree, p.plant_par, p.plant_sizes, p.plant_base,
        s.base_position, s.base_quaternion_xyzw, s.q, s.base_velocity, s.base_rate, s.qd, e,
    )  # fmt: skip
    rows = int(p.rows)  # 3: position alone, 6: attitude too
    wanted = np.zeros(6)
    for k in range(3):
        error = sample(p.path, t, k) - s.endpoints[e, k]
        wanted[k] = sample(p.path, t, k, 1) + p.bandwidth * error
    for k in range(3):  # half of the sum of axis x wanted axis is the rotation vector, near it
        a, b = (k + 1) % 3, (k + 2) % 3
        turn = 0.0
        for axis in range(3):
            turn += s.endpoints[e, 3 + 3 * a + axis] * p.attitude[b, axis]
            turn -= s.endpoints[e, 3 + 3 * b + axis] * p.attitude[a, axis]
        wanted[3 + k] = 0.5 * p.bandwidth * turn
    R = recoil(H, held)
    G = np.empty((rows, n))  # the generalized Jacobian, and what momentum adds
    for i in range(rows):
        for j in range(n):
            G[i, j] = J[i, held + j]
            for k in range(held):
                G[i, j] += J[i, k] * R[k, j]
        wanted[i] -= s.endpoints[e, 12 + i]
        for j in range(n):
            wanted[i] += G[i, j] * s.qd[j]
    A, twist = np.empty((rows, rows)), np.empty((rows, 1))
    for i in range(rows):
        for j in range(rows):
            A[i, j] = p.smoothing**2 if i == j else 0.0
            for k in range(n):
                A[i, j] += G[i, k] * G[j, k]
        twist[i, 0] = wanted[i]
    x = solve(A, twist)
    gain = np.empty(n)
    for j in range(n):
        rate = 0.0
        for i in range(rows):
            rate += G[i, j] * x[i, 0]
        gain[j] = p.rate_bandwidth * (rate - s.qd[j])
    tau = joint_forces(H, c, held, gain)
    for i in range(n):
        out.tau[i] = tau[i]


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
        Damping of the inverse near singular poses [m].
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
    path: Trajectory = waypoints(times, positions, stop=stop)
    if path.coefficients.shape[1] != 3:
        raise InputError(f"{name}: positions must have three columns, got {path.coefficients.shape[1]}")
    if relative:
        path.coefficients[:, :, -1] += pose.position
    return _endpoint(
        **plant(model, gravity),
        endpoint=model.endpoint_index(endpoint),
        path=path,
        attitude=pose.rotation,
        rows=6 if attitude == "hold" else 3,
        bandwidth=number(name, "bandwidth", bandwidth, least=0.0),
        rate_bandwidth=number(name, "rate_bandwidth", rate_bandwidth, least=0.0),
        smoothing=number(name, "smoothing", smoothing, least=1e-12),
        period=period,
        delay=delay,
    )
