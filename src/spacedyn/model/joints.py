"""The kinds of joints: one record each, the only place in Python that lists what a kind is.

To add a kind, add its record here and its motion to the kernels (kernels/robot/layout.py has the number,
kinematics.py the pose and the columns); a peer that shall know it (peers/robots.py) needs its constructor too.

A joint moves its child by a sequence of steps, one for each plain coordinate: a slide along, a turn about, or a screw
along an axis that is fixed in the frame that the steps before have moved. A kind that `has_attitude` ends with a turn
to any attitude: its last four coordinates are a quaternion (x, y, z, w), its last three rates the angular velocity in
the child's axes. Coordinates and rates are in the order of docs/notation.md, lengths first.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels.robot import layout as k

SLIDE, TURN, SCREW = "slide", "turn", "screw"
AXIS = "axis"
"""Direction of a step along the joint's own axis; the others are 'x', 'y' and 'z' of the joint's frame."""
_UNITS = dict(zip("xyz", np.eye(3), strict=True))
_NONE = np.zeros(3)
_QUATERNION = ("qx", "qy", "qz", "qw")
_TURNING_RATES = ("wx", "wy", "wz")


@dataclass(frozen=True)
class JointKind:
    """What one kind of joint is.

    Attributes
    ----------
    name : str
        As descriptions call it.
    number : int
        Of the kind in the kernels.
    steps : tuple of (motion, direction)
        Of each plain coordinate: SLIDE, TURN or SCREW; AXIS, 'x', 'y' or 'z'.
    coordinates, rates : tuple of str
        Names of the entries of q and q̇.
    has_attitude : bool
        Whether it ends with a quaternion.

    Examples
    --------
    >>> planar = JOINT_KINDS["planar"]
    >>> planar.nq, planar.coordinates, planar.translations, planar.rotations
    (3, ('x', 'y', 'angle'), (0, 1), (2,))
    >>> JOINT_KINDS["free"].attitude, JOINT_KINDS["free"].attitude_rates
    (slice(3, 7, None), slice(3, 6, None))
    """

    name: str
    number: int
    steps: tuple[tuple[str, str], ...]
    coordinates: tuple[str, ...]
    rates: tuple[str, ...]
    has_attitude: bool = False

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @cached_property
    def nv(self) -> int:
        """Number of rates."""
        return len(self.rates)

    @property
    def plain_count(self) -> int:
        """Number of coordinates that are plain numbers, each with a rate of its own; they come first."""
        return len(self.steps)

    @property
    def plain_coordinates(self) -> bool:
        """Whether it moves, and all its coordinates are plain numbers."""
        return self.nv > 0 and not self.has_attitude

    @cached_property
    def translations(self) -> tuple[int, ...]:
        """Which coordinates, and rates, are lengths."""
        return tuple(i for i, (motion, _) in enumerate(self.steps) if motion == SLIDE)

    @cached_property
    def angles(self) -> tuple[int, ...]:
        """Which coordinates are angles; parts of a quaternion are not."""
        return tuple(i for i, (motion, _) in enumerate(self.steps) if motion != SLIDE)

    @property
    def rotations(self) -> tuple[int, ...]:
        """Which rates are angular: those of its angles, and of its attitude."""
        return (*self.angles, *range(self.plain_count, self.nv))

    @property
    def attitude(self) -> slice:
        """Where its quaternion is among its coordinates; empty if it has none."""
        return slice(self.plain_count, self.nq)

    @property
    def attitude_rates(self) -> slice:
        """Where the angular velocity of its attitude is among its rates; empty if it has none."""
        return slice(self.plain_count, self.nv)

    @property
    def moves_freely(self) -> bool:
        """Whether it holds nothing of its child."""
        return self.nv == 6

    @cached_property
    def takes_axis(self) -> bool:
        """Whether one axis describes it; other kinds move along the axes of their frame."""
        return any(direction == AXIS for _, direction in self.steps)

    @cached_property
    def takes_pitch(self) -> bool:
        """Whether it is a screw."""
        return any(motion == SCREW for motion, _ in self.steps)

    @cached_property
    def neutral(self) -> np.ndarray:
        """(nq,) the coordinates at which child and joint coincide; read-only.

        >>> JOINT_KINDS["spherical"].neutral
        array([0., 0., 0., 1.])
        """
        q = np.zeros(self.nq)
        if self.has_attitude:
            q[-1] = 1.0
        q.flags.writeable = False
        return q

    def twists(self, axis: np.ndarray, pitch: np.ndarray | float) -> list[tuple[np.ndarray, np.ndarray]]:
        """Velocity (…, 3) and angular velocity (3,) that a unit rate of each step gives, in the frame of that step.

        >>> JOINT_KINDS["helical"].twists(np.array([0.0, 0.0, 1.0]), 0.25)
        [(array([0.  , 0.  , 0.25]), array([0., 0., 1.]))]
        """
        found = []
        for motion, direction in self.steps:
            along = axis if direction == AXIS else _UNITS[direction]
            slide = along if motion == SLIDE else np.asarray(pitch)[..., None] * along if motion == SCREW else _NONE
            found.append((slide, _NONE if motion == SLIDE else along))
        return found


def _plain(name: str, number: int, **steps: tuple[str, str]) -> JointKind:
    """A kind whose rates are called as the coordinates are."""
    return JointKind(name, number, tuple(steps.values()), tuple(steps), tuple(steps))


_SLIDES = ((SLIDE, "x"), (SLIDE, "y"), (SLIDE, "z"))
_KINDS = (
    _plain("revolute", k.REVOLUTE, angle=(TURN, AXIS)),
    _plain("prismatic", k.PRISMATIC, z=(SLIDE, AXIS)),
    _plain("helical", k.HELICAL, angle=(SCREW, AXIS)),
    _plain("cylindrical", k.CYLINDRICAL, z=(SLIDE, AXIS), angle=(TURN, AXIS)),
    _plain("universal", k.UNIVERSAL, angle1=(TURN, "z"), angle2=(TURN, "y")),
    _plain("planar", k.PLANAR, x=(SLIDE, "x"), y=(SLIDE, "y"), angle=(TURN, "z")),
    JointKind("spherical", k.SPHERICAL, (), _QUATERNION, _TURNING_RATES, has_attitude=True),
    JointKind(
        "free", k.FREE, _SLIDES, ("x", "y", "z", *_QUATERNION), ("vx", "vy", "vz", *_TURNING_RATES), has_attitude=True
    ),
    _plain("fixed", k.FIXED),
)

JOINT_KINDS = {kind.name: kind for kind in _KINDS}
"""Every kind by its name; the order is that of messages."""
PLAIN_KINDS = tuple(kind.name for kind in _KINDS if kind.plain_coordinates)
"""Names of the kinds whose coordinates are plain numbers, one for each rate."""
