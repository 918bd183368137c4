"""Whether loops are closed, and the nearest state in which they are: `assemble`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..elements.element import Element
from ..elements.held_joints import PrescribedJoint
from ..errors import InputError
from ..laws.law import Law
from ..model.model import Model, robot_of
from ..model.state import State
from ..quantities.calls import check_state
from ..quantities.matrices import mass_matrix
from ..reals import one_number
from ..signatures import checked_arguments
from .acting import all_acting
from .arguments import listed
from .row_checks import looked_at_rows, no_number
from .setup import instant_of
from .stepper.build import build_stepper
from .stepper.prepared import Prepared
from .stepper.row_values import (
    RowValues,
    free_rates,
    owners_of_rows,
    row_jacobian,
    rows_with_residuals,
)
from .stepper.stepper import Stepper

Array = np.ndarray
_STEPS = 200
_CLOSED = 1e-13  # [m, rad]: assembled
_SINGULAR = 1e-9  # of the largest singular value


class Rows:
    """The constraint rows of a robot at a state that can be moved.

    Parameters
    ----------
    model, state
        One robot.
    elements : iterable
        Elements and laws; loops, couplings and others give the rows, and held joints stay where they are.
    time : float
        [s].
    """

    def __init__(self, model: Model, state: State, elements: Any, time: float, gravity: Any = None):
        acting = all_acting(model, elements=elements, gravity=gravity)
        chosen = [one for one in acting.elements if one.rows_of(model) and not one.asks]
        if not chosen:
            raise InputError(
                "elements: none of them has constraint rows; give loops, such as Loop('ball', ...), without stiffness "
                "and damping: with these a loop is a spring"
            )
        simulation = instant_of(
            model, state, time, elements=chosen, prescribed=acting.prescribed, gravity=acting.gravity, adjust=True
        )
        self.model, self.names, self.elements = model, simulation.layout.names, simulation.elements
        self.stepper: Stepper = build_stepper(Prepared(simulation, 0), simulation.state)
        self.owners, self.free = owners_of_rows(self.stepper), free_rates(self.stepper)
        self.holonomic = rows_with_residuals(self.stepper)

    @property
    def state(self) -> State:
        """The present state of the robot."""
        return self.stepper.state()

    def move(self, change: Array) -> None:
        """Move it by a small change of position (nv,), as rates would; rates stay."""
        state = self.state
        self.stepper.set_coordinates(state.integrate(change).x)
        self.stepper.set_rates(state.u[:, None])

    def look(self) -> RowValues:
        """Evaluate the rows at the present state: residuals, their rates, multipliers."""
        return looked_at_rows(self.stepper)

    def check_numbers(self) -> None:
        """Raise if a residual is NaN at the present state."""
        bad = np.isnan(self.look().residual).any(axis=1)
        if bad.any():
            raise InputError(no_number(self.stepper, self.names[self.owners[int(np.argmax(bad))]]))

    def jacobian(self) -> Array:
        """J (rows, nv), after `look`; columns of joints that are held are zero."""
        found: Array = row_jacobian(self.stepper, self.state) * self.free
        if np.isnan(found).any():
            name = self.names[self.owners[int(np.argmax(np.isnan(found).any(axis=1)))]]
            raise InputError(no_number(self.stepper, name))
        return found

    def root(self) -> Array:
        """T (nv, free) with T T' = H^-1 of the free rates, the metric of the mass matrix."""
        rates = np.flatnonzero(self.free)
        try:
            L = np.linalg.cholesky(mass_matrix(self.model, self.state)[np.ix_(rates, rates)])
        except np.linalg.LinAlgError:
            raise InputError(f"robot '{self.model.name}': its mass matrix is singular here; look at masses") from None
        T = np.zeros((self.model.nv, rates.size))
        T[rates] = np.linalg.inv(L).T
        return T

    def open_loops(self, tolerance: float, *, as_given: bool = False) -> list[str]:
        """Report the loops that are open or closed by a half turn; hinges may be so in a state that is `as_given`."""
        found = self.look()
        words = []
        for i, name in enumerate(self.names):
            mine = [j for j, owner in enumerate(self.owners) if owner == i]
            gap = float(np.abs(found.residual[mine]).max(initial=0.0))
            if not gap <= tolerance:
                words.append(f"'{name}' is open by {gap:.3g} (m or rad)")
                continue
            against = self.elements[i].is_against(self.model, self.state, as_given=as_given)
            words += [f"'{name}' {against}"] if against else []
        return words


