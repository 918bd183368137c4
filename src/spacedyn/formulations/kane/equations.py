"""Kane's equations with prescribed coordinates eliminated."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...model.model import Model
from ...model.state import State
from ...quantities.calls import check_state, finite_operand, finite_results
from ...quantities.dynamics import Hybrid, given_mask
from ...reals import NotReal, real_array
from ...signatures import checked_arguments, is_several
from .forces import generalized_active_forces, generalized_inertia_forces, rotors, weighed_bodies
from .partial import jacobians_of_bodies

Array = np.ndarray


class Equations(NamedTuple):
    """Equations of motion of the rates that are not prescribed: mass u' = force."""

    mass: Array  # (…, free, free)
    force: Array  # (…, free)
    free: Array  # (free,) their places in u


@checked_arguments("prescribed")
@finite_results
def equations_of_motion(
    model: Model,
    state: State,
    prescribed: Iterable[str],
    udot: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Equations:
    """Kane's equations with the prescribed coordinates eliminated: mass u'_free = force.

    mass_rs = Σ (m v_r · v_s + ω_r · I ω_s), over free rates only; the force holds everything else, the prescribed
    accelerations included. As many equations as there are free rates: nothing has to be solved for the prescribed ones.

    Parameters
    ----------
    model, state, prescribed
        As in `partial_velocities`.
    udot : (…, nv)
        Accelerations; only those of the prescribed joints count.
    tau, base_wrench, endpoint_wrenches, gravity, passive
        As in `forward_dynamics`; forces of prescribed joints do not count.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> kane = sd.kane.equations_of_motion(robot, state, ["joint1", "joint2"], np.zeros(9))
    >>> kane.mass.shape, kane.free.tolist()
    ((7, 7), [0, 1, 2, 3, 4, 5, 8])
    """
    check_state(model, state)
    given = given_mask(model, prescribed).astype(bool)
    known = np.where(given, _numbers("udot", udot, model.nv, state, given), 0.0)
    forces = None if tau is None else _numbers("tau", tau, model.nv - model.base_dof, state, ~given[model.base_dof :])
    loads: dict[str, Any] = {"base_wrench": base_wrench, "endpoint_wrenches": endpoint_wrenches, "gravity": gravity}
    active = generalized_active_forces(model, state, forces, **loads, passive=passive)
    rest = active + generalized_inertia_forces(model, state, known)
    J, (mass, inertia) = jacobians_of_bodies(model, state)[..., ~given], weighed_bodies(model, state)
    v, w = J[..., :3, :], J[..., 3:, :]
    matrix = np.einsum("...bir,...b,...bis->...rs", v, mass[..., 0], v) + np.einsum(
        "...bir,...bij,...bjs->...rs", w, inertia, w
    )
    return Equations(
        matrix + rotors(model)[..., ~given, None] * np.eye(matrix.shape[-1]), rest[..., ~given], np.flatnonzero(~given)
    )


@checked_arguments("prescribed")
@finite_results
def prescribed_dynamics(
    model: Model,
    state: State,
    prescribed: Iterable[str],
    udot: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Hybrid:
    """Accelerations of the free rates, and forces at the prescribed ones, by Kane's equations.

    The forces follow from F_r + F*_r = 0 at the prescribed rates, once all accelerations are known. Arguments as in
    `equations_of_motion`; the result as that of `hybrid_dynamics`, which needs O(n) where this needs O(n³).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> given = ["joint1"], np.full(9, 0.5), [0, 2, 3]
    >>> kane, core = sd.kane.prescribed_dynamics(robot, state, *given), sd.hybrid_dynamics(robot, state, *given)
    >>> np.allclose(kane.udot, core.udot), np.allclose(kane.forces, core.forces)
    (True, True)
    """
    prescribed = [prescribed] if isinstance(prescribed, str) else prescribed
    names = list(prescribed) if is_several(prescribed) else prescribed
    loads: dict[str, Any] = {"base_wrench": base_wrench, "endpoint_wrenches": endpoint_wrenches, "gravity": gravity}
    mass, force, free = equations_of_motion(model, state, names, udot, tau, **loads, passive=passive)
    nv, b = model.nv, model.base_dof
    given = np.ones(nv, dtype=bool)
    given[free] = False
    accelerations = np.where(given, _numbers("udot", udot, nv, state, given), 0.0)
    accelerations[..., free] = np.linalg.solve(mass, force[..., None])[..., 0]
    forces = np.zeros((*state.shape, nv))
    if tau is not None:
        forces[..., b:] = np.where(given[b:], 0.0, _numbers("tau", tau, nv - b, state, ~given[b:]))
    others = generalized_active_forces(model, state, **loads, passive=passive)
    needed = -(others + generalized_inertia_forces(model, state, accelerations))
    forces[..., given] = needed[..., given]
    return Hybrid(accelerations, forces)


def _numbers(name: str, value: ArrayLike, width: int, state: State, counts: Array) -> Array:
    """An operand (…, width) with the entries that do not count set to zero."""
    try:
        array = real_array(value)
        value = np.where(counts, array, 0.0) if array.shape[-1:] == (width,) else value
    except NotReal:
        pass  # `finite_operand` reports it
    return finite_operand(name, value, width, state)
