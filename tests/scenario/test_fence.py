"""What files may open is decided by whoever runs them: nothing outside is read or written because a file says so."""

import json
import os
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest
import xacro
from typer.testing import CliRunner

import spacedyn as sd
from spacedyn.cli import app
from spacedyn.show.viewer.visuals import read_mesh

LINK = """<link name="{0}"><inertial><mass value="2"/>
  <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial>{1}</link>"""
JOINT = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
VISUAL = '<visual><geometry><mesh filename="{0}"/></geometry></visual>'
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 2 4\nf 2 3 4\n"
MJCF = """<mujoco><asset><mesh name="m" file="{0}"/></asset><worldbody>
  <body name="a"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


def urdf(mesh):
    return f'<robot name="r">{LINK.format("a", VISUAL.format(mesh))}{LINK.format("b", "")}{JOINT}</robot>'


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A scenario's folder, and beside it what is none of its business."""
    for name in ("study", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other/m.obj").write_text(OBJ)
    (tmp_path / "other/m.urdf").write_text(urdf("m.obj"))
    (tmp_path / "other/laws.py").write_text("open('RAN', 'w')")
    monkeypatch.chdir(tmp_path / "study")
    return tmp_path / "study"


def scenario(study, robot, more=""):
    (study / "s.toml").write_text(f"duration = 0.1\n{more}\n{robot}\n")
    return study / "s.toml"


def spacedyn(*arguments):
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


# --- what a scenario reads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        ('["/"]', "folder '/' lies outside the scenario's folder"),
        ('["../other"]', "folder '../other' lies outside"),
        ('["link"]', "folder 'link' lies outside"),
        ('["none"]', "there is no folder 'none'"),
        ('"/"', "give a list of folders"),
        ("[3]", "give a list of folders"),
    ],
)
def test_folders_in_the_file_do_not_widen_what_it_may_open(study, folders, said):
    (study / "link").symlink_to(study.parent / "other")
    (study / "arm.urdf").write_text(urdf("../other/m.obj"))
    file = scenario(study, f'[robot]\nfile = "arm.urdf"\nfolders = {folders}')
    with pytest.raises(sd.ScenarioError, match=said):
        sd.Scenario.from_toml(file)
    assert spacedyn("check", file)[0] == 1


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml"])
@pytest.mark.parametrize("mesh", ["../other/m.obj", "{}/other/m.obj", "link.obj", "folder/m.obj"])
def test_meshes_and_includes_outside_are_read_only_if_who_runs_it_allows_them(study, name, mesh):
    mesh = mesh.format(study.parent)
    (study / "link.obj").symlink_to(study.parent / "other/m.obj")
    (study / "folder").symlink_to(study.parent / "other")
    (study / name).write_text(urdf(mesh) if name == "arm.urdf" else MJCF.format(mesh))
    file = scenario(study, f'robot = "{name}"')
    with pytest.raises(sd.ScenarioError, match=r"outside the folder of the model; .*--allow FOLDER"):
        sd.Scenario.from_toml(file).build()
    assert spacedyn("run", file)[0] == 2
    robot = sd.Scenario.from_toml(file, allow=study.parent / "other").build()["robot"]
    assert Path(robot.bodies[0].visuals[0].mesh).samefile(study.parent / "other/m.obj")
    assert spacedyn("check", file, "--allow", "../other") == (0, f"{file}: good\n")


def test_a_package_above_the_scenario_is_outside(study):
    """`load` itself takes a whole package for the model's folder; a scenario has its own folder, and no more."""
    (study.parent / "package.xml").write_text("<package/>")
    (study / "arm.urdf").write_text(urdf("package://p/other/m.obj"))
    assert sd.load(study / "arm.urdf").bodies[0].visuals
    file = scenario(study, 'robot = "arm.urdf"')
    with pytest.raises(sd.ScenarioError, match="outside the folder"):
        sd.Scenario.from_toml(file).build()
    assert sd.Scenario.from_toml(file, allow=study.parent).build()["robot"].bodies[0].visuals


def test_folders_in_the_file_start_from_its_own_folder(study, monkeypatch):
    (study / "packages/p").mkdir(parents=True)
    (study / "packages/p/m.obj").write_text(OBJ)
    (study / "robots").mkdir()
    (study / "robots/arm.urdf").write_text(urdf("package://p/m.obj"))
    file = scenario(study, '[robot]\nfile = "robots/arm.urdf"\nfolders = ["packages"]')
    monkeypatch.chdir("/")
    made = sd.Scenario.from_toml(file)
    assert made.build()["robot"].bodies[0].visuals[0].mesh == str(study / "packages/p/m.obj")
    made.to_python(study / "s.py")
    run = runpy.run_path(str(study / "s.py"))["run"]
    assert run.model.bodies[0].visuals[0].mesh == str(study / "packages/p/m.obj")


def test_a_script_has_the_fence_of_whoever_made_it(study):
    (study / "arm.urdf").write_text(urdf("../other/m.obj"))
    file = scenario(study, 'robot = "arm.urdf"')
    allowed = sd.Scenario.from_toml(file, allow=["../other"]).to_python()
    assert f'within=[here, "{study.parent / "other"}"]' in allowed
    sd.Scenario.from_toml(file).to_python(study / "s.py")
    with pytest.raises(sd.ModelError, match="outside the folder"):
        runpy.run_path(str(study / "s.py"))


