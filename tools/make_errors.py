"""Write docs/reference/errors.md from tests/golden/messages.toml: `python tools/make_errors.py`.

With `--update`, run the example of every slug first and write the messages into the TOML file. With slugs after it, only print
what their examples give.
"""

from __future__ import annotations

import ast
import os
import sys
import tempfile
import tomllib
from contextlib import chdir, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import judged as jd
from judged.errors import CHANGE_READING

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests" / "golden" / "messages.toml"
TARGET = ROOT / "docs" / "reference" / "errors.md"

INTRO = f"""\
# Errors and warnings

<!-- generated from tests/golden/messages.toml by tools/make_errors.py -->

A call returns a value, returns a value with counted warnings, or raises an error; it never returns a wrong number. An error
names the place and the problem, suggests one action, and ends with a slug from the lists below:

```text
bm25.run:1732: expected 6 columns (query Q0 doc rank score tag), got 5: '…'. If the tag is missing, add any word as a sixth column.  [columns]
```

The exceptions are `jd.DataError`, `jd.UsageError`, `jd.FileError` and `jd.EngineError`, all subclasses of `jd.JudgedError`. Their attributes are
`slug`, `where` (path, line and column), `problem`, `got`, `hint` and `value`; with `--format json` the command line prints these as JSON.

Warnings are in the attribute `warnings` of a result, each with `slug`, `count`, `text` and `hint`. The command line prints them below the
table. With `strict=True` (`--strict`) a warning becomes an error with the same slug.

In Python, `evaluate`, `compare` and what builds on them also issue the warnings that change how a number must be read, as
`judged.errors.JudgedWarning` by the module `warnings`, at the line of your program:
{", ".join(f"`{slug}`" for slug in CHANGE_READING)}. Ignore them with `warnings.simplefilter("ignore", JudgedWarning)`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | the gate failed |
| 2 | bad input or incorrect usage |
| 3 | a file cannot be read or written, memory is exhausted, a worker or cluster failed, or judged itself failed |
| 130, 143, 129 | interrupted by Ctrl-C, SIGTERM or SIGHUP; no partial file is left |
| 141 | the output pipe was closed |
"""

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 0.5}}
OTHER = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"d": 1.0, "c": 0.5}}
CLICKS = {
    "session": ["s1", "s1", "s2", "s2"],
    "query": ["q1", "q1", "q1", "q1"],
    "doc": ["a", "b", "a", "b"],
    "rank": [1, 2, 1, 2],
    "click": [0, 1, 1, 0],
}


def read() -> dict[str, dict[str, str]]:
    """The entries of the file by slug, in its order."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def run_example(code: str, slug: str) -> str:
    """Run a snippet in an empty folder; return the message of the error that it raises, or of its warning of this slug."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stderr(StringIO()):
        try:
            result = _run(code, Path(folder))
        except jd.JudgedError as error:
            return str(error)
        found = [str(warning) for warning in getattr(result, "warnings", ()) if warning.slug == slug]
        return found[0] if found else f"no error and no warning [{slug}], but {result!r:.200}"


def _run(code: str, tmp: Path) -> Any:
    """The value of the last line, if it is an expression."""

    def write(name: str, text: str | bytes) -> str:
        (tmp / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    names = {"jd": jd, "np": np, "os": os, "tmp": tmp, "write": write}
    names |= {"QRELS": QRELS, "RUN": RUN, "OTHER": OTHER, "CLICKS": CLICKS}
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    assert last is None or isinstance(last, ast.Expr)
    exec(compile(tree, "<example>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<example>", "eval"), names)  # noqa: S307


def update() -> None:
    """Rewrite the messages of the file."""
    entries = read()
    for slug, entry in entries.items():
        if "code" in entry:
            entry["message"] = run_example(entry["code"], slug)
    SOURCE.write_text(dump(entries), encoding="utf-8")


def dump(entries: dict[str, dict[str, str]]) -> str:
    """The file, sorted by group in order of appearance."""
    groups = list(dict.fromkeys(entry["group"] for entry in entries.values()))
    lines = ["# Every error and warning: its meaning, and for most a snippet that triggers it, with the message.", ""]
    lines += [
        "# `python tools/make_errors.py --update` runs the snippets and rewrites the messages and docs/reference/errors.md.",
        "",
    ]
    for slug, entry in sorted(entries.items(), key=lambda one: groups.index(one[1]["group"])):
        lines += [f"[{slug}]", *(f"{key} = {_quoted(value)}" for key, value in entry.items()), ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    if "\n" in text.strip():
        return f"'''\n{text.strip()}\n'''"
    if '"' not in text and "\\" not in text:
        return f'"{text.strip()}"'
    return f"'{text.strip()}'" if "'" not in text else f"'''{text.strip()}'''"


def page() -> str:
    """Introduction, and a table per group."""
    entries = read()
    lines = [INTRO]
    for group in dict.fromkeys(entry["group"] for entry in entries.values()):
        lines += [f"## {group}", "", "| slug | meaning | example |", "|---|---|---|"]
        lines += [_row(slug, entry) for slug, entry in entries.items() if entry["group"] == group]
        lines += [""]
    return "\n".join(lines)


def _row(slug: str, entry: dict[str, str]) -> str:
    kind = {"warning": " (warning)", "both": " (error or warning)"}.get(entry.get("kind", ""), "")
    example = entry.get("message", "").removesuffix(f"  [{slug}]").replace("|", "\\|")
    ticks = "``" if "`" in example else "`"
    return (
        f'| <a id="{slug}"></a>`{slug}`{kind} | '
        + f"{entry['meaning']} | {f'{ticks}{example}{ticks}' if example else ''} |"
    )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        known = read()
        print("\n\n".join(run_example(known[slug]["code"], slug) for slug in sys.argv[2:]))
        sys.exit()
    if "--update" in sys.argv:
        update()
    TARGET.write_text(page(), encoding="utf-8")
