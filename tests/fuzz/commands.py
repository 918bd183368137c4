"""The command line on damaged files: an exit code and words, none of which steer the terminal."""

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random

from spacedyn.cli import app

from .files import KINDS as FILES
from .files import TextFiles
from .violations import WrongResult

_COMMANDS = (
    "check",
    "check --strict",
    "check --json",
    "show",
    "show --json",
    "convert .toml",
    "convert .urdf",
    "convert .py",
)
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 200_000  # characters that a person may be shown


@dataclass(frozen=True)
class Command:
    """A command and the file that it is given."""

    command: str
    suffix: str
    data: bytes


class Commands:
    """`spacedyn check`, `show` and `convert`."""

    name, suffix = "command", ".txt"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """All kinds of files."""
        self._folder = folder
        self._kinds: list[TextFiles] = []
        for name, kind in FILES.items():
            (folder / name).mkdir()
            self._kinds.append(kind())
            self._kinds[-1].prepare(folder / name, bait)

    def make(self, rng: Random) -> Command:
        """A command on a file of any kind."""
        kind = rng.choice(self._kinds)
        return Command(rng.choice(_COMMANDS), kind.suffix, kind.make(rng))

    def place(self, given: Command) -> None:
        """Write the file."""
        (self._folder / f"case{given.suffix}").write_bytes(given.data)

    def attempt(self, given: Command) -> None:
        """Run the command in this process."""
        name, *options = given.command.split()
        words = [name, str(self._folder / f"case{given.suffix}")]
        words += [str(self._folder / f"made{options[0]}"), "--force"] if name == "convert" else options
        out, err = io.StringIO(), io.StringIO()
        code: object = None
        with redirect_stdout(out), redirect_stderr(err):
            try:
                app(words, prog_name="spacedyn")
            except SystemExit as end:
                code = end.code
        _check(given, code, out.getvalue(), err.getvalue())

    def saved(self, given: Command) -> bytes:
        """The command, then the file."""
        return f"spacedyn {given.command} case{given.suffix}\n".encode() + given.data


def _check(given: Command, code: object, out: str, err: str) -> None:
    if code not in (0, 1, 2):
        raise WrongResult(f"spacedyn {given.command} ended with {code!r}")
    if "Traceback" in err or "Traceback" in out:
        raise WrongResult(f"spacedyn {given.command} shows a traceback: {(err or out)[-200:]!r}")
    steering = _STEERING.search(out + err)
    if steering:
        raise WrongResult(f"spacedyn {given.command} prints {steering.group()!r}")
    if "--json" not in given.command and len(out) + len(err) > _LONGEST:
        raise WrongResult(f"spacedyn {given.command} prints {len(out) + len(err)} characters")
    if "--json" in given.command:
        try:
            json.loads(out)
        except ValueError:
            raise WrongResult(f"spacedyn {given.command} prints what is no JSON: {out[:100]!r}") from None


KINDS = {"command": Commands}
