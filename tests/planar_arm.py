"""A planar arm of two links on a floating base, with its motion about the centre of mass in closed form.

Seen from the robot's centre of mass, every point of the three bodies is a sum of three vectors that turn with them:
Papadopoulos & Dubowsky (1993). Complex numbers stand for vectors in the plane.
"""

from dataclasses import dataclass

import numpy as np

import spacedyn as sd


@dataclass(frozen=True)
class PlanarArm:
    """Masses, moments, the shoulder's distance from the base's centre of mass, and links with centres at middle."""

    mass: tuple = (40.0, 4.0, 3.0)
    moment: tuple = (6.667, 0.333, 0.25)
    shoulder: float = 0.5
    length: tuple = (1.0, 1.0)

    def model(self, base="planar"):
        b = sd.Builder("planar arm", base=base)
        m, i = self.mass, self.moment
        b.base("base", mass=m[0], inertia=(i[0], 1.1 * i[0], i[0]))
        for k, place in ((1, self.shoulder), (2, self.length[0])):
            parent, half = ("base", "link1")[k - 1], 0.5 * self.length[k - 1]
            b.body(f"link{k}", mass=m[k], inertia=(0.01, i[k], i[k]), com=(half, 0, 0))
            b.joint(f"joint{k}", "revolute", parent=parent, child=f"link{k}", position=(place, 0, 0))
        b.endpoint("hand", body="link2", position=(self.length[1], 0, 0))
        return b.build()

    def points(self):
        """Coefficients of the three directions: of the bodies' centres of mass, then of the hand."""
        a, l1, l2 = self.shoulder, *self.length
        raw = np.array([[0, 0, 0], [a, l1 / 2, 0], [a, l1, l2 / 2], [a, l1, l2]])
        m = np.array(self.mass)
        return raw - m @ raw[:3] / m.sum()

    def place(self, q1, q2):
        """The hand from the centre of mass, in the base's axes."""
        c = self.points()[3]
        return c[0] + c[1] * np.exp(1j * q1) + c[2] * np.exp(1j * (q1 + q2))

    def singularity(self, q1, q2):
        """Determinant of the hand's velocity by the joint rates at zero momentum."""
        c, turn = self.points(), [1.0 + 0j * q1, np.exp(1j * q1), np.exp(1j * (q1 + q2))]
        moves = [[0, 1, 2], [1, 2], [2]]  # which directions turn with the base, joint 1, joint 2
        velocity = [[sum(1j * c[p, d] * turn[d] for d in which) for p in range(4)] for which in moves]
        place = [sum(c[p, d] * turn[d] for d in range(3)) for p in range(4)]
        spin = [
            sum(self.mass[p] * (np.conj(place[p]) * v[p]).imag for p in range(3)) + sum(self.moment[k] for k in which)
            for v, which in zip(velocity, moves, strict=True)
        ]
        hand = [velocity[k][3] - velocity[0][3] * spin[k] / spin[0] for k in (1, 2)]
        return (np.conj(hand[0]) * hand[1]).imag
