"""One robot alone and the same robot anywhere in a batch agree to 1e-13: all functions, sizes, shapes, operands.

Robots of a batch are worked on in packs, one a lane, by other machine code than one robot alone. This machine's width
of a pack is tried here; the other widths, and no compiler at all, in processes of their own that run meanwhile.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spacedyn as sd
from paths import TESTS
from random_trees import random_model
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.model.parts import BASE_KINDS
from spacedyn.quantities.kinematics import FrameMotion, Kinematics

pytestmark = pytest.mark.packs

BOUND = 1e-13
ROBOTS = 17  # different ones; larger batches repeat them in any order
GRAVITY = (0.5, -1.0, -9.5)
GIVEN = ("joint2", "joint5")
every_base = pytest.mark.parametrize("base", BASE_KINDS)


class Case:
    """Robots of one model, in different states under different loads; `pick` makes batches of them."""

    def __init__(self, model: sd.Model, state: sd.State, operands: dict[str, np.ndarray]):
        self.model, self.state, self.operands = model, state, operands

    def __getattr__(self, name: str) -> np.ndarray:
        return self.operands[name]

    def pick(self, index: Any) -> "Case":
        return Case(self.model, self.state[index], {name: value[index] for name, value in self.operands.items()})

    @property
    def loads(self) -> dict[str, Any]:
        return {"base_wrench": self.base_wrench, "endpoint_wrenches": self.wrenches, "gravity": GRAVITY}


@cache
def robots(base: str) -> Case:
    """Seventeen states of a tree with every kind of joint, springs, friction and stops; no two with the same loads."""
    rng = np.random.default_rng([3, *map(ord, base)])
    model = random_model(rng, 9, base_kind=base, passive=True)
    sizes = {"udot": model.nv, "tau": model.nv - model.base_dof, "base_wrench": 6, "point": 3}
    operands = {name: rng.normal(size=(ROBOTS, size)) for name, size in sizes.items()}
    operands["wrenches"] = rng.normal(size=(ROBOTS, len(model.endpoints), 6))
    operands["matrix"] = rng.normal(size=(ROBOTS, model.nv, 2))
    return Case(model, model.random_state(rng, ROBOTS), operands)


HAND = "endpoint1"
QUANTITIES: dict[str, Callable[[Case], Any]] = {
    "forward_kinematics": lambda c: sd.forward_kinematics(c.model, c.state, c.udot),
    "forward_kinematics, velocities": lambda c: sd.forward_kinematics(c.model, c.state),
    "endpoint_pose": lambda c: sd.endpoint_pose(c.model, c.state, HAND),
    "endpoint_velocity": lambda c: sd.endpoint_velocity(c.model, c.state, HAND),
    "endpoint_acceleration": lambda c: sd.endpoint_acceleration(c.model, c.state, c.udot, HAND),
    "endpoint_jacobian": lambda c: sd.endpoint_jacobian(c.model, c.state, HAND),
    "endpoint_jacobian_rate": lambda c: sd.endpoint_jacobian_rate(c.model, c.state, HAND),
    "body_jacobian": lambda c: sd.body_jacobian(c.model, c.state, "body4"),
    "jacobian_rate": lambda c: sd.jacobian_rate(c.model, c.state, "body4", (0.1, 0.2, 0.3)),
    "forward_dynamics": lambda c: sd.forward_dynamics(c.model, c.state, c.tau, **c.loads),
    "forward_dynamics, unloaded": lambda c: sd.forward_dynamics(c.model, c.state, passive=False),
    "inverse_dynamics": lambda c: sd.inverse_dynamics(c.model, c.state, c.udot, **c.loads),
    "inverse_dynamics, unloaded": lambda c: sd.inverse_dynamics(c.model, c.state, c.udot, passive=False),
    "forward_dynamics_derivatives": lambda c: sd.forward_dynamics_derivatives(c.model, c.state, c.tau, **c.loads),
    "inverse_dynamics_derivatives": lambda c: sd.inverse_dynamics_derivatives(c.model, c.state, c.udot, **c.loads),
    "joint_reactions": lambda c: sd.joint_reactions(c.model, c.state, c.udot, **c.loads),
    "hybrid_dynamics": lambda c: sd.hybrid_dynamics(c.model, c.state, GIVEN, c.udot, c.tau, **c.loads),
    "hybrid_dynamics, base": lambda c: sd.hybrid_dynamics(c.model, c.state, ["base"], c.udot, c.tau),
    "bias_force": lambda c: sd.bias_force(c.model, c.state, gravity=GRAVITY),
    "coriolis_matrix": lambda c: sd.coriolis_matrix(c.model, c.state),
    "passive_force": lambda c: sd.passive_force(c.model, c.state),
    "mass_matrix": lambda c: sd.mass_matrix(c.model, c.state),
    "mass_matrix_blocks": lambda c: sd.mass_matrix_blocks(c.model, c.state),
    "mass_matrix_inverse": lambda c: sd.mass_matrix_inverse(c.model, c.state),
    "mass_matrix_inverse_product": lambda c: sd.mass_matrix_inverse_product(c.model, c.state, c.udot),
    "mass_matrix_inverse_product, columns": lambda c: sd.mass_matrix_inverse_product(c.model, c.state, c.matrix),
    "center_of_mass": lambda c: sd.center_of_mass(c.model, c.state),
    "center_of_mass_velocity": lambda c: sd.center_of_mass_velocity(c.model, c.state),
    "center_of_mass_acceleration": lambda c: sd.center_of_mass_acceleration(c.model, c.state, c.udot),
    "momentum": lambda c: sd.momentum(c.model, c.state, about=c.point),
    "momentum_matrix": lambda c: sd.momentum_matrix(c.model, c.state, about="com"),
    "momentum_matrix_rate": lambda c: sd.momentum_matrix_rate(c.model, c.state, about="com"),
    "momentum_matrix_rate, origin": lambda c: sd.momentum_matrix_rate(c.model, c.state, about="origin"),
    "kinetic_energy": lambda c: sd.kinetic_energy(c.model, c.state),
    "potential_energy": lambda c: sd.potential_energy(c.model, c.state, gravity=GRAVITY),
}
FLOATING: dict[str, Callable[[Case], Any]] = {
    "generalized_jacobian": lambda c: sd.generalized_jacobian(c.model, c.state, HAND),
    "generalized_inertia": lambda c: sd.generalized_inertia(c.model, c.state),
    "base_recoil": lambda c: sd.base_recoil(c.model, c.state),
    "reaction_null_space": lambda c: sd.reaction_null_space(c.model, c.state),
    "reaction_null_space, all": lambda c: sd.reaction_null_space(c.model, c.state, reaction="all"),
}


def quantities(base: str) -> dict[str, Callable[[Case], Any]]:
    return QUANTITIES if base == "fixed" else QUANTITIES | FLOATING


def arrays(result: Any) -> list[np.ndarray]:
    """All arrays of a result, whatever holds them."""
    if isinstance(result, Kinematics):
        result = (result.bodies, result.joints, result.centroids, result.endpoints)
    if isinstance(result, FrameMotion):
        result = tuple(part for part in result[1:] if part is not None)  # after the names
    if isinstance(result, tuple):
        return [array for part in result for array in arrays(part)]
    return [np.asarray(result)]


@cache
def alone(base: str) -> dict[str, list[np.ndarray]]:
    """Every quantity of every robot by itself, stacked."""
    each = [robots(base).pick(i) for i in range(ROBOTS)]
    return {
        name: [np.stack(parts) for parts in zip(*(arrays(quantity(one)) for one in each), strict=True)]
        for name, quantity in quantities(base).items()
    }


def agree(name: str, found: list[np.ndarray], wanted: list[np.ndarray], bound: float = BOUND) -> None:
    """Equal within the bound, relative to the largest number of each robot's own result."""
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape, f"{name}: shape {a.shape}, not {b.shape}"
        if b.size:
            a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
            error = np.abs(a - b).max(axis=1) / np.maximum(np.abs(b).max(axis=1), 1e-300)
            assert error.max() <= bound, f"{name}: robot {error.argmax()} is off by {error.max():.1e}"


