"""Jumps of velocities at an instant: impacts with restitution, and whether an arm can stop what it has caught.

    H du = J' p,   J (u + du) = -e J u

J is the velocity of one body relative to the other, at one point: the impulses p on both act there, and no momentum
comes from outside. Rates of joints that are held do not change.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import body_jacobian, endpoint_jacobian, endpoint_pose, forward_kinematics
from ..quantities.matrices import mass_matrix
from .action_kinds import Impact

Array = np.ndarray
_SMALL = 1e-12  # of singular values: directions in which nothing can move


def whole_mass_matrix(model: Model, state: State, attached: Sequence[Any]) -> Array:
    """The mass matrix (nv, nv) with what elements have attached to bodies."""
    H = mass_matrix(model, state)
    for body, point, inertia in attached:
        J = body_jacobian(model, state, body, np.zeros(3))
        r = point - forward_kinematics(model, state).bodies.position[model.body_index(body)]
        J[:3] -= np.cross(r, J[3:], axisb=0, axisc=0)
        H = H + J.T @ inertia @ J
    return H


def reaction(H: Array, given: Array, change: Array) -> Array:
    """Changes of all rates where impulses change those that are given: no impulse acts on the others."""
    free = np.setdiff1d(np.arange(len(H)), given)
    change = change.copy()
    change[free] = -np.linalg.solve(H[np.ix_(free, free)], H[np.ix_(free, given)] @ change[given])
    return change


def reaction_with_rows(H: Array, given: Array, change: Array, J: Array, rate: Array) -> Array:
    """The same where constraint rows, J u = -rate of the part that is not the robot's, take impulses, too.

    `rate` is that before the impulse, J u and all; after it, it is zero.
    """
    free, change = np.setdiff1d(np.arange(len(H)), given), reaction(H, given, change)
    gain = np.linalg.solve(H[np.ix_(free, free)], J[:, free].T)
    impulse = np.linalg.lstsq(J[:, free] @ gain, -(rate + J @ change), rcond=_SMALL)[0]
    change[free] += gain @ impulse
    return change


def relative_jacobian(model: Model, state: State, endpoint: str, other: str) -> Array:
    """(3, nv) velocity of `other` relative to the body of `endpoint`, at the place of `other`, per rate."""
    ours, theirs = (endpoint_jacobian(model, state, name) for name in (endpoint, other))
    places = [endpoint_pose(model, state, name).position for name in (endpoint, other)]
    arm = places[1] - places[0]
    carried: Array = ours[:3] + np.cross(ours[3:].T, arm).T
    return theirs[:3] - carried


def after_impact(
    model: Model,
    state: State,
    impact: Impact,
    held: Iterable[str],
    attached: Sequence[Any] = (),
    rows: tuple[Array, Array] | None = None,
) -> State:
    """The state just after an impact; the same if the bodies part already.

    `held`: joints that keep their rates; `attached`: what elements have attached to bodies, which takes part; `rows`:
    J and rates of constraint rows, which take impulses.
    """
    J = relative_jacobian(model, state, impact.endpoint, impact.other)
    if impact.normal is not None:
        n = endpoint_pose(model, state, impact.endpoint).rotation @ impact.normal
        J = (n @ J)[None]
        if (J @ state.u)[0] >= 0.0:
            return state
    free = np.ones(model.nv, dtype=bool)
    for joint in held:
        free[model.u_slice(joint)] = False
    rates = np.flatnonzero(free)
    wanted = -(1.0 + impact.restitution) * (J @ state.u)
    if rows is not None:
        J, wanted = np.concatenate([J, rows[0]]), np.concatenate([wanted, -rows[1]])
    gain = np.linalg.solve(whole_mass_matrix(model, state, attached)[np.ix_(rates, rates)], J[:, rates].T)
    impulse = np.linalg.lstsq(J[:, rates] @ gain, wanted, rcond=_SMALL)[0]
    u = state.u.copy()
    u[rates] += gain @ impulse
    return State(model, np.concatenate([state.x, u]))


class ContactEvent(NamedTuple):
    """An event of one contact point: the element, words, impulse (3) [N s], place (3) [m], and how much later [s]."""

    element: str
    words: str
    impulse: Array
    place: Array
    later: float = 0.0


class Change(NamedTuple):
    """Result of contact impulses.

    Attributes
    ----------
    rates : (nv,)
        Those after them.
    lost : {int: float}
        Energy that each element lost, by numbers [J].
    joint_works : (nv,)
        What joints that move as given do meanwhile [J].
    element_works : {int: float}
        What loops with moving places do, by numbers [J].
    events : list of ContactEvent
    """

    rates: Array
    lost: dict[int, float]
    joint_works: Array
    element_works: dict[int, float]
    events: list[ContactEvent]


class Braking(NamedTuple):
    """What it takes to bring joints to rest by a constant deceleration, in the pose and with the inertia of now.

    Attributes
    ----------
    time : float
        The shortest that the joints' `max_force` allows [s]; infinite if one of them has none.
    travel : dict of float
        How far each rate's coordinate goes on until then [rad, m], by joint; the farthest, of several.
    room : dict of float
        How far it is to its limit in that direction [rad, m].
    """

    time: float
    travel: dict[str, float]
    room: dict[str, float]

    @property
    def too_far(self) -> list[str]:
        """Joints that meet their limits before they are at rest."""
        return [joint for joint, travel in self.travel.items() if travel > self.room[joint]]


def braking(
    model: Model, state: State, arm: Sequence[str], held: Iterable[str], attached: Sequence[Any] = ()
) -> Braking:
    """How an arm can come to rest, other joints and the base reacting freely, `held` joints staying as they are."""
    change, everyone = np.zeros(model.nv), np.arange(model.nv)
    for joint in arm:
        change[model.u_slice(joint)] = -state.u[model.u_slice(joint)]
    given = np.concatenate([everyone[model.u_slice(joint)] for joint in dict.fromkeys((*arm, *held))])
    H = whole_mass_matrix(model, state, attached)
    impulse = H @ reaction(H, given, change)
    time, travel, room = 0.0, {}, {}
    for name in arm:
        part, rates, places = model.joint(name), model.qd_slice(name), model.q_slice(name)
        needed, has = np.abs(impulse[model.u_slice(name)]), np.asarray(part.max_force)
        times = np.where(needed > 0.0, needed / np.where(has > 0.0, has, 1e-300), 0.0)
        time = max(time, float(times.max(initial=0.0)))
        qd = state.qd[rates]
        travel[name] = float(np.abs(qd).max(initial=0.0))
        room[name] = np.inf
        if part.kind_record.plain_coordinates:
            q = state.q[places]
            room[name] = float(np.where(qd > 0.0, part.upper - q, q - part.lower).min(initial=np.inf))
    return Braking(time, {name: 0.5 * speed * time if speed else 0.0 for name, speed in travel.items()}, room)


def too_fast(joint: str, found: Braking, limits: Mapping[str, float]) -> str | None:
    """In words that an arm cannot stop what it has caught; None if it can."""
    if not found.too_far:
        return None
    worst = max(found.too_far, key=lambda name: found.travel[name] - found.room[name])
    return (
        f"what joint '{joint}' holds now is faster than the arm can stop: with max_force it takes {found.time:.3g} s, "
        f"in which joint '{worst}' goes on by {found.travel[worst]:.3g}, and its limit is {found.room[worst]:.3g} away "
        f"(max_force {limits[worst]:.3g})"
    )
