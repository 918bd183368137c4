"""How results are compared with MuJoCo's."""

import re

import numpy as np

import spacedyn as sd

BOUND = 1e-10


def near(found, wanted) -> None:
    wanted = np.asarray(wanted)
    error = np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))
    assert error <= BOUND, f"relative error {error:.2e}"


def without_friction(model: sd.Model) -> sd.Model:
    return sd.Model.from_toml(re.sub(r"\nfriction = .*", "", model.to_toml()))
