"""Fuzzers in small: some seconds of each kind, with one seed, so that a failure is of the change and not of luck.

SPACEDYN_FUZZ_SEED=… tries other cases; `make fuzz` tries the same kinds in full, with a new seed each time.
"""

import os
from random import Random

import pytest

from fuzz.arguments import Setting
from fuzz.calls import made_call, warm_up
from fuzz.kinds import MODULES
from fuzz.pool import Campaign, groups
from fuzz.public_entries import public_entries
from fuzz.report import listed
from fuzz.robots import models
from fuzz.simulation_entries import simulations

SEED = int(os.environ.get("SPACEDYN_FUZZ_SEED") or 7)
SMALL = {"robot": 400, "scenario": 300, "urdf": 400, "mjcf": 400, "run_file": 150, "run_folder": 150}
SMALL |= {"command": 100, "damaged_run": 60, "calls": 400, "kills": 6, "checkpoints": 60}
SECONDS = 15.0  # of a kind at most, should the machine be slow


def test_what_must_not_happen_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("SPACEDYN_FUZZ_LIMIT", "1")
    campaign = Campaign(55, tmp_path)  # a seed whose first 14 cases are of every sort, one of them a hang
    campaign.add("faults", 14)
    campaign.run(2)
    found = {sort for _, sort, _ in groups(tmp_path)}
    assert found == {"traceback", "warning", "hang", "memory", "outside", "crash", "wrong"}
    assert any("compiled code opened" in line for line in listed(tmp_path))
    assert campaign.tallies["faults"].cases == 14


def test_every_function_is_called_with_good_arguments_too():
    """Else what is behind a function's first check would never be tried."""
    never = []
    for entry in [*public_entries(), *simulations()]:
        settings = (Setting(Random(k), model, (), calm=True) for k in range(20) for model in models())
        if not any(warm_up(made_call(entry, setting, 0)) for setting in settings):
            never.append(f"{entry.name}({', '.join(name for name, _ in entry.parameters)})")
    assert not never


@pytest.mark.parametrize("kind", MODULES)
def test_nothing_is_found(kind, tmp_path):
    print(f"seed {SEED}")
    campaign = Campaign(SEED, tmp_path)
    campaign.add(kind, SMALL[kind])
    campaign.run(1, SECONDS)
    assert campaign.tallies[kind].cases
    found = "\n".join(listed(tmp_path))
    assert not found, f"SPACEDYN_FUZZ_SEED={SEED} (case numbers are in the folders)\n{found}"
