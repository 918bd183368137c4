"""The reaction null space: of the base's true rotation and translation, of some joints, and of the coupling block."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model

KINDS = ("revolute", "prismatic", "helical", "universal", "spherical", "cylindrical")
ROWS = {  # of the base's recoil: which kind of base has which
    "free": {"moment": slice(3, 6), "force": slice(0, 3), "all": slice(0, 6)},
    "planar": {"moment": slice(2, 3), "force": slice(0, 2), "all": slice(0, 3)},
    "attitude": {"moment": slice(0, 3), "force": slice(0, 0), "all": slice(0, 3)},
}


def projector(matrix):
    """By a second route: the right singular vectors of LAPACK."""
    n = matrix.shape[-1]
    found = np.broadcast_to(np.eye(n), (*matrix.shape[:-2], n, n))
    return found - np.linalg.pinv(matrix, rcond=1e-10) @ matrix if matrix.shape[-2] else found


@pytest.mark.parametrize("base", ROWS)
@pytest.mark.parametrize("reaction", ["moment", "force", "all"])
def test_it_is_the_null_space_of_the_true_recoil(base, reaction):
    rng = np.random.default_rng(1)
    model = random_model(rng, 7, base_kind=base, kinds=KINDS)
    for state in (model.random_state(rng), model.random_state(rng, (2, 3))):
        recoil = sd.base_recoil(model, state)[..., ROWS[base][reaction], :]
        quiet = sd.reaction_null_space(model, state, reaction=reaction)
        np.testing.assert_allclose(quiet, projector(recoil), atol=1e-11)


@pytest.mark.parametrize("reaction", ["moment", "force", "all"])
def test_of_some_joints(reaction):
    rng = np.random.default_rng(2)
    model = random_model(rng, 9, base_kind="free", kinds=KINDS)
    state, joints = model.random_state(rng, 5), ["joint2", "joint4", "joint5", "joint9"]
    mask = np.zeros(model.nv - 6, dtype=bool)
    for joint in joints:
        mask[model.qd_slice(joint)] = True
    quiet = sd.reaction_null_space(model, state, reaction=reaction, joints=joints)
    wanted = np.zeros_like(quiet)
    recoil = sd.base_recoil(model, state)[..., ROWS["free"][reaction], :]
    wanted[..., np.ix_(mask, mask)[0], np.ix_(mask, mask)[1]] = projector(recoil[..., mask])
    np.testing.assert_allclose(quiet, wanted, atol=1e-10)
    alone = sd.reaction_null_space(model, state[3], reaction=reaction, joints=iter(joints))
    np.testing.assert_allclose(alone, quiet[3], atol=1e-12)
    one = sd.reaction_null_space(model, state[3], reaction=reaction, joints="joint2")
    assert not one[~mask].any()


def balanced(shift):
    """A base with four arms whose centres of mass are on their axes, so that the robot's stays where the base's is.

    With `shift`, the arms' centres of mass are off the axes.
    """
    b = sd.Builder("balanced")
    b.base("bus", mass=20.0, inertia=(2.0, 3.0, 4.0))
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8))
    for i, axis in enumerate(axes):
        b.link(
            f"wheel{i}", parent="bus", axis=axis, mass=1.5, com=(shift, 0, 0.2 * shift), inertia=(0.3, 0.2, 0.25),
            position=(0, 0, 0),
        )  # fmt: skip
    return b.build()


def test_the_coupling_block_alone_is_the_same_where_the_two_centres_of_mass_meet():
    model = balanced(0.0)
    state = model.random_state(np.random.default_rng(3))
    np.testing.assert_allclose(sd.center_of_mass(model, state), state.base_position, atol=1e-14)
    coupling = sd.mass_matrix_blocks(model, state).Hbm[3:]
    np.testing.assert_allclose(sd.reaction_null_space(model, state), projector(coupling), atol=1e-12)


def test_elsewhere_the_coupling_block_alone_turns_the_base():
    model = balanced(0.4)
    state = model.random_state(np.random.default_rng(3))
    turn = sd.base_recoil(model, state)[3:]
    coupling = projector(sd.mass_matrix_blocks(model, state).Hbm[3:])
    assert np.abs(turn @ coupling).max() > 1e-3
    assert np.abs(turn @ sd.reaction_null_space(model, state)).max() < 1e-14


def test_robots_that_differ():
    model = sd.load("planar_four_link")
    fleet = model.vary(mass={"link2": np.array([5.0, 10.0, 40.0])})
    state = fleet.state(q=np.tile([0.3, -0.5, 0.4, 0.2], (3, 1)))
    quiet = sd.reaction_null_space(fleet, state, joints=["joint1", "joint2"])
    turn = np.einsum("rij,rjk->rik", sd.base_recoil(fleet, state)[:, 2:], quiet)
    assert np.abs(turn).max() < 1e-13
    assert np.abs(quiet[0] - quiet[2]).max() > 1e-3
