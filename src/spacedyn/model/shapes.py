"""Simple solids that a body is made of: their mass, centre of mass and inertia, and where they sit.

A shape's own frame has its z axis along the axis of symmetry and its origin at the centre, except for the cone,
which stands on the xy plane with its tip at z = height. `position` and `rotation` put that frame into the body's.
All are homogeneous solids; a rod is infinitely slender, a point has no size.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import InputError, nearest
from ..reals import type_name
from ..signatures import is_several
from .values import numbers, plain, rotation_matrix

__all__ = [
    "SHAPE_KINDS",
    "Shape",
    "box",
    "capsule",
    "combine",
    "cone",
    "cylinder",
    "point",
    "rod",
    "sphere",
    "tube",
]

SHAPE_KINDS = {
    "box": ("x", "y", "z"),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "tube": ("radius", "inner_radius", "length"),
    "sphere": ("radius",),
    "cone": ("radius", "height"),
    "rod": ("length",),
    "point": (),
}
"""What the numbers in `Shape.size` mean, for each kind [m]."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A homogeneous solid, placed in a body's frame; made by `box`, `cylinder`, `tube`, `sphere` and so on.

    Unusable values do not raise here: they are kept in `problems`, so that building a model can report them
    together with everything else, by the name of the body. Reading `com` or `inertia` of such a shape raises.

    Attributes
    ----------
    kind : str
        One of `SHAPE_KINDS`.
    mass : float
        [kg]; 0 for a shape that is only drawn.
    size : np.ndarray
        Dimensions [m], in the order of `SHAPE_KINDS`.
    position : np.ndarray
        (3,) origin of the shape's frame, in the body's frame [m].
    rotation : np.ndarray
        (3, 3) direction cosines, body <- shape. A SciPy Rotation is welcome where a shape is made.
    """

    kind: str
    mass: float
    size: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    problems: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        problems: list[str] = []
        known = isinstance(self.kind, str) and self.kind in SHAPE_KINDS
        if not known:
            problems.append(f"there is no shape {self.kind!r}; {nearest(str(self.kind), list(SHAPE_KINDS))}.")
        name = str(self.kind)
        mass = numbers(problems, f"{name}: mass", self.mass, ())
        if mass is not None and mass < 0.0:
            problems.append(f"{name}: mass is {mass:g} kg; give 0 or more (0: drawn, but weighs nothing).")
        clean: dict[str, Any] = {
            "position": numbers(problems, f"{name}: position", self.position, (3,)),
            "rotation": rotation_matrix(problems, f"{name}: rotation", self.rotation),
            "mass": None if mass is None else float(mass),
        }
        if known:
            clean |= {"kind": name, "size": _size(problems, self.kind, self.size)}
        for key, value in clean.items():
            if value is not None:  # an unusable value stays as it was given
                object.__setattr__(self, key, value)
        object.__setattr__(self, "problems", tuple(problems))

    @property
    def com(self) -> np.ndarray:
        """Centre of mass (3,) in the body's frame [m]."""
        self._usable()
        local = np.array([0.0, 0.0, self.size[1] / 4.0 if self.kind == "cone" else 0.0])
        return self.position + self.rotation @ local

    @property
    def inertia(self) -> np.ndarray:
        """Inertia (3, 3) about the shape's own centre of mass, in the body's axes [kg m^2].

        >>> np.diag(box(12.0, (1.0, 2.0, 3.0)).inertia)
        array([13., 10.,  5.])
        """
        self._usable()
        turned = (self.rotation * principal_moments(self.kind, self.mass, self.size)) @ self.rotation.T
        return 0.5 * (turned + turned.T)

    def at(self, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> "Shape":
        """The same solid with its frame at `position` (3,) [m], turned by `rotation`, whatever its pose was before.

        >>> box(1.0, (1, 1, 1)).at((0, 0, 2)).com
        array([0., 0., 2.])
        """
        return replace(self, position=position, rotation=rotation)

    def moved(self, position: np.ndarray, rotation: np.ndarray) -> "Shape":
        """Seen from another frame, in which the body's frame has `position` (3,) and `rotation` (3, 3)."""
        self._usable()
        return replace(self, position=position + rotation @ self.position, rotation=rotation @ self.rotation)

    def _usable(self) -> None:
        if self.problems:
            raise InputError(" ".join(self.problems))

    def __str__(self) -> str:
        if self.problems:
            return f"{self.kind} (unusable)"
        named = zip(SHAPE_KINDS[self.kind], self.size, strict=True)
        dimensions = "".join(f"{key} {value:g} m, " for key, value in named)
        return f"{self.kind} ({dimensions}{self.mass:g} kg) at {plain(self.position)}"


def box(mass: float, size: Any, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A box about its centre.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    size : (3,)
        Whole edges along x, y, z [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> np.diag(box(12.0, (1.0, 2.0, 3.0)).inertia)
    array([13., 10.,  5.])
    """
    return Shape("box", mass, size, position, rotation)


def cylinder(mass: float, radius: float, length: float, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A solid cylinder along z, about its centre.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    radius, length : float
        [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> float(cylinder(2.0, 0.5, 1.0).inertia[2, 2])
    0.25
    """
    return Shape("cylinder", mass, (radius, length), position, rotation)  # type: ignore[arg-type]


def capsule(mass: float, radius: float, length: float, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A solid cylinder along z with a half ball on each end, about its centre.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    radius, length : float
        [m]; the length is that of the cylinder, without the half balls.
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> bool(np.allclose(capsule(2.0, 0.5, 0.0).inertia, sphere(2.0, 0.5).inertia))
    True
    """
    return Shape("capsule", mass, (radius, length), position, rotation)  # type: ignore[arg-type]


def tube(
    mass: float,
    radius: float,
    inner_radius: float,
    length: float,
    position: Any = (0.0, 0.0, 0.0),
    rotation: Any = None,
) -> Shape:
    """A hollow cylinder along z, about its centre; thin-walled when both radii are equal.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    radius, inner_radius, length : float
        [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> float(tube(2.0, 0.5, 0.5, 0.0).inertia[2, 2])
    0.5
    """
    return Shape("tube", mass, (radius, inner_radius, length), position, rotation)  # type: ignore[arg-type]


def sphere(mass: float, radius: float, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A solid ball about its centre.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    radius : float
        [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> float(sphere(5.0, 1.0).inertia[0, 0])
    2.0
    """
    return Shape("sphere", mass, (radius,), position, rotation)  # type: ignore[arg-type]


def cone(mass: float, radius: float, height: float, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A solid cone standing on the xy plane of its frame, tip at z = height; its centre of mass is at height/4.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    radius, height : float
        [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> float(cone(1.0, 0.5, 2.0).com[2])
    0.5
    """
    return Shape("cone", mass, (radius, height), position, rotation)  # type: ignore[arg-type]


def rod(mass: float, length: float, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> Shape:
    """A slender rod along z, about its centre: no inertia about its own axis.

    Parameters
    ----------
    mass : float
        [kg]; 0 for a shape that is only drawn or touched.
    length : float
        [m].
    position : (3,)
        Origin of its frame, in the body's frame [m].
    rotation : Rotation or (3, 3), optional
        Direction cosines, body <- shape; none if left out.

    Examples
    --------
    >>> np.diag(rod(12.0, 1.0).inertia)
    array([1., 1., 0.])
    """
    return Shape("rod", mass, (length,), position, rotation)  # type: ignore[arg-type]


def point(mass: float, position: Any = (0.0, 0.0, 0.0)) -> Shape:
    """A point mass.

    Parameters
    ----------
    mass : float
        [kg].
    position : (3,)
        In the body's frame [m].

    Examples
    --------
    >>> point(2.0, (0, 0, 1)).com
    array([0., 0., 1.])
    """
    return Shape("point", mass, (), position, None)  # type: ignore[arg-type]


def principal_moments(kind: str, mass: float, size: np.ndarray) -> np.ndarray:
    """Moments of inertia (3,) about the centre of mass, along the axes of the shape's frame [kg m^2]."""
    match kind:
        case "box":
            x, y, z = size**2
            return mass / 12.0 * np.array([y + z, x + z, x + y])
        case "cylinder" | "tube":
            outer, inner, length = size if kind == "tube" else (size[0], 0.0, size[1])
            rim = mass * (outer**2 + inner**2)
            across = rim / 4.0 + mass * length**2 / 12.0
            return np.array([across, across, rim / 2.0])
        case "capsule":
            radius, length = size
            whole = length + 4.0 / 3.0 * radius
            ends = mass * (4.0 / 3.0 * radius / whole if whole > 0.0 else 1.0)
            rim = (mass - ends) * radius**2 / 2.0 + 0.4 * ends * radius**2
            across = (mass - ends) * (radius**2 / 4.0 + length**2 / 12.0)
            across += ends * (0.4 * radius**2 + length**2 / 4.0 + 0.375 * length * radius)
            return np.array([across, across, rim])
        case "sphere":
            return np.full(3, 0.4 * mass * size[0] ** 2)
        case "cone":
            radius, height = size
            across = mass * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
            return np.array([across, across, 0.3 * mass * radius**2])
        case "rod":
            across = mass * size[0] ** 2 / 12.0
            return np.array([across, across, 0.0])
    return np.zeros(3)


def combine(shapes: Iterable[Shape]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia of several shapes joined rigidly, by the parallel-axis theorem.

    Parameters
    ----------
    shapes : iterable of Shape
        All placed in the same body frame.

    Returns
    -------
    mass : float
        [kg]
    com : np.ndarray
        (3,) in the body's frame [m]; the origin when nothing weighs anything.
    inertia : np.ndarray
        (3, 3) about that centre of mass, in the body's axes [kg m^2].

    Examples
    --------
    >>> mass, com, inertia = combine([point(1.0, (1, 0, 0)), point(3.0, (-1, 0, 0))])
    >>> mass, com, np.diag(inertia)
    (4.0, array([-0.5,  0. ,  0. ]), array([0., 3., 3.]))
    """
    parts: list[Any] = list(shapes) if is_several(shapes) else [shapes]
    for part in parts:
        if not isinstance(part, Shape):
            wanted = "a list of shapes, such as [box(…), sphere(…)]"
            raise InputError(f"combine(): shapes: expected {wanted}, got {type_name(part)}")
        part._usable()
    mass = float(sum(part.mass for part in parts))
    com = sum((part.mass * part.com for part in parts), np.zeros(3))
    if mass > 0.0:
        com = com / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.com - com
        inertia += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, com, inertia


def _size(problems: list[str], kind: str, given: Any) -> np.ndarray | None:
    names = SHAPE_KINDS[kind]
    where = f"{kind}: size ({', '.join(names)})"
    size = numbers(problems, where, given, (len(names),))
    if size is None:
        return None
    if (size < 0.0).any():
        problems.append(f"{where} is {plain(size)} m; give 0 or more for each.")
        return None
    if kind == "tube" and size[1] > size[0]:
        problems.append(f"{where} is {plain(size)} m; the inner radius must not exceed the outer one: swap them.")
        return None
    return size
