"""The one door for numbers that a caller hands in: real numbers come through as arrays, all else is refused by name.

NumPy would convert in silence what is no real number: masked arrays lose their mask, complex numbers their imaginary
part, booleans become forces of one newton.
"""

import math
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from .errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

LARGEST = 1e100
"""Of any number but a limit: its square and a few products must not overflow."""

_KINDS = {"b": "True or False", "c": "complex numbers", "U": "text", "S": "bytes"}


RAGGED, MASKED, HUGE = "ragged", "masked", "huge"


class NotReal(ValueError):
    """What came instead of real numbers, in words; `sort`: a letter of NumPy's kinds, or RAGGED, MASKED, HUGE."""

    def __init__(self, reason: str, sort: str = "O"):
        self.sort = sort
        super().__init__(reason)


def real_array(value: Any, *, truth: bool = False) -> np.ndarray:
    """Whatever was given as an array of integers or floats; raises NotReal, which says what came instead.

    With `truth`, True and False are welcome as 1 and 0.

    >>> real_array([[1, 2.5]])
    array([[1. , 2.5]])
    >>> real_array([1.0, True])
    Traceback (most recent call last):
    spacedyn.reals.NotReal: True or False
    """
    if type(value) is np.ndarray and value.dtype.kind in "iuf":
        return value  # the common case, kept short
    if np.ma.is_masked(value) or (isinstance(value, list | tuple) and _has_mask(value)):
        raise NotReal("a masked array, of which some numbers are missing; fill them: .filled(…)", MASKED)
    try:
        array = np.asarray(value)
    except ValueError:
        raise NotReal("rows of different lengths", RAGGED) from None
    except Exception:  # whatever a foreign object raises, it is not an array of numbers
        raise NotReal(type_name(value)) from None
    if array.dtype.kind == "O" and array.size and all(type(x) in (int, float) for x in array.flat):
        try:
            return array.astype(float)  # integers of more than 64 bits
        except OverflowError:
            raise NotReal("an integer beyond the largest float, 1.8e308", HUGE) from None
    kind = array.dtype.kind
    if truth and kind == "b":
        return array.astype(float)
    if kind not in "iuf":
        other = "a list of other things" if isinstance(value, list | tuple) else type_name(value)
        raise NotReal(_KINDS.get(kind, other), kind)
    if not truth and isinstance(value, list | tuple) and _has_truth(value):
        raise NotReal(_KINDS["b"], "b")
    return array


def _has_mask(value: Any) -> bool:
    """Whether a list of lists holds a masked number, of which NumPy would make NaN."""
    return any(_has_mask(x) if isinstance(x, list | tuple) else np.ma.is_masked(x) for x in value)


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


def finite_array(what: str, value: Any, expected: str, shapes: Any = None) -> np.ndarray:
    """Finite numbers as a new float64 array; `what` must be `expected`, in words and, if given, one of the shapes.

    >>> finite_array("Wrench: force", [1, 2, 3], "three finite numbers", [(3,)])
    array([1., 2., 3.])
    >>> finite_array("Wrench: force", [1, 2j, 3], "three finite numbers", [(3,)])
    Traceback (most recent call last):
    spacedyn.errors.InputError: Wrench: force must be three finite numbers, got complex numbers
    """
    try:
        array = real_array(value).astype(float)
    except NotReal as reason:
        raise InputError(f"{what} must be {expected}, got {reason}") from None
    if shapes is not None and array.shape not in shapes:
        raise InputError(f"{what} must be {expected}, got shape {array.shape}")
    if not (np.abs(array) <= LARGEST).all():
        raise InputError(f"{what} must be {expected}, got {_shown(array)}{_too_large(array)}")
    return array


def array_of_limits(what: str, value: Any, expected: str, shapes: Any) -> np.ndarray:
    """Numbers that may be infinite, but not NaN, as a new float64 array of one of the shapes; else InputError."""
    try:
        array = real_array(value).astype(float)
    except NotReal as reason:
        raise InputError(f"{what} must be {expected}, got {reason}") from None
    if array.shape not in shapes:
        raise InputError(f"{what} must be {expected}, got shape {array.shape}")
    if np.isnan(array).any():
        raise InputError(f"{what} must be {expected}, got {_shown(array)}")
    return array


def _too_large(array: np.ndarray) -> str:
    """The end of a message about numbers that are finite, and more than LARGEST."""
    return f", too large to compute with (above {LARGEST:g})" if np.isfinite(array).all() else ""


def _shown(array: np.ndarray) -> str:
    """An array in a message: its numbers, if they are few."""
    return str(array.tolist()) if array.size < 20 else f"an array of shape {array.shape}"


def one_number(name: str, value: Any, expected: str = "one finite number") -> float:
    """One finite number.

    >>> one_number("duration", 10)
    10.0
    >>> one_number("duration", "10")
    Traceback (most recent call last):
    spacedyn.errors.InputError: duration must be one finite number, got '10'
    """
    number = real_number(name, value, expected)
    if abs(number) > LARGEST:
        raise InputError(f"{name} must be {expected}, got {number}{_too_large(np.array(number))}")
    return number


def real_number(name: str, value: Any, expected: str = "one number") -> float:
    """One number, which may be infinite, but not NaN."""
    try:
        array = real_array(value)
    except NotReal as reason:
        raise InputError(f"{name} must be {expected}, got {_said(value, reason)}") from None
    if array.shape != () or math.isnan(array):
        raise InputError(f"{name} must be {expected}, got {_shown(array)}")
    return float(array)


def _said(value: Any, reason: NotReal) -> str:
    """What came, in a message: short things themselves, others by their sort."""
    return repr(value) if isinstance(value, str | bool) and len(repr(value)) < 80 else str(reason)


def type_name(value: Any) -> str:
    """The type of a value, for a message."""
    return "None" if value is None else "the class itself" if isinstance(value, type) else type(value).__name__


def refuse_overflow(why: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator for functions that compute with NumPy: InputError where numbers overflow; `why` ends its message.

    >>> @refuse_overflow("a number is too large")
    ... def cube(x):
    ...     return np.asarray(x) ** 3
    >>> cube(1e110)
    Traceback (most recent call last):
    spacedyn.errors.InputError: cube: the result is not finite though all arguments are: a number is too large
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            fine, result = True, None
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                try:
                    result = function(*arguments, **named)
                except (np.linalg.LinAlgError, ArithmeticError):
                    fine = False
            if fine and all(np.isfinite(one).all() for one in _floats(result)):
                return cast(R, result)
            raise InputError(f"{function.__name__}: the result is not finite though all arguments are: {why}")

        return call

    return wrap


def _floats(result: Any) -> Iterator[Any]:
    """Floats and arrays of them in a result."""
    if isinstance(result, tuple):
        for part in result:
            yield from _floats(part)
    elif isinstance(result, float) or (isinstance(result, np.ndarray) and result.dtype.kind == "f"):
        yield result
