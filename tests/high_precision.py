"""Forward dynamics of small trees in 50 digits: Kane's projection with classical vectors, nothing recursive but motion.

Knows revolute and free joints on a free base. Every number of the model and the state is taken as the double it is.
"""

import mpmath as mp
import numpy as np

from spacedyn.model.model import Model

DIGITS = 50


def exact(array) -> mp.matrix:
    """A double array (n,) or (n, m) as it is."""
    return mp.matrix(np.asarray(array, dtype=float).tolist())


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return (a.T * b)[0]


def rotation(quaternion) -> mp.matrix:
    """Of a quaternion (x, y, z, w) of any length."""
    q = exact(quaternion)
    x, y, z, w = q / mp.norm(q)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]]
    rows += [[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]]
    return mp.matrix([*rows, [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def about(axis, angle) -> mp.matrix:
    """A turn about an axis."""
    a = exact(axis) / mp.norm(exact(axis))
    K = mp.matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return mp.eye(3) + mp.sin(angle) * K + (1 - mp.cos(angle)) * K * K


class Body:
    """Attitude, a point fixed to it, and how both move if no rate changes; columns of the rates that move it."""

    def __init__(self, R, origin, v, w, a, alpha, columns):
        self.R, self.simulation, self.v, self.w, self.a, self.alpha = R, origin, v, w, a, alpha
        self.columns = columns  # {rate: (direction to slide in or None, axis or None, point of the axis)}

    def at(self, place):
        """Acceleration of a point of the body if no rate changes."""
        d = place - self.simulation
        return self.a + cross(self.alpha, d) + cross(self.w, cross(self.w, d))

    def partials(self, place):
        """{rate: (velocity of a point, angular velocity) per unit of the rate}."""
        found, still = {}, mp.matrix(3, 1)
        for rate, (slide, axis, point) in self.columns.items():
            found[rate] = (slide, still) if axis is None else (cross(axis, place - point), axis)
        return found


def child_of(parent: Body, joint, q, qd, first: int) -> Body:
    """A body behind a joint whose first rate is `first`."""
    o = parent.simulation + parent.R * exact(joint.position)
    R, columns = parent.R * exact(joint.rotation), dict(parent.columns)
    v, a, w, alpha = parent.v, mp.matrix(3, 1), parent.w, parent.alpha
    if joint.kind == "revolute":
        axis = R * exact(joint.axis) / mp.norm(exact(joint.axis))
        columns[first] = (None, axis, o)
        v, a = v + cross(parent.w, o - parent.simulation), parent.at(o)
        R, spin = R * about(joint.axis, mp.mpf(float(q[0]))), axis * mp.mpf(float(qd[0]))
    else:
        o = o + R * exact(q[:3])
        slide = R * exact(qd[:3])
        v = v + cross(parent.w, o - parent.simulation) + slide
        a = parent.at(o) + 2 * cross(parent.w, slide)
        columns |= {first + k: (R[:, k], None, None) for k in range(3)}
        R = R * rotation(q[3:])
        columns |= {first + 3 + k: (None, R[:, k], o) for k in range(3)}
        spin = R * exact(qd[3:])
    return Body(R, o, v, w + spin, a, alpha + cross(w, spin), columns)


def bodies_of(model: Model, x, u) -> list[Body]:
    """All bodies; the base's point is its centre of mass, at the origin: nothing depends on where it is."""
    still = mp.matrix(3, 1)
    columns = {k: (mp.eye(3)[:, k], None, None) for k in range(3)}
    columns |= {3 + k: (None, mp.eye(3)[:, k], still) for k in range(3)}
    R = rotation(x[3:7])
    base = Body(R, -R * exact(model.bodies[0].com), still, exact(u[3:6]), still, still, columns)
    base.v, base.a = cross(base.w, base.simulation), cross(base.w, cross(base.w, base.simulation))
    found = {0: base}
    while len(found) < len(model.bodies):
        for i, parent in enumerate(model.parents):
            if i not in found and parent in found:
                joint = model.joints[i - 1]
                q, rates = model.q_slice(joint.name), model.u_slice(joint.name)
                found[i] = child_of(found[parent], joint, x[7:][q], u[rates], rates.start)
    return [found[i] for i in range(len(model.bodies))]


def forward_dynamics(model: Model, x, u, tau, gravity=(0.0, 0.0, 0.0)) -> np.ndarray:
    """u' (nv,) under joint forces and gravity, rounded to doubles at the end."""
    with mp.workdps(DIGITS):
        H, F = mp.zeros(model.nv), mp.zeros(model.nv, 1)
        for k, force in enumerate(tau):
            F[6 + k] += mp.mpf(float(force))
        for part, body in zip(model.bodies, bodies_of(model, x, u), strict=True):
            m, I = mp.mpf(float(part.mass)), body.R * exact(part.inertia) * body.R.T
            place = body.simulation + body.R * exact(part.com)
            f = m * (body.at(place) - exact(gravity))
            n = I * body.alpha + cross(body.w, I * body.w)
            partials = body.partials(place)
            for j, (v, w) in partials.items():
                F[j] -= dot(v, f) + dot(w, n)
                for k, (vk, wk) in partials.items():
                    H[j, k] += m * dot(v, vk) + dot(w, I * wk)
        return np.array([float(value) for value in mp.lu_solve(H, F)])
