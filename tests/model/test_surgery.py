"""Locked, cut and joined robots move as the robots they came from."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import reference
from random_trees import random_coordinates, random_flat_state, random_model
from spacedyn.errors import InputError, ModelError, ModelWarning, UnknownName
from spacedyn.model.build import Builder
from spacedyn.model.files.load import load
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.model import Model
from spacedyn.model.surgery import attach, joint_transform, lock, subtree

NEUTRAL = np.array([0, 0, 0, 0, 0, 0, 1.0])
TIGHT = 1e-12


def neutral(model: Model, q=None) -> np.ndarray:
    """x with the base's centre of mass at the origin."""
    return np.concatenate([NEUTRAL, np.zeros(model.nq) if q is None else q])


def close(found, wanted) -> None:
    np.testing.assert_allclose(found, wanted, atol=TIGHT, rtol=TIGHT)


def one_joint(kind: str, **options) -> Model:
    builder = Builder("one joint")
    builder.base(mass=10, inertia=(1, 2, 2))
    frame = {"position": (0.1, 0.2, 0.3), "rotation": Rotation.from_euler("XYZ", [0.3, 0.4, 0.5])}
    builder.link("arm", kind, parent="base", mass=1, inertia=(1, 2, 2), com=(0.3, 0.1, 0), **frame, **options)
    builder.endpoint("hand", body="arm", position=(1, 0, 0))
    return builder.build()


def bus() -> Model:
    builder = Builder("bus")
    builder.base("bus", mass=50, inertia=(8, 9, 9), com=(0.1, 0, 0))
    builder.link("mast", parent="bus", mass=5, inertia=(1, 2, 2), position=(0, 0, 0.5))
    builder.endpoint("port", body="mast", position=(1, 2, 3), rotation=Rotation.from_euler("XYZ", [0.1, 0.2, 0.3]))
    return builder.build()


def tool() -> Model:
    builder = Builder("tool", base="fixed")
    builder.base("grip", mass=2, inertia=(0.1, 0.2, 0.2), com=(0, 0.1, 0))
    builder.link("finger", "prismatic", parent="grip", mass=1, inertia=(0.1, 0.2, 0.2), position=(0, 0, 0.2))
    turned = Rotation.from_euler("XYZ", [0.5, -0.4, 0.3])
    builder.endpoint("flange", body="grip", position=(0, 0.1, -0.1), rotation=turned)
    builder.endpoint("tip", body="finger")
    return builder.build()


# --- lock ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_a_locked_robot_stands_and_weighs_as_it_did(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 9, passive=True)
    x, u = random_flat_state(rng, model)
    names = [str(name) for name in rng.choice(model.joint_names, size=4, replace=False)]
    locked = lock(model, {name: x[7:][model.q_slice(name)] for name in names})
    free = [name for name in model.joint_names if name not in names]
    q = np.concatenate([np.zeros(0), *(x[7:][model.q_slice(name)] for name in free)])
    rates = [*range(model.base_dof), *(i for name in free for i in range(*model.u_slice(name).indices(model.nv)))]

    assert locked.joint_names == model.joint_names and locked.body_names == model.body_names
    assert (locked.nq, locked.nv) == (len(q), len(rates))
    x_locked, u_locked = np.concatenate([x[:7], q]), np.where(np.isin(range(model.nv), rates), u, 0.0)
    close(reference.bodies(locked, x_locked).pose, reference.bodies(model, x).pose)
    close(reference.endpoint_poses(locked, x_locked), reference.endpoint_poses(model, x))
    close(reference.mass_matrix(locked, x_locked), reference.mass_matrix(model, x)[np.ix_(rates, rates)])
    close(reference.bias_force(locked, x_locked, u[rates]), reference.bias_force(model, x, u_locked)[rates])


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_every_kind_of_joint_moves_as_the_notation_says(kind):
    rng = np.random.default_rng(3)
    oblique = {"axis": (0.6, 0.0, 0.8)} if kind in ("revolute", "prismatic", "helical", "cylindrical") else {}
    model = one_joint(kind, **oblique, **({"pitch": 0.3} if kind == "helical" else {}))
    joint = model.joint("arm")
    q = random_coordinates(rng, kind)
    position, rotation = joint_transform(joint, q)
    a, turn = joint.axis, Rotation.from_rotvec
    level = Rotation.identity()
    wanted = {
        "revolute": lambda: ((0, 0, 0), turn(q[0] * a)),
        "prismatic": lambda: (q[0] * a, level),
        "helical": lambda: (0.3 * q[0] * a, turn(q[0] * a)),
        "cylindrical": lambda: (q[0] * a, turn(q[1] * a)),
        "universal": lambda: ((0, 0, 0), Rotation.from_euler("ZY", q)),
        "planar": lambda: ((q[0], q[1], 0), Rotation.from_euler("z", q[2])),
        "spherical": lambda: ((0, 0, 0), Rotation.from_quat(q)),
        "free": lambda: (q[:3], Rotation.from_quat(q[3:])),
        "fixed": lambda: ((0, 0, 0), level),
    }[kind]()
    close(position, wanted[0])
    close(rotation, wanted[1].as_matrix())


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_without_coordinates_a_joint_is_locked_where_it_is_neutral(kind):
    model = one_joint(kind)
    locked = lock(model, "arm")
    assert locked.joint("arm").kind == "fixed"
    np.testing.assert_array_equal(locked.joint("arm").position, model.joint("arm").position)
    np.testing.assert_array_equal(locked.joint("arm").rotation, model.joint("arm").rotation)
    assert lock(locked, ["arm"]) == locked


