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


def test_thrusters_that_are_too_far_away_are_refused():
    robot = sd.load("tian_wu")
    jets = {"positions": [[1e308, 0, 0]], "forces": [[0, 1e3, 0]], "pulses": [[0, 0.0, 0.5]]}
    with pytest.raises(sd.InputError, match=r"thruster_pulses: positions must be .* too large to compute with"):
        sd.control.thruster_pulses(robot, robot.neutral_state(), **jets)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.Wrench("bus", force=(1e308, 0, 0)), "three finite numbers, got .* too large to compute with"),
        (lambda: sd.orbit.mean_motion(1e200), "semi_major_axis must be a positive number, got 1e.200, too large"),
        (lambda: sd.orbit.mean_motion(1e-250), "the result is not finite"),
        (lambda: sd.orbit.clohessy_wiltshire([0, 0, 0], [1, 0, 0], 1e-320, 1.0), "the result is not finite"),
        (lambda: sd.orbit.from_elements(sd.orbit.OrbitalElements([7e6] * 2, [0.1] * 3)), "batch axes do not fit"),
        (lambda: sd.orbit.to_hill(np.zeros((2, 3)), [0, 0, 0], np.ones((3, 3)), [0, 1, 0]), "batch axes do not fit"),
        (lambda: sd.orbit.true_anomaly([1.0, 2.0], [0.1] * 3), "mean_anomaly .2,., eccentricity .3,."),
        (lambda: sd.orbit.position_of("sun", "2026-03-01", 1e15), "times must be within 1e.11 s"),
        (lambda: sd.orbit.days_since_j2000("0001-01-01T00:00:00+12:00"), "epoch: expected a date"),
        (lambda: sd.orbit.msis_table("yesterday", [1e5, 2e5]), "epoch: expected a date"),
        (lambda: sd.orbit.panel_plates([0, 0, 0], 1.0), "normal must be a direction"),
        (lambda: sd.orbit.relative_motion(3), "run must be a Run"),
        (lambda: sd.trapezoidal(0.0, 1.0, speed=1e-320, acceleration=1.0), "too large or too small"),
        (lambda: sd.trapezoidal(0.0, 1e-320, speed=1e90, acceleration=1e90), "too large or too small"),
        (lambda: sd.endpoint_line([0] * 3, np.eye(3), by=[1e-320, 0, 0], speed=1, acceleration=1), "neither moves"),
        (lambda: sd.endpoint_line([0, 0, 0], np.full((3, 3), 1e99), by=[1, 0, 0], duration=1.0), "rotation matrix"),
        (lambda: sd.TriangleMesh(np.eye(3), [[0, 1, np.inf]]), r"faces must be whole numbers"),
        (lambda: sd.HeightField([1j, 1j]), "heights must be numbers"),
        (lambda: sd.RoughGround([1e-320, 3.0], 0.13, 0.5), "at least a spacing each way"),
        (lambda: sd.Tank("bus", 1.0, gyration=np.zeros(0)), "gyration must be a finite number or three of them"),
        (lambda: sd.Magnetorquer("bus", limit=1 + 2j), "limit must be a number or one for each of 3 rods"),
        (lambda: sd.Gyro("bus", rotation=True), "rotation must be a rotation matrix or a quaternion"),
        (lambda: sd.PrescribedJoint("elbow", np.ma.masked), "must not be masked"),
        (lambda: sd.element(points=memoryview(np.eye(3))), "points must be a list of names"),
        (lambda: sd.AtmosphericDrag("bus", [1, 0, 0], 1.0, altitudes=[0, 1e-320], densities=[1, 2]), "too close"),
        (
            lambda: sd.ThirdBody(mu=1.0, times=[0, 1e-320, 1], positions=[[1e9, 0, 0], [0, 1e9, 0], [1, 1, 1]]),
            "times are too close together",
        ),
    ],
)
def test_numbers_that_cannot_be_computed_with_are_errors_by_name(make, words):
    with pytest.raises(sd.InputError, match=words):
        make()


def test_stiffness_of_a_beam_in_rows_of_different_lengths_is_a_problem_by_name():
    b = sd.Builder("sat")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    b.flexible_beam("boom", on="bus", length=1.0, segments=2, mass_per_length=1.0, EI=[[1], [2, 3]])
    with pytest.raises(sd.ModelError, match=r"EI\[0\]"):
        b.build()


def test_hill_axes_of_shapes_that_fit_each_other():
    R = sd.orbit.hill_axes([[7e6, 0, 0], [0, 7e6, 0]], [0.0, 0.0, 7e3])
    assert R.shape == (2, 3, 3)
    np.testing.assert_array_equal(R[1], sd.orbit.hill_axes([0, 7e6, 0], [0.0, 0.0, 7e3]))


def test_a_joint_path_whose_batch_does_not_fit_is_refused():
    robot = sd.load("planar_four_link")
    states = robot.random_state(np.random.default_rng(0), 7)
    with pytest.raises(sd.InputError, match=r"batch axes \(3,\) do not fit those of the state, \(7,\)"):
        sd.freefloating.holonomy(robot, states, np.zeros((3, 3, 4)))


def test_many_links_take_no_gigabyte():
    """A number for every pair of ten thousand links; the same was made for SS that was not even given."""
    with pytest.raises(sd.InputError, match="up to 5000"):
        sd.classic.topology(np.zeros(10_000))
    arrays = sd.load("tian_wu").to_arrays() | {"SS": np.zeros((2, 2))}
    with pytest.raises(sd.ModelError, match="SS has 4 numbers, but BB has 3 links"):
        sd.Model.from_arrays(**arrays)


def test_base_rates_of_a_momentum_that_overflows_are_refused():
    robot = sd.load("tian_wu")
    ops = sd.operators.SpatialOperators(robot, robot.neutral_state())
    with pytest.raises(sd.InputError, match="base_rates: the result is not finite"):
        sd.operators.base_rates(ops, np.zeros(3), np.full(6, 1.7e308))


@pytest.mark.filterwarnings("error")
def test_surfaces_and_motions_without_numpy_warnings():
    """Heights whose splines overflow, a sphere's centre, a motion whose numbers overflow."""
    with pytest.raises(sd.InputError, match="heights are too large to compute with"):
        sd.HeightField(np.full((3, 3), 1e308))
    with pytest.raises(sd.InputError, match="spacing must be a positive length"):
        sd.HeightField(np.eye(3), spacing=1e-320)
    assert sd.SphereSurface(1.0).normals([0.0, 0.0, 0.0]).tolist() == [0.0, 0.0, 1.0]

    @sd.motion
    def far(t, p, out):
        out.value[0] = p.size[0] * p.size[0] * t

    assert np.isinf(far(size=[1e300]).over_times(np.array([1.0]), 1)[0]).all()


def test_elements_of_a_closed_system_that_are_no_list():
    robot = sd.load("planar_four_link")
    for call in (sd.assemble, sd.constraints.mobility):
        with pytest.raises(sd.InputError, match="elements"):
            call(robot, robot.neutral_state(), np.array(1.0))


@pytest.mark.parametrize(("kind", "shapes"), [(np.ones(2), ()), ("fixed", np.ones(3))], ids=["kind", "shapes"])
def test_a_base_that_is_made_of_arrays_is_refused(kind, shapes):
    b = sd.Builder("fixed", base=kind)
    b.base("ground", shapes=shapes)
    with pytest.raises(sd.ModelError):
        b.build()
