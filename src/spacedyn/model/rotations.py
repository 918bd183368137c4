"""Rotation matrices from angles, axes and quaternions; multiples of 90 degrees give exact zeros and ones.

A rotation matrix has the turned axes as its columns: x_outer = R x_turned.
"""

import math

import numpy as np
from numpy.typing import ArrayLike


def rotation_xyz(angles: ArrayLike) -> np.ndarray:
    """Rotation matrix Rx(a) Ry(b) Rz(c) of three angles [rad] about x, the turned y and the turned z.

    Parameters
    ----------
    angles : (3,) array_like
        a, b, c [rad].

    Returns
    -------
    (3, 3) array
        Direction cosines, outer axes <- turned axes; NaN if an angle is not finite.

    Examples
    --------
    >>> rotation_xyz([0, 0, np.pi / 2]).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    given = np.asarray(angles, dtype=float)
    a, b, c = (float(angle) if math.isfinite(angle) else math.nan for angle in given)
    return _product((math.cos(a), math.cos(b), math.cos(c)), (math.sin(a), math.sin(b), math.sin(c)))


def rotation_xyz_deg(degrees: ArrayLike) -> np.ndarray:
    """`rotation_xyz` of angles in degrees; multiples of 90 give zeros and ones without rounding.

    Examples
    --------
    >>> rotation_xyz_deg([90, 0, -90])
    array([[ 0.,  1.,  0.],
           [ 0.,  0., -1.],
           [-1.,  0.,  0.]])
    """
    turns = [float(angle) for angle in np.asarray(degrees, dtype=float)]
    cosines, sines = zip(*(_cos_sin_deg(angle) for angle in turns), strict=True)
    return _product(cosines, sines) + 0.0  # no negative zeros


def angles_xyz(rotation: ArrayLike) -> np.ndarray:
    """Angles [rad] about x, the turned y and the turned z that make a rotation matrix; undoes `rotation_xyz`.

    Where the second is 90 degrees the other two turn about one line; the third is then zero, as in SpaceDyn.

    Parameters
    ----------
    rotation : (3, 3) array_like
        Direction cosines, outer axes <- turned axes.

    Returns
    -------
    (3,) array
        The second within [-pi/2, pi/2], the others within [-pi, pi].

    Examples
    --------
    >>> angles_xyz(rotation_xyz([0.1, -0.2, 0.3]))
    array([ 0.1, -0.2,  0.3])
    """
    R = np.asarray(rotation, dtype=float)
    cos_b = math.hypot(R[0, 0], R[0, 1])
    b = math.atan2(R[0, 2], cos_b)
    if cos_b < 1e-12:
        return np.array([math.atan2(R[2, 1], R[1, 1]), b, 0.0]) + 0.0
    return np.array([math.atan2(-R[1, 2], R[2, 2]), b, math.atan2(-R[0, 1], R[0, 0])]) + 0.0


def rotation_about(axis: ArrayLike, angle: float) -> np.ndarray:
    """Rotation matrix of a turn by `angle` [rad] about a unit axis (Rodrigues).

    Examples
    --------
    >>> rotation_about([0, 0, 1], 0.0)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    a = np.asarray(axis, dtype=float)
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    # 1 - cos by the half angle: no cancellation for small turns
    return np.eye(3) + math.sin(angle) * K + 2.0 * math.sin(angle / 2.0) ** 2 * (K @ K)


def rotation_quaternion(xyzw: ArrayLike) -> np.ndarray:
    """Rotation matrix of a quaternion (x, y, z, w), scalar last, of any length but zero.

    Examples
    --------
    >>> rotation_quaternion([1, 0, 0, 1])  # 90 degrees about x
    array([[ 1.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  0.]])
    """
    x, y, z, w = (float(part) for part in np.asarray(xyzw, dtype=float))
    # divided by the squared length rather than normalised first: (1, 0, 0, 1) is then exact
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ]
    )


def z_onto(axis: ArrayLike) -> np.ndarray:
    """A turn that takes the z axis onto a unit axis, the shortest unless it points down: then by half a turn about x.

    Examples
    --------
    >>> z_onto([1, 0, 0]) @ [0, 0, 1]
    array([1., 0., 0.])
    """
    x, y, z = (float(part) for part in np.asarray(axis, dtype=float))
    if z < -0.5:  # towards -z the formula below loses its digits: go by way of -z
        return z_onto((x, -y, -z)) * [[1.0], [-1.0], [-1.0]]
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]]) + 0.0


def _cos_sin_deg(angle: float) -> tuple[float, float]:
    quarters, rest = divmod(angle + 45.0, 90.0)
    rest = math.radians(rest - 45.0)
    c, s = math.cos(rest), math.sin(rest)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[int(quarters % 4)]


def _product(cosines: tuple[float, ...], sines: tuple[float, ...]) -> np.ndarray:
    """Rx Ry Rz, written out."""
    (ca, cb, cc), (sa, sb, sc) = cosines, sines
    return np.array(
        [
            [cb * cc, -cb * sc, sb],
            [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb],
            [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb],
        ]
    )
