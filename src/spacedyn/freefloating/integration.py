"""SciPy's DOP853 along paths, with errors that speak of paths."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from ..errors import InputError

Array = np.ndarray
_MOST = 30_000  # evaluations: 2500 steps, more than a hundred turns of a joint


def integrated(
    slope: Callable[[float, Array], Array], span: tuple[float, float], y: Array, what: str, **options: Any
) -> Any:
    """What solve_ivp finds; InputError, beginning with `what`, if that takes too many steps, or is not finite."""
    evaluations = 0

    def counted(s: float, now: Array) -> Array:
        nonlocal evaluations
        evaluations += 1
        if evaluations > _MOST:
            raise InputError(f"{what} is too long, or not smooth: more than 2500 steps from corner to corner")
        return slope(s, now)

    with np.errstate(all="ignore"):
        found = solve_ivp(counted, span, y, method="DOP853", **options)
    if not (found.success and np.isfinite(found.y[:, -1]).all()):
        raise InputError(f"{what} could not be integrated: numbers are too large, or it is not smooth")
    return found
