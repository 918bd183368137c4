"""States: made from whatever a person has, moved on their manifold, read-only, and clear about bad parts."""

import copy
import pickle

import numpy as np
import pytest

import spacedyn as sd
from random_trees import moved, random_model, random_rotation
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS

every_base = pytest.mark.parametrize("base", BASE_KINDS)
every_batch = pytest.mark.parametrize("batch", [(), (1,), (7,), (2, 3)], ids=str)
BASE_RATES = {"free": "vx vy vz wx wy wz", "attitude": "wx wy wz", "planar": "vx vy wz", "fixed": ""}


def tree(base: str, seed: int = 0, n: int = 9) -> tuple[np.random.Generator, sd.Model]:
    """A random tree; of nine joints: one of every kind."""
    rng = np.random.default_rng([seed, *map(ord, base)])
    return rng, random_model(rng, n, base_kind=base)


def arm(base: str = "free") -> sd.Model:
    """A base whose centre of mass is off its frame, a hinge and a ball."""
    b = sd.Builder("arm", base=base)
    b.base("bus", mass=20.0, inertia=(2, 3, 4), com=(0.1, -0.2, 0.3))
    b.body("upper", mass=2.0, inertia=(0.1, 0.2, 0.2), com=(0.2, 0, 0))
    b.body("hand", mass=1.0, inertia=(0.1, 0.1, 0.15))
    b.joint("shoulder", "revolute", parent="bus", child="upper", position=(0.5, 0, 0), lower=-0.5, upper=0.8)
    b.joint("wrist", "spherical", parent="upper", child="hand", position=(0.4, 0, 0))
    return b.build()


def quaternions(state: sd.State) -> list[np.ndarray]:
    """All quaternions of a state, the base's first."""
    found = [state.base_quaternion_xyzw]
    for joint in state.model.joints:
        if joint.kind in ("spherical", "free"):
            found.append(state.q[..., state.model.q_slice(joint.name)][..., -4:])
    return found


def same_place(a: sd.State, b: sd.State, tolerance: float = 1e-12) -> None:
    """Equal positions; a quaternion and its negative are the same attitude."""
    assert a.shape == b.shape
    for left, right in zip(quaternions(a), quaternions(b), strict=True):
        assert np.all(np.abs(np.sum(left * right, axis=-1)) > 1.0 - tolerance)
    frames = [sd.forward_kinematics(a.model, s).bodies for s in (a, b)]
    np.testing.assert_allclose(frames[0].position, frames[1].position, atol=10 * tolerance)
    np.testing.assert_allclose(frames[0].rotation, frames[1].rotation, atol=10 * tolerance)


# --- neutral and random ----------------------------------------------------------------------------------------------


@every_base
def test_neutral_is_unturned_unmoved_and_at_rest(base):
    _, model = tree(base)
    state = model.neutral_state()
    assert state.shape == () and state.count == 1
    assert not state.base_position.any() and not state.u.any()
    for quaternion in quaternions(state):
        assert quaternion.tolist() == [0, 0, 0, 1]
    assert np.abs(state.q).sum() == len(quaternions(state)) - 1  # nothing but the scalar parts
    frames = sd.forward_kinematics(model, state)
    np.testing.assert_allclose(frames.bodies.position[1:], frames.joints.position, atol=1e-15)
    np.testing.assert_allclose(frames.bodies.rotation[1:], frames.joints.rotation, atol=1e-15)
    assert (model.state().x == state.x).all() and (model.state().u == state.u).all()


@pytest.mark.parametrize(
    ("size", "shape"), [(None, ()), (5, (5,)), (np.int64(5), (5,)), ((2, 3), (2, 3)), ((), ()), (0, (0,))]
)
def test_batches_of_any_shape(size, shape):
    model = arm()
    for state in (sd.State.neutral(model, size), model.random_state(np.random.default_rng(0), size)):
        assert state.shape == shape and state.count == np.prod(shape, dtype=int)
        assert state.x.shape == (*shape, 7 + model.nq) and state.u.shape == (*shape, model.nv)


