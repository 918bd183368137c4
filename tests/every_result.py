"""Results of every public function for a robot at a state, as flat arrays."""

import warnings

import numpy as np

import spacedyn as sd
from every_element import under_contact, under_devices, under_fields, under_rigid_contact
from every_touch import under_shape_contact, under_time_stepping
from spacedyn.elements.loop import LOOP_JOINTS
from spacedyn.model.joints import JOINT_KINDS, joint_kind

GRAVITY = (0.3, -1.2, -9.6)

FLOATING = ("base_recoil", "generalized_inertia", "generalized_jacobian", "reaction_null_space")
"""Functions that a fixed base does not have."""


def every_result(rng, model, state):
    """{public function: its result as a flat array}."""
    wide = (*state.shape, model.nv)
    udot, tau = rng.normal(size=wide), rng.normal(size=(*state.shape, model.nv - model.base_dof))
    loads = {"base_wrench": rng.normal(size=6), "endpoint_wrenches": {model.endpoint_names[0]: rng.normal(size=6)}}
    loads["gravity"] = GRAVITY
    body, endpoint, point = model.body_names[-1], model.endpoint_names[-1], rng.normal(size=3)
    given = [model.body_names[0], *model.joint_names[::2]]
    results = {
        "forward_dynamics": sd.forward_dynamics(model, state, tau, **loads),
        "inverse_dynamics": sd.inverse_dynamics(model, state, udot, **loads),
        "joint_reactions": sd.joint_reactions(model, state, udot, **loads),
        "hybrid_dynamics": flat(sd.hybrid_dynamics(model, state, given, udot, tau, **loads)),
        "bias_force": sd.bias_force(model, state, gravity=GRAVITY),
        "coriolis_matrix": sd.coriolis_matrix(model, state),
        "passive_force": sd.passive_force(model, state),
        "mass_matrix": sd.mass_matrix(model, state),
        "mass_matrix_blocks": flat(sd.mass_matrix_blocks(model, state)),
        "mass_matrix_inverse": sd.mass_matrix_inverse(model, state),
        "mass_matrix_inverse_product": sd.mass_matrix_inverse_product(model, state, udot),
        "forward_kinematics": all_frames(sd.forward_kinematics(model, state, udot)),
        "endpoint_pose": flat(sd.endpoint_pose(model, state, endpoint)),
        "endpoint_velocity": sd.endpoint_velocity(model, state, endpoint),
        "endpoint_acceleration": sd.endpoint_acceleration(model, state, udot, endpoint),
        "endpoint_jacobian": sd.endpoint_jacobian(model, state, endpoint),
        "endpoint_jacobian_rate": sd.endpoint_jacobian_rate(model, state, endpoint),
        "body_jacobian": sd.body_jacobian(model, state, body, point),
        "jacobian_rate": sd.jacobian_rate(model, state, body, point),
        "center_of_mass": sd.center_of_mass(model, state),
        "center_of_mass_velocity": sd.center_of_mass_velocity(model, state),
        "center_of_mass_acceleration": sd.center_of_mass_acceleration(model, state, udot),
        "momentum": sd.momentum(model, state, about="com"),
        "momentum_matrix": sd.momentum_matrix(model, state, about="origin"),
        "momentum_matrix_rate": sd.momentum_matrix_rate(model, state, about=point),
        "kinetic_energy": sd.kinetic_energy(model, state),
        "potential_energy": sd.potential_energy(model, state, gravity=GRAVITY),
        "momentum_regressor": sd.momentum_regressor(model, state, endpoint, about=point),
    }
    results |= {"operators": applied(model, state, udot, tau, loads)}
    kane = sd.kane.prescribed_dynamics(model, state, given, udot, tau, **loads)
    results["kane"] = flat([*kane, *sd.kane.partial_velocities(model, state, given)[:4]])
    if not state.shape:  # with the JIT off, one state takes a second
        results["forward_dynamics_derivatives"] = flat(sd.forward_dynamics_derivatives(model, state, tau, **loads))
        results["inverse_dynamics_derivatives"] = flat(sd.inverse_dynamics_derivatives(model, state, udot, **loads))
    if model.base_kind != "fixed":
        results |= {name: getattr(sd, name)(model, state) for name in FLOATING if name != "generalized_jacobian"}
        results["generalized_jacobian"] = sd.generalized_jacobian(model, state, endpoint)
    if not state.shape and model.n < 12:
        results["simulate"] = simulated(model, state)
        results["waypoints"] = driven(model, state)
        results["table"] = switched(model, state)
        if model.n == 0:
            results["linearize"] = sd.linearize(model, state, laws=[follow(gain=0.5)], gravity=GRAVITY).A
            results["stops"] = stopped()
            results["element"] = under_elements()
            results["devices"], results["fields"] = under_devices(), under_fields()
            results["contact"], results["rigid contact"] = under_contact(), under_rigid_contact()
            results["shapes"], results["stepping"] = under_shape_contact(), under_time_stepping()
            results["joint_kind"] = in_steps()
            results["distance"], results["contacts"] = between_shapes()
            results["assemble"], results["loops"] = with_loops()
    return {name: np.ravel(value) for name, value in results.items()}


