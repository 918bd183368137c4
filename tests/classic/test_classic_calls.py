"""SpaceDyn's functions by name, called as a MATLAB user would, and called wrongly; LP, SV, globals and topology."""

import inspect
import threading
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import spacedyn as sd
import spacedyn.classic as sc
from classic_cases import ARGUMENTS, MODELS, Case, close, golden, matlab, random_robot, random_SV

PLAIN = {
    "calc_aa": "A0 q",
    "calc_pos": "R0 A0 AA q",
    "calc_vel": "A0 AA v0 w0 q qd",
    "calc_acc": "A0 AA w0 ww vd0 wd0 q qd qdd",
    "f_kin_j": "RR AA q joints",
    "f_kin_e": "RR AA joints",
    "i_kine": "R0 A0 POS ORI q num_e",
    "calc_jt": "RR AA",
    "calc_jr": "AA",
    "calc_jte": "RR AA q joints",
    "calc_jre": "AA joints",
    "calc_je": "RR AA q joints",
    "calc_hh": "R0 RR A0 AA",
    "calc_gh": "R0 RR A0 AA",
    "calc_gj": "R0 RR A0 AA q num_e",
    "r_ne": "R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te",
    "i_dyn": "R0 A0 v0 w0 vd0 wd0 q qd qdd Fe Te",
    "f_dyn": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "int_eu": "R0 A0 v0 w0 vd0 wd0 q qd qdd",
    "int_eu2": "R0 A0 v0 w0 vd0 wd0 q qd qdd",
    "f_dyn_rk": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_rk2": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_nb": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_nb2": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "int_sr": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "int_sr2": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_tr": "R0 A0 v0 w0 vd0 wd0 q qd qdd F0 T0 Fe Te tau",
}
"""The arguments of v1, of every function that has that style."""
AFTER = {"f_kin_j": ["joints"], "f_kin_e": ["joints"], "i_kine": ["POS", "ORI", "q", "num_e"], "calc_gj": ["num_e"]}
AFTER |= {name: ["joints"] for name in ("calc_jte", "calc_jre", "calc_je")}
ONLY_V2 = {"f_dyn_f0", "calc_gj11"}
ROTATIONS = {
    "cx",
    "cy",
    "cz",
    "rpy2dc",
    "dc2rpy",
    "eul2dc",
    "dc2eul",
    "dc2qtn",
    "qtn2dc",
    "w2dQtn",
    "aw",
    "tilde",
    "cross",
    "tr2diff",
}

each_function = pytest.mark.parametrize("name", PLAIN)
of_two_styles = pytest.mark.parametrize("name", PLAIN)


@pytest.fixture
def case() -> Case:
    case = Case("model_b_two_arms_3R_RRP")
    end = case.ends[1]
    case.v |= {"joints": end["joints"], "num_e": 2, "POS": np.array(end["POS_e"]), "ORI": np.array(end["ORI_e"])}
    return case


def parts(result) -> list[np.ndarray]:
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def test_every_function_of_the_original_is_here():
    functions = {name for name in sc.__all__ if inspect.isfunction(getattr(sc, name))}
    ours = {"set_globals", "topology", "parents"}
    assert functions == set(PLAIN) | ONLY_V2 | ROTATIONS | {"j_num", "init_SV"} | ours
    assert sc.__all__ == sorted(sc.__all__)
    assert all(getattr(sc, name).__doc__ for name in functions)


@each_function
def test_rows_columns_lists_and_integers_are_the_same(case, name):
    names = PLAIN[name].split()
    wanted = parts(getattr(sc, name)(*(case.v[key] for key in names)))
    vectors = [key for key in names if np.ndim(case.v[key]) == 1]
    for shape in ((-1, 1), (1, -1)):
        turned = {key: np.reshape(case.v[key], shape) for key in vectors}
        found = parts(getattr(sc, name)(*(turned.get(key, case.v[key]) for key in names)))
        for one, other in zip(found, wanted, strict=True):
            close(one, other, 0.0)
    lists = [value.tolist() if isinstance(value := case.v[key], np.ndarray) else value for key in names]
    for one, other in zip(parts(getattr(sc, name)(*lists)), wanted, strict=True):
        close(one, other, 0.0)