@every_base
@every_batch
def test_random_states_are_states(base, batch):
    rng, model = tree(base)
    state = model.random_state(rng, batch)
    for quaternion in quaternions(state):
        np.testing.assert_allclose(np.linalg.norm(quaternion, axis=-1), 1.0, atol=1e-15)
    again, other = (model.random_state(np.random.default_rng(seed), batch) for seed in (4, 4))
    assert (again.x == other.x).all() and (again.u == other.u).all()
    held = [name for name in BASE_RATES["free"].split() if name not in BASE_RATES[base].split()]
    twist = dict(zip(BASE_RATES["free"].split(), np.moveaxis(both_rates(state), -1, 0), strict=True))
    assert not any(twist[name].any() for name in held)


def both_rates(state: sd.State) -> np.ndarray:
    return np.concatenate([state.base_velocity, state.base_rate], axis=-1)


def test_random_attitudes_are_spread_evenly_and_joints_keep_their_limits():
    model = arm()
    state = model.random_state(np.random.default_rng(1), 20_000)
    for quaternion in quaternions(state):
        mean = sd.Rotation.from_quat(quaternion).as_matrix().mean(axis=0)
        assert np.abs(mean).max() < 0.02  # three standard deviations of a mean of 20 000
    shoulder = state.q[:, 0]
    assert shoulder.min() == -0.5 and shoulder.max() == 0.8 and 0.2 < shoulder.std() < 0.6


def test_a_random_planar_base_stays_in_its_plane():
    model = arm("planar")
    state = model.random_state(np.random.default_rng(2), 100)
    assert not state.base_position[:, 2].any()
    np.testing.assert_allclose(state.base_attitude.as_matrix()[:, 2], [[0, 0, 1]] * 100, atol=1e-15)


# --- from parts ------------------------------------------------------------------------------------------------------


@every_base
def test_rates_are_laid_out_as_the_kind_of_base_has_them(base):
    model, known = arm(base), {"vx": 1.0, "vy": 2.0, "vz": 3.0, "wx": 4.0, "wy": 5.0, "wz": 6.0}
    has = BASE_RATES[base].split()
    six = np.array([known[name] * (name in has) for name in known])
    state = model.state(base_velocity=six[:3], base_rate=six[3:], qd=[7, 8, 9, 10])
    assert state.u.tolist() == [*(known[name] for name in has), 7, 8, 9, 10]
    assert both_rates(state).tolist() == six.tolist() and state.qd.tolist() == [7, 8, 9, 10]


def test_all_parts_at_once_and_where_they_go():
    turn = sd.Rotation.from_rotvec([0.1, 0.2, 0.3])
    parts = {"base_position": [1, 2, 3], "base_attitude": turn, "q": [0.5, 0, 0, 0, 1]}
    state = arm().state(**parts, base_velocity=[4, 5, 6], base_rate=[7, 8, 9], qd=[1, 2, 3, 4])
    np.testing.assert_allclose(state.x, [1, 2, 3, *turn.as_quat(), 0.5, 0, 0, 0, 1], rtol=1e-15)
    np.testing.assert_array_equal(state.u, [4, 5, 6, 7, 8, 9, 1, 2, 3, 4])
    assert state.base_position.tolist() == [1, 2, 3] and state.q.tolist() == [0.5, 0, 0, 0, 1]


def test_an_attitude_in_three_forms():
    model, turn = arm(), sd.Rotation.from_rotvec([0.4, -1.2, 0.3])
    states = [
        model.state(base_attitude=turn),
        model.state(base_attitude=turn.as_matrix()),
        model.state(base_attitude=turn.as_matrix().tolist()),
        model.state(base_quaternion_xyzw=turn.as_quat()),
        model.state(base_quaternion_xyzw=-turn.as_quat()),
    ]
    for state in states:
        np.testing.assert_allclose(state.base_attitude.as_matrix(), turn.as_matrix(), atol=1e-15)
        # the base's x axis, in inertial axes, is the first column: nothing is transposed on the way
        found = sd.forward_kinematics(model, state).bodies.rotation[0]
        np.testing.assert_allclose(found[:, 0], turn.apply([1.0, 0.0, 0.0]), atol=1e-15)


