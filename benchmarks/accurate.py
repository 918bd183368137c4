"""Ten seconds of free motion to the same achieved error: our default method, and SciPy's DOP853 around Pinocchio.

Both are the same pair of orders 8(5,3). SciPy's tolerance is the loosest of a series that reaches our error, measured
against a run with tolerances near rounding. A user of Pinocchio integrates the quaternion's components; the vector's
derivative is written as such a user would.
"""

from typing import Any

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import spacedyn as sd

from .cases import Case
from .timing import Contestant

SECONDS = 10.0


def contestants(case: Case) -> dict[str, Contestant]:
    """Each for ten simulated seconds; a figure is the time for one of them."""
    model = case.model
    start = model.state(
        q=np.linspace(-0.5, 0.6, model.n), qd=np.linspace(0.4, -0.3, model.n), base_rate=[0.05, -0.03, 0.02]
    )
    options = {"record": SECONDS, "progress": False}
    tight = sd.simulate(model, start, SECONDS, method=sd.DormandPrince8(rtol=3e-14, atol=1e-15), **options).final
    wanted = _vector(tight)
    ours = np.abs(_vector(sd.simulate(model, start, SECONDS, **options).final) - wanted).max()
    robot = case.pinocchio[0].getModel(0)
    field, first = _field(robot), _vector(start)
    for rtol in 10.0 ** -np.arange(8.0, 14.0):
        tolerances = {"rtol": max(rtol, 2.3e-14), "atol": 0.1 * rtol}
        found = solve_ivp(field, (0.0, SECONDS), first, method="DOP853", t_eval=[SECONDS], **tolerances).y[:, -1]
        error = np.abs(found - wanted).max()
        if error <= ours:
            break
    statement = "f(field, (0.0, seconds), first, method='DOP853', t_eval=[seconds], **tolerances)"
    names: dict[str, Any] = {"f": solve_ivp, "field": field, "first": first, "seconds": SECONDS}
    return {
        "float64": Contestant(
            "f(model, state, seconds, **options)",
            {"f": sd.simulate, "model": model, "state": start, "seconds": SECONDS, "options": options},
            int(SECONDS),
        ),
        "pinocchio": Contestant(statement, {**names, "tolerances": tolerances}, int(SECONDS)),
    }


def _vector(state: sd.State) -> np.ndarray:
    """Positions and rates as Pinocchio has them: base rates in the base's axes."""
    turn = Rotation.from_quat(state.base_quaternion_xyzw).inv()
    rates = [turn.apply(state.base_velocity.copy()), turn.apply(state.base_rate.copy()), state.qd]
    return np.concatenate([state.base_position, state.base_quaternion_xyzw, state.q, *rates])


def _field(robot: Any) -> Any:
    """The derivative of that vector."""
    data, none = robot.createData(), np.zeros(robot.nv)

    def field(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: robot.nq].copy(), y[robot.nq :]
        x, y_, z, w = q[3:7]
        a, b, c = v[3:6]
        rate = np.empty_like(y)
        rate[:3] = pin.Quaternion(q[3:7]).normalized().matrix() @ v[:3]
        rate[3:7] = (
            0.5 * (w * a + y_ * c - z * b),
            0.5 * (w * b + z * a - x * c),
            0.5 * (w * c + x * b - y_ * a),
            -0.5 * (x * a + y_ * b + z * c),
        )
        rate[7 : robot.nq] = v[6:]
        q[3:7] /= np.linalg.norm(q[3:7])
        rate[robot.nq :] = pin.aba(robot, data, q, v, none)
        return rate

    return field
