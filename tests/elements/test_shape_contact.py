"""Contact between shapes of bodies: against closed forms, the contact of points, and forces by public functions."""

import numpy as np
import pytest
import trimesh

import spacedyn as sd
from touching import FINE, STIFF, G

SOFT = sd.ContactMaterial(1e5, dissipation=0.5)
# REFERENCES 14: restitution e of Hunt and Crossley's law by d = a v, any stiffness, exponent and mass
RESTITUTION = {0.1: 0.937475579949905, 0.5: 0.748434931597434, 1.0: 0.593624260040040}
SHAPES = {
    "sphere": sd.shapes.sphere(1.0, 0.1),
    "capsule": sd.shapes.capsule(1.0, 0.06, 0.2),
    "box": sd.shapes.box(1.0, (0.2, 0.3, 0.16)),
    "cylinder": sd.shapes.cylinder(1.0, 0.1, 0.2),
    "disc": sd.shapes.cylinder(1.0, 0.15, 0.02),
    "cone": sd.shapes.cone(1.0, 0.12, 0.25),
    "egg": sd.Visual("egg", sd.shapes.sphere(0.0, 1.0), scale=(0.1, 0.12, 0.15)),
}


def two(first, second, base="free"):
    """Two bodies that move freely, with a shape each."""
    b = sd.Builder("two", base=base)
    for name, shape in (("a", first), ("b", second)):
        looks = {"collisions": [shape], "mass": 1.0, "inertia": (6e-3, 5e-3, 4e-3)}
        looks = looks if isinstance(shape, sd.Visual) else {"shapes": [shape]}
        if name == "a":
            b.base(name, **looks)
        else:
            b.link(name, "free", parent="a", **looks)
    return b.build()


def seen(run, name):
    """A channel of the contact, which has its own name alone if it is one number."""
    return run[name] if name in run.data else run[f"contact.{name}"]


def together(first, second, direction=(0.3, -0.5, 0.8), depth=4e-4, seed=1):
    """Two shapes at random attitudes, one so deep in the other along a direction; and moving."""
    rng = np.random.default_rng(seed)
    model = two(first, second)
    spins = rng.normal(size=(2, 4))
    spins /= np.linalg.norm(spins, axis=1)[:, None]
    along = np.asarray(direction) / np.linalg.norm(direction)

    def state(distance, **moving):
        q = np.concatenate([distance * along, spins[1]])
        return model.state(base_quaternion_xyzw=spins[0], q={"b": q}, **moving)

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        gap = sd.distance(model, state(middle), "a", "b", rounding=2e-3, deep="-inf").gap
        low, high = (middle, high) if gap < -depth else (low, middle)
    moving = {"base_velocity": rng.normal(size=3), "base_rate": rng.normal(size=3), "qd": {"b": rng.normal(size=6)}}
    return model, state(high, **moving)


def forces(model, state, contact, rounding=2e-3):
    """Wrenches (2, 6) of normal forces on both bodies about the points of the record, by public functions in NumPy."""
    material, points = contact.material, contact.for_model(model).wrenches(model)
    touch = sd.contacts(model, state, rounding=rounding, within=1.0)
    bodies = sd.forward_kinematics(model, state).bodies
    found, near = np.zeros((2, 6)), 0.1 * sum(piece.radius for piece in contact.for_model(model).here.pieces)
    apart = np.linalg.norm(touch.point_a[:, None] - touch.point_a, axis=-1)
    shares = 1.0 / np.maximum(0.0, 1.0 - apart / near).sum(axis=1)  # close points have the force of one
    for j in range(len(touch)):
        a, b = model.body_index(touch.a[j]), model.body_index(touch.b[j])
        at = 0.5 * (touch.point_a[j] + touch.point_b[j])
        v = [bodies.velocity[i, :3] + np.cross(bodies.velocity[i, 3:], at - bodies.position[i]) for i in (a, b)]
        n, x = touch.normal[j], max(-touch.gap[j], 0.0)
        N = shares[j] * material.stiffness * x**material.exponent * (1.0 + material.dissipation * (n @ (v[0] - v[1])))
        for i, f in ((a, -max(N, 0.0) * n), (b, max(N, 0.0) * n)):
            about = bodies.position[i] + bodies.rotation[i] @ points[i].point
            found[i] += np.concatenate([f, np.cross(at - about, f)])
    return found


