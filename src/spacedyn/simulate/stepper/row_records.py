"""Constraint rows as the kernels read them: their records, and the memory of their solver."""

import numpy as np

from ...kernels.sim import layout as p
from ...kernels.simulation.constraints import rows_address
from ...kernels.simulation.projection import settle_address
from ...model.model import Model
from ..layout import Layout, end_of
from .prepared import Plan, Prepared

Array = np.ndarray


def rank_numbers(layout: Layout) -> int:
    """Size of the block kept from step to step: rank, order, nearness, greatest lengths, count with residuals."""
    return 2 * layout.rows + 3 if layout.rows else 0


def row_places(layout: Layout, prepared: Prepared, bodies: int, stages: int) -> dict[str, int]:
    """Sizes of the blocks of `work` that rows need."""
    m, nv, rubs = layout.rows, layout.model.nv, any(row.rubs for _, row in prepared.rows)
    any_rows = int(m > 0)
    return {
        "rows": end_of(prepared.row_sizes),
        "Y_COLUMN": m * nv,
        "Y_BASIS": m * nv,
        "Y_UPPER": 2 * m * m,
        "Y_SOLUTION": (3 * m + nv + max(m, nv)) * any_rows,
        "Y_UNBOUND": (2 * nv + 12 * bodies) * any_rows,
        "Y_CLOSURE": p.CLOSURE * any_rows,
        "Y_RANK_HELD": rank_numbers(layout),
        "Y_SLOPES": 2 * nv * stages * any_rows,
        "Y_RUB": (m * nv + m * m + 2 * m) * int(rubs),
    }


def put_rows(plan: Plan, prepared: Prepared, work: dict[str, slice], lanes: int, model: Model) -> None:
    """Put the records of rows, and the addresses of the functions that solve them."""
    rows = prepared.rows
    if not rows:
        return
    form = "one" if lanes == 1 else "varied" if prepared.simulation.model.flat.robots else "pack"
    first, records = int(plan.plan[p.ELEMENT_AT]), []
    for j, (i, row) in enumerate(rows):
        bodies = [int(model.flat.order[model.body_index(body)]) for body in row.bodies]
        record = [0] * p.ROW_INTS
        record[p.R_WORK] = work["rows"].start + prepared.row_sizes[str(j)].start
        record[p.R_BODY], record[p.R_OTHER] = [*bodies, -1, -1][:2]
        record[p.R_RATES], record[p.R_RATE_AT] = len(row.rates), plan.put_integers(row.rates)
        record[p.R_ELEMENT] = first + prepared.order.index(i) * p.ELEMENT_INTS
        record[p.R_OUTSIDE], record[p.R_RUBS] = len(bodies) == 1, row.rubs
        record[p.R_NONHOLONOMIC], record[p.R_WORKS] = row.is_nonholonomic, i in prepared.user_elements
        records.append(record)
    plan.set(ROWS=len(rows), ROW_AT=plan.put_integers(*records), RUBS=any(row.rubs for _, row in rows))
    plan.set(SOLVE_ROWS=rows_address(form).address, SETTLE_ROWS=settle_address(form).address)
    if prepared.simulation.method.kind == p.IMPLICIT:
        set_row_tangents(plan.plan)


def set_row_tangents(plan: Array) -> None:
    """Set the address of the rows' solver on dual numbers."""
    if plan[p.ROWS]:
        plan[p.TANGENT_ROWS] = rows_address("dual").address
