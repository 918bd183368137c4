"""Check users' constraint rows by differences: gradients against residuals, biases against gradients."""

import numpy as np

from ..elements.program import UserElement
from ..errors import InputError
from ..model.model import robot_of
from .closure import Rows
from .simulation import Simulation

Array = np.ndarray
_STEP, _TOLERANCE = 1e-5, 1e-4


def check_row_derivatives(simulation: Simulation) -> None:
    """Raise, by name, if a user's element writes gradients or biases that are not derivatives of its residuals.

    By central differences along one motion of the first robot, with rates of about 1 m/s and 1 rad/s.
    """
    users = [one for one in simulation.elements if isinstance(one, UserElement) and one.declared.rows]
    if not users:
        return
    model, state = robot_of(simulation.model, 0), simulation.state.flattened()
    state = state[0] if state.shape else state
    rates = np.random.default_rng(1).uniform(0.5, 1.5, model.nv) * np.where(np.arange(model.nv) % 2, 1.0, -1.0)
    for one in users:
        sides = []
        for side in (-1.0, 1.0):
            moved = state.integrate(side * _STEP * rates, rates)
            sides.append(Rows(model, moved, [one], simulation.start + side * _STEP).look())
        here = Rows(model, state.integrate(np.zeros(model.nv), rates), [one], simulation.start)
        here.stepper.evaluate()
        found = here.stepper.accelerations()[:, 0]
        rate = here.look().rate[:, 0]
        J = here.jacobian()
        change = (sides[1].residual[:, 0] - sides[0].residual[:, 0]) / (2.0 * _STEP)
        holonomic = np.arange(one.declared.rows) < one.declared.rows - one.declared.nonholonomic
        scale = 1.0 + np.abs(J) @ np.abs(rates)
        whose = f"element '{one.title}'"
        _compare(
            f"{whose}: out.residual",
            "what its row_force, row_moment, row and drift say",
            change,
            rate,
            scale,
            holonomic,
        )
        if np.linalg.matrix_rank(J) == len(J):
            second = (sides[1].rate[:, 0] - sides[0].rate[:, 0]) / (2.0 * _STEP)
            _compare(
                f"{whose}: the rate of row", "what its bias says", second, -J @ found, scale, np.ones_like(holonomic)
            )


def _compare(what: str, other: str, found: Array, said: Array, scale: Array, which: Array) -> None:
    """Raise where written and differenced values differ."""
    off = np.abs(found - said) > _TOLERANCE * (scale + np.abs(found))
    for j in np.flatnonzero(off & which & np.isfinite(found) & np.isfinite(said)):
        raise InputError(
            f"{what}[{j}] changes by {found[j]:.6g} in a second, and {other} is {said[j]:.6g}; look at its derivatives"
        )
