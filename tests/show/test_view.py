"""The live viewer's scene, and a simulation that is watched: bodies stand where the run says."""

import http.client
import socket
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import viser
import websockets.asyncio.server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import spacedyn as sd


@pytest.fixture(scope="module")
def run():
    robot = sd.load("umetani_yoshida")
    forces = [
        sd.Wrench("satellite", force=(0, 0, 20.0), point=(1, 0, 0), frame="body", start=0.5, stop=1.0),
        sd.Tether("link3", point=(2.5, 0, 0), other_point=(8, 0, 2), stiffness=30.0, rest_length=2.0),
    ]
    start = robot.state(base_position=(7e6, 0, 0), base_velocity=(0, 30.0, 0), qd=[0.1, 0.2, -0.3])
    return sd.simulate(robot, start, 2.0, forces=forces, record=0.05)


@pytest.fixture
def viewer(run):
    with sd.view(run, block=False, browser=False, play=False) as viewer:
        yield viewer


def placed(viewer, k=0):
    """Places and attitudes of a robot's bodies in the scene, inertial."""
    puppet = viewer._puppets[k]
    world = puppet.root.position + puppet.actor.base[0]
    return [(world + b.position, sd.Rotation.from_quat(np.roll(b.wxyz, -1))) for b in puppet._bodies]


def test_bodies_stand_where_the_run_says(run, viewer):
    for time in (0.0, 0.65, 2.0):
        viewer.seek(time)
        for (place, turn), name in zip(placed(viewer), run.model.body_names, strict=True):
            motion, k = run.body(name), run.index(time)
            np.testing.assert_allclose(place - motion.position[k], 0.0, atol=1e-6)
            assert (turn * sd.Rotation.from_matrix(motion.rotation[k]).inv()).magnitude() < 1e-9
        assert viewer._slider.value == pytest.approx(time)
    viewer.seek(99.0)
    assert viewer.time == 2.0


def test_ground_that_is_touched_is_in_the_scene_and_the_grid_below_it():
    b = sd.Builder("ball")
    b.base("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), shapes=[sd.shapes.sphere(1.0, 0.1)])
    slope = sd.Plane((1.0, 0, 1.0), position=(5.0, 0, 0))
    foot = sd.Contact("ball", (0, 0, 0), surface=slope, radius=0.1, material=sd.ContactMaterial(1e4), name="foot")
    start = b.build().state(base_position=(5.0, 0, 0.3))
    run = sd.simulate(start.model, start, 0.01, elements=[foot], gravity=(0, 0, -9.81), record=0.01)
    with sd.view(run, block=False, browser=False, play=False) as viewer:
        near = viewer._server.scene._handle_from_node_name["/world/robot 0/touched/0"].vertices + start.base_position
        np.testing.assert_allclose(near[:, 0] - 5.0, -near[:, 2], atol=1e-6)  # on the slope
        assert viewer._ground.position[2] < (near[:, 2] - start.base_position[2]).min()


def test_between_records_it_is_between(run, viewer):
    viewer.seek(0.675)
    place, turn = placed(viewer)[3]
    motion, k = run.body("link3"), run.index(0.65)
    np.testing.assert_allclose(place, (motion.position[k] + motion.position[k + 1]) / 2, atol=1e-6)
    half = sd.Rotation.from_matrix(motion.rotation[k : k + 2]).mean()
    assert (turn * half.inv()).magnitude() < 1e-6


def test_the_camera_follows(run, viewer):
    viewer.seek(1.0)
    for follow, wanted in (
        ("hand", run.endpoint("hand").position[20]),
        ("mass", sd.center_of_mass(run.model, run.states)[20]),
    ):
        viewer._set("_follow", follow)
        np.testing.assert_allclose(viewer._world.position + wanted - run.states.base_position[0], 0.0, atol=1e-6)
    viewer._set("_follow", "stay")
    still = np.array(viewer._world.position)
    viewer.seek(2.0)
    np.testing.assert_array_equal(viewer._world.position, still)


def test_arrows_come_and_go(viewer):
    push, tether, *_ = viewer._puppets[0]._arrows
    for time, there in ((0.2, False), (0.7, True), (1.5, False)):
        viewer.seek(time)
        assert push.visible is there and tether.visible
    viewer._choice["forces"] = False
    viewer._arrange()
    assert not tether.visible
    assert "push" not in viewer._keys.content
    viewer._choice["momentum"] = True
    viewer._arrange()
    assert "linear momentum: up to" in viewer._keys.content
    assert all(arrow.visible for arrow in viewer._puppets[0]._momenta)


def test_it_plays_by_itself_and_stops_at_the_end(run):
    with run.view(block=False, browser=False) as viewer:
        assert viewer.playing
        for _ in range(1000):
            if not viewer.playing:
                break
            viewer._over.wait(0.1)
        assert viewer.time == 2.0 and not viewer.playing
        viewer.toggle()
        assert viewer.playing and viewer.time < 2.0


def test_several_runs_and_viewers_at_once(run):
    before = set(threading.enumerate())
    with (
        sd.view(run, against={"again": run}, side_by_side=True, block=False, browser=False) as one,
        sd.view(sd.load("ets7"), block=False, browser=False) as two,
    ):
        assert one.url != two.url
        first, other = (puppet.root.position for puppet in one._puppets)
        assert np.linalg.norm(other - first) > one._size
        np.testing.assert_allclose(one._middle, (first + other) / 2)  # what the camera looks at
        assert np.linalg.norm(one._server.initial_camera.position) > 4 * one._size
        one._place_side_by_side(False)
        assert np.linalg.norm(one._server.initial_camera.position) == pytest.approx(3 * one._size, rel=0.01)
        np.testing.assert_array_equal(one._puppets[1].root.position, np.zeros(3))
        assert "iframe" in one._repr_html_()
    assert set(threading.enumerate()) <= before  # nothing is left behind


def test_a_watched_simulation_is_the_same_and_is_played_back(monkeypatch):
    from spacedyn.show.viewer import live_simulation

    seen = []
    shown = live_simulation.LiveObserver.__call__

    def look(self, records):
        seen.append((float(records[0, 0]), records[0, 1:].copy()))
        self._last = 0.0  # every time
        shown(self, records)
        name = self._model.body_names[-1]
        place, turn = placed(self.viewer)[-1]
        one = sd.State(self._model, records[0, 1 : 1 + 7 + self._model.nq + self._model.nv].copy())
        exact = sd.forward_kinematics(self._model, one).bodies.of(name)
        np.testing.assert_allclose(place, exact.position, atol=1e-9)
        np.testing.assert_allclose(turn.as_matrix(), exact.rotation, atol=1e-9)

    monkeypatch.setattr(live_simulation.LiveObserver, "__call__", look)
    monkeypatch.setattr(live_simulation.Viewer, "announce", lambda self, browser: None)
    robot = sd.load("umetani_yoshida")
    start = robot.state(qd=[0.1, 0.2, -0.3], base_rate=(0, 0.05, 0))
    options = {"method": sd.RungeKutta4(step=1e-3), "record": 0.5}
    unseen = sd.simulate(robot, start, 60.0, **options)
    watched = sd.simulate(robot, start, 60.0, view=True, **options)
    with watched.viewer as viewer:
        assert viewer._to == 60.0 and len(viewer._puppets) == 1 and viewer.playing
    assert unseen.viewer is None
    np.testing.assert_array_equal(watched.final.x, unseen.final.x)
    times = [time for time, _ in seen]
    assert len(times) > 2 and times == sorted(times)


def test_a_watched_simulation_that_fails_leaves_no_viewer(monkeypatch):
    from spacedyn.show.viewer import live_simulation

    made = []
    monkeypatch.setattr(live_simulation.Viewer, "announce", lambda self, browser: made.append(self))

    @sd.law
    def wild(t, s, p, out):
        out.tau[0] = 0.1 if t < 0.5 else np.nan

    robot = sd.load("tian_wu")
    with pytest.raises(sd.SimulationFailed):
        sd.simulate(robot, robot.neutral_state(), 2.0, laws=[wild()], view=True)
    assert made[0]._over.is_set()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"backdrop": "sea"}, "no backdrop named 'sea'"), ({"follow": "hnd"}, "did you mean 'hand'")],
)
def test_what_cannot_be_viewed(run, options, said):
    before = set(threading.enumerate())
    with pytest.raises(sd.UnknownName, match=said):
        run.view(block=False, browser=False, **options)
    assert set(threading.enumerate()) <= before  # those of earlier tests may end meanwhile; none is added
    with pytest.raises(sd.InputError, match="expected a Run"):
        sd.view("ets7", block=False)


