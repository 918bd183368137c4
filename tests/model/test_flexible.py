"""Beams and panels as chains of segments: closed forms, published frequencies, order of convergence, spin, damping."""

import numpy as np
import pytest

import spacedyn as sd

BETA_L = (1.875104068711961, 4.694091132974175, 7.854757438237613)  # clamped-free beam
# Rotating cantilever without hub, out of plane: eigenvalues of w'''' - eta²/2 ((1-x²) w')' = mu² w. First mode:
# Wright, Smith, Thresher and Wang, Journal of Applied Mechanics 49, 1982; digits by Ritz's method with 16 functions.
FLAP = {0: (3.5160153, 22.0344916), 2: (4.1373196, 22.614922), 6: (7.360373, 26.8090817), 12: (13.1701505, 37.6031123)}


@sd.motion
def spin(t, p, out):
    out.value[0] = p.speed * t
    out.rate[0] = p.speed


def cantilever(segments, length=2.0, mass_per_length=1.5, **options):
    b = sd.Builder("cantilever", base="fixed")
    b.base("wall", mass=1.0, inertia=(1, 1.2, 1.1))
    b.flexible_beam("beam", on="wall", length=length, segments=segments, mass_per_length=mass_per_length, **options)
    return b.build()


def frequencies(model):
    return sd.natural_frequencies(model).angular_frequencies


@pytest.mark.parametrize(("segments", "percent"), [(4, -2.787), (8, -0.712), (16, -0.179), (64, -0.0112)])
def test_a_chain_has_the_known_error_of_the_first_frequency(segments, percent):
    exact = BETA_L[0] ** 2 / 2.0**2 * np.sqrt(30.0 / 1.5)
    found = frequencies(cantilever(segments, EI=(30.0, None)))[0]
    digits = 1e-3 if segments < 64 else 1e-4
    assert 100.0 * (found / exact - 1.0) == pytest.approx(percent, abs=0.5 * digits)


@pytest.mark.parametrize("mode", range(3))
def test_frequencies_of_bending_converge_with_order_two(mode):
    exact = BETA_L[mode] ** 2 / 2.0**2 * np.sqrt(30.0 / 1.5)
    coarse, fine = (abs(frequencies(cantilever(n, EI=(None, 30.0)))[mode] / exact - 1) for n in (16, 32))
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("mode", range(2))
def test_frequencies_of_twist_and_stretch_converge_with_order_two(mode):
    """(2 i + 1) π / (2 L) times the speed of the wave."""
    wave = (2 * mode + 1) * np.pi / (2 * 2.0)
    cases = [
        ({"EI": None, "GJ": 20.0, "section_inertia": (1e-3, 2e-3)}, np.sqrt(20.0 / 3e-3)),
        ({"EI": None, "EA": 500.0}, np.sqrt(500.0 / 1.5)),
    ]
    for options, speed in cases:
        coarse, fine = (abs(frequencies(cantilever(n, **options))[mode] / (wave * speed) - 1) for n in (8, 16))
        assert fine < 0.02 and np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def test_all_motions_at_once_have_the_frequencies_of_each_alone():
    """A straight beam's bending in both planes, twist and stretch do not couple; chains of several joints agree."""
    bend = {"EI": (30.0, 50.0), "section_inertia": (1e-3, 2e-3)}
    every = frequencies(cantilever(3, **bend, GJ=20.0, EA=5e3))
    parts = [
        cantilever(3, EI=(30.0, None), section_inertia=(1e-3, 2e-3)),
        cantilever(3, EI=(None, 50.0), section_inertia=(1e-3, 2e-3)),
        cantilever(3, EI=None, GJ=20.0, section_inertia=(1e-3, 2e-3)),
        cantilever(3, EI=None, EA=5e3),
    ]
    np.testing.assert_allclose(every, np.sort(np.concatenate([frequencies(part) for part in parts])), rtol=1e-11)
    pairs = frequencies(cantilever(3, EI=(30.0, None), section_inertia=(1e-3, 2e-3), GJ=20.0))
    alone = np.sort(np.concatenate([frequencies(parts[0]), frequencies(parts[2])]))
    np.testing.assert_allclose(pairs, alone, rtol=1e-11)


