"""From the arguments of `simulate` to a checked `Simulation`, and from there to steppers."""

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from ..elements.element import Element, blocks_of, check_elements
from ..elements.prescribed import read_prescribed, start_of
from ..errors import InputError
from ..kernels.scalar.pack import LANES
from ..kernels.sim import codes
from ..laws.compile import check_names
from ..laws.law import Law
from ..model.model import Model, robot_of
from ..model.state import State
from ..quantities.calls import check_state
from ..signatures import checked_as, keywords_of
from .acting import all_acting
from .action_kinds import Action
from .arguments import check_internal, check_limits, check_span, listed
from .channels import chosen_channels
from .events import Event, read_events
from .layout import Layout, may_switch
from .methods import DormandPrince8, Method, Variational, check_steps
from .record_times import checked_record
from .row_checks import check_closed
from .simulation import Simulation
from .stepper.build import build_stepper
from .stepper.prepared import Prepared
from .stepper.stepper import Stepper
from .touch_checks import check_stepping
from .variables import check_record_names

Array = np.ndarray


# in the name of `simulate`; of the arguments that are named here it says more itself
@checked_as("simulate", "laws", "method", "prescribed", "modes", "forces", "elements", "events", "channels")
def simulation_of(
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
    channels: Iterable[str] | None = None,
) -> Simulation:
    """The description of a run from the arguments of `simulate`, checked before the first step; compiles nothing.

    Its arguments are checked here and nowhere else; `simulate` passes them on.
    """
    return _described(instant=False, **locals())


def instant_of(model: Model, state: State, time: float, **given: Any) -> Simulation:
    """A simulation that is evaluated at its start alone [s]: paths and motions need not cover any later time."""
    return _described(model, state, 1.0, instant=True, **(_LEFT_OUT | {"start": time, "limits": False} | given))


def _described(
    model: Model,
    state: State,
    duration: float,
    *,
    laws: Law | Iterable[Law],
    method: Method | None,
    record: float | ArrayLike | str | None,
    gravity: ArrayLike | None,
    prescribed: Mapping[str, Any] | None,
    modes: Mapping[str, str] | None,
    adjust: bool,
    limits: bool,
    forces: Element | Law | Iterable[Element | Law],
    elements: Element | Law | Iterable[Element | Law],
    events: Event | Iterable[Event],
    start: float,
    budget: float | None,
    own_steps: bool,
    channels: Iterable[str] | None,
    instant: bool,
) -> Simulation:
    """See `simulation_of` and `instant_of`."""
    check_state(model, state)
    acting = all_acting(model, laws=laws, gravity=gravity, prescribed=prescribed, forces=forces, elements=elements)
    method = DormandPrince8() if method is None else method
    if not isinstance(method, Method):
        raise InputError(f"method: expected a method, such as RungeKutta4(step=1e-3), got {method!r}")
    budget = method.budget if budget is None else budget
    end = check_span(start, duration, budget)
    last = start if instant else end
    check_steps(method, end - start)
    if state.count == 0:
        raise InputError("the batch is empty: there is no robot to be simulated")
    checked_events, conditions = read_events(model, listed("events", events, Event))
    modes, switching = {} if modes is None else modes, may_switch(acting.laws, checked_events)
    acting = acting._replace(elements=[one.under(method.steps_through_contact) for one in acting.elements])
    joints = read_prescribed(model, acting.prescribed, modes, start, end, switching, last)
    _check_method(robot_of(model, 0), method, acting.elements, bool(joints))
    state = start_of(model, state, joints, start, adjust) if joints else state
    if limits:
        check_limits(model, state)
    check_elements(model, acting.elements)
    for element in acting.elements:
        element.check_start(state, (start, last), acting.elements)
        step = getattr(method, "step", None)
        if step is not None and not method.steps_through_contact:
            element.check_step(state, step)
    for action in (action for event in checked_events for action in event.actions):
        if isinstance(action, Action):
            action.check_elements(acting.elements)
    for one in (*acting.laws, *conditions, *(joint.given for joint in joints)):
        if isinstance(one, Law):
            check_names(one, blocks_of(acting.elements))
    kept = checked_record(record, start, end)
    if isinstance(kept, str) and state.count > 1:
        raise InputError("record='steps' is for one robot; give a batch an interval or times")
    stepping = method.steps_through_contact
    layout = Layout(model, tuple(acting.laws), tuple(acting.elements), tuple(checked_events), stepping)
    check_record_names(layout)
    check_internal(state, layout.states)
    made = Simulation(
        model=model,
        state=state,
        laws=tuple(acting.laws),
        method=method,
        gravity=acting.gravity,
        prescribed=acting.prescribed,
        modes=dict(modes),
        elements=tuple(acting.elements),
        events=tuple(checked_events),
        start=float(start),
        end=float(end),
        record=kept,
        channels=chosen_channels(channels, layout.row),
        budget=float(budget),
        own_steps=bool(own_steps),
    )
    vars(made).update(layout=layout, joints=joints, conditions=conditions)  # its cached properties
    return made


