"""The schema of a scenario file, for pydantic."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict

from ..reals import LARGEST


def _numbers(value: Any, depth: int = 0) -> Any:
    """Numbers, or lists of them, up to two deep."""
    if isinstance(value, list) and depth < 2:
        return [_numbers(item, depth + 1) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError("not a finite number")
    return value


def _joint_values(value: Any) -> Any:
    return {k: _numbers(v) for k, v in value.items()} if isinstance(value, dict) else _numbers(value)


def _three(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError("not three numbers")
    return _numbers(value, 1)


def _four(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError("not four numbers")
    return _numbers(value, 1)


def _positive(value: float) -> float:
    if not value > 0.0:
        raise ValueError("not positive")
    return value


def _robot(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"scene"} and isinstance(value["scene"], dict) and value["scene"]:
        for one in value["scene"].values():
            _one_robot(one)
        return value
    return _one_robot(value)


def _one_robot(value: Any) -> Any:
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, dict) or not isinstance(value.get("file"), str):
        raise ValueError("neither a name nor a table with a file")
    for key in ("position", "rpy_xyz_deg"):
        _three(value.get(key, [0, 0, 0]))
    return value


def _record(value: Any) -> Any:
    if isinstance(value, str) and value == "steps":
        return value
    value = _numbers(value, 1)
    if not isinstance(value, list) and not value > 0:
        raise ValueError("not positive")
    return value


def _figures(value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, str | list) for item in value):
        raise ValueError("not a list of figures")
    for item in value:
        if isinstance(item, list) and (not item or not all(isinstance(name, str) for name in item)):
            raise ValueError("not a list of names")
    return value


def _motion(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    return value if value == "locked" else _numbers(value, 1)


Text = Annotated[str, Strict()]
Truth = Annotated[bool, Strict()]
Number = Annotated[Any, BeforeValidator(lambda v: _numbers(v, 2))]
Positive = Annotated[Number, AfterValidator(_positive)]
Vector = Annotated[Any, BeforeValidator(_three)]
Quaternion = Annotated[Any, BeforeValidator(_four)]
Joints = Annotated[Any, BeforeValidator(_joint_values)]
Names = Annotated[list[Text], Strict()]


def optional(description: str) -> Any:
    """A field that may be left out."""
    return Field(None, description=description)


class Table(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenTable(BaseModel):
    """A table whose other keys are parameters of what it names."""

    model_config = ConfigDict(extra="allow", frozen=True)


_JOINTS = "give numbers in the order of the joints, or a table { joint = number }"
_VECTOR = "give three numbers in brackets"


class Start(Table):
    """The state at the start; what is left out is neutral and at rest."""

    base_position: Vector = optional(f"{_VECTOR} [m]")
    base_frame_position: Vector = optional(f"{_VECTOR} [m]")
    base_quaternion_xyzw: Quaternion = optional("give four numbers in brackets, x y z w")
    base_rpy_xyz_deg: Vector = optional(f"{_VECTOR} [deg]")
    base_velocity: Vector = optional(f"{_VECTOR} [m/s]")
    base_rate: Vector = optional(f"{_VECTOR} [rad/s]")
    base_rate_deg: Vector = optional(f"{_VECTOR} [deg/s]")
    base_rate_in_base_axes: Vector = optional(f"{_VECTOR} [rad/s]")
    base_rate_in_base_axes_deg: Vector = optional(f"{_VECTOR} [deg/s]")
    q: Joints = optional(_JOINTS)
    q_deg: Joints = optional(_JOINTS)
    qd: Joints = optional(_JOINTS)
    qd_deg: Joints = optional(_JOINTS)
    assemble: Truth = Field(False, description="give true or false")
    internal: dict[str, Any] = optional("give a table { element.state = number }, such as { jet.propellant = 1.5 }")


class LawTable(OpenTable):
    """A law: its name, or its name in a file; what else there is are its parameters."""

    law: Text = Field(description='give its name, such as "joint_hold"')
    file: Text = optional("give the name of a Python file in the scenario's folder")
    initial: dict[str, Any] = optional("give a table { state = number }")


class ElementTable(OpenTable):
    """An element: its kind, or its name in a file; what else there is are its parameters."""

    kind: Text = Field(description='give its kind, such as "wrench", "tether", "motor"; or its name in the file')
    file: Text = optional("give the name of a Python file in the scenario's folder")


class ActionTable(OpenTable):
    """What an event does."""

    do: Text = Field(
        description='give "lock", "free", "follow", "attach", "release", "impact", "engage", "disengage", '
        '"close_loop", "open_loop", or a function in a file'
    )
    file: Text = optional("give the name of a Python file in the scenario's folder")


class EventTable(OpenTable):
    """An event: when, and what then."""

    when: Text = Field(
        description='give "joint_reaches", "endpoint_reaches", "endpoints_within", "altitude_reaches", or a condition '
        "in a file"
    )
    file: Text = optional("give the name of a Python file in the scenario's folder")
    direction: Annotated[int, Strict()] = Field(0, description="give 1 (upward), -1 (downward) or 0 (both)")
    terminal: Truth = Field(False, description="give true or false")
    name: Text = optional("give text in quotes")
    action: ActionTable = optional('give a table such as { do = "lock", joint = "elbow" }')


class MethodTable(OpenTable):
    """How to step."""

    name: Text = Field(description='give the name of a method, such as "DormandPrince8"')


class PlotTable(Table):
    """Figures that are worth drawing."""

    figures: Annotated[Any, BeforeValidator(_figures)] = optional(
        'give a list of figures, such as [["q", "base_attitude"], "ledger"]'
    )
    degrees: Truth = Field(False, description="give true or false")
    style: Text = Field("screen", description='give "screen" or "publication"')


class FilmTable(Table):
    """How the film is made; as `Run.to_html` has it."""

    plots: Names = optional('give a list of names, such as ["q", "hand"]')
    follow: Text = optional('give "stay", "base", "mass" or the name of an endpoint')
    backdrop: Text = optional('give "stars", "ground" or "none"')
    frames: Annotated[int, Strict(), Field(ge=2, le=100_000)] = Field(1200, description="give a number of instants")
    degrees: Truth = Field(False, description="give true or false")
    title: Text = optional("give text in quotes")
    autoplay: Truth = Field(False, description="give true or false")


class Content(Table):
    """All of a scenario."""

    title: Text = optional("give text in quotes")
    description: Text = optional("give text in quotes")
    robot: Annotated[Any, BeforeValidator(_robot)] = Field(
        description='give the name of a bundled robot, a file, a table { file = "arm.urdf", base = "free" }, '
        'or several robots, { scene = { chaser = "ets7", target = { file = "target.toml", position = [0, 0, 10] } } }'
    )
    duration: Positive = Field(description="give a positive time [s], such as 60.0")
    start: Number = Field(0.0, description="give a time [s]")
    gravity: Vector = optional(f"{_VECTOR} [m/s^2], such as [0, 0, -9.81]")
    record: Annotated[Any, BeforeValidator(_record)] = optional(
        'give the time between records [s], a list of times, or "steps"'
    )
    channels: Names = optional('give a list of channels, such as ["forces", "ledger"]')
    budget: Positive = optional("give the largest relative error of the ledger, such as 1e-7")
    adjust: Truth = Field(False, description="give true or false")
    limits: Truth = Field(True, description="give true or false")
    state: Start = optional("give a table, headed [state]")
    method: MethodTable = optional('give a table, headed [method], with name = "DormandPrince8"')
    laws: list[LawTable] = optional("give each its own table, headed [[laws]]")
    prescribed: dict[str, Annotated[Any, BeforeValidator(_motion)]] = optional(
        'give a table { joint = motion }, with "locked", a number, or { times = [...], values = [...] }',
    )
    modes: dict[str, Text] = optional('give a table { joint = "free" }, or "locked", or "prescribed"')
    forces: list[ElementTable] = optional("give each its own table, headed [[forces]]")
    elements: list[ElementTable] = optional("give each its own table, headed [[elements]]")
    events: list[EventTable] = optional("give each its own table, headed [[events]]")
    plots: PlotTable = optional("give a table, headed [plots]")
    film: FilmTable = optional("give a table, headed [film]")
