"""Pairs of shapes that may touch: what a model has of them, and the integers and numbers of the kernels."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..contact.contacts import neighbours_before
from ..contact.convex import Convex
from ..contact.height_fields import SURFACES, read_surface
from ..contact.materials import ContactMaterial, read_material
from ..contact.shape_table import shape_table
from ..contact.surface_distances import as_shape
from ..contact.surfaces import Surface
from ..errors import InputError, ModelWarning, UnknownName, warn_user
from ..kernels.geometry import cores as k
from ..model.model import Model
from ..reals import one_number
from ..signatures import is_several

Array = np.ndarray
MOST_LISTED = 300
"""Pairs up to which each has channels, guards and bristles of its own; of more, near ones are found by cells."""


class Piece(NamedTuple):
    """A shape that touches: of a body, or, with the name of a surface, of the inertial frame."""

    body: str
    name: str
    kind: int
    size: tuple[float, ...]
    radius: float
    position: Array
    rotation: Array
    vertices: Array | None

    @property
    def convex(self) -> Convex:
        """The convex shape in the form of `kernels/geometry`."""
        a, b, c, d = (float(x) for x in self.size)
        return Convex(self.name, int(self.kind), (a, b, c, d), self.radius, self.position, self.rotation, self.vertices)

    @property
    def is_round(self) -> bool:
        """Whether it touches others at one point alone."""
        return self.kind in (k.POINT, k.ELLIPSOID)


class Found(NamedTuple):
    """What a model has: pieces of bodies that meet surfaces, of a fixed base, of the inertial frame; pairs, if listed.

    The second of a pair may be a surface, counted behind all pieces.
    """

    pieces: tuple[Piece, ...]
    on_surfaces: int
    moving: int
    pairs: tuple[tuple[int, int], ...] | None
    omitted: tuple[tuple[int, int], ...]


def read_rounding(what: str, given: Any) -> float | tuple[tuple[str, float], ...]:
    """Radius of edges [m], of all bodies or by their names: a number, {body: number} or pairs of both."""
    if isinstance(given, Mapping):
        given = list(given.items())
    if not isinstance(given, tuple | list):
        return one_number(what, given, "0 or more [m]")
    found = []
    for one in given:
        if not isinstance(one, tuple | list) or len(one) != 2 or not isinstance(one[0], str):
            raise InputError(f"{what}: expected a number or {{body: number}}, got {one!r}")
        found.append((one[0], one_number(f"{what} of '{one[0]}'", one[1], "0 or more [m]")))
    return tuple(found)


def read_found(what: str, given: Any, surfaces: int) -> Found:
    """Read `Found` from a file, fully checked, since kernels use its numbers as indices."""
    try:
        pieces, on_surfaces, moving, pairs, omitted = given
        made = tuple(_read_piece(*one) for one in pieces)
        listed = None if pairs is None else tuple((int(i), int(j)) for i, j in pairs)
        left_out = tuple((int(i), int(j)) for i, j in omitted)
        found = Found(made, int(on_surfaces), int(moving), listed, left_out)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} is not what a simulation found in its model; leave it out") from None
    ends = len(made), len(made) + surfaces
    if not 0 <= found.on_surfaces <= found.moving <= len(made):
        raise InputError(f"{what} counts {on_surfaces} and {moving} of {len(made)} shapes; leave it out")
    if any(not (0 <= i < ends[0] and 0 <= j < ends[1]) for i, j in (*(listed or ()), *left_out)):
        raise InputError(f"{what} has pairs beyond its {ends[0]} shapes and {surfaces} surfaces; leave it out")
    return found


def _read_piece(body: Any, name: Any, kind: Any, size: Any, radius: Any, *place: Any) -> Piece:
    """A shape of a file, or ValueError."""
    position, rotation = (np.asarray(one, dtype=float) for one in place[:2])
    (vertices,) = place[2:]
    corners = None if vertices is None else np.asarray(vertices, dtype=float)
    a, b, c, d = (float(x) for x in size)
    numbers = [np.array([a, b, c, d, radius]), position.ravel(), rotation.ravel()]
    numbers += [] if corners is None else [corners.ravel()]
    is_hull = corners is not None and corners.ndim == 2 and corners.shape[1] == 3 and len(corners) > 0
    fits = position.shape == (3,) and rotation.shape == (3, 3) and min(a, b, c, d, radius) >= 0.0
    if not (fits and kind in range(k.HULL + 1) and is_hull == (kind == k.HULL)):
        raise ValueError
    turned = np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-9
    if not (turned and np.abs(np.concatenate(numbers)).max() < 1e100):
        raise ValueError
    return Piece(str(body), str(name), int(kind), (a, b, c, d), float(radius), position, rotation, corners)


def read_pairs(what: str, given: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of names, or an error by name."""
    listed = list(given) if is_several(given) and not isinstance(given, str) else [given]
    for pair in listed:
        names = list(pair) if is_several(pair) and not isinstance(pair, str) else []
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise InputError(f"{what}: expected pairs of names such as [('finger', 'box')], got {pair!r}")
        if names[0] == names[1]:
            raise InputError(f"{what}: {tuple(names)!r} is one name twice; a body does not touch itself: name two")
    return tuple((str(a), str(b)) for a, b in listed)