def test_every_public_function_is_tried():
    names = ("kinematics", "dynamics", "matrices", "derivatives", "momentum", "freefloating")
    topics = {f"spacedyn.quantities.{name}" for name in names}
    functions = {name for name in sd.__all__ if getattr(getattr(sd, name), "__module__", None) in topics}
    assert {name.split(",")[0] for name in QUANTITIES | FLOATING} == functions


# --- other widths, in other processes --------------------------------------------------------------------------------

ELSEWHERE = ("forward_dynamics", "joint_reactions")  # enough to meet all of the scalar's code; compiling takes seconds
SIZES_ELSEWHERE = (1, 2, 3, 5, 8, 9, 17)


def answer_elsewhere(folder: str) -> None:
    """What a process with other lanes does: every quantity asked for, for batches of some sizes."""
    asked = pickle.loads(Path(folder, "asked").read_bytes())
    case = Case(asked["model"], asked["state"], asked["operands"])
    answers = {
        (name, size): arrays(QUANTITIES[name](case.pick(slice(0, size))))
        for name in asked["names"]
        for size in asked["sizes"]
    }
    Path(folder, "answers").write_bytes(pickle.dumps((LANES, answers)))


@pytest.fixture(scope="module", autouse=True)
def processes(tmp_path_factory):
    """Processes with forced widths and one without a compiler, at work while the other tests run."""
    case, running = robots("free"), {}
    widths = {str(lanes): {"SPACEDYN_LANES": str(lanes)} for lanes in (2, 4, 8) if lanes != LANES}
    for kind, setting in (widths | {"no compiler": {"NUMBA_DISABLE_JIT": "1"}}).items():
        folder = tmp_path_factory.mktemp("lanes")
        names, sizes = (ELSEWHERE, SIZES_ELSEWHERE[1:]) if kind in widths else (tuple(QUANTITIES), (1, 3))
        asked = {"model": case.model, "state": case.state, "operands": case.operands, "names": names, "sizes": sizes}
        (folder / "asked").write_bytes(pickle.dumps(asked))
        paths = [str(Path(__file__).parent), str(TESTS), str(Path(sd.__file__).parents[1])]
        settings = {"PYTHONPATH": os.pathsep.join(paths), "SPACEDYN_CACHE_DIR": str(folder / "cache"), **setting}
        command = [sys.executable, "-c", f"import test_batches; test_batches.answer_elsewhere({str(folder)!r})"]
        with (folder / "said").open("wb") as said:
            process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=said, stderr=said)
        running[kind] = (process, folder)
    yield running
    for process, _ in running.values():
        process.kill()
        process.wait()


