"""The audit of a run: energy against work, momentum against impulse, accumulated during the run.

Each chunk of records is audited once; only a few numbers for each robot are kept.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core import config

from ..elements.prescribed import Prescribed
from ..markup import chip, table
from ..model.model import Model, robot_of
from ..model.state import State
from ..model.state_parts import layout_of
from ..quantities.calls import gravity_vector
from ..quantities.momentum import totals
from ..simulate.carried import with_carried
from ..simulate.channels import LOSSES, WORKS
from ..simulate.joint_modes import FREE
from ..simulate.modes import deviations

Array = np.ndarray
_ROUND_OFF = 1e-12  # smaller errors are called round-off in the verdict
_ROUNDING = 64 * np.finfo(float).eps
"""Relative rounding error of energies and momenta: their differences are known no better."""
_HELD = 1e-13
"""How far [m] states are held on constraint rows: the energy of a weight is known no better."""
_prepared: set[tuple[bool, ...]] = set()
_FREE = {"free": np.ones(6, dtype=bool), "planar": np.isin(range(6), (0, 1, 5))}
"""Components of (P; L about the centre of mass) that no support of a base of this kind changes."""


@dataclass(frozen=True)
class Audit:
    """The ledger's verdict: largest relative errors of a run's energy and momentum, and when they were that large.

    Energy is compared with the work of actuators, wrenches and forces less what joints dissipate, momentum with the
    impulse of all external forces; relative to the energy, and to the sum of the magnitudes of the bodies' momenta,
    which do not cancel where the momentum itself is zero. Differences of energy within the rounding of the energies
    themselves count as none, and so do those of angular momentum within the rounding of the velocities. Under
    `TimeStepping` energy is compared at least with what lifts each body by its own size. Of a planar
    base, the momentum in its plane. NaN where there is nothing to compare: momentum that a support takes (attitude and
    fixed bases), joints that none is prescribed of.

    Attributes
    ----------
    energy, linear_momentum, angular_momentum : float
        Largest relative error over the run.
    quaternion_norm : float
        Largest distance of a quaternion's length from one.
    constraints : float
        Largest distance of prescribed and locked joints' coordinates and rates from what they should be; largest
        residual of loops and other constraint rows [m, rad], and of its rate.
    mass : float
        Largest relative error of the mass that is carried and that has left, together. NaN where none can leave.
    contact : float
        Under `TimeStepping`, the largest velocity by which a contact was off Coulomb's law where `sweeps` ended too
        soon, over the largest velocity at a contact until then. NaN under other methods.
    times : dict of float
        When each of them was reached [s].
    budget : float
        What they may be.
    """

    energy: float
    linear_momentum: float
    angular_momentum: float
    quaternion_norm: float
    constraints: float
    mass: float
    contact: float
    times: dict[str, float]
    budget: float
    _balance: Callable[[], dict[str, Array]] = field(repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same; NaN, where there is nothing to compare, is the same as NaN."""
        if not isinstance(other, Audit):
            return NotImplemented
        return np.array_equal(self._numbers(), other._numbers(), equal_nan=True)

    def _numbers(self) -> list[float]:
        return [*(getattr(self, name) for name in _NAMES), *(self.times[name] for name in _NAMES), self.budget]

    @property
    def balance(self) -> dict[str, Array]:
        """Errors over time, each (times, …): energy [J] and momentum [kg m/s, kg m²/s], actual minus expected."""
        return self._balance()

    @property
    def worst(self) -> float:
        """The largest of the errors."""
        return float(np.nanmax([getattr(self, name) for name in _NAMES]))

    @property
    def within_budget(self) -> bool:
        """Whether all errors are within the budget."""
        return self.worst <= self.budget

    def __str__(self) -> str:
        lines = [f"{'ledger':20s}largest relative error"]
        for name in self._shown:
            value, words = getattr(self, name), name.replace("_", " ")
            when = "" if np.isnan(value) else f"{value:7.1e}  at {self.times[name]:g} s"
            lines.append(f"  {words:18s}{when or f'      –  ({_NOTHING[name]})'}")
        return "\n".join([*lines, f"  verdict: {self.verdict}"])

    @property
    def _shown(self) -> list[str]:
        """The errors that apply: mass only if some can leave, contact only if the method steps through it."""
        return [name for name in _NAMES if name not in ("mass", "contact") or not np.isnan(getattr(self, name))]

    @property
    def errors(self) -> str:
        """Words for the errors of energy and momentum, and for all other errors beyond the budget."""
        named = {name: getattr(self, name) for name in _NAMES}
        shown = {name: value for i, (name, value) in enumerate(named.items()) if i < 3 or value > self.budget}
        return ", ".join(f"{name.replace('_', ' ')} {e:.1e}" for name, e in shown.items() if not np.isnan(e))

    @property
    def verdict(self) -> str:
        """Whether the run can be trusted, in words."""
        if not self.within_budget:
            return f"NOT to be trusted: beyond the budget of {self.budget:g}"
        return f"good{' to round-off' if self.worst < _ROUND_OFF else ''}, within the budget of {self.budget:g}"

    def _repr_html_(self) -> str:
        rows = []
        for name in self._shown:
            value, words = getattr(self, name), name.replace("_", " ")
            known = not np.isnan(value)
            rows.append([words, f"{value:.1e}" if known else "–", f"{self.times[name]:g} s" if known else ""])
        note = f"verdict: {chip(self.verdict, self.within_budget)}"
        return table("ledger", ["", "largest relative error", "at"], rows, note)


