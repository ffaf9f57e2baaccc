"""Every example of a docstring runs; those of the docs are run by tests/docs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import judged

MODULES = sorted(
    m.name for m in pkgutil.walk_packages(judged.__path__, "judged.") if not m.name.endswith(("_native", "__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
