"""Derivatives of dynamics against differences along the manifold, a second route on duals, Pinocchio, and by hand."""

import hashlib
import inspect
from functools import cache

import numba
import numpy as np
import pinocchio as pin
import pytest

import spacedyn as sd
from moving_frames import base_map, hat
from random_trees import moved, random_flat_state, random_model
from spacedyn.kernels.robot import derivatives as kernels
from spacedyn.kernels.robot import layout as k
from spacedyn.kernels.robot.forward_dynamics import forward_dynamics
from spacedyn.kernels.robot.rows import read_rows, read_state
from spacedyn.kernels.scalar.compiling import OPTIONS, KernelCache
from spacedyn.kernels.scalar.dual import DUAL
from spacedyn.kernels.scalar.dual_memory import tangents_of
from spacedyn.kernels.scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from spacedyn.kernels.scalar.pack import LANES, PACK, value_of
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS
from spacedyn.peers import robots as peers

pytestmark = pytest.mark.packs

GRAVITY = np.array([0.3, -1.2, -9.6])
TREES = [(base, seed) for base in BASE_KINDS for seed in range(6)]
every_tree = pytest.mark.parametrize(("base", "seed"), TREES)
NEAR_A_KINK = 0.02


def near(found, wanted, bound):
    """Equal relative to the largest number."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    error = np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))
    assert error <= bound, f"relative error {error:.1e}"


class Case:
    """A random tree with joints of all kinds and their own forces, a state, and loads on it."""

    def __init__(self, base: str, seed: int):
        rng = np.random.default_rng([seed, *map(ord, base)])
        self.model = model = random_model(rng, (9, 12, 5, 1, 9, 0)[seed], base_kind=base, passive=seed != 4)
        while True:
            x, u = random_flat_state(rng, model)
            self.state = sd.State(model, np.concatenate([x, u]))
            if not near_a_kink(model, self.state):
                break
        self.tau, self.udot = rng.normal(size=model.nv - model.base_dof), rng.normal(size=model.nv)
        self.loads = {"gravity": GRAVITY, "base_wrench": rng.normal(size=6)}
        self.loads["endpoint_wrenches"] = rng.normal(size=(len(model.endpoints), 6))

    def forward(self, state, tau=None):
        return sd.forward_dynamics(self.model, state, self.tau if tau is None else tau, **self.loads)

    def inverse(self, state, udot=None):
        return sd.inverse_dynamics(self.model, state, self.udot if udot is None else udot, **self.loads)


def near_a_kink(model: sd.Model, state: sd.State) -> bool:
    """Whether differences would reach over a stop's edge, or a half turn away from a spring's rest."""
    for joint in model.joints:
        q, qd = state.q[model.q_slice(joint.name)], state.qd[model.qd_slice(joint.name)]
        if joint.kind in ("spherical", "free"):
            turn = sd.Rotation.from_quat(joint.rest[-4:]).inv() * sd.Rotation.from_quat(q[-4:])
            if turn.magnitude() > np.pi - 0.1:
                return True
        for i in range({"spherical": 0, "free": 3}.get(joint.kind, joint.nv)):
            for depth, speed in ((q[i] - joint.upper[i], qd[i]), (joint.lower[i] - q[i], -qd[i])):
                beyond = max(depth, 0.0)
                push = joint.stop_stiffness[i] * beyond + joint.stop_damping[i] * speed
                if abs(depth) < NEAR_A_KINK or (beyond and abs(push) < NEAR_A_KINK * joint.stop_stiffness[i]):
                    return True
    return False


@cache
def case(base: str, seed: int) -> Case:
    return Case(base, seed)


# --- differences -----------------------------------------------------------------------------------------------------

CENTRAL = {1: 1 / 2}
EIGHTH_ORDER = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def differences(function, size, step, weights):
    """Derivative of a function of steps (many, size), row by row, at zero: one call for all steps."""
    shifts = np.array([sign * m * step for m in weights for sign in (1, -1)])
    values = function((shifts[:, None, None] * np.eye(size)).reshape(len(shifts) * size, size))
    values = values.reshape(len(shifts), size, values.shape[-1])
    signed = np.array([sign * w / step for w in weights.values() for sign in (1, -1)])
    return np.einsum("s,sij->ji", signed, values)


@pytest.mark.parametrize(
    ("step", "weights", "bound"), [(1e-5, CENTRAL, 1e-7), (2e-3, EIGHTH_ORDER, 1e-9)], ids=["central", "extrapolated"]
)
@every_tree
def test_differences_along_the_manifold(base, seed, step, weights, bound):
    c = case(base, seed)
    model, state = c.model, c.state
    nv = model.nv

    def by(function, size):
        return differences(function, size, step, weights)

    d = sd.forward_dynamics_derivatives(model, state, c.tau, **c.loads)
    assert [a.shape for a in d] == [(nv, nv), (nv, nv), (nv, nv - model.base_dof)]
    near(d.dx, by(lambda s: c.forward(state.integrate(s)), nv), bound)
    near(d.du, by(lambda s: c.forward(state.integrate(0 * s, state.u + s)), nv), bound)
    near(d.dtau, sd.mass_matrix_inverse(model, state)[:, model.base_dof :], 1e-12)
    d = sd.inverse_dynamics_derivatives(model, state, c.udot, **c.loads)
    assert [a.shape for a in d] == [(nv, nv)] * 3
    near(d.dx, by(lambda s: c.inverse(state.integrate(s)), nv), bound)
    near(d.du, by(lambda s: c.inverse(state.integrate(0 * s, state.u + s)), nv), bound)
    near(d.dudot, sd.mass_matrix(model, state), 0.0)


@every_tree
def test_forward_and_inverse_are_tied_by_the_mass_matrix(base, seed):
    c = case(base, seed)
    forward = sd.forward_dynamics_derivatives(c.model, c.state, c.tau, **c.loads)
    inverse = sd.inverse_dynamics_derivatives(c.model, c.state, c.forward(c.state), **c.loads)
    near(inverse.dudot @ forward.dx, -inverse.dx, 1e-11)
    near(inverse.dudot @ forward.du, -inverse.du, 1e-11)
    near(inverse.dudot @ forward.dtau, np.eye(c.model.nv)[:, c.model.base_dof :], 1e-11)


def test_directions_are_those_of_an_independent_reference():
    """`State.integrate` itself, against the tests' own motion along the manifold."""
    c = case("free", 0)
    step = np.random.default_rng(0).normal(size=c.model.nv)
    x = moved(c.model, c.state.x, step, 1e-6)
    change = (c.forward(sd.State(c.model, np.concatenate([x, c.state.u]))) - c.forward(c.state)) / 1e-6
    near(sd.forward_dynamics_derivatives(c.model, c.state, c.tau, **c.loads).dx @ step, change, 1e-4)


