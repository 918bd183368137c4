"""The closed form against the core, after a change of frames; its subgroups; what is left when momentum is used."""

import re
import runpy

import numpy as np
import pytest

import spacedyn as sd
from moving_frames import base_map, hat
from paths import ROOT
from random_trees import random_flat_state, random_model
from spacedyn import lagrangian
from spacedyn.formulations.lagrangian.twists import adjoint, bracket
from spacedyn.model.parts import BASE_KINDS

GRAVITY = np.array([0.3, -1.2, -9.6])
TREES = [(base, seed) for base in BASE_KINDS for seed in range(8)]
every_tree = pytest.mark.parametrize(("base", "seed"), TREES)
every_seed = pytest.mark.parametrize("seed", range(8))


def near(found, wanted, bound=1e-11):
    """Equal relative to the largest number."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    error = np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))
    assert error <= bound, f"relative error {error:.1e}"


def tree(base, seed):
    """A random robot of up to 14 joints of all kinds, and a random state of it."""
    rng = np.random.default_rng([seed, *map(ord, base)])
    model = random_model(rng, (9, 12, 1, 14)[seed % 4] if seed else 0, base_kind=base, passive=seed % 2 == 0)
    return rng, model, sd.State(model, np.concatenate(random_flat_state(rng, model)))


def frames(model, state):
    """(T, Ṫ) of u = T v, base by base: linear and angular rates of a planar base stay in its plane."""
    R, b = state.base_attitude.as_matrix(), model.base_dof
    T, Tdot, S = np.eye(model.nv), np.zeros((model.nv, model.nv)), base_map(model)[:, :b]
    selection = {"free": lagrangian.SE3, "attitude": lagrangian.SO3}.get(model.base_kind)
    if model.base_kind == "planar":  # v = T⁻¹u as the module has it
        unit = [sd.State(model, np.concatenate([state.x, e])) for e in np.eye(model.nv)]
        T = np.linalg.inv(np.array([lagrangian.velocity(model, s) for s in unit]).T)
        w = state.base_rate[2]
        Tdot[:3, :3] = w * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]]) @ T[:3, :3]
    elif selection is not None:
        both, turning = np.kron(np.eye(2), R), np.kron(np.eye(2), hat(state.base_rate) @ R)
        T[:b, :b], Tdot[:b, :b] = S.T @ both @ selection, S.T @ turning @ selection
    return T, Tdot


@every_tree
def test_mass_matrix_and_coriolis_matrix_are_the_cores_in_other_axes(base, seed):
    _, model, state = tree(base, seed)
    T, Tdot = frames(model, state)
    v, M = lagrangian.velocity(model, state), lagrangian.mass_matrix(model, state)
    H = sd.mass_matrix(model, state)
    near(T @ v, state.u)
    near(M, T.T @ H @ T)
    near(lagrangian.coriolis_matrix(model, state), T.T @ (sd.coriolis_matrix(model, state) @ T + H @ Tdot))


@every_tree
def test_accelerations_are_the_cores(base, seed):
    rng, model, state = tree(base, seed)
    tau = rng.normal(size=model.nv - model.base_dof)
    loads = {"base_wrench": rng.normal(size=6), "endpoint_wrenches": rng.normal(size=(len(model.endpoints), 6))}
    for options in ({"gravity": GRAVITY, **loads}, {"passive": False}):
        wanted = sd.forward_dynamics(model, state, tau, **options)
        near(lagrangian.forward_dynamics(model, state, tau, **options), wanted)


def derivatives_by_differences(model, state, step=2e-3):
    """∂M/∂q_k along the manifold, of eighth order."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    joints = np.eye(model.nv)[model.base_dof :]
    total = 0.0
    for many, weight in weights.items():
        for sign in (1, -1):
            there = state.integrate(sign * many * step * joints)
            total = total + sign * weight / step * lagrangian.mass_matrix(model, there)
    return total


@every_tree
def test_partial_derivatives(base, seed):
    _, model, state = tree(base, seed)
    found = lagrangian.mass_matrix_derivatives(model, state)
    near(found, derivatives_by_differences(model, state).reshape(found.shape), 1e-9)


