"""Ready-made motions for prescribed joints."""

import math
from typing import Any

from ...errors import InputError
from ...signatures import checked_arguments
from ..motion_functions import Motion
from ..motion_functions import motion as make_motion
from .arguments import called


@make_motion
@called("swing")
def _swing(t: float, p: Any, out: Any) -> None:
    angle = p.speed * t + p.phase
    out.value[0] = p.middle + p.size * (math.sin(angle) - p.lift)
    out.rate[0] = p.size * p.speed * math.cos(angle)
    out.acceleration[0] = -p.size * p.speed**2 * math.sin(angle)


@checked_arguments(amplitude="size", frequency="speed", offset="middle")
def swing(*, size: float, speed: float, phase: float = 0.0, middle: float = 0.0, from_rest: bool = False) -> Motion:
    """To and fro: middle + size sin(speed t + phase).

    Parameters
    ----------
    size : float
        [rad, m].
    speed : float
        [rad/s].
    phase : float
        [rad].
    middle : float
        [rad, m].
    from_rest : bool
        Whether it is shifted so that it is at `middle` when t is 0.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.control.swing(size=0.2, speed=1.5).at(0.0, 1).ravel().round(3).tolist()
    [0.0, 0.3, -0.0]
    """
    lift = math.sin(phase) if from_rest else 0.0
    made = _swing(size=size, speed=speed, phase=phase, middle=middle, lift=lift)
    if not isinstance(made, Motion):  # as the template says
        raise InputError("swing: not a motion")
    return made


MOTIONS = {"swing": swing}
"""Ready-made motions by name."""
