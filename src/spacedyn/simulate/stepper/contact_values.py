"""Rigid contact at a stepper's present state: modes, gaps, and rows of points that may touch."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...elements.rigid_contact import RigidContact
from ...kernels.elements.rigid_contact import OPEN, PROBE, ROUNDED, ROWS_OF, STOPPED
from ...kernels.sim import layout as p
from ...model.model import robot_of
from ...model.state import State
from ...quantities.kinematics import forward_kinematics
from ..layout import Layout
from .present import Attached
from .row_values import free_rates, holding_rows, owners_of_rows, row_accelerations, row_jacobian, row_numbers
from .stepper import Stepper

Array = np.ndarray


class ContactPoint(NamedTuple):
    """A point of a rigid contact: the element and its number, its own number, the number of its first row."""

    element: RigidContact
    number: int
    point: int
    row: int

    @property
    def label(self) -> str:
        """What the record calls it."""
        return f"point {self.point}"


class Probe(NamedTuple):
    """Kinematics of points that may touch; three rows a point, normal first, for a unit normal.

    Attributes
    ----------
    J, J_loops : (3 n, nv), (rows, nv)
        Jacobians of the points' velocities and of the closed loops.
    owners : list of int, (rows,)
        Numbers of the elements that the loops' rows belong to.
    velocity, acceleration : (n, 3)
        Relative velocities, and relative accelerations without any contact force.
    axes : (n, 3, 3)
        Normal and tangents, as rows, inertial axes.
    place : (n, 3)
        Where they touch, inertial frame [m].
    rounding : (n,)
        Bound of the rounding errors of their gaps [m].
    free : (nv,)
        Which rates are not given.
    attached : list of Attached
        Inertias that elements attach to bodies.
    """

    J: Array
    J_loops: Array
    owners: list[int]
    velocity: Array
    acceleration: Array
    axes: Array
    place: Array
    rounding: Array
    free: Array
    attached: list[Attached]


def contact_points(stepper: Stepper) -> tuple[ContactPoint, ...]:
    """All points of all rigid contacts."""
    return _points_of(stepper.layout)


@lru_cache(maxsize=16)
def _points_of(layout: Layout) -> tuple[ContactPoint, ...]:
    found: list[ContactPoint] = []
    first, model = 0, robot_of(layout.model, 0)
    for i, one in enumerate(layout.elements):
        if isinstance(one, RigidContact) and one.asks:
            found += [ContactPoint(one, i, j, first + ROWS_OF * j) for j in range(one.many)]
        first += len(one.rows_of(model))
    return tuple(found)


def mode_of(stepper: Stepper, one: ContactPoint) -> float:
    """The mode of a point of the first robot."""
    return float(stepper.element_states(one.number)[one.point, 0])


def set_mode(
    stepper: Stepper,
    one: ContactPoint,
    mode: float,
    held: Array | None = None,
    back: float = STOPPED,
    again: float = 0.0,
) -> None:
    """Set a point's mode; `held`: where it sticks, or its direction of slip, in the surface's frame.

    `back`: slip of a creeping point against its direction at which it has stopped [m/s]; `again`: time at which a
    dragging point checks whether it sticks [s]. Its friction is not spared.
    """
    states, many = stepper.element_states(one.number), one.element.many
    states[one.point], states[4 * many + one.point], states[5 * many + one.point] = mode, back, again
    states[6 * many + one.point] = 0.0
    if held is not None:
        first = many + 3 * one.point
        states[first : first + 3] = held[:, None]


def held_of(stepper: Stepper, one: ContactPoint) -> Array:
    """The place at which a point sticks, or its direction of slip, in the surface's frame."""
    first = one.element.many + 3 * one.point
    return stepper.element_states(one.number)[first : first + 3, 0].copy()


def again_of(stepper: Stepper, one: ContactPoint) -> float:
    """Time at which a dragging point checks whether it sticks [s]."""
    return float(stepper.element_states(one.number)[5 * one.element.many + one.point, 0])


