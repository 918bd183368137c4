"""One step of an explicit Runge-Kutta method, its error, and its state at any time within the step.

A method is data: A, b, c, weights e5 and e3 of two error estimates, and P, polynomials in the fraction of the step that
weight the stages: y(t + th h) = y + h sum_i K_i P_i(th). Positions are taken in a chart around the step's start, so
every method keeps its order on the manifold.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import fused3, load3, store3
from ..scalar.compiling import call, inner
from ..scalar.memory import integer, lanes_of, later, load, shared, store, widest_of
from ..scalar.pack import fused, magnitude, select, sqrt
from ..sim.evaluate import evaluate_stage
from ..sim.layout import *  # noqa: F403


@inner
def combine_stages(sim, weights, stages, h, target, size, zero):
    """target = y + h sum_i weight_i K_i over the first stages, of `size` numbers; one robot's a pack at a time."""
    wide = widest_of(zero)
    step = lanes_of(wide) // lanes_of(zero)
    first = 0
    while first < stages and load(sim.numbers, weights + first, 0.0) == 0.0:
        first += 1
    threes = size - size % (3 * step)
    for j in range(0, threes, 3 * step):  # three independent sums at a time, to hide latency
        totals = (wide, wide, wide)
        for i in range(first, stages):
            weight = load(sim.numbers, weights + i, 0.0)
            if weight != 0.0:
                totals = fused3(weight, load3(entries(sim, stage_at(sim, i) + j, zero), 0, wide), totals)
        y = load3(entries(sim, integer(sim.plan, Y_NOW) + j, zero), 0, wide)
        store3(entries(sim, target + j, zero), 0, fused3(h, totals, y))
    for j in range(threes, size, step):  # the last pack may exceed the vector: `target` has room behind
        total = wide
        for i in range(first, stages):
            weight = load(sim.numbers, weights + i, 0.0)
            if weight != 0.0:
                total = fused(weight, load(entries(sim, stage_at(sim, i) + j, zero), 0, wide), total)
        # y last, so that small changes are not rounded one by one
        y = load(entries(sim, integer(sim.plan, Y_NOW) + j, zero), 0, wide)
        store(entries(sim, target + j, zero), 0, fused(h, total, y))


@inner
def entries(sim, place, zero):
    """Numbers of `work` from a place on."""
    return later(sim.work, place * lanes_of(zero))


@inner
def stage_at(sim, i):
    """Where the rates of stage i are in `work`."""
    return integer(sim.plan, Y_K) + i * integer(sim.plan, SIZE)


@inner
def run_stages(sim, t, h, first, last, due, zero):
    """Stages first ... last - 1 of a step; the one at the step's end leaves the new vector in Y_NEW."""
    stages, size = integer(sim.plan, ALL_STAGES), integer(sim.plan, SIZE)
    for i in range(first, last):
        y, needed = integer(sim.plan, Y_STAGE), 2 * integer(sim.tree, RATES) + integer(sim.plan, INTERNAL)
        if i == integer(sim.plan, MAIN_STAGES):  # the ledger is needed only at the step's end
            y, needed = integer(sim.plan, Y_NEW), integer(sim.plan, MOVING_SIZE)
        combine_stages(sim, integer(sim.plan, N_A) + i * stages, i, h, y, needed, zero)
        at = t + h * load(sim.numbers, integer(sim.plan, N_C) + i, 0.0)
        K = integer(sim.plan, Y_K) + i * size
        if i == 0:
            y = integer(sim.plan, Y_NOW)  # a sample may change the laws' states there
        evaluate_stage(sim, at, y, K, due if i == 0 else 0)


@inner
def largest_lane(work, at, zero):
    """The largest of a scalar's lanes; NaN if any lane is."""
    lanes = lanes_of(zero)
    most = load(work, at * lanes, 0.0)
    for lane in range(1, lanes):
        value = load(work, at * lanes + lane, 0.0)
        if not value <= most:
            most = value
    return most


@inner
def in_group(sim, j, group):
    """Whether entry j of y belongs to a group of error control."""
    if integer(sim.plan, GROUPS) < 2:
        return True
    return load(sim.numbers, integer(sim.plan, N_GROUP) + j, 0.0) == group


@inner
def largest_of_group(sim, y, group, zero):
    """The largest entry of a group, which scales its tolerances; zero for group 0, whose entries scale their own."""
    most = zero
    for j in range(integer(sim.plan, SIZE) if group > 0 else 0):
        if in_group(sim, j, group):
            size = magnitude(load(sim.work, y + j, zero))
            most = select(size > most, size, most)
    return most


