"""Flexible appendages by their modes: closed forms, Lagrange's equations by another route, momentum and energy."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_flat_state
from reference import bodies, point_jacobian
from robots import lone, tree

pytestmark = pytest.mark.packs


def modes_on(body, rng, n=2, scale=0.06, **more):
    """Some modes, whose inertia is a small part of a body's."""
    return sd.ModalAppendage(
        body,
        0.3 + rng.random(n),
        delta0=scale * rng.standard_normal((n, 3)),
        delta1=0.5 * scale * rng.standard_normal((n, 3)),
        position=0.3 * rng.standard_normal(3),
        **{"damping": 0.02, "name": f"on_{body}", **more},
    )


def test_a_hub_with_one_mode():
    """J w' + δ q'' = T, q'' + W² q + δ w' = 0: hub rate after 1 s of 1 N m; free frequency W / sqrt(1 - δ²/J)."""
    hub = lone(100.0, (800.0, 900.0, 1000.0))
    panel = sd.ModalAppendage("body", [0.2], delta1=[0, 0, 24.49489742783178], name="panel")
    run = sd.simulate(
        hub, hub.neutral_state(), 1.0, elements=[panel, sd.Wrench("body", moment=(0, 0, 1.0))],
        method=sd.DormandPrince8(rtol=1e-12, atol=1e-14),
    )  # fmt: skip
    assert run.final.base_rate[2] == pytest.approx(0.001690514503443423, abs=1e-13)
    small = sd.linearize(hub, hub.neutral_state(), elements=[panel])
    assert np.abs(np.linalg.eigvals(small.A).imag).max() / (2 * np.pi) == pytest.approx(0.31622776601683794, rel=1e-12)


