"""The bounding box of a mesh file in a format that is quick to read: STL or OBJ."""

import re
from pathlib import Path

import numpy as np

MAX_BYTES = 100_000_000


def mesh_bounds(file: Path) -> tuple[np.ndarray, np.ndarray] | None:
    """Smallest and largest coordinates (3,) in a mesh, in the file's units; None if they are not known."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    points = _stl(data) if file.suffix.lower() == ".stl" else _obj(data) if file.suffix.lower() == ".obj" else None
    if points is None or len(points) == 0 or not np.isfinite(points).all():
        return None
    return points.min(axis=0), points.max(axis=0)


def _stl(data: bytes) -> np.ndarray | None:
    if len(data) >= 84:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == 84 + 50 * count and count:
            record = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("rest", "<u2")])
            return np.frombuffer(data, record, count, 84)["points"].reshape(-1, 3).astype(float)
    return _rows(re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data))


def _obj(data: bytes) -> np.ndarray | None:
    return _rows(re.findall(rb"^v\s+(\S+)\s+(\S+)\s+(\S+)", data, re.MULTILINE))


def _rows(rows: list[tuple[bytes, ...]]) -> np.ndarray | None:
    try:
        return np.array(rows, dtype=float)
    except ValueError:
        return None
