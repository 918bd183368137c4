"""Flexible beams and panels as chains of rigid segments: `Builder.flexible_beam`, `Builder.flexible_panel`.

A beam of length L along x is cut into N segments of length l = L / N. The half segments on both sides of a joint bend
together, so a joint between segments has the compliance l / EI, and the joint at the root, with one half alone,
l / (2 EI): its stiffness is 2 EI / l, and frequencies converge with order 2. Twist (GJ) and stretch (EA) are alike. A
hinge at a joint adds its own compliance. Large turns, and the stiffening of a beam that spins, come by themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .parts import Body
from .shapes import box
from .values import frozen, numbers, plain, shown

Array = np.ndarray

MAX_SEGMENTS = 1000
SMALLEST, LARGEST = 1e-30, 1e30
"""Of all sizes and stiffnesses: products of some of them must be numbers."""
STRETCH, ABOUT_Z, ABOUT_Y, TWIST = "stretch", "about z", "about y", "twist"
"""What a joint of a chain may do, in this order from the root to the tip."""
_AXES = {STRETCH: (1.0, 0.0, 0.0), ABOUT_Z: (0.0, 0.0, 1.0), ABOUT_Y: (0.0, 1.0, 0.0), TWIST: (1.0, 0.0, 0.0)}


class Link(NamedTuple):
    """A body and the joint that moves it, as `Builder.joint` takes it."""

    body: Body
    kind: str
    options: dict[str, Any]


@dataclass
class Chain:
    """A chain of equal segments along x.

    Attributes
    ----------
    name, length, count
        Of the bodies; of all segments [m]; number of segments.
    mass : float
        Per length [kg/m].
    section : (2,)
        Moments of inertia of the section about y and z, per length [kg m].
    stiffness : dict of (count,)
        Of each joint, for each thing that it may do [N m/rad, N/m]; infinite where it cannot.
    damping : dict of float
        Damper over spring [s], for each of them.
    rest : (count,)
        Angles about y at which its springs are slack [rad].
    size : (2,)
        Width and thickness of what is drawn [m].
    """

    name: str
    length: float
    count: int
    mass: float
    section: Array
    stiffness: dict[str, Array]
    size: tuple[float, float]
    damping: dict[str, float] = field(default_factory=dict)
    rest: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def step(self) -> float:
        """Length of a segment [m]."""
        return self.length / self.count

    def inertia(self, what: str) -> Array:
        """(count,) moment of a segment that resists a motion by turning [kg m²]; its mass comes on top of that."""
        l, (y, z) = self.step, self.section
        slender = self.mass * l**3 / 12.0
        about = {STRETCH: 0.0, ABOUT_Z: slender + z * l, ABOUT_Y: slender + y * l, TWIST: (y + z) * l}
        return np.full(self.count, about[what])

    def frequencies(self, what: str) -> Array:
        """Angular frequencies of one kind of motion [rad/s], the root clamped, the lowest first."""
        l, n = self.step, self.count
        carried = np.tril(np.ones((n, n)))  # segment i turns, or moves, with joints j <= i
        lever = {STRETCH: carried, TWIST: 0.0 * carried}.get(what)
        if lever is None:
            lever = carried * (np.arange(n)[:, None] + 0.5 - np.arange(n)[None, :]) * l
        M = self.mass * l * lever.T @ lever + carried.T @ (self.inertia(what)[:, None] * carried)
        soft = np.isfinite(self.stiffness[what])
        if not soft.any():
            return np.zeros(0)
        root = 1.0 / np.sqrt(self.stiffness[what][soft])
        flexibility = root[:, None] * M[np.ix_(soft, soft)] * root[None, :]
        return 1.0 / np.sqrt(np.linalg.eigvalsh(flexibility)[::-1])

    def damp(self, ratio: float) -> None:
        """Give the first mode of each kind of motion this damping ratio; those of others grow with frequency."""
        for what in self.stiffness:
            lowest = self.frequencies(what)
            if lowest.size:
                self.damping[what] = 2.0 * ratio / float(lowest[0])

    def links(self) -> Iterator[Link]:
        """Its bodies and joints from the root on."""
        l, turned = self.step, np.eye(3)  # beam <- the body that carries the next joint
        start = np.zeros(3)
        for i in range(self.count):
            name, (y, z) = f"{self.name}{i + 1}", self.section * l
            moves = [what for what in _AXES if what in self.stiffness and np.isfinite(self.stiffness[what][i])]
            for last, group in _grouped(moves):
                body, axes = f"{name}{'' if last else '_' + group[0].split()[0]}", _frame(group)
                kind, options = self._joint(i, group, turned.T @ start, turned.T @ axes)
                start, turned = np.zeros(3), axes
                if not last:
                    yield Link(Body(body, None, None, None, massless=True), kind, options)  # type: ignore[arg-type]
            m = self.mass * l
            moments = np.diag([y + z, m * l * l / 12.0 + y, m * l * l / 12.0 + z])
            middle = turned.T @ np.array([0.5 * l, 0.0, 0.0])
            drawn = box(0.0, (l, *self.size), middle, turned.T)
            yield Link(Body(name, m, middle, turned.T @ moments @ turned, (drawn,)), kind, options)
            start = np.array([l, 0.0, 0.0])

    @property
    def tip(self) -> tuple[Array, Array]:
        """Position (3,) and rotation (3, 3) of the far end, with the beam's axes, in the frame of the last body."""
        moves = [what for what in _AXES if what in self.stiffness and np.isfinite(self.stiffness[what][-1])]
        turned = _frame(_grouped(moves)[-1][1])
        return turned.T @ np.array([self.step, 0.0, 0.0]), turned.T

    def _joint(self, i: int, group: list[str], position: Array, rotation: Array) -> tuple[str, dict[str, Any]]:
        """Kind and options of a joint that does what a group says."""
        options: dict[str, Any] = {"position": position, "rotation": rotation}
        if not group:
            return "fixed", options
        springs = [float(self.stiffness[what][i]) for what in group]
        dampers = [k * self.damping.get(what, 0.0) for k, what in zip(springs, group, strict=True)]
        slack = [float(self.rest[i]) if what == ABOUT_Y and self.rest.size else 0.0 for what in group]
        options |= {"stiffness": springs, "damping": dampers, "rest": slack}
        if len(group) == 2:
            return "universal", options
        options["axis"] = _AXES[group[0]]
        return ("prismatic" if group == [STRETCH] else "revolute"), options


