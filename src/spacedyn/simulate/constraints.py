"""Robots under constraint rows, `sd.constraints`: residuals, Jacobian, mobility, forward and inverse dynamics.

    H u' + c = F + J' lam,   J u' + γ = 0

Loops, couplings, rolling wheels and elements with `rows` are constraints. Every function takes one state and such
elements; of all other elements, only those that hold joints have an effect.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.element import Element
from ..errors import InputError
from ..laws.law import Law
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_state, finite_operand
from ..quantities.dynamics import forward_dynamics as tree_forward_dynamics
from ..quantities.dynamics import inverse_dynamics as tree_inverse_dynamics
from ..signatures import checked_arguments
from .arguments import listed
from .closure import Rows
from .row_checks import redundant_rows
from .stepper.row_values import holding_rows

Array = np.ndarray
_OPEN = 1e-4  # [m, rad]: a larger residual is an open loop, not rounding or a user's finite difference
Acting = Element | Law | Iterable[Element | Law]
__all__ = ["ConstrainedMotion", "Mobility", "forward_dynamics", "inverse_dynamics", "jacobian", "mobility", "residuals"]


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom of a robot under constraint rows.

    Attributes
    ----------
    freedom : int
        Degrees of freedom: free rates less the rank of the rows.
    rows, rank : int
        Number of constraint rows, and of independent ones; those of a loop that starts open do not count.
    redundant : tuple of str
        Elements whose rows depend on each other: their forces are known in sum only, and are the least ones.
    """

    freedom: int
    rows: int
    rank: int
    redundant: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ConstrainedMotion:
    """Accelerations of a robot under constraint rows, and the multipliers of the rows.

    Attributes
    ----------
    udot : (nv,)
        (v̇0, ω̇0, q̈).
    multipliers : dict of (rows,)
        By element [N, N m]; of redundant rows the least ones.
    """

    udot: Array
    multipliers: dict[str, Array]


def _rows(model: Model, state: State, elements: Any, time: float, gravity: Any = None) -> Rows:
    check_state(model, state)
    if state.shape:
        raise InputError(f"it takes one state; this is a batch {state.shape}: pick one, such as states[0]")
    rows = Rows(model, state, listed("elements", elements, Element | Law), time, gravity)
    rows.check_numbers()
    return rows


def _by_element(rows: Rows, values: Array) -> dict[str, Array]:
    owners = np.array(rows.owners)
    return {name: values[owners == i] for i, name in enumerate(rows.names)}


@checked_arguments("elements")
def residuals(model: Model, state: State, elements: Acting, *, time: float = 0.0) -> dict[str, Array]:
    """Residuals of the constraint rows, zero where loops are closed: {element: (rows,)} [m, rad].

    Parameters
    ----------
    model, state
        The robot; one state.
    elements : Element or Law, or several
        Those that have constraint rows count.
    time : float
        Of moving targets [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> rod = sd.Loop("distance", robot.body_names[-1], other_point=(0, 2, 0), length=1.0, name="rod")
    >>> sd.constraints.residuals(robot, robot.neutral_state(), [rod])["rod"].shape
    (1,)
    """
    rows = _rows(model, state, elements, time)
    return _by_element(rows, rows.look().residual[:, 0])


@checked_arguments("elements")
def jacobian(model: Model, state: State, elements: Acting, *, time: float = 0.0) -> Array:
    """Constraint Jacobian J (rows, nv): rates of all residuals are J u, but for moving targets.

    Rows in the order of the elements; columns as u = (v0, ω0, q̇), zero for joints that are held.

    Parameters
    ----------
    model, state
        The robot; one state.
    elements : Element or Law, or several
        Those that have constraint rows count.
    time : float
        Of moving targets [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> grip = sd.Loop.as_met(robot, robot.neutral_state(), "weld", robot.body_names[-1], "inertial")
    >>> sd.constraints.jacobian(robot, robot.neutral_state(), [grip]).shape
    (6, 7)
    """
    rows = _rows(model, state, elements, time)
    rows.look()
    return rows.jacobian()


@checked_arguments("elements")
def mobility(model: Model, state: State, elements: Acting, *, time: float = 0.0) -> Mobility:
    """Degrees of freedom under all constraint rows, and which elements have redundant rows there.

    Parameters
    ----------
    model, state
        The robot; one state.
    elements : Element or Law, or several
        Those that have constraint rows count.
    time : float
        Of moving targets [s].

    Examples
    --------
    A planar robot whose last body is welded to the inertial frame: three of the six rows do nothing.

    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> grip = sd.Loop.as_met(robot, robot.neutral_state(), "weld", robot.body_names[-1], "inertial", name="grip")
    >>> found = sd.constraints.mobility(robot, robot.state(q=[0.3, 0.4, 0.5, 0.2]), [grip])
    >>> found.freedom, found.rows, found.rank
    (4, 6, 3)
    """
    rows = _rows(model, state, elements, time)
    rows.look()
    held = np.flatnonzero(holding_rows(rows.stepper))  # rows of loops that start open are inactive
    J = rows.jacobian()[held]
    rank, dependent = redundant_rows(J, rows.root())
    names = tuple(dict.fromkeys(rows.names[rows.owners[held[j]]] for j in dependent))
    return Mobility(int(rows.free.sum()) - rank, len(J), rank, names)