def rotating(segments, eta, plane):
    """Frequencies mu of a beam that spins about z at its root; out of plane it bends about y."""
    b = sd.Builder("rotor", base="fixed")
    b.base("stand", mass=1.0, inertia=(1, 1.2, 1.1))
    b.link("hub", "revolute", parent="stand", mass=1.0, inertia=(1, 1.2, 1.1))
    EI = (1.0, None) if plane == "flap" else (None, 1.0)
    b.flexible_beam("blade", on="hub", length=1.0, segments=segments, mass_per_length=1.0, EI=EI)
    model = b.build()
    state = model.state(qd={"hub": eta})
    values = sd.linearize(model, state, prescribed={"hub": spin(speed=float(eta))}).eigenvalues()
    return np.sort(values.imag[values.imag > 1e-3])


@pytest.mark.parametrize("eta", FLAP)
def test_a_spinning_beam_stiffens_as_published(eta):
    exact = np.array(FLAP[eta])
    coarse, fine = (rotating(n, eta, "flap")[:2] - exact for n in (24, 48))
    assert (np.abs(fine) / exact < 1e-3).all()
    np.testing.assert_allclose(np.log2(coarse / fine), 2.0, atol=0.05)
    better = exact + fine - (coarse - fine) / 3.0  # without the term of order 2
    np.testing.assert_allclose(better, exact, rtol=2e-5)


def test_in_the_plane_of_spin_it_stiffens_less():
    """mu_lag² = mu_flap² - eta², also for the chain, exactly."""
    for eta in (2.0, 6.0):
        flap, lag = rotating(8, eta, "flap"), rotating(8, eta, "lag")
        np.testing.assert_allclose(lag**2, flap**2 - eta**2, rtol=1e-9)


def test_a_spinning_beam_stretches_as_it_should():
    """Simo and Vu-Quoc (1986): rho w² L³ / (3 EA) at the tip; exactly L (tan(b)/b - 1), b² = rho w² L² / EA."""
    L, EA, rho, w = 10.0, 2.8e7, 1.2, 6.0
    tips = []
    for n in (16, 32):
        b = sd.Builder("rotor", base="fixed")
        b.base("stand", mass=1.0, inertia=(1, 1.2, 1.1))
        b.link("hub", "revolute", parent="stand", mass=1.0, inertia=(1, 1.2, 1.1))
        b.flexible_beam("blade", on="hub", length=L, segments=n, mass_per_length=rho, EI=None, EA=EA)
        model = b.build()
        q = np.zeros(model.nq)
        for _ in range(4):  # Newton's method, with the stiffness alone: what centrifugal forces add is small
            state = model.state(q=q, qd={"hub": w})
            force = sd.passive_force(model, state) - sd.bias_force(model, state)
            q[1:] += force[1:] / np.array([joint.stiffness[0] for joint in model.joints[1:]])
        assert np.abs(force[1:]).max() < 1e-6
        tips.append(q[1:].sum())
    b = np.sqrt(rho / EA) * w * L
    assert tips[1] == pytest.approx(5.142857142857142e-4, abs=1e-6)
    assert tips[1] + (tips[1] - tips[0]) / 3.0 == pytest.approx(L * (np.tan(b) / b - 1.0), rel=1e-6)


def test_the_first_mode_of_every_kind_has_the_damping_ratio():
    model = cantilever(4, EI=(30.0, 50.0), GJ=20.0, EA=5e3, section_inertia=(1e-3, 2e-3), damping_ratio=0.03)
    values = sd.linearize(model, model.neutral_state()).eigenvalues()
    values = values[values.imag > 0.0]
    ratios = -values.real / np.abs(values)
    assert (np.abs(ratios - 0.03) < 1e-9).sum() == 4  # bending twice, twist, stretch
    assert ratios.min() > 0.03 - 1e-9
    vibration = sd.natural_frequencies(model)
    np.testing.assert_allclose(np.sort(vibration.damping_ratios)[:4], 0.03, rtol=1e-9)


def test_stiffness_damping_is_half_the_frequency_times_it():
    vibration = sd.natural_frequencies(cantilever(4, EI=30.0, stiffness_damping=1e-3))
    np.testing.assert_allclose(vibration.damping_ratios, 0.5e-3 * vibration.angular_frequencies, rtol=1e-10)


