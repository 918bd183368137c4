"""How public functions call kernels: checked states and operands as rows, scratch memory, errors for bad input."""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite, prod
from typing import Any

import numpy as np
from numba.core import config

from ..errors import InputError
from ..kernels.robot import forward_dynamics as _forward
from ..kernels.robot import layout as k
from ..kernels.scalar.pack import LANES, ONE, PACK
from ..model.flatten import Frames, aligned, in_packs
from ..model.model import Model
from ..model.state import FlatState, State
from ..reals import real_numbers, refuse_overflow, type_name

Array = np.ndarray
NOTHING = np.empty(0)
_FLOAT64 = np.dtype(np.float64)
_empty = np.empty  # looked up here: every call would take as long to find it as to check an argument
_FEW_NUMBERS = 50  # numbers that Python looks through faster than NumPy


def scalar_kind(count: int) -> tuple[Any, int]:
    """The scalar kind with which to run a kernel on `count` robots, and the lanes of its scratch memory."""
    return (ONE, 1) if count == 1 or config.DISABLE_JIT else (PACK, LANES)


def check_model(model: Model) -> None:
    """Raise InputError unless it is a Model."""
    if not isinstance(model, Model):
        raise InputError(f"the first argument must be a Model, got {type_name(model)}")


def check_state(model: Model, state: State) -> FlatState:
    """The state as the kernels take it; raises unless it is one of this model."""
    if type(state) is State:  # the common call, kept short
        flat = state._flat
        if flat is not None and flat.model is model:
            return flat
    check_model(model)
    if not isinstance(state, State):
        raise InputError(
            f"the second argument must be a State of '{model.name}', made by model.state(...), got {type_name(state)}"
        )
    if state.model is not model and state.model != model:
        raise InputError(_foreign_state(model, state))
    if state._flat is None:
        state._flat = FlatState(state)
    return state._flat


def _foreign_state(model: Model, state: State) -> str:
    """That a state belongs to another robot; those that are called the same are told apart."""
    told = f"this is a state of model '{state.model.name}', not of '{model.name}'"
    if state.model.name == model.name:
        told = f"this is a state of another model that is called '{model.name}', too"
        shapes = [getattr(one, "shape", ()) for one in (state.model, model)]
        if shapes[0] != shapes[1]:
            kinds = ["one robot" if not shape else f"a fleet of shape {shape}" for shape in shapes]
            told = f"this is a state of '{model.name}' as {kinds[0]}, not as {kinds[1]}"
    return f"{told}; make one by model.state(...) of the model that is given here"


def operand(name: str, value: Any, width: int, state: State | FlatState) -> Array:
    """An argument (…, width) as flat rows, one for each robot of the state."""
    if type(value) is Array and value.dtype is _FLOAT64 and value.flags.carray:
        if not state.shape and value.ndim == 1 and len(value) == width:
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


def finite_operand(name: str, value: Any, width: int, state: State | FlatState) -> Array:
    """An `operand` (…, width), checked, as an array over the state's batch axes."""
    rows = operand(name, value, width, state)
    if not all_finite(rows):
        row, column = divmod(int(np.flatnonzero(~np.isfinite(rows))[0]), width)
        raise _no_number(name, rows[row * width + column], column, "", state, row)
    return rows.reshape(*state.shape, width) if state.shape else rows


def all_finite(rows: Array) -> bool:
    """Whether every number of a flat array is finite."""
    return all(map(isfinite, rows.tolist())) if rows.size < _FEW_NUMBERS else bool(np.isfinite(rows).all())


finite_results = refuse_overflow("a number is too large, or the mass matrix is singular in this pose")
"""Decorator for functions that compute with NumPy: InputError where large numbers overflow."""


def vector(name: str, value: Any, example: str) -> Array:
    """Three finite numbers as a new array."""
    array = real_numbers(name, value, "(3,)")
    if array.shape != (3,):
        raise InputError(f"{name}: expected shape (3,), {example}, got {array.shape}")
    if not all(map(isfinite, array.tolist())):
        raise InputError(f"{name}: expected finite numbers, {example}, got {array.tolist()}")
    return array.astype(float)


def passive_option(model: Model, passive: Any) -> int:
    """The kernels' option for forces of joints' own springs, dampers, friction and stops, if there are any."""
    if passive is not True and passive is not False and not isinstance(passive, np.bool_):
        raise InputError(f"passive: expected True or False, got {type_name(passive)}")
    return k.PASSIVE_FORCES if model.flat.passive and passive else 0


