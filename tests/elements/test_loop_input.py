"""What loops take and refuse: short and late paths, states that rows do not see, fields that would do nothing."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import spacedyn as sd
from spacedyn.simulate.lost_rank import singular_note

pytestmark = pytest.mark.packs
ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12)}
PIN = sd.Loop("line", "coupler", "rocker", point=(1, 0, 0), other_point=(1, 0, 0), name="pin")
TIMES = np.array([0.0, 0.1, 0.2, 0.3])
PATH = np.column_stack([TIMES, 0.5 * TIMES**2, 0 * TIMES])


@pytest.fixture(scope="module")
def four_bar():
    b = sd.Builder("four-bar", "fixed")
    b.base("ground", massless=True)
    b.link("crank", "revolute", parent="ground", axis=(0, 0, 1), **ROD)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), axis=(0, 0, 1), **ROD)
    b.link("rocker", "revolute", parent="ground", position=(1, 0, 0), axis=(0, 0, 1), **ROD)
    return b.build()


@pytest.fixture(scope="module")
def ball_arm():
    b = sd.Builder("ball arm")
    b.base("bus", mass=5.0, inertia=(1.0, 1.2, 1.5))
    b.link("arm", "spherical", parent="bus", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.2))
    return b.build()


@pytest.fixture(scope="module")
def crate():
    b = sd.Builder("crate")
    b.base("crate", mass=2.0, inertia=(0.1, 0.2, 0.25))
    return b.build()


# --- paths of targets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("time", [0.0, 0.15, 0.3])
def test_a_path_need_not_go_on_after_the_instant_that_is_looked_at(crate, time):
    """A target's path of 0.3 s: assembled, linearized and solved for at any of its times, and run to its end."""
    lead = sd.Loop("ball", "crate", times=TIMES, positions=PATH, name="lead")
    start = sd.assemble(crate, crate.state(), [lead], time=time)
    np.testing.assert_allclose(start.base_position, [time, 0.5 * time**2, 0.0], atol=1e-12)
    np.testing.assert_allclose(start.u[:3], [1.0, time, 0.0], atol=1e-12)
    motion = sd.constraints.forward_dynamics(crate, start, [lead], time=time)
    np.testing.assert_allclose(motion.udot[:3], [0.0, 1.0, 0.0], atol=1e-10)
    assert len(sd.linearize(crate, start, elements=[lead], time=time).names) == 6
    if time < 0.3:
        assert sd.simulate(crate, start, 0.3 - time, elements=[lead], start=time).audit().within_budget


def test_a_joint_that_moves_at_the_end_of_its_motion_is_assembled(four_bar):
    lead = sd.PrescribedJoint("crank", CubicSpline([0.0, 0.1, 0.2, 0.3], [1.0, 1.1, 1.2, 1.3]))
    start = sd.assemble(four_bar, four_bar.state(q=[1.0, -1.0, 1.0]), [PIN, lead], time=0.2)
    np.testing.assert_allclose(start.q, [1.2, -1.2, 1.2], atol=1e-11)


def test_a_path_that_begins_after_the_run_is_refused(crate):
    late = sd.Loop("ball", "crate", times=1.0 + TIMES, positions=PATH, name="late")
    with pytest.raises(sd.InputError, match="'late': its path is given from 1 s on, and the run starts at 0 s"):
        sd.assemble(crate, crate.state(), [late])
    start = sd.assemble(crate, crate.state(), [late], time=1.0)
    assert sd.simulate(crate, start, 0.3, elements=[late], start=1.0).audit().within_budget


def test_the_place_of_a_target_is_given_once(crate):
    with pytest.raises(sd.InputError, match="positions say where its place is"):
        sd.Loop("ball", "crate", times=TIMES, positions=PATH, other_point=(1, 0, 0))
    met = sd.Loop.as_met(crate, crate.state(), "ball", "crate", "inertial", times=TIMES, positions=PATH)
    assert not np.any(met.other_point)


# --- states that rows do not see --------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint, axis", [("weld", (0, 0, 1)), ("prismatic", (0, 0, 1)), ("prismatic", (0.6, 0, 0.8))])
def test_a_loop_that_is_half_a_turn_off_is_not_closed(ball_arm, joint, axis):
    """Sines of half a turn are zero: a run went on with a weld whose body was turned round."""
    held = sd.Loop(joint, "arm", "bus", other_point=(1, 0, 0), axis=axis, name="held")
    turned = ball_arm.state(q=[0, 0, 1, 0])
    with pytest.raises(sd.InputError, match=r"loop 'held' is closed the wrong way round.*half a turn.*as_met"):
        sd.simulate(ball_arm, turned, 0.1, elements=[held])
    with pytest.raises(sd.InputError, match="'held' is closed the wrong way round"):
        sd.constraints.forward_dynamics(ball_arm, turned, [held])
    batch = sd.State(ball_arm, np.stack([ball_arm.state()._data] * 2 + [turned._data]))
    with pytest.raises(sd.InputError, match="loop 'held' of robot 2 is closed the wrong way round"):
        sd.simulate(ball_arm, batch, 0.1, elements=[held])