@each_function
def test_arguments_stay_as_they_were(case, name):
    names = PLAIN[name].split()
    before = {key: np.array(case.v[key]) for key in names}
    results = parts(getattr(sc, name)(*(case.v[key] for key in names)))
    for result in results:
        result += 1.0  # nor are results views of arguments
    for key in names:
        close(case.v[key], before[key], 0.0)


@each_function
def test_a_wrong_shape_of_any_argument_is_named(case, name):
    names = PLAIN[name].split()
    for k, key in enumerate(names):
        arguments = [case.v[word] for word in names]
        arguments[k] = np.zeros((2, 5))
        label = {"q": "q_init"}.get(key, key) if name == "i_kine" else key
        with pytest.raises(sd.InputError, match=rf"^{label}: .*got"):
            getattr(sc, name)(*arguments)


@each_function
def test_numbers_that_are_not_finite_are_named(case, name):
    names = PLAIN[name].split()
    for k, key in enumerate(names):
        if key in ("joints", "num_e"):
            continue
        arguments = [np.array(case.v[word]) for word in names]
        arguments[k].flat[-1] = np.nan
        label = {"q": "q_init"}.get(key, key) if name == "i_kine" else key
        with pytest.raises(sd.InputError, match=rf"^{label}: nan at index"):
            getattr(sc, name)(*arguments)


@of_two_styles
def test_a_wrong_number_of_arguments_shows_both_ways_to_call(case, name):
    names = PLAIN[name].split()
    with pytest.raises(sd.InputError, match=rf"{name}: .*arguments; call {name}\({names[0]}.* or {name}\(LP, SV"):
        getattr(sc, name)(*(case.v[key] for key in names), 1.0)
    with pytest.raises(sd.InputError, match="after LP comes an SV"):
        getattr(sc, name)(case.LP, case.LP)
    with pytest.raises(sd.InputError, match="an SV comes after its LP"):
        getattr(sc, name)(case.SV())


@of_two_styles
def test_objects_stay_as_they_were(case, name):
    SV = case.SV()
    rest = [case.v[key] for key in AFTER.get(name, [])]
    result = getattr(sc, name)(case.LP, SV, *rest)
    if isinstance(result, sc.StateVariables):
        assert result is not SV
        for field in vars(result):
            getattr(result, field)[...] = 7.0
    for field in ("R0", "A0", "v0", "w0", "q", "qd", "Fe"):
        close(getattr(SV, field), case.v[field], 0.0)


@of_two_styles
def test_wrong_fields_of_SV_are_named(case, name):
    SV, rest = case.SV(), [case.v[key] for key in AFTER.get(name, [])]
    SV.A0 = np.diag([1.0, 1.0, -1.0])
    with pytest.raises(sd.InputError, match=r"A0: .*left-handed"):
        getattr(sc, name)(case.LP, SV, *rest)


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, names in PLAIN.items() for key in ("AA", "RR") if key in names.split()]
)
def test_links_that_are_elsewhere_are_refused(case, name, key):
    """AA or RR of another posture: the original computes nonsense from that."""
    names = PLAIN[name].split()
    stale = case.v[key].copy()
    if key == "AA":
        stale[:, 3:6] = stale[:, 3:6] @ sc.cx(0.1)
    else:
        stale[:, 1] += [0.1, 0.2, 0.3]
    arguments = [stale if word == key else case.v[word] for word in names]
    with pytest.raises(sd.InputError, match=f"{name}: (AA|RR) does not fit the other arguments .* links are columns"):
        getattr(sc, name)(*arguments)


def test_tables_of_three_links_are_read_by_columns():
    """3 x 3 whichever way they lie: those that lie wrongly do not fit."""
    case = Case("model_c1_PPP")
    with pytest.raises(sd.InputError, match="RR does not fit"):
        sc.calc_jt(case.v["RR"].T, case.v["AA"])


def test_a_transposed_table_is_recognised(case):
    with pytest.raises(sd.InputError, match=r"RR: expected shape \(3, 6\).* got \(6, 3\); it looks transposed"):
        sc.calc_jt(case.v["RR"].T, case.v["AA"])


