"""Compressed runs as streams: the same hits, warnings and errors as from the plain file, in bounded memory."""

import bz2
import gzip
import lzma
import random
import sys
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
import zstd
from refusals import refusal

import judged as jd
from judged.core import reference, scan
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.core.reference import Hits
from judged.core.unread_runs import TextStream
from judged.io import stored as stream
from judged.io.decompress import decompress
from judged.io.open_table import open_whole_run
from judged.io.read import read_qrels, read_run

pytestmark = pytest.mark.needs("native")

STEP = 1 << 11
QRELS = read_qrels({str(query): {f"d{i}": i % 3 for i in range(0, 60, 7)} for query in range(40)})


PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress}


def lines_of(queries, depth=60, seed=0) -> list[str]:
    """Lines of some queries, 70 KB or more, so that more than the head of the file has to be read."""
    rng = random.Random(seed)
    return [
        f"{query} Q0 d{doc} {rank} {round(9 - rank / 7, 2)} {'a-long-tag' * 3}"
        for query in queries
        for rank, doc in enumerate(rng.sample(range(depth), depth), 1)
    ]


@pytest.fixture
def outcome(tmp_path, monkeypatch):
    """Write lines and compare the stream with the plain file; return what came of it, and the number of stretches."""
    monkeypatch.setattr(stream, "STRETCH", 1 << 12)
    monkeypatch.setattr("judged.io.decompress.decompress", lambda *args: decompress(*args[:3], step=STEP))
    taken = []
    inside = stream.stream_queries
    monkeypatch.setattr(
        stream, "stream_queries", lambda *args: (taken.append(len(part[0])) or part for part in inside(*args))
    )

    def compare(text: str, pack="gzip", policy=None):
        (tmp_path / "a.run").write_text(text)
        (tmp_path / "b.run").write_bytes(PACK[pack](text.encode()))
        wanted, seen = (_outcome(tmp_path / name, policy or Policy()) for name in ("a.run", "b.run"))
        assert seen == wanted
        return seen, taken

    return compare


def _outcome(path, policy):
    run = open_whole_run(str(path))
    assert isinstance(run, TextStream) == (path.name == "b.run")
    pool = pool_of(QRELS, policy)
    try:
        found = scan.find(pool, run, policy, ("text", "text"))
    except jd.JudgedError as error:
        return error.slug, str(error).replace(path.name, "run")
    if found is None:
        found = reference.find(pool, read_run(str(path)), policy)
    warnings = found.warnings or getattr(run, "warnings", ())
    values = [getattr(found, field.name) for field in fields(Hits) if field.name != "warnings"]
    return [v.tolist() if isinstance(v, np.ndarray) else v for v in values], [warning.slug for warning in warnings]


@pytest.mark.parametrize("pack", PACK)
@pytest.mark.parametrize("end", ["\n", "", "\n\n# the end\n"])
def test_a_stream_gives_what_the_plain_file_gives(outcome, pack, end):
    _, taken = outcome("\n".join(lines_of(range(30))) + end, pack)
    assert len(taken) > (1 if pack in ("zstd", "bzip2") else 5)  # whose blocks are larger


def test_no_stretch_is_longer_than_its_size_and_a_query(outcome):
    lines = lines_of(range(40))
    query = max(sum(len(line) + 1 for line in lines if line.startswith(f"{q} ")) for q in range(40))
    _, taken = outcome("\n".join(lines) + "\n")
    assert max(taken) <= stream.STRETCH + STEP + query


def test_one_query_that_fills_the_file_is_joined_a_few_times_only(outcome, monkeypatch):
    joined = []
    edges = stream.native.query_edges
    native = SimpleNamespace(query_edges=lambda text, *rest: joined.append(len(text)) or edges(text, *rest))
    monkeypatch.setattr(stream, "native", native)
    lines = lines_of([1], depth=6000)
    text = "\n".join(lines) + "\n"
    outcome(text)
    assert sum(joined) <= 4 * len(text)


