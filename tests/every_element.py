"""Short runs under every kind of element that is not in `every_result`: devices, fields, what is attached to bodies."""

import numpy as np

import spacedyn as sd

MOON = {"times": [0.0, 1.0, 2.0, 3.0], "positions": np.array([3e8, 2e8, 1e8]) + np.arange(4.0)[:, None] * [1e3, 0, 0]}
SUN = np.array([1.2e11, 0.8e11, 0.3e11])


def satellite():
    """A bus, a rotor, an arm, a target that is near."""
    b = sd.Builder("satellite")
    b.base("bus", mass=20.0, inertia=(2.0, 2.3, 1.8))
    b.wheel("rotor", on="bus", mass=0.2, inertia=1e-3)
    b.link("arm", "revolute", parent="bus", position=(0.5, 0, 0), mass=2.0, inertia=(0.2, 0.25, 0.3), com=(0.2, 0, 0))
    b.link("target", "free", parent="bus", mass=3.0, inertia=(0.4, 0.5, 0.6))
    b.endpoint("hand", body="arm", position=(0.5, 0, 0))
    b.endpoint("handle", body="target", position=(0, 0.1, 0))
    return b.build()


@sd.law
def work(t, s, p, out):
    """Command everything, and read a field at once."""
    out.drive.voltage[0] = 30.0 * np.sin(40.0 * t)
    out.jet.throttle[0] = 1.0 if t < 0.01 else 0.0
    for i in range(3):
        out.rods.dipole[i] = 1e6 * s.rods.field[i]


def devices():
    """Drives, sensors, jets and grasps."""
    field = sd.MagneticField(degree=2)
    return [
        sd.DCMotor("rotor", resistance=1.0, torque_constant=0.1, inductance=0.01, efficiency=0.8, voltage_limit=20.0,
                   current_limit=2.0, fail_at=0.02, fault="locked", lock_torque=1.0, name="drive"),
        sd.FlexibleDrive("rotor", "arm", ratio=20.0, stiffness=50.0, damping=0.1, backlash=1e-4),
        sd.Magnetorquer("arm", limit=20.0, residual=[1.0, 0, 0], field=field, name="rods"),
        sd.StarTracker("arm", noise=1e-3, period=0.01), sd.Encoder("arm", noise=1e-3, period=0.01, quantum=1e-3),
        sd.SunSensor("arm", sun=[1, 0, 0], planet_radius=6e6), sd.Magnetometer("bus", field=field),
        sd.RelativePoseSensor("hand", target="handle"), sd.ForceTorqueSensor("arm", name="wrist"),
        sd.Tank("bus", 3.0, gyration=0.1, residual=0.1),
        sd.ModalAppendage("arm", [3.0], delta0=[[0.3, 0, 0]], name="panel"),
        sd.Thruster("bus", 2.0, direction=(1, 0, 0), tank="tank", rise=0.01, decay=0.02, name="slow"),
        sd.Thruster("bus", 2.0, direction=(0, 1, 0), tank="tank", on_off=True, minimum_pulse=0.015, name="jet"),
        sd.Contact("target", [(0, 0, 0.1), (0, 0, -0.1)], sd.SphereSurface(0.5, position=(0.5, 0, 0)),
                   sd.ContactMaterial(10.0, friction=0.5, dissipation=0.1), "bus", radius=0.05),
        sd.Grapple("hand", "handle", stiffness=20.0, damping=1.0, turn_stiffness=2.0, turn_damping=0.1, engaged=True),
    ]  # fmt: skip


def under_devices():
    """All devices at once, in orbit."""
    model, near = satellite(), {"target": [0.9, 0, 0, 0, 0, 0, 1]}
    start = model.state(base_position=[6.8e6, 1e5, 2e5], base_rate=[0.1, 0.2, 0.3], q=near, qd={"rotor": 3.0})
    options = {"method": sd.RungeKutta4(0.004), "record": 0.012, "budget": 1e9, "gravity": [0, 0, -0.1]}
    run = sd.simulate(model, start, 0.024, laws=[work()], elements=[sd.CentralGravity(), *devices()], **options)
    return np.concatenate([np.ravel(run[name]) for name in ("q", "u", "wrist.force", "current")])


