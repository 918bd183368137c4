"""Sloshing liquids as masses on springs and pendula: against potential theory, a spacecraft simulator, each other."""

import json

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import j1, jvp

import spacedyn as sd
from paths import ROOT
from spacedyn.model.slosh import FIRST_ZERO, still_liquid

CASES = json.loads((ROOT / "tests" / "elements" / "cases.json").read_text(encoding="utf-8"))


def test_the_first_mode_of_a_cylinder_has_its_closed_form():
    """NASA SP-106; digits of an independent evaluation, to 1e-12."""
    given, expected = CASES["slosh_cylinder_first_mode"]["inputs"], CASES["slosh_cylinder_first_mode"]["expected"]
    mode = sd.cylinder_slosh(given["R"], given["h"], given["rho"], given["g_eff"])
    found = {
        "liquid_mass": mode.liquid_mass,
        "omega1": mode.angular_frequency,
        "f1_Hz": mode.frequency,
        "slosh_mass": mode.mass,
        "pendulum_length": mode.pendulum_length,
        "spring": mode.stiffness,
    }
    for name, value in found.items():
        assert value == pytest.approx(expected[name], rel=1e-12), name
    assert abs(jvp(1, FIRST_ZERO)) < 1e-15


@pytest.mark.parametrize("ratio", [0.2, 1.2, 6.0])
def test_the_moment_of_the_mode_is_that_of_the_pressure_on_walls_and_bottom(ratio):
    """p ~ J1(k r) cos(phi) cosh(k z), over wall and bottom: the moment about the bottom over the force.

    A pendulum exerts its force at the hinge; a mass on a spring at its height, and its weight off the axis adds g/w².
    """
    R, g = 0.7, 1.3
    mode = sd.cylinder_slosh(R, ratio * R, 800.0, g)
    k, h = FIRST_ZERO / R, ratio * R
    wall = np.pi * R * j1(FIRST_ZERO)
    force = wall * quad(lambda z: np.cosh(k * z), 0, h)[0]
    moment = wall * quad(lambda z: z * np.cosh(k * z), 0, h)[0] + np.pi * quad(lambda r: r * r * j1(k * r), 0, R)[0]
    assert mode.hinge_height == pytest.approx(moment / force, rel=1e-9)
    assert mode.height + g / mode.angular_frequency**2 == pytest.approx(moment / force, rel=1e-9)


@pytest.mark.parametrize("ratio", [0.02, 0.3, 1.0, 5.0, 50.0])
def test_mass_centre_and_inertia_at_rest_are_those_of_the_frozen_liquid(ratio):
    mode = sd.cylinder_slosh(0.4, ratio * 0.4, 1000.0, 0.1)
    b = sd.Builder("liquid", base="fixed")
    b.base("tank", mass=1.0, inertia=(1, 1, 1.5))
    b.slosh_tank("fuel", mode, on="tank", axis=(0, 0.6, 0.8), position=(0.1, 0.2, 0.3))
    b.build()
    mass, com, inertia = still_liquid(mode)
    assert mass + mode.mass == pytest.approx(mode.liquid_mass)
    assert mass * com[2] + mode.mass * mode.height == pytest.approx(mode.liquid_mass * mode.depth / 2)
    assert (np.diag(inertia) > 0.0).all()
    middle = mode.depth / 2
    across = inertia[0, 0] + mass * (com[2] - middle) ** 2 + mode.mass * (mode.height - middle) ** 2
    assert across == pytest.approx(mode.liquid_mass * (mode.depth**2 / 12 + 0.4**2 / 4))


