"""Convert numbers that users give into clean read-only arrays; errors are collected, not raised.

Every function takes the list of problems found so far, adds a sentence to it when a value is unusable, and then
returns None. `where` opens the sentence: "body 'arm': mass".
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..reals import LARGEST, RAGGED, NotReal, real_array

UNIT_TOLERANCE = 1e-6
"""A unit vector or a rotation may be this far off; it is then made exact."""

EXACT = 1e-14
"""Closer than this to unit length counts as exact and is kept bit for bit, so that a stored model reads back equal."""

_SORTS = {"b": "is true or false", "c": "is complex", "U": "is text", "S": "is text", "M": "is a date"}
_SORTS |= {
    "m": "is a time span",
    "O": "is not plain numbers",
    "V": "is not plain numbers",
    RAGGED: "does not make an array",
}


def shown(value: Any) -> str:
    """A value in one line, cut where it gets long, for a message; text is shown in full, since it may be a name.

    >>> shown(np.eye(2)), shown("elbow")
    ('[[1.0, 0.0], [0.0, 1.0]]', "'elbow'")
    """
    text = " ".join(repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value).split())
    return text if len(text) <= 80 or isinstance(value, str) else text[:79] + "…"


def plain(values: np.ndarray) -> str:
    """A vector as a user would type it.

    >>> plain(np.array([0.0, 0.6, 0.8]))
    '(0, 0.6, 0.8)'
    """
    inside = ", ".join(f"{x:.6g}" for x in values)
    return inside if values.size == 1 else f"({inside})"


def frozen(array: np.ndarray) -> np.ndarray:
    """A read-only float64 copy, in C order and without negative zeros (equal content, equal bytes)."""
    copy = np.array(array, dtype=np.float64, order="C") + 0.0
    copy = np.asarray(copy)  # the sum of a 0-d array is a scalar
    copy.setflags(write=False)
    return copy


IDENTITY = frozen(np.eye(3))
"""No rotation; read-only, so all parts share it."""


def numbers(
    problems: list[str],
    where: str,
    value: Any,
    shape: tuple[int, ...] | None,
    *,
    spread: bool = False,
    infinite: bool = False,
) -> np.ndarray | None:
    """Real numbers of a given shape (None: any), as a read-only float64 array.

    Parameters
    ----------
    problems : list of str
        Grows by one sentence when the value is unusable.
    where : str
        What the value is, and of which part.
    value : Any
        What the person gave.
    shape : tuple of int or None
        The shape that is wanted.
    spread : bool
        A single number stands for all.
    infinite : bool
        Infinities are fine; NaN never is.

    Examples
    --------
    >>> numbers([], "joint 'elbow': damping", 0.5, (2,), spread=True)
    array([0.5, 0.5])
    >>> problems = []
    >>> numbers(problems, "body 'arm': mass", "2 kg", ())
    >>> problems
    ["body 'arm': mass is text ('2 kg'); give one real number."]
    """
    try:
        array = real_array(value)
    except NotReal as reason:
        sort = "is missing" if value is None else _SORTS.get(reason.sort, f"is {reason}")
        given = "" if value is None else f" ({shown(value)})"
        problems.append(f"{where} {sort}{given}; give {_wanted(shape, spread)}.")
        return None
    if spread and shape is not None and array.shape == ():
        array = np.full(shape, array)
    if shape is not None and array.shape != shape:
        problems.append(f"{where} has shape {array.shape}; give {_wanted(shape, spread)}.")
        return None
    with np.errstate(over="ignore") if array.dtype.itemsize > 8 else nullcontext():
        array = frozen(array)
    largest = np.abs(array).max(initial=0.0)  # NaN if there is one
    if largest <= (np.inf if infinite else LARGEST):
        return array
    fault = "NaN" if np.isnan(largest) else "an infinity" if np.isinf(largest) else "a number too large to compute with"
    found = f"is {fault}" if array.size == 1 else f"holds {fault} ({shown(array)})"
    problems.append(f"{where} {found}; give {_wanted(shape, spread)}{'' if infinite else ', finite'}.")
    return None


def unit(problems: list[str], where: str, value: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """A unit vector: reported if its length is more than 1e-6 from 1, else normalised."""
    vector = numbers(problems, where, value, shape)
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        problems.append(f"{where} is zero; give one of length 1, such as {plain(np.eye(shape[0])[-1])}.")
        return None
    if abs(length - 1.0) > UNIT_TOLERANCE:
        problems.append(
            f"{where} {plain(vector)} has length {length:.6g}, not 1; divide it by that: {plain(vector / length)}."
        )
        return None
    return vector if abs(length - 1.0) < EXACT else frozen(vector / length)


def rotation_matrix(problems: list[str], where: str, value: Any) -> np.ndarray | None:
    """Direction cosines (3, 3) from a SciPy Rotation, a matrix, or None (no rotation).

    >>> rotation_matrix([], "joint 'elbow': rotation", Rotation.from_euler("z", 90, degrees=True)).round(3)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    if value is None:
        return IDENTITY
    given = value.as_matrix() if isinstance(value, Rotation) else value
    before = len(problems)
    matrix = numbers(problems, where, given, None)
    if matrix is not None and matrix.shape == (4,):
        problems.append(
            f"{where} is a bare 4-vector, whose order is anyone's guess; give Rotation.from_quat((x, y, z, w))."
        )
    elif matrix is not None and matrix.shape == (3,):
        problems.append(f"{where} has 3 numbers; say which: Rotation.from_rotvec(…) or Rotation.from_euler('xyz', …).")
    elif matrix is not None and matrix.shape != (3, 3):
        problems.append(f"{where} has shape {matrix.shape}; give one Rotation or a 3x3 matrix of direction cosines.")
    if matrix is None or len(problems) > before:
        return None
    excess = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if excess > UNIT_TOLERANCE:
        problems.append(
            f"{where} is not a rotation: its columns are off from orthonormal by {excess:.3g}; "
            "give more digits, or the nearest rotation by Rotation.from_matrix(…)."
        )
        return None
    if np.linalg.det(matrix) < 0.0:
        problems.append(
            f"{where} is left-handed (determinant -1, a mirror image); reverse one column so that x × y = z."
        )
        return None
    if excess < EXACT:
        return matrix
    left, _, right = np.linalg.svd(matrix)
    return frozen(left @ right)


def _wanted(shape: tuple[int, ...] | None, spread: bool) -> str:
    if shape is None:
        return "real numbers"
    if shape == ():
        return "one real number"
    if len(shape) == 2:
        return f"a {shape[0]}x{shape[1]} matrix of real numbers"
    many = f"{shape[0]} real number{'s' if shape[0] != 1 else ''}"
    return f"one real number, or {many}" if spread and shape[0] > 1 else many
