"""A chart of positions around a point x0: x = x0 ⊕ s, s as long as u; and how fast s must change for x to follow u.

Positions add up. A turn is a rotation vector phi: of the base in inertial axes, exp(phi) before x0's attitude; of a
spherical or free joint in the child's axes, exp(phi) after it. Its rate is dexp^-1(phi) of the angular velocity, the
full series and not its first terms: this is what makes Runge-Kutta-Munthe-Kaas methods keep their order.
Iserles, Munthe-Kaas, Norsett & Zanna (2000). SpaceDyn's (3.4) is this exponential if its axis is made a unit vector.
"""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere, sqrt
from ..scalar.trigonometry import sincos
from .kinematics import base_axis, base_part
from .layout import *  # noqa: F403
from .segments import rests
from .spatial import add3, cross, dot3, load3, scale3, store3


@inner
def turn_quaternion(phi):
    """Unit quaternion (x, y, z, w) of a rotation vector."""
    a = dot3(phi, phi)
    b = 0.25 * a  # square of the half angle: where at most 1/4, these series are complete
    bb = b * b  # two terms at a time shorten the chain of dependent operations
    half_sinc = (0.5 - b / 12.0) + bb * (
        (1.0 / 240.0 - b / 10080.0) + bb * ((1.0 / 725760.0 - b / 79833600.0) + bb / 12454041600.0)
    )
    cosine = (1.0 - b / 2.0) + bb * (
        (1.0 / 24.0 - b / 720.0) + bb * ((1.0 / 40320.0 - b / 3628800.0) + bb * (1.0 / 479001600.0 - b / 87178291200.0))
    )
    if somewhere(a > 1.0):  # selected lane by lane: no robot's result depends on its neighbours
        angle = sqrt(select(a > 1.0, a, a * 0.0 + 1.0))
        s, c = sincos(0.5 * angle)
        half_sinc, cosine = select(a > 1.0, s / angle, half_sinc), select(a > 1.0, c, cosine)
    return scale3(half_sinc, phi) + (cosine,)


@inner
def multiply_quaternions(a, b):
    """First the turn b, then the turn a."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@inner
def turn_rate(phi, w, sign):
    """Rate of a rotation vector: dexp^-1 of the angular velocity w; sign is +1 in outer axes, -1 in the body's own."""
    a = dot3(phi, phi)
    beta = 1.0 / 12.0 + a * (  # Bernoulli numbers over factorials
        1.0 / 720.0
        + a
        * (
            1.0 / 30240.0
            + a
            * (
                1.0 / 1209600.0
                + a
                * (
                    1.0 / 47900160.0
                    + a
                    * (
                        691.0 / 1307674368000.0
                        + a * (1.0 / 74724249600.0 + a * (3617.0 / 10670622842880000.0 + a * 8.586062056277845e-15))
                    )
                )
            )
        )
    )
    if somewhere(a > 1.0):
        safe = select(a > 1.0, a, a * 0.0 + 1.0)
        angle = sqrt(safe)
        s, c = sincos(0.5 * angle)
        beta = select(a > 1.0, (1.0 - 0.5 * angle * c / s) / safe, beta)
    sideways = cross(phi, w)
    return add3(w, add3(scale3(-0.5 * sign, sideways), scale3(beta, cross(phi, sideways))))


@inner
def turn_velocity(phi, w, sign):
    """Angular velocity while a rotation vector changes at the rate w: dexp, what `turn_rate` undoes."""
    a = dot3(phi, phi)
    first = 0.5 - a / 24.0 * (
        1.0 - a / 30.0 * (1.0 - a / 56.0 * (1.0 - a / 90.0 * (1.0 - a / 132.0 * (1.0 - a / 182.0 * (1.0 - a / 240.0)))))
    )
    second = (1.0 / 6.0) * (
        1.0
        - a
        / 20.0
        * (
            1.0
            - a
            / 42.0
            * (1.0 - a / 72.0 * (1.0 - a / 110.0 * (1.0 - a / 156.0 * (1.0 - a / 210.0 * (1.0 - a / 272.0)))))
        )
    )
    if somewhere(a > 1.0):
        safe = select(a > 1.0, a, a * 0.0 + 1.0)
        angle = sqrt(safe)
        s, c = sincos(angle)
        first = select(a > 1.0, (1.0 - c) / safe, first)
        second = select(a > 1.0, (angle - s) / (safe * angle), second)
    sideways = cross(phi, w)
    return add3(w, add3(scale3(sign * first, sideways), scale3(second, cross(phi, sideways))))


