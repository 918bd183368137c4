"""Public functions under hostile arguments: what comes back is a result, or an error of the package that says why."""

import inspect
import os
import subprocess
import sys
import textwrap
import warnings
from itertools import product

import numpy as np
import pytest

import spacedyn as sd
from paths import TESTS
from public_calls import MODEL, NEEDED, NV, ONE, build
from spacedyn.reals import real_array
from spacedyn.signatures import kind_of

PLANAR = sd.load("planar_four_link")
START = PLANAR.state(qd=[0.1, 0, 0, 0])
QUARTER = [0.1, 0.2, 0.3, 0.1]


class Hostile:
    """What makes no array."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


VALUES = [
    *(None, "a", "", b"x", True, 1j, float("nan"), float("inf"), 1e308, -1, 0, 7, 10**400, 5e-324, object(), Hostile()),
    *([], {}, (), set(), [1j], [True], [None], ["a", "b"], [10**400], [[1], [2, 3]], {"a": 1}, {1: 2}, (0, 0, 0)),
    *(np.empty(0), np.zeros((2, 0)), np.zeros((1, 1, 1)), np.zeros(3), np.zeros(3, dtype=complex), np.array("x")),
    *(np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.zeros(3, dtype=object), np.datetime64("2020"), iter([1, 2])),
    *(range(3), slice(None), Ellipsis, sd.State, sd, max, lambda *_: 1, "x" * 10_000, memoryview(b"abc")),
]


@sd.law
def hold(t, s, p, out):
    out.tau[0] = p.kp * s.q[0]


@sd.law(period=0.1, states={"sum": 2})
def adding(t, s, p, out):
    out.sum[0] = p.k * s.sum[0]
    out.tau[0] = s.sum[0]


def link(**changed):
    builder = sd.Builder("one link")
    builder.base("bus", mass=1.0, inertia=(1, 2, 2.5))
    builder.link(**({"name": "arm", "parent": "bus", "mass": 1.0, "inertia": (1, 2, 2.5)} | changed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.ModelWarning)
        return builder.build()


def short(**changed):
    """All that `simulate` does before its first step."""
    from spacedyn.simulate.setup import simulation_of

    return simulation_of(PLANAR, PLANAR.neutral_state(), **({"duration": 1.0} | changed))


def defaults_of(function, *left_out):
    """Arguments that a function has defaults for."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty and p.name not in left_out}


