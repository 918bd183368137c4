"""The equations of motion in closed form, without singularities, after From, Pettersen & Gravdahl (2011).

    M(q) v̇ + C(q, v) v = τ,    v = (Ṽ, q̇),    V = H Ṽ the base's twist in its own axes

The base's configuration is an element of SE(3), SO(3) or another subgroup, its velocity a twist in the base's axes
about its centre of mass: linear first, as everywhere. The selection matrix H (6, m) spans the subgroup's twists. M
depends on the joints alone, its partial derivatives are those of adjoint matrices, and C follows from them: dense
matrices, no recursion, NumPy only. It is a formulation of its own, to look into the equations and to check the core
by; the core's functions are faster and have v0 and ω0 in inertial axes. Every function takes one state or a batch.

All joint kinds are admitted: those of several coordinates are a sequence of twists, and a spherical or free joint has
its attitude in SO(3), as the base has. Equations, and where the paper's print is wrong: docs/theory/lagrangian.md.
"""

from .equations import coriolis_matrix, forward_dynamics, mass_matrix, mass_matrix_derivatives, velocity
from .reduced import Attitude, Reduced, attitude_equations, reduced_equations
from .twists import SE2, SE3, SO3

__all__ = [
    "SE2",
    "SE3",
    "SO3",
    "Attitude",
    "Reduced",
    "attitude_equations",
    "coriolis_matrix",
    "forward_dynamics",
    "mass_matrix",
    "mass_matrix_derivatives",
    "reduced_equations",
    "velocity",
]
