"""Robots whose parameters differ: one call for all of them agrees with each by itself, in functions, runs and files."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spacedyn as sd
from random_trees import random_model
from spacedyn.kernels.robot import layout as k
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.model.assemble import assemble
from spacedyn.model.joints import JOINT_KINDS

pytestmark = [pytest.mark.packs, pytest.mark.filterwarnings("ignore::spacedyn.ModelWarning")]
DOWN = (0.3, 0.0, -9.81)


def varied(model: sd.Model, robots: int, seed: int = 0, turned: bool = True) -> sd.Model:
    """Every sort of parameter different from robot to robot; rotations of frames only if `turned`."""
    rng = np.random.default_rng(seed)

    def scale(*shape):
        return 1.0 + 0.1 * rng.random((robots, *shape))

    def shift(size):
        return 0.02 * rng.normal(size=(robots, size))

    heavy = [body for body in model.bodies if not body.massless]
    moving = [joint for joint in model.joints if joint.nv > 0]
    frames = [*model.joints, *model.endpoints]
    turns = {part.name: sd.Rotation.from_rotvec(shift(3)).as_matrix() @ part.rotation for part in frames}
    return model.vary(
        mass={body.name: body.mass * scale() for body in heavy},
        com={body.name: body.com + shift(3) for body in heavy},
        inertia={body.name: body.inertia * scale(1, 1) for body in heavy},
        position={part.name: part.position + shift(3) for part in frames},
        rotation=turns if turned else {},
        stiffness={joint.name: joint.stiffness * scale(1) for joint in moving},
        damping={joint.name: (joint.damping + 0.1) * scale(1) for joint in moving},
        friction={joint.name: np.where(np.arange(robots)[:, None] % 2, joint.friction, 0.0) for joint in moving},
        rotor_inertia={joint.name: joint.rotor_inertia * scale(1) for joint in moving},
    )


def alone(model: sd.Model) -> sd.Model:
    """The same robot, checked and laid out for the kernels by itself."""
    return assemble(model.name, model.base_kind, model.bodies, model.joints, model.endpoints)


def functions(model: sd.Model) -> dict:
    end = model.endpoint_names[0]
    return {
        "forward": lambda m, s: sd.forward_dynamics(m, s, gravity=DOWN),
        "inverse": lambda m, s: sd.inverse_dynamics(m, s, np.ones(m.nv)),
        "mass": sd.mass_matrix,
        "inverse mass": sd.mass_matrix_inverse,
        "coriolis": sd.coriolis_matrix,
        "passive": sd.passive_force,
        "kinetic": lambda m, s: sd.kinetic_energy(m, s)[..., None],
        "potential": lambda m, s: sd.potential_energy(m, s, gravity=DOWN)[..., None],
        "centre": sd.center_of_mass,
        "centre's velocity": sd.center_of_mass_velocity,
        "centre's acceleration": lambda m, s: sd.center_of_mass_acceleration(m, s, np.ones(m.nv)),
        "momentum": lambda m, s: sd.momentum(m, s, about="com"),
        "momentum about a point": lambda m, s: sd.momentum(m, s, about=(0.3, -0.2, 0.1)),
        "momentum matrix": lambda m, s: sd.momentum_matrix(m, s, about="origin"),
        "its rate": lambda m, s: sd.momentum_matrix_rate(m, s, about="com"),
        "recoil": sd.base_recoil,
        "felt inertia": sd.generalized_inertia,
        "generalized jacobian": lambda m, s: sd.generalized_jacobian(m, s, end),
        "null space": sd.reaction_null_space,
        "centroids": lambda m, s: sd.forward_kinematics(m, s).centroids.position,
        "joints": lambda m, s: sd.forward_kinematics(m, s).joints.position,
        "pose": lambda m, s: sd.endpoint_pose(m, s, end).rotation,
        "velocity": lambda m, s: sd.endpoint_velocity(m, s, end),
        "jacobian": lambda m, s: sd.endpoint_jacobian(m, s, end),
        "jacobian's rate": lambda m, s: sd.endpoint_jacobian_rate(m, s, end),
        "base's jacobian": lambda m, s: sd.body_jacobian(m, s, m.body_names[0], (0.1, 0.2, 0.3)),
        "centroid's jacobian": lambda m, s: sd.body_jacobian(m, s, m.body_names[-1]),
        "acceleration": lambda m, s: sd.endpoint_acceleration(m, s, np.ones(m.nv), end),
        "derivatives": lambda m, s: sd.forward_dynamics_derivatives(m, s, gravity=DOWN)[0],
        "kane": lambda m, s: sd.kane.generalized_active_forces(m, s, gravity=DOWN, base_wrench=np.arange(6.0)),
        "kane's inertia": lambda m, s: sd.kane.generalized_inertia_forces(m, s, np.ones(m.nv)),
        "kane's mass": lambda m, s: sd.kane.equations_of_motion(m, s, m.joint_names[:1], np.ones(m.nv)).mass,
        "lagrangian": lambda m, s: sd.lagrangian.coriolis_matrix(m, s),
        "operators": lambda m, s: sd.operators.SpatialOperators(m, s).mass.dense(),
    }


@pytest.mark.parametrize(("seed", "turned"), [(3, True), (11, True), (11, False)])
def test_one_call_agrees_with_each_robot_by_itself(seed, turned):
    """To 1e-13 of the largest number; also where the fleet's states are repeated along another axis."""
    robot = random_model(np.random.default_rng(seed), 9, base_kind="free", passive=True)
    fleet = varied(robot, 2 * LANES + 1, turned=turned)
    assert fleet.flat.tree[k.HEADER :][k.FRAME_AT :: k.BODY_INTS][1 : len(robot.bodies)].any() != turned
    states = fleet.random_state(np.random.default_rng(seed), size=2)
    assert states.shape == (2, len(fleet))
    singles = [alone(model) for model in fleet]
    for name, function in functions(robot).items():
        both = function(fleet, states)
        for i, single in enumerate(singles):
            for j in range(2):
                wanted = function(single, sd.State(single, states._data[j, i]))
                np.testing.assert_allclose(
                    both[j, i], wanted, rtol=0, atol=1e-13 * max(1.0, np.abs(wanted).max()), err_msg=name
                )


