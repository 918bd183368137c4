"""Mechanisms with closed chains: two arms with a payload, a Stewart platform, Andrews' squeezer, a bicycle."""

import mpmath as mp
import numpy as np
import pytest

import spacedyn as sd
from high_precision import about, cross, dot, exact

# --- two arms with a payload ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def held():
    return sd.Scenario.from_toml("two_arms_payload").run()


def test_two_arms_keep_all_momentum(held):
    """To 1e-12 of what it is made of: the bus and the payload turn against each other all the time."""
    P = held.momentum(about="com")
    scale = np.abs(P[:, 3:]).max()
    assert scale > 1.0 and np.ptp(held.states.base_rate, axis=0).max() > 0.01
    assert np.abs(P[:, 3:] - P[0, 3:]).max() < 1e-12 * scale
    about_origin = held.momentum()
    assert np.abs(about_origin[:, :3] - about_origin[0, :3]).max() < 1e-10
    audit = held.audit()
    assert audit.within_budget and audit.energy < 1e-9 and np.abs(held["gap"]).max() < 1e-12
    assert np.all(held["closure"][:, 2] == 12)


def test_a_squeeze_is_felt_by_the_hands_alone(held):
    """The same motion with and without; the hands' forces differ by what is commanded, along the line between them."""
    without = sd.Scenario.from_toml("two_arms_payload", change={"laws.1.force": 0.0}).run()
    np.testing.assert_allclose(held["u"], without["u"], atol=1e-7)
    k = int(np.argmin(abs(held.time - 12.0)))
    more = held["right_grip.force"][k] - without["right_grip.force"][k]
    assert abs(np.linalg.norm(more) - 60.0) < 1e-5
    np.testing.assert_allclose(more, [0.0, 60.0, 0.0], atol=1e-5)  # axes of the payload
    other = held["left_grip.force"][k] - without["left_grip.force"][k]
    np.testing.assert_allclose(other, [0.0, -60.0, 0.0], atol=1e-5)
    late = held["right_grip.force"][-1] - without["right_grip.force"][-1]
    assert np.abs(late).max() < 1e-5


@pytest.mark.filterwarnings("ignore:.*rows are redundant:spacedyn.errors.RunWarning")
def test_hands_that_cannot_yield_share_by_least_forces(held):
    """Wrists that are locked make rows redundant: multipliers are the least ones, by a dense pseudo-inverse."""
    parts = sd.Scenario.from_toml("two_arms_payload").build()
    robot, grips = parts["robot"], parts["elements"]
    stiff = [f"{side}_{name}" for side in ("left", "right") for name in ("roll", "pitch", "turn")]
    locked = robot.lock(stiff)
    q = {name: parts["state"].q[robot.q_slice(name)] for name in robot.joint_names if name not in stiff}
    state = locked.state(q=q, base_rate=(0.1, -0.2, 0.15), qd={"held": np.zeros(6)})
    mobility = sd.constraints.mobility(locked, state, grips)
    assert (mobility.rows, mobility.rank) == (12, 9) and set(mobility.redundant) == {"left_grip", "right_grip"}
    run = sd.simulate(locked, state, 0.1, elements=grips)
    J, H = sd.constraints.jacobian(locked, state, grips), sd.mass_matrix(locked, state)
    a = sd.forward_dynamics(locked, state)
    motion = sd.constraints.forward_dynamics(locked, state, grips)
    lam = np.linalg.pinv(J.T, rcond=1e-10) @ (H @ (motion.udot - a))
    np.testing.assert_allclose(np.concatenate(list(motion.multipliers.values())), lam, atol=1e-9)
    np.testing.assert_allclose(run["udot"][0], motion.udot, atol=1e-11)
    found = np.concatenate([run["left_grip.force"][0], run["right_grip.force"][0]])
    np.testing.assert_allclose(np.linalg.norm(found), np.linalg.norm(lam.reshape(2, 6)[:, :3]), rtol=1e-9)
    assert np.abs(lam).max() > 0.1 and run.audit().within_budget


# --- a Stewart platform -----------------------------------------------------------------------------------------------


def plate_at(t):
    """Place and rotation of the plate on its path, in as many digits as mpmath has."""
    w = 2 * mp.pi / 3
    c = mp.cos(w * t)
    place = mp.matrix([(1 - c) / 10, (1 - mp.cos(2 * w * t)) / 20, 1 + (1 - c) / 20])
    return place, about([0.6, 0.64, 0.48], exact([0.12])[0] * (1 - c))


def test_a_platform_goes_where_inverse_kinematics_leads_it():
    """The plate's pose over all of the run, held by six legs of the right lengths: to 1e-10 of the path."""
    run = sd.Scenario.from_toml("stewart_platform").run()
    frame = run.body("plate")
    for k in range(0, run.time.size, 30):
        place, turn = plate_at(mp.mpf(float(run.time[k])))
        np.testing.assert_allclose(frame.position[k], np.array(place.tolist(), float)[:, 0], atol=1e-11)
        np.testing.assert_allclose(frame.rotation[k], np.array(turn.tolist(), float), atol=1e-11)
    audit = run.audit()
    assert audit.within_budget and audit.energy < 1e-9 and np.abs(run["gap"]).max() < 1e-12


