"""Points where shapes of bodies may touch each other, or surfaces: gap, normal and place, without any law of force.

    for q in range(open_pairs(sim, e, zero)):            # once an evaluation: centres, then pairs that may be near
        i, j = pair_at(sim, e, q, zero)
        many, gap = find_points(sim, e, i, j, zero)      # rows of points, and the least gap
        for r in range(many):
            gap, gradient, place = row_of(sim, e, r, zero)

Shape i belongs to a body of the robot. j is another shape, of another body or of the inertial frame, or, counted
behind all shapes, a surface of the inertial frame. The gradient of the gap, with respect to body i, is the unit vector
from j to i (of bilinear ground it is no unit vector). Places are from the reference point of body i, in inertial axes,
halfway between both surfaces, or on i's own where j stands in the inertial frame; `frames_of` leads to j's body. All
are scalars. In a pack `many` is that of the lane with most points; rows of others have a gap of FAR. A pair whose
bounding balls are farther apart than MARGIN has one row, with the gap of the balls. Where cores overlap, deeper than
the radii, the gap is NaN.

Pairs are a list; or, of many shapes, all but those left out, found by cells (pair_lists.py).
"""

from ..geometry.cores import PLACE, POINT, RADIUS, SHAPE_PARS, TURN
from ..geometry.pairs import closest
from ..geometry.surfaces import HEIGHTS
from ..robot.spatial import add3, load3, scale3, shared3, shared9, sub3
from ..scalar.compiling import inner, separate
from ..scalar.fused_vectors import cross, dot3, turn
from ..scalar.lanes import stride_of
from ..scalar.memory import integer, later, shared
from ..scalar.pack import select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .contact_points import CORE, POINT_NUMBERS, gap_at, nearest_of_core
from .contact_points import RADIUS as RADIUS_OF_POINT
from .kind import lever, own, rotation
from .pair_faces import find_faces
from .pair_lists import list_pairs, listed_pair
from .pair_shapes import (
    CENTRES,
    FAR,
    MARGIN,
    NAN,
    PAIR_A,
    PAIR_AT,
    PAIR_B,
    PAIR_INTS,
    PAIRS,
    RIMS,
    SEARCH,
    SHAPES,
    TOUCH_AT,
    TOUCH_CORE,
    TOUCH_COUNT,
    TOUCH_FIRST,
    TOUCH_INTS,
    body_of,
    frames_of,
    is_round,
    kept_at,
    kind_of,
    place_centres,
    reach_of,
    shape_arrays,
    store_row,
    surface_of,
)

LEAN = 1e-12  # of a rim that is parallel to a surface


@inner
def open_pairs(sim, e, zero):
    """Place the centres of all shapes; how many pairs are to be looked at."""
    place_centres(sim, e, zero)
    if own(sim, e, PAIRS) >= 0:
        return own(sim, e, PAIRS)
    return list_pairs(sim, e, zero)


@inner
def pair_at(sim, e, q, zero):
    """Shapes i and j of pair q."""
    if own(sim, e, PAIRS) >= 0:
        at = own(sim, e, PAIR_AT) + q * PAIR_INTS
        return own(sim, e, at + PAIR_A), own(sim, e, at + PAIR_B)
    return listed_pair(sim, e, q, zero)


@inner
def ball_gap(sim, e, i, j, zero):
    """Gap of the bounding balls of two shapes, or of that of shape i to a surface; of height fields it is 0."""
    reach = reach_of(sim, e, i, zero)
    if j >= own(sim, e, SHAPES):
        ground = surface_of(sim, e, i, j, zero)
        if ground.kind == HEIGHTS:
            return zero  # their gap is no distance
        _, pars, _ = shape_arrays(sim, e)
        center = lever(sim, body_of(sim, e, i), shared3(pars, i * SHAPE_PARS + PLACE, zero), zero)
        return gap_at(sim, ground, center, zero)[0] - reach
    at = kept_at(sim, e, CENTRES)
    d = sub3(load3(sim.work, at + 3 * i, zero), load3(sim.work, at + 3 * j, zero))
    return sqrt(dot3(d, d)) - reach - reach_of(sim, e, j, zero)


