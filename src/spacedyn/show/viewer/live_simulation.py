"""Show a simulation in the live viewer while it runs."""

import time as wall
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...model.model import robot_of
from ...model.state import State
from ...quantities.kinematics import forward_kinematics
from ...simulate.simulation import Simulation
from .actors import actor_of, collect_actors, quaternions
from .live import FRAME, Viewer

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
_ROBOTS = 4  # of a batch that are shown


def simulate_in_viewer(
    simulation: Simulation, carry_out: "Callable[[Callable[[Array], None]], Run]", browser: bool = True
) -> "Run":
    """Run `carry_out(observer)` with a viewer that shows the simulation live and then plays it back."""
    observer = LiveObserver(simulation)
    observer.viewer.announce(browser)
    try:
        run = carry_out(observer)
    except BaseException:
        observer.viewer.close()
        raise
    observer.finished(run)
    run.viewer = observer.viewer
    return run


class LiveObserver:
    """Shows records while a simulation runs, and plays the run back when it is done.

    Parameters
    ----------
    simulation : Simulation
        What is simulated.
    """

    def __init__(self, simulation: Simulation):
        self._robots = min(simulation.robots, _ROBOTS)
        self._model = simulation.state.flattened()[: self._robots].model
        rows = simulation.state._data.reshape(simulation.robots, -1)[: self._robots]
        start = np.array([simulation.start])
        actors = [
            actor_of(f"robot {i}", model, State(model, row[None].copy()), start)
            for i, row in enumerate(rows)
            for model in [robot_of(simulation.model, i)]
        ]
        self.viewer = Viewer()
        self.viewer.play_back(actors, simulation, play=False)
        self._clock = self.viewer.add_note("simulating …")
        self._last, self._numbers = 0.0, rows.shape[-1]

    def __call__(self, records: Array) -> None:
        """Show records (robots, columns) of one time, at most thirty times a second."""
        now = wall.monotonic()
        if now - self._last < FRAME:
            return
        self._last = now
        states = State(self._model, np.ascontiguousarray(records[: self._robots, 1 : 1 + self._numbers]))
        where = forward_kinematics(self._model, states)
        turns = quaternions(where.bodies)
        base = states.base_position
        self.viewer.place(base, where.bodies.position - base[:, None], turns)
        self._clock.content = f"simulating … **{records[0, 0]:.2f} s**"

    def finished(self, run: "Run") -> None:
        """Play the finished run back."""
        actors, _, _ = collect_actors(run, range(self._robots), 3000)
        self.viewer.play_back(actors, run)
