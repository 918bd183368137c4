"""The one door for numbers that a caller hands in: real numbers come through as arrays, all else is refused by name.

NumPy would convert in silence what is no real number: masked arrays lose their mask, complex numbers their imaginary
part, booleans become forces of one newton.
"""

import math
from typing import Any

import numpy as np

from .errors import InputError

_KINDS = {"b": "True or False", "c": "complex numbers", "U": "text", "S": "bytes", "M": "dates", "m": "time spans"}


class NotReal(ValueError):
    """What came instead of real numbers, in words."""


def real_array(value: Any) -> np.ndarray:
    """Whatever was given as an array of integers or floats; raises NotReal, which says what came instead.

    >>> real_array([[1, 2.5]])
    array([[1. , 2.5]])
    >>> real_array([1.0, True])
    Traceback (most recent call last):
    spacedyn.reals.NotReal: True or False
    """
    if type(value) is np.ndarray and value.dtype.kind in "iuf":
        return value  # the common case, kept short
    if np.ma.is_masked(value):
        raise NotReal("a masked array, of which some numbers are missing; fill them: .filled(…)")
    try:
        array = np.asarray(value)
    except ValueError:
        raise NotReal("rows of different lengths") from None
    except Exception:  # whatever a foreign object raises, it is not an array of numbers
        raise NotReal(type_name(value)) from None
    if array.dtype.kind == "O" and array.size and all(type(x) in (int, float) for x in array.flat):
        try:
            return array.astype(float)  # integers of more than 64 bits
        except OverflowError:
            raise NotReal("an integer beyond the largest float, 1.8e308") from None
    if array.dtype.kind not in "iuf":
        other = "a list of other things" if isinstance(value, list | tuple) else type_name(value)
        raise NotReal(other if array.dtype.kind in "MmVO" else _KINDS[array.dtype.kind])
    if isinstance(value, list | tuple) and _has_truth(value):
        raise NotReal(_KINDS["b"])
    return array


def _has_truth(value: Any) -> bool:
    """Whether a list of lists holds True or False, which NumPy takes for 1 and 0 beside other numbers."""
    return any(_has_truth(x) if isinstance(x, list | tuple) else isinstance(x, bool | np.bool_) for x in value)


def real_numbers(name: str, value: Any, expected: str) -> np.ndarray:
    """Whatever was given as an array of integers or floats, else InputError; `expected` is the shape to speak of."""
    try:
        return real_array(value)
    except NotReal as reason:
        what = "" if str(reason).startswith("rows") else "real numbers of "
        raise InputError(f"{name}: expected {what}shape {expected}, got {reason}") from None


def finite_numbers(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Finite numbers of one shape, as a new float64 array.

    >>> finite_numbers("force", [1, 2, 3], (3,))
    array([1., 2., 3.])
    """
    array = real_numbers(name, value, str(shape))
    if array.shape != shape:
        raise InputError(f"{name}: expected shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name}: expected finite numbers, got {array.tolist()}")
    return array.astype(float)


def one_number(name: str, value: Any, expected: str = "one finite number") -> float:
    """One finite number.

    >>> one_number("duration", 10)
    10.0
    >>> one_number("duration", "10")
    Traceback (most recent call last):
    spacedyn.errors.InputError: duration: expected one finite number, got '10'
    """
    try:
        array = real_array(value)
    except NotReal as reason:
        said = repr(value) if isinstance(value, str | bool) else reason
        raise InputError(f"{name}: expected {expected}, got {said}") from None
    if array.shape != () or not math.isfinite(array):
        raise InputError(f"{name}: expected {expected}, got {array.tolist() if array.size < 10 else array.shape}")
    return float(array)


def type_name(value: Any) -> str:
    """The type of a value, for a message."""
    return "None" if value is None else "the class itself" if isinstance(value, type) else type(value).__name__
