"""Methods of robots, states, runs and builders, as entries."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import spacedyn as sd

from .arguments import Setting
from .entries import REQUIRED, Entry
from .robots import models, short_runs


def _method(name: str, of: Callable[[Setting], Any], /, *parameters: str, **wanted: str) -> Entry:
    """A method of an object, with parameters that are all needed."""
    attribute = name.rpartition(".")[2]
    given = tuple((parameter, REQUIRED) for parameter in (*parameters, *wanted))
    return Entry(name, lambda c: getattr(of(c), attribute), given, wanted=tuple(wanted.items()))


def _model(setting: Setting) -> sd.Model:
    return setting.model


def _state(setting: Setting) -> sd.State:
    return setting.state


_PARTS = ("q", "qd", "base_position", "base_frame_position", "base_velocity", "base_rate", "base_attitude")
_PARTS += ("base_quaternion_xyzw", "base_rate_in_base_axes")


def _of_states() -> Iterator[Entry]:
    for part in _PARTS:
        key = {"q": "state_q", "qd": "state_qd", "base_rate_in_base_axes": "base_rate"}.get(part, part)
        yield _method("Model.state", _model, **{part: key})
        yield _method("State.replace", _state, **{part: key})
    yield _method("State.integrate", _state, "step")
    yield _method("State.integrate", _state, "step", rates="step")
    yield _method("State.difference", _state, other="other state")
    yield _method("State.__getitem__", _state, index="index")
    yield _method("State.with_internal", _state, "internal")
    yield Entry("State.neutral", lambda c: partial(sd.State.neutral, c.model), (("size", REQUIRED),), wanted=_SIZE)
    yield Entry("State.random", lambda c: partial(sd.State.random, c.model), _RANDOM, wanted=_SIZE)


_SIZE = (("size", "batch"),)
_RANDOM = (("rng", REQUIRED), ("size", REQUIRED))
_VARIED = {"mass": "masses", "inertia": "inertias", "stiffness": "stiffnesses", "position": "joint places"}
_VARIED |= {"rotation": "rotations"}


def _of_models() -> Iterator[Entry]:
    yield _method("Model.random_state", _model, "rng", size="batch")
    yield _method("Model.lock", _model, "joints")
    yield _method("Model.lock", _model, "joints", at="one state")
    yield _method("Model.subtree", _model, "body", "base_kind")
    yield _method("Model.attach", _model, "prefix", other="model", at="body")
    yield _method("Model.to_urdf", _model, lossy="yes")
    for what in ("body", "joint", "endpoint"):
        yield _method(f"Model.{what}", _model, name=what)
        yield _method(f"Model.{what}_index", _model, name=what)
    for name in ("q_slice", "qd_slice", "u_slice"):
        yield _method(f"Model.{name}", _model, "joint")
    for field, key in _VARIED.items():
        yield Entry("Model.vary", lambda c: c.model.vary, ((field, REQUIRED),), wanted=((field, key),))
    fleet = next(model for model in models() if model.shape)
    yield _method("Fleet.__getitem__", lambda c: fleet, index="index")
    arrays = models()[-1].to_arrays()
    wanted = tuple((name, f"array {name}") for name in arrays)
    yield Entry(
        "Model.from_arrays", lambda c: sd.Model.from_arrays, tuple((name, REQUIRED) for name in arrays), wanted=wanted
    )


_LINK = {name: name for name in ("mass", "inertia", "com", "shapes", "position", "rotation", "upper", "gear")}
_LINK |= {name: "number" for name in ("stiffness", "damping", "friction", "friction_speed", "rotor_inertia", "rest")}
_LINK |= {"stop_stiffness": "number", "stop_damping": "number", "max_force": "number", "max_rate": "number"}
_LINK |= {"lower": "seconds", "axis": "unit", "parent": "bus", "joint": "kind of joint", "pitch": "number"}
_LINK |= {"visuals": "visuals", "collisions": "visuals"}
"""Options of a link, and the names of good values."""
_TOGETHER: dict[str, dict[str, Any]] = {"pitch": {"joint": "helical"}, "stop_damping": {"stop_stiffness": 1.0}}
"""Options that mean nothing without others."""
_ADDED = {"base": ("mass", "inertia", "com", "visuals"), "body": ("name", "mass", "inertia", "shapes", "massless")}
_ADDED |= {"joint": ("kind", "parent", "child", "position"), "endpoint": ("body", "position", "rotation")}
_ADDED |= {"wheel": ("on", "mass", "inertia", "axis", "transverse_inertia", "position")}
_ADDED |= {"control_moment_gyro": ("on", "mass", "inertia", "spin_axis", "gimbal_axis", "transverse_inertia")}
_ADDED |= {"slosh_mass": ("on", "mass", "stiffness", "axis", "position", "damping_ratio")}
_ADDED |= {"flexible_beam": ("on", "length", "segments", "mass_per_length", "EI", "damping_ratio", "position")}
_ADDED |= {"flexible_panel": ("on", "length", "width", "mass", "EI", "GJ", "panels", "hinge_stiffness")}
_ADDED |= {"slosh_pendulum": ("on", "mass", "length", "direction", "position")}
"""What builders add besides links, and the options that are given."""
_KEYS = {"on": "bus", "body": "bus", "parent": "bus", "child": "arm", "kind": "kind of joint", "axis": "unit"}
_KEYS |= {"spin_axis": "unit", "gimbal_axis": "across", "transverse_inertia": "number"}
_KEYS |= {"massless": "no", "stiffness": "number", "length": "number", "direction": "unit", "damping_ratio": "number"}
_KEYS |= {"segments": "few", "panels": "few", "mass_per_length": "number", "EI": "number", "GJ": "number"}
_KEYS |= {"width": "number", "hinge_stiffness": "number"}


def _built(method: str, **usual: Any) -> Callable[[Setting], Callable[..., Any]]:
    """A method of a Builder, and the robot that comes of it."""

    def called(**options: Any) -> sd.Model:
        b = sd.Builder("fuzz")
        if method != "base":
            b.base("bus", mass=20.0, inertia=(2, 3, 4))
        if method == "joint":
            b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
        getattr(b, method)(**{**usual, **options})
        if method == "body":
            b.joint("last", "revolute", parent="bus", child=options["name"])
        return b.build()

    return lambda setting: called


def _of_builders() -> Iterator[Entry]:
    for option, key in _LINK.items():
        usual = {"name": "arm", "parent": "bus", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), **_TOGETHER.get(option, {})}
        yield Entry("Builder.link", _built("link", **usual), ((option, REQUIRED),), wanted=((option, key),))
    for method, options in _ADDED.items():
        usual = {} if "name" in options or method == "base" else {"name": "added"}
        wanted = tuple((option, _KEYS.get(option, option)) for option in options)
        if method in ("wheel", "control_moment_gyro"):
            wanted = tuple((option, "number" if option == "inertia" else key) for option, key in wanted)
        given = tuple((option, REQUIRED) for option in options)
        yield Entry(f"Builder.{method}", _built(method, **usual), given, wanted=wanted)


_PATH = sd.endpoint_line([0, 0, 0], sd.Rotation.identity(), by=[0, 0, 1.0], turn=[0, 0.1, 0], duration=1.0)


def _run(setting: Setting) -> sd.Run:
    return setting.rng.choice(short_runs())


def _of_runs() -> Iterator[Entry]:
    yield _method("EndpointPath.at", lambda c: _PATH, "t")
    yield _method("Run.at", _run, time="recorded")
    yield _method("Run.index", _run, time="recorded")
    yield _method("Run.body", _run, name="bus")
    yield _method("Run.endpoint", _run, name="hand")
    yield _method("Run.momentum", _run, "about")
    yield _method("Run.__getitem__", _run, name="channel")


def method_entries() -> list[Entry]:
    """Methods that only compute."""
    return [*_of_states(), *_of_models(), *_of_builders(), *_of_runs()]
