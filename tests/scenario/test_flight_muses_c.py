"""A horn touches an asteroid: the stroke, the impulse, the jets, dispersed starts, the ground in the film."""

import json
import re

import numpy as np
import pytest

import spacedyn as sd

FULL = 20.0  # kg of propellant
MASS = 440.0 + FULL


@pytest.fixture(scope="module")
def run():
    return sd.Scenario.from_toml("muses_c").run()


def test_the_horn_is_pressed_about_as_far_as_a_spring_would_be(run):
    """Less than v sqrt(m / k), what an undamped spring of the horn takes; it lets go as the jets lift."""
    stroke = run.states.q[:, 2]
    free = 0.1 * np.sqrt(MASS / 400.0)
    assert 0.7 * free < stroke.max() < free
    touching = run.time[run["rim.normal_force"].max(axis=1) > 0.0]
    assert touching[0] == pytest.approx(5.15, abs=0.06) and touching[-1] == pytest.approx(7.2, abs=0.11)
    assert run["rim.gap"].min() > -0.01  # centimetres of ground, not more


def test_momentum_is_what_ground_jets_and_gravity_gave(run):
    """The ground's impulse by the record of its forces, the jets' by the propellant that they used."""
    ground = np.trapezoid(run["rim.normal_force"].sum(axis=1), run.time)
    used = FULL - run["tank.propellant"][-1, 0]
    jets = used * 220.0 * 9.80665
    assert 88.0 * 1.4 < jets < 88.0 * 2.0
    gained = MASS * (run.final.base_velocity[2] + 0.1) + MASS * 1e-4 * 30.0
    assert ground + jets == pytest.approx(gained, rel=0.02)  # normals and jets are tilted a little


def test_it_rises_upright_and_the_ledger_agrees(run):
    assert run.final.base_velocity[2] == pytest.approx(0.31, abs=0.01)
    assert np.degrees(run.final.base_attitude.magnitude()) < 0.1
    assert run["left.normal_force"].max() == run["right.normal_force"].max() == 0.0
    assert run.audit().worst < 1e-9


def dispersed(robot, ground, count):
    rng = np.random.default_rng(2005)
    x, y = rng.uniform(-3.0, 3.0, (2, count))
    return robot.state(
        base_position=np.column_stack([x, y, ground.height(x, y) + 1.9]),
        base_velocity=np.column_stack([rng.normal(0.0, 0.05, (count, 2)), -rng.uniform(0.05, 0.2, count)]),
        base_attitude=sd.Rotation.from_rotvec(np.radians(rng.normal(0.0, 7.0, (count, 3)) * [1, 1, 0])),
    )


@pytest.mark.packs
def test_dispersed_starts_lift_off_and_without_jets_turn_over():
    """In packs, as alone; the ledger is within its budget in every one."""
    found = {}
    for wait in (1.0, 1e9):
        parts = sd.Scenario.from_toml("muses_c", change={"laws.0.wait": wait}).build()
        robot, elements = parts["robot"], parts["elements"]
        start = dispersed(robot, elements[0].surface, 16)
        options = {"gravity": [0, 0, -1e-4], "record": 0.5, "method": sd.DormandPrince8(rtol=1e-8, atol=1e-9)}
        many = sd.simulate(robot, start, 30.0, laws=parts["laws"], elements=elements, **options)
        assert many.audit().within_budget
        found[wait] = many
    alone = sd.simulate(robot, start[3], 30.0, laws=parts["laws"], elements=elements, **options)
    np.testing.assert_allclose(many.final.x[3], alone.final.x, atol=1e-5)
    up = {wait: 1.0 - 2.0 * (many.states.base_quaternion_xyzw[..., :2] ** 2).sum(-1) for wait, many in found.items()}
    assert (found[1.0].final.base_velocity[:, 2] > 0.25).all() and np.degrees(np.arccos(up[1.0].min())) < 30.0
    assert (found[1e9].final.base_velocity[:, 2] < 0.25).all() and np.degrees(np.arccos(up[1e9].min())) > 60.0


def test_the_film_has_the_ground(run):
    page = sd.film(run, frames=20).html
    header = json.loads(re.search(r'id="film-header">(.*?)</script>', page, re.DOTALL)[1])
    assert header["actors"][0]["bodies"][-1] == "ground" and header["models"][0][-1] is not None
