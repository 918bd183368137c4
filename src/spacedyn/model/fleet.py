"""Robots of one tree whose parameters differ: what `Model.vary` makes."""

import html
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from ..errors import InputError, ModelError, NoSuchRobot, Problems, warn_of_all
from .model import Model
from .parts import Body, stacked
from .variation import Variation, check_variation, part_of_robot, read_variation, varied_parts

Array = np.ndarray


class Fleet(Model):
    """A Model whose robots share names, joints and order, and differ in numbers; made by `Model.vary`.

    Every function takes it as it takes a Model, with a State of the same batch: `fleet.state(...)`. The parts read as
    those of a Model, with arrays (*shape, …) where robots differ.

    Attributes
    ----------
    shape : tuple of int
        The batch axes.
    nominal : Model
        The robot that was varied.
    variation : dict
        {field: {name: (*shape, …)}}, what differs.
    """

    shape: tuple[int, ...]
    nominal: Model
    _variation: Variation

    @classmethod
    def _varied(cls, nominal: Model, variation: Variation) -> "Fleet":
        fleet = object.__new__(cls)
        parts = varied_parts(nominal, variation)
        content = {"bodies": parts["body"], "joints": parts["joint"], "endpoints": parts["endpoint"]}
        vars(fleet).update(name=nominal.name, base_kind=nominal.base_kind, **content)
        vars(fleet).update(shape=variation.shape, nominal=nominal, _variation=variation)
        return fleet

    @property
    def count(self) -> int:
        """Number of robots."""
        return int(np.prod(self.shape, dtype=int))

    @cached_property
    def total_mass(self) -> Array:  # type: ignore[override]
        """Total mass of each robot, (*shape,) [kg]."""
        return np.broadcast_to(stacked(self.bodies, "mass").sum(axis=-1), self.shape)

    @property
    def variation(self) -> dict[str, dict[str, Array]]:
        """What differs: {field: {name: (*shape, …)}}; `nominal.vary(**variation)` is this fleet."""
        found: dict[str, dict[str, Array]] = {}
        for (_, name), fields in self._variation.values.items():
            for field, value in fields.items():
                found.setdefault(field, {})[name] = value
        return found

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Model]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Model:
        """One robot as a Model of its own, or some of them; indexed like an array over the batch axes."""
        try:
            robots = np.arange(self.count).reshape(self.shape)[index]
        except Exception as reason:  # whatever NumPy, or a foreign object, says of such an index
            raise NoSuchRobot(f"the fleet of shape {self.shape} has no such robots: {reason}") from None
        if robots.size == 0:
            raise NoSuchRobot(f"a fleet has at least one robot; of the fleet of shape {self.shape} none was taken")
        return self.of_rows(robots)

    def of_rows(self, rows: Array) -> Model:
        """The robots of rows (…) of states, which repeat the fleet again and again: a Model, or a Fleet of that shape.

        Where they are just this fleet, once or more often, it is this one. Where there are none, the robot that was
        varied stands for them.
        """
        robots = np.asarray(rows) % self.count
        if robots.ndim == 0:
            return self._robot(int(robots))
        whole = robots.shape[robots.ndim - len(self.shape) :] == self.shape
        if whole and (robots == np.arange(self.count).reshape(self.shape)).all():
            return self
        return self._some(robots) if robots.size else self.nominal

    def repeated(self, shape: tuple[int, ...]) -> "Fleet":
        """A fleet of more robots, (…, *self.shape): these again and again."""
        return self._some(np.broadcast_to(np.arange(self.count).reshape(self.shape), shape))

    def _some(self, robots: Array) -> "Fleet":
        values = {
            key: {f: v.reshape(self.count, *v.shape[len(self.shape) :])[robots] for f, v in fields.items()}
            for key, fields in self._variation.values.items()
        }
        some = Fleet._varied(self.nominal, Variation(robots.shape, values))
        vars(some)["flat"] = self.flat.of_robots(robots.reshape(-1))
        return some

    def _robot(self, robot: int) -> Model:
        """One robot; the last one is kept, since checks of a simulation ask for the first again and again."""
        known, model = vars(self).get("_last_robot", (-1, self))
        if known != robot:
            model = self._made_robot(robot)
            vars(self)["_last_robot"] = robot, model
        return model

    def _made_robot(self, robot: int) -> Model:
        nominal = self.nominal
        lists: dict[str, tuple[Any, ...]] = {
            "body": nominal.bodies,
            "joint": nominal.joints,
            "endpoint": nominal.endpoints,
        }
        parts = {
            sort: [part_of_robot(part, self._variation.values.get((sort, part.name), {}), robot) for part in listed]
            for sort, listed in lists.items()
        }
        model = Model._of(self.name, self.base_kind, parts["body"], parts["joint"], parts["endpoint"])
        vars(model)["flat"] = self.flat.of_robots(np.array([robot]))
        return model

    # --- what is for one robot ---------------------------------------------------------------------------------------

    def _refuse(self, what: str) -> NoReturn:
        raise InputError(f"{what} is for one robot; take one, fleet[0].{what}(...), or do it before vary(...)")

    def lock(self, *_: Any, **__: Any) -> Model:
        """Raise InputError: this is for one robot, not for a fleet."""
        self._refuse("lock")

    def subtree(self, *_: Any, **__: Any) -> Model:
        """Raise InputError: this is for one robot, not for a fleet."""
        self._refuse("subtree")

    def attach(self, *_: Any, **__: Any) -> Model:
        """Raise InputError: this is for one robot, not for a fleet."""
        self._refuse("attach")

    def to_arrays(self) -> dict[str, Any]:
        """Raise InputError: this is for one robot, not for a fleet."""
        self._refuse("to_arrays")

    def to_urdf(self, *_: Any, **__: Any) -> str:
        """Raise InputError: this is for one robot, not for a fleet."""
        self._refuse("to_urdf")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.nominal, self._variation)

    def __repr__(self) -> str:
        what = ", ".join(self.variation) or "nothing"
        return f"<Fleet of '{self.name}': {self.shape} robots, which differ in {what}>"

    def __str__(self) -> str:
        return f"{self.nominal}\n{self.shape} robots differ in: {self._differences()}"

    def _repr_html_(self) -> str:
        return f"{self.nominal._repr_html_()}<p>{self.shape} robots differ in: {html.escape(self._differences())}</p>"

    def _differences(self) -> str:
        return "; ".join(f"{field} of {', '.join(parts)}" for field, parts in self.variation.items())


