"""Forces in a simulation that are no law's: wrenches on bodies, springs and tethers, drag. Small frozen objects.

    run = sd.simulate(robot, state, 60.0, forces=[
        sd.Wrench("bus", force=(0, 0, 2.0), point=(0.5, 0, 0), frame="body", stop=3.0),
        sd.Tether("hand", "inertial", other_point=(3, 0, 0), stiffness=200.0, rest_length=2.0),
        sd.Drag("panel", linear=0.1),
    ])

The ledger holds the work of each, and the elastic energy of springs. Whatever can be written as numbers in a table of
elements can be added here: `Force.element` makes its row, `kernels.forces` reads it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.sim import layout as p
from ..model.model import Model, robot_of
from ..quantities.calls import point_on
from ..reals import finite_array, one_number, real_number
from ..signatures import checked_fields

Array = np.ndarray


class Element(NamedTuple):
    """A row of the kernels' table."""

    body: int  # in the kernels' order
    other: int  # likewise; -1: none, or the inertial frame
    numbers: Array


@dataclass(frozen=True, eq=False)
class Force:
    """What all forces have."""

    body: str

    kind: ClassVar[int]

    def element(self, model: Model) -> Element:
        """Its row of the kernels' table."""
        raise NotImplementedError

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which it jumps [s]."""
        return ()

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return getattr(self, "name", None) or f"{type(self).__name__.lower()} on {self.body}"


@checked_fields("frame")
@dataclass(frozen=True, eq=False)
class Wrench(Force):
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
    >>> run = sd.simulate(robot, robot.neutral_state(), 5.0, forces=[thrust])
    >>> run["impulse"][-1, :3].round(9).tolist()
    [0.0, 0.0, 10.0]
    """

    force: ArrayLike = (0.0, 0.0, 0.0)
    moment: ArrayLike = (0.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)
    frame: str = "inertial"
    start: float = -np.inf
    stop: float = np.inf
    name: str | None = None

    kind: ClassVar[int] = p.WRENCH

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str):
            raise InputError(f"Wrench: frame must be 'inertial', 'body' or the name of a body, got {self.frame!r}")
        for name in ("force", "moment", "point"):
            object.__setattr__(self, name, _three("Wrench", name, getattr(self, name)))
        for name in ("start", "stop"):
            object.__setattr__(self, name, real_number(f"Wrench: {name}", getattr(self, name)))
        if not self.start < self.stop:
            raise InputError(f"Wrench: it must start before it stops, got {self.start} and {self.stop} s")

    @property
    def breaks(self) -> tuple[float, ...]:
        """When it starts and stops."""
        return tuple(t for t in (self.start, self.stop) if np.isfinite(t))

    def element(self, model: Model) -> Element:
        """Point, force, moment, the body whose axes they are in (counted from 1; 0: inertial), start and stop."""
        body, point = _point(model, self.body, self.point)
        place, turn = self.axes(model)
        frame = 0
        if place is not None:
            frame = 1 + _point(model, place, np.zeros(3))[0]
            turn = model.flat.to_internal[model.body_index(place)] @ turn
        both = np.concatenate([turn @ np.asarray(self.force), turn @ np.asarray(self.moment)])
        return Element(body, -1, np.concatenate([point, both, [frame, self.start, self.stop]]))

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


@checked_fields()
@dataclass(frozen=True, eq=False)
class Spring(Force):
    """A spring, with a damper beside it, between two points: of two bodies, or of a body and the inertial frame.

    tension = stiffness (length - rest_length) + damping (rate of length)

    Parameters
    ----------
    body, other : str
        The bodies; `other` may be 'inertial'.
    point, other_point : (3,)
        The points in the bodies' frames [m].
    stiffness, damping : float
        [N/m, N s/m].
    rest_length : float
        [m].
    tension_only : bool
        Whether it goes slack, and does not push: a tether.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> spring = sd.Spring(robot.body_names[0], stiffness=100.0, other_point=(1.0, 0, 0))
    >>> run = sd.simulate(robot, robot.neutral_state(), 10.0, forces=[spring])
    >>> bool(run.audit().energy < 1e-9)
    True
    """

    other: str = "inertial"
    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float = 0.0
    point: ArrayLike = (0.0, 0.0, 0.0)
    other_point: ArrayLike = (0.0, 0.0, 0.0)
    tension_only: bool = False
    name: str | None = None

    kind: ClassVar[int] = p.SPRING

    def __post_init__(self) -> None:
        what = type(self).__name__
        for name in ("stiffness", "damping", "rest_length"):
            value = one_number(f"{what}: {name}", getattr(self, name), "zero or a positive number")
            if value < 0.0:
                raise InputError(f"{what}: {name} must be zero or a positive number, got {value}")
            object.__setattr__(self, name, value)
        if self.stiffness == 0.0 and self.damping == 0.0:
            raise InputError(f"{what}: it has neither stiffness nor damping; give at least one")
        for name in ("point", "other_point"):
            object.__setattr__(self, name, _three(what, name, getattr(self, name)))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"{type(self).__name__.lower()} {self.body} to {self.other}"

    def element(self, model: Model) -> Element:
        """Both points, stiffness, damping, rest length, whether it only pulls."""
        body, point = _point(model, self.body, self.point)
        if "inertial" in model.body_names:
            raise InputError(f"{type(self).__name__}: a body cannot be named 'inertial', which is the inertial frame")
        other, far = -1, np.asarray(self.other_point)
        if self.other != "inertial":
            other, far = _point(model, self.other, self.other_point)
        if body == other and np.array_equal(point, far):
            raise InputError(f"{type(self).__name__}: both of its ends are the same point of body '{self.body}'")
        rest = [self.stiffness, self.damping, self.rest_length, self.tension_only]
        return Element(body, other, np.concatenate([point, far, rest]))


