"""One robot, the same states, forces and accelerations for everybody, and what each is asked to do with them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco.rollout import rollout

import spacedyn as sd
from spacedyn.kernels.robot import forward_dynamics, inverse_dynamics
from spacedyn.kernels.scalar.pack import LANES, ONE

from .peers import Rows, mujoco_model, mujoco_rows, pinocchio_model, pinocchio_rows, rollout_arguments
from .robots import free_flyer
from .timing import Contestant, batch

Array = np.ndarray
AGREEMENT = 1e-9


@dataclass(frozen=True)
class Case:
    """A robot and rows of states, joint forces, and the accelerations they give."""

    model: sd.Model
    state: sd.State
    tau: Array
    udot: Array

    @cached_property
    def pinocchio(self) -> tuple[Any, Any, Rows]:
        """Pinocchio's model in a pool of one, the data of that pool, and the rows as it takes them.

        There is one data for all, because it holds tensors of nv³ numbers: 0.9 GB for 300 joints.
        """
        pool = pin.ModelPool(pinocchio_model(self.model), 1)
        return pool, pool.getData(0), pinocchio_rows(self.state, self.tau, self.udot)

    @cached_property
    def mujoco(self) -> tuple[Any, Any, Rows]:
        """MuJoCo's model, its data, and the rows as it takes them."""
        robot = mujoco_model(self.model)
        return robot, mujoco.MjData(robot), mujoco_rows(self.state, self.tau, self.udot)


