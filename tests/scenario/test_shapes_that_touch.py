"""Scenarios of shapes that touch: a gripper that holds by friction, a target that is nudged."""

import numpy as np
from scipy.integrate import simpson

import spacedyn as sd


def test_a_gripper_holds_a_shaken_box_and_creeps_by_nothing():
    """Coulomb: 2 * 0.6 * 10 N carry 0.5 kg under 9.81 m/s^2 and the shaking; at rest creep is below 1e-9 m/s."""
    run = sd.Scenario.from_toml("gripper").run()
    slip = run.states.q[:, 5] - run.states.q[:, 0] - 0.1
    shaking = np.abs(np.diff(run["u"][:, 0]) / 0.01).max()
    assert 3.0 < shaking < 12.0 / 0.5 - 9.81
    assert np.abs(slip).max() < 1e-3 and np.abs(run["u"][run.time > 5.0]).max() < 1e-9
    np.testing.assert_allclose(np.sort(run["grasp.normal_force"][-1]), [0.0, 0.0, 10.0, 10.0], rtol=1e-6, atol=1e-9)
    assert run.audit().worst < 1e-7


def test_squeezed_too_little_the_box_slips():
    run = sd.Scenario.from_toml("gripper", change={"laws.0.force": 5.0, "duration": 2.0}).run()
    slip = run.states.q[:, 5] - run.states.q[:, 0] - 0.1
    assert abs(slip[run.time < 0.1]).max() < 1e-3 and abs(slip[-1]) > 5e-3
    assert run["element_dissipated"][-1, 0] > 0.01


def test_a_nudge_changes_the_spin_by_its_impulse_and_keeps_momentum():
    """Momentum of both to 1e-12; the target's own changes by the integral of the recorded wrench, to 1e-6."""
    scenario = sd.Scenario.from_toml("nudged_target")
    run = scenario.run()
    P = run.momentum(about="com")
    assert np.abs(P - P[0]).max() < 1e-12 and run.audit().worst < 1e-8
    force = run["fingertip.normal_force"]
    who = int(force.max(axis=0).argmax())
    assert run.elements[0].pair_names[who] == ("fore", "target") and 2.0 < force.max() < 20.0
    times = run.time[force[:, who] > 0.0]
    parts = scenario.build()
    fine = np.linspace(times[0] - 0.04, times[-1] + 0.04, 4001)
    robot, options = parts["robot"], {"elements": parts["elements"], "record": fine}
    near = sd.simulate(robot, parts["state"], float(fine[-1]), **options)
    contact = near.elements[0]
    own = [i for i, one in enumerate(contact.wrenches(robot)) if one.body == "target"]
    body = robot.bodies[robot.body_index("target")]
    f, L, moment, places = np.zeros((len(fine), 3)), [], np.zeros((len(fine), 3)), []
    for k, state in enumerate(near.states):
        frames = sd.forward_kinematics(robot, state).bodies
        j = robot.body_index("target")
        R, at = frames.rotation[j], frames.position[j]
        center, v = at + R @ body.com, frames.velocity[j]
        wrench = near["element_wrenches"][k].reshape(-1, 6)[own]
        points = [at + R @ contact.wrenches(robot)[i].point for i in own]
        f[k] = wrench[:, :3].sum(axis=0)
        moment[k] = sum(w[3:] + np.cross(p - center, w[:3]) for w, p in zip(wrench, points, strict=True))
        L.append(R @ body.inertia @ R.T @ v[3:])
        places.append(body.mass * (v[:3] + np.cross(v[3:], R @ body.com)))
    impulse, turn = simpson(f, x=fine, axis=0), simpson(moment, x=fine, axis=0)
    assert np.linalg.norm(impulse) > 0.1
    np.testing.assert_allclose(places[-1] - places[0], impulse, atol=1e-5 * np.linalg.norm(impulse))
    np.testing.assert_allclose(L[-1] - L[0], turn, atol=1e-5 * np.linalg.norm(turn))