def between_shapes():
    """Distances between shapes of all kinds, in one state and in a batch."""
    s, points = sd.shapes, np.random.default_rng(0).normal(size=(9, 3))
    pieces = [s.sphere(1, 0.3), s.box(1, (1, 1, 0.3)), s.cylinder(1, 0.3, 0.5), s.cone(1, 0.3, 0.5), s.rod(1, 0.5)]
    b = sd.Builder("shapes", base="fixed")
    b.base("bus", shapes=[s.box(20.0, (1, 1.1, 1.2))])
    for i, piece in enumerate([*pieces, s.sphere(1, 0.3)]):
        look = sd.Visual("", piece, scale=(1, 1, 1.5 if i > 4 else 1))
        b.link(f"body{i}", "spherical", parent="bus", position=2.0 * points[i] + (2, 0, 0), mass=1.0,
               inertia=(1, 1.1, 1.2), collisions=[look])  # fmt: skip
    model = b.build()
    states = model.random_state(np.random.default_rng(1), 2)
    names = [(a, b) for i, a in enumerate(model.body_names) for b in model.body_names[:i]]
    hull = sd.TriangleMesh(np.eye(4, 3) - 2.0, [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    grounds = [sd.Plane(position=(0, 0, -2)), hull]
    options = {"rounding": 0.1, "deep": "-inf"}
    parts = [part for a, b in names for part in sd.distance(model, states, a, b, **options)]
    parts += [part for name in model.body_names for part in sd.distance(model, states, name, hull, **options)]
    fields = [sd.HeightField(0.1 * np.sin(np.arange(36.0).reshape(6, 6)), smooth=smooth) for smooth in (True, False)]
    for surface in (*fields, sd.EllipsoidSurface((3, 2, 1)), sd.SphereSurface(3.0, hollow=True)):
        parts += [surface.gap(points), surface.normals(points)]
    found = sd.contacts(model, states, within=3.0, surfaces=grounds, neighbors=True, **options)
    stacked = sd.contacts(*on_each_other(), within=0.01)
    return flat(parts), flat([*found_in(found), *found_in(stacked)])


def found_in(found):
    return [found.gap, found.normal, found.point_a, found.point_b]


def on_each_other():
    """A cylinder, a box and a rod on a box, a box on an edge along an edge, one beside another: faces of all kinds."""
    s, b = sd.shapes, sd.Builder("stack", base="fixed")
    b.base("table", shapes=[s.box(20.0, (4, 4, 1))])
    laid = {"can": (s.cylinder(1, 0.3, 1), (1, 1, 1.005)), "crate": (s.box(1, (1, 1.1, 1)), (-1, 1, 1.005))}
    laid |= {"roof": (s.cone(1, 0.4, 0.5), (-1, -1, 0.505)), "stick": (s.rod(1, 0.5), (1, -1, 0.505))}
    for name, (shape, place) in laid.items():
        turn = sd.Rotation.from_rotvec([0, np.pi / 2, 0]) if name == "stick" else None
        b.link(name, "free", parent="table", position=place, rotation=turn, mass=1.0, inertia=(1, 1.1, 1.2),
               collisions=[sd.Visual("", shape)])  # fmt: skip
    on_edge = sd.Rotation.from_rotvec([np.pi / 4, 0, 0])
    for name, height in (("low", 5.0), ("high", 5.005 + 2**0.5)):
        b.link(name, "free", parent="table", position=(0, 0, height), rotation=on_edge, shapes=[s.box(1, (1, 1, 1))])
    for name, place in (("left", (0, 0, 9.0)), ("right", (1.0, 0, 10.005))):  # whose faces have an edge in common
        b.link(name, "free", parent="table", position=place, shapes=[s.box(1, (1, 1, 1))])
    model = b.build()
    return model, model.neutral_state()


def applied(model, state, udot, tau, loads):
    """Every spatial operator and its transpose, about either set of points; and what is made of them."""
    parts = []
    for about in ("base", "bodies"):
        ops = sd.operators.SpatialOperators(model, state, about=about)
        for op in [value for value in vars(ops).values() if isinstance(value, sd.operators.Operator)]:
            parts += [op @ np.cos(np.arange(op.shape[1])), op.T @ np.sin(np.arange(op.shape[0]))]
        parts += [*sd.operators.filter_smoother(ops, tau, **loads), sd.operators.operational_compliance(ops)]
    if model.base_kind != "fixed":
        qd = udot[..., model.base_dof :]
        parts += [*sd.operators.base_rates(ops, qd), *sd.operators.base_acceleration(ops, qd)]
    return flat(parts)


@sd.law(states={"lag": 1})
def follow(t, s, p, out):
    """Continuous, with a state, and an eye for everything."""
    out.lag[0] = s.base_rate[0] + s.com[0] + s.linear_momentum[1] + s.angular_momentum[2] - s.lag[0]
    for i in range(s.qd.size):
        out.tau[i] = -p.gain * s.qd[i] + s.lag[0]
    for i in range(6):
        out.base_wrench[i] = 0.1 * s.endpoints[0, 12 + i]
        out.endpoint_wrenches[0, i] = -0.1 * s.endpoints[0, 12 + i]


@sd.law(period=0.02, delay=0.03, states={"sum": 1})
def count(t, s, p, out):
    """Sampled, late, with a state."""
    out.sum[0] = s.sum[0] + t
    for i in range(s.q.size - s.q.size + s.qd.size):
        out.tau[i] = 0.1 * s.sum[0]


def simulated(model, state):
    """Short runs by all methods under both laws."""
    stiff = [(sd.Radau5(step=0.05), 0.05), (sd.Radau5(rtol=1e-3, atol=1e-3, first_step=0.05), 0.05)]
    laws, options = [follow(gain=0.5), count()], {"gravity": GRAVITY, "budget": 1.0, "limits": False}
    duration = 0.04 if model.n else 0.1  # a few steps, also without the JIT
    runs = [
        sd.simulate(model, state, duration, laws=laws, method=method, record=record, **options)
        for method, record in (
            (sd.RungeKutta4(0.02), 0.015),
            (sd.SemiImplicitEuler(0.02), 0.015),
            (sd.DormandPrince8(rtol=1e-6, atol=1e-6, first_step=0.02), 0.015),
            (sd.DormandPrince5(rtol=1e-4, atol=1e-4, first_step=0.02), "steps"),
            *(stiff if model.n == 0 else []),  # derivatives of a long robot take minutes
            (sd.Variational(0.02), 0.02),
        )
    ]
    return flat([np.append(run["x"], run["forces"]) for run in runs])


@sd.motion
def turn(t, p, out):
    """As fast as it goes."""
    for i in range(out.value.size):
        out.value[i], out.rate[i], out.acceleration[i] = p.rate * t, p.rate, 0.0


def driven(model, state):
    """A short run with joints prescribed in every way, and forces of every kind."""
    simple = [j.name for j in model.joints if j.kind in ("revolute", "prismatic", "universal")][:2]
    size = {name: model.joint(name).nv for name in simple}
    ways = [lambda n: sd.waypoints([0.0, 0.03, 0.06], np.outer([0, 1, 2], np.ones(n))), lambda n: turn(rate=0.5)]
    prescribed = {name: way(size[name]) for name, way in zip(simple, ways, strict=False)}
    attitudes = sd.Rotation.from_rotvec([[0, 0, 0], [0.1, 0.2, 0.3]])
    balls = [j.name for j in model.joints if j.kind == "spherical"]
    prescribed |= {name: "locked" if i else sd.attitude_waypoints([0, 0.1], attitudes) for i, name in enumerate(balls)}
    a, b = model.body_names[0], model.body_names[-1]
    forces = [
        sd.Wrench(a, force=(1, 2, 3), point=(0.1, 0, 0), stop=0.05),
        sd.Wrench(b, moment=(1, 2, 3), frame="body"),
        sd.Spring(a, stiffness=2.0, damping=0.1, rest_length=0.2, other_point=(1, 2, 3)),
        sd.Tether(a, b, stiffness=2.0, damping=0.1, rest_length=0.2, point=(0.1, 0.2, 0.3)),
        sd.Drag(b, linear=0.1, angular=(0.1, 0.2, 0.3)),
    ]

    @sd.condition
    def late(t, s, p, out):
        out.value[0] = t - 0.053

    stop = sd.Event(late(), action=lambda t, state: state)
    options = {"method": sd.RungeKutta4(0.01), "record": 0.02, "budget": 1e9, "limits": False}
    options |= {"forces": forces, "events": [stop]}
    run = sd.simulate(model, state, 0.08, prescribed=prescribed, adjust=True, **options)
    return flat([run["x"], run["forces"], run["element_work"], run["tension"]])


@sd.element(
    states={"push": "N"}, samples={"held": "N"}, commands={"wish": "N"}, channels={"gust": "N"}, guards=1,
    points=("tip",), joints=("axle",),
)  # fmt: skip
def puff(t, s, p, out):
    """A thruster that follows its command with a lag, one way on one side of a guard, another on the other."""
    out.push[0] = (s.wish[0] - s.push[0]) / p.lag
    out.guard[0] = s.push[0] - 0.05
    out.tip.force[0] = s.push[0] if s.side[0] > 0.0 else 0.5 * s.push[0]
    out.tip.moment[1] = 0.1 * s.tip.rate[1]
    out.axle.tau[0] = -0.1 * s.axle.qd[0]
    out.held[0] = s.push[0]
    out.gust[0] = s.held[0]


@sd.law(period=0.01)
def wish(t, s, p, out):
    """Commands to two elements."""
    out.puff.wish[0] = 0.3 + t
    out.drive.torque[0] = 0.5 * t


def under_elements():
    """Short runs under kinds of elements that have states, guards and commands, by two methods."""
    b = sd.Builder("hinged")
    b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
    b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.2))
    b.joint("hinge", "revolute", parent="bus", child="arm", position=(0.5, 0, 0))
    model, axle = b.build(), "hinge"
    state = model.state(qd=[0.3], base_rate=[0.1, 0.2, 0.3])
    elements = [
        puff(tip="arm", axle=axle, lag=0.02, period=0.015),
        sd.Motor(axle, stall_torque=0.02, no_load_speed=50.0, name="drive"),
        sd.BristleFriction(axle, coulomb=0.1, stiffness=10.0, stribeck_speed=0.1),
        sd.CentralGravity(mu=10.0, center=(30.0, 0.0, 0.0)),
        sd.Gyro("arm", period=0.015, noise=0.01, random_walk=0.01, delay=0.015, name="turn"),
        sd.Accelerometer(("arm", [0.1, 0.2, 0.3]), name="feel"),
    ]
    runs = []
    for method in (sd.DormandPrince5(rtol=1e-6, atol=1e-8), sd.Radau5(step=0.02)):
        options = {"method": method, "record": 0.02, "budget": 1e9, "limits": False}
        runs.append(sd.simulate(model, state, 0.04, laws=[wish()], elements=elements, **options))
    return flat(
        [
            run[name]
            for run in runs
            for name in ("x", "gust", "torque", "feel.specific_force", "element_states", "element_energy")
        ]
    )


