"""Texts changed by bytes and by tokens; see `trees` for changes of structure."""

import re
from dataclasses import dataclass
from functools import cached_property
from random import Random

from .hostile import NUMBERS, Names

_TOKEN = re.compile(
    rb"""(?P<number>(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
       | (?P<text>"[^"\n]*"|'[^'\n]*')
       | (?P<word>[A-Za-z_][\w:-]*)
       | (?P<mark>[\[\]{}=<>/,.\n]+)""",
    re.VERBOSE,
)
_BYTES = (0, 1, 9, 10, 13, 32, 34, 39, 46, 47, 60, 62, 61, 91, 93, 127, 128, 192, 254, 255)
_GROWN = 200_000  # bytes of the largest text that is made


@dataclass(frozen=True)
class Text:
    """A text to begin from, with the places of its tokens."""

    name: str
    data: bytes

    @cached_property
    def tokens(self) -> dict[str, list[tuple[int, int]]]:
        """Where numbers, quoted texts, words and marks are."""
        found: dict[str, list[tuple[int, int]]] = {"number": [], "text": [], "word": [], "mark": []}
        for match in _TOKEN.finditer(self.data):
            found[match.lastgroup or ""].append(match.span())
        return found


def by_bytes(rng: Random, data: bytes, other: bytes = b"", first: int = 0, last: int | None = None) -> bytes:
    """Some bytes of a range flipped, set, deleted, repeated or inserted; cut short; joined with another text."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        stop = min(len(changed), len(changed) if last is None else last)
        if stop <= first:
            break
        at = rng.randrange(first, stop)
        length = min(rng.choice((1, 1, 2, 4, 8, 40, 400)), stop - at)
        match rng.randrange(9):
            case 0:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at] = rng.choice(_BYTES)
            case 2:
                changed[at : at + length] = rng.randbytes(length)
            case 3:
                del changed[at : at + length]
            case 4:
                changed[at:at] = changed[at : at + length] * rng.choice((1, 1, 2, 10))
            case 5:
                changed[at:at] = bytes(rng.choice(_BYTES) for _ in range(min(length, 8)))
            case 6:
                to = rng.randrange(first, stop)
                changed[to : to + length] = changed[at : at + length]
            case 7 if rng.random() < 0.3:
                del changed[at:]
            case 8 if other:
                begin = rng.randrange(len(other))
                changed[at : at + length] = other[begin : begin + length]
    return bytes(changed)


def by_tokens(rng: Random, text: Text, names: Names) -> bytes:
    """One to four numbers, texts or words replaced by hostile ones or by others of the same text."""
    tokens = text.tokens
    changes = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        sort = rng.choices(("number", "text", "word", "mark"), (6, 4, 2, 1))[0]
        if not tokens[sort]:
            continue
        span = rng.choice(tokens[sort])
        changes.append((span, _replacement(rng, text, sort, text.data[slice(*span)], names)))
    data, end = [], len(text.data)
    for (start, stop), new in sorted(changes, reverse=True):
        if stop <= end:
            data += [text.data[stop:end], new]
            end = start
    data.append(text.data[:end])
    changed = b"".join(reversed(data))
    return grown(rng, changed) if rng.random() < 0.003 else changed


def _replacement(rng: Random, text: Text, sort: str, old: bytes, names: Names) -> bytes:
    if rng.random() < 0.35:  # of the same text: numbers and names that are known, in another place
        return text.data[slice(*rng.choice(text.tokens[sort]))]
    if sort == "number" and rng.random() < 0.8:
        return rng.choice(NUMBERS).encode()
    if sort == "text":
        inside = old[1:-1].split()
        if len(inside) > 1 and rng.random() < 0.6:  # numbers with blanks between them, as XML has them
            inside[rng.randrange(len(inside))] = rng.choice(NUMBERS).encode()
            return old[:1] + b" ".join(inside) + old[-1:]
        new = rng.choice(NUMBERS) if rng.random() < 0.4 else names.one(rng)
        return old[:1] + new.encode() + old[-1:]
    return rng.choice((b"", b" ", names.one(rng).encode(), old + old, old[::-1]))


def grown(rng: Random, data: bytes) -> bytes:
    """A piece repeated many times over: what is small for a person may be large for a reader."""
    if not data:
        return data
    at = rng.randrange(len(data))
    piece = data[at : at + rng.choice((1, 2, 3, 5, 20, 200))]
    times = rng.choice((100, 1000, 10_000))
    return data[:at] + (piece * times)[:_GROWN] + data[at:]
