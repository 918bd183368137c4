"""A slow, independent reference: every quantity from the records of a Model, in plain NumPy.

Poses are products of homogeneous transforms, and nothing is ever derived by hand after that: Jacobians and their
rates are *derivatives of the forward kinematics*, exact to rounding, by a small algebra of truncated polynomials
(`moving_frames.Jet`). Dynamics is Kane's projection of Newton's and Euler's equations of every body, dense:

    H = Σ m JᵀJ + Jωᵀ I Jω + rotors        c = Σ Jᵀ m (J̇u − g) + Jωᵀ (I J̇ω u + ω × Iω)

Nothing here is recursive in the sense of multibody algorithms: no spatial vectors, no joint axes in inertial
components, no composite or articulated inertias. Frames, orders and signs are those of docs/notation.md:
x = (r0, quaternion xyzw, q) of length 7 + nq, u = (base rates, qd) of length nv, (linear; angular), inertial axes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from moving_frames import base_map, body_transforms, hat, homogeneous, jacobian_of
from spacedyn.model.model import Model

Array = np.ndarray


@dataclass(frozen=True)
class Bodies:
    """Everything Newton and Euler ask of the bodies: at their centres of mass, in inertial axes."""

    pose: Array  # (nb, 4, 4) of the body frames
    mass: Array  # (nb,)
    position: Array  # (nb, 3) of the centres of mass
    inertia: Array  # (nb, 3, 3) about the centres of mass
    J: Array  # (nb, 6, nv)
    Jdot: Array  # (nb, 6, nv)


def bodies(model: Model, x: Array, u: Array | None = None) -> Bodies:
    """Poses, centres of mass, inertias, Jacobians and their rates of all bodies, the base first."""
    frames = body_transforms(model, np.asarray(x), np.zeros(model.nv) if u is None else np.asarray(u))
    jacobians = [jacobian_of(f, b.com) for f, b in zip(frames, model.bodies, strict=True)]
    return Bodies(
        pose=np.array([f.v for f in frames]),
        mass=np.array([b.mass for b in model.bodies]),
        position=np.array([f.v[:3, :3] @ b.com + f.v[:3, 3] for f, b in zip(frames, model.bodies, strict=True)]),
        inertia=np.array([f.v[:3, :3] @ b.inertia @ f.v[:3, :3].T for f, b in zip(frames, model.bodies, strict=True)]),
        J=np.array([J for J, _ in jacobians]),
        Jdot=np.array([Jdot for _, Jdot in jacobians]),
    )


def point_jacobian(model: Model, x: Array, u: Array, body: int, point: Array) -> tuple[Array, Array]:
    """(J, J̇), each (6, nv), of a point of a body, given in the body's frame."""
    return jacobian_of(body_transforms(model, np.asarray(x), np.asarray(u))[body], point)


def endpoint_jacobians(model: Model, x: Array, u: Array | None = None) -> tuple[Array, Array]:
    """(J, J̇), each (ne, 6, nv), of all endpoints."""
    frames = body_transforms(model, np.asarray(x), np.zeros(model.nv) if u is None else np.asarray(u))
    pairs = [jacobian_of(frames[model.body_index(e.body)], e.position) for e in model.endpoints]
    shape = (len(pairs), 6, model.nv)
    return np.array([J for J, _ in pairs]).reshape(shape), np.array([Jd for _, Jd in pairs]).reshape(shape)


def endpoint_poses(model: Model, x: Array) -> Array:
    """Homogeneous transforms (ne, 4, 4), inertial <- endpoint."""
    pose = bodies(model, x).pose
    poses = [pose[model.body_index(e.body)] @ homogeneous(e.rotation, e.position) for e in model.endpoints]
    return np.array(poses).reshape(-1, 4, 4)


def joint_poses(model: Model, x: Array) -> Array:
    """Homogeneous transforms (n, 4, 4), inertial <- joint frame (fixed to the parent)."""
    pose = bodies(model, x).pose
    poses = [
        pose[p] @ homogeneous(j.rotation, j.position) for p, j in zip(model.parents[1:], model.joints, strict=True)
    ]
    return np.array(poses).reshape(-1, 4, 4)


def body_velocities(model: Model, x: Array, u: Array) -> Array:
    """(nb, 6): velocity of the centre of mass and angular velocity of every body."""
    return bodies(model, x, u).J @ u


def body_accelerations(model: Model, x: Array, u: Array, udot: Array) -> Array:
    """(nb, 6): acceleration of the centre of mass and angular acceleration of every body."""
    b = bodies(model, x, u)
    return b.J @ udot + b.Jdot @ u


def endpoint_velocities(model: Model, x: Array, u: Array) -> Array:
    """(ne, 6)."""
    return endpoint_jacobians(model, x, u)[0] @ u


def endpoint_accelerations(model: Model, x: Array, u: Array, udot: Array) -> Array:
    """(ne, 6)."""
    J, Jdot = endpoint_jacobians(model, x, u)
    return J @ udot + Jdot @ u


