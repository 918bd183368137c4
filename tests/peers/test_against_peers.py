"""Pinocchio and MuJoCo agree to 1e-10, on random trees of every kind of joint and base, for one robot and for batches.

Both peers know only a base with six degrees of freedom. Where ours has fewer, the equations of motion are projected
(peers.CoordinateMap), and accelerations are had a second way: the peer's base, left free, gets the
wrench that holds ours.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import spacedyn as sd
from moving_frames import base_map
from random_trees import random_flat_state, random_model
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS
from spacedyn.peers import robots as peers

BOUND = 1e-10
MIXED = [(base, seed, None) for base in BASE_KINDS for seed in range(16)]
PURE = [(base, 0, kind) for base in BASE_KINDS for kind in JOINT_KINDS]  # trees of one kind of joint
ROBOTS = 5  # of each tree: a batch that fills no whole pack


def near(found, wanted) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    scale = max(1.0, np.abs(wanted).max(initial=0.0))
    error = np.abs(found - wanted).max(initial=0.0) / scale
    assert error <= BOUND, f"relative error {error:.2e}"


class Case:
    """A random tree in a few random states, each with its own loads; what our functions say of the batch."""

    def __init__(self, base: str, seed: int, kind: str | None):
        rng = np.random.default_rng([seed, *map(ord, base + (kind or ""))])
        joints = 3 if kind else int(rng.integers(0, 15))
        self.model = model = random_model(rng, joints, base_kind=base, kinds=(kind,) if kind else None)
        states = [random_flat_state(rng, model) for _ in range(ROBOTS)]
        self.x, self.u = (np.array(part) for part in zip(*states, strict=True))
        self.state = state_of(model, self.x, self.u)
        self.udot = rng.uniform(-2.0, 2.0, (ROBOTS, model.nv))
        self.tau = rng.uniform(-3.0, 3.0, (ROBOTS, model.nv - model.base_dof))
        self.base_wrench = rng.uniform(-5.0, 5.0, (ROBOTS, 6))
        self.wrenches = rng.uniform(-5.0, 5.0, (ROBOTS, len(model.endpoints), 6))
        self.gravity = rng.uniform(-9.0, 9.0, 3)
        self.given = [name for name in (model.bodies[0].name, *model.joint_names) if rng.random() < 0.5]
        self.ours = self.answers()

    def answers(self, robot: int | slice = slice(None)) -> "Answers":
        loads = {
            "gravity": self.gravity,
            "base_wrench": self.base_wrench[robot],
            "endpoint_wrenches": self.wrenches[robot],
        }
        state = self.state if isinstance(robot, slice) else self.state[robot]
        return answers(self.model, state, self.given, self.udot[robot], self.tau[robot], loads)

    @property
    def given_rates(self) -> np.ndarray:
        """(nv,) of bool: rates whose acceleration is given in hybrid dynamics."""
        mask, names = np.zeros(self.model.nv, dtype=bool), [self.model.bodies[0].name, *self.model.joint_names]
        parts = [slice(self.model.base_dof), *(self.model.u_slice(k) for k in range(self.model.n))]
        for part in (part for name, part in zip(names, parts, strict=True) if name in self.given):
            mask[part] = True
        return mask

    def applied(self, robot: int) -> np.ndarray:
        """Our generalized force of joint forces and base wrench."""
        F = base_map(self.model).T @ self.base_wrench[robot]
        F[self.model.base_dof :] += self.tau[robot]
        return F

    def holding(self, robot: int) -> np.ndarray:
        """The whole wrench on the base, at its centre of mass: what is given, and what holds the base."""
        return self.base_wrench[robot] + self.ours.holding[robot]


def state_of(model: sd.Model, x: np.ndarray, u: np.ndarray) -> sd.State:
    base = np.zeros((*u.shape[:-1], 6)) + u @ base_map(model).T
    parts = {"base_position": x[..., :3], "base_quaternion_xyzw": x[..., 3:7], "q": x[..., 7:]}
    rates = {"base_velocity": base[..., :3], "base_rate": base[..., 3:], "qd": u[..., model.base_dof :]}
    return model.state(**parts, **rates)


@dataclass
class Answers:
    """What this package says of a state, or of a batch of them."""

    H: np.ndarray
    bias: np.ndarray
    forces: np.ndarray  # inverse dynamics under all loads
    reactions: np.ndarray  # of joints and base during that
    udot: np.ndarray  # forward dynamics under all loads
    holding: np.ndarray  # on the base during that
    com: np.ndarray
    momentum: np.ndarray  # about the centre of mass
    momentum_rate: np.ndarray  # for the accelerations of inverse dynamics, and so are the endpoints'
    ends: np.ndarray  # accelerations of the endpoints, by the Jacobian and its rate
    mixed_udot: np.ndarray  # hybrid dynamics under all loads
    mixed_forces: np.ndarray


def answers(model, state, given, udot, tau, loads) -> Answers:
    accelerations = sd.forward_dynamics(model, state, tau, **loads)
    matrices = [(sd.momentum_matrix(model, state, about="com"), sd.momentum_matrix_rate(model, state, about="com"))]
    for name in model.endpoint_names:
        matrices.append((sd.endpoint_jacobian(model, state, name), sd.endpoint_jacobian_rate(model, state, name)))
    mixed = sd.hybrid_dynamics(model, state, given, udot, tau, **loads)
    rates = [(A @ udot[..., None] + rate @ state.u[..., None])[..., 0] for A, rate in matrices]
    return Answers(
        H=sd.mass_matrix(model, state),
        bias=sd.bias_force(model, state, gravity=loads["gravity"]),
        forces=sd.inverse_dynamics(model, state, udot, **loads),
        reactions=sd.joint_reactions(model, state, udot, **loads),
        udot=accelerations,
        holding=sd.joint_reactions(model, state, accelerations, **loads)[..., 0, :],
        com=sd.center_of_mass(model, state),
        momentum=sd.momentum(model, state, about="com"),
        momentum_rate=rates[0],
        ends=np.stack(rates[1:], axis=-2),
        mixed_udot=mixed.udot,
        mixed_forces=mixed.forces,
    )


@pytest.fixture(params=MIXED + PURE, ids=lambda p: f"{p[0]}-{p[2] or p[1]}", scope="module")
def case(request) -> Case:
    return Case(*request.param)


def base_force(mapping: peers.CoordinateMap, x: np.ndarray, wrench: np.ndarray, size: int) -> np.ndarray:
    """The peer's generalized force of a wrench on the base: inertial axes here, the base's axes in part there."""
    R = sd.Rotation.from_quat(x[3:7]).as_matrix()
    force = wrench[:3] if mapping.like_mujoco else R.T @ wrench[:3]
    return np.concatenate([force, R.T @ wrench[3:], np.zeros(size - 6)])


def joint_force(mapping: peers.CoordinateMap, x: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The peer's generalized force of our joint forces, with nothing on its base; no screw that it splits in two."""
    B = mapping.rate_map(x)[:, mapping.model.base_dof :]
    return B @ tau