def under_contact():
    """A body in the grip of all surfaces, materials and shapes."""
    b = sd.Builder("box")
    b.base("bus", mass=20.0, inertia=(2.0, 2.3, 1.8))
    box, more = b.build(), {"dissipation": 0.1, "friction": 0.5}
    hard, soft = sd.ContactMaterial(200.0, **more), sd.ContactMaterial(100.0, 2.2, sticks=False, **more)
    sticky = sd.ContactMaterial(50.0, 1.0, damping=1.0, adhesion=0.5, adhesion_range=0.5, rolling=0.1, torsion=0.1)
    ground = sd.RoughGround((6.0, 6.0), spacing=0.2, roughness=0.05, seed=1)
    rough = sd.RoughGround((6.0, 6.0), spacing=0.2, roughness=0.05, seed=1, smooth=False)
    touching = [
        sd.Contact("bus", (0, 0, -0.05), ground, hard),
        sd.Contact("bus", (0.2, 0, -0.05), rough, soft),
        sd.Contact("bus", (0, 0.2, 0), sd.SphereSurface(2.0, position=(0, 0, -2.0)), sticky, radius=0.1),
        sd.Contact("bus", (0, 0, 0), sd.EllipsoidSurface((4.0, 3.0, 2.0), position=(0, 0, -2.0)), hard, guarded=False),
        sd.Contact("bus", (0, 0, 0), sd.Plane(), soft, semi_axes=(0.2, 0.1, 0.1)),
    ]
    start = box.state(base_velocity=[0.1, 0.2, -0.3], base_rate=[0.1, 0.2, 0.3])
    points = np.array([[0.3, 0.2, 0.1], [0.5, -0.4, 0.05]])
    found = [one.surface.gap(points) for one in touching]
    options = {"method": sd.RungeKutta4(0.005), "record": 0.02, "budget": 1e9, "gravity": [0, 0, -0.1]}
    run = sd.simulate(box, start, 0.02, elements=touching, **options)
    return np.concatenate(
        [*found, *(np.ravel(run[name]) for name in ("q", "u", "gap", "normal_force", "sliding_speed"))]
    )


@sd.condition
def clock(t, s, p, out):
    """A time."""
    out.value[0] = t - p.time


def under_rigid_contact():
    """A disc that slides, a ball of another body that bounces, a fast one that misses, one in a groove; loops."""
    b = sd.Builder("pair")
    b.base("bus", mass=20.0, inertia=(2.0, 2.3, 1.8))
    b.link("target", "free", parent="bus", mass=3.0, inertia=(0.4, 0.5, 0.6))
    pair = b.build()
    touching = [
        sd.RigidContact("bus", (0, 0, 0), sd.Plane(), 0.3, 0.2, semi_axes=(0.2, 0.1, 0.0), name="disc"),
        sd.RigidContact("bus", [(0.3, 0, -0.4), (0.3, 0.1, -0.4)], sd.Plane(position=(0, 0, -0.5)), friction=0.9),
        sd.RigidContact("target", (0, 0, 0), sd.SphereSurface(0.5), 0.5, 0.1, other="bus", radius=0.1, name="pair"),
        sd.Loop("weld", "target", "bus", active=False, name="weld"),
        sd.Loop("distance", "target", "bus", length=1.0, active=False, name="rod"),
    ]
    near = {"target": [0.0, 0.0, 0.62, 0, 0, 0, 1]}
    start = pair.state(
        base_position=[0, 0, 0.2], base_velocity=[1.0, 0.3, -1.5], base_rate=[0.1, 0.2, 0.3], q=near,
        qd={"target": [0.1, 0, -0.5, 0, 0, 0]},
    )  # fmt: skip
    close = [sd.actions.close_loop("weld"), sd.actions.open_loop("weld"), sd.actions.close_loop("rod")]
    events = [sd.Event(clock(time=0.05 + 0.06 * i), action=one, direction=1) for i, one in enumerate(close)]
    options = {"record": 0.1, "gravity": [0, 0, -9.81], "budget": 1e9}
    run = sd.simulate(pair, start, 0.25, elements=touching, events=events, method=sd.RungeKutta4(0.02), **options)
    found = [np.ravel(run[name]) for name in ("q", "u", "gap")]
    past = sd.RigidContact("bus", (0, 0, 0), sd.SphereSurface(0.5), radius=0.1, name="past")
    flying = pair.state(base_position=[0.65, 0, 30.0], base_velocity=[0, 0, -100.0])
    found += [np.ravel(sd.simulate(pair, flying, 0.6, elements=[past], record=0.3)["u"])]
    groove = [sd.Plane(normal=(0, side, 1)) for side in (1.0, -1.0)]  # steeper than friction: forces are shared
    sides = [sd.RigidContact("bus", (0, 0, 0), one, 0.0, 0.5, radius=0.1, name=f"{i}") for i, one in enumerate(groove)]
    rolling = pair.state(base_position=[0, 0, 0.1 * np.sqrt(2.0)])
    run = sd.simulate(pair, rolling, 0.04, elements=sides, record=0.02, method=sd.RungeKutta4(0.02), gravity=[1, 0, -9])
    return np.concatenate([*found, np.ravel(run["u"]), on_feet()])


