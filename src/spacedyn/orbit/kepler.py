"""Orbital elements, and the positions and velocities that they stand for."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, RunWarning, warn_user
from ..reals import finite_array, one_number, refuse_overflow
from ..signatures import checked_arguments, readable_signature
from .constants import EARTH_MU

Array = np.ndarray
_OF_A_PLANET = 1e13
"""Gravitational parameter [m³/s²]: half of Mercury's."""
_TOO_NEAR = 1e5
"""An axis that no orbit around a planet has [m]."""
finite_orbits = refuse_overflow("a number is too large or too small")


class OrbitalElements(NamedTuple):
    """Kepler's elements of an orbit; arrays for many.

    Attributes
    ----------
    semi_major_axis : float
        [m]; negative for a hyperbola.
    eccentricity : float
    inclination : float
        [rad].
    node : float
        Right ascension of the ascending node [rad].
    argument : float
        Argument of periapsis [rad].
    anomaly : float
        True anomaly [rad].
    """

    semi_major_axis: ArrayLike
    eccentricity: ArrayLike = 0.0
    inclination: ArrayLike = 0.0
    node: ArrayLike = 0.0
    argument: ArrayLike = 0.0
    anomaly: ArrayLike = 0.0


readable_signature(OrbitalElements)


class PositionAndVelocity(NamedTuple):
    """A place on an orbit.

    Attributes
    ----------
    position : (..., 3)
        From the planet's centre, inertial axes [m].
    velocity : (..., 3)
        [m/s].
    """

    position: Array
    velocity: Array


def positive(name: str, value: float) -> float:
    """A positive number, or an error by name."""
    number = one_number(name, value, "a positive number")
    if not number > 0.0:
        raise InputError(f"{name} must be positive, got {number}")
    return number


@checked_arguments()
@finite_orbits
def from_elements(elements: OrbitalElements, *, mu: float = EARTH_MU) -> PositionAndVelocity:
    """Position and velocity on an orbit that is given by its elements.

    Parameters
    ----------
    elements : OrbitalElements
        Numbers, or arrays of batch axes that fit each other.
    mu : float
        Gravitational parameter [m³/s²].

    Returns
    -------
    PositionAndVelocity
        (..., 3) each, from the planet's centre, inertial axes [m, m/s].

    Raises
    ------
    InputError
        For a parabola, for an axis whose sign does not fit the eccentricity, for an inclination that is not from 0 to
        π, and beyond the asymptotes of a hyperbola.

    Warns
    -----
    RunWarning
        For an axis below 100 km around a planet, as if it were in kilometres.

    Examples
    --------
    >>> import spacedyn as sd
    >>> place = sd.orbit.from_elements(sd.orbit.OrbitalElements(7.0e6, 0.01, inclination=0.9))
    >>> place.position.round(3).tolist(), (place.velocity.round(3) + 0.0).tolist()
    ([6930000.0, 0.0, 0.0], [0.0, 4737.846, 5970.435])
    """
    mu = positive("from_elements: mu", mu)
    a, e, i, node, argument, anomaly = together("from_elements", **elements._asdict())
    p = a * (1.0 - e * e)
    if np.any(e < 0.0) or np.any(p <= 0.0):
        raise InputError(
            "from_elements: an ellipse has 0 <= eccentricity < 1 and a positive semi_major_axis, a hyperbola an "
            f"eccentricity above 1 and a negative one, got {_first(e, (e < 0.0) | (p <= 0.0))} and "
            f"{_first(a, (e < 0.0) | (p <= 0.0))} m"
        )
    beyond = (i < 0.0) | (i > np.pi)
    if np.any(beyond):
        got = _first(i, beyond)
        raise InputError(
            f"from_elements: inclination must be from 0 to π rad, got {got}; angles are radians: np.radians({got})"
        )
    if mu > _OF_A_PLANET and np.any(np.abs(a) < _TOO_NEAR):
        warn_user(
            f"from_elements: a semi_major_axis of {_first(a, np.abs(a) < _TOO_NEAR)} m is deep inside the planet; "
            "lengths are metres, not kilometres",
            RunWarning,
        )
    nearness = 1.0 + e * np.cos(anomaly)
    if np.any(nearness <= 0.0):
        raise InputError(
            f"from_elements: a hyperbola does not reach the anomaly {_first(anomaly, nearness <= 0.0)} rad"
        )
    r, speed = p / nearness, np.sqrt(mu / p)
    ahead, side = _perifocal_axes(i, node, argument)
    c, s = np.cos(anomaly)[..., None], np.sin(anomaly)[..., None]
    position = r[..., None] * (c * ahead + s * side)
    return PositionAndVelocity(position, speed[..., None] * (-s * ahead + (e[..., None] + c) * side))


