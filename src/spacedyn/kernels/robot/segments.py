"""Segments: bodies far from the base are computed about a reference point of their own, so that they keep their digits.

A body of size r computed about a point at distance d loses eps (d/r)². So the tree is cut into segments: POSITION,
VELOCITY, ACCELERATION, FORCE, INERTIA and columns S of a segment's bodies are about its reference point O, in a frame
that moves along with O but does not turn. The base's segment has the base's centre of mass. Where a recursion crosses
from one segment to the next, motions and forces change their point, by the LEVER L from one point to the other, and
velocities their frame, by the DRIFT d of one frame in the other:

    v' = v + w x L - d,   a' = a + w' x L + w x d,   n = n' + L x f

(a is a spatial acceleration: that of the body's point at O, less w x v.) Which bodies open a segment is chosen when a
model is flattened. What crosses a joint that is being eliminated: loose_joints.py.
"""

from ..scalar.compiling import inner, rare
from ..scalar.memory import integer, load, load_counter, store
from .layout import *  # noqa: F403
from .spatial import (
    add3,
    add6,
    add_cross,
    add_scaled6,
    angular,
    dot3,
    linear,
    load3,
    load6,
    scale3,
    store3,
    store6,
    sub3,
)


@inner
def segment_of(tree, i):
    """The segment of body i; 0 is the base's."""
    return integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + SEGMENT)


@inner
def segment_record(tree, s):
    """Where the record of segment s, not the base's, is in `tree`."""
    return integer(tree, SEGMENT_AT) + (s - 1) * SEGMENT_INTS


@inner
def rests(tree, i):
    """Whether body i, behind a loose joint, sleeps: its poses, factors and accelerations are not computed."""
    s = segment_of(tree, i)
    return s > 0 and load_counter(tree, segment_record(tree, s) + SEGMENT_RESTS) != 0


@inner
def rests_rate(tree, k):
    """Whether the body that rate k moves sleeps, as in `rests`."""
    return rests(tree, integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_BODY))


@inner
def segment_of_rate(tree, k):
    """The segment of the body that rate k moves."""
    return integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_SEGMENT)


@inner
def opens_segment(tree, i):
    """Whether body i is the first of its segment."""
    return integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + OPENS)


@inner
def segment_work(tree, s):
    """Where the record of segment s > 0 is in `work`."""
    return integer(tree, W_SEGMENT) + (s - 1) * SEGMENT_WORK


@inner
def segment_before(tree, s):
    """The segment that segment s > 0 hangs on."""
    return integer(tree, segment_record(tree, s) + SEGMENT_PARENT)


@inner
def rate_before(tree, s):
    """The first rate on the way to the root that is not of segment s; for the base's segment, its own last rate."""
    if s == 0:
        return integer(tree, BASE_RATES) - 1
    return integer(tree, segment_record(tree, s) + SEGMENT_RATE)


# --- positions -------------------------------------------------------------------------------------------------------


@rare
def open_segment(tree, work, i, zero):
    """Place the reference point of the segment that body i opens; nothing moves yet.

    It is at POSITION of body i, about its parent's reference point. What crosses into a segment goes through memory: a
    call that takes it in registers would slow down all bodies that open none.
    """
    s = segment_of(tree, i)
    at, before = segment_work(tree, s), segment_before(tree, s)
    lever = load3(work, integer(tree, W_BODY) + i * BODY_WORK + POSITION, zero)
    origin, still = lever, (zero, zero, zero)
    if before > 0:
        origin = add3(load3(work, segment_work(tree, before) + ORIGIN, zero), lever)
    store3(work, at + LEVER, lever)
    store3(work, at + DRIFT, still)
    store3(work, at + ORIGIN, origin)
    store3(work, at + SPEED, still)
    store6(work, at + BIAS, still + still)


@inner
def origin_of(tree, work, i, zero):
    """From the base's centre of mass to the reference point of body i."""
    s = segment_of(tree, i)
    if s > 0:
        return load3(work, segment_work(tree, s) + ORIGIN, zero)
    return zero, zero, zero


@inner
def speed_of(tree, work, i, zero):
    """Velocity, relative to the base's centre of mass, of the frame that body i is computed in."""
    s = segment_of(tree, i)
    if s > 0:
        return load3(work, segment_work(tree, s) + SPEED, zero)
    return zero, zero, zero


