"""SpaceDyn's functions by name against what the original computed, wherever it is right; in both calling styles."""

import numpy as np
import pytest

import spacedyn.classic as sc
from classic_cases import MODELS, RATES, Case, blocks, close, columns, golden
from spacedyn import Rotation

TURNS = golden("rotations")["cases"]
each_turn = pytest.mark.parametrize("turn", TURNS, ids=range(len(TURNS)))
styles = pytest.mark.parametrize("v2", [False, True], ids=["v1", "v2"])


@pytest.fixture(params=MODELS)
def case(request) -> Case:
    return Case(request.param)


# --- rotations -------------------------------------------------------------------------------------------------------


@each_turn
def test_direction_cosines(turn):
    close(sc.cx(turn["rpy"][0]), turn["cx_of_roll"], 1e-15)
    close(sc.cy(turn["rpy"][1]), turn["cy_of_pitch"], 1e-15)
    close(sc.cz(turn["rpy"][2]), turn["cz_of_yaw"], 1e-15)
    close(sc.rpy2dc(*turn["rpy"]), turn["rpy2dc"], 1e-15)
    close(sc.rpy2dc(turn["rpy"]), turn["rpy2dc"], 1e-15)
    close(sc.eul2dc(*turn["eul"]), turn["eul2dc"], 1e-15)
    close(sc.eul2dc(np.array([turn["eul"]]).T), turn["eul2dc"], 1e-15)


def same_angles(found, wanted, bound=1e-12):
    """Up to whole turns: half a turn one way is half a turn the other way."""
    turns = (np.asarray(found) - wanted) / (2 * np.pi)
    assert np.abs(turns - np.round(turns)).max() * 2 * np.pi <= bound


@each_turn
def test_angles(turn):
    C = np.array(turn["rpy2dc"], dtype=float)
    same_angles(sc.dc2rpy(C), turn["dc2rpy_of_rpy2dc"])
    same_angles(sc.dc2eul(C), turn["dc2eul_of_rpy2dc"])
    same_angles(sc.dc2eul(turn["eul2dc"]), turn["dc2eul_of_eul2dc"])
    close(sc.rpy2dc(sc.dc2rpy(C)), C)
    close(sc.eul2dc(sc.dc2eul(C)), C)


@each_turn
def test_quaternions(turn):
    wanted = np.array(turn["dc2qtn_of_rpy2dc"], dtype=float)
    found = sc.dc2qtn(turn["rpy2dc"])
    if np.ptp(np.sort(np.abs(wanted))[-2:]) < 1e-12:
        found = found * np.sign(found @ wanted)  # two largest components of equal size: either may be the positive one
    close(found, wanted)
    close(sc.qtn2dc(wanted), turn["qtn2dc_back"])
    close(sc.w2dQtn(turn["w"], wanted), turn["w2dQtn"])


@each_turn
def test_small_turns(turn):
    close(sc.aw(turn["w"], d_time=0.01), turn["aw"])
    close(sc.tilde(turn["w"]), turn["tilde_w"])
    close(sc.cross(turn["w"], turn["rpy"]), turn["cross_w_rpy"])
    first, second = (sc.rpy2dc(turn[key]).T for key in ("rpy", "rpy_2"))
    close(sc.tr2diff(first, second), turn["tr2diff"])


def test_the_rotations_file_has_gimbal_lock_and_half_turns():
    pitches = [abs(turn["rpy"][1]) for turn in TURNS]
    assert sum(abs(pitch - np.pi / 2) < 1e-12 for pitch in pitches) == 2
    angles = [Rotation.from_matrix(turn["rpy2dc"]).magnitude() for turn in TURNS]
    assert sum(abs(angle - np.pi) < 1e-12 for angle in angles) >= 3


# --- kinematics ------------------------------------------------------------------------------------------------------


def test_links_v1(case):
    close(sc.calc_aa(*case.plain("A0 q")), case.v["AA"])
    close(sc.calc_pos(*case.plain("R0 A0 AA q")), case.v["RR"])
    vv, ww = sc.calc_vel(*case.plain("A0 AA v0 w0 q qd"))
    close(vv, case.v["vv"])
    close(ww, case.v["ww"])
    vd, wd = sc.calc_acc(*case.plain("A0 AA w0 ww vd0 wd0 q qd qdd"))
    close(vd, case.v["vd"])
    close(wd, case.v["wd"])


def test_links_v2(case):
    SV = case.SV()
    for function in (sc.calc_aa, sc.calc_pos, sc.calc_vel, sc.calc_acc):
        SV = function(case.LP, SV)
    for name in ("AA", "RR", "vv", "ww", "vd", "wd"):
        close(getattr(SV, name), case.v[name])