def spare_friction(stepper: Stepper, one: ContactPoint, spared: bool) -> None:
    """Where forces are indeterminate, minimise the point's friction (`spared`), or else all its forces."""
    stepper.element_states(one.number)[6 * one.element.many + one.point] = float(spared)


def gap_of(stepper: Stepper, one: ContactPoint) -> float:
    """The gap of a point at the last evaluation [m]."""
    part = stepper.layout.channel(one.number, one.element.channels[0])
    return float(stepper._scalars(p.Y_CHANNEL, part.start + one.point, 1)[0, 0])


def place_of(stepper: Stepper, one: ContactPoint) -> Array:
    """(3,) where a point touched at the last evaluation, inertial frame [m]."""
    part = stepper.layout.channel(one.number, one.element.channels[3])
    found: Array = stepper._scalars(p.Y_CHANNEL, part.start + 3 * one.point, 3)[:, 0].copy()
    return found


def rounding_of(state: State, one: ContactPoint, place: Array, normal: ArrayLike = (1.0, 1.0, 1.0)) -> float:
    """Bound of the rounding error of a point's gap [m]; the largest for any normal, if none is given."""
    far = place if one.element.other == "inertial" else place - state.base_position
    return float(ROUNDED * (np.abs(normal) @ np.abs(far)))


def forces_of(stepper: Stepper, one: ContactPoint) -> Array:
    """(3,) normal and tangential forces of the rows of a point at the last evaluation, for a unit normal [N]."""
    sizes = np.linalg.norm(row_numbers(stepper, p.ROW_WRENCH, 3)[one.row : one.row + 3], axis=1)
    found: Array = sizes * row_numbers(stepper, p.ROW_MULTIPLIER)[one.row : one.row + 3]
    return found


def probe(stepper: Stepper, points: list[ContactPoint]) -> Probe:
    """Evaluate the rows of these points without contact forces; leaves all points open."""
    for one in contact_points(stepper):
        set_mode(stepper, one, OPEN)
    for one in points:
        set_mode(stepper, one, PROBE)
    attached = stepper.attached()
    stepper.evaluate()
    state = stepper.state()
    J, held = row_jacobian(stepper, state), holding_rows(stepper)
    rates, accelerations = row_numbers(stepper, p.ROW_RATE), row_accelerations(stepper)
    forces = row_numbers(stepper, p.ROW_WRENCH, 3)
    rows = np.array([one.row + k for one in points for k in range(ROWS_OF)], dtype=int)
    sizes = np.linalg.norm(forces[rows], axis=1)
    n, places = len(points), [place_of(stepper, one) for one in points]
    axes = (forces[rows] / sizes[:, None]).reshape(n, 3, 3)
    rounding = [rounding_of(state, one, place, at[0]) for one, place, at in zip(points, places, axes, strict=True)]
    return Probe(
        J[rows] / sizes[:, None],
        J[held],
        np.asarray(owners_of_rows(stepper), dtype=int)[held].tolist(),
        (rates[rows] / sizes).reshape(n, 3),
        (accelerations[rows] / sizes).reshape(n, 3),
        axes,
        np.array(places).reshape(n, 3),
        np.array(rounding),
        free_rates(stepper),
        attached,
    )


def surface_frame(stepper: Stepper, one: ContactPoint) -> tuple[Array, Array]:
    """Origin (3) [m] and axes (3, 3), as columns, of the surface that a point touches, in the inertial frame."""
    ground, state = one.element.ground, stepper.state()
    place, axes = np.asarray(ground.position), ground.axes
    if one.element.other == "inertial":
        return place, axes
    bodies, i = forward_kinematics(state.model, state).bodies, state.model.body_index(one.element.other)
    return bodies.position[i] + bodies.rotation[i] @ place, bodies.rotation[i] @ axes
