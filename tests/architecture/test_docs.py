"""The docs say what the code does: they are made from it, or checked against it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_measures_is_the_one_the_declarations_make():
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    make_docs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_docs)
    assert make_docs.TARGET.read_text(encoding="utf-8") == make_docs.page(), "run: python tools/make_docs.py"
    comparison = make_docs.COMPARISON.read_text(encoding="utf-8")
    assert comparison == make_docs.comparison_page(comparison), "run: python tools/make_docs.py"
