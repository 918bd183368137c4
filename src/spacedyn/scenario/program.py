"""A scenario as a program: assignments that can be run, or written as a script."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..elements.gravity import UniformGravity
from ..elements.held_joints import LockedJoint, PrescribedJoint
from ..elements.stored import KINDS
from ..errors import nearest
from ..laws import ready_made as control
from ..motion.trajectories import waypoints
from ..signatures import keywords_of
from ..simulate import actions, events, methods
from .expressions import Call, Method, Name, names_in
from .faults import check_names, is_path, label, parameters_of
from .fence import Fence
from .line_numbers import Path

ELEMENTS: dict[str, type] = {
    re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", made.__name__).lower(): made
    for made in (*KINDS.values(), UniformGravity, PrescribedJoint, LockedJoint)
}
"""Kinds of elements by their names in a file: 'wrench', 'central_gravity'. Names of ready-made laws are kinds, too."""
CONDITIONS: dict[str, Callable[..., Any]] = {
    made.__name__: made
    for made in (events.joint_reaches, events.endpoint_reaches, events.endpoints_within, events.altitude_reaches)
}
ACTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(actions, name)
    for name in (
        *("lock", "free", "follow", "attach", "release", "impact"),
        *("engage", "disengage", "close_loop", "open_loop"),
    )
}
_OF_JOINTS = ("lock", "free", "follow", "attach")
"""Actions that are about one joint or several."""
METHODS: dict[str, type] = {
    name: made
    for name, made in vars(methods).items()
    if isinstance(made, type) and issubclass(made, methods.Method) and hasattr(made, "order") and name[0] != "_"
}
_MAX_RECORDS, _MAX_STEPS = 2_000_000, 1e10


def parameters_of_kind(kind: str) -> tuple[list[str], list[str]]:
    """Names of all parameters of an element's kind, and of the required ones."""
    made = ELEMENTS[kind]
    fields = {f.name for f in dataclasses.fields(made)} - ({"tension_only"} if kind == "tether" else set())
    known, needed = parameters_of(made)
    return [name for name in known if name in fields], needed


def _here(name: str) -> Call:
    """A file or folder by its name in the scenario's folder."""
    return Call(Name("here.joinpath"), (name,))


