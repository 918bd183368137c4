"""Find joints (or a base) that move no inertia in any pose: they make the mass matrix singular.

A massless leaf, a slender rod hinged about its own axis, or two coincident axes with nothing between them make the
mass matrix singular in every pose, and forward dynamics would give infinities. The innovations factorisation finds the
joint: its pivot D is the inertia that a rate feels when the rates further out are free. Here it is done with square
roots of the bodies' inertias, T = |L V|²/2, as in a square-root Kalman filter: no cancellation hides a zero, so one
pose at random tells, and in NumPy, so that building a robot compiles nothing.
"""

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dgeqrf

from .motions import columns, motion_transform, square_roots
from .parts import Joint
from .rotations import rotation_about, rotation_quaternion
from .state_parts import BASE_RATES
from .surgery import joint_transform

if TYPE_CHECKING:
    from .model import Model

_ROUNDING = 1e-8  # of |L S|, relative to the sizes of L and S: below it D is rounding to the kernels
_POSES = 3
_Z = np.array([0.0, 0.0, 1.0])
_UPPER = np.triu(np.ones((6, 6)))
Array = np.ndarray


def singular_joints(model: "Model") -> list[str]:
    """One sentence for the base and for each joint that moves no inertia, in any pose."""
    rng = np.random.default_rng(0)
    found = _at_a_pose(model, rng)
    for _ in range(1, _POSES):
        if found:  # the pose may have been an unlucky one
            elsewhere = _at_a_pose(model, rng)
            found = {body: dead or elsewhere[body] for body, dead in found.items() if body in elsewhere}
    return [_sentence(model, body, found[body]) for body in sorted(found)]


def _at_a_pose(model: "Model", rng: np.random.Generator) -> dict[int, bool]:
    """Bodies whose joint (or base) feels no inertia at a random pose; True if not even with all other joints locked."""
    free: list[list[Array]] = [[] for _ in model.bodies]  # L of what hangs on a body, its joints being free
    locked: list[list[Array]] = [[] for _ in model.bodies]  # and with its joints locked
    found = {}
    own = square_roots(model.bodies)
    for i in np.argsort(model.flat.order)[::-1].tolist():  # leaves to base
        L, G = _joined([own[i], *free[i]]), _joined([own[i], *locked[i]])
        if i == 0:
            S, rotor = _base_columns(model.base_kind, rng), np.zeros(model.base_dof)
        else:
            joint = model.joints[i - 1]
            q = _coordinates(joint, rng)
            place, turn = joint_transform(joint, q)
            S, rotor = columns(joint, q), joint.gear**2 * joint.rotor_inertia
        moving, turning = np.sqrt((G[:, :3] ** 2).sum()), np.sqrt((G[:, 3:] ** 2).sum())  # roots of mass and moments
        size = np.sqrt((moving * _lengths(S[:3]) + turning * _lengths(S[3:])) ** 2 + rotor)
        L, bad = _eliminate(L, S, rotor, size)
        if bad:
            with_rotor = np.vstack([G @ S, np.diag(np.sqrt(rotor))]) / np.where(size > 0.0, size, 1.0)
            found[i] = bool(np.linalg.svd(with_rotor, compute_uv=False)[-1] <= _ROUNDING)
        if i > 0:
            parent = model.parents[i]
            origin = model.bodies[0].com if parent == 0 else np.zeros(3)
            X = motion_transform(joint.position + joint.rotation @ place - origin, joint.rotation @ turn)
            free[parent].append(L @ X)
            locked[parent].append(G @ X)
    return found


def _eliminate(L: Array, S: Array, rotor: Array, size: Array) -> tuple[Array, bool]:
    """Eliminate the rates of the columns S from L; whether one of them moves no inertia, and was skipped."""
    bad = False
    for k in range(S.shape[1] - 1, -1, -1):
        y = L @ S[:, k]
        D = y @ y + rotor[k]
        if np.sqrt(D) <= _ROUNDING * size[k]:
            bad = True
        else:
            gain = y @ L / D
            L = np.vstack([L - np.outer(y, gain), np.sqrt(rotor[k]) * gain])
    return L, bad


def _joined(parts: list[Array]) -> Array:
    """L (6, 6) of several together."""
    if len(parts) == 1:
        return parts[0]
    return _UPPER * dgeqrf(np.concatenate(parts))[0][:6]


def _coordinates(joint: Joint, rng: np.random.Generator) -> Array:
    """Random coordinates, whatever the limits: what is singular at a random pose is singular at every pose."""
    q = rng.normal(size=joint.nq)
    attitude = joint.kind_record.attitude
    if joint.kind_record.has_attitude:
        q[attitude] /= np.linalg.norm(q[attitude])
    return q


def _base_columns(kind: str, rng: np.random.Generator) -> Array:
    """S (6, base_dof) of a base at a random attitude, about its centre of mass, in its axes."""
    quaternion = rng.normal(size=4)
    turn = rotation_quaternion(quaternion / np.linalg.norm(quaternion))
    if kind == "planar":
        turn = rotation_about(_Z, float(quaternion[0]))
    both = np.block([[turn.T, np.zeros((3, 3))], [np.zeros((3, 3)), turn.T]])
    return both[:, list(BASE_RATES[kind])]


def _lengths(columns: Array) -> Array:
    return np.sqrt(np.sum(columns**2, axis=0))


def _sentence(model: "Model", body: int, dead: bool) -> str:
    name, singular = model.bodies[body].name, "in any pose, so the mass matrix is singular"
    undone = "can be undone by joints further out, without moving any mass"
    if body == 0 and dead:
        return f"base '{name}': nothing has inertia against some motion of it, {singular}; give it mass and inertia."
    if body == 0:
        return f"base '{name}': a motion of it {undone}, {singular}; give it mass and inertia."
    joint = model.joints[body - 1]
    motion = "it" if joint.nv == 1 else "some motion of it"
    if dead:
        return (
            f"joint '{joint.name}': nothing that it moves (body '{name}' and beyond) has inertia against {motion}, "
            f"{singular}; give the body inertia there, give the joint a rotor, or fix the joint."
        )
    return (
        f"joint '{joint.name}': {'its motion' if joint.nv == 1 else 'some motion of it'} {undone}, {singular}; "
        f"give body '{name}' mass and inertia, give the joint a rotor, or fix one of these joints."
    )
