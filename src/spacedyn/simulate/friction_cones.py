"""Several contacts at once with Coulomb's friction: impulses or forces p, velocities or accelerations W p + b.

    pn >= 0,   (W p + b)n >= 0,   one of them zero;   |pt| <= mu pn,   pt against (W p + b)t where that is not zero

First, modes are found by trial: all contacts are assumed to stick, with the least impulses that achieve it. A contact
that would have to pull opens, one whose friction exceeds its limit slips, and so on until nothing changes. Where forces
are indeterminate and the least ones exceed the limit, forces of least friction are taken if they are within it. If the
trial does not end, Newton's method solves the law written as equations (Alart, Curnier), with several weights: the feet
of one stiff body, which nearly fix each other, need that. The last resort solves one contact at a time, in turn. The
direction of contacts that already slide is given.
"""

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.elements.rigid_contact import SPARED
from .impact_laws import _ANGLES
from .row_roots import forces_that_move_nothing, independent_columns, least_impulses, root_of

Array = np.ndarray
_SWEEPS = 2000
_ROUNDING = 1e-11  # of the greatest eigenvalue of W: smaller ones are rounding where no root of W is given
_FIXED = 1e-13  # of the greatest eigenvalue of W of one contact: smaller ones belong to directions that joints block
_ITERATIONS, _HALVINGS = 30, 8  # of Newton's method
_WEIGHTS = 1.0, 1e3, 30.0, 1e4, 1e5, 1e2  # of tangential velocities, against a contact's own inertia
_BACKWARD = 1e-13  # of the greatest velocity: slip that is rounding
AT_LIMIT, CLEAR = 1e-8, 1e-6  # of the limit: friction nearer to it is at the limit; friction farther is clear of it
_LIKELY_WEIGHTS = 1e3, 1e2  # those that succeed most often where feet spread


class Solution(NamedTuple):
    """Impulses (n, 3) and velocities (n, 3) of n contacts, or forces and accelerations; normal components first."""

    p: Array
    v: Array


class Jammed(InputError):
    """Raised where its own friction presses a sliding contact against the surface: Painlevé's paradox."""


def solve_cones(
    W: Array,
    b: Array,
    mu: Array,
    directions: list[Array | None],
    *,
    may_share: bool = False,
    root: Array | None = None,
) -> Solution:
    """Solve for all contacts.

    Parameters
    ----------
    W : (3 n, 3 n)
        Symmetric; three numbers a contact, normal first.
    b : (3 n,)
        Velocities, or accelerations, without any impulse.
    mu : (n,)
        Coefficients of friction.
    directions : list of (2,) or None
        Of contacts that slide, tangential; None of those that may stick.
    may_share : bool
        Whether contacts stick if the forces of least friction are within the limits though the least forces are not.
        True for forces only: friction impulses are at the limit as long as there is slip.
    root : (k, 3 n), optional
        A with W = A'A: it shows more sharply than W which forces move nothing.

    >>> found = solve_cones(np.eye(3), np.array([-1.0, 0.3, 0.0]), np.array([0.5]), [None])
    >>> bool(abs(found.p - [1.0, -0.3, 0.0]).max() < 1e-12), bool(abs(found.v).max() < 1e-12)
    (True, True)
    """
    n, size = len(mu), float(np.abs(b).max(initial=0.0))
    A = root_of(W, _ROUNDING) if root is None else root
    found = None
    if n > 1 or len(independent_columns(A)[0]) < 3:  # joints may block a direction of a single contact
        found = _by_modes(A, b, mu, directions, may_share) or _by_newton(W, b, mu, directions)
    if found is not None:
        return found
    p = np.zeros((n, 3))
    for _ in range(_SWEEPS if n > 1 else 1):
        most = 0.0
        for i in range(n):
            mine = slice(3 * i, 3 * i + 3)
            q = b[mine] + W[mine] @ p.reshape(-1) - W[mine, mine] @ p[i]
            new = _one(W[mine, mine], q, float(mu[i]), directions[i], size)
            most = max(most, float(np.abs(W[mine, mine] @ (new - p[i])).max()))
            p[i] = new
        if most <= 1e-15 * size:
            break
    return Solution(p, (b + W @ p.reshape(-1)).reshape(n, 3))


