"""The viewer in a browser, by viser: playback of runs, and a look at a simulation while it runs."""

import contextlib
import io
import os
import sys
import threading
import time as wall
import webbrowser
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnknownName
from ...signatures import checked_arguments
from .actors import Actor, actor_meshes, bounds, collect_actors, lowest
from .arrow_legend import as_html, keys, largest_momenta
from .backdrop import add_backdrop
from .colors import RUNS
from .film import BACKDROPS
from .ground import floor_height, ground_meshes
from .meshes import frame_along
from .same_origin import own_server
from .viser_robots import TRAIL, SceneRobot, add_meshes

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "8", "16", "32", "64")
FRAME = 1.0 / 30.0


@checked_arguments()
def view(
    what: Any,
    *,
    against: "Run | Sequence[Run] | Mapping[str, Run]" = (),
    robots: Sequence[int] | None = None,
    side_by_side: bool = False,
    backdrop: str | None = None,
    follow: str | None = None,
    frames: int = 3000,
    port: int = 8080,
    play: bool = True,
    block: bool | None = None,
    browser: bool = True,
) -> "Viewer":
    """Open the viewer on a run, or on a robot that stands still.

    Parameters
    ----------
    what : Run, Model, or (Model, State)
        What to show.
    against, robots, side_by_side, backdrop, follow, frames
        As in `film`.
    port : int
        Where the viewer listens on this machine; the next free one is taken.
    play : bool
        Whether it plays at once.
    block : bool, optional
        Whether to wait here until Ctrl-C; if left out, only a script waits.
    browser : bool
        Whether to open a page in the browser, where there is a screen.

    Returns
    -------
    Viewer
        A notebook shows it inline; `close` ends it.

    Examples
    --------
    >>> import spacedyn as sd
    >>> viewer = sd.view(sd.load("ets7"), block=False, browser=False)
    >>> viewer.url.startswith("http://localhost:")
    True
    >>> viewer.close()
    """
    from ..plots.figure import named_runs

    others = named_runs(against)
    things = {"this run": what, **others} if others else what
    actors, _, run = collect_actors(things, robots, frames)
    viewer = Viewer(port)
    try:
        viewer.play_back(actors, run, side_by_side, backdrop, follow, play)
    except BaseException:
        viewer.close()
        raise
    viewer.announce(browser)
    if block or (block is None and not _interactive()):
        viewer.wait()
    return viewer


def _interactive() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "ipykernel" in sys.modules