def answers_of(process: subprocess.Popen, folder: Path) -> tuple[int, dict]:
    assert process.wait(timeout=1500) == 0, (folder / "said").read_text()
    return pickle.loads((folder / "answers").read_bytes())


# --- alone and in a batch --------------------------------------------------------------------------------------------


@every_base
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 15, 16, 17])
def test_alone_and_in_a_small_batch(base, size):
    case, chosen = robots(base), np.random.default_rng(size).permutation(ROBOTS)[:size]
    for name, quantity in quantities(base).items():
        agree(name, arrays(quantity(case.pick(chosen))), [a[chosen] for a in alone(base)[name]])


@pytest.mark.parametrize("size", [100, 1000])
def test_alone_and_in_a_large_batch(size):
    case, chosen = robots("free"), np.random.default_rng(size).integers(0, ROBOTS, size)
    for name, quantity in quantities("free").items():
        agree(name, arrays(quantity(case.pick(chosen))), [a[chosen] for a in alone("free")[name]])


@pytest.mark.parametrize("name", QUANTITIES | FLOATING)
def test_alone_and_among_ten_thousand(name):
    chosen = np.random.default_rng(1).integers(0, ROBOTS, 10_000)
    crowd = robots("free").pick(chosen)
    agree(name, arrays((QUANTITIES | FLOATING)[name](crowd)), [a[chosen] for a in alone("free")[name]])


def test_the_neighbours_in_a_pack_do_not_matter():
    """Bit by bit: lanes never mix. The robot in the middle stays, all others change."""
    case = robots("free")
    for name, quantity in QUANTITIES.items():
        results = []
        for seed in range(3):
            chosen = np.random.default_rng(seed).integers(0, ROBOTS, 2 * LANES + 1)
            chosen[LANES + 1] = 5
            results.append([a[LANES + 1] for a in arrays(quantity(case.pick(chosen)))])
        for a, b, c in zip(*results, strict=True):
            assert np.array_equal(a, b) and np.array_equal(a, c), name


# --- shapes ----------------------------------------------------------------------------------------------------------


@every_base
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1), (5, 1), (1,)], ids=str)
def test_batch_axes_of_any_number(base, shape):
    case, chosen = robots(base), np.random.default_rng(0).integers(0, ROBOTS, shape)
    for name, quantity in quantities(base).items():
        found = arrays(quantity(case.pick(chosen)))
        assert all(a.shape[: len(shape)] == shape for a in found), name
        rows = [a.reshape(chosen.size, *a.shape[len(shape) :]) for a in found]
        agree(name, rows, [a[chosen.ravel()] for a in alone(base)[name]])


@every_base
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)], ids=str)
def test_an_empty_batch_gives_an_empty_result(base, shape):
    case = robots(base).pick(np.zeros(shape, dtype=int))
    assert case.state.shape == shape and case.state.count == 0
    for name, quantity in quantities(base).items():
        wanted = [(*shape, *a.shape[1:]) for a in alone(base)[name]]
        assert [a.shape for a in arrays(quantity(case))] == wanted, name


