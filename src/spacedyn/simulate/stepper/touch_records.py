"""Memory of the places where bodies may touch, and groups that sleep, for methods that step through contact."""

from typing import cast

import numpy as np

from ...elements.sleeping import Sleeping
from ...kernels.robot import layout as k
from ...kernels.sim import codes
from ...kernels.sim import layout as p
from ...model.model import Model
from ..layout import Layout, end_of
from .prepared import Plan, Prepared

Array = np.ndarray


def touch_places(prepared: Prepared) -> dict[str, int]:
    """Sizes of the blocks of `work` that the places need, without the one kept from step to step."""
    layout = prepared.layout
    many, nv = prepared.touches, layout.model.nv
    some = int(many > 0)
    return {
        "Y_TOUCH": p.TOUCH_NUMBERS * many,
        "Y_NEAR": p.NEAR_NUMBERS * many,
        "Y_NEAR_COLUMN": 3 * many * longest_path(prepared),
        "Y_ROW_PART": 3 * many * layout.rows,
        "Y_FREE": (3 * nv + 12 * len(layout.model.body_names)) * some,
    }


def touch_memory(prepared: Prepared) -> dict[str, int]:
    """Sizes of the blocks of `memory` that the places need."""
    layout, many = prepared.layout, prepared.touches
    return {
        "M_TOUCH": p.TM_NUMBERS * many,
        "M_NEAR": p.NM_NUMBERS * many,
        "M_PATH": many * longest_path(prepared),
        "M_MARK": layout.model.nv if many else 0,
        "M_SKIP": len(layout.model.body_names) + 1 if sleeper_of(layout) is not None else 0,
    }


def sleep_numbers(layout: Layout) -> int:
    """Size of the block that sleeping groups keep from step to step."""
    if sleeper_of(layout) is None:
        return 0
    return p.SL_NUMBERS * (int(groups_of_bodies(layout.model).max(initial=-1)) + 1) + layout.model.nv


def put_touches(plan: Plan, prepared: Prepared) -> None:
    """Put the number of places, and the most rates that a place moves with."""
    plan.set(TOUCHES=prepared.touches, PATH=longest_path(prepared))
    plan.set(CONTACT_ERROR=prepared.layout.in_y("contact_error").start)


def put_spinners(plan: Plan, prepared: Prepared) -> None:
    """Put the single bodies whose free rotation the method integrates by itself, and whether other bodies move, too."""
    model = prepared.layout.model
    if not prepared.simulation.method.steps_through_contact:
        return
    tree, held = model.flat.tree, {body for _, row in prepared.rows for body in row.bodies}.union(prepared.attached)
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    found, flies = [], False
    for j, name in enumerate(model.body_names):
        i = int(model.flat.order[j])
        free = model.base_kind in ("free", "attitude") if i == 0 else records[i, k.OPENS] == k.LOOSE
        if not free or records[i, k.FLAGS] & k.HAS_CHILDREN or name in held:
            flies |= bool(records[i, k.RATE_COUNT] > 0 if i else model.base_kind != "fixed")
        elif not _is_round(model, j):
            found.append(i)
    plan.set(SPINNERS=len(found), SPINNER_AT=plan.put_integers(sorted(found)), FLIES=int(flies))


def _is_round(model: Model, body: int) -> bool:
    """Whether a body rotates without gyration: equal principal inertias, and its joint at its centre of mass."""
    one = model.bodies[body]
    return not model.shape and not np.any(one.com) and bool(np.all(one.inertia == one.inertia[0, 0] * np.eye(3)))


def sleeper_of(layout: Layout) -> int | None:
    """The number of the element that lets bodies sleep, if there is one."""
    return next((i for i, one in enumerate(layout.elements) if isinstance(one, Sleeping)), None)


def put_sleepers(plan: Plan, prepared: Prepared, model: Model) -> None:
    """Put the groups of bodies that sleep together, and which groups may sleep."""
    layout, number = prepared.layout, sleeper_of(prepared.layout)
    if number is None:
        return
    asked = cast(Sleeping, layout.elements[number]).bodies or model.body_names
    groups, tree = _joined(groups_of_bodies(model), prepared, model), model.flat.tree
    first = tree[k.RATE_AT] + k.RATE_INTS * np.arange(tree[k.RATES])
    rates = groups[tree[first + k.RATE_BODY]]
    may = np.ones(int(groups.max(initial=-1)) + 1, dtype=int)
    order = model.flat.order
    allowed = {int(order[model.body_index(name)]) for name in asked}
    for i, group in enumerate(groups):
        if group >= 0 and i not in allowed:
            may[group] = 0
    others = [one for one in prepared.acting if not (one.touches or isinstance(one, Sleeping) or one.kernel is None)]
    held = any(one.mode != codes.MODE_FREE or one.given is not None for one in prepared.joints)
    whole = not (others or prepared.simulation.laws or held or end_of(layout.states) or prepared.rows)
    loose = np.zeros_like(may)
    if whole:
        loose[groups[_hanging_loose(model)]] = 1
    plan.set(SLEEPERS=len(may), GROUP_AT=plan.put_integers(groups, rates, may, loose), SLEEPS_WHOLE=int(whole))
    plan.set(SLEEPER=int(plan.plan[p.ELEMENT_AT]) + prepared.order.index(number) * p.ELEMENT_INTS)


def groups_of_bodies(model: Model) -> Array:
    """The group of each body, in the kernels' order; -1 for bodies that cannot move.

    A robot is one group. With a fixed base, each subtree behind a free joint is a group, and all arms are another.
    """
    tree = model.flat.tree
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    fixed = tree[k.BASE] == k.BASE_FIXED
    found, many, arms = np.full(len(records), -1), 0, -1
    if not fixed:
        found[0], many = 0, 1
    for i, record in enumerate(records[1:], 1):
        above = record[k.PARENT]
        if found[above] >= 0 or record[k.RATE_COUNT] == 0:
            found[i] = found[above]
        elif record[k.OPENS] == k.LOOSE:
            found[i], many = many, many + 1
        else:  # all arms of a fixed base are one group
            arms, many = (many, many + 1) if arms < 0 else (arms, many)
            found[i] = arms
    return found


def _hanging_loose(model: Model) -> Array:
    """Numbers of the bodies, in the kernels' order, that a free joint connects to a fixed base."""
    tree = model.flat.tree
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    moves = groups_of_bodies(model) >= 0
    return np.flatnonzero((records[:, k.OPENS] == k.LOOSE) & ~moves[records[:, k.PARENT]])


def _joined(groups: Array, prepared: Prepared, model: Model) -> Array:
    """Merge the groups that constraint rows connect."""
    tree = model.flat.tree
    for _, row in prepared.rows:
        bodies = [int(model.flat.order[model.body_index(body)]) for body in row.bodies]
        bodies += [int(tree[tree[k.RATE_AT] + k.RATE_INTS * rate + k.RATE_BODY]) for rate in row.rates]
        together = [group for group in groups[bodies] if group >= 0]
        groups[np.isin(groups, together)] = min(together, default=-1)
    return groups


def longest_path(prepared: Prepared) -> int:
    """The most rates that a place between two bodies moves with: all rates if there are rows; 0 without places."""
    if not prepared.touches:
        return 0
    tree = prepared.layout.model.flat.tree
    if prepared.rows:
        return int(tree[k.RATES])
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    rates = np.zeros(len(records), dtype=int)
    rates[0] = tree[k.BASE_RATES]
    for i, record in enumerate(records[1:], 1):
        rates[i] = record[k.RATE_COUNT] + rates[record[k.PARENT]]
    return int(min(2 * rates.max(), tree[k.RATES]))
