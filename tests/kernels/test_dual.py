"""Dual numbers: values are those of float64, tangents those of calculus, and every kernel takes them."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from random_trees import random_model
from spacedyn.kernels.robot import (
    coriolis,
    inertia,
    inverse_dynamics,
    mass_matrix_inverse,
    momentum,
    passive,
    totals,
)
from spacedyn.kernels.robot import layout as tree
from spacedyn.kernels.scalar.dual import DUAL
from spacedyn.kernels.scalar.dual_memory import seed, tangents_of
from spacedyn.kernels.scalar.dual_type import Dual
from spacedyn.kernels.scalar.memory import gather, lanes_of, load, pointer, scatter, shared, store, zero_of
from spacedyn.kernels.scalar.pack import (
    LANES,
    ONE,
    PACK,
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
    value_of,
)
from spacedyn.kernels.scalar.trigonometry import sincos

pytestmark = pytest.mark.packs

compiled = numba.njit(error_model="numpy")


def results(a, b, sincos):
    """Functions of two scalars, in every form that kernels use."""
    changed = a + 0.5
    changed += b
    changed *= a
    changed -= 2.0
    changed /= b
    s, c = sincos(a)
    sums = (a + b, a - b, a * b, a / b, -a, a + 2.5, 2.5 - a, a - 2.5, 2.5 * a, a * 3, 3 / a, a / 4.0, 1 + a, a - 1)
    functions = (sqrt(a * a + 1.0), magnitude(a), nearest_integer(a), round_down(a), arctan2(a, b), s, c)
    library = (hyperbolic_tangent(a), library_sin(a), library_cos(a))
    products = (fused(a, a, b * b), fused(a, 2.0, 0.5), fused(2, b, 1.0), fused(0.5, 0.25, a))
    chosen = (
        select(a > b, a, b),
        select(a > 0.5, a * b, 1.0),
        select(a <= 0.5, 1.0, b),
        select(somewhere(a < b), b, a),
    )
    return sums + functions + library + products + chosen + (changed,)


def expected(a, b, da, db):
    """Values and tangents of `results` by calculus."""
    one, zero = np.ones_like(a), np.zeros_like(a)
    rules = [  # value, derivative by a, derivative by b
        (a + b, one, one),
        (a - b, one, -one),
        (a * b, b, a),
        (a / b, 1 / b, -a / b**2),
        (-a, -one, zero),
        (a + 2.5, one, zero),
        (2.5 - a, -one, zero),
        (a - 2.5, one, zero),
        (2.5 * a, 2.5 * one, zero),
        (a * 3, 3 * one, zero),
        (3 / a, -3 / a**2, zero),
        (a / 4, one / 4, zero),
        (1 + a, one, zero),
        (a - 1, one, zero),
        (np.sqrt(a * a + 1), a / np.sqrt(a * a + 1), zero),
        (np.abs(a), np.sign(a), zero),
        (np.rint(a), zero, zero),
        (np.floor(a), zero, zero),
        (np.arctan2(a, b), b / (a * a + b * b), -a / (a * a + b * b)),
        (np.sin(a), np.cos(a), zero),
        (np.cos(a), -np.sin(a), zero),
        (np.tanh(a), 1 / np.cosh(np.clip(a, -300, 300)) ** 2, zero),
        (np.sin(a), np.cos(a), zero),
        (np.cos(a), -np.sin(a), zero),
        (a * a + b * b, 2 * a, 2 * b),
        (2 * a + 0.5, 2 * one, zero),
        (2 * b + 1, zero, 2 * one),
        (0.125 + a, one, zero),
        (np.where(a > b, a, b), a > b, a <= b),
        (np.where(a > 0.5, a * b, 1.0), np.where(a > 0.5, b, 0), np.where(a > 0.5, a, 0)),
        (np.where(a <= 0.5, 1.0, b), zero, a > 0.5),
        (np.where(a < b, b, a), a >= b, a < b),
        (((a + 0.5 + b) * a - 2) / b, (2 * a + 0.5 + b) / b, a / b - ((a + 0.5 + b) * a - 2) / b**2),
    ]
    values = np.array([value for value, _, _ in rules])
    return values, np.array([by_a * da + by_b * db for _, by_a, by_b in rules])


inlined = numba.njit(results)


@compiled
def apply(x, out, count):
    """Duals (a, b) one after the other, to duals of `results`."""
    x, out = pointer(x), pointer(out)
    zero = zero_of(DUAL)
    for k in range(count):
        found = inlined(load(x, 2 * k, zero), load(x, 2 * k + 1, zero), sincos)
        for j in range(len(found)):
            store(out, k * len(found) + j, found[j])


def pairs(count=500):
    """Random pairs (count, 2) of values, some of them large, and of tangents (count, 2, LANES)."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(count, 2)) * rng.choice([0.3, 3.0, 100.0], (count, 1))
    values[::50, 0] += 3e6  # beyond the reach of sincos: the C library's
    return values, rng.normal(size=(count, 2, LANES))


