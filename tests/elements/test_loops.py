"""Loops held by constraint rows, against dense equations in NumPy, closed forms, and themselves by other ways."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd
from random_trees import random_model
from spacedyn.elements.loop import LOOP_JOINTS

REDUNDANT = "ignore:.*rows are redundant:spacedyn.errors.RunWarning"
pytestmark = [pytest.mark.packs, pytest.mark.filterwarnings(REDUNDANT)]
ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12)}
DOWN = (0, -9.81, 0)


# --- a second route: frames by differences of nothing, equations by one dense matrix ----------------------------------


def moving_frame(model, state, body, point, udot):
    """Position, velocity and acceleration of a point, and the attitude of its body with two rates."""
    if body == "inertial":
        return np.asarray(point, float), np.zeros(3), np.zeros(3), np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))
    frames = sd.forward_kinematics(model, state, udot).bodies
    i = model.body_index(body)
    R, V, A = frames.rotation[i], frames.velocity[i], frames.acceleration[i]
    W, D = (np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) for w in (V[3:], A[3:]))
    r = R @ point
    R1, R2 = W @ R, (D + W @ W) @ R
    return frames.position[i] + r, V[:3] + W @ r, A[:3] + (D + W @ W) @ r, R, R1, R2


def second_rates(model, state, loop, mine, theirs, udot):
    """phi'' of a loop's rows by the product rule, for any accelerations: e''.d + 2 e'.d' + e.d''."""
    pb, vb, ab, B, B1, B2 = moving_frame(model, state, loop.body, loop.point, udot)
    pa, va, aa, A, A1, A2 = moving_frame(model, state, loop.other, loop.other_point, udot)
    d, d1, d2 = pb - pa, vb - va, ab - aa
    A, A1, A2, B, B1, B2 = A @ theirs, A1 @ theirs, A2 @ theirs, B @ mine, B1 @ mine, B2 @ mine

    def dot(i, j):
        return A2[:, i] @ B[:, j] + 2 * A1[:, i] @ B1[:, j] + A[:, i] @ B2[:, j]

    pair, rows = LOOP_JOINTS[loop.joint], []
    if loop.joint == "distance":
        size = np.linalg.norm(d)
        rows.append((d1 @ d1 + d @ d2) / size - (d @ d1) ** 2 / size**3)
    for i in range(3):
        if pair.along >> i & 1:
            rows.append(A2[:, i] @ d + 2 * A1[:, i] @ d1 + A[:, i] @ d2)
    if loop.joint == "screw":
        rows.append(A2[:, 2] @ d + 2 * A1[:, 2] @ d1 + A[:, 2] @ d2 - loop.pitch * dot(1, 0))  # of the angle's sine
    rows += [dot(2, 2)] if loop.joint == "universal" else []
    rows += [-dot(1, 2), dot(0, 2)] if loop.joint in ("revolute", "cylindrical", "flat", "screw") else []
    if loop.joint in ("weld", "prismatic"):
        rows += [0.5 * (dot(2, 1) - dot(1, 2)), 0.5 * (dot(0, 2) - dot(2, 0)), 0.5 * (dot(1, 0) - dot(0, 1))]
    return np.array(rows)


def random_loop(rng, model, state, joint, bodies):
    """A loop that is closed in a state, with the axes of both of its frames."""
    body, other = bodies
    point, z = rng.normal(size=3) * 0.3, rng.normal(size=3)
    z /= np.linalg.norm(z)
    fields = {"point": point, "axis": z, "name": f"{joint}_{body}"}
    poses = sd.forward_kinematics(model, state).bodies
    R = np.eye(3) if other == "inertial" else poses.rotation[model.body_index(other)]
    if joint == "universal":
        fields["other_axis"] = R.T @ poses.rotation[model.body_index(body)] @ np.cross(z, rng.normal(size=3))
    if joint == "distance":
        fields["other_point"] = rng.normal(size=3)
    if joint == "screw":
        fields["pitch"] = 0.13
    loop = sd.Loop.as_met(model, state, joint, body, other, **fields)
    return loop, *loop._axes()


