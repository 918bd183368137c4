"""Laws, elements, motions, conditions and actions from a user's Python file."""

import builtins
import dis
import hashlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import InputError, UnknownName, nearest
from ..model.model import Model
from ..model.state import State
from .bytecode import Template
from .conditions import Condition
from .law import Law, LawTemplate
from .motion_functions import Motion

MAX_BYTES = 2_000_000


class UserFile:
    """A Python file, run once; what it defines is found by name.

    Made by `control.from_file`. A file is a program: read none that you would not run.
    """

    def __init__(self, path: Path):
        self.path = path
        self._names = _run(path)

    @property
    def names(self) -> list[str]:
        """What a scenario can name: made by @law, @element, @motion or @condition, and functions of its own."""
        return sorted(
            name
            for name, value in self._names.items()
            if not name.startswith("_")
            and (isinstance(value, Template) or (inspect.isfunction(value) and value.__module__ == self._module))
        )

    @property
    def _module(self) -> str:
        return str(self._names["__name__"])

    def __getitem__(self, name: str) -> Any:
        """A law, element, motion or condition without its parameters, or a function."""
        if name not in self.names:
            raise UnknownName(f"law, element or function in {self.path.name}", name, self.names)
        return self._names[name]

    def law(self, name: str, model: Model, state: State, **parameters: Any) -> Law:
        """A law: made by @law and called with parameters; or what a function of robot, state and parameters returns."""
        found, what = self[name], "a law: a function made by @law, or one of (model, state, ...) that gives one"
        self._check_no_element(name, what)
        made = self._made(name, parameters) if isinstance(found, LawTemplate) else found(model, state, **parameters)
        return self._checked(name, made, Law, what)

    def element(self, kind: str, /, **parameters: Any) -> Any:
        """An element, made by @element: with its joints, points and parameters; or a law, made by @law."""
        found = self[kind]
        if isinstance(found, LawTemplate) and found.made is Law:
            initial = parameters.pop("initial", None)
            made = self._made(kind, parameters)
            return made if initial is None else made.starting(**initial)
        if not isinstance(found, Template) or isinstance(found, LawTemplate):
            raise InputError(f"{self.path.name}: '{kind}' is no element: a function made by @element or @law")
        _check_globals(f"element '{kind}'", found.function, self.path)  # type: ignore[attr-defined]
        return found(**parameters)  # type: ignore[operator]

    def motion(self, name: str, **parameters: Any) -> Motion:
        """A motion for a prescribed joint, made by @motion."""
        what = "a motion: a function made by @motion"
        self._check_no_element(name, what)
        return self._checked(name, self._made(name, parameters), Motion, what)

    def condition(self, name: str, **parameters: Any) -> Condition:
        """A condition for an event, made by @condition."""
        what = "a condition: a function made by @condition"
        self._check_no_element(name, what)
        return self._checked(name, self._made(name, parameters), Condition, what)

    def action(self, name: str) -> Callable[..., Any]:
        """A function of time and state for an event."""
        found = self[name]
        if isinstance(found, Template):
            raise InputError(f"'{name}' in {self.path.name} is no plain function; an action is f(t, state)")
        return found

    def _made(self, name: str, parameters: dict[str, Any]) -> Any:
        """An object of the file, called with its parameters; raise for parameters that it does not read."""
        found = self[name]
        if isinstance(found, LawTemplate):
            what = f"{found.made.role.what} '{name}'"
            _check_globals(what, found.function, self.path)
            known = found.reads
            for key in () if known is None else [key for key in parameters if key not in {*known, "period", "delay"}]:
                raise InputError(f"{what} has no parameter '{key}'; {nearest(key, sorted(known or ()))}")
        return found(**parameters)

    def _check_no_element(self, name: str, what: str) -> None:
        found = self[name]
        if isinstance(found, Template) and not isinstance(found, LawTemplate):
            raise InputError(f"'{name}' in {self.path.name} is not {what}; it is an element, which goes among elements")

    def _checked(self, name: str, made: Any, kind: type, what: str) -> Any:
        exact = kind is not Law or not isinstance(made, Motion | Condition)
        if not isinstance(made, kind) or not exact:
            raise InputError(f"'{name}' in {self.path.name} is not {what}")
        return made

    def __repr__(self) -> str:
        return f"<{self.path.name}: {', '.join(self.names) or 'nothing'}>"


def from_file(path: str | os.PathLike[str]) -> UserFile:
    """Laws, elements, motions, conditions and functions of a Python file, by name.

    Parameters
    ----------
    path : path
        Of the file, which is run.

    Returns
    -------
    UserFile
        `from_file("laws.py")["mine"](gain=2.0)` is a law.

    Raises
    ------
    InputError
        If there is no such file, or it raises something: with the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import spacedyn as sd
    >>> file = Path(tempfile.mkdtemp()) / "laws.py"
    >>> _ = file.write_text('''
    ... import spacedyn as sd
    ... @sd.law
    ... def damp(t, s, p, out):
    ...     for i in range(s.qd.size):
    ...         out.tau[i] = -p.kd * s.qd[i]
    ... ''')
    >>> sd.control.from_file(file)
    <laws.py: damp>
    >>> sd.control.from_file(file)["damp"](kd=2.0).name
    'damp'
    """
    return UserFile(Path(path))


def _run(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file():
            raise InputError(f"there is no file {path}; put your own laws into a Python file beside the scenario")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB, the limit for a file of laws")
        source = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    name = f"laws_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that whatever it defines can be looked up, as for any module
    try:
        exec(compile(source, str(path), "exec"), vars(module))
    except Exception as error:
        line = _line(error, path)
        raise InputError(f"{path}{line}: {type(error).__name__}: {error}") from error
    return vars(module)


def _check_globals(what: str, function: Callable[..., Any], path: Path) -> None:
    """Raise if a law reads a global that its file does not define; checked before anything is compiled."""
    known = {*function.__globals__, *vars(builtins)}
    for step in dis.get_instructions(function):
        if step.opname == "LOAD_GLOBAL" and step.argval not in known:
            line = step.positions.lineno if step.positions else None
            where = f"{path.name}, line {line}" if line else path.name
            raise InputError(f"{what}: name '{step.argval}' is not defined ({where})")


def _line(error: BaseException, path: Path) -> str:
    """The last line of the file that the error passed through."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f", line {line}"