@sd.law(period=0.02, delay=0.01)
def hold(t, s, p, out):
    """Locks the first joint and frees it; reads a table."""
    for i in range(s.mode.size):
        out.mode[i] = sd.Mode.FREE if s.mode[i] == sd.Mode.LOCKED else sd.Mode.LOCKED
    for i in range(s.qd.size):
        out.tau[i] = sd.sample(p.path, t) + sd.sample(p.path, t, 0, 1)


@sd.condition
def brief(t, s, p, out):
    """Below zero for a moment."""
    out.value[0] = abs(t - 0.0551) - 1e-5


def switched(model, state):
    """A short run in which joints are locked and freed, by a law and by an event that is over in an instant."""
    laws = [hold(path=sd.table([0.0, 0.03, 0.05, 0.06], [0.1, 0.2, 0.15, 0.1]))]
    last = model.joint_names[-1:]
    events = [sd.Event(brief(), direction=-1, action=[sd.actions.free(*last)] if last else None)]
    options = {"method": sd.RungeKutta4(0.01), "record": 0.02, "budget": 1e9, "limits": False}
    run = sd.simulate(model, state, 0.08, laws=laws, events=events, **options)
    assert len(run.events) == 1
    return flat([run["x"], run["forces"], run["mode"], run["event_work"]])


