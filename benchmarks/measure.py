"""All measurements of one run, as plain data: what the table shows and the JSON file keeps."""

import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES

from . import accurate, cenic, closed, contact, fleets, flight, kinematics, simulation, stepping
from .cases import Case, agree, applied_operators, disagreement, make_case, many_forward, many_inverse, one_call
from .core import take_quietest_core
from .robots import SIZES
from .start import measure_start
from .timing import Contest, Contestant

SECTIONS = (
    "many",
    "call",
    "kinematics",
    "simulate",
    "fleets",
    "flight",
    "contact",
    "closed",
    "body",
    "operators",
    "start",
)
BODIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PINOCCHIO_JOINTS = 300  # beyond them its data, which grows with nv³, takes 4 GB for 500 joints and 32 GB for 1000
PASSES, QUICK_PASSES = 5, 2  # over all contests
PER_BODY = ("body", "operator mass", "operator mass_inverse")  # rows that are told by the body
KINEMATICS = "kinematics "  # rows of one call each
CONTACT = "contact "  # rows of shapes
STEPPING = "step of "  # rows of scenes
CLOSED = "closed "  # rows of linkages
EQUAL = "equal error "  # rows of what Drake's CENIC does too
KINEMATICS_OF = ("6", "2x7")
TARGET_ROBOT = "6"  # the targets are about this one: it is measured longer


@dataclass(frozen=True)
class Plan:
    """What to measure, and for how long."""

    quick: bool = False
    sections: tuple[str, ...] = SECTIONS
    robots: tuple[str, ...] = tuple(SIZES)
    bodies: tuple[int, ...] = BODIES


@dataclass(frozen=True)
class Row:
    """A row of the table: a contest about one robot."""

    what: str
    robot: str
    bodies: int
    contest: Contest

    def run(self, quick: bool) -> None:
        """Measure once more."""
        important = self.robot in (TARGET_ROBOT, flight.JOINTS) or (
            self.what in PER_BODY and self.robot in ("20", "1000")
        )
        self.contest.run((0.1 if important else 0.02) if quick else (0.8 if important else 0.2))

    def results(self) -> dict[str, Any]:
        """As plain data."""
        figures = {name: asdict(figure) for name, figure in self.contest.figures().items()}
        return {"what": self.what, "robot": self.robot, "bodies": self.bodies, "figures": figures}


