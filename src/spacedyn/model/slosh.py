"""Liquid that sloshes in a tank, as masses on springs and pendula: its first lateral mode, by linear potential theory.

In an upright cylinder of radius R, filled to the depth h, under the acceleration g, with k = lambda / R and lambda the
first zero of J1':

    w^2 = g k tanh(k h),    m1 / m = 2 tanh(k h) / (lambda (lambda^2 - 1) h / R),    L = 1 / (k tanh(k h))

The mass rests at the height h - (2/k) tanh(k h / 2) above the bottom, on a spring m1 w^2 or on a pendulum of length L
above it: then the moment of the liquid's pressure on walls and bottom is right, too. What does not slosh is fixed, so
that mass and centre of mass are the liquid's. Abramson (ed.), NASA SP-106 (1966), ch. 6; Dodge, The New "Dynamic
Behavior of Liquids in Moving Containers" (2000), ch. 3.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..reals import one_number
from .parts import Body
from .shapes import cylinder, point, sphere
from .values import numbers, shown

FIRST_ZERO = 1.8411837813406593
"""lambda: the first zero of the derivative of the Bessel function J1."""
_SMALLEST, _LARGEST = 1e-30, 1e30  # of sizes: smaller or larger ones overflow


@dataclass(frozen=True)
class SloshMode:
    """The first lateral mode of a liquid as a mass on a spring, or as a pendulum; heights are above the tank's bottom.

    Attributes
    ----------
    liquid_mass : float
        Of all liquid [kg].
    mass : float
        What sloshes [kg].
    angular_frequency : float
        [rad/s], in a tank that is held.
    stiffness : float
        Of the spring, in every lateral direction [N/m].
    pendulum_length : float
        From its hinge to its mass [m].
    height : float
        Of the mass at rest [m].
    fixed_mass, fixed_height : float
        What does not slosh [kg], and its centre of mass [m].
    radius, depth : float
        Of the liquid [m].
    """

    liquid_mass: float
    mass: float
    angular_frequency: float
    stiffness: float
    pendulum_length: float
    height: float
    fixed_mass: float
    fixed_height: float
    radius: float
    depth: float

    @property
    def frequency(self) -> float:
        """In a tank that is held [Hz]."""
        return self.angular_frequency / (2.0 * np.pi)

    @property
    def hinge_height(self) -> float:
        """Of the pendulum's hinge [m]."""
        return self.height + self.pendulum_length


def cylinder_slosh(radius: float, depth: float, density: float, acceleration: float) -> SloshMode:
    """The first lateral slosh mode of a liquid in an upright cylinder with a flat bottom.

    Parameters
    ----------
    radius, depth : float
        Of the tank, and how deep the liquid is in it [m].
    density : float
        [kg/m³]
    acceleration : float
        Along the tank's axis, that presses the liquid to the bottom: thrust over mass, or gravity [m/s²].

    Returns
    -------
    SloshMode
        Masses, frequency, spring, pendulum, heights above the bottom.

    Raises
    ------
    InputError
        A number that is not positive.

    Examples
    --------
    >>> import spacedyn as sd
    >>> mode = sd.cylinder_slosh(radius=0.5, depth=0.6, density=1000.0, acceleration=0.2)
    >>> print(f"{mode.frequency:.4f} Hz, {mode.mass:.1f} of {mode.liquid_mass:.1f} kg, {mode.pendulum_length:.4f} m")
    0.1349 Hz, 174.2 of 471.2 kg, 0.2782 m
    """
    given = {"radius": radius, "depth": depth, "density": density, "acceleration": acceleration}
    R, h, rho, g = (_positive(f"cylinder_slosh: {name}", value) for name, value in given.items())
    k = FIRST_ZERO / R
    rise = float(np.tanh(k * h))
    mass = rho * np.pi * R * R * h
    m1 = mass * 2.0 * rise / (FIRST_ZERO * (FIRST_ZERO**2 - 1.0) * h / R)
    w = float(np.sqrt(g * k * rise))
    height = h - 2.0 / k * float(np.tanh(0.5 * k * h))
    rest = mass - m1
    fixed_height = (mass * 0.5 * h - m1 * height) / rest
    found = (mass, m1, w, m1 * w * w, 1.0 / (k * rise), height, rest, fixed_height, R, h)
    return SloshMode(*(float(value) for value in found))


