"""Curves that are computed from what a run recorded: motion of frames, momentum, energy, the ledger."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import InputError
from ...quantities.momentum import center_of_mass, momentum_matrix
from ...simulate.channels import LOSSES, WORKS
from .panel import ROUND_OFF, Panel

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
AXES = ("x", "y", "z")
OF_A_FRAME = ("position", "attitude", "velocity", "rate", "acceleration")
"""What can be asked of a body or an endpoint."""


def continuous_rotation_vectors(attitudes: Rotation) -> Array:
    """Rotation vectors (times, …, 3) [rad] of attitudes over time, without jumps at half a turn.

    >>> turning = Rotation.from_rotvec(np.outer([3.0, 3.1, 3.2], [0, 0, 1]))
    >>> continuous_rotation_vectors(turning)[:, 2].round(9)
    array([3. , 3.1, 3.2])
    """
    vectors = attitudes.as_rotvec()
    for i in range(1, len(vectors)):
        angle = np.linalg.norm(vectors[i], axis=-1, keepdims=True)
        axis = vectors[i] / np.where(angle > 1e-9, angle, 1.0)
        # of all angles about this axis that are the same attitude, the one nearest to where it was
        along = np.sum(axis * vectors[i - 1], axis=-1, keepdims=True)
        vectors[i] = axis * (angle + 2 * np.pi * np.round((along - angle) / (2 * np.pi)))
    return vectors


def _attitude(run: "Run", title: str, attitudes: Rotation) -> list[Panel]:
    return [Panel(f"{title} (rotation vector)", "rad", AXES, run.time, continuous_rotation_vectors(attitudes))]


def frame_panels(run: "Run", name: str, part: str, of: Callable) -> list[Panel]:
    """The motion of a body or an endpoint, by `run.body` or `run.endpoint`: one of `OF_A_FRAME`."""
    motion = of(name)
    if part == "position":
        return [Panel(f"position of {name}", "m", AXES, run.time, motion.position)]
    if part == "attitude":
        return _attitude(run, f"attitude of {name}", Rotation.from_matrix(motion.rotation))
    if part == "velocity":
        return [Panel(f"velocity of {name}", "m/s", AXES, run.time, motion.velocity[..., :3])]
    if part == "rate":
        return [Panel(f"angular velocity of {name}", "rad/s", AXES, run.time, motion.velocity[..., 3:])]
    if motion.acceleration is None:
        raise InputError(f"'{name}.acceleration' needs the channel 'udot', which was not recorded")
    return [Panel(f"acceleration of {name}", "m/s²", AXES, run.time, motion.acceleration[..., :3])]


def _momentum(run: "Run") -> list[Panel]:
    both = run.momentum(about="com")
    parts = np.abs(momentum_matrix(run.model, run.states, about="com") * run.states.u[..., None, :]).sum(axis=-1)
    found = []
    for title, unit, own in (("linear momentum", "kg m/s", slice(3)), ("angular momentum", "kg m²/s", slice(3, 6))):
        size = float(np.max(parts[..., own], initial=0.0))
        small = bool(np.max(np.abs(both[..., own]), initial=0.0) < ROUND_OFF * size)
        about = " about the centre of mass" if own.start else ""
        found.append(Panel(title + about, unit, AXES, run.time, both[..., own], 1e-3 * size if small else 0.0))
    return found


def _energy(run: "Run") -> list[Panel]:
    energy = run.energy()
    parts = {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}
    if np.any(energy.stored) and np.any(energy.gravitational):
        parts = {"kinetic": energy.kinetic, "of gravity": energy.gravitational, "stored": energy.stored} | parts
        del parts["potential"]
    return [Panel("energy", "J", tuple(parts), run.time, np.stack(list(parts.values()), axis=-1))]


_ENTRIES = {
    "joint_work": "work of joints",
    "base_work": "work of base",
    "endpoint_work": "work of endpoints",
    "element_work": "work of elements",
    "event_work": "work of events",
    "dissipated": "dissipated in joints",
    "element_dissipated": "dissipated in elements",
}
"""What the curves of the ledger are called, by channel."""


def _ledger(run: "Run") -> list[Panel]:
    """Energy gained and work done, and the errors of the balances."""
    balance = run.audit().balance
    energy = run.energy().total
    curves = {"energy gained": energy - energy[0]}
    for channel in (*WORKS, *LOSSES):
        if np.any(run[channel]):
            curves[_ENTRIES[channel]] = (-1.0 if channel in LOSSES else 1.0) * run[channel].sum(-1)
    found = [Panel("energy ledger", "J", tuple(curves), run.time, np.stack(list(curves.values()), axis=-1))]
    if len(curves) == 1:  # no work is done
        found = _energy(run)
    found.append(Panel("ledger: energy error", "J", ("energy error",), run.time, balance["energy"][..., None]))
    if "linear_momentum" in balance:
        errors = [np.linalg.norm(balance[f"{kind}_momentum"], axis=-1) for kind in ("linear", "angular")]
        found.append(
            Panel(
                "ledger: momentum error", "kg m/s, kg m²/s", ("linear", "angular"), run.time, np.stack(errors, axis=-1)
            )
        )
    return found


def _com(run: "Run") -> list[Panel]:
    return [Panel("centre of mass", "m", AXES, run.time, center_of_mass(run.model, run.states))]


def _endpoints(run: "Run") -> list[Panel]:
    return [panel for name in run.model.endpoint_names for panel in frame_panels(run, name, "position", run.endpoint)]


DERIVED: dict[str, Callable[["Run"], list[Panel]]] = {
    "base_attitude": lambda run: _attitude(run, "base attitude", run.states.base_attitude),
    "momentum": _momentum,
    "energy": _energy,
    "ledger": _ledger,
    "com": _com,
    "endpoints": _endpoints,
}
"""Quantities that are computed from what was recorded."""
