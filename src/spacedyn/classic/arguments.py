"""The arguments of a classic function, plain (v1) or as LP and SV (v2): checked, and the core's state made of them.

Plain arguments name the robot's links twice: by A0 and q, and by AA and RR that were computed from them. Here the core
computes from the former, and the latter must agree; where only AA and RR are given, coordinates are found from them.
"""

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..model.rotations import rotation_xyz
from ..model.state import State
from ..quantities.kinematics import forward_kinematics
from .parameters import LinkParameters
from .shapes import Array, block, direction_cosines, table, vector, whole_numbers
from .surroundings import robot
from .variables import StateVariables

THREES = ("R0", "v0", "w0", "vd0", "wd0", "F0", "T0", "POS")
JOINTS = ("q", "qd", "qdd", "tau", "q_init")
TABLES = ("RR", "vv", "ww", "Fe", "Te")
AGREEMENT = 1e-6
"""How far links may be from where the other arguments put them [m, or of a direction cosine]."""


class Call:
    """One call: its arguments by name, whichever style they came in."""

    def __init__(self, function: str, arguments: tuple[Any, ...], plain: str, objects: str = ""):
        """`plain` and `objects`: names of the arguments of v1, and of those that follow LP and SV in v2."""
        self.function = function
        styles = f"{function}({plain.replace(' ', ', ')}) or {function}({', '.join(['LP', 'SV', *objects.split()])})"
        self.SV: StateVariables | None = None
        if arguments and isinstance(arguments[0], LinkParameters):
            self.LP, names = arguments[0], ["LP", "SV", *objects.split()]
            if len(arguments) > 1 and not isinstance(arguments[1], StateVariables):
                what = type(arguments[1]).__name__
                raise InputError(f"{function}: after LP comes an SV, made by init_SV(LP); got {what}")
            self.SV = arguments[1] if len(arguments) > 1 else None
        else:
            names = plain.split()
            if any(isinstance(argument, StateVariables) for argument in arguments):
                raise InputError(f"{function}: an SV comes after its LP; call {styles}")
        if len(arguments) != len(names):
            raise InputError(f"{function}: {len(arguments)} arguments; call {styles}")
        if self.SV is None:
            self.LP = robot(function)
        self.given = dict(zip(names, arguments, strict=True))

    def has(self, name: str) -> bool:
        """Whether it was given on its own: not as part of an SV."""
        return name in self.given

    def __getitem__(self, name: str) -> Any:
        """An argument, checked, out of the SV if it is not one on its own."""
        value = self.given[name] if name in self.given else getattr(self.SV, name)
        n = self.LP.num_q
        if name in THREES:
            return vector(name, value, 3)
        if name in JOINTS:
            return vector(name, value, n)
        if name in TABLES:
            return table(name, value, n, "a column for each link")
        if name == "AA":
            return table(name, value, 3 * n, "three columns for each link")
        if name in ("A0", "ORI"):
            return direction_cosines(name, value)
        if name == "joints":
            return whole_numbers(name, value, n, "joint")
        return value

    def many(self, *names: str) -> list[Any]:
        """Several arguments."""
        return [self[name] for name in names]

    # --- states ------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """The state: from A0 and q with what else there is; or from A0 and AA; or a batch of one for each arm."""
        if self.SV is not None:
            return _state(self.LP, *self.many("R0", "A0", "v0", "w0", "q", "qd"))
        parts: dict[str, Any] = {name: self[name] for name in ("R0", "v0", "w0", "qd") if self.has(name)}
        AA, RR = (self[name] if self.has(name) else None for name in ("AA", "RR"))
        A0 = self["A0"] if self.has("A0") else None
        if AA is not None and (A0 is None or not self.has("q")):  # links are turned as AA says
            for i in range(1, self.LP.num_q + 1):
                direction_cosines(f"AA of link {i}", block(AA, i))
        q = self["q"] if self.has("q") else _coordinates(self.LP, AA, RR, parts.get("R0"), A0)
        if A0 is not None:
            state = _state(self.LP, parts.get("R0"), A0, parts.get("v0"), parts.get("w0"), q, parts.get("qd"))
        else:
            state = _state_of_each_arm(self.LP, AA, RR, q)
        if AA is not None or RR is not None:
            self._check_places(state, AA, RR)
        return state

    def of_link(self, array: Array, i: int) -> Array:
        """Out of an array over the states, what belongs to link i, counted from 1."""
        return array if self.SV is not None or self.has("A0") else array[self.LP.chain(i)[0] - 1]

    def _check_places(self, state: State, AA: Array | None, RR: Array | None) -> None:
        """Raise where links are not where AA and RR say."""
        made_by = {"AA": "calc_aa(A0, q)", "RR": "calc_pos(R0, A0, AA, q)"}
        centroids = forward_kinematics(self.LP.model, state).centroids
        for i in range(1, self.LP.num_q + 1):
            rotation = self.of_link(centroids.rotation, i)[i]
            position = self.of_link(centroids.position, i)[i]
            for name, given, found, scale in (
                ("AA", None if AA is None else block(AA, i), rotation, 1.0),
                ("RR", None if RR is None else RR[:, i - 1], position, 1.0 + float(np.abs(position).max())),
            ):
                if given is not None and np.abs(given - found).max() > AGREEMENT * scale:
                    raise InputError(
                        f"{self.function}: {name} does not fit the other arguments and the robot at link {i}, by "
                        f"{np.abs(given - found).max():.1e}; compute it by {made_by[name]}, and mind that links are "
                        f"columns"
                    )


