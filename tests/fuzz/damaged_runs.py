"""Saved runs and stream folders, damaged, and checkpoints changed: each is a run, or an InputError that names the file.

    seeds = Seeds(folder)                            # a few runs, saved and streamed
    for case in damaged_run_cases(rng, seeds, 1000):
        try_case(case, seeds, folder)                # AssertionError if it is neither

A changed checkpoint must be found out: the run goes on to the same bits, or not at all. One whose digest was made anew
to fit (`forged`) may go on to other numbers, but never reads or writes outside of its arrays, and always ends.
"""

import json
import os
import shutil
import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

import spacedyn as sd
from spacedyn.simulate.checkpoints import RowDigest

from .robots import equipped

NUMBERS = (float("nan"), float("inf"), -1.0, 0.0, 1.0, 3.0, 1e6, -1e6, 1e300, 2.0**62, 5e-324, 0.5, -5.0, 123456.0)
TOKENS = ("-1", "1e999", "NaN", "null", '""', "[]", "{}", "true", "10000000000000", "0", "2.5", "[" * 3000, '"done"')
_UNTIL = 1.5  # where runs go on to


@sd.law(period=0.05, delay=0.07, states={"sum": 1})
def lean(t, s, p, out):
    """A sampled law with a delay and a state."""
    out.sum[0] = s.sum[0] + s.q[0]
    out.tau[0] = -p.k * s.q[0] - 0.1 * s.sum[0]


@dataclass(frozen=True)
class Case:
    """A damage: to a file of a seed's folder, to its NetCDF file, or to its checkpoints."""

    kind: str  # 'file', 'folder', 'checkpoint' or 'forged'
    seed: str
    name: str  # of the file in a folder
    content: bytes | None  # None: something that is no file
    place: float = 0.0  # in a checkpoint, from 0 to 1
    value: float = 0.0


class Seeds:
    """Runs to be damaged: one under a law, a batch with events, prescribed joints that are switched, devices.

    Parameters
    ----------
    folder : path
        Where they are put.
    """

    def __init__(self, folder: Path):
        robot = sd.load("planar_four_link")
        start, rates = robot.state(qd=[0.3, 0.2, -0.1, 0.3]), [[0.3, 0, 0, 0.1], [0.5, 0.1, 0, 0], [-0.2, 0, 0.1, 0]]
        stop = sd.Event(sd.joint_reaches("joint1", 0.2), terminal=True)
        lock = sd.Event(sd.joint_reaches("joint2", 0.1), action=sd.actions.lock("joint2"))
        move = {"joint4": sd.waypoints([0, 0.4, 1.2], [0.0, 0.2, 0.1])}
        self.options = {
            "law": {"laws": [lean(k=2.0)]},
            "batch": {"events": [stop]},
            "modes": {"events": [lock], "prescribed": move},
        }
        states = {"law": start, "batch": robot.state(qd=rates), "modes": robot.state(qd=[0.1, 0.2, 0.1, 0.0])}
        _, states["devices"], self.options["devices"] = equipped()
        self.folder, self.ends = folder, {}
        for name, options in self.options.items():
            start = states[name]
            run = sd.simulate(start.model, start, 1.0, record=0.02, stream=folder / name, progress=False, **options)
            run.save(folder / f"{name}.nc")
            again = sd.Run.load(folder / f"{name}.nc").resume(until=_UNTIL, progress=False, **self.given(name))
            self.ends[name] = again._rows.tobytes()
        self.files = {name: (folder / f"{name}.nc").read_bytes() for name in self.options}
        self.folders = {
            name: {file.name: file.read_bytes() for file in sorted((folder / name).iterdir())} for name in self.options
        }

    def given(self, name: str) -> dict:
        """What `resume` needs beside the file."""
        return {key: value for key, value in self.options[name].items() if key in ("laws", "events")}


def damaged_run_cases(rng: Random, seeds: Seeds, count: int) -> Iterator[Case]:
    """So many cases."""
    for _ in range(count):
        seed, kind = (
            rng.choice(sorted(seeds.files)),
            rng.choice(("file", "file", "folder", "folder", "checkpoint", "forged")),
        )
        if kind == "file":
            yield Case(kind, seed, "", _damaged(rng, seeds.files[seed], ">d"))
        elif kind == "folder":
            name = rng.choice(sorted(seeds.folders[seed]))
            data = seeds.folders[seed][name]
            text = name.endswith(("json", "jsonl"))
            damaged = _retold(rng, data) if text and rng.random() < 0.7 else _damaged(rng, data, "<d")
            yield Case(kind, seed, name, None if rng.random() < 0.05 else damaged)
        else:
            yield Case(kind, seed, "", b"", rng.random(), rng.choice(NUMBERS))


