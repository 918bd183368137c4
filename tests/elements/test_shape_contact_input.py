"""Contact between shapes: bad input by name, files, surfaces, derivatives, what ends a run."""

import numpy as np
import pytest

import spacedyn as sd
from touching import G

SOFT = sd.ContactMaterial(1e5, dissipation=0.5)


def scene(base="free"):
    """A bus with a hinged boom, and a ball that flies by itself."""
    b = sd.Builder("scene", base=base)
    b.base("bus", shapes=[sd.shapes.box(10.0, (0.4, 0.4, 0.4))])
    b.link("boom", "revolute", parent="bus", position=(0.3, 0, 0), shapes=[sd.shapes.capsule(1.0, 0.05, 0.3)])
    b.link("ball", "free", parent="bus", shapes=[sd.shapes.sphere(1.0, 0.1)])
    b.link("bare", "free", parent="bus", mass=1.0, inertia=(0.1, 0.11, 0.12))
    return b.build()


def start(model, **others):
    q = {"ball": [1.0, 0, 0, 0, 0, 0, 1], "bare": [0, 2.0, 0, 0, 0, 0, 1]} | others
    return model.state(q=q)


def test_pairs_are_all_but_those_of_neighbours():
    model = scene()
    assert sd.ShapeContact(SOFT).for_model(model).pair_names == (("bus", "ball"), ("boom", "ball"))
    ground = sd.ShapeContact(SOFT, surfaces={"floor": sd.Plane(), "moon": sd.SphereSurface(1.0, position=(0, 0, -9))})
    assert len(ground.for_model(model).pair_names) == 2 + 3 + 3
    some = sd.ShapeContact(SOFT, surfaces=sd.Plane(), exclude=[("bus", "plane"), ("ball", "bus")])
    assert some.for_model(model).pair_names == (("boom", "ball"), ("boom", "plane"), ("ball", "plane"))
    fixed = sd.ShapeContact(SOFT, surfaces=sd.Plane()).for_model(scene("fixed"))
    assert ("bus", "plane") not in fixed.pair_names


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "give a material"),
        ({"material": SOFT, "pairs": [("bus", "bus")]}, "one name twice"),
        ({"material": SOFT, "pairs": ["bus"]}, "expected pairs of names"),
        ({"material": {"stiffness": 1e5, "friction": -0.1}}, "friction must not be negative"),
        ({"material": SOFT, "materials": {("bus", "ball"): 3.0}}, "must be a ContactMaterial"),
        ({"material": SOFT, "materials": {"bus": SOFT}}, "expected"),
        ({"material": SOFT, "surfaces": 4.0}, "must be a surface"),
        ({"material": SOFT, "rounding": "much"}, "rounding"),
        ({"material": SOFT, "rounding": [1e308, 1e308]}, "expected a number or {body: number}"),
        ({"material": SOFT, "found": 1.0}, "leave it out"),
        ({"material": SOFT, "found": [[], 0, 1, [], []]}, "counts 0 and 1 of 0 shapes"),
        ({"material": SOFT, "found": [[], 0, 0, [[0, 7]], []]}, "pairs beyond its 0 shapes"),
        (
            {"material": SOFT, "found": [[["a", "a", 9, [1, 1, 1, 0], 0.1, [0, 0, 0], np.eye(3), None]], 0, 1, [], []]},
            "found",
        ),
    ],
)
def test_settings_that_make_no_sense(settings, words):
    with pytest.raises(sd.InputError, match=words):
        sd.ShapeContact(**settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pairs": [("bus", "bal")]}, "did you mean 'ball'"),
        ({"exclude": [("bus", "moon")]}, "no .*'moon'|'moon'"),
        ({"pairs": [("bus", "bare")]}, "'bare' has no shape"),
        ({"rounding": 0.3}, "more than half of its thickness"),
        ({"rounding": -1.0}, "must be 0 or more"),
        ({"surfaces": {"bus": sd.Plane()}}, "both called 'bus'"),
        ({"exclude": [("bus", "ball"), ("boom", "ball")]}, "no two shapes may touch"),
    ],
)
def test_names_and_sizes_that_do_not_fit_the_model(settings, words):
    model = scene()
    with pytest.raises((sd.InputError, sd.UnknownName), match=words):
        sd.simulate(model, start(model), 0.1, elements=[sd.ShapeContact(SOFT, **settings)])


