"""Where machine code is kept: in the documented place, never stale, and without touching the user's own Numba."""

import grp
import hashlib
import os
import pickle
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import spacedyn as sd
from paths import TESTS
from spacedyn.kernels.robot import forward_dynamics
from spacedyn.kernels.scalar import cache_folders, compiling
from spacedyn.kernels.scalar.cache_folders import read_trusted, refusal
from spacedyn.kernels.scalar.compiling import SOURCES, cache_directory

PACKAGE = Path(sd.__file__).parent
WITHOUT_PRIVILEGES = """
import ctypes, sys
if sys.platform == "linux":  # root may write what is read-only, unless it gives up its capabilities
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
"""
FORCE = """
import numpy as np, spacedyn as sd
from spacedyn.kernels.robot.passive import run
builder = sd.Builder("ball joint", base="fixed")
builder.base(mass=5.0, inertia=(0.2, 0.3, 0.4))
builder.link("arm", "spherical", parent="base", mass=1.0, inertia=(0.1, 0.1, 0.02), stiffness=1.0)
robot = builder.build()
force = sd.passive_force(robot, robot.state(q=[0.48, 0.36, 0, 0.8]))
batch = sd.passive_force(robot, robot.random_state(np.random.default_rng(0), 5))
print(*force, sum(run.stats.cache_hits.values()), sum(run.stats.cache_misses.values()))
"""
"""A kernel that is quickly compiled, for one robot and for a batch."""


