"""Same-origin check of the live viewer: it answers only its own pages, no other page in this machine's browser.

A browser lets any page open a WebSocket to localhost, and a name of somebody else's can be made to point there. So the
`Host` of every request must be this machine's own name and port, and the `Origin` of a WebSocket a page of that server.
"""

import contextlib
import importlib
import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import InputError

_NAMES = ("localhost", "127.0.0.1", "[::1]")
_one_at_a_time = threading.Lock()


def is_own(headers: Any, port: int) -> bool:
    """Whether a request comes from a page of the server on this port of this machine.

    Parameters
    ----------
    headers : websockets.Headers
        Of the request.
    port : int
        Where the server listens.
    """
    hosts = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())
    asked, origins = headers.get_all("Host"), headers.get_all("Origin")
    if len(asked) != 1 or asked[0].lower() not in hosts:
        return False
    if not origins:  # a browser sends one with every WebSocket, but not with every page
        return not headers.get_all("Upgrade")
    return len(origins) == 1 and origins[0].lower() in {f"http://{host}" for host in hosts}


def own_server(port: int) -> Any:
    """A viser server on this port or the next free one of this machine, for its own pages only.

    Raises InputError, and leaves no server behind, if this version of viser cannot be restricted so.
    """
    try:
        import viser
    except ModuleNotFoundError as error:
        raise InputError(
            "the viewer needs viser: pip install 'spacedyn[view]'; or write a film, run.to_html(...)"
        ) from error
    with contextlib.redirect_stdout(io.StringIO()), _restricted() as restricted:  # viser prints where it is
        server = viser.ViserServer(host="127.0.0.1", port=port, label="spacedyn", verbose=False)
        if not restricted:
            server.stop()
    if not restricted:
        raise InputError(
            f"the server of viser {viser.__version__} cannot be restricted to this machine's own pages: "
            "install viser 1.1; or write a film, run.to_html(...)"
        )
    return server


@contextlib.contextmanager
def _restricted() -> Iterator[list[Any]]:
    """Inside the block, every server that viser starts gets the check `is_own` and is added to the list.

    viser has no setting for this: the class of `websockets` by which it starts its server is replaced meanwhile.
    Servers of others that start at the same time stay as they are.
    """
    server: Any = importlib.import_module(
        "websockets.asyncio.server"
    )  # comes with viser, an extra: no types to rely on
    plain, restricted = server.serve, list[Any]()

    class Restricted(plain):  # type: ignore[misc, valid-type]
        def __init__(self, handler: Any, *arguments: Any, process_request: Any = None, **options: Any):
            if str(getattr(handler, "__module__", "")).partition(".")[0] == "viser":
                process_request = _checking(process_request)
                restricted.append(self)
            super().__init__(handler, *arguments, process_request=process_request, **options)

    with _one_at_a_time:
        server.serve = Restricted
        try:
            yield restricted
        finally:
            server.serve = plain


def _checking(answer: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any]:
    """A request handler that refuses requests of other pages."""

    def process_request(connection: Any, request: Any) -> Any:
        if not is_own(request.headers, connection.local_address[1]):
            return connection.respond(403, "This viewer answers pages of this machine only: open it at localhost.\n")
        return None if answer is None else answer(connection, request)

    return process_request