def test_shapes_that_start_in_each_other_are_named():
    model, contact = scene(), sd.ShapeContact(SOFT)
    with pytest.raises(sd.InputError, match=r"'bus' and 'ball' start deeper in each other .* move them apart"):
        sd.simulate(model, start(model, ball=[0.1, 0, 0, 0, 0, 0, 1]), 0.1, elements=[contact])
    hard = sd.ShapeContact(sd.ContactMaterial(1e12))
    with pytest.warns(sd.RunWarning, match="pushes them apart"):
        sd.simulate(model, start(model, ball=[0.29, 0, 0, 0, 0, 0, 1]), 1e-9, elements=[hard])


def test_bodies_that_a_joint_keeps_together_may_touch_with_a_warning():
    model = scene()
    with pytest.warns(sd.ModelWarning, match="'bus' and 'boom' are joined"):
        sd.ShapeContact(SOFT, pairs=[("bus", "boom")]).for_model(model)


def test_a_body_without_shapes_and_flat_meshes_are_named():
    b = sd.Builder("bare")
    b.base("bus", mass=1.0, inertia=(1.0, 1.1, 1.2))
    with pytest.raises(sd.InputError, match="no body of 'bare' has a shape"):
        sd.ShapeContact(SOFT).for_model(b.build())


def test_what_is_shot_through_a_ball_ends_the_run_by_name():
    """A ball at 300 m/s on a soft one: the run ends, and names both; nothing passes through."""
    model = scene()
    q = {"ball": [1.0, 0, 0, 0, 0, 0, 1], "bare": [0, 2.0, 0, 0, 0, 0, 1]}
    fast = model.state(q=q, qd={"ball": [-300.0, 0, 0, 0, 0, 0]})
    with pytest.raises(sd.SimulationFailed, match=r"and 'ball' were .* m is the most"):
        sd.simulate(model, fast, 0.1, elements=[sd.ShapeContact(SOFT)])


def test_bristles_of_too_many_pairs_are_refused():
    b = sd.Builder("many", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.1, 1.2))
    for i in range(30):
        b.link(f"ball{i}", "free", parent="ground", shapes=[sd.shapes.sphere(1.0, 0.05)])
    model = b.build()
    apart = model.state(q={f"ball{i}": [i, 0, 0, 0, 0, 0, 1] for i in range(30)})
    with pytest.raises(sd.InputError, match="sticks=False"):
        sd.simulate(model, apart, 0.1, elements=[sd.ShapeContact(sd.ContactMaterial(1e5, friction=0.3))])


URDF = """<robot name="two"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0"
ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="b" type="prismatic"><parent link="arm"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""


def test_collision_geometry_of_urdf_files_touches(tmp_path):
    """Boxes and spheres of `<collision>`, at their places; a body between two has no shape, so both are neighbours."""
    (tmp_path / "two.urdf").write_text(URDF, encoding="utf-8")
    model = sd.load(tmp_path / "two.urdf")
    found = sd.ShapeContact(SOFT, surfaces=sd.Plane()).for_model(model)
    assert ("tip", "plane") in found.pair_names and ("base", "tip") not in found.pair_names
    tip = next(one for one in found.here.pieces if one.body == "tip")
    assert tip.radius == 0.05 and tip.position.tolist() == [0.0, 0.0, 0.1]


def test_a_run_is_stored_loaded_and_resumed_to_the_bit(tmp_path):
    model = scene()
    contact = sd.ShapeContact(
        sd.ContactMaterial(1e4, dissipation=0.5, friction=0.4), surfaces={"floor": sd.Plane()}, rounding={"bus": 0.01}
    )
    first = model.state(
        base_position=[0, 0, 0.6], q={"boom": 0.4, "ball": [1.0, 0, 0, 0, 0, 0, 1], "bare": [0, 2.0, 0, 0, 0, 0, 1]}
    )
    settings = {"elements": [contact], "gravity": (0, 0, -G), "method": sd.RungeKutta4(step=1e-3), "budget": 1.0}
    whole = sd.simulate(model, first, 0.4, record=0.1, **settings)
    half = sd.simulate(model, first, 0.2, record=0.1, **settings)
    half.save(tmp_path / "half.nc")
    loaded = sd.Run.load(tmp_path / "half.nc")
    assert loaded.elements[0].pair_names == half.elements[0].pair_names
    assert np.abs(whole["element_states"]).max() > 0.0
    on = loaded.resume(until=0.4)
    np.testing.assert_array_equal(on.final.x, whole.final.x)
    np.testing.assert_array_equal(on.final.u, whole.final.u)
