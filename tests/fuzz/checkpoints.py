"""Changed checkpoints: the run goes on to the same bits, or says by name why not; it never ends elsewhere."""

import json
import shutil
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import spacedyn as sd

from .robots import equipped
from .run_files import DOUBLES
from .violations import WrongResult

_END, _UNTIL = 1.0, 1.5  # s


@sd.law(period=0.05, delay=0.07, states={"sum": 1})
def lean(t, s, p, out):
    """A sampled law with a delay and a state."""
    out.sum[0] = s.sum[0] + s.q[0]
    out.tau[0] = -p.k * s.q[0] - 0.1 * s.sum[0]


@sd.law
def drive(t, s, p, out):
    """A law that commands a motor beyond what it has."""
    out.elbow.torque[0] = p.torque * np.sin(5.0 * t)


def started() -> list[tuple[sd.Model, sd.State, dict[str, Any]]]:
    """What is simulated: one robot under a law, a batch, one with events that lock a joint, two with elements."""
    robot = sd.load("planar_four_link")
    lock = sd.Event(sd.joint_reaches("joint2", 0.1), action=sd.actions.lock("joint2"))
    stick = sd.BristleFriction("joint1", coulomb=0.05, static=0.08, stiffness=50.0, damping=1.0)
    motor = sd.Motor("joint2", stall_torque=0.1, no_load_speed=1.0, name="elbow")
    return [
        (robot, robot.state(qd=[0.3, 0.2, -0.1, 0.3]), {"laws": [lean(k=2.0)]}),
        (robot, robot.state(qd=[[0.3, 0, 0, 0.1], [0.5, 0.1, 0, 0], [-0.2, 0, 0.1, 0]]), {}),
        (robot, robot.state(qd=[0.1, 0.2, 0.1, 0.0]), {"events": [lock]}),
        (robot, robot.state(qd=[0.1, 0, 0, 0]), {"laws": [drive(torque=0.3)], "elements": [stick, motor]}),
        equipped(),
    ]


@dataclass(frozen=True)
class Change:
    """Numbers of a run's checkpoints, by their places from 0 to 1, and what they become.

    Attributes
    ----------
    run : int
        Which of those that were started.
    every : bool
        Whether it is the place in every checkpoint, or in all of them together.
    numbers : tuple of (place, value)
        From 0 to 1; what stands there.
    """

    run: int
    every: bool
    numbers: tuple[tuple[float, float], ...]


class Checkpoints:
    """Numbers of `checkpoints.f64` changed, then resumed."""

    name, suffix = "checkpoints", ".json"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Simulate, and go on once without a change."""
        self._folder, self._case = folder, folder / "case"
        self._started = started()
        self._ends, self._counts = [], []  # type: tuple[list[bytes], list[int]]
        for i, (robot, state, options) in enumerate(self._started):
            sd.simulate(robot, state, _END, record=0.02, stream=folder / f"run{i}", progress=False, **options)
            self._counts.append(len(sd.Run.load(folder / f"run{i}")._checkpoints))
            self.place(Change(i, False, ()))
            self._ends.append(self._resumed(i)._rows.tobytes())

    def make(self, rng: Random) -> Change:
        """One number, or a few."""
        count = rng.choice((1, 1, 1, 2, 5))
        run, every = rng.randrange(len(self._started)), rng.random() < 0.7
        return Change(run, every, tuple((rng.random(), rng.choice(DOUBLES)) for _ in range(count)))

    def place(self, given: Change) -> None:
        """A copy of the folder, changed."""
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._folder / f"run{given.run}", self._case)
        file = self._case / "checkpoints.f64"
        data = bytearray(file.read_bytes())
        parts = self._counts[given.run] if given.every else 1
        size = len(data) // parts
        for place, value in given.numbers:
            for part in range(parts):
                struct.pack_into("<d", data, part * size + int(place * (size // 8)) * 8, value)
        file.write_bytes(data)

    def _resumed(self, run: int) -> sd.Run:
        loaded = sd.Run.load(self._case)
        return loaded.resume(until=_UNTIL, progress=False, **self._started[run][2])

    def attempt(self, given: Change) -> None:
        """Go on, and compare every bit."""
        rows = self._resumed(given.run)._rows
        if rows.tobytes() != self._ends[given.run]:
            finite = bool(np.isfinite(rows).all())
            raise WrongResult(f"a changed checkpoint gave another end, finite {finite}")

    def saved(self, given: Change) -> bytes:
        """As JSON."""
        return json.dumps(asdict(given)).encode()


KINDS = {"checkpoints": Checkpoints}
