"""What a simulation gives: labelled arrays over time, a status, and a ledger of energy and momentum."""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError, RunWarning
from .forces import Force, force_names
from .laws import Law
from .methods import Method
from .model.model import Model
from .model.state import State
from .momentum import kinetic_energy, momentum, momentum_matrix, potential_energy

if TYPE_CHECKING:
    import xarray

Array = np.ndarray


def row_columns(model: Model, laws: list[Law], forces: Sequence[Force] = ()) -> dict[str, slice]:
    """Columns of a row of the record."""
    nx, nv, nj, ne = 7 + model.nq, model.nv, model.nv - model.base_dof, len(model.endpoints)
    sizes = {
        "t": 1,
        "x": nx,
        "u": nv,
        "states": sum(law.state_size for law in laws),
        "joint_work": nj,
        "base_work": 1,
        "endpoint_work": ne,
        "dissipated": 1,
        "impulse": 6,
        "force_work": len(forces),
        "forces": nv,
        "base_wrench": 6,
        "endpoint_wrenches": 6 * ne,
        "udot": nv,
        "force_energy": len(forces),
        "tension": len(forces),
    }
    stops = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(stop - size, stop) for (name, size), stop in zip(sizes.items(), stops, strict=True)}


@dataclass(frozen=True)
class Audit:
    """The ledger's verdict: largest relative errors of a run's energy and momentum, and the balances over time.

    Energy is compared with the work of actuators and wrenches less what joints dissipate, momentum with the impulse of
    all external forces; relative to the energy, and to the sum of the magnitudes that make up the momentum.
    """

    energy: float
    linear_momentum: float
    angular_momentum: float
    quaternion_norm: float
    balance: dict[str, Array]  # each (time, …): what is there, less what should be

    @property
    def worst(self) -> float:
        """The largest of the errors."""
        return max(self.energy, self.linear_momentum, self.angular_momentum, self.quaternion_norm)

    def __str__(self) -> str:
        lines = ["ledger (largest relative error over the run)"]
        names = ("energy", "linear_momentum", "angular_momentum", "quaternion_norm")
        for name in names:
            value = getattr(self, name)
            shown = "      –" if np.isnan(value) else f"{value:7.1e}"
            lines.append(f"  {name.replace('_', ' '):18s}{shown}")
        verdict = "good to round-off" if self.worst < 1e-12 else "good" if self.worst < 1e-6 else "NOT to be trusted"
        return "\n".join([*lines, f"  verdict: {verdict}"])


