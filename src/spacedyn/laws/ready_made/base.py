"""Functions shared by laws of the base (attitude, error, inertia), and the law whose wheels are its own states."""

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...quantities.matrices import mass_matrix_blocks
from ...signatures import checked_arguments
from ..law import Law, law
from .arguments import MEANT, called, check, free_base, number, numbers

Array = np.ndarray


@numba.njit
def axes_of(quaternion):  # type: ignore[no-untyped-def]
    """(3, 3) base axes -> inertial axes."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    R = np.empty((3, 3))
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return R


@numba.njit
def attitude_error(quaternion, wanted):  # type: ignore[no-untyped-def]
    """(3,) rotation vector from an attitude to the wanted one, in the axes of the former; the shorter way round."""
    x, y, z, w = -quaternion[0], -quaternion[1], -quaternion[2], quaternion[3]
    error = np.empty(3)
    error[0] = w * wanted[0] + x * wanted[3] + y * wanted[2] - z * wanted[1]
    error[1] = w * wanted[1] - x * wanted[2] + y * wanted[3] + z * wanted[0]
    error[2] = w * wanted[2] + x * wanted[1] - y * wanted[0] + z * wanted[3]
    scalar = w * wanted[3] - x * wanted[0] - y * wanted[1] - z * wanted[2]
    size = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
    sign = 1.0 if scalar >= 0.0 else -1.0
    factor = 2.0 * sign if size < 1e-9 else 2.0 * sign * math.atan2(size, sign * scalar) / size
    for k in range(3):
        error[k] *= factor
    return error


@numba.njit
def into(R, v):  # type: ignore[no-untyped-def]
    """A vector (3,) of inertial axes in the axes R (3, 3)."""
    out = np.zeros(3)
    for i in range(3):
        for k in range(3):
            out[i] += R[k, i] * v[k]
    return out


def turned_inertia(model: Model, state: State) -> Array:
    """(3,) inertia of the robot, its joints locked, about the base's axes [kg m²]."""
    Hb = mass_matrix_blocks(model, state).Hb
    turning = Hb[-3:, -3:] - (Hb[-3:, :-3] @ np.linalg.solve(Hb[:-3, :-3], Hb[:-3, -3:]) if len(Hb) > 3 else 0.0)
    R = state.base_attitude.as_matrix()
    return np.diag(R.T @ turning @ R)


def wanted_attitude(law: str, state: State, target_xyzw: Any, target_rpy_xyz_deg: Any) -> Array:
    """(4,) the target's quaternion; the state's attitude if none is given."""
    if target_xyzw is not None and target_rpy_xyz_deg is not None:
        raise InputError(f"{law}: target_xyzw and target_rpy_xyz_deg say the same thing twice; leave one out")
    if target_rpy_xyz_deg is not None:
        angles = numbers(law, "target_rpy_xyz_deg", target_rpy_xyz_deg, 3)
        return Rotation.from_euler("XYZ", angles, degrees=True).as_quat()
    if target_xyzw is None:
        return np.array(state.base_quaternion_xyzw)
    quaternion = numbers(law, "target_xyzw", target_xyzw, 4)
    if abs(np.linalg.norm(quaternion) - 1.0) > 1e-6:
        raise InputError(f"{law}: target_xyzw must have length 1, got {np.linalg.norm(quaternion):g}")
    return quaternion / np.linalg.norm(quaternion)


@law(states={"wheel_momentum": 3})
@called("wheel_attitude_hold")
def _wheels(t: float, s: Any, p: Any, out: Any) -> None:
    R = axes_of(s.base_quaternion_xyzw)
    spin, error = into(R, s.base_rate), attitude_error(s.base_quaternion_xyzw, p.target)
    h = s.wheel_momentum
    for i in range(3):
        motor = min(max(p.kp[i] * error[i] - p.kd[i] * spin[i], -p.torque[i]), p.torque[i])
        if (h[i] >= p.capacity[i] and motor < 0.0) or (h[i] <= -p.capacity[i] and motor > 0.0):
            motor = 0.0  # saturated: the wheel cannot be spun up further
        out.wheel_momentum[i] = -motor
        a, b = (i + 1) % 3, (i + 2) % 3
        gyroscopic = spin[a] * h[b] - spin[b] * h[a]
        for k in range(3):
            out.base_wrench[3 + k] += R[k, i] * (motor - gyroscopic)


@checked_arguments(**MEANT)
def wheel_attitude_hold(
    model: Model,
    state: State,
    *,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    bandwidth: float = 0.1,
    damping: float = 1.0,
    torque: ArrayLike = 1e12,
    capacity: ArrayLike = 1e12,
) -> Law:
    """Turn the base to an attitude and hold it there by three reaction wheels along its axes.

    The wheels' angular momentum h [N m s] is a state of the law, `wheel_momentum`, in base axes; they turn the base by
    -ḣ - ω × h, so that robot and wheels together keep their angular momentum. Their inertia counts as the base's, and
    the ledger sees a torque from outside. Recommended instead: wheels that are joints (`Builder.wheel`), driven by
    `sd.Motor` and `wheel_motor_attitude_hold`, whose momentum, energy and limits the ledger holds.

    Parameters
    ----------
    model, state, target_xyzw, target_rpy_xyz_deg, bandwidth, damping
        As in `attitude_hold`.
    torque : float or (3,)
        Largest torque of a wheel's motor [N m].
    capacity : float or (3,)
        Largest momentum of a wheel [N m s]; beyond it there is no torque in that direction.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(base_rate=[0.001, 0.0, -0.002])
    >>> laws = [sd.control.wheel_attitude_hold(robot, start), sd.control.joint_hold(robot, start)]
    >>> run = sd.simulate(robot, start, 200.0, laws=laws)
    >>> bool(run.final.base_attitude.magnitude() < 1e-6)
    True
    """
    name = "wheel_attitude_hold"
    check(name, model, state)
    free_base(name, model)
    felt = turned_inertia(model, state)
    omega, ratio = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    return _wheels(
        target=wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg),
        kp=felt * omega**2,
        kd=2.0 * felt * ratio * omega,
        torque=numbers(name, "torque", torque, 3, least=0.0),
        capacity=numbers(name, "capacity", capacity, 3, least=0.0),
    )
