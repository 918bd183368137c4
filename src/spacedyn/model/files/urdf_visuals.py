"""Visuals and collision geometry of a URDF's links: shapes, meshes and materials, as our records."""

from typing import Any

import numpy as np

from ..parts import Visual
from ..shapes import Shape, box, cylinder, sphere
from ..values import shown
from .mesh_files import MeshFiles


class Looks:
    """Makes visuals of links; meshes outside the allowed folders are in `problems`, those not found in `missing`."""

    def __init__(self, robot: Any, files: MeshFiles | None):
        self.files = files  # None: no meshes
        self.problems: list[str] = []
        self.missing: list[str] = []
        every = [*robot.materials, *(v.material for link in robot.links for v in link.visuals if v.material)]
        self.colors = {m.name: _color(m) for m in reversed(every) if m.name and _color(m) is not None}

    def of(self, link: Any) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
        """Visuals and collision geometry of a link."""
        return (
            tuple(v for part in link.visuals if (v := self._visual(link, part, part.material)) is not None),
            tuple(v for part in link.collisions if (v := self._visual(link, part, None)) is not None),
        )

    def _visual(self, link: Any, part: Any, material: Any) -> Visual | None:
        origin = np.eye(4) if part.origin is None else part.origin
        color = None if material is None else _color(material) or self.colors.get(material.name)
        pose: Any = {"position": origin[:3, 3], "rotation": origin[:3, :3], "color": color}
        name, geometry = part.name or "", part.geometry
        if geometry.mesh is None:
            return Visual(name, _shape(geometry), **pose)
        if self.files is None:
            return None
        try:
            file = self.files.find(geometry.mesh.filename)
        except ValueError as error:
            self.problems.append(
                f"link {shown(link.name)}: {error}, or trust its folder by folders=[…], or do without by meshes=False."
            )
            return None
        if file is None:
            self.missing.append(geometry.mesh.filename)
            return None
        scale: Any = 1.0 if geometry.mesh.scale is None else geometry.mesh.scale
        return Visual(name, mesh=str(file), scale=scale, **pose)


def _shape(geometry: Any) -> Shape:
    if geometry.box is not None:
        return box(0.0, geometry.box.size)
    if geometry.cylinder is not None:
        return cylinder(0.0, geometry.cylinder.radius, geometry.cylinder.length)
    return sphere(0.0, geometry.sphere.radius)


def _color(material: Any) -> tuple[float, ...] | None:
    if material.color is None:
        return None
    return tuple(float(x) for x in np.clip(material.color.rgba, 0.0, 1.0))
