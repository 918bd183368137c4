"""Pages that are made from data: the speed statement from measured figures, the gallery from what the library holds."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import spacedyn as sd

DOCS = Path(__file__).parent
MADE = DOCS / "made"
FILMS = MADE / "extra" / "made" / "films"  # copied beside the pages as made/films
SCENARIOS = DOCS.parent / "src" / "spacedyn" / "library" / "scenarios"

PARTS = {  # in benchmarks.json: title, unit, factor, who stands for what
    "many forward": ("Forward dynamics of many states, per state", "µs", 1e6),
    "many inverse": ("Inverse dynamics of many states, per state", "µs", 1e6),
    "call forward": ("Forward dynamics, one call from Python", "µs", 1e6),
    "call inverse": ("Inverse dynamics, one call from Python", "µs", 1e6),
    "call inertia": ("Mass matrix, one call from Python", "µs", 1e6),
    "call coriolis": ("Coriolis matrix; packs: of many states", "µs", 1e6),
    "simulate": ("A simulated second at 1 kHz under a law", "ms", 1e3),
    "single step": ("A call of `simulate` for one step under a law", "ms", 1e3),
    "law step": ("A step of `RungeKutta4` under a law, alone", "µs", 1e6),
    "flight": ("A simulated second of ETS-VII with paddles, wheels and a law, 1 kHz", "ms", 1e3),
    "accurate": ("A simulated second at equal error; Pinocchio with SciPy's DOP853", "ms", 1e3),
}
FLEETS = {
    "fleet forward": ("forward dynamics of many, per state", "µs", 1e6),
    "fleet simulate": ("a simulated second at 1 kHz under a law", "ms", 1e3),
}
WHO = {"packs": "spacedyn, packs", "float64": "spacedyn, one", "pinocchio": "Pinocchio", "mujoco": "MuJoCo"}


def speed(results: dict[str, Any]) -> str:
    """The speed statement, as Markdown."""
    machine, met = results["machine"], [target for target in results["targets"] if target["met"]]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    lines = [
        "# Speed, measured",
        "",
        f"One core of an {machine['cpu']}, {machine['system']}, packs of {machine['lanes']}; "
        f"Python {machine['python']}, {versions}. "
        "How it is measured: [Benchmarks](../benchmarks.md). Yours: `make bench`. The machine had other "
        "work; each figure is the least of many short runs. The same states for everybody, and before anything is "
        f"timed all results agree to {max(results['agreement'].values()):.0e}.",
        "",
        "## Promises",
        "",
        f"{len(met)} of {len(results['targets'])} are met.",
        "",
        "| what | robot | promised | measured | |",
        "|---|---|---|---|---|",
    ]
    for target in results["targets"]:
        verdict = "met" if target["met"] else "**not met**"
        what, robot = target["place"]
        lines.append(f"| {what} | {robot} | {target['text']} | {target['value']:.2f} | {verdict} |")
    for what, (title, unit, scale) in PARTS.items():
        rows = [row for row in results["rows"] if row["what"] == what]
        if not rows:
            continue
        lines += ["", f"## {title} [{unit}]", "", "| joints | " + " | ".join(WHO.values()) + " |", "|---" * 5 + "|"]
        for row in rows:
            cells = [digits(row["figures"][who]["seconds"] * scale) if who in row["figures"] else "–" for who in WHO]
            lines.append(f"| {row['robot']} | " + " | ".join(cells) + " |")
    lines += kinematics(results)
    lines += fleets(results)
    lines += equal_errors(results)
    lines += [
        "",
        "## Cost per body [ns]",
        "",
        "| joints | spacedyn, packs | spacedyn, one | Pinocchio |",
        "|---|---|---|---|",
    ]
    for row in (row for row in results["rows"] if row["what"] == "body"):
        share = 1e9 / row["bodies"]
        figures = [row["figures"].get(who) for who in ("packs", "float64", "pinocchio")]
        lines.append(
            f"| {row['robot']} | " + " | ".join(digits(f["seconds"] * share) if f else "–" for f in figures) + " |"
        )
    return "\n".join([*lines, ""])


def kinematics(results: dict[str, Any]) -> list[str]:
    """Single calls of kinematics, momentum and free-floating quantities, as lines of Markdown."""
    rows = [row for row in results["rows"] if row["what"].startswith("kinematics ")]
    if not rows:
        return []
    lines = ["", "## Kinematics, momentum and recoil, one call from Python [µs]", ""]
    lines += ["| call | joints | spacedyn, one | Pinocchio |", "|---|---|---|---|"]
    for row in rows:
        times = [digits(row["figures"][who]["seconds"] * 1e6) for who in ("float64", "pinocchio")]
        lines.append(f"| `{row['what'].removeprefix('kinematics ')}` | {row['robot']} | {times[0]} | {times[1]} |")
    return lines


def equal_errors(results: dict[str, Any]) -> list[str]:
    """Our steps and those of Drake's CENIC to the same error, as lines of Markdown."""
    figures, lines = {row["what"]: row["figures"] for row in results["rows"]}, []
    for scene, levels in results.get("cenic", {}).items():
        lines += ["", f"## A {scene} at equal error, Drake's CENIC beside it", ""]
        lines += ["| who | asked | error [m, rad] | steps | time [ms] |", "|---|---|---|---|---|"]
        for i, level in enumerate(levels):
            times = figures[f"equal error {scene} {i}"]
            for who, name, asked, time in (
                ("ours", "spacedyn", "tolerance", "float64"),
                ("drake", "CENIC", "accuracy", "drake"),
            ):
                if time in times:
                    one, spent = level[who], digits(times[time]["seconds"] * 1e3)
                    lines.append(f"| {name} | {one[asked]:g} | {one['error']:.1e} | {one['steps']} | {spent} |")
    return lines


