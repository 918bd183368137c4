"""URDFs written by others: Pinocchio reads the same file, and frames, mass matrix and accelerations agree to 1e-10."""

import warnings

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import spacedyn as sd
from urdf_robots import ROBOTS, Reading, folder

BOUND = 1e-10
GRAVITY = np.array([0.3, -0.5, -9.81])


# iCub's file has moving links of next to no inertia: any two ways to its accelerations (1e7 rad/s²) part at 1e-10
ILL = {"icub humanoid": 1e-8}


def near(found, wanted, bound: float = BOUND) -> None:
    wanted = np.asarray(wanted)
    error = np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max())
    assert error <= bound, f"relative error {error:.2e}"


def load(robot: str, **options) -> sd.Model:
    with warnings.catch_warnings():  # of doubtful inertias: the files are as they are
        warnings.simplefilter("ignore", sd.ModelWarning)
        return sd.load(folder() / ROBOTS[robot], **{"mimic": "independent", **options})


def pose(position, rotation) -> np.ndarray:
    matrix = rotation.as_matrix() if isinstance(rotation, Rotation) else rotation
    return np.block([[matrix, np.asarray(position)[:, None]], [np.zeros(3), 1.0]])


@pytest.mark.parametrize("base", ["free", "fixed"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_pinocchio_reads_the_same(robot, base):
    model = load(robot, base=base)
    peer = Reading(folder() / ROBOTS[robot], model)
    peer.robot.gravity.linear = GRAVITY
    rng = np.random.default_rng(5)
    for _ in range(2):
        state = model.random_state(rng)
        if base == "fixed":
            state = model.state(base_frame_position=np.zeros(3), q=state.q, qd=state.qd)
        x, u, tau = state.x, state.u, rng.uniform(-3, 3, model.nv - model.base_dof)
        theirs = peer.frames(x)
        bodies = sd.forward_kinematics(model, state).bodies
        ours = {name: pose(bodies.position[i], bodies.rotation[i]) for i, name in enumerate(model.body_names)} | {
            name: pose(*sd.endpoint_pose(model, state, name)) for name in model.endpoint_names
        }
        assert set(ours) == set(theirs)
        for name, frame in theirs.items():
            near(ours[name], frame)
        q, B = peer.q(x), peer.rate_map(x)
        M = np.triu(pin.crba(peer.robot, peer.data, q))
        M = M + np.triu(M, 1).T
        near(sd.mass_matrix(model, state), B.T @ M @ B)
        force = np.zeros(model.nv)
        force[model.base_dof :] = tau
        a = pin.aba(peer.robot, peer.data, q, B @ u, np.linalg.lstsq(B.T, force, rcond=None)[0])
        udot = sd.forward_dynamics(model, state, tau, gravity=GRAVITY, passive=False)
        near(B @ udot + peer.transport(x, u), a, ILL.get(robot, BOUND))


@pytest.mark.parametrize("robot", ["panda arm", "anymal quadruped", "baxter dual arm"])
def test_fixed_joints_merged_or_kept_are_the_same_robot(robot):
    merged, kept = load(robot, base="free"), load(robot, base="free", merge_fixed=False)
    assert [j.name for j in kept.joints if j.kind != "fixed"] == list(merged.joint_names)
    assert set(kept.body_names) == set(merged.body_names) | set(merged.endpoint_names)
    rng = np.random.default_rng(1)
    state = merged.random_state(rng)
    # the base's centre of mass is another, so its place and its velocity are
    R, apart = state.base_attitude, kept.bodies[0].com - merged.bodies[0].com
    arm = R.apply(apart)
    same = kept.state(
        base_position=state.base_position + arm,
        base_attitude=R,
        base_velocity=state.base_velocity + np.cross(state.base_rate, arm),
        base_rate=state.base_rate,
        q=state.q,
        qd=state.qd,
    )
    near(sd.kinetic_energy(kept, same), sd.kinetic_energy(merged, state))
    tau = rng.uniform(-3, 3, state.qd.size)
    one, other = (sd.forward_dynamics(m, s, tau)[6:] for m, s in ((merged, state), (kept, same)))
    near(one, other)
    for name in merged.endpoint_names:
        near(sd.endpoint_pose(kept, same, name)[0], sd.endpoint_pose(merged, state, name)[0])
