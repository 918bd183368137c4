"""The numbers that `work` holds for each guard and lane, and the evaluation of guards anywhere in a step."""

from ..elements.laws import run_law, show_channels
from ..methods.runge_kutta import within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, lanes_of, load, store
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403


@inner
def load_guard(sim, what, g, lane, zero):
    """Read one of the numbers of guard g (G_LEVEL, G_START, ...) of the robot in a lane."""
    return load(sim.work, guard_place(sim, what, g) * lanes_of(zero) + lane, 0.0)


@inner
def store_guard(sim, what, g, lane, value, zero):
    """Write one of the numbers of guard g."""
    store(sim.work, guard_place(sim, what, g) * lanes_of(zero) + lane, value)


@inner
def guard_place(sim, what, g):
    """Index in work of a number of guard g, in scalars."""
    return integer(sim.plan, Y_GUARD_MEMORY) + what * integer(sim.plan, GUARDS) + g


@inner
def value_of(sim, g, lane, zero):
    """The value of guard g at the last evaluation."""
    return load(sim.work, (integer(sim.plan, Y_GUARD) + g) * lanes_of(zero) + lane, 0.0)


@inner
def counted(sim, g, lane, zero):
    """The value of guard g above its level."""
    return value_of(sim, g, lane, zero) - load_guard(sim, G_LEVEL, g, lane, zero)


@inner
def side_of(sim, g, lane, zero):
    """The side on which guard g is held: 1, -1, or 0 for an event that has none yet."""
    return load(sim.work, (integer(sim.plan, Y_SIDE) + g) * lanes_of(zero) + lane, 0.0)


@inner
def set_side(sim, g, lane, side, zero):
    """Hold guard g on this side."""
    store(sim.work, (integer(sim.plan, Y_SIDE) + g) * lanes_of(zero) + lane, side)


@inner
def first_event(sim):
    """Number of the first guard of an event; elements' guards come before."""
    return integer(sim.plan, GUARDS) - integer(sim.plan, EVENTS)


@inner
def first_asking(sim):
    """Number of the first guard that calls for contact impulses; these are held on the positive side."""
    return first_event(sim) - integer(sim.plan, ASKING)


@inner
def direction_of(sim, g):
    """The direction in which a guard's change of side counts: 1 or -1 for some events, 0 for both."""
    event = g - first_event(sim)
    return load(sim.numbers, integer(sim.plan, N_DIRECTION) + event, 0.0) if event >= 0 else 0.0


@inner
def sign(value):
    """-1, 0 or 1."""
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


@inner
def evaluate_guards(sim, t, y, zero):
    """Values of all guards at time t and the vector y: elements' by the right-hand side, then events' conditions."""
    evaluate(sim, t, y, integer(sim.plan, Y_SPARE), LOOK)
    show_channels(sim, zero)
    out, lanes = integer(sim.plan, M_OUT), lanes_of(zero)
    for e in range(integer(sim.plan, EVENTS)):
        for lane in range(lanes):
            run_law(sim, integer(sim.plan, LAWS) + e, t, lane, out, zero)
            place = (integer(sim.plan, Y_GUARD) + first_event(sim) + e) * lanes + lane
            store(sim.work, place, load(sim.memory, out, 0.0))
    for g in range(first_asking(sim), first_event(sim)):  # a guard back above zero counts from zero again: no drift
        for lane in range(lanes):
            if value_of(sim, g, lane, zero) > 0.0:
                store_guard(sim, G_LEVEL, g, lane, 0.0, zero)


@outlined
def look_within(sim, t, h, fraction, extra, zero):
    """Evaluate all guards at a fraction of the step just tried; `extra`: its extra stages must be run first."""
    evaluate_guards(sim, t + fraction * h, within(sim, t, h, fraction, extra, zero), zero)


@inner
def crosses(sim, g, lane, zero):
    """Whether a guard is on its other side at the last evaluation, in the direction that counts."""
    side = side_of(sim, g, lane, zero)
    if side == 0.0 or load_guard(sim, G_IGNORE, g, lane, zero) > 0.0 or direction_of(sim, g) * side > 0.0:
        return False
    value = counted(sim, g, lane, zero) * side
    if g < first_event(sim) and load_guard(sim, G_START, g, lane, zero) == 0.0:
        return value < 0.0  # a guard may stay at zero: an empty tank, a joint at rest
    return value <= 0.0


@inner
def follow(sim, g, lane, value, zero):
    """Take the side of a value at which an event does not happen; reset its level once the value is far from it."""
    if g >= first_event(sim):
        if value != 0.0:
            set_side(sim, g, lane, sign(value), zero)
        if abs(value) > 4.0 * abs(load_guard(sim, G_LEVEL, g, lane, zero)):
            store_guard(sim, G_LEVEL, g, lane, 0.0, zero)
