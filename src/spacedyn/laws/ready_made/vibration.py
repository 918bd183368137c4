"""Ready-made damping of vibrations: flexible joints are quieted by the reaction of driven ones."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.state import State
from ...signatures import checked_arguments
from ..law import Law
from .arguments import MEANT, number, numbers
from .cores import whole_body as cores
from .endpoint import settings
from .leading import Driven, law_around

_QUIET = law_around(cores.quiet_flexible_joints, "vibration_damping")


@checked_arguments(**MEANT)
def vibration_damping(
    model: Model,
    state: State,
    *,
    flexible: Iterable[str],
    joints: Iterable[str],
    time_constant: float = 5.0,
    posture: float = 0.5,
    home_bandwidth: float = 0.05,
    singular: float | None = None,
    on_singular: str = "damp",
    others: str = "free",
    gravity: ArrayLike | None = None,
    period: float | None = None,
    delay: float = 0.0,
) -> Law:
    """Damp vibrations of flexible joints, of a long arm or a flexible base, by the reaction of other joints.

    Accelerations of the driven joints are such that those of the flexible ones are by -g × their rates more than they
    would be: with as many driven joints as flexible ones, every vibration dies away by e^(-t/time_constant), whatever
    its frequency. Nenchev, Yoshida, Vichitkulsawat & Uchiyama (1999). It cannot damp a flexible joint that the driven
    ones do not move (a singular coupling), and with fewer joints than vibrations it damps some of these.

    Parameters
    ----------
    model, state, on_singular, others, gravity, period, delay
        As in `resolved_rate`. Flexible joints are those with springs in the model; they are free, also where `others`
        are held, as the joints of a long arm are by its motors or brakes.
    flexible : names
        Joints whose vibration is to die away.
    joints : names
        Joints that it drives: a small arm at the end of a long one.
    time_constant : float
        In which vibrations fall by a factor of e [s].
    posture : float
        Bandwidth [rad/s] with which driven joints go home as far as flexible ones do not notice.
    home_bandwidth : float
        The same of what they do notice; well below the vibrations.
    singular : float, optional
        Threshold of singular values of the coupling [rad/rad]; 1/20 of the largest in the state if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("mini on a spring", base="fixed")
    >>> b.base("wall", mass=1.0, inertia=(1, 1.2, 1.4))
    >>> boom = {"mass": 50.0, "com": (1, 0, 0), "inertia": (1, 20, 20), "stiffness": 400.0}
    >>> b.link("boom", "revolute", parent="wall", axis=(0, 0, 1), **boom)
    >>> mini = {"mass": 5.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.4, 0.4)}
    >>> b.link("mini", "revolute", parent="boom", position=(2, 0, 0), axis=(0, 0, 1), **mini)
    >>> robot = b.build()
    >>> start = robot.state(q=[0.02, 1.2])
    >>> law = sd.control.vibration_damping(robot, start, flexible=["boom"], joints=["mini"], time_constant=4.0)
    >>> run = sd.simulate(robot, start, 20.0, laws=[law])
    >>> bool(abs(run.states.q[run.time > 16.0, 0]).max() < 0.02 * np.exp(-3.5))
    True
    """
    name = "vibration_damping"
    driven = Driven(name, model, state, list(joints) if not isinstance(joints, str) else [joints], others)
    soft = Driven(name, model, state, list(flexible) if not isinstance(flexible, str) else [flexible])
    if set(soft.active) & set(driven.active):
        raise InputError(f"{name}: a joint cannot be flexible and driven; name each in one list")
    driven.given = [rate for rate in driven.given if rate not in soft.active]
    rows = driven.reaction[soft.active]
    epsilon = driven.threshold(singular, rows, 0.05)
    rate = 2.0 / numbers(name, "time_constant", time_constant, 1, least=1e-9)
    gains = np.append(np.repeat(rate, soft.size), number(name, "home_bandwidth", home_bandwidth, least=0.0))
    keep = number(name, "posture", posture, least=0.0)
    return _QUIET(
        **driven.plant(gravity, flexible=soft.active),
        **driven.common(cores.quiet_flexible_joints, on_singular, epsilon, rows, period),
        settings=settings(driven.size, driven.home, FIRST=epsilon, POSTURE=keep),
        path=gains,
        period=period,
        delay=delay,
    )
