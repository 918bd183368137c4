"""Ready-made control laws that are compiled into the simulation loop: for joints, endpoints, the base, thrusters.

    hold = sd.control.joint_hold(robot, start, target=[0.0] * 6, bandwidth=0.5)
    run = sd.simulate(robot, start, 30.0, laws=[hold])

Each takes the robot and the state that it starts from, then its parameters by name, and gives a law. Scenario files
name them.
"""

from collections.abc import Callable

from ..law import Law
from ..user_files import UserFile, from_file
from .attitude import attitude_hold, detumble, station_keeping
from .base import wheel_attitude_hold
from .endpoint import resolved_acceleration, resolved_rate
from .joint_pid import joint_pid
from .joints import joint_damping, joint_hold, joint_path, joint_round_trip, joint_torque
from .model_based import computed_torque, endpoint_path
from .momentum import post_capture, wheel_desaturation
from .motions import MOTIONS, swing
from .springs import impedance, transposed_jacobian
from .thrusters import thruster_attitude_hold, thruster_pulses
from .vibration import vibration_damping
from .wheels import wheel_motor_attitude_hold
from .whole_body import coordinated, reactionless

LAWS: dict[str, Callable[..., Law]] = {
    made.__name__: made
    for made in (
        attitude_hold,
        computed_torque,
        coordinated,
        detumble,
        endpoint_path,
        impedance,
        joint_damping,
        joint_hold,
        joint_path,
        joint_pid,
        joint_round_trip,
        joint_torque,
        post_capture,
        reactionless,
        resolved_acceleration,
        resolved_rate,
        station_keeping,
        thruster_attitude_hold,
        thruster_pulses,
        transposed_jacobian,
        vibration_damping,
        wheel_attitude_hold,
        wheel_desaturation,
        wheel_motor_attitude_hold,
    )
}
"""Ready-made laws by name."""

__all__ = [
    "LAWS",
    "MOTIONS",
    "UserFile",
    "attitude_hold",
    "computed_torque",
    "coordinated",
    "detumble",
    "endpoint_path",
    "from_file",
    "impedance",
    "joint_damping",
    "joint_hold",
    "joint_path",
    "joint_pid",
    "joint_round_trip",
    "joint_torque",
    "post_capture",
    "reactionless",
    "resolved_acceleration",
    "resolved_rate",
    "station_keeping",
    "swing",
    "thruster_attitude_hold",
    "thruster_pulses",
    "transposed_jacobian",
    "vibration_damping",
    "wheel_attitude_hold",
    "wheel_desaturation",
    "wheel_motor_attitude_hold",
]
