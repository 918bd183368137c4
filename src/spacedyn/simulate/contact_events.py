"""Events of rigid contact: impulses where points touch, then a new mode (open, sticking, sliding) for each point.

All points that approach at one instant are solved together. Their impulses may make other touching points approach,
as in Newton's cradle; those are solved next, until no point approaches. Then the forces and accelerations of the
points that stay in contact decide their modes (contact_modes.py).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.elements.rigid_contact import CREEP, DRAG, OPEN, SLIDE, STICK, STOPPED
from ..model.state import State
from .contact_modes import (
    AT_REST,
    PARTING,
    SlowSlips,
    agree_with_rows,
    choose_modes,
    friction_directions,
    held_together,
    mobility,
    slip_speeds,
    slow_slips,
    spare_where_needed,
    speed_of_rest,
)
from .friction_cones import expand, solve_cones
from .impact_laws import ImpactLaw, impulse_of
from .impacts import Change, ContactEvent, whole_mass_matrix
from .row_roots import least_impulses
from .stepper.contact_values import (
    ContactPoint,
    Probe,
    contact_points,
    gap_of,
    held_of,
    mode_of,
    place_of,
    probe,
    rounding_of,
    set_mode,
)

Array = np.ndarray
_NEAR = 1e-9  # [m]: points with a smaller gap touch
_MOVED = 1e3  # times _NEAR: a closed point with a larger gap was moved by the action of an event
_LOW = 1e-11  # [m]: lower bounces end in rest; so do those lower than _HIDDEN times the rounding of the gap
_HIDDEN = 4.0  # times the rounding error of a gap
_BENT = 1e-10  # of v^2 over the element's length: smaller accelerations, from curved surfaces, are rounding
_HARDLY = 1e3  # times the impulse that stops a lone point: friction does not give more within nanoseconds
_ROUNDS = 200  # of impacts at one instant; after these, all touching points come to rest together
_WORDS = {OPEN: "lets go", STICK: "sticks", SLIDE: "slides", CREEP: "slides", DRAG: "slides"}  # of events


def touching(stepper: Any) -> list[ContactPoint]:
    """Points that are closed, or whose gap is so small that they touch."""
    stepper.evaluate()
    state = stepper.state()
    near = [max(_NEAR, 2.0 * rounding_of(state, one, place_of(stepper, one))) for one in contact_points(stepper)]
    found = []
    for one, gap in zip(contact_points(stepper), near, strict=True):
        depth = -gap_of(stepper, one)
        if depth > _MOVED * (gap + one.element.skin):
            raise InputError(
                f"the action of an event has put {one.label} of '{one.element.label}' {depth:.3g} m deep into its "
                "surface, which is rigid; return a state outside of it"
            )
        if -depth < (gap if mode_of(stepper, one) == OPEN else _MOVED * gap):
            found.append(one)
    return found


def strike(
    stepper: Any,
    points: Sequence[ContactPoint],
    seen: Probe,
    names: Sequence[str],
    slow: SlowSlips,
) -> Change | None:
    """Impulses of all points that approach; None if none does."""
    if not np.any(seen.velocity[:, 0] < -PARTING):
        return None
    state = stepper.state()
    Y, n = mobility(state, seen), len(points)
    A = (seen.J @ Y).T
    W = A.T @ A
    v, total = seen.velocity.reshape(-1).copy(), np.zeros(3 * n)
    lost, rests = {one.number: 0.0 for one in points}, np.full(n, -1.0)
    laws = [ImpactLaw(one.element.restitution, one.element.friction, one.element.restitution_law) for one in points]
    low = np.maximum(_LOW, _HIDDEN * seen.rounding)
    felt = felt_accelerations(A, points, seen, friction_directions(points, seen, slow))
    for count in range(_ROUNDS + 1):
        hit = np.flatnonzero(v[::3] < -PARTING)
        if not hit.size:
            break
        last = count == _ROUNDS
        if last:
            hit = np.arange(n)
        now = list(laws)
        for i in hit.tolist():
            left = time_to_rest(laws[i], v[3 * i], float(felt[i]), float(low[i]))
            if left is not None or last:
                rests[i], now[i] = left or 0.0, laws[i]._replace(restitution=0.0)
        places = (3 * hit[:, None] + np.arange(3)).ravel()
        p = impact_impulses(A[:, places], v[places], [now[i] for i in hit])
        pushed = np.zeros(3 * n)
        pushed[places] = p
        v, total = push(W, v, pushed, points, lost), total + pushed
    struck = np.any(total.reshape(n, 3) != 0.0, axis=1)
    held = hold_low(A, v, felt, low)
    v, total = push(W, v, held, points, lost), total + held
    events = []
    for i, one in enumerate(points):
        if struck[i]:
            impulse, name = total[3 * i : 3 * i + 3] @ seen.axes[i], names[one.number]
            events.append(ContactEvent(name, f"impact of {one.label}", impulse, seen.place[i]))
            if rests[i] >= 0.0 and abs(v[3 * i]) <= PARTING:
                events.append(ContactEvent(name, f"{one.label} comes to rest", np.zeros(3), seen.place[i], rests[i]))
    return changed(state, seen, Y @ (A @ total), total, lost, events)


def push(W: Array, v: Array, p: Array, points: Sequence[ContactPoint], lost: dict[int, float]) -> Array:
    """Velocities (3 n,) after impulses p (3 n,); the energy these take is added to `lost`, by the element's number."""
    after = v + W @ p
    works = (0.5 * p * (v + after)).reshape(-1, 3).sum(axis=1)
    for one, work in zip(points, works.tolist(), strict=True):
        lost[one.number] -= work
    return after


