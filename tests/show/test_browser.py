"""Films and the live viewer in a real browser: the robot is there, the slider moves it, nothing complains.

Screenshots are kept in build/screenshots, for people to look at.
"""

import io
import time

import numpy as np
import pytest
from PIL import Image

import spacedyn as sd
from conftest import CHROMIUM
from paths import ROOT

pytestmark = pytest.mark.browser
SHOTS = ROOT / "build" / "screenshots"
FLAGS = (
    "--no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
)
PATIENCE = 120_000  # ms; without a graphics card pictures take their time


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split(), headless=True)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A page that remembers what was complained about and where it went."""
    page = browser.new_page(viewport={"width": 900, "height": 560})
    page.set_default_timeout(PATIENCE)
    page.complaints, page.requests = [], []
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    yield page
    page.close()


@pytest.fixture(scope="module")
def run():
    """ETS-VII reaches out for a minute."""
    robot = sd.load("ets7")
    joints = {f"joint{i}": sd.waypoints([0, 30, 60], [0.1, 0.9, 0.1]) for i in (1, 2, 4)}
    return sd.simulate(robot, robot.state(q=[0.1, 0.1, -0.8, 0.1, 0.4, 0]), 60.0, prescribed=joints, adjust=True)


def picture(page, name=None, selector=None):
    """What is on the page, (height, width, 3); kept if it has a name."""
    target = page if selector is None else page.locator(selector)
    data = target.screenshot(timeout=PATIENCE)
    if name:
        (SHOTS / f"{name}.png").write_bytes(data)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def differing(a, b):
    """Share of pixels that are not the same."""
    return float(np.mean(np.abs(a - b).max(axis=-1) > 24))


def drawn(page):
    """Wait for the next picture of a film."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def gold(image):
    """Share of pixels in the colour of the satellite's foil."""
    r, g, b = image[..., 0], image[..., 1], image[..., 2]
    return float(np.mean((r > 90) & (r > g + 15) & (g > b + 25)))


def opened(page, film, path):
    film.save(path)
    page.goto(path.as_uri())
    page.wait_for_function("window.film !== undefined")
    drawn(page)


def test_a_film_shows_the_robot_and_the_slider_moves_it(page, run, tmp_path):
    opened(page, run.film(), tmp_path / "film.html")
    first = picture(page, "film at the start", ".view")
    assert gold(first) > 0.05
    page.locator(".time").fill("30")
    drawn(page)
    assert page.evaluate("film.time") == pytest.approx(30, abs=0.1)
    later = picture(page, "film later", ".view")
    assert differing(first, later) > 0.002
    assert page.locator(".clock").inner_text().startswith("30.0")
    shown = float(page.locator(".chart .legend b").first.inner_text())
    assert shown == pytest.approx(float(run.at(30.0).q[0]), abs=2e-3)
    picture(page, "film")
    assert page.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in page.requests)


def test_elements_have_their_own_curves_in_a_film(page, tmp_path):
    """A channel's curves are those of the elements that have it; what they dissipate is in the ledger."""
    robot = sd.load("planar_four_link")
    elements = [
        sd.Wrench(robot.body_names[0], force=(1.0, 0, 0)),
        sd.Spring("link3", stiffness=0.0, damping=1e-30, name="slack"),
        sd.BristleFriction("joint1", coulomb=0.2, name="rub"),
    ]
    run = sd.simulate(robot, robot.state(qd=[0.3, 0, 0, 0]), 1.0, elements=elements)
    opened(page, run.film(plots=["friction", "q.joint1", "ledger"]), tmp_path / "film.html")
    assert page.locator(".chart h2 span").first.inner_text() == "friction: rub"
    labels = page.locator(".chart").nth(2).locator(".legend u").all_inner_texts()
    assert labels == ["energy gained", "work of elements", "dissipated in elements"]
    picture(page, "film of elements")


def test_marks_of_a_constant_differ(page, tmp_path):
    robot = sd.load("planar_four_link")
    run = sd.simulate(robot, robot.state(q=[3.0, 0, 0, 0]), 1.0)
    opened(page, run.film(plots=["q.joint1"]), tmp_path / "film.html")
    low, high = page.evaluate("[film.charts[0].low, film.charts[0].high]")
    assert low < 2.9 and high > 3.1


