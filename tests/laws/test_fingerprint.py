"""What a law's machine code depends on: values that it loads from outside, and nothing that merely has such a name."""

import math
import os
import subprocess
import sys
import types
from pathlib import Path

import numba
import pytest

import spacedyn as sd
from robots import cart
from spacedyn.laws.compile import compile_law
from spacedyn.laws.fingerprint import fingerprint, references

GAIN = 1.0
q = [1.0, 2.0]  # what a script may have, and what laws read of `s` and `p`
d = object()


def reads_attributes(t, s, p, out):
    out.tau[0] = s.q[0] + p.d


def of_a_loop(t, s, p, out):
    out.tau[0] = sum([GAIN * s.q[k] for k in range(1)])


def test_names_of_attributes_are_no_globals():
    assert list(references(reads_attributes)) == []
    assert fingerprint(reads_attributes, "") is not None


def test_what_code_inside_loads_counts():
    assert [names for _, names, _ in references(of_a_loop)] == [("GAIN",)]


def test_a_value_that_is_loaded_counts_and_no_other(monkeypatch):
    before = fingerprint(of_a_loop, ""), fingerprint(reads_attributes, "")
    monkeypatch.setitem(globals(), "GAIN", 2.0)
    monkeypatch.setitem(globals(), "q", 3.0)
    assert fingerprint(of_a_loop, "") != before[0] and fingerprint(reads_attributes, "") == before[1]
    monkeypatch.setitem(globals(), "GAIN", object())
    assert fingerprint(of_a_loop, "") is None


def test_of_a_module_only_what_is_taken_counts():
    own = types.ModuleType("own")
    own.offset, own.q = 1.0, object()

    def taken(s):
        return s.q + own.offset

    def whole(s):
        module = own
        return s.q + module.offset

    before = fingerprint(taken, "")
    assert before is not None and fingerprint(whole, "") is None
    own.offset = 2.0
    assert fingerprint(taken, "") not in (before, None)
    own.q = 1.0
    assert fingerprint(whole, "") is not None


def test_defaults_options_and_the_closure_count():
    def made(size, default, fast):
        def function(x, gain=default):
            return gain * math.sin(x) + size

        return numba.njit(fastmath=fast)(function)

    first = fingerprint(made(1.0, 2.0, False), "")
    assert first == fingerprint(made(1.0, 2.0, False), "") is not None
    others = [made(1.5, 2.0, False), made(1.0, 2.5, False), made(1.0, 2.0, {"nnan", "ninf"})]
    assert len({first, *(fingerprint(other, "") for other in others)}) == 4


def test_a_function_whose_closure_is_not_complete_yet():
    def early():
        return later

    assert fingerprint(early, "") is not None
    later = 1.0
    assert early() == later


# --- laws ------------------------------------------------------------------------------------------------------------


@sd.law
def hold(t, s, p, out):
    out.tau[0] = -p.d * s.q[0]


HOLD = """
import sys
import spacedyn as sd
from test_fingerprint import cart, hold
from spacedyn.laws.compile import compile_law
hold.function.__globals__["q"] = float(sys.argv[1])
print(compile_law(hold(d=1.0)).keep._keep.cache_hits)
"""


def test_a_number_of_the_same_name_brings_no_second_file(tmp_path):
    environment = os.environ | {"SPACEDYN_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    hits = [
        subprocess.run([sys.executable, "-c", HOLD, number], env=environment, capture_output=True, text=True).stdout
        for number in ("1.5", "2.5")
    ]
    assert hits == ["0\n", "1\n"] and len(list(Path(tmp_path).rglob("law-hold-*.nbc"))) == 1


def test_a_law_is_compiled_once_in_a_process_whatever_it_refers_to():
    class Opaque:
        gain = 2.0

    @sd.law
    def opaque(t, s, p, out):
        out.tau[0] = Opaque.gain * p.a

    law = opaque(a=1.0)
    assert fingerprint(law.function, "") is None
    with pytest.warns(sd.RunWarning, match="runs in Python"):
        first = compile_law(law)
    with pytest.warns(sd.RunWarning, match="runs in Python"):
        assert compile_law(law) is first
    with pytest.warns(sd.RunWarning, match="runs in Python"):
        assert compile_law(opaque(a=1.0)) is not first


def test_a_constant_of_a_function_that_a_law_calls_is_seen_when_it_changes(monkeypatch):
    @numba.njit
    def doubled():
        return 2.0 * GAIN

    @sd.law
    def constant(t, s, p, out):
        out.tau[0] = doubled()

    for gain in (1.0, 3.0, 1.0):
        monkeypatch.setitem(globals(), "GAIN", gain)
        run = sd.simulate(cart(), cart().neutral_state(), 1.0, laws=[constant()], record=0.5)
        assert run.final.qd[0] == pytest.approx(2.0 * gain, rel=1e-12)