def on_feet():
    """A table on two sprung legs that is rocked: its feet stick, begin to fix their distance, and one slips."""
    b = sd.Builder("table", "planar")
    b.base("top", mass=40.0, inertia=(2.0, 2.3, 3.0))
    for i, x in enumerate((-0.5, 0.5)):
        leg = {"mass": 1.0, "inertia": (0.1, 0.2, 0.15), "stiffness": 8000.0}
        b.link(f"leg{i}", "prismatic", parent="top", position=(x, -0.7, 0), axis=(0, 1, 0), **leg)
    table, plane = b.build(), sd.Plane(normal=(0, 1, 0))
    feet = [sd.RigidContact(f"leg{i}", (0, 0, 0), plane, friction=0.5, name=f"foot{i}") for i in range(2)]
    start, push = table.state(base_position=[0, 0.6775, 0], q=[0.0225] * 2), sd.Wrench("top", moment=(0, 0, 30.0))
    run = sd.simulate(table, start, 5e-4, elements=[*feet, push], gravity=[0, -9, 0], record=5e-4)
    return np.ravel(run["u"])


def under_fields():
    """Fields, thin air and sunlight: about a planet, from a falling origin, in Hill's frames."""
    b = sd.Builder("box")
    b.base("bus", mass=20.0, inertia=(2.0, 2.3, 1.8))
    box, found, plates = b.build(), [], sd.orbit.box_plates((1.0, 1.0, 2.0))
    fields = [sd.CentralGravity(), sd.ZonalGravity(), sd.ThirdBody(mu=4.9e12, **MOON)]
    warm = {"air": "harris_priester", "times": [0.0, 9.0], "positions": [SUN, SUN], "name": "wind"}
    air = [sd.AtmosphericDrag("bus", *plates), sd.AtmosphericDrag("bus", *plates, **warm)]
    air += [sd.SolarPressure("bus", *plates[:2], sun=SUN)]
    feel = sd.Accelerometer(("bus", [0.5, 0.5, 1.0]), name="feel")
    far = {"base_position": [6.6e6, 1e5, 2e5], "base_velocity": [0, 5e3, 5e3], "base_rate": [0.1, 0.2, 0.3]}
    near = {"base_position": [3.0, 2.0, 1.0], "base_rate": [0.1, 0.2, 0.3]}
    origin = sd.OrbitingOrigin(far["base_position"], far["base_velocity"])
    for start, elements in (
        (far, [*fields, *air]),
        (near, [origin, *fields, *air]),
        (near, [sd.HillFrame(mean_motion=1e-3)]),
        (near, [sd.HillFrame(mean_motion=1e-3, axes="still")]),
        (near, [sd.GravityGradient(mean_motion=1e-3)]),
    ):
        options = {"record": 0.1, "method": sd.RungeKutta4(0.1), "elements": [*elements, feel]}
        run = sd.simulate(box, box.state(**start), 0.1, **options)
        found += [run["udot"], run["feel.specific_force"]]
    return np.concatenate([np.ravel(one) for one in found])
