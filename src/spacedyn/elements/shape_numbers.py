"""Integers and numbers of contact between shapes, as kernels/elements/pair_shapes.py reads them."""

from typing import Any, NamedTuple

import numpy as np

from ..contact.contacts import neighbours_before
from ..contact.materials import ContactMaterial
from ..contact.shape_table import make_table
from ..kernels.elements import contact_points as c
from ..kernels.elements import pair_contact as law
from ..kernels.elements import pair_shapes as p
from ..kernels.elements.pair_faces import FACE_WORK
from ..kernels.elements.pair_lists import FIRST_PAIR
from ..kernels.geometry import cores as k
from ..kernels.geometry.manifold import CORNERS, POINTS
from ..kernels.geometry.pairs import PAIR_WORK
from ..model.model import Model
from .contact import guards_of_point, has_bristles, law_choices, law_numbers, mass_of, resists_turning
from .element import Numbers, point_of
from .shape_pairs import Found, Piece, names_of, others_of

Array = np.ndarray
_LARGE = 4.0  # times the median reach: larger shapes are compared with all others, without cells
_SKIN = 0.3  # of the median reach: margin of the lists of near pairs
_ROOM = 32  # room in the list of near pairs, per shape
# room for contact places per round shape, per other shape, and per shape on a surface
_ROUND_PLACES, _PLACES, _SURFACE_PLACES = 16, 40, 16


class Kept(NamedTuple):
    """Sizes of what the kernels keep, in scalars."""

    centres: int
    rows: int
    search: int
    faces: int
    reference: int
    lists: int


