"""Simulations against independent answers: exact solutions, published figures, and the original SpaceDyn's own runs.

All run with the default method unless a test says otherwise; quaternions of the sources are (w, x, y, z).
"""

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import spacedyn as sd
from golden_cases import ARGUMENTS, MODELS, Case
from paths import GOLDEN
from published_cases import DOWN, TwoBodies, same_turn, scalar_first
from robots import lone, pendulum
from spacedyn.model.shapes import point

# --- one body --------------------------------------------------------------------------------------------------------


def body_rates(states: sd.State) -> np.ndarray:
    return states.base_attitude.inv().apply(states.base_rate.copy())


@pytest.mark.parametrize("base", ["free", "attitude"])
def test_tumbling_brick(base):
    """NESC atmospheric check case 2, exact by Jacobi functions; 1e-9 deg/s, and 1e-11 for the attitude."""
    model = lone(1.0, (0.001894220, 0.006211019, 0.007194665), base=base)
    period = 17.38448927193939
    start = model.state(base_rate_in_base_axes=np.radians([10, 20, 30]))
    run = sd.simulate(model, start, 30.0, record=[1.0, 10.0, period, 30.0])
    rates = np.degrees(body_rates(run.states))
    wanted = [
        [4.258841898653, 23.119942897497, 28.379817775083],
        [-2.418902221693, -23.552569519561, 28.128592630041],
        [10.0, 20.0, 30.0],
        [12.618390775914, -17.397474761611, 31.119588886944],
    ]
    np.testing.assert_allclose(rates, wanted, atol=1e-9)
    turn = (0.8811471853104, -0.4701825277667, -0.0117282523249, -0.0486875394721)
    same_turn(scalar_first(run.final.base_quaternion_xyzw), turn, 1e-11)


def test_asymmetric_top():
    """I = (1, 2, 3), exact by Jacobi functions; 1e-11."""
    model = lone(1.0, (1, 2, 3))
    run = sd.simulate(model, model.state(base_rate_in_base_axes=[1, -0.5, 0.8]), 10.0)
    np.testing.assert_allclose(body_rates(run.final), [1.057653665388, 0.362448236431, 0.824344441745], atol=1e-11)
    turn = (0.7126626154826, -0.0431032820259, 0.0310576976928, -0.6994923323283)
    same_turn(scalar_first(run.final.base_quaternion_xyzw), turn, 1e-11)