def read_materials(what: str, given: Any) -> tuple[tuple[str, str, ContactMaterial], ...]:
    """Materials of pairs of names: {(a, b): material}, or a sequence of (a, b, material)."""
    listed: list[Any] = []
    if isinstance(given, Mapping):
        for key, one in given.items():
            listed.append((*key, one) if isinstance(key, tuple) else (key, one))
    elif is_several(given) and not isinstance(given, str):
        listed = list(given)
    else:
        listed = [given]
    found = []
    for one in listed:
        parts = list(one) if is_several(one) and not isinstance(one, str) else []
        if len(parts) != 3:
            raise InputError(f"{what}: expected {{('finger', 'box'): material}} or (name, name, material), got {one!r}")
        ((a, b),) = read_pairs(what, [parts[:2]])
        found.append((a, b, read_material(f"{what} of {a!r} and {b!r}", parts[2])))
    return tuple(found)


def read_surfaces(what: str, given: Any) -> tuple[tuple[str, Surface], ...]:
    """Surfaces by name: one, several, {name: surface}, or a sequence of (name, surface); without names, by kinds."""
    if isinstance(given, Surface) or (isinstance(given, Mapping) and isinstance(given.get("kind"), str)):
        given = [given]
    if isinstance(given, Mapping):
        listed: list[Any] = list(given.items())
    else:
        listed = list(given) if is_several(given) and not isinstance(given, str) else [given]
    found: dict[str, Surface] = {}
    for one in listed:
        pair = is_several(one) and not isinstance(one, str | Mapping) and len(list(one)) == 2
        name, surface = one if pair else (None, one)
        made = read_surface(what, surface)
        if type(made) not in SURFACES.values():
            kinds = ", ".join(kind.__name__ for kind in SURFACES.values())
            raise InputError(f"{what}: {type(made).__name__} is none that shapes touch; they touch {kinds}")
        if name is None:
            name = made.kind if made.kind not in found else f"{made.kind} {len(found)}"
        if not isinstance(name, str) or name in found:
            raise InputError(f"{what}: {name!r} is no name, or there twice; give each surface a name of its own")
        found[name] = made
    return tuple(found.items())


def find_pairs(what: str, model: Model, settings: Any) -> Found:
    """Shapes of a model, and pairs of them and of surfaces that may touch."""
    rounding = settings.rounding if isinstance(settings.rounding, float) else dict(settings.rounding)
    table = shape_table(model, rounding)
    fixed = model.base_kind == "fixed"
    shapes = [
        (0 if not fixed or owner else 1, model.bodies[owner].name, shape)
        for shape, owner in zip(table.shapes, table.owner, strict=True)
    ]
    surfaces = settings.surfaces
    world = [(2, name, shape) for name, one in surfaces if (shape := as_shape(one)) is not None]
    order = sorted(range(len(shapes)), key=lambda i: shapes[i][0])
    every = [*(shapes[i] for i in order), *world]
    pieces = tuple(
        Piece(name, s.name, s.kind, s.size, s.radius, s.position, s.rotation, s.vertices) for _, name, s in every
    )
    sorts = [sort for sort, _, _ in every]
    on_surfaces, moving = sorts.count(0), len(sorts) - sorts.count(2)
    if not moving:
        raise InputError(
            f"{what}: no body of '{model.name}' has a shape to touch with; give bodies `collisions`, or shapes that "
            "they are made of"
        )
    _check_names(what, model, pieces, settings)
    pairs = _allowed(model, pieces, on_surfaces, moving, settings)
    if settings.pairs is not None:
        _warn_of_joints(what, model, settings.pairs)
    if len(pairs) > MOST_LISTED and settings.pairs is None:
        return Found(pieces, on_surfaces, moving, None, _omitted(pieces, on_surfaces, moving, settings))
    if not pairs:
        raise InputError(f"{what}: no two shapes may touch; name pairs=…, give surfaces=…, or leave it out")
    return Found(pieces, on_surfaces, moving, pairs, ())


