"""Warnings and failure notes, by the names of loops, where constraint rows become linearly dependent."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..elements.held_joints import LockedJoint, PrescribedJoint
from ..errors import InputError, RunWarning, warn_user
from ..model.model import robot_of
from ..model.state import State
from .closure import Rows, close_positions
from .row_checks import redundant_rows, row_singular_values
from .simulation import Simulation
from .stepper.stepper import Stepper

Array = np.ndarray
_OPEN = 1e-9  # [m, rad]: a larger residual is an open loop
_SMALL = 1e-3  # of the largest singular value: nearly singular, since steps become too short before exact dependence


def warn_of_lost_rank(simulation: Simulation, time: Array, closure: Array, states: State) -> None:
    """Warn of the first time at which the rank of the rows is below that of the start, with the loops concerned.

    `closure` (times, robots..., 3) is the recorded channel. No warning where events or contacts may open and close
    rows, since they change the rank.
    """
    rank = closure[..., 2].reshape(len(time), -1)
    fell = rank < rank[:1]
    if simulation.events or any(one.asks for one in simulation.elements) or not fell.any():
        return
    k = int(np.argmax(fell.any(axis=1)))
    robot = int(np.argmax(fell[k]))
    model = robot_of(simulation.model, robot)
    state = State(model, states._data.reshape(len(time), -1, states._data.shape[-1])[k, robot])
    rows = _rows_at(simulation, state, float(time[k]))
    _, dependent = redundant_rows(rows.jacobian(), rows.root())
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(rows.names[rows.owners[j]] for j in dependent))
    who = f" of robot {robot}" if simulation.shape else ""
    where = f" of {names}" if names else ""
    warn_user(
        f"at t = {time[k]:g} s the rank of the constraint rows{who} fell from {rank[0, robot]:.0f} to "
        f"{rank[k, robot]:.0f}: a singular state{where}, from which the robot may go on in several ways; forces along "
        "rows that depend on others are the least ones",
        RunWarning,
    )


def rows_note(simulation: Simulation, stepper: Stepper, time: float, *, singular: bool) -> str:
    """Note on the constraint rows where a run stopped, for the first robot of a pack with a fault; else empty."""
    if not simulation.layout.rows:
        return ""
    for lane in range(stepper.robots):
        robot = _Robot(stepper.first + lane, partial(stepper.state, lane))
        asked = simulation, robot, time
        words = contradiction_note(*asked) or reach_note(*asked) or (singular_note(*asked) if singular else "")
        if words:
            return words if stepper.robots == 1 else f"of robot {robot.first}: {words}"
    return ""


class _Robot(NamedTuple):
    """One robot of a stepper: its number, and its present state."""

    first: int
    state: Callable[[], State]


def singular_note(simulation: Simulation, robot: _Robot, time: float) -> str:
    """Note on rows that are nearly dependent where the run of a robot stopped; else empty."""
    if simulation.events or any(one.asks for one in simulation.elements):
        return ""
    start = State(
        robot.state().model, simulation.state._data.reshape(-1, simulation.state._data.shape[-1])[robot.first]
    )
    try:
        before, now = (_rows_at(simulation, *one) for one in ((start, simulation.start), (robot.state(), time)))
    except InputError:  # a state that has gone wild
        return ""
    pairs = [(rows.jacobian(), rows.root()) for rows in (before, now)]
    sizes = np.maximum(*(np.linalg.norm(J @ T, axis=1) for J, T in pairs))  # a row may vanish by itself
    (_, first), (U, last) = (row_singular_values(J, T, sizes) for J, T in pairs)
    least = _SMALL * max(first.max(initial=0.0), last.max(initial=0.0))
    small = last < least
    if small.sum() <= (first < least).sum():
        return ""
    part = np.abs(U[:, : len(last)][:, small]).max(axis=1) > 0.01
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(now.names[now.owners[j]] for j in np.flatnonzero(part)))
    return (
        f"a singular position, where rows of {names} come to depend on each other, or vanish: the forces that hold "
        "them grow without bound, and the robot may go on in several ways. Keep it away from there, let one of the "
        "loops give way (stiffness, damping), or step over it with a looser rtol"
    )


def reach_note(simulation: Simulation, robot: _Robot, time: float) -> str:
    """Note on moving targets and prescribed joints that no state can follow soon after a run stopped; else empty."""
    motions = {name: motion for name, motion in simulation.prescribed.items() if not isinstance(motion, str)}
    moving = motions or any(getattr(one, "times", None) is not None for one in simulation.elements)
    if not moving or simulation.events or simulation.modes:
        return ""
    soon = min(time + 1e-3 * (simulation.end - simulation.start), simulation.end)
    state, held = robot.state(), [PrescribedJoint(*one) for one in simulation.prescribed.items()]
    try:
        rows = Rows(state.model, state, [*simulation.elements, *held], soon)
        close_positions(rows)
    except InputError:  # a state that has gone wild
        return ""
    words = "; ".join(rows.open_loops(_OPEN, as_given=True))
    if not words:
        return ""
    joints = f" with prescribed joints {', '.join(repr(name) for name in motions)}" if motions else ""
    return (
        f"at t = {soon:g} s, {words} at best{joints}: no state follows that motion. Keep targets and joints within "
        "reach, or let one of the loops give way (stiffness, damping)"
    )


def contradiction_note(simulation: Simulation, robot: _Robot, time: float) -> str:
    """Note on given joints that leave the rows too few degrees of freedom where a run stopped; else empty."""
    given = [one.joint for one in simulation.joints if one.given is not None]
    if not given:
        return ""
    try:
        free, held = (_rows_at(simulation, robot.state(), time, holds) for holds in (False, True))
    except InputError:  # a state that has gone wild
        return ""
    whole = redundant_rows(free.jacobian(), free.root())[0]
    rank, dependent = redundant_rows(held.jacobian(), held.root())
    if rank == whole:
        return ""
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(held.names[held.owners[j]] for j in dependent))
    joints = ", ".join(f"'{joint}'" for joint in given)
    return (
        f"joints {joints} are prescribed, and leave {names} too few freedoms: motions that contradict a loop cannot be "
        "followed. Let one of these joints be free, or give motions that keep the loop closed"
    )


def _rows_at(simulation: Simulation, state: State, time: float, holds: bool = True) -> Rows:
    """Evaluated constraint rows of one robot of a simulation at a state; `holds`: whether held joints stay held."""
    held = [LockedJoint(one.joint) for one in simulation.joints] if holds else []
    rows = Rows(state.model, state, [*simulation.elements, *held], time)
    rows.look()
    return rows
