"""Contact forces on triangle meshes: a flat one acts as a plane, and nothing falls through; capsules as shapes."""

import numpy as np
import pytest
import trimesh

import spacedyn as sd

CUBE = trimesh.creation.box((2, 2, 2))
GROUND = sd.TriangleMesh(CUBE.vertices, CUBE.faces, position=(0, 0, -1))  # its top is at z = 0
SOFT = sd.ContactMaterial(1e5, dissipation=0.3, friction=0.4)


def ball():
    builder = sd.Builder("ball")
    builder.base("ball", mass=1.0, inertia=(4e-3, 4.1e-3, 4.2e-3))
    return builder.build()


def test_a_ball_bounces_on_a_flat_mesh_as_on_a_plane():
    model = ball()
    start = model.state(base_position=[0.21, 0.13, 0.15], base_velocity=[0.2, 0.1, -1.0], base_rate=[3.0, 0.0, 1.0])
    ends = []
    for surface in (GROUND, sd.Plane()):
        touch = sd.Contact("ball", (0, 0, 0), surface, SOFT, radius=0.1)
        run = sd.simulate(model, start, 0.2, elements=[touch])
        assert run.audit().within_budget
        ends.append(np.concatenate([run.final.base_position, run.final.base_velocity, run.final.base_rate]))
    assert ends[0][5] > 0.3  # it went up again
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


def test_a_mesh_stops_what_comes_at_ten_kilometres_a_second_or_says_why_not():
    model = ball()
    start = model.state(base_position=[0.2, 0.1, 50.0], base_velocity=[0, 0, -1e4])
    touch = sd.Contact("ball", (0, 0, 0), GROUND, sd.ContactMaterial(1e12, dissipation=1e-5), radius=0.1)
    try:
        run = sd.simulate(model, start, 0.02, elements=[touch])
    except sd.SimulationFailed:
        return
    assert run.final.base_velocity[2] > 0.0 and run.final.base_position[2] > 0.0


def test_a_capsule_touches_with_the_balls_at_its_ends():
    touch = sd.Contact("ball", material=SOFT, shape=sd.shapes.capsule(0, 0.1, 0.6, position=(0, 0, 0.2)))
    np.testing.assert_allclose(touch.touching.places, [[0, 0, -0.1], [0, 0, 0.5]], atol=1e-15)
    assert touch.touching.radii.tolist() == [0.1, 0.1]


@pytest.mark.parametrize("word", ["mesh"])
def test_a_file_may_name_a_mesh(word):
    table = {"kind": word, "vertices": CUBE.vertices.tolist(), "faces": CUBE.faces.tolist()}
    assert isinstance(sd.Contact("ball", (0, 0, 0), table, SOFT).surface, sd.TriangleMesh)