PAIRS = [(a, b) for i, a in enumerate(SHAPES) for b in list(SHAPES)[i:]]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_all_pairs_of_shapes_push_as_public_functions_say(first, second):
    """Recorded wrenches of random poses and velocities, to 1e-9 of the largest."""
    check_push(SHAPES[first], SHAPES[second], PAIRS.index((first, second)))


@pytest.mark.parametrize("other", ["sphere", "capsule", "box", "cylinder", "egg", "hull"])
def test_hulls_of_meshes_push_as_public_functions_say(other, tmp_path):
    """The same of the hull of twenty random points, from a file."""
    points = np.random.default_rng(5).normal(size=(20, 3))
    trimesh.convex.convex_hull(0.12 * points / np.linalg.norm(points, axis=1)[:, None]).export(tmp_path / "gem.stl")
    gem = sd.Visual("gem", mesh=str(tmp_path / "gem.stl"))
    check_push(gem, gem if other == "hull" else SHAPES[other], 0)


def check_push(first, second, seed):
    """Compare what shapes feel with what public functions say."""
    model, state = together(first, second, seed=seed)
    contact = sd.ShapeContact(SOFT, rounding=2e-3)
    run = sd.simulate(model, state, 1e-9, elements=[contact], record=[0.0], method=sd.RungeKutta4(step=1e-9))
    expected = forces(model, state, contact)
    assert np.abs(expected).max() > 0.05
    got = run["element_wrenches"][0].reshape(2, 6)
    assert np.abs(got - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("d", RESTITUTION)
def test_balls_of_two_masses_part_with_hunt_and_crossleys_restitution(d):
    """To 1e-8; momentum to 1e-12, what is lost is in the ledger to 1e-8, greatest depth by the reduced mass."""
    model, v = two(sd.shapes.sphere(1.0, 0.1), sd.shapes.sphere(3.0, 0.15)), 0.7
    material = sd.ContactMaterial(1e5, dissipation=d / v)
    start = model.state(base_velocity=[v, 0, 0], q={"b": [0.26, 0, 0, 0, 0, 0, 1]}, qd={"b": [-v, 0, 0, 0, 0, 0]})
    run = sd.simulate(model, start, 0.1, elements=[sd.ShapeContact(material)], method=FINE, record="steps")
    parts = run.final.qd[0]
    assert abs(parts / v - RESTITUTION[d]) < 1e-8
    assert abs(4.0 * run.final.base_velocity[0] + 3.0 * parts - 1.0 * v) < 1e-12
    before, after = (0.5 * 0.75 * speed**2 for speed in (v, parts))
    assert abs(run["element_dissipated"][-1, 0] / (before - after) - 1.0) < 1e-8
    assert run.audit().worst < 1e-9
    a = d / v
    deepest = (2.5 * 0.75 / 1e5 * (v / a - np.log1p(a * v) / a**2)) ** 0.4
    assert abs(-seen(run, "gap").min() / deepest - 1.0) < 2e-3  # recorded steps miss the turn a little


def ball_on_plane(friction=0.4, **others):
    b = sd.Builder("ball")
    b.base("ball", shapes=[sd.shapes.sphere(1.0, 0.1)])
    ball = b.build()
    material = sd.ContactMaterial(1e5, dissipation=0.5, friction=friction, rolling=1e-4, torsion=1e-4, **others)
    start = ball.state(base_position=[0, 0, 0.0995], base_velocity=[1, 0.2, 0], base_rate=[0.3, 1, 2])
    return ball, start, material, sd.Plane((0.1, 0.05, 1.0))


@pytest.mark.parametrize("others", [{}, {"sticks": False}, {"adhesion": 0.3}])
def test_a_ball_on_a_plane_moves_as_with_the_contact_of_a_point(others):
    """Sphere on plane by either element: the same motion to 1e-12."""
    ball, start, material, plane = ball_on_plane(**others)
    method = sd.RungeKutta4(step=1e-3)
    point = sd.Contact("ball", (0, 0, 0), radius=0.1, surface=plane, material=material)
    shape = sd.ShapeContact(material, surfaces=plane)
    one, other = (
        sd.simulate(ball, start, 0.4, elements=[e], method=method, gravity=(0, 0, -G), record=0.1, budget=1.0)
        for e in (point, shape)
    )
    for name in (
        "x",
        "u",
        "element_states",
        "element_dissipated",
        "element_energy",
    ):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-12, atol=1e-12, err_msg=name)
    for name in ("gap", "normal_force"):
        np.testing.assert_allclose(seen(one, name), seen(other, name), rtol=1e-12, atol=1e-12, err_msg=name)


