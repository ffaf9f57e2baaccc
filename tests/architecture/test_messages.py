"""The messages: every error and warning has a meaning, most an example, and all are plain sentences."""

from __future__ import annotations

import ast
import importlib.util
import re
from fnmatch import fnmatchcase
from pathlib import Path

from slugs import find_slugs

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("make_errors", ROOT / "tools" / "make_errors.py")
make_errors = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_errors)

ENTRIES = make_errors.read()
EXAMPLES = [slug for slug, entry in ENTRIES.items() if "code" in entry]
SLUGS = find_slugs(ROOT / "src" / "judged")
KINDS = {"error": None, "warning": "warning", "error warning": "both"}


def test_every_slug_of_the_source_has_an_entry():
    assert sorted(slug for slug in SLUGS if "*" not in slug and slug not in ENTRIES) == []


def test_no_message_writes_its_slug_by_hand():
    texts = [
        (path.name, node.value)
        for path in (ROOT / "src" / "judged").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [text for text in texts if re.search(r"  \[[a-z-]+\]\n?$", text[1])] == []


def test_every_entry_is_a_slug_of_the_source():
    patterns = [slug for slug in SLUGS if "*" in slug]
    assert (
        sorted(slug for slug in ENTRIES if slug not in SLUGS and not any(fnmatchcase(slug, p) for p in patterns)) == []
    )


def test_an_entry_says_whether_it_is_an_error_or_a_warning():
    expected = {slug: KINDS[" ".join(sorted(kinds))] for slug, kinds in SLUGS.items() if slug in ENTRIES}
    assert {slug: ENTRIES[slug].get("kind") for slug in expected} == expected


def test_every_meaning_is_a_sentence():
    meanings = {slug: entry["meaning"] for slug, entry in ENTRIES.items()}
    assert [
        slug for slug, text in meanings.items() if not text.endswith(".") or not (text[0].isupper() or text[0] == "`")
    ] == []


def test_every_example_gives_its_message():
    found = {slug: make_errors.run_example(ENTRIES[slug]["code"], slug) for slug in EXAMPLES}
    other = {slug: message for slug, message in found.items() if message != ENTRIES[slug]["message"]}
    assert other == {}, "review: tools/make_errors.py --update"


def test_a_message_is_made_of_sentences_and_the_slug():
    sentence = re.compile(r"(?!.*(; got |hint:|expected expected))[^ ].*[^.][.?…]  \[[a-z0-9-]+\]", re.DOTALL)
    assert [slug for slug in EXAMPLES if not sentence.fullmatch(ENTRIES[slug]["message"])] == []


def test_the_page_is_the_one_that_the_messages_make():
    assert make_errors.TARGET.read_text(encoding="utf-8") == make_errors.page(), "run: python tools/make_errors.py"
