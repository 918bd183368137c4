"""Scenarios: a simulation as a file. Robot, state, laws, elements, events, method, what to record, draw and film."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.element import blocks_of
from ..elements.program import UserElement
from ..errors import InputError, ModelError, ScenarioError, SimulationFailed, SpacedynError, nearest
from ..laws import ready_made as control
from ..laws.compile import compile_law
from ..laws.law import Law
from ..model.model import Model
from ..run.run import Run
from ..run.simulate import run_of
from ..simulate.setup import simulation_of
from ..simulate.simulation import Simulation
from .changes import changed, plain, settings
from .expressions import Call, Fault, Missing, Name, evaluate, gather
from .faults import checked, in_toml, is_path, sound
from .fence import Fence, Folders
from .figure_checks import look_faults
from .figure_names import figure_groups, figure_names
from .line_numbers import Path
from .program import Program
from .reading import load_robot, parse, read_text
from .script import script
from .writing import write_toml

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..show.viewer.film_page import Film


class Scenario:
    """A simulation as data: what a scenario file holds.

    Parameters
    ----------
    folder : path, optional
        Where robots' files and laws' files are, which must lie in it or below; the current folder if left out.
    allow : path or iterable of paths, optional
        Other folders in which files that it names may lie: robots, their meshes and includes, laws.
    xacro : bool
        Whether a robot in xacro may be expanded: that runs what its file says.
    **content
        What stands in a scenario file: robot, duration, state, laws, prescribed, elements, events, method, gravity,
        record, plots, film and so on; docs/howto/scenarios.md has them all.

    Attributes
    ----------
    content : dict
        The same as plain data.
    name : str
        Of its file, or 'scenario'.

    Raises
    ------
    ScenarioError
        With every problem found.

    Examples
    --------
    >>> import spacedyn as sd
    >>> scenario = sd.Scenario(robot="ets7", duration=2.0, state={"qd": {"joint1": 0.1}}, record=0.5)
    >>> scenario.run().time.tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    >>> sd.Scenario(robot="ets7", duraton=2.0)
    Traceback (most recent call last):
        ...
    spacedyn.errors.ScenarioError: scenario in Python has 2 problems:
      - duration is missing; give a positive time [s], such as 60.0
      - there is no key 'duraton'; did you mean 'duration'? There are: title, description, robot, duration, ...
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        allow: Folders = (),
        xacro: bool = False,
        **content: Any,
    ):
        self._take(plain(content), Fence.around(FilePath(folder or "."), allow, xacro), "in Python", {}, None)

    def _take(
        self, content: Any, fence: Fence, source: str, lines: Mapping[Path, int | str], robot: Model | None
    ) -> None:
        self.folder, self.source, self._lines, self._given_robot = fence.folder, source, lines, robot
        self.name = FilePath(source).stem if source.endswith(".toml") else "scenario"
        self.content, faults = checked(content)
        self._looked_at = set[tuple[str, ...]]()  # names of quantities that have been checked
        # the sound part of a faulty file may have further faults: report all together
        self._program = Program(sound(content, faults), fence, robot is not None)
        faults += self._program.faults
        if faults:
            raise self._problems(faults)

    def _sentence(self, path: Path, text: str) -> tuple[int, str]:
        """The line of a path in the file, and the sentence with that line."""
        while path and path not in self._lines:
            path = path[:-1]
        if path not in self._lines:
            return 0, text
        line = self._lines[path]
        return (0, f"{line}: {text}") if isinstance(line, str) else (line, f"line {line}: {text}")

    # --- files -------------------------------------------------------------------------------------------------------

    @classmethod
    def from_toml(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        change: Mapping[str, Any] | Iterable[str] = (),
        folder: str | os.PathLike[str] | None = None,
        allow: Folders = (),
        xacro: bool = False,
    ) -> "Scenario":
        """A scenario from a TOML file, from the text of one, or a bundled one by its name.

        Parameters
        ----------
        path_or_text : str or path
            A path; one of `scenarios()`; or text, which has more than one line or an equals sign.
        change : {key: value} or 'key=value', optional
            What is to be other than in the file: 'duration=20', 'laws.0.bandwidth=2', 'state.q.1=0.3'. Items of
            lists are counted from 0, or named: 'laws.joint_hold.bandwidth=2'. A robot's file that is
            named here may be anywhere.
        folder : path, optional
            Where files are that it names, if not in its own folder.
        allow : path or iterable of paths, optional
            Other folders in which files that it names may lie: robots, their meshes and includes, laws.
        xacro : bool
            Whether a robot in xacro may be expanded: that runs what its file says.

        Raises
        ------
        ScenarioError
            With the line of each problem and the nearest valid key.

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.Scenario.from_toml("ets7_reach", change=["duration=20"]).content["duration"]
        20
        """
        text, source, place = read_text(path_or_text)
        data, lines = parse(text, source)
        fence = Fence.around(FilePath(folder) if folder is not None else place or FilePath.cwd(), allow, xacro)
        robot = None
        for keys, value in settings(change):
            if keys == ["robot"] and isinstance(value, str) and is_path(value):
                value = os.path.abspath(value)  # a file that the caller names may be anywhere
                robot = load_robot(value, fence.allowed)
            path = changed(data, keys, value)
            lines = {at: line for at, line in lines.items() if at[: len(path)] != path}
            lines[path] = f"--set {'.'.join(keys)}"
        made = cls.__new__(cls)
        made._take(data, fence, source, lines, robot)
        return made

    def to_toml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The scenario as the text of a TOML file, which is written too if a path is given; reads back the same."""
        text = write_toml(self.content)
        if path is not None:
            FilePath(path).write_text(text, encoding="utf-8")
        return text

    def to_python(self, path: str | os.PathLike[str] | None = None) -> str:
        """A script that does the same, number for number; it belongs in the scenario's folder.

        Examples
        --------
        >>> import spacedyn as sd
        >>> print(sd.Scenario(robot="ets7", duration=2.0, record=0.5).to_python().splitlines()[4])
        robot = sd.load("ets7")
        """
        text = script(self._program, self.content, self.name)
        if path is not None:
            FilePath(path).write_text(text, encoding="utf-8")
        return text

    # --- running -----------------------------------------------------------------------------------------------------

    def build(self) -> dict[str, Any]:
        """Robot, state, laws, prescribed, elements, events: what `simulate` takes, made but not run.

        Raises ScenarioError, with the line, if something cannot be made.
        """
        return {k: v for k, v in self._built.items() if k not in ("sd", "np", "control", "here")}

    @cached_property
    def _built(self) -> dict[str, Any]:
        space: dict[str, Any] = {"sd": _Names(), "np": np, "control": control, "here": self.folder}
        faults: list[Fault] = []
        for name, expression in self._program.assignments:
            if name == "robot" and self._given_robot is not None:
                space[name] = self._given_robot
                continue
            value, found = gather(expression, space)
            faults += [fault for fault in found if not isinstance(fault, Missing)]
            if not found:
                space[name] = value
        if faults:
            raise self._error(*faults) from faults[0].error
        return space

    @cached_property
    def _simulation(self) -> Simulation:
        """The checked description of the run, for `check` and `run`."""
        call = self._program.simulate
        try:
            space = {**self._built, "simulation_of": simulation_of}
            made: Simulation = evaluate(Call(Name("simulation_of"), call.arguments, call.named), space)
        except Fault as fault:
            raise self._error(fault) from fault.error
        return made

    def _error(self, *faults: Fault) -> Exception:
        sentences = []
        for fault in faults:
            error, path = fault.error, fault.path
            if isinstance(error, SimulationFailed | Warning):  # a Warning is raised where warnings are errors
                return error
            problems = error.problems if isinstance(error, ModelError) else [str(error)]
            if not isinstance(error, SpacedynError):
                problems = [f"{type(error).__name__}: {error}"]
            sentences += [(self._where(path or self._place(text), text), in_toml(text)) for text in problems]
        return self._problems(list(dict.fromkeys(sentences)))

    def _where(self, path: Path, text: str) -> Path:
        """The key itself, where a sentence is about a parameter that there is not, or one that --set has given."""
        found = re.search(r"has no parameter '(\w+)'|no parameter of .+? named '(\w+)'", text)
        if found:
            return (*path, found[1] or found[2])
        opens = re.findall(r"(?:^|(?<=: ))(\w+)(?= must\b|:)", text)  # "joint_hold: target must be ..."
        set_here = ((*path, key) for key in opens if isinstance(self._lines.get((*path, key)), str))
        return next(set_here, path)

    def _problems(self, faults: list[tuple[Path, str]]) -> ScenarioError:
        """One ScenarioError for all faults, in the order of the file's lines; missing keys come first."""
        sentences = [self._sentence(path, text) for path, text in faults]
        return ScenarioError(self.source, [text for _, text in sorted(sentences, key=lambda one: one[0])])

    def _place(self, text: str) -> Path:
        """The path in the scenario of the joint or law that a message names."""
        for name in self.content.get("prescribed", {}):
            if f"joint '{name}'" in text or f"joint named '{name}'" in text:
                return ("prescribed", name)
        for i, given in enumerate(self.content.get("laws", [])):
            if f"law '{given['law']}'" in text:
                return ("laws", i)
        for key in ("forces", "elements"):
            for i, given in enumerate(self.content.get(key, [])):
                for name, value in given.items():
                    if isinstance(value, str) and f"named '{value}'" in text:
                        return (key, i, name)
                called = given.get("name", given["kind"])
                names = f"element '{called}'", f"loop '{called}'", f"law '{given['kind']}'"
                held = given["kind"] in ("prescribed_joint", "locked_joint") and f"joint '{given.get('joint')}'" in text
                if held or any(name in text for name in names):
                    return (key, i)
        return ()

    def check(self, *names: str, compile_laws: bool = False) -> None:
        """Do all that `run` does before its first step: make everything, and check all names.

        Nothing is compiled, but for what `assemble = true` needs to move the robot.

        Parameters
        ----------
        *names : str
            Of quantities to be drawn, beside those of its [plots] and [film].
        compile_laws : bool
            Compile laws, motions and conditions too; a warning tells of each that cannot be.

        Raises
        ------
        ScenarioError
            With what keeps it from being run or drawn.

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.Scenario(robot="ets7", duration=2.0, plots={"figures": ["taus"]}).check()
        Traceback (most recent call last):
            ...
        spacedyn.errors.ScenarioError: scenario in Python has 1 problem:
          - plots.figures: no quantity named 'taus'; did you mean 'tau'? There are: ...
        """
        simulation = self._simulation
        if names not in self._looked_at:
            faults = look_faults(self.content, simulation, names)
            if faults:
                raise self._problems(faults)
            self._looked_at.add(names)
        if compile_laws:
            known = blocks_of(simulation.elements)
            for element in simulation.elements:
                if isinstance(element, UserElement):
                    element.compiled()
            for law in (
                *simulation.laws,
                *simulation.conditions,
                *simulation.prescribed.values(),
            ):
                if isinstance(law, Law):
                    compile_law(law, known)

    def run(self, **options: Any) -> Run:
        """Simulate it.

        Parameters
        ----------
        **options
            `progress` and `stream`, as `simulate` has them.

        Returns
        -------
        Run

        Examples
        --------
        >>> import spacedyn as sd
        >>> run = sd.Scenario.from_toml("tian_wu", change={"duration": 1.0}).run()
        >>> run.status
        'done'
        """
        for name in options:
            if name not in ("progress", "stream"):
                raise InputError(f"run: there is no option {name!r}; {nearest(name, ['progress', 'stream'])}")
        self.check()
        try:
            return run_of(self._simulation, **options)
        except Exception as error:
            raise self._error(Fault((), error)) from error

    # --- looking -----------------------------------------------------------------------------------------------------

    def figures(self, run: Run) -> dict[str, "Figure"]:
        """The figures that its [plots] ask for, by name: what a person wants to see first if it asks for none."""
        given = self.content.get("plots", {})
        options = {key: given[key] for key in ("degrees", "style") if key in given}
        groups = figure_groups(self.content)
        names = figure_names(groups)
        return {name: run.plot(*group, **options) for name, group in zip(names, groups, strict=True)}

    def film(self, run: Run) -> "Film":
        """The film that its [film] asks for."""
        title = {"title": self.content["title"]} if "title" in self.content else {}
        return run.film(**{**title, **self.content.get("film", {})})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and other.content == self.content and other.folder == self.folder

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        robot = self.content["robot"]
        name = robot if isinstance(robot, str) else robot.get("file") or " and ".join(robot["scene"])
        return f"<Scenario {self.name!r}: {name}, {self.content['duration']:g} s>"


class _Names:
    """The package's public names, as a script has them under `sd`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.modules[__name__.partition(".")[0]], name)
