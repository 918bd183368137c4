"""Rigid contact of points of a body with a surface: rows while it is closed, friction on the normal multiplier.

    closed:   gap = 0, by a normal row with the multiplier N >= 0
    sticks:   both tangential velocities are 0, by two rows more, with the multipliers T, |T| <= mu N
    slides:   a force -mu N d, d the direction of slip

Which of them holds is the point's mode, a sample; it changes at instants alone, where simulate/contact_events.py
chooses it anew. The guards say when: gap, N, mu N - |T|, the speed of slip. Near rest the direction of slip turns ever
faster and ends in a jump, so slow slip is a mode of its own: it creeps in a direction that stays. Where bodies make it
slip on slowly it drags, with the friction mu N |v| / (|v|^4 + slow^4)^(1/4) against v. The point of contact moves over
both bodies: what that adds to the second rates of gap and slip comes from a central difference along the relative
motion, which is exactly zero for a ball on a plane.
"""

from collections import namedtuple

from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, cross, dot3, scale3, sub3, turn
from ..scalar.compiling import inner
from ..scalar.pack import magnitude, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .contact_points import (
    BODY,
    HAS_CORES,
    OTHER,
    POINT_NUMBERS,
    POINTS,
    POINTS_AT,
    RADIUS,
    ground_of,
    place_of,
    touch_of,
)
from .kind import (
    angular_velocity,
    channel,
    channel3,
    dissipated,
    guard,
    keep,
    kept,
    kind,
    own,
    parameter,
    position,
    record_wrench,
    rotation,
    state,
    velocity,
)
from .rows import constrain, multiplier, pace, push_row, rest_row, rub_row, spare_row, turning

# modes; CREEP: it slides so slowly that its direction is the held one; DRAG: it slides slowly for long, with less
# friction; PROBE: open, but its rows are written, for whoever chooses modes
OPEN, STICK, SLIDE, CREEP, DRAG, PROBE = range(6)
# its numbers, behind the surface's frame; then the surface's own and points
MU, SKIN, LENGTH, SLOW, FIRST = range(12, 17)
ROWS_OF, GUARDS_OF = 3, 2  # of a point
# numbers that a point keeps: normal, tangents, direction of slip; guard of slip, slip along its direction; size of the
# gap's gradient; where it touches, from its center
NORMAL, ALONG, ACROSS, DIRECTION, SLIP_GUARD, POWER, SIZE_, RHO, OF_POINT = 0, 3, 6, 9, 12, 13, 14, 15, 18
NEARBY = 1e-5  # step of the central difference, over the size of surface and points
STOPPED = 1e-12  # [m/s]: slip against the held direction at which a creeping point counts as stopped, or the held one
LOSSLESS = 1e-11  # [m/s]: slower slip is rounding, and loses nothing
FAST = 2.0  # times slow_slip: a point that creeps or drags faster begins to slide
AWRY = 0.3  # times slow_slip: a creeping point that slips faster across its held direction has turned aside
SPARED = 1.0 - 1e-5  # how far friction is spared: tangential forces weigh 1e5 times as much as normal ones
ROUNDED = 16.0 * 2.0**-52  # of a coordinate: bound of the rounding error of a gap
TINY = 1e-200

Moving = namedtuple("Moving", "gap_bias slip_bias")
"""What the second rates of gap and slip have beside accelerations of bodies."""


@inner
def tangents(n, S):
    """Two unit vectors square to the normal and to each other, by the axis of the surface that is farther from it."""
    x, y = (S[0], S[3], S[6]), (S[1], S[4], S[7])
    along = dot3(n, x)
    near = along * along > 0.5
    a = select(near, y[0], x[0]), select(near, y[1], x[1]), select(near, y[2], x[2])
    one = cross(n, a)
    one = scale3(1.0 / sqrt(dot3(one, one)), one)
    return one, cross(n, one)


@inner
def turned_by(R, v):
    """Axes that have turned by a small vector, to second order in it."""
    x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    x, y, z = moved(x, v), moved(y, v), moved(z, v)
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@inner
def moved(x, v):
    once = cross(v, x)
    return add3(x, add3(once, scale3(0.5, cross(v, once))))


