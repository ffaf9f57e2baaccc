"""The answer of the page: a headline of at most twelve words, how certain it is, and why."""

import math
from dataclasses import replace

import judged as jd
from judged.comparison.difference import certainty, odds, words_text
from judged.page.facts import answers, facts_of, found_documents, unjudged_answer
from judged.page.subject import subject_of

FILES = jd.sample_path
QRELS = {f"q{i}": {"a": 1} for i in range(40)}


def lists(first, n=40):
    """Rankings of n queries in which the relevant document a has this rank."""
    return {f"q{i}": [*(f"x{k}" for k in range(first(i) - 1)), "a"] for i in range(n)}


def answer(runs, measure="RR", qrels=QRELS, **options):
    """(headline, lines below it, pair) of a comparison."""
    subject = subject_of(jd.compare(qrels, runs, measure, **options))
    found = answers(subject)[0]
    pair = tuple(subject.runs[k] for k in found["pair"])
    return words_text(found["words"], subject.runs), [words_text(line, subject.runs) for line in found["more"]], pair


GOOD, BAD = lists(lambda i: 1), lists(lambda i: 2)


def test_of_two_runs_the_better_one_is_named_first():
    for runs in ({"good": GOOD, "bad": BAD}, {"bad": BAD, "good": GOOD}):
        assert answer(runs) == ("good is clearly better than bad on RR.", [], ("bad", "good"))


def test_the_baseline_is_always_named_second():
    words, _, pair = answer({"good": GOOD, "bad": BAD}, baseline="good")
    assert (words, pair) == ("bad is clearly worse than good on RR.", ("good", "bad"))


def test_no_clear_winner_is_an_answer():
    runs = {"x": lists(lambda i: 1 + (i % 3 > 0)), "y": lists(lambda i: 1 + (i % 3 < 1))}
    words, _, pair = answer(runs)
    assert words == f"No clear winner between {pair[1]} and {pair[0]} on RR." or "clearly" in words
    even = {"x": lists(lambda i: 1 + i % 2), "y": lists(lambda i: 2 - i % 2)}
    assert answer(even) == ("No clear winner between y and x on RR.", [], ("x", "y"))


def test_of_several_runs_the_leader_is_best_or_only_ahead():
    runs = {"a": GOOD, "b": lists(lambda i: 2 + i % 2), "c": lists(lambda i: 5)}
    assert answer(runs)[0] == "a is clearly best on RR."
    runs["b"] = lists(lambda i: 1 + (i % 20 == 0))
    words, more, pair = answer(runs)
    assert words == "No clear winner on RR: a is ahead."
    assert more == ["Clearly better than c.", "No clear difference from b."]
    assert pair == ("b", "a")


def test_runs_that_lead_together_are_counted():
    assert answer({"a": GOOD, "b": GOOD, "c": lists(lambda i: 3)})[0] == "2 runs share the best RR."
    assert answer(dict.fromkeys("abc", BAD))[0] == "All 3 runs have the same RR."


def test_equal_and_identical_are_told_apart():
    near = lists(lambda i: 1 + (i == 0))
    assert answer({"a": near, "b": GOOD}, margin=0.5)[0] == "b and a are equal on RR, within the margin."
    assert answer({"a": GOOD, "b": GOOD})[0] == "b and a are identical on RR on these 40 queries."
    runs = {"a": GOOD, "b": near, "c": lists(lambda i: 3)}
    assert answer(runs, margin=0.5)[0] == "a has the best RR; others equal it."


def test_one_query_says_nothing_about_others():
    one = {"q0": {"a": 1}}
    runs = {"a": {"q0": ["a"]}, "b": {"q0": ["x", "a"]}}
    assert answer(runs, qrels=one)[0] == "Too few queries to compare a with b on RR."
    three = {**runs, "c": {"q0": ["x", "y", "a"]}}
    assert answer(three, qrels=one)[0] == "Too few queries to compare the runs on RR."
    assert answer(three, qrels=one, baseline="b")[0] == "Too few queries to compare the runs with b on RR."
    same = {"a": {"q0": ["a"]}, "b": {"q0": ["a"]}}
    assert answer(same, qrels=one)[0] == "b and a are identical on RR on this query."


