"""Check a URDF's elements, attributes and tree; all errors are reported at once, each with its line."""

from collections import Counter

from ...errors import Problems, nearest
from ..file_limits import limits, over
from ..values import shown
from .xml_source import Element, attribute_numbers

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
"""Kinds of joints of a URDF, and ours."""

GEOMETRIES = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "mesh": {},
}
"""Geometries that can be drawn, and how many numbers each needs; others, such as capsules, are passed over."""

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def check_urdf(robot: Element, source: str, *, ties: bool = True) -> list[str]:
    """Errors that keep a file from being read, each with its line first; mimic joints are checked if `ties`."""
    problems, most = Problems(source), limits()
    if robot.tag != "robot":
        return [f"line {robot.line}: the file is a <{robot.tag[:40]}>, not a <robot>; give a URDF."]
    if not robot.get("name"):
        problems.append(f"line {robot.line}: the robot has no name; write <robot name=…>.")
    links, joints = robot.all("link"), robot.all("joint")
    if not links:
        problems.append(f"line {robot.line}: the robot has no <link>; it needs at least one.")
    looks = sum(child.tag in ("visual", "collision") for link in links for child in link.children)
    for name, count, allowed in (("bodies", len(links), most.bodies), ("visuals", looks, most.visuals)):
        if count > allowed:
            return [f"line {robot.line}: {over(name, name, allowed, count)}."]
    for what, parts in (("link", links), ("joint", joints)):
        _names(problems, what, parts)
    for link in links:
        _link(problems, link)
    names = {link.get("name") or "": None for link in links}
    for joint in joints:
        _joint(problems, joint, names)
    if ties:
        _mimics(problems, joints)
    for material in robot.all("material"):
        _material(problems, material, "the robot")
    return problems or _tree(links, joints)


def _names(problems: list[str], what: str, parts: list[Element]) -> None:
    for part in parts:
        name = part.get("name")
        if not name or name.strip() != name or not name.isprintable():
            problems.append(f"line {part.line}: a {what} has the name {shown(name)}; give it one of one line.")
    for name, count in Counter(part.get("name") for part in parts).items():
        if count > 1 and name:
            lines = ", ".join(str(part.line) for part in parts if part.get("name") == name)
            problems.append(f"lines {lines}: {count} {what}s are called {shown(name)}; rename all but one.")


def _link(problems: list[str], link: Element) -> None:
    label = f"link {shown(link.get('name'))}"
    for inertial in link.all("inertial")[:1]:
        where = f"{label}: inertial"
        _origin(problems, where, inertial)
        for tag, keys in (("mass", ("value",)), ("inertia", MOMENTS)):
            part = inertial.first(tag)
            if part is None:
                problems.append(
                    f"line {inertial.line}: {where} has no <{tag}>; give it, or leave <inertial> out for a mere frame."
                )
            else:
                _attributes(problems, f"{where}: {tag}", part, dict.fromkeys(keys, 1))
    for look in link.all("visual", "collision"):
        where = f"{label}: {look.tag}"
        _origin(problems, where, look)
        geometry = look.first("geometry")
        if geometry is None or not geometry.children:
            problems.append(f"line {look.line}: {where} has no geometry; give a box, cylinder, sphere or mesh.")
            continue
        shape = geometry.children[0]
        _attributes(problems, f"{where}: {shape.tag}", shape, GEOMETRIES.get(shape.tag, {}))
        if shape.tag == "mesh" and not shape.get("filename"):
            problems.append(f"line {shape.line}: {where}: its mesh has no filename; name a file.")
        for material in look.all("material"):
            _material(problems, material, where)


def _material(problems: list[str], material: Element, where: str) -> None:
    color = material.first("color")
    if color is not None and color.get("rgba") is not None:
        attribute_numbers(problems, f"{where}: color", color, "rgba", 4)


def _joint(problems: list[str], joint: Element, links: dict[str, None]) -> None:
    label, kind = f"joint {shown(joint.get('name'))}", joint.get("type")
    if kind not in KINDS:
        problems.append(f"line {joint.line}: {label}: its type is {shown(kind)}; {nearest(str(kind), list(KINDS))}.")
    for role in ("parent", "child"):
        end = joint.first(role)
        name = None if end is None else end.get("link")
        if name is None:
            problems.append(f"line {joint.line}: {label}: its {role} is missing; write <{role} link=…/>.")
        elif name not in links:
            problems.append(
                f"line {joint.line}: {label}: its {role} {shown(name)} is not a link; {nearest(name, list(links))}."
            )
    _origin(problems, label, joint)
    axis = joint.first("axis")
    if axis is not None and axis.get("xyz") is not None and kind != "fixed":
        direction = attribute_numbers(problems, f"{label}: axis", axis, "xyz", 3)
        if direction is not None and max(map(abs, direction)) < 1e-6:
            problems.append(f"line {axis.line}: {label}: its axis is zero; give a direction, such as 0 0 1.")
    for tag, keys in (
        ("limit", ("lower", "upper", "effort", "velocity")),
        ("dynamics", ("damping", "friction")),
        ("mimic", ("multiplier", "offset")),
    ):
        part = joint.first(tag)
        for key in keys if part is not None else ():
            if part is not None and part.get(key) is not None:
                attribute_numbers(problems, f"{label}: {tag}", part, key, 1)