def rotor_inertias(model: Model) -> Array:
    """(nv,): gear² × rotor inertia, zero for the base."""
    joints = [j.gear**2 * j.rotor_inertia for j in model.joints]
    return np.concatenate([np.zeros(model.base_dof), *joints])


def mass_matrix(model: Model, x: Array) -> Array:
    """H (nv, nv)."""
    b = bodies(model, x)
    Jv, Jw = b.J[:, :3], b.J[:, 3:]
    H = np.einsum("b,bij,bik->jk", b.mass, Jv, Jv) + np.einsum("bij,bil,blk->jk", Jw, b.inertia, Jw)
    return H + np.diag(rotor_inertias(model))


def body_wrenches(model: Model, x: Array, u: Array, udot: Array, gravity: Array = (0, 0, 0)) -> Array:
    """(nb, 6): what must act on every body, at its centre of mass, besides gravity (Newton and Euler)."""
    b = bodies(model, x, u)
    a, w = b.J @ udot + b.Jdot @ u, b.J[:, 3:] @ u
    force = b.mass[:, None] * (a[:, :3] - np.asarray(gravity, dtype=float))
    spin = (b.inertia @ w[..., None])[..., 0]
    return np.concatenate([force, (b.inertia @ a[:, 3:, None])[..., 0] + np.cross(w, spin)], axis=1)


def bias_force(model: Model, x: Array, u: Array, gravity: Array = (0, 0, 0)) -> Array:
    """c (nv,): velocity terms and gravity; no passive joint forces."""
    return np.einsum("bij,bi->j", bodies(model, x).J, body_wrenches(model, x, u, np.zeros(model.nv), gravity))


def wrench_force(
    model: Model, x: Array, *, base_wrench: Array | None = None, endpoint_wrenches: Array | None = None
) -> Array:
    """(nv,): generalized force of a wrench (6,) on the base at its centre of mass, and of (ne, 6) at the endpoints."""
    F = np.zeros(model.nv)
    if base_wrench is not None:
        F += base_map(model).T @ base_wrench
    if endpoint_wrenches is not None:
        F += np.einsum("eij,ei->j", endpoint_jacobians(model, x)[0], endpoint_wrenches)
    return F


def passive_force(model: Model, x: Array, u: Array) -> Array:
    """(nv,): springs, dampers, dry friction and end stops of the joints. Stops act on single coordinates only."""
    F, iq, iv = [np.zeros(model.base_dof)], 7, model.base_dof
    for joint in model.joints:
        q, qd = x[iq : iq + joint.nq], u[iv : iv + joint.nv]
        iq, iv = iq + joint.nq, iv + joint.nv
        tau = -joint.stiffness * stretch(joint.kind, joint.rest, q)
        tau -= joint.damping * qd + joint.friction * np.tanh(qd / joint.friction_speed)
        for i in range(single_coordinates(joint.kind, joint.nv)):
            above, below = q[i] - joint.upper[i], joint.lower[i] - q[i]
            if above > 0:
                tau[i] -= max(0.0, joint.stop_stiffness[i] * above + joint.stop_damping[i] * qd[i])
            if below > 0:
                tau[i] += max(0.0, joint.stop_stiffness[i] * below - joint.stop_damping[i] * qd[i])
        F.append(tau)
    return np.concatenate(F)


def single_coordinates(kind: str, nv: int) -> int:
    """How many of a joint's first coordinates are lengths or angles; an attitude has none that could be limited."""
    return {"spherical": 0, "free": 3}.get(kind, nv)


def stretch(kind: str, rest: Array, q: Array) -> Array:
    """(nv,): how far a joint is from its rest; attitudes by the rotation vector from rest to present."""
    if kind not in ("spherical", "free"):
        return q - rest
    turned = Rotation.from_quat(rest[-4:]).inv() * Rotation.from_quat(q[-4:])
    return np.concatenate([q[:-4] - rest[:-4], turned.as_rotvec()])


def inverse_dynamics(
    model: Model,
    x: Array,
    u: Array,
    udot: Array,
    *,
    gravity: Array = (0, 0, 0),
    endpoint_wrenches: Array | None = None,
    passive: bool = True,
) -> Array:
    """F (nv,) that makes H u̇ + c = F + Jᵀ Fe + passive."""
    F = mass_matrix(model, x) @ udot + bias_force(model, x, u, gravity)
    F -= wrench_force(model, x, endpoint_wrenches=endpoint_wrenches)
    return F - passive_force(model, x, u) if passive else F


def forward_dynamics(model: Model, x: Array, u: Array, F: Array, **options: Any) -> Array:
    """u̇ (nv,) under F; options as for `inverse_dynamics`."""
    rest = inverse_dynamics(model, x, u, np.zeros(model.nv), **options)
    return np.linalg.solve(mass_matrix(model, x), F - rest)


