"""Figures of the pages in docs/flights: `python docs/take_pictures.py NAME` draws one of them anew."""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

import spacedyn as sd


def ets7_paddles() -> Figure:
    """The satellite's turn and a paddle's bend, of three flights."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    flights = {"free": "ets7_paddles", "held by wheels": "ets7_paddles_wheels", "reactionless": "ets7_paddles_quiet"}
    for label, name in flights.items():
        run = sd.Scenario.from_toml(name).run(progress=False)
        base = run.body("base")
        tip = run.endpoint("paddle_left_tip").position - base.position
        left.plot(run.time, np.degrees(run.states.base_attitude.magnitude()), label=label)
        right.plot(run.time, 1000 * (np.einsum("tji,tj->ti", base.rotation, tip)[:, 2] + 0.3), label=label)
    left.set(xlabel="time [s]", ylabel="turn of the satellite [deg]")
    right.set(xlabel="time [s]", ylabel="bend of a paddle's tip [mm]")
    left.legend()
    return figure


def macro_mini() -> Figure:
    """How far the end of the long arm is from where it comes to rest, with the small arm held and at work."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for label, name in {"small arm held": "macro_mini", "vibration damping": "macro_mini_quiet"}.items():
        run = sd.Scenario.from_toml(name, change={"duration": 150.0}).run(progress=False)
        place = run.endpoint("wrist").position[:, 1]
        until = run.time < 60.0
        left.plot(run.time[until], 1000 * (place - place[run.time > 130].mean())[until], label=label)
        mini = run.states.q[until][:, 10:] - run.states.q[0, 10:]
        right.plot(run.time[until], np.degrees(np.abs(mini).max(axis=1)), label=label)
    left.set(xlabel="time [s]", ylabel="end of the long arm, y [mm]", ylim=(-60, 60))
    right.set(xlabel="time [s]", ylabel="largest angle in the small arm [deg]")
    left.legend()
    return figure


def srms_spdm() -> Figure:
    """How the end of the Shuttle's arm swings, seen from the Shuttle, with SPDM's joints held and at work."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for label, name in {"SPDM held": "srms_spdm", "vibration damping": "srms_spdm_quiet"}.items():
        run = sd.Scenario.from_toml(name, change={"duration": 300.0}).run(progress=False)
        base = run.body("orbiter")
        place = np.einsum("tji,tj->ti", base.rotation, run.endpoint("wrist").position - base.position)[:, 2]
        until = run.time < 120.0
        left.plot(run.time[until], 1000 * (place - place[run.time > 270].mean())[until], label=label)
        arm = run.states.q[until][:, -7:] - run.states.q[0, -7:]
        right.plot(run.time[until], np.degrees(np.abs(arm).max(axis=1)), label=label)
    left.set(xlabel="time [s]", ylabel="end of the Shuttle's arm, z [mm]", ylim=(-60, 60))
    right.set(xlabel="time [s]", ylabel="largest angle in SPDM's arm [deg]")
    left.legend()
    return figure


def resolved_rate() -> Figure:
    """How far the hand is from its line, by two Jacobians, with and without feedback."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = {"generalized Jacobian": "resolved_rate", "Jacobian of a fixed base": "resolved_rate_fixed"}
    for axes, bandwidth in ((left, 0.0), (right, 0.5)):
        for label, name in names.items():
            run = sd.Scenario.from_toml(name, change={"laws.0.bandwidth": bandwidth}).run(progress=False)
            law = sd.endpoint_line(*run.endpoint("hand").position[:1], np.eye(3), by=[-1.0, 2.0, 1.0], duration=25.0)
            wanted = np.array([law.at(t).position for t in run.time])
            off = np.linalg.norm(run.endpoint("hand").position - wanted, axis=1)
            axes.plot(run.time, 1000 * off, label=label)
        axes.set(xlabel="time [s]", ylabel="hand from where it should be [mm]", yscale="log", ylim=(1e-2, 2e3))
    left.set_title("rates alone")
    right.set_title("with feedback of the hand's place")
    left.legend()
    return figure


