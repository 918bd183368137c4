"""Where links, joints and endpoints are and how they move: SpaceDyn's calc_aa, calc_pos, calc_vel, calc_acc, f_kin."""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.rotations import rotation_xyz
from ..model.state import State
from ..quantities.kinematics import FrameMotion, forward_kinematics, frame_motion
from .arguments import Call
from .parameters import LinkParameters
from .shapes import Array, side_by_side
from .surroundings import robot
from .variables import StateVariables


def _links(call: Call, state: State, udot: Array | None = None) -> FrameMotion:
    return forward_kinematics(call.LP.model, state, udot).centroids


@overload
def j_num(num_e: int, /) -> list[int]: ...
@overload
def j_num(LP: LinkParameters, num_e: int, /) -> list[int]: ...
def j_num(*arguments: Any) -> list[int]:
    """The joints from the base to the num_e-th endpoint, as a list of numbers from 1; so are endpoints counted.

    ``j_num(num_e)`` or ``j_num(LP, num_e)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> j_num(LP, 2)
    [4, 5, 6]
    """
    if len(arguments) == 2 and isinstance(arguments[0], LinkParameters):
        LP, num_e = arguments
    elif len(arguments) == 1 and not isinstance(arguments[0], LinkParameters):
        LP, num_e = robot("j_num"), arguments[0]
    else:
        raise InputError(f"j_num: {len(arguments)} arguments; call j_num(num_e) or j_num(LP, num_e)")
    return LP.chain(LP.endpoint_link(num_e))


