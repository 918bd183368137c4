"""From a public call to a kernel: states and operands as rows, checked; scratch memory; what to say of bad input."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numba.core import config

from .errors import InputError
from .kernels import forward_dynamics as _forward
from .kernels import tree as k
from .kernels.scalar import LANES, ONE, PACK
from .model.flatten import Flat, aligned, in_packs
from .model.model import Model
from .model.state import State

Array = np.ndarray
NOTHING = np.empty(0)
_FLOAT64 = np.dtype(np.float64)


def scalar_kind(count: int) -> tuple[Any, int]:
    """How to run a kernel on so many robots: its kind, and the lanes of its scratch memory."""
    return (ONE, 1) if count == 1 or config.DISABLE_JIT else (PACK, LANES)


def check_model(model: Model) -> None:
    """Raise unless it is one."""
    if not isinstance(model, Model):
        raise InputError(f"the first argument must be a Model, got {_type_name(model)}")


def check_state(model: Model, state: State) -> None:
    """Raise unless the state is one of this model."""
    check_model(model)
    if not isinstance(state, State):
        raise InputError(
            f"the second argument must be a State of '{model.name}', made by model.state(...), got {_type_name(state)}"
        )
    if state.model is not model and state.model != model:
        raise InputError(
            f"this is a state of model '{state.model.name}', not of '{model.name}'; make one by model.state(...)"
        )


def operand(name: str, value: Any, width: int, state: State) -> Array:
    """An argument (…, width) as flat rows, one for each robot of the state."""
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.flags.carray:
        if not state.shape and value.shape == (width,):
            return value  # the common call on one robot, kept short
        if value.shape == (*state.shape, width):
            return value.reshape(-1)
    expected = f"({width},)" if not state.shape else f"({width},) or {(*state.shape, width)}"
    array = real_numbers(name, value, expected)
    try:
        rows = np.broadcast_to(array, (*state.shape, width))
    except ValueError:
        raise InputError(f"{name}: expected shape {expected}, got {array.shape}") from None
    if array.shape[-1:] != (width,):
        raise InputError(f"{name}: expected shape {expected}, got {array.shape}")
    return np.array(rows, dtype=np.float64, order="C").reshape(-1)


def finite_operand(name: str, value: Any, width: int, state: State) -> Array:
    """An `operand` (…, width), checked, as an array over the state's batch axes."""
    rows = operand(name, value, width, state)
    if not np.isfinite(rows).all():
        row, column = divmod(int(np.flatnonzero(~np.isfinite(rows))[0]), width)
        raise _no_number(name, rows[row * width + column], column, "", state, row)
    return rows.reshape(*state.shape, width)


def real_numbers(name: str, value: Any, expected: str) -> Array:
    """Whatever was given as an array of integers or floats; `expected` is the shape to speak of."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(f"{name}: expected shape {expected}, got rows of different lengths") from None
    if array.dtype.kind not in "iuf":
        other = "a list of other things" if isinstance(value, list | tuple) else _type_name(value)
        got = {"c": "complex numbers", "U": "text", "S": "bytes", "b": "True or False"}.get(array.dtype.kind, other)
        raise InputError(f"{name}: expected real numbers of shape {expected}, got {got}")
    return array


def vector(name: str, value: Any, example: str) -> Array:
    """Three finite numbers as a new array."""
    array = real_numbers(name, value, "(3,)")
    if array.shape != (3,):
        raise InputError(f"{name}: expected shape (3,), {example}, got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name}: expected finite numbers, {example}, got {array.tolist()}")
    return array.astype(float)


def gravity_vector(gravity: Any) -> Array:
    """The acceleration of gravity (3,), inertial axes."""
    return np.zeros(3) if gravity is None else vector("gravity", gravity, "such as (0, 0, -9.81)")


def _type_name(value: Any) -> str:
    return "None" if value is None else "the class itself" if isinstance(value, type) else type(value).__name__


def with_wrenches(model: Model, state: State, rows: Array, base: Any, endpoints: Any) -> Array:
    """The rows with wrenches on the base and at all endpoints added: 6 (1 + endpoints) more columns."""
    wrenches = np.zeros((*state.shape, 1 + len(model.endpoints), 6))
    if base is not None:
        wrenches[..., 0, :] = finite_operand("base_wrench", base, 6, state)
    if isinstance(endpoints, Mapping):
        for name, wrench in endpoints.items():
            place = 1 + model.endpoint_index(name)
            wrenches[..., place, :] = finite_operand(f"wrench at endpoint {name!r}", wrench, 6, state)
    elif endpoints is not None:
        wrenches[..., 1:, :] = _wrench_array(model, state, endpoints)
    return beside(state, rows, wrenches)


def _wrench_array(model: Model, state: State, wrenches: Any) -> Array:
    """Wrenches at all endpoints, given as one array (…, endpoints, 6)."""
    count = len(model.endpoints)
    ways = f"{{name: (…, 6)}} or an array {(*state.shape, count, 6)}"
    array = real_numbers("endpoint_wrenches", wrenches, ways)
    if array.shape[-2:] != (count, 6) or array.ndim > len(state.shape) + 2:
        raise InputError(f"endpoint_wrenches: expected {ways}, got shape {array.shape}")
    try:
        rows = np.broadcast_to(array, (*state.shape, count, 6))
    except ValueError:
        raise InputError(f"endpoint_wrenches: expected {ways}, got shape {array.shape}") from None
    if not np.isfinite(rows).all():
        *robot, place, column = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        whose = f" (endpoint {model.endpoint_names[place]!r})"
        value = rows[*robot, place, column]
        raise _no_number("endpoint_wrenches", value, (place, column), whose, state, _flat_index(robot, state))
    return rows


def beside(state: State, *columns: Array) -> Array:
    """Flat rows from several arrays of rows."""
    return np.concatenate([c.reshape(state.count, c.size // max(state.count, 1)) for c in columns], axis=1).reshape(-1)


def run_dynamics(
    kernel: Callable, model: Model, state: State, loads: Array, width: int, options: int, gravity: Any, tree: Any = None
) -> Array:
    """Call the entry point of forward or inverse dynamics; rows (…, width)."""
    flat, count = model.flat, state.count
    par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
    out = np.empty((*state.shape, width)) if state.shape else np.empty(width)
    ints = flat.tree if tree is None else tree
    if count == 1 or (config.DISABLE_JIT and not flat.robots):
        try:
            work = flat.spare.pop()  # one robot's call is short enough for the allocation of scratch memory to show
        except IndexError:  # none yet, or in the hands of other threads
            work = flat.scratch(1)
        rows = out if out.ndim == 1 else out.reshape(-1)
        finite = kernel(ints, par, work, state._rows, loads, rows, count, options, ONE)
        flat.spare.append(work)
    else:
        (kind, lanes), rows, finite = scalar_kind(count), out.reshape(-1), True
        work = flat.scratch(lanes)
        for part, some in rounds(flat, count):
            finite &= kernel(ints, par, work, part(state._rows), part(loads), part(rows), some, options, kind)
    if not finite:
        raise _not_finite(model, state, loads, options, forward=kernel is _forward.run)
    return out


def _not_finite(model: Model, state: State, loads: Array, options: int, *, forward: bool) -> InputError:
    """The error for a result that is not finite: the number to blame, by joint, or the pose."""
    bad = np.flatnonzero(~np.isfinite(loads))
    if bad.size:
        width = loads.size // state.count
        row, column = divmod(int(bad[0]), width)
        index, base = column, 0 if forward else model.base_dof
        name = "tau" if forward else "udot"
        if forward and options & k.HYBRID and column >= width - model.nv:  # the last columns
            name, index, base = "udot", column - (width - model.nv), model.base_dof
        return _no_number(name, loads[bad[0]], index, _whose(model, index - base), state, row)
    return InputError(
        f"the result is not finite though all arguments are: the mass matrix of '{model.name}' is singular in this "
        "pose, or a number is too large"
    )


def _no_number(name: str, value: Any, index: Any, whose: str, state: State, row: int) -> InputError:
    place = tuple(int(i) for i in np.unravel_index(row, state.shape)) if state.shape else ()
    robot = f" of robot {place}" if place else ""
    return InputError(f"{name}: {value} at index {index}{whose}{robot}; every number must be finite")


def _whose(model: Model, rate: int) -> str:
    """The joint that a joint rate belongs to, in brackets; negative ones are the base's."""
    if rate < 0:
        return f" (base '{model.bodies[0].name}')"
    return next(f" (joint '{j.name}')" for j in model.joints if model.qd_slice(j.name).stop > rate)


