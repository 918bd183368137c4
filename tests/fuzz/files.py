"""Robots and scenarios as files: TOML, URDF and MuJoCo's XML, changed by bytes, tokens and structure."""

import ast
import tomllib
import warnings
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import spacedyn as sd

from . import bombs, seeds
from .hostile import Names
from .mutations import Text, by_bytes, by_tokens, grown
from .trees import Node, changed_element, changed_table, parsed, toml_bytes
from .violations import WrongResult

BOMBS = 0.001


class TextFiles:
    """Files that are texts."""

    name: ClassVar[str]
    suffix: ClassVar[str]

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Read the seeds, and try each once."""
        seeds.furnish(folder)
        self._names, self._path, self._texts = Names(bait), folder / f"case{self.suffix}", self.texts()
        self._trees = [self.tree(text) for text in self._texts]
        for text in self._texts:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.place(text.data)
                self.attempt(text.data)

    def texts(self) -> list[Text]:
        """What files are made from."""
        raise NotImplementedError

    def tree(self, text: Text) -> Any:
        """The structure of a text."""
        raise NotImplementedError

    def changed_tree(self, rng: Random, tree: Any) -> bytes:
        """A text of another structure."""
        raise NotImplementedError

    def read(self, path: Path) -> None:
        """Give a file to the package."""
        raise NotImplementedError

    def make(self, rng: Random) -> bytes:
        """A changed file; now and then a bomb."""
        if rng.random() < BOMBS:
            return bombs.of_kind(rng, self.name)
        at = rng.randrange(len(self._texts))
        text, way = self._texts[at], rng.random()
        if way < 0.25:
            return by_bytes(rng, text.data, rng.choice(self._texts).data)
        if way < 0.6:
            return by_tokens(rng, text, self._names)
        data = self.changed_tree(rng, self._trees[at])
        return data if way < 0.95 else by_tokens(rng, Text("", data), self._names)

    def place(self, given: bytes) -> None:
        """Write it."""
        self._path.write_bytes(given)

    def attempt(self, given: bytes) -> None:
        """Read it."""
        self.read(self._path)

    def saved(self, given: bytes) -> bytes:
        """As it is."""
        return given


class Tables(TextFiles):
    """TOML."""

    suffix = ".toml"

    def tree(self, text: Text) -> dict[str, Any]:
        return tomllib.loads(text.data.decode())

    def changed_tree(self, rng: Random, tree: Any) -> bytes:
        data = toml_bytes(changed_table(rng, tree, self._names))
        return grown(rng, data) if rng.random() < 0.001 else data


class Robots(Tables):
    """Robots in TOML."""

    name = "robot"

    def texts(self) -> list[Text]:
        return seeds.robots()

    def read(self, path: Path) -> None:
        model = sd.load(path)
        if path.stat().st_size % 4 == 0 and sd.Model.from_toml(model.to_toml()).digest != model.digest:
            raise WrongResult("a robot that was read is not written so that it reads back")


class Scenarios(Tables):
    """Scenarios."""

    name = "scenario"

    def texts(self) -> list[Text]:
        return seeds.scenario_texts()

    def read(self, path: Path) -> None:
        scenario = sd.Scenario.from_toml(path)
        script = scenario.to_python()
        _check_script(script)
        _ = scenario.to_toml()
        scenario.check()


_CALLED = {"sd", "np", "control", "Path", "print", "run", "here", "robot", "mine", "datetime", "float"}


def _check_script(script: str) -> None:
    """A scenario as a script may call the package and NumPy, nothing else."""
    try:
        tree = ast.parse(script, __file__)  # the name of a file that may be read, should Python want to quote from it
    except (SyntaxError, ValueError) as error:
        raise WrongResult(f"a scenario's script is not Python: {error}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {node.module} if isinstance(node, ast.ImportFrom) else {alias.name for alias in node.names}
            if not names <= {"numpy", "spacedyn", "pathlib", "datetime"}:
                raise WrongResult(f"a scenario's script imports {sorted(map(str, names))}")
        if isinstance(node, ast.Call):
            root = node.func
            while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
                root = root.func if isinstance(root, ast.Call) else root.value
            if not isinstance(root, ast.Name) or root.id not in _CALLED:
                raise WrongResult(f"a scenario's script calls {ast.unparse(node)[:60]}")


class Elements(TextFiles):
    """XML."""

    def tree(self, text: Text) -> Node:
        return parsed(text.data)

    def changed_tree(self, rng: Random, tree: Any) -> bytes:
        data = changed_element(rng, tree, self._trees, self._names)
        return grown(rng, data) if rng.random() < 0.001 else data


class Urdfs(Elements):
    """URDF, read as a robot and looked through by `check_file`."""

    name, suffix = "urdf", ".urdf"

    def texts(self) -> list[Text]:
        return seeds.urdf_texts()

    def read(self, path: Path) -> None:
        size = path.stat().st_size
        if size % 8 == 0:
            sd.check_file(path)
        elif size % 8 == 1:
            sd.read_mimics(path)
        model = sd.load(path, mimic="lock") if size % 4 == 2 else sd.load(path)
        if size % 16 == 3:
            _ = model.to_urdf(lossy=True)


class Mjcfs(Elements):
    """MuJoCo's XML."""

    name, suffix = "mjcf", ".xml"

    def texts(self) -> list[Text]:
        return seeds.mjcf_texts()

    def read(self, path: Path) -> None:
        sd.load(path)


KINDS = {kind.name: kind for kind in (Robots, Scenarios, Urdfs, Mjcfs)}
