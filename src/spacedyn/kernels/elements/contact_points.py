"""Where the points of a body touch a surface, and how fast: geometry of compliant contact.

A contact point is a place of the body, with an ellipsoid about it, |M^-1/2 s| = 1, and a ball around that; M = 0 and a
radius of 0 are a point, M = R^2 (1 - a a') is a disc with the axis a, the rim of a wheel. The point of the ellipsoid
that is nearest to a plane with the normal n is s = -M n / sqrt(n.M n); on a curved surface n is taken where s was found
last, a few times. Everything is relative to the body's reference point, in inertial axes.
"""

from collections import namedtuple

from ..geometry.surfaces import PLANE, surface_gap
from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, apply_symmetric, compose, dot3, load3, scale3, shared3, sub3, turn, turn_back
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared
from ..scalar.pack import sqrt
from ..sim.layout import *  # noqa: F403
from .kind import angular_velocity, guard, lever, matrix, own, rotation, switch, vector, velocity

Law = namedtuple("Law", "numbers choices guards bristles")
"""Of a point: where the numbers of its material are in `numbers` and its choices in `plan`, as STIFFNESS ... and
GUARDS ... count them; its first guard, or -1 if signs decide; its first bristle's state."""

# integers of the element: bodies, kind of the surface, how many points, where in its numbers the surface's own numbers
# and the points are, whether points have ellipsoids
BODY, OTHER, SURFACE, POINTS, SURFACE_AT, POINTS_AT, HAS_CORES = range(7)
# more integers: guards of a point, and which of them it has; kind of friction; whether turning is resisted
GUARDS, GUARDED, PULLS, STICKS, ADHERES, FRICTION, TURNS = range(HAS_CORES + 1, HAS_CORES + 8)
NONE, REGULARISED, BRISTLES = range(3)  # kinds of friction
# numbers behind the surface's frame
STIFFNESS, EXPONENT, DISSIPATION, DAMPING, SLIDING, STATIC, STRIBECK, BEND, VISCOSITY, SLOW = range(12, 22)
ROLLING, TORSION, SLOW_TURN, ADHESION, RANGE, DEEPEST, FIRST = range(22, 29)
PLACE, AXES = 0, 3  # the surface's frame, before these numbers
POINT_NUMBERS, CORE, RADIUS = 10, 3, 9  # of a point: its place, its ellipsoid M, its radius
TINY = 1e-200
SEARCHES = 6  # iterations for the nearest point of an ellipsoid on a curved surface

Ground = namedtuple("Ground", "S origin between kind at")
"""Axes of the surface's frame, its origin from the body's reference point; the other body's reference point from it;
kind of the surface, and where its numbers are."""

Touch = namedtuple("Touch", "gap gradient size normal at center speed turning S")
"""Gap, its gradient and the gradient's size; unit normal; where the body touches and the point's own place, from the
body's reference point; velocity of the body there and angular velocity, both relative to the surface; its axes."""


@inner
def law_of(sim, e, j):
    """The law of point j."""
    own_at = integer(sim.plan, e + E_OWN)
    first = j * own(sim, e, GUARDS) if own(sim, e, GUARDED) == 1 else -1
    return Law(integer(sim.plan, e + E_NUMBERS), own_at, first, 3 * j)


@inner
def number(sim, law, i, zero):
    """Number i of a law: STIFFNESS, ..."""
    return shared(sim.numbers, law.numbers + i, zero)


@inner
def choice(sim, law, i):
    """Choice i of a law: PULLS, ..."""
    return integer(sim.plan, law.choices + i)


@inner
def still_frame(sim, i, place, A, zero):
    """Axes, origin and reference point of a frame fixed in the inertial frame, relative to body i's reference point."""
    x, y = (zero + A[0], zero + A[1], zero + A[2]), (zero + A[3], zero + A[4], zero + A[5])
    S = x + y + (zero + A[6], zero + A[7], zero + A[8])
    here, base = origin_of(sim.tree, sim.work, i, zero), load3(sim.work, integer(sim.tree, W_X), zero)
    return S, sub3(sub3(place, base), here), scale3(-1.0, add3(here, base))


