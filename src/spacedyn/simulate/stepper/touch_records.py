"""Places where bodies may touch, for methods that step through contact: how much memory they need."""

import numpy as np

from ...kernels.robot import layout as k
from ...kernels.sim import layout as p
from ..layout import Layout
from .prepared import Plan

Array = np.ndarray


def touch_places(layout: Layout) -> dict[str, int]:
    """Sizes of what the places need in `work`, but for what is kept from step to step."""
    many, nv = layout.touches, layout.model.nv
    some = int(many > 0)
    return {
        "Y_TOUCH": p.TOUCH_NUMBERS * many,
        "Y_NEAR": p.NEAR_NUMBERS * many,
        "Y_NEAR_COLUMN": 3 * many * longest_path(layout),
        "Y_FREE": (3 * nv + 6 * len(layout.model.body_names)) * some,
    }


def touch_memory(layout: Layout) -> dict[str, int]:
    """The same in `memory`."""
    many = layout.touches
    return {
        "M_TOUCH": p.TM_NUMBERS * many,
        "M_NEAR": p.NM_NUMBERS * many,
        "M_PATH": many * longest_path(layout),
        "M_MARK": layout.model.nv if many else 0,
    }


def put_touches(plan: Plan, layout: Layout) -> None:
    """How many places there are, and how many rates one moves with."""
    plan.set(TOUCHES=layout.touches, PATH=longest_path(layout))


def longest_path(layout: Layout) -> int:
    """The most rates that a place between two bodies moves with; 0 without places."""
    if not layout.touches:
        return 0
    tree = layout.model.flat.tree
    records = tree[tree[k.BODY_AT] :][: tree[k.BODIES] * k.BODY_INTS].reshape(-1, k.BODY_INTS)
    rates = np.zeros(len(records), dtype=int)
    rates[0] = tree[k.BASE_RATES]
    for i, record in enumerate(records[1:], 1):
        rates[i] = record[k.RATE_COUNT] + rates[record[k.PARENT]]
    return int(min(2 * rates.max(), tree[k.RATES]))
