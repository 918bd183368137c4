"""Laws that command elements and read what they give; two of one name; whose fault it is when something goes wrong."""

import numpy as np
import pytest

import spacedyn as sd


@sd.law
def push(t, s, p, out):
    out.elbow.torque[0] = p.size


@sd.law
def push_by_power(t, s, p, out):
    out.elbow.torque[0] = 1.0 - s.elbow.power[0]


@sd.law(period=0.1)
def push_and_release(t, s, p, out):
    out.elbow.torque[0] = 3.0 if int(t / 0.1 + 0.5) % 2 else 0.5


@sd.law(period=0.05, states={"count": 1})
def count_torque(t, s, p, out):
    """Sums up what it reads, so that every sample shows."""
    out.count[0] = s.count[0] + s.elbow.torque[0]
    out.elbow.torque[0] = 0.5 + 0.1 * s.elbow.torque[0]


@pytest.fixture(scope="module")
def robot():
    return sd.load("planar_four_link")


def motor(**options) -> sd.Motor:
    return sd.Motor("joint2", stall_torque=2.0, name="elbow", **options)


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(1e-2), sd.Radau5()], ids=str)
@pytest.mark.parametrize("delay", [0.0, 0.03])
def test_a_motor_saturates_at_the_sample_that_asks_too_much(robot, method, delay):
    """A command that jumps takes the guard to its other side at once."""
    run = sd.simulate(
        robot, robot.neutral_state(), 0.6, laws=[push_and_release(delay=delay)], elements=[motor()], method=method,
        record=np.arange(0.06, 0.6, 0.1),
    )  # fmt: skip
    np.testing.assert_allclose(run["torque"][:, 0], [0.5, 2.0, 0.5, 2.0, 0.5, 2.0], rtol=1e-12)
    assert run.audit().energy < 1e-6


@sd.element(states={"level": "kg"}, guards=2)
def tank(t, s, p, out):
    """Empty from the start, so that a guard stays at zero; another changes its side at a time."""
    out.guard[0], out.guard[1] = s.level[0], p.at - t
    out.level[0] = 0.0


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.DormandPrince5(), sd.Radau5()], ids=str)
def test_a_guard_that_stays_at_zero_hides_no_other(robot, method):
    start = robot.state(qd=[0.1, 0.2, 0.3, 0.1])
    run = sd.simulate(robot, start, 2.0, elements=[tank(at=0.77)], method=method, record="steps")
    assert abs(run.time - 0.77).min() < 1e-11


def test_robots_of_a_pack_saturate_each_at_its_own(robot):
    @sd.law(period=0.1)
    def by_rate(t, s, p, out):
        out.elbow.torque[0] = 4.0 * s.qd[0] if t > 0.05 else 0.0

    rates = np.linspace(-1.0, 1.0, 5)[:, None] * [1.0, 0, 0, 0]
    run = sd.simulate(robot, robot.state(qd=rates), 0.2, laws=[by_rate()], elements=[motor()], record=[0.11, 0.15])
    sampled = 4.0 * sd.simulate(robot, robot.state(qd=rates), 0.1, record=[0.1])["qd"][0, :, 0]
    np.testing.assert_allclose(run["torque"][1, :, 0], np.clip(sampled, -2.0, 2.0), rtol=1e-9, atol=1e-12)


def test_a_continuous_law_cannot_read_what_it_commands(robot):
    with pytest.raises(sd.InputError, match=r"law 'push_by_power': it reads s.elbow.* sample it"):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[push_by_power()], elements=[motor()])
    run = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[push_by_power(period=0.01)], elements=[motor()])
    assert run.status == "done"