@inner
def ground_of(sim, e, zero):
    """The surface and its frame."""
    i, other, A, place = own(sim, e, BODY), own(sim, e, OTHER), matrix(sim, e, AXES, zero), vector(sim, e, PLACE, zero)
    if other < 0:
        S, origin, between = still_frame(sim, i, place, A, zero)
    else:
        S = compose(rotation(sim, other, zero), A)
        between = sub3(origin_of(sim.tree, sim.work, other, zero), origin_of(sim.tree, sim.work, i, zero))
        origin = add3(between, lever(sim, other, place, zero))
    return Ground(S, origin, between, own(sim, e, SURFACE), integer(sim.plan, e + E_NUMBERS) + own(sim, e, SURFACE_AT))


@inner
def gap_at(sim, ground, at, zero):
    """Gap of a place, and its gradient in inertial axes."""
    p = turn_back(ground.S, sub3(at, ground.origin))
    g = surface_gap(sim.numbers, ground.at, ground.kind, p, zero)
    return g[0], turn(ground.S, (g[1], g[2], g[3]))


@inner
def nearest_of_core(sim, at, ground, frame, lean, zero):
    """The point of an ellipsoid, with numbers at `at` and a frame (center, axes), which is nearest to the surface.

    It is from the center. `lean` is added to the surface's normal, in the ellipsoid's axes.
    """
    center, R = frame
    found = zero, zero, zero
    M = (
        shared(sim.numbers, at, zero),
        shared(sim.numbers, at + 1, zero),
        shared(sim.numbers, at + 2, zero),
        shared(sim.numbers, at + 3, zero),
        shared(sim.numbers, at + 4, zero),
        shared(sim.numbers, at + 5, zero),
    )
    for _ in range(1 if ground.kind == PLANE else SEARCHES):
        n = add3(turn_back(R, gap_at(sim, ground, add3(center, found), zero)[1]), lean)
        Mn = apply_symmetric(M, n)
        found = turn(R, scale3(-1.0 / sqrt(dot3(n, Mn) + TINY), Mn))
    return found


@inner
def point_place(sim, at, has_core, ground, center, R, zero):
    """Gap, its gradient, and from the center where a point touches; its numbers are at `at`, its axes are R."""
    core = zero, zero, zero
    if has_core == 1:
        core = nearest_of_core(sim, at + CORE, ground, (center, R), (0.0, 0.0, 0.0), zero)
    gap, G = gap_at(sim, ground, add3(center, core), zero)
    radius = load(sim.numbers, at + RADIUS, 0.0)
    return gap - radius, G, sub3(core, scale3(radius / sqrt(dot3(G, G)), G))


@inner
def point_gap(sim, i, at, has_core, ground, zero):
    """Gap, gradient and place of a point that body i carries, and its center; its numbers are at `at`."""
    center = lever(sim, i, shared3(sim.numbers, at, zero), zero)
    gap, G, rho = point_place(sim, at, has_core, ground, center, rotation(sim, i, zero), zero)
    return gap, G, add3(center, rho), center


@inner
def point_numbers(sim, e, j):
    """Where the numbers of point j are."""
    return integer(sim.plan, e + E_NUMBERS) + own(sim, e, POINTS_AT) + j * POINT_NUMBERS


@inner
def place_of(sim, e, j, ground, center, R, zero):
    """Gap, its gradient, and from the center where point j touches, for a center and axes of the body."""
    return point_place(sim, point_numbers(sim, e, j), own(sim, e, HAS_CORES), ground, center, R, zero)


@inner
def touch_of(sim, e, j, ground, zero):
    """Gap, gradient, place and velocity of point j relative to the surface."""
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    gap, G, place, center = point_gap(sim, i, point_numbers(sim, e, j), own(sim, e, HAS_CORES), ground, zero)
    return touch_at(sim, (i, other), (gap, G, place, center), ground.between, ground.S, zero)


@inner
def touch_at(sim, bodies, point, between, S, zero):
    """Relative motion at a point (gap, gradient, place, center) where the first body may touch the second, or -1."""
    i, other = bodies
    gap, G, place, center = point
    size = sqrt(dot3(G, G))
    speed, turning = velocity(sim, i, place, zero), angular_velocity(sim, i, zero)
    if other >= 0:
        speed = sub3(speed, velocity(sim, other, sub3(place, between), zero))
        turning = sub3(turning, angular_velocity(sim, other, zero))
    return Touch(gap, G, size, scale3(1.0 / size, G), place, center, speed, turning, S)


@inner
def decides(sim, e, law, which, value, zero):
    """The side that a step holds for guard `which` of a point, or without guards the sign of the value itself."""
    if law.guards < 0:
        return zero + value
    guard(sim, e, law.guards + which, zero + value)
    return switch(sim, e, law.guards + which, zero + value, zero)
