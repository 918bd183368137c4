"""Steps of 1 ms through rigid contact, against MuJoCo with its defaults: the same scenes, from the same starts.

A quadruped drops on its feet and stands, under a PD law of its joints, or trots; 20 spheres fall into a box and come to
rest; five boxes stand on each other. Each run is the first second of a scene; a figure is the time of one step. Beside
it are speeds at the end, the largest depth of a contact, and the largest rise of energy from one millisecond to the
next.
"""

import math
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.simulate.setup import build_steppers, simulation_of
from spacedyn.simulate.simulation import Simulation

from .timing import Contestant

SCENES = ("quadruped", "trotting quadruped", "pile of 20 spheres", "stack of 5 boxes")
STEP, STEPS = 1e-3, 1000
FAR = 1e3  # [s]: when such runs would end and be recorded
DOWN = (0.0, 0.0, -9.81)
LEGS = {"fl": (0.2, 0.1), "fr": (0.2, -0.1), "hl": (-0.2, 0.1), "hr": (-0.2, -0.1)}
STANDING = np.tile([0.0, 0.7, -1.4], 4)
KP, KD = 100.0, 2.0
PERIOD, SWING, LIFT = 0.4, 0.15, 0.4  # of a trot [s], of thighs and of shanks [rad]; diagonal legs move together
DIAGONAL = (0, 1, 1, 0)
DROP = 0.02 + 0.4 * np.cos(0.7) + 0.01
RADIUS, MASS, HALF, EDGE = 0.05, 0.5, 0.16, 0.2  # of spheres, and half of the width of their box; of boxes
GEOM = '<geom type="{kind}" size="{size}" mass="{mass}" friction="{friction}"/>'


@sd.law
def stand(t, s, p, out):
    """Hold the joints."""
    for i in range(12):
        out.tau[i] = p.kp * (p.target[i] - s.q[i]) - p.kd * s.qd[i]


@sd.law
def trot(t, s, p, out):
    """Swing the thighs, and lift the shanks of legs that swing forward."""
    for leg in range(4):
        phase = 2.0 * math.pi * t / p.cycle + math.pi * p.diagonal[leg]
        for part in range(3):
            i = 3 * leg + part
            target = p.target[i]
            if part == 1:
                target += p.swing * math.cos(phase)
            if part == 2:
                target -= p.lift * max(math.sin(phase), 0.0)
            out.tau[i] = p.kp * (target - s.q[i]) - p.kd * s.qd[i]


def trot_targets() -> np.ndarray:
    """(steps, 12) what the law aims at, at the start of each step."""
    t = STEP * np.arange(STEPS)
    found = np.tile(STANDING, (STEPS, 1))
    for leg, side in enumerate(DIAGONAL):
        phase = 2.0 * np.pi * t / PERIOD + np.pi * side
        found[:, 3 * leg + 1] += SWING * np.cos(phase)
        found[:, 3 * leg + 2] -= LIFT * np.maximum(np.sin(phase), 0.0)
    return found


Scene = tuple[sd.Model, list[Any], sd.State, dict[str, Any], str]
"""Robot, contacts, start, other arguments of `simulate`; the same for MuJoCo."""


