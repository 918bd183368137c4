"""Kinds of elements, each a compiled unit behind an address, and the functions that kinds are written with.

    @kind
    def spring(sim, e, t, y, k, zero):
        ...

`e` is the place of the element's record in `plan`, y that of the vector at which forces are evaluated, k that of the
rates. The function is compiled for each kind of scalar when a simulation first uses it, with the loop over all elements
of the kind inside. The functions below read what an element has and write what it gives.
"""

from functools import cache

from ..robot.bodies import weigh_body
from ..robot.kinematics import base_part
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, origin_of, speed_of
from ..robot.spatial import (
    add3,
    add6,
    angular,
    cross,
    dot3,
    linear,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    shared9,
    store6,
    turn,
)
from ..scalar.compiling import Address, inner
from ..scalar.dual import DUAL
from ..scalar.lanes import number_in
from ..scalar.memory import integer, load, load_counter, shared, store, zero_of
from ..scalar.pack import ONE, PACK
from ..sim.evaluate import SIGNATURE, is_adaptive
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at

FORMS = {"one": (ONE, sim_at), "pack": (PACK, sim_at), "varied": (PACK, varied_sim_at), "dual": (DUAL, sim_at)}


class Kind:
    """The compiled side of a kind of elements."""

    def __init__(self, function):
        self.name, self._act, self._link = function.__name__, inner(function), getattr(function, "link", None)

    @cache  # noqa: B019  (there are as many as kinds)
    def unit(self, form):
        """The C function for a kind of scalar: 'one', 'pack', 'varied' (robots of a pack differ) or 'dual'."""
        return Address(self._all(*FORMS[form]), SIGNATURE, f"{self.name}.{form}", link=self._link)

    def _all(self, number, at):
        """Make the C function that calls the kind's function for each of its elements."""
        act = self._act

        def every(own, t, y, k, record):
            sim, zero = at(own), zero_of(number)
            first = integer(sim.plan, record + K_FIRST)
            for i in range(first, first + integer(sim.plan, record + K_COUNT)):
                act(sim, integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS, t, y, k, zero)

        return every


class CollectiveKind(Kind):
    """A kind whose function handles all of its elements at once: laws and motions, which have their own records."""

    def _all(self, number, at):
        act = self._act

        def together(own, t, y, k, record):
            act(at(own), t, y, k, zero_of(number))

        return together


def kind(function):
    """Decorator: a kind of elements whose function handles one element."""
    return Kind(function)


def collective_kind(function):
    """Decorator: a kind of elements whose function handles all of them at once."""
    return CollectiveKind(function)


# --- what an element has ----------------------------------------------------------------------------------------------


@inner
def own(sim, e, i):
    """The element's integer i: a body, a joint's rate, a coordinate."""
    return integer(sim.plan, integer(sim.plan, e + E_OWN) + i)


@inner
def linked(sim, e, i):
    """The record of linked element i, to be used as `e` of that element."""
    return integer(sim.plan, integer(sim.plan, e + E_LINKS) + i)


@inner
def parameter(sim, e, i, zero):
    """Its number i."""
    return shared(sim.numbers, integer(sim.plan, e + E_NUMBERS) + i, zero)


@inner
def vector(sim, e, i, zero):
    """Its three numbers from number i on."""
    return shared3(sim.numbers, integer(sim.plan, e + E_NUMBERS) + i, zero)


@inner
def matrix(sim, e, i, zero):
    """Its nine numbers from number i on, row by row."""
    return shared9(sim.numbers, integer(sim.plan, e + E_NUMBERS) + i, zero)


@inner
def state(sim, e, i, y, zero):
    """The element's state i; samples are numbered after states."""
    return load(sim.work, state_at(sim, e, i, y), zero)


@inner
def state_at(sim, e, i, y):
    """Place in work of state or sample i; where `is_sampled`, samples are written there, robot by robot."""
    return y + 2 * integer(sim.tree, RATES) + integer(sim.plan, e + E_STATE) + i