@pytest.mark.parametrize("turned", [True, False])
def test_a_thousand_robots(turned):
    """ETS-VII with other masses and geometry: accelerations agree with those of models of their own, to 1e-13."""
    fleet = varied(sd.load("ets7"), 1000, turned=turned)
    states = fleet.random_state(np.random.default_rng(1))
    udot = sd.forward_dynamics(fleet, states, gravity=DOWN)
    for i in range(1000):
        single = fleet[i] if i % 20 else alone(fleet[i])
        wanted = sd.forward_dynamics(single, sd.State(single, states._data[i]), gravity=DOWN)
        np.testing.assert_allclose(udot[i], wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


def along_axes() -> sd.Model:
    """A tree of all kinds of joint whose frames stand along their parents' axes in all 24 ways; round bodies."""
    turns = [Rotation.from_matrix(turn) for turn in Rotation.create_group("O").as_matrix().round()]
    b, rng = sd.Builder("along axes"), np.random.default_rng(5)
    b.base("0", mass=20.0, inertia=(3.0, 2.0, 4.0))
    for i, (turn, kind) in enumerate(zip(turns, itertools.cycle(JOINT_KINDS), strict=False), 1):
        moments = rng.permutation([0.3, 0.3, 0.2] if i % 3 else [0.3, 0.4, 0.5])
        b.body(f"{i}", mass=1.0 + 0.1 * i, com=rng.uniform(-0.2, 0.2, 3), inertia=moments)
        axis = {"axis": rng.permutation([0.0, 0.0, 1.0])} if JOINT_KINDS[kind].takes_axis else {}
        pitch = {"pitch": 0.1} if kind == "helical" else {}
        place = {"position": rng.uniform(-0.5, 0.5, 3), "rotation": turn}
        b.joint(f"j{i}", kind, parent=f"{max(0, i - 1 - i % 2)}", child=f"{i}", **place, **axis, **pitch)
    b.endpoint("hand", body=f"{len(turns)}", position=(0.1, 0.2, 0.3))
    return b.build()


def test_frames_along_axes_and_round_bodies_take_a_shorter_way_to_the_same():
    """Where no robot of a fleet is turned, axes are swapped instead of multiplied; else they are multiplied."""
    model = along_axes()
    tilt = np.array([np.eye(3), Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix()])
    longer = model.vary(
        rotation={joint.name: tilt @ joint.rotation for joint in model.joints},
        inertia={body.name: tilt @ body.inertia @ tilt.transpose(0, 2, 1) for body in model.bodies},
    )
    records = [m.flat.tree[m.flat.tree[k.BODY_AT] :][: 25 * k.BODY_INTS].reshape(25, -1) for m in (model, longer)]
    flags = [one[:, k.FLAGS] for one in records]
    assert not (flags[0] & k.TURNED).any() and (flags[1][1:] & k.TURNED).all()
    assert (flags[0] & k.ALONG_AXES).all() and not (flags[1] & k.ALONG_AXES).any()
    state = model.random_state(np.random.default_rng(3))
    for name, function in functions(model).items():
        wanted = function(longer, sd.State(longer, np.stack([state._data] * 2)))[0]
        found = function(model, state)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * max(1.0, np.abs(wanted).max()), err_msg=name)


