"""Sensors of relative pose: where one point is, seen from another."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels.elements.kind import Kind
from ..kernels.elements.relative_pose import relative_pose
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .sensor import XYZ, XYZW, MountedSensor, Place, place_of, point_with_axes


@checked_fields("at", "rotation", "target")
@dataclass(frozen=True, eq=False)
class RelativePose(MountedSensor):
    """A camera or lidar that sees a target: `s.<name>.position` (3) [m] is where it is, `.attitude` how it is turned.

    Both are in the sensor's own axes; the attitude is a quaternion (x, y, z, w) with w >= 0, from the target's axes to
    the sensor's. Its error has six components: three of position [m], then a rotation vector in the target's axes
    [rad]. `bias`, `noise`, `random_walk`, `period`, `delay`, `rotation`, `misalignment` and faults are those of every
    sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    target : str or (str, (3,))
        What it looks at, in the same way.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> eye = sd.RelativePose(robot.body_names[0], target=robot.endpoint_names[0], name="eye")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[eye], record=1.0)
    >>> run["eye.position"].shape, run["eye.attitude"].shape
    ((2, 3), (2, 4))
    """

    at: Place
    target: Place

    errors: ClassVar[int] = 6
    channels: ClassVar[tuple[Block, ...]] = (Block("position", 3, "m", XYZ), Block("attitude", 4, "1", XYZW))
    kernel: ClassVar[Kind] = relative_pose

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", place_of("RelativePose: target", self.target))
        super().__post_init__()

    def numbers(self, model: Model) -> Numbers:
        """Both bodies; axes and places on them."""
        body, axes, place = self.mounted(model)
        other, other_axes, other_place = point_with_axes(model, self.target)
        return self.numbers_with((body, other), np.concatenate([axes.ravel(), place, other_axes.ravel(), other_place]))
