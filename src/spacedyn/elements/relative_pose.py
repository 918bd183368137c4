"""Sensors of relative pose: where one point is, seen from another."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.elements.kind import Kind
from ..kernels.elements.relative_pose import relative_pose
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .sensor import (
    XYZ,
    XYZW,
    MountedSensor,
    Place,
    place_of,
    point_with_axes,
    set_angle,
    set_largest,
    set_steps,
    squared,
)


@checked_fields("at", "rotation", "target")
@dataclass(frozen=True, eq=False)
class RelativePoseSensor(MountedSensor):
    """A camera or lidar that sees a target: `s.<name>.position` (3) [m] is where it is, `.attitude` how it is turned.

    It looks along its z axis. Where the target is beyond its range or outside of its field of view, it reads zeros.
    Both are in the sensor's own axes; the attitude is a quaternion (x, y, z, w) with w >= 0, from the target's axes to
    the sensor's. Its error has six components: three of position [m], then a rotation vector in the target's axes
    [rad]. `bias`, `noise`, `random_walk`, `period`, `delay`, `rotation`, `misalignment`, `seed` and faults (`fail_at`,
    `fault`, `stuck`) are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    target : str or (str, (3,))
        What it looks at, in the same way.
    max_range : float
        Up to which it sees the target [m]; any if left out.
    field_of_view : float
        Full angle of the cone that it sees, around its z axis [rad]; all directions if left out.
    quantum : float or (3,)
        Step between readings of the position [m]; it needs a period.
    attitude_quantum : float or (4,)
        Step between those of the quaternion's components.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> eye = sd.RelativePoseSensor(robot.body_names[0], target=robot.endpoint_names[0], name="eye")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[eye], record=1.0)
    >>> run["eye.position"].shape, run["eye.attitude"].shape
    ((2, 3), (2, 4))
    """

    at: Place
    target: Place
    max_range: float = np.inf
    field_of_view: float = 2.0 * np.pi
    quantum: ArrayLike = 0.0
    attitude_quantum: ArrayLike = 0.0

    errors: ClassVar[int] = 6
    channels: ClassVar[tuple[Block, ...]] = (Block("position", 3, "m", XYZ), Block("attitude", 4, "1", XYZW))
    kernel: ClassVar[Kind] = relative_pose

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", place_of("RelativePoseSensor: target", self.target))
        set_largest(self, "max_range", "m")
        set_angle(self, "field_of_view", 2.0 * np.pi)
        set_steps(self, "quantum", 3)
        set_steps(self, "attitude_quantum", 4)
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """No largest reading; the steps between readings."""
        return np.inf, np.append(self.quantum, self.attitude_quantum)

    def numbers(self, model: Model) -> Numbers:
        """Both bodies; axes and places on them, its range and the edge of its field of view."""
        body, axes, place = self.mounted(model)
        other, other_axes, other_place = point_with_axes(model, self.target)
        edge = -2.0 if self.field_of_view >= 2.0 * np.pi else np.cos(0.5 * self.field_of_view)
        seen = [squared(self.max_range), edge * abs(edge)]
        both = np.concatenate([axes.ravel(), place, other_axes.ravel(), other_place, seen])
        return self.numbers_with((body, other), both)
