"""A simulation laid out in arrays, as `kernels.plan` has it: the stepper that `kernels.advance` drives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from ..elements.forces import Force, lay_out_forces
from ..elements.prescribed import Prescribed, lay_out
from ..kernels.methods.radau import implicit_address, memory_of
from ..kernels.methods.variational import VECTORS, variational_address
from ..kernels.robot import layout as k
from ..kernels.scalar.compiling import address_of
from ..kernels.scalar.memory import ZEROS
from ..kernels.scalar.pack import LANES, ONE, PACK
from ..kernels.sim import layout as p
from ..kernels.sim.sim import table_of
from ..kernels.simulation.driver import advance
from ..kernels.simulation.right_hand_side import flow_address, tangent_flow_address
from ..kernels.simulation.stops import stops_address
from ..laws.compile import Compiled
from ..laws.conditions import Condition
from ..laws.law import Law
from ..model.flatten import aligned
from ..model.model import Model, robot_of
from ..model.quaternions import turned
from ..model.state import State
from ..quantities.calls import gravity_vector
from ..quantities.momentum import kinetic_energy, potential_energy
from .channels import row_columns
from .events import Event
from .failures import evaluate
from .methods import Method

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
    callees: dict[int, Law]  # laws, conditions and motions by the number that `memory` has while they are called
    model: Model  # of its robots
    view_at_fault: Array | None = None  # what a law saw that raised something
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
        """Stop soon, since a law raised something: nothing is finite any more."""
        array, first = (self.work, p.Y_VIEW) if self.lanes == 1 else (self.memory, p.M_VIEW)
        self.view_at_fault = array[self.plan[first] :][: self.plan[p.VIEW]].copy()
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
        """Name of the law, condition or motion that has changed its parameters, unseen by its compiler."""
        first = self.numbers.size - self.given.size
        if np.array_equal(self.numbers[first:], self.given):
            return None
        place = first + int(np.argmax(self.numbers[first:] != self.given))
        starts = {number: self._parameters_at(number) for number in self.callees}
        return self.callees[max((n for n in starts if starts[n] <= place), key=lambda n: starts[n])].name

    def _parameters_at(self, number: int) -> int:
        """Where in `numbers` the parameters of a law or a motion begin."""
        if number > 0:
            return int(self.plan[p.PLAN + (number - 1) * p.LAW_INTS + p.L_PARAMETERS])
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


def build_stepper(
    model: Model,
    state: State,
    t0: float,
    t1: float,
    laws: list[Law],
    method: Method,
    window: int,
    gravity: Any,
    prescribed: list[Prescribed],
    forces: list[Force],
    events: list[Event],
    conditions: list[Condition],
    compiled: list[Compiled],
) -> Stepper:
    """Lay a simulation out. `window`: how many times to record it can hold at once; 0 if every step is recorded."""
    flat, tableau = model.flat, method.tableau
    lanes = 1 if state.count == 1 or config.DISABLE_JIT or not method.in_packs else LANES
    nx, nv, nj, ne = 7 + model.nq, model.nv, model.nv - model.base_dof, len(model.endpoints)
    called = [*laws, *conditions]
    internal = sum(law.state_size for law in laws)
    columns = row_columns(model, laws, forces, events)
    modes = columns["mode"].stop - columns["mode"].start
    ledger = columns["event_work"].stop - columns["joint_work"].start
    size = 2 * nv + internal + ledger
    stages, degree = tableau.P.shape
    view = nx + 6 + nj + 9 + internal + modes + 18 * ne
    outputs = nj + 6 * (ne + 1) + modes + max([law.state_size for law in laws], default=0)

    joints_at = p.PLAN + p.LAW_INTS * len(called)
    forces_at = joints_at + p.JOINT_INTS * len(prescribed)
    plan = np.zeros(forces_at + p.ELEMENT_INTS * len(forces), dtype=np.int64)
    numbers: list[Array] = []

    def put(*parts: ArrayLike) -> int:
        at = sum(a.size for a in numbers)
        numbers.extend(np.ravel(np.asarray(a, dtype=float)) for a in parts)
        return at

    plan[[p.INTERNAL, p.LEDGER, p.SIZE, p.LAWS, p.OUTPUTS, p.VIEW]] = internal, ledger, size, len(laws), outputs, view
    plan[p.METHOD], plan[p.MAIN_STAGES], plan[p.ALL_STAGES], plan[p.DEGREE] = method.kind, tableau.main, stages, degree
    plan[p.ROW], plan[p.MODES] = columns["anchor"].stop, modes
    plan[p.CHOICES] = _choices(model, laws, called, window)
    momenta = VECTORS * nv if method.kind == p.VARIATIONAL else 0
    phases = 4 * nv if method.adaptive and has_stops(model) else 0
    room = size + LANES - 1  # of vectors that are written a pack at a time
    sizes = [phases, nx, size, room, room, size, stages * size, nv, 2 * len(forces), momenta]
    places = [p.Y_ORIGIN, p.Y_NOW, p.Y_STAGE, p.Y_NEW, p.Y_SPARE, p.Y_K, p.Y_TAU, p.Y_FORCES, p.Y_MOMENTUM, p.Y_VIEW]
    plan[places] = flat.slots + np.cumsum(sizes)
    scalars = int(plan[p.Y_VIEW]) + view
    plan[p.N_A], plan[p.N_B], plan[p.N_C] = put(tableau.A), put(tableau.b), put(tableau.c)
    plan[p.N_E5], plan[p.N_E3], plan[p.N_P] = put(tableau.e5), put(tableau.e3), put(tableau.P)
    plan[p.N_METHOD], plan[p.N_TIMES] = put(method.constants()), put(np.zeros(window))
    given = np.zeros(nv, dtype=bool)
    for one in prescribed:
        given[model.u_slice(one.joint)] = one.mode != p.MODE_FREE
    tolerances = _tolerances(model, state, method, internal, ledger)
    plan[p.N_SCALE] = put(tolerances)
    counter = p.C_LAWS + 2 * len(laws)
    records, motions, breaks = lay_out(model, prescribed, counter, put)
    elements, jumps = lay_out_forces(model, forces, counter + len(prescribed), put)
    plan[joints_at:] = np.concatenate([records.ravel(), elements.ravel()])
    breaks = np.unique(np.concatenate([breaks, jumps]))
    plan[[p.PRESCRIBED, p.PRESCRIBED_AT, p.FORCES, p.FORCE_AT]] = len(prescribed), joints_at, len(forces), forces_at
    plan[[p.BREAKS, p.N_BREAKS]] = len(breaks), put(breaks)

    memory = [view, outputs, 19 if prescribed else 0, p.EVENT_MEMORY * len(conditions)]
    memory += [len(prescribed) + modes, model.nq if modes else 0, p.STOP_MEMORY, 1, len(laws) * lanes * outputs]
    places = [p.M_VIEW, p.M_OUT, p.M_MOTION, p.M_EVENTS, p.M_MODE, p.M_ANCHOR, p.M_STOPS, p.M_CALLED, p.M_HELD]
    plan[places] = np.cumsum([0, *memory[:-1]])
    plan[p.EVENTS] = len(conditions)
    doubles, first = sum(memory), 0
    for i, law in enumerate(called):
        handed = nx, nj, ne, internal, first, law.state_size, modes, view, outputs
        ring = _lay_out_law(plan[p.PLAN + i * p.LAW_INTS :], law, compiled[i].address, handed, doubles, put)
        doubles += ring * lanes * outputs
        first += law.state_size
    plan[p.LAW_AT], plan[p.FLOW] = p.PLAN, flow_address(lanes, flat.robots > 0).address

    spare = _own_step(plan, method, scalars, 2 * nv + internal, size)
    tree = flat.with_given(given)
    tree[k.OWN_AXES] = method.own_axes and model.base_kind in ("free", "attitude")
    work = _start(plan, tree, state, laws, scalars, lanes)
    par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
    counters = np.zeros(counter + len(prescribed) + len(forces), dtype=np.int64)
    if phases:
        tree[k.W_STOP], plan[p.STOPPER] = flat.slots, stops_address(lanes, flat.robots > 0).address
    stepper = Stepper(
        tree, _own(par), plan, np.concatenate(numbers), work.reshape(-1),
        _memory(plan, model, state, prescribed, doubles), counters, _clock(method, t0, t1),
        compiled + motions, state.count, lanes, tolerances, spare,
        np.concatenate(numbers)[plan[p.N_SCALE] + tolerances.size :], _callees(called, prescribed), model,
    )  # fmt: skip
    stepper.choose_tolerances()
    return stepper


def _callees(called: list[Any], prescribed: list[Prescribed]) -> dict[int, Law]:
    """Laws and conditions, from 1 on, and motions, from -1 down."""
    motions = {-i: one.given for i, one in enumerate(prescribed, 1) if isinstance(one.given, Law)}
    return dict(enumerate(called, 1)) | motions


def _own(par: Array) -> Array:
    """A copy of the parameters, for actions of events to change; packs of them begin on a cache line."""
    mine = aligned(par.size)
    mine[:] = par.reshape(-1)
    return mine


def _choices(model: Model, laws: list[Law], called: list[Any], window: int) -> int:
    """What the driver has to do at all, bit by bit."""
    seen = set().union(*(law.sees() for law in called))
    return int(
        (k.PASSIVE_FORCES if model.flat.passive else 0)
        | (k.LOADED if any(law.writes() & {"base_wrench", "endpoint_wrenches"} for law in laws) else 0)
        | (p.SEES_MOMENTUM if seen & {"com", "linear_momentum", "angular_momentum"} else 0)
        | (p.SEES_ENDPOINTS if "endpoints" in seen else 0)
        | (p.RECORDS_STEPS if window == 0 else 0)
    )


def _clock(method: Method, t0: float, t1: float) -> Array:
    """Times and step sizes at the start."""
    clock = np.zeros(p.CLOCK)
    clock[[p.T, p.T_START, p.T_END]] = t0, t0, t1
    clock[p.ERROR_BEFORE], clock[p.ORDER] = 1e-4, max(method.error_order, 1)
    clock[p.H], clock[p.H_MAX] = _steps(method, t1 - t0)
    return clock


def _memory(plan: Array, model: Model, state: State, prescribed: list[Prescribed], doubles: int) -> Array:
    """What the driver keeps from step to step; at the start, the joints' modes and where they are held."""
    kept = np.zeros(doubles)
    for i, one in enumerate(prescribed):
        kept[plan[p.M_MODE] + i] = one.mode
        if plan[p.MODES] and one.mode != p.MODE_FREE:
            q = model.q_slice(one.joint)
            anchor = state.q.reshape(model.nq)[q] if one.mode == p.MODE_LOCKED else one.no_shift
            kept[plan[p.M_ANCHOR] + q.start : plan[p.M_ANCHOR] + q.stop] = anchor
    return kept


