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

from ...errors import ModelError, ModelWarning
from ..build import Builder
from ..model import Model
from ..rotations import angles_xyz, rotation_xyz, z_onto
from .array_forms import KINDS, read_arrays

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
    n: int | None = None,
    mass_total: float | None = None,
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
    n, mass_total, SS, S0 : int, float, (n, n) array_like, (n,) array_like, optional
        Number of links, mass of base and links [kg], SpaceDyn's incidence arrays. They say again what the others say,
        and are checked against those if given.

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
    given = {"BB": BB, "J_type": J_type, "c0": c0, "cc": cc, "ce": ce, "SE": SE, "Qi": Qi, "Qe": Qe}
    given |= {"m0": m0, "m": m, "inertia0": inertia0, "inertia": inertia}
    problems: list[str] = []
    arrays = read_arrays(given, {"n": n, "mass_total": mass_total, "SS": SS, "S0": S0}, problems)
    if problems:
        raise ModelError(name, problems)

    parents = arrays["BB"]
    bodies = ["base", *(f"link{i}" for i in range(1, len(parents) + 1))]
    robot = Builder(name, base=base_kind)
    robot.base("base", mass=arrays["m0"], inertia=arrays["inertia0"])
    endpoints = 0
    for i, B in enumerate(parents):
        own = arrays["cc"][i, i]
        place = arrays["c0"][i] if B == 0 else arrays["cc"][B - 1, i] - arrays["cc"][B - 1, B - 1]
        robot.body(bodies[i + 1], mass=arrays["m"][i], inertia=arrays["inertia"][i], com=0.0 - own)
        robot.joint(
            f"joint{i + 1}",
            KINDS[arrays["J_type"][i]],
            parent=bodies[B],
            child=bodies[i + 1],
            position=place,
            rotation=rotation_xyz(arrays["Qi"][i]),
        )
        if arrays["SE"][i]:
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
