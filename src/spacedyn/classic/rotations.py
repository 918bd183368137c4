"""Attitudes: direction cosines, angles, quaternions, and the turn made in a step.

SpaceDyn's C is passive: x_body = C x_inertial. The attitude that its other functions take is A = C', whose columns are
the body's axes in inertial components. "Roll, pitch, yaw" are angles about x, the turned y and the turned z.
"""

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..model.rotations import angles_xyz, rotation_quaternion, rotation_xyz
from .shapes import Array, direction_cosines, number, vector
from .surroundings import time_step
from .variables import StateVariables

MAX_TURN = 1e16  # rad: of a larger angle doubles do not tell where on the circle it is


def cx(theta: float) -> Array:
    """Direction cosines C (3, 3) of a turn by theta [rad] about x: passive, the transpose of the rotation matrix.

    Examples
    --------
    >>> cx(np.pi / 2).round(12) @ [0, 1, 0]  # the inertial y axis, seen from the turned axes
    array([ 0.,  0., -1.])
    """
    return rotation_xyz([number("theta", theta), 0.0, 0.0]).T


def cy(theta: float) -> Array:
    """Direction cosines C (3, 3) of a turn by theta [rad] about y: passive, the transpose of the rotation matrix.

    Examples
    --------
    >>> cy(np.pi / 2).round(12) @ [0, 0, 1]
    array([-1.,  0.,  0.])
    """
    return rotation_xyz([0.0, number("theta", theta), 0.0]).T


def cz(theta: float) -> Array:
    """Direction cosines C (3, 3) of a turn by theta [rad] about z: passive, the transpose of the rotation matrix.

    Examples
    --------
    >>> cz(np.pi / 2).round(12) @ [1, 0, 0]
    array([ 0., -1.,  0.])
    """
    return rotation_xyz([0.0, 0.0, number("theta", theta)]).T


@overload
def rpy2dc(roll: float, pitch: float, yaw: float, /) -> Array: ...
@overload
def rpy2dc(rpy: ArrayLike, /) -> Array: ...
def rpy2dc(*angles: ArrayLike) -> Array:
    """Direction cosines C (3, 3) = Cz(yaw) Cy(pitch) Cx(roll) of three angles [rad], given singly or as one vector.

    The attitude is the transpose: ``A0 = rpy2dc(Q0).T`` = Rx Ry Rz, about x, the turned y, the turned z.

    Examples
    --------
    >>> np.allclose(rpy2dc(0.1, 0.2, 0.3), cz(0.3) @ cy(0.2) @ cx(0.1))
    True
    >>> np.allclose(rpy2dc([0.1, 0.2, 0.3]), rpy2dc(0.1, 0.2, 0.3))
    True
    """
    return rotation_xyz(_three("rpy2dc", angles)).T


def dc2rpy(C: ArrayLike) -> Array:
    """Roll, pitch and yaw (3,) [rad] of direction cosines C (3, 3); undoes `rpy2dc`.

    The pitch is within ±90 degrees. Where it is ±90 degrees only the sum or the difference of the other two is
    determined: the yaw is then zero.

    Examples
    --------
    >>> dc2rpy(rpy2dc(0.1, -0.2, 0.3))
    array([ 0.1, -0.2,  0.3])
    >>> dc2rpy(rpy2dc(0.4, np.pi / 2, 0.7)).round(12)
    array([1.1       , 1.57079633, 0.        ])
    """
    return angles_xyz(direction_cosines("C", C).T)


@overload
def eul2dc(phi: float, theta: float, psi: float, /) -> Array: ...
@overload
def eul2dc(eul: ArrayLike, /) -> Array: ...
def eul2dc(*angles: ArrayLike) -> Array:
    """Direction cosines C (3, 3) = Cz(psi) Cx(theta) Cz(phi) of Euler's 3-1-3 angles [rad], single or as one vector.

    Examples
    --------
    >>> np.allclose(eul2dc(0.1, 0.2, 0.3), cz(0.3) @ cx(0.2) @ cz(0.1))
    True
    """
    phi, theta, psi = _three("eul2dc", angles)
    return cz(psi) @ cx(theta) @ cz(phi)


def dc2eul(C: ArrayLike) -> Array:
    """Euler's 3-1-3 angles (3,) phi, theta, psi [rad] of direction cosines C (3, 3); undoes `eul2dc`.

    theta is within [0, pi]. Where it is 0 or pi only the sum or the difference of the other two is determined: psi is
    then zero.

    Examples
    --------
    >>> dc2eul(eul2dc(0.1, 0.2, 0.3))
    array([0.1, 0.2, 0.3])
    >>> dc2eul(eul2dc(0.3, 0, 0.5))
    array([0.8, 0. , 0. ])
    """
    c = direction_cosines("C", C)
    sine = math.hypot(c[2, 0], c[2, 1])
    theta = math.atan2(sine, c[2, 2])
    if sine < 1e-12:
        return np.array([math.atan2(c[0, 1], c[0, 0]), theta, 0.0]) + 0.0
    return np.array([math.atan2(c[2, 0], -c[2, 1]), theta, math.atan2(c[0, 2], c[1, 2])]) + 0.0


