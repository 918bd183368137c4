"""Small motions on the manifold of a robot's positions x: adding one, and the one between two positions.

Plain coordinates add up; the base turns by the rotation vector in inertial axes, spherical and free joints by theirs in
the child's axes. Where these are in x and u: `state_parts.Layout`.
"""

from typing import TYPE_CHECKING

import numpy as np

from .quaternions import conjugate, exponential, logarithm, multiply, normalised
from .state_parts import BASE_RATES, layout_of

if TYPE_CHECKING:
    from .model import Model


def move(model: "Model", x: np.ndarray, step: np.ndarray) -> None:
    """Move the positions x (…, 7 + nq) by small motions `step` (…, nv), in place; too large ones are not finite."""
    layout = layout_of(model)
    with np.errstate(over="ignore", invalid="ignore"):
        x[..., layout.simple_x] += step[..., layout.simple_u]
        six = np.zeros((*step.shape[:-1], 6))
        six[..., list(BASE_RATES[model.base_kind])] = step[..., : model.base_dof]
        x[..., :3] += six[..., :3]
        x[..., 3:7] = normalised(multiply(exponential(six[..., 3:]), x[..., 3:7]))
        for start, rate in layout.turning:
            turn = exponential(step[..., rate : rate + 3])
            x[..., start : start + 4] = normalised(multiply(x[..., start : start + 4], turn))


def motion_between(model: "Model", start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(…, nv): the small motion that `move` takes from positions `start` to `end`, each (…, 7 + nq)."""
    layout = layout_of(model)
    step = np.empty((*start.shape[:-1], model.nv))
    step[..., layout.simple_u] = end[..., layout.simple_x] - start[..., layout.simple_x]
    turn = logarithm(multiply(end[..., 3:7], conjugate(start[..., 3:7])))
    six = np.concatenate([end[..., :3] - start[..., :3], turn], axis=-1)
    step[..., : model.base_dof] = six[..., list(BASE_RATES[model.base_kind])]
    for first, rate in layout.turning:
        part = slice(first, first + 4)
        step[..., rate : rate + 3] = logarithm(multiply(conjugate(start[..., part]), end[..., part]))
    return step
