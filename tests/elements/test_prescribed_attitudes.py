"""Spherical and free joints that move as given functions of time, by rotations of SciPy or functions of one's own."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

import spacedyn as sd
from random_trees import random_model
from spacedyn.model.parts import BASE_KINDS

ATTITUDES = Rotation.from_quat(np.random.default_rng(1).normal(size=(4, 4)))
TIMES = [0.0, 1.0, 2.5, 3.0]


@sd.motion
def roll(t, p, out):
    """A ball that turns about its own z axis ever faster."""
    angle = 0.5 * p.gain * t * t
    out.value[2], out.value[3] = math.sin(0.5 * angle), math.cos(0.5 * angle)
    out.rate[2], out.acceleration[2] = p.gain * t, p.gain


@sd.motion
def half_the_rate(t, p, out):
    out.value[2], out.value[3] = math.sin(t), math.cos(t)
    out.rate[2] = 1.0


@sd.motion
def no_unit(t, p, out):
    out.value[3] = 2.0


@sd.condition
def late(t, s, p, out):
    out.value[0] = t - p.at


def tree(base: str) -> tuple[sd.Model, sd.State]:
    """A ball and a loose body among joints that are free to move."""
    rng = np.random.default_rng([8, *map(ord, base)])
    model = random_model(rng, 5, base_kind=base, kinds=("spherical", "revolute", "free", "prismatic", "universal"))
    return model, model.random_state(rng)


def named(model: sd.Model, kind: str) -> str:
    return next(joint.name for joint in model.joints if joint.kind == kind)


def path(model: sd.Model) -> dict:
    place = sd.waypoints([0, 1.5], [[0, 0, 0], [0.2, -0.3, 0.4]])
    return {
        named(model, "spherical"): sd.attitude_waypoints(TIMES, ATTITUDES),
        named(model, "free"): (place, RotationSpline(TIMES, ATTITUDES)),
    }


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("method", [None, sd.RungeKutta4(2e-3), sd.Radau5()], ids=lambda m: type(m).__name__)
def test_a_ball_and_a_loose_body_are_led(base, method):
    """Exactly where they should be; the forces are those of inverse dynamics; the ledger holds."""
    model, state = tree(base)
    g = [0.5, 0, -2.0]
    run = sd.simulate(model, state, 2.0, prescribed=path(model), adjust=True, gravity=g, method=method, record=0.05)
    loose = run["q"][:, model.q_slice(named(model, "free"))]
    spline = RotationSpline(TIMES, ATTITUDES)
    assert (Rotation.from_quat(loose[:, 3:]).inv() * spline(run.time)).magnitude().max() < 1e-14
    rates = run["qd"][:, model.qd_slice(named(model, "free"))][:, 3:]
    np.testing.assert_allclose(rates, spline(run.time, 1), atol=1e-13)  # SciPy's are in the turned axes, too
    ball = Rotation.from_quat(run["q"][:, model.q_slice(named(model, "spherical"))])
    assert (ball[20].inv() * ATTITUDES[1]).magnitude() < 1e-14  # at t = 1
    assert not run["qd"][20, model.qd_slice(named(model, "spherical"))].any()
    for i in (0, 13, 33):
        force = sd.inverse_dynamics(model, run.at(run.time[i]), run["udot"][i], gravity=g)
        np.testing.assert_allclose(force[model.base_dof :], run["tau"][i], atol=1e-11)
        np.testing.assert_allclose(force[: model.base_dof], 0.0, atol=1e-11)
    audit = run.audit()
    assert audit.constraints < 1e-13 and audit.energy < 1e-6
    if base == "free":
        assert audit.angular_momentum < 1e-7


@pytest.mark.parametrize("attitudes", [sd.attitude_waypoints(TIMES, ATTITUDES), RotationSpline(TIMES, ATTITUDES)])
def test_rate_and_acceleration_belong_to_the_attitude(attitudes):
    """By differences along the run: the rates that it has, and the accelerations that it needs."""
    model, state = tree("fixed")
    ball, h = named(model, "spherical"), 1e-4
    middle = np.arange(0.15, 2.9, 0.2)  # no piece ends there
    times = np.sort(np.concatenate([middle - h, middle, middle + h]))
    run = sd.simulate(model, state, 3.0, prescribed={ball: attitudes}, adjust=True, record=times)
    turned = Rotation.from_quat(run["q"][:, model.q_slice(ball)])
    rate, udot = run["qd"][:, model.qd_slice(ball)], run["udot"][:, model.u_slice(ball)]
    slope = (turned[0::3].inv() * turned[2::3]).as_rotvec() / (2 * h)
    np.testing.assert_allclose(rate[1::3], slope, rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(udot[1::3], (rate[2::3] - rate[0::3]) / (2 * h), rtol=2e-6, atol=2e-6)
    assert np.abs(udot).max() > 1.0


def test_a_batch_goes_the_same_way_as_one():
    model, state = tree("free")
    batch = sd.State(model, np.tile(state._data, (5, 1)))
    many = sd.simulate(model, batch, 1.0, prescribed=path(model), adjust=True, record=0.1)
    one = sd.simulate(model, state, 1.0, prescribed=path(model), adjust=True, record=0.1)
    np.testing.assert_allclose(many.states.x[:, 3], one.states.x, rtol=0, atol=1e-11)


def test_a_function_of_ones_own_leads_a_ball(tmp_path):
    model, state = tree("free")
    ball = named(model, "spherical")
    run = sd.simulate(model, state, 2.0, prescribed={ball: roll(gain=0.7)}, adjust=True, record=0.1)
    turned = Rotation.from_quat(run["q"][:, model.q_slice(ball)])
    np.testing.assert_allclose(turned.as_rotvec()[:, 2], 0.35 * run.time**2, atol=1e-14)
    assert run.audit().worst < 1e-9
    A = sd.linearize(model, run.final, prescribed={ball: roll(gain=0.7)}, time=2.0).A
    held = model.u_slice(ball)
    assert not A[held].any() and A.any()


def test_it_goes_on_to_the_bit_from_a_file(tmp_path):
    model, state = tree("free")
    run = sd.simulate(model, state, 1.0, prescribed=path(model), adjust=True, record=0.1)
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc").resume(at=0.5)
    assert np.array_equal(again["x"], run["x"]) and np.array_equal(again["udot"], run["udot"])


def test_a_ball_that_begins_to_follow_does_so_from_where_it_is():
    """Its attitude is turned by a constant, so that nothing jumps; the impulses are inside the robot."""
    model, state = tree("free")
    ball, loose = named(model, "spherical"), named(model, "free")
    events = [
        sd.Event(late(at=0.5), action=sd.actions.follow(ball)),
        sd.Event(late(at=0.7), action=sd.actions.follow(loose)),
        sd.Event(late(at=1.4), action=sd.actions.free(loose)),
    ]
    run = sd.simulate(
        model, state, 2.0, prescribed=path(model), modes={ball: "free", loose: "locked"}, events=events, adjust=True
    )
    before, after = run.events[0].state, run.events[0].after
    assert np.array_equal(before.q, after.q) and not np.array_equal(before.qd, after.qd)
    audit = run.audit()
    assert audit.constraints < 1e-12 and audit.energy < 1e-9 and audit.angular_momentum < 1e-9
    alone = sd.simulate(model, state, 2.0, prescribed={ball: sd.attitude_waypoints(TIMES, ATTITUDES)}, adjust=True)
    both = [Rotation.from_quat(one["q"][[600, 900]][:, model.q_slice(ball)]) for one in (run, alone)]
    shift = both[0] * both[1].inv()
    assert (shift[0].inv() * shift[1]).magnitude() < 1e-12 and shift[0].magnitude() > 0.01


def test_a_constant_attitude_and_one_that_disagrees():
    model, state = tree("free")
    ball = named(model, "spherical")
    here = Rotation.from_quat(state.q[model.q_slice(ball)])
    still = state.replace(qd={ball: [0, 0, 0]})
    for same in (here, Rotation.from_quat(-here.as_quat())):
        run = sd.simulate(model, still, 0.2, prescribed={ball: same}, record=0.1)
        assert (Rotation.from_quat(run.final.q[model.q_slice(ball)]).inv() * here).magnitude() < 1e-14
    with pytest.raises(sd.InputError, match=r"the state is .* off"):
        sd.simulate(model, still, 0.2, prescribed={ball: ATTITUDES[0]})


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("spherical", [0, 0, 0, 1.0], "is spherical: expected an attitude"),
        ("spherical", ([0, 0, 0], ATTITUDES[0]), "is spherical: expected an attitude"),
        ("spherical", ATTITUDES, "expected one rotation"),
        ("spherical", RotationSpline([0, 1, 2], ATTITUDES[:3]), "still turns there"),
        ("spherical", half_the_rate(), "not the derivative of its value"),
        ("spherical", no_unit(), "length is not one"),
        ("free", ATTITUDES[0], r"is free: expected \(place, attitude\)"),
        ("free", ([0.0, 1.0], ATTITUDES[0]), "three finite coordinates"),
        ("revolute", ATTITUDES[0], "expected waypoints"),
    ],
)
def test_what_cannot_lead_such_a_joint_is_refused(kind, given, message):
    model, state = tree("free")
    with pytest.raises(sd.InputError, match=message):
        sd.simulate(model, state, 3.0, prescribed={named(model, kind): given}, adjust=True)


def test_waypoints_of_attitudes_are_checked():
    with pytest.raises(sd.InputError, match="times of waypoints"):
        sd.attitude_waypoints([0, 0], ATTITUDES[:2])
    for wrong in (ATTITUDES[0], ATTITUDES[:3]):
        with pytest.raises(sd.InputError, match="expected 2 rotations"):
            sd.attitude_waypoints([0, 1], wrong)
    with pytest.raises(sd.InputError, match="expected rotations"):
        sd.attitude_waypoints([0, 1], [[0, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.raises(sd.InputError, match="use attitude_waypoints"):
        sd.waypoints([0, 1], ATTITUDES[:2])
