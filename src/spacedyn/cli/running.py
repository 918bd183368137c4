"""`spacedyn run`: a scenario, its verdict, and its files."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.event import install_timer

from ..errors import InputError, SimulationFailed, SpacedynError
from ..model.model import Model
from ..model.state import State
from ..model.tree_text import count
from ..run.run import Run
from ..scenario import Scenario
from .output import BAD_RESULT, GOOD, INTERRUPTED, Output, command, one_line, size_of
from .source import Source

_EVENTS = 8  # of a run that are printed


def run_scenario(
    source: Source, out: Path | None, html: Path | None, plots: Path | None, quiet: bool, as_json: bool
) -> None:
    """Simulate a scenario, print its summary, write its files."""
    with command(as_json) as output:
        check_target(out, ".nc")
        check_target(html, ".html", ".htm")
        check_figures(plots)
        scenario = source.scenario()
        scenario.check()
        built = scenario.build()
        robot = built["robot"]
        if not quiet:
            output.say(one_line(scenario.content.get("title", scenario.name)), "bold")
            output.say(f"  robot      {robot.name}: {_sizes(robot, built['state'])}")
            output.say(f"  simulating {scenario.content['duration']:g} s ...")
        began = time.perf_counter()
        compiling: list[float] = []  # seconds, including the loading of cached machine code
        with install_timer("numba:compiler_lock", compiling.append), kept(output, scenario, out, html, plots):
            run = scenario.run(progress=not as_json)
        seconds, made = time.perf_counter() - began, sum(compiling)
        tell(output, run, seconds - made, made, quiet)
        output.put(scenario=scenario.name, **summary(run), seconds=round(seconds, 3), compiling=round(made, 3))
        output.put(files=write_files(output, scenario, run, out, html, plots))
        if not (out or html or plots or quiet):
            output.note("  (--html film.html writes a film, --plots folder figures, --out run.nc the numbers)", "dim")
        output.finish(exit_code(run))


@contextmanager
def kept(output: Output, scenario: Scenario, *paths: Path | None) -> Iterator[None]:
    """Write what a simulation had recorded before it failed; then the failure goes on."""
    try:
        yield
    except SimulationFailed as failure:
        run = failure.run
        if isinstance(run, Run) and run.time.size and any(paths):
            output.say(
                f"  stopped    at t = {failure.time:g} s; recorded until then, {count(run.time.size, 'record')}:"
            )
            try:
                output.put(files=write_files(output, scenario, run, *paths))
            except (SpacedynError, OSError) as error:
                output.note(error, "yellow", "warning:")
        raise


def check_target(path: Path | None, *endings: str) -> None:
    """Raise if a file could not be written there, before anything is computed."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file in it, such as {path / f'run{endings[0]}'}")
    if path.suffix.lower() not in endings:
        raise InputError(f"{path} should end in {' or '.join(endings)}")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.absolute().parent} to write {path.name} to; make it first")


def check_figures(folder: Path | None) -> None:
    """Raise if figures cannot be drawn, or not be written to the folder."""
    if folder is None:
        return
    if find_spec("matplotlib") is None:
        raise InputError("figures need matplotlib: pip install 'spacedyn[plots]'")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; figures go into a folder")


def _sizes(robot: Model, state: State) -> str:
    """Base, joints, mass, and how many of a batch there are."""
    many = f"; a batch of {count(state.count, 'robot')}" if state.shape else ""
    return f"{robot.base_kind} base, {count(robot.n, 'joint')}, {robot.total_mass:.6g} kg{many}"


def exit_code(run: Run) -> int:
    """The exit code: whether it was interrupted, and whether its ledger is within budget."""
    if run.status == "interrupted":
        return INTERRUPTED
    return GOOD if run.audit().within_budget else BAD_RESULT


def summary(run: Run) -> dict[str, Any]:
    """A summary of a run as data, for JSON."""
    audit, final = run.audit(), run.final
    errors = {key: getattr(audit, key) for key in ("energy", "linear_momentum", "angular_momentum", "quaternion_norm")}
    return {
        "robot": run.model.name,
        "status": run.status,
        "time": float(run.time[-1]),
        "records": int(run.time.size),
        "ledger": {
            **{key: None if np.isnan(value) else float(value) for key, value in errors.items()},
            "worst": audit.worst,
            "budget": audit.budget,
            "within_budget": audit.within_budget,
            "verdict": audit.verdict,
        },
        "events": [{"name": e.name, "time": e.time, **({"robot": e.robot} if run.shape else {})} for e in run.events],
        "final": {
            "base_position": final.base_position,
            "base_quaternion_xyzw": final.base_quaternion_xyzw,
            "q": final.q,
            "base_velocity": final.base_velocity,
            "base_rate": final.base_rate,
            "qd": final.qd,
        },
    }


def tell(output: Output, run: Run, seconds: float, compiling: float, quiet: bool) -> None:
    """Print a summary of a run."""
    audit = run.audit()
    if not quiet:
        done = f"{run.time[-1] - run.time[0]:g} s simulated in {seconds:.2f} s, {count(run.time.size, 'record')}"
        if compiling >= 0.1:
            output.say(f"  compiled   or loaded in {compiling:.1f} s what the simulation needs")
        output.say(f"  done       {done}{'' if run.status == 'done' else f', status {run.status!r}'}")
        if run.model.base_dof and not run.shape:
            first = run.states[0].base_attitude.inv()
            turned = np.degrees((run.states.base_attitude * first).magnitude())
            output.say(f"  base       turned by up to {turned.max():.3g} deg, by {turned[-1]:.3g} deg at the end")
        for name in run.model.endpoint_names[:4]:
            ways = np.linalg.norm(np.diff(run.endpoint(name).position, axis=0), axis=-1).sum(axis=0)
            way = f"{ways:.3g}" if ways.ndim == 0 else f"{ways.min():.3g} to {ways.max():.3g}"
            output.say(f"  {name:10s} travelled {way} m")
        for event in run.events[:_EVENTS]:
            whose = f", robot {', '.join(map(str, event.robot))}" if event.robot else ""
            output.say(f"  event      {one_line(event.name)} at {event.time:.6g} s{whose}")
        if len(run.events) > _EVENTS:
            output.say(f"             and {len(run.events) - _EVENTS} more")
        for line in str(audit).splitlines()[:-1]:
            output.say(f"  {line}")
    output.say(f"  verdict    {audit.verdict}", "green" if audit.within_budget else "red")


def write_files(
    output: Output, scenario: Scenario, run: Run, out: Path | None, html: Path | None, plots: Path | None
) -> list[str]:
    """Write the run, its figures and its film, and report their paths."""
    files: list[Path] = []

    def made(what: str, path: Path) -> None:
        files.append(path)
        output.say(f"  {what:10s} {path} ({size_of(path)})")

    if out is not None:
        run.save(out)
        made("run", out)
    if plots is not None:
        plots.mkdir(parents=True, exist_ok=True)
        for name, figure in scenario.figures(run).items():
            figure.savefig(plots / f"{name}.png")
            made("figure", plots / f"{name}.png")
    if html is not None:
        scenario.film(run).save(html)
        made("film", html)
    return [str(path) for path in files]
