"""The page of a film: one HTML file with the player and all its data."""

import base64
import hashlib
import json
import os
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
SCRIPTS = ("math.js", "shaders.js", "renderer.js", "camera.js", "scene.js", "charts.js", "player.js")


class Film:
    """A page that plays runs; made by `film` and `Run.film`.

    Shows itself in a notebook; `save` writes it to a file, `html` is the text.
    """

    def __init__(self, html: str):
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file, and return where."""
        where = Path(path)
        where.write_text(self.html, encoding="utf-8")
        return where

    def __repr__(self) -> str:
        return f"<Film: {len(self.html) / 1e6:.1f} MB; .save('film.html') writes it>"

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:560px;border:0;border-radius:8px"></iframe>'


class Numbers:
    """One block of bytes for all arrays of a page, and where each is in it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self._size = 0

    def put(self, array: Array, kind: str) -> list[Any]:
        """Store an array; returns what the page needs to find it."""
        data = np.ascontiguousarray(array, dtype="<" + kind if kind[1] != "1" else kind).tobytes()
        key = hashlib.sha256(data).digest()
        if key not in self._places:  # equal arrays, as of equal legs, are stored once
            self._places[key] = self._size
            self._parts.append(data + bytes(-len(data) % 8))  # arrays of doubles begin at multiples of eight
            self._size += len(self._parts[-1])
        return [kind, self._places[key], int(np.size(array))]

    def text(self) -> str:
        """All of it, in base 64."""
        return base64.b64encode(b"".join(self._parts)).decode("ascii")


def page(header: dict[str, Any], numbers: Numbers) -> str:
    """The text of the page."""
    assets = files("spacedyn.show.viewer") / "assets"
    read = {name: (assets / name).read_text(encoding="utf-8") for name in (*SCRIPTS, "film.html", "film.css")}
    parts = {
        "title": escape(header["title"]),
        "style": read["film.css"],
        "header": json.dumps(header, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        "numbers": numbers.text(),
        "script": "(() => {\n" + "\n".join(read[name] for name in SCRIPTS) + "\n})();",
    }
    first, *rest = read["film.html"].split("{{")
    filled = [first]
    for piece in rest:  # one pass: inserted text is not searched for placeholders
        key, _, after = piece.partition("}}")
        filled += [parts[key], after]
    return "".join(filled)