def dual_arm_capture() -> Figure:
    """Distance and propellant over the approach; rates and a wheel's momentum at the catch."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    run = sd.Scenario.from_toml("dual_arm_capture").run(progress=False)
    gap = run.endpoint("left_handle").position - run.endpoint("left_hand").position
    left.plot(run.time, np.linalg.norm(gap, axis=1), label="left hand to its handle [m]")
    left.plot(run.time, 100 * (60.0 - run["tank.propellant"][:, 0]), label="propellant used [10 g]")
    catch = run.time > 130.0
    rate = np.degrees(np.linalg.norm(run.body("target").velocity[catch, 3:], axis=1))
    right.plot(run.time[catch], rate, label="target's rate [deg/s]")
    right.plot(run.time[catch], np.degrees(run.states.base_attitude.magnitude())[catch], label="chaser's turn [deg]")
    right.plot(run.time[catch], 0.08 * run.states.qd[catch, -2], label="wheel y [N m s]")
    for axes in (left, right):
        axes.set_xlabel("time [s]")
        axes.legend()
    right.set_xlim(130, 220)
    return figure


def ssrms_berthing() -> Figure:
    """The module's way to the port, the station's recoil, and the torques of the arm."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    run = sd.Scenario.from_toml("ssrms_berthing").run(progress=False)
    gap = run.endpoint("ring").position - run.endpoint("port").position
    left.plot(run.time, np.linalg.norm(gap, axis=1), label="ring to port [m]")
    left.plot(run.time, 10 * np.linalg.norm(run.states.base_position, axis=1), label="station's shift [10 cm]")
    left.plot(run.time, 10 * np.degrees(run.states.base_attitude.magnitude()), label="station's turn [0.1 deg]")
    for number, joint in enumerate(("shoulder roll", "shoulder yaw", "shoulder pitch", "elbow pitch", "wrist pitch")):
        right.plot(run.time, run["tau"][:, number], label=joint)
    left.set_xlabel("time [s]")
    right.set(xlabel="time [s]", ylabel="torque [N m]")
    left.legend()
    right.legend()
    return figure


def muses_c() -> Figure:
    """Forces on the horn's rim and how far it is pressed; tilt over the speed of touch-down, with jets and without."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    scenario = sd.Scenario.from_toml("muses_c")
    run, parts = scenario.run(progress=False), scenario.build()
    left.plot(run.time, run["rim.normal_force"].sum(axis=1), label="force of the ground [N]")
    left.plot(run.time, 100 * run.states.q[:, 2], label="stroke of the horn [cm]")
    left.plot(run.time, 100 * run.states.base_velocity[:, 2], label="upward speed [cm/s]")
    left.set(xlabel="time [s]", xlim=(4, 12), ylim=(-15, 45))
    left.legend()
    robot, ground = parts["robot"], parts["elements"][0].surface
    rng, n = np.random.default_rng(2005), 200
    x, y = rng.uniform(-3.0, 3.0, (2, n))
    start = robot.state(
        base_position=np.column_stack([x, y, ground.height(x, y) + 1.9]),
        base_velocity=np.column_stack([rng.normal(0.0, 0.05, (n, 2)), -rng.uniform(0.05, 0.2, n)]),
        base_attitude=sd.Rotation.from_rotvec(np.radians(rng.normal(0.0, 7.0, (n, 3)) * [1, 1, 0])),
    )
    for label, wait in (("no jets", 1e9), ("jets after 1 s", 1.0)):
        same = sd.Scenario.from_toml("muses_c", change={"laws.0.wait": wait}).build()
        options = {"gravity": [0, 0, -1e-4], "record": 0.5, "method": sd.DormandPrince8(rtol=1e-8, atol=1e-9)}
        many = sd.simulate(robot, start, 30.0, laws=same["laws"], elements=same["elements"], **options, progress=False)
        x, y = np.moveaxis(many.states.base_quaternion_xyzw[..., :2], -1, 0)
        tilt = np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x**2 + y**2), -1.0, 1.0))).max(axis=0)
        right.plot(-100 * start.base_velocity[:, 2], tilt, ".", label=label)
    right.set(xlabel="speed of touch-down [cm/s]", ylabel="largest tilt within 30 s [deg]")
    right.legend()
    return figure


def bicycle() -> Figure:
    """Lean and steer after a push; real parts of the eigenvalues over the speed."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    scenario = sd.Scenario.from_toml("bicycle")
    run, parts = scenario.run(progress=False), scenario.build()
    robot, wheels = parts["robot"], parts["elements"][:2]
    left.plot(run.time, np.degrees(np.arcsin(run.states.base_attitude.apply([0, 1, 0])[:, 2])), label="lean")
    left.plot(run.time, np.degrees(run["q"][:, 1]), label="steer")
    left.set(xlabel="time [s]", ylabel="angle [deg]")
    left.legend()
    for speed in np.linspace(0.0, 10.0, 201):
        rates = {"rear_wheel": speed / 0.3, "front_wheel": speed / 0.35}
        state = robot.state(base_frame_position=(0, 0, 0), base_velocity=(speed, 0, 0), qd=rates)
        values = sd.linearize(robot, state, gravity=(0, 0, -9.81), elements=wheels).eigenvalues()
        values = values[np.abs(values) > 1e-5]
        right.plot(np.full(values.size, speed), values.real, "k.", markersize=2)
    right.axhline(0.0, linewidth=0.8)
    right.set(xlabel="speed [m/s]", ylabel="real parts [1/s]", ylim=(-10, 10))
    return figure


