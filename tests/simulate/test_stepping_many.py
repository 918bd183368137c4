"""Many shapes under time-stepping, whose near pairs are found by cells: as if all pairs had been named."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.elements import shape_numbers
from touching import G

pytestmark = pytest.mark.packs

DOWN = (0.0, 0.0, -G)
ROUGH = sd.ContactMaterial(1e6, friction=0.4)
COUNT = 27


def heap(rests=False):
    """Balls and boxes that fall on each other and on a floor, a layer of nine after the other; all pairs by name.

    `rests`: all of the first layer and boxes of the second lie there, others fall on them after 0.2 s.
    """
    b, rng, q = sd.Builder("heap", base="fixed"), np.random.default_rng(3), {}
    b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
    for i in range(COUNT):
        is_box, layer = i % 3 == 1, i // 9
        shape = sd.shapes.box(1.0, (0.1, 0.09, 0.08)) if is_box else sd.shapes.sphere(0.5, 0.05)
        b.link(f"s{i}", "free", parent="ground", shapes=[shape])
        lies, height = rests and layer <= is_box, 0.1 + 0.2 * layer if rests else 0.07 + 0.125 * layer
        spread = 0.0 if lies else 0.01
        height = (0.04 + 0.08 * layer if is_box else 0.05) if lies else height
        place = [0.12 * (i % 3), 0.12 * (i // 3 % 3), height] + spread * rng.uniform(-1, 1, 3)
        q[f"s{i}"] = [*place, *sd.Rotation.from_rotvec(3.0 * spread * rng.normal(size=3)).as_quat()]
    names = [f"s{i}" for i in range(COUNT)]
    pairs = [(a, c) for i, a in enumerate(names) for c in names[i + 1 :]] + [(a, "plane") for a in names]
    model = b.build()
    return model, model.state(q=q), pairs


def step_through(start, duration, elements, **others):
    given = {"gravity": DOWN, "budget": np.inf, "method": sd.TimeStepping(2e-3), "record": 0.02} | others
    return sd.simulate(start.model, start, duration, elements=elements, **given)


def by_cells(material=ROUGH):
    return sd.ShapeContact(material, surfaces=sd.Plane(), rounding=8e-3, name="touch")


@pytest.mark.parametrize("sleeping", [False, True])
def test_the_same_as_if_all_pairs_were_named(sleeping):
    """To the bit, with three sweeps a step: so each place begins with the force that it felt, wherever it is now."""
    _, start, pairs = heap(rests=sleeping)
    named = sd.ShapeContact(ROUGH, surfaces=sd.Plane(), pairs=pairs, rounding=8e-3, name="touch")
    more = [sd.Sleeping(speed=0.05, after=0.02)] if sleeping else []
    few = {"method": sd.TimeStepping(2e-3, sweeps=3)}
    one, other = (step_through(start, 0.4, [contact, *more], **few) for contact in (by_cells(), named))
    assert one.simulation.elements[0].here.pairs is None and other.simulation.elements[0].here.pairs is not None
    for name in ("x", "u", "element_wrenches", "element_dissipated"):
        assert np.array_equal(one[name], other[name]), name
    force, gap = other["touch.normal_force"], other["touch.gap"]
    np.testing.assert_allclose(one["normal_force"][:, 0], force.sum(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one["least_gap"][:, 0], gap.min(axis=1), rtol=0, atol=1e-15)
    assert np.array_equal(one["touching"][:, 0], (force > 0.0).sum(axis=1)) and (force > 0.0).sum() > 300
    if sleeping:
        asleep = one["sleeping.asleep"].sum(axis=1)
        assert asleep[5] == 12 and asleep[-1] < 12


def test_energy_and_momentum():
    """Energy never rises, and the ledger knows what was lost; without weight and floor momentum stays."""
    model, start, _ = heap()
    run = step_through(start, 0.8, [by_cells()], method=sd.TimeStepping(1e-3), record=0.01)
    total, lost = run.energy().total, run["element_dissipated"][:, 0]
    assert np.diff(total).max() < 1e-6 * total[0] and np.diff(lost).min() > -1e-6 * lost[-1]
    assert lost[-1] > 1.0 and total[0] - total[-1] == pytest.approx(lost[-1], rel=0.05)
    assert run.audit().energy < 5e-3 and run["least_gap"].min() > -2e-4
    weight = G * sum(body.mass for body in model.bodies[1:])
    felt = run["element_wrenches"].reshape(len(total), -1, 6)[-1, :, 2].sum()  # pairs push each other: the floor's
    assert felt == pytest.approx(weight, rel=0.05)
    cloud = dispersed(start, 1)[0]
    run = step_through(cloud, 0.2, [sd.ShapeContact(ROUGH)], gravity=(0, 0, 0))
    first, last = (sd.momentum(model, state, about="origin") for state in (cloud, run.final))
    assert run["element_dissipated"][-1, 0] > 0.05
    assert abs(last - first)[:3].max() < 1e-13 and abs(last - first).max() < 1e-3 * abs(first).max()


def dispersed(start, n):
    rng = np.random.default_rng(8)
    shift = 0.004 * rng.normal(size=(n, 1)) * np.tile([1, 1, 1, 0, 0, 0, 0], COUNT)
    qd = 0.2 * rng.normal(size=(n, start.model.nv))
    return start.model.state(q=start.q + shift, qd=qd)


def test_robots_of_a_pack_move_as_alone():
    """To the bit, as if pairs were named too, although their pairs are near at other times and share one list."""
    _, start, pairs = heap(rests=True)
    named = sd.ShapeContact(ROUGH, surfaces=sd.Plane(), pairs=pairs, rounding=8e-3, name="touch")
    starts, sleeping = dispersed(start, 5), sd.Sleeping(speed=0.1, after=0.02)
    run, other = (step_through(starts, 0.3, [contact, sleeping]) for contact in (by_cells(), named))
    for name in ("x", "u", "element_wrenches", "sleeping.asleep"):
        assert np.array_equal(run[name], other[name]), name
    assert len(set(run["touching"][-1, :, 0])) > 1 and run["sleeping.asleep"].any()
    for i in range(5):
        alone = step_through(starts[i], 0.3, [by_cells(), sleeping])
        for name in ("x", "u", "least_gap", "sleeping.asleep"):
            assert np.array_equal(run[name][:, i], alone[name]), name


def test_it_goes_on_to_the_bit(tmp_path):
    """From a file, while some sleep and others fall: list and places are found anew, and what was felt is there."""
    _, start, _ = heap(rests=True)
    elements = [by_cells(), sd.Sleeping(speed=0.05, after=0.02)]
    few = {"method": sd.TimeStepping(2e-3, sweeps=3)}
    whole, part = (step_through(start, end, elements, **few) for end in (0.4, 0.14))
    assert part["sleeping.asleep"][-1].sum() == 12
    part.save(tmp_path / "part.nc")
    on = sd.Run.load(tmp_path / "part.nc").resume(until=0.4)
    for name in ("x", "u", "element_wrenches", "least_gap", "sleeping.asleep"):
        assert np.array_equal(on[name], whole[name]), name


def test_what_is_looked_at_between_steps_changes_nothing():
    """Rows of the record a third of a step apart: the same motion to the bit."""
    _, start, _ = heap()
    few = {"method": sd.TimeStepping(2e-3, sweeps=3)}
    ends = [step_through(start, 0.2, [by_cells()], record=every, **few).final for every in (0.1, 2e-3 / 3)]
    assert np.array_equal(ends[0].x, ends[1].x) and np.array_equal(ends[0].u, ends[1].u)


@pytest.mark.parametrize("room", [{"_ROOM": 1}, {"_ROUND_PLACES": 1, "_PLACES": 0, "_SURFACE_PLACES": 0}])
def test_no_room_ends_the_run_by_name(room, monkeypatch):
    _, start, _ = heap()
    for name, value in room.items():
        monkeypatch.setattr(shape_numbers, name, value)
    with pytest.raises(sd.SimulationFailed, match=r"'touch' has room for .* that are near"):
        step_through(start, 0.4, [by_cells()])


@pytest.mark.parametrize("count", [3, 25])
def test_balls_resist_rolling(count):
    """v - 5 rho g t / 7 R of balls that roll beside each other, by a list of pairs and by cells; then they lie."""
    rho, R, v, t = 2e-3, 0.05, np.linspace(0.3, 0.5, count), 0.5
    b, q, qd = sd.Builder("balls", base="fixed"), {}, {}
    b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
    for i in range(count):
        b.link(f"s{i}", "free", parent="ground", shapes=[sd.shapes.sphere(0.5, R)])
        q[f"s{i}"], qd[f"s{i}"] = [0, 0.11 * i, R, 0, 0, 0, 1], [v[i], 0, 0, 0, v[i] / R, 0]
    model, grass = b.build(), sd.ContactMaterial(1e6, friction=0.5, rolling=rho)
    run = step_through(model.state(q=q, qd=qd), 2.0, [by_cells(grass)], record=[t, 2.0])
    assert (run.simulation.elements[0].here.pairs is None) == (count == 25)
    speeds = run["u"].reshape(2, count, 6)
    np.testing.assert_allclose(speeds[0, :, 0], v - 5.0 / 7.0 * rho * G / R * t, rtol=1e-9)
    np.testing.assert_allclose(speeds[0, :, 4], speeds[0, :, 0] / R, rtol=1e-9)
    moments = run["element_wrenches"].reshape(2, count, 6)[0, :, 4]
    np.testing.assert_allclose(moments, -rho * 0.5 * G + R * 0.5 * 5.0 / 7.0 * rho * G / R, rtol=1e-9)
    assert abs(speeds[1]).max() < 1e-12
    lost = run["element_dissipated"][-1, 0]
    assert lost == pytest.approx(0.7 * 0.5 * (v**2).sum(), rel=1e-6)
