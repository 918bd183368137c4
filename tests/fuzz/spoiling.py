"""Bad arguments: odd things, and good values of another shape, type or order, or with a bad number in them."""

import datetime
import decimal
import fractions
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import xarray

import spacedyn as sd

from .arguments import SHAPES, Setting
from .robots import models


class Own(np.ndarray):
    """A subclass of arrays."""


# fmt: off
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**400, -(10**400), 2**63, 1.5, -0.0, 1e308, -1e308, 1e-308, 1e200, 1e16,
    float("nan"), float("inf"), -float("inf"), 1j, 1 + 0j, "", "a", "1", "nan", "com", "free", "bus", "\x00",
    "é" * 200, b"", b"bus", bytearray(b"x"), [], [[]], (), {}, {"a": 1}, {1: 2}, set(), frozenset({1}),
    [None], ["a"], [[1], [2, 3]], [1, 2, 3], [1.0] * 6, [float("nan")] * 3, [1e308] * 3, [1e308] * 6,
    [True] * 3, [1j] * 3, ["1", "2", "3"], [[1, 2, 3]], np.float32(1), np.float16(1), np.int8(1),
    np.longdouble(1), np.bool_(True), np.str_("bus"), np.datetime64("2024"), np.array(1.0), np.array("bus"),
    np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(10**4), np.zeros((1,) * 20), np.eye(3),
    np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan), np.zeros((4, 4)),
    np.array([None] * 3, dtype=object), np.ma.masked, np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    np.zeros(3, dtype=[("a", float)]), np.array(["a"] * 3), slice(None), ..., range(3), object(), object, int,
    float, len, lambda: None, Path("x"), Random(1), memoryview(b"abc"), decimal.Decimal("1.5"),
    decimal.Decimal("NaN"), fractions.Fraction(1, 3), datetime.date(2024, 1, 1), ValueError("x"),
    xarray.DataArray([1.0, 2.0, 3.0]), np.random.default_rng(0), sd, sd.load, sd.Model, sd.State, np.ndarray,
)
# fmt: on
"""What no parameter expects, or hardly any."""


def bad(setting: Setting, value: Any) -> Any:
    """Something odd, or a good value spoiled."""
    rng = setting.rng
    if rng.random() < 0.4:
        return rng.choice(ODD)
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {key: bad(setting, value[key])} if rng.random() < 0.6 else {rng.choice(("a", 1, None, "")): value[key]}
    if isinstance(value, sd.Model | sd.State):
        other = Setting(rng, rng.choice(models()), rng.choice(SHAPES), setting.calm)
        return other.model if isinstance(value, sd.Model) else other.state
    if isinstance(value, str):
        return rng.choice(
            (value.upper(), value + "x", value[:-1], value.encode(), [value], value * 50, np.str_(value), 0)
        )
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return rng.choice(([value], [value, None], (value, value), [], None))
    return spoiled(rng, array)


_PLACED = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e200, 1e-320, 0.0, -1.0, 1e16)


def spoiled(rng: Random, array: np.ndarray) -> Any:
    """An array of another shape, type or order, or with a bad number in it."""
    if rng.random() < 0.35 and array.size:
        array = array.copy()
        array.flat[rng.randrange(array.size)] = rng.choice(_PLACED)
        return array
    with np.errstate(all="ignore"):
        return rng.choice(_WAYS)(array)


_WAYS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda a: a[..., :-1] if a.ndim else [a],
    lambda a: np.concatenate([a, a], axis=-1) if a.ndim else [a, a],
    lambda a: a[None],
    lambda a: a[..., None],
    lambda a: a.T,
    lambda a: a[..., ::-1] if a.ndim else -a,
    lambda a: a.ravel(),
    lambda a: a.tolist(),
    lambda a: tuple(a.tolist()) if a.ndim else (a.item(),),
    lambda a: a.astype(np.float32),
    lambda a: a.astype(np.float16),
    lambda a: a.astype(np.longdouble),
    lambda a: a.astype(int),
    lambda a: a.astype(np.uint8),
    lambda a: a.astype(bool),
    lambda a: a.astype(complex),
    lambda a: a * (1 + 2j),
    lambda a: a.astype(object),
    lambda a: a.astype(str),
    lambda a: a.astype(">f8"),
    lambda a: a.view(Own),
    lambda a: np.asfortranarray(a),
    lambda a: np.ma.array(a, mask=True),
    lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) % 2 == 0),
    lambda a: np.ma.array(a),
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    lambda a: np.broadcast_to(a, (3, *a.shape)),
    lambda a: a * 1e308,
    lambda a: a * 1e200,
    lambda a: -a,
    lambda a: a * 0.0,
    lambda a: xarray.DataArray(a),
    lambda a: iter(a.ravel()),
    lambda a: np.zeros((0, *a.shape)),
    lambda a: a[..., :0] if a.ndim else [],
    lambda a: a.tobytes(),
    lambda a: memoryview(np.ascontiguousarray(a)),
    lambda a: list(map(str, a.ravel())),
    lambda a: a.size,
    lambda a: np.array2string(a),
)
