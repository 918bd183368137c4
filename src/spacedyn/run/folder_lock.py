"""A lock on a folder while a run is written to it: by the operating system, so that it ends with its process.

The file `lock` stays in the folder, and names its holder. Readers ignore it.
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
_BYTE = 1 << 30  # the byte that is locked on Windows, beyond the text, since locked bytes cannot be read
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
_MAX_LOCK_BYTES = 400  # most bytes that are read of the lock file

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
    """Lock the folder for writing; InputError if another process, or another run of this one, holds the lock."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(folder / LOCK, flags, 0o666)
    try:
        held = _taken(handle, folder)
        try:
            with contextlib.suppress(OSError):  # the lock holds even if a full disk keeps its text from being written
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
    """Take the lock; return False, with a warning, where the file system has no locks."""
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
