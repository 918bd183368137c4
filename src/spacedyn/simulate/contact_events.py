"""Events of rigid contact: impulses where points touch, then the modes open, sticking or sliding of all points.

All points that approach at one instant are solved together; others that touch may be hit next, as in Newton's cradle,
until none approaches any more. Then forces and accelerations of all points that stay decide about their modes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.elements.rigid_contact import AWRY, CREEP, DRAG, OPEN, SLIDE, STICK, STOPPED
from ..model.state import State
from .friction_cones import Solution, solve_cones
from .impact_laws import ImpactLaw, impulse_of
from .impacts import Change, ContactEvent, whole_mass_matrix
from .stepper.contact_values import (
    ContactPoint,
    Probe,
    contact_points,
    forces_of,
    gap_of,
    held_of,
    mode_of,
    probe,
    set_mode,
    surface_frame,
)

Array = np.ndarray
_NEAR = 1e-9  # [m]: points nearer than that touch
_SLOW = 1e-10  # [m/s]: slower ones do not part
_AT_REST = 1e-8  # [m/s]: slower ones do not slip: friction stops them within nanoseconds
_LOW = 1e-11  # [m]: bounces that rise less end in rest
_STEPS_AHEAD, _ASK_AGAIN = 10.0, 1000.0  # times that friction takes to stop slow slip
_NEVER = 1e9  # [s]
_FEW_SWEEPS = 20  # where points drag anyway that may stick
_ROUNDS = 200  # of impacts at one instant; then all that touch come to rest together
_WEAK = 1e-13  # of the greatest force: none
_WORDS = {OPEN: "lets go", STICK: "sticks", SLIDE: "slides", CREEP: "slides", DRAG: "slides"}  # of events


def mobility(state: State, seen: Probe) -> Array:
    """(nv, nv) change of rates by unit impulses: of rates that are free, with loops closed."""
    H, free = whole_mass_matrix(state.model, state, seen.attached), np.flatnonzero(seen.free)
    X = np.zeros_like(H)
    X[np.ix_(free, free)] = np.linalg.inv(H[np.ix_(free, free)])
    if len(seen.J_loops):
        K = X @ seen.J_loops.T
        X = X - K @ np.linalg.pinv(seen.J_loops @ K, rcond=1e-10, hermitian=True) @ K.T
    return X


def touching(stepper: Any) -> list[ContactPoint]:
    """Points that are closed, or so near that they touch."""
    stepper.evaluate()
    return [one for one in contact_points(stepper) if mode_of(stepper, one) != OPEN or gap_of(stepper, one) < _NEAR]


class SlowSlips(NamedTuple):
    """What points that slip slowly did before.

    Attributes
    ----------
    lines : list of (2,) or None
        Of points that creep on: the tangential direction that they hold.
    doubtful : (n,) bool
        Points that drag, and those that crept and have stopped, or do not keep to their direction any more.
    """

    lines: list[Array | None]
    doubtful: Array


def slow_slips(stepper: Any, points: Sequence[ContactPoint], seen: Probe, before: Sequence[Any]) -> SlowSlips:
    """By the modes of points, and what they held, before they were probed."""
    found = SlowSlips([None] * len(points), np.zeros(len(points), dtype=bool))
    for i, (one, (mode, held)) in enumerate(zip(points, before, strict=True)):
        if mode == CREEP:
            line, slip = seen.axes[i, 1:] @ surface_frame(stepper, one)[1] @ held, seen.velocity[i, 1:]
            across = float(np.linalg.norm(slip - (slip @ line) * line))
            found.doubtful[i] = slip @ line <= 0.0 or across > 0.9 * AWRY * one.element.slow_slip
            found.lines[i] = None if found.doubtful[i] else line
        found.doubtful[i] |= mode == DRAG
    return found


def friction_directions(points: Sequence[ContactPoint], seen: Probe, slow: SlowSlips) -> list[Array | None]:
    """(2,) tangential friction, reversed, over its limit; None of points that do not slip."""
    found: list[Array | None] = []
    for i, one in enumerate(points):
        slip = seen.velocity[i, 1:]
        speed = float(np.linalg.norm(slip))
        if speed <= _AT_REST:
            found.append(None)
        elif slow.lines[i] is not None:
            found.append(slow.lines[i])
        else:
            found.append(slip / (np.hypot(speed**2, one.element.slow_slip**2) ** 0.5 if slow.doubtful[i] else speed))
    return found


def time_to_stop(W: Array, points: Sequence[ContactPoint], seen: Probe) -> float:
    """How long friction takes at most to stop what is slow, if it can [s]."""
    own, falls = np.diag(W).reshape(-1, 3), np.maximum(-seen.acceleration[:, 0], 0.0)
    mu = np.array([one.element.friction for one in points])
    brakes = float((mu * falls * own[:, 1:].max(axis=1) / own[:, 0]).max(initial=0.0))
    return max(one.element.slow_slip for one in points) / brakes if brakes > 0.0 else _NEVER


def strike(
    stepper: Any,
    points: Sequence[ContactPoint],
    seen: Probe,
    names: Sequence[str],
    slow: SlowSlips,
) -> Change | None:
    """Impulses of all points that approach; None if none does."""
    if not np.any(seen.velocity[:, 0] < -_SLOW):
        return None
    state = stepper.state()
    X = mobility(state, seen)
    W, n = seen.J @ X @ seen.J.T, len(points)
    v, total = seen.velocity.reshape(-1).copy(), np.zeros(3 * n)
    lost, rests = {one.number: 0.0 for one in points}, np.full(n, -1.0)
    laws = [ImpactLaw(one.element.restitution, one.element.friction, one.element.restitution_law) for one in points]
    felt = felt_accelerations(W, points, seen, friction_directions(points, seen, slow))
    for count in range(_ROUNDS + 1):
        hit = np.flatnonzero(v[::3] < -_SLOW)
        if not hit.size:
            break
        last = count == _ROUNDS
        if last:
            hit = np.arange(n)
        now = list(laws)
        for i in hit.tolist():
            left = time_to_rest(laws[i], v[3 * i], float(felt[i]))
            if left is not None or last:
                rests[i], now[i] = left or 0.0, laws[i]._replace(restitution=0.0)
        places = (3 * hit[:, None] + np.arange(3)).ravel()
        p = impact_impulses(W[np.ix_(places, places)], v[places], [now[i] for i in hit])
        pushed = np.zeros(3 * n)
        pushed[places] = p
        v, total = push(W, v, pushed, points, lost), total + pushed
    struck = np.any(total.reshape(n, 3) != 0.0, axis=1)
    held = hold_low(W, v, felt)
    v, total = push(W, v, held, points, lost), total + held
    events = []
    for i, one in enumerate(points):
        if struck[i]:
            impulse, name = total[3 * i : 3 * i + 3] @ seen.axes[i], names[one.number]
            events.append(ContactEvent(name, f"impact of {one.label}", impulse, seen.place[i]))
            if rests[i] >= 0.0 and abs(v[3 * i]) <= _SLOW:
                events.append(ContactEvent(name, f"{one.label} comes to rest", np.zeros(3), seen.place[i], rests[i]))
    return Change(state.u + X @ (seen.J.T @ total), lost, events)


def push(W: Array, v: Array, p: Array, points: Sequence[ContactPoint], lost: dict[int, float]) -> Array:
    """Velocities (3 n,) after impulses (3 n,); what these take is added to what elements have `lost`, by numbers."""
    after = v + W @ p
    works = (0.5 * p * (v + after)).reshape(-1, 3).sum(axis=1)
    for one, work in zip(points, works.tolist(), strict=True):
        lost[one.number] -= work
    return after


def felt_accelerations(
    W: Array, points: Sequence[ContactPoint], seen: Probe, directions: Sequence[Array | None]
) -> Array:
    """(n,) normal accelerations of all points, with the forces of those that neither approach nor part."""
    stay = np.flatnonzero(np.abs(seen.velocity[:, 0]) <= _SLOW)
    found = seen.acceleration[:, 0].copy()
    if stay.size:
        rows, solved = held_together(W, points, seen.acceleration, stay.tolist(), directions)
        others = np.setdiff1d(np.arange(len(points)), stay)  # a point that stays would fall by itself
        found[others] += W[np.ix_(3 * others, rows)] @ solved.p.reshape(-1)
    return found


def held_together(
    W: Array,
    points: Sequence[ContactPoint],
    acceleration: Array,
    stay: Sequence[int],
    directions: Sequence[Array | None],
    sweeps: int | None = None,
) -> tuple[Array, Solution]:
    """Rows of some points, and their forces and accelerations; `acceleration` (n, 3) is that without the forces."""
    rows = (3 * np.array(stay)[:, None] + np.arange(3)).ravel()
    mu = np.array([points[i].element.friction for i in stay])
    return rows, solve_cones(W[np.ix_(rows, rows)], acceleration.reshape(-1)[rows], mu, [directions[i] for i in stay], sweeps)


def time_to_rest(law: ImpactLaw, speed: float, acceleration: float) -> float | None:
    """When a point whose next bounce is too low comes to rest, by the sum of all bounces [s]; None if it is not."""
    after = -law.restitution * speed
    if acceleration >= 0.0 or after * after >= -2.0 * acceleration * _LOW:
        return None
    left = -2.0 * after / acceleration
    return left / (1.0 - law.restitution) if law.restitution < 1.0 else 0.0


def hold_low(W: Array, v: Array, felt: Array) -> Array:
    """(3 n,) impulses that keep points on the ground which others' impacts have lifted too slowly to rise.

    Two pressed points would else lift each other in turn, without end. Those that rest and do not slip go on doing so.
    """
    rises, p = v[::3], np.zeros_like(v)
    low = (rises > _SLOW) & (felt < 0.0) & (rises * rises < -2.0 * felt * _LOW)
    if low.any():
        held = low | (np.abs(rises) <= _SLOW)
        p = impulses_to_rest(W, v, held, held & (np.hypot(v[1::3], v[2::3]) <= _SLOW))
    return p


def impulses_to_rest(W: Array, v: Array, held: Array, sticks: Array) -> Array:
    """(3 n,) impulses after which some points (n,) do not part, and some do not slip."""
    rows, p = np.flatnonzero(np.column_stack([held, sticks, sticks]).ravel()), np.zeros_like(v)
    p[rows] = -np.linalg.pinv(W[np.ix_(rows, rows)], rcond=1e-10, hermitian=True) @ v[rows]
    return p


def bring_to_rest(stepper: Any, points: Sequence[ContactPoint], seen: Probe, stops: Array) -> Change | None:
    """Stop the slip of some points (n,), as far as the others' motion lets them; None if there is none.

    Friction needs nano- or microseconds for that; steps through them would be hardly longer than the shortest one.
    """
    held = np.abs(seen.velocity[:, 0]) <= _SLOW
    stops = held & stops & np.array([one.element.friction > 0.0 for one in points])
    if not np.any(stops & (slip_speeds(seen) > 0.5 * STOPPED)):
        return None
    state = stepper.state()
    X, v = mobility(state, seen), seen.velocity.reshape(-1)
    W = seen.J @ X @ seen.J.T
    p, lost = impulses_to_rest(W, v, held, stops), {one.number: 0.0 for one in points}
    push(W, v, p, points, lost)
    return Change(state.u + X @ (seen.J.T @ p), lost, [])


def slip_speeds(seen: Probe) -> Array:
    """(n,) how fast points slip [m/s]."""
    found: Array = np.linalg.norm(seen.velocity[:, 1:], axis=1)
    return found


def speed_of_rest(seen: Probe) -> float:
    """How fast points slip that count as resting, with room for what rows shift from one to another [m/s]."""
    slips = slip_speeds(seen)
    return STOPPED + 4.0 * float(slips[slips <= _AT_REST].max(initial=0.0))


def impact_impulses(W: Array, v: Array, laws: Sequence[ImpactLaw]) -> Array:
    """Impulses of points that approach together; for several, restitution is lowered where it would gain energy."""
    if len(laws) == 1:
        return impulse_of(W, v, laws[0])
    mu = np.array([law.friction for law in laws])
    anywhere: list[Array | None] = [None] * len(laws)

    def solved(part: float) -> Array:
        if all(law.name == "newton" for law in laws):
            b = v.copy()
            b[::3] *= 1.0 + part * np.array([law.restitution for law in laws])
            return solve_cones(W, b, mu, anywhere).p.reshape(-1)
        first = solve_cones(W, v, mu, anywhere).p.reshape(-1)
        push = np.zeros_like(v)
        push[::3] = part * np.array([law.restitution for law in laws]) * first[::3]
        p = first + push
        return p + solve_cones(W, v + W @ p, mu, anywhere).p.reshape(-1)

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


def choose_modes(
    stepper: Any, points: Sequence[ContactPoint], seen: Probe, slow: SlowSlips
) -> list[tuple[ContactPoint, float, Array, float]]:
    """The mode of each point that touches; where it sticks, or its direction of slip, in the surface's frame.

    At last when it asks again, if it drags. Doubtful points stick if one implicit step, ten times as long as slow slip
    takes to stop, stops them: slip that the motion of bodies makes goes on through it.
    """
    stay = [i for i in range(len(points)) if seen.velocity[i, 0] <= _SLOW]
    found = [(one, float(OPEN), np.zeros(3), 0.0) for one in points]
    if not stay:
        return found
    X, directions, a = mobility(stepper.state(), seen), friction_directions(points, seen, slow), seen.acceleration.copy()
    W = seen.J @ X @ seen.J.T
    time = time_to_stop(W, points, seen)
    for i in np.flatnonzero(slow.doubtful):
        directions[i], a[i, 1:] = None, a[i, 1:] + seen.velocity[i, 1:] / (_STEPS_AHEAD * time)
    _, solved = held_together(W, points, a, stay, directions, _FEW_SWEEPS if slow.doubtful.any() else None)
    most = float(solved.p[:, 0].max(initial=0.0))
    for k, i in enumerate(stay):
        if solved.p[k, 0] > _WEAK * most:
            one, slip = points[i], seen.velocity[i, 1:]
            mode, along = _mode_from_rest(solved, k, one.element.friction)
            speed, soon = np.linalg.norm(slip), _STEPS_AHEAD * time * np.linalg.norm(solved.v[k, 1:])
            if directions[i] is not None or (mode == CREEP and speed > 1.5 * one.element.slow_slip):
                mode, along = _mode_of_slip(one, slip, slow.lines[i])
            elif mode == CREEP and slow.doubtful[i] and (speed > _AT_REST or soon < one.element.slow_slip):
                mode = DRAG
            origin, S = surface_frame(stepper, one)
            held = seen.place[i] - origin if mode == STICK else along @ seen.axes[i, 1:]
            found[i] = one, float(mode), S.T @ held, stepper.time + _ASK_AGAIN * time
    return found


def _mode_of_slip(one: ContactPoint, slip: Array, line: Array | None) -> tuple[float, Array]:
    """Whether a point that slips slides or creeps, and which direction of its tangents it holds."""
    speed = float(np.linalg.norm(slip))
    if speed > 1.5 * one.element.slow_slip or one.element.friction == 0.0:
        return float(SLIDE), slip / speed
    return float(CREEP), slip / speed if line is None else line


def _mode_from_rest(solved: Solution, k: int, mu: float) -> tuple[float, Array]:
    """Whether a point that is pressed and does not slip sticks or begins to slide, and in which direction."""
    p, a = solved.p[k], solved.v[k, 1:]
    rubs = float(np.hypot(p[1], p[2]))
    if mu > 0.0 and rubs < mu * p[0] * (1.0 - 1e-9):
        return float(STICK), np.zeros(2)
    along = -p[1:] if rubs > 0.0 else a  # against friction: where that nearly holds it, accelerations are rounding
    length = float(np.linalg.norm(along))
    return float(CREEP if mu > 0.0 else SLIDE), along / length if length > 0.0 else np.zeros(2)


def agree_with_rows(stepper: Any, points: Sequence[ContactPoint], seen: Probe, doubtful: Array) -> None:
    """Let go what the rows would pull, and slip what they would hold too strongly, as their guards would.

    Where more points touch than forces are determinate, modes may have been chosen by other forces than the least ones.
    """
    for _ in range(2 * len(points)):
        stepper.forget_rows()
        stepper.evaluate()
        forces = [forces_of(stepper, one) for one in points]
        near = 1e-9 * max((abs(force[0]) for force in forces), default=0.0)
        rooms = []
        for one, force in zip(points, forces, strict=True):
            mode, mu = mode_of(stepper, one), one.element.friction
            rooms.append(
                0.0 if mode == OPEN else min(force[0], mu * force[0] - np.hypot(*force[1:]) if mode == STICK else 0.0)
            )
        worst = int(np.argmin(rooms)) if rooms else 0
        if not rooms or rooms[worst] >= -near:
            return
        one, force = points[worst], forces[worst]
        if force[0] < -near:
            set_mode(stepper, one, OPEN)
            continue
        _, S = surface_frame(stepper, one)
        along = -force[1:] @ seen.axes[worst, 1:] / np.hypot(*force[1:])
        again = float(stepper.element_states(one.number)[5 * one.element.many + one.point, 0])
        set_mode(stepper, one, DRAG if doubtful[worst] else CREEP, S.T @ along, speed_of_rest(seen), again)


def _stop(stepper: Any, points: list[ContactPoint], seen: Probe, stops: Array, book: Any) -> Probe:
    """Points after some of them (n,) have been brought to rest."""
    change = bring_to_rest(stepper, points, seen, stops)
    if change is None:
        return seen
    book(change)
    return probe(stepper, points)


def settle_contacts(stepper: Any, names: Sequence[str], book: Any) -> list[ContactEvent]:
    """All that rigid contact does where a stepper stands; `book` takes the rates after impulses and what was lost."""
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
        parts = (seen.J @ (change.rates - stepper_rates) + seen.velocity.reshape(-1))[::3] > _SLOW
        if parts.all():  # a bounce: all are open already
            for one in points:
                set_mode(stepper, one, OPEN)
            points = []
        seen = probe(stepper, points) if points else seen
        slow = SlowSlips([None] * len(points), np.zeros(len(points), dtype=bool))
    if points:
        seen = _stop(stepper, points, seen, slip_speeds(seen) <= _AT_REST, book)
    chosen = choose_modes(stepper, points, seen, slow) if points else []
    if slow.doubtful.any():
        seen = _stop(stepper, points, seen, slow.doubtful & np.array([mode == STICK for _, mode, _, _ in chosen]), book)
    for (one, mode, held, again), (was, where) in zip(chosen, before, strict=False):
        place = where if change is None and mode == was == STICK else held
        set_mode(stepper, one, mode, place, speed_of_rest(seen), again)
    agree_with_rows(stepper, points, seen, slow.doubtful)
    for one, (was, _), place in zip(points, before, seen.place, strict=False):
        words = _WORDS[int(mode_of(stepper, one))]
        if words != _WORDS[int(was)] and change is None:
            events.append(ContactEvent(names[one.number], f"{one.label} {words}", np.zeros(3), place))
    stepper.forget_rows()
    stepper.forget_stage()
    return events
