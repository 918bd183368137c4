"""The golden files of the original SpaceDyn: robot, state, loads and results."""

import json

import numpy as np
from scipy.spatial.transform import Rotation

import spacedyn as sd
from paths import GOLDEN

MODELS = ("model_a_6R_free_base", "model_b_two_arms_3R_RRP", "model_c1_PPP")

ARGUMENTS = ("BB", "J_type", "c0", "cc", "ce", "SE", "Qi", "Qe", "m0", "m", "inertia0", "inertia")


class Case:
    """One golden file: the robot and the state that it speaks of, the loads, and what came out."""

    def __init__(self, name: str, batch: tuple[int, ...] = ()):
        data = json.loads((GOLDEN / f"{name}.json").read_text())
        model, state, self.wanted = data["model"], data["state"], data["outputs"]
        self.model = sd.Model.from_arrays(**{key: model[key] for key in ARGUMENTS}, name=name)
        self.batch = batch
        self.state = self.model.state(
            base_position=self.many(state["R0"]),
            base_attitude=Rotation.from_matrix(state["A0"]),
            q=state["q"],
            base_velocity=state["v0"],
            base_rate=state["w0"],
            qd=state["qd"],
        )
        given, loads = data["accelerations_input"], data["loads"]
        self.udot = np.concatenate([given["vd0"], given["wd0"], given["qdd"]])
        self.gravity, self.tau = loads["Gravity"], loads["tau"]
        self.base_wrench = np.concatenate([loads["F0"], loads["T0"]])
        wrenches = np.hstack([loads["Fe"], loads["Te"]])  # a row for every link, whether it has an endpoint or not
        self.wrenches = {f"endpoint{k + 1}": wrenches[e["link"] - 1] for k, e in enumerate(self.ends)}

    @property
    def ends(self) -> list[dict]:
        return self.wanted["endpoints"]["list"]

    def many(self, value) -> np.ndarray:
        return np.broadcast_to(value, (*self.batch, *np.shape(value)))

    def agrees(self, found, wanted) -> None:
        """Hold the bound in every number of every robot of the batch."""
        found, wanted = np.asarray(found), self.many(np.asarray(wanted, dtype=float))
        assert found.shape == wanted.shape
        error = np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted))
        assert error.max() <= 1e-12, f"error {error.max():.2e}"