def _first(values: Array, where: Array) -> float:
    return float(values[np.unravel_index(np.argmax(where), where.shape)])


def _perifocal_axes(i: Array, node: Array, argument: Array) -> tuple[Array, Array]:
    """Towards periapsis, and ninety degrees further along the orbit."""
    cn, sn, co, so = np.cos(node), np.sin(node), np.cos(argument), np.sin(argument)
    ci, si = np.cos(i), np.sin(i)
    ahead = np.stack([cn * co - sn * so * ci, sn * co + cn * so * ci, so * si], axis=-1)
    side = np.stack([-cn * so - sn * co * ci, -sn * so + cn * co * ci, co * si], axis=-1)
    return ahead, side


@checked_arguments()
@finite_orbits
def to_elements(position: ArrayLike, velocity: ArrayLike, *, mu: float = EARTH_MU) -> OrbitalElements:
    """Elements of the orbit through a place: the inverse of `from_elements`.

    Where the plane has no node (inclination 0 or π), the node is at the x axis; of a circle the periapsis is at the
    node. Angles but the inclination lie in [0, 2π).

    Parameters
    ----------
    position, velocity : (..., 3)
        From the planet's centre, inertial axes [m, m/s].
    mu : float
        Gravitational parameter [m³/s²].

    Examples
    --------
    >>> import spacedyn as sd
    >>> elements = sd.orbit.OrbitalElements(7.0e6, 0.01, 0.9, 1.0, 2.0, 3.0)
    >>> back = sd.orbit.to_elements(*sd.orbit.from_elements(elements))
    >>> [round(float(one), 6) for one in back]
    [7000000.0, 0.01, 0.9, 1.0, 2.0, 3.0]
    """
    mu = positive("to_elements: mu", mu)
    r, v = vectors("to_elements", position=position, velocity=velocity)
    distance, h = np.linalg.norm(r, axis=-1), np.cross(r, v)
    size = np.linalg.norm(h, axis=-1)
    if np.any(size <= 1e-12 * distance * np.linalg.norm(v, axis=-1)):
        raise InputError("to_elements: a fall straight up or down has no plane, and so no elements")
    away = np.cross(v, h) / mu - r / distance[..., None]  # towards periapsis, as long as the eccentricity
    e = np.linalg.norm(away, axis=-1)
    normal = h / size[..., None]
    line = np.stack([-h[..., 1], h[..., 0], np.zeros_like(size)], axis=-1)
    flat = np.linalg.norm(line[..., :2], axis=-1) < 1e-12 * size
    line = np.where(flat[..., None], np.array([1.0, 0.0, 0.0]), line / np.maximum(_length(line), 1e-300))
    round_ = e < 1e-12
    towards = np.where(round_[..., None], line, away / np.maximum(_length(away), 1e-300))
    return OrbitalElements(
        size * size / mu / (1.0 - e * e),
        np.where(round_, 0.0, e),
        np.arctan2(np.linalg.norm(h[..., :2], axis=-1), h[..., 2]),
        np.mod(np.arctan2(line[..., 1], line[..., 0]), 2.0 * np.pi),
        _angle(line, towards, normal),
        _angle(towards, r, normal),
    )


def _length(v: Array) -> Array:
    return np.linalg.norm(v, axis=-1, keepdims=True)


def _angle(a: Array, b: Array, normal: Array) -> Array:
    """From a to b about a normal, in [0, 2 pi)."""
    angle = np.arctan2(np.sum(np.cross(a, b) * normal, axis=-1), np.sum(a * b, axis=-1))
    return np.mod(angle, 2.0 * np.pi)


