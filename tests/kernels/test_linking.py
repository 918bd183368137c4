"""Functions that only kernels call: typed once, linked into who calls them, without machine code of their own."""

import re

import numba
import numpy as np
import pytest
from numba.core import types

from spacedyn.kernels.scalar.compiling import OPTIONS, inner, outlined, rare, separate
from spacedyn.kernels.scalar.memory import load, pointer, store, zero_of
from spacedyn.kernels.scalar.pack import LANES, ONE, PACK


@pytest.fixture(params=[inner, outlined, rare])
def scaled(request):
    """A function that only others call, and one from Python that calls it."""

    @request.param
    def power(x, n):
        result = 1.0
        for _ in range(n):
            result *= x
        return result

    @numba.njit(**OPTIONS)
    def calls(x):
        return power(x, 2) + power(x, 3) + power(x, n=1)

    return power, calls


def test_what_is_linked_gives_the_same(scaled):
    _, calls = scaled
    assert calls(2.0) == 4.0 + 8.0 + 2.0


def test_numbers_in_the_source_do_not_make_another_version(scaled):
    power, calls = scaled
    calls(2.0)
    assert power.nopython_signatures == [types.float64(types.float64, types.intp)]


def test_there_is_no_machine_code_of_its_own(scaled):
    power, calls = scaled
    for function, arguments, compiled in (power, "float64, intp", False), (calls, "float64", True):
        function.compile(f"({arguments},)")
        (result,) = function.overloads.values()
        name = result.fndesc.llvm_func_name
        assert name in {one.name for one in result.library.get_defined_functions()}
        assert result.target_context.codegen()._engine.is_symbol_defined(name) is compiled


def test_errors_of_types_reach_who_compiles(scaled):
    _, calls = scaled
    with pytest.raises(numba.TypingError, match="power"):
        calls(np.zeros((2, 2), dtype="U3"))


def test_what_is_rare_stays_out_of_who_calls_it():
    """Also where the first one to call it is inlined itself."""

    @rare
    def seldom(x):
        return x * x + 3.0

    @inner
    def between(x):
        return seldom(x) if x > 5.0 else x

    @numba.njit(**OPTIONS)
    def calls(x):
        return between(x)

    assert (calls(2.0), calls(6.0)) == (2.0, 39.0)
    (result,) = seldom.overloads.values()
    name = result.fndesc.llvm_func_name
    code = calls.inspect_llvm(calls.signatures[0])
    (definition,) = [line for line in code.splitlines() if line.startswith("define") and name in line]
    (number,) = re.findall(r"#(\d+)", definition)
    (attributes,) = [line for line in code.splitlines() if line.startswith(f"attributes #{number} ")]
    assert "cold" in attributes and "noinline" in attributes
    assert [line for line in code.splitlines() if "call " in line and name in line]


@pytest.mark.parametrize(("kind", "aligned"), [(PACK, 2), (ONE, 0)])
def test_packs_on_the_stack_straddle_no_cache_lines(kind, aligned):
    """A function of packs, and one that it calls, begin their part of the stack where a whole pack may begin."""

    @separate
    def twice(x):
        return x + x

    @numba.njit(**OPTIONS)
    def run(array, kind):
        store(pointer(array), 0, twice(load(pointer(array), 0, zero_of(kind))))

    numbers = np.arange(1.0, 1.0 + LANES)
    run(numbers, kind)
    assert numbers[0] == 2.0
    (code,) = run.inspect_llvm().values()
    groups = dict(re.findall(r"^attributes (#\d+) = \{(.*)\}", code, re.M))
    functions = re.findall(r"^define .*(?:run|twice)\w*.*? (#\d+)", code, re.M)
    assert sum(f"alignstack={max(16, 8 * LANES)} " in groups[group] for group in functions) == aligned
