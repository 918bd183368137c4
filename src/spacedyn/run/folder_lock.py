"""A lock on a folder while a run is written to it: by the operating system, so that it ends with its process.

The file `lock` stays in the folder, and says who holds it. Whoever only reads does not look at it.
"""

import contextlib
import errno
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError, RunWarning, warn_user

LOCK = "lock"
_BYTE = 1 << 30  # that is locked on Windows, where others cannot read what is
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
_MAX_LOCK_BYTES = 400  # of the lock file that are read

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        os.lseek(handle, _BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _release(handle: int) -> None:
        os.lseek(handle, _BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder for this process alone to write to; InputError if another one, or another run here, writes to it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(folder / LOCK, flags, 0o666)
    try:
        held = _taken(handle, folder)
        try:
            with contextlib.suppress(OSError):  # on a full disk the lock holds without words
                since = time.strftime("%Y-%m-%d %H:%M:%S")
                _write(handle, f"process {os.getpid()} on {socket.gethostname()} since {since}")
            yield
        finally:
            with contextlib.suppress(OSError):
                _write(handle, "")
                if held:
                    _release(handle)
    finally:
        os.close(handle)


def _taken(handle: int, folder: Path) -> bool:
    """Whether the lock was taken; False, with a warning, where the file system has none."""
    try:
        _take(handle)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            warn_user(f"the file system of '{folder}' has no locks: let only one process write there", RunWarning)
            return False
        os.lseek(handle, 0, os.SEEK_SET)
        who = os.read(handle, _MAX_LOCK_BYTES).decode("utf-8", "replace").strip()
        raise InputError(
            f"'{folder}' is being written to by {who if who.isprintable() and who else 'another process'}; wait until "
            "it ends, or choose another folder. Run.load reads it meanwhile"
        ) from None
    return True


def _write(handle: int, words: str) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, words.encode())
