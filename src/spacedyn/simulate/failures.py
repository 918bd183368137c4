"""Why a simulation failed: the law or element that raised an error or wrote NaN, else the first joint to go wrong."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from ..elements.element import Element, blocks_of
from ..elements.program import UserElement
from ..kernels.elements.program import CALLED
from ..laws.compile import rehearse
from ..laws.faults import caught
from ..laws.law import WRITTEN, memory
from ..model.model import Model, robot_of
from ..model.parts import Joint
from ..model.state import State
from ..quantities.matrices import mass_matrix_inverse
from .layout import in_order

Array = np.ndarray
_NOT_COMPILED = (
    "a compiled function that it calls does not take such arguments; sd.sample takes a table: sd.table(times, values), "
    "waypoints or a spline"
)
_WILD = 1e50  # a state with larger numbers is useless for a diagnosis
_BEYOND = 10.0 ** np.arange(-15, -3)  # of a run's duration: steps shrink where a law or an element is not defined
_SHORT = 1e3  # times the shortest step that advances the time


def failed_callee(stepper: Any, error: BaseException, name: str | None) -> str:
    """Report what a law or an element raised; the call is repeated as Python, whose errors say more."""
    callee = stepper.callees.get(stepper.called_at_fault)
    if callee is not None:
        name = callee.name
        for time in _times(stepper, stepper.step_at_fault):
            try:
                _rehearsed(stepper, stepper.called_at_fault, time, stepper.view_at_fault)
            except type(error) as again:
                error = again
                break
            except Exception:  # an error of the repetition alone
                continue
    what = {one.name: one.role.what for one in stepper.callees.values()}
    sort = "law" if name is None else what.get(name, "law")
    who = "a law" if name is None else f"{sort} '{name}'"
    note = f"; parameters and what it sees are read-only, {memory(sort)}" if "read-only" in str(error) else ""
    said = _NOT_COMPILED if isinstance(error, NumbaError) else error
    return f"{who} raised {type(error).__name__}: {said}{note}"


def _times(stepper: Any, step: float) -> tuple[float, ...]:
    """Times at which to repeat a call: that of the last good state, and some within the step after it."""
    t, h = stepper.time, float(step)
    return t, t + 1e-9 * h, t + 0.5 * h, t + h


def _rehearsed(stepper: Any, number: int, t: float, view: Array) -> Array:
    """Output of a law, a condition or an element run as Python; empty for a motion, which is not run."""
    callee, layout = stepper.callees[number], stepper.layout
    if number >= CALLED:
        return callee.rehearsed(float(t), view, _element_places(stepper, callee))
    if number < 0:
        return np.empty(0)
    return rehearse(callee, float(t), view, np.array(layout.places(callee, number - 1)), blocks_of(layout.elements))


def _element_places(stepper: Any, element: UserElement) -> Array:
    """The table of places that the driver passes to a user's element."""
    layout = stepper.layout
    return np.array(element.places(robot_of(layout.model, 0), layout.view, layout.view_size))


def without_number(stepper: Any) -> str | None:
    """The law or element that writes NaN or infinity, at the last good state, within the step after it or beyond."""
    if (found := _writes_no_number(stepper)) is not None:
        return found
    with np.errstate(all="ignore"), caught(lambda: None):  # errors beyond the step are not reported
        for ahead in (0.5 * stepper.step, stepper.step, *_BEYOND * (stepper.span[1] - stepper.span[0])):
            with stepper.moved_on(ahead):
                found = _writes_no_number(stepper)
            if found is not None:
                return found
    return None


def _writes_no_number(stepper: Any) -> str | None:
    """The law or element that writes NaN or infinity, at the present state and at times within the next step."""
    views = {number: stepper.views(number) for number in stepper.callees if number > 0}
    for time in _times(stepper, stepper.step):
        for number, seen in views.items():
            who = f"{stepper.callees[number].role.what} '{stepper.callees[number].name}'"
            for lane in range(stepper.robots):
                try:
                    out = _rehearsed(stepper, number, time, seen[:, lane])
                except (ArithmeticError, ValueError) as error:  # where compiled code gives NaN
                    return f"{who} writes no number ({error}){_of_robot(stepper, lane)}"
                except Exception:  # what only Python raises
                    continue
                bad = np.flatnonzero(~np.isfinite(out))
                if bad.size:
                    where = _name(stepper, number, int(bad[0]))
                    return f"{who} writes {out[bad[0]]} to {where}{_of_robot(stepper, lane)}"
    return None


def _of_robot(stepper: Any, lane: int) -> str:
    """Words that name the robot of a pack; empty for a single robot, which the message names elsewhere."""
    return f" of robot {stepper.first + lane}" if stepper.robots > 1 else ""


