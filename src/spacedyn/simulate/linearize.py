"""`linearize`: how small deviations from a state grow, laws and forces included."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.element import Element, declaration_of, element_names
from ..errors import InputError
from ..kernels.methods.tangents import matrix as tangent_matrix
from ..laws import faults
from ..laws.law import Law
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_state
from ..quantities.matrices import mass_matrix
from ..reals import one_number
from ..signatures import checked_arguments
from .acting import all_acting
from .failures import failed_callee
from .independent import independent_deviations, row_derivatives
from .row_checks import check_closed, redundant_rows
from .setup import instant_of
from .stepper.build import build_stepper, set_tangents
from .stepper.prepared import Prepared
from .stepper.stepper import Stepper

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Linearization:
    """Deviations d = (dx, du, dz) of positions, rates, internal states: d' = A d + B F, F small forces on the rates.

    Internal states are those of laws and elements; samples of elements are among them, and stay what they are.

    With constraint rows (loops, couplings, rolling wheels) d has independent deviations alone, as many as the
    constraints leave; all others follow from them.

    Attributes
    ----------
    A : (n, n)
        Rows and columns: positions as `State.integrate` takes them (nv), rates u (nv), internal states; of these
        the independent ones.
    B : (n, nv)
        By generalized forces on the rates: on the base force and moment at its centre of mass in inertial axes, as far
        as it can move, then joint forces [N, N m].
    names : tuple of str
        Of the n deviations.
    basis : (all, n)
        All deviations, dependent ones included, by the independent ones: the identity without constraint rows.
    all_names : tuple of str
        Of all deviations.
    """

    A: Array
    B: Array
    names: tuple[str, ...]
    basis: Array
    all_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Linearization of {len(self.names)} deviations: A {self.A.shape}, B {self.B.shape}>"

    def eigenvalues(self) -> Array:
        """Eigenvalues of A [1/s], the fastest growing first; those with negative real parts decay."""
        values = np.linalg.eigvals(self.A)
        return values[np.argsort(-values.real, kind="stable")]


@checked_arguments("laws", "prescribed", "forces", "elements")
def linearize(
    model: Model,
    state: State,
    laws: Law | Iterable[Law] = (),
    *,
    time: float = 0.0,
    gravity: ArrayLike | None = None,
    prescribed: Mapping[str, Any] | None = None,
    forces: Element | Law | Iterable[Element | Law] = (),
    elements: Element | Law | Iterable[Element | Law] = (),
    sampled_as_continuous: bool = False,
) -> Linearization:
    """Linearize the motion of a robot under laws about a state.

    The matrix is that of the right-hand side which `simulate` integrates, in the chart around the state: positions
    `state.integrate(dx)`, so the base turns by a rotation vector in inertial axes, spherical and free joints by theirs
    in the child's axes. The dynamics, the joints' own forces and built-in elements are differentiated exactly, on dual
    numbers; laws and elements made by `@element` by central differences of what they write (to some 1e-10 of it).

    Constraint rows take deviations away: with residuals φ(x) = 0 and J(x) u = 0 of all rows, nonholonomic ones among
    them, only deviations with J_h dx = 0 and J du + ∂(J u)/∂x dx = 0 stay on the constraints. Positions and rates are
    chosen, by pivots, that can take all values there, and A is that of the motion in these coordinates: a bicycle has
    seven positions and three rates.

    Parameters
    ----------
    model : Model
        The robot.
    state : State
        One state, not a batch. About an equilibrium A is the matrix of a linear system; elsewhere, that of the
        deviations from the motion through the state at that instant.
    laws : Law, optional
        Continuous laws; their states enter with their initial values.
    time : float
        The time that laws and prescribed joints see [s].
    gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes; none if left out.
    prescribed : {joint: motion}, optional
        As in `simulate`: these joints do not deviate, and their rows and columns are zero.
    forces, elements : Element or Law, optional
        As in `simulate`, where everything that acts is an element; their states enter with their initial values.
    sampled_as_continuous : bool
        Whether to take sampled laws as continuous ones; otherwise they are refused, for they hold what they wrote.

    Returns
    -------
    Linearization
        A, B, names, basis; `eigenvalues()`.

    Raises
    ------
    InputError
        A batch, a sampled law, loops that are open, or what `simulate` would not take.

    Examples
    --------
    A hinge with a spring in free space: the arm and the base vibrate against each other.

    >>> import spacedyn as sd
    >>> b = sd.Builder("hinge")
    >>> b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
    >>> b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> b.joint("hinge", "revolute", parent="bus", child="arm", stiffness=4.0)
    >>> robot = b.build()
    >>> motion = sd.linearize(robot, robot.neutral_state())
    >>> motion.A.shape, motion.names[6], motion.names[13]
    ((14, 14), 'hinge', 'hinge rate')
    >>> reduced = 1 / (1 / 1.1 + 1 / 0.2)  # of both inertias about the hinge
    >>> bool(np.isclose(abs(motion.eigenvalues().imag).max(), (4.0 / reduced) ** 0.5))
    True
    """
    check_state(model, state)
    if state.shape:
        raise InputError(f"linearize takes one state; this is a batch {state.shape}: pick one, such as states[0]")
    acting = all_acting(model, laws=laws, gravity=gravity, prescribed=prescribed, forces=forces, elements=elements)
    chosen = [_continuous(law, sampled_as_continuous) for law in acting.laws]
    time = one_number("time", time, "a time [s]")
    simulation = instant_of(
        model,
        state,
        time,
        laws=chosen,
        gravity=acting.gravity,
        prescribed=acting.prescribed,
        elements=acting.elements,
    )
    if simulation.layout.asks:
        raise InputError(
            "linearize: a RigidContact opens and closes, as no linear model does; take a Contact, a Rolling or a Loop"
        )
    prepared, state = Prepared(simulation, 0), simulation.state
    joints, stepper = prepared.joints, build_stepper(prepared, state)
    set_tangents(stepper, prepared)
    n, nv = simulation.layout.y["states"].stop, model.nv
    A = np.empty((n, n))
    with faults.caught(stepper.fail):
        stepper.choose_sides()
        tangent_matrix(stepper.own, float(time), A.reshape(-1))
        stepper.evaluate()
    error, _ = faults.first()
    if error is not None:
        raise InputError(failed_callee(stepper, error, None)) from error
    if not np.isfinite(A).all():
        bad = [one.name for one in stepper.callees.values()] or ["the state"]
        raise InputError(f"the derivatives are not finite here: look at {', '.join(bad)}")
    A, back = _in_inertial_axes(A, model, state, stepper)
    B = np.zeros((n, nv))
    free = np.ones(nv, dtype=bool)
    for one in joints:
        free[model.u_slice(one.joint)] = False
    rows = np.flatnonzero(free)
    B[np.ix_(nv + rows, rows)] = _mobility(mass_matrix(model, state)[np.ix_(rows, rows)], stepper.rows()[0][:, rows])
    names = _names(model, chosen, simulation.elements)
    if not simulation.layout.rows:
        return Linearization(A, B, names, np.eye(n), names)
    check_closed(simulation, [stepper])
    kept, basis = independent_deviations(row_derivatives(stepper, float(time), n) @ back, stepper, free)
    return Linearization((A @ basis)[kept], B[kept], tuple(names[i] for i in kept), basis, names)


def _mobility(H: Array, J: Array) -> Array:
    """Accelerations per unit force: H^-1, projected onto the motions that the constraint rows J allow."""
    T = np.linalg.inv(np.linalg.cholesky(H)).T
    if len(J):
        W, rank = J @ T, redundant_rows(J, T)[0]
        sizes = np.linalg.norm(W, axis=1, keepdims=True)
        V = np.linalg.svd(W / np.where(sizes > 0.0, sizes, 1.0), full_matrices=False)[2][:rank]
        T = T - T @ V.T @ V
    found: Array = T @ T.T
    return found


def _in_inertial_axes(A: Array, model: Model, state: State, stepper: Stepper) -> tuple[Array, Array]:
    """A with the base's angular rates in inertial axes, where the stepper has them in the base's own axes.

    Also returns the matrix from these deviations to the stepper's.

    w0 = exp(phi) R w: with W = R w and phi = 0,  dw0 = dW + dphi x w0, and a second derivative along the motion
    (phi' = w0, W' = w0') of  w0 x dW + dphi x w0' + (w0 x (dphi x w0)) / 2.
    """
    if not stepper.own_axes:
        return A, np.eye(len(A))
    turn = slice(model.base_dof - 3, model.base_dof)
    rate = slice(model.nv + turn.start, model.nv + turn.stop)
    w, acceleration = _cross(state.base_rate), _cross(stepper.accelerations()[turn, 0])
    R = state.base_attitude.as_matrix()
    first, back, second = np.eye(len(A)), np.eye(len(A)), np.zeros_like(A)
    first[rate, rate], first[rate, turn] = R, -w
    back[rate, rate], back[rate, turn] = R.T, R.T @ w
    second[rate, rate], second[rate, turn] = w @ R, -acceleration - 0.5 * w @ w
    return (first @ A + second) @ back, back


def _cross(v: Array) -> Array:
    """The matrix [v x]."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _continuous(law: Law, allowed: bool) -> Law:
    """The law as a continuous one; raise for a sampled law, unless `allowed`."""
    if law.period is None:
        return law
    if not allowed or law.states:
        raise InputError(
            f"law '{law.name}' is sampled every {law.period:g} s and holds what it wrote, so it has no derivative; "
            + ("its states change at samples only" if law.states else "pass sampled_as_continuous=True, or")
            + " make it continuous (without a period)"
        )
    return replace(law, period=None, delay=0.0)


def _names(model: Model, laws: list[Law], elements: Sequence[Element]) -> tuple[str, ...]:
    """Names of the deviations: positions, rates, states of laws and of elements."""
    axes = {"free": ("x", "y", "z", "turn x", "turn y", "turn z"), "attitude": ("turn x", "turn y", "turn z")}
    axes |= {"planar": ("x", "y", "turn z"), "fixed": ()}
    positions = [f"{model.body_names[0]} {axis}" for axis in axes[model.base_kind]]
    for joint in model.joints:
        kind = joint.kind_record
        parts = [*kind.coordinates[: kind.plain_count], *axes["attitude"]] if kind.has_attitude else kind.coordinates
        positions += [joint.name] if joint.nv == 1 else [f"{joint.name} {part}" for part in parts]
    owners = [*((law.name, law) for law in laws), *zip(element_names(elements), elements, strict=True)]
    states = [
        f"{name} {block.name}" + (f" {k + 1}" if block.size > 1 else "")
        for name, one in owners
        for block in declaration_of(one).states
        for k in range(block.size)
    ]
    return (*positions, *(f"{name} rate" for name in positions), *states)
