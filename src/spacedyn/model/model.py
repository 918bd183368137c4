"""The robot and nothing else: a frozen tree of bodies, joints and endpoints.

No time step, no gravity field, no state, no scratch memory. Models of the same content are equal.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..signatures import check_names, checked_arguments, keywords_of
from .digest import content_digest
from .parts import Body, Endpoint, Joint
from .state_parts import MEANT
from .structure import Structure

if TYPE_CHECKING:
    from .state import State


class Model(Structure):
    """A robot: a tree of bodies and joints, rooted at a base. Made by `Builder`, `load`, or the `from_...` methods.

    `bodies[0]` is the base, and `bodies[i]` the child of `joints[i - 1]`; joints keep the order in which they were
    declared, and q and q̇ follow that order. Every array of a part is float64 and read-only.

    Attributes
    ----------
    name : str
        What the robot is called.
    base_kind : str
        'free', 'attitude', 'planar' or 'fixed'.
    bodies : tuple of Body
        The base first.
    joints : tuple of Joint
        One for each body but the base.
    endpoints : tuple of Endpoint
        Named frames on any bodies.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> from spacedyn.model.shapes import box, cylinder
    >>> b = Builder("swinger")
    >>> b.base("bus", shapes=[box(50.0, (1, 1, 1))])
    >>> b.link("arm", "revolute", parent="bus", position=(0.5, 0, 0), shapes=[cylinder(5.0, 0.1, 1.0, (0, 0, 0.5))])
    >>> b.endpoint("hand", body="arm", position=(0, 0, 1.0))
    >>> robot = b.build()
    >>> robot.nq, robot.nv, robot.total_mass
    (1, 7, 55.0)
    >>> robot.u_slice("arm")
    slice(6, 7, None)
    """

    shape: tuple[int, ...] = ()  # of the robots that differ (fleet.py); a robot by itself has none

    def __init__(self, *_: Any, **__: Any):
        raise TypeError(
            "a Model is made by Builder(...).build(), load(...), Model.from_toml(...) or Model.from_arrays(...)"
        )

    @classmethod
    def _of(
        cls, name: str, base_kind: str, bodies: Iterable[Body], joints: Iterable[Joint], endpoints: Iterable[Endpoint]
    ) -> "Model":
        """Parts that have been checked (by `model.assemble`, the only caller) or were a model before."""
        model = object.__new__(cls)
        content = {"bodies": tuple(bodies), "joints": tuple(joints), "endpoints": tuple(endpoints)}
        vars(model).update(name=name, base_kind=base_kind, **content)
        return model

    # --- from here to states, other models and files -----------------------------------------------------------------

    @cached_property
    def flat(self) -> Any:
        """The robot as the kernels take it: flat arrays."""
        from .flatten import flatten

        return flatten(self)

    @checked_arguments(**MEANT)
    def state(
        self,
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
        """A state of this robot from its parts; what is not given is neutral. See `State.from_parts`."""
        from .state import State

        return State.from_parts(
            self,
            base_position=base_position,
            base_frame_position=base_frame_position,
            base_attitude=base_attitude,
            base_quaternion_xyzw=base_quaternion_xyzw,
            q=q,
            base_velocity=base_velocity,
            base_rate=base_rate,
            base_rate_in_base_axes=base_rate_in_base_axes,
            qd=qd,
        )

    def neutral_state(self) -> "State":
        """At the origin, unturned, every joint at its neutral coordinates, at rest."""
        from .state import State

        return State.neutral(self)

    def random_state(self, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> "State":
        """A random state, or a batch of them. See `State.random`."""
        from .state import State

        return State.random(self, rng, size)

    def vary(self, **parameters: Mapping[str, Any]) -> "Model":
        """Robots of this tree whose parameters differ: a `Fleet`, which every function takes like a Model.

        Parameters
        ----------
        **parameters : {name: values}
            By bodies: mass (…), com (…, 3), inertia (…, 3, 3) or its diagonal (…, 3). By joints: position (…, 3),
            rotation (…, 3, 3), pitch (…), and (…, nv), or (…) where there is one rate: rest (nq), stiffness,
            damping, friction, friction_speed, rotor_inertia, gear, lower, upper, stop_stiffness, stop_damping,
            max_rate, max_force. By endpoints: position, rotation. Units and frames are those of `Builder`. The leading
            axes are batch axes; those of all parameters broadcast.

        Returns
        -------
        Model
            A Fleet of that batch: `fleet.state(...)` makes states, `fleet[i]` is one robot as a Model of its own,
            `fleet.variation` what differs. Without batch axes, the same robot with other numbers.

        Raises
        ------
        ModelError
            With every problem, by robot and part.
        UnknownName, InputError
            A part or a parameter that does not exist; shapes that do not fit.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> fleet = robot.vary(mass={"base": [2500.0, 2550.0, 2600.0]}, damping={"joint1": [0.0, 0.1, 0.2]})
        >>> fleet.shape, fleet.body("base").mass, fleet[2].body("base").mass
        ((3,), array([2500., 2550., 2600.]), 2600.0)
        >>> sd.forward_dynamics(fleet, fleet.state(base_rate=[0, 0, 0.01])).shape
        (3, 12)
        """
        from .fleet import vary

        return vary(self, parameters)

    @checked_arguments()
    def lock(self, joints: str | Iterable[str] | Mapping[str, ArrayLike | None], at: "State | None" = None) -> "Model":
        """The same robot with some joints fixed: as given, or as they stand in the state `at`. See `surgery.lock`."""
        from .surgery import lock

        return lock(self, joints, at)

    @checked_arguments()
    def subtree(self, body: str, base_kind: str = "free") -> "Model":
        """The robot that a body and everything beyond it make. See `surgery.subtree`."""
        from .surgery import subtree

        return subtree(self, body, base_kind)

    @checked_arguments("at")
    def attach(self, other: "Model", at: str, frame: Any = None, *, prefix: str = "") -> "Model":
        """Both robots as one: the base of `other` is fixed `at` an endpoint or a body. See `surgery.attach`."""
        from .surgery import attach

        return attach(self, other, at, frame, prefix=prefix)

    @staticmethod
    def from_arrays(*arrays: Any, **options: Any) -> "Model":
        """A robot from SpaceDyn's arrays BB, J_type, c0, cc, ce, SE, Qi, Qe, m0, m, inertia0, inertia.

        By place or by name; `arrays.from_arrays` has the shapes and frames of each.
        """
        from .files.arrays import from_arrays

        check_names("argument of from_arrays()", options, keywords_of(from_arrays))
        return from_arrays(*arrays, **options)

    def to_arrays(self) -> dict[str, Any]:
        """SpaceDyn's arrays of this robot. See `arrays.to_arrays`."""
        from .files.arrays import to_arrays

        return to_arrays(self)

    @staticmethod
    @checked_arguments()
    def from_toml(path_or_text: str | os.PathLike[str]) -> "Model":
        """A robot from a TOML file, or the text of one. See `files.read_model`."""
        from .files.toml import read_model

        return read_model(path_or_text)

    @checked_arguments()
    def to_toml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The robot as TOML, without loss; also written to `path`, if given. See `files.write_model`."""
        from .files.toml import write_model

        return write_model(self, path)

    @staticmethod
    @checked_arguments()
    def from_urdf(path_or_text: str | os.PathLike[str], **options: Any) -> "Model":
        """A robot from a URDF file, or the text of one. See `urdf.read_urdf` for the options."""
        from .files.urdf import read_urdf

        check_names("option of from_urdf()", options, keywords_of(read_urdf)[1:])
        return read_urdf(path_or_text, **options)

    @staticmethod
    @checked_arguments()
    def from_mjcf(path_or_text: str | os.PathLike[str], **options: Any) -> "Model":
        """A robot from MuJoCo's XML, a file or the text of one. See `mjcf.read_mjcf` for the options."""
        from .files.mjcf import read_mjcf

        check_names("option of from_mjcf()", options, keywords_of(read_mjcf)[1:])
        return read_mjcf(path_or_text, **options)

    @checked_arguments()
    def to_urdf(self, path: str | os.PathLike[str] | None = None, *, lossy: bool = False) -> str:
        """The robot as URDF; also written to `path`, if given. See `urdf_write.write_urdf`."""
        from .files.urdf_write import write_urdf

        return write_urdf(self, path, lossy=lossy)

    # --- what it is, for Python and for people -----------------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal: equal for equal models, on every machine."""
        return content_digest(self.name, self.base_kind, self.bodies, self.joints, self.endpoints)

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    def __setattr__(self, name: str, _: Any) -> NoReturn:
        raise FrozenInstanceError(f"a Model is frozen: cannot set {name!r}; build another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"a Model is frozen: cannot delete {name!r}")

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, _: Any) -> "Model":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.name, self.base_kind, self.bodies, self.joints, self.endpoints)

    def __repr__(self) -> str:
        from .tree_text import count

        sizes = f"{count(self.n, 'joint')}, {count(self.nv, 'rate')}, {self.total_mass:.6g} kg"
        return f"<Model '{self.name}': {self.base_kind} base, {sizes}>"

    def __str__(self) -> str:
        from .tree_text import draw_tree
        from .vibration import report_lines

        return "\n".join([draw_tree(self), *report_lines(self)])

    def _repr_html_(self) -> str:
        from .tree_text import html_tree
        from .vibration import report_lines

        return html_tree(self, " ".join(report_lines(self)))


def robot_of(model: Model, row: int) -> Model:
    """The model of a row of states: of robots that differ, that robot's."""
    return model.of_rows(np.array(row)) if model.shape else model  # type: ignore[attr-defined]


def _restore(
    name: str,
    base_kind: str,
    bodies: tuple[Body, ...],
    joints: tuple[Joint, ...],
    endpoints: tuple[Endpoint, ...],
) -> Model:
    """A model out of a pickle, its arrays read-only again (NumPy's pickles forget that)."""
    looks = [look for body in bodies for look in (*body.visuals, *body.collisions)]
    shapes = [shape for body in bodies for shape in body.shapes]
    shapes += [look.shape for look in looks if look.shape is not None]
    for part in (*bodies, *joints, *endpoints, *shapes, *looks):
        for value in vars(part).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
    return Model._of(name, base_kind, bodies, joints, endpoints)
