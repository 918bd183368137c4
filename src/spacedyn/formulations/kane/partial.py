"""Partial velocities of a robot's bodies."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ...kernels.robot import jacobians as _jacobians
from ...model.model import Model
from ...model.names import all_rate_names
from ...model.parts import stacked
from ...model.state import State
from ...quantities.calls import check_state, finite_results, frames, run_on_states
from ...quantities.dynamics import given_mask
from ...quantities.kinematics import forward_kinematics
from ...signatures import checked_arguments

if TYPE_CHECKING:
    import xarray

Array = np.ndarray


class PartialVelocities(NamedTuple):
    """Partial velocities of all bodies, the base first: what a unit of one rate adds to their motion."""

    velocity: Array  # (…, bodies, rates, 3) of centres of mass [m/s per unit of the rate]
    angular_velocity: Array  # (…, bodies, rates, 3) [rad/s per unit of the rate]
    remainder_velocity: Array  # (…, bodies, 3) of centres of mass, by the prescribed rates [m/s]
    remainder_angular_velocity: Array  # (…, bodies, 3) [rad/s]
    rates: tuple[str, ...]  # names of the rates that are not prescribed


@checked_arguments("prescribed")
@finite_results
def partial_velocities(
    model: Model, state: State, prescribed: Iterable[str] = (), *, axes: str = "inertial"
) -> PartialVelocities:
    """Partial velocities of every body's centre of mass, and partial angular velocities.

    v = Σ v_r u_r + v_t, over the rates that are not prescribed; the remainder v_t is the motion that the prescribed
    joints give at the state's own rates.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    prescribed : names of joints
        Those whose motion is a given function of time; the base's own name stands for the base.
    axes : 'inertial', 'base' or 'body'
        Whose axes the components are in; 'body' means each body's own.

    Returns
    -------
    PartialVelocities
        `velocity` and `angular_velocity` (…, bodies, rates, 3), the remainders (…, bodies, 3), names of the rates.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> table = sd.kane.partial_velocities(robot, robot.neutral_state())
    >>> table.velocity.shape, table.rates[-1]
    ((4, 9, 3), 'joint3')
    >>> table.velocity[3, 6].tolist()  # joint 1 moves link 3's centre of mass sideways
    [0.0, 2.25, 0.0]
    """
    check_state(model, state)
    if axes not in ("inertial", "base", "body"):
        raise InputError(f"axes: expected 'inertial', 'base' or 'body', got {axes!r}")
    given = given_mask(model, prescribed).astype(bool)
    J = jacobians_of_bodies(model, state)
    if axes != "inertial":
        R = forward_kinematics(model, state).bodies.rotation
        R = R if axes == "body" else R[..., :1, :, :]
        J = np.concatenate([np.swapaxes(R, -1, -2) @ part for part in (J[..., :3, :], J[..., 3:, :])], axis=-2)
    remainder = np.einsum("...bij,...j->...bi", J[..., given], state.u[..., given])
    columns = np.swapaxes(J[..., ~given], -1, -2)
    names = tuple(name for name, is_given in zip(all_rate_names(model), given, strict=True) if not is_given)
    return PartialVelocities(columns[..., :3], columns[..., 3:], remainder[..., :3], remainder[..., 3:], names)


@checked_arguments("prescribed")
def partial_velocity_table(
    model: Model, state: State, prescribed: Iterable[str] = (), *, axes: str = "inertial"
) -> "xarray.Dataset":
    """The partial velocities of one state as a labelled table: body, rate and axis by name.

    Arguments as in `partial_velocities`. `.to_dataframe()` makes a flat table of it.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> table = sd.kane.partial_velocity_table(robot, robot.neutral_state())
    >>> float(table.velocity.sel(body="link2", rate="joint1", axis="y"))
    1.5
    """
    import xarray

    check_state(model, state)
    if state.shape:
        raise InputError(f"a table is made of one state, got a batch of shape {state.shape}; take state[i]")
    found = partial_velocities(model, state, prescribed, axes=axes)
    each, rest = ("body", "rate", "axis"), ("body", "axis")
    return xarray.Dataset(
        {
            "velocity": (each, found.velocity),
            "angular_velocity": (each, found.angular_velocity),
            "remainder_velocity": (rest, found.remainder_velocity),
            "remainder_angular_velocity": (rest, found.remainder_angular_velocity),
        },
        {"body": list(model.body_names), "rate": list(found.rates), "axis": ["x", "y", "z"]},
        {"axes": axes, "point": "centres of mass"},
    )


def jacobians_of_bodies(model: Model, state: State) -> Array:
    """(…, bodies, 6, nv) of all centres of mass."""
    return jacobians_of(model, state, list(range(len(model.bodies))), stacked(model.bodies, "com"))


def jacobians_of(model: Model, state: State, bodies: list[int], points: Array) -> Array:
    """(…, points, 6, nv) of points on bodies, given in the bodies' axes."""
    there = frames(model, bodies, points, np.broadcast_to(np.eye(3), (len(bodies), 3, 3)))
    operands, shape = (there.bodies, there.points), (len(bodies), 6, model.nv)
    return run_on_states(_jacobians.run, check_state(model, state), operands, (0,), shape, 6 * model.nv, tables=2)
