"""A simulation laid out in arrays, as `kernels.plan` has it: the stepper that `kernels.advance` drives."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels.elements.program import CALLED
from ..kernels.robot import layout as k
from ..kernels.scalar.pack import ONE, PACK
from ..kernels.sim import layout as p
from ..kernels.sim.sim import table_of
from ..kernels.simulation.driver import advance
from ..laws.compile import Compiled
from ..model.model import Model, robot_of
from ..model.quaternions import turned
from ..model.state import State
from .failures import evaluate
from .layout import Layout

Array = np.ndarray


@dataclass
class Stepper:
    """The arrays of a simulation of up to a pack of robots, as `kernels.advance` takes them."""

    tree: Array
    par: Array
    plan: Array
    numbers: Array
    work: Array
    memory: Array
    counters: Array
    clock: Array
    laws: list[Compiled]
    robots: int
    lanes: int
    tolerances: Array  # of each number of y, if none were held
    spare: Array  # scratch memory of methods with a step of their own
    given: Array  # what laws, motions and forces are described by: the end of `numbers`, which stays as it is
    callees: dict[
        int, Any
    ]  # laws, conditions, motions, users' elements by the number that `memory` has while they are called
    model: Model  # of its robots
    layout: Layout
    view_at_fault: Array | None = None  # what a law or an element saw that raised something
    called_at_fault: int = 0  # its number among the callees
    step_at_fault: float = 0.0  # which was being taken
    first: int = 0  # its first robot's number in the batch

    def __post_init__(self) -> None:
        self.set_duals(self.spare)

    def set_duals(self, duals: Array) -> None:
        """Memory that begins with as many duals as `work` has numbers, for derivatives of the right-hand side."""
        self.spare = duals
        arrays = self.tree, self.par, self.work, self.plan, self.numbers, self.memory, self.counters, self.clock
        self.twin = table_of((*arrays[:2], duals, *arrays[3:]))
        self.own = table_of(arrays, self.twin)

    def fail(self) -> None:
        """Stop soon, since a law or an element raised something: nothing is finite any more."""
        self.called_at_fault = int(self.memory[self.plan[p.M_CALLED]])
        self.step_at_fault = float(self.clock[p.H])
        of_element = self.called_at_fault >= CALLED
        array, first = (self.work, p.Y_VIEW) if self.lanes == 1 and not of_element else (self.memory, p.M_VIEW)
        last = self.plan[p.M_OUT] - self.plan[p.M_VIEW] if of_element else self.plan[p.VIEW]
        self.view_at_fault = array[self.plan[first] :][:last].copy()
        self.work[:] = np.nan

    def advance(self, rows: Array, room: int, steps: int) -> int:
        """Go on; the status that the driver returns."""
        kind = ONE if self.lanes == 1 else PACK
        return advance(self.own, rows.reshape(-1), room, self.robots, steps, kind)

    def state(self) -> State:
        """Where its first robot stands."""
        x = int(self.plan[p.Y_ORIGIN])
        coordinates = self.work.reshape(-1, self.lanes)[x : x + 7 + self.model.nq, 0]
        return State(robot_of(self.model, 0), np.concatenate([coordinates, self.rates()[:, 0]]))

    def rates(self) -> Array:
        """(nv, lanes) rates u at the present state, all in inertial axes."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        return in_other_axes(self.tree, work[places[0]], work[places[1]], 1.0)

    def set_rates(self, u: Array) -> None:
        """Go on with other rates (nv, lanes), at the coordinates where it is."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        work[places[1]] = in_other_axes(self.tree, work[places[0]], u, -1.0)

    def _rate_places(self) -> tuple[slice, slice]:
        """Of the base's attitude and of the rates, in `work`."""
        x, nv = int(self.plan[p.Y_ORIGIN]) + 3, int(self.tree[k.RATES])
        u = int(self.plan[p.Y_NOW]) + nv
        return slice(x, x + 4), slice(u, u + nv)

    def at_work(self) -> str | None:
        """The law, condition or motion that is being called just now; another thread may ask."""
        law = self.callees.get(int(self.memory[self.plan[p.M_CALLED]]))
        return None if law is None else f"{law.role.what} '{law.name}'"

    def rewritten(self) -> str | None:
        """Name of the law, condition, motion or element that has changed its parameters, unseen by its compiler."""
        first = self.numbers.size - self.given.size
        if np.array_equal(self.numbers[first:], self.given):
            return None
        place = first + int(np.argmax(self.numbers[first:] != self.given))
        starts = {number: self._parameters_at(number) for number in self.callees}
        return self.callees[max((n for n in starts if starts[n] <= place), key=lambda n: starts[n])].name

    def _parameters_at(self, number: int) -> int:
        """Where in `numbers` the parameters of a law, a motion or an element begin."""
        if number >= CALLED:
            return int(self.plan[number - CALLED + p.E_NUMBERS])
        if number > 0:
            return int(self.plan[self.plan[p.LAW_AT] + (number - 1) * p.LAW_INTS + p.L_PARAMETERS])
        return int(self.plan[self.plan[p.PRESCRIBED_AT] + (-number - 1) * p.JOINT_INTS + p.J_NUMBERS])

    def set_directions(self, directions: Array) -> None:
        """The directions that count, of each event."""
        at = int(self.plan[p.M_EVENTS])
        of_each = self.memory[at : at + p.EVENT_MEMORY * len(directions)].reshape(-1, p.EVENT_MEMORY)
        of_each[:, p.V_DIRECTION] = directions

    def choose_tolerances(self) -> None:
        """None of what is held: it has no error."""
        scale = self.tolerances.copy()
        if len(scale) > 1:  # steps are chosen
            first, nv = int(self.tree[k.RATE_AT]), int(self.tree[k.RATES])
            given = self.tree[first : first + nv * k.RATE_INTS].reshape(nv, k.RATE_INTS)[:, k.RATE_GIVEN] > 0
            scale[: 2 * nv][np.tile(given, 2)] = 0.0
        at = int(self.plan[p.N_SCALE])
        self.numbers[at : at + scale.size] = scale.ravel()

    def evaluate(self) -> None:
        """Bring what is in `work` to the present state."""
        evaluate(self)

    def set_times(self, times: Array | None) -> None:
        """The next times to record, and an empty record; None: every step."""
        self.counters[[p.C_RECORD, p.C_TIME]] = 0
        if times is not None:
            at = int(self.plan[p.N_TIMES])
            self.numbers[at : at + len(times)] = times
            self.plan[p.RECORDS] = len(times)


def in_other_axes(tree: Array, attitude: Array, u: Array, sign: float) -> Array:
    """Rates (nv, lanes), the angular ones of a free base turned into inertial axes (sign 1) or into its own (-1)."""
    u = u.copy()
    if tree[k.OWN_AXES]:
        angular = slice(tree[k.BASE_RATES] - 3, tree[k.BASE_RATES])
        inverse = attitude.T * np.array([sign, sign, sign, 1.0])
        u[angular] = turned(inverse, u[angular].T).T
    return u
