"""Integration methods as small frozen objects that hold coefficients and settings.

With a fixed step: `RungeKutta4`, `SemiImplicitEuler`, `Variational`, and `TimeStepping` for rigid contact. With a step
chosen by the error, unless one is given: `DormandPrince5`, `DormandPrince8` (the default), and `Radau5` for stiff
systems. All work on the manifold: attitudes are coordinates in a chart around the start of each step.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import polynomial as poly

from ..errors import InputError
from ..kernels.sim.codes import EXPLICIT, IMPLICIT, SEMI_IMPLICIT_EULER, TIME_STEPPING, VARIATIONAL
from ..reals import one_number
from ..signatures import checked_fields
from . import dormand_prince_8

Array = np.ndarray
_MAX_STEPS = 1e14  # most fixed steps of a run: a year of computing
_CHANGES = 0.1  # [s] time scale of motion with contact, as of falls and of a walker's steps, for the ledger's budget


@dataclass(frozen=True, eq=False)
class Tableau:
    """Coefficients of a Runge-Kutta method; an explicit one takes one stage more than it needs at the step's end."""

    A: Array  # (stages, stages) of the Butcher tableau
    b: Array  # (main,)
    c: Array  # (stages,)
    e5: Array  # (main + 1,) error estimate
    e3: Array  # (main + 1,) the lower one of two, or zeros
    P: Array  # (stages, degree) weights of the stages within a step: powers 1, 2, ... of the fraction

    @property
    def main(self) -> int:
        """Stages that the step itself needs."""
        return len(self.b)


def _dense(rows: dict[int, dict[int, float]], shape: tuple[int, int]) -> Array:
    full = np.zeros(shape)
    for i, row in rows.items():
        for j, value in row.items():
            full[i, j] = value
    return full


def _hermite(b: Array) -> Array:
    """P of the cubic Hermite interpolant of a step; the last stage is evaluated at the step's end."""
    stages = len(b) + 1
    change = np.append(b, 0.0)
    P = np.outer(change, [0.0, 3.0, -2.0])
    P[0] += [1.0, -2.0, 1.0]
    P[stages - 1] += [0.0, -1.0, 1.0]
    return P


def _classic() -> Tableau:
    b = np.array([1, 2, 2, 1]) / 6
    A = np.zeros((5, 5))
    A[1, 0], A[2, 1], A[3, 2] = 0.5, 0.5, 1.0
    A[4, :4] = b
    none = np.zeros(5)
    return Tableau(A, b, np.array([0, 0.5, 0.5, 1, 1]), none, none, _hermite(b))


def _dormand_prince_5() -> Tableau:
    A = np.zeros((7, 7))
    A[1, :1] = [1 / 5]
    A[2, :2] = [3 / 40, 9 / 40]
    A[3, :3] = [44 / 45, -56 / 15, 32 / 9]
    A[4, :4] = [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]
    A[5, :5] = [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]
    b = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    A[6, :6] = b
    lower = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
    d = [-12715105075, 0, 87487479700, -10690763975, 701980252875, -1453857185, 69997945]
    e = [11282082432, 1, 32700410799, 1880347072, 199316789632, 822651844, 29380423]
    P = np.zeros((7, 4))
    P[:, :3] = _hermite(b)
    # the fourth-order term: th^2 (1 - th)^2 times the sum of d K
    P += np.outer(np.array(d, dtype=float) / np.array(e), [0.0, 1.0, -2.0, 1.0])
    c = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
    return Tableau(A, b, c, np.append(b, 0.0) - lower, np.zeros(7), P)


def _dormand_prince_8() -> Tableau:
    data, stages, main = dormand_prince_8, 16, 12
    A = _dense(data.A, (stages, stages))
    b, c, e5, e3 = (
        _dense({0: row}, (1, size))[0] for row, size in ((data.B, 12), (data.C, 16), (data.E5, 13), (data.E3, 13))
    )
    D = _dense(data.DENSE, (4, stages))
    change, start, end = np.zeros(stages), np.eye(stages)[0], np.eye(stages)[main]
    change[:main] = b
    parts = [change, start - change, 2 * change - start - end, *D]
    P, shape = np.zeros((stages, 7)), np.array([0.0, 1.0])  # th, then th (1 - th), th^2 (1 - th), ...
    for i, weights in enumerate(parts):
        P[:, : len(shape) - 1] += np.outer(weights, shape[1:])
        shape = poly.polymul(shape, [1.0, -1.0] if i % 2 == 0 else [0.0, 1.0])
    return Tableau(A, b, c, e5, e3, P)