def try_cones(A: Array, b: Array, mu: Array, directions: list[Array | None]) -> Solution | None:
    """Solve several contacts that may share forces, from the root A of W, with few weights; None if not found."""
    return _by_modes(A, b, mu, directions, True) or _by_newton(A.T @ A, b, mu, directions, _LIKELY_WEIGHTS)


def expand(W: Array, b: Array, mu: Array, least: Array) -> Array:
    """(3 n,) impulses whose normal parts are at least `least` (n,), and larger where contacts would approach.

    This is the expansion that follows compression; the friction limit is that of the whole normal impulse.

    >>> expand(np.eye(3), np.array([0.0, 1.0, 0.0]), np.array([0.2]), np.array([0.5])).tolist()
    [0.5, -0.1, 0.0]
    """
    nowhere: list[Array | None] = [None] * len(mu)
    found = _by_newton(W, b, mu, nowhere, least=least)
    if found is not None:
        return found.p.reshape(-1)
    p, own = np.zeros((len(mu), 3)), np.diag(W).reshape(-1, 3)
    p[:, 0] = least
    for _ in range(_SWEEPS):
        before = p.copy()
        for i in range(len(mu)):
            mine = slice(3 * i, 3 * i + 3)
            p[i, 0] = max(p[i, 0] - (b[3 * i] + W[3 * i] @ p.reshape(-1)) / own[i, 0], least[i])
            p[i, 1:] -= (b[mine] + W[mine] @ p.reshape(-1))[1:] / max(own[i, 1:].sum(), 1e-300)
            p[i, 1:] *= min(1.0, mu[i] * p[i, 0] / max(float(np.hypot(*p[i, 1:])), 1e-300))
        if np.abs(p - before).max() <= 1e-14 * np.abs(p).max():
            break
    return p.reshape(-1)


def _one(W: Array, q: Array, mu: float, direction: Array | None, size: float) -> Array:
    """Impulse (3,) of one contact whose velocity without that impulse is q."""
    if q[0] >= 0.0:
        return np.zeros(3)
    if direction is not None or mu == 0.0:
        push = np.array([1.0, *(-mu * (np.zeros(2) if direction is None else direction))])
        rate = float(W[0] @ push)
        if rate <= 1e-12 * W[0, 0]:
            raise Jammed(
                "friction presses a point that slides against the surface, and no finite force of rigid bodies keeps "
                "it out (Painlevé's paradox): take less friction, or a compliant Contact"
            )
        return push * (-q[0] / rate)
    p = -np.linalg.lstsq(W, q, rcond=_FIXED)[0]
    if p[0] >= 0.0 and np.hypot(p[1], p[2]) <= mu * p[0] * (1.0 + 1e-14):
        return p
    return _sliding(W, q, mu, size)


