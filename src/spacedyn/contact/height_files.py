"""Heights from files: NumPy arrays, text, ESRI's ASCII grids, images."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InputError

Array = np.ndarray
_MAX_BYTES = 200_000_000
_HEADER = ("ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "nodata_value")


class HeightTable(NamedTuple):
    """What a file says of heights: (nx, ny), x first; spacing and first corner if it has them."""

    heights: Array
    spacing: float | None
    corner: tuple[float, float] | None


def read_heights(path: str | Path) -> HeightTable:
    r"""Heights of a file: .npy, .txt or .csv (rows along y, from the first to the last), .asc, .png, .tif.

    Images and ASCII grids have their first row in the north: rows are turned over, so that y goes up.

    Raises
    ------
    InputError
        With the file and what is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "hill.asc"
    >>> _ = file.write_text("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2 3\n4 5 6\n")
    >>> read_heights(file).heights.tolist()
    [[4.0, 1.0], [5.0, 2.0], [6.0, 3.0]]
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"heights {str(file)!r}: there is no such file")
    if file.stat().st_size > _MAX_BYTES:
        raise InputError(f"heights {str(file)!r}: it has more than {_MAX_BYTES} bytes")
    readers = {".npy": _from_npy, ".txt": _from_text, ".csv": _from_text, ".asc": _from_ascii_grid}
    readers |= dict.fromkeys((".png", ".tif", ".tiff"), _from_image)
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"heights {str(file)!r}: unknown ending; there are {', '.join(readers)}")
    try:
        return reader(file)
    except InputError:
        raise
    except Exception as reason:
        raise InputError(f"heights {str(file)!r} cannot be read: {reason}") from None


def _from_npy(file: Path) -> HeightTable:
    return HeightTable(np.load(file, allow_pickle=False).astype(float), None, None)


def _from_text(file: Path) -> HeightTable:
    rows = np.loadtxt(file, delimiter="," if file.suffix.lower() == ".csv" else None, ndmin=2)
    return HeightTable(rows.T, None, None)


def _from_ascii_grid(file: Path) -> HeightTable:
    words, head, start = file.read_text(encoding="utf-8").split(), {}, 0
    while start + 1 < len(words) and words[start].lower() in _HEADER:
        head[words[start].lower()] = float(words[start + 1])
        start += 2
    columns, rows = int(head["ncols"]), int(head["nrows"])
    values = np.array(words[start:], dtype=float).reshape(rows, columns)
    if "nodata_value" in head:
        values[values == head["nodata_value"]] = np.nan
    half = 0.0 if "xllcenter" in head else 0.5 * head["cellsize"]  # values belong to the centres of cells
    corner = [head.get(f"{axis}llcenter", head.get(f"{axis}llcorner", 0.0)) + half for axis in "xy"]
    return HeightTable(values[::-1].T, head["cellsize"], (corner[0], corner[1]))


def _from_image(file: Path) -> HeightTable:
    try:
        from PIL import Image
    except ImportError:
        raise InputError(f"heights {str(file)!r}: images need Pillow: pip install 'spacedyn[plots]'") from None
    with Image.open(file) as image:
        values = np.asarray(image, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"expected an image of one channel, got shape {values.shape}")
    return HeightTable(values[::-1].T, None, None)