def leg_bodies(foot, top, place, turn):
    """Centres of mass and rotations of a leg's two bodies: its axis points from the foot to the plate's ball."""
    d = place + turn * top - foot
    length = mp.sqrt(dot(d, d))
    x, y, z = d / length
    R = about([0, 0, 1], mp.atan2(y, x)) * about([0, 1, 0], mp.acos(z))  # a universal joint: about z, then about y
    axis = d / length
    return [(foot + exact([0.3])[0] * axis, R), (foot + (length - exact([0.2])[0]) * axis, R)], length


def test_forces_of_the_platforms_legs_by_virtual_work():
    """Newton's and Euler's equations of all 13 bodies by derivatives in 40 digits, projected on the plate's motion."""
    scenario = sd.Scenario.from_toml("stewart_platform")
    parts = scenario.build()
    run = scenario.run()
    k = 47
    t0 = mp.mpf(float(run.time[k]))
    feet = [exact(parts["robot"].joint(f"lower{i}").position) for i in range(1, 7)]
    tops = [exact(one.point) for one in parts["elements"]]
    masses = [(10.0, (1.0, 1.2, 2.0))] + [(2.0, (0.1, 0.11, 0.02)), (1.0, (0.05, 0.06, 0.01))] * 6

    def bodies(place, turn):
        found, lengths = [(place + turn * exact([0, 0, 0.02]), turn)], []
        for foot, top in zip(feet, tops, strict=True):
            pair, length = leg_bodies(foot, top, place, turn)
            found, lengths = found + pair, [*lengths, length]
        return found, mp.matrix(lengths)

    with mp.workdps(40):
        h = mp.mpf(10) ** -10

        def along(t):
            return bodies(*plate_at(t))

        at = {i: along(t0 + i * h) for i in (-2, -1, 0, 1, 2)}
        place, turn = plate_at(t0)

        def nudged(j, step):
            if j < 3:
                return bodies(place + step * mp.eye(3)[:, j], turn)
            axis = [0, 0, 0]
            axis[j - 3] = 1
            return bodies(place, about(axis, step) * turn)

        ahead = [nudged(j, h) for j in range(6)]
        behind = [nudged(j, -h) for j in range(6)]
        power, legs = mp.zeros(6, 1), mp.zeros(6, 6)
        for b, (mass, moments) in enumerate(masses):
            c = {i: one[0][b][0] for i, one in at.items()}
            R = {i: one[0][b][1] for i, one in at.items()}
            acceleration = (-c[-2] + 16 * c[-1] - 30 * c[0] + 16 * c[1] - c[2]) / (12 * h * h)
            first = (R[-2] - 8 * R[-1] + 8 * R[1] - R[2]) / (12 * h)
            second = (-R[-2] + 16 * R[-1] - 30 * R[0] + 16 * R[1] - R[2]) / (12 * h * h)
            w = spin(first * R[0].T)
            alpha = spin(second * R[0].T)  # the even part of R'' R' is symmetric
            I = R[0] * mp.diag([exact([one])[0] for one in moments]) * R[0].T
            force = exact([mass])[0] * (acceleration + exact([0, 0, 9.81]))
            moment = I * alpha + cross(w, I * w)
            for j in range(6):
                v = (ahead[j][0][b][0] - behind[j][0][b][0]) / (2 * h)
                turned = spin((ahead[j][0][b][1] - behind[j][0][b][1]) / (2 * h) * R[0].T)
                power[j] += dot(v, force) + dot(turned, moment)
        for j in range(6):
            legs[:, j] = (ahead[j][1] - behind[j][1]) / (2 * h)
        expected = np.array(mp.lu_solve(legs.T, power).tolist(), float)[:, 0]
    model = parts["robot"]
    found = [run["tau"][k, model.qd_slice(f"leg{i}")][0] for i in range(1, 7)]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert np.ptp(expected) > 5.0


def spin(M):
    """The vector of the skew part of a matrix."""
    return mp.matrix([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]]) / 2


# --- Andrews' squeezer, a bicycle -------------------------------------------------------------------------------------


def test_the_squeezer_against_the_test_set_for_initial_value_problems():
    """q(0.03 s) by PSIDE with tolerance 1e-14 on a Cray (Mazzia & Magherini, release 2.4, II-7): as the run allows."""
    run = sd.Scenario.from_toml("squeezer").run()
    model = run.states.model
    expected = {
        "K1": 15.81077119629904,
        "K2": -15.75637105984298,
        "K3": 0.04082224013073101,
        "K4": -0.5347301163226948,
        "K5": 0.5244099658805304,
        "K6": 0.5347301163226948,
        "K7": 1.048080741042263,
    }
    found = {name: run.final.q[model.q_slice(name)][0] for name in expected}
    np.testing.assert_allclose(list(found.values()), list(expected.values()), atol=2e-8)
    assert np.abs(run["gap"]).max() < 1e-13 and run.audit().energy < 1e-8
    turns = run["q"][:, model.q_slice("K1")][:, 0] / (2 * np.pi)
    assert 2.5 < turns[-1] < 2.53 and abs(run["element_work"][-1]).max() == pytest.approx(0.033 * 15.8725, rel=1e-4)


