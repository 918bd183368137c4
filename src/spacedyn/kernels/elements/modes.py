"""A flexible appendage by its modes: amplitudes eta of unit modal mass, coupled to the motion of the body they are on.

    T = 1/2 m v.v + v.(D + h0)' + 1/2 w.J w + w.E eta' + 1/2 eta'.eta',   D = sum d eta

v is the velocity of the point P that they are fixed to, w the body's angular velocity; m, h0, J are the body's, the
appendage at rest counted in. d and e are the modes' shares of linear and angular momentum about P, fixed in the body:
delta0 and delta1 of a finite-element program. Lagrange's equations, with a the acceleration of P and E = e eta':

    eta'' = -2 zeta W eta' - W² eta - d.a - e.w'
    force  = d eta'' + w' x D + w x (w x D) + 2 w x d eta'
    moment = e eta'' + w x E + D x a

First order in eta but for momentum and energy, which are kept exactly; no geometric stiffening. The amplitudes'
accelerations are eliminated: to the body an appendage is a child that adds -d d' and the like, and when the body's
acceleration is known, eta'' follows.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.loose_joints import shift_articulated
from ..robot.segments import shift_force
from ..robot.spatial import add3, add_cross, angular, cross, dot3, linear, scale3, turn
from ..scalar.compiling import inner
from ..sim.layout import *  # noqa: F403
from .carried import (
    acceleration_of_point,
    add_to_body,
    carry_momentum,
    field_at,
    found_acceleration,
    hand_on,
    known_acceleration,
)
from .kind import (
    add_rate,
    angular_velocity,
    channel,
    dissipated,
    kind,
    lever,
    own,
    parameter,
    rate,
    rotation,
    state,
    stored,
    uniform_gravity,
    vector,
    velocity,
)

BODY, MODES_ = range(2)  # its integers
POINT, FIRST = 0, 3  # its numbers: P; then those of each mode
STIFFNESS, DAMPING, LINEAR_SHARE, ANGULAR_SHARE, MODE_NUMBERS = 0, 1, 2, 5, 8
ELASTIC = 0  # its channel


@inner
def shares(sim, e, j, R, zero):
    """d and e of mode j, in inertial axes."""
    at = FIRST + j * MODE_NUMBERS
    return turn(R, vector(sim, e, at + LINEAR_SHARE, zero)), turn(R, vector(sim, e, at + ANGULAR_SHARE, zero))


@inner
def sums(sim, e, y, zero):
    """D, d eta', e eta', eta'.eta' and twice the elastic energy."""
    count, R, none = own(sim, e, MODES_), rotation(sim, own(sim, e, BODY), zero), (zero, zero, zero)
    D, P, L, squares, elastic = none, none, none, zero, zero
    for j in range(count):
        d, s = shares(sim, e, j, R, zero)
        eta, speed = state(sim, e, j, y, zero), state(sim, e, count + j, y, zero)
        D, P, L = add3(D, scale3(eta, d)), add3(P, scale3(speed, d)), add3(L, scale3(speed, s))
        squares += speed * speed
        elastic += parameter(sim, e, FIRST + j * MODE_NUMBERS + STIFFNESS, zero) * eta * eta
    return D, P, L, squares, elastic


@kind
def carry_modes(sim, e, t, y, k, zero):
    """What the appendage adds to its body's centre of mass, to momentum and to energy."""
    i = own(sim, e, BODY)
    r, w = lever(sim, i, vector(sim, e, POINT, zero), zero), angular_velocity(sim, i, zero)
    D, P, L, squares, elastic = sums(sim, e, y, zero)
    P = add_cross(P, w, D)
    add_to_body(sim, i, zero, D, (zero, zero, zero, zero, zero, zero), zero)
    carry_momentum(sim, i, r, zero, D, P, L, zero)
    kinetic = dot3(velocity(sim, i, r, zero), P) + dot3(w, L) + 0.5 * squares
    channel(sim, e, ELASTIC, 0.5 * elastic)
    stored(sim, e, kinetic + 0.5 * elastic - dot3(uniform_gravity(sim, zero), D))


@kind
def act_modes(sim, e, t, y, k, zero):
    """Hand inertia and force on to the body; eta'' as far as it is known."""
    i, count, none = own(sim, e, BODY), own(sim, e, MODES_), (zero, zero, zero)
    r, w, R = lever(sim, i, vector(sim, e, POINT, zero), zero), angular_velocity(sim, i, zero), rotation(sim, i, zero)
    known = known_acceleration(sim, i, zero)
    a, turning, field = acceleration_of_point(sim, i, known, r, zero), angular(known), field_at(sim, i, zero)
    D, P, L, _, _ = sums(sim, e, y, zero)
    f = add3(add_cross(scale3(2.0, cross(w, P)), turning, D), cross(w, cross(w, D)))
    n = add_cross(cross(w, L), D, a)
    A = C = none + none
    B = (zero, D[2], -D[1], -D[2], zero, D[0], D[1], -D[0], zero)  # -D x
    lost = zero
    for j in range(count):
        d, s = shares(sim, e, j, R, zero)
        eta, speed = state(sim, e, j, y, zero), state(sim, e, count + j, y, zero)
        at = FIRST + j * MODE_NUMBERS
        drag = parameter(sim, e, at + DAMPING, zero) * speed
        pull = dot3(d, field) - drag - parameter(sim, e, at + STIFFNESS, zero) * eta - dot3(d, a) - dot3(s, turning)
        rate(sim, e, j, k, speed)
        rate(sim, e, count + j, k, pull)
        lost += drag * speed
        f, n = add3(f, scale3(pull, d)), add3(n, scale3(pull, s))
        A, B, C = take_mode(A, B, C, d, s)
    A, B, C = shift_articulated(A, B, C, r)
    hand_on(sim, i, A, B, C, shift_force(f + n, r), zero)
    dissipated(sim, e, k, lost)


@inner
def take_mode(A, B, C, d, s):
    """The articulated inertia less that of a mode."""
    A = (
        A[0] - d[0] * d[0], A[1] - d[1] * d[1], A[2] - d[2] * d[2],
        A[3] - d[0] * d[1], A[4] - d[0] * d[2], A[5] - d[1] * d[2],
    )  # fmt: skip
    B = (
        B[0] - d[0] * s[0], B[1] - d[0] * s[1], B[2] - d[0] * s[2],
        B[3] - d[1] * s[0], B[4] - d[1] * s[1], B[5] - d[1] * s[2],
        B[6] - d[2] * s[0], B[7] - d[2] * s[1], B[8] - d[2] * s[2],
    )  # fmt: skip
    C = (
        C[0] - s[0] * s[0], C[1] - s[1] * s[1], C[2] - s[2] * s[2],
        C[3] - s[0] * s[1], C[4] - s[0] * s[2], C[5] - s[1] * s[2],
    )  # fmt: skip
    return A, B, C


@kind
def settle_modes(sim, e, t, y, k, zero):
    """eta'', now that the body's acceleration is known."""
    i, count = own(sim, e, BODY), own(sim, e, MODES_)
    r, R = lever(sim, i, vector(sim, e, POINT, zero), zero), rotation(sim, i, zero)
    found = found_acceleration(sim, i, zero)
    a = add_cross(linear(found), angular(found), r)
    for j in range(count):
        d, s = shares(sim, e, j, R, zero)
        add_rate(sim, e, count + j, k, zero - dot3(d, a) - dot3(s, angular(found)), zero)
