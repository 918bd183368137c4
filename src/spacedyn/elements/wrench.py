"""A constant force and moment on a body."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.kind import Kind
from ..kernels.elements.wrench import wrench
from ..model.model import Model
from ..reals import real_number
from ..signatures import checked_fields
from .element import Element, Numbers, WrenchPoint, point_of, three

Array = np.ndarray


@checked_fields("frame")
@dataclass(frozen=True, eq=False)
class Wrench(Element):
    """A constant force and moment on a body, for a while or throughout.

    Parameters
    ----------
    body : str
        What it acts on.
    force, moment : (3,)
        [N, N m], in the axes that `frame` names; the moment about the point.
    point : (3,)
        Where the force acts, in the body's frame [m].
    frame : str
        The axes of force and moment: 'inertial', 'body' (those of the body it acts on), or the name of any body or
        endpoint, whose axes they then follow.
    start, stop : float
        When it acts [s].
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> thrust = sd.Wrench(robot.body_names[0], force=(0, 0, 10.0), stop=1.0)
    >>> run = sd.simulate(robot, robot.neutral_state(), 5.0, elements=[thrust])
    >>> run["impulse"][-1, :3].round(9).tolist()
    [0.0, 0.0, 10.0]
    """

    body: str
    force: ArrayLike = (0.0, 0.0, 0.0)
    moment: ArrayLike = (0.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)
    frame: str = "inertial"
    start: float = -np.inf
    stop: float = np.inf
    name: str | None = None

    kernel: ClassVar[Kind] = wrench

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str):
            raise InputError(f"Wrench: frame must be 'inertial', 'body' or the name of a body, got {self.frame!r}")
        for name in ("force", "moment", "point"):
            object.__setattr__(self, name, three("Wrench", name, getattr(self, name)))
        for name in ("start", "stop"):
            object.__setattr__(self, name, real_number(f"Wrench: {name}", getattr(self, name)))
        if not self.start < self.stop:
            raise InputError(f"Wrench: it must start before it stops, got {self.start} and {self.stop} s")

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"wrench on {self.body}"

    @property
    def span(self) -> tuple[float, float]:
        """From when to when it acts [s]."""
        return self.start, self.stop

    def numbers(self, model: Model) -> Numbers:
        """Its body and the one whose axes it is in (-1: inertial ones); point, force, moment."""
        body, point = point_of(model, self.body, self.point)
        place, turn = self.axes(model)
        axes = -1
        if place is not None:
            axes = point_of(model, place, np.zeros(3))[0]
            turn = model.flat.to_internal[model.body_index(place)] @ turn
        both = np.concatenate([turn @ np.asarray(self.force), turn @ np.asarray(self.moment)])
        return Numbers((body, axes), np.concatenate([point, both]))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """At its point."""
        return (WrenchPoint(self.body, np.asarray(self.point)),)

    def axes(self, model: Model) -> tuple[str | None, Array]:
        """The body that force and moment turn with, if any, and the rotation of their axes in its frame."""
        if self.frame == "inertial":
            return None, np.eye(3)
        if self.frame == "body" or self.frame in model.body_names:
            return (self.body if self.frame == "body" else self.frame), np.eye(3)
        if self.frame in model.endpoint_names:
            endpoint = model.endpoint(self.frame)
            return endpoint.body, np.asarray(endpoint.rotation)
        raise UnknownName("frame", self.frame, ["inertial", "body", *model.body_names, *model.endpoint_names])