@pytest.mark.parametrize("base", ["free", "attitude"])
def test_a_tumbling_base_takes_no_more_steps_than_a_joint(base):
    """I = (1, 2, 3) through two flips in 50 s: 1e-9 in at most 200 steps of the default method.

    Against Euler's equations by SciPy. With the base's rates integrated in inertial axes it was 3e-7 in 241 steps.
    """
    moments, start = np.array([1.0, 2.0, 3.0]), [0.01, 1.0, 0.01]
    model = lone(1.0, moments, base=base)
    run = sd.simulate(model, model.state(base_rate_in_base_axes=start), 50.0, record="steps")
    exact = solve_ivp(
        lambda t, w: np.cross(moments * w, w) / moments, (0.0, 50.0), start, method="DOP853", rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(body_rates(run.final), exact.y[:, -1], atol=1e-9)
    assert len(run.time) - 1 <= 200


def test_dzhanibekov():
    """I = (1, 2, 3) turning about the middle axis, disturbed by 0.01: the first flip is at 19.55286709863 s; 1e-9.

    Then the rates about the first two axes are the opposite of what they were at the start, for the first time.
    """
    model = lone(1.0, (1, 2, 3))
    flip = 19.55286709863
    start = model.state(base_rate_in_base_axes=[0.01, 1.0, 0.01])
    run = sd.simulate(model, start, flip)
    rates = body_rates(run.states)
    np.testing.assert_allclose(rates[-1], [-0.01, -1.0, 0.01], atol=1e-9)
    assert rates[:-1, 1].min() > -1.0


def top(mass: float, inertia, com) -> sd.Model:
    """A top whose tip is held by a ball joint."""
    b = sd.Builder("top", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("top", mass=mass, inertia=inertia, com=com)
    b.joint("tip", "spherical", parent="ground", child="top")
    return b.build()


def test_lagrange_top():
    """A = 0.02, C = 0.01 about the tip, m g l = 0.5, at rest at 30°, spin 60 rad/s; exact, 1e-9.

    Largest tilt 31.7151372570°, half a nutation after the start; nutation period 0.220151319821 s, over which the axis
    precesses by 0.188012916422 rad.
    """
    length, mass = 0.05, 1.0
    model = top(mass, (0.02 - mass * length**2, 0.02 - mass * length**2, 0.01), (0, 0, length))
    lean = Rotation.from_rotvec([0, np.radians(30), 0])
    period = 0.220151319821
    start = model.state(q=lean.as_quat(), qd=[0, 0, 60])
    run = sd.simulate(model, start, 10 * period, record=period / 2, gravity=[0, 0, -0.5 / (mass * length)])
    axis = Rotation.from_quat(run.states.q).apply([0, 0, 1])
    tilt, azimuth = np.degrees(np.arccos(axis[:, 2])), np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    np.testing.assert_allclose(tilt[1::2], 31.7151372570, atol=1e-9)
    np.testing.assert_allclose(tilt[0::2], 30.0, atol=1e-9)
    np.testing.assert_allclose(np.diff(azimuth[0::2]), 0.188012916422, atol=1e-9)


def test_heavy_top():
    """m = 15, centre (0, 1, 0), spin 150 rad/s, g = 9.81 [benchmark of Géradin and Cardona, computed]; 1e-8."""
    model = top(15.0, (0.234375, 0.46875, 0.234375), (0, 1, 0))
    run = sd.simulate(model, model.state(qd=[0, 150, -4.61538]), 1.0, gravity=[0, 0, -9.81], record=[0.2, 1.0])
    turn = (-0.7082791530, 0.4387810881, 0.5457283961, 0.0893997528)
    same_turn(scalar_first(run.states[0].q), turn, 1e-8)
    centre = Rotation.from_quat(run.final.q).apply([0, 1, 0])
    np.testing.assert_allclose(centre, [0.1733439641, 0.6400885921, -0.7484907911], atol=1e-8)


# --- trees -----------------------------------------------------------------------------------------------------------


def test_pendulum_from_the_horizontal():
    """l = 1 m: the period is 4 sqrt(l/g) K(sin 45°) = 2.36784194757624 s; 1e-10 rad over ten of them."""
    model = pendulum(point(1.0, position=(1, 0, 0)))
    quarter = 2.36784194757624 / 4
    run = sd.simulate(model, model.state(q=[np.pi / 2]), 40 * quarter, gravity=DOWN, record=quarter)
    wanted = np.pi / 2 * np.cos(np.pi / 2 * np.arange(41))
    np.testing.assert_allclose(run.states.q[:, 0], wanted, atol=1e-10)


def test_double_pendulum():
    """1 kg, 1 m, both at 90° [computed]: absolute angles after 5 s of a chaotic motion; 1e-9."""
    model = pendulum(point(1.0, position=(1, 0, 0)), count=2)
    run = sd.simulate(model, model.state(q=[np.pi / 2, 0]), 5.0, gravity=DOWN)
    np.testing.assert_allclose(np.cumsum(run.final.q), [-0.6271867050665, -1.3013155502099], atol=1e-9)


# --- free-floating ---------------------------------------------------------------------------------------------------


@sd.law
def push(t, s, p, out):
    out.tau[0] = p.force


def turn_of_base(q: np.ndarray) -> np.ndarray:
    """Exact: dθ0 = -[dq/2 + (D - C/2) dF], F = (2/S) atan(sqrt((C-2K)/(C+2K)) tan(q/2)) and a winding number."""
    t = TwoBodies
    S = np.sqrt(t.C**2 - 4 * t.K**2)
    turns = np.round(q / (2 * np.pi))
    inner = np.arctan(np.sqrt((t.C - 2 * t.K) / (t.C + 2 * t.K)) * np.tan(q / 2 - np.pi * turns)) + np.pi * turns
    return -(q / 2 + (t.D - t.C / 2) * 2 / S * inner)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_turn_of_the_base_while_the_joint_is_driven(base):
    """Two bodies at rest: whatever the motor does, the base turns by an exact function of the joint's angle; 1e-10."""
    assert turn_of_base(np.pi / 2) == pytest.approx(-0.414420205968355, abs=1e-14)
    assert turn_of_base(2 * np.pi) == pytest.approx(-1.28127806341749, abs=1e-13)
    model = TwoBodies.model(base)
    run = sd.simulate(model, model.neutral_state(), 20.0, laws=[push(force=0.2)])
    q = run.states.q[:, 0]
    assert q[-1] > 2 * np.pi
    turns = np.unwrap(run.states.base_attitude.as_rotvec()[:, 2])
    np.testing.assert_allclose(turns, turn_of_base(q), atol=1e-10)


# --- the original SpaceDyn -------------------------------------------------------------------------------------------


@sd.law
def load(t, s, p, out):
    """Constant joint forces, and wrenches constant in inertial axes."""
    for i in range(p.tau.size):
        out.tau[i] = p.tau[i]
    for k in range(6):
        out.base_wrench[k] = p.base[k]
        for e in range(p.ends.shape[0]):
            out.endpoint_wrenches[e, k] = p.ends[e, k]


def golden_run(name: str, **options) -> tuple[sd.Run, dict]:
    case = Case(name)
    ends = np.array([case.wrenches[end] for end in case.model.endpoint_names])
    laws = [load(tau=case.tau, base=case.base_wrench, ends=ends)]
    wanted = json.loads((GOLDEN / f"{name}.json").read_text())["simulation"]
    run = sd.simulate(case.model, case.state, wanted["duration"], laws=laws, gravity=case.gravity, **options)
    return run, wanted


def distance(state: sd.State, wanted: dict) -> float:
    """The largest error in all that a golden sample holds, each |error| over max(1, |x|)."""
    found = {
        "R0": state.base_position,
        "A0": state.base_attitude.as_matrix(),
        "q": state.q,
        "v0": state.base_velocity,
        "w0": state.base_rate,
        "qd": state.qd,
    }
    errors = [np.abs(found[k] - wanted[k]) / np.maximum(1.0, np.abs(wanted[k])) for k in found]
    return max(float(e.max()) for e in errors)


@pytest.mark.parametrize("name", MODELS)
def test_golden_trajectories(name):
    """f_dyn_rk2 of SpaceDyn at 1 ms for 5 s, every 0.5 s; RungeKutta4 at the same step agrees to 1e-10."""
    run, wanted = golden_run(name, method=sd.RungeKutta4(step=wanted_step(name)), record=0.5)
    np.testing.assert_allclose(run.time, [sample["t"] for sample in wanted["samples"]], atol=1e-12)
    for k, sample in enumerate(wanted["samples"]):
        assert distance(run.states[k], sample) < 1e-10


def wanted_step(name: str) -> float:
    return json.loads((GOLDEN / f"{name}.json").read_text())["simulation"]["d_time"]


@pytest.mark.parametrize("name", MODELS)
def test_golden_reference_solutions(name):
    """An independent solution at 1e-13 of the same motion, with the default method; 1e-10."""
    run, wanted = golden_run(name)
    assert distance(run.final, wanted["reference_solution"]["final"]) < 1e-10


@sd.law(period=0.01)
def pd(t, s, p, out):
    for i in range(s.q.size):
        out.tau[i] = 10.0 * (p.goal[i] - s.q[i]) - 10.0 * s.qd[i]


def test_the_toolbox_s_own_sample():
    """sample_v1r2.m with release 2.1: two R-R-P arms under PD control, its command held over steps of 10 ms; 1e-12."""
    data = json.loads((GOLDEN / "example_sample_v1r2.json").read_text())
    with pytest.warns(sd.ModelWarning, match="placeholder"):
        model = sd.Model.from_arrays(**{key: data["model"][key] for key in ARGUMENTS}, name="sample")
    laws = [pd(goal=data["desired_q"])]
    times = [sample["t"] for sample in data["v2r1"]]
    run = sd.simulate(
        model, model.neutral_state(), times[-1], laws=laws, method=sd.RungeKutta4(step=0.01), record=times, budget=1e-5
    )
    for k, sample in enumerate(data["v2r1"]):
        assert distance(run.states[k], sample) < 1e-12
