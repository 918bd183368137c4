"""Loop joints: what two frames, of two bodies or of a body and a target, may not do relative to each other.

    along an axis e of the other's frame:   phi = e.d,   d = pb - pa
        phi'  = e.v,   v = vb - (velocity of the other body's point at pb)
        phi'' = e.(ab - (its acceleration)) - 2 e.(w x v)
    two axes, s of the other and t of the body:   phi = s.t,   phi' = (s x t).(w - wb)
    a distance:   phi = |d| - L
    a screw:   phi = z.d - p (angle about z)

Forces act at pb on both bodies, so that a pair pushes no momentum. Rigid loops are constraint rows (rows.py); one that
gives way pulls along the same rows with springs and dampers, lam = -k phi - c phi'.
"""

import math

from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, add_cross, compose, cross, dot3, scale3, sub3, turn_back
from ..scalar.compiling import inner
from ..scalar.memory import integer, load
from ..scalar.pack import arctan2, nearest_integer, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .kind import (
    angular_velocity,
    channel,
    channel3,
    dissipated,
    keep,
    kept,
    kind,
    lever,
    matrix,
    own,
    parameter,
    position,
    push_body,
    push_within,
    record_wrench,
    rotation,
    state,
    stored,
    vector,
    velocity,
    work_done,
)
from .paths import DEGREE, PIECES, STARTS
from .rows import constrain, multiplier, push_row, rest_row, turning

BODY, OTHER, ALONG, TURNS, KIND, ROWS_OF, IS_RIGID, MOVES, OPENS = range(9)  # its integers; other body -1: a target
# samples of one that opens and closes: whether it is closed; then the other's place and axes and its size, as it is
CLOSED, MET_POINT, MET_AXES, MET_SIZE, SWITCHED = 0, 1, 4, 13, 14
NO_TURN, SQUARE, PARALLEL, ALIGNED = range(4)  # what its axes may not do: nothing, z square to z, z along z, all alike
FRAMES, DISTANCE, SCREW_PAIR = range(3)
# its numbers: places and axes of both frames, stiffness and damping, length or pitch, the path of a target
POINT, OTHER_POINT, AXES, OTHER_AXES, STIFFNESS, DAMPING, TURN_STIFFNESS, TURN_DAMPING, SIZE_, PATH = (
    0, 3, 6, 15, 24, 25, 26, 27, 28, 29,
)  # fmt: skip
FORCE_, MOMENT_, GAP = 0, 3, 6  # its channels
MOST_ROWS, OF_ROW = 6, 8  # numbers that it keeps: of each row force, moment, multiplier if it gives way, residual
KEPT = MOST_ROWS * OF_ROW


@inner
def axis_of(R, k):
    """Column k of a matrix of nine numbers."""
    if k == 0:
        return R[0], R[3], R[6]
    if k == 1:
        return R[1], R[4], R[7]
    return R[2], R[5], R[8]


@inner
def on_path(sim, e, j, t):
    """Coordinate j of the target's path at time t, its rate, and that one's rate."""
    at = integer(sim.plan, e + E_NUMBERS) + PATH
    pieces = int(load(sim.numbers, at + PIECES, 0.0))
    piece = 0
    while piece + 1 < pieces and load(sim.numbers, at + STARTS + piece + 1, 0.0) <= t:
        piece += 1
    x = t - load(sim.numbers, at + STARTS + piece, 0.0)
    p = at + STARTS + pieces + (piece * 3 + j) * (DEGREE + 1)
    value, speed, half = 0.0, 0.0, 0.0
    for i in range(DEGREE, -1, -1):
        half = half * x + speed
        speed = speed * x + value
        value = value * x + load(sim.numbers, p + i, 0.0)
    return value, speed, 2.0 * half


@inner
def met_vector(sim, e, i, y, zero):
    """Three of its samples."""
    return state(sim, e, i, y, zero), state(sim, e, i + 1, y, zero), state(sim, e, i + 2, y, zero)


