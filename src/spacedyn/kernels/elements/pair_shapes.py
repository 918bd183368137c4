"""Shapes that bodies carry, as an element has them: tables, frames, centres, and rows of points where pairs touch."""

from collections import namedtuple

from ..geometry.cores import BODY, BOUND, ELLIPSOID, PLACE, POINT, RADIUS, SHAPE_INTS, SHAPE_PARS
from ..geometry.cores import KIND as SHAPE_KIND  # the layout of a simulation has one, too
from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of, rests
from ..robot.spatial import add3, load3, load9, scale3, shared3, shared9, store3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer, later, load, shared, store
from ..sim.layout import *  # noqa: F403
from .contact_points import Ground, still_frame
from .kind import lever, own

# integers of the element: how many shapes, of which those of bodies come first, surfaces, listed pairs (-1: all that
# are near); where its tables start among its integers
SHAPES, ON_BODIES, SURFACES, PAIRS, SHAPE_AT, TOUCH_AT, SURFACE_AT, PAIR_AT = range(8)
# more integers: where its tables start among its numbers
PARS_AT, VERTICES_AT, FRAMES_AT = range(8, 11)
# more integers: where in what it keeps centres, rows, the scratch memory of searches and of faces are
CENTRES, ROWS_AT, SEARCH, FACES = range(11, 15)
# more integers, of pairs that are found by cells (pair_lists.py): shapes that meet surfaces; tables of integers: the
# body before that of each shape, large shapes, pairs left out; places of what is kept, sizes of the hash and the list
ON_SURFACES, BEFORE_AT, LARGE_AT, LARGE, OMITTED_AT, OMITTED, REFERENCE, LISTS, SLOTS, CAPACITY = range(15, 25)
# more integers, of the law of compliant contact (pair_contact.py): tables of choices and numbers; classes of shapes and
# surfaces, and the law of each pair of classes; states of a pair's bristles
CHOICES_AT, LAWS_AT, CLASS_AT, CLASS_LAW_AT, CLASSES, BRISTLE_STATES = range(25, 31)
# more integers, of places that are handed out (found_places.py): room for how many; keys that a pair has; how many
# points faces may have (manifold.py)
PLACES, KEYS, MOST_POINTS, PAIR_HEADER = range(31, 35)
# numbers: gap up to which points of faces and surfaces are looked for; how much farther lists of pairs reach; cells;
# the radius at which bristles against turning about the normal are
MARGIN, SKIN, CELL, TWIST_RADIUS, NUMBERS = range(5)
TOUCH_INTS, TOUCH_FIRST, TOUCH_COUNT, TOUCH_CORE = 3, 0, 1, 2  # of a shape: its points against surfaces
SINGLE, RIMS = 1, 2  # kinds of what is about them: ellipsoids; rims, of which four points each are
SURFACE_INTS, SURFACE_KIND, SURFACE_NUMBERS = 2, 0, 1
SURFACE_FRAME = 12  # numbers of a surface's frame: place, axes
PAIR_INTS, PAIR_A, PAIR_B, PAIR_LAW, PAIR_GUARD, PAIR_BRISTLE = 5, 0, 1, 2, 3, 4
ROW, R_GAP, R_GRADIENT, R_PLACE, R_WEIGHT = 8, 0, 1, 4, 7
FAR = 1e9
NAN = float("nan")

Frames = namedtuple("Frames", "xa Ra xb Rb between")
"""Positions, from the reference point of the first body, and rotations of both bodies' frames; the reference point of
the second body, or the origin of the inertial frame, from that of the first."""


@inner
def shape_arrays(sim, e):
    """Integers, numbers and vertices of all shapes, as the geometry reads them."""
    ints, numbers = integer(sim.plan, e + E_OWN), integer(sim.plan, e + E_NUMBERS)
    return (
        later(sim.plan, ints + own(sim, e, SHAPE_AT)),
        later(sim.numbers, numbers + own(sim, e, PARS_AT)),
        later(sim.numbers, numbers + own(sim, e, VERTICES_AT)),
    )


@inner
def body_of(sim, e, i):
    """The body of shape i; -1 of one of the inertial frame, and of surfaces."""
    if i >= own(sim, e, SHAPES):
        return -1
    return own(sim, e, own(sim, e, SHAPE_AT) + i * SHAPE_INTS + BODY)


@inner
def kind_of(sim, e, i):
    """The kind of the core of shape i."""
    return own(sim, e, own(sim, e, SHAPE_AT) + i * SHAPE_INTS + SHAPE_KIND)


@inner
def is_round(sim, e, i):
    """Whether shape i touches others at one point alone."""
    return kind_of(sim, e, i) == POINT or kind_of(sim, e, i) == ELLIPSOID