def test_far_bodies_keep_their_digits():
    """A target a kilometre away on a free joint, a small body at the end of booms of which only one is long."""
    b = sd.Builder("chaser")
    b.base("bus", mass=100.0, inertia=(10.0, 12.0, 11.0), com=(0.1, 0.2, 0.0))
    b.body("target", mass=5.0, inertia=(0.1, 0.12, 0.09), com=(0.05, 0.0, 0.02))
    b.joint("apart", "free", parent="bus", child="target")
    b.body("tip", mass=0.5, inertia=(1e-3, 1.2e-3, 1.1e-3), com=(0.01, 0.0, 0.0))
    b.joint("boom", "revolute", parent="bus", child="tip", axis=(0, 1, 0))
    b.endpoint("hand", body="target", position=(0.1, 0.0, 0.0))
    each = np.arange(LANES + 2)
    fleet = b.build().vary(
        mass={"target": 5.0 + each},
        com={"bus": np.outer(each, [0.01, 0.02, 0.0]), "target": np.outer(each, [0.02, 0.0, 0.01])},
        position={"boom": np.outer(np.where(each == 2, 500.0, 0.5), [1.0, 0.0, 0.1])},
    )
    assert [m.flat.tree[k.SEGMENTS] for m in (fleet, alone(fleet[0]), alone(fleet[2]))] == [2, 1, 2]
    q = {"apart": [1000.0, -300.0, 200.0, 0.5, 0.5, 0.5, 0.5], "boom": 0.3}
    states = fleet.state(q=q, qd={"apart": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], "boom": 0.2}, base_rate=[0.01, 0.02, 0.03])
    asked = {
        "forward": lambda m, s: sd.forward_dynamics(m, s, np.arange(1.0, 8.0), gravity=DOWN),
        "inverse": lambda m, s: sd.inverse_dynamics(m, s, np.ones(m.nv)),
        "velocity": lambda m, s: sd.endpoint_velocity(m, s, "hand"),
        "momentum": lambda m, s: sd.momentum(m, s, about="com"),
        "energy": lambda m, s: sd.kinetic_energy(m, s)[..., None],
    }
    for name, ask in asked.items():
        both = ask(fleet, states)
        for i in range(len(fleet)):
            wanted = ask(fleet[i], states[i])
            np.testing.assert_allclose(both[i], wanted, rtol=1e-13, atol=1e-13, err_msg=name)
            single = alone(fleet[i])
            wanted = ask(single, sd.State(single, states._data[i]))
            np.testing.assert_allclose(both[i], wanted, rtol=0, atol=1e-13 * np.abs(wanted).max(), err_msg=name)


# --- simulation ------------------------------------------------------------------------------------------------------


def hinge() -> sd.Model:
    b = sd.Builder("hinge")
    b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1), com=(0.1, 0.0, 0.0))
    b.body("arm", mass=1.0, inertia=(0.1, 0.15, 0.2), com=(0.3, 0.0, 0.0))
    b.joint("hinge", "revolute", parent="bus", child="arm", position=(0.5, 0, 0), stiffness=4.0, lower=-0.5, upper=0.5)
    b.endpoint("hand", body="arm", position=(0.6, 0, 0))
    return b.build()