@pytest.mark.parametrize("seed", range(12))
def test_random_closed_trees_obey_one_dense_system(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 9, base_kind=["free", "fixed", "planar", "attitude"][seed % 4])
    state = model.random_state(rng)
    names = list(model.body_names)
    joints = rng.permutation(list(LOOP_JOINTS))[:3]
    chosen = [tuple(str(one) for one in rng.choice(names[1:], 2, replace=False)) for _ in joints]
    chosen[0] = chosen[0][0], "inertial"
    made = [random_loop(rng, model, state, str(j), pair) for j, pair in zip(joints, chosen, strict=True)]
    loops = [loop for loop, _, _ in made]
    state = sd.assemble(model, state, loops)
    gravity = rng.normal(size=3)

    def all_rows(udot):
        return np.concatenate([second_rates(model, state, *one, udot) for one in made])

    nv, gamma = model.nv, all_rows(np.zeros(model.nv))
    J = np.column_stack([all_rows(np.eye(nv)[k]) - gamma for k in range(nv)])
    np.testing.assert_allclose(J @ state.u, 0.0, atol=1e-12)
    assert np.allclose(J, sd.constraints.jacobian(model, state, loops), atol=1e-12)
    H = sd.mass_matrix(model, state)
    a = sd.forward_dynamics(model, state, gravity=gravity)
    lam = -np.linalg.lstsq(J @ np.linalg.solve(H, J.T), J @ a + gamma, rcond=1e-13)[0]
    expected = a + np.linalg.solve(H, J.T @ lam)
    run = sd.simulate(
        model, state, 1e-3, elements=loops, gravity=gravity, method=sd.RungeKutta4(1e-3), limits=False, budget=1.0
    )
    np.testing.assert_allclose(run["udot"][0], expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())
    assert run.audit().constraints < 1e-12


# --- linkages ---------------------------------------------------------------------------------------------------------


def cranks(count):
    """Cranks on the ground, and a coupler between each two: a chain of four-bars, of unit rods."""
    b = sd.Builder("cranks", "fixed")
    b.base("ground", massless=True)
    for i in range(count + 1):
        b.link(f"crank{i}", "revolute", parent="ground", position=(i, 0, 0), axis=(0, 0, 1), **ROD)
    for i in range(count):
        b.link(f"coupler{i}", "revolute", parent=f"crank{i}", position=(1, 0, 0), axis=(0, 0, 1), **ROD)
    return b.build()


def pins(count, joint="line", **fields):
    ends = {"point": (1, 0, 0), "other_point": (1, 0, 0)}
    return [sd.Loop(joint, f"coupler{i}", f"crank{i + 1}", **ends, name=f"pin{i}", **fields) for i in range(count)]


def standing(model, count, angle=np.pi / 2, rate=-1.0):
    q = {f"crank{i}": angle for i in range(count + 1)} | {f"coupler{i}": -angle for i in range(count)}
    qd = {f"crank{i}": rate for i in range(count + 1)} | {f"coupler{i}": -rate for i in range(count)}
    return model.state(q=q, qd=qd)


def angle_of_cranks(count, duration, angle=np.pi / 2, rate=-1.0):
    """The one degree of freedom that is left: ((N+1)/3 + N) th'' = ((N+1)/2 + N) g sin th, th from the vertical."""
    factor = ((count + 1) / 2 + count) / ((count + 1) / 3 + count) * 9.81
    found = solve_ivp(
        lambda t, y: [y[1], -factor * np.cos(y[0])], (0, duration), [angle, rate], "DOP853", rtol=2.3e-14, atol=1e-14
    )
    return found.y[:, -1]


