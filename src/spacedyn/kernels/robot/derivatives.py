"""Derivatives of inverse and forward dynamics along the manifold, from inverse dynamics on dual numbers.

    F = ID(x, u, u') = H u' + c - J'Fe        dF/dx, dF/du : tangents of the recursion, LANES directions at a time
    ID(x, u, FD(x, u, τ)) = τ                 du'/dx = -H⁻¹ dF/dx,  du'/du = -H⁻¹ dF/du,  du'/dτ = H⁻¹

Direction k of a position is x ⊕ ε e_k, the motion that rate k gives: the base turns by a rotation vector in inertial
axes, spherical and free joints by theirs in the child's axes. Nothing depends on where the base is or how fast it
moves along, for gravity is uniform: those directions are left out, and their columns are zero.
The products with H⁻¹ come from the factors of the articulated-body algorithm, a pack of directions at a time.
Carpentier & Mansard (2018) for the step from inverse to forward dynamics.
"""

from ..scalar.compiling import entry, inner
from ..scalar.dual_memory import seed, tangents_of
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from ..scalar.pack import PACK, value_of
from .factors import recover_accelerations, reduce_bodies
from .forward_dynamics import forward_dynamics
from .inverse_dynamics import inverse_dynamics
from .kinematics import base_axis
from .layout import *  # noqa: F403
from .rows import are_finite, read_rows, read_state
from .segments import segment_work
from .spatial import store6


@inner
def seed_turn(work, at, axis, side, lane, zero):
    """Tangent of a quaternion that turns about an axis of its own frame (side 1), or of the one it refers to (-1)."""
    x, y, z = value_of(load(work, at, zero)), value_of(load(work, at + 1, zero)), value_of(load(work, at + 2, zero))
    w, a = value_of(load(work, at + 3, zero)), 0.5 * side
    if axis == 0:
        dx, dy, dz, dw = 0.5 * w, a * z, -a * y, -0.5 * x
    elif axis == 1:
        dx, dy, dz, dw = -a * z, 0.5 * w, a * x, -0.5 * y
    else:
        dx, dy, dz, dw = a * y, -a * x, 0.5 * w, -0.5 * z
    seed(work, at, lane, dx)
    seed(work, at + 1, lane, dy)
    seed(work, at + 2, lane, dz)
    seed(work, at + 3, lane, dw)


@inner
def seed_position(tree, work, k, lane, zero):
    """Let tangent `lane` of the coordinates in `work` be the motion that rate k gives."""
    x = integer(tree, W_X)
    if k < integer(tree, BASE_RATES):
        axis = base_axis(tree, k)
        if axis < 3:
            seed(work, x + axis, lane, 1.0)
        else:
            seed_turn(work, x + 3, axis - 3, -1.0, lane, zero)
    else:
        body = integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_BODY)
        record = integer(tree, BODY_AT) + body * BODY_INTS
        kind, j = integer(tree, record + KIND), k - integer(tree, record + RATE)
        x += integer(tree, record + COORDINATE)
        simple = integer(tree, record + RATE_COUNT) - (3 if kind == SPHERICAL or kind == FREE else 0)
        if j < simple:
            seed(work, x + j, lane, 1.0)
        else:
            seed_turn(work, x + simple, j - simple, 1.0, lane, zero)


@inner
def sliding_rates(tree):
    """How many of the base's rates move it along: they are the first ones."""
    base = integer(tree, BASE)
    return 3 if base == BASE_FREE else 2 if base == BASE_PLANAR else 0


@inner
def directions_of(tree):
    """Number of directions: positions, then rates, without those that nothing depends on."""
    return 2 * (integer(tree, RATES) - sliding_rates(tree))


@inner
def seed_directions(tree, work, first, many, zero):
    """Tangents of the coordinates and rates in `work`: directions first, first + 1, ..."""
    still, half = sliding_rates(tree), directions_of(tree) // 2
    for lane in range(min(many, 2 * half - first)):
        if first + lane < half:
            seed_position(tree, work, still + first + lane, lane, zero)
        else:
            seed(work, integer(tree, W_U) + still + first + lane - half, lane, 1.0)


