"""A compliant grasp between two endpoints, which events engage and let go."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..kernels.elements.grapple import grapple
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import endpoint_pose
from ..reals import finite_array, one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, WrenchPoint, point_of, three
from .faults import checked_label

Array = np.ndarray
XYZ = ("x", "y", "z")


@checked_fields("engaged")
@dataclass(frozen=True, eq=False)
class Grapple(Element):
    """A compliant grasp: springs and dampers in all six directions between two endpoints of two bodies.

    `sd.actions.engage(name)` closes it at an event, by default just as the endpoints stand to each other then, so that
    nothing jumps; `sd.actions.disengage(name)` lets go. Its pair of forces acts within the robot, or within a scene,
    and pushes no net momentum. Several of them may hold one body, which so changes hands. A law reads `force` and
    `moment`, what the first body feels, in the axes of its endpoint.

    Parameters
    ----------
    endpoint, other : str
        The hand, and the handle: endpoints on two bodies.
    stiffness, damping : float or (3,)
        Of translations along the axes of `endpoint` [N/m, N s/m].
    turn_stiffness, turn_damping : float
        Of turns about any axis [N m/rad, N m s/rad]; turns are to stay below 180 degrees.
    engaged : bool
        Whether it holds at the start.
    position : (3,)
        Where `other` is slack, in the frame of `endpoint` [m], unless an event engages it elsewhere.
    attitude_xyzw : (4,)
        Quaternion of `other` in the axes of `endpoint` at which it is slack, likewise.
    name : str, optional
        For events, laws and the record: an identifier. `grapple_<endpoint>_<other>` if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("pair")
    >>> b.base("chaser", mass=30.0, inertia=(10.0, 12.0, 11.0))
    >>> b.link("target", "free", parent="chaser", mass=10.0, inertia=(2.0, 3.0, 2.5))
    >>> b.endpoint("hand", body="chaser", position=(1, 0, 0))
    >>> b.endpoint("handle", body="target", position=(-0.5, 0, 0))
    >>> pair = b.build()
    >>> grasp = sd.Grapple("hand", "handle", stiffness=500.0, damping=80.0, turn_stiffness=100.0, turn_damping=30.0)
    >>> close = sd.actions.engage(grasp.label)
    >>> near = sd.Event(sd.endpoints_within("hand", "handle", 0.15), direction=-1, action=close)
    >>> start = pair.state(q={"target": [2.5, 0, 0, 0, 0, 0, 1]}, qd={"target": [-0.5, 0, 0, 0, 0.1, 0]})
    >>> run = sd.simulate(pair, start, 20.0, elements=[grasp], events=[near])
    >>> bool(run.audit().worst < 1e-9), bool(abs(run.final.qd).max() < 1e-3)
    (True, True)
    """

    endpoint: str
    other: str
    stiffness: ArrayLike = 0.0
    damping: ArrayLike = 0.0
    turn_stiffness: float = 0.0
    turn_damping: float = 0.0
    engaged: bool = False
    position: ArrayLike = (0.0, 0.0, 0.0)
    attitude_xyzw: ArrayLike = (0.0, 0.0, 0.0, 1.0)
    name: str | None = None

    states: ClassVar[tuple[Block, ...]] = (
        Block("engaged"),
        Block("rest_position", 3, "m", XYZ),
        Block("rest_attitude", 4, "", (*XYZ, "w")),
    )
    channels: ClassVar[tuple[Block, ...]] = (Block("force", 3, "N", XYZ), Block("moment", 3, "N m", XYZ))
    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.DISSIPATED)
    kernel: ClassVar[Kind] = grapple

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            given = finite_array(f"Grapple: {name}", getattr(self, name), "a number or three", [(), (3,)])
            object.__setattr__(self, name, np.broadcast_to(given, 3).astype(float))
        for name in ("turn_stiffness", "turn_damping"):
            object.__setattr__(self, name, one_number(f"Grapple: {name}", getattr(self, name)))
        for name in ("stiffness", "damping", "turn_stiffness", "turn_damping"):
            if np.any(np.asarray(getattr(self, name)) < 0.0):
                raise InputError(f"Grapple: {name} must not be negative, got {getattr(self, name)}")
        if not any(np.any(getattr(self, name)) for name in ("stiffness", "damping", "turn_stiffness", "turn_damping")):
            raise InputError("Grapple: it has neither stiffness nor damping; give at least one")
        if not isinstance(self.engaged, bool | np.bool_):
            raise InputError(f"Grapple: engaged must be True or False, got {self.engaged!r}")
        object.__setattr__(self, "position", three("Grapple", "position", self.position))
        quaternion = finite_array("Grapple: attitude_xyzw", self.attitude_xyzw, "four finite numbers", [(4,)])
        if np.abs(quaternion).max() > 2.0 or abs(float(np.linalg.norm(quaternion)) - 1.0) > 1e-6:
            raise InputError(f"Grapple: attitude_xyzw must be a unit quaternion, got {self.attitude_xyzw!r}")
        object.__setattr__(self, "attitude_xyzw", quaternion)
        checked_label("Grapple", self.name)

    @property
    def label(self) -> str:
        """What events, laws and the record call it."""
        return self.name or "".join(c if c.isalnum() else "_" for c in f"grapple_{self.endpoint}_{self.other}")

    def initial_values(self) -> Array:
        """Whether it is engaged, and the pose at which it is slack."""
        return np.concatenate([[float(self.engaged)], np.asarray(self.position), np.asarray(self.attitude_xyzw)])

    def switched(self, present: Array, closes: bool, state: State | None) -> Array:
        """Samples after an event: open; or closed, slack at the pose of a state, or at the given pose."""
        if not closes or present[0] > 0.0:
            return np.concatenate([[float(closes)], present[1:]])
        if state is None:
            return np.concatenate([[1.0], np.asarray(self.position), np.asarray(self.attitude_xyzw)])
        a, b = (endpoint_pose(state.model, state, name) for name in (self.endpoint, self.other))
        turn = Rotation.from_matrix(a.rotation.T @ b.rotation)
        return np.concatenate([[1.0], a.rotation.T @ (b.position - a.position), turn.as_quat()])

    def numbers(self, model: Model) -> Numbers:
        """Both bodies; places and axes of both frames, stiffness and damping."""
        ends = [model.endpoint(name) for name in (self.endpoint, self.other)]
        if ends[0].body == ends[1].body:
            raise InputError(
                f"Grapple: both endpoints, '{self.endpoint}' and '{self.other}', are on body '{ends[0].body}'; it "
                "holds two bodies"
            )
        bodies, places = zip(*(point_of(model, one.body, one.position) for one in ends), strict=True)
        inside = model.flat.to_internal
        axes = [(inside[model.body_index(one.body)] @ one.rotation).ravel() for one in ends]
        springs = [*np.asarray(self.stiffness), *np.asarray(self.damping), self.turn_stiffness, self.turn_damping]
        return Numbers(bodies, np.concatenate([*places, *axes, springs]))

    def fastest_rate(self, model: Model) -> float:
        """Its fastest oscillation or decay, from the masses of both bodies alone [1/s]."""
        ends = [model.endpoint(name).body for name in (self.endpoint, self.other)]
        mobile = sum(1.0 / model.body(body).mass for body in ends if model.body(body).mass > 0.0)
        k, c = float(np.max(np.asarray(self.stiffness))), float(np.max(np.asarray(self.damping)))
        return max(float(np.sqrt(k * mobile)), c * mobile)

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which it acts: both endpoints."""
        ends = [model.endpoint(name) for name in (self.endpoint, self.other)]
        return tuple(WrenchPoint(one.body, np.asarray(one.position)) for one in ends)
