"""Laws: when they are sampled, held and delayed; their states; what they see and command; how they fail; their code."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy.integrate import simpson

import spacedyn as sd
from laws_and_forces import integrator, low_pass, ramp
from random_trees import random_model
from robots import cart, tree
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs

METHODS = [sd.RungeKutta4(step=0.013), sd.RungeKutta4(step=0.5), sd.DormandPrince5(), sd.DormandPrince8()]
every_method = pytest.mark.parametrize("method", METHODS, ids=["short steps", "long steps", "pair of 5", "pair of 8"])


# --- when ------------------------------------------------------------------------------------------------------------


@every_method
def test_a_continuous_law_acts_at_every_time(method):
    """q'' = a t: q = a t³ / 6, exact for all these methods."""
    run = sd.simulate(
        cart(), cart().neutral_state(), 2.0, laws=[ramp(slope=3.0)], method=method, record=0.1, budget=1.0
    )
    np.testing.assert_allclose(run.states.q[:, 0], 0.5 * run.time**3, atol=1e-12)
    np.testing.assert_allclose(run["forces"][:, 0], 3.0 * run.time, atol=1e-12)


def staircase(times: np.ndarray, period: float, delay: float) -> tuple[np.ndarray, np.ndarray]:
    """Speed and place of a unit mass pushed by the times of samples, each held from its delay on to the next."""
    speed, place = np.zeros(len(times)), np.zeros(len(times))
    for i, t in enumerate(times):
        edges = np.append(np.arange(0.0, t, period) + delay, t)
        edges = np.append(edges[edges < t], t)
        for k, (a, b) in enumerate(pairwise(edges)):
            push = k * period
            place[i] += speed[i] * (b - a) + 0.5 * push * (b - a) ** 2
            speed[i] += push * (b - a)
    return speed, place


@every_method
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.25, 0.47], ids=lambda d: f"delay {d}")
def test_a_sample_is_held_from_its_delay_on(method, delay):
    """Periods of 0.1 s; delays from none to several periods, with steps shorter and longer than either. Exact."""
    times = np.linspace(0.0, 2.0, 41)[1:] + 0.004
    laws = [ramp(slope=1.0, period=0.1, delay=delay)]
    run = sd.simulate(cart(), cart().neutral_state(), 2.1, laws=laws, method=method, record=times)
    speed, place = staircase(times, 0.1, delay)
    np.testing.assert_allclose(run.states.qd[:, 0], speed, atol=1e-12)
    np.testing.assert_allclose(run.states.q[:, 0], place, atol=1e-12)
    held = np.floor((times - delay) / 0.1 + 1e-9) * 0.1
    np.testing.assert_allclose(run["forces"][:, 0], np.maximum(held, 0.0), atol=1e-12)


def test_semi_implicit_euler_holds_samples_too():
    method, laws = sd.SemiImplicitEuler(step=0.01), [ramp(slope=1.0, period=0.1, delay=0.05)]
    run = sd.simulate(cart(), cart().neutral_state(), 1.0, laws=laws, method=method, budget=1.0)
    speed, _ = staircase(run.time, 0.1, 0.05)
    np.testing.assert_allclose(run.states.qd[:, 0], speed, atol=1e-12)


def test_samples_count_from_the_start_of_the_run():
    """The law sees the time of the run, which need not start at zero."""
    run = sd.simulate(cart(), cart().neutral_state(), 1.0, laws=[ramp(slope=1.0, period=0.3)], start=5.0, record=0.1)
    held = 5.0 + 0.3 * np.floor((run.time - 5.0) / 0.3 + 1e-9)
    np.testing.assert_allclose(run["forces"][:, 0], held, atol=1e-12)


def test_laws_of_several_rates_add_up():
    """What two laws do together is what one does that adds their commands."""

    @sd.law
    def both(t, s, p, out):
        for i in range(s.qd.size):
            out.tau[i] = -0.5 * s.qd[i] + 0.2 * np.sin(t)

    @sd.law
    def damp(t, s, p, out):
        for i in range(s.qd.size):
            out.tau[i] = -0.5 * s.qd[i]

    @sd.law
    def shake(t, s, p, out):
        for i in range(s.qd.size):
            out.tau[i] = 0.2 * np.sin(t)

    model, state = tree()
    one = sd.simulate(model, state, 1.0, laws=[both()])
    two = sd.simulate(model, state, 1.0, laws=[damp(), shake()])
    np.testing.assert_allclose(two["u"], one["u"], atol=1e-10)
    np.testing.assert_allclose(two["forces"], one["forces"], atol=1e-10)
    laws = [ramp(slope=1.0, period=0.1), ramp(slope=2.0, period=0.07), ramp(slope=3.0)]
    sampled = sd.simulate(cart(), cart().neutral_state(), 1.0, record=0.05, laws=laws)
    held = [p * np.floor(sampled.time / p + 1e-9) for p in (0.1, 0.07)]
    np.testing.assert_allclose(sampled["forces"][:-1, 0], (held[0] + 2 * held[1] + 3 * sampled.time)[:-1], atol=1e-12)


# --- states of laws --------------------------------------------------------------------------------------------------


def test_a_filter_follows_its_exact_answer():
    """x' = (1 - x)/T from x0: x = 1 - (1 - x0) exp(-t/T), and the mass that it pushes."""
    T, x0 = 0.3, 0.25
    run = sd.simulate(cart(), cart().neutral_state(), 3.0, laws=[low_pass(lag=T).starting(low=x0)])
    t = run.time
    np.testing.assert_allclose(run["law_states"][:, 0], 1 - (1 - x0) * np.exp(-t / T), atol=1e-11)
    np.testing.assert_allclose(run.states.qd[:, 0], t - (1 - x0) * T * (1 - np.exp(-t / T)), atol=1e-11)
    np.testing.assert_allclose(run.data["low_pass0.low"].values[:, 0], run["law_states"][:, 0])


