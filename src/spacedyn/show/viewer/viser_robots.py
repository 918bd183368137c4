"""Robots in a viser scene: moving bodies, trails, arrows, frames."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .actors import Actor
from .colors import ANGULAR_MOMENTUM, HAND, LINEAR_MOMENTUM
from .meshes import Color, Mesh, frame_along, lathe, with_normals

Array = np.ndarray
_STILL = np.array([1.0, 0.0, 0.0, 0.0])


def rgb(color: Color) -> tuple[int, int, int]:
    """A colour as viser takes it."""
    return tuple(round(255 * float(part)) for part in color)  # type: ignore[return-value]


def add_meshes(scene: Any, path: str, parts: Sequence[Mesh], tint: Color | None, opacity: float) -> None:
    """Meshes of a body under its frame; those of one colour as one."""
    groups: dict[tuple[Any, ...], list[Mesh]] = {}
    for part in parts:
        groups.setdefault((part.color, part.opacity), []).append(part)
    for k, ((color, own), members) in enumerate(groups.items()):
        made = [with_normals(part) for part in members]
        starts = np.cumsum([0, *(len(v) for v, _, _ in made)])
        faces = np.concatenate([f + start for (_, _, f), start in zip(made, starts, strict=False)])
        clear = own * opacity
        shown = color if tint is None else tuple(0.25 * c + 0.75 * t for c, t in zip(color, tint, strict=True))
        scene.add_mesh_simple(
            f"{path}/{k}",
            np.concatenate([v for v, _, _ in made]),
            faces.astype(np.uint32),
            color=rgb(shown),
            opacity=clear if clear < 1.0 else None,
        )


class Arrow3D:
    """An arrow that can be turned and stretched; hidden while it has no length."""

    def __init__(self, scene: Any, path: str, color: Color, thickness: float, head: bool = True):
        self._thickness, self._head = thickness, head
        self._frame = scene.add_frame(path, show_axes=False)
        shaft, tip = lathe([(0, 0), (1, 0), (1, 1), (0, 1)], 16), lathe([(0, 0), (1, 0), (0, 1)], 16)
        meshes = {"shaft": shaft, "tip": tip} if head else {"shaft": shaft}
        self._parts = {
            name: scene.add_mesh_simple(f"{path}/{name}", *_drawn(mesh), color=rgb(color), cast_shadow=False)
            for name, mesh in meshes.items()
        }
        self.visible = False

    def set(self, start: Array, vector: Array, visible: bool) -> None:
        """Draw it from `start` along `vector` [m], or hide it."""
        long = float(np.linalg.norm(vector))
        visible = visible and long > 1e-6 * self._thickness
        if visible != self.visible or not visible:
            self._frame.visible = self.visible = visible
        if not visible:
            return
        tip = min(4.5 * self._thickness, 0.5 * long) if self._head else 0.0
        self._frame.position, self._frame.wxyz = start, _wxyz_of(frame_along(vector))
        self._parts["shaft"].scale = (self._thickness, self._thickness, long - tip)
        if self._head:
            self._parts["tip"].scale = (2.4 * self._thickness, 2.4 * self._thickness, tip)
            self._parts["tip"].position = (0.0, 0.0, long - tip)


def _drawn(mesh: Mesh) -> tuple[Array, Array]:
    vertices, _, faces = with_normals(mesh)
    return vertices, faces


def _wxyz_of(rotation: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(rotation).as_quat(), 1)


class SceneRobot:
    """A robot in the scene.

    Parameters
    ----------
    scene
        viser's.
    path : str
        Where it is in the tree of names.
    actor : Actor
        What it does; of a robot that is still being simulated, only its first instant.
    meshes : list of lists of Mesh
        Of its bodies.
    size : float
        Of the whole [m], for arrows and frames.
    tint : Color, optional
        Of a ghost.
    """

    def __init__(
        self,
        scene: Any,
        path: str,
        actor: Actor,
        meshes: Sequence[Sequence[Mesh]],
        size: float,
        tint: Color | None,
        most: dict[tuple[str, str], float],
        trail_color: Color,
    ):
        self.actor, self._size, self._most = actor, size, most
        self.root = scene.add_frame(path, show_axes=False)
        self._bodies = []
        self.axes = []
        for i, parts in enumerate(meshes):
            name = f"{path}/{i:03d} {actor.model.body_names[i].replace('/', '|')}"
            self._bodies.append(scene.add_frame(name, show_axes=False))
            add_meshes(scene, name, parts, tint, 1.0 if tint is None else 0.35)
            triad = {"axes_length": 0.13 * size, "axes_radius": 0.004 * size, "visible": False}
            self.axes.append(scene.add_frame(f"{name}/axes", **triad))
        thick = 0.011 * size
        self._arrows = [
            Arrow3D(scene, f"{path}/arrow {k}", arrow.color, (0.4 if arrow.line else 1.0) * thick, not arrow.line)
            for k, arrow in enumerate(actor.arrows)
        ]
        self._momenta = [
            Arrow3D(scene, f"{path}/momentum {k}", color, 0.8 * thick)
            for k, color in enumerate((LINEAR_MOMENTUM, ANGULAR_MOMENTUM))
        ]
        self._longest = [float(np.linalg.norm(actor.momentum[:, s], axis=-1).max()) for s in (slice(3), slice(3, 6))]
        self.trails = self._make_trails(scene, path, trail_color)

    def _make_trails(self, scene: Any, path: str, color: Color) -> list[Any]:
        found = []
        for k, name in enumerate(self.actor.model.endpoint_names):
            points = self.actor.endpoints[:, k] - self.actor.base[0]
            if len(points) > 1 and np.ptp(points, axis=0).max() > 1e-4 * self._size:
                pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
                trail = f"{path}/trail {name.replace('/', '|')}"
                found.append(
                    scene.add_line_segments(trail, pieces, rgb(color), thickness=2.5, thickness_units="screen")
                )
        return found

    def place(self, base: Array, positions: Array, quaternions: Array) -> None:
        """Put its bodies somewhere: places relative to the base (bodies, 3), attitudes (bodies, 4) as (x, y, z, w)."""
        for frame, place, turn in zip(self._bodies, positions, quaternions, strict=True):
            frame.position, frame.wxyz = base + place, np.roll(turn, 1)

    def pose(self, time: float, choice: dict[str, bool]) -> Array:
        """Show the pose and arrows at a time; returns the base's position then."""
        a = self.actor
        k = int(np.clip(np.searchsorted(a.time, time, side="right") - 1, 0, max(len(a.time) - 2, 0)))
        after = min(k + 1, len(a.time) - 1)
        f = 0.0 if after == k else float(np.clip((time - a.time[k]) / (a.time[after] - a.time[k]), 0.0, 1.0))

        def between(values: Array) -> Array:
            return (1.0 - f) * values[k] + f * values[after]

        same = np.sign(np.sum(a.quaternions[k] * a.quaternions[after], axis=-1, keepdims=True))
        turns = (1.0 - f) * a.quaternions[k] + f * np.where(same < 0, -1.0, 1.0) * a.quaternions[after]
        turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
        base = between(a.base) - a.base[0]
        self.place(base, between(a.positions), turns)
        for arrow, shape in zip(a.arrows, self._arrows, strict=True):
            long = 1.0 if arrow.line else 0.6 * self._size / self._most[arrow.kind, arrow.unit]
            shape.set(base + between(arrow.start), long * between(arrow.vector), choice[arrow.kind])
        for shape, own, most in zip(self._momenta, (slice(3), slice(3, 6)), self._longest, strict=True):
            long = 0.6 * self._size / most if most else 0.0
            shape.set(base + between(a.com), long * between(a.momentum[:, own]), choice["momentum"])
        return base

    def show(self, choice: dict[str, bool]) -> None:
        """Show and hide frames and trails."""
        for frame in self.axes:
            frame.visible = choice["frames"]
        for trail in self.trails:
            trail.visible = choice["trails"]


TRAIL = HAND
