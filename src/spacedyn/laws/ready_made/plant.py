"""Mass matrix, bias force and endpoint Jacobian for model-based laws, computed inside the simulation.

They come from the same kernels as everything else. Inlined into a law these would be compiled anew with every law; so
they are one C function that is compiled once, has a name, and is linked to laws by that name. A law holds the robot as
parameters, made by `plant`, and calls `terms`.
"""

import hashlib
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core import config

from ...kernels.robot.bodies import endpoint_lever, weigh
from ...kernels.robot.inertia import composite_inertias, mass_matrix, momentum_columns
from ...kernels.robot.inverse_dynamics import inverse_dynamics
from ...kernels.robot.jacobians import jacobian
from ...kernels.robot.kinematics import place
from ...kernels.robot.layout import (
    BODY_WORK,
    ENDPOINT_AT,
    PASSIVE_FORCES,
    QDD,
    RATE_WORK,
    RATES,
    TAU,
    W_BODY,
    W_OUT,
    W_RATE,
)
from ...kernels.robot.rows import read_state
from ...kernels.scalar.compiling import Address
from ...kernels.scalar.memory import integer, load, pointer, store
from ...model.model import Model
from ...model.state_parts import BASE_RATES
from ...quantities.calls import gravity_vector

Array = np.ndarray
_FAR = 1e300  # parameters of laws are finite; a joint without limits has these


def _robot_terms(tree: Any, par: Any, work: Any, state: Any, out: Any, endpoint: Any, passive: Any) -> None:
    """Into `out`: mass matrix (nv nv), bias force (nv), Jacobian of an endpoint (6 nv) unless that is negative."""
    zero = 0.0
    nv, rates, room = integer(tree, RATES), integer(tree, W_RATE), integer(tree, W_OUT)
    read_state(tree, state, 0, 1, work, zero)
    place(tree, par, work, zero)
    if endpoint >= 0:
        body = integer(tree, integer(tree, ENDPOINT_AT) + endpoint)
        lever = endpoint_lever(tree, par, work, endpoint, integer(tree, W_BODY) + body * BODY_WORK, zero)
        jacobian(tree, work, body, lever, room, zero)
        for j in range(6 * nv):
            store(out, nv * nv + nv + j, load(work, room + j, zero))
    weigh(tree, par, work, zero)
    composite_inertias(tree, work, zero)
    momentum_columns(tree, work, zero)
    mass_matrix(tree, par, work, room, zero)
    for j in range(nv * nv):
        store(out, j, load(work, room + j, zero))
    for k in range(nv):
        store(work, rates + k * RATE_WORK + QDD, zero)
    inverse_dynamics(tree, par, work, PASSIVE_FORCES if passive > 0 else 0, zero)
    for k in range(nv):
        store(out, nv * nv + k, load(work, rates + k * RATE_WORK + TAU, zero))


_doubles = types.CPointer(types.float64)
_SIGNATURE = types.void(types.CPointer(types.int64), _doubles, _doubles, _doubles, _doubles, types.int64, types.int64)
_VERSION = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
_NAME = f"spacedyn_robot_terms_{_VERSION}"
_keep: list[Address] = []
_linked: Any = _robot_terms if config.DISABLE_JIT else types.ExternalFunction(_NAME, _SIGNATURE)


def _link() -> None:
    """Make the C function known to laws by its name; compiled when it is first needed, and kept on disk."""
    if not _keep:
        _keep.append(Address(_robot_terms, _SIGNATURE, f"control.terms-{_VERSION}"))
        if not config.DISABLE_JIT:
            llvm.add_symbol(_NAME, _keep[0].address)


def plant(model: Model, gravity: Any = None, passive: bool = True) -> dict[str, Any]:
    """The robot as parameters of a law: what `terms` reads. Gravity (3,) [m/s²] in inertial axes."""
    _link()
    flat = model.flat
    room = max(model.nv**2, 6 * model.nv)
    return {
        "plant_tree": flat.tree.astype(float),
        "plant_par": np.clip(flat.with_gravity(gravity_vector(gravity)), -_FAR, _FAR),
        "plant_sizes": [flat.slots + room, model.nv, model.base_dof, float(flat.passive and passive)],
        "plant_base": np.array([*BASE_RATES[model.base_kind], -1.0]),
    }


@numba.njit
def terms(p_tree, p_par, sizes, base, position, quaternion, q, velocity, rate, qd, endpoint):
    """Mass matrix (nv, nv), bias force (nv,) and an endpoint's Jacobian (6, nv) at what a law sees."""
    slots, nv, held = int(sizes[0]), int(sizes[1]), int(sizes[2])
    tree = np.empty(p_tree.size, np.int64)
    for i in range(tree.size):
        tree[i] = int(p_tree[i])
    state = np.zeros(7 + q.size + nv)
    for i in range(3):
        state[i] = position[i]
    for i in range(4):
        state[3 + i] = quaternion[i]
    for i in range(q.size):
        state[7 + i] = q[i]
    for i in range(held):
        at = int(base[i])
        state[7 + q.size + i] = velocity[at] if at < 3 else rate[at - 3]
    for i in range(qd.size):
        state[7 + q.size + held + i] = qd[i]
    work, out = np.zeros(slots), np.zeros(nv * nv + nv + 6 * nv)
    _linked(pointer(tree), pointer(p_par), pointer(work), pointer(state), pointer(out), endpoint, int(sizes[3]))
    return out[: nv * nv].reshape(nv, nv), out[nv * nv : nv * nv + nv], out[nv * nv + nv :].reshape(6, nv)


@numba.njit
def solve(A, b):
    """X of A x = b for columns b (n, m), A symmetric and positive definite; by Cholesky's method, A is overwritten."""
    n, m = b.shape
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]
        root = np.sqrt(A[j, j])
        for i in range(j, n):
            A[i, j] /= root
    x = b.copy()
    for c in range(m):
        for i in range(n):
            for k in range(i):
                x[i, c] -= A[i, k] * x[k, c]
            x[i, c] /= A[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                x[i, c] -= A[k, i] * x[k, c]
            x[i, c] /= A[i, i]
    return x


@numba.njit
def recoil(H, held):
    """Base rates per unit of joint rates while momentum is zero, (base, joints): -Hb⁻¹ Hbm."""
    n = H.shape[0] - held
    Hb, b = np.empty((held, held)), np.empty((held, n))
    for i in range(held):
        for j in range(held):
            Hb[i, j] = H[i, j]
        for j in range(n):
            b[i, j] = -H[i, held + j]
    return solve(Hb, b)


@numba.njit
def joint_forces(H, c, held, wanted):
    """Joint forces (n,) that give the joints wanted accelerations (n,) while nothing pushes the base."""
    n = H.shape[0] - held
    Hb, b = np.empty((held, held)), np.empty((held, 1))
    for i in range(held):
        for j in range(held):
            Hb[i, j] = H[i, j]
        b[i, 0] = -c[i]
        for j in range(n):
            b[i, 0] -= H[i, held + j] * wanted[j]
    base = solve(Hb, b)
    tau = np.zeros(n)
    for i in range(n):
        tau[i] = c[held + i]
        for j in range(n):
            tau[i] += H[held + i, held + j] * wanted[j]
        for j in range(held):
            tau[i] += H[held + i, j] * base[j, 0]
    return tau
