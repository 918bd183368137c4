"""Coulomb's law at one place that slides, with all other impulses as they are.

The tangential impulse is on the disc of mu p_n and opposes v_t: a secular equation, by Newton's method from below.
Matrices are symmetric, (nn, n1, n2, 11, 22, 12), in the axes of the place: normal, two tangents.

Sums of products are fused by name: a compiler may fuse the first of two products or the second, one way for one robot
and another for packs, and a robot alone would no longer move to the bit as in a pack.
"""

from ..scalar.compiling import inner
from ..scalar.pack import fused, magnitude, select, somewhere, sqrt

INNER, NEWTON = 2, 8
SLACK = 1.0 + 1e-13  # of the square of a disc's radius, what is outside by rounding
NOTHING = 1e-200


@inner
def dot(a, b):
    """a.b of three numbers."""
    return fused(a[2], b[2], fused(a[1], b[1], a[0] * b[0]))


@inner
def two(a, b, c, d):
    """a b + c d."""
    return fused(a, b, c * d)


@inner
def times(G, p):
    """A symmetric matrix (nn, n1, n2, 11, 22, 12) times three numbers."""
    return dot((G[0], G[1], G[2]), p), dot((G[1], G[3], G[5]), p), dot((G[2], G[5], G[4]), p)


@inner
def on_disc(G, s, limit, zero):
    """The p_t on a disc that makes p.G p / 2 - s.p least: (G + lam) p = s, |p| = limit, or lam = 0 within."""
    a, b, c = G[3], G[4], G[5]
    some = limit > NOTHING
    safe = select(some, limit, zero + 1.0)
    inverse, half, most = 1.0 / safe, 0.5 * (a - b), fused(SLACK * safe, safe, zero)
    lam = fused(sqrt(two(s[0], s[0], s[1], s[1])), inverse, -fused(0.5, a + b, sqrt(two(half, half, c, c))))
    lam = select(lam > 0.0, lam, zero)
    x, y, square, outside, steps, going = zero, zero, zero, zero, 0, True
    while going:
        A, B = a + lam, b + lam
        k = 1.0 / two(A, B, -c, c)
        x, y = k * two(B, s[0], -c, s[1]), k * two(A, s[1], -c, s[0])
        square = two(x, x, y, y)
        outside = select(some, square - most, zero - 1.0)
        going = steps < NEWTON and somewhere(outside > 0.0)  # from below: it is outside until it is found
        if going:
            steps += 1
            bend = k * two(x, two(B, x, -c, y), y, two(A, y, -c, x))
            bend = select(outside > 0.0, bend, zero + 1.0)
            more = square * (sqrt(square) - safe) * inverse / bend
            lam = lam + select(outside > 0.0, more, zero)
    share = select(some, zero + 1.0, zero)
    if somewhere(outside > 0.0):  # Newton's method has ended too soon
        share = select(outside > 0.0, safe / sqrt(select(outside > 0.0, square, zero + 1.0)), share)
    return share * x, share * y


@inner
def slide(G, r, friction, p, slides, zero):
    """Impulses of a place in lanes where it slides, with the velocity r that it has without them; elsewhere none."""
    n, x, y = p
    inverse, rounds, going = 1.0 / G[0], 0, True
    while going:
        new = -fused(G[2], y, fused(G[1], x, r[0])) * inverse
        new = select(new <= 0.0, zero, new)  # what is no number stays, so that the run ends
        new = select(slides > 0.0, new, zero)
        rounds += 1
        # once, if normal and tangential impulses do not know of each other
        going = rounds == 1 or (rounds <= INNER and somewhere(magnitude(new - n) > 0.0))
        if going:
            n, x, y = new, zero, zero
            if somewhere(friction * n > NOTHING):
                x, y = on_disc(G, (fused(-G[1], n, -r[1]), fused(-G[2], n, -r[2])), friction * n, zero)
    return n, x, y


@inner
def clamp(value, most, zero):
    """A value, or the nearest within +-most."""
    value = select(value > most, most, value)
    return select(value < zero - most, zero - most, value)


@inner
def where(mask, d, zero):
    """Three numbers in lanes of a mask, zero in others."""
    return select(mask > 0.0, d[0], zero), select(mask > 0.0, d[1], zero), select(mask > 0.0, d[2], zero)