def test_a_batch_and_its_robots_one_by_one_say_the_same(case):
    for i in range(ROBOTS):
        alone = case.answers(i)
        for name, value in vars(alone).items():
            near(getattr(case.ours, name)[i], value)


class Pinocchio:
    """One robot of a case there, and the equations of motion brought back."""

    def __init__(self, case: Case, i: int):
        self.robot, mapping = peers.to_pinocchio(case.model)
        self.robot.gravity.linear = case.gravity
        self.data, x, u = self.robot.createData(), case.x[i], case.u[i]
        self.state = self.robot, self.data, mapping.position(x), mapping.velocity(x, u)
        self.B, self.transport = mapping.rate_map(x), mapping.transport(x, u)
        self.outer = pinocchio_wrenches(case.model, *self.state[:3], case.wrenches[i])
        M = np.triu(pin.crba(*self.state[:3]))
        self.H, self.bias = mapping.equations(x, u, M + np.triu(M, 1).T, pin.nonLinearEffects(*self.state))
        self.motion = mapping.acceleration(x, u, case.udot[i])
        self.rest = self.B.T @ pin.rnea(*self.state, self.transport, self.outer)  # bias, less the endpoint wrenches
        # on a base left free: the wrench that holds ours, and the joint forces
        self.force = base_force(mapping, x, case.holding(i), self.robot.nv) + joint_force(mapping, x, case.tau[i])


@pytest.mark.parametrize("i", range(ROBOTS))
def test_dynamics_of_pinocchio(case, i):
    there, push = Pinocchio(case, i), base_map(case.model).T @ case.base_wrench[i]
    near(case.ours.H[i], there.H)
    near(case.ours.bias[i], there.bias)
    needed = pin.rnea(*there.state, there.motion, there.outer)
    near(case.ours.forces[i], there.B.T @ needed - push)
    near(case.ours.udot[i], np.linalg.solve(there.H, case.applied(i) - there.rest))
    a = pin.aba(*there.state, there.force, there.outer)
    near(there.B @ case.ours.udot[i] + there.transport, a)

    given = case.given_rates
    mixed = np.where(given, case.udot[i], 0.0)
    left = case.applied(i) - there.rest - there.H @ mixed
    mixed[~given] = np.linalg.solve(there.H[np.ix_(~given, ~given)], left[~given])
    near(case.ours.mixed_udot[i], mixed)
    near(case.ours.mixed_forces[i], there.H @ mixed + there.rest - push)


