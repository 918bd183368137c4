"""Read a URDF: expand its xacro, parse its XML safely, hand what passed our checks to yourdfpy."""

import io
import os
from typing import Any
from xml.etree import ElementTree

from ...errors import ModelError
from .urdf_checks import GEOMETRIES, drawn, unscaled
from .xml_source import Element, is_text, parse_xml, read_source

PARTS = {
    "robot": ("material", "link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
    "geometry": tuple(GEOMETRIES),
    "material": ("color", "texture"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
"""What a robot is made of: the elements that are read, by the element that holds them."""


def urdf_tree(path_or_text: str | os.PathLike[str]) -> tuple[Element, str]:
    """The elements of a URDF, its xacro expanded, and what messages call the place it came from."""
    data, source = read_source(path_or_text)
    if not is_text(path_or_text) and source.lower().endswith(".xacro"):
        parse_xml(data, source)
        data = _expanded(source)
    return parse_xml(data, source), source


def _expanded(source: str) -> bytes:
    try:
        import xacro
    except ImportError:
        raise ModelError(source, [f"{source} needs xacro to be read: pip install 'spacedyn[urdf]'."]) from None
    try:
        return bytes(xacro.process_file(source).toxml(encoding="utf-8"))
    except BaseException as error:  # xacro raises errors of many kinds, SystemExit among them
        if isinstance(error, KeyboardInterrupt):
            raise
        raise ModelError(
            source, [f"{source} cannot be expanded by xacro: {' '.join(str(error).split()) or type(error).__name__}."]
        ) from None


def read_by_yourdfpy(root: Element, source: str) -> Any:
    """The robot as yourdfpy reads it, from what has passed our checks and from nothing else."""
    try:
        import yourdfpy
    except ImportError:
        raise ModelError(source, [f"{source} needs yourdfpy to be read: pip install 'spacedyn[urdf]'."]) from None
    text = io.BytesIO(ElementTree.tostring(_clean(root)))
    options = {"build_scene_graph": False, "load_meshes": False}
    try:
        return yourdfpy.URDF.load(text, **options).robot
    except Exception as error:  # whatever a reader stumbles over that our checks let through
        raise ModelError(source, [f"{source} cannot be read as URDF: {type(error).__name__}: {error}."]) from None


def _clean(element: Element) -> ElementTree.Element:
    """The elements that describe the robot; other tools' elements, and geometry that cannot be drawn, are left out."""
    copy = ElementTree.Element(element.tag, element.attributes)
    known = PARTS.get(element.tag, ())
    children = element.children[:1] if element.tag == "geometry" else element.children
    for child in children:
        if child.tag in known and (child.tag not in ("visual", "collision") or _is_drawn(child)):
            copy.append(_clean(child))
    return copy


def _is_drawn(look: Element) -> bool:
    shape = drawn(look)
    return shape is not None and shape.tag in GEOMETRIES and not unscaled(shape)
