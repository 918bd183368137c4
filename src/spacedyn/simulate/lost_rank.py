"""A run that comes to a state in which constraint rows depend on each other: said once, by name."""

import numpy as np

from ..elements.held_joints import LockedJoint
from ..errors import RunWarning, warn_user
from ..model.model import robot_of
from ..model.state import State
from .closure import Rows
from .row_checks import redundant_rows
from .simulation import Simulation

Array = np.ndarray


def warn_of_lost_rank(simulation: Simulation, time: Array, closure: Array, states: State) -> None:
    """Say when the rank of the rows first fell below that of the start, and of which loops.

    `closure` (times, robots..., 3) as it is recorded. Where loops and contacts open and close, ranks change
    by themselves.
    """
    rank = closure[..., 2].reshape(len(time), -1)
    fell = rank < rank[:1]
    if simulation.events or any(one.asks for one in simulation.elements) or not fell.any():
        return
    k = int(np.argmax(fell.any(axis=1)))
    robot = int(np.argmax(fell[k]))
    model = robot_of(simulation.model, robot)
    state = State(model, states._data.reshape(len(time), -1, states._data.shape[-1])[k, robot])
    held = [LockedJoint(one.joint) for one in simulation.joints]
    rows = Rows(model, state, [*simulation.elements, *held], float(time[k]))
    rows.look()
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
