"""The history of a gate: its builds, the anchor, and files that are refused."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gated import BEST, QRELS, N, run
from refusals import refusal

import judged as jd


def lower(n):
    """A run that has lost half of n queries."""
    return run(*[2] * n, *[1] * (N - n))


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path("builds.jsonl")


def build(candidate, base=BEST, path="builds.jsonl", **rules):
    return jd.gate(QRELS, candidate, baseline=base, history=path, **{"measures": "RR", "max_drop": 0.2, **rules})


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_build_is_a_line_and_none_changes_alpha(path):
    for k in (1, 2, 3):
        gate = build(lower(k))
        assert (gate.build, gate.rules.alpha) == (k, 0.05)
        assert f"build {k} of the history" in str(gate)
    head, *builds = records(path)
    assert (head["judged-history"], head["name"]) == (3, "baseline")
    assert [(b["build"], b["passed"], b["drops"][0]["observed"]) for b in builds] == [
        (k, True, k / 80) for k in (1, 2, 3)
    ]
    assert builds[2]["means"] == {"RR": pytest.approx(1 - 3 / 80)}


def test_gates_at_once_lose_no_build(path):
    with ThreadPoolExecutor(6) as pool:
        numbers = [gate.build for gate in pool.map(build, map(lower, range(1, 13)))]
    assert sorted(numbers) == [b["build"] for b in records(path)[1:]] == list(range(1, 13))


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


def test_a_total_drop_needs_a_history():
    refusal("rule", jd.gate, QRELS, lower(30), baseline=BEST, measures="RR", max_total_drop=0.1)


@pytest.mark.parametrize("first", ["3", "{}", "query,doc", '{"name": "a", "anchor": {}}'])
def test_a_file_that_is_no_history_is_refused_and_left_alone(path, first):
    path.write_text(f"{first}\n")
    refusal("values-file", build, lower(5))
    assert path.read_text() == f"{first}\n"


def test_a_build_after_a_write_that_did_not_end_begins_a_line(path):
    build(lower(3))
    path.write_text(path.read_text() + '{"build":2,"pas')
    assert build(lower(4)).build == 3
    assert json.loads(path.read_text().splitlines()[-1])["build"] == 3


def test_the_anchor_must_have_the_judgments_and_the_measures(path):
    build(lower(3))
    refusal("incomparable", build, lower(4), lower(1), measures="RR AP")
    refusal(
        "incomparable", jd.gate, {**QRELS, "q00": {"good": 2}}, lower(4), baseline=lower(1), measures="RR", history=path
    )
    assert len(records(path)) == 2


def test_a_history_never_replaces_an_input(path):
    jd.write_qrels(jd.read_qrels(QRELS), "qrels.txt")
    jd.write_run(jd.read_run(BEST), "best.run")
    jd.write_run(jd.read_run(lower(3)), "new.run")
    jd.baseline("qrels.txt", "best.run", "RR").save("base.json")
    Path("link").symlink_to("base.json")
    files = {name: Path(name).read_bytes() for name in ("qrels.txt", "new.run", "base.json")}
    for name in (*files, "link"):
        refusal("output-is-input", jd.gate, "qrels.txt", "new.run", baseline="base.json", history=name)
    Path("other.run").write_bytes(files["new.run"])
    with pytest.raises(jd.DataError):  # not an input, but no history either
        jd.gate("qrels.txt", "new.run", baseline="base.json", history="other.run")
    assert {name: Path(name).read_bytes() for name in files} == files


def test_an_error_leaves_no_history(path):
    with pytest.raises(jd.JudgedError):
        build(lower(3), measures="RR", slices={"zz": 1})
    assert not path.exists()


def test_an_empty_file_is_a_history_without_builds(path):
    path.write_text("")
    assert build(lower(3)).build == 1


def test_the_key_of_a_file_of_rules_is_a_path_from_its_folder(path, monkeypatch):
    jd.write_qrels(jd.read_qrels(QRELS), "qrels.txt")
    jd.write_run(jd.read_run(BEST), "best.run")
    Path("judged.toml").write_text(
        '[gate]\nqrels = "qrels.txt"\nbaseline = "best.run"\nhistory = "builds.jsonl"\nmeasures = "RR"\nmax_total_drop = 0.1\n'
    )
    Path("in").mkdir()
    monkeypatch.chdir("in")
    assert jd.gate(None, lower(1), rules="../judged.toml").build == 1
    assert Path("../builds.jsonl").exists()
    assert not Path("builds.jsonl").exists()