def _radau() -> Tableau:
    """Collocation at three points, the last one at the step's end; K are the slopes at these points."""
    c = np.array([(4 - 6**0.5) / 10, (4 + 6**0.5) / 10, 1.0])
    P = np.linalg.inv(np.vander(c, increasing=True)).T / [1.0, 2.0, 3.0]  # integrals of Lagrange's polynomials
    A = np.array([P @ x ** np.arange(1, 4) for x in c])
    return Tableau(A, A[2], c, np.zeros(4), np.zeros(4), P)


def _radau_constants(tableau: Tableau) -> Array:
    """Constants of `kernels/methods/radau.py`: T, T^-1 and eigenvalues of A^-1 = T L T^-1; error weights."""
    inverse = np.linalg.inv(tableau.A)
    values, vectors = np.linalg.eig(inverse)
    real, pair = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
    T = np.array([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag]).T
    error = np.array([-13 - 7 * 6**0.5, -13 + 7 * 6**0.5, -1]) / 3
    eigenvalues = values[real].real, values[pair].real, values[pair].imag
    return np.concatenate([eigenvalues, np.linalg.inv(T).ravel(), T.ravel(), inverse.ravel(), error])


@dataclass(frozen=True)
class Method:
    """Base class of all methods: kind of step, order, capabilities."""

    kind: ClassVar[int] = EXPLICIT
    order: ClassVar[int]
    error_order: ClassVar[int] = 0
    tableau: ClassVar[Tableau]

    own_axes: ClassVar[bool] = True  # whether the base's angular rates are integrated in its own axes

    @property
    def in_packs(self) -> bool:
        """Whether several robots can step together."""
        return self.kind < IMPLICIT or self.kind == TIME_STEPPING

    @property
    def judges_works(self) -> bool:
        """Whether entries of the ledger may have error tolerances, too."""
        return self.kind == EXPLICIT

    @property
    def steps_through_contact(self) -> bool:
        """Whether the method treats all contact as rigid and solves its impulses within the step."""
        return self.kind == TIME_STEPPING

    def constants(self) -> Array:
        """Numbers of the method beside its tableau."""
        return np.empty(0)

    @property
    def budget(self) -> float:
        """Default budget of the ledger: the relative error that is acceptable for the method."""
        return 1e-7

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its own step."""
        return self.error_order > 0


def _check_step(method: Method, *steps: Any) -> None:
    """Raise unless the step is a positive time."""
    for step in steps:
        if not one_number(f"{type(method).__name__}: step", step, "a positive time [s]") > 0.0:
            raise InputError(f"{type(method).__name__}: the step must be a positive time [s], got {step!r}")


def check_steps(method: Method, duration: float) -> None:
    """Raise if a fixed step is so short that the run would never end."""
    step = getattr(method, "step", None)
    if step is not None and duration / step > _MAX_STEPS:
        raise InputError(
            f"{type(method).__name__}: {duration:g} s in steps of {step:g} s are {duration / step:.1e} steps, which "
            "would take years; give a longer step, or a shorter duration"
        )


@dataclass(frozen=True)
class _FixedStep(Method):
    step: float

    def __post_init__(self) -> None:
        _check_step(self, self.step)


@checked_fields()
@dataclass(frozen=True)
class RungeKutta4(_FixedStep):
    """The Runge-Kutta-Munthe-Kaas method of the fourth order with a fixed step [s].

    Examples
    --------
    >>> RungeKutta4(step=1e-3).order
    4
    """

    order: ClassVar[int] = 4
    tableau: ClassVar[Tableau] = _classic()
    own_axes: ClassVar[bool] = False  # as SpaceDyn and others, for comparison step by step


@checked_fields()
@dataclass(frozen=True)
class SemiImplicitEuler(_FixedStep):
    """Rates first, then positions with the new rates; first order, with a fixed step [s]: what games use.

    Examples
    --------
    >>> SemiImplicitEuler(step=1e-3).order
    1
    """

    kind: ClassVar[int] = SEMI_IMPLICIT_EULER
    order: ClassVar[int] = 1
    tableau: ClassVar[Tableau] = Tableau(
        np.zeros((2, 2)), np.ones(1), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((2, 1))
    )


@checked_fields()
@dataclass(frozen=True)
class Variational(_FixedStep):
    """A variational integrator on the manifold, of second order with a fixed step [s]: for very long runs.

    Symplectic: over any number of steps momentum is conserved to rounding, and the error of energy, of the size of the
    step squared, stays bounded. Joints cannot be prescribed.

    Examples
    --------
    >>> Variational(step=1e-2).order
    2
    """

    kind: ClassVar[int] = VARIATIONAL
    order: ClassVar[int] = 2
    tableau: ClassVar[Tableau] = SemiImplicitEuler.tableau


@checked_fields()
@dataclass(frozen=True)
class TimeStepping(_FixedStep):
    """Time-stepping through rigid contact with Coulomb friction, first order, with a fixed step [s]: for many contacts.

    Every contact is rigid for it, whatever its stiffness: impulses of all places that may touch within a step are found
    together, by Coulomb's law at each. What sticks stays where it is, what touches closes its gap and goes no deeper,
    and impulses never add energy. Rates are taken first, then positions with the new rates. The ledger is off by about
    the step over the time in which the motion changes: its budget is ten times the step in seconds, 0.01 for 1e-3 s, if
    `simulate` is given none.

    Parameters
    ----------
    step : float
        [s]; 1e-3 for walkers and landers.
    settling : float
        Time in which bodies that start in each other, or come to be by the curvature of what they touch, come
        apart [s], as far as that takes no energy: what rests in the ground comes out slowly.
    accuracy : float
        Of velocities at contacts after a step, over the largest of those before.
    sweeps : int
        Most sweeps over all contacts in a step, ten times as many in a first one; what is left then, the next step goes
        on with.
    stop_restitution : float
        Of joints' end stops, 0 to 1: speed of parting over speed of approach.

    Examples
    --------
    A box is thrown on a floor, slides, and comes to rest.

    >>> import spacedyn as sd
    >>> b = sd.Builder("box")
    >>> b.base("box", shapes=sd.shapes.box(2.0, (0.4, 0.4, 0.2)))
    >>> box, rough = b.build(), sd.ContactMaterial(1e6, friction=0.5)
    >>> floor = sd.Contact("box", shape=sd.shapes.box(2.0, (0.4, 0.4, 0.2)), material=rough)
    >>> start = box.state(base_position=[0, 0, 0.1], base_velocity=[1.0, 0, 0])
    >>> down = (0, 0, -9.81)
    >>> run = sd.simulate(box, start, 0.5, elements=[floor], gravity=down, method=sd.TimeStepping(1e-3))
    >>> print(f"{run.final.base_position[0]:.3f} m, {abs(run.final.base_velocity).max() < 1e-9}")
    0.101 m, True
    >>> run.audit().budget, run.audit().within_budget
    (0.01, True)
    """

    settling: float = 0.1
    accuracy: float = 1e-9
    sweeps: int = 50
    stop_restitution: float = 0.0
    kind: ClassVar[int] = TIME_STEPPING
    order: ClassVar[int] = 1
    tableau: ClassVar[Tableau] = SemiImplicitEuler.tableau

    def __post_init__(self) -> None:
        super().__post_init__()
        if not one_number("TimeStepping: settling", self.settling, "a positive time [s]") > 0.0:
            raise InputError(f"TimeStepping: settling must be a positive time [s], got {self.settling!r}")
        if not 0.0 < one_number("TimeStepping: accuracy", self.accuracy) < 1.0:
            raise InputError(f"TimeStepping: accuracy must be between 0 and 1, got {self.accuracy!r}")
        if not self.sweeps >= 1:
            raise InputError(f"TimeStepping: at least one of sweeps is needed, got {self.sweeps!r}")
        if not 0.0 <= one_number("TimeStepping: stop_restitution", self.stop_restitution) <= 1.0:
            raise InputError(f"TimeStepping: stop_restitution must be from 0 to 1, got {self.stop_restitution!r}")

    @property
    def budget(self) -> float:
        """Default budget of the ledger: the step over the time scale of motion with contact, since the order is one."""
        return self.step / _CHANGES

    def constants(self) -> Array:
        """Numbers of the method beside its tableau."""
        return np.array([max(self.settling, self.step), self.accuracy, self.sweeps, self.stop_restitution], dtype=float)


@dataclass(frozen=True)
class _Adaptive(Method):
    rtol: float = 1e-11
    atol: float = 1e-12
    max_step: float = np.inf
    first_step: float | None = None
    step: float | None = None

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its own step."""
        return self.step is None

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.step is not None:
            _check_step(self, self.step)
        if not (self.rtol >= 0.0 and self.atol > 0.0 and self.rtol < 1.0):
            raise InputError(f"{name}: 0 <= rtol < 1 and atol > 0 are needed, got {self.rtol} and {self.atol}")
        if not self.max_step > 0.0 or (self.first_step is not None and not self.first_step > 0.0):
            raise InputError(f"{name}: steps must be positive times [s], got {self.max_step} and {self.first_step}")


