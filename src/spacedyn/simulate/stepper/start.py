"""Where a stepper starts: memory of the integration, modes of joints, clock, tolerances, scratch memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import config

from ...elements.prescribed import Prescribed
from ...kernels.methods.radau import implicit_address, memory_of
from ...kernels.methods.variational import variational_address
from ...kernels.scalar.compiling import address_of
from ...kernels.scalar.memory import ZEROS
from ...kernels.scalar.pack import LANES
from ...kernels.sim import layout as p
from ...kernels.simulation.right_hand_side import tangent_flow_address
from ...kernels.simulation.time_stepping import stepping_address
from ...model.flatten import aligned
from ...model.model import Model, robot_of
from ...model.state import State
from ...quantities.momentum import kinetic_energy, potential_energy
from ..layout import Layout, end_of
from ..methods import Method
from .prepared import Plan, Prepared
from .present import in_other_axes

Array = np.ndarray


def first_clock(method: Method, t0: float, t1: float) -> Array:
    """Times and step sizes at the start."""
    clock = np.zeros(p.CLOCK)
    clock[[p.T, p.T_START, p.T_END]] = t0, t0, t1
    clock[p.ERROR_BEFORE], clock[p.ORDER] = 1e-4, max(method.error_order, 1)
    clock[p.H], clock[p.H_MAX] = _steps(method, t1 - t0)
    return clock


def first_memory(plan: Array, model: Model, state: State, prescribed: list[Prescribed], doubles: int) -> Array:
    """What the driver keeps from step to step; at the start, the joints' modes and where they are held."""
    kept = np.zeros(doubles)
    for i, one in enumerate(prescribed):
        kept[plan[p.M_MODE] + i] = one.mode
        if plan[p.MODES] and one.mode != p.MODE_FREE:
            q = model.q_slice(one.joint)
            anchor = state.q.reshape(model.nq)[q] if one.mode == p.MODE_LOCKED else one.no_shift
            kept[plan[p.M_ANCHOR] + q.start : plan[p.M_ANCHOR] + q.stop] = anchor
    return kept


def first_work(plan: Array, tree: Array, state: State, prepared: Prepared, scalars: int, lanes: int) -> Array:
    """Memory of the integration, with the robots' states and the internal ones; lanes to spare repeat one."""
    model, internal = state.model, int(plan[p.INTERNAL])
    nx, nv, origin, now = 7 + model.nq, model.nv, int(plan[p.Y_ORIGIN]), int(plan[p.Y_NOW])
    work = aligned(scalars * lanes).reshape(scalars, lanes)
    work[:] = 0.0
    rows = state._data.reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
    work[origin : origin + nx] = rows[:, :nx].T
    work[now + nv : now + 2 * nv] = in_other_axes(tree, rows[:, 3:7].T, rows[:, nx:].T, -1.0)
    simulation, first = prepared.simulation, now + 2 * nv
    starts = [*(law.initial_states() for law in simulation.laws)]
    starts += [one.start_values(robot_of(model, 0)) for one in simulation.elements]
    work[first : first + internal] = np.concatenate([np.empty(0), *starts])[:, None]
    if plan[p.ROWS]:
        work[plan[p.Y_RANK]] = -1.0  # the independent rows are chosen where they are first solved
    for name, part in prepared.layout.states.items():
        if name in state.internal:
            given = state.internal[name].reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
            work[first + part.start : first + part.stop] = given.T
    return work.reshape(-1)


def put_own_step(plan: Plan, method: Method, scalars: int, layout: Layout, lanes: int) -> Array:
    """Scratch memory, and in the plan the addresses, of a method that is more than a tableau."""
    duals = 0
    if method.kind == p.IMPLICIT:
        duals = scalars if config.DISABLE_JIT else scalars * (1 + LANES)
        plan.set(STEPPER=implicit_address().address, TANGENT_FLOW=tangent_flow_address().address)
    elif method.kind == p.VARIATIONAL:
        plan.set(STEPPER=variational_address().address)
    elif method.kind == p.TIME_STEPPING:
        form = "one" if lanes == 1 else "varied" if layout.model.flat.robots else "pack"
        plan.set(STEPPER=stepping_address(form).address)
    counted = layout.y["states"].stop
    spare = scratch(duals + memory_of(counted, end_of(layout.y)) if duals else 1)
    plan.set(SPARE=address_of(spare), S_MATRIX=duals)
    return spare


def scratch(numbers: int) -> Array:
    """Memory for duals and numbers, all zero; with the JIT switched off, duals are Python's objects."""
    if config.DISABLE_JIT:
        return np.array([ZEROS[bool]] * numbers, dtype=object)
    memory = aligned(numbers)
    memory[:] = 0.0  # what laws do not look at is never written, and has no tangents
    return memory


def _steps(method: Any, duration: float) -> tuple[float, float]:
    """First and largest step; where it ends makes no difference to a run but for its last step."""
    if not method.adaptive:
        return method.step, method.step
    return min(method.first_step or 1e-3, method.max_step, duration), method.max_step


def tolerances_of(layout: Layout, state: State, method: Any, joints: Sequence[Prescribed]) -> Array:
    """Absolute and relative tolerance of each number of y, zero where none is kept; negative for a fixed step.

    `joints`: those that are or may be held.
    """
    if not method.adaptive:
        return np.full((1, 2), -1.0)
    model, counted = state.model, layout.y["states"].stop
    scale = np.zeros((end_of(layout.y), 2))
    scale[:counted] = method.atol, method.rtol
    # positions are measured from the step's start, where they are zero: relative to one radian or metre
    scale[: model.nv] = method.atol + method.rtol, 0.0
    moved = [model.qd_slice(one.joint) for one in joints if one.given is not None and method.judges_works]
    if model.flat.passive or moved:
        energy = np.mean(kinetic_energy(model, state) + potential_energy(model, state))
        tolerance = method.atol + method.rtol * energy, method.rtol
        if model.flat.passive:
            # what joints dissipate may bend where no force does, so that only this shows: when a spent end stop is left
            scale[layout.in_y("dissipated")] = tolerance
        for part in moved:  # whatever moves it: nothing else that is integrated may show how quickly it does
            scale[layout.in_y("joint_work")][part] = tolerance
    return scale


def groups_of(layout: Layout) -> Array:
    """The group of each number of y: groups are judged apart, so that none hides another.

    The robot, laws and elements are the first; an element whose states are of other magnitudes, such as an orbit, has a
    group for each of their blocks.
    """
    groups = np.zeros(end_of(layout.y))
    first, last = layout.y["states"].start, 0
    for name, one in zip(layout.names, layout.elements, strict=True):
        for block in one.states if one.own_norms else ():
            part, last = layout.states[f"{name}.{block.name}"], last + 1
            groups[first + part.start : first + part.stop] = last
    return groups
