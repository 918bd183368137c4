"""Checks of one body, joint or endpoint, and warnings about a whole robot (`doubts`).

`check_body`, `check_joint` and `check_endpoint` take a record as a person filled it in, and return it with clean
read-only float64 arrays, or None after adding to the problems. How the parts hang together is `model.connections`'s.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import nearest
from .joints import JOINT_KINDS, JointKind
from .parts import Body, Endpoint, Joint
from .shapes import Shape, combine
from .values import frozen, numbers, plain, rotation_matrix, shown, unit
from .visuals import check_visuals

SYMMETRY_TOLERANCE = 1e-9
"""Of an inertia's asymmetry and of its negative principal moments, relative to its largest entry."""

MASS_RATIO = 1e6
"""Heaviest over lightest body; beyond it a model deserves a warning."""

DEFAULTS: dict[str, float] = {
    "stiffness": 0.0,
    "damping": 0.0,
    "friction": 0.0,
    "friction_speed": 1e-3,
    "rotor_inertia": 0.0,
    "gear": 1.0,
    "lower": -np.inf,
    "upper": np.inf,
    "stop_stiffness": 0.0,
    "stop_damping": 0.0,
    "max_rate": np.inf,
    "max_force": np.inf,
}
"""What a joint has over its rates when nothing is said."""

_UNBOUNDED = ("lower", "upper", "max_rate", "max_force")
_SIGNED = ("gear", "lower", "upper")


def check_name(problems: list[str], what: str, number: int, name: Any) -> str:
    """The label of a part in messages: its name, or its number after reporting an unusable name."""
    if isinstance(name, str) and name.strip() == name and name.isprintable() and name:
        return f"{what} '{name}'"
    label = f"{what} number {number}"
    problems.append(f"{label}: its name is {shown(name)}; give it a name of one line, without blanks at its ends.")
    return label


def check_body(problems: list[str], label: str, body: Any) -> Body | None:
    """A body with its mass, centre of mass and inertia: as given, or computed from its shapes."""
    before = len(problems)
    massless = isinstance(body.massless, bool | np.bool_) and bool(body.massless)
    if not isinstance(body.massless, bool | np.bool_):
        problems.append(f"{label}: massless is {shown(body.massless)}; give True or False.")
    shapes = _shapes(problems, label, body.shapes)
    looks = [check_visuals(problems, label, what, getattr(body, what)) for what in ("visuals", "collisions")]
    mass, com, inertia = body.mass, body.com, body.inertia
    if mass is None and inertia is None and (shapes is None or shapes):
        if com is not None:
            problems.append(f"{label}: its shapes settle com; leave com out, or give mass and inertia beside it.")
        if shapes is None:
            return None  # its shapes have been reported, and there is nothing else to look at
        mass, com, inertia = combine(shapes)
    elif massless:
        mass = 0.0 if mass is None else mass
        inertia = (0.0, 0.0, 0.0) if inertia is None else inertia
    mass = numbers(problems, f"{label}: mass", mass, ())
    com = numbers(problems, f"{label}: com", (0.0, 0.0, 0.0) if com is None else com, (3,))
    inertia = _inertia(problems, label, inertia)
    if mass is not None and massless and mass != 0.0:
        problems.append(f"{label}: it is massless, yet its mass is {mass:g} kg; leave one of the two out.")
    elif mass is not None and not massless and mass <= 0.0:
        problems.append(
            f"{label}: mass is {mass:g} kg; give a mass above 0, or massless=True for a mere frame between joints."
        )
    if len(problems) > before or mass is None or com is None or inertia is None or shapes is None:
        return None
    return Body(str(body.name), float(mass), com, inertia, shapes, massless, *looks)


def _shapes(problems: list[str], label: str, given: Any) -> tuple[Shape, ...] | None:
    listed = (given,) if isinstance(given, Shape) else given
    if not isinstance(listed, Sequence) or not all(isinstance(shape, Shape) for shape in listed):
        problems.append(f"{label}: shapes is {shown(given)}; give a list of shapes such as [box(50, (1, 1, 1))].")
        return None
    faults = [f"{label}: {fault}" for shape in listed for fault in shape.problems]
    problems.extend(faults)
    return None if faults else tuple(listed)


