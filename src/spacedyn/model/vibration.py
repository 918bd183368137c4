"""Small vibrations on springs: natural frequencies, damping ratios and shapes of modes from M, k and c.

    M u' + c u + k x = 0,   c and k of the joints' dampers and springs, each at its own rate

Rates without a spring (s: sprung, f: free) follow the others without a force, so they are eliminated, and with them the
motions of frequency zero:

    Mr = Mss - Msf Mff^-1 Mfs,     k^-1/2 Mr k^-1/2 v = v / w^2

The flexibility form keeps all digits of the lowest frequencies. Damping ratios are those of the modes without damping,
phi' c phi / (2 w): exact where dampers are in proportion to springs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from .motions import columns, motion_transform, square_roots
from .state_parts import BASE_RATES
from .surgery import joint_transform

if TYPE_CHECKING:
    from .model import Model

Array = np.ndarray
SHOWN = 4
"""Number of frequencies in a report."""
_MOST_RATES = 600  # of a model whose frequencies are shown when it is printed


@dataclass(frozen=True, eq=False)
class Vibration:
    """Modes of small vibrations, the lowest first; leading axes are those of the states, or of a fleet.

    Attributes
    ----------
    frequencies : (…, modes)
        [Hz], without damping.
    damping_ratios : (…, modes)
        Shares of critical damping.
    shapes : (…, modes, nv)
        Of the rates u, or of small displacements `state.integrate(...)`; each has unit modal mass, phi' M phi = 1.
    coupling : (…, modes, base_dof)
        Of modes with a free base's rates held: momentum (P; L about the base's centre of mass) for a unit rate of each
        [√kg, √kg m], inertial axes; `sd.ModalAppendage` takes the two halves as delta0 and delta1. Zero if it is free.
    rigid : int
        Number of motions that no spring resists.
    held : tuple of str
        Joints that were held.
    """

    frequencies: Array
    damping_ratios: Array
    shapes: Array
    coupling: Array
    rigid: int
    held: tuple[str, ...]

    @property
    def angular_frequencies(self) -> Array:
        """(…, modes) [rad/s]."""
        return 2.0 * np.pi * self.frequencies

    def __repr__(self) -> str:
        return f"<Vibration of {self.frequencies.shape[-1]} modes: {self.line}>"

    @property
    def line(self) -> str:
        """The first frequencies and damping ratios in words; of a batch, how many there are."""
        if self.frequencies.ndim > 1:
            return f"a batch {self.frequencies.shape[:-1]}"
        if not self.frequencies.size:
            return "none"
        first = slice(0, SHOWN)
        more = ", …" if self.frequencies.size > SHOWN else ""
        text = ", ".join(f"{one:.4g}" for one in self.frequencies[first]) + f"{more} Hz"
        if self.damping_ratios.any():
            text += "; damping " + ", ".join(f"{100.0 * one:.2g}" for one in self.damping_ratios[first]) + f"{more} %"
        return text


def vibration_of(M: Array, k: Array, c: Array, moving: Array, held: tuple[str, ...], base: int) -> Vibration:
    """Modes of M (…, nv, nv) with springs k and dampers c (…, nv), where only some rates, moving (nv,), may move.

    `held`: names of joints that may not; `base`: how many of the rates are the base's.
    """
    batch, nv = M.shape[:-2], M.shape[-1]
    k, c = np.broadcast_to(k, (*batch, nv)), np.broadcast_to(c, (*batch, nv))
    has = (k > 0.0).reshape(-1, nv)
    if has.size and (has.any(axis=0) != has.all(axis=0)).any():
        raise InputError("natural_frequencies: some robots have springs where others have none; take them one by one")
    sprung = moving & (has.any(axis=0) if has.size else np.zeros(nv, dtype=bool))
    s, f = np.flatnonzero(sprung), np.flatnonzero(moving & ~sprung)
    try:
        with np.errstate(all="ignore"):  # numbers may be of any size
            w, ratios, shapes = _modes(M, k, c, s, f)
    except np.linalg.LinAlgError:
        w = np.array(np.nan)
    if not (np.isfinite(w) & (w > 0.0)).all():
        raise InputError(
            "natural_frequencies: masses and stiffnesses are too far apart for double precision; check units"
        )
    return Vibration(w / (2.0 * np.pi), ratios, shapes, shapes @ M[..., :, :base], f.size, held)


def _modes(M: Array, k: Array, c: Array, s: Array, f: Array) -> tuple[Array, Array, Array]:
    """Angular frequencies, damping ratios and shapes, where the rates s have springs and the rates f have none."""
    Mss, Mfs = M[..., s[:, None], s], M[..., f[:, None], s]
    follow = -np.linalg.solve(M[..., f[:, None], f], Mfs)  # rates of f per rate of s
    Mr = Mss + np.swapaxes(Mfs, -1, -2) @ follow
    root = 1.0 / np.sqrt(k[..., s])
    flexibility = root[..., :, None] * Mr * root[..., None, :]
    squares, v = np.linalg.eigh(0.5 * (flexibility + np.swapaxes(flexibility, -1, -2)))
    squares, v = squares[..., ::-1], v[..., ::-1]
    w = 1.0 / np.sqrt(squares)
    phi = root[..., :, None] * v * w[..., None, :]
    shapes = np.zeros((*M.shape[:-1], s.size))
    shapes[..., s, :], shapes[..., f, :] = phi, follow @ phi
    ratios = np.einsum("...im,...i,...im->...m", shapes, c, shapes) / (2.0 * w)
    return w, ratios, np.swapaxes(shapes, -1, -2)


def unsprung(model: "Model") -> tuple[str, ...]:
    """Names of joints that move and have no spring at any of their rates."""
    return tuple(joint.name for joint in model.joints if joint.nv and not np.any(joint.stiffness))


def moving_rates(model: "Model", base: str, held: tuple[str, ...]) -> Array:
    """(nv,) which rates may move: not those of a base that is clamped, nor of joints that are held."""
    moving = np.ones(model.nv, dtype=bool)
    if base == "clamped":
        moving[: model.base_dof] = False
    for joint in held:
        moving[model.u_slice(joint)] = False
    return moving


def joint_rates(model: "Model", what: str) -> Array:
    """(…, nv) stiffness or damping at each rate; zero for the base."""
    values = [np.asarray(getattr(joint, what)) for joint in model.joints]
    batch = np.broadcast_shapes(*(value.shape[:-1] for value in values))
    parts = [np.zeros((*batch, model.base_dof))]
    parts += [np.broadcast_to(value, (*batch, value.shape[-1])) for value in values]
    return np.concatenate(parts, axis=-1)


def mass_matrix_at_rest(model: "Model") -> Array:
    """Mass matrix (nv, nv) of one robot at its springs' rest, base unturned; in NumPy, so that it compiles nothing."""
    J = np.zeros((len(model.bodies), 6, model.nv))
    J[0, list(BASE_RATES[model.base_kind]), np.arange(model.base_dof)] = 1.0
    for i in np.argsort(model.flat.order)[1:].tolist():  # base to leaves
        joint, parent = model.joints[i - 1], model.parents[i]
        place, turn = joint_transform(joint, joint.rest)
        origin = model.bodies[0].com if parent == 0 else np.zeros(3)
        X = motion_transform(joint.position + joint.rotation @ place - origin, joint.rotation @ turn)
        J[i] = X @ J[parent]
        J[i][:, model.u_slice(joint.name)] += columns(joint, joint.rest)
    rotors = [np.zeros(model.base_dof), *(joint.gear**2 * joint.rotor_inertia for joint in model.joints)]
    with np.errstate(all="ignore"):
        roots = (square_roots(model.bodies) @ J).reshape(-1, model.nv)
        return roots.T @ roots + np.diag(np.concatenate(rotors))