def _flat_index(robot: list[int], state: State) -> int:
    return int(np.ravel_multi_index(tuple(robot), state.shape)) if state.shape else 0


def run_on_states(kernel: Callable, model: Model, state: State, width: int, room: int, *options: int) -> Array:
    """Call an entry point `kernel(tree, par, work, state, out, count, *options, kind)`; its rows (…, width)."""
    flat = model.flat
    if not state.shape:  # one robot's call is short enough for every allocation to show
        spare = flat.spare_with_room.setdefault(room, [])
        try:
            work = spare.pop()
        except IndexError:  # none yet, or in the hands of other threads
            work = flat.scratch(1, room)
        row = np.empty(width)
        kernel(flat.tree, flat.par, work, state._rows, row, 1, *options, ONE)
        spare.append(work)
        return row
    kind, lanes = scalar_kind(state.count)
    out, work = aligned(state.count * width), flat.scratch(lanes, room)
    for part, some in rounds(flat, state.count):
        kernel(flat.tree, flat.par, work, part(state._rows), part(out), some, *options, kind)
    return out.reshape(*state.shape, width)


def rounds(flat: Flat, count: int) -> Iterator[tuple[Callable[[Array], Array], int]]:
    """What a kernel is called with to do so many rows: a function that cuts arrays of rows, and how many it does then.

    Rows of robots that differ repeat these in their order: each call does all of them once.
    """
    times = count // flat.robots if flat.robots else 1
    for i in range(times):
        yield partial(_cut, times, i), count // times


def _cut(parts: int, i: int, rows: Array) -> Array:
    """An array of rows from the i-th of so many equal parts on."""
    return rows[rows.size // parts * i :]


def frame_rows(
    model: Model, bodies: list[int], positions: Array, rotations: Array | None = None
) -> tuple[Array, Array]:
    """Frames on bodies, given in the bodies' own axes, as the kernels' table: bodies, and positions (rotations).

    Positions (frames, 3) or, of robots that differ, (*shape, frames, 3); rotations likewise.
    """
    flat, frames = model.flat, len(bodies)
    turn, offset = flat.to_internal[bodies], flat.offset[:, bodies]
    place = offset + np.einsum("fij,...fj->...fi", turn, positions).reshape(-1, frames, 3)
    if rotations is not None:
        axes = (turn @ rotations).reshape(-1, frames, 9)
        robots = max(len(place), len(axes))
        both = np.broadcast_to(place, (robots, frames, 3)), np.broadcast_to(axes, (robots, frames, 9))
        place = np.concatenate(both, axis=-1)
    table = np.ascontiguousarray(place).reshape(len(place), -1)
    return flat.order[bodies], table.reshape(-1) if len(table) == 1 else in_packs(table)