@inner
def ball_points(sim, e, i, j, zero):
    """Gap, gradient and place of two balls, and their distance."""
    _, pars, _ = shape_arrays(sim, e)
    F = frames_of(sim, body_of(sim, e, i), body_of(sim, e, j), zero)
    ra, rb = shared(pars, i * SHAPE_PARS + RADIUS, zero), shared(pars, j * SHAPE_PARS + RADIUS, zero)
    a = add3(F.xa, turn(F.Ra, shared3(pars, i * SHAPE_PARS + PLACE, zero)))
    d = sub3(a, add3(F.xb, turn(F.Rb, shared3(pars, j * SHAPE_PARS + PLACE, zero))))
    square = dot3(d, d)
    apart = sqrt(select(square > 0.0, square, zero + 1.0))
    n, gap = scale3(1.0 / apart, d), apart - ra - rb
    inward = zero + ra if body_of(sim, e, j) < 0 else ra + 0.5 * gap
    return gap, n, sub3(a, scale3(inward, n)), select(square > 0.0, apart, zero)


@separate
def closest_points(sim, e, i, j, zero):
    """Gap, gradient and place where two shapes are closest, and the distance of their cores."""
    if kind_of(sim, e, i) == POINT and kind_of(sim, e, j) == POINT:
        return ball_points(sim, e, i, j, zero)
    ints, pars, vertices = shape_arrays(sim, e)
    F = frames_of(sim, body_of(sim, e, i), body_of(sim, e, j), zero)
    work, poses = later(sim.work, kept_at(sim, e, SEARCH) * stride_of(zero)), (F.xa, F.Ra, F.xb, F.Rb)
    gap, n, a, b, apart = closest(ints, pars, vertices, i, j, poses, work, zero)
    place = a if body_of(sim, e, j) < 0 else scale3(0.5, add3(a, b))
    return gap, scale3(-1.0, n), place, apart


@inner
def rim_of(sim, e, i, lean, zero):
    """The axis of a shape, inertial axes; and, in those of its body, a little across it: which way a rim leans."""
    _, pars, _ = shape_arrays(sim, e)
    Q = shared9(pars, i * SHAPE_PARS + TURN, zero)
    return turn(rotation(sim, body_of(sim, e, i), zero), (Q[2], Q[5], Q[8])), scale3(lean, (Q[0], Q[3], Q[6]))


@separate
def find_on_surface(sim, e, i, j, ball, zero):
    """Rows of the points of shape i over a surface; how many, and the least gap."""
    touch, ground = own(sim, e, TOUCH_AT) + i * TOUCH_INTS, surface_of(sim, e, i, j, zero)
    many, first = own(sim, e, touch + TOUCH_COUNT), own(sim, e, touch + TOUCH_FIRST)
    near, least = shared(sim.numbers, integer(sim.plan, e + E_NUMBERS) + MARGIN, zero), zero + FAR
    core, R, spoke = own(sim, e, touch + TOUCH_CORE), rotation(sim, body_of(sim, e, i), zero), (zero, zero, zero)
    axis, lean = rim_of(sim, e, i, LEAN if core == RIMS else 0.0, zero)
    for r in range(many):
        at = integer(sim.plan, e + E_NUMBERS) + first + r * POINT_NUMBERS
        center = lever(sim, body_of(sim, e, i), shared3(sim.numbers, at, zero), zero)
        if core == RIMS and r % 4 > 0:
            spoke = cross(axis, spoke)
        elif core > 0:
            spoke = nearest_of_core(sim, at + CORE, ground, (center, R), lean, zero)
        gap, G = gap_at(sim, ground, add3(center, spoke), zero)
        radius = shared(sim.numbers, at + RADIUS_OF_POINT, zero)
        place = sub3(add3(center, spoke), scale3(radius / sqrt(dot3(G, G)), G))
        gap = select(ball > near, ball, gap - radius)
        store_row(sim, e, r, gap, G, place)
        least = select(gap < least, gap, least)
    return many, least


@inner
def find_points(sim, e, i, j, zero):
    """Rows of the points of a pair; how many, and the least gap."""
    near = shared(sim.numbers, integer(sim.plan, e + E_NUMBERS) + MARGIN, zero)
    ball = ball_gap(sim, e, i, j, zero)
    if not somewhere(ball <= near):
        up = (zero, zero, zero + 1.0)
        store_row(sim, e, 0, ball, up, up)
        return 1, ball
    if j >= own(sim, e, SHAPES):
        return find_on_surface(sim, e, i, j, ball, zero)
    gap, G, place, apart = closest_points(sim, e, i, j, zero)
    gap = select(ball > near, ball, select(apart > 0.0, gap, zero + NAN))
    store_row(sim, e, 0, gap, G, place)
    if is_round(sim, e, i) or is_round(sim, e, j) or not somewhere(gap <= near):
        return 1, gap
    return find_faces(sim, e, i, j, (gap, G, place, apart), zero)