# --- the articulated-body algorithm on duals -------------------------------------------------------------------------


def compiled(function):
    """As kernels are; it takes seconds, so the machine code is kept with theirs, for this very source."""
    dispatcher = numba.njit(**OPTIONS)(function)
    source = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:16]
    dispatcher._cache = KernelCache(f"{function.__name__}.{source}")
    return dispatcher


@compiled
def articulated_on_duals(tree, par, work, packs, state, loads, values, out, options):
    """Accelerations u' (nv), and the matrix (nv, 2 nv) of du'/dx and du'/du, by forward dynamics itself on duals."""
    tree, par, work, packs = pointer(tree), pointer(par), pointer(work), pointer(packs)
    state, loads, values, out = pointer(state), pointer(loads), pointer(values), pointer(out)
    zero, many = zero_of(DUAL), lanes_of(zero_of(PACK))
    nv, base, rate = integer(tree, k.RATES), integer(tree, k.BASE_RATES), integer(tree, k.W_RATE)
    wrenches = 6 * (integer(tree, k.ENDPOINTS) + 1)
    joints, width = nv - base, nv - base + wrenches
    for first in range(0, kernels.directions_of(tree), many):
        read_state(tree, state, 0, 1, work, zero)
        for j in range(nv):
            store(work, rate + j * k.RATE_WORK + k.TAU, zero)
            store(work, rate + j * k.RATE_WORK + k.QDD, zero)
        read_rows(loads, width, 0, joints, 0, 1, work, rate + base * k.RATE_WORK + k.TAU, k.RATE_WORK, zero)
        read_rows(loads, width, joints, wrenches, 0, 1, work, integer(tree, k.W_WRENCH), 1, zero)
        kernels.seed_directions(tree, work, first, many, zero)
        forward_dynamics(tree, par, work, options, zero)
        for j in range(nv):
            found = load(work, rate + j * k.RATE_WORK + k.QDD, zero)
            store(values, j, value_of(found))
            store(packs, j, tangents_of(found))
        kernels.write_directions(tree, packs, 0, 1, first, many, out, 0, 2 * nv)


