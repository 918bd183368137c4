"""Arrays as a MATLAB user writes them: vectors as rows or columns, tables with a column for each link; checked."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..reals import LARGEST, real_numbers

Array = np.ndarray
ROTATION_TOLERANCE = 1e-6


def number(name: str, value: Any) -> float:
    """One finite number; 1 x 1 will do."""
    array = real_numbers(name, value, "()")
    if array.size != 1:
        raise InputError(f"{name}: expected one number, got shape {array.shape}")
    return float(_finite(name, array).reshape(()))


def vector(name: str, value: Any, size: int) -> Array:
    """A vector (size,), given as such, as a column (size, 1) or as a row (1, size)."""
    forms = f"({size},), ({size}, 1) or (1, {size})"
    array = np.zeros(np.shape(value)) if _is_empty(value) else real_numbers(name, value, forms)
    if array.size != size or array.size != max(array.shape, default=1):
        raise InputError(f"{name}: expected shape {forms}, got {array.shape}")
    return _finite(name, array).reshape(size)


def table(name: str, value: Any, columns: int, each: str) -> Array:
    """A matrix 3 x columns; a vector of three will do for one column. `each`: what a column belongs to."""
    if columns == 0 and _is_empty(value):
        return np.zeros((3, 0))
    array = real_numbers(name, value, f"(3, {columns})")
    if columns == 1 and array.shape == (3,):
        array = array.reshape(3, 1)
    if array.shape != (3, columns):
        turned = "; it looks transposed" if array.shape == (columns, 3) else ""
        raise InputError(f"{name}: expected shape (3, {columns}), {each}, got {array.shape}{turned}")
    return _finite(name, array)


def direction_cosines(name: str, value: Any) -> Array:
    """A right-handed orthonormal matrix (3, 3)."""
    array = _finite(name, real_numbers(name, value, "(3, 3)"))
    if array.shape != (3, 3):
        raise InputError(f"{name}: expected shape (3, 3), got {array.shape}")
    excess = np.abs(array @ array.T - np.eye(3)).max()
    if excess > ROTATION_TOLERANCE or np.linalg.det(array) < 0.0:
        what = "left-handed" if excess <= ROTATION_TOLERANCE else f"off an orthonormal matrix by {excess:.1e}"
        raise InputError(f"{name}: expected direction cosines, a right-handed orthonormal matrix; this one is {what}")
    return array


def whole_numbers(name: str, value: Any, most: int, what: str) -> list[int]:
    """Numbers counted from 1, one or several."""
    array = np.zeros(0) if _is_empty(value) else real_numbers(name, value, "(k,)")
    if array.size != max(array.shape, default=1):
        raise InputError(f"{name}: expected {what} numbers in one row, got shape {array.shape}")
    numbers = _finite(name, array).ravel()
    for each in numbers:
        if each != round(each) or not 1 <= each <= most:
            there = f"they go from 1 to {most}" if most else "there are none"
            raise InputError(f"{name}: no {what} has the number {each:g}; {there}")
    return [int(each) for each in numbers]


def block(table_of_three: Array, i: int) -> Array:
    """The i-th 3 x 3 block, counted from 1, of a matrix 3 x 3n."""
    return table_of_three[:, 3 * i - 3 : 3 * i]


def side_by_side(matrices: Array) -> Array:
    """(n, 3, k) as 3 x nk: SpaceDyn's way to hold several matrices."""
    n, rows, k = matrices.shape
    return np.ascontiguousarray(np.moveaxis(matrices, 0, 1)).reshape(rows, n * k)


def _is_empty(value: Any) -> bool:
    """Whether there are no numbers; [] has no type to speak of."""
    try:
        return np.size(value) == 0
    except ValueError:  # rows of different lengths, which `real_numbers` tells
        return False


def _finite(name: str, array: Array) -> Array:
    numbers = np.array(array, dtype=float)
    good = np.abs(numbers) <= LARGEST
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        most = f", up to {LARGEST:g}" if np.isfinite(numbers[place]) else ""
        raise InputError(f"{name}: {numbers[place]} at index {place} (from 0); every number must be finite{most}")
    return numbers
