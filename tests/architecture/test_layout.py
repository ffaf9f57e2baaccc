"""The layout of the package: who imports whom, in which order, and how large folders, files and functions may grow."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from imports import FILES, GRAPH, SRC, cycles

import judged

# A package imports only packages of earlier lines; packages of one line do not import each other.
ORDER = [
    {"_dataclass"},
    {"errors", "steps", "deprecation", "_types", "_version"},
    {"registry", "references"},
    {"tables"},
    {"core"},
    {"stats", "measures", "io"},
    {"plots", "distributed"},
    {"evaluation"},
    {"judging"},
    {"comparison", "curves", "judges", "correlation", "clicks", "recommenders", "fusion"},
    {"quality_gate", "page", "integrations", "compat", "citations"},
    {"cli", "pytest_plugin", "rag", "typing"},
    {"__main__"},
]
LEVEL = {package: i for i, line in enumerate(ORDER) for package in line}
INSIDE = [name for name in FILES if name != "judged"]
LARGEST_FOLDER, LONGEST_FILE, LONGEST_FUNCTION = 20, 300, 60


def package(name: str) -> str:
    return name.split(".")[1]


@pytest.mark.parametrize("name", INSIDE)
def test_a_file_imports_only_its_own_package_and_earlier_ones(name):
    others = {package(other) for other in GRAPH[name] if other != "judged"} - {package(name)}
    assert {other for other in others if LEVEL[other] >= LEVEL[package(name)]} == set()


def test_one_file_imports_the_decorator_of_the_standard_library():
    """It takes more than twice as long per class as ours, which is much of the start of a small evaluation."""
    imports = {
        name: [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
        for name, path in FILES.items()
    }
    found = {
        name
        for name, nodes in imports.items()
        for n in nodes
        if n.module == "dataclasses" and "dataclass" in {a.name for a in n.names}
    }
    assert found == {"judged._dataclass"}


def test_no_files_import_each_other_in_a_circle():
    assert cycles() == []


@pytest.mark.parametrize("name", [name for name in INSIDE if FILES[name].name == "__init__.py"])
def test_a_package_does_not_import_its_own_files(name):
    """Of two threads, one that imports the package and one that imports a file of it, each would wait for the other."""
    assert [other for other in GRAPH[name] if other.startswith(f"{name}.")] == []


@pytest.mark.parametrize("name", INSIDE)
def test_a_private_file_is_imported_only_inside_its_folder(name):
    for other in GRAPH[name]:
        folder, _, leaf = other.rpartition(".")
        if leaf.startswith("_") and other not in ("judged._dataclass", "judged._types", "judged._version"):
            assert name.startswith(folder), f"{name} reaches into {other}"


def test_no_package_hides_a_public_function():
    packages = {package(name) for name in INSIDE}
    namespaces = {"clicks", "compat", "curves", "integrations", "measures", "rag", "recommenders", "stats", "typing"}
    assert packages & set(judged.__all__) == namespaces


def test_folders_stay_small():
    sizes = Counter(path.parent for path in SRC.rglob("*.py") if path.name != "__init__.py")
    assert {str(folder.relative_to(SRC)): n for folder, n in sizes.items() if n > LARGEST_FOLDER} == {}


@pytest.mark.parametrize("name", FILES)
def test_files_and_functions_stay_short(name):
    text = FILES[name].read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < LONGEST_FUNCTION, f"{node.name} in {name}"


def test_a_class_name_means_one_thing():
    classes = Counter(
        node.name
        for path in FILES.values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in classes.items() if n > 1] == []


def test_there_is_no_utils_module():
    assert [name for name in FILES if name.rpartition(".")[2] in ("utils", "helpers", "common", "misc")] == []
