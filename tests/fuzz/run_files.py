"""Saved runs, damaged: NetCDF files by bytes, numbers and variables; folders by files, lines and numbers."""

import io
import json
import os
import shutil
import struct
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import xarray

import spacedyn as sd

from .hostile import Names
from .mutations import Text, by_bytes, by_tokens
from .run_seeds import runs
from .trees import changed_table
from .violations import WrongResult

DOUBLES = (float("nan"), float("inf"), -1.0, 0.0, 1.0, 3.0, 1e300, -1e300, 1e9, 2.0**62, 5e-324, 0.5, -0.0)


def check(run: sd.Run) -> None:
    """What was loaded must be a run: rising times, finite states of the model's width, unit quaternions."""
    data, width = run.states._data, 7 + run.model.nq + run.model.nv
    states = [event.state for event in run.events] + [event.after for event in run.events]
    if any(state._data.shape[-1:] != (width,) for state in (run.states, run.simulation.state, *states)):
        raise WrongResult("a run was loaded with states of the wrong width")
    if not all(np.isfinite(state._data).all() for state in (run.states, run.simulation.state, *states)):
        raise WrongResult("a run was loaded with states that are not finite")
    if run.time.size > 1 and not (np.diff(run.time) > 0.0).all():
        raise WrongResult("a run was loaded whose times do not rise")
    if data.size and (np.abs(np.linalg.norm(data[..., 3:7], axis=-1) - 1.0) > 1e-6).any():
        raise WrongResult("a run was loaded with quaternions that are not of unit length")
    if run.time.size:
        run.audit()


