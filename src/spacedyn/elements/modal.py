"""Flexible appendages by their modes, as finite-element programs have them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.modes import act_modes, carry_modes, settle_modes
from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import body_jacobian, forward_kinematics
from ..quantities.matrices import mass_matrix
from ..reals import finite_array
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, point_of, three
from .faults import checked_label
from .mode_tables import read_mode_table

Array = np.ndarray


@checked_fields()
@dataclass(frozen=True, eq=False)
class ModalAppendage(Element):
    """A flexible appendage on a body by its clamped modes, of unit modal mass, coupled both ways to the body's motion.

    The body's mass, centre of mass and inertia have the appendage in them, at rest: modes change only what moves. With
    amplitudes η, acceleration a of the point they are fixed to and angular acceleration ω' of the body, in its axes,

        η'' + 2 ζ Ω η' + Ω² η = -δ0 a - δ1 ω',   force on the body = -δ0ᵀ η'' ..., moment about the point = -δ1ᵀ η'' ...

    where dots are terms of the body's rotation that keep momentum and energy exactly. Modes are linear: they have no
    geometric stiffening under spin; a chain of segments has.

    Parameters
    ----------
    body : str
        What it is on.
    frequencies : (n,)
        Of the modes with the body held [Hz].
    damping : float or (n,)
        Ratios ζ, from 0 to below 1.
    delta0 : (n, 3)
        Shares of linear momentum, in the body's axes [√kg].
    delta1 : (n, 3)
        Shares of angular momentum about the point [√kg m].
    position : (3,)
        The point, in the body's frame [m].
    name : str
        For laws and the record.

    Examples
    --------
    A hub whose mode of 0.2 Hz, clamped, has 60 % of its inertia: free, it swings with 0.2 / √(1 - 0.6) Hz.

    >>> import numpy as np
    >>> import spacedyn as sd
    >>> b = sd.Builder("hub")
    >>> b.base("hub", mass=100.0, inertia=(800.0, 900.0, 1000.0))
    >>> panel = sd.ModalAppendage("hub", [0.2], delta0=[[0, 0, 0]], delta1=[[0, 0, np.sqrt(600.0)]], name="panel")
    >>> small = sd.linearize(b.build(), b.build().neutral_state(), elements=[panel])
    >>> float((np.abs(np.linalg.eigvals(small.A).imag).max() / (2 * np.pi)).round(6))
    0.316228
    """

    body: str
    frequencies: ArrayLike
    damping: ArrayLike = 0.0
    delta0: ArrayLike = ()
    delta1: ArrayLike = ()
    position: ArrayLike = (0.0, 0.0, 0.0)
    name: str = "appendage"

    channels: ClassVar[tuple[Block, ...]] = (Block("elastic_energy", unit="J"),)
    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.DISSIPATED)
    pushes_bodies: ClassVar[bool] = False
    carries: ClassVar[Kind] = carry_modes
    kernel: ClassVar[Kind] = act_modes
    settles: ClassVar[Kind] = settle_modes

    def __post_init__(self) -> None:
        given = np.atleast_1d(np.asarray(self.frequencies, dtype=object))
        n = given.size
        fields = {
            "frequencies": ("a list of positive numbers [Hz]", (n,)),
            "damping": ("ratios from 0 to below 1", (n,)),
            "delta0": ("three numbers for each mode [√kg]", (n, 3)),
            "delta1": ("three numbers for each mode [√kg m]", (n, 3)),
        }
        for name, (words, shape) in fields.items():
            value = getattr(self, name)
            if name in ("delta0", "delta1") and np.size(np.asarray(value, dtype=object)) == 0:
                value = np.zeros(shape)
            shapes = [shape, ()] if name == "damping" else [shape, (3,)] if n == 1 and len(shape) == 2 else [shape]
            value = finite_array(f"ModalAppendage: {name}", value, words, shapes)
            object.__setattr__(self, name, np.array(np.broadcast_to(value, shape)))
        object.__setattr__(self, "position", three("ModalAppendage", "position", self.position))
        if n == 0 or np.any(np.asarray(self.frequencies) <= 0.0):
            raise InputError(f"ModalAppendage: frequencies must be positive [Hz], got {self.frequencies!r}")
        if np.any((np.asarray(self.damping) < 0.0) | (np.asarray(self.damping) >= 1.0)):
            raise InputError(f"ModalAppendage: damping ratios are from 0 to below 1, got {self.damping!r}")
        checked_label("ModalAppendage", self.name)

    @classmethod
    def from_file(cls, path: str | Path, body: str, **options: Any) -> "ModalAppendage":
        r"""The appendage whose modes a file has: CSV with columns frequency, damping, d0x … d1z, or NPZ with arrays.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> file = Path(tempfile.mkdtemp()) / "panel.csv"
        >>> _ = file.write_text("frequency,damping,d1z\n0.2,0.005,24.5\n")
        >>> ModalAppendage.from_file(file, "bus", name="panel").frequencies
        array([0.2])
        """
        table: dict[str, Any] = {**read_mode_table(path), **options}
        return cls(body, **table)

    def free_frequencies(self, model: Model, state: State | None = None) -> Array:
        """Its frequencies on the robot with joints held and the base free [Hz], ascending.

        Those with the body held are `frequencies`. At the robot's neutral state, unless a state is given.

        Examples
        --------
        >>> import spacedyn as sd
        >>> robot = sd.load("ets7")
        >>> panel = ModalAppendage("base", [0.1], delta0=[0, 0, 6.0], delta1=[10.0, 0, 0])
        >>> panel.free_frequencies(robot).round(5)
        array([0.10144])
        """
        state = model.neutral_state() if state is None else state
        W2 = np.square(2.0 * np.pi * np.asarray(self.frequencies))
        J = body_jacobian(model, state, self.body, self.position)[:, : model.base_dof]
        R = forward_kinematics(model, state).bodies.rotation[model.body_index(self.body)]
        shares = np.concatenate([np.asarray(self.delta0) @ R.T, np.asarray(self.delta1) @ R.T], axis=1) @ J
        H = mass_matrix(model, state)[: model.base_dof, : model.base_dof]
        left = np.eye(len(W2)) - shares @ np.linalg.solve(H, shares.T) if model.base_dof else np.eye(len(W2))
        return np.sort(np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(left, np.diag(W2)))))) / (2.0 * np.pi)

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Amplitudes and their rates."""
        n = np.size(self.frequencies)
        return Block("amplitude", n, "kg^0.5 m"), Block("rate", n, "kg^0.5 m/s")

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """The body that it is on."""
        return (self.body,)

    def jump(self, model: Model, before: State, after: State) -> Array:
        """An impulse on the body changes the rates of amplitudes by -δ0 Δv - δ1 Δω, in the body's axes."""
        change = body_jacobian(model, before, self.body, self.position) @ (after.u - before.u)
        R = forward_kinematics(model, before).bodies.rotation[model.body_index(self.body)]
        jumps = np.asarray(self.delta0) @ (R.T @ change[:3]) + np.asarray(self.delta1) @ (R.T @ change[3:])
        return np.concatenate([np.zeros(len(jumps)), -jumps])

    def fastest_rate(self, model: Model) -> float:
        """The highest frequency [rad/s]."""
        return float(2.0 * np.pi * np.max(self.frequencies))

    def numbers(self, model: Model) -> Numbers:
        """Its body and how many modes; the point; of each mode stiffness, damping, and its shares of momentum."""
        i = model.body_index(self.body)
        body, place = point_of(model, self.body, self.position)
        inside = model.flat.to_internal[i]
        d, s = np.asarray(self.delta0), np.asarray(self.delta1)
        self._check_inertia(model, d, s)
        W = 2.0 * np.pi * np.asarray(self.frequencies)
        rows = np.column_stack([W * W, 2.0 * np.asarray(self.damping) * W, d @ inside.T, s @ inside.T])
        return Numbers((body, W.size), np.concatenate([place, rows.ravel()]))

    def _check_inertia(self, model: Model, d: Array, s: Array) -> None:
        """Raise if the modes have more inertia than the body that has the appendage in it."""
        body = model.body(self.body)
        r = np.asarray(body.com) - np.asarray(self.position)
        m, R = float(body.mass), np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
        whole = np.block([[m * np.eye(3), -m * R], [m * R, np.asarray(body.inertia) - m * R @ R]])
        modes = np.concatenate([d, s], axis=1)
        left = whole - modes.T @ modes
        if np.linalg.eigvalsh(left)[0] <= 0.0:
            raise InputError(
                f"ModalAppendage '{self.name}': its modes have more inertia than body '{self.body}', which must have "
                "the appendage in it: the body's mass matrix less the sum of their shares' squares is not positive. "
                "Check the units (√kg, √kg m, unit modal mass), the point that delta1 is about, and the body's inertia"
            )
