"""Messages as text: they cannot control a terminal."""

import pytest

from judged.errors import DataError, Hint, Place, Warned, fold_warnings

HOSTILE = "\x1b[2J\u202e\x9b\n"


@pytest.mark.parametrize("message", [
    DataError("slug", f"no column {HOSTILE}"),
    DataError("slug", "a number", got=HOSTILE),
    DataError("slug", "no column", hint=f"choose {HOSTILE}"),
    DataError("slug", "no column", hint=Hint("set {doc_col}", doc_col=HOSTILE)),
    DataError("slug", "no column", where=Place("a.csv", 1, 2, HOSTILE)),
    Warned("slug", 1, f"no column {HOSTILE}"),
    Warned("slug", 1, "no column", Hint("set {doc_col}", doc_col=HOSTILE)),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("flags", [False, True])
def test_a_message_has_no_control_characters(message, flags):
    text = message.render(flags=flags)
    assert text.isprintable()
    assert "\\u202e" in text


def test_many_warnings_of_one_kind_become_one():
    ties = [Warned("ties", n, f"tied scores in {n} queries") for n in range(1, 61)]
    other = Warned("grade-unit", 1, "a grade")
    folded = fold_warnings([*ties, other, ties[0], other])
    assert folded == (Warned("ties", 1830, "tied scores in 1 queries (and 59 more warnings like this)"), other)
    assert fold_warnings(ties[:3]) == tuple(ties[:3])


def test_the_most_important_warnings_come_first():
    told = [Warned(slug, 1, slug) for slug in ("ties", "level", "no-relevant", "query-missing")]
    assert [warned.slug for warned in fold_warnings(told)] == ["query-missing", "level", "ties", "no-relevant"]
