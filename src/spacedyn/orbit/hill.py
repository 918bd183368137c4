"""Hill's axes of an orbit, motion relative to it, and Clohessy and Wiltshire's solution."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..quantities.momentum import center_of_mass, center_of_mass_velocity
from ..reals import finite_array, type_name
from ..signatures import checked_arguments
from .kepler import PositionAndVelocity, finite_orbits, positive, vectors

Array = np.ndarray


@checked_arguments()
@finite_orbits
def hill_axes(position: ArrayLike, velocity: ArrayLike) -> Array:
    """Axes of an orbit: x up, y ahead, z along its normal, as the columns of a rotation matrix.

    `R @ v` turns components in Hill's axes into inertial ones.

    Parameters
    ----------
    position, velocity : (..., 3)
        From the planet's centre, inertial axes [m, m/s].

    Returns
    -------
    (..., 3, 3)

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.orbit.hill_axes([0, 7e6, 0], [-7.5e3, 10, 0]).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return _axes(*vectors("hill_axes", position=position, velocity=velocity))


def _axes(r: Array, v: Array) -> Array:
    up, ahead = np.broadcast_arrays(_unit(r), _unit(v))
    h = np.cross(up, ahead)
    size = np.linalg.norm(h, axis=-1, keepdims=True)
    if np.any(size <= 1e-12):
        raise InputError("Hill's axes need an orbit with a plane: position and velocity are along one line")
    normal = h / size
    return np.stack([up, np.cross(normal, up), normal], axis=-1) + 0.0


def _unit(v: Array) -> Array:
    """Unit vectors; zero of zero."""
    size = np.abs(v).max(axis=-1, keepdims=True)  # so that squares neither overflow nor vanish
    v = v / np.where(size > 0.0, size, 1.0)
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 0.5)


def _rate(r: Array, v: Array) -> Array:
    """Angular velocity of Hill's axes, inertial components."""
    return np.cross(r, v) / np.sum(r * r, axis=-1, keepdims=True)


@checked_arguments()
@finite_orbits
def to_hill(
    position: ArrayLike, velocity: ArrayLike, reference_position: ArrayLike, reference_velocity: ArrayLike
) -> PositionAndVelocity:
    """Position and velocity relative to an orbit, as Hill's turning axes there have them.

    Parameters
    ----------
    position, velocity : (..., 3)
        Relative to the reference orbit's, in inertial axes [m, m/s]: differences, so that no digits are lost.
    reference_position, reference_velocity : (..., 3)
        Of the reference orbit, from the planet's centre [m, m/s].

    Returns
    -------
    PositionAndVelocity
        (..., 3) each: up, ahead, along the normal. The velocity is that which an observer sees who turns with the axes.

    Examples
    --------
    What hangs above, and turns along with the orbit, is at rest there.

    >>> import spacedyn as sd
    >>> seen = sd.orbit.to_hill([10, 0, 0], [0, 0.011, 0], [7e6, 0, 0], [0, 7.7e3, 0])
    >>> seen.position.tolist(), bool(abs(seen.velocity).max() < 1e-15)
    ([10.0, 0.0, 0.0], True)
    """
    reference = {"reference_position": reference_position, "reference_velocity": reference_velocity}
    d, w, r, v = vectors("to_hill", position=position, velocity=velocity, **reference)
    R = np.swapaxes(_axes(r, v), -1, -2)
    return PositionAndVelocity(_turn(R, d), _turn(R, w - np.cross(_rate(r, v), d)))


@checked_arguments()
@finite_orbits
def from_hill(
    position: ArrayLike, velocity: ArrayLike, reference_position: ArrayLike, reference_velocity: ArrayLike
) -> PositionAndVelocity:
    """The inverse of `to_hill`: relative position and velocity in inertial axes [m, m/s].

    Parameters
    ----------
    position, velocity : (..., 3)
        Relative to the orbit, in Hill's axes, which turn [m, m/s].
    reference_position, reference_velocity : (..., 3)
        On the orbit, inertial axes [m, m/s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> back = sd.orbit.from_hill([10, 0, 0], [0, 0, 0], [7e6, 0, 0], [0, 7.7e3, 0])
    >>> back.velocity.round(6).tolist()
    [0.0, 0.011, 0.0]
    """
    reference = {"reference_position": reference_position, "reference_velocity": reference_velocity}
    d, w, r, v = vectors("from_hill", position=position, velocity=velocity, **reference)
    R = _axes(r, v)
    inertial = _turn(R, d)
    return PositionAndVelocity(inertial, _turn(R, w) + np.cross(_rate(r, v), inertial))


def _turn(R: Array, a: Array) -> Array:
    return np.einsum("...ij,...j->...i", R, a)


