"""Every public function, called wrongly: an error of the package that says what was expected and what came."""

import inspect
import threading

import numpy as np
import pytest

import spacedyn as sd
from public_calls import JOINTS, MODEL, NEEDED, NV, ONE, build

GRAVITY = (0.0, 0.0, -9.81)


MANY = MODEL.random_state(np.random.default_rng(1), (2, 3))

# {function: the arguments it needs besides model and state}
# {argument over the batch: its width}; other arguments of numbers have fixed shapes
WIDTHS = {"tau": JOINTS, "udot": NV, "vectors": NV, "base_wrench": 6, "about": 3}
NOT_BATCHED = ("gravity", "point")
NAMES = {"endpoint": "endpoint", "body": "body"}

every_function = pytest.mark.parametrize("name", NEEDED)


def call(name, model=MODEL, state=ONE, **changed):
    return getattr(sd, name)(model, state, **(NEEDED[name] | changed))


def refused(name, *words, error=sd.InputError, **changed):
    """The call fails with this error, and its message has all these words."""
    with pytest.raises(error) as info:
        call(name, **changed)
    assert isinstance(info.value, sd.SpacedynError)
    message = str(info.value)
    for word in words:
        assert word in message, message
    return message


def takes(argument):
    """Names of the functions that take an argument."""
    return [name for name in NEEDED if argument in inspect.signature(getattr(sd, name)).parameters]


def operands(*arguments):
    """(function, argument) for each function that takes it."""
    return [(name, argument) for argument in arguments for name in takes(argument)]


def test_every_public_function_and_argument_is_looked_at():
    elsewhere = {
        "available",
        "load",
        "mimic_coupling",
        "read_mimics",
        "scenarios",
        "scene",
        "verify",
        "check_file",
        "element",
        "law",
        "linearize",
        "motion",
        "simulate",
        "waypoints",
        "attitude_waypoints",
    }
    elsewhere |= {"film", "view"}
    elsewhere |= {"condition", "joint_reaches", "endpoint_reaches", "endpoints_within"}
    elsewhere |= {"lock", "free", "follow", "attach", "release", "table", "sample"}
    elsewhere |= {
        "altitude_reaches",
        "endpoint_line",
        "endpoint_screw",
        "endpoint_waypoints",
        "minimum_jerk",
        "trapezoidal",
    }
    elsewhere |= {
        "cylinder_slosh",
        "identify_target",
        "momentum_regressor",
        "natural_frequencies",
        "contacts",
        "distance",
    }
    elsewhere |= {"assemble", "contact_material", "read_loops"}
    functions = {name for name in sd.__all__ if inspect.isfunction(getattr(sd, name))} - elsewhere
    assert functions == set(NEEDED)  # those of simulation have tests of their own
    arguments = {a for name in NEEDED for a in inspect.signature(getattr(sd, name)).parameters}
    others = {"model", "state", "endpoint_wrenches", "given", "passive", "reaction", "joints"}
    assert arguments == {*WIDTHS, *NOT_BATCHED, *NAMES, *others}


@every_function
def test_the_good_call_works(name):
    for state in (ONE, MANY):
        call(name, state=state)


# --- model and state -------------------------------------------------------------------------------------------------


@every_function
@pytest.mark.parametrize(("what", "said"), [(None, "None"), ("arm", "str"), (sd.Model, "the class itself")])
def test_what_is_not_a_model(name, what, said):
    refused(name, "first argument must be a Model", f"got {said}", model=what)


@every_function
@pytest.mark.parametrize("what", [None, np.zeros(18), [0.0], {"q": 0}, "state", sd.State], ids=str)
def test_what_is_not_a_state(name, what):
    said = {type(None): "None", type: "the class itself"}.get(type(what), type(what).__name__)
    refused(name, "must be a State of 'arm'", "model.state(...)", f"got {said}", state=what)


@every_function
def test_model_and_state_swapped(name):
    refused(name, "first argument must be a Model, got State", model=ONE, state=MODEL)


@every_function
def test_a_state_of_another_model(name):
    for other in (build("heavier", mass=3.0), build("held", base="attitude")):
        message = refused(name, "state of model", f"'{other.name}'", "'arm'", state=other.neutral_state())
        assert "model.state(...)" in message


@every_function
def test_a_state_of_an_equal_model_is_welcome(name):
    twin = build()
    assert twin is not MODEL and twin == MODEL
    state = sd.State(twin, ONE._data)
    results = [call(name, state=s) for s in (ONE, state)]
    if isinstance(results[0], np.ndarray):
        np.testing.assert_array_equal(*results)


