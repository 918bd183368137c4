"""Fuzzers in small: some seconds of each kind, with a new seed each time; `make fuzz` tries the same kinds in full.

A failure names the seed; SPACEDYN_FUZZ_SEED=… tries the same cases again.
"""

import os
import random
import time

import pytest

from fuzz.kinds import MODULES
from fuzz.pool import Campaign
from fuzz.report import listed

SEED = int(os.environ.get("SPACEDYN_FUZZ_SEED") or random.randrange(10**6))
SMALL = {"robot": 400, "scenario": 300, "urdf": 400, "mjcf": 400, "run_file": 150, "run_folder": 150}
SMALL |= {"damaged_run": 60, "calls": 400, "kills": 6, "checkpoints": 60}
SECONDS = 20.0  # of a kind, if the machine is slow


@pytest.mark.parametrize("kind", MODULES)
def test_nothing_is_found(kind, tmp_path):
    print(f"seed {SEED}")
    campaign = Campaign(SEED, tmp_path)
    campaign.add(kind, SMALL[kind])
    campaign.run(2, time.monotonic() + SECONDS)
    found = "\n".join(listed(tmp_path))
    assert not found, f"SPACEDYN_FUZZ_SEED={SEED} (case numbers are in the folders)\n{found}"
