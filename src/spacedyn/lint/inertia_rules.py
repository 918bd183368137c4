"""Rules for inertias: impossible ones, placeholders, and ones in the wrong unit."""

import numpy as np

from ..model.checks import is_placeholder
from ..model.values import plain
from .findings import Finding

WIDEST, NARROWEST = 20.0, 1e-4
"""Radii of gyration [m] beyond which a unit was likely mistaken."""


def inertia_findings(place: str, mass: float, inertia: np.ndarray, placeholder: str = "warning") -> list[Finding]:
    """Findings about one link's mass and its inertia about the centre of mass; how grave a placeholder is."""
    found = []
    moments = np.linalg.eigvalsh(inertia)
    a, b, c = moments
    largest = float(np.abs(moments).max())
    if a < -1e-9 * largest and a < -1e-12 * mass:
        found.append(
            Finding(
                "warning",  # an error of loading, unless it is carried by a link whose inertia outweighs it
                place,
                f"its inertia has a negative principal moment, {a:.4g} kg m^2",
                "check signs (URDF wants ixy = -∫xy dm) and that it is about the centre of mass",
            )
        )
    elif c > (a + b) * (1.0 + 1e-4) + 1e-15:
        found.append(
            Finding(
                "warning",
                place,
                f"principal moments {plain(moments)} kg m^2 break the triangle inequality, which no rigid body can",
                "check that the inertia is about the centre of mass, and its digits",
            )
        )
    if is_placeholder(inertia):
        message = f"inertia {inertia[0, 0]:g} times the identity looks like a placeholder"
        found.append(Finding(placeholder, place, message, "give the real one, from CAD or from shapes"))
    if mass > 0.0 and largest > 0.0:
        radius = float(np.sqrt(largest / mass))
        if radius > WIDEST or radius < NARROWEST:
            message = f"radius of gyration {radius:.3g} m for {mass:g} kg"
            found.append(Finding("warning", place, message, "check the units: kg m^2, not g mm^2 or kg mm^2"))
    if mass > 0.0 and largest == 0.0:
        found.append(Finding("note", place, f"{mass:g} kg without any inertia: a point", "give its inertia"))
    if mass == 1.0 and is_placeholder(inertia):
        found.append(Finding("note", place, "its mass is exactly 1 kg", "check that it was meant"))
    return found