@every_batch
def test_the_base_may_be_placed_by_its_frame(batch):
    rng, model = np.random.default_rng(3), arm()
    place = rng.normal(size=(*batch, 3))
    quaternion = rng.normal(size=(*batch, 4))
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    state = model.state(base_frame_position=place, base_quaternion_xyzw=quaternion)
    frames = sd.forward_kinematics(model, state)
    np.testing.assert_allclose(frames.bodies.position[..., 0, :], place, atol=1e-14)
    np.testing.assert_allclose(frames.centroids.position[..., 0, :], state.base_position, atol=1e-14)
    assert np.linalg.norm(state.base_position - place, axis=-1) == pytest.approx(np.linalg.norm([0.1, 0.2, 0.3]))


@every_batch
def test_a_gyro_speaks_in_base_axes(batch):
    rng, model = np.random.default_rng(4), arm()
    state, spin = model.random_state(rng, batch), rng.normal(size=(*batch, 3))
    state = state.replace(base_rate_in_base_axes=spin)
    wanted = (state.base_attitude.as_matrix() @ spin[..., None])[..., 0]
    np.testing.assert_allclose(state.base_rate, wanted, atol=1e-14)
    np.testing.assert_allclose(state.base_rate_in_base_axes, spin, atol=1e-14)


def test_joints_by_name():
    model = arm()
    state = model.state(q={"shoulder": 0.3}, qd={"wrist": [1, 2, 3]})
    assert state.q.tolist() == [0.3, 0, 0, 0, 1] and state.qd.tolist() == [0, 1, 2, 3]
    assert model.state(q={"shoulder": [0.3]}).q[0] == 0.3
    many = model.state(q={"shoulder": np.arange(4.0), "wrist": [0, 0, 1, 0]}, qd={})
    assert many.shape == (4,) and many.q[:, 0].tolist() == [0, 1, 2, 3] and (many.q[:, 3] == 1).all()


@every_base
def test_every_kind_of_joint_by_name(base):
    rng, model = tree(base, seed=1)
    wanted = model.random_state(rng, 3)
    q = {j.name: wanted.q[:, model.q_slice(j.name)] for j in model.joints}
    qd = {j.name: wanted.qd[:, model.qd_slice(j.name)] for j in model.joints}
    state = model.state(q=q, qd=qd)
    np.testing.assert_allclose(state.q, wanted.q, rtol=1e-15)
    np.testing.assert_array_equal(state.qd, wanted.qd)
    assert {j.kind for j in model.joints} == set(JOINT_KINDS)


def test_batch_axes_of_parts_broadcast():
    model = arm()
    state = model.state(base_position=np.ones((4, 3)), q={"shoulder": np.zeros((5, 1, 1))}, base_rate=[0, 0, 1])
    assert state.shape == (5, 4) and (state.base_rate[..., 2] == 1).all()
    turns = sd.Rotation.from_rotvec(np.linspace(0, 1, 4)[:, None] * [0, 0, 1])
    assert model.state(base_attitude=turns).shape == (4,)
    assert model.state(base_attitude=turns.as_matrix().reshape(2, 2, 3, 3)).shape == (2, 2)


def test_numbers_of_any_kind_are_copied():
    model, place, q = arm(), np.array([1, 2, 3]), np.array([0.5, 0, 0, 0, 1], dtype=np.float32)
    state = model.state(base_position=place, q=q, base_velocity=(1, 0, 0))
    place[:] = 0
    q[:] = 0
    assert state.base_position.tolist() == [1, 2, 3] and state.q.tolist() == [0.5, 0, 0, 0, 1]
    assert state.x.dtype == np.float64