@pytest.mark.parametrize("count, joint", [(1, "line"), (2, "line"), (2, "revolute"), (10, "line"), (40, "line")])
def test_n_four_bars_go_through_their_singular_positions(count, joint):
    """IFToMM's benchmark A02: at every half turn all rods are in line, and the linkage may fold either way."""
    model = cranks(count)
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-12) if count < 40 else sd.DormandPrince8(rtol=1e-11, atol=1e-11)
    run = sd.simulate(model, standing(model, count), 10.0, elements=pins(count, joint), gravity=DOWN, method=method)
    angle, rate = angle_of_cranks(count, 10.0)
    np.testing.assert_allclose(run.final.q[: count + 1], angle, atol=1e-9)
    np.testing.assert_allclose(run.final.qd[: count + 1], rate, atol=3e-9)
    assert run["gap"].max() < 1e-11 and run.audit().constraints < 1e-11 and run.audit().energy < 1e-9


def test_methods_keep_their_order():
    """Errors over a swing clear of the singular positions fall by 2^4 and 2^5, with rows as without."""
    model = cranks(1)
    exact = angle_of_cranks(1, 0.4, np.pi / 4, 0.3)[0]
    for made, order in ((lambda h: sd.RungeKutta4(h), 4), (lambda h: sd.DormandPrince5(step=h), 5)):
        errors = []
        for step in (0.02, 0.01, 0.005):
            state = standing(model, 1, np.pi / 4, 0.3)
            run = sd.simulate(model, state, 0.4, elements=pins(1), gravity=DOWN, method=made(step), budget=1.0)
            errors.append(abs(run.final.q[0] - exact))
        slopes = np.log2(np.array(errors[:-1]) / errors[1:])
        assert np.all(slopes > order - 0.35), (order, slopes)


