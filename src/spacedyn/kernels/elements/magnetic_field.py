"""The magnetic field of a planet that turns: spherical harmonics, summed by Cunningham's recursion in Cartesian axes.

    V_00 = a / r,   V_mm + i W_mm = (2m - 1) (x + i y) a / r² (V + i W)_{m-1,m-1}
    V_nm = (2n-1)/(n-m) z a / r² V_{n-1,m} - (n+m-1)/(n-m) a² / r² V_{n-2,m},   W_nm the same
    B = sum over n, m of  b_nm V_nm + c_nm W_nm

The gradient of a harmonic of degree n is a sum of harmonics of degree n + 1 (Cunningham 1970; Montenbruck & Gill 2000,
section 3.2): so b and c are vectors, made of Gauss's coefficients once, and a column m needs only the last two of its
V and W. No pole is singular, and degree 13 loses no digits. A row of the table: the two factors of the recursion, b, c.
"""

from ..robot.spatial import add3, scale3, sub3
from ..scalar.compiling import inner
from ..scalar.pack import sqrt
from ..scalar.trigonometry import sincos
from .kind import parameter, vector

# numbers of a field, from place `at` of its element's on: the planet's centre, angle at t = 0 and rate about z, radius;
# a field that is the same everywhere, in inertial axes; then the table, column by column
CENTRE, ANGLE, TURN, RADIUS, UNIFORM, TABLE = 0, 3, 4, 5, 6, 9
FACTORS, ALONG_V, ALONG_W, ROW_NUMBERS = 0, 2, 5, 8


@inner
def field_at(sim, e, at, degree, t, place, zero):
    """The field at a place of the inertial frame, in inertial axes; of the table's harmonics up to `degree`."""
    r = sub3(place, vector(sim, e, at + CENTRE, zero))
    s, c = sincos(parameter(sim, e, at + ANGLE, zero) + parameter(sim, e, at + TURN, zero) * t)
    B = add3((zero, zero, zero), vector(sim, e, at + UNIFORM, zero))
    if degree > 0:
        fixed = (c * r[0] + s * r[1], c * r[1] - s * r[0], zero + r[2])
        b = harmonics(sim, e, at, degree, fixed, zero)
        B = add3(B, (c * b[0] - s * b[1], s * b[0] + c * b[1], b[2]))
    return B


@inner
def harmonics(sim, e, at, degree, r, zero):
    """The sum, in axes that turn with the planet; `degree`: of the harmonics in the table."""
    a = parameter(sim, e, at + RADIUS, zero)
    scale = a / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    x, y, z, shrink = scale * r[0], scale * r[1], scale * r[2], a * scale
    B, row = (zero, zero, zero), at + TABLE
    V_mm, W_mm = sqrt(shrink), zero
    for m in range(degree + 1):
        if m > 0:
            V_mm, W_mm = (2.0 * m - 1.0) * (x * V_mm - y * W_mm), (2.0 * m - 1.0) * (x * W_mm + y * V_mm)
        V, W, V_before, W_before = V_mm, W_mm, zero, zero
        for n in range(m, degree + 1):
            if n > m:
                up, down = parameter(sim, e, row, zero) * z, parameter(sim, e, row + 1, zero) * shrink
                V, V_before = up * V - down * V_before, V
                W, W_before = up * W - down * W_before, W
            B = add3(B, scale3(V, vector(sim, e, row + ALONG_V, zero)))
            B = add3(B, scale3(W, vector(sim, e, row + ALONG_W, zero)))
            row += ROW_NUMBERS
    return B