# --- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS))
def test_wrong_widths_and_batch_axes(name, argument):
    width = WIDTHS[argument]
    for state, shape in (
        (ONE, (width + 1,)),
        (ONE, (width - 1,)),
        (ONE, ()),
        (ONE, (1,)),
        (ONE, (0,)),
        (ONE, (1, 1, width)),
        (MANY, (width + 1,)),
        (MANY, (1,)),
        (MANY, (3, 2, width)),
        (MANY, (2, 3, 1)),
        (MANY, (4, 2, 3, width)),
        (MANY, (4, width)),
    ):
        message = refused(name, argument, "expected", str(width), state=state, **{argument: np.zeros(shape)})
        assert f"got {shape}" in message, message


@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS))
def test_batch_axes_broadcast(name, argument):
    width = WIDTHS[argument]
    value = np.random.default_rng(2).normal(size=(3, width))
    wide = call(name, state=MANY, **{argument: value})
    full = call(name, state=MANY, **{argument: np.broadcast_to(value, (2, 3, width))})
    for a, b in zip(*(r if isinstance(r, tuple) else [r] for r in (wide, full)), strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("name", "argument"), operands(*NOT_BATCHED))
def test_wrong_shapes_of_what_is_one_for_all(name, argument):
    for shape in ((), (2,), (4,), (2, 3, 3), (1, 3)):
        refused(name, argument, "expected shape (3,)", f"got {shape}", state=MANY, **{argument: np.zeros(shape)})


@pytest.mark.parametrize("name", takes("endpoint_wrenches"))
def test_wrenches_at_endpoints(name):
    for state, shape in ((ONE, (2, 5)), (ONE, (3, 6)), (ONE, (6,)), (ONE, (1, 2, 6)), (MANY, (3, 2, 2, 6)), (MANY, ())):
        words = ("endpoint_wrenches", "{name: (…, 6)}", "2, 6)", f"got shape {shape}")
        refused(name, *words, state=state, endpoint_wrenches=np.zeros(shape))
    refused(name, "wrench at endpoint 'eye'", "expected shape (6,)", "got (3,)", endpoint_wrenches={"eye": np.zeros(3)})
    words = ("no endpoint named 'hnd'", "did you mean 'hand'?", "hand, eye")
    refused(name, *words, error=sd.UnknownName, endpoint_wrenches={"hnd": np.zeros(6)})
    refused(name, "no endpoint named ''", error=sd.UnknownName, endpoint_wrenches={"": np.zeros(6)})


# --- kinds of numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS, *NOT_BATCHED))
def test_what_is_not_a_real_number(name, argument):
    width = WIDTHS.get(argument, 3)
    for value, said in (
        (np.zeros(width, dtype=complex), "complex numbers"),
        ([1j] * width, "complex numbers"),
        (["a"] * width, "text"),
        (np.array(["1.0"] * width), "text"),
        ([b"a"] * width, "bytes"),
        ([True] * width, "True or False"),
        ([None] * width, "a list of other things"),
        (np.full(width, None), "ndarray"),
        ({"elbow": 1.0}, "dict"),
        (object(), "object"),
        (np.array([*["2020-01-01"] * width], dtype="M8[D]"), "ndarray"),
    ):
        refused(name, argument, "expected real numbers", f"got {said}", **{argument: value})
    refused(name, argument, "rows of different lengths", **{argument: [[1.0, 2.0], [3.0]]})


@pytest.mark.parametrize(("name", "argument"), operands("udot", "vectors", "about"))
def test_none_for_what_is_needed(name, argument):
    if name == "forward_kinematics":
        assert call(name, udot=None).bodies.acceleration is None
    else:
        refused(name, argument, "expected real numbers", "got None", **{argument: None})


@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS, *NOT_BATCHED))
@pytest.mark.parametrize("dtype", [int, np.uint8, np.float32, ">f8"])
def test_other_real_numbers_are_welcome(name, argument, dtype):
    value = np.arange(WIDTHS.get(argument, 3))
    results = [call(name, **{argument: value.astype(kind)}) for kind in (float, dtype)]
    if isinstance(results[0], np.ndarray):
        np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", takes("endpoint_wrenches"))