def test_a_quaternion_of_nearly_unit_length_is_made_exact():
    quaternion = np.array([0.1, 0.2, 0.3, 0.9])
    quaternion *= (1 + 1e-9) / np.linalg.norm(quaternion)
    state = arm().state(base_quaternion_xyzw=quaternion, q={"wrist": quaternion})
    for found in quaternions(state):
        assert abs(np.linalg.norm(found) - 1.0) < 1e-15


# --- replace ---------------------------------------------------------------------------------------------------------

NEW = {
    "base_position": [3.0, 2.0, 1.0],
    "base_quaternion_xyzw": [0.0, 0.6, 0.0, 0.8],
    "q": [0.1, 0.0, 0.6, 0.0, 0.8],
    "base_velocity": [9.0, 8.0, 7.0],
    "base_rate": [6.0, 5.0, 4.0],
    "qd": [1.0, 2.0, 3.0, 4.0],
}


@pytest.mark.parametrize("changed", NEW)
@every_batch
def test_replace_changes_one_part_only(changed, batch):
    state = arm().random_state(np.random.default_rng(5), batch)
    before = {name: getattr(state, name).copy() for name in NEW}
    new = state.replace(**{changed: NEW[changed]})
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(state, name), value)  # the old one stays as it was
        wanted = np.broadcast_to(NEW[name], value.shape) if name == changed else value
        np.testing.assert_allclose(getattr(new, name), wanted, rtol=1e-15)


def test_replace_takes_every_form_of_a_part():
    state = arm().random_state(np.random.default_rng(6), 3)
    turned = state.replace(base_attitude=sd.Rotation.from_rotvec([0, 0, 1]))
    np.testing.assert_allclose(turned.base_attitude.as_rotvec(), [[0, 0, 1]] * 3, atol=1e-15)
    np.testing.assert_array_equal(turned.base_position, state.base_position)
    placed = state.replace(base_frame_position=[0, 0, 0])
    lever = (state.base_attitude.as_matrix() @ [[0.1], [-0.2], [0.3]])[..., 0]
    np.testing.assert_allclose(placed.base_position, lever, atol=1e-15)
    spun = state.replace(base_rate_in_base_axes=[0, 0, 0])
    assert not spun.base_rate.any() and spun.base_velocity.any()


def test_replace_of_one_joint_leaves_the_others():
    state = arm().random_state(np.random.default_rng(7), 3)
    new = state.replace(q={"shoulder": 0.2}, qd={"wrist": [0, 0, 1]})
    assert (new.q[:, 0] == 0.2).all() and new.qd[:, 1:].tolist() == [[0, 0, 1]] * 3
    np.testing.assert_allclose(new.q[:, 1:], state.q[:, 1:], rtol=1e-15)
    np.testing.assert_array_equal(new.qd[:, 0], state.qd[:, 0])


def test_replace_may_make_a_batch_of_one_robot():
    state = arm().state(base_position=[1, 2, 3])
    many = state.replace(q={"shoulder": np.linspace(0, 1, 11)})
    assert many.shape == (11,) and (many.base_position == [1, 2, 3]).all()


def test_what_elements_hold_stays_when_a_state_is_moved_or_made_a_batch():
    robot = sd.load("ets7")
    one = robot.neutral_state().with_internal({"jet.propellant": 1.5, "panel.amplitude": [0.1, 0.2]})
    step = np.full((3, robot.nv), 0.01)
    made = (one.integrate(step[0]), one.integrate(step), one.integrate(step[0], step), one.replace(q=np.zeros((3, 6))))
    for state in made:
        assert set(state.internal) == {"jet.propellant", "panel.amplitude"}
        assert state.internal["panel.amplitude"].shape == (*state.shape, 2)
        assert (state.internal["panel.amplitude"] == [0.1, 0.2]).all()
        assert not state.internal["jet.propellant"].flags.writeable
    many = made[1].with_internal({"jet.propellant": [[1.0], [2.0], [3.0]]})
    assert (many.integrate(step[:1]).internal["jet.propellant"][:, 0] == [1.0, 2.0, 3.0]).all()


