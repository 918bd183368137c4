"""What a case did that it must not do, grouped by where it came from."""

import hashlib
import json
import re
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

KEPT = 3
"""Inputs of a group that are kept."""


_LONGEST = 300  # characters of a line that is kept


class WrongResult(Exception):
    """A case that ended well, but gave what it must not give."""


@dataclass(frozen=True)
class Violation:
    """One case that went wrong.

    Attributes
    ----------
    sort : str
        'traceback', 'warning', 'hang', 'memory', 'outside', 'crash' or 'wrong'.
    group : str
        What the same fault has in common, however it was met.
    detail : str
        Traceback, or what was seen.
    """

    sort: str
    group: str
    detail: str
    kind: str = ""
    case: int = -1
    seed: int = 0

    def keep(self, folder: Path, data: bytes, suffix: str) -> None:
        """Write it and its input, unless its group has enough of them."""
        place = folder / self.kind / f"{self.sort}-{hashlib.sha256(self.group.encode()).hexdigest()[:8]}"
        place.mkdir(parents=True, exist_ok=True)
        with (place / "cases.txt").open("a", encoding="utf-8") as file:
            file.write(f"{self.kind}:{self.case} --seed {self.seed}\n")
        if len(list(place.glob("*.json"))) < KEPT:
            (place / f"{self.case}{suffix}").write_bytes(data)
            (place / f"{self.case}.json").write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


def of_exception(error: BaseException) -> tuple[str, str]:
    """Group and detail of an exception: its class, and the functions it came through last."""
    lines = "".join(traceback.format_exception(error, limit=-14)).splitlines()
    detail = "\n".join(line if len(line) < _LONGEST else f"{line[:_LONGEST]} …" for line in lines[-60:])
    return f"{type(error).__name__} at {_place(error.__traceback__)}: {alike(str(error))}", detail


def _place(trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)
    ours = [frame for frame in frames if is_ours(frame.filename)]
    chosen = [*ours[-1:], *(frame for frame in frames[-1:] if frame not in ours[-1:])]
    return " > ".join(f"{short(frame.filename)}:{frame.name}" for frame in chosen)


def is_ours(filename: str) -> bool:
    """Whether a file is one of the package."""
    return "/spacedyn/" in filename.replace("\\", "/")


def short(filename: str) -> str:
    """A file by its folder and name."""
    return "/".join(Path(filename).parts[-2:])


def alike(message: str, most: int = 70) -> str:
    """A message without what differs from case to case."""
    first = (message.strip().splitlines() or [""])[0]
    return re.sub(r"'[^']*'|\"[^\"]*\"|[-+]?\d[\d.e+-]*", "…", first)[:most]
