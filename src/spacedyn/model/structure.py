"""Sizes, names and places in a tree of bodies, joints and endpoints."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..errors import NamesItsAttributes, UnknownName
from .parts import BASE_KINDS, Body, Endpoint, Joint


class Structure(NamesItsAttributes):
    """What a Model has of which parts, and where; `Model` is the robot, and lists the attributes."""

    name: str
    base_kind: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    endpoints: tuple[Endpoint, ...]
    _instead: ClassVar[Mapping[str, str]] = {
        "mass": "model.total_mass is that of all bodies, model.body(name).mass that of one",
        "gravity": "it belongs to a simulation: simulate(..., gravity=...)",
        "to_mjcf": "models are written as TOML (to_toml) and URDF (to_urdf)",
    }

    # --- sizes and names ---------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @cached_property
    def nq(self) -> int:
        """Number of joint coordinates."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of rates, the base's included: the length of u."""
        return self.base_dof + sum(joint.nv for joint in self.joints)

    @property
    def base_dof(self) -> int:
        """Number of rates of the base."""
        return BASE_KINDS[self.base_kind]

    @cached_property
    def total_mass(self) -> float:
        """Total mass of all bodies [kg]."""
        return float(sum(body.mass for body in self.bodies))

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names in the order of `bodies`, the base first."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names in the order of `joints`, which is that of q and q̇."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def endpoint_names(self) -> tuple[str, ...]:
        """Names in the order of `endpoints`."""
        return tuple(endpoint.name for endpoint in self.endpoints)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of every body's parent in `bodies`; the base's is -1. A parent's may be larger than its child's."""
        place = self._places["body"]
        return (-1, *(place[joint.parent] for joint in self.joints))

    def body_index(self, name: str | int) -> int:
        """Place of a body in `bodies`, by its name; raises UnknownName. An index passes through."""
        return self._find("body", name, self.body_names)

    def joint_index(self, name: str | int) -> int:
        """Place of a joint in `joints`, by its name; raises UnknownName. An index passes through."""
        return self._find("joint", name, self.joint_names)

    def endpoint_index(self, name: str | int) -> int:
        """Place of an endpoint in `endpoints`, by its name; raises UnknownName. An index passes through."""
        return self._find("endpoint", name, self.endpoint_names)

    def body(self, name: str | int) -> Body:
        """The body of that name."""
        return self.bodies[self.body_index(name)]

    def joint(self, name: str | int) -> Joint:
        """The joint of that name."""
        return self.joints[self.joint_index(name)]

    def endpoint(self, name: str | int) -> Endpoint:
        """The endpoint of that name."""
        return self.endpoints[self.endpoint_index(name)]

    # --- where a joint's numbers are ---------------------------------------------------------------------------------

    def q_slice(self, joint: str | int) -> slice:
        """The slice of q that holds a joint's coordinates."""
        return self._slices[self.joint_index(joint)][0]

    def qd_slice(self, joint: str | int) -> slice:
        """The slice of q̇ that holds a joint's rates."""
        return self._slices[self.joint_index(joint)][1]

    def u_slice(self, joint: str | int) -> slice:
        """The slice of u = (base rates, q̇) that holds a joint's rates."""
        rates = self.qd_slice(joint)
        return slice(self.base_dof + rates.start, self.base_dof + rates.stop)

    @cached_property
    def _places(self) -> dict[str, dict[str, int]]:
        lists = {"body": self.body_names, "joint": self.joint_names, "endpoint": self.endpoint_names}
        return {what: {name: i for i, name in enumerate(names)} for what, names in lists.items()}

    @cached_property
    def _slices(self) -> list[tuple[slice, slice]]:
        q = np.cumsum([0, *(joint.nq for joint in self.joints)]).tolist()
        v = np.cumsum([0, *(joint.nv for joint in self.joints)]).tolist()
        return [(slice(q[i], q[i + 1]), slice(v[i], v[i + 1])) for i in range(self.n)]

    def _find(self, what: str, name: str | int, names: Sequence[str]) -> int:
        if isinstance(name, str):
            place = self._places[what].get(name)
        else:
            place = int(name) if _is_place(name, len(names)) else None
        if place is None:
            raise UnknownName(what, name, names)
        return place


def _is_place(value: Any, count: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < count