def test_values_and_tangents_are_those_of_calculus():
    values, tangents = pairs()
    x = np.concatenate([values[..., None], tangents], axis=2)
    (da, db), (a, b) = np.moveaxis(tangents, 1, 0), values.T
    wanted, slopes = zip(*(expected(a, b, da[:, lane], db[:, lane]) for lane in range(LANES)), strict=True)
    out = np.full((len(values), len(wanted[0]), 1 + LANES), np.nan)
    apply(x.reshape(-1), out.reshape(-1), len(values))
    np.testing.assert_allclose(out[..., 0], wanted[0].T, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(out[..., 1:], np.array(slopes).transpose(2, 1, 0), rtol=1e-11, atol=1e-13)


@compiled
def values_only(x, out, count, kind):
    x, out = pointer(x), pointer(out)
    zero = zero_of(kind)
    for k in range(count):
        a, b = gather(x, 2, k, count - 1, 0, zero), gather(x, 2, k, count - 1, 1, zero)
        found = inlined(a, b, sincos)
        for j in range(len(found)):
            scatter(out, len(found), k, count - 1, j, found[j])


def test_values_are_those_of_float64_bit_by_bit():
    values, _ = pairs()
    one, dual = np.full((2, len(values), len(expected(*values.T, 0, 0)[0])), np.nan)
    values_only(values.reshape(-1), one.reshape(-1), len(values), ONE)
    values_only(values.reshape(-1), dual.reshape(-1), len(values), DUAL)
    np.testing.assert_array_equal(one, dual)


SINGULAR = {
    "root of zero": (lambda x, y: sqrt(x * x + y * y), 0.0),
    "size of zero": (lambda x, y: magnitude(x), 0.0),
    "angle of the origin": (lambda x, y: arctan2(y, x), 0.0),
    "a length times a vector": (lambda x, y: sqrt(x * x + y * y) * x, 0.0),
    "a square": (lambda x, y: magnitude(x) * magnitude(x) + x, 1.0),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_where_slopes_are_undefined_tangents_are_finite(name):
    function, slope = SINGULAR[name]
    inner = numba.njit(function)

    @compiled
    def at_origin(x, out):
        x, out = pointer(x), pointer(out)
        zero = zero_of(DUAL)
        store(out, 0, inner(load(x, 0, zero), load(x, 1, zero)))

    x, out = np.zeros((2, 1 + LANES)), np.full(1 + LANES, np.nan)
    x[0, 1:], x[1, 1:] = np.arange(LANES), 2.0
    at_origin(x.reshape(-1), out)
    np.testing.assert_array_equal(out, [0.0, *slope * np.arange(LANES)])
    plain = function(Dual(0.0, 3.0), Dual(0.0, 2.0))
    assert (plain.value, plain.tangent) == (0.0, 3.0 * slope)


@compiled
def compare(x, out):
    x, out = pointer(x), pointer(out)
    zero = zero_of(DUAL)
    a, b = load(x, 0, zero), load(x, 1, zero)
    verdicts = (a < b, a <= b, a > b, a >= b, a < 0.5, 0.5 < a, a >= 1, 1 >= a)  # noqa: SIM300 (the number may come first)
    for j in range(len(verdicts)):
        store(out, j, 1.0 if verdicts[j] else 0.0)


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (1.0, 0.0), (0.5, 0.5), (np.nan, 0.0)])
def test_comparisons_look_at_values_only(a, b):
    x, out = np.random.default_rng(0).normal(size=(2, 1 + LANES)), np.empty(8)
    x[:, 0] = a, b
    compare(x.reshape(-1), out)
    np.testing.assert_array_equal(out, [a < b, a <= b, a > b, a >= b, a < 0.5, a > 0.5, a >= 1, a <= 1])


