"""Files that damaged ones have led to: each was a traceback of others, a warning, a hang or the end of the process."""

import numpy as np
import pytest

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