def has_stops(model: Model) -> bool:
    """Whether any joint has an end stop with a spring or a damper."""
    return any(np.any(joint.stop_stiffness > 0.0) or np.any(joint.stop_damping > 0.0) for joint in model.joints)


def _lay_out_law(
    record: Array, law: Law, address: int, sizes: tuple[int, ...], ring_at: int, put: Callable[..., int]
) -> int:
    """The record of a law in the plan, and its parameters; how many samples its ring holds."""
    ring = 1 if law.period is None else int(np.ceil(law.delay / law.period - 1e-9)) + 2
    record[p.L_ADDRESS], record[p.L_SAMPLED] = address, law.period is not None
    record[p.L_PARAMETERS] = put([law.period or 0.0, law.delay], *law.parameters.values(), [0.0])
    record[p.L_SIZES : p.L_SIZES + p.SIZES] = sizes
    record[p.L_STATE], record[p.L_STATES] = sizes[4:6]
    record[p.L_RING], record[p.L_RING_SIZE] = ring_at, ring
    return ring


def _start(plan: Array, tree: Array, state: State, laws: list[Law], scalars: int, lanes: int) -> Array:
    """Memory of the integration, with the robots' states and the laws' in their places; lanes to spare repeat one."""
    model, internal = state.model, int(plan[p.INTERNAL])
    nx, nv, origin, now = 7 + model.nq, model.nv, int(plan[p.Y_ORIGIN]), int(plan[p.Y_NOW])
    work = aligned(scalars * lanes).reshape(scalars, lanes)
    work[:] = 0.0
    rows = state._data.reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
    work[origin : origin + nx] = rows[:, :nx].T
    work[now + nv : now + 2 * nv] = in_other_axes(tree, rows[:, 3:7].T, rows[:, nx:].T, -1.0)
    initial = np.concatenate([np.empty(0), *(law.initial_states() for law in laws)])
    work[now + 2 * nv : now + 2 * nv + internal] = initial[:, None]
    return work