def others_of(settings: Any) -> list[tuple[str, Surface]]:
    """Surfaces that are no convex shapes: planes, hollow spheres, height fields, meshes."""
    return [(name, one) for name, one in settings.surfaces if as_shape(one) is None]


def names_of(pieces: Sequence[Piece], settings: Any) -> list[str]:
    """Of the body or surface of each piece, then of surfaces that are no convex shapes."""
    return [*(piece.body for piece in pieces), *(name for name, _ in others_of(settings))]


def _allowed(
    model: Model, pieces: Sequence[Piece], on_surfaces: int, moving: int, settings: Any
) -> tuple[tuple[int, int], ...]:
    """Pairs of numbers, in order, up to one more than can be listed where nothing names them."""
    names = names_of(pieces, settings)
    before = neighbours_before(model, {piece.body for piece in pieces[:moving]})
    wanted = None if settings.pairs is None else {frozenset(pair) for pair in settings.pairs}
    left_out = {frozenset(pair) for pair in settings.exclude}
    found: list[tuple[int, int]] = []
    for i in range(moving):
        for j in range(i + 1, len(names)):
            a, b = names[i], names[j]
            if a == b or (i >= on_surfaces and j >= moving) or frozenset((a, b)) in left_out:
                continue
            if wanted is None and (before.get(a) == b or before.get(b) == a):
                continue
            if wanted is None or frozenset((a, b)) in wanted:
                found.append((i, j))
        if wanted is None and len(found) > MOST_LISTED:
            break
    return tuple(found)


def _omitted(pieces: Sequence[Piece], on_surfaces: int, moving: int, settings: Any) -> tuple[tuple[int, int], ...]:
    """Pairs that are left out by name, and those of a fixed base and the inertial frame."""
    left_out = {frozenset(pair) for pair in settings.exclude}
    by_name: dict[str, list[int]] = {}
    for i, piece in enumerate(pieces):
        by_name.setdefault(piece.body, []).append(i)
    found = {(i, j) for i in range(on_surfaces, moving) for j in range(moving, len(pieces))}
    for a, b in (sorted(pair) for pair in left_out):
        found |= {(min(i, j), max(i, j)) for i in by_name.get(a, []) for j in by_name.get(b, [])}
    return tuple(sorted(found))


def _check_names(what: str, model: Model, pieces: Sequence[Piece], settings: Any) -> None:
    """Raise unless every name in lists is that of a body with shapes or of a surface."""
    surfaces = [name for name, _ in settings.surfaces]
    twice = [name for name in surfaces if name in model.body_names]
    if twice:
        raise InputError(f"{what}: surface and body are both called '{twice[0]}'; give the surface another name")
    known = [*dict.fromkeys(piece.body for piece in pieces), *surfaces]
    for pair in (*(settings.pairs or ()), *settings.exclude, *((a, b) for a, b, _ in settings.materials)):
        for name in pair:
            if name in model.body_names and name not in known:
                raise InputError(
                    f"{what}: body '{name}' has no shape to touch with; give it `collisions`, or shapes that it is "
                    f"made of. Bodies that have: {', '.join(known)}"
                )
            if name not in known:
                raise UnknownName(f"{what}: body or surface", name, known)


def _warn_of_joints(what: str, model: Model, pairs: Sequence[tuple[str, str]]) -> None:
    """Warn of named bodies that a joint keeps together."""
    for joint in model.joints:
        if joint.kind != "free" and any({joint.parent, joint.child} == set(pair) for pair in pairs):
            warn_user(
                f"{what}: bodies '{joint.parent}' and '{joint.child}' are joined by '{joint.name}', and may overlap "
                "there for good; leave the pair out, or use limits of the joint (lower, upper, stop_stiffness)",
                ModelWarning,
            )
