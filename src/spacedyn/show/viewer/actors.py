"""Robots over time, as both the film and the live viewer show them: poses, trails, momentum and arrows.

Places are relative to the base's centre of mass, whose own path is kept apart in double precision: an orbit's radius
costs no detail.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from typing import cast as cast_to

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import InputError
from ...model.model import Model, robot_of
from ...model.state import State
from ...quantities.kinematics import FrameMotion, forward_kinematics
from ...quantities.momentum import center_of_mass, momentum, momentum_matrix
from ...simulate.simulation import Recorded
from .arrows import Arrow, force_arrows
from .geometry import robot_meshes
from .meshes import Mesh

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
MAX_ROBOTS = 12
"""Of a batch that are shown unless they are chosen."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A robot over time.

    Attributes
    ----------
    name : str
        Of the run.
    model : Model
        The robot.
    time : (times,)
        [s].
    base : (times, 3)
        Path of the base's centre of mass [m].
    positions, quaternions : (times, bodies, 3), (times, bodies, 4)
        Of the bodies' frames: relative to `base` [m], and (x, y, z, w).
    com : (times, 3)
        Centre of mass, relative to `base` [m].
    momentum : (times, 6)
        Linear, and angular about the centre of mass; zero where it is nothing but round-off.
    endpoints : (times, endpoints, 3)
        Places of endpoints [m], inertial.
    arrows : list of Arrow
        Forces that act.
    """

    name: str
    model: Model
    time: Array
    base: Array
    positions: Array
    quaternions: Array
    com: Array
    momentum: Array
    endpoints: Array
    arrows: list[Arrow]


def actors_of(name: str, run: "Run", robots: Sequence[int] | None, frames: int) -> list[Actor]:
    """The actors of a run: one robot, or some of its batch.

    Parameters
    ----------
    name : str
        What to call it.
    run : Run
        What was simulated.
    robots : sequence of int, optional
        Which of a batch, as if it had one axis; the first dozen if left out.
    frames : int
        Most instants to keep, spread evenly over the records.
    """
    if not run.time.size:
        raise InputError("there is nothing to see: the run recorded nothing")
    count = run.simulation.robots
    chosen = list(range(min(count, MAX_ROBOTS))) if robots is None else [int(i) for i in robots]
    if not chosen or min(chosen) < 0 or max(chosen) >= count:
        raise InputError(f"robots: choose from 0 to {count - 1}, got {chosen}")
    at = record_indices(run.time, frames)
    rows = run.states._data[at].reshape(len(at), count, -1)

    def channel(which: str, robot: int) -> Array | None:
        if which not in run.simulation.channels:
            return None
        return run[which][at].reshape(len(at), count, -1)[:, robot]

    found = []
    for i in chosen:
        model = robot_of(run.model, i)
        states = State(model, np.ascontiguousarray(rows[:, i]))
        label = name if count == 1 else f"{name or 'robot'} {i}"
        arrows = force_arrows(run, states, run.time[at], lambda which, i=i: channel(which, i))  # type: ignore[misc]
        found.append(actor_of(label, model, states, run.time[at], arrows))
    return found


def record_indices(time: Array, frames: int) -> Array:
    """Indices of the records to show: all, or `frames` of them spread evenly in time, first and last included.

    >>> record_indices(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), 3)
    array([0, 2, 4])
    """
    if len(time) <= frames:
        return np.arange(len(time))
    return np.unique(np.searchsorted(time, np.linspace(time[0], time[-1], frames) - 1e-12).clip(0, len(time) - 1))


def actor_of(name: str, model: Model, states: State, time: Array, arrows: Sequence[Arrow] = ()) -> Actor:
    """A robot in a batch of states (times,)."""
    where = forward_kinematics(model, states)
    base = states.base_position
    both = momentum(model, states, about="com")
    parts = np.abs(momentum_matrix(model, states, about="com") * states.u[..., None, :]).sum(axis=-1)
    for own in (slice(3), slice(3, 6)):  # round-off is shown as zero
        both[
            np.linalg.norm(both[:, own], axis=-1) < 1e-9 * np.linalg.norm(parts[:, own], axis=-1).max(initial=0), own
        ] = 0
    return Actor(
        name=name,
        model=model,
        time=time,
        base=base,
        positions=where.bodies.position - base[:, None],
        quaternions=quaternions(where.bodies),
        com=center_of_mass(model, states) - base,
        momentum=both,
        endpoints=where.endpoints.position,
        arrows=list(arrows),
    )


def quaternions(motion: FrameMotion) -> Array:
    """Attitudes (…, frames, 4) as (x, y, z, w)."""
    rotation = motion.rotation
    flat = Rotation.from_matrix(rotation.reshape(-1, 3, 3)).as_quat() if rotation.size else np.empty((0, 4))
    return flat.reshape(*rotation.shape[:-2], 4)


def bounds(actor: Actor, meshes: Sequence[Sequence[Mesh]], instants: int = 40) -> tuple[Array, float]:
    """Centre (3,) relative to the base, and radius [m], of where the robot is at any of some instants."""
    some = np.unique(np.linspace(0, len(actor.time) - 1, instants).astype(int))
    cloud = [actor.positions[some].reshape(-1, 3)]
    for i, parts in enumerate(meshes):
        core = [part for part in parts if i > 0 or not part.outlying]  # of what moves, everything is to be seen
        if core:
            turned = Rotation.from_quat(actor.quaternions[some, i]).as_matrix() @ corners(core).T
            cloud.append((turned.transpose(0, 2, 1) + actor.positions[some, i][:, None]).reshape(-1, 3))
    points = np.concatenate(cloud)
    center = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return center, float(np.linalg.norm(points - center, axis=-1).max()) or 0.1


def corners(parts: Sequence[Mesh]) -> Array:
    """Corners (8, 3) of the box around meshes."""
    points = np.concatenate([part.vertices for part in parts])
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def lowest(actor: Actor, meshes: Sequence[Sequence[Mesh]], up: Array) -> float:
    """The lowest height of the robot along a direction, over all instants [m]."""
    heights = []
    for i, parts in enumerate(meshes):
        if parts:
            turned = np.einsum("tij,kj->tki", Rotation.from_quat(actor.quaternions[:, i]).as_matrix(), corners(parts))
            heights.append(((turned + (actor.positions[:, i] + actor.base)[:, None]) @ up).min())
    return float(min(heights, default=0.0))


def collect_actors(things: Any, robots: Sequence[int] | None, frames: int) -> tuple[list[Actor], list[int], Any]:
    """Actors of a Run, a Model, a (Model, State), or a dict of Runs by name.

    Returns
    -------
    actors : list of Actor
    leaders : list of int
        The first actor of each run.
    run : Run or None
        The first run.
    """
    if isinstance(things, Model):
        things = (things, things.neutral_state())
    if isinstance(things, tuple) and len(things) == 2 and isinstance(things[0], Model):
        model, state = things
        if not isinstance(state, State) or state.model != model:
            raise InputError(f"expected a state of '{model.name}' beside it, got {state!r}")
        if state.shape:
            raise InputError(f"one state is shown beside a model; this is a batch {state.shape}")
        states = State(model, state._data.reshape(1, -1))
        return [actor_of(model.name, model, states, np.zeros(1))], [0], None
    if not isinstance(things, dict):
        things = {"": things}
    if not things:
        raise InputError("expected a Run, a Model, or a Model and a State, got an empty dict")
    actors: list[Actor] = []
    leaders = []
    for name, run in things.items():
        if not isinstance(run, Recorded):
            raise InputError(f"expected a Run, a Model, or a Model and a State, got {type(run).__name__}")
        leaders.append(len(actors))
        actors += actors_of(str(name), cast_to("Run", run), robots, frames)
    return actors, leaders, next(iter(things.values()))


def actor_meshes(actors: Sequence[Actor]) -> list[list[list[Mesh]]]:
    """Meshes of each actor's bodies; those of the same robot are made once."""
    made: dict[str, list[list[Mesh]]] = {}
    for actor in actors:
        if actor.model.digest not in made:
            made[actor.model.digest] = robot_meshes(actor.model)
    return [made[actor.model.digest] for actor in actors]