def test_what_the_page_draws_is_where_the_run_says(page, run, tmp_path):
    """Between two of its instants too, which are a second apart here."""
    opened(page, run.film(frames=61), tmp_path / "film.html")
    page.evaluate("film.seek(44.52)")
    assert 0.1 < page.evaluate("film.scene.actors[0].f") < 0.9
    for name in ("link3", "link6"):
        i = run.model.body_index(name)
        place, turn = page.evaluate(f"film.scene.actors[0].body({i}, [0, 0, 0])")
        exact = run.body(name)
        k = run.index(44.52)
        np.testing.assert_allclose(place, exact.position[k], atol=2e-3)
        off = sd.Rotation.from_quat(turn) * sd.Rotation.from_matrix(exact.rotation[k]).inv()
        assert off.magnitude() < 2e-3
    assert page.complaints == []


def test_keys_and_switches(page, run, tmp_path):
    opened(page, run.film(), tmp_path / "film.html")
    page.locator(".view").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("film.time") == pytest.approx(0.3, abs=0.01)
    page.keyboard.press("End")
    assert page.evaluate("film.time") == 60
    page.keyboard.press("Space")
    page.wait_for_function("film.playing && film.time > 0 && film.time < 59")
    page.keyboard.press("Space")
    assert not page.evaluate("film.playing")
    page.keyboard.press("]")
    assert page.evaluate("film.speed") == 2
    page.evaluate("film.seek(20)")
    drawn(page)
    before = picture(page, None, ".view")
    for name, key in (("frames", "f"), ("reaction", None)):
        page.keyboard.press(key) if key else page.locator(f".options .{name}").click()
        drawn(page)
        after = picture(page, f"film with {name}", ".view")
        assert differing(before, after) > 0.0005, name
        before = after
    page.locator("select.backdrop").select_option("ground")
    drawn(page)
    assert differing(before, picture(page, "film on the ground", ".view")) > 0.3
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(420, 340, steps=4)
    page.mouse.up()
    drawn(page)
    assert page.evaluate("film.orbit.yaw") != pytest.approx(-0.9)
    page.locator(".plot").first.click(position={"x": 200, "y": 50})
    assert 20 < page.evaluate("film.time") < 40
    page.locator("select.follow").select_option("0")
    drawn(page)
    picture(page, "film that follows the hand")
    assert page.complaints == []


def test_several_runs_side_by_side_and_as_ghosts(page, run, tmp_path):
    robot = sd.load("ets7")
    other = sd.simulate(robot, robot.state(q=[0.5, 0.1, -0.3, 0, 0, 0], qd=[0, 0.02, 0, 0, 0, 0]), 60.0)
    opened(page, run.film(against={"drifting": other}), tmp_path / "film.html")
    page.evaluate("film.seek(20)")
    drawn(page)
    ghosts = picture(page, "film with a ghost", ".view")
    page.locator(".options .apart").click()
    drawn(page)
    apart = picture(page, "film side by side", ".view")
    assert differing(ghosts, apart) > 0.05
    half = apart.shape[1] // 2
    assert gold(apart[:, :half]) > 0.02 and gold(apart[:, half:]) > 0.02
    assert page.locator(".labels span").all_inner_texts() == ["this run", "drifting"]
    assert page.complaints == []


def test_forces_and_momentum(page, tmp_path):
    robot = sd.load("umetani_yoshida")
    forces = [
        sd.Wrench("satellite", force=(0, 0, 20.0), point=(1, 0, 0), frame="body", start=5, stop=15),
        sd.Tether("link3", point=(2.5, 0, 0), other_point=(8, 0, 2), stiffness=30.0, rest_length=2.0),
    ]
    thrown = sd.simulate(robot, robot.state(qd=[0.1, 0.2, -0.3]), 20.0, forces=forces)
    opened(page, thrown.film(), tmp_path / "film.html")
    page.evaluate("film.seek(9)")
    drawn(page)
    bare = picture(page, None, ".view")
    page.locator(".options .momentum").click()
    drawn(page)
    assert differing(bare, picture(page, "film with forces", ".view")) > 0.001
    assert any("up to 20 N" in text for text in page.locator(".keys span").all_inner_texts())
    assert page.complaints == []