@inner
def place_of_other(sim, e, y, zero):
    """The place of the other frame's origin, in the other body or in the inertial frame."""
    if own(sim, e, OPENS):
        return met_vector(sim, e, MET_POINT, y, zero)
    return add3((zero, zero, zero), vector(sim, e, OTHER_POINT, zero))


@inner
def axes_of_other(sim, e, y, zero):
    """Its axes."""
    if own(sim, e, OPENS):
        x, u = met_vector(sim, e, MET_AXES, y, zero), met_vector(sim, e, MET_AXES + 3, y, zero)
        return x + u + met_vector(sim, e, MET_AXES + 6, y, zero)
    return scalars_of(matrix(sim, e, OTHER_AXES, zero), zero)


@inner
def size_of(sim, e, y, zero):
    """Its length or pitch."""
    return state(sim, e, MET_SIZE, y, zero) if own(sim, e, OPENS) else zero + parameter(sim, e, SIZE_, zero)


@inner
def target(sim, e, t, y, zero):
    """Place, velocity and acceleration of the target."""
    if own(sim, e, MOVES) == 0:
        still = zero, zero, zero
        return place_of_other(sim, e, y, zero), still, still
    x, y, z = on_path(sim, e, 0, t), on_path(sim, e, 1, t), on_path(sim, e, 2, t)
    return (
        (zero + x[0], zero + y[0], zero + z[0]),
        (zero + x[1], zero + y[1], zero + z[1]),
        (zero + x[2], zero + y[2], zero + z[2]),
    )


@inner
def scalars_of(A, zero):
    """A matrix of plain numbers as a matrix of scalars, such as duals."""
    return (
        zero + A[0], zero + A[1], zero + A[2], zero + A[3], zero + A[4], zero + A[5], zero + A[6], zero + A[7],
        zero + A[8],
    )  # fmt: skip


@inner
def geometry(sim, e, t, y, zero):
    """Levers of the body's point from both reference points; d, v, drift, what velocities add; the other's axes, w."""
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    b, still = lever(sim, i, vector(sim, e, POINT, zero), zero), (zero, zero, zero)
    v, more = velocity(sim, i, b, zero), turning(sim, i, b, zero)
    A = axes_of_other(sim, e, y, zero)
    if other < 0:
        place, speed, acceleration = target(sim, e, t, y, zero)
        d = sub3(position(sim, i, b, zero), place)
        return b, b, d, sub3(v, speed), scale3(-1.0, speed), sub3(more, acceleration), A, still
    a = lever(sim, other, place_of_other(sim, e, y, zero), zero)
    between = sub3(origin_of(sim.tree, sim.work, i, zero), origin_of(sim.tree, sim.work, other, zero))
    d = add3(between, sub3(b, a))
    at, w = add3(a, d), angular_velocity(sim, other, zero)
    v = sub3(v, velocity(sim, other, at, zero))
    more = sub3(sub3(more, turning(sim, other, at, zero)), scale3(2.0, cross(w, v)))
    return b, at, d, v, still, more, compose(rotation(sim, other, zero), A), w


@inner
def add_row(sim, e, j, row, f, n, levers, zero):
    """Row j: a rigid one is a constraint; another pulls. Energy that it stores, powers that it loses and adds."""
    phi, rate, bias, drift = row
    b, at = levers
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    back, twist = scale3(-1.0, f), scale3(-1.0, n)
    for k in range(3):
        keep(sim, e, OF_ROW * j + k, f[0] if k == 0 else f[1] if k == 1 else f[2])
        keep(sim, e, OF_ROW * j + 3 + k, n[0] if k == 0 else n[1] if k == 1 else n[2])
    keep(sim, e, OF_ROW * j + 7, phi)
    if own(sim, e, IS_RIGID):
        constrain(sim, e, j, phi, rate, bias, drift)
        push_row(sim, e, j, 0, f, n, b, zero)
        if other >= 0:
            push_row(sim, e, j, 1, back, twist, at, zero)
        return zero, zero, zero
    turns = j >= own(sim, e, ROWS_OF) - number_of_turns(own(sim, e, TURNS))
    k = parameter(sim, e, TURN_STIFFNESS, zero) if turns else parameter(sim, e, STIFFNESS, zero)
    c = parameter(sim, e, TURN_DAMPING, zero) if turns else parameter(sim, e, DAMPING, zero)
    pull = -(k * phi + c * rate)
    keep(sim, e, OF_ROW * j + 6, pull)
    if other >= 0:
        push_within(sim, i, scale3(pull, f), scale3(pull, n), b, zero)
        push_within(sim, other, scale3(pull, back), scale3(pull, twist), at, zero)
    else:
        push_body(sim, i, scale3(pull, f), scale3(pull, n), b, zero)
    return 0.5 * k * phi * phi, c * rate * rate, -pull * drift


