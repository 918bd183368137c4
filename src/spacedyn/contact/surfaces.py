"""Surfaces that bodies touch: planes, spheres, ellipsoids; height fields are in height_fields.py.

A surface stands in the inertial frame, or in the frame of a body that carries it. Its gap is the distance of a point,
negative inside, and the outward normal is the gap's gradient.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.geometry.surfaces import ELLIPSOID, PLANE, SPHERE, surface_gaps
from ..kernels.scalar.pack import ONE
from ..model.values import rotation_matrix
from ..reals import finite_array, one_number
from ..signatures import check_names, checked_fields

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Surface:
    """What all surfaces have."""

    code: ClassVar[int]  # the kernels' number of its kind
    word: ClassVar[str]  # its kind in files

    _: KW_ONLY
    position: ArrayLike = (0.0, 0.0, 0.0)
    kind: str = ""

    def __post_init__(self) -> None:
        what = type(self).__name__
        if self.kind not in ("", self.word):
            raise InputError(f"{what}: kind must be {self.word!r}, got {self.kind!r}")
        object.__setattr__(self, "kind", self.word)
        place = finite_array(f"{what}: position", self.position, "three finite numbers [m]", [(3,)])
        object.__setattr__(self, "position", place)

    @property
    def axes(self) -> Array:
        """(3, 3) axes of its own frame, as columns, in the frame that it stands in."""
        return np.eye(3)

    @property
    def parameters(self) -> Array:
        """Its numbers as the kernels have them."""
        return np.empty(0)

    @property
    def deepest(self) -> float:
        """How deep a point may be: beyond, it might come out on the other side [m]."""
        return np.inf

    @property
    def thickness(self) -> float:
        """The least way through it, where one comes out on the other side [m]."""
        return np.inf

    @property
    def largest_radius(self) -> float:
        """Of a round body that touches it at one point only [m]."""
        return np.inf

    @property
    def finest(self) -> float:
        """The least length over which it curves [m]; 1 if it does not."""
        return 1.0

    def gap(self, points: ArrayLike) -> Array:
        """Distances of points, negative inside; of a bilinear height field, heights above it.

        Parameters
        ----------
        points : (..., 3)
            [m], in the frame that the surface stands in.

        Returns
        -------
        (...)
            [m].

        Raises
        ------
        InputError
            If points are not (..., 3) finite numbers.

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.SphereSurface(2.0).gap([[0, 0, 3], [0, 1.5, 0]]).tolist()
        [1.0, -0.5]
        """
        return self._found(points)[..., 0]

    def normals(self, points: ArrayLike) -> Array:
        """Outward unit normals at the nearest places of the surface.

        Parameters
        ----------
        points : (..., 3)
            [m], in the frame that the surface stands in.

        Returns
        -------
        (..., 3)
            In the same axes; at a sphere's centre, where every place is nearest, the surface's z axis.

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.EllipsoidSurface((3, 2, 1)).normals([0, 0, 1.5]).round(9).tolist()
        [0.0, 0.0, 1.0]
        """
        gradient = self._found(points)[..., 1:] @ self.axes.T
        made: Array = gradient / np.linalg.norm(gradient, axis=-1, keepdims=True)
        return made

    def _found(self, points: ArrayLike) -> Array:
        """Gaps and gradients, these in the surface's own axes."""
        what = f"{type(self).__name__}: points"
        given = finite_array(what, points, "places (..., 3) [m], finite numbers")
        if given.shape[-1:] != (3,):
            raise InputError(f"{what} must be places (..., 3) [m], got shape {given.shape}")
        rows = np.ascontiguousarray(((given - self.position) @ self.axes).reshape(-1, 3))
        found = np.zeros((len(rows), 4))
        if len(rows):
            surface_gaps(self.code, self.parameters, rows.ravel(), len(rows), found.reshape(-1), ONE)
        return found.reshape(*given.shape[:-1], 4)


@checked_fields()
@dataclass(frozen=True, eq=False)
class Plane(Surface):
    """A plane; what it is made of is on the other side of its normal.

    Parameters
    ----------
    normal : (3,)
        Outward; of any length.
    position : (3,)
        A point of it [m]; by its name.
    kind : str
        'plane', in files.

    Examples
    --------
    >>> import spacedyn as sd
    >>> slope = sd.Plane(normal=(0, -1, 1))
    >>> slope.gap([0, 0, 1.0]).round(6).item()
    0.707107
    """

    normal: ArrayLike = (0.0, 0.0, 1.0)

    code: ClassVar[int] = PLANE
    word: ClassVar[str] = "plane"

    def __post_init__(self) -> None:
        super().__post_init__()
        n = finite_array("Plane: normal", self.normal, "three finite numbers", [(3,)])
        if not np.abs(n).max() > 0.0:
            raise InputError("Plane: normal must be a direction, got zero")
        n = n / np.abs(n).max()
        object.__setattr__(self, "normal", n / np.linalg.norm(n))

    @property
    def axes(self) -> Array:
        """The third is its normal."""
        n = np.asarray(self.normal)
        across = np.eye(3)[int(np.argmin(np.abs(n)))]
        x = np.cross(across, n)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(n, x), n]) if abs(n[2]) < 1.0 else np.diag([1.0, n[2], n[2]])


