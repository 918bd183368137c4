"""Natural frequencies, damping ratios and mode shapes of a robot with springs in its joints."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..model.vibration import Vibration, joint_rates, moving_rates, unsprung, vibration_of
from ..signatures import checked_arguments, is_several
from .calls import check_model, check_state
from .matrices import mass_matrix

BASES = ("free", "clamped")


@checked_arguments("locked")
def natural_frequencies(
    model: Model, state: State | None = None, *, base: str = "free", locked: str | Iterable[str] | None = None
) -> Vibration:
    """Small vibrations of a robot on the springs of its joints, from its mass matrix and its stiffness.

    About a state at rest in which springs are slack, or balanced by constant forces; without gravity, spin and springs
    between bodies, which `linearize` has.

    Parameters
    ----------
    model : Model
        The robot, or a fleet.
    state : State, optional
        One state or a batch, whose coordinates matter alone; joints at the rest of their springs if left out.
    base : str
        'free': it moves as its kind says; 'clamped': it is held.
    locked : str or list of str, optional
        Joints that are held. If left out, all those without springs: motors hold them. `locked=()` holds none.

    Returns
    -------
    Vibration
        `frequencies` [Hz], `damping_ratios`, `shapes`, the lowest first; `rigid` motions are counted, not listed;
        `coupling`, what `sd.ModalAppendage` needs of a clamped base.

    Raises
    ------
    InputError
        A robot without springs that move; another base.
    UnknownName
        A joint that there is not.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("satellite")
    >>> b.base("bus", mass=100.0, inertia=(20.0, 20.0, 20.0))
    >>> b.flexible_beam("boom", on="bus", length=5.0, segments=8, mass_per_length=0.5, EI=200.0, damping_ratio=0.01)
    >>> robot = b.build()
    >>> sd.natural_frequencies(robot, base="clamped").frequencies[:2].round(3)
    array([0.444, 0.444])
    >>> sd.natural_frequencies(robot).frequencies[:2].round(3)
    array([0.628, 0.628])
    """
    if base not in BASES:
        raise InputError(f"natural_frequencies: base must be 'free' or 'clamped', got {base!r}")
    check_model(model)
    if state is None:
        rest = {joint.name: joint.rest for joint in model.joints if joint.nv and not model.shape}
        state = model.state(q=rest) if rest else model.neutral_state()
    check_state(model, state)
    held = _held(model, locked)
    moving, k = moving_rates(model, base, held), joint_rates(model, "stiffness")
    if not np.any(k[..., moving]):
        raise InputError(
            f"natural_frequencies: no joint of '{model.name}' that moves has a spring; give joints stiffness, or see "
            "linearize for springs between bodies"
        )
    M, c = mass_matrix(model, state), joint_rates(model, "damping")
    return vibration_of(M, k, c, moving, held, model.base_dof)


def _held(model: Model, locked: Any) -> tuple[str, ...]:
    if locked is None:
        return unsprung(model)
    names = (locked,) if isinstance(locked, str) else tuple(locked) if is_several(locked) else ()
    if not isinstance(locked, str) and not is_several(locked):
        raise InputError(f"natural_frequencies: locked: expected names of joints, got {locked!r}")
    for name in names:
        model.joint(name)
    return names
