"""What laws that lead an endpoint share: which joints, which directions, the path, the robot's parameters."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import InputError, nearest
from ...model.model import Model
from ...model.state import State
from ...motion.endpoint_paths import path_from
from ...quantities.kinematics import endpoint_jacobian, endpoint_pose
from ...quantities.matrices import mass_matrix
from ..law import LawTemplate
from .arguments import check, choice, number
from .cores.linked import link
from .cores.places import ACTIVE
from .plant import command, look, plant, pointer, reduced_at, tally

Array = np.ndarray
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""What an endpoint may follow: along inertial axes, and turns about them."""

STATES = {"damped": 1, "limited": 1}
"""States of these laws: how long each was damped near singular poses, and slowed down [s], by how much it was."""


def law_around(core: Any, name: str) -> LawTemplate:
    """A law that hands what it sees to a C function and writes the forces that this finds to its joints."""

    def around(t: float, s: Any, p: Any, out: Any) -> None:
        n, w = look(
            p.plan, p.par, s.base_position, s.base_quaternion_xyzw, s.q, s.base_velocity, s.base_rate, s.qd
        )  # fmt: skip
        core(t, pointer(n), pointer(w), pointer(p.settings), pointer(p.path))
        tally(n, w, p.stop, p.step, s.damped, s.limited, out.damped, out.limited)
        command(n, w, out.tau, n[ACTIVE])

    around.__name__ = name
    return LawTemplate(around, states=STATES)


def rows_of(law: str, model: Model, follow: Iterable[str] | str | None) -> list[int]:
    """Which of `DIRECTIONS` an endpoint follows, as places; those that a planar robot has, if none are named."""
    if follow is None:
        follow = ("x", "y", "rz") if model.base_kind == "planar" else DIRECTIONS
    named = [follow] if isinstance(follow, str) else list(follow)
    for one in named:
        if one not in DIRECTIONS:
            raise InputError(f"{law}: follow has no direction {one!r}; {nearest(str(one), DIRECTIONS)}")
    if not named or len(set(named)) != len(named):
        raise InputError(f"{law}: follow names directions once each, of {', '.join(DIRECTIONS)}, got {named}")
    return sorted(DIRECTIONS.index(one) for one in named)


def chain_to(model: Model, body: str) -> list[str]:
    """Joints that move between the base and a body, base first."""
    joints, above = [], {joint.child: joint for joint in model.joints}
    while body in above:
        joints.append(above[body])
        body = above[body].parent
    return [joint.name for joint in reversed(joints) if joint.nv > 0]


def _rates(law: str, model: Model, joints: Iterable[str] | None) -> tuple[list[int], list[int]]:
    """Rates of joints, as in u, and the coordinate of each, as in q; -1 of joints that turn in all directions."""
    named = [joints] if isinstance(joints, str) else joints
    chosen = [joint for joint in model.joints if joint.nv > 0] if named is None else [model.joint(one) for one in named]
    rates: list[int] = []
    places: list[int] = []
    for joint in chosen:
        q, qd = model.q_slice(joint.name), model.qd_slice(joint.name)
        rates += range(model.base_dof + qd.start, model.base_dof + qd.stop)
        places += range(q.start, q.stop) if joint.kind_record.plain_coordinates else [-1] * joint.nv
    if not rates:
        raise InputError(f"{law}: there is no joint to move")
    if len(set(rates)) != len(rates):
        raise InputError(f"{law}: a joint is named twice")
    return rates, places


