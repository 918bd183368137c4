"""One step under forces: SpaceDyn's f_dyn_rk, f_dyn_rk2, f_dyn_nb, f_dyn_nb2, f_dyn_tr, with their methods' order.

In SpaceDyn f_dyn_rk and f_dyn_nb turn the base with a rate in the wrong axes, f_dyn_rk2 of v1 is of the second order
and f_dyn_nb2 and f_dyn_tr of the first. Here each has its method's order, and attitudes stay rotations to rounding.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast, overload

from numpy.typing import ArrayLike

from ..quantities.dynamics import forward_dynamics
from .arguments import Call
from .dynamics import DYNAMIC, loads_of, split
from .parameters import LinkParameters
from .shapes import Array
from .steps import Moved, moved, newmark, runge_kutta, stepped, trapezoid
from .surroundings import time_step
from .variables import StateVariables


class UnderForces(Protocol):
    """A step in either style: plain arguments of v1, or LP and SV of v2."""

    @overload
    def __call__(
        self,
        R0: ArrayLike,
        A0: ArrayLike,
        v0: ArrayLike,
        w0: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike,
        F0: ArrayLike,
        T0: ArrayLike,
        Fe: ArrayLike,
        Te: ArrayLike,
        tau: ArrayLike,
        /,
        *,
        d_time: float | None = None,
        Gravity: ArrayLike | None = None,
    ) -> Moved: ...
    @overload
    def __call__(
        self,
        LP: LinkParameters,
        SV: StateVariables,
        /,
        *,
        d_time: float | None = None,
        Gravity: ArrayLike | None = None,
    ) -> StateVariables: ...


def under_forces(step: Callable[..., Any]) -> UnderForces:
    """The step, with both of its styles written down."""
    return cast(UnderForces, step)


@under_forces
def f_dyn_rk2(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Runge and Kutta's method, order 4: the classical four stages, on the base's quaternion.

    ``R0, A0, v0, w0, q, qd = f_dyn_rk2(R0, A0, v0, w0, q, qd, F0, T0, Fe, Te, tau)`` or ``SV = f_dyn_rk2(LP, SV)``. The
    loads are held over the step. `d_time` [s] and `Gravity` are the global ones unless given. The accelerations in a
    new SV are those at the end of the step.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> f_dyn_rk2(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("f_dyn_rk2", arguments, DYNAMIC), runge_kutta, d_time, Gravity)


@under_forces
def f_dyn_rk(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Runge and Kutta's method, order 4: the same as `f_dyn_rk2`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> f_dyn_rk(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("f_dyn_rk", arguments, DYNAMIC), runge_kutta, d_time, Gravity)


@under_forces
def f_dyn_nb2(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Newmark's method with beta = 1/6 and gamma = 1/2, order 2: acceleration linear over the step.

    Predicted with a constant acceleration and corrected once. Arguments and results as of `f_dyn_rk2`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> f_dyn_nb2(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("f_dyn_nb2", arguments, DYNAMIC), newmark, d_time, Gravity)


@under_forces
def f_dyn_nb(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Newmark's method, order 2: the same as `f_dyn_nb2`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> f_dyn_nb(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("f_dyn_nb", arguments, DYNAMIC), newmark, d_time, Gravity)


@overload
def f_dyn_tr(
    R0: ArrayLike,
    A0: ArrayLike,
    v0: ArrayLike,
    w0: ArrayLike,
    vd0: ArrayLike,
    wd0: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    F0: ArrayLike,
    T0: ArrayLike,
    Fe: ArrayLike,
    Te: ArrayLike,
    tau: ArrayLike,
    /,
    *,
    d_time: float | None = None,
    Gravity: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]: ...
@overload
def f_dyn_tr(
    LP: LinkParameters,
    SV: StateVariables,
    /,
    *,
    d_time: float | None = None,
    Gravity: ArrayLike | None = None,
) -> StateVariables: ...
def f_dyn_tr(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by the trapezoidal rule, order 2: R0, A0, v0, w0, vd0, wd0, q, qd, qdd.

    ``SV = f_dyn_tr(LP, SV)``, which SpaceDyn has not, is the same step.

    The accelerations handed in are not used: those at the start of the step are computed here. (SpaceDyn takes the
    previous step's, which costs an order.) Those that come back are at the end of the step.

    Examples
    --------
    >>> import numpy as np
    >>> import spacedyn as sd
    >>> from spacedyn.classic import set_globals
    >>> set_globals(LinkParameters.from_model(sd.load("two_arm_sample")), d_time=1.0)
    >>> three, six, table = np.zeros(3), np.zeros(6), np.zeros((3, 6))
    >>> rates = (three, three, three, three, six, six, six)  # v0, w0, vd0, wd0, q, qd, qdd
    >>> f_dyn_tr(three, np.eye(3), *rates, three, three, table, table, six, Gravity=[0, 0, -10.0])[0][2]
    np.float64(-5.0)
    """
    call = Call("f_dyn_tr", arguments, "R0 A0 v0 w0 vd0 wd0 q qd qdd F0 T0 Fe Te tau")
    if call.SV is not None:
        return stepped(call, trapezoid, d_time, Gravity)
    call.many("vd0", "wd0", "qdd")  # their shapes are looked at
    loads = loads_of(call, Gravity)
    state = trapezoid(call.state(), loads, time_step(d_time))
    new: Moved = moved(call, state)
    last = split(forward_dynamics(call.LP.model, state, **loads))
    return (*new[:4], *last[:2], *new[4:], last[2])