def test_forward_dynamics_itself_on_duals_gives_the_same():
    """Values, too: no scalar of its scratch memory is taken for a float64."""
    for base, seed in TREES:
        c = case(base, seed)
        model, flat = c.model, c.model.flat
        loads = np.concatenate([c.tau, c.loads["base_wrench"], c.loads["endpoint_wrenches"].ravel()])
        out, options = np.zeros((model.nv, 2 * model.nv)), k.LOADED | (k.PASSIVE_FORCES if flat.passive else 0)
        work, packs, par = flat.scratch(1 + LANES), flat.scratch(LANES), flat.with_gravity(GRAVITY)
        work[:], values = np.nan, np.full(model.nv, np.nan)
        articulated_on_duals(flat.tree, par, work, packs, c.state._rows, loads, values, out.reshape(-1), options)
        wanted = c.forward(c.state)
        np.testing.assert_allclose(values, wanted, rtol=1e-12, atol=1e-13 * np.abs(wanted).max(initial=0.0))
        d = sd.forward_dynamics_derivatives(model, c.state, c.tau, **c.loads)
        near(np.hstack([d.dx, d.du]), out, 1e-11)


def test_accelerations_that_are_given_stay_and_the_others_answer():
    """The kernel on a tree with given rates: hybrid dynamics along the manifold."""
    for base in BASE_KINDS:
        c = case(base, 0)
        model, flat, nv = c.model, c.model.flat, c.model.nv
        names = [model.bodies[0].name, *model.joint_names][:: 2 if base == "planar" else 3]
        mask = np.zeros(nv, dtype=np.int64)
        for name in names:
            mask[slice(0, model.base_dof) if name == model.bodies[0].name else model.u_slice(name)] = 1
        out = np.zeros((nv, 3 * nv - model.base_dof))
        loads = [c.tau, c.loads["base_wrench"], c.loads["endpoint_wrenches"].ravel(), np.where(mask, c.udot, 0.0)]
        scratch = flat.scratch(1, nv**2), flat.scratch(LANES), flat.scratch(1 + LANES)
        tree, par = flat.with_given(mask), flat.with_gravity(GRAVITY)
        options, row = k.LOADED | k.PASSIVE_FORCES | k.HYBRID, np.concatenate(loads)
        assert kernels.forward(tree, par, *scratch, c.state._rows, row, out.reshape(-1), 1, options, DUAL)

        def hybrid(state, tau=c.tau, c=c, names=names):
            return sd.hybrid_dynamics(c.model, state, names, c.udot, tau, **c.loads).udot

        def by(function, size):
            return differences(function, size, 2e-3, EIGHTH_ORDER)

        near(out[:, :nv], by(lambda s, c=c: hybrid(c.state.integrate(s)), nv), 1e-9)
        near(out[:, nv : 2 * nv], by(lambda s, c=c: hybrid(c.state.integrate(0 * s, c.state.u + s)), nv), 1e-9)
        joints = len(c.tau)
        near(
            out[:, 2 * nv :],
            by(lambda s, c=c: hybrid(c.state.integrate(np.zeros((len(s), c.model.nv))), c.tau + s), joints),
            1e-9,
        )
        assert not out[mask == 1].any()


# --- Pinocchio -------------------------------------------------------------------------------------------------------


