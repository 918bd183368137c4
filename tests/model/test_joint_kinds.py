"""The table of joint kinds: whole, the same as the kernels', and known wherever a kind must be."""

from dataclasses import replace

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_coordinates, random_model
from reference import bodies
from spacedyn.kernels.robot import layout
from spacedyn.model.joints import JOINT_KINDS, plain_kinds
from spacedyn.model.motions import columns as motion_columns
from spacedyn.model.names import coordinate_names, rate_names
from spacedyn.model.surgery import joint_transform
from spacedyn.peers.robots import mujoco_joints, pinocchio_joints
from spacedyn.show.plots.units import coordinate_units, rate_units
from spacedyn.show.viewer.guessed_shapes import joint_hub

every_kind = pytest.mark.parametrize("kind", JOINT_KINDS)


def lone(kind):
    """A robot on a fixed base with one joint of a kind, its axis askew and its screw with a pitch."""
    robot = sd.Builder(kind, base="fixed")
    robot.base("floor", mass=1.0, inertia=(1.0, 1.2, 1.1))
    robot.body("body", mass=2.0, inertia=(0.3, 0.4, 0.5), com=(0.1, -0.2, 0.3))
    given = {"axis": np.array([2.0, -3.0, 6.0]) / 7.0} if JOINT_KINDS[kind].takes_axis else {}
    given |= {"pitch": 0.3} if JOINT_KINDS[kind].takes_pitch else {}
    robot.joint("joint", kind, parent="floor", child="body", **given)
    robot.endpoint("origin", body="body")
    return robot.build()


def coordinates(kind, seed=0):
    return random_coordinates(np.random.default_rng(seed), kind)


@every_kind
def test_the_kernels_number_a_kind_alike(kind):
    assert JOINT_KINDS[kind].number == getattr(layout, kind.upper())
    assert JOINT_KINDS[kind].name == kind


def test_kernels_know_no_other_kinds():
    assert sorted(kind.number for kind in JOINT_KINDS.values()) == list(range(len(JOINT_KINDS)))


@every_kind
def test_records_are_consistent(kind):
    record = JOINT_KINDS[kind]
    turning = 3 if record.has_attitude else 0
    assert record.nv == len(record.steps) + turning
    assert record.nq == len(record.steps) + turning + record.has_attitude
    assert len(set(record.coordinates)) == record.nq and len(set(record.rates)) == record.nv
    assert sorted((*record.translations, *record.rotations)) == list(range(record.nv))
    assert not record.takes_pitch or record.takes_axis
    assert (kind in plain_kinds()) == (0 < record.nq == record.nv)
    assert not record.neutral.flags.writeable


@every_kind
def test_neutral_coordinates_leave_the_child_where_it_is(kind):
    position, rotation = joint_transform(lone(kind).joints[0], JOINT_KINDS[kind].neutral)
    np.testing.assert_array_equal(position, np.zeros(3))
    np.testing.assert_array_equal(rotation, np.eye(3))


@every_kind
def test_steps_say_how_kernels_move_a_joint(kind):
    """Steps make the pose and the columns; kernels have them written out, and the tests' reference a third time."""
    model, q = lone(kind), coordinates(kind)
    state = model.state(q=q)
    position, rotation = joint_transform(model.joints[0], q)
    poses = sd.forward_kinematics(model, state).bodies
    np.testing.assert_allclose(position, poses.position[1], atol=1e-14)
    np.testing.assert_allclose(rotation, poses.rotation[1], atol=1e-14)
    np.testing.assert_allclose(bodies(model, state.x).pose[1, :3, 3], position, atol=1e-14)
    columns = motion_columns(model.joints[0], q)
    jacobian = sd.endpoint_jacobian(model, state, "origin")
    np.testing.assert_allclose(rotation @ columns[:3], jacobian[:3], atol=1e-14)
    np.testing.assert_allclose(rotation @ columns[3:], jacobian[3:], atol=1e-14)


@every_kind
def test_names_and_units_are_as_many_as_coordinates(kind):
    model = lone(kind)
    assert len(set(coordinate_names(model))) == len(coordinate_units(model)) == model.nq
    assert len(set(rate_names(model))) == len(rate_units(model, "rad/s|m/s")) == model.nv
    lengths = [i for i, unit in enumerate(rate_units(model, "rad/s|m/s")) if unit == "m/s"]
    assert tuple(lengths) == JOINT_KINDS[kind].translations


@every_kind
def test_the_closed_form_agrees_with_the_kernels(kind):
    model = lone(kind)
    state = model.state(q=coordinates(kind))
    np.testing.assert_allclose(sd.lagrangian.mass_matrix(model, state), sd.mass_matrix(model, state), atol=1e-12)


@every_kind
def test_peers_make_every_kind(kind):
    joint = lone(kind).joints[0]
    assert sum(part.nv for part in pinocchio_joints(joint)) == joint.nv
    rates = {0: 6, 1: 3, 2: 1, 3: 1}  # MuJoCo's free, ball, slide, hinge
    parts = sum(rates[int(part)] for part, _ in mujoco_joints(joint))
    assert parts == joint.nv + joint.kind_record.takes_pitch


def test_peers_name_a_kind_that_they_do_not_know(monkeypatch):
    monkeypatch.setitem(JOINT_KINDS, "pulley", replace(JOINT_KINDS["revolute"], name="pulley"))
    joint = replace(lone("revolute").joints[0], kind="pulley")
    with pytest.raises(sd.InputError, match=r"joint 'joint' is pulley: .*Pinocchio.* there are: revolute, .*fixed"):
        pinocchio_joints(joint)
    with pytest.raises(sd.InputError, match=r"joint 'joint' is pulley: .*MuJoCo"):
        mujoco_joints(joint)


HUBS = {
    "revolute": 2, "helical": 2, "cylindrical": 2, "prismatic": 1, "universal": 1, "planar": 1, "spherical": 1,
    "free": 0, "fixed": 0,
}  # fmt: skip


@every_kind
def test_the_viewer_draws_every_kind(kind):
    assert len(joint_hub(JOINT_KINDS[kind], np.array([0.0, 0.0, 1.0]), 0.1)) == HUBS[kind]


def test_random_trees_draw_every_kind():
    kinds = {joint.kind for seed in range(4) for joint in random_model(np.random.default_rng(seed), 12).joints}
    assert kinds == set(JOINT_KINDS)
