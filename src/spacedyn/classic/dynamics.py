"""Inertia, inverse and forward dynamics: SpaceDyn's calc_hh, calc_gh, r_ne, i_dyn, f_dyn, f_dyn_f0.

    HH [vd0; wd0; qdd] + Force0 = [F0; T0; tau] + Je' [Fe; Te]

Force0 holds velocity terms and gravity. Fe and Te act **on the robot**, at the endpoints of links, in inertial axes.
"""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..quantities.dynamics import bias_force, forward_dynamics, inverse_dynamics
from ..quantities.freefloating import generalized_inertia
from ..quantities.matrices import mass_matrix
from .arguments import Call
from .parameters import LinkParameters
from .shapes import Array
from .surroundings import gravity
from .variables import StateVariables


@overload
def calc_hh(R0: ArrayLike, RR: ArrayLike, A0: ArrayLike, AA: ArrayLike, /) -> Array: ...
@overload
def calc_hh(LP: LinkParameters, SV: StateVariables, /) -> Array: ...
def calc_hh(*arguments: Any) -> Array:
    """Inertia matrix HH (6 + n, 6 + n) of base and joints, in the order v0, w0, qd; inertial axes.

    ``calc_hh(R0, RR, A0, AA)`` or ``calc_hh(LP, SV)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_hh(LP, init_SV(LP))[0, 0]
    np.float64(160.0)
    """
    call = Call("calc_hh", arguments, "R0 RR A0 AA")
    return mass_matrix(call.LP.model, call.state())


@overload
def calc_gh(R0: ArrayLike, RR: ArrayLike, A0: ArrayLike, AA: ArrayLike, /) -> Array: ...
@overload
def calc_gh(LP: LinkParameters, SV: StateVariables, /) -> Array: ...
def calc_gh(*arguments: Any) -> Array:
    """Generalized inertia matrix (n, n) that the joints feel on a floating base.

    ``calc_gh(R0, RR, A0, AA)`` or ``calc_gh(LP, SV)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_gh(LP, init_SV(LP)).shape
    (6, 6)
    """
    call = Call("calc_gh", arguments, "R0 RR A0 AA")
    return generalized_inertia(call.LP.model, call.state())


@overload
def r_ne(
    R0: ArrayLike,
    RR: ArrayLike,
    A0: ArrayLike,
    AA: ArrayLike,
    v0: ArrayLike,
    w0: ArrayLike,
    vd0: ArrayLike,
    wd0: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    Fe: ArrayLike,
    Te: ArrayLike,
    /,
    *,
    Gravity: ArrayLike | None = None,
) -> Array: ...
@overload
def r_ne(LP: LinkParameters, SV: StateVariables, /, *, Gravity: ArrayLike | None = None) -> Array: ...
def r_ne(*arguments: Any, Gravity: ArrayLike | None = None) -> Array:
    """Forces [F0; T0; tau] (6 + n,) that a motion takes, by the recursion of Newton and Euler.

    ``r_ne(R0, RR, A0, AA, v0, w0, vd0, wd0, q, qd, qdd, Fe, Te)`` or ``r_ne(LP, SV)``. With Fe and Te acting on the
    robot: HH [vd0; wd0; qdd] + Force0 - Je' [Fe; Te], as `f_dyn` has it. (SpaceDyn v2 has + there.) `Gravity` is
    the global one unless given.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> r_ne(LP, init_SV(LP), Gravity=[0, 0, -10.0])[:3]  # what carries 160 kg
    array([   0., 0., 1600.])
    """
    return _inverse(Call("r_ne", arguments, "R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te"), Gravity)


@overload
def i_dyn(
    R0: ArrayLike,
    A0: ArrayLike,
    v0: ArrayLike,
    w0: ArrayLike,
    vd0: ArrayLike,
    wd0: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    Fe: ArrayLike,
    Te: ArrayLike,
    /,
    *,
    Gravity: ArrayLike | None = None,
) -> Array: ...
@overload
def i_dyn(LP: LinkParameters, SV: StateVariables, /, *, Gravity: ArrayLike | None = None) -> Array: ...
def i_dyn(*arguments: Any, Gravity: ArrayLike | None = None) -> Array:
    """Forces [F0; T0; tau] (6 + n,) that a motion takes: `r_ne` without RR and AA among its arguments.

    ``i_dyn(R0, A0, v0, w0, vd0, wd0, q, qd, qdd, Fe, Te)`` or ``i_dyn(LP, SV)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> i_dyn(LP, init_SV(LP), Gravity=[0, 0, 0]).any()
    np.False_
    """
    return _inverse(Call("i_dyn", arguments, "R0 A0 v0 w0 vd0 wd0 q qd qdd Fe Te"), Gravity)


