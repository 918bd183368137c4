"""`sim`: a simulation's arrays as one value, the first argument of every kernel: `sim.tree`, `sim.work`, ...

C functions take the address of a table of the arrays' addresses, `own`; `sim_at` makes the value of it. A simulation
whose right-hand side is also evaluated on dual numbers has a twin: the same arrays, but for `work`, which holds duals.
"""

from collections import namedtuple
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from ..robot.descriptions import lanes_pointer

Sim = namedtuple("Sim", "tree par work plan numbers memory counters clock own")
"""tree, par: the robot (robot/layout.py); work: scalars; plan, numbers, memory, counters, clock: sim/layout.py."""

TWIN = 8  # in the table, behind the eight arrays
_doubles, _integers = types.CPointer(types.float64), types.CPointer(types.int64)
OWN = _integers
_PLAIN = _integers, _doubles, _doubles, _integers, _doubles, _doubles, _integers, _doubles, _integers
_VARIED = _integers, lanes_pointer, *_PLAIN[2:]
_arrays_by_id: WeakValueDictionary[int, np.ndarray] = WeakValueDictionary()
"""With the JIT switched off: arrays by what stands for their addresses."""


def table_of(arrays: Any, twin: Any = None) -> np.ndarray:
    """The table of these arrays' addresses, good as long as the arrays live; `twin`: the table of the twin."""
    return np.array([_address(array) for array in (*arrays, *(() if twin is None else (twin,)))], dtype=np.int64)


def _address(array):
    if not config.DISABLE_JIT:
        return array.ctypes.data
    _arrays_by_id[id(array)] = array
    return id(array)


def sim_at(own):
    """The simulation whose table is at `own`."""
    return Sim(*(_arrays_by_id[int(one)] for one in own[:TWIN]), own)


def varied_sim_at(own):
    """The simulation at `own`, for a pack whose robots differ in parameters."""
    return sim_at(own)


def twin_of(own):
    """The table of a simulation's twin."""
    return _arrays_by_id[int(own[TWIN])]


@type_callable(sim_at)
def _type_sim_at(context):
    return lambda own: types.NamedTuple(_PLAIN, Sim)


@type_callable(varied_sim_at)
def _type_varied_sim_at(context):
    return lambda own: types.NamedTuple(_VARIED, Sim)


@type_callable(twin_of)
def _type_twin_of(context):
    return lambda own: OWN


def _address_at(builder, own, k, pointer):
    place = builder.gep(own, [ir.Constant(ir.IntType(64), k)])
    value = builder.load(place, typ=ir.IntType(64))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return builder.inttoptr(value, pointer)


@lower_builtin(sim_at, types.CPointer)
@lower_builtin(varied_sim_at, types.CPointer)
def _lower_sim_at(context, builder, sig, args):
    kinds = [context.get_value_type(kind) for kind in sig.return_type.types]
    arrays = [_address_at(builder, args[0], k, kind) for k, kind in enumerate(kinds[:TWIN])]
    return context.make_tuple(builder, sig.return_type, [*arrays, args[0]])


@lower_builtin(twin_of, types.CPointer)
def _lower_twin_of(context, builder, sig, args):
    return _address_at(builder, args[0], TWIN, args[0].type)
