"""Turn a Model into the flat arrays that kernels read; kernels/robot/layout.py has their layout.

Kernels know only joints about the z axis: a joint with another axis gets its frame turned so that z is the axis, and
the body's data with it. `to_internal[i]` keeps that turn, so that results speak of the frames of the description.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba.core import config

from ..kernels.robot import layout as k
from ..kernels.scalar.pack import LANES
from .parts import BASE_KINDS, Joint
from .principal_axes import along_axes, principal, rounded_off
from .reference_points import choose_segments
from .rotations import z_onto
from .wheel_inertias import felt_records, is_wheel

if TYPE_CHECKING:
    from .model import Model

_BASES = {name: code for code, name in enumerate(BASE_KINDS)}


def aligned(size: int) -> np.ndarray:
    """An empty array of doubles that begins on a cache line: packs that straddle two lines are a quarter slower.

    >>> aligned(100).ctypes.data % 64
    0
    """
    raw = np.empty(size + 7)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + size]


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A copy of a flat array of eight-byte numbers that begins on a cache line."""
    made = aligned(array.size).view(array.dtype)
    made[:] = array
    return made


class Frames(NamedTuple):
    """Frames on bodies as the kernels take them."""

    bodies: np.ndarray  # (frames,) in the kernels' order
    points: np.ndarray  # (3 frames,) positions in the axes of the kernels' body frames
    table: np.ndarray  # (12 frames,) positions and rotations


