"""What a case may touch: the files of Python and of its own folder. Anything else is noted."""

import ctypes
import os
import struct
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy

import spacedyn
from spacedyn.kernels.scalar.compiling import cache_directory

_OPEN, _CREATE, _MODIFY, _DELETE, _IS_FOLDER = 0x20, 0x100, 0x2, 0x200, 0x40000000
_OF_PATHS = {
    *("open", "os.remove", "os.rmdir", "os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod"),
    *("os.listdir", "os.scandir", "os.utime", "shutil.rmtree", "shutil.copyfile", "shutil.move"),
}
_FORBIDDEN = {
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty"),
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "webbrowser.open"),
    *("os.startfile", "os.kill", "ftplib.connect", "smtplib.connect"),
}
_SYSTEM = ("/dev/null", "/dev/urandom", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/sys/")


class Fence:
    """Notes files, processes and connections outside of what is allowed.

    Python's own audit events tell of what Python code does; `inotify`, where there is one, tells when compiled code
    opens the bait or leaves something in the current folder.
    """

    def __init__(self, allowed: Path, bait: Path, here: Path):
        package, cache = Path(spacedyn.__file__).parent, cache_directory()
        roots = [allowed, package, sys.prefix, sys.base_prefix, Path(numpy.__file__).parents[1], Path(__file__).parent]
        roots += [] if cache is None else [cache]
        both = {os.path.abspath(root) for root in roots} | {os.path.realpath(root) for root in roots}
        shared = os.path.join(tempfile.gettempdir(), "spacedyn-cache-")  # where machine code may be as well
        self._allowed = (*sorted(f"{root}{os.sep}" for root in both), shared, *_SYSTEM)
        self._exact = both
        self._armed, self.noted = False, []  # type: tuple[bool, list[tuple[str, str]]]
        self._watch = _Watch({bait: _OPEN, here: _CREATE | _MODIFY | _DELETE})
        sys.addaudithook(self._hook)

    @contextmanager
    def up(self) -> Iterator[None]:
        """While a case runs; what it did afterwards stands in `noted`."""
        self.noted.clear()
        self._armed = True
        try:
            yield
        finally:
            self._armed = False
            self.noted += [("outside", f"compiled code opened or wrote {name}") for name in self._watch.seen()]

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._armed or (event not in _OF_PATHS and event not in _FORBIDDEN):
            return
        named = arguments[:1] if event == "open" else arguments[:2]
        paths = [one for one in named if isinstance(one, str | bytes | os.PathLike)]
        if event in ("os.remove", "os.rmdir") and arguments[1] >= 0:  # relative to a folder that is open
            paths = [os.path.join(os.readlink(f"/proc/self/fd/{arguments[1]}"), os.fsdecode(paths[0]))]
        if event in _OF_PATHS and all(self._inside(path) for path in paths):
            return
        self._armed = False  # what is noted here must not be noted itself
        stack = "".join(traceback.format_stack(sys._getframe(1), limit=12))
        self.noted.append(("outside", f"{stack}{event} {arguments[:2]!r}"))
        self._armed = True

    def _inside(self, path: Any) -> bool:
        name = os.path.abspath(os.fsdecode(path))
        return name.startswith(self._allowed) or name in self._exact


class _Watch:
    """Folders watched by inotify; none where the system has none."""

    def __init__(self, folders: dict[Path, int]):
        self._handle, self._folders = -1, {}  # type: tuple[int, dict[int, str]]
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            self._handle = libc.inotify_init1(os.O_NONBLOCK)
            for folder, mask in folders.items():
                self._folders[libc.inotify_add_watch(self._handle, os.fsencode(folder), mask)] = folder.name
        except (AttributeError, OSError):
            self._handle = -1

    def seen(self) -> list[str]:
        """Files since the last time."""
        try:
            data = b"" if self._handle < 0 else os.read(self._handle, 65536)
        except BlockingIOError:
            return []
        found, at = set(), 0
        while at < len(data):
            watch, mask, _, length = struct.unpack_from("iIII", data, at)
            name = data[at + 16 : at + 16 + length].rstrip(b"\0").decode("utf-8", "replace")
            at += 16 + length
            if not mask & _IS_FOLDER:
                found.add(f"{self._folders.get(watch, '')}/{name}")
        return sorted(found)
