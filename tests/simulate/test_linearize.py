"""Derivatives of the right-hand side that is integrated: against differences, in closed loop, and refusals."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model, random_state_parts
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS
from spacedyn.simulate.linearize import _names

pytestmark = pytest.mark.packs

STEP = 1e-6


@sd.law(states={"filtered": 2})
def busy(t, s, p, out):
    """Nonlinear, with states, seeing and commanding everything."""
    for i in range(s.qd.size):
        out.tau[i] = p.kp * np.sin(s.q[i]) - s.qd[i] * s.qd[i] * s.qd[i] + s.filtered[i % 2]
    for i in range(3):
        out.base_wrench[i] = s.base_position[i] * s.base_velocity[(i + 1) % 3] - s.com[i] * s.linear_momentum[i]
        out.base_wrench[3 + i] = s.base_rate[i] - s.base_quaternion_xyzw[i] * s.angular_momentum[i]
        out.endpoint_wrenches[0, i] = s.endpoints[0, i] * np.cos(t)
        out.endpoint_wrenches[0, 3 + i] = s.endpoints[0, 3 + i] - s.endpoints[0, 12 + i]
    out.filtered[0] = s.qd[0] - 2.0 * s.filtered[0]
    out.filtered[1] = s.q[0] * s.filtered[1] + s.filtered[0]


def rates(model, state, given):
    """Rates of rates, from the record of a simulation that has just begun."""
    run = sd.simulate(
        model, state, 1e-9, record=[0.0], method=sd.RungeKutta4(1e-9), budget=np.inf, limits=False, **given
    )
    return np.asarray(run["udot"])[0]


def difference_matrix(model, state, given):
    """A by central differences: the chart's rows through State.integrate and State.difference."""
    nv = model.nv
    A = np.zeros((2 * nv, 2 * nv))
    for j in range(2 * nv):
        d = STEP * np.eye(2 * nv)[j]
        ends = []
        for side in (1.0, -1.0):
            there = state.integrate(side * d[:nv], state.u + side * d[nv:])
            e = 1e-4  # velocity of the chart's coordinates: symmetric, so that its error is of the second order
            there_and_back = [state.difference(there.integrate(way * e * there.u)) for way in (1.0, -1.0)]
            s_rate = (there_and_back[0] - there_and_back[1]) / (2 * e)
            ends.append(np.concatenate([s_rate, rates(model, there, given)]))
        A[:, j] = (ends[0] - ends[1]) / (2 * STEP)
    return A


@pytest.mark.parametrize("base", BASE_KINDS)
def test_against_differences_with_forces_and_passive_joints(base):
    rng = np.random.default_rng([1, *map(ord, base)])
    model = random_model(rng, 5, base_kind=base, passive=True)
    state = model.state(**random_state_parts(rng, model))
    names = model.body_names
    given = {
        "gravity": [0.5, -1.0, -9.0],
        "forces": [
            sd.Spring(names[1], names[-1], stiffness=30.0, damping=2.0, rest_length=0.1),
            sd.Drag(names[-1], linear=0.7, angular=0.2),
            sd.Wrench(names[2], force=[1.0, 2.0, 3.0], moment=[0.3, 0.2, 0.1], frame="body"),
        ],
    }
    found = sd.linearize(model, state, **given).A
    wanted = difference_matrix(model, state, given)
    np.testing.assert_allclose(found, wanted, atol=2e-6 * np.abs(wanted).max())


def test_against_differences_with_a_law_that_sees_all():
    rng = np.random.default_rng(5)
    model = random_model(rng, 4, base_kind="free", kinds=("revolute", "spherical", "prismatic"))
    state, z, nv = model.random_state(rng), np.array([0.3, -0.4]), model.nv
    law = busy(kp=3.0).starting(filtered=z)
    found = sd.linearize(model, state, laws=[law]).A
    wanted = difference_matrix(model, state, {"laws": [law]})
    np.testing.assert_allclose(found[: 2 * nv, : 2 * nv], wanted, atol=1e-6 * np.abs(wanted).max())

    # its states: forces of joints 0, 2, 4 ... and 1, 3, 5 ... are one more per unit of each
    inverse = sd.mass_matrix_inverse(model, state)[:, 6:]
    np.testing.assert_allclose(found[nv : 2 * nv, 2 * nv], inverse[:, ::2].sum(axis=1), atol=1e-7)
    np.testing.assert_allclose(found[nv : 2 * nv, 2 * nv + 1], inverse[:, 1::2].sum(axis=1), atol=1e-7)
    rows = np.zeros((2, 2 * nv + 2))
    rows[0, nv + 6], rows[0, 2 * nv] = 1.0, -2.0
    assert model.joints[0].kind != "spherical"
    rows[1, 6], rows[1, 2 * nv], rows[1, 2 * nv + 1] = z[1], 1.0, state.q[0]
    np.testing.assert_allclose(found[2 * nv :], rows, atol=1e-9)


