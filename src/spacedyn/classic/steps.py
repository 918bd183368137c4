"""One step in time under loads that are held: the methods behind SpaceDyn's integrators.

    euler          explicit; or semi-implicit, positions by the new rates             order 1
    simpson        Kutta's three stages at 0, 1/2, 1 with Simpson's weights           order 3
    runge_kutta    the classical four stages                                          order 4
    newmark        beta = 1/6, gamma = 1/2, one corrector                             order 2
    trapezoid      of rates and of positions, one corrector                           order 2

Kutta's two work on the base's quaternion, normalised at every stage; the others turn the base by a rotation vector.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..model.quaternions import normalised
from ..model.rotations import angles_xyz, rotation_quaternion
from ..model.state import State
from ..quantities.dynamics import forward_dynamics
from ..simulate.methods import RungeKutta4
from .arguments import Call
from .dynamics import loads_of, split
from .rotations import quaternion_rate
from .shapes import Array
from .surroundings import time_step

Method = Callable[[State, dict[str, Any], float], State]
Moved = tuple[Array, Array, Array, Array, Array, Array]
BETA = 1.0 / 6.0
SIMPSON = (np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [-1.0, 2.0, 0.0]]), np.array([1.0, 4.0, 1.0]) / 6.0)
CLASSICAL = (RungeKutta4.tableau.A[:4, :4], RungeKutta4.tableau.b)


def euler(state: State, udot: Array, h: float) -> State:
    """Positions by the rates at the start, rates by the accelerations."""
    return state.integrate(h * state.u, state.u + h * udot)


def semi_implicit_euler(state: State, udot: Array, h: float) -> State:
    """Rates by the accelerations, positions by the new rates."""
    rates = state.u + h * udot
    return state.integrate(h * rates, rates)


def simpson(state: State, loads: dict[str, Any], h: float) -> State:
    """Kutta's method of the third order."""
    return _explicit(state, loads, h, *SIMPSON)


def runge_kutta(state: State, loads: dict[str, Any], h: float) -> State:
    """The classical method of the fourth order."""
    return _explicit(state, loads, h, *CLASSICAL)


def newmark(state: State, loads: dict[str, Any], h: float) -> State:
    """Acceleration linear over the step: predicted as constant, then corrected once."""
    first = forward_dynamics(state.model, state, **loads)
    guess = state.integrate(h * state.u + 0.5 * h * h * first, state.u + h * first)
    last = forward_dynamics(state.model, guess, **loads)
    way = h * state.u + h * h * ((0.5 - BETA) * first + BETA * last)
    return state.integrate(way, state.u + 0.5 * h * (first + last))


def trapezoid(state: State, loads: dict[str, Any], h: float) -> State:
    """Means of both ends: rates predicted by Euler's step, then corrected once."""
    first = forward_dynamics(state.model, state, **loads)
    last = forward_dynamics(state.model, euler(state, first, h), **loads)
    rates = state.u + 0.5 * h * (first + last)
    return state.integrate(0.5 * h * (state.u + rates), rates)


def _explicit(state: State, loads: dict[str, Any], h: float, A: Array, b: Array) -> State:
    """An explicit Runge-Kutta step of positions and rates together, with the quaternion's own rate."""
    model = state.model
    start = np.concatenate([state.x, state.u])
    slopes = np.zeros((len(b), start.size))
    for i in range(len(b)):
        now = _on_the_sphere(model, start + h * (A[i, :i] @ slopes[:i]))
        slopes[i] = np.concatenate([_position_rates(now), forward_dynamics(model, now, **loads)])
    return _on_the_sphere(model, start + h * (b @ slopes))


def _on_the_sphere(model: Any, data: Array) -> State:
    data[3:7] = normalised(data[3:7])
    return State(model, data)


def _position_rates(state: State) -> Array:
    return np.concatenate([state.u[:3], quaternion_rate(state.u[3:6], state.x[3:7]), state.u[6:]])


def moved(call: Call, state: State) -> Any:
    """What an integrator returns: R0, A0, v0, w0, q, qd; or the SV with these."""
    v0, w0, qd = split(state.u)
    A0 = rotation_quaternion(state.x[3:7])
    if call.SV is None:
        return state.base_position.copy(), A0, v0, w0, state.q.copy(), qd
    new = {"R0": state.base_position, "A0": A0, "Q0": angles_xyz(A0), "v0": v0, "w0": w0, "q": state.q, "qd": qd}
    return call.SV.copy(**new)


def stepped(call: Call, method: Method, d_time: float | None, Gravity: Any) -> Any:
    """A step under the loads of a call; the accelerations in a new SV are those at its end."""
    loads = loads_of(call, Gravity)
    state = method(call.state(), loads, time_step(d_time))
    found = moved(call, state)
    if call.SV is None:
        return found
    vd0, wd0, qdd = split(forward_dynamics(state.model, state, **loads))
    return found.copy(vd0=vd0, wd0=wd0, qdd=qdd)
