"""Damaged files of runs and changed checkpoints, some of each at random; `make fuzz` tries many more."""

import random
import time

import pytest

from fuzz.damaged_runs import Seeds, damaged_run_cases, try_case

SECONDS = 3.0


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    return Seeds(tmp_path_factory.mktemp("seeds"))


def test_what_is_damaged_is_a_run_or_an_error_of_ours(seeds, tmp_path):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    end, tried = time.monotonic() + SECONDS, 0
    for case in damaged_run_cases(random.Random(seed), seeds, 300):
        try_case(case, seeds, tmp_path)
        tried += 1
        if time.monotonic() > end:
            break
    assert tried