def accelerations_by_lagrange(model, state, modes, eta, speed):
    """Accelerations of all rates, then of the amplitudes, from the whole mass matrix of both."""
    x, u = state.x, state.u
    i = model.body_index(modes.body)
    J, rate = point_jacobian(model, x, u, i, np.asarray(modes.position))
    bias, R = rate @ u, bodies(model, x).pose[i][:3, :3]
    d, e = np.asarray(modes.delta0) @ R.T, np.asarray(modes.delta1) @ R.T
    D, P, L, w = eta @ d, speed @ d, speed @ e, (J @ u)[3:]
    W = 2 * np.pi * np.asarray(modes.frequencies)

    def skew(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    shares = np.concatenate([d, e], axis=1)  # (modes, 6)
    extra = np.block([[np.zeros((3, 3)), -skew(D)], [skew(D), np.zeros((3, 3))]])
    quadratic = np.concatenate([2 * np.cross(w, P) + np.cross(w, np.cross(w, D)), np.cross(w, L)])
    H = sd.mass_matrix(model, state) + J.T @ extra @ J
    whole = np.block([[H, J.T @ shares.T], [shares @ J, np.eye(len(W))]])
    right = -sd.bias_force(model, state) - J.T @ (quadratic + extra @ bias)
    pull = -2 * np.asarray(modes.damping) * W * speed - W * W * eta - shares @ bias
    return np.linalg.solve(whole, np.concatenate([right, pull]))


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_on_any_body_of_a_tree(seed):
    """The elimination body by body gives what one large mass matrix gives, modes on any body, with fast rotation."""
    rng = np.random.default_rng(seed)
    model, _ = tree(seed, 6, ["free", "free", "attitude", "fixed"][seed])
    x, u = random_flat_state(rng, model)
    state = sd.State(model, np.concatenate([x, u]))
    for body in (model.body_names[0], model.body_names[3], model.body_names[-1]):
        modes = modes_on(body, rng)
        eta, speed = rng.standard_normal((2, 2))
        start = state.with_internal({f"{modes.name}.amplitude": eta, f"{modes.name}.rate": speed})
        run = sd.simulate(model, start, 1e-6, elements=[modes], record=[0.0], method=sd.RungeKutta4(1e-6))
        expected = accelerations_by_lagrange(model, state, modes, eta, speed)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(run["udot"][0], expected[: model.nv], atol=1e-11 * scale)


def test_momentum_and_energy_are_kept():
    """Two appendages on a tree that tumbles, one of them beside another on the same body; without damping."""
    rng = np.random.default_rng(5)
    model, state = tree(5, 6)
    names = model.body_names
    some = [modes_on(names[i], rng, damping=0.0, name=f"modes{k}") for k, i in enumerate((0, 2, 2, 5))]
    start = state.with_internal({f"modes{k}.amplitude": [0.3, -0.2] for k in range(4)})
    run = sd.simulate(model, start, 5.0, elements=some, record=0.1)
    audit = run.audit()
    assert audit.energy < 1e-9 and audit.linear_momentum < 1e-12 and audit.angular_momentum < 1e-9
    assert np.ptp(run["elastic_energy"].sum(-1)) > 0.1


def test_damping_is_in_the_ledger_and_methods_agree():
    rng = np.random.default_rng(6)
    model, state = tree(6, 4)
    panel = modes_on(model.body_names[2], rng, damping=0.2)
    start = state.with_internal({f"{panel.name}.amplitude": [0.4, -0.3]})
    usual = sd.simulate(model, start, 1.0, elements=[panel], record=[0.0, 1.0])
    stiff = sd.simulate(model, start, 1.0, elements=[panel], record=[0.0, 1.0], method=sd.Radau5(rtol=1e-9, atol=1e-11))
    assert usual.audit().energy < 1e-9 and usual["element_dissipated"][-1, 0] > 1e-2
    np.testing.assert_allclose(stiff.final.x, usual.final.x, atol=1e-7)
    name = f"{panel.name}.amplitude"
    np.testing.assert_allclose(stiff[name][-1], usual[name][-1], atol=1e-7)


def test_robots_of_a_pack_are_as_if_alone():
    rng = np.random.default_rng(7)
    model, state = tree(7, 5)
    panel = modes_on(model.body_names[3], rng)
    many = sd.State(model, np.tile(np.concatenate([state.x, state.u]), (9, 1)))
    amplitudes = 0.1 * rng.standard_normal((9, 2))
    run = sd.simulate(
        model, many.with_internal({f"{panel.name}.amplitude": amplitudes}), 0.5, elements=[panel],
        method=sd.RungeKutta4(0.01), record=[0.0, 0.5], budget=1.0,
    )  # fmt: skip
    for i in (0, 4, 8):
        alone = sd.simulate(
            model, state.with_internal({f"{panel.name}.amplitude": amplitudes[i]}), 0.5, elements=[panel],
            method=sd.RungeKutta4(0.01), record=[0.0, 0.5], budget=1.0,
        )  # fmt: skip
        np.testing.assert_allclose(run["u"][-1, i], alone["u"][-1], rtol=1e-12, atol=1e-13)


def test_free_fall_does_not_shake_it():
    """Gravity, uniform or a planet's, pulls the appendage as it pulls its body: amplitudes stay zero but for tides."""
    hub = lone(100.0, (80.0, 90.0, 100.0))
    panel = sd.ModalAppendage("body", [0.2], delta0=[3.0, 0, 0], name="panel")
    fall = sd.simulate(hub, hub.neutral_state(), 10.0, elements=[panel, sd.UniformGravity((-9.81, 0, 1))])
    assert np.abs(fall["panel.amplitude"]).max() < 1e-12
    orbit = hub.state(base_position=[7e6, 0, 0], base_velocity=[0, np.sqrt(3.986004418e14 / 7e6), 0])
    run = sd.simulate(hub, orbit, 100.0, elements=[panel, sd.CentralGravity()])
    assert np.abs(run["panel.amplitude"]).max() < 1e-8 and run.audit().worst < 1e-11


def test_a_swinging_appendage_in_orbit_keeps_energy_and_momentum():
    hub = lone(100.0, (80.0, 90.0, 100.0))
    panel = sd.ModalAppendage("body", [0.05, 0.11], delta0=[[3.0, 1, 0], [0, 2, 1]], delta1=[[0, 1, 5], [2, 0, 0]])
    orbit = hub.state(base_position=[7e6, 0, 0], base_velocity=[0, 7546.0, 0], base_rate=[0.02, 0.01, 0.03])
    start = orbit.with_internal({"appendage.amplitude": [2.0, -1.0]})
    run = sd.simulate(hub, start, 300.0, elements=[panel, sd.CentralGravity()], record=10.0)
    assert run.audit().energy < 1e-11 and run.audit().angular_momentum < 1e-9


def test_bad_tables_are_named():
    hub = lone(100.0, (80.0, 90.0, 100.0))
    with pytest.raises(sd.InputError, match="frequencies must be positive"):
        sd.ModalAppendage("body", [0.2, -1.0])
    with pytest.raises(sd.InputError, match="damping ratios"):
        sd.ModalAppendage("body", [0.2], damping=1.5)
    with pytest.raises(sd.InputError, match="delta0 must be three numbers for each mode"):
        sd.ModalAppendage("body", [0.2, 0.3], delta0=[1.0, 2.0, 3.0])
    heavy = sd.ModalAppendage("body", [0.2], delta0=[11.0, 0, 0])
    with pytest.raises(sd.InputError, match="more inertia than body 'body'"):
        sd.simulate(hub, hub.neutral_state(), 1.0, elements=[heavy])


def test_tables_in_files(tmp_path):
    """CSV and NPZ give the same appendage; its free frequencies are those of the linearized robot."""
    rows = "damping,frequency,d0z,d1x,d1z\n0.01,0.2,3.0,2.0,4.0\n0.02,0.5,-1.0,0.5,3.0\n"
    (tmp_path / "panel.csv").write_text(rows)
    d0, d1 = [[0, 0, 3.0], [0, 0, -1.0]], [[2.0, 0, 4.0], [0.5, 0, 3.0]]
    np.savez(tmp_path / "panel.npz", frequencies=[0.2, 0.5], damping=[0.01, 0.02], delta0=d0, delta1=d1)
    one, two = (
        sd.ModalAppendage.from_file(tmp_path / f"panel.{end}", "body", position=(0.3, 1, 0)) for end in ("csv", "npz")
    )
    hub = lone(100.0, (80.0, 90.0, 100.0), com=(0.1, 0.2, 0))
    np.testing.assert_array_equal(one.numbers(hub).numbers, two.numbers(hub).numbers)
    undamped = sd.ModalAppendage("body", [0.2, 0.5], 0.0, d0, d1, (0.3, 1, 0))
    poles = np.linalg.eigvals(sd.linearize(hub, hub.neutral_state(), elements=[undamped]).A)
    expected = np.sort(poles.imag[poles.imag > 0.1]) / (2 * np.pi)
    np.testing.assert_allclose(one.free_frequencies(hub), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("none.csv", None, "there is no such file"),
        ("empty.csv", "frequency\n", "no rows below its header"),
        ("odd.csv", "frequency,mass\n1,2\n", "expected columns"),
        ("word.csv", "frequency\nfast\n", "line 2, column frequency: expected a number, got 'fast'"),
        ("broken.npz", "PK no archive", "cannot be read"),
    ],
)
def test_bad_files_are_named(tmp_path, name, text, words):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(sd.InputError, match=words) as caught:
        sd.ModalAppendage.from_file(tmp_path / name, "body")
    assert name in str(caught.value)