def test_robots_and_laws_outside_are_opened_only_if_who_runs_it_allows_them(study):
    file = scenario(study, 'robot = "../other/m.urdf"')
    with pytest.raises(sd.ScenarioError, match="lies outside the scenario's folder"):
        sd.Scenario.from_toml(file)
    assert sd.Scenario.from_toml(file, allow="../other").build()["robot"].name == "r"
    with pytest.raises(sd.ScenarioError, match="within is for whoever runs it"):
        sd.Scenario.from_toml(scenario(study, '[robot]\nfile = "arm.urdf"\nwithin = ["/"]'))
    law = '[[laws]]\nlaw = "x"\nfile = "../other/laws.py"'
    with pytest.raises(sd.ScenarioError, match="lies outside the scenario's folder"):
        sd.Scenario.from_toml(scenario(study, law, 'robot = "ets7"'))
    assert not (study / "RAN").exists()
    with pytest.raises(sd.InputError, match="there is no folder"):
        sd.Scenario.from_toml(file, allow="nowhere")


XACRO = """<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="m" value="$(env SECRET)"/>
{0}</robot>"""


def test_a_robot_in_xacro_is_run_only_if_who_runs_it_allows_that(study, monkeypatch):
    monkeypatch.setenv("SECRET", "3")
    link = LINK.format("a", "").replace('mass value="2"', 'mass value="${m}"')
    (study / "arm.xacro").write_text(XACRO.format(link + LINK.format("b", "") + JOINT))
    ran = []
    expand = xacro.process_file
    monkeypatch.setattr(xacro, "process_file", lambda file: ran.append(file) or expand(file))
    file = scenario(study, 'robot = "arm.xacro"')
    for robot in ('robot = "arm.xacro"', '[robot.scene]\na = "arm.xacro"\nb = "ets7"'):
        with pytest.raises(sd.ScenarioError, match="is a program of xacro"):
            sd.Scenario.from_toml(scenario(study, robot))
    for command in ("run", "check", "show", "plot"):
        code, said = spacedyn(command, file)
        assert code in (1, 2) and "is a program of xacro" in said
    code, said = spacedyn("check", study / "arm.xacro")
    assert code == 0 and "was not run" in said
    assert not ran
    scenario(study, 'robot = "arm.xacro"')
    assert sd.Scenario.from_toml(file, xacro=True).build()["robot"].bodies[0].mass == 3.0
    assert spacedyn("show", file, "--xacro")[0] == 0
    assert spacedyn("show", study / "arm.xacro")[0] == 0  # named by whoever runs it
    assert len(ran) == 3


# --- what a scenario writes ------------------------------------------------------------------------------------------


def test_figures_stay_in_their_folder_whatever_endpoints_are_called(study):
    names = [f"{study.parent}/other/owned", "../../owned", "a.b\\c", "nul"]
    text = sd.load("tian_wu").to_toml()
    for name in names:
        text += f'[endpoints.{json.dumps(name)}]\nbody = "link3"\n'
    (study / "arm.toml").write_text(text)
    figures = json.dumps([[name] for name in names])
    file = scenario(study, f"[plots]\nfigures = {figures}", 'robot = "arm.toml"')
    before = set(study.parent.rglob("*"))
    code, said = spacedyn("run", file, "--plots", "out/figures")
    assert code == 0, said
    new = {path for path in set(study.parent.rglob("*")) - before if path.is_file()}
    assert len(new) == 4 and {path.parent for path in new} == {study / "out/figures"}


# --- what a run's file reads -----------------------------------------------------------------------------------------


def saved(study, how):
    robot = sd.load(study.parent / "other/m.urdf")
    assert robot.bodies[0].visuals
    if how == "file":
        sd.simulate(robot, robot.neutral_state(), 0.1).save(study / "run.nc")
        return study / "run.nc"
    sd.simulate(robot, robot.neutral_state(), 0.1, stream=study / "run")
    return study / "run"


@pytest.mark.parametrize("how", ["file", "stream"])
def test_a_run_names_meshes_in_its_own_folder_or_in_those_that_are_allowed(study, how):
    path = saved(study, how)
    with pytest.warns(sd.ModelWarning, match=r"1 meshes lie outside its folder.*m.obj'; .*folders="):
        bare = sd.Run.load(path)
    assert not bare.model.bodies[0].visuals
    whole = sd.Run.load(path, folders=[study.parent / "other"])
    assert whole.model.bodies[0].visuals[0].mesh == str(study.parent / "other/m.obj")
    assert bare.model == whole.model and np.array_equal(bare["x"], whole["x"])
    code, said = spacedyn("view", path, "--html", "film.html")
    assert code == 0 and "--allow FOLDER" in said
    assert "warning" not in spacedyn("view", path, "--html", "film.html", "--allow", "../other")[1]


def test_meshes_in_the_runs_own_folder_are_found(study):
    for name in ("m.obj", "m.urdf"):
        os.replace(study.parent / "other" / name, study / name)
    robot = sd.load(study / "m.urdf")
    sd.simulate(robot, robot.neutral_state(), 0.1).save(study / "run.nc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sd.Run.load("run.nc").model.bodies[0].visuals


def test_a_mesh_opens_no_file_outside_its_folder(study):
    """A glTF names its numbers by file."""
    numbers = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
    (study.parent / "other/secret.bin").write_bytes(numbers)
    (study / "near.bin").write_bytes(numbers)

    def gltf(uri):
        about = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "buffers": [{"uri": uri, "byteLength": len(numbers)}],
            "bufferViews": [{"buffer": 0, "byteLength": len(numbers)}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        }
        (study / "m.gltf").write_text(json.dumps(about))
        return Path(study / "m.gltf")

    assert len(read_mesh(gltf("near.bin"))[0].faces) == 1
    for uri in ("../other/secret.bin", str(study.parent / "other/secret.bin")):
        with pytest.raises(sd.InputError, match="cannot be read"):
            read_mesh(gltf(uri))
