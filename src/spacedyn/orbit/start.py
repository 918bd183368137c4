"""A robot's state on an orbit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_model
from ..quantities.momentum import center_of_mass, center_of_mass_velocity
from ..reals import finite_array, type_name
from ..signatures import check_names, checked_arguments
from .constants import EARTH_MU
from .hill import hill_axes
from .kepler import OrbitalElements, from_elements


@checked_arguments("attitude")
def orbit_state(
    model: Model,
    elements: OrbitalElements,
    *,
    mu: float = EARTH_MU,
    attitude: Any = None,
    rate: ArrayLike = (0.0, 0.0, 0.0),
    **joints: Any,
) -> State:
    """A state whose centre of mass is on an orbit.

    Parameters
    ----------
    model : Model
        A robot with a free base.
    elements : OrbitalElements
        Of one orbit.
    mu : float
        Gravitational parameter [m³/s²].
    attitude : Rotation, optional
        Of the base in Hill's axes (x up, y ahead, z along the normal), with which it turns. If left out, the base's
        axes are the inertial ones, and it does not turn.
    rate : (3,)
        Angular velocity of the base beside that of Hill's axes, if there is an attitude: inertial axes [rad/s].
    joints
        `q` and `qd`, as `model.state` takes them.

    Returns
    -------
    State
        Position and velocity from the planet's centre, for `CentralGravity` without an orbiting origin.

    Examples
    --------
    >>> import numpy as np
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(6.928e6, inclination=0.6), q=[0.3] * 6)
    >>> bool(np.allclose(sd.center_of_mass(robot, start), [6.928e6, 0, 0]))
    True
    """
    check_model(model)
    check_names("argument of orbit_state()", joints, ["q", "qd"])
    r, v = from_elements(elements, mu=mu)
    if r.shape != (3,):
        raise InputError(f"orbit_state: elements must be of one orbit, got those of {r.shape[:-1]}")
    turning = finite_array("orbit_state: rate", rate, "three finite numbers", [(3,)])
    if attitude is not None:
        if not isinstance(attitude, Rotation) or not attitude.single:
            raise InputError(f"orbit_state: attitude must be one Rotation, got {type_name(attitude)}")
        axes = hill_axes(r, v)
        attitude = Rotation.from_matrix(axes) * attitude
        turning = turning + axes[:, 2] * np.linalg.norm(np.cross(r, v)) / np.dot(r, r)
    at = {"base_attitude": attitude if attitude is not None else Rotation.identity(), "base_rate": turning, **joints}
    there = model.state(**at)
    com, speed = center_of_mass(model, there), center_of_mass_velocity(model, there)
    return model.state(base_position=r - com, base_velocity=v - speed, **at)
