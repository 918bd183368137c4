"""SpaceDyn's globals: what its functions use without being handed it.

    v1   the robot, Gravity, d_time          v2   Gravity, d_time

Every thread has its own, and every call may be given its own Gravity and d_time instead.
"""

from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .parameters import LinkParameters
from .shapes import Array, number, vector

Ez = np.array([0.0, 0.0, 1.0])
"""The axis of every joint, in its link's frame."""
Ez.setflags(write=False)


@dataclass(frozen=True)
class _Globals:
    LP: LinkParameters | None = None
    Gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
    d_time: float | None = None


_NONE = _Globals()
_globals: ContextVar[_Globals] = ContextVar("spacedyn.classic.globals", default=_NONE)


def set_globals(
    LP: LinkParameters | None = None, *, Gravity: ArrayLike | None = None, d_time: float | None = None
) -> None:
    """Set SpaceDyn's globals; what is left out stays as it was.

    Parameters
    ----------
    LP : LinkParameters, optional
        The robot that functions called with plain arguments (v1) speak of.
    Gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes, pointing down; zero until it is set.
    d_time : float, optional
        Time step of the integrators and of `aw` [s].

    Raises
    ------
    InputError
        A wrong type or shape, or a time step that is not positive.

    Examples
    --------
    >>> import spacedyn as sd
    >>> set_globals(LinkParameters.from_model(sd.load("two_arm_sample")), Gravity=[0, 0, 0], d_time=0.01)
    """
    changes: dict[str, Any] = {}
    if LP is not None:
        if not isinstance(LP, LinkParameters):
            raise InputError(f"set_globals: the robot must be a LinkParameters, got {type(LP).__name__}")
        changes["LP"] = LP
    if Gravity is not None:
        changes["Gravity"] = tuple(vector("Gravity", Gravity, 3).tolist())
    if d_time is not None:
        changes["d_time"] = _positive(d_time)
    _globals.set(replace(_globals.get(), **changes))


def robot(function: str) -> LinkParameters:
    """The robot of the globals, for a call with plain arguments."""
    found = _globals.get().LP
    if found is None:
        raise InputError(f"{function}: no robot; call set_globals(LP) first, or {function}(LP, SV, …)")
    return found


def gravity(given: ArrayLike | None) -> Array:
    """Gravity as given, or the global one."""
    return np.array(_globals.get().Gravity) if given is None else vector("Gravity", given, 3)


def time_step(given: float | None) -> float:
    """The time step as given, or the global one."""
    if given is not None:
        return _positive(given)
    found = _globals.get().d_time
    if found is None:
        raise InputError("d_time is not set; call set_globals(d_time=0.01), or give d_time=… to the function")
    return found


def _positive(d_time: Any) -> float:
    step = number("d_time", d_time)
    if step <= 0.0:
        raise InputError(f"d_time: expected a positive time [s], got {step}")
    return step
