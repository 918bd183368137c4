"""Natural frequencies: by the linearised motion, by the modes' own equation, in batches, and in what is printed."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import spacedyn as sd
from random_trees import random_model
from spacedyn.cli.app import app
from spacedyn.model.vibration import mass_matrix_at_rest, report_lines, vibration_at_rest


def satellite(arm=True):
    b = sd.Builder("satellite")
    b.base("bus", mass=80.0, inertia=(20, 25, 30), com=(0.1, 0, -0.05))
    if arm:
        b.link("arm", "revolute", parent="bus", position=(0.5, 0, 0), mass=8.0, inertia=(0.1, 1, 1), com=(0.6, 0, 0))
    beam = {"length": 3.0, "segments": 3, "mass_per_length": 1.0, "EI": (60.0, 90.0), "damping_ratio": 0.01}
    b.flexible_beam(
        "boom", on="bus", **beam, position=(0, 0.5, 0), rotation=sd.Rotation.from_euler("z", 80, degrees=True)
    )
    return b.build()


def test_frequencies_are_those_of_the_linearised_motion():
    model = satellite(arm=False)
    for base in ("free", "clamped"):
        whole = model if base == "free" else clamped(model)
        values = sd.linearize(whole, whole.neutral_state()).eigenvalues()
        expected = np.sort(np.abs(values[values.imag > 1e-3]))
        found = sd.natural_frequencies(model, base=base)
        np.testing.assert_allclose(found.angular_frequencies, expected, rtol=1e-4)  # damped: w² is the same, but ...
        undamped = model.vary(damping={joint.name: np.zeros(joint.nv) for joint in model.joints})
        whole = undamped if base == "free" else clamped(undamped)
        values = sd.linearize(whole, whole.neutral_state()).eigenvalues()
        expected = np.sort(values.imag[values.imag > 1e-3])
        np.testing.assert_allclose(found.angular_frequencies, expected, rtol=1e-9)
        assert found.rigid == (6 if base == "free" else 0)


def clamped(model):
    """The same on a base that is fixed."""
    b = sd.Builder.from_model(model)
    b.base_kind = "fixed"
    return b.build()


def test_modes_solve_their_equation_and_have_unit_mass():
    model = satellite()
    state = model.random_state(np.random.default_rng(0))
    found = sd.natural_frequencies(model, state, locked=())
    M = sd.mass_matrix(model, state)
    K = np.diag(np.concatenate([np.zeros(6), *(joint.stiffness for joint in model.joints)]))
    Phi, w = found.shapes.T, found.angular_frequencies
    np.testing.assert_allclose(Phi.T @ M @ Phi, np.eye(len(w)), atol=1e-11)
    np.testing.assert_allclose(K @ Phi, M @ Phi * w**2, atol=1e-9 * np.abs(K @ Phi).max())
    np.testing.assert_allclose((M @ Phi)[:6], 0.0, atol=1e-10)  # modes carry no momentum
    assert found.rigid == 7 and found.held == ()


def test_joints_without_springs_are_held_unless_said_otherwise():
    model = satellite()
    held = sd.natural_frequencies(model)
    assert held.held == ("arm",) and not held.shapes[:, 6].any()
    loose = sd.natural_frequencies(model, locked=())
    assert loose.frequencies[0] > held.frequencies[0]  # less inertia goes along
    stiff = sd.natural_frequencies(model, locked=("arm", "boom1"))
    assert stiff.frequencies.size == held.frequencies.size - 2


def test_in_numpy_and_in_kernels_the_mass_matrix_at_rest_is_the_same():
    for seed in range(4):
        model = random_model(np.random.default_rng(seed), 8)
        q = np.concatenate([np.zeros(0), *(joint.rest for joint in model.joints)])
        expected = sd.mass_matrix(model, model.state(q=q))
        found = mass_matrix_at_rest(model)
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
    model = satellite()
    for base in ("free", "clamped"):
        np.testing.assert_allclose(
            vibration_at_rest(model, base).frequencies, sd.natural_frequencies(model, base=base).frequencies, rtol=1e-11
        )


def test_states_and_fleets_have_their_frequencies():
    model = satellite()
    states = model.random_state(np.random.default_rng(1), 5)
    many = sd.natural_frequencies(model, states)
    assert many.frequencies.shape == (5, 6) and many.shapes.shape == (5, 6, model.nv)
    for i in range(5):
        one = sd.natural_frequencies(model, states[i])
        np.testing.assert_allclose(many.frequencies[i], one.frequencies, rtol=1e-12)
        np.testing.assert_allclose(many.damping_ratios[i], one.damping_ratios, rtol=1e-9)
    fleet = model.vary(stiffness={"boom1": [[100.0, 200.0], [300.0, 50.0]]}, mass={"bus": [70.0, 90.0]})
    many = sd.natural_frequencies(fleet)
    for i in range(2):
        np.testing.assert_allclose(many.frequencies[i], sd.natural_frequencies(fleet[i]).frequencies, rtol=1e-11)
    mixed = model.vary(stiffness={"boom1": [[100.0, 0.0], [300.0, 50.0]]})
    with pytest.raises(sd.InputError, match="some robots have springs where others have none"):
        sd.natural_frequencies(mixed)


def test_it_says_what_it_cannot_do():
    robot = sd.load("ets7")
    with pytest.raises(sd.InputError, match="no joint of 'ets7' that moves has a spring"):
        sd.natural_frequencies(robot)
    model = satellite()
    with pytest.raises(sd.InputError, match="base must be 'free' or 'clamped', got 'held'"):
        sd.natural_frequencies(model, base="held")
    b = sd.Builder("absurd", base="fixed")
    b.base("bus", mass=1e99, inertia=(2e99, 3e99, 4e99))
    b.link("arm", parent="bus", mass=1e99, inertia=(2e99, 3e99, 4e99), com=(1e99, 0, 0), stiffness=1e-99)
    absurd = b.build()
    assert "vibration" not in str(absurd)  # nothing is shown, and nothing raised
    with pytest.raises(sd.InputError, match="too far apart"):
        sd.natural_frequencies(absurd)
    with pytest.raises(sd.UnknownName, match="boom"):
        sd.natural_frequencies(model, locked=["boom9"])


def test_a_robot_with_springs_prints_its_first_frequencies(tmp_path):
    model = satellite()
    free, held = (sd.natural_frequencies(model, base=base) for base in ("free", "clamped"))
    text = str(model)
    assert "vibration, joints without springs held:" in text
    assert f"base free     {free.frequencies[0]:.4g}, " in text and f"base clamped  {held.frequencies[0]:.4g}, " in text
    assert "; damping 1" in text or "; damping 0.9" in text
    assert f"base clamped  {held.frequencies[0]:.4g}, " in model._repr_html_()
    assert report_lines(sd.load("ets7")) == [] and "vibration" not in str(sd.load("ets7"))
    assert report_lines(model.vary(mass={"bus": [70.0, 90.0]})) == []
    path = tmp_path / "satellite.toml"
    model.to_toml(path)
    assert "base clamped" in command("show", str(path))
    shown = json.loads(command("show", str(path), "--json"))["vibration"]
    assert shown["clamped"]["frequencies"] == pytest.approx(held.frequencies)
    assert shown["free"]["damping_ratios"] == pytest.approx(free.damping_ratios)
    said = command("check", str(path))
    assert "note" in said and f"{free.frequencies[0]:.4g}" in said


def command(*words):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout
