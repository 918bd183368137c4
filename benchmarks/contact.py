"""Distances between convex shapes, against coal; near pairs of many spheres, and piles of them that touch."""

from dataclasses import replace
from typing import Any

import coal
import numpy as np

import spacedyn as sd
from spacedyn.contact.contacts import near_pairs
from spacedyn.contact.convex import Convex, solid
from spacedyn.contact.shape_table import make_table
from spacedyn.contact.surface_distances import pair_rows
from spacedyn.kernels.geometry import cores as k
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.simulate.setup import build_steppers, simulation_of
from spacedyn.simulate.simulation import Simulation

from .stepping import FAR, steps_alone
from .timing import Contestant

PAIRS = ("box box", "capsule box", "cylinder cylinder")
SPHERES = (100, 1000)
PILES = (10, 100, 1000)
_COUNT = 256
_LAYERS, _STEPS = 5, 200  # of spheres that settle
_SHAPES = {
    "box": (sd.shapes.box(0.0, (0.6, 0.8, 1.0)), lambda: coal.Box(0.6, 0.8, 1.0)),
    "capsule": (sd.shapes.capsule(0.0, 0.2, 1.0), lambda: coal.Capsule(0.2, 1.0)),
    "cylinder": (sd.shapes.cylinder(0.0, 0.4, 1.0), lambda: coal.Cylinder(0.4, 1.0)),
}
LOOP = "for one, at, other, there in queries: coal.distance(one, at, other, there, request, result); result.clear()"


def distances(pair: str) -> dict[str, Contestant]:
    """Random placements of two shapes that are apart: all in one call of ours, a call each of coal's."""
    rng, names = np.random.default_rng(3), pair.split()
    poses = np.empty((_COUNT, 2, 12))
    poses[:, 0, :3], way = 0.0, rng.normal(size=(_COUNT, 3))
    poses[:, 1, :3] = way / np.linalg.norm(way, axis=1, keepdims=True) * rng.uniform(1.5, 2.5, (_COUNT, 1))
    poses[:, :, 3:] = sd.Rotation.random(2 * _COUNT, random_state=rng).as_matrix().reshape(_COUNT, 2, 9)
    shapes = [solid("", name, _SHAPES[name][0], np.ones(3), 0.0, np.zeros(3), np.eye(3)) for name in names]
    table = make_table(shapes, np.arange(2))
    theirs = [_SHAPES[name][1]() for name in names]
    queries = [
        [part for i in (0, 1) for part in (theirs[i], coal.Transform3s(pose[i, 3:].reshape(3, 3), pose[i, :3]))]
        for pose in poses
    ]
    peer: dict[str, Any] = {"coal": coal, "queries": queries}
    peer |= {"request": coal.DistanceRequest(), "result": coal.DistanceResult()}
    ours = {"f": pair_rows, "table": table, "pairs": np.array([[0, 1]]), "poses": poses}
    return {
        "float64": Contestant("f(table, pairs, poses)", ours, _COUNT),
        "pinocchio": Contestant(LOOP, peer, _COUNT),
    }


def near(count: int) -> dict[str, Contestant]:
    """Which of many spheres, one for each cubic metre or so, may touch; seconds for each of them."""
    rng, edge = np.random.default_rng(4), (count / 2.0) ** (1 / 3)
    shapes = [Convex("ball", k.POINT, (0.0, 0.0, 0.0, 0.0), 0.5, np.zeros(3), np.eye(3)) for _ in range(count)]
    poses = np.empty((1, count, 12))
    poses[0, :, :3], poses[0, :, 3:] = rng.uniform(-edge, edge, (count, 3)), np.eye(3).reshape(9)
    names = {"f": near_pairs, "table": make_table(shapes, np.arange(count)), "before": np.full(count + 1, -1)}
    return {"float64": Contestant("f(table, before, poses, 0, 0.0)", names | {"poses": poses}, count)}


def pile(count: int) -> dict[str, Contestant]:
    """Spheres that lie on each other in a box; seconds for each.

    The right-hand side of contact that gives way, and a step through rigid contact, of one pile and in a pack.
    """
    steps = {"steps": _stepped(count, 1), "packed steps": _stepped(count, LANES)}
    return {"float64": _piled(count, 1), "packs": _piled(count, LANES), **steps}


def _piled(count: int, robots: int) -> Contestant:
    """Spheres of 10 cm in a cube, a tenth of a millimetre deep in each other, and a little different in each robot."""
    rng, edge = np.random.default_rng(5), int(np.ceil(count ** (1 / 3)))
    cells = np.array([(i % edge, i // edge % edge, i // edge**2) for i in range(count)])
    places = 0.0999 * cells + 0.05 + rng.uniform(-1e-5, 1e-5, (robots, count, 3))
    material = sd.ContactMaterial(1e5, dissipation=0.5, friction=0.4, sticks=False)
    sides = {"floor": sd.Plane(), "left": sd.Plane((1, 0, 0)), "front": sd.Plane((0, 1, 0))}
    (stepper,) = build_steppers(_made(places, material, sides, sd.RungeKutta4(step=1e-4)), 1)
    stepper.set_times(np.array([FAR]))
    return Contestant("stepper.evaluate()", {"stepper": stepper}, count * robots)


def _stepped(count: int, robots: int) -> Contestant:
    """Steps of 1 ms of spheres that fall into a box, `_LAYERS` on each other however many they are, and settle."""
    rng, edge = np.random.default_rng(5), int(np.ceil((count / _LAYERS) ** 0.5))
    cells = np.array([(i % edge, i // edge % edge, i // edge**2) for i in range(count)])
    places = 0.102 * cells + 0.052 + rng.uniform(-1e-3, 1e-3, (robots, count, 3))
    far = 0.102 * edge
    sides = {"floor": sd.Plane(), "left": sd.Plane((1, 0, 0)), "front": sd.Plane((0, 1, 0))}
    sides |= {"right": sd.Plane((-1, 0, 0), position=(far, 0, 0)), "back": sd.Plane((0, -1, 0), position=(0, far, 0))}
    steps = steps_alone(_made(places, sd.ContactMaterial(1e5, friction=0.4), sides, sd.TimeStepping(1e-3)), _STEPS)
    return replace(steps, robots=steps.robots * count)


def _made(places: np.ndarray, material: sd.ContactMaterial, sides: dict[str, Any], method: Any) -> Simulation:
    """A simulation of spheres at places (robots, count, 3)."""
    robots, count, _ = places.shape
    b = sd.Builder("pile", base="fixed")
    b.base("box", mass=1.0, inertia=(1.0, 1.1, 1.2))
    for i in range(count):
        b.link(f"ball{i}", "free", parent="box", shapes=[sd.shapes.sphere(1.0, 0.05)])
    model, q = b.build(), np.zeros((robots, count, 7))
    q[:, :, :3], q[:, :, 6] = places, 1.0
    start = model.state(q=q.reshape(robots, -1) if robots > 1 else q.reshape(-1))
    touching = [sd.ShapeContact(material, surfaces=sides)]
    return simulation_of(model, start, FAR, elements=touching, method=method, gravity=(0, 0, -9.81), record=[FAR])
