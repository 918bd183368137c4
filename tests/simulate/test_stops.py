"""End stops within steps: against SciPy and by hand, the ledger at default tolerances, brief touches, restarts."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd
from laws_and_forces import DOWN, clock
from random_trees import random_model
from robots import slider

ADAPTIVE = [sd.DormandPrince8(), sd.DormandPrince5(), sd.Radau5()]
AGREE = {"DormandPrince8": 1e-9, "DormandPrince5": 1e-7, "Radau5": 1e-7}


def arm(stiffness: float, damping: float) -> sd.Model:
    """Three joints on a free base, each between two stops."""
    b = sd.Builder("arm")
    b.base("bus", mass=20.0, inertia=(2.0, 2.2, 2.1))
    for i, axis in enumerate([(0, 0, 1), (0, 1, 0), (0.6, 0, 0.8)]):
        b.body(f"link{i}", mass=1.0, inertia=(0.1, 0.12, 0.03), com=(0.4, 0.0, 0.0))
        parent, at = ("bus", 0.3) if i == 0 else (f"link{i - 1}", 0.8)
        b.joint(
            f"joint{i}", "revolute", parent=parent, child=f"link{i}", position=(at, 0, 0), axis=axis, lower=-0.5,
            upper=0.4 + 0.1 * i, stop_stiffness=stiffness * (1 + i), stop_damping=damping,
        )  # fmt: skip
    return b.build()


# --- a second route --------------------------------------------------------------------------------------------------

APART, PUSHING, SPENT = 0, 1, 2


def push(joint, side: int, q: float, qd: float) -> float:
    """What a stop's spring and damper would push back with."""
    depth = q - joint.upper[0] if side > 0 else joint.lower[0] - q
    return float(joint.stop_stiffness[0] * depth + joint.stop_damping[0] * side * qd)


def by_scipy(model: sd.Model, state: sd.State, duration: float, gravity=None) -> sd.State:
    """The same by SciPy, from one change of a stop to the next: apart, pushed, or leaving what is spent."""
    nx, n0, phases = 7 + model.nq, model.base_dof, [(APART, 0)] * model.n

    def state_of(y):
        unit = np.concatenate([y[:3], y[3:7] / np.linalg.norm(y[3:7]), y[7:]])
        return sd.State(model, np.ascontiguousarray(unit))

    def rates(t, y):
        s = state_of(y)
        pushed = enumerate(zip(model.joints, phases, strict=True))
        tau = [-side * push(j, side, s.q[i], s.qd[i]) if phase == PUSHING else 0.0 for i, (j, (phase, side)) in pushed]
        udot = sd.forward_dynamics(model, s, np.array(tau), passive=False, gravity=gravity)
        w, (a, b, c, d) = s.base_rate, s.base_quaternion_xyzw
        turn = 0.5 * np.append(d * w + np.cross(w, [a, b, c]), -w @ [a, b, c])
        return np.concatenate([s.base_velocity, turn, s.qd, udot])

    def guards(i):
        joint, (phase, side) = model.joints[i], phases[i]
        q, qd = 7 + i, nx + n0 + i
        if phase == APART:
            found = [lambda t, y: y[q] - joint.upper[0], lambda t, y: joint.lower[0] - y[q]]
        elif phase == PUSHING:
            found = [lambda t, y: -push(joint, side, y[q], y[qd])]
        else:
            limit = joint.upper[0] if side > 0 else joint.lower[0]
            found = [lambda t, y: -side * (y[q] - limit), lambda t, y: push(joint, side, y[q], y[qd])]
        for one in found:
            one.terminal, one.direction = True, 1.0
        return found

    def after(phase, side, which):
        if phase == APART:
            return PUSHING, (1, -1)[which]
        if phase == PUSHING:
            return SPENT, side
        return (APART, 0) if which == 0 else (PUSHING, side)

    t, y, changes = 0.0, state._data.copy(), 0
    while t < duration:
        watched = [(i, k, one) for i in range(model.n) for k, one in enumerate(guards(i))]
        part = solve_ivp(
            rates, (t, duration), y, "DOP853", rtol=1e-12, atol=1e-13, events=[one for *_, one in watched],
            first_step=1e-6,
        )  # fmt: skip
        t, y = part.t[-1], part.y[:, -1]
        for (i, k, _), times in zip(watched, part.t_events, strict=True):
            if len(times):
                phases[i], changes = after(*phases[i], k), changes + 1
    assert changes > 2
    return state_of(y)


def difference(a: sd.State, b: sd.State) -> float:
    return float(max(np.abs(a.difference(b)).max(), np.abs(a.u - b.u).max()))


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_an_arm_runs_into_its_stops_as_scipy_has_it(method, arm_by_scipy):
    model, state, exact = arm_by_scipy
    run = sd.simulate(model, state, 1.6, method=method, record="steps")
    assert difference(run.final, exact) < AGREE[type(method).__name__]
    assert run.audit().worst < 1e-8 and run["dissipated"][-1, 0] > 0.1


