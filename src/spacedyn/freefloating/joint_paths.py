"""Joint paths as users give them, corners or curves, as pieces that are smooth."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import BSpline, PPoly

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..motion.trajectories import Trajectory, trajectory_of
from ..quantities.freefloating import rates_of_joints
from ..reals import real_numbers

Array = np.ndarray


class Piece(NamedTuple):
    """A smooth part of a joint path."""

    start: float
    end: float
    at: Callable[[float], tuple[Array, Array]]  # q (…, nq) and its rate (…, joints) at a value of the parameter


class JointPath(NamedTuple):
    """Where a path begins and ends, base and other joints as in the state that it was read with; and its pieces."""

    first: State
    last: State
    pieces: list[Piece]


def coordinates_of(model: Model, joints: Any) -> tuple[Array, Array]:
    """(nq,) and (joints,): True for the coordinates and the rates of the joints that are named, or of all."""
    rates = rates_of_joints(model, joints)
    coordinates = np.zeros(model.nq, dtype=bool)
    for joint in model.joints:
        if rates[model.qd_slice(joint.name)].any():
            coordinates[model.q_slice(joint.name)] = True
    return coordinates, rates


def read_path(model: Model, state: State, path: Any, joints: Any, name: str) -> JointPath:
    """Corners (…, points, coordinates), or a trajectory of the joints' coordinates; at rest at both ends."""
    coordinates, rates = coordinates_of(model, joints)
    still = state.replace(base_velocity=np.zeros(3), base_rate=np.zeros(3), qd=np.zeros(model.nv - model.base_dof))
    if isinstance(path, Trajectory | BSpline | PPoly):
        return _curve(model, still, trajectory_of(path), coordinates, rates, name)
    return _polygon(model, still, path, coordinates, name)


def _polygon(model: Model, still: State, path: Any, coordinates: Array, name: str) -> JointPath:
    """Straight lines between corners; attitudes of spherical and free joints turn at a constant rate."""
    width = int(coordinates.sum())
    expected = f"(…, points, {width})"
    array = real_numbers(f"{name} (corners, or a trajectory)", path, expected)
    if array.ndim < 2 or array.shape[-1] != width or array.shape[-2] < 2:
        raise InputError(f"{name}: expected corners {expected}, two or more, or a trajectory; got shape {array.shape}")
    try:
        batch = np.broadcast_shapes(still.shape, array.shape[:-2])
    except ValueError:
        raise InputError(
            f"{name}: its batch axes {array.shape[:-2]} do not fit those of the state, {still.shape}"
        ) from None
    corners = []
    for i in range(array.shape[-2]):
        q = np.array(np.broadcast_to(still.q, (*batch, model.nq)))
        q[..., coordinates] = array[..., i, :]
        corners.append(still.replace(q=q))
    pieces = []
    for i, (here, there) in enumerate(pairwise(corners)):
        pieces.append(Piece(float(i), float(i + 1), line(here, here.difference(there), float(i), model.base_dof)))
    return JointPath(corners[0], corners[-1], pieces)


def line(here: State, step: Array, start: float, base: int) -> Callable[[float], tuple[Array, Array]]:
    """Joints that move from a state by `step` (…, nv), whose part of the base is ignored, while s rises by 1."""
    step[..., :base] = 0.0
    return lambda s: (here.integrate((s - start) * step).q, step[..., base:])


def _curve(model: Model, still: State, path: Trajectory, coordinates: Array, rates: Array, name: str) -> JointPath:
    """The pieces of a trajectory, one column for each coordinate."""
    for joint in model.joints:
        if joint.kind_record.has_attitude and coordinates[model.q_slice(joint.name)].any():
            raise InputError(
                f"{name}: joint '{joint.name}' is {joint.kind}, which a trajectory of numbers cannot turn; give "
                "corners, or name other joints"
            )
    width = int(coordinates.sum())
    if path.coefficients.shape[1] != width:
        raise InputError(
            f"{name}: expected a trajectory of {width} columns, one for each coordinate, got "
            f"{path.coefficients.shape[1]}"
        )
    curve = PPoly(path.coefficients.transpose(2, 0, 1), path.breaks)
    slope = curve.derivative()

    def at(t: float) -> tuple[Array, Array]:
        q, qd = np.array(still.q), np.zeros((*still.shape, rates.size))
        q[..., coordinates], qd[..., rates] = curve(t), slope(t)
        return q, qd

    ends = path.breaks[0], path.breaks[-1]
    first, last = (still.replace(q=at(float(t))[0]) for t in ends)
    breaks = path.breaks.tolist()
    return JointPath(first, last, [Piece(a, b, at) for a, b in pairwise(breaks)])