@pytest.mark.parametrize(
    "queries", [[1, 2, 1, *range(3, 30)], [*range(30), 0], [*range(90, 120), 1, 90], [91, 1, 91, *range(2, 30)]]
)
def test_queries_that_come_back_give_what_the_plain_file_gives(outcome, queries):
    lines = lines_of(queries, seed=3)
    for policy in (Policy(duplicates="first"), Policy(), Policy(duplicates="best", ties="input")):
        outcome("\n".join(lines) + "\n", policy=policy)


@pytest.mark.parametrize("line", ["1 Q0 d1 1 x tag", "1 Q0 d1 1", "1 Q0 d\0 1 1 t", "39 Q0 d1 1 nan t"])
@pytest.mark.parametrize("at", [1, 900, 1799])
def test_a_bad_line_is_reported_with_its_number(outcome, line, at):
    lines = lines_of(range(30))
    lines.insert(at, line)
    seen, _ = outcome("\n".join(lines) + "\n")
    assert f"run:{at + 1}" in seen[1] or f"line {at + 1}" in seen[1]


def test_the_first_of_several_duplicates_is_reported(outcome):
    lines = lines_of(range(30))
    for at in (1000, 400, 405, 1700):
        lines.insert(at, lines[at - 7])
    seen, _ = outcome("\n".join(lines) + "\n")
    assert seen[0] == "duplicate-doc"
    assert ":401" in seen[1]


@pytest.mark.parametrize("policy", [Policy(order="rank"), Policy(precision="float32"), Policy(ties="worst", depth=5)])
def test_policies_and_unjudged_queries_and_infinite_scores(outcome, policy):
    lines = [*lines_of(range(50, 60)), *lines_of(range(20))]
    lines[40] = lines[40].replace(lines[40].split()[4], "inf")
    lines[700], lines[701] = lines[701], lines[700]
    outcome("\n".join(lines) + "\n", policy=policy)
    lines[800] = "6 Q0 new x 1 tag"
    outcome("\n".join(lines) + "\n", policy=policy)


def test_no_common_query_and_no_rows(outcome):
    assert outcome("\n".join(lines_of(range(70, 100))) + "\n")[0][0] == "no-common-query"
    outcome("\n".join(lines_of(range(70, 71))) + "\n" + "#\n" * 70000)


def test_a_damaged_or_changed_file_gives_no_number(tmp_path):
    data = gzip.compress("\n".join(lines_of(range(40))).encode() * 3)
    path = tmp_path / "b.run"
    for broken in (data[:-9], data[: len(data) // 2], data[:5000] + b"xx" + data[5002:]):
        path.write_bytes(broken)
        refusal("damaged", jd.evaluate, QRELS, str(path), "AP")
    path.write_bytes(data)
    run = open_whole_run(str(path))
    path.write_bytes(data + data)
    refusal("io", scan.find, pool_of(QRELS, Policy()), run, Policy(), ("text", "text"))


def test_a_thread_that_reads_ahead_ends_with_its_reader():
    made = []

    def numbers():
        for number in range(1000):
            made.append(number)
            yield number

    reader = stream.read_ahead(numbers())
    assert [next(reader), next(reader)] == [0, 1]
    reader.close()
    assert len(made) <= 6


def test_gzip_is_read_without_isal(tmp_path):
    import subprocess

    path = tmp_path / "b.run"
    path.write_bytes(gzip.compress("\n".join(lines_of(range(40))).encode()))
    code = f"""
import sys
sys.modules["isal"] = None
from judged.io.decompress import decompress
print(sum(map(len, decompress(open({str(path)!r}, "rb"), "gzip", "b"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(gzip.decompress(path.read_bytes()))


def test_a_zstd_file_may_begin_with_a_skippable_frame(tmp_path):
    path = tmp_path / "qrels.zst"
    path.write_bytes(b"\x5e\x2a\x4d\x18\x04\x00\x00\x00abcd" + zstd.compress(b"q 0 d 1\n"))
    assert jd.read_qrels(path).to_dict() == {"q": {"d": 1.0}}
    assert jd.evaluate(path, {"q": ["d"]}, "RR").mean() == {"RR": 1.0}
