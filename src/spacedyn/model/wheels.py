"""Reaction wheels and control-moment gyros as bodies and joints: `Builder.wheel`, `Builder.control_moment_gyro`.

A rotor is a body that is symmetric about its axis, on a revolute joint without limits. Momentum and energy that it
holds, and the gyroscopic moment on whatever carries it, follow from that.
"""

from typing import Any

import numpy as np

from .parts import Body
from .shapes import Shape, cylinder
from .values import numbers, plain, shown, unit

THINNEST = 0.2
"""Least length of a rotor as it is drawn, over its radius."""


def rotor(problems: list[str], name: Any, axis: Any, mass: Any, axial: Any, transverse: Any) -> Body:
    """A body that is symmetric about an axis through its frame's origin; what is wrong goes to `problems`.

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
        disc has it, if `transverse` is None.

    Examples
    --------
    >>> rotor([], "wheel", (0, 0, 1), 5.0, 0.04, None).inertia.diagonal().tolist()
    [0.02, 0.02, 0.04]
    """
    label = f"wheel {shown(name)}"
    along = unit(problems, f"{label}: axis", axis, (3,))
    weight = _positive(problems, f"{label}: mass", mass, "kg")
    spin = _positive(problems, f"{label}: inertia", axial, "kg m^2")
    half = None if spin is None else 0.5 * spin
    across = half if transverse is None else _positive(problems, f"{label}: transverse_inertia", transverse, "kg m^2")
    if along is None or weight is None or spin is None or across is None:
        return Body(name, 1.0, np.zeros(3), np.eye(3))  # looked at as if it were one: the rest may have problems too
    if spin > 2.0 * across * (1.0 + 1e-9):
        problems.append(
            f"{label}: its inertia {spin:g} is more than twice its transverse_inertia {across:g} kg m^2, which no body "
            f"can have; give {0.5 * spin:g} or more, or leave transverse_inertia out for a disc."
        )
    inertia: np.ndarray = across * np.eye(3) + (spin - across) * np.outer(along, along)
    return Body(name, weight, np.zeros(3), inertia, (_drawn(along, weight, spin, across),))


def gimbal(problems: list[str], name: Any, spin_axis: Any, gimbal_axis: Any, mass: Any, inertia: Any) -> Body:
    """The body between a gyro's two joints: massless if neither mass nor inertia is given.

    `inertia` (3,) is about the spin axis, the one across both (gimbal × spin), and the gimbal axis [kg m²].
    """
    label = f"control-moment gyro {shown(name)}"
    spin = unit(problems, f"{label}: spin_axis", spin_axis, (3,))
    turn = unit(problems, f"{label}: gimbal_axis", gimbal_axis, (3,))
    if spin is not None and turn is not None and abs(spin @ turn) > 1e-6:
        problems.append(
            f"{label}: spin_axis {plain(spin)} and gimbal_axis {plain(turn)} must be at right angles; their product is "
            f"{spin @ turn:.3g}."
        )
    if mass is None and inertia is None:
        return Body(f"{name}_gimbal", None, None, None, massless=True)  # type: ignore[arg-type]
    moments = numbers(problems, f"{label}: gimbal_inertia", inertia, (3,))
    if spin is None or turn is None or moments is None:
        return Body(f"{name}_gimbal", 1.0, np.zeros(3), np.eye(3))
    axes = np.array([spin, np.cross(turn, spin), turn])
    return Body(f"{name}_gimbal", mass, np.zeros(3), axes.T @ np.diag(moments) @ axes)


def _positive(problems: list[str], where: str, value: Any, units: str) -> float | None:
    number = numbers(problems, where, value, ())
    if number is not None and not number > 0.0:
        problems.append(f"{where} is {number:g} {units}; give a number above 0.")
        return None
    return None if number is None else float(number)


def _drawn(axis: np.ndarray, mass: float, axial: float, transverse: float) -> Shape:
    """A cylinder with these moments, but not thinner than can be seen; it weighs nothing."""
    radius = float(np.sqrt(2.0 * axial / mass))
    length = float(np.sqrt(max(12.0 * transverse / mass - 3.0 * radius**2, (THINNEST * radius) ** 2)))
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(side, axis) / np.linalg.norm(np.cross(side, axis))
    return cylinder(0.0, radius, length, rotation=np.column_stack([x, np.cross(axis, x), axis]))