def box_on_box(tilt=0.0, friction=0.5, side=0.2):
    """A box that stands on a fixed one; gravity is tilted instead of both."""
    b = sd.Builder("stack", base="fixed")
    b.base("table", shapes=[sd.shapes.box(5.0, (1.0, 1.0, 0.1))])
    b.link("box", "free", parent="table", shapes=[sd.shapes.box(2.0, (side, side, 0.2))])
    model = b.build()
    material = sd.ContactMaterial(1e5, 1.0, damping=300.0, friction=friction)
    depth = 2.0 * G * np.cos(tilt) / 4e5
    start = model.state(q={"box": [0.1, 0, 0.15 - depth, 0, 0, np.sin(0.2), np.cos(0.2)]})
    return model, start, sd.ShapeContact(material, rounding=2e-3), (G * np.sin(tilt), 0, -G * np.cos(tilt))


def test_a_box_sticks_on_a_box_without_creep_and_slides_with_coulombs_friction():
    """Below the friction angle it creeps by less than 1e-12 m/s, for 1000 s; above, its acceleration is the analytic
    one to 1e-10."""
    model, start, contact, gravity = box_on_box(tilt=0.3)
    run = sd.simulate(model, start, 1000.0, elements=[contact], gravity=gravity, record=1.0, method=STIFF)
    assert np.abs(run["u"][1:]).max() < 1e-12 and np.abs(run["x"][1:] - run["x"][1]).max() < 1e-12
    assert np.abs(seen(run, "normal_force")[1:, 0] - 2.0 * G * np.cos(0.3)).max() < 1e-9
    assert run.audit().worst < 1e-6

    model, start, contact, gravity = box_on_box(tilt=0.6)
    run = sd.simulate(model, start, 0.35, elements=[contact], gravity=gravity, record=0.05)
    slides = G * (np.sin(0.6) - 0.5 * np.cos(0.6))
    late = run.time > 0.14
    np.testing.assert_allclose(np.diff(run["u"][late, 0]) / 0.05, slides, rtol=1e-10)
    assert run.audit().worst < 1e-8


def can(tilt, lies=False):
    """A cylinder on a plane; gravity is tilted instead."""
    b = sd.Builder("can")
    b.base("can", shapes=[sd.shapes.cylinder(1.0, 0.1, 0.2)])
    model, points = b.build(), 2 if lies else 4
    material = sd.ContactMaterial(1e5, 1.0, damping=300.0, friction=0.5)
    turn = sd.Rotation.from_euler("y", 0.5 * np.pi if lies else 0.0)
    start = model.state(base_position=[0, 0, 0.1 - G * np.cos(tilt) / (points * 1e5)], base_attitude=turn)
    contact = sd.ShapeContact(material, surfaces=sd.Plane(), rounding=1e-3)
    return model, start, {"elements": [contact], "gravity": (G * np.sin(tilt), 0, -G * np.cos(tilt))}


def test_a_cylinder_stands_on_four_points_of_its_rim_and_lies_on_two():
    """At rest to 1e-12 m/s on a slope and level; the centre of pressure is below that of mass; it slides as it should.

    A body that stands on one point would fall, and one that lies on one would turn.
    """
    for tilt, lies in ((0.2, False), (0.0, True)):
        model, start, settings = can(tilt, lies)
        run = sd.simulate(model, start, 20.0, record=1.0, method=STIFF, **settings)
        assert np.abs(run["u"][1:]).max() < 1e-12 and run.audit().worst < 1e-9
        assert abs(seen(run, "normal_force")[-1, 0] - G * np.cos(tilt)) < 1e-9
        place = seen(run, "contact_point")[-1, :2] - run["x"][-1, :2]
        np.testing.assert_allclose(place, [0.1 * np.tan(tilt), 0.0], atol=1e-4)  # the rim gives way, and leans

    model, start, settings = can(0.6)
    run = sd.simulate(model, start, 0.4, record=0.1, **settings)
    slides = G * (np.sin(0.6) - 0.5 * np.cos(0.6))
    np.testing.assert_allclose(np.diff(run["u"][2:, 0]) / 0.1, slides, rtol=1e-8)
    assert run.audit().worst < 1e-8


