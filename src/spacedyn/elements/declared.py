"""The checked declaration of a user's element: names, sizes and units of its blocks, guards, accounts, rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..laws.law import SEEN
from ..signatures import is_several
from .element import Account, Block

ROBOT = tuple(name for name in SEEN if name != "mode")
"""What an element sees of the robot."""
ACCOUNTS = {account.value: account for account in Account}
MAX_NUMBERS = 10_000
"""Of a block."""
MAX_ROWS = 100
ROW_PARTS = ("residual", "drift", "bias")
"""What is written of constraint rows beside what they push."""


@dataclass(frozen=True)
class Declared:
    """The declaration of a user's element."""

    states: tuple[Block, ...] = ()
    samples: tuple[Block, ...] = ()
    commands: tuple[Block, ...] = ()
    channels: tuple[Block, ...] = ()
    guards: int = 0
    accounts: tuple[Account, ...] = ()
    joints: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()  # parameters that are times
    rows: int = 0  # constraint rows
    nonholonomic: int = 0  # how many of them, the last ones, have no residual

    def reads(self) -> list[str]:
        """Names that its function may read of `s`."""
        own = [block.name for block in (*self.states, *self.samples, *self.commands)] + (
            ["side"] if self.guards else []
        )
        return [*ROBOT, *own, *self.joints, *self.points]

    def writes(self) -> list[str]:
        """Names that its function may write of `out`."""
        own = [block.name for block in (*self.states, *self.samples, *self.channels)] + (
            ["guard"] if self.guards else []
        )
        own += list(ROW_PARTS) if self.rows else []
        return ["tau", *own, *(account.value for account in self.accounts), *self.joints, *self.points]


def declare(
    whose: str,
    *,
    states: Any = (),
    samples: Any = (),
    commands: Any = (),
    channels: Any = (),
    guards: Any = 0,
    accounts: Any = (),
    joints: Any = (),
    points: Any = (),
    breaks: Any = (),
    rows: Any = 0,
    nonholonomic: Any = 0,
) -> Declared:
    """Check the declaration given by a user or a file; report every problem by name."""
    entries = _names(whose, "accounts", accounts)
    for one in entries:
        if one not in ACCOUNTS:
            raise InputError(f"{whose}: accounts must be among {', '.join(ACCOUNTS)}, got {one!r}")
        if entries.count(one) > 1:
            raise InputError(f"{whose}: accounts name {one!r} twice")
    if type(guards) is not int or not 0 <= guards <= MAX_NUMBERS:
        raise InputError(f"{whose}: guards must be their number, an integer from 0 to {MAX_NUMBERS}, got {guards!r}")
    _check_rows(whose, rows, nonholonomic)
    made = Declared(
        _blocks(whose, "states", states),
        _blocks(whose, "samples", samples),
        _blocks(whose, "commands", commands),
        _blocks(whose, "channels", channels),
        guards,
        tuple(ACCOUNTS[one] for one in entries),
        _names(whose, "joints", joints),
        _names(whose, "points", points),
        _names(whose, "breaks", breaks),
        rows,
        nonholonomic,
    )
    if (rows and not len(made.joints) + len(made.points) > 0) or (rows and len(made.points) > 2):
        raise InputError(f"{whose}: rows bind joints, and one or two points; declare joints=(...) or points=(...)")
    for block in (*made.commands, *made.channels):
        if block.start != 0.0:
            raise InputError(
                f"{whose}: '{block.name}' cannot start at {block.start}: states and samples start somewhere; commands "
                "and channels are zero until something is written"
            )
    names = [*made.reads()[len(ROBOT) :], *(block.name for block in made.channels)]
    for name in names:
        if (
            names.count(name) > 1
            or name in SEEN
            or name in ("tau", "guard", "name", "multiplier", *ROW_PARTS, *ACCOUNTS)
        ):
            raise InputError(f"{whose}: the name '{name}' stands for two things; rename one")
    for name in made.breaks:
        if made.breaks.count(name) > 1:
            raise InputError(f"{whose}: breaks name the parameter '{name}' twice")
        if name in (*made.joints, *made.points):
            raise InputError(f"{whose}: breaks are parameters that are times [s]; '{name}' is what it is bound to")
    return made