def some(robots: int = LANES + 1) -> sd.Model:
    """Hinges, every other one with an end stop, each with another mass, geometry and spring."""
    each = np.arange(robots)
    return hinge().vary(
        mass={"arm": 1.0 + 0.1 * each},
        com={"bus": np.outer(each, [0.01, 0.02, 0.0])},
        position={"hinge": np.add(np.outer(each, [0.0, 0.05, 0.01]), [0.5, 0.0, 0.0])},
        stiffness={"hinge": 3.0 + each},
        stop_stiffness={"hinge": np.where(each % 2, 200.0, 0.0)},
        stop_damping={"hinge": np.where(each % 2, 2.0, 0.0)},
    )


@pytest.mark.parametrize(
    "method", [sd.RungeKutta4(1e-3), sd.DormandPrince8(), sd.Radau5()], ids=["rk4", "dp8", "radau"]
)
def test_runs_agree_with_those_of_single_robots(method):
    """To rounding with a fixed step; steps that are chosen end at other robots' stops too, and agree to 1e-7."""
    fleet = some()
    start = fleet.state(qd=[1.5], base_rate=[0.1, 0.2, 0.3])
    run = sd.simulate(fleet, start, 1.0, record=0.25, method=method, gravity=DOWN)
    assert run.audit().worst < (1e-9 if method.adaptive else 1e-5)
    for i in range(len(fleet)):
        one = sd.simulate(
            alone(fleet[i]), sd.State(alone(fleet[i]), start._data[i]), 1.0, record=0.25, method=method, gravity=DOWN
        )
        tolerance = 1e-7 if method.adaptive else 1e-12
        np.testing.assert_allclose(run.states._data[:, i], one.states._data, rtol=0, atol=tolerance)


def test_forces_act_on_points_of_bases_that_differ():
    """A wrench at a point of the base, whose centre of mass is elsewhere in each robot; and at an endpoint."""
    fleet = some()
    start, push = fleet.neutral_state(), sd.Wrench("bus", force=(0.0, 1.0, 0.5), point=(0.2, 0.1, 0.0), frame="body")
    spring = sd.Spring("arm", "inertial", stiffness=3.0, point=(0.6, 0, 0), other_point=(1.0, 1.0, 0.0))
    run = sd.simulate(fleet, start, 0.5, record=0.5, forces=[push, spring])
    for i in (0, LANES):
        one = sd.simulate(alone(fleet[i]), alone(fleet[i]).neutral_state(), 0.5, record=0.5, forces=[push, spring])
        np.testing.assert_allclose(run.final._data[i], one.final._data, rtol=0, atol=1e-8)


def test_events_see_and_change_their_own_robot():
    """An action that stops the joint, and a terminal event, in robots that differ."""
    fleet = some(3)
    start = fleet.state(qd=[1.0])
    brake = sd.Event(sd.joint_reaches("hinge", 0.1), action=lambda t, s: s.replace(qd=[0.0]), name="brake")
    run = sd.simulate(fleet, start, 1.0, record=0.5, events=[brake])
    for i in range(3):
        one = sd.simulate(fleet[i], start[i], 1.0, record=0.5, events=[brake])
        np.testing.assert_array_equal(run.final._data[i], one.final._data)
        mine = [event for event in run.events if event.robot == (i,)]
        assert [event.time for event in mine] == [event.time for event in one.events]
        assert mine[0].state.model == fleet[i]
    assert run.audit().worst < 1e-9


