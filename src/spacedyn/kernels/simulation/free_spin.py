"""Rotation of free single bodies in a step of time-stepping, by the implicit midpoint rule, which conserves energy.

    J (w+ - w) = h (tau - m x J m),   m = (w + w+) / 2,   in the body's axes

Without tau, w.J w and |J w| are conserved to rounding at any speed. With w x J w at the start instead, as the dynamics
has it, the energy of a tumbling body grows by the part (h w)^2 in every step.

A joint whose frame is at r from the child's centre of mass has v = v_com - w x r: its v+ is that of a centre of mass
that moves on as if nothing turned, in the attitude after the step.
"""

from ..robot.charts import turn_quaternion, turned_by
from ..robot.kinematics import is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import rests
from ..robot.spatial import add3, fused3, load3, scale3, shared3, store3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import cross, dot3, two
from ..scalar.memory import integer, load, shared, store
from ..scalar.pack import magnitude, select, somewhere
from ..sim.layout import *  # noqa: F403

CORRECTIONS = 12  # most iterations of Newton's method
CLOSE = 1e-14  # the last correction, over the angular velocity


@inner
def inertia_in_own_axes(par, i, zero):
    """Inertia of body i about its centre of mass, in its own axes: three rows."""
    at = i * BODY_PARS + P_INERTIA
    a, b, least = shared3(par, at, zero), shared3(par, at + 3, zero), shared(par, i * BODY_PARS + P_LEAST, zero)
    xy, xz, yz = two(a[0], a[1], b[0], b[1]), two(a[0], a[2], b[0], b[2]), two(a[1], a[2], b[1], b[2])
    xx, yy, zz = two(a[0], a[0], b[0], b[0]), two(a[1], a[1], b[1], b[1]), two(a[2], a[2], b[2], b[2])
    return (least + xx, xy, xz), (xy, least + yy, yz), (xz, yz, least + zz)


@inner
def applied(J, w):
    return dot3(J[0], w), dot3(J[1], w), dot3(J[2], w)


@inner
def solve3(x, y, z, f):
    """The solution of three equations: columns x, y, z, and the right-hand side."""
    yz = cross(y, z)
    k = 1.0 / dot3(x, yz)
    return k * dot3(yz, f), k * dot3(cross(z, x), f), k * dot3(cross(x, y), f)


@inner
def sum_of_sizes(v):
    return magnitude(v[0]) + magnitude(v[1]) + magnitude(v[2])


@outlined
def turned_freely(J, w, wd, h, zero):
    """Angular velocity after a step, from w and its rate wd at the start.

    If Newton's method does not converge, as for more than two radians in a step, only tau changes w.
    """
    one, half = zero + 1.0, 0.5 * h
    tau = add3(applied(J, wd), cross(w, applied(J, w)))
    alone, new = fused3(h, solve3(J[0], J[1], J[2], tau), w), fused3(h, wd, w)
    size, looks = sum_of_sizes(w) + sum_of_sizes(new), 0
    active = select(size > 0.0, one, zero)
    while looks < CORRECTIONS and somewhere(active > 0.0):
        m = scale3(0.5, add3(w, new))
        Jm = applied(J, m)
        f = fused3(-h, sub3(tau, cross(m, Jm)), applied(J, sub3(new, w)))
        d = solve3(  # columns of J + h/2 d(m x J m)/dm
            fused3(half, add3((zero, -Jm[2], Jm[1]), cross(m, J[0])), J[0]),
            fused3(half, add3((Jm[2], zero, -Jm[0]), cross(m, J[1])), J[1]),
            fused3(half, add3((-Jm[1], Jm[0], zero), cross(m, J[2])), J[2]),
            f,
        )
        new = fused3(-active, d, new)
        active = select(sum_of_sizes(d) > CLOSE * size, active, zero)
        looks += 1
    lost = active > 0.0
    return select(lost, alone[0], new[0]), select(lost, alone[1], new[1]), select(lost, alone[2], new[2])


@inner
def load_quaternion(work, at, zero):
    return load(work, at, zero), load(work, at + 1, zero), load(work, at + 2, zero), load(work, at + 3, zero)