def _sliding(W: Array, q: Array, mu: float, size: float) -> Array:
    """Impulse of one slipping contact: friction opposes the resulting slip, which may be zero to rounding."""
    backward = -_BACKWARD * (1.0 + mu) * size  # at the limit of friction it does not move yet

    def of(angles: Array) -> tuple[Array, Array, Array]:
        d = np.stack([np.cos(angles), np.sin(angles)])
        rate = W[0, 0] - mu * (W[0, 1:] @ d)
        pn = -q[0] / np.where(rate > 0.0, rate, np.nan)
        v = q[1:, None] + pn * (W[1:, :1] - mu * (W[1:, 1:] @ d))
        return pn, d[0] * v[1] - d[1] * v[0], d[0] * v[0] + d[1] * v[1]

    _, across, _ = of(_ANGLES)
    for i in np.flatnonzero(across[:-1] * across[1:] <= 0.0):
        low, high = _ANGLES[i], _ANGLES[i + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            value = float(of(np.array([middle]))[1][0])
            low, high = (middle, high) if value * across[i] > 0.0 else (low, middle)
        force, _, along = (float(one[0]) for one in of(np.array([0.5 * (low + high)])))
        if force > 0.0 and along >= backward:
            return force * np.array([1.0, -mu * np.cos(low), -mu * np.sin(low)])
    raise Jammed(
        "friction presses a point against the surface in every direction in which it could slip (Painlevé's paradox): "
        "take less friction, or a compliant Contact"
    )


def _by_modes(A: Array, b: Array, mu: Array, directions: list[Array | None], may_share: bool) -> Solution | None:
    """Find the modes of all contacts by trial, with the least impulses; None if the trial does not end."""
    n = len(mu)
    slips = [np.zeros(2) if d is None and mu[i] == 0.0 else d for i, d in enumerate(directions)]
    acts, near = np.ones(n, dtype=bool), 1e-9 * float(np.abs(b).max(initial=0.0))
    for _ in range(6 * n):
        p, v = _least(A, b, mu, acts, slips)
        changed = False
        pulls = acts & (p[:, 0] < -1e-12 * np.abs(p).max(initial=0.0))
        if pulls.any():
            acts[int(np.argmin(p[:, 0]))] = False
            continue
        if may_share:
            p = _shared(A, mu, np.array([acts[i] and slips[i] is None for i in range(n)]), p)
        for i in range(n):
            friction, slip = float(np.hypot(p[i, 1], p[i, 2])), slips[i]
            if not acts[i]:
                changed |= bool(v[i, 0] < -near)
                acts[i] |= v[i, 0] < -near
            elif slip is None and friction > mu[i] * p[i, 0] * (1.0 + 1e-12):
                slips[i], changed = -p[i, 1:] / friction, True
            elif slip is not None and directions[i] is None and mu[i] > 0.0:
                moves = float(np.linalg.norm(v[i, 1:]))
                if moves > near and slip @ v[i, 1:] < 0.0:
                    slips[i], changed = None, True
                elif moves > near and np.abs(v[i, 1:] / moves - slip).max() > 1e-13:
                    slips[i], changed = v[i, 1:] / moves, True
        if not changed:
            held = [np.abs(v[i] if slips[i] is None else v[i, :1]).max() for i in np.flatnonzero(acts)]
            return Solution(p, v) if max(held, default=0.0) <= near else None
    return None


def _shared(A: Array, mu: Array, stick: Array, p: Array) -> Array:
    """Forces p (n, 3), or the forces of least friction where friction of sticking contacts exceeds its limit.

    The two differ by forces that move nothing. If friction still exceeds its limit, p is returned.
    """
    if not exceed(p[stick], mu[stick], AT_LIMIT):
        return p
    rows = (3 * np.flatnonzero(stick)[:, None] + np.arange(3)).ravel()
    Z, weights = forces_that_move_nothing(A[:, rows]), np.tile([1.0 - SPARED, 1.0, 1.0], len(rows) // 3)
    z = np.linalg.lstsq(weights[:, None] * Z, -weights * p.reshape(-1)[rows], rcond=None)[0]
    spared = p.copy()
    spared[stick] += (Z @ z).reshape(-1, 3)
    is_pressed = bool(np.all(spared[stick, 0] > 0.0))
    return spared if is_pressed and not exceed(spared[stick], mu[stick], CLEAR) else p


def exceed(p: Array, mu: Array, near: float) -> bool:
    """Whether friction of some contact is beyond (1 - near) of its limit."""
    return bool(np.any(np.hypot(p[:, 1], p[:, 2]) > mu * p[:, 0] * (1.0 - near)))


def _least(A: Array, b: Array, mu: Array, acts: Array, slips: list[Array | None]) -> Solution:
    """The least impulses with which the contacts `acts` stick, or slip in the direction given by `slips`."""
    columns, rows = [], []
    for i in np.flatnonzero(acts):
        slip = slips[i]
        if slip is None:
            columns += list(np.eye(len(b))[3 * i : 3 * i + 3])
            rows += [3 * i, 3 * i + 1, 3 * i + 2]
            continue
        push = np.zeros(len(b))
        push[3 * i : 3 * i + 3] = 1.0, *(-mu[i] * slip)
        columns.append(push)
        rows.append(3 * i)
    if not rows:
        return Solution(np.zeros((len(mu), 3)), b.reshape(-1, 3))
    C = np.array(columns).T
    x, v = least_impulses(A, b, np.array(rows), C)
    return Solution((C @ x).reshape(-1, 3), v.reshape(-1, 3))


class _Law:
    """Residual of Coulomb's law of all contacts, a piecewise smooth function of p (Alart, Curnier).

    It is the difference of both sides of

    p_n = max(p_n - r_n v_n, l);   p_t = p_t - r_t v_t, or the point of the disc mu p_n that is nearest to it

    with the least normal impulse l, which is 0 but for expansions.
    """

    def __init__(
        self, W: Array, b: Array, mu: Array, directions: list[Array | None], weight: float, least: Array
    ) -> None:
        own = np.diag(W).reshape(-1, 3)
        self.W, self.b, self.mu, self.directions = W, b, mu, directions
        self.r_n, self.r_t = 1.0 / own[:, 0], weight / np.maximum(own[:, 1:].max(axis=1), _FIXED * own[:, 0])
        self.least = least
        self.eye = np.eye(len(b))

    def __call__(self, p: Array) -> tuple[Array, Array]:
        """Values (3 n,), and their derivatives (3 n, 3 n)."""
        v, F, J = self.b + self.W @ p, np.empty_like(p), np.empty_like(self.W)
        for i in range(len(self.mu)):
            n, t, d = 3 * i, slice(3 * i + 1, 3 * i + 3), self.directions[i]
            presses, more = p[n] - self.least[i] > self.r_n[i] * v[n], p[n] - self.least[i]
            F[n], J[n] = (self.r_n[i] * v[n], self.r_n[i] * self.W[n]) if presses else (more, self.eye[n])
            if d is not None or self.mu[i] == 0.0:
                pull = self.mu[i] * (np.zeros(2) if d is None else d)
                F[t], J[t] = p[t] + p[n] * pull, self.eye[t] + np.outer(pull, self.eye[n])
            else:
                F[t], J[t] = self._friction(i, p, v, presses)
        return F, J

    def _friction(self, i: int, p: Array, v: Array, presses: bool) -> tuple[Array, Array]:
        """Friction equations of a contact that may stick, and their derivatives."""
        n, t, r = 3 * i, slice(3 * i + 1, 3 * i + 3), self.r_t[i]
        limit = self.mu[i] * (p[n] - self.r_n[i] * v[n]) if presses else self.mu[i] * self.least[i]
        wanted = p[t] - r * v[t]
        size = float(np.hypot(*wanted))
        if size <= limit:
            return r * v[t], r * self.W[t]
        along = wanted / size
        grows = self.mu[i] * (self.eye[n] - self.r_n[i] * self.W[n]) if presses else np.zeros(len(p))
        turns = limit / size * (np.eye(2) - np.outer(along, along)) @ (self.eye[t] - r * self.W[t])
        return p[t] - limit * along, self.eye[t] - np.outer(along, grows) - turns


def _by_newton(
    W: Array,
    b: Array,
    mu: Array,
    directions: list[Array | None],
    weights: tuple[float, ...] = _WEIGHTS,
    least: Array | None = None,
) -> Solution | None:
    """Solve all contacts at once by Newton's method, with the first weight that converges; None if none does."""
    n = len(mu)
    start, low = np.zeros(3 * n), np.zeros(n) if least is None else least
    own = np.diag(W)[::3]
    start[::3] = np.maximum(-b[::3] / own, low)
    near = 1e-13 * float(max(np.abs(b).max(), (own * low).max()) / own.min())
    for weight in weights:
        p = _newton(_Law(W, b, mu, directions, weight, low), start, near)
        if p is not None:
            return Solution(p.reshape(n, 3), (b + W @ p).reshape(n, 3))
    return None


def _newton(law: _Law, p: Array, near: float) -> Array | None:
    """Newton's method from a start p, with each step halved until the residual decreases; None without convergence."""
    F, J = law(p)
    for _ in range(_ITERATIONS):
        size = float(np.linalg.norm(F))
        if size <= near:
            return p
        step = np.linalg.lstsq(J, -F, rcond=1e-14)[0]
        tried = []
        for k in range(_HALVINGS):
            there = p + 0.5**k * step
            tried.append((there, *law(there)))
            if np.linalg.norm(tried[-1][1]) < size * (1.0 - 1e-4 * 0.5**k):
                break
        p, F, J = min(tried, key=lambda one: float(np.linalg.norm(one[1])))
    return None