@inner
def beside(sim, e, j, ground, touch, v, time, zero):
    """Gradient of the gap, and from the center where point j touches, after moving for a time as it moves now."""
    R = turned_by(rotation(sim, own(sim, e, BODY), zero), scale3(time, touch.turning))
    _, G, rho = place_of(sim, e, j, ground, add3(touch.center, scale3(time, v)), R, zero)
    return G, rho


@inner
def second_rates(sim, e, j, ground, touch, zero):
    """Biases of the rows of a point: the normal's as a number, the tangential ones' as a vector."""
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    w, rho = touch.turning, sub3(touch.at, touch.center)
    length = parameter(sim, e, LENGTH, zero)
    fast = sqrt(dot3(touch.speed, touch.speed)) + length * sqrt(dot3(w, w)) + TINY
    time = NEARBY * length / fast
    v = velocity(sim, i, touch.center, zero)
    if other >= 0:
        v = sub3(v, velocity(sim, other, sub3(touch.center, ground.between), zero))
    G_later, rho_later = beside(sim, e, j, ground, touch, v, time, zero)
    G_sooner, rho_sooner = beside(sim, e, j, ground, touch, v, -time, zero)
    bend, drift = scale3(0.5 / time, sub3(G_later, G_sooner)), scale3(0.5 / time, sub3(rho_later, rho_sooner))
    rho_mean, G_mean = scale3(0.5, add3(rho_later, rho_sooner)), scale3(0.5, add3(G_later, G_sooner))
    # the difference of G.(v + w x rho), written so that rounding of v is not divided by the short time
    change = dot3(bend, add3(v, cross(w, rho_mean))) + dot3(G_mean, cross(w, drift))
    more = turning(sim, i, touch.center, zero)
    here = turning(sim, i, touch.at, zero)
    if other >= 0:
        far, w0 = sub3(touch.center, ground.between), angular_velocity(sim, other, zero)
        more = sub3(sub3(more, turning(sim, other, far, zero)), scale3(2.0, cross(w0, v)))
        more = sub3(more, cross(cross(w0, w), rho))
        here = sub3(here, turning(sim, other, sub3(touch.at, ground.between), zero))
    # the point of contact moves over the surface by v + drift
    slip = add3(here, cross(w, add3(v, drift)))
    return Moving(change + dot3(touch.gradient, more), slip)


@inner
def write_row(sim, e, row, numbers, f, levers, zero):
    """A row whose multiplier pushes the body by f where it touches, and the other one back."""
    phi, rate, bias = numbers
    constrain(sim, e, row, phi, rate, bias, zero)
    nothing = zero, zero, zero
    push_row(sim, e, row, 0, f, nothing, levers[0], zero)
    if own(sim, e, OTHER) >= 0:
        push_row(sim, e, row, 1, scale3(-1.0, f), nothing, levers[1], zero)


@inner
def held_of(sim, e, j, y, touch, zero):
    """What it holds of point j, in inertial axes: where it sticks, or a direction near that of its slip."""
    at = own(sim, e, POINTS) + 3 * j
    return turn(touch.S, (state(sim, e, at, y, zero), state(sim, e, at + 1, y, zero), state(sim, e, at + 2, y, zero)))


@inner
def away(sim, e, j, y, ground, touch, mode, zero):
    """How far point j is from where it sticks; of a round one, which may roll, nothing is known."""
    radius = own(sim, e, POINTS_AT) + j * POINT_NUMBERS + RADIUS
    if own(sim, e, HAS_CORES) == 1 or parameter(sim, e, radius, 0.0) > 0.0:
        return zero, zero, zero
    sticks = select(mode < 1.5, zero + 1.0, zero)
    return scale3(sticks, sub3(sub3(touch.at, ground.origin), held_of(sim, e, j, y, touch, zero)))


