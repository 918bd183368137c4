"""Bodies that sleep under time-stepping: as if they did not, and every joule and newton second in the ledger."""

import numpy as np
import pytest

import spacedyn as sd
from touching import G, one_body

pytestmark = pytest.mark.packs

DOWN = (0.0, 0.0, -G)
ROUGH = sd.ContactMaterial(1e6, friction=0.6)


def step_through(model, start, duration, elements, step=2e-3, **others):
    given = {"gravity": DOWN, "budget": np.inf, "method": sd.TimeStepping(step), "record": 0.05} | others
    return sd.simulate(model, start, duration, elements=elements, **given)


def boxes_and_a_ball(throw=(2.5, 0.0, 1.0)):
    """Two boxes on each other, and a ball that is thrown at the upper one: it is there after 0.34 s."""
    b = sd.Builder("boxes", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    for name in ("lower", "upper"):
        b.link(name, "free", parent="ground", shapes=sd.shapes.box(1.0, (0.2, 0.2, 0.2)))
    b.link("ball", "free", parent="ground", shapes=sd.shapes.sphere(1.0, 0.05))
    on_top = {"surface": sd.Plane(position=(0, 0, 0.1)), "other": "lower"}
    ball = {"points": (0, 0, 0), "radius": 0.05, "material": ROUGH}
    touches = [
        sd.Contact("lower", corners, material=ROUGH, name="ground"),
        sd.Contact("upper", corners, material=ROUGH, name="between", **on_top),
        sd.Contact("ball", surface=sd.Plane((-1, 0, 0), position=(-0.1, 0, 0)), other="upper", name="hit", **ball),
        sd.Contact("ball", name="floor", **ball),
    ]
    model = b.build()
    places = {"lower": [0, 0, 0.1], "upper": [0, 0, 0.3], "ball": [-1.0, 0.01, 0.6]}
    q = {name: [*place, 0, 0, 0, 1] for name, place in places.items()}
    return model, touches, model.state(q=q, qd={"ball": [*throw, 0, 0, 0]})


def test_what_sleeps_is_struck_as_if_it_were_awake():
    """Boxes sleep after 0.1 s; a ball wakes the upper one, and so the lower one, with the step in which it strikes."""
    model, touches, start = boxes_and_a_ball()
    awake = step_through(model, start, 0.8, touches)
    run = step_through(model, start, 0.8, [*touches, sd.Sleeping(after=0.1)])
    asleep = run["sleeping.asleep"]
    struck = run["t"][:, 0] > 0.34
    assert asleep.shape[1] == 4 and not asleep[:, [0, 3]].any()  # what cannot move does not sleep; the ball flies
    assert asleep[3:7, 1:3].all() and not asleep[struck, 1:3].any()
    np.testing.assert_allclose(run["u"], awake["u"], atol=1e-9)
    np.testing.assert_allclose(run["x"], awake["x"], atol=1e-9)
    np.testing.assert_allclose(run["between.normal_force"], awake["between.normal_force"], rtol=1e-6)  # those felt last
    assert run.audit().energy == pytest.approx(awake.audit().energy, rel=1e-6)
    assert abs(run["u"][3:7, :12]).max() == 0.0


def rolling_ball(speed=0.04):
    ball = one_body(1.0, (4e-3, 4e-3, 4e-3))
    floor = sd.Contact("body", (0, 0, 0), radius=0.1, material=ROUGH, name="floor")
    start = ball.state(base_position=[0, 0, 0.1], base_velocity=[speed, 0, 0], base_rate=[0, 10.0 * speed, 0])
    return ball, floor, start


def test_energy_and_momentum_that_it_had_are_booked():
    """A ball rolls at 4 cm/s, below a coarse threshold: 7/10 m v² and m v are what sleep took, and the audit closes."""
    ball, floor, start = rolling_ball()
    run = step_through(ball, start, 0.5, [floor, sd.Sleeping(speed=0.06, after=0.2)])
    assert run["asleep"][:, 1].tolist() == [0.0] * 5 + [1.0] * 6
    assert abs(run.final.u).max() == 0.0
    assert run["element_dissipated"][-1, 1] == pytest.approx(0.7 * 0.04**2, rel=1e-12)
    assert run["impulse"][-1] == pytest.approx([-0.04, 0, 0, 0, -10.0 * 0.04 * 4e-3, 0], abs=1e-12)
    audit = run.audit()
    assert max(audit.energy, audit.linear_momentum, audit.angular_momentum) < 1e-12
    assert run.final.base_position[0] == pytest.approx(0.04 * 0.202, rel=1e-9)  # after 0.2 s


@pytest.mark.parametrize("by", ["a wrench", "a law", "an event"])
def test_it_wakes_when_another_force_acts(by):
    """At 0.4 s: the ball moves as one that never slept."""
    ball, floor, _ = rolling_ball()
    start, others = ball.state(base_position=[0, 0, 0.1]), {}
    elements = [floor]
    if by == "a wrench":
        elements.append(sd.Wrench("body", force=(1.0, 0, 0), start=0.4))
    elif by == "a law":
        others["laws"] = [push_late()]
    else:
        kick = sd.Event(clock(), action=lambda t, x: x.replace(base_velocity=[0.5, 0, 0]))
        others["events"] = [kick]
    runs = [step_through(ball, start, 0.6, [*elements, *more], **others) for more in ((), (sd.Sleeping(after=0.1),))]
    asleep = runs[1]["asleep"][:, -1]
    assert asleep[4:8].all() and not asleep[9:].any()
    np.testing.assert_allclose(runs[1].final.u, runs[0].final.u, atol=1e-9)
    assert runs[1].final.base_velocity[0] > 0.05


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - 0.4


@sd.law
def push_late(t, s, p, out):
    """A push from 0.4 s on."""
    if t >= 0.4:
        out.base_wrench[0] = 1.0


def test_what_turns_back_is_not_stopped():
    """In 1e-4 m/s² a ball that was thrown up, and one that rolls up a slope, are slow for 20 s; neither sleeps."""
    weak = {"gravity": (0, 0, -1e-4), "record": 5.0}
    sleeping = sd.Sleeping(speed=1e-3, after=2.0)
    ball, floor, _ = rolling_ball()
    thrown = ball.state(base_position=[0, 0, 0.2], base_velocity=[0, 0, 1e-3])
    assert not step_through(ball, thrown, 20.0, [floor, sleeping], 0.05, **weak)["asleep"].any()
    tilt = np.radians(5.0)
    slope = sd.Contact(
        "body", (0, 0, 0), radius=0.1, surface=sd.Plane((np.sin(tilt), 0, np.cos(tilt))), material=ROUGH, name="slope"
    )
    up = -5e-4 * np.array([np.cos(tilt), 0, -np.sin(tilt)])
    start = ball.state(base_position=[0, 0, 0.1 / np.cos(tilt)], base_velocity=up, base_rate=[0, -5e-3, 0])
    run = step_through(ball, start, 150.0, [slope, sleeping], 0.05, **weak | {"record": 50.0})
    assert not run["asleep"].any() and run.final.base_velocity[0] > 1e-4


def test_packs_and_pauses_change_no_bit(tmp_path):
    """Robots whose boxes sleep and wake at other times, each as if it were alone; and a run that goes on asleep."""
    model, touches, start = boxes_and_a_ball()
    qd = np.tile(start.qd, (5, 1))
    qd[:, 12] += np.linspace(-0.8, 0.8, 5)
    qd[:, 0] += [0.0, 0.3, 0.0, 0.1, 0.0]
    starts = model.state(q=start.q, qd=qd)
    elements = [*touches, sd.Sleeping(after=0.1)]
    together = step_through(model, starts, 0.6, elements)
    asleep = together["sleeping.asleep"]
    assert len({tuple(asleep[:, i].sum(axis=1)) for i in range(5)}) > 2
    for i in (1, 2, 4):
        alone = step_through(model, starts[i], 0.6, elements)
        for name in ("x", "u", "sleeping.asleep", "between.normal_force", "element_dissipated"):
            assert np.array_equal(alone[name], together[name][:, i]), name
    part = step_through(model, starts[2], 0.25, elements)
    part.save(tmp_path / "part.nc")
    on, whole = sd.Run.load(tmp_path / "part.nc").resume(until=0.6), step_through(model, starts[2], 0.6, elements)
    assert asleep[5, 2].sum() == 2 and np.array_equal(on["x"], whole["x"]) and np.array_equal(on["u"], whole["u"])


def test_bodies_that_rest_change_no_bit():
    """A wrench of zero keeps sleepers from resting: they are evaluated in each step, and all is as without it."""
    model, touches, start = boxes_and_a_ball()
    elements, nothing = [*touches, sd.Sleeping(after=0.1)], sd.Wrench("ball", force=(0.0, 0, 0))
    one, other = (step_through(model, start, 0.6, [*elements, *more]) for more in ((), (nothing,)))
    assert one["sleeping.asleep"][5].sum() == 2 and one["sleeping.asleep"][-1].sum() < 2
    for name in ("x", "u", "udot", "sleeping.asleep", "between.normal_force"):
        assert np.array_equal(one[name], other[name]), name
    lost, also = (run["element_dissipated"].sum(axis=1) for run in (one, other))
    np.testing.assert_allclose(lost, also, rtol=0, atol=1e-12)


def kicked(t, state):
    """The upper box slides off."""
    return state.replace(qd={"upper": [0.3, 0, 0, 0, 0, 0]})


def test_boxes_sleep_until_an_event_acts_on_them():
    """An event that acts may hold joints; what it does not hold sleeps before it, wakes with it, and sleeps again."""
    model, touches, start = boxes_and_a_ball(throw=(0.0, 0.0, 0.0))
    event = sd.Event(clock(), action=kicked, name="late")
    run = step_through(model, start, 1.0, [*touches, sd.Sleeping(after=0.1)], events=[event])
    awake = step_through(model, start, 1.0, touches, events=[event])
    asleep, time = run["sleeping.asleep"][:, 1:3], run["t"][:, 0]
    assert asleep[(time > 0.13) & (time < 0.4)].all() and not asleep[(time > 0.41) & (time < 0.49)].any()
    assert asleep[time > 0.7].all()
    np.testing.assert_allclose(run["x"], awake["x"], atol=1e-7)
    assert run.final.q[model.q_slice("upper")][0] > 5e-3


def test_a_robot_sleeps_until_an_event_holds_a_joint_of_it():
    b = sd.Builder("robot")
    b.base("body", shapes=sd.shapes.box(2.0, (0.4, 0.4, 0.2)))
    b.link("mast", "revolute", parent="body", axis=(0, 0, 1), shapes=sd.shapes.box(0.5, (0.1, 0.1, 0.1)))
    robot = b.build()
    feet = sd.Contact("body", shape=sd.shapes.box(2.0, (0.4, 0.4, 0.2)), material=ROUGH)
    hold = sd.Event(clock(), action=sd.actions.lock("mast"), name="hold")
    elements = [feet, sd.Sleeping(after=0.1)]
    run = step_through(robot, robot.state(base_position=[0, 0, 0.1]), 1.0, elements, events=[hold])
    time = run["t"][:, 0]
    asleep = run["sleeping.asleep"]
    assert asleep[(time > 0.13) & (time < 0.4)].all() and not asleep[time > 0.41].any()


def test_bad_input_is_named():
    ball, floor, start = rolling_ball()
    with pytest.raises(sd.InputError, match="under TimeStepping alone"):
        step_through(ball, start, 0.1, [floor, sd.Sleeping()], method=None)
    with pytest.raises(sd.InputError, match="there are two"):
        step_through(ball, start, 0.1, [floor, sd.Sleeping(), sd.Sleeping(name="more")])
    with pytest.raises(sd.UnknownName, match="bodi"):
        step_through(ball, start, 0.1, [floor, sd.Sleeping(bodies=["bodi"])])
    with pytest.raises(sd.InputError, match="after must be positive"):
        sd.Sleeping(after=0.0)
