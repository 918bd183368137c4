"""Rules for the links and joints of a URDF; each finding has its line, unreadable elements are skipped."""

import math
from collections import Counter
from typing import Any

import numpy as np

from ..model.checks import MASS_RATIO
from ..model.files.mesh_files import MeshFiles
from ..model.files.urdf_checks import GEOMETRIES, KINDS, MOMENTS
from ..model.files.xml_source import Element, attribute_numbers
from ..model.values import plain, shown
from .findings import Finding
from .inertia_rules import inertia_findings
from .mesh_bounds import mesh_bounds
from .model_rules import LARGE, SMALL, far, mirrored

DENSEST, LIGHTEST = 25_000.0, 0.05
"""Mass over volume of the bounding box [kg/m³]: beyond any metal, below any foam."""


def urdf_findings(robot: Element, files: MeshFiles) -> list[Finding]:
    """Findings about a URDF that go beyond what keeps it from being read."""
    found: list[Finding] = []
    links, joints = robot.all("link"), robot.all("joint")
    moved = {_name(joint.first("child"), "link"): joint for joint in joints}
    inertials = []
    for link in links:
        place, inertial = f"line {link.line}: link {shown(link.get('name'))}", _inertial(link)
        box = _looks(found, place, link, files)
        mover = moved.get(link.get("name"))
        if inertial is None:
            if mover is not None and mover.get("type") not in ("fixed", None) and link.first("inertial") is None:
                found.append(
                    Finding(
                        "warning",
                        place,
                        f"it has no <inertial>, yet joint {shown(mover.get('name'))} moves it",
                        "give it mass and inertia, or make the joint fixed",
                    )
                )
            continue
        mass, com, inertia = inertial
        inertials.append((place, mass, inertia))
        carried = mover is not None and mover.get("type") == "fixed"  # then it counts for little
        found += inertia_findings(place, mass, inertia, "note" if carried else "warning")
        _against_looks(found, place, mass, com, box)
    _together(found, inertials)
    for joint in joints:
        _joint(found, joint)
    _references(found, robot)
    return found


def _name(element: Element | None, key: str) -> str | None:
    return None if element is None else element.get(key)


def _numbers(element: Element | None, key: str, count: int) -> np.ndarray | None:
    if element is None or element.get(key) is None:
        return None
    values = attribute_numbers([], "", element, key, count)
    return None if values is None else np.array(values)


def _inertial(link: Element) -> tuple[float, np.ndarray, np.ndarray] | None:
    """Mass, centre of mass in the link's frame, inertia in the inertial frame's axes; None if not whole."""
    inertial = link.first("inertial")
    if inertial is None:
        return None
    mass = _numbers(inertial.first("mass"), "value", 1)
    entries = [_numbers(inertial.first("inertia"), key, 1) for key in MOMENTS]
    if mass is None or any(entry is None for entry in entries):
        return None
    xx, xy, xz, yy, yz, zz = (float(entry[0]) for entry in entries if entry is not None)
    com = _numbers(inertial.first("origin"), "xyz", 3)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(mass[0]), np.zeros(3) if com is None else com, matrix


def _looks(found: list[Finding], place: str, link: Element, files: MeshFiles) -> tuple[np.ndarray, np.ndarray] | None:
    """A box (centre, edges) around all looks, if the size of each is known; findings about meshes."""
    boxes: list[tuple[np.ndarray, np.ndarray] | None] = []
    for look in link.all("visual", "collision"):
        geometry = look.first("geometry")
        if geometry is None or not geometry.children:
            continue
        shape = geometry.children[0]
        if shape.tag not in GEOMETRIES:
            message = f"its {look.tag} is a {shape.tag}, which is not drawn"
            found.append(Finding("note", place, message, "use a box, cylinder, sphere or mesh"))
        box = _mesh(found, place, shape, files) if shape.tag == "mesh" else _simple(shape)
        origin = _numbers(look.first("origin"), "xyz", 3)
        boxes.append(None if box is None else (box[0] + (0.0 if origin is None else origin), box[1]))
    known = [box for box in boxes if box is not None]
    if not known or len(known) < len(boxes):
        return None
    lower = np.min([centre - edges / 2 for centre, edges in known], axis=0)
    upper = np.max([centre + edges / 2 for centre, edges in known], axis=0)
    return (lower + upper) / 2, upper - lower


