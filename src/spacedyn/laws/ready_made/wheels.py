"""Ready-made laws that command the motors of reaction wheels, which are joints of the robot."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...quantities.kinematics import forward_kinematics
from ...signatures import checked_arguments
from ..law import Law, LawTemplate
from .arguments import MEANT, Joints, check, free_base, number
from .base import attitude_error, axes_of, into, turned_inertia, wanted_attitude

_SOURCE = """
def wheel_motor_attitude_hold(t, s, p, out):
    R = axes_of(s.base_quaternion_xyzw)
    spin, error = into(R, s.base_rate), attitude_error(s.base_quaternion_xyzw, p.target)
    torque = np.empty(3)
    for i in range(3):
        torque[i] = p.kp[i] * error[i] - p.kd[i] * spin[i]
"""
_LINE = "    out.{motor}.torque[0] = shared_out(p.share, {i}, torque)\n"


@numba.njit
def shared_out(share, i, torque):  # type: ignore[no-untyped-def]
    """The torque of motor i for a torque (3,) on the base."""
    return share[i, 0] * torque[0] + share[i, 1] * torque[1] + share[i, 2] * torque[2]


@lru_cache(maxsize=64)
def _function(motors: tuple[str, ...]) -> Callable:
    """The law's function for motors of these names: its code names each of them as an attribute of `out`."""
    space: dict[str, Any] = {"np": np, "axes_of": axes_of, "into": into, "attitude_error": attitude_error}
    space["shared_out"] = shared_out
    lines = "".join(_LINE.format(i=i, motor=motor) for i, motor in enumerate(motors))
    exec(compile(_SOURCE + lines, "<wheel_motor_attitude_hold>", "exec"), space)
    function: Callable = space["wheel_motor_attitude_hold"]
    function.__module__ = __name__
    return function


def wheel_axes(model: Model, state: State, wheels: Sequence[str]) -> np.ndarray:
    """(3, wheels) unit vectors that wheels turn about, in base axes, as they are in a state."""
    turned = forward_kinematics(model, state).bodies.rotation
    columns = []
    for name in wheels:
        joint = model.joint(name)
        parent = turned[model.body_index(joint.parent)]
        columns.append(turned[0].T @ parent @ joint.rotation @ joint.axis)
    return np.column_stack(columns)


@checked_arguments(**MEANT)
def wheel_motor_attitude_hold(
    model: Model,
    state: State,
    *,
    wheels: Sequence[str],
    motors: Sequence[str] | None = None,
    target_xyzw: ArrayLike | None = None,
    target_rpy_xyz_deg: ArrayLike | None = None,
    bandwidth: float = 0.1,
    damping: float = 1.0,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Turn the base to an attitude and hold it there by the motors of reaction wheels, which are joints of the robot.

    The torque that the base is to feel is shared out by the pseudoinverse of the wheels' axes, so that the sum of the
    squares of the motors' torques is smallest. `Builder.wheel` makes wheels, `sd.Motor` motors, which saturate as they
    do; momentum and energy of the wheels are in the ledger.

    Parameters
    ----------
    model, state
        The robot, and the state that it starts from.
    wheels : list of str
        Revolute joints, three or more, whose axes span space; axes as they are in the state.
    motors : list of str, optional
        Names of the motors in these joints; `motor_<joint>`, as `sd.Motor` calls itself, if left out.
    target_xyzw, target_rpy_xyz_deg, bandwidth, damping, period, delay
        As in `attitude_hold`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("satellite")
    >>> b.base("bus", mass=200.0, inertia=(20.0, 25.0, 30.0))
    >>> for name, axis in {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.items():
    ...     b.wheel(name, on="bus", axis=axis, mass=3.0, inertia=0.02)
    >>> robot = b.build()
    >>> start = robot.state(base_rate=[0.01, 0.0, -0.02])
    >>> law = sd.control.wheel_motor_attitude_hold(robot, start, wheels=["x", "y", "z"], target_rpy_xyz_deg=[5, 0, 9])
    >>> motors = [sd.Motor(name, stall_torque=0.1) for name in ("x", "y", "z")]
    >>> run = sd.simulate(robot, start, 200.0, laws=[law], elements=motors)
    >>> run.final.base_attitude.as_euler("XYZ", degrees=True).round(2).tolist()
    [5.0, 0.0, 9.0]
    """
    name = "wheel_motor_attitude_hold"
    check(name, model, state)
    free_base(name, model)
    named = check_wheels(name, model, state, wheels)
    axes = wheel_axes(model, state, named)
    felt = turned_inertia(model, state)
    omega, ratio = number(name, "bandwidth", bandwidth, least=0.0), number(name, "damping", damping, least=0.0)
    return LawTemplate(_function(motor_names(name, named, motors)))(
        target=wanted_attitude(name, state, target_xyzw, target_rpy_xyz_deg),
        kp=felt * omega**2,
        kd=2.0 * felt * ratio * omega,
        share=-np.linalg.pinv(axes),  # what a motor gives to its wheel, the base feels with the other sign
        period=period,
        delay=delay,
    )


def check_wheels(law: str, model: Model, state: State, wheels: Sequence[str]) -> list[str]:
    """Names of wheels: revolute joints whose axes span space."""
    named = list(Joints(law, model, wheels).names)
    for one in named:
        if model.joint(one).kind != "revolute":
            raise InputError(f"{law}: wheels are revolute joints; '{one}' is {model.joint(one).kind}")
    if np.linalg.matrix_rank(wheel_axes(model, state, named), tol=1e-6) < 3:
        raise InputError(f"{law}: the axes of {', '.join(named)} do not span three dimensions; add another wheel")
    return named


def motor_names(law: str, wheels: Sequence[str], motors: Sequence[str] | None) -> tuple[str, ...]:
    """What the motors are called, one for each wheel."""
    if motors is None:
        return tuple("motor_" + "".join(c if c.isalnum() else "_" for c in wheel) for wheel in wheels)
    named = [motors] if isinstance(motors, str) else list(motors)
    if len(named) != len(wheels) or len(set(named)) != len(named):
        raise InputError(f"{law}: there are {len(wheels)} wheels; give each a motor of its own, got {named}")
    for one in named:
        if not (isinstance(one, str) and one.isidentifier()):
            raise InputError(f"{law}: the name of a motor is an identifier, got {one!r}")
    return tuple(named)
