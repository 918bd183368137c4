"""Rigid contact of points of a body with a surface: impacts with restitution, then rest, rolling or sliding."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..contact.height_fields import SURFACES, read_surface
from ..contact.surfaces import Plane, Surface
from ..contact.touching_points import TouchingPoints, given_points, points_of_shape, read_shape
from ..errors import InputError, ModelWarning, UnknownName, warn_user
from ..kernels.elements import rigid_contact as r
from ..kernels.elements.contact_touching import contact_touching
from ..kernels.elements.kind import Kind
from ..model.model import Model, robot_of
from ..model.state import State
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, Row, WrenchPoint, point_of
from .surface_points import frame_of, gaps_of, joint_between, point_numbers, touching_numbers

Array = np.ndarray
RESTITUTION_LAWS = ("newton", "poisson", "stronge")
DEEP = 1e-9
"""How deep a point may be at the start: rounding [m]."""


@checked_fields("surface", "shape")
@dataclass(frozen=True, eq=False)
class RigidContact(Element):
    """Points of a body that touch a hard surface: of the inertial frame, or of another body.

    Steps end where a point touches; an impulse changes the velocities, by a law of restitution with Coulomb's friction.
    A point that comes to rest on the surface is held there by constraint rows; it sticks (and rolls) or slides, and
    lets go when the surface would have to pull. For few contacts: impacts one by one, exact. What impacts and friction
    take is in the ledger; impacts, and where points come to rest, are in `run.events`.

    Parameters
    ----------
    body, points, surface, other, radius, semi_axes, shape
        As of `Contact`: what touches what.
    restitution : float
        0 (it stays) to 1 (no energy is lost in the normal direction).
    friction : float
        Coulomb's coefficient.
    restitution_law : str
        What restitution means where friction acts during the impact: 'newton', speed of parting over speed of approach;
        'poisson', impulse of expansion over impulse of compression; 'stronge', the root of the work regained over the
        work done in compression. Without friction all three are the same. None of them gains energy.
    skin : float
        How deep a point is where it touches [m]: so much more than rounding that rounding touches nothing. Far from the
        origin, where rounding of its place is more, it is more.
    slow_slip : float
        Slip below this speed is slow [m/s]. Friction of points that bodies make slip slowly for long, as feet do that
        spread while a lander rocks, falls with their speed below it: less of it is nearer to Coulomb's law, and costs
        more steps, whose length is some multiple of slow_slip / (friction gravity).
    name : str
        For laws and the record.

    Notes
    -----
    Channels: `gap` [m], `normal_force` [N], `sliding_speed` [m/s], one for each point; `contact_point` [m], inertial
    frame, three for each. Samples: `mode` (0 open, 1 sticks, 2 slides, 3 creeps: slides slowly, straight on, 4 drags:
    slides slowly for long), one for each point; `held`, where a point sticks [m] or a direction near that of its
    sliding, three for each, in the surface's frame; `back`, how fast one that creeps goes the other way when it has
    stopped [m/s]; `again`, when one that drags is looked at next, to see whether it sticks [s]; `spared`, 1
    where motion alone does not determine the forces and friction is the least that it can be. Robots of a batch run one
    by one.

    Examples
    --------
    A ball that rebounds with half of its speed comes to rest after infinitely many bounces, in 3 times its first fall.

    >>> import spacedyn as sd
    >>> b = sd.Builder("ball")
    >>> b.base("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    >>> ball = b.build()
    >>> floor = sd.RigidContact("ball", (0, 0, 0), radius=0.1, restitution=0.5, name="floor")
    >>> run = sd.simulate(ball, ball.state(base_position=[0, 0, 1.1]), 2.0, gravity=(0, 0, -9.81), elements=[floor])
    >>> rest = run.events[-1]
    >>> rest.name, bool(abs(rest.time - 3.0 * (2.0 / 9.81) ** 0.5) < 1e-9)
    ('floor: point 0 comes to rest', True)
    """

    body: str
    points: ArrayLike | None = None
    surface: Any = None
    restitution: float = 0.0
    friction: float = 0.0
    restitution_law: str = "stronge"
    other: str = "inertial"
    radius: ArrayLike = 0.0
    semi_axes: ArrayLike = (0.0, 0.0, 0.0)
    shape: Any = None
    skin: float = 1e-12
    slow_slip: float = 2e-4
    name: str = "rigid_contact"

    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK, Account.DISSIPATED)
    kernel: ClassVar[Kind] = r.rigid_contact
    settles: ClassVar[Kind] = r.settle_rigid_contact
    asks: ClassVar[bool] = True
    is_stepped: ClassVar[bool] = False  # whether the method computes impulses within its steps

    def __post_init__(self) -> None:
        given = Plane() if self.surface is None else self.surface
        object.__setattr__(self, "surface", read_surface("RigidContact: surface", given))
        if type(self.surface) not in SURFACES.values():
            kinds = ", ".join(made.__name__ for made in SURFACES.values())
            raise InputError(f"RigidContact: surface is a {type(self.surface).__name__}; points touch {kinds}")
        if (self.points is None) == (self.shape is None):
            raise InputError("RigidContact: give points of the body or a shape, one of both")
        if self.shape is not None:
            object.__setattr__(self, "shape", read_shape("RigidContact: shape", self.shape))
        else:
            object.__setattr__(self, "points", np.array(self.touching.places))
        if self.restitution_law not in RESTITUTION_LAWS:
            raise UnknownName("law of restitution", self.restitution_law, list(RESTITUTION_LAWS))
        for name, low, high in (
            ("restitution", 0.0, 1.0),
            ("friction", 0.0, np.inf),
            ("skin", 1e-15, 1e-3),
            ("slow_slip", 1e-7, 1e-2),
        ):
            value = one_number(f"RigidContact: {name}", getattr(self, name))
            if not low <= value <= high:
                limits = f"from {low:g} to {high:g}" if np.isfinite(high) else f"at least {low:g}"
                raise InputError(f"RigidContact: {name} must be {limits}, got {value}")
            object.__setattr__(self, name, value)
        largest = float(self.touching.radii.max())
        if largest > self.ground.largest_radius:
            kind = type(self.ground).__name__
            raise InputError(
                f"RigidContact: a ball of radius {largest:g} m can touch this {kind} at several places; for one, "
                f"its radius must be at most {self.ground.largest_radius:.3g} m: smooth the ground, or give points "
                "(radius=0)"
            )
        if self.body == self.other:
            raise InputError(f"RigidContact: body '{self.body}' cannot touch itself; `other` must be another body")

    @cached_property
    def touching(self) -> TouchingPoints:
        """Its points, with what is about them."""
        if self.shape is not None:
            return points_of_shape(self.shape)
        return given_points("RigidContact", self.points, self.radius, self.semi_axes)

    @property
    def ground(self) -> Surface:
        """Its surface."""
        made: Surface = self.surface
        return made

    @property
    def many(self) -> int:
        """How many points it has."""
        return len(self.touching.places)

    @property
    def touches(self) -> int:
        """Its points, for a method that steps through contact."""
        return self.many if self.is_stepped else 0

    def under(self, stepping: bool) -> "RigidContact":
        """The element with modes and rows, or for a method that steps through contact, with contact places."""
        if stepping == self.is_stepped:
            return self
        made = replace(self)
        if stepping:
            stepped = {"is_stepped": True, "kernel": contact_touching, "settles": None, "asks": False}
            for name, value in (stepped | {"pushes_bodies": False}).items():
                object.__setattr__(made, name, value)
        return made

    @property
    def samples(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Mode of each point; where it sticks, or its direction of slip; `back`, `again` and `spared` (see Notes)."""
        if self.is_stepped:
            return ()
        speeds, times = Block("back", self.many, "m/s"), Block("again", self.many, "s")
        spared = Block("spared", self.many)
        return Block("mode", self.many), Block("held", 3 * self.many), speeds, times, spared

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """What each point feels."""
        names = ("gap", "m"), ("normal_force", "N"), ("sliding_speed", "m/s")
        return (*(Block(name, self.many, unit) for name, unit in names), Block("contact_point", 3 * self.many, "m"))

    @property
    def kept(self) -> int:  # type: ignore[override]
        """Numbers kept until accelerations are known."""
        return 0 if self.is_stepped else r.OF_POINT * self.many

    @property
    def guards(self) -> int:
        """Two of each point: gap or force, friction or slip."""
        return 0 if self.is_stepped else r.GUARDS_OF * self.many

    @property
    def is_late(self) -> bool:
        """Its forces depend on accelerations."""
        return not self.is_stepped

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Of each point a normal row, on which friction rubs, and two tangential ones."""
        if self.is_stepped:
            return ()
        bodies = (self.body,) if self.other == "inertial" else (self.body, self.other)
        found: list[Row] = []
        for radius in self.touching.radii:
            rolls = bool(radius > 0.0 or np.any(self.touching.cores != 0.0))
            found += [Row(bodies, rubs=True), Row(bodies, is_nonholonomic=rolls), Row(bodies, is_nonholonomic=rolls)]
        return tuple(found)

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """Its bodies: it needs their accelerations."""
        if self.is_stepped:
            return ()
        return tuple(name for name in (self.body, self.other) if name != "inertial")

    def numbers(self, model: Model) -> Numbers:
        """Bodies and the surface; its frame, friction, the surface's own numbers, the points."""
        if self.is_stepped:
            return touching_numbers(model, self, self.friction, self.restitution)
        ground, touching = self.ground, self.touching
        first = point_of(model, self.body, touching.places[0])[0]
        other, frame = frame_of(model, self.other, ground)
        own, cores = ground.parameters, int(np.any(touching.cores != 0.0))
        integers = (first, other, ground.code, self.many, r.FIRST, r.FIRST + len(own), cores)
        head = [*frame, self.friction, self.skin, self.length, self.slow_slip]
        return Numbers(integers, np.concatenate([head, own, point_numbers(model, self.body, touching)]))

    @property
    def length(self) -> float:
        """Smallest length over which the surface or a touching ellipsoid curves [m]; 1 m for points on a plane."""
        curves = [np.sqrt(size) for core in self.touching.cores for size in np.linalg.eigvalsh(core) if size > 0.0]
        return float(min([self.ground.finest, *curves]))

    def gaps(self, state: State) -> Array:
        """Gaps (..., n) of its points at a state [m], of balls and ellipsoids as if the surface were plane there."""
        return gaps_of(state, self.body, self.other, self.ground, self.touching)

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if a point starts in the surface; warn if a joint holds it there."""
        model = robot_of(state.model, 0)
        joint = joint_between(model, self.body, self.other)
        if joint is not None:
            warn_user(
                f"RigidContact '{self.name}': bodies '{self.body}' and '{self.other}' are joined by '{joint}'; limits "
                "of the joint (lower, upper, stop_stiffness) are the simpler way",
                ModelWarning,
            )
        depth = -self.gaps(state.flattened())
        row, j = np.unravel_index(int(np.argmax(depth)), depth.shape)
        if depth[row, j] > DEEP:
            place = self.touching.places[j].round(6).tolist()
            raise InputError(
                f"RigidContact '{self.name}': point {j} of '{self.body}' at {place}"
                + (f", robot {row}," if state.shape else "")
                + f" starts {depth[row, j]:.3g} m deep in the surface, which is rigid; move the robot out, or turn the "
                "surface's normal round"
            )

    @property
    def slowness_note(self) -> str:
        """Points may change their modes without end."""
        return f"'{self.label}' may open and close again and again: take TimeStepping(step), or a compliant Contact"

    def failure_note(self, state: State) -> str:
        """That sliding friction may jam."""
        if self.friction > 0.3 and np.abs(self.gaps(state.flattened())).min() < 1e-6:
            return (
                f" RigidContact '{self.name}': a point slides with friction {self.friction:g}: where friction jams it, "
                "rigid bodies have no finite force (Painlevé's paradox); take a compliant Contact"
            )
        return ""

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which it acts, on one body and against the other."""
        other = "" if self.other == "inertial" else self.other
        return tuple(WrenchPoint(self.body, place, other) for place in self.touching.places)
