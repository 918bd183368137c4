"""The abstract scalar: a pack does in every lane what a float64 does alone, and sincos keeps its 2 ulp."""

import functools
import math
import os
import subprocess
import sys
from fractions import Fraction

import mpmath
import numba
import numpy as np
import pytest
from mpmath.libmp import from_float, mpf_cos_sin, mpf_sub, to_float

from spacedyn.errors import InputError
from spacedyn.kernels.robot.rows import read_rows, write_rows
from spacedyn.kernels.scalar.memory import gather, integer, lanes_of, load, pointer, scatter, shared, store, zero_of
from spacedyn.kernels.scalar.pack import (
    LANES,
    ONE,
    PACK,
    _lanes_of_this_cpu,
    arctan2,
    fused,
    hyperbolic_tangent,
    library_cos,
    library_sin,
    magnitude,
    nearest_integer,
    round_down,
    select,
    somewhere,
    sqrt,
)
from spacedyn.kernels.scalar.trigonometry import FAR, sincos

pytestmark = pytest.mark.packs

KINDS = pytest.mark.parametrize("kind", [ONE, PACK], ids=["float64", "pack"])
strict = numba.njit(error_model="numpy")
"""Without fast-math flags: every operation rounds by itself, as NumPy's does."""
fast = numba.njit(error_model="numpy", fastmath={"contract", "nsz", "arcp"})
"""As kernels are compiled."""

REACHED = 0.9
"""Largest error of sincos [ulp], rounded up; 2 are promised."""


@strict
def apply_arithmetic(x, y, out, count, kind):
    x, y, out = pointer(x), pointer(y), pointer(out)
    zero = zero_of(kind)
    for k in range(count // lanes_of(zero)):
        a, b, n = load(x, k, zero), load(y, k, zero), count // lanes_of(zero)
        changed = a + zero
        changed += b
        changed *= a
        changed -= 2.0
        changed /= b
        sums = (a + b, a - b, a * b, a / b, -a, a + 2.5, 2.5 - a, a * 3, 3 / a, a - 1, 1 + a)
        functions = (magnitude(a), sqrt(magnitude(a)), nearest_integer(a), round_down(a))
        library = (arctan2(a, b), hyperbolic_tangent(a), library_sin(a), library_cos(a))
        chosen = (select(a > b, a, b), select(a > 0.5, 1.0, b), select(a <= 0.5, a, -1.0), select(a < b, 1.0, 0.0))
        results = sums + functions + library + chosen + (changed,)
        for j in range(len(results)):
            store(out, j * n + k, results[j])


def expected_arithmetic(a, b):
    one = np.vectorize
    with np.errstate(all="ignore"):
        sums = [a + b, a - b, a * b, a / b, -a, a + 2.5, 2.5 - a, a * 3, 3 / a, a - 1, 1 + a]
        functions = [np.abs(a), np.sqrt(np.abs(a)), np.rint(a), np.floor(a)]
        library = [one(math.atan2)(a, b), one(math.tanh)(a), one(library_sin)(a), one(library_cos)(a)]
        chosen = [np.where(a > b, a, b), np.where(a > 0.5, 1.0, b), np.where(a <= 0.5, a, -1.0), (a < b) * 1.0]
        return np.array([*sums, *functions, *library, *chosen, ((a + b) * a - 2.0) / b])


def unusual_pairs():
    """Every pair of numbers with something about them, then random ones; a multiple of any lane count."""
    special = [
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        1.0,
        -1.0,
        3.7,
        1e300,
        -1e-300,
        5e-324,
        2.0**53 + 2,
        np.inf,
        -np.inf,
    ]
    special.append(np.nan)
    pairs = np.array([(a, b) for a in special for b in special])
    pairs = np.concatenate([pairs, np.random.default_rng(0).normal(size=(2048 - len(pairs), 2)) * 10])
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


@fast
def apply_fused(x, y, z, out, count, kind):
    x, y, z, out = pointer(x), pointer(y), pointer(z), pointer(out)
    zero = zero_of(kind)
    n = count // lanes_of(zero)
    for k in range(n):
        a, b, c = load(x, k, zero), load(y, k, zero), load(z, k, zero)
        store(out, k, fused(a, b, c))
        store(out, n + k, fused(1.0 + 2.0**-30, b, c))
        store(out, 2 * n + k, fused(a, fused(a, b, zero), fused(b, c, zero)))


@KINDS
def test_fused_sums_round_once_in_every_lane(kind):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 64))
    c = -a * b * (1.0 + 1e-12 * rng.normal(size=64))  # cancels: two roundings would show
    out = np.empty((3, 64))
    apply_fused(a, b, c, out.reshape(-1), 64, kind)

    def exact(x, y, z):
        return np.array([float(Fraction(p) * Fraction(q) + Fraction(r)) for p, q, r in zip(x, y, z, strict=True)])

    expected = [exact(a, b, c), exact(np.full(64, 1.0 + 2.0**-30), b, c), exact(a, a * b, b * c)]
    np.testing.assert_array_equal(out, expected)
    assert not np.array_equal(out[0], a * b + c)


