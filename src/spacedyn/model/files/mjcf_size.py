"""Count what MuJoCo's XML expands to (replicated, attached, generated elements) before MuJoCo reads it.

A hundred bytes can ask for millions of bodies, and MuJoCo's reader takes time that grows with the square of them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from ...errors import ModelError
from ..file_limits import limits, over
from .xml_source import Element

Count = tuple[float, float]
"""Elements, and bodies among them."""

_GRIDS = {"composite": "1", "flexcomp": "10 10 10"}  # the count that holds where none is given
_MAX_SEARCHES = 200  # for parts of names that are made while attaching


def check_size(root: Element, named: Mapping[int, Sequence[Element]], source: str) -> None:
    """ModelError if there is more than MuJoCo reads in seconds; `named`: what elements that name a file may mean."""
    most = limits()
    trees = {id(tree): tree for tree in [root, *(tree for some in named.values() for tree in some)]}
    cells = sum(_cells(element) for tree in trees.values() for element in tree.walk())
    try:
        elements, bodies = _Expansion(list(trees.values()), named).count(root)
    except RecursionError:
        elements = bodies = math.inf  # it includes or attaches itself, or nearly so
    for name, count, what in (
        ("mujoco_bodies", bodies, "bodies with all replicas"),
        ("mujoco_elements", elements, "elements with all replicas"),
        ("mujoco_cells", cells, "cells of height fields, textures, meshes and arrays"),
    ):
        if count > getattr(most, name):
            raise ModelError(source, [f"{over(name, what, getattr(most, name), count)}."])


class _Expansion:
    """Counts the elements that an element expands to."""

    def __init__(self, trees: Sequence[Element], named: Mapping[int, Sequence[Element]]):
        self.named = named
        self.known: dict[int, Count] = {}
        self.parts: dict[str, list[Element]] = {}  # bodies and frames by name, of all files
        self.models: dict[str | None, list[Element]] = {}  # files that can be attached, by name
        self.searches = 0
        for element in (element for tree in trees for element in tree.walk()):
            if element.tag in ("body", "frame") and (name := element.get("name")):
                self.parts.setdefault(name, []).append(element)
            elif element.tag == "model":
                self.models.setdefault(element.get("name"), []).extend(named.get(id(element), ()))

    def count(self, element: Element) -> Count:
        """Number of elements that an element expands to."""
        if id(element) not in self.known:
            self.known[id(element)] = self._count(element)
        return self.known[id(element)]

    def _count(self, element: Element) -> Count:
        if element.tag == "include":
            return _largest(self.count(tree) for tree in self.named.get(id(element), ()))
        if element.tag == "attach":
            return _largest(self.count(target) for target in self._targets(element))
        inside = [self.count(child) for child in element.children]
        elements, bodies = sum(e for e, _ in inside), sum(b for _, b in inside)
        if element.tag == "replicate":
            times = _numbers(element.get("count") or "1")[:1] or [1.0]
            return 1.0 + times[0] * elements, times[0] * bodies
        if element.tag in _GRIDS:
            points = math.prod(_numbers(element.get("count") or _GRIDS[element.tag]))
            points = max(points, len((element.get("point") or "").split()) / 3)
            return 1.0 + elements + 3.0 * points, bodies + points  # each with a body, a joint and a geom
        return 1.0 + elements, bodies + (element.tag == "body")

    def _targets(self, attach: Element) -> list[Element]:
        """What an <attach> copies: a named part, or all of another model."""
        model, part = attach.get("model"), attach.get("body") or attach.get("frame") or ""
        if part in self.parts:
            return self.parts[part]
        if model is not None:
            return self.models.get(model) or [tree for trees in self.models.values() for tree in trees]
        self.searches += 1
        if self.searches > _MAX_SEARCHES:
            raise RecursionError
        # the part may have got a prefix or a suffix by being attached or replicated before
        return [one for name, some in self.parts.items() if name in part for one in some]


def _largest(counts: Iterable[Count]) -> Count:
    listed = list(counts)
    return max((e for e, _ in listed), default=0.0), max((b for _, b in listed), default=0.0)


def _cells(element: Element) -> float:
    """How many numbers an asset asks memory for."""
    match element.tag:
        case "hfield":
            return math.prod(_numbers(f"{element.get('nrow') or 0} {element.get('ncol') or 0}"))
        case "texture":
            faces = 1 if element.get("type") == "2d" else 6
            size = f"{element.get('width') or 0} {element.get('height') or element.get('width') or 0}"
            return 3 * faces * math.prod(_numbers(size))
        case "numeric":
            return math.prod(_numbers(element.get("size") or "0"))
        case "mesh" if element.get("builtin"):
            return math.prod(_numbers(element.get("params") or "0")[:1]) ** 2
    return 0.0


def _numbers(text: str) -> list[float]:
    """Positive numbers of an attribute; MuJoCo itself refuses the others."""
    found = []
    for word in text.split():
        try:
            number = float(word)
        except ValueError:
            continue
        found.append(number if number > 0.0 else 0.0)
    return found
