"""A Model as the flat arrays that kernels read: see kernels.tree for the layout.

Kernels know only joints about the z axis: a joint with another axis gets its frame turned so that z is the axis, and
the body's data with it. `to_internal[i]` keeps that turn, so that results speak of the frames of the description.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kernels import tree as k
from ..kernels.scalar import LANES
from .parts import AXIS_KINDS, BASE_KINDS, JOINT_KINDS
from .rotations import z_onto

if TYPE_CHECKING:
    from .model import Model

_KINDS = {name: code for code, name in enumerate(JOINT_KINDS)}
_BASES = {name: code for code, name in enumerate(BASE_KINDS)}
# coordinates of each kind of joint that are angles (sine and cosine are made for them beforehand)
_ANGLES = {"revolute": (0,), "helical": (0,), "cylindrical": (1,), "universal": (0, 1), "planar": (2,)}


def aligned(size: int) -> np.ndarray:
    """Doubles that begin on a cache line: a pack that straddles two of them costs a quarter more time.

    >>> aligned(100).ctypes.data % 64
    0
    """
    raw = np.empty(size + 7)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + size]


class Frames(NamedTuple):
    """Frames on bodies as the kernels take them."""

    bodies: np.ndarray  # (frames,) in the kernels' order
    points: np.ndarray  # (3 frames,) positions in the axes of the kernels' body frames
    table: np.ndarray  # (12 frames,) positions and rotations


@dataclass(frozen=True, eq=False)
class Flat:
    """The arrays of one model, and what is needed to make sense of results."""

    tree: np.ndarray  # integers
    par: np.ndarray  # numbers
    slots: int  # scalars of scratch memory before any output
    order: np.ndarray  # (bodies,) place of each of the model's bodies in the kernels' order
    to_internal: np.ndarray  # (bodies, 3, 3) body's axes -> axes of the kernels' body frame
    offset: np.ndarray  # (bodies, 3) the body's frame in the kernels' body frame: zero but for the base
    passive: bool  # some joint has a spring, damper, friction or stop
    rates: int  # nv
    joint_rates: int  # nv without the base's
    spare: dict[int, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))  # scratch memory, used again
    endpoints: dict[str, Frames] = field(default_factory=dict)  # frames that have been asked for, by name
    centroids: dict[str, Frames] = field(default_factory=dict)
    families: list[tuple[Any, Frames]] = field(default_factory=list)  # all frames, once they have been laid out

    @cached_property
    def hosts(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each of the model's bodies: its place, as an array of one, and its turn `to_internal`."""
        places = [self.order[i : i + 1] for i in range(len(self.order))]
        return list(zip(places, self.to_internal, strict=True))

    def scratch(self, lanes: int, more: int = 0) -> np.ndarray:
        """Scratch memory for one scalar kind, with room for `more` scalars of output."""
        return aligned((self.slots + more) * lanes)

    def with_gravity(self, gravity: np.ndarray) -> np.ndarray:
        """`par` under an acceleration of gravity (3,), inertial axes."""
        par = self.par.copy()
        par[-3:] = gravity
        return par

    def with_given(self, given: np.ndarray) -> np.ndarray:
        """`tree` with the rates marked (nv,) whose accelerations are given."""
        tree = self.tree.copy()
        start = tree[k.RATE_AT]
        tree[start : start + self.rates * k.RATE_INTS].reshape(-1, k.RATE_INTS)[:, k.RATE_GIVEN] = given
        return tree


def _parents_first(parents: tuple[int, ...]) -> list[int]:
    """Bodies in an order in which parents come before children, otherwise as declared."""
    children: dict[int, list[int]] = {}
    for body, parent in enumerate(parents):
        children.setdefault(parent, []).append(body)
    order, waiting = [], [0]
    while waiting:
        body = waiting.pop()
        order.append(body)
        waiting.extend(reversed(children.get(body, [])))
    return order


def _principal(inertia: np.ndarray) -> np.ndarray:
    """Two vectors a, b and a number c such that the inertia is a a' + b b' + c 1.

    >>> a, b, c = np.split(_principal(np.diag([3.0, 1.0, 2.0])), [3, 6])
    >>> np.allclose(np.outer(a, a) + np.outer(b, b) + c * np.eye(3), np.diag([3.0, 1.0, 2.0]))
    True
    """
    moments, axes = np.linalg.eigh(inertia)  # the least one first
    a, b = (np.sqrt(moments[i] - moments[0]) * axes[:, i] for i in (2, 1))
    return np.concatenate([a, b, moments[:1]])


