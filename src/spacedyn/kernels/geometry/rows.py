"""Poses of bodies and vectors out of the rows that users hand in, and back."""

from ..scalar.compiling import inner
from ..scalar.memory import gather, scatter

POSE = 12  # numbers of a body's pose: position, rotation


@inner
def gather3(array, width, row, last, j, zero):
    return (
        gather(array, width, row, last, j, zero),
        gather(array, width, row, last, j + 1, zero),
        gather(array, width, row, last, j + 2, zero),
    )


@inner
def gather_pose(poses, bodies, row, last, i, zero):
    """Position and rotation of body i."""
    width, j = bodies * POSE, i * POSE
    return (
        gather3(poses, width, row, last, j, zero),
        gather3(poses, width, row, last, j + 3, zero)
        + gather3(poses, width, row, last, j + 6, zero)
        + gather3(poses, width, row, last, j + 9, zero),
    )


@inner
def scatter3(array, width, row, last, j, v):
    scatter(array, width, row, last, j, v[0])
    scatter(array, width, row, last, j + 1, v[1])
    scatter(array, width, row, last, j + 2, v[2])
