"""Names that were at the top of the package before `sd.actions` gathered them; they go on working."""

from numpy.typing import ArrayLike

from ..signatures import checked_arguments
from . import actions
from .action_kinds import Switch


def lock(*joints: str) -> Switch:
    """An action for events, now `sd.actions.lock`."""
    return actions.lock(*joints)


def free(*joints: str) -> Switch:
    """An action for events, now `sd.actions.free`."""
    return actions.free(*joints)


def follow(*joints: str) -> Switch:
    """An action for events, now `sd.actions.follow`."""
    return actions.follow(*joints)


def attach(*joints: str) -> Switch:
    """An action for events, now `sd.actions.attach`."""
    return actions.attach(*joints)


@checked_arguments()
def release(joint: str, rates: ArrayLike | None = None) -> Switch:
    """An action for events, now `sd.actions.release`."""
    return actions.release(joint, rates)