def test_redundant_rows_share_by_least_norm():
    """Two pins in one place carry half each; rows across the plane carry nothing; the motion is that of one pin."""
    model = cranks(1)
    one = pins(1)
    options = {"gravity": DOWN, "method": sd.DormandPrince8(rtol=1e-12, atol=1e-12)}
    alone = sd.simulate(model, standing(model, 1, 1.0), 1.0, elements=one, **options)
    twins = [*one, sd.Loop("revolute", "coupler0", "crank1", point=(1, 0, 0), other_point=(1, 0, 0), name="second")]
    with pytest.warns(sd.RunWarning, match="'pin0', 'second'"):
        run = sd.simulate(model, standing(model, 1, 1.0), 1.0, elements=twins, **options)
    np.testing.assert_allclose(run.final.q, alone.final.q, atol=1e-11)
    np.testing.assert_allclose(run["pin0.force"], run["second.force"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(2.0 * run["pin0.force"], alone["pin0.force"], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(run["second.moment"], 0.0, atol=1e-12)
    found = sd.constraints.mobility(model, standing(model, 1, 1.0), twins)
    assert (found.freedom, found.rows, found.rank) == (1, 7, 2) and set(found.redundant) == {"pin0", "second"}


def test_a_pack_goes_as_one_robot_does():
    model = cranks(2)
    rng = np.random.default_rng(0)
    starts = [standing(model, 2, float(angle), float(rate)) for angle, rate in rng.uniform(0.5, 1.2, (11, 2))]
    batch = sd.State(model, np.stack([one._data for one in starts]))
    options = {"elements": pins(2), "gravity": DOWN, "method": sd.RungeKutta4(2e-3), "record": 0.1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no row of these is redundant
        together = sd.simulate(model, batch, 0.3, **options)
    for i in (0, 5, 10):
        alone = sd.simulate(model, starts[i], 0.3, **options)
        np.testing.assert_allclose(together["q"][:, i], alone["q"], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(together["pin1.force"][:, i], alone["pin1.force"], rtol=1e-9, atol=1e-9)
    assert together.audit().within_budget


def test_it_goes_on_to_the_bit():
    model = cranks(2)
    options = {"elements": pins(2, "revolute"), "gravity": DOWN, "record": 0.05}
    whole = sd.simulate(model, standing(model, 2), 1.2, **options)
    again = sd.simulate(model, standing(model, 2), 0.8, **options).resume(until=1.2)
    assert np.array_equal(whole["q"], again["q"]) and np.array_equal(whole["pin0.force"], again["pin0.force"])


def test_radau_and_linearize_see_the_rows():
    """Hanging cranks swing with the one frequency of the linkage; an implicit method finds the same motion."""
    model = cranks(1)
    hanging = standing(model, 1, -np.pi / 2, 0.0)
    values = sd.linearize(model, hanging, elements=pins(1), gravity=DOWN).eigenvalues()
    fastest = np.abs(values.imag).max()
    assert abs(fastest - np.sqrt((1 + 1) / (2 / 3 + 1) * 9.81)) < 1e-9  # ((N+1)/2 + N) / ((N+1)/3 + N), N = 1
    start = standing(model, 1, 0.6, 0.4)
    linear = sd.linearize(model, start, elements=pins(1), gravity=DOWN)
    assert linear.A.shape == (2, 2) and len(values) == 2
    free, pushed = (
        sd.constraints.forward_dynamics(model, start, pins(1), tau, gravity=DOWN).udot
        for tau in (np.zeros(3), [0.3, 0, -0.1])
    )
    found = linear.basis @ (linear.B @ [0.3, 0, -0.1])
    np.testing.assert_allclose(found[3:], pushed - free, atol=1e-10)
    options = {"elements": pins(1), "gravity": DOWN}
    stiff = sd.simulate(model, start, 0.5, method=sd.Radau5(rtol=1e-9, atol=1e-9), **options)
    np.testing.assert_allclose(stiff.final.q[0], angle_of_cranks(1, 0.5, 0.6, 0.4)[0], atol=1e-8)
    assert stiff.audit().constraints < 1e-11


# --- free robots, targets, what gives way -----------------------------------------------------------------------------


def two_arms():
    """A free base with two arms of three joints, and a payload between the hands."""
    b = sd.Builder("two arms")
    b.base("bus", mass=20.0, inertia=(2.0, 2.5, 3.0))
    limb = {"mass": 2.0, "com": (0.3, 0, 0), "inertia": (0.05, 0.08, 0.08)}
    for side, y in (("left", 0.5), ("right", -0.5)):
        b.link(f"{side}1", "spherical", parent="bus", position=(0.3, y, 0), **limb)
        b.link(f"{side}2", "revolute", parent=f"{side}1", position=(0.6, 0, 0), axis=(0, 0, 1), **limb)
    b.link("payload", "spherical", parent="left2", position=(0.6, 0, 0), mass=5.0, inertia=(0.3, 0.2, 0.4))
    return b.build()


def holding(model, joint="ball"):
    bend = {"left2": -0.7, "right2": 0.7}
    rough = model.state(q=bend, base_rate=(0.1, -0.2, 0.3), qd={"left2": 0.5, "left1": [0.1, 0.2, -0.1]})
    hand = sd.Loop(joint, "payload", "right2", point=(0, -0.8, 0), other_point=(0.6, 0, 0), name="hand")
    return sd.assemble(model, rough, [hand]), [hand]


def test_two_arms_with_a_payload_conserve_momentum():
    model = two_arms()
    state, loops = holding(model)
    run = sd.simulate(model, state, 5.0, elements=loops, method=sd.DormandPrince8(rtol=1e-13, atol=1e-13))
    audit = run.audit()
    assert audit.linear_momentum < 1e-12 and audit.angular_momentum < 1e-12 and audit.energy < 1e-11
    assert audit.constraints < 1e-13 and np.abs(run["impulse"]).max() == 0.0
    assert np.abs(run["element_work"]).max() == 0.0


def test_a_grip_on_the_ground_takes_impulse_and_does_no_work():
    model = two_arms()
    state, loops = holding(model)
    grip = sd.Loop.as_met(model, state, "ball", "payload", "inertial", name="grip")
    state = sd.assemble(model, state, [*loops, grip])
    run = sd.simulate(model, state, 2.0, elements=[*loops, grip], gravity=(0, 0, -1.6))
    audit = run.audit()
    assert audit.within_budget and audit.linear_momentum < 1e-9 and audit.angular_momentum < 1e-9
    assert np.abs(run["impulse"][-1, :2]).max() > 0.1 and np.abs(run["element_work"]).max() == 0.0
    assert np.ptp(run.body("payload").position, axis=0).max() < 1e-12


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, -1, 0), (0.6, 0, 0.8), (0, 0, -1), (0.48, 0.6, -0.64)])
def test_forces_are_in_axes_turned_the_shortest_way_from_those_of_the_other(axis):
    """A crate on a weld, a ball joint, a rod and a slide: what holds its weight, seen along the axes that are told."""
    b = sd.Builder("crate")
    b.base("crate", mass=2.0, inertia=(0.1, 0.2, 0.3))
    crate, pull = b.build(), np.array([3.0, -4.0, -12.0])
    up = 1.0 if axis[2] >= 0.0 else -1.0  # those below the plane are reached by way of half a turn about x
    R = sd.Rotation.align_vectors([up * np.array(axis)], [[0, 0, 1]])[0].as_matrix() @ np.diag([1.0, up, up])
    for joint in ("weld", "prismatic"):
        held = sd.Loop(joint, "crate", axis=axis, name="held")
        run = sd.simulate(crate, crate.state(), 0.01, elements=[held], gravity=pull, record=0.01)
        keeps = -2.0 * R.T @ pull * ((1, 1, 1) if joint == "weld" else (1, 1, 0))
        np.testing.assert_allclose(run["held.force"][0], keeps, atol=1e-9)
    ball = sd.Loop("ball", "crate", name="held")
    run = sd.simulate(crate, crate.state(), 0.01, elements=[ball], gravity=pull, record=0.01)
    np.testing.assert_allclose(run["held.force"][0], -2.0 * pull, atol=1e-9)
    rod = sd.Loop("distance", "crate", length=5.0, name="held")
    run = sd.simulate(crate, crate.state(base_position=(3, 0, -4)), 0.01, elements=[rod], gravity=pull, record=0.01)
    along = np.array([0.6, 0, -0.8])
    np.testing.assert_allclose(run["held.force"][0], -2.0 * (pull @ along) * along, atol=1e-9)


def test_a_moving_target_works():
    """The hand is led along a path: the ledger has the work, and the hand is on the path at all times."""
    model = sd.load("planar_four_link")
    tip = model.body_names[-1]
    start = model.state(q=[0.3, 0.4, 0.5, 0.2])
    place = sd.forward_kinematics(model, start).bodies.of(tip).position
    times = np.linspace(0.0, 2.0, 21)
    path = place + np.column_stack([0.1 * (1 - np.cos(times)), 0.05 * times**3 / 8, 0 * times])
    lead = sd.Loop("line", tip, times=times, positions=path, name="lead")
    run = sd.simulate(model, sd.assemble(model, start, [lead]), 2.0, elements=[lead])
    np.testing.assert_allclose(run.body(tip).position[-1], path[-1], atol=1e-12)
    assert run.audit().within_budget and abs(run["element_work"][-1, 0]) > 1e-4 and run.audit().energy < 1e-9
    with pytest.raises(sd.InputError, match="until 2 s"):
        sd.simulate(model, sd.assemble(model, start, [lead]), 3.0, elements=[lead])


@pytest.mark.parametrize("joint", ["ball", "revolute", "weld", "universal", "distance", "screw"])
def test_a_compliant_loop_keeps_the_ledger(joint):
    model = two_arms()
    state, _ = holding(model)
    fields = {"universal": {"other_axis": (1, 0, 0)}, "distance": {"other_point": (0.2, 0, 0)}, "screw": {"pitch": 0.1}}
    springs = {"stiffness": 300.0, "damping": 5.0, "turn_stiffness": 20.0, "turn_damping": 0.5}
    soft = sd.Loop.as_met(model, state, joint, "payload", "right2", name="soft", **springs, **fields.get(joint, {}))
    run = sd.simulate(model, state, 1.0, elements=[soft])
    audit = run.audit()
    assert audit.within_budget and audit.energy < 1e-9 and audit.angular_momentum < 1e-10
    assert run["element_dissipated"][-1, 0] > 0.0 and run["gap"].max() > 1e-4


def test_locking_a_joint_of_a_loop_stops_all_of_it():
    """Rates after a lock obey the rows: a four-bar whose crank is locked stands still."""
    model = cranks(1)
    stop = sd.Event(sd.joint_reaches("crank0", 1.0), action=sd.actions.lock("crank0"))
    run = sd.simulate(model, standing(model, 1, 1.2, -1.0), 0.5, elements=pins(1), gravity=DOWN, events=[stop])
    assert len(run.events) == 1 and np.abs(run.final.qd).max() < 1e-12
    assert run.audit().within_budget and run.audit().constraints < 1e-11


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*rows are redundant")
@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.Radau5(), sd.RungeKutta4(step=1e-3)])
def test_prescribed_joints_that_contradict_a_loop_are_named(method):
    model, line = cranks(1), np.polynomial.Polynomial
    moved = {"crank0": line([0.5, 2.0]), "coupler0": line([-0.5, -2.0]), "crank1": line([0.5, 2.0, 1.0])}
    start = model.state(
        q={"crank0": 0.5, "coupler0": -0.5, "crank1": 0.5}, qd={"crank0": 2, "coupler0": -2, "crank1": 2}
    )
    with pytest.raises(sd.SimulationFailed, match="'coupler0' are prescribed, and leave 'pin0' too few freedoms"):
        sd.simulate(model, start, 0.5, elements=pins(1), prescribed=moved, method=method)