def dc2qtn(C: ArrayLike) -> Array:
    """Euler parameters (4,) of direction cosines C (3, 3): vector part first, scalar last.

    It is the quaternion of the attitude A = C', as `State.base_quaternion_xyzw` has it. Of the two that there are,
    the one whose largest component is positive, so that half turns are as accurate as any.

    Examples
    --------
    >>> dc2qtn(cx(np.pi)).round(12)
    array([1., 0., 0., 0.])
    """
    q = Rotation.from_matrix(direction_cosines("C", C).T).as_quat()
    return q if q[np.argmax(np.abs(q))] > 0.0 else -q


def qtn2dc(q: ArrayLike) -> Array:
    """Direction cosines C (3, 3) of Euler parameters (4,), vector part first, of any length but zero.

    Examples
    --------
    >>> np.allclose(qtn2dc(dc2qtn(rpy2dc(0.1, 0.2, 0.3))), rpy2dc(0.1, 0.2, 0.3))
    True
    """
    given = vector("q", q, 4)
    if not given.any():
        raise InputError("qtn2dc: Euler parameters that are all zero are no attitude; none at all is [0, 0, 0, 1]")
    return rotation_quaternion(given).T


def w2dQtn(w: ArrayLike, q: ArrayLike) -> Array:
    """Rate (4,) of Euler parameters, vector part first, of a body that turns with w (3,) [rad/s], **inertial** axes.

    Examples
    --------
    >>> w2dQtn([0, 0, 2.0], [0, 0, 0, 1])
    array([0., 0., 1., 0.])
    """
    return quaternion_rate(vector("w", w, 3), vector("q", q, 4))


def quaternion_rate(w: Array, q: Array) -> Array:
    """`w2dQtn` without checks: half the product of (w, 0) and q, written out, as integrators call it often."""
    a, b, c = w.tolist()
    x, y, z, s = q.tolist()
    vector_part = (a * s + b * z - c * y, b * s + c * x - a * z, c * s + a * y - b * x)
    return 0.5 * np.array([*vector_part, 0.0 - a * x - b * y - c * z])


@overload
def aw(w0: ArrayLike, /, *, d_time: float | None = None) -> Array: ...
@overload
def aw(SV: StateVariables, /, *, d_time: float | None = None) -> Array: ...
def aw(w0: ArrayLike | StateVariables, /, *, d_time: float | None = None) -> Array:
    """The turn (3, 3) that a rate w0 [rad/s], inertial axes, makes in one time step: A0 becomes ``aw(w0) @ A0``.

    `d_time` [s] is the global one unless given.

    Examples
    --------
    >>> aw([0, 0, np.pi], d_time=0.5).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    rate = vector("w0", w0.w0 if isinstance(w0, StateVariables) else w0, 3)
    turn = time_step(d_time) * rate
    angle = math.hypot(*turn)
    if angle > MAX_TURN:
        raise InputError(
            f"aw: a turn of {angle:.1e} rad in one step, of which no digit counts; w0 or d_time is too large"
        )
    K = tilde(turn)
    # sin x / x and (1 - cos x) / x², without cancellation where x is small
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * (K @ K)


def tilde(a: ArrayLike) -> Array:
    """The skew matrix (3, 3) of a vector (3,): ``tilde(a) @ b`` is the cross product of a and b.

    Examples
    --------
    >>> tilde([1, 2, 3]) @ [4, 5, 6]
    array([-3.,  6., -3.])
    """
    x, y, z = vector("a", a, 3)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(u: ArrayLike, v: ArrayLike) -> Array:
    """Cross product (3,) of two vectors (3,).

    Examples
    --------
    >>> cross([1, 2, 3], [4, 5, 6])
    array([-3.,  6., -3.])
    """
    return np.cross(vector("u", u, 3), vector("v", v, 3))


def tr2diff(A1: ArrayLike, A2: ArrayLike) -> Array:
    """Difference (3,) of two attitudes (3, 3): sine of the angle times the axis of the turn from A2 to A1.

    It is zero also where the two are half a turn apart, and falls beyond a quarter: a measure for small differences.

    Examples
    --------
    >>> tr2diff(cz(0.3).T, np.eye(3)).round(6)
    array([0.     , 0.     , 0.29552])
    """
    first, second = direction_cosines("A1", A1), direction_cosines("A2", A2)
    return 0.5 * np.cross(second, first, axis=0).sum(axis=1)


def _three(function: str, angles: tuple[ArrayLike, ...]) -> Array:
    if len(angles) == 1:
        return vector("angles", angles[0], 3)
    if len(angles) != 3:
        raise InputError(f"{function} takes three angles, or one vector of three; got {len(angles)} arguments")
    return np.array([number("angle", angle) for angle in angles])
