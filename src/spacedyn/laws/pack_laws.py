"""Laws over packs: a second C function of a law, which is called once for all robots of a pack.

What the law sees and writes are then arrays of packs (kernels/scalar/pack.py), one number of all robots each; its
parameters and the time are numbers as before. Lanes never mix, and each does what the law alone would do, to the bit. A
law that branches on values, or calls functions that packs do not have, has no such code, and is called robot by robot.
"""

import dis
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import config
from numba.core.errors import NumbaError, NumbaWarning
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from ..kernels.scalar.compiling import Address
from ..kernels.scalar.pack import LANES, pack
from .checks import VERSION, LawCompiler
from .compile import NONE, OPTIONS, SIGNATURE, Compiled, Elements, read_only, source_of, wrapper_of
from .fingerprint import fingerprint
from .law import Law

_BRANCHES = ("COMPARE_OP", "CONTAINS_OP", "IS_OP", "_IF_", "MAKE_FUNCTION", "LOAD_METHOD")
_CALLED = ("range", "len")
_known: dict[str, Compiled | None] = {}


def compile_over_packs(law: Law, elements: Elements = NONE) -> Compiled | None:
    """The law's C function over packs; None if it is sampled, may branch on values, or does not compile."""
    if law.period is not None or config.DISABLE_JIT or not is_straight(law.function):
        return None
    source, fields = source_of(law, elements)
    key = fingerprint(law.function, f"{OPTIONS} {VERSION} {LANES} lanes {source}")
    if key is None:
        return None
    if key not in _known:
        _known[key] = _native(law, source, fields, key)
    return _known[key]


def is_straight(function: Callable) -> bool:
    """Whether a function has loops at most, calls nothing but `range` and `len`, and refers to numbers alone."""
    calls = 0
    for step in dis.get_instructions(function):
        if any(word in step.opname for word in _BRANCHES):
            return False
        calls += step.opname.startswith("CALL")
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            if step.argval in _CALLED:
                calls -= 1
            elif not isinstance(getattr(function, "__globals__", {}).get(step.argval), int | float):
                return False
    return calls <= 0


def _native(law: Law, source: str, fields: dict[str, Any], key: str) -> Compiled | None:
    """The law as machine code over packs; None if packs cannot do what it does."""
    try:
        function = numba.njit(pipeline_class=LawCompiler, **OPTIONS)(law.function)
        wrapper = wrapper_of(source, fields, function, numba.carray, read_only, pack_array)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            code = Address(wrapper, SIGNATURE, f"{law.role.what}-{law.name}-packs-{key}")
        return Compiled(code.address, code)
    except (NumbaError, NotImplementedError, TypeError, ValueError, AttributeError):  # it gives up with these
        return None


@intrinsic
def pack_array(context: Any, pointer: Any, shape: Any) -> Any:
    """As `carray`, an array of packs, which need not be aligned in memory."""
    array = types.Array(pack, 1, "C", aligned=False)

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = make_array(sig.return_type)(context, builder)
        data = builder.bitcast(args[0], context.get_data_type(pack).as_pointer())
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(pack)))
        count = context.cast(builder, builder.extract_value(args[1], 0), sig.args[1].dtype, types.intp)
        populate_array(made, data=data, shape=[count], strides=[size], itemsize=size, meminfo=None)
        return made._getvalue()

    return array(pointer, shape), make