def vibration_at_rest(model: "Model", base: str) -> Vibration:
    """Modes of one robot about its springs' rest, joints without springs held."""
    held = unsprung(model)
    M, k, c = mass_matrix_at_rest(model), joint_rates(model, "stiffness"), joint_rates(model, "damping")
    return vibration_of(M, k, c, moving_rates(model, base, held), held, model.base_dof)


def vibration_report(model: "Model") -> dict[str, Vibration]:
    """Modes of a robot with springs, its base free and clamped; nothing for one without, for fleets, and large ones."""
    if model.shape or model.nv > _MOST_RATES or not any(np.any(joint.stiffness) for joint in model.joints):
        return {}
    bases = ("clamped",) if model.base_dof == 0 else ("free", "clamped")
    try:
        return {base: vibration_at_rest(model, base) for base in bases}
    except InputError:  # whoever asks for them is told
        return {}


def report_lines(model: "Model") -> list[str]:
    """The first frequencies in a few lines; none for a robot without springs."""
    found = vibration_report(model)
    if not found:
        return []
    held = next(iter(found.values())).held
    first = f"vibration{', joints without springs held' if held else ''}:"
    width = max(len(base) for base in found)
    return [first, *(f"  base {base:<{width}}  {one.line}" for base, one in found.items())]
