"""Inertias as kernels take them: two vectors and a number, which are turned with fewer operations than a matrix."""

import numpy as np

Array = np.ndarray
ROUNDING = 8.0 * np.finfo(float).eps


def principal(inertia: Array) -> Array:
    """Two vectors a, b and a number c (…, 7) such that the inertia (…, 3, 3) is a a' + b b' + c 1.

    >>> a, b, c = np.split(principal(np.diag([3.0, 1.0, 2.0])), [3, 6])
    >>> np.allclose(np.outer(a, a) + np.outer(b, b) + c * np.eye(3), np.diag([3.0, 1.0, 2.0]))
    True
    """
    moments, axes = np.linalg.eigh(inertia)  # the least one first
    more = moments - moments[..., :1]
    more = np.where(more < ROUNDING * moments[..., 2:], 0.0, more)  # so that a wheel is round
    a, b = (np.sqrt(more[..., i])[..., None] * rounded_off(axes[..., :, i]) for i in (2, 1))
    return np.concatenate([a, b, moments[..., :1]], axis=-1)


def inertia_of(numbers: Array) -> Array:
    """The inertia (…, 3, 3) of what `principal` gives (…, 7).

    >>> np.allclose(inertia_of(principal(np.diag([3.0, 1.0, 2.0]))), np.diag([3.0, 1.0, 2.0]))
    True
    """
    a, b, c = numbers[..., :3], numbers[..., 3:6], numbers[..., 6:]
    return c[..., None] * np.eye(3) + a[..., :, None] * a[..., None, :] + b[..., :, None] * b[..., None, :]


def rounded_off(rows: Array) -> Array:
    """Numbers (…) of directions, of size one: those that only rounding parts from -1, 0 or 1 are that."""
    return np.where(np.abs(rows - np.rint(rows)) < ROUNDING, np.rint(rows), rows)


def along_axes(vectors: Array) -> list[int]:
    """Axes along which both vectors (robots, 2, 3) of inertias are, the same of all robots; -1 if some is not."""
    largest = np.abs(vectors).max(axis=0).argmax(axis=-1)
    others = vectors.copy()
    others[:, [0, 1], largest] = 0.0
    return [-1, -1] if others.any() else largest.tolist()