def slosh_body(problems: list[str], name: Any, mass: Any, com: Any = (0.0, 0.0, 0.0)) -> Body:
    """A point mass, drawn as a ball of water's density."""
    weight = numbers(problems, f"slosh mass {shown(name)}: mass", mass, ())
    if weight is not None and not weight > 0.0:
        problems.append(f"slosh mass {shown(name)}: mass is {weight:g} kg; give a number above 0.")
        weight = None
    place = numbers(problems, f"slosh mass {shown(name)}: place", com, (3,))
    if weight is None or place is None:
        return Body(name, 1.0, np.zeros(3), np.eye(3))  # looked at as if it were one: the rest may have problems too
    ball = sphere(0.0, float(np.cbrt(3.0 * weight / (4000.0 * np.pi))), place)
    return Body(name, float(weight), place, np.zeros((3, 3)), (ball,))


def still_liquid(mode: SloshMode) -> tuple[float, np.ndarray, np.ndarray]:
    """What does not slosh: mass, centre of mass and inertia about it, z along the tank's axis, from its bottom.

    Across the axis it has, together with the slosh mass at rest, the inertia of the frozen liquid; that of an ideal
    liquid is less. About the axis it has its own share; what sloshes does not turn with the tank.
    """
    m, h, R = mode.liquid_mass, mode.depth, mode.radius
    middle = 0.5 * h
    across = m * (h * h / 12.0 + R * R / 4.0)
    across -= mode.mass * (mode.height - middle) ** 2 + mode.fixed_mass * (mode.fixed_height - middle) ** 2
    return (
        mode.fixed_mass,
        np.array([0.0, 0.0, mode.fixed_height]),
        np.diag([across, across, 0.5 * mode.fixed_mass * R * R]),
    )


def damping_of(problems: list[str], where: str, mass: Any, stiffness: Any, damping: Any, ratio: Any) -> Any:
    """The damper of a mass on a spring: as given, or by its ratio to the critical one."""
    if ratio is None:
        return damping
    if np.any(numbers([], "", damping, None)):
        problems.append(f"{where}: it has both damping and damping_ratio; leave one of the two out.")
        return 0.0
    share = numbers(problems, f"{where}: damping_ratio", ratio, ())
    both = numbers([], "", mass, ()), numbers([], "", stiffness, ())
    if share is None or both[0] is None or both[1] is None:
        return 0.0
    if not 0.0 <= share <= 1.0:
        problems.append(f"{where}: damping_ratio is {share:g}; give 0 to 1, a share of critical damping.")
        return 0.0
    return float(2.0 * share * np.sqrt(max(both[0] * both[1], 0.0)))


def frame_along(axis: np.ndarray) -> np.ndarray:
    """Columns x, y, z (3, 3) of a right-handed frame whose z is a unit vector; the identity for (0, 0, 1)."""
    side = np.eye(3)[0 if abs(axis[0]) < 0.9 else 1]
    x: np.ndarray = side - (side @ axis) * axis
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def tank_shapes(mode: SloshMode) -> tuple[Any, ...]:
    """How the liquid is drawn: the cylinder that it fills, z along the axis, from the bottom."""
    return (cylinder(0.0, mode.radius, mode.depth, (0.0, 0.0, 0.5 * mode.depth)), point(0.0))


def _positive(where: str, value: Any) -> float:
    number = one_number(where, value, "a positive number")
    if not number > 0.0:
        raise InputError(f"{where} must be a positive number, got {number}")
    if not _SMALLEST < number < _LARGEST:
        raise InputError(f"{where} must be a number between {_SMALLEST:g} and {_LARGEST:g}, got {number}")
    return number