def test_a_sample_sees_what_was_there_before_it(robot):
    """Whatever is recorded, wherever it was resumed, however many robots there are: the same samples."""
    options = {"laws": [count_torque()], "elements": [motor()], "record": 0.1}
    run = sd.simulate(robot, robot.neutral_state(), 0.5, **options)
    torque, total = 0.0, 0.0
    for _ in range(10):
        total, torque = total + torque, 0.5 + 0.1 * torque
    assert run["law_states"][-1, 0] == pytest.approx(total, rel=1e-14)
    often = sd.simulate(robot, robot.neutral_state(), 0.5, **{**options, "record": "steps"})
    assert often["law_states"][-1, 0] == run["law_states"][-1, 0]
    assert np.array_equal(run.resume(at=0.2)._rows, run._rows)


def test_two_of_one_name_are_told_apart_by_number_unless_a_law_uses_the_name(robot):
    @sd.element(joints=("axle",), channels={"friction": "N m"}, states={"heat": "J"}, commands={"more": "N m s"})
    def rub(t, s, p, out):
        out.axle.tau[0] = -(p.size + s.more[0]) * s.axle.qd[0]
        out.friction[0] = p.size * s.axle.qd[0]
        out.heat[0] = p.size * s.axle.qd[0] ** 2

    @sd.law
    def more(t, s, p, out):
        out.rub.more[0] = 1.0

    two = [rub(axle="joint1", size=0.1), rub(axle="joint2", size=0.2)]
    state = robot.state(qd=[0.3, 0.2, 0, 0])
    run = sd.simulate(robot, state, 1.0, elements=two)
    assert run.data["element"].values.tolist() == ["rub", "rub (2)"]
    assert run["rub (2).heat"][-1, 0] > 0.0
    np.testing.assert_allclose(run["friction"], [0.1, 0.2] * run["qd"][:, :2], rtol=1e-12)
    with pytest.raises(sd.InputError, match=r"law 'more': 2 elements are named 'rub'.*a name of its own"):
        sd.simulate(robot, state, 1.0, elements=two, laws=[more()])
    named = [rub(axle="joint1", size=0.1), rub(axle="joint2", size=0.2, name="other")]
    faster = sd.simulate(robot, state, 1.0, elements=named, laws=[more()])
    assert abs(faster["qd"][-1, 0]) < abs(run["qd"][-1, 0])


# --- what goes wrong -------------------------------------------------------------------------------------------------


@sd.element(joints=("axle",), channels={"friction": 3}, points=("tip",), states={"heat": "J"})
def faulty(t, s, p, out):
    if t > 0.3:
        if p.what == 0.0:
            out.friction[int(p.index)] = 1.0
        elif p.what == 1.0:
            raise ValueError("it is too late")
        elif p.what == 2.0:
            out.friction[2] = np.nan
        elif p.what == 3.0:
            out.axle.tau[0] = np.sqrt(0.3 - t)
        elif p.what == 4.0:
            out.tip.force[1] = np.inf
        else:
            out.heat[0] = 1.0 / (p.what - 5.0)


@sd.element
def quiet(t, s, p, out):
    out.tau[0] = -0.1 * s.qd[0]


@pytest.mark.parametrize("robots", [(), (3,)])
@pytest.mark.parametrize(
    ("what", "message"),
    [
        (0, r"element 'mine' raised IndexError: .*(3 is out of bounds|out of range)"),
        (1, r"element 'mine' raised ValueError: it is too late"),
        (2, r"element 'mine' writes nan to friction\[2\]"),
        (3, r"element 'mine' writes nan to axle.tau\[0\]"),
        (4, r"element 'mine' writes inf to tip.force\[1\]"),
        (5, r"element 'mine' writes (inf to heat\[0\]|no number)"),
    ],
)
def test_a_failure_names_the_element_and_what_it_wrote(robot, what, message, robots):
    mine = faulty(axle="joint1", tip="link2", what=what, index=3, name="mine")
    state = robot.state(qd=np.full((*robots, 4), 0.1))
    elements = [quiet(name="before"), mine, quiet(name="after")]
    with pytest.raises(sd.SimulationFailed, match=message) as caught:
        sd.simulate(robot, state, 1.0, elements=elements, record=0.1)
    assert caught.value.time == pytest.approx(0.3, abs=0.05)
    assert caught.value.run.time.size >= 3


