"""Contact between shapes that bodies carry, and of these with surfaces: all that may touch, in one element."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..contact.materials import read_material
from ..errors import InputError, RunWarning, warn_user
from ..kernels.elements.kind import Kind
from ..kernels.elements.pair_contact import pair_contact
from ..kernels.elements.pair_touching import pair_touching
from ..model.model import Model, robot_of
from ..model.state import State
from ..signatures import checked_fields
from .contact import check_no_adhesion, has_bristles, mass_of
from .element import Account, Block, Element, Numbers, WrenchPoint
from .shape_gaps import Nearest, nearest_pairs
from .shape_numbers import (
    all_materials,
    bristle_states,
    guards_of,
    has_one_point,
    kept_sizes,
    material_between,
    numbers_of,
    places_of,
    room_of_list,
    stepped_numbers,
)
from .shape_pairs import (
    MOST_LISTED,
    Found,
    find_pairs,
    names_of,
    read_found,
    read_materials,
    read_pairs,
    read_rounding,
    read_surfaces,
)

Array = np.ndarray
_HARD = 1e5
"""Acceleration at the start that looks like a mistake [m/s^2]."""
_NEARLY = 0.5  # of the deepest allowed penetration: a failure note reports pairs beyond it
_JUMPS = (
    "forces of faces and edges jump where they come to lie within 0.02 rad of each other, and hold steps there if both "
    "sides lead back: take a softer material, or TimeStepping, which takes contact as rigid"
)


@checked_fields("material", "materials", "surfaces", "pairs", "exclude", "rounding", "found")
@dataclass(frozen=True, eq=False)
class ShapeContact(Element):
    """Shapes of bodies that touch each other, and surfaces of the inertial frame.

    Shapes are the collision geometry of the model, or where a body has none, the solids that it is made of: spheres,
    capsules, boxes, cylinders, discs, cones, ellipsoids, convex hulls of meshes. All pairs may touch but those of one
    body and of bodies joined by a joint. A shape is all points within a radius of a core; it may go in as deep as the
    radii of both, deeper ends the run with an error. Forces are those of `Contact`, at the closest points, or where
    faces or edges lie on each other, at corners of what they have in common; corners within a tenth of both radii share
    the force of one, and all have that of four at most. Friction by bristles belongs to the pair: it truly sticks, also
    against turning about the normal, whatever points come and go.

    Parameters
    ----------
    material : ContactMaterial
        Of all pairs but those that `materials` names.
    materials : {(str, str): ContactMaterial}
        Of pairs of bodies, or of a body and a surface, by name.
    surfaces : surface, sequence of surfaces, or {name: surface}
        What stands in the inertial frame: `sd.Plane()`, …; without names they are called by their kinds.
    pairs : sequence of (str, str), optional
        Bodies or surfaces that may touch, neighbours or not; all but neighbours if left out.
    exclude : sequence of (str, str)
        Those that may not.
    rounding : float or {body: float}
        Radius of the edges of boxes, cylinders, cones and meshes [m]; faces stay where they are.
    guarded : bool
        Whether adaptive steps end where a pair touches, lets go, sticks or slips.
    name : str
        For laws and the record.
    found : optional
        Leave it out: what a simulation has found in its model, for files.

    Notes
    -----
    Up to 300 pairs are listed, each with channels `gap` [m], `normal_force` [N], `sliding_speed` [m/s] and
    `contact_point` (three) [m], inertial frame, in the order of `pair_names`; the gap of a pair that is farther apart
    than its bounding balls is that of the balls. States: `bristle` of each pair that sticks. Of more pairs, near ones
    are found by cells, so that the work grows with the number of shapes; channels are `least_gap`, `normal_force` (of
    all) and `touching` (how many pairs), there are no guards, and friction cannot be by bristles (`sticks=False`);
    under `TimeStepping`, which takes contact as rigid, it sticks all the same.

    Examples
    --------
    Two balls of 1 kg that collide at 2 m/s part with the speed that Hunt and Crossley's law says.

    >>> import spacedyn as sd
    >>> b = sd.Builder("balls")
    >>> b.base("left", shapes=[sd.shapes.sphere(1.0, 0.1)])
    >>> b.link("right", "free", parent="left", position=(0.3, 0, 0), shapes=[sd.shapes.sphere(1.0, 0.1)])
    >>> balls, soft = b.build(), sd.ContactMaterial(1e6, dissipation=0.5)
    >>> start = balls.state(base_velocity=[1.0, 0, 0], qd={"right": [-2.0, 0, 0, 0, 0, 0]})
    >>> run = sd.simulate(balls, start, 0.2, elements=[sd.ShapeContact(soft)])
    >>> print(f"{run.final.qd[0]:.7f}, {2.0 * soft.restitution(2.0):.7f}")
    1.1872485, 1.1872485
    """

    material: Any = None
    materials: Any = ()
    surfaces: Any = ()
    pairs: Any = None
    exclude: Any = ()
    rounding: Any = 1e-3
    guarded: bool = True
    name: str = "contact"
    found: Any = None

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.DISSIPATED, Account.WORK)
    kernel: ClassVar[Kind] = pair_contact
    is_stepped: ClassVar[bool] = False  # whether the method computes impulses in place of this element's forces

    def __post_init__(self) -> None:
        what = "ShapeContact"
        if self.material is None:
            raise InputError(f"{what}: give a material, such as ContactMaterial(stiffness=1e5, dissipation=0.5)")
        surfaces = read_surfaces(f"{what}: surfaces", self.surfaces)
        settings = {
            "material": read_material(f"{what}: material", self.material),
            "materials": read_materials(f"{what}: materials", self.materials),
            "surfaces": surfaces,
            "pairs": None if self.pairs is None else read_pairs(f"{what}: pairs", self.pairs),
            "exclude": read_pairs(f"{what}: exclude", self.exclude),
            "rounding": read_rounding(f"{what}: rounding", self.rounding),
            "found": None if self.found is None else read_found(f"{what}: found", self.found, len(surfaces)),
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)

    @property
    def _by_cells(self) -> bool:
        return self.found is not None and self.found.pairs is None

    def _check_friction(self) -> None:
        """Raise if friction is by bristles though pairs are found by cells."""
        if self._by_cells and any(has_bristles(m) for m in all_materials(self)):
            raise InputError(
                f"ShapeContact '{self.name}': more than {MOST_LISTED} pairs may touch, and friction by bristles needs "
                "states of each; take materials with sticks=False, name the pairs that may touch by pairs=…, or take "
                "TimeStepping(step), which needs none"
            )

    def for_model(self, model: Model) -> "ShapeContact":
        """A copy with the shapes and pairs of a model."""
        if self.found is not None:
            return self
        return replace(self, found=find_pairs(f"ShapeContact '{self.name}'", model, self))

    def under(self, stepping: bool) -> "ShapeContact":
        """The element as a method takes it: with forces, or for a method that steps through contact, with impulses."""
        if not stepping:
            self._check_friction()
        if stepping == self.is_stepped:
            return self
        made = replace(self)
        if stepping:
            for m in all_materials(self):
                check_no_adhesion(f"ShapeContact '{self.name}'", m)
            stepped = {"is_stepped": True, "kernel": pair_touching, "pushes_bodies": False, "guards": 0}
            for name, value in stepped.items():
                object.__setattr__(made, name, value)
        return made

    @property
    def touches(self) -> int:
        """Points of its pairs, for a method that steps through contact; of near ones, where cells find them."""
        return places_of(self.here, self) if self.is_stepped else 0

    @property
    def finds_touches(self) -> bool:
        """Whether places are those of near pairs."""
        return self.is_stepped and self._by_cells

    @property
    def here(self) -> Found:
        """The shapes and pairs found in its model; raise if there is no model yet."""
        if self.found is None:
            raise InputError(f"ShapeContact '{self.name}' belongs to no model yet: element.for_model(model)")
        made: Found = self.found
        return made

    @cached_property
    def pair_names(self) -> tuple[tuple[str, str], ...]:
        """Bodies, or a body and a surface, of each listed pair, in the order of the channels."""
        names = names_of(self.here.pieces, self)
        return tuple((names[i], names[j]) for i, j in self.here.pairs or ())

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        """Names of pairs, numbered where bodies have several shapes."""
        made: list[str] = []
        for a, b in self.pair_names:
            label, count = f"{a} - {b}", 1
            while label in made:
                count += 1
                label = f"{a} - {b} ({count})"
            made.append(label)
        return tuple(made)

    @cached_property
    def _sticking(self) -> int:
        return sum(has_bristles(material_between(self, a, b)) for a, b in self.pair_names)

    @property
    def weighs(self) -> bool:  # type: ignore[override]
        """Whether the damping of bristles is chosen from masses of bodies."""
        return not self.is_stepped and any(has_bristles(m) and m.bristle_time is None for m in all_materials(self))

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Bristles of pairs that stick."""
        if self.found is None or self.is_stepped or not self._sticking:
            return ()
        return (Block("bristle", bristle_states(self.here) * self._sticking, "m, or rad of twists"),)

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Channels of each pair, or of all pairs together."""
        if self.found is None:
            return ()
        if self.here.pairs is None:
            return Block("least_gap", 1, "m"), Block("normal_force", 1, "N"), Block("touching", 1)
        n, labels = len(self.here.pairs), self._labels if len(self.here.pairs) > 1 else ()
        names = ("gap", "m"), ("normal_force", "N"), ("sliding_speed", "m/s")
        return (*(Block(name, n, unit, labels) for name, unit in names), Block("contact_point", 3 * n, "m"))

    @cached_property
    def guards(self) -> int:
        """Of a pair with one point those of `Contact`, of others whether it touches."""
        if self.found is None or self.here.pairs is None or not self.guarded:
            return 0
        names = zip(self.here.pairs, self.pair_names, strict=True)
        return sum(guards_of(self.here, pair, material_between(self, a, b)) for pair, (a, b) in names)

    @cached_property
    def kept(self) -> int:  # type: ignore[override]
        """Scratch memory, and lists of near pairs."""
        return sum(kept_sizes(self.here))

    def numbers(self, model: Model) -> Numbers:
        """Tables of shapes, surfaces, pairs and laws."""
        bound = self.for_model(model)
        made = numbers_of(model, bound.here, bound)
        return stepped_numbers(made, bound.here, bound) if self.is_stepped else made

    def nearest(self, state: State) -> list[Nearest]:
        """For each state, the near pair with the least gap; no names if no pair is near."""
        return nearest_pairs(self.here, self, state)

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if shapes start too deep in each other; warn if contact forces would eject them."""
        model = robot_of(state.model, 0)
        for row, one in enumerate(self.nearest(state.flattened())):
            if one.pair is None:
                continue
            who = f"ShapeContact '{self.name}': '{one.pair[0]}' and '{one.pair[1]}'"
            who += f", robot {row}," if state.shape else ""
            if not one.gap >= -one.deepest:
                raise InputError(
                    f"{who} start deeper in each other than the {one.deepest:.3g} m that they may; move them apart, "
                    "leave the pair out by exclude=…, or give edges a larger radius by rounding=…"
                )
            m = material_between(self, *one.pair)
            force = m.stiffness * max(-one.gap, 0.0) ** m.exponent
            if force > _HARD * mass_of(model) and not self.is_stepped:
                warn_user(
                    f"{who} start {-one.gap:.3g} m deep in each other, which pushes them apart with {force:.3g} N; "
                    "move them apart, or take a softer material",
                    RunWarning,
                )

    def failure_note(self, state: State) -> str:
        """Which pair was deepest, and how deep it may be; how many may be near."""
        found = [one for one in self.nearest(state.flattened()) if one.pair is not None and not one.gap > 1e-9]
        worst = min(found, key=lambda one: one.gap, default=None)
        if self._by_cells and (worst is None or self.is_stepped):
            return (self._depth_note(worst) + "." if self.is_stepped and worst else "") + self._room_note(state)
        return "" if worst is None else self._depth_note(worst)

    def _room_note(self, state: State) -> str:
        """How many pairs may be near."""
        room = f"{room_of_list(self.here)} pairs" + (f" and {self.touches} places" if self.is_stepped else "")
        return (
            f" ShapeContact '{self.name}' has room for {room} that are near: if there are more, name those that "
            "may touch by pairs=…, or leave some out by exclude=…"
            + ("; robots of a batch share it, so simulate them one by one" if state.shape else "")
        )

    def _depth_note(self, worst: Nearest) -> str:
        """Note on a pair that was too deep, or whose forces jump."""
        a, b = worst.pair or ("", "")
        if self.is_stepped:
            return (
                f" ShapeContact '{self.name}': '{a}' and '{b}' touched then; {worst.deepest:.3g} m is the most that "
                "they may be deep in each other, and what comes deeper within a step ends the run: take a shorter "
                "step, a larger rounding, or more sweeps, if run.audit().contact says that they ended too soon"
            )
        if worst.gap > -_NEARLY * worst.deepest:
            return f" ShapeContact '{self.name}': '{a}' and '{b}' touched then; {_JUMPS}"
        return (
            f" ShapeContact '{self.name}': '{a}' and '{b}' were {max(-worst.gap, 0.0):.3g} m deep in each other then, "
            f"and {worst.deepest:.3g} m is the most: take a stiffer material, or a larger rounding"
        )

    @property
    def slowness_note(self) -> str:
        """Faces whose forces jump."""
        faces = any(not has_one_point(self.here, i, j) and j < len(self.here.pieces) for i, j in self.here.pairs or ())
        return f"a law may jump, or motion be very fast; or of ShapeContact '{self.name}' {_JUMPS}" if faces else ""

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """Centres of shapes, about which what acts on each is recorded."""
        return tuple(WrenchPoint(one.body, np.asarray(one.position)) for one in self.here.pieces[: self.here.moving])

    def fastest_rate(self, model: Model) -> float:
        """Rate of oscillation of the lightest touching body at a depth of 0.1 mm [1/s]."""
        if self.is_stepped:
            return 0.0
        masses = [model.bodies[model.body_index(one.body)].mass for one in self.here.pieces[: self.here.moving]]
        lightest = min([mass for mass in masses if mass > 0.0], default=np.inf)
        rates = [m.exponent * m.stiffness * 1e-4 ** (m.exponent - 1.0) / lightest for m in all_materials(self)]
        return float(np.sqrt(max(rates)))
