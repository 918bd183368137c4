"""What the package offers to be called, as entries: functions, constructors with their use, methods, simulations."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import spacedyn as sd
from spacedyn.laws.law import LawTemplate

from .arguments import Setting, models, pull, ramp
from .classic_calls import classic_entries
from .entries import REQUIRED, Entry

_LEFT_OUT = {
    "Model",
    "Run",
    "State",
    "Rotation",
    "view",
    "film",
    "verify",
    "load",
    "check_file",
    "read_mimics",
    "Scenario",
}
"""Names of the package that open files or windows, or take minutes; methods of some come below."""
_LEFT_OUT |= {
    "Linearization",
    "Attitude",
    "Reduced",
    "Equations",
    "PartialVelocities",
    "BaseRates",
    "Smoothed",
}  # results
_LEFT_OUT |= {"Visual", "Mimic", "Builder", "law"}  # they come below, with what uses them
_NEVER = {"view", "progress", "stream", "path", "folder", "folders", "mesh"}
"""Parameters that are not given: what they would do is no matter of their value."""


def _entry(name: str, function: Any, **more: Any) -> Entry:
    """An entry of a function that is the same for every setting."""
    return Entry(name, lambda setting: function, _parameters(function), **more)


def _parameters(function: Any) -> tuple[tuple[str, Any], ...]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(function).parameters.values()
    return tuple((p.name, p.default) for p in found if p.kind not in kinds and p.name not in _NEVER)


def _functions(prefix: str, module: Any, names: Iterable[str]) -> Iterator[Entry]:
    for name in names:
        function = getattr(module, name)
        plain = inspect.isfunction(function) or inspect.isclass(function)
        if name in _LEFT_OUT or not plain or (inspect.isclass(function) and issubclass(function, Exception | Warning)):
            continue
        yield _entry(f"{prefix}{name}", function)


def _method(name: str, of: Callable[[Setting], Any], /, *parameters: str, **wanted: str) -> Entry:
    """A method of an object, with parameters that are all needed."""
    attribute = name.rpartition(".")[2]
    given = tuple((parameter, REQUIRED) for parameter in (*parameters, *wanted))
    return Entry(name, lambda c: getattr(of(c), attribute), given, wanted=tuple(wanted.items()))


def _state_parts(*parts: str) -> Iterator[Entry]:
    for part in parts:
        key = {"q": "state_q", "qd": "state_qd"}.get(part, part)
        yield _method("Model.state", lambda c: c.model, **{part: key})
        yield _method("State.replace", lambda c: c.state, **{part: key})


def _built(setting: Setting) -> Callable[..., Any]:
    """A Builder's link, built."""

    def link(**options: Any) -> sd.Model:
        b = sd.Builder("fuzz")
        b.base("bus", mass=20.0, inertia=(2, 3, 4))
        b.link("arm", **{"parent": "bus", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), **options})
        return b.build()

    return link


def _used(name: str, function: Any, use: Callable[[Any], Any]) -> Entry:
    """A function whose arguments are checked where its result is used."""
    return Entry(name, lambda setting: lambda **given: use(function(**given)), _parameters(function))


def _with_shape(shape: Any) -> sd.Model:
    b = sd.Builder("fuzz")
    b.base("bus", shapes=[sd.shapes.box(1.0, (1, 1, 1)), shape])
    return b.build()


def _with_visual(visual: Any) -> sd.Model:
    b = sd.Builder("fuzz")
    b.base("bus", mass=20.0, inertia=(2, 3, 4), visuals=[visual])
    return b.build()


def _with_mimic(mimic: Any) -> Any:
    return sd.mimic_coupling(models()[0], [mimic])


def _with_function(template: Any) -> Any:
    made = template if isinstance(template, LawTemplate) else template(lambda t, s, p, out: None)
    return made()


def _with_base(builder: Any) -> sd.Model:
    builder.base("bus", mass=20.0, inertia=(2, 3, 4))
    return builder.build()


_SHAPES = ("box", "cone", "cylinder", "point", "rod", "sphere", "tube")
_LINK = ("mass", "inertia", "com", "shapes", "position", "rotation", "axis", "stiffness", "damping", "friction")
_LINK += ("lower", "upper", "rotor_inertia", "gear", "rest", "parent", "joint", "pitch", "max_force")


def public_entries() -> list[Entry]:
    """Functions, classes and methods that only compute."""
    modules = {"control.": sd.control, "operators.": sd.operators, "kane.": sd.kane, "lagrangian.": sd.lagrangian}
    found = list(_functions("", sd, (name for name in sd.__all__ if name not in ("simulate", "linearize"))))
    for prefix, module in modules.items():
        found += _functions(
            prefix, module, (n for n in module.__all__ if n not in ("UserFile", "from_file", "Operator"))
        )
    found += [_used(f"shapes.{name}", getattr(sd.shapes, name), _with_shape) for name in _SHAPES]
    found += [
        _entry("shapes.combine", sd.shapes.combine),
        _used("Visual", sd.Visual, _with_visual),
        _used("law of a function", sd.law, _with_function),
        _used("Mimic", sd.Mimic, _with_mimic),
        _used("Builder", sd.Builder, _with_base),
    ]
    found += _state_parts("q", "qd", "base_position", "base_frame_position", "base_velocity", "base_rate")
    found += _state_parts("base_attitude", "base_quaternion_xyzw")
    found += [
        _method("State.integrate", lambda c: c.state, "step"),
        _method("State.difference", lambda c: c.state, other="other_state"),
        _method("State.__getitem__", lambda c: c.state, index="index"),
        _method("State.neutral", lambda c: partial_state(c, "neutral"), size="index"),
        _method("Model.random_state", lambda c: c.model, "rng", size="index"),
        _method("Model.lock", lambda c: c.model, "joints"),
        _method("Model.subtree", lambda c: c.model, "body", "base_kind"),
        _method("Model.attach", lambda c: c.model, "at", other="model"),
        *(_method(f"Model.{what}", lambda c: c.model, name=what) for what in ("body", "joint", "endpoint")),
        _method("Model.q_slice", lambda c: c.model, "joint"),
        *(Entry("Builder.link", _built, ((option, REQUIRED),)) for option in _LINK),
        Entry("law", lambda c: pull, (("force", REQUIRED),)),
        Entry("motion", lambda c: ramp, (("speed", REQUIRED),)),
        *classic_entries(),
    ]
    return found


def partial_state(setting: Setting, name: str) -> Any:
    """A class method of State with the model given."""

    class Of:
        neutral = staticmethod(partial(sd.State.neutral, setting.model))

    return Of


_SIMULATION = (
    "laws",
    "method",
    "record",
    "gravity",
    "modes",
    "adjust",
    "limits",
    "forces",
    "events",
    "start",
    "budget",
)


def simulations() -> list[Entry]:
    """Calls that run: short ones; a duration is spoiled by type only, since a long one is no fault."""

    def run(setting: Setting) -> Callable[..., Any]:
        return partial(sd.simulate, progress=False)

    def linearized(setting: Setting) -> Callable[..., Any]:
        return sd.linearize

    always = (("model", REQUIRED), ("state", REQUIRED), ("duration", REQUIRED))
    motions = {"forces": "springs", "prescribed": "motions"}
    found = [
        Entry("simulate", run, (*always, (name, None), (other, None)), frozenset({name}), tuple(motions.items()))
        for name in (*_SIMULATION, "prescribed", "channels")
        for other in ("method", "record")
        if other != name
    ]
    return [*found, Entry("linearize", linearized, (*_parameters(sd.linearize),), wanted=tuple(motions.items()))]