def test_open_loops_are_named_with_the_way_out():
    model = cranks(1)
    open_state = model.state(q={"crank0": 1.0, "coupler0": -0.9, "crank1": 1.0})
    with pytest.raises(sd.InputError, match=r"loop 'pin0' is open at the start, by 0\.\d+ m or rad.*assemble"):
        sd.simulate(model, open_state, 1.0, elements=pins(1))
    closed = sd.assemble(model, open_state, pins(1))
    sd.simulate(model, closed, 0.1, elements=pins(1))
    with pytest.raises(sd.InputError, match=r"loop 'pin0' is opening at the start"):
        sd.simulate(model, model.state(q=closed.q, qd=[0.1, 0, 0]), 1.0, elements=pins(1))
    far = [sd.Loop("ball", "coupler0", other_point=(5.0, 0, 0), name="far")]
    with pytest.raises(sd.InputError, match=r"cannot be closed.*'far' is open by \d"):
        sd.assemble(model, open_state, far)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"joint": "bal"}, "no joint of a loop named"),
        ({"joint": "distance"}, "length .* belongs to a 'distance'"),
        ({"joint": "ball", "length": 1.0}, "length .* belongs to a 'distance'"),
        ({"joint": "distance", "length": 0.0}, "positive"),
        ({"joint": "screw"}, "pitch .* belongs to a 'screw'"),
        ({"joint": "universal"}, "other_axis"),
        ({"joint": "weld", "other_axis": (1, 0, 0)}, "aligned by attitude_xyzw"),
        ({"joint": "ball", "stiffness": -1.0}, "must not be negative"),
        ({"joint": "revolute", "axis": (0, 0, 0)}, "direction"),
        ({"joint": "ball", "times": [0, 1]}, "both times and positions"),
        ({"joint": "weld", "attitude_xyzw": (1, 1, 0, 0)}, "unit quaternion"),
    ],
)
def test_impossible_loops_are_refused(fields, words):
    with pytest.raises((ValueError, LookupError), match=words):
        sd.Loop(body="a", **fields)