def first_rate(model: Model, stepper: Any) -> str | None:
    """The joint, or the base, whose position or rate is NaN or infinite after the step that failed."""
    bad = np.flatnonzero(~np.isfinite(stepper.new_vector()).all(axis=1)) % model.nv
    if not bad.size:
        return None
    return owner(model, int(bad[0]))


def states_at_failure(stepper: Any, last: State) -> State | None:
    """States of the last record, with those that the failed stepper has reached since; None if they are not usable."""
    rows = last.flattened()._data.copy()
    for lane in range(stepper.robots):
        state = stepper.state(lane)._data
        if np.isfinite(state).all():
            rows[stepper.first + lane] = state
    return State(last.model, rows.reshape(last._data.shape)) if np.abs(rows).max() < _WILD else None


def fastest_rate(model: Model, stepper: Any) -> str:
    """The joint, or the base, with the largest acceleration at the last good state."""
    stepper.evaluate()
    size = np.abs(stepper.accelerations()[:, : stepper.robots]).max(axis=1)
    return owner(model, int(np.argmax(np.where(np.isfinite(size), size, np.inf))))


@np.errstate(all="ignore")  # the state may be about to overflow
def stiffest(model: Model, state: State, forces: Sequence[Element]) -> tuple[str, float]:
    """The joint or the spring between bodies that asks for the shortest steps, and how fast it is [1/s]."""
    one = state[(0,) * len(state.shape)] if state.shape else state
    model = one.model  # of robots that differ, the first
    mobility = np.diag(mass_matrix_inverse(model, one))
    found = [("", 0.0)]
    for joint in model.joints:
        at = model.u_slice(joint.name)
        m = np.maximum(mobility[at], 0.0)
        slopes = np.asarray(joint.damping) + np.asarray(joint.friction) / np.asarray(joint.friction_speed)
        hard = np.maximum(joint.stiffness, np.where(_reaches(joint), joint.stop_stiffness, 0.0))
        rates = np.maximum(np.sqrt(hard * m), slopes * m)
        found.append((f"joint '{joint.name}'", float(rates.max(initial=0.0))))
    for force in forces:
        found.append((f"'{force.label}'", force.fastest_rate(model)))
    return max(found, key=lambda pair: pair[1])


def stiffness_note(model: Model, state: State, forces: Sequence[Element], step: float) -> str:
    """Words on what is too stiff for an explicit method with this step [s]; empty if nothing is."""
    who, rate = stiffest(model, state, forces)
    if rate * step < 1.0:
        return ""
    return f"; {who} is stiff ({rate:.1e} 1/s) and needs steps below {2.0 / rate:.1e} s, or an implicit method"


def sliding_note(stepper: Any) -> str:
    """Words on a user's guard that changes its side again and again; empty if none does."""
    found = stepper.sliding_guard(stepper.step_taken < _SHORT * stepper.shortest_step)
    if found is None:
        return ""
    name, which = found
    return (
        f"out.guard[{which}] of element '{name}' changes its side again and again: both sides lead back to zero, as "
        "of a switch without a dead band. Let a sample hold what it switches, with a threshold for on and one for off"
    )


def _reaches(joint: Joint) -> Array:
    """Whether a joint's rates have limits."""
    return np.isfinite(joint.lower) | np.isfinite(joint.upper)


def owner(model: Model, rate: int) -> str:
    """The joint, or the base, that rate number `rate` belongs to."""
    owners = (j for i, j in enumerate(model.joints) if model.u_slice(i).start <= rate < model.u_slice(i).stop)
    found = next(owners, None)
    return f"joint '{found.name}'" if found else f"the base '{model.bodies[0].name}'"


def _name(stepper: Any, number: int, place: int) -> str:
    """The name and index of the number that a law or an element writes to a place of its output."""
    law = stepper.callees[number]
    if number >= CALLED:
        ends = _element_places(stepper, law)[2 + 2 * len(law.names[0]) :].reshape(-1, 2)
        return next(f"{one}[{place - a}]" for one, (a, b) in zip(law.names[1], ends, strict=True) if a <= place < b)
    if law.role.written is not WRITTEN:
        return f"{next(iter(law.role.written))}[{place}]"
    layout = stepper.layout
    out = {name: part for name, part in layout.out.items() if name not in ("commands", "states")}
    out |= in_order(law.states, layout.out_size - law.state_size)
    name = max((n for n in out if out[n].start <= place < out[n].stop), key=lambda n: out[n].start)
    index = place - out[name].start
    return f"{name}[{index // 6}, {index % 6}]" if name == "endpoint_wrenches" else f"{name}[{index}]"
