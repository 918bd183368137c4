"""The impulse of an impact at one point with Coulomb's friction, by Routh's incremental method.

    dv/dp = W (1, f),   f = -mu d while it slides along d,   f = -Wtt^-1 Wtn while it sticks

v = (vn, vt) is the relative velocity at the point, W = J H^-1 J' its change per unit impulse, p the normal impulse, the
independent variable in place of time. Compression ends where vn = 0; the law of restitution determines the end of the
impact. The total work of the normal impulse is never positive, whatever the law says, so an impact adds no energy.
W. J. Stronge, Impact Mechanics (2000), ch. 4; J. B. Keller, J. Appl. Mech. 53 (1986) 1.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = np.ndarray
_STILL = 1e-13  # of the speed of the impact: slower slip is none
_FIXED = 1e-14  # of the trace of W: smaller eigenvalues belong to directions that joints block
_SEGMENTS = 100
_ANGLES = np.linspace(-np.pi, np.pi + np.pi / 32.0, 66)  # the last part is the first again: no root falls between ends


class ImpactLaw(NamedTuple):
    """Restitution and friction of a point."""

    restitution: float
    friction: float
    name: str  # 'newton', 'poisson', 'stronge'


class _Impact:
    """State of an impact: velocity v, impulse p, work of the normal impulse; impulse and work of its compression."""

    def __init__(self, W: Array, v: Array, law: ImpactLaw):
        self.W, self.v, self.law = W, v.astype(float).copy(), law
        self.p, self.work = np.zeros(3), 0.0
        self.approach, self.scale = -float(v[0]), float(np.linalg.norm(v))
        self.compressed: tuple[float, float] | None = None  # impulse and work of compression

    def wanted_work(self) -> float:
        """The total work of the normal impulse at which the impact ends."""
        assert self.compressed is not None
        e = self.law.restitution if self.law.name == "stronge" else 1.0
        return (1.0 - e * e) * self.compressed[1]

    def room(self, speed: float, work: float, rate: float) -> float:
        """Normal impulse until compression, or the impact, ends; `rate` is d vn / dp."""
        if self.compressed is None:
            return -speed / rate if rate > 0.0 else np.inf
        left = self.wanted_work() - work
        square = speed * speed + 2.0 * rate * left
        rooms = [
            2.0 * left / (speed + np.sqrt(square)) if square >= 0.0 and left > 0.0 else 0.0 if left <= 0.0 else np.inf
        ]
        if self.law.name == "newton":
            more = self.law.restitution * self.approach - speed
            rooms.append(0.0 if more <= 0.0 else more / rate if rate > 0.0 else np.inf)
        elif self.law.name == "poisson":
            rooms.append((1.0 + self.law.restitution) * self.compressed[0] - self.p[0])
        return max(min(rooms), 0.0)

    def turn(self) -> bool:
        """End compression or the impact; return whether expansion follows."""
        if self.compressed is not None:
            return False
        self.v[0], self.compressed = 0.0, (float(self.p[0]), self.work)
        return self.law.restitution > 0.0

    def go(self, push: Array, impulse: float) -> None:
        """Advance by a normal impulse; `push` (3,) is the whole impulse per unit of it."""
        rate = self.W @ push
        self.work += impulse * (self.v[0] + 0.5 * impulse * rate[0])
        self.v += impulse * rate
        self.p += impulse * push


def holding(W: Array) -> Array:
    """Friction (2,) per unit of normal impulse that prevents slip; none in directions that joints block."""
    sizes, ways = np.linalg.eigh(W[1:, 1:])
    moves = sizes > _FIXED * np.trace(W)
    found: Array = -ways[:, moves] @ ((ways[:, moves].T @ W[1:, 0]) / sizes[moves])
    return found


def slip_push(W: Array, mu: float) -> Array:
    """Impulse (3,) per unit of normal impulse of a point that begins to slip, with friction against that slip."""

    def across(angle: float) -> float:
        d = np.array([np.cos(angle), np.sin(angle)])
        a = (W @ np.array([1.0, *(-mu * d)]))[1:]
        return float(d[0] * a[1] - d[1] * a[0])

    values = [across(angle) for angle in _ANGLES]
    best, along = np.array([1.0, 0.0]), -np.inf
    for low, high, a, b in zip(_ANGLES[:-1], _ANGLES[1:], values[:-1], values[1:], strict=True):
        if a * b <= 0.0:
            angle = float(brentq(across, low, high, xtol=1e-15)) if a * b < 0.0 else (low if a == 0.0 else high)
            d = np.array([np.cos(angle), np.sin(angle)])
            forward = float(d @ (W @ np.array([1.0, *(-mu * d)]))[1:])
            if forward > along:
                best, along = d, forward
    return np.array([1.0, *(-mu * best)])


def impulse_of(W: Array, v: Array, law: ImpactLaw) -> Array:
    """Impulse (3,) of an impact: normal, two tangential [N s].

    Parameters
    ----------
    W : (3, 3)
        Change of v by a unit of impulse, symmetric and positive.
    v : (3,)
        Relative velocity before, normal component first, which is negative [m/s].
    law : ImpactLaw
        Restitution and friction.

    >>> impulse_of(np.diag([0.5, 1.75, 1.75]), np.array([-2.0, 0.0, 0.0]), ImpactLaw(0.5, 0.3, "newton")).tolist()
    [6.0, 0.0, 0.0]
    """
    one, mu = _Impact(W, v, law), law.friction
    for _ in range(_SEGMENTS):
        slip = one.v[1:]
        speed = float(np.linalg.norm(slip))
        if speed <= _STILL * one.scale:
            one.v[1:] = 0.0
            held = holding(W) if mu > 0.0 else np.zeros(2)
            sticks = np.linalg.norm(held) <= mu
            push = np.array([1.0, *held]) if sticks else slip_push(W, mu)
            if sticks and abs(one.v[0]) <= _STILL * one.scale and (W @ push)[0] <= _FIXED * np.trace(W):
                return one.p  # friction and joints jam the point: no impulse moves it
            stop = np.inf
        else:
            d = slip / speed
            push = np.array([1.0, *(-mu * d)])
            change = (W @ push)[1:]
            if abs(d[0] * change[1] - d[1] * change[0]) > 1e-12 * np.linalg.norm(change):
                if not _curved(one):
                    return one.p
                continue
            stop = -speed / float(d @ change) if d @ change < 0.0 else np.inf
        room = one.room(one.v[0], one.work, float((W @ push)[0]))
        if not np.isfinite(min(room, stop)):
            break
        one.go(push, min(room, stop))
        if stop < room:
            one.v[1:] = 0.0
        elif not one.turn():
            return one.p
    return one.p


def _curved(one: _Impact) -> bool:
    """Integrate sliding whose direction turns, until slip stops or a phase ends; return whether the impact goes on."""
    W, mu, scale = one.W, one.law.friction, one.scale

    def push_of(y: Array) -> Array:
        return np.array([1.0, *(-mu * y[1:3] / np.linalg.norm(y[1:3]))])

    def rates(_: float, y: Array) -> Array:
        push = push_of(y)
        return np.concatenate([W @ push, push, [y[0]]])

    def stops(_: float, y: Array) -> float:
        return float(np.linalg.norm(y[1:3]) - _STILL * scale)

    def turns(_: float, y: Array) -> float:
        if one.compressed is None:
            return float(y[0])
        values = [y[6] - one.wanted_work()]
        if one.law.name == "newton":
            values.append(y[0] - one.law.restitution * one.approach)
        elif one.law.name == "poisson":
            values.append(y[3] - (1.0 + one.law.restitution) * one.compressed[0])
        return float(max(values))

    stops.terminal = turns.terminal = True  # type: ignore[attr-defined]
    stops.direction, turns.direction = -1.0, 1.0  # type: ignore[attr-defined]
    start = np.concatenate([one.v, one.p, [one.work]])
    if turns(0.0, start) >= 0.0 and one.compressed is not None:
        return False
    longest = 100.0 * scale / max(float(np.linalg.eigvalsh(W)[0]), 1e-300)
    found = solve_ivp(
        rates, (0.0, longest), start, method="DOP853", rtol=3e-14, atol=1e-15 * scale, events=(stops, turns)
    )
    y = found.y[:, -1]
    one.v, one.p, one.work = y[:3].copy(), y[3:6].copy(), float(y[6])
    if found.t_events[1].size:
        return one.turn()
    one.v[1:] = 0.0
    return True
