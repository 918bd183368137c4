"""Figures of runs: every quantity that a run has is drawn right, with labels and units."""

import io

import numpy as np
import pytest
from PIL import Image

import spacedyn as sd
from random_trees import random_model
from spacedyn.show.plots.curves import key_names, names, panels
from spacedyn.show.plots.derived import continuous_rotation_vectors
from spacedyn.show.plots.style import STYLES


def tree_run(base="free", size=None, **options):
    """A tree with every kind of joint, under a spring and a wrench."""
    rng = np.random.default_rng(5)
    model = random_model(rng, 9, base_kind=base, passive=True)
    state = model.random_state(rng, size)
    hung = sd.Spring(model.body_names[2], stiffness=3.0, damping=0.2, other_point=(1.0, 0, 0))
    pushed = sd.Wrench(model.body_names[0], force=(1.0, 2.0, 0.5), stop=0.3)
    return sd.simulate(model, state, 0.5, forces=[hung, pushed], gravity=(0, 0, -1.6), record=0.01, **options)


@sd.law
def drive_on(t, s, p, out):
    out.drive.torque[0] = 1.5


@pytest.fixture(scope="module")
def driven():
    """Elements that share nothing but the robot: a motor, a tether with a damper, friction in a slide."""
    builder = sd.Builder("crane")
    builder.base("bus", mass=20.0, inertia=(3, 4, 5))
    builder.link("arm", parent="bus", axis=(0, 1, 0), mass=2.0, inertia=(0.1, 0.2, 0.2), com=(0.5, 0, 0))
    builder.link("slide", "prismatic", parent="arm", axis=(1, 0, 0), mass=1.0, inertia=(0.1, 0.11, 0.12))
    robot = builder.build()
    elements = [
        sd.Motor("arm", stall_torque=1.0, name="drive"),
        sd.Tether("slide", other_point=(0, 0, 1), stiffness=20.0, damping=3.0, rest_length=0.5, name="line"),
        sd.BristleFriction("slide", coulomb=0.3, static=0.4, stiffness=1e3, damping=20.0, name="rub"),
    ]
    start = robot.state(qd={"arm": -1.0, "slide": 0.5})
    return sd.simulate(robot, start, 3.0, elements=elements, laws=[drive_on()], record=0.01)


@pytest.fixture(scope="module")
def ets7():
    robot = sd.load("ets7")
    return sd.simulate(robot, robot.state(q=[0.1, 0.4, -0.8, 0, 0.4, 0], qd=[0.1, 0, 0, 0.2, 0, 0]), 4.0, record=0.05)


@pytest.mark.parametrize("base", ["free", "fixed", "planar", "attitude"])
@pytest.mark.parametrize("size", [None, 3])
def test_every_name_of_a_run_can_be_drawn(base, size):
    run = tree_run(base, size)
    for name in names(run):
        found = panels(run, name)
        assert found, name
        for panel in found:
            assert panel.values.shape == (run.time.size, *run.shape, len(panel.labels)), name
            assert np.isfinite(panel.values).all()
            assert all(panel.labels)
    assert len(run.plot(*names(run)[:6]).axes) >= 6
    assert set(key_names(run)) <= set(names(run))


def test_curves_are_the_numbers_of_the_dataset():
    run = tree_run()
    for name, variable in run.data.data_vars.items():
        if not variable.size:
            continue
        flat = variable.values.reshape(run.time.size, -1)
        if name == "element_dissipated":  # neither the spring nor the wrench has any
            assert not flat.any() and name not in names(run)
            continue
        if name in ("tension", "element_energy"):  # the wrench has none
            flat = flat[:, :1]
        found = {label: p.values[..., i] for p in panels(run, str(name)) for i, label in enumerate(p.labels)}
        assert len(found) == flat.shape[1], name
        assert {values.tobytes() for values in found.values()} == {column.tobytes() for column in flat.T.copy()}, name


