"""Every public function called with good and bad arguments, over batches of 0 to 20 robots."""

import inspect
import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import spacedyn as sd

from .arguments import SHAPES, Setting, good, models, pull, ramp
from .classic_calls import classic_entries
from .entries import REQUIRED, Entry
from .spoiling import bad
from .violations import WrongResult

_LEFT_OUT = {
    "Model",
    "Run",
    "State",
    "Rotation",
    "view",
    "film",
    "verify",
    "load",
    "check_file",
    "read_mimics",
    "Scenario",
}
"""Names of the package that open files or windows, or take minutes; methods of some come below."""
_LEFT_OUT |= {
    "Linearization",
    "Attitude",
    "Reduced",
    "Equations",
    "PartialVelocities",
    "BaseRates",
    "Smoothed",
}  # results
_NEVER = {"view", "progress", "stream", "path", "folder", "folders", "mesh"}
"""Parameters that are not given: what they would do is no matter of their value."""


def _entry(name: str, function: Any, **more: Any) -> Entry:
    """An entry of a function that is the same for every setting."""
    return Entry(name, lambda setting: function, _parameters(function), **more)


def _parameters(function: Any) -> tuple[tuple[str, Any], ...]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(function).parameters.values()
    return tuple((p.name, p.default) for p in found if p.kind not in kinds and p.name not in _NEVER)


def _functions(prefix: str, module: Any, names: Iterable[str]) -> Iterator[Entry]:
    for name in names:
        function = getattr(module, name)
        plain = inspect.isfunction(function) or inspect.isclass(function)
        if name in _LEFT_OUT or not plain or (inspect.isclass(function) and issubclass(function, Exception | Warning)):
            continue
        yield _entry(f"{prefix}{name}", function)


def _method(name: str, of: Callable[[Setting], Any], /, *parameters: str, **wanted: str) -> Entry:
    """A method of an object, with parameters that are all needed."""
    attribute = name.rpartition(".")[2]
    given = tuple((parameter, REQUIRED) for parameter in (*parameters, *wanted))
    return Entry(name, lambda c: getattr(of(c), attribute), given, wanted=tuple(wanted.items()))


def _state_parts(*parts: str) -> Iterator[Entry]:
    for part in parts:
        key = {"q": "state_q", "qd": "state_qd"}.get(part, part)
        yield _method("Model.state", lambda c: c.model, **{part: key})
        yield _method("State.replace", lambda c: c.state, **{part: key})


def _built(setting: Setting) -> Callable[..., Any]:
    """A Builder's link, built."""

    def link(**options: Any) -> sd.Model:
        b = sd.Builder("fuzz")
        b.base("bus", mass=20.0, inertia=(2, 3, 4))
        b.link("arm", **{"parent": "bus", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), **options})
        return b.build()

    return link


_LINK = ("mass", "inertia", "com", "shapes", "position", "rotation", "axis", "stiffness", "damping", "friction")
_LINK += ("lower", "upper", "rotor_inertia", "gear", "rest", "parent", "joint", "pitch", "max_force")


def _entries() -> list[Entry]:
    modules = {"control.": sd.control, "operators.": sd.operators, "kane.": sd.kane, "lagrangian.": sd.lagrangian}
    found = list(_functions("", sd, (name for name in sd.__all__ if name not in ("simulate", "linearize"))))
    for prefix, module in modules.items():
        found += _functions(
            prefix, module, (n for n in module.__all__ if n not in ("UserFile", "from_file", "Operator"))
        )
    found += _functions("shapes.", sd.shapes, ("box", "cone", "cylinder", "point", "rod", "sphere", "tube", "combine"))
    found += _state_parts("q", "qd", "base_position", "base_frame_position", "base_velocity", "base_rate")
    found += _state_parts("base_attitude", "base_quaternion_xyzw")
    found += [
        _method("State.integrate", lambda c: c.state, "step"),
        _method("State.difference", lambda c: c.state, other="other_state"),
        _method("State.__getitem__", lambda c: c.state, index="index"),
        _method("State.neutral", lambda c: partial_state(c, "neutral"), size="index"),
        _method("Model.random_state", lambda c: c.model, "rng", size="index"),
        _method("Model.lock", lambda c: c.model, "joints"),
        _method("Model.subtree", lambda c: c.model, "body", "base_kind"),
        _method("Model.attach", lambda c: c.model, "at", other="model"),
        *(_method(f"Model.{what}", lambda c: c.model, name=what) for what in ("body", "joint", "endpoint")),
        _method("Model.q_slice", lambda c: c.model, "joint"),
        *(Entry("Builder.link", _built, ((option, REQUIRED),)) for option in _LINK),
        _entry("Builder", sd.Builder),
        Entry("law", lambda c: pull, (("force", REQUIRED),)),
        Entry("motion", lambda c: ramp, (("speed", REQUIRED),)),
        *classic_entries(),
    ]
    return found


