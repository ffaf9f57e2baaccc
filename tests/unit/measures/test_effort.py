"""Time-biased gain and U-measure: from their papers, with and without known lengths."""

import pytest
from refusals import refusal

import judged as jd

QRELS = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}
RUN = {"q": {"a": 9.0, "u": 8.0, "b": 7.0, "c": 6.0}}
TOKENS = {"a": 100, "u": 1000, "b": 10, "c": 300}


def value(name: str, **options) -> float:
    return jd.evaluate(QRELS, RUN, name, **options)[name][0]


def seconds(words: float, relevant: bool) -> float:
    """A summary of 4.4 s, then the document if it is opened."""
    return 4.4 + (0.64 if relevant else 0.39) * (0.018 * words + 7.8)


def test_tbg_counts_saved_documents_by_the_time_before_them():
    before = seconds(500, True) + 2 * seconds(500, False)
    assert value("TBG") == pytest.approx(0.64 * 0.77 * (1 + 2 ** (-before / 224)))
    assert value("TBG@3") == pytest.approx(0.64 * 0.77)
    assert value("TBG(level=2, save=1)") == pytest.approx(0.64 * 2 ** (-3 * seconds(500, False) / 224))


def test_tbg_takes_the_lengths_of_all_documents_from_the_tokens_of_the_evaluation():
    before = seconds(100, True) + seconds(1000, False) + seconds(10, False)
    assert value("TBG(h=60)", tokens=TOKENS) == pytest.approx(0.64 * 0.77 * (1 + 2 ** (-before / 60)))
    assert value("TBG(judged_only=True)", tokens=TOKENS) == pytest.approx(
        0.64 * 0.77 * (1 + 2 ** (-(seconds(100, True) + seconds(10, False)) / 224))
    )


def test_a_missing_length_is_an_error_and_so_is_an_order_that_is_not_fixed():
    refusal("columns", value, "TBG", tokens={"a": 100})
    refusal("columns", value, "TBG", tokens=TOKENS, ties="expected")
    assert value("TBG", ties="expected") == value("TBG")


def test_u_falls_with_the_text_that_was_read():
    """Four snippets, and a fifth of each of the two relevant documents."""
    first, second = 200 + 600, 4 * 200 + 2 * 600
    assert value("U") == pytest.approx(1 / 16 * (1 - first / 132000) + 3 / 16 * (1 - second / 132000))
    assert value("U(L=1000, max=2)") == pytest.approx(1 / 4 * (1 - first / 1000))
    assert value("U(L=1000, snippet=0, share=1, length=400, max=2)") == pytest.approx(1 / 4 * 0.6 + 3 / 4 * 0.2)


def test_u_takes_the_lengths_of_relevant_documents_from_the_tokens_of_the_evaluation():
    """Four characters per token, or characters themselves."""
    for given, per_token in (("", 4), ("(per_token=1)", 1)):
        first = 200 + 0.2 * per_token * 100
        second = 4 * 200 + 0.2 * per_token * (100 + 300)
        expected = 1 / 16 * (1 - first / 132000) + 3 / 16 * (1 - second / 132000)
        assert value(f"U{given}", tokens=TOKENS) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["TBG(words=100)", "U(length=100)", "U(per_token=2)"])
def test_a_length_that_has_no_effect_is_refused(name):
    tokens = {} if "per_token" in name else {"tokens": TOKENS}
    refusal("parameter", value, name, **tokens)


def test_a_hole_is_a_rank_whose_document_was_never_judged():
    """BEIR: all that is in the judgments is judged, whatever its grade."""
    qrels = {"q": {"a": 1, "b": -1}}
    holes = jd.evaluate(qrels, RUN, "Hole@2 Hole@3 Hole@10 Hole Unjudged@3").mean()
    assert holes == {"Hole@2": 1 / 2, "Hole@3": 1 / 3, "Hole@10": 2 / 10, "Hole": 2 / 4, "Unjudged@3": 2 / 3}