@styles
def test_chains_joints_and_endpoints(case, v2):
    arguments = (case.LP, case.SV()) if v2 else ()
    for end in case.ends:
        joints = sc.j_num(case.LP, end["num_e"]) if v2 else sc.j_num(end["num_e"])
        assert joints == end["joints"]
        POS_j, ORI_j = sc.f_kin_j(*(arguments or case.plain("RR AA q")), joints)
        close(POS_j, columns(end["POS_j"]))
        close(ORI_j, blocks(end["ORI_j"]))
        POS_e, ORI_e = sc.f_kin_e(*(arguments or case.plain("RR AA")), joints)
        close(POS_e, end["POS_e"])
        close(ORI_e, end["ORI_e"])


@styles
def test_jacobians(case, v2):
    pair = (case.LP, case.SV()) if v2 else ()
    close(sc.calc_jt(*(pair or case.plain("RR AA"))), blocks(case.outputs["link_jacobians"]["JJ_t"]))
    close(sc.calc_jr(*(pair or case.plain("AA"))), blocks(case.outputs["link_jacobians"]["JJ_r"]))
    for end in case.ends:
        joints = np.array([end["joints"]], dtype=float)  # as MATLAB has numbers
        close(sc.calc_jte(*(pair or case.plain("RR AA q")), joints), end["JJ_te"])
        close(sc.calc_jre(*(pair or case.plain("AA")), joints), end["JJ_re"])
        close(sc.calc_je(*(pair or case.plain("RR AA q")), joints), end["calc_je"])
        close(sc.calc_gj(*(pair or case.plain("R0 RR A0 AA q")), end["num_e"]), end["calc_gj"])


def test_inverse_kinematics():
    wanted, case = golden("ikine_model_a"), Case("model_a_6R_free_base")
    goal = (wanted["POS_goal"], wanted["ORI_goal"], wanted["q_init"], 1)
    SV = sc.init_SV(case.LP)
    SV.R0, SV.A0 = wanted["R0"], wanted["A0"]
    for found in (sc.i_kine(wanted["R0"], wanted["A0"], *goal), sc.i_kine(case.LP, SV, *goal)):
        close(found, wanted["q_true"], 1e-10)
        close(found, wanted["q_sol"], 3e-7)  # as near as the original comes


# --- dynamics --------------------------------------------------------------------------------------------------------


@styles
def test_inertia(case, v2):
    arguments = (case.LP, case.SV()) if v2 else case.plain("R0 RR A0 AA")
    close(sc.calc_hh(*arguments), case.outputs["HH"])
    close(sc.calc_gh(*arguments), case.outputs["calc_gh_v1r2"])


@styles
def test_inverse_dynamics(case, v2):
    wanted, SV = case.outputs, case.SV()
    r_ne = (case.LP, SV) if v2 else case.plain("R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te")
    i_dyn = (case.LP, SV) if v2 else case.plain("R0 A0 v0 w0 vd0 wd0 q qd qdd Fe Te")
    close(sc.r_ne(*r_ne), wanted["r_ne_with_endpoint_load_v1r2"])
    close(sc.i_dyn(*i_dyn), wanted["r_ne_with_endpoint_load_v1r2"])
    case.v["Fe"], case.v["Te"] = SV.Fe, SV.Te = np.zeros((3, case.n)), np.zeros((3, case.n))
    r_ne = (case.LP, SV) if v2 else case.plain("R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te")
    close(sc.r_ne(*r_ne), wanted["r_ne_no_endpoint_load"])
    SV.vd0, SV.wd0, SV.qdd = np.zeros(3), np.zeros(3), np.zeros(case.n)
    close(sc.r_ne(case.LP, SV), wanted["Force0"])
    close(sc.r_ne(case.LP, SV, Gravity=[0, 0, 0]), wanted["Force0_without_gravity"])


def test_forward_dynamics(case):
    wanted = case.outputs["f_dyn"]
    for found, name in zip(
        sc.f_dyn(*case.plain("R0 A0 v0 w0 q qd F0 T0 Fe Te tau")), ("vd0", "wd0", "qdd"), strict=True
    ):
        close(found, wanted[name])
    for function in (sc.f_dyn, sc.f_dyn_f0):
        SV = function(case.LP, case.SV())
        for name in ("vd0", "wd0", "qdd"):
            close(getattr(SV, name), wanted[name])
    close(SV.Force10, case.outputs["Force0"])


# --- one step --------------------------------------------------------------------------------------------------------

DYNAMIC = "R0 A0 v0 w0 q qd F0 T0 Fe Te tau"


def step_agrees(found, wanted, names=RATES, bound=1e-12):
    found = found if isinstance(found, tuple) else [getattr(found, name) for name in RATES]
    for name, value in zip(RATES, found, strict=True):
        if name in names:
            close(value, wanted[name], bound)