def test_the_bicycle_rides_on_after_a_push():
    run = sd.Scenario.from_toml("bicycle").run()
    lean = np.degrees(np.arcsin(run.states.base_attitude.apply([0, 1, 0])[:, 2]))
    assert 4.5 < abs(lean).max() < 5.5 and abs(lean[-1]) < 0.5 and np.abs(lean[run.time < 1.0]).max() < 1e-12
    heading = run.states.base_attitude[-1].apply([1, 0, 0])
    assert 15.0 < np.degrees(np.arctan2(heading[1], heading[0])) < 25.0
    assert run["rear.force"][:, 2].min() > 300.0 and run["front.force"][:, 2].min() > 100.0
    assert run.audit().energy < 1e-10 and np.abs(run["gap"]).max() < 1e-12
    slow = sd.Scenario.from_toml(
        "bicycle",
        change={"state.base_velocity": [4.0, 0, 0], "state.qd": {"rear_wheel": 4.0 / 0.3, "front_wheel": 4.0 / 0.35}},
    ).run()
    weave = np.abs(np.degrees(np.arcsin(slow.states.base_attitude.apply([0, 1, 0])[:, 2])))
    assert weave[slow.time > 6.0].max() > weave[(slow.time > 2.0) & (slow.time < 4.0)].max()  # it grows below 4.29 m/s


FOUR_BAR = """
robot = "four_bar.toml"
duration = 0.2
gravity = [0.0, -9.81, 0.0]

[state]
q = [1.0, -0.9, 1.1] # near enough
assemble = true

[[elements]]
kind = "joint_hold"
joints = ["crank"]

[[elements]]
kind = "loop"
name = "pin"
joint = "line"
body = "coupler"
other = "rocker"
point = [1.0, 0.0, 0.0]
other_point = [1.0, 0.0, 0.0]
"""


@pytest.fixture
def four_bar(tmp_path):
    b = sd.Builder("four-bar", "fixed")
    b.base("ground", massless=True)
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12), "axis": (0, 0, 1)}
    b.link("crank", "revolute", parent="ground", **rod)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), **rod)
    b.link("rocker", "revolute", parent="ground", position=(1, 0, 0), **rod)
    b.build().to_toml(tmp_path / "four_bar.toml")
    (tmp_path / "scenario.toml").write_text(FOUR_BAR, encoding="utf-8")
    return tmp_path / "scenario.toml"


def test_a_scenario_assembles_its_loops(four_bar):
    scenario = sd.Scenario.from_toml(four_bar)
    run = scenario.run()
    pin = scenario.build()["elements"]
    assert run["gap"].max() < 1e-11
    rough = run.model.state(q=[1.0, -0.9, 1.1])
    assert np.array_equal(run.simulation.state.q, sd.assemble(run.model, rough, pin).q)
    held = sd.control.joint_hold(run.model, run.simulation.state, joints=["crank"])
    assert np.array_equal(run.laws[0].parameters["target"], held.parameters["target"])  # where it is assembled
    space = {"__name__": "script", "__file__": str(four_bar.with_suffix(".py"))}
    exec(compile(scenario.to_python(), "script", "exec"), space)
    assert np.array_equal(space["run"]["x"], run["x"])


def test_prescribed_joints_stay_where_they_are_while_a_scenario_assembles(four_bar):
    change = {"prescribed": {"crank": {"times": [1.0, 2.0], "values": [1.2, 1.3]}}, "start": 1.0, "elements": []}
    loop = sd.Scenario.from_toml(four_bar).content["elements"][1]
    scenario = sd.Scenario.from_toml(four_bar, change={**change, "elements": [loop]})
    run = scenario.run()
    assert abs(run.simulation.state.q[0] - 1.2) < 1e-12 and run["gap"].max() < 1e-11


def test_loops_that_stay_open_are_told_with_their_line(four_bar):
    with pytest.raises(sd.ScenarioError, match=r"line 14: loop 'pin' is open .* assemble = true in \[state\]"):
        sd.Scenario.from_toml(four_bar, change=["state.assemble=false"]).run()
    with pytest.raises(sd.ScenarioError, match="line 8: the loops cannot be closed from this state: 'pin' is open by"):
        sd.Scenario.from_toml(four_bar, change=["elements.pin.point=[5.0, 0, 0]"]).check()
    with pytest.raises(sd.ScenarioError, match=r"--set state.assemble: elements: none of them has constraint rows"):
        sd.Scenario.from_toml("koike", change=["state.assemble=true"]).check()
