"""Take the pictures of the documentation anew: `python docs/take_pictures.py [NAME ...]`; needs chromium, Playwright.

Films are opened in a browser, put to an instant where something is to be seen, and photographed. Pictures are kept in
the repository, so that the documentation is built without a browser.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path

import flight_figures
import numpy as np
import pages
from matplotlib.figure import Figure
from PIL import Image

import spacedyn as sd

IMAGES = Path(__file__).parent / "images"
FLAGS = (
    "--no-sandbox --disable-background-networking --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
)
INSTANT = 0.45  # of the run
INSTANTS = {
    "muses_c": 0.22,
    "resolved_rate": 0.9,
    "resolved_rate_fixed": 0.9,
}  # where a link does not point at the camera


def photograph(browser, film: Path, target: Path, size: tuple[int, int]) -> None:
    """One film at one instant, in few colours."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(film.as_uri())
    page.wait_for_timeout(1500)
    slider = page.locator("input[type=range]").first
    if slider.count() and slider.is_visible():
        slider.evaluate(
            f"e => {{ e.value = Number(e.min) + {INSTANTS.get(target.stem, INSTANT)} * (Number(e.max) - Number(e.min));"
            " e.dispatchEvent(new Event('input', {bubbles: true})); }"
        )
    page.wait_for_timeout(1500)
    image = Image.open(io.BytesIO(page.screenshot(timeout=120_000))).convert("RGB")
    target.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)
    page.close()
    print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB")


def draw_freefloating(target: Path) -> None:
    """The base's turn along two joint paths, and the workspace of a planar arm, side by side."""
    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    path = sd.freefloating.zero_reaction_path(robot, start, 20.0, direction=[0.2, 0.3, 0.4, 0.2, -0.3, 0.5])
    ends = zip(robot.joint_names, start.q, path.final.q, strict=True)
    straight = {name: sd.waypoints([0, 20], [a, b]) for name, a, b in ends}
    figure = Figure(figsize=(4.6, 4.6), layout="constrained")
    axes = figure.subplots()
    for label, motions in (("straight joint path", straight), ("zero-reaction path", path.prescribed())):
        run = sd.simulate(robot, start, 20.0, prescribed=motions, record=0.2)
        axes.plot(run.time, np.degrees(run.states.base_attitude.magnitude()), label=label)
    axes.set(xlabel="time [s]", ylabel="turn of the base [deg]")
    axes.legend()
    arm = sd.load("planar_four_link").lock(["joint3", "joint4"])
    halves = []
    for one in (figure, sd.freefloating.workspace(arm, "hand").plot()):
        page = io.BytesIO()
        one.savefig(page, format="png", dpi=110)
        halves.append(Image.open(page).convert("RGB"))
    both = Image.new("RGB", (sum(half.width for half in halves), halves[0].height), "white")
    both.paste(halves[0], (0, 0))
    both.paste(halves[1], (halves[0].width, 0))
    both.quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


def draw_orbit(target: Path) -> None:
    """A chaser around its target with and without drag, in Hill's axes; the air and the light that it meets."""
    b = sd.Builder("chaser")
    b.base("bus", mass=500.0, inertia=(100.0, 120.0, 140.0))
    model, plates, epoch = b.build(), sd.orbit.box_plates((0.8, 0.8, 1.0)), "2026-03-01T00:00:00"
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.778e6, 0.001, 0.61))
    n = sd.orbit.mean_motion(6.778e6)
    off = sd.orbit.from_hill([0.0, 100.0, 0.0], [0.5 * 100.0 * n, 0.0, 0.02], r, v)
    start = model.state(base_position=off.position, base_velocity=off.velocity)
    field = [sd.CentralGravity(), sd.ZonalGravity(), sd.OrbitingOrigin(r, v)]
    air = sd.AtmosphericDrag("bus", *plates, air="harris_priester", epoch=epoch)
    light = sd.SolarPressure("bus", *plates, specular=0.2, diffuse=0.3, epoch=epoch)
    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    path, below = figure.subplots(1, 2)
    for label, elements in (("gravity alone", field), ("with drag and sunlight", [*field, air, light])):
        run = sd.simulate(model, start, 4.0 * np.pi / n, elements=elements, record=20.0)
        seen = sd.orbit.relative_motion(run).hill.position
        path.plot(seen[:, 1], seen[:, 0], label=label)
    path.plot(0, 0, "k+", label="target")
    path.set(xlabel="ahead [m]", ylabel="up [m]")
    path.legend(loc="upper right")
    below.semilogy(run.time / 60.0, run["density"][:, 3], color="C1")
    below.set(xlabel="time [min]", ylabel="density of the air [kg/m³]")
    shade = below.twinx()
    shade.fill_between(run.time / 60.0, run["light"][:, 4], color="gold", alpha=0.35, lw=0)
    shade.set(ylabel="visible share of the Sun", ylim=(0, 1.5), yticks=(0, 0.5, 1))
    draw_flight(figure, target)


