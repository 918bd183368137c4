"""Short runs of shapes that touch, by forces and by impulses over steps, as flat arrays."""

import warnings

import numpy as np

import spacedyn as sd
from spacedyn.errors import RunWarning

DOWN = (0.1, 0.0, -9.81)
BOX, BALL = sd.shapes.box(2.0, (0.3, 0.2, 0.2)), sd.shapes.sphere(0.5, 0.05)


def table(**others):
    """A table, a crate on it, and what else lies there: {name: (shape, place)}; all can move freely."""
    b = sd.Builder("table", base="fixed")
    b.base("table", shapes=[sd.shapes.box(20.0, (1.0, 1.0, 0.1))])
    laid = {"crate": (BOX, (0, 0, 0.1499)), **others}
    for name, (shape, _) in laid.items():
        b.link(name, "free", parent="table", shapes=[shape])
    model = b.build()
    places = {name: [*place, 0, 0, 0, 1] for name, (_, place) in laid.items()}
    return model, model.state(q=places, qd={name: [0.1, -0.2, -0.3, 0.3, 0.2, 0.1] for name in laid})


def under_shape_contact():
    """Faces, points and surfaces by a list of pairs; balls by cells."""
    others = {"ball": (BALL, (0.02, 0, 0.2995)), "can": (sd.shapes.cylinder(1.0, 0.1, 0.2), (0.4, 0.3, 0.149))}
    model, state = table(**others, second=(BALL, (0.02, 0.0999, 0.2995)))
    wood = sd.ContactMaterial(2e5, exponent=1.0, damping=200.0, friction=0.4, torsion=1e-3)
    lists = sd.ShapeContact(wood, surfaces=[sd.Plane(position=(0, 0, 0.0501)), sd.SphereSurface(0.06)], rounding=2e-3)
    options = {"method": sd.RungeKutta4(1e-3), "record": 2e-3, "gravity": DOWN, "budget": 1e9, "progress": False}
    found = [sd.simulate(model, state, 2e-3, elements=[lists], **options)]
    rows = {f"ball{i}": (BALL, (0.099 * (i % 3), 0.099 * (i // 3 % 3), 0.2995 + 0.099 * (i // 9))) for i in range(26)}
    model, state = table(**rows)
    smooth = sd.ContactMaterial(1e5, friction=0.3, sticks=False)
    cells = sd.ShapeContact(smooth, surfaces=sd.Plane(), exclude=[("ball0", "ball1")])
    found += [sd.simulate(model, state, 1e-3, elements=[cells], **options | {"record": 1e-3})]
    return np.concatenate([np.ravel(run[name]) for run in found for name in ("x", "u", "element_energy")])


def under_time_stepping():
    """Boxes and balls that bounce, slide and rest, and a hinge: impulses of all contacts over steps of 10 ms."""
    model, state = table(
        ball=(BALL, (0.02, 0, 0.31)), second=(BALL, (0.02, 0.0999, 0.2999)), tile=(BOX, (2.0, 0.4, 0.101))
    )
    corners = [(x, y, -0.1) for x in (-0.15, 0.15) for y in (-0.1, 0.1)]
    wood = sd.ContactMaterial(2e5, friction=0.4)
    touching = [
        sd.Contact("crate", corners, sd.Plane(position=(0, 0, 0.05)), wood, name="corners"),
        sd.RigidContact("ball", (0, 0, 0), sd.Plane(position=(0, 0, 0.25)), 0.9, 0.5, radius=0.05, name="ball"),
        sd.RigidContact("second", (0, 0, 0), sd.SphereSurface(0.05), 0.9, 0.5, other="ball", radius=0.05, name="two"),
        sd.ShapeContact(wood, pairs=[("second", "crate"), ("ball", "table"), ("tile", "crate")]),
        *(sd.RigidContact("tile", corners[k::2], sd.Plane(), e, 0.9, name=f"tile{k}") for k, e in ((0, 1.0), (1, 0.2))),
    ]
    qd = np.where(np.arange(24) < 18, state.qd, np.tile([1.0, 0.5, -2.0, 0.0, 3.0, 0.5], 4))  # the tile is thrown
    state = state.replace(qd=qd)
    options = {"method": sd.TimeStepping(0.01), "record": 0.1, "gravity": DOWN, "budget": 1e9, "progress": False}
    found = [sd.simulate(model, state, 0.2, elements=touching, **options)]
    b = sd.Builder("rod")
    b.base("rod", mass=1.0, inertia=(1 / 12, 1 / 12, 0.01))
    tip = 0.5 * np.array([np.cos(0.54), 0.0, -np.sin(0.54)])
    slips_back = {"base_velocity": [-0.085, 0, -0.89], "base_rate": [0, 3.47, 0]}  # Newton's law alone would add energy
    start = b.build().state(base_position=[0, 0, 1e-4 - tip[2]], **slips_back)
    tip_strikes, within_steps = sd.RigidContact("rod", tip, None, 1.0, 0.73), options | {"record": 0.005}
    found += [sd.simulate(start.model, start, 0.02, elements=[tip_strikes], **within_steps)]
    steep = sd.RigidContact("rod", tip, None, 0.0, 2.0)  # friction changes normal velocities as much as normal impulses
    for velocity in ([-0.5, 0, -0.3], [0.5, 0, -0.3]):
        slides = start.replace(base_velocity=velocity, base_rate=[0, 0, 0])
        found += [sd.simulate(start.model, slides, 0.02, elements=[steep], **within_steps)]
    found += [in_flight(options), by_cells(options), *asleep(options), *closed_leg(options)]
    return np.concatenate([np.ravel(run[name]) for run in found for name in ("x", "u", "element_energy")])


def in_flight(options):
    """A satellite with an arm and a tool that floats beside it, not held at its centre of mass."""
    b = sd.Builder("satellite")
    b.base("hull", mass=5.0, inertia=(0.2, 0.3, 0.4))
    b.link("arm", "revolute", parent="hull", axis=(0, 1, 0), mass=1.0, inertia=(0.01, 0.02, 0.03), com=(0.3, 0, 0))
    b.link("tool", "free", parent="hull", mass=0.2, inertia=(1e-3, 2e-3, 2.5e-3), com=(0.1, 0, 0.05))
    tool = {"q": {"tool": [1, 0, 0, 0, 0, 0, 1]}, "qd": {"tool": [0, 0.1, 0, 2, 5, -1]}}
    start = b.build().state(base_rate=[0.5, -1.0, 0.3], **tool)
    return sd.simulate(start.model, start, 0.05, **options | {"record": 0.01})


def by_cells(options):
    """Balls beside each other on a table, more than are listed, of which some sleep and all resist rolling."""
    rows = {f"ball{i}": (BALL, (0.11 * (i % 8) - 0.4, 0.11 * (i // 8) - 0.45, 0.1)) for i in range(24)}
    model, state = table(**rows)
    grass = sd.ContactMaterial(1e5, friction=0.3, rolling=1e-3)
    contact = sd.ShapeContact(grass, surfaces=sd.Plane(position=(0, 0, -0.05)), exclude=[("ball0", "ball1")])
    qd = np.where(np.arange(state.qd.size) // 6 == 5, state.qd, 0.0)  # one moves, and strikes another
    sleeping = sd.Sleeping(speed=0.2, after=0.02)
    return sd.simulate(model, state.replace(qd=qd), 0.2, elements=[contact, sleeping], **options)


def asleep(options):
    """A crate sleeps on a table until a ball falls on it; one that lies alone sleeps on."""
    sleeping, wood = sd.Sleeping(speed=0.2, after=0.02), sd.ContactMaterial(2e5, friction=0.4)
    model, state = table(ball=(BALL, (0.02, 0, 0.52)))
    touching = [sd.ShapeContact(wood, pairs=[("crate", "table"), ("ball", "crate")]), sleeping]
    still = state.replace(q=np.r_[0, 0, 0.15, 0, 0, 0, 1, state.q[7:]], qd=np.r_[np.zeros(6), 0, 0, -0.5, 0, 0, 0])
    found = [sd.simulate(model, still, 0.22, elements=touching, **options)]
    b = sd.Builder("crate")
    b.base("crate", shapes=[BOX])
    start = b.build().state(base_position=[0, 0, 0.1])
    floor = sd.Contact("crate", shape=BOX, material=wood, name="floor")
    return [
        *found,
        sd.simulate(start.model, start, 0.2, elements=[floor, sleeping], **options | {"gravity": (0, 0, -9)}),
    ]


def leg():
    """A trunk on rods with end stops and dry friction, and a foot that resists rolling."""
    b = sd.Builder("leg")
    b.base("trunk", mass=5.0, inertia=(0.1, 0.12, 0.08))
    rod = {"mass": 0.4, "com": (0, 0, -0.1), "inertia": (2e-3, 2e-3, 3e-4), "axis": (0, 1, 0)}
    turns = {"friction": 0.2, "lower": -0.55, "upper": 0.55, "stop_stiffness": 1e4}
    for name, x in (("left", 0.1), ("right", -0.1)):
        b.link(f"{name}_thigh", "revolute", parent="trunk", position=(x, 0, 0), **rod, **turns)
        b.link(f"{name}_shank", "revolute", parent=f"{name}_thigh", position=(0, 0, -0.2), **rod, damping=0.3)
    sole = sd.ContactMaterial(1e6, friction=0.6, rolling=2e-3, torsion=1e-3)
    foot = sd.Contact("left_shank", [(0, 0.05, -0.2), (0, -0.05, -0.2)], radius=0.02, material=sole, name="foot")
    bent = b.build().state(base_position=[0, 0, 0.36], base_velocity=[0.3, 0, -0.5], q=[-0.5, 0.8, 0.5, -0.8])
    return bent, foot


def closed_leg(options):
    """Loops close the rods; then a joint is locked instead."""
    bent, foot = leg()
    pin = sd.Loop("line", "left_shank", "right_shank", (0, 0, -0.2), (0, 0, -0.2), axis=(0, 1, 0), name="pin")
    twice = sd.Loop("line", "left_shank", "right_shank", (0, 0, -0.2), (0, 0, -0.2), axis=(0, 1, 0), name="twice")
    start = sd.assemble(bent.model, bent, [pin, twice])
    # to the end: sweeps that stop halfway through an impact of two points leave what rounding makes of it
    options = options | {"method": sd.TimeStepping(0.01, accuracy=1e-12, sweeps=5000)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # the second loop is redundant, and says so
        found = [sd.simulate(bent.model, start, 0.1, elements=[foot, pin, twice, sd.Sleeping()], **options)]
    return [*found, locked_leg(options, start)]


def locked_leg(options, start=None):
    """The leg lands on its foot, with one joint locked and no loop."""
    bent, foot = leg()
    start = bent if start is None else start
    return sd.simulate(bent.model, start, 0.1, elements=[foot, sd.LockedJoint("left_shank")], **options)