@inner
def number_of_turns(turns):
    """How many rows its axes have."""
    return turns if turns < ALIGNED else 3


@inner
def axes_row(s, t, w, wb):
    """Of two axes, s of the other body and t of the body: s.t, its rate, bias, and the moment on the body."""
    c, spin = cross(s, t), sub3(w, wb)
    bias = dot3(add3(cross(cross(w, s), t), cross(s, cross(wb, t))), spin)
    return dot3(s, t), dot3(c, spin), bias, scale3(-1.0, c)


@inner
def turn_row(k, turns, A, B, w, wb):
    """Row k of the axes A of the other body and B of the body: about axis k of A, with the sign of its turn."""
    if turns == SQUARE:
        return axes_row(axis_of(A, 2), axis_of(B, 2), w, wb)
    first, second = (k + 1) % 3, (k + 2) % 3
    one = axes_row(axis_of(A, second), axis_of(B, first), w, wb)
    other = axes_row(axis_of(A, first), axis_of(B, second), w, wb)
    if turns == PARALLEL:  # only z must be parallel
        if k == 0:
            return -other[0], -other[1], -other[2], scale3(-1.0, other[3])
        return one
    return (
        0.5 * (one[0] - other[0]),
        0.5 * (one[1] - other[1]),
        0.5 * (one[2] - other[2]),
        scale3(0.5, sub3(one[3], other[3])),
    )


@inner
def turn_about(A, B, w, wb):
    """Angle from the other's axes to the body's about z, by sine and cosine; its rate, bias, and moment on the body."""
    x, y, u, v = axis_of(A, 0), axis_of(A, 1), axis_of(B, 0), axis_of(B, 1)
    yu, xv, xu, yv = axes_row(y, u, w, wb), axes_row(x, v, w, wb), axes_row(x, u, w, wb), axes_row(y, v, w, wb)
    sine, cosine = yu[0] - xv[0], xu[0] + yv[0]
    over = 1.0 / (sine * sine + cosine * cosine)
    s, c = over * sine, over * cosine
    rate, bias = c * (yu[1] - xv[1]) - s * (xu[1] + yv[1]), c * (yu[2] - xv[2]) - s * (xu[2] + yv[2])
    n = sub3(scale3(c, sub3(yu[3], xv[3])), scale3(s, add3(xu[3], yv[3])))
    return arctan2(sine, cosine), rate, bias, n


