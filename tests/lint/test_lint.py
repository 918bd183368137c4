"""Every rule finds what it is for, with severity, place and remedy, and says nothing of a robot that is right."""

import struct

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.lint import Finding, Findings
from urdf_robots import ROBOTS, folder
from urdf_text import INERTIAL, joint, link, robot


def with_mesh(scale: str, file: str = "a.stl") -> str:
    return INERTIAL + f'<visual><geometry><mesh filename="{file}" scale="{scale}"/></geometry></visual>'


def inertia(ixx: float, iyy: float, izz: float, mass: float = 2.0) -> str:
    return (
        f'<inertial><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>'
    )


def chain(inside: str = "", *, kind: str = "revolute", child: str = INERTIAL, first: str = INERTIAL) -> str:
    return robot(link("a", first), link("b", child), joint("j", "a", "b", kind, inside))


BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
RULES = {
    "impossible inertia": (chain(child=inertia(0.1, 0.1, 0.5)), "warning", "triangle inequality"),
    "negative inertia": (chain(child=inertia(0.1, 0.1, -0.5)), "warning", "negative principal moment"),
    "negative inertia is an error too": (chain(child=inertia(0.1, 0.1, -0.5)), "error", "negative principal moment"),
    "placeholder": (chain(child=inertia(1e-3, 1e-3, 1e-3)), "warning", "looks like a placeholder"),
    "g mm^2": (chain(child=inertia(2e6, 2.1e6, 2.2e6)), "warning", "radius of gyration"),
    "too small": (chain(child=inertia(2e-12, 2.1e-12, 2.2e-12)), "warning", "radius of gyration"),
    "a point": (chain(child=inertia(0, 0, 0) + BOX, first=INERTIAL), "note", "without any inertia"),
    "grams": (chain(child=inertia(0.2, 0.3, 0.4, mass=2000.0) + BOX), "warning", "denser than any metal"),
    "millimetres of a box": (chain(child=INERTIAL + BOX.replace("0.1", "100")), "note", "lighter than any foam"),
    "a centre of mass outside": (chain(child=INERTIAL.replace("0.1 0 0.2", "9 0 0") + BOX), "warning", "far outside"),
    "a far centre of mass": (chain(child=INERTIAL.replace("0.1 0 0.2", "900 0 0")), "warning", "900 m away"),
    "mass ratio": (chain(child=inertia(1e-6, 1.1e-6, 1.2e-6, mass=1e-5)), "warning", "1e-05 kg beside 2 kg"),
    "copied inertias": (
        robot(
            *(link(n, inertia(0.1, 0.2, 0.25, mass=m)) for n, m in zip("abc", (1.0, 2.0, 3.0), strict=True)),
            joint("j", "a", "b"),
            joint("k", "b", "c"),
        ),
        "warning",
        "3 links of different masses",
    ),
    "no inertial": (
        robot(link("a"), link("b", ""), link("c"), joint("j", "a", "b"), joint("k", "b", "c")),
        "warning",
        "it has no <inertial>",
    ),
    "nothing to move": (chain(child=""), "error", "mass matrix is singular"),
    "free base": (robot(link("a", ""), link("b"), joint("j", "a", "b")), "note", "with a free base"),
    "axis": (chain('<axis xyz="0 0 2"/>'), "warning", "has length 2, not 1"),
    "zero limits": (chain().replace('lower="-1" upper="1"', 'lower="0" upper="0"'), "warning", "both limits are 0"),
    "no limits": (
        chain().replace('<limit lower="-1" upper="1" effort="9" velocity="3"/>', ""),
        "warning",
        "without <limit>",
    ),
    "no effort": (chain().replace('effort="9"', ""), "note", "effort has no limit"),
    "effort of zero": (chain().replace('effort="9"', 'effort="0"'), "warning", "effort is limited to 0"),
    "degrees": (chain().replace('upper="1"', 'upper="90"'), "warning", "many turns"),
    "degrees in rpy": (chain('<origin rpy="0 90 0"/>'), "warning", "more than a whole turn"),
    "millimetres in xyz": (chain('<origin xyz="0 900 0"/>'), "warning", "900 m away"),
    "millimetres in limits": (chain(kind="prismatic").replace('upper="1"', 'upper="500"'), "warning", "… 500 m"),
    "mimic": (
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "a", "c", inside='<mimic joint="j"/>')),
        "note",
        "it mimics 'j'",
    ),
    "capsule": (chain(child=INERTIAL + "<visual><geometry><capsule/></geometry></visual>"), "note", "is a capsule"),
    "mirrored mesh": (chain(child=with_mesh("1 1 -1")), "warning", "left-handed"),
    "mesh in millimetres": (chain(child=with_mesh("500 500 500")), "warning", "likely in millimetres"),
    "mesh that is tiny": (chain(child=with_mesh("1e-9 1e-9 1e-9")), "warning", "likely in metres already"),
    "mesh that is not there": (chain(child=with_mesh("1 1 1", "b.stl")), "warning", "is not there"),
    "mesh outside": (chain(child=with_mesh("1 1 1", "../b.stl")), "error", "outside the folder"),
    "gazebo": (chain().replace("</robot>", "<gazebo reference='x'/></robot>"), "warning", "<gazebo> refers to 'x'"),
    "transmission": (
        chain().replace("</robot>", "<transmission><joint name='x'/></transmission></robot>"),
        "warning",
        "<transmission> drives 'x'",
    ),
    "not a URDF": ("<robot", "error", "not whole XML"),
    "a missing link": (robot(link("a"), joint("j", "a", "b")), "error", "is not a link"),
}


