"""Elements as a user writes them, in a file of their own: a joint brake that a law presses, and wind at a point."""

import numpy as np

import spacedyn as sd


@sd.element(
    states={"bend": "rad"},
    commands={"pressure": "Pa"},
    channels={"friction": "N m"},
    guards=1,
    accounts=("stored", "dissipated"),
    joints=("axle",),
)
def brake(t, s, p, out):
    """Bristles between disc and pad (Dahl): they bend with the joint, hold energy, and slip at the grip's torque."""
    v, z = s.axle.qd[0], s.bend[0]
    grip = p.drag + p.gain * max(s.pressure[0], 0.0)
    slip = p.stiffness * s.side[0] * v * z / grip  # side times v is |v|, without its kink within a step
    torque = p.stiffness * z + p.viscous * v
    out.guard[0] = v  # steps end where the direction of slip changes
    out.bend[0] = v - slip
    out.axle.tau[0] = -torque
    out.friction[0] = torque
    out.stored[0] = 0.5 * p.stiffness * z * z
    out.dissipated[0] = p.stiffness * z * slip + p.viscous * v * v


@sd.element(points=("at",), channels={"speed": "m/s"})
def wind(t, s, p, out):
    """Air that streams past a point: drag by the velocity against it. Its work is that of its push."""
    square = 0.0
    for i in range(3):
        out.at.force[i] = p.drag * (p.stream[i] - s.at.velocity[i])
        square += (p.stream[i] - s.at.velocity[i]) ** 2
    out.speed[0] = np.sqrt(square)


@sd.law
def press(t, s, p, out):
    """Press harder as time goes on."""
    out.brake.pressure[0] = p.most * np.sin(t) ** 2
