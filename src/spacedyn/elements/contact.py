"""Compliant contact of points of a body with a surface."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..contact.height_fields import SURFACES, read_surface
from ..contact.materials import ContactMaterial, read_material
from ..contact.surfaces import Plane, Surface
from ..contact.touching_points import TouchingPoints, given_points, points_of_shape, read_shape
from ..errors import InputError, ModelWarning, RunWarning, warn_user
from ..kernels.elements import contact_points as p
from ..kernels.elements.contact import contact
from ..kernels.elements.contact_touching import contact_touching
from ..kernels.elements.kind import Kind
from ..model.model import Model, robot_of
from ..model.state import State
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, WrenchPoint, point_of
from .surface_points import frame_of, gaps_of, joint_between, point_numbers, speeds_of, touching_numbers

Array = np.ndarray
_HARD = 1e5
"""Acceleration at the start that looks like a mistake [m/s^2]."""


def check_no_adhesion(what: str, m: ContactMaterial) -> None:
    """Raise if a material has adhesion, which a method that steps through contact cannot compute."""
    if m.adhesion > 0.0:
        raise InputError(
            f"{what}: TimeStepping does not know adhesion, which the material has: leave it out, or choose "
            "another method, such as DormandPrince8()"
        )


def has_friction(m: ContactMaterial) -> bool:
    """Whether a material has friction, kinetic or static."""
    return m.friction > 0.0 or (m.static_friction or 0.0) > 0.0


def has_bristles(m: ContactMaterial) -> bool:
    """Whether a material's friction is modelled by bristles."""
    return m.sticks and has_friction(m)


def guards_of_point(m: ContactMaterial) -> int:
    """Number of guards of a point: touch; further ones for damping that would pull, sticking, adhesion."""
    return 1 + (m.dissipation > 0.0 or m.damping > 0.0) + has_bristles(m) + (m.adhesion > 0.0)


def resists_turning(m: ContactMaterial) -> bool:
    """Whether a material resists rolling, or turning about the normal."""
    return m.rolling > 0.0 or m.torsion > 0.0


def law_choices(m: ContactMaterial, guarded: bool) -> tuple[int, ...]:
    """Integers of a contact law, from GUARDS to TURNS, by which kernels branch."""
    pulls = 2 if m.damping > 0.0 else 1 if m.dissipation > 0.0 else 0
    friction = p.BRISTLES if has_bristles(m) else p.REGULARISED if has_friction(m) else p.NONE
    adheres, turns = int(m.adhesion > 0.0), int(resists_turning(m))
    return guards_of_point(m), int(guarded), pulls, 1 + (pulls > 0), adheres, friction, turns


def law_numbers(m: ContactMaterial, mass: float) -> list[float]:
    """Numbers of a contact law, from STIFFNESS to RANGE; `mass` [kg] is the mass that bristles hold."""
    time = m.bristle_time if m.bristle_time is not None else float(np.sqrt(mass / m.bristles))
    static = m.friction if m.static_friction is None else m.static_friction
    normal = [m.stiffness, m.exponent, m.dissipation, m.damping]
    friction = [m.friction, static, m.stribeck_speed, m.bristles, m.bristles * time, m.slip_speed]
    return [*normal, *friction, m.rolling, m.torsion, m.turn_rate, m.adhesion, m.adhesion_range]


def mass_of(model: Model) -> float:
    """Total mass of a model [kg]."""
    return float(sum(body.mass for body in model.bodies))


