"""Tests say which optional libraries they need, and no test is skipped in another way."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import needs
import pytest
from needed_libraries import LIBRARIES, TESTS, missing, read

FILES = [path for path in TESTS.rglob("*.py") if path.name.startswith(("test_", "conftest"))]


def test_every_test_says_which_libraries_it_needs():
    """Itself, or through fixtures and helpers."""
    found = {(path.relative_to(TESTS).as_posix(), test): names for path in FILES for test, names in missing(path)}
    assert found == {}


def test_no_file_imports_an_optional_library_at_once():
    """It is bound with `optional`, so that the rest of the file runs without it."""
    assert {path.name: read(path).at_once for path in TESTS.rglob("*.py") if read(path).at_once} == {}


def test_there_is_one_way_to_skip():
    other = re.compile(r"importorskip|mark\.skip|skipif|pytest\.skip\(")
    allowed = {"conftest.py": 2, "unit/test_bad_inputs.py": 1}  # the mechanism; root that cannot become another user
    found = {
        path.relative_to(TESTS).as_posix(): len(other.findall(path.read_text(encoding="utf-8")))
        for path in FILES
        if path != Path(__file__)
    }
    assert {name: count for name, count in found.items() if count} == allowed


def test_the_check_sees_imports_through_helpers_fixtures_and_names(monkeypatch):
    path = TESTS / "test_written.py"
    source = """
import pytest
from needs import each, optional
torch = optional("torch")
def helper():
    import pandas
@pytest.fixture
def frame():
    return helper()
def test_plain(): ...
def test_fixture(frame): ...
@pytest.mark.usefixtures("frame")
def test_used(): ...
def test_bound(): torch.tensor([1])
@pytest.mark.needs("torch")
def test_said(): torch.tensor([1])
@pytest.mark.parametrize("name", each("torch"))
def test_each(name): torch.tensor([1])
"""
    monkeypatch.setattr(Path, "read_text", lambda self, encoding, read=Path.read_text: source if self == path else read(self, encoding))  # fmt: skip
    assert dict(missing(path)) == {"test_fixture": {"pandas"}, "test_used": {"pandas"}, "test_bound": {"torch"}}


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
    (tmp_path / "conftest.py").write_text(setup + (TESTS / "conftest.py").read_text(encoding="utf-8").replace("from __future__ import annotations", ""))  # fmt: skip
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
