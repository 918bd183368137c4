"""Viscous drag on a body."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.drag import drag
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..reals import finite_array
from ..signatures import checked_fields
from .element import Element, Numbers, WrenchPoint

Array = np.ndarray


@checked_fields()
@dataclass(frozen=True, eq=False)
class Drag(Element):
    """Viscous drag on a body that moves through a medium at rest in the inertial frame.

    force = -linear v of the centre of mass,   moment = -angular ω

    Parameters
    ----------
    body : str
        What it acts on.
    linear, angular : float, (3,) or (3, 3)
        Coefficients [N s/m, N m s], in the body's axes: the same along all axes, of each axis, or a symmetric matrix.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Drag("bus", linear=0.5).label
    'drag on bus'
    """

    body: str
    linear: ArrayLike = 0.0
    angular: ArrayLike = 0.0
    name: str | None = None

    kernel: ClassVar[Kind] = drag

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, _coefficients(name, getattr(self, name)))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"drag on {self.body}"

    def numbers(self, model: Model) -> Numbers:
        """Its body; both symmetric matrices, in the axes of the kernels' body frame."""
        index = model.body_index(self.body)
        turn, parts = model.flat.to_internal[index], []
        for matrix in (self.linear, self.angular):
            m = turn @ matrix @ turn.T
            parts.append([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
        return Numbers((int(model.flat.order[index]),), np.concatenate(parts))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """At its body's centre of mass."""
        return (WrenchPoint(self.body, np.asarray(model.bodies[model.body_index(self.body)].com)),)


def _coefficients(name: str, value: Any) -> Array:
    expected = "a number, three, or a symmetric 3 x 3 matrix, all finite"
    array = finite_array(f"Drag: {name}", value, expected, [(), (3,), (3, 3)])
    matrix = array if array.ndim == 2 else np.diag(np.broadcast_to(array, 3))
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        raise InputError(f"Drag: {name} must be symmetric, got {value!r}")
    if np.linalg.eigvalsh(matrix)[0] < -1e-12 * np.abs(matrix).max():
        raise InputError(f"Drag: {name} would drive the body instead of slowing it down, got {value!r}")
    return matrix
