"""A touch-down and a four-bar against Drake's CENIC, an error-controlled convex integrator, at equal error.

A lander slides on its feet and rebounds, in lunar gravity: both libraries have the same spring with Hunt and Crossley's
dissipation and the same regularised friction. A parallelogram of unit rods swings through its singular positions: ours
with a pin for a loop; CENIC takes no loops, so it gets the same chain with angles that are coupled, which is the same
motion for this linkage alone. Errors are of positions and angles at the end, against a run of ours with tolerances near
rounding. Ours is the loosest tolerance of a series that reaches what CENIC reached, or what it reached once
(`REACHED`) where Drake is not installed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import spacedyn as sd
from spacedyn.kernels.sim import codes
from spacedyn.simulate.setup import build_steppers, simulation_of

from .stepping import end_of_row
from .timing import Contestant

MISSING = "drake is not installed: pip install drake"
ACCURACIES = (1e-3, 1e-5, 1e-7)  # of CENIC
TOLERANCES = tuple(float(f"{a}e-{b}") for b in range(1, 12) for a in (3, 1))  # of ours, from the loosest
TIGHT = 1e-12
MANY = 10**9  # steps: more than there are
RIGID = 1e12  # a foot over the ground, in stiffness: the ground alone gives way, and forces act on the foot's surface


@dataclass(frozen=True)
class Scene:
    """A robot with what acts on it; and for CENIC, instead of loops, couplings (joint, of
    which joint, ratio, offset)."""

    model: sd.Model
    elements: list[Any]
    start: sd.State
    gravity: tuple[float, float, float]
    seconds: float
    couplings: tuple[tuple[str, str, float, float], ...] = ()
    feet: tuple[tuple[float, float, float], ...] = ()

    def options(self, tolerance: float) -> dict[str, Any]:
        """Of a simulation: what acts, and the method."""
        method = sd.DormandPrince8(rtol=tolerance, atol=tolerance)
        return {"elements": self.elements, "gravity": self.gravity, "method": method, "budget": np.inf}


# --- scenes -----------------------------------------------------------------------------------------------------------

STIFFNESS, DISSIPATION, FRICTION, SLIP, RADIUS = 2e4, 0.5, 0.5, 1e-3, 0.1


def touch_down() -> Scene:
    """A lander of 100 kg with four round feet: tilted, turning, and sliding sideways."""
    feet = tuple((x, y, -0.6) for x in (-0.7, 0.7) for y in (-0.7, 0.7))
    b = sd.Builder("lander")
    b.base("lander", mass=100.0, inertia=(20.0, 25.0, 30.0))
    model = b.build()
    ground = sd.ContactMaterial(
        STIFFNESS, exponent=1.0, dissipation=DISSIPATION, friction=FRICTION, sticks=False, slip_speed=SLIP
    )
    touches = [sd.Contact("lander", feet, radius=RADIUS, material=ground)]
    start = model.state(
        base_position=[0, 0, 0.85],
        base_attitude=sd.Rotation.from_rotvec([0.05, 0.08, 0.0]),
        base_velocity=[0.2, 0.1, -0.5],
        base_rate=[0.02, -0.01, 0.05],
    )
    return Scene(model, touches, start, (0.0, 0.0, -1.62), 2.0, feet=feet)


def four_bar() -> Scene:
    """Crank, coupler and second crank in one chain, whose end is pinned to the ground; upright, 1 m/s at the tips."""
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12), "axis": (0, 0, 1)}
    b = sd.Builder("four-bar", "fixed")
    b.base("ground", massless=True)
    b.link("crank", "revolute", parent="ground", **rod)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), **rod)
    b.link("rocker", "revolute", parent="coupler", position=(1, 0, 0), **rod)
    model = b.build()
    pin = sd.Loop("line", "rocker", point=(1, 0, 0), other_point=(1, 0, 0), name="pin")
    start = model.state(q=[np.pi / 2, -np.pi / 2, 1.5 * np.pi], qd=[-1.0, 1.0, -1.0])
    angles = (("coupler", "crank", -1.0, 0.0), ("rocker", "crank", 1.0, np.pi))
    return Scene(model, [pin], start, (0.0, -9.81, 0.0), 2.0, couplings=angles)


SCENES: dict[str, Callable[[], Scene]] = {"touch-down": touch_down, "four-bar": four_bar}
REACHED = {"touch-down": (1.1e-1, 1.6e-2, 2e-3), "four-bar": (4.9e-2, 1.2e-2, 1.4e-3)}


# --- ours -------------------------------------------------------------------------------------------------------------


def places(state: sd.State) -> np.ndarray:
    """Positions and angles [m, rad], the attitude as a rotation vector."""
    return np.concatenate([state.base_position, state.base_attitude.as_rotvec(), state.q])


def simulated(scene: Scene, tolerance: float) -> sd.Run:
    """A run of ours, with a record at every step."""
    options = scene.options(tolerance)
    return sd.simulate(scene.model, scene.start, scene.seconds, record="steps", progress=False, **options)


def loosest(scene: Scene, exact: np.ndarray, wanted: float) -> dict[str, Any]:
    """The loosest tolerance whose error is at most the wanted one; its error and its steps."""
    for tolerance in TOLERANCES:
        run = simulated(scene, tolerance)
        error = float(abs(places(run.final) - exact).max())
        if error <= wanted:
            break
    return {"tolerance": tolerance, "error": error, "steps": len(run.time) - 1}


def ours(scene: Scene, tolerance: float) -> dict[str, Contestant]:
    """Steps alone, from the start again and again; and a call of `simulate`, with what that sets up and its ledger."""
    options, end = scene.options(tolerance), np.array([scene.seconds])
    made = simulation_of(scene.model, scene.start, scene.seconds, record=end, **options)
    stepper = build_steppers(made, 1)[0]
    stepper.set_times(end)
    changing = [stepper.work, stepper.memory, stepper.counters, stepper.clock]
    before, rows = [array.copy() for array in changing], np.empty((1, 1, end_of_row(made)))

    def run() -> None:
        for array, first in zip(changing, before, strict=True):
            array[:] = first
        while stepper.advance(rows, 1, MANY) == codes.ENDING:  # before the step that is cut at the end
            pass

    call = {"f": sd.simulate, "scene": scene, "options": options | {"record": scene.seconds, "progress": False}}
    return {
        "float64": Contestant("run()", {"run": run, "rows": rows}),
        "call": Contestant("f(scene.model, scene.start, scene.seconds, **options)", call),
    }


# --- Drake's ----------------------------------------------------------------------------------------------------------


def drake_version() -> str | None:
    """None where it is not installed."""
    try:
        return version("drake")
    except PackageNotFoundError:
        return None


class Cenic:
    """The scene in Drake, with its CENIC integrator."""

    def __init__(self, scene: Scene, accuracy: float):
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
        from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
        from pydrake.systems.framework import DiagramBuilder

        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0)
        self.scene = scene
        bodies = self._add_bodies()
        if scene.feet:
            self._add_feet(bodies[0])
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        config = SimulatorConfig(integration_scheme="cenic", accuracy=accuracy, max_step_size=0.1)
        ApplySimulatorConfig(config, self.simulator)
        self.root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.first = self._first()

    def _add_bodies(self) -> list[Any]:
        """A free body, or revolute joints in a chain from the ground."""
        from pydrake.math import RigidTransform
        from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia

        plant, model, made, joints = self.plant, self.scene.model, [], {}
        for body in model.bodies:
            if not (body.mass > 0.0):  # the ground
                made.append(plant.world_body())
                continue
            inertia = RotationalInertia(*np.diag(body.inertia))
            mass = SpatialInertia.MakeFromCentralInertia(body.mass, body.com, inertia)
            made.append(plant.AddRigidBody(body.name, mass))
        for i, joint in enumerate(model.joints):
            parent = made[model.parents[i + 1]].body_frame()
            there = plant.AddFrame(FixedOffsetFrame(f"{joint.name}_place", parent, RigidTransform(joint.position)))
            revolute = RevoluteJoint(joint.name, there, made[i + 1].body_frame(), (0.0, 0.0, 1.0))
            joints[joint.name] = plant.AddJoint(revolute)
        for one, of, ratio, offset in self.scene.couplings:
            plant.AddCouplerConstraint(joints[one], joints[of], ratio, offset)
        return made

    def _add_feet(self, body: Any) -> None:
        """Balls that are far stiffer than the ground: so the stiffness is the ground's, and the place the ball's."""
        from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import ContactModel, CoulombFriction

        def material(stiffness: float) -> Any:
            made, friction = ProximityProperties(), CoulombFriction(FRICTION, FRICTION)
            AddContactMaterial(dissipation=DISSIPATION, point_stiffness=stiffness, friction=friction, properties=made)
            return made

        logging.getLogger("drake").setLevel(logging.ERROR)  # it warns of half spaces under soft bodies: there are none
        plant = self.plant
        ground = plant.world_body(), RigidTransform(), HalfSpace(), "ground"
        plant.RegisterCollisionGeometry(*ground, material(STIFFNESS))
        for i, place in enumerate(self.scene.feet):
            foot = RigidTransform(place), Sphere(RADIUS), f"foot{i}"
            plant.RegisterCollisionGeometry(body, *foot, material(RIGID * STIFFNESS))
        plant.set_contact_model(ContactModel.kPoint)
        plant.set_stiction_tolerance(SLIP)

    def _first(self) -> np.ndarray:
        """The start, as Drake has it: of a free body the quaternion first, its scalar before the others."""
        start = self.scene.start
        if not self.scene.feet:
            return np.concatenate([start.q, start.qd])
        attitude = np.roll(start.base_quaternion_xyzw, 1)
        return np.concatenate([attitude, start.base_position, start.base_rate, start.base_velocity])

    def again(self) -> None:
        """Back to the start."""
        self.root.SetTime(0.0)
        self.plant.SetPositionsAndVelocities(self.context, self.first)
        self.simulator.Initialize()

    def places(self) -> np.ndarray:
        """As those of ours."""
        q = self.plant.GetPositions(self.context)
        if not self.scene.feet:
            return np.concatenate([np.zeros(6), q])
        return np.concatenate([q[4:], sd.Rotation.from_quat(np.roll(q[:4], -1)).as_rotvec()])

    def result(self, exact: np.ndarray) -> dict[str, Any]:
        """Its error, and its steps."""
        self.again()
        integrator = self.simulator.get_mutable_integrator()
        integrator.ResetStatistics()
        self.simulator.AdvanceTo(self.scene.seconds)
        error = float(abs(self.places() - exact).max())
        return {
            "accuracy": integrator.get_target_accuracy(),
            "error": error,
            "steps": integrator.get_num_steps_taken(),
        }

    def contestant(self) -> Contestant:
        """All steps, from the start again and again."""
        names = {"again": self.again, "advance": self.simulator.AdvanceTo, "end": self.scene.seconds}
        return Contestant("again(); advance(end)", names)


# --- both -------------------------------------------------------------------------------------------------------------


def compared(name: str) -> list[tuple[dict[str, Any], dict[str, Contestant]]]:
    """For each accuracy of CENIC: errors and steps of both, and who runs."""
    scene = SCENES[name]()
    exact, found = places(simulated(scene, TIGHT).final), []
    for accuracy, reached in zip(ACCURACIES, REACHED[name], strict=True):
        if drake_version() is None:
            theirs, runs, wanted = {"missing": MISSING}, {}, reached
        else:
            peer = Cenic(scene, accuracy)
            theirs = peer.result(exact)
            runs, wanted = {"drake": peer.contestant()}, theirs["error"]
        mine = loosest(scene, exact, wanted)
        found.append(({"ours": mine, "drake": theirs}, ours(scene, mine["tolerance"]) | runs))
    return found
