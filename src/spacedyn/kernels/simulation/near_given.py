"""For the ledger: work of the actuators of given joints, which hold their motion against contact impulses."""

from ..robot.factors import reduce_bodies
from ..robot.kinematics import is_given
from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, add6, cross, load3, load6, scale3, store6
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..sim.layout import *  # noqa: F403
from .near_columns import near_record
from .near_sums import impulses_at
from .right_hand_side import ledger_at
from .row_motion import change_motion, give_nothing, push_bodies, push_nothing, push_rates, scaled6


@inner
def push_place(sim, a, zero):
    """Apply the impulses of the near place a to its bodies, or to the rate of its joint."""
    record, about = near_record(sim, a), integer(sim.plan, M_NEAR) + a * NM_NUMBERS
    number, sort = int(load(sim.memory, about + NM_TOUCH, 0.0)), int(load(sim.memory, about + NM_SORT, 0.0))
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    p = load3(sim.work, record + NEAR_IMPULSE, zero)
    if sort == TOUCH_STOP or sort == TOUCH_JOINT:
        tau = integer(sim.tree, W_RATE) + int(load(sim.memory, mine + TM_RATE, 0.0)) * RATE_WORK + TAU
        store(sim.work, tau, load(sim.work, tau, zero) + load(sim.work, at + T_AT, zero) * p[0])
        return
    n, x, y = (
        load3(sim.work, record + NEAR_AXES, zero),
        load3(sim.work, record + NEAR_AXES + 3, zero),
        load3(sim.work, record + NEAR_AXES + 6, zero),
    )
    f = add3(scale3(p[0], n), add3(scale3(p[1], x), scale3(p[2], y)))
    for which in range(2):
        i = int(load(sim.memory, mine + TM_BODY + which, 0.0))
        if i >= 0:
            F = f + cross(load3(sim.work, at + (T_AT if which == 0 else T_OTHER_AT), zero), f)
            if sort == TOUCH_TURN:
                F = (zero, zero, zero) + f
            body = integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE
            pushed = scaled6(-1.0 if which == 0 else 1.0, F)
            store6(sim.work, body, add6(load6(sim.work, body, zero), pushed))


@outlined
def account_given(sim, many, h, target, zero):
    """For the ledger: work of what actuators give against impulses, in joints whose motion is given."""
    nv, base, now = integer(sim.tree, RATES), integer(sim.tree, BASE_RATES), integer(sim.plan, Y_NOW)
    ledger, felt = ledger_at(sim, target), integer(sim.plan, Y_ROW_FELT)
    give_nothing(sim, zero)
    push_nothing(sim, zero)
    for a in range(many):
        push_place(sim, a, zero)
    for r in range(integer(sim.plan, ROWS)):
        size = h * load(sim.work, felt + r, zero)
        push_bodies(sim, r, size, zero)
        push_rates(sim, r, size, zero)
    reduce_bodies(sim.tree, sim.work, zero)
    change_motion(sim, impulses_at(sim), zero)
    for r in range(integer(sim.plan, ROWS)):
        push_rates(sim, r, -h * load(sim.work, felt + r, zero), zero)
    for k in range(base, nv):
        if is_given(sim.tree, k):
            given = load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + TAU, zero)
            mean = 0.5 * (load(sim.work, target + nv + k, zero) + load(sim.work, now + nv + k, zero))
            store(sim.work, ledger + k - base, load(sim.work, ledger + k - base, zero) + given * mean)
