"""Output of the command line: text and colours for people, JSON for programs, exit codes."""

import codecs
import json
import os
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

GOOD, BAD_RESULT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
_COLORS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what steers a terminal or changes how other letters are shown."""


_PLAIN = {
    "┬": "+", "├": "+", "└": "`", "│": "|", "─": "-", "◇": "*", "–": "-", "…": "...", "×": "x", "·": ".", "→": "->",
    "²": "^2", "³": "^3", "⁴": "^4", "τ": "tau", "ω": "w", "\u0307": "'", "é": "e",
}  # fmt: skip


def open_streams() -> None:
    """Make standard streams accept all text: no error where a terminal lacks characters, or a stream is missing.

    Trees and Greek letters are written in ASCII where the terminal's encoding has nothing better.
    """
    codecs.register_error("spacedyn", lambda error: (_in_ascii(error), error.end))  # type: ignore[attr-defined]
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started this
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spacedyn")


def _in_ascii(error: Any) -> str:
    return "".join(_PLAIN.get(letter, "?") for letter in error.object[error.start : error.end])


def visible(text: object) -> str:
    r"""Escape invisible characters, so that no name in a file controls the terminal; line breaks stay.

    >>> visible("title\x1b]0;other\x07 \u202e"), visible("a\tb\nc")
    ('title\\x1b]0;other\\x07 \\u202e', 'a\tb\nc')
    """
    return "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) not in _UNSEEN else repr(letter)[1:-1]
        for letter in str(text)
    )


def one_line(text: object) -> str:
    r"""Escape a title or a name, line breaks included.

    >>> one_line("title\n  verdict    good")
    'title\\n  verdict    good'
    """
    return visible(text).replace("\n", "\\n")


def colored(text: str, color: str, stream: Any = None) -> str:
    """Text in a colour, where the stream is a terminal that wants it."""
    stream = stream or sys.stdout
    able = stream.isatty() and os.environ.get("TERM") != "dumb"
    wanted = os.environ.get("FORCE_COLOR") or (able and not os.environ.get("NO_COLOR"))
    return f"\033[{_COLORS[color]}m{text}\033[0m" if wanted else text


class Output:
    """Output of a command: text for a person, or one JSON document on standard output.

    Attributes
    ----------
    data : dict
        The document.
    """

    def __init__(self, as_json: bool):
        self.as_json, self.data = as_json, dict[str, Any]()

    def say(self, text: str = "", color: str = "") -> None:
        """Print a line for a person."""
        if not self.as_json:
            print(colored(visible(text), color) if color else visible(text), flush=True)

    def note(self, text: object, color: str = "", label: str = "") -> None:
        """A line beside the results, on standard error; in a colour itself, or its label."""
        if not self.as_json:
            said = [label, visible(text)] if label else [visible(text)]
            if color:
                said[0] = colored(said[0], color, sys.stderr)
            print(*said, file=sys.stderr, flush=True)

    def put(self, **data: Any) -> None:
        """Add data to the JSON document."""
        self.data |= data

    def finish(self, code: int = GOOD) -> NoReturn:
        """Write the document, if wanted, and end."""
        if self.as_json:
            print(json.dumps({**self.data, "exit_code": code}, default=_plain, allow_nan=False), flush=True)
        raise typer.Exit(code)

    def fail(self, error: BaseException, code: int) -> NoReturn:
        """Print what went wrong."""
        problems = list(getattr(error, "problems", ())) or [str(error)]
        self.put(error={"kind": type(error).__name__, "message": str(error), "problems": problems})
        self.note(error, "red", "error:")
        self.finish(code)


def _plain(value: Any) -> Any:
    """A value in JSON's types: arrays as lists, NaN and infinities as null."""
    if hasattr(value, "tolist"):
        return _finite(value.tolist())
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value if not isinstance(value, float) or value - value == 0.0 else None


@contextmanager
def command(as_json: bool = False) -> Iterator[Output]:
    """Context of a command: turns errors into messages and exit codes, and warnings into lines."""
    out = Output(as_json)
    found: list[str] = []

    def show(message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None) -> None:
        found.append(str(message))
        out.note(message, "yellow", "warning:")

    from ..errors import SimulationFailed, SpacedynError

    out.put(warnings=found)
    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("default", UserWarning)
        try:
            try:
                yield out
                out.finish()
            except SimulationFailed as error:
                out.fail(error, BAD_RESULT)
            except BrokenPipeError:
                raise
            except (SpacedynError, OSError) as error:
                out.fail(error, BAD_INPUT)
            except MemoryError:
                out.fail(MemoryError("there is not enough memory: record less often, or choose channels"), BAD_INPUT)
            except KeyboardInterrupt as error:
                out.fail(type(error)("interrupted"), INTERRUPTED)
        except BrokenPipeError:  # the reader has closed the pipe: `spacedyn list | head`
            _write_no_more()
            raise typer.Exit(GOOD) from None
        except OSError as error:  # the output cannot be written, as on a full disk
            _write_no_more()
            print(f"error: {visible(error)}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        finally:
            try:
                sys.stdout.flush()
            except OSError:  # reported already
                _write_no_more()


def _write_no_more() -> None:
    """Discard the buffered output, which would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def size_of(path: Any) -> str:
    """Size of a file as text, such as '1.2 MB'."""
    size = os.path.getsize(path)
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