@checked_fields()
@dataclass(frozen=True, eq=False)
class Tether(Spring):
    """A spring that only pulls, and is slack below its rest length; otherwise as `Spring`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Tether("bus", stiffness=100.0, rest_length=2.0).tension_only
    True
    """

    tension_only: bool = True


@checked_fields()
@dataclass(frozen=True, eq=False)
class Drag(Force):
    """Viscous drag on a body that moves through a medium at rest in the inertial frame.

    force = -linear v of the centre of mass,   moment = -angular ω

    Parameters
    ----------
    body : str
        What it acts on.
    linear, angular : float, (3,) or (3, 3)
        Coefficients [N s/m, N m s], in the body's axes: the same along all axes, of each axis, or a symmetric matrix.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Drag("bus", linear=0.5).label
    'drag on bus'
    """

    linear: ArrayLike = 0.0
    angular: ArrayLike = 0.0
    name: str | None = None

    kind: ClassVar[int] = p.DRAG

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, _coefficients(name, getattr(self, name)))

    def element(self, model: Model) -> Element:
        """Both symmetric matrices, in the axes of the kernels' body frame."""
        index = model.body_index(self.body)
        turn, parts = model.flat.to_internal[index], []
        for matrix in (self.linear, self.angular):
            m = turn @ matrix @ turn.T
            parts.append([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
        return Element(int(model.flat.order[index]), -1, np.concatenate(parts))


def _three(what: str, name: str, value: Any) -> Array:
    return finite_array(f"{what}: {name}", value, "three finite numbers", [(3,)])


def _coefficients(name: str, value: Any) -> Array:
    expected = "a number, three, or a symmetric 3 x 3 matrix, all finite"
    array = finite_array(f"Drag: {name}", value, expected, [(), (3,), (3, 3)])
    matrix = array if array.ndim == 2 else np.diag(np.broadcast_to(array, 3))
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        raise InputError(f"Drag: {name} must be symmetric, got {value!r}")
    if np.linalg.eigvalsh(matrix)[0] < -1e-12 * np.abs(matrix).max():
        raise InputError(f"Drag: {name} would drive the body instead of slowing it down, got {value!r}")
    return matrix


def _point(model: Model, body: str, point: ArrayLike) -> tuple[int, Array]:
    """A point of a body as the kernels have it."""
    order, place = point_on(model, model.body_index(body), np.asarray(point))
    return int(order[0]), place


def read_forces(model: Model, forces: Any) -> list[Force]:
    """Check what was given; bodies must exist."""
    chosen = [forces] if isinstance(forces, Force) else list(forces)
    model = robot_of(model, 0)
    for force in chosen:
        if not isinstance(force, Force):
            raise InputError(f"forces: expected Wrench, Spring, Tether or Drag, got {force!r}")
        force.element(model)
    return chosen


def force_names(forces: Iterable[Force]) -> list[str]:
    """What they are called in the record: labels, with a number where several are the same.

    >>> force_names([Drag("bus", 1.0), Drag("bus", 2.0), Drag("arm", 1.0)])
    ['drag on bus', 'drag on bus (2)', 'drag on arm']
    """
    names: list[str] = []
    for force in forces:
        name, count = force.label, 1
        while name in names:
            count += 1
            name = f"{force.label} ({count})"
        names.append(name)
    return names


def lay_out_forces(model: Model, forces: list[Force], counter: int, put: Callable) -> tuple[Array, Array]:
    """Records for the plan, and the times that steps must end at."""
    model = robot_of(model, 0)  # robots that differ where a force acts have a machine each
    records = np.zeros((len(forces), p.ELEMENT_INTS), dtype=np.int64)
    for i, force in enumerate(forces):
        element = force.element(model)
        records[i] = force.kind, element.body, element.other, put(element.numbers), counter + i
    return records, np.array([t for force in forces for t in force.breaks])