@pytest.fixture(scope="module")
def arm_by_scipy():
    model = arm(2e3, 20.0)
    state = model.state(qd=[1.0, -0.9, 1.2], base_rate=[0.1, 0.2, -0.1])
    return model, state, by_scipy(model, state, 1.6)


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_one_bounce_is_the_analytic_one(method):
    """m x'' + d x' + k x = 0 from touch to where the force is zero; then on with the speed that it has there."""
    k, d, v = 400.0, 10.0, 1.0
    decay = d / 2
    w = np.sqrt(k - decay**2)
    leaves = np.arctan2(2 * decay * w, decay**2 - w**2) / w  # where x'' is zero
    speed = v * np.exp(-decay * leaves) * (np.cos(w * leaves) - decay / w * np.sin(w * leaves))
    depth = v / w * np.exp(-decay * leaves) * np.sin(w * leaves)
    model = slider(upper=0.1, stop_stiffness=k, stop_damping=d)
    run = sd.simulate(model, model.state(qd=[v]), 1.0, method=method)
    assert run.final.qd[0] == pytest.approx(speed, rel=1e-8)
    assert run.final.q[0] == pytest.approx(0.1 + depth + speed * (0.9 - leaves), abs=1e-8)
    assert run["dissipated"][-1, 0] == pytest.approx(0.5 * (v**2 - speed**2), rel=1e-7)
    assert run.audit().energy < 1e-7


# --- the ledger at default tolerances --------------------------------------------------------------------------------

HARD = {
    "soft": (lambda: slider(upper=0.1, stop_stiffness=400.0, stop_damping=10.0), [1.0], 1.0, None),
    "no damper": (lambda: slider(upper=0.3, lower=-0.3, stop_stiffness=800.0), [1.5], 2.0, None),
    "no spring": (lambda: slider(lower=-0.2, stop_damping=50.0), [0.0], 1.0, DOWN),
    "comes to rest": (lambda: slider(lower=-0.2, stop_stiffness=1e4, stop_damping=20.0), [0.0], 3.0, DOWN),
    "arm": (lambda: arm(2e4, 20.0), [1.0, -0.7, 0.9], 3.0, None),
    "steel": (lambda: arm(2e6, 2e3), [1.0, -0.7, 0.9], 1.5, None),
}


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("case", HARD)
def test_the_ledger_is_kept_at_default_tolerances(case, method):
    make, speed, duration, gravity = HARD[case]
    model = make()
    run = sd.simulate(model, model.state(qd=speed), duration, method=method, gravity=gravity)
    q = run.states.q
    limits = [(joint.lower[0], joint.upper[0]) for joint in model.joints]
    assert any((q[:, i] < low).any() or (q[:, i] > high).any() for i, (low, high) in enumerate(limits))
    assert run.audit().worst < 1e-7  # Radau5's records between steps are of order 3
    steps = sd.simulate(model, model.state(qd=speed), duration, method=method, gravity=gravity, record="steps")
    assert steps.audit().energy < 1e-8


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_a_stop_never_pulls(method):
    """The force that accelerated each joint: away from the limit beyond which it is, and none anywhere else."""
    model = arm(2e4, 200.0)
    run = sd.simulate(model, model.state(qd=[1.0, -0.7, 0.9]), 1.0, method=method)
    acted = sd.inverse_dynamics(model, run.states, run["udot"], passive=False)[:, model.base_dof :]
    assert np.abs(acted).max() > 10.0
    for i, joint in enumerate(model.joints):
        q = run.states.q[:, i]
        over, under = q > joint.upper[0] + 1e-9, q < joint.lower[0] - 1e-9
        assert acted[over, i].max(initial=0.0) < 1e-5 and acted[under, i].min(initial=0.0) > -1e-5
        assert np.abs(acted[~over & ~under, i]).max(initial=0.0) < 1e-5
    # the same as the public function has by the sign of what is beyond
    np.testing.assert_allclose(acted, sd.passive_force(model, run.states)[:, model.base_dof :], atol=1e-4)


def twins(damping: float) -> sd.Model:
    """Two fingers that mirror each other: both touch, cease to push and leave at the same instants."""
    b = sd.Builder("twins", base="fixed")
    b.base("palm", mass=1.0, inertia=(1.0, 1.2, 1.1))
    for side in (-1, 1):
        b.body(f"finger{side}", mass=0.5, inertia=(0.02, 0.021, 0.005), com=(0.1, 0, 0))
        b.joint(
            f"knuckle{side}", "revolute", parent="palm", child=f"finger{side}", axis=(0, 0, side), upper=0.3,
            lower=-0.2, stop_stiffness=500.0, stop_damping=damping,
        )  # fmt: skip
    return b.build()


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_stops_that_change_at_the_same_instant(method, damping):
    model = twins(damping)
    run = sd.simulate(model, model.state(qd=[2.0, 2.0]), 1.0, method=method, record="steps")
    assert run.audit().energy < 1e-8 and run.time.size < 1000
    np.testing.assert_allclose(run.states.q[:, 0], run.states.q[:, 1], atol=1e-9)
    assert (np.diff(np.sign(run.states.qd[:, 0])) != 0).sum() >= 1


