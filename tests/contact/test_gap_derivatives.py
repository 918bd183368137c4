"""Tangents of dual numbers through the search for closest points; packs; against differences and against float64."""

import numba
import numpy as np
import pytest

from contact_pairs import KINDS, place_pairs, random_pairs
from spacedyn.contact.shape_table import make_table
from spacedyn.kernels.geometry import distances
from spacedyn.kernels.geometry.pairs import PAIR_WORK, closest, search
from spacedyn.kernels.geometry.surfaces import surface_gap
from spacedyn.kernels.scalar.dual import DUAL
from spacedyn.kernels.scalar.dual_memory import seed, tangents_of
from spacedyn.kernels.scalar.dual_type import Dual
from spacedyn.kernels.scalar.memory import load, pointer, store, zero_of
from spacedyn.kernels.scalar.pack import LANES, PACK, value_of
from spacedyn.kernels.scalar.symbols import link
from spacedyn.kernels.scalar.vectors import load3, load9

pytestmark = pytest.mark.packs

compiled = numba.njit(error_model="numpy")
TANGENTS = 1 if numba.config.DISABLE_JIT else LANES


@pytest.fixture(autouse=True, scope="module")
def _by_name():
    """What `closest` calls by name."""
    link(search)


@compiled
def tangents(ints, pars, vertices, poses, directions, memory, work, out, packs, kind):
    """Tangents (directions, 10) of gap, normal and points of shapes 0 and 1, for directions (n, 24) of both poses."""
    zero = zero_of(kind)
    ints, pars, vertices, work = pointer(ints), pointer(pars), pointer(vertices), pointer(work)
    memory, packs = pointer(memory), pointer(packs)
    many = directions.shape[0]
    for first in range(0, many, LANES):
        for j in range(24):
            store(memory, j, zero + poses[j])
            for lane in range(min(LANES, many - first)):
                seed(memory, j, lane, directions[first + lane, j])
        pose = (load3(memory, 0, zero), load9(memory, 3, zero), load3(memory, 12, zero), load9(memory, 15, zero))
        gap, n, a, b, _ = closest(ints, pars, vertices, 0, 1, pose, work, zero)
        found = (gap, n[0], n[1], n[2], a[0], a[1], a[2], b[0], b[1], b[2])
        for j in range(10):
            store(packs, 0, tangents_of(found[j]))
            for lane in range(min(LANES, many - first)):
                out[first + lane, j] = load(packs, lane, 0.0)


def twist(pose, v, w):
    """How a pose moves with a velocity and an angular velocity, inertial axes."""
    R = pose[3:].reshape(3, 3)
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.concatenate([v, (cross @ R).reshape(9)])


def moved(pose, v, w, step):
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec(step * np.asarray(w)).as_matrix()
    return np.concatenate([pose[:3] + step * np.asarray(v), (turn @ pose[3:].reshape(3, 3)).reshape(9)])


def dual_memory(count):
    """Memory for duals: with the JIT off they are objects."""
    if numba.config.DISABLE_JIT:
        return np.array([Dual(0.0)] * count, dtype=object)
    return np.zeros(count * (1 + LANES))


@pytest.mark.parametrize(
    ("first", "second"),
    [("sphere", "box"), ("capsule", "capsule"), ("box", "box"), ("hull", "box"), ("ellipsoid", "ellipsoid"),
     ("cylinder", "ellipsoid"), ("cone", "capsule"), ("disc", "hull"), ("sphere", "cylinder")],
)  # fmt: skip
def test_tangents_are_those_of_differences(first, second):
    rng = np.random.default_rng(11)
    pairs = random_pairs(rng, first, second, 12, apart=(0.8, 1.5))
    checked = 0
    for i in np.flatnonzero(pairs.found[:, 10] > 0.05):
        v, w = rng.normal(size=(3, 2, 3)), rng.normal(size=(3, 2, 3))
        directions = np.array([np.concatenate([twist(pairs.poses[i, j], v[d, j], w[d, j]) for j in (0, 1)])
                               for d in range(3)])  # fmt: skip
        table = make_table([pairs.a[i], pairs.b[i]], np.arange(2))
        if numba.config.DISABLE_JIT:
            directions = directions[:1]
        out = np.zeros((len(directions), 10))
        tangents(table.ints, table.pars, table.vertices, pairs.poses[i].reshape(-1), directions, dual_memory(24),
                 dual_memory(PAIR_WORK), out, np.zeros(LANES), DUAL)  # fmt: skip
        for d in range(len(directions)):
            step = 1e-5
            ends = [np.array([[moved(pairs.poses[i, j], v[d, j], w[d, j], sign * step) for j in (0, 1)]])
                    for sign in (1, -1, 2, -2)]  # fmt: skip
            rows = [place_pairs([pairs.a[i]], [pairs.b[i]], end).found[0, :10] for end in ends]
            near, far = (rows[0] - rows[1]) / (2 * step), (rows[2] - rows[3]) / (4 * step)
            slope = (4 * near - far) / 3
            if np.abs(near - far).max() > 1e-5 * (1 + np.abs(slope).max()):
                continue  # another feature begins within the step
            checked += 1
            np.testing.assert_allclose(out[d], slope, rtol=1e-6, atol=1e-7 * (1 + np.abs(slope).max()))
    assert checked > 10 or numba.config.DISABLE_JIT


