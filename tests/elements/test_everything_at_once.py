"""ETS-VII with every device running at once: energy, momentum, mass and propellant over 1000 s.

From the planet's centre the angular momentum is that of the orbit, some 1e14 N m s: a ledger within 1e-9 of it says
nothing of what wheels and thrusters exchange, some hundred N m s. So the same flight is also reckoned from an origin
that falls along the orbit, where the angular momentum is that of the satellite itself.
"""

import numpy as np
import pytest

import spacedyn as sd

MU, RADIUS = 3.986004418e14, 6.928e6


def satellite():
    """ETS-VII with four reaction wheels and a control-moment gyro."""
    b = sd.Builder.from_model(sd.load("ets7"))
    for i, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        axis = np.array([x, y, 1.0]) / np.sqrt(3)
        b.wheel(f"wheel{i}", on="base", axis=axis, mass=9.0, inertia=0.2, position=(0.4 * x, 0.4 * y, -0.5))
    b.control_moment_gyro(
        "gyro", on="base", gimbal_axis=(0, 0, 1), spin_axis=(1, 0, 0), mass=8.0, inertia=0.1,
        gimbal_mass=4.0, gimbal_inertia=(0.05, 0.06, 0.07), position=(0, 0.3, 0.2),
    )  # fmt: skip
    return b.build()


@sd.law(period=0.5)
def busy(t, s, p, out):
    out.motor_joint2.torque[0] = 0.2 * np.sin(0.5 * t)
    out.motor_joint4.torque[0] = 0.1 * np.cos(0.4 * t) - 0.1 * s.qd[3]
    out.motor_wheel0.torque[0] = 0.3 * np.sin(0.02 * t)
    out.motor_wheel1.torque[0] = 0.05
    out.motor_wheel2.torque[0] = -0.05 + 0.02 * s.gyros.angular_velocity[2]
    out.motor_wheel3.torque[0] = 0.02 * np.cos(0.01 * t)
    out.motor_gyro_gimbal.torque[0] = 0.01 * np.sin(0.03 * t)
    out.drive.voltage[0] = 0.4 * np.sin(0.4 * t) - 2.0 * s.feel.specific_force[0]
    out.jet.throttle[0] = 1.0 if int(np.rint(t / 0.5)) % 40 == 3 else 0.0
    out.vernier.throttle[0] = 0.3 + 0.3 * np.sin(0.05 * t)
    for i in range(3):
        out.rods.dipole[i] = 1e6 * s.rods.field[i]


def elements():
    n = np.array([0.0, 1.0, 0.0])
    paddles = [
        sd.ModalAppendage(
            "base", [0.11, 0.4], damping=0.005, position=1.2 * side * n, name=name,
            delta0=[[0, 0, 6.0], [0, 0, 2.0]], delta1=[[10.0 * side, 0, 0], [3.0 * side, 0, 0]],
        )
        for side, name in ((1, "north"), (-1, "south"))
    ]  # fmt: skip
    motors = [
        sd.Motor(joint, stall_torque=torque)
        for joint, torque in (
            ("joint2", 0.15), ("joint4", 5.0), ("wheel0", 0.2), ("wheel1", 0.2), ("wheel2", 0.2), ("wheel3", 0.2),
            ("gyro_gimbal", 0.1),
        )
    ]  # fmt: skip
    faces = sd.orbit.box_plates((2.0, 2.0, 2.6))
    return [
        *paddles,
        *motors,
        sd.DCMotor(
            "joint6", resistance=1.0, torque_constant=0.05, inductance=0.5, ratio=10.0, efficiency=0.8, name="drive"
        ),
        sd.AtmosphericDrag("base", *faces, drag=2.2, lift=0.1, name="air"),
        sd.SolarPressure("base", *faces, sun=[1.2e11, 0.8e11, 0.3e11], specular=0.3, diffuse=0.2, name="light"),
        sd.Accelerometer(("base", [0.5, 0.4, 0.3]), noise=1e-6, period=0.5, seed=4, name="feel"),
        sd.Tank("base", 80.0, position=(0, 0, -0.8), gyration=0.3, name="main"),
        sd.Thruster("base", 5.0, (1, 0, 0), (-1, 0.4, 0), 220.0, "main", on_off=True, minimum_pulse=0.3, name="jet"),
        sd.Thruster("base", 1.0, (0, 1, 0), (0.2, -1, 0), 220.0, "main", rise=0.1, decay=0.2, name="vernier"),
        sd.Magnetorquer("base", limit=100.0, name="rods"),
        sd.Gyro("base", noise=1e-5, period=0.5, seed=3, name="gyros"),
        sd.BristleFriction("joint1", coulomb=0.5, stiffness=200.0, damping=20.0, viscous=2.0),
        sd.Drag("base", 1e-3),
        sd.CentralGravity(),
    ]