def test_small_motion_follows_the_matrices():
    """exp(A t) of a small deviation, and the response to a small constant force, against the simulation."""
    from scipy.linalg import expm

    robot = sd.load("ets7")

    @sd.law
    def hold(t, s, p, out):
        for i in range(s.q.size):
            out.tau[i] = p.kp * (p.target[i] - s.q[i]) - p.kd * s.qd[i]
        out.tau[0] += p.push

    rest = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    law = hold(kp=40.0, kd=60.0, target=rest.q, push=0.0)
    motion = sd.linearize(robot, rest, laws=[law])
    assert (motion.eigenvalues().real < 1e-9).all()  # drifting bases neither grow nor die out
    d = 1e-5 * np.random.default_rng(2).normal(size=2 * robot.nv)
    moved = sd.simulate(robot, rest.integrate(d[: robot.nv], d[robot.nv :]), 5.0, laws=[law]).final
    predicted = expm(5.0 * motion.A) @ d
    np.testing.assert_allclose(rest.difference(moved), predicted[: robot.nv], atol=1e-8)
    np.testing.assert_allclose(moved.u, predicted[robot.nv :], atol=1e-8)

    force, n = 1e-4 * np.eye(robot.nv)[robot.base_dof], 2 * robot.nv
    pushed = sd.simulate(robot, rest, 5.0, laws=[hold(kp=40.0, kd=60.0, target=rest.q, push=1e-4)]).final
    augmented = np.zeros((n + 1, n + 1))
    augmented[:n, :n], augmented[:n, n] = motion.A, motion.B @ force
    predicted = expm(5.0 * augmented)[:n, n]
    np.testing.assert_allclose(rest.difference(pushed), predicted[: robot.nv], atol=1e-9)


def test_deviations_of_joints_have_names():
    b = sd.Builder("mixed", base="planar")
    solid = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5)}
    b.base("bus", **solid)
    for kind in ("revolute", "universal", "spherical", "free"):
        b.link(kind, kind, parent="bus", **solid)
    names = _names(b.build(), [], [])
    turns = ("turn x", "turn y", "turn z")
    universal = [f"universal {part}" for part in JOINT_KINDS["universal"].coordinates]
    expected = ["bus x", "bus y", "bus turn z", "revolute", *universal, *(f"spherical {one}" for one in turns)]
    expected += [f"free {one}" for one in ("x", "y", "z", *turns)]
    assert names == (*expected, *(f"{one} rate" for one in expected))


def test_prescribed_joints_do_not_deviate():
    robot = sd.load("ets7")
    state = robot.random_state(np.random.default_rng(0)).integrate(np.zeros(12))
    still = robot.state(q=state.q)
    locked = sd.linearize(robot, still, prescribed={"joint2": "locked"})
    k = robot.u_slice("joint2").start
    for index in (k, robot.nv + k):
        assert not locked.A[index].any() and not locked.A[:, index].any() and not locked.B[index].any()
    other = robot.lock(["joint2"], still)
    same = sd.linearize(other, other.state(q=np.delete(still.q, 1)))
    keep = np.delete(np.arange(24), [k, 12 + k])
    np.testing.assert_allclose(locked.A[np.ix_(keep, keep)], same.A, atol=1e-10)
    np.testing.assert_allclose(np.delete(locked.B[keep], k, axis=1), same.B, atol=1e-12)


def test_what_cannot_be_linearized_is_refused():
    robot = sd.load("planar_four_link")

    @sd.law(period=0.1)
    def sampled(t, s, p, out):
        out.tau[0] = -s.q[0]

    with pytest.raises(sd.InputError, match=r"sampled every 0\.1 s"):
        sd.linearize(robot, robot.neutral_state(), laws=[sampled()])
    found = sd.linearize(robot, robot.neutral_state(), laws=[sampled()], sampled_as_continuous=True)
    assert found.A[7 + 3, 3] < -0.1

    @sd.law
    def careless(t, s, p, out):
        out.tau[s.qd.size] = 1.0

    with pytest.raises(sd.InputError, match="law 'careless' raised IndexError: index 4 is out of bounds"):
        sd.linearize(robot, robot.neutral_state(), laws=[careless()])
    with pytest.raises(sd.InputError, match="batch"):
        sd.linearize(robot, robot.random_state(np.random.default_rng(0), (2,)))
