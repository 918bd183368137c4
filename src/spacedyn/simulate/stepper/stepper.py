"""A simulation laid out in arrays, as kernels/sim/layout.py names them: what the driver goes on with."""

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from ...kernels.elements.program import CALLED
from ...kernels.robot import layout as k
from ...kernels.scalar.compiling import PLAIN_FUNCTIONS
from ...kernels.scalar.pack import ONE, PACK
from ...kernels.sim import layout as p
from ...kernels.sim.codes import LOOK
from ...kernels.sim.sim import table_of
from ...kernels.simulation.driver import advance
from ...laws.compile import Compiled
from ...model.model import Model, robot_of
from ...model.quaternions import turned
from ...model.state import State
from ..layout import Layout

Array = np.ndarray


class Attached(NamedTuple):
    """What elements hand on to a body: an inertia (6, 6) about a point of it, inertial axes, linear first."""

    body: str
    point: Array
    inertia: Array


@dataclass
class Stepper:
    """The arrays of a simulation of up to a pack of robots, as the driver's `advance` takes them."""

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
    given: Array  # parameters of laws, motions and elements: the end of `numbers`, which stays as it is
    callees: dict[int, Any]  # laws, conditions, motions, users' elements by their numbers in M_CALLED
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

    def number_robots(self, first: int) -> None:
        """The number of its first robot in the batch, which noise depends on; lanes to spare repeat the last robot."""
        self.first, at = first, int(self.plan[p.Y_ROBOT]) * self.lanes
        self.work[at : at + self.lanes] = first + np.minimum(np.arange(self.lanes), self.robots - 1)

    def fail(self) -> None:
        """Stop soon, since a law or an element raised an exception: the state becomes NaN."""
        self.called_at_fault = int(self.memory[self.plan[p.M_CALLED]])
        self.step_at_fault = self.step
        of_element = self.called_at_fault >= CALLED
        array, first = (self.work, p.Y_VIEW) if self.lanes == 1 and not of_element else (self.memory, p.M_VIEW)
        last = self.plan[p.M_OUT] - self.plan[p.M_VIEW] if of_element else self.plan[p.VIEW]
        self.view_at_fault = array[self.plan[first] :][:last].copy()
        self.work[:] = np.nan

    def advance(self, rows: Array, room: int, steps: int) -> int:
        """Go on; the status that the driver returns."""
        kind = ONE if self.lanes == 1 else PACK
        return advance(self.own, rows.reshape(-1), room, self.robots, steps, kind)

    def state(self, lane: int = 0) -> State:
        """The state of the robot in a lane."""
        x = int(self.plan[p.Y_ORIGIN])
        coordinates = self.work.reshape(-1, self.lanes)[x : x + 7 + self.model.nq, lane]
        return State(robot_of(self.model, lane), np.concatenate([coordinates, self.rates()[:, lane]]))

    def rates(self) -> Array:
        """(nv, lanes) rates u at the present state, all in inertial axes."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        return in_other_axes(self.tree, work[places[0]], work[places[1]], 1.0)

    def set_rates(self, u: Array) -> None:
        """Go on with other rates (nv, lanes), at the coordinates where it is."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        work[places[1]] = in_other_axes(self.tree, work[places[0]], u, -1.0)

    def _rate_places(self) -> tuple[slice, slice]:
        """Places in `work` of the base's attitude and of the rates."""
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

    def choose_tolerances(self) -> None:
        """Write the error tolerances; held joints get none, since they are not integrated."""
        scale = self.tolerances.copy()
        if len(scale) > 1:  # steps are chosen
            first, nv = int(self.tree[k.RATE_AT]), int(self.tree[k.RATES])
            given = self.tree[first : first + nv * k.RATE_INTS].reshape(nv, k.RATE_INTS)[:, k.RATE_GIVEN] > 0
            scale[: 2 * nv][np.tile(given, 2)] = 0.0
        at = int(self.plan[p.N_SCALE])
        self.numbers[at : at + scale.size] = scale.ravel()

    # --- where it stands ----------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Present time [s]."""
        return float(self.clock[p.T])

    @property
    def span(self) -> tuple[float, float]:
        """Start and end of the run [s]."""
        return float(self.clock[p.T_START]), float(self.clock[p.T_END])

    @property
    def step(self) -> float:
        """The next step that it tries [s]."""
        return float(self.clock[p.H])

    @property
    def step_taken(self) -> float:
        """The last step that it took [s]."""
        return float(self.clock[p.H_TAKEN])

    @property
    def shortest_step(self) -> float:
        """The shortest step that advances the time [s]."""
        return float(self.clock[p.H_MIN])

    @property
    def records(self) -> int:
        """Number of rows written in this chunk."""
        return int(self.counters[p.C_RECORD])

    @property
    def is_on_last_step(self) -> bool:
        """Whether it has tried a step to its end, which a longer run would not."""
        return bool(self.counters[p.C_LAST] > 1)

    def largest_rates(self) -> Array:
        """(nv,) largest rates over its robots, in the axes in which they are integrated."""
        held = self._scalars(p.Y_NOW, int(self.tree[k.RATES]), int(self.tree[k.RATES]))
        return np.abs(held[:, : self.robots]).max(axis=1, initial=0.0)

    def new_vector(self) -> Array:
        """(2 nv, lanes) positions and rates at the end of the step that it tried last."""
        return self._scalars(p.Y_NEW, 0, 2 * int(self.tree[k.RATES]))

    def accelerations(self) -> Array:
        """(nv, lanes) at the state where it was evaluated last, in inertial axes."""
        places = self.tree[k.W_RATE] + np.arange(int(self.tree[k.RATES])) * k.RATE_WORK + k.QDD
        return self.work.reshape(-1, self.lanes)[places]

    def views(self, number: int) -> Array:
        """(view, lanes) what a law or an element, by its number among the callees, sees at the present state."""
        kinds, everyone = self._kinds(), self._kinds().copy()
        if number >= CALLED:  # what is an element's own is there until the next one is called: let it be the only one
            mine = (number - CALLED - self.plan[p.ELEMENT_AT]) // p.ELEMENT_INTS
            here = (kinds[:, p.K_FIRST] <= mine) & (mine < kinds[:, p.K_FIRST] + kinds[:, p.K_COUNT])
            kinds[:, p.K_FIRST], kinds[:, p.K_COUNT] = mine, here
        self.evaluate(LOOK if self.plan[p.EVENTS] and number < CALLED else 0)
        kinds[:] = everyone
        own = self.callees[number].own_view(0)[""].stop if number >= CALLED else 0
        parts = [self._scalars(p.Y_VIEW, 0, int(self.plan[p.VIEW])), self._scalars(p.Y_OWN_VIEW, 0, own)]
        return np.concatenate(parts)

    def _kinds(self) -> Array:
        """The records of kinds of elements, as they are in the plan."""
        first, count = int(self.plan[p.KIND_AT]), int(self.plan[p.KINDS])
        return self.plan[first : first + count * p.KIND_INTS].reshape(count, p.KIND_INTS)

    def stored_energy(self) -> float:
        """Energy that elements store at the present state [J]."""
        part = self.layout.channels["element_energy"]
        if part.stop == part.start:
            return 0.0
        self.evaluate()
        return float(self._scalars(p.Y_CHANNEL, part.start, part.stop - part.start).sum())

    def carried(self) -> Array:
        """What elements carry at the present state of one robot, as a row of the record has it; empty if nothing."""
        if not self.layout.carries:
            return np.empty(0)
        self.evaluate()
        return self._scalars(p.Y_CARRIED, 0, p.CARRIED)[:, 0].copy()

    def attached(self) -> list[Attached]:
        """What elements hand on to bodies at the present state of one robot, as their children would."""
        found: dict[int, Attached] = {}
        names = [body for one in self.layout.elements for body in one.attached_to(self.model)]
        if names:
            self.evaluate(LOOK)  # forces alone: solving the dynamics would add what children hand on
        for name in names:
            i = int(self.model.flat.order[self.model.body_index(name)])
            body = int(self.tree[k.W_BODY]) + i * k.BODY_WORK
            found[i] = Attached(name, self._reference_point(i), articulated_matrix(self.work[body + k.HANDED :][:21]))
        return list(found.values())

    def _reference_point(self, body: int) -> Array:
        """The point that a body of the kernels is reckoned about, in the inertial frame."""
        segment = int(self.tree[self.tree[k.BODY_AT] + body * k.BODY_INTS + k.SEGMENT])
        at = int(self.tree[k.W_X])
        base = self.work[at : at + 3].copy()
        if segment:
            at = int(self.tree[k.W_SEGMENT]) + (segment - 1) * k.SEGMENT_WORK + k.ORIGIN
            base += self.work[at : at + 3]
        return base

    def add_to_states(self, element: int, change: Array) -> None:
        """Add to the states of an element."""
        part = self.layout.states_of_element(element)
        first = self.layout.y["states"].start + part.start
        self._scalars(p.Y_NOW, first, len(change))[:] += change[:, None]

    def _scalars(self, entry: int, first: int, count: int) -> Array:
        """Some of `work`, from number `first` of a block on."""
        at = int(self.plan[entry]) + first
        return self.work.reshape(-1, self.lanes)[at : at + count]

    def evaluate(self, due: int = 0) -> None:
        """Evaluate the right-hand side at the last accepted state, so that `work` describes it."""
        y, rates = (int(self.plan[entry]) for entry in (p.Y_NOW, p.Y_SPARE))
        self._call(p.FLOW, 1, y, rates, due)

    def choose_sides(self) -> None:
        """The sides of guards at the present state, as before a first step."""
        if self.plan[p.GUARDS]:
            self._call(p.GUARD_CHECK, 2, p.SET_SIDES, 0)

    def _call(self, entry: int, reals: int, *integers: int) -> None:
        """Call a C function of the plan's, with its time and, if it takes a step, none."""
        given = (self.time, 0.0)[:reals]
        if config.DISABLE_JIT:
            PLAIN_FUNCTIONS[int(self.plan[entry])](self.own, *given, *integers)
        else:
            kinds = ctypes.c_void_p, *[ctypes.c_double] * reals, *[ctypes.c_int64] * len(integers)
            ctypes.CFUNCTYPE(None, *kinds)(int(self.plan[entry]))(self.own.ctypes.data, *given, *integers)

    # --- what events and laws change ----------------------------------------------------------------------------------

    def end_here(self) -> None:
        """End at the present time; the last row is written as at any end."""
        self.clock[p.T_END] = self.clock[p.T]

    def forget_stage(self) -> None:
        """The first stage of the next step must be evaluated anew."""
        self.counters[p.C_FRESH] = 0

    def forget_sides(self, lane: int = 0) -> None:
        """Sides of a robot's guards must be chosen anew; those that it had are known, to see which ones change."""
        self.counters[p.C_SIDES] = 0
        armed = self._scalars(p.Y_ARMED, 0, 1)[:, lane]
        armed[:] = -abs(armed)

    def set_coordinates(self, x: Array) -> None:
        """Go on from other coordinates."""
        self._scalars(p.Y_ORIGIN, 0, len(x))[:] = x[:, None]

    def add_to_ledger(self, entry: str, change: ArrayLike) -> None:
        """Add to an entry of the ledger."""
        part = self.layout.in_y(entry)
        self._scalars(p.Y_NOW, part.start, part.stop - part.start)[:] += np.reshape(change, (-1, 1))

    def element_states(self, element: int) -> Array:
        """(states, lanes) internal states of an element, as a view that can be written to."""
        part = self.layout.states_of_element(element)
        return self._scalars(p.Y_NOW, self.layout.y["states"].start + part.start, part.stop - part.start)

    def fired(self) -> Array:
        """(events, lanes) which events happen here, as a view that can be written to."""
        return self._of_events(p.G_FIRED)

    def asleep(self) -> Array:
        """(events, lanes) which events are ignored, as a view that can be written to."""
        return self._of_events(p.G_ASLEEP)

    @property
    def events_so_far(self) -> int:
        """Number of events that have happened to its robots."""
        return int(self.counters[p.C_EVENTS])

    def count_events(self, count: int) -> None:
        """Add to the number of events that have happened."""
        self.counters[p.C_EVENTS] += count

    def _of_events(self, what: int) -> Array:
        """One row of the numbers that are kept for each event."""
        guards, events = int(self.plan[p.GUARDS]), int(self.plan[p.EVENTS])
        return self._scalars(p.Y_GUARD_MEMORY, what * guards + guards - events, events)

    # --- robots of a pack that have ended -----------------------------------------------------------------------------

    def _ended(self) -> Array:
        """(lanes, 1 + columns) whether a lane's robot has ended, and its last row; empty without packs."""
        width = 1 + int(self.plan[p.ROW])
        held = self.memory[int(self.plan[p.M_ENDED]) : int(self.plan[p.M_HELD])]
        return held.reshape(-1, width)

    def end_lane(self, lane: int) -> None:
        """The robot in a lane of a pack goes no further; the lane does as one of the others does from now on."""
        self._ended()[lane] = 1.0, *self._present_row(lane)
        going = np.flatnonzero(self._ended()[: self.robots, 0] == 0.0)
        if not going.size:
            return
        idle = np.flatnonzero(self._ended()[:, 0] > 0.0)
        if self.robots - 1 in idle:  # lanes without a robot do as the last robot's
            idle = np.append(idle, np.arange(self.robots, self.lanes))
        laws = self.memory[int(self.plan[p.M_HELD]) :].reshape(-1, self.lanes, int(self.plan[p.OUTPUTS]))
        laws[:, idle] = laws[:, going[:1]]
        for array in (self.work, self.par) if self.model.flat.robots else (self.work,):
            scalars = array.reshape(-1, self.lanes)
            scalars[:, idle] = scalars[:, going[:1]]

    def hold_ended(self, rows: Array) -> None:
        """In these rows (records, robots, columns), robots that have ended stand still from then on."""
        for lane, (ended, *last) in enumerate(self._ended()[: self.robots]):
            if ended:
                rows[rows[:, lane, 0] > last[0], lane] = last

    def _present_row(self, lane: int) -> Array:
        """A row of the record at the present state."""
        self.evaluate()
        row, first = np.empty(int(self.plan[p.ROW])), int(self.plan[p.BLOCK_AT])
        row[0] = self.time
        blocks = self.plan[first : first + int(self.plan[p.BLOCKS]) * p.BLOCK_INTS].reshape(-1, p.BLOCK_INTS)
        for column, count, place, stride, source in blocks:
            places = place + np.arange(count) * stride + (int(self.plan[p.Y_NOW]) if source == p.OF_VECTOR else 0)
            taken = self.memory[places] if source == p.OF_MEMORY else self.work.reshape(-1, self.lanes)[places, lane]
            row[column : column + count] = taken
        return row

    # --- modes of joints ----------------------------------------------------------------------------------------------

    def modes(self) -> Array:
        """Modes of the joints that are or may be held, as a view that can be written to."""
        return self._memory(p.M_MODE, 0, int(self.plan[p.PRESCRIBED]))

    def modes_asked(self) -> Array:
        """The modes that laws command."""
        count = int(self.plan[p.PRESCRIBED])
        return self._memory(p.M_MODE, count, count)

    def anchors(self, q: slice) -> Array:
        """Coordinates at which joints are locked, or shifts of their motions, as a view that can be written to."""
        return self._memory(p.M_ANCHOR, q.start, q.stop - q.start)

    def _memory(self, entry: int, first: int, count: int) -> Array:
        at = int(self.plan[entry]) + first
        return self.memory[at : at + count]

    def hold(self, rates: slice, held: bool) -> None:
        """Whether the accelerations of these rates are given."""
        places = int(self.tree[k.RATE_AT]) + np.arange(rates.start, rates.stop) * k.RATE_INTS + k.RATE_GIVEN
        self.tree[places] = held

    @property
    def own_axes(self) -> bool:
        """Whether it integrates the base's angular rates in the base's axes."""
        return bool(self.tree[k.OWN_AXES])

    def set_times(self, times: Array | None) -> None:
        """The next times to record, and an empty record; None: every step."""
        self.counters[[p.C_RECORD, p.C_TIME]] = 0
        if times is not None:
            at = int(self.plan[p.N_TIMES])
            self.numbers[at : at + len(times)] = times
            self.plan[p.RECORDS] = len(times)


def articulated_matrix(numbers: Array) -> Array:
    """The matrix [A B; B' C] of the 21 numbers of an articulated inertia.

    >>> articulated_matrix(np.arange(21.0))[0].astype(int).tolist()
    [0, 3, 4, 6, 7, 8]
    """
    six = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
    A, B, C = numbers[six], numbers[6:15].reshape(3, 3), numbers[15 + six]
    return np.block([[A, B], [B.T, C]])


def in_other_axes(tree: Array, attitude: Array, u: Array, sign: float) -> Array:
    """Rates (nv, lanes), the angular ones of a free base turned into inertial axes (sign 1) or into its own (-1)."""
    u = u.copy()
    if tree[k.OWN_AXES]:
        angular = slice(tree[k.BASE_RATES] - 3, tree[k.BASE_RATES])
        inverse = attitude.T * np.array([sign, sign, sign, 1.0])
        u[angular] = turned(inverse, u[angular].T).T
    return u
