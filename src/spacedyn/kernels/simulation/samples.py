"""Times at which laws are sampled and their commands take effect, and the next time at which a step must end."""

from ..elements.laws import ask_for_modes, hold_sample
from ..scalar.compiling import call, inner
from ..scalar.memory import integer, load, load_counter, store, store_counter
from ..sim.evaluate import evaluate, is_adaptive
from ..sim.layout import *  # noqa: F403
from .guard_memory import guard_place

NEVER = 1e300


@inner
def sample_time(sim, law):
    """The next time at which a law is sampled; NEVER if it is continuous."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    if not integer(sim.plan, record + L_SAMPLED):
        return NEVER
    period = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS), 0.0)
    return load(sim.clock, T_START, 0.0) + period * load_counter(sim.counters, C_LAWS + 2 * law)


@inner
def hold_time(sim, law):
    """The next time at which a delayed sample takes effect; NEVER if none is pending."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    held = load_counter(sim.counters, C_LAWS + 2 * law + 1)
    if not integer(sim.plan, record + L_SAMPLED) or held >= load_counter(sim.counters, C_LAWS + 2 * law):
        return NEVER
    at = integer(sim.plan, record + L_PARAMETERS)
    return load(sim.clock, T_START, 0.0) + load(sim.numbers, at, 0.0) * held + load(sim.numbers, at + 1, 0.0)


@inner
def element_sample_time(sim, e):
    """The next time at which an element is sampled; NEVER if it has no period."""
    period = integer(sim.plan, e + E_PERIOD)
    if period < 0:
        return NEVER
    taken = load_counter(sim.counters, integer(sim.plan, e + E_TAKEN))
    return load(sim.clock, T_START, 0.0) + load(sim.numbers, period, 0.0) * taken


@inner
def next_element_sample(sim, after):
    """The next time after `after` at which an element is sampled; NEVER if none has a period."""
    soonest = NEVER
    for i in range(integer(sim.plan, ELEMENTS) if integer(sim.plan, SAMPLED) > 0 else 0):
        due = element_sample_time(sim, integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS)
        if due > after:
            soonest = min(soonest, due)
    return soonest


@inner
def are_elements_due(sim, until):
    """Whether some element is to be sampled now."""
    for i in range(integer(sim.plan, ELEMENTS) if integer(sim.plan, SAMPLED) > 0 else 0):
        if element_sample_time(sim, integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS) <= until:
            return True
    return False


@inner
def sample_elements(sim, t, near, zero):
    """Take the samples of all elements that are due."""
    for i in range(integer(sim.plan, ELEMENTS)):
        e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
        if element_sample_time(sim, e) <= t + near:
            store(sim.work, integer(sim.plan, e + E_SAMPLING), zero + 1.0)
            taken = integer(sim.plan, e + E_TAKEN)
            store_counter(sim.counters, taken, load_counter(sim.counters, taken) + 1)
    evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_SPARE), 0)
    for i in range(integer(sim.plan, ELEMENTS)):
        e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
        if integer(sim.plan, e + E_SAMPLING) > 0:
            store(sim.work, integer(sim.plan, e + E_SAMPLING), zero)


@inner
def next_break(sim, due, after):
    """The next time that a step must end at, given the laws whose samples are taken at its start, as bits."""
    soonest = min(load(sim.clock, T_END, 0.0), next_element_sample(sim, after))
    for law in range(integer(sim.plan, LAWS)):
        record = integer(sim.plan, LAW_AT) + law * LAW_INTS
        if integer(sim.plan, record + L_SAMPLED):
            period = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS), 0.0)
            delay = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS) + 1, 0.0)
            taken = load_counter(sim.counters, C_LAWS + 2 * law) + ((due >> law) & 1)
            held = load_counter(sim.counters, C_LAWS + 2 * law + 1)
            sample = load(sim.clock, T_START, 0.0) + period * taken
            if after < sample < soonest:
                soonest = sample
            effect = load(sim.clock, T_START, 0.0) + period * held + delay
            if held < taken and after < effect < soonest:
                soonest = effect
    if integer(sim.plan, BREAKS) > 0:
        place = load_counter(sim.counters, C_BREAK)
        while (
            place < integer(sim.plan, BREAKS) and load(sim.numbers, integer(sim.plan, N_BREAKS) + place, 0.0) <= after
        ):
            place += 1
        store_counter(sim.counters, C_BREAK, place)
        if place < integer(sim.plan, BREAKS):
            soonest = min(soonest, load(sim.numbers, integer(sim.plan, N_BREAKS) + place, 0.0))
    return soonest


