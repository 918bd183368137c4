"""Drives of joints against closed forms: circuits, gears, backlash, flexible shafts, and how they fail."""

import numpy as np
import pytest
from scipy.linalg import expm

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs


def shaft(inertia=0.01, **joint):
    b = sd.Builder("shaft", base="fixed")
    b.base("floor", mass=10.0, inertia=(1, 2, 2.5))
    b.link("wheel", "revolute", parent="floor", mass=4.0, inertia=(0.6 * inertia, 0.7 * inertia, inertia), **joint)
    return b.build()


def pair(rotor=1e-4, link=0.3, base="fixed"):
    b = sd.Builder("pair", base=base)
    b.base("floor", mass=10.0, inertia=(1, 2, 2.5))
    b.wheel("rotor", on="floor", mass=0.2, inertia=rotor)
    b.wheel("link", on="floor", mass=2.0, inertia=link)
    return b.build()


@sd.law
def feed(t, s, p, out):
    out.drive.voltage[0] = p.volts


@sd.law
def wave(t, s, p, out):
    out.drive.voltage[0] = p.volts * np.sin(p.pace * t)


def run_of(model, drive, law, duration, state=None, **options):
    start = model.neutral_state() if state is None else state
    return sd.simulate(model, start, duration, laws=[law], elements=[drive], **options)


# --- the circuit -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.Radau5(rtol=1e-11, atol=1e-13)])
def test_a_step_of_voltage_is_answered_as_the_circuit_and_the_inertia_have_it(method):
    """L i' = V - R i - c w, J w' = c i - b w: against the matrix exponential."""
    J, b, R, L, k, ratio, V = 0.01, 0.002, 1.5, 0.03, 0.08, 3.0, 12.0
    c = ratio * k
    drive = sd.DCMotor("wheel", resistance=R, inductance=L, torque_constant=k, ratio=ratio, name="drive")
    run = run_of(shaft(J, damping=b), drive, feed(volts=V), 0.5, record=0.02, method=method)
    A, B = np.array([[-R / L, -c / L], [c / J, -b / J]]), np.array([V / L, 0.0])
    rest = -np.linalg.solve(A, B)
    expected = np.array([rest - expm(A * t) @ rest for t in run.time])
    np.testing.assert_allclose(run["current"][:, 0], expected[:, 0], atol=2e-8)
    np.testing.assert_allclose(run["qd"][:, 0], expected[:, 1], atol=2e-8)
    np.testing.assert_allclose(run["power"][:, 0], V * expected[:, 0], atol=2e-7)
    assert run.audit().energy < 1e-8


def test_poles_and_gain_of_a_published_motor():
    """Control Tutorials for MATLAB and Simulink, "DC Motor Speed": J = 0.01, b = 0.1, K = 0.01, R = 1, L = 0.5.

    Poles -9.9975 and -2.0025, K / ((J s + b)(L s + R) + K²) = 0.0999 rad/s a volt at rest (printed digits).
    """
    drive = sd.DCMotor("wheel", resistance=1.0, inductance=0.5, torque_constant=0.01, name="drive")
    model = shaft(0.01, damping=0.1)
    poles = sd.linearize(model, model.neutral_state(), elements=[drive]).eigenvalues().real
    np.testing.assert_allclose(np.sort(poles), [-9.9975, -2.0025, 0.0], atol=5e-5)
    run = run_of(model, drive, feed(volts=1.0), 10.0, record=10.0)
    assert run["qd"][-1, 0] == pytest.approx(0.0999, abs=5e-5)
    assert run["qd"][-1, 0] == pytest.approx(0.01 / (0.1 + 0.01**2), rel=1e-7)


def test_without_inductance_the_current_follows_at_once():
    """J w' = c (V - c w) / R, and a limit of the current holds it there until the back-EMF is large enough."""
    J, R, c, V, most = 0.01, 2.0, 0.2, 10.0, 3.0
    drive = sd.DCMotor("wheel", resistance=R, torque_constant=c, current_limit=most, name="drive")
    run = run_of(shaft(J), drive, feed(volts=V), 1.0, record=0.02)
    knee = (V - R * most) / c
    when = J * knee / (c * most)
    free = V / c - (V / c - knee) * np.exp(-c * c / (R * J) * (run.time - when))
    np.testing.assert_allclose(run["qd"][:, 0], np.where(run.time < when, c * most / J * run.time, free), atol=1e-9)
    assert run["current"].max() == pytest.approx(most, abs=1e-12) and run.audit().energy < 1e-10