@checked_arguments()
@finite_orbits
def clohessy_wiltshire(
    position: ArrayLike, velocity: ArrayLike, mean_motion: float, times: ArrayLike
) -> PositionAndVelocity:
    """Motion near a circular orbit, in closed form: linear gravity in Hill's axes.

    Parameters
    ----------
    position, velocity : (3,)
        At time 0, in Hill's axes: up, ahead, along the normal [m, m/s].
    mean_motion : float
        Angular rate of the orbit [rad/s].
    times : float or (...,)
        [s].

    Returns
    -------
    PositionAndVelocity
        (..., 3) each, at the times.

    References
    ----------
    Clohessy & Wiltshire (1960), Terminal guidance system for satellite rendezvous.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.orbit.clohessy_wiltshire([100, -200, 50], [0.1, -0.05, 0.02], 0.0011, 600.0).position.round(9).tolist()
    [199.648610866, -287.788910721, 50.647190702]
    """
    x, y, z = finite_array("clohessy_wiltshire: position", position, "three finite numbers", [(3,)])
    u, v, w = finite_array("clohessy_wiltshire: velocity", velocity, "three finite numbers", [(3,)])
    n, t = (
        positive("clohessy_wiltshire: mean_motion", mean_motion),
        finite_array("clohessy_wiltshire: times", times, "finite times"),
    )
    s, c = np.sin(n * t), np.cos(n * t)
    places = (
        (4.0 - 3.0 * c) * x + s / n * u + 2.0 / n * (1.0 - c) * v,
        6.0 * (s - n * t) * x + y - 2.0 / n * (1.0 - c) * u + (4.0 * s - 3.0 * n * t) / n * v,
        c * z + s / n * w,
    )
    speeds = (
        3.0 * n * s * x + c * u + 2.0 * s * v,
        6.0 * n * (c - 1.0) * x - 2.0 * s * u + (4.0 * c - 3.0) * v,
        -n * s * z + c * w,
    )
    return PositionAndVelocity(np.stack(places, axis=-1), np.stack(speeds, axis=-1))


class RelativeMotion(NamedTuple):
    """A robot's motion relative to an orbit.

    Attributes
    ----------
    inertial : PositionAndVelocity
        Of the robot's centre of mass from the reference, in axes that do not turn [m, m/s].
    hill : PositionAndVelocity
        The same as Hill's axes of the reference have it: up, ahead, along the normal.
    reference : PositionAndVelocity
        The reference orbit, from the planet's centre.
    axes : (..., 3, 3)
        Hill's axes, as columns in inertial components.
    """

    inertial: PositionAndVelocity
    hill: PositionAndVelocity
    reference: PositionAndVelocity
    axes: Array


ORIGIN = "orbiting_origin"
"""What an OrbitingOrigin is called in the record if it has no other name."""


@checked_arguments("run", "reference")
def relative_motion(run: Any, *, reference: PositionAndVelocity | None = None, origin: str = ORIGIN) -> RelativeMotion:
    """Motion of a run's centre of mass relative to an orbit, in inertial and in Hill's axes.

    Parameters
    ----------
    run : Run
        Of one robot or a batch.
    reference : PositionAndVelocity, optional
        Of the reference orbit at the run's times, (records, ..., 3), from the planet's centre; if left out, the orbit
        of the run's `OrbitingOrigin`.
    origin : str
        The name of that element.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.928e6))
    >>> elements = [sd.CentralGravity(), sd.OrbitingOrigin(r, v)]
    >>> run = sd.simulate(robot, robot.state(base_position=[0, 0, 10.0]), 60.0, elements=elements, record=10.0)
    >>> sd.orbit.relative_motion(run).hill.position.shape
    (7, 3)
    """
    if not all(hasattr(run, name) for name in ("states", "elements")):
        raise InputError(f"relative_motion: run must be a Run, got {type_name(run)}")
    states, own = run.states, None
    if origin in [one.label for one in run.elements]:
        own = PositionAndVelocity(run[f"{origin}.position"], run[f"{origin}.velocity"])
    if reference is None and own is None:
        raise InputError(
            f"relative_motion: the run has no OrbitingOrigin named '{origin}'; give the reference orbit: "
            "reference=(r, v)"
        )
    position, velocity = center_of_mass(states.model, states), center_of_mass_velocity(states.model, states)
    if reference is None:
        assert own is not None
        r, v = own
    else:
        r, v = _reference(reference, position.shape)
        position, velocity = position - r, velocity - v
        if own is not None:
            position, velocity = position + own.position, velocity + own.velocity
    return RelativeMotion(
        PositionAndVelocity(position, velocity),
        to_hill(position, velocity, r, v),
        PositionAndVelocity(r, v),
        _axes(r, v),
    )


def _reference(reference: Any, shape: tuple[int, ...]) -> list[Array]:
    """A reference orbit at a run's times, or an error by name."""
    if not isinstance(reference, tuple | list) or len(reference) != 2:
        raise InputError("relative_motion: reference must be (position, velocity), each at the run's times")
    found = []
    for name, given in zip(("position", "velocity"), reference, strict=True):
        (array,) = vectors("relative_motion: reference", **{name: given})
        if array.shape == (shape[0], 3):
            array = array.reshape(shape[0], *[1] * (len(shape) - 2), 3)
        elif array.shape not in (shape, (3,)):
            raise InputError(f"relative_motion: reference {name} must have shape {shape} or (3,), got {array.shape}")
        found.append(np.broadcast_to(array, shape))
    return found