@every_tree
def test_twice_the_coriolis_matrix_off_the_rate_of_the_mass_matrix_is_skew(base, seed):
    """With Ṁ from the core's Ḣ on dual numbers, which knows nothing of adjoint matrices: M = T'H T."""
    _, model, state = tree(base, seed)
    T, Tdot = frames(model, state)
    still = state.integrate(np.zeros((model.nv, model.nv)), np.zeros(model.nv))
    Hdot = (sd.inverse_dynamics_derivatives(model, still, np.eye(model.nv), passive=False).dx @ state.u).T
    turned = T.T @ sd.mass_matrix(model, state) @ Tdot
    N = T.T @ Hdot @ T + turned + turned.T - 2 * lagrangian.coriolis_matrix(model, state)
    near(N, -N.T)
    v = lagrangian.velocity(model, state)
    near(lagrangian.coriolis_matrix(model, state, form="paper") @ v, lagrangian.coriolis_matrix(model, state) @ v)


def test_the_papers_form_is_not_skew():
    _, model, state = tree("free", 1)
    rate = np.einsum("kij,k->ij", lagrangian.mass_matrix_derivatives(model, state), state.qd)
    N = rate - 2 * lagrangian.coriolis_matrix(model, state, form="paper")
    assert np.abs(N + N.T).max() > 0.1


# --- subgroups -------------------------------------------------------------------------------------------------------

PIVOT = adjoint(np.eye(3), np.array([0.3, -0.2, 0.5]))[:, 3:]  # about a point beside the centre of mass
SUBGROUPS = {
    "turning about its centre": lagrangian.SO3,
    "turning about another point": PIVOT,
    "moving in a plane": lagrangian.SE2,
    "sliding": lagrangian.SE3[:, :3],
    "a screw": np.array([[0.1, 0.2, 0.3, 1.0, 2.0, -1.0]]).T,
    "held": np.zeros((6, 0)),
}


@pytest.mark.parametrize("name", SUBGROUPS)
@every_seed
def test_a_subgroup_is_the_whole_group_held_by_forces(name, seed):
    """Gauss: of all motions that the subgroup allows, M-nearest to the free one. H'M H, and accelerations."""
    rng, model, state = tree("free", seed)
    H = np.asarray(SUBGROUPS[name], dtype=float)
    R, m = state.base_attitude.as_matrix(), H.shape[1]
    V = H @ rng.normal(size=m)
    state = state.replace(base_velocity=R @ V[:3], base_rate=R @ V[3:])
    near(H @ lagrangian.velocity(model, state, H)[:m], V)
    B = np.zeros((model.nv, m + model.nv - 6))
    B[:6, :m], B[6:, m:] = H, np.eye(model.nv - 6)
    M = lagrangian.mass_matrix(model, state)
    near(lagrangian.mass_matrix(model, state, H), B.T @ M @ B)
    near(lagrangian.coriolis_matrix(model, state, H), B.T @ lagrangian.coriolis_matrix(model, state) @ B)

    tau, push = rng.normal(size=model.nv - 6), rng.normal(size=6)
    loads = {"base_wrench": push, "gravity": GRAVITY}
    found = lagrangian.forward_dynamics(model, state, tau, selection=H, **loads)
    T, Tdot = frames(model, state)
    wide, free = T @ B, sd.forward_dynamics(model, state, tau, **loads)
    drift = Tdot @ lagrangian.velocity(model, state)
    Hm = sd.mass_matrix(model, state)
    vdot = np.linalg.solve(wide.T @ Hm @ wide, wide.T @ Hm @ (free - drift))
    near(found, wide @ vdot + drift)


def test_an_attitude_only_base_is_a_free_one_with_a_selection():
    rng, model, state = tree("attitude", 3)
    builder_free = sd.Model.from_toml(model.to_toml().replace('"attitude"', '"free"', 1))
    twin = builder_free.state(
        base_position=state.base_position,
        base_attitude=state.base_attitude,
        q=state.q,
        base_rate=state.base_rate,
        qd=state.qd,
    )
    tau = rng.normal(size=model.nv - 3)
    wanted = sd.forward_dynamics(model, state, tau)
    found = lagrangian.forward_dynamics(builder_free, twin, tau, selection=lagrangian.SO3)
    near(found, np.concatenate([np.zeros(3), wanted]))


