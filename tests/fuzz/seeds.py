"""Files in order, from which others are made: bundled ones, those of other packages, and small ones made by hand."""

import importlib.util
import shutil
import struct
from importlib.resources import files
from pathlib import Path

import spacedyn as sd

from .mutations import Text

_LARGEST = 8000  # bytes of another package's file: a small robot is read quickly

ROBOT = b"""name = "handmade"
[base]
name = "bus"
kind = "free"
shapes = [{ kind = "box", mass = 50.0, size = [1, 1, 1] }, { kind = "sphere", mass = 1, radius = 0.2, position = [0, 0, 1] }]
visuals = [{ mesh = "part.stl", scale = [0.001, 0.001, 0.001], color = [1, 1, 1, 1] }]
[joints.shoulder]
kind = "revolute"
parent = "bus"
child = "arm"
axis = [0, 1, 0]
position = [0.5, 0.0, 0.0]
rpy_xyz_deg = [0, 90, 0]
lower = -2.0
upper = 2.0
damping = 0.1
stiffness = 3.0
rest = 0.2
friction = 0.01
rotor_inertia = 0.001
gear = 50
max_force = 20.0
[joints.screw]
kind = "helical"
pitch = 0.1
parent = "arm"
child = "ball"
quaternion_xyzw = [0, 0, 0, 1]
[joints.grip]
kind = "spherical"
parent = "ball"
child = "hand"
rest = [0, 0, 0, 1]
stiffness = 1.0
[joints.mount]
kind = "fixed"
parent = "hand"
child = "tool"
[bodies.arm]
mass = 5.0
inertia = [[0.5, 0.01, 0], [0.01, 0.5, 0], [0, 0, 0.1]]
com = [0, 0, 0.5]
[bodies.ball]
massless = true
[bodies.hand]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[bodies.tool]
shapes = [{ kind = "cylinder", mass = 5.0, radius = 0.1, length = 1.0, position = [0, 0, 0.5] }]
collisions = [{ kind = "sphere", radius = 0.1 }]
[endpoints.tip]
body = "tool"
position = [0, 0, 1]
rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
"""

SMALL_ROBOT = b"""[base]
kind = "fixed"
mass = 1
inertia = [1, 2, 2]
[joints.pivot]
kind = "revolute"
parent = "base"
child = "bob"
[bodies.bob]
shapes = [{ kind = "point", mass = 2, position = [1, 0, 0] }]
"""

SCENARIO = b"""title = "handmade"
robot = { file = "arm.urdf", base = "free" }
duration = 2.0
record = [0.5, 1.0, 2.0]
gravity = [0, 0, -9.81]
start = 0.5
budget = 1e-6
limits = false
channels = ["forces", "ledger"]
[state]
q = { shoulder = 0.1 }
base_quaternion_xyzw = [0, 0, 0, 1]
[modes]
shoulder = "free"
[[laws]]
law = "damp"
file = "laws.py"
kd = 2.0
period = 0.1
delay = 0.02
[[laws]]
law = "joint_hold"
joints = ["shoulder"]
target = [0.2]
kp = [3.0]
kd = [1.0]
limit = 5.0
[[forces]]
kind = "spring"
body = "bus"
stiffness = 3.0
damping = 0.1
[[forces]]
kind = "drag"
body = "upper"
linear = [1, 1, 1]
[[events]]
name = "there"
when = "joint_reaches"
joint = "shoulder"
value = 0.5
terminal = true
action = { do = "lock", joint = "shoulder" }
[method]
name = "RungeKutta4"
step = 0.01
[plots]
figures = ["q", ["tip", "momentum"]]
style = "screen"
[film]
frames = 20
"""

SCENE = b"""robot = { scene = { one = "tian_wu", two = { file = "koike", position = [5, 0, 0], rpy_xyz_deg = [0, 0, 90] } } }
duration = 6.0
adjust = true
[[laws]]
law = "joint_path"
joints = ["two/theta_z"]
times = [0, 1, 2]
values = [[0], [1], [0]]
[prescribed]
"two/theta_y" = { motion = "swing", size = 0.3, speed = 1.5 }
"""

URDF = b"""<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="bus">
    <inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="9"/>
      <inertia ixx="2" iyy="3" izz="4" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="v"><origin xyz="0 0 0" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual>
    <visual><geometry><mesh filename="part.stl" scale="0.1 0.1 0.1"/></geometry></visual>
    <collision><geometry><cylinder radius="0.2" length="1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.5 0 0" rpy="0 1.57 0"/><parent link="bus"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.02"/>
  </joint>
  <link name="upper"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.3" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="0.2" iyy="0.3" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tip"/></joint>
  <link name="tip"/>
  <transmission name="t"><joint name="shoulder"/></transmission>
  <gazebo reference="bus"><material>x</material></gazebo>
</robot>
"""

