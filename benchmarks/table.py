"""The results as one table."""

import math
from typing import Any

from rich import box
from rich.table import Table

from .measure import CLOSED, CONTACT, EQUAL, KINEMATICS, PER_BODY, STEPPING
from .targets import GIGABYTE, cold, growth, judged

# what: (title, scale, and what packs, float64, Pinocchio and MuJoCo stand for in this part)
PARTS = {
    "many forward": ("Forward dynamics of many, µs", 1e6, "public call", "kernel loop", "abaInParallel", "rollout"),
    "many inverse": ("Inverse dynamics of many, µs", 1e6, "public call", "kernel loop", "rneaInParallel", ""),
    "call forward": ("Forward dynamics of one, µs", 1e6, "", "public call", "aba", "mj_forward"),
    "call inverse": ("Inverse dynamics of one, µs", 1e6, "", "public call", "rnea", "mj_inverse"),
    "call inertia": ("Mass matrix of one, µs", 1e6, "", "public call", "crba", ""),
    "call coriolis": ("Coriolis matrix of one, µs", 1e6, "a batch", "public call", "computeCoriolisMatrix", ""),
    "simulate": (
        "A simulated second at 1 kHz, ms",
        1e3,
        "a pack, law",
        "one, law",
        "loop in Python",
        "rollout, no law",
    ),
    "single step": ("A call of simulate for one step, ms", 1e3, "a pack, law", "one, law", "", ""),
    "law step": ("A step of it, alone, µs", 1e6, "a pack, law", "one, law", "", ""),
    "flight": ("ETS-VII, paddles, wheels, 1 kHz, ms", 1e3, "a pack, law", "one, law", "", "rollout, no law"),
    "accurate": ("A simulated second, equal error, ms", 1e3, "", "default method", "SciPy's DOP853", ""),
    "body": ("Forward dynamics per body, ns", 1e9, "public call", "kernel loop", "abaInParallel", ""),
    "operator mass": ("Operator H on a vector, per body, ns", 1e9, "many robots", "one robot", "", ""),
    "operator mass_inverse": ("Operator H⁻¹ on a vector, per body, ns", 1e9, "many robots", "one robot", "", ""),
}
FLEETS = {"fleet forward": ("forward dynamics of many, µs", 1e6), "fleet simulate": ("a simulated second, ms", 1e3)}
WHO = ("packs", "float64", "pinocchio", "mujoco")
WIDTH = 160

Results = dict[str, Any]


