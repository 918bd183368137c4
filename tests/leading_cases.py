"""Robots and paths for tests of laws that lead endpoints: others than those that the laws were made with."""

import numpy as np

import spacedyn as sd
from random_trees import random_model

SSRMS = [0.1, 0.5, -0.3, 0.9, 0.2, 0.4, 0.1]
ETS7 = [0.3, 0.4, -0.8, 0.2, 1.0, 0.1]
UMETANI = [0.3, 0.7, -1.4]


def random_arm(seed, base="free", joints=9):
    """A random branching tree, a state with momentum, and how many joints its endpoint "tip" has before it."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, joints, base_kind=base, kinds=("revolute", "prismatic", "helical"))
    builder = sd.Builder.from_model(model)
    deepest = max((body.name for body in model.bodies), key=lambda name: len(chain(model, name)))
    builder.endpoint("tip", body=deepest, position=rng.uniform(-0.4, 0.4, 3))
    model = builder.build()
    q = rng.uniform(-0.8, 0.8, model.nq)
    moving = {} if base == "fixed" else {"base_rate": rng.uniform(-0.05, 0.05, 3)}
    if base == "free":
        moving["base_velocity"] = [0.1, 0.0, -0.05]
    return model, model.state(q=q, **moving), len(chain(model, deepest))


def chain(model, body):
    """Joints from the base to a body."""
    above = {joint.child: joint for joint in model.joints}
    found = []
    while body in above:
        found.append(above[body].name)
        body = above[body].parent
    return found[::-1]


def push_on(model, endpoint, force):
    """A steady push on an endpoint, inertial axes [N]."""
    where = model.endpoints[model.endpoint_index(endpoint)]
    return sd.Wrench(where.body, force=force, point=where.position)


def off_path(run, endpoint, path):
    """(times, 2): how far an endpoint is from its path [m], and by how much it is turned [rad]."""
    hand = run.endpoint(endpoint)
    off = []
    for k, t in enumerate(run.time):
        wanted = path.at(t)
        turn = sd.Rotation.from_matrix(wanted.rotation @ hand.rotation[k].T).magnitude()
        off.append([np.linalg.norm(hand.position[k] - wanted.position), turn])
    return np.array(off)
