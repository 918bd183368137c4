"""`simulate`: run a simulation of a robot from a state, and return a `Run`."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.element import Element
from ..elements.program import UserElement
from ..errors import RunWarning, SimulationFailed, warn_user
from ..kernels.scalar.compile_progress import CompileProgress
from ..laws.law import Law
from ..model.model import Model
from ..model.state import State
from ..signatures import checked_arguments, checked_as
from ..simulate.arguments import check_memory
from ..simulate.channels import kept_columns, row_width
from ..simulate.contact_events import settle_contacts
from ..simulate.event_log import EventLog
from ..simulate.events import Event
from ..simulate.failures import (
    failed_callee,
    fastest_rate,
    first_rate,
    sliding_note,
    states_at_failure,
    stiffness_note,
    without_number,
)
from ..simulate.loop import Outcome, Recording
from ..simulate.lost_rank import rows_note, warn_of_lost_rank
from ..simulate.methods import Method
from ..simulate.modes import Switcher
from ..simulate.progress import Progress
from ..simulate.record_times import RecordTimes
from ..simulate.row_checks import warn_of_redundant
from ..simulate.row_derivatives import check_row_derivatives
from ..simulate.setup import ARGUMENTS, build_steppers, compiled_parts, pack_size, simulation_of
from ..simulate.simulation import Simulation
from ..simulate.store import InMemory, NotWritten, Past, RecordStore, largest_chunk
from .audit import Auditor
from .folder import Folder
from .folder_reading import read_folder
from .run import Run

Array = np.ndarray
_MEANT = {"time": "duration", "dt": "method", "controllers": "laws", "g": "gravity", "tspan": "duration"}


# `simulation_of` and `run_of` check the kinds of the arguments
@checked_arguments(*ARGUMENTS, "progress", "stream", "view", **_MEANT)
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
    forces: Element | Law | Iterable[Element | Law] = (),
    elements: Element | Law | Iterable[Element | Law] = (),
    events: Event | Iterable[Event] = (),
    start: float = 0.0,
    budget: float | None = None,
    own_steps: bool = False,
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
        Control laws; their commands add up. Short for laws among `elements`.
    method : Method, optional
        How to step: `DormandPrince8()` if left out.
    record : float, times, 'steps', optional
        What to record: at an interval [s], at given times [s], or at every step. A thousand times
        over the duration if left out.
    gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes; none if left out. Short for `UniformGravity`; both add up.
    prescribed : {joint: motion}, optional
        Short for `PrescribedJoint` and `LockedJoint`: joints that move as given functions of time, whatever force it
        takes: `waypoints(...)`, a function made by `motion`, a SciPy spline, a NumPy Polynomial, a constant, or
        'locked'. Laws' commands to them have no effect.
    modes : {joint: 'free', 'locked' or 'prescribed'}, optional
        What joints are at the start, if not what `prescribed` says: one whose motion is to be followed later on is
        'free' or 'locked' first. Laws (`out.mode`) and events (`sd.actions`) may change it.
    adjust : bool
        Whether to change a state that contradicts what is prescribed or locked at the start; an error if not.
    limits : bool
        Whether the state must be within the limits of the joints; those with an end stop may be a little beyond.
    forces, elements : Element or Law, optional
        Everything that acts on the robot: laws, `Wrench`, `Spring`, `Tether`, `Drag`, `Motor`, `BristleFriction`,
        `UniformGravity`, `CentralGravity`, `PrescribedJoint`, `LockedJoint`, and those made by `element`. Both names
        mean the same; `laws`, `gravity` and `prescribed` are short for the elements that they name.
    events : Event, optional
        Conditions that are found to the instant; they may end the run or change the state. Every robot of a batch has
        its own; one that a terminal event ends stays in the record as it was: `Run.ended`. Robots whose events have
        actions run one by one, for modes of joints may change.
    start : float
        The time at the start [s].
    budget : float, optional
        Relative error of the ledger beyond which a RunWarning is raised. The method has its own if none is given: 1e-7,
        of `TimeStepping` ten times its step in seconds.
    own_steps : bool
        Whether every robot of a batch takes steps of its own, as if it were alone, to the bit. If not, robots step
        together in packs, with steps that suit all of them: several times faster, and as accurate.
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
    >>> acting = [sd.LockedJoint("joint1"), sd.Drag("link2", 0.1)]
    >>> held = sd.simulate(robot, robot.neutral_state(), 1.0, elements=acting)
    >>> held.simulation.prescribed, [one.label for one in held.forces]
    ({'joint1': 'locked'}, ['drag on link2'])
    """
    given = {name: value for name, value in locals().items() if name in ARGUMENTS}
    return run_of(simulation_of(**given), progress=progress, stream=stream, view=view)


@checked_as("simulate")
def run_of(
    simulation: Simulation,
    *,
    progress: bool = True,
    stream: str | os.PathLike[str] | None = None,
    view: bool = False,
) -> Run:
    """Run a simulation; `progress`, `stream` and `view` as in `simulate`."""
    folder = None if stream is None else Path(stream)
    if view:
        from ..show.viewer.live_simulation import simulate_in_viewer

        return simulate_in_viewer(
            simulation, lambda observer: carry_out(simulation, folder, progress, observer=observer)
        )
    return carry_out(simulation, folder, progress)