@every_method
def test_a_discrete_integrator_changes_at_samples_only(method):
    times = np.linspace(0.05, 1.95, 39)
    run = sd.simulate(cart(), cart().neutral_state(), 2.0, laws=[integrator(gain=2.0)], method=method, record=times)
    k = np.floor(times / 0.1 + 1e-9)  # the sample before
    np.testing.assert_allclose(run["law_states"][:, 0], 2.0 * 0.1 * k * (k + 1) / 2, atol=1e-12)
    np.testing.assert_allclose(run["law_states"][:, 1], np.maximum(0.1 * (k - 1), 0.0), atol=1e-12)
    np.testing.assert_allclose(run["forces"][:, 0], run["law_states"][:, 0], atol=1e-12)


def test_states_of_several_laws_stay_apart():
    laws = [integrator(gain=1.0), low_pass(lag=0.3), integrator(gain=5.0)]
    run = sd.simulate(cart(), cart().neutral_state(), 1.05, laws=laws)
    alone = sd.simulate(cart(), cart().neutral_state(), 1.05, laws=laws[1:2])
    np.testing.assert_allclose(run["law_states"][-1, 0], 5.5, atol=1e-12)
    np.testing.assert_allclose(run["law_states"][:, 3], alone["law_states"][:, 0], atol=1e-11)
    np.testing.assert_allclose(run["law_states"][-1, 4], 27.5, atol=1e-12)


# --- what they see ---------------------------------------------------------------------------------------------------

SIZES = {
    "base_position": 3,
    "base_quaternion_xyzw": 4,
    "base_velocity": 3,
    "base_rate": 3,
    "com": 3,
    "linear_momentum": 3,
    "angular_momentum": 3,
}


@sd.law(period=0.05, states={f"{name}_seen": size for name, size in SIZES.items()} | {"ends": 36, "joints": 60})
def observe(t, s, p, out):
    for k in range(3):
        out.base_position_seen[k] = s.base_position[k]
        out.base_velocity_seen[k] = s.base_velocity[k]
        out.base_rate_seen[k] = s.base_rate[k]
        out.com_seen[k] = s.com[k]
        out.linear_momentum_seen[k] = s.linear_momentum[k]
        out.angular_momentum_seen[k] = s.angular_momentum[k]
    for k in range(4):
        out.base_quaternion_xyzw_seen[k] = s.base_quaternion_xyzw[k]
    for e in range(2):
        for k in range(18):
            out.ends[18 * e + k] = s.endpoints[e, k]
    for k in range(s.q.size):
        out.joints[k] = s.q[k]
    for k in range(s.qd.size):
        out.joints[30 + k] = s.qd[k]


