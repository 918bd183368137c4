"""All points of contact of a robot, with itself and with surfaces: `sd.contacts`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.geometry import broad_phase as _broad
from ..kernels.geometry import contact_points as _points
from ..kernels.geometry.faces import MOST
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_state
from ..reals import one_number, type_name
from ..signatures import is_several, known_names
from .distances import body_poses, check_deep, too_deep
from .shape_table import ShapeTable, shape_table
from .surface_distances import above, surface_rows, vertices_of
from .surfaces import Plane, Surface

Array = np.ndarray
_LARGE = 4.0  # times the median: boxes longer than this are held against all others


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points of contact, one in each row; inertial axes, SI."""

    state: Array  # (n,) number of the state in the flattened batch; 0 of a single state
    a: tuple[str, ...]  # (n) bodies
    b: tuple[str, ...]  # (n) bodies or surfaces
    gap: Array  # (n,) [m], negative where they overlap
    normal: Array  # (n, 3) unit vectors from a to b
    point_a: Array  # (n, 3) on a [m]
    point_b: Array  # (n, 3) on b: point_a + gap normal

    def __len__(self) -> int:
        return len(self.a)

    def between(self, a: str, b: str) -> "Contacts":
        """Those of two bodies, or of a body and a surface, by their names, in either order."""
        keep = np.array([{a, b} == {one, other} for one, other in zip(self.a, self.b, strict=True)], dtype=bool)
        return self._only(keep)

    def of_state(self, index: int) -> "Contacts":
        """Those of one state of a batch, by its number in the flattened batch."""
        return self._only(self.state == index)

    def _only(self, keep: Array) -> "Contacts":
        a, b = (tuple(name for name, kept in zip(names, keep, strict=True) if kept) for names in (self.a, self.b))
        arrays = (self.gap, self.normal, self.point_a, self.point_b)
        return Contacts(self.state[keep], a, b, *(array[keep] for array in arrays))


@known_names
def contacts(
    model: Model,
    state: State,
    *,
    within: float = 0.0,
    surfaces: Any = (),
    pairs: Sequence[tuple[str, str]] | None = None,
    neighbors: bool = False,
    rounding: float | Mapping[str, float] = 0.0,
    deep: str = "error",
) -> Contacts:
    """All points where bodies touch each other or surfaces: up to four for each pair of convex shapes.

    Shapes are those of `distance`. Where faces or edges lie on each other, within 0.02 rad, the points are corners of
    what they have in common; elsewhere the closest points. Left out are shapes of one body, and neighbours: two bodies
    of which one carries the other by a joint, with no body that has shapes between them; a free joint makes no
    neighbours. A fixed base is not held against surfaces. Boxes about shapes tell which pairs are looked at, so that
    the work grows with the number of bodies, not of pairs.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    within : float
        The largest gap of a contact [m].
    surfaces : surface, sequence of surfaces, or {name: surface}
        What stands in the inertial frame: `sd.Plane()`, … Without names they are called by their kinds: 'plane'.
    pairs : sequence of (str, str), optional
        Names of bodies that are to be looked at, neighbours or not; all if left out, none between bodies if empty.
    neighbors : bool
        Whether neighbours in the tree count too.
    rounding, deep
        As of `distance`.

    Returns
    -------
    Contacts
        `state`, `a`, `b`, `gap`, `normal` from a to b, `point_a`, `point_b`: a row for each point, in the order of
        states, bodies, surfaces.

    Raises
    ------
    UnknownName
        If no body has a name in `pairs`.
    InputError
        If shapes overlap deeper than their radii, or an argument is not as above.

    Examples
    --------
    >>> import spacedyn as sd
    >>> builder = sd.Builder("lander")
    >>> builder.base("bus", shapes=[sd.shapes.box(500.0, (2, 1, 1))])
    >>> lander = builder.build()
    >>> feet = sd.contacts(lander, lander.state(base_position=[0, 0, 0.501]), surfaces=sd.Plane(), within=0.01)
    >>> len(feet), feet.b[0], feet.gap.round(9).tolist()
    (4, 'plane', [0.001, 0.001, 0.001, 0.001])
    """
    check_state(model, state)
    check_deep("contacts()", deep)
    if not isinstance(neighbors, bool | np.bool_):
        raise InputError(f"contacts(): neighbors: expected True or False, got {type_name(neighbors)}")
    reach = one_number("contacts(): within", within, "a length [m]")
    table, grounds, poses = shape_table(model, rounding), _named(surfaces), body_poses(model, state)
    asked = None if pairs is None else _pairs_of_shapes(model, table, pairs)
    before = np.full(len(model.bodies) + 1, -1) if neighbors else _neighbours(model, table)
    found = _Rows(model, state, table, deep, reach)
    for row in range(len(poses)):
        some = asked if asked is not None else near_pairs(table, before, poses, row, reach)
        found.add_pairs(row, some, _touching(table, some, poses, row))
        for name, surface in grounds.items():
            found.add_surface(row, name, surface, poses)
    return found.made()


