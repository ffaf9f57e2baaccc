"""Every example of a docstring runs; those of the docs are run by tests/docs."""

import doctest
import importlib
import pkgutil

import judged

MODULES = sorted(
    m.name for m in pkgutil.walk_packages(judged.__path__, "judged.") if not m.name.endswith(("_native", "__main__"))
)


def test_the_examples_of_every_module_are_right():
    assert [name for name in MODULES if doctest.testmod(importlib.import_module(name)).failed] == []