# --- momentum used ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.0, 3.0])
@every_seed
def test_reduced_equations_are_those_of_the_whole_robot(seed, size):
    rng, model, state = tree("free", seed + 1)
    momentum, tau = size * rng.normal(size=6), rng.normal(size=model.nv - 6)
    r = lagrangian.reduced_equations(model, state, momentum)
    V, R = r.recoil @ state.qd + r.drift, state.base_attitude.as_matrix()
    moving = state.replace(base_velocity=R @ V[:3], base_rate=R @ V[3:])
    near(sd.momentum(model, moving, about="com"), momentum)
    blocks = sd.mass_matrix_blocks(model, state)
    near(r.M, blocks.Hm - blocks.Hbm.T @ np.linalg.solve(blocks.Hb, blocks.Hbm))
    wanted = sd.forward_dynamics(model, moving, tau, passive=False)[6:]
    near(np.linalg.solve(r.M, tau - r.C @ state.qd - r.force), wanted)
    own = lagrangian.reduced_equations(model, moving)
    for a, b in zip(own, r, strict=True):
        near(a, b)
    assert np.abs(r.force).max(initial=0.0) < 1e-12 or size > 0


@pytest.mark.parametrize("size", [0.0, 3.0])
@every_seed
def test_reduced_coriolis_matrix_is_skew_with_the_rate_of_the_reduced_mass_matrix(seed, size):
    """The rate is by differences of the core's reduced mass matrix along the joints' motion: it knows no momentum."""
    rng, model, state = tree("free", seed + 1)
    r = lagrangian.reduced_equations(model, state, size * rng.normal(size=6))
    step, rate = 1e-2 * np.append(np.zeros(6), state.qd), 0.0
    for many, weight in {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}.items():
        for sign in (1, -1):
            there = state.integrate(sign * many * step)
            rate = rate + 100 * sign * weight * sd.generalized_inertia(model, there)
    near(rate, r.C + r.C.T, 1e-10)