def test_an_amplifier_limits_voltage_and_current():
    """i rises as an RL circuit does, is held, and falls again when the voltage has turned; of a shaft that is held."""
    R, L, V, most = 1.0, 0.1, 24.0, 6.0
    drive = sd.DCMotor("wheel", resistance=R, inductance=L, torque_constant=0.1, voltage_limit=V, current_limit=most,
                       name="drive")  # fmt: skip

    @sd.law(period=0.2)
    def to_and_fro(t, s, p, out):
        out.drive.voltage[0] = 100.0 if t < 0.15 else -100.0

    elements = [drive, sd.LockedJoint("wheel")]
    run = sd.simulate(shaft(), shaft().neutral_state(), 0.4, laws=[to_and_fro()], elements=elements, record=0.005)
    t, full = run.time, V / R
    up = np.minimum(full * (1.0 - np.exp(-R / L * t)), most)
    down = np.maximum(-full + (most + full) * np.exp(-R / L * (t - 0.2)), -most)
    np.testing.assert_allclose(run["current"][:, 0], np.where(t < 0.2 - 1e-12, up, down), atol=1e-8)
    held = (up >= most - 1e-9) & (t < 0.19) & (t > 0.05)
    np.testing.assert_allclose(
        run["power"][held, 0], R * most**2, atol=1e-7
    )  # the amplifier gives no more than it takes
    assert run.audit().energy < 1e-9


# --- gears -----------------------------------------------------------------------------------------------------------


def test_a_gear_takes_its_share_of_what_passes_through_it():
    """Driving: efficiency times the torque; driven by the load: 1 / efficiency times it; both at full speed."""
    J, c, h = 0.05, 0.5, 0.8
    drive = sd.DCMotor("wheel", resistance=1.0, torque_constant=c, efficiency=h, slow_speed=1e-4, name="drive")
    fast = run_of(shaft(J), drive, feed(volts=4.0), 0.2, shaft(J).state(qd=[2.0]), record="steps")
    i = fast["current"][:, 0]
    np.testing.assert_allclose(fast["torque"][:, 0], h * c * i, rtol=1e-12)
    driven = run_of(shaft(J), drive, feed(volts=0.0), 0.2, shaft(J).state(qd=[2.0]), record="steps")
    np.testing.assert_allclose(driven["torque"][:, 0], c / h * driven["current"][:, 0], rtol=1e-12)
    rate = c * c / h / J  # R = 1: w' = -rate w
    np.testing.assert_allclose(driven["qd"][:, 0], 2.0 * np.exp(-rate * driven.time), rtol=1e-8)
    swung = run_of(shaft(J), drive, wave(volts=4.0, pace=9.0), 2.0, record=0.05)
    assert swung.audit().energy < 1e-8 and swung["element_dissipated"][-1, 0] > 0.0


def test_a_flexible_drive_rings_at_the_frequency_of_both_inertias():
    """Reduced inertia 1 / (1 / J + 1 / (N² Jr)); undamped, energy is kept; damped, the ledger has what is lost."""
    Jr, J, N, k, d = 1e-4, 0.3, 50.0, 800.0, 0.4
    reduced = 1.0 / (1.0 / J + 1.0 / (N * N * Jr))
    model = pair(Jr, J)
    gear = sd.FlexibleDrive("rotor", "link", ratio=N, stiffness=k, damping=d)
    poles = sd.linearize(model, model.neutral_state(), elements=[gear]).eigenvalues()
    decay, w = d / (2 * reduced), np.sqrt(k / reduced - (d / (2 * reduced)) ** 2)
    found = poles[np.argmax(poles.imag)]
    assert found.real == pytest.approx(-decay, rel=1e-9) and found.imag == pytest.approx(w, rel=1e-9)
    stiff = sd.FlexibleDrive("rotor", "link", ratio=-N, stiffness=k)
    run = sd.simulate(model, model.state(qd=[20.0, 0.0]), 1.0, elements=[stiff], record=0.01)
    w = np.sqrt(k / reduced)
    np.testing.assert_allclose(run["twist"][:, 0], -20.0 / N / w * np.sin(w * run.time), atol=1e-9)
    assert run.audit().energy < 1e-9


