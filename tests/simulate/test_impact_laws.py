"""Impacts at one point with friction, against a second route, published paradoxes, and energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacedyn.simulate import friction_cones
from spacedyn.simulate.friction_cones import Jammed, expand, solve_cones
from spacedyn.simulate.impact_laws import ImpactLaw, impulse_of

LAWS = ("newton", "poisson", "stronge")


def rod(angle=0.6, length=1.0, mass=1.0):
    """W of the tip of a uniform rod, its angle from the horizontal: normal, tangential, and across."""
    m, r, J = mass, 0.5 * length, mass * length**2 / 12.0
    x, y = r * np.cos(angle), -r * np.sin(angle)  # of the tip, from the centre
    planar = np.array([[1.0 / m + x * x / J, -x * y / J], [-x * y / J, 1.0 / m + y * y / J]])
    W = np.zeros((3, 3))
    W[:2, :2], W[2, 2] = planar, 1.0 / m + r * r / J
    return W


def soft_impulse(W, v, mu, e):
    """The same by another route: a stiff bilinear spring, in time, with friction regularised at a tiny speed.

    Kinetic energy that a spring gives back is e² of what it took: Stronge's law, whatever the friction.
    """
    k, slow = 1.0, 1e-7 * np.linalg.norm(v)
    deepest = [0.0]

    def rates(_, s):
        u, x = s[:3], s[3]
        N = k * max(x, 0.0)
        T = -mu * N * u[1:] / np.sqrt(u[1:] @ u[1:] + slow**2)
        f = np.array([N, *T])
        return np.concatenate([W @ f, [-u[0]], f])

    def deep(_, s):
        return s[0]

    deep.terminal, deep.direction = True, 1.0
    one = solve_ivp(
        rates, (0, 100), np.concatenate([v, [0.0], np.zeros(3)]), "LSODA", rtol=1e-11, atol=1e-13, events=deep
    )
    deepest[0] = one.y[3, -1]
    if e == 0.0:
        return one.y[4:, -1]

    def back(_, s):
        u, y = s[:3], s[3]
        N = k * max(y, 0.0) / e**2
        T = -mu * N * u[1:] / np.sqrt(u[1:] @ u[1:] + slow**2)
        f = np.array([N, *T])
        return np.concatenate([W @ f, [-u[0]], f])

    def out(_, s):
        return s[3]

    out.terminal, out.direction = True, -1.0
    start = one.y[:, -1].copy()
    start[3] *= e**2  # unloading is stiffer: it gives back e² of the work
    two = solve_ivp(back, (0, 100), start, "LSODA", rtol=1e-11, atol=1e-13, events=out)
    return two.y[4:, -1]


@pytest.mark.parametrize("mu,slip", [(0.1, 0.8), (0.4, 0.3), (0.9, 0.1), (0.5, -0.6)])
def test_stronges_impulse_is_that_of_a_stiff_spring_with_friction(mu, slip):
    """Slide, stick, reversal, in a plane; the spring's friction sets in at 1e-7 of the speed: to 1e-5."""
    W, v = rod(), np.array([-1.0, slip, 0.0])
    p = impulse_of(W, v, ImpactLaw(0.7, mu, "stronge"))
    assert np.abs(p - soft_impulse(W, v, mu, 0.7)).max() < 2e-5


def test_in_space_the_direction_of_slip_turns():
    """A general W in three dimensions, by integration over the normal impulse, against the spring."""
    A = np.array([[1.2, 0.3, -0.2], [0.1, 1.5, 0.4], [0.2, -0.1, 2.0]])
    W, v = A @ A.T, np.array([-1.0, 0.9, -0.5])
    p = impulse_of(W, v, ImpactLaw(0.6, 0.3, "stronge"))
    assert np.abs(p - soft_impulse(W, v, 0.3, 0.6)).max() < 2e-5


def test_a_plane_problem_in_turned_axes_gives_the_same():
    """Tangents at 45°: what was straight is straight, and digits are the same."""
    W, v, R = rod(), np.array([-1.0, 0.3, 0.0]), np.eye(3)
    R[1:, 1:] = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2.0)
    for law in LAWS:
        p = impulse_of(W, v, ImpactLaw(0.7, 0.4, law))
        turned = impulse_of(R @ W @ R.T, R @ v, ImpactLaw(0.7, 0.4, law))
        assert np.abs(R @ p - turned).max() < 1e-9