def hybrid_dynamics(
    model: Model, x: Array, u: Array, given: Array, udot: Array, F: Array, **options: Any
) -> tuple[Array, Array]:
    """(u̇, F) where `given` (nv,) of bool marks known accelerations; elsewhere the force is known."""
    H, c = mass_matrix(model, x), inverse_dynamics(model, x, u, np.zeros(model.nv), **options)
    asked, udot = ~given, np.where(given, udot, 0.0)
    udot[asked] = np.linalg.solve(H[np.ix_(asked, asked)], (F - c - H @ udot)[asked])
    return udot, np.where(given, H @ udot + c, F)


def reactions(
    model: Model,
    x: Array,
    u: Array,
    udot: Array,
    *,
    gravity: Array = (0, 0, 0),
    endpoint_wrenches: Array | None = None,
    at: str = "joint",
) -> Array:
    """(nb, 6): row 0 the wrench on the base at its centre of mass, row i what the parent exerts on body i.

    Each is the sum over the subtree of what its bodies need, less what acts at their endpoints; the moment is about
    the origin of the joint frame, or of the child's frame with at="child" (they differ when the joint slides).
    """
    need, b = body_wrenches(model, x, u, udot, gravity), bodies(model, x)
    loads = [(i, b.position[i], need[i]) for i in range(model.n + 1)]
    if endpoint_wrenches is not None:
        where = endpoint_poses(model, x)[:, :3, 3]
        on = [model.body_index(e.body) for e in model.endpoints]
        loads += zip(on, where, -np.asarray(endpoint_wrenches), strict=True)
    joints = joint_poses(model, x)[:, :3, 3] if at == "joint" else b.pose[1:, :3, 3]
    about = np.vstack([b.position[:1], joints])
    total = np.zeros((model.n + 1, 6))
    for i, r, f in loads:
        while i >= 0:
            total[i] += np.concatenate([f[:3], f[3:] + np.cross(r - about[i], f[:3])])
            i = model.parents[i]
    return total


def center_of_mass(model: Model, x: Array) -> Array:
    """(3,) of the whole robot."""
    b = bodies(model, x)
    return b.mass @ b.position / b.mass.sum()


def momentum_matrix(model: Model, x: Array, about: Array) -> Array:
    """(6, nv): (P; L) = A u, L about the point `about`. Rotors store none: they are terms of H only."""
    b = bodies(model, x)
    P = np.einsum("b,bij->ij", b.mass, b.J[:, :3])
    L = np.einsum("b,bij,bjk->ik", b.mass, hat(b.position - about), b.J[:, :3])
    return np.vstack([P, L + np.einsum("bij,bjk->ik", b.inertia, b.J[:, 3:])])


def momentum_matrix_rate(model: Model, x: Array, u: Array, about: Array, about_velocity: Array = (0, 0, 0)) -> Array:
    """(6, nv): Ȧ along the motion, with `about` moving at `about_velocity`."""
    b = bodies(model, x, u)
    v, w = b.J[:, :3] @ u, hat(b.J[:, 3:] @ u)
    P = np.einsum("b,bij->ij", b.mass, b.Jdot[:, :3])
    L = hat(b.position - about) @ b.Jdot[:, :3] + hat(v - np.asarray(about_velocity)) @ b.J[:, :3]
    spin = b.inertia @ b.Jdot[:, 3:] + (w @ b.inertia - b.inertia @ w) @ b.J[:, 3:]
    return np.vstack([P, np.einsum("b,bij->ij", b.mass, L) + spin.sum(axis=0)])


def momentum(model: Model, x: Array, u: Array, about: Array) -> Array:
    """(P; L) (6,), L about the point `about`."""
    return momentum_matrix(model, x, about) @ u


def kinetic_energy(model: Model, x: Array, u: Array) -> float:
    """Of the bodies one by one, and of the rotors."""
    b = bodies(model, x)
    v = b.J @ u
    turning_part = np.einsum("bi,bij,bj->", v[:, 3:], b.inertia, v[:, 3:])
    return 0.5 * float(b.mass @ (v[:, :3] ** 2).sum(axis=1) + turning_part + rotor_inertias(model) @ u**2)


def potential_energy(model: Model, x: Array, gravity: Array) -> float:
    """Of gravity, zero at the inertial origin."""
    b = bodies(model, x)
    return -float(b.mass @ b.position @ np.asarray(gravity, dtype=float))


def spring_energy(model: Model, x: Array) -> float:
    """Of the joints' springs, and of the springs of their stops."""
    energy, iq = 0.0, 7
    for joint in model.joints:
        q = x[iq : iq + joint.nq]
        energy += 0.5 * float(joint.stiffness @ stretch(joint.kind, joint.rest, q) ** 2)
        limited = slice(0, single_coordinates(joint.kind, joint.nv))
        beyond = np.maximum(q[limited] - joint.upper[limited], 0) + np.maximum(joint.lower[limited] - q[limited], 0)
        energy += 0.5 * float(joint.stop_stiffness[limited] @ beyond**2)
        iq += joint.nq
    return energy
