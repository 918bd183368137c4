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
_SMALL = 1e-12  # of the largest singular value: smaller ones belong to directions in which nothing can move


def whole_mass_matrix(model: Model, state: State, attached: Sequence[Any]) -> Array:
    """The mass matrix (nv, nv), including the inertias that elements attach to bodies."""
    H = mass_matrix(model, state)
    for body, point, inertia in attached:
        J = body_jacobian(model, state, body, np.zeros(3))
        r = point - forward_kinematics(model, state).bodies.position[model.body_index(body)]
        J[:3] -= np.cross(r, J[3:], axisb=0, axisc=0)
        H = H + J.T @ inertia @ J
    return H


def reaction(H: Array, given: Array, change: Array) -> Array:
    """Changes of all rates, if impulses at the rates `given` change these by `change`, and none acts on the others."""
    free = np.setdiff1d(np.arange(len(H)), given)
    change = change.copy()
    change[free] = -np.linalg.solve(H[np.ix_(free, free)], H[np.ix_(free, given)] @ change[given])
    return change


def reaction_with_rows(H: Array, given: Array, change: Array, J: Array, rate: Array) -> Array:
    """The same as `reaction`, with impulses of the constraint rows J, whose rates become zero.

    `rate`: the rows' rates before the impulse, J u plus what moving targets contribute.
    """
    free, change = np.setdiff1d(np.arange(len(H)), given), reaction(H, given, change)
    gain = np.linalg.solve(H[np.ix_(free, free)], J[:, free].T)
    impulse = np.linalg.lstsq(J[:, free] @ gain, -(rate + J @ change), rcond=_SMALL)[0]
    change[free] += gain @ impulse
    return change


def relative_jacobian(model: Model, state: State, endpoint: str, other: str) -> Array:
    """(3, nv) Jacobian of the velocity of `other` relative to the body of `endpoint`, at the place of `other`."""
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
    """The state just after an impact; unchanged if the bodies already part.

    `held`: joints that keep their rates; `attached`: inertias that elements attach to bodies; `rows`: J and rates of
    constraint rows, which react with impulses.
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
    """Event of one contact point: element, words, impulse (3) [N s], place (3) [m], delay after the impact [s]."""

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
        Rates u after the impulses.
    lost : {int: float}
        Energy that each element dissipated, by its number [J].
    joint_works : (nv,)
        Work of the actuators of given joints [J].
    element_works : {int: float}
        Work of loops with moving places, by the element's number [J].
    events : list of ContactEvent
    """

    rates: Array
    lost: dict[int, float]
    joint_works: Array
    element_works: dict[int, float]
    events: list[ContactEvent]


class Braking(NamedTuple):
    """Time and travel to bring joints to rest by a constant deceleration, with the pose and inertia of the catch.

    Attributes
    ----------
    time : float
        Shortest time that the joints' `max_force` allows [s]; beyond all bounds if a joint that must brake has none.
    travel : dict of float
        Travel of each joint until then [rad, m]; the largest of a joint with several coordinates.
    room : dict of float
        Distance to the joint's limit in that direction [rad, m].
    """

    time: float
    travel: dict[str, float]
    room: dict[str, float]

    @property
    def too_far(self) -> list[str]:
        """Joints that reach their limits before they are at rest."""
        return [joint for joint, travel in self.travel.items() if travel > self.room[joint]]


def braking(
    model: Model, state: State, arm: Sequence[str], held: Iterable[str], attached: Sequence[Any] = ()
) -> Braking:
    """How an arm can come to rest, while the base and other joints react freely and `held` joints keep their rates."""
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
    """Message that an arm cannot stop what it has caught; None if it can."""
    if not found.too_far:
        return None
    worst = max(found.too_far, key=lambda name: found.travel[name] - found.room[name])
    return (
        f"what joint '{joint}' holds now is faster than the arm can stop: with max_force it takes {found.time:.3g} s, "
        f"in which joint '{worst}' goes on by {found.travel[worst]:.3g}, and its limit is {found.room[worst]:.3g} away "
        f"(max_force {limits[worst]:.3g})"
    )
