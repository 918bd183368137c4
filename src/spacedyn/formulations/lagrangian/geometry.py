"""A robot as its base sees it: twists of all rates, and inertias of all bodies, in the base's axes about its centre.

    V_i = Ad_gib (H Ṽ + J_i q̇):  W_i = [H J_i],  column k of J_i = Ad_gb(k-1) X_k where rate k moves body i, else 0

X_k is the constant twist of a rate in the frame that the rates before it have moved; From et al. (2011), (3)-(9).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ...errors import InputError
from ...model.model import Model
from ...model.parts import stacked
from ...model.rotations import z_onto
from ...model.state import State
from ...quantities.calls import check_state
from .twists import SE3, SO3, adjoint, checked_selection, hat, structure

Array = np.ndarray
LEVI_CIVITA = structure(np.asarray(SO3))


@dataclass(frozen=True)
class Pattern:
    """Which rates move which bodies and twists of a model."""

    carries: Array  # (bodies, n) bool: rate k moves body i
    moves: Array  # (n, n) bool: rate k moves the twist of rate j, which is fixed in what k has moved
    balls: tuple[slice, ...]  # rates that are angular velocities in the child's axes, from the first joint rate on
    rotors: Array  # (n,)


@dataclass(frozen=True)
class Geometry:
    """The twists, poses and inertias at one configuration, or a batch."""

    model: Model
    pattern: Pattern
    attitude: Array  # (…, 3, 3) base's axes -> inertial ones
    H: Array  # (…, 6, m) or (6, m)
    rotations: Array  # (…, bodies, 3, 3) body's axes -> base's
    positions: Array  # (…, bodies, 3) of body frames
    centres: Array  # (…, bodies, 3) of mass
    X: Array  # (…, 6, n) twists of the joint rates
    W: Array  # (…, bodies, 6, m + n)
    inertia: Array  # (…, bodies, 6, 6)

    @property
    def m(self) -> int:
        """Rates of the base."""
        return self.H.shape[-1]


@lru_cache(maxsize=64)
def pattern_of(model: Model) -> Pattern:
    """The pattern of a model; cached, because models do not change."""
    n = model.nv - model.base_dof
    carries, moves, balls = np.zeros((len(model.bodies), n), dtype=bool), np.zeros((n, n), dtype=bool), []
    for i in range(1, len(model.bodies)):
        body = i
        while body > 0:
            carries[i, model.qd_slice(body - 1)] = True
            body = model.parents[body]
    for i, joint in enumerate(model.joints):
        own = model.qd_slice(i)
        moves[:, own] = carries[model.parents[i + 1]][:, None]
        moves[own, own] = np.triu(np.ones((joint.nv, joint.nv), dtype=bool), 1)
        if joint.kind_record.has_attitude:
            balls.append(slice(own.stop - 3, own.stop))
            moves[balls[-1], balls[-1]] = True
    each = [np.zeros(0), *(joint.gear**2 * joint.rotor_inertia for joint in model.joints)]
    rotors = np.concatenate([np.broadcast_to(a, (*model.shape, a.shape[-1])) for a in each], axis=-1)
    return Pattern(carries, moves, tuple(balls), rotors)


def geometry_of(model: Model, state: State, selection: ArrayLike | None) -> Geometry:
    """The Geometry of a model at a state."""
    check_state(model, state)
    H, pattern, batch = _selection(model, state, selection), pattern_of(model), state.shape
    count, n = len(model.bodies), model.nv - model.base_dof
    R, p = np.empty((*batch, count, 3, 3)), np.empty((*batch, count, 3))
    twists = np.empty((*batch, 6, n))
    R[..., 0, :, :], p[..., 0, :] = np.eye(3), -model.bodies[0].com  # the base's frame, seen from its centre of mass
    for i in np.argsort(model.flat.order)[1:].tolist():  # parents before children
        parent, joint = model.parents[i], model.joints[i - 1]
        rotation = R[..., parent, :, :] @ joint.rotation
        position = p[..., parent, :] + (R[..., parent, :, :] @ joint.position[..., None])[..., 0]
        q, k = state.q[..., model.q_slice(i - 1)], model.qd_slice(i - 1).start
        kind = joint.kind_record
        steps = kind.twists(joint.axis, joint.pitch)
        for j, (v, w) in enumerate(steps):
            twist = np.concatenate([v, np.broadcast_to(w, v.shape)], axis=-1)
            twists[..., k + j] = (adjoint(rotation, position) @ twist[..., None])[..., 0]
            position = position + (rotation @ v[..., None])[..., 0] * q[..., j, None]
            if w.any():
                rotation = rotation @ Rotation.from_rotvec(q[..., j, None] * w).as_matrix()
        if kind.has_attitude:
            rotation = rotation @ Rotation.from_quat(q[..., kind.attitude].copy()).as_matrix()
            first = k + len(steps)
            twists[..., first : first + 3] = adjoint(rotation, position)[..., 3:]
        R[..., i, :, :], p[..., i, :] = rotation, position
    W = np.empty((*batch, count, 6, H.shape[-1] + n))
    W[..., : H.shape[-1]] = H[..., None, :, :]
    W[..., H.shape[-1] :] = twists[..., None, :, :] * pattern.carries[:, None, :]
    centres = p + np.einsum("...bij,...bj->...bi", R, stacked(model.bodies, "com"))
    attitude = state.base_attitude.as_matrix()
    return Geometry(model, pattern, attitude, H, R, p, centres, twists, W, _inertias(model, R, centres))


def _inertias(model: Model, R: Array, centres: Array) -> Array:
    """(…, bodies, 6, 6) about the base's centre of mass: Ad_gib' I_i Ad_gib."""
    mass = stacked(model.bodies, "mass")[..., None, None]
    c = hat(centres)
    out = np.empty((*c.shape[:-2], 6, 6))
    out[..., :3, :3] = mass * np.eye(3)
    out[..., :3, 3:] = -mass * c
    out[..., 3:, :3] = mass * c
    own = R @ stacked(model.bodies, "inertia") @ np.swapaxes(R, -1, -2)
    out[..., 3:, 3:] = own - mass * c @ c
    return out


def _selection(model: Model, state: State, selection: ArrayLike | None) -> Array:
    if selection is not None:
        if model.base_kind != "free":
            raise InputError(
                f"selection: '{model.name}' has a base of kind '{model.base_kind}', which is a selection already; "
                "leave it out, or build the robot with base='free'"
            )
        return checked_selection(selection)
    if model.base_kind == "planar":  # the base's axes may stand anyhow to the plane: its normal is fixed in the base
        normal = np.swapaxes(state.base_attitude.as_matrix(), -1, -2)[..., :, 2]
        H = np.zeros((*state.shape, 6, 3))
        for place in np.ndindex(state.shape):
            H[*place, :3, :2] = z_onto(normal[place])[:, :2]
        H[..., 3:, 2] = normal
        return H
    return np.asarray({"free": SE3, "attitude": SO3, "fixed": SE3[:, :0]}[model.base_kind])


def base_twist(g: Geometry, state: State) -> Array:
    """Ṽ (…, m) of a state; raises InputError if the base moves otherwise than its selection matrix has it."""
    still = np.swapaxes(g.attitude, -1, -2)
    linear = (still @ state.base_velocity[..., None])[..., 0]
    angular = (still @ state.base_rate[..., None])[..., 0]
    V = np.concatenate([linear, angular], axis=-1)[..., None]
    selected = np.linalg.pinv(g.H) @ V
    if np.abs(g.H @ selected - V).max(initial=0.0) > 1e-9 * (1.0 + np.abs(V).max(initial=0.0)):
        raise InputError(
            "the base of this state moves in a way that is no combination of the selection matrix's columns; change "
            "base_velocity and base_rate, or take another selection"
        )
    return selected[..., 0]