def test_a_law_that_fails_beside_an_element_is_still_named(robot):
    @sd.law
    def wrong(t, s, p, out):
        out.tau[4 if t > 0.2 else 0] = 0.0

    with pytest.raises(sd.SimulationFailed, match="law 'wrong' raised IndexError"):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[wrong()], elements=[quiet()])


def test_linearize_names_the_element(robot):
    with pytest.raises(sd.InputError, match="element 'mine' raised ValueError: it is too late"):
        mine = faulty(axle="joint1", tip="link2", what=1, index=0, name="mine")
        sd.linearize(robot, robot.neutral_state(), elements=[mine], time=0.4)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"states": {"bend": 0}}, "from 1 to 10000 numbers, got 0"),
        ({"states": {"bend": 3.0}}, r"states are {name: unit, size or \(size, unit\)}, such as {'bend': "),
        ({"channels": {"field": ("T", 3)}}, r"such as {'field': \(3, 'T'\)}, got {'field': \('T', 3\)}"),
        ({"channels": {"field": sd.Block("flux", 3)}}, "'field' is a block named 'flux'"),
        ({"accounts": "work"}, r"accounts must be a list of names, such as \('work',\)"),
        ({"states": {"2nd": 1}}, "identifiers, got '2nd'"),
        ({"states": {"q": 1}}, "'q' stands for two things"),
        ({"states": {"a": 1}, "channels": {"a": 1}}, "'a' stands for two things"),
        ({"guards": -1}, "guards must be their number"),
        ({"guards": 1.0}, "guards must be their number"),
        ({"accounts": ("heat",)}, "accounts must be among work, dissipated, stored"),
        ({"joints": "axle"}, "must be a list of names"),
        ({"points": ("name",)}, "'name' stands for two things"),
    ],
)
def test_what_cannot_be_declared_is_refused(declared, message):
    with pytest.raises(sd.InputError, match=message):
        sd.element(**declared)(lambda t, s, p, out: None)


def test_parts_that_there_are_not_are_named_beforehand(robot):
    @sd.law(period=0.1)
    def misreads(t, s, p, out):
        out.tau[0] = s.elbow.torqe[0]

    @sd.law
    def miswrites(t, s, p, out):
        out.elbow.current[0] = 1.0

    @sd.element(joints=("axle",), points=("tip",), channels={"field": (3, "T")})
    def misplaced(t, s, p, out):
        out.tip.force[0] = s.tip.speed[0]

    @sd.element(joints=("axle",))
    def mistaken(t, s, p, out):
        out.axle.torque[0] = s.axle.q[0]

    @sd.element(samples={"held": "rad"}, joints=("axle",))
    def encoder(t, s, p, out):
        out.held[0] = s.axle.q[0]

    state = robot.neutral_state()
    with pytest.raises(sd.InputError, match=r"law 'misreads': s.elbow has no channel 'torqe'; did you mean 'torque'"):
        sd.simulate(robot, state, 1.0, laws=[misreads()], elements=[motor()])
    with pytest.raises(sd.InputError, match=r"law 'miswrites': out.elbow has no command 'current'; there are: torque"):
        sd.simulate(robot, state, 1.0, laws=[miswrites()], elements=[motor()])
    with pytest.raises(sd.InputError, match=r"element 'misplaced': s.tip has no 'speed'; there are: position"):
        misplaced(axle="joint1", tip="link2")
    with pytest.raises(sd.InputError, match=r"element 'mistaken': out.axle has no 'torque'; there are: tau"):
        mistaken(axle="joint1")
    with pytest.raises(sd.UnknownName, match="named 'perod'; did you mean 'period'"):
        encoder(axle="joint1", perod=0.1)


