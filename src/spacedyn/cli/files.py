"""`spacedyn check`, `show` and `convert`, for files of robots and scenarios."""

import re
import warnings
from pathlib import Path
from typing import Any

from ..errors import InputError, ModelWarning, ScenarioError
from ..laws import ready_made as control
from ..lint import check_file
from ..model.files.load import available, bundled_file
from ..model.model import Model
from ..model.vibration import vibration_report
from ..run.run import Run
from ..scenario import Scenario, scenarios
from ..scenario.program import ELEMENTS, parameters_of_kind
from ..scenario.reading import is_scenario
from .output import BAD_RESULT, GOOD, command, one_line, size_of
from .running import check_target
from .show_law import tell_law
from .source import Source

_OF_MODES = ("frequencies", "damping_ratios")
_SHOWN = 100  # most findings that are printed for a file


def check_files(files: list[str], strict: bool, compile_laws: bool, allow: list[Path], as_json: bool) -> None:
    """Print the findings for each file; xacro is never run."""
    with command(as_json) as output:
        reports: list[dict[str, Any]] = []
        for name in files:
            scenario = name in scenarios() or (name.endswith(".toml") and is_scenario(name))
            found = _scenario_findings(name, compile_laws, allow) if scenario else _robot_findings(name, allow)
            reports.append({"file": name, "kind": "scenario" if scenario else "robot", "findings": found})
            colors = {"error": "red", "warning": "yellow", "note": "blue"}
            worst = found[0]["severity"] if found else "good"
            good = worst in ("good", "note")
            head = ", ".join([*(["good"] if good else []), *([_counted(found)] if found else [])])
            output.say(f"{name}: {head}", "green" if good else colors[worst])
            for one in found[:_SHOWN]:
                place = f"{one['place']}: " if one["place"] else ""
                output.say(f"  {one['severity']:8s}{place}{one['message']}", colors[one["severity"]])
                if one["remedy"]:
                    output.say(f"          {one['remedy']}", "dim")
            if len(found) > _SHOWN:
                output.say(f"  and {len(found) - _SHOWN} more; --json has all of them", "dim")
        output.put(files=reports)
        bad = {"error", "warning"} if strict else {"error"}
        wrong = any(one["severity"] in bad for report in reports for one in report["findings"])
        output.finish(BAD_RESULT if wrong else GOOD)


def _counted(found: list[dict[str, str]]) -> str:
    sorts = [one["severity"] for one in found]
    return ", ".join(f"{sorts.count(s)} {s}{'s' if sorts.count(s) != 1 else ''}" for s in dict.fromkeys(sorts))


def _robot_findings(name: str, allow: list[Path]) -> list[dict[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # they are among the findings
        file = bundled_file(name) if name in available() else Path(name)
        return [one.to_dict() for one in check_file(file, folders=allow, xacro=False)]


def _scenario_findings(name: str, compile_laws: bool, allow: list[Path]) -> list[dict[str, str]]:
    """Errors and warnings of a scenario, found by everything that a run does before its first step."""
    own, problems = False, list[str]()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        try:
            scenario = Scenario.from_toml(name, allow=allow)
            acting = [one for key in ("laws", "forces", "elements") for one in scenario.content.get(key, [])]
            own = any("file" in one for one in acting)
            scenario.check(compile_laws=compile_laws)
        except ScenarioError as error:
            problems = list(error.problems)
    found = [_finding("error", text) for text in problems]
    found += [_finding("warning", text) for text in dict.fromkeys(str(one.message) for one in warned)]
    if own and not found and not compile_laws:
        found.append(
            _finding("note", "laws or elements of its own were not compiled", "spacedyn check --compile does that too")
        )
    return found


def _finding(severity: str, text: str, remedy: str = "") -> dict[str, str]:
    place = re.match(r"(line \d+(?:, column \d+)?|--set \S+): ", text)
    message = text[place.end() :] if place else text
    return {"severity": severity, "place": place[1] if place else "", "message": message, "remedy": remedy}


def show_what(source: Source, as_json: bool) -> None:
    """A robot's tree; a scenario's parts; parameters of a law, a motion or an element."""
    with command(as_json) as output:
        name = source.name
        for kind, known in (("law", control.LAWS), ("motion", control.MOTIONS), ("element", ELEMENTS)):
            if name in known:
                tell_law(output, name, known[name], kind, parameters_of_kind(name)[0] if kind == "element" else None)
                if name not in (*scenarios(), *available()):
                    return
                output.say()
        what = source.found([*control.LAWS, *control.MOTIONS, *ELEMENTS])
        if isinstance(what, Run):
            raise InputError(f"{name} is a saved run; see it by: spacedyn view {name}")
        model: Model = what.build()["robot"] if isinstance(what, Scenario) else what
        if isinstance(what, Scenario):
            output.put(scenario=what.name, content=what.content)
            output.say(one_line(what.content.get("title", what.name)), "bold")
            for line in what.to_toml().splitlines():
                output.say(f"  {line}" if line else "")
            output.say()
        joints = [{"name": j.name, "kind": j.kind, "parent": j.parent, "child": j.child} for j in model.joints]
        bodies = [{"name": body.name, "mass": body.mass} for body in model.bodies]
        ends = [{"name": one.name, "body": one.body} for one in model.endpoints]
        output.put(robot=model.name, base=model.base_kind, mass=model.total_mass, rates=model.nv)
        output.put(bodies=bodies, joints=joints, endpoints=ends)
        if modes := vibration_report(model):
            listed = {base: (one.frequencies.tolist(), one.damping_ratios.tolist()) for base, one in modes.items()}
            output.put(vibration={base: dict(zip(_OF_MODES, both, strict=True)) for base, both in listed.items()})
        output.say(str(model))


def convert_file(source: Source, target: Path, force: bool, as_json: bool) -> None:
    """Convert a file to the format that the target's ending names."""
    with command(as_json) as output:
        if target.exists() and not force:
            raise InputError(f"{target} is there already; --force writes over it")
        check_target(target, target.suffix.lower())
        _write_as(source.found(), target, source.name)
        output.put(files=[str(target)])
        output.say(f"{target} ({size_of(target)})")


def _write_as(what: Any, target: Path, source: str) -> None:
    """Write it in the format that the target's ending names."""
    suffix = target.suffix.lower()
    ways: dict[str, Any]
    if isinstance(what, Scenario):
        ways = {".toml": what.to_toml, ".py": what.to_python}
    elif isinstance(what, Model):
        ways = {".toml": what.to_toml, ".urdf": what.to_urdf}
    else:
        ways = {
            ".nc": what.save,
            ".csv": lambda path: what.to_dataframe().to_csv(path),
            ".html": what.to_html,
        }
    if suffix not in ways:
        kind = "scenario" if isinstance(what, Scenario) else "robot" if isinstance(what, Model) else "run"
        raise InputError(
            f"{source} is a {kind}, which can be written as {', '.join(ways)}; not as {suffix or target.name!r}"
        )
    ways[suffix](target)
