"""With the JIT switched off every public function runs as plain Python, and gives what the compiled code gives."""

import inspect
import os
import pkgutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import spacedyn as sd
from every_result import every_result
from random_trees import random_model, random_state_parts
from spacedyn import kernels
from spacedyn.model.parts import BASE_KINDS

ROBOTS = [*((base, 11, seed) for seed, base in enumerate(BASE_KINDS)), ("free", 0, 4)]
BATCHES = ((), (3,), (2, 1))


def cases():
    """Robots of all joint kinds and bases, each with one state, a batch, and one of two axes."""
    for base, n, seed in ROBOTS:
        rng = np.random.default_rng(seed)
        model = random_model(rng, n, base_kind=base, passive=True)
        for batch in BATCHES:
            many = [random_state_parts(rng, model) for _ in range(int(np.prod(batch)))]
            parts = {name: np.array([p[name] for p in many]).reshape(*batch, -1) for name in many[0]}
            yield f"{base} {n} {batch}", rng, model, model.state(**parts)


def save_results(path):
    """What the subprocess does: every result, and which functions of the kernels ran as Python."""
    functions, entered = kernel_functions(), set()
    compiled = [name for name, f in functions.items() if isinstance(f, Dispatcher)]
    for name, f in functions.items():
        if name not in compiled:
            note_first_call(name, f, entered)
    results = {f"{case}: {k}": v for case, *made in cases() for k, v in every_result(*made).items()}
    of_packs = {f"spacedyn.kernels.elements.laws.{name}" for name in ("run_over_pack", "split_pack")}  # there are none
    idle = sorted(functions.keys() - entered - of_packs)
    np.savez(path, **results, compiled=np.array(compiled, dtype=str), idle=np.array(idle, dtype=str))


def note_first_call(name, f, entered):
    """Let a function enter its name when it is first called, whoever holds it, and be itself from then on.

    Its code is changed for one that calls `first`; a profiler would be called at every call of every function.
    """
    code, key = f.__code__, f"first call of {f.__name__}"

    def first(*arguments):
        f.__code__ = code
        entered.add(name)
        return f(*arguments)

    f.__globals__[key] = first
    f.__code__ = (lambda *arguments: FIRST(*arguments)).__code__.replace(co_names=(key,))  # noqa: F821


def kernel_functions():
    """{module.name: function} of all that are compiled: those with one of these decorators before them."""
    found = {}
    for module in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
        contents = vars(import_module(module.name))
        for name, value in contents.items():
            own = callable(value) and not isinstance(value, type) and is_own(value, contents)
            source = inspect.getsourcelines(value)[0][0] if own else ""
            if source.strip() in ("@inner", "@outlined", "@separate", "@rare", "@entry"):
                found[f"{module.name}.{name}"] = value
    return found


def is_own(function, contents):
    return getattr(function, "__module__", None) == contents["__name__"] and hasattr(function, "__name__")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "results.npz"
    program = f"import test_plain_python; test_plain_python.save_results({str(path)!r})"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(path) as archive:
        return dict(archive)


def test_it_agrees_with_the_compiled_code(plain):
    names, bounds = set(), {"simulate": 1e-7, "waypoints": 1e-9, "table": 1e-9, "linearize": 1e-9, "stops": 1e-7}
    bounds |= {"devices": 1e-9, "fields": 1e-9, "loops": 1e-7, "rigid contact": 1e-9}
    bounds |= {"shapes": 1e-8, "stepping": 1e-8}  # a rounded gap times a stiffness; sweeps that end
    for case, *made in cases():
        for name, compiled in every_result(*made).items():
            names.add(name)
            expected = plain[f"{case}: {name}"]
            assert expected.shape == compiled.shape
            scale = max(1.0, np.abs(expected).max(initial=0.0))
            error = np.abs(expected - compiled).max(initial=0.0) / scale
            # an adaptive step magnifies the rounding of its error estimate
            assert error < bounds.get(name, 1e-12), f"{name} of {case}: relative error {error:.2e}"
    made = {"available", "load", "law", "motion", "condition", "joint_reaches", "endpoint_reaches"}  # no numbers
    made |= {"mimic_coupling", "read_mimics", "scene", "verify", "check_file", "scenarios"}
    made |= {"film", "view", "attitude_waypoints"}  # the last is in what is driven by waypoints
    made |= {"altitude_reaches", "endpoint_line", "endpoint_screw", "endpoint_waypoints", "minimum_jerk", "trapezoidal"}
    made |= {"cylinder_slosh", "identify_target", "natural_frequencies"}  # plain NumPy over what is here
    made |= {"contact_material", "read_loops"}  # no kernels
    made |= {"endpoints_within"}
    functions = {name for name in sd.__all__ if inspect.isfunction(getattr(sd, name))}
    assert functions - names == made, "a public function without a test here"


def test_no_compiled_code_was_used_and_every_kernel_function_ran_as_python(plain):
    assert len(kernel_functions()) > 50
    assert all(isinstance(f, Dispatcher) for f in kernel_functions().values())  # here, with the JIT
    assert plain["compiled"].tolist() == []
    assert plain["idle"].tolist() == []
