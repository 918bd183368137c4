"""Elements of a URDF, as text."""

INERTIAL = """<inertial><origin xyz="0.1 0 0.2" rpy="0 0 0.5"/><mass value="2"/>
<inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.25"/></inertial>"""


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>\n'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    limit = '<limit lower="-1" upper="1" effort="9" velocity="3"/>' if kind in ("revolute", "prismatic") else ""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{limit}{inside}</joint>\n'


def robot(*parts: str, name: str = "r") -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'