# --- the manifold ----------------------------------------------------------------------------------------------------

TREES = [(base, seed) for base in BASE_KINDS for seed in range(6)]


def short(rng: np.random.Generator, model: sd.Model, batch: tuple[int, ...]) -> np.ndarray:
    """Motions whose turns stay below half a turn, so that they are the shortest way."""
    return rng.uniform(-1.5, 1.5, (*batch, model.nv))


@pytest.mark.parametrize(("base", "seed"), TREES)
@every_batch
def test_difference_and_integrate_undo_each_other(base, seed, batch):
    rng, model = tree(base, seed, n=int(seed * 3))
    a, step = model.random_state(rng, batch), short(rng, model, batch)
    b = a.integrate(step)
    np.testing.assert_allclose(a.difference(b), step, atol=2e-14)
    np.testing.assert_allclose(b.difference(a), -step, atol=2e-14)  # back the same way
    same_place(a.integrate(a.difference(b)), b)
    same_place(b.integrate(-step), a)
    if base == "free":  # any two states, far apart
        b = model.random_state(rng, batch)
        same_place(a.integrate(a.difference(b)), b)


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_integrate_agrees_with_a_second_route(base, seed):
    rng, model = tree(base, seed, n=12)
    state, step = model.random_state(rng, 4), short(rng, model, (4,))
    new = state.integrate(step)
    for i in range(4):
        x = moved(model, state.x[i], step[i], 1.0)  # by SciPy's rotations
        parts = {"base_position": x[:3], "base_quaternion_xyzw": x[3:7], "q": x[7:]}
        same_place(new[i], state[i].replace(**parts))


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_the_way_of_constant_rates_is_a_flow(base, seed):
    rng, model = tree(base, seed, n=10)
    a, step = model.random_state(rng, 3), short(rng, model, (3,))
    same_place(a.integrate(np.zeros(model.nv)), a)
    same_place(a.integrate(step).integrate(step), a.integrate(2 * step))
    same_place(a.integrate(0.25 * step).integrate(0.75 * step), a.integrate(step))


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_frames_move_with_their_velocities(base, seed):
    """Differences of the forward kinematics along x ⊕ t u are the velocities that it gives."""
    rng, model = tree(base, seed, n=8)
    state = model.random_state(rng, 3)

    def at(t):
        return sd.forward_kinematics(model, state.integrate(t * state.u))

    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # central, of the eighth order
    step, now = 2e-3, sd.forward_kinematics(model, state)
    around = {k: at(k * step) for k in (*weights, *(-k for k in weights))}

    def slope(pick):
        return sum(w * (pick(around[k]) - pick(around[-k])) for k, w in weights.items()) / step

    for family in ("bodies", "joints", "centroids", "endpoints"):
        frames = getattr(now, family)
        scale = 1e-11 * max(1.0, np.abs(frames.velocity).max())
        v = slope(lambda s, family=family: getattr(s, family).position)
        np.testing.assert_allclose(v, frames.velocity[..., :3], atol=scale)
        spin = slope(lambda s, family=family: getattr(s, family).rotation) @ frames.rotation.swapaxes(-1, -2)
        w = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
        np.testing.assert_allclose(w, frames.velocity[..., 3:], atol=scale)


def test_attitudes_stay_of_unit_length_over_many_steps():
    rng, model = tree("free")
    state, step = model.random_state(rng, 5), rng.normal(size=(5, model.nv)) * 0.1
    for _ in range(1000):
        state = state.integrate(step)
    for quaternion in quaternions(state):
        np.testing.assert_allclose(np.linalg.norm(quaternion, axis=-1), 1.0, atol=4e-16)


