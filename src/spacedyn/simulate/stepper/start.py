"""Initial values of a stepper's arrays: integrated vector, joint modes, clock, tolerances, scratch memory."""

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
    """`memory` at the start: zeros, the joints' modes, and the coordinates at which they are held."""
    kept = np.zeros(doubles)
    for i, one in enumerate(prescribed):
        kept[plan[p.M_MODE] + i] = one.mode
        if plan[p.MODES] and one.mode != p.MODE_FREE:
            q = model.q_slice(one.joint)
            anchor = state.q.reshape(model.nq)[q] if one.mode == p.MODE_LOCKED else one.no_shift
            kept[plan[p.M_ANCHOR] + q.start : plan[p.M_ANCHOR] + q.stop] = anchor
    return kept


def first_work(plan: Array, tree: Array, state: State, prepared: Prepared, scalars: int, lanes: int) -> Array:
    """`work` at the start: the robots' states and the internal states; spare lanes repeat the last robot."""
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
        work[plan[p.Y_RANK]] = -1.0  # independent rows are chosen at the first solution
    for name, part in prepared.layout.states.items():
        if name in state.internal:
            given = state.internal[name].reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
            work[first + part.start : first + part.stop] = given.T
    return work.reshape(-1)


def put_own_step(plan: Plan, method: Method, scalars: int, layout: Layout, lanes: int) -> Array:
    """Put the addresses of a method that has its own step function; return its scratch memory."""
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
    memory[:] = 0.0  # numbers that nothing writes must have zero tangents
    return memory


def _steps(method: Any, duration: float) -> tuple[float, float]:
    """First and largest step; the end of the run must affect only the last step, so that longer runs agree."""
    if not method.adaptive:
        return method.step, method.step
    return min(method.first_step or 1e-3, method.max_step, duration), method.max_step


def tolerances_of(layout: Layout, state: State, method: Any, joints: Sequence[Prescribed]) -> Array:
    """Absolute and relative tolerance of each number of y, zero for numbers without error control; -1 for a fixed step.

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
            # dissipated energy may have a kink where no force has one, as when a joint leaves a spent end stop
            scale[layout.in_y("dissipated")] = tolerance
        for part in moved:  # the work of a given motion may be the only integrated number that changes with it
            scale[layout.in_y("joint_work")][part] = tolerance
    return scale


def groups_of(layout: Layout) -> Array:
    """The group of each number of y: errors are normed group by group, so that none hides another.

    Group 0 is the robot, laws and most elements; an element whose states have other magnitudes, such as an orbit, has
    one group for each block of states.
    """
    groups = np.zeros(end_of(layout.y))
    first, last = layout.y["states"].start, 0
    for name, one in zip(layout.names, layout.elements, strict=True):
        for block in one.states if one.own_norms else ():
            part, last = layout.states[f"{name}.{block.name}"], last + 1
            groups[first + part.start : first + part.stop] = last
    return groups