URDF_OTHER_JOINTS = b"""<robot name="others"><link name="world"/>
  <joint name="root" type="floating"><parent link="world"/><child link="body"/></joint>
  <link name="body"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="flat" type="planar"><parent link="body"/><child link="plate"/><axis xyz="0 0 1"/></joint>
  <link name="plate"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wheel" type="continuous"><parent link="plate"/><child link="disc"/><axis xyz="1 0 0"/></joint>
  <link name="disc"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""

MJCF = b"""<mujoco model="odd">
  <compiler angle="radian" autolimits="true" meshdir="." eulerseq="xyz"/>
  <option gravity="0 0 -9.81" timestep="0.01"/>
  <size nkey="1" memory="1M"/>
  <default><joint armature="0.1" damping="1"/><default class="thin"><geom size="0.02"/></default></default>
  <asset><mesh name="part" file="part.stl" scale="1 1 1"/><material name="m" rgba="1 0 0 1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="bus" pos="1 2 3" euler="0.1 0.2 0.3">
      <freejoint name="root"/>
      <geom type="box" size="0.5 0.4 0.3" mass="20" pos="0.1 0.2 0" rgba="0.1 0.2 0.3 1"/>
      <body name="arm" pos="0.5 0 0" quat="1 0 0 0">
        <joint name="ball" type="ball" pos="0.1 0 0.2" damping="0.3" stiffness="2"/>
        <geom type="capsule" size="0.05 0.4" mass="3" pos="0 0 0.4"/>
        <site name="tip" pos="0 0 0.9" euler="0 0 1"/>
        <body name="hand" pos="0 0 0.8" axisangle="1 0 0 0.5">
          <joint name="wrist" type="hinge" axis="1 2 0.5" pos="0 0.05 0.02" ref="0.4" springref="0.7" stiffness="5"
                 armature="0.03" frictionloss="0.1" range="-1 1" actuatorfrcrange="-4 4"/>
          <joint name="screw" type="slide" axis="0 1 1" ref="-0.2"/>
          <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
          <geom type="mesh" mesh="part" mass="1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><connect body1="arm" body2="bus" anchor="0 0 0"/></equality>
  <actuator><motor joint="wrist" gear="2"/></actuator>
</mujoco>
"""

MJCF_SMALL = b"""<mujoco><worldbody><body name="bob" pos="0 0 2">
<joint name="pivot" type="hinge" axis="0 1 0" damping="0.1"/><geom type="sphere" size="0.1" mass="2" pos="0 0 -1"/>
<body><joint type="slide"/><geom type="capsule" fromto="0 0 0 0 0 -1" size=".02" class="main"/></body>
</body></worldbody></mujoco>
"""

MJCF_MADE_BY_RULE = b"""<mujoco><worldbody><body name="mount"><geom type="box" size=".1 .1 .1"/>
<replicate count="2" euler="0 0 1.2" offset="0 0 .1"><body name="b"><joint type="hinge"/><geom size=".1"/></body></replicate>
<frame pos="0 0 1"><body name="f"><joint type="ball"/><geom size=".1" density="100"/></body></frame></body>
</worldbody><include file="more.xml"/><keyframe><key qpos="0"/></keyframe></mujoco>
"""

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
    return [Text("handmade", ROBOT), Text("small", SMALL_ROBOT), Text("small", SMALL_ROBOT), *found]


def scenario_texts() -> list[Text]:
    """Scenarios."""
    bundled = files("spacedyn").joinpath("library", "scenarios")
    found = [Text(name, bundled.joinpath(f"{name}.toml").read_bytes()) for name in sd.scenarios()]
    return [Text("handmade", SCENARIO), Text("handmade", SCENARIO), Text("scene", SCENE), *found]


def urdf_texts() -> list[Text]:
    """URDF files."""
    own = [Text("handmade", URDF), Text("others", URDF_OTHER_JOINTS)]
    own += [Text(name, sd.load(name).to_urdf(lossy=True).encode()) for name in ("tian_wu", "koike")]
    shared = _package_folder("cmeel", "cmeel.prefix", "share", "example-robot-data", "robots")
    names = ("double_pendulum_description/urdf/double_pendulum_simple.urdf", "asr_twodof_description/urdf/TwoDofs.urdf")
    return [*own, *(_file(shared / name) for name in names if shared is not None and (shared / name).is_file())]


def mjcf_texts() -> list[Text]:
    """MuJoCo's XML."""
    own = [Text("odd", MJCF), Text("odd", MJCF), Text("small", MJCF_SMALL), Text("by rule", MJCF_MADE_BY_RULE)]
    shared = _package_folder("gymnasium", "gymnasium", "envs", "mujoco", "assets")
    found = [] if shared is None else sorted(shared.glob("*.xml"))
    return [*own, *(_file(path) for path in found if path.stat().st_size < _LARGEST)]


def _file(path: Path) -> Text:
    return Text(path.stem, path.read_bytes())


def _package_folder(package: str, *parts: str) -> Path | None:
    """A folder beside an installed package."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parents[1].joinpath(*parts)


def furnish(folder: Path) -> None:
    """Files that cases name, in their folder."""
    shutil.copytree(str(files("spacedyn").joinpath("library", "scenarios", "robots")), folder / "robots")
    (folder / "arm.urdf").write_bytes(URDF)
    (folder / "part.stl").write_bytes(_STL)
    (folder / "laws.py").write_text(_LAWS)
    (folder / "more.xml").write_text("<mujocoinclude><worldbody><body><geom size='.1'/></body></worldbody></mujocoinclude>")


def furnish_bait(bait: Path, folder: Path) -> tuple[str, ...]:
    """Files that must not be read, each also by a link from a case's folder; gives the names that lead to them."""
    content = {
        "bait.stl": _STL,
        "bait.urdf": URDF,
        "bait.xml": MJCF_SMALL,
        "bait.toml": SMALL_ROBOT,
        "bait.py": b"raise SystemExit('read from outside')\n",
        "bait.yaml": b"a: 1\n",
    }
    names = []
    for name, data in content.items():
        (bait / name).write_bytes(data)
        (folder / f"link_{name}").symlink_to(bait / name)
        names += [str(bait / name), f"../{bait.name}/{name}", f"link_{name}"]
    return tuple(names)
