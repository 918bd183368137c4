"""What the package offers to be called, as entries: functions, and constructors with their use."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import spacedyn as sd
from spacedyn.laws.law import LawTemplate

from .arguments import Setting
from .classic_calls import classic_entries
from .entries import REQUIRED, Entry, parameters_of
from .method_entries import method_entries
from .robots import RUB, models, pull, ramp, rub

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
    "read_loops",
    "read_mimics",
    "Scenario",
}
"""Names of the package that open files or windows, or take minutes; methods of some come below."""
_LEFT_OUT |= {
    "IdentifiedBody",
    "Linearization",
    "SloshMode",
    "Vibration",
    "Attitude",
    "Reduced",
    "Equations",
    "PartialVelocities",
    "BaseRates",
    "Smoothed",
    "BaseMotion",
    "EndpointAcceleration",
    "EndpointVelocity",
    "InverseKinematics",
    "Manipulability",
    "MomentumShares",
    "ZeroReactionPath",
    "Singularities",
    "Workspace",
}  # results
_LEFT_OUT |= {
    "ConstrainedMotion",
    "Mobility",
    "AirTable",
    "OrbitalElements",
    "Plates",
    "PositionAndVelocity",
    "RelativeMotion",
}  # results and tuples
_LEFT_OUT |= {"base_motion"}  # it is called by holonomy; its path is no file
_LEFT_OUT |= {"Visual", "Mimic", "Builder", "law"}  # they come below, with what uses them
_SEVERAL = ("lock", "free", "follow", "attach")
_LEFT_OUT |= {"sample", *_SEVERAL}
_OF_CONTROL = {"state": "one state"}
_WANTED = {
    **{name: {"step": "seconds"} for name in ("RungeKutta4", "SemiImplicitEuler", "TimeStepping", "Variational")},
    **{name: {"stiffness": "number"} for name in ("Spring", "Tether", "Grapple")},
    "control.swing": {"size": "number"},
    "control.joint_torque": {"tau": "qd of one"},
    "kane.partial_velocity_table": {"state": "one state"},
    "control.wheel_motor_attitude_hold": {"model": "wheeled", "state": "state of wheeled"},
    **{
        f"control.{name}": {
            **{"model": "wheeled", "state": "state of wheeled", "joints": "arm of wheeled"},
            **{"endpoint": "hand", "path": "path of an endpoint", "follow": "one direction"},
        }
        for name in ("coordinated", "impedance", "resolved_acceleration", "resolved_rate", "transposed_jacobian")
    },
    **{
        f"control.{name}": {"model": "wheeled", "state": "state of wheeled"}
        for name in ("attitude_hold", "detumble", "post_capture", "station_keeping", "wheel_desaturation")
    },
    "control.vibration_damping": {"model": "wheeled", "state": "state of wheeled", "joints": "arm of wheeled"},
    "control.reactionless": {"times": "times", "values": "values"},
    "endpoint_line": {"by": "unit", "duration": "seconds"},
    "endpoint_screw": {"axis": "unit", "duration": "seconds"},
    "trapezoidal": {"start": "number", "end": "longer", "speed": "number", "acceleration": "number"},
    "identify_target": {"model": "free arm", "states": "samples", "endpoint": "hand"},
    "momentum_regressor": {"about": "acceleration"},
    "contacts": {"model": "touching", "state": "state of touching", "surfaces": "floor"},
    "TriangleMesh": {"vertices": "corners", "faces": "triangles"},
    "distance": {"model": "touching", "state": "state of touching", "a": "one shape", "b": "other shape"},
    "actions.engage": {"grapple": "name"},
    "actions.disengage": {"grapple": "name"},
    "actions.close_loop": {"loop": "name"},
    "actions.open_loop": {"loop": "name"},
    "actions.impact": {"restitution": "number", "normal": "unit"},
    "FlexibleDrive": {"rotor": "joint"},
    "Loop": {"joint": "loop joint"},
    "Coupling": {"joints": "arm of wheeled", "coefficients": "two numbers"},
    **{
        name: {"model": "wheeled", "state": "state of wheeled", "elements": "loops"} | more
        for name, more in {
            "assemble": {},
            **{f"constraints.{one}": {} for one in ("residuals", "jacobian", "mobility")},
            "constraints.forward_dynamics": {"state": "wheeled at rest", "tau": "torques of wheeled"},
            "constraints.inverse_dynamics": {"state": "wheeled at rest", "udot": "no rates of wheeled"},
        }.items()
    },
    "RelativePoseSensor": {"target": "body"},
    "SunSensor": {"sun": "unit"},
    "ModalAppendage": {"frequencies": "frequencies"},
    "Thruster": {"direction": "unit", "tank": "name"},
    "natural_frequencies": {"model": "springy", "state": "state of springy", "locked": "boom"},
    "freefloating.dynamic_singularities": {"states": "five states"},
    "freefloating.inverse_kinematics": {"iterations": "few"},
    "freefloating.workspace": {"state": "one state", "task": "component", "joints": "joints", "samples": "some"},
    "freefloating.zero_reaction_path": {"direction": "qd of one"},
    "cylinder_slosh": dict.fromkeys(("radius", "depth", "density", "acceleration"), "number"),
    "OrbitingOrigin": {"position": "place in orbit", "velocity": "speed in orbit"},
    "ThirdBody": {"body": "star"},
    "HillFrame": {"mean_motion": "number", "axes": "axes"},
    "GravityGradient": {"mean_motion": "number", "up": "across", "normal": "unit"},
    "AtmosphericDrag": {"body": "body", "normals": "normals", "areas": "areas", "points": "points", "air": "air"},
    "SolarPressure": {"body": "body", "normals": "normals", "areas": "areas", "points": "points", "specular": "number"},
    "orbit.from_elements": {"elements": "orbit"},
    "orbit.to_elements": {"position": "place in orbit", "velocity": "speed in orbit"},
    "orbit.hill_axes": {"position": "place in orbit", "velocity": "speed in orbit"},
    **{
        f"orbit.{name}": {
            **{"position": "near", "velocity": "near"},
            **{"reference_position": "place in orbit", "reference_velocity": "speed in orbit"},
        }
        for name in ("to_hill", "from_hill")
    },
    "orbit.clohessy_wiltshire": {"position": "near", "velocity": "near", "mean_motion": "number", "times": "times"},
    "orbit.position_of": {"body": "star", "epoch": "epoch", "times": "times", "source": "source"},
    "orbit.days_since_j2000": {"epoch": "epoch"},
    "orbit.msis_table": {"epoch": "epoch", "altitudes": "altitudes"},
    "orbit.orbit_state": {"model": "model", "elements": "orbit"},
    "orbit.box_plates": {"size": "size", "center": "near"},
    "orbit.panel_plates": {"normal": "unit", "area": "number", "point": "near"},
    "orbit.relative_motion": {"run": "run in orbit", "reference": "orbit of the run"},
    "orbit.true_anomaly": {"mean_anomaly": "anomalies", "eccentricity": "number"},
    "orbit.mean_anomaly": {"true_anomaly": "anomalies", "eccentricity": "number"},
    "orbit.mean_motion": {"semi_major_axis": "number"},
    "Contact": {"points": "points", "surface": "surface", "material": "material"},
    "RigidContact": {"points": "points", "surface": "surface", "restitution": "number", "friction": "number"},
    "ShapeContact": {"material": "material", "surfaces": "surface"},
    "Sleeping": {"speed": "number", "after": "number"},
    "ContactMaterial": {"stiffness": "number"},
    "contact_material": {"pair": "pair", "radius": "number"},
    "Plane": {"normal": "unit", "kind": "plane"},
    "SphereSurface": {"radius": "number", "kind": "sphere"},
    "EllipsoidSurface": {"semi_axes": "size", "kind": "ellipsoid"},
    "HeightField": {"heights": "heights", "kind": "height field"},
    "RoughGround": {"size": "extent", "spacing": "longer", "roughness": "number", "kind": "rough ground"},
    "Visual": {"shape": "shape"},
    "Mimic": {"joint": "first joint", "leader": "last joint"},
}
"""Parameters that are given, by the names of good values other than their own."""


def _entry(name: str, function: Any) -> Entry:
    """An entry of a function that is the same for every setting."""
    wanted = {**(_OF_CONTROL if name.startswith("control.") else {}), **_WANTED.get(name, {})}
    made, needed = lambda setting: function, frozenset(_WANTED.get(name, {}))
    harmless = ("path",) if name.startswith("control.") else ()  # of an endpoint
    return Entry(name, made, parameters_of(function, harmless), needed, tuple(wanted.items()))


def _functions(prefix: str, module: Any, names: Iterable[str]) -> Iterator[Entry]:
    for name in names:
        function = getattr(module, name)
        plain = inspect.isfunction(function) or inspect.isclass(function)
        if name in _LEFT_OUT or not plain or (inspect.isclass(function) and issubclass(function, Exception | Warning)):
            continue
        yield _entry(f"{prefix}{name}", function)


def _used(name: str, function: Any, use: Callable[[Any], Any]) -> Entry:
    """A function whose arguments are checked where its result is used."""
    wanted = _WANTED.get(name, {})
    made = lambda setting: lambda **given: use(function(**given))  # noqa: E731
    return Entry(name, made, parameters_of(function), frozenset(wanted), tuple(wanted.items()))


def _with_shape(shape: Any) -> sd.Model:
    b = sd.Builder("fuzz")
    b.base("bus", shapes=[sd.shapes.box(1.0, (1, 1, 1)), shape])
    return b.build()


def _with_visual(visual: Any) -> sd.Model:
    b = sd.Builder("fuzz")
    b.base("bus", mass=20.0, inertia=(2, 3, 4), visuals=[visual])
    return b.build()


def _with_mimic(mimic: Any) -> Any:
    return sd.mimic_coupling(models()[-1], [mimic])


def _with_function(template: Any) -> Any:
    made = template if isinstance(template, LawTemplate) else template(lambda t, s, p, out: None)
    return made()


def _with_base(builder: Any) -> sd.Model:
    builder.base("bus", mass=20.0, inertia=(2, 3, 4))
    return builder.build()


_SHAPES = ("box", "capsule", "cone", "cylinder", "point", "rod", "sphere", "tube")


def public_entries() -> list[Entry]:
    """Functions, classes and methods that only compute."""
    modules = {"control.": sd.control, "operators.": sd.operators, "kane.": sd.kane, "lagrangian.": sd.lagrangian}
    modules |= {"freefloating.": sd.freefloating, "orbit.": sd.orbit, "constraints.": sd.constraints}
    found = list(_functions("", sd, (name for name in sd.__all__ if name not in ("simulate", "linearize"))))
    for prefix, module in modules.items():
        found += _functions(
            prefix, module, (n for n in module.__all__ if n not in ("UserFile", "from_file", "Operator"))
        )
    found += _functions("actions.", sd.actions, ("release", "impact", "engage", "disengage", "close_loop", "open_loop"))
    found += [_used(f"shapes.{name}", getattr(sd.shapes, name), _with_shape) for name in _SHAPES]
    found += [
        _entry("shapes.combine", sd.shapes.combine),
        _used("Visual", sd.Visual, _with_visual),
        _used("law of a function", sd.law, _with_function),
        _used("Mimic", sd.Mimic, _with_mimic),
        _used("Builder", sd.Builder, _with_base),
    ]
    found += [
        Entry("law", lambda c: pull, (("force", REQUIRED),)),
        Entry("motion", lambda c: ramp, (("speed", REQUIRED),)),
        Entry("element", lambda c: rub, tuple((name, REQUIRED) for name in RUB), wanted=tuple(RUB.items())),
        *(Entry(f"actions.{name}", _of_one_joint(name), (("joint", REQUIRED),)) for name in _SEVERAL),
        *method_entries(),
        *classic_entries(),
    ]
    return found


def _of_one_joint(name: str) -> Callable[[Setting], Callable[..., Any]]:
    """A function of several joints, as one of one."""
    return lambda setting: lambda joint: getattr(sd.actions, name)(joint)
