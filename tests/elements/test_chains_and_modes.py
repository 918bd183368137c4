"""A flexible boom as a chain of segments, and by the modes of that chain: the pair agree where motions are small."""

import numpy as np

import spacedyn as sd


def satellite():
    b = sd.Builder("chain")
    b.base("bus", mass=60.0, inertia=(9, 10, 11), com=(0.1, -0.2, 0.05))
    turn = sd.Rotation.from_euler("zyx", [50, -20, 30], degrees=True)
    beam = {"length": 3.0, "segments": 4, "mass_per_length": 0.8, "EI": (40.0, 70.0), "damping_ratio": 0.02}
    b.flexible_beam("boom", on="bus", **beam, position=(0.3, 0.2, -0.1), rotation=turn)
    return b.build()


def by_modes(chain, count):
    """The same satellite: one body with the boom in it at rest, and modes of the boom with the body held."""
    bus = chain.bodies[0]
    Hb = sd.mass_matrix(chain, chain.neutral_state())[:6, :6]  # about the bus's centre of mass
    m, skew = Hb[0, 0], -Hb[:3, 3:] / Hb[0, 0]
    c = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    inertia = Hb[3:, 3:] - m * (c @ c * np.eye(3) - np.outer(c, c))
    b = sd.Builder("modes")
    b.base("bus", mass=m, com=bus.com + c, inertia=0.5 * (inertia + inertia.T))
    modes = sd.natural_frequencies(chain, base="clamped")
    delta = modes.coupling[:count]
    given = {"frequencies": modes.frequencies[:count], "damping": modes.damping_ratios[:count]}
    return b.build(), sd.ModalAppendage("bus", **given, delta0=delta[:, :3], delta1=delta[:, 3:], position=bus.com)


def test_the_linearised_motions_are_the_same():
    """All modes: eigenvalues agree to 1e-9, those of rigid motions included."""
    chain = satellite()
    body, modes = by_modes(chain, 8)
    ours = sd.linearize(chain, chain.neutral_state()).eigenvalues()
    theirs = sd.linearize(body, body.neutral_state(), elements=[modes]).eigenvalues()
    for one in (ours, theirs):
        assert (np.abs(one) < 1e-4).sum() == 12
    shake, other = (np.sort_complex(one[one.imag > 1e-3]) for one in (ours, theirs))
    np.testing.assert_allclose(shake, other, rtol=1e-9)


def test_a_push_makes_both_move_alike():
    """A moment on the bus for a second, then 9 s: attitudes differ by the square of the deflection."""
    chain = satellite()
    body, modes = by_modes(chain, 8)
    apart = []
    for size in (1.0, 0.1):
        push = sd.Wrench("bus", moment=size * np.array([0.02, -0.03, 0.01]), stop=1.0)
        one = sd.simulate(chain, chain.neutral_state(), 10.0, elements=[push], record=0.5)
        two = sd.simulate(body, body.neutral_state(), 10.0, elements=[modes, push], record=0.5)
        turns = [run.states.base_attitude.as_rotvec() for run in (one, two)]
        apart.append(np.abs(turns[0] - turns[1]).max())
        assert apart[-1] < 1e-4 * np.abs(turns[0]).max()
        assert max(one.audit().worst, two.audit().worst) < 1e-9
    assert 80 < apart[0] / apart[1] < 125


def test_few_modes_are_nearly_as_good():
    chain = satellite()
    full = sd.natural_frequencies(chain).frequencies[0]
    body, modes = by_modes(chain, 2)
    values = sd.linearize(body, body.neutral_state(), elements=[modes]).eigenvalues()
    lowest = np.sort(np.abs(values[np.abs(values) > 1e-3]))[0] / (2 * np.pi)
    assert abs(lowest / full - 1.0) < 0.01
