"""What the figures are held against; a target that is not met is shown, and nothing fails."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

GIGABYTE = 1e9
PILE, STACK = "step of pile of 20 spheres", "step of stack of 5 boxes"


@dataclass(frozen=True)
class Target:
    """A limit on one number of the results."""

    place: tuple[str, str]  # of the table's row: what, robot
    text: str
    limit: float
    at_least: bool
    value: Callable[[dict[str, Any]], float]

    def met(self, results: dict[str, Any]) -> bool:
        """Whether the number is on the right side of the limit."""
        value = self.value(results)
        return value >= self.limit if self.at_least else value <= self.limit


def figure(results: dict[str, Any], what: str, robot: str, who: str) -> float:
    """Seconds for one robot; KeyError if it was not measured."""
    for row in results["rows"]:
        if (row["what"], row["robot"]) == (what, robot) and who in row["figures"]:
            return row["figures"][who]["seconds"]
    raise KeyError((what, robot, who))


def ratio(what: str, robot: str, who: str, whom: str = "pinocchio") -> Callable[[dict[str, Any]], float]:
    """How many times faster one is than the other."""
    return lambda results: figure(results, what, robot, whom) / figure(results, what, robot, who)


def slowest(part: str, robot: str) -> Callable[[dict[str, Any]], float]:
    """The longest of our own calls in a part of the table [µs]; KeyError if none was measured."""

    def value(results: dict[str, Any]) -> float:
        rows = [row for row in results["rows"] if row["what"].startswith(part) and row["robot"] == robot]
        if not rows:
            raise KeyError(part, robot)
        return 1e6 * max(row["figures"]["float64"]["seconds"] for row in rows)

    return value


def growth(who: str, what: str = "body") -> Callable[[dict[str, Any]], float]:
    """Cost per body with 1000 joints over that with 20; the base counts as a body."""
    return lambda results: figure(results, what, "1000", who) / 1001 / (figure(results, what, "20", who) / 21)


def step_cost(who: str, robot: str = "6") -> Callable[[dict[str, Any]], float]:
    """A step of RungeKutta4 under a law, in forward dynamics: both in runs so short that nothing disturbs them."""
    return lambda results: figure(results, "law step", robot, who) / figure(results, "many forward", robot, who)


def cold(who: str) -> Callable[[dict[str, Any]], float]:
    """Import and first call with an empty cache."""
    return lambda results: results["start"][who]["import"] + results["start"][who]["first"]


TARGETS = (
    Target(("many forward", "6"), "packs ≥ 10×", 10.0, True, ratio("many forward", "6", "packs")),
    Target(("many forward", "6"), "float64 ≥ 3×", 3.0, True, ratio("many forward", "6", "float64")),
    Target(("many inverse", "6"), "packs ≥ 10×", 10.0, True, ratio("many inverse", "6", "packs")),
    Target(("call forward", "6"), "float64 ≥ 1×", 1.0, True, ratio("call forward", "6", "float64")),
    Target(("call coriolis", "6"), "float64 ≥ 1×", 1.0, True, ratio("call coriolis", "6", "float64")),
    Target(("call coriolis", "6"), "packs ≥ 5×", 5.0, True, ratio("call coriolis", "6", "packs")),
    Target(("kinematics", "6"), "each ≤ 4 µs", 4.0, False, slowest("kinematics ", "6")),
    Target(("simulate", "6"), "float64 ≥ 8×", 8.0, True, ratio("simulate", "6", "float64")),
    Target(("simulate", "6"), "≥ 2.5× MuJoCo", 2.5, True, ratio("simulate", "6", "float64", "mujoco")),
    Target(("simulate", "6"), "packs ≥ 8× MuJoCo", 8.0, True, ratio("simulate", "6", "packs", "mujoco")),
    Target(("law step", "6"), "≤ 5.5 dynamics", 5.5, False, step_cost("float64")),
    Target(("law step", "6"), "packs ≤ 5 dynamics", 5.0, False, step_cost("packs")),
    Target(("fleet forward", "6"), "≥ 0.9× alike", 0.9, True, ratio("fleet forward", "6", "packs", "alike")),
    Target(("fleet simulate", "6"), "≥ 0.9× alike", 0.9, True, ratio("fleet simulate", "6", "packs", "alike")),
    Target(
        ("flight", "18"), "≥ 60× real time", 60.0, True, lambda results: 1 / figure(results, "flight", "18", "float64")
    ),
    Target(("flight", "18"), "≥ 2.5× MuJoCo", 2.5, True, ratio("flight", "18", "float64", "mujoco")),
    Target(("flight", "18"), "packs ≥ 2.5× one", 2.5, True, ratio("flight", "18", "packs", "float64")),
    Target(("accurate", "6"), "float64 ≥ 8×", 8.0, True, ratio("accurate", "6", "float64")),
    Target(("step of quadruped", ""), "≥ 1× MuJoCo", 1.0, True, ratio("step of quadruped", "", "float64", "mujoco")),
    Target(("step of quadruped", ""), "packs ≥ 3× one", 3.0, True, ratio("step of quadruped", "", "packs", "float64")),
    Target((PILE, ""), "≥ 0.5× MuJoCo", 0.5, True, ratio(PILE, "", "float64", "mujoco")),
    Target((PILE, ""), "packs ≥ 3× one", 3.0, True, ratio(PILE, "", "packs", "one by one")),
    Target((STACK, ""), "≥ 0.5× MuJoCo", 0.5, True, ratio(STACK, "", "float64", "mujoco")),
    Target((STACK, ""), "packs ≥ 3× one", 3.0, True, ratio(STACK, "", "packs", "one by one")),
    Target(("body", "growth"), "packs ≤ 1.25", 1.25, False, growth("packs")),
    Target(("body", "growth"), "float64 ≤ 1.25", 1.25, False, growth("float64")),
    Target(("operator mass", "growth"), "float64 ≤ 1.25", 1.25, False, growth("float64", "operator mass")),
    Target(
        ("operator mass_inverse", "growth"), "float64 ≤ 1.25", 1.25, False, growth("float64", "operator mass_inverse")
    ),
    Target(("start", "cold"), "batch ≤ 15 s", 15.0, False, cold("cold_batch")),
    Target(("start", "cold"), "one ≤ 15 s", 15.0, False, cold("cold_one")),
    Target(("start", "simulate"), "≤ 60 s", 60.0, False, cold("cold_simulate")),
    Target(("start", "law"), "≤ 1 s", 1.0, False, lambda results: results["start"]["cold_simulate"]["law"]),
    Target(("start", "warm"), "≤ 1.5 s", 1.5, False, lambda results: results["start"]["warm"]["fastest"]),
    Target(("start", "million"), "≤ 2 GB", 2.0, False, lambda results: results["start"]["million"]["bytes"] / GIGABYTE),
)


def judged(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Every target that this run can judge, with its value."""
    verdicts = []
    for target in TARGETS:
        try:
            value, met = target.value(results), target.met(results)
        except KeyError:  # that part was not measured
            continue
        verdicts.append({"place": list(target.place), "text": target.text, "value": value, "met": met})
    return verdicts