_NAMES = ("energy", "linear_momentum", "angular_momentum", "quaternion_norm", "constraints", "mass", "contact")
_NOTHING = dict.fromkeys(_NAMES, "what holds the base takes it") | {
    "constraints": "no joint was prescribed or locked, no loop closed"
}


def has_momentum(model: Model) -> bool:
    """Whether there is any momentum that only impulses change."""
    return model.base_kind in _FREE


def quantities(model: Model, states: State, get: Callable[[str], Array], gravity: Any) -> dict[str, Array]:
    """Energies and momenta that the ledger compares, for a batch of states: (…) or (…, 6)."""
    works = [get(name) for name in WORKS]
    # a single robot in float64, whose functions are compiled already: packs would take seconds to compile
    several = math.prod(states.shape[1:]) > 1 or model.flat.robots > 0
    sums, forces = totals(model, states, gravity, several), get("element_energy")
    found = {
        "kinetic": sums.kinetic,
        "potential": sums.gravitational + sums.elastic + forces.sum(-1),
        "work": sum(w.sum(-1) for w in works),
        "work_size": sum(np.abs(w).sum(-1) for w in works),
        "lost": sum(get(name).sum(-1) for name in LOSSES),
    }
    lifted = np.abs(sums.gravitational) + np.linalg.norm(gravity_vector(gravity)) * sums.spread
    found["rounding"] = _ROUNDING * (sums.kinetic + lifted + sums.elastic + np.abs(forces).sum(-1))
    if get("closure").shape[-1]:
        found["rounding"] = found["rounding"] + _HELD * np.linalg.norm(gravity_vector(gravity)) * model.total_mass
    left = get("left")
    if left.shape[-1] > 1:
        found["mass"] = get("carried")[..., 0] + left[..., 0]
    if has_momentum(model):
        free = _FREE[model.base_kind]
        both, sizes, carried = sums.momentum, sums.sizes, get("carried")
        if carried.shape[-1] > 1:
            both, more = with_carried(model, states, sums.centre, both, carried)
            sizes = sizes + more
        found["momentum"] = both * free
        found["parts"] = sizes
        found["impulse"] = get("impulse") * free
        # the rounding of a common velocity acts at each body's distance from the centre
        found["reach"] = sums.spread / np.asarray(model.total_mass)
        found["spinning"] = _ROUNDING * found["reach"] * sums.sizes[..., 0]
    return found


def lifting_energy(model: Model, gravity: Any) -> float:
    """Energy that lifts each body of a model by its own size, its radius of gyration [J].

    Where all is at rest on the ground, all energies are rounding: errors of impulses are compared with this.
    """
    bodies = robot_of(model, 0).bodies
    sizes = [float(np.sqrt(max(0.5 * body.mass * np.trace(body.inertia), 0.0))) for body in bodies]
    return float(np.linalg.norm(gravity_vector(gravity)) * sum(sizes))


def balances(found: dict[str, Array], energy: Array, both: Array | None) -> dict[str, Array]:
    """Errors of energy and momentum: their change since the start less work, losses and impulse."""
    off = {"energy": (found["kinetic"] + found["potential"] - energy) - (found["work"] - found["lost"])}
    if both is not None:
        momenta = (found["momentum"] - both) - found["impulse"]
        off["linear_momentum"], off["angular_momentum"] = momenta[..., :3], momenta[..., 3:]
    return off