# --- who may look ----------------------------------------------------------------------------------------------------


def handshake(viewer, origin, host=None):
    """What a WebSocket is answered: 101 if it is taken; `host` is what its `Host` header says."""
    port = viewer._server.get_port()
    name = (host or f"localhost:{port}").rpartition(":")
    uri = f"ws://{name[0] or name[2]}:{name[2] if name[0] else 80}/"
    there = socket.create_connection(("127.0.0.1", port), timeout=20)
    try:
        with connect(uri, sock=there, origin=origin, subprotocols=[f"viser-v{viser.__version__}"]) as taken:
            return taken.response.status_code
    except InvalidStatus as error:
        return error.response.status_code


def page(viewer, host, **headers):
    """The answer to a request for the page."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer._server.get_port(), timeout=20)
    connection.request("GET", "/", headers={"Host": host, **headers})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_a_web_socket_of_another_page_is_refused(viewer):
    port = viewer._server.get_port()
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert handshake(viewer, f"http://{name}:{port}", f"{name}:{port}") == 101
    assert handshake(viewer, f"http://localhost:{port}", f"127.0.0.1:{port}") == 101
    own = f"localhost:{port}"
    for origin in (
        "http://evil.example", f"http://evil.example:{port}", f"http://localhost:{port + 1}", "http://localhost",
        f"https://localhost:{port}", f"http://localhost.evil.example:{port}", "null", None,
    ):  # fmt: skip
        assert handshake(viewer, origin, own) == 403, origin
    for host in (f"evil.example:{port}", f"localhost.evil.example:{port}", f"localhost:{port + 1}", "localhost"):
        assert handshake(viewer, f"http://{host}", host) == 403, host  # a name that was made to point here
        assert handshake(viewer, f"http://localhost:{port}", host) == 403, host


def test_a_page_by_another_name_is_refused(viewer):
    port = viewer._server.get_port()
    own = f"localhost:{port}"
    assert page(viewer, own) == page(viewer, f"127.0.0.1:{port}") == page(viewer, own, Origin=f"http://{own}") == 200
    assert page(viewer, f"evil.example:{port}") == page(viewer, "localhost") == page(viewer, "") == 403
    assert page(viewer, own, Origin="http://evil.example") == 403


def test_a_server_that_cannot_be_restricted_is_not_left_running(monkeypatch):
    before = set(threading.enumerate())
    serve = SimpleNamespace(serve=websockets.asyncio.server.serve)  # as if viser had its own
    monkeypatch.setattr(
        "viser.infra._infra.websockets",
        SimpleNamespace(**vars(websockets) | {"asyncio": SimpleNamespace(server=serve)}),
    )
    with pytest.raises(sd.InputError, match="cannot be restricted"):
        sd.view(sd.load("ets7"), block=False, browser=False)
    assert set(threading.enumerate()) <= before
