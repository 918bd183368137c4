"""Folders of compiled code, from which only files that nobody else can have written are read.

Compiled code is unpickled and run. The digest in a file shows damage, not who wrote it, so ownership decides: the
folder, the folder of this version in it, and the file must belong to this user or to root, and nobody else may write to
them. A group that is this user's alone may: its folders are writable by the group under the umask 002 of many systems.
Parent folders are not checked: whoever may rename those still cannot make a file that belongs to this user.
"""

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from ...errors import CacheWarning, warn_user

_ASKED, _COMMON = "SPACEDYN_CACHE_DIR", "XDG_CACHE_HOME"
_TEMPORARY = "spacedyn-cache-"
_told: set[str] = set()


def cache_roots() -> list[Path]:
    """Folders that may hold compiled code, in the order they are tried.

    $SPACEDYN_CACHE_DIR and no other, if it is set; else the user's cache folder, then one in the temporary folder.
    """
    asked, common = os.environ.get(_ASKED), os.environ.get(_COMMON, "")
    try:
        if asked:
            named = Path(asked).expanduser()
        else:
            named = (Path(common) if os.path.isabs(common) else Path.home() / ".cache") / "spacedyn"
        roots = [Path(os.path.realpath(named))]  # follow a link: the user has chosen it
    except (RuntimeError, ValueError):  # a user without a home, a path with NUL
        roots = []
    with contextlib.suppress(OSError):  # no directory may be writable
        if not asked:
            user = os.getuid() if hasattr(os, "getuid") else "user"
            roots.append(Path(tempfile.gettempdir()) / f"{_TEMPORARY}{user}")
    return roots


def is_trusted(*folders: Path) -> bool:
    """Whether nobody else can have put code into these folders; warns of one that is not trusted.

    A missing folder is trusted. There is no warning of the one in the temporary folder, which anyone can make.
    """
    for folder in folders:
        try:
            reason = refusal(folder.lstat(), stat.S_IFDIR)
        except OSError:
            continue  # missing or unreachable: nothing is read from it either
        if reason:
            if not folder.name.startswith(_TEMPORARY):
                _warn(folder, reason)
            return False
    return True


def read_trusted(file: Path) -> bytes:
    """Content of a file; OSError if it does not exist, or if someone else can have written it."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(file, flags), "rb") as opened:
        reason = refusal(os.fstat(opened.fileno()), stat.S_IFREG)  # of the open file: it cannot be exchanged
        if reason:
            _warn(file, reason)
            raise PermissionError(f"{file}: {reason}")
        return opened.read()


def refusal(found: os.stat_result, kind: int) -> str:
    """Why a folder or file is not trusted; '' if it is. On Windows access control lists are not checked."""
    if stat.S_IFMT(found.st_mode) != kind:
        return "it is not a folder" if kind == stat.S_IFDIR else "it is not a file"
    if sys.platform == "win32":
        return ""
    if found.st_uid not in (os.getuid(), 0):
        return "it belongs to another user"
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid)):
        return "others may write to it"
    return ""


def _is_own_group(gid: int) -> bool:
    """Whether a group is this user's and nobody else's: of the same name, without other members."""
    import grp
    import pwd

    try:
        me, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return gid == me.pw_gid and group.gr_name == me.pw_name and set(group.gr_mem) <= {me.pw_name}


def _warn(path: Path, reason: str) -> None:
    """Warn once for each folder or file."""
    if str(path) in _told:
        return
    _told.add(str(path))
    setting = next((f" (set by {name})" for name in (_ASKED, _COMMON) if os.environ.get(name)), "")
    warn_user(
        f"no compiled code is read from or kept in {path}{setting}: {reason}, so it may hold code of someone else's. "
        f"Make it yours alone (chown, chmod go-w), or name another folder by {_ASKED}",
        CacheWarning,
    )