@pytest.mark.parametrize("base", ["free", "attitude", "planar", "fixed"])
def test_laws_see_what_the_functions_of_the_package_give(base):
    rng = np.random.default_rng([2, *map(ord, base)])
    model = random_model(rng, 6, base_kind=base)
    run = sd.simulate(model, model.random_state(rng), 0.5, laws=[observe()], record=0.05)
    states = run.states[:-1]  # at the end no sample is taken any more
    seen, start = {}, 0
    for name, size in observe().states.items():
        seen[name] = run["law_states"][:-1, start : start + size]
        start += size
    both = sd.momentum(model, states, about="com")
    wanted = {f"{name}_seen": getattr(states, name) for name in list(SIZES)[:4]}
    wanted |= {"com_seen": sd.center_of_mass(model, states)}
    wanted |= {"linear_momentum_seen": both[:, :3], "angular_momentum_seen": both[:, 3:]}
    for name, value in wanted.items():
        np.testing.assert_allclose(seen[name], value, atol=1e-12, err_msg=name)
    for e, end in enumerate(model.endpoint_names[:2]):
        position, rotation = sd.endpoint_pose(model, states, end)
        parts = [position, rotation.reshape(-1, 9), sd.endpoint_velocity(model, states, end)]
        np.testing.assert_allclose(seen["ends"][:, 18 * e : 18 * e + 18], np.concatenate(parts, axis=1), atol=1e-12)
    np.testing.assert_allclose(seen["joints"][:, : model.nq], states.q, atol=1e-14)
    np.testing.assert_allclose(seen["joints"][:, 30 : 30 + states.qd.shape[1]], states.qd, atol=1e-14)


# --- what they command -----------------------------------------------------------------------------------------------


@sd.law
def load(t, s, p, out):
    for i in range(out.tau.size):
        out.tau[i] = p.tau[i] * np.cos(t)
    for k in range(6):
        out.base_wrench[k] = p.base[k]
        for e in range(p.ends.shape[0]):
            out.endpoint_wrenches[e, k] = p.ends[e, k]


def test_commands_move_the_robot_and_their_work_and_impulse_are_booked():
    rng = np.random.default_rng(11)
    model = random_model(rng, 6, base_kind="free")
    state, g = model.random_state(rng), np.array([0.1, -0.2, -1.0])
    tau, base = rng.normal(size=model.nv - 6), rng.normal(size=6)
    ends = rng.normal(size=(len(model.endpoints), 6))
    run = sd.simulate(model, state, 1.0, laws=[load(tau=tau, base=base, ends=ends)], gravity=g)
    t, states = run.time, run.states
    audit = run.audit()
    assert max(audit.energy, audit.linear_momentum, audit.angular_momentum) < 1e-11

    wrenches = dict(zip(model.endpoint_names, ends, strict=True))
    wanted = sd.forward_dynamics(
        model, states, tau * np.cos(t)[:, None], base_wrench=base, endpoint_wrenches=wrenches, gravity=g
    )
    np.testing.assert_allclose(run["udot"], wanted, atol=1e-9)
    np.testing.assert_allclose(run["forces"][:, 6:], tau * np.cos(t)[:, None], atol=1e-14)
    np.testing.assert_allclose(run["base_wrench"], np.broadcast_to(base, (len(t), 6)), atol=1e-15)

    work = simpson(tau * np.cos(t)[:, None] * states.qd, x=t, axis=0)
    np.testing.assert_allclose(run["joint_work"][-1], work, atol=1e-9)
    twist = np.concatenate([states.base_velocity, states.base_rate], axis=1)
    assert run["base_work"][-1, 0] == pytest.approx(simpson(twist @ base, x=t, axis=0), abs=1e-9)
    for e, end in enumerate(model.endpoint_names):
        power = sd.endpoint_velocity(model, states, end) @ ends[e]
        assert run["endpoint_work"][-1, e] == pytest.approx(simpson(power, x=t, axis=0), abs=1e-9)
    force = base[:3] + ends[:, :3].sum(axis=0) + model.total_mass * g
    np.testing.assert_allclose(run["impulse"][:, :3], t[:, None] * force, atol=1e-12)
    change = sd.momentum(model, states, about="com") - sd.momentum(model, states[0], about="com")
    np.testing.assert_allclose(run["impulse"], change, atol=1e-10)