def test_states_of_an_empty_batch():
    model = robots("free").model
    state = sd.State.neutral(model, 0)
    for made in (
        model.random_state(np.random.default_rng(0), 0),
        model.state(base_frame_position=np.zeros((0, 3)), base_rate_in_base_axes=np.zeros((0, 3))),
        model.state(base_attitude=np.zeros((0, 3, 3))),
        state.replace(q={"joint1": state.q[:, model.q_slice("joint1")]}),
        state.integrate(np.zeros(model.nv)),
        state[:],
        sd.State.neutral(model, 5)[5:],
    ):
        assert made.shape == (0,) and made.x.shape == (0, 7 + model.nq)
    assert state.difference(state).shape == (0, model.nv)
    assert state.base_attitude.as_matrix().shape == (0, 3, 3)
    assert len(state) == 0 and list(state) == []


@pytest.mark.parametrize(
    "index", [3, -1, slice(2, 9), slice(None, None, -2), [4, 4, 0], np.arange(ROBOTS) % 3 == 0], ids=str
)
def test_a_part_of_a_batch_has_that_part_of_the_results(index):
    case = robots("free")
    for name, quantity in quantities("free").items():
        found, whole = arrays(quantity(case.pick(index))), arrays(quantity(case))
        if isinstance(index, int):
            found, whole = [a[None] for a in found], [a[index][None] for a in whole]
        else:
            whole = [a[index] for a in whole]
        agree(name, found, whole)


# --- operands --------------------------------------------------------------------------------------------------------

OPERANDS: dict[str, Callable[[Case, np.ndarray], Any]] = {
    "tau": lambda c, value: sd.forward_dynamics(c.model, c.state, value),
    "udot": lambda c, value: sd.inverse_dynamics(c.model, c.state, value),
    "udot, hybrid": lambda c, value: sd.hybrid_dynamics(c.model, c.state, GIVEN, value),
    "tau, hybrid": lambda c, value: sd.hybrid_dynamics(c.model, c.state, GIVEN, c.udot, value),
    "udot, reactions": lambda c, value: sd.joint_reactions(c.model, c.state, value),
    "udot, kinematics": lambda c, value: sd.forward_kinematics(c.model, c.state, value),
    "udot, endpoint": lambda c, value: sd.endpoint_acceleration(c.model, c.state, value, HAND),
    "udot, centre of mass": lambda c, value: sd.center_of_mass_acceleration(c.model, c.state, value),
    "udot, vectors": lambda c, value: sd.mass_matrix_inverse_product(c.model, c.state, value),
    "matrix": lambda c, value: sd.mass_matrix_inverse_product(c.model, c.state, value),
    "base_wrench": lambda c, value: sd.forward_dynamics(c.model, c.state, base_wrench=value),
    "base_wrench, inverse": lambda c, value: sd.inverse_dynamics(c.model, c.state, c.udot, base_wrench=value),
    "base_wrench, at an endpoint": lambda c, value: sd.forward_dynamics(
        c.model, c.state, endpoint_wrenches={HAND: value}
    ),
    "wrenches": lambda c, value: sd.forward_dynamics(c.model, c.state, endpoint_wrenches=value),
    "wrenches, inverse": lambda c, value: sd.inverse_dynamics(c.model, c.state, c.udot, endpoint_wrenches=value),
    "wrenches, hybrid": lambda c, value: sd.hybrid_dynamics(c.model, c.state, GIVEN, c.udot, endpoint_wrenches=value),
    "point": lambda c, value: sd.momentum(c.model, c.state, about=value),
    "point, matrix": lambda c, value: sd.momentum_matrix(c.model, c.state, about=value),
}
every_operand = pytest.mark.parametrize("name", OPERANDS)


def same(found: Any, wanted: Any) -> None:
    for a, b in zip(arrays(found), arrays(wanted), strict=True):
        np.testing.assert_array_equal(a, b)


@every_operand
def test_one_operand_serves_the_whole_batch(name):
    case, function = robots("free"), OPERANDS[name]
    one = getattr(case, name.split(",")[0])[3]
    given = one if name != "matrix" else one[None]  # (nv, m) alone would be read as vectors of a batch
    same(function(case, given), function(case, np.array([one] * ROBOTS)))


