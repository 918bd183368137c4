"""Kinetic energy, elastic energy, first moment and momentum, body by body.

Relative to a frame that moves with the base's centre of mass; with its velocity v0 the kinetic energy is
T = T_relative + v0.P_relative + m v0.v0 / 2, which keeps its digits at orbital speed.
"""

from .bodies import momentum_of, weigh
from .compiling import entry, inner
from .descriptions import parameters
from .kinematics import move, place
from .memory import integer, lanes_of, load, pointer, shared, store, zero_of
from .passive import elastic_energy
from .rows import read_state, write_rows
from .spatial import add3, dot6, linear, load3, load6, store3
from .tree import *  # noqa: F403


@inner
def body_sums(tree, work, zero):
    """Sums over bodies: kinetic energy, linear momentum and first moment, relative to the base's centre of mass."""
    energy, P, h = zero, (zero, zero, zero), (zero, zero, zero)
    for i in range(integer(tree, BODIES)):
        body = integer(tree, W_BODY) + i * BODY_WORK
        V = load6(work, body + VELOCITY, zero)
        momentum = momentum_of(work, body, V, zero)
        energy += 0.5 * dot6(V, momentum)
        P = add3(P, linear(momentum))
        h = add3(h, load3(work, body + INERTIA + 1, zero))
    return energy, P, h


@entry
def run(tree, par, work, state, out, count, kind):
    """Rows of states to rows of: relative kinetic energy with the rotors', P (3), h (3), elastic energy."""
    tree, par, work, state, out = pointer(tree), pointer(par), pointer(work), pointer(state), pointer(out)
    zero = zero_of(kind)
    nv, room = integer(tree, RATES), integer(tree, W_OUT)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        for k in range(nv):
            store(work, integer(tree, W_RATE) + k * RATE_WORK + QDD, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        move(tree, work, (zero, zero, zero), zero)
        energy, P, h = body_sums(tree, work, zero)
        for k in range(nv):
            rate = load(work, integer(tree, W_U) + k, zero)
            energy += 0.5 * shared(mine, integer(tree, PAR_RATE) + k * RATE_PARS + P_ROTOR, zero) * rate * rate
        store(work, room, energy)
        store3(work, room + 1, P)
        store3(work, room + 4, h)
        store(work, room + 7, elastic_energy(tree, mine, work, zero))
        write_rows(out, 8, 0, 8, row, count, work, room, 1, zero)
