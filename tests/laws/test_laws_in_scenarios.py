"""Ready-made laws in scenario files: paths of endpoints as tables, and what is wrong with them by name."""

import numpy as np
import pytest

import spacedyn as sd

TEXT = """
robot = "ets7"
duration = 4.0
record = 1.0

[state]
q = [0.3, 0.4, -0.8, 0.2, 1.0, 0.1]

[[laws]]
law = "resolved_acceleration"
endpoint = "hand"
path = { kind = "screw", point = [0.5, 0.0, 2.0], axis = [0, 0, 1], angle = 0.2, pitch = 0.1, duration = 4.0 }
follow = ["x", "y", "z"]
"""


def test_a_path_is_a_table_in_a_scenario(tmp_path):
    file = tmp_path / "screw.toml"
    file.write_text(TEXT)
    scenario = sd.Scenario.from_toml(file)
    run = scenario.run()
    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1])
    path = sd.endpoint_screw(
        *sd.endpoint_pose(robot, start, "hand")[:2], point=[0.5, 0.0, 2.0], axis=[0, 0, 1], angle=0.2, pitch=0.1,
        duration=4.0,
    )  # fmt: skip
    assert np.abs(run.endpoint("hand").position[-1] - path.at(4.0).position).max() < 1e-6
    assert '"kind": "screw"' in scenario.to_python() or "'kind': 'screw'" in scenario.to_python()


def test_what_is_wrong_with_a_path_is_said_by_name(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(TEXT.replace("pitch = 0.1, ", "pich = 0.1, "))
    with pytest.raises(sd.SpacedynError, match="did you mean 'pitch'"):
        sd.Scenario.from_toml(file).run()


def test_an_outlet_is_a_table_in_a_scenario():
    text = sd.Scenario.from_toml("wheel_turn").to_toml()
    names = '["wheel1", "wheel2", "wheel3", "wheel4"]'
    text = text.replace('law = "wheel_motor_attitude_hold"', 'law = "attitude_hold"')
    text = text.replace(f"wheels = {names}", f"through = {{ wheels = {names}, torque = 0.04 }}")
    assert "through" in text
    folder = sd.Scenario.from_toml("wheel_turn").folder
    run = sd.Scenario.from_toml(text, folder=folder, change=["duration=400", "record=10"]).run()
    assert np.allclose(run.final.base_attitude.as_euler("XYZ", degrees=True), [100.0, 30.0, -40.0], atol=0.05)
    assert np.abs(run["torque"]).max() <= 0.04 * (1 + 1e-12)
    assert run["attitude_hold0.missing"].shape[1] == 4
