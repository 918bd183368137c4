"""Loops held by constraint rows, against dense equations in NumPy, closed forms, and themselves by other ways."""

import numpy as np
import pytest
from random_trees import random_model
from scipy.integrate import solve_ivp

import spacedyn as sd
from spacedyn.elements.loop import LOOP_JOINTS

pytestmark = pytest.mark.packs
ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12)}
DOWN = (0, -9.81, 0)


# --- a second route: frames by differences of nothing, equations by one dense matrix ----------------------------------


def moving_frame(model, state, body, point, udot):
    """Position, velocity and acceleration of a point, and attitude with its two rates, of a body or of what is fixed."""
    if body == "inertial":
        return np.asarray(point, float), np.zeros(3), np.zeros(3), np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))
    frames = sd.forward_kinematics(model, state, udot).bodies
    i = model.body_index(body)
    R, V, A = frames.rotation[i], frames.velocity[i], frames.acceleration[i]
    W, D = (np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) for w in (V[3:], A[3:]))
    r = R @ point
    R1, R2 = W @ R, (D + W @ W) @ R
    return frames.position[i] + r, V[:3] + W @ r, A[:3] + (D + W @ W) @ r, R, R1, R2


def second_rates(model, state, loop, mine, theirs, udot):
    """phi'' of a loop's rows by the product rule, for any accelerations: e''.d + 2 e'.d' + e.d''."""
    pb, vb, ab, B, B1, B2 = moving_frame(model, state, loop.body, loop.point, udot)
    pa, va, aa, A, A1, A2 = moving_frame(model, state, loop.other, loop.other_point, udot)
    d, d1, d2 = pb - pa, vb - va, ab - aa
    A, A1, A2, B, B1, B2 = A @ theirs, A1 @ theirs, A2 @ theirs, B @ mine, B1 @ mine, B2 @ mine

    def dot(i, j):
        return A2[:, i] @ B[:, j] + 2 * A1[:, i] @ B1[:, j] + A[:, i] @ B2[:, j]

    pair, rows = LOOP_JOINTS[loop.joint], []
    if loop.joint == "distance":
        size = np.linalg.norm(d)
        rows.append((d1 @ d1 + d @ d2) / size - (d @ d1) ** 2 / size**3)
    for i in range(3):
        if pair.along >> i & 1:
            rows.append(A2[:, i] @ d + 2 * A1[:, i] @ d1 + A[:, i] @ d2)
    if loop.joint == "screw":
        rows.append(A2[:, 2] @ d + 2 * A1[:, 2] @ d1 + A[:, 2] @ d2 - loop.pitch * dot(1, 0))  # of the angle's sine
    rows += [dot(2, 2)] if loop.joint == "universal" else []
    rows += [-dot(1, 2), dot(0, 2)] if loop.joint in ("revolute", "cylindrical", "flat", "screw") else []
    if loop.joint in ("weld", "prismatic"):
        rows += [0.5 * (dot(2, 1) - dot(1, 2)), 0.5 * (dot(0, 2) - dot(2, 0)), 0.5 * (dot(1, 0) - dot(0, 1))]
    return np.array(rows)


def random_loop(rng, model, state, joint, bodies):
    """A loop that is closed in a state, with the axes of both of its frames."""
    body, other = bodies
    point, z = rng.normal(size=3) * 0.3, rng.normal(size=3)
    z /= np.linalg.norm(z)
    fields = {"point": point, "axis": z, "name": f"{joint}_{body}"}
    poses = sd.forward_kinematics(model, state).bodies
    R = np.eye(3) if other == "inertial" else poses.rotation[model.body_index(other)]
    if joint == "universal":
        fields["other_axis"] = R.T @ poses.rotation[model.body_index(body)] @ np.cross(z, rng.normal(size=3))
    if joint == "distance":
        fields["other_point"] = rng.normal(size=3)
    if joint == "screw":
        fields["pitch"] = 0.13
    loop = sd.Loop.as_met(model, state, joint, body, other, **fields)
    return loop, *loop._axes()


@pytest.mark.parametrize("seed", range(12))
def test_random_closed_trees_obey_one_dense_system(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 9, base_kind=["free", "fixed", "planar", "attitude"][seed % 4])
    state = model.random_state(rng)
    names = list(model.body_names)
    joints = rng.permutation(list(LOOP_JOINTS))[:3]
    chosen = [tuple(str(one) for one in rng.choice(names[1:], 2, replace=False)) for _ in joints]
    chosen[0] = chosen[0][0], "inertial"
    made = [random_loop(rng, model, state, str(j), pair) for j, pair in zip(joints, chosen, strict=True)]
    loops = [loop for loop, _, _ in made]
    state = sd.assemble(model, state, loops)
    gravity = rng.normal(size=3)

    def all_rows(udot):
        return np.concatenate([second_rates(model, state, *one, udot) for one in made])

    nv, gamma = model.nv, all_rows(np.zeros(model.nv))
    J = np.column_stack([all_rows(np.eye(nv)[k]) - gamma for k in range(nv)])
    np.testing.assert_allclose(J @ state.u, 0.0, atol=1e-12)
    assert np.allclose(J, sd.closed.jacobian(model, state, loops), atol=1e-12)
    H = sd.mass_matrix(model, state)
    a = sd.forward_dynamics(model, state, gravity=gravity)
    lam = -np.linalg.lstsq(J @ np.linalg.solve(H, J.T), J @ a + gamma, rcond=1e-13)[0]
    expected = a + np.linalg.solve(H, J.T @ lam)
    run = sd.simulate(
        model, state, 1e-3, elements=loops, gravity=gravity, method=sd.RungeKutta4(1e-3), limits=False, budget=1.0
    )
    np.testing.assert_allclose(run["udot"][0], expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())
    assert run.audit().constraints < 1e-12
