"""Poses, joint columns S, velocities and accelerations of all bodies.

Everything is in inertial axes about the base's centre of mass, in a frame that moves along with it (velocity v0) but
does not turn: positions and velocities are relative to the base's, so nothing is lost at 7 000 km or 7 km/s, and the
spatial acceleration of the base is the plain derivative of its rates. Bodies far from the base are computed about a
point of their own in the same way (segments.py). Featherstone (2008), ch. 4 and 5;
SpaceDyn (3.6)-(3.15) for revolute and prismatic joints, where the lever must hold the prismatic stroke.
"""

from ..scalar.compiling import inner
from ..scalar.fused_vectors import compose as compose_fused
from ..scalar.lanes import stride_of
from ..scalar.memory import integer, lanes_of, later, load, shared, store, widest_of
from ..scalar.trigonometry import sincos
from .descriptions import joint_frame
from .joint_steps import rotating, sliding, swapped_axes, take_steps, turn_about_y, turn_about_z
from .layout import *  # noqa: F403  (the layout's constants)
from .loose_joints import part_acceleration
from .segments import enter_segment, open_segment
from .spatial import (
    add3,
    add_scaled6,
    add_turned,
    angular,
    column_x,
    column_y,
    column_z,
    compose,
    cross,
    cross_motion,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    store3,
    store6,
    store9,
    sub3,
    turn,
)


@inner
def quaternion_rotation(x, y, z, w):
    """Rotation matrix of a quaternion of any length but zero."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    xs, ys, zs = s * x, s * y, s * z
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz, yy, yz, zz = x * xs, x * ys, x * zs, y * ys, y * zs, z * zs
    return (1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy)


@inner
def base_axis(tree, k):
    """Which unit vector is column k of the base."""
    base = integer(tree, BASE)
    if base == BASE_ATTITUDE:
        return k + 3
    if base == BASE_PLANAR and k == 2:
        return 5
    return k


@inner
def is_given(tree, k):
    """Whether the acceleration of rate k is given, and its force sought."""
    return integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_GIVEN)


@inner
def base_part(tree, work, at, stride, first, zero):
    """Three components of the base's (linear; angular) from `first` on, out of its rates at `at`, at + stride, ...

    Zero where the base is held.
    """
    if integer(tree, BASE) == BASE_FREE:
        at += first * stride
        return load(work, at, zero), load(work, at + stride, zero), load(work, at + 2 * stride, zero)
    x, y, z = zero, zero, zero
    for k in range(integer(tree, BASE_RATES)):
        axis = base_axis(tree, k) - first
        value = load(work, at + k * stride, zero)
        if axis == 0:
            x = value
        elif axis == 1:
            y = value
        elif axis == 2:
            z = value
    return x, y, z


@inner
def place_base(tree, work, zero):
    """The base: its attitude; at the origin of the kernels' frame."""
    at = integer(tree, W_X) + 3
    R = quaternion_rotation(
        load(work, at, zero), load(work, at + 1, zero), load(work, at + 2, zero), load(work, at + 3, zero)
    )
    body = integer(tree, W_BODY)
    store9(work, body + ROTATION, R)
    store3(work, body + POSITION, (zero, zero, zero))


@inner
def write_base_columns(tree, work, zero):
    """Write the base's columns S, unit vectors, to memory, for kernels that read all columns there."""
    for k in range(integer(tree, BASE_RATES)):
        rate = integer(tree, W_RATE) + k * RATE_WORK
        store6(work, rate + S, (zero, zero, zero, zero, zero, zero))
        store(work, rate + S + base_axis(tree, k), zero + 1.0)


@inner
def coordinates_of(tree, record):
    """Where the first coordinate of a body's joint is in `work`."""
    return integer(tree, W_X) + integer(tree, record + COORDINATE)


