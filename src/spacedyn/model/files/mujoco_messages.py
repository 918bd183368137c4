"""Collect MuJoCo's warnings in a list; by default it writes them to MUJOCO_LOG.TXT in the current folder."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def mujoco_messages() -> Iterator[list[str]]:
    """A list that gets MuJoCo's warnings inside the block; nothing is printed, and no file is written."""
    import mujoco

    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)
    try:
        with warnings.catch_warnings(record=True) as caught:  # its Python side warns by itself
            warnings.simplefilter("always")
            yield said
    finally:
        mujoco.set_mju_user_warning(before)
        said += [str(one.message) for one in caught]
