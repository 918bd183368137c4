"""Steps that joints are made of: slides, turns and screws, their columns, and kinds that are any sequence of them."""

from ..scalar.compiling import inner, rare
from ..scalar.fused_vectors import two
from ..scalar.memory import integer, load, shared
from .layout import *  # noqa: F403  (the layout's constants)
from .spatial import add3, column_x, column_y, column_z, cross, load3, load9, scale3, store3, store6, store9


@inner
def turned(a, b, s, c):
    """Two axes turned about the third one: c a + s b, c b - s a; fused by name, alike for one robot and for packs."""
    na = two(c, a[0], s, b[0]), two(c, a[1], s, b[1]), two(c, a[2], s, b[2])
    return na, (two(c, b[0], -s, a[0]), two(c, b[1], -s, a[1]), two(c, b[2], -s, a[2]))


@inner
def turn_about_z(R, s, c):
    """R Rz(angle)."""
    x, y = column_x(R), column_y(R)
    nx, ny = turned(x, y, s, c)
    return nx[0], ny[0], R[2], nx[1], ny[1], R[5], nx[2], ny[2], R[8]


@inner
def turn_about_y(R, s, c):
    """R Ry(angle)."""
    x, z = column_x(R), column_z(R)
    nz, nx = turned(z, x, s, c)
    return nx[0], R[1], nz[0], nx[1], R[4], nz[1], nx[2], R[7], nz[2]


@inner
def rotating(axis, p):
    """Column of a rotation about an axis through p."""
    return cross(p, axis) + axis


@inner
def sliding(axis, zero):
    """Column of a translation."""
    return axis + (zero, zero, zero)


@inner
def turn_about_x(R, s, c):
    """R Rx(angle)."""
    y, z = column_y(R), column_z(R)
    ny, nz = turned(y, z, s, c)
    return R[0], ny[0], nz[0], R[3], ny[1], nz[1], R[6], ny[2], nz[2]


@inner
def swapped_axes(tree, work, record, rotation, zero):
    """R P of an R in memory and a P whose columns are unit vectors or their negatives: columns of R change places."""
    axes, signs, last = integer(tree, record + SWAP_AXES), integer(tree, record + SWAP_SIGNS), (1 << SWAP_BITS) - 1
    x, y, z = axes & last, (axes >> SWAP_BITS) & last, axes >> 2 * SWAP_BITS
    a, b, c = (
        1.0 * ((signs & last) - 1),
        1.0 * (((signs >> SWAP_BITS) & last) - 1),
        1.0 * ((signs >> 2 * SWAP_BITS) - 1),
    )
    return (
        a * load(work, rotation + x, zero),
        b * load(work, rotation + y, zero),
        c * load(work, rotation + z, zero),
        a * load(work, rotation + 3 + x, zero),
        b * load(work, rotation + 3 + y, zero),
        c * load(work, rotation + 3 + z, zero),
        a * load(work, rotation + 6 + x, zero),
        b * load(work, rotation + 6 + y, zero),
        c * load(work, rotation + 6 + z, zero),
    )


@rare
def take_steps(tree, par, work, i, zero):
    """Move body i from its joint's frame, where it is in `work`, by the steps that its joint's kind spells; columns.

    How the number of a kind spells them: layout.py. Not inlined: built-in kinds have their motion written out.
    """
    record = integer(tree, BODY_AT) + i * BODY_INTS
    body = integer(tree, W_BODY) + i * BODY_WORK
    x = integer(tree, W_X) + integer(tree, record + COORDINATE)
    rate = integer(tree, W_RATE) + integer(tree, record + RATE) * RATE_WORK
    angle, steps = integer(tree, record + ANGLE), integer(tree, record + KIND) // STEPS
    R, p = load9(work, body + ROTATION, zero), load3(work, body + POSITION, zero)
    while steps > 0:
        step = steps % STEPS - 1
        motion, direction = step // 3, step % 3
        along = column_x(R)
        if direction == 1:
            along = column_y(R)
        elif direction == 2:
            along = column_z(R)
        if motion == STEP_SLIDE:
            store6(work, rate + S, sliding(along, zero))
            p = add3(p, scale3(load(work, x, zero), along))
        else:
            lead = zero
            if motion == STEP_SCREW:
                lead = zero + shared(par, i * BODY_PARS + P_PITCH, zero)
            store6(work, rate + S, add3(cross(p, along), scale3(lead, along)) + along)
            p = add3(p, scale3(lead * load(work, x, zero), along))
            s, c = load(work, integer(tree, W_SINE) + angle, zero), load(work, integer(tree, W_COSINE) + angle, zero)
            if direction == 0:
                R = turn_about_x(R, s, c)
            elif direction == 1:
                R = turn_about_y(R, s, c)
            else:
                R = turn_about_z(R, s, c)
            angle += 1
        x += 1
        rate += RATE_WORK
        steps //= STEPS
    store9(work, body + ROTATION, R)
    store3(work, body + POSITION, p)