def test_a_name_that_numba_keeps_for_itself_is_said(robot):
    @sd.law
    def looks(t, s, p, out):
        out.tau[0] = p.view

    with pytest.warns(sd.RunWarning, match="attributes named 'view', such as p.view; choose another name"):
        sd.simulate(robot, robot.neutral_state(), 0.1, laws=[looks(view=0.1)])


def test_what_cannot_be_used_is_refused(robot):
    state = robot.neutral_state()

    @sd.element(channels={"udot": "m"}, joints=("axle",))
    def taken(t, s, p, out):
        out.udot[0] = 1.0

    @sd.element(joints=("axle",))
    def replaced(t, s, p, out):
        out.tau = s.q

    @sd.element(channels={"rate": "m"}, joints=("axle",))
    def dimension(t, s, p, out):
        out.rate[0] = 1.0

    with pytest.raises(sd.InputError, match="the record has its own 'udot'; rename the channel"):
        sd.simulate(robot, state, 1.0, elements=[taken(axle="joint1")])
    with pytest.raises(sd.InputError, match="the record has its own 'rate'; rename the channel"):
        sd.simulate(robot, state, 1.0, elements=[dimension(axle="joint1")])
    with pytest.raises(sd.InputError, match="replaces the array tau"):
        replaced(axle="joint1")
    with pytest.raises(sd.UnknownName, match="no parameter of element 'quiet' named 'gain'"):
        quiet(gain=1.0)
    with pytest.raises(sd.InputError, match=r"got <element quiet, not yet called.*>; call it, with its parameters"):
        sd.simulate(robot, state, 1.0, elements=[quiet])
    with pytest.raises(sd.InputError, match=r"got <element 'quiet' made by quiet>; elements go into elements=\["):
        sd.simulate(robot, state, 1.0, laws=[quiet()])
    with pytest.raises(sd.InputError, match="axle is the name of a joint, got 3"):
        sd.simulate(robot, state, 1.0, elements=[taken(axle=3)])


def test_what_a_function_forgets_or_turns_round_is_named(robot):
    """What it declares and never writes, what it writes and never declares, arrays that it replaces."""
    settings = {"points": ("tip",), "commands": {"volts": "V"}, "channels": {"pull": "N"}}

    def pushes(t, s, p, out):
        out.tip.force = s.tip.velocity

    def loses(t, s, p, out):
        out.dissipated[0] = s.tip.velocity[0] ** 2

    def commands(t, s, p, out):
        out.volts[0] = 1.0

    def reads(t, s, p, out):
        out.pull[0] = s.pull[0]

    def switches(t, s, p, out):
        out.pull[0] = s.side[0]

    def binds(t, s, p, out):
        out.residual[0] = s.tip.position[2]

    def good(t, s, p, out):
        out.pull[0] = s.volts[0]

    def refused(function, message, **declared):
        with pytest.raises(sd.InputError, match=f"element '{function.__name__}'.*{message}"):
            sd.element(**settings, **declared)(function)(tip="link1")

    refused(pushes, r"replaces the array force; write into it: out.tip.force\[:\] = ")
    refused(loses, r"out has no 'dissipated'; declare it: @sd.element\(accounts=\('dissipated',\)")
    refused(commands, "out has no 'volts'; it is a command, which laws write; read it: s.volts")
    refused(reads, "s has no 'pull'; it is a channel, which laws read; write it: out.pull")
    refused(good, "never writes out.guard; write it, or leave it out of guards", guards=1)
    refused(good, "never writes out.stored; write it, or leave it out of accounts", accounts=("stored",))
    refused(switches, "s has no 'side'; declare how many guards it has: @sd.element\\(guards=1")
    refused(binds, "out has no 'residual'; declare how many rows it has: @sd.element\\(rows=1")

    @sd.law
    def drives(t, s, p, out):
        out.good.volts = 1.0

    made = sd.element(**settings)(good)
    with pytest.raises(sd.InputError, match="law 'drives' replaces the array volts"):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[drives()], elements=[made(tip="link1")])
    with pytest.raises(sd.UnknownName, match="named 'tpi'; did you mean 'tip'"):
        made(tip="link1", tpi="link2")


