"""Compile kernels, and keep their machine code on disk.

`inner` functions are inlined into their callers and have no Python wrapper; `entry` points can be called from Python
and are cached on disk. Numba's own cache looks only at the file of the cached function, not at what it calls: ours is
keyed by a hash of the whole kernels folder, so stale machine code is never run. Each specialisation has a file of its
own, so processes that compile at the same time cannot mix them up. Numba's settings for other code stay as they are.
"""

import contextlib
import hashlib
import os
import pickle
import re
import sys
import uuid
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core import caching, config, types
from numba.core.ccallback import CFunc
from numba.core.codegen import RuntimeLinker
from numba.core.compiler import CompileResult
from numba.core.imputils import lower_builtin
from numba.core.serialize import dumps
from numba.core.types import none as nothing
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import type_callable

from .cache_folders import cache_roots, is_trusted, read_trusted
from .compile_progress import part
from .garbage import no_collection
from .linking import LinkedCompiler, without_literals
from .pack import LANES

_FAST = {"contract", "nsz", "arcp"}  # never flags that assume there is no NaN
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": _FAST}
_RECURSION = RuntimeLinker.PREFIX
_FOLDERS_KEPT = 6  # number of versions of the kernels whose machine code is kept


def _sources_hash() -> str:
    digest = hashlib.sha256(f"numba {numba.__version__} {sys.implementation.cache_tag} lanes {LANES}".encode())
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


SOURCES = _sources_hash()


def cache_directory() -> Path | None:
    """The folder of compiled kernels, created if it does not exist; None if no folder can be written."""
    for root in cache_roots():
        folder = root / SOURCES
        with contextlib.suppress(OSError):
            if not is_trusted(root, folder):
                continue
            if not folder.is_dir():
                root.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
                _prune(root)
            if is_trusted(root, folder) and os.access(folder, os.W_OK):
                return folder
    return None


def _prune(root: Path) -> None:
    """Remove the code of all but the last used versions of the kernels, and nothing else."""
    folders = [f for f in root.iterdir() if re.fullmatch("[0-9a-f]{16}", f.name) and f.name != SOURCES]
    folders.sort(key=lambda folder: folder.lstat().st_mtime, reverse=True)
    for folder in folders[_FOLDERS_KEPT - 1 :]:
        with contextlib.suppress(OSError):  # another process may be doing the same
            for file in folder.iterdir():
                if re.search(r"\.nb[ci](\.tmp\.[0-9a-f]+)?$", file.name):
                    file.unlink()
            folder.rmdir()  # refuses if anything is left


def _is_recursive(library) -> bool:
    """Whether a law's function calls itself: Numba finds that address by a name that no other process has."""
    return any(one.name.startswith(_RECURSION) for one in library._final_module.global_variables)


class KernelCache(caching._Cache):
    """One entry point's machine code on disk, as Numba's dispatcher asks for it."""

    def __init__(self, name, link=None):
        self._name, self._link = name, link

    @property
    def cache_path(self):
        """Where the files are."""
        return str(cache_directory())

    def _file(self, sig, codegen):
        """Name of the file for argument types and a CPU."""
        key = repr((sig, codegen.magic_tuple()))
        return f"{self._name}.{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"

    def load_overload(self, sig, target_context):
        """Load machine code from disk; None if there is none, or if its file is damaged or not trusted."""
        if self._link is not None:
            self._link()  # C functions that it calls by name (symbols.py)
        target_context.refresh()
        name = self._file(sig, target_context.codegen())
        for root in cache_roots():
            folder = root / SOURCES
            with contextlib.suppress(OSError):
                content = read_trusted(folder / name) if is_trusted(root, folder) else b""
                if hashlib.sha256(content[32:]).digest() == content[:32]:
                    with contextlib.suppress(OSError):
                        os.utime(folder)  # in use: not to be pruned
                    # a law of a module that cannot be imported now, or a foreign file
                    with contextlib.suppress(Exception):
                        return CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
        return None

    def save_overload(self, sig, data):
        """Write machine code to disk, if there is a folder for it."""
        folder = cache_directory()
        if folder is None or data.lifted or data.library.has_dynamic_globals or _is_recursive(data.library):
            return
        content = dumps(data._reduce())
        file = folder / self._file(sig, data.codegen)
        unfinished = file.with_name(f"{file.name}.tmp.{uuid.uuid4().hex}")
        with contextlib.suppress(OSError):  # a full disk costs time, not results
            try:
                with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                    opened.write(hashlib.sha256(content).digest() + content)
                unfinished.replace(file)  # atomic: no other process sees half a file
            finally:
                unfinished.unlink(missing_ok=True)

    def enable(self):
        """Part of Numba's protocol: it is always on."""

    def disable(self):
        """Part of Numba's protocol: it is always on."""

    def flush(self):
        """Part of Numba's protocol: files that are there are right."""