def test_axes_of_a_hinge_may_be_given_against_each_other(ball_arm):
    """It turns about them all the same."""
    hinge = sd.Loop("revolute", "arm", "bus", other_point=(1, 0, 0), other_axis=(0, 0, -1), name="hinge")
    state = ball_arm.state(qd=[0, 0, 0.3])
    with pytest.warns(sd.RunWarning, match="redundant"):
        run = sd.simulate(ball_arm, state, 0.5, elements=[hinge])
    assert run.audit().within_budget and run["gap"].max() < 1e-12
    sd.constraints.forward_dynamics(ball_arm, state, [hinge])


def test_closing_as_made_sees_half_a_turn(ball_arm):
    @sd.condition
    def clock(t, s, p, out):
        out.value[0] = t - 0.05

    grip = sd.Loop("weld", "arm", "bus", other_point=(1, 0, 0), active=False, name="grip")
    closes = sd.Event(clock(), direction=1, action=sd.actions.close_loop("grip", as_met=False))
    with pytest.raises(sd.SimulationFailed, match=r"'grip' is closed the wrong way round.*take as_met=True"):
        sd.simulate(ball_arm, ball_arm.state(q=[0, 0, 1, 0]), 0.1, elements=[grip], events=[closes])


def test_rows_without_a_direction_are_named(four_bar, ball_arm):
    """A rod whose ends coincide ended in SciPy's or NumPy's own error."""
    rod = sd.Loop("distance", "coupler", "rocker", point=(1, 0, 0), other_point=(1, 0, 0), length=0.2, name="rod")
    state = four_bar.state(q=[1.0, -1.0, 1.0])
    for function in (sd.assemble, sd.constraints.mobility, sd.constraints.jacobian):
        with pytest.raises(sd.InputError, match=r"loop 'rod' has rows without a direction.*coincide"):
            function(four_bar, state, [rod])
    screw = sd.Loop("screw", "arm", "bus", other_point=(1, 0, 0), axis=(1, 0, 0), pitch=0.1, name="screw")
    with pytest.raises(sd.InputError, match=r"loop 'screw' has rows without a direction.*against each other"):
        sd.simulate(ball_arm, ball_arm.state(q=[0, 0, 1, 0]), 0.1, elements=[screw])


def test_dynamics_of_an_open_loop_are_refused(four_bar):
    open_state = four_bar.state(q=[1.0, 0.0, 0.0])
    for call in (
        lambda: sd.constraints.forward_dynamics(four_bar, open_state, [PIN]),
        lambda: sd.constraints.inverse_dynamics(four_bar, open_state, [0, 0, 0], [PIN]),
    ):
        with pytest.raises(sd.InputError, match=r"'pin' is open by 1\.\d+.*sd\.assemble"):
            call()
    assert sd.constraints.jacobian(four_bar, open_state, [PIN]).shape == (2, 3)


def test_rows_that_rest_do_not_count(four_bar):
    """A loop that starts open: it was called redundant."""
    grip = sd.Loop("weld", "coupler", "rocker", active=False, name="grip")
    state = four_bar.state(q=[1.0, -1.0, 1.0])
    found = sd.constraints.mobility(four_bar, state, [PIN, grip])
    assert (found.freedom, found.rows, found.rank, found.redundant) == (1, 2, 2, ())


# --- motions out of reach ---------------------------------------------------------------------------------------------

METHODS = [sd.DormandPrince8(), sd.Radau5(), sd.RungeKutta4(2e-3), sd.TimeStepping(2e-3), sd.SemiImplicitEuler(2e-3)]