def fleets(results: dict[str, Any]) -> list[str]:
    """Robots that differ against robots that are alike, in packs, as lines of Markdown."""
    rows = [row for row in results["rows"] if row["what"] in FLEETS]
    if not rows:
        return []
    lines = [
        "",
        "## Robots that differ, in packs",
        "",
        "| what | joints | all differ | all alike |",
        "|---|---|---|---|",
    ]
    for row in rows:
        title, unit, scale = FLEETS[row["what"]]
        times = [digits(row["figures"][who]["seconds"] * scale) for who in ("packs", "alike")]
        lines.append(f"| {title} [{unit}] | {row['robot']} | {times[0]} | {times[1]} |")
    return lines


def digits(value: float) -> str:
    """Three of them, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def scenarios() -> Iterator[tuple[str, str, str]]:
    """Name, title and description of every bundled scenario, the latter from the comment that its file begins with."""
    for path in sorted(SCENARIOS.glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        comment = []
        for line in text.splitlines():
            if not line.startswith("#"):
                break
            comment.append(line.lstrip("# "))
        yield path.stem, tomllib.loads(text).get("title", path.stem), " ".join(comment)


def gallery() -> str:
    """Pictures and films of every bundled scenario, pictures of every bundled robot."""
    lines = [
        "# Gallery",
        "",
        "Every bundled scenario and robot. A click on a picture opens its film. To make it yourself: "
        "`spacedyn run NAME --html film.html`, or "
        'in Python `sd.Scenario.from_toml(NAME).run().to_html("film.html")`.',
        "",
    ]
    for name, title, description in scenarios():
        lines += [f"## {title}", "", *figure(name, f"films/{name}.html"), "", f"`{name}`: {description}", ""]
    lines += ["## Robots", "", "By `sd.load(NAME)`.", ""]
    for name in sd.available():
        model = sd.load(name)
        told = f"`{name}`: {model.base_kind} base, {model.n} joints, {model.total_mass:.5g} kg"
        lines += [f"### {name}", "", *figure(f"robot_{name}", None), "", told, ""]
    return "\n".join(lines)


def figure(name: str, target: str | None) -> list[str]:
    """A picture, which opens the film if there is one; a link alone where there is no picture yet."""
    if not (DOCS / "images" / "gallery" / f"{name}.png").exists():
        return [f'<a href="{target}">Film</a>'] if target else []
    return [f"```{{image}} ../images/gallery/{name}.png", *([f":target: {target}"] if target else []), "```"]


def films(wanted: Sequence[str] = ()) -> None:
    """Run every bundled scenario, or those wanted, and keep its film; one newer than its scenario stays."""
    FILMS.mkdir(parents=True, exist_ok=True)
    for name, _, _ in scenarios():
        film = FILMS / f"{name}.html"
        if wanted and name not in wanted and not (name == "ets7_reach" and "ets7_film" in wanted):
            continue
        if not film.exists() or film.stat().st_mtime < (SCENARIOS / f"{name}.toml").stat().st_mtime:
            scenario = sd.Scenario.from_toml(name)
            scenario.film(scenario.run(progress=False)).save(film)


def write() -> None:
    """All of them."""
    films()
    pages = {"gallery": gallery(), "speed": speed(json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8")))}
    for name, text in pages.items():
        path = MADE / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
