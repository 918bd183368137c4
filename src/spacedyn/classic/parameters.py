"""LP: the robot as SpaceDyn's arrays have it; and the arrays that say what hangs on what."""

import warnings
from dataclasses import FrozenInstanceError
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, ModelError, ModelWarning
from ..model.files.array_forms import read_arrays, read_parents
from ..model.files.arrays import from_arrays, to_arrays
from ..model.model import Model
from ..reals import real_numbers
from .shapes import Array, side_by_side, vector, whole_numbers

_MOST_LINKS = 5000
ARGUMENTS = ("BB", "J_type", "c0", "cc", "ce", "SE", "Qi", "Qe", "m0", "m", "inertia0", "inertia")


class Topology(NamedTuple):
    """What hangs on what, in SpaceDyn's arrays; links are counted from 1."""

    BB: Array  # (n,) number of every link's parent, 0 for the base
    SS: Array  # (n, n) -1 on the diagonal; 1 in row i, column j, where link j hangs on link i
    S0: Array  # (n,) 1 for a link on the base
    SE: Array  # (n,) 1 for a link with an endpoint


def topology(BB: ArrayLike | Model, SE: ArrayLike | None = None) -> Topology:
    """SpaceDyn's BB, SS, S0 and SE of a robot, or of the parents of its links.

    Parameters
    ----------
    BB : Model, or (n,) array_like of int
        The robot; or the number of the parent of every link, 0 for the base.
    SE : (n,) array_like, optional
        1 for a link with an endpoint; zeros if left out. A model has its own.

    Returns
    -------
    Topology
        BB (n,), SS (n, n), S0 (n,), SE (n,), all of int.

    Raises
    ------
    ModelError
        A parent that does not exist, or links in a ring.

    Examples
    --------
    >>> BB, SS, S0, SE = topology([0, 1, 0], SE=[0, 1, 1])
    >>> SS
    array([[-1,  1,  0],
           [ 0, -1,  0],
           [ 0,  0, -1]])
    >>> parents(SS, S0)
    array([0, 1, 0])
    """
    if isinstance(BB, Model):
        if SE is not None:
            raise InputError("topology: a model has its own endpoints; leave SE out")
        hosts = {BB.body_index(endpoint.body) for endpoint in BB.endpoints}
        SE = [int(i in hosts) for i in range(1, BB.n + 1)]
        BB = BB.parents[1:]
    problems: list[str] = []
    found = read_parents(BB, problems)
    if found is None or problems:
        raise ModelError("BB", problems)
    n = len(found)
    if n > _MOST_LINKS:
        raise InputError(f"topology: SS has a number for every pair of {n} links; it is made for up to {_MOST_LINKS}")
    SS = np.zeros((n, n), dtype=int)
    np.fill_diagonal(SS, -1)
    for j, parent in enumerate(found):
        if parent > 0:
            SS[parent - 1, j] = 1
    ends = np.zeros(n, dtype=int) if SE is None else vector("SE", SE, n).astype(int)
    return Topology(np.array(found, dtype=int), SS, (np.array(found, dtype=int) == 0).astype(int), ends)


def parents(SS: ArrayLike, S0: ArrayLike) -> Array:
    """BB (n,), the number of every link's parent, from SpaceDyn's SS (n, n) and S0 (n,); undoes `topology`.

    Raises
    ------
    InputError
        A link that hangs on none, or on several.

    Examples
    --------
    >>> parents([[-1, 1], [0, -1]], [1, 0])
    array([0, 1])
    """
    n = real_numbers("S0", S0, "(n,)").size
    roots = vector("S0", S0, n)
    incidence = real_numbers("SS", SS, f"({n}, {n})")
    try:
        incidence = incidence.reshape(n, n)
    except ValueError:
        raise InputError(f"SS: expected shape ({n}, {n}), as S0 has {n} entries, got {np.shape(SS)}") from None
    found = np.zeros(n, dtype=int)
    for j in range(n):
        on = [i + 1 for i in range(n) if i != j and incidence[i, j] == 1]
        on += [0] if roots[j] == 1 else []
        if len(on) != 1 or incidence[j, j] != -1:
            raise InputError(
                f"column {j + 1} of SS, with S0, must say -1 for the link itself and 1 for its parent, or 1 in S0; "
                f"got {', '.join(f'{x:g}' for x in incidence[:, j])} and {roots[j]:g}"
            )
        found[j] = on[0]
    return topology(found).BB  # which finds rings


