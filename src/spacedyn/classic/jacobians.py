"""Jacobians of links and endpoints in inertial axes: calc_jt, calc_jr, calc_jte, calc_jre, calc_je, calc_gj."""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..quantities.freefloating import generalized_jacobian
from ..quantities.kinematics import body_jacobian, endpoint_jacobian
from ..quantities.matrices import mass_matrix
from .arguments import AGREEMENT, Call
from .kinematics import endpoint_place, last_link
from .parameters import LinkParameters
from .shapes import Array, side_by_side, vector
from .variables import StateVariables


@overload
def calc_jt(RR: ArrayLike, AA: ArrayLike, /) -> Array: ...
@overload
def calc_jt(LP: LinkParameters, SV: StateVariables, /) -> Array: ...
def calc_jt(*arguments: Any) -> Array:
    """Jacobians JJ_t (3, n²) of the links' centres of mass by joint rates: n blocks of 3 x n, one for each link.

    ``calc_jt(RR, AA)`` or ``calc_jt(LP, SV)``; ``JJ_t[:, n * (i - 1) : n * i] @ qd`` is the velocity [m/s] of link i
    on a base at rest.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_jt(LP, init_SV(LP)).shape
    (3, 36)
    """
    return _of_links(Call("calc_jt", arguments, "RR AA"), slice(0, 3))


@overload
def calc_jr(AA: ArrayLike, /) -> Array: ...
@overload
def calc_jr(LP: LinkParameters, SV: StateVariables, /) -> Array: ...
def calc_jr(*arguments: Any) -> Array:
    """Jacobians JJ_r (3, n²) of the links' angular velocities by joint rates: n blocks of 3 x n, one for each link.

    ``calc_jr(AA)`` or ``calc_jr(LP, SV)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_jr(LP, init_SV(LP))[:, :6].round(12)  # of link 1: its own joint turns about y
    array([[0., 0., 0., 0., 0., 0.],
           [1., 0., 0., 0., 0., 0.],
           [0., 0., 0., 0., 0., 0.]])
    """
    return _of_links(Call("calc_jr", arguments, "AA"), slice(3, 6))


def _of_links(call: Call, rows: slice) -> Array:
    state, n = call.state(), call.LP.num_q
    blocks = [call.of_link(body_jacobian(call.LP.model, state, f"link{i}"), i)[rows, 6:] for i in range(1, n + 1)]
    return side_by_side(np.array(blocks).reshape(n, 3, n))


@overload
def calc_jte(RR: ArrayLike, AA: ArrayLike, q: ArrayLike, joints: ArrayLike, /) -> Array: ...
@overload
def calc_jte(LP: LinkParameters, SV: StateVariables, joints: ArrayLike, /) -> Array: ...
def calc_jte(*arguments: Any) -> Array:
    """Jacobian JJ_te (3, k) of the endpoint of a chain's last link by the rates of its k joints: linear part.

    ``calc_jte(RR, AA, q, joints)`` or ``calc_jte(LP, SV, joints)``; joints as of `j_num`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV, j_num
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_jte(LP, init_SV(LP), j_num(LP, 1)).shape
    (3, 3)
    """
    call = Call("calc_jte", arguments, "RR AA q joints", "joints")
    return _of_endpoint(call)[:3, [j - 1 for j in call["joints"]]]


@overload
def calc_jre(AA: ArrayLike, joints: ArrayLike, /) -> Array: ...
@overload
def calc_jre(LP: LinkParameters, SV: StateVariables, joints: ArrayLike, /) -> Array: ...
def calc_jre(*arguments: Any) -> Array:
    """Jacobian JJ_re (3, k) of the endpoint of a chain's last link by the rates of its k joints: angular part.

    ``calc_jre(AA, joints)`` or ``calc_jre(LP, SV, joints)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV, j_num
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_jre(LP, init_SV(LP), j_num(LP, 1))[:, 2]  # the third joint slides
    array([0., 0., 0.])
    """
    call = Call("calc_jre", arguments, "AA joints", "joints")
    return _of_endpoint(call)[3:, [j - 1 for j in call["joints"]]]