def _inverse(call: Call, Gravity: ArrayLike | None) -> Array:
    udot = np.concatenate(call.many("vd0", "wd0", "qdd"))
    wrenches = endpoint_wrenches(call)
    return inverse_dynamics(call.LP.model, call.state(), udot, endpoint_wrenches=wrenches, gravity=gravity(Gravity))


@overload
def f_dyn(
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
    Gravity: ArrayLike | None = None,
) -> tuple[Array, Array, Array]: ...
@overload
def f_dyn(LP: LinkParameters, SV: StateVariables, /, *, Gravity: ArrayLike | None = None) -> StateVariables: ...
def f_dyn(*arguments: Any, Gravity: ArrayLike | None = None) -> Any:
    """Accelerations vd0 (3,), wd0 (3,), qdd (n,) that forces give, in O(n).

    ``vd0, wd0, qdd = f_dyn(R0, A0, v0, w0, q, qd, F0, T0, Fe, Te, tau)`` or ``SV = f_dyn(LP, SV)``, which puts them
    into SV. `Gravity` is the global one unless given. Fe and Te (3, n) have a column for each link; those of links
    without an endpoint must be zero.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> SV = init_SV(LP)
    >>> SV.F0 = [0, 0, 160.0]
    >>> bool(f_dyn(LP, SV, Gravity=[0, 0, 0]).vd0[2] > 1)  # joints give way: the base gains more than 1 m/s²
    True
    """
    call = Call("f_dyn", arguments, DYNAMIC)
    vd0, wd0, qdd = split(accelerations(call, Gravity))
    return (vd0, wd0, qdd) if call.SV is None else call.SV.copy(vd0=vd0, wd0=wd0, qdd=qdd)


def f_dyn_f0(LP: LinkParameters, SV: StateVariables, /, *, Gravity: ArrayLike | None = None) -> StateVariables:
    """`f_dyn` that also puts Force0 (6 + n,), velocity terms and gravity, into SV.Force10.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> f_dyn_f0(LP, init_SV(LP), Gravity=[0, 0, -10.0]).Force10[:3]
    array([   0., 0., 1600.])
    """
    call = Call("f_dyn_f0", (LP, SV), "LP SV")
    vd0, wd0, qdd = split(accelerations(call, Gravity))
    Force0 = bias_force(LP.model, call.state(), gravity=gravity(Gravity))
    return SV.copy(vd0=vd0, wd0=wd0, qdd=qdd, Force10=Force0)


DYNAMIC = "R0 A0 v0 w0 q qd F0 T0 Fe Te tau"
"""The arguments of f_dyn and of the integrators that call it."""


def loads_of(call: Call, Gravity: ArrayLike | None) -> dict[str, Any]:
    """The loads of a call, as `forward_dynamics` takes them."""
    wrenches = {"base_wrench": np.concatenate(call.many("F0", "T0")), "endpoint_wrenches": endpoint_wrenches(call)}
    return {"tau": call["tau"], **wrenches, "gravity": gravity(Gravity)}


def accelerations(call: Call, Gravity: ArrayLike | None) -> Array:
    """(vd0, wd0, qdd) in one vector (6 + n,)."""
    return forward_dynamics(call.LP.model, call.state(), **loads_of(call, Gravity))


def split(rates: Array) -> tuple[Array, Array, Array]:
    """The parts of a vector (6 + n,): of the base, linear and angular, and of the joints."""
    return rates[:3].copy(), rates[3:6].copy(), rates[6:].copy()


def endpoint_wrenches(call: Call) -> Array:
    """(endpoints, 6) out of Fe and Te, which have a column for each link."""
    both = np.vstack(call.many("Fe", "Te"))
    idle = np.flatnonzero(both.any(axis=0) & (call.LP.SE == 0))
    if idle.size:
        raise InputError(
            f"{call.function}: Fe or Te acts on link {idle[0] + 1}, which has no endpoint; endpoints are on links "
            f"{list(call.LP.links)} (SE)"
        )
    return both[:, [link - 1 for link in call.LP.links]].T.copy()
