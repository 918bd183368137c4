"""Modes of points in rigid contact: open, stick, slide, and two modes of slow slip, creep and drag.

A point that slides more slowly than `slow_slip` creeps: its direction of slip is frozen, so that it stops at the right
place. If it then stops without sticking, or turns aside, the bodies that carry it move it, as the feet of a rocking
lander spread. Such a point drags: its friction is proportional to its slip, which bounds the stiffness of turning
slip. From time to time one implicit step, longer than friction needs to stop slow slip, decides whether it sticks.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.elements.rigid_contact import AWRY, CREEP, DRAG, OPEN, SLIDE, STICK, STOPPED
from ..model.state import State
from .friction_cones import AT_LIMIT, CLEAR, Solution, exceed, solve_cones, try_cones
from .impacts import whole_mass_matrix
from .row_roots import independent_columns
from .stepper.contact_values import (
    ContactPoint,
    Probe,
    again_of,
    forces_of,
    mode_of,
    set_mode,
    spare_friction,
    surface_frame,
)

Array = np.ndarray
PARTING = 1e-10  # [m/s]: points with a lower normal speed do not part
AT_REST = 1e-8  # [m/s]: points that slip more slowly are at rest, if friction can stop them within nanoseconds
_STEPS_AHEAD = 10.0  # length of the implicit step, in units of `time_to_stop`
_ASK_AGAIN = 3000.0  # time that a point drags before the next implicit step, in units of `time_to_stop`
_NEVER = 1e9  # [s]
_WEAK = 1e-13  # of the greatest force: a smaller force is zero


def mobility(state: State, seen: Probe) -> Array:
    """Root Y (nv, k) of the inverse inertia: Y Y' is the change of rates per impulse; given joints and loops hold."""
    H, free = whole_mass_matrix(state.model, state, seen.attached), np.flatnonzero(seen.free)
    Y = np.zeros((len(H), free.size))
    Y[free] = np.linalg.inv(np.linalg.cholesky(H[np.ix_(free, free)])).T
    if len(seen.J_loops):
        Q = independent_columns(Y.T @ seen.J_loops.T)[1]
        Y = Y - (Y @ Q) @ Q.T
    return Y


def slip_speeds(seen: Probe) -> Array:
    """(n,) how fast points slip [m/s]."""
    found: Array = np.linalg.norm(seen.velocity[:, 1:], axis=1)
    return found


def speed_of_rest(seen: Probe, rests: Array) -> float:
    """Slip below which the points `rests` (n,) count as resting [m/s], with a margin for slip that rows shift."""
    return STOPPED + 4.0 * float(slip_speeds(seen)[rests].max(initial=0.0))


class SlowSlips(NamedTuple):
    """Former behaviour of the points that slip slowly.

    Attributes
    ----------
    lines : list of (2,) or None
        Frozen direction of slip of each point that goes on creeping; None of all others.
    doubtful : (n,) bool
        Points that drag, and points that crept and have stopped or left their direction.
    rests : (n,) bool
        Points that count as resting.
    """

    lines: list[Array | None]
    doubtful: Array
    rests: Array


def slow_slips(stepper: Any, points: Sequence[ContactPoint], seen: Probe, before: Sequence[Any]) -> SlowSlips:
    """Classify slow slip by each point's mode and held direction `before` it was probed."""
    found = SlowSlips([None] * len(points), np.zeros(len(points), dtype=bool), slip_speeds(seen) <= AT_REST)
    for i, (one, (mode, held)) in enumerate(zip(points, before, strict=True)):
        if mode == CREEP:
            line, slip = seen.axes[i, 1:] @ surface_frame(stepper, one)[1] @ held, seen.velocity[i, 1:]
            across = float(np.linalg.norm(slip - (slip @ line) * line))
            found.doubtful[i] = slip @ line <= 0.0 or across > 0.9 * AWRY * one.element.slow_slip
            found.lines[i] = None if found.doubtful[i] else line
        found.doubtful[i] |= mode == DRAG
    return found


def friction_directions(points: Sequence[ContactPoint], seen: Probe, slow: SlowSlips) -> list[Array | None]:
    """Direction d (2,) of slip of each point, |d| < 1 if slow and doubtful; friction is -mu p_n d. None at rest."""
    found: list[Array | None] = []
    for i, one in enumerate(points):
        slip = seen.velocity[i, 1:]
        speed = float(np.linalg.norm(slip))
        if slow.rests[i]:
            found.append(None)
        elif slow.lines[i] is not None:
            found.append(slow.lines[i])
        else:
            found.append(slip / (np.hypot(speed**2, one.element.slow_slip**2) ** 0.5 if slow.doubtful[i] else speed))
    return found


def time_to_stop(W: Array, points: Sequence[ContactPoint], seen: Probe) -> float:
    """Longest time that friction needs to stop slip of `slow_slip` [s]; _NEVER if no point brakes."""
    own, falls = np.diag(W).reshape(-1, 3), np.maximum(-seen.acceleration[:, 0], 0.0)
    mu = np.array([one.element.friction for one in points])
    brakes = float((mu * falls * own[:, 1:].max(axis=1) / own[:, 0]).max(initial=0.0))
    return max(one.element.slow_slip for one in points) / brakes if brakes > 0.0 else _NEVER


def held_together(
    A: Array,
    points: Sequence[ContactPoint],
    acceleration: Array,
    stay: Sequence[int],
    directions: Sequence[Array | None],
) -> tuple[Array, Solution]:
    """Rows, forces and accelerations of the points `stay`; `acceleration` (n, 3) is that without these forces.

    A'A is the inverse inertia W of the rows of all points.
    """
    rows = (3 * np.array(stay)[:, None] + np.arange(3)).ravel()
    mu = np.array([points[i].element.friction for i in stay])
    slides = [directions[i] for i in stay]
    mine = A[:, rows]
    return rows, solve_cones(mine.T @ mine, acceleration.reshape(-1)[rows], mu, slides, may_share=True, root=mine)