@compiled
def copy(x, numbers, out, tangents):
    """Two duals to each other's places; a seed; a product with a number that has no tangents; tangents as a pack."""
    x, numbers, out, tangents = pointer(x), pointer(numbers), pointer(out), pointer(tangents)
    zero = zero_of(DUAL)
    store(out, 1, load(x, 0, zero))
    store(out, 0, load(x, 1, zero))
    for lane in range(lanes_of(zero_of(PACK))):
        store(out, 2, shared(numbers, 0, zero) + zero)
        seed(out, 2, lane, 7.0)
        store(tangents, lane, tangents_of(load(out, 2, zero)))
    store(out, 3, shared(numbers, 0, zero) * load(x, 0, zero))
    return value_of(load(x, 0, zero)), lanes_of(zero)


def test_memory():
    x, out, tangents = (
        np.random.default_rng(0).normal(size=(2, 1 + LANES)),
        np.empty((5, 1 + LANES)),
        np.empty(LANES**2),
    )
    out[4] = 5.0
    assert copy(x.reshape(-1), np.array([3.0]), out.reshape(-1), tangents) == (x[0, 0], 1)
    np.testing.assert_array_equal(out[:2], x[::-1])
    np.testing.assert_array_equal(out[2], [3.0, *np.zeros(LANES - 1), 7.0])
    np.testing.assert_array_equal(out[3], 3.0 * x[0])
    np.testing.assert_array_equal(out[4], 5.0)  # nobody wrote beyond
    np.testing.assert_array_equal(tangents.reshape(LANES, LANES), 7.0 * np.eye(LANES))


def test_without_a_compiler():
    """The class that stands for it when the JIT is switched off."""
    values, tangents = pairs(60)
    wanted, slopes = expected(*values.T, *tangents[..., 0].T)
    for k, ((a, b), (da, db)) in enumerate(zip(values, tangents[..., 0], strict=True)):
        found = [Dual(f) for f in results(Dual(a, da), Dual(b, db), sincos.py_func)]
        np.testing.assert_allclose([f.value for f in found], wanted[:, k], rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose([f.tangent for f in found], slopes[:, k], rtol=1e-11, atol=1e-13)
    assert Dual(1.0) <= 2 and not Dual(1.0) >= 2.0 and Dual(2.0, 1.0) > Dual(1.0, 5.0)


# --- kernels ---------------------------------------------------------------------------------------------------------

ENTRIES = {  # forward dynamics is in test_derivatives.py, with its tangents
    "inverse_dynamics": (inverse_dynamics, lambda m: m.nv, lambda m: m.nv + 6 * len(m.bodies), (2 + 8,)),
    "mass_matrix_inverse": (mass_matrix_inverse, lambda m: m.nv, lambda m: m.nv, (1,)),
    "inertia": (inertia, None, lambda m: m.nv**2, ()),
    "coriolis": (coriolis, None, lambda m: m.nv**2, ()),
    "momentum": (momentum, lambda m: 3, lambda m: 6 * m.nv, (tree.VELOCITIES | tree.ABOUT_POINT,)),
    "totals": (totals, lambda m: 3, lambda m: totals.TOTALS, (tree.ABOUT_POINT | tree.SIZES,)),
    "passive": (passive, None, lambda m: m.nv, ()),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_kernels_on_duals_have_the_values_of_float64(name):
    """The same source compiles for duals, and no scalar of its scratch memory is taken for a float64."""
    kernel, given, width, options = ENTRIES[name]
    rng = np.random.default_rng(5)
    model = random_model(rng, 9, base_kind="free", passive=True)
    state, flat = model.random_state(rng), model.flat
    operand = [] if given is None else [rng.normal(size=given(model))]
    one, dual = np.full((2, width(model)), np.nan)
    for out, lanes, kind in ((one, 1, ONE), (dual, 1 + LANES, DUAL)):
        work = np.full(flat.scratch(lanes, model.nv**2 + 6 * model.nv).size, np.nan)
        kernel.run(flat.tree, flat.par, work, state._rows, *operand, out, 1, *options, kind)
    assert np.isfinite(one).all() and np.abs(one).max() > 0
    np.testing.assert_allclose(dual, one, rtol=1e-12, atol=1e-13 * np.abs(one).max())


@pytest.mark.parametrize("lanes", sorted({1, 2, 4, 8} - {LANES}))
def test_other_numbers_of_tangents(lanes):
    program = (
        "import test_dual as t\n"
        f"assert t.LANES == {lanes}\n"
        "t.test_values_and_tangents_are_those_of_calculus()\n"
        "t.test_memory()\n"
    )
    environment = os.environ | {"SPACEDYN_LANES": str(lanes), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
