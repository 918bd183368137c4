"""Which bodies open a segment: those from which on kernels reckon about a reference point of their own.

A body of radius of gyration r that is reckoned about a point at distance d has its inertia r² beside d², and loses as
many digits as d²/r² has. How far a free joint's child is, nobody knows at build: it always opens a segment. Any other
joint that turns its child does where d/r may exceed `FAR`.
"""

from typing import TYPE_CHECKING

import numpy as np

from .parts import Body, Joint

if TYPE_CHECKING:
    from .model import Model

FAR = 200.0  # reach over radius of gyration: up to here some four and a half digits are lost


def choose_segments(model: "Model", sequence: list[int]) -> set[int]:
    """The bodies that open a segment; `sequence` has parents before children.

    Of robots that differ, the same in all of them: a body opens one if it is far in any.
    """
    opens = set()
    reach = {0: _length(model.bodies[0].com)}  # most that a body's frame is away from its reference point
    for index in sequence[1:]:
        joint, body = model.joints[index - 1], model.bodies[index]
        if joint.kind_record.moves_freely:  # its reference point is the child's centre of mass
            opens.add(index)
            reach[index] = _length(body.com)
            continue
        at = reach[model.parents[index]] + _length(joint.position)
        if joint.kind_record.rotations and np.any(at > FAR * _radius(joint, body)):
            opens.add(index)
            at = np.zeros(())
        reach[index] = at + _stroke(joint)
    return opens


def _length(vector: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vector, axis=-1)


@np.errstate(over="ignore", invalid="ignore")  # of a mass next to nothing
def _radius(joint: Joint, body: Body) -> np.ndarray:
    """Radius of gyration about a joint's axis, the least one if it has several; infinite without mass.

    >>> from spacedyn.model.build import Builder
    >>> b = Builder("arm")
    >>> b.base("base", mass=1.0, inertia=(1, 2, 1.5))
    >>> b.body("link", mass=2.0, inertia=(1, 1, 0.5), com=(3, 0, 0))
    >>> b.joint("hinge", "revolute", parent="base", child="link", axis=(0, 0, 1))
    >>> arm = b.build()
    >>> bool(_radius(arm.joints[0], arm.bodies[1]) == (0.25 + 9) ** 0.5)
    True
    """
    mass, com = np.asarray(body.mass), body.com
    heavy = np.where(mass > 0.0, mass, 1.0)[..., None, None]
    lever = np.sum(com * com, axis=-1)[..., None, None] * np.eye(3) - com[..., :, None] * com[..., None, :]
    square = np.nan_to_num(body.inertia / heavy + lever)
    least = joint.axis @ square @ joint.axis if joint.kind_record.takes_axis else np.linalg.eigvalsh(square)[..., 0]
    return np.where(mass > 0.0, np.sqrt(np.maximum(least, 0.0)), np.inf)


def _stroke(joint: Joint) -> np.ndarray:
    """How far a joint's limits let its child slide; 0 without limits."""
    lengths = list(joint.kind_record.translations)
    most = np.maximum(np.abs(joint.lower[..., lengths]), np.abs(joint.upper[..., lengths]))
    return np.sum(np.where(np.isfinite(most), most, 0.0), axis=-1)
