"""Sine and cosine together, for any scalar, within 2 ulp for |x| < 1e6.

The argument is reduced to [-pi/4, pi/4] by multiples of pi/2, which is split so that every product is exact
(Cody & Waite); what the subtractions round off is carried along as `tail`. Beyond 1e6 the C library takes over.
The polynomials are the minimax ones of the classical C libraries.
"""

from .compiling import outlined
from .pack import (
    library_cos,
    library_sin,
    magnitude,
    nearest_integer,
    round_down,
    select,
    somewhere,
    value_of,
    with_slope,
)

FAR = 1e6
TWO_OVER_PI = 6.36619772367581382433e-01
# pi/2 in 33-bit pieces: times an integer below 2^20 each is exact
HALF_PI_1 = 1.57079632673412561417e00
HALF_PI_2 = 6.07710050630396597660e-11
HALF_PI_3 = 2.02226624871116645580e-21
HALF_PI_4 = 8.47842766036889956997e-32


@outlined
def sincos(angle):
    """(sin, cos) of an angle."""
    x = value_of(angle)
    if somewhere(magnitude(x) > FAR):
        sine, cosine = library_sin(x), library_cos(x)
        return with_slope(angle, sine, cosine), with_slope(angle, cosine, -sine)
    k = nearest_integer(x * TWO_OVER_PI)
    r1 = x - k * HALF_PI_1
    w2 = k * HALF_PI_2
    r2 = r1 - w2
    lost = (r1 - r2) - w2
    w3 = k * HALF_PI_3 - lost
    r = r2 - w3
    tail = ((r2 - r) - w3) - k * HALF_PI_4
    z = r * r
    s = -1.66666666666666324348e-01 + z * (
        8.33333333332248946124e-03
        + z
        * (
            -1.98412698298579493134e-04
            + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
        )
    )
    c = 4.16666666666666019037e-02 + z * (
        -1.38888888888741095749e-03
        + z
        * (
            2.48015872894767294178e-05
            + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
        )
    )
    sine = r + (r * z * s + tail * (1.0 - 0.5 * z))
    half = 0.5 * z
    near = 1.0 - half
    cosine = near + (((1.0 - near) - half) + (z * z * c - r * tail))
    quarter = k - 4.0 * round_down(0.25 * k)  # 0, 1, 2 or 3
    odd = 0.5 * quarter - round_down(0.5 * quarter) > 0.25
    first, second = select(odd, cosine, sine), select(odd, sine, cosine)
    turned = magnitude(quarter - 1.5) < 1.0  # 1 or 2
    sine, cosine = select(quarter > 1.5, -first, first), select(turned, -second, second)
    return with_slope(angle, sine, cosine), with_slope(angle, cosine, -sine)
