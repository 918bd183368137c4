"""The wanted pose of an endpoint over time, and how far off an endpoint is.

A path is r (3), A (9, row by row) and a table of c (3) and φ (3): with E = exp(φ×) the position is c + E r, the
rotation E A. A straight line has r = 0; on a screw c moves along the axis, and r reaches from the axis to the endpoint.
"""

import math

from ....kernels.robot.spatial import add3, cross, dot3, scale3
from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from ....motion.trajectories import sample
from .places import WANTED_ACCELERATION, WANTED_POSITION, WANTED_ROTATION, WANTED_VELOCITY

TABLE = 12  # where the table of a path begins


@inner
def vector(a, at):
    """Three numbers."""
    return a[at], a[at + 1], a[at + 2]


@inner
def put(a, at, v):
    """Store three numbers."""
    a[at], a[at + 1], a[at + 2] = v


@inner
def turning(angle):
    """Of a turn by `angle`: sin/angle, a = (1 - cos)/angle², b = (angle - sin)/angle³, and (da, db)/angle."""
    if angle < 0.05:
        s = angle * angle
        return (
            1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0)),
            0.5 - s / 24.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0)),
            1.0 / 6.0 - s / 120.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0)),
            -1.0 / 12.0 + s / 180.0 - s * s / 6720.0,
            -1.0 / 60.0 + s / 1260.0 - s * s / 60480.0,
        )
    sine, versine, s = math.sin(angle), 1.0 - math.cos(angle), angle * angle
    a, b = versine / s, (angle - sine) / (s * angle)
    return sine / angle, a, b, (sine / angle - 2.0 * a) / s, (a - 3.0 * b) / s


@inner
def wanted_pose(path, t, out):
    """Position, rotation, velocity and acceleration (linear; angular) that a path has at a time, inertial axes."""
    table = later(path, TABLE)
    c = sample(table, t, 0), sample(table, t, 1), sample(table, t, 2)
    cd = sample(table, t, 0, 1), sample(table, t, 1, 1), sample(table, t, 2, 1)
    cdd = sample(table, t, 0, 2), sample(table, t, 1, 2), sample(table, t, 2, 2)
    f = sample(table, t, 3), sample(table, t, 4), sample(table, t, 5)
    fd = sample(table, t, 3, 1), sample(table, t, 4, 1), sample(table, t, 5, 1)
    fdd = sample(table, t, 3, 2), sample(table, t, 4, 2), sample(table, t, 5, 2)
    sinc, a, b, da, db = turning(math.sqrt(dot3(f, f)))
    across, along = cross(f, fd), dot3(f, fd)
    twice = cross(f, across)
    w = add3(add3(fd, scale3(a, across)), scale3(b, twice))
    wd = add3(add3(fdd, scale3(a, cross(f, fdd))), scale3(b, cross(f, cross(f, fdd))))
    wd = add3(wd, add3(scale3(da * along, across), scale3(db * along, twice)))
    wd = add3(wd, scale3(b, cross(fd, across)))
    r = vector(path, 0)
    r = add3(r, add3(scale3(sinc, cross(f, r)), scale3(a, cross(f, cross(f, r)))))
    put(out, WANTED_POSITION, add3(c, r))
    put(out, WANTED_VELOCITY, add3(cd, cross(w, r)))
    put(out, WANTED_VELOCITY + 3, w)
    put(out, WANTED_ACCELERATION, add3(cdd, add3(cross(wd, r), cross(w, cross(w, r)))))
    put(out, WANTED_ACCELERATION + 3, wd)
    for j in range(3):  # a column of A after the other
        v = path[3 + j], path[6 + j], path[9 + j]
        v = add3(v, add3(scale3(sinc, cross(f, v)), scale3(a, cross(f, cross(f, v)))))
        out[WANTED_ROTATION + j], out[WANTED_ROTATION + 3 + j], out[WANTED_ROTATION + 6 + j] = v


@inner
def rotation_error(R, wanted, out):
    """Rotation vector (3) from an attitude R to the wanted one, inertial axes: R_wanted R' = exp(out×)."""
    trace = 0.0
    for i in range(9):
        trace += R[i] * wanted[i]
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        turn = 0.0
        for j in range(3):
            turn += R[3 * a + j] * wanted[3 * b + j] - R[3 * b + j] * wanted[3 * a + j]
        out[k] = 0.5 * turn
    sine = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
    angle = math.atan2(sine, 0.5 * (trace - 1.0))
    if sine > 1e-7 or trace > 0.0:
        factor = angle / sine if sine > 1e-7 else 1.0
        for k in range(3):
            out[k] *= factor
    else:
        half_turn(R, wanted, out)


@inner
def half_turn(R, wanted, out):
    """Rotation vector of half a turn: its axis a is in E = 2 a a' - 1, from the longest column; of either sign."""
    longest = 0.0
    for j in range(3):
        square = 0.0
        for k in range(3):
            square += wanted[3 * j + k] * R[3 * j + k]
        if square + 1.0 > longest:
            longest = square + 1.0
            size = math.pi / math.sqrt(2.0 * longest)
            for i in range(3):
                total = 1.0 if i == j else 0.0
                for k in range(3):
                    total += wanted[3 * i + k] * R[3 * j + k]
                out[i] = size * total


@inner
def matrix_of(q, at, R):
    """(9) base axes -> inertial axes, of the quaternion at q[at]."""
    x, y, z, w = q[at], q[at + 1], q[at + 2], q[at + 3]
    R[0], R[1], R[2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    R[3], R[4], R[5] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    R[6], R[7], R[8] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
