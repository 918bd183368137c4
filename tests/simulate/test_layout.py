"""The layout of a simulation: what each law and element owns, in one place."""

import spacedyn as sd
from spacedyn.simulate.channels import kept_columns, row_width
from spacedyn.simulate.layout import Layout


@sd.law(states={"low": 2, "high": 1})
def filtered(t, s, p, out):
    out.low[0] = s.high[0]


@sd.element(states={"bend": 2}, samples={"held": 3}, points=("tip", "root"))
def brush(t, s, p, out):
    out.tip.force[0] = s.bend[0] + s.held[0]
    out.bend[0] = out.held[0] = 1.0


def made():
    robot = sd.load("planar_four_link")
    friction = sd.BristleFriction("joint1", coulomb=1.0)
    mine = brush(tip="link2", root="link1", period=0.1)
    laws, elements = (
        (filtered(), filtered()),
        (sd.Drag("link1", 1.0), friction, mine, sd.Spring("link2", stiffness=1.0)),
    )
    return Layout(robot, laws, elements)


def test_states_of_laws_and_elements_follow_each_other_and_have_the_places_of_their_blocks():
    layout = made()
    parts = [*map(layout.states_of_law, range(2)), *map(layout.states_of_element, range(4))]
    assert [(part.start, part.stop) for part in parts] == [(0, 3), (3, 6), (6, 6), (6, 7), (7, 12), (12, 12)]
    assert layout.law_states == 6 and layout.states["brush.held"] == slice(9, 12)
    assert layout.states["filtered1.high"] == slice(5, 6)


def test_wrenches_are_where_their_elements_push():
    layout = made()
    assert [layout.wrenches(i) for i in range(4)] == [slice(0, 6), slice(0, 0), slice(6, 18), slice(18, 30)]
    assert layout.channels["element_wrenches"].stop - layout.channels["element_wrenches"].start == 30


def test_columns_that_are_kept_follow_each_other():
    row = made().row
    kept = kept_columns(row, ("t", "x", "u", "impulse"))
    assert row_width(kept) == 1 + 11 + 7 + 6 and kept["impulse"] == slice(19, 25)
    assert row_width(row) == sum(part.stop - part.start for part in row.values())