def choose_modes(
    stepper: Any, points: Sequence[ContactPoint], seen: Probe, slow: SlowSlips
) -> list[tuple[ContactPoint, float, Array, float]]:
    """Choose each touching point's mode: (point, mode, where it sticks or its direction of slip, when it asks again).

    Places and directions are in the surface's frame. Doubtful points stick if one implicit step, _STEPS_AHEAD times as
    long as slow slip takes to stop, stops them; slip that moving bodies impose survives such a step.
    """
    stay = [i for i in range(len(points)) if seen.velocity[i, 0] <= PARTING]
    found = [(one, float(OPEN), np.zeros(3), 0.0) for one in points]
    if not stay:
        return found
    A, directions = (seen.J @ mobility(stepper.state(), seen)).T, friction_directions(points, seen, slow)
    time = time_to_stop(A.T @ A, points, seen)
    solved = _stopping(A, points, seen, stay, directions, slow.doubtful, _STEPS_AHEAD * time)
    if solved is not None:
        directions = [None if doubt else one for doubt, one in zip(slow.doubtful, directions, strict=True)]
    else:
        _, solved = held_together(A, points, seen.acceleration, stay, directions)
    most = float(solved.p[:, 0].max(initial=0.0))
    for k, i in enumerate(stay):
        if solved.p[k, 0] > _WEAK * most:
            one, slip, doubtful = points[i], seen.velocity[i, 1:], bool(slow.doubtful[i])
            if directions[i] is None:
                mode, along = _mode_from_rest(solved, k, one.element.friction)
                soon = max(np.linalg.norm(slip), _STEPS_AHEAD * time * np.linalg.norm(solved.v[k, 1:]))
                if mode == CREEP and doubtful and (soon < one.element.slow_slip or not slow.rests[i]):
                    mode, along = _mode_of_slip(one, slip, along, doubtful)
            else:
                mode, along = _mode_of_slip(one, slip, slow.lines[i], doubtful)
            origin, S = surface_frame(stepper, one)
            held = seen.place[i] - origin if mode == STICK else along @ seen.axes[i, 1:]
            found[i] = one, mode, S.T @ held, stepper.time + _ASK_AGAIN * time
    return found


def _stopping(
    A: Array,
    points: Sequence[ContactPoint],
    seen: Probe,
    stay: Sequence[int],
    directions: Sequence[Array | None],
    doubtful: Array,
    step: float,
) -> Solution | None:
    """Solve one implicit step that may stop doubtful points: mean forces and accelerations; None if not found."""
    if not doubtful[stay].any():
        return None
    rows, a = (3 * np.array(stay)[:, None] + np.arange(3)).ravel(), seen.acceleration.copy()
    a[doubtful, 1:] += seen.velocity[doubtful, 1:] / step
    mu = np.array([points[i].element.friction for i in stay])
    ahead = [None if doubtful[i] else directions[i] for i in stay]
    return try_cones(A[:, rows], a.reshape(-1)[rows], mu, ahead)


def _mode_of_slip(one: ContactPoint, slip: Array, line: Array | None, is_doubtful: bool) -> tuple[float, Array]:
    """Whether a slipping point slides, drags or creeps, and the tangential direction that it holds."""
    speed = float(np.linalg.norm(slip))
    if speed > 1.5 * one.element.slow_slip or one.element.friction == 0.0:
        return float(SLIDE), slip / speed
    return float(DRAG if is_doubtful else CREEP), slip / speed if line is None else line


def _mode_from_rest(solved: Solution, k: int, mu: float) -> tuple[float, Array]:
    """Whether a pressed point without slip sticks or begins to slide, and in which direction."""
    p, a = solved.p[k], solved.v[k, 1:]
    rubs = float(np.hypot(p[1], p[2]))
    if mu > 0.0 and rubs < mu * p[0] * (1.0 - 1e-9):
        return float(STICK), np.zeros(2)
    along = -p[1:] if rubs > 0.0 else a  # against friction: where that nearly holds it, accelerations are rounding
    length = float(np.linalg.norm(along))
    return float(CREEP if mu > 0.0 else SLIDE), along / length if length > 0.0 else np.zeros(2)


def spare_where_needed(stepper: Any, points: Sequence[ContactPoint]) -> None:
    """Minimise friction where the forces of sticking points are indeterminate and the least ones exceed the cone.

    Nothing changes where the forces of least friction exceed the limit, too.
    """
    stick = [one for one in points if mode_of(stepper, one) == STICK]
    mu = np.array([one.element.friction for one in stick])

    def exceeds(near: float) -> bool:
        stepper.forget_rows()
        stepper.evaluate()
        return exceed(np.array([forces_of(stepper, one) for one in stick]), mu, near)

    if len(stick) < 2 or not exceeds(AT_LIMIT):
        return
    for one in stick:
        spare_friction(stepper, one, True)
    if exceeds(CLEAR):
        for one in stick:
            spare_friction(stepper, one, False)


def agree_with_rows(stepper: Any, points: Sequence[ContactPoint], seen: Probe, slow: SlowSlips) -> None:
    """Open the points that the rows would pull, and let those slip that they would hold beyond the friction limit.

    Guards would do the same a step later. Where forces are indeterminate, `choose_modes` may have used other forces
    than the least ones, which the rows give.
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
        mode = DRAG if slow.doubtful[worst] else CREEP
        set_mode(stepper, one, mode, S.T @ along, speed_of_rest(seen, slow.rests), again_of(stepper, one))
