"""Rows of the record: at the times that are wanted, from dense output, or at every step."""

from ..methods.runge_kutta import within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, load_counter, scatter, store_counter
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403

CLOSE = 1e-10  # of a step: times this near each other are one


@inner
def write_record(sim, rows, t, y, robots, zero):
    """One row for each robot: t, x, u, laws' states, ledger, forces, wrenches, accelerations, elements, modes."""
    row, width = load_counter(sim.counters, C_RECORD), integer(sim.plan, ROW)
    nx, nv = integer(sim.tree, COORDINATES), integer(sim.tree, RATES)
    evaluate(sim, t, y, integer(sim.plan, Y_SPARE), 0)
    first, last = row * robots, row * robots + robots - 1
    scatter(rows, width, first, last, 0, zero + t)
    write_some(rows, width, 1, nx, first, last, sim.work, integer(sim.tree, W_X), 1, zero)
    write_some(rows, width, 1 + nx, nv, first, last, sim.work, integer(sim.tree, W_U), 1, zero)
    others = integer(sim.plan, SIZE) - 2 * nv
    write_some(rows, width, 1 + nx + nv, others, first, last, sim.work, y + 2 * nv, 1, zero)
    at = 1 + nx + integer(sim.plan, SIZE) - nv
    write_some(rows, width, at, nv, first, last, sim.work, integer(sim.plan, Y_TAU), 1, zero)
    wrenches = 6 * (integer(sim.tree, ENDPOINTS) + 1)
    write_some(rows, width, at + nv, wrenches, first, last, sim.work, integer(sim.tree, W_WRENCH), 1, zero)
    write_some(
        rows, width, at + nv + wrenches, nv, first, last, sim.work, integer(sim.tree, W_RATE) + QDD, RATE_WORK, zero
    )
    forces = 2 * integer(sim.plan, FORCES)
    write_some(rows, width, at + 2 * nv + wrenches, forces, first, last, sim.work, integer(sim.plan, Y_FORCES), 1, zero)
    if integer(sim.plan, MODES) > 0:
        at += 2 * nv + wrenches + forces
        for j in range(integer(sim.plan, MODES)):
            scatter(rows, width, first, last, at + j, zero + load(sim.memory, integer(sim.plan, M_MODE) + j, 0.0))
        at += integer(sim.plan, MODES)
        for j in range(nx - 7):
            scatter(rows, width, first, last, at + j, zero + load(sim.memory, integer(sim.plan, M_ANCHOR) + j, 0.0))
    store_counter(sim.counters, C_RECORD, row + 1)


@inner
def write_some(rows, width, first, some, row, last, work, at, stride, zero):
    """Scalars of `work` into columns of the record."""
    for j in range(some):
        scatter(rows, width, row, last, first + j, load(work, at + j * stride, zero))


@inner
def record_step(sim, rows, t, h, room, robots, zero):
    """Rows for the times from the start of the step just taken up to, but not including, its end.

    True if all are written; False if there is no room for more, and then they are to be asked for again.
    """
    near, extra = CLOSE * h, True
    if integer(sim.plan, CHOICES) & RECORDS_STEPS:
        write_record(sim, rows, t, integer(sim.plan, Y_NOW), robots, zero)
        return True
    while load_counter(sim.counters, C_RECORD) < room:
        if load_counter(sim.counters, C_TIME) >= integer(sim.plan, RECORDS):
            return True
        at = load(sim.numbers, integer(sim.plan, N_TIMES) + load_counter(sim.counters, C_TIME), 0.0)
        if at >= t + h - near:
            return True
        y = integer(sim.plan, Y_NOW)
        if at > t + near:
            y = within(sim, t, h, (at - t) / h, extra, zero)
            extra = False
        write_record(sim, rows, at, y, robots, zero)
        store_counter(sim.counters, C_TIME, load_counter(sim.counters, C_TIME) + 1)
    return False


@inner
def record_end(sim, rows, t, robots, zero):
    """The last row, if it is wanted and not there yet."""
    steps = integer(sim.plan, CHOICES) & RECORDS_STEPS
    if steps or load_counter(sim.counters, C_TIME) < integer(sim.plan, RECORDS):
        write_record(sim, rows, t, integer(sim.plan, Y_NOW), robots, zero)
        store_counter(sim.counters, C_TIME, integer(sim.plan, RECORDS))
