"""SV: the state of a robot as SpaceDyn's functions of version 2 pass it on."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import InputError, UnknownName
from .parameters import LinkParameters
from .shapes import Array


@dataclass(eq=False, repr=False)
class StateVariables:
    """SpaceDyn's SV: positions, rates, accelerations, loads and results of one robot. Made by `init_SV`.

    Its fields may be assigned, ``SV.q = [...]``, and changed in place; shapes are checked where they are used. A
    function returns a new SV and leaves the one it was given as it was. All vectors are in inertial axes.
    """

    R0: Array  # (3,) centre of mass of the base [m]
    Q0: Array  # (3,) roll, pitch, yaw of the base [rad]; functions read A0, not this
    A0: Array  # (3, 3) attitude of the base, its axes as columns
    v0: Array  # (3,) velocity of the base's centre of mass [m/s]
    w0: Array  # (3,) angular velocity of the base [rad/s]
    vd0: Array  # (3,) their accelerations
    wd0: Array  # (3,)
    q: Array  # (n,) joint coordinates [rad, m]
    qd: Array  # (n,)
    qdd: Array  # (n,)
    F0: Array  # (3,) force on the base at its centre of mass [N]
    T0: Array  # (3,) moment on the base [N m]
    Fe: Array  # (3, n) forces on the endpoints of links [N]
    Te: Array  # (3, n) moments on the endpoints of links [N m]
    tau: Array  # (n,) joint forces [N m, N]
    AA: Array  # (3, 3 n) attitudes of links, by calc_aa
    RR: Array  # (3, n) centres of mass of links [m], by calc_pos
    vv: Array  # (3, n) velocities of those, by calc_vel
    ww: Array  # (3, n) angular velocities of links, by calc_vel
    vd: Array  # (3, n) accelerations, by calc_acc
    wd: Array  # (3, n)
    Force10: Array  # (6 + n,) velocity terms and gravity, by f_dyn_f0

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _NAMES:
            raise UnknownName("field of SV", name, _NAMES)
        object.__setattr__(self, name, value)

    def copy(self, **changes: Any) -> "StateVariables":
        """Another SV with copies of the arrays, some of them changed."""
        return StateVariables(**{name: _copied(name, changes.get(name, getattr(self, name))) for name in _NAMES})

    def __repr__(self) -> str:
        return f"<SV: {np.size(self.q)} joints, base at {np.asarray(self.R0).ravel().tolist()}>"


def _copied(name: str, value: Any) -> Array:
    try:
        return np.array(value)
    except ValueError:
        raise InputError(f"SV.{name}: expected numbers, got rows of different lengths") from None


_NAMES = tuple(field.name for field in fields(StateVariables))


def init_SV(LP: LinkParameters) -> StateVariables:
    """An SV at the simulation, unturned, at rest and without loads.

    Examples
    --------
    >>> import spacedyn as sd
    >>> SV = init_SV(LinkParameters.from_model(sd.load("two_arm_sample")))
    >>> SV.q.shape, SV.Fe.shape, SV.AA.shape
    ((6,), (3, 6), (3, 18))
    """
    if not isinstance(LP, LinkParameters):
        raise InputError(f"init_SV: expected a LinkParameters, got {type(LP).__name__}")
    n = LP.num_q
    threes = dict.fromkeys(("R0", "Q0", "v0", "w0", "vd0", "wd0", "F0", "T0"), (3,))
    joints = dict.fromkeys(("q", "qd", "qdd", "tau"), (n,))
    links = dict.fromkeys(("Fe", "Te", "RR", "vv", "ww", "vd", "wd"), (3, n))
    shapes: dict[str, tuple[int, ...]] = {**threes, **joints, **links, "AA": (3, 3 * n), "Force10": (6 + n,)}
    return StateVariables(A0=np.eye(3), **{name: np.zeros(shape) for name, shape in shapes.items()})