def test_euler_steps(case):
    """The original's int_eu turns the base wrongly: of that, all but the attitude is compared."""
    steps = case.data["single_step_dt_0.01"]
    SV = sc.f_dyn(case.LP, case.SV())
    case.v |= {"vd0": SV.vd0, "wd0": SV.wd0, "qdd": SV.qdd}
    plain = case.plain("R0 A0 v0 w0 vd0 wd0 q qd qdd")
    straight = [name for name in RATES if name != "A0"]
    step_agrees(sc.int_eu(*plain), steps["v1r2"]["int_eu"], straight)
    step_agrees(sc.int_eu(case.LP, SV), steps["v2r1"]["int_eu"], straight)
    step_agrees(sc.int_eu(case.LP, SV), steps["v2r1"]["int_eu2"])
    step_agrees(sc.int_eu2(case.LP, SV), steps["v2r1"]["int_eu2"])
    step_agrees(sc.int_eu2(*plain), steps["v1r2"]["int_eu2"])


def test_runge_kutta_steps(case):
    """Of the original only version 2, release 1, is of the fourth order; the others are near."""
    steps = case.data["single_step_dt_0.01"]
    for function in (sc.f_dyn_rk, sc.f_dyn_rk2):
        step_agrees(function(*case.plain(DYNAMIC)), steps["v2r1"]["f_dyn_rk2"])
        step_agrees(function(case.LP, case.SV()), steps["v2r1"]["f_dyn_rk2"])
        step_agrees(function(*case.plain(DYNAMIC)), steps["v1r2"]["f_dyn_rk2"], bound=1e-7)


def test_other_steps_are_near_the_originals_and_nearer_to_the_truth(case):
    """Their methods are of a higher order here: both differ from Runge and Kutta's step, ours by less."""
    steps, true = case.data["single_step_dt_0.01"], case.data["single_step_dt_0.01"]["v2r1"]["f_dyn_rk2"]
    tr = sc.f_dyn_tr(*case.plain("R0 A0 v0 w0 vd0 wd0 q qd qdd F0 T0 Fe Te tau"))
    tr = (*tr[:4], *tr[6:8])
    sr = [getattr(sc.int_sr2(case.LP, case.SV()), name) for name in RATES]
    nb = sc.f_dyn_nb2(*case.plain(DYNAMIC))
    for found, original in (
        (nb, steps["v1r2"]["f_dyn_nb2"]),
        (tr, steps["v1r2"]["f_dyn_tr"]),
        (sr, steps["v2r1"]["int_sr2"]),
    ):
        ours, theirs = (largest_error(values, true) for values in (found, [original[name] for name in RATES]))
        assert ours < theirs < 1e-4


def largest_error(values, true):
    return max(np.abs(np.subtract(value, true[name])).max() for name, value in zip(RATES, values, strict=True))


# --- many steps ------------------------------------------------------------------------------------------------------


def test_five_seconds_by_runge_kutta(case):
    """The original's trajectory at steps of 1 ms, and an independent reference's end."""
    wanted, SV = case.data["simulation"], case.SV()
    sc.set_globals(d_time=wanted["d_time"])
    plain, loads = case.plain("R0 A0 v0 w0 q qd"), case.plain("F0 T0 Fe Te tau")
    samples = {round(sample["t"] / wanted["d_time"]): sample for sample in wanted["samples"]}
    assert max(samples) == wanted["steps"] == 5000
    for k in range(wanted["steps"] + 1):
        if k in samples:
            step_agrees(tuple(plain), samples[k], bound=1e-10)
        plain = sc.f_dyn_rk2(*plain, *loads) if k < wanted["steps"] else plain
    step_agrees(tuple(plain), wanted["reference_solution"]["final"], bound=1e-10)
    SV = sc.f_dyn_rk2(case.LP, SV)  # the same step in the other style
    step_agrees(SV, dict(zip(RATES, sc.f_dyn_rk2(*case.plain(DYNAMIC)), strict=True)), bound=0.0)


# --- what the page says of the original -------------------------------------------------------------------------------


def test_the_original_is_wrong_where_the_page_says_so(case):
    """Else there would be nothing to be right about."""
    steps, true = case.data["single_step_dt_0.01"], case.data["single_step_dt_0.01"]["v2r1"]["f_dyn_rk2"]
    euler = np.abs(np.subtract(steps["v2r1"]["int_eu2"]["A0"], true["A0"])).max()
    for release, name in (("v2r1", "int_eu"), ("v2r1", "int_sr"), ("v1r2", "f_dyn_rk"), ("v1r2", "f_dyn_nb")):
        astray = np.abs(np.subtract(steps[release][name]["A0"], true["A0"])).max()
        assert astray > 20 * euler  # a wrong rate is worse than a crude step
    ahead = np.subtract(steps["v2r1"]["f_dyn_rk"]["R0"], case.v["R0"]) / np.subtract(true["R0"], case.v["R0"])
    assert np.abs(ahead - 3.0).max() < 0.5  # about three steps at once
