"""Distance of convex shapes to a triangle mesh: the nearest triangle by GJK, others left out by a tree of boxes.

A triangle is a hull of three vertices. In float64. A core that crosses a triangle, or is inside of the mesh, has no
normal; a point (a sphere's) has one at any depth, see triangles.py.
"""

from ..scalar.compiling import entry, inner, outlined
from ..scalar.memory import integer, load, pointer, shared, store
from ..scalar.pack import sqrt
from ..scalar.vectors import add3, dot3, load3, load9, scale3, shared3, store3, sub3, turn, turn_back
from .cores import BODY, BOUND, HULL, KIND, POINT, RADIUS, SHAPE_INTS, SHAPE_PARS, core_of, support
from .gjk import GJK_WORK
from .pairs import onto_b, pose_of, search_cores
from .rows import gather_pose
from .triangles import FIRST_NODE, HIGH, LOW, MANY, NODE, NODES, SKIP, START, mesh_gap

RESULT = 11  # gap, normal from the shape to the mesh, both points, distance of core and mesh (0: too deep)


@inner
def reach(core, vertices, d):
    """How far a core reaches along d."""
    p = support(core, vertices, d)
    return p[0] * d[0] + p[1] * d[1] + p[2] * d[2]


@inner
def core_box(core, vertices, x, R):
    """Low and high corner of a box about a core whose frame is at x, R in the mesh's."""
    a, b, c = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    high = (reach(core, vertices, a), reach(core, vertices, b), reach(core, vertices, c))
    a, b, c = scale3(-1.0, a), scale3(-1.0, b), scale3(-1.0, c)
    low = (reach(core, vertices, a), reach(core, vertices, b), reach(core, vertices, c))
    return sub3(x, low), add3(x, high)


@inner
def between(low, high, start, end):
    """Distance of two intervals."""
    return max(0.0, max(start - high, low - end))


@inner
def boxes_apart(numbers, node, low, high):
    """Square of the distance of a box to a node's."""
    a, b = shared3(numbers, node + LOW, 0.0), shared3(numbers, node + HIGH, 0.0)
    x, y = between(low[0], high[0], a[0], b[0]), between(low[1], high[1], a[1], b[1])
    z = between(low[2], high[2], a[2], b[2])
    return x * x + y * y + z * z


@outlined
def nearest_of_mesh(core, vertices, first, numbers, x, R, size, work):
    """The core's closest point in its frame and the mesh's in the mesh's, with the distance; 0 if they cross.

    The core's frame is at x, R in the mesh's; `first` is the number of the mesh's first vertex.
    """
    Rt = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    t = scale3(-1.0, turn_back(R, x))  # the mesh's frame, in the core's
    low, high = core_box(core, vertices, x, R)
    nodes, best, i = int(load(numbers, NODES, 0.0)), 1e300, 0
    a, b, crossed = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False
    while i < nodes and not crossed:
        node = FIRST_NODE + i * NODE
        if not boxes_apart(numbers, node, low, high) < best:
            i = int(load(numbers, node + SKIP, 0.0))
            continue
        start = int(load(numbers, node + START, 0.0))
        for k in range(int(load(numbers, node + MANY, 0.0))):
            triangle = (HULL, first + 3 * (start + k), 3, 0.0, 0.0, 0.0, 0.0)
            p, apart = search_cores(core, triangle, vertices, Rt, t, size, work)
            q, _ = onto_b(HULL, (0.0, 0.0, 0.0, 0.0), load9(work, GJK_WORK + 9, 0.0), Rt, t, p, 0.0)
            e = sub3(q, p)
            crossed = crossed or not apart
            if dot3(e, e) < best:
                best, a, b = dot3(e, e), p, add3(x, turn(R, q))
        i += 1
    return a, b, 0.0 if crossed else sqrt(best)


@inner
def write_result(out, k, frame, point, n, gap, apart):
    """A result in inertial axes, from the mesh's: the mesh's point, the normal toward it, the gap."""
    x, R = frame
    normal, b = turn(R, n), add3(x, turn(R, point))
    store(out, k, gap)
    store3(out, k + 1, normal)
    store3(out, k + 4, sub3(b, scale3(gap, normal)))
    store3(out, k + 7, b)
    store(out, k + 10, apart)


@entry
def run(ints, pars, vertices, shapes, numbers, first, mesh, poses, work, out, count, bodies):
    """Rows of poses to rows of results (shapes, 11), for a mesh at `mesh` (position, rotation) in inertial axes."""
    many = shapes.size
    ints, pars, vertices, shapes = pointer(ints), pointer(pars), pointer(vertices), pointer(shapes)
    numbers, mesh, poses, work, out = pointer(numbers), pointer(mesh), pointer(poses), pointer(work), pointer(out)
    frame = (load3(mesh, 0, 0.0), load9(mesh, 3, 0.0))
    for row in range(count):
        for s in range(many):
            i, k = integer(shapes, s), (row * many + s) * RESULT
            x, R = gather_pose(poses, bodies, row, count - 1, integer(ints, i * SHAPE_INTS + BODY), 0.0)
            x, R = pose_of(pars, i, x, R, 0.0)
            x, radius = turn_back(frame[1], sub3(x, frame[0])), shared(pars, i * SHAPE_PARS + RADIUS, 0.0)
            if integer(ints, i * SHAPE_INTS + KIND) == POINT:
                gap, nx, ny, nz = mesh_gap(numbers, 0, x, 0.0)
                n = (-nx, -ny, -nz)
                write_result(out, k, frame, add3(x, scale3(gap, n)), n, gap - radius, 1.0)
                continue
            u, v = turn_back(frame[1], (R[0], R[3], R[6])), turn_back(frame[1], (R[1], R[4], R[7]))
            w = turn_back(frame[1], (R[2], R[5], R[8]))
            R = (u[0], v[0], w[0], u[1], v[1], w[1], u[2], v[2], w[2])
            size = sqrt(dot3(x, x)) + shared(pars, i * SHAPE_PARS + BOUND, 0.0)
            core = core_of(ints, pars, i)
            a, b, d = nearest_of_mesh(core, vertices, first, numbers, x, R, size, work)
            a = add3(x, turn(R, a))
            if d > 0.0 and mesh_gap(numbers, 0, a, 0.0)[0] < 0.0:
                d = 0.0  # inside
            n = scale3(1.0 / (d if d > 0.0 else 1.0), sub3(b, a))
            write_result(out, k, frame, b, n, d - radius, d)