def test_a_crate_that_falls_flat_starves_no_steps():
    """Its face is parallel to the table's but for rounding: points that jump by it would make steps of 1e-9 s."""
    b = sd.Builder("stack", base="fixed")
    b.base("table", shapes=[sd.shapes.box(20.0, (1.0, 1.0, 0.1))])
    b.link("crate", "free", parent="table", shapes=[sd.shapes.box(2.0, (0.3, 0.2, 0.2))])
    b.link("ball", "free", parent="table", shapes=[sd.shapes.sphere(0.5, 0.05)])
    stack = b.build()
    wood = sd.ContactMaterial(2e5, exponent=1.0, damping=200.0, friction=0.4)
    start = stack.state(q={"crate": [0, 0, 0.15, 0, 0, 0, 1], "ball": [0.02, 0, 0.32, 0, 0, 0, 1]})
    touch = sd.ShapeContact(wood, rounding=2e-3)
    run = sd.simulate(stack, start, 0.3, elements=[touch], gravity=(0, 0, -9.81), record="steps")
    assert len(run.time) < 3000 and run.audit().within_budget


@sd.law
def squeeze(t, s, p, out):
    """Both fingers press."""
    out.tau[0] = p.force
    out.tau[1] = p.force


def gripped():
    """A box of 1 kg between two fingers that slide towards each other; both are squeezed by 8 N, 9.81 N would hold."""
    b = sd.Builder("grip", base="fixed")
    b.base("palm")
    for name, side in (("left", 1.0), ("right", -1.0)):
        shapes = [sd.shapes.box(0.2, (0.02, 0.05, 0.05))]
        b.link(name, "prismatic", parent="palm", axis=(side, 0, 0), position=(-0.1 * side, 0, 0), shapes=shapes)
    b.link("box", "free", parent="palm", shapes=[sd.shapes.box(1.0, (0.1, 0.04, 0.04))])
    contact = sd.ShapeContact(sd.ContactMaterial(1e5, 1.0, damping=50.0, friction=0.5), rounding=2e-3)
    return b.build(), {"laws": [squeeze(force=8.0)], "elements": [contact], "gravity": (0, 0, -G)}


def held(model, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0), fall=0.0):
    """Fingers just touch the box, which is so far off, turned, and falls."""
    place = [0.0, y, z, *sd.Rotation.from_euler("xyz", turn).as_quat()]
    q = {"left": 0.04002, "right": 0.04002, "box": place}
    return model.state(q=q, qd={"box": [0, 0, -fall, 0, 0, 0]})


def test_a_box_slides_out_of_a_gripper_to_the_end_and_falls():
    """It slides with g - 2 mu F / m to 1e-9 as long as its face is on theirs, and falls with g when it has left.

    Faces of 4 points become edges of 2, whose normal turns: forces that jump there, or points that rounding chooses,
    starve steps. The ledger is right to 1e-11. Radau's method comes to the same place, to 1e-7. Off centre and skew
    it tips about its corners, and falls as well.
    """
    model, settings = gripped()
    run = sd.simulate(model, held(model), 0.4, record="steps", **settings)
    falls, height = run["udot"][:, 4], run["q"][:, 4]
    slides = (run.time > 0.06) & (height > -0.040)
    assert slides.sum() > 20 and np.abs(falls[slides] + G - 2 * 0.5 * 8.0).max() < 1e-9
    assert (falls[height < -0.05] == -G).all() and height[-1] < -0.25
    assert len(run.time) < 2000 and run.audit().worst < 1e-11
    stiff = sd.simulate(model, held(model), 0.22, record=0.11, method=STIFF, **settings)
    run = sd.simulate(model, held(model), 0.22, record=0.11, **settings)
    assert abs(stiff.final.q[4] - run.final.q[4]) < 1e-7 and stiff.audit().within_budget
    for start in (held(model, y=0.03), held(model, y=0.003, turn=(0.01, 0.002, -0.003))):
        run = sd.simulate(model, start, 0.4, record="steps", **settings)
        assert len(run.time) < 4000 and run["q"][-1, 4] < -0.25 and run.audit().worst < 1e-10


