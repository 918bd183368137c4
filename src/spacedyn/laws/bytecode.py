"""Find what a law's function reads and writes from its byte code; its source may be missing, as in a notebook."""

import dis
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import CodeType

from ..errors import InputError, nearest


class Template:
    """A user's function without parameters, made by a decorator; a call with parameters gives a law, an element, ..."""


@dataclass(frozen=True)
class Role:
    """The role of a compiled function: its name in messages, its arguments, the arrays it writes."""

    what: str
    arguments: tuple[str, ...]  # of t, s, p, out
    written: Mapping[str, int]  # arrays that it writes, with their number of columns; 0: flat


def attributes(function: Callable, role: Role, argument: str, everything: set[str] | None) -> set[str]:
    """Names that a function reads of one of its arguments; everything, if the argument is handed on whole."""
    if argument not in role.arguments:
        return set()
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    swapped = set(names) == set(role.arguments) and names != role.arguments
    if len(names) != len(role.arguments) or swapped:
        article = "an" if role.what[0] in "aeiou" else "a"
        takes = f"{article} {role.what} takes the arguments ({', '.join(role.arguments)})"
        does = f"has them as ({', '.join(names)})" if swapped else "does not"
        raise InputError(f"{takes}; '{function.__name__}' {does}")
    found, whole = used(code, code.co_varnames[role.arguments.index(argument)])
    return set(everything if whole and everything is not None else found)


@lru_cache(maxsize=1024)
def used(code: CodeType, name: str) -> tuple[frozenset[str], bool]:
    """Names that code reads of one of its arguments, and whether it hands the argument on whole.

    From its byte code: its source may be missing, as in a notebook or an interpreter.
    """
    found, whole = set(), name in code.co_cellvars
    for step, after in pairwise(steps_of(code)):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if "_FAST" in step.opname and name in names:
            if names[-1] == name and names.count(name) == 1 and after.opname in _ATTRIBUTE_STEPS:
                found.add(str(after.argval))
            else:
                whole = True
    return frozenset(found), whole


@lru_cache(maxsize=1024)
def parts_used(code: CodeType, argument: int) -> frozenset[tuple[str, str]]:
    """Pairs of names that code reads of one of its arguments, given by its place: ('tip', 'force') of out.tip.force."""
    found, name, steps = set(), code.co_varnames[argument], steps_of(code)
    for step, first, second in zip(steps, steps[1:], steps[2:], strict=False):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        inner = {first.opname, second.opname} <= set(_ATTRIBUTE_STEPS)
        if "_FAST" in step.opname and names[-1] == name and inner:
            found.add((str(first.argval), str(second.argval)))
    return frozenset(found)


def check_parts(
    whose: str, function: Callable, role: Role, argument: str, what: str, known: Mapping[str, Sequence[str]]
) -> None:
    """Raise if a function uses an unknown part of s.<name> or out.<name>; `known`: parts by name."""
    for name, part in sorted(parts_used(function.__code__, role.arguments.index(argument))):
        if name in known and part not in known[name]:
            raise InputError(f"{whose}: {argument}.{name} has no {what}'{part}'; {nearest(part, list(known[name]))}")


def check_replaced(whose: str, function: Callable, known: Mapping[str, str]) -> None:
    """Raise if a function rebinds an array, `out.tau = ...`, in place of writing to it; `known`: 'out.tau', by name."""
    for name in attributes_set(function.__code__):
        if name in known:
            raise InputError(f"{whose} replaces the array {name}; write into it: {known[name]}[:] = ... or [0] = ...")


def check_compared(whose: str, function: Callable, name: str) -> None:
    """Raise if a function writes a comparison (True or False) as a number that must pass through zero."""
    steps = steps_of(function.__code__)
    for before, _, step in zip(steps, steps[1:], steps[2:], strict=False):
        if before.opname in _COMPARISONS and step.opname == "LOAD_ATTR" and step.argval == name:
            raise InputError(
                f"{whose} writes a comparison to out.{name}, which jumps where it must pass through zero; write the "
                f"difference whose sign decides: out.{name}[0] = t - p.start, not t > p.start"
            )


@lru_cache(maxsize=1024)
def attributes_set(code: CodeType) -> tuple[str, ...]:
    """Names of all attributes that code assigns to, of anything."""
    return tuple(str(step.argval) for step in steps_of(code) if step.opname == "STORE_ATTR")


def steps_of(code: CodeType) -> list[dis.Instruction]:
    """The instructions of a function's byte code."""
    return [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]


_COMPARISONS = ("COMPARE_OP", "UNARY_NOT", "IS_OP", "CONTAINS_OP")
_ATTRIBUTE_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR")