class RunFiles:
    """NetCDF files."""

    name, suffix = "run_file", ".nc"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Make the runs."""
        self._names, self._path, self._files = Names(bait), folder / "case.nc", []
        self._data: list[xarray.Dataset] = []
        for run in runs(folder):
            run.save(self._path)
            self._files.append(self._path.read_bytes())
            with xarray.open_dataset(self._path, engine="scipy", decode_times=False) as data:
                self._data.append(data.load())
            self.place(self._files[-1])
            self.attempt(self._files[-1])

    def make(self, rng: Random) -> bytes:
        """A changed file."""
        at, way = rng.randrange(len(self._files)), rng.random()
        data = self._files[at]
        if way < 0.3:
            return by_bytes(rng, data, rng.choice(self._files), 0, rng.choice((100, 3000, None)))
        if way < 0.6:
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 2, 5))):
                place = rng.randrange(len(data) // 4 - 1) * 4
                struct.pack_into(">d", changed, place, rng.choice(DOUBLES))
            return bytes(changed)
        if way < 0.7:
            return by_tokens(rng, Text("", data), self._names)
        return self._rewritten(rng, self._data[at])

    def _rewritten(self, rng: Random, data: xarray.Dataset) -> bytes:
        """The same with variables and attributes changed, as a file that is whole."""
        changed = data.copy(deep=False)
        for _ in range(rng.choice((1, 1, 2))):
            changed = _changed_dataset(rng, changed, self._names)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return bytes(changed.to_netcdf(None, engine="scipy", format="NETCDF3_64BIT"))
        except Exception:  # a change that such a file cannot hold
            return b"CDF\x02"

    def place(self, given: bytes) -> None:
        """Write it."""
        self._path.write_bytes(given)

    def attempt(self, given: bytes) -> None:
        """Load it."""
        check(sd.Run.load(self._path))

    def saved(self, given: bytes) -> bytes:
        """As it is."""
        return given


def _changed_dataset(rng: Random, data: xarray.Dataset, names: Names) -> xarray.Dataset:
    name: Any = rng.choice(list(data.variables))
    match rng.randrange(6):
        case 0:
            return data.drop_vars(name)
        case 1:
            size: Any = rng.choice(list(data.sizes))
            return data.isel({size: slice(0, rng.randrange(data.sizes[size] + 1))})
        case 2 if np.issubdtype(data[name].dtype, np.floating) and data[name].size:
            values = np.array(data[name].values)
            values.flat[rng.randrange(values.size)] = rng.choice(DOUBLES)
            return data.assign({name: (data[name].dims, values)})
        case 3:
            other: Any = rng.choice(list(data.variables))
            return data.assign({name: (data[other].dims, np.array(data[other].values))})
        case _:
            key = rng.choice(list(data.attrs))
            return data.assign_attrs({key: _changed_attribute(rng, data.attrs[key], names)})


def _changed_attribute(rng: Random, value: Any, names: Names) -> Any:
    if rng.random() < 0.1:
        return rng.choice((float("nan"), 0.0, "", "[]", "{}", "null", names.one(rng)))
    if not isinstance(value, str):
        return rng.choice(DOUBLES)
    return changed_json(rng, value.encode(), names).decode("utf-8", "replace")


def changed_json(rng: Random, data: bytes, names: Names) -> bytes:
    """A JSON text changed by structure, by tokens or by bytes."""
    way = rng.random()
    if way < 0.6:
        try:
            return json.dumps(changed_table(rng, {"": json.loads(data)}, names).get(""), default=str).encode()
        except (ValueError, RecursionError):  # text that is not JSON
            pass
    return by_tokens(rng, Text("", data), names) if way < 0.8 else by_bytes(rng, data)


class RunFolders:
    """Folders; one is the content of its files by name, or what stands in place of a file."""

    name, suffix = "run_folder", ".zip"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Make the runs."""
        self._names, self._path, self._bait = Names(bait), folder / "case", bait
        runs(folder)
        self._folders: list[dict[str, bytes | str | None]] = [
            {file.name: file.read_bytes() for file in sorted((folder / name).iterdir())} for name in "0123"
        ]
        for content in self._folders:
            self.place(content)
            self.attempt(content)

    def make(self, rng: Random) -> dict[str, bytes | str | None]:
        """A damaged folder."""
        content: dict[str, bytes | str | None] = dict(rng.choice(self._folders))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            name = rng.choice(sorted(content))
            content[name] = self._changed(rng, content, name)
        return content

    def _changed(self, rng: Random, content: dict[str, bytes | str | None], name: str) -> bytes | str | None:
        data, way = content[name], rng.random()
        if not isinstance(data, bytes) or way < 0.03:
            return rng.choice((None, "folder", "pipe", "link", b""))
        if way < 0.06:
            return rng.choice([one for one in content.values() if isinstance(one, bytes)])
        if name.endswith(".f64"):
            return _changed_numbers(rng, data)
        if name.endswith(".jsonl") and way < 0.7:
            lines = data.splitlines(keepends=True) or [b""]
            at = rng.randrange(len(lines))
            lines[at] = rng.choice((b"", lines[at] * 2, changed_json(rng, lines[at], self._names) + b"\n"))
            return b"".join(lines)
        return changed_json(rng, data, self._names)

    def place(self, given: dict[str, bytes | str | None]) -> None:
        """Write it."""
        shutil.rmtree(self._path, ignore_errors=True)
        self._path.mkdir()
        for name, data in given.items():
            match data:
                case bytes():
                    (self._path / name).write_bytes(data)
                case "folder":
                    (self._path / name).mkdir()
                case "pipe":
                    os.mkfifo(self._path / name)
                case "link":
                    (self._path / name).symlink_to("/dev/zero")

    def attempt(self, given: dict[str, bytes | str | None]) -> None:
        """Load it."""
        check(sd.Run.load(self._path))

    def saved(self, given: dict[str, bytes | str | None]) -> bytes:
        """As an archive; what is no file is told by its name."""
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            for name, data in given.items():
                if isinstance(data, bytes):
                    file.writestr(name, data)
                else:
                    file.writestr(f"{name}.{data}", b"")
        return archive.getvalue()


def _changed_numbers(rng: Random, data: bytes) -> bytes:
    """Doubles replaced; or cut, lengthened, changed by bytes."""
    way = rng.random()
    if way < 0.2 or len(data) < 16:
        return by_bytes(rng, data)
    if way < 0.3:
        return data + data[: rng.choice((1, 8, 80, 800))]
    if way < 0.4:
        return data[: rng.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        struct.pack_into("<d", changed, rng.randrange(len(data) // 8) * 8, rng.choice(DOUBLES))
    return bytes(changed)


KINDS = {kind.name: kind for kind in (RunFiles, RunFolders)}
