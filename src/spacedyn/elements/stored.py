"""Elements as plain values for files: built-in ones completely, users' ones without their code."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError, RunWarning, warn_user
from ..laws.compile import Compiled
from ..laws.fingerprint import source_digest
from . import (
    accelerometer,
    atmospheric_drag,
    contact,
    coupling,
    dc_motor,
    drag,
    encoder,
    flexible_drive,
    force_torque,
    friction,
    grapple,
    gravity,
    gyro,
    hill_frame,
    loop,
    magnetometer,
    magnetorquer,
    modal,
    motor,
    orbiting_origin,
    relative_pose,
    rigid_contact,
    rolling,
    shape_contact,
    sleeping,
    solar_pressure,
    spring,
    star_tracker,
    sun_sensor,
    tank,
    third_body,
    thruster,
    wrench,
    zonal_gravity,
)
from .declared import declare
from .element import Block, Element
from .program import ElementFunction, UserElement

KINDS: dict[str, type[Element]] = {
    one.__name__: one
    for one in (
        wrench.Wrench,
        spring.Spring,
        spring.Tether,
        grapple.Grapple,
        contact.Contact,
        rigid_contact.RigidContact,
        shape_contact.ShapeContact,
        sleeping.Sleeping,
        loop.Loop,
        coupling.Coupling,
        rolling.Rolling,
        drag.Drag,
        friction.BristleFriction,
        motor.Motor,
        dc_motor.DCMotor,
        flexible_drive.FlexibleDrive,
        gravity.CentralGravity,
        zonal_gravity.ZonalGravity,
        third_body.ThirdBody,
        orbiting_origin.OrbitingOrigin,
        hill_frame.HillFrame,
        hill_frame.GravityGradient,
        atmospheric_drag.AtmosphericDrag,
        solar_pressure.SolarPressure,
        tank.Tank,
        thruster.Thruster,
        modal.ModalAppendage,
        magnetorquer.Magnetorquer,
        magnetometer.Magnetometer,
        gyro.Gyro,
        accelerometer.Accelerometer,
        force_torque.ForceTorqueSensor,
        star_tracker.StarTracker,
        sun_sensor.SunSensor,
        encoder.Encoder,
        relative_pose.RelativePoseSensor,
    )
}
"""Built-in kinds, by their names."""
_PARTS = ("states", "samples", "commands", "channels")


def element_text(element: Element) -> dict[str, Any]:
    """An element as values that JSON has."""
    if isinstance(element, UserElement):
        d = element.declared
        return {
            "name": "UserElement",
            "label": element.name,
            "function": element.title,
            "source": element.source if isinstance(element, StoredElement) else source_digest(element.program.function),
            "parameters": {name: _plain(value) for name, value in element.program.parameters.items()},
            "bound": {name: _plain(value) for name, value in element.bound.items()},
            "declared": {
                **{part: [dataclasses.asdict(b) for b in getattr(d, part)] for part in _PARTS},
                "guards": d.guards,
                "accounts": [account.value for account in d.accounts],
                "joints": list(d.joints),
                "points": list(d.points),
                **({"breaks": list(d.breaks)} if d.breaks else {}),
                **({"rows": d.rows, "nonholonomic": d.nonholonomic} if d.rows else {}),
            },
        }
    settings = {f.name: _plain(getattr(element, f.name)) for f in dataclasses.fields(element)}
    return {"name": type(element).__name__, "settings": settings}


def element_of(text: Any) -> Element:
    """The inverse of `element_text`; a user's element becomes a `StoredElement`, which cannot be simulated."""
    name = text.get("name") if isinstance(text, dict) else None
    try:
        if name == "UserElement":
            return _user_element(text)
        if isinstance(name, str) and name in KINDS:
            settings = {key: _array(value) for key, value in text["settings"].items()}
            return KINDS[name](**settings)
    except KeyError as error:
        raise InputError(f"the element {_called(text)} has no {error}") from None
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"the element {_called(text)} has unknown settings: {error}") from None
    raise InputError(f"the run was made by an element {_called(text)}, which this version does not have")


def _called(text: Any) -> str:
    """The name of the element in a damaged description."""
    found = [text.get(key) for key in ("label", "name")] if isinstance(text, dict) else [text]
    return repr(next((one for one in found if isinstance(one, str)), found[-1]))[:60]