def _gamma(rows: Rows) -> tuple[Array, Array]:
    """J (all rates) and γ = J̇ u, including the accelerations of moving targets."""
    rows.stepper.evaluate()
    found = rows.stepper.accelerations()[:, 0]
    rows.look()
    J = rows.jacobian()
    return J, -J @ found


@checked_arguments("elements")
def forward_dynamics(
    model: Model,
    state: State,
    elements: Acting,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    time: float = 0.0,
) -> ConstrainedMotion:
    """Accelerations and multipliers of a robot with constraint rows under joint forces.

    Parameters
    ----------
    model, state
        The robot; one state, in which the loops are closed.
    elements : Element or Law, or several
        Loops and others with rows; joints cannot be held.
    tau : (joint rates,), optional
        Joint forces [N, N m]; none if left out.
    gravity : (3,), optional
        [m/s²].
    time : float
        Of moving targets [s].

    Raises
    ------
    InputError
        Loops that are open in this state, by name.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.neutral_state()
    >>> grip = sd.Loop.as_met(robot, state, "weld", robot.body_names[-1], "inertial", name="grip")
    >>> motion = sd.constraints.forward_dynamics(robot, state, [grip], [1.0, 0, 0, 0])
    >>> bool(abs(sd.constraints.jacobian(robot, state, [grip]) @ motion.udot).max() < 1e-12)
    True
    """
    rows = _unheld(_rows(model, state, elements, time, gravity))
    J, gamma = _gamma(rows)
    a = tree_forward_dynamics(model, state, tau, gravity=gravity)
    T = rows.root()
    W, rank = J @ T, redundant_rows(J, T)[0]  # only the condition of W enters, not that of W W'
    sizes = np.linalg.norm(W, axis=1)
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    y = _least(W / sizes[:, None], -(J @ a + gamma) / sizes, rank)
    return ConstrainedMotion(a + T @ y, _by_element(rows, _least(W.T, y, rank)))


def _least(A: Array, b: Array, rank: int) -> Array:
    """The least solution x of A x = b, for a matrix of this rank."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    found: Array = Vt[:rank].T @ (U[:, :rank].T @ b / s[:rank])
    return found


@checked_arguments("elements")
def inverse_dynamics(
    model: Model,
    state: State,
    udot: ArrayLike,
    elements: Acting,
    *,
    actuated: Sequence[str] | None = None,
    gravity: ArrayLike | None = None,
    time: float = 0.0,
) -> Array:
    """Joint forces (joint rates,) of a motion under constraint rows: the least ones, of `actuated` joints alone.

    Parameters
    ----------
    model, state, elements, gravity, time
        As of `forward_dynamics`.
    udot : (nv,)
        Accelerations, which the loops must allow.
    actuated : sequence of str, optional
        Joints that may give forces; all if left out.

    Raises
    ------
    InputError
        Loops that are open in this state; accelerations that they do not allow, or that these joints cannot give.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.neutral_state()
    >>> grip = sd.Loop.as_met(robot, state, "weld", robot.body_names[-1], "inertial", name="grip")
    >>> motion = sd.constraints.forward_dynamics(robot, state, [grip], [1.0, 0, 0, 0])
    >>> tau = sd.constraints.inverse_dynamics(robot, state, motion.udot, [grip])
    >>> again = sd.constraints.forward_dynamics(robot, state, [grip], tau)
    >>> bool(abs(again.udot - motion.udot).max() < 1e-9)
    True
    """
    rows = _unheld(_rows(model, state, elements, time, gravity))
    wanted = np.asarray(finite_operand("udot", udot, model.nv, state), dtype=float)
    J, gamma = _gamma(rows)
    off = J @ wanted + gamma
    scale = np.abs(J) @ np.abs(wanted) + np.abs(gamma) + 1.0
    if np.any(np.abs(off) > 1e-8 * scale):
        name = rows.names[rows.owners[int(np.argmax(np.abs(off) / scale))]]
        raise InputError(
            f"udot: loop '{name}' does not allow these accelerations; take those of sd.constraints.forward_dynamics"
        )
    F = tree_inverse_dynamics(model, state, wanted, gravity=gravity)
    places = np.arange(model.base_dof, model.nv)
    if actuated is not None:
        given = [actuated] if isinstance(actuated, str) else list(actuated)
        places = np.concatenate([np.empty(0, int), *(np.arange(model.nv)[model.u_slice(name)] for name in given)])
    S = np.eye(model.nv)[:, places]
    # multipliers are unknown, too: joint forces give only the part that J' cannot, by the least forces
    U, s, _ = np.linalg.svd(J.T)
    null = U[:, int((s > 1e-10 * s.max(initial=0.0)).sum()) :].T
    tau, *_ = np.linalg.lstsq(null @ S, null @ F, rcond=1e-10)
    if np.abs(null @ (S @ tau - F)).max(initial=0.0) > 1e-8 * (1.0 + np.abs(F).max(initial=0.0)):
        raise InputError("actuated: these joints cannot give this motion alone; name more of them")
    found = np.zeros(model.nv)
    found[places] = tau
    return found[model.base_dof :]


def _unheld(rows: Rows) -> Rows:
    """Rows of a robot; raise if joints are held, or if loops are open by more than a finite difference explains."""
    if not rows.free.all():
        raise InputError("elements: joints cannot be held here; leave LockedJoint and PrescribedJoint out")
    words = "; ".join(rows.open_loops(_OPEN, as_given=True))
    if words:
        raise InputError(f"{words}, in this state; take the nearest closed one: sd.assemble(model, state, elements)")
    return rows
