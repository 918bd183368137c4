"""Coulomb's law at one place that slides, with all other impulses as they are.

The tangential impulse is on the disc of mu p_n and opposes v_t: a secular equation, by Newton's method, a step a sweep.
Matrices are symmetric, (nn, n1, n2, 11, 22, 12), in the axes of the place: normal, two tangents.

Sums of products are fused by name (fused_vectors.py): a robot alone moves to the bit as in a pack.
"""

from ..scalar.compiling import inner
from ..scalar.fused_vectors import dot3, two
from ..scalar.pack import fused, magnitude, select, somewhere, sqrt

ROUNDING = 1e-13  # of the square of a disc's radius
NOTHING = 1e-140


@inner
def times(G, p):
    """A symmetric matrix (nn, n1, n2, 11, 22, 12) times three numbers."""
    return dot3((G[0], G[1], G[2]), p), dot3((G[1], G[3], G[5]), p), dot3((G[2], G[5], G[4]), p)


@inner
def shifted(G, s, lam):
    """(G + lam)^-1 s of the tangential part, and one over the determinant."""
    a, b, c = G[3] + lam, G[4] + lam, G[5]
    k = 1.0 / two(a, b, -c, c)
    return k * two(b, s[0], -c, s[1]), k * two(a, s[1], -c, s[0]), k


@inner
def bounded(G, s, inverse, lam, zero):
    """The lam nearest to the given one that the eigenvalues of G allow for a radius 1 / inverse; the least of these."""
    half, mean = 0.5 * (G[3] - G[4]), 0.5 * (G[3] + G[4])
    spread, middle = sqrt(two(half, half, G[5], G[5])), fused(sqrt(two(s[0], s[0], s[1], s[1])), inverse, -mean)
    least = select(middle > spread, middle - spread, zero)
    most = select(middle > -spread, middle + spread, zero)
    lam = select(lam < most, lam, most)
    return select(lam > least, lam, least), least


@inner
def on_disc(G, s, limit, lam, zero):
    """The p_t on a disc that makes p.G p / 2 - s.p least: (G + lam) p = s, |p| = limit, or lam = 0 within; and lam.

    One step of Newton's method from the lam of the last sweep: the next sweep goes on from there. So only the direction
    is inexact meanwhile, no impulse leaves the disc.
    """
    some = limit > NOTHING
    safe = select(some, limit, zero + 1.0)
    inverse, square = 1.0 / safe, safe * safe
    lam, least = bounded(G, s, inverse, lam, zero)
    x, y, k = shifted(G, s, lam)
    size = two(x, x, y, y)
    off = select(magnitude(size - square) > ROUNDING * square, zero + 1.0, zero)
    off = select(some, select(size < square, select(lam > 0.0, off, zero), off), zero)
    if somewhere(off > 0.0):
        bend = k * two(x, two(G[4] + lam, x, -G[5], y), y, two(G[3] + lam, y, -G[5], x))
        more = size * (sqrt(size) - safe) * inverse / select(off > 0.0, bend, zero + 1.0)
        lam = lam + select(off > 0.0, more, zero)
        lam = select(lam > least, lam, least)
        found = shifted(G, s, lam)
        x, y = select(off > 0.0, found[0], x), select(off > 0.0, found[1], y)
        size = two(x, x, y, y)
    share = safe / sqrt(select(size > square, size, select(lam > 0.0, size, square)))
    share = select(some, share, zero)
    return share * x, share * y, lam


@inner
def slide(G, r, friction, p, lam, zero):
    """Impulses of a place that slides, with the velocity r that it has without them; and lam of its disc.

    The normal impulse is that with the last friction, and the other way round: sweeps come again.
    """
    n = -fused(G[2], p[2], fused(G[1], p[1], r[0])) / G[0]
    n = select(n <= 0.0, zero, n)  # NaN stays, so that the run ends
    x, y, lam = on_disc(G, (fused(-G[1], n, -r[1]), fused(-G[2], n, -r[2])), friction * n, lam, zero)
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
