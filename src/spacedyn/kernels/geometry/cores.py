"""Convex cores, from which shapes are made: a shape is all points within a radius of its core.

    POINT     a sphere            SEGMENT  a capsule, along z        BOX   half edges along x, y, z
    CYLINDER  radius, half length along z; of no length a disc       CONE  radius at z = 0, tip at z = height
    ELLIPSOID semi-axes, and the radius by which it is shrunk (the inner parallel surface, convex up to the smallest
              radius of curvature c²/a, so that an ellipsoid has a radius that does not change its form)
    HULL      vertices of a convex polyhedron

All in the core's own frame. `support` is the point of a core that is farthest along a direction, in float64.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, shared
from ..scalar.pack import sqrt

POINT, SEGMENT, BOX, CYLINDER, CONE, ELLIPSOID, HULL = range(7)

# integers of a shape
KIND, BODY, FIRST, COUNT, SHAPE_INTS = range(5)
# numbers of a shape: radius, four sizes of the core, radius of a ball about the frame's origin; pose in the body
RADIUS, SIZE, BOUND, PLACE, TURN, SHAPE_PARS = 0, 1, 5, 6, 9, 18


@inner
def core_of(ints, pars, i):
    """Kind, sizes and vertices of shape i, in float64."""
    k, p = i * SHAPE_INTS, i * SHAPE_PARS + SIZE
    return (
        integer(ints, k + KIND),
        integer(ints, k + FIRST),
        integer(ints, k + COUNT),
        shared(pars, p, 0.0),
        shared(pars, p + 1, 0.0),
        shared(pars, p + 2, 0.0),
        shared(pars, p + 3, 0.0),
    )


@inner
def sizes_of(pars, i, zero):
    """Sizes of the core of shape i."""
    p = i * SHAPE_PARS + SIZE
    return shared(pars, p, zero), shared(pars, p + 1, zero), shared(pars, p + 2, zero), shared(pars, p + 3, zero)


@inner
def toward(size, direction):
    """The end of an interval about zero that lies in a direction."""
    return size if direction >= 0.0 else -size


@inner
def farthest_vertex(vertices, first, count, d):
    """The vertex of a hull with the largest component along d."""
    best, most = first, -1e300
    for i in range(first, first + count):
        along = load(vertices, 3 * i, 0.0) * d[0]
        along += load(vertices, 3 * i + 1, 0.0) * d[1] + load(vertices, 3 * i + 2, 0.0) * d[2]
        if along > most:
            best, most = i, along
    return load(vertices, 3 * best, 0.0), load(vertices, 3 * best + 1, 0.0), load(vertices, 3 * best + 2, 0.0)


@inner
def rim(radius, d):
    """The point of a circle about z that is farthest along d; the centre where all are equally far."""
    across = sqrt(d[0] * d[0] + d[1] * d[1])
    scale = radius / across if across > 1e-300 else 0.0
    return scale * d[0], scale * d[1]


@outlined
def support(core, vertices, d):
    """The point of a core that is farthest along d, which need not be a unit vector."""
    kind, first, count, a, b, c, shrunk = core
    if kind == BOX:
        return toward(a, d[0]), toward(b, d[1]), toward(c, d[2])
    if kind == HULL:
        return farthest_vertex(vertices, first, count, d)
    if kind == SEGMENT:
        return 0.0, 0.0, toward(a, d[2])
    if kind == CYLINDER:
        x, y = rim(a, d)
        return x, y, toward(b, d[2])
    if kind == CONE:
        x, y = rim(a, d)
        return (x, y, 0.0) if x * d[0] + y * d[1] > b * d[2] else (0.0, 0.0, b)
    if kind == ELLIPSOID:
        x, y, z = a * d[0], b * d[1], c * d[2]
        length, size = sqrt(x * x + y * y + z * z), sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        s, r = (1.0 / length, shrunk / size) if length > 1e-300 else (0.0, 0.0)
        return s * a * x - r * d[0], s * b * y - r * d[1], s * c * z - r * d[2]
    return 0.0, 0.0, 0.0
