"""Star trackers: the attitude of a body."""

from dataclasses import dataclass
from typing import ClassVar

from ..kernels.elements.kind import Kind
from ..kernels.elements.star_tracker import star_tracker
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .sensor import XYZW, MountedSensor, Place


@checked_fields("at", "rotation")
@dataclass(frozen=True, eq=False)
class StarTracker(MountedSensor):
    """A star tracker: its attitude in the inertial frame, `s.<name>.attitude`, a quaternion (x, y, z, w) with w >= 0.

    Its error is a rotation vector in its own axes [rad], of which `bias`, `noise` and `random_walk` have three numbers:
    a tracker that looks along its z axis is worse about z. A dead one reads zeros, which is no quaternion. `period`,
    `delay`, `rotation`, `misalignment` and faults are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> stars = sd.StarTracker(robot.body_names[0], period=0.25, noise=[2e-5, 2e-5, 2e-4], name="stars")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[stars], record=1.0)
    >>> run["stars.attitude"].shape, bool(abs(run["stars.attitude"] - [0, 0, 0, 1]).max() < 1e-3)
    ((2, 4), True)
    """

    at: Place

    channels: ClassVar[tuple[Block, ...]] = (Block("attitude", 4, "1", XYZW),)
    kernel: ClassVar[Kind] = star_tracker

    def numbers(self, model: Model) -> Numbers:
        """Its body; its axes on it."""
        body, axes, _ = self.mounted(model)
        return self.numbers_with((body,), axes.ravel())
