"""Users' elements: plain Python functions with the same capabilities as built-in elements.

@sd.element(states={"bend": "rad"}, channels={"friction": "N m"}, accounts=("stored", "dissipated"), joints=("axle",))
def bristles(t, s, p, out):
    v, z = s.axle.qd[0], s.bend[0]
    rate = v - p.stiffness * abs(v) / p.coulomb * z
    out.bend[0] = rate
    out.axle.tau[0] = -p.stiffness * z
    out.friction[0] = p.stiffness * z
    out.stored[0] = 0.5 * p.stiffness * z * z
    out.dissipated[0] = p.stiffness * z * (v - rate)

run = sd.simulate(robot, state, 5.0, elements=[bristles(axle="joint2", stiffness=1e4, coulomb=1.0)])
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from ..errors import InputError, nearest
from ..laws.bytecode import Template
from ..laws.law import Law, LawTemplate
from ..reals import one_number
from ..signatures import check_names, known_names
from .declared import Declared, declare
from .program import ElementFunction, UserElement


@dataclass(frozen=True)
class _ElementFunctionTemplate(LawTemplate):
    """Its parameters are checked as those of laws are."""

    @property
    def made(self) -> type[Law]:
        """The class that a call makes."""
        return ElementFunction


@dataclass(frozen=True)
class ElementTemplate(Template):
    """A user's element without its parameters; call it with them to get an element."""

    function: Callable
    declared: Declared

    def __post_init__(self) -> None:
        _ElementFunctionTemplate(self.function)  # raises if it is no function
        whose, reads = f"element '{self.function.__name__}'", _ElementFunctionTemplate(self.function).reads
        for one in self.declared.breaks if reads is not None else ():
            if one not in (known := sorted(reads or ())):
                raise InputError(
                    f"{whose}: breaks are parameters that it reads; p.{one} is none: {nearest(one, known)}"
                )

    def __repr__(self) -> str:
        return f"<element {self.function.__name__}, not yet called with its parameters>"

    def __call__(self, *, name: str | None = None, **given: Any) -> "UserElement":
        """The element: its joints and points by the names it calls them, its parameters, and a name for laws."""
        d, title = self.declared, self.function.__name__
        missing = [one for one in (*d.joints, *d.points) if one not in given]
        if missing:
            raise InputError(f"element '{title}': give its {missing[0]}, such as {title}({missing[0]}='...')")
        bound = {one: given.pop(one) for one in (*d.joints, *d.points)}
        for one in ("delay",) if d.samples else ("period", "delay"):
            if one in given:
                raise InputError(
                    f"element '{title}' has no {one}: what acts at instants only is a law, what is measured then is "
                    "among an element's samples"
                )
        template = _ElementFunctionTemplate(self.function)
        period = given.get("period")
        if template.reads is not None:
            known = sorted({*template.reads, *(("period",) if d.samples else ())})
            check_names(f"parameter of element '{title}'", given, [*known, *d.joints, *d.points, "name"])
        if d.samples and "period" not in (template.reads or ()):
            given.pop("period", None)
        program = template(**given)
        if d.samples and not d.guards and period is None:
            raise InputError(
                f"element '{title}' has samples, and neither a period nor guards: they would never change; give a "
                f"period [s], such as {title}(..., period=0.1)"
            )
        assert isinstance(program, ElementFunction)
        if period is not None:
            often = one_number(f"element '{title}': period", period, "a time [s]")
            if not often > 0.0:
                raise InputError(f"element '{title}': period must be a positive time [s], got {often}")
            program = replace(program, parameters=program.parameters | {"period": np.array(often)})
        made = UserElement(program, d, bound, title if name is None else name)
        made.check_written()
        return made