@inner
def load_accelerations(sim, k, zero):
    """The accelerations of rate k and the next two."""
    at = integer(sim.tree, W_RATE) + k * RATE_WORK + QDD
    return load(sim.work, at, zero), load(sim.work, at + RATE_WORK, zero), load(sim.work, at + 2 * RATE_WORK, zero)


@inner
def store_accelerations(sim, k, a):
    """Write the accelerations of rate k and the next two."""
    at = integer(sim.tree, W_RATE) + k * RATE_WORK + QDD
    store(sim.work, at, a[0])
    store(sim.work, at + RATE_WORK, a[1])
    store(sim.work, at + 2 * RATE_WORK, a[2])


@inner
def turn_base(sim, h, zero):
    """Turn a base without children; its angular rates are inertial here, and in its own axes in the vector y."""
    nv, k = integer(sim.tree, RATES), integer(sim.tree, BASE_RATES) - 3
    kept = integer(sim.plan, Y_K) + nv + k
    w = load3(sim.work, integer(sim.plan, Y_NOW) + nv + k, zero)
    new = turned_freely(inertia_in_own_axes(sim.par, 0, zero), w, load3(sim.work, kept, zero), h, zero)
    a = scale3(1.0 / h, sub3(new, w))
    store3(sim.work, kept, a)
    store_accelerations(sim, k, turned_by(load_quaternion(sim.work, integer(sim.tree, W_X) + 3, zero), a, 1.0))


@inner
def turn_body(sim, i, h, zero):
    """Turn body i on a free joint; angular rates are in its own axes, linear ones in those of the joint's frame."""
    record, nv = integer(sim.tree, BODY_AT) + i * BODY_INTS, integer(sim.tree, RATES)
    first, x = integer(sim.tree, record + RATE), integer(sim.tree, W_X) + integer(sim.tree, record + COORDINATE)
    w, wd = load3(sim.work, integer(sim.tree, W_U) + first + 3, zero), load_accelerations(sim, first + 3, zero)
    new = turned_freely(inertia_in_own_axes(sim.par, i, zero), w, wd, h, zero)
    r = shared3(sim.par, i * BODY_PARS + P_COM, zero)
    straight = add3(cross(w, r), scale3(h, add3(cross(wd, r), cross(w, cross(w, r)))))
    turned = turned_by(turn_quaternion(scale3(h, new)), cross(new, r), 1.0)
    away = turned_by(load_quaternion(sim.work, x + 3, zero), sub3(straight, turned), 1.0)
    v, a = fused3(1.0 / h, away, load_accelerations(sim, first, zero)), scale3(1.0 / h, sub3(new, w))
    store_accelerations(sim, first, v)
    store_accelerations(sim, first + 3, a)
    kept = integer(sim.plan, Y_K) + nv + first
    store3(sim.work, kept, v)
    store3(sim.work, kept + 3, a)


@inner
def turns_freely(sim, i):
    """Whether body i, one of the single bodies, turns freely now: it is neither asleep nor moved as given."""
    first = integer(sim.tree, integer(sim.tree, BODY_AT) + i * BODY_INTS + RATE)
    return i == 0 or not (rests(sim.tree, i) or is_given(sim.tree, first))


@outlined
def turn_freely(sim, h, zero):
    """Replace accelerations of freely turning bodies by those that lead to their rates after the step."""
    for n in range(integer(sim.plan, SPINNERS)):
        i = integer(sim.plan, integer(sim.plan, SPINNER_AT) + n)
        if i == 0:
            turn_base(sim, h, zero)
        elif turns_freely(sim, i):
            turn_body(sim, i, h, zero)


@inner
def keep_turning(sim, known, anew, zero):
    """Copy the accelerations of freely turning bodies from the rates `known` to the rates `anew`."""
    nv = integer(sim.tree, RATES)
    for n in range(integer(sim.plan, SPINNERS)):
        i = integer(sim.plan, integer(sim.plan, SPINNER_AT) + n)
        if turns_freely(sim, i):
            record = integer(sim.tree, BODY_AT) + i * BODY_INTS
            first = integer(sim.tree, record + RATE) if i > 0 else 0
            for k in range(first, first + (6 if i > 0 else integer(sim.tree, BASE_RATES))):
                store(sim.work, anew + nv + k, load(sim.work, known + nv + k, zero))