@numba.njit
def push(s, out):
    out.base_wrench[3] = 1.0
    out.base_wrench[0] = 2.0 + 0.0 * s.base_rate[0]


@sd.law(period=0.1)
def pushed_by_a_function(t, s, p, out):
    push(s, out)


def test_a_satellite_without_joints_is_pushed_by_a_law_that_hands_on_what_it_gets():
    """What is handed on whole may be used whole, modes included: of no joint here."""
    b = sd.Builder("satellite")
    b.base("bus", mass=100.0, inertia=(10.0, 11.0, 12.0))
    robot = b.build()
    run = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[pushed_by_a_function()], record=0.1)
    np.testing.assert_allclose(run["base_wrench"], np.broadcast_to([2.0, 0, 0, 1, 0, 0], (11, 6)), atol=1e-14)
    np.testing.assert_allclose(run["base_velocity"][:, 0], 2.0 / 100.0 * run.time, atol=1e-13)
    np.testing.assert_allclose(run["udot"][:, 3], 1.0 / 10.0, atol=1e-12)
    np.testing.assert_allclose(run["impulse"][:, 0], 2.0 * run.time, atol=1e-12)
    assert run["event_work"].shape == (11, 1) and not run["event_work"].any() and run.audit().worst < 1e-11


# --- without the compiler --------------------------------------------------------------------------------------------


@sd.law(period=0.02)
def compiled_twin(t, s, p, out):
    for i in range(s.qd.size):
        out.tau[i] = -p.gain * s.qd[i]


class Tally:
    """Something that Numba knows nothing of."""

    calls = 0


@sd.law(period=0.02)
def python_twin(t, s, p, out):
    Tally.calls += 1
    for i in range(s.qd.size):
        out.tau[i] = -p.gain * s.qd[i]


def lanes_called(robots: int) -> int:
    """How often a law is called for so many robots: once a lane of each pack, once for a robot that is left alone."""
    packs, rest = divmod(robots, LANES)
    return packs * LANES + (rest if rest < 2 else LANES)


