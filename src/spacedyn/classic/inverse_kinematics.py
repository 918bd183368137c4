"""Joint coordinates that bring an endpoint to a given place and attitude: SpaceDyn's i_kine."""

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from ..errors import InputError, RunWarning, warn_user
from ..model.state import State
from ..quantities.kinematics import endpoint_jacobian, endpoint_pose
from .arguments import Call
from .parameters import LinkParameters
from .rotations import tilde
from .shapes import Array
from .variables import StateVariables

REACHED = 1e-9
FARTHEST = 1e12  # m


@overload
def i_kine(R0: ArrayLike, A0: ArrayLike, POS: ArrayLike, ORI: ArrayLike, q_init: ArrayLike, num_e: int, /) -> Array: ...
@overload
def i_kine(
    LP: LinkParameters, SV: StateVariables, POS: ArrayLike, ORI: ArrayLike, q_init: ArrayLike, num_e: int, /
) -> Array: ...
def i_kine(*arguments: Any) -> Array:
    """Joint coordinates (n,) that bring the num_e-th endpoint to POS (3,) [m] and ORI (3, 3), on a base that stays.

    ``i_kine(R0, A0, POS, ORI, q_init, num_e)`` or ``i_kine(LP, SV, POS, ORI, q_init, num_e)``. The search goes out
    from q_init, by least squares with the angle of the turn that is left (Levenberg and Marquardt, in a region of
    trust); joints off the endpoint's chain stay as they are. The result is accurate to rounding. Where the endpoint
    cannot be brought there, a warning tells how far it stays away, and the nearest coordinates found are returned.

    Examples
    --------
    >>> import spacedyn as sd
    >>> from spacedyn.classic import f_kin_e, init_SV, j_num
    >>> LP = LinkParameters.from_model(sd.load("ets7"))
    >>> SV = init_SV(LP)
    >>> SV.q = np.array([0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> POS, ORI = f_kin_e(LP, SV, j_num(LP, 1))
    >>> i_kine(LP, SV, POS, ORI, [0.2, 0.5, -0.9, 0.1, 0.3, 0.2], 1).round(9)
    array([ 0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    """
    call = Call("i_kine", arguments, "R0 A0 POS ORI q_init num_e", "POS ORI q_init num_e")
    LP, place, goal = call.LP, call["POS"], Rotation.from_matrix(call["ORI"])
    link = LP.endpoint_link(call["num_e"])
    endpoint, moving = f"endpoint{LP.links.index(link) + 1}", [j - 1 for j in LP.chain(link)]
    base = State.from_parts(LP.model, base_position=call["R0"], base_attitude=call["A0"])
    q = call["q_init"].copy()
    away = math.hypot(*(place - base.base_position))
    if away > FARTHEST:
        raise InputError(f"i_kine: POS is {away:.1e} m away from the base; no robot reaches beyond {FARTHEST:g} m")

    def state_at(some: Array) -> State:
        q[moving] = some
        return base.replace(q=q)

    def error(some: Array) -> Array:
        pose = endpoint_pose(LP.model, state_at(some), endpoint)
        return np.concatenate([pose.position - place, -(goal * pose.attitude.inv()).as_rotvec()])

    def slope(some: Array) -> Array:
        J = endpoint_jacobian(LP.model, state_at(some), endpoint)[:, 6:][:, moving]
        return np.vstack([J[:3], _turn_rate(error(some)[3:]) @ J[3:]])

    found = least_squares(error, q[moving], slope, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=200)
    q[moving] = found.x
    left = np.abs(found.fun)
    if left.max() > REACHED * (1.0 + np.abs(place).max()):
        warn_user(
            f"i_kine: endpoint {call['num_e']} stays {np.linalg.norm(found.fun[:3]):.3g} m and "
            f"{np.linalg.norm(found.fun[3:]):.3g} rad away from where it should be; try another q_init, or a goal "
            f"within reach of {len(moving)} joints",
            RunWarning,
        )
    return q


def _turn_rate(turn: Array) -> Array:
    """(3, 3) from an angular velocity, inertial axes, to the rate of the rotation vector `turn`: dexp⁻¹."""
    angle, K = float(np.linalg.norm(turn)), tilde(turn)
    half = 0.5 * angle
    beta = 1.0 / 12.0 if angle < 1e-4 else (1.0 - half / np.tan(half)) / angle**2
    return np.eye(3) - 0.5 * K + beta * (K @ K)
