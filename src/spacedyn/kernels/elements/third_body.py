"""The gravity of a body far away, or of one at a fixed place, on every body of a robot.

    f = m mu [(s - r) / |s - r|^3 - s / |s|^3],   n = 3 mu e x J e / |s - r|^3,   e along r - s

s is where the body is, from the planet; the second part is how fast the planet itself falls towards it (INDIRECT). The
difference is taken by Encke's form (falling.py). The moment and the small force that goes with it are as for a sphere.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, scale3, sub3
from ..scalar.memory import integer
from ..sim.layout import *  # noqa: F403
from .carried import feel_field, feel_gradient
from .falling import (
    falls,
    gradient_of_point,
    let_origin_fall,
    origin_position,
    place_in_frame,
    power_of_field,
    pull_by_difference,
    pull_of_point,
    pull_of_sphere,
)
from .kind import kind, own, parameter, push_body, weigh, work_done
from .paths import place_on_path

PATH, INDIRECT = range(2)  # its integers: how its path is given, whether the planet falls, too
MU, PLACES = range(2)  # its numbers


@kind
def third_body(sim, e, t, y, k, zero):
    """Pull every body towards it."""
    mu, power = parameter(sim, e, MU, zero), zero
    s = place_on_path(sim, integer(sim.plan, e + E_NUMBERS) + PLACES, own(sim, e, PATH), t)
    s = zero + s[0], zero + s[1], zero + s[2]
    R, indirect = origin_position(sim, y, zero), own(sim, e, INDIRECT) == 1
    away = scale3(-1.0, s)
    if falls(sim):
        fall = pull_by_difference(mu, away, R) if indirect else pull_of_point(mu, sub3(R, s))
        let_origin_fall(sim, k, fall, zero)
        away = sub3(R, s)
    for i in range(integer(sim.tree, BODIES)):
        m, c, J = weigh(sim, i, zero)
        d = place_in_frame(sim, i, c, zero)
        f, n, _ = pull_of_sphere(mu, zero, J, add3(away, d))
        whole = falls(sim) or indirect
        a = pull_by_difference(mu, away, d) if whole else pull_of_point(mu, add3(away, d))
        f = add3(f, scale3(m, a))
        push_body(sim, i, f, n, c, zero)
        feel_field(sim, i, a, zero, zero)
        feel_gradient(sim, i, gradient_of_point(mu, add3(away, d)), zero)
        power += power_of_field(sim, i, a, f, n, c, zero)
    work_done(sim, e, k, power)
