"""What robots look like, and films of runs: everything is drawn, closed, in its place, and fits into one small file."""

import base64
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import everything
from random_trees import random_model, random_state_parts
from spacedyn.model.shapes import box, cone, cylinder, point, rod, sphere, tube
from spacedyn.show.viewer import meshes as m
from spacedyn.show.viewer.actors import actor_meshes, actors_of, bounds, lowest, record_indices
from spacedyn.show.viewer.geometry import robot_meshes
from spacedyn.show.viewer.ground import ground_meshes
from spacedyn.show.viewer.guessed_shapes import edges
from spacedyn.show.viewer.loads import loads_of, reactions_of
from spacedyn.show.viewer.solids import solid

KINDS = {"f8": "<f8", "f4": "<f4", "i2": "<i2", "i1": "i1", "u1": "u1", "u2": "<u2", "u4": "<u4"}


def volume(mesh):
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def is_closed(mesh):
    """Every edge belongs to one triangle in each direction."""
    size = np.ptp(mesh.vertices, axis=0).max()
    _, place = np.unique(np.round(mesh.vertices / (1e-9 * size)), axis=0, return_inverse=True)
    corners = place.reshape(-1)[mesh.faces]
    corners = corners[
        (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    ]
    forth = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return sorted(map(tuple, forth)) == sorted(map(tuple, forth[:, ::-1]))


def models():
    rng = np.random.default_rng(3)
    trees = [random_model(rng, 12, base_kind=base) for base in ("free", "fixed", "planar", "attitude")]
    return [*(sd.load(name) for name in sd.available()), *trees]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_every_body_is_drawn_by_closed_solids(model):
    drawn = robot_meshes(model)
    assert len(drawn) == len(model.bodies)
    for body, parts in zip(model.bodies, drawn, strict=True):
        assert parts or body.mass == 0.0, body.name
        for part in parts:
            assert np.isfinite(part.vertices).all() and volume(part) > 0.0 and is_closed(part)


@pytest.mark.parametrize("name", ["ets7", "tian_wu", "umetani_yoshida", "ssrms", "two_arm_sample"])
def test_links_reach_from_joint_to_joint(name):
    model = sd.load(name)
    drawn = robot_meshes(model)
    for i, (body, parts) in enumerate(zip(model.bodies, drawn, strict=True)):
        points = np.concatenate([part.vertices for part in parts])
        size = np.ptp(points, axis=0).max()
        ends = [joint.position for joint in model.joints if joint.parent == body.name]
        for end in [*ends, *([np.zeros(3)] if i else [])]:
            assert (points.min(axis=0) - 0.02 * size <= end).all() and (end <= points.max(axis=0) + 0.02 * size).all()


@pytest.mark.parametrize(
    ("shape", "exact"),
    [
        (box(1.0, (1, 2, 3)), 6.0),
        (cylinder(1.0, 0.5, 2.0), np.pi * 0.25 * 2.0),
        (tube(1.0, 0.5, 0.4, 2.0), np.pi * (0.25 - 0.16) * 2.0),
        (sphere(1.0, 0.7), 4 / 3 * np.pi * 0.343),
        (cone(1.0, 0.5, 1.5), np.pi * 0.25 * 1.5 / 3),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_shapes_have_their_size_and_place(shape, exact):
    (mesh,) = solid(shape.kind, shape.size, 1.0, (1, 1, 1))
    assert volume(mesh) == pytest.approx(exact, rel=0.03)
    turned = shape.at((1, 2, 3), sd.Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix())
    builder = sd.Builder("one")
    builder.base("body", shapes=[turned])
    parts = robot_meshes(builder.build())[0]
    whole = parts[0]
    a, b, c = whole.vertices[whole.faces].transpose(1, 0, 2)
    each = np.sum(a * np.cross(b, c), axis=-1)
    np.testing.assert_allclose(each @ (a + b + c) / 4 / each.sum(), turned.com, atol=0.01)


def test_slender_and_tiny_shapes_are_seen():
    for shape in (rod(1.0, 2.0), point(1.0)):
        (mesh,) = solid(shape.kind, shape.size, 2.0, (1, 1, 1))
        assert np.ptp(mesh.vertices, axis=0).min() > 0.01


def test_thin_plates_are_panels_and_need_not_be_in_view():
    builder = sd.Builder("bird")
    builder.base("bus", shapes=[box(10.0, (1, 1, 1)), box(1.0, (8.0, 1.0, 0.02), position=(5, 0, 0))])
    run = sd.simulate(builder.build(), builder.build().state(base_rate=(0, 0, 0.1)), 1.0, record=0.1)
    (actor,) = actors_of("", run, None, 100)
    (parts,) = actor_meshes([actor])
    assert sum(part.outlying for part in parts[0]) == 2
    assert bounds(actor, [parts[0]])[1] < 1.0
    assert lowest(actor, [parts[0]], np.array([0.0, 0, 1])) == pytest.approx(-0.5, abs=0.01)


def test_a_box_of_the_same_inertia():
    rng = np.random.default_rng(2)
    for size in rng.uniform(0.5, 2.0, (5, 3)):
        shape = box(30.0, size)
        np.testing.assert_allclose(edges(30.0, shape.inertia), size)
    assert np.isfinite(edges(1.0, np.diag([1.0, 1.0, 5.0]))).all()  # of no body


def test_normals_are_smooth_on_what_is_round_and_sharp_at_edges():
    vertices, normals, faces = m.with_normals(m.sphere(2.0))
    np.testing.assert_allclose(normals, vertices / 2.0, atol=0.1)
    vertices, normals, faces = m.with_normals(m.box((1, 2, 3)))
    assert len(vertices) == 24 and len(faces) == 12
    assert set(np.abs(normals).max(axis=1).tolist()) == {1.0}


def test_visuals_come_before_shapes(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    from spacedyn.model.parts import Visual

    path = tmp_path / "part.stl"
    trimesh.creation.box((2.0, 4.0, 6.0)).export(path)
    turn = sd.Rotation.from_rotvec([0, 0, np.pi / 2]).as_matrix()
    mirrored = Visual(
        "mesh", mesh=str(path), scale=(-0.5, 0.5, 0.5), position=(1, 0, 0), rotation=turn, color=(1, 0, 0, 0.5)
    )
    plain = Visual("shape", shape=box(0.0, (1, 1, 1)), position=(0, 0, 5))
    builder = sd.Builder("looks")
    builder.base("bus", shapes=[box(10.0, (9, 9, 9))], visuals=[mirrored, plain])
    first, second = robot_meshes(builder.build())[0]
    assert volume(first) == pytest.approx(6.0)  # outside out, though mirrored
    np.testing.assert_allclose(np.ptp(first.vertices, axis=0), [2, 1, 3], atol=1e-6)
    np.testing.assert_allclose(first.vertices.mean(axis=0), [1, 0, 0], atol=1e-6)
    assert first.color == (1, 0, 0) and first.opacity == 0.5
    np.testing.assert_allclose(second.vertices.mean(axis=0), [0, 0, 5], atol=1e-6)
    path.write_bytes(b"solid nothing")
    with pytest.warns(sd.ModelWarning, match=r"body 'bus' is drawn without 'mesh': the mesh .*part.stl"):
        (rest,) = robot_meshes(builder.build())[0]
    np.testing.assert_array_equal(rest.vertices, second.vertices)


# --- films -----------------------------------------------------------------------------------------------------------


def reach(duration=60.0, record=None):
    robot = sd.load("ets7")
    there = sd.waypoints([0, duration / 2, duration], [0, 0.8, 0])
    moves = {f"joint{i}": there for i in (1, 2, 4)} | {"joint3": sd.waypoints([0, duration], [-0.5, -1.2])}
    start = robot.state(q=[0, 0, -0.5, 0, 0.3, 0])
    return sd.simulate(robot, start, duration, prescribed=moves, adjust=True, record=record)


@pytest.fixture(scope="module")
def run():
    return reach()


def read(film):
    """Header and arrays of a film, as its page reads them."""
    header = json.loads(re.search(r'id="film-header">(.*?)</script>', film.html, re.DOTALL)[1])
    block = base64.b64decode(re.search(r'id="film-numbers">(.*?)</script>', film.html, re.DOTALL)[1])
    return header, lambda ref: np.frombuffer(block, KINDS[ref[0]], ref[2], ref[1])


def test_a_film_of_a_minute_is_small_and_needs_no_network(run, tmp_path):
    path = run.to_html(tmp_path / "film.html")
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size < 2_000_000
    assert not re.search(r"https?://|//cdn|@import|src=", text)
    assert "{{" not in text.split("film-header")[0]


def test_a_film_has_the_poses_of_the_run(run):
    header, get = read(run.film(frames=500))
    (actor,) = header["actors"]
    time = get(actor["time"])
    at = np.searchsorted(run.time, time)
    assert 400 <= len(time) <= 500 and (time[0], time[-1]) == (0.0, 60.0)
    place = get(actor["position"]).reshape(len(time), -1, 3) + get(actor["base"]).reshape(-1, 1, 3)
    turn = get(actor["quaternion"]).reshape(len(time), -1, 4) / 32767
    for i, name in enumerate(run.model.body_names):
        motion = run.body(name)
        np.testing.assert_allclose(place[:, i], motion.position[at], atol=1e-6)
        off = sd.Rotation.from_quat(turn[:, i]) * sd.Rotation.from_matrix(motion.rotation[at]).inv()
        assert off.magnitude().max() < 1e-4
    trail = get(actor["trails"][0]["path"]).reshape(-1, 3) + get(actor["base"])[:3]
    np.testing.assert_allclose(trail, run.endpoint("hand").position[at], atol=1e-6)
    panel = next(p for p in header["panels"] if p["title"] == "joint coordinates")
    np.testing.assert_allclose(get(panel["curves"][0]).reshape(-1, 6), run.states.q[at], atol=1e-6)


def test_far_from_the_origin_nothing_is_lost():
    robot = sd.load("ets7")
    far = np.array([7.0e6, 1.0e6, -3.0e6])
    orbit = {"base_velocity": (0, 7500.0, 0), "qd": [0.1, 0, 0.2, 0, 0, 0]}
    near = sd.simulate(robot, robot.state(**orbit), 1.0, record=0.1)
    away = sd.simulate(robot, robot.state(base_position=far, **orbit), 1.0, record=0.1)
    places = []
    for one in (near, away):
        header, get = read(one.film())
        places.append(get(header["actors"][0]["position"]))
        assert header["choice"]["follow"] == "base"
    np.testing.assert_allclose(*places, atol=1e-5)


def test_meshes_in_a_film_are_those_of_the_robot(run):
    header, get = read(run.film())
    for body, parts in zip(header["models"][0], robot_meshes(run.model), strict=True):
        points = np.array(body["center"]) + np.array(body["extent"]) * get(body["position"]).reshape(-1, 3) / 32767
        low = np.min([part.vertices.min(axis=0) for part in parts], axis=0)
        np.testing.assert_allclose(points.min(axis=0), low, atol=2e-4 * max(body["extent"]))
        assert get(body["index"]).max() == len(points) - 1
        assert body["opaque"] == body["index"][2]


def test_the_reaction_on_a_floating_base_is_what_moves_it(run):
    (actor,) = actors_of("", run, None, 10_000)
    force, moment = actor.arrows
    assert [(arrow.kind, arrow.unit) for arrow in actor.arrows] == [("reaction", "N"), ("reaction", "N m")]
    base = run.model.bodies[0]
    np.testing.assert_allclose(force.vector, base.mass * run["udot"][:, :3], atol=1e-9 * force.most)
    assert moment.color != force.color


@pytest.mark.parametrize("seed", [2, 5])
def test_reactions_and_all_other_forces_together_move_the_base(seed):
    """Newton and Euler for the base alone, whatever acts on it and on the bodies behind its joints."""
    rng = np.random.default_rng(seed)
    robot = random_model(rng, 7, base_kind="free", kinds=("revolute", "prismatic", "spherical", "free"))
    gravity = np.array([0.1, -0.3, -1.6])
    run = sd.simulate(
        robot, robot.state(**random_state_parts(rng, robot)), 0.5, forces=everything(robot), gravity=gravity, record=0.1
    )
    check_base_moves_by_what_is_drawn(run, gravity)


@pytest.mark.parametrize("other", ["satellite", "right"])
def test_reactions_know_what_is_touched(other):
    """A finger that presses on another, or on the base, pushes back through that one's joint, or at once."""
    b = sd.Builder("two fingers")
    b.base("satellite", mass=5.0, inertia=(0.4, 0.5, 0.6), com=(0.1, 0, 0.05))
    for name, y in (("left", 0.5), ("right", -0.5)):
        b.link(
            name, "revolute", parent="satellite", position=(0, y, 0), axis=(1, 0, 0),
            mass=1.0, com=(0, 0, 0.3), inertia=(0.03, 0.03, 0.01), stiffness=2.0,
        )  # fmt: skip
    b.link(
        "tip", "revolute", parent="left", position=(0, 0, 0.5), axis=(0, 1, 0), mass=0.3, inertia=(0.01, 0.011, 0.012)
    )
    soft = sd.ContactMaterial(1e3, dissipation=0.5, friction=0.4)
    side = {"position": (0, 0.2, 0), "normal": (0, 1, 0)} if other == "right" else {"position": (0, 0, 0.3)}
    touch = sd.Contact("tip", (0, 0, 0.1), surface=sd.Plane(**side), other=other, material=soft)
    bend = {"left": 0.67, "right": -0.67} if other == "right" else {"left": 1.2}
    robot = b.build()
    start = robot.state(q=bend, qd={"left": 0.5, "right": -0.7, "tip": 0.3}, base_rate=(0.1, 0.2, -0.1))
    run = sd.simulate(robot, start, 0.2, elements=[touch], record=0.01)
    assert run["normal_force"].max() > 1.0
    check_base_moves_by_what_is_drawn(run, np.zeros(3))


def check_base_moves_by_what_is_drawn(run, gravity):
    robot = run.model
    (actor,) = actors_of("", run, None, 100)
    where = sd.forward_kinematics(robot, run.states)
    base, udot, states = robot.bodies[0], run["udot"], run.states
    total = np.zeros((len(run.time), 6))
    total[:, :3] += base.mass * gravity
    reactions = [arrow for arrow in actor.arrows if arrow.kind == "reaction"]
    assert reactions
    for arrow in reactions:  # they begin at their joints, relative to the base's centre of mass
        if arrow.unit == "N":
            total += np.hstack([arrow.vector, np.cross(arrow.start, arrow.vector)])
        else:
            total[:, 3:] += arrow.vector
    first = 0
    for force in run.elements:
        last = first + 6 * len(force.wrenches(robot))
        loads, first = loads_of(force, robot, where, run["element_wrenches"][:, first:last]), last
        for load in [*loads, *reactions_of(force, robot, loads)]:
            if load.body == 0:
                arm = load.point - states.base_position
                total += np.hstack([load.force, load.moment + np.cross(arm, load.force)])
    turn = states.base_attitude.as_matrix()
    inertia = turn @ base.inertia @ turn.transpose(0, 2, 1)
    rate = states.base_rate
    spin = np.einsum("tij,tj->ti", inertia, udot[:, 3:6]) + np.cross(rate, np.einsum("tij,tj->ti", inertia, rate))
    np.testing.assert_allclose(total[:, :3], base.mass * udot[:, :3], atol=1e-9 * np.abs(total[:, :3]).max())
    np.testing.assert_allclose(total[:, 3:], spin, atol=1e-9 * np.abs(total[:, 3:]).max())


def test_a_joint_that_is_free_does_nothing_to_the_base():
    """Not even round-off, drawn as an arrow of full length."""
    run = sd.Scenario.from_toml("tether", change={"duration": 10.0}).run()
    (actor,) = actors_of("", run, None, 100)
    assert not [arrow for arrow in actor.arrows if arrow.kind == "reaction"]


def test_forces_are_where_they_act():
    robot = sd.load("umetani_yoshida")
    push = sd.Wrench("satellite", force=(0, 0, 20.0), point=(1, 0, 0), frame="body", start=1.0, stop=2.0)
    line = sd.Tether("link3", "inertial", point=(2.5, 0, 0), other_point=(8, 0, 2), stiffness=30.0, rest_length=2.0)
    slow = sd.Drag("satellite", linear=(1.0, 2.0, 3.0))
    run = sd.simulate(
        robot, robot.state(qd=[0.1, 0.2, -0.3], base_rate=(0.1, 0, 0.2)), 3.0, forces=[push, line, slow], record=0.25
    )
    (actor,) = actors_of("", run, None, 100)
    wrench, tether, drag, *reaction = actor.arrows
    assert [arrow.kind for arrow in reaction] == 2 * ["reaction"]
    acts = (run.time >= 1.0) & (run.time < 2.0)
    turn = run.body("satellite").rotation
    np.testing.assert_allclose(wrench.vector, (turn @ [0, 0, 20.0]) * acts[:, None], atol=1e-12)
    np.testing.assert_allclose(
        tether.start + tether.vector + actor.base, np.tile([8.0, 0, 2], (len(run.time), 1)), atol=1e-12
    )
    np.testing.assert_allclose(tether.start + actor.base, run.endpoint("hand").position, atol=1e-12)
    pull = [-R @ np.diag([1.0, 2, 3]) @ R.T @ v for R, v in zip(turn, run.states.base_velocity, strict=True)]
    np.testing.assert_allclose(drag.vector, pull, atol=1e-12)


def test_arrows_of_contact_are_numbered_as_their_points():
    """Points of one body by their number, from 0; no moments of round-off."""
    b = sd.Builder("two balls", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    for name in ("low", "high"):
        b.link(name, "free", parent="ground", shapes=[sd.shapes.sphere(1.0, 0.1)])
    robot, soft = b.build(), sd.ContactMaterial(1e4, dissipation=0.5)
    plate = sd.Contact("low", [(-0.1, -0.05, 0), (0.1, -0.05, 0), (0, 0.1, 0)], material=soft, name="plate")
    between = sd.Contact(
        "high", (0, 0, 0), surface=sd.SphereSurface(0.1), other="low", radius=0.1, material=soft, name="between"
    )
    start = robot.state(q={"low": [0, 0, 0, 0, 0, 0, 1], "high": [0, 0, 0.2, 0, 0, 0, 1]})
    run = sd.simulate(robot, start, 0.05, elements=[plate, between], gravity=(0, 0, -9.81), record=0.01)
    (actor,) = actors_of("", run, None, 100)
    named = [arrow.label for arrow in actor.arrows if arrow.kind == "forces"]
    assert named == ["plate 0", "plate 1", "plate 2", "between"]


@pytest.mark.parametrize("rigid", [False, True])
def test_ground_that_is_touched_is_drawn(rigid):
    """Under a hard contact as under a soft one; triangles as they are."""
    corners = np.array([[0.0, 0, 0], [2, 0, 0], [0, 2, 0.5], [0, 0, -1]])
    tent = sd.TriangleMesh(corners, [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], position=(0, 0, 3.0))
    how = {"surface": tent, "name": "foot"}
    soft = {"material": sd.ContactMaterial(1e4)}
    foot = sd.RigidContact("ball", (0, 0, 0), **how) if rigid else sd.Contact("ball", (0, 0, 0), **how, **soft)
    meshes = ground_meshes(SimpleNamespace(elements=[foot]), np.zeros((1, 3)), 1.0)
    assert len(meshes) == 1 and len(meshes[0].faces) == 4
    np.testing.assert_array_equal(meshes[0].vertices, corners + np.array([0, 0, 3.0]))


def test_the_grid_does_not_cut_through_ground_that_is_drawn():
    b = sd.Builder("ball")
    b.base("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), shapes=[sd.shapes.sphere(1.0, 0.1)])
    slope = sd.Plane((1.0, 0, 1.0))
    foot = sd.Contact("ball", (0, 0, 0), surface=slope, radius=0.1, material=sd.ContactMaterial(1e4), name="foot")
    start = b.build().state(base_position=(0, 0, 0.3))
    run = sd.simulate(start.model, start, 0.01, elements=[foot], gravity=(0, 0, -9.81), record=0.01)
    header, _ = read(run.film())
    (mesh,) = ground_meshes(run, run.states.base_position, header["actors"][0]["size"])
    assert header["floor"] < mesh.vertices[:, 2].min() < 0.0


def test_several_runs_and_batches(run):
    other = reach(30.0, record=0.5)
    header, get = read(run.film(against={"faster": other}, side_by_side=True, degrees=True, title="<b>two</b>"))
    assert [actor["name"] for actor in header["actors"]] == ["this run", "faster"]
    assert header["choice"]["apart"] and len(header["models"]) == 1
    assert all(len(panel["curves"]) == 2 for panel in header["panels"])
    assert "<title>&lt;b&gt;two" in run.film(title="<b>two</b>").html
    robot = sd.load("tian_wu")
    many = sd.simulate(robot, robot.random_state(np.random.default_rng(0), 20), 1.0, record=0.1)
    header, get = read(many.film())
    assert len(header["actors"]) == 12 and header["subtitle"].endswith("20 robots, plots of robot 0")
    header, get = read(many.film(robots=[4], plots=["qd"]))
    assert header["subtitle"].endswith("plots of robot 4")
    np.testing.assert_allclose(get(header["actors"][0]["base"]).reshape(-1, 3), many.states.base_position[:, 4])
    drawn = get(header["panels"][0]["curves"][0]).reshape(-1, 3)
    np.testing.assert_allclose(drawn, many.states.qd[:, 4], rtol=1e-6)


def test_a_model_alone_and_gravity():
    robot = sd.load("ssrms")
    header, _ = read(sd.film((robot, robot.state(q=np.full(7, 0.2)))))
    assert header["panels"] == [] and header["actors"][0]["trails"] == [] and header["choice"]["backdrop"] == "stars"
    falling = sd.simulate(robot, robot.neutral_state(), 1.0, gravity=(0, -9.8, 0), record=0.1)
    header, _ = read(falling.film(follow="hand"))
    assert header["choice"]["backdrop"] == "ground" and header["up"] == [0, 1, 0]
    assert header["choice"]["follow"] == "1"
    assert falling.film()._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backdrop": "star"}, "did you mean 'stars'"),
        ({"follow": "hnd"}, "no follow named 'hnd'; did you mean 'hand'"),
        ({"frames": 1}, "at least 2"),
        ({"robots": [1]}, "robots: choose from 0 to 0"),
        ({"plots": ["qq"]}, "no quantity named 'qq'"),
        ({"against": "other"}, "against: expected runs"),
    ],
)
def test_films_that_cannot_be_made(run, options, said):
    with pytest.raises(sd.SpacedynError) as caught:
        run.film(**options)
    assert said in str(caught.value)


def test_what_is_no_run_or_model(run):
    robot = sd.load("ets7")
    for what in ("ets7", robot.neutral_state(), (robot, sd.load("ssrms").neutral_state())):
        with pytest.raises(sd.InputError, match="expected"):
            sd.film(what)
    with pytest.raises(sd.InputError, match="this is a batch"):
        sd.film((robot, robot.random_state(np.random.default_rng(0), 2)))
    with pytest.raises(sd.InputError, match="only a Run"):
        sd.film(robot, against=run)


def test_records_are_spread_evenly():
    time = np.concatenate([np.linspace(0, 1, 900), np.linspace(1.01, 10, 100)])
    chosen = record_indices(time, 100)
    assert chosen[0] == 0 and chosen[-1] == len(time) - 1 and len(chosen) <= 100
    assert np.diff(time[chosen]).max() < 0.25


# --- notebooks -------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_models_runs_and_ledgers(run):
    shown = run.model._repr_html_()
    assert all(name in shown for name in (*run.model.body_names, *run.model.joint_names, *run.model.endpoint_names))
    assert "-4.71 … 4.71" in sd.load("ssrms")._repr_html_()
    assert "good" in run.audit()._repr_html_() and "angular momentum" in run.audit()._repr_html_()
    assert "DormandPrince8" in run._repr_html_() and "good" in run._repr_html_()
    assert run._repr_html_().count("<svg") == 4 and "<title>joint1</title>" in run._repr_html_()
    builder = sd.Builder("<script>")
    builder.base("<img>", shapes=[box(1.0, (1, 1, 1))])
    assert "<script>" not in builder.build()._repr_html_() and "<img>" not in builder.build()._repr_html_()
    assert "</script><b>" not in sd.film(builder.build(), title="</script><b>").html


def test_what_moves_is_in_the_picture_panels_too():
    """A hatch is a thin plate, as solar panels are; but it is what the film is about."""
    run = sd.Scenario.from_toml("stiff_stop", change={"duration": 3.0}).run()
    (actor,) = actors_of("", run, None, 100)
    center, size = bounds(actor, actor_meshes([actor])[0])
    assert np.linalg.norm(actor.endpoints[:, 0] - actor.base - center, axis=-1).max() <= size


def test_links_without_length_do_not_hide_the_others():
    """Two joints in one place, as in wrists and shoulders: whatever inertia was identified for the link between."""
    builder = sd.Builder("shoulder", base="fixed")
    builder.base("wall", mass=1.0, inertia=(1, 2, 2))
    builder.link("first", "revolute", parent="wall", mass=5.0, inertia=(0.7, 0.7, 0.02), com=(0, 0, -0.2))
    builder.link("second", "revolute", parent="first", axis=(0, 1, 0), mass=1.0, inertia=(0.1, 0.1, 0.01))
    builder.link("third", "revolute", parent="second", position=(0, 0, 0.4), mass=1.0, inertia=(0.1, 0.1, 0.01))
    builder.endpoint("hand", body="third", position=(0.4, 0, 0))
    parts = robot_meshes(builder.build())[1]
    reach = max(float(np.linalg.norm(part.vertices, axis=-1).max()) for part in parts)
    assert 0.02 < reach < 0.4