class Map:
    """How the peer's v = B(x) u and a = B u̇ + t(x, u) change along our directions; t = Ḃ u.

    Pinocchio's tangents are those of its v, so its q moves by B δ where x moves by δ. The base's block of B is Rᵀ, and
    turning the base by φ (inertial axes) gives d(Rᵀ y) = -Rᵀ (φ × y). Everything else in B is constant.
    """

    def __init__(self, mapping, x, u):
        self.mapping, self.x, self.u = mapping, x, u
        self.B, self.S = mapping.rate_map(x), base_map(mapping.model)
        self.R = sd.Rotation.from_quat(x[3:7]).as_matrix()
        self.base = mapping.model.base_dof
        self.nv, self.size = mapping.model.nv, len(self.B)

    def turned(self, y):
        """(size, nv): d(B y) along each direction, with y (nv,) held."""
        out = np.zeros((self.size, self.nv))
        v, w = (self.S @ y).reshape(2, 3)
        out[:3], out[3:6] = self.R.T @ hat(v) @ self.S[3:], self.R.T @ hat(w) @ self.S[3:]  # -φ × y = y × φ
        return out

    def turned_back(self, F):
        """(nv, nv): d(Bᵀ F) along each direction, with F of the peer held: d(R f) = φ × R f = -(R f) × φ."""
        forces = [-hat(self.R @ f) @ self.S[3:] for f in (F[:3], F[3:6])]
        return self.S.T @ np.vstack(forces)

    def transport_derivatives(self):
        """d t/dx and d t/du, each (size, nv), of t = (-Rᵀ (ω × v), 0, ...)."""
        v, w = (self.S @ self.u).reshape(2, 3)
        by_x, by_u = np.zeros((2, self.size, self.nv))
        by_x[:3] = -self.R.T @ hat(np.cross(w, v)) @ self.S[3:]
        by_u[:3] = -self.R.T @ (hat(w) @ self.S[:3] - hat(v) @ self.S[3:])
        return by_x, by_u


class PeerCase:
    """A tree without springs or stops, and the same robot in Pinocchio."""

    def __init__(self, base: str, kind: str | None, seed: int):
        rng = np.random.default_rng([seed, *map(ord, base + (kind or ""))])
        self.model = model = random_model(rng, 3 if kind else 10, base_kind=base, kinds=(kind,) if kind else None)
        self.x, self.u = random_flat_state(rng, model)
        self.state = sd.State(model, np.concatenate([self.x, self.u]))
        self.tau, self.udot = rng.normal(size=model.nv - model.base_dof), rng.normal(size=model.nv)
        self.wrench = rng.normal(size=6)
        self.robot, mapping = peers.to_pinocchio(model, chained=True)
        self.robot.gravity.linear = GRAVITY
        self.data = self.robot.createData()
        self.map = Map(mapping, self.x, self.u)
        self.q, self.v = mapping.position(self.x), mapping.velocity(self.x, self.u)

    def inverse(self, udot):
        """Pinocchio's derivatives of inverse dynamics, as ours; the base's wrench is constant in inertial axes."""
        m, B = self.map, self.map.B
        a = self.map.mapping.acceleration(self.x, self.u, udot)
        by_q, by_v, M = pin.computeRNEADerivatives(self.robot, self.data, self.q, self.v, a)
        M = np.triu(M) + np.triu(M, 1).T
        t_x, t_u = m.transport_derivatives()
        dx = m.turned_back(self.data.tau) + B.T @ (by_q @ B + by_v @ m.turned(self.u) + M @ (m.turned(udot) + t_x))
        return dx, B.T @ (by_v @ B + M @ t_u), B.T @ M @ B

    def forward(self):
        """Pinocchio's derivatives of forward dynamics, as ours, for a base that is free: B is invertible then."""
        m, B, model = self.map, self.map.B, self.model
        inverse = np.linalg.inv(B)
        F = m.S.T @ self.wrench
        F[model.base_dof :] += self.tau
        force = inverse.T @ F
        by_q, by_v, M = pin.computeABADerivatives(self.robot, self.data, self.q, self.v, force)
        M = np.triu(M) + np.triu(M, 1).T
        udot = inverse @ (self.data.ddq - m.mapping.transport(self.x, self.u))
        t_x, t_u = m.transport_derivatives()
        moving = by_q @ B + by_v @ m.turned(self.u) - M @ inverse.T @ m.turned_back(force)
        return inverse @ (moving - m.turned(udot) - t_x), inverse @ (by_v @ B - t_u), inverse @ M @ inverse.T


PEER_CASES = [(base, None, seed) for base in BASE_KINDS for seed in range(4)]
PEER_CASES += [(base, kind, 0) for base in BASE_KINDS for kind in JOINT_KINDS]


