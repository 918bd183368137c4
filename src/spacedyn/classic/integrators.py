"""One step with given accelerations, or by Simpson's rule: SpaceDyn's int_eu, int_eu2, int_sr, int_sr2.

In SpaceDyn int_eu and int_sr turn the base with a rate in the wrong axes, and the attitude goes astray. Here both are
the same as int_eu2 and int_sr2; the attitude stays a rotation to rounding.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from .arguments import Call
from .dynamic_integrators import under_forces
from .dynamics import DYNAMIC
from .parameters import LinkParameters
from .steps import Moved, euler, moved, semi_implicit_euler, simpson, stepped
from .surroundings import time_step
from .variables import StateVariables

KINEMATIC = "R0 A0 v0 w0 vd0 wd0 q qd qdd"


class WithAccelerations(Protocol):
    """A step in either style: plain arguments of v1, or LP and SV of v2."""

    @overload
    def __call__(
        self,
        R0: ArrayLike,
        A0: ArrayLike,
        v0: ArrayLike,
        w0: ArrayLike,
        vd0: ArrayLike,
        wd0: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        /,
        *,
        d_time: float | None = None,
    ) -> Moved: ...
    @overload
    def __call__(self, LP: LinkParameters, SV: StateVariables, /, *, d_time: float | None = None) -> StateVariables: ...


def _in_both_styles(step: Callable[..., Any]) -> WithAccelerations:
    return cast(WithAccelerations, step)


@_in_both_styles
def int_eu(*arguments: Any, d_time: float | None = None) -> Any:
    """A step by Euler's method, order 1, with accelerations that `f_dyn` gave.

    ``R0, A0, v0, w0, q, qd = int_eu(R0, A0, v0, w0, vd0, wd0, q, qd, qdd)`` or ``SV = int_eu(LP, SV)``. Positions go on
    by the rates at the start of the step. `d_time` [s] is the global one unless given.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> SV = init_SV(LP)
    >>> SV.v0, SV.vd0 = [1.0, 0, 0], [0, 2.0, 0]
    >>> SV = int_eu(LP, SV, d_time=0.1)
    >>> SV.R0, SV.v0
    (array([0.1, 0. , 0. ]), array([1. , 0.2, 0. ]))
    """
    call = Call("int_eu", arguments, KINEMATIC)
    return moved(call, euler(call.state(), np.concatenate(call.many("vd0", "wd0", "qdd")), time_step(d_time)))


@_in_both_styles
def int_eu2(*arguments: Any, d_time: float | None = None) -> Any:
    """A step by Euler's method, order 1; with plain arguments positions go on by the **new** rates.

    That is how the two versions of SpaceDyn differ: ``int_eu2(R0, A0, v0, w0, vd0, wd0, q, qd, qdd)`` of v1 is
    semi-implicit, ``int_eu2(LP, SV)`` of v2 explicit, as `int_eu`. Arguments and results as there.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import set_globals
    >>> set_globals(LinkParameters.from_model(sd.load("two_arm_sample")), d_time=0.1)
    >>> still, n = np.zeros(3), np.zeros(6)
    >>> R0, A0, v0, *_ = int_eu2(still, np.eye(3), [1, 0, 0], still, [0, 2, 0], still, n, n, n)
    >>> R0, v0
    (array([0.1 , 0.02, 0.  ]), array([1. , 0.2, 0. ]))
    """
    call = Call("int_eu2", arguments, KINEMATIC)
    method = semi_implicit_euler if call.SV is None else euler
    return moved(call, method(call.state(), np.concatenate(call.many("vd0", "wd0", "qdd")), time_step(d_time)))


@under_forces
def int_sr(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Simpson's rule, order 3: the same as `int_sr2`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> int_sr(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("int_sr", arguments, DYNAMIC), simpson, d_time, Gravity)


@under_forces
def int_sr2(*arguments: Any, d_time: float | None = None, Gravity: ArrayLike | None = None) -> Any:
    """A step by Simpson's rule, order 3: forward dynamics at its start, its middle and its end (Kutta).

    ``SV = int_sr2(LP, SV)``, or with plain arguments, which SpaceDyn has not, as `f_dyn_rk2`; the loads are held over
    the step. `d_time` [s] and `Gravity` are the global ones unless given. The accelerations in a new SV are those at
    the end of the step.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> int_sr2(LP, init_SV(LP), d_time=1.0, Gravity=[0, 0, -10.0]).R0[2]
    np.float64(-5.0)
    """
    return stepped(Call("int_sr2", arguments, DYNAMIC), simpson, d_time, Gravity)
