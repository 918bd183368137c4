"""Laws, conditions, actions and forces that several test modules need."""

import numpy as np

import spacedyn as sd

G = 9.81
DOWN = (0.0, 0.0, -G)
"""Gravity along -z [m/s²]."""


@sd.law
def ramp(t, s, p, out):
    out.tau[0] = p.slope * t


@sd.law(states={"low": 1})
def low_pass(t, s, p, out):
    out.low[0] = (1.0 - s.low[0]) / p.lag
    out.tau[0] = s.low[0]


@sd.law(period=0.1, states={"total": 1, "last": 2})
def integrator(t, s, p, out):
    out.total[0] = s.total[0] + p.gain * t
    out.last[0] = s.last[1]
    out.last[1] = t
    out.tau[0] = out.total[0]


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - p.at


def bounce(e: float):
    """Back up, with a part e of the speed."""
    return lambda t, state: state.replace(qd=-e * state.qd)


def everything(model):
    """Forces of all kinds on bodies of a robot."""
    bodies, rng = model.body_names, np.random.default_rng(1)
    point = lambda: rng.normal(size=3)  # noqa: E731
    return [
        sd.Wrench(bodies[0], force=point(), moment=point(), point=point()),
        sd.Wrench(bodies[-1], force=point(), moment=point(), point=point(), frame="body", start=0.1, stop=0.33),
        sd.Spring(
            bodies[1], bodies[-2], stiffness=3.0, damping=0.4, rest_length=0.5, point=point(), other_point=point()
        ),
        sd.Spring(bodies[2], stiffness=2.0, damping=0.2, rest_length=0.1, point=point(), other_point=point()),
        sd.Tether(bodies[0], bodies[-1], stiffness=5.0, rest_length=1.0, point=point(), other_point=point()),
        sd.Drag(bodies[-1], linear=(0.2, 0.1, 0.4), angular=0.3),
        sd.Wrench(bodies[2], force=point(), moment=point(), point=point(), frame=bodies[-1]),
    ]
