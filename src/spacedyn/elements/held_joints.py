"""Joints that move as given functions of time, or not at all, as elements."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError
from ..signatures import checked_fields
from .element import Element


@checked_fields()
@dataclass(frozen=True, eq=False)
class PrescribedJoint(Element):
    """A joint that moves as a given function of time, whatever force it takes.

    `prescribed={joint: motion}` of `simulate` says the same. The force is in the record (`run["tau"]`), its work in the
    ledger. Steps end where pieces of the motion meet.

    Parameters
    ----------
    joint : str
        Its name. A joint has one motion at most.
    motion : trajectory
        `waypoints(...)`, a function made by `motion`, a SciPy spline, a NumPy Polynomial, a constant, or 'locked'; of a
        spherical joint `attitude_waypoints(...)`, of a free one (place, attitude).
    name : str, optional
        For messages alone.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> lift = sd.PrescribedJoint("joint2", sd.waypoints([0, 2], [0.0, 0.5]))
    >>> run = sd.simulate(robot, robot.neutral_state(), 2.0, elements=[lift, sd.LockedJoint("joint3")])
    >>> run.final.q[1:3].round(9).tolist()
    [0.5, 0.0]
    """

    joint: str
    motion: Any
    name: str | None = None

    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if np.ma.is_masked(self.motion):  # other faults are checked with the joint
            raise InputError(f"PrescribedJoint: the motion of '{self.joint}' must not be masked numbers")

    @property
    def label(self) -> str:
        """What it is called."""
        return self.name or f"motion of {self.joint}"


@checked_fields()
@dataclass(frozen=True, eq=False)
class LockedJoint(Element):
    """A joint that stays where it starts, whatever force it takes.

    `prescribed={joint: 'locked'}` of `simulate` says the same. Laws and events may free it (`sd.Mode`, `sd.actions`).

    Parameters
    ----------
    joint : str
        Its name.
    name : str, optional
        For messages alone.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.LockedJoint("elbow").label
    'lock of elbow'
    """

    joint: str
    name: str | None = None

    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    motion: ClassVar[str] = "locked"

    @property
    def label(self) -> str:
        """What it is called."""
        return self.name or f"lock of {self.joint}"