def test_many_arrows_leave_room_for_the_robot(page, tmp_path):
    """Their legend is scrolled where it is long; it covers neither buttons nor the whole view, also on a phone."""
    platform = sd.Scenario.from_toml("stewart_platform", change=["duration=0.5"])
    opened(page, platform.run().film(plots=[]), tmp_path / "film.html")
    page.locator(".options .reaction").click()
    for width, height in ((900, 560), (390, 700)):
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        legend, view = page.locator(".keys").bounding_box(), page.locator(".view").bounding_box()
        buttons = page.locator(".options .help").bounding_box()
        assert legend["height"] < 0.45 * view["height"] and legend["y"] > buttons["y"] + buttons["height"]
        assert page.evaluate("document.querySelector('.keys').scrollHeight") > legend["height"] + 40
        assert page.locator(".keys span").count() == 24
    picture(page, "film with many arrows")
    page.evaluate("document.querySelector('.keys').scrollTop = 40")
    page.evaluate("film.seek(0.3)")
    drawn(page)
    assert page.evaluate("document.querySelector('.keys').scrollTop") == 40
    assert page.complaints == []


def test_events_lead_to_their_times_and_keys_are_told(page, tmp_path):
    caught = sd.Scenario.from_toml("capture").run()
    opened(page, caught.film(plots=["mode", "hand"]), tmp_path / "film.html")
    mark = page.locator(".marks button")
    assert mark.get_attribute("title") == "caught, 19.75 s"
    before = page.locator(".legend b").all_inner_texts()
    mark.click()
    assert page.evaluate("film.time") == pytest.approx(19.75, abs=1e-3)
    page.evaluate("film.seek(30)")
    drawn(page)
    after = page.locator(".legend b").all_inner_texts()
    assert (before[:3], after[:3]) == (["free"] * 3, ["free", "free", "locked"])
    assert not page.locator(".help-text").is_visible()
    page.keyboard.press("?")
    drawn(page)
    assert "play, pause" in page.locator(".help-text").inner_text()
    picture(page, "film with an event and its keys")
    page.keyboard.press("Escape")
    drawn(page)
    assert not page.locator(".help-text").is_visible()
    assert page.complaints == []


def test_a_film_on_a_phone(page, run, tmp_path):
    page.set_viewport_size({"width": 390, "height": 780})
    opened(page, run.film(), tmp_path / "film.html")
    assert gold(picture(page, "film on a phone", ".view")) > 0.03
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".charts").bounding_box()["y"] > page.locator(".view").bounding_box()["y"] + 200
    assert page.complaints == []


def test_robots_that_stand_still_in_a_notebook(page, tmp_path):
    robot = sd.load("two_arm_sample")
    film = sd.film((robot, robot.state(q=[0.3, 0.5, 0.2, -0.3, 0.5, 0.1])))
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><body>{film._repr_html_()}</body>", encoding="utf-8")
    page.goto(path.as_uri())
    frame = page.frames[1]
    frame.wait_for_function("window.film !== undefined")
    drawn(frame)
    assert gold(picture(page, "robot in a notebook")) > 0.005
    assert not frame.locator(".transport").count()
    assert page.complaints == []


def test_a_browser_without_graphics_says_so(page, run, tmp_path):
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    run.film().save(tmp_path / "film.html")
    page.goto((tmp_path / "film.html").as_uri())
    assert "WebGL 2 is missing" in page.locator(".notice").inner_text()


def test_the_live_viewer_shows_the_robot_and_the_slider_moves_it(page, run):
    page.set_viewport_size({"width": 760, "height": 420})
    with run.view(block=False, browser=False, play=False) as viewer:
        viewer._server.scene.configure_default_lights(cast_shadow=False)  # quicker without a graphics card
        page.goto(viewer.url)
        slider = page.get_by_role("slider").first
        slider.wait_for()
        clip = {"x": 0, "y": 0, "width": 430, "height": 420}  # left of the controls

        def shot():
            return np.asarray(
                Image.open(io.BytesIO(page.screenshot(clip=clip, timeout=PATIENCE))).convert("RGB")
            ).astype(int)

        until = time.monotonic() + PATIENCE / 1000
        while gold(first := shot()) < 0.05 and time.monotonic() < until:
            page.wait_for_timeout(500)
        assert gold(first) > 0.05
        slider.focus()
        page.keyboard.press("End")
        while viewer.time < 60.0 and time.monotonic() < until:
            page.wait_for_timeout(100)
        assert viewer.time == pytest.approx(60.0)
        viewer.seek(30.0)
        while differing(first, later := shot()) < 0.002 and time.monotonic() < until:
            page.wait_for_timeout(500)
        assert differing(first, later) > 0.002
        picture(page, "live viewer")
    assert page.complaints == []