@pytest.fixture(scope="module", params=["from the planet", "from a falling origin"])
def run(request):
    robot, place, speed = satellite(), np.array([RADIUS, 0, 0]), np.array([0, np.sqrt(MU / RADIUS), 0])
    origin = [sd.OrbitingOrigin(place, speed)] if request.param == "from a falling origin" else []
    state = robot.state(
        q={"joint2": 0.4, "joint3": -0.8, "joint5": 0.3},
        qd={"joint1": 0.01, "wheel0": 30.0, "wheel2": -20.0, "gyro_wheel": 100.0}, base_rate=[0.001, 0.002, 0.0011],
        **({} if origin else {"base_position": place, "base_velocity": speed}),
    ).with_internal({"north.amplitude": [0.2, 0.0]})  # fmt: skip
    return sd.simulate(robot, state, 1000.0, laws=[busy()], elements=[*origin, *elements()], record=5.0)


def test_the_ledger_holds(run):
    audit = run.audit()
    assert audit.energy < 1e-9 and audit.linear_momentum < 1e-9 and audit.angular_momentum < 1e-9
    assert audit.mass < 1e-12
    assert run["main.propellant"][-1, 0] < 79.9


def test_everything_does_something(run):
    """A ledger of what does nothing would balance, too."""
    assert np.ptp(run["feel.specific_force"], axis=0).max() > 1e-4
    assert np.ptp(run["current"]) > 0.2 and run["density"].max() > 1e-13
    assert run["light"].max() == 1.0 and np.abs(run["drive.winding"]).max() > 0.0


def test_internal_devices_keep_the_angular_momentum():
    """Wheels, gyro, motors, friction and paddles alone, in free space: nothing acts from outside."""
    robot = satellite()
    inside = [one for one in elements() if isinstance(one, sd.Motor | sd.ModalAppendage | sd.BristleFriction | sd.Gyro)]

    @sd.law(period=0.5)
    def turn(t, s, p, out):
        out.motor_joint2.torque[0] = 2.0 * np.sin(0.05 * t)
        out.motor_wheel0.torque[0] = 0.3 * np.sin(0.02 * t)
        out.motor_gyro_gimbal.torque[0] = 0.01 * np.sin(0.03 * t)

    state = robot.state(
        q={"joint2": 0.4, "joint3": -0.8, "joint5": 0.3},
        qd={"joint1": 0.01, "wheel0": 30.0, "wheel2": -20.0, "gyro_wheel": 100.0}, base_rate=[0.001, 0.002, 0.0011],
    ).with_internal({"north.amplitude": [0.2, 0.0]})  # fmt: skip
    tight = sd.DormandPrince8(rtol=1e-13, atol=1e-14)
    run = sd.simulate(robot, state, 1000.0, laws=[turn()], elements=inside, record=5.0, method=tight)
    assert run.audit().angular_momentum < 1e-12 and run.audit().linear_momentum < 1e-12 and run.audit().energy < 1e-9
