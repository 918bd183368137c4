"""Reading files of runs: real files only, of bounded size, and one error that names the file and the reason."""

import contextlib
import io
import json
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, SpacedynError

MAX_TEXT_BYTES = 64_000_000
"""Bytes of a text that is read at once: what made a run, or a line."""
_MAX_CONTAINERS = 1_000_000  # lists and objects in such a text: each takes far more memory than text
_SHOWN = 400  # characters of a reason that an error shows


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn any error while a run is read into an InputError that names the file and the reason."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # invalid numbers are refused later
            yield
    except SpacedynError as error:
        if isinstance(error, InputError) and str(path) in str(error):
            raise
        raise _unreadable(path, str(error)) from error
    except KeyError as error:
        raise _unreadable(path, f"it has no {error}") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error
    except Exception as error:  # libraries do not document what they raise for invalid files
        raise _unreadable(path, f"{type(error).__name__}: {error}") from error


def _unreadable(path: Path, reason: str) -> InputError:
    reason = reason if len(reason) <= _SHOWN else reason[:_SHOWN] + " …"
    return InputError(f"'{path}' is not a run that was saved, or it is damaged: {reason}")


def file_size(path: Path) -> int:
    """Bytes of a file; InputError if it is a folder, a pipe or a device, which might never end."""
    try:
        about = path.stat()
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"'{path}' is not a file")
    return about.st_size


def read_text(path: Path) -> str:
    """All of a text file of bounded size."""
    size = file_size(path)
    if size > MAX_TEXT_BYTES:
        raise InputError(f"'{path}' has {size / 1e6:.0f} MB, more than the {MAX_TEXT_BYTES / 1e6:.0f} MB that are read")
    return path.read_text(encoding="utf-8")


class BoundedFile(io.FileIO):
    """A file whose `read` never allocates more than what is left of the file, however much is asked for."""

    def __init__(self, path: Path):
        self._size = file_size(path)
        super().__init__(path, "r")

    def read(self, size: int | None = -1) -> bytes:
        """Read up to `size` bytes; all that is left by default."""
        left = max(self._size - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


def parse_object(text: str | bytes, where: str) -> dict[str, Any]:
    """A JSON object that does not take much more memory than its text."""
    curly, square = ("{", "[") if isinstance(text, str) else (b"{", b"[")
    if len(text) > MAX_TEXT_BYTES or text.count(curly) + text.count(square) > _MAX_CONTAINERS:  # type: ignore[arg-type]
        raise InputError(f"{where} is larger than anything that a run writes")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{where} is no JSON object")
    return found


def whole(value: Any, what: str, most: float = 2**53) -> int:
    """A whole number from a file, not negative."""
    if type(value) is not int or not 0 <= value <= most:
        raise InputError(f"{what}: expected a whole number from 0 to {most:g}, got {str(value)[:40]}")
    return value


def map_doubles(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """Doubles of a file, mapped; InputError if it is shorter."""
    needed, size = 8 * int(np.prod([int(n) for n in shape], dtype=object)), file_size(path)
    if needed > size:
        raise InputError(f"'{path}' has {size} bytes where {needed} should be: it was cut")
    return np.memmap(path, "<f8", "r", shape=shape) if needed else np.empty(shape)


def plain(value: Any) -> Any:
    """Arrays as lists with their shapes, in dictionaries too."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return {"array": value.astype(float).ravel().tolist(), "shape": value.shape}
    return value


def arrays(value: Any) -> Any:
    """The inverse of `plain`."""
    if not isinstance(value, dict):
        return value
    if set(value) == {"array", "shape"}:
        return np.array(value["array"], dtype=float).reshape(value["shape"])
    return {name: arrays(part) for name, part in value.items()}
