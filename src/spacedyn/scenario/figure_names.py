"""The figures that a scenario requests, and the names of their files."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST = 100  # bytes: file systems take 255, of which a folder's tools want some
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
"""What Windows takes for a device, whatever the ending."""


def figure_groups(content: Mapping[str, Any]) -> list[list[str]]:
    """The quantities of each figure; one figure of default quantities if the scenario requests none."""
    wanted = content.get("plots", {}).get("figures", [[]])
    return [[one] if isinstance(one, str) else list(one) for one in wanted]


def figure_names(groups: Sequence[Sequence[str]]) -> list[str]:
    """A unique file name for each figure, without its ending, which cannot leave its folder.

    >>> figure_names([["q", "hand.x"], ["/etc/passwd"], ["q", "hand_x"], []])
    ['q_hand_x', '_etc_passwd', 'q_hand_x_2', 'overview']
    """
    names: list[str] = []
    taken: dict[str, int] = {}  # lower case, since some file systems ignore case
    for group in groups:
        name = first = safe_file_name("_".join(group) or "overview")
        count = taken.get(first.lower(), 1)
        while name.lower() in taken:
            count += 1
            name = f"{first}_{count}"
        taken[first.lower()] = count
        taken.setdefault(name.lower(), 1)
        names.append(name)
    return names


def safe_file_name(text: str) -> str:
    """Letters, digits, - and _ of a text; everything else, and what systems reserve, is replaced.

    >>> safe_file_name("../a b"), safe_file_name("nul"), safe_file_name("aux.x")
    ('___a_b', '_nul', 'aux_x')
    """
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in text)
    name = name.encode()[:_LONGEST].decode(errors="ignore")
    return f"_{name}" if _RESERVED.fullmatch(name) or name.startswith("-") else name or "_"