def touching_rows(piece: Piece) -> tuple[Array, Array, float]:
    """Points of a shape against surfaces, in its own frame: places (n, 3), ellipsoids (n, 3, 3), radius of balls.

    A rim has four: the lowest, and those a quarter of a turn farther each.
    """
    a, b, h, _ = piece.size
    none, disc = np.zeros((3, 3)), np.diag([a * a, a * a, 0.0])
    match piece.kind:
        case k.SEGMENT:
            return np.array([[0.0, 0.0, -a], [0.0, 0.0, a]]), np.zeros((2, 3, 3)), piece.radius
        case k.BOX:
            corners = np.array([(x * a, y * b, z * h) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
            return corners, np.zeros((8, 3, 3)), piece.radius
        case k.CYLINDER:
            ends = np.repeat([-b, b] if b > 0.0 else [0.0], 4)
            return ends[:, None] * [0.0, 0.0, 1.0], np.array([disc] * len(ends)), piece.radius
        case k.CONE:
            return np.array([[0.0, 0.0, 0.0]] * 4 + [[0.0, 0.0, b]]), np.array([disc] * 4 + [none]), piece.radius
        case k.ELLIPSOID:
            return np.zeros((1, 3)), np.diag([a * a, b * b, h * h])[None], 0.0
        case k.HULL:
            vertices = np.asarray(piece.vertices)
            return vertices, np.zeros((len(vertices), 3, 3)), piece.radius
    return np.zeros((1, 3)), np.zeros((1, 3, 3)), piece.radius


def has_one_point(found: Found, i: int, j: int) -> bool:
    """Whether a pair never has more than one point."""
    if j >= len(found.pieces):
        return len(touching_rows(found.pieces[i])[0]) == 1
    return found.pieces[i].is_round or found.pieces[j].is_round


def bristle_states(found: Found) -> int:
    """States of a pair with bristles: three of their bend, and three of their twist where there may be faces."""
    return 3 if all(has_one_point(found, i, j) for i, j in found.pairs or ()) else 6


def guards_of(found: Found, pair: tuple[int, int], m: ContactMaterial) -> int:
    """Of a pair: those of its one point, or whether it touches."""
    return guards_of_point(m) if has_one_point(found, *pair) else 1


def slots_of(found: Found) -> int:
    """Size of the hash."""
    return 1 << max(4, (2 * len(found.pieces) - 1).bit_length())


def room_of_list(found: Found) -> int:
    """Room for near pairs, where cells find them."""
    return _ROOM * len(found.pieces)


def kept_sizes(found: Found) -> Kept:
    """Sizes of the kernels' kept numbers."""
    n, listed = len(found.pieces), found.pairs is not None
    rows = max(CORNERS, most_rows(found))
    lists = FIRST_PAIR + 2 * room_of_list(found) + n + slots_of(found) + 4 * n
    return Kept(3 * n, p.ROW * rows, PAIR_WORK, FACE_WORK, 0 if listed else 3 * n, 0 if listed else lists)


class Writer:
    """Writes tables one behind the other and returns where each starts."""

    def __init__(self, first: int):
        self.parts: list[Array] = []
        self.end = first

    def put(self, values: Any) -> int:
        """Append a table; return where it starts."""
        array, at = np.ravel(np.asarray(values, dtype=float)), self.end
        self.parts.append(array)
        self.end += array.size
        return at

    def all(self, head: Any) -> Array:
        """The head, then all tables."""
        return np.concatenate([np.asarray(head, dtype=float), *self.parts])


def numbers_of(model: Model, found: Found, settings: Any) -> Numbers:
    """All that the kernels read."""
    ints, numbers, head = Writer(p.PAIR_HEADER), Writer(p.NUMBERS), np.zeros(p.PAIR_HEADER)
    others = others_of(settings)
    pieces = [_inside(model, found, i) for i in range(len(found.pieces))]
    owner = np.array([body for body, _ in pieces])
    table = make_table([piece.convex for _, piece in pieces], owner)
    head[p.SHAPES], head[p.ON_BODIES], head[p.SURFACES] = len(pieces), found.moving, len(others)
    head[p.ON_SURFACES], head[p.PAIRS] = found.on_surfaces, -1 if found.pairs is None else len(found.pairs)
    head[p.SHAPE_AT], head[p.PARS_AT] = ints.put(table.ints), numbers.put(table.pars)
    head[p.VERTICES_AT] = numbers.put(table.vertices)
    touch = []
    for _, piece in pieces:
        places, cores, radius = touching_rows(piece)
        rows = [[*piece.position + piece.rotation @ at, *_six(piece.rotation @ M @ piece.rotation.T), radius]
                for at, M in zip(places, cores, strict=True)]  # fmt: skip
        about = p.RIMS if piece.kind in (k.CYLINDER, k.CONE) else p.SINGLE if np.any(cores != 0.0) else 0
        touch.append([numbers.put(rows), len(rows), about])
    head[p.TOUCH_AT] = ints.put(touch)
    frames = [numbers.put([*np.ravel(one.position), *one.axes.ravel(), *one.parameters]) for _, one in others]
    head[p.SURFACE_AT] = ints.put([[one.code, at] for (_, one), at in zip(others, frames, strict=True)])
    start = 0
    for place, size in zip(
        (p.CENTRES, p.ROWS_AT, p.SEARCH, p.FACES, p.REFERENCE, p.LISTS), kept_sizes(found), strict=True
    ):
        head[place], start = start, start + size
    _put_laws(model, found, settings, ints, numbers, head)
    reach = np.array([piece.convex.bound + piece.radius for _, piece in pieces])
    cell = _put_lists(model, found, owner, reach, ints, head)
    sharp = [one for one, (_, piece) in zip(reach, pieces, strict=True) if not piece.is_round]
    near = max([0.0, *(m.adhesion_range for m in all_materials(settings) if m.adhesion > 0.0)])
    first = np.zeros(p.NUMBERS)
    first[[p.MARGIN, p.SKIN, p.CELL, p.TWIST_RADIUS]] = (
        near,
        _SKIN * np.median(reach),
        cell + near,
        0.5 * min([*sharp, 2.0]),
    )
    return Numbers(tuple(int(x) for x in ints.all(head)), numbers.all(first))


def most_rows(found: Found) -> int:
    """The most points of a pair."""
    return max([POINTS, *(len(touching_rows(piece)[0]) for piece in found.pieces)])


def places_of_pairs(found: Found, settings: Any) -> list[tuple[int, int]]:
    """The most points of each listed pair, and how many places each has: one more where turning is resisted."""
    n, names = len(found.pieces), names_of(found.pieces, settings)
    made = []
    for i, j in found.pairs or ():
        many = len(touching_rows(found.pieces[i])[0]) if j >= n else 1 if has_one_point(found, i, j) else POINTS
        made.append((many, 1 + resists_turning(material_between(settings, names[i], names[j]))))
    return made


def places_of(found: Found, settings: Any) -> int:
    """Places that pairs need; where cells find them, room for as many as are near at a time."""
    if found.pairs is not None:
        return sum(many * width for many, width in places_of_pairs(found, settings))
    round_ones = sum(piece.is_round for piece in found.pieces)
    rows = [len(touching_rows(piece)[0]) for piece in found.pieces[: found.on_surfaces]]
    many = _ROUND_PLACES * round_ones + _PLACES * (len(found.pieces) - round_ones)
    many += len(others_of(settings)) * sum(min(one, _SURFACE_PLACES) for one in rows)
    return many * (1 + any(resists_turning(m) for m in all_materials(settings)))


def stepped_numbers(made: Numbers, found: Found, settings: Any) -> Numbers:
    """The numbers for a method that steps through contact: also the first place of each pair and their number.

    Contact points are searched up to a distance of a quarter of the smallest shape; steps must move bodies by less.
    """
    integers, numbers, first = list(made.integers), made.numbers.copy(), 0
    for q, (many, width) in enumerate(places_of_pairs(found, settings)):
        at = integers[p.PAIR_AT] + q * p.PAIR_INTS
        integers[at + p.PAIR_GUARD], integers[at + p.PAIR_BRISTLE] = first, many
        first += many * width
    if found.pairs is None:
        integers[p.PLACES], integers[p.KEYS] = places_of(found, settings), 2 * most_rows(found)
    integers[p.MOST_POINTS] = POINTS
    least = min(piece.convex.bound + piece.radius for piece in found.pieces[: found.moving])
    margin = max(numbers[p.MARGIN], 0.25 * least)
    numbers[p.CELL] += margin - numbers[p.MARGIN]
    numbers[p.MARGIN] = margin
    return Numbers(tuple(integers), numbers)


def all_materials(settings: Any) -> list[ContactMaterial]:
    """The material of all pairs, then those of named ones."""
    return [settings.material, *(m for _, _, m in settings.materials)]


def material_between(settings: Any, a: str, b: str) -> ContactMaterial:
    """That of two bodies, or of a body and a surface."""
    for one, other, m in settings.materials:
        if {one, other} == {a, b}:
            return m
    default: ContactMaterial = settings.material
    return default


def _inside(model: Model, found: Found, i: int) -> tuple[int, Piece]:
    """The number of its body and a piece in the frame that the kernels have of it."""
    piece = found.pieces[i]
    if i >= found.moving:
        return -1, piece
    body, place = point_of(model, piece.body, piece.position)
    turn = model.flat.to_internal[model.body_index(piece.body)] @ piece.rotation
    return body, piece._replace(position=place, rotation=turn)


def _six(M: Array) -> Array:
    return M[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def deepest_between(found: Found, settings: Any, i: int, j: int) -> float:
    """Depth at which a run fails [m]: of surfaces as theirs, of balls half of their radii; of others cores tell."""
    one = found.pieces[i]
    if j >= len(found.pieces):
        return float(others_of(settings)[j - len(found.pieces)][1].deepest + one.radius)
    other = found.pieces[j]
    return 0.5 * (one.radius + other.radius) if one.kind == other.kind == k.POINT else np.inf


def _put_laws(model: Model, found: Found, settings: Any, ints: Writer, numbers: Writer, head: Array) -> None:
    """Laws of pairs: of each that is listed; else of each pair of classes, which are bodies that a material names."""
    names, records = names_of(found.pieces, settings), []
    laws: dict[tuple[ContactMaterial, float, float], int] = {}
    masses, total = {body.name: body.mass for body in model.bodies}, mass_of(model)

    def number_of(m: ContactMaterial, mass: float, deepest: float) -> int:
        return laws.setdefault((m, mass, deepest), len(laws))

    if found.pairs is not None:
        guard, bristle, states = 0, 0, bristle_states(found)
        for i, j in found.pairs:
            m = material_between(settings, names[i], names[j])
            mass = min(masses[names[i]], masses[names[j]]) if j < found.moving else total
            which = number_of(m, mass or total, deepest_between(found, settings, i, j))
            records.append([i, j, which, guard if settings.guarded else -1, bristle if has_bristles(m) else -1])
            guard += guards_of(found, (i, j), m)
            bristle += states * has_bristles(m)
        head[p.BRISTLE_STATES] = states
    else:
        named = sorted({name for a, b, _ in settings.materials for name in (a, b)})
        surfaces = [name for name, _ in others_of(settings)]
        classes = ["", *dict.fromkeys([*named, *surfaces])]
        deep = {name: float(one.deepest) for name, one in others_of(settings)}
        head[p.CLASS_AT] = ints.put([classes.index(name) if name in classes else 0 for name in names])
        rows = [
            number_of(material_between(settings, a, b), total, min(deep.get(a, np.inf), deep.get(b, np.inf)))
            for a in classes
            for b in classes
        ]
        head[p.CLASS_LAW_AT], head[p.CLASSES] = ints.put(rows), len(classes)
    head[p.PAIR_AT], head[p.MOST_POINTS] = ints.put(records), CORNERS
    choices = [law_choices(m, settings.guarded) for m, _, _ in laws]
    head[p.CHOICES_AT] = ints.put(choices)
    head[p.LAWS_AT] = numbers.put([[*law_numbers(m, mass), deepest] for m, mass, deepest in laws])
    assert len(choices[0]) == law.LAW_CHOICES and c.FIRST - c.STIFFNESS == law.LAW_NUMBERS


def _put_lists(model: Model, found: Found, owner: Array, reach: Array, ints: Writer, head: Array) -> float:
    """Tables for finding pairs by cells; the size of a cell [m]."""
    if found.pairs is not None:
        return 1.0
    n, named = len(found.pieces), neighbours_before(model, {piece.body for piece in found.pieces[: found.moving]})
    order = model.flat.order
    before = [int(order[model.body_index(named[piece.body])]) if piece.body in named else -2 for piece in found.pieces]
    large = np.flatnonzero(reach > _LARGE * np.median(reach))
    head[p.BEFORE_AT], head[p.LARGE_AT], head[p.LARGE] = ints.put(before), ints.put(large), len(large)
    head[p.OMITTED_AT], head[p.OMITTED] = ints.put([i * n + j for i, j in found.omitted]), len(found.omitted)
    head[p.SLOTS], head[p.CAPACITY] = slots_of(found), room_of_list(found)
    small = np.delete(reach, large)
    return float(2.0 * small.max() + _SKIN * np.median(reach))