@overload
def calc_je(RR: ArrayLike, AA: ArrayLike, q: ArrayLike, joints: ArrayLike, /) -> Array: ...
@overload
def calc_je(LP: LinkParameters, SV: StateVariables, joints: ArrayLike, /) -> Array: ...
def calc_je(*arguments: Any) -> Array:
    """Jacobian (6, n) of the endpoint of a chain's last link by all joint rates, linear rows first.

    Columns of joints that are not in `joints` are zero. ``calc_je(RR, AA, q, joints)`` or ``calc_je(LP, SV, joints)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV, j_num
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_je(LP, init_SV(LP), j_num(LP, 2))[:, :3].any()  # the other arm
    np.False_
    """
    call = Call("calc_je", arguments, "RR AA q joints", "joints")
    columns = [j - 1 for j in call["joints"]]
    J = np.zeros((6, call.LP.num_q))
    J[:, columns] = _of_endpoint(call)[:, columns]
    return J


def _of_endpoint(call: Call) -> Array:
    link = last_link(call)
    J = body_jacobian(call.LP.model, call.state(), f"link{link}", endpoint_place(call.LP, link))
    return call.of_link(J, link)[:, 6:]


@overload
def calc_gj(R0: ArrayLike, RR: ArrayLike, A0: ArrayLike, AA: ArrayLike, q: ArrayLike, num_e: int, /) -> Array: ...
@overload
def calc_gj(LP: LinkParameters, SV: StateVariables, num_e: int, /) -> Array: ...
def calc_gj(*arguments: Any) -> Array:
    """Generalized Jacobian (6, n): the num_e-th endpoint's velocity by joint rates while momentum is zero.

    ``calc_gj(R0, RR, A0, AA, q, num_e)`` or ``calc_gj(LP, SV, num_e)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_gj(LP, init_SV(LP), 1).shape
    (6, 6)
    """
    call = Call("calc_gj", arguments, "R0 RR A0 AA q num_e", "num_e")
    return generalized_jacobian(call.LP.model, call.state(), _endpoint(call))


def calc_gj11(
    LP: LinkParameters, SV: StateVariables, L: ArrayLike, num_e: int, HH: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Generalized Jacobian GJ (6, n), and what momentum adds (6,): the endpoint's velocity is GJ qd + that.

    Parameters
    ----------
    LP, SV
        The robot and its state.
    L : (6,)
        Linear momentum [kg m/s], and angular momentum about the base's centre of mass [kg m²/s], inertial axes.
    num_e : int
        Number of the endpoint, from 1.
    HH : (6 + n, 6 + n), optional
        Of `calc_hh`, which is computed anyhow: one that does not belong to SV is refused.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> GJ, drift = calc_gj11(LP, init_SV(LP), [160, 0, 0, 0, 0, 0], 1)  # 160 kg at 1 m/s
    >>> drift[:3].round(12)
    array([1., 0., 0.])
    """
    call = Call("calc_gj11", (LP, SV, L, num_e), "LP SV L num_e", "L num_e")
    state = call.state()
    H = mass_matrix(LP.model, state)
    if HH is not None and not _same(HH, H):
        raise InputError("calc_gj11: HH is not the one of this robot and state; compute it by calc_hh(LP, SV)")
    endpoint = _endpoint(call)
    Js = endpoint_jacobian(LP.model, state, endpoint)[:, :6]
    drift = Js @ np.linalg.solve(H[:6, :6], vector("L", L, 6))
    return generalized_jacobian(LP.model, state, endpoint), drift


def _endpoint(call: Call) -> str:
    """Its name in the model."""
    return f"endpoint{call.LP.links.index(call.LP.endpoint_link(call['num_e'])) + 1}"


def _same(HH: ArrayLike, H: Array) -> bool:
    given = np.asarray(HH, dtype=float)
    return given.shape == H.shape and bool(np.abs(given - H).max() <= AGREEMENT * np.abs(H).max())
