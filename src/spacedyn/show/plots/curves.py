"""Curves of a run over time by name, with labels and units, for figures and films.

A name is one of `DERIVED`, a variable of `run.data`, an endpoint or a body, with what is wanted of it after a dot:

    q   qd   tau   base_attitude   momentum   energy   ledger   q.joint3   hand   hand.velocity   link2.attitude
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError, UnknownName
from ...simulate.channels import present_name
from .derived import DERIVED, OF_A_FRAME, frame_panels
from .panel import Panel, in_degrees, spectrum_of
from .recorded import recorded_panels, recorded_variables

if TYPE_CHECKING:
    from ...run.run import Run


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
    recorded = list(recorded_variables(run))
    first = [name for name in ("q", "qd", "tau", "base_position", "base_attitude") if name in (*own, *recorded)]
    both = [*first, *recorded, *own, *run.model.endpoint_names, *run.model.body_names]
    return list(dict.fromkeys(both))


def key_names(run: "Run") -> list[str]:
    """The names that are drawn by default."""
    chosen = ["q"] if run.model.nq else []
    if run.model.base_kind in ("free", "attitude", "planar"):
        chosen.append("base_attitude")
    if run.model.endpoints:  # the endpoint that travels most
        travels = {name: float(np.ptp(run.endpoint(name).position, axis=0).max()) for name in run.model.endpoint_names}
        chosen.append(max(travels, key=lambda name: travels[name]))
    if "forces" in run.simulation.channels and np.any(run["forces"]):
        chosen.append("tau")
    if run.model.base_kind == "free":
        chosen.append("momentum")
    return [*chosen, "ledger" if "joint_work" in run.simulation.channels else "energy"]


def _find(run: "Run", name: str) -> list[Panel]:
    name = present_name(name)
    if name in DERIVED:
        return DERIVED[name](run)
    if name in recorded_variables(run):
        return recorded_panels(run, name)
    if name in run._shared:  # one element's column of an array that several share
        channel = run._shared[name][0]
        return _find(run, f"{channel}.{name[: -len(channel) - 1]}")
    frames = {**dict.fromkeys(run.model.body_names, run.body), **dict.fromkeys(run.model.endpoint_names, run.endpoint)}
    if name in frames:
        return frame_panels(run, name, "position", frames[name])
    known_wholes = {*DERIVED, *recorded_variables(run), *frames}
    for at in (i for i in range(len(name) - 1, 0, -1) if name[i] == "."):  # labels may have dots, too
        whole, part = name[:at], name[at + 1 :]
        if whole in frames and part in OF_A_FRAME:
            return frame_panels(run, whole, part, frames[whole])
        if whole not in known_wholes:
            continue
        of = _find(run, whole)
        chosen = [_pick(panel, part) for panel in of if part in panel.labels]
        if chosen:
            return chosen
        known = [f"{whole}.{label}" for panel in of for label in panel.labels]
        raise UnknownName("curve", name, [*known, *(f"{whole}.{p}" for p in OF_A_FRAME if whole in frames)])
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
    """One curve of a panel."""
    if panel.title.endswith(f": {label}"):
        return panel
    i = panel.labels.index(label)
    return replace(panel, title=f"{panel.title}: {label}", labels=(label,), values=panel.values[..., i : i + 1])
