"""Laws without branches on values run over packs: for all robots of a pack at once, and to the bit as one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.laws.pack_laws import compile_over_packs, is_straight

pytestmark = pytest.mark.packs
STIFFNESS = 3.0


@sd.law(states={"sum": 1})
def straight(t, s, p, out):
    """Joints, the base, a hand, a state; sums of numbers and packs, parameters, a global number, the time."""
    effort = 0.0
    for i in range(s.q.size):
        out.tau[i] = -STIFFNESS * s.q[i] - p.kd[i] * s.qd[i] + 0.1 * t
        effort += out.tau[i] * out.tau[i]
    for i in range(len(s.base_velocity)):
        out.base_wrench[i] = -p.kv * s.base_velocity[i] / (1.0 + effort) - 0.1 * s.sum[0]
        out.endpoint_wrenches[0, i] = -0.01 * s.endpoints[0, 12 + i]
    out.sum[0] = effort - s.sum[0]


@sd.law(states={"sum": 1})
def branching(t, s, p, out):
    """The same, with a branch that is never taken: it is called robot by robot."""
    effort = 0.0
    for i in range(s.q.size):
        out.tau[i] = -STIFFNESS * s.q[i] - p.kd[i] * s.qd[i] + 0.1 * t
        effort += out.tau[i] * out.tau[i]
    for i in range(len(s.base_velocity)):
        out.base_wrench[i] = -p.kv * s.base_velocity[i] / (1.0 + effort) - 0.1 * s.sum[0]
        out.endpoint_wrenches[0, i] = -0.01 * s.endpoints[0, 12 + i]
    if effort < -1.0:
        out.tau[0] = np.sin(s.q[0])
    out.sum[0] = effort - s.sum[0]


@sd.law
def with_functions(t, s, p, out):
    out.tau[0] = np.sin(s.q[0])


@sd.law
def with_choice(t, s, p, out):
    out.tau[0] = 1.0 if s.q[0] > 0.0 else -1.0


@sd.law
def with_arrays(t, s, p, out):
    out.tau[0] = (2.0 * s.q)[0] ** 2


def test_over_a_pack_each_robot_gets_what_it_would_get_alone_to_the_bit():
    robot = sd.load("two_arm_sample")
    start = robot.random_state(np.random.default_rng(1), 2 * LANES + 1)  # the last pack has one robot
    given = {"kd": np.linspace(0.5, 1.0, robot.n), "kv": 0.3}
    assert compile_over_packs(straight(**given)) is not None
    assert compile_over_packs(branching(**given)) is None
    for method in (sd.RungeKutta4(0.01), sd.DormandPrince5()):
        one, other = (
            sd.simulate(robot, start, 0.2, laws=[law(**given)], method=method, record=0.1, progress=False)
            for law in (straight, branching)
        )
        for name in ("x", "u", "law_states", "forces", "base_wrench", "endpoint_wrenches"):
            assert_array_equal(one[name], other[name], err_msg=name)
        assert np.abs(np.asarray(one["law_states"])).max() > 0.0


@pytest.mark.parametrize("law", [with_functions, with_choice])
def test_what_branches_on_values_or_calls_functions_is_not_tried(law):
    assert not is_straight(law().function)


def test_what_packs_cannot_do_runs_robot_by_robot():
    assert is_straight(with_arrays().function)
    assert compile_over_packs(with_arrays()) is None
    robot = sd.load("planar_four_link")
    many = robot.state(q=0.1 * np.ones((3, robot.n)))
    run = sd.simulate(robot, many, 0.01, laws=[with_arrays()], progress=False)
    assert run["forces"].max() == pytest.approx((2.0 * 0.1) ** 2, rel=1e-3)  # the first joint's, at the start


def test_a_sampled_law_is_called_robot_by_robot():
    assert compile_over_packs(straight(kd=np.ones(4), kv=1.0, period=0.1)) is None
