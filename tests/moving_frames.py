"""Forward kinematics that knows its own derivatives: products of homogeneous transforms of truncated polynomials.

What a test's reference needs and no more: a pose with its time rate, its derivative along every unit rate, and the
time rate of those. Frames, coordinates and rates are those of docs/notation.md.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from spacedyn.model.model import Model

Array = np.ndarray
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Jet:
    """v + t·τ + Σ k[j]·σj + Σ kt[j]·τσj with τ² = σiσj = 0: a value that moves to (x ⊕ τu) ⊕ σj ej.

    τ runs along the motion u, σj along unit rate j: so `t` is the time rate, `k[j]` column j of the Jacobian,
    and `kt[j]` the time rate of that column. Products follow Leibniz, and are exact.
    """

    v: Array  # (...)
    t: Array  # (...)
    k: Array  # (nv, ...)
    kt: Array  # (nv, ...)

    def __add__(self, other: "Jet") -> "Jet":
        return Jet(self.v + other.v, self.t + other.t, self.k + other.k, self.kt + other.kt)

    def __matmul__(self, other: "Jet") -> "Jet":
        a, b = self, other
        return Jet(
            a.v @ b.v,
            a.t @ b.v + a.v @ b.t,
            a.k @ b.v + a.v @ b.k,
            a.kt @ b.v + a.k @ b.t + a.t @ b.k + a.v @ b.kt,
        )

    def times(self, matrix: Array) -> "Jet":
        """A scalar jet times a constant matrix."""
        return Jet(*(np.multiply.outer(part, matrix) for part in (self.v, self.t, self.k, self.kt)))

    def through(self, f: float, f1: float, f2: float) -> "Jet":
        """A function of a scalar jet, from its value and first two derivatives there."""
        return Jet(f, f1 * self.t, f1 * self.k, f1 * self.kt + f2 * self.t * self.k)


def constant(value: Array, nv: int) -> Jet:
    """A jet that does not move."""
    zero = np.zeros_like(value, dtype=float)
    many = np.zeros((nv, *zero.shape))
    return Jet(np.asarray(value, dtype=float), zero, many, many)


def hat(a: Array) -> Array:
    """Cross-product matrices (..., 3, 3) of vectors (..., 3): hat(a) b = a × b."""
    return np.cross(np.asarray(a)[..., None, :], np.eye(3)).swapaxes(-1, -2)


def vee(m: Array) -> Array:
    """The vectors (..., 3) of the skew parts of matrices (..., 3, 3)."""
    skew = (m - m.swapaxes(-1, -2)) / 2
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


def homogeneous(rotation: Array | None = None, position: Array | None = None) -> Array:
    """The 4×4 matrix of a pose."""
    pose = np.eye(4)
    pose[:3, :3] = np.eye(3) if rotation is None else rotation
    pose[:3, 3] = 0.0 if position is None else position
    return pose


def rotation_about(angle: Jet, axis: Array) -> Jet:
    """Rodrigues' formula I + sin θ [a] + (1 − cos θ) [a]², as a homogeneous transform."""
    s, c = np.sin(angle.v), np.cos(angle.v)
    a = np.zeros((4, 4))
    a[:3, :3] = hat(axis)
    still = constant(np.eye(4), len(angle.k))
    return still + angle.through(s, c, -s).times(a) + angle.through(1.0 - c, s, c).times(a @ a)


def translation_along(length: Jet, axis: Array) -> Jet:
    """A displacement along a fixed axis."""
    a = np.zeros((4, 4))
    a[:3, 3] = axis
    return constant(np.eye(4), len(length.k)) + length.times(a)


def turning(quaternion: Array, rate: Array, unit_rates: Array, *, axes: str) -> Jet:
    """An attitude whose angular velocity is `rate` in its own ("child") or the outer ("parent") axes.

    unit_rates (nv, 3) has the angular velocity of every unit rate. The exponentials stop at their linear term,
    because τ² = σ² = 0, and the unit rate is applied after the motion: exp(σE) exp(τΩ) R or R exp(τΩ) exp(σE).
    """
    R, W, E = (np.zeros((*shape, 4, 4)) for shape in ((), (), (len(unit_rates),)))
    R[:3, :3], R[3, 3] = Rotation.from_quat(quaternion).as_matrix(), 1.0
    W[:3, :3], E[:, :3, :3] = hat(rate), hat(unit_rates)
    return Jet(R, R @ W, R @ E, R @ W @ E) if axes == "child" else Jet(R, W @ R, E @ R, E @ W @ R)