@pytest.mark.parametrize("where", ["memory", "netcdf", "folder"])
def test_a_run_goes_on_bit_for_bit(where, tmp_path):
    """What differs is in files; a run that was loaded, or streamed, goes on as if it had never ended."""
    fleet = some()
    start = fleet.state(qd=[1.0])
    whole = sd.simulate(fleet, start, 1.0, record=0.25)
    run = sd.simulate(fleet, start, 0.5, record=0.25, stream=tmp_path / "run" if where == "folder" else None)
    if where == "netcdf":
        run.save(tmp_path / "run.nc")
        run = sd.Run.load(tmp_path / "run.nc")
    elif where == "folder":
        run = sd.Run.load(tmp_path / "run")
    assert run.model == fleet
    np.testing.assert_array_equal(run.model.variation["mass"]["arm"], fleet.body("arm").mass)
    on = run.resume(until=1.0)
    np.testing.assert_array_equal(on.states._data, whole.states._data)
    np.testing.assert_array_equal(on.endpoint("hand").position, whole.endpoint("hand").position)


def test_a_run_of_other_robots_is_refused(tmp_path):
    """Parameters are among what digests are made of: one changed number in a folder, and the run is not read."""
    fleet = some(3)
    sd.simulate(fleet, fleet.state(qd=[1.0]), 0.2, record=0.1, stream=tmp_path / "run")
    others = fleet.vary(mass={"arm": [1.0, 1.1, 1.3]})
    a, b = (sd.simulate(m, m.state(qd=[1.0]), 0.2, record=0.1).simulation.physics() for m in (fleet, others))
    assert a != b
    file = next(file for file in (tmp_path / "run").iterdir() if "vary" in file.read_text(errors="ignore"))
    text = file.read_text()
    assert "1.2" in text
    file.write_text(text.replace("1.2", "1.3"))
    with pytest.raises(sd.InputError, match="changed"):
        sd.Run.load(tmp_path / "run")


def test_runs_are_shown_and_tabled():
    """Films show each robot as it is; datasets and tables have the robots along their own axis."""
    fleet = some(3)
    run = sd.simulate(fleet, fleet.state(qd=[0.5]), 0.2, record=0.1)
    assert run.data.sizes["robot"] == 3
    assert len(run.to_dataframe()) == 9
    assert run.energy().total.shape == (3, 3)
    assert "hinge" in run.film().html
    assert run.states[:, 1].model == fleet[[1, 1, 1]]


# --- what it is ------------------------------------------------------------------------------------------------------


def test_what_was_applied_is_read_back():
    robot = hinge()
    fleet = robot.vary(mass={"arm": [1.0, 2.0, 3.0]}).vary(damping={"hinge": [[[0.1]], [[0.2]]]})
    assert fleet.shape == (2, 3)
    assert fleet.nominal == robot
    np.testing.assert_array_equal(fleet.total_mass, [[11.0, 12.0, 13.0]] * 2)
    assert fleet[1, 2].body("arm").mass == 3.0
    assert fleet[1, 2].joint("hinge").damping.tolist() == [0.2]
    assert fleet[0].shape == (3,)
    assert fleet.neutral_state().shape == (2, 3)
    assert fleet.neutral_state()[1, 2].model == fleet[1, 2]
    assert fleet.neutral_state()[:, 1].model == fleet[:, 1]
    assert robot.vary(mass={"arm": 2.0}) == fleet[0, 1].vary(damping={"hinge": 0.0})


def test_equality_digest_pickle_and_text():
    fleet = some()
    assert fleet == some()
    assert hash(fleet) == hash(some())
    assert fleet not in (hinge(), some().vary(mass={"bus": 11.0}))
    assert pickle.loads(pickle.dumps(fleet)) == fleet
    again = sd.Model.from_toml(fleet.to_toml())
    assert again == fleet
    assert again.nominal == hinge()
    with pytest.raises(AttributeError):
        fleet.shape = (3,)


def test_problems_name_robot_and_part():
    """All at once, the first twenty and a count."""
    masses = np.ones(100)
    masses[[3, 50]] = 0.0, np.nan
    with pytest.raises(sd.ModelError) as caught:
        hinge().vary(mass={"arm": masses}, damping={"hinge": np.where(np.arange(100) == 7, -1.0, 0.0)})
    text = str(caught.value)
    for words in ("robot 3: body 'arm': mass is 0 kg", "robot 50: body 'arm': mass", "robot 7: joint 'hinge': damping"):
        assert words in text
    assert len(caught.value.problems) == 3
    with pytest.raises(sd.ModelError) as caught:
        hinge().vary(mass={"arm": -masses})
    assert len(caught.value.problems) == 100
    assert "and 80 more" in str(caught.value)
    with pytest.warns(sd.ModelWarning, match=r"body 'arm' of robot 1: .* triangle inequality"):
        hinge().vary(inertia={"arm": [(0.1, 0.15, 0.2), (0.1, 0.15, 0.3)]})
    left = np.diag([1.0, 1.0, -1.0])
    with pytest.raises(sd.ModelError, match="robot 1: joint 'hinge': rotation is left-handed"):
        hinge().vary(rotation={"hinge": [np.eye(3), left]})


