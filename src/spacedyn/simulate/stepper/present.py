"""The arrays of a simulation, and its present state read from them: time, step, state, elements' quantities."""

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.core import config

from ...kernels.robot import layout as k
from ...kernels.scalar.compiling import PLAIN_FUNCTIONS
from ...kernels.sim import layout as p
from ...kernels.sim.codes import FORCES_ALONE
from ...kernels.sim.sim import table_of
from ...laws.compile import Compiled
from ...model.model import Model, robot_of
from ...model.quaternions import turned
from ...model.state import State
from ..layout import Layout

Array = np.ndarray


class Attached(NamedTuple):
    """Inertia (6, 6) that elements attach to a body, about a point of it, inertial axes, linear first."""

    body: str
    point: Array
    inertia: Array


@dataclass
class Present:
    """The arrays of a simulation of up to a pack of robots, and the present state in them."""

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
    tolerances: Array  # of each number of y, if no joint were held
    spare: Array  # scratch memory of methods with a step of their own
    given: Array  # parameters of laws, motions and elements: the end of `numbers`, which must not change
    callees: dict[int, Any]  # laws, conditions, motions, users' elements by their numbers in M_CALLED
    model: Model  # of its robots
    layout: Layout
    view_at_fault: Array | None = None  # the view of the law or element that raised an error
    called_at_fault: int = 0  # the number of that law or element among the callees
    step_at_fault: float = 0.0  # the step being taken then [s]
    first: int = 0  # its first robot's number in the batch

    def __post_init__(self) -> None:
        self.set_duals(self.spare)

    def set_duals(self, duals: Array) -> None:
        """Memory that begins with as many duals as `work` has numbers, for derivatives of the right-hand side."""
        self.spare = duals
        arrays = self.tree, self.par, self.work, self.plan, self.numbers, self.memory, self.counters, self.clock
        self.twin = table_of((*arrays[:2], duals, *arrays[3:]))
        self.own = table_of(arrays, self.twin)

    def state(self, lane: int = 0) -> State:
        """The state of the robot in a lane."""
        x = int(self.plan[p.Y_ORIGIN])
        coordinates = self.work.reshape(-1, self.lanes)[x : x + 7 + self.model.nq, lane]
        return State(robot_of(self.model, lane), np.concatenate([coordinates, self.rates()[:, lane]]))

    def rates(self) -> Array:
        """(nv, lanes) rates u at the present state, all in inertial axes."""
        places, work = self._rate_places(), self.work.reshape(-1, self.lanes)
        return in_other_axes(self.tree, work[places[0]], work[places[1]], 1.0)

    def _rate_places(self) -> tuple[slice, slice]:
        """Places in `work` of the base's attitude and of the rates."""
        x, nv = int(self.plan[p.Y_ORIGIN]) + 3, int(self.tree[k.RATES])
        u = int(self.plan[p.Y_NOW]) + nv
        return slice(x, x + 4), slice(u, u + nv)

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
        """Whether a step to the run's end has been tried, which a longer run would not have taken."""
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

    def stored_energy(self) -> float:
        """Energy that elements store at the present state [J]."""
        part = self.layout.channels["element_energy"]
        if part.stop == part.start:
            return 0.0
        self.evaluate()
        return float(self._scalars(p.Y_CHANNEL, part.start, part.stop - part.start).sum())

    def carried(self) -> Array:
        """Mass, first moment and momentum carried by elements, as recorded, of one robot; empty if none carry any."""
        if not self.layout.carries:
            return np.empty(0)
        self.evaluate()
        return self._scalars(p.Y_CARRIED, 0, p.CARRIED)[:, 0].copy()

    def attached(self) -> list[Attached]:
        """Inertias that elements attach to bodies at the present state of one robot."""
        found: dict[int, Attached] = {}
        names = [body for one in self.layout.elements for body in one.attached_to(self.model)]
        if names:
            self.evaluate(FORCES_ALONE)  # solving the dynamics would add the children's inertias
        for name in names:
            i = int(self.model.flat.order[self.model.body_index(name)])
            body = int(self.tree[k.W_BODY]) + i * k.BODY_WORK
            found[i] = Attached(name, self._reference_point(i), articulated_matrix(self.work[body + k.HANDED :][:21]))
        return list(found.values())

    def _reference_point(self, body: int) -> Array:
        """The point about which the kernels refer quantities of a body, in the inertial frame."""
        segment = int(self.tree[self.tree[k.BODY_AT] + body * k.BODY_INTS + k.SEGMENT])
        at = int(self.tree[k.W_X])
        base = self.work[at : at + 3].copy()
        if segment:
            at = int(self.tree[k.W_SEGMENT]) + (segment - 1) * k.SEGMENT_WORK + k.ORIGIN
            base += self.work[at : at + 3]
        return base

    def element_states(self, element: int) -> Array:
        """(states, lanes) internal states of an element, as a view that can be written to."""
        part = self.layout.states_of_element(element)
        return self._scalars(p.Y_NOW, self.layout.y["states"].start + part.start, part.stop - part.start)

    def _scalars(self, entry: int, first: int, count: int) -> Array:
        """`count` scalars of a block of `work`, from number `first` on: (count, lanes)."""
        at = int(self.plan[entry]) + first
        return self.work.reshape(-1, self.lanes)[at : at + count]

    def evaluate(self, due: int = 0) -> None:
        """Evaluate the right-hand side at the last accepted state, so that `work` describes it."""
        y, rates = (int(self.plan[entry]) for entry in (p.Y_NOW, p.Y_SPARE))
        self._call(p.FLOW, 1, y, rates, due)

    def _call(self, entry: int, reals: int, *integers: int) -> None:
        """Call a C function of the plan with the present time and, if it takes two reals, a step of zero."""
        given = (self.time, 0.0)[:reals]
        if config.DISABLE_JIT:
            PLAIN_FUNCTIONS[int(self.plan[entry])](self.own, *given, *integers)
        else:
            kinds = ctypes.c_void_p, *[ctypes.c_double] * reals, *[ctypes.c_int64] * len(integers)
            ctypes.CFUNCTYPE(None, *kinds)(int(self.plan[entry]))(self.own.ctypes.data, *given, *integers)

    @property
    def own_axes(self) -> bool:
        """Whether it integrates the base's angular rates in the base's axes."""
        return bool(self.tree[k.OWN_AXES])


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
