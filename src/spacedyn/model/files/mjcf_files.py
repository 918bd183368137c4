"""Check the files that MuJoCo's XML names, before MuJoCo opens them: all must lie in the model's folder."""

import os
from collections.abc import Sequence
from pathlib import Path

from ...errors import ModelError, Problems
from ..file_limits import limits, over
from ..values import shown
from ..visuals import ALLOW
from .xml_source import Element, parse_xml, read_source

FOLDERS = ("meshdir", "texturedir", "assetdir")


def check_files(root: Element, file: Path | None, allowed: Sequence[Path], source: str) -> dict[int, list[Element]]:
    """ModelError for every file that is named outside the folders `allowed`, in this XML or in what it includes.

    Returns the trees that each element that names a file of XML may mean, by the element's id.
    """
    problems = Problems(source)
    own = Path("/") if file is None else file.absolute().parent
    waiting, trees = [(root, own)], []
    seen: dict[Path, Element] = {}
    named: dict[int, list[Element]] = {}
    while waiting:
        tree, folder = waiting.pop()
        trees.append((tree, folder))
        for element in tree.walk():
            if element.tag not in ("include", "model") or not element.get("file"):
                continue
            for start in {own, folder}:  # MuJoCo looks from the first file
                path = Path(os.path.realpath(start / (element.get("file") or "")))
                if not _inside(path, allowed):
                    problems.append(_sentence(element, element.get("file") or ""))
                elif _is_file(path):
                    if path not in seen:
                        if len(seen) >= limits().includes:
                            raise ModelError(source, [f"{over('includes', 'included files', limits().includes)}."])
                        seen[path] = parse_xml(*read_source(path))
                        waiting.append((seen[path], path.parent))
                    named.setdefault(id(element), []).append(seen[path])
    places = {own, *(folder for _, folder in trees)}
    for tree, _ in trees:
        for element in tree.walk():
            places |= {own / text for key in FOLDERS if (text := element.get(key))}
    for tree, _ in trees:
        for element in tree.walk():
            for key, text in element.attributes.items():
                if "%" in text and not key.startswith("file") and key not in FOLDERS:
                    problems.append(
                        f"line {element.line}: <{element.tag}> {key} = {shown(text)}: MuJoCo takes '%' for a command "
                        "in its messages, and may end the program; leave it out."
                    )
                if key.startswith("file") and not all(
                    _inside(Path(os.path.realpath(p / text)), allowed) for p in places
                ):
                    problems.append(_sentence(element, text))
    if problems:
        raise ModelError(source, list(dict.fromkeys(problems)))
    return named


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that is too long is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _inside(path: Path, allowed: Sequence[Path]) -> bool:
    return any(path.is_relative_to(os.path.realpath(folder)) for folder in allowed)


def _sentence(element: Element, name: str) -> str:
    return (
        f"line {element.line}: <{element.tag}> names {shown(name)}, which lies outside the folder of the model; "
        f"copy it there, or {ALLOW}."
    )