@overload
def calc_aa(A0: ArrayLike, q: ArrayLike, /) -> Array: ...
@overload
def calc_aa(LP: LinkParameters, SV: StateVariables, /) -> StateVariables: ...
def calc_aa(*arguments: Any) -> Any:
    """Attitudes AA (3, 3 n) of all links: blocks of 3 x 3 side by side, a link's axes in inertial components.

    ``AA = calc_aa(A0, q)`` or ``SV = calc_aa(LP, SV)``, which puts it into SV.AA.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import set_globals
    >>> set_globals(LinkParameters.from_model(sd.load("two_arm_sample")))
    >>> AA = calc_aa(np.eye(3), [0, 0, 0, 0, 0, 0])
    >>> AA[:, 3:6].round(12)  # of link 2
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    call = Call("calc_aa", arguments, "A0 q")
    AA = side_by_side(_links(call, call.state()).rotation[1:])
    return AA if call.SV is None else call.SV.copy(AA=AA)


@overload
def calc_pos(R0: ArrayLike, A0: ArrayLike, AA: ArrayLike, q: ArrayLike, /) -> Array: ...
@overload
def calc_pos(LP: LinkParameters, SV: StateVariables, /) -> StateVariables: ...
def calc_pos(*arguments: Any) -> Any:
    """Centres of mass RR (3, n) of all links [m], inertial axes.

    ``RR = calc_pos(R0, A0, AA, q)`` or ``SV = calc_pos(LP, SV)``, which puts it into SV.RR.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> calc_pos(LP, init_SV(LP)).RR[:, 2].round(12)  # of link 3
    array([0. , 2. , 1.5])
    """
    call = Call("calc_pos", arguments, "R0 A0 AA q")
    RR = _links(call, call.state()).position[1:].T.copy()
    return RR if call.SV is None else call.SV.copy(RR=RR)


@overload
def calc_vel(
    A0: ArrayLike, AA: ArrayLike, v0: ArrayLike, w0: ArrayLike, q: ArrayLike, qd: ArrayLike, /
) -> tuple[Array, Array]: ...
@overload
def calc_vel(LP: LinkParameters, SV: StateVariables, /) -> StateVariables: ...
def calc_vel(*arguments: Any) -> Any:
    """Velocities vv (3, n) of the links' centres of mass [m/s] and angular velocities ww (3, n) [rad/s], inertial axes.

    ``vv, ww = calc_vel(A0, AA, v0, w0, q, qd)`` or ``SV = calc_vel(LP, SV)``, which puts them into SV.vv and SV.ww.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> SV = init_SV(LP)
    >>> SV.qd[5] = 0.1  # the last joint slides along z
    >>> calc_vel(LP, SV).vv[2, 5].round(12)
    np.float64(-0.1)
    """
    call = Call("calc_vel", arguments, "A0 AA v0 w0 q qd")
    velocity = _links(call, call.state()).velocity[1:]
    vv, ww = velocity[:, :3].T.copy(), velocity[:, 3:].T.copy()
    return (vv, ww) if call.SV is None else call.SV.copy(vv=vv, ww=ww)


@overload
def calc_acc(
    A0: ArrayLike,
    AA: ArrayLike,
    w0: ArrayLike,
    ww: ArrayLike,
    vd0: ArrayLike,
    wd0: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    /,
) -> tuple[Array, Array]: ...
@overload
def calc_acc(LP: LinkParameters, SV: StateVariables, /) -> StateVariables: ...
def calc_acc(*arguments: Any) -> Any:
    """Accelerations vd (3, n) of the links' centres of mass [m/s²] and angular accelerations wd (3, n) [rad/s²].

    Inertial axes. ``vd, wd = calc_acc(A0, AA, w0, ww, vd0, wd0, q, qd, qdd)`` or ``SV = calc_acc(LP, SV)``, which puts
    them into SV.vd and SV.wd. The ww of `calc_vel` is not needed here; only its shape is looked at.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> SV = init_SV(LP)
    >>> SV.vd0 = [0, 0, 1]
    >>> calc_acc(LP, SV).vd[2]
    array([1., 1., 1., 1., 1., 1.])
    """
    call = Call("calc_acc", arguments, "A0 AA w0 ww vd0 wd0 q qd qdd")
    if call.has("ww"):
        call["ww"]
    udot = np.concatenate(call.many("vd0", "wd0", "qdd"))
    acceleration = _links(call, call.state(), udot).acceleration
    assert acceleration is not None
    vd, wd = acceleration[1:, :3].T.copy(), acceleration[1:, 3:].T.copy()
    return (vd, wd) if call.SV is None else call.SV.copy(vd=vd, wd=wd)


@overload
def f_kin_j(RR: ArrayLike, AA: ArrayLike, q: ArrayLike, joints: ArrayLike, /) -> tuple[Array, Array]: ...
@overload
def f_kin_j(LP: LinkParameters, SV: StateVariables, joints: ArrayLike, /) -> tuple[Array, Array]: ...
def f_kin_j(*arguments: Any) -> tuple[Array, Array]:
    """Places POS_j (3, k) [m] and attitudes ORI_j (3, 3 k) of joints, given by their numbers from 1, as of `j_num`.

    A joint is where its parent carries it: for one that slides, where it is at q = 0. Its attitude is its link's.
    ``f_kin_j(RR, AA, q, joints)`` or ``f_kin_j(LP, SV, joints)``.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> POS_j, ORI_j = f_kin_j(LP, init_SV(LP), j_num(LP, 1))
    >>> POS_j.round(12)
    array([[0., 0., 0.],
           [1., 2., 2.],
           [0., 0., 1.]])
    """
    call = Call("f_kin_j", arguments, "RR AA q joints", "joints")
    frames = forward_kinematics(call.LP.model, call.state())
    joints = call["joints"]
    places = [call.of_link(frames.joints.position, j)[j - 1] for j in joints]
    turns = [call.of_link(frames.bodies.rotation, j)[j] for j in joints]
    return np.array(places).reshape(-1, 3).T.copy(), side_by_side(np.array(turns).reshape(-1, 3, 3))


@overload
def f_kin_e(RR: ArrayLike, AA: ArrayLike, joints: ArrayLike, /) -> tuple[Array, Array]: ...
@overload
def f_kin_e(LP: LinkParameters, SV: StateVariables, joints: ArrayLike, /) -> tuple[Array, Array]: ...
def f_kin_e(*arguments: Any) -> tuple[Array, Array]:
    """Place POS_e (3,) [m] and attitude ORI_e (3, 3) of the endpoint of the last link of a chain of joints.

    ``f_kin_e(RR, AA, joints)`` or ``f_kin_e(LP, SV, joints)``; only the last of the joints counts.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import init_SV
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> POS_e, ORI_e = f_kin_e(LP, init_SV(LP), j_num(LP, 1))
    >>> POS_e.round(12)
    array([0. , 2.5, 1.5])
    """
    call = Call("f_kin_e", arguments, "RR AA joints", "joints")
    link = last_link(call)
    motion = frame_motion(
        call.LP.model,
        call.state(),
        "endpoint",
        link,
        endpoint_place(call.LP, link),
        rotation_xyz(call.LP.Qe[:, link - 1]),
    )
    return call.of_link(motion.position, link).copy(), call.of_link(motion.rotation, link).copy()


def last_link(call: Call) -> int:
    """The link that a chain of joints ends with."""
    joints: list[int] = call["joints"]
    if not joints:
        raise InputError(f"{call.function}: joints is empty; give a chain of joints, such as j_num(num_e)")
    return joints[-1]


def endpoint_place(LP: LinkParameters, link: int) -> Array:
    """Place of a link's endpoint in the link's frame, which is at its joint [m]."""
    return LP.ce[:, link - 1] - LP.cc[:, link - 1, link - 1]
