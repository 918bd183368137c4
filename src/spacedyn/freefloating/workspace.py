"""Path-independent and path-dependent workspace of an arm on a floating base.

Nothing from outside: the robot's centre of mass stays, and by going around loops the base can be turned to any
attitude. So what counts is the endpoint's distance from the centre of mass, a function of the joints alone. At a
distance which no dynamic singularity has, an endpoint comes and goes on any path: path-independent. At one that a
singularity has, it depends on the path whether the arm can go on: path-dependent. Papadopoulos & Dubowsky (1993).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import Bounds, minimize

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..model.state_parts import layout_of
from ..quantities.calls import check_model, check_state
from ..quantities.freefloating import base_recoil
from ..quantities.kinematics import endpoint_pose
from ..quantities.momentum import center_of_mass
from ..show.plots.rings import draw_rings
from ..signatures import checked_arguments
from .joint_paths import coordinates_of
from .manipulability import dynamic_singularities, task_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = np.ndarray
_STATES = 40_000  # of a grid, if nothing is said
_MOST = 300_000
OUTSIDE, PATH_INDEPENDENT, PATH_DEPENDENT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Workspace:
    """Distances of an endpoint from the robot's centre of mass, as rings (planar arms) or shells.

    Attributes
    ----------
    reach : (2,)
        The least and the largest distance [m].
    path_independent, path_dependent : (rings, 2)
        Inner and outer distances [m] of each ring; together they are all that is in reach.
    edges, kind : (bins + 1,), (bins,)
        The same as a map: distances from 0 on [m], and between them 0 (out of reach), 1 (path-independent) or 2
        (path-dependent).
    singular : State
        (found,) the singular postures that were found, the base as in the state that was given.
    singular_distance : (found,)
        The endpoint's distance in each of them [m].
    """

    reach: Array
    path_independent: Array
    path_dependent: Array
    edges: Array
    kind: Array
    singular: State
    singular_distance: Array

    def plot(self, *, style: str = "screen", width: float = 4.6) -> "Figure":
        """A figure of the rings about the centre of mass; needs matplotlib."""
        rings = {"path-independent": self.path_independent, "path-dependent": self.path_dependent}
        return draw_rings(rings, "distance from the centre of mass [m]", style, width)


@checked_arguments("endpoint", "joints", "task")
def workspace(
    model: Model,
    endpoint: str,
    *,
    state: State | None = None,
    joints: Any = None,
    task: str | Iterable[str] = "position",
    samples: int | None = None,
    bins: int = 100,
) -> Workspace:
    """Which distances from the robot's centre of mass an endpoint reaches, and whether that depends on the path.

    Parameters
    ----------
    model : Model
        One robot with a base that is free, or free in a plane.
    endpoint : str
        Its name.
    state : State, optional
        What joints that do not move are held at, and the base's attitude; neutral if left out.
    joints : names of joints, optional
        Those that move, as many coordinates as the task has components; all if left out.
    task : 'position' or some of vx, vy, vz
        The space that the arm moves in: x and y for a planar base. An arm that moves in a plane on a free base needs to
        be told: task=["vx", "vy"].
    samples : int, optional
        Of each coordinate, over its limits or a whole turn; so that the grid has some 40 000 states, if left out.
    bins : int
        Of the map from 0 to the largest distance; rings nearer to each other than a bin count as one.

    Returns
    -------
    Workspace
        `reach`, `path_independent`, `path_dependent` [m], the map, and the singular postures; `.plot()` draws it. The
        reach is found to rounding, edges of rings to the square of the grid's step.

    Raises
    ------
    InputError
        A base that keeps no linear momentum; more or fewer joints than components; a slide without limits.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link").lock(["joint3", "joint4"])
    >>> found = sd.freefloating.workspace(robot, "hand")
    >>> found.reach.round(3).tolist()
    [1.75, 3.607]
    >>> found.path_dependent.shape[1], int(found.kind.max())
    (2, 2)
    """
    check_model(model)
    if model.shape:
        raise InputError("workspace: expected one robot, got a fleet; take one of them, fleet[i]")
    if model.base_kind not in ("free", "planar"):
        raise InputError(f"'{model.name}' has a base of kind '{model.base_kind}', which keeps no linear momentum")
    held = model.neutral_state() if state is None else state
    check_state(model, held)
    if held.shape:
        raise InputError(f"state: expected the state of one robot, got a batch of shape {held.shape}")
    rows = task_rows(model, task)
    if max(rows) > 2:
        raise InputError(f"task: expected 'position' or some of vx, vy, vz, got {task!r}")
    space = _JointSpace(model, held, endpoint, joints, rows)
    many = _samples(samples, len(space.lower))
    if not 1 <= bins <= 10_000:
        raise InputError(f"bins: expected a number from 1 to 10 000, got {bins}")
    grid = space.grid(many)
    found = dynamic_singularities(model, grid, endpoint, task=_names(rows), joints=space.joints).states
    return _sorted(space.reach(grid), found, space.distance(found), bins)


def _names(rows: list[int]) -> list[str]:
    return [("vx", "vy", "vz")[row] for row in rows]


def _samples(samples: int | None, joints: int) -> int:
    many = int(_STATES ** (1 / joints)) + 1 if samples is None else samples
    if not (many >= 4 and many**joints <= _MOST):
        raise InputError(f"samples: expected 4 or more, and at most 300 000 states in all, got {samples}")
    return many


class _JointSpace:
    """The coordinates that move, their ranges, and the endpoint's distance from the centre of mass."""

    def __init__(self, model: Model, held: State, endpoint: str, joints: Any, rows: list[int]):
        self.model, self.held, self.endpoint, self.rows = model, held, endpoint, rows
        base_recoil(model, held)
        chosen, _ = coordinates_of(model, joints)
        for joint in model.joints:
            if joint.kind_record.has_attitude and chosen[model.q_slice(joint.name)].any():
                raise InputError(
                    f"joint '{joint.name}' is {joint.kind}, which has no grid; name the others: joints=[...]"
                )
        self.places = np.flatnonzero(chosen)
        self.joints = [j.name for j in model.joints if chosen[model.q_slice(j.name)].any()]
        if len(self.places) != len(rows):
            raise InputError(
                f"workspace: {len(self.places)} coordinates move, the task has {len(rows)} components; name as many "
                "joints as that: joints=[...], the others are held"
            )
        layout = layout_of(model)
        column = {int(place) - 7: k for k, place in enumerate(layout.simple_x)}
        limits = np.array([[layout.lower[column[p]], layout.upper[column[p]]] for p in self.places.tolist()])
        for joint in model.joints:
            start = model.q_slice(joint.name).start
            for slide in joint.kind_record.translations:
                if chosen[start + slide] and not np.isfinite(limits[self.places == start + slide]).all():
                    raise InputError(f"joint '{joint.name}' slides without limits; give it lower and upper")
        lower, upper = limits[:, 0], limits[:, 1]
        self.lower = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * np.pi, -np.pi))
        self.upper = np.where(np.isfinite(upper), upper, self.lower + 2 * np.pi)

    def states(self, values: Array) -> State:
        """The robot with these values (…, moving coordinates)."""
        q = np.broadcast_to(self.held.q, (*values.shape[:-1], self.model.nq)).copy()
        q[..., self.places] = values
        return self.held.replace(q=q)

    def grid(self, samples: int) -> State:
        """(samples, samples, …) over all ranges."""
        lines = [np.linspace(a, b, samples) for a, b in zip(self.lower, self.upper, strict=True)]
        return self.states(np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1))

    def distance(self, states: State) -> Array:
        """(…) of the endpoint from the centre of mass [m], in the space of the task."""
        lever = endpoint_pose(self.model, states, self.endpoint).position - center_of_mass(self.model, states)
        return np.linalg.norm(lever[..., self.rows], axis=-1)

    def reach(self, grid: State) -> Array:
        """(2,) the least and the largest distance: the best of the grid, refined."""
        distances, values = self.distance(grid).ravel(), grid.q[..., self.places].reshape(-1, len(self.places))
        bounds, ends = Bounds(self.lower, self.upper), []
        for sign, first in ((1.0, np.argmin(distances)), (-1.0, np.argmax(distances))):
            found = minimize(
                lambda some, s=sign: s * float(self.distance(self.states(some))) ** 2,
                values[first],
                bounds=bounds,
                options={"ftol": 1e-15, "gtol": 1e-10},
            )
            best = min(found.fun, sign * distances[first] ** 2)
            ends.append(np.sqrt(max(sign * best, 0.0)))
        return np.array(ends)


def _sorted(reach: Array, found: State, distances: Array, bins: int) -> Workspace:
    """The rings, and the map of them."""
    edges = np.linspace(0.0, reach[1], bins + 1)
    place = np.clip(np.searchsorted(edges, distances, side="right") - 1, 0, bins - 1)
    hit = np.zeros(bins, dtype=bool)
    hit[place] = True
    starts = np.flatnonzero(hit & ~np.append(False, hit[:-1]))
    stops = np.flatnonzero(hit & ~np.append(hit[1:], False))
    members = [distances[(place >= a) & (place <= b)] for a, b in zip(starts, stops, strict=True)]
    dependent = np.array([[d.min(), d.max()] for d in members]).reshape(-1, 2)
    limits = np.concatenate([[reach[0]], dependent.ravel(), [reach[1]]]).reshape(-1, 2)
    independent = limits[limits[:, 1] - limits[:, 0] > 1e-9 * reach[1]]
    middle = 0.5 * (edges[:-1] + edges[1:])
    kind = np.where(middle >= reach[0], PATH_INDEPENDENT, OUTSIDE).astype(np.uint8)
    kind[hit] = PATH_DEPENDENT
    return Workspace(reach, independent, dependent, edges, kind, found, distances)