def test_three_slosh_masses_as_a_spacecraft_simulator_has_them():
    """Basilisk 2.12.1, converged to 2e-14; held to 1e-10."""
    case = CASES["basilisk_slosh_springs_undamped"]
    hub, given, expected = case["hub"], case["inputs"], case["expected"]
    b = sd.Builder("hub and liquid")
    b.base("hub", mass=hub["m"], inertia=hub["I"], com=hub["c"])
    axes = np.array([[1, 1, 1], [1, -1, -1], [-1, -1, 1]]) / np.sqrt(3)
    for i, axis in enumerate(axes):
        spring = {"mass": given["masses"][i], "stiffness": given["k"][i]}
        b.slosh_mass(f"slosh{i}", on="hub", axis=axis, position=given["at_B"][i], **spring)
    model = b.build()
    still = model.state(base_rate=hub["w"], q=given["rho0"])
    shift = np.array(hub["r"]) - sd.center_of_mass(model, still)
    push = np.array(hub["v"]) - sd.center_of_mass_velocity(model, still)
    start = model.state(base_position=shift, base_velocity=push, base_rate=hub["w"], q=given["rho0"])
    run = sd.simulate(model, start, case["t"])
    end = run.final
    turn = end.base_attitude.as_rotvec()
    found = {
        "r_BN_N": end.base_position,
        "v_BN_N": end.base_velocity,
        "sigma_BN": turn / np.linalg.norm(turn) * np.tan(np.linalg.norm(turn) / 4),
        "omega_BN_B": end.base_rate_in_base_axes,
    }
    for name, value in found.items():
        np.testing.assert_allclose(value, expected[name], rtol=0, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(end.q, case["tree"]["q"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(end.qd, case["tree"]["qd"], rtol=0, atol=1e-10)
    assert run.energy().total[-1] - 0.5 * model.total_mass * np.dot(hub["v"], hub["v"]) == pytest.approx(
        expected["E_end"], abs=1e-9
    )
    assert run.audit().worst < 1e-12


def tank(kind, **options):
    b = sd.Builder("tank", base="fixed")
    b.base("tank", mass=100.0, inertia=(10, 12, 14))
    mode = sd.cylinder_slosh(0.5, 0.6, 1000.0, 0.2)
    b.slosh_tank("fuel", mode, on="tank", kind=kind, **options)
    return b.build(), mode


@pytest.mark.parametrize("kind", ["spring", "pendulum"])
def test_both_kinds_vibrate_at_the_frequency_and_damping_of_the_mode(kind):
    """A tank under the acceleration of the mode: both lateral directions, from the linearised motion."""
    model, mode = tank(kind, damping_ratio=0.02)
    gravity = (0, 0, -0.2) if kind == "pendulum" else None
    values = sd.linearize(model, model.neutral_state(), gravity=gravity).eigenvalues()
    np.testing.assert_allclose(np.abs(values), mode.angular_frequency, rtol=1e-10)
    np.testing.assert_allclose(-values.real / np.abs(values), 0.02, rtol=1e-8)


def test_a_pendulum_and_a_spring_push_the_tank_alike():
    """Small motions under the same thrust: force and moment at the tank agree to the square of the angle."""
    reactions = []
    for kind in ("spring", "pendulum"):
        model, mode = tank(kind)
        small = 1e-5
        q = (
            [small, -2 * small]
            if kind == "spring"
            else [-2 * small / mode.pendulum_length, small / mode.pendulum_length]
        )
        state = model.state(q={j: v for j, v in zip(model.joint_names[1:], q, strict=True)} if kind == "spring" else q)
        down = (0, 0, -0.2)
        udot = sd.forward_dynamics(model, state, gravity=down)
        reactions.append(sd.joint_reactions(model, state, udot, gravity=down)[model.body_index("fuel")])
    weight = mode.liquid_mass * 0.2
    np.testing.assert_allclose(np.linalg.norm(reactions[0][:2]), np.linalg.norm(reactions[1][:2]), rtol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(reactions[0][3:]), np.linalg.norm(reactions[1][3:]), rtol=1e-8)
    assert reactions[0][2] == pytest.approx(weight) and reactions[1][2] == pytest.approx(weight, rel=1e-7)


def test_all_that_is_wrong_with_liquids_is_said_at_once():
    b = sd.Builder("bad")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.slosh_mass("one", on="bus", mass=0.0, stiffness=1.0)
    b.slosh_mass("two", on="bus", mass=1.0, stiffness=1.0, axis=[(1, 0, 0), (0.6, 0.8, 0)])
    b.slosh_mass("three", on="bus", mass=1.0, stiffness=1.0, damping_ratio=1.5)
    b.slosh_mass("four", on="bus", mass=1.0, stiffness=1.0, damping=0.1, damping_ratio=0.1)
    b.slosh_mass("five", on="bus", mass=1.0, stiffness=-1.0)
    b.slosh_pendulum("six", on="bus", mass=1.0, length=-0.1)
    b.slosh_tank("seven", "water", on="bus")
    b.slosh_tank("eight", sd.cylinder_slosh(1, 1, 1, 1), on="bus", kind="ball")
    with pytest.raises(sd.ModelError) as caught:
        b.build()
    for words in (
        "slosh mass 'one': mass is 0 kg; give a number above 0",
        "slosh mass 'two': its axes (1, 0, 0) and (0.6, 0.8, 0) must be at right angles",
        "slosh mass 'three': damping_ratio is 1.5; give 0 to 1",
        "slosh mass 'four': it has both damping and damping_ratio",
        "joint 'five': stiffness is -1; give 0 or more",
        "slosh pendulum 'six': length is -0.1 m",
        "slosh tank 'seven': mode is 'water'; give what sd.cylinder_slosh(...) returns",
        "slosh tank 'eight': there is no kind 'ball'",
    ):
        assert words in str(caught.value), words
    with pytest.raises(sd.InputError, match="cylinder_slosh: depth must be a positive number, got 0"):
        sd.cylinder_slosh(1.0, 0.0, 1.0, 1.0)


def test_liquids_are_kept_in_files():
    model, _ = tank("pendulum", damping_ratio=0.01)
    assert sd.Model.from_toml(model.to_toml()) == model
