"""Small dense systems of equations, in place: factors of a matrix by Gauss with pivots, and solutions by them.

Flat arrays of doubles; rows of the matrix one after another. For the implicit method, whose matrices have some ten to a
hundred rows: those of LAPACK cost more to call than to run at that size, and cannot be called from where no Python is.
"""

from .compiling import inner
from .memory import load, store


@inner
def factorise(a, pivots, n):
    """L and U of a matrix, with the rows that were exchanged; False if it is singular."""
    for k in range(n):
        best, most = k, abs(load(a, k * n + k, 0.0))
        for i in range(k + 1, n):
            size = abs(load(a, i * n + k, 0.0))
            if size > most:
                best, most = i, size
        store(pivots, k, 1.0 * best)
        if not most > 0.0:
            return False
        if best != k:
            for j in range(k, n):  # factors stay where they are: `solve` exchanges as it goes
                mine, other = load(a, k * n + j, 0.0), load(a, best * n + j, 0.0)
                store(a, k * n + j, other)
                store(a, best * n + j, mine)
        inverse = 1.0 / load(a, k * n + k, 0.0)
        for i in range(k + 1, n):
            factor = load(a, i * n + k, 0.0) * inverse
            store(a, i * n + k, factor)
            if factor != 0.0:
                for j in range(k + 1, n):
                    store(a, i * n + j, load(a, i * n + j, 0.0) - factor * load(a, k * n + j, 0.0))
    return True


@inner
def solve(a, pivots, b, n):
    """The right-hand side b becomes the solution."""
    for k in range(n):
        other = int(load(pivots, k, 0.0))
        mine = load(b, other, 0.0)
        if other != k:
            store(b, other, load(b, k, 0.0))
            store(b, k, mine)
        for i in range(k + 1, n):
            store(b, i, load(b, i, 0.0) - load(a, i * n + k, 0.0) * mine)
    for i in range(n - 1, -1, -1):
        total = load(b, i, 0.0)
        for j in range(i + 1, n):
            total -= load(a, i * n + j, 0.0) * load(b, j, 0.0)
        store(b, i, total / load(a, i * n + i, 0.0))