@dataclass(frozen=True, eq=False)
class Flat:
    """The arrays of one model, and what is needed to make sense of results."""

    tree: np.ndarray  # integers
    par: np.ndarray  # numbers; of robots that differ, those of each pack in a row (kernels.descriptions)
    slots: int  # scalars of scratch memory before any output
    order: np.ndarray  # (bodies,) place of each of the model's bodies in the kernels' order
    to_internal: np.ndarray  # (bodies, 3, 3) body's axes -> axes of the kernels' body frame
    offset: np.ndarray  # (1 or robots, bodies, 3) the body's frame in the kernels' body frame: zero but for the base
    passive: bool  # some joint has a spring, damper, friction or stop
    rates: int  # nv
    joint_rates: int  # nv without the base's
    spare: dict[int, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))  # scratch memory, used again
    endpoints: dict[str, Frames] = field(default_factory=dict)  # frames that have been asked for, by name
    centroids: dict[str, Frames] = field(default_factory=dict)
    families: list[tuple[Any, Frames]] = field(default_factory=list)  # all frames, once they have been laid out
    weighed: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)  # the last gravity, and `par` under it
    rows: np.ndarray | None = None  # (robots, numbers): the `par` of each of the robots that differ

    @property
    def robots(self) -> int:
        """How many robots differ; 0 if none does."""
        return 0 if self.rows is None else len(self.rows)

    def of_robots(self, robots: np.ndarray) -> "Flat":
        """The arrays of some of the robots that differ."""
        rows = self.par[None] if self.rows is None else self.rows
        offset = self.offset if len(self.offset) == 1 else self.offset[robots]
        rest = self.slots, self.order, self.to_internal, offset, self.passive, self.rates, self.joint_rates
        return described(self.tree, rows[robots], rest)

    @cached_property
    def hosts(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each body of the model: its index in the kernels' order, as an array of one, and its `to_internal`."""
        places = [self.order[i : i + 1] for i in range(len(self.order))]
        return list(zip(places, self.to_internal, strict=True))

    def scratch(self, lanes: int, more: int = 0) -> np.ndarray:
        """Scratch memory for one scalar kind, with room for `more` scalars of output."""
        return aligned((self.slots + more) * lanes)

    def with_gravity(self, gravity: np.ndarray) -> np.ndarray:
        """`par` under an acceleration of gravity (3,), inertial axes."""
        if self.rows is None:
            par = self.par.copy()  # not aligned: that takes longer than one robot gains by it
            par[-3:] = gravity
            return par
        for known, weighed in tuple(self.weighed):  # that of many robots is large: the last one is kept
            if np.array_equal(known, gravity):
                return weighed
        rows = self.rows.copy()
        rows[:, -3:] = gravity
        par = in_packs(rows)
        self.weighed[:] = [(np.array(gravity), par)]
        return par

    def with_given(self, given: np.ndarray) -> np.ndarray:
        """`tree` with the rates marked (nv,) whose accelerations are given."""
        tree = aligned_copy(self.tree)
        start = tree[k.RATE_AT]
        tree[start : start + self.rates * k.RATE_INTS].reshape(-1, k.RATE_INTS)[:, k.RATE_GIVEN] = given
        return tree


def in_packs(rows: np.ndarray) -> np.ndarray:
    """Rows (robots, numbers) laid out pack by pack, LANES neighbours for each number; the last robot is repeated.

    >>> in_packs(np.arange(6.0).reshape(2, 3)).size == 3 * max(2, LANES)
    True
    """
    lanes = 1 if config.DISABLE_JIT else LANES
    packs = -(-len(rows) // lanes)
    filled = rows[np.minimum(np.arange(packs * lanes), len(rows) - 1)]
    out = aligned(filled.size).reshape(packs, -1)
    out[:] = filled.reshape(packs, lanes, -1).transpose(0, 2, 1).reshape(packs, -1)
    return out


def described(tree: np.ndarray, rows: np.ndarray, rest: tuple[Any, ...]) -> Flat:
    """The arrays of robots whose parameters are rows (robots, numbers): of one, or of several that differ."""
    if len(rows) == 1:
        return Flat(tree, aligned_copy(rows[0]), *rest)
    made = Flat(tree, in_packs(rows), *rest)
    return replace(made, rows=rows)


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


def flatten(model: "Model", opened: Collection[int] | None = None) -> Flat:
    """Lay a model out for the kernels.

    `opened` is for tests: the bodies that open a segment (reference_points.py), instead of those that are far.
    """
    sequence = _parents_first(model.parents)
    opens = choose_segments(model, sequence) if opened is None else opened
    place = np.empty(len(sequence), dtype=np.int64)
    place[sequence] = np.arange(len(sequence))
    turns = np.array([np.eye(3)] + [z_onto(j.axis) if j.kind_record.takes_axis else np.eye(3) for j in model.joints])
    to_internal = np.ascontiguousarray(turns.transpose(0, 2, 1))
    com = model.bodies[0].com
    offset = np.zeros((*com.shape[:-1], len(sequence), 3))
    offset[..., 0, :] = -com  # the kernels' base frame is at its centre of mass

    starts_q = 7 + np.cumsum([0] + [j.nq for j in model.joints])
    starts_v = model.base_dof + np.cumsum([0] + [j.nv for j in model.joints])
    last_rate = np.full(len(sequence), -1)
    segments: list[int] = []  # their records
    records: list[list[int]] = []
    rate_records = np.full((model.nv, k.RATE_INTS), -1)
    angles: list[int] = []
    for i, body_index in enumerate(sequence):
        segment = opening = 0
        if body_index == 0:
            fields = {k.PARENT: -1, k.KIND: k.FIXED, k.RATE_COUNT: model.base_dof}
            count, first, above = model.base_dof, 0, -1
        else:
            joint, parent = model.joints[body_index - 1], model.parents[body_index]
            first, count = int(starts_v[body_index - 1]), joint.nv
            start_q = int(starts_q[body_index - 1])
            fields = {k.PARENT: int(place[parent]), k.KIND: joint.kind_record.number, k.COORDINATE: start_q}
            fields |= {k.RATE: first, k.RATE_COUNT: count, k.ANGLE: len(angles)}
            angles += [start_q + a for a in joint.kind_record.angles]  # kernels make their sines and cosines beforehand
            above = int(last_rate[place[parent]])
            segment = records[fields[k.PARENT]][k.SEGMENT]
            if body_index in opens:
                opening = _opening(joint)
                segments += [segment, above, 0]  # SEGMENT_PARENT, SEGMENT_RATE, SEGMENT_RESTS
                segment = len(segments) // k.SEGMENT_INTS
        for rate in range(first, first + count):
            rate_records[rate] = (i, above, 0, segment)
            above = rate
        last_rate[i] = above
        fields |= {k.LAST_RATE: above, k.SEGMENT: segment, k.OPENS: opening}
        records.append([fields.get(at, 0) for at in range(k.BODY_INTS)])

    for i, record in reversed(list(enumerate(records))[1:]):  # in the order in which children hand on to their parents
        carrier = records[record[k.PARENT]]
        by_memory = record[k.PARENT] != i - 1 or record[k.OPENS] > 0
        record[k.FLAGS] |= 0 if carrier[k.FLAGS] & k.HAS_CHILDREN else k.IS_LAST_CHILD
        record[k.FLAGS] |= k.BY_MEMORY if by_memory else 0
        carrier[k.FLAGS] |= k.HAS_CHILDREN | (k.FROM_MEMORY if by_memory else k.FROM_NEXT)
    endpoints = [model.body_index(e.body) for e in model.endpoints]
    par, passive = _parameters(model, sequence, to_internal, offset, endpoints)
    every = par.reshape(-1, par.shape[-1])
    felt = _describe(model, sequence, records, every)
    header = _header(model, len(sequence), len(angles), len(segments) // k.SEGMENT_INTS)
    if felt.size:  # before the acceleration of gravity, which is last
        header[k.PAR_FELT] = header[k.PAR_GRAVITY]
        header[k.PAR_GRAVITY] += felt.shape[1]
        every = np.concatenate([every[:, :-3], felt, every[:, -3:]], axis=1)
    frames = _alike_frames(records, every, int(header[k.SEGMENT_AT]) + len(segments))
    ints = [header, np.ravel(records), rate_records.ravel(), angles, place[endpoints] if endpoints else []]
    ints += [segments, frames]
    parts = [np.asarray(a, dtype=np.int64) for a in ints]
    tree = aligned_copy(np.concatenate(parts))
    rest = int(header[k.W_OUT]), place, to_internal, offset.reshape(-1, len(sequence), 3), passive
    return described(tree, every, (*rest, model.nv, model.nv - model.base_dof))


def _describe(model: "Model", sequence: list[int], records: list[list[int]], par: np.ndarray) -> np.ndarray:
    """Frames, axes of inertia and wheels into the bodies' records; bodies as elimination takes them (robots, numbers).

    The latter have no numbers without wheels: elimination takes all bodies as they are.
    """
    bodies = par[:, : len(sequence) * k.BODY_PARS].reshape(-1, len(sequence), k.BODY_PARS)
    for i, record in enumerate(records):
        frame, *swap = _frame(bodies[:, i, k.P_ROTATION : k.P_ROTATION + 9].reshape(-1, 3, 3))
        first, second = along_axes(bodies[:, i, k.P_INERTIA : k.P_LEAST].reshape(-1, 2, 3))
        record[k.FLAGS] |= frame | (k.ALONG_AXES if first >= 0 else 0)
        record[k.SWAP_AXES : k.SECOND_AXIS + 1] = *swap, first, second
    wheels = [i for i, record in enumerate(records) if _spins(model, sequence[i], record)]
    for i in wheels:
        for record in (records[i], records[records[i][k.PARENT]]):  # their two records may differ in axes
            record[k.FLAGS] &= ~k.ALONG_AXES
        records[i][k.FLAGS] |= k.IS_WHEEL
    felt = felt_records(bodies, [record[k.PARENT] for record in records], wheels)
    return felt.reshape(len(felt), -1) if wheels else np.empty((len(felt), 0))


def _parameters(
    model: "Model", sequence: list[int], to_internal: np.ndarray, offset: np.ndarray, endpoints: list[int]
) -> tuple[np.ndarray, bool]:
    """`par` of the robot, or (*shape, numbers) of the robots of a fleet; whether some joint has forces of its own."""
    pars = np.zeros((*model.shape, len(sequence), k.BODY_PARS))
    for i, b in enumerate(sequence):
        body, turn, row = model.bodies[b], to_internal[b], pars[..., i, :]
        row[..., k.P_COM : k.P_COM + 3] = offset[..., b, :] + _turned(turn, body.com)
        row[..., k.P_MASS] = body.mass
        row[..., k.P_INERTIA : k.P_LEAST + 1] = principal(turn @ body.inertia @ turn.T)
        row[..., k.P_ROTATION : k.P_ROTATION + 9] = np.eye(3).ravel()
        if b > 0:
            joint, parent = model.joints[b - 1], model.parents[b]
            rotation = rounded_off(to_internal[parent] @ joint.rotation @ turn.T)
            row[..., k.P_ROTATION : k.P_ROTATION + 9] = rotation.reshape(*rotation.shape[:-2], 9)
            row[..., k.P_POSITION : k.P_POSITION + 3] = offset[..., parent, :] + _turned(
                to_internal[parent], joint.position
            )
            row[..., k.P_PITCH] = joint.pitch
    rotors, rates = np.zeros((*model.shape, model.nv)), np.zeros((*model.shape, model.nv, k.RATE_PARS))
    for i, joint in enumerate(model.joints):
        rotors[..., model.u_slice(i)] = joint.gear**2 * joint.rotor_inertia
        fields = [joint.stiffness, joint.damping, joint.friction, joint.friction_speed]
        fields += [joint.lower, joint.upper, joint.stop_stiffness, joint.stop_damping]
        for column, values in enumerate(fields):
            rates[..., model.u_slice(i), column] = values
    passive = bool(np.any(rates[..., [k.P_STIFFNESS, k.P_DAMPING, k.P_FRICTION, k.P_STOP, k.P_STOP_DAMPING]]))
    points = np.zeros((*model.shape, len(endpoints), k.ENDPOINT_PARS))
    for e, (b, endpoint) in enumerate(zip(endpoints, model.endpoints, strict=True)):
        rotation = to_internal[b] @ endpoint.rotation
        points[..., e, :3] = offset[..., b, :] + _turned(to_internal[b], endpoint.position)
        points[..., e, 3:] = rotation.reshape(*rotation.shape[:-2], 9)
    parts = [pars.reshape(*model.shape, -1), rotors, rates.reshape(*model.shape, -1)]
    parts += [*(joint.rest for joint in model.joints), points.reshape(*model.shape, -1), np.zeros(3)]
    return np.concatenate([np.broadcast_to(a, (*model.shape, a.shape[-1])) for a in parts], axis=-1), passive


def _frame(rotations: np.ndarray) -> list[int]:
    """The flag of a joint's frame, and SWAP_AXES, SWAP_SIGNS, from its rotations (robots, 3, 3)."""
    first = rotations[0]
    if (rotations != first).any() or (np.abs(first) == 1.0).sum() != 3:
        return [k.TURNED, 0, 0]
    axes = np.abs(first).argmax(axis=0)
    signs = first[axes, [0, 1, 2]].astype(int) + 1
    flag = 0 if (first == np.eye(3)).all() else k.SWAPPED
    return [flag, *(int(sum(digits << k.SWAP_BITS * np.arange(3))) for digits in (axes, signs))]


def _alike_frames(records: list[list[int]], par: np.ndarray, at: int) -> np.ndarray:
    """Rotations of joints that no axes spell, each the same in all robots of a fleet; FRAME_AT of their bodies.

    They go to `tree`, as the bits of integers, from `at` on.
    """
    frames: list[np.ndarray] = []
    for i, record in enumerate(records if len(par) > 1 else []):
        each = par[:, i * k.BODY_PARS + k.P_ROTATION :][:, :9]
        if record[k.FLAGS] & k.TURNED and (each == each[0]).all():
            record[k.FRAME_AT] = at + 9 * len(frames)
            frames.append(each[0])
    return np.array(frames).ravel().view(np.int64)


def _spins(model: "Model", body: int, record: list[int]) -> bool:
    """Whether a body is a wheel that carries nothing."""
    if body == 0 or record[k.FLAGS] & k.HAS_CHILDREN or record[k.OPENS]:
        return False
    return is_wheel(model.joints[body - 1], model.bodies[body])


def _turned(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return (turn @ vector[..., None])[..., 0]


def _opening(joint: Joint) -> int:
    """The kind of reference point of the segment that a joint's child opens."""
    if not joint.kind_record.moves_freely:
        return k.AT_JOINT
    return k.AT_COM if np.any(joint.gear * joint.rotor_inertia) else k.LOOSE


def _header(model: "Model", bodies: int, angles: int, segments: int) -> np.ndarray:
    header = np.zeros(k.HEADER, dtype=np.int64)
    endpoints = len(model.endpoints)
    header[k.BODIES], header[k.RATES], header[k.COORDINATES] = bodies, model.nv, 7 + model.nq
    header[k.BASE], header[k.BASE_RATES] = _BASES[model.base_kind], model.base_dof
    header[k.ANGLES], header[k.ENDPOINTS], header[k.SEGMENTS] = angles, endpoints, segments
    sizes = [bodies * k.BODY_INTS, model.nv * k.RATE_INTS, angles, endpoints]
    places = [k.BODY_AT, k.RATE_AT, k.ANGLE_AT, k.ENDPOINT_AT, k.SEGMENT_AT]
    header[places] = k.HEADER + np.cumsum([0, *sizes])
    sizes = [bodies * k.BODY_PARS, model.nv, model.nv * k.RATE_PARS, model.nq, endpoints * k.ENDPOINT_PARS]
    header[[k.PAR_ROTOR, k.PAR_RATE, k.PAR_REST, k.PAR_ENDPOINT, k.PAR_GRAVITY]] = np.cumsum(sizes)
    room = -(-angles // LANES) * LANES  # kernels for one robot take a pack of angles at a time
    sizes = [model.nv * k.RATE_WORK, bodies * k.BODY_WORK, 7 + model.nq, model.nv, 6 * (endpoints + 1), room, room]
    sizes += [model.nv * k.PASSIVE_WORK, segments * k.SEGMENT_WORK]
    places = [k.W_RATE, k.W_BODY, k.W_X, k.W_U, k.W_WRENCH, k.W_SINE, k.W_COSINE, k.W_PASSIVE, k.W_SEGMENT, k.W_OUT]
    header[places] = np.cumsum([0, *sizes])
    return header