class Auditor:
    """Audits a run chunk by chunk; its whole state is `numbers`.

    Parameters
    ----------
    model, gravity
        What is simulated.
    columns : dict of slice
        Where the channels are in a row.
    robots : int
        How many robots a record holds.
    joints : list of Prescribed
        Those that are or may be held.
    start : (robots, nq)
        Joint coordinates at the start.
    begin : float
        When it starts [s].
    """

    def __init__(
        self,
        model: Model,
        gravity: Any,
        columns: dict[str, slice],
        robots: int,
        joints: list[Prescribed] | None = None,
        start: Array | None = None,
        begin: float = 0.0,
    ):
        self._model, self._gravity, self._columns, self._begin = model, gravity, columns, begin
        self._robots, self._joints, self._start = robots, joints or [], start
        sizes = {"begun": 1, "quaternion_norm": 1, "quaternion_norm_at": 1}
        sizes |= {"constraints": 1, "constraints_at": 1, "constrained": 1}
        sizes |= dict.fromkeys(("energy_0", "potential_0", "kinetic", "potential", "work", "lost"), robots)
        sizes |= dict.fromkeys((*_NAMES[:3], *(f"{name}_at" for name in _NAMES[:3])), robots)
        sizes |= {"momentum_0": 6 * robots, "parts": 2 * robots, "impulse": 6 * robots}
        self._loses_mass = columns["left"].stop - columns["left"].start > 1
        if self._loses_mass:
            sizes |= dict.fromkeys(("mass_0", "mass", "mass_at"), robots)
        self._steps_through_contact = columns["contact_error"].stop - columns["contact_error"].start > 1
        if self._steps_through_contact:
            sizes |= dict.fromkeys(("contact", "contact_at"), robots)
        self.numbers = np.zeros(sum(sizes.values()))
        stops = np.cumsum(list(sizes.values()))
        self._of = {
            name: self.numbers[stop - size : stop] for (name, size), stop in zip(sizes.items(), stops, strict=True)
        }

    def prepare(self, records: int) -> None:
        """Compile the functions that auditing this number of records needs."""
        varied = self._model.flat.robots > 0
        kind = records > 1, self._robots > 1, has_momentum(self._model), varied
        if not config.DISABLE_JIT and kind not in _prepared:
            _prepared.add(kind)
            rows = 2 if records > 1 else 1
            states = State.neutral(self._model, rows if varied else (rows, self._robots))
            quantities(self._model, states, lambda name: np.zeros((*states.shape, 1)), self._gravity)

    @np.errstate(over="ignore", invalid="ignore")  # the motion may diverge
    def add(self, rows: Array) -> None:
        """Audit further records (records, robots, columns)."""
        if not len(rows):
            return
        of, model = self._of, self._model
        both = slice(self._columns["x"].start, self._columns["u"].stop)
        states = State(model, np.array(rows[..., both], order="C"))
        found = quantities(model, states, lambda name: rows[..., self._columns[name]], self._gravity)
        if not of["begun"][0]:
            of["begun"][0] = 1.0
            of["energy_0"][:] = found["kinetic"][0] + found["potential"][0] - (found["work"][0] - found["lost"][0])
            of["potential_0"][:] = found["potential"][0]
            if self._loses_mass:
                of["mass_0"][:] = found["mass"][0]
            if "momentum" in found:
                of["momentum_0"][:] = np.ravel(found["momentum"][0] - found["impulse"][0])
        found["potential"] = found["potential"] - of["potential_0"]
        if "momentum" in found and np.any(gravity_vector(self._gravity)):
            found["parts"] = found["parts"] + self._support(found, rows[..., 0])
        for name in ("kinetic", "potential", "lost", "parts", "impulse"):
            if name in found:
                _raise_to(of[name], np.abs(found[name]).max(axis=0))
        _raise_to(of["work"], found["work_size"].max(axis=0))
        start = of["momentum_0"].reshape(-1, 6) if "momentum" in found else None
        off = balances(found, of["energy_0"] - of["potential_0"], start)
        for name, error in off.items():
            size = np.abs(error) if name == "energy" else np.linalg.norm(error, axis=-1)
            room = {"energy": "rounding", "angular_momentum": "spinning"}.get(name)
            self._note(name, size - found[room] if room else size, rows[..., 0])
        if self._loses_mass:
            off_mass = np.abs(found["mass"] - of["mass_0"]) / np.maximum(of["mass_0"], np.finfo(float).tiny)
            self._note("mass", off_mass, rows[..., 0])
        if self._steps_through_contact:
            left, fastest = np.moveaxis(rows[..., self._columns["contact_error"]], -1, 0)
            self._note("contact", left / np.where(fastest > 0.0, fastest, 1.0), rows[..., 0])
        starts = layout_of(model).quaternions
        lengths = np.stack([np.linalg.norm(states.x[..., s : s + 4], axis=-1) for s in starts], axis=-1)
        self._note_largest("quaternion_norm", np.abs(lengths - 1.0).max(axis=2), rows[..., 0])
        if self._joints:
            self._add_constraints(rows, states)
        closure = rows[..., self._columns["closure"]]
        if closure.shape[-1]:
            self._of["constrained"][0] = 1.0
            self._note_largest("constraints", closure[..., :2].max(axis=-1), rows[..., 0])

    def _support(self, found: dict[str, Array], times: Array) -> Array:
        """(records, robots, 2) magnitudes of linear and angular impulse of the supports that bear the robot's weight.

        The impulses of weight and ground cancel where a robot stands; their errors are compared with each of them.
        """
        weight = np.asarray(self._model.total_mass)[..., None] * gravity_vector(self._gravity)
        size = np.linalg.norm(found["impulse"][..., :3] - weight * (times - self._begin)[..., None], axis=-1)
        return np.stack([size, size * found["reach"]], axis=-1)

    def _add_constraints(self, rows: Array, states: State) -> None:
        """Note the largest deviation of held joints from their motions."""
        modes: Array | None = rows[..., self._columns["mode"]]
        anchors = rows[..., self._columns["anchor"]]
        if anchors.shape[-1] == 0:  # nothing changes its mode
            assert self._start is not None
            modes, anchors = None, self._start
        held = np.array([one.mode for one in self._joints]) if modes is None else modes
        if np.any(held != FREE):
            self._of["constrained"][0] = 1.0
        off = deviations(self._model, self._joints, rows[..., 0], states.x, states.u, modes, anchors)
        self._note_largest("constraints", off, rows[..., 0])

    def _note_largest(self, name: str, errors: Array, times: Array) -> None:
        """Keep the largest of the errors of all robots together."""
        worst = np.arange(len(errors)), errors.argmax(axis=1)
        self._note(name, errors[worst][:, None], times[worst][:, None])

    def _note(self, name: str, errors: Array, times: Array) -> None:
        """Keep the largest of the errors (records, robots) and its time; NaN counts as infinite."""
        errors = np.where(np.isnan(errors), np.inf, errors)
        worst = errors.argmax(axis=0), np.arange(errors.shape[1])
        most, when = errors[worst], times[worst]
        larger = most > self._of[name]
        self._of[name][larger], self._of[f"{name}_at"][larger] = most[larger], when[larger]

    @np.errstate(over="ignore")
    def audit(self, budget: float, balance: Callable[[], dict[str, Array]], least: float = 0.0) -> Audit:
        """The verdict on all records so far; errors of energy are relative to `least` [J] at least."""
        of = self._of
        sizes = {"energy": np.maximum(of["kinetic"] + of["potential"] + of["work"] + of["lost"], least)}
        if has_momentum(self._model):
            parts, impulse = of["parts"].reshape(-1, 2), of["impulse"].reshape(-1, 6)
            sizes["linear_momentum"] = parts[:, 0] + np.linalg.norm(impulse[:, :3], axis=-1)
            sizes["angular_momentum"] = parts[:, 1] + np.linalg.norm(impulse[:, 3:], axis=-1)
        errors, times = dict.fromkeys(_NAMES, np.nan), dict.fromkeys(_NAMES, np.nan)
        for name in ("quaternion_norm", "constraints") if of["constrained"][0] else ("quaternion_norm",):
            errors[name], times[name] = float(of[name][0]), float(of[f"{name}_at"][0])
        if self._loses_mass:
            sizes["mass"] = np.ones(self._robots)
        if self._steps_through_contact:
            sizes["contact"] = np.ones(self._robots)
        for name, size in sizes.items():
            relative = of[name] / np.where((size > 0.0) & (size < np.inf), size, 1.0)
            worst = int(np.argmax(relative))
            errors[name], times[name] = float(relative[worst]), float(of[f"{name}_at"][worst])
        return Audit(**errors, times=times, budget=budget, _balance=balance)


def _raise_to(most: Array, values: Array) -> None:
    np.maximum(most, np.ravel(values), out=most)
