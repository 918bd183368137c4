"""What a newcomer gets wrong in an element of his own is an error by name, before anything is recorded."""

import numpy as np
import pytest

import spacedyn as sd


@pytest.fixture(scope="module")
def robot():
    return sd.load("planar_four_link")


def everything(t, s, p, out):
    """Uses what all cases below declare, but what they say."""
    out.axle.tau[0] = s.volts[0]
    out.pull[0] = 1.0
    out.bend[0] = -s.bend[0]
    out.held[0] = s.axle.q[0]


OWNED = {
    "states": {"bend": "rad"},
    "samples": {"held": "rad"},
    "commands": {"volts": "V"},
    "channels": {"pull": "N"},
    "joints": ("axle",),
}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("channels", "never writes out.torn; write it, or leave it out of channels"),
        (
            "states",
            "never writes out.torn; write its rate, 0.0 if it shall stay where it starts, or leave it out of states",
        ),
        ("samples", "never writes out.torn; write what it is to hold, or leave it out of samples"),
        ("commands", "never reads s.torn; read it, or leave it out of commands"),
    ],
)
def test_what_is_declared_and_never_used_is_named(part, message):
    """It recorded zeros, or what a law commanded came to nothing, in silence."""
    sd.element(**OWNED)(everything)(axle="joint1", period=0.1)
    with pytest.raises(sd.InputError, match=f"element 'everything' {message}"):
        sd.element(**{**OWNED, part: {**OWNED[part], "torn": "N"}})(everything)(axle="joint1", period=0.1)


def test_what_is_written_on_some_branch_or_by_a_function_is_written(robot):
    def fill(out):
        out.late[0] = 1.0

    @sd.element(channels=("late",), joints=("axle",))
    def handed_on(t, s, p, out):
        fill(out)

    @sd.element(channels=("late",))
    def branches(t, s, p, out):
        if t > p.start:
            out.late[0] = 1.0

    run = sd.simulate(robot, robot.neutral_state(), 0.3, elements=[branches(start=0.15)], record=0.1)
    assert run["late"][:, 0].tolist() == [0.0, 0.0, 1.0, 1.0]
    handed_on(axle="joint1")


def test_samples_that_no_instant_takes_are_named():
    """Without a period and without guards they stayed what they were."""
    made = sd.element(samples=("held",), joints=("axle",))

    def holds(t, s, p, out):
        out.held[0] = s.axle.q[0]

    with pytest.raises(sd.InputError, match=r"'holds' has samples, and neither a period nor guards.*period=0\.1"):
        made(holds)(axle="joint1")
    assert made(holds)(axle="joint1", period=0.1).name == "holds"


def test_declarations_that_would_do_nothing_are_refused():
    for part in ("channels", "commands"):
        with pytest.raises(sd.InputError, match=r"'pull' cannot start at 2\.0: states and samples start"):
            sd.element(**{part: {"pull": sd.Block("pull", start=2.0)}})
    with pytest.raises(sd.InputError, match="accounts name 'work' twice"):
        sd.element(accounts=("work", "stored", "work"))


def test_what_is_no_function_and_arguments_in_another_order_are_named():
    with pytest.raises(sd.InputError, match="element: expected a function, made by def"):
        sd.element(3)

    @sd.element(joints=("axle",))
    def turned_round(s, t, p, out):
        out.axle.tau[0] = -s.axle.qd[0]

    message = r"takes the arguments \(t, s, p, out\); 'turned_round' has them as \(s, t, p, out\)"
    with pytest.raises(sd.InputError, match="an element " + message):
        turned_round(axle="joint1")


