"""Files in order, from which others are made: bundled ones, those of other packages, and small ones made by hand."""

import importlib.util
import shutil
import struct
from importlib.resources import files
from pathlib import Path

import spacedyn as sd

from .mutations import Text

HANDMADE = Path(__file__).parent / "handmade"
_LARGEST = 8000  # bytes of another package's file: a small robot is read quickly

_CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
_STL = bytes(80) + struct.pack("<I", 4)  # a tetrahedron
for _face in _FACES:
    _STL += struct.pack("<12fH", 0.0, 0.0, 0.0, *(x for corner in _face for x in _CORNERS[corner]), 0)
_LAWS = """import spacedyn as sd


@sd.law
def damp(t, s, p, out):
    out.tau[0] = -p.kd * s.qd[0]
"""


def robots() -> list[Text]:
    """Robots in TOML."""
    bundled = files("spacedyn").joinpath("library")
    found = [Text(name, bundled.joinpath(f"{name}.toml").read_bytes()) for name in sd.available()]
    return [*_handmade("robot.toml", "satellite.toml", "small.toml", "small.toml"), *found]


def scenario_texts() -> list[Text]:
    """Scenarios."""
    bundled = files("spacedyn").joinpath("library", "scenarios")
    found = [Text(name, bundled.joinpath(f"{name}.toml").read_bytes()) for name in sd.scenarios()]
    own = _handmade(
        "scenario.toml",
        "scenario.toml",
        "scene.toml",
        "devices.toml",
        "devices.toml",
        "orbit.toml",
        "touching.toml",
        "touching.toml",
    )
    return [*own, *found]


def urdf_texts() -> list[Text]:
    """URDF files."""
    own = _handmade("arm.urdf", "other_joints.urdf")
    own += [Text(name, sd.load(name).to_urdf(lossy=True).encode()) for name in ("tian_wu", "koike")]
    shared = _package_folder("cmeel", "cmeel.prefix", "share", "example-robot-data", "robots")
    names = ("double_pendulum_description/urdf/double_pendulum_simple.urdf", "asr_twodof_description/urdf/TwoDofs.urdf")
    return [*own, *(_file(shared / name) for name in names if shared is not None and (shared / name).is_file())]


def mjcf_texts() -> list[Text]:
    """MuJoCo's XML."""
    own = _handmade("odd.xml", "odd.xml", "small.xml", "by_rule.xml")
    shared = _package_folder("gymnasium", "gymnasium", "envs", "mujoco", "assets")
    found = [] if shared is None else sorted(shared.glob("*.xml"))
    return [*own, *(_file(path) for path in found if path.stat().st_size < _LARGEST)]


def _handmade(*names: str) -> list[Text]:
    return [_file(HANDMADE / name) for name in names]


def _file(path: Path) -> Text:
    return Text(path.stem, path.read_bytes())


def _package_folder(package: str, *parts: str) -> Path | None:
    """A folder beside an installed package."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parents[1].joinpath(*parts)


def furnish(folder: Path) -> None:
    """Files that cases name, in their folder."""
    for part in ("robots", "laws"):
        shutil.copytree(str(files("spacedyn").joinpath("library", "scenarios", part)), folder / part)
    for name in ("arm.urdf", "satellite.toml"):
        shutil.copy(HANDMADE / name, folder)
    (folder / "part.stl").write_bytes(_STL)
    (folder / "laws.py").write_text(_LAWS)
    (folder / "more.xml").write_text(
        "<mujocoinclude><worldbody><body><geom size='.1'/></body></worldbody></mujocoinclude>"
    )


def furnish_bait(bait: Path, folder: Path) -> tuple[str, ...]:
    """Files that must not be read, each also by a link from a case's folder; gives the names that lead to them."""
    content = {
        "bait.stl": _STL,
        "bait.urdf": (HANDMADE / "arm.urdf").read_bytes(),
        "bait.xml": (HANDMADE / "small.xml").read_bytes(),
        "bait.toml": (HANDMADE / "small.toml").read_bytes(),
        "bait.py": b"raise SystemExit('read from outside')\n",
        "bait.yaml": b"a: 1\n",
    }
    names = []
    for name, data in content.items():
        (bait / name).write_bytes(data)
        (folder / f"link_{name}").symlink_to(bait / name)
        names += [str(bait / name), f"../{bait.name}/{name}", f"link_{name}"]
    return tuple(names)