def test_other_refusals():
    model = cranks(1)
    with pytest.raises(sd.InputError, match="both of its ends are on body"):
        sd.simulate(model, standing(model, 1), 0.1, elements=[sd.Loop("ball", "crank0", "crank0")])
    with pytest.raises(sd.InputError, match=r"Variational cannot hold constraint rows .*RigidContact"):
        sd.simulate(model, standing(model, 1), 0.1, elements=pins(1), method=sd.Variational(1e-2))
    with pytest.raises(sd.InputError, match="none of them has constraint rows"):
        sd.assemble(model, standing(model, 1), [])


# --- closed dynamics --------------------------------------------------------------------------------------------------


def test_forward_and_inverse_dynamics_of_closed_robots_agree():
    model = two_arms()
    state, loops = holding(model)
    tau = np.linspace(-1.0, 2.0, model.nv - 6)
    motion = sd.constraints.forward_dynamics(model, state, loops, tau, gravity=(0, 0, -1.6))
    J = sd.constraints.jacobian(model, state, loops)
    lam = np.concatenate(list(motion.multipliers.values()))
    left = sd.inverse_dynamics(model, state, motion.udot, gravity=(0, 0, -1.6)) - J.T @ lam
    np.testing.assert_allclose(left, [0] * 6 + list(tau), atol=1e-10)
    found = sd.constraints.inverse_dynamics(model, state, motion.udot, loops, gravity=(0, 0, -1.6))
    assert np.linalg.norm(found) <= np.linalg.norm(tau) + 1e-9
    again = sd.constraints.forward_dynamics(model, state, loops, found, gravity=(0, 0, -1.6))
    np.testing.assert_allclose(again.udot, motion.udot, atol=1e-9)
    with pytest.raises(sd.InputError, match="does not allow"):
        sd.constraints.inverse_dynamics(model, state, motion.udot + 1.0, loops)
    with pytest.raises(sd.InputError, match="cannot give this motion alone"):
        sd.constraints.inverse_dynamics(model, state, motion.udot, loops, actuated=["left2"])


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6, 3e-7])
def test_closed_dynamics_near_a_singular_position_are_those_of_a_run(angle):
    """Rods nearly in line: rows count as independent as long as a run's and `mobility`'s do; the closed form, too."""
    model = cranks(1)
    state, rate = standing(model, 1, angle, 1.3), -1.2 * 9.81 * np.cos(angle)
    found = sd.constraints.forward_dynamics(model, state, pins(1), gravity=DOWN)
    run = sd.simulate(model, state, 1e-6, elements=pins(1), gravity=DOWN, method=sd.RungeKutta4(1e-6), record=1e-6)
    assert sd.constraints.mobility(model, state, pins(1)).rank == 2
    np.testing.assert_allclose(found.udot, rate * np.array([1.0, 1.0, -1.0]), atol=1e-14 / angle + 1e-12)
    np.testing.assert_allclose(found.multipliers["pin0"], run["pin0.force"][0, :2], atol=1e-14 / angle**2 + 1e-12)
    linear = sd.linearize(model, state, elements=pins(1), gravity=DOWN)
    pushed = linear.basis @ linear.B[:, 0]  # by a unit torque on a crank: 1 / (2/3 + 1)
    np.testing.assert_allclose(pushed[3:], [0.6, 0.6, -0.6], atol=1e-14 / angle + 1e-12)


