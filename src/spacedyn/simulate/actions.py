"""Actions of events: what happens to joints at an instant of a run, `sd.actions`.

    brake = sd.Event(sd.joint_reaches("elbow", 0.2), action=sd.actions.lock("elbow"))

`lock` and `attach` hold joints where they are, `free` and `release` let them go, `follow` has them take up their
prescribed motions. They change a run, not the robot: surgery on a model is `Model.lock` and `Model.attach`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.model import Model
from ..reals import finite_array
from ..signatures import checked_arguments

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Switch:
    """Joints that change their modes at an event; made by `lock`, `free`, `follow`, `attach` and `release`.

    Attributes
    ----------
    modes : dict of str
        The new mode of each joint: 'free', 'locked' or 'prescribed'.
    rates : dict of arrays
        Rates that joints have just after it; they push off each other with whatever impulse that takes.
    """

    modes: dict[str, str]
    rates: dict[str, Array] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Joints and their new modes, in words."""
        return ", ".join(f"{joint} {mode}" for joint, mode in self.modes.items())

    def check(self, model: Model) -> None:
        """Raise if the robot has no such joints."""
        for joint in self.modes:
            model.joint(joint)
        for joint, rate in self.rates.items():
            size = model.joint(joint).nv
            if rate.shape != (size,):
                raise InputError(f"release: joint '{joint}' has {size} rates, got {rate.size}")


def lock(*joints: str) -> Switch:
    """An action for events: joints stay where they are, at once, by an impulse at each of them.

    Parameters
    ----------
    *joints : str
        Their names.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> brake = sd.Event(sd.joint_reaches("joint2", 0.2), action=sd.actions.lock("joint2"))
    >>> run = sd.simulate(robot, robot.state(qd=[0, 0.1, 0, 0, 0, 0]), 4.0, events=[brake])
    >>> bool(abs(run.final.q[1] - 0.2) < 1e-12), run["mode"][[0, -1], 1].tolist()
    (True, [1.0, 2.0])
    >>> bool(run.audit().linear_momentum < 1e-11), bool(run["event_work"][-1, 0] < 0)
    (True, True)
    """
    return Switch(dict.fromkeys(_named("lock", joints), "locked"))


def free(*joints: str) -> Switch:
    """An action for events: joints are no longer locked or prescribed; they go on with the rates that they have.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.free("elbow", "wrist").label
    'elbow free, wrist free'
    """
    return Switch(dict.fromkeys(_named("free", joints), "free"))


def follow(*joints: str) -> Switch:
    """An action for events: joints follow the motions that `simulate(prescribed=...)` gives, from where they are.

    A joint takes up the rate that its motion has at that time, by an impulse; its coordinate is the motion's value,
    shifted by a constant so that it does not jump.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.follow("elbow").modes
    {'elbow': 'prescribed'}
    """
    return Switch(dict.fromkeys(_named("follow", joints), "prescribed"))


def attach(*joints: str) -> Switch:
    """An action for events: two bodies stick together as they meet, at the joint between them.

    The joint is one of the robot's, of the kind 'free' if the bodies fly apart from each other before: it is locked
    where it is. The bodies' velocities become equal by an impulse between them (a plastic impact); the momentum stays,
    the energy lost is in `run["event_work"]`.

    Parameters
    ----------
    *joints : str
        Names of joints.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("chaser and target")
    >>> b.base("chaser", mass=3.0, inertia=(1.0, 1.2, 1.1))
    >>> b.body("target", mass=1.0, inertia=(0.2, 0.3, 0.25))
    >>> b.joint("grip", "free", parent="chaser", child="target")
    >>> b.endpoint("hand", body="chaser", position=(1, 0, 0))
    >>> b.endpoint("handle", body="target", position=(-0.5, 0, 0))
    >>> pair = b.build()
    >>> meet = sd.Event(sd.endpoints_within("hand", "handle", 0.01), direction=-1, action=sd.actions.attach("grip"))
    >>> apart, nearer = {"grip": [4.0, 0, 0, 0, 0, 0, 1]}, {"grip": [-1.0, 0, 0, 0, 0, 0]}
    >>> start = pair.state(q=apart, base_velocity=[1.0, 0, 0], qd=nearer)
    >>> run = sd.simulate(pair, start, 5.0, events=[meet])
    >>> run.final.base_velocity.round(12).tolist()
    [0.75, 0.0, 0.0]
    """
    return Switch(dict.fromkeys(_named("attach", joints), "locked"))


@checked_arguments()
def release(joint: str, rates: ArrayLike | None = None) -> Switch:
    """An action for events: a body that a locked joint holds is let go, pushed off if wanted.

    Parameters
    ----------
    joint : str
        The joint between it and the rest.
    rates : (nv of the joint,), optional
        Rates of the joint just after it, as springs between both bodies give them: the impulse acts on both, the
        momentum stays, and the energy that it takes is in `run["event_work"]`. As they are if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.release("latch", rates=[0, 0, 0.2, 0, 0, 0]).rates["latch"].tolist()
    [0.0, 0.0, 0.2, 0.0, 0.0, 0.0]
    """
    _named("release", (joint,))
    if rates is None:
        return Switch({joint: "free"})
    given = np.atleast_1d(finite_array(f"release: rates of joint '{joint}'", rates, "finite numbers"))
    if given.ndim != 1:
        raise InputError(f"release: rates of joint '{joint}' must be finite numbers in one row, got {rates!r}")
    return Switch({joint: "free"}, {joint: given})


def _named(what: str, joints: Iterable[Any]) -> list[str]:
    names = list(joints)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{what}: expected names of joints, such as {what}('elbow'), got {names}")
    return names


__all__ = ["Switch", "attach", "follow", "free", "lock", "release"]