def test_a_joint_is_locked_where_a_state_has_it():
    model = bus()
    state = model.state(q=[0.4])
    assert lock(model, "mast", at=state) == lock(model, {"mast": 0.4}) == model.lock(["mast"], state)
    assert lock(model, {"mast": None}, at=state) == lock(model, {"mast": [0.4]})
    assert lock(model, {"mast": 0.1}, at=state) == lock(model, {"mast": 0.1})
    with pytest.raises(InputError, match="a state of model 'tool', not of 'bus'"):
        lock(model, "mast", at=tool().state(q=[0.4]))
    with pytest.raises(InputError, match="a batch of states"):
        lock(model, "mast", at=model.state(q=[[0.4], [0.5]]))
    with pytest.raises(InputError, match=r"at is \[0.4\]: give a State"):
        lock(model, "mast", at=[0.4])


def test_doubts_are_not_raised_twice_but_new_ones_are():
    heavy, odd = Builder("station"), Builder("odd")
    heavy.base("station", mass=4e8, inertia=(1e9, 2e9, 2e9))
    odd.base("box", mass=1.0, inertia=(1, 1, 5))
    odd.link("arm", parent="box", mass=1.0, inertia=(1, 1, 6))
    with pytest.warns(ModelWarning, match="triangle"):
        robot = odd.build()
    lock(robot, "arm")  # a warning would be an error here
    subtree(robot, "arm")
    attach(robot, robot, "arm", prefix="second ")
    with pytest.warns(ModelWarning, match="over a million times apart") as caught:
        attach(heavy.build(), robot, "station")
    assert len(caught) == 1


def test_springs_and_limits_of_a_locked_joint_go():
    model = one_joint("revolute", stiffness=3.0, damping=1.0, lower=-1.0, rotor_inertia=0.1, gear=10.0, rest=0.2)
    joint = lock(model, {"arm": 0.3}).joint("arm")
    assert joint.nv == 0 and joint.stiffness.shape == joint.lower.shape == joint.rest.shape == (0,)


def test_unknown_joints_are_refused():
    with pytest.raises(UnknownName, match="no joint named 'mats'; did you mean 'mast'"):
        lock(bus(), "mats")
    with pytest.raises(UnknownName):
        lock(bus(), ["mast", "elbow"])


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("revolute", [1, 2], r"joint 'arm' \(revolute\): q has shape \(2,\)"),
        ("revolute", np.nan, "NaN"),
        ("revolute", "0.3", "text"),
        ("universal", 0.3, r"has shape \(\)"),
        ("spherical", [0, 0, 0, 2], r"quaternion \(x, y, z, w\) .*has length 2"),
        ("free", [1, 2, 3, 0, 0, 0, 0], "quaternion"),
        ("fixed", 1.0, "shape"),
    ],
)
def test_coordinates_that_do_not_fit_are_refused(kind, value, words):
    with pytest.raises(InputError, match=words):
        lock(one_joint(kind), {"arm": value})


