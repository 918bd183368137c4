"""Check that a description is one tree, rooted at the base, with endpoints on its bodies."""

from collections.abc import Sequence

from ..errors import nearest
from .parts import Body, Endpoint, Joint
from .values import shown

Movers = dict[str, list[tuple[str, str]]]
"""For every body, the joints that move it: (joint's name, parent's name)."""


def check_connections(
    problems: list[str], bodies: Sequence[Body], joints: Sequence[Joint], endpoints: Sequence[Endpoint]
) -> None:
    """Report unknown body names, bodies with two parents, rings, and bodies that no joint connects to the base."""
    names = [body.name for body in bodies if isinstance(body.name, str)]
    base = bodies[0].name if bodies and isinstance(bodies[0].name, str) else None
    movers: Movers = {name: [] for name in names}
    for joint in joints:
        label = f"joint {shown(joint.name)}"
        for role, body in (("parent", joint.parent), ("child", joint.child)):
            if not isinstance(body, str) or body not in movers:
                problems.append(f"{label}: its {role} {shown(body)} is not a body; {nearest(str(body), names)}.")
        if isinstance(joint.child, str) and joint.child in movers:
            movers[joint.child].append((str(joint.name), str(joint.parent)))
            if joint.child == base:
                problems.append(
                    f"{label}: its child is the base {base!r}, which no joint moves; swap parent and child."
                )
    for endpoint in endpoints:
        if not isinstance(endpoint.body, str) or endpoint.body not in movers:
            problems.append(
                f"endpoint {shown(endpoint.name)}: its body {shown(endpoint.body)} is not there; "
                f"{nearest(str(endpoint.body), names)}."
            )
    for name, by in movers.items():
        if len(by) > 1 and name != base:
            listed = " and ".join(f"'{joint}'" for joint, _ in by)
            problems.append(
                f"body '{name}': joints {listed} move it, but a body of a tree has one parent; keep one joint."
            )
    _check_roots(problems, movers, base)


def _check_roots(problems: list[str], movers: Movers, base: str | None) -> None:
    """Climb from every body to its root; bodies beyond one fault are named with it, not reported again."""
    roots: dict[str, str | None] = {}  # None: a fault that has been reported
    hanging: dict[str, list[str]] = {}
    for name in movers:
        path: list[str] = []
        on_path: set[str] = set()
        body = name
        while body in movers and body != base and movers[body] and body not in roots and body not in on_path:
            path.append(body)
            on_path.add(body)
            body = movers[body][0][1]
        if body in on_path:
            _report_ring(problems, path[path.index(body) :], movers)
            root = None
        else:
            root = roots.get(body, body if body in movers else None)
        roots.update(dict.fromkeys(path, root))
        if root is not None and root != base:
            hanging.setdefault(root, []).extend(path)
    for root, others in hanging.items():
        along = f" (and {', '.join(repr(other) for other in others)} with it)" if others else ""
        problems.append(f"body '{root}': no joint moves it{along}; add a joint with child='{root}', or remove it.")


def _report_ring(problems: list[str], ring: list[str], movers: Movers) -> None:
    if len(ring) == 1:
        joint = movers[ring[0]][0][0]
        problems.append(f"joint '{joint}': it joins body '{ring[0]}' to itself; give another parent.")
        return
    listed = ", ".join(f"'{movers[body][0][0]}'" for body in reversed(ring))
    bodies = ", ".join(f"'{body}'" for body in reversed(ring))
    problems.append(
        f"joints {listed} make a ring of bodies {bodies}, but a robot is a tree; "
        f"give one of these bodies a parent outside the ring, on the way to the base."
    )
