"""Optional libraries that the source of each test uses, itself or through fixtures and helpers, and those that it says it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from needs import NEEDS, ROOT

TESTS = ROOT / "tests"
LIBRARIES = {name for name, need in NEEDS.items() if need.group}


@dataclass
class Thing:
    """One name of a file: what it refers to, the libraries that it uses, and those that it says it needs."""

    refers: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    says: set[str] = field(default_factory=set)


@dataclass
class File:
    things: dict[str, Thing]
    imported: dict[str, tuple[Path, str | None]]  # from other files of the tests; None: the whole file
    at_once: set[str]  # libraries that importing the file imports


def _libraries(node: ast.AST) -> set[str]:
    """The optional libraries that a statement or a call imports."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = ast.unparse(node.func).rpartition(".")[2]
        names = [str(node.args[0].value)] if called in ("optional", "import_module", "importorskip") else []
    return {name.partition(".")[0] for name in names} & LIBRARIES


def _thing(node: ast.AST) -> Thing:
    thing = Thing()
    for part in ast.walk(node):
        thing.uses |= _libraries(part)
        if isinstance(part, ast.Name):
            thing.refers.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            thing.refers.add(f"{part.value.id}.{part.attr}")
        elif isinstance(part, ast.arg | ast.keyword):
            thing.refers.add(str(part.arg))
        elif isinstance(part, ast.Call) and ast.unparse(part.func).endswith(("mark.needs", "usefixtures")):
            words = {str(word.value) for word in part.args if isinstance(word, ast.Constant)}
            thing.says |= words if ast.unparse(part.func).endswith("needs") else set()
            thing.refers |= words
        elif isinstance(part, ast.Call) and ast.unparse(part.func) == "each":
            thing.says |= {str(word.value) for word in ast.walk(part) if isinstance(word, ast.Constant)}
    return thing


def _names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a file binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


@cache
def read(path: Path) -> File:
    file = File({}, {}, set())
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            file.at_once |= _libraries(node)
            module = node.module if isinstance(node, ast.ImportFrom) else None
            for alias in node.names:
                home = TESTS / "helpers" / f"{(module or alias.name).rpartition('.')[2]}.py"
                if home.exists():
                    file.imported[alias.asname or alias.name] = home, alias.name if module else None
        for name in _names(node):
            file.things[name] = _thing(node)
    return file


@cache
def _found(path: Path, name: str) -> tuple[Path, str] | None:
    """The file and the name that a name in a file stands for: its own, an imported one, or a fixture of a folder."""
    file = read(path)
    first, _, rest = name.partition(".")
    if first in file.imported:
        home, known = file.imported[first]
        return (home, known or rest) if known or rest else None
    if name in file.things:
        return path, name
    return next(((one, name) for one in _conftests(path) if name in read(one).things), None)


@cache
def _conftests(path: Path) -> list[Path]:
    found = [folder / "conftest.py" for folder in path.parents if TESTS in (folder, *folder.parents)]
    return [one for one in found if one.exists()]


def missing(path: Path) -> Iterator[tuple[str, set[str]]]:
    """The tests of a file with the libraries that they use and do not say they need."""
    file = read(path)
    whole = set(file.things.get("pytestmark", Thing()).says)
    for conftest in _conftests(path):
        whole |= read(conftest).things.get("pytest_collection_modifyitems", Thing()).says
    alone = [(path, name) for name, thing in file.things.items() if "autouse" in thing.refers]
    for test in file.things:
        if test.startswith("test_"):
            left, seen, uses, says = [(path, test), *alone], set(), set(), set(whole)
            while left:
                place = left.pop()
                if place in seen or place[1] not in read(place[0]).things:
                    continue
                seen.add(place)
                thing = read(place[0]).things[place[1]]
                uses, says = uses | thing.uses, says | thing.says
                left += [found for name in thing.refers if (found := _found(place[0], name))]
            if uses - says:
                yield test, uses - says
