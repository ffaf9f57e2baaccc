"""The history of a gate: alpha over all builds, the anchor, and files that are refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import judged as jd
from judged.quality_gate.history import spent

N = 40
QRELS = {f"q{i:02}": {"good": 1} for i in range(N)}


def run(*ranks):
    return {f"q{i:02}": [f"x{k}" for k in range(rank - 1)] + ["good"] for i, rank in enumerate(ranks)}


BEST = run(*[1] * N)


def lower(n):
    """A run that has lost half of n queries."""
    return run(*[2] * n, *[1] * (N - n))


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path("builds.jsonl")


def build(candidate, base=BEST, path="builds.jsonl", **rules):
    return jd.gate(QRELS, candidate, baseline=base, history=path, **{"measures": "RR", "max_drop": 0.2, **rules})


def refused(*arguments, **rules):
    with pytest.raises(jd.JudgedError) as caught:
        build(*arguments, **rules)
    return caught.value


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_build_uses_its_share_of_alpha_and_all_shares_are_alpha(path):
    shares = [6 * 0.05 / (math.pi * k) ** 2 for k in (1, 2, 3)]
    for k, share in enumerate(shares, 1):
        gate = build(lower(k))
        assert gate.build.number == k
        assert gate.build.alpha == gate.rules.alpha == pytest.approx(share, rel=1e-12)
        assert f"build {k} of the history: alpha {share:.2g}, and 0.05 over all builds" in str(gate)
    head, *builds = records(path)
    assert (head["judged-history"], head["alpha"], head["name"]) == (2, 0.05, "baseline")
    assert [(b["build"], b["passed"], b["drops"][0]["drop"]) for b in builds] == [(k, True, k / 80) for k in (1, 2, 3)]
    assert sum(spent(0.05, k) for k in range(1, 10**5)) == pytest.approx(0.05, rel=1e-4)


def test_the_level_of_a_build_decides(path):
    drop = {"max_drop": 0, "test": "sign"}
    assert not jd.gate(QRELS, lower(5), baseline=BEST, measures="RR", **drop).passed  # 1/32 is below 0.05
    assert build(lower(5), **drop).passed  # and not below 0.05 · 6/π²
    assert not build(lower(9), **drop).passed
    assert [b["passed"] for b in records(path)[1:]] == [True, False]


def test_the_same_build_again_has_the_same_answer_and_is_not_written_again(path):
    first = build(lower(3))
    build(lower(4))
    text = path.read_text()
    again = build(lower(3))
    assert path.read_text() == text
    assert again.build.repeated
    assert (again.passed, again.build.number, again.build.alpha) == (first.passed, 1, first.build.alpha)
    assert build(lower(3), max_drop=0.3).build.number == 3  # another question


def test_a_build_that_changes_nothing_uses_nothing_of_alpha(path):
    build(lower(3))
    assert build(BEST).build.number == 0
    assert build(lower(4)).build.number == 2
    assert len(records(path)) == 4


def test_losses_that_add_up_fail_against_the_first_baseline(path):
    asked = {"max_drop": 0.1, "max_total_drop": {"RR": 0.2}, "mode": "mean"}
    assert build({"one": lower(7)}, {"zero": BEST}, **asked).passed
    assert build({"two": lower(14)}, {"one": lower(7)}, **asked).passed
    gate = build({"three": lower(21)}, {"two": lower(14)}, **asked)
    assert [(r.rule, r.passed, r.allowed) for r in gate.reasons] == [
        ("max_drop", True, 0.1),
        ("max_total_drop", False, 0.2),
    ]
    assert gate.reasons[1].observed == pytest.approx(21 / 80)
    assert "RR fell by 0.2625 since zero (1.0000 → 0.7375), more than the 0.2 allowed" in str(gate)
    assert [c.get("name") for c in _cases(gate)] == ["RR", "RR"]


def _cases(gate):
    from xml.etree import ElementTree

    return list(ElementTree.fromstring(gate.to_junit()).iter("testcase"))


def test_an_anchor_needs_no_history_and_may_be_a_run_or_a_saved_result(path):
    jd.write_run(jd.read_run(BEST), "v1.run")
    jd.baseline(QRELS, BEST, "RR").save("v1.json")
    for anchor in ("v1.run", "v1.json", {"v1": BEST}):
        gate = jd.gate(QRELS, lower(30), baseline=lower(28), measures="RR", max_drop=0.1, anchor=anchor)
        assert [(r.rule, r.passed) for r in gate.reasons] == [("max_drop", True), ("max_total_drop", False)]
        assert " since v1 " in gate.reasons[1].sentence
    same = jd.gate(QRELS, lower(30), baseline=BEST, measures="RR", anchor=BEST)
    assert [r.rule for r in same.reasons] == ["max_drop"]  # the anchor is the baseline
    other = jd.gate(QRELS, lower(30), baseline=lower(28), measures="RR", anchor="v1.run", max_total_drop=1)
    assert other.passed
    with pytest.raises(jd.JudgedError) as caught:
        jd.gate(QRELS, lower(30), baseline=BEST, measures="RR", max_total_drop=0.1)
    assert caught.value.slug == "rule"


def test_all_rules_of_a_build_share_its_level(path):
    build(lower(3))
    gate = build(lower(6), lower(3))
    p = [jd.stats.outcome(-(x[:, 1] - x[:, 0]) - 0.2, "t").p[0] for x in _matrices(gate)]
    assert [r.p for r in gate.reasons] == pytest.approx([min(1, 2 * (1 - q / 2)) for q in p])


def _matrices(gate):
    old, new, first = (np.array([1 / len(docs) for docs in r.values()]) for r in (lower(3), lower(6), BEST))
    return [np.stack([old, new], axis=1), np.stack([first, new], axis=1)]


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda lines: [*lines[:1], lines[1][:-20]], 2),
        (lambda lines: [*lines, "{}"], 4),
        (lambda lines: [*lines, "3"], 4),
        (lambda lines: [*lines, ""], 4),
        (lambda lines: [lines[0], lines[1].replace('"build":1', '"build":-1')], 2),
        (lambda lines: [lines[0], lines[1].replace('"build":1', '"build":true')], 2),
        (lambda lines: [lines[0], lines[1].replace('"passed":true', '"passed":1')], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: ["query,doc", *lines], 1),
    ],
)
def test_a_damaged_line_is_refused_with_its_place_and_the_file_is_left_alone(path, spoil, line):
    build(lower(3))
    build(lower(4))
    path.write_text("\n".join(spoil(path.read_text().splitlines())) + "\n")
    before = path.read_bytes()
    error = refused(lower(5))
    assert (error.slug, str(error.where)) == ("history", f"builds.jsonl:{line}")
    assert path.read_bytes() == before


def test_a_history_of_other_judgments_measures_alpha_or_version_is_refused(path, monkeypatch):
    build(lower(3))
    before = path.read_text()
    assert "other measures: RR, now AP RR" in refused(lower(4), measures="RR AP").problem
    assert "another alpha: 0.05, now 0.1" in refused(lower(4), alpha=0.1).problem
    with pytest.raises(jd.DataError) as caught:
        jd.gate({**QRELS, "q00": {"good": 2}}, lower(4), baseline=BEST, measures="RR", history=path)
    assert "other judgments: SHA-256" in caught.value.problem
    path.write_text(before.replace(f'"version":"{jd.__version__}"', '"version":"0.0.1"'))
    assert refused(lower(4)).slug == "values-edited"  # the anchor has a checksum
    path.write_text(before)
    with monkeypatch.context() as later:
        later.setattr("judged.quality_gate.history.__version__", "99")
        assert f"another version of judged: {jd.__version__}, now 99" in refused(lower(4)).problem
    path.write_text(before.replace('"judged-history":2', '"judged-history":1'))
    assert "another format: 1, now 2" in refused(lower(4)).problem


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda head, one, two: (head, one.replace('"alpha":0.0', '"alpha":0.1', 1), two), 2),
        (lambda head, one, two: (head, one.replace('"passed":true', '"passed":false', 1), two), 2),
        (lambda head, one, two: (head.replace('"name":"baseline"', '"name":"other"', 1), one, two), 1),
        (lambda head, one, two: (head, two), 2),
        (lambda head, one, two: (head, two, one), 2),
    ],
)
def test_a_line_that_was_edited_removed_or_moved_is_refused(path, edit, line):
    build(lower(3))
    build(lower(4))
    edited = "".join(edit(*path.read_text().splitlines(keepends=True)))
    path.write_text(edited)
    error = refused(lower(5))
    assert (error.slug, str(error.where)) == ("history", f"builds.jsonl:{line}")
    assert path.read_text() == edited


def test_a_history_never_replaces_an_input(path):
    jd.write_qrels(jd.read_qrels(QRELS), "qrels.txt")
    jd.write_run(jd.read_run(BEST), "best.run")
    jd.write_run(jd.read_run(lower(3)), "new.run")
    jd.baseline("qrels.txt", "best.run", "RR").save("base.json")
    Path("link").symlink_to("base.json")
    files = {name: Path(name).read_bytes() for name in ("qrels.txt", "best.run", "new.run", "base.json")}
    for name in (*files, "link"):
        with pytest.raises(jd.UsageError) as caught:
            jd.gate("qrels.txt", "new.run", baseline="base.json", anchor="best.run", history=name)
        assert caught.value.slug == "history"
    Path("other.run").write_bytes(files["best.run"])
    with pytest.raises(jd.DataError):  # not an input, but no history either
        jd.gate("qrels.txt", "new.run", baseline="base.json", history="other.run")
    assert {name: Path(name).read_bytes() for name in files} == files


def test_an_error_leaves_no_history(path):
    with pytest.raises(jd.JudgedError):
        build(lower(3), measures="RR", slices={"zz": 1})
    assert not path.exists()


def test_an_empty_file_is_a_history_without_builds_and_a_compressed_one_is_read(path):
    path.write_text("")
    assert build(lower(3)).build.number == 1
    for number in (1, 2):
        assert build(lower(3 + number), path="builds.jsonl.gz").build.number == number


def test_the_key_of_a_file_of_rules_is_a_path_from_its_folder(path, monkeypatch):
    jd.write_qrels(jd.read_qrels(QRELS), "qrels.txt")
    jd.write_run(jd.read_run(BEST), "best.run")
    Path("judged.toml").write_text(
        '[gate]\nqrels = "qrels.txt"\nbaseline = "best.run"\nhistory = "builds.jsonl"\nmeasures = "RR"\nmax_total_drop = 0.1\n'
    )
    Path("in").mkdir()
    monkeypatch.chdir("in")
    assert jd.gate(None, lower(1), rules="../judged.toml").build.number == 1
    assert Path("../builds.jsonl").exists()
    assert not Path("builds.jsonl").exists()


@pytest.mark.slow
def test_fifty_equal_builds_fail_together_as_rarely_as_alpha_says():
    """The t test at the shares of alpha, for builds that have the same queries."""
    rng, failed, repeats = np.random.default_rng(3), 0, 300
    levels = np.array([spent(0.05, k) for k in range(1, 51)])
    for _ in range(repeats):
        values = rng.normal(size=(50, 51))
        losses = values[:, :1] - values[:, 1:]
        failed += bool(((jd.stats.outcome(losses, "t").p <= 2 * levels) & (losses.sum(axis=0) > 0)).any())
    assert failed / repeats <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / repeats)