def gravity_vector(gravity: Any) -> Array:
    """The acceleration of gravity (3,), inertial axes."""
    return np.zeros(3) if gravity is None else vector("gravity", gravity, "such as (0, 0, -9.81)")


def with_wrenches(model: Model, state: State | FlatState, rows: Array, base: Any, endpoints: Any) -> Array:
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


def _wrench_array(model: Model, state: State | FlatState, wrenches: Any) -> Array:
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


def beside(state: State | FlatState, *columns: Array) -> Array:
    """Flat rows from several arrays of rows."""
    return np.concatenate([c.reshape(state.count, c.size // max(state.count, 1)) for c in columns], axis=1).reshape(-1)


def for_robots(count: int, kernel: Callable, *arguments: Any) -> Any:
    """Call an entry point on `count` robots; for 0 robots nothing is called or compiled."""
    return kernel(*arguments) if count else True


def run_on_states(
    kernel: Callable,
    state: FlatState,
    operands: tuple[Any, ...],
    options: tuple[int, ...],
    shape: tuple[int, ...],
    room: int = 0,
    par: Array | None = None,
    tables: int = 0,
    in_packs: bool = True,
) -> Array:
    """Call an entry point on one state or a batch, with operands and options.

    Parameters
    ----------
    kernel
        `kernel(tree, par, work, state, *operands, out, count, *options, kind)`.
    state
        Checked.
    operands, options
        Flat arrays of rows, one for each state, and integers, that this kernel takes.
    shape, room : tuple of int, int
        Of the result for one state, and scalars of scratch memory that the kernel needs for its output.
    par : optional
        Instead of the model's own.
    tables : int
        How many of the last operands are no rows, but tables that hold for all states.
    in_packs : bool
        Whether a batch is done in packs; one after the other if not, which takes longer but may save compiling.

    Returns
    -------
    (…, *shape)
        Of no robots at all, an empty array: nothing is compiled for them.
    """
    flat = state.flat
    if par is None:
        par = flat.par
    if state.shape:
        return _run_on_batch(
            kernel, state, operands, options, shape, room, par, flat.tree, tables=tables, in_packs=in_packs
        )[0]
    spare = flat.spare[room]
    try:
        work = spare.pop()
    except IndexError:  # none yet, or in the hands of other threads
        work = flat.scratch(1, room)
    out = _empty(shape)
    kernel(flat.tree, par, work, state.rows, *operands, out.ravel(), 1, *options, ONE)
    spare.append(work)
    return out


def _run_on_batch(
    kernel: Callable,
    state: FlatState,
    operands: tuple[Any, ...],
    options: tuple[int, ...],
    shape: tuple[int, ...],
    room: int,
    par: Array,
    tree: Array,
    *,
    tables: int = 0,
    in_packs: bool = True,
) -> tuple[Array, Any]:
    """`run_on_states` for a batch, and what the kernel returned; `tree` may be another than the model's own."""
    flat, count, width = state.flat, state.count, prod(shape)
    kind, lanes = scalar_kind(count if in_packs else 1)
    out, work = aligned(count * width), flat.scratch(lanes, room)
    if flat.robots in (0, count):  # nothing differs, or each row is of another robot
        answer = for_robots(count, kernel, tree, par, work, state.rows, *operands, out, count, *options, kind)
    else:
        first = len(operands) - tables
        rows = (state.rows, *operands[:first], out)
        answer = _in_rounds(kernel, (tree, par, work), rows, operands[first:], flat.robots, count, (*options, kind))
    return out.reshape(*state.shape, *shape), answer


def _in_rounds(
    kernel: Callable,
    before: tuple[Any, ...],
    rows: tuple[Array, ...],
    tables: tuple[Any, ...],
    robots: int,
    count: int,
    after: tuple[Any, ...],
) -> bool:
    """Call an entry point on rows that repeat the robots of a fleet, one call for each repetition."""
    parts = in_parts(count // robots, rows)
    return all([kernel(*before, *given, *tables, out, robots, *after) for *given, out in parts])


def in_parts(count: int, rows: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """Split arrays of rows into `count` equal parts."""
    for i in range(count):
        yield tuple(array[array.size // count * i : array.size // count * (i + 1)] for array in rows)


def run_dynamics(
    kernel: Callable,
    state: FlatState,
    loads: Array,
    width: int,
    options: int,
    gravity: Any,
    tree: Array | None = None,
) -> Array:
    """Call the entry point of forward or inverse dynamics; rows (…, width)."""
    flat = state.flat
    par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
    if tree is None:
        tree = flat.tree
    if state.shape:
        out, finite = _run_on_batch(kernel, state, (loads,), (options,), (width,), 0, par, tree)
    else:  # what is called most often: as `run_on_states` does it, without tuples to take apart
        spare, out = flat.spare[0], _empty(width)
        try:
            work = spare.pop()
        except IndexError:
            work = flat.scratch(1)
        finite = kernel(tree, par, work, state.rows, loads, out, 1, options, ONE)
        spare.append(work)
    if not finite:
        raise _not_finite(state.model, state, loads, options, forward=kernel is _forward.run)
    return out


def _not_finite(model: Model, state: State | FlatState, loads: Array, options: int, *, forward: bool) -> InputError:
    """The error for a result that is not finite; it names the argument and joint at fault, or the pose."""
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


def _no_number(name: str, value: Any, index: Any, whose: str, state: State | FlatState, row: int) -> InputError:
    place = tuple(int(i) for i in np.unravel_index(row, state.shape)) if state.shape else ()
    robot = f" of robot {place}" if place else ""
    return InputError(f"{name}: {value} at index {index}{whose}{robot}; every number must be finite")


def _whose(model: Model, rate: int) -> str:
    """The joint that a joint rate belongs to, in brackets; negative ones are the base's."""
    if rate < 0:
        return f" (base '{model.bodies[0].name}')"
    return next(f" (joint '{j.name}')" for j in model.joints if model.qd_slice(j.name).stop > rate)


def _flat_index(robot: list[int], state: State | FlatState) -> int:
    return int(np.ravel_multi_index(tuple(robot), state.shape)) if state.shape else 0


def endpoint_frame(model: Model, name: Any) -> Frames:
    """An endpoint as the kernels' table of one frame; made once for each."""
    check_model(model)
    known = model.flat.endpoints
    if type(name) is not str or name not in known:
        endpoint = model.endpoint(name)
        name, body = endpoint.name, model.body_index(endpoint.body)
        known[name] = frames(model, [body], endpoint.position[..., None, :], endpoint.rotation[..., None, :, :])
    return known[name]


def centroid_frame(model: Model, name: Any) -> Frames:
    """The centre of mass of a body as the kernels' table of one frame; made once for each."""
    check_model(model)
    known = model.flat.centroids
    if type(name) is not str or name not in known:
        body, index = model.body(name), model.body_index(name)
        name = body.name
        known[name] = frames(model, [index], body.com[..., None, :], np.eye(3)[None])
    return known[name]


def frames(model: Model, bodies: list[int], positions: Array, rotations: Array) -> Frames:
    """Frames on bodies, given in the bodies' own axes: positions (frames, 3) and rotations (frames, 3, 3).

    Of robots that differ they may have batch axes before these.
    """
    flat, count = model.flat, len(bodies)
    turn, offset = flat.to_internal[bodies], flat.offset[:, bodies]
    points = offset + np.einsum("fij,...fj->...fi", turn, positions).reshape(-1, count, 3)
    axes = (turn @ rotations).reshape(-1, count, 9)
    robots = max(len(points), len(axes))
    both = np.broadcast_to(points, (robots, count, 3)), np.broadcast_to(axes, (robots, count, 9))
    return Frames(flat.order[bodies], _table(points), _table(np.concatenate(both, axis=-1)))


def point_on(model: Model, body: int, point: Array) -> tuple[Array, Array]:
    """A point of a body, in the body's own axes, as `Frames` has its body and its position."""
    place, turn = model.flat.hosts[body]
    turned = turn.dot(point)
    return place, turned if body else _table(model.flat.offset[:, 0] + turned)  # only the base's frame is elsewhere


def _table(rows: Array) -> Array:
    """Numbers (1 or robots, …) as kernels take them: one row for all robots, or packs of those that differ."""
    return np.ascontiguousarray(rows).reshape(-1) if len(rows) == 1 else in_packs(rows.reshape(len(rows), -1))
