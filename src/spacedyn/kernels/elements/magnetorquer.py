"""Magnetorquers on a body: rods whose dipole moments laws command, in a planet's magnetic field.

    n = m x B,   m = residual + sum of a_i m_i,   |m_i| <= limit_i

The field is sensed before laws act, so that they may read it. Two guards a rod: how far its command is beyond either
limit. Once it has failed, each rod holds the dipole that it is stuck at.
"""

from ..robot.spatial import add3, cross, dot3, scale3, turn, turn_back
from ..scalar.compiling import inner
from ..scalar.pack import select
from .falling import origin_position
from .kind import (
    angular_velocity,
    channel,
    channel3,
    command,
    guard,
    has_failed,
    kind,
    lever,
    matrix,
    own,
    parameter,
    position,
    push_body,
    record_wrench,
    rotation,
    sensed,
    switch,
    vector,
    work_done,
)
from .magnetic_field import field_at

BODY, DEGREE, RODS, FIELD, LIMITED = range(5)  # its integers; FIELD: where its field's numbers start
POINT, FRAME, RESIDUAL, ROD = 0, 3, 12, 15  # its numbers: place; body's frame to the kernels' axes; then its rods
AXIS, LIMIT, STUCK, ROD_NUMBERS = 0, 3, 4, 5
B_X, MOMENT, DIPOLE = 0, 3, 6  # its channels: field and moment in the axes of the body's frame, dipoles of its rods


@kind
def magnetic_field_of(sim, e, t, y, k, zero):
    """The field where the rods are, in the axes of the body's frame."""
    i = own(sim, e, BODY)
    place = position(sim, i, lever(sim, i, vector(sim, e, POINT, zero), zero), zero)
    place = add3(origin_position(sim, y, zero), place)
    B = field_at(sim, e, own(sim, e, FIELD), own(sim, e, DEGREE), t, place, zero)
    B = turn_back(matrix(sim, e, FRAME, zero), turn_back(rotation(sim, i, zero), B))
    channel3(sim, e, B_X, B)


@kind
def magnetorquer(sim, e, t, y, k, zero):
    """Turn the body."""
    i, m = own(sim, e, BODY), add3((zero, zero, zero), vector(sim, e, RESIDUAL, zero))
    for j in range(own(sim, e, RODS)):
        dipole = dipole_of(sim, e, j, zero)
        channel(sim, e, DIPOLE + j, dipole)
        m = add3(m, scale3(dipole, vector(sim, e, ROD + ROD_NUMBERS * j + AXIS, zero)))
    moment = cross(m, (sensed(sim, e, B_X, zero), sensed(sim, e, B_X + 1, zero), sensed(sim, e, B_X + 2, zero)))
    channel3(sim, e, MOMENT, moment)
    n, none = turn(rotation(sim, i, zero), turn(matrix(sim, e, FRAME, zero), moment)), (zero, zero, zero)
    push_body(sim, i, none, n, none, zero)
    record_wrench(sim, e, 0, none, n)
    work_done(sim, e, k, dot3(n, angular_velocity(sim, i, zero)))


@inner
def dipole_of(sim, e, j, zero):
    """What rod j has: its command within its limits, or where it is stuck."""
    rod = ROD + ROD_NUMBERS * j
    wanted, limit = command(sim, e, j, zero), parameter(sim, e, rod + LIMIT, zero)
    if own(sim, e, LIMITED) == 1:
        over, under = wanted - limit, -limit - wanted
        guard(sim, e, 2 * j, over)
        guard(sim, e, 2 * j + 1, under)
        wanted = select(switch(sim, e, 2 * j, over, zero) > 0.0, zero + limit, wanted)
        wanted = select(switch(sim, e, 2 * j + 1, under, zero) > 0.0, zero - limit, wanted)
    return zero + parameter(sim, e, rod + STUCK, zero) if has_failed(sim, e) else wanted