@dataclass
class Program:
    """A scenario as assignments, and the call of `simulate`.

    Attributes
    ----------
    assignments : list of (name, expression)
        In order.
    simulate : Call
        What gives the Run.
    faults : list of (path, sentence)
        What is wrong with the scenario.
    """

    content: Mapping[str, Any]
    fence: Fence
    robot_given: bool = False
    assignments: list[tuple[str, Any]] = field(default_factory=list)
    simulate: Call = field(default_factory=lambda: Call(Name("sd.simulate")))
    faults: list[tuple[Path, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        c = self.content
        self._files: dict[str, str] = {}
        robot = self._robot(c["robot"])
        state = self._start(c.get("state", {}))
        laws = [self._law(("laws", i), given) for i, given in enumerate(c.get("laws", []))]
        prescribed = {
            name: self._motion(("prescribed", name), value) for name, value in c.get("prescribed", {}).items()
        }
        acting: list[Any] = [
            self._element((key, i), given) for key in ("forces", "elements") for i, given in enumerate(c.get(key, []))
        ]
        happenings = [self._event(("events", i), given) for i, given in enumerate(c.get("events", []))]
        self.assignments = [("robot", robot), ("state", state)]
        self.assignments += [
            (name, Call(Name("control.from_file"), (_here(file),), {}, ())) for file, name in self._files.items()
        ]
        parts: dict[str, Any] = {"laws": laws, "prescribed": prescribed, "elements": acting, "events": happenings}
        if c.get("state", {}).get("assemble"):
            parts = self._assembled(parts)
        named: dict[str, Any] = {}
        for name, value in parts.items():
            if value:
                self.assignments.append((name, value))
            if value and name != "state":
                named[name] = Name(name)
        if "method" in c:
            named["method"] = self._method(("method",), c["method"])
        for name in ("record", "gravity", "modes", "adjust", "limits", "start", "budget", "channels"):
            if name in c:
                named[name] = c[name]
        self._check_lengths()
        self.simulate = Call(Name("sd.simulate"), (Name("robot"), Name("state"), c["duration"]), named)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _robot(self, given: Any) -> Call:
        if isinstance(given, str) or "scene" not in given:
            return self._load(("robot",), {"file": given} if isinstance(given, str) else given)
        robots, places = {}, {}
        for key, one in given["scene"].items():
            path, table = ("robot", "scene", key), {"file": one} if isinstance(one, str) else dict(one)
            place, angles = table.pop("position", None), table.pop("rpy_xyz_deg", None)
            robots[key] = self._load(path, table)
            if place is not None or angles is not None:
                turn = Call(Name("sd.Rotation.from_euler"), ("XYZ", angles), {"degrees": True}) if angles else None
                places[key] = [place or [0.0, 0.0, 0.0], turn]
        return Call(Name("sd.scene"), (robots,), {"places": places} if places else {}, ("robot",))

    def _load(self, path: Path, table: Mapping[str, Any]) -> Call:
        name, options = table["file"], {key: value for key, value in table.items() if key != "file"}
        if not is_path(name):
            return Call(Name("sd.load"), (name,), options, path)
        if not self.robot_given:
            self._inside(path, "robot", name)
            options = self._robot_options(path, name, options)
        return Call(Name("sd.load"), (_here(name),), options, path)

    def _robot_options(self, path: Path, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Options for loading the robot: those of the file, limited to folders inside the fence."""
        if name.lower().endswith(".xacro") and not self.fence.xacro:
            self._fault(
                path,
                f"{label(path[:-1])}robot {name!r} is a program of xacro, which reads what it likes; if you trust it, "
                "spacedyn run --xacro or Scenario.from_toml(…, xacro=True); or expand it: xacro FILE > robot.urdf",
            )
        if "within" in given:
            self._fault((*path, "within"), f"{label(path)}within is for whoever runs it: --allow FOLDER")
        options, folders = dict(given), given.get("folders", [])
        if not isinstance(folders, list) or not all(isinstance(one, str) for one in folders):
            self._fault((*path, "folders"), f"{label(path)}folders: give a list of folders")
            folders = []
        for one in folders:
            self._inside((*path, "folders"), "folder", one, folder=True)
        if folders:
            options["folders"] = [_here(one) for one in folders]
        if not name.lower().endswith(".toml"):
            options["within"] = [Name("here"), *map(str, self.fence.allowed)]
        return options

    def _start(self, given: Mapping[str, Any]) -> Call:
        """The state, with the states of elements and laws that it gives: `jet.propellant = 1.5` is a table in TOML."""
        made = Call(Name("robot.state"), (), self._state(given), ("state",))
        internal: dict[str, Any] = {}
        for owner, value in given.get("internal", {}).items():
            inner = {f"{owner}.{name}": one for name, one in value.items()} if isinstance(value, Mapping) else None
            internal |= {owner: value} if inner is None else inner
        return Call(Method(made, "with_internal"), (internal,), {}, ("state", "internal")) if internal else made

    def _state(self, given: Mapping[str, Any]) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for key, value in given.items():
            if key in ("internal", "assemble"):
                continue
            plain = key.removesuffix("_deg")
            if key == "base_rpy_xyz_deg":
                plain, value = "base_attitude", Call(Name("sd.Rotation.from_euler"), ("XYZ", value), {"degrees": True})
                if "base_quaternion_xyzw" in given:
                    self._fault(
                        ("state", key), "state: base_rpy_xyz_deg and base_quaternion_xyzw say the same thing twice"
                    )
            elif plain != key and isinstance(value, Mapping):
                value = {joint: Call(Name("np.radians"), (angle,)) for joint, angle in value.items()}
            elif plain != key:
                value = Call(Name("np.radians"), (value,))
            if plain in named:
                self._fault(("state", key), f"state: {plain} and {plain}_deg say the same thing twice; leave one out")
            named[plain] = value
        return named

    def _assembled(self, parts: dict[str, Any]) -> dict[str, Any]:
        """The parts in another order: the state in which all loops are closed, then laws, which start from it."""
        acting, prescribed, content = parts["elements"], parts["prescribed"], self.content
        laws = [one for one in acting if "state" in names_in(one)]  # which come last among all laws in any case
        others = [one for one in acting if "state" not in names_in(one)]
        free = [joint for joint, mode in content.get("modes", {}).items() if mode == "free" and joint in prescribed]
        held: Any = {joint: motion for joint, motion in prescribed.items() if joint not in free}
        options: dict[str, Any] = {"prescribed": held if free else Name("prescribed")} if held else {}
        options |= {"time": content["start"]} if "start" in content else {}
        given: tuple[Any, ...] = Name("robot"), Name("state"), Name("elements") if others else []
        state = Call(Name("sd.assemble"), given, options, ("state", "assemble"))
        return {
            "prescribed": prescribed,
            "elements": others,
            "state": state,
            "laws": [*parts["laws"], *laws],
            "events": parts["events"],
        }

    def _law(self, path: Path, given: Mapping[str, Any]) -> Any:
        name, initial = given["law"], given.get("initial")
        parameters = {key: value for key, value in given.items() if key not in ("law", "file", "initial")}
        if "file" in given:
            mine = self._file(path, given["file"])
            made = Call(Name(f"{mine}.law"), (name, Name("robot"), Name("state")), parameters, path)
        else:
            known = self._known(path, "law", name, control.LAWS, parameters, ("model", "state"))
            if "gravity" in known and self._gravity():
                parameters.setdefault("gravity", self._gravity())
            made = Call(Name(f"control.{name}"), (Name("robot"), Name("state")), parameters, path)
        return made if initial is None else Call(Method(made, "starting"), (), initial, (*path, "initial"))

    def _gravity(self) -> list[float]:
        """The sum of accelerations of `gravity` and of elements; empty if there is none."""
        tables = [*self.content.get("forces", []), *self.content.get("elements", [])]
        fields = [self.content.get("gravity")]
        fields += [table.get("acceleration") for table in tables if table["kind"] == "uniform_gravity"]
        good = [g for g in fields if isinstance(g, list) and len(g) == 3 and all(type(x) in (int, float) for x in g)]
        return [sum(parts) for parts in zip(*good, strict=True)]

    def _motion(self, path: Path, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        parameters = {key: value for key, value in given.items() if key not in ("motion", "file")}
        if "file" in given:
            if not isinstance(given.get("motion"), str):
                self._fault(path, f"{label(path)}motion is missing; give the name of a motion in the file")
            mine = self._file(path, given["file"])
            return Call(Name(f"{mine}.motion"), (given.get("motion"),), parameters, path)
        if "motion" in given:
            self._known(path, "motion", given["motion"], control.MOTIONS, parameters)
            return Call(Name(f"control.{given['motion']}"), (), parameters, path)
        if "polynomial" in given:
            self._names(path, "a polynomial", parameters, ["polynomial"], [])
            return Call(Name("np.polynomial.Polynomial"), (given["polynomial"],), {}, path)
        if "table" in given:
            function, named = "sd.table", {**parameters, "kind": parameters["table"]}
            self._names(path, "a table", parameters, ["times", "values", "table"], ["times", "values"])
            named.pop("table")
        else:
            function, named = "sd.waypoints", parameters
            self._names(path, "a motion", named, parameters_of(waypoints)[0], ["times", "values"])
        return Call(Name(function), (), named, path)

    def _element(self, path: Path, given: Mapping[str, Any]) -> Any:
        kind, parameters = given["kind"], {key: value for key, value in given.items() if key not in ("kind", "file")}
        if "file" in given:
            return Call(Name(f"{self._file(path, given['file'])}.element"), (kind,), parameters, path)
        if kind in control.LAWS:
            return self._law(path, {"law": kind, **parameters})
        made = ELEMENTS.get(kind)
        if made is None:
            what, known = "force" if path[0] == "forces" else "element", [*ELEMENTS, *control.LAWS]
            self._fault((*path, "kind"), f"{label(path)}there is no {what} {kind!r}; {nearest(kind, known)}")
            return Call(Name("sd.Wrench"))
        former = getattr(made, "former_names", {})
        parameters = {former.get(key, key): value for key, value in parameters.items()}
        self._names(path, kind, parameters, *parameters_of_kind(kind))
        if made is PrescribedJoint and "motion" in parameters:
            parameters["motion"] = self._motion((*path, "motion"), parameters["motion"])
        return Call(Name(f"sd.{made.__name__}"), (), parameters, path)

    def _event(self, path: Path, given: Mapping[str, Any]) -> Call:
        own = ("when", "file", "direction", "terminal", "name", "action")
        parameters = {key: value for key, value in given.items() if key not in own}
        named = {key: given[key] for key in ("direction", "terminal", "name") if key in given}
        if "file" in given:
            mine = self._file(path, given["file"])
            condition = Call(Name(f"{mine}.condition"), (given["when"],), parameters, path)
        else:
            self._known(path, "condition", given["when"], CONDITIONS, parameters, key="when")
            condition = Call(Name(f"sd.{given['when']}"), (), parameters, path)
        if "action" in given:
            named["action"] = self._action((*path, "action"), given["action"])
        return Call(Name("sd.Event"), (condition,), named, path)

    def _action(self, path: Path, given: Mapping[str, Any]) -> Any:
        do, rest = given["do"], {key: value for key, value in given.items() if key not in ("do", "file")}
        if "file" in given:
            self._names(path, "an action of a file", rest, [], [])
            return Call(Name(f"{self._file(path, given['file'])}.action"), (do,), {}, path)
        if do not in ACTIONS:
            self._fault((*path, "do"), f"{label(path)}there is no action {do!r}; {nearest(do, list(ACTIONS))}")
            return None
        if do not in _OF_JOINTS:
            known = keywords_of(ACTIONS[do])
            self._names(path, do, rest, known, [known[0], "other"] if do == "impact" else [known[0]])
            return Call(Name(f"sd.actions.{do}"), (), rest, path)
        also: dict[str, Any] = {key: rest[key] for key in ("arm", "too_fast") if do == "attach" and key in rest}
        more = ["arm", "too_fast"] if do == "attach" else []
        self._names(path, do, rest, ["joint", "joints", *more], [] if "joints" in rest else ["joint"])
        several = rest.get("joints", [])
        if not isinstance(several, list):
            self._fault((*path, "joints"), f"{label(path)}joints: give a list of names")
            several = []
        return Call(Name(f"sd.actions.{do}"), (*([rest["joint"]] if "joint" in rest else []), *several), also, path)

    def _method(self, path: Path, given: Mapping[str, Any]) -> Call:
        name, settings = given["name"], {key: value for key, value in given.items() if key != "name"}
        self._known(path, "method", name, METHODS, settings, key="name")
        return Call(Name(f"sd.{name}"), (), settings, path)

    # --- what is checked ---------------------------------------------------------------------------------------------

    def _fault(self, path: Path, sentence: str) -> None:
        self.faults.append((path, sentence))

    def _names(self, path: Path, what: str, given: Mapping[str, Any], known: list[str], needed: list[str]) -> None:
        self.faults += check_names(path, what, given, known, needed)

    def _known(
        self,
        path: Path,
        what: str,
        name: Any,
        all_of: Mapping[str, Any],
        parameters: Mapping[str, Any],
        given: tuple[str, ...] = (),
        key: str = "",
    ) -> list[str]:
        """Parameters of a ready-made object; faults for an unknown name and for wrong parameters."""
        if not isinstance(name, str) or name not in all_of:
            mine = "" if what == "method" else '; for one of your own, give the file that it is in: file = "laws.py"'
            text = (
                f"{label(path)}there is no {what} {name!r}; {nearest(str(name), list(all_of), most=len(all_of))}{mine}"
            )
            self._fault((*path, key or what), text)
            return []
        known, needed = parameters_of(all_of[name], given)
        self._names(path, name, parameters, known, needed)
        return known

    def _file(self, path: Path, name: Any) -> str:
        """The variable that holds a file of laws."""
        where = (*path, "file")
        if not isinstance(name, str) or not name.endswith(".py"):
            self._fault(where, f'{label(path)}file is {name!r}; give the name of a Python file, such as "laws.py"')
            return "mine"
        self._inside(where, "file", name)
        if name not in self._files:
            self._files[name] = "mine" if not self._files else f"mine_{len(self._files) + 1}"
        return self._files[name]

    def _inside(self, path: Path, what: str, name: str, folder: bool = False) -> None:
        """Report a file or folder outside the fence."""
        sentence = self.fence.fault_of(what, name, folder)
        if sentence:
            self._fault(path, f"{label(path[:-1])}{sentence}")

    def _check_lengths(self) -> None:
        """Report records and steps that would exhaust memory or never end."""
        duration, record = self.content["duration"], self.content.get("record")
        if isinstance(record, int | float) and duration / record > _MAX_RECORDS:
            self._fault(
                ("record",),
                f"a record every {record:g} s of {duration:g} s are {duration / record:.1g} records; at most "
                f"{_MAX_RECORDS:g} are kept: give a longer time between them",
            )
        step = self.content.get("method", {}).get("step")
        if isinstance(step, int | float) and 0 < step < duration / _MAX_STEPS:  # step may be beyond any float
            self._fault(
                ("method", "step"),
                f"method: steps of {step:g} s over {duration:g} s would never end; give a longer step",
            )


__all__ = ["ACTIONS", "CONDITIONS", "ELEMENTS", "METHODS", "Program"]