@inner
def slip_direction(sim, e, j, t, y, touch, mode, zero):
    """Direction of slip, the guard of its mode, and the velocity of sliding.

    What slides goes on smoothly through zero, the other way round, until a step ends there. What creeps holds its
    direction; what drags is rubbed by less than mu N, in proportion to its speed where that is far below `slow`.
    """
    held, n, slow = held_of(sim, e, j, y, touch, zero), touch.normal, parameter(sim, e, SLOW, zero)
    v = sub3(touch.speed, scale3(dot3(n, touch.speed), n))
    along, speed, drags = dot3(v, held), root(dot3(v, v), zero), mode > 3.5
    creeps = select(drags, zero, mode) > 2.5
    square, least_square = dot3(v, v), slow * slow
    size = select(drags, sqrt(sqrt(square * square + least_square * least_square)), speed)
    sign = select(drags, zero + 1.0, select(along < 0.0, zero - 1.0, zero + 1.0))
    d = scale3(sign / select(size > 0.0, size, zero + 1.0), v)
    d = select(creeps, held[0], d[0]), select(creeps, held[1], d[1]), select(creeps, held[2], d[2])
    many = own(sim, e, POINTS)
    across = sub3(v, scale3(along, held))
    straight, room = AWRY * slow - root(dot3(across, across), zero), FAST * slow - speed
    back, again = along + state(sim, e, 4 * many + j, y, zero), state(sim, e, 5 * many + j, y, zero) - t
    turns = select(drags, again, select(creeps, back, along))
    changes = select(drags, room, select(creeps, least(straight, room), speed - slow))
    return d, least(turns, changes), v


@inner
def least(a, b):
    """The lesser of two numbers."""
    return select(a < b, a, b)


@inner
def hold_point(sim, e, j, t, y, ground, touch, zero):
    """Rows of a point that is closed, or probed."""
    n, G, mode = touch.normal, touch.gradient, state(sim, e, j, y, zero)
    a, b = tangents(n, touch.S)
    moving = second_rates(sim, e, j, ground, touch, zero)
    levers = touch.at, sub3(touch.at, ground.between)
    row, off = ROWS_OF * j, away(sim, e, j, y, ground, touch, mode, zero)
    write_row(sim, e, row, (touch.gap, dot3(G, touch.speed), moving.gap_bias), G, levers, zero)
    write_row(sim, e, row + 1, (dot3(a, off), dot3(a, touch.speed), dot3(a, moving.slip_bias)), a, levers, zero)
    write_row(sim, e, row + 2, (dot3(b, off), dot3(b, touch.speed), dot3(b, moving.slip_bias)), b, levers, zero)
    open_ = select(mode > 4.5, zero + 1.0, zero)
    loose = select(mode > 1.5, zero + 1.0, zero)
    rest_row(sim, e, row, open_)
    rest_row(sim, e, row + 1, loose)
    rest_row(sim, e, row + 2, loose)
    spared = SPARED * state(sim, e, 6 * own(sim, e, POINTS) + j, y, zero)
    spare_row(sim, e, row + 1, spared)
    spare_row(sim, e, row + 2, spared)
    d, goes_on, v = slip_direction(sim, e, j, t, y, touch, mode, zero)
    slides = loose - open_
    f = scale3(-slides * parameter(sim, e, MU, zero) * touch.size, d)
    rub_row(sim, e, row, 0, f, levers[0])
    if own(sim, e, OTHER) >= 0:
        rub_row(sim, e, row, 1, scale3(-1.0, f), levers[1])
    at = OF_POINT * j
    keep3(sim, e, at + ALONG, a)
    keep3(sim, e, at + ACROSS, b)
    keep3(sim, e, at + DIRECTION, d)
    keep(sim, e, at + SLIP_GUARD, goes_on)
    keep(sim, e, at + POWER, select(dot3(v, v) > LOSSLESS * LOSSLESS, dot3(d, v), zero))


@inner
def free_point(sim, e, j, zero):
    """Make the rows of an open point inactive."""
    for r in range(ROWS_OF):
        rest_row(sim, e, ROWS_OF * j + r, zero + 1.0)


@inner
def skin_of(sim, e, ground, touch, zero):
    """Depth at which a point touches: more than rounding, which grows with the distance from the origin.

    Two bodies' places relative to each other come from those about the base.
    """
    i, n, least_skin = own(sim, e, BODY), touch.normal, parameter(sim, e, SKIN, zero)
    far = add3(origin_of(sim.tree, sim.work, i, zero), touch.at)
    if own(sim, e, OTHER) < 0:
        far = position(sim, i, touch.at, zero)
    rounding = ROUNDED * (magnitude(n[0] * far[0]) + magnitude(n[1] * far[1]) + magnitude(n[2] * far[2]))
    return select(rounding > least_skin, rounding, least_skin)


