"""The face of a core in a direction: its corners, for contacts of faces and edges with several points.

A corner counts if its line to the farthest point of the core is within ANGLE of the plane across the direction; of a
box, if the edges to it are. A round face has eight points of its rim. In float64, in the core's own frame; points are
rows of three in memory.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import load, store
from ..scalar.pack import sqrt
from ..scalar.trigonometry import sincos
from ..scalar.vectors import dot3, load3, store3, sub3
from .cores import BOX, CONE, CYLINDER, HULL, SEGMENT, support

ANGLE = 0.02
MOST = 16
EIGHTH = 0.7853981633974483


@inner
def is_beside(d, far, p):
    """Whether p is as far along the unit vector d as the farthest point, but for the angle."""
    e = sub3(far, p)
    down, square = dot3(d, e), dot3(e, e)
    return down * down <= ANGLE * ANGLE * square


@inner
def add_corner(out, count, d, far, p):
    """Note a corner if it belongs to the face and there is room."""
    if count < MOST and is_beside(d, far, p):
        store3(out, 3 * count, p)
        return count + 1
    return count


@inner
def sides(half, d):
    """Ends of a box along an axis that are of its face: 1 the negative one, 2 the positive one, 3 both."""
    if half > 0.0 and abs(d) <= ANGLE:
        return 3
    return 2 if d >= 0.0 else 1


@inner
def add_rim(out, radius, z):
    """Eight points of a rim."""
    for i in range(8):
        s, c = sincos((i + 0.5) * EIGHTH)
        store3(out, 3 * i, (radius * c, radius * s, z))
    return 8


@inner
def round_face(core, d, far, out):
    """Of a cylinder or a cone: eight points of an end, two of the side, or one."""
    kind, radius, height = core[0], core[3], core[4]
    across = sqrt(d[0] * d[0] + d[1] * d[1])
    if across <= ANGLE and radius > 0.0 and (kind == CYLINDER or d[2] < 0.0):
        return add_rim(out, radius, far[2] if kind == CYLINDER else 0.0)
    x, y = radius * d[0] / max(across, 1e-300), radius * d[1] / max(across, 1e-300)
    count = add_corner(out, 0, d, far, (x, y, -height if kind == CYLINDER else 0.0))
    other = (x, y, height) if kind == CYLINDER else (0.0, 0.0, height)
    return add_corner(out, count, d, far, other) if height > 0.0 else count


@outlined
def face(core, vertices, d, out):
    """Corners of the face along the unit vector d into `out`, in any order; how many."""
    kind, first, many = core[0], core[1], core[2]
    far, count = support(core, vertices, d), 0
    if kind == BOX:
        x, y, z = sides(core[3], d[0]), sides(core[4], d[1]), sides(core[5], d[2])
        for i in range(8):  # signs of coordinates: an edge that is level has both ends
            if x & (1 + (i & 1)) and y & (1 + (i >> 1 & 1)) and z & (1 + (i >> 2)):
                x_end, y_end = core[3] if i & 1 else -core[3], core[4] if i & 2 else -core[4]
                store3(out, 3 * count, (x_end, y_end, core[5] if i & 4 else -core[5]))
                count += 1
    elif kind == HULL:
        for i in range(first, first + many):
            count = add_corner(out, count, d, far, load3(vertices, 3 * i, 0.0))
    elif kind == SEGMENT:
        count = add_corner(out, 0, d, far, (0.0, 0.0, core[3]))
        count = add_corner(out, count, d, far, (0.0, 0.0, -core[3])) if core[3] > 0.0 else count
    elif kind == CYLINDER or kind == CONE:
        count = round_face(core, d, far, out)
    if count == 0:
        store3(out, 0, far)
        count = 1
    return count


@inner
def sort_around(points, count):
    """Order the corners (x, y, z) of a convex face counter-clockwise, by angles in the xy plane about their mean."""
    x, y = 0.0, 0.0
    for i in range(count):
        x, y = x + load(points, 3 * i, 0.0) / count, y + load(points, 3 * i + 1, 0.0) / count
    for i in range(1, count):
        p, j = load3(points, 3 * i, 0.0), i
        while j > 0 and is_before(
            p[0] - x, p[1] - y, load(points, 3 * j - 3, 0.0) - x, load(points, 3 * j - 2, 0.0) - y
        ):
            store3(points, 3 * j, load3(points, 3 * j - 3, 0.0))
            j -= 1
        store3(points, 3 * j, p)
    for k in range(3 * count, 3 * count + 3):
        store(points, k, load(points, k - 3 * count, 0.0))  # the first again, behind the last


@inner
def is_before(x, y, u, v):
    """Whether the angle of (x, y) is less than that of (u, v), from -pi to pi."""
    lower, other = y < 0.0, v < 0.0
    return lower if lower != other else x * v - y * u > 0.0
