"""Products of the inverse mass matrix with vectors, O(n) each, from the factors of the articulated-body algorithm."""

from ..scalar.compiling import entry
from ..scalar.memory import integer, lanes_of, pointer, zero_of
from .bodies import weigh
from .descriptions import parameters
from .factors import factorise_bodies, recover_accelerations, reduce_bodies
from .kinematics import place
from .layout import *  # noqa: F403
from .rows import read_rows, read_state, write_rows
from .spatial import store6


@entry
def run(tree, par, work, state, vectors, out, count, many, kind):
    """Rows of states and of `many` vectors each, to rows of as many products."""
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    vectors, out = pointer(vectors), pointer(out)
    zero = zero_of(kind)
    bodies, rates = integer(tree, BODIES), integer(tree, RATES)
    body, rate = integer(tree, W_BODY), integer(tree, W_RATE)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        factorise_bodies(tree, mine, work, -1, 0, zero)
        for m in range(many):
            read_rows(vectors, many * rates, m * rates, rates, row, count, work, rate + TAU, RATE_WORK, zero)
            for i in range(bodies):
                store6(work, body + i * BODY_WORK + FORCE, (zero, zero, zero, zero, zero, zero))
            reduce_bodies(tree, work, zero)
            recover_accelerations(tree, mine, work, False, zero)
            write_rows(out, many * rates, m * rates, rates, row, count, work, rate + QDD, RATE_WORK, zero)
