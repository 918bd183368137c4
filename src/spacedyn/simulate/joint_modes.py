"""Modes of a joint, `sd.Mode`: what laws write to `out.mode`, read in `s.mode`, and runs hold in the channel 'mode'.

Plain integers in a module, so that compiled laws can use them as `sd.Mode.LOCKED`.

>>> import spacedyn as sd
>>> sd.Mode.FREE, sd.Mode.LOCKED, sd.Mode.PRESCRIBED
(1, 2, 3)
"""

from ..kernels.sim import codes as _codes

FREE: int = _codes.MODE_FREE
"""The joint moves as forces make it."""
LOCKED: int = _codes.MODE_LOCKED
"""The joint stays where it is."""
PRESCRIBED: int = _codes.MODE_PRESCRIBED
"""The joint follows the motion that `simulate(prescribed=...)` gives."""

__all__ = ["FREE", "LOCKED", "PRESCRIBED"]
