"""Curves of a run over time by name, with labels and units, for figures and films.

A name is one of `DERIVED`, a variable of `run.data`, an endpoint or a body, with what is wanted of it after a dot:

    q   qd   tau   base_attitude   momentum   energy   ledger   q.joint3   hand   hand.velocity   link2.attitude
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import InputError, UnknownName
from ...quantities.momentum import center_of_mass, momentum_matrix
from ...simulate.variables import labels, split, variables
from .panel import Panel, in_degrees, spectrum_of
from .units import coordinate_units, pretty, rate_units

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
AXES = ("x", "y", "z")
_OF_A_FRAME = ("position", "attitude", "velocity", "rate", "acceleration")
_SCALE = 1e-9  # of its natural size: what is less is shown as the zero that it is


def panels(run: "Run", name: str, *, degrees: bool = False, spectrum: bool = False) -> list[Panel]:
    """The curves that a name stands for; quantities of different units come as several panels.

    Parameters
    ----------
    run : Run
        What was simulated.
    name : str
        As the module describes.
    degrees : bool
        Angles in degrees instead of radians.
    spectrum : bool
        Amplitudes over frequency instead of values over time.

    Returns
    -------
    list of Panel

    Raises
    ------
    UnknownName
        If there is nothing of that name.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
    >>> [(panel.title, panel.unit, panel.values.shape) for panel in panels(run, "momentum")]
    [('linear momentum', 'kg m/s', (5, 3)), ('angular momentum about the centre of mass', 'kg m²/s', (5, 3))]
    """
    if not run.time.size:
        raise InputError("there is nothing to draw: the run recorded nothing")
    found = _find(run, name)
    if run.simulation.staggered:
        found = [replace(panel, ends=run.ended.ravel()) for panel in found]
    if spectrum:
        found = [spectrum_of(panel) for panel in found]
    return [in_degrees(panel) if degrees else panel for panel in found]


def names(run: "Run") -> list[str]:
    """Every name that `panels` knows for a run.

    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, channels=["forces"])
    >>> names(run)
    ['q', 'qd', 'tau', 'base_position', 'base_attitude', ..., 'momentum', 'energy', 'com', 'endpoints', 'hand', ...]
    """
    ledger = ("ledger",) if "joint_work" in run.simulation.channels else ()
    own = [name for name in DERIVED if name not in ("ledger", "endpoints")]
    own += [*ledger, *(("endpoints",) if run.model.endpoints else ())]
    recorded = list(_variables(run))
    first = [name for name in ("q", "qd", "tau", "base_position", "base_attitude") if name in (*own, *recorded)]
    both = [*first, *recorded, *own, *run.model.endpoint_names, *run.model.body_names]
    return list(dict.fromkeys(both))


def key_names(run: "Run") -> list[str]:
    """The names that are drawn if none are asked for."""
    chosen = ["q"] if run.model.nq else []
    if run.model.base_kind in ("free", "attitude", "planar"):
        chosen.append("base_attitude")
    if run.model.endpoints:  # the one that travels most
        travels = {name: float(np.ptp(run.endpoint(name).position, axis=0).max()) for name in run.model.endpoint_names}
        chosen.append(max(travels, key=lambda name: travels[name]))
    if "forces" in run.simulation.channels and np.any(run["forces"]):
        chosen.append("tau")
    if run.model.base_kind == "free":
        chosen.append("momentum")
    return [*chosen, "ledger" if "joint_work" in run.simulation.channels else "energy"]


def _find(run: "Run", name: str) -> list[Panel]:
    if name in DERIVED:
        return DERIVED[name](run)
    if name in _variables(run):
        return _recorded(run, name)
    frames = {**dict.fromkeys(run.model.body_names, run.body), **dict.fromkeys(run.model.endpoint_names, run.endpoint)}
    if name in frames:
        return _frame(run, name, "position", frames[name])
    whole, _, part = name.rpartition(".")
    if whole in frames and part in _OF_A_FRAME:
        return _frame(run, whole, part, frames[whole])
    if whole in DERIVED or whole in _variables(run) or whole in frames:
        of = _find(run, whole)
        chosen = [_pick(panel, part) for panel in of if part in panel.labels]
        if chosen:
            return chosen
        known = [f"{whole}.{label}" for panel in of for label in panel.labels]
        raise UnknownName("curve", name, [*known, *(f"{whole}.{p}" for p in _OF_A_FRAME if whole in frames)])
    raise UnknownName("quantity", name, names(run))


def check_name(run: "Run", name: str) -> None:
    """Raise if a run has nothing of that name to draw; its first record is enough to tell.

    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> check_name(sd.simulate(robot, robot.neutral_state(), 0.1, record=[0.0]), "taus")
    Traceback (most recent call last):
        ...
    spacedyn.errors.UnknownName: no quantity named 'taus'; did you mean 'tau'? There are: q, qd, tau, ...
    """
    known = names(run)
    whole = name.rpartition(".")[0]
    if name in DERIVED and name not in known:
        raise UnknownName("quantity", name, known)
    if name not in known and whole != "ledger":  # its curves depend on what happens
        _find(run, name)


def _pick(panel: Panel, label: str) -> Panel:
    i = panel.labels.index(label)
    return replace(panel, title=f"{panel.title}: {label}", labels=(label,), values=panel.values[..., i : i + 1])


# --- what was recorded -----------------------------------------------------------------------------------------------

_TITLES = {
    "q": "joint coordinates",
    "qd": "joint rates",
    "tau": "joint forces",
    "udot": "accelerations",
    "base_position": "base position",
    "base_quaternion": "base attitude (quaternion)",
    "base_velocity": "base velocity",
    "base_rate": "base angular velocity",
    "joint_work": "work of joint forces",
    "force_work": "work of forces",
    "force_energy": "elastic energy of forces",
    "dissipated": "dissipated in joints",
    "tension": "tension",
    "mode": "modes of joints",
    "anchor": "where locked joints are held",
}
_TITLES_BY_UNIT = {
    ("base_wrench", "N"): "force on the base",
    ("base_wrench", "N m"): "moment on the base",
    ("endpoint_wrench", "N"): "forces at endpoints",
    ("endpoint_wrench", "N m"): "moments at endpoints",
    ("impulse", "N s"): "impulse",
    ("impulse", "N m s"): "angular impulse",
}
_MODES = {1: "free", 2: "locked", 3: "prescribed"}


def _recorded(run: "Run", name: str) -> list[Panel]:
    """A variable of the dataset; where its curves have different units, a panel for each."""
    own = labels(run.simulation)
    channel, dims, sizes, unit, part = _variables(run)[name]
    named = [own.get(dim) or [str(i) for i in range(size)] for dim, size in zip(dims, sizes, strict=True)]
    titles = [".".join(parts) for parts in product(*named)]
    values = split(run.model, channel, run[channel])[..., part]
    units = _units(run, name, unit, titles)
    title = _TITLES.get(name, name.replace("_", " "))
    found, size = [], float(np.max(np.abs(values), initial=0.0))
    for unit in dict.fromkeys(units):
        mine = [i for i, u in enumerate(units) if u == unit]
        curves, chosen = tuple(titles[i] or title for i in mine), values[..., mine]
        small = bool(np.max(np.abs(chosen), initial=0.0) < 1e-3 * _SCALE * size)  # round-off beside the others
        found.append(Panel(title, pretty(unit), curves, run.time, chosen, 1e-3 * size if small else 0.0))
    if len(found) > 1:
        found = [replace(p, title=_TITLES_BY_UNIT.get((name, p.unit), f"{title} [{p.unit}]")) for p in found]
    if name == "mode":
        found = [replace(panel, unit="", ticks=_MODES) for panel in found]
    return found


def _variables(run: "Run") -> dict[str, tuple[str, list[str], list[int], str, slice]]:
    """Variables of `run.data` that hold any number: channel, dimensions, their sizes, unit, place in the channel."""
    found = {}
    for channel in run.simulation.channels[1:]:
        size, at = split(run.model, channel, run[channel][:1]).shape[-1], 0
        for name, (dims, sizes, unit) in variables(run.simulation, channel, size).items():
            count = int(np.prod(sizes, dtype=int))
            if count:
                found[name] = channel, dims, sizes, unit, slice(at, at + count)
            at += count
    return found


def _units(run: "Run", name: str, unit: str, labels: list[str]) -> list[str]:
    """The unit of each curve of a variable."""
    if name == "q":
        return coordinate_units(run.model)
    if name in ("qd", "tau"):
        return rate_units(run.model, {"qd": "rad/s|m/s", "tau": "N m|N"}[name])
    if name == "udot":
        base = ["m/s²" if label.startswith("base.v") else "rad/s²" for label in labels[: run.model.base_dof]]
        return [*base, *rate_units(run.model, "rad/s²|m/s²")]
    if ", " in unit and name != "mode":  # of a wrench or an impulse
        return [unit.split(", ")[label.rpartition(".")[2].startswith("m")] for label in labels]
    return [unit] * len(labels)


# --- what is computed afterwards -------------------------------------------------------------------------------------


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


def _frame(run: "Run", name: str, part: str, of: Callable) -> list[Panel]:
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
        small = bool(np.max(np.abs(both[..., own]), initial=0.0) < _SCALE * size)
        about = " about the centre of mass" if own.start else ""
        found.append(Panel(title + about, unit, AXES, run.time, both[..., own], 1e-3 * size if small else 0.0))
    return found


def _energy(run: "Run") -> list[Panel]:
    energy = run.energy()
    parts = {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}
    if np.any(energy.elastic) and np.any(energy.gravitational):
        parts = {"kinetic": energy.kinetic, "of gravity": energy.gravitational, "elastic": energy.elastic} | parts
        del parts["potential"]
    return [Panel("energy", "J", tuple(parts), run.time, np.stack(list(parts.values()), axis=-1))]


def _ledger(run: "Run") -> list[Panel]:
    """Energy gained against work done, and what is left of the balances."""
    balance = run.audit().balance
    energy = run.energy().total
    works = {
        "joints": "joint_work",
        "base": "base_work",
        "endpoints": "endpoint_work",
        "forces": "force_work",
        "events": "event_work",
    }
    curves = {"energy gained": energy - energy[0]}
    for label, channel in works.items():
        if run[channel].size and np.any(run[channel]):
            curves[f"work of {label}"] = run[channel].sum(-1)
    if np.any(run["dissipated"]):
        curves["dissipated"] = -run["dissipated"][..., 0]
    found = [Panel("energy ledger", "J", tuple(curves), run.time, np.stack(list(curves.values()), axis=-1))]
    if len(curves) == 1:  # nothing does any work
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
    return [panel for name in run.model.endpoint_names for panel in _frame(run, name, "position", run.endpoint)]


DERIVED: dict[str, Callable[["Run"], list[Panel]]] = {
    "base_attitude": lambda run: _attitude(run, "base attitude", run.states.base_attitude),
    "momentum": _momentum,
    "energy": _energy,
    "ledger": _ledger,
    "com": _com,
    "endpoints": _endpoints,
}
"""Quantities that are computed from what was recorded."""