# --- crossing --------------------------------------------------------------------------------------------------------


@inner
def lever_of(tree, work, i, zero):
    """LEVER of the segment that body i opens."""
    return load3(work, segment_work(tree, segment_of(tree, i)) + LEVER, zero)


@inner
def shift_motion(V, lever):
    """A motion about another point."""
    return add_cross(linear(V), angular(V), lever) + angular(V)


@inner
def shift_force(F, lever):
    """A force about another point: `lever` is from that to where it was."""
    return linear(F) + add_cross(angular(F), lever, linear(F))


@inner
def motion_from_parent(tree, work, i, V, zero):
    """A motion of body i's parent, about body i's reference point."""
    if opens_segment(tree, i):
        return shift_motion(V, lever_of(tree, work, i, zero))
    return V


@inner
def force_to_parent(tree, work, i, F, zero):
    """A force on body i, about its parent's reference point."""
    if opens_segment(tree, i):
        return shift_force(F, lever_of(tree, work, i, zero))
    return F


@inner
def force_about_base(tree, work, i, F, zero):
    """A force on body i, about the base's centre of mass."""
    if segment_of(tree, i) > 0:
        return shift_force(F, origin_of(tree, work, i, zero))
    return F


@rare
def enter_segment(tree, work, i, zero):
    """VELOCITY and ACCELERATION of body i's parent, as the segment has them that body i opens, into body i's record.

    DRIFT and SPEED of the segment, too.

    Of a free joint's segment the frame moves along with the child, else with the parent's.
    """
    record, s = integer(tree, BODY_AT) + i * BODY_INTS, segment_of(tree, i)
    at, before = segment_work(tree, s), segment_before(tree, s)
    above = integer(tree, W_BODY) + integer(tree, record + PARENT) * BODY_WORK
    V, A = load6(work, above + VELOCITY, zero), load6(work, above + ACCELERATION, zero)
    lever, w = load3(work, at + LEVER, zero), angular(V)
    v, drift = add_cross(linear(V), w, lever), (zero, zero, zero)
    if integer(tree, record + OPENS) >= AT_COM:
        moved, first = v + w, integer(tree, record + RATE)
        for k in range(first, first + 6):
            speed = load(work, integer(tree, W_U) + k, zero)
            moved = add_scaled6(moved, speed, load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero))
        drift = linear(moved)
    total = drift
    if before > 0:
        total = add3(load3(work, segment_work(tree, before) + SPEED, zero), drift)
    store3(work, at + DRIFT, drift)
    store3(work, at + SPEED, total)
    a = add_cross(add_cross(linear(A), angular(A), lever), w, drift)
    body = integer(tree, W_BODY) + i * BODY_WORK
    store6(work, body + VELOCITY, sub3(v, drift) + w)
    store6(work, body + ACCELERATION, a + angular(A))


@rare
def add_composite(tree, work, i, zero):
    """Add mass, first moment and inertia in INERTIA of body i to its parent's, about that one's reference point."""
    above = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT) * BODY_WORK
    body, above = integer(tree, W_BODY) + i * BODY_WORK + INERTIA, integer(tree, W_BODY) + above + INERTIA
    L, m = lever_of(tree, work, i, zero), load(work, body, zero)
    h, I = load3(work, body + 1, zero), load6(work, body + 4, zero)
    moved = add3(h, scale3(m, L))
    # I + (h.L + moved.L) 1 - (L h' + moved L'), which is symmetric
    both = dot3(h, L) + dot3(moved, L)
    I = (
        I[0] + both - L[0] * h[0] - moved[0] * L[0],
        I[1] + both - L[1] * h[1] - moved[1] * L[1],
        I[2] + both - L[2] * h[2] - moved[2] * L[2],
        I[3] - L[0] * h[1] - moved[0] * L[1],
        I[4] - L[0] * h[2] - moved[0] * L[2],
        I[5] - L[1] * h[2] - moved[1] * L[2],
    )
    store(work, above, load(work, above, zero) + m)
    store3(work, above + 1, add3(load3(work, above + 1, zero), moved))
    store6(work, above + 4, add6(load6(work, above + 4, zero), I))