def draw(results: Results) -> Table:
    """The whole table; a part that was not measured is left out."""
    table = Table(title=_title(results), caption=_caption(results), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.title_justify = table.caption_justify = "left"
    table.add_column("")
    for name in (
        "spacedyn\npacks",
        "spacedyn\nfloat64",
        "Pinocchio\n",
        "MuJoCo\n",
        "packs:\nPinocchio",
        "float64:\nPinocchio",
    ):
        table.add_column(name, justify="right")
    table.add_column("target\n")
    for what in PARTS:
        _add_part(table, what, results)
        if what == "call coriolis":
            _add_kinematics(table, results)
        if what == "accurate":
            _add_fleets(table, results)
    _add_contact(table, results)
    _add_scenes(table, results)
    _add_closed(table, results)
    for scene, levels in results.get("cenic", {}).items():
        _add_equal(table, results, scene, levels)
    if "start" in results:
        _add_start(table, results)
    return table


def _add_part(table: Table, what: str, results: Results) -> None:
    rows = [row for row in results["rows"] if row["what"] == what]
    if not rows:
        return
    title, scale, *names = PARTS[what]
    table.add_row(f"[bold]{title}[/]", *(f"[dim]{name}[/]" for name in names))
    for row in rows:
        times = {who: figure["seconds"] for who, figure in row["figures"].items()}
        share = scale / (row["bodies"] if what in PER_BODY else 1)
        cells = [number(times[who] * share) if who in times else "" for who in WHO]
        peer = times.get("pinocchio")
        cells += [faster(peer / times[who]) if peer and who in times else "" for who in ("packs", "float64")]
        joints = "joint" if row["robot"] == "1" else "joints"
        table.add_row(f"  {row['robot']:>4} {joints}", *cells, _verdict(results, what, row["robot"]))
    growing = _verdict(results, what, "growth")
    if growing:
        ratios = [f"{growth(who, what)(results):.2f}" for who in ("packs", "float64")]
        table.add_row("  1000 joints : 20 joints", *ratios, *[""] * 4, growing)
    table.add_section()


def _add_kinematics(table: Table, results: Results) -> None:
    """A row for each call; only robots of some sizes are asked."""
    for robot in dict.fromkeys(row["robot"] for row in results["rows"] if row["what"].startswith(KINEMATICS)):
        title = f"[bold]Kinematics of one, {robot} joints, µs[/]"
        names = ["", "[dim]public call[/]", "[dim]its own calls[/]", "", "", ""]
        table.add_row(title, *names, _verdict(results, KINEMATICS.strip(), robot))
        for row in results["rows"]:
            if row["robot"] == robot and row["what"].startswith(KINEMATICS):
                ours, peer = (row["figures"][who]["seconds"] for who in ("float64", "pinocchio"))
                cells = ["", number(ours * 1e6), number(peer * 1e6), "", "", faster(peer / ours)]
                table.add_row(f"  {row['what'].removeprefix(KINEMATICS)}", *cells)
        table.add_section()


def _add_contact(table: Table, results: Results) -> None:
    """Distances of pairs of shapes, and the time for each of many spheres to find those that are near."""
    rows = [row for row in results["rows"] if row["what"].startswith(CONTACT)]
    if not rows:
        return
    table.add_row("[bold]Distance of two shapes, µs[/]", "", "[dim]kernel loop[/]", "[dim]coal, from Python[/]")
    for row in rows:
        times = {who: figure["seconds"] for who, figure in row["figures"].items()}
        peer = times.get("pinocchio")
        versus = [number(peer * 1e6), "", "", faster(peer / times["float64"])] if peer else []
        name = row["what"].removeprefix(CONTACT)
        if name.startswith("pile"):
            label = f"  {name}, right-hand side, each"
            table.add_row(label, number(times["packs"] * 1e6), number(times["float64"] * 1e6))
            packed = number(times["packed steps"] * 1e6) if "packed steps" in times else ""
            table.add_row(f"  {name}, 1 ms through rigid contact, each", packed, number(times["steps"] * 1e6))
            continue
        label = f"  near pairs of {name}, each" if "spheres" in name else f"  {name}"
        table.add_row(label, "", number(times["float64"] * 1e6), *versus)
    table.add_section()


def _add_scenes(table: Table, results: Results) -> None:
    """Steps through rigid contact, and what they do wrong."""
    rows = [row for row in results["rows"] if row["what"].startswith(STEPPING)]
    if not rows:
        return
    names = ("[dim]packs[/]", "[dim]one[/]", "", "[dim]its defaults[/]", "[dim]packs: one[/]", "[dim]one: MuJoCo[/]")
    table.add_row("[bold]Steps of 1 ms through rigid contact, µs[/]", *names)
    for row in rows:
        times, scene = {who: f["seconds"] for who, f in row["figures"].items()}, row["what"].removeprefix(STEPPING)
        packs, one, peer = (times[who] for who in ("packs", "float64", "mujoco"))
        alone = times.get("one by one", one)
        cells = [
            number(packs * 1e6),
            number(one * 1e6),
            "",
            number(peer * 1e6),
            faster(alone / packs),
            faster(peer / one),
        ]
        table.add_row(f"  {scene}", *cells, _verdict(results, row["what"], ""))
        if "one by one" in times:
            table.add_row("    robots of the pack, one by one", "", number(alone * 1e6))
        ours, peer = results["scenes"][scene]["ours"], results["scenes"][scene]["mujoco"]
        labels = {"speed": "speed at the end", "depth": "greatest depth", "rise": "energy gained in a ms"}
        labels = {"slip": "feet that bear load slide", **labels}
        for what, unit in (("slip" if "slip" in ours else "speed", "m/s"), ("depth", "m"), ("rise", "J")):
            label = labels[what]
            table.add_row(f"    {label}, {unit}", "", f"{ours[what]:.0e}", "", f"{peer[what]:.0e}")
    table.add_section()


def _add_closed(table: Table, results: Results) -> None:
    """A simulated second of linkages with several loops."""
    rows = [row for row in results["rows"] if row["what"].startswith(CLOSED)]
    if not rows:
        return
    names = ["", "[dim]to 1e-9[/]", "", "[dim]RK4, 1 kHz, gives way[/]"]
    table.add_row("[bold]A simulated second of N four-bars, ms[/]", *names)
    for row in rows:
        ours, peer = (row["figures"][who]["seconds"] for who in ("float64", "mujoco"))
        table.add_row(f"  N = {row['what'].removeprefix(CLOSED)}", "", number(ours * 1e3), "", number(peer * 1e3))
    table.add_section()


def _add_equal(table: Table, results: Results, scene: str, levels: list[dict[str, Any]]) -> None:
    """Our steps and those of Drake's CENIC to the same error, and their time; beside it a whole call of `simulate`."""
    names = ["[dim]call[/]", "[dim]steps[/]", "", "[dim]CENIC[/]", "", "[dim]steps: it[/]"]
    table.add_row(f"[bold]A {scene} at equal error, ms[/]", *names)
    if "missing" in levels[0]["drake"]:
        table.add_row("  [dim]" + levels[0]["drake"]["missing"].replace(": ", ":\n  ") + "[/]")
    figures = {row["what"]: row["figures"] for row in results["rows"]}
    for i, level in enumerate(levels):
        times = {who: figure["seconds"] for who, figure in figures[f"{EQUAL}{scene} {i}"].items()}
        ours, peer = level["ours"], level["drake"]
        there = "drake" in times
        asked = f"tolerance {ours['tolerance']:g}" + (f", accuracy {peer['accuracy']:g}" if there else "")
        cells = [number(times["call"] * 1e3), number(times["float64"] * 1e3), ""]
        cells += [number(times["drake"] * 1e3), "", faster(times["drake"] / times["float64"])] if there else []
        table.add_row(f"  {asked}", *cells)
        table.add_row("    error, m or rad", "", f"{ours['error']:.1e}", "", f"{peer['error']:.1e}" if there else "")
        table.add_row("    steps", "", f"{ours['steps']}", "", f"{peer['steps']}" if there else "")
    table.add_section()


def _add_fleets(table: Table, results: Results) -> None:
    """Robots that differ against robots that are alike, in packs."""
    rows = [row for row in results["rows"] if row["what"] in FLEETS]
    if rows:
        table.add_row("[bold]Robots that differ (Model.vary), 6 joints[/]", "[dim]all differ[/]", "[dim]all alike[/]")
    for row in rows:
        title, scale = FLEETS[row["what"]]
        times = [row["figures"][who]["seconds"] for who in ("packs", "alike")]
        cells = [*(number(time * scale) for time in times), *[""] * 4]
        table.add_row(f"  {title}", *cells, _verdict(results, row["what"], row["robot"]))
    if rows:
        table.add_section()


def _add_start(table: Table, results: Results) -> None:
    start = results["start"]
    warm, million = start["warm"], start["million"]
    table.add_row("[bold]Start and memory[/]", "[dim]batch[/]", "[dim]one robot[/]")

    def add(name: str, packs: str, one: str, place: str = "") -> None:
        table.add_row(f"  {name}", packs, one, *[""] * 4, _verdict(results, "start", place))

    waited = [f"{cold(who)(results):.1f} s" for who in ("cold_batch", "cold_one")]
    worked = [f"{start[who]['cpu']:.1f} s" for who in ("cold_batch", "cold_one")]
    add("cold start", waited[0], waited[1], "cold")
    add("cold start, processor time", worked[0], worked[1])
    add("cold start of simulate", "", f"{cold('cold_simulate')(results):.1f} s", "simulate")
    add("a new law of six loops", "", f"{start['cold_simulate']['law']:.2f} s", "law")
    if "cold_all" in start:
        every = {kind: f"{sum(times.values()):.1f} s" for kind, times in start["cold_all"]["seconds"].items()}
        add(f"to compile all {start['cold_all']['kernels']} kernels", every["batch"], every["one"])
    add("warm start, least", "", f"{warm['fastest']:.2f} s", "warm")
    add("warm start, median", "", f"{warm['median']:.2f} s")
    add("a million states, time", f"{million['seconds']:.2f} s", "")
    add("a million states, memory", f"{million['bytes'] / GIGABYTE:.2f} GB", "", "million")


def _verdict(results: Results, what: str, robot: str) -> str:
    here = [verdict for verdict in judged(results) if verdict["place"] == [what, robot]]
    return "\n".join(f"{v['text']} {'[green]met[/]' if v['met'] else '[bold red]not met[/]'}" for v in here)


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def faster(ratio: float) -> str:
    """A ratio, rounded down, so that 9.96 does not look like 10."""
    return f"{math.floor(ratio * 10) / 10:.1f}×"


def _title(results: Results) -> str:
    m = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in m["versions"].items())
    return f"{m['cpu']}, one core, packs of {m['lanes']}\nPython {m['python']}, {versions}"


def _caption(results: Results) -> str:
    lines = [
        "A free base with an arm (2x7: two) of revolute joints; the same states for all, each gets as many of them as",
        "keep it busy for 1.5 ms. Least of many runs that take turns. MuJoCo has only smooth dynamics switched on; its",
        "rollout is one step from every state, integration included. Start: import and first forward dynamics; cold:",
        "nothing is compiled yet.",
    ]
    if results["agreement"]:
        lines.append(
            f"All of them give the same accelerations and forces, to {max(results['agreement'].values()):.0e}."
        )
    verdicts = judged(results)
    met = sum(verdict["met"] for verdict in verdicts)
    lines.append(f"Targets: {met} of {len(verdicts)} met. Measured in {results['seconds']:.0f} s.")
    return "\n".join(lines)
