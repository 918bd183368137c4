"""Mechanisms with published or independent solutions: Andrews' squeezer, Bricard's linkage, a governor, a platform."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import spacedyn as sd

Z = (0, 0, 1)


def flat(mass, centre, inertia, **place):
    """A body of a planar mechanism, its inertia about its centre of mass."""
    return {"mass": mass, "com": (*centre, 0), "inertia": (0.6 * inertia, 0.6 * inertia, inertia), **place}


def squeezer():
    """Andrews' squeezing mechanism, with the data of Hairer & Wanner (1996), VII.7."""
    d, da, e, ea, rr, ra, ss = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035
    sa, sb, ta, tb, u, ua, ub, zf, zt, fa = (
        0.01874,
        0.01043,
        0.02308,
        0.00916,
        0.04,
        0.01228,
        0.00449,
        0.02,
        0.04,
        0.01421,
    )
    A, B = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0)
    b = sd.Builder("squeezer", "fixed")
    b.base("ground", massless=True)
    parts = {
        "K1": flat(0.04325, (ra, 0), 2.194e-6, parent="ground"),
        "K2": flat(0.00365, (-da, 0), 4.410e-7, parent="K1", position=(rr, 0, 0)),
        "K3": flat(0.02373, (sb, -sa), 5.255e-6, parent="ground", position=B),
        "K5": flat(0.07050, (ta, tb), 1.169e-5, parent="ground", position=A),
        "K4": flat(0.00706, (0, -(e - ea)), 5.667e-7, parent="K5", position=(zt, 0, 0)),
        "K7": flat(0.05498, (-ub, -ua), 1.912e-5, parent="ground", position=A),
        "K6": flat(0.00706, (zf - fa, 0), 5.667e-7, parent="K7", position=(0, -u, 0)),
    }
    for name, part in parts.items():
        b.link(name, "revolute", axis=Z, **part)
    ends = {"K3": (0, -ss, 0), "K4": (0, -e, 0), "K6": (zf, 0, 0)}
    pins = [sd.Loop("line", "K2", one, point=(-d, 0, 0), other_point=end, name=one) for one, end in ends.items()]
    spring = sd.Spring(
        "K3", point=(0.02, -0.018, 0), other_point=(0.014, 0.072, 0), stiffness=4530.0, rest_length=0.07785
    )
    return b.build(), [*pins, spring, sd.Wrench("K1", moment=(0, 0, 0.033))]


def test_andrews_squeezer():
    """Against the solution of the test set for initial value problems (PSIDE at 1e-14 on a Cray): 12 digits."""
    model, elements = squeezer()
    order = ("K1", "K2", "K3", "K4", "K5", "K6", "K7")
    start = (-0.06171389001427645, 0.0, 0.45527981916307038, 0.22266839016588588, 0.48736497954384255)
    start += (-0.22266839016588588, 1.2305474445498212)
    state = sd.assemble(model, model.state(q=dict(zip(order, start, strict=True))), elements)
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    run = sd.simulate(model, state, 0.03, elements=elements, method=method, record=1e-4)
    expected = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304]
    expected += [0.5347301163226948, 1.048080741042263]
    rates = [1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808]
    rates += [-19.29337464421385, 0.3231791658026955]
    q = [run.final.q[model.q_slice(name)][0] for name in order]
    qd = [run.final.qd[model.qd_slice(name)][0] for name in order]
    np.testing.assert_allclose(q, expected, atol=2e-9)
    np.testing.assert_allclose(qd, rates, rtol=1e-9, atol=1e-6)  # accelerations are 6e5 rad/s² there
    assert run["gap"].max() < 1e-14 and run.audit().energy < 1e-9


# --- Bricard's linkage ------------------------------------------------------------------------------------------------


def bricard():
    """Five rods along edges of a unit cube, hinges square to both neighbours: a freedom that no count shows."""
    steps = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, -1]])
    b = sd.Builder("Bricard", "fixed")
    b.base("ground", massless=True)
    before = "ground"
    for i in range(5):
        axis = np.cross(steps[i - 1], steps[i])
        spread = (0.1**2 / 12 + 1.0 / 12) * np.ones(3) + (0.1**2 / 6 - 0.1**2 / 12 - 1.0 / 12) * np.abs(steps[i])
        position = (0, 0, 0) if i == 0 else tuple(steps[i - 1])
        b.link(
            f"rod{i}",
            "revolute",
            parent=before,
            position=position,
            axis=axis,
            mass=1.0,
            com=steps[i] / 2,
            inertia=spread,
        )
        before = f"rod{i}"
    last = np.cross(steps[4], steps[5])
    return b.build(), sd.Loop("revolute", before, point=steps[4], other_point=(0, 0, 1), axis=last, name="last")