# --- couplings --------------------------------------------------------------------------------------------------------


def test_a_gear_is_a_projection_on_fewer_joints():
    """A linear tie by its row, against the equations projected on the joints that are left."""
    model = sd.load("planar_four_link")
    tie = sd.Mimic("joint2", "joint4", -0.7)
    G, _ = sd.mimic_coupling(model, [tie])
    rng = np.random.default_rng(3)
    rates, places = rng.normal(size=model.nv - 1), rng.normal(size=3)
    state = model.state(q=[places[0], -0.7 * places[2], places[1], places[2]])
    state = sd.State(model, np.concatenate([state.x, G @ rates]))
    H, c = sd.mass_matrix(model, state), sd.bias_force(model, state)
    expected = G @ np.linalg.solve(G.T @ H @ G, -G.T @ c)
    gears = sd.Coupling.of_mimics([tie])
    run = sd.simulate(model, state, 2.0, elements=gears)
    np.testing.assert_allclose(run["udot"][0], expected, atol=1e-12)
    assert np.abs(run["q"][:, 1] + 0.7 * run["q"][:, 3]).max() < 1e-13
    assert run.audit().energy < 1e-9 and run.audit().angular_momentum < 1e-9
    soft = [sd.Coupling(("joint2", "joint4"), (1.0, 0.7), stiffness=50.0, damping=0.5)]
    assert sd.simulate(model, state, 1.0, elements=soft).audit().energy < 1e-9