def two_arms_payload() -> Figure:
    """Forces of the hands along the line between them, with a squeeze and without; rates of the bus, and momentum."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for force, style in ((60.0, "-"), (0.0, ":")):
        run = sd.Scenario.from_toml("two_arms_payload", change={"laws.1.force": force}).run(progress=False)
        for side, colour in (("left", "C0"), ("right", "C1")):
            label = f"{side} hand" if force else None
            left.plot(run.time, run[f"{side}_grip.force"][:, 0], colour + style, label=label)
    momentum = run.momentum(about="com")[:, 3:]
    for i, axis in enumerate("xyz"):
        right.plot(run.time, 1000 * run.states.base_rate[:, i], f"C{i}", label=f"rate {axis} [mrad/s]")
        right.plot(run.time, momentum[:, i], f"C{i}--", label=f"momentum {axis} [N m s]")
    left.set(xlabel="time [s]", ylabel="force along the hand [N]")
    right.set(xlabel="time [s]", ylim=(-38, 50))
    left.legend()
    right.legend(fontsize="small", ncols=2, loc="upper right")
    return figure


def stewart_platform() -> Figure:
    """Lengths of the legs, and the forces in them."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    run = sd.Scenario.from_toml("stewart_platform").run(progress=False)
    model = run.states.model
    for i in range(1, 7):
        left.plot(run.time, run["q"][:, model.q_slice(f"leg{i}")], label=f"leg {i}")
        right.plot(run.time, run["tau"][:, model.qd_slice(f"leg{i}")], label=f"leg {i}")
    left.set(xlabel="time [s]", ylabel="length [m]")
    right.set(xlabel="time [s]", ylabel="force [N]")
    left.legend(ncols=2)
    return figure