def near_pairs(table: ShapeTable, before: Array, poses: Array, row: int, within: float) -> Array:
    """Pairs (n, 2) of shapes whose boxes come within a distance, sorted."""
    n = len(table.shapes)
    if n < 2:
        return np.zeros((0, 2), dtype=np.int64)
    box = np.zeros((n, 6))
    arrays = (table.ints, table.pars, table.vertices, poses.reshape(-1))
    _broad.boxes(*arrays, 0.5 * max(within, 0.0), box.reshape(-1), row, poses.shape[1])
    longest = (box[:, 3:] - box[:, :3]).max(axis=1)
    limit = _LARGE * float(np.median(longest))
    large = longest > limit
    cell = max(float(longest[~large].max(initial=0.0)), 1e-9 * (1.0 + float(np.abs(box).max())))
    slots, room = 1 << max(4, int(2 * n - 1).bit_length()), 4 * n
    while True:
        head, following, cells = np.full(slots, -1), np.empty(n, dtype=np.int64), np.zeros(3 * n, dtype=np.int64)
        pairs = np.zeros(2 * room, dtype=np.int64)
        count = _broad.candidates(box.reshape(-1), table.owner, before, cell, large, head, following, cells, pairs)
        if count <= room:
            some = pairs[: 2 * count].reshape(-1, 2)
            return some[np.lexsort((some[:, 1], some[:, 0]))]
        room = count


def _touching(table: ShapeTable, pairs: Array, poses: Array, row: int) -> Array:
    """Results (pairs, 42) of the kernels for pairs of shapes in one state."""
    out = np.zeros((len(pairs), _points.RESULT))
    if out.size:
        arrays = (table.ints, table.pars, table.vertices, np.ascontiguousarray(pairs).reshape(-1), poses.reshape(-1))
        _points.run(*arrays, np.zeros(_points.CONTACT_WORK), out.reshape(-1), row, poses.shape[1])
    return out


class _Rows:
    """Collects points of contact, state by state."""

    def __init__(self, model: Model, state: State, table: ShapeTable, deep: str, within: float):
        self.model, self.state, self.table, self.deep, self.within = model, state, table, deep, within
        self.names: list[tuple[str, str]] = []
        self.of: list[int] = []
        self.points: list[Array] = []

    def add_pairs(self, row: int, pairs: Array, found: Array) -> None:
        """Points of pairs of shapes."""
        bodies = self.model.body_names
        for p in np.flatnonzero((found[:, 1] <= 0.0) | (found[:, 2] <= self.within)):
            i, j = pairs[p]
            points = found[p, 2:].reshape(-1, _points.POINT)[: int(found[p, 0])]
            names = (bodies[self.table.owner[i]], bodies[self.table.owner[j]])
            self._add(row, names, points, found[p, 1] <= 0.0, pairs[p])

    def add_surface(self, row: int, name: str, surface: Surface, poses: Array) -> None:
        """Points of all bodies that can move, on one surface."""
        first = 1 if self.model.base_kind == "fixed" else 0
        shapes = np.flatnonzero(self.table.owner >= first)
        one = poses[row : row + 1]
        found = surface_rows(self.table, shapes, surface, one)[0]
        for i, nearest in zip(shapes, found, strict=True):
            if nearest[10] <= 0.0 or nearest[0] <= self.within:
                points = nearest[None, :10] if nearest[10] <= 0.0 else self._on(surface, int(i), nearest, one)
                names = (self.model.body_names[self.table.owner[i]], name)
                self._add(row, names, points, nearest[10] <= 0.0, np.array([i, -1]))

    def _on(self, surface: Surface, i: int, nearest: Array, poses: Array) -> Array:
        """Points of one shape on a surface: of a plane up to four corners, of others all vertices that are near."""
        if isinstance(surface, Plane):
            return _corners_on(self.table, i, surface, nearest, poses, self.within)
        vertices = None if nearest[0] > self.within else vertices_of(self.table, i, poses)
        if vertices is None or vertices.shape[1] == 1:
            return nearest[None, :10]
        found = above(surface, vertices[0], self.table.shapes[i].radius)[:, :10]
        found = found[found[:, 0] <= self.within]
        lowest = found[:, 0].min(initial=np.inf)
        return found if lowest <= nearest[0] + 1e-12 else np.concatenate([nearest[None, :10], found])

    def _add(self, row: int, names: tuple[str, str], points: Array, overlap: bool, pair: Array) -> None:
        if overlap:
            if self.deep == "error":
                raise too_deep("contacts()", self.model, self.state, row, self.table, pair)
            points = np.full((1, _points.POINT), np.nan)
            points[0, 0] = -np.inf
        points = points[points[:, 0] <= self.within]
        self.names += [names] * len(points)
        self.of += [row] * len(points)
        self.points.append(points)

    def made(self) -> Contacts:
        """All of them."""
        rows = np.concatenate([np.zeros((0, _points.POINT)), *self.points])
        a, b = tuple(name for name, _ in self.names), tuple(name for _, name in self.names)
        numbers = np.array(self.of, dtype=np.int64)
        return Contacts(numbers, a, b, rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, 7:10])


