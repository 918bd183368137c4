"""What a simulation recorded, as arrays over time: states, channels, motion of frames, energy and momentum."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..elements.element import Element, element_names
from ..elements.faults import Fault
from ..errors import InputError, NamesItsAttributes, UnknownName
from ..model.state import State
from ..quantities.kinematics import FrameMotion, frame_motion
from ..quantities.momentum import kinetic_energy, momentum, potential_energy
from ..reals import one_number
from ..signatures import checked_arguments
from ..simulate.channels import kept_columns, present_name
from ..simulate.events import EventOccurrence
from ..simulate.simulation import Recorded, Simulation

if TYPE_CHECKING:
    import xarray

    from ..simulate.checkpoints import Checkpoint

Array = np.ndarray


class Energy(NamedTuple):
    """Energies over time, each (times, …) [J].

    Attributes
    ----------
    kinetic : array
        Of all bodies and rotors.
    potential : array
        Of uniform gravity, and all of `stored`.
    stored : array
        In springs and end stops of joints, and in elements: springs, bristles, the potential of a CentralGravity.
    """

    kinetic: Array
    potential: Array
    stored: Array

    @property
    def total(self) -> Array:
        """Kinetic and potential."""
        return self.kinetic + self.potential

    @property
    def gravitational(self) -> Array:
        """That of uniform gravity, `gravity=`: -m g.r. The potential of a CentralGravity is in `stored`."""
        return self.potential - self.stored

    @property
    def elastic(self) -> Array:
        """The former name of `stored`."""
        return self.stored


class Record(Recorded, NamesItsAttributes):
    """The arrays of a run; `Run` lists the attributes."""

    _instead: ClassVar[Mapping[str, str]] = {
        "t": "times are run.time [s]; each robot's own, which stands still when it has ended, is run['t']",
        "times": "times are run.time [s]",
        "names": "run.keys() are the names that run[...] takes; run.model has those of bodies and joints",
        "q": "coordinates are run['q'] or run.states.q",
        "qd": "rates are run['qd'] or run.states.qd",
        "state": "run.final is the last state, run.at(time) that of a time, run.states are all",
    }

    def __init__(
        self,
        simulation: Simulation,
        rows: Array,
        checkpoints: "Sequence[Checkpoint]",
        folder: Path | None,
        status: str,
        ledger: Array | None,
        events: Sequence[EventOccurrence] = (),
        version: int = 0,
    ):
        self.simulation, self.status, self.folder, self.notes = simulation, status, folder, simulation.notes
        self.model, self.laws, self.method, self.gravity = (
            simulation.model,
            simulation.laws,
            simulation.method,
            simulation.gravity,
        )
        self.shape, self.elements = simulation.shape, simulation.elements
        self.events = tuple(sorted(events, key=lambda event: event.time))
        self._all_columns = simulation.layout.row
        self._columns = kept_columns(self._all_columns, simulation.channels)
        self._rows, self._checkpoints, self._ledger, self._version = rows, tuple(checkpoints), ledger, version
        times = rows[..., 0].reshape(len(rows), simulation.robots)
        self.time = times.max(axis=1) if simulation.staggered else np.array(times[:, 0])

    @property
    def forces(self) -> tuple[Element, ...]:
        """The former name of `elements`; `run["forces"]` are the generalized forces."""
        return self.elements

    def __getitem__(self, name: str) -> Array:
        """A channel (times, …): t, x, u, law_states, element_states, forces, udot, wrenches, modes, the ledger.

        'forces', 'udot' and 'u' are in the order of u, the base's first: (times, …, nv). Variables of `data` go by
        their names, too: 'tau' is what acts at the joints alone, beside 'q', 'qd', 'base_position'. Channels of one
        number share an array with a column for each element, 'gap'; that of one element is 'foot0.gap', (times, …, 1).

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, record=0.5, prescribed={"joint2": "locked"})
        >>> run["tau"].shape, run["forces"].shape, bool((run["tau"] == run["forces"][:, 6:]).all())
        ((3, 6), (3, 12), True)
        """
        name = present_name(name) if isinstance(name, str) else name
        if not isinstance(name, str) or name not in self._all_columns:
            if isinstance(name, str) and name in self.data:
                return np.asarray(self.data[name].values)
            if isinstance(name, str) and name in self._shared:
                channel, column = self._shared[name]
                return self[channel][..., column : column + 1]
            raise UnknownName("channel", name, self.keys())
        if name not in self._columns:
            raise InputError(
                f"the channel '{name}' was not recorded; simulate with channels=['{name}', ...], or without channels"
            )
        return self._rows[..., self._columns[name]]

    def keys(self) -> list[str]:
        """Names that `run[...]` takes: channels, and variables of `data`.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.neutral_state(), 1.0)
        >>> "q" in run, "udot" in run.keys(), "typo" in run
        (True, True, False)
        """
        filled = [name for name, part in self._columns.items() if part.stop > part.start]
        shared = [name for name, (channel, _) in self._shared.items() if channel in self._columns]
        return list(dict.fromkeys([*filled, *(str(name) for name in self.data.data_vars), *shared]))

    @cached_property
    def _shared(self) -> dict[str, tuple[str, int]]:
        """Channels of one number by their elements' names: the channel of all elements, and the column there."""
        layout = self.simulation.layout
        return {
            f"{name}.{block.name}": (block.name, i)
            for i, (name, one) in enumerate(zip(layout.names, layout.elements, strict=True))
            for block in one.channels
            if block.size == 1
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    @property
    def _state_columns(self) -> slice:
        return slice(self._columns["x"].start, self._columns["u"].stop)

    @cached_property
    def states(self) -> State:
        """The states at all recorded times: a batch (times, …)."""
        return self._states(self._rows)

    def _states(self, rows: Array) -> State:
        """States of some rows, with those of elements, if they were recorded."""
        made = State(self.model, np.array(rows[..., self._state_columns], order="C"))
        layout, internal = self.simulation.layout, {}
        if "element_states" in self._columns:
            at = self._columns["element_states"].start - layout.law_states
            for name, part in layout.states.items():
                if part.start >= layout.law_states:
                    internal[name] = np.array(rows[..., at + part.start : at + part.stop])
        return made._carrying(internal)

    @checked_arguments()
    def at(self, time: float) -> State:
        """The state at a recorded time [s]; there is none between them.

        Raises InputError if that time was not recorded, with those that were.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
        >>> run.at(1.5).q.shape
        (6,)
        """
        return self._states(self._rows[self.index(time)])

    @checked_arguments()
    def index(self, time: float) -> int:
        """Which record is of a time [s]."""
        if not self.time.size:
            raise InputError("nothing was recorded")
        time = one_number("time", time, "a time [s]")
        nearest = int(np.argmin(np.abs(self.time - time)))
        if abs(self.time[nearest] - time) <= 1e-9 * max(abs(time), 1e-3):
            return nearest
        span = f"from {self.time[0]:g} to {self.time[-1]:g} s"
        later = int(np.searchsorted(self.time, time))
        found = " and ".join(f"{t:.12g}" for t in self.time[max(later - 1, 0) : later + 1])
        raise InputError(f"there is no record of t = {time:g} s; the nearest of {self.time.size} {span} are {found} s")

    @property
    def final(self) -> State:
        """The state at the last recorded time."""
        if not self.time.size:
            raise InputError("nothing was recorded")
        return self._states(self._rows[-1])

    @property
    def ended(self) -> Any:
        """(…) [s] when each robot ended: at its terminal event, or with the run.

        Records of a batch are of common times. A robot that ends earlier than others is kept in them as it was at its
        end: state, forces and ledger stand still, and so does its own time `run["t"]`.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> states = robot.state(qd=[[0.1, 0, 0, 0], [0.2, 0, 0, 0], [-0.1, 0, 0, 0]])
        >>> stop = sd.Event(sd.joint_reaches("joint1", 0.5), terminal=True)
        >>> run = sd.simulate(robot, states, 8.0, events=[stop])
        >>> run.status, run.ended.round(3).tolist(), [event.robot for event in run.events]
        ('done', [6.721, 3.36, 8.0], [(1,), (0,)])
        >>> run.final.q[:, 0].round(3).tolist()
        [0.5, 0.5, -0.529]
        """
        if not self.time.size:
            raise InputError("nothing was recorded")
        ended = np.array(self._rows[-1][..., 0])
        for event in self.events:
            if event.terminal:  # the last record may be earlier
                ended[event.robot] = max(ended[event.robot], event.time)
        return ended[()]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Devices that failed while it was recorded, in order: when [s], the element's name, and how.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> counts = sd.Encoder("joint2", period=0.1, fail_at=0.75, fault="frozen", name="counts")
        >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[counts])
        >>> print(run.faults[0])
        at 0.75 s counts failed: frozen
        """
        last = self.time[-1] if self.time.size else -np.inf
        names = zip(element_names(self.simulation.elements), self.simulation.elements, strict=True)
        found = []
        for name, one in names:
            found += [Fault(when, name, how) for when, how in one.faults if when <= last]
            if self.time.size and "element_states" in self.simulation.channels:
                values = {b.name: self[f"{name}.{b.name}"][-1].reshape(-1, b.size) for b in one.internal_blocks}
                found += [Fault(when, name, how) for when, how in one.happened(values)]
        return tuple(sorted(found))

    def endpoint(self, name: str) -> FrameMotion:
        """Pose and velocity of an endpoint over time, acceleration too if 'udot' was recorded; inertial axes.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
        >>> hand = run.endpoint("hand")
        >>> hand.position.shape, hand.rotation.shape, hand.velocity.shape, hand.acceleration.shape
        ((5, 3), (5, 3, 3), (5, 6), (5, 6))
        """
        place = self.model.endpoint(name)
        body = self.model.body_index(place.body)
        return frame_motion(self.model, self.states, name, body, place.position, place.rotation, self._udot())

    def body(self, name: str) -> FrameMotion:
        """Pose and velocity of a body's frame over time, acceleration too if 'udot' was recorded; inertial axes."""
        body = self.model.body_index(name)
        return frame_motion(self.model, self.states, name, body, np.zeros(3), np.eye(3), self._udot())

    def _udot(self) -> Array | None:
        return np.array(self["udot"], order="C") if "udot" in self._columns else None

    def energy(self) -> Energy:
        """Kinetic and potential energy over time (times, …) [J]; the latter of gravity, joints and elements.

        `stored` is the part that springs of joints, their end stops, and elements hold.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0)
        >>> bool(np.ptp(run.energy().total) < 1e-9)
        True
        """
        potential = potential_energy(self.model, self.states, gravity=self.gravity)
        stored = potential_energy(self.model, self.states)
        if self.elements:
            in_elements = self["element_energy"].sum(-1)
            potential, stored = potential + in_elements, stored + in_elements
        return Energy(kinetic_energy(self.model, self.states), potential, stored)

    def momentum(self, *, about: str | ArrayLike = "com") -> Array:
        """Linear and angular momentum over time (times, …, 6); the latter about 'com', 'base', 'origin' or a point.

        Of the robot's bodies, without what elements carry: propellant, modes (`run["carried"]`).
        """
        return momentum(self.model, self.states, about=about)

    @cached_property
    def data(self) -> "xarray.Dataset":
        """Everything recorded, as an xarray Dataset with named joints, axes and units."""
        from .dataset import dataset

        return dataset(self)

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """What made it: the model's digest, versions, method, gravity, status."""
        import numba

        return {
            "model": self.model.name,
            "model_digest": self.model.digest,
            "method": repr(self.method),
            "laws": [law.name for law in self.laws],
            "elements": self.simulation.layout.names,
            "gravity": [0.0, 0.0, 0.0] if self.gravity is None else self.gravity.tolist(),
            "start": self.simulation.start,
            "end": self.simulation.end,
            "status": self.status,
            "spacedyn": sys.modules[__name__.partition(".")[0]].__version__,
            "numpy": np.__version__,
            "numba": numba.__version__,
        }
