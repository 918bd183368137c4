"""Tables of modes in files, as finite-element programs export them: CSV or NPZ."""

import csv
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError

Array = np.ndarray
COLUMNS = ("frequency", "damping", "d0x", "d0y", "d0z", "d1x", "d1y", "d1z")
"""Columns of a CSV file, in any order: [Hz], the ratio, shares of linear [√kg] and of angular momentum [√kg m]."""
ARRAYS = ("frequencies", "damping", "delta0", "delta1")
"""Arrays of an NPZ file."""
_MAX_BYTES = 10_000_000


def read_mode_table(path: str | Path) -> dict[str, Array]:
    r"""Frequencies, damping, delta0 and delta1 of a file, by their names; what is missing counts as zero.

    Raises
    ------
    InputError
        With the file and what is wrong: no file, another ending, unknown columns, numbers that are none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "panel.csv"
    >>> _ = file.write_text("frequency,damping,d1z\n0.2,0.005,24.5\n0.9,0.005,7.0\n")
    >>> read_mode_table(file)["delta1"].tolist()
    [[0.0, 0.0, 24.5], [0.0, 0.0, 7.0]]
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"table of modes {str(file)!r}: there is no such file")
    if file.stat().st_size > _MAX_BYTES:
        raise InputError(f"table of modes {str(file)!r}: it has more than {_MAX_BYTES} bytes")
    try:
        return _from_npz(file) if file.suffix == ".npz" else _from_csv(file)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, csv.Error) as reason:
        if isinstance(reason, InputError):
            raise
        raise InputError(f"table of modes {str(file)!r} cannot be read: {reason}") from None


def _from_npz(file: Path) -> dict[str, Array]:
    with np.load(file, allow_pickle=False) as found:
        unknown = sorted(set(found.files) - set(ARRAYS))
        if unknown or "frequencies" not in found.files:
            raise ValueError(f"expected arrays {', '.join(ARRAYS)}, at least frequencies; got {', '.join(found.files)}")
        return {name: np.asarray(found[name], dtype=float) for name in found.files}


def _from_csv(file: Path) -> dict[str, Array]:
    with file.open(newline="", encoding="utf-8-sig") as text:
        rows: list[dict[str, Any]] = list(csv.DictReader(text))
    if not rows:
        raise ValueError("it has no rows below its header")
    header = [str(name).strip() for name in rows[0]]
    if "frequency" not in header or not set(header) <= set(COLUMNS):
        raise ValueError(f"expected columns {', '.join(COLUMNS)}, at least frequency; got {', '.join(header)}")
    table = {name: np.zeros(len(rows)) for name in COLUMNS}
    for i, row in enumerate(rows):
        for name, value in row.items():
            try:
                table[name.strip()][i] = float(value)
            except (TypeError, ValueError):
                raise ValueError(f"line {i + 2}, column {name}: expected a number, got {value!r}") from None
    shares = [np.column_stack([table[f"{which}{axis}"] for axis in "xyz"]) for which in ("d0", "d1")]
    return {"frequencies": table["frequency"], "damping": table["damping"], "delta0": shares[0], "delta1": shares[1]}
