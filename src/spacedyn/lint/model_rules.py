"""Rules for a robot that was read, from any format: visuals that are mirrored, missing or of an odd size."""

from pathlib import Path

import numpy as np

from ..model.model import Model
from ..model.values import plain
from ..model.vibration import vibration_report
from .findings import Finding

LARGE, SMALL = 100.0, 1e-5
"""Sizes of a robot's parts [m] beyond which a unit was likely mistaken."""


def model_findings(model: Model) -> list[Finding]:
    """Findings about a model that was read without an error."""
    found = []
    for body in model.bodies:
        place = f"body '{body.name}'"
        for look in (*body.visuals, *body.collisions):
            if look.mesh is not None and not Path(look.mesh).is_file():
                found.append(
                    Finding("warning", place, f"mesh {look.mesh} is not there", "put it there, or name another")
                )
            if look.mesh is not None and np.prod(look.scale) < 0.0:
                found.append(mirrored(place, look.scale))
        if np.linalg.norm(body.com) > LARGE:
            found.append(far(place, "centre of mass", body.com))
    for joint in model.joints:
        if np.linalg.norm(joint.position) > LARGE:
            found.append(far(f"joint '{joint.name}'", "origin", joint.position))
        if joint.nv == 1 and joint.lower[0] == joint.upper[0]:
            found.append(
                Finding("warning", f"joint '{joint.name}'", f"both limits are {joint.lower[0]:g}", "give it a range")
            )
    for base, modes in vibration_report(model).items():
        found.append(Finding("note", f"base {base}", f"first frequencies {modes.line}", ""))
    return found


def mirrored(place: str, scale: np.ndarray) -> Finding:
    """A mesh that a negative scale turns inside out."""
    return Finding(
        "warning",
        place,
        f"a mesh is scaled by {plain(np.asarray(scale))}: it is mirrored, left-handed, and its faces look inward",
        "mirror the mesh in its file, and scale by positive numbers",
    )


def far(place: str, what: str, position: np.ndarray) -> Finding:
    """Something further away than robots are long."""
    return Finding(
        "warning",
        place,
        f"its {what} is {np.linalg.norm(position):.4g} m away",
        "check the unit: metres, not millimetres",
    )