@overload
def element(function: Callable, /) -> ElementTemplate: ...
@overload
def element(
    *,
    states: Any = (),
    samples: Any = (),
    commands: Any = (),
    channels: Any = (),
    guards: int = 0,
    accounts: Sequence[str] = (),
    joints: Sequence[str] = (),
    points: Sequence[str] = (),
    breaks: Sequence[str] = (),
    rows: int = 0,
    nonholonomic: int = 0,
) -> Callable[[Callable], ElementTemplate]: ...
@known_names
def element(
    function: Callable | None = None,
    /,
    *,
    states: Any = (),
    samples: Any = (),
    commands: Any = (),
    channels: Any = (),
    guards: int = 0,
    accounts: Sequence[str] = (),
    joints: Sequence[str] = (),
    points: Sequence[str] = (),
    breaks: Sequence[str] = (),
    rows: int = 0,
    nonholonomic: int = 0,
) -> ElementTemplate | Callable[[Callable], ElementTemplate]:
    """Make an element of a function f(t, s, p, out): something that acts on the robot, with what it declares.

    Parameters
    ----------
    function : callable
        Reads the time `t` [s], the robot and what is its own in `s`, its parameters `p`; writes to `out`. `s` has what
        laws see but modes, and its states, samples, commands, `side` of its guards, `s.<joint>.q` and `.qd`,
        `s.<point>.position`, `.rotation` (3, 3), `.velocity`, `.rate`, all in inertial axes. `out` has `tau` (of all
        joints), rates of its states, its samples, channels, accounts, `guard`, `out.<joint>.tau`,
        `out.<point>.force` and `.moment`. All are arrays.
    states, samples, commands, channels : {name: unit, size, (size, unit) or Block}
        What is integrated with the robot; what changes at instants only; what laws may write as
        `out.<element>.<name>`; what is recorded, and what laws may read as `s.<element>.<name>`. Samples are taken
        every `period` seconds from the start on, if it is made with a period, and where a guard of its own changes its
        side: `s.<name>` is what it holds, `out.<name>` what it is to hold from then on. At other times what is written
        there counts for nothing.
    guards : int
        Numbers that it writes to `out.guard`: a step ends where one passes through zero. `s.side`, 1 or -1, says on
        which side each is; branch by it, not by the number, so that nothing jumps within a step.
    accounts : of 'work', 'dissipated', 'stored'
        What it enters in the ledger: power that it adds, power that is lost [W], energy that it holds [J]. Left out,
        its work is that of its pushes.
    joints, points : names
        What it calls the joints and points that it is bound to when it is made: a joint by its name, a point by that of
        an endpoint, or of a body, which is the origin of its frame, or as (body, place in that frame).
    breaks : names
        Parameters that are times [s], one or several each, at which the function jumps, as by `t < p.stop`. A step ends
        at each of them; up to there the function sees times before it, from there on times at or after it.
    rows, nonholonomic : int
        Constraint rows, each with a number that must stay zero, `out.residual`; how many of them, the last ones, are
        conditions on velocities alone, without a residual. Of row j: what changes it are `out.<point>.row_force[j]` (by
        the point's velocity), `out.<point>.row_moment[j]` (by its rate), `out.<joint>.row[j]` (by the joint's rate) and
        `out.drift[j]` (by time alone). A unit of its multiplier pushes just so. `out.bias[j]` is what of its second
        rate comes from how these change in time, each times its velocity. Its multiplier is recorded. Two points are
        on two bodies, which are pushed equally and oppositely; one is pushed from outside. What is wrong with
        derivatives is said where a run starts.

    Returns
    -------
    ElementTemplate
        Call it with joints, points, parameters, and a name.

    Examples
    --------
    >>> import spacedyn as sd
    >>> @sd.element(points=("tip",))
    ... def breeze(t, s, p, out):
    ...     for i in range(3):
    ...         out.tip.force[i] = p.wind[i] - p.drag * s.tip.velocity[i]
    >>> robot = sd.load("ets7")
    >>> wind = breeze(tip=robot.body_names[0], wind=[0.1, 0, 0], drag=0.5)
    >>> run = sd.simulate(robot, robot.neutral_state(), 10.0, elements=[wind])
    >>> bool(run.audit().energy < 1e-9), bool(run["impulse"][-1, 0] > 0.9)
    (True, True)
    """
    whose = "element" if function is None else f"element '{getattr(function, '__name__', function)}'"
    made = declare(
        whose,
        states=states,
        samples=samples,
        commands=commands,
        channels=channels,
        guards=guards,
        accounts=accounts,
        joints=joints,
        points=points,
        breaks=breaks,
        rows=rows,
        nonholonomic=nonholonomic,
    )
    return (lambda f: ElementTemplate(f, made)) if function is None else ElementTemplate(function, made)
