"""SpaceDyn's functions by name on random trees, each by a route of its own: the slow reference, or what defines it."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import reference
import spacedyn as sd
import spacedyn.classic as sc
from classic_cases import RATES, blocks, close, random_robot, random_SV
from random_trees import random_rotation
from spacedyn.model.rotations import rotation_xyz

SEEDS = range(6)
GRAVITY = np.array([0.3, -0.2, -1.7])
BOUND = 1e-11


class Tree:
    """A random robot, its LP, an SV, and the reference's view of it."""

    def __init__(self, seed: int, n: int = 7):
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.LP = sc.LinkParameters.from_model(random_robot(rng, n))
        self.SV = sc.calc_pos(self.LP, sc.calc_aa(self.LP, random_SV(rng, self.LP)))
        self.model, SV = self.LP.model, self.SV
        self.x = np.concatenate([SV.R0, Rotation.from_matrix(SV.A0).as_quat(), SV.q])
        self.u = np.concatenate([SV.v0, SV.w0, SV.qd])
        self.udot = np.concatenate([SV.vd0, SV.wd0, SV.qdd])
        self.bodies = reference.bodies(self.model, self.x, self.u)
        self.n = n
        sc.set_globals(self.LP, Gravity=GRAVITY, d_time=0.01)

    def plain(self, names: str) -> list[np.ndarray]:
        return [getattr(self.SV, name) for name in names.split()]

    @property
    def wrenches(self) -> np.ndarray:
        return np.vstack([self.SV.Fe, self.SV.Te])[:, [link - 1 for link in self.LP.links]].T


@pytest.fixture(params=SEEDS)
def tree(request) -> Tree:
    return Tree(request.param)


def both(function, tree: Tree, names: str, *rest):
    """What a function returns in either style, which must be the same but for rounding."""
    one = function(*tree.plain(names), *rest)
    other = function(tree.LP, tree.SV, *rest)
    for a, b in zip(
        one if isinstance(one, tuple) else (one,), other if isinstance(other, tuple) else (other,), strict=True
    ):
        close(a, b, 1e-13)
    return one


# --- kinematics ------------------------------------------------------------------------------------------------------


def test_link_attitudes_and_centres_of_mass(tree):
    AA, SV = sc.calc_aa(*tree.plain("A0 q")), sc.calc_aa(tree.LP, tree.SV)
    close(AA, blocks(tree.bodies.pose[1:, :3, :3]), BOUND)
    close(SV.AA, AA, 0.0)
    close(sc.calc_pos(*tree.plain("R0 A0 AA q")), tree.bodies.position[1:].T, BOUND)


def test_a_links_attitude_is_its_parents_times_the_joints(tree):
    """SpaceDyn's definition, with its arrays: A_i = A_B Rx Ry Rz(Qi + q)."""
    for i in range(1, tree.n + 1):
        B = tree.LP.BB[i - 1]
        A_B = tree.SV.A0 if B == 0 else tree.SV.AA[:, 3 * B - 3 : 3 * B]
        angles = tree.LP.Qi[:, i - 1] + [0, 0, tree.SV.q[i - 1] if tree.LP.J_type[i - 1] == "R" else 0.0]
        close(tree.SV.AA[:, 3 * i - 3 : 3 * i], A_B @ rotation_xyz(angles), BOUND)


def test_link_velocities_and_accelerations(tree):
    vv, ww = sc.calc_vel(*tree.plain("A0 AA v0 w0 q qd"))
    close(np.vstack([vv, ww]).T, reference.body_velocities(tree.model, tree.x, tree.u)[1:], BOUND)
    SV = sc.calc_acc(tree.LP, sc.calc_vel(tree.LP, tree.SV))
    close(SV.vv, vv, 0.0)
    close(SV.ww, ww, 0.0)
    wanted = reference.body_accelerations(tree.model, tree.x, tree.u, tree.udot)[1:]
    close(np.vstack([SV.vd, SV.wd]).T, wanted, BOUND)
    vd, wd = sc.calc_acc(*tree.plain("A0 AA w0"), ww, *tree.plain("vd0 wd0 q qd qdd"))
    close(np.vstack([vd, wd]).T, wanted, BOUND)


