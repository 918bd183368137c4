"""Expressions that can be evaluated or written as Python, so that a scenario and its script do the same.

A scenario becomes a list of assignments, `robot = sd.load("ets7")` and so on. `run` makes the calls, `to_python` writes
them.

No text of a scenario file becomes code: a key that is not a plain identifier is written as a string, `**{"a b": 1}`,
and every value by its `repr`.
"""

import datetime
import keyword
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError

_WIDTH = 118
_STEP = "    "


@dataclass(frozen=True)
class Name:
    """A variable that was assigned before, or a function: `robot`, `sd.simulate`."""

    name: str


@dataclass(frozen=True)
class Call:
    """A call of a function; `path`: its place in the scenario, for messages."""

    function: "Name | Method"
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class Method:
    """An attribute of the value of another expression: `law(...).starting`."""

    of: Any
    name: str


class Fault(Exception):
    """A call failed; `path` is the innermost place in the scenario that it comes from."""

    def __init__(self, path: tuple[str | int, ...], error: Exception):
        self.path, self.error = path, error
        super().__init__(str(error))


class Missing(Fault):
    """Raised for a call whose arguments failed; it is not reported itself."""


def gather(expression: Any, space: Mapping[str, Any]) -> tuple[Any, list[Fault]]:
    """Evaluate an expression item by item; return its value and all failures.

    >>> [str(fault) for fault in gather([Call(Name("int"), ("a",)), Call(Name("int"), ("b",))], {"int": int})[1]]
    ["invalid literal for int() with base 10: 'a'", "invalid literal for int() with base 10: 'b'"]
    """
    items: dict[Any, Any] = {"": expression}
    if isinstance(expression, list | dict):
        items = dict(enumerate(expression)) if isinstance(expression, list) else expression
    found, faults = {}, []
    for key, item in items.items():
        try:
            found[key] = evaluate(item, space)
        except Fault as fault:
            faults.append(fault)
    if isinstance(expression, list):
        return list(found.values()), faults
    return (found if isinstance(expression, dict) else found.get("")), faults


def evaluate(expression: Any, space: Mapping[str, Any]) -> Any:
    """The value of an expression; Fault if a call with a path fails.

    >>> evaluate(Call(Name("max"), (2, [1][0])), {"max": max})
    2
    """
    match expression:
        case Name(name):
            first, *rest = name.split(".")
            if first not in space:
                raise Missing((), NameError(first))
            value = space[first]
            for part in rest:
                value = getattr(value, part)
            return value
        case Method(of, name):
            return getattr(evaluate(of, space), name)
        case Call(function, arguments, named, path):
            try:
                given = [evaluate(a, space) for a in arguments]
                by_name = {key: evaluate(value, space) for key, value in named.items()}
                return evaluate(function, space)(*given, **by_name)
            except Fault:
                raise
            except Exception as error:
                raise Fault(path, error) from error
        case list():
            return [evaluate(item, space) for item in expression]
        case dict():
            return {key: evaluate(value, space) for key, value in expression.items()}
    return expression


def write(expression: Any, indent: str = "", lead: int = 0) -> str:
    """An expression as Python, broken into lines where it is long; `lead`: characters before it on its line.

    >>> write(Call(Name("sd.waypoints"), ([0.0, 1.0],), {"stop": True}))
    'sd.waypoints([0.0, 1.0], stop=True)'
    """
    line = _one_line(expression)
    if len(indent) + lead + len(line) <= _WIDTH:
        return line
    inner = indent + _STEP
    match expression:
        case Call(function, arguments, named):
            parts = [write(a, inner) for a in arguments]
            plain, odd = _keywords(named)
            parts += [f"{key}={write(value, inner, len(key) + 1)}" for key, value in plain.items()]
            parts += [f"**{write(odd, inner, 2)}"] if odd else []
            return f"{write(function, indent)}({_lines(parts, inner)}{indent})"
        case Method(of, name):
            return f"{write(of, indent)}.{name}"
        case list() if any(isinstance(item, list | dict | Call) for item in expression):
            return f"[{_lines([write(item, inner) for item in expression], inner)}{indent}]"
        case list():
            return f"[{_filled([_one_line(item) for item in expression], inner)}{indent}]"
        case dict():
            parts = [f"{_text(key)}: {write(value, inner, len(repr(key)) + 2)}" for key, value in expression.items()]
            return f"{{{_lines(parts, inner)}{indent}}}"
    return line


def _lines(parts: list[str], inner: str) -> str:
    return "\n" + "".join(f"{inner}{part},\n" for part in parts)


def _filled(parts: list[str], inner: str) -> str:
    """Lines filled with items."""
    lines, now = [], ""
    for part in parts:
        if now and len(inner) + len(now) + len(part) + 2 > _WIDTH:
            lines.append(now)
            now = ""
        now += f"{' ' if now else ''}{part},"
    return "\n" + "".join(f"{inner}{line}\n" for line in [*lines, now])


def _one_line(expression: Any) -> str:
    match expression:
        case Name(name):
            return name
        case Method(of, name):
            return f"{_one_line(of)}.{name}"
        case Call(function, arguments, named):
            plain, odd = _keywords(named)
            parts = [_one_line(a) for a in arguments] + [f"{key}={_one_line(v)}" for key, v in plain.items()]
            parts += [f"**{_one_line(odd)}"] if odd else []
            return f"{_one_line(function)}({', '.join(parts)})"
        case list():
            return f"[{', '.join(_one_line(item) for item in expression)}]"
        case dict():
            return "{" + ", ".join(f"{_text(key)}: {_one_line(value)}" for key, value in expression.items()) + "}"
        case str():
            return _text(expression)
        case float() if not math.isfinite(expression):
            return f'float("{expression}")'
        case None | bool() | int() | float() | datetime.date() | datetime.time():
            return repr(expression)
    kind = type(expression).__name__
    raise InputError(f"a script cannot hold a value of type {kind}; give text, numbers, lists or tables of them")


def _keywords(named: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments whose names a call can spell, `kp=2`; and the others, which go into a table, `**{"k p": 2}`.

    >>> _keywords({"kp": 2, "class": 1, "x=1, y": 0})
    ({'kp': 2}, {'class': 1, 'x=1, y': 0})
    """
    plain = {key: value for key, value in named.items() if _is_identifier(key)}
    return plain, {key: value for key, value in named.items() if key not in plain}


def _is_identifier(key: str) -> bool:
    """Whether a key is an ASCII identifier: Python normalises other letters, so that two keys could become one."""
    return key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and key != "__debug__"


def _text(text: str) -> str:
    """Text in double quotes, as the formatter writes it."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in text else plain


def names_in(expression: Any) -> Iterator[str]:
    """What an expression needs to be imported or assigned before it: the first word of each name in it.

    >>> sorted(set(names_in(Call(Name("np.radians"), ([Name("angle"), "sd."],)))))
    ['angle', 'np']
    """
    match expression:
        case Name(name):
            yield name.partition(".")[0]
        case Method(of, _):
            yield from names_in(of)
        case Call(function, arguments, named):
            for part in (function, *arguments, *named.values()):
                yield from names_in(part)
        case list() | dict():
            for part in expression.values() if isinstance(expression, dict) else expression:
                yield from names_in(part)
        case datetime.date() | datetime.time():
            yield "datetime"