def test_parallel_faces_have_bounded_tangents_and_the_right_rate_of_the_gap():
    from spacedyn.contact.convex import Convex
    from spacedyn.kernels.geometry import cores as k

    cube = Convex("box", k.BOX, (1.0, 1.0, 1.0, 0.0), 0.0, np.zeros(3), np.eye(3))
    poses = np.zeros((2, 12))
    poses[:, 3:], poses[1, :3] = np.eye(3).reshape(9), (0.3, 0.2, 2.5)
    motions = [((0, 0, 1), (0, 0, 0)), ((1, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 1))]
    directions = np.array([np.concatenate([np.zeros(12), twist(poses[1], v, w)]) for v, w in motions])
    table = make_table([cube, cube], np.arange(2))
    out = np.zeros((3, 10))
    for d in range(3):
        tangents(table.ints, table.pars, table.vertices, poses.reshape(-1), directions[d : d + 1], dual_memory(24),
                 dual_memory(PAIR_WORK), out[d : d + 1], np.zeros(LANES), DUAL)  # fmt: skip
    np.testing.assert_allclose(out[:, 0], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(out[:, 1:4], 0.0, atol=1e-9)
    assert np.abs(out).max() < 10.0


@pytest.mark.parametrize("first", KINDS)
def test_packs_give_what_float64_gives(first):
    rng = np.random.default_rng(5)
    for second in ("capsule", "cone", "hull"):
        count = 2 * LANES + 1
        a = random_pairs(rng, first, second, 1, apart=(0.9, 1.5))
        poses = random_pairs(rng, first, second, count, apart=(1.0, 1.5)).poses
        table = make_table([a.a[0], a.b[0]], np.arange(2))
        rows = []
        for kind in (0.0, PACK):
            out = np.zeros(count * distances.RESULT)
            room = PAIR_WORK * (1 if numba.config.DISABLE_JIT else LANES)
            arrays = (table.ints, table.pars, table.vertices, np.array([0, 1]), poses.reshape(-1), np.zeros(room), out)
            distances.run(*arrays, count, 2, kind)
            rows.append(out.reshape(count, -1))
        apart = rows[0][:, 10] > 0.0
        assert apart.sum() > LANES and (apart == (rows[1][:, 10] > 0.0)).all()
        np.testing.assert_allclose(rows[1][apart], rows[0][apart], atol=1e-13)


@compiled
def mesh_tangents(numbers, kind_of_surface, p, memory, packs, out, kind):
    """Gap of a point, its gradient, and tangents of the gap along x, y, z."""
    zero = zero_of(kind)
    memory, packs, numbers = pointer(memory), pointer(packs), pointer(numbers)
    for first in range(0, 3, TANGENTS):
        for j in range(3):
            store(memory, j, zero + p[j])
            if first <= j < first + TANGENTS:
                seed(memory, j, j - first, 1.0)
        found = surface_gap(numbers, 0, kind_of_surface, load3(memory, 0, zero), zero)
        for j in range(4):
            out[j] = value_of(found[j])
        store(packs, 0, tangents_of(found[0]))
        for j in range(first, min(3, first + TANGENTS)):
            out[4 + j] = load(packs, j - first, 0.0)


def test_the_gradient_of_a_mesh_is_its_tangent():
    import trimesh

    import spacedyn as sd

    ball = trimesh.creation.icosphere(subdivisions=1)
    surface = sd.TriangleMesh(ball.vertices * (1, 2, 3), ball.faces)
    for p in np.random.default_rng(0).normal(size=(20, 3)) * 2:
        out = np.zeros(7)
        mesh_tangents(surface.parameters, surface.code, p, dual_memory(3), np.zeros(LANES), out, DUAL)
        np.testing.assert_allclose(out[4:], out[1:4], atol=1e-12)
        np.testing.assert_allclose(out[0], surface.gap(p), rtol=1e-14)
