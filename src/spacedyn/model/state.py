"""The state of a robot, or of a batch: positions and rates, the quantities that a simulation integrates."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError, NamesItsAttributes, NoSuchRobot
from ..reals import finite_array
from ..signatures import check_names, checked_arguments, keywords_of
from .manifold import motion_between, move
from .quaternions import normalised
from .state_parts import (
    BASE_RATES,
    MEANT,
    arrays_in,
    attitude_quaternion,
    batch_axes,
    check_quaternions,
    joined_batches,
    joint_values,
    layout_of,
    one_of,
    optional,
    read_only,
    required,
    write_joints,
)

if TYPE_CHECKING:
    from .model import Model


class State(NamesItsAttributes):
    """Positions and rates of a robot, or of a batch of robots of one model; immutable.

    Made by `model.state(...)`, `model.neutral_state()`, `model.random_state(rng)`. Leading axes are batch axes, and
    every function of the package then returns the same batch. Names, frames and order: docs/notation.md.

    Attributes
    ----------
    model : Model
        The robot.
    shape : tuple of int
        The batch; () for one robot.
    internal : mapping of (…, size) arrays
        States that elements and laws declare, by 'element.state': where a simulation starts them, if they are given
        (`with_internal`), and where it has left them. What is not there starts as its owner says.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.state(q=[0, 0.4, -0.8, 0, 0.4, 0], base_rate=[0, 0, 0.01])
    >>> state.q.shape, state.u.shape
    ((6,), (12,))
    >>> batch = robot.random_state(np.random.default_rng(0), size=1000)
    >>> batch.shape, batch[7].q.shape
    ((1000,), (6,))
    """

    __slots__ = ("__dict__", "_data", "_flat", "_rows", "count", "model", "shape")
    internal: Mapping[str, np.ndarray] = MappingProxyType({})
    _instead = dict.fromkeys(("t", "time", "times"), "a state has no time: those of a run are run.time [s]")

    def __init__(self, model: "Model", data: np.ndarray):
        """`data` is (…, 7 + nq + nv), C-contiguous and finite, with unit quaternions; use `from_parts`."""
        self.model = model
        self._data = data
        self.shape = data.shape[:-1]
        self.count = data.size // data.shape[-1]
        self._rows = data.reshape(-1)
        self._flat: FlatState | None = None  # made when it is first needed

    # --- making one --------------------------------------------------------------------------------------------------

    @classmethod
    def neutral(cls, model: "Model", size: int | tuple[int, ...] | None = None) -> "State":
        """At the origin, unturned, every joint at zero (no turn), at rest."""
        return cls._neutral(model, (*batch_axes(size), *model.shape))

    @classmethod
    def _neutral(cls, model: "Model", shape: tuple[int, ...]) -> "State":
        data = np.zeros((*shape, 7 + model.nq + model.nv))
        data[..., layout_of(model).scalar_parts] = 1.0
        return cls(model, data)

    @classmethod
    def random(cls, model: "Model", rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> "State":
        """Attitudes spread evenly, all other coordinates and rates standard normal; within the joints' limits."""
        layout = layout_of(model)
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng: expected a generator such as numpy.random.default_rng(0), got {rng!r}")
        data = rng.normal(size=(*batch_axes(size), *model.shape, 7 + model.nq + model.nv))
        if model.base_kind == "planar":
            data[..., [2, 3, 4]] = 0.0
        for start in layout.quaternions:
            part = data[..., start : start + 4]
            part[:] = normalised(part)
        q = data[..., layout.simple_x]
        data[..., layout.simple_x] = np.clip(q, layout.lower, layout.upper)
        return cls(model, data)

    @classmethod
    @checked_arguments(**MEANT)
    def from_parts(
        cls,
        model: "Model",
        *,
        base_position: ArrayLike | None = None,
        base_frame_position: ArrayLike | None = None,
        base_attitude: Any = None,
        base_quaternion_xyzw: ArrayLike | None = None,
        q: ArrayLike | Mapping[str, ArrayLike] | None = None,
        base_velocity: ArrayLike | None = None,
        base_rate: ArrayLike | None = None,
        base_rate_in_base_axes: ArrayLike | None = None,
        qd: ArrayLike | Mapping[str, ArrayLike] | None = None,
    ) -> "State":
        """A state from whatever parts are given; the others are neutral. Batch axes broadcast.

        Parameters
        ----------
        model : Model
            The robot.
        base_position : (…, 3)
            Of the base's centre of mass [m], inertial axes.
        base_frame_position : (…, 3)
            Of the base's frame instead, for bases whose centre of mass is elsewhere.
        base_attitude : Rotation or (…, 3, 3)
            Base axes -> inertial axes.
        base_quaternion_xyzw : (…, 4)
            The same as a unit quaternion, scalar last.
        q : (…, nq) or {joint: value}
            Joint coordinates [rad, m]; quaternions (x, y, z, w) in spherical and free joints.
        base_velocity, base_rate : (…, 3)
            v0 of the base's centre of mass [m/s], and ω0 [rad/s], both in inertial axes.
        base_rate_in_base_axes : (…, 3)
            ω0 in base axes instead, as a gyro has it.
        qd : (…, nv - base) or {joint: value}
            Joint rates [rad/s, m/s].

        Raises
        ------
        InputError
            A wrong shape, a number that is not finite, a quaternion that is not of unit length, or a rate that this
            kind of base does not have.
        UnknownName
            No such joint.
        """
        quaternion = attitude_quaternion(base_attitude, base_quaternion_xyzw)
        position = one_of("base_position", base_position, "base_frame_position", base_frame_position)
        rate = one_of("base_rate", base_rate, "base_rate_in_base_axes", base_rate_in_base_axes)
        given = {
            "position": optional(
                "base_position" if base_frame_position is None else "base_frame_position", position, 3
            ),
            "quaternion": quaternion,
            "q": joint_values(model, "q", q),
            "velocity": optional("base_velocity", base_velocity, 3),
            "rate": optional("base_rate" if base_rate_in_base_axes is None else "base_rate_in_base_axes", rate, 3),
            "qd": joint_values(model, "qd", qd),
        }
        shapes = [a.shape[:-1] for part in given.values() for a in arrays_in(part)]
        batch = joined_batches("the parts of the state", model.shape, *shapes)
        if batch[len(batch) - len(model.shape) :] != model.shape:
            raise InputError(f"the last batch axes of a state of these robots must be {model.shape}, got {batch}")
        state = cls._neutral(model, batch)
        data, layout = state._data, layout_of(model)
        if given["position"] is not None:
            data[..., :3] = given["position"]
        if quaternion is not None:
            data[..., 3:7] = quaternion
        write_joints(model, data[..., 7 : 7 + model.nq], given["q"], model.q_slice)
        write_joints(model, data[..., 7 + model.nq + model.base_dof :], given["qd"], model.qd_slice)
        check_quaternions(model, data, layout)
        turned = Rotation.from_quat(data[..., 3:7])
        if base_frame_position is not None:
            com = np.broadcast_to(model.bodies[0].com, data[..., :3].shape).copy()  # SciPy wants to write to it
            data[..., :3] += turned.apply(com)
        spin = given["rate"]
        if base_rate_in_base_axes is not None:
            spin = turned.apply(spin)
        state._set_base_rates(given["velocity"], spin)
        return state

    def _set_base_rates(self, velocity: np.ndarray | None, rate: np.ndarray | None) -> None:
        model, kept = self.model, BASE_RATES[self.model.base_kind]
        both = np.zeros((*self.shape, 6))
        for part, value in ((slice(0, 3), velocity), (slice(3, 6), rate)):
            if value is not None:
                both[..., part] = value
        held = [k for k in range(6) if k not in kept]
        if np.any(both[..., held] != 0.0):
            names = [("vx", "vy", "vz", "ωx", "ωy", "ωz")[k] for k in held if np.any(both[..., k] != 0.0)]
            raise InputError(
                f"a base of kind '{model.base_kind}' cannot have {', '.join(names)} (inertial axes); give 0"
            )
        self._data[..., 7 + model.nq : 7 + model.nq + model.base_dof] = both[..., list(kept)]

    def replace(self, **parts: Any) -> "State":
        """The same state with some parts changed; named as in `from_parts`. Joints that are not named stay."""
        check_names("argument of replace()", parts, PARTS, MEANT)
        keep: dict[str, Any] = {"q": self.q, "base_velocity": self.base_velocity, "qd": self.qd}
        if "base_frame_position" not in parts:
            keep["base_position"] = self.base_position
        if "base_attitude" not in parts:
            keep["base_quaternion_xyzw"] = self.base_quaternion_xyzw
        if "base_rate_in_base_axes" not in parts:
            keep["base_rate"] = self.base_rate
        for name, slices in (("q", self.model.q_slice), ("qd", self.model.qd_slice)):
            if isinstance(parts.get(name), Mapping):
                now = {joint: keep[name][..., slices(joint)] for joint in self.model.joint_names}
                parts[name] = {**now, **parts[name]}
        return self._handing_on(State.from_parts(self.model, **{**keep, **parts}))

    @checked_arguments()
    def with_internal(self, internal: Mapping[str, Any]) -> "State":
        """The same state with these states of elements and laws, by 'element.state': numbers, or (…, size) arrays.

        They take the place of those that it has; with none, their owners start them.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> stick = sd.BristleFriction("joint1", coulomb=1.0, name="stick")
        >>> start = robot.neutral_state().with_internal({"stick.bristle": 1e-6})
        >>> run = sd.simulate(robot, start, 0.1, elements=[stick])
        >>> float(run.states.internal["stick.bristle"][0, 0])
        1e-06
        """
        given = {}
        for name, value in internal.items():
            if not isinstance(name, str):
                raise InputError(f"internal states: names are texts, such as 'element.state', got {name!r}")
            array = finite_array(f"internal state '{name}'", value, "finite numbers, one or (…, size)", None)
            if array.ndim == 0:
                array = np.broadcast_to(array, (*self.shape, 1))
            elif array.shape[:-1] != self.shape:
                array = self._spread(f"internal state '{name}'", array)
            given[name] = read_only(np.array(array))
        return self._carrying(given)

    def _spread(self, what: str, array: np.ndarray) -> np.ndarray:
        """An array (…, size) over the batch axes."""
        try:
            return np.broadcast_to(array, (*self.shape, array.shape[-1]))
        except ValueError:
            reason = f"{what}: the state has batch axes {self.shape}, got an array of shape {array.shape}"
            raise InputError(f"{reason}; give one number, ({array.shape[-1]},), or the batch axes before it") from None

    def _handing_on(self, made: "State") -> "State":
        """A state made from this one, whose batch axes may be more, with the internal states of this one."""
        if made.shape == self.shape:
            return made._carrying(self.internal)
        return made._carrying({k: read_only(made._spread(k, v).copy()) for k, v in self.internal.items()})

    def _carrying(self, internal: Mapping[str, np.ndarray]) -> "State":
        """The same positions and rates, with these internal states."""
        made = State(self.model, self._data)
        if internal:
            made.__dict__["internal"] = MappingProxyType(dict(internal))
        return made

    # --- reading its parts -------------------------------------------------------------------------------------------

    @cached_property
    def x(self) -> np.ndarray:
        """(…, 7 + nq): base position, base quaternion (x, y, z, w), joint coordinates."""
        return read_only(self._data[..., : 7 + self.model.nq])

    @cached_property
    def u(self) -> np.ndarray:
        """(…, nv): rates of the base (v0, ω0 as far as it has them), joint rates."""
        return read_only(self._data[..., 7 + self.model.nq :])

    @property
    def base_position(self) -> np.ndarray:
        """(…, 3) of the base's centre of mass [m], inertial axes."""
        return self.x[..., :3]

    @property
    def base_attitude(self) -> Rotation:
        """Base axes -> inertial axes, as a SciPy Rotation over the batch."""
        return Rotation.from_quat(self.x[..., 3:7].copy())  # SciPy wants an array that may be written to

    @property
    def base_quaternion_xyzw(self) -> np.ndarray:
        """(…, 4) base axes -> inertial axes, scalar last."""
        return self.x[..., 3:7]

    @property
    def q(self) -> np.ndarray:
        """(…, nq) joint coordinates [rad, m]."""
        return self.x[..., 7:]

    @property
    def base_velocity(self) -> np.ndarray:
        """(…, 3) of the base's centre of mass [m/s], inertial axes; zero where the base is held."""
        return self._base_rates(slice(0, 3))

    @property
    def base_rate(self) -> np.ndarray:
        """(…, 3) angular velocity of the base [rad/s], inertial axes; zero where the base is held."""
        return self._base_rates(slice(3, 6))

    @property
    def base_rate_in_base_axes(self) -> np.ndarray:
        """(…, 3) angular velocity of the base [rad/s] in its own axes, as a gyro has it."""
        axes = self.base_attitude.as_matrix()
        return read_only(np.einsum("...ji,...j->...i", axes, self.base_rate))

    @property
    def qd(self) -> np.ndarray:
        """(…, nv - base) joint rates [rad/s, m/s]."""
        return self.u[..., self.model.base_dof :]

    def _base_rates(self, part: slice) -> np.ndarray:
        both = np.zeros((*self.shape, 6))
        both[..., list(BASE_RATES[self.model.base_kind])] = self.u[..., : self.model.base_dof]
        return read_only(both[..., part])

    # --- moving on the manifold --------------------------------------------------------------------------------------

    def integrate(self, step: ArrayLike, rates: ArrayLike | None = None) -> "State":
        """The state after a small motion `step` (…, nv), such as u dt; positions stay on their manifold.

        Positions add up; the base turns by the rotation vector in inertial axes, spherical and free joints by theirs
        in the child's axes. Rates stay as they are, or become `rates` (…, nv); internal states stay.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> a, b = (robot.random_state(np.random.default_rng(k)) for k in (0, 1))
        >>> np.allclose(a.integrate(a.difference(b)).base_attitude.as_matrix(), b.base_attitude.as_matrix())
        True
        """
        model = self.model
        step = required("step", step, model.nv)
        new_rates = self.u if rates is None else required("rates", rates, model.nv)
        batch = joined_batches("the state, step and rates", self.shape, step.shape[:-1], new_rates.shape[:-1])
        data = np.empty((*batch, self._data.shape[-1]))
        data[..., : 7 + model.nq] = self.x
        data[..., 7 + model.nq :] = new_rates
        move(model, data[..., : 7 + model.nq], step)
        if not np.isfinite(data).all():
            raise InputError(f"step: {np.abs(step).max():.3g} is too large a motion; positions would not be finite")
        return self._handing_on(State(model, data))

    def difference(self, other: "State") -> np.ndarray:
        """(…, nv): the small motion that takes this state's positions to the other's; undoes `integrate`."""
        model = self.model
        if not isinstance(other, State):
            raise InputError(f"expected another State of '{model.name}', got {type(other).__name__}")
        if other.model is not model and other.model != model:
            raise InputError(f"the other state is of model '{other.model.name}', this one of '{model.name}'")
        batch = joined_batches("the two states", self.shape, other.shape)
        a, b = (np.broadcast_to(s.x, (*batch, 7 + model.nq)) for s in (self, other))
        return motion_between(model, a, b)

    # --- batches -----------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> "State":
        """Part of a batch, indexed like an array over the batch axes."""
        if not self.shape:
            raise InputError("this is the state of one robot; only a batch can be indexed")
        try:
            if isinstance(index, int | np.integer) and not self.model.shape:
                made = State(self.model, self._data[index])
                return made._carrying({k: v[index] for k, v in self.internal.items()}) if self.internal else made
            picked = np.arange(self.count).reshape(self.shape)[index]  # an ellipsis must not reach the parts of a state
        except Exception as reason:  # whatever NumPy, or a foreign object, says of such an index
            raise NoSuchRobot(f"the batch of shape {self.shape} has no such robots: {reason}") from None
        return self._of_rows(picked)

    def flattened(self) -> "State":
        """The same robots along one batch axis."""
        return self._of_rows(np.arange(self.count))

    def _of_rows(self, rows: np.ndarray) -> "State":
        model = self.model.of_rows(rows) if self.model.shape else self.model  # type: ignore[attr-defined]
        made = State(model, self._data.reshape(self.count, self._data.shape[-1])[rows])
        if not self.internal:
            return made
        return made._carrying({k: v.reshape(self.count, v.shape[-1])[rows] for k, v in self.internal.items()})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("the state of one robot has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        what = "one robot" if not self.shape else f"batch {self.shape}"
        return f"<State of '{self.model.name}': {what}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.model, self._data, dict(self.internal))


class FlatState:
    """A state as the kernels take it, with the arrays of its model.

    It is what functions that take a microsecond read a state by: a State names its attributes to who misspells one,
    and Python up to 3.11 finds those of such a class several times more slowly.
    """

    __slots__ = ("count", "flat", "model", "rows", "shape")

    def __init__(self, state: State):
        self.model, self.flat = state.model, state.model.flat
        self.shape, self.count, self.rows = state.shape, state.count, state._rows


PARTS = keywords_of(State.from_parts)[1:]
"""Names of the parts of a state."""


def _restored(model: "Model", data: np.ndarray, internal: Mapping[str, np.ndarray]) -> State:
    """A state as it was pickled; kernels are compiled for arrays that may be written to, and buffers may not."""
    return State(model, np.require(data, requirements=["C", "W"]))._carrying(internal)
