"""Coulomb's law at one place that slides, with all other impulses as they are.

The tangential impulse is on the disc of radius mu p_n and opposes v_t: a secular equation, solved by Newton's method
with one iteration per sweep.
Matrices are symmetric, (nn, n1, n2, 11, 22, 12), in the axes of the place: normal, two tangents.

Sums of products are fused by name (fused_vectors.py): a robot alone moves to the bit as in a pack.
"""

from ..scalar.compiling import inner, rare
from ..scalar.fused_vectors import dot3, two
from ..scalar.pack import fused, magnitude, select, somewhere, sqrt

ROUNDING = 1e-13  # of the square of a disc's radius
NOTHING = 1e-140
LARGEST = 1e12  # times the trace of G: a larger lam does not change the direction
STEEP = 0.7  # a place is steep if mu |G_nt| exceeds this part of G_nn: alternating n and t would not converge
LOOKS, DISC_STEPS = 60, 8  # at a steep place: most trial values of p_n, Newton iterations for each
EXACT = 1e-14  # of the normal velocity without impulses: an error that is zero


@inner
def times(G, p):
    """A symmetric matrix (nn, n1, n2, 11, 22, 12) times three numbers."""
    return dot3((G[0], G[1], G[2]), p), dot3((G[1], G[3], G[5]), p), dot3((G[2], G[5], G[4]), p)


@inner
def on_disc(G, s, limit, lam, zero):
    """The p_t on a disc that makes p.G p / 2 - s.p least: (G + lam) p = s, |p| = limit, or lam = 0 within; and lam.

    One step of Newton's method for 1 / |p| = 1 / limit from the lam of the last sweep: the next sweep goes on from
    there. So only the direction is inexact meanwhile, no impulse leaves the disc. 1 / |p| is concave in lam and rises:
    from below its zero steps stay below it, and one from above that would go below 0 ends there.

    With A = (G + lam)^-1 and p = A s, a step of d leads to ((1 + d tr A) p - d A p) / (1 + d tr A + d^2 det A): with no
    other division before the last one. Each waits for what is before it, and so do all bodies that touch.
    """
    some = limit > NOTHING
    safe = select(some, limit, zero + 1.0)
    square, a, b, c = safe * safe, G[3] + lam, G[4] + lam, G[5]
    k = 1.0 / two(a, b, -c, c)  # det A
    x, y = k * two(b, s[0], -c, s[1]), k * two(a, s[1], -c, s[0])
    size = two(x, x, y, y)
    off = select(magnitude(size - square) > ROUNDING * square, zero + 1.0, zero)
    off = select(some, select(size < square, select(lam > 0.0, off, zero), off), zero)
    u, v = k * two(b, x, -c, y), k * two(a, y, -c, x)
    bend = select(off > 0.0, safe * two(x, u, y, v), zero + 1.0)
    new, most = lam + select(off > 0.0, size * (sqrt(size) - safe) / bend, zero), LARGEST * (G[3] + G[4])
    new = select(new > 0.0, select(new < most, new, most), zero)
    d = new - lam
    grows = fused(d, k * (a + b), 1.0)
    x, y = two(grows, x, -d, u), two(grows, y, -d, v)
    length, whole = sqrt(two(x, x, y, y)), safe * fused(d * d, k, grows)
    share = safe / select(new > 0.0, length, select(length > whole, length, whole))
    share = select(some, share, zero)
    return share * x, share * y, new


@inner
def slide(G, r, friction, p, lam, zero):
    """Impulses of a place that slides, r its velocity without them; and lam of its disc.

    The normal impulse is solved with the last friction, then friction with that; later sweeps repeat both.
    """
    n = -fused(G[2], p[2], fused(G[1], p[1], r[0])) * (1.0 / G[0])
    n = select(n <= 0.0, zero, n)  # NaN stays, so that the run ends
    x, y, lam = on_disc(G, (fused(-G[1], n, -r[1]), fused(-G[2], n, -r[2])), friction * n, lam, zero)
    return n, x, y, lam


@inner
def is_steep(G, friction, zero):
    """1 where friction changes the normal velocity as much as the normal impulse does: found in turn, both diverge."""
    across, own = friction * friction * two(G[1], G[1], G[2], G[2]), STEEP * G[0]
    return select(across > own * own, zero + 1.0, zero)


@inner
def with_friction(G, r, friction, n, lam, zero):
    """The tangential impulse that belongs to a normal one, lam of its disc, and the normal velocity with both."""
    x, y, steps, going = zero, zero, 0, True
    while going:
        x, y, new = on_disc(G, (fused(-G[1], n, -r[1]), fused(-G[2], n, -r[2])), friction * n, lam, zero)
        steps += 1
        going = steps < DISC_STEPS and somewhere(magnitude(new - lam) > 0.0)
        lam = new
    return x, y, lam, fused(G[2], y, fused(G[1], x, fused(G[0], n, r[0])))


@rare
def slide_steeply(G, r, friction, p, steep, lam, zero):
    """Impulses of a steep place that slides, as `slide`: solves for the normal impulse with zero normal velocity.

    The normal velocity is negative below -r_n / (G_nn + mu |G_nt|), and finally positive, since G is positive definite.
    The last impulse is doubled until it is positive; then the rule of false position (Illinois) finds the zero.
    """
    most = fused(friction, sqrt(two(G[1], G[1], G[2], G[2])), G[0])
    active, least = select(r[0] >= 0.0, zero, steep), -r[0] / most  # NaN stays, so that the run ends
    n = select(active > 0.0, select(p[0] > least, p[0], least), zero)
    low, below, high, above, side, looks = zero, r[0], zero, zero, zero, 0
    x, y = zero, zero
    while looks < LOOKS and somewhere(active > 0.0):
        looks += 1
        found = with_friction(G, r, friction, n, lam, zero)
        x, y = select(active > 0.0, found[0], x), select(active > 0.0, found[1], y)
        lam, v = select(active > 0.0, found[2], lam), found[3]
        active = select(magnitude(v) > EXACT * (magnitude(r[0]) + G[0] * n), active, zero)
        up = v > 0.0
        below, above = (
            select(up, select(side > 0.0, 0.5 * below, below), v),
            select(up, v, select(side < 0.0, 0.5 * above, above)),
        )
        low, high, side = select(up, low, n), select(up, n, high), select(up, zero + 1.0, zero - 1.0)
        between = (low * above - high * below) / select(above > below, above - below, zero + 1.0)
        n = select(active > 0.0, select(high > 0.0, between, 2.0 * n), n)
    return n, x, y, lam


@inner
def clamp(value, most, zero):
    """A value, or the nearest within +-most."""
    value = select(value > most, most, value)
    return select(value < zero - most, zero - most, value)


@inner
def where(mask, d, zero):
    """Three numbers in lanes of a mask, zero in others."""
    return select(mask > 0.0, d[0], zero), select(mask > 0.0, d[1], zero), select(mask > 0.0, d[2], zero)
