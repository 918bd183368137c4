"""Golden data of the original SpaceDyn in the shapes of MATLAB, and random robots that it can describe."""

import json

import numpy as np

from paths import GOLDEN
from random_trees import random_frame, random_inertia, random_rotation
from spacedyn.classic import LinkParameters, StateVariables, init_SV, set_globals
from spacedyn.model.build import Builder
from spacedyn.model.model import Model

MODELS = ("model_a_6R_free_base", "model_b_two_arms_3R_RRP", "model_c1_PPP")
ARGUMENTS = ("BB", "J_type", "c0", "cc", "ce", "SE", "Qi", "Qe", "m0", "m", "inertia0", "inertia", "SS", "S0")
RATES = ("R0", "A0", "v0", "w0", "q", "qd")

Array = np.ndarray


def golden(name: str) -> dict:
    return json.loads((GOLDEN / f"{name}.json").read_text())


def columns(rows) -> Array:
    """A table with a row for each link, as MATLAB has it: 3 x n."""
    return np.array(rows, dtype=float).reshape(-1, 3).T


def blocks(matrices) -> Array:
    """Matrices of links side by side."""
    return np.hstack([np.array(matrix, dtype=float) for matrix in matrices])


def matlab(data: dict) -> dict:
    """The arrays of a golden file's model in MATLAB's shapes."""
    given = {key: data[key] for key in ARGUMENTS}
    given |= {key: columns(data[key]) for key in ("c0", "ce", "Qi", "Qe")}
    given |= {"cc": np.moveaxis(np.array(data["cc"], dtype=float), -1, 0), "inertia": blocks(data["inertia"])}
    given |= {"BB": np.array([data["BB"]]), "J_type": "".join(data["J_type"])}
    return given | {"num_q": data["n"], "mass": data["mass_total"]}


class Case:
    """One golden file: LP, SV, and the plain arguments by name."""

    def __init__(self, name: str):
        self.data = golden(name)
        self.LP = LinkParameters(**matlab(self.data["model"]))
        self.n = self.LP.num_q
        loads, state, given = self.data["loads"], self.data["state"], self.data["accelerations_input"]
        self.v = {key: np.array(value, dtype=float) for key, value in (state | given | loads).items() if key != "note"}
        self.v["Fe"], self.v["Te"] = columns(loads["Fe"]), columns(loads["Te"])
        self.outputs = self.data["outputs"]
        kinematics = self.outputs["kinematics"]
        self.v["AA"] = blocks(kinematics["AA"])
        self.v |= {key: columns(kinematics[key]) for key in ("RR", "vv", "ww", "vd", "wd")}
        set_globals(self.LP, Gravity=self.v["Gravity"], d_time=0.01)

    def SV(self) -> StateVariables:
        SV = init_SV(self.LP)
        for name in (*RATES, "Q0", "vd0", "wd0", "qdd", "F0", "T0", "Fe", "Te", "tau"):
            setattr(SV, name, self.v[name].copy())
        return SV

    def plain(self, names: str) -> list[Array]:
        return [self.v[name] for name in names.split()]

    @property
    def ends(self) -> list[dict]:
        return self.outputs["endpoints"]["list"]


def close(found, wanted, bound: float = 1e-12) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape, f"shape {found.shape}, not {wanted.shape}"
    error = np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted))
    assert error.max(initial=0.0) <= bound, f"error {error.max():.2e}"


def random_robot(rng: np.random.Generator, n: int, ends: float = 0.5) -> Model:
    """A random tree that SpaceDyn's arrays can hold: joints that turn or slide about z, some links with an endpoint."""
    builder = Builder(f"random tree of {n}")
    builder.base("base", **random_inertia(rng, scale=3.0))
    names = ["base", *(f"link{i}" for i in range(1, n + 1))]
    for i in range(1, n + 1):
        builder.body(names[i], **random_inertia(rng))
        parent = names[int(rng.integers(max(0, i - 4), i))]
        kind = str(rng.choice(["revolute", "prismatic"]))
        builder.joint(f"joint{i}", kind, parent=parent, child=names[i], **random_frame(rng, 0.6))
    count = 0
    for i in range(1, n + 1):
        if rng.random() < ends or (i == n and count == 0):
            count += 1
            builder.endpoint(f"endpoint{count}", body=names[i], **random_frame(rng, 0.4))
    return builder.build()


def random_SV(rng: np.random.Generator, LP: LinkParameters, loads: bool = True) -> StateVariables:
    SV = init_SV(LP)
    SV.A0 = random_rotation(rng).as_matrix()
    for name in ("R0", "v0", "w0", "vd0", "wd0", "q", "qd", "qdd", *(("F0", "T0", "tau") if loads else ())):
        setattr(SV, name, rng.normal(size=getattr(SV, name).shape))
    if loads:
        SV.Fe, SV.Te = (rng.normal(size=(3, LP.num_q)) * LP.SE for _ in range(2))
    return SV
