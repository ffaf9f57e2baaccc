"""Every example runs: those of docstrings, and those of the docs that are written as a session."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import judged

DOCS = Path(__file__).parents[2] / "docs"
MODULES = sorted(
    m.name for m in pkgutil.walk_packages(judged.__path__, "judged.") if not m.name.endswith(("_native", "__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=lambda p: p.name)
def test_the_examples_of_a_page_are_right(path):
    assert doctest.testfile(str(path), module_relative=False, encoding="utf-8").failed == 0
