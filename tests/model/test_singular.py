"""Robots with no inertia against some joint are refused at build, by name; those that only look like it are not."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spacedyn as sd
from random_trees import random_frame, random_model, random_rotation
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS
from spacedyn.model.shapes import box, cylinder, rod

MOVING = [kind.name for kind in JOINT_KINDS.values() if kind.nv]
TURNING = np.array([0.6, 0.0, 0.8])
"""An oblique axis."""
SOLID = {"mass": 2.0, "inertia": (0.1, 0.12, 0.14), "com": (0.1, 0.2, 0.3)}
DEAD, UNDONE = "nothing that it moves", "can be undone by joints further out"
REMEDIES = ("give", "a rotor", "fix")


def start(base="free"):
    builder = sd.Builder("robot", base=base)
    builder.base("bus", mass=50.0, inertia=(5.0, 6.0, 7.0), com=(0.1, 0.0, 0.2))
    return builder


def problems(builder):
    with pytest.raises(sd.ModelError) as error:
        builder.build()
    return error.value.problems


def assert_refused(builder, *names, why):
    """Exactly these joints, each once, with the reason and the ways out."""
    found = problems(builder)
    assert [text.split(":")[0] for text in found] == [f"joint '{name}'" for name in names]
    for text in found:
        for words in (why, "in any pose", "mass matrix is singular", *REMEDIES):
            assert words in text


def assert_moves(model, seed=0, tolerance=1e-9):
    """Forward dynamics is finite, and inverse dynamics gives the forces back."""
    rng = np.random.default_rng(seed)
    state = model.random_state(rng, 5)
    H = sd.mass_matrix(model, state)
    tau = np.einsum("kij,j->ki", H, np.ones(model.nv))[:, model.base_dof :]  # of the size of each joint's inertia
    udot = sd.forward_dynamics(model, state, tau)
    assert np.isfinite(udot).all()
    back = sd.inverse_dynamics(model, state, udot)
    size = np.einsum("kij,kj->ki", np.abs(H), np.abs(udot)) + np.abs(sd.bias_force(model, state))
    sought = np.concatenate([np.zeros((5, model.base_dof)), tau], axis=1)
    assert (np.abs(back - sought) <= tolerance * size).all()


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("kind", MOVING)
def test_a_massless_leaf_and_nothing_else_is_blamed(base, kind):
    builder = start(base)
    builder.link("sound", "revolute", parent="bus", **SOLID)
    builder.link("leaf", kind, parent="sound", massless=True, position=(1, 2, 3))
    builder.link("more", "revolute", parent="sound", position=(0, 1, 0), **SOLID)
    assert_refused(builder, "leaf", why=DEAD)


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), TURNING], ids=["along x", "oblique"])
@pytest.mark.parametrize("away", [0.0, 0.5, -3.0])
def test_a_slender_rod_hinged_about_its_own_axis(base, axis, away):
    axis = np.array(axis)
    builder = start(base)
    inertia = 0.1 * (np.eye(3) - np.outer(axis, axis))
    builder.link(
        "rod", "revolute", parent="bus", position=(1, 2, 3), axis=axis, mass=1.0, inertia=inertia, com=away * axis
    )
    assert_refused(builder, "rod", why=DEAD)


def test_a_slender_rod_by_its_shape_at_any_angle():
    rng = np.random.default_rng(0)
    for _ in range(20):
        turn = random_rotation(rng)
        axis = turn.apply([0, 0, 1])  # a rod lies along z of its own frame
        builder = start()
        shape = rod(1.0, 2.0, position=rng.normal() * axis, rotation=turn)
        builder.link("rod", "revolute", parent="bus", axis=axis, shapes=[shape], **random_frame(rng, 1.0))
        assert_refused(builder, "rod", why=DEAD)


@pytest.mark.parametrize("along", [0.0, 2.0])
@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "cylindrical", "planar", "free"])
def test_a_point_mass_on_the_axis(kind, along):
    builder = start()
    builder.link("bob", kind, parent="bus", mass=1.0, inertia=(0, 0, 0), com=(0, 0, along))
    if kind == "universal" and along:
        assert_moves(builder.build())  # its two axes move a point that is off them
    else:
        assert_refused(builder, "bob", why=DEAD)


def test_a_rod_in_a_ball_joint_can_spin_freely():
    builder = start()
    builder.link("rod", "spherical", parent="bus", shapes=[rod(1.0, 2.0, position=(0, 0, 1))])
    assert_refused(builder, "rod", why="some motion of it")


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("kinds", [("revolute", "revolute"), ("prismatic", "prismatic"), ("spherical", "spherical")])
def test_coincident_axes_with_a_massless_link_between(base, kinds):
    builder = start(base)
    options = [{} if kind == "spherical" else {"axis": TURNING} for kind in kinds]
    apart = np.zeros(3) if kinds[0] == "spherical" else 0.7 * TURNING
    builder.link("inner", kinds[0], parent="bus", position=(0.3, 0.2, 0.1), massless=True, **options[0])
    builder.link("outer", kinds[1], parent="inner", position=apart, **SOLID, **options[1])
    assert_refused(builder, "inner", why=UNDONE)


def test_chains_of_such_name_every_joint():
    builder = start()
    parent = "bus"
    for i in range(4):
        builder.link(f"ring{i}", "revolute", parent=parent, massless=True, position=(0, 0, 0.1))
        parent = f"ring{i}"
    builder.link("end", "revolute", parent=parent, position=(0, 0, 0.1), **SOLID)
    assert_refused(builder, "ring0", "ring1", "ring2", "ring3", why=UNDONE)


def test_massless_chains_and_several_faults_at_once():
    builder = start()
    for i in range(3):
        builder.link(
            f"frame{i}", "revolute", parent="bus" if i == 0 else f"frame{i - 1}", massless=True, position=(1, 0, 0)
        )
    builder.link("good", "revolute", parent="bus", **SOLID)
    builder.link("rod", "revolute", parent="good", shapes=[rod(1.0, 1.0)])
    assert_refused(builder, "frame0", "frame1", "frame2", "rod", why=DEAD)


def test_too_many_axes_through_one_point():
    """Three turn a body about a point in every way; a fourth with nothing between is one too many."""
    builder = start()
    for i, axis in enumerate(np.eye(3)):
        builder.link(f"ring{i}", "revolute", parent="bus" if i == 0 else f"ring{i - 1}", massless=True, axis=axis)
    builder.link("body", "revolute", parent="ring2", axis=(0.6, 0.8, 0), **SOLID)
    assert_refused(builder, "ring0", why=UNDONE)


@pytest.mark.parametrize("base", ["free", "attitude", "planar"])
def test_a_lone_point_mass_cannot_be_turned(base):
    builder = sd.Builder("grain", base=base)
    builder.base("grain", mass=1.0, inertia=(0, 0, 0))
    (text,) = problems(builder)
    for words in ("base 'grain'", "nothing has inertia against some motion", "in any pose", "give it mass and inertia"):
        assert words in text


def test_a_massless_base_whose_motion_its_only_joint_can_undo():
    builder = sd.Builder("robot")
    builder.base("frame", massless=True)
    builder.link("body", "revolute", parent="frame", position=(1, 0, 0), **SOLID)
    (text,) = problems(builder)
    for words in ("base 'frame'", UNDONE, "give it mass and inertia"):
        assert words in text


# --- near misses, to be built ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASE_KINDS)
def test_a_rotor_makes_up_for_missing_inertia(base):
    builder = start(base)
    builder.link("leaf", "revolute", parent="bus", massless=True, rotor_inertia=1e-6, gear=100.0)
    builder.link("rod", "revolute", parent="bus", shapes=[rod(1.0, 2.0)], rotor_inertia=1e-5)
    builder.link("bob", "spherical", parent="bus", mass=1.0, inertia=(0, 0, 0), rotor_inertia=1e-3)
    builder.link("inner", "revolute", parent="bus", massless=True, rotor_inertia=1e-4)
    builder.link("outer", "revolute", parent="inner", **SOLID)
    assert_moves(builder.build())


def test_one_rotor_of_three_is_not_enough_for_a_ball_joint():
    builder = start()
    builder.link("bob", "spherical", parent="bus", mass=1.0, inertia=(0, 0, 0), rotor_inertia=(1e-3, 1e-3, 0))
    assert_refused(builder, "bob", why=DEAD)


@pytest.mark.parametrize("base", BASE_KINDS)
def test_a_rod_hinged_across_and_a_point_off_the_axis(base):
    builder = start(base)
    builder.link("rod", "revolute", parent="bus", axis=(1, 0, 0), shapes=[rod(1.0, 2.0)])
    builder.link("bob", "revolute", parent="bus", mass=1.0, inertia=(0, 0, 0), com=(0.2, 0, 0))
    assert_moves(builder.build())


@pytest.mark.parametrize("base", BASE_KINDS)
def test_massless_links_between_joints_that_differ(base):
    builder = start(base)
    builder.link("fork", "revolute", parent="bus", axis=(0, 0, 1), massless=True)
    builder.link("cross", "revolute", parent="fork", axis=(0, 1, 0), **SOLID)  # a universal joint of two
    builder.link("sleeve", "prismatic", parent="bus", massless=True)
    builder.link("shaft", "revolute", parent="sleeve", **SOLID)  # a cylindrical joint of two
    for i in range(3):
        parent = f"ring{i - 1}" if i else "bus"
        builder.link(
            f"ring{i}", "revolute", parent=parent, axis=np.eye(3)[i], massless=i < 2, **(SOLID if i == 2 else {})
        )
    builder.link("upper", "revolute", parent="bus", massless=True)
    builder.link("lower", "revolute", parent="upper", position=(0.3, 0, 0), **SOLID)  # parallel axes, apart
    assert_moves(builder.build())


def test_a_universal_joint_of_two_revolutes_is_a_universal_joint():
    one, two = start(), start()
    one.link("cross", "universal", parent="bus", position=(1, 0, 0), **SOLID)
    two.link("fork", "revolute", parent="bus", position=(1, 0, 0), axis=(0, 0, 1), massless=True)
    two.link("cross", "revolute", parent="fork", axis=(0, 1, 0), **SOLID)
    parts = {"q": [0.4, -0.9], "qd": [1.0, 2.0], "base_rate": [0.1, 0.2, 0.3]}
    results = [sd.forward_dynamics(m, m.state(**parts), [0.5, -0.2]) for m in (one.build(), two.build())]
    np.testing.assert_allclose(*results, rtol=1e-12)


def test_massless_leaves_that_do_not_move_by_themselves():
    builder = start()
    builder.link("link", "revolute", parent="bus", **SOLID)
    builder.link("camera", "fixed", parent="link", massless=True, position=(0, 0, 1))
    builder.link("bracket", "revolute", parent="link", massless=True)
    builder.link("mirror", "fixed", parent="bracket", position=(0.3, 0, 0), **SOLID)
    assert_moves(builder.build())


def test_a_lone_point_mass_on_a_fixed_base_and_a_lone_rod_in_the_plane():
    grain, stick = sd.Builder("grain", base="fixed"), sd.Builder("stick", base="planar")
    grain.base(mass=1.0, inertia=(0, 0, 0))
    stick.base(shapes=[rod(1.0, 2.0, rotation=Rotation.from_euler("y", 90, degrees=True))])
    assert grain.build().nv == 0
    assert_moves(stick.build())


def test_a_thin_wire_is_not_a_slender_rod():
    """A tether of a tenth of a millimetre and ten metres has an inertia about its own axis, and that is enough."""
    builder = start()
    builder.link("wire", "revolute", parent="bus", shapes=[cylinder(1e-3, 1e-4, 10.0, position=(0, 0, 5))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.ModelWarning)
        model = builder.build()
    assert_moves(model, tolerance=1e-6)


# --- sizes -----------------------------------------------------------------------------------------------------------


def chain(n, mass, length, heavy=1.0):
    """n links, every other one `heavy` times the mass."""
    builder = sd.Builder("chain")
    builder.base(shapes=[box(mass, (length, 1.1 * length, 1.2 * length))])
    for i in range(n):
        shape = box(mass * (heavy if i % 2 else 1.0), (length, 0.2 * length, 0.1 * length), position=(length / 2, 0, 0))
        axis = (0, 0, 1) if i % 2 else (0, 1, 0)
        place = (length if i else 0.0, 0, 0)
        builder.link(
            f"l{i}", "revolute", parent=f"l{i - 1}" if i else "base", position=place, axis=axis, shapes=[shape]
        )
    return builder.build()


def test_a_chain_of_a_thousand_links():
    assert_moves(chain(1000, 1.0, 1.0), tolerance=1e-7)


@pytest.mark.parametrize("heavy", [1e6, 1e-6])
def test_masses_a_million_times_apart(heavy):
    assert_moves(chain(8, 1.0, 1.0, heavy), tolerance=1e-8)


@pytest.mark.parametrize(
    ("mass", "length"), [(1e-9, 1e-3), (1e-12, 1e-5), (1e6, 50.0), (1e9, 1e3)], ids=["µg", "ng", "station", "colony"]
)
def test_tiny_and_huge_robots(mass, length):
    assert_moves(chain(6, mass, length))


def test_a_tiny_tool_on_a_huge_station():
    builder = sd.Builder("station")
    builder.base(shapes=[box(1e6, (100, 20, 20))])
    builder.link("arm", "revolute", parent="base", position=(50, 0, 0), shapes=[rod(100.0, 10.0), box(1, (1, 1, 1))])
    builder.link("tool", "revolute", parent="arm", position=(0, 0, 5), shapes=[box(1e-3, (0.01, 0.01, 0.02))])
    with pytest.warns(sd.ModelWarning, match="over a million times apart"):
        model = builder.build()
    assert_moves(model, tolerance=1e-6)


def test_random_trees_of_all_kinds_are_sound():
    for seed in range(40):
        assert_moves(random_model(np.random.default_rng(seed), 12), seed, tolerance=1e-8)


def test_building_compiles_nothing():
    """A robot is checked by NumPy alone: describing robots does not wait for a compiler."""
    program = (
        "import spacedyn as sd\n"
        "from spacedyn.kernels.robot.forward_dynamics import run\n"
        "from spacedyn.kernels.scalar.trigonometry import sincos\n"
        "sd.load('ets7')\n"
        "assert run.signatures == sincos.signatures == []\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