def make_case(name: str, arms: tuple[int, ...], most: int = 4096) -> Case:
    """The case of a robot; fewer rows for longer robots, so that all of them stay near the processor."""
    model, rng = free_flyer(name, arms), np.random.default_rng(1)
    rows = max(32, most * 7 // (model.n + 1))
    state, tau = model.random_state(rng, rows), rng.normal(size=(rows, model.n))
    return Case(model, state, tau, sd.forward_dynamics(model, state, tau))


def disagreement(case: Case, few: int = 4) -> float:
    """Largest relative difference between us and the peers; raises if it is more than rounding.

    Accelerations count by the largest of a robot, forces by the largest that the motion alone takes.
    """
    bias = np.abs(sd.bias_force(case.model, case.state[:few])).max(axis=1)
    worst = []
    for k in range(few):
        pool, data, rows = case.pinocchio
        robot = pool.getModel(0)
        worst.append(_relative(pin.aba(robot, data, rows.q[k], rows.v[k], rows.tau[k]), rows.a[k]))
        force = pin.rnea(robot, data, rows.q[k], rows.v[k], rows.a[k])
        worst.append(_relative(force, rows.tau[k], bias[k]))
        worst.append(_coriolis_difference(case, k))
        robot, data, rows = _at(case, k)
        mujoco.mj_forward(robot, data)
        worst.append(_relative(data.qacc, rows.a[k]))
        data.qacc = rows.a[k]
        mujoco.mj_inverse(robot, data)
        worst.append(_relative(data.qfrc_inverse, rows.tau[k], bias[k]))
    return agree(f"{case.model.name} joints", max(worst))


def agree(what: str, difference: float) -> float:
    """The difference between us and the peers; raises if it is more than rounding."""
    if not difference < AGREEMENT:
        raise RuntimeError(f"{what}: we and the peers differ by {difference:.1e}; nothing was measured")
    return difference


def _coriolis_difference(case: Case, k: int) -> float:
    """Between our Coriolis matrix and Pinocchio's, of rates v = B u in the base's axes: C = B'(C_pin B + M Ḃ)."""
    pool, data, rows = case.pinocchio
    robot, nv = pool.getModel(0), case.model.nv
    R, w = case.state[k].base_attitude.as_matrix(), case.state[k].base_rate
    B, change = np.eye(nv), np.zeros((nv, nv))
    B[:3, :3] = B[3:6, 3:6] = R.T
    change[:3, :3] = change[3:6, 3:6] = -R.T @ np.cross(np.eye(3), w)
    upper = np.triu(pin.crba(robot, data, rows.q[k]))
    C = pin.computeCoriolisMatrix(robot, data, rows.q[k], rows.v[k])
    theirs = B.T @ (C @ B + (upper + np.triu(upper, 1).T) @ change)
    return _relative(sd.coriolis_matrix(case.model, case.state[k]), theirs)


def _relative(one: Array, other: Array, scale: float | None = None) -> float:
    return float(np.abs(one - other).max() / (np.abs(other).max() if scale is None else scale))


def _at(case: Case, k: int) -> tuple[Any, Any, Rows]:
    """MuJoCo's, with row k in its data."""
    robot, data, rows = case.mujoco
    data.qpos, data.qvel, data.qfrc_applied, data.qacc = rows.q[k], rows.v[k], rows.tau[k], rows.a[k]
    return robot, data, rows


# --- many robots, one thread -----------------------------------------------------------------------------------------


def many_forward(case: Case, peers: tuple[str, ...]) -> dict[str, Contestant]:
    """Forward dynamics of many robots: the public function, our kernel on float64, and the peers' compiled loops."""
    makers = {
        "packs": lambda rows: _public(sd.forward_dynamics, case, case.tau, rows),
        "float64": lambda rows: _float64_loop(forward_dynamics.run, case, case.tau, rows),
        "pinocchio": lambda rows: _pinocchio_loop(pin.abaInParallel, case, "tau", rows),
        "mujoco": lambda rows: _mujoco_loop(case, rows),
    }
    return _sized(makers, peers, case)


def many_inverse(case: Case, peers: tuple[str, ...]) -> dict[str, Contestant]:
    """Inverse dynamics of many robots; MuJoCo has no compiled loop for it."""
    makers = {
        "packs": lambda rows: _public(sd.inverse_dynamics, case, case.udot, rows),
        "float64": lambda rows: _float64_loop(inverse_dynamics.run, case, case.udot, rows),
        "pinocchio": lambda rows: _pinocchio_loop(pin.rneaInParallel, case, "a", rows),
    }
    return _sized(makers, peers, case)


def _sized(makers: dict[str, Callable[[int], Contestant]], peers: tuple[str, ...], case: Case) -> dict[str, Contestant]:
    asked = ("packs", "float64", *peers)
    return {name: batch(make, len(case.tau)) for name, make in makers.items() if name in asked}


def _public(function: Callable, case: Case, operand: Array, rows: int) -> Contestant:
    names = {"f": function, "model": case.model, "state": case.state[:rows], "operand": operand[:rows].copy()}
    return Contestant("f(model, state, operand)", names, rows)


def _public_matrix(function: Callable, case: Case, rows: int) -> Contestant:
    return Contestant("f(model, state)", {"f": function, "model": case.model, "state": case.state[:rows]}, rows)


def _float64_loop(run: Callable, case: Case, operand: Array, rows: int) -> Contestant:
    """The kernel alone, over rows one by one: the loop is inside."""
    flat, state = case.model.flat, case.state[:rows]
    out = np.empty(rows * case.model.nv)
    arguments = (flat.tree, flat.par, flat.scratch(1), state._rows, operand[:rows].reshape(-1), out, rows, 0, ONE)
    run(*arguments)
    expected = case.udot if run is forward_dynamics.run else np.pad(case.tau, ((0, 0), (6, 0)))
    scale = None if run is forward_dynamics.run else np.abs(sd.bias_force(case.model, state)).max()
    if not _relative(out.reshape(rows, -1), expected[:rows], scale) < AGREEMENT:
        raise RuntimeError(f"{case.model.name} joints: the float64 kernel differs from the public function")
    return Contestant("run(*arguments)", {"run": run, "arguments": arguments}, rows)


def _pinocchio_loop(function: Callable, case: Case, operand: str, rows: int) -> Contestant:
    pool, _, given = case.pinocchio
    columns = [np.asfortranarray(array[:rows].T) for array in (given.q, given.v, getattr(given, operand))]
    out = np.empty((case.model.nv, rows), order="F")
    names = {"f": function, "pool": pool, "q": columns[0], "v": columns[1], "x": columns[2], "out": out}
    return Contestant("f(1, pool, q, v, x, out)", names, rows)


def _mujoco_loop(case: Case, rows: int) -> Contestant:
    robot, data, given = case.mujoco
    arguments = rollout_arguments(Rows(*(getattr(given, part)[:rows] for part in ("q", "v", "tau", "a"))))
    names = {"rollout": rollout, "robot": robot, "data": data, "arguments": arguments}
    return Contestant("rollout(robot, data, **arguments)", names, rows)


# --- operators: the factors are there, vectors come ------------------------------------------------------------------


def applied_operators(case: Case, what: str) -> dict[str, Contestant]:
    """An operator on vectors: a vector for each of many robots, and many vectors for one robot."""
    rng = np.random.default_rng(2)

    def packs(rows: int) -> Contestant:
        operator = getattr(sd.operators.SpatialOperators(case.model, case.state[:rows]), what)
        return Contestant("op @ x", {"op": operator, "x": rng.normal(size=(rows, case.model.nv))}, rows)

    def float64(vectors: int) -> Contestant:
        operator = getattr(sd.operators.SpatialOperators(case.model, case.state[0]), what)
        x = rng.normal(size=(vectors, case.model.nv)).T  # columns that are whole in memory: nothing is copied
        return Contestant("op @ x", {"op": operator, "x": x}, vectors)

    return {"packs": batch(packs, len(case.tau)), "float64": batch(float64, len(case.tau))}


# --- one robot, one call from Python ---------------------------------------------------------------------------------


def one_call(case: Case, what: str) -> dict[str, Contestant]:
    """One call of ours and of each peer, arguments ready as arrays; MuJoCo's are in its data already."""
    state, tau, udot = case.state[0], case.tau[0].copy(), case.udot[0].copy()
    pool, data, rows = case.pinocchio
    ours: dict[str, Any] = {"model": case.model, "state": state, "tau": tau, "udot": udot}
    theirs: dict[str, Any] = {"m": pool.getModel(0), "d": data}
    theirs |= {name: getattr(rows, name)[0].copy() for name in ("q", "v", "tau", "a")}
    there = dict(zip(("m", "d"), _at(case, 0)[:2], strict=True))
    if what == "forward":
        return {
            "float64": Contestant("f(model, state, tau)", {"f": sd.forward_dynamics, **ours}),
            "pinocchio": Contestant("f(m, d, q, v, tau)", {"f": pin.aba, **theirs}),
            "mujoco": Contestant("f(m, d)", {"f": mujoco.mj_forward, **there}),
        }
    if what == "inverse":
        return {
            "float64": Contestant("f(model, state, udot)", {"f": sd.inverse_dynamics, **ours}),
            "pinocchio": Contestant("f(m, d, q, v, a)", {"f": pin.rnea, **theirs}),
            "mujoco": Contestant("f(m, d)", {"f": mujoco.mj_inverse, **there}),
        }
    if what == "coriolis":  # Pinocchio has no loop over states for it
        make = functools.partial(_public_matrix, sd.coriolis_matrix, case)
        many = batch(lambda rows: make(max(rows, LANES)), len(case.tau))  # never less than a whole pack
        return {
            "packs": many,
            "float64": Contestant("f(model, state)", {"f": sd.coriolis_matrix, **ours}),
            "pinocchio": Contestant("f(m, d, q, v)", {"f": pin.computeCoriolisMatrix, **theirs}),
        }
    return {
        "float64": Contestant("f(model, state)", {"f": sd.mass_matrix, **ours}),
        "pinocchio": Contestant("f(m, d, q)", {"f": pin.crba, **theirs}),
    }
