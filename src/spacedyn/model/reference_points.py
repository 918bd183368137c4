"""Choose the bodies that open a segment: from there on, kernels compute about another reference point.

About a point at distance d, the inertia of a body of radius of gyration r has terms r² and d²: it loses as many digits
as d²/r² has. The child of a free joint always opens a segment, since its distance is not known at build. The child of
any other joint that turns opens one where d/r may exceed `FAR`; so does a rotor out of balance that carries nothing.
About a point at distance d, the forces m ω² d that keep a spinning body in place cancel only up to rounding: of a wheel
of 5 kg at 150 rad/s, up to 1e-11 N. A wheel in balance has no such forces in the dynamics (wheel_inertias.py).
"""

from typing import TYPE_CHECKING

import numpy as np

from .parts import Body, Joint
from .wheel_inertias import about_axis, is_wheel

if TYPE_CHECKING:
    from .model import Model

NEARLY = 1e-2  # imbalance of a rotor over its inertia
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
        far = joint.kind_record.rotations and np.any(at > FAR * _radius(joint, body))
        if far or (index not in model.parents and _is_rotor(joint, body) and not is_wheel(joint, body)):
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


def _is_rotor(joint: Joint, body: Body) -> bool:
    """Whether a body may spin fast: nearly in balance and symmetric about a revolute joint without limits.

    >>> from spacedyn.model.build import Builder
    >>> b = Builder("bus with a wheel")
    >>> b.base("bus", mass=100.0, inertia=(10, 12, 14))
    >>> b.wheel("wheel", on="bus", axis=(0, 0.6, 0.8), mass=5.0, inertia=0.04, position=(0.3, 0, 0))
    >>> _is_rotor(b.build().joints[0], b.build().bodies[1])
    True
    """
    if joint.kind != "revolute" or np.isfinite(joint.lower).any() or np.isfinite(joint.upper).any():
        return False
    little = NEARLY * np.abs(body.inertia).max()
    _, uneven, off = about_axis(joint, body)
    return bool(little > 0.0 and np.all(uneven <= little) and np.all(body.mass * off**2 <= little))


def _stroke(joint: Joint) -> np.ndarray:
    """How far a joint's limits let its child slide; 0 without limits."""
    lengths = list(joint.kind_record.translations)
    most = np.maximum(np.abs(joint.lower[..., lengths]), np.abs(joint.upper[..., lengths]))
    return np.sum(np.where(np.isfinite(most), most, 0.0), axis=-1)
