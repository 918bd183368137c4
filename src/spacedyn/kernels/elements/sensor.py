"""Processing of measurements, shared by all sensors: errors, range, quantisation, sampling, delay, faults.

    reading = quantum round(clip(measured + bias + drift + noise) / quantum)

With a period a sensor measures at instants and holds its reading between: drift and noise are drawn there, by counting
(noise.py): seed, name, robot, instant, component. The drift is a random walk, drift += walk sqrt(period) N(0, 1).
A delay is a number of instants that a reading waits for; until the first one has come through, it is there at once.
"""

from ..scalar.compiling import inner
from ..scalar.lanes import number_in
from ..scalar.memory import integer, lanes_of, load, load_counter, store
from ..scalar.pack import nearest_integer, select
from ..sim.layout import *  # noqa: F403
from .kind import channel, has_failed, is_sampled, own, parameter, state, state_at
from .noise import two_normal_numbers

# integers of every sensor: its seed in two words, its name's; instants that a reading waits for; how it fails; whether
# it has a period; components of its error; numbers that it reads; whether drift and noise are drawn; then its own
SEED_0, SEED_1, STREAM, WAIT, FAULT, PERIODIC, ERRORS, READINGS, NOISY, OWN_INTEGERS = range(10)
DEAD, FROZEN, STUCK = range(3)  # how it fails
BIAS, NOISE, WALK, ERROR_NUMBERS = range(4)  # numbers of each component of the error
RANGE, QUANTUM, STUCK_AT, READING_NUMBERS = range(4)  # and of each reading, behind; then its own
WORD = 0xFFFFFFFF


@inner
def own_numbers(sim, e):
    """Where the numbers start that are a kind's own."""
    return ERROR_NUMBERS * own(sim, e, ERRORS) + READING_NUMBERS * own(sim, e, READINGS)


@inner
def error(sim, e, i, y, zero):
    """Component i of its error: bias, drift and noise."""
    at = ERROR_NUMBERS * i
    wrong = zero + parameter(sim, e, at + BIAS, zero)
    if own(sim, e, NOISY) == 1:
        drift, noise = i, own(sim, e, ERRORS) + i
        for lane in range(lanes_of(zero)):
            if is_sampled(sim, e, lane, zero) and not is_frozen(sim, e):
                draw(sim, e, i, y, lane, zero)
        wrong += state(sim, e, drift, y, zero) + state(sim, e, noise, y, zero)
    return wrong


@inner
def draw(sim, e, i, y, lane, zero):
    """New noise of component i of a robot, and a step of its drift."""
    at, robot = ERROR_NUMBERS * i, int(number_in(sim.work, integer(sim.plan, Y_ROBOT), lane, zero))
    instant = load_counter(sim.counters, integer(sim.plan, e + E_TAKEN)) - 1
    noise, step = two_normal_numbers(
        own(sim, e, SEED_0),
        own(sim, e, SEED_1),
        instant & WORD,
        i,
        robot,
        own(sim, e, STREAM),
        load(sim.numbers, integer(sim.plan, e + E_NUMBERS) + at + NOISE, 0.0),
        load(sim.numbers, integer(sim.plan, e + E_NUMBERS) + at + WALK, 0.0),
    )
    drift = state_at(sim, e, i, y)
    if instant > 0:
        store(sim.work, drift * lanes_of(zero) + lane, number_in(sim.work, drift, lane, zero) + step)
    store(sim.work, state_at(sim, e, own(sim, e, ERRORS) + i, y) * lanes_of(zero) + lane, noise)


@inner
def read(sim, e, i, value, y, zero):
    """Write reading i, a value with errors, into channel i."""
    at = ERROR_NUMBERS * own(sim, e, ERRORS) + READING_NUMBERS * i
    most, quantum = parameter(sim, e, at + RANGE, zero), parameter(sim, e, at + QUANTUM, zero)
    value = select(value > most, zero + most, select(value < -most, zero - most, value))
    if own(sim, e, PERIODIC) == 1:
        whole = quantum * nearest_integer(value / select(quantum > 0.0, quantum, zero + 1.0))
        value = hold(sim, e, i, select(quantum > 0.0, whole, value), y, zero)
    show(sim, e, i, value, zero)


@inner
def show(sim, e, i, value, zero):
    """Write reading i into its channel, unless the sensor is dead or stuck."""
    at = ERROR_NUMBERS * own(sim, e, ERRORS) + READING_NUMBERS * i
    if has_failed(sim, e) and own(sim, e, FAULT) != FROZEN:
        value = zero + parameter(sim, e, at + STUCK_AT, zero)
    channel(sim, e, i, value)


@inner
def show_held(sim, e, y, zero):
    """Before accelerations are known: a sensor that needs them has what it holds, if it has a period."""
    wait = own(sim, e, WAIT)
    for i in range(own(sim, e, READINGS) if own(sim, e, PERIODIC) == 1 else 0):
        show(sim, e, i, state(sim, e, first_held(sim, e, i) + wait, y, zero), zero)


@inner
def first_held(sim, e, i):
    """The first of its samples that hold reading i: the newest one."""
    return 2 * own(sim, e, ERRORS) * own(sim, e, NOISY) + (1 + own(sim, e, WAIT)) * i


@inner
def hold(sim, e, i, value, y, zero):
    """Take reading i at an instant, and write the one whose delay has passed."""
    wait, first = own(sim, e, WAIT), first_held(sim, e, i)
    now = load(sim.work, integer(sim.plan, e + E_SAMPLING), zero) > 0.0
    if not is_frozen(sim, e):
        begins = load_counter(sim.counters, integer(sim.plan, e + E_TAKEN)) <= 1
        for j in range(wait, 0, -1):
            later = state(sim, e, first + j, y, zero)
            before = value if begins else state(sim, e, first + j - 1, y, zero)
            store(sim.work, state_at(sim, e, first + j, y), select(now, before, later))
        store(sim.work, state_at(sim, e, first, y), select(now, value, state(sim, e, first, y, zero)))
    return state(sim, e, first + wait, y, zero)


@inner
def is_frozen(sim, e):
    """Whether it has failed and holds its last reading."""
    return has_failed(sim, e) and own(sim, e, FAULT) == FROZEN
