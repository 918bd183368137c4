"""The point of an ellipsoid that is closest to a given one.

    s = D x,  D = diag(a²/(a² + t)),   Σ (a x/(a² + t))² = 1,   t > -c²

t is found by Newton's method on 1/|y(t)| - 1, y = a x/(a² + t), which is nearly linear in t (Moré & Sorensen 1983):
from the left, where |y| >= 1, it rises monotonically. A fixed number of steps serves all lanes. Points near the centre,
inside of the evolute, are not meant.
"""

from ..scalar.compiling import inner
from ..scalar.pack import magnitude, select, sqrt

STEPS = 14


@inner
def largest(a, b):
    """The larger of two scalars."""
    return select(a > b, a, b)


@inner
def ellipsoid_parameter(a, b, c, x, y, z):
    """t of the closest point."""
    t = largest(a * magnitude(x) - a * a, largest(b * magnitude(y) - b * b, c * magnitude(z) - c * c))
    for _ in range(STEPS):
        p, q, r = 1.0 / (a * a + t), 1.0 / (b * b + t), 1.0 / (c * c + t)
        u, v, w = a * x * p, b * y * q, c * z * r
        square = u * u + v * v + w * w
        slope = u * u * p + v * v * q + w * w * r  # -d(|y|²/2)/dt
        good = slope > 0.0
        step = square * (sqrt(square) - 1.0) / select(good, slope, 1.0)
        t = t + select(good, step, 0.0)
    return t


@inner
def closest_on_ellipsoid(a, b, c, p):
    """The closest point s, the parameter t, and the gradient m = s/a² of the ellipsoid there, to the outside."""
    t = ellipsoid_parameter(a, b, c, p[0], p[1], p[2])
    m = p[0] / (a * a + t), p[1] / (b * b + t), p[2] / (c * c + t)
    return (a * a * m[0], b * b * m[1], c * c * m[2]), t, m