def test_a_channel_of_one_element_is_drawn_by_its_name():
    b = sd.Builder("ball")
    b.base("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    ball = b.build()
    feet = [sd.RigidContact("ball", (x, 0, 0), name=name) for x, name in ((0.1, "left"), (-0.1, "right"))]
    pull = sd.Wrench("ball", force=(0, 0, 1))  # it has no gap, but a column
    start = ball.state(base_position=[0, 0, 1], base_rate=[0, 1, 0])
    run = sd.simulate(ball, start, 0.1, elements=[pull, *feet])
    (panel,) = panels(run, "right.gap")
    assert np.array_equal(panel.values, run["right.gap"]) and panel.labels == ("right",)


def test_units_go_by_the_kind_of_joint():
    run = tree_run()
    wanted = {"revolute": "rad", "prismatic": "m", "helical": "rad"}
    for joint in run.model.joints:
        if joint.kind in wanted:
            (panel,) = panels(run, f"q.{joint.name}")
            assert panel.unit == wanted[joint.kind]
            np.testing.assert_array_equal(panel.values[:, 0], run.states.q[:, run.model.q_slice(joint.name).start])
    by_label = {label: p.unit for p in panels(run, "udot") for label in p.labels}
    assert by_label["base.vx"] == "m/s²" and by_label["base.wx"] == "rad/s²"
    assert [p.unit for p in panels(run, "impulse")] == ["N s", "N m s"]


def test_the_ledger_adds_up():
    run = tree_run()
    book, error, momentum = panels(run, "ledger")
    of = dict(zip(book.labels, book.values.T, strict=True))
    gained = of.pop("energy gained")
    np.testing.assert_allclose(gained - sum(of.values()), error.values[:, 0], atol=1e-9)
    assert np.abs(error.values).max() < 1e-6 * np.abs(gained).max()
    assert momentum.labels == ("linear", "angular")


def test_the_ledger_of_elements_adds_up(driven):
    book, error, _ = panels(driven, "ledger")
    of = dict(zip(book.labels, book.values.T, strict=True))
    assert list(of) == ["energy gained", "work of elements", "dissipated in elements"]
    assert of["dissipated in elements"][-1] < -0.05
    gained = of.pop("energy gained")
    np.testing.assert_allclose(gained - sum(of.values()), error.values[:, 0], atol=1e-12)
    assert np.abs(error.values).max() < 1e-6 * np.abs(gained).max()


@pytest.mark.parametrize(
    ("name", "owners", "title", "unit"),
    [
        ("torque", ("drive",), "torque: drive", "N m"),
        ("power", ("drive",), "power: drive", "W"),
        ("tension", ("line",), "tension: line", "N"),
        ("friction", ("rub",), "friction: rub", "N"),
        ("rub.bristle", ("rub.bristle",), "rub.bristle", "m"),
        ("element_work", ("drive", "line"), "work of elements", "J"),
        ("element_energy", ("line", "rub"), "stored energy of elements", "J"),
        ("element_dissipated", ("rub",), "dissipated in elements: rub", "J"),
    ],
)
def test_a_channel_of_elements_is_drawn_of_those_that_have_it(driven, name, owners, title, unit):
    (panel,) = panels(driven, name)
    assert (panel.title, panel.labels, panel.unit) == (title, owners, unit)
    assert all(np.any(curve) for curve in panel.values.T)
    legend = driven.plot(name).axes[0].get_legend()
    assert len(owners) == 1 or tuple(text.get_text() for text in legend.get_texts()) == owners
    one = f"{name}.{owners[0]}" if name != "rub.bristle" else name
    np.testing.assert_array_equal(panels(driven, one)[0].values[:, 0], panel.values[:, 0])


def test_a_channel_that_no_element_has_is_no_name(driven):
    robot = driven.model
    pushed = sd.simulate(robot, robot.neutral_state(), 0.1, elements=[sd.Wrench("bus", force=(1, 0, 0))])
    assert not {"tension", "element_energy", "element_dissipated"} & set(names(pushed))
    with pytest.raises(sd.UnknownName, match="no quantity named 'tension'"):
        pushed.plot("tension")
    with pytest.raises(sd.UnknownName, match=r"no curve named 'torque.line'.*torque.drive"):
        driven.plot("torque.line")


def test_a_curve_whose_label_has_dots_is_found(driven):
    (panel,) = panels(driven, "element_wrench.line on slide.fx")
    assert panel.labels == ("line on slide.fx",) and np.ptp(panel.values) > 0.1
    (panel,) = panels(driven, "udot.base.vx")
    np.testing.assert_array_equal(panel.values[:, 0], driven["udot"][:, 0])


def test_wrenches_of_elements_have_titles(driven):
    forces, moments = panels(driven, "element_wrench")
    assert (forces.title, forces.unit) == ("forces of elements", "N")
    assert (moments.title, moments.unit) == ("moments of elements", "N m")
    assert forces.labels[:3] == ("line on slide.fx", "line on slide.fy", "line on slide.fz")


def test_numbers_of_an_element_have_the_names_that_it_gave_them(tmp_path):
    """In the dataset, the table, figures, and what is read again."""
    robot = sd.load("planar_four_link")
    gyro = sd.Gyro("base", period=0.1, noise=1e-4, random_walk=1e-5, name="gyro")
    run = sd.simulate(robot, robot.state(qd=[0.1, 0.2, -0.1, 0.3]), 1.0, elements=[gyro], record=0.25)
    assert panels(run, "gyro.angular_velocity")[0].labels == panels(run, "gyro.drift")[0].labels == ("x", "y", "z")
    z = run["gyro.angular_velocity"][:, 2]
    run.save(tmp_path / "run.nc")
    for one in (run, sd.Run.load(tmp_path / "run.nc")):
        named = one.data["gyro.angular_velocity"]
        np.testing.assert_array_equal(named.sel({"gyro.angular_velocity.part": "z"}), z)
        np.testing.assert_array_equal(one.to_dataframe()["gyro.angular_velocity.z"], z)
        np.testing.assert_array_equal(panels(one, "gyro.angular_velocity.z")[0].values[..., 0], z)


def test_momentum_that_is_only_round_off_is_shown_as_zero():
    robot = sd.load("ets7")
    start = robot.state(q=[0.1, 0.4, -0.8, 0, 0.4, 0])
    moved = sd.simulate(robot, start, 2.0, prescribed={"joint2": sd.waypoints([0, 2], [0.4, 1.0])})
    for panel in panels(moved, "momentum"):
        assert np.abs(panel.values).max() < 1e-6 * panel.least
    pushed = sd.simulate(robot, start, 2.0, forces=[sd.Wrench("base", force=(5, 0, 0))])
    assert panels(pushed, "momentum")[0].least == 0.0


@pytest.mark.parametrize(("held", "at_rest"), [(1e-15, True), (1e-3, False)])
def test_a_joint_that_only_trembles_by_round_off_is_shown_at_rest(held, at_rest):
    builder = sd.Builder("slide", base="fixed")
    builder.base("wall", mass=1.0, inertia=(1, 2, 2))
    builder.link("arm", "revolute", parent="wall", mass=2.0, inertia=(1, 2, 2))
    builder.link("rod", "prismatic", parent="arm", mass=2.0, inertia=(1, 2, 2))
    robot = builder.build()
    run = sd.simulate(robot, robot.state(qd={"arm": 0.5}), 2.0, prescribed={"rod": held}, adjust=True)
    angles, lengths = panels(run, "q")
    assert (angles.unit, angles.least, lengths.unit, lengths.least > 0) == ("rad", 0.0, "m", at_rest)


def test_attitudes_do_not_jump_at_half_a_turn():
    angle = np.linspace(0, 20, 500)
    axis = np.array([1, 2, -2]) / 3
    turns = sd.Rotation.from_rotvec(angle[:, None] * axis)
    np.testing.assert_allclose(continuous_rotation_vectors(turns), angle[:, None] * axis, atol=1e-12)
    rng = np.random.default_rng(1)
    wobble = sd.Rotation.from_rotvec(np.cumsum(0.2 * rng.normal(size=(300, 2, 3)), axis=0))
    vectors = continuous_rotation_vectors(wobble)
    assert (sd.Rotation.from_rotvec(vectors) * wobble.inv()).magnitude().max() < 1e-9


@pytest.mark.parametrize("even", [True, False])
def test_a_spectrum_has_the_height_of_the_oscillation(even):
    builder = sd.Builder("swing", base="fixed")
    builder.base("wall", mass=1.0, inertia=(1, 2, 2))
    builder.link("mass", "prismatic", parent="wall", mass=2.0, inertia=(1, 2, 2), stiffness=2 * (2 * np.pi * 2.0) ** 2)
    robot = builder.build()
    times = 0.01 if even else np.sort(np.append(np.arange(1, 2000) * 0.01 + 0.002 * np.sin(np.arange(1999)), [0, 20]))
    run = sd.simulate(robot, robot.state(q=[0.3]), 20.0, record=times)
    (panel,) = panels(run, "q", spectrum=True)
    peak = int(np.argmax(panel.values[:, 0]))
    assert panel.x[peak] == pytest.approx(2.0, abs=0.06)
    assert panel.values[peak, 0] == pytest.approx(0.3, rel=0.03)
    axes = run.plot("q", spectrum=True).axes[0]
    assert axes.get_xlabel() == "frequency [Hz]" and axes.get_yscale() == "log"


def test_figures_are_labelled(ets7):
    figure = ets7.plot("q", "base_attitude", "hand.velocity", degrees=True)
    assert [axes.get_ylabel() for axes in figure.axes] == ["[deg]", "[deg]", "[m/s]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == list(ets7.model.joint_names)
    drawn = figure.axes[0].get_lines()[0]
    np.testing.assert_allclose(drawn.get_ydata(), np.degrees(ets7.states.q[:, 0]))
    for panel, axes in zip(panels(ets7, "momentum"), ets7.plot("momentum").axes, strict=True):
        assert panel.title == axes.get_title(loc="left") or panel.title == axes.get_title()


def test_other_runs_are_drawn_in_other_lines(ets7):
    figure = ets7.plot("q", against={"again": ets7})
    first, *_ = figure.axes[0].get_lines()[:6]
    other = figure.axes[0].get_lines()[6]
    assert first.get_linestyle() == "-" and other.get_linestyle() == "--"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["this run", "again"]


def test_a_large_batch_is_drawn_as_bands():
    robot = sd.load("tian_wu")
    run = sd.simulate(robot, robot.random_state(np.random.default_rng(0), 7), 1.0, record=0.1)
    axes = run.plot("q").axes[0]
    assert len(axes.get_lines()) == 3 and len(axes.collections) == 6
    np.testing.assert_allclose(axes.get_lines()[1].get_ydata(), np.median(run.states.q[..., 1], axis=1))


@pytest.mark.parametrize("style", STYLES)
def test_styles_and_widths(ets7, style):
    figure = ets7.plot("q", style=style, width="double")
    assert figure.get_size_inches()[0] == pytest.approx(7.16)
    image = Image.open(io.BytesIO(figure._repr_png_()))
    assert len(np.unique(np.asarray(image.convert("L")))) > 10  # there is something on it
    assert ets7.plot("q", style="publication").get_size_inches()[0] == pytest.approx(3.5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"names": ["elbow"]}, "no quantity named 'elbow'; there are: q, qd, tau"),
        ({"names": ["base_atitude"]}, "did you mean 'base_attitude'"),
        ({"names": ["q.joint7"]}, "no curve named 'q.joint7'; did you mean 'q.joint6'"),
        ({"names": ["hand.speed"]}, "hand.velocity"),
        ({"names": ["q"], "style": "paper"}, "no style named 'paper'"),
        ({"names": ["q"], "width": "triple"}, "no width named 'triple'"),
        ({"names": ["q"], "against": 3}, "against: expected runs"),
    ],
)
def test_what_cannot_be_drawn(ets7, call, said):
    given = dict(call)
    with pytest.raises(sd.SpacedynError) as caught:
        ets7.plot(*given.pop("names"), **given)
    assert said in str(caught.value)