def stopped():
    """A mass that is thrown up to just beyond an end stop, for a moment within a step, and falls back from it."""
    b = sd.Builder("slider", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("mass", mass=1.0, inertia=(0.1, 0.12, 0.11))
    b.joint("rail", "prismatic", parent="ground", child="mass", upper=0.815, stop_stiffness=50.0, stop_damping=1.0)
    model, method = b.build(), sd.DormandPrince8(rtol=1e-6, atol=1e-6, first_step=0.7)
    options = {"method": method, "gravity": (0.0, 0.0, -9.81), "record": 0.1, "budget": 1.0}
    run = sd.simulate(model, model.state(qd=[4.0]), 0.7, **options)
    assert run["dissipated"][-1, 0] > 0.0
    return flat([run["x"], run["dissipated"]])


@sd.element(rows=1, points=("at",), joints=("tie",))
def rod_and_tie(t, s, p, out):
    for i in range(3):
        out.at.row_force[0, i] = p.along[i]
        out.residual[0] += p.along[i] * s.at.position[i]
    out.tie.row[0] = 0.5
    out.residual[0] += 0.5 * s.tie.q[0]


def wheels(model):
    """A disc that rolls on the bus, a ball on the ground, a point tied to a joint by a user's row."""
    disc = sd.Rolling("left", 0.2, axis=(0, 1, 0), edge_radius=0.05, other="bus", other_point=(0, 0, 0.3), name="disc")
    ball = sd.Rolling("right", 0.1, other_point=(0, 0, -0.1), name="ball")
    return [disc, ball, rod_and_tie(at="bus", tie="hand", along=[0.3, 0.4, 1.0])]


def with_loops():
    """A robot with bodies on free joints, closed by every loop joint and tied joints; a linkage near its fold."""
    b = sd.Builder("closed")
    b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
    for i, name in enumerate(("left", "right")):
        b.link(name, "free", parent="bus", position=(0.5 * i, 1, 0), mass=1.0, inertia=(0.1, 0.1, 0.2))
    b.link("arm", "revolute", parent="bus", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.2))
    b.link("hand", "revolute", parent="arm", position=(0.6, 0, 0), mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.2))
    model, closed, runs = b.build(), [], []
    state = model.state(qd=np.linspace(0.1, 0.5, model.nv - 6), base_rate=[0.1, 0.2, 0.3])
    more = {"distance": {"length": 0.7}, "screw": {"pitch": 0.1}, "universal": {"other_axis": (1, 0, 0)}}
    tie = sd.Coupling(("arm", "hand"), (1.0, -2.0), curve=(0.1, 0, 0), name="tie")
    for joint in LOOP_JOINTS:
        pair = sd.Loop(joint, "left", "right", point=(0.25, 0, 0), other_point=(-0.25, 0.1, 0), **more.get(joint, {}))
        start = sd.assemble(model, state, [pair, tie])
        closed += [start.x, start.u, sd.constraints.forward_dynamics(model, start, [pair, tie]).udot]
    options = {"method": sd.DormandPrince5(rtol=1e-6, atol=1e-8), "record": 0.02, "budget": 1e9}
    path = [[1.2, 0, 0], [1.2, 0.1, 0], [1.2, 0.2, 0]]
    held = sd.Loop("ball", "hand", point=(0.6, 0, 0), times=[0.0, 1.0, 2.0], positions=path, name="held")
    start = sd.assemble(model, state, [pair, held])
    runs.append(sd.simulate(model, start, 0.04, elements=[pair, held], **options))
    rolls, upright = wheels(model), model.state(q={"left": [0, 0, 0.5, 0, 0, 0, 1], "right": [0.1, 0.5, 0, 0, 0, 0, 1]})
    start = sd.assemble(model, upright.integrate(np.zeros(model.nv), state.u), rolls)
    closed += [start.x, start.u, sd.linearize(model, start, elements=rolls).A]
    runs.append(sd.simulate(model, start, 0.04, elements=rolls, **options))
    fold = sd.Builder("linkage", "fixed")
    fold.base("ground", massless=True)
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12), "axis": (0, 0, 1)}
    fold.link("crank", "revolute", parent="ground", **rod)
    fold.link("coupler", "revolute", parent="crank", position=(1, 0, 0), **rod)
    fold.link("rocker", "revolute", parent="ground", position=(1, 0, 0), **rod)
    linkage, ends = fold.build(), {"point": (1, 0, 0), "other_point": (1, 0, 0)}
    bent = linkage.state(q=[0.05, -0.05, 0.05], qd=[-1.0, 1.0, -1.0])
    finer = options | {"method": sd.DormandPrince5(rtol=1e-13, atol=1e-15, max_step=0.004), "gravity": (0, -9.81, 0)}
    for joint, duration, chosen in (("line", 0.06, finer), ("ball", 0.01, finer | {"method": sd.Radau5(step=0.01)})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sd.RunWarning)  # of rows that others imply
            pin = sd.Loop(joint, "coupler", "rocker", **ends)
            runs.append(sd.simulate(linkage, bent, duration, elements=[pin], **chosen))
    return flat(closed), flat([run[name] for run in runs for name in ("x", "u", "closure")])


