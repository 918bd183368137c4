"""Modes of joints that change during a run: free, locked, or moved as prescribed; bodies caught and let go.

    catch = sd.Event(sd.endpoints_within("hand", "handle", 0.02), direction=-1, action=sd.attach("grip"))
    run = sd.simulate(robot, state, 60.0, events=[catch], modes={"latch": "locked"})

A joint that is locked while it moves, or that takes up a prescribed rate, does so by an impulse at that joint alone:

    H Δu = p,   Δu given at the joints that are held,   p = 0 at all others and at a base that is free

so the total momentum stays, and the energy that is lost is in the ledger. Two bodies that meet and stick together are
a joint of the kind 'free' between them that is locked: all six rates of one relative to the other become zero.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.prescribed import MODES, Prescribed, mode_number
from ..errors import InputError
from ..kernels.robot import layout as k
from ..kernels.sim import layout as p
from ..model.model import Model
from ..model.state import State
from ..quantities.dynamics import hybrid_dynamics
from ..quantities.momentum import kinetic_energy
from ..reals import finite_array
from ..signatures import checked_arguments

Array = np.ndarray
FREE, LOCKED, PRESCRIBED = p.MODE_FREE, p.MODE_LOCKED, p.MODE_PRESCRIBED
"""What laws write to `out.mode`, read in `s.mode`, and runs hold in the channel 'mode'."""
MODE_NAMES = {number: name for name, number in MODES.items()}


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
        """In words."""
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
    >>> brake = sd.Event(sd.joint_reaches("joint2", 0.2), action=sd.lock("joint2"))
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
    >>> sd.free("elbow", "wrist").label
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
    >>> sd.follow("elbow").modes
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
    >>> meet = sd.Event(sd.endpoints_within("hand", "handle", 0.01), direction=-1, action=sd.attach("grip"))
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
    >>> sd.release("latch", rates=[0, 0, 0.2, 0, 0, 0]).rates["latch"].tolist()
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


def deviations(
    model: Model, joints: list[Prescribed], times: Array, x: Array, u: Array, modes: Array | None, anchors: Array
) -> Array:
    """How far joints that are held are from where they must be, the largest of each record and robot.

    Parameters
    ----------
    model, joints
        The robot, and its joints that may be held.
    times : (records, robots)
        [s].
    x, u : (records, robots, …)
        The states.
    modes : (records, robots, joints) or None
        Of all joints; None: as they are at the start.
    anchors : (records, robots, nq) or (robots, nq)
        Where locked joints are held; by what motions are shifted, if modes may change.

    Returns
    -------
    (records, robots)
        Of coordinates and rates, relative to one more than what they should be.
    """
    worst = np.zeros(x.shape[:2])
    for one in joints:
        q, at = model.q_slice(one.joint), model.u_slice(one.joint)
        has, rate, anchor = x[..., 7 + q.start : 7 + q.stop], u[..., at], anchors[..., q]
        mode = np.full(worst.shape, one.mode) if modes is None else modes[..., model.joint_index(one.joint)]
        if one.size and np.any(mode == LOCKED):
            off = np.maximum(one.distance(has, np.broadcast_to(anchor, has.shape)), _largest(rate, 0.0 * rate))
            worst = np.where(mode == LOCKED, np.maximum(worst, off), worst)
        if np.any(mode == PRESCRIBED):
            assert one.given is not None
            instants, which = np.unique(times, return_inverse=True)  # most are the same for all robots
            value, speed = (part[which.reshape(times.shape)] for part in one.over_times(instants)[:2])
            shifted = value if modes is None else one.shifted(value, anchor)
            off = np.maximum(one.distance(has, shifted), _largest(rate, speed))
            worst = np.where(mode == PRESCRIBED, np.maximum(worst, off), worst)
    return worst


def _largest(has: Array, wanted: Array) -> Array:
    return (np.abs(has - wanted) / (1.0 + np.abs(wanted))).max(axis=-1)


class Switcher:
    """Changes modes of joints of a stepper, with the impulses that go with it.

    Parameters
    ----------
    model : Model
        The robot.
    joints : list of Prescribed
        Its joints that may be held, in the order of the stepper's.
    """

    def __init__(self, model: Model, joints: list[Prescribed]):
        self._model, self._joints = model, joints

    def modes(self, stepper: Any) -> list[tuple[Prescribed, float]]:
        """The joints that may be held, with their present modes."""
        return list(zip(self._joints, self._modes(stepper), strict=True))

    def held(self, stepper: Any) -> list[str]:
        """Names of the joints that are not free now."""
        return [one.joint for one, mode in self.modes(stepper) if mode != FREE]

    def obey(self, stepper: Any) -> None:
        """Switch to the modes that laws ask for; raise if there is no such mode."""
        present = self._modes(stepper)
        first = int(stepper.plan[p.M_MODE]) + len(present)
        wanted, changes = stepper.memory[first : first + len(present)], {}
        for i in np.flatnonzero(wanted != present):
            one, mode = self._joints[i], float(wanted[i])
            if mode not in MODE_NAMES:
                raise InputError(
                    f"a law commands the mode {mode:g} for joint '{one.joint}'; there are FREE, LOCKED, PRESCRIBED"
                )
            changes[one.joint] = MODE_NAMES[int(mode)]
        self.switch(stepper, changes, {})

    def switch(self, stepper: Any, modes: Mapping[str, str], rates: Mapping[str, Array]) -> None:
        """New modes of some joints; the rates that they must have, or that are given, come by an impulse."""
        present, t = self._modes(stepper), float(stepper.clock[p.T])
        place = {one.joint: i for i, one in enumerate(self._joints)}
        state = self.state(stepper)
        model = state.model
        for joint, name in modes.items():
            one = self._joints[place[joint]]
            mode: float = mode_number(joint, name, one.given is not None)
            q = model.q_slice(joint)
            anchor = np.zeros(q.stop - q.start)
            if mode == LOCKED:
                anchor = state.q[q]
            elif mode == PRESCRIBED:
                anchor = one.shift_to(one.at(t)[0], state.q[q])
            at = int(stepper.plan[p.M_ANCHOR])
            stepper.memory[at + q.start : at + q.stop] = anchor
            present[place[joint]] = mode
            first = int(stepper.tree[k.RATE_AT])
            for j in range(model.u_slice(joint).start, model.u_slice(joint).stop):
                stepper.tree[first + j * k.RATE_INTS + k.RATE_GIVEN] = mode != FREE
        wanted = {}
        for one, mode in self.modes(stepper):
            if mode != FREE:
                wanted[one.joint] = np.zeros(one.size) if mode == LOCKED else one.at(t)[1]
        after = velocities_after(model, state, {**wanted, **rates})
        stepper.set_rates(after.u[:, None])
        work = int(stepper.plan[p.Y_NOW]) + int(stepper.plan[p.SIZE]) - 1
        stepper.work[work] += float(kinetic_energy(model, after) - kinetic_energy(model, state))
        stepper.counters[p.C_FRESH] = 0
        stepper.choose_tolerances()

    def state(self, stepper: Any) -> State:
        """Where a stepper of one robot stands."""
        return stepper.state()

    def _modes(self, stepper: Any) -> Array:
        """Of all joints that may be held, in the stepper's memory."""
        first = int(stepper.plan[p.M_MODE])
        return stepper.memory[first : first + len(self._joints)]


def velocities_after(model: Model, state: State, rates: Mapping[str, Array]) -> State:
    """The state just after impulses at some joints have given them these rates; all others are free to react.

    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.state(qd=[0.3, -0.2, 0.4, 0.1])
    >>> after = velocities_after(robot, state, {"joint3": np.zeros(1)})
    >>> float(after.qd[2]), bool(np.ptp([sd.momentum(robot, x, about="com")[5] for x in (state, after)]) < 1e-12)
    (0.0, True)
    """
    change = np.zeros(model.nv)
    for joint, rate in rates.items():
        at = model.u_slice(joint)
        change[at] = rate - state.u[at]
    if not np.any(change):
        return state
    still = State(model, np.concatenate([state.x, np.zeros(model.nv)]))
    u = state.u + hybrid_dynamics(model, still, list(rates), change, passive=False).udot
    for joint, rate in rates.items():
        u[model.u_slice(joint)] = rate
    return State(model, np.concatenate([state.x, u]))