@checked_fields()
@dataclass(frozen=True, eq=False)
class SphereSurface(Surface):
    """A sphere, or the inside of a hollow one.

    Parameters
    ----------
    radius : float
        [m].
    hollow : bool
        Whether what touches it is inside.
    position : (3,)
        Its centre [m]; by its name.
    kind : str
        'sphere', in files.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.SphereSurface(2.0, hollow=True).gap([0, 0, 1.5]).item()
    0.5
    """

    radius: float
    hollow: bool = False

    code: ClassVar[int] = SPHERE
    word: ClassVar[str] = "sphere"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive("SphereSurface: radius", self.radius))

    @property
    def parameters(self) -> Array:
        """Radius; -1 if it is hollow."""
        return np.array([self.radius, -1.0 if self.hollow else 1.0])

    @property
    def finest(self) -> float:
        """Its radius."""
        return float(self.radius)

    @property
    def deepest(self) -> float:
        """Half of the way to the centre; outside of a hollow one there is no end."""
        return np.inf if self.hollow else 0.5 * self.radius

    @property
    def thickness(self) -> float:
        """Its diameter; a hollow one has no other side."""
        return np.inf if self.hollow else 2.0 * self.radius

    @property
    def largest_radius(self) -> float:
        """Its own, if it is hollow."""
        return self.radius if self.hollow else np.inf


@checked_fields()
@dataclass(frozen=True, eq=False)
class EllipsoidSurface(Surface):
    """An ellipsoid, such as a small asteroid.

    Parameters
    ----------
    semi_axes : (3,)
        [m].
    rotation : (3, 3) or Rotation, optional
        Its axes in the frame that it stands in.
    position : (3,)
        Its centre [m]; by its name.
    kind : str
        'ellipsoid', in files.

    Examples
    --------
    Itokawa is about 535 m long, 294 m wide and 209 m high.

    >>> import spacedyn as sd
    >>> sd.EllipsoidSurface((267.5, 147.0, 104.5)).gap([0, 0, 121.5]).item()
    17.0
    """

    semi_axes: ArrayLike
    rotation: Any = None

    code: ClassVar[int] = ELLIPSOID
    word: ClassVar[str] = "ellipsoid"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = finite_array("EllipsoidSurface: semi_axes", self.semi_axes, "three positive lengths [m]", [(3,)])
        if not np.all(given > 0.0):
            raise InputError(f"EllipsoidSurface: semi_axes must be three positive lengths [m], got {given.tolist()}")
        object.__setattr__(self, "semi_axes", given)
        object.__setattr__(self, "rotation", turned("EllipsoidSurface: rotation", self.rotation))

    @property
    def axes(self) -> Array:
        """As they are given."""
        return np.asarray(self.rotation)

    @property
    def parameters(self) -> Array:
        """Semi-axes."""
        return np.asarray(self.semi_axes)

    @property
    def finest(self) -> float:
        """Its shortest semi-axis."""
        return float(np.min(self.semi_axes))

    @property
    def deepest(self) -> float:
        """Half of its least semi-axis."""
        return 0.5 * float(np.min(self.semi_axes))

    @property
    def thickness(self) -> float:
        """Twice its least semi-axis."""
        return 2.0 * float(np.min(self.semi_axes))


def positive(what: str, value: Any) -> float:
    """A positive length."""
    number = one_number(what, value, "a positive length [m]")
    if not number > 0.0:
        raise InputError(f"{what} must be a positive length [m], got {number}")
    return number


def turned(what: str, value: Any) -> Array:
    """A rotation as a matrix, or an error by name."""
    problems: list[str] = []
    matrix = rotation_matrix(problems, what, value)
    if matrix is None:
        raise InputError(" ".join(problems))
    return np.array(matrix)


def surface_of(what: str, given: Any, kinds: Mapping[str, type[Surface]]) -> Surface:
    """A surface, or the table of its parameters that a file has of it, which says its kind."""
    if isinstance(given, Surface):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be a surface, such as Plane(normal=(0, 0, 1)), got {given!r}")
    check_names(f"surface of {what}: kind", [str(given.get("kind", "plane"))], kinds)
    made = kinds[str(given.get("kind", "plane"))]
    check_names(f"parameter of {what}: {made.__name__}", given, [one.name for one in fields(made)])
    return made(**given)