@pytest.mark.parametrize("i", range(ROBOTS))
def test_reactions_of_pinocchio(case, i):
    there = Pinocchio(case, i)
    pin.rnea(*there.state, there.motion, there.outer)

    def across(joint: str) -> np.ndarray:
        index = there.robot.getJointId(joint)
        R, f = there.data.oMi[index].rotation, there.data.f[index]
        return np.concatenate([R @ f.linear, R @ f.angular])

    near(case.ours.reactions[i, 0] + case.base_wrench[i], across("base"))
    for k, joint in enumerate(case.model.joints):
        if joint.kind != "fixed":  # which is not there
            near(case.ours.reactions[i, k + 1], across(joint.name))


@pytest.mark.parametrize("i", range(ROBOTS))
def test_momentum_and_endpoints_of_pinocchio(case, i):
    there = Pinocchio(case, i)
    rate = pin.computeCentroidalMomentumTimeVariation(*there.state, there.motion)
    near(case.ours.com[i], there.data.com[0])
    near(case.ours.momentum[i], there.data.hg.vector)
    near(case.ours.momentum_rate[i], rate.vector)
    pin.forwardKinematics(*there.state, there.motion)
    for k, name in enumerate(case.model.endpoint_names):
        frame = there.robot.getFrameId(name)
        a = pin.getFrameClassicalAcceleration(there.robot, there.data, frame, pin.LOCAL_WORLD_ALIGNED)
        near(case.ours.ends[i, k], a.vector)


def pinocchio_wrenches(model, robot, data, q, wrenches):
    """Wrenches at endpoints in inertial axes, as Pinocchio wants them: summed in the frames of its joints."""
    pin.framesForwardKinematics(robot, data, q)
    forces = [pin.Force.Zero() for _ in range(robot.njoints)]
    for endpoint, wrench in zip(model.endpoints, wrenches, strict=True):
        index = robot.getFrameId(endpoint.name)
        frame, turned = robot.frames[index], data.oMf[index].rotation.T
        local = pin.Force(turned @ wrench[:3], turned @ wrench[3:])
        forces[frame.parentJoint] += frame.placement.act(local)
    return pin.StdVec_Force(forces)


def test_mujoco(case):
    model = case.model
    robot, mapping = peers.to_mujoco(model)
    robot.opt.gravity[:] = case.gravity
    data, M = mujoco.MjData(robot), np.zeros((robot.nv, robot.nv))
    split = any(mapping.split_screw(k) for k in range(model.n))
    for i in range(ROBOTS):
        x, u = case.x[i], case.u[i]
        B = mapping.rate_map(x)
        data.qpos[:], data.qvel[:] = mapping.position(x), mapping.velocity(x, u)
        mujoco.mj_forward(robot, data)
        outer = mujoco_wrenches(model, robot, data, case.wrenches[i])
        mujoco.mj_fullM(robot, data, M)
        H, c = mapping.equations(x, u, M, data.qfrc_bias)
        near(case.ours.H[i], H)
        near(case.ours.bias[i], c)
        near(case.ours.udot[i], np.linalg.solve(H, case.applied(i) + B.T @ outer - c))
        if not split:  # a screw that is two joints there needs a force between them that nobody knows
            force = base_force(mapping, x, case.holding(i), robot.nv) + joint_force(mapping, x, case.tau[i])
            data.qfrc_applied[:] = force + outer
            mujoco.mj_forward(robot, data)
            near(B @ case.ours.udot[i] + mapping.transport(x, u), data.qacc)
            data.qfrc_applied[:] = 0.0


def mujoco_wrenches(model, robot, data, wrenches) -> np.ndarray:
    """MuJoCo's generalized force of wrenches at endpoints, in inertial axes."""
    force = np.zeros(robot.nv)
    for endpoint, wrench in zip(model.endpoints, wrenches, strict=True):
        site = robot.site(endpoint.name)
        body = int(site.bodyid[0])
        mujoco.mj_applyFT(robot, data, wrench[:3], wrench[3:], data.site_xpos[site.id], body, force)
    return force


def test_mujoco_takes_flat_discs_however_they_lie():
    """A disc's largest moment is the sum of the others: rounding may make it larger, which MuJoCo refuses."""
    rng = np.random.default_rng(0)
    disc = np.diag([0.05, 0.05, 0.1])
    for turn in sd.Rotation.random(50, random_state=rng).as_matrix():
        b = sd.Builder("disc")
        b.base("disc", mass=9.0, inertia=turn @ disc @ turn.T)
        robot, _ = peers.to_mujoco(b.build())
        np.testing.assert_allclose(robot.body_inertia[1], [0.05, 0.05, 0.1], rtol=1e-12)
    with pytest.raises(ValueError, match="A \\+ B >= C"):  # what is more than rounding is MuJoCo's to say
        peers.to_mujoco(sd.load("ets7"))
