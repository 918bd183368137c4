"""What a law may not do, by whatever way: write beyond its arrays, write into what it is given."""

import enum
import os
import subprocess
import sys
import types

import numba
import numpy as np
import pytest

import spacedyn as sd
from robots import cart3
from spacedyn.laws.checks import checked

# --- indices, of functions too ---------------------------------------------------------------------------------------


@numba.njit
def put(array, i):
    array[i] = 1.0


@numba.njit
def put_deeper(array, i):
    put(array, i)


@numba.njit("void(float64[:], int64)")
def put_by_signature(array, i):
    array[i] = 1.0


@numba.njit
def put_again(array, i, depth):
    if depth > 0:
        put_again(array, i, depth - 1)
    else:
        array[i] = 1.0


@numba.njit
def take(array, i):
    return array[i]


own = types.ModuleType("own")
own.put = put
BOTH = (put, put_deeper)


@sd.law
def by_a_function(t, s, p, out):
    put(out.tau, int(p.i))


@sd.law
def by_a_function_of_a_function(t, s, p, out):
    put_deeper(out.tau, int(p.i))


@sd.law
def by_a_signature(t, s, p, out):
    put_by_signature(out.tau, int(p.i))


@sd.law
def by_recursion(t, s, p, out):
    put_again(out.tau, int(p.i), 2)


@sd.law
def by_a_module(t, s, p, out):
    own.put(out.tau, int(p.i))


@sd.law
def by_a_tuple(t, s, p, out):
    BOTH[1](out.tau, int(p.i))


@sd.law
def by_a_function_inside(t, s, p, out):
    def inside(array, i):
        array[i] = 1.0

    inside(out.tau, int(p.i))


@sd.law
def by_reading(t, s, p, out):
    out.tau[2] = 1.0 + 0.0 * take(s.q, int(p.i))


def of_a_closure():
    local = put

    @sd.law
    def by_a_closure(t, s, p, out):
        local(out.tau, int(p.i))

    return by_a_closure


class Unknown:
    """Something that Numba knows nothing of."""

    seen = 0.0


@sd.law
def in_python(t, s, p, out):
    Unknown.seen = t
    put(out.tau, int(p.i))


@sd.law
def in_python_by_a_module(t, s, p, out):
    Unknown.seen = t
    own.put(out.tau, int(p.i))


LAWS = [
    *(by_a_function, by_a_function_of_a_function, by_a_signature, by_recursion, by_a_module, by_a_tuple),
    *(by_a_function_inside, by_reading, of_a_closure(), in_python, in_python_by_a_module),
]


def moved(law) -> sd.Run:
    return sd.simulate(cart3(), cart3().neutral_state(), 0.1, laws=[law], record=0.1)


@pytest.mark.filterwarnings("ignore:law 'in_python")
@pytest.mark.parametrize("law", LAWS, ids=[law.function.__name__ for law in LAWS])
def test_functions_that_a_law_calls_check_indices_too(law):
    """Three joints: the fourth number of tau was the base's wrench, and the billionth a segmentation fault."""
    np.testing.assert_array_equal(moved(law(i=2))["tau"][-1], [0.0, 0.0, 1.0])
    for beyond in (3, 1e9, -4):
        with pytest.raises(sd.SimulationFailed, match=rf"law '{law.function.__name__}' raised IndexError"):
            moved(law(i=beyond))


def test_functions_stay_as_they_are_for_others():
    """They are compiled anew for laws, once, with the options that they have."""
    fast = numba.njit(fastmath=True)(put.py_func)
    assert checked(put) is checked(put) is not put and not put.targetoptions["boundscheck"]
    assert checked(checked(put)) is checked(put)
    assert checked(fast).targetoptions["fastmath"] is True
    with pytest.raises(IndexError):
        checked(fast)(np.zeros(2), 2)


class Side(enum.IntEnum):
    """A constant that compiled code may hold, and that has no fingerprint."""

    LAST = 2


@numba.njit
def put_last(array, depth):
    if depth > 0:
        put_last(array, depth - 1)
    else:
        array[Side.LAST] = 1.0


def test_a_recursive_function_without_a_fingerprint_is_compiled_too():
    @sd.law
    def last(t, s, p, out):
        put_last(out.tau, 3)

    np.testing.assert_array_equal(moved(last())["tau"][-1], [0.0, 0.0, 1.0])