def test_chains_are_counted_from_one_and_go_from_root_to_tip(tree):
    for k, link in enumerate(tree.LP.links, start=1):
        chain = sc.j_num(tree.LP, k)
        assert sc.j_num(k) == chain
        assert chain[-1] == link and tree.LP.BB[chain[0] - 1] == 0
        assert [tree.LP.BB[j - 1] for j in chain[1:]] == chain[:-1]


def test_joints_and_endpoints(tree):
    wanted, poses = reference.endpoint_poses(tree.model, tree.x), reference.joint_poses(tree.model, tree.x)
    for k in range(1, len(tree.LP.links) + 1):
        joints = sc.j_num(k)
        POS_e, ORI_e = both(sc.f_kin_e, tree, "RR AA", joints)
        close(POS_e, wanted[k - 1, :3, 3], BOUND)
        close(ORI_e, wanted[k - 1, :3, :3], BOUND)
        POS_j, ORI_j = both(sc.f_kin_j, tree, "RR AA q", joints)
        close(POS_j, poses[[j - 1 for j in joints], :3, 3].T, BOUND)
        close(ORI_j, blocks([tree.bodies.pose[j, :3, :3] for j in joints]), BOUND)


# --- jacobians -------------------------------------------------------------------------------------------------------


def test_link_jacobians(tree):
    close(both(sc.calc_jt, tree, "RR AA"), blocks(tree.bodies.J[1:, :3, 6:]), BOUND)
    close(both(sc.calc_jr, tree, "AA"), blocks(tree.bodies.J[1:, 3:, 6:]), BOUND)


def test_endpoint_jacobians(tree):
    J = reference.endpoint_jacobians(tree.model, tree.x)[0][:, :, 6:]
    for k in range(1, len(tree.LP.links) + 1):
        joints = sc.j_num(k)
        columns = [j - 1 for j in joints]
        close(both(sc.calc_jte, tree, "RR AA q", joints), J[k - 1, :3, columns].T, BOUND)
        close(both(sc.calc_jre, tree, "AA", joints), J[k - 1, 3:, columns].T, BOUND)
        close(both(sc.calc_je, tree, "RR AA q", joints), J[k - 1], BOUND)


def test_generalized_jacobian_and_momentum(tree):
    """With the base's motion from momentum, the endpoint moves by GJ qd and what momentum adds."""
    H = reference.mass_matrix(tree.model, tree.x)
    J = reference.endpoint_jacobians(tree.model, tree.x)[0]
    momentum = reference.momentum(tree.model, tree.x, tree.u, tree.SV.R0)
    for k in range(1, len(tree.LP.links) + 1):
        GJ = both(sc.calc_gj, tree, "R0 RR A0 AA q", k)
        close(GJ, J[k - 1, :, 6:] - J[k - 1, :, :6] @ np.linalg.solve(H[:6, :6], H[:6, 6:]), BOUND)
        same, drift = sc.calc_gj11(tree.LP, tree.SV, momentum, k, sc.calc_hh(tree.LP, tree.SV))
        close(same, GJ, 0.0)
        close(GJ @ tree.SV.qd + drift, J[k - 1] @ tree.u, BOUND)


# --- dynamics --------------------------------------------------------------------------------------------------------


def test_inertia(tree):
    H = reference.mass_matrix(tree.model, tree.x)
    close(both(sc.calc_hh, tree, "R0 RR A0 AA"), H, BOUND)
    close(both(sc.calc_gh, tree, "R0 RR A0 AA"), H[6:, 6:] - H[6:, :6] @ np.linalg.solve(H[:6, :6], H[:6, 6:]), BOUND)


def test_inverse_dynamics(tree):
    loads = {"gravity": GRAVITY, "endpoint_wrenches": tree.wrenches}
    wanted = reference.inverse_dynamics(tree.model, tree.x, tree.u, tree.udot, **loads)
    close(both(sc.r_ne, tree, "R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te"), wanted, BOUND)
    close(both(sc.i_dyn, tree, "R0 A0 v0 w0 vd0 wd0 q qd qdd Fe Te"), wanted, BOUND)