@inner
def group_error(sim, h, group, zero):
    """Error of the step over its tolerance, root mean square over a group of y."""
    size, K, stages = integer(sim.plan, SIZE), integer(sim.plan, Y_K), integer(sim.plan, MAIN_STAGES) + 1
    counted = 0
    scale, e5, e3 = integer(sim.plan, N_SCALE), integer(sim.plan, N_E5), integer(sim.plan, N_E3)
    least = largest_of_group(sim, integer(sim.plan, Y_NOW), group, zero)
    first, second = zero, zero
    for j in range(size):
        if load(sim.numbers, scale + 2 * j, 0.0) > 0.0 and in_group(sim, j, group):
            counted += 1
            before, after = (
                load(sim.work, integer(sim.plan, Y_NOW) + j, zero),
                load(sim.work, integer(sim.plan, Y_NEW) + j, zero),
            )
            a, b = magnitude(before), magnitude(after)
            largest = select(b > a, b, a)
            largest = select(least > largest, least, largest)
            tolerance = (
                shared(sim.numbers, scale + 2 * j, zero) + shared(sim.numbers, scale + 2 * j + 1, zero) * largest
            )
            five, three = zero, zero
            for i in range(stages):
                rate = load(sim.work, K + i * size + j, zero)
                five += shared(sim.numbers, e5 + i, zero) * rate
                three += shared(sim.numbers, e3 + i, zero) * rate
            five, three = five / tolerance, three / tolerance
            first += five * five
            second += three * three
    below = first + 0.01 * second
    return h * first / sqrt(select(below > 0.0, below, below * 0.0 + 1.0) * max(counted, 1))


@inner
def error_norm(sim, h, zero):
    """Error of the step over its tolerance: the largest of all groups and lanes.

    Root mean square within each group, so that a group of small or fast numbers is not hidden by others.
    Hairer's combination of two estimates (DOP853); with e3 = 0 it is the plain norm of the first.
    """
    norm = group_error(sim, h, 0, zero)
    for group in range(1, integer(sim.plan, GROUPS)):
        other = group_error(sim, h, group, zero)
        norm = select(other <= norm, norm, other)  # NaN counts
    store(sim.work, integer(sim.plan, Y_STAGE), norm)
    return largest_lane(sim.work, integer(sim.plan, Y_STAGE), zero)


@inner
def state_within(sim, h, fraction, target, zero):
    """The vector y at a fraction of the step, from all stages."""
    size, K, degree = integer(sim.plan, SIZE), integer(sim.plan, Y_K), integer(sim.plan, DEGREE)
    for j in range(size):
        store(sim.work, target + j, load(sim.work, integer(sim.plan, Y_NOW) + j, zero))
    for i in range(integer(sim.plan, ALL_STAGES)):
        weight = 0.0
        for d in range(degree - 1, -1, -1):
            weight = fraction * (load(sim.numbers, integer(sim.plan, N_P) + i * degree + d, 0.0) + weight)
        for j in range(size):
            change = h * weight * load(sim.work, K + i * size + j, zero)
            store(sim.work, target + j, load(sim.work, target + j, zero) + change)


@inner
def within(sim, t, h, fraction, extra, zero):
    """The vector y at a fraction of the step just taken, into Y_STAGE; `extra` stages are run first, if need be."""
    y = integer(sim.plan, Y_STAGE)
    method = integer(sim.plan, METHOD)
    if method == SEMI_IMPLICIT_EULER or method == TIME_STEPPING:
        for j in range(integer(sim.plan, SIZE)):
            a, b = (
                load(sim.work, integer(sim.plan, Y_NOW) + j, zero),
                load(sim.work, integer(sim.plan, Y_NEW) + j, zero),
            )
            store(sim.work, y + j, a + fraction * (b - a))
    elif method == VARIATIONAL:  # a shorter step: it conserves what whole ones do
        call(integer(sim.plan, STEPPER), sim.own, t, fraction * h, y, 0)
    else:
        if extra:
            main, stages = integer(sim.plan, MAIN_STAGES), integer(sim.plan, ALL_STAGES)
            run_stages(sim, t, h, main + 1, stages, 0, zero)
        state_within(sim, h, fraction, y, zero)
    return y