def _mimics(problems: list[str], joints: list[Element]) -> None:
    leaders: dict[str, str] = {}
    names = {joint.get("name") or "": None for joint in joints}
    for joint in joints:
        mimic = joint.first("mimic")
        if mimic is None:
            continue
        leader = mimic.get("joint")
        if leader not in names:
            problems.append(
                f"line {mimic.line}: joint {shown(joint.get('name'))}: it mimics {shown(leader)}, which is not there; "
                f"{nearest(str(leader), list(names))}."
            )
        leaders[joint.get("name") or ""] = str(leader)
    settled: set[str] = set()  # joints whose leaders end at one that follows nobody, or were reported
    for name in leaders:
        way, at = dict[str, None](), name
        while at in leaders and at not in settled and at not in way:
            way[at] = None
            at = leaders[at]
        if at in way:
            ring = list(way)[list(way).index(at) :]
            problems.append(f"joint {shown(at)}: it mimics itself, by way of {', '.join(ring)}; break the ring.")
        settled.update(way)


def urdf_doubts(robot: Element, *, meshes: bool = True) -> list[str]:
    """Warnings, each with its line first, about what is read although it is wrong: other readers accept it too."""
    doubts = [robot.doubt] if robot.doubt else []
    for link in robot.all("link") if meshes else ():
        for look in link.all("visual", "collision"):
            shape = drawn(look)
            if shape is not None and unscaled(shape):
                doubts.append(
                    f"line {shape.line}: link {shown(link.get('name'))}: the scale of its mesh is "
                    f"{shown(shape.get('scale'))}, so it is not drawn; give one number or three."
                )
    for joint in robot.all("joint"):
        limit = joint.first("limit")
        lower, upper = (None if limit is None else limit.get(key) or "0" for key in ("lower", "upper"))
        if lower is None or upper is None or joint.get("type") not in ("revolute", "prismatic"):
            continue
        if float(lower) > float(upper):
            doubts.append(
                f"line {joint.line}: joint {shown(joint.get('name'))}: its lower limit {lower} is above its upper "
                f"limit {upper}, so it has none here; swap them."
            )
    return doubts


def drawn(look: Element) -> Element | None:
    """The shape of a visual or collision geometry."""
    geometry = look.first("geometry")
    return geometry.children[0] if geometry is not None and geometry.children else None


def unscaled(shape: Element) -> bool:
    """Whether this is a mesh whose scale cannot be read."""
    scale = shape.get("scale") if shape.tag == "mesh" else None
    count = 0 if scale is None else len(scale.split())
    return scale is not None and attribute_numbers([], "", shape, "scale", 1 if count == 1 else 3) is None


def _tree(links: list[Element], joints: list[Element]) -> list[str]:
    """One root, one parent each, no rings."""
    problems = []
    parents: dict[str, str] = {}
    for joint in joints:
        parent, child = (_end(joint, role) for role in ("parent", "child"))
        if child in parents:
            problems.append(
                f"line {joint.line}: link {shown(child)} has a second parent, {shown(parent)} beside "
                f"{shown(parents[child])}; a robot is a tree: keep one joint."
            )
        parents.setdefault(child, parent)
    roots = [link.get("name") or "" for link in links if link.get("name") not in parents]
    if len(roots) > 1:
        problems.append(
            f"there are {len(roots)} roots ({', '.join(roots[:6])}); join them, or give each robot a file of its own."
        )
    if problems:
        return problems
    below: dict[str, list[str]] = {}
    for child, parent in parents.items():
        below.setdefault(parent, []).append(child)
    reached, waiting = set(roots), list(roots)
    while waiting:
        for child in below.get(waiting.pop(), []):
            reached.add(child)
            waiting.append(child)
    ring = [name for name in parents if name not in reached]
    if ring:
        problems.append(
            f"links {', '.join(shown(name) for name in ring[:6])} hang on one another in a ring, not on a root; "
            "give one of them a parent outside."
        )
    return problems


def _end(joint: Element, role: str) -> str:
    end = joint.first(role)
    return "" if end is None else end.get("link") or ""


def _origin(problems: list[str], where: str, part: Element) -> None:
    origin = part.first("origin")
    for key in ("xyz", "rpy"):
        if origin is not None and origin.get(key) is not None:
            attribute_numbers(problems, f"{where}: origin", origin, key, 3)


def _attributes(problems: list[str], where: str, element: Element, counts: dict[str, int]) -> None:
    for key, count in counts.items():
        if element.get(key) is None:
            problems.append(f"line {element.line}: {where}: {key} is missing; give it.")
        else:
            attribute_numbers(problems, where, element, key, count)
