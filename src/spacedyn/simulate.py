"""`simulate`: a robot, a state and laws, to a Run."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from . import faults
from .blame import failed_law, first_rate, law_without_number
from .calls import check_state, gravity_vector
from .errors import InputError, RunWarning, SimulationFailed
from .forces import Force, lay_out_forces, read_forces
from .kernels import plan as p
from .kernels import tree as k
from .kernels.advance import advance
from .kernels.flow import flow_address
from .kernels.scalar import LANES, ONE, PACK
from .laws import Compiled, Law, LawTemplate, compile_law
from .methods import DormandPrince8, Method
from .model.flatten import aligned
from .model.model import Model
from .model.state import State
from .momentum import kinetic_energy, potential_energy
from .prescribe import Prescribed, lay_out, read_prescribed, start_of
from .run import Run, row_columns
from .watch import Watch

Array = np.ndarray
_STEPS_A_CALL = 5000  # between looks at the clock and at the keyboard


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
    view_at_fault: Array | None = None  # what a law saw that raised something

    def fail(self) -> None:
        """Stop soon, since a law raised something: nothing is finite any more."""
        first, size = self.plan[p.M_VIEW], self.plan[p.VIEW]
        self.view_at_fault = self.memory[first : first + size].copy()
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


def build_machine(
    model: Model,
    state: State,
    t0: float,
    t1: float,
    laws: list[Law],
    method: Method,
    times: Array | None,
    gravity: Any,
    prescribed: list[Prescribed],
    forces: list[Force],
) -> Machine:
    """Lay a simulation out."""
    flat, tableau = model.flat, method.tableau
    lanes = 1 if state.count == 1 or config.DISABLE_JIT else LANES
    nx, nv, nj, ne = 7 + model.nq, model.nv, model.nv - model.base_dof, len(model.endpoints)
    compiled = list(map(compile_law, laws))
    internal = sum(law.state_size for law in laws)
    ledger = nj + 1 + ne + 1 + 6 + len(forces)
    size = 2 * nv + internal + ledger
    stages, degree = tableau.P.shape
    view = nx + 6 + nj + 9 + internal + 18 * ne
    outputs = nj + 6 * (ne + 1) + max([law.state_size for law in laws], default=0)

    joints_at = p.PLAN + p.LAW_INTS * len(laws)
    forces_at = joints_at + p.JOINT_INTS * len(prescribed)
    plan = np.zeros(forces_at + p.ELEMENT_INTS * len(forces), dtype=np.int64)
    numbers: list[Array] = []

    def put(*parts: ArrayLike) -> int:
        at = sum(a.size for a in numbers)
        numbers.extend(np.ravel(np.asarray(a, dtype=float)) for a in parts)
        return at

    plan[[p.INTERNAL, p.LEDGER, p.SIZE, p.LAWS, p.OUTPUTS, p.VIEW]] = internal, ledger, size, len(laws), outputs, view
    plan[p.METHOD], plan[p.MAIN_STAGES], plan[p.ALL_STAGES], plan[p.DEGREE] = method.kind, tableau.main, stages, degree
    plan[p.RECORDS] = 0 if times is None else len(times)
    plan[p.ROW] = row_columns(model, laws, forces)["tension"].stop
    seen = set().union(*(law.sees() for law in laws))
    plan[p.CHOICES] = (
        (k.PASSIVE_FORCES if flat.passive else 0)
        | (k.LOADED if any(law.writes() & {"base_wrench", "endpoint_wrenches"} for law in laws) else 0)
        | (p.SEES_MOMENTUM if seen & {"com", "linear_momentum", "angular_momentum"} else 0)
        | (p.SEES_ENDPOINTS if "endpoints" in seen else 0)
        | (p.RECORDS_STEPS if times is None else 0)
    )
    sizes = [nx, size, size, size, size, stages * size, nv, 2 * len(forces)]
    places = [p.Y_ORIGIN, p.Y_NOW, p.Y_STAGE, p.Y_NEW, p.Y_SPARE, p.Y_K, p.Y_TAU, p.Y_FORCES, p.Y_VIEW]
    plan[places] = flat.slots + np.cumsum([0, *sizes])
    scalars = int(plan[p.Y_VIEW]) + view
    plan[p.N_A], plan[p.N_B], plan[p.N_C] = put(tableau.A), put(tableau.b), put(tableau.c)
    plan[p.N_E5], plan[p.N_E3], plan[p.N_P] = put(tableau.e5), put(tableau.e3), put(tableau.P)
    plan[p.N_TIMES] = put([] if times is None else times)
    given = np.zeros(nv, dtype=bool)
    for one in prescribed:
        given[model.u_slice(one.joint)] = True
    plan[p.N_SCALE] = put(_tolerances(model, state, method, given, internal, ledger))
    counter = p.C_LAWS + 2 * len(laws)
    records, motions, breaks = lay_out(model, prescribed, counter, put)
    elements, jumps = lay_out_forces(model, forces, counter + len(prescribed), put)
    plan[joints_at:] = np.concatenate([records.ravel(), elements.ravel()])
    breaks = np.unique(np.concatenate([breaks, jumps]))
    plan[[p.PRESCRIBED, p.PRESCRIBED_AT, p.FORCES, p.FORCE_AT]] = len(prescribed), joints_at, len(forces), forces_at
    plan[[p.BREAKS, p.N_BREAKS]] = len(breaks), put(breaks)

    memory = [view, outputs, 9 if prescribed else 0, len(laws) * lanes * outputs]
    plan[[p.M_VIEW, p.M_OUT, p.M_MOTION, p.M_HELD]] = np.cumsum([0, *memory[:3]])
    doubles, first = sum(memory), 0
    for i, law in enumerate(laws):
        record = plan[p.PLAN + i * p.LAW_INTS :]
        ring = 1 if law.period is None else int(np.ceil(law.delay / law.period - 1e-9)) + 2
        record[p.L_ADDRESS], record[p.L_SAMPLED] = compiled[i].address, law.period is not None
        record[p.L_PARAMETERS] = put([law.period or 0.0, law.delay], *law.parameters.values(), [0.0])
        record[p.L_STATE], record[p.L_STATES] = first, law.state_size
        record[p.L_RING], record[p.L_RING_SIZE] = doubles, ring
        record[p.L_SIZES : p.L_SIZES + 8] = nx, nj, ne, internal, first, law.state_size, view, outputs
        doubles += ring * lanes * outputs
        first += law.state_size
    plan[p.LAW_AT], plan[p.FLOW] = p.PLAN, flow_address(lanes).address

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
    joined = np.concatenate(numbers)
    return Machine(
        flat.with_given(given), par.copy(), plan, joined, work.reshape(-1), np.zeros(doubles), counters, clock,
        compiled + motions, state.count, lanes,
    )  # fmt: skip


def _steps(method: Any, duration: float) -> tuple[float, float]:
    """First and largest step."""
    if not method.adaptive:
        return method.step, method.step
    largest = min(method.max_step, duration)
    return min(method.first_step or 1e-3, largest), largest


def _tolerances(model: Model, state: State, method: Any, given: Array, internal: int, ledger: int) -> Array:
    """Absolute and relative tolerance of each number of y, zero where none is kept; negative for a fixed step."""
    if not method.adaptive:
        return np.full(2, -1.0)
    counted = 2 * model.nv + internal
    scale = np.zeros((counted + ledger, 2))
    scale[:counted] = method.atol, method.rtol
    # positions are measured from the step's start, where they are zero: relative to one radian or metre
    scale[: model.nv] = method.atol + method.rtol, 0.0
    scale[: 2 * model.nv][np.tile(given, 2)] = 0.0
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
    adjust: bool = False,
    forces: Force | Iterable[Force] = (),
    start: float = 0.0,
    budget: float = 1e-7,
    progress: bool = True,
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
    adjust : bool
        Whether to change a state that contradicts what is prescribed at the start; an error if not.
    forces : Force, optional
        `Wrench`, `Spring`, `Tether`, `Drag`: forces on bodies that are no law's.
    start : float
        The time at the start [s].
    budget : float
        Relative error of the ledger beyond which a RunWarning is raised.
    progress : bool
        Whether a run of more than a few seconds shows a progress bar.

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
    check_state(model, state)
    chosen = _laws(laws)
    method = DormandPrince8() if method is None else method
    if not isinstance(method, Method):
        raise InputError(f"method: expected one of spacedyn.methods, such as RungeKutta4(step=1e-3), got {method!r}")
    if not (np.isfinite(duration) and duration > 0.0 and np.isfinite(start)):
        raise InputError(f"duration must be a positive time [s], got {duration}")
    joints = read_prescribed(model, prescribed or {}, start, start + duration)
    state = start_of(model, state, joints, start, adjust) if joints else state
    elements = read_forces(model, forces)
    times = _times(record, start, start + duration)
    if times is None and state.count > 1:
        raise InputError("record='steps' is for one robot; give a batch an interval or times")
    packs = []
    size = 1 if config.DISABLE_JIT else LANES
    everyone = State(model, state._data.reshape(state.count, -1)) if state.shape else state
    with Watch(progress, duration * max(1, -(-state.count // size))) as watch:
        for first in range(0, max(state.count, 1), size):
            part = everyone[first : first + size] if state.shape else state
            machine = build_machine(
                model, part, start, start + duration, chosen, method, times, gravity, joints, elements
            )
            packs.append(_run_machine(machine, times, watch))
            if packs[-1].status == "interrupted":
                break
    worst = min((pack for pack in packs if pack.status != "done"), key=lambda pack: pack.time, default=packs[0])
    records = min(len(pack.rows) for pack in packs)  # all robots up to where the first of them failed
    rows = np.concatenate([pack.rows[:records] for pack in packs], axis=1)
    shape = state.shape if rows.shape[1] == state.count else (rows.shape[1],)  # interrupted: those that were begun
    run = Run(model, chosen, method, rows if state.shape else rows[:, 0], shape, worst.status, gravity, elements)
    _raise_if_failed(run, worst)
    run.check(budget)
    return run


def _laws(laws: Iterable[Law]) -> list[Law]:
    chosen: list[Any] = [laws] if isinstance(laws, Law | LawTemplate) else list(laws)
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


def _times(record: Any, start: float, end: float) -> Array | None:
    """Times to record, or None for every step."""
    if isinstance(record, str):
        if record != "steps":
            raise InputError(f"record: expected an interval [s], times, or 'steps', got {record!r}")
        return None
    interval = (end - start) / 1000.0 if record is None else record
    array = np.asarray(interval, dtype=float)
    if array.ndim == 0:
        if not (np.isfinite(array) and array > 0.0):
            raise InputError(f"record: the interval must be a positive time [s], got {record}")
        count = int(np.floor((end - start) / float(array) * (1 + 1e-12)))
        array = start + np.arange(count + 1) * float(array)
        return array if end - array[-1] < 1e-9 * (end - start) else np.append(array, end)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or np.any(np.diff(array) <= 0.0):
        raise InputError("record: times must be finite and ascending")
    if array[0] < start or array[-1] > end * (1 + 1e-12):
        raise InputError(f"record: times must lie between {start} and {end} s, got {array[0]} to {array[-1]} s")
    return array


@dataclass
class _Pack:
    rows: Array  # (records, robots, columns)
    status: str
    time: float
    machine: Machine
    error: BaseException | None  # what a law raised
    law: str | None  # which law, if that is known


_ENDS = {
    p.DONE: "done",
    p.NOT_FINITE: "not finite",
    p.STEP_TOO_SMALL: "step too small",
}


def _run_machine(machine: Machine, times: Array | None, watch: Watch) -> _Pack:
    """Run one pack of robots to its end."""
    width, robots = int(machine.plan[p.ROW]), machine.robots
    room = 20000 if times is None else len(times) + 1
    kept: list[Array] = []
    begun = machine.clock[p.T]
    while True:
        buffer = np.empty((room + 1, robots, width))
        machine.counters[p.C_RECORD] = 0
        status = p.PAUSED
        interrupted = False
        try:
            while status == p.PAUSED:
                with faults.caught(machine.fail):
                    status = machine.advance(buffer, room, _STEPS_A_CALL)
                if isinstance(faults.first()[0], KeyboardInterrupt):  # while a law ran in Python
                    raise KeyboardInterrupt
                watch.reached(machine.clock[p.T] - begun)
        except KeyboardInterrupt:
            interrupted = True
        kept.append(buffer[: machine.counters[p.C_RECORD]].copy())
        if interrupted or status != p.FULL:
            break
    watch.finished(machine.clock[p.T] - begun)
    end = "interrupted" if interrupted else _ENDS[status]
    return _Pack(np.concatenate(kept), end, float(machine.clock[p.T]), machine, *faults.first())


def _raise_if_failed(run: Run, pack: _Pack) -> None:
    """Say what went wrong, when, and which law or part of the robot it was first seen in."""
    if pack.status == "done":
        return
    if pack.status == "interrupted":
        warnings.warn(f"interrupted at t = {pack.time:g} s: the run holds what there is", RunWarning, stacklevel=3)
        return
    model, laws, error = run.model, run.laws, pack.error
    if error is not None:
        cause = failed_law(laws, pack.machine, error, pack.law)
    elif pack.status == "not finite":
        owner = first_rate(model, pack.machine)
        where = f", first seen in {owner}" if owner else ""
        cause = law_without_number(laws, pack.machine, model) or (
            f"numbers are no longer finite{where}: something is driven to infinity, or the step is far too long"
        )
    else:
        cause = "the step had to become too small: very stiff springs, a law that jumps, or motion out of bounds"
    raise SimulationFailed(f"the simulation stopped at t = {pack.time:g} s: {cause}", run, pack.time) from error