def felt_accelerations(
    A: Array, points: Sequence[ContactPoint], seen: Probe, directions: Sequence[Array | None]
) -> Array:
    """(n,) normal accelerations of all points, under the forces of those points that neither approach nor part."""
    stay = np.flatnonzero(np.abs(seen.velocity[:, 0]) <= PARTING)
    found = seen.acceleration[:, 0].copy()
    if stay.size:
        rows, solved = held_together(A, points, seen.acceleration, stay.tolist(), directions)
        others = np.setdiff1d(np.arange(len(points)), stay)  # own forces do not count for points in `stay`
        found[others] += A[:, 3 * others].T @ (A[:, rows] @ solved.p.reshape(-1))
    square, lengths = np.sum(seen.velocity**2, axis=1), np.array([one.element.length for one in points])
    return np.where(np.abs(found) > _BENT * square / lengths, found, 0.0)


def time_to_rest(law: ImpactLaw, speed: float, acceleration: float, low: float = _LOW) -> float | None:
    """Time until a point comes to rest, the sum of all its further bounces [s]; None if its next bounce is not low."""
    after = -law.restitution * speed
    if acceleration >= 0.0 or after * after >= -2.0 * acceleration * low:
        return None
    left = -2.0 * after / acceleration
    return left / (1.0 - law.restitution) if law.restitution < 1.0 else 0.0


def hold_low(A: Array, v: Array, felt: Array, low: Array) -> Array:
    """(3 n,) impulses that stop points whose lift-off, caused by impacts at other points, is too slow to rise.

    Otherwise two pressed points would lift each other in turn without end. Resting points that do not slip stay so.
    """
    rises, p = v[::3], np.zeros_like(v)
    lifted = (rises > PARTING) & (felt < 0.0) & (rises * rises < -2.0 * felt * low)
    if lifted.any():
        held = lifted | (np.abs(rises) <= PARTING)
        p = impulses_to_rest(A, v, held, held & (np.hypot(v[1::3], v[2::3]) <= PARTING))
    return p


def impulses_to_rest(A: Array, v: Array, held: Array, sticks: Array) -> Array:
    """(3 n,) impulses after which the points `held` (n,) do not part, and the points `sticks` (n,) do not slip."""
    rows, p = np.flatnonzero(np.column_stack([held, sticks, sticks]).ravel()), np.zeros_like(v)
    if rows.size:
        p[rows] = least_impulses(A, v, rows, np.eye(len(v))[:, rows])[0]
    return p


def points_at_rest(stepper: Any, points: Sequence[ContactPoint], seen: Probe) -> Array:
    """(n,) points that slip so slowly that friction stops them within nanoseconds.

    Friction cannot do so where points nearly fix each other, as feet at a nearly fixed distance do: an impulse that
    stopped their slip would also stop the rocking of the body. Then the fastest of them is not counted as at rest.
    """
    slips = slip_speeds(seen)
    rests, held = slips <= AT_REST, np.abs(seen.velocity[:, 0]) <= PARTING
    rubbed = held & np.array([one.element.friction > 0.0 for one in points])
    if not np.any(rests & rubbed & (slips > 0.5 * STOPPED)):
        return rests
    A = (seen.J @ mobility(stepper.state(), seen)).T
    own = np.sum(A * A, axis=0).reshape(-1, 3)[:, 1:].max(axis=1)
    while True:
        p = impulses_to_rest(A, seen.velocity.reshape(-1), held, rubbed & rests).reshape(-1, 3)
        hardly = rests & (np.hypot(p[:, 1], p[:, 2]) * own > _HARDLY * AT_REST)
        if not hardly.any():
            return rests
        rests[int(np.argmax(np.where(hardly, slips, -1.0)))] = False


def bring_to_rest(stepper: Any, points: Sequence[ContactPoint], seen: Probe, stops: Array) -> Change | None:
    """Stop the slip of the points `stops` (n,), as far as the motion of the others allows; None if nothing slips.

    Friction stops them within nano- or microseconds, which steps could hardly resolve: an impulse does it at once.
    """
    held = np.abs(seen.velocity[:, 0]) <= PARTING
    stops = held & stops & np.array([one.element.friction > 0.0 for one in points])
    if not np.any(stops & (slip_speeds(seen) > 0.5 * STOPPED)):
        return None
    state = stepper.state()
    Y, v = mobility(state, seen), seen.velocity.reshape(-1)
    A = (seen.J @ Y).T
    p, lost = impulses_to_rest(A, v, held, stops), {one.number: 0.0 for one in points}
    push(A.T @ A, v, p, points, lost)
    return changed(state, seen, Y @ (A @ p), p, lost, [])


