"""A model as text: its tree, with masses, joints and endpoints, for a terminal."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ..markup import table
from .parts import Body, Joint
from .values import plain

if TYPE_CHECKING:
    from .model import Model


def draw_tree(model: "Model") -> str:
    """The robot's tree: a line for each body, with its mass, the joint that moves it, and the endpoints on it (◇).

    Indentation grows only where the tree branches, so that a chain of thirty links is a list of thirty lines
    down one stroke. A joint's axis is shown if it is not z.

    >>> from spacedyn.model.build import Builder
    >>> b = Builder("probe", base="free")
    >>> b.base("bus", mass=80.0, inertia=(12, 13, 14))
    >>> b.link("boom", "prismatic", parent="bus", mass=4.0, inertia=(0.3, 0.3, 0.02))
    >>> b.link("panel", "revolute", parent="bus", axis=(1, 0, 0), mass=6.5, inertia=(0.2, 1.1, 1.3))
    >>> b.endpoint("tip", body="boom")
    >>> print(b.build())
    probe: free base, 3 bodies, 2 joints, 8 rates, 90.5 kg
    ┬ bus     80 kg  free base
    ├── boom   4 kg  prismatic   boom   ◇ tip
    └── panel 6.5 kg  revolute x  panel
    """
    endpoints: dict[str, list[str]] = {}
    for endpoint in model.endpoints:
        endpoints.setdefault(endpoint.body, []).append(f"◇ {endpoint.name}")
    cells = []
    for stroke, i in _strokes(model):
        body = model.bodies[i]
        kind, joint = (_kind(model.joints[i - 1]), model.joints[i - 1].name) if i else (f"{model.base_kind} base", "")
        cells.append((stroke + body.name, _mass(body), kind, joint, " ".join(endpoints.get(body.name, []))))
    w = [max(len(row[column]) for row in cells) for column in range(5)]
    rows = [f"{a:<{w[0]}}  {b:>{w[1]}}  {c:<{w[2]}}  {d:<{w[3]}}  {e}".rstrip() for a, b, c, d, e in cells]
    return "\n".join([_title(model), *rows])


def html_tree(model: "Model", note: str = "") -> str:
    """The same as a table for a notebook, with a note below."""
    rows = []
    for stroke, i in _strokes(model):
        body, joint = model.bodies[i], model.joints[i - 1] if i else None
        ends = ", ".join(e.name for e in model.endpoints if e.body == body.name)
        limits = "" if joint is None else _limits(joint)
        kind = f"{model.base_kind} base" if joint is None else _kind(joint)
        rows.append([stroke + body.name, _mass(body), kind, "" if joint is None else joint.name, limits, ends])
    return table(_title(model), ["body", "mass", "joint", "", "limits", "endpoints"], rows, escape(note))


def _limits(joint: Joint) -> str:
    pairs = zip(joint.lower, joint.upper, strict=True)
    return ", ".join(f"{a:.3g} … {b:.3g}" for a, b in pairs if np.isfinite(a) or np.isfinite(b))


def _strokes(model: "Model") -> Iterator[tuple[str, int]]:
    """What to draw before each body's name, depth first; a stack, since a chain may be longer than Python recurses."""
    children: list[list[int]] = [[] for _ in model.bodies]
    for i, parent in enumerate(model.parents[1:], start=1):
        children[parent].append(i)
    waiting = [(0, "", "")]  # the first body of a stroke, what stands left of it, and left of all below it
    while waiting:
        i, left, below = waiting.pop()
        start = "┬ " if children[i] else "─ "
        yield ("" if not model.joints else left + start), i
        while len(children[i]) == 1:
            i = children[i][0]
            yield below + ("│ " if children[i] else "└ "), i
        for child in reversed(children[i]):
            last = child == children[i][-1]
            waiting.append((child, below + ("└─" if last else "├─"), below + ("  " if last else "│ ")))


def count(number: int, what: str, many: str = "") -> str:
    """A number and its noun, singular or plural.

    >>> count(1, "joint"), count(2, "body", "bodies")
    ('1 joint', '2 bodies')
    """
    return f"{number} {what if number == 1 else many or what + 's'}"


def _title(model: "Model") -> str:
    sizes = f"{count(len(model.bodies), 'body', 'bodies')}, {count(model.n, 'joint')}, {count(model.nv, 'rate')}"
    return f"{model.name}: {model.base_kind} base, {sizes}, {model.total_mass:.6g} kg"


def _mass(body: Body) -> str:
    return f"{body.mass:.4g} kg" if body.mass > 0.0 else "massless"


def _kind(joint: Joint) -> str:
    if not joint.kind_record.takes_axis or joint.axis[2] == 1.0:
        return joint.kind
    along = np.flatnonzero(joint.axis)
    if len(along) == 1:
        return f"{joint.kind} {'-' if joint.axis[along[0]] < 0 else ''}{'xyz'[along[0]]}"
    return f"{joint.kind} {plain(joint.axis.round(3))}"