def _user_element(text: dict[str, Any]) -> "StoredElement":
    """A user's element as a file keeps it."""
    told, whose = text["declared"], f"element {_called(text)}"
    parts = {part: [Block(**b | {"labels": tuple(b["labels"])}) for b in told.get(part, ())] for part in _PARTS}
    given = {part: told[part] for part in ("guards", "accounts", "joints", "points")}
    given |= {part: told[part] for part in ("breaks", "rows", "nonholonomic") if part in told}
    declared = declare(whose, **parts, **given)
    parameters = {name: np.asarray(_array(value), dtype=float) for name, value in text["parameters"].items()}
    bound = {name: _array(value) for name, value in text["bound"].items()}
    if set(bound) != {*declared.joints, *declared.points}:
        raise InputError(f"{whose}: it is bound to {sorted(bound)}, which are not its joints and points")
    function, source = text["function"], text["source"]
    if not (isinstance(function, str) and isinstance(source, str)):
        raise InputError(f"{whose}: its function {str(function)[:40]!r} is no name")
    program = ElementFunction(_nothing, parameters, None, 0.0, {})
    return StoredElement(program, declared, bound, text["label"], function, source)


def _nothing(t: float, s: Any, p: Any, out: Any) -> None:
    """Placeholder for the code of an element read from a file."""
    out.tau[0] = 0.0


@dataclasses.dataclass(frozen=True, eq=False)
class StoredElement(UserElement):
    """A user's element as a file keeps it: everything but its code."""

    function: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """Name of its function."""
        return self.function

    def compiled(self) -> Compiled:
        """Raise InputError: a file does not hold its code."""
        raise InputError(f"element '{self.name}' was read from a file, which does not hold its code; make it anew")


def same_elements(before: Sequence[Element], now: Sequence[Element] | None) -> tuple[Element, ...]:
    """The elements of a run, with users' elements given `now` in place of their records in a file.

    Raises if one is missing or differs from the one that made the run; warns if only its code differs.
    """
    left = [one for one in now or () if isinstance(one, UserElement)]
    known = [element_text(one) for one in before if not isinstance(one, UserElement)]
    for one in now or ():
        if not isinstance(one, UserElement) and element_text(one) not in known:
            raise InputError(
                f"the run was not made with this element '{one.label}'; leave it out: built-in ones are kept"
            )
    found: list[Element] = []
    for one in before:
        if not isinstance(one, UserElement) or (now is None and not isinstance(one, StoredElement)):
            found.append(one)
            continue
        mine = next((other for other in left if other.name == one.name), None)
        if mine is None:
            raise InputError(
                f"the run was made with an element '{one.name}' of your own, whose code is not in the file; "
                f"give it: resume(elements=[{one.title}(...)])"
            )
        left.remove(mine)
        _check_same(one, mine)
        found.append(mine)
    if left:
        raise InputError(f"the run was not made with an element '{left[0].name}'")
    return tuple(found)


def _check_same(before: UserElement, now: UserElement) -> None:
    """Raise unless they are the same but for their code; warn if that is another."""
    old, new = element_text(before), element_text(now)
    for part, words in (
        ("function", "function"),
        ("declared", "states, commands, channels, guards or accounts"),
        ("bound", "joints and points"),
        ("parameters", "parameters"),
    ):
        if old[part] != new[part]:
            was, became = (_shown(mine, other) for mine, other in ((old[part], new[part]), (new[part], old[part])))
            raise InputError(
                f"element '{now.name}': its {words} are not those that made the run: they were {was}, now {became}"
            )
    if old["source"] and new["source"] and old["source"] != new["source"]:
        warn_user(f"element '{now.name}' has been edited since it made this run: its future may differ", RunWarning)


def _shown(mine: Any, other: Any) -> str:
    """The differing entries of `mine` against `other`, as text; arrays as their numbers."""
    if not (isinstance(mine, dict) and isinstance(other, dict)):
        return str(mine)[:200]
    parts = []
    for name in mine:
        if name not in other or mine[name] != other[name]:
            value = mine[name]
            if isinstance(value, dict) and "array" in value:
                value = value["array"] if value["shape"] else value["array"][0]
            parts.append(f"{name} = {value}")
    return (", ".join(parts) or "nothing of that")[:200]


def _plain(value: Any) -> Any:
    """Arrays as lists with their shapes, values such as a field by their fields; infinities and nothing as they are."""
    if isinstance(value, np.ndarray):
        return {"array": value.astype(float).ravel().tolist(), "shape": value.shape}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"fields": {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


def _array(value: Any) -> Any:
    """The inverse of `_plain`."""
    if isinstance(value, dict) and "fields" in value:
        return {name: _array(one) for name, one in value["fields"].items()}
    if isinstance(value, dict):
        return np.array(value["array"], dtype=float).reshape(value["shape"])
    if isinstance(value, list):
        return tuple(_array(one) for one in value)
    return value
