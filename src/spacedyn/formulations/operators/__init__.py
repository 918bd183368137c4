"""Spatial operator algebra: the mass matrix and its inverse as products of operators that apply in O(n).

    mass matrix = H phi M phi' H' + J = (1 + H phi K) D (1 + H phi K)'
    its inverse = (1 - H psi K)' D⁻¹ (1 - H psi K)

`SpatialOperators(model, state)` holds the factors that the core's forward dynamics makes; its operators are applied
to arrays by `@`, multiplied and added like matrices, and made dense for inspection. See docs/theory/operators.md.
"""

from .algebra import Operator
from .base import BaseRates, base_acceleration, base_rates
from .dynamics import Smoothed, filter_smoother, motion_forces
from .endpoints import operational_compliance, operational_inertia
from .spatial import SpatialOperators

__all__ = [
    "BaseRates",
    "Operator",
    "Smoothed",
    "SpatialOperators",
    "base_acceleration",
    "base_rates",
    "filter_smoother",
    "motion_forces",
    "operational_compliance",
    "operational_inertia",
]
