"""Joints tied to others, q(follower) = multiplier · q(leader) + offset, as URDF's mimic joints are.

The robot itself is a tree of independent joints. The tie is linear and constant, so it is exact to project the
equations of motion on what is left: with u = G u_r, as `mimic_coupling` gives it,

    Gᵀ H G u̇_r + Gᵀ c = Gᵀ F
"""

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, ModelError
from ...reals import one_number, real_numbers
from ...signatures import checked_arguments, checked_fields
from ..model import Model
from .urdf_checks import check_urdf
from .urdf_source import urdf_tree


@checked_fields()
@dataclass(frozen=True)
class Mimic:
    """q(joint) = multiplier · q(leader) + offset, for joints of one coordinate [rad, m]."""

    joint: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@checked_arguments()
def read_mimics(path_or_text: str | os.PathLike[str]) -> tuple[Mimic, ...]:
    """Mimic joints of a URDF: q(joint) = multiplier · q(leader) + offset [rad, m].

    Parameters
    ----------
    path_or_text : path or str
        A URDF file, or the text of one.

    Examples
    --------
    >>> read_mimics("<robot name='r'><link name='base'/></robot>")
    ()
    """
    root, source = urdf_tree(path_or_text)
    problems = check_urdf(root, source)
    if problems:
        raise ModelError(source, problems)
    found = [(joint, joint.first("mimic")) for joint in root.all("joint")]
    return tuple(
        Mimic(
            joint.attributes["name"],
            mimic.attributes["joint"],
            float(mimic.get("multiplier") or 1.0),
            float(mimic.get("offset") or 0.0),
        )
        for joint, mimic in found
        if mimic is not None
    )


@checked_arguments()
def mimic_coupling(model: Model, mimics: Iterable[Mimic]) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of ties, u = G u_r, and the coordinates of the joints when every leader is at zero.

    Parameters
    ----------
    model : Model
        With the joints that are tied moving by themselves, each of one coordinate.
    mimics : iterable of Mimic
        As `read_mimics` gives them. A leader may follow another.

    Returns
    -------
    G : (nv, nv - followers) array
        The columns of u that are left keep their order: u_r is u without the followers' rates.
    offset : (nq,) array
        Coordinates are q = offset + K q_leaders; zero but for followers with an offset.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> b = Builder("gripper", base="fixed")
    >>> b.base(mass=1, inertia=(1, 1.1, 1.2))
    >>> for finger in ("left", "right"):
    ...     b.link(finger, "prismatic", parent="base", mass=1, inertia=(1, 1.1, 1.2))
    >>> G, offset = mimic_coupling(b.build(), [Mimic("right", "left", -1.0, 0.1)])
    >>> G.ravel(), offset
    (array([ 1., -1.]), array([0. , 0.1]))
    """
    several = list(mimics)
    if not isinstance(model, Model) or not all(isinstance(mimic, Mimic) for mimic in several):
        raise InputError("mimic_coupling: expected a Model, and a list of Mimic(joint, leader, multiplier, offset)")
    ties = {mimic.joint: mimic for mimic in several}
    G, offset = np.eye(model.nv), np.zeros(model.nq)
    for name in ties:
        factor, shift, at = 1.0, 0.0, name
        for _ in range(len(ties) + 1):
            if at not in ties:
                break
            tie = ties[at]
            shift += factor * one_number("Mimic: offset", tie.offset)
            factor *= one_number("Mimic: multiplier", tie.multiplier)
            at = tie.leader
        else:
            raise InputError(f"joint '{name}' mimics itself, by way of others; break the ring.")
        if not (math.isfinite(factor) and math.isfinite(shift)):
            raise InputError(f"joint '{name}' follows joint '{at}' by a multiplier or an offset that is too large")
        for joint in (name, at):
            if model.joint(joint).nq != 1:
                raise InputError(f"joint '{joint}' is {model.joint(joint).kind}; only joints of one coordinate mimic.")
        G[model.u_slice(name)] = 0.0
        G[model.u_slice(name), model.u_slice(at)] = factor
        offset[model.q_slice(name)] = shift
    followers = {model.u_slice(name).start for name in ties}
    return G[:, [column for column in range(model.nv) if column not in followers]], offset


def follow(model: Model, q: ArrayLike, mimics: Iterable[Mimic]) -> np.ndarray:
    """Joint coordinates (…, nq) with every follower where its leader puts it.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> b = Builder("gripper", base="fixed")
    >>> b.base(mass=1, inertia=(1, 1.1, 1.2))
    >>> for finger in ("left", "right"):
    ...     b.link(finger, "prismatic", parent="base", mass=1, inertia=(1, 1.1, 1.2))
    >>> follow(b.build(), [0.3, 0.0], [Mimic("right", "left", -1.0, 0.1)])
    array([ 0.3, -0.2])
    """
    ties = {mimic.joint: mimic for mimic in mimics}
    out = real_numbers("q", q, f"(…, {model.nq})").astype(float)
    if out.shape[-1:] != (model.nq,):
        raise InputError(f"q has shape {out.shape}; give (…, {model.nq}).")
    _, offset = mimic_coupling(model, ties.values())
    for name in ties:
        factor, at = 1.0, name
        while at in ties:
            factor, at = factor * ties[at].multiplier, ties[at].leader
        out[..., model.q_slice(name)] = factor * out[..., model.q_slice(at)] + offset[model.q_slice(name)]
    return out
