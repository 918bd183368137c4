"""The robot as parameters of model-based laws, and what such laws see of it: `plant` and `look`.

The equations of motion come from the same kernels as everything else; they and what laws make of them are C functions,
compiled once and linked to laws by name (`cores`), so that a law itself compiles in a fraction of a second.
"""

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from ...kernels.scalar import memory
from ...model.model import Model
from ...model.state import State
from ...model.state_parts import BASE_RATES
from ...quantities.calls import gravity_vector
from ...quantities.matrices import mass_matrix
from .cores.linked import link
from .cores.places import (
    ACTIVE,
    AT_F,
    AT_FLAGS,
    AT_ORDER,
    AT_STATE,
    AT_TREE,
    AT_WORK,
    BASE_ROWS,
    DAMPED,
    ENDPOINT,
    FLAGS,
    FLEXIBLE,
    FREE,
    HEADER,
    HELD,
    LIMITED,
    NQ,
    NV,
    PASSIVE,
    ROWS,
    SIZE,
    WANTED_SIZE,
)
from .cores.robot_terms import robot_terms

Array = np.ndarray
pointer: Any = memory.pointer  # typed by Numba
_FAR = 1e300  # parameters of laws are finite; a joint without limits has these


def plant(
    model: Model,
    active: Sequence[int],
    *,
    given: Sequence[int] = (),
    places: Sequence[int] = (),
    endpoint: int = -1,
    rows: Sequence[int] = (),
    flexible: Sequence[int] = (),
    gravity: Any = None,
) -> dict[str, Any]:
    """The robot as the parameters `plan` and `par` of a law, which `look` reads.

    Rates are counted as in u, base first. `active`: those whose forces the law gives; `given`: those that are taken to
    go on as they do; all others react. `places`: coordinates of active joints, as in q. `rows`: which of the endpoint's
    (x, y, z, rx, ry, rz) are followed. Gravity (3,) [m/s²], inertial axes.
    """
    link(robot_terms)
    flat, nv, m = model.flat, model.nv, len(active)
    base = BASE_RATES[model.base_kind]
    free = [k for k in range(nv) if k not in set(active) | set(given)]
    n = np.zeros(HEADER, int)
    n[NV], n[NQ], n[HELD], n[ACTIVE], n[FREE] = nv, model.nq, model.base_dof, m, len(free)
    n[ROWS], n[BASE_ROWS], n[FLEXIBLE], n[ENDPOINT] = len(rows), sum(k >= 3 for k in base), len(flexible), endpoint
    n[PASSIVE] = int(flat.passive)
    small = [
        7 + model.nq + nv,
        nv * nv,
        nv,
        6 * nv,
        6,
        m * m,
        m,
        nv * m,
        nv,
        6 * m,
        6,
        36,
        12,
        6,
        WANTED_SIZE,
        6,
        m,
        m,
        FLAGS,
    ]
    room, kernel = 4 * (nv + 14) ** 2, flat.slots + max(nv * nv, 6 * nv)
    n[AT_STATE : AT_WORK + 1] = np.cumsum([0, *small, room])
    n[SIZE] = n[AT_WORK] + kernel
    lists = [[*active, *free, *given], list(rows), list(base), list(flexible), list(places)]
    n[AT_ORDER : AT_TREE + 1] = HEADER + np.cumsum([0, *map(len, lists)])
    plan = np.concatenate([n, *(np.array(some, int) for some in lists), flat.tree])
    par = np.clip(flat.with_gravity(gravity_vector(gravity)), -_FAR, _FAR)
    return {"plan": np.concatenate([[plan.size], plan]).astype(float), "par": par}


@numba.njit
def look(plan, par, position, quaternion, q, velocity, rate, qd):
    """Memory of a model-based law, filled with what it sees of its robot: see cores/places.py."""
    n = np.empty(int(plan[0]), np.int64)
    w = np.zeros(int(plan[1 + SIZE]))
    robot_terms(
        pointer(plan), pointer(n), pointer(w), pointer(par), pointer(position), pointer(quaternion), pointer(q),
        pointer(velocity), pointer(rate), pointer(qd),
    )  # fmt: skip
    return n, w


@numba.njit
def command(n, w, tau, count):
    """Write the forces that a law found to the first of its joints."""
    for i in range(count):
        tau[n[n[AT_ORDER] + i] - n[HELD]] += w[n[AT_F] + i]


@numba.njit
def tally(n, w, stop, step, damped, limited, out_damped, out_limited):
    """How long the law was damped near singular poses, and slowed down [s], a little counting little; or end the run.

    `step`: the period of a sampled law, whose states are values; 0 of a continuous one, whose states are rates.
    """
    a, b = w[n[AT_FLAGS] + DAMPED], w[n[AT_FLAGS] + LIMITED]
    if stop > 0.0 and a > 0.0:
        raise ValueError("the pose is singular; on_singular='damp' goes on, with errors where the arm cannot follow")
    out_damped[0] = a if step == 0.0 else damped[0] + step * a
    out_limited[0] = b if step == 0.0 else limited[0] + step * b


def reduced_at(model: Model, state: State, active: Sequence[int], given: Sequence[int] = ()) -> tuple[Array, Array]:
    """(m, m) inertia that active joints feel and (nv, m) R, at a state: for defaults and checks when a law is made."""
    H = mass_matrix(model, state)
    free = [k for k in range(model.nv) if k not in set(active) | set(given)]
    R = np.zeros((model.nv, len(active)))
    R[list(active), np.arange(len(active))] = 1.0
    R[free] = -np.linalg.solve(H[np.ix_(free, free)], H[np.ix_(free, list(active))])
    return R.T @ H @ R, R
