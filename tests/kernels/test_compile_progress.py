"""The line of progress while machine code is compiled: real parts, in their order, and silence where nobody waits."""

import os
import pty
import subprocess
import time

import numpy as np
import pytest

import spacedyn as sd
from processes import python
from robots import cart3
from spacedyn.kernels.scalar import compile_progress
from spacedyn.kernels.scalar.compile_progress import CompileProgress, in_words, part
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.simulate.setup import compiled_parts, simulation_of


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(compile_progress, "QUIET", 0.05)


def said(capsys) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_parts_are_counted_as_they_come(capsys):
    with CompileProgress(lambda: ["law-hold", "flow.one", "driver.advance"]):
        with part("flow.one"):  # the law was on disk
            time.sleep(0.2)
        with part("driver.advance"):
            pass
    with CompileProgress(lambda: ["flow.one"]), part("guards.one"):  # not one that was known of
        time.sleep(0.2)
    assert said(capsys) == [
        "spacedyn: compiling, once for this machine: right-hand side (2 of 3)",
        "spacedyn: compiling, once for this machine: simulation loop (3 of 3)",
        "spacedyn: compiling, once for this machine: guards (2 of 2)",
    ]


def test_a_part_alone_is_named_without_a_count(capsys):
    with part("forward_dynamics.run"):
        time.sleep(0.2)
    assert said(capsys) == ["spacedyn: compiling, once for this machine: forward dynamics"]


def test_nothing_is_said_of_what_is_quick_or_not_to_be_shown(capsys):
    with part("totals.run"):
        pass
    with CompileProgress(lambda: ["flow.one"], shown=False), part("flow.one"):
        time.sleep(0.2)
    time.sleep(0.2)
    assert said(capsys) == []


def test_it_ends_with_an_error_too(capsys):
    with pytest.raises(KeyboardInterrupt), part("totals.run"):
        raise KeyboardInterrupt
    time.sleep(0.2)
    assert said(capsys) == [] and compile_progress._here.progress is None


def test_every_part_has_words():
    names = {"law-my-law-0123456789abcdef01234567": "law 'my-law'", "law-hold": "law 'hold'", "frames.run": "frames"}
    names |= {f"{what}-mine-0123456789abcdef01234567": f"{what} 'mine'" for what in ("element", "motion", "condition")}
    assert {name: in_words(name) for name in names} == names


# --- parts of a simulation -------------------------------------------------------------------------------------------

FRESH = """
import sys
import spacedyn as sd
from spacedyn.kernels.scalar import compile_progress
from spacedyn.kernels.scalar import compiling
from robots import cart
compile_progress.QUIET = 0.0
GAIN = float(sys.argv[1])

@sd.law
def fresh(t, s, p, out):
    for i in range(s.q.size):
        out.tau[i] = -GAIN * s.q[i]

sd.simulate(cart(), cart().neutral_state(), 0.1, laws=[fresh()], progress=len(sys.argv) < 3)
"""


def test_what_a_simulation_compiles_is_shown_and_what_it_loads_is_not():
    sd.simulate(cart3(), cart3().neutral_state(), 0.1)  # all but the law is on disk
    gain = str(time.time())
    found = [
        python(FRESH, *arguments, stderr=subprocess.PIPE).communicate()[1]
        for arguments in ((gain,), (gain,), (gain + "1", "silent"))
    ]
    assert found == ["spacedyn: compiling, once for this machine: law 'fresh' (2 of 5)\n", "", ""]


def test_on_a_terminal_the_line_goes_away():
    ours, theirs = pty.openpty()
    child = python(FRESH, str(time.time()), stderr=theirs, stdout=theirs)
    os.close(theirs)
    shown = b""
    try:
        while read := os.read(ours, 65536):
            shown += read
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert child.wait() == 0 and b"law 'fresh' (2 of 5)" in shown and b"spacedyn:" not in shown
    assert shown.rstrip().endswith((b"\x1b[2K", b"\x1b[?25h"))  # the line is erased, the cursor is back


LOADED = """
import sys
import test_compile_progress as t
from spacedyn.kernels.scalar.compiling import KernelCache
load = KernelCache.load_overload
def noted(self, sig, context):
    print(self._name)
    return load(self, sig, context)
KernelCache.load_overload = noted
t.sd.simulate(*t.case(sys.argv[1])[:3], **t.case(sys.argv[1])[3])
"""


@sd.law
def damp(t, s, p, out):
    out.tau[0] = -s.qd[0]


@sd.condition
def high(t, s, p, out):
    out.value[0] = s.q[0] - 5.0


@sd.motion
def sway(t, p, out):
    out.value[0], out.rate[0], out.acceleration[0] = 0.1 * t, 0.1, 0.0


@sd.element(joints=("axle",), guards=1)
def drag(t, s, p, out):
    out.guard[0] = 1.0 + s.axle.qd[0]
    out.axle.tau[0] = -s.side[0]


def stopped() -> sd.Model:
    b = sd.Builder("stopped", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("cart", mass=1.0, inertia=(0.1, 0.2, 0.3))
    b.joint("rail", "prismatic", parent="ground", child="cart", lower=-1.0, upper=1.0, stop_stiffness=1e3)
    return b.build()


def case(name: str) -> tuple[sd.Model, sd.State, float, dict]:
    """A simulation as `simulate` takes it."""
    options = {
        "one": {"laws": [damp()], "events": [sd.Event(high())]},
        "elements": {"elements": [drag(axle="rail0"), damp(), sd.Drag("cart0", 0.1)]},
        "packs": {},
        "implicit": {"method": sd.Radau5()},
        "variational": {"method": sd.Variational(step=0.01)},
        "stops": {},
        "motion": {"prescribed": {"rail0": sway()}, "adjust": True},
    }[name]
    model = stopped() if name == "stops" else sd.load("planar_four_link") if name == "one" else cart3()
    start = model.neutral_state()
    if name == "packs":
        start = sd.State(model, np.tile(start._data, (LANES + 1 if LANES > 1 else 2, 1)))
    return model, start, 0.1, options


@pytest.mark.parametrize("name", ["one", "elements", "packs", "implicit", "variational", "stops", "motion"])
def test_the_parts_are_those_that_a_first_simulation_needs(name):
    """In the order in which a new process takes them from disk, or would compile them."""
    model, start, duration, options = case(name)
    sd.simulate(model, start, duration, **options)
    origin = simulation_of(model, start, duration, **options)
    parts = list(dict.fromkeys(map(in_words, compiled_parts(origin))))
    needed, _ = python(LOADED, name, stdout=subprocess.PIPE).communicate()
    assert list(dict.fromkeys(map(in_words, needed.splitlines()))) == parts
