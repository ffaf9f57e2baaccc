"""The language of docstrings, comments, messages and docs: `CONTRIBUTING.md` has the rule."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from imports import FILES
from language import BANNED

ROOT = Path(__file__).parents[2]
INTERROGATIVE = re.compile(r"(What|How|Whether|Where|Which|Who|Why|When)\b")
PAGES = [
    page
    for pattern in (
        "*.md",
        "docs/*.md",
        "docs/*/*.md",
        "benchmarks/*.md",
        "fuzz/*.md",
        "src/judged/sample/*.md",
        "tests/golden/*.toml",
    )
    for page in sorted(ROOT.glob(pattern))
]


@pytest.mark.parametrize("name", FILES)
def test_a_docstring_begins_with_a_verb_or_a_noun(name):
    nodes = ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8")))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]
    assert [text.partition("\n")[0] for text in docstrings if INTERROGATIVE.match(text)] == []


@pytest.mark.parametrize("path", [*FILES.values(), *PAGES], ids=lambda path: path.name)
def test_no_phrase_that_a_native_writer_would_not_use(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [f"{n}: {line.strip()}" for n, line in enumerate(lines, 1) if BANNED.search(line)] == []