@pytest.fixture(scope="module")
def arm():
    b = sd.Builder("arm", "fixed")
    b.base("ground", massless=True)
    b.link("upper", "revolute", parent="ground", axis=(0, 0, 1), **ROD)
    b.link("lower", "revolute", parent="upper", position=(1, 0, 0), axis=(0, 0, 1), **ROD)
    b.endpoint("hand", body="lower", position=(1, 0, 0))
    return b.build()


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("joint", ["line", "plane"])
def test_a_target_that_moves_out_of_reach_is_named(arm, joint, method):
    """At 1.333 s it is 2 m away, as far as the arm reaches: runs ended with "very stiff springs", or "far too long"."""
    times = np.linspace(0.0, 2.0, 21)
    path = np.column_stack([1.6 + 0.3 * times, 0 * times, 0 * times])
    axis = (0, 0, 1) if joint == "line" else (1, 0, 0)
    lead = sd.Loop(joint, "lower", point=(1, 0, 0), axis=axis, times=times, positions=path, name="lead")
    start = sd.assemble(arm, arm.state(q=[0.6, -1.2]), [lead])
    with pytest.raises(sd.SimulationFailed, match=r"t = 1\.33.*'lead' is open by 0\.000\d.* at best.*within reach"):
        sd.simulate(arm, start, 2.0, elements=[lead], method=method)


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda one: type(one).__name__)
def test_the_robot_of_a_batch_that_fails_is_named(arm, method):
    """Robots with shorter and shorter upper arms step together: the last one does not reach the end of the path."""
    fleet = arm.vary(position={"lower": [(1.4, 0, 0), (1.3, 0, 0), (1.0, 0, 0)]})
    times = np.linspace(0.0, 2.0, 21)
    path = np.column_stack([1.6 + 0.3 * times, 0 * times, 0 * times])
    lead = sd.Loop("line", "lower", point=(1, 0, 0), times=times, positions=path, name="lead")
    start = sd.assemble(fleet, fleet.state(q=[0.6, -1.2]), [lead])
    with pytest.raises(sd.SimulationFailed, match=r"robot \(?2.*'lead' is open by 0\.000\d.* at best"):
        sd.simulate(fleet, start, 2.0, elements=[lead], method=method)


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda one: type(one).__name__)
def test_a_crank_that_tears_a_linkage_names_loop_and_joint(method):
    """The ground is longer than crank and rods allow for a full turn."""
    b = sd.Builder("rocker", "fixed")
    b.base("ground", massless=True)
    b.link("crank", "revolute", parent="ground", axis=(0, 0, 1), **ROD)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), axis=(0, 0, 1), **ROD)
    b.link("rocker", "revolute", parent="ground", position=(2.2, 0, 0), axis=(0, 0, 1), **ROD)
    model, turn = b.build(), sd.PrescribedJoint("crank", np.polynomial.Polynomial([0.3, 1.0]))
    start = sd.assemble(model, model.state(q=[0.3, 0.5, 2.0]), [PIN, turn])
    with pytest.raises(sd.SimulationFailed, match=r"'pin' is open by .* at best with prescribed joints 'crank'"):
        sd.simulate(model, start, 2.0, elements=[PIN, turn], method=method)


def test_a_row_that_vanishes_by_itself_is_a_singular_position(arm):
    """The stretched arm moves a rod that lies along it neither way: there is no other row that it could depend on."""
    rod = sd.Loop("distance", "lower", point=(1, 0, 0), other_point=(3, 0, 0), length=1.5, name="rod")
    start = sd.assemble(arm, arm.state(q=[0.6, -1.2]), [rod])
    run = sd.simulate(arm, start, 0.1, elements=[rod])

    def said(bend):
        state = arm.state(q=[bend, -2.0 * bend])
        return singular_note(run.simulation, SimpleNamespace(robots=1, first=0, state=lambda: state), 0.1)

    assert said(0.3) == "" and said(1e-5).startswith("a singular position, where rows of 'rod' come to depend")


# --- arguments --------------------------------------------------------------------------------------------------------


def test_an_endpoint_is_no_body_and_is_told_its_body(arm):
    with pytest.raises(sd.UnknownName, match=r"no body named 'hand'.*'hand' is an endpoint: give its body, 'lower'"):
        sd.assemble(arm, arm.neutral_state(), [sd.Loop("plane", "hand", axis=(1, 0, 0), other_point=(1.5, 0, 0))])


def test_what_would_do_nothing_is_refused(four_bar):
    with pytest.raises(sd.InputError, match=r"Loop 'ball': it leaves turns free.*'weld'"):
        sd.Loop("ball", "coupler", "rocker", turn_stiffness=10.0)
    with pytest.raises(sd.InputError, match="only `other` may be 'inertial'"):
        sd.Loop("ball", "inertial", "coupler")
    soft = sd.Loop("ball", "coupler", "rocker", stiffness=10.0)
    with pytest.raises(sd.InputError, match="without stiffness and damping"):
        sd.constraints.residuals(four_bar, four_bar.neutral_state(), [soft])


def test_what_follows_from_the_state_is_not_given(four_bar):
    """It was Python's own error about two values of a keyword."""
    state = four_bar.state(q=[1.0, -1.0, 1.0])
    for joint, given in (("weld", "attitude_xyzw"), ("ball", "other_point"), ("distance", "length")):
        value = {"attitude_xyzw": (0, 0, 0, 1), "other_point": (1, 0, 0), "length": 1.0}[given]
        with pytest.raises(sd.InputError, match=rf"as_met: {given} follows from the state; leave it out"):
            sd.Loop.as_met(four_bar, state, joint, "coupler", "rocker", **{given: value})
    with pytest.raises(sd.InputError, match="expected Mimic"):
        sd.Coupling.of_mimics(["crank"])


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan])
def test_a_tolerance_that_nothing_meets_is_refused(four_bar, tolerance):
    with pytest.raises(sd.InputError, match="tolerance must be a positive number"):
        sd.assemble(four_bar, four_bar.state(q=[1.0, -1.0, 1.0]), [PIN], tolerance=tolerance)