def test_without_friction_all_laws_are_newtons():
    W, v = rod(), np.array([-2.0, 0.5, 0.0])
    for law in LAWS:
        assert impulse_of(W, v, ImpactLaw(0.3, 0.0, law)) == pytest.approx(
            [1.3 * 2.0 / W[0, 0], 0.0, 0.0], rel=1e-14, abs=0
        )


def test_kanes_pendulum_gains_nothing():
    """Kane and Levinson's paradox: Newton's restitution with friction gains energy where slip reverses; here it ends.

    A double pendulum's tip hits the floor; the same W by hand: rods of 1 kg and 1 m at 20° and 60° from the vertical.
    """
    th = np.radians([20.0, 60.0])
    M = np.array([[4.0 / 3.0, 0.5 * np.cos(th[1] - th[0])], [0.5 * np.cos(th[1] - th[0]), 1.0 / 3.0]])
    J = np.array([[np.sin(th[0]), np.sin(th[1])], [np.cos(th[0]), np.cos(th[1])]])  # height, then along the floor
    W = np.eye(3)
    W[:2, :2] = J @ np.linalg.solve(M, J.T)
    v = np.zeros(3)
    v[:2] = J @ np.array([-0.1, -0.2])
    before = 0.5 * np.array([0.1, 0.2]) @ M @ np.array([0.1, 0.2])
    for law in LAWS:
        for e in (0.5, 0.7, 1.0):
            for mu in (0.0, 0.3, 0.5, 1.0):
                p = impulse_of(W, v, ImpactLaw(e, mu, law))
                gained = p @ (v + 0.5 * W @ p)
                assert gained <= 1e-12 * before and p[0] > 0.0
                assert np.hypot(p[1], p[2]) <= mu * p[0] * (1.0 + 1e-12)


def test_poisson_and_stronge_differ_where_slip_stops_and_agree_where_it_does_not():
    W = rod()
    slides = np.array([-1.0, 5.0, 0.0])
    one, two = (impulse_of(W, slides, ImpactLaw(0.5, 0.1, law)) for law in ("poisson", "stronge"))
    assert one == pytest.approx(two, rel=1e-12)
    stops = np.array([-1.0, -0.3, 0.0])
    one, two = (impulse_of(W, stops, ImpactLaw(0.5, 0.9, law)) for law in ("poisson", "stronge"))
    assert abs(one - two).max() > 1e-3


def test_a_ball_with_backspin_by_hand():
    """W is diagonal: the tangential impulse is mu times the normal one, or what stops the slip (Keller 1986)."""
    W = np.diag([1.0, 3.5, 3.5])
    assert impulse_of(W, np.array([-2.0, 9.0, 0.0]), ImpactLaw(0.5, 0.2, "poisson")) == pytest.approx(
        [3.0, -0.6, 0.0], abs=1e-14
    )
    assert impulse_of(W, np.array([-2.0, 1.4, 0.0]), ImpactLaw(0.5, 0.2, "poisson")) == pytest.approx(
        [3.0, -0.4, 0.0], abs=1e-14
    )


def test_four_corners_that_land_together_share_alike():
    """W of the corners of a square box: the impulses of least norm, which are equal."""
    corners = np.array([[x, y, -0.1] for x in (-0.2, 0.2) for y in (-0.2, 0.2)])
    J = np.concatenate([np.block([np.eye(3), -_cross(c)])[[2, 0, 1]] for c in corners])
    W = J @ np.diag([1.0, 1.0, 1.0, 60.0, 60.0, 40.0]) @ J.T
    found = solve_cones(W, np.tile([-1.0, 0.0, 0.0], 4), np.full(4, 0.5), [None] * 4)
    assert found.p == pytest.approx(np.tile([0.25, 0.0, 0.0], (4, 1)), abs=1e-13)
    assert np.abs(found.v).max() < 1e-13


