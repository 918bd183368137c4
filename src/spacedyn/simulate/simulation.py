"""The description of a run, and its JSON form, which repeats the run if the code of its laws is given."""

import dataclasses
import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.element import Element
from ..elements.prescribed import Prescribed, read_prescribed
from ..elements.stored import element_of, element_text
from ..errors import InputError, ModelWarning, warn_user
from ..kernels.scalar.compiling import SOURCES
from ..laws.conditions import Condition
from ..laws.law import Law
from ..model.files.toml import read_stored_model
from ..model.model import Model, robot_of
from ..model.state import State
from ..model.values import shown
from . import methods
from .channels import present_name
from .events import Event, EventRecord
from .layout import Layout
from .methods import Method
from .stored_laws import LawRecord, record_of
from .stored_motions import motion_of, motion_text
from .stored_text import arrays, parse_object, plain

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Simulation:
    """The frozen, checked description of a run: the arguments of `simulate`. A run keeps the one that made it.

    Attributes
    ----------
    model, state, laws, method, gravity, prescribed, modes, elements, events
        What was simulated and how, as `simulate` takes it; of laws, motions and events a file holds records only.
    start, end : float
        Start and end of the run as requested [s].
    record : float, (times,) or 'steps'
        What was to be recorded.
    channels : tuple of str
        Which of a row's channels are kept.
    budget : float
        Acceptable relative error of the ledger.
    own_steps : bool
        Whether every robot of a batch takes steps of its own.
    kernels : str
        Version of the kernels' sources: another version need not reproduce every bit.
    notes : tuple of str
        Findings when it was resumed from a file, such as a skipped damaged checkpoint.
    """

    model: Model
    state: State
    laws: tuple[Any, ...]
    method: Method
    gravity: Array | None
    prescribed: dict[str, Any]
    modes: dict[str, str]
    elements: tuple[Element, ...]
    events: tuple[Event | EventRecord, ...]
    start: float
    end: float
    record: float | Array | str
    channels: tuple[str, ...]
    budget: float
    own_steps: bool = False
    kernels: str = SOURCES
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Replace each element by the form that the method takes (`Element.under`)."""
        stepping = self.method.steps_through_contact
        object.__setattr__(self, "elements", tuple(one.under(stepping) for one in self.elements))

    @cached_property
    def layout(self) -> Layout:
        """The layout of its arrays."""
        return Layout(self.model, self.laws, self.elements, self.events, self.method.steps_through_contact)

    @cached_property
    def joints(self) -> list[Prescribed]:
        """The joints that are or may be held."""
        return read_prescribed(self.model, self.prescribed, self.modes, self.start, self.end, self.layout.switching)

    @cached_property
    def conditions(self) -> list[Condition]:
        """Conditions of its events, for this robot; none if it was read from a file."""
        return [event.condition.of(self.model) for event in self.events if isinstance(event, Event)]

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch; () for one robot."""
        return self.state.shape

    @property
    def robots(self) -> int:
        """How many robots a record holds."""
        return self.state.count

    def model_of(self, robot: tuple[int, ...]) -> Model:
        """The model of one robot of the batch."""
        return robot_of(self.model, int(np.ravel_multi_index(robot, self.shape)) if robot else 0)

    @property
    def staggered(self) -> bool:
        """Whether robots of a batch may end at different times."""
        return bool(self.shape) and any(event.terminal for event in self.events)

    def to_text(self) -> str:
        """The simulation as JSON, without the state; numbers are exact to the last bit."""
        return json.dumps(
            {
                "model": self.model.to_toml(),
                "model_digest": self.model.digest,
                "laws": [plain(vars(record_of(law))) for law in self.laws],
                "method": _settings(self.method),
                "elements": [element_text(one) for one in self.elements],
                "internal": {name: plain(value) for name, value in self.state.internal.items()},
                "events": [vars(event.record) for event in self.events],
                "gravity": None if self.gravity is None else self.gravity.tolist(),
                "modes": self.modes,
                "prescribed": {joint: motion_text(motion) for joint, motion in self.prescribed.items()},
                "start": self.start,
                "end": self.end,
                "record": plain(self.record),
                "channels": self.channels,
                "budget": self.budget,
                "own_steps": self.own_steps,
                "shape": self.shape,
                "kernels": self.kernels,
                "notes": self.notes,
            }
        )

    def physics(self) -> bytes:
        """The data that determine every record, as bytes: the same in a program and after a file was read."""
        laws = [record_of(law) for law in self.laws]
        functions = {name: record_of(one) for name, one in self.prescribed.items() if isinstance(one, Law | LawRecord)}
        text = {
            "model": self.model.digest,
            "laws": [plain({**vars(law), "source": ""}) for law in laws],
            "method": _settings(self.method),
            "elements": [{**element_text(one), "source": ""} for one in self.elements],
            "internal": {name: plain(value) for name, value in self.state.internal.items()},
            "gravity": None if self.gravity is None else self.gravity.tolist(),
            "modes": self.modes,
            "prescribed": {
                joint: plain({**vars(functions[joint]), "source": ""}) if joint in functions else motion_text(motion)
                for joint, motion in self.prescribed.items()
            },
            "start": self.start,
            "channels": self.channels,
            "own_steps": self.own_steps,
            "shape": self.shape,
        }
        return json.dumps(text, sort_keys=True).encode() + self.state._data.astype("<f8").tobytes()

    @classmethod
    def from_text(cls, text: str, state: Array, folders: Sequence[Path] = ()) -> "Simulation":
        """Read what `to_text` wrote; the state comes as numbers (…, 7 + nq + nv), meshes from these folders only."""
        made = parse_object(text, "what made the run")
        if not isinstance(made["model"], str):
            raise InputError("model: expected the text of a robot")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # given when the model was built
            model, outside = read_stored_model(made["model"], folders)
        if outside:
            warn_user(
                f"robot '{model.name}' of the run: {len(outside)} meshes lie outside its folder and will not be drawn, "
                f"the first being {shown(outside[0])}; if you trust them, Run.load(…, folders=[…]) or --allow FOLDER",
                ModelWarning,
            )
        if model.digest != made["model_digest"]:
            raise InputError(f"the file's model '{model.name}' is not the one that made the run: it has been changed")
        shape, width = made["shape"], 7 + model.nq + model.nv
        if not all(type(size) is int and size >= 0 for size in shape) or math.prod(shape) * width != state.size:
            raise InputError(f"the state at the start has {state.size} numbers, not those of robots {shape}")
        if tuple(shape[len(shape) - len(model.shape) :]) != model.shape:
            raise InputError(
                f"the robots of the file's model are {model.shape}, those of the state at the start {shape}"
            )
        return cls(
            model,
            State(model, np.array(state, dtype=float, order="C").reshape(*shape, width)).with_internal(
                {name: arrays(value) for name, value in made.get("internal", {}).items()}
            ),
            tuple(LawRecord(**arrays(law)) for law in made["laws"]),
            _method_of(made["method"]),
            None if made["gravity"] is None else np.array(made["gravity"]),
            {joint: motion_of(text) for joint, text in made["prescribed"].items()},
            made.get("modes", {}),
            tuple(element_of(one) for one in _listed(made["elements"])),
            tuple(EventRecord(**event) for event in made["events"]),
            made["start"],
            made["end"],
            arrays(made["record"]),
            tuple(present_name(str(name)) for name in made["channels"]),
            made["budget"],
            made.get("own_steps", False) is True,
            made["kernels"],
            tuple(made.get("notes", ())),
        )


def _listed(given: Any) -> list[Any]:
    """Read the elements that a file lists."""
    if not isinstance(given, list):
        raise InputError(f"elements: expected a list, got {str(given)[:40]!r}")
    return given


def _settings(method: Method) -> dict[str, Any]:
    """A method by its name and settings."""
    settings = {f.name: plain(getattr(method, f.name)) for f in dataclasses.fields(method)}
    return {"name": type(method).__name__, "settings": settings}


def _method_of(text: dict[str, Any]) -> Method:
    """The inverse of `_settings`."""
    found = getattr(methods, text["name"], None)
    if not (isinstance(found, type) and issubclass(found, Method)):
        raise InputError(f"the run was made by a method '{text['name']}', which this version does not have")
    return found(**arrays(text["settings"]))


class Recorded:
    """The base class of `Run`, for modules below it that take a run."""

    simulation: Simulation
