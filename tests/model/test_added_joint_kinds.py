"""Kinds of joints that a program adds, by other routes: chains of built-in joints, closed forms, differences."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.errors import UnknownName
from spacedyn.model.joints import JOINT_KINDS, joint_kind
from spacedyn.model.motions import columns as motion_columns
from spacedyn.model.names import coordinate_names
from spacedyn.model.surgery import joint_transform
from spacedyn.show.plots.units import coordinate_units

KINDS = {
    "gimbal": {"roll": ("turn", "x"), "pitch": ("turn", "y"), "yaw": ("turn", "z")},
    "crane": {"swing": ("turn", "z"), "reach": ("slide", "x"), "tilt": ("turn", "y"), "hoist": ("slide", "z")},
    "drill": {"feed": ("slide", "axis"), "bore": ("screw", "axis")},
    "bolt": {"thread": ("screw", "x"), "lift": ("slide", "y")},
    "stage": {"a": ("slide", "y"), "b": ("turn", "x"), "c": ("slide", "z"), "d": ("turn", "z"), "e": ("turn", "y")},
    "ship": {"x": ("slide", "x"), "y": ("slide", "y"), "z": ("slide", "z"), "r": ("turn", "x"), "p": ("turn", "y"),
             "w": ("turn", "z")},
}  # fmt: skip
AXIS, PITCH = np.array([2.0, -3.0, 6.0]) / 7.0, 0.3
BUILT_IN = {"slide": "prismatic", "turn": "revolute", "screw": "helical"}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(autouse=True)
def added():
    for name, steps in KINDS.items():
        joint_kind(name, **steps)
    yield
    for name in KINDS:
        del JOINT_KINDS[name]


def begun(name, base="free"):
    """A base, an arm, and the frame that the joint is at."""
    b = sd.Builder(name, base=base)
    b.base("bus", mass=30.0, inertia=(3.0, 4.0, 5.0), com=(0.1, 0, 0.2))
    b.link(
        "arm", parent="bus", position=(0.5, 0, 0), axis=(0, 1, 0), mass=3.0, inertia=(0.2, 0.3, 0.4), com=(0.3, 0, 0)
    )
    return b, {"position": (0.4, -0.1, 0.2), "rotation": sd.Rotation.from_euler("xyz", [0.4, -0.7, 1.1])}


LAST = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5), "com": (0.1, -0.2, 0.3)}
SPRUNG = {"stiffness": 2.0, "damping": 0.3, "friction": 0.2, "friction_speed": 0.1, "rotor_inertia": 1e-3, "gear": 12.0}
SPRUNG |= {"lower": -0.2, "upper": 0.3, "stop_stiffness": 20.0, "stop_damping": 0.5}


def with_kind(kind, base="free"):
    b, frame = begun(kind, base)
    record = JOINT_KINDS[kind]
    given = {"axis": AXIS} if record.takes_axis else {}
    given |= {"pitch": PITCH} if record.takes_pitch else {}
    b.link("body", kind, parent="arm", **frame, **given, **LAST, **SPRUNG)
    b.endpoint("tip", body="body", position=(0.2, 0.1, 0.3))
    return b.build()


def with_chain(kind):
    """The same robot: a built-in joint for each step, bodies without mass between them."""
    b, frame = begun(kind)
    parent, units = "arm", {**dict(zip("xyz", np.eye(3), strict=True)), "axis": AXIS}
    steps = list(KINDS[kind].items())
    for i, (name, (motion, direction)) in enumerate(steps):
        given = {"axis": units[direction], **SPRUNG, **(frame if i == 0 else {})}
        given |= {"pitch": PITCH} if motion == "screw" else {}
        last = i == len(steps) - 1
        child = "body" if last else name
        b.body(child, **(LAST if last else {"massless": True}))
        b.joint(name, BUILT_IN[motion], parent=parent, child=child, **given)
        parent = child
    b.endpoint("tip", body="body", position=(0.2, 0.1, 0.3))
    return b.build()


def state_of(model, seed=3, size=None):
    rng, shape = np.random.default_rng(seed), () if size is None else (size,)
    parts = {"q": 0.5 * rng.normal(size=(*shape, model.nq)), "qd": rng.normal(size=(*shape, model.nq))}
    parts |= {"base_rate": rng.normal(size=(*shape, 3)), "base_velocity": rng.normal(size=(*shape, 3))}
    return model.state(**parts, base_attitude=sd.Rotation.from_rotvec([0.3, -0.2, 0.5]))


@every_kind
@pytest.mark.parametrize("size", [None, 11])
def test_it_is_a_chain_of_built_in_joints(kind, size):
    one, chain = with_kind(kind), with_chain(kind)
    a, b = state_of(one, size=size), state_of(chain, size=size)
    np.testing.assert_array_equal(a.u, b.u)
    udot = np.random.default_rng(0).normal(size=a.u.shape)
    same = {"gravity": (0.3, -1.2, -9.6)}
    for name in ("mass_matrix", "coriolis_matrix", "passive_force", "kinetic_energy"):
        of = getattr(sd, name)
        np.testing.assert_allclose(of(one, a), of(chain, b), rtol=1e-12, atol=1e-12, err_msg=name)
    for name in ("inverse_dynamics", "forward_dynamics"):
        given = udot if name == "inverse_dynamics" else udot[..., 6:]
        of = getattr(sd, name)
        np.testing.assert_allclose(of(one, a, given, **same), of(chain, b, given, **same), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sd.endpoint_jacobian(one, a, "tip"), sd.endpoint_jacobian(chain, b, "tip"), atol=1e-13)


@every_kind
def test_kernels_move_it_as_its_record_says(kind):
    model = with_kind(kind)
    state = state_of(model)
    q = state.q[1:]
    position, rotation = joint_transform(model.joints[1], q)
    poses = sd.forward_kinematics(model, state).bodies
    arm, joint = poses.rotation[1], model.joints[1]
    np.testing.assert_allclose(arm @ joint.rotation @ rotation, poses.rotation[2], atol=1e-14)
    place = poses.position[1] + arm @ (joint.position + joint.rotation @ position)
    np.testing.assert_allclose(place, poses.position[2], atol=1e-14)
    columns = motion_columns(joint, q)
    jacobian = sd.body_jacobian(model, state, "body", np.zeros(3))[:, 7:]
    np.testing.assert_allclose(poses.rotation[2] @ columns[:3], jacobian[:3], atol=1e-13)
    np.testing.assert_allclose(poses.rotation[2] @ columns[3:], jacobian[3:], atol=1e-13)


@every_kind
def test_the_closed_form_agrees(kind):
    model = with_kind(kind, "fixed")
    state = model.state(q=np.linspace(0.3, -0.7, model.nq))
    np.testing.assert_allclose(sd.lagrangian.mass_matrix(model, state), sd.mass_matrix(model, state), atol=1e-12)


@every_kind
def test_derivatives_are_those_of_differences(kind):
    model, h = with_kind(kind), 1e-6
    state = state_of(model)
    found = sd.inverse_dynamics_derivatives(model, state, np.ones(model.nv)).dx
    for i in range(model.nv):
        step = h * np.eye(model.nv)[i]
        ends = [sd.inverse_dynamics(model, state.integrate(s * step), np.ones(model.nv)) for s in (1.0, -1.0)]
        np.testing.assert_allclose(found[:, i], (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.Radau5(), sd.Variational(0.01)], ids=repr)
def test_a_simulation_of_it_is_that_of_the_chain(method):
    one, chain = with_kind("crane"), with_chain("crane")
    options = {"method": method, "gravity": (0, 0, -1.6), "record": 0.25, "budget": 1e-3, "limits": False}
    a, b = (sd.simulate(model, state_of(model), 0.5, **options) for model in (one, chain))
    np.testing.assert_allclose(a.states.x, b.states.x, atol=1e-7)
    assert a.audit().within_budget


def test_everything_else_knows_it_by_its_record(tmp_path):
    robot = with_kind("crane")
    assert coordinate_names(robot)[1:] == ["body.swing", "body.reach", "body.tilt", "body.hoist"]
    assert coordinate_units(robot)[1:] == ["rad", "m", "rad", "m"]
    assert sd.Model.from_toml(robot.to_toml()) == robot
    run = sd.simulate(robot, state_of(robot), 0.2, prescribed={"body": "locked"}, record=0.1, adjust=True, limits=False)
    run.save(tmp_path / "run.nc")
    assert sd.Run.load(tmp_path / "run.nc").model == robot
    assert run.plot("q.body.reach").axes[0].get_ylabel() == "[m]"
    assert run.to_html(tmp_path / "film.html").exists()
    locked = robot.lock({"body": [0.1, 0.2, 0.3, 0.4]})
    assert locked.nv == 7
    with pytest.raises(sd.InputError, match=r"joint 'body' is crane: how Pinocchio makes one is not written here"):
        sd.verify(robot)
    with pytest.raises(sd.SpacedynError, match="crane"):
        robot.to_urdf()


def test_a_kind_that_was_not_added_is_named(monkeypatch):
    text = with_kind("crane").to_toml()
    monkeypatch.delitem(JOINT_KINDS, "crane")
    with pytest.raises(sd.ModelError, match="there is no kind of joint 'crane'"):
        sd.Model.from_toml(text)


def test_adding_it_again_changes_nothing():
    assert joint_kind("gimbal", **KINDS["gimbal"]) == JOINT_KINDS["gimbal"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: joint_kind("gimbal", roll=("turn", "x")), "there is a kind 'gimbal' with other steps already"),
        (lambda: joint_kind("revolute", roll=("turn", "x")), "there is a kind 'revolute' with other steps already"),
        (lambda: joint_kind("two words", roll=("turn", "x")), "the name of a kind is an identifier"),
        (lambda: joint_kind(3, roll=("turn", "x")), "the name of a kind is an identifier, such as 'gimbal', got 3"),
        (lambda: joint_kind("none"), "give 1 to 6 steps, such as roll=('turn', 'x'), got 0"),
        (lambda: joint_kind("many", **{f"c{i}": ("turn", "x") for i in range(7)}), "give 1 to 6 steps"),
        (lambda: joint_kind("odd", roll="turn"), "expected (motion, direction), such as ('turn', 'x'), got 'turn'"),
        (lambda: joint_kind("odd", roll=("turn", 1)), "roll: expected (motion, direction)"),
        (lambda: joint_kind("odd", roll=("twist", "x")), "no motion of a step named 'twist'"),
        (lambda: joint_kind("odd", roll=("turn", "w")), "no direction of a step named 'w'"),
        (lambda: joint_kind("odd", a=("turn", "x"), b=("turn", "axis")), "or all along x, y and z"),
    ],
)  # fmt: skip
def test_what_is_no_kind(call, said):
    before = dict(JOINT_KINDS)
    with pytest.raises((sd.InputError, UnknownName)) as caught:
        call()
    assert said in str(caught.value)
    assert before == JOINT_KINDS
