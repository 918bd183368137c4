"""Bodies that touch surfaces, for tests of contact."""

import numpy as np

import spacedyn as sd

FINE = sd.DormandPrince8(rtol=1e-11, atol=1e-12)
STIFF = sd.Radau5(rtol=1e-8, atol=1e-10)
G = 9.81


def one_body(mass=1.0, inertia=(4e-3, 4e-3, 4e-3), com=(0.0, 0.0, 0.0)):
    """A body that is free."""
    b = sd.Builder("body")
    b.base("body", mass=mass, inertia=inertia, com=com)
    return b.build()


def box_on_slope(angle, friction, stiffness=1e6, size=(0.4, 0.4, 0.2)):
    """A box of 1 kg on a slope down +x: model, contact, a state at rest upon it, and the direction down the slope."""
    x, y, z = size
    box = one_body(1.0, (np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0).tolist())
    slope = sd.Plane((np.sin(angle), 0.0, np.cos(angle)))
    grip = {"friction": friction, "bristle_stiffness": stiffness}
    material = sd.ContactMaterial(stiffness, 1.0, dissipation=1.0, **grip)
    feet = sd.Contact("body", shape=sd.shapes.box(0.0, size), surface=slope, material=material, name="feet")
    depth = G * np.cos(angle) / 4.0 / stiffness
    turn = sd.Rotation.from_euler("y", angle)
    start = box.state(base_position=turn.apply([0, 0, 0.5 * z - depth]), base_attitude=turn)
    return box, feet, start, turn.apply([1.0, 0.0, 0.0])