def test_rates_stay_or_become_the_new_ones():
    rng, model = tree("free")
    state = model.random_state(rng, 2)
    step, rates = rng.normal(size=(2, 2, model.nv))
    np.testing.assert_array_equal(state.integrate(step).u, state.u)
    np.testing.assert_array_equal(state.integrate(step, rates).u, rates)
    np.testing.assert_array_equal(state.integrate(step[0], rates[0]).u, np.array([rates[0]] * 2))
    assert state[0].integrate(np.zeros((4, model.nv))).shape == (4,)  # one robot, four ways to go
    assert state[0].difference(state).shape == (2, model.nv)


@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-12, 1e-6, 1.0, np.pi - 1e-9, np.pi])
def test_differences_of_attitudes_from_nothing_to_half_a_turn(angle):
    model, axis = arm(), np.array([2.0, -1.0, 2.0]) / 3.0
    still = model.state(base_attitude=random_rotation(np.random.default_rng(8)), q={"wrist": [0.5, 0.5, 0.5, 0.5]})
    step = np.concatenate([np.zeros(3), angle * axis, [0.0], angle * axis])
    found = still.difference(still.integrate(step))
    turns = np.array([found[3:6], found[7:]])
    signs = np.sign(turns @ axis)[:, None] if angle == np.pi else 1.0  # half a turn may go either way
    np.testing.assert_allclose(turns * signs, [angle * axis] * 2, atol=1e-15 * max(1, angle), rtol=1e-15)


def test_a_quaternion_and_its_negative_are_no_difference():
    model, quaternion = arm(), np.array([0.5, -0.5, 0.5, 0.5])
    a, b = (model.state(base_quaternion_xyzw=s * quaternion, q={"wrist": s * quaternion}) for s in (1, -1))
    assert not a.difference(b).any()


# --- batches, copies, printing ---------------------------------------------------------------------------------------


def test_a_batch_is_indexed_like_an_array():
    _, model = tree("free")
    state = model.random_state(np.random.default_rng(9), (2, 3, 4))
    for index in (
        0,
        -1,
        np.int64(1),
        (1, 2),
        (1, 2, 3),
        (slice(None), 1),
        (..., 2),
        (0, ..., slice(1, 3)),
        slice(0, 0),
        ([0, 1], [2, 0]),
        np.arange(24).reshape(2, 3, 4) % 5 == 0,
        (None, 1),
    ):
        picked = state[index]
        where = np.arange(24).reshape(2, 3, 4)[index]
        assert picked.shape == where.shape and picked.model is model
        np.testing.assert_array_equal(picked.x, state.x.reshape(24, -1)[where])
        np.testing.assert_array_equal(picked.u, state.u.reshape(24, -1)[where])
    assert len(state) == 2 and [part.shape for part in state] == [(3, 4)] * 2
    for wrong in (2, (0, 3), (0, 0, 0, 0), "x"):
        with pytest.raises(IndexError):
            state[wrong]


def test_one_robot_is_no_batch():
    state = arm().neutral_state()
    with pytest.raises(sd.InputError, match="only a batch can be indexed"):
        state[0]
    with pytest.raises(TypeError, match="has no length"):
        len(state)


def test_what_is_read_cannot_be_written():
    state = arm().random_state(np.random.default_rng(10), 2)
    names = ("x", "u", "q", "qd", "base_position", "base_quaternion_xyzw", "base_velocity", "base_rate")
    for part in (state, state[0], state.integrate(state.u), state.replace(q=state.q)):
        for name in names:
            with pytest.raises(ValueError, match="read-only"):
                getattr(part, name)[...] = 0.0


@pytest.mark.parametrize("route", ["pickle", "buffers", "deepcopy", "copy"])
@every_batch
def test_states_survive_pickling_and_copying(route, batch):
    rng, model = tree("free", n=4)
    state = model.random_state(rng, batch)
    if route == "buffers":  # as between processes: the arrays come back as memory that may not be written to
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(state, protocol=5, buffer_callback=buffers.append)
        again = pickle.loads(text, buffers=[bytes(buffer) for buffer in buffers])
    else:
        ways = {"pickle": lambda s: pickle.loads(pickle.dumps(s)), "deepcopy": copy.deepcopy, "copy": copy.copy}
        again = ways[route](state)
    assert again.model == model and again.shape == batch
    np.testing.assert_array_equal(again.x, state.x)
    np.testing.assert_array_equal(again.u, state.u)
    np.testing.assert_array_equal(sd.forward_dynamics(model, again), sd.forward_dynamics(model, state))


