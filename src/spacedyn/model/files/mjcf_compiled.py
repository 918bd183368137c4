"""Compile MuJoCo's XML: MuJoCo's messages become our errors, and all numbers taken from it are finite."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError, Problems
from ...reals import LARGEST
from ..file_limits import limits, over
from ..values import shown
from .mjcf_size import check_size
from .mujoco_messages import mujoco_messages
from .xml_source import Element

ARENA = 64_000_000
"""Bytes of scratch memory that compiling may take; a simulation here needs none of it."""

_UNUSED = ("keys", "sensors", "numerics", "texts", "tuples")
_NUMBERS = {
    "body": ("pos", "quat", "ipos", "iquat", "mass", "inertia"),
    "jnt": ("pos", "axis"),
    "site": ("pos", "quat"),
    "geom": ("pos", "quat", "size", "rgba"),
    "mat": ("rgba",),
    "mesh": ("pos", "quat", "scale"),
    "actuator": ("gear", "armature", "damping"),
}
"""Fields of a compiled model that must be finite before anything is computed from them."""


def compiled(
    root: Element, named: Mapping[int, Sequence[Element]], data: bytes, file: Path | None, source: str
) -> tuple[Any, dict[str, int], list[str]]:
    """The compiled model, counts of the elements removed before, and MuJoCo's warnings; ModelError with its message."""
    check_size(root, named, source)
    try:
        import mujoco
    except ImportError:
        raise ModelError(source, [f"{source} needs MuJoCo to be read: pip install 'spacedyn[peers]'."]) from None
    with mujoco_messages() as said:
        try:
            if file is None:
                spec = mujoco.MjSpec.from_string(data.decode("utf-8", "replace"))
            else:
                spec = mujoco.MjSpec.from_file(str(file.absolute()))
            bodies = len(spec.bodies)
            taken = _without_the_unused(spec) if bodies <= limits().mujoco_bodies else {}
            m = spec.compile() if bodies <= limits().mujoco_bodies else None
        except Exception as error:  # MuJoCo's errors are of several kinds; its words say line and cause
            raise ModelError(source, [f"MuJoCo cannot read it: {' '.join(str(error).split())}"]) from None
    if m is None:  # made of a mesh, which no count of elements shows
        raise ModelError(source, [f"{over('mujoco_bodies', 'bodies', limits().mujoco_bodies, bodies)}."])
    if any("'NaN'" in words for words in said):
        raise ModelError(source, _places_of_nan(root, named))
    _check_finite(m, source)
    return m, taken, [" ".join(words.split()) for words in said]


def _without_the_unused(spec: Any) -> dict[str, int]:
    """Remove elements that no robot here has, and memory that the file asks for beyond its content."""
    taken = {}
    for what in _UNUSED:
        parts = list(getattr(spec, what))
        taken[what] = len(parts)
        for part in parts:
            spec.delete(part)
    spec.memory, spec.nkey, spec.nuserdata = ARENA, 0, 0
    for what in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor"):
        setattr(spec, f"nuser_{what}", -1)  # as many as there are
    spec.compiler.LRopt.mode = 0  # ranges of actuators would be found by simulation
    spec.compiler.usethread = False  # a warning from another thread would wait for this one
    return taken


def _places_of_nan(root: Element, named: Mapping[int, Sequence[Element]]) -> list[str]:
    trees = {id(tree): tree for tree in [root, *(tree for some in named.values() for tree in some)]}
    found = [
        f"line {element.line}: <{element.tag}>: {key} is {shown(text[:60])}; give numbers."
        for tree in trees.values()
        for element in tree.walk()
        for key, text in element.attributes.items()
        if key != "name" and "nan" in text.lower().replace("+", " ").replace("-", " ").split()
    ]
    return found or ["MuJoCo finds a NaN in it; give numbers."]


def _check_finite(m: Any, source: str) -> None:
    """ModelError by the names of all parts with a number that is infinite, NaN or too large to compute with."""
    problems = Problems(source)
    for what, fields in _NUMBERS.items():
        for key in fields:
            values = np.array(getattr(m, f"{what}_{key}"), dtype=float)
            if values.size:
                _name_the_bad(problems, m, what, key, values.reshape(len(values), -1))
    for key, values in (("ref", m.qpos0), ("springref", m.qpos_spring)):
        ends = np.append(m.jnt_qposadr, m.nq)
        bad = [j for j in range(m.njnt) if not _finite(values[ends[j] : ends[j + 1]]).all()]
        problems.extend(f"{_label(m, 'jnt', j)}: its {key} is not a finite number; give one." for j in bad)
    if problems:
        raise ModelError(source, problems)


def _name_the_bad(problems: Problems, m: Any, what: str, key: str, values: np.ndarray) -> None:
    good = _finite(values).all(axis=1)
    if key.endswith("quat"):  # one that overflowed when it was made to unit length is zero
        with np.errstate(all="ignore"):
            good &= np.abs(np.linalg.norm(values, axis=1) - 1.0) < 1e-6
    if key == "axis":
        with np.errstate(all="ignore"):
            good &= (np.linalg.norm(values, axis=1) > 0.5) | (m.jnt_type < 2)  # free and ball joints have none
    for i in np.flatnonzero(~good).tolist():
        given = shown([float(x) for x in values[i]])
        problems.append(f"{_label(m, what, i)}: its {key} became {given}; give finite numbers of a sane size.")


def _finite(values: np.ndarray) -> np.ndarray:
    return np.abs(values) <= LARGEST  # False for NaN


def _label(m: Any, what: str, i: int) -> str:
    start = int(getattr(m, f"name_{what}adr")[i])
    name = bytes(m.names[start : m.names.index(b"\0", start)]).decode("utf-8", "replace")
    long = {"jnt": "joint", "mat": "material"}.get(what, what)
    return f"{long} {shown(name)}" if name else f"{long} number {i}"
