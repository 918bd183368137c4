"""Parse untrusted XML: no entities, no external references, bounded size, a line number for every element.

A robot's file needs none of what makes XML dangerous, so a document type or an entity is refused before it can grow.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ...errors import ModelError
from ..file_limits import limits, over
from ..values import shown
from .toml_reading import file_bytes

LATE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<!--(?:[^-]++|-(?!->))*+-->)++(?=<\?xml\s)")
"""Blanks and comments before the declaration, which XML wants at the very beginning and many readers do not."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass
class Element:
    """One element: its tag, attributes, children in order, and the line it begins at."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    doubt: str = ""  # of the root: what is wrong with the whole document, but was let pass

    def all(self, *tags: str) -> list["Element"]:
        """Children of these tags, in order."""
        return [child for child in self.children if child.tag in tags]

    def first(self, tag: str) -> "Element | None":
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator["Element"]:
        """The element and all below it, as they stand in the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    def get(self, key: str) -> str | None:
        """An attribute, or None."""
        return self.attributes.get(key)


class _Refused(Exception):
    """Raised for XML that this reader refuses, with the reason."""


def is_text(given: str | os.PathLike[str]) -> bool:
    """Whether this is XML itself, not the path of a file."""
    return isinstance(given, str) and given.lstrip("\ufeff \t\r\n").startswith("<")


def read_source(given: str | os.PathLike[str]) -> tuple[bytes, str]:
    """The bytes of a file or text, and the name of its source for messages; ModelError if it cannot be read."""
    if is_text(given):
        return str(given).lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), "the text"
    name = os.fspath(given)
    return file_bytes(name), name


def parse_xml(data: bytes, source: str) -> Element:
    """The tree of elements; ModelError, with the line, if the text is no XML or holds what is refused.

    >>> parse_xml(b"<robot><link/></robot>", "the text").first("link").line
    1
    """
    before = LATE.match(data)
    skipped = data[: before.end()].count(b"\n") if before else 0
    parser = expat.ParserCreate()
    top = Element("", {}, 0)
    open_elements, count, most = [top], 0, limits()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > most.elements:
            raise _Refused(over("elements", "elements", most.elements))
        if len(open_elements) > most.depth:
            raise _Refused(over("depth", "levels of nested elements", most.depth))
        element = Element(tag, attributes, parser.CurrentLineNumber + skipped)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def refuse(*_: object) -> None:
        raise _Refused("it has a document type or entities (<!DOCTYPE …>), which no robot needs; take them out")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(data[before.end() :] if before else data, True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, str(error))
        line = error.lineno + skipped
        raise ModelError(source, [f"{source}, line {line}: it is not whole XML: {why}; mend or complete it."]) from None
    except _Refused as error:
        raise ModelError(source, [f"{source}, line {parser.CurrentLineNumber + skipped}: {error}."]) from None
    except (ValueError, LookupError) as error:  # an encoding that does not exist
        raise ModelError(source, [f"{source}: it cannot be decoded ({error}); save it as UTF-8."]) from None
    if before and b"<!--" in before.group():
        top.children[
            0
        ].doubt = f"line {skipped + 1}: comments stand before <?xml …?>, which must come first; move them below it."
    return top.children[0]


def attribute_numbers(problems: list[str], where: str, element: Element, key: str, count: int) -> list[float] | None:
    """The numbers of an attribute; None, after reporting it, unless they are `count` finite numbers."""
    text = element.attributes[key]
    words = text.split()
    wanted = "one number" if count == 1 else f"{count} numbers with blanks between them"
    if len(words) != count or not all(NUMBER.fullmatch(word) for word in words):
        problems.append(f"line {element.line}: {where}: {key} is {shown(text[:60])}; give {wanted}.")
        return None
    numbers = [float(word) for word in words]
    if not all(abs(number) <= 1e100 for number in numbers):
        problems.append(f"line {element.line}: {where}: {key} is {shown(text[:60])}; give finite numbers.")
        return None
    return numbers