def test_against_a_baseline_every_run_is_placed():
    runs = {"base": BAD, "up": GOOD, "down": lists(lambda i: 3), "same": BAD}
    words, more, pair = answer(runs, baseline="base")
    assert words == "up is clearly better than base on RR."
    assert more == [
        "Identical to base: same.",
        "Clearly worse than base: down.",
    ]
    assert pair == ("base", "up")
    assert answer({k: runs[k] for k in ("base", "down", "same")}, baseline="base")[0] == (
        "No run is clearly better than base on RR."
    )


def test_against_a_baseline_several_better_runs_are_listed():
    runs = {"base": lists(lambda i: 3), "up": GOOD, "upper": BAD, "same": lists(lambda i: 3)}
    words, more, _ = answer(runs, baseline="base")
    assert words == "2 of 3 runs are clearly better than base on RR."
    assert more == ["Clearly better than base: up and upper.", "Identical to base: same."]


def test_where_lower_is_better_the_lower_run_is_better():
    runs = {"bad": lists(lambda i: 9), "good": lists(lambda i: 1 + i % 2)}
    assert answer(runs, "FirstHit")[0] == "good is clearly better than bad on FirstHit."


def test_tests_of_signs_have_words_of_their_own():
    runs = {"good": GOOD, "bad": BAD, "worst": lists(lambda i: 4)}
    assert answer(runs, test="sign")[0] == "good clearly wins the most queries on RR."
    two = {"good": GOOD, "bad": BAD}
    assert answer(two, test="sign")[0] == "good clearly wins more queries than bad on RR."


def sample(measures="nDCG@10 AP RR P@10 R@100", **options):
    runs = {name: FILES(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    return jd.compare(FILES("qrels.txt"), runs, measures, **options)


def test_a_single_run_has_its_mean_as_headline():
    subject = subject_of(jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), "nDCG@10 NumRelRet"))
    mean = subject.means[0][0]
    assert words_text(answers(subject)[0]["words"], ["bm25"]) == f"bm25 has a mean nDCG@10 of {mean:.3f}."
    assert answers(subject)[0]["pair"] is None


def test_a_total_is_not_called_a_mean():
    measures = "NumRet GMAP nDCG@10"
    single = subject_of(jd.evaluate(FILES("qrels.txt"), FILES("runs/bm25.run"), measures))
    assert [single.kind(m) for m in single.measures] == ["total", "geometric mean", "mean"]
    compared = subject_of(sample("NumRet nDCG@10"))
    assert [compared.kind(m) for m in compared.measures] == ["mean", "mean"]


def test_the_word_for_certainty_and_the_sentence_behind_it_are_about_the_corrected_p():
    comparison = sample(family="all")
    row = comparison.of("nDCG@10", "tfidf", "dense")
    assert row.p < 0.0001 < row.adjusted < 0.001
    assert certainty(row, comparison.settings.tests) == [
        "Very sure",
        f"Chance alone gives such a difference in any of 15 tests {odds(row.adjusted)} (corrected p = {row.adjusted:.4f}).",
    ]
    unclear = comparison.of("RR", "tfidf", "dense")
    assert unclear.p < 0.05 < unclear.adjusted
    said = certainty(unclear, 15)
    assert said[:2] == [
        "Not sure",
        f"Chance alone gives such a difference in any of 15 tests {odds(unclear.adjusted)} (corrected p = {unclear.adjusted:.4f}).",
    ]
    assert certainty(replace(unclear, adjusted=1.0), 15)[1].endswith("(corrected p = 1).")


def test_a_verdict_with_a_reservation_is_only_fairly_sure():
    comparison = sample("FirstHit nDCG@10", baseline="bm25")
    row = replace(comparison.of("nDCG@10", "bm25", "dense"), note="differences are skewed (-3.0): few decide")
    assert certainty(replace(row, note=""), 2)[0] == "Very sure"
    said = certainty(row, 2)
    assert said[0] == "Fairly sure"
    assert said[-1] == "Differences are skewed (−3.0): few decide."


def test_without_a_value_in_both_runs_the_reason_is_given():
    none = {"q0": {"a": 0}, "q1": {"a": 0}}
    row = jd.compare(none, {"a": GOOD, "b": BAD}, "ARP").rows[0]
    assert (row.queries, row.note) == (0, "")
    assert certainty(row, 1) == ["Cannot say", "No query has a value in both runs."]


