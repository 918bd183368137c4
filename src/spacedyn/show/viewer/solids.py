"""Meshes of the shapes that a body is made of; thin plates are drawn as solar panels with cells."""

from dataclasses import replace

import numpy as np

from ...model.parts import Body
from . import meshes as m
from .colors import BUS, DARK, LINKS, PANEL, PANEL_FRAME
from .guessed_shapes import plates

Array = np.ndarray
_THIN = 0.06  # of its other edges: a plate this thin is a panel


def shape_meshes(body: Body, color: m.Color) -> list[m.Mesh]:
    """The shapes that a body is made of; thin plates become solar panels."""
    longest = max((float(np.max(shape.size, initial=0.0)) for shape in body.shapes), default=0.0)
    parts: list[m.Mesh] = []
    for shape in body.shapes:
        small = color == BUS and float(np.max(shape.size, initial=0.0)) < 0.5 * longest and shape.kind != "box"
        for part in solid(shape.kind, shape.size, longest, LINKS[1] if small else color):
            parts.append(part.at(shape.position, shape.rotation))
    return parts


def solid(kind: str, size: Array, longest: float, color: m.Color) -> list[m.Mesh]:
    """A shape in its own frame; slender rods and points get a thickness, since they must be seen."""
    thin = 0.012 * longest
    match kind:
        case "box":
            x, y, z = np.maximum(size, 1e-3 * float(np.max(size, initial=1e-3)))
            edges = np.sort([x, y, z])
            if edges[0] < _THIN * edges[1] and edges[2] < 12 * edges[1]:
                return solar_panel(np.array([x, y, z]))
            foil = plates(np.array([x, y, z])) if color == BUS else []
            return [m.box((x, y, z), 0.02 * float(edges[0])).painted(color), *foil]
        case "cylinder":
            return [m.cylinder(size[0], size[1], 0.06 * min(size)).painted(color)]
        case "tube":
            return [m.tube(size[0], size[1], size[2]).painted(color)]
        case "sphere":
            return [m.sphere(size[0]).painted(color)]
        case "cone":
            return [m.cone(size[0], size[1]).painted(color)]
        case "capsule":
            half = np.array([0.0, 0.0, size[1] / 2.0])
            return [m.rod(-half, half, size[0]).painted(color)]
        case "rod":
            half = np.array([0.0, 0.0, size[0] / 2.0])
            return [m.rod(-half, half, max(thin, 0.012 * size[0])).painted(color)]
    return [m.sphere(2.0 * thin or 0.02).painted(DARK)]


def solar_panel(size: Array) -> list[m.Mesh]:
    """A thin plate with cells on both of its faces.

    >>> len(solar_panel(np.array([2.0, 1.0, 0.02])))
    2
    """
    normal = int(np.argmin(size))
    a, b = [k for k in range(3) if k != normal]
    count = np.maximum(1, np.round(size / (float(size[[a, b]].min()) / 4.0))).astype(int)
    count = np.minimum(count, 24)
    pitch = size / count
    cell = 0.93 * pitch
    cell[normal] = 1.5 * size[normal]
    tile = m.box(cell)
    cells = []
    for i in range(count[a]):
        for k in range(count[b]):
            center = np.zeros(3)
            center[a], center[b] = (i + 0.5) * pitch[a] - size[a] / 2, (k + 0.5) * pitch[b] - size[b] / 2
            cells.append(center)
    vertices = np.concatenate([tile.vertices + center for center in cells])
    faces = np.concatenate([tile.faces + k * len(tile.vertices) for k in range(len(cells))])
    return [replace(m.box(size), color=PANEL_FRAME, outlying=True), m.Mesh(vertices, faces, PANEL, outlying=True)]
