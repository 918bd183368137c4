"""Tethers with a damper: nothing jumps where they go taut, methods keep their order, the ledger balances."""

import numpy as np
import pytest

import spacedyn as sd

LENGTH, STIFFNESS, DAMPING = 2.0, 40.0, 30.0


def pair():
    """A bus and a probe that is free of it."""
    b = sd.Builder("pair")
    b.base("bus", mass=20.0, inertia=(2.0, 3.0, 4.0))
    b.body("probe", mass=5.0, inertia=(0.4, 0.5, 0.6))
    b.joint("between", "free", parent="bus", child="probe")
    return b.build()


def run_of(method=None, record=0.01, duration=20.0, damping=DAMPING, other="probe", **options):
    """Slack, taut, stretched but shortening too fast to pull, slack again."""
    model = pair()
    state = model.state(q=[1.5, 0, 0, 0, 0, 0, 1], qd=[0.4, 0.1, 0, 0, 0, 0.2], base_rate=[0.1, 0, 0])
    tether = sd.Tether(
        "bus",
        other,
        stiffness=STIFFNESS,
        damping=damping,
        rest_length=LENGTH,
        point=(0.3, 0, 0),
        other_point=(-0.1, 0, 0.1) if other == "probe" else (-2.5, 0, 0),
    )
    options = {"budget": 1.0, "record": record, "elements": [tether], **options}
    return sd.simulate(model, state, duration, method=method or sd.DormandPrince8(), **options)


def lengths(run):
    """Distance of the tether's ends, and how fast it grows."""
    model, states = run.model, run.states
    where = sd.forward_kinematics(model, states).bodies
    ends, speeds = [], []
    for body, point in (("bus", (0.3, 0, 0)), ("probe", (-0.1, 0, 0.1))):
        i = model.body_index(body)
        J = sd.body_jacobian(model, states, body, np.array(point))
        ends.append(where.position[:, i] + where.rotation[:, i] @ np.array(point))
        speeds.append(np.einsum("tij,tj->ti", J[:, :3], states.u))
    along, relative = ends[1] - ends[0], speeds[1] - speeds[0]
    length = np.linalg.norm(along, axis=1)
    return length, np.einsum("ti,ti->t", along, relative) / length


def test_its_tension_is_that_of_its_stretch():
    run = run_of()
    length, rate = lengths(run)
    stretch = length - LENGTH
    share = np.clip(stretch / (0.01 * LENGTH), 0.0, 1.0)
    wanted = np.where(stretch > 0.0, np.maximum(STIFFNESS * stretch + DAMPING * rate * share, 0.0), 0.0)
    np.testing.assert_allclose(run["tension"][:, 0], wanted, atol=1e-9)
    stuck = (stretch > 0.0) & (run["tension"][:, 0] == 0.0)
    assert stuck.sum() > 10 and (wanted > 1.0).sum() > 10  # all of it happens
    held = 0.5 * STIFFNESS * np.maximum(stretch, 0.0) ** 2
    np.testing.assert_allclose(run["element_energy"][:, 0], held, atol=1e-10)


def test_its_force_does_not_jump_where_it_goes_taut():
    """It goes taut at 0.4 m/s: a damper at full strength would jump to 12 N. Differences fall with the interval."""
    changes = []
    for interval in (1e-3, 1e-4):
        tension = run_of(record=interval, duration=8.0)["tension"][:, 0]
        changes.append(np.abs(np.diff(tension)).max())
    assert ((tension[:-1] == 0.0) & (tension[1:] > 0.0)).sum() >= 2
    assert changes[0] < 0.5
    assert changes[1] < 0.12 * changes[0]