# --- subtree ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_a_branch_moves_as_it_did_on_the_robot(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 12)
    index = int(rng.integers(0, model.n + 1))
    body = model.bodies[index].name
    branch = subtree(model, body, base_kind="attitude")
    assert branch.base_kind == "attitude" and branch.bodies[0].name == body
    kept = [i for i, name in enumerate(model.body_names) if name in branch.body_names]
    below = {body}
    for _ in model.joints:
        below |= {joint.child for joint in model.joints if joint.parent in below}
    assert set(branch.body_names) == below
    assert branch.joint_names == tuple(j.name for j in model.joints if j.parent in below)
    assert branch.endpoint_names == tuple(e.name for e in model.endpoints if e.body in below)

    x, _ = random_flat_state(rng, model)
    whole = reference.bodies(model, x)
    attitude = Rotation.from_matrix(whole.pose[index, :3, :3]).as_quat()
    q = np.concatenate([np.zeros(0), *(x[7:][model.q_slice(name)] for name in branch.joint_names)])
    part = reference.bodies(branch, np.concatenate([whole.position[index], attitude, q]))
    for i in kept:
        close(part.position[branch.body_index(model.bodies[i].name)], whole.position[i])
        close(part.inertia[branch.body_index(model.bodies[i].name)], whole.inertia[i])


def test_a_branch_is_free_unless_told_otherwise():
    branch = subtree(bus(), "mast")
    assert (branch.name, branch.base_kind, branch.n) == ("bus.mast", "free", 0)
    assert branch.endpoint_names == ("port",)
    assert bus().subtree("mast", base_kind="fixed").base_kind == "fixed"


def test_the_branch_at_the_base_is_the_whole_robot():
    whole = subtree(bus(), "bus")
    assert whole.bodies[1].name == "mast" and whole.endpoint_names == ("port",)


def test_a_branch_at_an_unknown_body_or_with_an_unknown_base_is_refused():
    with pytest.raises(UnknownName, match="no body named 'mats'"):
        subtree(bus(), "mats")
    with pytest.raises(ModelError, match="no kind of base 'freee'"):
        subtree(bus(), "mast", base_kind="freee")


# --- attach ----------------------------------------------------------------------------------------------------------


def pose_of(model: Model, endpoint: str, q) -> np.ndarray:
    return reference.endpoint_poses(model, neutral(model, q))[model.endpoint_index(endpoint)]


def homogeneous(position, rotation) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return pose


def base_frame(model: Model, body: str, q) -> np.ndarray:
    return reference.bodies(model, neutral(model, q)).pose[model.body_index(body)]


def test_the_base_of_the_other_comes_to_stand_at_an_endpoint():
    both = attach(bus(), tool(), "port")
    assert (both.name, both.base_kind) == ("bus", "free")
    assert both.joint_names == ("mast", "grip_mount", "finger")
    assert both.joint("grip_mount").kind == "fixed" and both.joint("grip_mount").parent == "mast"
    assert both.total_mass == bus().total_mass + tool().total_mass
    close(base_frame(both, "grip", [0.3, 0.1]), pose_of(both, "port", [0.3, 0.1]))


def test_an_endpoint_of_the_other_comes_to_coincide():
    both = bus().attach(tool(), "port", "flange")
    close(pose_of(both, "flange", [0.3, 0.1]), pose_of(both, "port", [0.3, 0.1]))


def test_the_other_may_be_put_anywhere():
    turned = Rotation.from_euler("XYZ", [0.2, 0.3, 0.4])
    for rotation in (turned, turned.as_matrix()):
        both = attach(bus(), tool(), "port", ([1, 2, 3], rotation))
        offset = homogeneous([1, 2, 3], turned.as_matrix())
        close(base_frame(both, "grip", [0.3, 0.1]), pose_of(both, "port", [0.3, 0.1]) @ offset)
    both = attach(bus(), tool(), "mast", ([0, 0, 1], None))
    close(base_frame(both, "grip", [0.3, 0]), base_frame(both, "mast", [0.3, 0]) @ homogeneous([0, 0, 1], np.eye(3)))


