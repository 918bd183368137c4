"""Small vectors and matrices as tuples of scalars: 3-vectors, rotations, symmetric matrices.

A rotation is nine scalars, row by row. A symmetric matrix is (xx, yy, zz, xy, xz, yz).
"""

from .compiling import inner
from .memory import load, shared, store
from .pack import fused


@inner
def load3(a, k, zero):
    return load(a, k, zero), load(a, k + 1, zero), load(a, k + 2, zero)


@inner
def load6(a, k, zero):
    return (
        load(a, k, zero),
        load(a, k + 1, zero),
        load(a, k + 2, zero),
        load(a, k + 3, zero),
        load(a, k + 4, zero),
        load(a, k + 5, zero),
    )


@inner
def load9(a, k, zero):
    return load6(a, k, zero) + load3(a, k + 6, zero)


@inner
def shared3(a, k, zero):
    return shared(a, k, zero), shared(a, k + 1, zero), shared(a, k + 2, zero)


@inner
def shared9(a, k, zero):
    return shared3(a, k, zero) + shared3(a, k + 3, zero) + shared3(a, k + 6, zero)


@inner
def store3(a, k, v):
    store(a, k, v[0])
    store(a, k + 1, v[1])
    store(a, k + 2, v[2])


@inner
def store6(a, k, v):
    store3(a, k, v)
    store(a, k + 3, v[3])
    store(a, k + 4, v[4])
    store(a, k + 5, v[5])


@inner
def store_column6(a, k, stride, v):
    """Six numbers, one every `stride` places: down a column of a matrix."""
    store(a, k, v[0])
    store(a, k + stride, v[1])
    store(a, k + 2 * stride, v[2])
    store(a, k + 3 * stride, v[3])
    store(a, k + 4 * stride, v[4])
    store(a, k + 5 * stride, v[5])


@inner
def store9(a, k, v):
    store6(a, k, v)
    store(a, k + 6, v[6])
    store(a, k + 7, v[7])
    store(a, k + 8, v[8])


@inner
def add3(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def sub3(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def fused3(a, b, c):
    """a b + c of a scalar and two vectors.

    Fused by name: a compiler may fuse the first of several products or the second, one way here and another there, and
    a robot alone would no longer move to the bit as in a pack.
    """
    return fused(a, b[0], c[0]), fused(a, b[1], c[1]), fused(a, b[2], c[2])


@inner
def scale3(s, a):
    return s * a[0], s * a[1], s * a[2]


@inner
def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def add_cross(v, a, b):
    """v + a x b, two operations a component."""
    return (
        v[0] + a[1] * b[2] - a[2] * b[1],
        v[1] + a[2] * b[0] - a[0] * b[2],
        v[2] + a[0] * b[1] - a[1] * b[0],
    )


@inner
def add_turned(v, R, a):
    """v + R a, three operations a component."""
    return (
        v[0] + R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        v[1] + R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        v[2] + R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@inner
def turn(R, a):
    """R a: components in the frame's axes to inertial ones."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@inner
def turn_back(R, a):
    """R' a: components in inertial axes to those of the frame."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@inner
def compose(A, B):
    """A B for rotations."""
    c0 = turn(A, (B[0], B[3], B[6]))
    c1 = turn(A, (B[1], B[4], B[7]))
    c2 = turn(A, (B[2], B[5], B[8]))
    return c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2]


@inner
def column_x(R):
    return R[0], R[3], R[6]


@inner
def column_y(R):
    return R[1], R[4], R[7]


@inner
def column_z(R):
    return R[2], R[5], R[8]


@inner
def turn_symmetric(R, M):
    """R M R' for a symmetric M."""
    a = turn(R, (M[0], M[3], M[4]))
    b = turn(R, (M[3], M[1], M[5]))
    c = turn(R, (M[4], M[5], M[2]))
    # rows of R M are (a[k], b[k], c[k])
    r0, r1, r2 = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    x, y, z = (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])
    return dot3(x, r0), dot3(y, r1), dot3(z, r2), dot3(x, r1), dot3(x, r2), dot3(y, r2)


@inner
def apply_symmetric(M, a):
    return (
        M[0] * a[0] + M[3] * a[1] + M[4] * a[2],
        M[3] * a[0] + M[1] * a[1] + M[5] * a[2],
        M[4] * a[0] + M[5] * a[1] + M[2] * a[2],
    )