def flatten(model: "Model") -> Flat:
    """Lay a model out for the kernels."""
    sequence = _parents_first(model.parents)
    place = np.empty(len(sequence), dtype=np.int64)
    place[sequence] = np.arange(len(sequence))
    turns = np.array([np.eye(3)] + [z_onto(j.axis) if j.kind in AXIS_KINDS else np.eye(3) for j in model.joints])
    to_internal = np.ascontiguousarray(turns.transpose(0, 2, 1))
    offset = np.zeros((len(sequence), 3))
    offset[0] = -model.bodies[0].com  # the kernels' base frame is at its centre of mass

    starts_q = 7 + np.cumsum([0] + [j.nq for j in model.joints])
    starts_v = model.base_dof + np.cumsum([0] + [j.nv for j in model.joints])
    last_rate = np.full(len(sequence), -1)
    records, rate_records = [], np.full((model.nv, k.RATE_INTS), -1)
    angles: list[int] = []
    pars = np.zeros((len(sequence), k.BODY_PARS))
    for i, body_index in enumerate(sequence):
        body = model.bodies[body_index]
        turn = to_internal[body_index]
        row = pars[i]
        row[k.P_COM : k.P_COM + 3] = offset[body_index] + turn @ body.com
        row[k.P_MASS] = body.mass
        row[k.P_INERTIA : k.P_LEAST + 1] = _principal(turn @ body.inertia @ turn.T)
        if body_index == 0:
            record = [-1, k.FIXED, 0, 0, model.base_dof, 0]
            count, first, above = model.base_dof, 0, -1
            row[k.P_ROTATION : k.P_ROTATION + 9] = np.eye(3).ravel()
        else:
            joint, parent = model.joints[body_index - 1], model.parents[body_index]
            first, count = int(starts_v[body_index - 1]), joint.nv
            start_q = int(starts_q[body_index - 1])
            record = [int(place[parent]), _KINDS[joint.kind], start_q, first, count, len(angles)]
            angles += [start_q + a for a in _ANGLES.get(joint.kind, ())]
            above = int(last_rate[place[parent]])
            row[k.P_ROTATION : k.P_ROTATION + 9] = (to_internal[parent] @ joint.rotation @ turns[body_index]).ravel()
            row[k.P_POSITION : k.P_POSITION + 3] = offset[parent] + to_internal[parent] @ joint.position
            row[k.P_PITCH] = joint.pitch
        for rate in range(first, first + count):
            rate_records[rate] = (i, above, 0)
            above = rate
        last_rate[i] = above
        records.append([*record, above, 0, 0])

    for record in reversed(records[1:]):  # in the order in which children hand on to their parents
        record[k.IS_LAST_CHILD] = int(not records[record[k.PARENT]][k.HAS_CHILDREN])
        records[record[k.PARENT]][k.HAS_CHILDREN] = 1
    endpoints = [model.body_index(e.body) for e in model.endpoints]
    rate_pars = np.zeros((model.nv, k.RATE_PARS))
    for joint, first in zip(model.joints, starts_v, strict=False):
        rate_pars[first : first + joint.nv] = np.column_stack(
            [
                joint.gear**2 * joint.rotor_inertia,
                joint.stiffness,
                joint.damping,
                joint.friction,
                joint.friction_speed,
                joint.lower,
                joint.upper,
                joint.stop_stiffness,
                joint.stop_damping,
            ]
        )
    rests = [joint.rest for joint in model.joints]
    points = [
        np.append(offset[b] + to_internal[b] @ e.position, to_internal[b] @ e.rotation)
        for b, e in zip(endpoints, model.endpoints, strict=True)
    ]
    par = np.concatenate([np.ravel(a) for a in [pars, rate_pars, *rests, *points, np.zeros(3)]]).astype(float)
    header = _header(model, len(sequence), len(angles))
    ints = [header, np.ravel(records), rate_records.ravel(), angles, place[endpoints] if endpoints else []]
    tree = np.concatenate([np.asarray(a, dtype=np.int64) for a in ints])
    passive = bool(np.any(rate_pars[:, [k.P_STIFFNESS, k.P_DAMPING, k.P_FRICTION, k.P_STOP, k.P_STOP_DAMPING]]))
    return Flat(
        tree, par, int(header[k.W_OUT]), place, to_internal, offset, passive, model.nv, model.nv - model.base_dof
    )


def _header(model: "Model", bodies: int, angles: int) -> np.ndarray:
    header = np.zeros(k.HEADER, dtype=np.int64)
    endpoints = len(model.endpoints)
    header[k.BODIES], header[k.RATES], header[k.COORDINATES] = bodies, model.nv, 7 + model.nq
    header[k.BASE], header[k.BASE_RATES] = _BASES[model.base_kind], model.base_dof
    header[k.ANGLES], header[k.ENDPOINTS] = angles, endpoints
    sizes = [bodies * k.BODY_INTS, model.nv * k.RATE_INTS, angles]
    header[[k.BODY_AT, k.RATE_AT, k.ANGLE_AT, k.ENDPOINT_AT]] = k.HEADER + np.cumsum([0, *sizes])
    sizes = [model.nv * k.RATE_PARS, model.nq, endpoints * k.ENDPOINT_PARS]
    header[[k.PAR_RATE, k.PAR_REST, k.PAR_ENDPOINT, k.PAR_GRAVITY]] = bodies * k.BODY_PARS + np.cumsum([0, *sizes])
    room = -(-angles // LANES) * LANES  # kernels for one robot take a pack of angles at a time
    sizes = [7 + model.nq, model.nv, 6 * (endpoints + 1), room, room, bodies * k.BODY_WORK, model.nv * k.RATE_WORK]
    places = [k.W_X, k.W_U, k.W_WRENCH, k.W_SINE, k.W_COSINE, k.W_BODY, k.W_RATE, k.W_OUT]
    header[places] = np.cumsum([0, *sizes])
    return header
