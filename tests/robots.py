"""Robots that several test modules need."""

import numpy as np

import spacedyn as sd
from random_trees import random_model
from spacedyn.model.shapes import box, rod

ALONG_X = sd.Rotation.from_rotvec([0, np.pi / 2, 0])  # lays what stands along z down along x
HANG = sd.Rotation.from_rotvec([0, 0, -np.pi / 2])  # at q = 0 the pendulum's x axis points down


def cart(mass: float = 1.0) -> sd.Model:
    """A mass on a rail: q'' = τ / m."""
    b = sd.Builder("cart", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("cart", mass=mass, inertia=(0.1, 0.2, 0.3))
    b.joint("rail", "prismatic", parent="ground", child="cart")
    return b.build()


def cart3() -> sd.Model:
    """Three rails, one upon another."""
    b = sd.Builder("crane", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    for k, axis in enumerate(np.eye(3)):
        b.body(f"cart{k}", mass=1.0, inertia=(0.1, 0.2, 0.3))
        b.joint(f"rail{k}", "prismatic", parent=f"cart{k - 1}" if k else "ground", child=f"cart{k}", axis=axis)
    return b.build()


def free_flyer(links: int = 7) -> tuple[sd.Model, sd.State]:
    """A base of 20 kg with an arm of links of 1 kg, turning and moving all joints."""
    b = sd.Builder("free-flyer")
    b.base("bus", mass=20.0, inertia=(1.5, 1.8, 2.0))
    for i in range(1, links + 1):
        parent, reach = (f"link{i - 1}", 0.3) if i > 1 else ("bus", 0.25)
        b.body(f"link{i}", mass=1.0, inertia=(0.0075, 0.0075, 0.001), com=(0, 0, 0.15))
        axis = (0, 0, 1) if i % 2 else (0, 1, 0)
        b.joint(f"joint{i}", "revolute", parent=parent, child=f"link{i}", position=(0, 0, reach), axis=axis)
    model = b.build()
    rng = np.random.default_rng(1)
    rates = {
        "base_velocity": [0.01, 0.02, -0.01],
        "base_rate": [0.05, -0.03, 0.04],
        "qd": rng.uniform(-0.5, 0.5, links),
    }
    return model, model.state(q=rng.uniform(-1.0, 1.0, links), **rates)


def slider(mass: float = 1.0, **options) -> sd.Model:
    """A mass on a rail, whose joint has these properties."""
    b = sd.Builder("slider", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("mass", mass=mass, inertia=(0.1, 0.12, 0.11))
    b.joint("rail", "prismatic", parent="ground", child="mass", **options)
    return b.build()


def ball() -> sd.Model:
    """A mass that can only go up and down."""
    b = sd.Builder("ball", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("ball", mass=2.0, inertia=(0.1, 0.12, 0.11))
    b.joint("height", "prismatic", parent="ground", child="ball")
    b.endpoint("bottom", body="ball")
    return b.build()


def tree(seed: int = 0, n: int = 6, base: str = "free") -> tuple[sd.Model, sd.State]:
    """A random tree, and a random state of it."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, base_kind=base)
    return model, model.random_state(rng)


def lone(mass: float, inertia, com=(0, 0, 0), base: str = "free") -> sd.Model:
    """One body, which is the base."""
    b = sd.Builder("lone", base=base)
    b.base("body", mass=mass, inertia=inertia, com=com)
    return b.build()


def pendulum(*shapes, count: int = 1, length: float = 1.0) -> sd.Model:
    """Pendulums in a row, hinged about z, hanging along -y at q = 0."""
    b = sd.Builder("pendulum", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    for k in range(count):
        b.body(f"bob{k}", shapes=shapes)
        at = {"position": (length, 0, 0)} if k else {"rotation": HANG}
        b.joint(f"hinge{k}", "revolute", parent=f"bob{k - 1}" if k else "ground", child=f"bob{k}", **at)
    return b.build()


def koike(M: float, L: float) -> sd.Model:
    """Koike's satellite (L x L/5 x L/5, mass M) with two rods (L, M/4): one turns about y, the other about z."""
    b = sd.Builder("koike")
    b.base("satellite", shapes=[box(M, (L, L / 5, L / 5))])
    b.body("yellow", shapes=[rod(M / 4, L, position=(-L / 2, 0, 0), rotation=ALONG_X)])
    b.body("green", shapes=[rod(M / 4, L, position=(L / 2, 0, 0), rotation=ALONG_X)])
    b.joint("theta_y", "revolute", parent="satellite", child="yellow", position=(L / 2, 0, 0), axis=(0, 1, 0))
    b.joint("theta_z", "revolute", parent="satellite", child="green", position=(-L / 2, L / 10, 0))
    return b.build()