@pytest.mark.parametrize("joints", [[0], [7], [1.5], [-1], [1, 2, 9]])
def test_joints_are_counted_from_one(case, joints):
    with pytest.raises(sd.InputError, match=r"joints: no joint has the number .*; they go from 1 to 6"):
        sc.f_kin_e(case.LP, case.SV(), joints)


def test_endpoints_are_counted_from_one(case):
    for num_e in (0, 3):
        with pytest.raises(sd.InputError, match=f"no endpoint has the number {num_e}; they go from 1 to 2"):
            sc.calc_gj(case.LP, case.SV(), num_e)
    with pytest.raises(sd.InputError, match="the number of one endpoint"):
        sc.j_num(case.LP, [1, 2])
    with pytest.raises(sd.InputError, match="joints is empty"):
        sc.calc_je(case.LP, case.SV(), [])
    with pytest.raises(sd.InputError, match=r"call j_num\(num_e\) or j_num\(LP, num_e\)"):
        sc.j_num(case.LP)


def test_a_load_on_a_link_without_endpoint_is_refused(case):
    SV = case.SV()
    SV.Fe[0, 1] = 1.0
    with pytest.raises(sd.InputError, match=r"acts on link 2, which has no endpoint; endpoints are on links \[3, 6\]"):
        sc.f_dyn(case.LP, SV)


def test_an_inertia_matrix_of_another_state_is_refused(case):
    SV = case.SV()
    SV.q = SV.q + 0.1
    with pytest.raises(sd.InputError, match=r"compute it by calc_hh\(LP, SV\)"):
        sc.calc_gj11(case.LP, SV, np.zeros(6), 1, case.outputs["HH"])


def test_a_link_without_endpoint_has_its_point_ce_still(case):
    """The original looks at ce of any link."""
    POS, ORI = sc.f_kin_e(case.LP, case.SV(), 2)
    close(POS, case.v["RR"][:, 1] + case.v["AA"][:, 3:6] @ case.LP.ce[:, 1])
    close(ORI, case.v["AA"][:, 3:6] @ sc.rpy2dc(case.LP.Qe[:, 1]).T)


@pytest.mark.parametrize("function", [sc.dc2rpy, sc.dc2eul, sc.dc2qtn])
def test_what_is_no_rotation_is_refused(function):
    with pytest.raises(sd.InputError, match=r"C: .*off an orthonormal matrix by 3"):
        function(2 * np.eye(3))
    with pytest.raises(sd.InputError, match=r"C: expected shape \(3, 3\), got \(2, 2\)"):
        function(np.eye(2))


def test_wrong_angles_are_refused():
    for function in (sc.rpy2dc, sc.eul2dc):
        with pytest.raises(sd.InputError, match="takes three angles, or one vector of three; got 2 arguments"):
            function(1.0, 2.0)
        with pytest.raises(sd.InputError, match=r"angles: expected shape \(3,\)"):
            function([1.0, 2.0])
    with pytest.raises(sd.InputError, match="theta: expected one number"):
        sc.cx([1.0, 2.0])
    with pytest.raises(sd.InputError, match="text"):
        sc.tilde("abc")
    with pytest.raises(sd.InputError, match=r"q: expected shape \(4,\)"):
        sc.w2dQtn([0, 0, 1], [0, 0, 0])


# --- globals ---------------------------------------------------------------------------------------------------------


def in_a_new_thread(function):
    """What a function raises where no globals have been set."""
    found = []

    def attempt():
        try:
            found.append(function())
        except sd.InputError as error:
            found.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found[0]


def test_globals_are_asked_for_where_they_are_missing(case):
    SV = case.SV()
    assert "call set_globals(LP) first, or calc_aa(LP, SV" in str(in_a_new_thread(lambda: sc.calc_aa(SV.A0, SV.q)))
    assert "call set_globals(d_time=0.01)" in str(in_a_new_thread(lambda: sc.int_eu(case.LP, SV)))
    weightless = in_a_new_thread(lambda: sc.f_dyn(case.LP, SV))
    close(weightless.vd0, sc.f_dyn(case.LP, SV, Gravity=[0, 0, 0]).vd0, 0.0)
    assert np.abs(sc.f_dyn(case.LP, SV).vd0 - weightless.vd0).max() > 0.1  # here the global one holds