def changed(
    state: State, seen: Probe, change: Array, p: Array, lost: dict[int, float], events: list[ContactEvent]
) -> Change:
    """The result of contact impulses p (3 n,) that change rates by `change`, with the work of prescribed motions.

    Impulses do not change the rates of given joints and moving loop places, so their work is impulse times rate.
    """
    joints, loops = np.zeros_like(change), dict.fromkeys(seen.owners, 0.0)
    if loops or not seen.free.all():
        left = whole_mass_matrix(state.model, state, seen.attached) @ change - seen.J.T @ p
        if loops:
            r = np.linalg.lstsq(seen.J_loops[:, seen.free].T, left[seen.free], rcond=None)[0]
            left -= seen.J_loops.T @ r
            for owner, work in zip(seen.owners, (r * (seen.J_loops @ state.u)).tolist(), strict=True):
                loops[owner] += work
        joints = np.where(seen.free, 0.0, left * state.u)
    return Change(state.u + change, lost, joints, loops, events)


def impact_impulses(A: Array, v: Array, laws: Sequence[ImpactLaw]) -> Array:
    """Impulses of points that approach together; with several, restitution is lowered where it would add energy."""
    W = A.T @ A
    if len(laws) == 1:
        return impulse_of(W, v, laws[0])
    mu = np.array([law.friction for law in laws])
    anywhere: list[Array | None] = [None] * len(laws)

    def solved(part: float) -> Array:
        if all(law.name == "newton" for law in laws):
            b = v.copy()
            b[::3] *= 1.0 + part * np.array([law.restitution for law in laws])
            return solve_cones(W, b, mu, anywhere, root=A).p.reshape(-1)
        first = solve_cones(W, v, mu, anywhere, root=A).p.reshape(-1)
        least = part * np.array([law.restitution for law in laws]) * first[::3]
        return first + expand(W, v + W @ first, mu, least)

    def gained(p: Array) -> float:
        return float(p @ (v + 0.5 * W @ p))

    p = solved(1.0)
    if gained(p) <= 1e-13 * abs(float(p @ v)):
        return p
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gained(solved(middle)) <= 0.0 else (low, middle)
    return solved(low)


def _stop(stepper: Any, points: list[ContactPoint], seen: Probe, stops: Array, book: Any) -> Probe:
    """Bring the points `stops` (n,) to rest, book it, and probe all points again."""
    change = bring_to_rest(stepper, points, seen, stops)
    if change is None:
        return seen
    book(change)
    return probe(stepper, points)


def settle_contacts(stepper: Any, names: Sequence[str], book: Any) -> list[ContactEvent]:
    """Apply all impulses of rigid contact at a stepper's present state, then choose modes; `book` applies a Change."""
    points = touching(stepper)
    before = [(mode_of(stepper, one), held_of(stepper, one)) for one in points]
    seen = probe(stepper, points)
    slow = slow_slips(stepper, points, seen, before)
    stepper_rates = stepper.state().u
    change = strike(stepper, points, seen, names, slow) if points else None
    events = []
    if change is not None:
        book(change)
        events = change.events
        parts = (seen.J @ (change.rates - stepper_rates) + seen.velocity.reshape(-1))[::3] > PARTING
        if parts.all():  # a bounce: all are open already
            for one in points:
                set_mode(stepper, one, OPEN)
            points = []
        seen = probe(stepper, points) if points else seen
        slow = SlowSlips([None] * len(points), np.zeros(len(points), dtype=bool), slip_speeds(seen) <= AT_REST)
    if points:
        slow = slow._replace(rests=points_at_rest(stepper, points, seen))
        seen = _stop(stepper, points, seen, slow.rests, book)
    chosen = choose_modes(stepper, points, seen, slow) if points else []
    if slow.doubtful.any():
        seen = _stop(stepper, points, seen, np.array([mode == STICK for _, mode, _, _ in chosen]), book)
    for (one, mode, held, again), (was, where) in zip(chosen, before, strict=False):
        place = where if change is None and mode == was == STICK else held
        set_mode(stepper, one, mode, place, speed_of_rest(seen, slow.rests), again)
    spare_where_needed(stepper, points)
    agree_with_rows(stepper, points, seen, slow)
    for one, (was, _), place in zip(points, before, seen.place, strict=False):
        words = _WORDS[int(mode_of(stepper, one))]
        if words != _WORDS[int(was)] and change is None:
            events.append(ContactEvent(names[one.number], f"{one.label} {words}", np.zeros(3), place))
    stepper.forget_rows()
    stepper.forget_stage()
    return events