def test_wrenches_of_other_things(name):
    for value, said in (
        (np.zeros((2, 6), complex), "complex numbers"),
        (["hand"], "text"),
        ("hand", "text"),
        ([[1.0], [2.0, 3.0]], "rows of different lengths"),
        (ONE, "State"),
    ):
        refused(name, "endpoint_wrenches", "expected", "{name: (…, 6)}", f"got {said}", endpoint_wrenches=value)
    refused(name, "wrench at endpoint 'hand'", "got text", endpoint_wrenches={"hand": "push"})


# --- numbers that are none -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS))
def test_a_number_that_is_not_finite_is_named_with_its_place(name, argument, bad, recwarn):
    width = WIDTHS[argument]
    places = {"tau": (0, 3), "udot": (6,)}.get(argument, (0, width - 1))  # rate 6 is the elbow's: given in hybrid too
    for column in places:
        value = np.zeros((2, 3, width))
        value[1, 2, column] = bad
        changed = {"given": []} if name == "hybrid_dynamics" and argument == "tau" else {}
        words = (argument, f"{bad} at index {column}", "every number must be finite")
        refused(name, *words, "of robot (1, 2)", state=MANY, **changed, **{argument: value})
        message = refused(name, *words, **changed, **{argument: value[1, 2]})
        assert "robot" not in message
    assert len(recwarn) == 0


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "joint_reactions", "hybrid_dynamics"])
def test_the_joint_is_named(name):
    argument, places = ("tau", {0: "elbow", 1: "wrist", 3: "wrist"})
    if name != "forward_dynamics":
        argument, places = ("udot", {6: "joint 'elbow'", 9: "joint 'wrist'", 0: "base 'bus'", 5: "base 'bus'"})
    for place, owner in places.items():
        value = np.zeros(WIDTHS[argument])
        value[place] = np.nan
        changed = {"given": ["bus", "elbow", "wrist"]} if name == "hybrid_dynamics" else {}
        refused(name, f"{argument}: nan at index {place}", owner, **changed, **{argument: value})


def test_hybrid_dynamics_blames_the_right_operand_beside_wrenches():
    tau, udot = np.zeros(JOINTS), np.zeros(NV)
    loads = {"base_wrench": np.ones(6), "endpoint_wrenches": {"eye": np.ones(6)}}
    tau[2] = np.nan
    refused("hybrid_dynamics", "tau: nan at index 2 (joint 'wrist')", given=["elbow"], tau=tau, udot=udot, **loads)
    udot[6] = np.inf
    refused("hybrid_dynamics", "udot: inf at index 6 (joint 'elbow')", given=["elbow"], udot=udot, **loads)


def test_what_hybrid_dynamics_does_not_use_may_be_anything():
    tau, udot = np.zeros(JOINTS), np.zeros(NV)
    expected = call("hybrid_dynamics", given=["elbow"], tau=tau, udot=udot)
    tau[0], udot[7:] = np.nan, np.nan
    found = call("hybrid_dynamics", given=["elbow"], tau=tau, udot=udot)
    np.testing.assert_array_equal(found.udot, expected.udot)
    np.testing.assert_array_equal(found.forces, expected.forces)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("name", "argument"), operands(*NOT_BATCHED))
def test_points_and_gravity_that_are_not_finite(name, argument, bad):
    refused(name, argument, "finite", f"got [0.0, {bad}, 0.0]", **{argument: (0.0, bad, 0.0)})


@pytest.mark.parametrize("name", takes("endpoint_wrenches"))
def test_wrenches_that_are_not_finite(name):
    wrench = np.array([0, 0, np.nan, 0, 0, 0])
    refused(name, "wrench at endpoint 'hand': nan at index 2", "finite", endpoint_wrenches={"hand": wrench})
    refused(name, "endpoint_wrenches: nan at index (1, 2) (endpoint 'eye')", endpoint_wrenches=[np.zeros(6), wrench])
    many = np.zeros((2, 3, 2, 6))
    many[1, 0, 0, 5] = -np.inf
    words = ("endpoint_wrenches: -inf at index (0, 5) (endpoint 'hand') of robot (1, 0)", "finite")
    refused(name, *words, state=MANY, endpoint_wrenches=many)


def test_vectors_in_columns_that_are_not_finite_or_do_not_fit():
    columns = np.zeros((NV, 4))
    assert call("mass_matrix_inverse_product", vectors=columns).shape == (NV, 4)
    columns[3, 1] = np.nan
    refused("mass_matrix_inverse_product", "vectors: nan at index (3, 1)", "finite", vectors=columns)
    refused("mass_matrix_inverse_product", "vectors", "(…, 10, m)", "got (4, 10)", vectors=np.zeros((4, NV)))
    words = ("vectors", "(2, 3, 10, 4)", "(10, 4)", "got (5, 3, 10, 4)")
    refused("mass_matrix_inverse_product", *words, state=MANY, vectors=np.zeros((5, 3, NV, 4)))