@pytest.mark.parametrize("search", ["as it is", "Newton's method alone"])
def test_coulombs_law_holds_at_feet_that_hardly_let_each_other_move(monkeypatch, search):
    """Four feet on sliding legs of nearly one length: two that stick fix their distance but for 1e-7."""
    if search != "as it is":
        monkeypatch.setattr(friction_cones, "_by_modes", lambda *_: None)
    monkeypatch.setattr(friction_cones, "_SWEEPS", 1)  # which is not needed
    rng, modes = np.random.default_rng(5), set()
    for _ in range(60):
        J = []
        for i, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
            leg = np.zeros((3, 4))
            leg[2, i] = 1.0
            J.append(np.hstack([np.eye(3), -_cross([x, y, -1.2 + 1e-3 * rng.normal()]), leg])[[2, 0, 1]])
        J = np.concatenate(J)
        W = J @ np.diag([1 / 400] * 3 + [1 / 120, 1 / 130, 1 / 150] + [0.1] * 4) @ J.T
        b, mu = np.tile([-20.0, 0.0, 0.0], 4) + rng.normal(size=12) * np.tile([8.0, 1.0, 1.0], 4), np.full(4, 0.6)
        slides = rng.normal(size=(4, 2))
        slides /= np.linalg.norm(slides, axis=1)[:, None]
        directions = [d if rng.random() < 0.3 else None for d in slides]
        p, v = solve_cones(W, b, mu, directions)
        size, small = np.abs(p).max(), 1e-9 * np.abs(b).max()
        assert np.all(p[:, 0] >= -1e-9 * size) and np.all(v[:, 0] >= -small)
        assert np.abs(p[:, 0] * v[:, 0]).max() < 1e-9 * size
        for d, mine, moves in zip(directions, p, v[:, 1:], strict=True):
            limit, speed = 0.6 * mine[0], np.linalg.norm(moves)
            if d is not None:
                assert np.abs(mine[1:] + limit * d).max() < 1e-9 * size
            elif speed > small:
                modes.add("slides")
                assert np.abs(mine[1:] + limit * moves / speed).max() < 1e-6 * size
            else:
                modes.add("sticks")
                assert np.hypot(*mine[1:]) <= limit + 1e-9 * size
    assert modes == {"slides", "sticks"}


def test_painleves_rod_is_named():
    """cases.json, painleve_rod: mu beyond (1 + 3 cos²) / (3 sin cos), which is 4/3 at tan = 2, jams."""
    W = rod(angle=np.arctan(2.0), length=2.0)
    for mu, jams in ((1.33, False), (1.34, True)):
        direction = np.array([1.0, 0.0]) if W[0, 1] > 0 else np.array([-1.0, 0.0])
        assert (W[0, 0] - mu * W[0, 1] * direction[0] < 0.0) == jams
        if jams:
            with pytest.raises(Jammed, match="Painlevé"):
                solve_cones(W, np.array([-9.81, 0.0, 0.0]), np.array([mu]), [direction])
        else:
            assert solve_cones(W, np.array([-9.81, 0.0, 0.0]), np.array([mu]), [direction]).p[0, 0] > 0.0


def test_impulses_of_expansion_obey_coulombs_law():
    """Normal impulses at least as given, more only where points would approach; friction at its limit where slip is."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        n = int(rng.integers(1, 5))
        A = rng.normal(size=(6, 3 * n))
        W, b, mu, least = A.T @ A, rng.normal(size=3 * n), np.full(n, 0.4), rng.uniform(0.1, 1.0, n)
        p = expand(W, b, mu, least).reshape(n, 3)
        v, size = (b + W @ p.reshape(-1)).reshape(n, 3), np.abs(p).max()
        assert (p[:, 0] - least).min() > -1e-9 * size and v[:, 0].min() > -1e-8
        assert np.abs((p[:, 0] - least) * v[:, 0]).max() < 1e-7 * size
        for mine, moves in zip(p, v[:, 1:], strict=True):
            limit, speed = 0.4 * mine[0], np.linalg.norm(moves)
            assert np.hypot(*mine[1:]) <= limit * (1.0 + 1e-9)
            assert speed < 1e-6 or np.abs(mine[1:] + limit * moves / speed).max() < 1e-4 * size


def _cross(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


@pytest.mark.parametrize("angle", [0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi, 2.0])
def test_slip_from_rest_has_no_preferred_tangent(angle):
    """The impulse turns with the tangents: a point that begins to slip does so in any direction."""
    turn = np.eye(3)
    turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    W, v, law = rod(0.6), np.array([-1.0, 0.0, 0.0]), ImpactLaw(0.3, 0.2, "stronge")
    there, here = impulse_of(turn @ W @ turn.T, turn @ v, law), impulse_of(W, v, law)
    assert np.abs(there - turn @ here).max() < 1e-9 and np.hypot(*here[1:]) > 0.19 * here[0]
    b, mu = np.array([-1.0, 0.9, 0.0]), np.array([0.2])
    there, here = (solve_cones(M, c, mu, [None]).p[0] for M, c in ((turn @ W @ turn.T, turn @ b), (W, b)))
    assert np.abs(there - turn @ here).max() < 1e-9