@inner
def keep3(sim, e, i, v):
    """Three numbers that it keeps, from number i on."""
    keep(sim, e, i, v[0])
    keep(sim, e, i + 1, v[1])
    keep(sim, e, i + 2, v[2])


@inner
def kept3(sim, e, i, zero):
    """The same, as a vector."""
    return kept(sim, e, i, zero), kept(sim, e, i + 1, zero), kept(sim, e, i + 2, zero)


@inner
def root(square, zero):
    """A square root with slope 0 at zero."""
    there = square > 0.0
    return select(there, sqrt(select(there, square, zero + 1.0)), zero)


@kind
def rigid_contact(sim, e, t, y, k, zero):
    """Rows of points that are closed; gaps of others."""
    ground, many = ground_of(sim, e, zero), own(sim, e, POINTS)
    for j in range(many):
        touch, mode, at = touch_of(sim, e, j, ground, zero), state(sim, e, j, y, zero), OF_POINT * j
        if somewhere(mode > 0.5):
            hold_point(sim, e, j, t, y, ground, touch, zero)
        else:
            free_point(sim, e, j, zero)
        closed = select(mode > 0.5, select(mode < 4.5, zero + 1.0, zero), zero)
        skin = skin_of(sim, e, ground, touch, zero)
        guard(sim, e, GUARDS_OF * j, select(closed > 0.5, zero + 1.0, touch.gap + skin))
        guard(sim, e, GUARDS_OF * j + 1, zero + 1.0)
        pace(sim, e, GUARDS_OF * j, select(closed > 0.5, zero, root(dot3(touch.speed, touch.speed), zero)), zero)
        n = touch.normal
        v = sub3(touch.speed, scale3(dot3(n, touch.speed), n))
        channel(sim, e, j, touch.gap)
        channel(sim, e, 2 * many + j, root(dot3(v, v), zero))
        channel3(sim, e, 3 * many + 3 * j, position(sim, own(sim, e, BODY), touch.at, zero))
        keep3(sim, e, at + NORMAL, n)
        keep3(sim, e, at + RHO, sub3(touch.at, touch.center))
        keep(sim, e, at + SIZE_, touch.size)


@inner
def settle_point(sim, e, j, mode, zero):
    """Force of a point on the body, and the power that friction takes; its guards, if it is closed."""
    at, mu, nothing = OF_POINT * j, parameter(sim, e, MU, zero), (zero, zero, zero)
    if not somewhere(mode > 0.5):
        return zero, nothing, zero
    closed = select(mode < 4.5, select(mode > 0.5, zero + 1.0, zero), zero)
    sticks = select(mode < 1.5, closed, zero)
    N = closed * multiplier(sim, e, ROWS_OF * j, zero) * kept(sim, e, at + SIZE_, zero)
    T = add3(
        scale3(sticks * multiplier(sim, e, ROWS_OF * j + 1, zero), kept3(sim, e, at + ALONG, zero)),
        scale3(sticks * multiplier(sim, e, ROWS_OF * j + 2, zero), kept3(sim, e, at + ACROSS, zero)),
    )
    rub = (closed - sticks) * mu * N
    f = add3(scale3(N, kept3(sim, e, at + NORMAL, zero)), sub3(T, scale3(rub, kept3(sim, e, at + DIRECTION, zero))))
    rough, one = mu > 0.0, zero + 1.0
    room = mu * N - root(dot3(T, T), zero)
    goes_on = kept(sim, e, at + SLIP_GUARD, zero)
    valid = select(closed > 0.5, select(sticks > 0.5, room, select(rough, goes_on, one)), one)
    if somewhere(closed > 0.5):
        guard(sim, e, GUARDS_OF * j, select(closed > 0.5, N, one))
        guard(sim, e, GUARDS_OF * j + 1, valid)
    return N, f, rub * kept(sim, e, at + POWER, zero)


@kind
def settle_rigid_contact(sim, e, t, y, k, zero):
    """Forces, for the record; what friction takes; guards of forces and slip."""
    lost, many = zero, own(sim, e, POINTS)
    for j in range(many):
        N, f, power = settle_point(sim, e, j, state(sim, e, j, y, zero), zero)
        channel(sim, e, many + j, N)
        record_wrench(sim, e, j, f, cross(kept3(sim, e, OF_POINT * j + RHO, zero), f))
        lost = lost + power
    dissipated(sim, e, k, lost)