def panelled(**options):
    b = sd.Builder("satellite", base="fixed")
    b.base("bus", mass=500.0, inertia=(80, 90, 100))
    b.flexible_panel("wing", on="bus", length=2.0, width=1.5, mass=12.0, **options)
    return b.build()


def test_one_rigid_panel_swings_on_its_root_hinge():
    model = panelled(segments=1, root_stiffness=50.0, thickness=0.03)
    inertia = 12.0 * (2.0**2 / 3 + 0.03**2 / 12)
    assert frequencies(model) == pytest.approx([np.sqrt(50.0 / inertia)], rel=1e-12)


def test_hinges_are_in_series_with_plates():
    """A stiff plate: hinges alone; stiff hinges: one long plate."""
    plate = {"EI": 40.0, "segments": 3, "panels": 2}
    long = cantilever(6, length=4.0, mass_per_length=6.0, EI=(40.0, None))
    np.testing.assert_allclose(frequencies(panelled(**plate)), frequencies(long), rtol=1e-12)
    stiff = frequencies(panelled(**plate, hinge_stiffness=1e12, root_stiffness=1e12))
    np.testing.assert_allclose(stiff, frequencies(long), rtol=1e-7)
    hinged = {"segments": 1, "panels": 2, "hinge_stiffness": 30.0, "root_stiffness": 60.0}
    soft = frequencies(panelled(**{**hinged, "EI": 1e9}))
    np.testing.assert_allclose(soft, frequencies(panelled(**hinged)), rtol=1e-6)


def test_without_a_root_hinge_rigid_panels_are_fixed():
    """Two panels, one hinge: the outer one swings alone, about its inner edge."""
    model = panelled(segments=1, panels=2, hinge_stiffness=30.0)
    assert [joint.kind for joint in model.joints] == ["fixed", "revolute"]
    assert frequencies(model) == pytest.approx([np.sqrt(30.0 / (12.0 * 2.0**2 / 3))], rel=1e-12)


def test_a_wing_folds_at_its_hinges():
    model = panelled(segments=1, panels=3, root_stiffness=10.0, hinge_stiffness=10.0, hinge_angle=np.pi / 2)
    rest = model.state(q=np.concatenate([joint.rest for joint in model.joints]))
    np.testing.assert_allclose(sd.endpoint_pose(model, rest, "wing_tip").position, [2.0 - 2.0, 0, -2.0], atol=1e-12)
    np.testing.assert_allclose(sd.passive_force(model, rest), 0.0)


def test_a_beam_points_where_it_is_attached():
    turn = sd.Rotation.from_euler("xyz", [20, -50, 70], degrees=True)
    for options in ({"EI": 5.0}, {"EI": (5.0, None), "GJ": 2.0}, {"EI": (4.0, 5.0), "GJ": 2.0, "EA": 9.0}):
        b = sd.Builder("pose", base="fixed")
        b.base("wall", mass=1.0, inertia=(1, 1.2, 1.1))
        b.link("arm", "revolute", parent="wall", mass=1.0, inertia=(1, 1.2, 1.1))
        beam = {"length": 3.0, "segments": 3, "mass_per_length": 1.0, "section_inertia": (0.1, 0.1)}
        b.flexible_beam("boom", on="arm", position=(0.1, 0.2, 0.3), rotation=turn, **beam, **options)
        model = b.build()
        tip = sd.endpoint_pose(model, model.neutral_state(), "boom_tip")
        np.testing.assert_allclose(tip.position, np.array([0.1, 0.2, 0.3]) + turn.apply([3.0, 0, 0]), atol=1e-14)
        np.testing.assert_allclose(tip.rotation, turn.as_matrix(), atol=1e-14)
        assert sd.Model.from_toml(model.to_toml()) == model


@pytest.mark.parametrize(
    ("options", "joint", "turned"),
    [
        ({"EI": 5.0}, [0.0, 0.1], (0, 0, -1)),
        ({"EI": 5.0}, [0.1, 0.0], (0, 1, 0)),
        ({"EI": (5.0, None)}, [0.1], (0, 0, -1)),
    ],
)
def test_bending_about_an_axis_deflects_across_it(options, joint, turned):
    model = cantilever(1, **options)
    tip = sd.endpoint_pose(model, model.state(q=joint), "beam_tip").position
    np.testing.assert_allclose(tip, [2 * np.cos(0.1), *(2 * np.sin(0.1) * np.array(turned)[1:])], atol=1e-14)


