"""Files and calls found by fuzzing: each gave a foreign traceback, a warning, a hang, a crash or a wrong result."""

import numpy as np
import pytest
import xarray

import spacedyn as sd
from spacedyn.scenario.figure_names import figure_names
from spacedyn.simulate.setup import build_steppers
from spacedyn.simulate.stepper.snapshot import restore, snapshot

URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial>{visual}</link><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="j" type="{kind}"><parent link="a"/><child link="b"/>
<axis xyz="{axis} 0 0"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="b"><joint name="j" {joint}/><geom type="sphere" size="0.1" mass="2" {geom}/>
</body></worldbody></mujoco>"""


def test_the_axis_of_a_fixed_joint_may_be_anything(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(URDF.format(visual="", kind="fixed", axis="1" + "0" * 400))
    assert sd.load(file).n == 0


def test_a_mesh_whose_name_is_too_long_for_a_file_is_missing(tmp_path):
    mesh = f'<visual><geometry><mesh filename="package://p/{"m" * 3000}.dae"/></geometry></visual>'
    file = tmp_path / "r.urdf"
    file.write_text(URDF.format(visual=mesh, kind="revolute", axis="1").replace("<axis", '<limit effort="1"/><axis'))
    with pytest.warns(sd.ModelWarning):
        assert sd.load(file).n == 1


def test_a_name_that_ends_mujoco_is_refused(tmp_path):
    file = tmp_path / "r.xml"
    file.write_text(MJCF.format(joint="", geom='class="%s%n"'))
    with pytest.raises(sd.ModelError, match="takes '%' for a command"):
        sd.load(file)


def test_an_included_file_whose_name_is_too_long_is_refused(tmp_path):
    file = tmp_path / "r.xml"
    file.write_text(MJCF.format(joint="", geom="").replace("<worldbody>", f'<include file="{"x" * 3000}"/><worldbody>'))
    with pytest.raises(sd.ModelError):
        sd.load(file)


def test_the_larger_side_of_an_infinite_range_gives_no_warning_of_others(tmp_path):
    file = tmp_path / "r.xml"
    file.write_text(MJCF.format(joint='actuatorfrcrange="-inf inf" actuatorfrclimited="false"', geom=""))
    assert sd.load(file).n == 1


def test_many_figures_of_one_name_are_named_at_once():
    names = figure_names([["q"]] * 20000)
    assert len({name.lower() for name in names}) == 20000


def test_a_count_of_events_that_is_no_number_is_refused():
    robot = sd.load("planar_four_link")
    run = sd.simulate(robot, robot.neutral_state(), 1.0, events=[sd.Event(sd.joint_reaches("joint1", 9.0))])
    (stepper,) = build_steppers(run.simulation, 8)
    with pytest.raises(sd.InputError, match="a counter"):
        restore(stepper, np.full(snapshot(stepper).size, np.nan))


@pytest.mark.parametrize("what", ["states", "commands", "joints"])
def test_an_array_without_axes_is_no_list_of_names(what):
    with pytest.raises(sd.InputError, match=what):
        sd.element(**{what: np.array(1.0)})


def test_a_labelled_array_without_axes_is_no_list_of_wheels():
    robot = sd.load("tian_wu")
    with pytest.raises(sd.InputError, match="wheels must be a list, each text"):
        sd.control.wheel_motor_attitude_hold(
            robot, robot.neutral_state(), wheels=xarray.DataArray(1.0), motors=["motor"]
        )


@pytest.mark.parametrize("part", [{"name": np.ma.masked}, {"start": np.ma.array(1.0, mask=True)}, {"size": 1.5}])
def test_a_block_is_checked_where_it_is_made(part):
    with pytest.raises(sd.InputError, match=f"Block: {next(iter(part))} must be"):
        sd.Block(**{"name": "x", **part})


@pytest.mark.parametrize("function", [sd.kane.equations_of_motion, sd.kane.prescribed_dynamics])
@pytest.mark.parametrize("what", ["udot", "tau"])
def test_kanes_equations_refuse_masked_numbers(function, what):
    robot = sd.load("tian_wu")
    given = {"udot": np.zeros(9), "tau": np.zeros(3)}
    given[what] = np.ma.array(given[what], mask=True)
    with pytest.raises(sd.InputError, match=f"{what}.*masked"):
        function(robot, robot.neutral_state(), ["joint1"], **given)


@pytest.mark.parametrize(
    ("internal", "words"),
    [
        (3, "internal must be a dict"),
        ({1: 0.5}, "names are texts"),
        ({"stick.bristle": np.zeros((4, 1))}, r"batch axes \(3,\)"),
        ({"stick.bristle": np.zeros((2, 3, 1))}, r"batch axes \(3,\)"),
    ],
)
def test_internal_states_that_do_not_fit_a_state_are_refused(internal, words):
    states = sd.load("tian_wu").random_state(np.random.default_rng(0), 3)
    with pytest.raises(sd.InputError, match=words):
        states.with_internal(internal)


def test_a_prefix_that_is_no_text_is_refused():
    robot = sd.load("tian_wu")
    with pytest.raises(sd.InputError, match="prefix must be text"):
        robot.attach(robot, "base", prefix=b"other_")


def test_robots_of_a_scene_have_names_that_are_texts():
    robot = sd.load("tian_wu")
    with pytest.raises(sd.InputError, match="names of robots are texts"):
        sd.scene({None: robot}, places={"a": ((0, 0, 1), None)})


@pytest.mark.parametrize("angle", [np.inf, np.nan])
def test_angles_in_arrays_that_are_not_finite_are_refused_by_joint(angle):
    arrays = sd.load("tian_wu").to_arrays()
    arrays["Qi"][1, 2] = angle
    with pytest.raises(sd.ModelError, match="joint2"):
        sd.Model.from_arrays(**arrays)


def test_elements_to_resume_with_are_elements():
    robot = sd.load("planar_four_link")
    run = sd.simulate(robot, robot.neutral_state(), 0.01, progress=False)
    with pytest.raises(sd.InputError, match=r"elements: expected one or a list, got 1\.0"):
        run.resume(0.02, elements=1.0)


@pytest.mark.parametrize("bound", [{"axle": np.ma.masked, "tip": "bus"}, {"axle": "elbow", "tip": ["bus"]}])
def test_what_an_element_is_bound_to_is_checked_where_it_is_made(bound):
    @sd.element(joints=("axle",), points=("tip",))
    def rub(t, s, p, out):
        out.axle.tau[0] = -s.axle.qd[0] - s.tip.velocity[0]

    with pytest.raises(sd.InputError, match=r"axle is the name of a joint|tip is an endpoint, a body"):
        rub(**bound)


def test_rows_of_different_lengths_are_no_incidence_array():
    with pytest.raises(sd.InputError, match=r"S0: expected .*rows of different lengths"):
        sd.classic.parents(np.eye(2), [[1], [2, 3]])


def test_thrusters_whose_moment_overflows_are_refused():
    robot = sd.load("tian_wu")
    jets = {"positions": [[1e308, 0, 0]], "forces": [[0, 1e3, 0]], "pulses": [[0, 0.0, 0.5]]}
    with pytest.raises(sd.InputError, match="thruster_pulses: the moment of thruster 0 is too large"):
        sd.control.thruster_pulses(robot, robot.neutral_state(), **jets)
