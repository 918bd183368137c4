"""Wheels, discs and balls that roll on a plane without slip."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.rolling import FLAT, KEPT, rolling, settle_rolling
from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import forward_kinematics
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, Row, WrenchPoint, direction, point_of, three
from .loop import XYZ, frame_of

Array = np.ndarray


@checked_fields()
@dataclass(frozen=True, eq=False)
class Rolling(Element):
    """A wheel, a disc or a ball that rolls on a plane: it touches the plane always, and never slips.

    Three constraint rows: one holds the rim on the plane, two the velocity of the material that touches it at zero. The
    latter are nonholonomic: they take no coordinate away, only directions of motion. They do no work. The plane holds
    both ways, as a wheel on a rail: where `force` along the normal falls below zero, a real wheel lifts off.

    Parameters
    ----------
    body : str
        What rolls.
    radius : float
        Of the wheel or ball, from its centre to where it touches [m].
    axis : (3,), optional
        The wheel's axis in the frame of `body`. Left out, it is a ball.
    center : (3,)
        Its centre in the frame of `body` [m].
    edge_radius : float, optional
        Radius of the wheel's rounded edge [m], up to `radius`: a tyre. 0, a knife edge, if left out.
    other : str
        What it rolls on: a body, such as a turning table, or 'inertial'.
    other_point, normal : (3,)
        A point of the plane [m], and its normal towards the wheel, in the frame of `other`.
    name : str, optional
        For the record.

    Notes
    -----
    Channels: `force` [N] of the plane on the wheel; `place` [m], where they touch, from `other_point`; both in axes of
    the plane, with z along its normal, turned there the shortest way from those of `other`; `gap` [m].

    Examples
    --------
    A hoop is set rolling, nudged sideways: it weaves, and neither slips nor leaves the plane.

    >>> import numpy as np
    >>> import spacedyn as sd
    >>> b = sd.Builder("hoop")
    >>> b.base("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02))
    >>> hoop = b.build()
    >>> rim = sd.Rolling("hoop", 0.2, axis=(0, 1, 0), name="rim")
    >>> upright = hoop.state(base_position=(0, 0, 0.2), base_rate=(0.3, 5.0, 0.1))
    >>> start = sd.assemble(hoop, upright, [rim])
    >>> run = sd.simulate(hoop, start, 2.0, gravity=(0, 0, -9.81), elements=[rim])
    >>> bool(abs(run["gap"]).max() < 1e-12), run.audit().within_budget
    (True, True)
    """

    body: str
    radius: float
    axis: ArrayLike | None = None
    center: ArrayLike = (0.0, 0.0, 0.0)
    edge_radius: float | None = None
    other: str = "inertial"
    other_point: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 1.0)
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (
        Block("force", 3, "N", XYZ),
        Block("place", 3, "m", XYZ),
        Block("gap", unit="m"),
    )
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK,)
    kernel: ClassVar[Kind] = rolling
    settles: ClassVar[Kind] = settle_rolling
    kept: ClassVar[int] = KEPT

    def __post_init__(self) -> None:
        for name in ("center", "other_point"):
            object.__setattr__(self, name, three("Rolling", name, getattr(self, name)))
        object.__setattr__(self, "normal", direction("Rolling", "normal", self.normal))
        if self.axis is not None:
            object.__setattr__(self, "axis", direction("Rolling", "axis", self.axis))
        radius = one_number("Rolling: radius", self.radius, "a positive length [m]")
        if not radius > 0.0:
            raise InputError(f"Rolling: radius must be positive [m], got {radius}")
        object.__setattr__(self, "radius", radius)
        if self.edge_radius is None:
            return
        edge = one_number("Rolling: edge_radius", self.edge_radius, "a length [m]")
        if not 0.0 <= edge <= radius:
            raise InputError(f"Rolling: edge_radius must be from 0 to the radius, {radius:g} m, got {edge}")
        if self.axis is None and edge != radius:
            raise InputError(
                "Rolling: without an axis it is a ball; give the axis of a wheel, or leave edge_radius out"
            )
        object.__setattr__(self, "edge_radius", edge)

    @property
    def edge(self) -> float:
        """Radius of its rounded edge: of a ball, its own."""
        if self.axis is None:
            return self.radius
        return 0.0 if self.edge_radius is None else self.edge_radius

    @property
    def is_late(self) -> bool:
        """Its force depends on accelerations."""
        return True

    @property
    def label(self) -> str:
        """Its name in the record."""
        return self.name or f"{self.body} rolls"

    def numbers(self, model: Model) -> Numbers:
        """Its bodies; centre, axis, the plane, both radii."""
        if "inertial" in model.body_names:
            raise InputError("Rolling: a body cannot be named 'inertial', which is the inertial frame")
        body, centre = point_of(model, self.body, self.center)
        other, far, axes = -1, np.asarray(self.other_point), frame_of(np.asarray(self.normal))
        inside = model.flat.to_internal
        axis = np.zeros(3) if self.axis is None else inside[model.body_index(self.body)] @ np.asarray(self.axis)
        if self.other != "inertial":
            other, far = point_of(model, self.other, self.other_point)
            axes = inside[model.body_index(self.other)] @ axes
        if body == other:
            raise InputError(f"Rolling '{self.label}': body '{self.body}' cannot roll on itself")
        ring = self.radius - self.edge
        return Numbers(
            (body, other, int(ring == 0.0)), np.concatenate([centre, axis, far, axes.ravel(), [ring, self.edge]])
        )

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Along the normal, and two along the plane, which are nonholonomic."""
        bodies = self.attached_to(model)
        return Row(bodies), Row(bodies, is_nonholonomic=True), Row(bodies, is_nonholonomic=True)

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """Its bodies: it needs their accelerations, and settles when these are known."""
        return tuple(name for name in (self.body, self.other) if name != "inertial")

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points that its force is recorded at: the wheel's centre, and the plane's point."""
        other = "" if self.other == "inertial" else self.other
        return WrenchPoint(self.body, np.asarray(self.center)), WrenchPoint(other, np.asarray(self.other_point))

    def check_start(self, state: State, span: tuple[float, float], others: object) -> None:
        """Raise if a disc lies flat on its plane, where it has no lowest point."""
        if self._uprightness(state).min(initial=1.0) <= FLAT:
            raise InputError(
                f"Rolling '{self.label}': the wheel lies flat on its plane, and has no lowest point; tilt it, or take "
                "contact points"
            )

    def failure_note(self, state: State) -> str:
        """Whether a disc has fallen flat."""
        low = self._uprightness(state).min(initial=1.0) < 0.2
        return f" Rolling '{self.label}': the wheel lies almost flat on its plane then" if low else ""

    def _uprightness(self, state: State) -> Array:
        """Sine of the angle between its axis and the normal, robot by robot; of a ball 1."""
        if self.axis is None or self.edge == self.radius:
            return np.ones(1)
        model, poses = state.model, forward_kinematics(state.model, state).bodies
        axis = poses.rotation[..., model.body_index(self.body), :, :] @ np.asarray(self.axis)
        normal = np.asarray(self.normal)
        if self.other != "inertial":
            normal = poses.rotation[..., model.body_index(self.other), :, :] @ normal
        return np.atleast_1d(np.linalg.norm(np.cross(axis, normal), axis=-1))
