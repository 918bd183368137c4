"""How well the joints move an endpoint, on a floating or a fixed base; and where they fail to: dynamic singularities.

Where J* loses rank, no joint rates give the endpoint some velocity, though the arm of a fixed base might. Such
singularities are dynamic: they depend on masses, not on lengths alone. Papadopoulos & Dubowsky (1993).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import elementwise

from ..errors import InputError, UnknownName
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_model, check_state, finite_results
from ..quantities.freefloating import generalized_jacobian, rates_of_joints
from ..quantities.kinematics import endpoint_jacobian
from ..reals import one_number
from ..signatures import checked_arguments, is_several

Array = np.ndarray
COMPONENTS = ("vx", "vy", "vz", "wx", "wy", "wz")
"""Rows of a Jacobian, inertial axes."""
_TASKS = {"pose": COMPONENTS, "position": COMPONENTS[:3], "attitude": COMPONENTS[3:]}
_IN_PLANE = {"pose": ("vx", "vy", "wz"), "position": ("vx", "vy"), "attitude": ("wz",)}


class Manipulability(NamedTuple):
    """Measures of a Jacobian; its singular values are the semi-axes of the ellipsoid of velocities for q̇ᵀq̇ ≤ 1."""

    measure: Array  # (…) Yoshikawa's: the product of all singular values
    smallest: Array  # (…) the smallest singular value
    condition: Array  # (…) largest over smallest; the largest float where that is zero
    singular_values: Array  # (…, k) descending, k the smaller number of rows and joints
    directions: Array  # (…, rows, k) of the endpoint's velocity, one column for each singular value


class Singularities(NamedTuple):
    """Where the smallest singular values of J* and of the fixed base's Jacobian vanish."""

    floating: Array  # (…) the smallest singular value of J*
    fixed: Array  # (…) that of the Jacobian with the base held
    states: State  # (found,) where J* loses rank, between the states that were given
    fixed_there: Array  # (found,) smallest singular value with the base held: what is not zero is dynamic only


def task_rows(model: Model, task: Any) -> list[int]:
    """Rows of a Jacobian that a task has; `None` is 'pose'. For a planar base, what leaves the plane is left out."""
    name = "pose" if task is None else task
    if isinstance(name, str):
        tasks = _IN_PLANE if model.base_kind == "planar" else _TASKS
        if name not in tasks:
            raise InputError(
                f"task: expected 'pose', 'position', 'attitude' or some of {', '.join(COMPONENTS)}, got {name!r}"
            )
        name = tasks[name]
    if not is_several(name):
        raise InputError(f"task: expected 'pose', 'position', 'attitude' or a list of components, got {task!r}")
    rows = []
    for component in name:
        if not isinstance(component, str) or component not in COMPONENTS:
            raise UnknownName("component of a task", component, COMPONENTS)
        rows.append(COMPONENTS.index(component))
    if not rows or len(set(rows)) < len(rows):
        raise InputError(f"task: expected some of {', '.join(COMPONENTS)}, each once, got {task!r}")
    return rows


class Task(NamedTuple):
    """Which part of a Jacobian counts."""

    endpoint: str
    rows: list[int]
    joints: Array  # (joints,) True for those that move
    length: float  # [m] that makes angles lengths

    @classmethod
    def read(cls, model: Model, endpoint: str, task: Any, joints: Any, length: float) -> "Task":
        """Of arguments, checked."""
        check_model(model)
        name = model.endpoint(endpoint).name
        size = one_number("length", length, "a positive length")
        chosen = rates_of_joints(model, joints)
        if not 0.0 < size < 1e12:
            raise InputError(f"length must be a positive length [m], got {length!r}")
        if not chosen.any():
            raise InputError(f"joints: '{model.name}' has none of these that can move")
        return cls(name, task_rows(model, task), chosen, size)

    def jacobian(self, model: Model, state: State, floating: bool) -> Array:
        """(…, rows, chosen joints)."""
        if floating:
            J = generalized_jacobian(model, state, self.endpoint)
        else:
            J = endpoint_jacobian(model, state, self.endpoint)[..., model.base_dof :]
        scale = np.where(np.arange(6) < 3, 1.0, self.length)[self.rows]
        return J[..., self.rows, :][..., self.joints] * scale[:, None]

    @property
    def is_square(self) -> bool:
        """Whether there is a determinant, whose sign tells where rank is lost."""
        return len(self.rows) == int(self.joints.sum())


