"""`simulate`: a robot, a state and laws, to a Run."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from .audit import Auditor
from .beginning import check_limits, check_memory, check_span, listed
from .blame import evaluate, failed_law, fastest_rate, first_rate, law_without_number, stiffness_note
from .calls import check_state, gravity_vector
from .errors import InputError, RunWarning, SimulationFailed, warn_user
from .events import Condition, Event, EventLog, directions, read_events
from .forces import Force, lay_out_forces, read_forces
from .kernels import plan as p
from .kernels import tree as k
from .kernels.advance import advance
from .kernels.compiling import address_of
from .kernels.flow import flow_address, tangent_flow_address
from .kernels.implicit import implicit_address, memory_of
from .kernels.scalar import LANES, ONE, PACK, ZEROS
from .kernels.variational import VECTORS, variational_address
from .laws import Compiled, Law, LawTemplate, check_names, compile_law
from .methods import DormandPrince8, Method, Variational
from .model.flatten import aligned
from .model.model import Model
from .model.state import State
from .modes import Switcher
from .momentum import kinetic_energy, potential_energy
from .origin import Origin
from .prescribe import Prescribed, lay_out, read_prescribed, start_of
from .recording import (
    InMemory,
    Keeper,
    Outcome,
    Past,
    Recording,
    RecordTimes,
    checked_record,
    chosen_channels,
    kept_columns,
    largest_chunk,
    row_width,
)
from .run import Run, may_switch, row_columns
from .streaming import Folder
from .watch import Watch

Array = np.ndarray


@dataclass
class Machine:
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
    view_at_fault: Array | None = None  # what a law saw that raised something

    def fail(self) -> None:
        """Stop soon, since a law raised something: nothing is finite any more."""
        array, first = (self.work, p.Y_VIEW) if self.lanes == 1 else (self.memory, p.M_VIEW)
        self.view_at_fault = array[self.plan[first] :][: self.plan[p.VIEW]].copy()
        self.work[:] = np.nan

    def advance(self, rows: Array, room: int, steps: int) -> int:
        """Go on; the status that the driver returns."""
        kind = ONE if self.lanes == 1 else PACK
        return advance(
            self.tree,
            self.par,
            self.work,
            self.plan,
            self.numbers,
            self.memory,
            self.counters,
            self.clock,
            rows.reshape(-1),
            room,
            self.robots,
            steps,
            kind,
        )

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

    def _changing(self) -> list[Array]:
        return [self.clock, self.counters, self.memory, self.work, self.tree, self.par]

    def image(self) -> Array:
        """All of its memory that changes, as one vector."""
        return np.concatenate([np.ravel(part).astype(float) for part in self._changing()])

    def restore(self, image: Array) -> Array:
        """Go on from an image, to an end of its own; what is left of the vector."""
        ends = self.clock[[p.T_END, p.H_MIN, p.H_MAX]]
        for part in self._changing():
            part[...] = image[: part.size].reshape(part.shape)
            image = image[part.size :]
        self.clock[[p.T_END, p.H_MIN, p.H_MAX]] = ends
        self.choose_tolerances()
        return image


def build_machine(
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
) -> Machine:
    """Lay a simulation out. `window`: how many times to record it can hold at once; 0 if every step is recorded."""
    flat, tableau = model.flat, method.tableau
    lanes = 1 if state.count == 1 or config.DISABLE_JIT or not method.in_packs else LANES
    nx, nv, nj, ne = 7 + model.nq, model.nv, model.nv - model.base_dof, len(model.endpoints)
    called = [*laws, *conditions]
    internal = sum(law.state_size for law in laws)
    modes = model.n if may_switch(laws, events) else 0
    ledger = nj + 1 + ne + 1 + 6 + len(forces) + min(1, len(conditions) + modes)
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
    plan[p.ROW], plan[p.MODES] = row_columns(model, laws, forces, events)["anchor"].stop, modes
    seen = set().union(*(law.sees() for law in called))
    plan[p.CHOICES] = (
        (k.PASSIVE_FORCES if flat.passive else 0)
        | (k.LOADED if any(law.writes() & {"base_wrench", "endpoint_wrenches"} for law in laws) else 0)
        | (p.SEES_MOMENTUM if seen & {"com", "linear_momentum", "angular_momentum"} else 0)
        | (p.SEES_ENDPOINTS if "endpoints" in seen else 0)
        | (p.RECORDS_STEPS if window == 0 else 0)
    )
    momenta = VECTORS * nv if method.kind == p.VARIATIONAL else 0
    sizes = [nx, size, size, size, size, stages * size, nv, 2 * len(forces), momenta]
    places = [p.Y_ORIGIN, p.Y_NOW, p.Y_STAGE, p.Y_NEW, p.Y_SPARE, p.Y_K, p.Y_TAU, p.Y_FORCES, p.Y_MOMENTUM, p.Y_VIEW]
    plan[places] = flat.slots + np.cumsum([0, *sizes])
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

    memory = [view, outputs, 9 if prescribed else 0, p.EVENT_MEMORY * len(conditions)]
    memory += [len(prescribed) + modes, model.nq if modes else 0, len(laws) * lanes * outputs]
    places = [p.M_VIEW, p.M_OUT, p.M_MOTION, p.M_EVENTS, p.M_MODE, p.M_ANCHOR, p.M_HELD]
    plan[places] = np.cumsum([0, *memory[:-1]])
    plan[p.EVENTS] = len(conditions)
    doubles, first = sum(memory), 0
    for i, law in enumerate(called):
        record = plan[p.PLAN + i * p.LAW_INTS :]
        ring = 1 if law.period is None else int(np.ceil(law.delay / law.period - 1e-9)) + 2
        record[p.L_ADDRESS], record[p.L_SAMPLED] = compiled[i].address, law.period is not None
        record[p.L_PARAMETERS] = put([law.period or 0.0, law.delay], *law.parameters.values(), [0.0])
        record[p.L_STATE], record[p.L_STATES] = first, law.state_size
        record[p.L_RING], record[p.L_RING_SIZE] = doubles, ring
        handed = nx, nj, ne, internal, first, law.state_size, modes, view, outputs
        record[p.L_SIZES : p.L_SIZES + p.SIZES] = handed
        doubles += ring * lanes * outputs
        first += law.state_size
    plan[p.LAW_AT], plan[p.FLOW] = p.PLAN, flow_address(lanes).address

    spare = _own_step(plan, method, scalars, 2 * nv + internal, size)
    work = aligned(scalars * lanes).reshape(scalars, lanes)
    work[:] = 0.0
    rows = state._data.reshape(state.count, -1)
    lane = np.minimum(np.arange(lanes), state.count - 1)
    work[plan[p.Y_ORIGIN] : plan[p.Y_ORIGIN] + nx] = rows[lane, :nx].T
    now = int(plan[p.Y_NOW])
    work[now + nv : now + 2 * nv] = rows[lane, nx:].T
    initial = np.concatenate([np.empty(0), *(law.initial_states() for law in laws)])
    work[now + 2 * nv : now + 2 * nv + internal] = initial[:, None]
    clock = np.zeros(p.CLOCK)
    clock[[p.T, p.T_START, p.T_END]] = t0, t0, t1
    clock[p.ERROR_BEFORE], clock[p.ORDER] = 1e-4, max(method.error_order, 1)
    clock[p.H_MIN] = 16 * np.finfo(float).eps * max(abs(t0), abs(t1), 1e-3)
    clock[p.H], clock[p.H_MAX] = _steps(method, t1 - t0)
    par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
    counters = np.zeros(counter + len(prescribed) + len(forces), dtype=np.int64)
    kept = np.zeros(doubles)
    for i, one in enumerate(prescribed):
        kept[plan[p.M_MODE] + i] = one.mode
        if modes and one.mode == p.MODE_LOCKED:
            q = model.q_slice(one.joint)
            kept[plan[p.M_ANCHOR] + q.start : plan[p.M_ANCHOR] + q.stop] = state.q.reshape(model.nq)[q]
    machine = Machine(
        flat.with_given(given), par.copy(), plan, np.concatenate(numbers), work.reshape(-1), kept, counters, clock,
        compiled + motions, state.count, lanes, tolerances, spare,
    )  # fmt: skip
    machine.choose_tolerances()
    return machine


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
    """First and largest step."""
    if not method.adaptive:
        return method.step, method.step
    largest = min(method.max_step, duration)
    return min(method.first_step or 1e-3, largest), largest


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


def simulate(
    model: Model,
    state: State,
    duration: float,
    *,
    laws: Iterable[Law] = (),
    method: Method | None = None,
    record: float | ArrayLike | str | None = None,
    gravity: ArrayLike | None = None,
    prescribed: Mapping[str, Any] | None = None,
    modes: Mapping[str, str] | None = None,
    adjust: bool = False,
    limits: bool = True,
    forces: Force | Iterable[Force] = (),
    events: Event | Iterable[Event] = (),
    start: float = 0.0,
    budget: float = 1e-7,
    progress: bool = True,
    channels: Iterable[str] | None = None,
    stream: str | os.PathLike[str] | None = None,
    view: bool = False,
) -> Run:
    """Move a robot through time under laws, with a ledger of energy and momentum.

    Parameters
    ----------
    model : Model
        The robot.
    state : State
        Where it starts: one, or a batch, which is simulated in packs.
    duration : float
        How long [s].
    laws : Law, optional
        Control laws; their commands add up.
    method : Method, optional
        How to step: `DormandPrince8()` if left out.
    record : float, times, 'steps', optional
        What to keep: every so many seconds, at given times [s], or every step. A thousand times
        over the duration if left out.
    gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes; none if left out.
    prescribed : {joint: motion}, optional
        Joints that move as given functions of time, whatever force it takes: `waypoints(...)`, a function made by
        `motion`, a SciPy spline, a NumPy Polynomial, a constant, or 'locked'. Laws' commands to them have no effect.
    modes : {joint: 'free', 'locked' or 'prescribed'}, optional
        What joints are at the start, if not what `prescribed` says: one whose motion is to be followed later on is
        'free' or 'locked' first. Laws and events may change it (`out.mode`, `lock`, `free`, `follow`).
    adjust : bool
        Whether to change a state that contradicts what is prescribed or locked at the start; an error if not.
    limits : bool
        Whether the state must be within the limits of the joints; those with an end stop may be a little beyond.
    forces : Force, optional
        `Wrench`, `Spring`, `Tether`, `Drag`: forces on bodies that are no law's.
    events : Event, optional
        Conditions that are found to the instant; they may end the run or change the state. For one robot.
    start : float
        The time at the start [s].
    budget : float
        Relative error of the ledger beyond which a RunWarning is raised.
    progress : bool
        Whether a run of more than a few seconds shows a progress bar.
    channels : str, optional
        What to keep beside time and state: 'states' (of laws), 'forces', 'base_wrench', 'endpoint_wrenches', 'udot',
        'ledger'. Everything if left out; the ledger is audited in any case.
    stream : path, optional
        A folder to write the record to as it grows, so that memory stays bounded; it can be read by `Run.load` even if
        the program is killed.
    view : bool
        Whether to show it in the browser while it runs, and to play it back there afterwards; `run.viewer` is that
        viewer.

    Returns
    -------
    Run
        The record, the ledger, and what made them. Interrupted by Ctrl-C, it holds what there is and says so.

    Raises
    ------
    InputError
        Arguments that cannot be used.
    SimulationFailed
        Numbers that are no longer finite, or a step that had to become too small; its `run` holds what was good.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0.2, -0.1, 0.3]), 10.0)
    >>> run.status, bool(run.audit().energy < 1e-10)
    ('done', True)
    """
    origin = origin_of(
        model,
        state,
        duration,
        laws=laws,
        method=method,
        record=record,
        gravity=gravity,
        prescribed=prescribed,
        modes=modes,
        adjust=adjust,
        limits=limits,
        forces=forces,
        events=events,
        start=start,
        budget=budget,
        channels=channels,
    )
    folder = None if stream is None else Path(stream)
    if view:
        from .viewer.watching import simulate_watched

        return simulate_watched(origin, lambda onlooker: carry_out(origin, folder, progress, onlooker=onlooker))
    return carry_out(origin, folder, progress)


def origin_of(
    model: Model,
    state: State,
    duration: float,
    *,
    laws: Iterable[Law] = (),
    method: Method | None = None,
    record: float | ArrayLike | str | None = None,
    gravity: ArrayLike | None = None,
    prescribed: Mapping[str, Any] | None = None,
    modes: Mapping[str, str] | None = None,
    adjust: bool = False,
    limits: bool = True,
    forces: Force | Iterable[Force] = (),
    events: Event | Iterable[Event] = (),
    start: float = 0.0,
    budget: float = 1e-7,
    channels: Iterable[str] | None = None,
) -> Origin:
    """What `simulate` is given, checked as far as it can be before the first step; nothing is compiled."""
    check_state(model, state)
    chosen = checked_laws(laws)
    method = DormandPrince8() if method is None else method
    if not isinstance(method, Method):
        raise InputError(f"method: expected one of spacedyn.methods, such as RungeKutta4(step=1e-3), got {method!r}")
    end = check_span(start, duration, budget)
    if state.count == 0:
        raise InputError("the batch is empty: there is no robot to be simulated")
    joints = read_prescribed(model, prescribed or {}, modes or {}, start, end)
    if isinstance(method, Variational) and (prescribed or modes or may_switch(chosen, listed("events", events, Event))):
        raise InputError(
            "a variational method cannot hold or prescribe joints: choose another, such as DormandPrince8()"
        )
    state = start_of(model, state, joints, start, adjust) if joints else state
    if limits:
        check_limits(model, state)
    elements = read_forces(model, listed("forces", forces, Force))
    watched, conditions = read_events(model, listed("events", events, Event))
    if watched and state.shape:
        raise InputError(f"events are for one robot; this state is a batch {state.shape}")
    for one in (*chosen, *conditions, *(joint.given for joint in joints)):
        if isinstance(one, Law):
            check_names(one)
    kept = checked_record(record, start, end)
    if isinstance(kept, str) and state.count > 1:
        raise InputError("record='steps' is for one robot; give a batch an interval or times")
    return Origin(
        model=model,
        state=state,
        laws=tuple(chosen),
        method=method,
        gravity=None if gravity is None else gravity_vector(gravity),
        prescribed=dict(prescribed or {}),
        modes=dict(modes or {}),
        forces=tuple(elements),
        events=tuple(watched),
        start=float(start),
        end=float(end),
        record=kept,
        channels=chosen_channels(channels, row_columns(model, chosen, elements, watched)),
        budget=float(budget),
    )


def carry_out(
    origin: Origin,
    stream: Path | None,
    progress: bool,
    past: Past | None = None,
    onlooker: Callable[[Array], None] | None = None,
) -> Run:
    """Simulate what an origin says, from its beginning or from a past that it has already."""
    columns = row_columns(origin.model, origin.laws, origin.forces, origin.events)
    most = largest_chunk(max(origin.robots, 1), row_width(columns))
    times = None if isinstance(origin.record, str) else RecordTimes(origin.record, origin.start, origin.end, past)
    joints, start = _joints(origin), origin.state.q.reshape(origin.robots, -1)
    if stream is None and times is not None:
        check_memory(times.count, origin.robots, row_width(kept_columns(columns, origin.channels)))
    auditor = Auditor(origin.model, origin.gravity, columns, origin.robots, joints, start)
    switcher = Switcher(origin.model, joints)
    log = EventLog(origin.model, origin.events, origin.gravity, switcher, () if past is None else past.events)
    with Watch(progress, (origin.end - origin.start) * max(1, -(-origin.robots // LANES)), onlooker) as watch:
        machines = build_machines(origin, 0 if times is None else most)
        keeper: Keeper = InMemory(origin, most, None if times is None else times.count)
        if stream is not None:
            keeper = Folder(stream, origin, most)
        for machine in machines:
            log.overlook(machine)
        if past is not None:
            past.restore(machines, auditor)
        with keeper.opened(past):
            outcome = Recording(origin, machines, columns, times, keeper, auditor, past, log).run(watch)
            keeper.finish(outcome.status, auditor.numbers)
    run = Run(origin, *keeper.content(), outcome.status, auditor.numbers, log.happened)
    if log.failure is not None:
        message, error = log.failure
        raise SimulationFailed(
            f"the simulation stopped at t = {outcome.time:g} s: {message}", run, outcome.time
        ) from error
    _raise_if_failed(run, outcome)
    run.check()
    return run


def build_machines(origin: Origin, window: int) -> list[Machine]:
    """A machine for each pack of robots."""
    o, alone = origin, config.DISABLE_JIT or not origin.method.in_packs
    alone = alone or may_switch(origin.laws, origin.events)
    size = 1 if alone else LANES  # robots of a pack have the same modes
    everyone = State(o.model, o.state._data.reshape(o.robots, -1))
    parts = [everyone[first : first + size] for first in range(0, o.robots, size)]
    laws, joints = list(o.laws), _joints(o)
    forces, (events, conditions) = list(o.forces), read_events(o.model, o.events)
    code = list(map(compile_law, [*laws, *conditions]))
    given = laws, o.method, window, o.gravity, joints, forces, events, conditions, code
    machines = [build_machine(o.model, part, o.start, o.end, *given) for part in parts]
    for machine in machines:
        machine.set_directions(directions(events))
    return machines


def _joints(o: Origin) -> list[Prescribed]:
    """The joints that are or may be held."""
    return read_prescribed(o.model, o.prescribed, o.modes, o.start, o.end, may_switch(o.laws, o.events))


def checked_laws(laws: Law | Iterable[Law]) -> list[Law]:
    """A list of laws that can be simulated together."""
    chosen = listed("laws", laws, Law | LawTemplate)
    for law in chosen:
        if isinstance(law, LawTemplate):
            raise InputError(
                f"law '{law.function.__name__}' has no parameters yet; call it: {law.function.__name__}(...)"
            )
        if not isinstance(law, Law):
            raise InputError(f"laws: expected functions made by @law and called with parameters, got {law!r}")
    if len(chosen) > 62:
        raise InputError(f"at most 62 laws can be simulated together, got {len(chosen)}")
    return chosen


def _raise_if_failed(run: Run, outcome: Outcome) -> None:
    """Say what went wrong, when, and which law or part of the robot it was first seen in."""
    if outcome.status in ("done", "event"):
        return
    if outcome.status == "interrupted":
        warn_user(f"interrupted at t = {outcome.time:g} s: the run holds what there is", RunWarning)
        return
    model, error, h = run.model, outcome.error, float(outcome.machine.clock[p.H])
    last = run.final if run.time.size else run.origin.state
    stiff = stiffness_note(model, last, run.forces, h)
    laws = [*run.laws, *read_events(model, run.origin.events)[1]]
    if error is not None:
        cause = failed_law(laws, outcome.machine, error, outcome.law)
    elif outcome.status == "not finite":
        owner = first_rate(model, outcome.machine)
        where = f", first seen in {owner}" if owner else ""
        step = "" if run.method.adaptive else f", or the step of {h:g} s is far too long{stiff}"
        cause = law_without_number(laws, outcome.machine, model) or (
            f"numbers are no longer finite{where}: something is driven to infinity{step}"
        )
    elif outcome.status == "step too long":
        cause = f"the equations of a step of {outcome.machine.clock[p.H]:g} s could not be solved: it is far too long"
    else:
        cause = (
            f"the step had to become too small ({h:.1e} s): very stiff springs, a law that jumps, or motion out of "
            f"bounds. The largest acceleration is that of {fastest_rate(model, outcome.machine)}{stiff}"
        )
    raise SimulationFailed(f"the simulation stopped at t = {outcome.time:g} s: {cause}", run, outcome.time) from error