def quadruped() -> Scene:
    """Four legs of three joints, with round feet."""
    b = sd.Builder("quadruped")
    b.base("trunk", shapes=sd.shapes.box(8.0, (0.4, 0.2, 0.1)))
    feet, legs, rough = [], "", sd.ContactMaterial(1e6, friction=0.8)
    for name, (x, y) in LEGS.items():
        side = float(np.copysign(0.05, y))
        hip = {"mass": 0.5, "inertia": (5e-4, 5.1e-4, 5.2e-4)}
        thigh = {"mass": 0.8, "inertia": (3e-3, 3.1e-3, 1e-3), "com": (0, 0, -0.1)}
        shank = {"mass": 0.15, "inertia": (7e-4, 7.1e-4, 5e-5), "com": (0, 0, -0.1)}
        parts = (("hip", "trunk", (x, y, 0), (1, 0, 0), hip), ("thigh", f"{name}_hip", (0, side, 0), (0, 1, 0), thigh))
        for part, parent, place, axis, body in (
            *parts,
            ("shank", f"{name}_thigh", (0, 0, -0.2), (0, 1, 0), shank),
        ):
            b.link(f"{name}_{part}", "revolute", parent=parent, position=place, axis=axis, **body)
            com = " ".join(str(value) for value in body.get("com", (0, 0, 0)))
            inertial = f'<inertial pos="{com}" mass="{body["mass"]}" diaginertia="{_words(body["inertia"])}"/>'
            joint = f'<joint name="{name}_{part}" axis="{_words(axis)}"/>'
            legs += f'<body pos="{_words(place)}">{joint}{inertial}'
        legs += '<geom type="sphere" size=".02" pos="0 0 -.2" friction=".8"/>' + 3 * "</body>"
        feet.append(sd.Contact(f"{name}_shank", (0, 0, -0.2), radius=0.02, material=rough, name=name))
    robot = b.build()
    start = robot.state(base_position=[0, 0, DROP], q=STANDING)
    trunk = robot.bodies[0]
    inertia = _words(np.diag(trunk.inertia))
    actuators = "".join(
        f'<position joint="{leg}_{part}" kp="{KP}" kv="{KD}"/>' for leg in LEGS for part in ("hip", "thigh", "shank")
    )
    body = f'<freejoint/><inertial pos="0 0 0" mass="8" diaginertia="{inertia}"/>{legs}'
    world = f'<geom type="plane" size="5 5 1" friction=".8"/><body pos="0 0 {DROP}">{body}</body>'
    options = {"laws": [stand(kp=KP, kd=KD, target=STANDING)]}
    return robot, feet, start, options, _mjcf(world, f"<actuator>{actuators}</actuator>")


def trotting() -> Scene:
    """The same, that trots."""
    robot, feet, start, _, mjcf = quadruped()
    moves = {"cycle": PERIOD, "swing": SWING, "lift": LIFT, "diagonal": np.array(DIAGONAL, dtype=float)}
    return robot, feet, start, {"laws": [trot(kp=KP, kd=KD, target=STANDING, **moves)]}, mjcf


