"""Quaternions (x, y, z, w) of rotations, for sensors and grasps: w is not negative."""

from ..scalar.compiling import inner
from ..scalar.pack import select, sqrt


@inner
def quaternion_of(R, zero):
    """The quaternion of a rotation matrix, by the largest of its four components (Shepperd 1978)."""
    ww, xx = 1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8]
    yy, zz = 1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]
    xy, xz, yz = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    wx, wy, wz = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    largest, q = ww, (wx, wy, wz, ww)
    largest, q = larger(largest, q, xx, (xx, xy, xz, wx))
    largest, q = larger(largest, q, yy, (xy, yy, yz, wy))
    largest, q = larger(largest, q, zz, (xz, yz, zz, wz))
    scale = 0.5 / sqrt(largest)
    scale = select(q[3] < 0.0, -scale, scale)
    return scale * q[0], scale * q[1], scale * q[2], scale * q[3]


@inner
def larger(largest, q, other, p):
    """Of two candidates that with the larger pivot."""
    better = other > largest
    return select(better, other, largest), (
        select(better, p[0], q[0]),
        select(better, p[1], q[1]),
        select(better, p[2], q[2]),
        select(better, p[3], q[3]),
    )
