"""From a description to a Model: `assemble` checks every description.

All problems are collected before anything is raised; each names the part and says how to mend it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..errors import ModelError, Problems, nearest, warn_of_all
from .checks import check_body, check_endpoint, check_joint, check_name, doubts
from .connections import check_connections
from .model import Model
from .parts import BASE_KINDS, Body, Endpoint, Joint
from .values import shown

Part = TypeVar("Part", Body, Joint, Endpoint)


def assemble(
    name: str,
    base_kind: str,
    bodies: Iterable[Body],
    joints: Iterable[Joint] = (),
    endpoints: Iterable[Endpoint] = (),
    *,
    problems: Iterable[str] = (),
    known: Sequence[Body] = (),
) -> Model:
    """Check a whole description and make its Model; every Model is made here.

    Parameters
    ----------
    name, base_kind : str
        Of the robot; the kind of its base.
    bodies : iterable of Body
        The base first, the others in any order.
    joints, endpoints : iterable of Joint, Endpoint
        q and q̇ follow the joints' order. Fields may be lists, scalars that hold for every rate, SciPy Rotations,
        or None for the default.
    problems : iterable of str
        What the caller has found already, to be reported with the rest.
    known : sequence of Body
        Of a model that was made before: warnings that were given then are not given again.

    Raises
    ------
    ModelError
        With every problem found.
    """
    found = Problems(name, problems)
    parts = (_records(Body, bodies), _records(Joint, joints), _records(Endpoint, endpoints))
    if not (isinstance(name, str) and name and name.isprintable()):
        found.append(f"the model's name is {shown(name)}; give it a name of one line.")
    if not (isinstance(base_kind, str) and base_kind in BASE_KINDS):
        found.append(f"there is no kind of base {shown(base_kind)}; {nearest(str(base_kind), list(BASE_KINDS))}.")
    elif parts[0] and base_kind == "fixed":
        parts[0][0] = _mere_mount(parts[0][0])
    if not parts[0]:
        found.append("there is no base; a robot has at least one body, and the first is its base.")
    clean_bodies = _check_parts(found, "body", parts[0], check_body)
    clean_joints = _check_parts(found, "joint", parts[1], check_joint)
    clean_endpoints = _check_parts(found, "endpoint", parts[2], check_endpoint)
    check_connections(found, *parts)
    if found:
        raise ModelError(name, found)
    by_name = {body.name: body for body in clean_bodies}
    ordered = [clean_bodies[0], *(by_name[joint.child] for joint in clean_joints)]
    model = Model._of(str(name), str(base_kind), ordered, clean_joints, clean_endpoints)

    from .singular import singular_joints

    if singular := singular_joints(model):
        raise ModelError(name, singular)
    reported = doubts(known) if known else []
    warn_of_all("", [doubt for doubt in doubts(model.bodies) if doubt not in reported])
    return model


def _mere_mount(base: Any) -> Any:
    """A base that does not move needs no mass: one of which nothing is said is a frame for others."""
    unsaid = base.mass is None and base.inertia is None and base.massless is False
    shapeless = base.shapes is None or (isinstance(base.shapes, tuple | list) and not base.shapes)
    return replace(base, massless=True) if unsaid and shapeless else base


def _records(sort: type[Part], parts: Iterable[Part]) -> list[Part]:
    listed = list(parts)
    for part in listed:
        if not isinstance(part, sort):
            raise TypeError(f"assemble takes {sort.__name__} records, not {type(part).__name__}")
    return listed


def _check_parts(
    problems: list[str], what: str, parts: Sequence[Part], check: Callable[[list[str], str, Part], Part | None]
) -> list[Part]:
    """Check each part on its own; return those without a problem."""
    labels = [check_name(problems, what, number, part.name) for number, part in enumerate(parts)]
    for label, count in Counter(labels).items():
        if count > 1:
            problems.append(f"{label}: {count} of them have this name; rename all but one.")
    checked = [check(problems, label, part) for label, part in zip(labels, parts, strict=True)]
    return [part for part in checked if part is not None]