@inner
def place_body(tree, par, work, i, zero):
    """Pose of body i and the columns of its joint, from its parent's pose and its coordinates.

    Of a body that opens a segment, the reference point first.
    """
    record = integer(tree, BODY_AT) + i * BODY_INTS
    bodies = integer(tree, W_BODY)
    above = bodies + integer(tree, record + PARENT) * BODY_WORK
    kind = integer(tree, record + KIND)
    a, c = (
        integer(tree, W_SINE) + integer(tree, record + ANGLE),
        integer(tree, W_COSINE) + integer(tree, record + ANGLE),
    )
    rate = integer(tree, W_RATE) + integer(tree, record + RATE) * RATE_WORK
    R = load9(work, above + ROTATION, zero)
    p = add_turned(load3(work, above + POSITION, zero), R, shared3(par, i * BODY_PARS + P_POSITION, zero))
    if integer(tree, record + FLAGS) & SWAPPED:
        R = swapped_axes(tree, work, record, above + ROTATION, zero)
    elif integer(tree, record + FLAGS) & TURNED:
        R = compose_fused(R, joint_frame(tree, par, i, zero))
    opens = integer(tree, record + OPENS)
    if opens == AT_JOINT:
        store3(work, bodies + i * BODY_WORK + POSITION, p)
        open_segment(tree, work, i, zero)
        p = (zero, zero, zero)
    z = column_z(R)
    if kind == REVOLUTE:
        store6(work, rate + S, rotating(z, p))
        R = turn_about_z(R, load(work, a, zero), load(work, c, zero))
    elif kind == PRISMATIC:
        store6(work, rate + S, sliding(z, zero))
        p = add3(p, scale3(load(work, coordinates_of(tree, record), zero), z))
    elif kind == HELICAL:
        pitch = shared(par, i * BODY_PARS + P_PITCH, zero)
        store6(work, rate + S, add3(cross(p, z), scale3(pitch, z)) + z)
        p = add3(p, scale3(pitch * load(work, coordinates_of(tree, record), zero), z))
        R = turn_about_z(R, load(work, a, zero), load(work, c, zero))
    elif kind == CYLINDRICAL:
        store6(work, rate + S, sliding(z, zero))
        store6(work, rate + RATE_WORK + S, rotating(z, p))
        p = add3(p, scale3(load(work, coordinates_of(tree, record), zero), z))
        R = turn_about_z(R, load(work, a, zero), load(work, c, zero))
    elif kind == UNIVERSAL:
        store6(work, rate + S, rotating(z, p))
        R = turn_about_z(R, load(work, a, zero), load(work, c, zero))
        store6(work, rate + RATE_WORK + S, rotating(column_y(R), p))
        R = turn_about_y(R, load(work, a + 1, zero), load(work, c + 1, zero))
    elif kind == PLANAR:
        store6(work, rate + S, sliding(column_x(R), zero))
        store6(work, rate + RATE_WORK + S, sliding(column_y(R), zero))
        x = coordinates_of(tree, record)
        p = add3(p, add3(scale3(load(work, x, zero), column_x(R)), scale3(load(work, x + 1, zero), column_y(R))))
        store6(work, rate + 2 * RATE_WORK + S, rotating(z, p))
        R = turn_about_z(R, load(work, a, zero), load(work, c, zero))
    elif kind >= STEPS:
        store9(work, bodies + i * BODY_WORK + ROTATION, R)
        store3(work, bodies + i * BODY_WORK + POSITION, p)
        take_steps(tree, par, work, i, zero)
        return
    elif kind != FIXED:
        x = coordinates_of(tree, record)
        if kind == FREE:
            store6(work, rate + S, sliding(column_x(R), zero))
            store6(work, rate + RATE_WORK + S, sliding(column_y(R), zero))
            store6(work, rate + 2 * RATE_WORK + S, sliding(z, zero))
            p = add_turned(p, R, load3(work, x, zero))
            x += 3
            rate += 3 * RATE_WORK
        Q = quaternion_rotation(
            load(work, x, zero), load(work, x + 1, zero), load(work, x + 2, zero), load(work, x + 3, zero)
        )
        R = compose(R, Q)
        if opens >= AT_COM:
            c = turn(R, shared3(par, i * BODY_PARS + P_COM, zero))
            store3(work, bodies + i * BODY_WORK + POSITION, add3(p, c))
            open_segment(tree, work, i, zero)
            p = scale3(-1.0, c)
        store6(work, rate + S, rotating(column_x(R), p))
        store6(work, rate + RATE_WORK + S, rotating(column_y(R), p))
        store6(work, rate + 2 * RATE_WORK + S, rotating(column_z(R), p))
    store9(work, bodies + i * BODY_WORK + ROTATION, R)
    store3(work, bodies + i * BODY_WORK + POSITION, p)


