"""Texts changed by structure: keys and elements deleted, doubled, swapped, nested, moved, replaced."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import tomli_w

from .hostile import NUMBERS, Names

_VALUES: tuple[Any, ...] = (
    *(float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, -0.0, 0, 1, -1, 2, 10**400, 2**63, 1e-30, 1e16),
    *(True, False, "", "x", "nan", [], [[]], [1], [0, 0, 0], [1, 2], [1, 2, 3, 4], [[1, 0], [0, 1]], {}, {"a": 1}),
    *([{}], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, "x"], [float("nan")] * 3, [1e308] * 3, [0] * 100, [[[1]]]),
    *(datetime.date(2024, 1, 1), datetime.time(1, 2), {"x": {"y": {"z": [{}]}}}),
)

# --- tables: TOML and JSON -------------------------------------------------------------------------------------------


def changed_table(rng: Random, table: dict[str, Any], names: Names) -> dict[str, Any]:
    """A copy of nested tables and lists with one to three changes."""
    made = _copy(table)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(made))
        if places:
            _change(rng, *rng.choice(places), places, names)
    return made


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key)."""
    for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(part, dict | list):
            yield from _places(part)


def _change(rng: Random, holder: Any, key: Any, places: list[tuple[Any, Any]], names: Names) -> None:
    try:
        value = holder[key]
    except (KeyError, IndexError):  # a change before this one took it away
        return
    other, name = rng.choice(places), names.one(rng)
    match rng.randrange(9):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[name] = _copy(value)
        case 1:
            holder.insert(key, _copy(value))
        case 2:
            holder[key] = {name: value} if rng.random() < 0.5 else [value]
        case 3 if isinstance(holder, dict):
            holder[name] = holder.pop(key)
        case 4 if other[0] is not holder or other[1] != key:  # a copy, so that nothing contains itself
            holder[key] = _copy(_at(other, value))
        case 5 if isinstance(value, str):
            holder[key] = name
        case 6 if isinstance(value, list):
            holder[key] = value * rng.choice((0, 2, 30))
        case 7 if isinstance(value, dict) and value:
            holder[key] = next(iter(value.values()))
        case _:
            holder[key] = _copy(rng.choice(_VALUES))


def _at(place: tuple[Any, Any], default: Any) -> Any:
    try:
        return place[0][place[1]]
    except (KeyError, IndexError):
        return default


def toml_bytes(table: dict[str, Any]) -> bytes:
    """A table as a file."""
    return tomli_w.dumps(table).encode()


# --- elements: XML ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Node:
    """An element."""

    tag: str
    attributes: dict[str, str]
    children: list["Node"]

    def copy(self) -> "Node":
        """It and all below."""
        return Node(self.tag, dict(self.attributes), [child.copy() for child in self.children])

    def walk(self) -> Iterator["Node"]:
        """It and all below."""
        yield self
        for child in self.children:
            yield from child.walk()

    def text(self) -> str:
        """As XML."""
        attributes = "".join(f" {key}={quoteattr(value)}" for key, value in self.attributes.items())
        return f"<{self.tag}{attributes}>{''.join(child.text() for child in self.children)}</{escape(self.tag)}>\n"


def parsed(data: bytes) -> Node:
    """The elements of a file that is in order."""
    parser, open_nodes = expat.ParserCreate(), [Node("", {}, [])]

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, [])
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: open_nodes.pop()
    parser.Parse(data, True)
    return open_nodes[0].children[0]


def changed_element(rng: Random, root: Node, donors: list[Node], names: Names) -> bytes:
    """A copy with one to three changes; elements may come from another file."""
    made = root.copy()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        nodes = list(made.walk())
        _change_node(rng, rng.choice(nodes), nodes, rng.choice(donors), names)
    return made.text().encode()


def _change_node(rng: Random, node: Node, nodes: list[Node], donor: Node, names: Names) -> None:
    other = rng.choice(nodes)
    match rng.randrange(10):
        case 0 if node.children:
            del node.children[rng.randrange(len(node.children))]
        case 1 if node.children:
            child = rng.choice(node.children)
            node.children += [child.copy() for _ in range(rng.choice((1, 1, 1, 2, 20)))]
        case 2:
            node.children.insert(rng.randrange(len(node.children) + 1), other.copy())
        case 3 if node.children:  # nested: a child becomes the child of a copy of its parent
            at = rng.randrange(len(node.children))
            node.children[at] = Node(node.tag, dict(node.attributes), [node.children[at]])
        case 4:
            node.tag, other.tag = other.tag, node.tag
        case 5:
            node.attributes, other.attributes = other.attributes, node.attributes
        case 6:
            node.children.append(rng.choice(list(donor.walk())).copy())
        case 7 if node.attributes:
            key = rng.choice(list(node.attributes))
            value = node.attributes.pop(key)
            if rng.random() < 0.5:
                node.attributes[rng.choice([*other.attributes, key])] = value
        case 8:
            rng.shuffle(node.children)
        case _:
            keys = [*node.attributes, *other.attributes] or ["name"]
            value = rng.choice(NUMBERS) if rng.random() < 0.5 else names.one(rng)
            node.attributes[rng.choice(keys)] = value
