"""Triangle meshes of a robot's bodies, in the bodies' frames.

A body is drawn, whichever it has: by its visuals (meshes of a URDF), by its shapes, or, if it is only mass and inertia,
as what such a body is likely to be: a link, a hand, a wheel, a bus. Used by the live viewer and the film alike.
"""

import numpy as np

from ...model.model import Model
from ...model.parts import Body
from . import meshes as m
from .colors import BUS, HAND, LINKS
from .guessed_shapes import Sizes, bus, gripper, joint_hub, link, mounting, wheel
from .solids import shape_meshes
from .visuals import visual_meshes

Array = np.ndarray


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