@pytest.mark.filterwarnings("ignore:.*rows are redundant:spacedyn.errors.RunWarning")
def test_bricards_linkage():
    """Its one freedom: all angles by closing the chain in NumPy, the first one's speed by its energy alone."""
    model, last = bricard()
    found = sd.constraints.mobility(model, model.neutral_state(), [last])
    assert (found.freedom, found.rows, found.rank) == (1, 5, 4)

    def chain(first, guess):
        def off(rest):
            frame = sd.forward_kinematics(model, model.state(q=[first, *rest])).bodies.of("rod4")
            axis = frame.rotation @ last.axis - last.axis
            return np.append(frame.position + frame.rotation @ np.array(last.point) - (0, 0, 1), axis)

        return least_squares(off, guess, xtol=1e-15, ftol=1e-15, gtol=1e-15).x

    down, method = (0, -9.81, 0), sd.DormandPrince8(rtol=1e-11, atol=1e-11)
    run = sd.simulate(model, model.neutral_state(), 10.0, elements=[last], gravity=down, method=method, record=0.01)
    assert run["gap"].max() < 1e-11 and run.audit().energy < 1e-9 and np.ptp(run["q"][:, 0]) > 1.0
    h, at_rest = 1e-3, sd.potential_energy(model, model.neutral_state(), gravity=down)
    for k in (20, 45, 80, 333, 901):
        first, rest = run["q"][k, 0], run["q"][k, 1:]
        angles = {i: chain(first + i * h, rest) for i in (-2, -1, 0, 1, 2)}
        np.testing.assert_allclose(angles[0], rest, atol=1e-9)
        slope = np.append(1.0, (angles[-2] - 8 * angles[-1] + 8 * angles[1] - angles[2]) / (12 * h))
        state = model.state(q=run["q"][k])
        inertia = slope @ sd.mass_matrix(model, state) @ slope
        speed = np.sqrt(2 * (at_rest - sd.potential_energy(model, state, gravity=down)) / inertia)
        np.testing.assert_allclose(abs(run["qd"][k, 0]), speed, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:.*rows are redundant:spacedyn.errors.RunWarning")
def test_bricards_linkage_as_exudyn_has_it():
    """IFToMM A04, for its ten seconds, against Exudyn 1.13.6 (`tests/exudyn_references.py`): 1e-9.

    Exudyn's own test suite publishes one number of this mechanism after 1 s, 4.172189649307: a freedom, a redundant
    row, and the norm of all coordinates, places and Euler parameters less those at the start, by 1000 steps.
    """
    model, last = bricard()
    run = sd.simulate(
        model,
        model.neutral_state(),
        10.0,
        elements=[last],
        gravity=(0, -9.81, 0),
        method=sd.DormandPrince8(rtol=1e-11, atol=1e-11),
        record=1.0,
    )
    places = sd.forward_kinematics(model, model.state(q=run["q"])).bodies
    third = [  # the joint between the third rod and the fourth, after 1, 2, ..., 10 s
        [0.5105014612, -1.64916759939, 0.14012311456],
        [-0.96934034477, -1.22124689497, 0.75427801076],
        [-0.96719980005, -1.22802021467, 0.74598317618],
        [0.52489959336, -1.64387600135, 0.1488358461],
        [0.99999999774, -1.00006725771, 0.99993274003],
        [0.49587345, -1.65432451225, 0.13160520408],
        [-0.97137384923, -1.2145418749, 0.76244401705],
        [-0.96494857168, -1.23485954521, 0.73756095181],
        [0.53906428839, -1.63845330828, 0.15773537829],
        [0.99999996381, -1.00026901272, 0.99973095109],
    ]
    np.testing.assert_allclose(places.of("rod3").position[1:], third, atol=1e-9)
    squares = 0.0
    for name in (f"rod{i}" for i in range(5)):
        body = places.of(name)
        moved, turned = np.diff(body.position[:2], axis=0), body.rotation[1] @ body.rotation[0].T
        squares += np.sum(moved**2) + 2 * (1 - abs(sd.Rotation.from_matrix(turned).as_quat()[3]))
    np.testing.assert_allclose(2 + np.sqrt(squares), 4.172189649307, atol=2e-6)  # its error, at its step of 1 ms


# --- a governor -------------------------------------------------------------------------------------------------------


def test_a_flyball_governor():
    """Shaft, two arms with balls, a slider that rods hold: against Lagrange's equations of its two freedoms."""
    L, m, ball, slider, J, g = 1.0, 0.3, 5.0, 3.0, 0.5, 9.81
    b = sd.Builder("governor", "fixed")
    b.base("ground", massless=True)
    b.link("shaft", "revolute", parent="ground", axis=Z, mass=1.0, inertia=(J, J, J * 0.9999))
    arm = {"mass": m + ball, "com": ((m * 0.5 + ball) / (m + ball) * L, 0, 0)}
    about = m * L**2 / 12 + m * (0.5 * L - arm["com"][0]) ** 2 + ball * (L - arm["com"][0]) ** 2
    for name, turn in (("left", 0.0), ("right", np.pi)):
        R = sd.Rotation.from_euler("z", turn).as_matrix()
        b.link(name, "revolute", parent="shaft", axis=(0, 1, 0), rotation=R, inertia=(1e-9, about, about), **arm)
    b.link("slider", "prismatic", parent="shaft", axis=Z, mass=slider, inertia=(0.005, 0.005, 0.005))
    model = b.build()
    ends = {"point": (0.5 * L, 0, 0), "other_point": (0, 0, 0), "length": 0.5 * L}
    rods = [sd.Loop("distance", name, "slider", **ends, name=name) for name in ("left", "right")]
    a0, w0 = np.deg2rad(60.0), 2.0 * np.pi / 2
    state = model.state(q={"left": a0, "right": a0, "slider": -L * np.sin(a0)}, qd={"shaft": w0})
    run = sd.simulate(
        model, state, 2.0, elements=rods, gravity=(0, 0, -g), method=sd.DormandPrince8(rtol=1e-12, atol=1e-12)
    )
    # arms at the angle a below the horizontal; the slider is at -L sin a, since the rods are as long as half the arms
    I, moment = 2 * (m * L**2 / 3 + ball * L**2), 2 * (m * 0.5 + ball) * L

    def flow(t, y):
        a, da, w = y
        M = I + slider * (L * np.cos(a)) ** 2
        force = -I * w * w * np.sin(a) * np.cos(a) + slider * L**2 * np.sin(a) * np.cos(a) * da * da
        force += (moment + slider * L) * g * np.cos(a)
        spin = J * 0.9999 + 0.005 + I * np.cos(a) ** 2 + 2e-9 * np.sin(a) ** 2
        return [da, force / M, 2 * I * np.sin(a) * np.cos(a) * da * w / spin]

    exact = solve_ivp(flow, (0, 2.0), [a0, 0.0, w0], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    found = [run.final.q[model.q_slice("left")][0], run.final.qd[1], run.final.qd[0]]
    np.testing.assert_allclose(found, exact, atol=1e-7)
    assert run.audit().energy < 1e-10 and run["gap"].max() < 1e-12


def test_the_stiff_flyball_governor_of_the_benchmark_library():
    """IFToMM A05: rods held by springs of 8e5 N/m with dampers of 4e4 N s/m, for ten seconds, against two others.

    The library shows its reference as a curve, without digits. Exudyn 1.13.6 (`tests/exudyn_references.py`): 1e-9;
    Lagrange's equations of arm angle b and slider s in SciPy, the shaft's rate from its constant momentum: 1e-10.
    """
    g, k, d, m, slider, w0 = 9.81, 8e5, 4e4, 5.3, 3.0, 2 * np.pi
    c, along, spin = 5.15 / m, 0.3 / 12 * 2e-4, 3.0 * 0.01 / 6  # a rod of 0.3 kg with 5 kg at its end
    across = 0.3 / 12 * (1 + 1e-4) + 0.3 * (c - 0.5) ** 2 + 5 * (1 - c) ** 2
    b = sd.Builder("stiff governor", "fixed")
    b.base("ground", massless=True)
    upright = 0.3 / 12 * np.array([1 + 1e-4, 1 + 1e-4, 2e-4])
    b.link("shaft", "revolute", parent="ground", axis=Z, mass=0.3, com=(0, 0, 0.5), inertia=upright)
    for name, side in (("left", 1), ("right", -1)):
        place = {"position": (0.05 * side, 0, 1), "rotation": np.diag([side, side, 1.0])}
        rod = {"mass": m, "com": (c, 0, 0), "inertia": (along, across, across)}
        b.link(name, "revolute", parent="shaft", axis=(0, 1, 0), **place, **rod)
    b.link("slider", "prismatic", parent="shaft", axis=Z, mass=slider, inertia=(spin, spin, spin * (1 + 1e-12)))
    model = b.build()
    ends = {"point": (0.5, 0, 0), "stiffness": k, "damping": d, "rest_length": 0.5}
    springs = [
        sd.Spring(name, "slider", other_point=(0.05 * side, 0, 0), **ends)
        for name, side in (("left", 1), ("right", -1))
    ]
    start = model.state(q={"left": np.pi / 6, "right": np.pi / 6, "slider": 0.5}, qd={"shaft": w0})
    method = sd.Radau5(rtol=1e-9, atol=1e-10)
    run = sd.simulate(model, start, 10.0, elements=springs, gravity=(0, 0, -g), method=method, record=1.0)
    arm, height = (run["q"][:, model.q_slice(name)][:, 0] for name in ("left", "slider"))
    exudyn = [  # height of the slider, angle of the arms below the horizontal, rate of the shaft; after 1, 2, ..., 10 s
        [0.50142092238, 0.52183330163, 6.27112574185],
        [0.5059092943, 0.51666379737, 6.23622361439],
        [0.51324607834, 0.50824552697, 6.18067270621],
        [0.52322337103, 0.49685998258, 6.108008053],
        [0.53556310373, 0.48287457658, 6.02249649961],
        [0.54992866592, 0.46672078043, 5.92865022687],
        [0.56593815774, 0.4488714492, 5.83080091071],
        [0.58317833674, 0.42981954715, 5.73278832108],
        [0.60121840208, 0.41005975955, 5.63777925573],
        [0.6196229171, 0.3900737018, 5.54820362228],
    ]
    np.testing.assert_allclose(np.column_stack([height, arm, run["qd"][:, 0]])[1:], exudyn, atol=1e-9)

    def about_shaft(b):
        return along + spin + 2 * (m * (0.05 + c * np.cos(b)) ** 2 + along * np.sin(b) ** 2 + across * np.cos(b) ** 2)

    def flow(t, y):
        b, s, db, ds = y
        x, z = 0.5 * np.cos(b), 1 - 0.5 * np.sin(b) - s
        length = np.hypot(x, z)
        by_b, by_s = (-x * 0.5 * np.sin(b) - z * 0.5 * np.cos(b)) / length, -z / length
        force = k * (length - 0.5) + d * (by_b * db + by_s * ds)
        w = about_shaft(np.pi / 6) * w0 / about_shaft(b)
        slope = -2 * m * c * np.sin(b) * (0.05 + c * np.cos(b)) + 2 * (along - across) * np.sin(b) * np.cos(b)
        pull = slope * w * w - 2 * force * by_b + 2 * m * g * c * np.cos(b)
        return [db, ds, pull / (2 * (across + m * c * c)), -g - 2 * force * by_s / slider]

    exact = solve_ivp(flow, (0, 10), [np.pi / 6, 0.5, 0, 0], "Radau", t_eval=run.time, rtol=1e-10, atol=1e-12).y
    np.testing.assert_allclose(arm, exact[0], atol=1e-10)
    np.testing.assert_allclose(height, exact[1], atol=1e-10)
    np.testing.assert_allclose(run["qd"][:, 0], about_shaft(np.pi / 6) * w0 / about_shaft(exact[0]), atol=1e-9)
    assert run.audit().within_budget and exact[1, -1] > 0.51


# --- a Stewart platform -----------------------------------------------------------------------------------------------


def platform():
    """A plate on six legs: universal joints on the ground, slides, balls under the plate; five legs are cut off it."""
    angles = np.deg2rad([10, 110, 130, 230, 250, 350])
    feet = 1.0 * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    above = np.deg2rad([50, 70, 170, 190, 290, 310])  # no image of the feet, else the plate could always move
    tops = 0.6 * np.column_stack([np.cos(above), np.sin(above), 0 * above])
    b = sd.Builder("platform", "fixed")
    b.base("ground", massless=True)
    for i, foot in enumerate(feet):
        b.link(
            f"lower{i}",
            "universal",
            parent="ground",
            position=foot,
            mass=2.0,
            com=(0, 0, 0.3),
            inertia=(0.1, 0.11, 0.02),
        )
        b.link(
            f"upper{i}", "prismatic", parent=f"lower{i}", axis=Z, mass=1.0, com=(0, 0, -0.2), inertia=(0.05, 0.06, 0.01)
        )
    b.link("plate", "free", parent="ground", mass=10.0, inertia=(1.0, 1.2, 2.0))
    balls = [sd.Loop("ball", "plate", f"upper{i}", point=top, name=f"leg{i}") for i, top in enumerate(tops)]
    return b.build(), balls, feet, tops


def test_a_stewart_platform_forwards_and_back():
    """Leg lengths of a pose, by geometry; the pose of leg lengths, by assembling: the same to 1e-12."""
    model, balls, feet, tops = platform()
    rng = np.random.default_rng(4)
    place = np.array([0.05, -0.08, 1.1])
    turn = sd.Rotation.from_rotvec(rng.normal(size=3) * 0.15)
    lengths = np.linalg.norm(place + turn.apply(tops) - feet, axis=1)
    rough = [0.03, -0.06, 1.08, *sd.Rotation.from_rotvec(0.8 * turn.as_rotvec()).as_quat()]
    near = model.state(q={"plate": rough, **{f"upper{i}": one for i, one in enumerate(lengths)}})
    near = sd.assemble(model, near, [*balls, sd.LockedJoint("plate")])  # legs point to the plate
    turned = {name: near.q[model.q_slice(name)] for name in (f"lower{i}" for i in range(6))}
    near = model.state(q={"plate": rough, **turned, **{f"upper{i}": one for i, one in enumerate(lengths)}})
    locks = [sd.LockedJoint(f"upper{i}") for i in range(6)]
    found = sd.assemble(model, near, [*balls, *locks])
    pose = found.q[model.q_slice("plate")]
    np.testing.assert_allclose(pose[:3], place, atol=1e-12)
    np.testing.assert_allclose((sd.Rotation.from_quat(pose[3:]) * turn.inv()).magnitude(), 0.0, atol=1e-12)
    held = model.state(q={"plate": [*place, *turn.as_quat()], **{f"upper{i}": 1.0 for i in range(6)}})
    back = sd.assemble(model, held, [*balls, sd.LockedJoint("plate")])
    slides = [back.q[model.q_slice(f"upper{i}")][0] for i in range(6)]
    np.testing.assert_allclose(slides, lengths, atol=1e-12)
    mobility = sd.constraints.mobility(model, found, balls)
    assert (mobility.freedom, mobility.rank) == (6, 18)
    udot = sd.constraints.forward_dynamics(model, found, balls, gravity=(0, 0, -9.81)).udot
    legs = [f"upper{i}" for i in range(6)]
    still = sd.constraints.inverse_dynamics(
        model, found, np.zeros(model.nv), balls, actuated=legs, gravity=(0, 0, -9.81)
    )
    assert np.abs(udot).max() > 1.0 and np.count_nonzero(np.abs(still) > 1e-9) == 6
    rest = sd.constraints.forward_dynamics(model, found, balls, still, gravity=(0, 0, -9.81))
    np.testing.assert_allclose(rest.udot, 0.0, atol=1e-10)


def test_a_platform_swings_as_its_ledger_says():
    model, balls, _, _ = platform()
    springy = [sd.Spring(f"lower{i}", f"upper{i}", stiffness=2e3, damping=20.0, rest_length=1.15) for i in range(6)]
    start = sd.assemble(
        model, model.state(q={"plate": [0, 0, 1, 0, 0, 0, 1], **{f"upper{i}": 1.1 for i in range(6)}}), balls
    )
    run = sd.simulate(model, start, 0.5, elements=[*balls, *springy], gravity=(0, 0, -9.81))
    assert run.audit().within_budget and run.audit().energy < 1e-9 and run["gap"].max() < 1e-12


def test_a_shortest_way_to_close():
    """`assemble` agrees with a dense minimum of the change, to first order: a small gap closes by the least motion."""
    model, balls, _, _ = platform()
    start = sd.assemble(
        model, model.state(q={"plate": [0, 0, 1, 0, 0, 0, 1], **{f"upper{i}": 1.1 for i in range(6)}}), balls
    )
    rng = np.random.default_rng(0)
    J, H = sd.constraints.jacobian(model, start, balls), sd.mass_matrix(model, start)
    kick = 1e-6 * rng.normal(size=model.nv)
    moved = sd.assemble(model, start.integrate(kick), balls)
    X = np.linalg.solve(H, J.T)
    expected = kick - X @ np.linalg.solve(J @ X, J @ kick)
    np.testing.assert_allclose(start.difference(moved), expected, atol=1e-10)
