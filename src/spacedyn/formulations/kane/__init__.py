"""Kane's method: partial velocities, generalized inertia and active forces, prescribed motions eliminated.

    F_r + F*_r = 0,   F*_r = -Σ (m a · v_r + (I α + ω × I ω) · ω_r)        over all bodies, for every rate u_r

The generalized speeds are the rates u = (v0, ω0, q̇) of docs/notation.md. Everything is made from the bodies' Jacobians
and accelerations, dense and without a recursion over forces: a second way to what `dynamics` computes. T. R. Kane,
D. A. Levinson, Dynamics, McGraw-Hill, 1985; docs/theory/kane.md. Every function takes one state or a batch.
"""

from .equations import Equations, equations_of_motion, prescribed_dynamics
from .forces import generalized_active_forces, generalized_inertia_forces
from .partial import PartialVelocities, partial_velocities, partial_velocity_table

__all__ = [
    "Equations",
    "PartialVelocities",
    "equations_of_motion",
    "generalized_active_forces",
    "generalized_inertia_forces",
    "partial_velocities",
    "partial_velocity_table",
    "prescribed_dynamics",
]