@inner
def are_laws_due_at(sim, stop, near, due):
    """Whether a law is sampled, or a sample takes effect, at a step's end; `due`: laws sampled by its first stage."""
    for law in range(integer(sim.plan, LAWS)):
        record = integer(sim.plan, LAW_AT) + law * LAW_INTS
        if integer(sim.plan, record + L_SAMPLED):
            period = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS), 0.0)
            taken = load_counter(sim.counters, C_LAWS + 2 * law) + ((due >> law) & 1)
            if load(sim.clock, T_START, 0.0) + period * taken <= stop + near or hold_time(sim, law) <= stop + near:
                return True
    return False


@inner
def laws_due(sim, t, near, zero):
    """The laws whose samples are due now, and those whose delayed samples have taken effect, as bits."""
    due, held = 0, 0
    for law in range(integer(sim.plan, LAWS)):
        if hold_time(sim, law) <= t + near:
            hold_sample(sim, law, zero)
            held |= 1 << law
        if sample_time(sim, law) <= t + near:
            due |= 1 << law
    return due, held


@inner
def laws_at_once(sim, due):
    """Those of the laws that are due whose samples take effect without delay, as bits."""
    for law in range(integer(sim.plan, LAWS)):
        at = integer(sim.plan, integer(sim.plan, LAW_AT) + law * LAW_INTS + L_PARAMETERS)
        if load(sim.numbers, at + 1, 0.0) > 0.0:
            due &= ~(1 << law)
    return due


@inner
def look_before_samples(sim, t, near, zero):
    """Whether commands or samples may jump now; if so, evaluate channels for laws, and guards, before the jump."""
    guards = integer(sim.plan, GUARDS) - integer(sim.plan, EVENTS)
    if guards == 0 and not integer(sim.plan, CHOICES) & SEES_CHANNELS:
        return False
    due = are_elements_due(sim, t + near)
    for law in range(integer(sim.plan, LAWS)):
        due = due or min(hold_time(sim, law), sample_time(sim, law)) <= t + near
    if due:
        if integer(sim.plan, CHOICES) & SEES_CHANNELS:
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_SPARE), 0)
        elif is_adaptive(sim):  # with fixed steps guards have just been looked at, for their sides
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_SPARE), LOOK)
        for g in range(guards):
            store(sim.work, guard_place(sim, G_LATE, g), load(sim.work, integer(sim.plan, Y_GUARD) + g, zero))
    return due and guards > 0


@inner
def take_samples(sim, t, near, zero):
    """Laws that the first stage is to sample, as bits; whether commands have changed; whether modes are to change."""
    jumps, sampled = look_before_samples(sim, t, near, zero), are_elements_due(sim, t + near)
    if sampled:
        sample_elements(sim, t, near, zero)
    due, held = laws_due(sim, t, near, zero)
    changed = held != 0 or sampled
    if jumps:  # samples are taken here, not by the step's first stage: sides of guards depend on them
        changed = due == 0 or integer(sim.plan, METHOD) != EXPLICIT
        if due != 0:
            held |= laws_at_once(sim, due)
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), due)
        call(integer(sim.plan, GUARD_CHECK), sim.own, t, 0.0, CHECK_JUMP, 0)
        due, changed = 0, changed or load_counter(sim.counters, C_AGAIN) > 0
        if not changed:  # then this was the step's first stage
            store_counter(sim.counters, C_FRESH, 1)
    if integer(sim.plan, MODES) == 0 or (due == 0 and not changed and not jumps):
        return due, changed, False
    if due != 0:  # modes are for one robot: lanes of a pack cannot differ
        held |= laws_at_once(sim, due)
        evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), due)
        store_counter(sim.counters, C_FRESH, 1)
        due, changed = 0, False
    return due, changed, ask_for_modes(sim, held)