def start(program, sources=None, **environment):
    """A Python of its own, with other environment variables (None: without this one)."""
    changed = {name: value for name, value in (os.environ | environment).items() if value is not None}
    changed["PYTHONPATH"] = os.pathsep.join(map(str, [sources or PACKAGE.parent, Path(__file__).parent, TESTS]))
    return subprocess.Popen(
        [sys.executable, "-c", program], env=changed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out


def python(program, sources=None, **environment):
    return finish(start(program, sources, **environment))


def spring_force(sources, cache, before="", **environment):
    """The force of a spring by the package in `sources`; kernels loaded from the cache, and kernels compiled."""
    words = python(before + FORCE, sources, SPACEDYN_CACHE_DIR=str(cache), **environment).split()
    return np.array(words[:3], dtype=float), int(words[3]), int(words[4])


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A copy of the package with its own cache."""
    folder = tmp_path_factory.mktemp("original")
    shutil.copytree(PACKAGE, folder / "src/spacedyn", ignore=shutil.ignore_patterns("__pycache__"))
    force, hits, misses = spring_force(folder / "src", folder / "cache")
    assert (hits, misses) == (0, 2)
    return folder, force


@pytest.fixture
def copy(original, tmp_path):
    """That copy's own copy, to be changed: the package, its cache, and the force before."""
    shutil.copytree(original[0], tmp_path, dirs_exist_ok=True)
    return tmp_path / "src", tmp_path / "cache", original[1]


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def folders(root):
    return sorted(path.name for path in Path(root).iterdir())


# --- which directory -------------------------------------------------------------------------------------------------


@pytest.fixture
def places(monkeypatch, tmp_path):
    """A home, no cache directories asked for, and a temporary directory of its own."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    for name in ("SPACEDYN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(cache_folders, "_told", set())
    return tmp_path


def temporary(places):
    return places / "tmp" / f"spacedyn-cache-{os.getuid()}" / SOURCES


def test_the_users_cache_directory_is_the_default(places):
    assert cache_directory() == places / "home/.cache/spacedyn" / SOURCES
    assert cache_directory().is_dir()


def test_the_common_variable_for_caches_is_heeded(places, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "caches"))
    assert cache_directory() == places / "caches/spacedyn" / SOURCES
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")  # to be ignored, says the standard
    assert cache_directory() == places / "home/.cache/spacedyn" / SOURCES


def test_the_packages_own_variable_comes_first(places, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "caches"))
    monkeypatch.setenv("SPACEDYN_CACHE_DIR", str(places / "asked/deep"))
    assert cache_directory() == places / "asked/deep" / SOURCES
    monkeypatch.setenv("SPACEDYN_CACHE_DIR", "~/mine")
    assert cache_directory() == places / "home/mine" / SOURCES


def test_a_home_that_cannot_be_written_leads_to_a_temporary_directory_of_this_user_alone(places, monkeypatch):
    (places / "home").rmdir()
    (places / "home").touch()
    assert cache_directory() == temporary(places)
    assert temporary(places).parent.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("SPACEDYN_CACHE_DIR", "/dev/null/none")  # that folder, or none
    assert cache_directory() is None


def test_a_user_without_a_home_gets_a_temporary_directory(places, monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    assert cache_directory() == temporary(places)


def test_nowhere_to_write_is_no_error(places, monkeypatch):
    def nowhere():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert cache_directory() is None


@pytest.mark.parametrize("spoil", ["open to all", "a link", "a file"])
def test_code_from_others_in_the_temporary_directory_is_not_trusted(places, monkeypatch, spoil):
    monkeypatch.setenv("HOME", "/dev/null")
    root = temporary(places).parent
    if spoil == "open to all":
        root.mkdir()
        root.chmod(0o777)
    elif spoil == "a link":
        (places / "elsewhere").mkdir()
        root.symlink_to(places / "elsewhere")
    else:
        root.touch()
    assert cache_directory() is None


# --- who may write there ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["SPACEDYN_CACHE_DIR", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("open_one", ["the folder", "the version in it"])
def test_a_folder_that_others_may_write_to_is_refused_with_one_warning(places, monkeypatch, variable, open_one):
    root = places / "shared" if variable == "SPACEDYN_CACHE_DIR" else places / "shared/spacedyn"
    (root / SOURCES).mkdir(parents=True, mode=0o700)
    spoilt = root if open_one == "the folder" else root / SOURCES
    monkeypatch.setenv(variable, str(places / "shared"))
    assert cache_directory() == root / SOURCES
    spoilt.chmod(0o777)
    with pytest.warns(sd.CacheWarning, match=f"{spoilt} .set by {variable}.: others may write to it") as told:
        found = [cache_directory() for _ in range(3)]
    assert len(told) == 1
    assert found == [None if variable == "SPACEDYN_CACHE_DIR" else temporary(places)] * 3


def test_a_link_that_the_user_made_leads_to_a_folder_that_is_looked_at(places, monkeypatch):
    (places / "far").mkdir(mode=0o700)
    (places / "link").symlink_to(places / "far")
    monkeypatch.setenv("SPACEDYN_CACHE_DIR", str(places / "link"))
    assert cache_directory() == places / "far" / SOURCES
    (places / "far").chmod(0o777)
    with pytest.warns(sd.CacheWarning, match="far .*others may write to it"):
        assert cache_directory() is None


def about(mode, owner, group=12345):
    return os.stat_result((mode, 0, 0, 1, owner, group, 0, 0, 0, 0))


def test_what_belongs_to_others_is_not_trusted(monkeypatch):
    folder, file = stat.S_IFDIR, stat.S_IFREG
    for kind in (folder, file):
        assert refusal(about(kind | 0o755, os.getuid()), kind) == refusal(about(kind | 0o755, 0), kind) == ""
        assert "another user" in refusal(about(kind | 0o700, os.getuid() + 1), kind)
        assert "others may write" in refusal(about(kind | 0o702, os.getuid()), kind)
        assert "others may write" in refusal(about(kind | 0o720, os.getuid()), kind)
    assert "not a folder" in refusal(about(stat.S_IFLNK | 0o777, os.getuid()), folder)
    assert "not a file" in refusal(about(stat.S_IFIFO | 0o600, os.getuid()), file)
    me = pwd.getpwuid(os.getuid())
    for name, members, trusted in (
        (me.pw_name, [], True),  # the user's own group, as where the umask is 002
        (me.pw_name, [me.pw_name], True),
        (me.pw_name, ["someone"], False),
        ("staff", [], False),
    ):
        monkeypatch.setattr(grp, "getgrgid", lambda gid, n=name, m=members: grp.struct_group((n, "x", gid, m)))
        assert (refusal(about(folder | 0o770, me.pw_uid, me.pw_gid), folder) == "") is trusted


class Evil:
    """Runs a command where it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def forged(content):
    return hashlib.sha256(content).digest() + content


def test_a_forged_file_where_others_may_write_does_not_run(copy, tmp_path):
    sources, cache, expected = copy
    (version,) = cache.iterdir()
    for file in version.iterdir():
        file.write_bytes(forged(pickle.dumps(Evil(tmp_path / "ran"))))
    cache.chmod(0o777)
    process = start(FORCE, sources, SPACEDYN_CACHE_DIR=str(cache), TMPDIR=str(tmp_path))
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    words = out.split()
    np.testing.assert_array_equal(np.array(words[:3], dtype=float), expected)
    assert words[3:] == ["0", "2"] and not (tmp_path / "ran").exists()
    assert errors.count("CacheWarning") == 1 and str(cache) in errors


def test_a_file_that_others_can_have_written_is_not_read(tmp_path, monkeypatch):
    for name in ("SPACEDYN_CACHE_DIR", "XDG_CACHE_HOME"):  # a warning names the variable that leads there
        monkeypatch.delenv(name, raising=False)
    file, link, pipe, shared = (tmp_path / name for name in ("file", "link", "pipe", "shared"))
    file.write_bytes(b"mine")
    link.symlink_to(file)
    os.mkfifo(pipe)
    shared.write_bytes(b"anyone's")
    shared.chmod(0o666)
    assert read_trusted(file) == b"mine"
    with pytest.raises(OSError, match="symbolic links"):
        read_trusted(link)
    with pytest.warns(sd.CacheWarning, match="pipe: it is not a file"), pytest.raises(OSError):
        read_trusted(pipe)
    with pytest.warns(sd.CacheWarning, match="shared: others may write to it"), pytest.raises(OSError):
        read_trusted(shared)


def test_what_is_whole_but_no_compiled_code_counts_as_none(copy):
    sources, cache, expected = copy
    (version,) = cache.iterdir()
    for file, content in zip(sorted(version.iterdir()), (b"no pickle", pickle.dumps((1, 2))), strict=True):
        file.write_bytes(forged(content))
    force, hits, misses = spring_force(sources, cache)
    np.testing.assert_array_equal(force, expected)
    assert (hits, misses) == (0, 2)


def test_what_is_kept_is_this_users_alone(copy):
    _, cache, _ = copy
    (version,) = cache.iterdir()
    for path in (cache, version, *version.iterdir()):
        assert path.stat().st_mode & 0o077 == 0


# --- old folders -----------------------------------------------------------------------------------------------------


def old_folder(root, name, age):
    folder = root / name
    folder.mkdir(parents=True)
    for file in ("a.run.nbi", "a.run.1.nbc", "b.run.0123.nbc.tmp.0123abc"):
        (folder / file).touch()
    os.utime(folder, (time.time() - age, time.time() - age))
    return folder


def test_only_the_last_used_versions_are_kept_when_a_new_one_comes(places):
    root = places / "home/.cache/spacedyn"
    names = [f"{i:016x}" for i in range(10)]
    for i, name in enumerate(names):
        old_folder(root, name, age=100 + i)
    cache_directory()
    assert folders(root) == sorted([*names[: compiling._FOLDERS_KEPT - 1], SOURCES])
    old_folder(root, "f" * 16, age=1e6)
    cache_directory()  # not a new one: nothing is removed
    assert "f" * 16 in folders(root)


def test_nothing_but_our_own_files_is_ever_removed(places):
    root = places / "home/.cache/spacedyn"
    others = [old_folder(root, name, age=1e6 + i) for i, name in enumerate(["results", "0123", "z" * 16, "A" * 16])]
    (root / "0123456789abcdef").touch()  # a file that has such a name
    os.utime(root / "0123456789abcdef", (0, 0))
    for i in range(10):
        old_folder(root, f"{i:016x}", age=100 + i)
    guest = root / f"{9:016x}" / "thesis.pdf"
    guest.touch()
    os.utime(guest.parent, (0, 0))
    cache_directory()
    assert guest.exists()
    assert all(len(list(folder.iterdir())) == 3 for folder in others)
    assert (root / "0123456789abcdef").exists()


# --- never stale -----------------------------------------------------------------------------------------------------


def test_a_second_process_loads_instead_of_compiling():
    robot = sd.load("ets7")
    for size in (None, 3):
        sd.forward_dynamics(robot, robot.random_state(np.random.default_rng(0), size))
    assert forward_dynamics.run.stats.cache_path == str(cache_directory())
    program = """
import numpy as np, spacedyn as sd
from spacedyn.kernels.robot.forward_dynamics import run
robot = sd.load("ets7")
for size in (None, 3):
    sd.forward_dynamics(robot, robot.random_state(np.random.default_rng(0), size))
print(sum(run.stats.cache_hits.values()), sum(run.stats.cache_misses.values()))
"""
    assert python(program).split() == ["2", "0"]


def test_a_change_in_any_kernel_file_is_seen_and_what_was_compiled_before_is_found_again(copy):
    sources, cache, before = copy
    file = sources / "spacedyn/kernels/scalar/vectors.py"
    old, new = "return a[0] * b[0] + a[1] * b[1]", "return a[0] * b[0] + 0.9 * a[1] * b[1]"
    replace(file, old, new)  # in an inner function of another file than the entry point's
    after, hits, misses = spring_force(sources, cache)
    assert (hits, misses) == (0, 2)
    assert np.abs(after - before).max() > 1e-3
    replace(file, new, old)
    again, hits, misses = spring_force(sources, cache)
    assert (hits, misses) == (2, 0)
    np.testing.assert_array_equal(again, before)
    assert len(folders(cache)) == 2


def test_the_key_names_the_lanes_and_versions(monkeypatch):
    keys = {compiling._sources_hash()}
    monkeypatch.setattr(compiling, "LANES", compiling.LANES + 1)
    keys.add(compiling._sources_hash())
    monkeypatch.setattr(compiling.numba, "__version__", "0.0")
    keys.add(compiling._sources_hash())
    assert len(keys) == 3


# --- a cache that cannot be used -------------------------------------------------------------------------------------


def test_a_read_only_cache_is_read_and_what_it_lacks_is_kept_nowhere_else(copy, tmp_path):
    sources, cache, expected = copy
    (tmp_path / "tmp").mkdir()
    (folder,) = cache.iterdir()
    one, other = sorted(folder.iterdir())
    other.unlink()
    for path in (one, folder, cache):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        for _ in range(2):
            found = spring_force(sources, cache, WITHOUT_PRIVILEGES, TMPDIR=str(tmp_path / "tmp"))
            np.testing.assert_array_equal(found[0], expected)
            assert found[1:] == (1, 1)
        assert list(folder.iterdir()) == [one] and not list((tmp_path / "tmp").iterdir())
    finally:
        cache.chmod(0o700)
        folder.chmod(0o700)


def test_damaged_files_are_replaced_by_many_processes_at_once(copy):
    sources, cache, expected = copy
    (folder,) = cache.iterdir()
    files = sorted(folder.iterdir())
    files[0].write_bytes(files[0].read_bytes()[:-1000])
    files[1].write_bytes(b"")
    together = [start(FORCE, sources, SPACEDYN_CACHE_DIR=str(cache)) for _ in range(2)]
    for process in together:
        np.testing.assert_array_equal(np.array(finish(process).split()[:3], dtype=float), expected)
    assert sorted(folder.iterdir()) == files  # one each for the robot alone and the batch, nothing half-written
    found, hits, misses = spring_force(sources, cache)
    np.testing.assert_array_equal(found, expected)
    assert (hits, misses) == (2, 0)


# --- beside the user's own Numba -------------------------------------------------------------------------------------

USERS_CODE = """
import numba

@numba.njit(cache=True)
def triple(x):
    return 3 * x
"""


def test_importing_changes_nothing_for_the_users_own_code(tmp_path):
    (tmp_path / "users_code.py").write_text(USERS_CODE)
    program = f"""
import os, sys, numba
sys.path.insert(0, {str(tmp_path)!r})
def settings():
    return {{k: v for k, v in vars(numba.config).items() if k.isupper()}}, dict(os.environ)
before = settings()
import spacedyn as sd
assert settings() == before
from users_code import triple
assert triple(14) == 42 and triple(0.5) == 1.5
assert triple.stats.cache_path == os.environ["NUMBA_CACHE_DIR"] + "/" + os.path.basename(triple.stats.cache_path)
print(sum(triple.stats.cache_hits.values()))
robot = sd.load("planar_four_link")
sd.forward_dynamics(robot, robot.neutral_state())
assert settings()[0] == before[0]
assert triple(2) == 6
"""
    numbas = tmp_path / "numba"
    environment = {"NUMBA_CACHE_DIR": str(numbas), "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    assert [python(program, **environment).strip() for _ in range(2)] == ["0", "2"]
    assert {path.name.split(".")[0] for path in numbas.rglob("*.nb?")} == {"users_code"}


def test_importing_writes_nothing(tmp_path):
    python(
        "import spacedyn", SPACEDYN_CACHE_DIR=str(tmp_path / "cache"), HOME=str(tmp_path), PYTHONDONTWRITEBYTECODE="1"
    )
    assert list(tmp_path.iterdir()) == []