def test_nothing_is_claimed_where_nothing_was_tested():
    for runs, short in (({"a": GOOD, "b": GOOD}, "Nothing to test"), ({"a": GOOD, "b": BAD}, "Cannot say")):
        one = {k: {"q0": v["q0"]} for k, v in runs.items()} if short == "Cannot say" else runs
        qrels = {"q0": {"a": 1}} if short == "Cannot say" else QRELS
        comparison = jd.compare(qrels, one, "RR")
        said = certainty(comparison.rows[0], 1)
        assert said[0] == short
        assert "p =" not in " ".join(said)


def test_found_and_lost_documents_are_counted_from_the_rankings():
    comparison = sample("nDCG@10 P@5")
    subject = subject_of(comparison)
    lines = [line.split() for line in FILES("qrels.txt").read_text().splitlines()]
    relevant = {(query, doc) for query, _, doc, grade in lines if int(grade) >= 1}
    for k in (5, 10):
        tops = found_documents(subject)[str(k)]
        hits = []
        for result in comparison.results:
            docs = result.source.documents(range(len(result)), k)
            raw = [(str(q), d) for q, by in zip(result.queries, docs, strict=True) for d in by]
            hits.append(set(raw) & relevant)
        assert tops["means"].tolist() == [len(hit) / 40 for hit in hits]
        assert tops["found"].tolist() == [[len(b - a) for a in hits] for b in hits]
    runs = {name: FILES(f"runs/{name}.run") for name in comparison.names}
    skipped = found_documents(subject_of(jd.compare(FILES("qrels.txt"), runs, "nDCG@10", empty="skip")))["10"]
    counted = len({query for query, _ in relevant})
    assert counted < 40
    assert skipped["means"].tolist() == [len(hit) / counted for hit in hits]


def test_what_each_document_adds_makes_the_value():
    from judged.evaluation.explain import steps_of

    result = jd.evaluate(FILES("qrels.txt"), FILES("runs/dense.run"), "nDCG@10 AP P@10 RBP ERR RR")
    for measure in result.measures:
        steps = steps_of(result, measure, 1000)
        if str(measure) == "RR":
            assert all(one.parts is None for one in steps)
            continue
        for one, value in zip(steps, result[measure], strict=True):  # each part has five decimals
            assert abs(sum(one.parts) - value) <= 0.5e-5 * len(one.parts) + 1e-12
        assert all(len(one.parts) == len(one.ranks) for one in steps)


def bounds(*sides):
    return [dict(zip(("mean", "irrelevant", "top"), side, strict=True)) for side in sides]


def test_unjudged_documents_change_the_order_only_if_the_scenarios_meet():
    subject = subject_of(jd.compare(QRELS, {"bad": BAD, "good": GOOD}, "RR"))
    assert unjudged_answer(subject, 0, bounds((0.5, 0.4, 0.7), (1.0, 0.8, 1.0)))["change"] is False
    found = unjudged_answer(subject, 0, bounds((0.5, 0.4, 0.85), (1.0, 0.8, 1.0)))
    assert found["change"] is True
    assert (
        words_text(found["words"], subject.runs) == "Yes: good is between 0.800 and 1.000, bad between 0.400 and 0.850."
    )
    same = unjudged_answer(subject, 0, bounds((0.5, 0.5, 0.5), (1.0, 1.0, 1.0)))
    assert words_text(same["words"], subject.runs) == "No: all documents that RR looks at are judged."
    assert unjudged_answer(subject, 0, bounds((0.5, math.nan, 0.5), (1.0, 1.0, 1.0))) is None


def test_a_curve_over_cutoffs_ends_where_its_run_ends():
    long = {q: [f"x{k}" for k in range(30)] + ["a"] for q in QRELS}
    short = {q: ["x", "a"] for q in QRELS}
    subject = subject_of(jd.compare(QRELS, {"long": long, "short": short}, "P@10"))
    for picture in facts_of(subject, (), "", None, 0, 1)["pictures"]:
        if picture["kind"] != "ipr":
            assert [line["at"][-1] for line in picture["lines"]] == [31, 2]