def test_a_free_flyer_with_two_wings_keeps_energy_and_momentum():
    b = sd.Builder("satellite")
    b.base("bus", mass=200.0, inertia=(40, 45, 30), com=(0.05, 0, 0))
    plate = {"length": 1.5, "width": 1.0, "mass": 5.0, "segments": 2, "panels": 2, "hinge_stiffness": 300.0}
    for name, side in (("left", 1), ("right", -1)):
        turn = sd.Rotation.from_euler("z", 90 * side, degrees=True)
        b.flexible_panel(name, on="bus", **plate, EI=80.0, GJ=60.0, position=(0, 0.5 * side, 0), rotation=turn)
    model = b.build()
    assert model.nv == 6 + 2 * 4 * 2
    rng = np.random.default_rng(0)
    start = model.state(base_rate=[0.02, 0.3, -0.1], qd=0.05 * rng.normal(size=16), q=0.05 * rng.normal(size=16))
    run = sd.simulate(model, start, 20.0, record=0.5)
    assert run.audit().worst < 1e-10


def test_all_that_is_wrong_with_flexible_parts_is_said_at_once():
    b = sd.Builder("bad")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    good = {"on": "bus", "length": 1.0, "segments": 2, "mass_per_length": 1.0, "EI": 1.0}
    for name, change in (
        ("a", {"EI": 0.0}),
        ("b", {"EI": (1.0, -2.0)}),
        ("c", {"segments": 0}),
        ("d", {"segments": 2.5}),
        ("e", {"damping_ratio": 1.2}),
        ("f", {"damping_ratio": 0.1, "stiffness_damping": 0.1}),
        ("g", {"GJ": 1.0}),
        ("h", {"EI": None}),
        ("i", {"mass_per_length": -1.0}),
        ("j", {"length": "long"}),
        ("k", {"EI": (1.0, 2.0, 3.0)}),
        ("l", {"stiffness_damping": -1.0}),
        ("m", {"EA": np.nan}),
        ("n", {"section_inertia": (-1.0, 0.0)}),
        ("o", {"on": "nothing"}),
        ("p", {"rotation": np.diag([1.0, 1.0, -1.0])}),
    ):
        b.flexible_beam(name, **{**good, **change})
    plate = {"on": "bus", "length": 1.0, "width": 1.0, "mass": 1.0}
    b.flexible_panel("q", **plate)
    b.flexible_panel("r", **plate, segments=1)
    b.flexible_panel("s", **plate, EI=1.0, panels=0)
    b.flexible_panel("t", **plate, EI=1.0, panels=900, segments=900)
    b.flexible_panel("u", **plate, EI=1.0, hinge_stiffness=-1.0)
    with pytest.raises(sd.ModelError) as caught:
        b.build()
    for words in (
        "flexible beam 'a': EI is 0 N m^2; give a number above 0",
        "flexible beam 'b': EI[1] is -2 N m^2",
        "flexible beam 'c': segments is 0; give a whole number from 1 to 1000",
        "flexible beam 'd': segments is 2.5",
        "flexible beam 'e': damping_ratio is 1.2; give 0 to 1",
        "flexible beam 'f': it has both damping_ratio and stiffness_damping",
        "flexible beam 'g': it twists (GJ), yet nothing resists that: give section_inertia",
        "flexible beam 'h': it is rigid in every direction",
        "flexible beam 'i': mass_per_length is -1 kg/m",
        "flexible beam 'j': length is text",
        "flexible beam 'k': EI is (1.0, 2.0, 3.0); give a number, or two",
        "flexible beam 'l': stiffness_damping is -1 s",
        "flexible beam 'm': EA is NaN",
        "flexible beam 'n': section_inertia is (-1, 0)",
        "'nothing'",
        "joint 'p1': rotation is left-handed",
        "flexible panel 'q': its panels are rigid (no EI), yet of 4 segments",
        "flexible panel 'r': nothing of it gives way",
        "flexible panel 's': panels is 0",
        "flexible panel 't': it has 810000 segments",
        "flexible panel 'u': hinge_stiffness is -1 N m/rad",
    ):
        assert words in " ".join(caught.value.problems), words
