"""Changes of joint modes during a run: free, locked or prescribed; catching and releasing bodies.

    catch = sd.Event(sd.endpoints_within("hand", "handle", 0.02), direction=-1, action=sd.actions.attach("grip"))
    run = sd.simulate(robot, state, 60.0, events=[catch], modes={"latch": "locked"})

A joint that is locked while it moves, or that takes up a prescribed rate, does so by an impulse at that joint alone:

    H Δu = p,   Δu given at the joints that are held,   p = 0 at all others and at a base that is free

so the total momentum is conserved, and the lost energy is in the ledger. H includes the inertias that elements attach
to bodies. Two bodies that meet and stick together are modelled by locking the 'free' joint between them: all six
relative rates become zero.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..elements.element import Element
from ..elements.prescribed import MODES, Prescribed, mode_number
from ..errors import InputError, RunWarning, warn_user
from ..model.model import Model
from ..model.state import State
from ..quantities.dynamics import hybrid_dynamics
from ..quantities.momentum import center_of_mass, kinetic_energy, momentum
from .action_kinds import Impact, Switch
from .carried import with_carried
from .impacts import Change, after_impact, braking, reaction, reaction_with_rows, too_fast, whole_mass_matrix
from .joint_modes import FREE, LOCKED, PRESCRIBED

Array = np.ndarray
MODE_NAMES = {number: name for name, number in MODES.items()}


def deviations(
    model: Model, joints: list[Prescribed], times: Array, x: Array, u: Array, modes: Array | None, anchors: Array
) -> Array:
    """Largest deviation of held joints from their prescribed or locked motion, for each record and robot.

    Parameters
    ----------
    model, joints
        The robot, and its joints that may be held.
    times : (records, robots)
        [s].
    x, u : (records, robots, …)
        The states.
    modes : (records, robots, joints) or None
        Modes of all joints; None if modes do not change during the run.
    anchors : (records, robots, nq) or (robots, nq)
        Coordinates at which joints are locked; if modes may change, shifts of prescribed motions, too.

    Returns
    -------
    (records, robots)
        Deviation of coordinates and rates over 1 + their nominal magnitude.
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
    """Changes the modes of a stepper's joints, with the impulses that this takes.

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
        """The joints that may be held, each with its present mode."""
        return list(zip(self._joints, stepper.modes(), strict=True))

    def held(self, stepper: Any) -> list[str]:
        """Names of the joints that are not free now."""
        return [one.joint for one, mode in self.modes(stepper) if mode != FREE]

    def apply_commanded_modes(self, stepper: Any) -> None:
        """Switch joints to the modes that laws command; raise for an unknown mode."""
        present, wanted, changes = stepper.modes(), stepper.modes_asked(), {}
        for i in np.flatnonzero(wanted != present):
            one, mode = self._joints[i], float(wanted[i])
            if mode not in MODE_NAMES:
                raise InputError(
                    f"a law commands the mode {mode:g} for joint '{one.joint}'; sd.Mode has FREE, LOCKED, PRESCRIBED"
                )
            changes[one.joint] = MODE_NAMES[int(mode)]
        self.switch(stepper, Switch(changes))

    def switch(self, stepper: Any, action: Switch) -> None:
        """Switch modes of joints; an impulse gives them the rates that the new mode, or the action, prescribes."""
        present, t, modes, rates = stepper.modes(), stepper.time, action.modes, action.rates
        place = {one.joint: i for i, one in enumerate(self._joints)}
        state, attached, stored = stepper.state(), stepper.attached(), stepper.stored_energy()
        model, rows = state.model, stepper.rows()
        for joint, name in modes.items():
            one = self._joints[place[joint]]
            mode: float = mode_number(joint, name, one.given is not None)
            q = model.q_slice(joint)
            anchor = np.zeros(q.stop - q.start)
            if mode == LOCKED:
                anchor = state.q[q]
            elif mode == PRESCRIBED:
                anchor = one.shift_to(one.at(t)[0], state.q[q])
            stepper.anchors(q)[:] = anchor
            present[place[joint]] = mode
            stepper.hold(model.u_slice(joint), mode != FREE)
        wanted = {}
        for one, mode in self.modes(stepper):
            if mode != FREE:
                wanted[one.joint] = np.zeros(one.size) if mode == LOCKED else one.at(t)[1]
        after = velocities_after(model, state, {**wanted, **rates}, attached, rows)
        if action.arm:
            self._check_stopping(stepper, action, after, attached)
        _go_on(stepper, state, after, stored if attached else None)
        stepper.choose_tolerances()

    def apply_impact(self, stepper: Any, impact: Impact) -> bool:
        """Apply an impact between two bodies, attached masses included; return whether rates have changed."""
        state, attached, stored = stepper.state(), stepper.attached(), stepper.stored_energy()
        after = after_impact(state.model, state, impact, self.held(stepper), attached, stepper.rows())
        if after is not state:
            _go_on(stepper, state, after, stored if attached else None)
        return after is not state

    def apply_contact_impulses(self, stepper: Any, change: Change) -> None:
        """Set the rates after impulses of rigid contact; book dissipated energy and work by element and joint."""
        state, stored = stepper.state(), stepper.stored_energy()
        after = State(state.model, np.concatenate([state.x, change.rates]))
        jumps = any(type(one).jump is not Element.jump for one in stepper.layout.elements)
        _go_on(stepper, state, after, stored if jumps else None, change)

    def _check_stopping(self, stepper: Any, action: Switch, after: State, attached: Sequence[Any]) -> None:
        """Warn, or fail, if an arm cannot stop the body that it has just caught."""
        found = braking(after.model, after, action.arm, self.held(stepper), attached)
        limits = {name: float(np.min(after.model.joint(name).max_force)) for name in action.arm}
        said = too_fast(next(iter(action.modes)), found, limits)
        if said is not None and action.too_fast == "end":
            raise InputError(said)
        if said is not None:
            warn_user(f"at t = {stepper.time:g} s {said}", RunWarning)


def _go_on(stepper: Any, state: State, after: State, stored: float | None, change: Change | None = None) -> None:
    """Continue with the rates after an impulse within the robot, and book its energy.

    States of elements attached to bodies jump with the rates; `stored` is the elements' stored energy before.
    `change`: works and losses by element and joint; without it, the change of energy is work of the event.
    """
    model = state.model
    work, before = kinetic_energy(model, after) - kinetic_energy(model, state), _momentum(stepper, state)
    stepper.set_rates(after.u[:, None])
    if stored is not None:
        for i, element in enumerate(stepper.layout.elements):
            stepper.element_states(i)[:, 0] += element.jump(model, state, after)
        work += stepper.stored_energy() - stored
    if change is None:
        stepper.add_to_ledger("event_work", work)
    else:
        count = len(stepper.layout.elements)
        stepper.add_to_ledger("element_dissipated", _by_number(change.lost, count))
        stepper.add_to_ledger("element_work", _by_number(change.element_works, count))
        stepper.add_to_ledger("joint_work", change.joint_works[model.nv - stepper.layout.joints :])
    if stepper.layout.rows:  # rows to the inertial frame transmit impulses from outside
        stepper.add_to_ledger("impulse", _momentum(stepper, after) - before)
    stepper.forget_stage()
    stepper.forget_rows()


def _by_number(values: dict[int, float], count: int) -> Array:
    found = np.zeros(count)
    found[list(values)] = list(values.values())
    return found


def _momentum(stepper: Any, state: State) -> Array:
    """Momentum (6) of one robot including what elements carry, L about the centre of mass."""
    if not stepper.layout.rows:
        return np.zeros(6)
    both, carried = momentum(state.model, state, about="com"), stepper.carried()
    if not carried.size:
        return both
    return with_carried(state.model, state, center_of_mass(state.model, state), both, carried)[0]


def velocities_after(
    model: Model,
    state: State,
    rates: Mapping[str, Array],
    attached: Sequence[Any] = (),
    rows: tuple[Array, Array] | None = None,
) -> State:
    """The state just after impulses at the joints in `rates` have given them these rates; all others react freely.

    `attached`: inertias that elements attach to bodies; `rows`: J and rates of constraint rows, which react with
    impulses.

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
    closed = rows is not None and len(rows[0]) > 0
    if not np.any(change) and not closed:
        return state
    given = np.concatenate([np.empty(0, int), *(np.arange(model.nv)[model.u_slice(joint)] for joint in rates)])
    if rows is not None and closed:
        u = state.u + reaction_with_rows(whole_mass_matrix(model, state, attached), given, change, *rows)
    elif attached:
        u = state.u + reaction(whole_mass_matrix(model, state, attached), given, change)
    else:
        still = State(model, np.concatenate([state.x, np.zeros(model.nv)]))
        u = state.u + hybrid_dynamics(model, still, list(rates), change, passive=False).udot
    for joint, rate in rates.items():
        u[model.u_slice(joint)] = rate
    return State(model, np.concatenate([state.x, u]))
