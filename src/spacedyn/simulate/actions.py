"""Actions of events: what happens to joints, grapples and loops at an instant of a run, `sd.actions`.

    brake = sd.Event(sd.joint_reaches("elbow", 0.2), action=sd.actions.lock("elbow"))

`lock` and `attach` hold joints where they are, `free` and `release` let them go, `follow` has them take up their
prescribed motions; `impact` is a blow between two bodies, `engage` and `disengage` close and open a `Grapple`,
`close_loop` and `open_loop` a rigid `Loop`. All of them act inside the robot, whose momentum stays. They change a run,
not the robot: surgery on a model is `Model.lock` and `Model.attach`.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..reals import finite_array, one_number
from ..signatures import checked_arguments, is_several
from .action_kinds import Action, Closing, Engagement, Impact, Switch


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
    """An action for events: joints are no longer locked or prescribed; they keep the rates that they have.

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


def attach(*joints: str, arm: str | Iterable[str] = (), too_fast: str = "warn") -> Switch:
    """An action for events: two bodies stick together as they meet, at the joint between them.

    The joint is one of the robot's, of the kind 'free' if the bodies fly apart from each other before: it is locked
    where it is. The bodies' velocities become equal by an impulse between them (a plastic impact); the momentum stays,
    the energy lost is in `run["event_work"]`.

    Parameters
    ----------
    *joints : str
        Names of joints.
    arm : str or list of str
        Joints that are to bring what is caught to rest. If their `max_force` cannot, within their limits, by a constant
        deceleration in the pose of the catch, that is reported by name and time.
    too_fast : str
        How: 'warn' by a RunWarning, and go on; or 'end' the run with the status 'event failed'.

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
    given: Any = arm
    named = tuple(given) if is_several(given) and not isinstance(given, str) else (given,)
    if not all(isinstance(name, str) for name in named):
        raise InputError(f"attach: arm: expected names of joints, got {arm!r}")
    if too_fast not in ("warn", "end"):
        raise InputError(f"attach: too_fast must be 'warn' or 'end', got {too_fast!r}")
    return Switch(dict.fromkeys(_named("attach", joints), "locked"), arm=named, too_fast=too_fast)


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


@checked_arguments()
def impact(endpoint: str, other: str, *, restitution: float = 0.0, normal: ArrayLike | None = None) -> Impact:
    """An action for events: two bodies hit each other where their endpoints meet, by an impulse between them.

    The velocity of one relative to the other, at that point, becomes -restitution times what it was; both may turn.
    The impulses on both act at the place of `other`, so the momentum stays; the energy lost is in `run["event_work"]`.
    To hold what came to rest so, `attach` at a later event.

    Parameters
    ----------
    endpoint, other : str
        Endpoints on two bodies.
    restitution : float
        0 (it sticks) to 1 (no energy is lost).
    normal : (3,), optional
        Unit vector from the one to the other, in the axes of `endpoint`: the impulse has this direction, without
        friction, and there is none if they part already. In all three directions if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.impact("hand", "handle", restitution=0.4, normal=(1, 0, 0)).label
    'hand hits handle'
    """
    for name in (endpoint, other):
        if not isinstance(name, str):
            raise InputError(f"impact: expected names of two endpoints, got {name!r}")
    e = one_number("impact: restitution", restitution, "a number from 0 to 1")
    if not 0.0 <= e <= 1.0:
        raise InputError(f"impact: restitution must be a number from 0 to 1, got {e}")
    if normal is None:
        return Impact(endpoint, other, e)
    n = finite_array("impact: normal", normal, "a unit vector", [(3,)])
    if np.abs(n).max() > 2.0 or abs(float(np.linalg.norm(n)) - 1.0) > 1e-6:
        raise InputError(f"impact: normal must be a unit vector, got {normal!r}")
    return Impact(endpoint, other, e, n / np.linalg.norm(n))


@checked_arguments()
def engage(grapple: str, *, as_met: bool = True) -> Engagement:
    """An action for events: a `Grapple` closes; one that holds already stays as it is.

    Parameters
    ----------
    grapple : str
        Its name.
    as_met : bool
        Whether its springs are slack as both endpoints stand to each other now; otherwise they pull them to the pose
        that the grapple was made with, and the energy of that is in `run["event_work"]`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.engage("claw").label
    'claw engaged'
    """
    return Engagement(_named_one("engage", "Grapple", grapple), True, _truth("engage: as_met", as_met))


@checked_arguments()
def disengage(grapple: str) -> Engagement:
    """An action for events: a `Grapple` lets go; what its springs hold is lost, and in `run["event_work"]`.

    Parameters
    ----------
    grapple : str
        Name of the `Grapple`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.disengage("claw").label
    'claw disengaged'
    """
    return Engagement(_named_one("disengage", "Grapple", grapple), False)


@checked_arguments()
def close_loop(loop: str, *, as_met: bool = True) -> Closing:
    """An action for events: a rigid `Loop` made with `active` closes, by the impulse that this takes.

    Bodies that it joins come to rest relative to each other, in the directions that it holds. Within the robot the
    momentum stays; the energy lost is in `run["event_work"]`.

    Parameters
    ----------
    loop : str
        Its name.
    as_met : bool
        Whether it holds both bodies as they stand to each other now; otherwise as it was made, which must be so.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.close_loop("grip").label
    'grip closed'
    """
    return Closing(_named_one("close_loop", "Loop", loop), True, _truth("close_loop: as_met", as_met))


@checked_arguments()
def open_loop(loop: str) -> Closing:
    """An action for events: a rigid `Loop` made with `active` opens; velocities stay as they are.

    Parameters
    ----------
    loop : str
        Name of the `Loop`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.actions.open_loop("grip").label
    'grip opened'
    """
    return Closing(_named_one("open_loop", "Loop", loop), False)


def _named_one(what: str, kind: str, name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"{what}: expected the name of a {kind}, got {name!r}")
    return name


def _truth(what: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{what} must be True or False, got {value!r}")
    return bool(value)


def _named(what: str, joints: Iterable[Any]) -> list[str]:
    names = list(joints)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{what}: expected names of joints, such as {what}('elbow'), got {names}")
    return names


__all__ = [
    "Action",
    "Closing",
    "Engagement",
    "Impact",
    "Switch",
    "attach",
    "close_loop",
    "disengage",
    "engage",
    "follow",
    "free",
    "impact",
    "lock",
    "open_loop",
    "release",
]
