"""Guess shapes for bodies of which only mass, centre of mass and inertia are known.

A link leaves its joint along the joint's axis up to where its mass is, crosses over to the axis of the next joint and
arrives along that, as real arms do. Its inertia about its own length gives its thickness.
"""

import numpy as np

from ...model.joints import JointKind
from ...model.model import Model
from . import meshes as m
from .colors import ACCENT, BUS, BUS_PLATE, DARK, HAND, PANEL_FRAME

Array = np.ndarray


class Sizes:
    """Lengths and thicknesses of a robot's bodies.

    Attributes
    ----------
    typical : float
        Length of a typical link [m].
    radius : (bodies,)
        Of each body if it is drawn as a link [m].
    """

    def __init__(self, model: Model):
        self._model = model
        self._ends = [self._ends_of(i) for i in range(len(model.bodies))]
        lengths = np.array([max((float(np.linalg.norm(p)) for p, _ in e), default=0.0) for e in self._ends])
        arms = lengths[1:][lengths[1:] > 1e-6]
        fallback = max((float(np.max(edges(b.mass, b.inertia))) for b in model.bodies if b.mass > 0), default=1.0)
        self.typical = float(np.median(arms)) if arms.size else (lengths[0] or fallback or 1.0)
        self.radius = np.array([self._radius(i, lengths[i]) for i in range(len(model.bodies))])

    def _ends_of(self, i: int) -> list[tuple[Array, Array | None]]:
        """Points at which a body ends: next joints with their axes, and endpoints, in its frame."""
        model, name = self._model, self._model.bodies[i].name
        ends: list[tuple[Array, Array | None]] = []
        for joint in model.joints:
            if joint.parent == name:
                ends.append((joint.position, joint.rotation @ joint.axis if joint.kind_record.takes_axis else None))
        ends += [(e.position, None) for e in model.endpoints if e.body == name]
        return ends

    def ends(self, i: int) -> list[tuple[Array, Array | None]]:
        """The ends that are apart from the body's own origin."""
        return [(p, axis) for p, axis in self._ends[i] if np.linalg.norm(p) > 1e-3 * self.typical]

    def _radius(self, i: int, length: float) -> float:
        body = self._model.bodies[i]
        guess = 0.06 * self.typical
        if body.mass > 0.0:
            guess = 0.85 * np.sqrt(2.0 * max(float(np.linalg.eigvalsh(body.inertia)[0]), 0.0) / body.mass)
        size = 0.5 * (self.typical + min(max(length, 0.2 * self.typical), 2.0 * self.typical))
        return float(np.clip(guess, 0.035 * size, 0.11 * size))

    def is_wheel(self, i: int) -> bool:
        """Whether a body spins about its own axis of symmetry and carries nothing."""
        body, joint = self._model.bodies[i], self._model.joints[i - 1]
        if joint.kind != "revolute" or self._ends[i] or body.mass <= 0.0:
            return False
        axis = joint.axis
        off = np.linalg.norm(np.cross(axis, body.com))
        along = float(axis @ body.inertia @ axis)
        across = (float(np.trace(body.inertia)) - along) / 2.0
        return bool(off < 0.05 * np.sqrt(max(along, 1e-12) / body.mass) and along > 1.05 * across)


def edges(mass: float, inertia: Array) -> Array:
    """Edges (3,) [m] of the box with these principal moments [kg m²]; ones that are impossible are made possible.

    >>> edges(12.0, np.diag([13.0, 10.0, 5.0])).round(9)
    array([1., 2., 3.])
    """
    moments = np.diag(inertia) if inertia.ndim == 2 else inertia
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    longest = max(float(squares.max()), 1e-12)
    return np.sqrt(np.maximum(squares, 0.01 * longest))