def test_a_body_will_do_as_a_place():
    both = attach(bus(), tool(), "bus")
    close(base_frame(both, "grip", [0.3, 0.1]), base_frame(both, "bus", [0.3, 0.1]))


def test_what_is_attached_and_cut_off_again_is_the_same_robot():
    again = subtree(attach(bus(), tool(), "port", "flange"), "grip", base_kind="fixed")
    assert write_parts(again) == write_parts(tool())


def write_parts(model: Model) -> str:
    """Everything but the name."""
    return model.to_toml().replace(f'name = "{model.name}"', "", 1)


@pytest.mark.parametrize("seed", range(5))
def test_the_whole_moves_as_its_parts(seed):
    rng = np.random.default_rng(seed)
    first, second = random_model(rng, 6), random_model(rng, 6)
    both = attach(first, second, "endpoint1", "endpoint0", prefix="other ")
    x, _ = random_flat_state(rng, both)
    found = reference.bodies(both, x)
    alone = reference.bodies(first, x[: 7 + first.nq])
    close(found.position[: first.n + 1], alone.position)
    stand = found.pose[first.n + 1]
    attitude = Rotation.from_matrix(stand[:3, :3]).as_quat()
    place = found.position[first.n + 1]
    carried = reference.bodies(second, np.concatenate([place, attitude, x[7 + first.nq :]]))
    close(found.position[first.n + 1 :], carried.position)
    close(found.inertia[first.n + 1 :], carried.inertia)


def test_a_prefix_goes_before_every_name_of_the_other():
    both = attach(bus(), bus(), "port", prefix="second ")
    assert both.body_names == ("bus", "mast", "second bus", "second mast")
    assert both.joint_names == ("mast", "second bus_mount", "second mast")
    assert both.endpoint_names == ("port", "second port")
    assert both.endpoint("second port").body == "second mast"


def test_names_in_both_robots_are_reported_at_once_with_the_way_out():
    with pytest.raises(ModelError) as caught:
        attach(bus(), bus(), "port")
    assert len(caught.value.problems) == 4
    for words in ("body 'bus' is in both", "body 'mast'", "joint 'mast'", "endpoint 'port'"):
        assert any(problem.startswith(words) for problem in caught.value.problems), words
    assert all("prefix='bus_'" in problem for problem in caught.value.problems)
    twice = attach(bus(), tool(), "port")
    with pytest.raises(ModelError, match="joint 'grip_mount' is in both"):
        attach(twice, tool(), "bus")


def test_places_that_are_not_there_are_refused():
    with pytest.raises(UnknownName, match="no endpoint or body named 'prot'; did you mean 'port'"):
        attach(bus(), tool(), "prot")
    with pytest.raises(UnknownName, match="no endpoint named 'flnge'"):
        attach(bus(), tool(), "port", "flnge")


def test_only_a_model_can_be_attached():
    with pytest.raises(InputError, match="other is 'ssrms': give a Model"):
        attach(bus(), "ssrms", "port")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("tip", "frame 'tip' is on body 'finger' of 'tool': only its base 'grip' can be fixed"),
        (3, "frame is 3: give the name of an endpoint, a pair"),
        (([0, 0, 0],), "a pair"),
        (([0, 0], None), r"frame: position has shape \(2,\)"),
        (([0, 0, 0], np.zeros((3, 3))), "frame: rotation is not a rotation"),
    ],
)
def test_frames_that_make_no_sense_are_refused(frame, words):
    with pytest.raises(InputError, match=words):
        attach(bus(), tool(), "port", frame)


@pytest.mark.parametrize("at", [None, 3, np.eye(3), ["hand"]], ids=str)
def test_a_place_that_is_no_name(at):
    robot = load("tian_wu")
    with pytest.raises(InputError, match="give the name of an endpoint or a body"):
        robot.attach(robot, at)