@pytest.mark.parametrize("case", RULES)
def test_a_rule_finds_what_it_is_for(tmp_path, case):
    text, severity, words = RULES[case]
    (tmp_path / "a.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *range(12), 0))
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    found = sd.check_file(file)
    hits = [finding for finding in found if words in finding.message + finding.remedy]
    assert severity in [finding.severity for finding in hits], str(found)
    assert all(finding.place and finding.remedy for finding in found)


def test_a_robot_that_is_right_has_no_findings(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(chain('<axis xyz="0 0 1"/>', child=INERTIAL + BOX.replace("0.1", "0.5")))
    assert sd.check_file(file) == () and str(sd.check_file(file)).endswith("nothing found")


def test_other_sorts_of_files(tmp_path):
    toml = tmp_path / "r.toml"
    toml.write_text('[base]\nmass = 1\ninertia = [1, 1, 1]\nvisuals = [{ mesh = "x.stl", scale = [1, -1, 1] }]\n')
    found = sd.check_file(toml)
    words = " ".join(finding.message for finding in found)
    assert found.worst == "warning" and all(w in words for w in ("placeholder", "is not there", "left-handed"))
    toml.write_text("[base\n")
    assert sd.check_file(toml).worst == "error"
    xml = tmp_path / "r.xml"
    xml.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    assert "MuJoCo cannot read it" in sd.check_file(xml)[0].message
    with pytest.raises(sd.InputError, match=r"give a \.urdf"):
        sd.check_file("robot.json")


def test_real_files_are_looked_at_without_a_stumble():
    counts = {name: sd.check_file(folder() / file) for name, file in ROBOTS.items()}
    assert counts["go2 quadruped"] == ()
    assert any("negative principal moment" in f.message for f in counts["tiago dual arm"])


def test_findings_sort_count_and_print():
    note, error = Finding("note", "a", "b", "c"), Finding("error", "line 3: link 'x'", "long " * 40, "mend")
    found = Findings("r.urdf", [note, error, note])
    assert found == (error, note) and found.worst == "error" and found.count("note") == 1
    text = str(found)
    assert text.startswith("r.urdf: 1 error, 1 note") and max(map(len, text.splitlines())) <= 120
    assert note.to_dict() == {"severity": "note", "place": "a", "message": "b", "remedy": "c"}
    assert Findings("r.urdf", []).worst is None


def test_meshes_are_measured(tmp_path):
    from spacedyn.lint.mesh_bounds import mesh_bounds

    text = tmp_path / "a.stl"
    text.write_text("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 -3\nendloop\n")
    lower, upper = mesh_bounds(text)
    assert lower.tolist() == [0, 0, -3] and upper.tolist() == [1, 2, 0]
    obj = tmp_path / "a.obj"
    obj.write_text("# x\nv 1 2 3\nv -1 0 0\nvn 9 9 9\n")
    assert np.array(mesh_bounds(obj)).tolist() == [[-1, 0, 0], [1, 2, 3]]
    obj.write_text("v a b c\n")
    assert mesh_bounds(obj) is None and mesh_bounds(tmp_path / "none.stl") is None


def test_findings_show_themselves_as_a_table(tmp_path):
    file = tmp_path / "robot.toml"
    file.write_text(sd.load("ets7").to_toml())
    found = sd.check_file(file)
    assert repr(found) == str(found) and len(found) == 3
    assert found._repr_html_().count("<tr>") == 4 and "triangle inequality" in found._repr_html_()
    file.write_text(sd.load("tian_wu").to_toml())
    assert "nothing found" in sd.check_file(file)._repr_html_()


def test_what_only_the_model_shows_has_its_line_too(tmp_path):
    file = tmp_path / "robot.urdf"
    turning = joint("hinge", "a", "b", "continuous").replace("</joint>", '<dynamics damping="-1"/></joint>')
    file.write_text(robot(link("a"), link("b"), turning))
    (found,) = [one for one in sd.check_file(file) if one.severity == "error"]
    line = 1 + file.read_text().splitlines().index(next(t for t in file.read_text().splitlines() if "<joint" in t))
    assert found.place == f"line {line}: joint 'hinge'" and "damping is -1" in found.message
