"""Partitions of TREC lines that are scanned once: the same hits as in two passes, and as from one file."""

import random
from dataclasses import fields
from unittest import mock

import numpy as np
import pytest

import judged as jd
from judged.core.parts import find as finding
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import Hits
from judged.distributed.open_run import open_run
from judged.io import partitions
from judged.io.read import read_qrels

pytestmark = pytest.mark.needs("native")

QRELS = read_qrels({f"q{query}": {f"d{i}": i % 3 for i in range(0, 30, 4)} for query in range(12)})
POLICIES = [
    Policy(),
    Policy(order="rank"),
    Policy(order="input"),
    Policy(ties="input", depth=9),
    Policy(precision="float32"),
]


def lines_of(queries, seed=0) -> list[str]:
    rng = random.Random(seed)
    return [
        f"q{query} Q0 d{doc} {rank} {round(9 - rank / 7, 1)} tag"
        for query in queries
        for rank, doc in enumerate(rng.sample(range(30), 20), 1)
    ]


@pytest.fixture
def find(tmp_path, monkeypatch):
    """Write files, find the hits in one pass if possible and in two, compare both; return them and the scans of each piece."""
    monkeypatch.setattr(partitions, "SMALLEST", 1)
    monkeypatch.setattr(partitions, "LARGEST", 1)
    monkeypatch.setattr(partitions, "cut_lines", lambda file, step: [(0, file.size)])
    scans: list[str] = []
    batches = partitions.TrecPiece.batches
    monkeypatch.setattr(partitions.TrecPiece, "batches", lambda piece: scans.append(piece.file.path) or batches(piece))

    def outcome(policy):
        try:
            hits = finding.find_in_partitions(
                pool_of(QRELS, policy), open_run(str(tmp_path)), policy, ("text", "text"), None
            )
        except jd.JudgedError as error:
            return error.slug, str(error)
        return {field.name: np.asarray(getattr(hits, field.name)).tolist() for field in fields(Hits)}

    def compare(texts, policy=None):
        for number, text in enumerate(texts):
            (tmp_path / f"{number:02}.run").write_text(text)
        scans.clear()
        seen, count = outcome(policy or Policy()), len(scans)
        with mock.patch.object(finding, "_find_in_one_pass", return_value=None):
            assert seen == outcome(policy or Policy())
        return seen, count / len(texts)

    return compare


def split(lines, *cuts):
    return [
        "".join(line + "\n" for line in lines[begin:end]) for begin, end in zip((0, *cuts), (*cuts, None), strict=True)
    ]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("cuts", [(100,), (40, 200), (33, 107, 214), (3, 6, 9, 12, 15, 30), (239,)])
def test_a_split_file_is_scanned_once(find, policy, cuts):
    _, scans = find(split(lines_of(range(12)), *cuts), policy)
    assert scans == 1


def test_lines_without_an_end_blank_lines_comments_and_unjudged_queries(find):
    lines = lines_of([90, 0, 1, 91, 2, 92, 93, 3])
    first, second, third = split(lines, 45, 110)
    for texts in ([first[:-1], second, third[:-1]], [first + "\n\n", " \n" + second, third]):
        seen, scans = find(texts)
        assert scans == 1
        assert seen["some_unjudged"] == [b"q90", b"q91", b"q92"]
    find(["# note\n" + first, second + "# end\n", "# begin\n" + third])


def test_a_contradiction_between_partitions_is_counted_once(find):
    lines = lines_of(range(12))
    lines[45] = lines[45].replace(lines[45].split()[4], "9.5")  # a later rank, a higher score
    seen, scans = find(split(lines, 45))
    assert (seen["disagreeing"], scans) == (1, 1)


@pytest.mark.parametrize(
    "texts",
    [
        split(lines_of([0, 1, 0, 2]), 35),
        split([*lines_of([0, 1]), *lines_of([0, 1], 5)], 40),
        split([*lines_of([0, 90, 1]), *lines_of([90, 2], 5)], 60),
        split([*lines_of([0, 1]), "q1 Q0 d1 1 x tag", *lines_of([2])], 30),
        split([*lines_of([0, 1]), lines_of([1])[3], *lines_of([2])], 30),
        split([*lines_of([0, 1]), "q1 Q0 new x 1 tag", *lines_of([2])], 30),
        split(lines_of([80, 81, 82]), 30),
        ["# nothing\n", "\n"],
    ],
)
@pytest.mark.parametrize("policy", POLICIES[:2])
def test_everything_else_is_left_to_two_passes(find, texts, policy):
    find(texts, policy)


def test_more_queries_without_judgments_than_are_counted(find, monkeypatch):
    from judged.core.parts import pass_two

    for module in (finding, pass_two):
        monkeypatch.setattr(module, "MAX_UNJUDGED", 2)
    seen, _ = find(split(lines_of([1, 90, 91, 92]), 45))
    assert seen["more_unjudged"]
