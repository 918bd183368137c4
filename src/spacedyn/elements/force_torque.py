"""Force and torque sensors: what a joint transmits."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.elements.force_torque import KEPT, expect_wrench, settle_wrench
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers, three
from .sensor import XYZ, AlignedSensor, positive


@checked_fields("rotation")
@dataclass(frozen=True, eq=False)
class ForceTorqueSensor(AlignedSensor):
    """A force and torque sensor at a joint: the wrench that it transmits, driven directions and constrained ones.

    `s.<name>.force` (3) [N] and `s.<name>.moment` (3) [N m] are what the parent exerts on the child, about `point`, in
    the sensor's axes; `joint_reactions` has the same. All that elements do to the bodies beyond is counted: weight,
    contact, propellant, flexible parts. Accelerations depend on what laws command at the same instant: without a
    period, only sampled laws can read it. Errors have six components, force first. `bias`, `noise`, `random_walk`,
    `period`, `delay`, `rotation`, `misalignment`, `seed` and faults (`fail_at`, `fault`, `stuck`) are those of every
    sensor: see the page "Devices".

    Parameters
    ----------
    joint : str
        Any joint.
    point : (3,)
        About which moments are, in the frame of the joint's child [m]; its origin if left out.
    limit : float or (6,)
        Largest readings [N, N m].
    quantum : float or (6,)
        Steps between readings [N, N m]; they need a period.

    Examples
    --------
    An arm that hangs from a fixed base pulls at its joint with its weight.

    >>> import spacedyn as sd
    >>> b = sd.Builder("pendulum", base="fixed")
    >>> b.base("ceiling", mass=1.0, inertia=(1, 1.2, 1.1))
    >>> b.link("arm", "revolute", parent="ceiling", axis=(0, 1, 0), mass=2.0, inertia=(0.1, 0.1, 0.02), com=(0, 0, -1))
    >>> robot, wrist = b.build(), sd.ForceTorqueSensor("arm", name="wrist")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[wrist], gravity=[0, 0, -9.81], record=1.0)
    >>> run["wrist.force"][0].round(9).tolist()
    [0.0, 0.0, 19.62]
    """

    joint: str
    point: ArrayLike = (0.0, 0.0, 0.0)
    limit: ArrayLike = np.inf
    quantum: ArrayLike = 0.0

    errors: ClassVar[int] = 6
    channels: ClassVar[tuple[Block, ...]] = (Block("force", 3, "N", XYZ), Block("moment", 3, "N m", XYZ))
    kernel: ClassVar[Kind] = expect_wrench
    settles: ClassVar[Kind] = settle_wrench
    kept: ClassVar[int] = KEPT
    sums_forces: ClassVar[bool] = True
    pushes_bodies: ClassVar[bool] = True  # it exerts no force, but this makes the driver sum up all forces

    def __post_init__(self) -> None:
        positive(self, "limit", "quantum")
        object.__setattr__(self, "point", three("ForceTorqueSensor", "point", self.point))
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """Largest reading and the step between readings."""
        return self.limit, self.quantum

    @property
    def is_late(self) -> bool:
        """Without a period its reading is of this instant's accelerations."""
        return self.period is None

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """The bodies beyond the joint, whose accelerations it needs; its own comes first."""
        found = [model.joint(self.joint).child]
        for body in found:
            found += [joint.child for joint in model.joints if joint.parent == body]
        return tuple(found)

    def numbers(self, model: Model) -> Numbers:
        """The bodies beyond the joint; its axes and place on the first."""
        bodies = [int(model.flat.order[model.body_index(body)]) for body in self.attached_to(model)]
        _, axes, place = self.aligned(model, (self.attached_to(model)[0], np.asarray(self.point)))
        return self.numbers_with((len(bodies), *bodies), np.concatenate([axes.ravel(), place]))
