"""A robot from SpaceDyn's arrays, and back.

SpaceDyn counts links and joints from 1, with 0 for the base, and measures from centres of mass:

    c0[j]     base's centre of mass -> joint j             Qi[j]   turn of joint frame j in its parent's frame
    cc[i][j]  centre of mass of link i -> joint j          Qe[i]   turn of link i's endpoint in the link's frame
    ce[i]     centre of mass of link i -> its endpoint     BB[j]   parent of link j; SE[i] = 1: link i has an endpoint

Here a body's frame is at its joint, so com_i = -cc_ii, the joint of child j is at cc_ij - cc_ii, and the endpoint at
ce_i - cc_ii. Angles are about x, the turned y, the turned z: R = Rx Ry Rz (SpaceDyn's "roll-pitch-yaw").
"""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError, ModelWarning
from .build import Builder
from .model import Model
from .rotations import angles_xyz, rotation_xyz, z_onto

KINDS = {"R": "revolute", "P": "prismatic"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
UNKNOWN_TO_SPACEDYN = ("stiffness", "damping", "friction", "rotor_inertia", "stop_stiffness", "stop_damping")


def from_arrays(
    BB: ArrayLike,
    J_type: str | Iterable[str],
    c0: ArrayLike,
    cc: ArrayLike,
    ce: ArrayLike,
    SE: ArrayLike,
    Qi: ArrayLike,
    Qe: ArrayLike,
    m0: float,
    m: ArrayLike,
    inertia0: ArrayLike,
    inertia: ArrayLike,
    *,
    name: str = "robot",
    base_kind: str = "free",
    SS: ArrayLike | None = None,
    S0: ArrayLike | None = None,
) -> Model:
    """A model from SpaceDyn's arrays.

    Bodies are called base, link1, link2, …, joints joint1, joint2, …, endpoints endpoint1, endpoint2, … in the order
    of their links. Link i comes first in every array, as in ``c0[i - 1]``. MATLAB's shapes are taken too: 3 x n for
    c0, ce, Qi and Qe, 3 x n x n for cc, 3 x 3n for inertia. With three joints both forms of a 3 x 3 array look alike:
    then all arrays are read in the form that `inertia` has, whose shape always tells.

    Parameters
    ----------
    BB : (n,) array_like of int
        Number of the parent link of every link, 0 for the base.
    J_type : (n,) sequence of str
        'R' or 'P' for every joint; ``"RRP"`` will do.
    c0, ce : (n, 3) array_like
        From the base's centre of mass to the joints on it, and from the links' to their endpoints [m], body axes.
    cc : (n, n, 3) array_like
        From the centre of mass of link i to joint j [m], axes of link i.
    SE : (n,) array_like
        1 for a link with an endpoint, else 0; `ce` and `Qe` of a link without one are not looked at.
    Qi, Qe : (n, 3) array_like
        Angles [rad] about x, the turned y and the turned z: of the joint in its parent, of the endpoint in its link.
    m0, m : float, (n,) array_like
        Masses [kg] of base and links.
    inertia0, inertia : (3, 3), (n, 3, 3) array_like
        Inertias [kg m^2] about the centres of mass, body axes.
    name : str
        The model's name.
    base_kind : str
        'free' (SpaceDyn's), 'attitude', 'planar' or 'fixed'.
    SS, S0 : (n, n), (n,) array_like, optional
        SpaceDyn's incidence arrays. They say what BB says, and are checked against it if given.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        With every wrong shape and every contradiction in BB, or whatever else the model's check finds.

    Examples
    --------
    >>> one = from_arrays([0], "R", [[0.5, 0, 0]], [[[-0.5, 0, 0]]], [[0.5, 0, 0]], [1], [[0, 0, 0]], [[0, 0, 0]],
    ...                   50, [10], np.diag([8, 8, 9]), [np.diag([0.1, 1, 1])], name="one link")
    >>> one.joints[0].position, one.bodies[1].com, one.endpoint("endpoint1").position
    (array([0.5, 0. , 0. ]), array([0.5, 0. , 0. ]), array([1., 0., 0.]))
    """
    given = {"c0": c0, "cc": cc, "ce": ce, "Qi": Qi, "Qe": Qe, "inertia": inertia}
    problems: list[str] = []
    parents = _parents(BB, problems)
    if parents is None:
        raise ModelError(name, problems)
    n = len(parents)
    arrays = _in_rows(given, n, problems)
    letters = _letters(J_type, n, problems)
    masses = _row("m", m, n, problems)
    ends = _row("SE", SE, n, problems)
    base_mass = _numbers("m0", m0, problems)
    base_inertia = _numbers("inertia0", inertia0, problems)
    if base_mass is not None and base_mass.size != 1:
        problems.append(f"m0 has shape {base_mass.shape}: give one mass.")
    if base_inertia is not None and base_inertia.shape != (3, 3):
        problems.append(f"inertia0 has shape {base_inertia.shape}: give a 3 x 3 matrix.")
    if ends is not None and not np.isin(ends, (0, 1)).all():
        problems.append(f"SE is {ends.tolist()}: give 1 for a link with an endpoint and 0 for one without.")
    _check_places(arrays, parents, problems)
    _check_incidence(parents, SS, S0, problems)
    if problems:
        raise ModelError(name, problems)
    assert masses is not None and ends is not None and base_mass is not None  # else there are problems

    bodies = ["base", *(f"link{i}" for i in range(1, n + 1))]
    robot = Builder(name, base=base_kind)
    robot.base("base", mass=base_mass.item(), inertia=base_inertia)
    endpoints = 0
    for i in range(n):
        own, B = arrays["cc"][i, i], parents[i]
        place = arrays["c0"][i] if B == 0 else arrays["cc"][B - 1, i] - arrays["cc"][B - 1, B - 1]
        robot.body(bodies[i + 1], mass=float(masses[i]), inertia=arrays["inertia"][i], com=0.0 - own)
        robot.joint(
            f"joint{i + 1}",
            KINDS[letters[i]],
            parent=bodies[B],
            child=bodies[i + 1],
            position=place,
            rotation=rotation_xyz(arrays["Qi"][i]),
        )
        if ends[i]:
            endpoints += 1
            robot.endpoint(
                f"endpoint{endpoints}",
                body=bodies[i + 1],
                position=arrays["ce"][i] - own,
                rotation=rotation_xyz(arrays["Qe"][i]),
            )
    return robot.build()


def to_arrays(model: Model) -> dict[str, Any]:
    """SpaceDyn's arrays of a model: what `from_arrays` takes, and the incidence arrays SS and S0.

    A link whose joint has another axis than z gets a frame turned so that it has; lengths are measured from the
    base's centre of mass, so that the place of the base's own frame is not kept. Names and limits are not kept, nor
    the kind of base. Springs, dampers, friction and rotors have no place in the arrays either: a warning says so.

    Parameters
    ----------
    model : Model
        Revolute and prismatic joints only, at most one endpoint on a link, none on the base.

    Returns
    -------
    dict
        BB, J_type, c0, cc, ce, SE, Qi, Qe, m0, m, inertia0, inertia, SS, S0; shapes and units of `from_arrays`.

    Raises
    ------
    ModelError
        With every joint and endpoint that the arrays cannot hold.

    Examples
    --------
    >>> robot = Builder("one link")
    >>> robot.base(mass=50, inertia=(8, 8, 8))
    >>> robot.body("link", mass=10, inertia=(0.1, 1, 1), com=(0.5, 0, 0))
    >>> robot.joint("hinge", "revolute", parent="base", child="link", position=(0.5, 0, 0))
    >>> to_arrays(robot.build())["cc"]
    array([[[-0.5,  0. ,  0. ]]])
    """
    _check_expressible(model)
    n = model.n
    turn = [np.eye(3), *(z_onto(joint.axis) for joint in model.joints)]  # body axes <- SpaceDyn's link axes
    com = [turn[i].T @ body.com for i, body in enumerate(model.bodies)]
    c0, ce, Qi, Qe = (np.zeros((n, 3)) for _ in range(4))
    cc, SS = np.zeros((n, n, 3)), -np.eye(n, dtype=int)
    SE, S0 = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
    for j, joint in enumerate(model.joints):
        B = model.parents[j + 1]
        cc[j, j] = 0.0 - com[j + 1]
        Qi[j] = angles_xyz(turn[B].T @ joint.rotation @ turn[j + 1])
        if B == 0:
            c0[j], S0[j] = joint.position - com[0], 1
        else:
            cc[B - 1, j], SS[B - 1, j] = turn[B].T @ joint.position - com[B], 1
    for endpoint in model.endpoints:
        i = model.body_index(endpoint.body)
        SE[i - 1] = 1
        ce[i - 1] = turn[i].T @ endpoint.position - com[i]
        Qe[i - 1] = angles_xyz(turn[i].T @ endpoint.rotation)
    return {
        "BB": np.array(model.parents[1:], dtype=int),
        "J_type": [LETTERS[joint.kind] for joint in model.joints],
        **{"c0": c0, "cc": cc, "ce": ce, "SE": SE, "Qi": Qi, "Qe": Qe},
        "m0": model.bodies[0].mass,
        "m": np.array([body.mass for body in model.bodies[1:]]),
        "inertia0": model.bodies[0].inertia.copy(),
        "inertia": np.array(
            [turn[i].T @ body.inertia @ turn[i] for i, body in enumerate(model.bodies) if i > 0]
        ).reshape(n, 3, 3),
        **{"SS": SS, "S0": S0},
    }


def _parents(BB: ArrayLike, problems: list[str]) -> list[int] | None:
    """Parent numbers as plain integers; None where nothing further can be checked without them."""
    numbers = _numbers("BB", BB, problems)
    if numbers is None:
        return None
    if numbers.size != max(numbers.shape, default=1):
        problems.append(f"BB has shape {numbers.shape}: give the parent's number of every link in one row.")
        return None
    if (numbers != np.round(numbers)).any():
        problems.append(
            f"BB is {numbers.ravel().tolist()}: give whole numbers, the parent of every link, 0 for the base."
        )
        return None
    parents, count = [int(number) for number in numbers.ravel()], len(problems)
    for i, parent in enumerate(parents, start=1):
        if not 0 <= parent <= len(parents):
            problems.append(
                f"BB says that link {i} hangs on link {parent}: links go from 1 to {len(parents)}, 0 is the base."
            )
        elif parent == i:
            problems.append(f"BB says that link {i} hangs on itself: give its parent, 0 for the base.")
    if len(problems) == count:
        _check_cycles(parents, problems)
    return parents


def _check_cycles(parents: list[int], problems: list[str]) -> None:
    """Report every ring of links that never reaches the base, once."""
    safe: set[int] = {0}
    for start in range(1, len(parents) + 1):
        way: list[int] = []
        link = start
        while link not in safe and link not in way:
            way.append(link)
            link = parents[link - 1]
        if link not in safe:
            ring = [*way[way.index(link) :], link]
            problems.append(
                f"BB goes round in a ring, link {' -> '.join(map(str, ring))}: one of them must hang on the base."
            )
        safe.update(way)


def _numbers(label: str, value: Any, problems: list[str]) -> np.ndarray | None:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        problems.append(f"{label} is not an array of numbers: check for missing entries and rows of unequal length.")
        return None


def _row(label: str, value: ArrayLike, n: int, problems: list[str]) -> np.ndarray | None:
    """One number for each link, given as a row, as MATLAB's 1 x n or n x 1, or bare where there is one link."""
    numbers = _numbers(label, value, problems)
    if numbers is None:
        return None
    if numbers.size != n or numbers.size != max(numbers.shape, default=1):
        problems.append(f"{label} has shape {numbers.shape}: BB has {n} links, give one number for each.")
        return None
    return numbers.ravel()


def _letters(J_type: str | Iterable[str], n: int, problems: list[str]) -> list[str]:
    letters = [str(letter) for letter in J_type]
    if len(letters) == 1 and n != 1:
        letters = list(letters[0])  # a MATLAB char array arrives as one string
    if len(letters) != n:
        problems.append(f"J_type has {len(letters)} entries: BB has {n} links, give 'R' or 'P' for each.")
    for i, letter in enumerate(letters, start=1):
        if letter not in KINDS:
            problems.append(f"J_type of joint {i} is {letter!r}: give 'R' (revolute) or 'P' (prismatic).")
    return letters


def _in_rows(given: dict[str, ArrayLike], n: int, problems: list[str]) -> dict[str, np.ndarray]:
    """Arrays with the link first, whichever of the two forms they came in; those of other shapes are left out."""
    rows = dict.fromkeys(("c0", "ce", "Qi", "Qe"), (n, 3)) | {"cc": (n, n, 3), "inertia": (n, 3, 3)}
    columns = dict.fromkeys(("c0", "ce", "Qi", "Qe"), (3, n)) | {"cc": (3, n, n), "inertia": (3, 3 * n)}
    numbers = {label: _numbers(label, value, problems) for label, value in given.items()}
    known = {label: array for label, array in numbers.items() if array is not None}
    if n == 1 and "cc" in known and known["cc"].shape == (3, 1):
        known["cc"] = known["cc"].reshape(3, 1, 1)  # MATLAB drops the last axis of 3 x 1 x 1
    tells = known["inertia"].shape if "inertia" in known else None
    form = {rows["inertia"]: rows, columns["inertia"]: columns}.get(tells) if tells is not None else None

    read: dict[str, np.ndarray] = {}
    for label, array in known.items():
        if n == 0 and array.size == 0:
            read[label] = np.zeros(rows[label])
        elif array.shape == rows[label] == columns[label] and form is None:
            problems.append(
                f"{label} is {' x '.join('3' * array.ndim)} for three joints and ambiguous: link first, or link last? "
                f"Give inertia as (3, 3, 3) or as 3 x 9, which decides for all."
            )
        elif array.shape == rows[label] and not (form is columns and array.shape == columns[label]):
            read[label] = array
        elif array.shape == columns[label]:
            if label == "inertia":
                read[label] = np.moveaxis(array.reshape(3, n, 3), 0, 1)
            else:
                read[label] = np.moveaxis(array, 0, -1)
        else:
            problems.append(
                f"{label} has shape {array.shape}: BB has {n} links, give {rows[label]}, or MATLAB's {columns[label]}."
            )
    return read


def _check_places(arrays: dict[str, np.ndarray], parents: list[int], problems: list[str]) -> None:
    """Vectors to joints that are not there: a slip in BB, or an array whose axes are in another order."""
    n = len(parents)
    hint = "mend BB, or put zeros" + (
        ", or check the order of the axes: arrays for three joints are read in inertia's form." if n == 3 else "."
    )
    for j, parent in enumerate(parents, start=1):
        if "c0" in arrays and parent != 0 and arrays["c0"][j - 1].any():
            problems.append(
                f"c0 places joint {j} on the base, but BB says that link {j} hangs on link {parent}: {hint}"
            )
        for i in range(1, n + 1):
            if "cc" in arrays and i not in (j, parent) and arrays["cc"][i - 1, j - 1].any():
                on = "the base" if parent == 0 else f"link {parent}"
                problems.append(f"cc places joint {j} on link {i}, but BB says that link {j} hangs on {on}: {hint}")


def _check_incidence(parents: list[int], SS: ArrayLike | None, S0: ArrayLike | None, problems: list[str]) -> None:
    n = len(parents)
    want = {
        "SS": np.array([[-1 if i == j else int(parents[j] == i + 1) for j in range(n)] for i in range(n)]).reshape(
            n, n
        ),
        "S0": np.array([int(parent == 0) for parent in parents]),
    }
    for label, value in (("SS", SS), ("S0", S0)):
        if value is None or (found := _numbers(label, value, problems)) is None:
            continue
        if found.size != want[label].size or (found.reshape(want[label].shape) != want[label]).any():
            problems.append(
                f"{label} contradicts BB, which makes it {want[label].tolist()}: mend one, or leave {label} out."
            )


def _check_expressible(model: Model) -> None:
    """Raise with everything that SpaceDyn's arrays cannot hold; warn of what they leave out."""
    problems = [
        f"joint '{joint.name}' is {joint.kind}: SpaceDyn has revolute and prismatic joints only."
        for joint in model.joints
        if joint.kind not in LETTERS
    ]
    taken: dict[str, str] = {}
    for endpoint in model.endpoints:
        if endpoint.body == model.bodies[0].name:
            problems.append(f"endpoint '{endpoint.name}' is on the base: SpaceDyn has endpoints on links only.")
        elif endpoint.body in taken:
            problems.append(
                f"endpoints '{taken[endpoint.body]}' and '{endpoint.name}' are both on '{endpoint.body}': "
                f"SpaceDyn has one endpoint for a link."
            )
        taken.setdefault(endpoint.body, endpoint.name)
    if problems:
        raise ModelError(model.name, problems)
    for joint in model.joints:
        lost = [label for label in UNKNOWN_TO_SPACEDYN if np.any(getattr(joint, label))]
        if lost:
            warnings.warn(
                f"joint '{joint.name}': SpaceDyn's arrays have no place for {', '.join(lost)}; left out.",
                ModelWarning,
                stacklevel=3,
            )
