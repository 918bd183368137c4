"""Multipliers jump where a redundant row becomes independent: guards are evaluated with the new rows at once.

Sticking feet that begin to fix their distance are an example. A step keeps the rows that it began with
(row_algebra.py). If a guard is beyond zero with the new rows, the step must end soon after the row became independent.
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.memory import integer, lanes_of, load, store, store_counter
from ..sim.evaluate import is_adaptive
from ..sim.layout import *  # noqa: F403
from .guard_memory import counted, evaluate_guards, first_asking, first_event
from .row_algebra import DEPENDENT, copy_rows, forget_rows

SOON = 1.1  # times DEPENDENT: the largest remainder of a row that has just become independent


@inner
def rank_changes(sim):
    """Whether the number of independent rows changes at the end of the step."""
    return integer(sim.plan, ROWS) > 0 and load(sim.memory, integer(sim.plan, M_OPEN) + RANK_CHANGES, 0.0) > 0.0


@inner
def forget_changed_rows(sim, zero):
    """Discard the choice of rows after a step at whose end the number of independent rows changes."""
    if rank_changes(sim):
        forget_rows(sim, zero)


@inner
def asks_with_new_rows(sim, t, zero):
    """Whether a guard is beyond zero at the end of a step, with the rows that are independent from there on.

    Guards keep the values found with these rows; the step keeps its own rows.
    """
    forget_rows(sim, zero)
    evaluate_guards(sim, t, integer(sim.plan, Y_NEW), zero)
    beyond = False
    for lane in range(lanes_of(zero)):
        for g in range(first_asking(sim), first_event(sim)):
            beyond = beyond or counted(sim, g, lane, zero) < 0.0
        copy_rows(sim, integer(sim.plan, Y_RANK_HELD), integer(sim.plan, Y_RANK), lane, zero)
    return beyond


@inner
def is_late(sim, t, h, zero):
    """Whether rows became independent long before the step's end and a guard is beyond zero: shorten the step."""
    left = load(sim.memory, integer(sim.plan, M_OPEN) + FIRST_LEFT, 0.0) ** 0.5 / DEPENDENT
    if not is_adaptive(sim) or left < SOON or 0.1 * h < load(sim.clock, H_MIN, 0.0):
        return False
    late = asks_with_new_rows(sim, t + h, zero)
    if late:
        store(sim.clock, H, h * max(0.1, min(0.5, 1.0 / left)))
        store_counter(sim.counters, C_FRESH, 1)  # the first stage stays valid
        store_counter(sim.counters, C_CUT, 0)
    else:
        evaluate_guards(sim, t + h, integer(sim.plan, Y_NEW), zero)
    return late
