"""Methods of integration: measured orders on the manifold, dense output, long steps, and what motion must conserve."""

from functools import cache

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model
from robots import lone
from spacedyn.model.parts import BASE_KINDS
from spacedyn.simulate.methods import Method

DURATION = 1.0
PACE = 3.0
QUARTERS = (0.25, 0.5, 0.75, 1.0)
TIGHT = sd.DormandPrince8(rtol=1e-14, atol=1e-15)


@cache
def flyer() -> tuple[sd.Model, sd.State]:
    """A free-flyer that branches, with ball and screw joints, in lively motion."""
    rng = np.random.default_rng(3)
    model = random_model(rng, 6, base_kind="free", kinds=("spherical", "helical", "revolute"))
    assert {joint.kind for joint in model.joints} == {"spherical", "helical", "revolute"}
    assert len(set(model.parents)) < len(model.parents)  # some body carries two
    state = model.random_state(rng)
    return model, state.integrate(np.zeros(model.nv), PACE * state.u)


@cache
def exact(times: tuple[float, ...]) -> sd.State:
    model, state = flyer()
    return sd.simulate(model, state, DURATION, method=TIGHT, record=list(times)).states


def errors(method: Method, times: tuple[float, ...]) -> np.ndarray:
    """Errors, over all the times together, of positions and angles, of attitudes, and of rates."""
    model, state = flyer()
    found = sd.simulate(model, state, DURATION, method=method, record=list(times), budget=np.inf).states
    wanted = exact(times)
    off = wanted.difference(found)
    turning = [3, 4, 5]
    for joint in model.joints:
        if joint.kind == "spherical":
            turning += range(*model.u_slice(joint.name).indices(model.nv))
    others = np.delete(off, turning, axis=-1)
    parts = others, off[:, turning], found.u - wanted.u
    return np.array([np.linalg.norm(part) for part in parts])


def slopes(kind: type, steps: list[float], times: tuple[float, ...] | None = None) -> np.ndarray:
    """Measured orders of those errors by least squares over the steps."""
    logs = [np.log(errors(kind(step=h), times or QUARTERS)) for h in steps]
    return np.polyfit(np.log(steps), logs, 1)[0]