@sd.element(rows=1, points=("bead",))
def rail(t, s, p, out):
    """A rail along an axis by its number, at a place that is no number beyond the rail's end."""
    out.residual[0] = s.bead.position[int(p.axis)] - np.sqrt(p.end - s.bead.position[0])
    out.bead.row_force[0, int(p.axis)] = 1.0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"axis": 7, "end": 100.0}, "element 'rail' raised IndexError: index 7 is out of bounds"),
        ({"axis": 1, "end": -100.0}, r"element 'rail' writes nan to residual\[0\]"),
    ],
)
def test_rows_that_raise_or_are_no_numbers_are_named_where_they_are_looked_at(robot, numbers, message, capfd):
    """`assemble` gave back the state as it was, after an error that Python could not raise; NaN was another's fault."""
    state, mine = robot.neutral_state(), [rail(bead="hand", **numbers)]
    for call in (
        lambda: sd.assemble(robot, state, mine),
        lambda: sd.constraints.residuals(robot, state, mine),
        lambda: sd.simulate(robot, state, 0.1, elements=mine),
        lambda: sd.linearize(robot, state, elements=mine),
    ):
        with pytest.raises(sd.InputError, match=message):
            call()
    assert capfd.readouterr().err.count("ignored") == 0


@sd.element(points=("tip",))
def root_of_an_angle(t, s, p, out):
    out.tip.force[0] = np.sqrt(p.most - s.q[0])


@sd.law
def root_in_a_law(t, s, p, out):
    out.tau[0] = np.sqrt(p.most - s.q[0])


METHODS = [sd.DormandPrince8(), sd.DormandPrince5(), sd.RungeKutta4(0.01), sd.Radau5()]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("rates", [[0.3] * 4, [[0.1] * 4, [0.3] * 4, [0.0] * 4]], ids=["one", "batch"])
def test_who_is_not_defined_where_the_motion_leads_is_named(robot, method, rates):
    """Not by the clock, but by the state: runs blamed the base, a far too long step or stiff springs."""
    state = robot.state(qd=rates)
    with pytest.raises(sd.SimulationFailed, match=r"element 'root_of_an_angle' writes nan to tip\.force\[0\]"):
        sd.simulate(robot, state, 1.0, elements=[root_of_an_angle(tip="hand", most=0.05)], method=method)
    with pytest.raises(sd.SimulationFailed, match=r"law 'root_in_a_law' writes nan to tau\[0\]"):
        sd.simulate(robot, state, 1.0, laws=[root_in_a_law(most=0.05)], method=method)


@sd.element(joints=("axle",), commands=("volts",), channels=("amps",))
def coil(t, s, p, out):
    out.axle.tau[0] = out.amps[0] = s.volts[0]


@sd.element(joints=("axle",), samples=("held",))
def latch(t, s, p, out):
    out.held[0] = s.axle.q[0]


def misspells(t, s, p, out):
    out.coil.volts[0] = s.coil.amp[0]


def reads_a_command(t, s, p, out):
    out.tau[0] = s.coil.volts[0]


def reads_a_sample(t, s, p, out):
    out.tau[0] = s.latch.held[0]


def commands_a_latch(t, s, p, out):
    out.latch.held[0] = 1.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (misspells, "s.coil has no channel 'amp'; did you mean 'amps'"),
        (reads_a_command, "s.coil has no channel 'volts'; there are: amps"),
        (reads_a_sample, "the element 'latch' has no channels, which is what laws read"),
        (commands_a_latch, "the element 'latch' has no commands, which is what laws write"),
    ],
)
def test_laws_are_told_what_an_element_does_not_have(robot, function, message):
    """They were told to be sampled, or that there is no such element."""
    acting = [coil(axle="joint1"), latch(axle="joint2", period=0.1)]
    with pytest.raises(sd.InputError, match=f"law '{function.__name__}': {message}"):
        sd.simulate(robot, robot.neutral_state(), 0.1, elements=acting, laws=[sd.law(function)()])


def test_the_memory_of_an_element_are_its_own_states(robot):
    @sd.element(joints=("axle",))
    def counts(t, s, p, out):
        p.count[0] += 1.0
        out.axle.tau[0] = p.count[0]

    with pytest.raises(sd.InputError, match=r"read-only.*an element's memory are its states and samples"):
        sd.simulate(robot, robot.neutral_state(), 0.1, elements=[counts(axle="joint1", count=[0.0])])
