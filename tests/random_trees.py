"""Random robots of every shape, and random states of them, for tests of identities."""

from collections.abc import Iterable

import numpy as np
from scipy.spatial.transform import Rotation

from spacedyn.model.build import Builder
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.model import Model
from spacedyn.model.parts import BASE_KINDS, Joint

Array = np.ndarray
BASE_RATES = {"free": [0, 1, 2, 3, 4, 5], "attitude": [3, 4, 5], "planar": [0, 1, 5], "fixed": []}
"""Which components of the base's (v0; ω0) each kind of base has in u."""


def random_model(
    rng: np.random.Generator,
    n: int,
    *,
    base_kind: str | None = None,
    kinds: tuple[str, ...] | None = None,
    passive: bool = False,
) -> Model:
    """A random branching tree of n joints.

    Bodies have full inertia tensors and offset centres of mass, the base too; frames are turned at random; axes are
    oblique; some joints have rotors behind gears; bodies and joints are declared in any order. `kinds` are drawn
    evenly, so that n ≥ len(kinds) shows each of them. With `passive`, joints have springs, dampers, dry friction
    and end stops. Endpoints: one on the base, and up to four on any bodies.
    """
    base_kind = base_kind or str(rng.choice(list(BASE_KINDS)))
    builder = Builder(f"random {base_kind} tree of {n}", base=base_kind)
    names = ["base", *(f"body{i}" for i in range(1, n + 1))]
    drawn = even_draw(rng, tuple(kinds or JOINT_KINDS), n)

    builder.base("base", **random_inertia(rng, scale=3.0))
    for i in 1 + rng.permutation(n):
        builder.body(names[i], **random_inertia(rng))
    parents = [None, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, n + 1))]  # bushy, yet not flat
    for i in 1 + rng.permutation(n):
        kind = drawn[i - 1]
        properties = random_axis(rng, kind) | random_rotor(rng, kind) | (random_passive(rng, kind) if passive else {})
        builder.joint(
            f"joint{i}", kind, parent=names[parents[i]], child=names[i], **random_frame(rng, 0.6), **properties
        )
    for k, body in enumerate(["base", *rng.choice(names, size=rng.integers(1, 5))]):
        builder.endpoint(f"endpoint{k}", body=str(body), **random_frame(rng, 0.4))
    return builder.build()


