"""`verify` finds agreement where there is, and a difference where a robot of the peer is another."""

import sys

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model
from spacedyn.peers import robots as peers


@pytest.mark.parametrize("base", ["free", "fixed", "planar", "attitude"])
def test_random_robots_agree_with_both_peers(base):
    model = random_model(np.random.default_rng(3), 8, base_kind=base, passive=True)
    found = sd.verify(model, states=2)
    assert found and not found.left_out
    assert {row.peer for row in found.rows} == {"Pinocchio", "MuJoCo"}
    assert {"body frames", "mass matrix", "accelerations"} <= {row.quantity for row in found.rows}
    assert "agrees" in str(found) and 0.0 < found.worst < 1e-9


@pytest.mark.parametrize("peer", ["pinocchio", "mujoco"])
def test_another_robot_is_told_apart(monkeypatch, peer):
    model = sd.load("ssrms")
    other = sd.Model.from_toml(model.to_toml().replace("mass = 105.98", "mass = 106.98"))
    assert other != model
    convert = getattr(peers, f"to_{peer}")
    frames = {}

    def changed(marked):
        frames.update(dict.fromkeys(marked.endpoint_names))
        text = marked.to_toml().replace("mass = 105.98", "mass = 106.98")
        return convert(sd.Model.from_toml(text))

    monkeypatch.setattr(peers, f"to_{peer}", changed)
    found = sd.verify(model, states=1, against=[peer])
    assert not found and "DIFFERS" in str(found) and "<-- differs" in str(found)
    assert next(row for row in found.rows if row.quantity == "body frames").difference < 1e-12


def test_what_a_peer_cannot_hold_is_said():
    found = sd.verify(sd.load("ets7"), states=1)
    assert found and any("inertia must satisfy" in reason for reason in found.left_out)


def test_peers_that_are_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    found = sd.verify(sd.load("tian_wu"), states=1)
    assert found and "MuJoCo is not installed: pip install" in str(found)
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(sd.InputError, match="neither Pinocchio nor MuJoCo"):
        sd.verify(sd.load("tian_wu"), states=1)


def test_bad_options_are_told():
    with pytest.raises(sd.InputError, match="did you mean 'mujoco'"):
        sd.verify(sd.load("tian_wu"), against=["mujco"])
    with pytest.raises(sd.InputError, match="give 1 or more"):
        sd.verify(sd.load("tian_wu"), states=0)


def test_it_shows_itself_as_a_table():
    check = sd.verify(sd.load("tian_wu"))
    assert repr(check) == str(check)
    shown = check._repr_html_()
    assert shown.count("<tr>") == 1 + len(check.rows) and "agrees" in shown
