"""A simulation in the arrays that kernels/sim/layout.py names, advanced by the driver and changed by events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...kernels.elements.program import CALLED
from ...kernels.robot import layout as k
from ...kernels.scalar.pack import ONE, PACK
from ...kernels.sim import layout as p
from ...kernels.sim.codes import LOOK
from ...kernels.simulation.driver import advance
from .present import Present, in_other_axes
from .row_values import forget_rank, holding_rows, look_at_rows, owners_of_rows, row_jacobian

Array = np.ndarray


@dataclass
class Stepper(Present):
    """The arrays of a simulation of up to a pack of robots, as the driver's `advance` takes them."""

    def number_robots(self, first: int) -> None:
        """Set the batch number of the first robot, on which noise depends; spare lanes repeat the last robot."""
        self.first, at = first, int(self.plan[p.Y_ROBOT]) * self.lanes
        self.work[at : at + self.lanes] = first + np.minimum(np.arange(self.lanes), self.robots - 1)

    def fail(self) -> None:
        """Make the state NaN, so that the driver stops soon: a law or an element has raised an exception."""
        self.called_at_fault = int(self.memory[self.plan[p.M_CALLED]])
        self.step_at_fault = self.step
        of_element = self.called_at_fault >= CALLED
        array, first = (self.work, p.Y_VIEW) if self.lanes == 1 and not of_element else (self.memory, p.M_VIEW)
        last = self.plan[p.M_OUT] - self.plan[p.M_VIEW] if of_element else self.plan[p.VIEW]
        self.view_at_fault = array[self.plan[first] :][:last].copy()
        self.work[:] = np.nan

    def advance(self, rows: Array, room: int, steps: int) -> int:
        """Advance the simulation; return the driver's status."""
        kind = ONE if self.lanes == 1 else PACK
        return advance(self.own, rows.reshape(-1), room, self.robots, steps, kind)

    def set_rates(self, u: Array) -> None:
        """Set the rates (nv, lanes) at the present coordinates."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        work[places[1]] = in_other_axes(self.tree, work[places[0]], u, -1.0)

    def at_work(self) -> str | None:
        """The law, condition or motion that is being called now; may be read by another thread."""
        law = self.callees.get(int(self.memory[self.plan[p.M_CALLED]]))
        return None if law is None else f"{law.role.what} '{law.name}'"

    def rewritten(self) -> str | None:
        """Name of the law, condition, motion or element that has overwritten its read-only parameters, or None."""
        first = self.numbers.size - self.given.size
        if np.array_equal(self.numbers[first:], self.given):
            return None
        place = first + int(np.argmax(self.numbers[first:] != self.given))
        starts = {number: self._parameters_at(number) for number in self.callees}
        return self.callees[max((n for n in starts if starts[n] <= place), key=lambda n: starts[n])].name

    def _parameters_at(self, number: int) -> int:
        """Place in `numbers` of the parameters of a law, a motion or an element."""
        if number >= CALLED:
            return int(self.plan[number - CALLED + p.E_NUMBERS])
        if number > 0:
            return int(self.plan[self.plan[p.LAW_AT] + (number - 1) * p.LAW_INTS + p.L_PARAMETERS])
        return int(self.plan[self.plan[p.PRESCRIBED_AT] + (-number - 1) * p.JOINT_INTS + p.J_NUMBERS])

    def choose_tolerances(self) -> None:
        """Write the error tolerances; held joints, which are not integrated, get one for their work only."""
        scale = self.tolerances.copy()
        if len(scale) > 1:  # an adaptive step
            first, nv = int(self.tree[k.RATE_AT]), int(self.tree[k.RATES])
            given = self.tree[first : first + nv * k.RATE_INTS].reshape(nv, k.RATE_INTS)[:, k.RATE_GIVEN] > 0
            scale[: 2 * nv][np.tile(given, 2)] = 0.0
            scale[self.layout.in_y("joint_work")][~given[nv - self.layout.joints :]] = 0.0
        at = int(self.plan[p.N_SCALE])
        self.numbers[at : at + scale.size] = scale.ravel()

    # --- what laws see ------------------------------------------------------------------------------------------------

    def views(self, number: int) -> Array:
        """(view, lanes) the view of a law or an element, by its number among the callees, at the present state."""
        kinds, everyone = self._kinds(), self._kinds().copy()
        if number >= CALLED:  # the next element overwrites its own view: call no other
            mine = (number - CALLED - self.plan[p.ELEMENT_AT]) // p.ELEMENT_INTS
            here = (kinds[:, p.K_FIRST] <= mine) & (mine < kinds[:, p.K_FIRST] + kinds[:, p.K_COUNT])
            kinds[:, p.K_FIRST], kinds[:, p.K_COUNT] = mine, here
        self.evaluate(LOOK if self.plan[p.EVENTS] and number < CALLED else 0)
        kinds[:] = everyone
        own = self.callees[number].own_view(0)[""].stop if number >= CALLED else 0
        parts = [self._scalars(p.Y_VIEW, 0, int(self.plan[p.VIEW])), self._scalars(p.Y_OWN_VIEW, 0, own)]
        return np.concatenate(parts)

    def _kinds(self) -> Array:
        """The records of the kinds of elements, a view of the plan that can be written to."""
        first, count = int(self.plan[p.KIND_AT]), int(self.plan[p.KINDS])
        return self.plan[first : first + count * p.KIND_INTS].reshape(count, p.KIND_INTS)

    def choose_sides(self) -> None:
        """Set the sides of guards by the present state, as before the first step."""
        if self.plan[p.GUARDS]:
            self._call(p.GUARD_CHECK, 2, p.SET_SIDES, 0)

    # --- what events and laws change ----------------------------------------------------------------------------------

    def end_here(self) -> None:
        """Make the present time the end of the run, so that the driver writes the last row."""
        self.clock[p.T_END] = self.clock[p.T]

    def wake(self) -> None:
        """Wake all sleeping bodies, because an event or a command has changed the state."""
        if self.plan[p.SLEEPERS] and self.lanes == 1:
            groups = self._scalars(p.Y_SLEEP, 0, int(self.plan[p.SLEEPERS]) * p.SL_NUMBERS)
            groups[:] = 0.0
            first, bodies = int(self.plan[p.M_SKIP]), int(self.tree[k.BODIES])
            self.memory[first : first + bodies + 1] = 0.0
            segments = self.tree[self.tree[k.SEGMENT_AT] :][: self.tree[k.SEGMENTS] * k.SEGMENT_INTS]
            segments[k.SEGMENT_RESTS :: k.SEGMENT_INTS] = 0

    def forget_stage(self) -> None:
        """The first stage of the next step must be evaluated anew."""
        self.counters[p.C_FRESH] = 0
        self.wake()

    def rows(self) -> tuple[Array, Array]:
        """Constraint rows at the present state of one robot: J (rows, nv) and their rates (rows,)."""
        if not self.plan[p.ROWS]:
            return np.zeros((0, int(self.tree[k.RATES]))), np.zeros(0)
        rate = look_at_rows(self).rate[:, 0]
        held = holding_rows(self)
        return row_jacobian(self, self.state())[held], rate[held]

    def opening(self) -> float:
        """The largest residual or rate of all loops at the present state of one robot [m, rad, m/s, rad/s]."""
        if not self.plan[p.ROWS]:
            return 0.0
        found = look_at_rows(self)
        loops = [not self.layout.elements[i].asks for i in owners_of_rows(self)]  # contacts may open
        return float(np.abs([found.residual[loops, 0], found.rate[loops, 0]]).max(initial=0.0))

    def forget_rows(self) -> None:
        """The independent constraint rows must be chosen anew."""
        forget_rank(self)

    def forget_sides(self, lane: int = 0) -> None:
        """Mark the sides of a robot's guards for a new choice; the old sides stay known, to detect changes."""
        self.counters[p.C_SIDES] = 0
        armed = self._scalars(p.Y_ARMED, 0, 1)[:, lane]
        armed[:] = -abs(armed)

    def sliding_guard(self, or_last: bool) -> tuple[str, int] | None:
        """The user's element, and the number of its guard, whose zero a step has passed over; None if there is none.

        Both sides of such a guard lead back to its zero. `or_last`: without one, the guard at which a step last ended.
        """
        target = int(self.counters[p.C_SLIDES]) - 1
        if target < 0 and or_last:
            target = int(self.counters[p.C_TARGET])
        for number, one in self.callees.items() if target >= 0 else ():
            if number >= CALLED:
                record = self.plan[number - CALLED :]
                which = target // self.lanes - int(record[p.E_GUARD])
                if 0 <= which < record[p.E_GUARDS]:
                    return one.label, which
        return None

    @property
    def asked(self) -> bool:
        """Whether the last step ended where a guard calls for impulses of rigid contact."""
        return bool(self.counters[p.C_ASKED])

    def answered(self) -> None:
        """Acknowledge that impulses of rigid contact have been applied."""
        self.counters[p.C_ASKED] = 0

    @contextmanager
    def moved_on(self, step: float) -> Iterator[None]:
        """For a moment the present state is moved along its rates, as a stage of a method is."""
        kept = self.work.copy()
        self.evaluate()
        count = self.layout.y["states"].stop
        self._scalars(p.Y_NOW, 0, count)[:] += step * self._scalars(p.Y_SPARE, 0, count)
        try:
            yield
        finally:
            self.work[:] = kept

    def set_coordinates(self, x: Array) -> None:
        """Set the present coordinates."""
        self._scalars(p.Y_ORIGIN, 0, len(x))[:] = x[:, None]

    def add_to_ledger(self, entry: str, change: ArrayLike) -> None:
        """Add to an entry of the ledger."""
        part = self.layout.in_y(entry)
        self._scalars(p.Y_NOW, part.start, part.stop - part.start)[:] += np.reshape(change, (-1, 1))

    def fired(self) -> Array:
        """(events, lanes) which events happen here, as a view that can be written to."""
        return self._of_events(p.G_FIRED)

    def ignored(self) -> Array:
        """(events, lanes) which events are ignored, as a view that can be written to."""
        return self._of_events(p.G_IGNORE)

    @property
    def events_so_far(self) -> int:
        """Number of events that have happened to its robots."""
        return int(self.counters[p.C_EVENTS])

    def count_events(self, count: int) -> None:
        """Add to the number of events that have happened."""
        self.counters[p.C_EVENTS] += count

    def _of_events(self, what: int) -> Array:
        """The number `what` that is kept for each event, (events, lanes)."""
        guards, events = int(self.plan[p.GUARDS]), int(self.plan[p.EVENTS])
        return self._scalars(p.Y_GUARD_MEMORY, what * guards + guards - events, events)

    # --- robots of a pack that have ended -----------------------------------------------------------------------------

    def _ended(self) -> Array:
        """(lanes, 1 + columns) whether a lane's robot has ended, and its last row; empty without packs."""
        width = 1 + int(self.plan[p.ROW])
        held = self.memory[int(self.plan[p.M_ENDED]) : int(self.plan[p.M_HELD])]
        return held.reshape(-1, width)

    def end_lane(self, lane: int) -> None:
        """Stop the robot in a lane of a pack; from now on the lane copies a lane whose robot goes on."""
        self._ended()[lane] = 1.0, *self._present_row(lane)
        going = np.flatnonzero(self._ended()[: self.robots, 0] == 0.0)
        if not going.size:
            return
        idle = np.flatnonzero(self._ended()[:, 0] > 0.0)
        if self.robots - 1 in idle:  # spare lanes copy the last robot's
            idle = np.append(idle, np.arange(self.robots, self.lanes))
        laws = self.memory[int(self.plan[p.M_HELD]) :].reshape(-1, self.lanes, int(self.plan[p.OUTPUTS]))
        laws[:, idle] = laws[:, going[:1]]
        for array in (self.work, self.par) if self.model.flat.robots else (self.work,):
            scalars = array.reshape(-1, self.lanes)
            scalars[:, idle] = scalars[:, going[:1]]

    def hold_ended(self, rows: Array) -> None:
        """Overwrite later rows of robots that have ended with their last one; `rows` (records, robots, columns)."""
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
        """Mark whether the accelerations of these rates are given."""
        places = int(self.tree[k.RATE_AT]) + np.arange(rates.start, rates.stop) * k.RATE_INTS + k.RATE_GIVEN
        self.tree[places] = held

    def set_times(self, times: Array | None) -> None:
        """Set the next times to record (None: every step) and empty the record."""
        self.counters[[p.C_RECORD, p.C_TIME]] = 0
        if times is not None:
            at = int(self.plan[p.N_TIMES])
            self.numbers[at : at + len(times)] = times
            self.plan[p.RECORDS] = len(times)
