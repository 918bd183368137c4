"""Names of the parts of a compiled MuJoCo model: unique within each kind; parts without one are numbered."""

from collections.abc import Container
from typing import Any

KINDS = {"body": "body", "joint": "jnt", "site": "site", "actuator": "actuator"}
"""Kinds of parts, and what MuJoCo calls them."""


def unused(name: str, taken: Container[str]) -> str:
    """The name, or one like it that is not taken.

    >>> unused("site1", {"site1", "site1_"})
    'site1__'
    """
    while name in taken:
        name += "_"
    return name


class Names:
    """Names by kind and index; the world body is called 'world' unless another body has that name."""

    def __init__(self, m: Any):
        text = bytes(m.names)

        def at(start: int) -> str:
            return text[start : text.index(b"\0", start)].decode("utf-8", "replace")

        self.model = at(0)
        self._by_kind: dict[str, list[str]] = {}
        for what, short in KINDS.items():
            given = [at(int(start)) for start in getattr(m, f"name_{short}adr")]
            taken = {name for name in given if name}
            for i, name in enumerate(given):
                if not name:
                    given[i] = unused("world" if what == "body" and i == 0 else f"{what}{i}", taken)
                    taken.add(given[i])
            self._by_kind[what] = given

    def of(self, what: str, i: int) -> str:
        """The name of part `i` of a kind: 'body', 'joint', 'site' or 'actuator'."""
        return self._by_kind[what][i]

    def all(self, what: str) -> set[str]:
        """All names of a kind."""
        return set(self._by_kind[what])