def test_teeth_with_backlash_knock_with_the_period_of_the_closed_form():
    """Without damping: half a swing of the spring, pi / w, then across the gap at the same speed, and back."""
    Jr, J, N, k, gap = 1e-4, 0.3, 50.0, 800.0, 0.02
    model, reduced = pair(Jr, J), 1.0 / (1.0 / J + 1.0 / (N * N * Jr))
    gear = sd.FlexibleDrive("rotor", "link", ratio=N, stiffness=k, backlash=gap)
    speed, w = 0.5, np.sqrt(k / reduced)  # of the twist
    start = model.state(q=[0.5 * gap * N, 0.0], qd=[speed * N, 0.0])  # teeth touch
    period = 2.0 * (np.pi / w + gap / speed)
    run = sd.simulate(model, start, 3.0 * period, elements=[gear], record=period / 8)
    twist = run["twist"][:, 0]
    np.testing.assert_allclose(twist[8::8], 0.5 * gap, atol=1e-9)
    np.testing.assert_allclose(twist[4::8], -0.5 * gap, atol=1e-9)
    meet = N * N * Jr / (N * N * Jr + J) * speed  # no torque from outside: both keep their common momentum
    after = [(run["qd"][i, 0] / N, run["qd"][i, 1]) for i in (0, 8, 16)]
    np.testing.assert_allclose(after, [[speed, 0.0]] * 3, atol=1e-8)
    np.testing.assert_allclose(run["qd"] @ [N * Jr, J], meet * (N * N * Jr + J), rtol=1e-12)
    assert run.audit().energy < 1e-10 and np.abs(twist).max() > 0.5 * gap


def test_backlash_with_damping_loses_what_the_ledger_says():
    """Energy at the start is kinetic at the end, stored, or dissipated; teeth never pull."""
    model = pair()
    gear = sd.FlexibleDrive("rotor", "link", ratio=50.0, stiffness=800.0, damping=2.0, backlash=0.02)
    run = sd.simulate(model, model.state(qd=[30.0, -0.2]), 3.0, elements=[gear], record=0.003)
    gone = run["element_dissipated"][:, 0]
    total = run.energy().total
    np.testing.assert_allclose(total + gone, total[0], rtol=1e-9)
    assert run.audit().energy < 1e-9 and gone[-1] > 0.2 * total[0] and np.diff(gone).min() > -1e-12
    torque, twist = run["torque"][:, 0], run["twist"][:, 0]
    assert (torque * twist >= 0.0).all() and not torque[abs(twist) < 0.01 - 1e-9].any()


def test_a_motor_a_rotor_and_a_gear_make_a_drive_on_a_free_base():
    """All of it within the robot: momentum stays, and the ledger balances volts against heat."""
    model = pair(base="free")
    elements = [sd.DCMotor("rotor", resistance=1.0, inductance=1e-3, torque_constant=0.02, voltage_limit=20.0,
                           name="drive"),
                sd.FlexibleDrive("rotor", "link", ratio=50.0, stiffness=800.0, damping=2.0, backlash=0.01)]  # fmt: skip
    run = sd.simulate(
        model, model.neutral_state(), 3.0, laws=[wave(volts=30.0, pace=4.0)], elements=elements, record=0.1
    )
    audit = run.audit()
    assert audit.energy < 1e-9 and audit.angular_momentum < 1e-11
    work, lost = run["element_work"][-1], run["element_dissipated"][-1]
    assert work[0] > 0.0 and work[1] == 0.0
    assert run.energy().total[-1] - run.energy().total[0] == pytest.approx(work.sum() - lost.sum(), abs=1e-9 * work[0])