class Driven:
    """Joints that a model-based law drives, and how the rest of the robot is taken.

    Parameters
    ----------
    law : str
        For messages.
    model, state
        The robot and the state that it starts from.
    joints : names, optional
        Those that the law drives.
    others : 'free' or 'held'
        Whether all other joints react, or are held by others.
    """

    def __init__(self, law: str, model: Model, state: State, joints: Iterable[str] | None, others: str = "free"):
        check(law, model, state)
        self.law, self.model, self.state = law, model, state
        self.active, self.places = _rates(law, model, joints)
        rest = sorted(set(range(model.base_dof, model.nv)) - set(self.active))
        self.given = rest if choice(law, "others", others, ("free", "held")) == "held" else []

    @property
    def size(self) -> int:
        """Number of rates that the law drives."""
        return len(self.active)

    @cached_property
    def _reduced(self) -> tuple[Array, Array]:
        return reduced_at(self.model, self.state, self.active, self.given)

    @property
    def reaction(self) -> Array:
        """(nv, rates) u̇ for accelerations of the driven joints, in the state."""
        return self._reduced[1]

    def drive_base(self) -> None:
        """Drive the base's turning, too, by torques from outside."""
        base = range(self.model.base_dof - 3, self.model.base_dof)
        self.active, self.places = [*self.active, *base], [*self.places, -1, -1, -1]
        self.__dict__.pop("_reduced", None)

    @property
    def home(self) -> Array:
        """(rates,) where they are in the state; 0 where a rate has no coordinate of its own."""
        return np.where(np.array(self.places) < 0, 0.0, self.state.q[self.places])

    def plant(self, gravity: Any, **more: Any) -> dict[str, Any]:
        """The robot's parameters."""
        return plant(self.model, self.active, given=self.given, places=self.places, gravity=gravity, **more)

    def threshold(self, singular: float | None, A: Array, share: float = 0.002) -> float:
        """Singular values below this are damped: as given, or this share of the largest that there is in the state."""
        if singular is None:
            return max(share * float(np.linalg.norm(A, 2)), 1e-12) if A.size else 1e-12
        return number(self.law, "singular", singular, least=1e-12)

    def common(self, core: Any, on_singular: str, epsilon: float, A: Array, period: float | None) -> dict[str, Any]:
        """Parameters that all of these laws have; a pose that is singular at the start is an error, if it shall be."""
        link(core)
        stop = choice(self.law, "on_singular", on_singular, ("damp", "stop")) == "stop"
        least = float(np.linalg.svd(A, compute_uv=False)[-1]) if A.size else np.inf
        if stop and least < epsilon:
            raise InputError(
                f"{self.law}: the pose that it starts in is singular: the least singular value is {least:.3g}, below "
                f"{epsilon:.3g}; start elsewhere, follow fewer directions, or take on_singular='damp'"
            )
        return {"stop": float(stop), "step": 0.0 if period is None else float(period)}


class Led(Driven):
    """The same with an endpoint that follows a path; joints between it and the base if none are named."""

    def __init__(
        self, law: str, model: Model, state: State, endpoint: str, path: Any, follow: Any, joints: Any, others: str
    ):
        check(law, model, state)
        self.endpoint = model.endpoint_index(endpoint)
        between = chain_to(model, model.endpoints[self.endpoint].body)
        super().__init__(law, model, state, between if joints is None else joints, others)
        self.rows = rows_of(law, model, follow)
        pose = endpoint_pose(model, state, endpoint)
        self.path = path_from(law, path, pose.position, pose.rotation).numbers()
        self.jacobian = endpoint_jacobian(model, state, endpoint)

    def check_rank(self, more: int = 0) -> None:
        """Raise if joints are fewer than directions, of which the base may take some."""
        if len(self.rows) + more > self.size:
            base = f", beside {more} of the base" if more else ""
            raise InputError(
                f"{self.law}: '{self.model.endpoint_names[self.endpoint]}' is to follow {len(self.rows)} directions"
                f"{base}, and {self.size} joint rates move it; name as many as these allow, follow = ['x', 'y', 'z']"
            )

    @property
    def map(self) -> Array:
        """(rows, joints) generalized Jacobian in the state, in the directions that are followed."""
        return (self.jacobian @ self.reaction)[self.rows]

    @property
    def moved(self) -> Array:
        """(rows, rows) inertia that joint forces meet at the endpoint, (G H⁻¹ G')⁻¹, within three decades."""
        inverse, vectors = np.linalg.eigh(self.map @ np.linalg.solve(self._reduced[0], self.map.T))
        return vectors @ np.diag(1.0 / np.maximum(inverse, 1e-3 * inverse.max())) @ vectors.T

    @property
    def felt(self) -> Array:
        """(6,) inertia that a push on the endpoint meets in the state [kg, kg m²]; 0 where it cannot move."""
        with np.errstate(divide="ignore"):
            inverse = np.einsum("ij,ij->i", self.jacobian, np.linalg.solve(self._mass(), self.jacobian.T).T)
            return np.where(inverse > 1e-12 * inverse.max(), 1.0 / inverse, 0.0)

    def _mass(self) -> Array:
        return mass_matrix(self.model, self.state)

    def parameters(self, gravity: Any) -> dict[str, Any]:
        """The robot's parameters, and the path."""
        return {**self.plant(gravity, endpoint=self.endpoint, rows=self.rows), "path": self.path}