def _damaged(rng: Random, data: bytes, number: str) -> bytes:
    """Bytes flipped, set, cut or repeated; numbers replaced."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if len(changed) < 16:
            break
        at = rng.randrange(len(changed) - 8)
        match rng.randrange(6):
            case 0:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at : at + 4] = rng.randbytes(4)
            case 2:
                del changed[at : at + rng.choice((1, 8, 4000))]
            case 3:
                changed[at:at] = changed[at : at + rng.choice((1, 8, 400))]
            case 4:
                del changed[at:]
            case _:
                struct.pack_into(number, changed, at - at % 4, rng.choice(NUMBERS))
    return bytes(changed)


def _retold(rng: Random, data: bytes) -> bytes:
    """A value of a JSON text, or of one of its lines, replaced by another that JSON can hold."""
    lines = data.split(b"\n")
    at = rng.choice([i for i, line in enumerate(lines) if line] or [0])
    try:
        told = json.loads(lines[at])
    except ValueError:
        return data
    holder, key = told, rng.choice(sorted(told))
    while isinstance(holder[key], dict | list) and holder[key] and rng.random() < 0.8:
        holder = holder[key]
        key = rng.choice(sorted(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    holder[key] = "@@"
    lines[at] = json.dumps(told).replace('"@@"', rng.choice(TOKENS)).encode()
    return b"\n".join(lines)


def try_case(case: Case, seeds: Seeds, folder: Path) -> str:
    """What became of a case, in a word; AssertionError if that must not be."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = _try_load(case, seeds, folder) if case.kind in ("file", "folder") else _try_resume(case, seeds, folder)
    for warning in said:
        assert issubclass(warning.category, sd.RunWarning), f"{case}: a warning of others: {warning.message}"
    return found


def _try_load(case: Case, seeds: Seeds, folder: Path) -> str:
    path = folder / "case"
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    if case.kind == "file":
        path.write_bytes(case.content or b"")
    else:
        path.mkdir()
        for name, data in seeds.folders[case.seed].items():
            (path / name).write_bytes(data)
        (path / case.name).unlink()
        if case.content is None:
            os.mkfifo(path / case.name)
        else:
            (path / case.name).write_bytes(case.content)
    try:
        run = sd.Run.load(path)
    except sd.InputError as error:
        assert str(path) in str(error), f"{case}: the file is not named: {error}"
        return "refused"
    check_run(run)
    return "loaded"


def check_run(run: sd.Run) -> None:
    """What was loaded must be a run."""
    width = 7 + run.model.nq + run.model.nv
    states = [
        run.states,
        run.simulation.state,
        *(state for event in run.events for state in (event.state, event.after)),
    ]
    for state in states:
        assert state._data.shape[-1] == width and np.isfinite(state._data).all()
        lengths = np.linalg.norm(state._data[..., 3:7], axis=-1)
        assert np.all(np.abs(lengths - 1.0) < 1e-5), "a quaternion that is not of unit length"
    assert np.all(np.diff(run.time) > 0.0), "times that do not rise"
    if run.time.size:
        run.audit()
        sd.mass_matrix(run.model, run.final)
    for event in run.events:
        sd.mass_matrix(run.model, event.state)


def _try_resume(case: Case, seeds: Seeds, folder: Path) -> str:
    run = sd.Run.load(seeds.folder / f"{case.seed}.nc")
    changed = []
    for one in run._checkpoints:
        image = one.image.copy()
        image[int(case.place * image.size)] = case.value
        changed.append(replace(one, image=image))
    if case.kind == "forged":
        digest = RowDigest(run.simulation)
        for i, one in enumerate(changed):
            digest.add(run._rows[digest.records : one.records])
            changed[i] = replace(one, digest=digest.of(one))
    other = sd.Run(run.simulation, run._rows, changed, None, run.status, run._ledger, run.events)
    try:
        end = other.resume(until=_UNTIL, progress=False, **seeds.given(case.seed))
    except (sd.InputError, sd.SimulationFailed):
        return "refused"
    same = end._rows.tobytes() == seeds.ends[case.seed]
    assert same or case.kind == "forged", f"{case}: a changed checkpoint gave another end"
    return "same" if same else "different"