@sd.element(states={"level": "m"}, guards=1)
def relay(t, s, p, out):
    """Falls above zero, rises below."""
    out.guard[0] = s.level[0]
    out.level[0] = -s.side[0] + p.drift * t


def test_a_switch_that_slides_along_its_zero_is_named(robot):
    start = robot.neutral_state().with_internal({"relay.level": 0.5})
    message = r"out.guard\[0\] of element 'relay' changes its side again and again.* a sample hold what it switches"
    with pytest.warns(sd.RunWarning, match=message):
        run = sd.simulate(robot, start, 1.0, elements=[relay(drift=0.1)], record=0.1)
    assert run["relay.level"][4, 0] == pytest.approx(0.5 - 0.4 + 0.05 * 0.4**2, abs=1e-12)


def test_what_is_meant_otherwise_is_an_error_by_name(tmp_path):
    """A comparison as a guard, a misspelt point, a name of the robot's, another parameter at `resume`."""
    robot = sd.load("ets7")

    def early(t, s, p, out):
        out.guard[0] = t > 0.3
        out.axle.tau[0] = s.side[0]

    with pytest.raises(sd.InputError, match=r"comparison to out.guard.*write the difference"):
        sd.element(early, guards=1, joints=("axle",))(axle="joint1")

    def pulls(t, s, p, out):
        out.tip.force[0] = p.much * s.u[0]

    made = sd.element(pulls, points=("tip",), commands={"u": "N"})
    with pytest.raises(sd.UnknownName, match=r"no body or endpoint named 'hnd'.*hand"):
        sd.simulate(robot, robot.state(), 0.1, elements=[made(tip="hnd", much=1.0)])

    @sd.law
    def drives(t, s, p, out):
        out.tau.u[0] = 1.0

    with pytest.raises(sd.InputError, match=r"out.tau is the robot's.*rename the element"):
        sd.simulate(robot, robot.state(), 0.1, elements=[made(tip="hand", much=1.0, name="tau"), drives()])
    sd.simulate(robot, robot.state(), 0.1, elements=[made(tip="hand", much=1.0)]).save(tmp_path / "run.nc")
    with pytest.raises(sd.InputError, match=r"they were much = 1\.0, now much = 2\.0"):
        sd.Run.load(tmp_path / "run.nc").resume(until=0.2, elements=[made(tip="hand", much=2.0)])


def test_messages_say_whose_name_is_unknown_and_the_way_out():
    robot = sd.load("planar_four_link")
    start = robot.neutral_state()

    @sd.element(points=("tip",))
    def push(t, s, p, out):
        out.tip.force[0] = p.size

    with pytest.raises(sd.UnknownName, match="element 'push': no body or endpoint named 'hnad'"):
        sd.simulate(robot, start, 0.1, elements=[push(tip="hnad", size=1.0)])
    with pytest.raises(sd.InputError, match=r"elements go into elements=\[...\]"):
        sd.simulate(robot, start, 0.1, laws=[push])
    with pytest.raises(sd.UnknownName, match="size, tip, name"):
        push(tip="hand", size=1.0, sise=1.0)
    with pytest.raises(sd.UnknownName, match=r"no argument of element.. named 'state'; did you mean 'states'"):
        sd.element(state={"bend": "rad"})
    with pytest.raises(sd.UnknownName, match=r"no argument of law.. named 'perod'; did you mean 'period'"):
        sd.law(perod=0.1)
    with pytest.raises(sd.UnknownName, match=r"there are none; state.with_internal\({}\) drops all"):
        sd.simulate(robot, start.with_internal({"brake.bend": 0.1}), 0.1)
