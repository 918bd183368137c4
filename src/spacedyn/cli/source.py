"""The scenario, run or robot that a command names, and the folders that its file may open."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, UnknownName
from ..model.files.load import available, load
from ..model.model import Model
from ..run.run import Run
from ..scenario import Scenario, scenarios
from ..scenario.reading import is_scenario


@dataclass(frozen=True)
class Source:
    """A scenario, a run or a robot, by name or file.

    Attributes
    ----------
    name : str
        Of a bundled one, or of a file.
    change : list of str
        Changes to a scenario, 'key=value'.
    allow : list of Path
        Folders that it may open files in, besides its own.
    xacro : bool
        Whether a scenario's robot may be a program of xacro.
    """

    name: str
    change: list[str]
    allow: list[Path]
    xacro: bool = False

    def scenario(self) -> Scenario:
        """Read it as a scenario."""
        return Scenario.from_toml(self.name, change=self.change, allow=self.allow, xacro=self.xacro)

    def found(self, others: Sequence[str] = ()) -> Scenario | Run | Model:
        """Load it as what it is: a scenario, a run or a robot; `others` are names that the command knows as well."""
        found = self._found(others)
        if self.change and not isinstance(found, Scenario):
            what = "saved run" if isinstance(found, Run) else "robot"
            raise InputError(f"--set changes a scenario; {self.name} is a {what}")
        return found

    def _found(self, others: Sequence[str]) -> Scenario | Run | Model:
        name, suffix = self.name, Path(self.name).suffix.lower()
        if not name.strip():
            raise InputError("give the name of a scenario, a robot or a file; spacedyn list shows the bundled ones")
        if suffix == ".nc" or (Path(name).is_dir() and not suffix):
            if not Path(name).exists():
                raise InputError(f"there is no file {name}")
            return Run.load(name, folders=self.allow)
        if suffix == ".toml" and is_scenario(name):
            return self.scenario()
        if suffix:
            return load(name, folders=self.allow) if suffix in (".urdf", ".xacro", ".xml") else load(name)
        if name in scenarios():  # a scenario may have the name of its robot
            return self.scenario()
        if name in available():
            return load(name)
        if Path(f"{name}.toml").is_file():
            raise InputError(f"no bundled scenario or robot is named '{name}'; give the file's name: {name}.toml")
        what = "scenario, robot, law, motion or element" if others else "bundled scenario or robot"
        raise UnknownName(what, name, [*scenarios(), *available(), *others])
