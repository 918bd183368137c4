"""From a public call to a kernel: states and operands as rows, checked; scratch memory; what to say of bad input."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.core import config

from .errors import InputError
from .kernels.scalar import LANES, ONE, PACK
from .model.model import Model
from .model.state import State

Array = np.ndarray
NOTHING = np.empty(0)
_FLOAT64 = np.dtype(np.float64)


def scalar_kind(count: int) -> tuple[Any, int]:
    """How to run a kernel on so many robots: its kind, and the lanes of its scratch memory."""
    return (ONE, 1) if count == 1 or config.DISABLE_JIT else (PACK, LANES)


def check_state(model: Model, state: State) -> None:
    """Raise unless the state is one of this model."""
    if not isinstance(model, Model):
        raise InputError(f"the first argument must be a Model, got {type(model).__name__}")
    if not isinstance(state, State):
        raise InputError(f"expected a State of '{model.name}' (model.state(...)), got {type(state).__name__}")
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
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name}: expected real numbers of shape {_expected(state, width)}, got {array.dtype}")
    try:
        rows = np.broadcast_to(array, (*state.shape, width))
    except ValueError:
        raise InputError(f"{name}: expected shape {_expected(state, width)}, got {array.shape}") from None
    if array.shape[-1:] != (width,):
        raise InputError(f"{name}: expected shape {_expected(state, width)}, got {array.shape}")
    return np.array(rows, dtype=np.float64, order="C").reshape(-1)


def _expected(state: State, width: int) -> str:
    return f"({width},)" if not state.shape else f"({width},) or {(*state.shape, width)}"


def gravity_vector(gravity: Any) -> Array:
    """The acceleration of gravity (3,), inertial axes."""
    if gravity is None:
        return np.zeros(3)
    g = np.array(gravity, dtype=float)
    if g.shape != (3,) or not np.isfinite(g).all():
        raise InputError(f"gravity: expected 3 finite numbers, e.g. (0, 0, -9.81), got {gravity!r}")
    return g


def with_wrenches(model: Model, state: State, rows: Array, base: Any, endpoints: Any) -> Array:
    """The rows with wrenches on the base and at all endpoints added: 6 (1 + endpoints) more columns."""
    wrenches = np.zeros((*state.shape, 1 + len(model.endpoints), 6))
    if base is not None:
        wrenches[..., 0, :] = operand("base_wrench", base, 6, state).reshape(*state.shape, 6)
    if isinstance(endpoints, Mapping):
        for name, wrench in endpoints.items():
            place = 1 + model.endpoint_index(name)
            six = operand(f"wrench at endpoint '{name}'", wrench, 6, state)
            wrenches[..., place, :] = six.reshape(*state.shape, 6)
    elif endpoints is not None:
        given = np.asarray(endpoints)
        if given.shape[-2:] != (len(model.endpoints), 6):
            expected = f"{{name: (…, 6)}} or shape (…, {len(model.endpoints)}, 6)"
            raise InputError(f"endpoint_wrenches: expected {expected}, got {given.shape}")
        columns = 6 * len(model.endpoints)
        flat = operand("endpoint_wrenches", given.reshape(*given.shape[:-2], columns), columns, state)
        wrenches[..., 1:, :] = flat.reshape(*state.shape, len(model.endpoints), 6)
    if not np.isfinite(wrenches).all():
        raise InputError("a wrench holds a number that is not finite")
    return beside(state, rows, wrenches)


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
    if count == 1 or config.DISABLE_JIT:
        spare = flat.spare  # one robot's call is short enough for the allocation of scratch memory to show
        work = spare.pop() if spare else flat.scratch(1)
        rows = out if out.ndim == 1 else out.reshape(-1)
        finite = kernel(ints, par, work, state._rows, loads, rows, count, options, ONE)
        spare.append(work)
    else:
        finite = kernel(ints, par, flat.scratch(LANES), state._rows, loads, out.reshape(-1), count, options, PACK)
    if not finite:
        raise not_finite(model, state, loads)
    return out


def not_finite(model: Model, state: State, loads: Array) -> InputError:
    """The error for a result that is not finite: the number to blame, by joint, or the pose."""
    if not np.isfinite(loads).all():
        width = loads.size // state.count
        row, column = divmod(int(np.flatnonzero(~np.isfinite(loads))[0]), width)
        robot = f" of robot {tuple(int(i) for i in np.unravel_index(row, state.shape))}" if state.shape else ""
        return InputError(f"{loads[row * width + column]} in the forces or accelerations given{robot}, column {column}")
    return InputError(
        f"the result is not finite though all arguments are: the mass matrix of '{model.name}' is singular in this "
        "pose, or a number is too large"
    )


def run_on_states(kernel: Callable, model: Model, state: State, width: int, room: int, *options: int) -> Array:
    """Call an entry point `kernel(tree, par, work, state, out, count, *options, kind)`; its rows (…, width)."""
    flat = model.flat
    kind, lanes = scalar_kind(state.count)
    out = np.empty(state.count * width)
    kernel(flat.tree, flat.par, flat.scratch(lanes, room), state._rows, out, state.count, *options, kind)
    return out.reshape(*state.shape, width)


def frame_rows(
    model: Model, bodies: list[int], positions: Array, rotations: Array | None = None
) -> tuple[Array, Array]:
    """Frames on bodies, given in the bodies' own axes, as the kernels' table: bodies, and positions (rotations)."""
    flat = model.flat
    turn, offset = flat.to_internal[bodies], flat.offset[bodies]
    place = offset + np.einsum("fij,fj->fi", turn, positions)
    table = place if rotations is None else np.concatenate([place, (turn @ rotations).reshape(-1, 9)], axis=1)
    return flat.order[bodies], np.ascontiguousarray(table).reshape(-1)