@pytest.mark.parametrize(
    ("method", "tolerances", "at_least"),
    [
        (sd.DormandPrince5, (1e-5, 1e-7, 1e-9, 1e-11), 0.7),
        (sd.DormandPrince8, (1e-5, 1e-7, 1e-9, 1e-11), 0.7),
        (sd.Radau5, (1e-5, 1e-7, 1e-9), 0.7),
    ],
)
def test_errors_fall_as_the_tolerance_does(method, tolerances, at_least):
    tight = run_of(sd.DormandPrince8(rtol=1e-13, atol=1e-14))
    errors, energies = [], []
    for rtol in tolerances:
        run = run_of(method(rtol=rtol, atol=0.1 * rtol))
        errors.append(np.abs(run["x"] - tight["x"]).max())
        energies.append(run.audit().energy)
    decades = np.log10(tolerances)
    assert np.polyfit(decades, np.log10(errors), 1)[0] > at_least
    assert np.polyfit(decades, np.log10(energies), 1)[0] > at_least
    assert (np.diff(errors) < 0.0).all()
    assert errors[-1] < 10 * tolerances[-1]


@pytest.mark.parametrize("damping", [0.0, 2.0, DAMPING])
@pytest.mark.parametrize("other", ["probe", "inertial"])
def test_the_ledger_is_kept(damping, other):
    run = run_of(damping=damping, other=other)
    audit, tension = run.audit(), run["tension"]
    assert tension.max() > 1.0 and tension.min() == 0.0
    assert audit.energy < 1e-10
    assert max(audit.linear_momentum, audit.angular_momentum) < 1e-11


@pytest.mark.parametrize("damping", [0.0, DAMPING])
@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.Radau5()])
def test_two_that_change_at_the_same_instants_are_one_twice_as_strong(method, damping):
    """All guards of the one are zero where those of the other are."""
    model = pair()
    state = model.state(q=[1.5, 0, 0, 0, 0, 0, 1], qd=[0.4, 0.1, 0, 0, 0, 0.2], base_rate=[0.1, 0, 0])
    ends = {"point": (0.3, 0, 0), "other_point": (-0.1, 0, 0.1), "rest_length": LENGTH}
    half = sd.Tether("bus", "probe", stiffness=STIFFNESS / 2, damping=damping / 2, **ends)
    whole = sd.Tether("bus", "probe", stiffness=STIFFNESS, damping=damping, **ends)
    two = sd.simulate(model, state, 20.0, elements=[half, half], method=method, record=0.1)
    one = sd.simulate(model, state, 20.0, elements=[whole], method=method, record=0.1)
    assert (one["tension"] == 0.0).any() and (one["tension"] > 1.0).any()
    np.testing.assert_allclose(two.states.x, one.states.x, atol=1e-6 if isinstance(method, sd.Radau5) else 1e-9)
    np.testing.assert_allclose(two["tension"][:, 0], two["tension"][:, 1], atol=1e-12)
    assert two.audit().worst < 1e-7


@pytest.mark.parametrize("other_stiffness", [0.0, 7.0])
def test_a_stop_and_a_tether_that_act_from_the_same_place_on(other_stiffness):
    """A slider's end stop and a tether that is taut there: together a stiffer stop."""
    b = sd.Builder("slider", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("mass", mass=1.0, inertia=(0.1, 0.12, 0.11))
    b.joint("rail", "prismatic", parent="ground", child="mass", axis=(1, 0, 0), upper=0.5, stop_stiffness=50.0)
    model = b.build()
    ends = {"point": (0, 0, 0), "other_point": (0, 0, 0), "rest_length": 0.5}
    acting = [sd.Tether("ground", "mass", stiffness=other_stiffness, **ends)] if other_stiffness else []
    run = sd.simulate(model, model.state(qd=[1.0]), 1.5, elements=acting)
    w = np.sqrt(50.0 + other_stiffness)
    t = run.time - 0.5
    there = np.where(t < 0.0, 0.5 + t, np.where(t < np.pi / w, 0.5 + np.sin(w * t) / w, 0.5 - (t - np.pi / w)))
    np.testing.assert_allclose(run.states.q[:, 0], there, atol=1e-10)
