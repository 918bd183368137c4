"""Unit quaternions (x, y, z, w) over leading batch axes: product, exponential, logarithm."""

import numpy as np

Array = np.ndarray


def multiply(a: Array, b: Array) -> Array:
    """Hamilton product a b, (…, 4): first the turn b, then the turn a.

    >>> half_z = np.array([0.0, 0.0, 1.0, 0.0])
    >>> multiply(half_z, half_z)
    array([ 0.,  0.,  0., -1.])
    """
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def conjugate(a: Array) -> Array:
    """The inverse of a unit quaternion."""
    return a * np.array([-1.0, -1.0, -1.0, 1.0])


def turned(a: Array, v: Array) -> Array:
    """Vectors (…, 3) after the turn of a unit quaternion (…, 4).

    >>> turned(np.array([0.0, 0.0, 0.6, 0.8]), np.array([1.0, 0.0, 0.0]))
    array([0.28, 0.96, 0.  ])
    """
    axis = a[..., :3]
    once = 2.0 * _cross(axis, v)
    return v + a[..., 3:] * once + _cross(axis, once)


def _cross(a: Array, b: Array) -> Array:
    """np.cross, to the bit, without what it takes to look at its arguments: events turn many single vectors."""
    x, y, z, u, v, w = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def exponential(turn: Array) -> Array:
    """Unit quaternion (…, 4) of a rotation vector (…, 3) [rad].

    >>> exponential(np.array([0.0, 0.0, np.pi])).round(12)
    array([0., 0., 1., 0.])
    """
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([0.5 * np.sinc(half / np.pi) * turn, np.cos(half)], axis=-1)


def logarithm(a: Array) -> Array:
    """Shortest rotation vector (…, 3) [rad] of a quaternion (…, 4) of any length but zero.

    >>> logarithm(exponential(np.array([0.1, -0.2, 0.3])))
    array([ 0.1, -0.2,  0.3])
    """
    vector, w = a[..., :3], a[..., 3:]
    size = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, np.abs(w))
    # for a tiny turn the ratio angle/size tends to 2/|w|
    ratio = np.divide(angle, size, out=2.0 / np.maximum(np.abs(w), 1e-300), where=size > 1e-150)
    return np.where(w < 0.0, -1.0, 1.0) * ratio * vector


def normalised(a: Array) -> Array:
    """The unit quaternion of the same turn."""
    return a / np.linalg.norm(a, axis=-1, keepdims=True)