def test_forward_dynamics_is_the_original_procedure(tree):
    """HH acc = [F0; T0; tau] + Je' [Fe; Te] - Force0, with the reference's matrices; and r_ne undoes it."""
    F = np.concatenate(tree.plain("F0 T0 tau"))
    wanted = reference.forward_dynamics(tree.model, tree.x, tree.u, F, gravity=GRAVITY, endpoint_wrenches=tree.wrenches)
    names = "R0 A0 v0 w0 q qd F0 T0 Fe Te tau"
    close(np.concatenate(sc.f_dyn(*tree.plain(names))), wanted, BOUND)
    for function in (sc.f_dyn, sc.f_dyn_f0):
        SV = function(tree.LP, tree.SV)
        close(np.concatenate([SV.vd0, SV.wd0, SV.qdd]), wanted, BOUND)
        close(sc.r_ne(tree.LP, SV), F, BOUND)
    close(SV.Force10, reference.bias_force(tree.model, tree.x, tree.u, GRAVITY), BOUND)


def test_robots_where_no_link_or_not_the_last_has_an_endpoint():
    """The original stops there."""
    rng = np.random.default_rng(5)
    for SE in ([1, 0, 0], [0, 0, 0]):
        LP = sc.LinkParameters.from_model(random_robot(rng, 3, ends=1.0)).replace(SE=SE)
        SV = random_SV(rng, LP)
        back = sc.r_ne(LP, sc.f_dyn_f0(LP, SV))
        close(back, np.concatenate([SV.F0, SV.T0, SV.tau]), BOUND)
        with pytest.raises(sd.InputError, match="no endpoint has the number 2; "):
            sc.j_num(LP, 2)


# --- rotations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_rotations_agree_with_scipy_and_undo_each_other(seed):
    rng = np.random.default_rng(seed)
    turn = random_rotation(rng)
    C = turn.as_matrix().T
    close(sc.rpy2dc(turn.as_euler("XYZ")), C, BOUND)
    close(sc.dc2rpy(C), turn.as_euler("XYZ"), BOUND)
    close(sc.eul2dc(turn.as_euler("ZXZ")), C, BOUND)
    close(sc.eul2dc(sc.dc2eul(C)), C, BOUND)
    close(sc.dc2qtn(C) * np.sign(sc.dc2qtn(C)[3]), turn.as_quat(canonical=True), BOUND)
    close(sc.qtn2dc(sc.dc2qtn(C)), C, BOUND)
    w, dt = rng.normal(size=3), 10.0 ** rng.uniform(-9, 1)
    close(sc.aw(w, d_time=dt), expm(dt * sc.tilde(w)), 1e-12)
    close(sc.tilde(w) @ C[0], sc.cross(w, C[0]), BOUND)
    h = 1e-6
    ahead, behind = ((Rotation.from_rotvec(s * h * w) * turn).as_quat() for s in (1, -1))
    close(sc.w2dQtn(w, turn.as_quat()), (ahead - behind) / (2 * h), 1e-8)
    axis, angle = rng.normal(size=3), rng.uniform(0, np.pi)
    axis /= np.linalg.norm(axis)
    turned = (Rotation.from_rotvec(angle * axis) * turn).as_matrix()
    close(sc.tr2diff(turned, turn.as_matrix()), np.sin(angle) * axis, BOUND)


@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-9, np.pi - 1e-5, 1e-9, 0.0])
def test_quaternions_are_accurate_near_half_turns_and_none(angle):
    for axis in np.vstack([np.eye(3), [[0.6, -0.8, 0.0]], [[1, 1, 1] / np.sqrt(3)]]):
        turn = Rotation.from_rotvec(angle * axis)
        q = sc.dc2qtn(turn.as_matrix().T)
        close(q * np.sign(q @ turn.as_quat()), turn.as_quat(), 1e-15)


def test_aw_of_an_SV_takes_its_rate():
    tree = Tree(0)
    close(sc.aw(tree.SV), sc.aw(tree.SV.w0, d_time=0.01), 0.0)


# --- inverse kinematics ----------------------------------------------------------------------------------------------


def six_axes() -> sc.LinkParameters:
    """The arm of ETS-VII."""
    return sc.LinkParameters.from_model(sd.load("ets7"))


