"""Check the arguments of ready-made laws: joints by name, numbers of the right shape, gains."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...model.joints import plain_kinds
from ...model.model import Model
from ...model.state import State
from ...motion.trajectories import Trajectory, waypoints
from ...quantities.calls import check_state
from ...quantities.freefloating import generalized_inertia
from ...quantities.matrices import mass_matrix
from ...reals import finite_array, one_number

Array = np.ndarray
MEANT = {
    "positions": "values",
    "points": "values",
    "waypoints": "values",
    "q": "target",
    "gains": "kp",
    "ki": "kp",
    "zeta": "damping",
    "omega": "bandwidth",
    "dt": "period",
    "max_torque": "limit",
}
"""What other programs call the arguments of ready-made laws."""


def called(name: str) -> Callable[[Callable], Callable]:
    """Decorator that sets a law's name as shown in runs, films and messages."""

    def rename(function: Callable) -> Callable:
        function.__name__ = name
        return function

    return rename


def check(law: str, model: Model, state: State) -> None:
    """Raise unless the state is a single one of this robot."""
    check_state(model, state)
    if model.shape:
        raise InputError(
            f"{law}: a law has one set of parameters for all robots; give it one model, such as fleet.nominal"
        )
    if state.shape:
        raise InputError(f"{law}: its reference is one state; pick one of the batch of {state.count}")


def numbers(law: str, name: str, value: Any, size: int, *, least: float | None = None) -> Array:
    """(size,) finite numbers; one stands for all."""
    expected = "a finite number" if size == 1 else f"a finite number, or {size} of them"
    if least is not None:
        expected += f", {least:g} or more"
    array = finite_array(f"{law}: {name}", value, expected, [(), (1,), (size,)])
    if least is not None and (array < least).any():
        raise InputError(f"{law}: {name} must be {expected}, got {value!r}")
    return np.broadcast_to(array, (size,)).copy()


def number(law: str, name: str, value: Any, *, least: float | None = None) -> float:
    """One finite number."""
    one = one_number(f"{law}: {name}", value)
    if least is not None and one < least:
        raise InputError(f"{law}: {name} must be a finite number, {least:g} or more, got {value!r}")
    return one


def choice(law: str, name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{law}: {name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return str(value)


def free_base(law: str, model: Model) -> None:
    """Raise unless the base can turn freely."""
    if model.base_kind not in ("free", "attitude"):
        raise InputError(f"{law}: the base of '{model.name}' is {model.base_kind}; it must be able to turn freely")


class Joints:
    """Chosen joints of a robot, and where their coordinates and rates are.

    Parameters
    ----------
    law : str
        For messages.
    model : Model
        The robot.
    names : iterable of str, optional
        All joints that move if left out.
    """

    def __init__(self, law: str, model: Model, names: Iterable[str] | None = None):
        if isinstance(names, str):
            names = [names]
        self.law, self.model = law, model
        movable = [joint.name for joint in model.joints if joint.nv > 0]
        self.names: Sequence[str] = movable if names is None else [model.joint(name).name for name in names]
        self.places: list[int] = []
        rates: list[int] = []
        for name in self.names:
            joint = model.joint(name)
            if not joint.kind_record.plain_coordinates:
                raise InputError(
                    f"{law}: joint '{name}' is {joint.kind}; name the joints that it is to move, joints = [...], of "
                    f"the kinds {', '.join(plain_kinds())}"
                )
            q, qd = model.q_slice(name), model.qd_slice(name)
            self.places += range(q.start, q.stop)
            rates += range(qd.start, qd.stop)
        if not self.places:
            raise InputError(f"{law}: there is no joint to move")
        self.rates = np.array(rates)
        self.table = np.array([self.places, rates], dtype=float)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return len(self.places)

    def values(self, name: str, value: Any, default: Array | None = None) -> Array:
        """(size,) numbers; the default if none are given."""
        if value is None:
            assert default is not None
            return default
        return numbers(self.law, name, value, self.size)

    def path(self, times: Any, values: Any, kind: str = "quintic", stop: bool = False) -> Trajectory:
        """A path through waypoints, one column for each coordinate."""
        path = waypoints(times, values, kind, stop=stop)
        if path.coefficients.shape[1] != self.size:
            raise InputError(
                f"{self.law}: its waypoints have {path.coefficients.shape[1]} columns; {self.size} are needed, for "
                f"{', '.join(self.names)}"
            )
        return path

    def gains(self, state: State, bandwidth: float, damping: float, kp: Any, kd: Any) -> dict[str, Array]:
        """Stiffness and damping (size,): as given, or of an oscillator with the inertia that each joint feels."""
        omega = number(self.law, "bandwidth", bandwidth, least=0.0)
        ratio = number(self.law, "damping", damping, least=0.0)
        floating = self.model.base_dof > 0
        felt = generalized_inertia(self.model, state) if floating else mass_matrix(self.model, state)
        inertia = np.diag(felt)[self.rates]
        return {
            "kp": inertia * omega**2 if kp is None else numbers(self.law, "kp", kp, self.size, least=0.0),
            "kd": inertia * 2.0 * ratio * omega if kd is None else numbers(self.law, "kd", kd, self.size, least=0.0),
        }
