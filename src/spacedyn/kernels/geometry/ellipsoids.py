"""The point of an ellipsoid that is closest to a given one.

    s = D x,  D = diag(a²/(a² + t)),   Σ (a x/(a² + t))² = 1,   t > -c²

t is found by Newton's method on 1/|y(t)| - 1, y = a x/(a² + t), which is nearly linear in t (Moré & Sorensen 1983):
from the left, where |y| >= 1, it rises monotonically. It ends when all lanes are there. Points near the centre,
inside of the evolute, are not meant.
"""

from ..scalar.compiling import inner
from ..scalar.pack import magnitude, select, somewhere, sqrt

STEPS = 40


@inner
def largest(a, b):
    """The larger of two scalars."""
    return select(a > b, a, b)


@inner
def inverse(a, t):
    """1/(a² + t), finite where a point is on a plane of symmetry deep inside."""
    return 1.0 / (a * a + t + 1e-300)


@inner
def ellipsoid_parameter(a, b, c, x, y, z):
    """t of the closest point."""
    t = largest(a * magnitude(x) - a * a, largest(b * magnitude(y) - b * b, c * magnitude(z) - c * c))
    done = False
    for _ in range(STEPS):
        p, q, r = inverse(a, t), inverse(b, t), inverse(c, t)
        u, v, w = a * x * p, b * y * q, c * z * r
        square = u * u + v * v + w * w
        slope = u * u * p + v * v * q + w * w * r  # -d(|y|²/2)/dt
        good = slope > 0.0
        step = square * (sqrt(square) - 1.0) / select(good, slope, 1.0)
        t = t + select(good, step, 0.0)
        if done:  # one step after the last that mattered has the tangents of dual numbers right
            break
        done = not somewhere(magnitude(step) > 1e-13 * (magnitude(t) + a * a + b * b + c * c))
    return t


@inner
def closest_on_ellipsoid(a, b, c, p):
    """The closest point s, the parameter t, and the gradient m = s/a² of the ellipsoid there, to the outside."""
    t = ellipsoid_parameter(a, b, c, p[0], p[1], p[2])
    m = p[0] * inverse(a, t), p[1] * inverse(b, t), p[2] * inverse(c, t)
    return (a * a * m[0], b * b * m[1], c * c * m[2]), t, m