def squeezer() -> Figure:
    """Angles of the bodies that do not turn round; the force at a pin."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    run = sd.Scenario.from_toml("squeezer").run(progress=False)
    model = run.states.model
    for name in ("K3", "K4", "K5", "K6", "K7"):
        left.plot(1000 * run.time, run["q"][:, model.q_slice(name)], label=name)
    right.plot(1000 * run.time, np.linalg.norm(run["pin_K3.force"], axis=1))
    left.set(xlabel="time [ms]", ylabel="angle [rad]")
    right.set(xlabel="time [ms]", ylabel="force at the pin of K3 [N]")
    left.set_ylim(-0.6, 1.7)
    left.legend(ncols=5, loc="upper center", fontsize="small")
    return figure


def bouncing_ball() -> Figure:
    """Height with the tops in closed form; speed of the centre, and slip."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    run, e, fall = sd.Scenario.from_toml("bouncing_ball").run(progress=False), 0.8, np.sqrt(2.0 / 9.81)
    k = np.arange(1, 21)
    tops = fall * (1.0 + 2.0 * e * (1.0 - e ** (k - 1)) / (1.0 - e) + e**k)
    left.plot(run.time, run.states.base_position[:, 2] - 0.1, label="simulated")
    left.plot(tops, e ** (2.0 * k), "o", markersize=4, label="tops, closed form")
    left.axvline(fall * (1.0 + e) / (1.0 - e), color="0.6", linewidth=1.0, label="rest, closed form")
    v, w = run.states.base_velocity[:, 0], run.states.base_rate[:, 1]
    right.plot(run.time, v, label="centre")
    right.plot(run.time, v - 0.1 * w, label="lowest point: slip")
    left.set(xlabel="time [s]", ylabel="height [m]")
    right.set(xlabel="time [s]", ylabel="speed [m/s]")
    left.legend()
    right.legend()
    return figure


def gripper() -> Figure:
    """What friction carries and the box asks for; how far it slips, squeezed firmly and weakly."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for force, label in ((10.0, "10 N a finger"), (5.0, "5 N a finger")):
        run = sd.Scenario.from_toml("gripper", change={"laws.0.force": force, "duration": 5.0}).run(progress=False)
        slip = 1000 * (run.states.q[:, 5] - run.states.q[:, 0] - 0.1)
        right.plot(run.time, np.maximum(slip, -60.0), label=label)
        if force == 10.0:
            asked = 0.5 * (9.81 + np.gradient(run["u"][:, 5], run.time))
            left.plot(run.time, asked, label="friction that the box asks for [N]")
            left.plot(run.time, 0.6 * run["grasp.normal_force"].sum(axis=1), label="most that there is [N]")
            left.plot(run.time, 100 * run.states.q[:, 0], label="the hand's height [cm]")
    left.set(xlabel="time [s]")
    right.set(xlabel="time [s]", ylabel="slip of the box in the hand [mm]")
    left.legend(fontsize="small")
    right.legend()
    return figure


def nudged_target() -> Figure:
    """Force and gap of the fingertip; the target's angular velocity."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    scenario = sd.Scenario.from_toml("nudged_target")
    run, parts = scenario.run(progress=False), scenario.build()
    who = int(run["fingertip.normal_force"].max(axis=0).argmax())
    touch = run.time[run["fingertip.normal_force"][:, who] > 0.0]
    times = np.linspace(touch[0] - 0.06, touch[-1] + 0.06, 401)
    near = sd.simulate(parts["robot"], parts["state"], float(times[-1]), elements=parts["elements"], record=times)
    left.plot(times, near["fingertip.normal_force"][:, who], label="force [N]")
    left.plot(times, 1000 * near["fingertip.gap"][:, who], label="gap [mm]")
    target = run.states.model.body_index("target")
    rates = np.array([sd.forward_kinematics(run.states.model, s).bodies.velocity[target, 3:] for s in run.states])
    for i, axis in enumerate("xyz"):
        right.plot(run.time, rates[:, i], label=f"rate {axis}")
    left.set(xlabel="time [s]")
    right.set(xlabel="time [s]", ylabel="of the target [rad/s]")
    left.legend()
    right.legend()
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    made.__name__: made
    for made in (
        ets7_paddles,
        macro_mini,
        srms_spdm,
        resolved_rate,
        dual_arm_capture,
        ssrms_berthing,
        muses_c,
        bicycle,
        two_arms_payload,
        stewart_platform,
        squeezer,
        bouncing_ball,
        gripper,
        nudged_target,
    )
}
"""By the name of their page."""