def _grouped(moves: list[str]) -> list[tuple[bool, list[str]]]:
    """Motions of a joint, one or two turns at a time, as the kinds of joints have them; whether they are the last."""
    turns = [what for what in moves if what != STRETCH]
    groups = [[STRETCH]] if STRETCH in moves else []
    groups += [turns[:2], turns[2:]] if len(turns) == 3 else [turns] if turns or not groups else []
    return [(i == len(groups) - 1, group) for i, group in enumerate(groups)]


def _frame(group: list[str]) -> Array:
    """Axes of a joint's frame, as columns in the beam's: a universal joint turns about its z, then about its y."""
    if len(group) < 2 or group == [ABOUT_Z, ABOUT_Y]:
        return np.eye(3)
    first, second = (np.array(_AXES[what]) for what in group)
    return np.column_stack([np.cross(second, first), second, first])


# --- from what a person gives ----------------------------------------------------------------------------------------


def stiff(problems: list[str], where: str, given: Any, units: str) -> float:
    """A positive stiffness; infinite for None, where nothing gives way."""
    if given is None:
        return np.inf
    value = numbers(problems, where, given, (), infinite=True)
    if value is None:
        return np.inf
    if not value > 0.0:
        problems.append(f"{where} is {value:g} {units}; give a number above 0, or leave it out for what is rigid.")
        return np.inf
    if np.isfinite(value) and not SMALLEST <= value <= LARGEST:
        problems.append(f"{where} is {value:g} {units}; give one between {SMALLEST:g} and {LARGEST:g}.")
        return np.inf
    return float(value)


