"""Find wheels, and give all of them but their spin to the bodies that carry them: see kernels/robot/wheels.py."""

import numpy as np

from ..kernels.robot import layout as k
from .parts import Body, Joint
from .principal_axes import ROUNDING, inertia_of, principal

Array = np.ndarray


def is_wheel(joint: Joint, body: Body) -> bool:
    """Whether a body is round about the axis of its revolute joint, and in balance, in every robot.

    >>> from spacedyn.model.build import Builder
    >>> b = Builder("bus with a wheel")
    >>> b.base("bus", mass=100.0, inertia=(10, 12, 14))
    >>> b.wheel("wheel", on="bus", axis=(0, 0.6, 0.8), mass=5.0, inertia=0.04, position=(0.3, 0, 0))
    >>> is_wheel(b.build().joints[0], b.build().bodies[1])
    True
    """
    if joint.kind != "revolute":
        return False
    axial, uneven, off = about_axis(joint, body)
    is_round = uneven <= ROUNDING * axial
    is_centred = off * np.sqrt(body.mass) <= ROUNDING * np.sqrt(np.maximum(axial, 0.0))
    return bool(np.all((axial > 0.0) & is_round & is_centred))


def about_axis(joint: Joint, body: Body) -> tuple[Array, Array, Array]:
    """Of a body and its joint's axis: moment about it, the most that is not round, distance of the centre of mass.

    >>> from spacedyn.model.build import Builder
    >>> b = Builder("arm")
    >>> b.base("base", mass=1.0, inertia=(1, 2, 1.5))
    >>> b.body("link", mass=2.0, inertia=(1, 1.5, 2), com=(3, 0, 4))
    >>> b.joint("hinge", "revolute", parent="base", child="link", axis=(0, 0, 1))
    >>> [float(x) for x in about_axis(b.build().joints[0], b.build().bodies[1])]
    [2.0, 0.25, 3.0]
    """
    axis = np.asarray(joint.axis)
    across = np.eye(3) - np.outer(axis, axis)
    axial = axis @ body.inertia @ axis
    transverse = 0.5 * (np.trace(body.inertia, axis1=-2, axis2=-1) - axial)
    uneven = body.inertia - axial[..., None, None] * np.outer(axis, axis) - transverse[..., None, None] * across
    return axial, np.abs(uneven).max(axis=(-2, -1)), np.linalg.norm(body.com @ across, axis=-1)


def felt_records(bodies: Array, parents: list[int], wheels: list[int]) -> Array:
    """Records (robots, bodies, BODY_PARS) of `par` as elimination takes them; the same ones, if there are no wheels."""
    felt = bodies.copy() if wheels else bodies
    for i in wheels:
        _carry(felt[:, parents[i]], bodies[:, i])
        moment = inertia_of(bodies[:, i, k.P_INERTIA : k.P_LEAST + 1])[:, 2, 2]
        felt[:, i, k.P_MASS : k.P_LEAST + 1] = 0.0
        felt[:, i, k.P_INERTIA + 2] = np.sqrt(moment)
    return felt


def _carry(carrier: Array, wheel: Array) -> None:
    """Add mass and moments across its axis of a wheel to the record of the body that carries it, robot by robot."""
    frame = wheel[:, k.P_ROTATION : k.P_ROTATION + 9].reshape(-1, 3, 3)
    place = wheel[:, k.P_POSITION : k.P_POSITION + 3] + (frame @ wheel[:, k.P_COM : k.P_COM + 3, None])[..., 0]
    shell = inertia_of(wheel[:, k.P_INERTIA : k.P_LEAST + 1])
    shell[:, 2, 2] = 0.0
    m, mass, lever = carrier[:, k.P_MASS].copy(), wheel[:, k.P_MASS], place - carrier[:, k.P_COM : k.P_COM + 3]
    share = np.divide(mass, m + mass, out=np.zeros_like(m), where=m + mass > 0.0)
    apart = (lever * lever).sum(axis=-1)[:, None, None] * np.eye(3) - lever[:, :, None] * lever[:, None, :]
    J = inertia_of(carrier[:, k.P_INERTIA : k.P_LEAST + 1]) + frame @ shell @ frame.transpose(0, 2, 1)
    carrier[:, k.P_INERTIA : k.P_LEAST + 1] = principal(J + (m * share)[:, None, None] * apart)
    carrier[:, k.P_COM : k.P_COM + 3] += share[:, None] * lever
    carrier[:, k.P_MASS] = m + mass