@checked_fields()
@dataclass(frozen=True)
class DormandPrince5(_Adaptive):
    """Order 5 with a fourth-order error estimate, step by PI control, dense output of order 4.

    Parameters
    ----------
    rtol, atol : float
        Relative and absolute tolerance of the error of a step, of each number that is integrated.
    max_step, first_step : float, optional
        Longest step, and the first one that is tried [s].
    step : float, optional
        A fixed step [s], whatever the error.

    Examples
    --------
    >>> DormandPrince5(rtol=1e-8).adaptive
    True
    """

    rtol: float = 1e-9
    atol: float = 1e-10
    order: ClassVar[int] = 5
    error_order: ClassVar[int] = 5
    tableau: ClassVar[Tableau] = _dormand_prince_5()


@checked_fields()
@dataclass(frozen=True)
class DormandPrince8(_Adaptive):
    """Order 8 with error estimates of orders 5 and 3, step by PI control, dense output of order 7. The default.

    Parameters
    ----------
    rtol, atol : float
        Relative and absolute tolerance of the error of a step, of each number that is integrated.
    max_step, first_step : float, optional
        Longest step, and the first one that is tried [s].
    step : float, optional
        A fixed step [s], whatever the error.

    Examples
    --------
    >>> DormandPrince8().order
    8
    """

    order: ClassVar[int] = 8
    error_order: ClassVar[int] = 8
    tableau: ClassVar[Tableau] = _dormand_prince_8()


@checked_fields()
@dataclass(frozen=True)
class Radau5(_Adaptive):
    """The implicit method Radau IIA of order 5, for stiff springs, end stops, friction and contact.

    Its step follows the motion that matters, not the fastest vibration there is, on derivatives from the kernels
    themselves. Error estimate of order 3, dense output of order 3. `rtol`, `atol`, `max_step`, `first_step` and `step`
    are as of `DormandPrince8`.

    Examples
    --------
    >>> Radau5(rtol=1e-6).order
    5
    """

    rtol: float = 1e-8
    atol: float = 1e-9
    kind: ClassVar[int] = IMPLICIT
    order: ClassVar[int] = 5
    error_order: ClassVar[int] = 4
    tableau: ClassVar[Tableau] = _radau()

    def constants(self) -> Array:
        """Numbers of the method beside its tableau, and the tolerance of Newton's method, adaptive or not."""
        accuracy = max(10 * np.finfo(float).eps / max(self.rtol, 1e-15), min(0.03, self.rtol**0.5))
        return np.append(_radau_constants(self.tableau), [accuracy if self.adaptive else 1.0, 1e-14])
