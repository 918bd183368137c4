"""Arrows of what acts on a robot during a run: forces, tethers, wrenches of laws, what joints do to the base."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..dynamics import joint_reactions
from ..forces import Drag, Spring, Wrench, force_names
from ..kinematics import Kinematics, forward_kinematics
from ..model.state import State
from .colors import FORCE, REACTION, TETHER

if TYPE_CHECKING:
    from ..run import Run

Array = np.ndarray
Get = Callable[[str], Array | None]


@dataclass(frozen=True, eq=False)
class Arrow:
    """An arrow over time.

    Attributes
    ----------
    label, unit : str
        What it is.
    color : (3,)
        Red, green, blue.
    start : (times, 3)
        Where it begins, relative to the base's centre of mass [m].
    vector : (times, 3)
        In its unit, inertial axes; for a line, to its other end [m].
    line : bool
        Whether it is a line between two places: a spring or a tether.
    kind : 'forces' or 'reaction'
        What it is shown with.
    """

    label: str
    unit: str
    color: tuple[float, float, float]
    start: Array
    vector: Array
    line: bool = False
    kind: str = "forces"

    @property
    def most(self) -> float:
        """The largest that it gets."""
        return float(np.linalg.norm(self.vector, axis=-1).max(initial=0.0))


def force_arrows(run: "Run", states: State, time: Array, get: Get) -> list[Arrow]:
    """All arrows of one robot of a run that are ever longer than nothing."""
    where = forward_kinematics(run.model, states)
    base = states.base_position
    found: list[Arrow] = []
    for name, force in zip(force_names(run.forces), run.forces, strict=True):
        i = run.model.body_index(force.body)
        turn, place = where.bodies.rotation[:, i], where.bodies.position[:, i]
        if isinstance(force, Wrench):
            at = place + turn @ np.asarray(force.point) - base
            acts = ((time >= force.start) & (time <= force.stop))[:, None]
            for what, unit, given in (("", "N", force.force), (" (moment)", "N m", force.moment)):
                vector = np.broadcast_to(np.asarray(given, dtype=float), (len(time), 3))
                vector = np.einsum("tij,tj->ti", turn, vector) if force.frame == "body" else vector
                found.append(Arrow(name + what, unit, FORCE, at, vector * acts))
        elif isinstance(force, Spring):
            start = place + turn @ np.asarray(force.point)
            found.append(Arrow(name, "m", TETHER, start - base, _other_end(run, force, where, len(time)) - start, True))
        elif isinstance(force, Drag):
            spin = where.centroids.velocity[:, i, :3]
            pull = -np.einsum("tij,jk,tlk,tl->ti", turn, np.asarray(force.linear), turn, spin)
            found.append(Arrow(name, "N", FORCE, where.centroids.position[:, i] - base, pull))
    return [
        arrow
        for arrow in [*found, *_of_laws(run, where, base, get), *_reaction(run, states, where, get)]
        if arrow.most > 0
    ]


def _other_end(run: "Run", force: Spring, where: Kinematics, count: int) -> Array:
    if force.other == "inertial":
        return np.broadcast_to(np.asarray(force.other_point, dtype=float), (count, 3))
    k = run.model.body_index(force.other)
    return where.bodies.position[:, k] + where.bodies.rotation[:, k] @ np.asarray(force.other_point)


def _of_laws(run: "Run", where: Kinematics, base: Array, get: Get) -> list[Arrow]:
    """Wrenches that control laws put on the base and on endpoints."""
    found = []
    wrench, ends = get("base_wrench"), get("endpoint_wrenches")
    if wrench is not None:
        found.append(Arrow("force on the base", "N", FORCE, np.zeros_like(base), wrench[:, :3]))
        found.append(Arrow("moment on the base", "N m", FORCE, np.zeros_like(base), wrench[:, 3:]))
    if ends is not None:
        for k, name in enumerate(run.model.endpoint_names):
            start = where.endpoints.position[:, k] - base
            found.append(Arrow(f"force at {name}", "N", FORCE, start, ends[:, 6 * k : 6 * k + 3]))
            found.append(Arrow(f"moment at {name}", "N m", FORCE, start, ends[:, 6 * k + 3 : 6 * k + 6]))
    return found


def _reaction(run: "Run", states: State, where: Kinematics, get: Get) -> list[Arrow]:
    """What each joint on the base does to the base; known where no other forces act on the bodies behind it."""
    udot, ends = get("udot"), get("endpoint_wrenches")
    roots = [k for k, parent in enumerate(run.model.parents) if parent == 0]
    if udot is None or ends is None or run.forces or not roots:
        return []
    ends = np.ascontiguousarray(ends.reshape(len(ends), -1, 6))
    wrenches = joint_reactions(
        run.model,
        states,
        np.ascontiguousarray(udot),
        endpoint_wrenches=ends if ends.size else None,
        gravity=run.gravity,
    )
    found = []
    for k in roots:
        start = where.bodies.position[:, k] - states.base_position
        name = run.model.joints[k - 1].name
        found.append(Arrow(f"{name} on the base (force)", "N", REACTION, start, -wrenches[:, k, :3], kind="reaction"))
    return found
