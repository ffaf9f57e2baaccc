"""Tests say which optional libraries they need, and no test is skipped in another way."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import needs
import pytest

TESTS = needs.ROOT / "tests"
FILES = [path for path in TESTS.rglob("*.py") if path.name.startswith(("test_", "conftest"))]
LIBRARIES = {name for name, need in needs.NEEDS.items() if need.group}


def test_a_file_says_which_optional_libraries_its_tests_need():
    """Which test needs which one is found by runs without the libraries."""
    found = {}
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        bound = re.compile(r'(?:optional|import_module)\("(\w+)[\w.]*"\)')
        used = {*re.findall(r"^ +(?:import|from) (\w+)", text, re.MULTILINE), *bound.findall(text)}
        marks = bound.sub(
            "", "".join(file.read_text(encoding="utf-8") for file in [path, *path.parent.glob("conftest.py")])
        )
        if left := {name for name in used & LIBRARIES if f'"{name}"' not in marks}:
            found[path.relative_to(TESTS).as_posix()] = left
    assert found == {}


def test_no_file_imports_an_optional_library_at_once():
    """It is bound with `optional`, so that the rest of the file runs without it."""
    found = {
        (path.name, name)
        for path in TESTS.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (getattr(node, "module", None) or node.names[0].name).split(".")[:1]
    }
    assert {(file, name) for file, name in found if name in LIBRARIES} == set()


def test_there_is_one_way_to_skip():
    other = re.compile(r"importorskip|mark\.skip|skipif|pytest\.skip\(")
    allowed = {"conftest.py": 2, "unit/test_bad_inputs.py": 1}  # the mechanism; root that cannot become another user
    found = {
        path.relative_to(TESTS).as_posix(): len(other.findall(path.read_text(encoding="utf-8")))
        for path in FILES
        if path != Path(__file__)
    }
    assert {name: count for name, count in found.items() if count} == allowed


def test_needs_are_named_alone_or_by_their_group():
    assert needs.named("torch,java") == {"torch", "java"}
    assert {"torch", "jax"} < needs.named("tensors") < LIBRARIES
    assert needs.named("") == set()
    with pytest.raises(ValueError, match="tortoise"):
        needs.named("tortoise")


CASES = """
import pytest
@pytest.mark.needs("pythons", "java")
def test_one(): ...
@pytest.mark.needs("java")
def test_two(): ...
@pytest.mark.needs("unix")
def test_three(): ...
def test_four(): ...
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ci", "without", "code"), [("", "", 0), ("1", "", 1), ("1", "java", 0)], ids=["by hand", "in CI", "as asked for"]
)
def test_what_is_missing_is_skipped_and_counted_and_fails_ci(ci, without, code, tmp_path, monkeypatch):
    (tmp_path / "test_some.py").write_text(CASES)
    setup = f"""
import sys
sys.path[:0] = [{str(TESTS / "helpers")!r}]
import needs
from dataclasses import replace
for name, counts in (("java", True), ("pythons", True), ("unix", False)):
    needs.NEEDS[name] = replace(needs.NEEDS[name], found=lambda: False, missing="no " + name, counts=counts)
"""
    (tmp_path / "conftest.py").write_text(setup + (TESTS / "conftest.py").read_text(encoding="utf-8"))
    monkeypatch.setenv("CI", ci)
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:judged", *(["--without", without] if without else [])]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == code, done.stdout + done.stderr
    said = "Skipped 2 tests: without java, as asked for." if without else "Skipped 2 tests: no java."
    assert said in done.stdout
    assert "Skipped 1 test: no unix." in done.stdout
    assert ("In CI nothing may be skipped" in done.stdout) == bool(code)


def test_an_unknown_need_is_an_error(request):
    item = SimpleNamespace(nodeid="test_some", iter_markers=lambda name: [pytest.mark.needs("tortoise")])
    [conftest] = [plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "_needed")]
    with pytest.raises(pytest.UsageError, match="tortoise"):
        conftest.pytest_collection_modifyitems(request.config, [item])