def test_globals_keep_what_is_not_set_again(case):
    sc.set_globals(d_time=0.5)
    close(sc.aw(case.v["w0"]), sc.aw(case.v["w0"], d_time=0.5), 0.0)
    close(sc.calc_aa(*case.plain("A0 q")), case.v["AA"])


@pytest.mark.parametrize("d_time", [0.0, -0.01, np.nan, [0.1, 0.2], "fast"])
def test_a_bad_time_step_is_refused(case, d_time):
    with pytest.raises(sd.InputError, match="d_time"):
        sc.set_globals(d_time=d_time)
    with pytest.raises(sd.InputError, match="d_time"):
        sc.f_dyn_rk2(case.LP, case.SV(), d_time=d_time)


def test_bad_globals_are_refused(case):
    with pytest.raises(sd.InputError, match="must be a LinkParameters, got Model"):
        sc.set_globals(case.LP.model)
    with pytest.raises(sd.InputError, match="Gravity: expected shape"):
        sc.set_globals(Gravity=9.81)


# --- SV and LP -------------------------------------------------------------------------------------------------------


def test_fields_of_SV_that_do_not_exist_are_refused(case):
    with pytest.raises(sd.UnknownName, match="no field of SV named 'tua'; did you mean 'tau'"):
        case.SV().tua = np.zeros(6)
    with pytest.raises(sd.InputError, match="expected a LinkParameters, got Model"):
        sc.init_SV(case.LP.model)
    assert repr(sc.init_SV(case.LP)) == "<SV: 6 joints, base at [0.0, 0.0, 0.0]>"


@pytest.mark.parametrize("name", MODELS)
def test_LP_has_MATLABs_shapes_and_the_originals_numbers(name):
    data = golden(name)["model"]
    LP, n = sc.LinkParameters(**matlab(data)), data["n"]
    assert (LP.num_q, LP.mass, LP.m0, LP.J_type) == (n, data["mass_total"], data["m0"], "".join(data["J_type"]))
    for i in range(1, n + 1):
        close(LP.inertia[:, 3 * i - 3 : 3 * i], data["inertia"][i - 1], 0.0)
        for key in ("c0", "ce", "Qi", "Qe"):
            close(getattr(LP, key)[:, i - 1], data[key][i - 1], 0.0)
        for j in range(1, n + 1):
            close(LP.cc[:, i - 1, j - 1], data["cc"][i - 1][j - 1], 0.0)
    for key in ("BB", "SS", "S0", "SE", "m"):
        close(getattr(LP, key), data[key], 0.0)
    again = sc.LinkParameters(**{key: data[key] for key in ARGUMENTS})  # the link first: the same
    assert again.model == LP.model
    back = sc.LinkParameters.from_model(LP.model)
    for key in ("c0", "cc", "ce", "Qi", "Qe", "inertia", "m", "BB", "SS", "S0", "SE"):
        close(getattr(back, key), getattr(LP, key), 1e-15)


def test_LP_is_frozen_and_replaced(case):
    LP = case.LP
    with pytest.raises(FrozenInstanceError, match=r"write LP = LP.replace\(m=…\)"):
        LP.m = np.ones(6)
    with pytest.raises(FrozenInstanceError, match="cannot delete m"):
        del LP.m
    with pytest.raises(ValueError, match="read-only"):
        LP.m[0] = 1.0
    other = LP.replace(m=2 * LP.m)
    close(other.mass, LP.m0 + 2 * LP.m.sum())
    assert LP.replace(SS=LP.SS, S0=LP.S0).model == LP.model
    with pytest.raises(sd.ModelError, match="m has shape"):
        LP.replace(m=[1.0])


def test_LP_without_BB_takes_it_from_SS_and_S0(case):
    given = matlab(case.data["model"])
    del given["BB"]
    assert sc.LinkParameters(**given).model == case.LP.model
    del given["SS"]
    with pytest.raises(sd.InputError, match="give BB, the parents of the links, or both SS and S0"):
        sc.LinkParameters(**given)