def _state(
    LP: LinkParameters, R0: Any, A0: Array, v0: Any = None, w0: Any = None, q: Any = None, qd: Any = None
) -> State:
    n = LP.num_q
    data = np.zeros(13 + 2 * n)
    data[3:7] = Rotation.from_matrix(A0).as_quat()
    places = (slice(0, 3), slice(7, 7 + n), slice(7 + n, 10 + n), slice(10 + n, 13 + n), slice(13 + n, None))
    for place, part in zip(places, (R0, q, v0, w0, qd), strict=True):
        if part is not None:
            data[place] = part
    return State(LP.model, data)


def _state_of_each_arm(LP: LinkParameters, AA: Any, RR: Array | None, q: Array) -> State:
    """A batch over all links: where a link is on the base, the base is put so that its arm is where AA and RR say.

    A robot's arms need not agree about the base then; what is asked of an arm does not depend on it.
    """
    n = LP.num_q
    data = np.zeros((n, 13 + 2 * n))
    data[:, 7 : 7 + n] = q
    data[:, 6] = 1.0
    for r in range(1, n + 1):
        if LP.BB[r - 1] != 0:
            continue
        turns = LP.J_type[r - 1] == "R"
        A_r, own = block(AA, r), LP.cc[:, r - 1, r - 1]
        A0 = A_r @ rotation_xyz(LP.Qi[:, r - 1] + [0.0, 0.0, q[r - 1] if turns else 0.0]).T
        data[r - 1, 3:7] = Rotation.from_matrix(A0).as_quat()
        if RR is not None:
            slid = np.array([0.0, 0.0, 0.0 if turns else q[r - 1]])
            data[r - 1, :3] = RR[:, r - 1] + A_r @ (own - slid) - A0 @ LP.c0[:, r - 1]
    return State(LP.model, data)


def _coordinates(LP: LinkParameters, AA: Any, RR: Array | None, R0: Any, A0: Any) -> Array:
    """Joint coordinates (n,) that lead from one link's place to the next; zero where that does not tell."""
    q = np.zeros(LP.num_q)
    for i in range(1, LP.num_q + 1):
        B = int(LP.BB[i - 1])
        A_B, r_B, c_B = (A0, R0, LP.c0) if B == 0 else (block(AA, B), None, LP.cc[:, B - 1])
        if A_B is None:
            continue  # on a base that is not given: any will do
        frame, A_i = A_B @ rotation_xyz(LP.Qi[:, i - 1]), block(AA, i)
        if LP.J_type[i - 1] == "R":
            turn = frame.T @ A_i
            q[i - 1] = math.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
        elif RR is not None:
            origin = r_B if B == 0 else RR[:, B - 1]
            way = RR[:, i - 1] - origin - A_B @ c_B[:, i - 1]
            q[i - 1] = A_i[:, 2] @ way + LP.cc[2, i - 1, i - 1]
    return q