@checked_fields("surface", "material", "shape")
@dataclass(frozen=True, eq=False)
class Contact(Element):
    """Points of a body that touch a surface: of the inertial frame, or of another body.

    The normal force is Hunt and Crossley's, N = k xⁿ (1 + a ẋ) at a depth x, and never pulls. Friction is by bristles
    that truly stick (or regularised); rolling and turning may be resisted, and surfaces may adhere: all of that is in
    the material. Depths, normals and points of contact are found anew whenever forces are evaluated. What is stored in
    surfaces and bristles and what is lost are in the ledger.

    Parameters
    ----------
    body : str
        What touches.
    points : (3,) or (n, 3)
        Places of the body [m].
    surface : Plane, SphereSurface, EllipsoidSurface, HeightField, RoughGround or TriangleMesh
        What it touches; a plane z = 0 if left out.
    material : ContactMaterial
        Of the pair; for each point.
    other : str
        The body that carries the surface, in whose frame it stands; 'inertial' for the inertial frame.
    radius : float or (n,)
        Of balls around the points [m].
    semi_axes : (3,) or (n, 3)
        Of ellipsoids about the points along the body's axes [m]: (R, R, 0) is a disc, the rim of a wheel that turns
        about z. For surfaces that curve little over their size.
    shape : Shape, optional
        Instead of points: the corners of a box, the rims of a cylinder, the rim and the tip of a cone, balls
        at the ends of a capsule, a ball.
    deepest : float, optional
        Depth at which a run fails, since the surface cannot be that soft [m]; if left out, half of the way to the
        centre of a sphere or an ellipsoid, and none of other surfaces, which push back at any depth.
    guarded : bool
        Whether adaptive steps end where a point touches, lets go, sticks or slips, so that methods keep their order. If
        not, steps become short there: quicker for many points that touch and let go often.
    name : str
        For laws and the record.

    Notes
    -----
    Channels: `gap` [m], `normal_force` [N], `sliding_speed` [m/s], one for each point; `contact_point` [m], inertial
    frame, three for each. States: `bristle` [m], three for each point, in the surface's axes.

    Examples
    --------
    A ball falls on a floor and rebounds with the speed that Hunt and Crossley's law says.

    >>> import spacedyn as sd
    >>> b = sd.Builder("ball")
    >>> b.base("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    >>> ball, soft = b.build(), sd.ContactMaterial(1e6, dissipation=0.5)
    >>> floor = sd.Contact("ball", (0, 0, 0), radius=0.1, material=soft)
    >>> start = ball.state(base_position=[0, 0, 0.2], base_velocity=[0, 0, -1.0])
    >>> run = sd.simulate(ball, start, 0.3, elements=[floor])
    >>> print(f"{run.final.base_velocity[2]:.7f}, {soft.restitution(1.0):.7f}")
    0.7484349, 0.7484349
    """

    body: str
    points: ArrayLike | None = None
    surface: Any = None
    material: Any = None
    other: str = "inertial"
    radius: ArrayLike = 0.0
    semi_axes: ArrayLike = (0.0, 0.0, 0.0)
    shape: Any = None
    deepest: float | None = None
    guarded: bool = True
    name: str = "contact"

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.DISSIPATED)
    kernel: ClassVar[Kind] = contact
    is_stepped: ClassVar[bool] = False  # whether the method computes impulses in place of this element's forces

    def __post_init__(self) -> None:
        if self.material is None:
            raise InputError("Contact: give a material, such as ContactMaterial(stiffness=1e5, dissipation=0.5)")
        object.__setattr__(self, "material", read_material("Contact: material", self.material))
        object.__setattr__(
            self, "surface", read_surface("Contact: surface", Plane() if self.surface is None else self.surface)
        )
        if type(self.surface) not in SURFACES.values():
            kinds = ", ".join(made.__name__ for made in SURFACES.values())
            raise InputError(f"Contact: surface is a {type(self.surface).__name__}; points touch {kinds}")
        if (self.points is None) == (self.shape is None):
            raise InputError("Contact: give points of the body or a shape, one of both")
        if self.shape is not None:
            object.__setattr__(self, "shape", read_shape("Contact: shape", self.shape))
        else:
            object.__setattr__(self, "points", np.array(self.touching.places))
        if self.deepest is not None and not one_number("Contact: deepest", self.deepest) > 0.0:
            raise InputError(f"Contact: deepest must be a positive length [m], got {self.deepest}")
        largest = float(self.touching.radii.max())
        if largest > self.ground.largest_radius:
            kind = type(self.ground).__name__
            raise InputError(
                f"Contact: a ball of radius {largest:g} m can touch this {kind} at several places; for one, its radius "
                f"must be at most {self.ground.largest_radius:.3g} m: smooth the ground, or give points (radius=0)"
            )
        if self.body == self.other:
            raise InputError(f"Contact: body '{self.body}' cannot touch itself; `other` must be another body")

    @cached_property
    def touching(self) -> TouchingPoints:
        """The points, with the balls or ellipsoids around them."""
        if self.shape is not None:
            return points_of_shape(self.shape)
        return given_points("Contact", self.points, self.radius, self.semi_axes)

    @property
    def ground(self) -> Surface:
        """Its surface."""
        made: Surface = self.surface
        return made

    @property
    def pair(self) -> ContactMaterial:
        """Its material."""
        made: ContactMaterial = self.material
        return made

    @property
    def _limit(self) -> float:
        """The depth at which a run fails [m]."""
        return self.deepest if self.deepest is not None else self.ground.deepest + float(self.touching.radii.min())

    @property
    def touches(self) -> int:
        """Its points, for a method that steps through contact."""
        return (1 + resists_turning(self.pair)) * len(self.touching.places) if self.is_stepped else 0

    def under(self, stepping: bool) -> "Contact":
        """The element as a method takes it: with forces, or for a method that steps through contact, with impulses."""
        if stepping == self.is_stepped:
            return self
        made = replace(self)
        if stepping:
            check_no_adhesion(f"Contact '{self.name}'", self.pair)
            stepped = {"is_stepped": True, "kernel": contact_touching, "pushes_bodies": False}
            for name, value in stepped.items():
                object.__setattr__(made, name, value)
        return made

    @property
    def _sticks(self) -> bool:
        """Whether it has bristles."""
        return not self.is_stepped and has_bristles(self.pair)

    @property
    def weighs(self) -> bool:  # type: ignore[override]
        """Whether the damping of its bristles is chosen from the robot's mass."""
        return self._sticks and self.pair.bristle_time is None

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Bristles of each point."""
        return (Block("bristle", 3 * len(self.touching.places), "m"),) if self._sticks else ()

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Gap, force, speed and place of each point."""
        n = len(self.touching.places)
        names = ("gap", "m"), ("normal_force", "N"), ("sliding_speed", "m/s")
        return (*(Block(name, n, unit) for name, unit in names), Block("contact_point", 3 * n, "m"))

    @property
    def guards(self) -> int:
        """Of each point: whether it touches; whether damping would pull, it sticks, it is near enough to adhere."""
        many = len(self.touching.places) if self.guarded and not self.is_stepped else 0
        return guards_of_point(self.pair) * many

    def numbers(self, model: Model) -> Numbers:
        """Bodies and choices; the surface's frame, the material, the surface's own numbers, the points."""
        if self.is_stepped:
            return touching_numbers(model, self, self.pair.friction, 0.0, (self.pair.rolling, self.pair.torsion))
        m, ground, touching = self.pair, self.ground, self.touching
        first = point_of(model, self.body, touching.places[0])[0]
        other, frame = frame_of(model, self.other, ground)
        many = len(touching.places)
        own = ground.parameters
        head = [*frame, *law_numbers(m, mass_of(model)), self._limit]
        integers = (
            *(first, other, ground.code, many, p.FIRST, p.FIRST + len(own), int(np.any(touching.cores != 0.0))),
            *law_choices(m, self.guarded),
        )
        return Numbers(integers, np.concatenate([head, own, point_numbers(model, self.body, touching)]))

    def gaps(self, state: State) -> Array:
        """Gaps (..., n) of the points at a state [m]; for balls and ellipsoids, the surface counts as plane there."""
        return gaps_of(state, self.body, self.other, self.ground, self.touching)

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if a point starts too deep; warn if its contact force would eject it, or if a joint holds it there."""
        model = robot_of(state.model, 0)
        self._check_joint(model)
        depth = -self.gaps(state.flattened())
        row, j = np.unravel_index(int(np.argmax(depth)), depth.shape)
        worst, place = float(depth[row, j]), self.touching.places[j].round(6).tolist()
        who = f"Contact '{self.name}': point {j} of '{self.body}' at {place}" + (
            f", robot {row}," if state.shape else ""
        )
        deepest = self._limit
        if worst > deepest:
            raise InputError(
                f"{who} starts {worst:.3g} m deep in the surface, and {deepest:.3g} m is the most; move the "
                "robot out, or turn the surface's normal round"
            )
        m = self.pair
        force = m.stiffness * max(worst, 0.0) ** m.exponent
        mass = sum(body.mass for body in model.bodies)
        if force > _HARD * mass and not self.is_stepped:
            warn_user(
                f"{who} starts {worst:.3g} m deep in the surface, which pushes it with {force:.3g} N; move the robot "
                "out, or take a softer material",
                RunWarning,
            )

    def check_step(self, state: State, step: float) -> None:
        """Warn if a point moves so far within a step that it may pass through the surface."""
        way = step * speeds_of(state.flattened(), self.body, self.other, self.touching)
        through = self.ground.thickness + 2.0 * self.touching.radii
        row, j = np.unravel_index(int(np.argmax(way / through)), way.shape)
        if way[row, j] > 0.5 * through[j]:
            who = f"point {j} of '{self.body}'" + (f", robot {row}," if state.shape else "")
            warn_user(
                f"Contact '{self.name}': {who} moves {way[row, j]:.3g} m within a step of {step:g} s, and may pass "
                f"through the {type(self.ground).__name__}, {through[j]:.3g} m thick, unseen: take a shorter step, or "
                "a method that chooses its steps, such as DormandPrince8()",
                RunWarning,
            )

    def _check_joint(self, model: Model) -> None:
        """Warn if a joint connects the two bodies."""
        joint = joint_between(model, self.body, self.other)
        if joint is not None:
            warn_user(
                f"Contact '{self.name}': bodies '{self.body}' and '{self.other}' are joined by '{joint}'; limits of "
                "the joint (lower, upper, stop_stiffness) are the simpler way",
                ModelWarning,
            )

    def failure_note(self, state: State) -> str:
        """Note that a point is in the surface, and may have exceeded the depth at which a run fails."""
        depth = -self.gaps(state.flattened())
        if not np.isfinite(depth).all() or depth.max() < -1e-9:
            return ""
        most = f", and {self._limit:.3g} m is the most" if np.isfinite(self._limit) else ""
        cause = "take a shorter step" if self.is_stepped else "is the material too soft for this impact?"
        return (
            f" Contact '{self.name}': a point of '{self.body}' was {max(depth.max(), 0.0):.3g} m deep in the surface "
            f"then{most}: {cause}"
        )

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which it acts, on one body and against the other."""
        other = "" if self.other == "inertial" else self.other
        return tuple(WrenchPoint(self.body, place, other) for place in self.touching.places)

    def fastest_rate(self, model: Model) -> float:
        """Rate of oscillation of the robot's mass on all points at a depth of 0.1 mm [1/s]."""
        if self.is_stepped:
            return 0.0
        m = self.pair
        stiffness = m.exponent * m.stiffness * 1e-4 ** (m.exponent - 1.0) * len(self.touching.places)
        return float(np.sqrt(stiffness / max(sum(body.mass for body in model.bodies), 1e-300)))
