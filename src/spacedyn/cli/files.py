"""`spacedyn check`, `show` and `convert`: files of robots and scenarios."""

import warnings
from pathlib import Path
from typing import Any

from .. import control
from ..errors import InputError, ModelWarning, ScenarioError
from ..lint import check_file
from ..model.load import available, load
from ..model.model import Model
from ..run import Run
from ..scenario import Scenario, scenarios
from ..scenario.reading import is_scenario
from .describing import tell_law
from .looking import what_is
from .output import BAD_RESULT, GOOD, command, size_of


def check_files(files: list[str], strict: bool, as_json: bool) -> None:
    """What is wrong in each of the files."""
    with command(as_json) as output:
        reports: list[dict[str, Any]] = []
        for name in files:
            scenario = name in scenarios() or (name.endswith(".toml") and is_scenario(name))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)  # they are among the findings
                found = _scenario_findings(name) if scenario else _robot_findings(name)
            reports.append({"file": name, "kind": "scenario" if scenario else "robot", "findings": found})
            colors = {"error": "red", "warning": "yellow", "note": "blue"}
            worst = found[0]["severity"] if found else "good"
            output.say(f"{name}: {'good' if not found else _counted(found)}", colors.get(worst, "green"))
            for one in found:
                place = f"{one['place']}: " if one["place"] else ""
                output.say(f"  {one['severity']:8s}{place}{one['message']}", colors[one["severity"]])
                if one["remedy"]:
                    output.say(f"          {one['remedy']}", "dim")
        output.put(files=reports)
        bad = {"error", "warning"} if strict else {"error"}
        wrong = any(one["severity"] in bad for report in reports for one in report["findings"])
        output.finish(BAD_RESULT if wrong else GOOD)


def _counted(found: list[dict[str, str]]) -> str:
    sorts = [one["severity"] for one in found]
    return ", ".join(f"{sorts.count(s)} {s}{'s' if sorts.count(s) != 1 else ''}" for s in dict.fromkeys(sorts))


def _robot_findings(name: str) -> list[dict[str, str]]:
    if name in available():
        load(name)
        return []
    return [one.to_dict() for one in check_file(name)]


def _scenario_findings(name: str) -> list[dict[str, str]]:
    """What keeps a scenario from being run; all is done that is done before the first step."""
    try:
        Scenario.from_toml(name).check()
    except ScenarioError as error:
        return [{"severity": "error", "place": "", "message": text, "remedy": ""} for text in error.problems]
    return []


def show_what(name: str, as_json: bool) -> None:
    """A robot's tree; a scenario's parts; a law's parameters."""
    with command(as_json) as output:
        for kind, known in (("law", control.LAWS), ("motion", control.MOTIONS)):
            if name in known:
                tell_law(output, name, known[name], kind)
                if name not in (*scenarios(), *available()):
                    return
                output.say()
        what = what_is(name, [])
        if isinstance(what, Run):
            raise InputError(f"{name} is a saved run; see it by: spacedyn view {name}")
        model: Model = what.build()["robot"] if isinstance(what, Scenario) else what
        if isinstance(what, Scenario):
            output.put(scenario=what.name, content=what.content)
            output.say(what.content.get("title", what.name), "bold")
            for line in what.to_toml().splitlines():
                output.say(f"  {line}" if line else "")
            output.say()
        joints = [{"name": j.name, "kind": j.kind, "parent": j.parent, "child": j.child} for j in model.joints]
        bodies = [{"name": body.name, "mass": body.mass} for body in model.bodies]
        ends = [{"name": one.name, "body": one.body} for one in model.endpoints]
        output.put(robot=model.name, base=model.base_kind, mass=model.total_mass, rates=model.nv)
        output.put(bodies=bodies, joints=joints, endpoints=ends)
        output.say(str(model))


def convert_file(source: str, target: Path, change: list[str], force: bool) -> None:
    """Another kind of file of the same thing."""
    with command() as output:
        if target.exists() and not force:
            raise InputError(f"{target} is there already; --force writes over it")
        what = what_is(source, change)
        _writer(what, target, source)
        output.say(f"{target} ({size_of(target)})")


def _writer(what: Any, target: Path, source: str) -> None:
    """Write it."""
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
