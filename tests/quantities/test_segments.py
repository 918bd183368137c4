"""Random branching trees with reference points forced on any bodies agree with those reckoned about the base alone."""

import pickle

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model, random_state_parts
from spacedyn.kernels.robot.layout import SEGMENTS
from spacedyn.model.flatten import flatten
from spacedyn.model.parts import BASE_KINDS

GRAVITY = (0.3, -1.2, -9.6)
CHANNELS = (
    "x",
    "u",
    "udot",
    "forces",
    "joint_work",
    "endpoint_work",
    "impulse",
    "element_work",
    "element_energy",
    "tension",
)


def reckoned(model, opened):
    """The same robot with segments that begin at the bodies `opened`."""
    other = pickle.loads(pickle.dumps(model))  # a copy would be the model itself
    other.__dict__["flat"] = flatten(model, opened)
    assert other.flat.tree[SEGMENTS] == len(opened)
    return other


def pairs(base, seed, n=14):
    """A random tree about the base alone, and with segments at all bodies or at some; random states of it."""
    rng = np.random.default_rng([seed, list(BASE_KINDS).index(base)])
    model = random_model(rng, n, base_kind=base, passive=seed % 2 == 0)
    some = range(1, n + 1) if seed == 0 else rng.choice(np.arange(1, n + 1), n // 2, replace=False).tolist()
    parts = [random_state_parts(rng, model) for _ in range(9)]
    rows = {name: np.array([part[name] for part in parts]) for name in parts[0]}
    return rng, reckoned(model, []), reckoned(model, some), rows


def near(one, other, tolerance=1e-12):
    """Equal relative to the largest number of the two; of records and lists, each."""
    if isinstance(one, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            near(a, b, tolerance)
        return
    one, other = np.asarray(one), np.asarray(other)
    scale = max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0), 1e-300)
    assert np.abs(one - other).max(initial=0.0) <= tolerance * scale


def quantities(rng, model, state):
    """Names of public quantities, and how each is asked for."""
    nv, b, count, hands = model.nv, model.base_dof, len(model.endpoints), model.endpoint_names
    tau, udot, push = rng.normal(size=nv - b), rng.normal(size=nv), rng.normal(size=6)
    loads = {"gravity": GRAVITY, "base_wrench": push, "endpoint_wrenches": rng.normal(size=(count, 6))}
    given = [name for name in [model.bodies[0].name, *model.joint_names] if rng.random() < 0.4]
    point, body = rng.normal(size=3), model.body_names[-1]
    asked = {
        "forward_dynamics": (lambda m, s: sd.forward_dynamics(m, s, tau, **loads)),
        "hybrid_dynamics": (lambda m, s: tuple(sd.hybrid_dynamics(m, s, given, udot, tau, **loads))),
        "inverse_dynamics": (lambda m, s: sd.inverse_dynamics(m, s, udot, **loads)),
        "joint_reactions": (lambda m, s: sd.joint_reactions(m, s, udot, **loads)),
        "mass_matrix": sd.mass_matrix,
        "coriolis_matrix": sd.coriolis_matrix,
        "mass_matrix_inverse": sd.mass_matrix_inverse,
        "momentum": (lambda m, s: sd.momentum(m, s, about="com")),
        "momentum_matrix": (lambda m, s: sd.momentum_matrix(m, s, about="base")),
        "momentum_matrix_rate": (lambda m, s: sd.momentum_matrix_rate(m, s, about="base")),
        "center_of_mass": sd.center_of_mass,
        "center_of_mass_velocity": sd.center_of_mass_velocity,
        "center_of_mass_acceleration": (lambda m, s: sd.center_of_mass_acceleration(m, s, udot)),
        "kinetic_energy": sd.kinetic_energy,
        "potential_energy": (lambda m, s: sd.potential_energy(m, s, gravity=GRAVITY)),
        "frames": (lambda m, s: frames(sd.forward_kinematics(m, s, udot))),
        "endpoint_jacobian": (lambda m, s: [sd.endpoint_jacobian(m, s, e) for e in hands]),
        "endpoint_jacobian_rate": (lambda m, s: [sd.endpoint_jacobian_rate(m, s, e) for e in hands]),
        "body_jacobian": (lambda m, s: sd.body_jacobian(m, s, body, point)),
    }
    if state.shape == ():
        asked["forward_derivatives"] = lambda m, s: tuple(sd.forward_dynamics_derivatives(m, s, tau, **loads))
        asked["inverse_derivatives"] = lambda m, s: tuple(sd.inverse_dynamics_derivatives(m, s, udot, **loads))
    return asked


