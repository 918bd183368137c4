"""A run as one HTML file: playback in three dimensions and the key plots, on any machine with a browser, offline."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import InputError, UnknownName
from ...signatures import checked_arguments
from ...simulate.simulation import Recorded
from ..plots.curves import key_names, panels
from .actors import MAX_ROBOTS, Actor, actor_meshes, bounds, collect_actors, lowest
from .arrow_legend import HALVES, MOMENTUM_COLORS, keys, largest_momenta
from .colors import HAND, RUNS
from .film_page import Film, Numbers, page
from .ground import floor_height, ground_meshes, with_a_body_at_rest
from .meshes import Mesh, with_normals

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray
BACKDROPS = ("stars", "ground", "none")
_SPEEDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)


@checked_arguments()
def film(
    what: Any,
    *,
    against: "Run | Sequence[Run] | Mapping[str, Run]" = (),
    plots: Sequence[str] | None = None,
    robots: Sequence[int] | None = None,
    side_by_side: bool = False,
    backdrop: str | None = None,
    follow: str | None = None,
    frames: int = 1200,
    degrees: bool = False,
    title: str | None = None,
    autoplay: bool = False,
) -> Film:
    """A page that plays a run in three dimensions, beside its key plots; one file that needs nothing else.

    Parameters
    ----------
    what : Run, Model, or (Model, State)
        What to show; a model alone stands still.
    against : Run, sequence or dict of Runs
        Others beside it: as ghosts in the same place, or side by side.
    plots : sequence of str, optional
        Quantities as in `Run.plot`; what a person wants to see first if left out, none if empty. Of a batch, those of
        the first robot that is shown.
    robots : sequence of int, optional
        Which of a batch; the first dozen if left out.
    side_by_side : bool
        How several are shown at first; there is a button for it.
    backdrop : 'stars', 'ground' or 'none', optional
        By gravity if left out.
    follow : 'stay', 'base', 'mass' or an endpoint's name, optional
        What the camera follows at first; the base, if it travels far.
    frames : int
        Most instants that are kept; motion between them is interpolated.
    degrees : bool
        Angles of the plots in degrees.
    title : str, optional
        The robot's name if left out.
    autoplay : bool
        Whether it plays when it is opened.

    Returns
    -------
    Film
        Shown by a notebook as it is; `.save(path)` writes the file.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0)
    >>> sd.film(run)
    <Film: 0.8 MB; .save('film.html') writes it>
    """
    from ..plots.figure import named_runs

    if backdrop is not None and backdrop not in BACKDROPS:
        raise UnknownName("backdrop", backdrop, BACKDROPS)
    if frames < 2:
        raise InputError(f"frames: a film needs at least 2, got {frames}")
    others = named_runs(against)
    if others and not isinstance(what, Recorded):
        raise InputError("against: only a Run can be shown beside other runs")
    things = {"this run": what, **others} if others else what
    actors, leaders, run = collect_actors(things, robots, frames)
    runs = [what, *others.values()] if run is not None else []
    numbers = Numbers()
    header = _header(actors, run, numbers)
    model = actors[0].model
    choice: dict[str, Any] = {
        "follow": _follow(actors, header, follow),
        "backdrop": backdrop or ("ground" if _gravity(run) else "stars"),
    }
    choice |= {
        "trails": True,
        "frames": False,
        "momentum": False,
        "forces": True,
        "reaction": False,
        "apart": bool(side_by_side),
    }
    first_shown = 0 if robots is None or not len(robots) else int(robots[0])
    chosen = plots if plots is not None else (key_names(run) if run is not None else ())
    header |= {
        "choice": choice,
        "chart_actors": leaders,
        "panels": _panels(runs, actors, leaders, first_shown, chosen, degrees, numbers),
        "title": title or model.name,
        "subtitle": _subtitle(actors, run, first_shown),
        "verdict": "" if run is None else f"ledger {run.audit().verdict.partition(',')[0]}, {run.audit().worst:.0e}",
        "bad": run is not None and not run.audit().within_budget,
        "events": [] if run is None else _events(run, robots),
        "autoplay": bool(autoplay),
    }
    return Film(page(header, numbers))


# --- the header ------------------------------------------------------------------------------------------------------


def _header(actors: list[Actor], run: Any, numbers: Numbers) -> dict[str, Any]:
    meshes = actor_meshes(actors)
    digests = list(dict.fromkeys(actor.model.digest for actor in actors))
    shown = [next(m for a, m in zip(actors, meshes, strict=True) if a.model.digest == digest) for digest in digests]
    up = np.array([0.0, 0.0, 1.0]) if not _gravity(run) else -run.gravity / np.linalg.norm(run.gravity)
    sizes = [bounds(actor, own) for actor, own in zip(actors, meshes, strict=True)]
    most: dict[tuple[str, str], float] = {}
    for arrow in (arrow for actor in actors for arrow in actor.arrows):
        most[arrow.kind, arrow.unit] = max(arrow.most, most.get((arrow.kind, arrow.unit), 0.0))
    momenta = largest_momenta(actors)
    size = max(size for _, size in sizes)
    ground = ground_meshes(run, actors[0].base, size)
    robots = min(lowest(actor, own, up) for actor, own in zip(actors, meshes, strict=True))
    if ground:  # a body that every robot has, and that stays where it is
        shown = [[*bodies, ground] for bodies in shown]
        actors = [with_a_body_at_rest(actor) for actor in actors]
    return {
        "models": [[_body(parts, numbers) for parts in bodies] for bodies in shown],
        "actors": [
            _actor(actor, i, digests.index(actor.model.digest), *sizes[i], momenta, most, numbers)
            for i, actor in enumerate(actors)
        ],
        "up": up.tolist(),
        "floor": floor_height(robots, ground, up, size),
        "cell": float(10.0 ** np.round(np.log10(0.5 * size))),
        "momentum_colors": MOMENTUM_COLORS,
        "keys": keys(actors[0], momenta),
        "speed": _speed(actors),
    }


def _gravity(run: Any) -> bool:
    return run is not None and run.gravity is not None and bool(np.any(run.gravity))


def _speed(actors: list[Actor]) -> float:
    """Playback speed: a long run lasts about a minute, none is in slow motion."""
    span = max(float(actor.time[-1] - actor.time[0]) for actor in actors)
    return next((speed for speed in _SPEEDS if speed >= 1 and span / speed <= 90.0), _SPEEDS[-1])


def _body(parts: Sequence[Mesh], numbers: Numbers) -> dict[str, Any] | None:
    """All meshes of a body as one, those that can be seen through last."""
    if not parts:
        return None
    ordered = sorted(parts, key=lambda part: part.opacity < 1.0)
    made = [with_normals(part) for part in ordered]
    vertices = np.concatenate([v for v, _, _ in made])
    normals = np.concatenate([n for _, n, _ in made])
    starts = np.cumsum([0, *(len(v) for v, _, _ in made)])
    index = np.concatenate([f + start for (_, _, f), start in zip(made, starts, strict=False)])
    rgba = [[*part.color, part.opacity] for part in ordered]
    colors = np.repeat(np.round(255 * np.array(rgba)), [len(v) for v, _, _ in made], axis=0)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    center, extent = (low + high) / 2.0, np.maximum((high - low) / 2.0, 1e-9)
    return {
        "position": numbers.put(np.round(32767 * (vertices - center) / extent), "i2"),
        "normal": numbers.put(np.round(127 * normals), "i1"),
        "color": numbers.put(colors, "u1"),
        "index": numbers.put(index, "u4" if len(vertices) > 65535 else "u2"),
        "center": center.tolist(),
        "extent": extent.tolist(),
        "opaque": int(sum(f.size for (_, _, f), part in zip(made, ordered, strict=True) if part.opacity >= 1.0)),
    }


def _actor(
    actor: Actor,
    i: int,
    model: int,
    center: Array,
    size: float,
    momenta: list[float],
    most: dict[tuple[str, str], float],
    numbers: Numbers,
) -> dict[str, Any]:
    places = {name: k for k, name in enumerate(actor.model.body_names)}
    endpoints = [
        {
            "name": e.name,
            "body": places[e.body],
            "position": e.position.tolist(),
            "quaternion": Rotation.from_matrix(e.rotation).as_quat().tolist(),
        }
        for e in actor.model.endpoints
    ]
    still = len(actor.time) < 2
    trails = [
        {"name": e.name, "color": HAND, "path": numbers.put(actor.endpoints[:, k] - actor.base[0], "f4")}
        for k, e in enumerate(actor.model.endpoints)
        if np.ptp(actor.endpoints[:, k], axis=0).max() > 1e-4 * size
    ]
    parts = [actor.momentum[:, own] / (value or 1.0) for own, value in zip(HALVES, momenta, strict=True)]
    return {
        "name": actor.name or actor.model.name,
        "model": model,
        "bodies": [*actor.model.body_names, "ground"][: actor.positions.shape[1]],
        "color": (0.88, 0.90, 0.94) if i == 0 else RUNS[(i - 1) % len(RUNS)],
        "center": center.tolist(),
        "size": size,
        "time": numbers.put(actor.time, "f8"),
        "base": numbers.put(actor.base, "f8"),
        "position": numbers.put(actor.positions, "f4"),
        "quaternion": numbers.put(np.round(32767 * actor.quaternions), "i2"),
        "mass": numbers.put(actor.com, "f4"),
        "momentum": None if still or not any(momenta) else numbers.put(np.concatenate(parts), "f4"),
        "endpoints": endpoints,
        "trails": [] if still else trails,
        "arrows": [
            {
                "label": arrow.label,
                "kind": arrow.kind,
                "line": arrow.line,
                "color": arrow.color,
                "from": numbers.put(arrow.start, "f4"),
                "vector": numbers.put(arrow.vector / (1.0 if arrow.line else most[arrow.kind, arrow.unit]), "f4"),
            }
            for arrow in actor.arrows
        ],
    }


def _follow(actors: list[Actor], header: dict[str, Any], wanted: str | None) -> str:
    names = actors[0].model.endpoint_names
    if wanted is None:
        far = max(float(np.linalg.norm(actor.base - actor.base[0], axis=-1).max()) for actor in actors)
        return "base" if far > 1.2 * header["actors"][0]["size"] else "stay"
    if wanted in ("stay", "base", "mass"):
        return wanted
    if wanted not in names:
        raise UnknownName("follow", wanted, ["stay", "base", "mass", *names])
    return str(names.index(wanted))


def _events(run: "Run", robots: Sequence[int] | None) -> list[dict[str, Any]]:
    """What happened to the robots that are shown."""
    if not run.shape:
        return [{"time": event.time, "name": event.name} for event in run.events]
    shown = range(MAX_ROBOTS) if robots is None else robots
    which = [int(np.ravel_multi_index(event.robot, run.shape)) for event in run.events]
    named = zip(run.events, which, strict=True)
    return [{"time": event.time, "name": f"{event.name} (robot {i})"} for event, i in named if i in shown]


def _subtitle(actors: list[Actor], run: Any, first_shown: int) -> str:
    if run is None:
        return repr(actors[0].model).strip("<>").partition(": ")[2]
    many = f", {run.simulation.robots} robots, plots of robot {first_shown}" if run.simulation.robots > 1 else ""
    laws = f", laws: {', '.join(law.name for law in run.laws)}" if run.laws else ""
    return f"{run.time[-1] - run.time[0]:g} s, {type(run.method).__name__}{laws}{many}"


def _panels(
    runs: "list[Run]",
    actors: list[Actor],
    leaders: list[int],
    robot: int,
    names: Sequence[str],
    degrees: bool,
    numbers: Numbers,
) -> list[dict[str, Any]]:
    """The plots: curves of one robot of each run, the first that is shown, at the film's instants."""
    if not runs:
        return []
    each = [[p for name in names for p in panels(run, name, degrees=degrees)] for run in runs]
    found = []
    for panel in each[0]:
        curves: list[Any] = []
        for own, leader in zip(each, leaders, strict=True):
            same = next(
                (p for p in own if (p.title, p.unit, p.labels) == (panel.title, panel.unit, panel.labels)), None
            )
            if same is None:
                curves.append(None)
                continue
            values = same.values.reshape(len(same.x), -1, len(panel.labels))[:, robot]
            curves.append(numbers.put(values[np.searchsorted(same.x, actors[leader].time)], "f4"))
        title = panel.title.partition(" [")[0]
        found.append(
            {
                "title": title,
                "unit": panel.unit,
                "labels": panel.labels,
                "least": panel.least,
                "ticks": dict(panel.ticks) or None,
                "curves": curves,
            }
        )
    return found
