"""Motion near a circular orbit: closed forms, both kinds of axes, a tether, librations, full gravity far away."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq

import spacedyn as sd

pytestmark = pytest.mark.packs
RATE = 0.0011
INERTIA = (12250.0, 12250.0, 500.0)
TIGHT = sd.DormandPrince8(rtol=1e-12, atol=1e-16)  # for small angles in turning axes


def period(t, angle):
    """Mean period of an oscillation, from its zeros."""
    curve = make_interp_spline(t, angle, k=7)
    changes = np.flatnonzero(np.sign(angle[:-1]) != np.sign(angle[1:]))
    zeros = [brentq(lambda x: float(curve(x)), t[i], t[i + 1], xtol=1e-9) for i in changes]
    assert len(zeros) > 4
    return 2.0 * (zeros[-1] - zeros[0]) / (len(zeros) - 1)


def block(inertia=(10.0, 12.0, 15.0)):
    b = sd.Builder("block")
    b.base("block", mass=100.0, inertia=inertia)
    return b.build()


def test_clohessy_wiltshire():
    """n = 0.0011, x0 = (100, -200, 50), v0 = (0.1, -0.05, 0.02): x(600) as computed elsewhere, 1e-9 m."""
    state = block().state(base_position=[100.0, -200.0, 50.0], base_velocity=[0.1, -0.05, 0.02])
    run = sd.simulate(block(), state, 600.0, elements=[sd.HillFrame(RATE)], record=[0.0, 600.0])
    expected = [199.648610866, -287.788910721, 50.647190702]
    np.testing.assert_allclose(run["base_position"][-1], expected, rtol=0, atol=1.5e-9)
    closed = sd.orbit.clohessy_wiltshire(*(run[name][0] for name in ("base_position", "base_velocity")), RATE, 600.0)
    np.testing.assert_allclose(run["base_velocity"][-1], closed.velocity, rtol=0, atol=1e-12)
    assert run.audit().energy < 1e-12  # Jacobi's integral


@pytest.mark.parametrize(("degrees", "expected", "tolerance"), [(0.01, 3367.252367, 1e-4), (5.0, 3373.674351, 2e-6)])
@pytest.mark.parametrize("axes", ["gradient", "turning"])
def test_pitch_libration(degrees, expected, tolerance, axes):
    """I = (12250, 12250, 500): small, and at 5 deg by an elliptic integral. 0.01 deg adds 3e-5 s."""
    model = block(INERTIA)
    upright = sd.Rotation.from_matrix(np.column_stack([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))  # its z axis points up
    off = sd.Rotation.from_rotvec([0, 0, np.radians(degrees)])
    still = axes == "gradient"
    state = model.state(base_attitude=off * upright, base_rate=[0, 0, RATE if still else 0.0])
    element = sd.GravityGradient(RATE) if still else sd.HillFrame(RATE)
    run = sd.simulate(model, state, 20000.0, elements=[element], record=20.0, method=TIGHT)
    axis = run.states.base_attitude.as_matrix()[:, :, 2]
    angle = np.arctan2(axis[:, 1], axis[:, 0]) - (RATE * run.time if still else 0.0)
    angle = np.mod(angle + np.pi, 2 * np.pi) - np.pi
    assert period(run.time, angle) == pytest.approx(expected, abs=tolerance)
    assert run.audit().worst < 1e-9
    assert np.abs(run["base_position"]).max() < 1e-9


def test_roll_libration():
    """Pitch and yaw held in turning axes: pi / (n sqrt((Iy - Iz) / Ix)) = 2916.126091 s."""
    b = sd.Builder("roll", base="fixed")
    b.base("pole", mass=1.0, inertia=(1, 2, 2.5))
    b.link("roll", parent="pole", axis=(0, 1, 0), mass=1000.0, inertia=(500.0, 12250.0, 12250.0))
    model = b.build()
    start = model.state(q=[np.radians(0.01)])
    run = sd.simulate(model, start, 20000.0, elements=[sd.HillFrame(RATE)], record=20.0, method=TIGHT)
    assert period(run.time, run["q"][:, 0]) == pytest.approx(2916.126091, abs=1e-4)


def tethered(mass, density, length, pivot):
    b = sd.Builder("tether", base="fixed")
    b.base("orbiter", mass=1e5, inertia=(1e4, 2e4, 2.5e4))
    kind, axis = ("revolute", pivot) if pivot else ("prismatic", (1, 0, 0))
    thin = density * length**3 / 12.0
    b.link(
        "tether", kind, parent="orbiter", axis=axis, mass=density * length, inertia=(1e-6, thin, thin),
        com=(0.5 * length, 0, 0),
    )  # fmt: skip
    b.link(
        "satellite", "prismatic", parent="tether", position=(length, 0, 0), axis=(1, 0, 0), mass=mass,
        inertia=(1e-6, 1.1e-6, 1.2e-6),
    )  # fmt: skip
    return b.build()


def test_a_tethered_satellite():
    """TSS-1R: 518 kg on 19.7 km of 8.16 g/m at 296 km, linear gradient: tensions and periods of the closed form."""
    n, hold = 0.0011579137526164143, {"tether": "locked", "satellite": "locked"}
    given = (518.0, 0.00816, 19700.0)
    model = tethered(*given, None)
    run = sd.simulate(model, model.neutral_state(), 1.0, elements=[sd.HillFrame(n)], prescribed=hold, record=[0.0])
    pull = -run["forces"][0]
    assert pull[0] == pytest.approx(47.414816198039276, rel=1e-10)
    assert pull[1] == pytest.approx(41.045888856813015, rel=1e-10)
    for axis, expected in (((0, 0, 1), 3132.87472428023), ((0, 1, 0), 2713.1490981008483)):
        swinging = tethered(*given, axis)
        start = swinging.state(q={"tether": 1e-5})
        hold = {"satellite": "locked"}
        run = sd.simulate(
            swinging, start, 10000.0, elements=[sd.HillFrame(n)], prescribed=hold, record=20.0, method=TIGHT
        )
        assert period(run.time, run["q"][:, 0]) == pytest.approx(expected, rel=1e-9)


def tumbling():
    b = sd.Builder("tumbling")
    b.base("bus", mass=100.0, inertia=(10.0, 12.0, 15.0), com=(0.1, 0.2, 0.3))
    b.link(
        "arm", parent="bus", position=(1, 0, 0), axis=(0, 0.6, 0.8), mass=20.0, inertia=(1, 2, 2.5), com=(0.5, 0.1, 0)
    )
    return b.build()


def test_turning_and_still_axes_see_one_motion():
    """An arm that tumbles, with all its inertial moments: places to 1e-9 m, attitudes and joints to 1e-10."""
    model, n, end = tumbling(), 0.05, 60.0
    spin = np.array([0.0, 0.0, n])
    turned = sd.Rotation.from_rotvec([0.3, -0.2, 0.5])
    r, v, w = np.array([3.0, -2.0, 1.0]), np.array([0.1, 0.2, -0.1]), np.array([0.2, -0.3, 0.1])
    one = model.state(base_position=r, base_velocity=v, base_rate=w, base_attitude=turned, q=[0.3], qd=[0.2])
    other = model.state(
        base_position=r,
        base_velocity=v + np.cross(spin, r),
        base_rate=w + spin,
        base_attitude=turned,
        q=[0.3],
        qd=[0.2],
    )
    turning = sd.simulate(model, one, end, elements=[sd.HillFrame(n)], record=10.0)
    still = sd.simulate(model, other, end, elements=[sd.HillFrame(n, axes="still")], record=10.0)
    axes = sd.Rotation.from_rotvec(np.outer(turning.time, spin))
    np.testing.assert_allclose(axes.apply(turning["base_position"]), still["base_position"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(turning["q"], still["q"], rtol=0, atol=1e-10)
    off = (axes * turning.states.base_attitude) * still.states.base_attitude.inv()
    assert off.magnitude().max() < 1e-10
    assert turning.audit().worst < 1e-10 and still.audit().worst < 1e-10


def test_full_gravity_agrees_as_near_as_it_is_linear():
    """Against an orbiting origin: at 10 m, 10 m / 7000 km = 1e-6 of the way; ten times nearer, ten times less."""
    a = 7.0e6
    n = sd.orbit.mean_motion(a)
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(a))
    model, errors = tumbling(), []
    for size in (100.0, 10.0):
        d = size * np.array([0.6, -0.5, 0.4])
        state = model.state(base_position=d, q=[0.3])
        linear = sd.simulate(model, state, 1500.0, elements=[sd.HillFrame(n, axes="still")], record=[0.0, 1500.0])
        full = [sd.CentralGravity(), sd.OrbitingOrigin(r, v)]
        whole = sd.simulate(model, state, 1500.0, elements=full, record=[0.0, 1500.0])
        moved = np.linalg.norm(whole["base_position"][-1] - d)
        errors.append(np.linalg.norm(whole["base_position"][-1] - linear["base_position"][-1]) / moved)
    assert errors[0] < 1e-4 and errors[0] / errors[1] == pytest.approx(10.0, rel=0.3)


def test_a_gradient_leaves_the_centre_of_mass_where_it_is():
    """Of an arm that swings: no force on the whole; turned up and normal are another orbit of the same motion."""
    model = tumbling()
    turn = sd.Rotation.from_rotvec([0.4, 0.7, -0.3])
    state = model.state(base_rate=[0.1, 0.2, 0.3], q=[0.3], qd=[0.2])
    moved = model.state(base_attitude=turn, base_rate=turn.apply([0.1, 0.2, 0.3]), q=[0.3], qd=[0.2])
    other = sd.GravityGradient(0.05, up=turn.apply([1, 0, 0]), normal=turn.apply([0, 0, 1]))
    runs = [
        sd.simulate(model, start, 60.0, elements=[one], record=10.0)
        for start, one in ((state, sd.GravityGradient(0.05)), (moved, other))
    ]
    com = sd.center_of_mass(model, runs[0].states)
    speed = sd.center_of_mass_velocity(model, state)
    np.testing.assert_allclose(com, com[0] + np.outer(runs[0].time, speed), atol=1e-11)
    np.testing.assert_allclose(runs[0]["q"], runs[1]["q"], atol=1e-10)
    free = sd.simulate(model, state, 60.0, record=10.0)
    assert np.abs(free["q"] - runs[0]["q"]).max() > 1e-2  # the gradient is to be seen


def test_batches_and_radau():
    model = tumbling()
    rng = np.random.default_rng(3)
    states = model.state(base_position=rng.normal(size=(5, 3)), q=rng.normal(size=(5, 1)))
    for element in (sd.HillFrame(0.05), sd.HillFrame(0.05, axes="still"), sd.GravityGradient(0.05)):
        together = sd.simulate(model, states, 5.0, elements=[element], record=5.0)
        alone = sd.simulate(model, states[3], 5.0, elements=[element], record=5.0)
        np.testing.assert_allclose(together["base_position"][:, 3], alone["base_position"], rtol=0, atol=1e-11)
        stiff = sd.simulate(model, states[3], 5.0, elements=[element], record=5.0, method=sd.Radau5(1e-9, 1e-11))
        np.testing.assert_allclose(stiff["base_position"], alone["base_position"], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.HillFrame(-1.0), "mean_motion"),
        (lambda: sd.HillFrame(1.0, axes="hill"), "turning, still"),
        (lambda: sd.GravityGradient(1.0, up=(0, 0, 1)), "right angles"),
        (lambda: run_with(sd.HillFrame(1.0), sd.HillFrame(2.0, name="b")), "one motion"),
        (lambda: run_with(sd.HillFrame(1.0), sd.OrbitingOrigin([7e6, 0, 0], [0, 7e3, 0])), "one motion"),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(sd.SpacedynError, match=words):
        make()


def run_with(*elements):
    return sd.simulate(block(), block().neutral_state(), 1.0, elements=elements)
