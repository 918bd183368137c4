"""An encoder: the coordinate of a joint."""

from .kind import coordinate, kind, own
from .sensor import OWN_INTEGERS, error, read

COORDINATE = OWN_INTEGERS  # its integer


@kind
def encoder(sim, e, t, y, k, zero):
    """Measure."""
    q = coordinate(sim, own(sim, e, COORDINATE), zero)
    read(sim, e, 0, q + error(sim, e, 0, y, zero), y, zero)
