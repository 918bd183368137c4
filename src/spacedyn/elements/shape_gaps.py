"""The nearest, or deepest, pair of shapes in a state, for checks and messages."""

from typing import Any, NamedTuple

import numpy as np

from ..contact.contacts import near_pairs, neighbours_before
from ..contact.distances import body_poses
from ..contact.shape_table import ShapeTable, make_table
from ..contact.surface_distances import pair_rows, surface_rows
from ..model.model import robot_of
from ..model.state import State
from .shape_numbers import deepest_between
from .shape_pairs import Found, names_of, others_of

Array = np.ndarray


class Nearest(NamedTuple):
    """Of one state: names of the pair with the least gap, that gap and how deep it may be [m]; no names if none is."""

    pair: tuple[str, str] | None
    gap: float
    deepest: float


def table_of(found: Found, model: Any) -> ShapeTable:
    """Pieces as the geometry has them; what stands in the inertial frame is of one more body."""
    owner = [model.body_index(piece.body) for piece in found.pieces[: found.moving]]
    world = [len(model.bodies)] * (len(found.pieces) - found.moving)
    return make_table([piece.convex for piece in found.pieces], np.array([*owner, *world], dtype=np.int64))


def poses_of(model: Any, state: State) -> Array:
    """Poses of bodies, and that of the inertial frame."""
    poses = body_poses(model, state)
    still = np.broadcast_to(np.append(np.zeros(3), np.eye(3).reshape(9)), (len(poses), 1, 12))
    return np.ascontiguousarray(np.concatenate([poses, still], axis=1))


def nearest_pairs(found: Found, settings: Any, state: State) -> list[Nearest]:
    """For each state of a flattened batch the pair with the least gap; cores that overlap have one of -inf."""
    model = robot_of(state.model, 0)
    table, poses, names = table_of(found, model), poses_of(state.model, state), names_of(found.pieces, settings)
    best: list[Nearest] = []
    for row in range(len(poses)):
        one = poses[row : row + 1]
        if not np.isfinite(one).all():
            best.append(Nearest(None, np.inf, np.inf))
            continue
        pairs = _pairs(found, model, table, poses, row)
        rows = pair_rows(table, pairs, one)[0] if len(pairs) else np.zeros((0, 11))
        gaps = np.where(rows[:, 10] > 0.0, rows[:, 0], -np.inf)
        every = [(float(gap), int(i), int(j)) for gap, (i, j) in zip(gaps, pairs, strict=True)]
        every += _on_surfaces(found, settings, table, one)
        if not every:
            best.append(Nearest(None, np.inf, np.inf))
            continue

        def excess(item: tuple[float, int, int]) -> float:
            gap, i, j = item
            return gap + min(_deepest(found, settings, i, j), 1e9)

        gap, i, j = min(every, key=excess)
        best.append(Nearest((names[i], names[j]), gap, _deepest(found, settings, i, j)))
    return best


def _deepest(found: Found, settings: Any, i: int, j: int) -> float:
    limit = deepest_between(found, settings, i, j)
    if np.isfinite(limit) or j >= len(found.pieces):
        return limit
    return found.pieces[i].radius + found.pieces[j].radius


def _pairs(found: Found, model: Any, table: ShapeTable, poses: Array, row: int) -> Array:
    """Pairs of convex shapes to look at."""
    if found.pairs is not None:
        return np.array([pair for pair in found.pairs if pair[1] < len(found.pieces)], dtype=np.int64).reshape(-1, 2)
    named = neighbours_before(model, {piece.body for piece in found.pieces[: found.moving]})
    before = np.full(len(model.bodies) + 1, -1)
    for name, above in named.items():
        before[model.body_index(name)] = model.body_index(above)
    near = near_pairs(table, before, poses, row, 0.0)
    omitted = set(found.omitted)
    return np.array([pair for pair in near if tuple(pair) not in omitted], dtype=np.int64).reshape(-1, 2)


def _on_surfaces(found: Found, settings: Any, table: ShapeTable, poses: Array) -> list[tuple[float, int, int]]:
    """Gaps of shapes over surfaces."""
    many, every = len(found.pieces), []
    for s, (_, surface) in enumerate(others_of(settings)):
        if found.pairs is None:
            shapes = np.arange(found.on_surfaces)
        else:
            shapes = np.array([i for i, j in found.pairs if j == many + s], dtype=np.int64)
        if len(shapes):
            rows = surface_rows(table, shapes, surface, poses)[0]
            every += [(float(gap), int(i), many + s) for gap, i in zip(rows[:, 0], shapes, strict=True)]
    return every