def frames(kinematics):
    """Poses, velocities and accelerations of all frames."""
    found = []
    for family in (kinematics.bodies, kinematics.joints, kinematics.centroids, kinematics.endpoints):
        found += [family.position, family.rotation, family.velocity, family.acceleration]
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", BASE_KINDS)
def test_every_quantity_is_the_same(base, seed):
    rng, plain, cut, rows = pairs(base, seed)
    alone = {name: values[0] for name, values in rows.items()}
    for parts in (alone, rows):
        one, other = plain.state(**parts), cut.state(**parts)
        for ask in quantities(rng, plain, one).values():
            near(ask(plain, one), ask(cut, other))


OPERATORS = [
    "H",
    "phi",
    "shift",
    "psi",
    "shift_psi",
    "M",
    "P",
    "D",
    "D_inverse",
    "G",
    "K",
    "J",
    "B",
    "mass",
    "mass_inverse",
    "factor",
    "factor_inverse",
    "root",
]


@pytest.mark.parametrize("about", ["base", "bodies"])
@pytest.mark.parametrize("base", ["free", "planar"])
def test_every_operator_is_the_same(base, about):
    for seed in range(4):
        _, plain, cut, rows = pairs(base, seed)
        found = []
        for model in (plain, cut):
            state = model.state(**rows)[:3]
            ops = sd.operators.SpatialOperators(model, state, about=about)
            operators = [getattr(ops, name) for name in OPERATORS]
            matrices = [dense for operator in operators for dense in (operator.dense(), operator.T.dense())]
            forces = sd.operators.motion_forces(ops, gravity=GRAVITY)
            recoil = sd.operators.base_rates(ops, state.qd, np.ones(6), about="com")
            found.append([*matrices, forces, recoil.velocity, recoil.rate])
        near(*found)


@sd.law
def look_at_all(t, s, p, out):
    """Forces that depend on all that a law can see of endpoints and momentum."""
    seen = 0.0
    for e in range(s.endpoints.shape[0]):
        for k in range(18):
            seen += (0.1 + 0.01 * k) * s.endpoints[e, k]
        for k in range(6):
            out.endpoint_wrenches[e, k] = -0.1 * s.endpoints[e, 12 + k]
    for k in range(3):
        seen += s.com[k] + 0.2 * s.linear_momentum[k] + 0.1 * s.angular_momentum[k]
    for k in range(out.tau.size):
        out.tau[k] = 0.01 * seen


def everything(model):
    """Forces of all kinds, on bodies of any segments."""
    bodies, rng = model.body_names, np.random.default_rng(1)
    a, b, c, d = rng.normal(size=(4, 3))
    return [
        sd.Wrench(bodies[-1], force=a, moment=b, point=c),
        sd.Spring(bodies[1], bodies[-2], stiffness=3.0, damping=0.4, rest_length=0.5, point=a, other_point=d),
        sd.Spring(bodies[2], stiffness=2.0, damping=0.2, rest_length=0.1, point=b, other_point=c),
        sd.Drag(bodies[-1], linear=(0.2, 0.1, 0.4), angular=0.3),
    ]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("method", [sd.RungeKutta4(1e-3), sd.Variational(1e-3)], ids=["explicit", "variational"])
def test_simulations_are_the_same(method, seed):
    _, plain, cut, rows = pairs("free", seed)
    found = []
    for model in (plain, cut):
        start = model.state(**{name: values[0] for name, values in rows.items()})
        options = {
            "laws": [look_at_all()],
            "forces": everything(model),
            "gravity": GRAVITY,
            "budget": 1.0,
            "limits": False,
        }
        run = sd.simulate(model, start, 0.01, method=method, record=0.002, **options)
        found.append([run[name] for name in CHANNELS])
    near(*found)