@pytest.mark.packs
def test_boxes_that_slide_out_of_grippers_in_a_pack_move_as_alone():
    """Where faces become edges and let go, to rounding."""
    model, settings = gripped()
    starts = [
        held(model, y, z, (turn, 0, 0), 0.38) for y, z, turn in ((0, -0.038, 0), (0.02, -0.036, 0.1), (0, 0, 0.3))
    ]
    settings |= {"method": sd.RungeKutta4(step=1e-4), "record": 0.01, "budget": 1.0}
    run = sd.simulate(model, model.state(q=[s.q for s in starts], qd=[s.qd for s in starts]), 0.04, **settings)
    assert run["udot"][-1, 0, 4] == -G and run["udot"][-1, 2, 4] > -G + 1.0
    for i, start in enumerate(starts):
        alone = sd.simulate(model, start, 0.04, **settings)
        np.testing.assert_allclose(run["u"][:, i], alone["u"], rtol=1e-11, atol=1e-11)


def test_faces_that_have_many_corners_in_common_starve_no_steps():
    """A square on a square, turned by 45 degrees: eight corners, which carry it as four would but for its tilt."""
    b = sd.Builder("stack", base="fixed")
    b.base("table", shapes=[sd.shapes.box(5.0, (0.2, 0.2, 0.1))])
    b.link("box", "free", parent="table", shapes=[sd.shapes.box(2.0, (0.2, 0.2, 0.2))])
    model, angle = b.build(), 0.125 * np.pi
    start = model.state(
        q={"box": [0.01, 0, 0.1499, 0, 0, np.sin(angle), np.cos(angle)]}, qd={"box": [0.1, 0, 0, 0, 0, 1]}
    )
    contact = sd.ShapeContact(sd.ContactMaterial(1e5, 1.0, damping=300.0, friction=0.5), rounding=2e-3)
    run = sd.simulate(model, start, 1.0, elements=[contact], gravity=(0, 0, -G), record="steps")
    assert len(run.time) < 2000 and np.abs(run["u"][-1]).max() < 1e-9 and run.audit().worst < 1e-10
    assert abs(run["q"][-1, 2] - 0.15 + 2.0 * G / 4e5) < 1e-6


def test_a_box_on_a_box_does_not_turn_about_its_normal():
    """Bristles of the pair resist: it comes to rest, and stays."""
    model, start, contact, gravity = box_on_box()
    spun = start.model.state(q={"box": start.q}, qd={"box": [0, 0, 0, 0, 0, 2.0]})
    run = sd.simulate(model, spun, 5.0, elements=[contact], gravity=gravity, record=0.5, method=STIFF)
    assert np.abs(run["u"][-1]).max() < 1e-8
    lost = 0.5 * 2.0 * 0.2**2 / 6.0 * 2.0**2
    assert abs(run["element_dissipated"][-1, 0] / lost - 1.0) < 0.02 and run.audit().worst < 1e-6


def test_a_capsule_lies_on_another_one():
    """Two points where they are parallel, one where they cross; normal forces carry the weight."""
    b = sd.Builder("logs", base="fixed")
    b.base("low", collisions=[sd.Visual("log", sd.shapes.capsule(0.0, 0.05, 0.4))], mass=1.0, inertia=(1.0, 1.1, 1.2))
    b.link("high", "free", parent="low", shapes=[sd.shapes.capsule(1.0, 0.05, 0.4)])
    model, material = b.build(), sd.ContactMaterial(1e5, 1.0, dissipation=1.0)
    contact = sd.ShapeContact(material)
    for turn, share in ((0.0, 2), (0.5 * np.pi, 1)):
        depth = G / 1e5 / share
        start = model.state(q={"high": [0.1 - depth, 0, 0, np.sin(turn / 2), 0, 0, np.cos(turn / 2)]})
        run = sd.simulate(model, start, 0.01, elements=[contact], gravity=(-G, 0, 0), record=0.005)
        assert np.abs(run["u"]).max() < 1e-10 and abs(seen(run, "normal_force")[-1, 0] - G) < 1e-9