def vectors(what: str, **given: ArrayLike) -> list[Array]:
    """Vectors of three finite numbers, (..., 3), whose batch axes fit each other, or an error by name."""
    arrays = []
    for name, value in given.items():
        array = finite_array(f"{what}: {name}", value, "three finite numbers, or many such, (..., 3)")
        if array.shape[-1:] != (3,):
            raise InputError(
                f"{what}: {name}: expected three finite numbers, or many such, (..., 3), got shape {array.shape}"
            )
        arrays.append(array)
    _check_axes(what, given, [array.shape[:-1] for array in arrays])
    return arrays


def together(what: str, **given: ArrayLike) -> list[Array]:
    """Finite numbers over batch axes that fit each other, spread to all of them, or an error by name."""
    arrays = [finite_array(f"{what}: {name}", value, "finite numbers") for name, value in given.items()]
    _check_axes(what, given, [array.shape for array in arrays])
    return list(np.broadcast_arrays(*arrays))


def _check_axes(what: str, names: Iterable[str], shapes: Sequence[tuple[int, ...]]) -> None:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes, strict=True))
        raise InputError(f"{what}: these batch axes do not fit each other: {listed}") from None


@checked_arguments()
@finite_orbits
def true_anomaly(mean_anomaly: ArrayLike, eccentricity: ArrayLike) -> Array:
    """True anomaly of an ellipse from the mean one, by Kepler's equation M = E - e sin E [rad].

    Parameters
    ----------
    mean_anomaly : (...,)
        M [rad].
    eccentricity : (...,)
        e, from 0 to below 1.

    Examples
    --------
    >>> import spacedyn as sd
    >>> round(float(sd.orbit.true_anomaly(1.0, 0.3)), 9)
    1.593766133
    """
    M, e = together("true_anomaly", mean_anomaly=mean_anomaly, eccentricity=eccentricity)
    if np.any(e < 0.0) or np.any(e >= 1.0):
        raise InputError("true_anomaly: the eccentricity of an ellipse is in [0, 1)")
    turns = np.round(M / (2.0 * np.pi)) * 2.0 * np.pi
    rest = M - turns
    E = rest + 0.85 * e * np.sign(np.sin(rest))  # Danby's start, from which Newton's method converges
    for _ in range(30):
        E = E - (E - e * np.sin(E) - rest) / (1.0 - e * np.cos(E))
    half = np.arctan2(np.sqrt(1.0 + e) * np.sin(0.5 * E), np.sqrt(1.0 - e) * np.cos(0.5 * E))
    return turns + 2.0 * half


@checked_arguments()
@finite_orbits
def mean_anomaly(true_anomaly: ArrayLike, eccentricity: ArrayLike) -> Array:
    """Mean anomaly of an ellipse from the true one [rad]: the inverse of `true_anomaly`.

    Parameters
    ----------
    true_anomaly : (...,)
        [rad].
    eccentricity : (...,)
        From 0 to below 1.

    Examples
    --------
    >>> import spacedyn as sd
    >>> round(float(sd.orbit.mean_anomaly(1.593766133, 0.3)), 8)
    1.0
    """
    f, e = together("mean_anomaly", true_anomaly=true_anomaly, eccentricity=eccentricity)
    if np.any(e < 0.0) or np.any(e >= 1.0):
        raise InputError("mean_anomaly: the eccentricity of an ellipse is in [0, 1)")
    turns = np.round(f / (2.0 * np.pi)) * 2.0 * np.pi
    rest = f - turns
    E = 2.0 * np.arctan2(np.sqrt(1.0 - e) * np.sin(0.5 * rest), np.sqrt(1.0 + e) * np.cos(0.5 * rest))
    return turns + E - e * np.sin(E)


@checked_arguments()
@finite_orbits
def mean_motion(semi_major_axis: float, *, mu: float = EARTH_MU) -> float:
    """Mean angular rate of an orbit, sqrt(mu / a³) [rad/s].

    Parameters
    ----------
    semi_major_axis : float
        a [m].
    mu : float
        Gravitational parameter of the planet [m³/s²].

    Examples
    --------
    >>> import spacedyn as sd
    >>> round(sd.orbit.mean_motion(7.0e6), 12)
    0.001078007613
    """
    a = positive("mean_motion: semi_major_axis", semi_major_axis)
    return float(np.sqrt(positive("mean_motion: mu", mu) / a) / a)
