"""SpaceDyn's own functions by name, for porting scripts: v1 with plain arguments, v2 with LP and SV.

Vectors are (3,) or (n,), rows and columns are taken too; tables of links are 3 x n as in MATLAB, attitudes of links
3 x 3n. Links, joints and endpoints are counted from 1. Each function calls the core of the package, and is right also
where the original is not: docs/coming_from_spacedyn.md lists that, and the modern name of each.
"""

from .dynamic_integrators import f_dyn_nb, f_dyn_nb2, f_dyn_rk, f_dyn_rk2, f_dyn_tr
from .dynamics import calc_gh, calc_hh, f_dyn, f_dyn_f0, i_dyn, r_ne
from .integrators import int_eu, int_eu2, int_sr, int_sr2
from .inverse_kinematics import i_kine
from .jacobians import calc_gj, calc_gj11, calc_je, calc_jr, calc_jre, calc_jt, calc_jte
from .kinematics import calc_aa, calc_acc, calc_pos, calc_vel, f_kin_e, f_kin_j, j_num
from .parameters import LinkParameters, Topology, parents, topology
from .rotations import aw, cross, cx, cy, cz, dc2eul, dc2qtn, dc2rpy, eul2dc, qtn2dc, rpy2dc, tilde, tr2diff, w2dQtn
from .surroundings import Ez, set_globals
from .variables import StateVariables, init_SV

__all__ = [
    "Ez",
    "LinkParameters",
    "StateVariables",
    "Topology",
    "aw",
    "calc_aa",
    "calc_acc",
    "calc_gh",
    "calc_gj",
    "calc_gj11",
    "calc_hh",
    "calc_je",
    "calc_jr",
    "calc_jre",
    "calc_jt",
    "calc_jte",
    "calc_pos",
    "calc_vel",
    "cross",
    "cx",
    "cy",
    "cz",
    "dc2eul",
    "dc2qtn",
    "dc2rpy",
    "eul2dc",
    "f_dyn",
    "f_dyn_f0",
    "f_dyn_nb",
    "f_dyn_nb2",
    "f_dyn_rk",
    "f_dyn_rk2",
    "f_dyn_tr",
    "f_kin_e",
    "f_kin_j",
    "i_dyn",
    "i_kine",
    "init_SV",
    "int_eu",
    "int_eu2",
    "int_sr",
    "int_sr2",
    "j_num",
    "parents",
    "qtn2dc",
    "r_ne",
    "rpy2dc",
    "set_globals",
    "tilde",
    "topology",
    "tr2diff",
    "w2dQtn",
]
