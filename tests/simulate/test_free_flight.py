"""Between contacts `TimeStepping` moves single bodies as they move by themselves: energy and momentum stay."""

import numpy as np
import pytest

import spacedyn as sd

INERTIA = np.array([[1.2e-3, 1e-4, 0.0], [1e-4, 2.0e-3, 2e-4], [0.0, 2e-4, 2.5e-3]])
SPIN = np.array([0.3, 1.0, 0.1])
OFFSET = (0.1, -0.05, 0.2)


def tumbling(where, speed, inertia=INERTIA, com=OFFSET):
    """A body that turns about no axis of its own, as a base or on a free joint, which is not at its centre of mass."""
    w = speed * SPIN / np.linalg.norm(SPIN)
    if where == "joint":
        b = sd.Builder("tumbling", base="fixed")
        b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
        b.link("body", "free", parent="ground", mass=1.0, inertia=inertia, com=com)
        return b.build().neutral_state().replace(qd=[0.3, -0.2, 0.1, *w])
    b = sd.Builder("tumbling", base=where)
    b.base("body", mass=1.0, inertia=inertia)
    return b.build().neutral_state().replace(base_rate=w)


def fly(start, step=1e-3, seconds=1.0, **options):
    options = {"record": 0.01, "budget": np.inf, "progress": False} | options
    return sd.simulate(start.model, start, seconds, method=sd.TimeStepping(step), **options)


@pytest.mark.parametrize("where", ["free", "attitude", "joint"])
@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0, 1500.0])
def test_energy_of_a_tumbling_body_stays_to_rounding(where, speed):
    """By the dynamics at the start of each step it would double within 2 s at 50 rad/s, and have no end at 100."""
    energy = fly(tumbling(where, speed)).energy().total
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


@pytest.mark.parametrize("speed", [1e4, 1e5])
def test_what_turns_by_many_radians_in_a_step_gains_nothing(speed):
    energy = fly(tumbling("joint", speed, com=(0, 0, 0)), seconds=0.3).energy().total
    assert energy.max() < energy[0] * (1.0 + 1e-10)


def test_the_centre_of_mass_flies_straight():
    start = tumbling("joint", 30.0)
    centroids = [sd.forward_kinematics(start.model, at).centroids for at in (start, fly(start).final)]
    np.testing.assert_allclose(centroids[1].velocity[1, :3], centroids[0].velocity[1, :3], rtol=0, atol=1e-10)


