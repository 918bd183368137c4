"""Robots that differ, `Model.vary`, against as many that are alike: both in packs, the same states and forces.

Masses, centres of mass, moments of inertia and places of joints of every link differ from robot to robot.
"""

from typing import Any

import numpy as np

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES

from .cases import Case
from .laws import hold
from .simulation import GAINS, STEP
from .timing import Contestant

MANY = 1024  # robots; what they differ in, 2 MB, passes by the second-level cache
SECONDS = 4  # simulated: long enough that steps count, not the call
SPREAD = 0.05


def fleet(model: sd.Model, count: int) -> sd.Model:
    """So many robots of which none is like another."""
    rng = np.random.default_rng(4)

    def near(value: Any) -> np.ndarray:
        value = np.asarray(value)
        factor = rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, count)
        return factor.reshape(count, *[1] * value.ndim) * value

    links = model.bodies[1:]
    return model.vary(
        mass={link.name: near(link.mass) for link in links},
        com={link.name: near(link.com) for link in links},
        inertia={link.name: near(link.inertia) for link in links},
        position={joint.name: near(joint.position) for joint in model.joints},
    )


def forward(case: Case) -> dict[str, Contestant]:
    """Forward dynamics of many: of a fleet, and of as many robots of one model."""
    return {"packs": _forward(case, fleet(case.model, MANY)), "alike": _forward(case, case.model)}


def _forward(case: Case, model: sd.Model) -> Contestant:
    count = MANY
    alike = case.state[:count]
    state = model.state(
        base_position=alike.base_position, base_quaternion_xyzw=alike.base_quaternion_xyzw, q=alike.q,
        base_velocity=alike.base_velocity, base_rate=alike.base_rate, qd=alike.qd,
    )  # fmt: skip
    names = {"f": sd.forward_dynamics, "model": model, "state": state, "tau": case.tau[:count].copy()}
    return Contestant("f(model, state, tau)", names, count)


def simulate(case: Case) -> dict[str, Contestant]:
    """A pack for a second at 1 kHz under a law: of robots that differ, and of robots that are alike."""
    options = {"laws": [hold(**GAINS)], "method": sd.RungeKutta4(STEP), "record": float(SECONDS), "progress": False}
    found = {}
    for who, model in (("packs", fleet(case.model, LANES)), ("alike", case.model)):
        q = 0.3 + 0.01 * np.random.default_rng(0).normal(size=(LANES, case.model.n))
        state = model.state(q=q, base_rate=np.full((LANES, 3), [0.01, 0.02, 0.03]))
        names = {"f": sd.simulate, "model": model, "state": state, "options": options, "seconds": float(SECONDS)}
        found[who] = Contestant("f(model, state, seconds, **options)", names, SECONDS * LANES)
    return found