@checked_arguments("endpoint", "task", "joints")
@finite_results
def manipulability(
    model: Model,
    state: State,
    endpoint: str,
    *,
    floating: bool = True,
    task: str | Iterable[str] | None = None,
    joints: Any = None,
    length: float = 1.0,
) -> Manipulability:
    """How well the joints move an endpoint: singular values of J*, or of the Jacobian with the base held.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    endpoint : str
        Its name.
    floating : bool
        Whether the base recoils, by the generalized Jacobian at zero momentum; it is held if not.
    task : 'pose', 'position', 'attitude' or some of vx, vy, vz, wx, wy, wz
        Which components of the endpoint's velocity count, inertial axes. The whole pose if left out; for a planar base
        the names mean vx, vy, wz of it.
    joints : names of joints, optional
        Those that move; all if left out.
    length : float
        By which angular rows are multiplied [m], so that turns and ways can be compared.

    Returns
    -------
    Manipulability
        `measure`, `smallest`, `condition` (…), `singular_values` (…, k), `directions` (…, rows, k).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.state(q=[0.3, -0.5, 0.4, 0.2])
    >>> floating, fixed = (
    ...     sd.freefloating.manipulability(robot, state, "hand", floating=f, task="position") for f in (True, False)
    ... )
    >>> bool(floating.measure < fixed.measure)  # a part of what the joints do is lost to the base
    True
    """
    check_state(model, state)
    J = Task.read(model, endpoint, task, joints, length).jacobian(model, state, floating)
    U, values, _ = np.linalg.svd(J, full_matrices=False)
    smallest = values[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(smallest > 0.0, values[..., 0] / smallest, np.finfo(float).max)
    return Manipulability(np.prod(values, axis=-1), smallest, condition, values, U)


@checked_arguments("endpoint", "task", "joints")
def dynamic_singularities(
    model: Model,
    states: State,
    endpoint: str,
    *,
    task: str | Iterable[str] | None = None,
    joints: Any = None,
    length: float = 1.0,
    tolerance: float = 1e-6,
) -> Singularities:
    """Where the generalized Jacobian loses rank along a path or over a grid, compared with the fixed base's Jacobian.

    Parameters
    ----------
    model
        A robot whose base is not fixed.
    states : State
        A batch: along a path (points,), or over a grid (n1, n2, …). Singularities are looked for between neighbours
        along each axis. Of robots that differ, the last axes are those of the robots.
    endpoint, task, joints, length
        As in `manipulability`.
    tolerance : float
        Where the Jacobian is not square, a local minimum of smallest over largest singular value below this counts.

    Returns
    -------
    Singularities
        `floating` and `fixed` (…), the smallest singular values at the states; `states` (found,), where J* loses rank,
        and `fixed_there` (found,), the smallest singular value there with the base held.

    Notes
    -----
    A square J* is singular where its determinant changes its sign: found to rounding by SciPy's find_root, along the
    line between two neighbours. Otherwise (more or fewer joints than components) minima on the line are found.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link").lock(["joint3", "joint4"])
    >>> elbow = np.linspace(-3.0, 3.0, 61)
    >>> path = robot.state(q=np.stack([np.full(61, 1.0), elbow], axis=-1))
    >>> found = sd.freefloating.dynamic_singularities(robot, path, "hand", task="position")
    >>> np.degrees(found.states.q[:, 1]).round(2)  # of a fixed base: 0 and 180, where the arm is straight
    array([-170.4 ,   56.24])
    """
    check_state(model, states)
    axes = len(states.shape) - len(model.shape)
    if axes < 1:
        raise InputError("states: expected a batch along a path or over a grid, got the state of one robot")
    allowed = one_number("tolerance", tolerance, "a positive number")
    what = Task.read(model, endpoint, task, joints, length)
    J = what.jacobian(model, states, True)
    floating = np.linalg.svd(J, compute_uv=False)
    fixed = np.linalg.svd(what.jacobian(model, states, False), compute_uv=False)[..., -1]
    rows = np.arange(states.count).reshape(states.shape)
    pairs = [_brackets(what, J, floating, rows, axis) for axis in range(axes)]
    left, right = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
    found = _refined(states, what, left, right, allowed) if left.size else _none(states)
    there = np.linalg.svd(what.jacobian(found.model, found, False), compute_uv=False)[..., -1]
    return Singularities(floating[..., -1], fixed, found, there)


def _none(states: State) -> State:
    return states._of_rows(np.zeros(0, dtype=int))


def _brackets(what: Task, J: Array, values: Array, rows: Array, axis: int) -> tuple[Array, Array]:
    """Rows of states between which J* is singular, or its smallest singular value has a minimum."""
    rows = np.moveaxis(rows, axis, 0)
    if what.is_square:
        sign = np.moveaxis(np.sign(np.linalg.det(J)), axis, 0)
        change = sign[:-1] * sign[1:] < 0
        return rows[:-1][change], rows[1:][change]
    ratio = np.moveaxis(values[..., -1] / np.maximum(values[..., 0], np.finfo(float).tiny), axis, 0)
    low = (ratio[1:-1] <= ratio[:-2]) & (ratio[1:-1] < ratio[2:])
    return rows[:-2][low], rows[2:][low]


def _refined(states: State, what: Task, left: Array, right: Array, tolerance: float) -> State:
    """The singular states between pairs of rows."""
    a, b = states._of_rows(left), states._of_rows(right)
    step = a.difference(b)

    def between(s: Array, pair: Array) -> State:
        return a._of_rows(pair).integrate(s[..., None] * step[pair])

    def determinant(s: Array, pair: Array) -> Array:
        there = between(s, pair)
        return np.linalg.det(what.jacobian(there.model, there, True))

    def ratio(s: Array, pair: Array) -> Array:
        there = between(s, pair)
        values = np.linalg.svd(what.jacobian(there.model, there, True), compute_uv=False)
        return values[..., -1] / np.maximum(values[..., 0], np.finfo(float).tiny)

    pairs = np.arange(len(left))
    start, end = np.zeros(len(left)), np.ones(len(left))
    if what.is_square:
        return between(elementwise.find_root(determinant, (start, end), args=(pairs,)).x, pairs)
    squared = lambda s, pair: ratio(s, pair) ** 2  # noqa: E731  # smooth where the singular value passes zero
    found = elementwise.find_minimum(squared, (start, np.full(len(left), 0.5), end), args=(pairs,))
    kept = np.flatnonzero(np.sqrt(np.abs(found.f_x)) < tolerance)
    return between(found.x[kept], kept)
