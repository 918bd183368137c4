"""Whether the loops of a simulation are closed where it starts."""

from collections.abc import Iterable

import numpy as np

from ..errors import InputError
from .simulation import Simulation
from .stepper.row_values import look_at_rows, owners_of_rows
from .stepper.stepper import Stepper


def check_closed(simulation: Simulation, steppers: Iterable[Stepper], tolerance: float = 1e-9) -> None:
    """Raise unless all loops are closed where a simulation starts."""
    for stepper in steppers:
        found, owners = look_at_rows(stepper), owners_of_rows(stepper)
        for what, values in (("open", found.residual), ("opening", found.rate)):
            most = np.abs(values[:, : stepper.robots])
            if np.all(most <= tolerance * (1.0 if what == "open" else 1.0 + stepper.largest_rates().max(initial=0.0))):
                continue
            j, lane = np.unravel_index(int(np.nanargmax(most)), most.shape)
            name = simulation.layout.names[owners[int(j)]]
            unit = "m or rad" if what == "open" else "m/s or rad/s"
            who = f" of robot {stepper.first + int(lane)}" if simulation.shape else ""
            raise InputError(
                f"loop '{name}'{who} is {what} at the start, by {most[j, lane]:.3g} {unit}; take the nearest state in "
                "which it is not: state = sd.assemble(model, state, elements)"
            )