@checked_arguments("elements")
def assemble(
    model: Model,
    state: State,
    elements: Element | Law | Iterable[Element | Law],
    *,
    prescribed: Mapping[str, Any] | None = None,
    time: float = 0.0,
    tolerance: float = 1e-11,
) -> State:
    """The nearest state in which all loops are closed, positions and velocities.

    Positions by Levenberg's and Marquardt's method, each step the smallest in the metric of the mass matrix; then
    velocities by the smallest change in the same metric, as an impulse within the loops would change them.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    elements : Element or Law, or several
        As `simulate` takes them. Loops, couplings and users' elements with rows are closed; joints that are locked or
        prescribed stay where they are; nothing else counts.
    prescribed : {joint: motion}, optional
        As `simulate` takes it: short for `PrescribedJoint` and `LockedJoint` among the elements.
    time : float
        At which moving targets and prescribed joints are looked at [s].
    tolerance : float
        How far a loop may stay open [m, rad].

    Returns
    -------
    State

    Raises
    ------
    InputError
        Loops that cannot be closed from there, each by name with its residual.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> tip = sd.Loop("line", robot.body_names[-1], other_point=(0.7, 1.0, 0.0), name="tip")
    >>> closed = sd.assemble(robot, robot.state(q=[0.3, 0.4, 0.5, 0.2]), [tip])
    >>> bool(abs(sd.constraints.residuals(robot, closed, [tip])["tip"]).max() < 1e-11)
    True
    """
    check_state(model, state)
    time = one_number("time", time, "a time [s]")
    tolerance = one_number("tolerance", tolerance, "a positive number [m, rad]")
    if not tolerance > 0.0:
        raise InputError(f"tolerance must be a positive number [m, rad], got {tolerance}")
    held = [PrescribedJoint(*one) for one in (prescribed or {}).items()]
    given = [*listed("elements", elements, Element | Law), *held]
    many = state.flattened()
    found = [
        _assembled(robot_of(many.model, i), many[i] if many.shape else many, given, time, tolerance, i, state.shape)
        for i in range(state.count)
    ]
    data = np.stack([one._data.reshape(-1) for one in found]).reshape(state._data.shape)
    return State(model, data).with_internal(dict(state.internal))


def _assembled(
    model: Model, state: State, elements: list[Any], time: float, tolerance: float, robot: int, shape: tuple[int, ...]
) -> State:
    """One robot's."""
    rows = Rows(model, state, elements, time)
    rows.check_numbers()
    close_positions(rows)
    words = rows.open_loops(tolerance)
    if words:
        who = f" of robot {robot}" if shape else ""
        raise InputError(
            f"the loops{who} cannot be closed from this state: {'; '.join(words)}; start nearer, or look at their "
            "points, axes and lengths"
        )
    close_rates(rows)
    return rows.state


def close_positions(rows: Rows) -> None:
    """Move a robot until its residuals vanish or decrease no more; nonholonomic rows, which have none, do not count."""
    mine, size, damping = rows.holonomic, np.inf, 1.0
    best = rows.state
    for _ in range(_STEPS):
        phi = rows.look().residual[mine, 0]
        now = float(np.linalg.norm(phi))
        if now < size:
            best, done = rows.state, size - now < 1e-3 * size and now < 1e-9
            size, damping = now, damping / 8.0
            if size < _CLOSED or done:
                break
        else:
            rows.stepper.set_coordinates(best.x)
            damping *= 8.0
            if damping > 1e12:
                break
            phi = rows.look().residual[mine, 0]
        T = rows.root()
        U, s, Vt = np.linalg.svd(rows.jacobian()[mine] @ T, full_matrices=False)
        least = damping * min(1.0, size * size) * float(s.max(initial=0.0)) ** 2
        keep = s > _SINGULAR * s.max(initial=0.0)
        gain = np.where(keep, s / (s * s + least + np.finfo(float).tiny), 0.0)
        rows.move(-T @ (Vt.T @ (gain * (U.T @ phi))))
    rows.stepper.set_coordinates(best.x)
    rows.look()


def close_rates(rows: Rows) -> None:
    """Make the rates of all rows zero, by the smallest change of the robot's rates in the metric of its mass matrix."""
    rate = rows.look().rate[:, 0]
    T = rows.root()
    change = T @ (np.linalg.pinv(rows.jacobian() @ T, rcond=1e-8) @ rate)
    rows.stepper.set_rates((rows.state.u - change)[:, None])
