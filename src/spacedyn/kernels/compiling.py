"""How kernels are compiled, and where the machine code is kept.

`inner` functions are inlined into their callers and have no Python wrapper; `entry` points can be called from Python
and are cached on disk. Numba's own cache looks only at the file of the cached function, not at what it calls: ours is
keyed by a hash of the whole kernels folder, so stale machine code is never run.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import numba
from numba.core import caching, config

from .scalar import LANES

_FAST = {"contract", "nsz", "arcp"}  # never flags that assume there is no NaN
_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": _FAST}


def _sources_hash() -> str:
    digest = hashlib.sha256(f"numba {numba.__version__} lanes {LANES}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


SOURCES = _sources_hash()


def cache_directory() -> Path:
    """Where compiled kernels are kept: $SPACEDYN_CACHE_DIR, else the user's cache directory, else a temporary one."""
    asked = os.environ.get("SPACEDYN_CACHE_DIR")
    home = asked or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = [Path(asked)] if asked else [Path(home) / "spacedyn", Path(tempfile.gettempdir()) / "spacedyn-cache"]
    for place in places:
        folder = place / SOURCES
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="spacedyn-cache-"))


class _Locator(caching._CacheLocator):
    """Puts every kernel's code in one folder whose name is the hash of all kernels."""

    def __init__(self, py_func):
        self._name = py_func.__qualname__

    def get_cache_path(self):
        return str(cache_directory())

    def get_source_stamp(self):
        return SOURCES

    def get_disambiguator(self):
        return self._name

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_func)


class _CacheImplementation(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (Numba's own name)


class _KernelCache(caching.FunctionCache):
    _impl_class = _CacheImplementation


def inner(function):
    """Compile a function that only other kernels call: inlined, without wrappers."""
    return numba.njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def entry(function):
    """Compile a function that Python calls, and keep its machine code on disk."""
    dispatcher = numba.njit(**_OPTIONS)(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = _KernelCache(function)
    return dispatcher