@KINDS
def test_arithmetic_and_functions_are_those_of_each_lane(kind):
    a, b = unusual_pairs()
    expected = expected_arithmetic(a, b)
    out = np.full(expected.shape, 7.0)
    apply_arithmetic(a, b, out.reshape(-1), len(a), kind)
    np.testing.assert_array_equal(out[:15], expected[:15])
    np.testing.assert_allclose(out[15:19], expected[15:19], rtol=4e-16, atol=0)  # of the C library
    np.testing.assert_array_equal(out[19:], expected[19:])


def test_a_pack_and_a_float64_give_the_same_bits():
    a, b = unusual_pairs()
    one, many = np.zeros((2, 24 * len(a)))
    apply_arithmetic(a, b, one, len(a), ONE)
    apply_arithmetic(a, b, many, len(a), PACK)
    np.testing.assert_array_equal(one, many)


@strict
def compare(x, y, out, count, kind):
    x, y, out = pointer(x), pointer(y), pointer(out)
    zero = zero_of(kind)
    n = count // lanes_of(zero)
    for k in range(n):
        a, b = load(x, k, zero), load(y, k, zero)
        verdicts = (a < b, a <= b, a > b, a >= b, a < 0.5, 0.5 < a, a >= 1, 1 >= a)  # noqa: SIM300 (the number may come first)
        for j in range(len(verdicts)):
            store(out, j * n + k, select(verdicts[j], zero + 1.0, zero))


@KINDS
def test_comparisons_are_those_of_each_lane_and_a_nan_is_never_true(kind):
    a, b = unusual_pairs()
    out = np.full((8, len(a)), 7.0)
    compare(a, b, out.reshape(-1), len(a), kind)
    np.testing.assert_array_equal(out, [a < b, a <= b, a > b, a >= b, a < 0.5, a > 0.5, a >= 1, a <= 1])