def _simple(shape: Element) -> tuple[np.ndarray, np.ndarray] | None:
    if shape.tag == "box":
        size = _numbers(shape, "size", 3)
        return None if size is None else (np.zeros(3), np.abs(size))
    radius = _numbers(shape, "radius", 1)
    length = _numbers(shape, "length", 1) if shape.tag == "cylinder" else radius
    if radius is None or length is None:
        return None
    longest = max(2.0 * abs(radius[0]), abs(length[0]))  # it may lie askew
    return np.zeros(3), np.full(3, longest)


def _mesh(found: list[Finding], place: str, shape: Element, files: MeshFiles) -> tuple[np.ndarray, np.ndarray] | None:
    name, words = shape.get("filename") or "", (shape.get("scale") or "1").split()
    scale = np.ones(3)
    if shape.get("scale") is not None:
        given = _numbers(shape, "scale", 1 if len(words) == 1 else 3)
        scale = scale if given is None else given * np.ones(3)
    if np.prod(scale) < 0.0:
        found.append(mirrored(place, scale))
    try:
        file = files.find(name)
    except ValueError:
        return None  # an error, which loading reports
    if file is None:
        found.append(
            Finding("warning", place, f"mesh {shown(name)} is not there", "give the folder of its package by folders")
        )
        return None
    bounds = mesh_bounds(file)
    if bounds is None:
        return None
    edges = (bounds[1] - bounds[0]) * np.abs(scale)
    longest = float(edges.max())
    if longest > LARGE or 0.0 < longest < SMALL:
        unit = "millimetres: scale it by 0.001" if longest > LARGE else "metres already: scale it by 1"
        message = f"mesh {shown(name)} is {longest:.3g} m long as it is scaled"
        found.append(Finding("warning", place, message, f"it is likely in {unit}"))
        return None
    return scale * (bounds[0] + bounds[1]) / 2, edges


def _against_looks(found: list[Finding], place: str, mass: float, com: np.ndarray, box: Any) -> None:
    if np.linalg.norm(com) > LARGE:
        found.append(far(place, "centre of mass", com))
    if box is None or mass <= 0.0:
        return
    centre, edges = box
    volume = float(np.prod(np.maximum(edges, 1e-4)))
    if mass > DENSEST * volume:
        message = f"{mass:g} kg in a box of {plain(edges)} m is denser than any metal"
        found.append(Finding("warning", place, message, "check the units: kilograms, not grams; metres"))
    elif mass < LIGHTEST * volume:
        message = f"{mass:g} kg in a box of {plain(edges)} m is lighter than any foam"
        found.append(Finding("note", place, message, "check the units: kilograms; metres, not millimetres"))
    if np.linalg.norm(com - centre) > 1.5 * edges.max() + 0.05:
        message = f"its centre of mass {plain(com)} m lies far outside its looks"
        found.append(Finding("warning", place, message, "check the origin of <inertial>"))


def _together(found: list[Finding], inertials: list[tuple[str, float, np.ndarray]]) -> None:
    """What shows only when links are compared."""
    heavy = [(mass, place) for place, mass, _ in inertials if mass > 0.0]
    if heavy and max(heavy)[0] > 1e-2 * MASS_RATIO * min(heavy)[0]:
        (least, where), (most, other) = min(heavy), max(heavy)
        message = f"{least:g} kg beside {most:g} kg of {other.partition(': ')[2]}"
        found.append(Finding("warning", where, message, "check the units, or fix the light link to its parent"))
    same = Counter(tuple(inertia.ravel()) for _, _, inertia in inertials)
    for entries, count in same.items():
        alike = [(place, mass) for place, mass, inertia in inertials if tuple(inertia.ravel()) == entries]
        if count >= 3 and len({mass for _, mass in alike}) >= 3 and any(entries):
            found.append(
                Finding(
                    "warning",
                    alike[0][0],
                    f"{count} links of different masses have the very same inertia",
                    "it was likely copied: give each its own",
                )
            )