def draw_flexible_parts(target: Path) -> None:
    """How a chain of segments converges to a beam, and how it stiffens under spin."""

    @sd.motion
    def spin(t, p, out):
        out.value[0] = p.speed * t
        out.rate[0] = p.speed

    def rotor(segments: int) -> sd.Model:
        b = sd.Builder("rotor", base="fixed")
        b.base("stand", mass=1.0, inertia=(1, 1.2, 1.1))
        b.link("hub", "revolute", parent="stand", mass=1.0, inertia=(1, 1.2, 1.1))
        b.flexible_beam("blade", on="hub", length=1.0, segments=segments, mass_per_length=1.0, EI=(1.0, None))
        return b.build()

    figure = Figure(figsize=(9.2, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    counts, exact = np.array([3, 4, 6, 8, 12, 16, 24, 32, 48, 64]), np.array([3.5160153, 22.0344916, 61.6972144])
    found = [sd.natural_frequencies(rotor(int(n))).angular_frequencies[:3] for n in counts]
    for i, label in enumerate(("first", "second", "third")):
        left.loglog(counts, [100 * abs(one[i] / exact[i] - 1) for one in found], "o-", ms=3, label=f"{label} mode")
    left.loglog(counts[3:], 300.0 / counts[3:] ** 2, "k:", lw=1, label="order 2")
    left.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
    left.minorticks_off()
    left.set(xlabel="segments", ylabel="error of the clamped frequency [%]")
    left.legend()
    model, speeds, first = rotor(16), np.linspace(0, 12, 25), []
    for speed in speeds:
        motion = {"hub": spin(speed=float(speed))}
        values = sd.linearize(model, model.state(qd={"hub": speed}), prescribed=motion).eigenvalues()
        first.append(np.sort(abs(values.imag))[2])
    published = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604, 8: 9.2568, 10: 11.2023}
    published[12] = 13.1702
    right.plot(speeds, first, label="chain of 16 segments")
    right.plot(list(published), list(published.values()), "ko", ms=4, label="published")
    right.plot(speeds, np.full(len(speeds), exact[0]), "k--", lw=1, label="linear mode")
    right.set(xlabel="spin Ω L² √(ρA/EI)", ylabel="frequency ω L² √(ρA/EI)")
    right.legend()
    page = io.BytesIO()
    figure.savefig(page, format="png", dpi=110)
    Image.open(page).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


def draw_flight(figure: Figure, target: Path) -> None:
    """A figure of a page in docs/flights, in few colours."""
    page = io.BytesIO()
    figure.savefig(page, format="png", dpi=110)
    target.parent.mkdir(parents=True, exist_ok=True)
    Image.open(page).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


def main(wanted: list[str]) -> None:
    """All, or those that are named."""
    if not wanted or "freefloating" in wanted:
        draw_freefloating(IMAGES / "freefloating.png")
    if not wanted or "orbit" in wanted:
        draw_orbit(IMAGES / "orbit.png")
    if not wanted or "flexible_parts" in wanted:
        draw_flexible_parts(IMAGES / "flexible_parts.png")
    for name, draw in flight_figures.FIGURES.items():
        if not wanted or f"flights/{name}" in wanted:
            draw_flight(draw(), IMAGES / "flights" / f"{name}.png")
    if wanted and all(
        name in ("freefloating", "flexible_parts", "orbit") or name.startswith("flights/") for name in wanted
    ):
        return
    from playwright.sync_api import sync_playwright

    pages.films(wanted)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS.split())
        for name, _, _ in pages.scenarios():
            if not wanted or name in wanted:
                photograph(browser, pages.FILMS / f"{name}.html", IMAGES / "gallery" / f"{name}.png", (960, 540))
        for name in sd.available():
            if not wanted or f"robot_{name}" in wanted:
                film = Path(folder) / f"{name}.html"
                sd.film(sd.load(name)).save(film)
                photograph(browser, film, IMAGES / "gallery" / f"robot_{name}.png", (720, 405))
        if not wanted or "ets7_film" in wanted:
            photograph(browser, pages.FILMS / "ets7_reach.html", IMAGES / "ets7_film.png", (1280, 720))
        browser.close()
    if not wanted or "ets7_ledger" in wanted:
        run = sd.Scenario.from_toml("ets7_reach").run(progress=False)
        run.plot("q", "base_attitude", "ledger", degrees=True).savefig(IMAGES / "ets7_ledger.png", dpi=90)


if __name__ == "__main__":
    main(sys.argv[1:])