@strict
def where_is_one(x, count, kind):
    x = pointer(x)
    zero = zero_of(kind)
    found = 0
    for k in range(count // lanes_of(zero)):
        if somewhere(load(x, k, zero) > 0.5):
            found = found * 100 + k + 1
    return found


def test_somewhere_sees_every_lane():
    for place in range(3 * LANES):
        x = np.zeros(3 * LANES)
        x[place] = 1.0
        assert where_is_one(x, len(x), PACK) == place // LANES + 1
        assert where_is_one(x, len(x), ONE) == place + 1
    assert where_is_one(np.zeros(3 * LANES), 3 * LANES, PACK) == 0
    assert where_is_one(np.full(LANES, np.nan), LANES, PACK) == 0


@strict
def copy_rows(rows, width, count, numbers, out, shifted, kind):
    """Rows to scalars to rows; and a number of all lanes added to each."""
    rows, numbers, out, shifted = pointer(rows), pointer(numbers), pointer(out), pointer(shifted)
    zero = zero_of(kind)
    for row in range(0, count, lanes_of(zero)):
        for j in range(width):
            value = gather(rows, width, row, count - 1, j, zero)
            scatter(out, width, row, count - 1, j, value)
            scatter(shifted, width, row, count - 1, j, value + shared(numbers, j, zero))


@KINDS
@pytest.mark.parametrize("count", range(1, 2 * LANES + 2))
def test_rows_are_read_and_written_lane_by_lane_and_never_beyond_the_last(kind, count):
    rows = np.arange(3.0 * count) + 1
    numbers = np.array([10.0, 200.0, 3000.0])
    out, shifted = np.zeros((2, 3 * count + 5))
    copy_rows(rows, 3, count, numbers, out, shifted, kind)
    np.testing.assert_array_equal(out[: 3 * count], rows)
    np.testing.assert_array_equal(shifted[: 3 * count].reshape(-1, 3), rows.reshape(-1, 3) + numbers)
    assert not out[3 * count :].any() and not shifted[3 * count :].any()


@strict
def copy_blocks(rows, width, count, work, stride, out, kind):
    """Rows to scalars, some way apart, and to rows again: whole blocks of components, then those left over."""
    rows, work, out = pointer(rows), pointer(work), pointer(out)
    zero = zero_of(kind)
    for row in range(0, count, lanes_of(zero)):
        read_rows(rows, width, 0, width, row, count, work, 0, stride, zero)
        write_rows(out, width, 0, width, row, count, work, 0, stride, zero)


@KINDS
@pytest.mark.parametrize("count", [1, LANES - 1, LANES, LANES + 1, 3 * LANES])
@pytest.mark.parametrize("width", [1, LANES, 2 * LANES + 1])
@pytest.mark.parametrize("stride", [1, 3])
def test_blocks_of_components_are_turned_over(kind, count, width, stride):
    rows, work = np.random.default_rng(0).normal(size=count * width), np.zeros(width * stride * LANES)
    out = np.zeros(count * width + LANES)
    copy_blocks(rows, width, count, work, stride, out, kind)
    np.testing.assert_array_equal(out[: count * width], rows)
    assert not out[count * width :].any()


@strict
def copy_scalars(x, places, out, count, kind):
    x, places, out = pointer(x), pointer(places), pointer(out)
    zero = zero_of(kind)
    for k in range(count):
        store(out, integer(places, k), load(x, k, zero))


@KINDS
def test_scalars_are_loaded_and_stored_whole(kind):
    lanes = 1 if kind is ONE else LANES
    x = np.random.default_rng(0).normal(size=(5, lanes))
    places = np.array([3, 0, 4, 1, 2])
    out = np.zeros((5, lanes))
    copy_scalars(x.reshape(-1), places, out.reshape(-1), 5, kind)
    np.testing.assert_array_equal(out[places], x)


# --- sine and cosine -------------------------------------------------------------------------------------------------


@fast
def sincos_of(x, sines, cosines, count, kind):
    x, sines, cosines = pointer(x), pointer(sines), pointer(cosines)
    zero = zero_of(kind)
    for k in range(count // lanes_of(zero)):
        s, c = sincos(load(x, k, zero))
        store(sines, k, s)
        store(cosines, k, c)


def compiled_sincos(x, kind):
    padded = np.concatenate([x, np.zeros(-len(x) % LANES)])
    s, c = np.empty((2, len(padded)))
    sincos_of(padded, s, c, len(padded), kind)
    return s[: len(x)], c[: len(x)]


def plain_sincos(x):
    """As it runs with the JIT switched off."""
    return np.array([sincos.py_func(float(a)) for a in x]).T


@functools.cache
def nearest_to_multiples(count):
    """The doubles below 1e6 that are nearest to multiples of pi/2, relative to their size: there most digits cancel."""
    with mpmath.workprec(200):
        half_pi = int(mpmath.floor(mpmath.pi / 2 * 2**160))
    multiples = range(half_pi, int(FAR) * 2**160, half_pi)
    nearest = [exact / 2**160 for exact in multiples]  # rounded correctly
    away = [abs((int(x * 2.0**53) << 107) - exact) / 2**160 / x for x, exact in zip(nearest, multiples, strict=True)]
    return np.array(nearest)[np.argsort(away)[:count]]


def hard_arguments():
    """At least 2e5 arguments up to 1e6 in size."""
    rng = np.random.default_rng(1)
    k = np.concatenate([np.arange(1, 2001), rng.integers(1, int(FAR * 2 / math.pi), 12000)])
    multiples = k * (math.pi / 2)
    borders = (k - 0.5) * (math.pi / 2)  # where one polynomial hands over to the other
    near = np.concatenate([np.nextafter(multiples, way) for way in (0.0, np.inf)] + [multiples, borders])
    small = 10.0 ** rng.uniform(-310.0, 0.0, 10000)
    spread = [rng.uniform(0.0, top, 40000) for top in (1.0, 10.0, FAR)]
    x = np.concatenate([nearest_to_multiples(15000), near, small, *spread, [0.0, 5e-324, FAR]])
    x = x[x <= FAR]
    return x * rng.choice([-1.0, 1.0], len(x))


def exact_sincos(x):
    """Sine and cosine as (nearest double, what is left): arrays (2, len(x)) of each."""
    high, low = np.empty((2, 2, len(x)))
    for i, a in enumerate(x.tolist()):
        cosine, sine = mpf_cos_sin(from_float(a), 110)
        for j, value in enumerate((sine, cosine)):
            near = to_float(value)
            high[j, i], low[j, i] = near, to_float(mpf_sub(value, from_float(near), 53))
    return high, low


def errors_in_ulp(values, high, low):
    return np.abs((values - high) - low) / np.spacing(np.abs(high))


@pytest.fixture(scope="module")
def hard():
    x = hard_arguments()
    assert len(x) >= 200_000
    return x, *exact_sincos(x)


@KINDS
def test_sincos_is_within_two_ulp(kind, hard):
    x, high, low = hard
    error = errors_in_ulp(np.array(compiled_sincos(x, kind)), high, low)
    worst = np.unravel_index(error.argmax(), error.shape)
    assert error.max() < REACHED <= 2.0, f"{error.max():.3f} ulp at {x[worst[1]]!r}"


def test_sincos_of_plain_python_is_within_two_ulp(hard):
    x, high, low = (a[..., ::20] for a in hard)
    assert errors_in_ulp(plain_sincos(x), high, low).max() < REACHED


def test_the_arguments_near_multiples_are_hard():
    """A reduction with pi/2 as one double would lose every digit there."""
    x = nearest_to_multiples(15000)[:10]
    high, _ = exact_sincos(x)
    assert np.abs(high).min(axis=0).max() < 1e-15 * x.min()
    k = np.rint(x / (math.pi / 2))
    naive = np.sin(x - k * (math.pi / 2))
    wrong = np.abs(np.abs(naive) - np.abs(high).min(axis=0)) / np.abs(high).min(axis=0)
    assert wrong.min() > 0.1


@KINDS
def test_sincos_beyond_its_reach_is_the_c_librarys(kind):
    x = np.array([1.0000001e6, -3e6, 1e15, -1e22, 1e300, 1.7e308, -2.5e7, 1e9])
    s, c = compiled_sincos(x, kind)
    np.testing.assert_array_equal(s, [math.sin(a) for a in x])
    np.testing.assert_array_equal(c, [math.cos(a) for a in x])
    np.testing.assert_array_equal(plain_sincos(x), [s, c])


@KINDS
def test_sincos_of_what_is_not_finite_is_nan_and_spoils_no_other_lane(kind):
    for bad in (np.inf, -np.inf, np.nan):
        for place in range(LANES):
            x = np.full(LANES, 0.3)
            x[place] = bad
            s, c = compiled_sincos(x, kind)
            assert np.isnan(s[place]) and np.isnan(c[place])
            others = np.arange(LANES) != place
            np.testing.assert_allclose(s[others], math.sin(0.3), rtol=4e-16)
            np.testing.assert_allclose(c[others], math.cos(0.3), rtol=4e-16)
        assert np.isnan(plain_sincos([bad])).all()


@KINDS
def test_sincos_at_zero_and_of_tiny_numbers_is_exact(kind):
    x = np.array([0.0, -0.0, 5e-324, -5e-324, 2.3e-308, 1e-200, -1e-20, 1e-9])
    for s, c in (compiled_sincos(x, kind), plain_sincos(x)):
        np.testing.assert_array_equal(s, x)
        np.testing.assert_array_equal(c, np.ones(len(x)))


def test_a_lane_does_not_depend_on_its_neighbours():
    x = np.random.default_rng(2).uniform(-50, 50, 64 * LANES)
    s, c = compiled_sincos(x, PACK)
    order = np.random.default_rng(3).permutation(len(x))
    mixed = compiled_sincos(x[order], PACK)
    np.testing.assert_array_equal(mixed, [s[order], c[order]])


# --- lanes -----------------------------------------------------------------------------------------------------------


def test_lanes_are_as_many_as_asked_for(monkeypatch):
    assert LANES in (1, 2, 4, 8)
    for asked in (1, 2, 4, 8):
        monkeypatch.setenv("SPACEDYN_LANES", str(asked))
        assert _lanes_of_this_cpu() == asked
    monkeypatch.setenv("SPACEDYN_LANES", "")
    assert _lanes_of_this_cpu() in (2, 4, 8)


@pytest.mark.parametrize("asked", ["three", "0", "-4", "3", "2.0"])
def test_lanes_that_make_no_sense_are_refused(monkeypatch, asked):
    monkeypatch.setenv("SPACEDYN_LANES", asked)
    with pytest.raises(InputError, match=f"SPACEDYN_LANES.*1, 2, 4 or 8.*{asked}"):
        _lanes_of_this_cpu()


@pytest.mark.parametrize("lanes", sorted({1, 2, 4, 8} - {LANES}))
def test_packs_of_another_width_give_the_same(lanes):
    """Whatever the CPU: LLVM splits or pads the vectors."""
    program = (
        "import test_scalar as t, numpy as np\n"
        f"assert t.LANES == {lanes}\n"
        "x = np.random.default_rng(0).uniform(-9, 9, 640)\n"
        "np.testing.assert_allclose(t.compiled_sincos(x, t.PACK), [np.sin(x), np.cos(x)], rtol=1e-15, atol=1e-16)\n"
        "for count in (1, 3, 8, 17):\n"
        "    t.test_rows_are_read_and_written_lane_by_lane_and_never_beyond_the_last(t.PACK, count)\n"
        "t.test_somewhere_sees_every_lane()\n"
    )
    environment = os.environ | {"SPACEDYN_LANES": str(lanes), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