def base_map(model: Model) -> Array:
    """(6, nv): the base's (v0; ω0) from u; it knows what each kind of base holds."""
    rows = {"free": [0, 1, 2, 3, 4, 5], "attitude": [3, 4, 5], "planar": [0, 1, 5], "fixed": []}[model.base_kind]
    S = np.zeros((6, model.nv))
    S[rows, range(len(rows))] = 1.0
    return S


def joint_transform(model: Model, index: int, x: Array, u: Array) -> Jet:
    """The pose of the child of joint `index` in its joint frame, as a product of one-coordinate motions."""
    joint, nv = model.joints[index], model.nv
    iq = 7 + sum(j.nq for j in model.joints[:index])
    iv = model.base_dof + sum(j.nv for j in model.joints[:index])

    def coordinate(i: int) -> Jet:
        return Jet(x[iq + i], u[iv + i], np.eye(nv)[iv + i], np.zeros(nv))

    def turn(i: int, axis: Array) -> Jet:
        return rotation_about(coordinate(i), axis)

    def slide(i: int, axis: Array) -> Jet:
        return translation_along(coordinate(i), axis)

    def ball(i: int, j: int) -> Jet:
        rates = slice(iv + j, iv + j + 3)
        return turning(x[iq + i : iq + i + 4], u[rates], np.eye(nv)[:, rates], axes="child")

    a = joint.axis
    match joint.kind:
        case "revolute":
            return turn(0, a)
        case "prismatic":
            return slide(0, a)
        case "helical":
            return slide(0, joint.pitch * a) @ turn(0, a)
        case "cylindrical":
            return slide(0, a) @ turn(1, a)
        case "universal":
            return turn(0, Z) @ turn(1, Y)
        case "planar":
            return slide(0, X) @ slide(1, Y) @ turn(2, Z)
        case "spherical":
            return ball(0, 0)
        case "free":
            return slide(0, X) @ slide(1, Y) @ slide(2, Z) @ ball(3, 3)
        case "fixed":
            return constant(np.eye(4), nv)
    raise ValueError(joint.kind)


def body_transforms(model: Model, x: Array, u: Array) -> list[Jet]:
    """Poses of all body frames, inertial <- body, with their Jacobians and rates."""
    nv, S = model.nv, base_map(model)
    r0 = Jet(homogeneous(position=x[:3]), np.zeros((4, 4)), np.zeros((nv, 4, 4)), np.zeros((nv, 4, 4)))
    r0.t[:3, 3], r0.k[:, :3, 3] = S[:3] @ u, S[:3].T
    attitude = turning(x[3:7], S[3:] @ u, S[3:].T, axes="parent")
    known = {0: r0 @ attitude @ constant(homogeneous(position=-model.bodies[0].com), nv)}

    def place(i: int) -> Jet:
        if i not in known:
            joint = model.joints[i - 1]
            mount = constant(homogeneous(joint.rotation, joint.position), nv)
            known[i] = place(model.parents[i]) @ mount @ joint_transform(model, i - 1, x, u)
        return known[i]

    return [place(i) for i in range(model.n + 1)]


def jacobian_of(frame: Jet, point: Array) -> tuple[Array, Array]:
    """(J, J̇), each (6, nv), of a point fixed in a moving frame, given in that frame."""
    p, R = np.append(point, 1.0), slice(0, 3)
    spin = vee(frame.k[:, R, R] @ frame.v[R, R].T)
    spin_rate = vee(frame.kt[:, R, R] @ frame.v[R, R].T + frame.k[:, R, R] @ frame.t[R, R].T)
    J = np.concatenate([(frame.k @ p)[:, R], spin], axis=1).T
    return J, np.concatenate([(frame.kt @ p)[:, R], spin_rate], axis=1).T