@inner
def command(sim, e, i, zero):
    """Number i of the commands that laws give the element."""
    return load(sim.work, integer(sim.plan, e + E_COMMAND) + i, zero)


@inner
def side(sim, e, i, zero):
    """The side, 1 or -1, on which its guard i is held within a step."""
    return load(sim.work, integer(sim.plan, Y_SIDE) + integer(sim.plan, e + E_GUARD) + i, zero)


@inner
def switch(sim, e, i, value, zero):
    """The number by whose sign to branch at guard i: the side that a step holds; with fixed steps, the value."""
    return side(sim, e, i, zero) if is_adaptive(sim) else value


@inner
def acts(sim, e):
    """Whether it acts within this step: it has started, and not stopped."""
    return load_counter(sim.counters, integer(sim.plan, e + E_ACTS)) == 1


@inner
def has_failed(sim, e):
    """Whether the time at which it fails, its only one (`breaks`), has passed within this step."""
    return load_counter(sim.counters, integer(sim.plan, e + E_ACTS)) > 0


@inner
def is_sampled(sim, e, lane, zero):
    """Whether this is an instant at which a robot's samples of it change: of its period, or of a guard of its own."""
    place = integer(sim.plan, e + E_SAMPLING)
    return place > 0 and number_in(sim.work, place, lane, zero) > 0.0


# --- what it gives ----------------------------------------------------------------------------------------------------


@inner
def rate(sim, e, i, k, value):
    """Set the rate of state i."""
    store(sim.work, k + 2 * integer(sim.tree, RATES) + integer(sim.plan, e + E_STATE) + i, value)


@inner
def add_rate(sim, e, i, k, value, zero):
    """Add to the rate of state i, to which several elements may contribute."""
    at = k + 2 * integer(sim.tree, RATES) + integer(sim.plan, e + E_STATE) + i
    store(sim.work, at, load(sim.work, at, zero) + value)


@inner
def channel(sim, e, i, value):
    """Set number i of the element's channels."""
    store(sim.work, integer(sim.plan, integer(sim.plan, e + E_CHANNELS) + i), value)


@inner
def channel3(sim, e, i, v):
    """Set three numbers of the element's channels, from number i on."""
    channel(sim, e, i, v[0])
    channel(sim, e, i + 1, v[1])
    channel(sim, e, i + 2, v[2])


@inner
def sensed(sim, e, i, zero):
    """Number i of its channels, as `senses` or an earlier kind of this evaluation has written it."""
    return load(sim.work, integer(sim.plan, integer(sim.plan, e + E_CHANNELS) + i), zero)


@inner
def keep(sim, e, i, value):
    """Keep number i for a kind that is called in a later phase of this evaluation."""
    store(sim.work, integer(sim.plan, e + E_KEPT) + i, value)


@inner
def kept(sim, e, i, zero):
    """Number i that it has kept in this evaluation."""
    return load(sim.work, integer(sim.plan, e + E_KEPT) + i, zero)


@inner
def guard(sim, e, i, value):
    """Set the value of guard i: where it passes through zero, a step ends and the side changes."""
    store(sim.work, integer(sim.plan, Y_GUARD) + integer(sim.plan, e + E_GUARD) + i, value)


@inner
def work_done(sim, e, k, power):
    """Book power that the element adds to the energy."""
    store(sim.work, k + integer(sim.plan, e + E_WORK), power)


@inner
def dissipated(sim, e, k, power):
    """Book power that the element takes from the energy."""
    store(sim.work, k + integer(sim.plan, e + E_LOST), power)


@inner
def stored(sim, e, energy):
    """Book energy that the element stores."""
    store(sim.work, integer(sim.plan, e + E_STORED), energy)


@inner
def push_joint(sim, rate, force, zero):
    """Add a force to a joint's rate."""
    at = integer(sim.plan, Y_PUSH) + rate
    store(sim.work, at, load(sim.work, at, zero) + force)


@inner
def push_within(sim, i, f, n, r, zero):
    """Apply a force f at body i's point r, and a moment n, one of a pair within the robot; return the wrench."""
    wrench = f + add3(n, cross(r, f))
    at = integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE
    F = load6(sim.work, at, zero)  # the motion's force minus applied forces
    store6(sim.work, at, add6(F, scale3(-1.0, linear(wrench)) + scale3(-1.0, angular(wrench))))
    return wrench