@inner
def start_place(tree, work, zero):
    """Sines and cosines of all angles; the base's pose."""
    angles, sines, cosines = integer(tree, ANGLES), integer(tree, W_SINE), integer(tree, W_COSINE)
    wide = widest_of(zero)  # angles of one robot are taken a pack at a time
    step, stride = lanes_of(wide) // lanes_of(zero), stride_of(zero)
    for k in range(0, angles, step):
        for j in range(k, k + step):  # a last pack that is not full repeats the last angle
            at = integer(tree, integer(tree, ANGLE_AT) + min(j, angles - 1))
            store(work, sines + j, load(work, integer(tree, W_X) + at, zero))
        s, c = sincos(load(later(work, (sines + k) * stride), 0, wide))
        store(later(work, (sines + k) * stride), 0, s)
        store(later(work, (cosines + k) * stride), 0, c)
    place_base(tree, work, zero)


@inner
def place(tree, par, work, zero):
    """Poses of all bodies and columns of all rates, from the coordinates in `work`."""
    start_place(tree, work, zero)
    write_base_columns(tree, work, zero)
    for i in range(1, integer(tree, BODIES)):
        place_body(tree, par, work, i, zero)


@inner
def move_body(tree, work, i, columns_too, all_given, zero):
    """Velocity and acceleration of body i from its parent's; SDOT of its joint's columns, if wanted.

    Every QDD counts if all are given; else only where they are.

    A column is fixed in the frame that the rates before it have moved, so its rate is V x S with V the velocity
    built up so far; the three of a spherical turn are fixed in the child together.
    """
    record = integer(tree, BODY_AT) + i * BODY_INTS
    body, source = integer(tree, W_BODY) + i * BODY_WORK, integer(tree, record + PARENT)
    source, opens = integer(tree, W_BODY) + source * BODY_WORK, integer(tree, record + OPENS)
    if opens > 0:
        enter_segment(tree, work, i, zero)
        source = body
    V, A = load6(work, source + VELOCITY, zero), load6(work, source + ACCELERATION, zero)
    first = integer(tree, record + RATE)
    kind = integer(tree, record + KIND)
    count = integer(tree, record + RATE_COUNT)
    together = 3 if kind == SPHERICAL or kind == FREE else 0
    rates = integer(tree, W_RATE)
    u = integer(tree, W_U)
    for k in range(first, first + count - together):
        rate = rates + k * RATE_WORK
        column, speed = load6(work, rate + S, zero), load(work, u + k, zero)
        V = add_scaled6(V, speed, column)
        turning = cross_motion(V, column)
        if columns_too:
            store6(work, rate + SDOT, turning)
        A = add_scaled6(A, speed, turning)
        if all_given or is_given(tree, k):
            A = add_scaled6(A, load(work, rate + QDD, zero), column)
    if together > 0:
        for k in range(first + count - together, first + count):
            V = add_scaled6(V, load(work, u + k, zero), load6(work, rates + k * RATE_WORK + S, zero))
        if opens >= AT_COM:  # the frame moves along
            V = (zero, zero, zero) + angular(V)
        for k in range(first + count - together, first + count):
            rate = rates + k * RATE_WORK
            column = load6(work, rate + S, zero)
            turning = cross_motion(V, column)
            if columns_too:
                store6(work, rate + SDOT, turning)
            A = add_scaled6(A, load(work, u + k, zero), turning)
            if all_given or is_given(tree, k):
                A = add_scaled6(A, load(work, rate + QDD, zero), column)
    store6(work, body + VELOCITY, V)
    store6(work, body + ACCELERATION, A)
    if opens == LOOSE and not all_given:
        part_acceleration(tree, work, i, zero)


@inner
def move_base(tree, work, gravity, zero):
    """Velocity and acceleration of the base. Gravity is met as an acceleration by -g."""
    body, accelerations = integer(tree, W_BODY), integer(tree, W_RATE) + QDD
    w = base_part(tree, work, integer(tree, W_U), 1, 3, zero)
    store6(work, body + VELOCITY, (zero, zero, zero) + w)  # relative to the base's own v0
    store3(work, body + ACCELERATION, sub3(base_part(tree, work, accelerations, RATE_WORK, 0, zero), gravity))
    store3(work, body + ACCELERATION + 3, base_part(tree, work, accelerations, RATE_WORK, 3, zero))


@inner
def move(tree, work, gravity, zero):
    """Velocities and accelerations of all bodies, from the rates W_U and their rates QDD in `work`.

    `gravity` is three scalars; for true accelerations hand in zeros.
    """
    move_base(tree, work, gravity, zero)
    for k in range(integer(tree, BASE_RATES)):
        store6(work, integer(tree, W_RATE) + k * RATE_WORK + SDOT, (zero, zero, zero, zero, zero, zero))
    for i in range(1, integer(tree, BODIES)):
        move_body(tree, work, i, True, True, zero)