def bus(model: Model, sizes: Sizes) -> list[m.Mesh]:
    """A base: the box of its inertia, its faces moved to where joints are mounted, with a pedestal for each."""
    body = model.bodies[0]
    if body.mass <= 0.0:
        return [m.sphere(0.1 * sizes.typical).painted(BUS)]
    moments, axes = np.linalg.eigh(body.inertia)
    order = np.argmax(np.abs(axes), axis=0)
    if len(set(order.tolist())) == 3:  # axes of the box that are nearest to the body's, in its order
        back = np.argsort(order)
        moments, axes = moments[back], axes[:, back] * np.sign(np.diag(axes[:, back]))
    near = np.abs(np.diag(axes)).min() > np.cos(np.radians(15.0))
    axes = np.eye(3) if near else axes  # small products of inertia do not tilt a box
    half = edges(body.mass, moments if not near else np.diag(body.inertia)) / 2.0
    low, high = -half.copy(), half.copy()
    mounts = [axes.T @ (j.position - body.com) for j in model.joints if j.parent == body.name]
    for p in mounts:
        if np.all(np.abs(p) < half) and np.max(np.abs(p) / half) > 0.3:  # sunk into a face: that is where the face is
            k = int(np.argmax(np.abs(p) / half))
            (high if p[k] > 0 else low)[k] = p[k]
    size, center = high - low, (low + high) / 2.0
    parts = [m.box(size, 0.02 * float(size.min())).at(center).painted(BUS)]
    parts += [plate.at(center) for plate in plates(size)]
    for p in mounts:
        nearest = np.clip(p, low, high)
        inside = 0.5 * (nearest + center)
        if np.linalg.norm(p - nearest) > 1e-3 * sizes.typical:
            parts.append(m.rod(inside, p, 0.16 * sizes.typical, 0.10 * sizes.typical, caps=False).painted(PANEL_FRAME))
    return [part.at(np.zeros(3), axes).at(body.com) for part in parts]


def plates(size: Array) -> list[m.Mesh]:
    """Equipment panels on all faces of a bus."""
    found = []
    for k in range(3):
        plate = size - 0.14 * float(size.min())
        plate[k] = 1.004 * size[k]
        found.append(m.box(plate, 0.001 * float(size.max())).painted(BUS_PLATE))
    return found


def mounting(model: Model, sizes: Sizes) -> list[m.Mesh]:
    """A base that is fixed: a flange, and rods to its joints."""
    r = max(sizes.radius[0], 0.05 * sizes.typical)
    ends = [p for p, _ in sizes.ends(0)]
    axis = ends[0] / np.linalg.norm(ends[0]) if ends else np.array([0.0, 0.0, 1.0])
    turn = m.frame_along(axis)
    parts = [m.cylinder(2.2 * r, 0.5 * r, 0.1 * r).at(np.zeros(3), turn).painted(DARK)]
    return [*parts, *(part for p in ends for part in _rods([np.zeros(3), p], 1.1 * r, r, PANEL_FRAME))]


def link(model: Model, i: int, sizes: Sizes, color: m.Color) -> list[m.Mesh]:
    """Tapered rods from a body's joint to the joints and endpoints on it."""
    body, joint, r = model.bodies[i], model.joints[i - 1], float(sizes.radius[i])
    ends = sizes.ends(i)
    if not ends:  # of a link whose next joint is at its own, no more is drawn than fits between the others
        most = 4.0 * r if i in model.parents else np.inf
        return _lump(body.mass, body.com, body.inertia, r, color, most)
    axis = joint.axis if joint.kind_record.takes_axis else None
    parts = []
    grips = {tuple(p): long for p, _, long in _grips(model, i, r)}
    for end, next_axis in ends:
        path = _path(body.com, axis, end, next_axis)
        if tuple(end) in grips:  # the fingers take over
            last = end - path[-2]
            path[-1] = end - last / np.linalg.norm(last) * min(
                grips[tuple(end)] + 0.5 * r, 0.9 * float(np.linalg.norm(last))
            )
        parts += _rods(path, r, 0.8 * r, color)
        if axis is not None and (joint.kind_record.translations or joint.kind_record.takes_pitch):
            back = 0.6 * min(float(np.linalg.norm(end)), sizes.typical)
            parts.append(m.rod(-back * axis, np.zeros(3), 0.55 * r).painted(PANEL_FRAME))
    return parts


def _path(com: Array, axis: Array | None, end: Array, next_axis: Array | None) -> list[Array]:
    """From a body's origin to an end, along its joint's axis first and the next joint's last."""
    reach = float(np.linalg.norm(end))
    leaves = np.zeros(3) if axis is None else axis * np.clip(axis @ com, -reach, reach)
    arrives = end
    if next_axis is not None:  # the nearest point of the next axis
        arrives = end + next_axis * np.clip(next_axis @ (leaves - end), -0.6 * reach, 0.6 * reach)
    path = [np.zeros(3)]
    for point in (leaves, arrives, end):
        if np.linalg.norm(point - path[-1]) > 0.04 * reach:
            path.append(point)
    path[-1] = end
    return path if len(path) > 1 else [np.zeros(3), end]


