"""The benchmarks measure, print their table and keep the figures; how fast anything is, is not tested."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

from paths import ROOT


def run(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_one_small_case_gives_a_table_and_figures(tmp_path):
    path = tmp_path / "bench.json"
    asked = [
        "--quick",
        "--only",
        "many",
        "call",
        "kinematics",
        "fleets",
        "body",
        "operators",
        "--robots",
        "6",
        "--bodies",
        "1",
        "3",
    ]
    printed = run("benchmarks", *asked, "--json", str(path))
    for expected in (
        "Forward dynamics of many",
        "Inverse dynamics of one",
        "Mass matrix of one",
        "Coriolis matrix of one",
        "Kinematics of one, 6 joints",
        "generalized_jacobian",
        "Robots that differ",
        "Operator H⁻¹",
        "3 joints",
        "≥ 10×",
    ):
        assert expected in printed
    results = json.loads(path.read_text())
    assert results["agreement"]["6"] < 1e-9
    assert {row["what"] for row in results["rows"]} >= {"many forward", "many inverse", "call forward", "body"}
    assert all(figure["seconds"] > 0 for row in results["rows"] for figure in row["figures"].values())
    assert {"cpu", "lanes", "versions"} <= results["machine"].keys()
    assert len(results["targets"]) == 9  # those that these parts can judge


def test_the_flight_is_measured_against_mujoco_and_three_targets(tmp_path):
    path = tmp_path / "bench.json"
    printed = run("benchmarks", "--quick", "--only", "flight", "--json", str(path))
    assert "ETS-VII, paddles, wheels" in printed and "60× real time" in printed
    results = json.loads(path.read_text())
    assert results["agreement"]["ets7_paddles"] < 1e-9
    (row,) = results["rows"]
    assert row["figures"].keys() == {"packs", "float64", "mujoco"} and row["bodies"] == 19
    assert len(results["targets"]) == 3


def test_distances_are_measured_beside_coal(tmp_path):
    path = tmp_path / "bench.json"
    printed = run("benchmarks", "--quick", "--only", "contact", "--json", str(path))
    assert "Distance of two shapes" in printed and "near pairs of 1000 spheres" in printed
    figures = {row["what"]: row["figures"] for row in json.loads(path.read_text())["rows"]}
    assert figures["contact box box"].keys() == {"float64", "pinocchio"}
    assert figures["contact 1000 spheres"]["float64"]["seconds"] > 0
    assert "Steps of 1 ms through rigid contact" in printed and "greatest depth, m" in printed
    assert figures["step of quadruped"].keys() == {"packs", "float64", "mujoco"}
    assert figures["step of stack of 5 boxes"].keys() == {"packs", "one by one", "float64", "mujoco"}
    scenes = json.loads(path.read_text())["scenes"]
    assert len(scenes) == 4 and scenes["stack of 5 boxes"]["ours"]["depth"] < 1e-6
    check_equal_error("touch-down", printed, json.loads(path.read_text()))


def test_linkages_are_measured_beside_mujoco(tmp_path):
    path = tmp_path / "bench.json"
    printed = run("benchmarks", "--quick", "--only", "closed", "--json", str(path))
    assert "N four-bars" in printed
    figures = {row["what"]: row["figures"] for row in json.loads(path.read_text())["rows"]}
    assert all(figures[f"closed {n}"].keys() == {"float64", "mujoco"} for n in (1, 10, 40))
    check_equal_error("four-bar", printed, json.loads(path.read_text()))


def check_equal_error(scene, printed, results):
    """Three rows beside CENIC's, or a word that Drake is not there."""
    there, figures = find_spec("pydrake") is not None, {row["what"]: row["figures"] for row in results["rows"]}
    assert f"A {scene} at equal error" in printed and ("drake is not installed" in printed) != there
    levels = results["cenic"][scene]
    assert len(levels) == 3 and all(level["ours"]["steps"] > 10 for level in levels)
    for i, level in enumerate(levels):
        assert figures[f"equal error {scene} {i}"].keys() == {"float64", "call"} | ({"drake"} if there else set())
        assert not there or level["ours"]["error"] <= level["drake"]["error"]


def test_first_call_is_timed_in_a_process_of_its_own():
    assert json.loads(run("benchmarks.start", "first")).keys() == {"import", "first", "cpu"}
