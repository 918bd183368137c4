"""Robots that cannot be moved: joints about which nothing has inertia, in whatever pose.

A massless leaf, or a slender rod hinged about its own axis, makes the mass matrix singular in every pose; forward
dynamics would then give infinities. Each pivot D of its factorisation is compared with the diagonal of the mass
matrix at some random poses: a pivot that is nothing but rounding in all of them names the joint.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..kernels import forward_dynamics
from ..kernels import tree as k
from ..kernels.scalar import ONE

if TYPE_CHECKING:
    from .model import Model
    from .state import State

_ROUNDING = 1e-13
_POSES = 3


def singular_joints(model: "Model") -> list[str]:
    """One sentence for each joint (or the base) whose inertia is zero in every pose."""
    if model.nv == 0:
        return []
    from .state import State

    poses = State.random(model, np.random.default_rng(0), size=_POSES)
    share = np.array([_pivot_share(model, poses[i]) for i in range(_POSES)])
    bad = np.flatnonzero(~(share.max(axis=0) > _ROUNDING))
    found = {_owner(model, int(rate)) for rate in bad}
    return [text for owner, text in _sentences(model) if owner in found]


def _pivot_share(model: "Model", state: "State") -> np.ndarray:
    """(nv,) pivot over diagonal term of the mass matrix, at one pose."""
    flat = model.flat
    work, out = flat.scratch(1), np.empty(model.nv)
    at_rest = np.concatenate([state.x, np.zeros(model.nv)])
    tau = np.zeros(model.nv - model.base_dof)
    forward_dynamics.run(flat.tree, flat.par, work, at_rest, tau, out, 1, 0, ONE)
    tree = flat.tree
    bodies = work[tree[k.W_BODY] :][: tree[k.BODIES] * k.BODY_WORK].reshape(-1, k.BODY_WORK)
    rates = work[tree[k.W_RATE] :][: model.nv * k.RATE_WORK].reshape(-1, k.RATE_WORK)
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    composite = bodies[:, k.INERTIA : k.INERTIA + 10].copy()
    for i in range(len(composite) - 1, 0, -1):
        composite[records[i, k.PARENT]] += composite[i]
    mine = tree[tree[k.RATE_AT] :][: model.nv * k.RATE_INTS].reshape(-1, k.RATE_INTS)[:, k.RATE_BODY]
    rotors = flat.par[tree[k.PAR_RATE] :][: model.nv * k.RATE_PARS].reshape(-1, k.RATE_PARS)[:, k.P_ROTOR]
    S = rates[:, k.S : k.S + 6]
    v, w = S[:, :3], S[:, 3:]
    m, h, (xx, yy, zz, xy, xz, yz) = composite[mine, 0], composite[mine, 1:4], composite[mine, 4:].T
    I = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1).reshape(-1, 3, 3)
    # the sum of magnitudes, not the sum: a quantity that cancels to nothing is rounding too
    diagonal = (
        m * np.sum(v * v, 1) + 2 * np.abs(np.sum(v * np.cross(w, h), 1)) + np.abs(np.einsum("ki,kij,kj->k", w, I, w))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return rates[:, k.D] / (diagonal + rotors)


def _owner(model: "Model", rate: int) -> int:
    """Index of the joint that a rate belongs to, -1 for the base."""
    return next((i for i in range(model.n) if model.u_slice(i).start <= rate < model.u_slice(i).stop), -1)


def _sentences(model: "Model") -> list[tuple[int, str]]:
    remedy = "give the body inertia there, give the joint a rotor, or fix the joint"
    base = (
        f"base '{model.bodies[0].name}': nothing has inertia against some motion of the base; give it mass and inertia."
    )
    joints = [
        (
            i,
            f"joint '{joint.name}': nothing that it moves (body '{joint.child}' and beyond) has inertia against it, in "
            f"any pose, so the mass matrix is singular; {remedy}.",
        )
        for i, joint in enumerate(model.joints)
    ]
    return [(-1, base), *joints]