class LinkParameters:
    """A robot as SpaceDyn's LP: its arrays in MATLAB's shapes, checked, and the model made of them. Frozen.

    Parameters
    ----------
    BB : (n,) array_like of int, optional
        Number of the parent link of every link, 0 for the base; may be left out where SS and S0 are given.
    J_type : (n,) sequence of str
        'R' or 'P' for every joint; ``"RRP"`` will do.
    c0, ce : (3, n) array_like
        From the base's centre of mass to the joints on it, and from the links' to their endpoints [m], body axes.
    cc : (3, n, n) array_like
        ``cc[:, i - 1, j - 1]``: from the centre of mass of link i to joint j [m], axes of link i.
    SE : (n,) array_like
        1 for a link with an endpoint, else 0.
    Qi, Qe : (3, n) array_like
        Angles [rad] about x, the turned y, the turned z: of the joint in its parent, of the endpoint in its link.
    m0, m : float, (n,) array_like
        Masses [kg] of base and links.
    inertia0, inertia : (3, 3), (3, 3 n) array_like
        Inertias [kg m²] about the centres of mass, body axes, those of links side by side.
    SS, S0, num_q, mass : optional
        What SpaceDyn has its users type as well; checked against the others.

    Attributes
    ----------
    num_q : int
        Number of joints.
    mass : float
        Of base and links together [kg].
    model : Model
        The robot for all other functions of the package: bodies base, link1, …, joints joint1, …, endpoints
        endpoint1, … in the order of their links.

    Raises
    ------
    ModelError
        With every wrong shape and contradiction.

    Notes
    -----
    Arrays with the link first, such as c0 (n, 3) and inertia (n, 3, 3), are taken too: `Model.from_arrays` says how
    the two are told apart for three joints. Read-only; `replace` makes an LP with some of its arrays changed.

    Examples
    --------
    >>> import spacedyn as sd
    >>> LP = LinkParameters.from_model(sd.load("two_arm_sample"))
    >>> LP
    <LinkParameters: 6 joints RRPRRP, 2 endpoints, 160 kg>
    >>> LP.BB, LP.c0[:, 0]
    (array([0, 1, 2, 0, 4, 5]), array([0., 1., 0.]))
    """

    num_q: int
    BB: Array  # (n,)
    SS: Array  # (n, n)
    S0: Array  # (n,)
    SE: Array  # (n,)
    J_type: str
    m0: float
    m: Array  # (n,)
    mass: float
    inertia0: Array  # (3, 3)
    inertia: Array  # (3, 3 n)
    c0: Array  # (3, n)
    cc: Array  # (3, n, n)
    ce: Array  # (3, n)
    Qi: Array  # (3, n)
    Qe: Array  # (3, n)
    model: Model
    links: tuple[int, ...]

    def __init__(
        self,
        *,
        J_type: Any,
        c0: ArrayLike,
        cc: ArrayLike,
        ce: ArrayLike,
        SE: ArrayLike,
        Qi: ArrayLike,
        Qe: ArrayLike,
        m0: float,
        m: ArrayLike,
        inertia0: ArrayLike,
        inertia: ArrayLike,
        BB: ArrayLike | None = None,
        SS: ArrayLike | None = None,
        S0: ArrayLike | None = None,
        num_q: int | None = None,
        mass: float | None = None,
        name: str = "robot",
    ):
        if BB is None:
            if SS is None or S0 is None:
                raise InputError("LinkParameters: give BB, the parents of the links, or both SS and S0")
            BB = parents(SS, S0)
        values = (BB, J_type, c0, cc, ce, SE, Qi, Qe, m0, m, inertia0, inertia)
        given: dict[str, Any] = dict(zip(ARGUMENTS, values, strict=True))
        repeated: dict[str, Any] = {"n": num_q, "mass_total": mass, "SS": SS, "S0": S0}
        model = from_arrays(**given, **repeated, name=name)
        read = read_arrays(given, repeated, [])  # the same arrays in one form: the call above found them sound
        self._fill(model, read)

    def _fill(self, model: Model, read: dict[str, Any]) -> None:
        shape = topology(read["BB"], read["SE"])
        columns = {key: np.array(np.moveaxis(read[key], -1, 0)) for key in ("c0", "cc", "ce", "Qi", "Qe")}
        inertias = {"inertia0": np.array(read["inertia0"]), "inertia": side_by_side(read["inertia"])}
        arrays = {**shape._asdict(), **columns, **inertias, "m": np.array(read["m"])}
        for array in arrays.values():
            array.setflags(write=False)
        scalars = {"num_q": model.n, "m0": float(read["m0"]), "mass": model.total_mass}
        text = {"J_type": "".join(read["J_type"])}
        links = tuple(int(i) + 1 for i in np.flatnonzero(shape.SE))
        vars(self).update(**arrays, **scalars, **text, model=model, links=links)

    @classmethod
    def from_model(cls, model: Model) -> "LinkParameters":
        """The LP of any model with revolute and prismatic joints, at most one endpoint on a link and none on the base.

        A link whose joint has another axis than z gets a frame turned so that it has; the base counts as free, and
        springs, dampers, friction and rotors are left out with a warning: see `arrays.to_arrays`.
        """
        if not isinstance(model, Model):
            raise InputError(f"LinkParameters.from_model: expected a Model, got {type(model).__name__}")
        arrays = to_arrays(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # it was checked, and warned of, when it was made
            return cls(**arrays, name=model.name)

    def replace(self, **changes: Any) -> "LinkParameters":
        """Another LP with some arrays changed; SS and S0 follow BB.

        Examples
        --------
        >>> import spacedyn as sd
        >>> LP = LinkParameters.from_model(sd.load("planar_four_link"))
        >>> LP.replace(m0=LP.m0 + 5.0).mass - LP.mass
        5.0
        """
        now: dict[str, Any] = {key: getattr(self, key) for key in ARGUMENTS}
        if "BB" not in changes and {"SS", "S0"} <= set(changes):
            del now["BB"]
        return LinkParameters(**{**now, "name": self.model.name, **changes})

    def endpoint_link(self, num_e: Any) -> int:
        """Number of the link that carries the num_e-th endpoint, both counted from 1."""
        number = whole_numbers("num_e", num_e, len(self.links), "endpoint")
        if len(number) != 1:
            raise InputError(f"num_e: expected the number of one endpoint, got {number}")
        return self.links[number[0] - 1]

    def chain(self, link: int) -> list[int]:
        """The joints from the base to a link, counted from 1."""
        way: list[int] = []
        while link > 0:
            way.insert(0, link)
            link = int(self.BB[link - 1])
        return way

    def __setattr__(self, name: str, _: Any) -> NoReturn:
        raise FrozenInstanceError(f"LP is frozen: cannot set {name}; write LP = LP.replace({name}=…)")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"LP is frozen: cannot delete {name}")

    def __repr__(self) -> str:
        joints = f"{self.num_q} joint{'s' if self.num_q != 1 else ''}{' ' if self.J_type else ''}{self.J_type}"
        ends = f"{len(self.links)} endpoint{'s' if len(self.links) != 1 else ''}"
        return f"<LinkParameters: {joints}, {ends}, {self.mass:g} kg>"
