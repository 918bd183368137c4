"""Reaction wheels and control-moment gyros as bodies and joints: `Builder.wheel`, `Builder.control_moment_gyro`.

A rotor is a body on a revolute joint without limits, symmetric about its axis but for its imbalance. Momentum and
energy that it holds, the gyroscopic moment on whatever carries it, and the shaking by an imbalance follow from that:

    static imbalance s [kg m]       centre of mass at s / m off the axis       a force s W^2 that turns with the rotor
    dynamic imbalance p [kg m^2]    J = J0 + a p' + p a', a the axis           a moment p W^2 that turns with the rotor
"""

from typing import Any

import numpy as np

from .parts import Body
from .shapes import Shape, cylinder
from .values import numbers, plain, shown, unit

THINNEST = 0.2
"""Least length of a rotor as it is drawn, over its radius."""


def rotor(
    problems: list[str],
    name: Any,
    axis: Any,
    mass: Any,
    axial: Any,
    transverse: Any,
    imbalance: tuple[Any, Any] = (0.0, 0.0),
) -> Body:
    """A body that turns about an axis through its frame's origin; what is wrong goes to `problems`.

    Parameters
    ----------
    problems : list of str
        Grows by a sentence for every unusable value.
    name : str
        Of the body.
    axis : (3,)
        Unit vector in the body's axes.
    mass : float
        [kg]
    axial, transverse : float
        Moments of inertia about the axis, and about any other through the centre of mass [kg m²]; half of `axial`, as a
        disc has it, if `transverse` is None (and as much more as a dynamic imbalance takes).
    imbalance : (static, dynamic)
        [kg m] and [kg m²], each a vector (3,) across the axis, or a number: along a direction e across the axis, and
        along axis × e.

    Examples
    --------
    >>> rotor([], "wheel", (0, 0, 1), 5.0, 0.04, None).inertia.diagonal().tolist()
    [0.02, 0.02, 0.04]
    >>> rotor([], "wheel", (0, 0, 1), 5.0, 0.04, None, (1e-3, 0.0)).com.tolist()
    [0.0002, 0.0, 0.0]
    """
    label = f"wheel {shown(name)}"
    along = unit([], f"{label}: axis", axis, (3,))  # the joint reports what is wrong with it
    weight = _positive(problems, f"{label}: mass", mass, "kg")
    spin = _positive(problems, f"{label}: inertia", axial, "kg m^2")
    across = 0.0 if transverse is None else _positive(problems, f"{label}: transverse_inertia", transverse, "kg m^2")
    if along is None or weight is None or spin is None or across is None:
        return Body(name, 1.0, np.zeros(3), np.eye(3))  # looked at as if it were one: the rest may have problems too
    e = _across(along)
    static = _imbalance(problems, f"{label}: static_imbalance", imbalance[0], along, e)
    product = _imbalance(problems, f"{label}: dynamic_imbalance", imbalance[1], along, np.cross(along, e))
    if transverse is None:  # the thinnest body that can have this product of inertia: a disc if there is none
        across = 0.5 * spin + 2.0 * (1.0 + 1e-6) * float(product @ product) / spin
    if spin > 2.0 * across * (1.0 + 1e-9):
        problems.append(
            f"{label}: its inertia {spin:g} is more than twice its transverse_inertia {across:g} kg m^2, which no body "
            f"can have; give {0.5 * spin:g} or more, or leave transverse_inertia out for a disc."
        )
    inertia: np.ndarray = across * np.eye(3) + (spin - across) * np.outer(along, along)
    if float(np.linalg.norm(product)) > min(spin, np.sqrt(spin * across)):
        problems.append(
            f"{label}: its dynamic_imbalance {np.linalg.norm(product):g} kg m^2 is more than its moment of inertia "
            f"{spin:g}, which no wheel has; check the units (1 g cm^2 is 1e-7 kg m^2)."
        )
        product = np.zeros(3)
    inertia = inertia + np.outer(along, product) + np.outer(product, along)
    return Body(name, weight, static / weight, inertia, (_drawn(along, weight, spin, across),))


def gimbal(
    problems: list[str], name: Any, spin_axis: Any, gimbal_axis: Any, mass: Any, inertia: Any, com: Any = (0, 0, 0)
) -> Body:
    """The body between a gyro's two joints: massless if neither mass nor inertia is given.

    `inertia` (3,) is about the spin axis, the one across both (gimbal × spin), and the gimbal axis [kg m²], `com` (3,)
    its centre of mass in the body's frame [m].
    """
    label = f"control-moment gyro {shown(name)}"
    spin = unit(problems, f"{label}: spin_axis", spin_axis, (3,))
    turn = unit(problems, f"{label}: gimbal_axis", gimbal_axis, (3,))
    if spin is not None and turn is not None and abs(spin @ turn) > 1e-6:
        problems.append(
            f"{label}: spin_axis {plain(spin)} and gimbal_axis {plain(turn)} must be at right angles; their product is "
            f"{spin @ turn:.3g}."
        )
    if mass is None and inertia is None and not np.any(numbers([], "", com, (3,))):
        return Body(f"{name}_gimbal", None, None, None, massless=True)  # type: ignore[arg-type]
    moments = numbers(problems, f"{label}: gimbal_inertia", inertia, (3,))
    if spin is None or turn is None or moments is None:
        return Body(f"{name}_gimbal", 1.0, np.zeros(3), np.eye(3))
    axes = np.array([spin, np.cross(turn, spin), turn])
    return Body(f"{name}_gimbal", mass, com, axes.T @ np.diag(moments) @ axes)


def _positive(problems: list[str], where: str, value: Any, units: str) -> float | None:
    number = numbers(problems, where, value, ())
    if number is not None and not number > 0.0:
        problems.append(f"{where} is {number:g} {units}; give a number above 0.")
        return None
    return None if number is None else float(number)


def _across(axis: np.ndarray) -> np.ndarray:
    """A unit vector across an axis: the one nearest to the first of x, y, z that is the farthest from the axis."""
    side = np.eye(3)[int(np.argmin(np.abs(axis).round(12)))]
    along: np.ndarray = side - (side @ axis) * axis
    return along / np.linalg.norm(along)


def _imbalance(problems: list[str], where: str, given: Any, axis: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """A vector across the axis, of what was given as one, or as a number along `direction`."""
    value = numbers(problems, where, given, None)
    if value is None:
        return np.zeros(3)
    if value.shape not in ((), (3,)):
        problems.append(f"{where} has shape {value.shape}; give a number, or three across the wheel's axis.")
        return np.zeros(3)
    vector: np.ndarray = value * direction if value.shape == () else value
    along = float(vector @ axis)
    if abs(along) > 1e-6 * float(np.linalg.norm(vector)):
        problems.append(
            f"{where} {plain(vector)} must be across the axis {plain(axis)}; what is along it is {along:.3g}: take "
            "that away, or put it into the wheel's position."
        )
    return vector - along * axis


def _drawn(axis: np.ndarray, mass: float, axial: float, transverse: float) -> Shape:
    """A cylinder with these moments, but not thinner than can be seen; it weighs nothing."""
    radius = float(np.sqrt(2.0 * axial / mass))
    length = float(np.sqrt(max(12.0 * transverse / mass - 3.0 * radius**2, (THINNEST * radius) ** 2)))
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(side, axis) / np.linalg.norm(np.cross(side, axis))
    return cylinder(0.0, radius, length, rotation=np.column_stack([x, np.cross(axis, x), axis]))