def test_a_robot_of_all_kinds_of_joints_with_stops_springs_and_friction():
    rng = np.random.default_rng(5)
    model = random_model(rng, 6, base_kind="free", passive=True)
    state = model.random_state(rng)
    for method in ADAPTIVE[:2]:
        run = sd.simulate(model, state, 0.5, method=method, limits=False, record=0.05)
        assert run.audit().worst < 1e-8


# --- brief touches, packs, events, restarts --------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1e-3, 1e-5])
def test_a_touch_much_shorter_than_a_step_is_found(depth):
    """Thrown up to just beyond a stop: free, a single step would pass over it."""
    speed = 4.0
    top = speed**2 / (2 * 9.81)
    model = slider(upper=top - depth, stop_stiffness=50.0, stop_damping=1.0)
    method = sd.DormandPrince8(first_step=0.7)
    run = sd.simulate(model, model.state(qd=[speed]), 0.7, method=method, gravity=DOWN, record="steps")
    assert run["dissipated"][-1, 0] > 0.0 and run.time.size > 3
    bare = slider(upper=top - depth)
    free = sd.simulate(bare, bare.state(qd=[speed]), 0.7, method=method, gravity=DOWN, limits=False, record="steps")
    assert free.time.size < 4 and run.final.q[0] < free.final.q[0]
    assert run.audit().energy < 1e-9


@pytest.mark.parametrize("method", ADAPTIVE[:2], ids=lambda method: type(method).__name__)
def test_robots_of_a_pack_touch_their_stops_each_at_its_time(method):
    model = arm(2e3, 20.0)
    states = model.state(qd=np.random.default_rng(1).uniform(-1.5, 1.5, (5, 3)))
    run = sd.simulate(model, states, 1.2, method=method, record=0.1)
    assert run.audit().worst < 1e-8
    for i in range(5):
        alone = sd.simulate(model, states[i], 1.2, method=method, record=0.1)
        assert difference(run.final[i], alone.final) < AGREE[type(method).__name__]


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_an_event_at_the_very_instant_of_a_touch(method):
    model = slider(upper=0.1, stop_stiffness=400.0, stop_damping=10.0)
    touch = sd.Event(sd.joint_reaches("rail", 0.1), name="touch")
    late = sd.Event(clock(at=0.13), action=lambda t, state: state.replace(qd=2.0 * state.qd), name="kick")
    run = sd.simulate(model, model.state(qd=[1.0]), 1.0, method=method, events=[touch, late], record="steps")
    assert [event.name for event in run.events] == ["touch", "kick", "touch"]
    assert run.events[0].time == pytest.approx(0.1, abs=1e-12)
    assert run.audit().energy < 1e-8


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: type(method).__name__)
def test_phases_of_stops_are_kept_by_a_restart(method, tmp_path):
    model = arm(2e4, 20.0)
    state = model.state(qd=[1.0, -0.7, 0.9])
    whole = sd.simulate(model, state, 1.0, method=method, record=0.01)
    whole.save(tmp_path / "run.nc")
    for run in (whole, sd.Run.load(tmp_path / "run.nc")):
        np.testing.assert_array_equal(run.resume(at=0.5)._rows, whole._rows)
    half = sd.simulate(model, state, 0.5, method=method, record=0.01)
    np.testing.assert_array_equal(half.resume(until=1.0)._rows, whole._rows)


def test_a_joint_that_starts_beyond_its_limit_is_pushed_or_left_alone():
    model = slider(upper=0.1, stop_stiffness=400.0, stop_damping=10.0)
    for speed, pushed in ((0.0, True), (-10.0, False)):  # the second leaves faster than the stop can follow
        state = model.state(q=[0.11], qd=[speed])
        run = sd.simulate(model, state, 0.2, limits=False, record="steps")
        assert bool(run["udot"][0, 0] < -1e-9) is pushed and run.audit().energy < 1e-10


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.Radau5()], ids=str)
def test_a_joint_at_rest_at_its_limit_hides_no_touch(method):
    b = sd.Builder("two rails", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    for name in ("still", "moving"):
        b.link(name, "prismatic", parent="ground", mass=1.0, inertia=(0.1, 0.12, 0.11), upper=0.5, stop_stiffness=1e4)
    rails = b.build()
    run = sd.simulate(rails, rails.state(q=[0.5, 0.0], qd=[0.0, 0.3]), 2.0, method=method, record="steps")
    assert abs(run.time - 0.5 / 0.3).min() < 1e-9 and run.audit().energy < 1e-9
