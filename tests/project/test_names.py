"""The package's names: loaded when they are asked for, and the same to editors, to type checkers and at run time."""

import ast
import subprocess
import sys
from pathlib import Path

import spacedyn as sd

SOURCE = Path(sd.__file__).read_text(encoding="utf-8")


def python(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_is_there():
    assert len(sd.__all__) == len(set(sd.__all__))
    for name in sd.__all__:
        assert getattr(sd, name) is not None, name
    assert {name for name in dir(sd) if not name.startswith("_")} == set(sd.__all__)


def test_editors_are_told_the_same_as_python():
    block = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    told = {}
    for node in block.body:
        home = f"{'.' * node.level}{node.module or ''}"
        if node.module is None:  # rooms that are public as a whole
            told |= {a.name: f".{a.name}" for a in node.names}
            continue
        whole = node.module in ("formulations", "laws", "model", "simulate")  # modules that are public as a whole
        told |= {a.asname or a.name: f"{home}.{a.name}" if whole else home for a in node.names}
    assert told == sd._HOMES | sd._MODULES
    assert set(told) == set(sd.__all__)


def test_a_function_stays_a_function_when_its_module_is_imported():
    program = (
        "import spacedyn.simulate.setup, spacedyn.run.simulate; import spacedyn as sd; print(callable(sd.simulate))"
    )
    assert python(program) == "True"
    assert python("import spacedyn as sd; sd.Run; print(callable(sd.simulate), callable(sd.momentum))") == "True True"


def test_modules_and_stars():
    assert (
        python("import spacedyn as sd; print(sd.model.__name__, sd.errors.__name__)")
        == "spacedyn.model spacedyn.errors"
    )
    assert python("from spacedyn import *; print(simulate.__name__)") == "simulate"
    assert python("import spacedyn as sd; print(hasattr(sd, 'nothing'), hasattr(sd, '_nothing'))") == "False False"


def test_nothing_heavy_is_imported_with_the_package():
    heavy = "('numpy', 'numba', 'scipy', 'pydantic', 'xarray', 'rich')"
    assert python(f"import sys, spacedyn; print([m for m in {heavy} if m in sys.modules])") == "[]"
