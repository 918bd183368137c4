"""Magnetorquers on a body, which laws command."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.magnetorquer import ROD, ROD_NUMBERS, magnetic_field_of, magnetorquer
from ..model.model import Model
from ..reals import array_of_limits, finite_array
from ..signatures import checked_fields
from .element import Block, Element, Numbers, WrenchPoint, point_of, three
from .faults import checked_label, fail_time
from .magnetic_field import EARTH, MagneticField, field_of

XYZ = ("x", "y", "z")


@checked_fields("field", "limit")
@dataclass(frozen=True, eq=False)
class Magnetorquer(Element):
    """Magnetic rods or coils on a body: they turn it by m × B, with the dipole moments that laws command.

    Laws write `out.<name>.dipole[i]`, a number for each rod, and read `s.<name>.field`, the field B where the rods are
    in the axes of the body's frame: continuous laws too, for it does not depend on commands. Sampled laws also read
    `moment` (3) and `dipole`. Steps end where a rod begins and ceases to saturate. The moment acts from outside: its
    work and its impulse are in the ledger.

    Parameters
    ----------
    body : str
        What carries them.
    axes : (3,) or (rods, 3)
        Directions of the rods in the body's frame; made unit vectors. Those of the frame's three axes if left out.
    limit : float or (rods,)
        Largest dipole moment of each rod [A m²].
    residual : (3,)
        The body's own dipole moment [A m²], in its frame: it disturbs.
    field : MagneticField
        The field that it is in; the Earth's of 2025 if left out.
    point : (3,)
        Where the rods are, in the body's frame [m].
    fail_at : float
        When they fail [s].
    stuck : float or (rods,)
        The dipole moments that they have from then on [A m²]: none if left out.
    name : str, optional
        For laws and the record: an identifier. `magnetorquer_<body>` if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> @sd.law
    ... def damp(t, s, p, out):
    ...     B, w = s.rods.field, s.base_rate  # of a base whose axes are still nearly the inertial ones
    ...     for i in range(3):  # m = k w × B turns against the motion
    ...         a, b = (i + 1) % 3, (i + 2) % 3
    ...         out.rods.dipole[i] = p.k * (w[a] * B[b] - w[b] * B[a])
    >>> rods = sd.Magnetorquer(robot.body_names[0], limit=80.0, name="rods")
    >>> start = robot.state(base_position=[6.928e6, 0, 0], base_rate=[0.0, 0.002, 0.0])
    >>> run = sd.simulate(robot, start, 60.0, laws=[damp(k=1e9)], elements=[rods], record=10.0)
    >>> run["rods.field"].shape, bool(run["element_work"][-1, 0] < 0), bool(run.audit().energy < 1e-9)
    ((7, 3), True, True)
    """

    body: str
    axes: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    limit: ArrayLike = np.inf
    residual: ArrayLike = (0.0, 0.0, 0.0)
    field: MagneticField = EARTH
    point: ArrayLike = (0.0, 0.0, 0.0)
    fail_at: float = np.inf
    stuck: ArrayLike = 0.0
    name: str | None = None

    kernel: ClassVar[Kind] = magnetorquer
    senses: ClassVar[Kind] = magnetic_field_of
    sensed: ClassVar[tuple[str, ...]] = ("field",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", unit_vectors("Magnetorquer: axes", self.axes))
        object.__setattr__(self, "field", field_of("Magnetorquer", self.field))
        words, shapes = f"a number or one for each of {self.rods} rods [A m²]", [(), (self.rods,)]
        for name, read in (("limit", array_of_limits), ("stuck", finite_array)):
            value = read(f"Magnetorquer: {name}", getattr(self, name), words, shapes)
            object.__setattr__(self, name, np.broadcast_to(value, self.rods).copy())
        if not (np.asarray(self.limit) > 0.0).all():
            raise InputError(f"Magnetorquer: limit must be a positive dipole moment [A m²], got {self.limit}")
        for name in ("residual", "point"):
            object.__setattr__(self, name, three("Magnetorquer", name, getattr(self, name)))
        object.__setattr__(self, "fail_at", fail_time("Magnetorquer", self.fail_at))
        checked_label("Magnetorquer", self.name)

    @property
    def rods(self) -> int:
        """How many there are."""
        return len(np.asarray(self.axes))

    @property
    def commands(self) -> tuple[Block, ...]:  # type: ignore[override]
        """The dipole moments of its rods."""
        return (Block("dipole", self.rods, "A m^2"),)

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Field and moment in the axes of the body's frame, and what its rods have."""
        return (Block("field", 3, "T", XYZ), Block("moment", 3, "N m", XYZ), Block("dipole", self.rods, "A m^2"))

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name or "magnetorquer_" + "".join(c if c.isalnum() else "_" for c in self.body)

    @property
    def guards(self) -> int:
        """Two for each rod, if any has a limit."""
        return 2 * self.rods if self._is_limited else 0

    @property
    def _is_limited(self) -> bool:
        return bool(np.isfinite(np.asarray(self.limit)).any())

    @property
    def breaks(self) -> tuple[float, ...]:
        """When it fails."""
        return (self.fail_at,) if np.isfinite(self.fail_at) else ()

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When it fails [s], and how."""
        return tuple((when, f"stuck at {np.asarray(self.stuck).tolist()} A m^2") for when in self.breaks)

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """Where its moment is drawn."""
        return (WrenchPoint(self.body, np.asarray(self.point)),)

    def numbers(self, model: Model) -> Numbers:
        """Body and field; place, axes of the body's frame in the kernels', own dipole, rods, field."""
        body, place = point_of(model, self.body, np.asarray(self.point))
        frame = model.flat.to_internal[model.body_index(self.body)]
        most = np.minimum(np.asarray(self.limit), 1e300)  # finite, for the kernel's arithmetic
        rods = np.column_stack([np.asarray(self.axes), most, np.asarray(self.stuck)])
        assert rods.shape[1] == ROD_NUMBERS
        first = np.concatenate([place, frame.ravel(), np.asarray(self.residual), rods.ravel()])
        assert len(first) == ROD + ROD_NUMBERS * self.rods
        integers = body, self.field.harmonics, self.rods, len(first), int(self._is_limited)
        return Numbers(integers, np.concatenate([first, self.field.numbers()]))


def unit_vectors(what: str, value: Any) -> np.ndarray:
    """Directions (n, 3) as unit vectors, or an error by name."""
    given = np.atleast_2d(finite_array(what, value, "a direction (3,) or several (n, 3)"))
    if given.ndim != 2 or given.shape[1] != 3 or len(given) == 0:
        raise InputError(f"{what} must be a direction (3,) or several (n, 3), got shape {given.shape}")
    size = np.linalg.norm(given, axis=1, keepdims=True)
    if not (size > 0.0).all():
        raise InputError(f"{what} must be directions, and none can be zero, got {given.tolist()}")
    return given / size