def test_a_channel_that_was_not_recorded():
    robot = sd.load("tian_wu")
    run = sd.simulate(robot, robot.neutral_state(), 0.1, channels=[], record=0.01)
    assert key_names(run) == ["q", "base_attitude", "hand", "momentum", "energy"]
    assert len(run.plot().axes) == 6
    with pytest.raises(sd.InputError, match="needs the channel 'udot'"):
        run.plot("hand.acceleration")
    with pytest.raises(sd.UnknownName, match="no quantity named 'tau'"):
        run.plot("tau")
    with pytest.raises(sd.InputError, match="the ledger was audited but not recorded"):
        run.plot("ledger")
    few = sd.simulate(robot, robot.neutral_state(), 0.1, record=0.05)
    with pytest.raises(sd.InputError, match="a spectrum needs at least 8 records"):
        few.plot("q", spectrum=True)


def test_a_journal_s_figure_is_written_in_its_own_style(ets7, tmp_path):
    """matplotlib asks for fonts and resolution when a file is written, not when a figure is made."""
    figure = ets7.plot("q", "qd", style="publication", spectrum=True)
    figure.savefig(tmp_path / "q.png")
    with Image.open(tmp_path / "q.png") as image:
        assert image.size[0] == 3.5 * 600
    figure.savefig(tmp_path / "q.svg")
    text = (tmp_path / "q.svg").read_text()
    assert ">frequency [Hz]</text>" in text and "STIX" in text
    figure.savefig(tmp_path / "q.pdf")
    assert b"/Subtype /Type3" not in (tmp_path / "q.pdf").read_bytes()
    figure.draw_without_rendering()
    for axes in figure.axes:  # labels are as long as their axes at most: they do not run into each other
        label = axes.yaxis.label.get_window_extent()
        assert label.height <= 1.1 * axes.get_window_extent().height


def test_in_print_curves_differ_without_colour(ets7):
    lines = ets7.plot("hand", style="publication").axes[0].get_lines()
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in lines}) == 3
    lines = ets7.plot("hand").axes[0].get_lines()
    assert {line.get_linestyle() for line in lines} == {"-"}


def test_events_are_marked_and_modes_have_names():
    run = sd.Scenario.from_toml("capture", change={"duration": 25.0}).run()
    figure = run.plot("mode", "base_wrench", "hand")
    for axes in figure.axes:
        marks = [line.get_xdata()[0] for line in axes.get_lines() if np.ptp(line.get_xdata()) == 0]
        assert marks == [event.time for event in run.events]
    assert [text.get_text() for text in figure.axes[0].texts] == ["caught"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["free", "locked", "prescribed"]
    titles = {axes.get_title(loc="left") for axes in figure.axes}
    assert titles == {"modes of joints", "force on the base", "moment on the base", "position of hand"}
    assert not any(axes.texts for axes in run.plot("hand", spectrum=True).axes)