def in_steps():
    """A robot with a joint of a kind that a program adds, of every motion in every direction."""
    steps = {"a": ("turn", "x"), "b": ("slide", "y"), "c": ("turn", "y"), "d": ("screw", "z"), "e": ("slide", "x")}
    kind = joint_kind("five_steps", **steps)
    try:
        b = sd.Builder("stepper")
        b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
        b.link("arm", kind.name, parent="bus", position=(0.5, 0, 0), pitch=0.2, mass=1.0, inertia=(0.1, 0.1, 0.2))
        model = b.build()
        state = model.state(q=[0.3, -0.2, 0.4, 0.5, 0.1], qd=[0.1, 0.2, -0.3, 0.4, 0.5], base_rate=[0.1, 0.2, 0.3])
        return sd.forward_dynamics(model, state, gravity=GRAVITY)
    finally:
        del JOINT_KINDS[kind.name]


def all_frames(found):
    """All arrays of all families of frames."""
    families = (found.bodies, found.joints, found.centroids, found.endpoints)
    return np.concatenate([flat(family[1:]) for family in families])  # after the names


def flat(parts):
    """All arrays in parts and in parts of parts."""
    arrays = [flat(vars(p).values()) if hasattr(p, "__dict__") else p for p in parts if p is not None]
    return np.concatenate([np.ravel(a) for a in arrays if isinstance(a, np.ndarray)])