class Viewer:
    """A scene in the browser; made by `view`, `Run.view`, or a simulation with `view=True`.

    Attributes
    ----------
    url : str
        Where it is.
    time : float
        The time that is shown [s].
    """

    def __init__(self, port: int = 8080):
        self._server = own_server(port)
        self.url = f"http://localhost:{self._server.get_port()}"
        self.time, self.playing, self._speed = 0.0, False, 1.0
        self._lock, self._over = threading.RLock(), threading.Event()
        self._puppets: list[SceneRobot] = []
        self._slider: Any = None
        self._sliding = False
        self._thread: threading.Thread | None = None
        self._server.gui.configure_theme(
            dark_mode=True, show_logo=False, show_share_button=False, control_width="medium"
        )
        self._world = self._server.scene.add_frame("/world", show_axes=False)

    # --- the scene ---------------------------------------------------------------------------------------------------

    def _set_stage(self, actors: list[Actor], run: Any, backdrop: str | None, follow: str | None) -> None:
        """Robots, what they touch, a grid or stars, camera."""
        if backdrop is not None and backdrop not in BACKDROPS:
            raise UnknownName("backdrop", backdrop, BACKDROPS)
        gravity: Any = None if run is None else run.gravity
        pulled = gravity is not None and bool(np.any(gravity))
        self._up = -np.asarray(gravity) / np.linalg.norm(gravity) if pulled else np.array([0.0, 0.0, 1.0])
        meshes = actor_meshes(actors)
        sizes = [bounds(actor, own) for actor, own in zip(actors, meshes, strict=True)]
        self._size = size = max(radius for _, radius in sizes)
        self._center = sizes[0][0]
        names = actors[0].model.endpoint_names
        if follow is not None and follow not in ("stay", "base", "mass", *names):
            raise UnknownName("follow", follow, ["stay", "base", "mass", *names])
        far = max(float(np.linalg.norm(actor.base - actor.base[0], axis=-1).max()) for actor in actors)
        self._follow = follow or ("base" if far > 1.2 * size else "stay")
        most: dict[tuple[str, str], float] = {}
        for arrow in (arrow for actor in actors for arrow in actor.arrows):
            most[arrow.kind, arrow.unit] = max(arrow.most, most.get((arrow.kind, arrow.unit), 0.0))
        self._momenta = largest_momenta(actors)
        self._choice = {"trails": True, "frames": False, "momentum": False, "forces": True, "reaction": False}
        scene, touched = self._server.scene, ground_meshes(run, actors[0].base, size)
        with self._server.atomic():
            for i, (actor, own) in enumerate(zip(actors, meshes, strict=True)):
                tint = None if i == 0 else RUNS[(i - 1) % len(RUNS)]
                self._puppets.append(
                    SceneRobot(scene, f"/world/robot {i}", actor, own, size, tint, most, tint or TRAIL)
                )
                add_meshes(scene, f"/world/robot {i}/touched", [mesh.at(-actor.base[0]) for mesh in touched], None, 1.0)
            robots = min(lowest(actor, own, self._up) for actor, own in zip(actors, meshes, strict=True))
            floor = floor_height(robots, touched, self._up, size) - actors[0].base[0] @ self._up
            self._backdrop = backdrop or ("ground" if pulled else "stars")
            self._stars, self._ground = add_backdrop(scene, size, self._up, floor)
            self._show_backdrop(self._backdrop)

    def _set_camera(self) -> None:
        side = frame_along(self._up)
        direction = side @ np.array([0.57, -0.72, 0.41])
        self._server.scene.set_up_direction(self._up)
        camera = self._server.initial_camera
        camera.position, camera.look_at, camera.up = self._distance() * direction, np.zeros(3), self._up
        camera.fov, camera.near, camera.far = 0.62, 0.02 * self._size, 200.0 * self._size

    def _distance(self) -> float:
        """Distance from which the camera sees all robots [m]."""
        return 3.0 * self._size * (1.0 + (0.75 * (len(self._puppets) - 1) if self._apart else 0.0))

    def _place_side_by_side(self, apart: bool) -> None:
        """Place robots side by side or together; every camera moves until all are in view."""
        before, self._apart = self._distance(), apart
        for client in self._server.get_clients().values():
            eye = client.camera
            eye.position = eye.look_at + (eye.position - eye.look_at) * (self._distance() / before)
        self._set_camera()
        self._arrange()

    # --- playing -----------------------------------------------------------------------------------------------------

    def play_back(
        self,
        actors: list[Actor],
        run: Any = None,
        side_by_side: bool = False,
        backdrop: str | None = None,
        follow: str | None = None,
        play: bool = True,
    ) -> None:
        """Show actors over time, with controls, in place of the former scene.

        `run`: a run or a simulation, whose gravity and ground are theirs.
        """
        with self._lock:
            self._clear()
            self._set_stage(actors, run, backdrop, follow)
            self._from = min(float(actor.time[0]) for actor in actors)
            self._to = max(float(actor.time[-1]) for actor in actors)
            self._apart = side_by_side
            self._set_camera()
            self._add_controls()
            self.playing = play and self._to > self._from
            self._arrange()
            self.seek(self._from)
        if self._to > self._from and self._thread is None:
            self._thread = threading.Thread(target=self._loop, daemon=True)
            self._thread.start()

    def _clear(self) -> None:
        for puppet in self._puppets:
            puppet.root.remove()
        self._puppets = []
        self._server.gui.reset()
        self._slider = None

    def _add_controls(self) -> None:
        gui = self._server.gui
        if self._to > self._from:
            self._button = gui.add_button("play / pause")
            self._button.on_click(lambda _: self.toggle())
            step = (self._to - self._from) / 2000.0
            self._slider = gui.add_slider("time [s]", self._from, self._to, step, self._from)
            self._slider.on_update(lambda event: self._slid() if event.client is not None else None)
            span = self._to - self._from
            speed = next((s for s in _SPEEDS if float(s) >= 1 and span / float(s) <= 90.0), _SPEEDS[-1])
            self._speed = float(speed)
            speeds = gui.add_dropdown("speed", _SPEEDS, initial_value=speed)
            speeds.on_update(lambda _: setattr(self, "_speed", float(speeds.value)))
        names = ("stay", "base", "mass", *self._puppets[0].actor.model.endpoint_names)
        follow = gui.add_dropdown("follow", names, initial_value=self._follow)
        follow.on_update(lambda _: self._set("_follow", follow.value))
        has = {arrow.kind for puppet in self._puppets for arrow in puppet.actor.arrows}
        for name in self._choice:
            if name in ("trails", "frames", "momentum") or name in has:
                self._add_switch(name)
        scenes = gui.add_dropdown("backdrop", BACKDROPS, initial_value=self._backdrop)
        scenes.on_update(lambda _: self._show_backdrop(scenes.value))
        if len(self._puppets) > 1:
            apart = gui.add_checkbox("side by side", self._apart)
            apart.on_update(lambda _: self._place_side_by_side(apart.value))
            shown = ", ".join(puppet.actor.name for puppet in self._puppets)
            gui.add_markdown(f"{len(self._puppets)} robots: {shown}")
        self._keys = gui.add_html("")

    def _add_switch(self, name: str) -> None:
        box = self._server.gui.add_checkbox(name, self._choice[name])

        def switch(_: Any) -> None:
            self._choice[name] = box.value
            self._arrange()

        box.on_update(switch)

    def _show_backdrop(self, name: str) -> None:
        self._stars.visible, self._ground.visible = name == "stars", name == "ground"

    def _set(self, name: str, value: Any) -> None:
        setattr(self, name, value)
        self._arrange()

    def _arrange(self) -> None:
        """After a choice: where robots stand, and what of them is shown."""
        with self._lock, self._server.atomic():
            aside = 2.2 * self._size * frame_along(self._up) @ np.array([0.72, 0.57, 0.0])  # across the first look
            self._middle = 0.5 * (len(self._puppets) - 1) * aside if self._apart else np.zeros(3)
            self._keys.content = as_html(
                [key for key in keys(self._puppets[0].actor, self._momenta) if self._choice[key["of"]]]
            )
            for i, puppet in enumerate(self._puppets):
                shift = puppet.actor.base[0] - self._puppets[0].actor.base[0]
                puppet.root.position = i * aside if self._apart else shift
                puppet.show(self._choice)
        self.seek(self.time)

    def seek(self, time: float) -> None:
        """Show a time [s]."""
        with self._lock:
            if not self._puppets:
                return
            self.time = float(np.clip(time, self._from, self._to))
            with self._server.atomic():
                bases = [puppet.pose(self.time, self._choice) for puppet in self._puppets]
                self._world.position = -self._target(bases[0]) - self._middle
                if self._slider is not None and not self._sliding:
                    self._slider.value = self.time

    def _slid(self) -> None:
        """Callback of the time slider."""
        with self._lock:
            self._sliding = True
            self.seek(self._slider.value)
            self._sliding = False

    def place(self, bases: Array, positions: Array, quaternions: Array) -> None:
        """Show robots in poses that are not of their run: (robots, 3), (robots, bodies, 3 and 4); followed."""
        with self._lock, self._server.atomic():
            for puppet, base, places, turns in zip(self._puppets, bases, positions, quaternions, strict=False):
                puppet.place(base - puppet.actor.base[0], places, turns)
            self._world.position = -(bases[0] - self._puppets[0].actor.base[0] + self._center)

    def add_note(self, text: str) -> Any:
        """Some text among the controls; its `content` can be changed."""
        return self._server.gui.add_markdown(text)

    def _target(self, base: Array) -> Array:
        """What the camera looks at."""
        actor = self._puppets[0].actor
        k = int(np.clip(np.searchsorted(actor.time, self.time), 0, len(actor.time) - 1))
        if self._follow == "stay":
            return self._center
        if self._follow == "mass":
            return base + actor.com[k]
        if self._follow in actor.model.endpoint_names:
            return actor.endpoints[k, actor.model.endpoint_index(self._follow)] - actor.base[0]
        return base + self._center

    def toggle(self) -> None:
        """Play, or pause."""
        with self._lock:
            self.playing = not self.playing
            if self.playing and self.time >= self._to:
                self.seek(self._from)

    def _loop(self) -> None:
        before = wall.monotonic()
        while not self._over.wait(FRAME):
            now = wall.monotonic()
            if self.playing:
                self.seek(self.time + min(now - before, 0.25) * self._speed)
                if self.time >= self._to:
                    self.playing = False
            before = now

    # --- people ------------------------------------------------------------------------------------------------------

    def announce(self, browser: bool) -> None:
        """Print its address, and open a browser where there is a screen."""
        print(f"viewer: {self.url}", file=sys.stderr)
        screen = sys.platform in ("win32", "darwin") or any(os.environ.get(k) for k in ("DISPLAY", "WAYLAND_DISPLAY"))
        if browser and screen and "ipykernel" not in sys.modules:
            webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until Ctrl-C."""
        print("Ctrl-C ends the viewer", file=sys.stderr)
        try:
            while not self._over.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End it."""
        if not self._over.is_set():
            self._over.set()
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join()
            with contextlib.redirect_stdout(io.StringIO()):
                self._server.stop()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" style="width:100%;height:560px;border:0;border-radius:8px"></iframe>'