@inner
def has_one_point(sim, e, i, j):
    """Whether a pair never has more than one point."""
    if j >= own(sim, e, SHAPES):
        return own(sim, e, own(sim, e, TOUCH_AT) + i * TOUCH_INTS + TOUCH_COUNT) == 1
    return is_round(sim, e, i) or is_round(sim, e, j)


@inner
def has_faces(sim, e, i, j):
    """Whether a pair is of two shapes whose faces or edges may lie on each other."""
    return j < own(sim, e, SHAPES) and not has_one_point(sim, e, i, j)


@inner
def kept_at(sim, e, part):
    """Where a part of what it keeps is in `work`."""
    return integer(sim.plan, e + E_KEPT) + own(sim, e, part)


@inner
def place_centres(sim, e, zero):
    """Centres of all shapes, from the base's centre of mass."""
    _, pars, _ = shape_arrays(sim, e)
    at, moving = kept_at(sim, e, CENTRES), own(sim, e, ON_BODIES)
    for i in range(moving):
        b = body_of(sim, e, i)
        if not rests(sim.tree, b):
            r = lever(sim, b, shared3(pars, i * SHAPE_PARS + PLACE, zero), zero)
            store3(sim.work, at + 3 * i, add3(origin_of(sim.tree, sim.work, b, zero), r))
    for i in range(moving, own(sim, e, SHAPES)):
        base, place = load3(sim.work, integer(sim.tree, W_X), zero), shared3(pars, i * SHAPE_PARS + PLACE, zero)
        store3(sim.work, at + 3 * i, sub3(place, base))


@inner
def reach_of(sim, e, i, zero):
    """Radius of the ball about the centre that holds shape i."""
    at = integer(sim.plan, e + E_NUMBERS) + own(sim, e, PARS_AT) + i * SHAPE_PARS
    return shared(sim.numbers, at + BOUND, zero) + shared(sim.numbers, at + RADIUS, zero)


@inner
def frames_of(sim, a, b, zero):
    """Frames of bodies a and b; b is -1 for the inertial one."""
    at, here = integer(sim.tree, W_BODY) + a * BODY_WORK, origin_of(sim.tree, sim.work, a, zero)
    xa, Ra = load3(sim.work, at + POSITION, zero), load9(sim.work, at + ROTATION, zero)
    if b < 0:
        one = zero + 1.0
        between = scale3(-1.0, add3(here, load3(sim.work, integer(sim.tree, W_X), zero)))
        xb, Rb = between, (one, zero, zero, zero, one, zero, zero, zero, one)
    else:
        at = integer(sim.tree, W_BODY) + b * BODY_WORK
        between = sub3(origin_of(sim.tree, sim.work, b, zero), here)
        xb, Rb = add3(between, load3(sim.work, at + POSITION, zero)), load9(sim.work, at + ROTATION, zero)
    return Frames(xa, Ra, xb, Rb, between)


@inner
def surface_of(sim, e, i, j, zero):
    """Surface j, from the reference point of shape i's body."""
    at = own(sim, e, SURFACE_AT) + (j - own(sim, e, SHAPES)) * SURFACE_INTS
    numbers = integer(sim.plan, e + E_NUMBERS) + own(sim, e, at + SURFACE_NUMBERS)
    S, origin, between = still_frame(
        sim, body_of(sim, e, i), shared3(sim.numbers, numbers, zero), shared9(sim.numbers, numbers + 3, zero), zero
    )
    return Ground(S, origin, between, own(sim, e, at + SURFACE_KIND), numbers + SURFACE_FRAME)


@inner
def store_row(sim, e, r, gap, gradient, place):
    at = kept_at(sim, e, ROWS_AT) + r * ROW
    store(sim.work, at + R_GAP, gap)
    store3(sim.work, at + R_GRADIENT, gradient)
    store3(sim.work, at + R_PLACE, place)


@inner
def row_of(sim, e, r, zero):
    """Gap, gradient and place of row r."""
    at = kept_at(sim, e, ROWS_AT) + r * ROW
    gap = load(sim.work, at + R_GAP, zero)
    return gap, load3(sim.work, at + R_GRADIENT, zero), load3(sim.work, at + R_PLACE, zero)


@inner
def store_weight(sim, e, r, weight):
    """Of one of several points of faces: its share in the force of those that are close to it."""
    store(sim.work, kept_at(sim, e, ROWS_AT) + r * ROW + R_WEIGHT, weight)


@inner
def weight_of_row(sim, e, r, zero):
    return load(sim.work, kept_at(sim, e, ROWS_AT) + r * ROW + R_WEIGHT, zero)