def measure(plan: Plan, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything that the plan asks for."""
    start = perf_counter()
    results: dict[str, Any] = {"machine": machine(take_quietest_core()), "agreement": {}, "quick": plan.quick}
    rows: list[Row] = []
    if {"many", "call", "kinematics", "simulate", "fleets"} & set(plan.sections):
        for robot in plan.robots:
            say(f"{robot} joints: do we and the peers agree?")
            case = make_case(robot, SIZES[robot])
            results["agreement"][robot] = max(disagreement(case), agree("kinematics", kinematics.difference(case)))
            rows += robot_rows(case, plan)
    if "flight" in plan.sections:
        rows.append(flight_row(results["agreement"], plan.quick))
    if "contact" in plan.sections:
        rows += [Row(f"{CONTACT}{pair}", "", 2, Contest(contact.distances(pair))) for pair in contact.PAIRS]
        rows += [Row(f"{CONTACT}{n} spheres", "", n, Contest(contact.near(n))) for n in contact.SPHERES]
        piles = contact.PILES[:-1] if plan.quick else contact.PILES  # one run of the largest takes a second
        rows += [Row(f"{CONTACT}pile of {n} spheres", "", n, Contest(contact.pile(n))) for n in piles]
        rows += [Row(f"{STEPPING}{scene}", "", 1, Contest(stepping.contestants(scene))) for scene in stepping.SCENES]
        results["scenes"] = {scene: stepping.errors(scene) for scene in stepping.SCENES}
        rows += equal_rows("touch-down", results, say)
    if "closed" in plan.sections:
        rows += [Row(f"{CLOSED}{n}", "", 2 * n + 1, Contest(closed.contestants(n))) for n in closed.WINDOWS]
        rows += equal_rows("four-bar", results, say)
    if "body" in plan.sections:
        rows += [body_row(joints) for joints in plan.bodies]
    if "operators" in plan.sections:
        rows += [row for joints in plan.bodies for row in operator_rows(joints)]
    passes = QUICK_PASSES if plan.quick else PASSES
    for lap in range(passes):
        for row in rows:
            say(f"pass {lap + 1} of {passes}: {row.what}, {row.robot} joints")
            row.run(plan.quick)
    results["rows"] = [row.results() for row in rows]
    if "start" in plan.sections:
        say("compiling from an empty cache, starting from a full one, a million states")
        results["start"] = measure_start(plan.quick)
    return results | {"seconds": perf_counter() - start}


def robot_rows(case: Case, plan: Plan) -> list[Row]:
    """Many robots, and one call, of one case."""
    contestants: dict[str, dict[str, Contestant]] = {}
    if "many" in plan.sections:
        contestants["many forward"] = many_forward(case, ("pinocchio", "mujoco"))
        contestants["many inverse"] = many_inverse(case, ("pinocchio",))
    if "call" in plan.sections:
        contestants |= {f"call {what}": one_call(case, what) for what in ("forward", "inverse", "inertia", "coriolis")}
    if "kinematics" in plan.sections and case.model.name in KINEMATICS_OF:
        contestants |= {f"{KINEMATICS}{call}": kinematics.contestants(case, call) for call in kinematics.CALLS}
    if "simulate" in plan.sections and case.model.name == TARGET_ROBOT:
        contestants["simulate"] = simulation.contestants(case)
        contestants["single step"] = simulation.single_steps(case)
        contestants["law step"] = simulation.steps(case)
        contestants["accurate"] = accurate.contestants(case)
    if "fleets" in plan.sections and case.model.name == TARGET_ROBOT:
        contestants |= {"fleet forward": fleets.forward(case), "fleet simulate": fleets.simulate(case)}
    return [Row(what, case.model.name, len(case.model.bodies), Contest(who)) for what, who in contestants.items()]


def flight_row(agreement: dict[str, float], quick: bool) -> Row:
    """A satellite with an arm, flexible paddles and wheels, under a law."""
    model = flight.robot()
    agreement[flight.NAME] = flight.difference(model)
    return Row(
        "flight", flight.JOINTS, len(model.bodies), Contest(flight.contestants(model, 1 if quick else flight.SECONDS))
    )


def equal_rows(scene: str, results: dict[str, Any], say: Callable[[str], None]) -> list[Row]:
    """A scene at each accuracy of CENIC; errors and steps go to the results."""
    say(f"{scene}: which tolerance has CENIC's error?")
    found = cenic.compared(scene)
    results.setdefault("cenic", {})[scene] = [level for level, _ in found]
    bodies = len(cenic.SCENES[scene]().model.bodies)
    return [Row(f"{EQUAL}{scene} {i}", "", bodies, Contest(who)) for i, (_, who) in enumerate(found)]


def body_row(joints: int) -> Row:
    """Forward dynamics of a chain."""
    case = make_case(str(joints), (joints,))
    contestants = many_forward(case, ("pinocchio",) if joints <= PINOCCHIO_JOINTS else ())
    return Row("body", str(joints), len(case.model.bodies), Contest(contestants))


def operator_rows(joints: int) -> list[Row]:
    """The mass matrix of a chain and its inverse, applied as operators."""
    case = make_case(str(joints), (joints,), 1024)
    return [
        Row(f"operator {what}", str(joints), len(case.model.bodies), Contest(applied_operators(case, what)))
        for what in ("mass", "mass_inverse")
    ]


def machine(core: int | None) -> dict[str, Any]:
    """Where this was measured."""
    drake = cenic.drake_version()
    return {
        "cpu": cpu_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "core": core,
        "lanes": LANES,
        "python": platform.python_version(),
        "versions": {
            "spacedyn": sd.__version__,
            **{name: version(name) for name in ("numba", "numpy", "pin", "mujoco")},
            **({"drake": drake} if drake else {}),
        },
    }


def cpu_name() -> str:
    """As the system calls it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
