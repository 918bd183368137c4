"""Numbers near the largest float, and what is no number in places where few look: our errors, no warning of NumPy."""

import warnings

import numpy as np
import pytest

import spacedyn as sd
from spacedyn import classic

LP = classic.LinkParameters.from_model(sd.load("two_arm_sample"))


@pytest.fixture
def SV() -> classic.StateVariables:
    classic.set_globals(LP, d_time=0.01)
    SV = classic.init_SV(LP)
    SV.AA = classic.calc_aa(SV.A0, SV.q)
    SV.RR = classic.calc_pos(SV.R0, SV.A0, SV.AA, SV.q)
    return SV


def one_link(mass: float = 2.0, inertia: tuple[float, ...] = (0.1, 0.2, 0.25)) -> sd.Model:
    b = sd.Builder("one link")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    b.link("arm", parent="bus", mass=mass, inertia=inertia)
    return b.build()


def test_operands(SV):
    robot = one_link()
    state = robot.neutral_state()
    with pytest.raises(sd.InputError, match=r"generalized_inertia_forces: .* too large"):
        sd.kane.generalized_inertia_forces(robot, state, np.full(robot.nv, 1e308))
    with pytest.raises(sd.InputError, match=r"reduced_equations: .* too large"):
        sd.lagrangian.reduced_equations(robot, state.replace(qd=[1.0]), np.full(6, 1e200))
    for batch in (state, robot.random_state(np.random.default_rng(0), 20)):
        udot = np.full((*batch.shape, robot.nv), 1e200)
        assert np.isfinite(sd.center_of_mass_acceleration(robot, batch, udot)).all()  # their squares are infinite
        udot[..., -1] = np.nan
        with pytest.raises(sd.InputError, match="must be finite"):
            sd.center_of_mass_acceleration(robot, batch, udot)


def test_a_quaternion_of_infinite_length():
    with pytest.raises(sd.InputError, match="has length inf"):
        one_link().state(base_quaternion_xyzw=[1e200, 0, 0, 1e200])


def test_a_link_of_next_to_no_mass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.ModelWarning)
        assert one_link(1e-308, (10.0, 20.0, 25.0)).flat is not None


def test_masked_numbers_in_a_list():
    missing = np.ma.array(1.0, mask=True)
    with pytest.raises(sd.ModelError, match="masked"):
        b = sd.Builder("cone")
        b.base("bus", shapes=[sd.shapes.cone(1.0, 1.0, missing)])
        b.build()
    with pytest.raises(sd.InputError, match="masked"):
        one_link().state(q=[missing])


def test_a_duration_shorter_than_anything():
    robot = sd.load("tian_wu")
    with pytest.raises(sd.InputError, match="too short to be simulated"):
        sd.simulate(robot, robot.neutral_state(), 5e-324)


def test_a_step_beyond_any_float():
    step = '\n[method]\nname = "RungeKutta4"\nstep = 1' + "0" * 400
    with pytest.raises(sd.ScenarioError, match="step"):
        sd.Scenario.from_toml('robot = "tian_wu"\nduration = 1.0' + step).check()


def test_the_axis_of_a_fixed_joint_is_not_looked_at():
    text = sd.load("tian_wu").to_urdf(lossy=True)
    fixed = '<link name="tip"/><joint name="f" type="fixed"><parent link="base"/><child link="tip"/>'
    fixed += '<axis xyz="1e-308"/></joint>'
    assert "tip" in sd.Model.from_urdf(text.replace("</robot>", fixed + "</robot>")).endpoint_names


@pytest.mark.parametrize("size", [1e308, 1e-308])
def test_the_normal_of_a_plane_may_have_any_length(size):
    robot = sd.load("tian_wu")
    event = sd.Event(sd.endpoint_reaches(robot.endpoint_names[0], (0, 0.5, 0), (0, size, 0)), terminal=True)
    run = sd.simulate(robot, robot.state(qd=[0.3, 0, 0]), 10.0, events=[event])
    assert run.status == "event"


def test_curves_and_ties_out_of_bounds():
    with pytest.raises(sd.InputError, match="too large"):
        sd.table([0.0, 1e200, 2.5e200], [[0.0], [1.0], [0.5]])
    robot = sd.load("tian_wu")
    for multiplier in (np.array(1e308), 1e308, np.nan):
        ties = [sd.Mimic("joint1", "joint2", 1e308), sd.Mimic("joint2", "joint3", multiplier)]
        with pytest.raises(sd.InputError, match="multiplier"):
            sd.mimic_coupling(robot, ties)


@pytest.mark.parametrize("shapes", [None, 3, [None], ["box"], np.array(1.0), [sd.shapes.point(1.0), 2]])
def test_what_is_no_shape(shapes):
    with pytest.raises(sd.InputError, match="expected a list of shapes"):
        sd.shapes.combine(shapes)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda SV: classic.dc2rpy(1e308 * np.eye(3)), "up to 1e.100"),
        (lambda SV: classic.dc2rpy(1e90 * np.eye(3)), "orthonormal"),
        (lambda SV: classic.aw([1e90, 0, 0]), "too large"),
        (lambda SV: classic.aw([1e90, 0, 0], d_time=1e90), "too large"),
        (lambda SV: classic.calc_jr(-SV.AA), "AA of link 1"),
        (lambda SV: classic.calc_jr(1e99 * SV.AA), "AA of link 1"),
        (lambda SV: classic.tilde([[1], [2, 3]]), "rows of different lengths"),
        (lambda SV: classic.calc_jre(SV.AA, [[1], [2, 3]]), "rows of different lengths"),
        (lambda SV: classic.parents(1e308 * LP.SS, LP.S0), "column 1 of SS"),
        (lambda SV: classic.parents(np.full_like(LP.SS, "a", dtype=object), LP.S0), "SS"),
    ],
)
def test_classic_functions(SV, call, words):
    with pytest.raises(sd.InputError, match=words):
        call(SV)


def test_a_field_of_SV_with_rows_of_different_lengths(SV):
    SV.ww = [[1], [2, 3]]
    with pytest.raises(sd.InputError, match=r"SV\.ww: expected numbers"):
        classic.calc_pos(LP, SV)


def test_a_goal_out_of_all_reach(SV):
    with pytest.raises(sd.InputError, match=r"POS is 1.0e\+99 m away"):
        classic.i_kine(LP, SV, [1e99, 0, 0], np.eye(3), SV.q, 1)
    with pytest.warns(sd.RunWarning, match=r"stays 1e\+11 m"):
        q = classic.i_kine(LP, SV, [1e11, 0, 0], np.eye(3), SV.q, 1)
    assert np.isfinite(q).all()