def partial_state(setting: Setting, name: str) -> Any:
    """A class method of State with the model given."""

    class Of:
        neutral = staticmethod(partial(sd.State.neutral, setting.model))

    return Of


_SIMULATION = (
    "laws",
    "method",
    "record",
    "gravity",
    "modes",
    "adjust",
    "limits",
    "forces",
    "events",
    "start",
    "budget",
)


def _simulations() -> list[Entry]:
    """Calls that run: short ones; a duration is spoiled by type only, since a long one is no fault."""

    def run(setting: Setting) -> Callable[..., Any]:
        return partial(sd.simulate, progress=False)

    def linearized(setting: Setting) -> Callable[..., Any]:
        return sd.linearize

    always = (("model", REQUIRED), ("state", REQUIRED), ("duration", REQUIRED))
    motions = {"forces": "springs", "prescribed": "motions"}
    found = [
        Entry("simulate", run, (*always, (name, None), (other, None)), frozenset({name}), tuple(motions.items()))
        for name in (*_SIMULATION, "prescribed", "channels")
        for other in ("method", "record")
        if other != name
    ]
    return [*found, Entry("linearize", linearized, (*_parameters(sd.linearize),), wanted=tuple(motions.items()))]


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
        self._entries, self._simulations = _entries(), _simulations()
        self._warm: set[str] = set()

    def make(self, rng: Random) -> Call:
        """A call with one or two bad arguments, now and then with none."""
        entry = rng.choice(self._simulations if rng.random() < self.share else self._entries)
        setting = Setting(rng, rng.choice(models()), rng.choice(SHAPES))
        return _call(entry, setting, rng.choice((0, 1, 1, 1, 1, 2)))

    def place(self, given: Call) -> None:
        """Compile what the call needs, if it is the first of its kind."""
        if given.entry.name not in self._warm:
            self._warm.add(given.entry.name)
            for model in models():
                for shape in ((), (5,)):
                    warm_up(_call(given.entry, Setting(Random(1), model, shape), 0))

    def attempt(self, given: Call) -> None:
        """Call it; what comes back must be in order."""
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            result = given.entry.made(given.setting)(**given.arguments)
        _check(given, result)

    def saved(self, given: Call) -> bytes:
        """In words."""
        return given.text().encode("utf-8", "replace")


def _call(entry: Entry, setting: Setting, spoil: int) -> Call:
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
    return Call(entry, setting, arguments, tuple(chosen))


def warm_up(call: Call) -> None:
    """Call it, whatever comes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call.entry.made(call.setting)(**call.arguments)
        except Exception:
            return


_DECENT = 1e6


def _check(call: Call, result: Any) -> None:
    """Lost masks and imaginary parts, NaN out of decent numbers."""
    for name in call.spoiled:
        value = call.arguments[name]
        if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
            raise WrongResult(f"{call.entry.name}: {name} was masked, and the mask was lost")
        if isinstance(value, np.ndarray) and value.dtype.kind == "c" and value.imag.any():
            raise WrongResult(f"{call.entry.name}: {name} was complex, and the imaginary part was lost")
    if all(_decent(value) for value in call.arguments.values()):
        for array in _arrays(result):
            if np.isnan(array).any():
                raise WrongResult(f"{call.entry.name}: NaN came out of finite arguments")


def _decent(value: Any) -> bool:
    if isinstance(value, sd.State):
        return True
    if isinstance(value, dict):
        return all(map(_decent, value.values()))
    if isinstance(value, list | tuple | np.ndarray | int | float):
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "iuf":
                return False
        except (TypeError, ValueError, OverflowError):
            return False
        return bool((np.abs(array) <= _DECENT).all())
    return isinstance(value, str | sd.Model | None.__class__)


def _arrays(result: Any) -> Iterator[np.ndarray]:
    """Arrays of numbers in a result."""
    if isinstance(result, sd.State):
        yield result._data
    elif isinstance(result, np.ndarray) and result.dtype.kind == "f":
        yield result
    elif isinstance(result, tuple | list):
        for part in result:
            yield from _arrays(part)


KINDS = {"calls": Calls}