def inner(function):
    """Compile a function that only other kernels call: inlined, without wrappers."""
    return _linked(function, forceinline=True)


def outlined(function):
    """Compile a large, rarely called function of kernels once, not inlined into its callers."""
    return _linked(function)


def separate(function):
    """Compile a function that only kernels call, and that LLVM must never inline.

    For what is large: LLVM inlines what is called once, and takes long over functions of a hundred thousand lines.
    """
    function.stands_alone = True
    return _linked(function, forceinline=False)


def rare(function):
    """Compile a function that few robots need, marked as cold, so that its callers are as fast as without it."""
    function.rarely_called = True
    return _linked(function, forceinline=False)  # without it, Numba would take the option of the first caller


def _linked(function, **options):
    options = {**OPTIONS, **options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher = numba.njit(pipeline_class=LinkedCompiler, **options)(function)
    return dispatcher if config.DISABLE_JIT else without_literals(dispatcher)


def entry(function):
    """Compile a function that Python calls, and keep its machine code on disk; for this folder's files only."""
    dispatcher = numba.njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        dispatcher._cache = KernelCache(name, getattr(function, "link", None))
        _announce(dispatcher._compiler, name)
    return dispatcher


def _announce(compiler, name):
    """Make a compiler of Numba report its work to the compile notice."""
    compile_now = compiler.compile

    def announced(*arguments):
        with part(name), no_collection():
            return compile_now(*arguments)

    compiler.compile = announced


PLAIN_FUNCTIONS: dict[int, Any] = {}
"""With the JIT switched off: functions, and arrays, by their addresses."""


class Address:
    """A function compiled to a C function: its address, good as long as this object lives; kept on disk if asked to.

    `link` makes known what it calls by name (symbols.py).
    """

    def __init__(self, function: Any, signature: Any, name: str, keep: bool = True, link: Any = None):
        if config.DISABLE_JIT:
            self._keep, self.address = function, id(function)
            PLAIN_FUNCTIONS[self.address] = function
            return
        compiled = CFunc(function, (signature.args, signature.return_type), {}, {**OPTIONS, "nogil": False})
        _announce(compiled._compiler, name)
        if keep:
            compiled._cache = KernelCache(name, link)
        compiled.compile()
        self._keep, self.address = compiled, compiled.address


def call(address, *arguments):
    """Call the C function at an address, which returns nothing."""
    PLAIN_FUNCTIONS[address](*arguments)


@infer_global(call)
class _CallTyping(AbstractTemplate):
    def generic(self, args, kws):
        return nothing(*args)


@lower_builtin(call, types.VarArg(types.Any))
def _lower_call(context, builder, sig, args):
    function = ir.FunctionType(ir.VoidType(), [a.type for a in args[1:]])
    builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
    return context.get_dummy_value()


def address_of(array: Any) -> int:
    """Address of a flat array of doubles, for `array_at`; valid as long as the array lives."""
    if config.DISABLE_JIT:
        PLAIN_FUNCTIONS[id(array)] = array
        return id(array)
    return array.ctypes.data


def array_at(address):
    """The flat array of doubles at an address, as kernels pass it on."""
    return PLAIN_FUNCTIONS[address]


@type_callable(array_at)
def _type_array_at(context):
    return lambda address: types.CPointer(types.float64)


@lower_builtin(array_at, types.Integer)
def _lower_array_at(context, builder, sig, args):
    return builder.inttoptr(args[0], ir.DoubleType().as_pointer())
