"""Checks at the start of a simulation: whether loops are closed, and which of them are redundant."""

from collections.abc import Iterable

import numpy as np

from ..errors import InputError, RunWarning, warn_user
from ..laws import faults
from ..model.model import robot_of
from ..quantities.matrices import mass_matrix
from .failures import failed_callee, without_number
from .simulation import Simulation
from .stepper.row_values import (
    RowValues,
    free_rates,
    holding_rows,
    look_at_rows,
    owners_of_rows,
    row_jacobian,
    rows_with_residuals,
)
from .stepper.stepper import Stepper

Array = np.ndarray
NO_DIRECTION = (
    "has rows without a direction in this state: the points of a distance coincide, or the axes of a screw point "
    "against each other; start elsewhere"
)


def looked_at_rows(stepper: Stepper) -> RowValues:
    """Residuals and rates at the present state; what a user's element raises there is raised, by its name."""
    with faults.caught(stepper.fail):
        found = look_at_rows(stepper)
    error, _ = faults.first()
    if error is not None:
        raise InputError(failed_callee(stepper, error, None)) from error
    return found


def no_number(stepper: Stepper, name: str, who: str = "") -> str:
    """Why rows of an element are no numbers at the present state; `who`: of which robot."""
    return without_number(stepper) or f"loop '{name}'{who} {NO_DIRECTION}"


def check_closed(simulation: Simulation, steppers: Iterable[Stepper], tolerance: float = 1e-9) -> None:
    """Raise unless all loops are closed where a simulation starts."""
    for stepper in steppers:
        found, owners = looked_at_rows(stepper), owners_of_rows(stepper)
        for what, values in (("open", found.residual), ("opening", found.rate)):
            most = np.abs(values[:, : stepper.robots])
            if np.all(most <= tolerance * (1.0 if what == "open" else 1.0 + stepper.largest_rates().max(initial=0.0))):
                continue
            j, lane = np.unravel_index(int(np.argmax(most)), most.shape)  # NaN, if there is one
            name = simulation.layout.names[owners[int(j)]]
            unit = "m or rad" if what == "open" else "m/s or rad/s"
            who = f" of robot {stepper.first + int(lane)}" if simulation.shape else ""
            if np.isnan(most[j, lane]):
                raise InputError(no_number(stepper, name, who))
            does = f"loop '{name}'{who} is {what}" if rows_with_residuals(stepper)[j] else f"'{name}'{who} slips"
            raise InputError(
                f"{does} at the start, by {most[j, lane]:.3g} {unit}; take the nearest state in which it does not: "
                "state = sd.assemble(model, state, elements)"
            )
    _check_sides(simulation)


def _check_sides(simulation: Simulation) -> None:
    """Raise if a loop is closed by a half turn at the start, which its residuals do not show."""
    for name, one in zip(simulation.layout.names, simulation.elements, strict=True):
        if not one.is_against(simulation.model, simulation.state, as_given=True):
            continue
        many = simulation.state.flattened()
        sides = [one.is_against(robot_of(many.model, i), many[i], as_given=True) for i in range(many.count)]
        robot = next(i for i, words in enumerate(sides) if words)
        who = f" of robot {robot}" if simulation.shape else ""
        raise InputError(
            f"loop '{name}'{who} {sides[robot]} at the start, by half a turn; turn its body, or its axis or "
            "attitude_xyzw, or take sd.Loop.as_met(model, state, ...)"
        )


def warn_of_redundant(simulation: Simulation, stepper: Stepper) -> None:
    """Warn of loops whose rows are linearly dependent, of the first robot at its start."""
    look_at_rows(stepper)
    state, rates = stepper.state(), np.flatnonzero(free_rates(stepper))
    held = holding_rows(stepper)
    J = row_jacobian(stepper, state)[held][:, rates]
    try:
        L = np.linalg.cholesky(mass_matrix(state.model, state)[np.ix_(rates, rates)])
    except np.linalg.LinAlgError:
        return  # the run itself reports a singular mass matrix
    rank, dependent = redundant_rows(J, np.linalg.inv(L).T)
    if rank < len(J):
        owners = np.array(owners_of_rows(stepper))[held]
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(simulation.layout.names[owners[j]] for j in dependent))
        warn_user(
            f"{len(J) - rank} of {len(J)} rows are redundant where the run starts, of {names}: forces along them are "
            "the least of all that do the same. Leave rows out that the others imply (in a plane, a pin is a 'line'), "
            "or make one of the loops compliant (stiffness)",
            RunWarning,
        )


def redundant_rows(J: Array, T: Array) -> tuple[int, list[int]]:
    """Rank of J T, and the indices of its linearly dependent rows."""
    U, s = row_singular_values(J, T)
    rank = int((s > 1e-8 * s.max(initial=0.0)).sum())
    return rank, [int(j) for j in np.flatnonzero(np.abs(U[:, rank:]).max(axis=1, initial=0.0) > 1e-6)]


def row_singular_values(J: Array, T: Array, sizes: Array | None = None) -> tuple[Array, Array]:
    """Left singular vectors (columns) and singular values of J T; rows are scaled by `sizes`, or to length one."""
    W = J @ T
    sizes = np.linalg.norm(W, axis=1) if sizes is None else sizes
    counts = sizes > 1e-8 * sizes.max(initial=0.0)  # smaller rows vanish, as of rods in line
    W = W * np.where(counts, 1.0 / np.where(counts, sizes, 1.0), 0.0)[:, None]
    U, s, _ = np.linalg.svd(W)
    return U, s