def test_a_file_cannot_ask_for_more_numbers_than_it_holds():
    """Two lists of a thousand would make a million robots."""
    file = f"""{hinge().to_toml()}
[vary.mass]
arm = {[[1.0]] * 1001}
[vary.damping]
hinge = {[[[0.1]] * 1001]}
"""
    with pytest.raises(sd.ModelError, match="more than the 1000000 that are read"):
        sd.Model.from_toml(file)
    with pytest.raises(sd.ModelError, match="did you mean 'mass'"):
        sd.Model.from_toml(f"{hinge().to_toml()}\n[vary.mas]\narm = [1.0]\n")
    with pytest.raises(sd.ModelError, match="there is no parameter 'self'"):
        sd.Model.from_toml(f"{hinge().to_toml()}\n[vary.self]\narm = [1.0]\n")


def test_an_index_beyond_the_fleet():
    fleet = some(3)
    assert [model.body("arm").mass for model in fleet] == [1.0, 1.1, 1.2]
    for index in (3, "arm", (0, 0)):
        with pytest.raises(IndexError, match="no such robots"):
            fleet[index]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weight": {"arm": [1.0, 2.0]}}, "there is no parameter 'weight'"),
        ({"axis": {"hinge": [[0, 0, 1.0]]}}, "turn the joint's frame instead"),
        ({"mass": [1.0, 2.0]}, "mass must be {name: values}"),
        ({"mass": {"amr": [1.0, 2.0]}}, "did you mean 'arm'"),
        ({"com": {"arm": [1.0, 2.0]}}, "expected shape"),
        ({"mass": {"arm": [1.0, 2.0]}, "damping": {"hinge": [1.0, 2.0, 3.0]}}, "batch axes must agree"),
        ({"mass": {"arm": "heavy"}}, "expected numbers"),
        ({"mass": {"arm": []}}, "there are no robots"),
    ],
)
def test_what_cannot_be_varied(given, words):
    with pytest.raises(sd.SpacedynError, match=words):
        hinge().vary(**given)


def test_what_is_for_one_robot_says_so():
    fleet = some(3)
    for act in (lambda: fleet.lock("hinge"), lambda: fleet.to_urdf(), lambda: fleet.subtree("arm")):
        with pytest.raises(sd.InputError, match="for one robot"):
            act()
    for act in (lambda: sd.verify(fleet), lambda: hinge().attach(fleet, at="hand"), lambda: sd.scene([fleet])):
        with pytest.raises(sd.InputError, match=r"one robot|single robots"):
            act()
    with pytest.raises(sd.InputError, match=r"fleet\.nominal"):
        sd.control.joint_damping(fleet, fleet.neutral_state(), kd=1.0)
    with pytest.raises(sd.InputError, match=r"as one robot, not as a fleet of shape \(3,\)"):
        sd.forward_dynamics(fleet, hinge().neutral_state())
    with pytest.raises(sd.InputError, match=r"another model that is called"):
        sd.forward_dynamics(hinge(), hinge().vary(mass={"arm": 7.0}).neutral_state())
    with pytest.raises(sd.InputError, match="batch axes"):
        fleet.state(q=np.zeros((7, 2, 1)))


def test_no_states_of_a_fleet_have_empty_results():
    fleet = varied(sd.load("planar_four_link"), 3)
    states = fleet.random_state(np.random.default_rng(0), size=2)
    for empty in (states[0:0], states[:, 0:0]):
        for name, function in functions(fleet).items():
            assert function(empty.model, empty).shape[:2] == empty.shape, name
    with pytest.raises(sd.InputError, match="at least one robot"):
        fleet[0:0]
