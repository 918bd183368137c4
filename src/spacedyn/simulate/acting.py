"""Everything that acts on a robot, sorted by how it is computed: laws, elements, gravity, prescribed joints.

The arguments `laws=`, `gravity=` and `prescribed=` of `simulate` mean the same as the corresponding elements.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..elements.element import Element
from ..elements.gravity import UniformGravity
from ..elements.held_joints import LockedJoint, PrescribedJoint
from ..elements.user_elements import ElementTemplate
from ..errors import InputError
from ..laws.bytecode import Template
from ..laws.law import Law, LawTemplate
from ..model.model import Model, robot_of
from ..quantities.calls import gravity_vector
from .arguments import listed

Array = np.ndarray
MAX_LAWS = 62
"""Samples of laws are bits of one integer."""
_BELONGS = {
    "motion": "a motion is for a joint: PrescribedJoint(joint, motion)",
    "condition": "a condition is for an event: Event(condition)",
}


class Acting(NamedTuple):
    """Everything that acts on the robot, separated by how it is computed."""

    laws: list[Law]
    elements: list[Element]  # that have kernels
    gravity: Array | None
    prescribed: dict[str, Any]  # motions, or 'locked', by names of joints


class ElementsBySort(NamedTuple):
    """The items of `elements=`, separated by how they are computed."""

    laws: list[Law]
    elements: list[Element]  # that have kernels
    fields: list[UniformGravity]
    joints: list[PrescribedJoint | LockedJoint]


def all_acting(
    model: Model,
    *,
    laws: Law | Iterable[Law] = (),
    gravity: Any = None,
    prescribed: Mapping[str, Any] | None = None,
    forces: Any = (),
    elements: Any = (),
) -> Acting:
    """Merge all arguments into one form: laws in order, those among elements last; gravity accelerations are summed."""
    given = sort_elements(
        [*listed("forces", forces, Element | Law), *listed("elements", elements, Element | Law)],
    )
    chosen = _laws(listed("laws", laws, Law | LawTemplate), given.laws)
    fields = [] if gravity is None else [gravity_vector(gravity)]
    fields += [np.asarray(one.acceleration) for one in given.fields]
    total = sum(fields[1:], fields[0]) if fields else None
    bound = [one.for_model(robot_of(model, 0)) for one in given.elements]
    return Acting(chosen, bound, total, motions_of(model, {} if prescribed is None else prescribed, given.joints))


def sort_elements(elements: Iterable[Any]) -> ElementsBySort:
    """Separate elements by how they are computed; raise InputError for anything that is no element or law."""
    found = ElementsBySort([], [], [], [])
    for one in elements:
        if isinstance(one, Law | LawTemplate):
            found.laws.append(checked_law("elements", one))
        elif isinstance(one, UniformGravity):
            found.fields.append(one)
        elif isinstance(one, PrescribedJoint | LockedJoint):
            found.joints.append(one)
        elif isinstance(one, Element):
            found.elements.append(one)
        else:
            raise InputError(
                "elements: expected elements (Wrench, Spring, Motor, ..., or made by @element) or laws, "
                f"got {one!r}" + ("; call it, with its parameters" if isinstance(one, Template) else "")
            )
    return found


def motions_of(
    model: Model, prescribed: Mapping[str, Any], joints: Iterable[PrescribedJoint | LockedJoint]
) -> dict[str, Any]:
    """The motion of each joint that has one, by its name; raise if one has two."""
    if not isinstance(prescribed, Mapping):
        raise InputError(f"prescribed: expected {{joint: motion}}, got {prescribed!r}")
    found: dict[str, Any] = {}
    by: dict[str, str] = {}
    given = [(joint, motion, "prescribed") for joint, motion in prescribed.items()]
    given += [(one.joint, one.motion, type(one).__name__) for one in joints]
    for joint, motion, what in given:
        name = model.joint(joint).name
        if name in found:
            twice = f"{by[name]} twice" if by[name] == what else f"{by[name]} and by {what}"
            raise InputError(f"joint '{name}' is held by {twice}; a joint has one motion: leave one out")
        found[name], by[name] = motion, what
    return found


def checked_laws(laws: Law | Iterable[Law]) -> list[Law]:
    """A list of laws that can be simulated together."""
    return _laws(listed("laws", laws, Law | LawTemplate), [])


def _laws(given: list[Any], more: list[Law]) -> list[Law]:
    chosen = [*(checked_law("laws", law) for law in given), *more]
    if len(chosen) > MAX_LAWS:
        raise InputError(f"at most {MAX_LAWS} laws can be simulated together, got {len(chosen)}")
    return chosen


def checked_law(name: str, law: Any) -> Law:
    """A law with its parameters, or an error by name."""
    if isinstance(law, LawTemplate):
        what, function = law.made.role.what, law.function.__name__
        raise InputError(f"{what} '{function}' has no parameters yet; call it: {function}(...)")
    if not isinstance(law, Law):
        hint = "; elements go into elements=[...]" if isinstance(law, Element | ElementTemplate) else ""
        raise InputError(f"{name}: expected functions made by @law and called with parameters, got {law!r}{hint}")
    if law.role.what in _BELONGS:
        raise InputError(f"{name}: '{law.name}' is no law; {_BELONGS[law.role.what]}")
    return law
