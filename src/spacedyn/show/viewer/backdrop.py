"""Backdrop of the live viewer: stars, or the ground."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from .meshes import frame_along


def add_backdrop(scene: Any, size: float, up: np.ndarray, floor: float) -> tuple[Any, Any]:
    """Stars and ground in viser's scene, for a robot of a size [m]; ground at the height `floor` [m] along `up`."""
    shade = np.linspace(0.0, 1.0, 64)[:, None, None] ** 1.5
    scene.set_background_image(
        (np.array([9, 12, 20]) + shade * [5, 7, 12] + np.zeros((64, 8, 3))).astype(np.uint8)[::-1]
    )
    rng = np.random.default_rng(7)
    places = rng.normal(size=(900, 3))
    places *= 40.0 * size / np.linalg.norm(places, axis=-1, keepdims=True)
    light = np.repeat(rng.uniform(70, 255, (900, 1)), 3, axis=1).astype(np.uint8)
    look = {"point_size": 0.05 * size, "point_shape": "circle", "precision": "float32"}
    stars = scene.add_point_cloud("/stars", places.astype(np.float32), light, **look)
    cell = float(10.0 ** np.round(np.log10(0.5 * size)))
    ground = scene.add_grid(
        "/world/ground",
        infinite_grid=True,
        cell_size=cell,
        section_size=5 * cell,
        cell_color=(70, 80, 98),
        section_color=(100, 114, 140),
        fade_distance=30 * size,
        shadow_opacity=0.5,
        plane_color=(30, 34, 42),
        plane_opacity=1.0,
        position=floor * up,
        wxyz=np.roll(Rotation.from_matrix(frame_along(up)).as_quat(), 1),
    )
    return stars, ground
