"""Motions of prescribed joints as plain values for files, and the check that such values are a motion."""

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from scipy.interpolate import BSpline, PPoly

from ..errors import InputError
from ..laws.law import Law
from ..motion.attitude_paths import AttitudePath
from ..motion.trajectories import Trajectory, attitude_path_of, trajectory_of
from .stored_laws import LawRecord, check_law, record_of
from .stored_text import arrays, plain

Array = np.ndarray


def motion_text(motion: Any) -> dict[str, Any]:
    """A prescribed motion as plain values."""
    if isinstance(motion, str):
        return {"kind": motion}
    if isinstance(motion, Law | LawRecord):
        return {"kind": "function", **plain(vars(record_of(motion)))}
    if isinstance(motion, Polynomial):
        return {"kind": "polynomial", **plain({name: getattr(motion, name) for name in ("coef", "domain", "window")})}
    if isinstance(motion, Trajectory | BSpline | PPoly):
        return {"kind": "trajectory", **plain(vars(trajectory_of(motion)))}
    turn = attitude_path_of(motion)
    if turn is not None:
        return {"kind": "turning", **plain(vars(turn))}
    return {"kind": "constant", **plain({"value": np.asarray(motion, dtype=float)})}


def motion_of(text: dict[str, Any]) -> Any:
    """The inverse of `motion_text`."""
    parts = arrays(text)
    kind = parts.pop("kind")
    made: dict[str, Any] = {
        "function": LawRecord,
        "polynomial": Polynomial,
        "trajectory": Trajectory,
        "turning": AttitudePath,
    }
    if kind in made:
        return made[kind](**parts)
    return parts["value"] if kind == "constant" else kind


def check_motion(joint: str, motion: Any) -> None:
    """Raise if its arrays do not fit together."""
    if isinstance(motion, LawRecord):
        check_law(motion)
    elif isinstance(motion, Trajectory):
        _check_pieces(joint, motion.breaks, motion.coefficients)
    elif isinstance(motion, AttitudePath):
        _check_pieces(joint, motion.breaks, motion.coefficients, 3)
        if motion.knots.shape != (len(motion.coefficients), 4) or not np.isfinite(motion.knots).all():
            raise InputError(
                f"the motion of joint '{joint}' holds attitudes that are not finite, or not one for each piece"
            )
        if motion.path_breaks.size or motion.path_coefficients.size:
            _check_pieces(joint, motion.path_breaks, motion.path_coefficients, 3)
    elif isinstance(motion, Polynomial):
        if not (motion.coef.size and all(np.isfinite(a).all() for a in (motion.coef, motion.domain, motion.window))):
            raise InputError(f"the motion of joint '{joint}' is not a polynomial with finite coefficients")
    elif not isinstance(motion, str) and not np.isfinite(np.asarray(motion, dtype=float)).all():
        raise InputError(f"the motion of joint '{joint}' holds numbers that are not finite")


def _check_pieces(joint: str, breaks: Array, coefficients: Array, columns: int | None = None) -> None:
    """Polynomials between breaks, as kernels read them."""
    fits = coefficients.ndim == 3 and breaks.shape == (len(coefficients) + 1,) and coefficients.size > 0
    fits = fits and (columns is None or coefficients.shape[1] == columns)
    if not fits or not np.isfinite(coefficients).all() or not np.isfinite(breaks).all() or np.any(np.diff(breaks) <= 0):
        raise InputError(f"the motion of joint '{joint}' has pieces that do not fit together")