def even_draw(rng: np.random.Generator, kinds: tuple[str, ...], n: int) -> list[str]:
    """n kinds in random order, each about as often as the others."""
    many = [str(kind) for _ in range(n // len(kinds) + 1) for kind in rng.permutation(kinds)]
    return [many[i] for i in rng.permutation(n)]


def random_inertia(rng: np.random.Generator, scale: float = 1.0) -> dict:
    """Mass, centre of mass and inertia of eight point masses in a cube: physically possible by construction."""
    m = rng.uniform(0.1, 0.5, 8) * scale
    r = rng.uniform(-0.4, 0.4, (8, 3)) + rng.uniform(-0.3, 0.3, 3)
    com = m @ r / m.sum()
    d = r - com
    inertia = np.einsum("p,pi,pj->ij", m, d, d)
    return {"mass": float(m.sum()), "com": com, "inertia": np.trace(inertia) * np.eye(3) - inertia}


def random_rotation(rng: np.random.Generator) -> Rotation:
    """Any attitude, evenly over SO(3)."""
    return Rotation.from_quat(rng.normal(size=4))


def random_frame(rng: np.random.Generator, reach: float) -> dict:
    """A position within a cube and any rotation."""
    return {"position": rng.uniform(-reach, reach, 3), "rotation": random_rotation(rng)}


def random_axis(rng: np.random.Generator, kind: str) -> dict:
    """An oblique axis for the joints that have one, and a pitch for a screw."""
    axis = rng.normal(size=3)
    options = {"axis": axis / np.linalg.norm(axis)} if JOINT_KINDS[kind].takes_axis else {}
    return options | ({"pitch": float(rng.uniform(-0.3, 0.3))} if kind == "helical" else {})


def random_rotor(rng: np.random.Generator, kind: str) -> dict:
    """A rotor behind a gear, for half of the joints."""
    nv = JOINT_KINDS[kind].nv
    if nv == 0 or rng.random() < 0.5:
        return {}
    return {"rotor_inertia": rng.uniform(0.0, 1e-3, nv), "gear": rng.uniform(-20.0, 20.0, nv)}


def random_passive(rng: np.random.Generator, kind: str) -> dict:
    """Spring, damper, dry friction, and stops near enough that a random state is often beyond them."""
    nv = JOINT_KINDS[kind].nv
    if nv == 0:
        return {}
    stiffness = rng.uniform(0.0, 5.0, nv)
    if kind in ("spherical", "free"):  # a spring of three dimensions is as stiff in each
        stiffness = np.repeat(stiffness[::3], 3)
    options = {"rest": random_coordinates(rng, kind), "stiffness": stiffness, "damping": rng.uniform(0.0, 1.0, nv)}
    options |= {"friction": rng.uniform(0.0, 0.5, nv), "friction_speed": rng.uniform(0.1, 1.0, nv)}
    stops = {"spherical": 0, "free": 3}.get(kind, nv)  # attitudes have no single coordinate that could reach a stop
    lower, upper = np.full(nv, -np.inf), np.full(nv, np.inf)
    lower[:stops], upper[:stops] = rng.uniform(-0.5, -0.1, stops), rng.uniform(0.1, 0.5, stops)
    options |= {"lower": lower, "upper": upper}
    return options | {"stop_stiffness": rng.uniform(0.0, 50.0, nv), "stop_damping": rng.uniform(0.0, 5.0, nv)}


def random_coordinates(rng: np.random.Generator, kind: str) -> Array:
    """(nq,): angles over a whole turn, lengths within half a metre, attitudes evenly over SO(3)."""
    turn, quaternion = rng.uniform(-np.pi, np.pi, 2), random_rotation(rng).as_quat()
    length = rng.uniform(-0.5, 0.5, 3)
    return {
        "revolute": turn[:1],
        "prismatic": length[:1],
        "helical": turn[:1],
        "cylindrical": np.append(length[0], turn[0]),
        "universal": turn,
        "planar": np.append(length[:2], turn[0]),
        "spherical": quaternion,
        "free": np.concatenate([length, quaternion]),
        "fixed": np.zeros(0),
    }[kind]


def random_state_parts(rng: np.random.Generator, model: Model) -> dict[str, Array]:
    """The parts of a random state by the names of docs/notation.md; what the base holds does not move."""
    twist = rng.uniform(-1.0, 1.0, 6) * np.isin(range(6), BASE_RATES[model.base_kind])
    return {
        "base_position": rng.uniform(-2.0, 2.0, 3),
        "base_quaternion_xyzw": random_rotation(rng).as_quat(),
        "q": joined(random_coordinates(rng, joint.kind) for joint in model.joints),
        "base_velocity": twist[:3],
        "base_rate": twist[3:],
        "qd": rng.uniform(-1.5, 1.5, model.nv - model.base_dof),
    }


def flat_state(model: Model, parts: dict[str, Array]) -> tuple[Array, Array]:
    """(x, u) of the parts of a state, in the layout of docs/notation.md."""
    x = joined(parts[name] for name in ("base_position", "base_quaternion_xyzw", "q"))
    twist = np.concatenate([parts["base_velocity"], parts["base_rate"]])
    return x, np.concatenate([twist[BASE_RATES[model.base_kind]], parts["qd"]])


def random_flat_state(rng: np.random.Generator, model: Model) -> tuple[Array, Array]:
    """(x, u) of a random state."""
    return flat_state(model, random_state_parts(rng, model))


def moved(model: Model, x: Array, u: Array, t: float) -> Array:
    """x ⊕ t u: where constant rates u lead in time t. Rates of attitudes turn; all others add."""
    base = BASE_RATES[model.base_kind]
    twist = np.zeros(6)
    twist[base] = u[: len(base)]
    out = [x[:3] + t * twist[:3], (Rotation.from_rotvec(t * twist[3:]) * Rotation.from_quat(x[3:7])).as_quat()]
    iq, iv = 7, len(base)
    for joint in model.joints:
        out.append(moved_joint(joint, x[iq : iq + joint.nq], t * u[iv : iv + joint.nv]))
        iq, iv = iq + joint.nq, iv + joint.nv
    return np.concatenate(out)


def moved_joint(joint: Joint, q: Array, step: Array) -> Array:
    """q ⊕ step for one joint."""
    if joint.kind not in ("spherical", "free"):
        return q + step
    attitude = Rotation.from_quat(q[-4:]) * Rotation.from_rotvec(step[-3:])
    return np.concatenate([q[:-4] + step[:-3], attitude.as_quat()])


def joined(parts: Iterable[Array]) -> Array:
    """All parts in one array, which may be none."""
    return np.concatenate([np.zeros(0), *parts])