def pile(count=12, seed=3):
    """Balls that fall on each other and on a floor."""
    b, rng, q = sd.Builder("pile", base="fixed"), np.random.default_rng(seed), {}
    b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
    for i in range(count):
        b.link(f"ball{i}", "free", parent="ground", shapes=[sd.shapes.sphere(1.0, 0.05)])
        place = [0.11 * (i % 3), 0.11 * (i // 3 % 2), 0.05 + 0.1 * (i // 6)] + 0.002 * rng.normal(size=3)
        q[f"ball{i}"] = [*place, 0, 0, 0, 1]
    return b.build(), q


def test_pairs_found_by_cells_are_those_of_a_list():
    """Forty balls by cells, and all their pairs by name: the same motion to the bit but for sums' order, 1e-12."""
    model, q = pile(28)
    material = sd.ContactMaterial(1e5, dissipation=0.5, friction=0.4, sticks=False, slip_speed=0.05)
    names = [f"ball{i}" for i in range(28)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]] + [(a, "plane") for a in names]
    settings = {"method": sd.RungeKutta4(step=5e-4), "gravity": (0, 0, -G), "record": 0.05, "budget": 1.0}
    cells = sd.ShapeContact(material, surfaces=sd.Plane())
    listed = sd.ShapeContact(material, surfaces=sd.Plane(), pairs=pairs, guarded=False)
    one, other = (sd.simulate(model, model.state(q=q), 0.15, elements=[e], **settings) for e in (cells, listed))
    assert cells.for_model(model).here.pairs is None and seen(one, "touching").max() > 20
    np.testing.assert_allclose(one["x"], other["x"], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        seen(one, "normal_force")[:, 0], seen(other, "normal_force").sum(axis=1), rtol=1e-9, atol=1e-9
    )
    assert np.abs(one["element_dissipated"]).max() > 0.01


@pytest.mark.packs
@pytest.mark.parametrize("count", [5, 28])
def test_robots_of_a_pack_move_as_alone(count):
    """By a list of pairs and by cells, though their balls touch at other times: to rounding."""
    model, q = pile(count)
    rng = np.random.default_rng(8)
    start = model.state(q=q)
    x = np.repeat(start.q[None], 5, axis=0) + 0.004 * rng.normal(size=(5, 1)) * np.tile([1, 1, 1, 0, 0, 0, 0], count)
    starts = model.state(q=x)
    material = sd.ContactMaterial(1e5, dissipation=0.5, friction=0.4, sticks=count < 10, slip_speed=0.05)
    contact = sd.ShapeContact(material, surfaces=sd.Plane())
    settings = {"method": sd.RungeKutta4(step=5e-4), "gravity": (0, 0, -G), "record": 0.01, "budget": 1.0}
    run = sd.simulate(model, starts, 0.03, elements=[contact], **settings)
    for i in range(5):
        alone = sd.simulate(model, starts[i], 0.03, elements=[contact], **settings)
        for name in ("x", "u", "element_energy"):
            np.testing.assert_allclose(run[name][:, i], alone[name], rtol=1e-13, atol=1e-13, err_msg=name)


@pytest.mark.packs
def test_boxes_of_other_masses_move_as_alone():
    """Bristles take their damping from the lighter body."""
    model, start, contact, gravity = box_on_box(tilt=0.4)
    fleet = model.vary(mass={"box": [0.5, 2.0, 8.0]})
    settings = {"elements": [contact], "gravity": gravity, "record": 0.02}
    run = sd.simulate(fleet, fleet.state(q=start.q), 0.1, **settings)
    for i in range(3):
        alone = sd.simulate(fleet[i], fleet[i].state(q=start.q), 0.1, **settings)
        np.testing.assert_allclose(run["u"][:, i], alone["u"], atol=1e-9)


@pytest.mark.packs
def test_boxes_of_a_pack_move_as_alone():
    """Faces, edges and corners in different robots: to rounding, since one function searches for all of them."""
    model, _, contact, gravity = box_on_box(tilt=0.2)
    rng, states = np.random.default_rng(2), []
    for _ in range(6):
        turn = sd.Rotation.from_euler("xyz", [*(0.1 * rng.normal(size=2)), rng.normal()])
        states.append([*(0.05 * rng.normal(size=2)), 0.175, *turn.as_quat()])
    starts = model.state(q=np.array(states))
    settings = {"method": sd.RungeKutta4(step=2e-4), "gravity": gravity, "record": 0.05, "budget": 1.0}
    run = sd.simulate(model, starts, 0.2, elements=[contact], **settings)
    assert (seen(run, "normal_force").max(axis=0) > 0.0).all()
    for i in range(6):
        alone = sd.simulate(model, starts[i], 0.2, elements=[contact], **settings)
        for name in ("x", "u", "element_states", "element_work"):
            np.testing.assert_allclose(run[name][:, i], alone[name], rtol=1e-12, atol=1e-12, err_msg=name)


CUBE = trimesh.creation.box((4, 4, 2))
SURFACES = {
    "plane": sd.Plane((0.1, -0.2, 1.0)),
    "sphere": sd.SphereSurface(2.0, position=(0, 0, -2.0)),
    "ellipsoid": sd.EllipsoidSurface((3.0, 2.5, 2.0), position=(0, 0, -2.0)),
    "bowl": sd.SphereSurface(3.0, hollow=True, position=(0, 0, 3.0)),
    "ground": sd.HeightField.of(lambda x, y: 0.05 * np.sin(x) + 0.03 * np.cos(2 * y), (4.0, 4.0), 0.1),
    "mesh": sd.TriangleMesh(CUBE.vertices, CUBE.faces, position=(0, 0, -1)),
}


ON_SURFACES = [(surface, shape) for surface in SURFACES for shape in ("sphere", "capsule", "box", "egg", "cylinder")]
for left_out in (("bowl", "egg"), ("bowl", "cylinder"), ("mesh", "egg")):  # which have no distance there
    ON_SURFACES.remove(left_out)


@pytest.mark.parametrize(("surface", "shape"), ON_SURFACES)
def test_shapes_touch_surfaces_as_public_functions_say(surface, shape):
    """Gaps are those of `sd.distance` to 1e-9; a force pushes along the normal there if one point touches."""
    b = sd.Builder("one")
    one = SHAPES[shape]
    settings = (
        {"collisions": [one], "mass": 1.0, "inertia": (6e-3, 5e-3, 4e-3)} if shape == "egg" else {"shapes": [one]}
    )
    b.base("a", **settings)
    model, ground = b.build(), SURFACES[surface]
    turn = sd.Rotation.from_euler("xyz", [0.5, 0.7, 0.2])

    def gap(height, rounding=2e-3):
        state = model.state(base_position=[0.1, 0.2, height], base_attitude=turn)
        return state, sd.distance(model, state, "a", ground, rounding=rounding, deep="-inf")

    low, high = -0.2, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle)[1].gap < -5e-4 else (low, middle)
    state, near = gap(high)
    contact = sd.ShapeContact(SOFT, surfaces={"s": ground}, rounding=2e-3)
    run = sd.simulate(model, state, 1e-9, elements=[contact], record=[0.0], method=sd.RungeKutta4(step=1e-9))
    assert abs(seen(run, "gap").min() - near.gap) < 1e-9
    f = run["element_wrenches"][0].reshape(6)[:3]
    N = SOFT.stiffness * max(-near.gap, 0.0) ** SOFT.exponent
    np.testing.assert_allclose(f, -N * near.normal, atol=1e-5 * N)