# --- faults ----------------------------------------------------------------------------------------------------------


def test_drives_fail_in_the_ways_they_are_told_to():
    J, c, R = 0.01, 0.2, 2.0
    common = {"resistance": R, "torque_constant": c, "inductance": 0.01, "fail_at": 0.3, "name": "drive"}
    found = {}
    for fault, more in (("free", {}), ("shorted", {}), ("stuck", {"stuck": -0.05}), ("locked", {"lock_torque": 5.0})):
        drive = sd.DCMotor("wheel", fault=fault, **more, **common)
        found[fault] = run_of(shaft(J), drive, feed(volts=5.0), 1.0, record=[0.3, 0.5, 1.0])
        assert found[fault].audit().energy < 1e-8, fault
    at = found["free"]["qd"][:, 0]
    assert at[0] == at[1] == at[2] > 1.0
    i = found["free"]["current"][:, 0]
    assert i[1] == pytest.approx(i[0] * np.exp(-R / 0.01 * 0.2), abs=1e-9)
    braked = np.array([[-R / 0.01, -c / 0.01], [c / J, 0.0]])
    expected = expm(0.2 * braked) @ [i[0], at[0]]
    assert found["shorted"]["qd"][1, 0] == pytest.approx(expected[1], abs=1e-8)
    np.testing.assert_allclose(found["stuck"]["qd"][:, 0], at[0] - 0.05 / J * np.array([0.0, 0.2, 0.7]), atol=1e-9)
    locked = found["locked"]
    assert abs(locked["qd"][1:, 0]).max() < 1e-6 and abs(locked["q"][2, 0] - locked["q"][0, 0]) < 0.2
    assert locked["element_energy"][-1, 0] < 1e-6
    assert [str(one) for one in found["stuck"].faults] == ["at 0.3 s drive failed: stuck at -0.05 N m or N"]


@pytest.mark.parametrize(("fault", "more"), [("free", {}), ("stuck", {"stuck": 0.1}), ("locked", {"lock_torque": 3.0})])
def test_plain_motors_fail_too(fault, more):
    @sd.law
    def push(t, s, p, out):
        out.motor_wheel.torque[0] = 0.2

    motor = sd.Motor("wheel", stall_torque=1.0, fail_at=0.5, fault=fault, **more)
    run = sd.simulate(shaft(0.1), shaft(0.1).neutral_state(), 1.0, laws=[push()], elements=[motor], record=0.25)
    speeds = {"free": [0, 0.5, 1, 1, 1], "stuck": [0, 0.5, 1, 1.25, 1.5], "locked": [0, 0.5, 1, 0, 0]}[fault]
    np.testing.assert_allclose(run["qd"][:, 0], speeds, atol=1e-5 if fault == "locked" else 1e-10)
    assert run.audit().energy < 1e-8 and run.faults[0].time == 0.5


def test_a_lock_slips_at_the_torque_that_it_holds():
    """Pushed by more than it holds, the joint goes on: J w' = torque - capacity; by less, it bends by a milliradian."""
    model = shaft(0.1)
    motor = sd.Motor("wheel", stall_torque=1.0, fail_at=0.0, fault="locked", lock_torque=0.5)
    push, lean = (sd.control.joint_torque(model, model.neutral_state(), tau=[tau]) for tau in (0.8, 0.4))
    run = sd.simulate(model, model.neutral_state(), 2.0, laws=[push], elements=[motor], record=1.0)
    assert run["qd"][2, 0] - run["qd"][1, 0] == pytest.approx((0.8 - 0.5) / 0.1, rel=1e-9)
    held = sd.simulate(model, model.neutral_state(), 4.0, laws=[lean], elements=[motor], record=1.0)
    bent = held["motor_wheel.bristle"][-1, 0]
    assert bent == pytest.approx(0.4 / 0.5 * 1e-3, rel=1e-6) and abs(held["qd"][-1, 0]) < 1e-8
    assert held["element_energy"][-1, 0] == pytest.approx(0.5 * 500.0 * bent**2, rel=1e-12)
    assert max(run.audit().energy, held.audit().energy) < 1e-9


