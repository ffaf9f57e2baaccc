"""The messages: every error and warning has a meaning, most an example, and all are plain sentences."""

import ast
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("make_errors", ROOT / "tools" / "make_errors.py")
make_errors = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_errors)

ENTRIES = make_errors.read()
EXAMPLES = [slug for slug, entry in ENTRIES.items() if "code" in entry]
NODES = [
    node
    for path in (ROOT / "src" / "judged").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
]
TEXTS = {node.value for node in NODES if isinstance(node, ast.Constant) and isinstance(node.value, str)}
CLASSES = {"DataError", "UsageError", "FileError", "EngineError", "JudgedError", "Warned"}


def test_every_slug_of_the_source_has_an_entry():
    calls = [node for node in NODES if isinstance(node, ast.Call)]
    given = [call.args[0] for call in calls if ast.unparse(call.func) in CLASSES and call.args]
    given += [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "slug"]
    slugs = {node.value for node in given if isinstance(node, ast.Constant)}
    assert len(slugs) > 50
    assert slugs - ENTRIES.keys() == set()


def test_every_entry_is_a_slug_of_the_source():
    assert ENTRIES.keys() - TEXTS == set()


def test_no_message_writes_its_slug_by_hand():
    assert [text for text in TEXTS if re.search(r"  \[[a-z-]+\]\n?$", text)] == []


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