@every_seed
def test_without_momentum_it_has_the_christoffel_symbols_of_the_reduced_mass_matrix(seed):
    """∂M_r from the product rule on the blocks; no bracket is left, because balls were left out."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "fixed")
    model = random_model(rng, 9, base_kind="free", kinds=kinds)
    state = sd.State(model, np.concatenate(random_flat_state(rng, model)))
    M, dM = lagrangian.mass_matrix(model, state), lagrangian.mass_matrix_derivatives(model, state)
    P = np.vstack([-np.linalg.solve(M[:6, :6], M[:6, 6:]), np.eye(model.nv - 6)])
    d = P.T @ dM @ P
    found = lagrangian.reduced_equations(model, state, np.zeros(6)).C
    symbols = 0.5 * (np.einsum("kij->ijk", d) + np.einsum("jik->ijk", d) - np.einsum("ijk->ijk", d))
    near(found, symbols @ state.qd)


@every_seed
def test_attitude_with_the_translation_eliminated(seed):
    rng, model, state = tree("free", seed)
    tau, push = rng.normal(size=model.nv - 6), np.append(np.zeros(3), rng.normal(size=3))
    R, a = state.base_attitude.as_matrix(), lagrangian.attitude_equations(model, state)
    udot = sd.forward_dynamics(model, state, tau, base_wrench=push, passive=False)
    nu = lagrangian.velocity(model, state)[3:]
    found = np.linalg.solve(a.M, np.concatenate([R.T @ push[3:], tau]) - a.C @ nu)
    near(found, np.concatenate([R.T @ udot[3:6], udot[6:]]))
    fast = state.replace(base_velocity=state.base_velocity + np.array([7e3, 0, 0]))
    for one, other in zip(a, lagrangian.attitude_equations(model, fast), strict=True):
        near(one, other, 1e-9)
    drift = sd.center_of_mass_velocity(model, state)
    near(R.T @ (state.base_velocity - drift), a.recoil @ nu)
    held = lagrangian.mass_matrix(model, state.replace(base_velocity=np.zeros(3)), lagrangian.SO3)
    assert seed == 0 or np.abs(held - a.M).max() > 1e-3  # which is another robot


# --- batches and bad calls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASE_KINDS)
def test_a_batch_is_so_many_robots(base):
    rng, model, _ = tree(base, 3)
    states = model.random_state(rng, (2, 3))
    tau = rng.normal(size=(2, 3, model.nv - model.base_dof))
    functions = [
        lagrangian.velocity,
        lagrangian.mass_matrix,
        lagrangian.mass_matrix_derivatives,
        lagrangian.coriolis_matrix,
        lambda m, s: lagrangian.forward_dynamics(m, s, tau[np.ix_(*map(range, s.shape))] if s.shape else tau[1, 2]),
    ]
    if base == "free":
        functions += [lagrangian.reduced_equations, lagrangian.attitude_equations]
    for function in functions:
        many, one = function(model, states), function(model, states[1, 2])
        for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (many, one)), strict=True):
            assert a.shape == (2, 3, *b.shape)
            near(a[1, 2], b, 1e-13)


def test_brackets_are_the_derivatives_of_adjoints():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6))
    near(bracket(a) @ b, -bracket(b) @ a)
    R, p = sd.Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    Ad = adjoint(R, p)
    near(Ad @ bracket(a) @ np.linalg.inv(Ad), bracket(Ad @ a))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, s: lagrangian.mass_matrix(m, s, np.eye(5)), "expected shape (6, m)"),
        (lambda m, s: lagrangian.mass_matrix(m, s, np.ones((6, 2))), "independent"),
        (lambda m, s: lagrangian.mass_matrix(m, s, np.eye(6)[:, [3, 4]]), "do not span a subgroup"),
        (lambda m, s: lagrangian.velocity(m, s, lagrangian.SO3), "no combination of the selection"),
        (lambda m, s: lagrangian.coriolis_matrix(m, s, form="printed"), "'christoffel' or 'paper'"),
        (lambda m, s: lagrangian.reduced_equations(m, s, np.ones(5)), "momentum: expected shape (6,)"),
        (lambda m, s: lagrangian.forward_dynamics(m, s, np.ones(3)), "tau: expected shape (6,)"),
        (lambda m, s: lagrangian.mass_matrix(m, None), "must be a State"),
    ],
)
def test_bad_calls(call, said):
    model = sd.load("ets7")
    with pytest.raises(sd.InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
        call(model, model.random_state(np.random.default_rng(0)))


@pytest.mark.parametrize("call", [lagrangian.reduced_equations, lagrangian.attitude_equations])
def test_a_base_that_is_held_keeps_no_momentum(call):
    _, model, state = tree("attitude", 1)
    with pytest.raises(sd.InputError, match="not a free one"):
        call(model, state)
    with pytest.raises(sd.InputError, match="a selection already"):
        lagrangian.mass_matrix(model, state, lagrangian.SO3)


# --- the example -----------------------------------------------------------------------------------------------------


def test_the_spinning_spacecraft_passes_where_angles_break(capsys):
    """All twelve singular attitudes to rounding; the angles' own numbers there are anybody's guess, but large."""
    example = ROOT / "examples/spinning_spacecraft.py"
    runpy.run_path(str(example))["main"]()
    said = capsys.readouterr().out
    rows = re.findall(r"^([XYZ]{3}) +(\S+) rad +(\S+) rad +(\S+) rad/s +(\S+) rad$", said, flags=re.MULTILINE)
    assert len({row[0] for row in rows}) == 12
    off, before, rate, after = np.array([row[1:] for row in rows], dtype=float).T
    assert off.max() < 1e-10 and before.max() < 1e-5
    assert rate.min() > 1e3 and np.median(after) > 1e-3
    assert float(re.search(r"right to (\S+)", said)[1]) < 1e-8


def test_forces_on_an_empty_batch():
    robot = sd.load("tian_wu")
    states = robot.random_state(np.random.default_rng(0), (0, 3))
    wrench = np.zeros((0, 3, 6))
    assert sd.lagrangian.forward_dynamics(robot, states, base_wrench=wrench).shape == (0, 3, 9)
