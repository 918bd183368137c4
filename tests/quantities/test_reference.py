"""The slow reference is right: against differences, balances of energy and momentum, Pinocchio, and MuJoCo."""

from collections.abc import Callable

import numpy as np
import pytest

import reference
from random_trees import moved, random_flat_state, random_model
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.model import Model
from spacedyn.model.parts import BASE_KINDS
from spacedyn.peers import robots as peers

SIZES = (0, 1, 2, 5, 9, 18)  # 18: every kind of joint twice
CASES = [(kind, n) for kind in BASE_KINDS for n in SIZES]
TIGHT = 1e-12  # what rounding leaves of a product of a few dozen matrices


class Case:
    """A random tree in a random state, with a load on everything."""

    def __init__(self, base_kind: str, n: int):
        rng = np.random.default_rng([n, *map(ord, base_kind)])
        self.model = random_model(rng, n, base_kind=base_kind, passive=True)
        self.x, self.u = random_flat_state(rng, self.model)
        self.udot = rng.uniform(-2.0, 2.0, self.model.nv)
        self.gravity = rng.uniform(-9.0, 9.0, 3)
        self.wrenches = rng.uniform(-5.0, 5.0, (len(self.model.endpoints), 6))
        self.point, self.point_velocity = rng.uniform(-2.0, 2.0, (2, 3))
        self.load = {"gravity": self.gravity, "endpoint_wrenches": self.wrenches}
        self.F = reference.inverse_dynamics(self.model, self.x, self.u, self.udot, **self.load)

    def after(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(x, u) a little later, right to second order in t, which is what a first derivative sees."""
        return moved(self.model, self.x, self.u + 0.5 * t * self.udot, t), self.u + t * self.udot


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    return Case(*request.param)


def slope(f: Callable[[float], np.ndarray], h: float = 1e-3) -> np.ndarray:
    """df/dt at 0 by seven points: the error is of order h⁶."""
    around = {k: np.asarray(f(k * h)) for k in (-3, -2, -1, 1, 2, 3)}
    odd = [around[k] - around[-k] for k in (1, 2, 3)]
    return (45.0 * odd[0] - 9.0 * odd[1] + odd[2]) / (60.0 * h)


def close(got: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    scale = max(1.0, np.abs(wanted).max(initial=0.0))
    assert np.abs(got - wanted).max(initial=0.0) <= tolerance * scale


def test_all_kinds_of_joints_are_tried():
    model = random_model(np.random.default_rng(0), 18)
    assert {joint.kind for joint in model.joints} == set(JOINT_KINDS)
    assert any(p > i for i, p in enumerate(model.parents)), "some parent is declared after its child"


def test_jacobians_and_their_rates_are_derivatives(case: Case):
    model, x, u = case.model, case.x, case.u
    bodies = reference.bodies(model, x, u)
    coms = np.array([np.append(body.com, 1.0) for body in model.bodies])[..., None]
    for w in (u, case.udot):  # any direction w shows an error in any column
        rate = slope(lambda t, w=w: reference.bodies(model, moved(model, x, w, t)).pose)
        spin = rate[:, :3, :3] @ bodies.pose[:, :3, :3].swapaxes(1, 2)
        close((rate @ coms)[:, :3, 0], bodies.J[:, :3] @ w, 1e-11)
        close(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), bodies.J[:, 3:] @ w, 1e-11)
    close(slope(lambda t: reference.bodies(model, moved(model, x, u, t)).J), bodies.Jdot, 1e-10)
    rate = slope(lambda t: reference.endpoint_jacobians(model, moved(model, x, u, t))[0])
    close(rate, reference.endpoint_jacobians(model, x, u)[1], 1e-10)


def test_forward_and_hybrid_dynamics_undo_inverse_dynamics(case: Case):
    state = (case.model, case.x, case.u)
    close(reference.forward_dynamics(*state, case.F, **case.load), case.udot, 1e-11)
    given = np.arange(case.model.nv) % 2 == 0
    udot, F = reference.hybrid_dynamics(*state, given, case.udot, np.where(given, np.nan, case.F), **case.load)
    close(udot, case.udot, 1e-11)
    close(F, case.F, 1e-11)


def test_kinetic_energy_takes_up_the_power_of_all_forces(case: Case):
    model, x, u = case.model, case.x, case.u
    power = u @ (case.F + reference.passive_force(model, x, u))
    power += u @ reference.wrench_force(model, x, endpoint_wrenches=case.wrenches)
    power -= slope(lambda t: reference.potential_energy(model, case.after(t)[0], case.gravity))
    close(slope(lambda t: reference.kinetic_energy(model, *case.after(t)), 1e-4), power, 1e-9)


def test_springs_and_stops_pull_down_their_energy(case: Case):
    model, x = case.model, case.x
    still = reference.passive_force(model, x, np.zeros(model.nv))
    for k, unit in enumerate(np.eye(model.nv)):  # small steps, so that none crosses into a stop
        fall = slope(lambda t, unit=unit: -reference.spring_energy(model, moved(model, x, unit, t)), 1e-5)
        close(fall, still[k], 1e-8)


def test_momentum_changes_by_the_external_wrenches(case: Case):
    model, x, u, p = case.model, case.x, case.u, case.point
    A, rate = reference.momentum_matrix(model, x, p), reference.momentum_matrix_rate(model, x, u, p)
    outer = np.concatenate([reference.endpoint_poses(model, x)[:, :3, 3], x[None, :3]])
    wrenches = np.concatenate([case.wrenches, reference.reactions(model, x, u, case.udot, **case.load)[:1]])
    weight = sum(body.mass for body in model.bodies) * case.gravity
    force = wrenches[:, :3].sum(axis=0) + weight
    moment = (wrenches[:, 3:] + np.cross(outer - p, wrenches[:, :3])).sum(axis=0)
    moment += np.cross(reference.center_of_mass(model, x) - p, weight)
    close(A @ case.udot + rate @ u, np.concatenate([force, moment]), TIGHT)
    moving = reference.momentum_matrix_rate(model, x, u, p, case.point_velocity)
    path = slope(lambda t: reference.momentum_matrix(model, moved(model, x, u, t), p + t * case.point_velocity))
    close(path, moving, 1e-10)


@pytest.mark.parametrize("at", ["joint", "child"])
def test_reactions_do_the_work_of_the_joint_forces(case: Case, at: str):
    model, x, u = case.model, case.x, case.u
    found = reference.reactions(model, x, u, case.udot, **case.load, at=at)
    driving = case.F + reference.passive_force(model, x, u) - reference.rotor_inertias(model) * case.udot
    base = model.base_dof
    close(reference.base_map(model).T[:base] @ found[0], driving[:base], TIGHT)
    pose, joints = reference.bodies(model, x).pose, reference.joint_poses(model, x)
    start = base
    for i, joint in enumerate(model.joints):
        own = slice(start, start + joint.nv)
        origin = np.append((joints[i] if at == "joint" else pose[i + 1])[:3, 3], 1.0)
        local = (np.linalg.inv(pose[i + 1]) @ origin)[:3]
        J = reference.point_jacobian(model, x, u, i + 1, local)[0][:, own]
        close(J.T @ found[i + 1], driving[own], 1e-11)
        start += joint.nv


def test_pinocchio_agrees(case: Case):
    import pinocchio as pin

    model, x, u = case.model, case.x, case.u
    robot, mapping = peers.to_pinocchio(model)
    robot.gravity.linear = case.gravity
    data, q, v = robot.createData(), mapping.position(x), mapping.velocity(x, u)
    M = np.triu(pin.crba(robot, data, q))
    h = pin.nonLinearEffects(robot, data, q, v)
    H, c = mapping.equations(x, u, M + np.triu(M, 1).T, h)
    close(H, reference.mass_matrix(model, x), TIGHT)
    close(c, reference.bias_force(model, x, u, case.gravity), TIGHT)
    a = mapping.acceleration(x, u, case.udot)
    F = reference.inverse_dynamics(model, x, u, case.udot, gravity=case.gravity, passive=False)
    close(mapping.rate_map(x).T @ pin.rnea(robot, data, q, v, a), F, TIGHT)
    if model.base_kind == "free":
        got = mapping.accelerations(x, u, pin.aba(robot, data, q, v, mapping.forces(x, F)))
        close(got, case.udot, 1e-11)
    pin.forwardKinematics(robot, data, q, v, a)
    pin.computeJointJacobians(robot, data, q)
    pin.updateFramePlacements(robot, data)
    wanted = zip(
        reference.endpoint_poses(model, x),
        reference.endpoint_jacobians(model, x)[0],
        reference.endpoint_accelerations(model, x, u, case.udot),
        strict=True,
    )
    for endpoint, (pose, jacobian, acceleration) in zip(model.endpoints, wanted, strict=True):
        frame, axes = robot.getFrameId(endpoint.name), pin.LOCAL_WORLD_ALIGNED
        close(data.oMf[frame].homogeneous, pose, TIGHT)
        close(pin.getFrameJacobian(robot, data, frame, axes) @ mapping.rate_map(x), jacobian, TIGHT)
        close(pin.getFrameClassicalAcceleration(robot, data, frame, axes).vector, acceleration, TIGHT)


def test_mujoco_agrees(case: Case):
    import mujoco

    model, x, u = case.model, case.x, case.u
    robot, mapping = peers.to_mujoco(model)
    robot.opt.gravity[:] = case.gravity
    F = reference.inverse_dynamics(model, x, u, case.udot, gravity=case.gravity, passive=False)
    data, M = mujoco.MjData(robot), np.zeros((robot.nv, robot.nv))
    data.qpos[:], data.qvel[:] = mapping.position(x), mapping.velocity(x, u)
    data.qfrc_applied[:] = mapping.forces(x, F)
    mujoco.mj_forward(robot, data)
    mujoco.mj_fullM(robot, data, M)
    H, c = mapping.equations(x, u, M, data.qfrc_bias)
    close(H, reference.mass_matrix(model, x), TIGHT)
    close(c, reference.bias_force(model, x, u, case.gravity), TIGHT)
    if unconstrained(model):
        close(mapping.accelerations(x, u, data.qacc), case.udot, 1e-11)
    for k, endpoint in enumerate(model.endpoints):
        J = np.zeros((6, robot.nv))
        mujoco.mj_jacSite(robot, data, J[:3], J[3:], robot.site(endpoint.name).id)
        close(J @ mapping.rate_map(x), reference.endpoint_jacobians(model, x)[0][k], TIGHT)


def unconstrained(model: Model) -> bool:
    """Whether MuJoCo's own coordinates are as many as ours, so that its accelerations are the answer."""
    return model.base_kind == "free" and all(joint.kind != "helical" for joint in model.joints)


@pytest.mark.parametrize("n", [3, 8, 16])
def test_accelerations_of_mujoco_without_screws(n: int):
    import mujoco

    rng = np.random.default_rng(n)
    kinds = tuple(kind for kind in JOINT_KINDS if kind != "helical")
    model = random_model(rng, n, base_kind="free", kinds=kinds)
    assert unconstrained(model)
    (x, u), F = random_flat_state(rng, model), rng.uniform(-1.0, 1.0, model.nv)
    robot, mapping = peers.to_mujoco(model)
    data = mujoco.MjData(robot)
    data.qpos[:], data.qvel[:] = mapping.position(x), mapping.velocity(x, u)
    data.qfrc_applied[:] = mapping.forces(x, F)
    mujoco.mj_forward(robot, data)
    wanted = reference.forward_dynamics(model, x, u, F, gravity=robot.opt.gravity)
    close(mapping.accelerations(x, u, data.qacc), wanted, 1e-11)
    close(mapping.rates(x, data.qvel), u, TIGHT)