@every_operand
def test_operands_broadcast_over_several_axes(name):
    chosen = np.random.default_rng(2).integers(0, ROBOTS, (2, 3, 4))
    case, function = robots("free").pick(chosen), OPERANDS[name]
    whole = getattr(case, name.split(",")[0])
    for part in (whole[:1], whole[:, :1], whole[0, :, :1], whole[:1, 1:2, :1]):
        given = part if name != "matrix" else part.reshape((1,) * (whole.ndim - part.ndim) + part.shape)
        same(function(case, given), function(case, np.array(np.broadcast_to(part, whole.shape))))


def layouts(value: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in other memory."""
    room = np.full((2 * len(value) + 1, *value.shape[1:-1], 2 * value.shape[-1]), np.nan)
    room[1::2, ..., ::2] = value
    locked = value.copy()
    locked.flags.writeable = False
    return {
        "fortran": np.asfortranarray(value),
        "strided": room[1::2, ..., ::2],
        "backwards": value[::-1].copy()[::-1],
        "read-only": locked,
        "byte-swapped": value.astype(">f8"),
        "long double": value.astype(np.longdouble),
        "list": value.tolist(),
        "subclass": value.view(type("Numbers", (np.ndarray,), {})),
    }


@every_operand
@pytest.mark.parametrize("robot", [slice(None), 4], ids=["batch", "one"])
def test_operands_in_any_memory(name, robot):
    case, function = robots("free"), OPERANDS[name]
    whole = getattr(case, name.split(",")[0])
    wanted = function(case.pick(robot), whole[robot].copy())
    for layout, value in layouts(whole).items():
        given = value[robot]
        before = np.array(given)
        found = function(case.pick(robot), given)
        same(found, wanted)
        assert np.array_equal(given, before), layout  # what is lent comes back as it was
        for result in arrays(found):
            assert not np.shares_memory(result, np.asarray(given)), layout


@every_operand
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint16])
def test_numbers_of_any_type(name, dtype):
    case, function = robots("free"), OPERANDS[name]
    value = np.round(np.abs(getattr(case, name.split(",")[0])) * 4).astype(dtype)
    same(function(case, value), function(case, value.astype(float)))
    same(function(case.pick(0), value[0]), function(case.pick(0), value[0].astype(float)))


@every_operand
def test_wrong_shapes_and_types_are_refused(name):
    case, function = robots("free"), OPERANDS[name]
    value = getattr(case, name.split(",")[0])
    for wrong in (value[..., :-1] if name != "matrix" else value[:, :-1], value[:5], value.astype(complex), value > 0):
        with pytest.raises(sd.InputError):
            function(case, wrong)


@pytest.mark.parametrize("shape", [(ROBOTS,), (3, 4)], ids=str)
def test_a_number_that_is_not_finite_is_traced_to_its_robot(shape):
    case = robots("free").pick(np.arange(np.prod(shape)).reshape(shape))
    where = tuple(k - 2 for k in shape)
    for name, value in (("forward_dynamics", case.tau.copy()), ("inverse_dynamics", case.udot.copy())):
        value[(*where, 2)] = np.inf
        with pytest.raises(sd.InputError) as caught:
            getattr(sd, name)(case.model, case.state, value)
        assert "inf" in str(caught.value) and f"robot {where}" in str(caught.value)


def test_states_from_any_memory():
    case = robots("free")
    state = case.state
    whole = {"base_position": state.base_position, "base_quaternion_xyzw": state.base_quaternion_xyzw, "q": state.q}
    whole |= {"base_velocity": state.base_velocity, "base_rate": state.base_rate, "qd": state.qd}
    wanted = sd.forward_dynamics(case.model, case.model.state(**{name: value.copy() for name, value in whole.items()}))
    for layout in layouts(state.q):
        parts = {name: layouts(value)[layout] for name, value in whole.items()}
        np.testing.assert_array_equal(sd.forward_dynamics(case.model, case.model.state(**parts)), wanted)


# --- other widths: by now they have finished -------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_packs_of_other_widths(processes, lanes):
    if lanes == LANES:  # the width of this very process, and of all tests above
        assert str(lanes) not in processes
        return
    width, answers = answers_of(*processes[str(lanes)])
    assert width == lanes and len(answers) == len(ELSEWHERE) * (len(SIZES_ELSEWHERE) - 1)
    for (name, size), found in answers.items():
        agree(name, found, [a[:size] for a in alone("free")[name]])


def test_without_a_compiler(processes):
    """Plain Python on floats says the same."""
    _, answers = answers_of(*processes["no compiler"])
    assert len(answers) == 2 * len(QUANTITIES)
    for (name, size), found in answers.items():
        agree(name, found, [a[:size] for a in alone("free")[name]])
