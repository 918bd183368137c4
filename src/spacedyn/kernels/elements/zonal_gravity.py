"""The zonal harmonics J2, J3, J4 of a planet's gravity on every body, to the second order in size over distance.

    phi = mu sum_n J_n Re^n P_n(s) / r^(n+1),   s = k.r / r          (what -mu/r lacks; k is the planet's axis)
    U = m phi - J:H / 2,   f = -grad U,   n_i = eps_ijk (J H)_jk,    H = grad grad phi,  J the body's inertia

phi is a sum of terms c z^p rho^-h with rho = r^2 and z = k.r, so that its derivatives are

    grad phi = 2 F_r r + F_z k,   H = 2 F_r 1 + 4 F_rr r r' + 2 F_rz (r k' + k r') + F_zz k k'

with partial derivatives F_r, F_z, ... by rho and z; grad (J:H) has the third ones. Where the frame's origin falls
(falling.py) bodies feel the difference to the origin. It is taken plainly: its rounding is below 1e-17 m/s^2.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, add9, apply_symmetric, cross, dot3, scale3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer
from ..scalar.pack import sqrt
from ..sim.layout import *  # noqa: F403
from .carried import feel_field, feel_gradient
from .falling import both_ways, falls, let_origin_fall, origin_position, place_in_frame, power_of_field, symmetric
from .kind import kind, parameter, push_body, stored, vector, weigh, work_done

MU, RADIUS, J2, J3, J4, CENTRE, AXIS = 0, 1, 2, 3, 4, 5, 8  # its numbers


@inner
def derivatives(A, p, h, s0, s1, s2, s3):
    """Derivatives of A z^p rho^-h at r = 1, with s0 = z^p, s1 = z^(p-1) and so on.

    In the order: none, r, rr, rrr, z, rz, rrz, zz, rzz; zzz.
    """
    r1, r2 = -h * A, h * (h + 1.0) * A
    z1, z2 = p * s1, p * (p - 1.0) * s2
    first = A * s0, r1 * s0, r2 * s0, -(h + 2.0) * r2 * s0, A * z1, r1 * z1, r2 * z1, A * z2, r1 * z2
    return first, A * (p * (p - 1.0) * (p - 2.0)) * s3


@outlined
def add_harmonics(A2, A3, A4, s):
    """Derivatives of all terms, for A_n = mu J_n Re^n / r^(n+1): of phi at unit distance."""
    one, none = s * 0.0 + 1.0, s * 0.0
    ss = s * s
    total, third = derivatives(1.5 * A2, 2.0, 2.5, ss, s, one, none)
    more, _ = derivatives(-0.5 * A2, 0.0, 1.5, one, none, none, none)
    total = add9(total, more)
    more, last = derivatives(2.5 * A3, 3.0, 3.5, ss * s, ss, s, one)
    total, third = add9(total, more), third + last
    more, _ = derivatives(-1.5 * A3, 1.0, 2.5, s, one, none, none)
    total = add9(total, more)
    more, last = derivatives(4.375 * A4, 4.0, 4.5, ss * ss, ss * s, ss, s)
    total, third = add9(total, more), third + last
    more, _ = derivatives(-3.75 * A4, 2.0, 3.5, ss, s, one, none)
    total = add9(total, more)
    more, _ = derivatives(0.375 * A4, 0.0, 2.5, one, none, none, none)
    return add9(total, more), third


@inner
def harmonics(sim, e, r, zero):
    """Direction of r, one over its length, and derivatives of phi there, each times the power of r that it lacks."""
    one = 1.0 / sqrt(dot3(r, r))
    along = scale3(one, r)
    u = parameter(sim, e, RADIUS, zero) * one
    A = parameter(sim, e, MU, zero) * one * u * u
    A2, A3 = parameter(sim, e, J2, zero) * A, parameter(sim, e, J3, zero) * A * u
    G, third = add_harmonics(A2, A3, parameter(sim, e, J4, zero) * A * u * u, dot3(along, vector(sim, e, AXIS, zero)))
    return along, one, G, third


@inner
def slope(along, axis, one, G):
    """-grad phi: the acceleration."""
    return scale3(-one, add3(scale3(2.0 * G[1], along), scale3(G[4], axis)))


@inner
def steepness(along, axis, one, G):
    """Gradient of the acceleration, -H: a matrix."""
    near = -one * one
    H = add9(symmetric(2.0 * near * G[1], 4.0 * near * G[2], along), symmetric(0.0 * near, near * G[7], axis))
    return add9(H, both_ways(scale3(2.0 * near * G[5], along), axis))


@inner
def pull_within(J, along, axis, one, G, third):
    """Second-order terms of a body's size: force grad (J:H) / 2, moment, and energy -J:H / 2."""
    Je, Jk, trace = apply_symmetric(J, along), apply_symmetric(J, axis), J[0] + J[1] + J[2]
    a, b, c = dot3(along, Je), dot3(along, Jk), dot3(axis, Jk)
    radial = 4.0 * trace * G[2] + 8.0 * a * G[3] + 8.0 * b * G[6] + 2.0 * c * G[8]
    axial = 2.0 * trace * G[5] + 4.0 * a * G[6] + 4.0 * b * G[8] + c * third
    f = add3(add3(scale3(radial, along), scale3(axial, axis)), add3(scale3(8.0 * G[2], Je), scale3(4.0 * G[5], Jk)))
    n = add3(
        scale3(4.0 * G[2], cross(Je, along)),
        add3(scale3(2.0 * G[5], add3(cross(Je, axis), cross(Jk, along))), scale3(G[7], cross(Jk, axis))),
    )
    both = 2.0 * trace * G[1] + 4.0 * a * G[2] + 4.0 * b * G[5] + c * G[7]
    near = one * one
    return scale3(0.5 * one * near, f), scale3(near, n), -0.5 * near * both


@kind
def zonal_gravity(sim, e, t, y, k, zero):
    """Pull every body by the zonal harmonics."""
    axis, energy, power, there = vector(sim, e, AXIS, zero), zero, zero, (zero, zero, zero)
    R = sub3(origin_position(sim, y, zero), vector(sim, e, CENTRE, zero))
    if falls(sim):
        along, one, G, third = harmonics(sim, e, R, zero)
        there = slope(along, axis, one, G)
        let_origin_fall(sim, k, there, zero)
    for i in range(integer(sim.tree, BODIES)):
        m, c, J = weigh(sim, i, zero)
        along, one, G, third = harmonics(sim, e, add3(R, place_in_frame(sim, i, c, zero)), zero)
        f, n, U = pull_within(J, along, axis, one, G, third)
        a = sub3(slope(along, axis, one, G), there)
        f = add3(f, scale3(m, a))
        push_body(sim, i, f, n, c, zero)
        feel_field(sim, i, a, zero if falls(sim) else G[0], zero)
        feel_gradient(sim, i, steepness(along, axis, one, G), zero)
        energy += m * G[0] + U
        if falls(sim):
            power += power_of_field(sim, i, a, f, n, c, zero)
    if falls(sim):
        work_done(sim, e, k, power)
    else:
        stored(sim, e, energy)
