"""What tests of functions and tests of simulations both hold published results against."""

import numpy as np

import spacedyn as sd
from robots import ALONG_X
from spacedyn.model.shapes import box, rod

G = 9.81
DOWN = [0, -G, 0]
"""Gravity along -y [m/s²], as pendulums of `robots` hang."""


class TwoBodies:
    """A cube of 50 kg and 1 m and a rod of 10 kg and 1 m, hinged at a face of the one and an end of the other.

    μ = m0 m1/(m0+m1), C = I0 + I1 + μ(a² + b²), K = μ a b, D = I1 + μ b², with a and b from the hinge to the centres.
    """

    m0, I0, a, m1, I1, b = 50.0, 50.0 / 6.0, 0.5, 10.0, 10.0 / 12.0, 0.5
    mu = m0 * m1 / (m0 + m1)
    C, K, D = I0 + I1 + mu * (a**2 + b**2), mu * a * b, I1 + mu * b**2

    @classmethod
    def model(cls, base: str) -> sd.Model:
        builder = sd.Builder("two bodies", base=base)
        builder.base("cube", shapes=[box(cls.m0, (1, 1, 1))])
        builder.body("rod", shapes=[rod(cls.m1, 1.0, position=(cls.b, 0, 0), rotation=ALONG_X)])
        builder.joint("hinge", "revolute", parent="cube", child="rod", position=(cls.a, 0, 0))
        return builder.build()

    @classmethod
    def recoil(cls, base: str, q: np.ndarray) -> np.ndarray:
        """Turn of the base for a unit turn of the joint, by this package."""
        model = cls.model(base)
        return sd.base_recoil(model, model.state(q=q[:, None]))[:, -1, 0]


def same_turn(found: np.ndarray, wanted, bound: float) -> None:
    """Equal but for the sign of the whole quaternion."""
    wanted = np.asarray(wanted) * np.sign(np.dot(found, wanted))
    np.testing.assert_allclose(found, wanted, atol=bound)


def scalar_first(xyzw: np.ndarray) -> np.ndarray:
    q = np.roll(xyzw, 1)
    return q / np.linalg.norm(q)