def test_LP_refuses_what_contradicts_itself(case):
    given = matlab(case.data["model"])
    with pytest.raises(sd.ModelError, match="add up to"):
        sc.LinkParameters(**given | {"mass": given["mass"] - given["m0"]})  # the base forgotten
    with pytest.raises(sd.ModelError, match="n contradicts BB"):
        sc.LinkParameters(**given | {"num_q": 5})
    with pytest.raises(sd.InputError, match="expected a Model, got dict"):
        sc.LinkParameters.from_model(given)


def test_an_oblique_robot_moves_the_same_as_LP():
    """Axes other than z become z: attitudes of links differ then, nothing else does."""
    robot = sd.load("umetani_yoshida")
    LP, rng = sc.LinkParameters.from_model(robot), np.random.default_rng(0)
    SV = random_SV(rng, LP, loads=False)
    state = robot.state(
        base_position=SV.R0, base_attitude=SV.A0, q=SV.q, base_velocity=SV.v0, base_rate=SV.w0, qd=SV.qd
    )
    close(sc.calc_hh(LP, SV), sd.mass_matrix(robot, state))
    close(sc.calc_pos(LP, SV).RR, sd.forward_kinematics(robot, state).centroids.position[1:].T)


# --- topology --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_topology_goes_there_and_back(seed):
    robot = random_robot(np.random.default_rng(seed), 9)
    BB, SS, S0, SE = sc.topology(robot)
    assert BB.tolist() == list(robot.parents[1:])
    assert sc.parents(SS, S0).tolist() == BB.tolist()
    for i in range(1, 10):
        assert SE[i - 1] == any(e.body == f"link{i}" for e in robot.endpoints)
        children = [j for j in range(1, 10) if robot.parents[j] == i]
        assert [j + 1 for j in np.flatnonzero(SS[i - 1] == 1)] == children
    assert (np.diag(SS) == -1).all() and ((BB == 0) == S0).all()
    # every link hangs on one thing
    assert (SS.sum(axis=0) + S0 == 0).all()
    for found, wanted in zip(sc.topology(BB, SE), (BB, SS, S0, SE), strict=True):
        close(found, wanted, 0.0)


def test_bad_topologies_are_refused():
    with pytest.raises(sd.ModelError, match="ring, link 1 -> 2 -> 1"):
        sc.topology([2, 1])
    with pytest.raises(sd.ModelError, match="links go from 1 to 2"):
        sc.topology([0, 3])
    with pytest.raises(sd.InputError, match="leave SE out"):
        sc.topology(sd.load("ets7"), [1])
    with pytest.raises(sd.InputError, match=r"SE: expected shape \(2,\)"):
        sc.topology([0, 1], [1])
    with pytest.raises(sd.InputError, match="column 2 of SS, with S0"):
        sc.parents([[-1, 0], [0, -1]], [1, 0])  # link 2 hangs on nothing
    with pytest.raises(sd.InputError, match="column 2 of SS, with S0"):
        sc.parents([[-1, 1], [0, -1]], [1, 1])  # link 2 hangs on two
    with pytest.raises(sd.InputError, match="column 1 of SS, with S0"):
        sc.parents([[1, 1], [0, -1]], [1, 0])  # the sign of a link itself
    with pytest.raises(sd.ModelError, match="ring"):
        sc.parents([[-1, 1], [1, -1]], [0, 0])
    with pytest.raises(sd.InputError, match=r"SS: expected shape \(2, 2\)"):
        sc.parents([[-1, 1]], [1, 0])


@pytest.mark.parametrize("name", ["f_dyn_tr", "int_sr", "int_sr2", "f_dyn_rk2", "f_dyn_nb2"])
def test_both_styles_of_a_step_are_the_same_step(case, name):
    plain = getattr(sc, name)(*(case.v[key] for key in PLAIN[name].split()))
    SV = getattr(sc, name)(case.LP, case.SV())
    names = "R0 A0 v0 w0 vd0 wd0 q qd qdd" if name == "f_dyn_tr" else "R0 A0 v0 w0 q qd"
    for key, value in zip(names.split(), plain, strict=True):
        close(getattr(SV, key), value, 1e-15)


def test_no_attitude_is_refused():
    with pytest.raises(sd.InputError, match="all zero are no attitude"):
        sc.qtn2dc([0, 0, 0, 0])
