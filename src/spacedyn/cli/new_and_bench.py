"""`spacedyn new` starts a study, `spacedyn bench` runs the benchmarks."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from ..errors import InputError, UnknownName
from ..model.files.load import available, load
from ..model.model import Model
from ..scenario import Scenario
from .output import BAD_RESULT, command

_LAWS = '''"""Laws of {name}: f(t, s, p, out), compiled into the simulation loop. Write loops: they compile fast."""

import spacedyn as sd


@sd.law(period=0.01)  # 100 Hz; without a period it is continuous
def brake(t, s, p, out):
    """What is in s (q, qd, base_rate, endpoints, ...) and out (tau, base_wrench, ...): docs/simulation.md."""
    for i in range(s.qd.size):
        out.tau[i] = -p.strength * s.qd[i]
'''
_SCENARIO = """# A scenario: run it by   spacedyn run {name}.toml --html {name}.html --plots {name}
# SI units and radians; keys that end in _deg are in degrees. What is left out has the default of the same word of
# sd.simulate. `spacedyn check {name}.toml` finds what is wrong, `spacedyn list laws` has the ready-made laws,
# `spacedyn show joint_hold` what one of them takes.
title = "{name}"
robot = "{robot}" # a bundled one (spacedyn list robots), or a file in this folder: "arm.urdf", "arm.toml"
duration = 20.0 # s
record = 0.05 # s; or a list of times, or "steps"
# gravity = [0, 0, -9.81] # m/s^2; none if left out

[state] # at the start; what is left out is zero
q = {q} # in the order of the joints: {joints}
{base}
[[laws]] # a ready-made law and its parameters
law = "joint_hold"
target = {target}
bandwidth = 0.5 # rad/s

[[laws]] # a law of your own, from a file beside this one
law = "brake"
file = "{name}_laws.py"
strength = 0.5

# [prescribed] # joints that move as functions of time, whatever force it takes
# {joint} = {{ times = [0, 10], values = [{first}, 0.5] }} # it starts where [state] has it

# [[elements]]
# kind = "wrench" # spacedyn list elements has all kinds, spacedyn show wrench what one takes
# body = "{body}"
# force = [1.0, 0.0, 0.0] # N
# stop = 2.0 # s

# [[events]]
# when = "joint_reaches" # or endpoint_reaches, endpoints_within, altitude_reaches
# joint = "{joint}"
# value = 0.1
# terminal = true

# [method]
# name = "DormandPrince8" # the default; spacedyn list methods
# rtol = 1e-11

[plots]
figures = [["q", "tau"], ["ledger"]]
degrees = true

[film]
degrees = true
"""


def start_study(name: str, robot: str, force: bool, as_json: bool) -> None:
    """Write the files of a study, which run as they are."""
    with command(as_json) as output:
        path = Path(name.removesuffix(".toml"))
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", path.name):
            raise InputError(
                f"the name of a study has letters, digits and underscores, such as my_study; got {path.name!r}"
            )
        if robot not in available():
            raise UnknownName("bundled robot", robot, available())
        files = {end: path.with_name(path.name + end) for end in ("_laws.py", ".toml", ".py")}
        for file in files.values():
            if file.exists() and not force:
                raise InputError(f"{file} is there already; --force writes over it")
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        files["_laws.py"].write_text(_LAWS.format(name=path.name), encoding="utf-8")
        files[".toml"].write_text(_text(path.name, load(robot)), encoding="utf-8")
        Scenario.from_toml(files[".toml"]).to_python(files[".py"])
        for end, about in (
            (".toml", "the scenario"),
            ("_laws.py", "a law of its own"),
            (".py", "the same as a script"),
        ):
            output.say(f"{files[end]}  {about}")
        output.put(files=[str(file) for file in files.values()])
        scenario, film = (shlex.quote(str(file)) for file in (files[".toml"], path.with_name(f"{path.name}.html")))
        output.note(f"now: spacedyn run {scenario} --html {film}", "dim")


def _text(name: str, model: Model) -> str:
    count = model.nq
    return _SCENARIO.format(
        name=name,
        robot=model.name,
        q=[(3 - i) / 10 for i in range(count)],
        target=[0.0] * count,
        joints=", ".join(model.joint_names),
        base="# base_rate_deg = [0, 0, 1] # deg/s, inertial axes\n" if model.base_dof else "",
        joint=model.joint_names[0],
        first=0.3,
        body=model.body_names[-1],
    )


def run_benchmarks(arguments: list[str]) -> None:
    """Run the project's benchmarks, if its folder is here."""
    with command() as output:
        root = Path(__file__).parents[3]
        if not (root / "benchmarks" / "__main__.py").is_file():
            raise InputError(
                "benchmarks are in a checkout of the project only, not in the installed package: make bench"
            )
        done = subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=root)
        output.finish(BAD_RESULT if done.returncode else 0)