def carry_out(
    simulation: Simulation,
    stream: Path | None,
    progress: bool,
    past: Past | None = None,
    observer: Callable[[Array], None] | None = None,
) -> Run:
    """Run a simulation from its start, or resume it from `past`."""
    columns = simulation.layout.row
    most = largest_chunk(max(simulation.robots, 1), row_width(columns))
    times = (
        None
        if isinstance(simulation.record, str)
        else RecordTimes(simulation.record, simulation.start, simulation.end, past)
    )
    joints, start = simulation.joints, simulation.state.q.reshape(simulation.robots, -1)
    if stream is None and times is not None:
        check_memory(times.count, simulation.robots, row_width(kept_columns(columns, simulation.channels)))
    model = simulation.state.flattened().model
    auditor = Auditor(model, simulation.gravity, columns, simulation.robots, joints, start, simulation.start)
    switcher = Switcher(simulation.model, joints)
    log = EventLog(simulation.model, simulation.events, simulation.gravity, switcher, simulation.shape, settle_contacts)
    with Progress(
        progress, (simulation.end - simulation.start) * -(-simulation.robots // pack_size(simulation)), observer
    ) as progress_bar:
        with CompileProgress(lambda: compiled_parts(simulation), progress):
            steppers = build_steppers(simulation, 0 if times is None else most)
            for stepper in steppers:
                stepper.advance(np.empty((1, stepper.robots, 1)), 1, 0)  # zero steps: compiles the driver
            if simulation.layout.rows and past is None:
                check_row_derivatives(simulation)
                warn_of_redundant(simulation, steppers[0])
            auditor.prepare(2 if times is None else simulation.robots * times.count)
        store: RecordStore = InMemory(simulation, most, None if times is None else times.count)
        if stream is not None:
            store = Folder(stream, simulation, most)
        for stepper in steppers:
            log.ignore_idle_events(stepper)
        if past is not None:
            past.restore(steppers, auditor)
            log.restore(past.events, steppers)
            past = replace(past, events=tuple(log.happened))  # later events are going to happen again
        try:
            with store.opened(past):
                outcome = Recording(simulation, steppers, columns, times, store, auditor, past, log).run(progress_bar)
                store.finish(outcome.status, auditor.numbers)
        except NotWritten as error:
            raise _not_written(simulation, stream, str(error)) from error.__cause__
    run = Run(simulation, *store.content(), outcome.status, auditor.numbers, log.happened, store.version)
    _raise_if_failed(run, outcome)
    if simulation.layout.rows and {"closure", "x", "u"} <= {*simulation.channels} and run.time.size:
        warn_of_lost_rank(simulation, run.time, run["closure"], run.states)
    run.check()
    return run


def _not_written(simulation: Simulation, stream: Path | None, reason: str) -> SimulationFailed:
    """The error of a folder that could not take more records: what was saved, and how to resume."""
    assert stream is not None
    stored = read_folder(stream, simulation)
    run = Run(simulation, stored.rows, stored.checkpoints, stream, *stored[2:])
    time = float(run.time[-1]) if run.time.size else simulation.start
    own = {"laws": simulation.laws, "elements": [one for one in simulation.elements if isinstance(one, UserElement)]}
    given = ", ".join(f"{name}=[...]" for name, some in own.items() if some)
    return SimulationFailed(
        f"the simulation stopped after t = {time:g} s: {reason}. Its {run.time.size} records up to there are safe in "
        f"the folder; make room, then go on: Run.load(folder).resume({given})",
        run,
        time,
    )


def _raise_if_failed(run: Run, outcome: Outcome) -> None:
    """Raise SimulationFailed for a failed run: what went wrong, when, and in which law or part of the robot."""
    if outcome.good:
        return
    if outcome.status == "interrupted":
        warn_user(f"interrupted at t = {outcome.time:g} s: the run holds what there is", RunWarning)
        return
    model, error, h = run.model, outcome.error, outcome.stepper.step
    if outcome.status == "step too small":
        h = min(h, outcome.stepper.step_taken)
    last = run.final if run.time.size else run.simulation.state
    stiff = stiffness_note(model, last, run.elements, h)
    asked = run.simulation, outcome.stepper, outcome.time
    if outcome.cause is not None:
        note = rows_note(*asked, singular=True) if outcome.status == "out of bounds" else ""
        cause = f"{outcome.cause}: {note}" if note else outcome.cause
    elif error is not None:
        cause = failed_callee(outcome.stepper, error, outcome.law)
    elif outcome.status == "not finite":
        owner = first_rate(model, outcome.stepper)
        where = f", first seen in {owner}" if owner else ""
        step = "" if run.method.adaptive else f", or the step of {h:g} s is far too long{stiff}"
        cause = without_number(outcome.stepper) or (
            f"numbers are no longer finite{where}: something is driven to infinity{step}"
        )
    elif outcome.status == "step too long":
        note = rows_note(*asked, singular=False) or "it is far too long"
        cause = f"the equations of a step of {outcome.stepper.step:g} s could not be solved: {note}"
    else:
        cause = (
            f"the step had to become too small ({h:.1e} s): very stiff springs, a law that jumps, or motion out of "
            f"bounds. The largest acceleration is that of {fastest_rate(model, outcome.stepper)}{stiff}"
        )
        why = sliding_note(outcome.stepper) or rows_note(*asked, singular=True) or without_number(outcome.stepper)
        if why:
            cause = f"the step had to become too small ({h:.1e} s): {why}"
    if outcome.cause is None and error is None and not any(one.carries_frame for one in run.elements):
        there = states_at_failure(outcome.stepper, last)
        notes = [] if there is None else [one.failure_note(there) for one in run.elements]
        cause = ".".join([cause, *filter(None, notes)])
    who = ""
    robot = outcome.stepper.first if outcome.stepper.robots == 1 else outcome.robot
    if run.shape and robot is not None:
        who = f" for robot {tuple(int(i) for i in np.unravel_index(robot, run.shape))}"
    message = f"the simulation stopped at t = {outcome.time:g} s{who}: {cause}"
    raise SimulationFailed(message, run, outcome.time) from error
