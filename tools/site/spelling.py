"""Check the spelling of pages, of the project's Markdown files and of docstrings with codespell."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = Path(__file__).with_name("words.txt")  # words that codespell does not know, one per line


def all_texts(pages: dict[str, str]) -> dict[str, str]:
    """Pages, Markdown files of the project and docstrings, by path."""
    return {**pages, **_files(), **docstrings()}


def check_spelling(texts: dict[str, str]) -> list[str]:
    """Return lines of codespell: place, word and correction."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in texts.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "codespell_lib", "--ignore-words", str(WORDS), "--quiet-level", "2", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return [line.removeprefix("./") for line in done.stdout.splitlines()]


def _files() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("*.md")}


def docstrings() -> dict[str, str]:
    """The docstrings of each module of the package."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
        found[path.relative_to(ROOT).as_posix()] = "\n".join(texts)
    return found
