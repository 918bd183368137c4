"""Compliant contact of points of a body with a surface: Hunt and Crossley's normal force, friction, adhesion.

    N = k x^n (1 + a x') + d x', never a pull;   x = -gap

The force is N times the gap's gradient, which is the unit normal where the gap is a distance, so k x^n has a potential
in any case. Friction is in contact_friction.py. Guards: gap; whether damping would pull; whether friction sticks; the
range of adhesion. Without guards signs decide. Hunt & Crossley, J. Appl. Mech. 42 (1975) 440.
"""

from collections import namedtuple

from ..robot.spatial import add3, cross, dot3, scale3, sub3
from ..scalar.compiling import inner
from ..scalar.pack import magnitude, power, select, sqrt, value_of
from ..sim.layout import *  # noqa: F403
from .contact_friction import bristle_friction, regularised_friction, sliding_velocity, turning_moment
from .contact_points import (
    ADHERES,
    ADHESION,
    BODY,
    BRISTLES,
    DAMPING,
    DEEPEST,
    DISSIPATION,
    EXPONENT,
    FRICTION,
    GUARDS,
    OTHER,
    POINTS,
    PULLS,
    RANGE,
    REGULARISED,
    STIFFNESS,
    TURNS,
    choice,
    decides,
    ground_of,
    law_of,
    number,
    touch_of,
)
from .kind import (
    channel,
    channel3,
    dissipated,
    kind,
    own,
    position,
    push_body,
    push_within,
    record_wrench,
    stored,
)

NAN = float("nan")

Normal = namedtuple("Normal", "force touches stored lost")
"""Force for a unit of the gap's gradient; 1 if it touches; energy that is stored, power that is lost."""


@inner
def elastic_force(sim, law, x, zero):
    """k x^n, continued as an odd function for trial steps beyond the touch; and its energy."""
    k, n = number(sim, law, STIFFNESS, zero), number(sim, law, EXPONENT, 0.0)
    if n == 1.0:
        f = k * x
    elif n == 1.5:
        f = k * x * sqrt(magnitude(x))
    else:
        f = k * x * power(magnitude(x), value_of(zero) + (n - 1.0))
    return f, f * x / (n + 1.0)


@inner
def normal_force(sim, e, law, touch, zero):
    """The normal force without adhesion."""
    open_, x = decides(sim, e, law, 0, touch.gap, zero) > 0.0, -touch.gap
    speed = -dot3(touch.gradient, touch.speed)
    elastic, energy = elastic_force(sim, law, x, zero)
    a, d = number(sim, law, DISSIPATION, zero), number(sim, law, DAMPING, zero)
    N = elastic * (1.0 + a * speed) + d * speed
    if choice(sim, law, PULLS) > 0:
        sign = N if choice(sim, law, PULLS) == 2 else 1.0 + a * speed
        sign = select(open_, zero + 1.0, sign)
        N = select(decides(sim, e, law, 1, sign, zero) > 0.0, N, zero)
    N, elastic = select(open_, zero, N), select(open_, zero, elastic)
    N = N + select(select(open_, zero, x) > number(sim, law, DEEPEST, zero), zero + NAN, zero)
    return Normal(N, select(open_, zero, zero + 1.0), select(open_, zero, energy), (N - elastic) * speed)


@inner
def adhesion(sim, e, law, touch, normal, zero):
    """Pull for a unit of the gradient, constant in contact, falling to zero over its range; and its energy."""
    A, reach = number(sim, law, ADHESION, zero), number(sim, law, RANGE, zero)
    which = choice(sim, law, GUARDS) - 1
    near = decides(sim, e, law, which, reach - touch.gap, zero) > 0.0
    left = 1.0 - touch.gap / reach
    pull = select(normal.touches > 0.5, zero + A, A * left)
    energy = select(normal.touches > 0.5, A * (touch.gap - 0.5 * reach), -0.5 * A * reach * left * left)
    return select(near, pull, zero), select(near, energy, zero)


@inner
def act_on_point(sim, e, j, y, k, ground, zero):
    """Push the body at point j, and the other one back; energy stored and power lost."""
    touch, law = touch_of(sim, e, j, ground, zero), law_of(sim, e, j)
    normal = normal_force(sim, e, law, touch, zero)
    push, energy, lost = normal.force, normal.stored, normal.lost
    if choice(sim, law, ADHERES) == 1:
        pull, held = adhesion(sim, e, law, touch, normal, zero)
        push, energy = push - pull, energy + held
    f, m = scale3(push, touch.gradient), (zero, zero, zero)
    if choice(sim, law, FRICTION) == BRISTLES:
        rub, bent, rubbed = bristle_friction(sim, e, law, y, k, normal, touch, zero)
        f, energy, lost = add3(f, rub), energy + bent, lost + rubbed
    elif choice(sim, law, FRICTION) == REGULARISED:
        rub, rubbed = regularised_friction(sim, law, normal, touch, zero)
        f, lost = add3(f, rub), lost + rubbed
    if choice(sim, law, TURNS) == 1:
        m, turned = turning_moment(sim, law, normal.force * touch.size, touch, zero)
        lost = lost + turned
    report(sim, e, j, touch, normal, f, m, zero)
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    if other < 0:
        push_body(sim, i, f, m, touch.at, zero)
    else:
        push_within(sim, i, f, m, touch.at, zero)
        push_within(sim, other, scale3(-1.0, f), scale3(-1.0, m), sub3(touch.at, ground.between), zero)
    return energy, lost


@inner
def report(sim, e, j, touch, normal, f, m, zero):
    """Channels of point j, and its wrench."""
    many, v = own(sim, e, POINTS), sliding_velocity(touch)
    channel(sim, e, j, touch.gap)
    channel(sim, e, many + j, normal.force * touch.size)
    channel(sim, e, 2 * many + j, sqrt(dot3(v, v)))
    channel3(sim, e, 3 * many + 3 * j, position(sim, own(sim, e, BODY), touch.at, zero))
    record_wrench(sim, e, j, f, add3(m, cross(sub3(touch.at, touch.center), f)))


@kind
def contact(sim, e, t, y, k, zero):
    """Let every point push."""
    ground, energy, lost = ground_of(sim, e, zero), zero, zero
    for j in range(own(sim, e, POINTS)):
        held, taken = act_on_point(sim, e, j, y, k, ground, zero)
        energy, lost = energy + held, lost + taken
    stored(sim, e, energy)
    dissipated(sim, e, k, lost)