# --- parameters ------------------------------------------------------------------------------------------------------


@numba.njit
def add_one(array):
    array[0] += 1.0


@numba.njit
def add_one_to(p):
    p.a[0] += 1.0


@sd.law(period=0.1)
def writes_a_number(t, s, p, out):
    p.a[0] += 1.0
    out.tau[0] = p.a[0]


@sd.law(period=0.1)
def writes_an_alias(t, s, p, out):
    a = p.a
    a[1:][0] = 2.0
    out.tau[0] = a[0]


@sd.law(period=0.1)
def writes_by_a_function(t, s, p, out):
    add_one(p.a)
    out.tau[0] = p.a[0]


@sd.law(period=0.1)
def writes_by_a_function_of_all(t, s, p, out):
    add_one_to(p)
    out.tau[0] = p.a[0]


@sd.law(period=0.1)
def writes_what_it_sees(t, s, p, out):
    s.q[0] = p.a[0]
    out.tau[0] = s.q[0]


READ_ONLY = [writes_a_number, writes_an_alias, writes_by_a_function, writes_by_a_function_of_all, writes_what_it_sees]


@pytest.mark.parametrize("law", READ_ONLY, ids=[law.function.__name__ for law in READ_ONLY])
def test_what_a_law_is_given_is_read_only(law):
    name = law.function.__name__
    message = rf"law '{name}' writes into its parameters or into what it sees \(.*test_law_checks.py, line \d+\)"
    with pytest.raises(sd.InputError, match=message + ".*read-only.*p.name.copy.*states"):
        moved(law(a=[0.0, 1.0]))


def test_a_parameter_cannot_be_replaced():
    @sd.law
    def counts(t, s, p, out):
        p.count += 1.0
        out.tau[0] = p.count

    with pytest.raises(sd.InputError, match="law 'counts' changes its parameter 'count', which is read-only"):
        counts(count=0.0)


@sd.law(period=0.1)
def writes_unseen(t, s, p, out):
    np.ascontiguousarray(p.a)[0] += 1.0  # Numba takes this for a new array
    out.tau[0] = p.a[0]


@sd.law(period=0.1)
def writes_in_python(t, s, p, out):
    Unknown.seen = t
    add = p.a[0:1]
    add += 1.0
    out.tau[0] = p.a[0]


def test_ways_that_the_compiler_does_not_see_end_the_run():
    with pytest.raises(
        sd.SimulationFailed, match=r"law 'writes_unseen' raised ValueError: its parameters are read-only"
    ):
        moved(writes_unseen(a=[0.0, 1.0]))


@pytest.mark.filterwarnings("ignore:law 'writes_in_python")
def test_laws_that_run_in_python_cannot_write_either():
    with pytest.raises(sd.SimulationFailed, match=r"law 'writes_in_python' raised ValueError: .*read-only.*states"):
        moved(writes_in_python(a=[0.0, 1.0]))


PLAIN = """
import pytest, spacedyn as sd
from test_law_checks import READ_ONLY, cart3, writes_in_python
for law in (*READ_ONLY, writes_in_python):
    with pytest.raises(sd.SimulationFailed, match="raised ValueError: .*read-only.*states"):
        sd.simulate(cart3(), cart3().neutral_state(), 0.2, laws=[law(a=[0.0, 1.0])], method=sd.RungeKutta4(step=0.1))
print("refused")
"""


def test_without_the_compiler_they_are_read_only_too():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", PLAIN], env=environment, capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


@sd.law
def reads_in_many_ways(t, s, p, out):
    own_copy = p.table.copy()
    own_copy[0, 0] = 5.0
    chosen = p.a if t < 10.0 else own_copy[0]
    solved = np.linalg.solve(np.eye(2) + p.table, chosen)
    out.tau[0] = solved[0] + np.dot(p.a, p.a) + (p.table @ p.a)[1] + take(p.a, 0) + own_copy[0, 0]


def test_what_is_read_only_can_be_read_in_every_way():
    a, table = np.array([1.0, 2.0]), np.array([[0.1, 0.2], [0.3, 0.4]])
    wanted = np.linalg.solve(np.eye(2) + table, a)[0] + a @ a + (table @ a)[1] + a[0] + 5.0
    assert moved(reads_in_many_ways(a=a, table=table))["tau"][-1, 0] == pytest.approx(wanted, rel=1e-14)
