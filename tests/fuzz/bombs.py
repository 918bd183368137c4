"""Small files that a careless reader makes large: each is refused or read, soon and in little memory."""

from random import Random


def of_kind(rng: Random, kind: str) -> bytes:
    """A bomb for a kind of file."""
    makers = {"robot": _TABLES, "scenario": _TABLES, "urdf": _URDF, "mjcf": _MJCF}
    count = rng.choice((50, 61, 1000, 8000, 20_000))
    return rng.choice(makers[kind])(count).encode()


_HEAD = 'robot = "ets7"\nduration = 1.0\n'
_BASE = "[base]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"
_INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
_LINK = f'<link name="l{{0}}"><inertial><mass value="1"/>{_INERTIA}</inertial></link>'
_JOINT = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/></joint>'


def _chain_toml(count: int) -> str:
    count = min(count, 3000)
    bodies = "".join(f"[bodies.b{i}]\nmass = 1\ninertia = [1, 1, 1]\n" for i in range(count))
    joints = "".join(
        f'[joints.j{i}]\nkind = "revolute"\nparent = "{f"b{i - 1}" if i else "base"}"\nchild = "b{i}"\n'
        for i in range(count)
    )
    return _BASE + bodies + joints


def _chain_urdf(count: int) -> str:
    count = min(count, 3000)
    links = "".join(_LINK.format(i) + (_JOINT.format(i, i - 1) if i else "") for i in range(count))
    return f'<robot name="r">{links}</robot>'


def _mujoco(content: str) -> str:
    return f"<mujoco><worldbody>{content}</worldbody></mujoco>"


_BODY = '<body><joint type="hinge"/><geom size=".1"/></body>'
_TABLES = (
    lambda n: ".".join(['"!"'] * n) + " = 1\n",
    lambda n: ".".join(["a"] * n) + " = 1\n",
    lambda n: "[" + ".".join(["a"] * n) + "]\nb = 1\n",
    lambda n: "x = " + "[" * n + "]" * n + "\n",
    lambda n: "x = " + "{a=" * n + "1" + "}" * n + "\n",
    lambda n: _HEAD + "gravity = [" + "1," * n + "]\n",
    lambda n: _HEAD + "[[laws]]\nlaw = 'joint_hold'\n" * min(n, 3000),
    lambda n: _HEAD + 'description = "' + "A b. " * n + '"\n',
    lambda n: _HEAD + "".join(f"k{i} = {i}\n" for i in range(n)),
    lambda n: _BASE + "".join(f"k{i} = {i}\n" for i in range(n)),
    lambda n: _BASE + "shapes = [" + '{ kind = "point", mass = 1, position = [1, 0, 0] },' * n + "]\n",
    lambda n: f'name = "{"x" * 10 * n}"\n' + _BASE,
    _chain_toml,
)
_URDF = (
    _chain_urdf,
    lambda n: '<robot name="r">' + "<link>" * n + "</link>" * n + "</robot>",
    lambda n: '<robot name="r">' + "<link/>" * n + "</robot>",
    lambda n: '<robot name="r">' + '<link name="a"/>' * n + "</robot>",
    lambda n: "<robot><link " + " ".join(f"a{i}='1'" for i in range(n)) + "/></robot>",
    lambda n: '<!DOCTYPE r [<!ENTITY a "' + "b" * n + '"><!ENTITY c "&a;&a;&a;">]><robot name="&c;"/>',
    lambda n: f'<robot name="{"x" * 10 * n}"><link name="a"/></robot>',
)
_MJCF = (
    lambda n: _mujoco(f'<replicate count="{n}">{_BODY}</replicate>'),
    lambda n: _mujoco(f'<replicate count="{n}"><geom size=".1"/></replicate>'),
    lambda n: _mujoco('<replicate count="30">' * 4 + _BODY + "</replicate>" * 4),
    lambda n: _mujoco("<body>" * n + '<geom size=".1"/>' + "</body>" * n),
    lambda n: _mujoco(_BODY * min(n, 3000)),
    lambda n: f'<mujoco><size nkey="{n}0000"/><worldbody>{_BODY}</worldbody></mujoco>',
    lambda n: f'<mujoco><size nuserdata="{n}0000" memory="{n}M"/><worldbody>{_BODY}</worldbody></mujoco>',
    lambda n: f'<mujoco><size nuser_body="{n}"/><worldbody>{_BODY * 100}</worldbody></mujoco>',
    lambda n: f'<mujoco><visual><quality shadowsize="{n}00"/></visual><worldbody>{_BODY}</worldbody></mujoco>',
    lambda n: f'<mujoco><asset><texture name="t" type="2d" builtin="flat" width="{n}" height="{n}"/></asset></mujoco>',
    lambda n: f'<mujoco><asset><hfield name="h" nrow="{n}" ncol="{n}" size="1 1 1 1"/></asset></mujoco>',
    lambda n: _mujoco(f'<body><flexcomp type="grid" count="{n} {n} 1" name="f" dim="2" mass="1"/></body>'),
)
