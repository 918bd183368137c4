"""Nothing is collected while something is compiled, in whatever thread; afterwards it is as it was."""

import gc
import threading

import pytest

from spacedyn.kernels.scalar import compiling
from spacedyn.kernels.scalar.garbage import no_collection


@pytest.fixture(autouse=True)
def collected_again():
    yield
    gc.enable()


def test_nested_parts_and_errors_leave_it_as_it_was():
    with no_collection():
        with pytest.raises(ZeroDivisionError), no_collection():
            _ = 1 / 0
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off():
    gc.disable()
    with no_collection():
        pass
    assert not gc.isenabled()


def test_threads_wait_for_the_last():
    began, may_end = threading.Event(), threading.Event()

    def compile_long():
        with no_collection():
            began.set()
            may_end.wait(10.0)

    thread = threading.Thread(target=compile_long)
    with no_collection():
        thread.start()
        assert began.wait(10.0)
    assert not gc.isenabled()
    may_end.set()
    thread.join()
    assert gc.isenabled()


def test_a_compiler_works_without_it():
    class Compiler:
        def compile(self, given):
            return given, gc.isenabled()

    compiler = Compiler()
    compiling._announce(compiler, "totals.run")
    assert compiler.compile("types") == ("types", False) and gc.isenabled()
