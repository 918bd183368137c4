"""A thruster: a force on its body along its nozzle, and propellant that leaves a tank.

    F = level * thrust,   flow = F / (Isp g0),   level' = (valve - level) / lag

Propellant leaves its tank with the tank's motion, and the jet pushes the nozzle. Between both it flows along a straight
line d through the turning body, steadily, which takes a force and a moment (Coriolis; jet damping). About the tank:

    f = -2 flow w x d,   n = -flow (d x (w x d) - K w)

with K w of the spread of what leaves. The momentum that fills the pipes is left out.
"""

from ..robot.spatial import apply_symmetric, cross, dot3, scale3, sub3, turn
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .carried import leave
from .kind import (
    add_rate,
    angular_velocity,
    channel,
    command,
    guard,
    has_failed,
    kind,
    lever,
    linked,
    own,
    parameter,
    position,
    push_body,
    rate,
    record_wrench,
    rotation,
    side,
    state,
    state_at,
    switch,
    vector,
    velocity,
    work_done,
)
from .tank import BODY as TANK_BODY
from .tank import PROPELLANT, energy_that_leaves, tank_place, tank_spread

# its integers: its body; whether a tank feeds it, it lags, its valve is open or shut, and has a shortest pulse
BODY, FED, LAGS, THRESHOLD, PULSED = range(5)
# its numbers: nozzle, direction, N and kg/s at full thrust, 1/s of rise and decay, where it sticks, the shortest pulse
POINT, DIRECTION, THRUST, FLOW, RISE, DECAY, STUCK, SHORTEST = 0, 3, 6, 7, 8, 9, 10, 11
LEVEL, OPENED, WAS_OPEN = range(3)  # its state; its samples: when the last pulse began, whether it was commanded open
THRUST_, FLOW_ = range(2)  # its channels
BELOW, ABOVE, CLOSING = range(3)  # its guards


@inner
def valve(sim, e, t, y, zero):
    """How far the valve is open, from 0 to 1: as commanded, or where it is stuck."""
    asked = command(sim, e, 0, zero)
    if own(sim, e, THRESHOLD) == 1:  # it is open or shut
        guard(sim, e, BELOW, asked - 0.5)
        opened = select(switch(sim, e, BELOW, asked - 0.5, zero) > 0.0, zero + 1.0, zero)
        left = pulse_left(sim, e, t, y, opened, zero)
        guard(sim, e, ABOVE, left)
        opened = select(switch(sim, e, ABOVE, left, zero) > 0.0, zero + 1.0, opened)
    else:
        guard(sim, e, BELOW, asked)
        guard(sim, e, ABOVE, asked - 1.0)
        opened = select(switch(sim, e, BELOW, asked, zero) > 0.0, asked, zero)
        opened = select(switch(sim, e, ABOVE, asked - 1.0, zero) > 0.0, zero + 1.0, opened)
    return parameter(sim, e, STUCK, zero) + zero if has_failed(sim, e) else opened


@inner
def pulse_left(sim, e, t, y, opened, zero):
    """What is left of the shortest pulse [s]; below zero, nothing. Where the valve opens, a pulse begins."""
    if own(sim, e, PULSED) == 0:
        return zero - 1.0
    begun, shortest = state(sim, e, OPENED, y, zero), parameter(sim, e, SHORTEST, zero)
    now, was = load(sim.work, integer(sim.plan, e + E_SAMPLING), zero) > 0.0, state(sim, e, WAS_OPEN, y, zero)
    begins = select(begun + shortest > t, begun, zero + t)  # a pulse that is under way goes on
    begun = select(now, select(opened > was, begins, begun), begun)
    store(sim.work, state_at(sim, e, OPENED, y), begun)
    store(sim.work, state_at(sim, e, WAS_OPEN, y), select(now, opened, was))
    return begun + shortest - t


@inner
def level(sim, e, t, y, k, zero):
    """The share of its thrust that it gives; where it lags, a state that follows the valve."""
    opened = valve(sim, e, t, y, zero)
    if own(sim, e, LAGS) == 0:
        guard(sim, e, CLOSING, zero - 1.0)
        return opened
    now = state(sim, e, LEVEL, y, zero)
    rises = opened - now
    guard(sim, e, CLOSING, rises)
    up, down = parameter(sim, e, RISE, zero) + zero, parameter(sim, e, DECAY, zero) + zero
    speed = select(switch(sim, e, CLOSING, rises, zero) > 0.0, up, down)
    rate(sim, e, LEVEL, k, speed * rises)
    return now


@kind
def thruster(sim, e, t, y, k, zero):
    """Push, and draw propellant."""
    i, share = own(sim, e, BODY), level(sim, e, t, y, k, zero)
    if own(sim, e, FED) == 1:
        share = select(side(sim, linked(sim, e, 0), 0, zero) > 0.0, share, zero)
    r = lever(sim, i, vector(sim, e, POINT, zero), zero)
    f = scale3(share * parameter(sim, e, THRUST, zero), turn(rotation(sim, i, zero), vector(sim, e, DIRECTION, zero)))
    still = (zero, zero, zero)
    push_body(sim, i, f, still, r, zero)
    record_wrench(sim, e, 0, f, still)
    flow, power = share * parameter(sim, e, FLOW, zero), dot3(f, velocity(sim, i, r, zero))
    channel(sim, e, THRUST_, share * parameter(sim, e, THRUST, zero))
    channel(sim, e, FLOW_, flow)
    if own(sim, e, FED) == 1:
        power += draw(sim, e, i, r, flow, k, zero)
    work_done(sim, e, k, power)


@inner
def draw(sim, e, i, r, flow, k, zero):
    """Propellant flows from the tank to the nozzle and leaves; the power of what that does to the robot."""
    tank = linked(sim, e, 0)
    b, centre = own(sim, tank, TANK_BODY), tank_place(sim, tank, zero)
    w, K = angular_velocity(sim, b, zero), tank_spread(sim, tank, zero)
    d = sub3(position(sim, i, r, zero), position(sim, b, centre, zero))
    wd = cross(w, d)
    f = scale3(-2.0 * flow, wd)
    n = scale3(-flow, sub3(cross(d, wd), apply_symmetric(K, w)))
    push_body(sim, b, f, n, centre, zero)
    energy = energy_that_leaves(sim, tank, zero)
    add_rate(sim, tank, PROPELLANT, k, zero - flow, zero)
    leave(sim, b, flow, centre, K, energy, zero)
    return dot3(f, velocity(sim, b, centre, zero)) + dot3(n, w) - flow * energy
