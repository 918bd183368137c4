"""Loop joints, which close a chain of bodies or tie a point to a line, a surface or a moving target."""

from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError, UnknownName
from ..kernels.elements.kind import Kind
from ..kernels.elements.loop import (
    ALIGNED,
    DISTANCE,
    FRAMES,
    KEPT,
    NO_TURN,
    OTHER_AXES,
    OTHER_POINT,
    PARALLEL,
    SCREW_PAIR,
    SIZE_,
    SQUARE,
    loop,
    settle_loop,
)
from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import forward_kinematics
from ..reals import finite_array, one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, Row, WrenchPoint, direction, point_of, three
from .paths import check_reach, checked_table, path_numbers

Array = np.ndarray
XYZ = ("x", "y", "z")
_X, _Y, _Z = 1, 2, 4


class _Pair(NamedTuple):
    """What a joint forbids: slides along axes of the other's frame (bits), turns, and special rows."""

    along: int
    turns: int
    kind: int = FRAMES

    @property
    def rows(self) -> int:
        """Number of constraint rows."""
        return self.along.bit_count() + min(self.turns, 3) + (self.kind != FRAMES)


LOOP_JOINTS = {
    "ball": _Pair(_X | _Y | _Z, NO_TURN),
    "revolute": _Pair(_X | _Y | _Z, PARALLEL),
    "prismatic": _Pair(_X | _Y, ALIGNED),
    "cylindrical": _Pair(_X | _Y, PARALLEL),
    "universal": _Pair(_X | _Y | _Z, SQUARE),
    "weld": _Pair(_X | _Y | _Z, ALIGNED),
    "screw": _Pair(_X | _Y, PARALLEL, SCREW_PAIR),
    "flat": _Pair(_Z, PARALLEL),
    "distance": _Pair(0, NO_TURN, DISTANCE),
    "line": _Pair(_X | _Y, NO_TURN),
    "plane": _Pair(_Z, NO_TURN),
}
"""Joints that a loop may be closed by."""
_WITH_AXIS = {"revolute", "prismatic", "cylindrical", "universal", "screw", "flat", "line", "plane"}
_ALIGNED = {"prismatic", "weld", "screw"}
_STIFFNESSES = ("stiffness", "damping", "turn_stiffness", "turn_damping")


