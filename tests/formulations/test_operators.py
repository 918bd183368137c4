"""Spatial operators: identities, factorisations, dynamics, endpoints and base motion, each by a second route."""

import threading

import numpy as np
import pytest

import reference
import spacedyn as sd
from random_trees import random_model
from spacedyn.formulations.operators import SpatialOperators
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.model.parts import BASE_KINDS

GRAVITY = (0.3, -1.2, -9.6)
TREES = [(base, seed) for base in BASE_KINDS for seed in range(12)]
every_tree = pytest.mark.parametrize(("base", "seed"), TREES)


def robot(base, seed, batch=()):
    rng = np.random.default_rng([7, seed, list(BASE_KINDS).index(base)])
    model = random_model(rng, int(rng.integers(1, 13)) if seed else 0, base_kind=base, passive=seed % 2 == 0)
    return rng, model, model.random_state(rng, batch)


def near(a, b, tolerance=1e-12):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    scale = max(1.0, np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    error = np.abs(a - b).max(initial=0.0) / scale
    assert error < tolerance, f"relative error {error:.2e}"


def descendants(model):
    """(bodies, bodies): 1 where the column's body hangs on the row's, itself included."""
    above = np.eye(len(model.bodies))
    for i in range(len(model.bodies)):
        j = model.parents[i]
        while j >= 0:
            above[j, i], j = 1.0, model.parents[j]
    return above


# --- what the operators are ------------------------------------------------------------------------------------------


@every_tree
@pytest.mark.parametrize("about", ["base", "bodies"])
def test_operators_are_what_they_are_called(base, seed, about):
    _, model, state = robot(base, seed)
    ops = SpatialOperators(model, state, about=about)
    parts = reference.bodies(model, state.x)
    place = np.zeros((len(model.bodies), 3)) if about == "base" else parts.pose[:, :3, 3] - state.base_position
    place[0] = 0.0  # the base's point is its centre of mass

    # phi moves forces rigidly from each body to all that it hangs on
    phi = np.zeros((len(model.bodies), 6, len(model.bodies), 6))
    for i, j in np.argwhere(descendants(model)):
        phi[i, :, j, :] = np.eye(6)
        phi[i, 3:, j, :3] = skew(place[j] - place[i])
    near(ops.phi.dense(), phi.reshape(ops.phi.shape))

    # phi' H' is the Jacobian of all bodies at their points
    J = parts.J.copy()
    lever = place + state.base_position - parts.position
    J[:, :3] -= np.einsum("bij,bjk->bik", skew(lever), parts.J[:, 3:])
    near((ops.phi.T @ ops.H.T).dense(), np.concatenate(J))

    # M is each body's inertia about its point
    M = np.zeros((len(model.bodies), 6, len(model.bodies), 6))
    for b in range(len(model.bodies)):
        c, m = skew(-lever[b]), parts.mass[b]
        M[b, :, b, :] = np.block([[m * np.eye(3), -m * c], [m * c, parts.inertia[b] - m * c @ c]])
    near(ops.M.dense(), M.reshape(ops.M.shape))
    near(ops.J.dense(), np.diag(reference.rotor_inertias(model)))

    # B takes wrenches at the endpoints to forces on their bodies
    ends = np.concatenate(reference.endpoint_jacobians(model, state.x)[0])
    near((ops.B.T @ ops.phi.T @ ops.H.T).dense(), ends)


def skew(v):
    """(…, 3, 3): the matrices of v × ."""
    return np.cross(np.asarray(v)[..., None, :], np.eye(3)).swapaxes(-1, -2)


@every_tree
@pytest.mark.parametrize("about", ["base", "bodies"])
def test_recursions_of_the_articulated_inertia(base, seed, about):
    """P solves the Riccati equation, and D, G, K, psi follow from it, with matrices alone."""
    _, model, state = robot(base, seed)
    ops = SpatialOperators(model, state, about=about)
    H, P, M, J, E = (op.dense() for op in (ops.H, ops.P, ops.M, ops.J, ops.shift))
    D = H @ P @ H.T + J
    G = np.linalg.solve(D, H @ P).T
    shift_psi = E @ (np.eye(len(P)) - G @ H)
    near(ops.D.dense(), D)
    near(ops.D_inverse.dense() @ D, np.eye(model.nv))
    near(ops.G.dense(), G, 1e-11)
    near(ops.K.dense(), E @ G, 1e-11)
    near(ops.shift_psi.dense(), shift_psi, 1e-11)
    near(ops.psi.dense(), np.linalg.inv(np.eye(len(P)) - shift_psi), 1e-11)
    near(P, shift_psi @ P @ shift_psi.T + E @ G @ J @ G.T @ E.T + M)
    near(P, E @ P @ E.T - E @ G @ D @ G.T @ E.T + M)
    blocks = np.kron(np.eye(len(model.bodies)), np.ones((6, 6)))
    near(P * (1 - blocks), np.zeros_like(P), 1e-300)  # block diagonal, which K is not


@every_tree
@pytest.mark.parametrize("about", ["base", "bodies"])
def test_identities_and_factorisations(base, seed, about):
    _, model, state = robot(base, seed)
    ops = SpatialOperators(model, state, about=about)
    H, phi, psi, K, D, P, M = (o.dense() for o in (ops.H, ops.phi, ops.psi, ops.K, ops.D, ops.P, ops.M))
    one = np.eye(len(phi))
    forward, backward = 1 + ops.H @ ops.phi @ ops.K, 1 - ops.H @ ops.psi @ ops.K
    near((ops.phi @ (1 - ops.shift_psi)).dense(), one + phi @ K @ H)  # identity 1, psi⁻¹ = 1 - E_psi
    near(phi, psi + phi @ K @ H @ psi)
    near((forward @ backward).dense(), np.eye(model.nv))  # identity 2
    near((backward @ forward).dense(), np.eye(model.nv))
    near(phi @ M @ phi.T, P + (phi - one) @ P + P @ (phi - one).T + phi @ K @ D @ K.T @ phi.T)  # identity 3
    mass = reference.mass_matrix(model, state.x)
    near((ops.H @ ops.phi @ ops.M @ ops.phi.T @ ops.H.T + ops.J).dense(), mass)  # Newton-Euler
    near(ops.mass.dense(), mass)
    near((forward @ ops.D @ forward.T).dense(), mass)  # innovations
    near((backward.T @ ops.D_inverse @ backward).dense() @ mass, np.eye(model.nv), 1e-11)
    near(ops.mass_inverse.dense() @ mass, np.eye(model.nv), 1e-11)
    near((ops.root @ ops.root.T).dense(), mass)
    near((ops.root_inverse @ ops.root).dense(), np.eye(model.nv))
    near((ops.factor_inverse @ ops.factor).dense(), np.eye(model.nv))
    near(ops.factor.dense() * ops.pivots @ ops.factor.T.dense(), mass)
    near(np.diag(ops.factor.dense()), np.ones(model.nv))
    near(ops.log_determinant, np.linalg.slogdet(mass)[1])


@every_tree
def test_a_transpose_is_one(base, seed):
    rng, model, state = robot(base, seed)
    ops = SpatialOperators(model, state, about="bodies")
    names = [name for name, value in vars(ops).items() if isinstance(value, sd.operators.Operator)]
    assert len(names) == 19
    for name in names:
        op = getattr(ops, name)
        near(op.T.dense(), op.dense().T)
        assert op.T.shape == op.shape[::-1] and op.T.T.domain == op.domain and op.T.T.range == op.range
        x, y = rng.normal(size=op.shape[1]), rng.normal(size=op.shape[0])
        near(op @ x, op.dense() @ x)
        near(op.T @ y, y @ op.dense())
        many = rng.normal(size=(op.shape[1], 3))
        near(op @ many, op.dense() @ many)


# --- what they are good for ------------------------------------------------------------------------------------------


@every_tree
@pytest.mark.parametrize("about", ["base", "bodies"])
def test_filter_and_smoother(base, seed, about):
    rng, model, state = robot(base, seed)
    ops = SpatialOperators(model, state, about=about)
    tau, push = rng.normal(size=model.nv - model.base_dof), rng.normal(size=6)
    wrenches = rng.normal(size=(len(model.endpoints), 6))
    loads = {"endpoint_wrenches": wrenches, "gravity": GRAVITY}
    forces = np.concatenate([np.zeros(model.base_dof), tau])
    found = sd.operators.filter_smoother(ops, tau, **loads)
    near(found.udot, reference.forward_dynamics(model, state.x, state.u, forces, **loads), 1e-11)
    found = sd.operators.filter_smoother(ops, tau, base_wrench=push, **loads, passive=False)
    near(found.udot, sd.forward_dynamics(model, state, tau, base_wrench=push, **loads, passive=False), 1e-11)
    near(found.alpha.ravel(), ops.phi.T @ ops.H.T @ found.udot, 1e-11)
    near(ops.D @ found.nu, found.innovations, 1e-11)
    p = sd.operators.motion_forces(ops, gravity=GRAVITY)
    near(ops.H @ ops.phi @ p.ravel(), reference.bias_force(model, state.x, state.u, GRAVITY), 1e-11)
    # what is left after the filter is what the joints have beyond holding their bodies: ε = (1 - H psi K)(T - c)
    right = forces - sd.inverse_dynamics(model, state, np.zeros(model.nv), base_wrench=push, **loads, passive=False)
    near(found.innovations, (1 - ops.H @ ops.psi @ ops.K) @ right, 1e-11)


@every_tree
def test_operational_space(base, seed):
    rng, model, state = robot(base, seed)
    ops = SpatialOperators(model, state)
    J = reference.endpoint_jacobians(model, state.x)[0]
    inverse = np.linalg.inv(reference.mass_matrix(model, state.x))
    names = list(rng.permutation(model.endpoint_names)[:2])
    chosen = [model.endpoint_index(name) for name in names]
    for endpoints, stacked in ((None, np.concatenate(J)), (names, np.concatenate(J[chosen]))):
        near(sd.operators.operational_compliance(ops, endpoints), stacked @ inverse @ stacked.T, 1e-11)
    one = sd.operators.operational_compliance(ops, names[:1])
    if base == "free":
        felt = sd.operators.operational_inertia(ops, names[:1])
        near(felt @ one, np.eye(6), 1e-9)


def test_inertia_at_endpoints_that_cannot_move_freely():
    model = sd.load("planar_four_link")
    ops = SpatialOperators(model, model.neutral_state())
    with pytest.raises(sd.InputError, match="can move in 3 of 6 directions only"):
        sd.operators.operational_inertia(ops, model.endpoint_names[:1])
    with pytest.raises(sd.InputError, match="expected a list of names"):
        sd.operators.operational_inertia(ops, model.endpoint_names[0])
    with pytest.raises(sd.UnknownName, match="no endpoint named 'nose'"):
        sd.operators.operational_compliance(ops, ["nose"])


@pytest.mark.parametrize("seed", range(8))
def test_base_rates_by_the_corrected_formula_of_the_paper(seed):
    """Tian & Wu (21), (22) for a free base, with the missing ω × Σ m ρ, and L about the robot's centre of mass."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 6, base_kind="free")
    state = model.random_state(rng)
    ops = SpatialOperators(model, state)
    bodies, qd, P, L = reference.bodies(model, state.x), state.qd, rng.normal(size=3), rng.normal(size=3)
    relative = bodies.J[:, :, 6:] @ qd  # to the base
    total, mass = bodies.mass.sum(), bodies.mass[:, None]
    com = (mass * bodies.position).sum(axis=0) / total
    r, rho = bodies.position - com, bodies.position - bodies.position[0]
    inertia = sum(I - m * skew(x) @ skew(x) for I, m, x in zip(bodies.inertia, bodies.mass, r, strict=True))
    spin = np.einsum("bij,bj->i", bodies.inertia, relative[:, 3:]) + np.cross(r, mass * relative[:, :3]).sum(axis=0)
    rate = np.linalg.solve(inertia, L - spin)
    velocity = (P - (mass * relative[:, :3]).sum(axis=0) - np.cross(rate, (mass * rho).sum(axis=0))) / total
    found = sd.operators.base_rates(ops, qd, np.concatenate([P, L]))
    near(found.velocity, velocity)
    near(found.rate, rate)
    near(sd.operators.base_rates(ops, qd).rate, np.linalg.solve(inertia, -spin))


@pytest.mark.parametrize("base", ["free", "attitude", "planar"])
@pytest.mark.parametrize("seed", range(4))
def test_base_motion_of_every_base(base, seed):
    rng, model, state = robot(base, seed + 1)
    ops, b = SpatialOperators(model, state), model.base_dof
    for about in ("base", "com") if base != "attitude" else ("base",):
        momentum = sd.momentum(model, state, about=about)
        if base == "planar":  # what is held may have any momentum: it does not count
            momentum = momentum + rng.normal(size=6) * [0, 0, 1, 1, 1, 0] * (about == "base")
        found = sd.operators.base_rates(ops, state.qd, momentum, about=about)
        near(found.velocity, state.base_velocity, 1e-11)
        near(found.rate, state.base_rate, 1e-11)
    tau, loads = rng.normal(size=model.nv - b), {"base_wrench": rng.normal(size=6), "gravity": GRAVITY}
    loads["endpoint_wrenches"] = rng.normal(size=(len(model.endpoints), 6))
    udot = sd.forward_dynamics(model, state, tau, **loads)
    found = np.concatenate(sd.operators.base_acceleration(ops, udot[b:], **loads))
    kept = {"free": [0, 1, 2, 3, 4, 5], "attitude": [3, 4, 5], "planar": [0, 1, 5]}[base]
    near(found[kept], udot[:b], 1e-11)
    near(np.delete(found, kept), np.zeros(6 - b))


# --- batches, size, threads, errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("batch", [(1,), (LANES + 1,), (2, 3), (0,)], ids=str)
def test_batches(base, batch):
    rng, model, states = robot(base, 3, batch)
    for about in ("base", "bodies"):
        many = SpatialOperators(model, states, about=about)
        x, X = rng.normal(size=(*batch, model.nv)), rng.normal(size=(*batch, model.nv, 2))
        f = rng.normal(size=(*batch, 6 * len(model.bodies)))
        tau = rng.normal(size=(*batch, model.nv - model.base_dof))
        results = many.mass @ x, many.mass_inverse @ X, many.psi @ f, many.pivots, many.log_determinant, many.P.dense()
        smoothed = sd.operators.filter_smoother(many, tau, gravity=GRAVITY)
        compliance = sd.operators.operational_compliance(many)
        assert all(r.shape[: len(batch)] == batch for r in (*results, *smoothed, compliance))
        for i in np.ndindex(batch):
            one = SpatialOperators(model, states[i], about=about)
            alone = one.mass @ x[i], one.mass_inverse @ X[i], one.psi @ f[i], one.pivots, one.log_determinant
            for a, b in zip(results, (*alone, one.P.dense()), strict=True):
                near(a[i], b)
            for a, b in zip(smoothed, sd.operators.filter_smoother(one, tau[i], gravity=GRAVITY), strict=True):
                near(a[i], b)
            near(compliance[i], sd.operators.operational_compliance(one))
    if batch == (2, 3):  # one vector for all
        near((many.mass @ np.ones(model.nv))[1, 2], SpatialOperators(model, states[1, 2]).mass @ np.ones(model.nv))


def test_a_thousand_joints():
    rng = np.random.default_rng(0)
    model = random_model(rng, 1000, base_kind="free", kinds=("revolute", "prismatic", "spherical"))
    state = model.random_state(rng)
    ops, x = SpatialOperators(model, state), rng.normal(size=model.nv)
    near(
        ops.mass @ x,
        sd.inverse_dynamics(model, state.replace(base_velocity=np.zeros(3), base_rate=np.zeros(3), qd=0 * state.qd), x),
        1e-10,
    )
    near(ops.mass_inverse @ (ops.mass @ x), x, 1e-8)
    near(ops.root @ (ops.root.T @ x), ops.mass @ x, 1e-10)
    near(ops.phi @ (ops.psi @ np.zeros(6 * 1001)), np.zeros(6 * 1001))


def test_many_threads_apply_one_operator():
    rng, model, state = robot("free", 5)
    ops, xs, wrong = SpatialOperators(model, state), rng.normal(size=(4, model.nv)), []
    expected = [ops.mass_inverse @ x for x in xs]

    def work(i):
        for _ in range(300):
            if not np.array_equal(ops.mass_inverse @ xs[i], expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_products_and_sums_that_mean_nothing_are_refused():
    _, model, state = robot("free", 3)
    ops, other = SpatialOperators(model, state), SpatialOperators(model, state)
    for wrong, said in (
        (lambda: ops.H @ ops.H.T, "takes forces, the right one gives motions"),
        (lambda: ops.phi @ ops.phi.T, "is a transpose missing"),
        (lambda: ops.phi + ops.M, "one is from forces to forces, the other from motions to forces"),
        (lambda: 1 + ops.H, "has no identity"),
        (lambda: ops.phi + "1", "got str"),
        (lambda: ops.phi @ other.psi, "do not mix"),
        (lambda: ops.phi + other.psi, "do not mix"),
        (lambda: ops.mass @ np.zeros(3), r"expected shape \(\d+,\)"),
        (lambda: ops.mass @ np.zeros((2, 2, model.nv)), "expected shape"),
        (lambda: ops.mass @ 1.0, "expected shape"),
        (lambda: ops.mass @ np.full(model.nv, np.nan), r"nan at index \(0,\)"),
        (lambda: ops.mass @ (np.ones(model.nv) * 1j), "complex numbers"),
        (lambda: SpatialOperators(model, state, about="tip"), "expected 'base' or 'bodies', got 'tip'"),
        (lambda: SpatialOperators(model, None), "must be a State"),
        (lambda: SpatialOperators(None, state), "must be a Model"),
        (lambda: sd.operators.base_rates(ops, np.zeros(1)), "qd: expected shape"),
        (lambda: sd.operators.base_rates(ops, state.qd, np.zeros(5)), "momentum: expected shape"),
        (lambda: sd.operators.base_rates(ops, state.qd, about="tip"), "expected 'com' or 'base'"),
        (lambda: sd.operators.base_acceleration(ops, np.zeros(1)), "qdd: expected shape"),
        (lambda: sd.operators.filter_smoother(ops, np.zeros(1)), "tau: expected shape"),
    ):
        with pytest.raises(sd.InputError, match=said):
            wrong()
    with pytest.raises(TypeError):
        np.zeros(model.nv) @ ops.mass
    _, held, still = robot("fixed", 3)
    with pytest.raises(sd.InputError, match="fixed base"):
        sd.operators.base_rates(SpatialOperators(held, still), still.qd)
    _, pivoted, turning = robot("attitude", 3)
    with pytest.raises(sd.InputError, match="about='base'"):
        sd.operators.base_rates(SpatialOperators(pivoted, turning), turning.qd, np.zeros(6))
    assert "forces -> joint forces" in repr(ops.H) and "about its base" in repr(ops)


def test_base_rates_of_an_empty_batch():
    robot = sd.load("tian_wu")
    ops = SpatialOperators(robot, robot.random_state(np.random.default_rng(0), (0, 3)))
    found = sd.operators.base_rates(ops, np.zeros((0, 3, 3)), momentum=np.zeros((0, 3, 6)))
    assert found.velocity.shape == found.rate.shape == (0, 3, 3)
