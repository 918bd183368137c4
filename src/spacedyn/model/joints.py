"""The kinds of joints: one record each, the only place in Python that lists what a kind is.

`joint_kind` adds one that is a sequence of steps, from any program. To add one with kernel code of its own, add its
record here and its motion to the kernels (kernels/robot/layout.py has the number, kinematics.py the pose and the
columns). A peer that shall know a kind (peers/robots.py) needs its constructor.

A joint moves its child by a sequence of steps, one for each plain coordinate: a slide along, a turn about, or a screw
along an axis that is fixed in the frame that the steps before have moved. A kind that `has_attitude` ends with a turn
to any attitude: its last four coordinates are a quaternion (x, y, z, w), its last three rates the angular velocity in
the child's axes. Coordinates and rates are in the order of docs/notation.md, lengths first.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError, UnknownName
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
        """Whether it holds nothing of its child, which it can turn and move in any direction at any place."""
        return self.nv == 6 and self.has_attitude

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
_MOTIONS = {SLIDE: k.STEP_SLIDE, TURN: k.STEP_TURN, SCREW: k.STEP_SCREW}
_DIRECTIONS = {"x": 0, "y": 1, "z": 2, AXIS: 2}  # kernels have the joint's own axis as z
MAX_STEPS = 6


def plain_kinds() -> list[str]:
    """Names of the kinds whose coordinates are plain numbers, one for each rate."""
    return [kind.name for kind in JOINT_KINDS.values() if kind.plain_coordinates]


def joint_kind(name: str, /, **steps: tuple[str, str]) -> JointKind:
    """Add a kind of joint that moves its child by a sequence of steps; everything then knows it by its name.

    Files hold the name alone: a program that reads a robot with such joints adds the kind first.

    Parameters
    ----------
    name : str
        An identifier.
    **steps : (motion, direction)
        By the name of the coordinate, which is also that of the rate; one to six. Motion: 'slide', 'turn' or 'screw';
        direction: 'x', 'y' or 'z' of the frame that the steps before have moved, or 'axis', the joint's own, for all.

    Returns
    -------
    JointKind
        The record in `JOINT_KINDS`.

    Raises
    ------
    InputError
        A kind of this name with other steps; steps that there are not.

    Examples
    --------
    >>> joint_kind("gimbal", roll=("turn", "x"), pitch=("turn", "y"), yaw=("turn", "z")).rates
    ('roll', 'pitch', 'yaw')
    >>> from spacedyn.model.build import Builder
    >>> b = Builder("camera", base="fixed")
    >>> b.base("mast", mass=1.0, inertia=(1, 2, 2))
    >>> b.link("head", "gimbal", parent="mast", mass=1.0, inertia=(0.1, 0.2, 0.2))
    >>> b.build()
    <Model 'camera': fixed base, 1 joint, 3 rates, 2 kg>
    >>> del JOINT_KINDS["gimbal"]  # nothing needs it any more
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise InputError(f"joint_kind: the name of a kind is an identifier, such as 'gimbal', got {name!r}")
    if not 1 <= len(steps) <= MAX_STEPS:
        raise InputError(
            f"joint_kind '{name}': give 1 to {MAX_STEPS} steps, such as roll=('turn', 'x'), got {len(steps)}"
        )
    for coordinate, step in steps.items():
        where = f"joint_kind '{name}': {coordinate}"
        if not isinstance(step, tuple | list) or len(step) != 2 or not all(isinstance(part, str) for part in step):
            raise InputError(f"{where}: expected (motion, direction), such as ('turn', 'x'), got {step!r}")
        for what, given, known in zip(("motion", "direction"), step, (_MOTIONS, _DIRECTIONS), strict=True):
            if given not in known:
                raise UnknownName(f"{what} of a step", given, list(known))
    directions = {direction for _, direction in steps.values()}
    if AXIS in directions and len(directions) > 1:
        raise InputError(f"joint_kind '{name}': all steps are along the joint's own axis, or all along x, y and z")
    made = _plain(name, _number(steps.values()), **{one: (motion, along) for one, (motion, along) in steps.items()})
    if JOINT_KINDS.setdefault(name, made) != made:
        raise InputError(f"joint_kind: there is a kind '{name}' with other steps already; choose another name")
    return made


def _number(steps: Iterable[tuple[str, str]]) -> int:
    """The number that spells a sequence of steps for the kernels, a digit for each (kernels/robot/layout.py)."""
    digits = [1 + 3 * _MOTIONS[motion] + _DIRECTIONS[direction] for motion, direction in steps]
    return sum(digit * k.STEPS ** (i + 1) for i, digit in enumerate(digits))
