"""Figures of the pages in docs/flights: `python docs/take_pictures.py NAME` draws one of them anew."""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

import spacedyn as sd


def ets7_paddles() -> Figure:
    """The satellite's turn and a paddle's bend, of three flights."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    flights = {"free": "ets7_paddles", "held by wheels": "ets7_paddles_wheels", "reactionless": "ets7_paddles_quiet"}
    for label, name in flights.items():
        run = sd.Scenario.from_toml(name).run(progress=False)
        base = run.body("base")
        tip = run.endpoint("paddle_left_tip").position - base.position
        left.plot(run.time, np.degrees(run.states.base_attitude.magnitude()), label=label)
        right.plot(run.time, 1000 * (np.einsum("tji,tj->ti", base.rotation, tip)[:, 2] + 0.3), label=label)
    left.set(xlabel="time [s]", ylabel="turn of the satellite [deg]")
    right.set(xlabel="time [s]", ylabel="bend of a paddle's tip [mm]")
    left.legend()
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {made.__name__: made for made in (ets7_paddles,)}
"""By the name of their page."""
