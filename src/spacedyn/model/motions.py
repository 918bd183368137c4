"""Motions of bodies and their inertias, in the bodies' own axes, in NumPy: for what is computed while building."""

from collections.abc import Sequence

import numpy as np

from .parts import Body, Joint
from .rotations import rotation_about, rotation_quaternion

Array = np.ndarray
_NO_MOMENT = 1e-12  # of a body's smallest principal moments, relative to its largest


def square_roots(bodies: Sequence[Body]) -> Array:
    """L (bodies, 6, 6): T = |L (v; ω)|²/2, about each body's origin; of the base, about its centre of mass."""
    moments, axes = np.linalg.eigh(np.array([body.inertia for body in bodies]))
    moments = np.where(moments > _NO_MOMENT * moments[:, -1:], moments, 0.0)
    mass, com = np.sqrt([body.mass for body in bodies]), np.array([body.com for body in bodies])
    com[0] = 0.0
    L = np.zeros((len(bodies), 6, 6))
    L[:, :3, :3] = mass[:, None, None] * np.eye(3)
    L[:, :3, 3:] = mass[:, None, None] * np.cross(np.eye(3), com[:, None, :]).transpose(0, 2, 1)  # e × com
    L[:, 3:, 3:] = np.sqrt(moments)[:, :, None] * axes.transpose(0, 2, 1)
    return L


def columns(joint: Joint, q: Array) -> Array:
    """S (6, nv) of a joint: motion (v; ω) of the child per unit of each rate, at its origin, in its axes."""
    kind, turn, place = joint.kind_record, np.eye(3), np.zeros(3)  # of the child, in the frame of a step: from the last
    S = np.zeros((6, kind.nv))
    if kind.has_attitude:
        S[3:, kind.attitude_rates] = np.eye(3)
        turn = rotation_quaternion(q[kind.attitude])
    steps = kind.twists(joint.axis, joint.pitch)
    for i in range(len(steps) - 1, -1, -1):
        slide, rotate = steps[i]
        S[:3, i], S[3:, i] = turn.T @ (slide + skew(rotate) @ place), turn.T @ rotate
        if i > 0:  # into the frame of the step before
            step = rotation_about(rotate, q[i]) if rotate.any() else np.eye(3)
            turn, place = step @ turn, slide * q[i] + step @ place
    return S


def motion_transform(position: Array, rotation: Array) -> Array:
    """(6, 6): a parent's (v; ω) to that of a frame on it, at its origin and in its axes."""
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = rotation.T
    X[:3, 3:] = -rotation.T @ skew(position)
    return X


def skew(r: Array) -> Array:
    """The matrix [r ×] (3, 3)."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