# --- batches, files, bad input ---------------------------------------------------------------------------------------


def test_drives_of_a_batch_are_those_of_robots_alone():
    model, count = pair(), LANES + 2
    speeds = np.column_stack([np.linspace(-40.0, 40.0, count), np.linspace(0.3, -0.1, count)])
    elements = [sd.DCMotor("rotor", resistance=1.0, inductance=1e-3, torque_constant=0.02, voltage_limit=20.0,
                           current_limit=12.0, efficiency=0.9, name="drive"),
                sd.FlexibleDrive("rotor", "link", ratio=50.0, stiffness=800.0, damping=2.0, backlash=0.01)]  # fmt: skip
    options = {"laws": [wave(volts=30.0, pace=4.0)], "elements": elements, "record": 0.5}
    together = sd.simulate(model, model.state(qd=speeds), 1.0, **options)
    for i in range(count):
        alone = sd.simulate(model, model.state(qd=speeds[i]), 1.0, **options)
        np.testing.assert_allclose(together["qd"][:, i], alone["qd"], rtol=1e-6, atol=1e-6)
    assert together.audit().energy < 1e-7


def test_scenarios_and_files_have_drives(tmp_path):
    (tmp_path / "one.toml").write_text("""
robot = "planar_four_link"
duration = 0.5
record = 0.25
[[elements]]
kind = "dc_motor"
joint = "joint1"
resistance = 1.0
torque_constant = 0.05
inductance = 1e-3
ratio = 100.0
fail_at = 0.4
fault = "locked"
lock_torque = 20.0
[[elements]]
kind = "flexible_drive"
rotor = "joint2"
joint = "joint3"
ratio = 2.0
stiffness = 10.0
backlash = 0.01
[[elements]]
kind = "motor"
joint = "joint4"
stall_torque = 1.0
fail_at = 0.2
""")
    run = sd.Scenario.from_toml(tmp_path / "one.toml").run()
    assert [one.how for one in run.faults] == ["free", "locked"]
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc").resume(until=1.0)
    assert again.audit().within_budget and run.simulation.elements[0].label == "motor_joint1"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.DCMotor("wheel", resistance=0.0, torque_constant=1.0), "resistance must be a positive"),
        (lambda: sd.DCMotor("wheel", resistance=1.0, torque_constant=-1.0), "torque_constant must be a positive"),
        (lambda: sd.DCMotor("wheel", resistance=1.0, torque_constant=1.0, efficiency=1.2), "must be at most 1"),
        (lambda: sd.DCMotor("wheel", resistance=1.0, torque_constant=1.0, inductance=-1.0), "inductance must not"),
        (lambda: sd.DCMotor("wheel", resistance=1.0, torque_constant=1.0, fault="melted"), "no fault 'melted'"),
        (lambda: sd.DCMotor("wheel", resistance=1.0, torque_constant=1.0, fault="locked", fail_at=1.0), "lock_torque"),
        (lambda: sd.Motor("wheel", stall_torque=1.0, lock_torque=-1.0), "lock_torque must be a positive"),
        (lambda: sd.Motor("wheel", stall_torque=1.0, fault="shorted"), "no fault 'shorted'"),
        (lambda: sd.FlexibleDrive("a", "b", ratio=0.0, stiffness=1.0), "ratio cannot be zero"),
        (lambda: sd.FlexibleDrive("a", "b", ratio=1.0, stiffness=0.0), "stiffness must be a positive"),
        (lambda: sd.FlexibleDrive("a", "b", ratio=1.0, stiffness=1.0, backlash=-1.0), "backlash must not"),
        (lambda: sd.simulate(pair(), pair().neutral_state(), 1.0,
                             elements=[sd.FlexibleDrive("link", "link", ratio=1.0, stiffness=1.0)]), "both 'link'"),
        (lambda: sd.simulate(pair(), pair().neutral_state(), 1.0,
                             elements=[sd.FlexibleDrive("link", "lunk", ratio=1.0, stiffness=1.0)]), "lunk"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_name(make, words):
    with pytest.raises(sd.SpacedynError, match=words):
        make()