@pytest.mark.parametrize("batch", [(), (5,), (9,)], ids=["one", "batch", "two packs"])
def test_a_law_that_cannot_be_compiled_runs_in_python_with_a_warning(batch):
    model, _ = tree()
    state = model.random_state(np.random.default_rng(1), batch or None)
    wanted = sd.simulate(model, state, 0.2, laws=[compiled_twin(gain=0.4)], record=0.02)
    Tally.calls = 0
    with pytest.warns(sd.RunWarning, match="'python_twin' cannot be compiled and runs in Python"):
        found = sd.simulate(model, state, 0.2, laws=[python_twin(gain=0.4)], record=0.02)
    assert Tally.calls == 10 * lanes_called(*batch or (1,))
    np.testing.assert_allclose(found["u"], wanted["u"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["x"], wanted["x"], rtol=0, atol=1e-12)


# --- laws that are wrong ---------------------------------------------------------------------------------------------


def attempt(law, duration: float = 0.2, **options) -> sd.Run:
    model, state = tree()
    return sd.simulate(model, state, duration, laws=[law], record=0.01, **options)


def test_unknown_names_are_refused_with_those_that_exist():
    @sd.law
    def reads(t, s, p, out):
        out.tau[0] = s.angles[0]

    @sd.law
    def writes(t, s, p, out):
        out.torque[0] = s.q[0]

    @sd.law
    def needs(t, s, p, out):
        out.tau[0] = p.kp * s.q[0]

    with pytest.raises(sd.InputError, match=r"law 'reads': s has no 'angles'.*base_position"):
        attempt(reads())
    with pytest.raises(sd.InputError, match=r"law 'writes': out has no 'torque'.*tau"):
        attempt(writes())
    with pytest.raises(sd.InputError, match=r"law 'needs' needs a parameter 'kp'"):
        attempt(needs())
    with pytest.raises(sd.UnknownName, match="no parameter of law 'needs' named 'kd'; there are: kp"):
        needs(kd=1.0)


def test_parameters_and_settings_that_cannot_be_used_are_refused():
    for bad in (1j, "a", np.nan, np.inf, np.zeros((2, 2, 2)), [1.0, None]):
        with pytest.raises(sd.InputError, match="slope"):
            ramp(slope=bad)
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(sd.InputError, match="period"):
            ramp(slope=1.0, period=bad)
    for bad in (-0.1, np.nan):
        with pytest.raises(sd.InputError, match="delay"):
            ramp(slope=1.0, period=0.1, delay=bad)
    with pytest.raises(sd.InputError, match="period"):
        ramp(slope=1.0, delay=0.1)
    with pytest.raises(sd.InputError, match=r"lower.*low"):
        low_pass(lag=1.0).starting(lower=1.0)
    with pytest.raises(sd.InputError, match="no parameters yet"):
        attempt(ramp)
    with pytest.raises(sd.InputError, match="laws"):
        attempt(lambda t: t)


def test_a_law_takes_four_arguments():
    @sd.law
    def three(t, s, out):
        out.tau[0] = 1.0

    with pytest.raises(sd.InputError, match=r"t, s, p, out"):
        attempt(three())


@sd.law(states={"tau": 1})
def clash(t, s, p, out):
    out.tau[0] = 1.0


def test_a_state_may_not_have_the_name_of_something_else():
    with pytest.raises(sd.InputError, match="'tau' has the name of something else"):
        attempt(clash())


@sd.law
def no_number(t, s, p, out):
    out.tau[2] = np.sqrt(p.until - t)


@sd.law
def beyond(t, s, p, out):
    for i in range(out.tau.size + 1):
        out.tau[i] = 1.0


@sd.law
def late_beyond(t, s, p, out):
    out.base_wrench[int(100.0 * t)] = 1.0


@sd.law
def other_shape(t, s, p, out):
    out.tau[:] = p.values


@sd.law(period=0.01)
def raises(t, s, p, out):
    if t > p.until:
        raise ValueError("enough")


FAILURES = {
    "NaN": (no_number(until=0.105), r"law 'no_number' writes nan to tau\[2\]", 0.105),
    "out of bounds": (beyond(), r"law 'beyond' raised IndexError", 0.0),
    "out of bounds later": (late_beyond(), "raised IndexError", 0.06),
    "wrong shape": (other_shape(values=np.ones(2)), r"law 'other_shape' raised ValueError: .*shape", 0.0),
    "raised": (raises(until=0.095), r"law 'raises' raised ValueError: enough", 0.1),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("method", [sd.RungeKutta4(step=0.01), sd.DormandPrince8()], ids=["fixed", "adaptive"])
@pytest.mark.parametrize("batch", [(), (9,)], ids=["one", "batch"])
def test_a_law_that_fails_is_named_and_what_was_good_is_kept(name, method, batch):
    law, message, time = FAILURES[name]
    model, _ = tree()
    state = model.random_state(np.random.default_rng(0), batch or None)
    with pytest.raises(sd.SimulationFailed, match=message) as failure:
        sd.simulate(model, state, 0.2, laws=[ramp(slope=1.0), law], method=method, record=0.01, budget=1e-3)
    assert time - 0.03 < failure.value.time < time + 0.011  # a step tries times beyond its start
    run = failure.value.run
    assert run.shape == batch and run.status == "not finite"
    assert time - 0.04 < (run.time[-1] if run.time.size else 0.0) <= time + 1e-9
    assert np.isfinite(run._rows).all()


def test_after_a_failure_the_next_run_is_as_good_as_any():
    with pytest.raises(sd.SimulationFailed):
        attempt(raises(until=0.05))
    assert attempt(raises(until=1.0)).status == "done"
    hook = sys.unraisablehook
    with pytest.raises(sd.SimulationFailed):
        attempt(beyond())
    assert sys.unraisablehook is hook


PLAIN = """
import numpy as np, pytest, test_laws, spacedyn as sd
from laws_and_forces import integrator, low_pass
from robots import cart, cart3
for law, message, _ in test_laws.FAILURES.values():
    with pytest.raises(sd.SimulationFailed, match=message):
        sd.simulate(cart3(), cart3().neutral_state(), 0.2, laws=[law],
                    method=sd.RungeKutta4(step=0.02), record=0.02, budget=1.0)
run = sd.simulate(cart(), cart().neutral_state(), 0.5, record=0.05,
                  laws=[integrator(gain=2.0), low_pass(lag=0.3)], method=sd.RungeKutta4(step=0.02))
print(*run.final.q, *run.final.qd, *run["law_states"][-1])
"""


def test_without_the_compiler_laws_do_and_fail_the_same():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", PLAIN], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    laws = [integrator(gain=2.0), low_pass(lag=0.3)]
    run = sd.simulate(cart(), cart().neutral_state(), 0.5, record=0.05, laws=laws, method=sd.RungeKutta4(step=0.02))
    wanted = [*run.final.q, *run.final.qd, *run["law_states"][-1]]
    np.testing.assert_allclose(np.array(done.stdout.split(), dtype=float), wanted, rtol=1e-13, atol=1e-14)


# --- their code ------------------------------------------------------------------------------------------------------

MODULE = """
import numba, numpy as np, spacedyn as sd
import own_constants
GAIN = 1.0
TABLE = np.array([1.0, 2.0])
@numba.njit
def helper(x):
    return 2.0 * x
@sd.law
def kept(t, s, p, out):
    parts = [k * GAIN for k in range(3)]
    for i in range(s.q.size):
        out.tau[i] = helper(GAIN) * s.q[i] + TABLE[1] + own_constants.OFFSET + np.pi * p.a + parts[1]
@numba.njit
def again(array, depth):
    if depth > 0:
        again(array, depth - 1)
    else:
        array[0] = 1.0
@sd.law
def recursive(t, s, p, out):
    again(out.tau, 2)
"""
CHANGES = (
    ("own_law", "", ""),
    ("own_law", "GAIN = 1.0", "GAIN = 1.5"),
    ("own_law", "[1.0, 2.0]", "[1.0, 2.5]"),
    ("own_law", "2.0 * x", "3.0 * x"),
    ("own_law", "s.q[i] +", "s.q[i] -"),
    ("own_constants", "1.0", "1.5"),
)
COMPILE = """
import importlib, sys
from pathlib import Path
import test_laws
from spacedyn.laws.compile import compile_law
sys.path.insert(0, sys.argv[1])
sources = {"own_law": test_laws.MODULE, "own_constants": "OFFSET = 1.0"}
for name, old, new in test_laws.CHANGES:
    sources[name] = sources[name].replace(old, new)
    for module, source in sources.items():
        Path(sys.argv[1], module + ".py").write_text(source)
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    print(compile_law(importlib.import_module("own_law").kept(a=1.0)).keep._keep.cache_hits)
print(compile_law(importlib.import_module("own_law").recursive()).keep._keep.cache_hits)
"""


def test_code_is_kept_by_its_source_and_by_all_that_it_refers_to(tmp_path):
    """Any change of what a law depends on gives new code; a second process compiles nothing.

    Code that calls itself is compiled in each: from a file it ended the process, for an address that it did not find.
    """
    environment = os.environ | {"SPACEDYN_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    for hits in ("0", "1"):
        command = [sys.executable, "-c", COMPILE, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [*[hits] * len(CHANGES), "0"]
        assert len(list(Path(tmp_path).rglob("law-kept-*.nbc"))) == len(CHANGES)


GAIN = 1.0


def test_a_changed_constant_is_seen_in_the_same_process(monkeypatch):
    @sd.law
    def constant(t, s, p, out):
        out.tau[0] = GAIN

    for gain in (1.0, 2.0, 1.0):
        monkeypatch.setitem(globals(), "GAIN", gain)
        run = sd.simulate(cart(), cart().neutral_state(), 1.0, laws=[constant()], record=0.5)
        assert run.final.qd[0] == pytest.approx(gain, rel=1e-12)


def test_laws_of_one_source_with_other_parameters_share_code_but_not_numbers():
    first, second = (sd.simulate(cart(), cart().neutral_state(), 1.0, laws=[ramp(slope=a)]) for a in (1.0, 4.0))
    np.testing.assert_allclose(4.0 * first.final.qd, second.final.qd, rtol=1e-12)