def positive(problems: list[str], where: str, given: Any, units: str) -> float:
    """A positive number; 1 if it is unusable, so that the rest can be looked at."""
    value = numbers(problems, where, given, ())
    if value is None:
        return 1.0
    if not value > 0.0:
        problems.append(f"{where} is {value:g} {units}; give a number above 0.")
        return 1.0
    if not SMALLEST <= value <= LARGEST:
        problems.append(f"{where} is {value:g} {units}; give one between {SMALLEST:g} and {LARGEST:g}.")
        return 1.0
    return float(value)


def counted(problems: list[str], where: str, given: Any) -> int:
    """A number of segments or panels."""
    if isinstance(given, bool | np.bool_) or not isinstance(given, int | np.integer) or not 1 <= given <= MAX_SEGMENTS:
        problems.append(f"{where} is {shown(given)}; give a whole number from 1 to {MAX_SEGMENTS}.")
        return 1
    return int(given)


def two(problems: list[str], where: str, given: Any) -> Array:
    """Two numbers that are not negative."""
    value = numbers(problems, where, given, (2,))
    if value is None:
        return np.zeros(2)
    if (value < 0.0).any() or (value > LARGEST).any():
        problems.append(f"{where} is {plain(value)}; give 0 or more for each, and {LARGEST:g} at most.")
        return np.zeros(2)
    return value


def bending(problems: list[str], where: str, given: Any) -> tuple[float, float]:
    """EI about y and about z: a number for both, or a pair; None or infinite where it is rigid."""
    if not isinstance(given, tuple | list) and not (isinstance(given, np.ndarray) and given.ndim):
        both = stiff(problems, where, given, "N m^2")
        return both, both
    parts = list(given)
    if len(parts) != 2:
        problems.append(f"{where} is {shown(given)}; give a number, or two: about y and about z [N m^2].")
        return 1.0, 1.0
    y, z = (stiff(problems, f"{where}[{i}]", part, "N m^2") for i, part in enumerate(parts))
    return y, z


def joint_stiffness(per_length: float, step: float, count: int) -> Array:
    """(count,) twice as stiff at the root, where half a segment gives way: 2 EI / l, then EI / l."""
    if not np.isfinite(per_length):
        return np.full(count, np.inf)
    found = np.full(count, per_length / step)
    found[0] *= 2.0
    return frozen(found)


def in_series(stiffness: Array, at: Array, hinge: float) -> Array:
    """Stiffness of joints with a hinge in some of them."""
    found = stiffness.copy()
    if np.isfinite(hinge):
        found[at] = 1.0 / (1.0 / stiffness[at] + 1.0 / hinge)
    return found


def set_damping(problems: list[str], where: str, chain: Chain, ratio: Any, over_stiffness: Any) -> None:
    """Damp a chain: by a ratio of its first modes, or in proportion to its springs."""
    if ratio is not None and over_stiffness is not None:
        problems.append(f"{where}: it has both damping_ratio and stiffness_damping; leave one of the two out.")
    elif ratio is not None:
        share = numbers(problems, f"{where}: damping_ratio", ratio, ())
        if share is not None and not 0.0 <= share <= 1.0:
            problems.append(f"{where}: damping_ratio is {share:g}; give 0 to 1, a share of critical damping.")
        elif share is not None:
            chain.damp(float(share))
    elif over_stiffness is not None:
        value = numbers(problems, f"{where}: stiffness_damping", over_stiffness, ())
        if value is not None and value < 0.0:
            problems.append(f"{where}: stiffness_damping is {value:g} s; give 0 or more.")
        elif value is not None:
            chain.damping = dict.fromkeys(chain.stiffness, float(value))


