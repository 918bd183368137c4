"""What touching bodies are made of, by pairs: stiffness, damping, friction, resistance to rolling, adhesion."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, UnknownName
from ..reals import one_number, real_number
from ..signatures import check_names, checked_arguments, checked_fields

_REFERENCE_DEPTH = 1e-4
"""Depth at which bristles are 0.8 times as stiff as the surface, if nothing is said of them [m]."""


@checked_fields()
@dataclass(frozen=True)
class ContactMaterial:
    """A pair of materials that touch.

    The normal force at a depth x is N = stiffness x^exponent (1 + dissipation x') + damping x', and never a pull.
    Friction is at most μ N, with μ from `static_friction` at rest to `friction` beyond some `stribeck_speed`.

    Parameters
    ----------
    stiffness : float
        [N/m^exponent].
    exponent : float
        1.5 for round bodies (Hertz), 1 for a spring; from 1 on.
    dissipation : float
        Of Hunt and Crossley [s/m]; the force stays continuous at the touch. For small speeds v the restitution is
        1 - 2/3 dissipation v.
    damping : float
        Of a damper beside the spring [N s/m]; the force jumps at the touch.
    friction, static_friction : float
        Coefficients; the second is the first if left out.
    stribeck_speed : float
        [m/s].
    sticks : bool
        Whether friction is by bristles, which are states and truly stick; if not, it is Coulomb's, regularised below
        `slip_speed`, without states, and creeps.
    bristle_stiffness : float, optional
        [N/m]; if left out, 0.8 times that of the surface, at a depth of 0.1 mm if it depends on depth.
    bristle_time : float, optional
        Viscosity of the bristles over their stiffness [s]; if left out, so that the mass of the robot on one point's
        bristles would swing with half of the critical damping.
    slip_speed : float
        [m/s]; for `sticks=False`.
    rolling, torsion : float
        Moments against rolling and against turning about the normal, over the normal force [m].
    turn_rate : float
        Below which these set in [rad/s].
    adhesion : float
        A pull in contact [N], which falls to zero over `adhesion_range`.
    adhesion_range : float
        [m].

    Examples
    --------
    >>> import spacedyn as sd
    >>> foot = sd.ContactMaterial(stiffness=2e4, exponent=1.0, dissipation=0.5, friction=0.6)
    >>> round(foot.restitution(0.2), 6)
    0.937476
    """

    stiffness: float
    exponent: float = 1.5
    dissipation: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    static_friction: float | None = None
    stribeck_speed: float = 1e-3
    sticks: bool = True
    bristle_stiffness: float | None = None
    bristle_time: float | None = None
    slip_speed: float = 1e-4
    rolling: float = 0.0
    torsion: float = 0.0
    turn_rate: float = 1e-3
    adhesion: float = 0.0
    adhesion_range: float = 1e-4

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "sticks" or value is None:
                continue
            number = one_number(f"ContactMaterial: {one.name}", value)
            if number < 0.0:
                raise InputError(f"ContactMaterial: {one.name} must not be negative, got {number}")
            object.__setattr__(self, one.name, number)
        positive = ["stiffness", "stribeck_speed", "slip_speed", "turn_rate", "adhesion_range"]
        positive += [name for name in ("bristle_stiffness", "bristle_time") if getattr(self, name) is not None]
        for name in positive:
            if not getattr(self, name) > 0.0:
                raise InputError(f"ContactMaterial: {name} must be positive, got {getattr(self, name)}")
        if self.exponent < 1.0:
            raise InputError(f"ContactMaterial: exponent must be 1 or more, got {self.exponent}")
        if self.static_friction is not None and self.static_friction < self.friction:
            raise InputError(
                f"ContactMaterial: static_friction must be at least friction, {self.friction:g}, "
                f"got {self.static_friction:g}"
            )

    @property
    def bristles(self) -> float:
        """Stiffness of the bristles, chosen if it is not given [N/m]."""
        if self.bristle_stiffness is not None:
            return self.bristle_stiffness
        return 0.8 * self.exponent * self.stiffness * _REFERENCE_DEPTH ** (self.exponent - 1.0)

    def restitution(self, speed: float) -> float:
        """Speed after a central impact over the speed before it, by the dissipation of Hunt and Crossley alone.

        It solves d - ln(1 + d) = -e d - ln(1 - e d) with d = dissipation times speed, whatever the mass and stiffness.

        Parameters
        ----------
        speed : float
            Before the impact [m/s].

        Examples
        --------
        >>> import spacedyn as sd
        >>> sd.ContactMaterial(1e6, dissipation=1.0).restitution(0.5).__round__(15)
        0.748434931597434
        """
        v = real_number("restitution: speed", speed)
        if self.damping > 0.0:
            raise InputError("restitution: with a damper it depends on mass and stiffness; simulate it")
        d = self.dissipation * abs(v)
        if d < 1e-8:
            return 1.0 - 2.0 / 3.0 * d
        wanted, low, high = d - np.log1p(d), 0.0, min(1.0, (1.0 - 1e-16) / d)
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if -middle * d - np.log1p(-middle * d) < wanted else (low, middle)
        return float(0.5 * (low + high))

    @classmethod
    def for_restitution(cls, stiffness: float, restitution: float, speed: float, **others: Any) -> "ContactMaterial":
        """A material whose central impacts at a speed have a restitution.

        Parameters
        ----------
        stiffness : float
            [N/m^exponent].
        restitution : float
            Above 0, up to 1.
        speed : float
            Before the impact [m/s].
        **others
            Of ContactMaterial.

        Examples
        --------
        >>> import spacedyn as sd
        >>> ball = sd.ContactMaterial.for_restitution(1e5, restitution=0.8, speed=2.0)
        >>> round(ball.restitution(2.0), 12)
        0.8
        """
        e, v = one_number("for_restitution: restitution", restitution), one_number("for_restitution: speed", speed)
        if not (0.0 < e <= 1.0 and v > 0.0):
            raise InputError(
                f"for_restitution: restitution must be above 0 and up to 1, at a positive speed; got {e}, {v} m/s"
            )
        low, high = 0.0, 1.0 / e  # d below 1 / e: the rebound is slower than 1 / dissipation
        for _ in range(200):
            d = 0.5 * (low + high)
            value = (d - np.log1p(d)) - (-e * d - np.log1p(-e * d))
            low, high = (d, high) if value > 0.0 else (low, d)
        return cls(stiffness, dissipation=0.0 if e == 1.0 else 0.5 * (low + high) / v, **others)


class _Measured(NamedTuple):
    """Of a pair: the reduced modulus [Pa], static and sliding friction, Hunt and Crossley's dissipation [s/m]."""

    modulus: float
    static: float
    sliding: float
    dissipation: float


def _reduced(E1: float, nu1: float, E2: float, nu2: float) -> float:
    return 1e9 / ((1.0 - nu1**2) / E1 + (1.0 - nu2**2) / E2)


_STEEL, _ALUMINIUM, _COPPER, _GLASS = (200.0, 0.29), (70.0, 0.33), (117.0, 0.34), (65.0, 0.23)
_TEFLON, _RUBBER, _CONCRETE = (0.5, 0.46), (0.01, 0.499), (30.0, 0.2)
_MEASURED = {
    "steel on steel": _Measured(_reduced(*_STEEL, *_STEEL), 0.74, 0.57, 0.3),
    "aluminium on steel": _Measured(_reduced(*_ALUMINIUM, *_STEEL), 0.61, 0.47, 0.3),
    "copper on steel": _Measured(_reduced(*_COPPER, *_STEEL), 0.53, 0.36, 0.3),
    "glass on glass": _Measured(_reduced(*_GLASS, *_GLASS), 0.94, 0.4, 0.1),
    "teflon on steel": _Measured(_reduced(*_TEFLON, *_STEEL), 0.04, 0.04, 0.5),
    "rubber on concrete": _Measured(_reduced(*_RUBBER, *_CONCRETE), 1.0, 0.8, 0.3),
}


@checked_arguments()
def contact_material(pair: str, radius: float, **others: Any) -> ContactMaterial:
    """A pair of measured materials whose surfaces have a radius of curvature.

    Hertz: stiffness = 4/3 E* √radius. Friction is that of dry, clean surfaces (Serway & Jewett, Physics for Scientists
    and Engineers, table 5.1); moduli are handbooks' (CRC Handbook of Chemistry and Physics); the dissipation of steel
    is the middle of what Hunt & Crossley (1975) take from Goldsmith's impacts, 1.5 times 0.08 to 0.32 s/m, that of
    other pairs of that order and not measured. Friction of real surfaces may be half or twice of it.

    Parameters
    ----------
    pair : str
        'steel on steel', 'aluminium on steel', 'copper on steel', 'glass on glass', 'teflon on steel', 'rubber on
        concrete'.
    radius : float
        1 / (1 / R1 + 1 / R2) [m]: of a ball on a plane, its own.
    **others
        Of ContactMaterial, instead.

    Raises
    ------
    UnknownName
        With the pairs that there are.

    Examples
    --------
    >>> import spacedyn as sd
    >>> ball = sd.contact_material("steel on steel", radius=0.01)
    >>> f"{ball.stiffness:.3g} N/m^1.5, {ball.friction}"
    '1.46e+10 N/m^1.5, 0.57'
    """
    if pair not in _MEASURED:
        raise UnknownName("pair of materials", pair, list(_MEASURED))
    R, one = one_number("contact_material: radius", radius), _MEASURED[pair]
    if not R > 0.0:
        raise InputError(f"contact_material: radius must be a positive length [m], got {R}")
    made = ContactMaterial(
        4.0 / 3.0 * one.modulus * R**0.5,
        dissipation=one.dissipation,
        friction=one.sliding,
        static_friction=one.static,
    )
    known = [f.name for f in fields(ContactMaterial)]
    check_names("parameter of contact_material()", others, known)
    return replace(made, **others)


def read_material(what: str, given: Any) -> ContactMaterial:
    """A material, or the table of its parameters that a file has; with a `pair` and a `radius`, a measured one."""
    if isinstance(given, ContactMaterial):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be a ContactMaterial, such as ContactMaterial(stiffness=1e5), got {given!r}")
    if "pair" in given:
        return contact_material(**given)
    check_names(f"parameter of {what}", given, [one.name for one in fields(ContactMaterial)])
    if "stiffness" not in given:
        raise InputError(f"{what}: give its stiffness [N/m^exponent], or a pair and a radius of measured materials")
    return ContactMaterial(**given)