def _check_rows(whose: str, rows: Any, nonholonomic: Any) -> None:
    """Raise unless the numbers of rows are valid."""
    if type(rows) is not int or not 0 <= rows <= MAX_ROWS:
        raise InputError(f"{whose}: rows must be their number, an integer from 0 to {MAX_ROWS}, got {rows!r}")
    if type(nonholonomic) is not int or not 0 <= nonholonomic <= rows:
        raise InputError(f"{whose}: nonholonomic is how many of its {rows} rows have no residual, got {nonholonomic!r}")


def _names(whose: str, what: str, given: Any) -> tuple[str, ...]:
    """Several identifiers, or an error by name."""
    if isinstance(given, str) or not is_several(given):
        example = (given,) if isinstance(given, str) else ("axle",)
        raise InputError(f"{whose}: {what} must be a list of names, such as {example}, got {given!r}")
    found = tuple(given)
    for one in found:
        if not (isinstance(one, str) and one.isidentifier()):
            raise InputError(f"{whose}: names of {what} must be identifiers, got {one!r}")
    return found


def _blocks(whose: str, what: str, given: Any) -> tuple[Block, ...]:
    """Blocks as users write them: {name: unit}, {name: size}, {name: (size, unit)}, {name: Block(...)}, or names."""
    if isinstance(given, Mapping):
        made = []
        _names(whose, what, given)
        for name, value in given.items():
            if isinstance(value, Block):
                if value.name != name:
                    raise InputError(f"{whose}: {what}: '{name}' is a block named {value.name!r}; give it one name")
                made.append(value)
            elif isinstance(value, tuple | list) and [type(one) for one in value] == [int, str]:
                made.append(Block(name, *value))
            elif isinstance(value, str):
                made.append(Block(name, unit=value))
            elif isinstance(value, int) and not isinstance(value, bool):
                made.append(Block(name, value))
            else:
                raise InputError(
                    f"{whose}: {what} are {{name: unit, size or (size, unit)}}, such as {{{name!r}: (3, 'T')}}, got "
                    f"{{{name!r}: {value!r}}}"
                )
    elif is_several(given) and not isinstance(given, str):
        found = tuple(given)
        _names(whose, what, [one for one in found if not isinstance(one, Block)])
        made = [one if isinstance(one, Block) else Block(one) for one in found]
    else:
        raise InputError(f"{whose}: {what} are {{name: unit, size or (size, unit)}}, or a list of names, got {given!r}")
    for block in made:
        _check_block(f"{whose}: {what}", block)
    return tuple(made)


def _check_block(what: str, block: Block) -> None:
    """Raise if a block is invalid."""
    if not (isinstance(block.name, str) and block.name.isidentifier()):
        raise InputError(f"names of {what} must be identifiers, got {block.name!r}")
    if type(block.size) is not int or not 0 < block.size <= MAX_NUMBERS:
        raise InputError(f"{what}: '{block.name}' must have from 1 to {MAX_NUMBERS} numbers, got {block.size!r}")
    labels = isinstance(block.labels, tuple | list) and all(isinstance(one, str) for one in block.labels)
    if not (isinstance(block.unit, str) and labels and len(block.labels) in (0, block.size)):
        raise InputError(
            f"{what}: the unit of '{block.name}' must be text, and its labels as many texts as it has numbers"
        )
    if isinstance(block.start, bool) or not isinstance(block.start, int | float) or not np.isfinite(block.start):
        raise InputError(f"{what}: '{block.name}' must start at a finite number, got {block.start!r}")
