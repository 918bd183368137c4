"""Triangle meshes of a robot's bodies, in the bodies' frames.

A body is drawn, whichever it has: by its visuals (meshes of a URDF), by its shapes, or, if it is only mass and inertia,
as what such a body is likely to be: a link, a hand, a wheel, a bus. Used by the live viewer and the film alike.
"""

from dataclasses import replace

import numpy as np

from ...model.model import Model
from ...model.parts import Body
from . import meshes as m
from .colors import BUS, DARK, HAND, LINKS, PANEL, PANEL_FRAME
from .guessed_shapes import Sizes, bus, gripper, joint_hub, link, mounting, plates, wheel
from .visuals import visual_meshes

Array = np.ndarray
_THIN = 0.06  # of its other edges: a plate this thin is a panel


def robot_meshes(model: Model) -> list[list[m.Mesh]]:
    """Meshes of each body of a robot, in the order of `model.bodies` and in the bodies' frames.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    list of lists of Mesh
        A body that is a mere frame has none.

    Examples
    --------
    >>> import spacedyn as sd
    >>> [len(parts) > 0 for parts in robot_meshes(sd.load("tian_wu"))]
    [True, True, True, True]
    """
    sizes = Sizes(model)
    return [_body(model, i, sizes) for i in range(len(model.bodies))]


def _body(model: Model, i: int, sizes: Sizes) -> list[m.Mesh]:
    body = model.bodies[i]
    if body.visuals:
        found = visual_meshes(body)
        if found:
            return found
    if body.shapes:
        return shape_meshes(body, _color(model, i)) + (_hub(model, i, sizes, _thickness(body)) if i else [])
    if i == 0:
        return mounting(model, sizes) if model.base_kind == "fixed" else bus(model, sizes)
    hub = _hub(model, i, sizes, sizes.radius[i])
    if sizes.is_wheel(i):
        return wheel(model, i)
    return [*hub, *link(model, i, sizes, LINKS[i % len(LINKS)]), *gripper(model, i, sizes)]


def _color(model: Model, i: int) -> m.Color:
    if i == 0:
        return BUS
    leaf = i not in model.parents and any(e.body == model.bodies[i].name for e in model.endpoints)
    return HAND if leaf and len(model.bodies[i].shapes) == 1 and model.n > 6 else LINKS[i % len(LINKS)]


def _hub(model: Model, i: int, sizes: Sizes, radius: float) -> list[m.Mesh]:
    joint = model.joints[i - 1]
    axis = joint.axis if joint.kind_record.takes_axis else np.array([0.0, 0.0, 1.0])
    return joint_hub(joint.kind_record, axis, radius)


def _thickness(body: Body) -> float:
    """Half of how thick a body of shapes is where its joint is."""
    near = min(body.shapes, key=lambda shape: float(np.linalg.norm(shape.position)))
    across = {"box": near.size[:3], "rod": (), "point": ()}.get(near.kind, 2 * near.size[:1])
    return 0.5 * float(min(across)) if len(across) else 0.0


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
