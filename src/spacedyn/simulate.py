"""`simulate`: a robot, a state and laws, to a Run."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from .audit import Auditor
from .beginning import check_limits, check_memory, check_span, listed
from .blame import failed_law, fastest_rate, first_rate, law_without_number, stiffness_note
from .calls import check_state, gravity_vector
from .channels import chosen_channels, kept_columns, may_switch, row_columns, row_width
from .compile_progress import CompileProgress
from .errors import InputError, RunWarning, SimulationFailed, warn_user
from .event_log import EventLog
from .events import Event, directions, read_events
from .folder_reading import read_folder
from .forces import Force, read_forces
from .keeping import InMemory, Keeper, NotWritten, Past, largest_chunk
from .kernels import plan as p
from .kernels.scalar import LANES
from .law_compiling import check_names, compile_law
from .laws import Law, LawTemplate
from .machine import Machine, build_machine, has_stops
from .methods import DormandPrince8, Method, Variational, check_steps
from .model.model import Model
from .model.state import State
from .modes import Switcher
from .origin import Origin
from .prescribe import Prescribed, read_prescribed, start_of
from .record_times import RecordTimes, checked_record
from .recording import Outcome, Recording
from .run import Run
from .signatures import checked_arguments
from .streaming import Folder
from .watch import Watch

Array = np.ndarray


_OWN = ("laws", "method", "prescribed", "modes", "forces", "events", "channels")  # what `origin_of` says more about


@checked_arguments(*_OWN, time="duration", dt="method", controllers="laws", g="gravity", tspan="duration")
def simulate(
    model: Model,
    state: State,
    duration: float,
    *,
    laws: Law | Iterable[Law] = (),
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
        Conditions that are found to the instant; they may end the run or change the state. Robots of a batch then run
        one by one, each with its own events; one that a terminal event ends stays in the record as it was: `Run.ended`.
    start : float
        The time at the start [s].
    budget : float
        Relative error of the ledger beyond which a RunWarning is raised.
    progress : bool
        Whether a run of more than a few seconds shows a progress bar, and a line for what is compiled before it.
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


@checked_arguments(*_OWN)
def origin_of(
    model: Model,
    state: State,
    duration: float,
    *,
    laws: Law | Iterable[Law] = (),
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
    check_steps(method, end - start)
    if state.count == 0:
        raise InputError("the batch is empty: there is no robot to be simulated")
    prescribed, modes = {} if prescribed is None else prescribed, {} if modes is None else modes
    joints = read_prescribed(model, prescribed, modes, start, end)
    if isinstance(method, Variational) and (prescribed or modes or may_switch(chosen, listed("events", events, Event))):
        raise InputError(
            "a variational method cannot hold or prescribe joints: choose another, such as DormandPrince8()"
        )
    state = start_of(model, state, joints, start, adjust) if joints else state
    if limits:
        check_limits(model, state)
    elements = read_forces(model, listed("forces", forces, Force))
    watched, conditions = read_events(model, listed("events", events, Event))
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
        prescribed=dict(prescribed),
        modes=dict(modes),
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
    auditor = Auditor(origin.state.flattened().model, origin.gravity, columns, origin.robots, joints, start)
    switcher = Switcher(origin.model, joints)
    happened = () if past is None else past.events
    log = EventLog(origin.model, origin.events, origin.gravity, switcher, origin.shape, happened)
    with Watch(progress, (origin.end - origin.start) * -(-origin.robots // pack_size(origin)), onlooker) as watch:
        with CompileProgress(lambda: _compiled_parts(origin, joints), progress):
            machines = build_machines(origin, 0 if times is None else most)
            for machine in machines:
                machine.advance(np.empty((1, machine.robots, 1)), 1, 0)  # no step: only the loop is compiled
            auditor.prepare(2 if times is None else origin.robots * times.count)
        keeper: Keeper = InMemory(origin, most, None if times is None else times.count)
        if stream is not None:
            keeper = Folder(stream, origin, most)
        for machine in machines:
            log.overlook(machine)
        if past is not None:
            past.restore(machines, auditor)
            log.stay_ended(machines)
        try:
            with keeper.opened(past):
                outcome = Recording(origin, machines, columns, times, keeper, auditor, past, log).run(watch)
                keeper.finish(outcome.status, auditor.numbers)
        except NotWritten as error:
            raise _not_written(origin, stream, str(error)) from error.__cause__
    run = Run(origin, *keeper.content(), outcome.status, auditor.numbers, log.happened, keeper.version)
    _raise_if_failed(run, outcome)
    run.check()
    return run


def _not_written(origin: Origin, stream: Path | None, reason: str) -> SimulationFailed:
    """A folder that took no more records: what is safe there, and how to go on."""
    assert stream is not None
    stored = read_folder(stream, origin)
    run = Run(origin, stored.rows, stored.checkpoints, stream, *stored[2:])
    time = float(run.time[-1]) if run.time.size else origin.start
    given = "laws=[...]" if origin.laws else ""
    return SimulationFailed(
        f"the simulation stopped after t = {time:g} s: {reason}. Its {run.time.size} records up to there are safe in "
        f"the folder; make room, then go on: Run.load(folder).resume({given})",
        run,
        time,
    )


def build_machines(origin: Origin, window: int) -> list[Machine]:
    """A machine for each pack of robots."""
    o, size = origin, pack_size(origin)
    everyone = o.state.flattened()
    parts = [everyone[first : first + size] for first in range(0, o.robots, size)]
    laws, joints = list(o.laws), _joints(o)
    forces, (events, conditions) = list(o.forces), read_events(o.model, o.events)
    code = list(map(compile_law, [*laws, *conditions]))
    given = laws, o.method, window, o.gravity, joints, forces, events, conditions, code
    machines = [build_machine(part.model, part, o.start, o.end, *given) for part in parts]
    for i, machine in enumerate(machines):
        machine.first = i * size
        machine.set_directions(directions(events))
    return machines


def _compiled_parts(origin: Origin, joints: list[Prescribed]) -> list[str]:
    """What a run needs of machine code, in the order in which it comes: for whoever waits for it."""
    o, size = origin, pack_size(origin)
    laws = [f"law-{one.name}" for one in (*o.laws, *read_events(o.model, o.events)[1])]
    motions = [f"law-{joint.given.name}" for joint in joints if isinstance(joint.given, Law)]
    pack = "varied" if o.model.flat.robots else "pack"
    kinds = ([pack] if size > 1 and o.robots > 1 else []) + (["one"] if size == 1 or o.robots % size == 1 else [])
    step = {p.IMPLICIT: ["implicit.step", "flow.dual"], p.VARIATIONAL: ["variational.step"]}.get(o.method.kind, [])
    stops = [f"stops.{kind}" for kind in kinds] if o.method.adaptive and has_stops(o.model) else []
    scale = ["totals.run"] if o.method.adaptive and o.model.flat.passive else []  # of what joints dissipate
    flows = [f"flow.{kind}" for kind in kinds]
    return [*laws, *scale, *motions, *flows, *step, *stops, "advance.advance", "totals.run"]


def pack_size(origin: Origin) -> int:
    """Robots that step together: those of a pack have the same steps and the same modes."""
    o = origin
    alone = config.DISABLE_JIT or not o.method.in_packs or bool(o.events) or may_switch(o.laws, o.events)
    return 1 if alone or (bool(o.forces) and _frames_differ(o.model)) else LANES


def _frames_differ(model: Model) -> bool:
    """Whether frames that forces are given in are elsewhere on their bodies from robot to robot."""
    return len(model.flat.offset) > 1 or any(endpoint.rotation.ndim > 2 for endpoint in model.endpoints)


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
    if outcome.good:
        return
    if outcome.status == "interrupted":
        warn_user(f"interrupted at t = {outcome.time:g} s: the run holds what there is", RunWarning)
        return
    model, error, h = run.model, outcome.error, float(outcome.machine.clock[p.H])
    last = run.final if run.time.size else run.origin.state
    stiff = stiffness_note(model, last, run.forces, h)
    laws = [*run.laws, *read_events(model, run.origin.events)[1]]
    if outcome.cause is not None:
        cause = outcome.cause
    elif error is not None:
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
    who = ""
    if run.shape and outcome.machine.robots == 1:
        who = f" for robot {tuple(int(i) for i in np.unravel_index(outcome.machine.first, run.shape))}"
    message = f"the simulation stopped at t = {outcome.time:g} s{who}: {cause}"
    raise SimulationFailed(message, run, outcome.time) from error
