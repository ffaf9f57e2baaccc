"""Renamed names and arguments: the old ones work, warn where they are written, and go when they said."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import pytest

import judged as jd
from judged.deprecation import renamed_arguments, renamed_names

SRC = Path(jd.__file__).parent


@renamed_arguments("9.1", cutoff="k", tie="ties")
def rank(labels, *, k=10, **options):
    return labels, k, options


def test_an_old_argument_has_the_meaning_of_the_new_one_and_warns_where_it_is_written():
    with pytest.warns(
        DeprecationWarning, match=r"^cutoff= of rank\(\) .* removed in judged 9\.1\. Use k=\.$"
    ) as caught:
        assert rank([1], cutoff=3) == ([1], 3, {})
    assert caught[0].filename == __file__


def test_an_option_that_only_other_functions_know_is_renamed_too():
    with pytest.warns(DeprecationWarning, match="Use ties="):
        assert rank([1], tie="best") == ([1], 10, {"ties": "best"})


def test_new_arguments_do_not_warn():
    assert rank([1], k=3, ties="best") == ([1], 3, {"ties": "best"})


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match="multiple values"):
        rank([1], k=3, cutoff=3)


def test_the_signature_is_that_of_the_function():
    assert rank.__name__ == "rank"
    assert rank.__wrapped__([1]) == ([1], 10, {})


def test_an_old_name_of_a_lazy_module_is_the_new_one(monkeypatch):
    module = ModuleType("lazily")

    def find(name: str) -> object:
        return getattr(jd, name)

    find.__module__ = "lazily"
    module.__getattr__ = renamed_names("9.1", assess="evaluate")(find)
    monkeypatch.setitem(sys.modules, "lazily", module)
    with pytest.warns(DeprecationWarning, match=r"^lazily\.assess .* Use lazily\.evaluate\.$") as caught:
        assert module.assess is jd.evaluate
    assert caught[0].filename == __file__
    assert module.compare is jd.compare


def test_what_was_to_be_removed_by_this_version_is_gone():
    now = tuple(map(int, jd.__version__.split(".")[:2]))
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("renamed_arguments", "renamed_names"):
                removed = tuple(map(int, node.args[0].value.split(".")[:2]))
                assert removed > now, f"{path.relative_to(SRC)}:{node.lineno}: to be removed in {node.args[0].value}"