@kind
def loop(sim, e, t, y, k, zero):
    """Write the rows of a rigid loop, or the forces of a compliant one."""
    if own(sim, e, OPENS):
        closed = state(sim, e, CLOSED, y, zero)
        for j in range(own(sim, e, ROWS_OF)):
            rest_row(sim, e, j, 1.0 - closed)
            for i in range(OF_ROW):
                keep(sim, e, OF_ROW * j + i, zero)
        if not somewhere(closed > 0.5):
            return
    b, at, d, v, drift, more, A, w = geometry(sim, e, t, y, zero)
    levers, nothing, j = (b, at), (zero, zero, zero), 0
    B = compose(rotation(sim, own(sim, e, BODY), zero), matrix(sim, e, AXES, zero))
    wb = angular_velocity(sim, own(sim, e, BODY), zero)
    energy, lost, worked = zero, zero, zero
    if own(sim, e, KIND) == DISTANCE:
        length = sqrt(dot3(d, d))
        f, across = scale3(1.0 / length, d), add_cross(v, w, d)  # relative to the other body's own point
        along = dot3(f, across)
        bias = dot3(f, add3(add_cross(more, w, cross(w, d)), scale3(2.0, cross(w, v))))
        bias += (dot3(across, across) - along * along) / length
        row = length - size_of(sim, e, y, zero), along, bias, dot3(f, drift)
        energy, lost, worked = add_row(sim, e, 0, row, f, nothing, levers, zero)
        j = 1
    for axis in range(3):
        if own(sim, e, ALONG) >> axis & 1:
            f = axis_of(A, axis)
            row = dot3(f, d), dot3(f, v), dot3(f, more), dot3(f, drift)
            p = add_row(sim, e, j, row, f, nothing, levers, zero)
            energy, lost, worked, j = energy + p[0], lost + p[1], worked + p[2], j + 1
    if own(sim, e, KIND) == SCREW_PAIR:
        z, pitch, whole = axis_of(A, 2), size_of(sim, e, y, zero), 2.0 * math.pi
        angle, rate, bias, n = turn_about(A, B, w, wb)
        angle += whole * nearest_integer((dot3(z, d) / pitch - angle) / whole)  # whole turns follow from the slide
        row = dot3(z, d) - pitch * angle, dot3(z, v) - pitch * rate, dot3(z, more) - pitch * bias, dot3(z, drift)
        p = add_row(sim, e, j, row, z, scale3(-pitch, n), levers, zero)
        energy, lost, worked, j = energy + p[0], lost + p[1], worked + p[2], j + 1
    turns = own(sim, e, TURNS)
    for axis in range(number_of_turns(turns)):
        phi, rate, bias, n = turn_row(axis, turns, A, B, w, wb)
        p = add_row(sim, e, j, (phi, rate, bias, zero), nothing, n, levers, zero)
        energy, lost, worked, j = energy + p[0], lost + p[1], worked + p[2], j + 1
    if own(sim, e, IS_RIGID) == 0:
        stored(sim, e, energy)
        dissipated(sim, e, k, lost)
        work_done(sim, e, k, worked)


@kind
def settle_loop(sim, e, t, y, k, zero):
    """Record its force and moment, on the body at its point, in axes of the other's frame; and how far it is open."""
    f, n, square = (zero, zero, zero), (zero, zero, zero), zero
    for j in range(own(sim, e, ROWS_OF)):
        size = multiplier(sim, e, j, zero) if own(sim, e, IS_RIGID) else kept(sim, e, OF_ROW * j + 6, zero)
        at = OF_ROW * j
        f = add3(f, scale3(size, (kept(sim, e, at, zero), kept(sim, e, at + 1, zero), kept(sim, e, at + 2, zero))))
        n = add3(n, scale3(size, (kept(sim, e, at + 3, zero), kept(sim, e, at + 4, zero), kept(sim, e, at + 5, zero))))
        phi = kept(sim, e, at + 7, zero)
        square += phi * phi
    A, other = axes_of_other(sim, e, y, zero), own(sim, e, OTHER)
    if other >= 0:
        channel3(sim, e, FORCE_, turn_back(A, turn_back(rotation(sim, other, zero), f)))
        channel3(sim, e, MOMENT_, turn_back(A, turn_back(rotation(sim, other, zero), n)))
    else:
        channel3(sim, e, FORCE_, turn_back(A, f))
        channel3(sim, e, MOMENT_, turn_back(A, n))
    channel(sim, e, GAP, sqrt(select(square > 0.0, square, zero + 1.0)) * select(square > 0.0, zero + 1.0, zero))
    _, _, d, _, _, _, _, _ = geometry(sim, e, t, y, zero)
    record_wrench(sim, e, 0, f, n)
    back = scale3(-1.0, f)
    record_wrench(sim, e, 1, back, sub3(cross(d, back), n))