def _inertia(problems: list[str], label: str, given: Any) -> np.ndarray | None:
    where = f"{label}: inertia"
    if given is None:
        problems.append(
            f"{where} is missing; give (Ixx, Iyy, Izz), a 3x3 matrix or shapes, or (0, 0, 0) for a point mass."
        )
        return None
    array = numbers(problems, where, given, None)
    if array is None:
        return None
    if array.shape not in ((3,), (3, 3)):
        problems.append(
            f"{where} has shape {array.shape}; give (Ixx, Iyy, Izz) or a 3x3 matrix about the centre of mass."
        )
        return None
    matrix = np.diag(array) if array.shape == (3,) else array
    largest = float(np.abs(matrix).max())
    if float(np.abs(matrix - matrix.T).max()) > SYMMETRY_TOLERANCE * largest:
        rows, columns = np.triu_indices(3, 1)
        worst = int(np.argmax(np.abs(matrix - matrix.T)[rows, columns]))
        i, j = rows[worst], columns[worst]
        problems.append(
            f"{where} is not symmetric: {'xyz'[i]}{'xyz'[j]} is {matrix[i, j]:g} and {'xyz'[j]}{'xyz'[i]} is "
            f"{matrix[j, i]:g}; give both the same value, minus the integral of {'xyz'[i]}{'xyz'[j]} dm."
        )
        return None
    matrix = 0.5 * (matrix + matrix.T)
    moments = np.sort(array) if array.shape == (3,) else np.linalg.eigvalsh(matrix)
    if moments[0] < -SYMMETRY_TOLERANCE * largest:
        problems.append(
            f"{where} has a negative principal moment ({moments[0]:.6g} kg m^2); "
            "check the signs and sizes of its entries, and that it is about the centre of mass."
        )
        return None
    return frozen(matrix)


def check_joint(problems: list[str], label: str, joint: Any) -> Joint | None:
    """A joint with every property spread over its rates; None if its kind is unknown."""
    before = len(problems)
    position = numbers(problems, f"{label}: position", joint.position, (3,))
    rotation = rotation_matrix(problems, f"{label}: rotation", joint.rotation)
    if not (isinstance(joint.kind, str) and joint.kind in JOINT_KINDS):
        problems.append(
            f"{label}: there is no kind of joint {shown(joint.kind)}; {nearest(str(joint.kind), list(JOINT_KINDS))}."
        )
        return None
    axis = _axis(problems, label, joint)
    pitch = numbers(problems, f"{label}: pitch", joint.pitch, ())
    if pitch is not None and pitch != 0.0 and not JOINT_KINDS[joint.kind].takes_pitch:
        problems.append(f"{label}: a {joint.kind} joint has no pitch; leave it out, or make the joint helical.")
    rest = _rest(problems, label, joint)
    over_rates = {key: _over_rates(problems, label, joint, key) for key in DEFAULTS}
    _check_limits(problems, label, joint, over_rates["lower"], over_rates["upper"])
    _check_isotropy(problems, label, JOINT_KINDS[joint.kind], over_rates["stiffness"])
    if len(problems) > before or pitch is None:
        return None
    names = {key: str(getattr(joint, key)) for key in ("name", "kind", "parent", "child")}
    clean: dict[str, Any] = {"position": position, "rotation": rotation, "axis": axis, "pitch": float(pitch)}
    return Joint(**names, **clean, rest=rest, **over_rates)  # type: ignore[arg-type]


def _axis(problems: list[str], label: str, joint: Any) -> np.ndarray | None:
    straight = np.array([0.0, 0.0, 1.0])
    if JOINT_KINDS[joint.kind].takes_axis and joint.axis is not None:
        return unit(problems, f"{label}: axis", joint.axis, (3,))
    given = numbers(problems, f"{label}: axis", straight if joint.axis is None else joint.axis, (3,))
    if given is not None and not np.array_equal(given, straight):
        problems.append(
            f"{label}: a {joint.kind} joint has no single axis, yet axis is {plain(given)}; "
            "leave it out, and turn the joint's frame by rotation."
        )
    return given


def _rest(problems: list[str], label: str, joint: Any) -> np.ndarray | None:
    """The slack position, by default the neutral one; a quaternion in it is a unit one."""
    where, kind, given = f"{label}: rest", JOINT_KINDS[joint.kind], joint.rest
    if given is None:
        return kind.neutral
    if kind.nq == 0:
        return _nothing(problems, where, given, 0.0)
    if kind.has_attitude and not kind.steps:
        return unit(problems, f"{where} (x, y, z, w)", given.as_quat() if isinstance(given, Rotation) else given, (4,))
    rest = numbers(problems, where, given, (kind.nq,), spread=not kind.has_attitude)
    if rest is None or not kind.has_attitude:
        return rest
    quaternion = unit(problems, f"{where} quaternion (x, y, z, w)", rest[kind.attitude], (4,))
    return None if quaternion is None else frozen(np.concatenate([rest[: kind.plain_count], quaternion]))


def _nothing(problems: list[str], where: str, given: Any, default: float) -> np.ndarray | None:
    """A property of a fixed joint must be left out or have its default: any other number would be ignored."""
    values = numbers(problems, where, given, None, infinite=True)
    if values is None:
        return None
    if values.size and not (values == default).all():
        problems.append(
            f"{where} is {shown(values)}, but a fixed joint does not move; leave it out, or change its kind."
        )
    return frozen(np.zeros(0))


@cache
def _spread(number: float, count: int) -> np.ndarray:
    """A number for every rate; read-only, so all joints share it."""
    return frozen(np.full(count, number))


