"""Friction by bristles: stick and slip of a mass on a spring, against digits computed by another program."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import spacedyn as sd

CASE = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["lugre_stick_slip"]
BRISTLES = {"coulomb": 1.0, "static": 1.5, "stribeck_speed": 1e-3, "stiffness": 1e5, "damping": np.sqrt(1e5)}


def block():
    b = sd.Builder("block", base="fixed")
    b.base("floor", mass=10.0, inertia=(1, 2, 2.5))
    b.link("slide", "prismatic", parent="floor", axis=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.25))
    return b.build()


@sd.law
def pulled(t, s, p, out):
    out.tau[0] = 2.0 * (0.1 * t - s.q[0])


@sd.law
def shaken(t, s, p, out):
    out.tau[0] = p.size * math.sin(p.rate * t)


@pytest.mark.parametrize(
    ("method", "atol"),
    [
        (sd.DormandPrince8(), 2e-10),
        (sd.Radau5(), 1e-7),
        (sd.Radau5(rtol=1e-10, atol=1e-12), 5e-11),
    ],
)
def test_stick_and_slip(method, atol):
    """A mass pulled by a spring whose end moves at 0.1 m/s: it sticks, breaks away, sticks again."""
    model, expected = block(), CASE["expected"]
    friction = sd.BristleFriction("slide", **BRISTLES, viscous=0.4, name="rub")
    run = sd.simulate(
        model,
        model.neutral_state(),
        20.0,
        laws=[pulled()],
        elements=[friction],
        method=method,
        record=[0, *expected["t"]],
    )
    np.testing.assert_allclose(run["q"][1:, 0], expected["x"], rtol=0, atol=atol)
    np.testing.assert_allclose(run["qd"][1:, 0], expected["v"], rtol=0, atol=atol)
    np.testing.assert_allclose(run["rub.bristle"][1:, 0], expected["z"], rtol=0, atol=1e-3 * atol)
    assert run.audit().energy < 1e-9


def test_sliding_it_resists_with_the_steady_force():
    model, v = block(), 0.5
    friction = sd.BristleFriction("slide", **BRISTLES, viscous=0.4)
    motion = CubicSpline([0.0, 0.2], [0.0, 0.2 * v])
    run = sd.simulate(model, model.state(qd=[v]), 0.2, elements=[friction], prescribed={"slide": motion})
    steady = 1.0 + 0.5 * np.exp(-((v / 1e-3) ** 2)) + 0.4 * v
    assert run["friction"][-1, 0] == pytest.approx(steady, rel=2e-6)
    assert run["tau"][-1, 0] == pytest.approx(steady, rel=2e-6)  # what it takes to keep the speed


@pytest.mark.parametrize("size", [1.8, 3.0])  # [N], mostly stuck, mostly sliding
def test_reversals_are_as_accurate_as_the_tolerance_asks(size):
    """|v| has a kink where the motion turns round: steps get short there, and the ledger does not notice."""
    model, friction = block(), sd.BristleFriction("slide", **BRISTLES, viscous=0.4)
    options = {"laws": [shaken(size=size, rate=4.0)], "elements": [friction], "record": 0.01}
    run = sd.simulate(model, model.neutral_state(), 5.0, **options)
    tight = sd.simulate(model, model.neutral_state(), 5.0, method=sd.DormandPrince8(rtol=1e-13, atol=1e-15), **options)
    assert (np.diff(np.sign(tight["qd"][:, 0])) != 0).sum() > 4
    assert np.abs(run["q"] - tight["q"]).max() < 2e-9
    assert run.audit().energy < 1e-11
    assert run["element_dissipated"][-1, 0] > 0.0
