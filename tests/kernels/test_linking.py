"""Functions that only kernels call: typed once, linked into who calls them, without machine code of their own."""

import numba
import numpy as np
import pytest
from numba.core import types

from spacedyn.kernels.scalar.compiling import OPTIONS, inner, outlined


@pytest.fixture(params=[inner, outlined])
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