class Run:
    """A simulation's record.

    Attributes
    ----------
    model, laws, method
        What made it.
    status : str
        'done', 'interrupted', or what went wrong.
    shape : tuple of int
        The batch; () for one robot.
    time : (times,)
        When it was recorded [s].
    """

    def __init__(
        self,
        model: Model,
        laws: list[Law],
        method: Method,
        rows: Array,
        shape: tuple[int, ...],
        status: str,
        gravity: Any,
        forces: Sequence[Force] = (),
    ):
        self.model, self.laws, self.method, self.status, self.shape = model, laws, method, status, shape
        self.gravity = None if gravity is None else np.array(gravity, dtype=float)
        self.forces = tuple(forces)
        self._columns = row_columns(model, laws, self.forces)
        self._rows = rows.reshape(len(rows), *shape, rows.shape[-1])
        self.time = self._rows[..., 0].reshape(len(rows), -1)[:, 0].copy() if rows.size else np.empty(0)

    def __getitem__(self, name: str) -> Array:
        """A channel (times, …): x, u, states, forces, udot, base_wrench, endpoint_wrenches, and the ledger's works."""
        if name not in self._columns:
            raise InputError(f"no channel {name!r}; there are: {', '.join(self._columns)}")
        return self._rows[..., self._columns[name]]

    @cached_property
    def states(self) -> State:
        """The states at all recorded times: a batch (times, …)."""
        both = slice(self._columns["x"].start, self._columns["u"].stop)
        return State(self.model, np.ascontiguousarray(self._rows[..., both]))

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """What made it: the model's digest, versions, method, gravity, status."""
        import numba

        return {
            "model": self.model.name,
            "model_digest": self.model.digest,
            "method": repr(self.method),
            "laws": [law.name for law in self.laws],
            "forces": force_names(self.forces),
            "gravity": [0.0, 0.0, 0.0] if self.gravity is None else self.gravity.tolist(),
            "status": self.status,
            "spacedyn": sys.modules[__package__].__version__,
            "numpy": np.__version__,
            "numba": numba.__version__,
        }

    @property
    def final(self) -> State:
        """The state at the last recorded time."""
        return self.states[-1]

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.time.size else "nothing recorded"
        return f"<Run of '{self.model.name}': {self.status}, {span}, {self.time.size} records>"

    @cached_property
    def data(self) -> "xarray.Dataset":
        """Everything recorded, as an xarray Dataset with named joints, axes and units."""
        from .dataset import dataset

        return dataset(self)

    def audit(self) -> Audit:
        """Check energy against work, and momentum against impulse, over this very run.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("planar_four_link")
        >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0.2, -0.1, 0.3]), 1.0)
        >>> run.audit().worst < 1e-10
        True
        """
        return self._audit

    @cached_property
    def _audit(self) -> Audit:
        model, states = self.model, self.states
        kinetic = kinetic_energy(model, states)
        potential = potential_energy(model, states, gravity=self.gravity) + self["force_energy"].sum(-1)
        supplied = (
            self["force_work"].sum(-1)
            + self["joint_work"].sum(-1)
            + self["base_work"][..., 0]
            + self["endpoint_work"].sum(-1)
        )
        lost = self["dissipated"][..., 0]
        energy, given = kinetic + potential, supplied - lost
        balance = {"energy": (energy - energy[0]) - (given - given[0])}  # the record may begin later than the run
        size = np.abs(kinetic).max(axis=0) + np.abs(potential - potential[0]).max(axis=0)
        size = (
            size
            + np.abs(self["force_work"]).sum(-1).max(axis=0)
            + np.abs(self["joint_work"]).sum(-1).max(axis=0)
            + np.abs(lost).max(axis=0)
        )
        errors = {"energy": _relative(balance["energy"], size)}
        if model.base_kind == "free":
            A = momentum_matrix(model, states, about="com")
            both = momentum(model, states, about="com")
            off = (both - both[0]) - (self["impulse"] - self["impulse"][0])
            parts = np.abs(A * states.u[..., None, :]).sum(axis=-1).max(axis=0) + np.abs(self["impulse"]).max(axis=0)
            for name, part in (("linear_momentum", slice(0, 3)), ("angular_momentum", slice(3, 6))):
                balance[name] = off[..., part]
                largest = np.linalg.norm(off[..., part], axis=-1)
                errors[name] = _relative(largest, np.linalg.norm(parts[..., part], axis=-1))
        norm = np.abs(np.linalg.norm(states.base_quaternion_xyzw, axis=-1) - 1.0).max()
        missing = float("nan")
        return Audit(
            errors["energy"],
            errors.get("linear_momentum", missing),
            errors.get("angular_momentum", missing),
            float(norm),
            balance,
        )

    def check(self, budget: float) -> None:
        """Warn if the ledger is off by more than the budget, and say what is likely to be the cause."""
        if self.time.size < 2:
            return
        audit = self.audit()
        worst = max(v for v in (audit.energy, audit.linear_momentum, audit.angular_momentum) if not np.isnan(v))
        if worst <= budget:
            return
        if not self.method.adaptive:
            step = self.method.step  # type: ignore[attr-defined]
            stiff = " or a spring too stiff for it" if self.model.flat.passive else ""
            cause = f"a step of {step:g} s is too long for this motion{stiff}; halve it, or use DormandPrince8()"
        elif audit.energy <= budget:
            cause = "a force that the ledger does not know of"
        else:
            cause = "tolerances too loose for a run this long, or a force that jumps; tighten rtol and atol"
        message = f"the ledger is off by {worst:.1e} (energy {audit.energy:.1e}, angular momentum "
        warnings.warn(f"{message}{audit.angular_momentum:.1e}): {cause}", RunWarning, stacklevel=4)


def _relative(error: Array, size: ArrayLike) -> float:
    """The largest error over the run and the batch, relative to each robot's own size."""
    size = np.asarray(size)
    return float(np.max(np.abs(error).max(axis=0) / np.where(size > 0.0, size, 1.0), initial=0.0))