@pytest.mark.parametrize(("base", "kind", "seed"), PEER_CASES)
def test_pinocchio(base, kind, seed):
    c = PeerCase(base, kind, seed)
    model, b = c.model, c.model.base_dof
    loads = {"base_wrench": c.wrench, "gravity": GRAVITY}
    for found, wanted in zip(
        sd.inverse_dynamics_derivatives(model, c.state, c.udot, **loads), c.inverse(c.udot), strict=True
    ):
        near(found, wanted, 1e-9)
    d = sd.forward_dynamics_derivatives(model, c.state, c.tau, **loads)
    if base == "free":
        dx, du, inverse = c.forward()
    else:  # its base is held, or in part: Pinocchio's own is not, but H⁻¹ of the equations it gives is at hand
        dx, du, H = c.inverse(sd.forward_dynamics(model, c.state, c.tau, **loads))
        inverse = np.linalg.inv(H)
        dx, du = -inverse @ dx, -inverse @ du
    for found, wanted in zip(d, (dx, du, inverse[:, b:]), strict=True):
        near(found, wanted, 1e-9)


# --- by hand, and where slopes are singular --------------------------------------------------------------------------


def ball(stiffness=2.0, damping=0.3, friction=0.0, **properties):
    """A body on a spherical joint at its centre of mass, on a fixed base: nothing but a spring and inertia."""
    builder = sd.Builder("ball", base="fixed")
    builder.base("ground", mass=1.0, inertia=(0.2, 0.3, 0.4))
    builder.link(
        "ball",
        "spherical",
        parent="ground",
        mass=1.0,
        inertia=(0.5, 0.5, 0.5),
        stiffness=stiffness,
        damping=damping,
        friction=friction,
        friction_speed=0.1,
        **properties,
    )
    return builder.build()


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-12, 1e-5, 0.99e-4, 1.01e-4, 1e-2])
@pytest.mark.parametrize("rest", [(0, 0, 0, 1), (0.6, 0, 0, 0.8), (0, 0, 1, 0)])
def test_a_spherical_spring_at_its_rest(rest, angle):
    model = ball(rest=rest)
    turn = sd.Rotation.from_rotvec([angle, 0.0, 0.0])
    state = model.state(q=(sd.Rotation.from_quat(rest) * turn).as_quat())
    d = sd.forward_dynamics_derivatives(model, state)
    # rotation vector phi = angle e_x; d phi = dexp^-1 of the turn in the child's axes
    beta = 1 / 12 if angle < 1e-3 else (1 - angle / 2 / np.tan(angle / 2)) / angle**2
    cross = hat(np.array([angle, 0.0, 0.0]))
    by_phi = np.eye(3) + cross / 2 + beta * cross @ cross
    near(d.dx, -2.0 / 0.5 * by_phi, 2e-15 / max(angle, 1e-1) + 1e-14)
    near(d.du, -0.3 / 0.5 * np.eye(3), 1e-15)
    near(sd.inverse_dynamics_derivatives(model, state, np.ones(3)).dx, 2.0 * by_phi, 1e-13)


def test_a_quaternion_of_the_other_sign_is_the_same_attitude():
    model = ball(rest=(0.6, 0, 0, 0.8))
    q = (sd.Rotation.from_quat([0.6, 0, 0, 0.8]) * sd.Rotation.from_rotvec([0.2, -0.4, 0.7])).as_quat()
    one, other = (sd.forward_dynamics_derivatives(model, model.state(q=sign * q)) for sign in (1, -1))
    near(one.dx, other.dx, 1e-14)


def test_dry_friction_at_rest_has_its_steepest_slope():
    model = ball(friction=0.7)
    near(sd.forward_dynamics_derivatives(model, model.neutral_state()).du, -(0.3 + 0.7 / 0.1) / 0.5 * np.eye(3), 1e-14)
    without = sd.forward_dynamics_derivatives(model, model.neutral_state(), passive=False)
    assert not without.dx.any() and not without.du.any()


def pendulum(**properties):
    builder = sd.Builder("pendulum", base="fixed")
    builder.base("ground", mass=1.0, inertia=(0.2, 0.3, 0.4))
    builder.link(
        "arm",
        "revolute",
        parent="ground",
        axis=(0, 1, 0),
        mass=2.0,
        com=(0, 0, -0.5),
        inertia=(0.9, 1, 0.8),
        **properties,
    )
    return builder.build()


