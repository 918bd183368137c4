"""Triangle meshes as surfaces: an asteroid's shape, a hull, a terrain of triangles."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, ModelWarning, warn_user
from ..kernels.geometry import triangles as k
from ..kernels.geometry.surfaces import MESH
from ..reals import NotReal, finite_array, real_array
from ..signatures import checked_fields
from .mesh_files import mesh_triangles
from .surfaces import Surface, turned

Array = np.ndarray
_LEAF = 4  # triangles of a leaf of the tree
_FLAT = 1e-12  # of its longest edge: a triangle this narrow has no area


@checked_fields()
@dataclass(frozen=True, eq=False)
class TriangleMesh(Surface):
    """A surface of triangles; what it is made of is on the inner side of them.

    Parameters
    ----------
    vertices : (n, 3)
        [m], in the mesh's own frame.
    faces : (m, 3)
        Numbers of the corners of each triangle, anticlockwise seen from outside.
    rotation : (3, 3) or Rotation, optional
        Its axes in the frame that it stands in.
    position : (3,)
        Of its origin [m]; by its name.
    kind : str
        'mesh', in files.

    Raises
    ------
    InputError
        If numbers are not finite, a face names a corner that is not there, no triangle has an area, or a closed mesh is
        inside out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> tent = sd.TriangleMesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> tent.gap([[0.2, 0.2, -0.5], [0.1, 0.2, 0.3]]).tolist()
    [0.5, -0.1]
    """

    vertices: ArrayLike
    faces: ArrayLike
    _: KW_ONLY
    rotation: Any = None

    code: ClassVar[int] = MESH
    word: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        super().__post_init__()
        points = finite_array("TriangleMesh: vertices", self.vertices, "points (n, 3) [m], finite numbers")
        if points.ndim != 2 or points.shape[1] != 3 or not len(points):
            raise InputError(f"TriangleMesh: vertices must be points (n, 3) [m], got shape {points.shape}")
        object.__setattr__(self, "vertices", np.array(points, dtype=float))
        object.__setattr__(self, "faces", _checked_faces(self.faces, points))
        object.__setattr__(self, "rotation", turned("TriangleMesh: rotation", self.rotation))
        if self.is_closed and self.volume < 0.0:
            raise InputError("TriangleMesh: its triangles are inside out; turn them over: faces[:, ::-1]")

    @classmethod
    def from_file(
        cls, path: str | Path, *, scale: ArrayLike = 1.0, position: ArrayLike = (0.0, 0.0, 0.0), rotation: Any = None
    ) -> "TriangleMesh":
        r"""A mesh from a file (STL, OBJ, PLY, GLB, …), by trimesh.

        Parameters
        ----------
        path : path
            The file.
        scale : float or (3,)
            Factors of its coordinates: 1000 if they are km.
        position, rotation
            As of the mesh itself.

        Raises
        ------
        InputError
            If the file cannot be read, or as for the mesh itself.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import spacedyn as sd
        >>> file = Path(tempfile.mkdtemp()) / "sheet.obj"
        >>> _ = file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        >>> sd.TriangleMesh.from_file(file, scale=10).gap([1, 2, 3]).item()
        3.0
        """
        points, faces = mesh_triangles("TriangleMesh", str(path), finite_array("scale", scale, "one number or three"))
        return cls(points, faces, position=position, rotation=rotation)

    @property
    def finest(self) -> float:
        """Its shortest edge."""
        corners = np.asarray(self.vertices)[np.asarray(self.faces, dtype=int)]
        return float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=-1).min())

    @property
    def axes(self) -> Array:
        """As they are given."""
        return np.asarray(self.rotation)

    @property
    def corners(self) -> Array:
        """(m, 3, 3) corners of the triangles [m], in its own frame."""
        return np.asarray(self.vertices)[np.asarray(self.faces)]

    @property
    def volume(self) -> float:
        """What it encloses, if it is closed [m^3]."""
        a, b, c = np.moveaxis(self.corners - self.corners[0, 0], 1, 0)
        return float(np.sum(a * np.cross(b, c)) / 6.0)

    @cached_property
    def is_closed(self) -> bool:
        """Whether each edge has two triangles, one to each side."""
        merged = _merged(self.corners)
        edges = np.concatenate([merged[:, [i, (i + 1) % 3]] for i in range(3)])
        there, back = ({tuple(edge) for edge in pairs.tolist()} for pairs in (edges, edges[:, ::-1]))
        return len(there) == len(edges) and there == back

    @property
    def thickness(self) -> float:
        """Its least extent along its axes, if it is closed."""
        return float(np.ptp(self.corners.reshape(-1, 3), axis=0).min()) if self.is_closed else np.inf

    @cached_property
    def tree(self) -> tuple[Array, Array]:
        """Nodes (n, 9) of the tree of boxes, and the order (m,) of the triangles in it."""
        return _tree(self.corners)

    @cached_property
    def parameters(self) -> Array:
        """Nodes and triangles, with normals of these, of their edges and corners."""
        nodes, order = self.tree
        rows = np.concatenate([self.corners.reshape(-1, 9), *_normals(self.corners)], axis=1)[order]
        return np.concatenate([[len(nodes), len(rows)], nodes.reshape(-1), rows.reshape(-1)])


def _checked_faces(faces: Any, points: Array) -> Array:
    """Numbers of corners, without triangles that have no area."""
    try:
        given = real_array(faces)
    except NotReal as reason:
        raise InputError(f"TriangleMesh: faces must be numbers of corners (m, 3), got {reason}") from None
    whole = np.isfinite(given) & (given == np.floor(given))
    if given.ndim != 2 or given.shape[1:] != (3,) or not len(given) or not whole.all():
        raise InputError(f"TriangleMesh: faces must be whole numbers (m, 3), got an array of shape {given.shape}")
    if given.min() < 0 or given.max() >= len(points):
        raise InputError(
            f"TriangleMesh: faces must be numbers of its {len(points)} vertices, from 0 on; got {int(given.min())} to "
            f"{int(given.max())}"
        )
    numbers = given.astype(np.int64)
    corners = points[numbers]
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    good = area > _FLAT * (sides**2).sum(axis=2).max(axis=1)
    if not good.any():
        raise InputError("TriangleMesh: no triangle of it has an area; look at its vertices and its scale")
    if not good.all():
        warn_user(f"TriangleMesh: {int((~good).sum())} triangles without area are left out", ModelWarning)
    return numbers[good]


def _merged(corners: Array) -> Array:
    """Numbers (m, 3) of corners, equal where places are."""
    _, number = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return number.reshape(-1, 3)


def _normals(corners: Array) -> tuple[Array, Array, Array]:
    """Unit normals (m, 3) of triangles, their sums at edges ab, bc, ca (m, 9) and, by angles, at corners (m, 9)."""
    sides = np.roll(corners, -1, axis=1) - corners  # ab, bc, ca
    face = np.cross(sides[:, 0], sides[:, 1])
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    merged, count = _merged(corners), len(corners)
    after = np.roll(merged, -1, axis=1)
    keys = np.minimum(merged, after) * (merged.max() + 1) + np.maximum(merged, after)
    _, edge = np.unique(keys.reshape(-1), return_inverse=True)
    at_edges = np.zeros((edge.max() + 1, 3))
    np.add.at(at_edges, edge, np.repeat(face, 3, axis=0))
    unit = sides / np.linalg.norm(sides, axis=2, keepdims=True)
    angle = np.arccos(np.clip(-np.sum(unit * np.roll(unit, 1, axis=1), axis=2), -1.0, 1.0))
    at_corners = np.zeros((merged.max() + 1, 3))
    np.add.at(at_corners, merged.reshape(-1), angle.reshape(-1, 1) * np.repeat(face, 3, axis=0))
    return face, at_edges[edge].reshape(count, 9), at_corners[merged].reshape(count, 9)


def _tree(corners: Array) -> tuple[Array, Array]:
    """A tree of boxes, halved at the median along the longest side, its nodes in the order of a walk."""
    low, high, middle = corners.min(axis=1), corners.max(axis=1), corners.mean(axis=1)
    nodes: list[list[float]] = []
    order: list[Array] = []
    waiting: list[tuple[Array, int]] = [(np.arange(len(corners)), -1)]
    placed = 0
    while waiting:
        mine, closes = waiting.pop()
        if closes >= 0:
            nodes[closes][k.SKIP] = float(len(nodes))
            continue
        box = [*low[mine].min(axis=0), *high[mine].max(axis=0)]
        number, leaf = len(nodes), len(mine) <= _LEAF
        nodes.append([*box, number + 1.0, float(placed), float(len(mine) if leaf else 0)])
        if leaf:
            order.append(mine)
            placed += len(mine)
            continue
        axis = int(np.argmax(np.ptp(middle[mine], axis=0)))
        sorted_ = mine[np.argsort(middle[mine, axis], kind="stable")]
        half = len(mine) // 2
        waiting += [(mine[:0], number), (sorted_[half:], -1), (sorted_[:half], -1)]
    return np.array(nodes), np.concatenate(order)