def test_a_cam_and_a_held_joint():
    """q1 = 0.3 q2 + 0.5 q2^2 while q2 is led along a path: its actuator gives what the cam takes."""
    model = sd.load("planar_four_link")
    cam = sd.Coupling(("joint1", "joint2"), (1.0, -0.3), curve=(-0.5, 0, 0), name="cam")
    lead = sd.PrescribedJoint("joint2", sd.waypoints([0.0, 2.0], [0.0, 1.0]))
    start = sd.assemble(model, model.neutral_state(), [cam, lead])
    run = sd.simulate(model, start, 2.0, elements=[cam, lead])
    q = run["q"]
    np.testing.assert_allclose(q[:, 0], 0.3 * q[:, 1] + 0.5 * q[:, 1] ** 2, atol=1e-12)
    assert run.audit().within_budget and run.audit().energy < 1e-9 and abs(run["effort"]).max() > 1e-3


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"joints": ("a",), "coefficients": (1.0,)}, "two or more"),
        ({"joints": ("a", "a"), "coefficients": (1, 2)}, "different"),
        ({"joints": ("a", "b"), "coefficients": (1.0,)}, "2 finite numbers"),
        ({"joints": ("a", "b"), "coefficients": (1.0, 0.0)}, "must not be zero"),
        ({"joints": ("a", "b"), "coefficients": (1.0, 2.0), "damping": -1}, "negative"),
    ],
)
def test_impossible_couplings_are_refused(fields, words):
    with pytest.raises(sd.InputError, match=words):
        sd.Coupling(**fields)


# --- scenarios and files ----------------------------------------------------------------------------------------------


def test_loops_are_in_scenarios_and_files(tmp_path):
    text = """
robot = "planar_four_link"
duration = 0.2
[state]
q = [0.0, 0.0, 0.0, 0.0]
qd = [0.4, -0.2, 0.0, 0.0]
[[elements]]
kind = "coupling"
joints = ["joint1", "joint2"]
coefficients = [1.0, 2.0]
name = "gear"
[[elements]]
kind = "loop"
joint = "plane"
body = "BASE"
name = "floor"
"""
    model = sd.load("planar_four_link")
    (tmp_path / "geared.toml").write_text(text.replace("BASE", model.body_names[0]))
    with pytest.warns(sd.RunWarning, match="redundant"):
        run = sd.Scenario.from_toml(tmp_path / "geared.toml").run()
    assert run["gear.effort" if "gear.effort" in run.data else "effort"].size and run.audit().within_budget
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert again.audit().constraints == run.audit().constraints and again.elements[1].joint == "plane"
    assert np.array_equal(again.resume(until=0.3)["q"], run.resume(until=0.3)["q"])