@pytest.mark.parametrize("seed", range(8))
def test_inverse_kinematics_brings_the_endpoint_there(seed):
    rng, LP = np.random.default_rng(seed), six_axes()
    SV = random_SV(rng, LP, loads=False)
    SV.q = np.array([0.3, 0.4, -0.8, 0.2, 0.4, 0.1]) + 0.3 * rng.normal(size=6)
    start = SV.q + 0.2 * rng.normal(size=6)
    POS, ORI = sc.f_kin_e(LP, SV, sc.j_num(LP, 1))
    SV.q = sc.i_kine(LP, SV, POS, ORI, start, 1)
    found = sc.f_kin_e(LP, SV, sc.j_num(LP, 1))
    close(found[0], POS, 1e-12)
    close(found[1], ORI, 1e-12)


def test_inverse_kinematics_from_half_a_turn_away():
    """The original's measure of a turn is zero there, and it stays where it is."""
    LP = six_axes()
    SV = sc.init_SV(LP)
    SV.q = np.array([0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    chain = sc.j_num(LP, 1)
    start = SV.q.copy()
    POS, ORI = sc.f_kin_e(LP, SV, chain)
    axis = sc.calc_je(LP, SV, chain)[3:, 5]
    ORI = Rotation.from_rotvec(np.pi * axis).as_matrix() @ ORI  # the last joint turned by half a turn
    assert np.abs(sc.tr2diff(ORI, sc.f_kin_e(LP, SV, chain)[1])).max() < 1e-15
    SV.q = sc.i_kine(LP, SV, POS, ORI, start, 1)
    close(sc.f_kin_e(LP, SV, chain)[1], ORI, 1e-11)


def test_inverse_kinematics_moves_only_the_endpoints_chain():
    LP = sc.LinkParameters.from_model(sd.load("two_arm_sample"))
    SV = sc.init_SV(LP)
    SV.q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    POS, ORI = sc.f_kin_e(LP, SV, sc.j_num(LP, 2))
    found = sc.i_kine(LP, SV, POS, ORI, [9.0, 8.0, 7.0, 0.3, 0.4, 0.5], 2)
    close(found, [9.0, 8.0, 7.0, 0.4, 0.5, 0.6], 1e-9)


def test_inverse_kinematics_says_how_far_a_goal_is_out_of_reach():
    LP = six_axes()
    SV = sc.init_SV(LP)
    with pytest.warns(sd.RunWarning, match=r"endpoint 1 stays \d+\.?\d* m and .* rad away"):
        sc.i_kine(LP, SV, [100.0, 0, 0], np.eye(3), np.full(6, 0.3), 1)


# --- integrators -----------------------------------------------------------------------------------------------------


def after(function, dt: float, steps: int, tree: Tree) -> np.ndarray:
    """Everything after some steps; the state as the reference's x and u, the quaternion as a matrix."""
    SV = tree.SV
    plain, loads = tree.plain("R0 A0 v0 w0 q qd"), tree.plain("F0 T0 Fe Te tau")
    for _ in range(steps):
        if function is sc.f_dyn_tr:
            zeros = (np.zeros(3), np.zeros(3)), np.zeros(tree.n)
            new = function(*plain[:4], *zeros[0], *plain[4:], zeros[1], *loads, d_time=dt)
            plain = [*new[:4], *new[6:8]]
        elif function in (sc.int_eu, sc.int_eu2):
            vd0, wd0, qdd = sc.f_dyn(*plain, *loads)
            plain = function(*plain[:4], vd0, wd0, *plain[4:], qdd, d_time=dt)
        elif function in (sc.int_sr, sc.int_sr2):
            SV = function(tree.LP, SV, d_time=dt)
            plain = [getattr(SV, name) for name in RATES]
        else:
            plain = function(*plain, *loads, d_time=dt)
    close(plain[1] @ plain[1].T, np.eye(3), 1e-14)
    return np.concatenate([np.ravel(part) for part in plain])


ORDERS = {
    **{"int_eu": 1, "int_eu2": 1, "int_sr": 3, "int_sr2": 3, "f_dyn_rk": 4, "f_dyn_rk2": 4},
    **{"f_dyn_nb": 2, "f_dyn_nb2": 2, "f_dyn_tr": 2},
}


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    tree = Tree(2, n=3)
    model, SV = tree.model, tree.SV
    start = model.state(
        base_position=SV.R0, base_attitude=SV.A0, q=SV.q, base_velocity=SV.v0, base_rate=SV.w0, qd=SV.qd
    )

    @sd.law
    def loads(t, s, p, out):
        for i in range(3):
            out.tau[i] = p.tau[i]
        for i in range(6):
            out.base_wrench[i] = p.base[i]
            for e in range(out.endpoint_wrenches.shape[0]):
                out.endpoint_wrenches[e, i] = p.ends[6 * e + i]

    given = loads(tau=SV.tau, base=np.append(SV.F0, SV.T0), ends=tree.wrenches.ravel())
    run = sd.simulate(model, start, 0.4, laws=[given], gravity=GRAVITY, budget=1.0)
    end = run.final
    parts = (end.base_position, end.base_attitude.as_matrix(), end.base_velocity, end.base_rate, end.q, end.qd)
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("name", ORDERS)
def test_every_integrator_has_its_order_in_every_part(name, truth):
    """Halving the step divides the error of attitude and of all the rest by two to the order."""
    tree, function = Tree(2, n=3), getattr(sc, name)
    few = {1: 64, 2: 32, 3: 16, 4: 16}[ORDERS[name]]
    errors = [np.abs(after(function, 0.4 / steps, steps, tree) - truth) for steps in (few, 2 * few)]
    for part in (slice(0, 3), slice(3, 12), slice(12, 18), slice(18, None)):  # R0, A0, v0 and w0, q and qd
        order = np.log2(errors[0][part].max() / errors[1][part].max())
        assert abs(order - ORDERS[name]) < 0.35, f"order {order:.2f}"


@pytest.mark.parametrize(
    ("one", "other"),
    [("int_eu", "int_eu2"), ("f_dyn_rk", "f_dyn_rk2"), ("f_dyn_nb", "f_dyn_nb2"), ("int_sr", "int_sr2")],
)
def test_both_styles_and_both_names_make_the_same_step(one, other):
    tree = Tree(3)
    SV = getattr(sc, one)(tree.LP, tree.SV)
    same = getattr(sc, other)(tree.LP, tree.SV)
    for name in RATES:
        close(getattr(SV, name), getattr(same, name), 0.0)
    close(sc.rpy2dc(SV.Q0).T, SV.A0, 1e-14)
    names = "R0 A0 v0 w0 vd0 wd0 q qd qdd" if one == "int_eu" else "R0 A0 v0 w0 q qd F0 T0 Fe Te tau"
    for name, value in zip(RATES, getattr(sc, one)(*tree.plain(names)), strict=True):
        close(getattr(SV, name), value, 1e-15)
    if one != "int_eu":
        again = sc.f_dyn(tree.LP, SV)  # accelerations are those at the end of the step
        close(np.concatenate([SV.vd0, SV.wd0, SV.qdd]), np.concatenate([again.vd0, again.wd0, again.qdd]), 1e-12)


def test_a_bodys_free_turn_keeps_its_angular_momentum():
    """No joints at all: a tumbling body, by the fourth-order method."""
    LP = no_links()
    SV = sc.init_SV(LP)
    SV.w0 = np.array([0.3, -1.0, 0.5])

    def momentum(SV):
        return SV.A0 @ LP.inertia0 @ SV.A0.T @ SV.w0

    before = momentum(SV)
    for _ in range(300):
        SV = sc.f_dyn_rk2(LP, SV, d_time=0.01, Gravity=[0, 0, 0])
    close(momentum(SV), before, 1e-8)
    assert np.abs(SV.w0 - [0.3, -1.0, 0.5]).max() > 0.1


def no_links() -> sc.LinkParameters:
    nothing = {key: [] for key in ("J_type", "c0", "cc", "ce", "SE", "Qi", "Qe", "m", "inertia", "BB")}
    return sc.LinkParameters(**nothing, m0=10.0, inertia0=np.diag([1.0, 2.0, 2.5]))


def test_a_robot_without_links_has_empty_tables():
    LP = no_links()
    sc.set_globals(LP)
    SV = sc.calc_vel(LP, sc.calc_pos(LP, sc.calc_aa(LP, sc.init_SV(LP))))
    assert SV.AA.shape == SV.RR.shape == SV.vv.shape == (3, 0)
    assert sc.calc_aa(np.eye(3), []).shape == (3, 0)
    assert sc.calc_jt(LP, SV).shape == sc.calc_jt([], []).shape == (3, 0)
    assert sc.calc_hh([0, 0, 0], [], np.eye(3), []).shape == (6, 6)