def pile() -> Scene:
    """Spheres between four walls."""
    count, b = 20, sd.Builder("pile", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    names, rough = [f"s{i}" for i in range(count)], sd.ContactMaterial(1e6, friction=0.5)
    for name in names:
        b.link(name, "free", parent="ground", mass=MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
    sides = ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    places = [-HALF * np.array(side) * (side[2] == 0) for side in sides]
    walls = [sd.Plane(side, position=place) for side, place in zip(sides, places, strict=True)]
    ball = {"radius": RADIUS, "material": rough}
    touches = [
        sd.Contact(name, (0, 0, 0), surface=wall, name=f"{name}_wall{k}", **ball)
        for name in names
        for k, wall in enumerate(walls)
    ]
    other = sd.SphereSurface(RADIUS)
    touches += [
        sd.Contact(names[i], (0, 0, 0), surface=other, other=names[j], name=f"{names[i]}_{names[j]}", **ball)
        for i in range(count)
        for j in range(i)
    ]
    shift = np.random.default_rng(2).uniform(-1.5e-3, 1.5e-3, (count, 3))
    grid = np.array([(0.108 * (i % 3 - 1), 0.108 * (i // 3 % 3 - 1), 0.06 + 0.11 * (i // 9)) for i in range(count)])
    model, at = b.build(), grid + shift
    start = model.state(q={name: [*place, 0, 0, 0, 1] for name, place in zip(names, at, strict=True)})
    world = "".join(
        f'<geom type="plane" size="2 2 1" friction=".5" pos="{_words(place)}" zaxis="{_words(side)}"/>'
        for side, place in zip(sides, places, strict=True)
    )
    geom = GEOM.format(kind="sphere", size=RADIUS, mass=MASS, friction=0.5)
    world += "".join(f'<body pos="{_words(place)}"><freejoint/>{geom}</body>' for place in at)
    return model, touches, start, {}, _mjcf(world)


def stack() -> Scene:
    """Boxes, each a centimetre or two aside of the one below."""
    count, b = 5, sd.Builder("stack", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    half, rough, touches = EDGE / 2, sd.ContactMaterial(1e6, friction=0.6), []
    corners = [(x, y, -half) for x in (-half, half) for y in (-half, half)]
    for i in range(count):
        b.link(f"b{i}", "free", parent="ground", shapes=sd.shapes.box(1.0, (EDGE,) * 3))
        below = {"surface": sd.Plane(position=(0, 0, half)), "other": f"b{i - 1}"} if i else {}
        touches.append(sd.Contact(f"b{i}", corners, material=rough, name=f"under{i}", **below))
    model, at = b.build(), [((-1) ** i * 0.01, 0.0, half + i * EDGE) for i in range(count)]
    start = model.state(q={f"b{i}": [*place, 0, 0, 0, 1] for i, place in enumerate(at)})
    geom = GEOM.format(kind="box", size=_words((half,) * 3), mass=1.0, friction=0.6)
    world = '<geom type="plane" size="2 2 1" friction=".6"/>'
    world += "".join(f'<body pos="{_words(place)}"><freejoint/>{geom}</body>' for place in at)
    return model, touches, start, {}, _mjcf(world)


MADE: dict[str, Callable[[], Scene]] = dict(zip(SCENES, (quadruped, trotting, pile, stack), strict=True))


def contestants(scene: str) -> dict[str, Contestant]:
    """The first second of a scene, again and again, and in a pack of robots that start a little apart.

    These quadrupeds stand and trot as one alone does. Of piles and stacks the same robots are timed one by one, too.
    """
    model, touches, start, options, mjcf = MADE[scene]()
    many = start.integrate(1e-3 * np.random.default_rng(0).normal(size=(LANES, model.nv)))
    found = {name: _ours(model, touches, at, options) for name, at in (("float64", start), ("packs", many))}
    if "quadruped" not in scene:
        found["one by one"] = _in_turn([_ours(model, touches, one, options) for one in many])
    m, d, start_at = _mujoco(mjcf, scene)
    names = {"again": start_at, "step": mujoco.mj_step, "m": m, "d": d}
    if scene != SCENES[1]:
        return found | {"mujoco": Contestant(f"again(); step(m, d, nstep={STEPS})", names, STEPS)}
    state = np.empty(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(m, d, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    names = {"roll": mujoco.rollout.rollout, "m": m, "d": d, "start": state[None], "targets": trot_targets()[None]}
    return found | {"mujoco": Contestant("roll(m, d, start, targets)", names, STEPS)}  # steps and controls within C


def _ours(model: sd.Model, touches: list[Any], start: sd.State, options: dict[str, Any]) -> Contestant:
    """Steps of a scene."""
    method, last = sd.TimeStepping(STEP), [FAR]
    made = simulation_of(model, start, FAR, elements=touches, gravity=DOWN, method=method, record=last, **options)
    return steps_alone(made, STEPS)


def _in_turn(robots: list[Contestant]) -> Contestant:
    """All of them, one after the other."""
    compiled = [(compile(one.statement, "<steps>", "exec"), one.names) for one in robots]
    statement = "for run, names in robots: exec(run, names)"
    return Contestant(statement, {"robots": compiled}, sum(one.robots for one in robots))


def steps_alone(made: Simulation, steps: int) -> Contestant:
    """The first steps of a simulation, as MuJoCo's: without what a call of `simulate` sets up, and without a record."""
    stepper = build_steppers(made, 1)[0]
    stepper.set_times(np.array([FAR]))
    changing = [stepper.work, stepper.memory, stepper.counters, stepper.clock]
    before, rows = [array.copy() for array in changing], np.empty((1, made.robots, end_of_row(made)))

    def again() -> None:
        for array, first in zip(changing, before, strict=True):
            array[:] = first

    names = {"again": again, "advance": stepper.advance, "rows": rows}
    return Contestant(f"again(); advance(rows, 1, {steps})", names, steps * made.robots)


def end_of_row(made: Simulation) -> int:
    """How many numbers a row of the record has."""
    return max(part.stop for part in made.layout.row.values())


def _mujoco(mjcf: str, scene: str) -> tuple[Any, Any, Callable[[], None]]:
    """Its model and data, and what sets them back."""
    m = mujoco.MjModel.from_xml_string(mjcf)
    d = mujoco.MjData(m)

    def again() -> None:
        mujoco.mj_resetData(m, d)
        if "quadruped" in scene:
            d.qpos[7:] = d.ctrl[:] = STANDING

    again()
    return m, d, again


# --- what both do wrong -----------------------------------------------------------------------------------------------


def errors(scene: str) -> dict[str, dict[str, float]]:
    """Depth [m] of contacts; the largest rise of energy [J] in a ms, without what actuators do; speed [m/s] at the end.

    Of a robot that trots, instead of the latter, how fast feet that bear load slide, the median.
    """
    model, touches, start, options, mjcf = MADE[scene]()
    run = sd.simulate(
        model, start, STEP * STEPS, elements=touches, gravity=DOWN, method=sd.TimeStepping(STEP), budget=np.inf,
        record=STEP, progress=False, **options,
    )  # fmt: skip
    gaps = [run[f"{one.name}.gap"] for one in touches] if scene == SCENES[-1] else [run["gap"]]
    speed = abs(sd.forward_kinematics(model, run.final).centroids.velocity[..., :3]).max()
    depth = max(-min(gap.min() for gap in gaps), 0.0)
    ours = {"speed": float(speed), "depth": float(depth)}
    ours["rise"] = _rise(run.energy().total - run["joint_work"].sum(axis=1))
    if scene == SCENES[1]:
        ours["slip"] = float(np.median(run["sliding_speed"][run["normal_force"] > 0.0]))
    return {"ours": ours, "mujoco": _peer_errors(mjcf, scene)}


def _peer_errors(mjcf: str, scene: str) -> dict[str, float]:
    """The same of MuJoCo."""
    m, d, again = _mujoco(mjcf.replace("<option ", '<option><flag energy="enable"/></option><option '), scene)
    again()
    depth, work, energy, slips = 0.0, 0.0, [], [0.0]
    targets = trot_targets() if scene == SCENES[1] else None
    for k in range(STEPS):
        if targets is not None:
            d.ctrl[:] = targets[k]
        before = d.qvel.copy()
        mujoco.mj_step(m, d)
        work += 0.5 * STEP * d.qfrc_actuator @ (before + d.qvel)
        energy.append(d.energy.sum() - work)
        depth = max(depth, -d.contact.dist.min(initial=0.0))
        if targets is not None:
            slips += _slips(m, d)
    speed = abs(d.cvel[1:, 3:]).max()
    found = {"speed": float(speed), "depth": float(depth), "rise": _rise(np.array(energy))}
    return found if targets is None else found | {"slip": float(np.median(slips))}


def _slips(m: Any, d: Any) -> list[float]:
    """How fast feet slide that bear load, on the ground, whose normal is z."""
    found = []
    for i, touch in enumerate(d.contact):
        force, motion = np.zeros(6), np.zeros(6)
        mujoco.mj_contactForce(m, d, i, force)
        if force[0] > 0.0:
            foot = touch.geom2
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_GEOM, foot, motion, 0)
            speed = motion[3:] + np.cross(motion[:3], touch.pos - d.geom_xpos[foot])
            found.append(float(np.hypot(*speed[:2])))
    return found


def _rise(energy: np.ndarray) -> float:
    return float(max(np.diff(energy).max(), 0.0))


def _words(values: Any) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _mjcf(world: str, more: str = "") -> str:
    return f'<mujoco><option timestep="{STEP}"/><worldbody>{world}</worldbody>{more}</mujoco>'