def test_a_result_that_overflows_is_not_passed_on_in_silence():
    refused("forward_dynamics", "the result is not finite", "'arm'", "too large", tau=np.full(JOINTS, 1e308))
    refused("inverse_dynamics", "the result is not finite", "too large", udot=np.full(NV, 1e308))


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "argument"), operands(*NAMES))
def test_unknown_names(name, argument):
    close, far = {"endpoint": ("hnd", "nose"), "body": ("wrst", "nose")}[argument]
    known = {"endpoint": "hand, eye", "body": "bus, elbow, wrist"}[argument]
    word = {"endpoint": "hand", "body": "wrist"}[argument]
    unknown = {"error": sd.UnknownName}
    refused(name, f"no {argument} named '{close}'", f"did you mean '{word}'?", known, **unknown, **{argument: close})
    refused(name, f"no {argument} named '{far}'", f"there are: {known}", **unknown, **{argument: far})
    for other in ("", None, 7, -1, True, 1.0, ["hand"], np.array([0, 1]), MODEL):
        refused(name, f"no {argument} named", known, **unknown, **{argument: other})


def test_given_joints():
    refused(
        "hybrid_dynamics", "no joint", "'elbw'", "did you mean 'elbow'?", "bus", error=sd.UnknownName, given=["elbw"]
    )
    refused("hybrid_dynamics", "no joint", "None", error=sd.UnknownName, given=[None])
    for what in (None, 5, 1.5):
        refused("hybrid_dynamics", "given: expected names of joints", f"got {what}", given=what)
    alone = call("hybrid_dynamics", given="elbow")
    np.testing.assert_array_equal(alone.forces, call("hybrid_dynamics", given=("elbow",)).forces)


def test_about_and_reaction():
    for name in takes("about"):
        for word in ("base ", "COM", "", "center"):
            refused(name, "about: expected 'com', 'base', 'origin' or a point", repr(word), about=word)
    refused("reaction_null_space", "reaction: expected 'moment', 'force' or 'all'", "'torque'", reaction="torque")
    refused("reaction_null_space", "did you mean 'elbow'?", error=sd.UnknownName, joints=["elbw"])
    refused("reaction_null_space", "no joint", error=sd.UnknownName, joints=[None])
    refused("reaction_null_space", "joints: expected names of joints", "got 5", joints=5)


@pytest.mark.parametrize("name", ["base_recoil", "generalized_inertia", "generalized_jacobian", "reaction_null_space"])
def test_a_fixed_base_does_not_recoil(name):
    held = build("held", base="fixed")
    refused(name, "'held' has a fixed base", "base='free'", model=held, state=held.neutral_state())


@every_function
def test_unknown_options_are_errors_of_python(name):
    with pytest.raises(TypeError, match="speed"):
        call(name, speed="fast")


# --- nothing is changed, and threads do not meet ---------------------------------------------------------------------


@pytest.mark.parametrize(("name", "argument"), operands(*WIDTHS, *NOT_BATCHED))
def test_arguments_stay_as_they_are(name, argument):
    value = np.arange(WIDTHS.get(argument, 3)) * 1.0
    before, state = value.copy(), ONE._data.copy()
    results = [call(name, **{argument: value}) for _ in range(2)]
    np.testing.assert_array_equal(value, before)
    np.testing.assert_array_equal(ONE._data, state)
    first = results[0][0] if isinstance(results[0], tuple) else results[0]
    if isinstance(first, np.ndarray) and first.ndim and first.flags.writeable:
        assert not np.shares_memory(first, value)
        first[...] = 7.0  # a result belongs to the caller
        np.testing.assert_array_equal(ONE._data, state)


def test_many_threads_call_at_once():
    states = [MODEL.random_state(np.random.default_rng(seed)) for seed in range(8)]
    expected = [sd.forward_dynamics(MODEL, state, gravity=GRAVITY) for state in states]
    model, wrong = build(), []

    def work(i):
        state = sd.State(model, states[i]._data)
        for _ in range(400):
            if not np.array_equal(sd.forward_dynamics(model, state, gravity=GRAVITY), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(states))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