@inner
def write_directions(tree, packs, at, stride, first, many, out, start, columns):
    """Directions first, first + 1, ... into their columns of a matrix in `out`, from packs at, at + stride, ..."""
    nv, still, half = integer(tree, RATES), sliding_rates(tree), directions_of(tree) // 2
    for lane in range(min(many, 2 * half - first)):
        column = still + first + lane if first + lane < half else nv + still + first + lane - half
        write_lane(packs, at, stride, lane, many, out, start + column, columns, nv)


@inner
def write_lane(packs, at, stride, lane, many, out, start, columns, rows):
    """One lane of packs at, at + stride, ... into a column of a matrix in `out`."""
    for i in range(rows):
        store(out, start + i * columns, load(packs, (at + i * stride) * many + lane, 0.0))


@inner
def clear_sliding(tree, out, start, columns):
    """Zero the columns that nothing depends on."""
    nv = integer(tree, RATES)
    for i in range(nv):
        for k in range(sliding_rates(tree)):
            store(out, start + i * columns + k, 0.0)
            store(out, start + i * columns + nv + k, 0.0)


@inner
def force_tangents(tree, par, work, state, row, first, many, options, zero):
    """Tangents of TAU along some directions, for the accelerations in QDD and the wrenches in `work`."""
    read_state(tree, state, row, row + 1, work, zero)
    seed_directions(tree, work, first, many, zero)
    inverse_dynamics(tree, par, work, options, zero)


@inner
def inverse_derivatives(tree, par, packs, work, state, row, out, start, options, zero):
    """Matrix (nv, 2 nv) of dF/dx and dF/du, for the accelerations in QDD and the wrenches in `work`."""
    nv, rate, many = integer(tree, RATES), integer(tree, W_RATE), lanes_of(zero_of(PACK))
    for first in range(0, directions_of(tree), many):
        force_tangents(tree, par, work, state, row, first, many, options, zero)
        for k in range(nv):
            store(packs, k, tangents_of(load(work, rate + k * RATE_WORK + TAU, zero)))
        write_directions(tree, packs, 0, 1, first, many, out, start, 2 * nv)
    clear_sliding(tree, out, start, 2 * nv)


@entry
def inverse(tree, par, one, packs, work, state, loads, out, count, options, kind):
    """Rows of states and loads, as inverse dynamics has them, to rows of matrices; True if all numbers are finite.

    `one` is not used: both entry points take the same arguments.
    """
    tree, par, packs, work = pointer(tree), pointer(par), pointer(packs), pointer(work)
    state, loads, out = pointer(state), pointer(loads), pointer(out)
    zero = zero_of(kind)
    nv, rate = integer(tree, RATES), integer(tree, W_RATE)
    wrenches = 6 * (integer(tree, ENDPOINTS) + 1) if options & LOADED else 0
    for row in range(count):
        read_rows(loads, nv + wrenches, 0, nv, row, count, work, rate + QDD, RATE_WORK, zero)
        read_rows(loads, nv + wrenches, nv, wrenches, row, count, work, integer(tree, W_WRENCH), 1, zero)
        inverse_derivatives(tree, par, packs, work, state, row, out, row * 2 * nv * nv, options, zero)
    return are_finite(out, count * 2 * nv * nv)


@inner
def spread_factors(tree, one, packs, zeros):
    """The factors of one robot into every lane; accelerations that are given, and of motion, have no tangents."""
    rate = integer(tree, W_RATE)
    for k in range(integer(tree, RATES)):
        for j in range(RATE_WORK):
            store(packs, rate + k * RATE_WORK + j, zeros + load(one, rate + k * RATE_WORK + j, 0.0))
        store(packs, rate + k * RATE_WORK + QDD, zeros)
    for s in range(1, integer(tree, SEGMENTS) + 1):
        at = segment_work(tree, s)
        for j in range(SEGMENT_WORK):
            store(packs, at + j, zeros + load(one, at + j, 0.0) if j < DRIFT else zeros)