def test_printing_tells_the_robot_and_the_batch():
    model = arm()
    assert repr(model.neutral_state()) == "<State of 'arm': one robot>"
    assert repr(sd.State.neutral(model, (2, 3))) == "<State of 'arm': batch (2, 3)>"


# --- bad parts -------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
BAD = [
    ({"base_position": [1, 2]}, ["base_position", "(…, 3)", "(2,)"]),
    ({"base_position": 1.0}, ["base_position", "(…, 3)", "()"]),
    ({"base_frame_position": [1, 2]}, ["base_frame_position", "(…, 3)"]),
    (
        {"base_position": [0, 0, 0], "base_frame_position": [0, 0, 0]},
        ["base_position or base_frame_position", "not both"],
    ),
    ({"base_position": [0, NAN, 0]}, ["base_position", "nan at index (1,)", "finite"]),
    ({"base_position": [[0, 0, 0], [0, 0, INF]]}, ["inf at index (1, 2)"]),
    ({"base_position": ["a", "b", "c"]}, ["base_position", "real numbers", "text"]),
    ({"base_position": [1j, 0, 0]}, ["real numbers", "complex numbers"]),
    ({"base_position": [[1, 2, 3], [1, 2]]}, ["base_position", "rows of different lengths", "(…, 3)"]),
    ({"base_quaternion_xyzw": [0, 0, 1]}, ["base_quaternion_xyzw", "(…, 4)", "(3,)"]),
    ({"base_quaternion_xyzw": [1, 0, 0, 1]}, ["quaternion", "the base", "1.41421", "scalar last"]),
    ({"base_quaternion_xyzw": [0, 0, 0, 0]}, ["quaternion", "the base", "length 0"]),
    ({"base_quaternion_xyzw": [0, 0, NAN, 1]}, ["base_quaternion_xyzw", "nan at index (2,)"]),
    ({"base_attitude": [0, 0, 0, 1]}, ["base_attitude", "(…, 3, 3)", "base_quaternion_xyzw"]),
    ({"base_attitude": "up"}, ["base_attitude", "Rotation"]),
    ({"base_attitude": [[1, 0, 0], [0, 1]]}, ["base_attitude", "rows of different lengths", "(…, 3, 3)"]),
    ({"base_attitude": np.diag([1.0, 1.0, -1.0])}, ["base_attitude", "right-handed", "columns"]),
    ({"base_attitude": 2 * np.eye(3)}, ["base_attitude", "orthonormal"]),
    ({"base_attitude": np.full((3, 3), NAN)}, ["base_attitude", "orthonormal"]),
    (
        {"base_attitude": sd.Rotation.identity(), "base_quaternion_xyzw": [0, 0, 0, 1]},
        ["base_attitude or base_quaternion_xyzw", "not both"],
    ),
    ({"base_velocity": [1, 2]}, ["base_velocity", "(…, 3)"]),
    ({"base_rate": [1, 2, INF]}, ["base_rate", "inf at index (2,)"]),
    ({"base_rate_in_base_axes": [[1], [2], [3]]}, ["base_rate_in_base_axes", "(…, 3)", "(3, 1)"]),
    ({"base_rate": [0, 0, 0], "base_rate_in_base_axes": [0, 0, 0]}, ["base_rate or base_rate_in_base_axes"]),
    ({"q": [0.1, 0.2]}, ["q: expected shape (…, 5)", "(2,)"]),
    ({"q": [NAN, 0, 0, 0, 1]}, ["q: nan at index (0,)"]),
    ({"q": [0, 0, 0, 0, 2]}, ["quaternion", "joint 'wrist'", "length 2"]),
    ({"q": {"wrist": [1, 0, 0]}}, ["q of joint 'wrist'", "(…, 4)", "(3,)"]),
    ({"q": {"wrist": [[1, 0], [0]]}}, ["q of joint 'wrist'", "rows of different lengths"]),
    ({"q": {"shoulder": "bent"}}, ["q of joint 'shoulder'", "real numbers"]),
    ({"q": {"shoulder": NAN}}, ["q of joint 'shoulder'", "nan"]),
    ({"qd": [1, 2, 3]}, ["qd: expected shape (…, 4)", "(3,)"]),
    ({"qd": {"wrist": 1.0}}, ["qd of joint 'wrist'", "(…, 3)"]),
    ({"base_position": np.zeros((2, 3)), "q": np.tile([0, 0, 0, 0, 1], (3, 1))}, ["batch axes", "(2,)", "(3,)"]),
]