def _check_method(model: Model, method: Method, elements: list[Element], holds_joints: bool) -> None:
    """Raise if the method cannot simulate this model with these elements."""
    if isinstance(method, Variational) and holds_joints:
        raise InputError("Variational cannot lock or prescribe joints: choose another method, such as DormandPrince8()")
    if method.kind == codes.SEMI_IMPLICIT_EULER and any(one.asks for one in elements):
        raise InputError(
            "SemiImplicitEuler cannot end a step at an impact, as RigidContact needs: choose RungeKutta4, TimeStepping "
            "or an adaptive method"
        )
    if isinstance(method, Variational) and any(one.rows_of(model) for one in elements):
        raise InputError(
            "Variational cannot hold constraint rows (Loop, Coupling, Rolling, RigidContact): choose another method, "
            "such as DormandPrince8()"
        )
    if isinstance(method, Variational) and any(one.attached_to(model) for one in elements):
        raise InputError(
            "Variational cannot take elements that add mass or need accelerations (Tank, ModalAppendage, "
            "Accelerometer): choose another method, such as DormandPrince8()"
        )
    if method.steps_through_contact:
        check_stepping(model, elements)


ARGUMENTS = frozenset(keywords_of(simulation_of))
"""Names of what a simulation is made of, among the arguments of `simulate`."""
_LEFT_OUT = {
    name: one.default for name, one in signature(simulation_of).parameters.items() if one.default is not one.empty
}


def build_steppers(simulation: Simulation, window: int) -> list[Stepper]:
    """A stepper for each pack of robots."""
    size, prepared = pack_size(simulation), Prepared(simulation, window)
    everyone = simulation.state.flattened()
    steppers = [build_stepper(prepared, everyone[first : first + size]) for first in range(0, simulation.robots, size)]
    for i, stepper in enumerate(steppers):
        stepper.number_robots(i * size)
    if simulation.layout.rows:
        check_closed(simulation, steppers)
    return steppers


def compiled_parts(simulation: Simulation) -> list[str]:
    """Names of what a run compiles or loads, in that order, for the compile notice."""
    size, prepared = pack_size(simulation), Prepared(simulation, 0)
    model, method, robots = simulation.model, simulation.method, simulation.robots
    pack = "varied" if model.flat.robots else "pack"
    forms = ([pack] if size > 1 and robots > 1 else []) + (["one"] if size == 1 or robots % size == 1 else [])
    moved = method.judges_works and any(one.given is not None for one in simulation.joints)
    scale = ["totals.run"] if method.adaptive and (model.flat.passive or moved) else []  # scales tolerances
    motions = _named(one.given for one in simulation.joints if isinstance(one.given, Law))
    elements: list[str] = []
    for kind, _, _ in prepared.kinds:
        units = [*forms, "dual"] if method.kind == codes.IMPLICIT else forms
        elements += [f"{kind.name}.{form}" for form in units]
    users = prepared.user_elements
    elements += _named(users[i].program for i in prepared.order if i in users)
    laws, flows = _named(prepared.called), [f"flow.{form}" for form in forms]
    if prepared.rows:
        flows += [f"{part}.{form}" for part in ("rows", "settle") for form in forms]
        flows += ["rows.dual"] if method.kind == codes.IMPLICIT else []
    guarded = prepared.guards > 0 or len(simulation.events) > 0
    guards = [f"guards.{'one' if form == 'one' else 'pack'}" for form in forms] if guarded else []
    own_step = {codes.IMPLICIT: ["implicit.step", "flow.dual"], codes.VARIATIONAL: ["variational.step"]}
    own_step[codes.TIME_STEPPING] = [f"stepping.{form}" for form in forms]
    step = own_step.get(method.kind, [])
    return [*scale, *motions, *elements, *laws, *flows, *guards, *step, "driver.advance", "totals.run"]


def _named(functions: Iterable[Law]) -> list[str]:
    """Names of users' functions as the cache of machine code keeps them, without the suffix made of their code."""
    return [f"{one.role.what}-{one.name}" for one in functions]


def pack_size(simulation: Simulation) -> int:
    """Number of robots that step together in a pack, with the same steps and modes."""
    together = simulation.method.in_packs and not simulation.own_steps and not config.DISABLE_JIT
    if not together or simulation.layout.switching or simulation.layout.asks:
        return 1
    return 1 if simulation.elements and _numbers_differ(simulation.model, simulation.elements) else LANES


def _numbers_differ(model: Model, elements: Iterable[Element]) -> bool:
    """Whether elements' numbers differ between the robots of a batch, by places of frames or by masses."""
    frames = len(model.flat.offset) > 1 or any(endpoint.rotation.ndim > 2 for endpoint in model.endpoints)
    return frames or (any(np.ndim(body.mass) for body in model.bodies) and any(one.weighs for one in elements))
