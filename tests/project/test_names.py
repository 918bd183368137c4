"""The package's names: loaded when they are asked for, and the same to editors, to type checkers and at run time."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import spacedyn as sd
from spacedyn.contact.surfaces import Surface
from spacedyn.elements.element import Element
from spacedyn.simulate.methods import Method

SOURCE = Path(sd.__file__).read_text(encoding="utf-8")


def python(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_is_there():
    assert len(sd.__all__) == len(set(sd.__all__))
    for name in sd.__all__:
        assert getattr(sd, name) is not None, name
    assert {name for name in dir(sd) if not name.startswith("_")} == set(sd.__all__)


def test_signatures_can_be_read():
    """`help` shows ArrayLike by its name, not the forty kinds that it is made of."""
    rooms = [sd, *(getattr(sd, name) for name in ("orbit", "control", "freefloating", "constraints", "actions"))]
    public = [getattr(room, name) for room in rooms for name in dir(room) if not name.startswith("_")]
    public += [sd.Model.state, sd.Model.vary, sd.Builder.wheel]
    shown = [str(inspect.signature(one)) for one in public if inspect.isfunction(one)]
    shown += [str(inspect.signature(one)) for one in public if inspect.isclass(one) and issubclass(one, Element)]
    assert len(shown) > 150 and not [text for text in shown if "_typing" in text or "_Buffer" in text]
    assert "q: ArrayLike | Mapping[str, ArrayLike] | None = None" in str(inspect.signature(sd.Model.state))
    about = str(inspect.signature(sd.momentum)).replace("str | ", "")  # which ArrayLike is until NumPy 2.4
    assert about == "(model: Model, state: State, *, about: ArrayLike) -> ndarray"


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


MODULES = ["actions", "constraints", "control", "freefloating", "kane", "lagrangian", "operators", "orbit", "shapes"]


def callables():
    """What users call: public functions, and classes that they make, by name."""
    modules = {"": sd, **{f"{name}.": getattr(sd, name) for name in MODULES}}
    made = (Element, Method, Surface, sd.Builder, sd.ContactMaterial, sd.Event, sd.LockedJoint, sd.PrescribedJoint)
    for prefix, module in modules.items():
        for name in module.__all__:
            one = getattr(module, name)
            ours = getattr(one, "__module__", "").startswith("spacedyn.")
            if ours and (inspect.isfunction(one) or (inspect.isclass(one) and issubclass(one, made))):
                yield prefix + name, one


def parameters(one):
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in inspect.signature(one).parameters.values() if p.kind not in several]


def explained(one):
    """Its docstring, and those that it refers to: "arguments as in `forward_dynamics`"."""
    text, module = inspect.getdoc(one) or "", vars(sys.modules[one.__module__])
    others = {module.get(name) or getattr(sd, name, None) for name in re.findall(r"`(?:\w+\.)*(\w+)`", text)}
    found = [other for other in others if inspect.isfunction(other) or inspect.isclass(other)]
    return text, text + "".join(inspect.getdoc(other) or "" for other in found)


def test_what_users_call_has_an_example_and_explains_its_parameters():
    missing = {}
    for name, one in callables():
        own, text = explained(one)
        needed = [p for p in parameters(one) if p not in ("model", "state", "name")]
        unknown = [p for p in needed if not re.search(rf"\b{p}\b", text)]
        if unknown or ">>>" not in own:
            missing[name] = unknown or "an example"
    assert not missing


def test_names_are_spelt_alike():
    """`center`, `color`, `neighbors` in code, as NumPy and SciPy have them; text is in British English."""
    other = re.compile(r"centre|colour|neighbour|behaviour|grey")
    assert not {name for name, one in callables() for word in (name, *parameters(one)) if other.search(word)}


def test_every_folder_is_in_the_tables_for_contributors():
    package = Path(sd.__file__).parent
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = {name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line)}
    folders = {path.parent.name for level in ("*", "kernels/*") for path in package.glob(f"{level}/__init__.py")}
    assert folders <= rows
