"""SpaceDyn's arrays in either of their two layouts, converted to one and checked for shapes and contradictions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...reals import NotReal, real_array
from ...signatures import is_several

KINDS = {"R": "revolute", "P": "prismatic"}
"""SpaceDyn's letters for the kinds of joints."""

ARRAYS = ("c0", "cc", "ce", "Qi", "Qe", "inertia")


def read_arrays(given: dict[str, Any], repeated: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """SpaceDyn's arrays with the link axis first; unreadable ones are left out or None, and reported in `problems`.

    Parameters
    ----------
    given : dict
        BB, J_type, c0, cc, ce, SE, Qi, Qe, m0, m, inertia0, inertia, as `arrays.from_arrays` takes them.
    repeated : dict
        n, mass_total, SS, S0, or None for each.
    problems : list of str
        Grows by a sentence for each thing that is wrong.

    Returns
    -------
    dict
        The same keys: BB as a list of int, J_type as a list of letters, the others as arrays of float.
    """
    parents = read_parents(given["BB"], problems)
    if parents is None:
        return {}
    n = len(parents)
    arrays: dict[str, Any] = {"BB": parents, **_in_rows({key: given[key] for key in ARRAYS}, n, problems)}
    arrays["J_type"] = _letters(given["J_type"], n, problems)
    arrays |= {label: _row(label, given[label], n, problems) for label in ("m", "SE")}
    if arrays["SE"] is not None and not np.isin(arrays["SE"], (0, 1)).all():
        problems.append(f"SE is {arrays['SE'].tolist()}: give 1 for a link with an endpoint and 0 for one without.")
    for label, shape, wanted in (("m0", (), "one mass"), ("inertia0", (3, 3), "a 3 x 3 matrix")):
        array = _numbers(label, given[label], problems)
        if array is not None and array.size == 1 and shape == ():
            array = array.reshape(())  # MATLAB's scalars are 1 x 1
        if array is not None and array.shape != shape:
            problems.append(f"{label} has shape {array.shape}: give {wanted}.")
            array = None
        arrays[label] = array
    _check_places(arrays, parents, problems)
    _check_repeated(arrays, repeated, problems)
    return arrays


def read_parents(BB: ArrayLike, problems: list[str]) -> list[int] | None:
    """Parent numbers as plain integers; None where nothing further can be checked without them."""
    numbers = _numbers("BB", BB, problems)
    if numbers is None:
        return None
    if numbers.size != max(numbers.shape, default=1):
        problems.append(f"BB has shape {numbers.shape}: give the parent's number of every link in one row.")
        return None
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        problems.append(
            f"BB is {numbers.ravel().tolist()}: give whole numbers, the parent of every link, 0 for the base."
        )
        return None
    parents, count = [int(number) for number in numbers.ravel()], len(problems)
    for i, parent in enumerate(parents, start=1):
        if not 0 <= parent <= len(parents):
            problems.append(
                f"BB says that link {i} hangs on link {parent}: links go from 1 to {len(parents)}, 0 is the base."
            )
        elif parent == i:
            problems.append(f"BB says that link {i} hangs on itself: give its parent, 0 for the base.")
    if len(problems) == count:
        _check_cycles(parents, problems)
    return parents


def _check_cycles(parents: list[int], problems: list[str]) -> None:
    """Report every ring of links that never reaches the base, once."""
    safe: set[int] = {0}
    for start in range(1, len(parents) + 1):
        way: list[int] = []
        link = start
        while link not in safe and link not in way:
            way.append(link)
            link = parents[link - 1]
        if link not in safe:
            ring = [*way[way.index(link) :], link]
            problems.append(
                f"BB goes round in a ring, link {' -> '.join(map(str, ring))}: one of them must hang on the base."
            )
        safe.update(way)


def _numbers(label: str, value: Any, problems: list[str]) -> np.ndarray | None:
    try:
        return real_array(value).astype(float)
    except NotReal as reason:
        problems.append(
            f"{label} is not an array of numbers but {reason}: check for missing entries and rows of unequal length."
        )
        return None


def _row(label: str, value: ArrayLike, n: int, problems: list[str]) -> np.ndarray | None:
    """One number for each link, given as a row, as MATLAB's 1 x n or n x 1, or bare where there is one link."""
    numbers = _numbers(label, value, problems)
    if numbers is None:
        return None
    if numbers.size != n or numbers.size != max(numbers.shape, default=1):
        problems.append(f"{label} has shape {numbers.shape}: BB has {n} links, give one number for each.")
        return None
    return numbers.ravel()


def _letters(J_type: Any, n: int, problems: list[str]) -> list[str]:
    if not is_several(J_type):
        problems.append(f"J_type is {J_type!r}: give 'R' or 'P' for each joint, such as \"RRP\".")
        return []
    letters = [str(letter) for letter in J_type]
    if len(letters) == 1 and n != 1:
        letters = list(letters[0])  # a MATLAB char array arrives as one string
    if len(letters) != n:
        problems.append(f"J_type has {len(letters)} entries: BB has {n} links, give 'R' or 'P' for each.")
    for i, letter in enumerate(letters[: n + 20], start=1):
        if letter not in KINDS:
            problems.append(f"J_type of joint {i} is {letter!r}: give 'R' (revolute) or 'P' (prismatic).")
    return letters


def _in_rows(given: dict[str, ArrayLike], n: int, problems: list[str]) -> dict[str, np.ndarray]:
    """Arrays with the link axis first, from either layout; arrays of other shapes are left out."""
    rows = dict.fromkeys(("c0", "ce", "Qi", "Qe"), (n, 3)) | {"cc": (n, n, 3), "inertia": (n, 3, 3)}
    columns = dict.fromkeys(("c0", "ce", "Qi", "Qe"), (3, n)) | {"cc": (3, n, n), "inertia": (3, 3 * n)}
    numbers = {label: _numbers(label, value, problems) for label, value in given.items()}
    known = {label: array for label, array in numbers.items() if array is not None}
    if n == 1 and "cc" in known and known["cc"].shape == (3, 1):
        known["cc"] = known["cc"].reshape(3, 1, 1)  # MATLAB drops the last axis of 3 x 1 x 1
    tells = known["inertia"].shape if "inertia" in known else None
    form = {rows["inertia"]: rows, columns["inertia"]: columns}.get(tells) if tells is not None else None

    read: dict[str, np.ndarray] = {}
    for label, array in known.items():
        if n == 0 and array.size == 0:
            read[label] = np.zeros(rows[label])
        elif array.shape == rows[label] == columns[label] and form is None:
            problems.append(
                f"{label} is {' x '.join('3' * array.ndim)} for three joints and ambiguous: link first, or link last? "
                f"Give inertia as (3, 3, 3) or as 3 x 9, which decides for all."
            )
        elif array.shape == rows[label] and not (form is columns and array.shape == columns[label]):
            read[label] = array
        elif array.shape == columns[label]:
            if label == "inertia":
                read[label] = np.moveaxis(array.reshape(3, n, 3), 0, 1)
            else:
                read[label] = np.moveaxis(array, 0, -1)
        else:
            problems.append(
                f"{label} has shape {array.shape}: BB has {n} links, give {rows[label]}, or MATLAB's {columns[label]}."
            )
    return read


def _check_places(arrays: dict[str, np.ndarray], parents: list[int], problems: list[str]) -> None:
    """Report vectors to joints that do not exist: an error in BB, or an array with its axes in another order."""
    n = len(parents)
    hint = "mend BB, or put zeros" + (
        ", or check the order of the axes: arrays for three joints are read in inertia's form." if n == 3 else "."
    )
    for j, parent in enumerate(parents, start=1):
        if "c0" in arrays and parent != 0 and arrays["c0"][j - 1].any():
            problems.append(
                f"c0 places joint {j} on the base, but BB says that link {j} hangs on link {parent}: {hint}"
            )
        for i in range(1, n + 1):
            if "cc" in arrays and i not in (j, parent) and arrays["cc"][i - 1, j - 1].any():
                on = "the base" if parent == 0 else f"link {parent}"
                problems.append(f"cc places joint {j} on link {i}, but BB says that link {j} hangs on {on}: {hint}")


def _check_repeated(arrays: dict[str, Any], repeated: dict[str, Any], problems: list[str]) -> None:
    """Report numbers that SpaceDyn asks for twice and that differ."""
    parents = arrays["BB"]
    n = len(parents)
    want: dict[str, Callable[[], Any]] = {
        "n": lambda: n,
        "SS": lambda: [[-1 if i == j else int(parents[j] == i + 1) for j in range(n)] for i in range(n)],
        "S0": lambda: [int(parent == 0) for parent in parents],
    }
    for label, make in want.items():
        if repeated[label] is None or (found := _numbers(label, repeated[label], problems)) is None:
            continue
        if label == "SS" and found.size != n * n:
            problems.append(f"SS has {found.size} numbers, but BB has {n} links: mend one, or leave SS out.")
            continue
        wanted = make()
        if found.size != np.size(wanted) or (found.ravel() != np.ravel(wanted)).any():
            problems.append(f"{label} contradicts BB, which makes it {wanted}: mend one, or leave {label} out.")
    if repeated["mass_total"] is not None and arrays["m0"] is not None and arrays["m"] is not None:
        total = float(arrays["m0"] + arrays["m"].sum())
        found = _numbers("mass_total", repeated["mass_total"], problems)
        if found is not None and not (found.size == 1 and abs(found.item() - total) <= 1e-9 * abs(total)):
            problems.append(
                f"mass_total is {found.tolist()}, but m0 and m add up to {total:.12g} kg: mend it, or leave it out."
            )