def _corners_on(table: ShapeTable, i: int, plane: Plane, nearest: Array, poses: Array, within: float) -> Array:
    """Up to four points of a shape on a plane: the lowest, and corners of its face that are far apart."""
    room, normal = np.zeros(3 * MOST), np.asarray(plane.normal, dtype=float)
    arrays = (table.ints, table.pars, table.vertices, i, poses.reshape(-1), -normal, room)
    count = _points.corners(*arrays, 0, poses.shape[1])
    found = above(plane, room.reshape(-1, 3)[:count])[:, :10]
    found = found[found[:, 0] <= within]
    if not len(found) or nearest[0] < found[:, 0].min() - 1e-12 * (1.0 + np.abs(nearest[4:7]).max()):
        found = np.concatenate([nearest[None, :10], found])  # a rim's lowest point is none of its eight
    return found[spread(found[:, 4:7] @ plane.axes[:, :2], found[:, 0])]


def spread(points: Array, gap: Array) -> Array:
    """Numbers of up to four points (n, 2): of the least gap, the farthest from it, and farthest to both sides.

    >>> spread(np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]), np.zeros(5)).tolist()
    [0, 1, 2, 3]
    """
    first = int(np.argmin(gap))
    away = points - points[first]
    second = int(np.argmax((away**2).sum(axis=1)))
    side = away[second, 0] * away[:, 1] - away[second, 1] * away[:, 0]
    most = 1e-9 * float((away[second] ** 2).sum())
    ends = [int(end) for end in (np.argmax(side), np.argmin(side)) if abs(side[end]) > most]
    return np.array(sorted({first, second, *ends}, key=lambda i: (i != first, i)))


def _named(surfaces: Any) -> dict[str, Surface]:
    """Surfaces by their names, or by their kinds."""
    if isinstance(surfaces, Surface):
        surfaces = [surfaces]
    if isinstance(surfaces, Mapping):
        named = dict(surfaces)
    else:
        listed = list(surfaces) if is_several(surfaces) and not isinstance(surfaces, str) else [surfaces]
        named = {}
        for one in listed:
            word = one.kind if isinstance(one, Surface) else "surface"
            named[word if word not in named else f"{word} {len(named)}"] = one
    for name, one in named.items():
        if not isinstance(one, Surface):
            raise InputError(f"contacts(): surfaces: expected surfaces such as Plane(), got {one!r} for {name!r}")
    return named


def _pairs_of_shapes(model: Model, table: ShapeTable, pairs: Any) -> Array:
    """Pairs of shapes (n, 2) of named bodies."""
    listed = list(pairs) if is_several(pairs) and not isinstance(pairs, str) else [pairs]
    found: list[tuple[int, int]] = []
    for pair in listed:
        if not is_several(pair) or isinstance(pair, str) or len(list(pair)) != 2:
            raise InputError(f"contacts(): pairs: expected pairs of bodies such as [('arm', 'bus')], got {pair!r}")
        i, j = (model.body_index(name) for name in pair)
        if i == j:
            raise InputError(f"contacts(): pairs: {pair!r} is one body twice; name two")
        found += [(int(p), int(q)) for p in table.of(i) for q in table.of(j)]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def neighbours_before(model: Model, shaped: set[str]) -> dict[str, str]:
    """For each body the nearest one toward the base that has shapes, by name; a free joint makes no neighbours."""
    parent = {joint.child: joint.parent for joint in model.joints if joint.kind != "free"}
    before: dict[str, str] = {}
    for body in model.bodies:
        above = parent.get(body.name)
        while above is not None and above not in shaped:
            above = parent.get(above)
        if above is not None:
            before[body.name] = above
    return before


def _neighbours(model: Model, table: ShapeTable) -> Array:
    """For each body the number of the nearest one toward the base that has shapes, or -1."""
    named = neighbours_before(model, {model.bodies[i].name for i in set(table.owner.tolist())})
    before = np.full(len(model.bodies) + 1, -1)
    for i, body in enumerate(model.bodies):
        before[i] = model.body_index(named[body.name]) if body.name in named else -1
    return before