def _joint(found: list[Finding], joint: Element) -> None:
    place, kind = f"line {joint.line}: joint {shown(joint.get('name'))}", joint.get("type")
    origin, axis, limit = joint.first("origin"), joint.first("axis"), joint.first("limit")
    position, angles = _numbers(origin, "xyz", 3), _numbers(origin, "rpy", 3)
    if position is not None and np.linalg.norm(position) > LARGE:
        found.append(far(place, "origin", position))
    if angles is not None and np.abs(angles).max() > 2.0 * math.pi + 1e-3:
        message = f"rpy is {plain(angles)}: more than a whole turn"
        found.append(Finding("warning", place, message, "give radians, not degrees"))
    direction = _numbers(axis, "xyz", 3)
    if direction is not None and KINDS.get(str(kind)) != "fixed":
        length = float(np.linalg.norm(direction))
        if length > 1e-6 and abs(length - 1.0) > 1e-4:
            message = f"its axis {plain(direction)} has length {length:.6g}, not 1"
            found.append(Finding("warning", place, message, f"write {plain(direction / length)}"))
    if joint.first("mimic") is not None:
        leader = shown(_name(joint.first("mimic"), "joint"))
        found.append(
            Finding(
                "note", place, f"it mimics {leader}, but moves by itself here", "see mimic_coupling, or mimic='lock'"
            )
        )
    if kind in ("revolute", "prismatic"):
        _limits(found, place, str(kind), limit)


def _limits(found: list[Finding], place: str, kind: str, limit: Element | None) -> None:
    if limit is None:
        message = f"a {kind} joint without <limit>"
        remedy = "give limits" + (", or make it continuous" if kind == "revolute" else "")
        found.append(Finding("warning", place, message, remedy))
        return
    lower, upper, effort, velocity = (_numbers(limit, key, 1) for key in ("lower", "upper", "effort", "velocity"))
    low, high = (0.0 if value is None else float(value[0]) for value in (lower, upper))
    if low == high:
        found.append(
            Finding("warning", place, f"both limits are {low:g}: it cannot move", "give it a range, or fix it")
        )
    elif kind == "revolute" and 4.0 * math.pi + 0.1 < max(abs(low), abs(high)) < 1e4:
        found.append(Finding("warning", place, f"limits {low:g} … {high:g}: many turns", "give radians, not degrees"))
    elif kind == "prismatic" and LARGE < max(abs(low), abs(high)) < 1e6:
        found.append(Finding("warning", place, f"limits {low:g} … {high:g} m", "give metres, not millimetres"))
    for what, value in (("effort", effort), ("velocity", velocity)):
        if value is None:
            found.append(Finding("note", place, f"its {what} has no limit", f"give {what}"))
        elif value[0] <= 0.0:
            found.append(Finding("warning", place, f"its {what} is limited to {value[0]:g}", "give what it can do"))


def _references(found: list[Finding], robot: Element) -> None:
    """References of other elements to links and joints that do not exist."""
    links = {link.get("name") for link in robot.all("link")}
    joints = {joint.get("name") for joint in robot.all("joint")}
    for gazebo in robot.all("gazebo"):
        name = gazebo.get("reference")
        if name is not None and name not in links | joints:
            message = f"<gazebo> refers to {shown(name)}, which is not there"
            found.append(Finding("warning", f"line {gazebo.line}", message, "name a link or a joint, or remove it"))
    for transmission in robot.all("transmission"):
        for joint in transmission.all("joint"):
            if joint.get("name") not in joints:
                message = f"<transmission> drives {shown(joint.get('name'))}, which is not there"
                found.append(Finding("warning", f"line {joint.line}", message, "name a joint, or remove it"))
