"""MuJoCo's warnings kept in a list: by itself it writes them into MUJOCO_LOG.TXT of the current folder."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def mujoco_messages() -> Iterator[list[str]]:
    """What MuJoCo warns of inside the block, complete when the block ends; nothing is printed, and no file written."""
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