@pytest.mark.parametrize("names", ["sphere box", "capsule capsule", "box box", "egg egg"])
def test_tangents_are_those_of_differences(names):
    """Accelerations of the second body by its place, over dual numbers, to 1e-5 of differences."""
    first, second = names.split()
    model, state = together(SHAPES[first], SHAPES[second], seed=4)
    contact = sd.ShapeContact(SOFT, rounding=2e-3)
    found = sd.linearize(model, state, elements=[contact])
    exact = np.asarray(found.A)
    assert np.isfinite(exact).all() and np.abs(exact).max() > 10.0
    nv = model.nv

    def acceleration(start):
        run = sd.simulate(model, start, 1e-9, elements=[contact], record=[0.0], method=sd.RungeKutta4(step=1e-9))
        return run["udot"][0]

    for j in (6, 8):  # places of b
        step = np.zeros(model.nq)
        step[j - 6] = 1e-7
        ahead, back = (
            model.state(
                base_quaternion_xyzw=state.base_quaternion_xyzw, q=state.q + sign * step, qd=state.qd,
                base_velocity=state.base_velocity, base_rate=state.base_rate,
            )
            for sign in (1.0, -1.0)
        )  # fmt: skip
        slope = (acceleration(ahead) - acceleration(back)) / 2e-7
        np.testing.assert_allclose(exact[nv + 6 :, j], slope[6:], atol=1e-5 * np.abs(exact).max())
