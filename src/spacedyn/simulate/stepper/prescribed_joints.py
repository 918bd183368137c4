"""Joints that are or may be held, as the kernels read them."""

from collections.abc import Callable

import numpy as np

from ...elements.prescribed import Prescribed
from ...kernels.sim import layout as p
from ...laws.compile import Compiled, compile_law, used_names
from ...laws.motion_functions import Motion
from ...model.model import Model

Array = np.ndarray


def lay_out(
    model: Model, joints: list[Prescribed], counter: int, put: Callable, put_integers: Callable
) -> tuple[Array, list[Compiled], Array]:
    """Records for the plan, compiled functions, and the times that steps must end at."""
    records = np.zeros((len(joints), p.JOINT_INTS), dtype=np.int64)
    compiled, breaks = [], [np.empty(0)]
    for i, one in enumerate(joints):
        record = records[i]
        record[p.J_RATE], record[p.J_COORDINATE] = model.u_slice(one.joint).start, 7 + model.q_slice(one.joint).start
        record[p.J_COUNT], record[p.J_PIECE], record[p.J_ATTITUDE] = one.size, counter + i, one.attitude
        if one.given is None:
            record[p.J_KIND] = p.NO_MOTION
        elif isinstance(one.given, Motion):
            code = compile_law(one.given)
            compiled.append(code)
            record[p.J_KIND], record[p.J_ADDRESS] = p.FUNCTION, code.address
            record[p.J_NUMBERS] = put(*one.given.parameters.values(), [0.0])
            record[p.J_PLACES] = put_integers(_places(one, one.given))
        else:
            path = one.given
            record[p.J_KIND], record[p.J_PIECES] = p.PIECEWISE, len(path.coefficients)
            record[p.J_DEGREE] = path.coefficients.shape[2] - 1
            record[p.J_NUMBERS] = put(path.breaks, path.coefficients)
            breaks.append(path.breaks)
    return records, compiled, np.unique(np.concatenate(breaks))


def _places(one: Prescribed, motion: Motion) -> list[int]:
    """The table that a motion's function is called with: sizes of its input and output, then places of the parts."""
    ends = np.cumsum([0, one.size + one.attitude, one.size, one.size]).tolist()
    written = {"value": ends[0:2], "rate": ends[1:3], "acceleration": ends[2:4]}
    return [0, ends[3], *(end for name in used_names(motion)[1] for end in written[name])]
