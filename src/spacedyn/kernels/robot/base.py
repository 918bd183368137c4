"""Elimination of the base's rates, whose columns are unit vectors: as articulated.py has it, with less to multiply."""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from .articulated import factorise_rate, reduce_rate, settle, store_gain, unit_column
from .kinematics import base_axis, is_given
from .layout import *  # noqa: F403
from .spatial import add_scaled6, load6, pick, store6


@inner
def is_free_base(tree):
    """Whether all six rates of the base are unknown: they are then eliminated without a loop."""
    return integer(tree, BASE) == BASE_FREE and is_given(tree, 0) == 0


@inner
def free_gain(work, rates, k, column, Dk, zero):
    """G, D and 1/D of rate k of a free base; the rates further on are eliminated, their part of G is zero."""
    inverse = 1.0 / Dk
    gain = (
        inverse * column[0],
        inverse * column[1] if k > 0 else zero,
        inverse * column[2] if k > 1 else zero,
        inverse * column[3] if k > 2 else zero,
        inverse * column[4] if k > 3 else zero,
        inverse * column[5] if k > 4 else zero,
    )
    store_gain(work, rates + k * RATE_WORK, gain, inverse)
    store(work, rates + k * RATE_WORK + D, Dk)
    return gain


@inner
def factorise_free_base(work, rates, A, B, C, zero):
    """L D L' of six by six numbers, from the last on: of each column only what is above the diagonal is used."""
    a, b, c = unit_column(A, B, C, 0), unit_column(A, B, C, 1), unit_column(A, B, C, 2)
    d, e, f = unit_column(A, B, C, 3), unit_column(A, B, C, 4), unit_column(A, B, C, 5)
    g = free_gain(work, rates, 5, f, f[5], zero)
    a, b, c = add_scaled6(a, -f[0], g), add_scaled6(b, -f[1], g), add_scaled6(c, -f[2], g)
    d, e = add_scaled6(d, -f[3], g), add_scaled6(e, -f[4], g)
    g = free_gain(work, rates, 4, e, e[4], zero)
    a, b, c = add_scaled6(a, -e[0], g), add_scaled6(b, -e[1], g), add_scaled6(c, -e[2], g)
    d = add_scaled6(d, -e[3], g)
    g = free_gain(work, rates, 3, d, d[3], zero)
    a, b, c = add_scaled6(a, -d[0], g), add_scaled6(b, -d[1], g), add_scaled6(c, -d[2], g)
    g = free_gain(work, rates, 2, c, c[2], zero)
    a, b = add_scaled6(a, -c[0], g), add_scaled6(b, -c[1], g)
    g = free_gain(work, rates, 1, b, b[1], zero)
    a = add_scaled6(a, -b[0], g)
    free_gain(work, rates, 0, a, a[0], zero)


@outlined
def factorise_held_base(tree, work, A, B, C, zero):
    """The same for a base that is held in some directions, or whose accelerations are given."""
    for k in range(integer(tree, BASE_RATES) - 1, -1, -1):
        Uk = unit_column(A, B, C, base_axis(tree, k))
        Dk = pick(Uk, base_axis(tree, k))
        A, B, C = factorise_rate(tree, work, k, Uk, Dk, A, B, C, zero)
        store(work, integer(tree, W_RATE) + k * RATE_WORK + D, Dk)


@inner
def factorise_base(tree, work, A, B, C, zero):
    """G, D and 1/D of the base's rates, whose columns are unit vectors."""
    if is_free_base(tree):
        factorise_free_base(work, integer(tree, W_RATE), A, B, C, zero)
        return
    factorise_held_base(tree, work, A, B, C, zero)


@inner
def reduce_free_rate(work, rate, taken, F, zero):
    """TAU and F for one rate of a free base."""
    left = load(work, rate + TAU, zero) - taken
    store(work, rate + TAU, left)
    return add_scaled6(F, left, load6(work, rate + GAIN, zero))


@outlined
def reduce_held_base(tree, work, F, zero):
    """The same for all rates of a base that is held, or whose accelerations are given."""
    for k in range(integer(tree, BASE_RATES) - 1, -1, -1):
        F = reduce_rate(tree, work, k, pick(F, base_axis(tree, k)), F, zero)


@inner
def reduce_base(tree, work, F, zero):
    """Reduce TAU of the base's rates by F and by the rates already eliminated."""
    if is_free_base(tree):
        rates = integer(tree, W_RATE)
        F = reduce_free_rate(work, rates + 5 * RATE_WORK, F[5], F, zero)
        F = reduce_free_rate(work, rates + 4 * RATE_WORK, F[4], F, zero)
        F = reduce_free_rate(work, rates + 3 * RATE_WORK, F[3], F, zero)
        F = reduce_free_rate(work, rates + 2 * RATE_WORK, F[2], F, zero)
        F = reduce_free_rate(work, rates + RATE_WORK, F[1], F, zero)
        reduce_free_rate(work, rates, F[0], F, zero)
        return
    reduce_held_base(tree, work, F, zero)


@inner
def settle_free_rate(work, rate, felt, zero):
    """QDD of one rate of a free base."""
    qdd = load(work, rate + TAU, zero) * load(work, rate + D_INVERSE, zero) - felt
    store(work, rate + QDD, qdd)
    return qdd


@outlined
def recover_held_base(tree, par, work, zero):
    """Acceleration of a base that is held, or whose accelerations are given, accumulated rate by rate."""
    rates, felt, count = integer(tree, W_RATE), integer(tree, W_PASSIVE) + FELT, integer(tree, BASE_RATES)
    a = integer(tree, W_BODY) + ACCELERATION
    store6(work, a, (zero, zero, zero, zero, zero, zero))
    for k in range(count):
        store(work, felt + k * PASSIVE_WORK, zero)
    for k in range(count):
        axis = base_axis(tree, k)
        qdd = settle(tree, par, work, k, load(work, felt + k * PASSIVE_WORK, zero), zero)
        store(work, a + axis, qdd)
        for j in range(k + 1, count):
            mine, gain = felt + j * PASSIVE_WORK, load(work, rates + j * RATE_WORK + GAIN + axis, zero)
            store(work, mine, load(work, mine, zero) + gain * qdd)
    return load6(work, a, zero)


@inner
def recover_base(tree, par, work, zero):
    """QDD of the base's rates, and its acceleration."""
    rates = integer(tree, W_RATE)
    if is_free_base(tree):
        a = settle_free_rate(work, rates, zero, zero)
        g = load6(work, rates + RATE_WORK + GAIN, zero)
        b = settle_free_rate(work, rates + RATE_WORK, g[0] * a, zero)
        g = load6(work, rates + 2 * RATE_WORK + GAIN, zero)
        c = settle_free_rate(work, rates + 2 * RATE_WORK, g[0] * a + g[1] * b, zero)
        g = load6(work, rates + 3 * RATE_WORK + GAIN, zero)
        d = settle_free_rate(work, rates + 3 * RATE_WORK, g[0] * a + g[1] * b + g[2] * c, zero)
        g = load6(work, rates + 4 * RATE_WORK + GAIN, zero)
        e = settle_free_rate(work, rates + 4 * RATE_WORK, g[0] * a + g[1] * b + g[2] * c + g[3] * d, zero)
        g = load6(work, rates + 5 * RATE_WORK + GAIN, zero)
        felt = g[0] * a + g[1] * b + g[2] * c + g[3] * d + g[4] * e
        f = settle_free_rate(work, rates + 5 * RATE_WORK, felt, zero)
        return a, b, c, d, e, f
    return recover_held_base(tree, par, work, zero)