@inner
def store_base_part(tree, work, at, first, v, zero):
    """The reverse of `base_part`: write those of the three components that the base has."""
    if integer(tree, BASE) == BASE_FREE:
        store3(work, at + first, v)
        return
    for k in range(integer(tree, BASE_RATES)):
        axis = base_axis(tree, k) - first
        if axis == 0:
            store(work, at + k, v[0])
        elif axis == 1:
            store(work, at + k, v[1])
        elif axis == 2:
            store(work, at + k, v[2])


@inner
def load4(a, k, zero):
    return load(a, k, zero), load(a, k + 1, zero), load(a, k + 2, zero), load(a, k + 3, zero)


@inner
def store_unit(a, k, q):
    """Write a quaternion that is unit but for rounding, made exactly unit: 1/|q| near 1, without root and division."""
    scale = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for j in range(4):
        store(a, k + j, scale * q[j])


@inner
def has_turns(tree):
    """Whether some joint is spherical or free: it has a coordinate more than rates."""
    return integer(tree, COORDINATES) - 7 > integer(tree, RATES) - integer(tree, BASE_RATES)


@inner
def turned_by(q, v, sign):
    """A vector after the turn of a unit quaternion (sign 1), or before it (-1)."""
    axis = q[0], q[1], q[2]
    once = scale3(2.0, cross(axis, v))
    return add3(v, add3(scale3(sign * q[3], once), cross(axis, once)))


@inner
def inertial_rates(tree, work, x, rates, u, zero):
    """Rates u from those of a vector y, which may have the base's angular ones in the axes that it has at x."""
    for k in range(integer(tree, RATES)):
        store(work, u + k, load(work, rates + k, zero))
    if integer(tree, OWN_AXES):
        k = integer(tree, BASE_RATES) - 3
        store3(work, u + k, turned_by(load4(work, x + 3, zero), load3(work, rates + k, zero), 1.0))


@inner
def turn_into_base(tree, work, x, u, zero):
    """The base's angular part of u, rates or their rates, from inertial axes into those of a vector y at x.

    w0 = R w gives w0' = R w', for w turns nothing about itself: rates of rates change their axes like rates.
    """
    if integer(tree, OWN_AXES):
        k = u + integer(tree, BASE_RATES) - 3
        store3(work, k, turned_by(load4(work, x + 3, zero), load3(work, k, zero), -1.0))


@inner
def move_along(tree, work, origin, s, target, zero):
    """Coordinates target = origin ⊕ s, all three in `work`."""
    if not has_turns(tree):  # joints before the base, whose turn takes longer: their sines come next
        base = integer(tree, BASE_RATES)
        for j in range(integer(tree, RATES) - base):
            store(work, target + 7 + j, load(work, origin + 7 + j, zero) + load(work, s + base + j, zero))
    store3(work, target, add3(load3(work, origin, zero), base_part(tree, work, s, 1, 0, zero)))
    turned = turn_quaternion(base_part(tree, work, s, 1, 3, zero))
    store_unit(work, target + 3, multiply_quaternions(turned, load4(work, origin + 3, zero)))
    if not has_turns(tree):
        return
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        if rests(tree, i):
            continue
        kind = integer(tree, record + KIND)
        count = integer(tree, record + RATE_COUNT)
        x, k = integer(tree, record + COORDINATE), s + integer(tree, record + RATE)
        simple = count - 3 if kind == SPHERICAL or kind == FREE else count
        for j in range(simple):
            store(work, target + x + j, load(work, origin + x + j, zero) + load(work, k + j, zero))
        if simple < count:
            turned = turn_quaternion(load3(work, k + simple, zero))
            x += simple
            store_unit(work, target + x, multiply_quaternions(load4(work, origin + x, zero), turned))


@inner
def chart_rates(tree, work, s, u, target, zero):
    """Rates of the chart's coordinates s while the robot moves with u, all three in `work`."""
    for k in range(integer(tree, RATES)):
        store(work, target + k, load(work, u + k, zero))
    w = turn_rate(base_part(tree, work, s, 1, 3, zero), base_part(tree, work, u, 1, 3, zero), 1.0)
    store_base_part(tree, work, target, 3, w, zero)
    if not has_turns(tree):
        return
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        kind = integer(tree, record + KIND)
        if (kind == SPHERICAL or kind == FREE) and not rests(tree, i):
            k = integer(tree, record + RATE) + integer(tree, record + RATE_COUNT) - 3
            store3(work, target + k, turn_rate(load3(work, s + k, zero), load3(work, u + k, zero), -1.0))