@pytest.mark.parametrize(("parts", "words"), BAD, ids=[" and ".join(parts) for parts, _ in BAD])
def test_bad_parts_are_named(parts, words):
    ways = [arm().state, arm().neutral_state().replace]
    for make in ways if len(parts) == 1 else ways[:1]:
        with pytest.raises(sd.InputError) as caught:
            make(**parts)
        for word in words:
            assert word in str(caught.value)


@pytest.mark.parametrize("part", ["q", "qd"])
def test_a_joint_that_is_not_there(part):
    with pytest.raises(sd.UnknownName, match="no joint named 'sholder'; did you mean 'shoulder'"):
        arm().state(**{part: {"sholder": 0.1}})


def test_a_part_that_is_not_there():
    for make in (arm().state, arm().neutral_state().replace):
        with pytest.raises(sd.UnknownName, match="named 'base_speed'; did you mean 'base_"):
            make(base_speed=[1, 2, 3])


@pytest.mark.parametrize(
    ("base", "parts", "words"),
    [
        ("attitude", {"base_velocity": [0, 1, 0]}, "'attitude' cannot have vy"),
        ("planar", {"base_velocity": [1, 0, 2]}, "'planar' cannot have vz"),
        ("planar", {"base_rate": [1, 2, 0]}, "'planar' cannot have ωx, ωy"),
        ("fixed", {"base_rate": [0, 0, 1]}, "'fixed' cannot have ωz"),
        ("fixed", {"base_velocity": [1, 0, 0], "base_rate": [0, 0, 1]}, "'fixed' cannot have vx, ωz"),
    ],
)
def test_rates_that_the_base_cannot_have(base, parts, words):
    with pytest.raises(sd.InputError, match=words) as caught:
        arm(base).state(**parts)
    assert "give 0" in str(caught.value)


def test_bad_motions_are_named():
    model, state = arm(), sd.State.neutral(arm(), 2)
    for step, words in (
        (np.zeros(9), r"step: expected shape \(…, 10\), got \(9,\)"),
        (np.full(10, NAN), r"step: nan at index \(0,\)"),
        (["a"] * 10, "step: expected real numbers"),
        (np.zeros((3, 10)), r"batch axes that do not fit together: \(2,\), \(3,\), \(2,\)"),
    ):
        with pytest.raises(sd.InputError, match=words):
            state.integrate(step)
    with pytest.raises(sd.InputError, match=r"rates: expected shape \(…, 10\)"):
        state.integrate(np.zeros(10), np.zeros(3))
    with pytest.raises(sd.InputError, match="the two states have batch axes"):
        state.difference(sd.State.neutral(model, 3))
    with pytest.raises(sd.InputError, match="expected another State of 'arm', got ndarray"):
        state.difference(state.x)
    with pytest.raises(sd.InputError, match="is of model 'ets7', this one of 'arm'"):
        state.difference(sd.load("ets7").neutral_state())
    assert not state.difference(sd.State.neutral(model, 2)).any()  # an equal model will do