def _rods(path: list[Array], first: float, last: float, color: m.Color) -> list[m.Mesh]:
    radii = np.linspace(first, last, len(path))
    pairs = zip(path[:-1], path[1:], radii[:-1], radii[1:], strict=True)
    return [m.rod(a, b, float(ra), float(rb)).painted(color) for a, b, ra, rb in pairs]


def _lump(mass: float, com: Array, inertia: Array, radius: float, color: m.Color, most: float) -> list[m.Mesh]:
    """A body without further joints: the box of its inertia, attached at its joint, with edges of at most `most`."""
    if mass <= 0.0:
        return []
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    size = np.clip(edges(mass, moments), 0.3 * radius, max(most, 0.3 * radius))
    if np.linalg.norm(com) > most:
        com = com * (most / np.linalg.norm(com))
    parts = [m.box(size, 0.06 * float(size.min())).at(com, axes).painted(color)]
    if np.linalg.norm(com) > radius:
        parts += _rods([np.zeros(3), com], 0.7 * radius, 0.5 * radius, PANEL_FRAME)
    return parts


def wheel(model: Model, i: int) -> list[m.Mesh]:
    """A body that spins about its own axis: a disc with a marked rim."""
    body, joint = model.bodies[i], model.joints[i - 1]
    along = float(joint.axis @ body.inertia @ joint.axis)
    radius = float(np.sqrt(2.0 * along / body.mass))
    turn, center = m.frame_along(joint.axis), joint.axis * float(joint.axis @ body.com)
    mark = m.box((0.25 * radius, 0.12 * radius, 0.42 * radius)).at(np.array([0.8 * radius, 0.0, 0.0]))
    parts = [m.cylinder(radius, 0.36 * radius, 0.04 * radius).painted(DARK), mark.painted(ACCENT)]
    parts.append(m.cylinder(0.3 * radius, 0.5 * radius, 0.03 * radius).painted(PANEL_FRAME))
    return [part.at(center, turn) for part in parts]


def joint_hub(kind: JointKind, axis: Array, radius: float) -> list[m.Mesh]:
    """The mesh of a joint, in the frame of the body that it moves."""
    if radius <= 0.0 or kind.nv == 0 or kind.moves_freely:
        return []
    if not kind.takes_axis and not kind.translations:
        return [m.sphere(1.5 * radius).painted(DARK)]
    turn = m.frame_along(axis)
    if not kind.rotations:
        return [m.box((2.9 * radius, 2.9 * radius, 2.4 * radius), 0.2 * radius).at(np.zeros(3), turn).painted(DARK)]
    if not kind.takes_axis:
        return [m.cylinder(2.6 * radius, 0.5 * radius, 0.1 * radius).painted(DARK)]
    drum = m.cylinder(1.45 * radius, 2.5 * radius, 0.15 * radius).painted(DARK)
    band = m.cylinder(1.5 * radius, 0.3 * radius).painted(ACCENT)
    return [drum.at(np.zeros(3), turn), band.at(np.zeros(3), turn)]


def _grips(model: Model, i: int, radius: float) -> list[tuple[Array, Array, float]]:
    """Endpoints of a body on which nothing else hangs: where, in which direction, and how long fingers are there."""
    body, found = model.bodies[i], []
    for endpoint in model.endpoints if i not in model.parents else ():
        if endpoint.body == body.name:
            axis = model.joints[i - 1].axis if model.joints[i - 1].kind_record.takes_axis else None
            ahead = endpoint.position - _path(body.com, axis, endpoint.position, None)[-2]
            reach = float(np.linalg.norm(ahead))
            if reach > 2.0 * radius:
                found.append((endpoint.position, ahead / reach, min(2.4 * radius, 0.6 * reach)))
    return found


def gripper(model: Model, i: int, sizes: Sizes) -> list[m.Mesh]:
    """Two fingers that end at an endpoint, if the body carries nothing else."""
    r, parts = float(sizes.radius[i]), []
    for place, ahead, long in _grips(model, i, r):
        turn = m.frame_along(ahead)
        parts.append(m.cylinder(1.25 * r, 0.7 * r, 0.1 * r).at(place - ahead * (long + 0.35 * r), turn))
        for side in (-1.0, 1.0):
            at = place - ahead * long / 2.0 + turn @ np.array([side * 0.85 * r, 0.0, 0.0])
            parts.append(m.box((0.45 * r, 0.9 * r, long), 0.08 * r).at(at, turn))
    return [part.painted(HAND) for part in parts]