def _restored(nominal: Model, variation: Variation) -> Fleet:
    """A fleet out of a pickle, its arrays read-only again."""
    for fields in variation.values.values():
        for value in fields.values():
            value.setflags(write=False)
    return Fleet._varied(nominal, variation)


def vary(model: Model, given: Mapping[str, Any], most: float = np.inf) -> Model:
    """See `Model.vary`; `most` bounds how many numbers may differ."""
    nominal, before = model, Variation((), {})
    if isinstance(model, Fleet):
        nominal, before = model.nominal, model._variation
    variation = read_variation(nominal, given, before, most)
    if 0 in variation.shape:
        raise InputError(f"vary: there are no robots: the batch axes are {variation.shape}")
    check_variation(nominal, variation)
    fleet = Fleet._varied(nominal, variation)
    _check_inertias(fleet)
    return fleet if variation.shape else fleet._robot(0)


def _check_inertias(fleet: Fleet) -> None:
    """Warn of robots that no mass distribution has; raise for robots that cannot be moved."""
    doubtful, slight = [], False
    for body in fleet.bodies:
        moments = np.linalg.eigvalsh(body.inertia)
        least, middle, most = moments[..., 0], moments[..., 1], moments[..., 2]
        slight |= bool(np.any(least <= 1e-12 * most) or np.any(np.asarray(body.mass) <= 0.0))
        broken = np.broadcast_to(most > (least + middle) * (1.0 + 1e-6), fleet.shape)
        if moments.ndim > 1 and broken.any():
            doubtful.append(_broken_triangle(body, np.flatnonzero(broken), fleet.shape))
    if slight:  # else every joint has inertia against it
        _refuse_singular(fleet)
    warn_of_all("", doubtful)


def _broken_triangle(body: Body, robots: Array, shape: tuple[int, ...]) -> str:
    named = ", ".join(_place(robot, shape) for robot in robots[:20].tolist())
    more = f" and {len(robots) - 20} more" if len(robots) > 20 else ""
    return (
        f"body '{body.name}' of robot {named}{more}: its principal moments break the triangle inequality (the largest "
        "exceeds the sum of the others), which no rigid body can; check its inertia."
    )


def _refuse_singular(fleet: Fleet) -> None:
    from .singular import singular_joints

    problems = Problems(fleet.name)
    for robot in range(fleet.count):
        place = _place(robot, fleet.shape)
        problems.extend(f"robot {place}: {problem}" for problem in singular_joints(fleet._robot(robot)))
    if problems:
        raise ModelError(fleet.name, problems)


def _place(robot: int, shape: tuple[int, ...]) -> str:
    return ", ".join(str(int(i)) for i in np.unravel_index(robot, shape)) if shape else "0"
