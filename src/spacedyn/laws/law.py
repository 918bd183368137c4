"""Control laws: ordinary Python functions that are compiled into the simulation loop.

    @sd.law
    def hold(t, s, p, out):
        for i in range(s.q.size):
            out.tau[i] = p.kp * (p.target[i] - s.q[i]) - p.kd * s.qd[i]

    run = sd.simulate(robot, state, 10.0, laws=[hold(kp=50.0, kd=5.0, target=goal)])

`t` is the time, `s` what the law sees, `p` its parameters, `out` what it commands; all are arrays of one robot.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import CodeType
from typing import Any, ClassVar, overload

import numpy as np

from ..errors import InputError, nearest
from ..motion.trajectories import packed
from ..reals import NotReal, finite_array, one_number, real_array, type_name
from ..signatures import check_names, known_names
from .bytecode import Role, Template, attributes, check_replaced, steps_of, used

SEEN = {
    "base_position": 0,
    "base_quaternion_xyzw": 0,
    "q": 0,
    "base_velocity": 0,
    "base_rate": 0,
    "qd": 0,
    "com": 0,
    "linear_momentum": 0,
    "angular_momentum": 0,
    "mode": 0,
    "endpoints": 18,
}
"""What a law sees of the robot, and how many columns it has; 0: it is flat. `endpoints`: a row each, position (3),
rotation (9, row by row), velocity (6: linear, angular). Momentum: angular about the centre of mass. All in inertial
axes. `mode`: of each joint, `sd.Mode.FREE`, `.LOCKED` or `.PRESCRIBED`."""

WRITTEN = {"tau": 0, "base_wrench": 0, "endpoint_wrenches": 6, "mode": 0}
"""What a law commands, zero before each call: joint forces, wrench on the base at its centre of mass, wrenches on the
robot at its endpoints; inertial axes; modes of joints, where zero is no command."""


def memory(what: str) -> str:
    """Where a law, an element, ... keeps what it must remember."""
    if what == "element":
        return "an element's memory are its states and samples: @sd.element(samples={'count': 1})"
    return "a law's memory are its states: @law(states={'count': 1})"


LAW = Role("law", ("t", "s", "p", "out"), WRITTEN)


@dataclass(frozen=True)
class LawTemplate(Template):
    """A law without its parameters; call it with them to get a `Law`."""

    function: Callable
    period: float | None = None
    delay: float = 0.0
    states: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(getattr(self.function, "__code__", None), CodeType):
            raise InputError(f"{self.made.role.what}: expected a function, made by def, got {type_name(self.function)}")

    def __call__(self, *, period: float | None = None, delay: float | None = None, **parameters: Any) -> "Law":
        """The law with parameters: numbers, arrays of up to two dimensions, or tables (waypoints, splines of SciPy)."""
        whose = f"{self.made.role.what} '{self.function.__name__}'"
        if self.reads is not None:
            check_names(f"parameter of {whose}", parameters, sorted(self.reads))
        return self.made(
            self.function,
            {name: _parameter(whose, name, value) for name, value in parameters.items()},
            self.period if period is None else one_number(f"{whose}: period", period),
            self.delay if delay is None else one_number(f"{whose}: delay", delay),
            dict(self.states),
        )

    @property
    def reads(self) -> frozenset[str] | None:
        """Names of the parameters that it reads; None if it hands them on whole."""
        role = self.made.role
        place = role.arguments.index("p") if "p" in role.arguments else None
        names = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
        if place is None or place >= len(names):
            return frozenset()
        found, whole = used(self.function.__code__, names[place])
        return None if whole else found

    @property
    def made(self) -> "type[Law]":
        """The class of what a call returns."""
        return Law


@dataclass(frozen=True, eq=False)
class Law:
    """A law with its parameters, ready to be simulated.

    Attributes
    ----------
    function : callable
        f(t, s, p, out).
    parameters : dict of arrays
        What `p` holds.
    period : float or None
        Time between samples [s]; None: continuous, evaluated at every stage of every step.
    delay : float
        From a sample to its effect [s].
    states : dict of int
        Names and sizes of its internal states, in `s` and `out` under their names. A continuous law writes their rates,
        a sampled one their new values.
    initial : dict of arrays
        Where the states start; zero if left out.
    """

    function: Callable
    parameters: dict[str, np.ndarray]
    period: float | None
    delay: float
    states: dict[str, int]
    initial: dict[str, np.ndarray] = field(default_factory=dict)
    role: ClassVar[Role] = LAW

    def __post_init__(self) -> None:
        if self.period is not None and not one_number(f"law '{self.name}': period", self.period) > 0.0:
            raise InputError(f"law '{self.name}': its period must be a positive time [s], got {self.period}")
        if not one_number(f"law '{self.name}': delay", self.delay) >= 0.0:
            raise InputError(f"law '{self.name}': its delay must be zero or a positive time [s], got {self.delay}")
        if self.delay > 0.0 and self.period is None:
            raise InputError(f"law '{self.name}': only a sampled law can have a delay; give it a period")
        written = attributes(self.function, self.role, "out", None) & set(self.role.written)
        if self.period is None and "mode" in written:
            raise InputError(
                f"law '{self.name}' commands modes of joints, which only a sampled law can; give it a period. What "
                "must happen at the very instant of a condition is an event: "
                "Event(condition, action=sd.actions.lock(...))"
            )
        self._check_code()
        first = next(iter(self.role.written))
        if self.role is not LAW and not attributes(self.function, self.role, "out", set(self.role.written)):
            raise InputError(f"{self.role.what} '{self.name}' writes nothing; write to `out`: out.{first}[0] = ...")
        for name, size in self.states.items():
            if (
                not (isinstance(name, str) and name.isidentifier())
                or not isinstance(size, int | np.integer)
                or size < 1
            ):
                raise InputError(
                    f"law '{self.name}': states are {{name: how many numbers}}, such as {{'integral': 6}}, got "
                    f"{{{name!r}: {size!r}}}"
                )

    def _check_code(self) -> None:
        """Raise if it writes its commands in a way that has no effect."""
        whose, known = f"{self.role.what} '{self.name}'", {*self.role.written, *self.states}
        check_replaced(whose, self.function, {name: f"out.{name}" for name in known})
        for before, step in pairwise(steps_of(self.function.__code__)):
            if step.opname == "STORE_ATTR" and step.argval in self.parameters:
                raise InputError(
                    f"{whose} changes its parameter '{step.argval}', which is read-only; {memory(self.role.what)}"
                )
            nothing = before.opname == "LOAD_CONST" and before.argval is None
            gives = step.opname == "RETURN_CONST" and step.argval is not None
            if gives or (step.opname == "RETURN_VALUE" and not nothing):
                first = next(iter(self.role.written))
                raise InputError(f"{whose} returns a value, which is not used; write to `out`: out.{first}[...] = ...")

    @property
    def name(self) -> str:
        """Name of its function."""
        return self.function.__name__

    @property
    def state_size(self) -> int:
        """Number of its internal states."""
        return sum(self.states.values())

    def starting(self, **states: Any) -> "Law":
        """The same law with internal states that do not start at zero."""
        for name in states:
            if name not in self.states:
                raise InputError(f"law '{self.name}' has no state '{name}'; {nearest(name, list(self.states))}")
        initial = {}
        for name, value in states.items():
            size = self.states[name]
            expected = f"a finite number, or {size} of them"
            array = finite_array(f"law '{self.name}': state '{name}'", value, expected, [(), (1,), (size,)])
            initial[name] = np.broadcast_to(array, (size,)).copy()
        return Law(self.function, self.parameters, self.period, self.delay, self.states, {**self.initial, **initial})

    def initial_states(self) -> np.ndarray:
        """(state_size,) where its states start."""
        parts = [self.initial.get(name, np.zeros(size)) for name, size in self.states.items()]
        return np.concatenate(parts) if parts else np.empty(0)

    @property
    def switches(self) -> bool:
        """Whether it reads or commands modes of joints."""
        whole = set() if self.period is None else {"mode"}  # what is handed on whole may be used
        return any(
            "mode" in attributes(self.function, self.role, argument, None)
            or "mode" in attributes(self.function, self.role, argument, whole)
            for argument in ("s", "out")
        )

    def sees(self) -> set[str]:
        """Names that it reads of `s`."""
        return attributes(self.function, self.role, "s", {*SEEN, *self.states})

    def writes(self) -> set[str]:
        """Names that it writes of `out`."""
        return attributes(self.function, self.role, "out", {*WRITTEN, *self.states})


@overload
def law(
    function: Callable, *, period: float | None = None, delay: float = 0.0, states: Mapping[str, int] | None = None
) -> LawTemplate: ...
@overload
def law(
    function: None = None, *, period: float | None = None, delay: float = 0.0, states: Mapping[str, int] | None = None
) -> Callable[[Callable], LawTemplate]: ...
@known_names
def law(
    function: Callable | None = None,
    *,
    period: float | None = None,
    delay: float = 0.0,
    states: Mapping[str, int] | None = None,
) -> LawTemplate | Callable[[Callable], LawTemplate]:
    """Make a control law of a function f(t, s, p, out); it is compiled when it is first simulated.

    Parameters
    ----------
    function : callable
        Reads the time `t` [s], the robot `s` and parameters `p`, and writes commands to `out`. `s` has base_position,
        base_quaternion_xyzw, q, base_velocity, base_rate, qd, com, linear_momentum, angular_momentum, endpoints, mode
        and the law's own states; `out` has tau, base_wrench, endpoint_wrenches and the states, and, if the law is
        sampled, mode: one of `sd.Mode` for each joint that is to be so from now on. Parameters are floats: write
        `int(p.n)` for an index; tables are read by `sample(p.table, t, column)`. `s` and `p` are read-only.
        Functions that it calls must be marked by `numba.njit`; they are compiled anew for laws. Indices are checked,
        in these functions too: one out of bounds, or a `raise`, ends the simulation with the law's name. Write loops:
        they compile in a fraction of the time that whole-array expressions take.
    period : float, optional
        Time between samples [s]; the command is held between them. Continuous if left out.
    delay : float
        From a sample to its effect [s].
    states : {name: size}
        Internal states: filters, integrators, estimates. A sampled law writes their new values, a continuous one their
        rates; they start at zero, or as `law(...).starting(name=values)` says.

    Returns
    -------
    LawTemplate
        Call it with the law's parameters.

    Examples
    --------
    >>> import spacedyn as sd
    >>> @sd.law(period=0.01)
    ... def damp(t, s, p, out):
    ...     for i in range(s.qd.size):
    ...         out.tau[i] = -p.kd * s.qd[i]
    >>> damp(kd=2.0).period
    0.01
    """
    kept = {} if states is None else states
    if not isinstance(kept, Mapping):
        raise InputError(f"law: states are {{name: how many numbers}}, such as {{'integral': 6}}, got {states!r}")
    if function is None:
        return lambda f: LawTemplate(f, period, delay, dict(kept))
    return LawTemplate(function, period, delay, dict(kept))


def _parameter(whose: str, name: str, value: Any) -> np.ndarray:
    table = packed(value)
    try:
        array = real_array(value, truth=True) if table is None else table
    except NotReal as reason:
        raise InputError(f"{whose}: parameter '{name}' must be real numbers, got {reason}") from None
    if array.ndim > 2:
        raise InputError(f"{whose}: parameter '{name}' has {array.ndim} dimensions; at most two can be passed")
    if not np.isfinite(array).all():
        raise InputError(f"{whose}: parameter '{name}' holds a number that is not finite")
    return array.astype(float)
