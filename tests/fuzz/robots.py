"""Robots that calls are about, and laws, motions and elements of a user."""

from functools import cache
from pathlib import Path
from typing import Any

import spacedyn as sd


@cache
def models() -> list[sd.Model]:
    """All kinds of bases, joints of one and of several coordinates, no joint at all, a fleet."""
    made = [_arm(base) for base in ("free", "fixed", "planar", "attitude")]
    b = sd.Builder("lone")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    fleet = _arm("free").vary(mass={"elbow": [2.0, 2.5, 3.0]}, position={"wrist": [[1, 0, 0], [1.5, 0, 0], [1, 1, 0]]})
    return [*made, b.build(), fleet, sd.load("tian_wu")]


def _arm(base: str) -> sd.Model:
    b = sd.Builder(base, base=base)
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    b.link("elbow", "revolute", parent="bus", position=(1, 0, 0), mass=2.0, inertia=(0.1, 0.2, 0.25))
    kind = "spherical" if base == "free" else "prismatic"
    b.link("wrist", kind, parent="elbow", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.25))
    b.endpoint("hand", body="wrist", position=(0.5, 0, 0))
    b.endpoint("eye", body="bus")
    return b.build()


@cache
def springy() -> sd.Model:
    """A satellite with a flexible boom."""
    b = sd.Builder("springy")
    b.base("bus", mass=200.0, inertia=(20, 25, 30))
    b.flexible_beam("boom", on="bus", length=2.0, segments=2, mass_per_length=1.0, EI=20.0)
    return b.build()


@cache
def touching() -> sd.Model:
    """A box, and beside it a ball, a cone and a disc on joints."""
    b = sd.Builder("touching", base="fixed")
    b.base("bus", shapes=[sd.shapes.box(20.0, (1, 1.1, 1.2))])
    pieces = {"ball": sd.shapes.sphere(1.0, 0.3), "cone": sd.shapes.cone(1.0, 0.3, 0.5)}
    pieces["disc"] = sd.shapes.cylinder(1.0, 0.3, 0.0)
    for i, (name, shape) in enumerate(pieces.items()):
        b.link(name, "revolute", parent="bus", position=(2.0 * i - 2.0, 2.0, 0), axis=(1, 0, 0), shapes=[shape])
    return b.build()


@cache
def wheeled() -> sd.Model:
    """A satellite with three reaction wheels and an arm of two joints."""
    b = sd.Builder("wheeled")
    b.base("bus", mass=200.0, inertia=(20, 25, 30))
    for name, axis in {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.items():
        b.wheel(name, on="bus", axis=axis, mass=3.0, inertia=0.02)
    for name, parent in (("upper", "bus"), ("lower", "upper")):
        place = {"parent": parent, "position": (1.0, 0.1, 0), "axis": (0, 0.6, 0.8)}
        b.link(name, "revolute", **place, mass=5.0, com=(0.5, 0, 0), inertia=(0.1, 0.5, 0.5))
    b.endpoint("hand", body="lower", position=(1.0, 0, 0))
    return b.build()


@sd.law(period=0.05)
def operate(t, s, p, out):
    """A law that reads a sensor, and commands a motor and a jet."""
    out.drive.voltage[0] = -p.gain * s.feel.angular_velocity[2]
    out.jet.throttle[0] = 1.0 if t < 0.4 else 0.0


def equipped() -> tuple[sd.Model, sd.State, dict[str, Any]]:
    """A satellite with devices of all sorts, relative to an orbit: robot, state, options of `simulate`."""
    robot = sd.load(Path(__file__).parent / "handmade" / "satellite.toml")
    state = robot.state(q={"grip": [0.9, 0, 0, 0, 0, 0, 1]}, qd={"rotor": 3.0}, base_rate=[0.1, 0.2, 0.3])
    elements = [
        sd.OrbitingOrigin([6.8e6, 1e5, 2e5], [0, 5e3, 5e3]),
        sd.CentralGravity(),
        sd.Tank("bus", 3.0, gyration=0.1),
        sd.Thruster("bus", 2.0, (0, 1, 0), tank="tank", on_off=True, minimum_pulse=0.1, name="jet"),
        sd.ModalAppendage("arm", [0.5], damping=0.01, delta0=[[0.3, 0, 0]], name="panel"),
        sd.Gyro("bus", noise=1e-3, random_walk=1e-4, period=0.1, delay=0.1, fail_at=0.8, fault="frozen", name="feel"),
        sd.DCMotor("rotor", resistance=1.0, torque_constant=0.1, inductance=0.01, name="drive"),
        sd.Grapple("hand", "handle", stiffness=20.0, damping=1.0, engaged=True),
        sd.AtmosphericDrag("bus", *sd.orbit.box_plates((1.0, 1.0, 2.0))),
    ]
    return robot, state, {"laws": [operate(gain=5.0)], "elements": elements}


@cache
def short_runs() -> list[sd.Run]:
    """A run with all that must be given again to resume it, one of one robot, one of a batch under a sampled law."""
    robot = models()[0]
    batch = robot.state(qd=[[0.1, 0, 0, 0.2], [0.3, 0.1, 0, 0]])
    options: dict[str, Any] = {"record": 0.02, "progress": False}
    planar = models()[2]
    return [
        sd.simulate(planar, planar.neutral_state(), 0.1, **options, **same_again(), adjust=True),
        sd.simulate(robot, robot.neutral_state(), 0.1, **options),
        sd.simulate(robot, batch, 0.1, laws=[pull(force=1.0)], **options),
    ]


@cache
def run_in_orbit() -> sd.Run:
    """A run relative to an orbit, of four records."""
    lone = models()[4]
    elements = [sd.CentralGravity(), sd.OrbitingOrigin([7e6, 0, 0], [0, 7.5e3, 0])]
    return sd.simulate(lone, lone.neutral_state(), 0.03, record=0.01, elements=elements, progress=False)


@cache
def same_again() -> dict[str, Any]:
    """What the first of `short_runs` was made with."""
    return {
        "laws": [pull(force=1.0)],
        "elements": [sd.BristleFriction("elbow", coulomb=0.1, stiffness=100.0, name="brush")],
        "events": [sd.Event(sd.joint_reaches("elbow", 0.5))],
        "prescribed": {"wrist": ramp(speed=0.1)},
    }


@sd.law(period=0.1)
def pull(t, s, p, out):
    """A sampled law of a user."""
    out.base_wrench[0] = p.force


@sd.law(states={"sum": 1})
def brake(t, s, p, out):
    """A continuous law of a user, with a state."""
    out.sum[0] = s.base_rate[0]
    out.base_wrench[3] = -p.gain * s.base_rate[0] - 0.1 * s.sum[0]


@sd.motion
def ramp(t, p, out):
    """A motion of a user."""
    out.value[0] = p.speed * t
    out.rate[0] = p.speed


RUB = {"axle": "joint", "tip": "body", "drag": "number", "threshold": "number", "name": "name"}
"""What the element below is called with, and the names of good values."""


@sd.element(states={"heat": "J"}, channels={"speed": "m/s"}, guards=1, joints=("axle",), points=("tip",))
def rub(t, s, p, out):
    """An element of a user: drag at a point and in a joint, on one side of a guard."""
    out.guard[0] = s.tip.velocity[0] - p.threshold
    out.speed[0] = s.tip.velocity[0]
    out.heat[0] = p.drag * s.tip.velocity[0] ** 2
    if s.side[0] > 0:
        out.tip.force[0] = -p.drag * s.tip.velocity[0]
    out.axle.tau[0] = -p.drag * s.axle.qd[0]