@pytest.mark.parametrize(
    ("kind", "counts", "bound"),
    [
        (sd.SemiImplicitEuler, (800, 1600, 3200), 0.2),
        (sd.TimeStepping, (800, 1600, 3200), 0.2),
        (sd.RungeKutta4, (80, 120, 180), 0.2),
        (sd.DormandPrince5, (280, 400, 560), 0.2),
        (sd.DormandPrince8, (28, 36, 48, 60), 0.4),
        (sd.Radau5, (60, 88, 132, 200), 0.2),
        (sd.Variational, (400, 800, 1600), 0.2),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_measured_order(kind, counts, bound):
    """A tree with ball and screw joints on a free base: of positions, of attitudes, and of rates."""
    found = slopes(kind, [DURATION / n for n in counts])
    np.testing.assert_allclose(found, kind.order, atol=bound)


@pytest.mark.parametrize(
    ("kind", "counts", "order"),
    [
        (sd.SemiImplicitEuler, (800, 1600, 3200), 1),
        (sd.TimeStepping, (800, 1600, 3200), 1),
        (sd.RungeKutta4, (80, 120, 180), 4),
        (sd.DormandPrince5, (280, 400, 560), 5),
        (sd.DormandPrince8, (28, 36, 48, 60), 8),
        (sd.Radau5, (120, 180, 270), 3.5),  # its polynomial is one order below that of its stages
        (sd.Variational, (400, 800), 2),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_within_steps_the_order_is_the_same(kind, counts, order):
    """At times that are no step's end: the error of dense output is of the step's own order."""
    times = tuple(np.linspace(0.0131, 0.9877, 1999))
    found = slopes(kind, [DURATION / n for n in counts], times)
    assert found.min() > order - 0.5


def test_steps_of_more_than_a_radian_converge():
    """A body that turns by up to 3 rad a step: the chart is exact, however large its turn."""
    model = lone(1.0, (1.0, 1.3, 1.5))
    state = model.state(base_rate_in_base_axes=[1.0, 0.8, 6.0])
    wanted = sd.simulate(model, state, 6.0, method=TIGHT).final
    found = {}
    for kind in (sd.RungeKutta4, sd.DormandPrince5, sd.DormandPrince8):
        for step in (0.4, 0.2, 0.1, 0.05):
            run = sd.simulate(model, state, 6.0, method=kind(step=step), record=[6.0], budget=np.inf)
            found[kind, step] = np.abs(wanted.difference(run.final)).max()
        assert found[kind, 0.2] / found[kind, 0.1] > 0.5 * 2**kind.order
    assert found[sd.DormandPrince8, 0.2] < 1e-3
    assert 0.2 * np.linalg.norm(state.base_rate) > 1.0


@pytest.mark.parametrize("base", BASE_KINDS)
def test_every_kind_of_joint_and_base_conserves_energy_and_momentum(base):
    """Without gravity: momentum in the directions in which the base is free, energy always."""
    rng = np.random.default_rng([4, *map(ord, base)])
    model = random_model(rng, 9, base_kind=base)
    assert len({joint.kind for joint in model.joints}) == 9
    run = sd.simulate(model, model.random_state(rng), 2.0)
    assert run.audit().energy < 1e-11
    free, point = {
        "free": ([0, 1, 2, 3, 4, 5], "com"),
        "planar": ([0, 1, 5], "com"),
        "attitude": ([3, 4, 5], "base"),
        "fixed": ([], "base"),
    }[base]
    momentum = sd.momentum(model, run.states, about=point)[:, free]
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-10)
    quaternions = run.states.base_quaternion_xyzw
    np.testing.assert_allclose(np.linalg.norm(quaternions, axis=-1), 1.0, atol=4e-16)


@pytest.mark.parametrize("base", BASE_KINDS)
def test_energy_under_gravity_and_springs(base):
    """Gravity and springs store what they take."""
    rng = np.random.default_rng([5, *map(ord, base)])
    model = random_model(rng, 9, base_kind=base, passive=True)
    run = sd.simulate(model, model.random_state(rng), 1.0, gravity=[1.0, -2.0, -9.0])
    audit = run.audit()
    assert audit.energy < 1e-8  # end stops bend forces within steps
    assert run["dissipated"][-1, 0] > 0.0
    if base == "free":
        assert audit.linear_momentum < 1e-11 and audit.angular_momentum < 1e-11


def test_tolerances_are_kept_in_proportion():
    model, state = flyer()
    found = []
    for rtol in (1e-6, 1e-8, 1e-10, 1e-12):
        for kind in (sd.DormandPrince5, sd.DormandPrince8):
            run = sd.simulate(
                model, state, DURATION, method=kind(rtol=rtol, atol=rtol / 10), record=[1.0], budget=np.inf
            )
            found.append(np.abs(exact((DURATION,)).difference(run.states)).max() / rtol)
    assert max(found) < 1.0


def test_steps_that_cannot_be_are_refused():
    for kind in (
        sd.RungeKutta4,
        sd.SemiImplicitEuler,
        sd.TimeStepping,
        sd.Variational,
        sd.DormandPrince5,
        sd.DormandPrince8,
        sd.Radau5,
    ):
        for step in (0.0, -1e-3, np.nan, np.inf):
            with pytest.raises(sd.InputError, match=kind.__name__):
                kind(step=step)
    for options in (
        {"rtol": -1.0},
        {"rtol": 1.0},
        {"atol": 0.0},
        {"max_step": 0.0},
        {"first_step": -1.0},
        {"rtol": np.nan},
    ):
        with pytest.raises(sd.InputError, match="DormandPrince8"):
            sd.DormandPrince8(**options)


def test_steps_stay_within_what_is_asked_for():
    model, state = flyer()
    run = sd.simulate(model, state, 1.0, method=sd.DormandPrince8(max_step=0.02, first_step=1e-4), record="steps")
    steps = np.diff(run.time)
    assert steps[0] == pytest.approx(1e-4)
    assert steps.max() <= 0.02 * (1 + 1e-5)
    fixed = sd.simulate(model, state, 1.0, method=sd.DormandPrince5(step=0.03), record="steps", budget=1e-3)
    np.testing.assert_allclose(np.diff(fixed.time)[:-1], 0.03, rtol=1e-9)
    assert fixed.time[-1] == 1.0


@pytest.mark.parametrize("method", [sd.RungeKutta4(1e-3), sd.DormandPrince5(), sd.DormandPrince8()], ids=repr)
def test_stage_at_the_end_of_a_step_is_taken_at_its_result(method):
    """The driver combines the stages once for both."""
    tableau = method.tableau
    row = tableau.A[tableau.main]
    assert np.array_equal(row[: tableau.main], tableau.b) and not row[tableau.main :].any()
    assert tableau.c[tableau.main] == 1.0