TWO_ROWS = {"times": [0, 1], "values": [QUARTER, QUARTER]}
STATE_PARTS = defaults_of(sd.State.from_parts)
# {name: (function, a good call)}: each argument in turn is replaced by each of the values above
CALLS = {
    "state": (MODEL.state, STATE_PARTS),
    "replace": (ONE.replace, {}),
    "integrate": (ONE.integrate, {"step": np.zeros(NV), "rates": None}),
    "random_state": (MODEL.random_state, {"rng": np.random.default_rng(0), "size": 2}),
    "index of a batch": (lambda i: MODEL.random_state(np.random.default_rng(0), 3)[i], {"i": 0}),
    "load": (sd.load, {"name_or_path": "ets7"}),
    "lock of a model": (MODEL.lock, {"joints": "elbow", "at": None}),
    "subtree": (MODEL.subtree, {"body": "elbow", "base_kind": "free"}),
    "link": (link, {"mass": 1.0, "inertia": (1, 2, 2.5), "com": None, "damping": 0.0, "axis": None, "parent": "bus"}),
    "waypoints": (sd.waypoints, {"times": [0, 1, 2], "values": [0.0, 1.0, 0.0], "kind": "cubic", "stop": True}),
    "table": (sd.table, {"times": [0, 1, 2], "values": [0.0, 1.0, 0.0], "kind": "linear"}),
    "Wrench": (sd.Wrench, {"body": "bus", **defaults_of(sd.Wrench)}),
    "Spring": (sd.Spring, {"body": "bus", **defaults_of(sd.Spring), "stiffness": 1.0}),
    "Drag": (sd.Drag, {"body": "bus", **defaults_of(sd.Drag)}),
    "RungeKutta4": (sd.RungeKutta4, {"step": 1e-3}),
    "Radau5": (sd.Radau5, defaults_of(sd.Radau5)),
    "Event": (sd.Event, {"condition": sd.joint_reaches("joint1", 1.0), **defaults_of(sd.Event)}),
    "joint_reaches": (sd.joint_reaches, {"joint": "elbow", "value": 1.0, "part": 0}),
    "endpoints_within": (sd.endpoints_within, {"endpoint": "hand", "other": "eye", "distance": 1.0}),
    "release": (sd.actions.release, {"joint": "elbow", "rates": [1.0]}),
    "a law": (hold, {"kp": 1.0, "period": None, "delay": None}),
    "states of a law": (adding(k=1.0).starting, {"sum": 0.0}),
    "joint_hold": (sd.control.joint_hold, {"model": PLANAR, "state": START, **defaults_of(sd.control.joint_hold)}),
    "joint_path": (sd.control.joint_path, {"model": PLANAR, "state": START, **TWO_ROWS}),
    "attitude_hold": (sd.control.attitude_hold, {"model": MODEL, "state": ONE, "bandwidth": 1.0, "limit": 1.0}),
    "swing": (sd.control.swing, {"size": 1.0, "speed": 1.0, "phase": 0.0, "from_rest": False}),
    "simulate": (short, {"duration": 1.0, **defaults_of(sd.simulate, "progress", "stream", "view")}),
    "prescribed": (lambda motion: short(prescribed={"joint1": motion}), {"motion": "locked"}),
    "modes": (lambda mode: short(modes={"joint1": mode}), {"mode": "free"}),
    "mimic_coupling": (sd.mimic_coupling, {"model": PLANAR, "mimics": []}),
    "operators": (sd.operators.SpatialOperators, {"model": MODEL, "state": ONE, "about": "base"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_hostile_arguments(name):
    function, good = CALLS[name]
    if name != "replace":
        function(**good)
    for argument, value in product(good or STATE_PARTS, VALUES):
        try:
            function(**{**good, argument: value})
        except sd.SpacedynError as error:
            assert len(str(error)) < 40_000
        except Exception as error:
            raise AssertionError(f"{name}({argument}={value!r:.60}) gave {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("name", NEEDED)
def test_hostile_arguments_of_single_calls(name):
    function, empty = getattr(sd, name), MODEL.random_state(np.random.default_rng(0), 0)
    for state, (argument, value) in product((ONE, empty), product(inspect.signature(function).parameters, VALUES)):
        if argument == "vectors" and state is empty:
            continue
        try:
            function(**{"model": MODEL, "state": state, **NEEDED[name], argument: value})
        except sd.SpacedynError:
            pass
        except Exception as error:
            raise AssertionError(f"{name}({argument}={value!r:.60}) gave {type(error).__name__}: {error}") from error


# --- numbers that are none -------------------------------------------------------------------------------------------


def test_masked_arrays_complex_numbers_and_booleans_are_no_forces():
    masked = np.ma.array(np.ones(4), mask=[0, 1, 0, 0])
    for value, said in ((masked, "masked array"), (np.ones(4) + 0j, "complex"), ([True, 0, 0, 0], "True or False")):
        with pytest.raises(sd.InputError, match=f"tau: expected real numbers.*{said}"):
            sd.forward_dynamics(MODEL, ONE, value)
        with pytest.raises(sd.InputError, match=f"force must be three finite numbers, got {said}|a {said}"):
            sd.Wrench("bus", force=value[:3])
        with pytest.raises(sd.InputError, match=said):
            PLANAR.state(q=value)
        with pytest.raises(sd.InputError, match=said):
            sd.control.joint_torque(PLANAR, START, tau=value)
        with pytest.raises(sd.InputError, match=said):
            sd.waypoints([0, 1, 2, 3], value)
    with pytest.raises(sd.ModelError, match="masked"):
        link(inertia=np.ma.array([1.0, 2.0, 2.5], mask=[0, 0, 1]))


def test_a_masked_array_without_masked_numbers_is_welcome():
    np.testing.assert_array_equal(
        sd.forward_dynamics(MODEL, ONE, np.ma.array(np.ones(4))), sd.forward_dynamics(MODEL, ONE, np.ones(4))
    )
    np.testing.assert_array_equal(real_array([2**70, 1]), [2.0**70, 1.0])


def test_a_motion_too_large_gives_no_state():
    for step in (1e200, 1e308):
        with pytest.raises(sd.InputError, match="too large a motion"):
            ONE.integrate(np.full(NV, step))
    assert np.isfinite(ONE.integrate(np.full(NV, 1e3))._data).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sd.waypoints([0, 0, 1], [0, 1, 2]), "ascending"),
        (lambda: sd.waypoints([0, 1e-320, 1], [0, 1, 2]), "too close together"),
        (lambda: sd.waypoints([-1e308, 0, 1e308], [0, 1, 2]), "too large|ascending"),
        (lambda: sd.waypoints([0, 1, 2], [0, 1e308, -1e308]), "too large"),
        (lambda: sd.waypoints([0, 1e-200], [0, 1], stop=True), "too close together"),
        (lambda: sd.table([0, 5e-324], [0, 1], "linear"), "too close together"),
        (lambda: sd.table([0, 1, 2, 3, 4, 5], [0, 1e308, -1e308, 1e308, 0, 1], "quintic"), "too large"),
        (lambda: sd.attitude_waypoints([0, 1e-200], sd.Rotation.from_rotvec(np.eye(3)[:2])), "too close together"),
        (lambda: sd.RungeKutta4("a"), "step must be a number, got 'a'"),
        (lambda: sd.RungeKutta4(10**400), "step must be a number"),
        (lambda: sd.simulate(PLANAR, START, "a"), "duration must be a number, got 'a'"),
        (lambda: sd.simulate(PLANAR, START, 10**400), "duration must be a number"),
        (lambda: sd.simulate(PLANAR, START, 1e300, method=sd.RungeKutta4(1e-3)), "would take years"),
        (lambda: sd.simulate(PLANAR, START, 1.0, channels=3), "channels: expected names of channels"),
        (lambda: sd.simulate(PLANAR, START, 1.0, record={}), "record: expected an interval"),
        (lambda: sd.load(None), "expected the name of a bundled robot, or a path, got None; there are: bicycle, ets7"),
        (lambda: MODEL.random_state(np.random.default_rng(0), 3)[5], "batch of shape .3,. has no such robots"),
    ],
)
def test_what_makes_no_sense_is_said(make, said, recwarn):
    with pytest.raises(sd.InputError, match=said):
        make()
    assert len(recwarn) == 0


def test_a_loop_over_a_batch_ends():
    assert [one.shape for one in MODEL.random_state(np.random.default_rng(0), 3)] == [(), (), ()]


# --- no robots -------------------------------------------------------------------------------------------------------


def test_an_empty_batch_gives_empty_results_and_compiles_nothing(tmp_path):
    program = f"""
        import sys
        sys.path.insert(0, {str(TESTS)!r})
        import numpy as np
        import spacedyn as sd
        from public_calls import MODEL, NEEDED
        for shape in ((0,), (0, 3), (3, 0)):
            state = MODEL.random_state(np.random.default_rng(0), shape)
            for name, needed in NEEDED.items():
                found = getattr(sd, name)(MODEL, state, **needed)
                for part in found if isinstance(found, tuple) else [found]:
                    if isinstance(part, np.ndarray):
                        assert part.shape[: len(shape)] == shape and part.size == 0, (name, part.shape)
            sd.operators.SpatialOperators(MODEL, state).mass @ np.zeros((*shape, {NV}))
    """
    environment = {**os.environ, "SPACEDYN_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=True)
    assert not list(tmp_path.rglob("*.nbc"))


# --- names of arguments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: MODEL.state(base_quaternion=[0, 0, 0, 1]),
            "named 'base_quaternion'; .*'base_quaternion_xyzw'",
        ),
        (lambda: MODEL.state(base_rpy=[0, 0, 0]), "'base_rpy'; did you mean 'base_attitude'"),
        (lambda: MODEL.state(v=[0, 0, 0]), "'v'; did you mean 'base_velocity'"),
        (lambda: ONE.replace(base_velocty=[0, 0, 0]), "replace.. named 'base_velocty'; did you mean 'base_velocity'"),
        (lambda: sd.control.joint_path(PLANAR, START, positions=[QUARTER]), "'positions'; did you mean 'values'"),
        (lambda: sd.control.joint_hold(PLANAR, START, bandwith=1.0), "'bandwith'; did you mean 'bandwidth'"),
        (lambda: sd.simulate(PLANAR, START, 1.0, law=[]), "simulate.. named 'law'; did you mean 'laws'"),
        (lambda: sd.Wrench("bus", torque=(0, 0, 1)), "argument of Wrench.. named 'torque'"),
        (lambda: sd.RungeKutta4(stepp=1.0), "argument of RungeKutta4.. named 'stepp'; did you mean 'step'"),
        (lambda: sd.Model.from_urdf("<robot/>", bse="free"), "option of from_urdf.. named 'bse'; did you mean 'base'"),
        (lambda: hold(kp=1.0, kd=2.0), "no parameter of law 'hold' named 'kd'; there are: kp"),
        (lambda: hold(kq=1.0), "no parameter of law 'hold' named 'kq'; did you mean 'kp'|there are: kp"),
    ],
)
def test_arguments_that_there_are_not_are_named_with_the_nearest(call, said, recwarn):
    with pytest.raises(sd.UnknownName, match=said):
        call()
    assert len(recwarn) == 0


def test_signatures_are_explicit():
    for function in (MODEL.state, sd.simulate, sd.control.joint_path, sd.Wrench, sd.State.from_parts):
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_kinds_of_arguments_follow_from_hints():
    for hint, good, bad in (
        (float, (1, 2.0, np.float32(1)), ("1", True, [1.0], None)),
        (int | None, (1, None, np.int64(3)), (1.0, True, "1")),
        (bool, (True, np.False_), (1, "yes", None)),
        (str | os.PathLike[str], ("a", __import__("pathlib").Path("a")), (1, None, b"a")),
        (list[str], (["a"], ("a",), "a"), (3, ["a", 3], np.array("x"))),
        (dict[str, float], ({"a": 1},), ([], "a")),
    ):
        kind = kind_of(hint)
        assert kind is not None
        assert all(map(kind.fits, good)) and not any(map(kind.fits, bad)), hint
    assert kind_of(np.typing.ArrayLike) is None


def test_a_fixed_base_is_reported_before_anything_is_computed():
    held = build("held", base="fixed")
    with pytest.raises(sd.InputError, match="fixed base"):
        sd.base_recoil(held, held.neutral_state())