def _own_step(plan: Array, method: Method, scalars: int, counted: int, size: int) -> Array:
    """Scratch memory, and in the plan the addresses, of a method that is more than a tableau."""
    duals = 0
    if method.kind == p.IMPLICIT:
        duals = scalars if config.DISABLE_JIT else scalars * (1 + LANES)
        plan[p.STEPPER], plan[p.TANGENT_FLOW] = implicit_address().address, tangent_flow_address().address
    elif method.kind == p.VARIATIONAL:
        plan[p.STEPPER] = variational_address().address
    spare = scratch(duals + memory_of(counted, size) if duals else 1)
    plan[p.SPARE], plan[p.S_MATRIX] = address_of(spare), duals
    return spare


def scratch(numbers: int) -> Array:
    """Memory for duals and numbers, all zero; with the JIT switched off, duals are Python's objects."""
    if config.DISABLE_JIT:
        return np.array([ZEROS[bool]] * numbers, dtype=object)
    memory = aligned(numbers)
    memory[:] = 0.0  # what laws do not look at is never written, and has no tangents
    return memory


def _steps(method: Any, duration: float) -> tuple[float, float]:
    """First and largest step; where it ends makes no difference to a run but for its last step."""
    if not method.adaptive:
        return method.step, method.step
    return min(method.first_step or 1e-3, method.max_step, duration), method.max_step


def _tolerances(model: Model, state: State, method: Any, internal: int, ledger: int) -> Array:
    """Absolute and relative tolerance of each number of y, zero where none is kept; negative for a fixed step."""
    if not method.adaptive:
        return np.full((1, 2), -1.0)
    counted = 2 * model.nv + internal
    scale = np.zeros((counted + ledger, 2))
    scale[:counted] = method.atol, method.rtol
    # positions are measured from the step's start, where they are zero: relative to one radian or metre
    scale[: model.nv] = method.atol + method.rtol, 0.0
    if model.flat.passive:
        # what joints dissipate may bend where no force does, so that only this shows: when a spent end stop is left
        energy = np.mean(kinetic_energy(model, state) + potential_energy(model, state))
        dissipated = counted + model.nv - model.base_dof + 1 + len(model.endpoints)
        scale[dissipated] = method.atol + method.rtol * energy, method.rtol
    return scale
