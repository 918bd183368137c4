"""Sums of products fused by name, mostly for contact: a robot alone moves to the bit as in a pack.

A compiler may fuse the first of two products or the second, one way for one robot and another for packs. In contact
that shows: where two choices of points are equal but for rounding, forces differ. Robots' own kernels leave it to the
compiler (vectors.py), which costs packed forward dynamics some 2 % less; but for rotations of joints and their frames,
which packs of robots that differ read in two ways (descriptions.py).
"""

from .compiling import inner
from .pack import fused


@inner
def two(a, b, c, d):
    """a b + c d."""
    return fused(a, b, c * d)


@inner
def dot3(a, b):
    return fused(a[2], b[2], fused(a[1], b[1], a[0] * b[0]))


@inner
def cross(a, b):
    return two(a[1], b[2], -a[2], b[1]), two(a[2], b[0], -a[0], b[2]), two(a[0], b[1], -a[1], b[0])


@inner
def apply_symmetric(M, a):
    """M a for a symmetric M, (xx, yy, zz, xy, xz, yz)."""
    return dot3((M[0], M[3], M[4]), a), dot3((M[3], M[1], M[5]), a), dot3((M[4], M[5], M[2]), a)


@inner
def turn(R, a):
    """R a: components in the frame's axes to inertial ones."""
    return dot3((R[0], R[1], R[2]), a), dot3((R[3], R[4], R[5]), a), dot3((R[6], R[7], R[8]), a)


@inner
def turn_back(R, a):
    """R' a: components in inertial axes to those of the frame."""
    return dot3((R[0], R[3], R[6]), a), dot3((R[1], R[4], R[7]), a), dot3((R[2], R[5], R[8]), a)


@inner
def compose(A, B):
    """A B for rotations."""
    x, y, z = turn(A, (B[0], B[3], B[6])), turn(A, (B[1], B[4], B[7])), turn(A, (B[2], B[5], B[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@inner
def turn_symmetric(R, M):
    """R M R' for a symmetric M, (xx, yy, zz, xy, xz, yz)."""
    B = compose(R, (M[0], M[3], M[4], M[3], M[1], M[5], M[4], M[5], M[2]))
    x, y, z = turn(R, (B[0], B[1], B[2])), turn(R, (B[3], B[4], B[5])), turn(R, (B[6], B[7], B[8]))
    return x[0], y[1], z[2], x[1], x[2], y[2]