@checked_fields()
@dataclass(frozen=True, eq=False)
class Loop(Element):
    """A joint that closes a chain: between two bodies of a robot, or a body and the inertial frame.

    Rigid, it is held by multipliers beside the dynamics, exactly: states stay on it to rounding, and it does no work.
    With stiffness or damping it is compliant along the same directions (a virtual cut).

    Parameters
    ----------
    joint : str
        'ball', 'revolute', 'prismatic', 'cylindrical', 'universal', 'weld', 'screw', 'flat' (slides in a plane and
        turns about its normal), 'distance' (a rod between two points, or a sphere that a point stays on), 'line' and
        'plane' (the point of `body` stays on a line or in a plane of `other`; a line along the normal of a planar
        mechanism is its pin, without rows to spare).
    body, other : str
        The bodies; `other` may be 'inertial'.
    point, other_point : (3,)
        Where the joint is, in the bodies' frames [m].
    axis : (3,)
        Direction of the joint's axis, line or normal, in the frame of `body`.
    other_axis : (3,), optional
        The same direction in the frame of `other`; if left out, `axis` turned by the attitude. Of a universal joint,
        its second axis, square to the first, which must be given.
    attitude_xyzw : (4,)
        Quaternion of the frame of `body` in the axes of `other` where the joint is closed: of a weld, a prismatic
        joint and the zero of a screw.
    length : float, optional
        Of a distance [m].
    pitch : float, optional
        Of a screw, how far it goes in a turn of one radian [m/rad].
    times, positions : (n,) and (n, 3), optional
        With `other` 'inertial': times [s] and where the joint's place in the inertial frame is then [m], in between by
        a spline: a moving target. The work that it does is in the ledger.
    stiffness, damping : float
        Along slides, if it is compliant [N/m, N s/m].
    turn_stiffness, turn_damping : float
        Of turns [N m/rad, N m s/rad]. Where these are zero, a compliant loop leaves turns free: a 'weld' is a ball.
    active : bool, optional
        Of a rigid loop that events open and close (`sd.actions.close_loop`, `open_loop`): whether it starts closed.
        Left out, it is closed and stays so.
    name : str, optional
        For the record.

    Notes
    -----
    Channels: `force` [N] and `moment` [N m] of `other` on `body` at the joint, in the axes of the joint's frame on
    `other`; `gap` [m or rad]. That frame has its z along the axis and is turned there the shortest way: with an axis
    along z and without an attitude, its axes are those of `other`.

    Examples
    --------
    A four-bar linkage of unit rods: two cranks on the ground, the second one pinned to the end of the coupler.

    >>> import spacedyn as sd
    >>> b = sd.Builder("four-bar", "fixed")
    >>> b.base("ground", massless=True)
    >>> rod = dict(mass=1.0, com=(0.5, 0, 0), inertia=(1e-4, 1 / 12, 1 / 12))
    >>> b.link("crank", "revolute", parent="ground", axis=(0, 0, 1), **rod)
    >>> b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), axis=(0, 0, 1), **rod)
    >>> b.link("rocker", "revolute", parent="ground", position=(1, 0, 0), axis=(0, 0, 1), **rod)
    >>> robot = b.build()
    >>> pin = sd.Loop("line", "coupler", "rocker", point=(1, 0, 0), other_point=(1, 0, 0), name="pin")
    >>> start = robot.state(q=[1.5, -1.5, 1.5], qd=[1.0, -1.0, 1.0])
    >>> run = sd.simulate(robot, start, 2.0, gravity=(0, -9.81, 0), elements=[pin])
    >>> bool(run["gap"].max() < 1e-12), run["pin.force"].shape, run.audit().within_budget
    (True, (1001, 3), True)
    """

    joint: str
    body: str
    other: str = "inertial"
    point: ArrayLike = (0.0, 0.0, 0.0)
    other_point: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike = (0.0, 0.0, 1.0)
    other_axis: ArrayLike | None = None
    attitude_xyzw: ArrayLike = (0.0, 0.0, 0.0, 1.0)
    length: float | None = None
    pitch: float | None = None
    times: ArrayLike | None = None
    positions: ArrayLike | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    turn_stiffness: float = 0.0
    turn_damping: float = 0.0
    active: bool | None = None
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (
        Block("force", 3, "N", XYZ),
        Block("moment", 3, "N m", XYZ),
        Block("gap", unit="m or rad"),
    )
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK, Account.STORED, Account.DISSIPATED)
    kernel: ClassVar[Kind] = loop
    settles: ClassVar[Kind] = settle_loop
    kept: ClassVar[int] = KEPT

    def __post_init__(self) -> None:
        what = f"Loop '{self.joint}'"
        if self.joint not in LOOP_JOINTS:
            raise UnknownName("joint of a loop", self.joint, list(LOOP_JOINTS))
        for name in ("point", "other_point"):
            object.__setattr__(self, name, three(what, name, getattr(self, name)))
        object.__setattr__(self, "axis", direction(what, "axis", self.axis))
        if self.other_axis is not None:
            object.__setattr__(self, "other_axis", direction(what, "other_axis", self.other_axis))
        quaternion = finite_array(f"{what}: attitude_xyzw", self.attitude_xyzw, "four finite numbers", [(4,)])
        if abs(float(np.linalg.norm(quaternion)) - 1.0) > 1e-6:
            raise InputError(f"{what}: attitude_xyzw must be a unit quaternion, got {self.attitude_xyzw!r}")
        object.__setattr__(self, "attitude_xyzw", quaternion / np.linalg.norm(quaternion))
        for name in _STIFFNESSES:
            value = one_number(f"{what}: {name}", getattr(self, name), "zero or a positive number")
            if value < 0.0:
                raise InputError(f"{what}: {name} must not be negative, got {value}")
            object.__setattr__(self, name, value)
        self._check_sizes(what)
        self._check_axes(what)
        times, positions = checked_table(what, self.times, self.positions)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "positions", positions)
        if self.active is not None and not isinstance(self.active, bool | np.bool_):
            raise InputError(f"{what}: active must be True, False or None, got {self.active!r}")
        if self.active is not None and (times is not None or not self.is_rigid):
            raise InputError(
                f"{what}: only a rigid loop without a moving target opens and closes (active); a Grapple is compliant"
            )
        if times is not None and self.other != "inertial":
            raise InputError(f"{what}: a moving target is in the inertial frame: leave `other` out")
        if times is not None and np.any(self.other_point):
            raise InputError(f"{what}: positions say where its place is; leave other_point out, or add it to them")
        if self.body == "inertial":
            raise InputError(f"{what}: only `other` may be 'inertial'; name the body that is held as `body`")
        if not (self.is_rigid or self.stiffness or self.damping or LOOP_JOINTS[self.joint].turns):
            raise InputError(
                f"{what}: it leaves turns free, so turn_stiffness and turn_damping alone hold nothing; give stiffness "
                "or damping, or a joint that holds turns, such as a 'weld'"
            )

    def _check_sizes(self, what: str) -> None:
        """Raise unless a distance has a length and a screw a pitch, and other joints have neither."""
        for name, owner, unit in (("length", "distance", "m"), ("pitch", "screw", "m/rad")):
            value = getattr(self, name)
            if (value is not None) != (self.joint == owner):
                raise InputError(f"{what}: {name} [{unit}] belongs to a '{owner}', which needs it")
            if value is not None:
                value = one_number(f"{what}: {name}", value)
                if not (value > 0.0 if name == "length" else value != 0.0):
                    raise InputError(
                        f"{what}: {name} must be {'positive' if name == 'length' else 'a number but zero'} [{unit}], "
                        f"got {value}; points that coincide are a 'ball', a screw without pitch is 'revolute'"
                    )
                object.__setattr__(self, name, value)

    def _check_axes(self, what: str) -> None:
        """Raise if a joint whose attitude aligns its frames is given a second axis."""
        if self.joint == "universal" and self.other_axis is None:
            raise InputError(f"{what}: give other_axis, the axis fixed to the other body, square to the first")
        if self.other_axis is not None and (self.joint in _ALIGNED or self.joint not in _WITH_AXIS):
            raise InputError(f"{what}: other_axis is not for it; its frames are aligned by attitude_xyzw")

    @property
    def samples(self) -> tuple[Block, ...]:  # type: ignore[override]
        """For a loop that events open and close: whether it is closed, the frame on `other`, length or pitch."""
        if self.active is None:
            return ()
        return Block("closed"), Block("met_place", 3, "m", XYZ), Block("met_axes", 9), Block("met_size")

    def start_values(self, model: Model) -> Array:
        """Initial samples: the loop as it was made."""
        return np.empty(0) if self.active is None else self._frame(model, float(self.active), self)

    def switched(self, model: Model, present: Array, closes: bool, state: State | None) -> Array:
        """Samples after an event: open; or closed at the relative pose of a state, or as it was made."""
        if not closes or present[0] > 0.0:
            return np.concatenate([[float(closes)], present[1:]])
        return self._frame(model, 1.0, self if state is None else self.met_in(model, state))

    def met_in(self, model: Model, state: State) -> "Loop":
        """A copy of the loop that is closed at the relative pose of a state."""
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("joint", "body", "other")}
        for name in ("length", "attitude_xyzw", *(() if self.joint == "distance" else ("other_point",))):
            del kept[name]
        if self.other_axis is not None:  # the attitude gives it if it is perpendicular or parallel to the first axis
            return replace(
                self, other_point=Loop.as_met(model, state, self.joint, self.body, self.other, **kept).other_point
            )
        return Loop.as_met(model, state, self.joint, self.body, self.other, **kept)

    def _frame(self, model: Model, closed: float, one: "Loop") -> Array:
        """Samples with the frame on `other` and the length or pitch of `one`."""
        numbers = one.numbers(model).numbers
        place, axes = numbers[OTHER_POINT : OTHER_POINT + 3], numbers[OTHER_AXES : OTHER_AXES + 9]
        return np.concatenate([[closed], place, axes, [numbers[SIZE_]]])

    @property
    def is_rigid(self) -> bool:
        """Whether it is held by multipliers; without stiffness and damping."""
        return not any(getattr(self, name) for name in _STIFFNESSES)

    @property
    def is_late(self) -> bool:
        """Its force depends on accelerations."""
        return True

    @property
    def label(self) -> str:
        """Its name in the record."""
        return self.name or f"{self.joint} {self.body} to {self.other}"

    def _axes(self) -> tuple[Array, Array]:
        """Axes of the joint on both bodies, in their frames: columns; z is the joint's axis."""
        mine = frame_of(np.asarray(self.axis))
        if self.other_axis is not None:
            return mine, frame_of(np.asarray(self.other_axis))
        return mine, Rotation.from_quat(np.asarray(self.attitude_xyzw)).as_matrix() @ mine

    def numbers(self, model: Model) -> Numbers:
        """Its bodies and forbidden motions; both frames, stiffness and damping, length or pitch, the target's path."""
        pair = LOOP_JOINTS[self.joint]
        if "inertial" in model.body_names:
            raise InputError("Loop: a body cannot be named 'inertial', which is the inertial frame")
        body, point = point_of(model, self.body, self.point)
        other, far = -1, np.asarray(self.other_point)
        mine, theirs = self._axes()
        inside = model.flat.to_internal
        mine = inside[model.body_index(self.body)] @ mine
        if self.other != "inertial":
            other, far = point_of(model, self.other, self.other_point)
            theirs = inside[model.body_index(self.other)] @ theirs
        if body == other:
            raise InputError(f"Loop '{self.label}': both of its ends are on body '{self.body}'; it joins two")
        integers = (
            body,
            other,
            pair.along,
            pair.turns,
            pair.kind,
            pair.rows,
            self.is_rigid,
            self.times is not None,
            self.active is not None,
        )
        sizes = [*(getattr(self, name) for name in _STIFFNESSES), self.length or self.pitch or 0.0]
        path = np.empty(0) if self.times is None else path_numbers(None, None, None, self.times, self.positions)[1]
        parts = [point, far, mine.ravel(), theirs.ravel(), sizes, path]
        return Numbers(tuple(int(one) for one in integers), np.concatenate(parts))

    def check_start(self, state: State, span: tuple[float, float], others: object) -> None:
        """Raise if its target's path does not cover the run."""
        check_reach(f"Loop '{self.label}'", self.times, span)

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Its rows, if it is rigid."""
        bodies = (self.body,) if self.other == "inertial" else (self.body, self.other)
        return (Row(bodies),) * (LOOP_JOINTS[self.joint].rows if self.is_rigid else 0)

    def is_against(self, model: Model, state: State, *, as_given: bool = False) -> str:
        """Message if its axes are opposite, which closes the rows, too; a hinge may be so in a state `as_given`."""
        turns, (mine, theirs) = LOOP_JOINTS[self.joint].turns, self._axes()
        if turns not in (PARALLEL, ALIGNED) or (as_given and self.joint not in _ALIGNED):
            return ""
        if self.active is False or not self.is_rigid:
            return ""
        poses = forward_kinematics(model, state).bodies
        R = np.eye(3) if self.other == "inertial" else poses.rotation[..., model.body_index(self.other), :, :]
        B = poses.rotation[..., model.body_index(self.body), :, :]
        along = np.einsum("...ij,...ij->...j", R @ theirs, B @ mine)  # cosines between axes of one name
        against = along.min() < 0.0 if turns == ALIGNED else along[..., 2].min() < 0.0
        return "is closed the wrong way round: its axes point against each other" if against else ""

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """Its bodies, because its kernel `settles` needs their accelerations."""
        return tuple(name for name in (self.body, self.other) if name != "inertial")

    def fastest_rate(self, model: Model) -> float:
        """Fastest oscillation or decay of a compliant loop, estimated from its bodies' masses alone [1/s]."""
        ends = [model.body(name).mass for name in (self.body, self.other) if name != "inertial"]
        mobile = sum(1.0 / mass for mass in ends if mass > 0.0)
        return max(float(np.sqrt(self.stiffness * mobile)), float(self.damping * mobile))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which it acts: of both bodies."""
        other = "" if self.other == "inertial" else self.other
        return WrenchPoint(self.body, np.asarray(self.point)), WrenchPoint(other, np.asarray(self.other_point))

    @classmethod
    def as_met(cls, model: Model, state: State, joint: str, body: str, other: str, **fields: object) -> "Loop":
        """Make a loop that is closed at the relative pose of two bodies in a state.

        Parameters
        ----------
        model, state
            The robot, and one state of it.
        joint, body, other
            As of `Loop`.
        **fields
            Other fields of `Loop`, but for `other_point`, `attitude_xyzw` and `length`, which follow from the state;
            `other_point` of a distance is given.

        Returns
        -------
        Loop

        Raises
        ------
        InputError
            A batch, or fields that follow from the state.
        UnknownName
            Bodies that there are not.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> state = robot.state(q=[0.3, 0.4, 0.5, 0.2])
        >>> grip = sd.Loop.as_met(robot, state, "weld", robot.body_names[-1], "inertial", name="grip")
        >>> grip.joint, grip.is_rigid
        ('weld', True)
        """
        if state.shape:
            raise InputError(f"Loop.as_met takes one state; this is a batch {state.shape}: pick one, such as states[0]")
        follow = {"attitude_xyzw", "length"} | ({"other_point"} if joint != "distance" else set())
        if given := sorted(follow & set(fields)):
            raise InputError(
                f"Loop.as_met: {', '.join(given)} follows from the state; leave it out, or make a Loop(...)"
            )
        poses = forward_kinematics(model, state).bodies
        at, R = np.zeros(3), np.eye(3)
        if other != "inertial":
            j = model.body_index(other)
            at, R = poses.position[j], poses.rotation[j]
        i = model.body_index(body)
        place = poses.position[i] + poses.rotation[i] @ three("Loop", "point", fields.get("point", (0.0, 0.0, 0.0)))
        if joint == "distance":
            far = at + R @ three("Loop", "other_point", fields.get("other_point", (0.0, 0.0, 0.0)))
            return cls(joint, body, other, length=float(np.linalg.norm(place - far)), **fields)  # type: ignore[arg-type]
        turn = Rotation.from_matrix(R.T @ poses.rotation[i]).as_quat()
        if joint == "universal":
            turn = np.array([0.0, 0.0, 0.0, 1.0])
        far = np.zeros(3) if fields.get("times") is not None else R.T @ (place - at)  # of a path, positions
        return cls(joint, body, other, other_point=far, attitude_xyzw=turn, **fields)  # type: ignore[arg-type]


def frame_of(z: Array) -> Array:
    """Axes, as columns, with z as the third: the axes of the frame, turned by the smallest rotation that gives z.

    For z below the x-y plane, the frame is first turned by a half turn about x, so that no direction is singular.
    """
    x, y, up = z if z[2] >= 0.0 else -z
    across = -x * y / (1.0 + up)
    turned = np.array([[1.0 - x * x / (1.0 + up), across, x], [across, 1.0 - y * y / (1.0 + up), y], [-x, -y, up]])
    return turned if z[2] >= 0.0 else turned * [1.0, -1.0, -1.0]