@inner
def push_body(sim, i, f, n, r, zero):
    """Apply a force f at body i's point r, and a moment n, from outside: the impulse enters the ledger."""
    outside = force_about_base(sim.tree, sim.work, i, push_within(sim, i, f, n, r, zero), zero)
    at = integer(sim.plan, Y_OUTSIDE)
    store6(sim.work, at, add6(load6(sim.work, at, zero), outside))


@inner
def record_wrench(sim, e, which, f, n):
    """For the record: the force and moment at its point number `which`."""
    store6(sim.work, integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + which), f + n)


# --- where it is ------------------------------------------------------------------------------------------------------


@inner
def lever(sim, i, place, zero):
    """Vector from body i's reference point to a point fixed to the body."""
    body = integer(sim.tree, W_BODY) + i * BODY_WORK
    return add3(load3(sim.work, body + POSITION, zero), turn(load9(sim.work, body + ROTATION, zero), place))


@inner
def position(sim, i, r, zero):
    """Position of body i's point r in the inertial frame; r is a `lever`."""
    from_base = add3(origin_of(sim.tree, sim.work, i, zero), r)
    return add3(load3(sim.work, integer(sim.tree, W_X), zero), from_base)


@inner
def velocity(sim, i, r, zero):
    """Velocity of body i's point at r."""
    V = load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    v0 = base_part(sim.tree, sim.work, integer(sim.tree, W_U), 1, 0, zero)
    return add3(add3(v0, speed_of(sim.tree, sim.work, i, zero)), add3(linear(V), cross(angular(V), r)))


@inner
def angular_velocity(sim, i, zero):
    """Angular velocity of body i."""
    return load3(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY + 3, zero)


@inner
def rotation(sim, i, zero):
    """From body i's axes, as kernels have them (`model.flat.to_internal` leads there), to inertial ones."""
    return load9(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + ROTATION, zero)


@inner
def weigh(sim, i, zero):
    """Mass, centre of mass (a `lever`) and inertia about it of body i, attached mass included."""
    m, c, J = weigh_body(sim.tree, sim.par, sim.work, i, zero)
    m = zero + m  # the same scalar type in both branches, also for duals
    if integer(sim.plan, CHOICES) & CARRIES_MASS:
        at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED
        h, I = load3(sim.work, at + ADDED_MOMENT, zero), load6(sim.work, at + ADDED_INERTIA, zero)
        m = m + load(sim.work, at + ADDED_MASS, zero)
        b = scale3(1.0 / m, h)
        bh = dot3(b, h)
        c = add3(c, b)
        J = (
            J[0] + I[0] - bh + b[0] * h[0],
            J[1] + I[1] - bh + b[1] * h[1],
            J[2] + I[2] - bh + b[2] * h[2],
            J[3] + I[3] + b[0] * h[1],
            J[4] + I[4] + b[0] * h[2],
            J[5] + I[5] + b[1] * h[2],
        )
    return m, c, J


@inner
def momentum_within(sim, i, zero):
    """Momentum, relative to body i, of attached masses that move on it, such as flexible modes."""
    if integer(sim.plan, CHOICES) & CARRIES_MASS:
        return load3(sim.work, integer(sim.plan, Y_ADDED) + i * BODY_ADDED + ADDED_MOMENTUM, zero)
    return zero, zero, zero


@inner
def uniform_gravity(sim, zero):
    """The acceleration of uniform gravity."""
    return shared3(sim.par, integer(sim.tree, PAR_GRAVITY), zero)


@inner
def coordinate(sim, i, zero):
    """Coordinate i of all, the base's seven first."""
    return load(sim.work, integer(sim.tree, W_X) + i, zero)


@inner
def joint_rate(sim, i, zero):
    """Rate i of all, the base's first."""
    return load(sim.work, integer(sim.tree, W_U) + i, zero)
