"""How kernels of a simulation are written: short lists of arguments, and a driver that reads on one screen."""

import ast
from pathlib import Path

import pytest

import spacedyn

SOURCE = Path(spacedyn.__file__).parent
ROOMS = ("elements", "methods", "sim", "simulation")
MOST, SCREEN = 8, 45


def functions(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("room", ROOMS)
def test_no_function_takes_more_than_eight_arguments(room):
    files = sorted((SOURCE / "kernels" / room).glob("*.py"))
    long = [f"{f.name}: {node.name}" for f in files for node in functions(f) if len(node.args.args) > MOST]
    assert len(files) > 2 and long == []


@pytest.mark.parametrize(
    ("file", "name"),
    [("kernels/simulation/driver.py", "take_step"), ("simulate/stepper/build.py", "build_stepper")],
)
def test_a_step_and_the_building_of_a_stepper_read_on_one_screen(file, name):
    (node,) = [node for node in functions(SOURCE / file) if node.name == name]
    assert node.end_lineno - node.lineno < SCREEN


def test_the_package_holds_folders_and_at_most_six_modules():
    modules = sorted(path.name for path in SOURCE.glob("*.py"))
    assert len(modules) <= 6, modules
