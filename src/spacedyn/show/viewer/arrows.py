"""Arrows for the loads on a robot during a run: forces, tethers, wrenches of laws, reactions at the base."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...model.model import Model
from ...model.state import State
from ...quantities.dynamics import joint_reactions
from ...quantities.kinematics import Kinematics, forward_kinematics
from .colors import FORCE, FORCE_MOMENT, REACTION, REACTION_MOMENT, TETHER
from .loads import Load, ends_of, loads_of, reactions_of, sum_behind

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
Get = Callable[[str], Array | None]
_SHORTEST_LEVER = 1e-9  # [m]: moments are round-off that are less than this times the force


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
        """Its largest magnitude over the run."""
        return float(np.linalg.norm(self.vector, axis=-1).max(initial=0.0))


def force_arrows(run: "Run", states: State, time: Array, get: Get) -> list[Arrow]:
    """All arrows of one robot of a run that are not always zero."""
    where = forward_kinematics(states.model, states)
    base = states.base_position
    found: list[Arrow] = []
    loads: list[Load] | None = []
    wrenches, layout = get("element_wrenches"), run.simulation.layout
    for i, (name, element) in enumerate(zip(layout.names, layout.elements, strict=True)):
        points = ends_of(element, states.model, where)
        if wrenches is None or not points:
            loads = None if element.pushes_bodies else loads  # what joints transmit is not known either
            continue
        acting = loads_of(element, states.model, where, wrenches[:, layout.wrenches(i)])
        loads = None if loads is None else [*loads, *acting, *reactions_of(element, states.model, acting)]
        if element.is_line:
            found.append(Arrow(name, "m", TETHER, points[0] - base, points[1] - points[0], True))
            continue
        for label, load in zip(_labels(name, acting, states.model), acting, strict=True):
            force = Arrow(label, "N", FORCE, load.point - base, load.force)
            moment = Arrow(f"{label} (moment)", "N m", FORCE_MOMENT, load.point - base, load.moment)
            found += [force, moment] if moment.most > _SHORTEST_LEVER * force.most else [force]
    return [
        arrow
        for arrow in [*found, *_of_laws(run, where, base, get), *_reaction(run, states, where, get, loads)]
        if arrow.most > 0
    ]


def _labels(name: str, loads: list[Load], model: Model) -> list[str]:
    """Of what an element does to bodies: by body if each is another, else numbered from 0, as charts and events do."""
    bodies = [model.body_names[load.body] for load in loads]
    if len(loads) == 1:
        return [name]
    if len(set(bodies)) == len(bodies):
        return [f"{name} on {body}" for body in bodies]
    return [f"{name} {k}" for k in range(len(loads))]


def _of_laws(run: "Run", where: Kinematics, base: Array, get: Get) -> list[Arrow]:
    """Wrenches that control laws put on the base and on endpoints."""
    found = []
    wrench, ends = get("base_wrench"), get("endpoint_wrenches")
    if wrench is not None:
        found.append(Arrow("force on the base", "N", FORCE, np.zeros_like(base), wrench[:, :3]))
        found.append(Arrow("moment on the base", "N m", FORCE_MOMENT, np.zeros_like(base), wrench[:, 3:]))
    if ends is not None:
        for k, name in enumerate(run.model.endpoint_names):
            start = where.endpoints.position[:, k] - base
            found.append(Arrow(f"force at {name}", "N", FORCE, start, ends[:, 6 * k : 6 * k + 3]))
            found.append(Arrow(f"moment at {name}", "N m", FORCE_MOMENT, start, ends[:, 6 * k + 3 : 6 * k + 6]))
    return found


def _reaction(run: "Run", states: State, where: Kinematics, get: Get, loads: list[Load] | None) -> list[Arrow]:
    """What each joint on the base does to the base: force, and moment about the joint."""
    udot, ends = get("udot"), get("endpoint_wrenches")
    roots = [k for k, parent in enumerate(run.model.parents) if parent == 0]
    if udot is None or ends is None or loads is None or not roots:
        return []
    ends = np.ascontiguousarray(ends.reshape(len(ends), -1, 6))
    wrenches = joint_reactions(
        states.model,
        states,
        np.ascontiguousarray(udot),
        endpoint_wrenches=ends if ends.size else None,
        gravity=run.gravity,
    )
    found = []
    for k in roots:
        joint = where.bodies.position[:, k]
        start = joint - states.base_position
        pushed = sum_behind(run, k, loads, joint)
        on_base = pushed - wrenches[:, k]
        for own in (slice(3), slice(3, 6)):  # what is nothing but round-off is shown as nothing: a joint that is free
            if np.abs(on_base[:, own]).max(initial=0.0) < 1e-9 * np.abs(pushed[:, own]).max(initial=0.0):
                on_base[:, own] = 0.0
        name = f"{run.model.joints[k - 1].name} on the base"
        found.append(Arrow(f"{name} (force)", "N", REACTION, start, on_base[:, :3], kind="reaction"))
        found.append(Arrow(f"{name} (moment)", "N m", REACTION_MOMENT, start, on_base[:, 3:], kind="reaction"))
    return found