@pytest.mark.parametrize("where", ["free", "joint"])
def test_attitudes_are_of_the_first_order_and_angular_momentum_swings_about_its_own(where):
    """L stays within h w of itself, however long: |L| in the body's axes is exact."""
    start = tumbling(where, 10.0, com=(0, 0, 0))
    model = start.model
    exact = sd.simulate(model, start, 1.0, method=sd.DormandPrince8(rtol=1e-11, atol=1e-12), progress=False).final
    away = []
    for step in (2e-3, 1e-3, 5e-4):
        run = fly(start, step)
        away.append(
            abs(
                np.r_[run.final.q - exact.q, run.final.base_attitude.as_rotvec() - exact.base_attitude.as_rotvec()]
            ).max()
        )
        L = sd.momentum(model, run.states, about="com")[..., 3:]
        assert np.linalg.norm(L - L[0], axis=-1).max() < 10.0 * step * np.linalg.norm(L[0])
    assert away[0] / away[1] == pytest.approx(2.0, rel=0.1) and away[1] / away[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.packs
def test_robots_of_a_pack_turn_as_alone_to_the_bit():
    """Of different spins, one of them at rest."""
    starts = [tumbling("joint", speed) for speed in (0.0, 3.0, 40.0, 900.0, 2e4)]
    model = starts[0].model
    many = model.state(q=np.array([one.q for one in starts]), qd=np.array([one.qd for one in starts]))
    together = fly(many, seconds=0.1)
    for i, start in enumerate(starts):
        np.testing.assert_array_equal(together["x"][:, i], fly(start, seconds=0.1)["x"])


def test_a_wrench_turns_it_as_it_does_with_other_methods():
    """The mean of torque and gyration, of the first order."""
    start = tumbling("free", 3.0)
    push = sd.Wrench("body", moment=(0.01, -0.004, 0.006), frame="body")
    exact = sd.simulate(start.model, start, 0.5, elements=[push], progress=False).final
    away = [abs(fly(start, h, 0.5, elements=[push]).final.base_rate - exact.base_rate).max() for h in (2e-3, 1e-3)]
    assert away[1] < 0.02 and away[0] / away[1] == pytest.approx(2.0, rel=0.1)


def test_robots_that_differ_have_each_its_own_inertia():
    start = tumbling("free", 40.0)
    inertia = np.array([INERTIA, INERTIA[::-1, ::-1], np.diag([1e-3, 1.5e-3, 2.2e-3])])
    fleet = start.model.vary(inertia={"body": inertia})
    energy = fly(fleet.state(base_rate=np.tile(start.base_rate, (3, 1)))).energy().total
    np.testing.assert_allclose(energy, np.broadcast_to(energy[0], energy.shape), rtol=1e-12)


def test_rates_that_are_recorded_are_those_of_the_positions():
    """Times of two thousand steps round off by more than 1e-10 of a step: their ends are their ends all the same."""
    energy = fly(tumbling("joint", 30.0), step=5e-4).energy().total
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


# --- robots of several bodies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.5, 5.0])
def test_energy_and_momentum_of_a_tumbling_robot_swing_and_do_not_grow(speed):
    """With forces of the start of each step its energy would grow by 27 % in 20 s at 5 rad/s."""
    robot = sd.load("ets7")
    w = speed * SPIN / np.linalg.norm(SPIN)
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], base_rate=w)
    run = fly(start, seconds=20.0, record=0.1)
    energy = run.energy().total
    assert abs(energy / energy[0] - 1.0).max() < 1e-3 * speed
    assert run.audit().angular_momentum < 1e-3 * speed and run.audit().linear_momentum < 1e-3 * speed


def test_a_swinging_arm_keeps_its_energy():
    """A double pendulum on a fixed base, for a hundred swings."""
    b = sd.Builder("double", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
    rod = {"mass": 1.0, "inertia": (0.08, 0.08, 1e-3), "com": (0, 0, -0.5), "axis": (0, 1, 0)}
    b.link("upper", "revolute", parent="ground", **rod)
    b.link("lower", "revolute", parent="upper", position=(0, 0, -1), **rod)
    energy = fly(b.build().state(q=[1.0, -0.5]), seconds=100.0, record=0.1, gravity=(0, 0, -9.81)).energy()
    assert np.ptp(energy.total) < 0.004 * energy.kinetic.max()  # it gained 12 % with forces of the start of each step


@pytest.mark.packs
def test_who_flies_in_a_pack_flies_as_alone():
    """One robot stands, one falls on its foot, one tumbles far above."""
    b = sd.Builder("hopper")
    b.base("trunk", mass=3.0, inertia=(0.1, 0.12, 0.15))
    b.link("leg", "revolute", parent="trunk", axis=(0, 1, 0), mass=0.5, inertia=(0.01, 0.011, 0.002), com=(0, 0, -0.2))
    model = b.build()
    foot = sd.Contact("leg", (0, 0, -0.4), radius=0.02, material=sd.ContactMaterial(1e5, friction=0.6), name="foot")
    heights, rates = (0.42, 0.43, 5.0), ([0, 0, 0], [0.3, 0, 0], [3.0, 5.0, -2.0])
    starts = [
        model.state(base_position=[0, 0, z], base_rate=w, q=[0.05], qd=[0.5])
        for z, w in zip(heights, rates, strict=True)
    ]
    options = {"seconds": 0.2, "elements": [foot], "gravity": (0, 0, -9.81)}
    many = model.state(
        base_position=[s.base_position for s in starts],
        base_rate=rates,
        q=[s.q for s in starts],
        qd=[s.qd for s in starts],
    )
    together = fly(many, **options)
    for i, start in enumerate(starts):
        alone = fly(start, **options)
        for name in ("x", "u", "joint_work", "element_dissipated"):
            np.testing.assert_array_equal(together[name][:, i], alone[name])
