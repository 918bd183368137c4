"""Robots to measure: a free base with arms of revolute joints, one description for us and for the peers."""

import numpy as np
from scipy.spatial.transform import Rotation

import spacedyn as sd

SIZES = {"6": (6,), "7": (7,), "2x7": (7, 7), "50": (50,), "100": (100,), "300": (300,)}
"""Joints of each arm, by the name of the robot in the table."""

LENGTH = 0.4  # of a link [m]
TURNS = Rotation.from_euler("xyz", [(90, 0, 20), (-90, 10, 0), (0, 90, -30)], degrees=True).as_matrix()


def free_flyer(name: str, arms: tuple[int, ...]) -> sd.Model:
    """A base of 100 kg with arms of so many joints, each about the z axis of its frame, frames turned one by one.

    The base's frame is at its centre of mass and joints are declared arm by arm, as the peers want them.
    """
    builder = sd.Builder(name, base="free")
    builder.base("base", mass=100.0, inertia=(15.0, 18.0, 21.0))
    for arm, joints in enumerate(arms):
        parent, position = "base", np.array([0.5, 0.3 - 0.6 * arm, 0.1])
        for k in range(joints):
            mass = 4.0 + k % 3
            inertia = mass * LENGTH**2 * (np.diag([0.02, 0.09, 0.1]) + 0.005 * (1.0 - np.eye(3)))
            link = f"arm{arm}-link{k}"
            builder.body(link, mass=mass, inertia=inertia, com=(0.5 * LENGTH, 0.01, -0.02))
            builder.joint(
                f"arm{arm}-joint{k}", "revolute", parent=parent, child=link, position=position, rotation=TURNS[k % 3]
            )
            parent, position = link, np.array([LENGTH, 0.0, 0.05])
    builder.endpoint("hand", body=parent, position=(LENGTH, 0.0, 0.05), rotation=TURNS[0])
    return builder.build()