def _over_rates(problems: list[str], label: str, joint: Joint, key: str) -> np.ndarray | None:
    where, nv, default = f"{label}: {key}", JOINT_KINDS[joint.kind].nv, DEFAULTS[key]
    given = getattr(joint, key)
    if given is None or (type(given) is float and given == default):
        return _spread(default, nv)
    if nv == 0:
        return _nothing(problems, where, given, default)
    values = numbers(problems, where, given, (nv,), spread=True, infinite=key in _UNBOUNDED)
    if values is None:
        return None
    if key not in _SIGNED and (values < 0.0).any():
        problems.append(f"{where} is {plain(values)}; give 0 or more (what drives a joint is a control law).")
    elif key == "friction_speed" and (values == 0.0).any():
        problems.append(f"{where} is {plain(values)}; give a small speed above 0, such as 1e-3.")
    elif key == "gear" and (values == 0.0).any():
        problems.append(f"{where} is {plain(values)}; give 1 for a direct drive, and rotor_inertia=0 for no rotor.")
    return values


def _check_limits(problems: list[str], label: str, joint: Joint, lower: Any, upper: Any) -> None:
    if lower is None or upper is None:
        return
    if (lower > upper).any() or (lower == np.inf).any() or (upper == -np.inf).any():
        problems.append(
            f"{label}: lower {plain(lower)} is above upper {plain(upper)}; swap them, or leave out what has no limit."
        )
    kind = JOINT_KINDS[joint.kind]
    angular = kind.attitude_rates  # empty without an attitude
    if np.isfinite(lower[angular]).any() or np.isfinite(upper[angular]).any():
        rest = "give -inf and inf for its last three rates" if kind.steps else "leave lower and upper out"
        problems.append(
            f"{label}: a {joint.kind} joint's attitude has no single coordinate to limit; {rest}, "
            "or use a universal and a revolute joint."
        )


def _check_isotropy(problems: list[str], label: str, kind: JointKind, stiffness: np.ndarray | None) -> None:
    """A spring along the rotation vector is only a potential force if it is equally stiff about every axis."""
    if stiffness is None or not kind.has_attitude:
        return
    parts = stiffness[kind.attitude_rates], stiffness[: kind.plain_count]
    for what, part in zip(("rotation", "displacement"), parts, strict=True):
        if part.size and (part != part[0]).any():
            problems.append(
                f"{label}: its stiffness in {what} is {plain(part)}; give three equal values "
                f"(a {kind.name} joint's spring knows no axes), or a chain of joints with one spring each."
            )


def check_endpoint(problems: list[str], label: str, endpoint: Endpoint) -> Endpoint | None:
    """An endpoint with a clean pose; `check_connections` checks that its body exists."""
    position = numbers(problems, f"{label}: position", endpoint.position, (3,))
    rotation = rotation_matrix(problems, f"{label}: rotation", endpoint.rotation)
    if position is None or rotation is None:
        return None
    return Endpoint(str(endpoint.name), str(endpoint.body), position, rotation)


def doubts(bodies: Sequence[Body]) -> list[str]:
    """Sentences about what is possible but looks wrong, each with the body's name.

    Principal moments that no mass distribution can have; an inertia of exactly 1, 10, 0.1, … times the identity on a
    body without shapes, which is what people type to get going; masses more than a million times apart.
    """
    found = []
    every = np.linalg.eigvalsh(np.array([body.inertia for body in bodies]))
    for body, (a, b, c) in zip(bodies, every.tolist(), strict=True):
        if c > (a + b) * (1.0 + 1e-6):
            found.append(
                f"body '{body.name}': principal moments {plain(np.array([a, b, c]))} kg m^2 break the triangle "
                "inequality (the largest exceeds the sum of the others), which no rigid body can; check its inertia."
            )
        if not body.shapes and is_placeholder(body.inertia):
            found.append(
                f"body '{body.name}': inertia {body.inertia[0, 0]:g} times the identity looks like a placeholder; "
                "give the real one, or the shapes it is made of."
            )
    heavy = max(bodies, key=lambda body: body.mass)
    light = min((body for body in bodies if body.mass > 0.0), key=lambda body: body.mass, default=heavy)
    if heavy.mass > MASS_RATIO * light.mass:
        found.append(
            f"body '{light.name}': mass {light.mass:g} kg beside the {heavy.mass:g} kg of body '{heavy.name}', "
            "over a million times apart; check the units (kg), or fix the small one to its parent."
        )
    return found


def is_placeholder(inertia: np.ndarray) -> bool:
    """Whether an inertia is exactly 1, 10, 0.1, … times the identity."""
    size = float(inertia[0, 0])
    if size <= 0.0 or not np.array_equal(inertia, size * np.eye(3)):
        return False
    return size == float(f"1e{round(np.log10(size))}")
