"""SpaceDyn's own sample, line by line: two arms of three joints each reach out while their base floats free.

MATLAB's globals are `LP` here, handed over by `set_globals`, and its cc(:,1,2) is cc[:, 0, 1]; otherwise the calls are
those of version 1. docs/coming_from_spacedyn.md explains it, and has it in the styles of version 2 and of today.
"""

import warnings

import numpy as np

import spacedyn as sd
from spacedyn.classic import LinkParameters, calc_aa, calc_pos, f_dyn_rk2, f_kin_e, j_num, set_globals

# Links 1, 2, 3 in a row on the base, and links 4, 5, 6. SS and S0 say the same as BB and may be left out.
BB = [0, 1, 2, 0, 4, 5]
SE = [0, 0, 1, 0, 0, 1]
J_type = "RRPRRP"

# Masses, and inertias about the centres of mass; those of links are side by side.
m0, m = 100.0, [10.0] * 6
inertia0 = 10.0 * np.eye(3)
upright, lying = np.diag([1.0, 1.0, 0.1]), np.diag([1.0, 0.1, 1.0])
inertia = np.hstack([upright, lying, lying, upright, lying, lying])

# From centres of mass to joints and endpoints.
c0, cc, ce = np.zeros((3, 6)), np.zeros((3, 6, 6)), np.zeros((3, 6))
c0[:, 0], c0[:, 3] = [0, 1, 0], [0, -1, 0]
for i in range(6):
    cc[:, i, i] = [0, 0, -0.5]
for i in (0, 1, 3, 4):
    cc[:, i, i + 1] = [0, 0, 0.5]
ce[:, 2] = ce[:, 5] = [0, 0.5, 0]

# Roll, pitch and yaw of joints in the link below, and of endpoints in their links.
Qi, Qe = np.zeros((3, 6)), np.zeros((3, 6))
Qi[0] = np.array([-1, 1, 0, 1, 1, 0]) * np.pi / 2
Qe[2] = np.array([0, 0, 1, 0, 0, 1]) * np.pi / 2

warnings.simplefilter("ignore", sd.ModelWarning)  # the sample's inertia of the base is a placeholder, and is said to be
arrays = {"BB": BB, "SE": SE, "J_type": J_type, "c0": c0, "cc": cc, "ce": ce, "Qi": Qi, "Qe": Qe}
LP = LinkParameters(**arrays, m0=m0, m=m, inertia0=inertia0, inertia=inertia)
set_globals(LP, Gravity=[0, 0, 0], d_time=0.01)

# At rest, without loads.
R0, A0, v0, w0, q, qd = np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), np.zeros(6), np.zeros(6)
F0, T0, Fe, Te = np.zeros(3), np.zeros(3), np.zeros((3, 6)), np.zeros((3, 6))
desired_q = np.array([0.3, 0.2, 0.1, 0.6, 0.5, 0.4])

history = [(R0, A0, v0, w0, q, qd)]
for _ in np.arange(0, 20.005, 0.01):
    tau = 10 * (desired_q - q) - 10 * qd
    R0, A0, v0, w0, q, qd = f_dyn_rk2(R0, A0, v0, w0, q, qd, F0, T0, Fe, Te, tau)
    history.append((R0, A0, v0, w0, q, qd))

AA = calc_aa(A0, q)
RR = calc_pos(R0, A0, AA, q)
for num_e in (1, 2):
    POS_e, ORI_e = f_kin_e(RR, AA, j_num(num_e))
    print(f"endpoint {num_e} is at {POS_e.round(3)} m")
print(f"joints: {q.round(3)}; base turned by {np.degrees(sd.Rotation.from_matrix(A0).magnitude()):.2f} deg")
