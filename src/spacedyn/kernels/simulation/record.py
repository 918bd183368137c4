"""Write rows of the record: at the requested times, from dense output, or at every step."""

from ..methods.runge_kutta import within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import call, inner
from ..scalar.memory import integer, load, load_counter, scatter, store, store_counter
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403

CLOSE = 1e-10  # of a step: times this near each other are one
CLOSE_TO_ENDS = 1e-6  # the same where rates jump at the start of a step: covers rounding of thousands of sums t + h


@inner
def write_record(sim, rows, t, y, robots, zero):
    """One row for each robot: the time, then the blocks that the plan lists."""
    row, width = load_counter(sim.counters, C_RECORD), integer(sim.plan, ROW)
    evaluate(sim, t, y, integer(sim.plan, Y_SPARE), 0)
    first, last = row * robots, row * robots + robots - 1
    scatter(rows, width, first, last, 0, zero + t)
    for i in range(integer(sim.plan, BLOCKS)):
        block = integer(sim.plan, BLOCK_AT) + i * BLOCK_INTS
        column, count = integer(sim.plan, block + B_COLUMN), integer(sim.plan, block + B_COUNT)
        place, stride = integer(sim.plan, block + B_PLACE), integer(sim.plan, block + B_STRIDE)
        if integer(sim.plan, block + B_SOURCE) == OF_MEMORY:
            for j in range(count):
                scatter(rows, width, first, last, column + j, zero + load(sim.memory, place + j, 0.0))
        else:
            place += y if integer(sim.plan, block + B_SOURCE) == OF_VECTOR else 0
            for j in range(count):
                scatter(rows, width, first, last, column + j, load(sim.work, place + j * stride, zero))
    store_counter(sim.counters, C_RECORD, row + 1)


@inner
def give_impulses(sim, y, zero):
    """Take rates and ledger of y from the step's end: a step through contact has all its impulses at its start."""
    first, new = integer(sim.tree, RATES), integer(sim.plan, Y_NEW)
    for j in range(first, 2 * first):
        store(sim.work, y + j, load(sim.work, new + j, zero))
    for j in range(2 * first + integer(sim.plan, INTERNAL), integer(sim.plan, SIZE)):
        store(sim.work, y + j, load(sim.work, new + j, zero))


@inner
def record_step(sim, rows, t, h, room, robots, zero):
    """Write rows for the times from the start of the step just taken up to, but not including, its end.

    Returns True if all are written, False if there is no more room; then call again with an empty record.
    """
    near, extra = (CLOSE_TO_ENDS if integer(sim.plan, METHOD) == TIME_STEPPING else CLOSE) * h, True
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
            if integer(sim.plan, METHOD) == TIME_STEPPING:
                give_impulses(sim, y, zero)
            if integer(sim.plan, ROWS) > 0:
                call(integer(sim.plan, SETTLE_ROWS), sim.own, at, 0.0, y, KEEP_RANK)
        write_record(sim, rows, at, y, robots, zero)
        store_counter(sim.counters, C_TIME, load_counter(sim.counters, C_TIME) + 1)
    return False


@inner
def record_end(sim, rows, t, robots, zero):
    """Write the row at the end of the run, if it is requested and not yet written."""
    steps = integer(sim.plan, CHOICES) & RECORDS_STEPS
    if steps or load_counter(sim.counters, C_TIME) < integer(sim.plan, RECORDS):
        write_record(sim, rows, t, integer(sim.plan, Y_NOW), robots, zero)
        store_counter(sim.counters, C_TIME, integer(sim.plan, RECORDS))
