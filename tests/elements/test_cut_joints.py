"""A tree cut at a joint and closed there by the same kind of loop is the tree: motion, reactions, ledger, contact."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_frame, random_inertia

pytestmark = pytest.mark.packs
NAMES = {"helical": "screw", "spherical": "ball", "fixed": "weld", "planar": "flat"}
AS_JOINTS = ["revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "fixed"]
EXACT = sd.DormandPrince8(rtol=1e-13, atol=1e-13)
GRAVITY = np.array([0.3, -1.0, 2.0])


def tree_and_cut(seed, base, kind):
    """A chain with a joint of this kind between A and B; the same with B on a free joint of the base, and the loop."""
    models = []
    for cut in (False, True):
        rng = np.random.default_rng(seed)
        b = sd.Builder("cut" if cut else "tree", base)
        b.base("base", **random_inertia(rng, 3.0))
        for body in "ABC":
            b.body(body, **random_inertia(rng))
        frames, axes = [random_frame(rng, 0.5) for _ in range(4)], rng.normal(size=(3, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        own = {"axis": axes[1]} if kind in ("revolute", "prismatic", "helical", "cylindrical") else {}
        own |= {"pitch": 0.17} if kind == "helical" else {}
        b.joint("a", "revolute", parent="base", child="A", axis=axes[0], **frames[0])
        if cut:
            b.joint("b", "free", parent="base", child="B", **frames[3])
        else:
            b.joint("b", kind, parent="A", child="B", **frames[1], **own)
        b.joint("c", "revolute", parent="B", child="C", axis=axes[2], **frames[2])
        models.append(b.build())
    turn = frames[1]["rotation"]
    fields = {"attitude_xyzw": turn.as_quat(), "axis": axes[1] if own else (0, 0, 1)}
    if kind == "universal":  # turns about z of the parent's frame, then about y of the child's
        fields = {"axis": (0, 1, 0), "other_axis": turn.apply((0, 0, 1))}
    fields |= {"pitch": 0.17} if kind == "helical" else {}
    loop = sd.Loop(NAMES.get(kind, kind), "B", "A", other_point=frames[1]["position"], name="cut", **fields)
    return models[0], models[1], loop, frames[3]


def same_state(tree, cut, state, frame):
    """The state of the cut tree in which all bodies are where those of the tree are, and move alike."""
    poses, i = sd.forward_kinematics(tree, state).bodies, tree.body_index("B")
    p0, R0, V0 = (getattr(poses, name)[tree.body_index("base")] for name in ("position", "rotation", "velocity"))
    R, r = R0 @ frame["rotation"].as_matrix(), poses.position[i] - p0
    v = R.T @ (poses.velocity[i][:3] - V0[:3] - np.cross(V0[3:], r))
    w = poses.rotation[i].T @ (poses.velocity[i][3:] - V0[3:])
    place = R.T @ (r - R0 @ frame["position"])
    quaternion = sd.Rotation.from_matrix(R.T @ poses.rotation[i]).as_quat()
    x, u = cut.neutral_state().x.copy(), np.zeros(cut.nv)
    x[:7], u[: cut.base_dof] = state.x[:7], state.u[: tree.base_dof]
    for joint in "ac":
        x[7:][cut.q_slice(joint)], u[cut.u_slice(joint)] = state.q[tree.q_slice(joint)], state.u[tree.u_slice(joint)]
    x[7:][cut.q_slice("b")], u[cut.u_slice("b")] = [*place, *quaternion], [*v, *w]
    return sd.State(cut, np.concatenate([x, u]))


def reaction(tree, state, udot):
    """Force and moment that hold B and C beyond the joint, at B's origin, by Newton and Euler."""
    moved, force, moment = sd.forward_kinematics(tree, state, udot).bodies, np.zeros(3), np.zeros(3)
    at = moved.position[tree.body_index("B")]
    for body in "BC":
        i, parts = tree.body_index(body), tree.body(body)
        R, w, alpha = moved.rotation[i], moved.velocity[i][3:], moved.acceleration[i][3:]
        r, inertia = R @ parts.com, R @ parts.inertia @ R.T
        f = parts.mass * (moved.acceleration[i][:3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r)) - GRAVITY)
        force += f
        moment += inertia @ alpha + np.cross(w, inertia @ w) + np.cross(moved.position[i] + r - at, f)
    return force, moment


@pytest.mark.parametrize("base", ["free", "fixed", "attitude", "planar"])
@pytest.mark.parametrize("kind", AS_JOINTS)
def test_motion_and_reactions_are_those_of_the_tree(kind, base):
    seed = AS_JOINTS.index(kind)
    tree, cut, loop, frame = tree_and_cut(seed, base, kind)
    state = tree.random_state(np.random.default_rng(100 + seed))
    options = {"gravity": GRAVITY, "method": EXACT, "limits": False, "record": 0.25}
    whole = sd.simulate(tree, state, 1.0, **options)
    closed = sd.simulate(cut, same_state(tree, cut, state, frame), 1.0, elements=[loop], **options)
    for body in "ABC":
        np.testing.assert_allclose(closed.body(body).position, whole.body(body).position, atol=1e-11)
    assert closed["gap"].max() < 1e-12 and closed.audit().worst < 1e-11
    np.testing.assert_allclose(closed.energy().total, whole.energy().total, rtol=1e-11)
    for k in range(len(closed.time)):
        force, moment = reaction(tree, whole.states[k], whole["udot"][k])
        axes = sd.forward_kinematics(tree, whole.states[k]).bodies.of("A").rotation @ loop._axes()[1]
        room = 1e-11 * (1.0 + np.abs(np.r_[force, moment]).max())
        np.testing.assert_allclose(closed["cut.force"][k], axes.T @ force, atol=room)
        np.testing.assert_allclose(closed["cut.moment"][k], axes.T @ moment, atol=room)


@pytest.mark.parametrize("method", [EXACT, sd.TimeStepping(1e-3)], ids=lambda one: type(one).__name__)
def test_a_leg_on_a_cut_hip_lands_as_one_on_a_joint(method):
    """Rigid impacts, friction and slides go through the loop as through the joint."""
    models = []
    for kind in ("spherical", "free"):
        b = sd.Builder("lander")
        b.base("bus", mass=3.0, com=(0.02, 0.01, 0), inertia=(0.1, 0.12, 0.15))
        b.link(
            "leg", kind, parent="bus", position=(0, 0.2, -0.1), mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.021, 0.01)
        )
        b.link("toe", parent="leg", position=(0, 0, -0.4), axis=(1, 0, 0), mass=0.3, com=(0, 0.05, 0),
               inertia=(0.002, 0.001, 0.0022))  # fmt: skip
        models.append(b.build())
    foot = sd.RigidContact("toe", [(0, 0.1, 0), (0, -0.05, 0)], restitution=0.3, friction=0.4, name="foot")
    hip = sd.Loop("ball", "leg", "bus", other_point=(0, 0.2, -0.1), name="hip")
    runs = []
    for model, elements in zip(models, ([foot], [foot, hip]), strict=True):
        start = model.state(
            base_position=(0, 0, 0.75), base_velocity=(0.1, 0, -1.0), base_rate=(0.2, 0.1, 0.3), q={"toe": 0.3}
        )
        runs.append(
            sd.simulate(
                model, start, 0.4, elements=elements, gravity=(0, 0, -9.81), method=method, record=0.05, budget=0.01
            )
        )
    whole, closed = runs
    np.testing.assert_allclose(closed.body("toe").position, whole.body("toe").position, atol=1e-11)
    assert len(closed.events) == len(whole.events) and closed["hip.gap"].max() < 1e-12