def beam(problems: list[str], name: Any, options: dict[str, Any]) -> Chain:
    """A beam from what `Builder.flexible_beam` was given."""
    where = f"flexible beam {shown(name)}"
    length = positive(problems, f"{where}: length", options["length"], "m")
    mass = positive(problems, f"{where}: mass_per_length", options["mass_per_length"], "kg/m")
    n = counted(problems, f"{where}: segments", options["segments"])
    EIy, EIz = bending(problems, f"{where}: EI", options["EI"])
    GJ = stiff(problems, f"{where}: GJ", options["GJ"], "N m^2")
    EA = stiff(problems, f"{where}: EA", options["EA"], "N")
    section = two(problems, f"{where}: section_inertia", options["section_inertia"])
    if np.isfinite(GJ) and not section.any():
        problems.append(
            f"{where}: it twists (GJ), yet nothing resists that: give section_inertia, the moments of inertia of its "
            "section about y and z per length [kg m], for a tube of radius r half of mass_per_length r^2 each."
        )
        section = np.ones(2)
    given = {ABOUT_Z: EIz, ABOUT_Y: EIy, TWIST: GJ, STRETCH: EA}
    if not np.isfinite(list(given.values())).any():
        problems.append(f"{where}: it is rigid in every direction; give EI, GJ or EA, or make it a body.")
    stiffness = {what: joint_stiffness(value, length / n, n) for what, value in given.items()}
    side = 0.02 * length
    chain = Chain(name, length, n, mass, section, stiffness, (side, side))
    set_damping(problems, where, chain, options["damping_ratio"], options["stiffness_damping"])
    return chain


def panel(problems: list[str], name: Any, options: dict[str, Any]) -> Chain:
    """A row of panels from what `Builder.flexible_panel` was given."""
    where = f"flexible panel {shown(name)}"
    length = positive(problems, f"{where}: length", options["length"], "m")
    width = positive(problems, f"{where}: width", options["width"], "m")
    mass = positive(problems, f"{where}: mass", options["mass"], "kg")
    thick = two(problems, f"{where}: thickness", (options["thickness"], 0.0))[0]
    rows = counted(problems, f"{where}: panels", options["panels"])
    n = counted(problems, f"{where}: segments", options["segments"])
    EI = stiff(problems, f"{where}: EI", options["EI"], "N m^2")
    GJ = stiff(problems, f"{where}: GJ", options["GJ"], "N m^2")
    in_plane = stiff(problems, f"{where}: EI_in_plane", options["EI_in_plane"], "N m^2")
    hinge = stiff(problems, f"{where}: hinge_stiffness", options["hinge_stiffness"], "N m/rad")
    root = stiff(problems, f"{where}: root_stiffness", options["root_stiffness"], "N m/rad")
    angle = numbers(problems, f"{where}: hinge_angle", options["hinge_angle"], ())
    if not np.isfinite([EI, GJ, in_plane]).any() and n > 1:
        problems.append(f"{where}: its panels are rigid (no EI), yet of {n} segments; give segments=1.")
    if not np.isfinite([EI, GJ, in_plane, root, hinge if rows > 1 else np.inf]).any():
        problems.append(f"{where}: nothing of it gives way; give EI, GJ, root_stiffness or hinge_stiffness.")
    if rows * n > MAX_SEGMENTS:
        problems.append(f"{where}: it has {rows * n} segments; give {MAX_SEGMENTS} or fewer in all.")
        rows = n = 1
    count, step, per_length = rows * n, length / n, mass / length
    hinges = np.arange(n, count, n)
    about_y = in_series(in_series(joint_stiffness(EI, step, count), np.array([0]), root), hinges, hinge)
    stiffness = {ABOUT_Z: joint_stiffness(in_plane, step, count), ABOUT_Y: about_y}
    stiffness[TWIST] = joint_stiffness(GJ, step, count)
    section = per_length * np.array([thick**2, width**2]) / 12.0
    chain = Chain(name, rows * length, count, per_length, section, stiffness, (width, max(thick, 0.005 * width)))
    chain.rest = np.zeros(count)
    chain.rest[hinges] = 0.0 if angle is None else angle
    set_damping(problems, where, chain, options["damping_ratio"], options["stiffness_damping"])
    return chain
