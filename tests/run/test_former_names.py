"""Names that channels, attributes and arguments had before go on working, in programs and in files."""

import numpy as np
import pytest
from scipy.io import netcdf_file

import spacedyn as sd
from spacedyn.simulate.channels import FORMER_NAMES

ROBOT = sd.load("planar_four_link")


@sd.law(states={"sum": 2})
def count(t, s, p, out):
    out.sum[0] = 1.0
    out.tau[0] = 0.1


@pytest.fixture(scope="module")
def run():
    line = sd.Spring("base", "inertial", stiffness=20.0, damping=1.0, rest_length=0.1, point=(0, 0.3, 0), name="line")
    return sd.simulate(ROBOT, ROBOT.state(qd=[0.2, 0, 0, 0]), 0.5, laws=[count()], elements=[line], record=0.1)


def test_channels_by_their_former_names(run):
    for former, present in FORMER_NAMES.items():
        np.testing.assert_array_equal(run[former], run[present])
    assert run["element_work"].any() and run["element_energy"].any() and run["law_states"].any()
    chosen = sd.simulate(ROBOT, ROBOT.neutral_state(), 0.1, channels=["force_work", "states"])
    assert chosen.simulation.channels == ("t", "x", "u", "law_states", "element_work")


def test_figures_by_their_former_names(run):
    from spacedyn.show.plots.curves import panels

    for former, present in (("force_work", "element_work"), ("force_energy.line", "element_energy.line")):
        (old,), (new,) = panels(run, former), panels(run, present)
        assert old.title == new.title
        np.testing.assert_array_equal(old.values, new.values)


def test_attributes_by_their_former_names(run):
    assert run.forces is run.elements and run.elements[0].label == "line"
    energy = run.energy()
    assert energy.elastic is energy.stored
    np.testing.assert_allclose(energy.stored, run["element_energy"][:, 0], rtol=1e-12)


def test_a_planets_gravity_is_stored_energy_and_not_that_of_uniform_gravity():
    planet = sd.CentralGravity(mu=1.0, center=(10.0, 0.0, 0.0))
    energy = sd.simulate(ROBOT, ROBOT.neutral_state(), 0.1, elements=[planet]).energy()
    assert np.all(energy.stored < 0.0) and np.all(energy.gravitational == 0.0)


def test_a_file_with_former_names_is_read(run, tmp_path):
    run.save(tmp_path / "now.nc")
    former = {present: former for former, present in FORMER_NAMES.items()}
    with netcdf_file(tmp_path / "now.nc", "r", mmap=False) as now, netcdf_file(tmp_path / "before.nc", "w") as before:
        for name, size in now.dimensions.items():
            before.createDimension("force" if name == "element" else name, size)
        for name, one in now.variables.items():
            dimensions = ["force" if dim == "element" else dim for dim in one.dimensions]
            made = before.createVariable(
                "force" if name == "element" else former.get(name, name), one.data.dtype, dimensions
            )
            made[...] = one.data
        for name, text in now._attributes.items():
            if name == "spacedyn_origin":
                for present, old in former.items():
                    assert f'"{present}"'.encode() in text
                    text = text.replace(f'"{present}"'.encode(), f'"{old}"'.encode())
            setattr(before, name, text)
    again = sd.Run.load(tmp_path / "before.nc")
    assert again.simulation.channels == run.simulation.channels
    for name in run.simulation.channels:
        np.testing.assert_array_equal(again[name], run[name])


def test_a_motor_by_the_former_name_of_its_torque():
    motor = sd.Motor("joint1", most_torque=2.0)
    assert motor.stall_torque == 2.0 and motor.most_torque == 2.0
    with pytest.raises(sd.InputError, match="Motor: stall_torque must be a number"):
        sd.Motor("joint1", most_torque="2")
    content = {"robot": "planar_four_link", "duration": 0.1}
    made = sd.Scenario(**content, elements=[{"kind": "motor", "joint": "joint1", "most_torque": 2.0}])
    assert made.build()["elements"][0].stall_torque == 2.0