@pytest.mark.parametrize("angle", [0.0, 0.3, -2.5, 40.0, 3e6])
def test_a_pendulum(angle):
    """(I + m l²) q'' = tau - m g l sin q."""
    model = pendulum()
    d = sd.forward_dynamics_derivatives(model, model.state(q=[angle], qd=[0.4]), [1.0], gravity=(0, 0, -9.81))
    near(d.dx, [[-2.0 * 9.81 * 0.5 * np.cos(angle) / 1.5]], 1e-14)
    near(d.du, [[0.0]], 1e-15)
    near(d.dtau, [[1 / 1.5]], 1e-15)


@pytest.mark.parametrize(("q", "slope"), [(0.3, 0.0), (0.5, 0.0), (0.5 + 1e-9, -40.0), (0.7, -40.0), (-0.6, -40.0)])
def test_an_end_stop(q, slope):
    model = pendulum(lower=-0.5, upper=0.5, stop_stiffness=40.0, stop_damping=1.0)
    d = sd.forward_dynamics_derivatives(model, model.state(q=[q]))
    near(d.dx, [[slope / 1.5]], 1e-14)
    near(d.du, [[-1.0 / 1.5 if slope else 0.0]], 1e-14)


def test_a_free_body_by_euler():
    """I ω' + ω × I ω = 0 in inertial axes: turning the body turns I."""
    builder = sd.Builder("body", base="free")
    builder.base("body", mass=3.0, inertia=(1.0, 2.0, 3.0))
    model = builder.build()
    state = model.random_state(np.random.default_rng(0))
    R, w = state.base_attitude.as_matrix(), state.base_rate
    I = R @ np.diag([1.0, 2.0, 3.0]) @ R.T
    wd = np.linalg.solve(I, -np.cross(w, I @ w))
    d = sd.forward_dynamics_derivatives(model, state)
    near(d.du[3:, 3:], np.linalg.solve(I, hat(I @ w) - hat(w) @ I), 1e-14)
    for j, phi in enumerate(np.eye(3)):
        dI = hat(phi) @ I - I @ hat(phi)
        near(d.dx[3:, 3 + j], np.linalg.solve(I, -np.cross(w, dI @ w) - dI @ wd), 1e-14)
    assert not d.dx[:3].any() and not d.du[:3].any() and not d.dx[:, :3].any() and not d.du[:, :3].any()
    assert d.dtau.shape == (6, 0)


# --- batches and bad calls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASE_KINDS)
def test_alone_and_in_a_batch(base):
    c = case(base, 1)
    rng = np.random.default_rng(0)
    states = c.model.random_state(rng, (3, 5))
    tau, udot = rng.normal(size=(3, 5, len(c.tau))), rng.normal(size=(3, 5, c.model.nv))
    pushes = rng.normal(size=(3, 5, 6))
    loads = {**c.loads, "base_wrench": pushes}
    forward = sd.forward_dynamics_derivatives(c.model, states, tau, **loads)
    inverse = sd.inverse_dynamics_derivatives(c.model, states, udot, **loads)
    for i in np.ndindex(3, 5):
        loads["base_wrench"] = pushes[i]
        alone = sd.forward_dynamics_derivatives(c.model, states[i], tau[i], **loads)
        for many, one in zip(forward, alone, strict=True):
            assert many.shape[:2] == (3, 5)
            np.testing.assert_array_equal(many[i], one)
        alone = sd.inverse_dynamics_derivatives(c.model, states[i], udot[i], **loads)
        for many, one in zip(inverse, alone, strict=True):
            near(many[i], one, 1e-14)  # the mass matrix of a batch is worked out in packs


def test_numbers_that_are_not_finite_are_refused():
    c = case("free", 0)
    tau, udot = c.tau.copy(), c.udot.copy()
    tau[2], udot[1] = np.nan, np.inf
    with pytest.raises(sd.InputError, match=r"tau: nan at index 2 \(joint"):
        sd.forward_dynamics_derivatives(c.model, c.state, tau)
    with pytest.raises(sd.InputError, match=r"udot: inf at index 1 \(base"):
        sd.inverse_dynamics_derivatives(c.model, c.state, udot)
    with pytest.raises(sd.InputError, match="udot: expected shape"):
        sd.inverse_dynamics_derivatives(c.model, c.state, udot[1:])