@inner
def mass_matrix_inverse(tree, par, one, packs, out, zeros):
    """H⁻¹ into `out`, row by row, from the factors in `one`: as many columns at a time as a pack has lanes.

    Where accelerations are given, rows and columns are zero, and the rest is the inverse of the others' part.
    """
    nv, bodies, many = integer(tree, RATES), integer(tree, BODIES), lanes_of(zeros)
    body, rate = integer(tree, W_BODY), integer(tree, W_RATE)
    spread_factors(tree, one, packs, zeros)
    for first in range(0, nv, many):
        for k in range(nv):
            store(packs, rate + k * RATE_WORK + TAU, zeros)
        for lane in range(min(many, nv - first)):
            store(packs, (rate + (first + lane) * RATE_WORK + TAU) * many + lane, 1.0)
        for i in range(bodies):
            store6(packs, body + i * BODY_WORK + FORCE, (zeros, zeros, zeros, zeros, zeros, zeros))
        reduce_bodies(tree, packs, zeros)
        recover_accelerations(tree, par, packs, False, zeros)
        for lane in range(min(many, nv - first)):
            write_lane(packs, rate + QDD, RATE_WORK, lane, many, one, out + first + lane, nv, nv)


@inner
def forward_derivatives(tree, par, one, packs, work, state, row, out, start, options, zero):
    """Matrix (nv, 2 nv + joints) of du'/dx, du'/du and du'/dτ, from the state, the forces and the wrenches in `one`.

    The state must be a row of `state`, and the wrenches in `work`, too. Where accelerations are given, rows are zero.
    """
    nv, base, rate, room = integer(tree, RATES), integer(tree, BASE_RATES), integer(tree, W_RATE), integer(tree, W_OUT)
    zeros, columns = zero_of(PACK), 3 * nv - base
    many = lanes_of(zeros)
    forward_dynamics(tree, par, one, options, 0.0)
    mass_matrix_inverse(tree, par, one, packs, room, zeros)
    for k in range(nv):
        store(work, rate + k * RATE_WORK + QDD, zero + load(one, rate + k * RATE_WORK + QDD, 0.0))
        for j in range(base, nv):
            store(out, start + k * columns + 2 * nv + j - base, load(one, room + k * nv + j, 0.0))
    for first in range(0, directions_of(tree), many):
        force_tangents(tree, par, work, state, row, first, many, options, zero)
        for k in range(nv):
            store(packs, k, tangents_of(load(work, rate + k * RATE_WORK + TAU, zero)))
        for i in range(nv):
            total = zeros
            for k in range(nv):
                total -= load(one, room + i * nv + k, 0.0) * load(packs, k, zeros)
            store(packs, nv + i, total)
        write_directions(tree, packs, nv, 1, first, many, out, start, columns)
    clear_sliding(tree, out, start, columns)


@entry
def forward(tree, par, one, packs, work, state, loads, out, count, options, kind):
    """Rows of states and loads, as forward dynamics has them, to rows of matrices; True if all numbers are finite."""
    tree, par, one, packs, work = pointer(tree), pointer(par), pointer(one), pointer(packs), pointer(work)
    state, loads, out = pointer(state), pointer(loads), pointer(out)
    zero = zero_of(kind)
    nv, base = integer(tree, RATES), integer(tree, BASE_RATES)
    rate, wrench = integer(tree, W_RATE), integer(tree, W_WRENCH)
    wrenches = 6 * (integer(tree, ENDPOINTS) + 1) if options & LOADED else 0
    more = nv if options & HYBRID else 0
    joints, width, size = nv - base, nv - base + wrenches + more, nv * (3 * nv - base)
    for row in range(count):
        read_state(tree, state, row, count, one, 0.0)
        for k in range(nv):
            store(one, rate + k * RATE_WORK + TAU, 0.0)
            store(one, rate + k * RATE_WORK + QDD, 0.0)
        read_rows(loads, width, 0, joints, row, count, one, rate + base * RATE_WORK + TAU, RATE_WORK, 0.0)
        read_rows(loads, width, joints, wrenches, row, count, one, wrench, 1, 0.0)
        read_rows(loads, width, joints, wrenches, row, count, work, wrench, 1, zero)
        read_rows(loads, width, joints + wrenches, more, row, count, one, rate + QDD, RATE_WORK, 0.0)
        forward_derivatives(tree, par, one, packs, work, state, row, out, row * size, options, zero)
    return are_finite(out, count * size)
