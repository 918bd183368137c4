"""Every public function called with good and bad arguments, over batches of 0 to 20 robots."""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import spacedyn as sd

from .arguments import SHAPES, Setting, good
from .entries import REQUIRED, Entry
from .public_entries import public_entries
from .robots import models
from .simulation_entries import simulations
from .spoiling import bad
from .violations import WrongResult


@dataclass
class Call:
    """One call, made but not done."""

    entry: Entry
    setting: Setting
    arguments: dict[str, Any]
    spoiled: tuple[str, ...]

    def text(self) -> str:
        """The call in words."""
        shape, robot = self.setting.shape, self.setting.model.name
        lines = [f"{self.entry.name} with robot '{robot}', batch {shape}, spoiled: {', '.join(self.spoiled)}"]
        for name, value in self.arguments.items():
            about = f" dtype {value.dtype}, shape {value.shape}" if isinstance(value, np.ndarray) else ""
            lines.append(f"  {name} = {type(value).__name__}{about} {_shown(value)}")
        return "\n".join(lines)


def _shown(value: Any) -> str:
    try:
        return repr(value)[:400]
    except Exception as error:
        return f"(repr raises {type(error).__name__})"


class Calls:
    """Calls of every entry."""

    name, suffix = "calls", ".txt"
    share = 0.02  # of simulations

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Nothing is compiled yet: each entry is, before its first call."""
        self._entries, self._simulations = public_entries(), simulations()
        self._warm: set[str] = set()

    def make(self, rng: Random) -> Call:
        """A call with one or two bad arguments, now and then with none."""
        calm = rng.random() < self.share
        entry = rng.choice(self._simulations if calm else self._entries)
        setting = Setting(rng, rng.choice(models()), rng.choice(SHAPES), calm)
        try:
            return made_call(entry, setting, rng.choice((0, 1, 1, 1, 1, 2)))
        except Exception as error:  # good arguments are made by calls as well: this is a finding
            raised = _raising(error)
            return Call(Entry(f"{entry.name}: its arguments", lambda c: raised, ()), setting, {}, ())

    def place(self, given: Call) -> None:
        """Compile what the call needs, if it is the first of its kind."""
        if given.entry.name not in self._warm:
            self._warm.add(given.entry.name)
            for model in models():
                for shape in ((), (5,)):
                    warm_up(made_call(given.entry, Setting(Random(1), model, shape), 0))

    def attempt(self, given: Call) -> None:
        """Call it; what comes back must be in order."""
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            result = given.entry.made(given.setting)(**given.arguments)
        _check(given, result)

    def saved(self, given: Call) -> bytes:
        """In words."""
        return given.text().encode("utf-8", "replace")


def _raising(error: Exception) -> Callable[[], Any]:
    def called() -> Any:
        raise error

    return called


def made_call(entry: Entry, setting: Setting, spoil: int) -> Call:
    """A call of an entry with good arguments, of which some are spoiled."""
    wanted = dict(entry.wanted)
    arguments, rng = {}, setting.rng
    for name, default in entry.parameters:
        if default is REQUIRED or name in entry.needed or rng.random() < 0.3:
            try:
                arguments[name] = good(setting, wanted.get(name, name), default)
            except sd.SpacedynError:  # a robot that has no such thing
                arguments[name] = None
    chosen = rng.sample(sorted(arguments), min(spoil, len(arguments)))
    for name in chosen:
        arguments[name] = bad(setting, arguments[name])
        if name in ("duration", "until") and _is_long(arguments[name]):
            arguments[name] = -1.0
    return Call(entry, setting, arguments, tuple(chosen))


def _is_long(value: Any) -> bool:
    """Whether a run would take so long that no fault can be seen in that."""
    try:
        return bool(1.0 < float(value) < np.inf)
    except (TypeError, ValueError, OverflowError):
        return False


def warm_up(call: Call) -> bool:
    """Call it, so that what it needs is compiled; whether it was accepted."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            call.entry.made(call.setting)(**call.arguments)
        except Exception:
            return False
    return True


_DECENT = 1e6


def _check(call: Call, result: Any) -> None:
    """Lost masks and imaginary parts, NaN out of decent numbers."""
    for name in call.spoiled:
        if call.entry.name.endswith("of SV"):
            continue  # an SV may hold what a function does not look at
        for value in _within(call.arguments[name]):
            if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
                raise WrongResult(f"{call.entry.name}: {name} was masked, and the mask was lost")
            if isinstance(value, np.ndarray) and value.dtype.kind == "c" and value.imag.any():
                raise WrongResult(f"{call.entry.name}: {name} was complex, and the imaginary part was lost")
    if all(_decent(value) for value in call.arguments.values()):
        for array in _arrays(result):
            if np.isnan(array).any():
                raise WrongResult(f"{call.entry.name}: NaN came out of finite arguments")


def _within(value: Any) -> Iterator[Any]:
    """A value, or those of a dict."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _within(one)
    else:
        yield value


def _decent(value: Any) -> bool:
    if isinstance(value, sd.State):
        return bool((np.abs(value._data) <= _DECENT).all())
    if isinstance(value, dict):
        return all(map(_decent, value.values()))
    if isinstance(value, list | tuple | np.ndarray | int | float):
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "iuf":
                return False
        except (TypeError, ValueError, OverflowError):
            return False
        with np.errstate(all="ignore"):
            return bool((np.abs(array.astype(float)) <= _DECENT).all())
    return isinstance(value, str | sd.Model | None.__class__)


def _arrays(result: Any) -> Iterator[np.ndarray]:
    """Arrays of numbers in a result."""
    if isinstance(result, sd.State):
        yield result._data
    elif isinstance(result, sd.Run):
        yield result._rows
    elif isinstance(result, np.ndarray) and result.dtype.kind == "f":
        yield result
    elif isinstance(result, tuple | list):
        for part in result:
            yield from _arrays(part)


KINDS = {"calls": Calls}
