"""Constraint rows at a stepper's present state: residuals, rates, multipliers, Jacobian."""

from typing import NamedTuple

import numpy as np

from ...kernels.robot import layout as k
from ...kernels.sim import layout as p
from ...kernels.sim.codes import FORCES_ALONE
from ...model.state import State
from ...quantities.kinematics import body_jacobian, forward_kinematics
from .present import Present

Array = np.ndarray


class RowValues(NamedTuple):
    """Residuals, their rates, and multipliers of all rows, (rows, lanes) each."""

    residual: Array
    rate: Array
    multiplier: Array


def owners_of_rows(stepper: Present) -> list[int]:
    """The number of the element that each row belongs to."""
    counts = [len(one.rows_of(stepper.state().model)) for one in stepper.layout.elements]
    return [i for i, count in enumerate(counts) for _ in range(count)]


def rows_with_residuals(stepper: Present) -> Array:
    """(rows,) which rows have residuals, that is, are holonomic."""
    found: Array = _records(stepper)[:, p.R_NONHOLONOMIC] == 0
    return found


def look_at_rows(stepper: Present) -> RowValues:
    """Evaluate residuals and rates at the present state, with no element but the rows' owners and no law."""
    first, count = int(stepper.plan[p.KIND_AT]), int(stepper.plan[p.KINDS])
    kinds = stepper.plan[first : first + count * p.KIND_INTS].reshape(count, p.KIND_INTS)
    before, owners = kinds.copy(), set(_records(stepper)[:, p.R_ELEMENT])
    at, size = int(stepper.plan[p.ELEMENT_AT]), p.ELEMENT_INTS
    for kind in kinds:
        mine = {at + i * size for i in range(kind[p.K_FIRST], kind[p.K_FIRST] + kind[p.K_COUNT])}
        if kind[p.K_PHASE] == p.ACTS and not mine & owners:
            kind[p.K_PHASE] = -1
    stepper.evaluate(FORCES_ALONE)
    kinds[:] = before
    return row_values(stepper)


def row_values(stepper: Present) -> RowValues:
    """Values at the last evaluation; zero for inactive rows."""
    places, work = _records(stepper)[:, p.R_WORK], stepper.work.reshape(-1, stepper.lanes)
    hold = 1.0 - work[places + p.ROW_RESTS]
    return RowValues(*(hold * work[places + entry] for entry in (p.ROW_PHI, p.ROW_RATE, p.ROW_MULTIPLIER)))


def holding_rows(stepper: Present) -> Array:
    """(rows,) which rows of the first robot were active at the last evaluation."""
    places = _records(stepper)[:, p.R_WORK] + p.ROW_RESTS
    held: Array = stepper.work.reshape(-1, stepper.lanes)[places, 0] < 0.5
    return held


def row_numbers(stepper: Present, entry: int, count: int = 1) -> Array:
    """(rows,) or (rows, count) numbers at `entry` of the rows' blocks, of the first robot, at the last evaluation."""
    places = _records(stepper)[:, p.R_WORK] + entry
    found: Array = stepper.work.reshape(-1, stepper.lanes)[places[:, None] + np.arange(count), 0]
    return found[:, 0] if count == 1 else found


def row_accelerations(stepper: Present) -> Array:
    """(rows,) second rates of all rows, active or not, of the first robot, at the last full evaluation."""
    work = stepper.work.reshape(-1, stepper.lanes)[:, 0]
    found = []
    for record in _records(stepper):
        at, total = record[p.R_WORK], work[record[p.R_WORK] + p.ROW_BIAS]
        for which in range(2):
            body = int(record[p.R_BODY + which])
            if body >= 0:
                place = int(stepper.tree[k.W_BODY]) + body * k.BODY_WORK + k.ACCELERATION
                total += work[at + p.ROW_WRENCH + 6 * which :][:6] @ work[place : place + 6]
        found.append(total)
    return np.array(found)


def row_jacobian(stepper: Present, state: State) -> Array:
    """J (rows, nv) of the first robot, from the forces of unit multipliers at the last evaluation, at `state`."""
    model, records, work = state.model, _records(stepper), stepper.work.reshape(-1, stepper.lanes)[:, 0]
    J, poses = np.zeros((len(records), model.nv)), forward_kinematics(model, state).bodies
    names = {int(model.flat.order[i]): name for i, name in enumerate(model.body_names)}
    at_reference: dict[int, Array] = {}
    for j, record in enumerate(records):
        at = record[p.R_WORK]
        for which in range(2):
            body = int(record[p.R_BODY + which])
            if body < 0:
                continue
            if body not in at_reference:
                name = names[body]
                matrix = body_jacobian(model, state, name, np.zeros(3))
                r = _reference_point(stepper, body) - poses.position[model.body_index(name)]
                matrix[:3] -= np.cross(r, matrix[3:], axisb=0, axisc=0)
                at_reference[body] = matrix
            wrench = work[at + p.ROW_WRENCH + 6 * which :][:6]
            J[j] += wrench @ at_reference[body]
        for which in range(record[p.R_RATES]):
            J[j, stepper.plan[record[p.R_RATE_AT] + which]] += work[at + p.ROW_FORCE + which]
    return J


def _reference_point(stepper: Present, body: int) -> Array:
    """The point about which the kernels refer quantities of a body, in the inertial frame, of the first robot."""
    tree, work = stepper.tree, stepper.work.reshape(-1, stepper.lanes)[:, 0]
    segment, at = int(tree[tree[k.BODY_AT] + body * k.BODY_INTS + k.SEGMENT]), int(tree[k.W_X])
    found = work[at : at + 3].copy()
    if segment:
        at = int(tree[k.W_SEGMENT]) + (segment - 1) * k.SEGMENT_WORK + k.ORIGIN
        found += work[at : at + 3]
    return found


def free_rates(stepper: Present) -> Array:
    """(nv,) which rates are not given."""
    first, nv = int(stepper.tree[k.RATE_AT]), int(stepper.tree[k.RATES])
    free: Array = stepper.tree[first : first + nv * k.RATE_INTS].reshape(nv, k.RATE_INTS)[:, k.RATE_GIVEN] == 0
    return free


def forget_rank(stepper: Present) -> None:
    """The independent rows must be chosen anew."""
    if stepper.plan[p.ROWS]:
        stepper._scalars(p.Y_RANK, 0, 1)[:] = -1.0


def _records(stepper: Present) -> Array:
    first, count = int(stepper.plan[p.ROW_AT]), int(stepper.plan[p.ROWS])
    return stepper.plan[first : first + count * p.ROW_INTS].reshape(count, p.ROW_INTS)
