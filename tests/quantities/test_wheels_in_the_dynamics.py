"""Wheels in balance, which elimination gives to the bodies that carry them, against the mass matrix, which does not."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_axis, random_frame, random_inertia
from spacedyn.kernels.robot.layout import BODY_AT, BODY_INTS, FLAGS, IS_WHEEL, PAR_FELT
from spacedyn.model.parts import BASE_KINDS

pytestmark = pytest.mark.packs
LINKS, WHEELS = ("base", "link1", "link2", "link3"), ("on_base", "before_link", "geared", "at_the_end", "on_link1")
CARRIERS = ("base", "base", "link2", "link3", "link1")


def tree_with_wheels(rng, base, offset=0.0):
    """Three links and five wheels, declared in any order; `offset`: of the wheels' centres of mass from their axes."""
    builder = sd.Builder(f"wheels on a {base} base", base=base)
    builder.base("base", **random_inertia(rng, scale=3.0))
    for link, parent in zip(LINKS[1:], LINKS, strict=False):
        builder.body(link, **random_inertia(rng))
        kind = "revolute" if link != "link2" else "spherical"
        builder.joint(f"to_{link}", kind, parent=parent, child=link, **random_frame(rng, 0.6), **random_axis(rng, kind))
    for name, carrier in zip(WHEELS, CARRIERS, strict=True):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        round_about = 0.03 * np.eye(3) + 0.02 * np.outer(axis, axis)
        across = np.cross(axis, [1.0, 0.0, 0.0])
        builder.body(name, mass=2.0, com=0.3 * axis + offset * across, inertia=round_about)
        geared = {"rotor_inertia": 0.01, "gear": 3.0} if name == "geared" else {}
        frame = random_frame(rng, 0.6)
        builder.joint(f"spin_{name}", "revolute", parent=carrier, child=name, axis=axis, **frame, **geared)
    builder.endpoint("rim", body="on_link1", position=(0.1, 0.2, 0.0))
    builder.endpoint("tip", body="link3", position=(0.1, 0.2, 0.0))
    return builder.build()


def spins(model):
    tree = model.flat.tree
    records = tree[tree[BODY_AT] :][: len(model.bodies) * BODY_INTS].reshape(-1, BODY_INTS)
    return int((records[:, FLAGS] & IS_WHEEL != 0).sum())


def check(model, state, rng):
    """Forward and hybrid dynamics of a state or a batch against H u' + c = F + J'Fe, row by row."""
    tau, b = rng.normal(size=(*state.shape, model.nv - model.base_dof)), model.base_dof
    loads = {"gravity": (0.3, -1.2, -9.6), "endpoint_wrenches": rng.normal(size=(2, 6))}
    given = ["spin_on_base", "spin_geared", "to_link2"]
    known = rng.normal(size=(*state.shape, model.nv))
    udot = sd.forward_dynamics(model, state, tau, **loads)
    hybrid = sd.hybrid_dynamics(model, state, given, known, tau, **loads)
    mine = np.zeros(model.nv, dtype=bool)
    for joint in given:
        mine[model.u_slice(joint)] = True
    force = np.concatenate([np.zeros((*state.shape, b)), tau], axis=-1)
    pushed = sd.inverse_dynamics(model, state, np.zeros(model.nv), **loads)
    H = sd.mass_matrix(model, state)
    scale = np.abs(pushed).max() + np.abs(force).max()
    assert np.abs((H @ udot[..., None])[..., 0] + pushed - force).max() < 1e-13 * scale
    np.testing.assert_array_equal(hybrid.udot[..., mine], known[..., mine])
    left = (H @ hybrid.udot[..., None])[..., 0] + pushed
    assert np.abs(left - force)[..., ~mine].max() < 1e-13 * scale
    assert np.abs(left[..., b:] - hybrid.forces[..., b:])[..., mine[b:]].max() < 1e-13 * scale


@pytest.mark.parametrize("base", BASE_KINDS)
def test_accelerations_are_those_of_the_mass_matrix(base):
    rng = np.random.default_rng([7, list(BASE_KINDS).index(base)])
    model = tree_with_wheels(rng, base)
    assert spins(model) == 5 and model.flat.tree[PAR_FELT] > 0
    for state in (model.random_state(rng), model.random_state(rng, 11)):
        check(model, state, rng)


def test_a_wheel_out_of_balance_is_a_body_like_any_other():
    rng = np.random.default_rng(3)
    model = tree_with_wheels(rng, "free", offset=1e-3)
    assert spins(model) == 0 and model.flat.tree[PAR_FELT] == 0
    check(model, model.random_state(rng, 3), rng)


def test_robots_that_differ_have_wheels_where_all_of_them_are_round():
    rng = np.random.default_rng(4)
    model = tree_with_wheels(rng, "free")
    axis = model.body("geared").com / np.linalg.norm(model.body("geared").com)
    heavier = model.vary(mass={"on_base": 2.0 + rng.random(11), "link2": 1.0 + rng.random(11)})
    uneven = model.vary(com={"geared": 0.3 * axis + 1e-3 * rng.normal(size=(11, 3))})
    assert spins(heavier) == 5 and spins(uneven) == 4
    for fleet in (heavier, uneven):
        state = fleet.random_state(rng)
        tau = rng.normal(size=fleet.nv - 6)
        together = sd.forward_dynamics(fleet, state, tau)
        for i in range(11):
            alone = sd.forward_dynamics(fleet[i], state[i], tau)
            assert np.abs(together[i] - alone).max() < 1e-13 * np.abs(alone).max()
        check(fleet, state, rng)


def test_what_is_attached_to_a_wheel_turns_with_it():
    rng = np.random.default_rng(5)
    model = tree_with_wheels(rng, "free")
    start, place, wheel = model.random_state(rng), np.array([0.2, 0.0, 0.1]), model.body("on_base")
    run = sd.simulate(model, start, 0.3, elements=[sd.Tank("on_base", propellant=1.0, position=place)])
    assert run.audit().worst < 1e-9
    com = (wheel.mass * wheel.com + place) / (wheel.mass + 1.0)
    points = ((wheel.mass, wheel.com - com), (1.0, place - com))
    inertia = wheel.inertia + sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in points)
    same = model.vary(mass={"on_base": wheel.mass + 1.0}, com={"on_base": com}, inertia={"on_base": inertia})
    assert spins(same) == 4
    names = ("base_position", "base_quaternion_xyzw", "q", "base_velocity", "base_rate", "qd")
    alike = sd.simulate(same, same.state(**{name: getattr(start, name) for name in names}), 0.3)
    np.testing.assert_allclose(run.final.u, alike.final.u, atol=1e-9)
