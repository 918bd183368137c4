"""Compare a robot's dynamics with those of the same robot in Pinocchio and MuJoCo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from ..errors import InputError, nearest
from ..markup import chip, table
from ..model.files.mujoco_messages import mujoco_messages
from ..model.model import Model
from ..model.parts import Endpoint
from ..model.state import State
from ..model.surgery import assemble_known
from ..quantities.calls import check_model
from ..quantities.dynamics import bias_force, forward_dynamics
from ..quantities.kinematics import endpoint_pose
from ..quantities.matrices import mass_matrix
from ..quantities.momentum import center_of_mass
from ..signatures import checked_arguments
from . import robots as peers

PEERS = {"pinocchio": "Pinocchio", "mujoco": "MuJoCo"}
GRAVITY = np.array([0.4, -0.3, -9.81])
"""Pulls askew, so that no component goes unseen [m/s²]."""

FRAME = "frame of "
_Answers = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Comparison:
    """One quantity in one peer: the largest difference over all states, relative to the quantity's largest entry."""

    peer: str
    quantity: str
    difference: float


@dataclass(frozen=True, repr=False)
class Verification:
    """Results of all comparisons; True if something was compared and everything agrees.

    Attributes
    ----------
    model : str
        Name of the robot.
    states : int
        How many random states were compared.
    tolerance : float
        Up to which a relative difference counts as agreement.
    rows : tuple of Comparison
        One for each peer and quantity.
    left_out : tuple of str
        Peers that could not be asked, and why.
    """

    model: str
    states: int
    tolerance: float
    rows: tuple[Comparison, ...]
    left_out: tuple[str, ...]

    @property
    def worst(self) -> float:
        """The largest difference of all; infinite if nothing was compared."""
        return max((row.difference for row in self.rows), default=np.inf)

    def __bool__(self) -> bool:
        return self.worst <= self.tolerance

    def __str__(self) -> str:
        verdict = "agrees" if self else "DIFFERS" if self.rows else "was not compared"
        lines = [f"{self.model}: {verdict} ({self.states} random states, tolerance {self.tolerance:.0e})"]
        for row in self.rows:
            mark = "" if row.difference <= self.tolerance else "  <-- differs"
            lines.append(f"  {row.peer:<10} {row.quantity:<16} {row.difference:8.1e}{mark}")
        return "\n".join([*lines, *(f"  {reason}" for reason in self.left_out)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [[row.peer, row.quantity, f"{row.difference:.1e}"] for row in self.rows]
        words = str(self).partition("\n")[0].removeprefix(f"{self.model}: ")
        note = "<br>".join([chip(words, bool(self)), *map(escape, self.left_out)])
        return table(self.model, ["peer", "quantity", "largest relative difference"], rows, note)


@checked_arguments()
def verify(
    model: Model,
    *,
    states: int = 5,
    tolerance: float = 1e-9,
    against: Sequence[str] = tuple(PEERS),
    seed: int = 0,
) -> Verification:
    """Compare a robot's dynamics with Pinocchio's and MuJoCo's, whichever are installed (extra `peers`).

    Both get the same robot, conventions mapped: frames of all bodies and endpoints, centre of mass, mass matrix, bias
    force under gravity, and accelerations under random joint forces. Springs, dampers and friction are left out.

    Parameters
    ----------
    model : Model
        The robot.
    states : int
        How many random states.
    tolerance : float
        Up to which relative differences count as agreement.
    against : sequence of str
        'pinocchio', 'mujoco', or both.
    seed : int
        Of the random states.

    Returns
    -------
    Verification
        Prints as a table; true if all agrees.

    Raises
    ------
    InputError
        If no peer is installed, or one is asked for that is not known.

    Examples
    --------
    >>> import spacedyn as sd
    >>> bool(sd.verify(sd.load("ets7"), states=1, against=["pinocchio"]))
    True
    """
    for peer in against:
        if not isinstance(peer, str) or peer not in PEERS:
            raise InputError(f"there is no peer {peer!r}; {nearest(str(peer), list(PEERS))}.")
    check_model(model)
    if model.shape:
        raise InputError("verify is for one robot; take one, verify(fleet[0])")
    if not 1 <= states <= 10**6:
        raise InputError(f"states is {states}; give 1 or more, a million at most.")
    if seed < 0:
        raise InputError(f"seed is {seed}; give zero or more.")
    rng = np.random.default_rng(seed)
    marked = _with_frames(model)
    cases = [marked.random_state(rng) for _ in range(states)]
    forces = rng.uniform(-1.0, 1.0, (states, model.nv - model.base_dof))
    rows, left_out = [], []
    for peer in against:
        ask = _pinocchio if peer == "pinocchio" else _mujoco
        worst: dict[str, float] = {}
        try:
            for answers in ask(marked, cases, forces):
                for quantity, (ours, theirs) in answers.items():
                    scale = max(1e-12, float(np.abs(theirs).max(initial=0.0)))
                    error = float(np.abs(ours - theirs).max(initial=0.0)) / scale
                    worst[quantity] = max(worst.get(quantity, 0.0), error if np.isfinite(error) else np.inf)
        except ImportError:
            left_out.append(f"{PEERS[peer]} is not installed: pip install 'spacedyn[peers]'.")
        except _Unable as reason:
            left_out.append(f"{PEERS[peer]} cannot have this robot: {reason}")
        rows += [Comparison(PEERS[peer], quantity, error) for quantity, error in worst.items()]
    if not rows and all("not installed" in reason for reason in left_out):
        raise InputError("neither Pinocchio nor MuJoCo is installed: pip install 'spacedyn[peers]'.")
    return Verification(model.name, states, tolerance, tuple(rows), tuple(left_out))


class _Unable(Exception):
    """Raised where a peer cannot represent a robot; says why."""


def _with_frames(model: Model) -> Model:
    """The robot with an endpoint at the frame of every body, so that peers show those too."""
    frames = [Endpoint(f"{FRAME}{body.name}", body.name, np.zeros(3), np.eye(3)) for body in model.bodies]
    bare = [replace(body, visuals=(), collisions=()) for body in model.bodies]
    points = [*model.endpoints, *frames]
    return assemble_known([model.bodies], model.name, model.base_kind, bare, model.joints, points)


def _ours(model: Model, state: State, tau: np.ndarray) -> dict[str, np.ndarray]:
    poses = [np.column_stack(list(endpoint_pose(model, state, name))[::-1]) for name in model.endpoint_names]
    named = list(zip(model.endpoint_names, poses, strict=True))
    found = {
        "body frames": np.array([pose for name, pose in named if name.startswith(FRAME)]),
        "endpoints": np.array([pose for name, pose in named if not name.startswith(FRAME)]),
        "centre of mass": center_of_mass(model, state),
        "mass matrix": mass_matrix(model, state),
        "bias force": bias_force(model, state, gravity=GRAVITY),
        "accelerations": forward_dynamics(model, state, tau, gravity=GRAVITY, passive=False),
    }
    return {key: value for key, value in found.items() if value.size}


def _answers(
    model: Model, state: State, tau: np.ndarray, theirs: dict[str, Any], H: np.ndarray, c: np.ndarray
) -> _Answers:
    """Ours beside theirs; what a base holds needs forces that peers do not know, so those accelerations are solved."""
    force = np.concatenate([np.zeros(model.base_dof), tau])
    poses = list(zip(model.endpoint_names, theirs.pop("poses"), strict=True))
    there = {
        **theirs,
        "body frames": np.array([pose for name, pose in poses if name.startswith(FRAME)]),
        "endpoints": np.array([pose for name, pose in poses if not name.startswith(FRAME)]),
        "mass matrix": H,
        "bias force": c,
    }
    there.setdefault("accelerations", np.linalg.solve(H, force - c) if model.nv else np.zeros(0))
    return {quantity: (value, there[quantity]) for quantity, value in _ours(model, state, tau).items()}


def _pinocchio(model: Model, states: Sequence[State], forces: np.ndarray) -> Iterator[_Answers]:
    import pinocchio as pin

    robot, mapping = peers.to_pinocchio(model)
    robot.gravity.linear = GRAVITY
    data = robot.createData()
    for state, tau in zip(states, forces, strict=True):
        x, u = np.array(state.x), np.array(state.u)
        q, v = mapping.position(x), mapping.velocity(x, u)
        M = np.triu(pin.crba(robot, data, q))
        H, c = mapping.equations(x, u, M + np.triu(M, 1).T, pin.nonLinearEffects(robot, data, q, v))
        pin.framesForwardKinematics(robot, data, q)
        frames = [data.oMf[robot.getFrameId(name)] for name in model.endpoint_names]
        theirs: dict[str, Any] = {
            "poses": [np.column_stack([frame.rotation, frame.translation]) for frame in frames],
            "centre of mass": np.array(pin.centerOfMass(robot, data, q)),
        }
        if model.base_kind == "free":
            force = mapping.forces(x, np.concatenate([np.zeros(6), tau]))
            theirs["accelerations"] = mapping.accelerations(x, u, pin.aba(robot, data, q, v, force))
        yield _answers(model, state, tau, theirs, H, c)


def _mujoco(model: Model, states: Sequence[State], forces: np.ndarray) -> Iterator[_Answers]:
    import mujoco

    try:
        with mujoco_messages():
            robot, mapping = peers.to_mujoco(model)
    except ValueError as error:  # bodies without mass, inertias that no body can have
        raise _Unable(" ".join(str(error).split())) from None
    robot.opt.gravity[:] = GRAVITY
    data, M = mujoco.MjData(robot), np.zeros((robot.nv, robot.nv))
    tied = any(mapping.split_screw(i) for i in range(model.n))
    for state, tau in zip(states, forces, strict=True):
        x, u = np.array(state.x), np.array(state.u)
        data.qpos[:], data.qvel[:] = mapping.position(x), mapping.velocity(x, u)
        force = np.concatenate([np.zeros(model.base_dof), tau])
        data.qfrc_applied[:] = mapping.forces(x, force) if model.base_kind == "free" and not tied else 0.0
        with mujoco_messages():  # not around the loop: what takes the answers has warnings of its own
            mujoco.mj_forward(robot, data)
        mujoco.mj_fullM(robot, data, M)
        H, c = mapping.equations(x, u, M, data.qfrc_bias)
        sites = [data.site(name) for name in model.endpoint_names]
        theirs: dict[str, Any] = {
            "poses": [np.column_stack([site.xmat.reshape(3, 3), site.xpos]) for site in sites],
            "centre of mass": np.array(data.subtree_com[0]),
        }
        if model.base_kind == "free" and not tied:
            theirs["accelerations"] = mapping.accelerations(x, u, data.qacc)
        yield _answers(model, state, tau, theirs, H, c)
