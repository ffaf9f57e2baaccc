"""Every case of the list of bad and odd inputs has its outcome: a value, a value and a counted warning, or an error.

`tests/data/bad_inputs.json` says how each case is built and what must come of it. A case of the list that is
neither run nor left out with a reason fails the first test.
"""

import copy
import csv
import gzip
import io
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from commands import raised
from needs import optional
from refusals import refusal

import judged as jd
from judged.cli.main import cli
from judged.evaluation.values import Evaluations

torch = optional("torch")
LIST = json.loads((Path(__file__).parents[1] / "data/bad_inputs.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in LIST["cases"]}
MEASURES = ["nDCG@10", "AP"]
QRELS, RUN = LIST["base"]["qrels"], LIST["base"]["run"]

LEFT_OUT = {"SE-12": "no command makes the name of a file from data yet"}

# Outcomes that differ from the list, and why.
DIFFERENT: dict[str, tuple[str, str, str]] = {
    "ST-11": ("WARN", "query-missing", "the one tuple leaves q2 without a ranking, which ST-06 wants counted"),
    "AP-20": ("WARN", "grade-large", "RL-04 wants grades above 127 counted"),
    "LO-05": ("WARN", "grade-large", "RL-04 wants grades above 127 counted"),
    "SE-01": ("ERROR", "columns", "there is no YAML reader at all: the file is no run, and nothing in it is executed"),
}

# Means of the cases for which the list gives none.
VALUES = {
    "ST-11": {"ndcg@10": 1 / (2 + 1 / math.log2(3)) / 2, "map": 1 / 2 / 2},
    "FI-39": {
        "ndcg@10": ((0.5 / math.log2(3) + 1 / 2) / (1 + 0.5 / math.log2(3)) + 1 / math.log2(3)) / 2,
        "map": (1 / 3 + 1 / 2) / 2,
    },
}

# What a file's error must point to: the file, the line, the column, the text found there.
PLACES: dict[str, tuple[str, int | None, int | None, str | None]] = {
    "FI-01": ("run", 1, None, "q1 Q0 d1"),
    "FI-02": ("run", 1, None, "q1 Q0 d1 1 0.5"),
    "FI-04": ("qrels", 1, None, "q1 0 d1"),
    "FI-05": ("qrels", 1, None, "q1 0 d1 1 extra"),
    "FI-21": ("run", 4, None, "\\x00"),
    "FI-22": ("qrels", 4, None, "\\x00"),
    "FI-29": ("run", 2, 5, "0x10"),
    "FI-31": ("run", 2, 5, "abc"),
    "FI-34": ("run", 2, 5, "1_000"),
    "FI-35": ("run", 2, 5, "0.9f"),
    "FI-40": ("qrels", 3, 4, "high"),
    "FI-43": ("qrels", 3, 4, "99999999999999999999"),
    "FI-45": ("qrels", 3, 4, "1_0"),
    "FI-47": ("run", 5, None, "q2 Q0 d1 2 "),
    "FI-48": ("run", None, None, None),
    "FI-49": ("qrels", None, None, None),
    "FI-50": ("run", None, None, None),
    "FI-52": ("qrels", 1, None, "\\\\xff\\\\xfe"),
    "FI-53": ("qrels", 1, None, "q1 Q0 d1 1 0.5 tag"),
    "FI-58": ("run", 6, None, "d3"),
    "FI-61": ("run", None, None, None),
    "FI-62": ("run", None, None, None),
    "FI-64": ("run", None, None, None),
    "FI-65": ("run", None, None, None),
    "FI-67": ("run", None, None, None),
}


def value_of(expression: str) -> Any:
    """A value of the list, which is written as an expression over a few names."""
    known = {"nan": math.nan, "inf": math.inf, "np": np, "Decimal": Decimal}
    base = eval(LIST["base"]["run_file"], {"__builtins__": {}})
    return eval(expression, {"__builtins__": {}, **known, "BASE_RUN": base})


RENAMED = {  # our slugs say what is wrong; one slug for all that is wrong with ids, and one for grades
    "metric": "unknown-name",
    "id-encoding": "id-type",
    "grade-range": "grade-type",
    "grade-text": "grade-type",
    "score-text": "score-type",
    "compressed": "damaged",
}


def slug_of(code: str) -> str:
    slug = code[2:].lower().replace("_", "-")
    return RENAMED.get(slug, slug)


def expected(case: dict[str, Any]) -> tuple[str, str]:
    """The decision and the slug that must come of a case."""
    decision, slug = case["expected"]["decision"], slug_of(case["expected"]["code"])
    return DIFFERENT[case["id"]][:2] if case["id"] in DIFFERENT else (decision, slug)


LISTED_WARNINGS = {slug_of(c["expected"]["code"]) for c in CASES.values() if c["expected"]["decision"] == "WARN"}

Builder = Callable[[Path], Any]
BUILT: dict[str, Builder] = {}  # how to make the run of a case that the list describes in words
OWN: dict[str, Callable[..., None]] = {}  # cases that are more than one call
NEEDED = dict.fromkeys(("AR-13", "AR-14", "AR-15", "AR-23", "AR-28"), "torch")  # cases that need a library, or /proc
NEEDED |= {"AP-07": "polars", "AP-12": "pandas", "FA-09": "linux"}


def builds(name: str) -> Callable[[Builder], Builder]:
    return lambda build: BUILT.setdefault(name, build)


def runs(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return lambda test: OWN.setdefault(name, test)


def is_direct(case: dict[str, Any]) -> bool:
    return case["build"]["kind"] in ("python objects", "files") and "see how" not in case["build"].values()


def inputs(case: dict[str, Any], folder: Path) -> tuple[Any, Any]:
    """The judgments and the run of a case."""
    build = case["build"]
    if build["kind"] == "python objects":
        return value_of(build["qrels"]), value_of(build["run"])
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    qrels.write_bytes(value_of(build["qrels_file"]))
    if case["id"] in BUILT:
        return qrels, BUILT[case["id"]](folder)
    run.write_bytes(value_of(build["run_file"]))
    return qrels, run


DIRECT = [name for name, case in CASES.items() if is_direct(case)]


def test_every_case_of_the_list_is_run_or_left_out_with_a_reason():
    run = [*DIRECT, *BUILT, *OWN]
    assert sorted([*run, *LEFT_OUT]) == sorted(CASES)
    assert all(LEFT_OUT.values())
    assert {
        name for name in (*DIRECT, *BUILT) if CASES[name]["expected"]["decision"] == "ERROR" and name.startswith("FI")
    } == set(PLACES)


def each(wanted: Callable[[dict[str, Any]], bool] = lambda case: True) -> pytest.MarkDecorator:
    """The cases that are one call, those in a file that needs making too."""
    chosen = [case for name, case in CASES.items() if (is_direct(case) or name.startswith("FI")) and wanted(case)]
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in chosen])


def evaluate(case: dict[str, Any], folder: Path, **options: Any) -> jd.Values:
    return jd.evaluate(*inputs(case, folder), case["build"].get("metrics", MEASURES), **options)


@each()
def test_the_outcome_is_the_one_of_the_list(case, tmp_path):
    decision, slug = expected(case)
    if decision == "ERROR":
        caught = refusal(slug, evaluate, case, tmp_path)
        if case["build"]["kind"] == "files":
            check_place(caught, tmp_path, *PLACES[case["id"]])
        return
    result = evaluate(case, tmp_path)
    wanted = VALUES.get(case["id"]) or case["expected"]["values"][0]
    assert {name: result.mean()[str(jd.measures.parse(name))] for name in wanted} == pytest.approx(wanted, abs=1e-6)
    check_warnings(result, slug if decision == "WARN" else None)


def check_warnings(result: jd.Values, slug: str | None) -> None:
    """The warning that the list wants, counted, and no other one that it knows."""
    counts = {w.slug: w.count for w in result.warnings if w.slug in LISTED_WARNINGS}
    assert set(counts) == ({slug} if slug else set())
    assert all(count >= 1 for count in counts.values())


def check_place(
    error: jd.JudgedError, folder: Path, name: str, line: int | None, column: int | None, text: str | None
) -> None:
    """All parts of the message: file, line, column, what was found, what to do; in the form of the style guide."""
    fields = error.fields()
    assert fields["path"] in (str(folder / f"{name}.txt"), str(folder / f"{name}.gz"))
    assert (fields["line"], fields["column"]) == (line, column)
    assert fields["value"] == (None if text is None else text)
    assert fields["hint"]
    place = re.escape(fields["path"]) + (f":{line}" if line else "")
    place += rf": column {column} \({fields['column_name']}\)" if column else ""
    assert re.fullmatch(rf"{place}: [^\n]+\.", fields["message"])
    assert str(error).startswith(f"{fields['message']} ")
    assert fields["hint"][1:] in str(error)  # the first letter is a capital there
    assert str(error).endswith(f"  [{error.slug}]")


@each(lambda case: expected(case)[0] == "WARN")
def test_strict_turns_a_warning_into_an_error(case, tmp_path):
    refusal(expected(case)[1], evaluate, case, tmp_path, strict=True)


@each(lambda case: case["build"]["kind"] == "files")
def test_the_command_line_prints_values_or_nothing(case, tmp_path):
    decision, slug = expected(case)
    qrels, run = inputs(case, tmp_path)
    with raised():
        outcome = CliRunner().invoke(cli, ["eval", str(qrels), str(run), "-m", *MEASURES, "--format", "csv"])
    if decision == "ERROR":
        assert (outcome.exception.slug, outcome.stdout) == (slug, "")
    else:
        assert outcome.exception is None
        assert len(outcome.stdout.splitlines()) == 1 + len(MEASURES)


def zipped() -> bytes:
    return gzip.compress(value_of("BASE_RUN"), mtime=0)


@builds("FI-61")
def a_gzip_file_cut_off(folder: Path) -> Path:
    return _written(folder / "run.gz", zipped()[:-12])


@builds("FI-62")
def a_gzip_file_with_a_wrong_checksum(folder: Path) -> Path:
    content = bytearray(zipped())
    content[-8] ^= 0xFF
    return _written(folder / "run.gz", content)


@builds("FI-63")
def a_gzip_file_called_txt(folder: Path) -> Path:
    return _written(folder / "run.txt", zipped())


@builds("FI-64")
def a_file_that_is_not_there(folder: Path) -> Path:
    return folder / "run.txt"


@builds("FI-65")
def a_folder(folder: Path) -> Path:
    (folder / "run.txt").mkdir()
    return folder / "run.txt"


@builds("FI-66")
def a_fifo(folder: Path) -> Path:
    path = folder / "run.txt"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(value_of("BASE_RUN"),), daemon=True).start()
    return path


@builds("FI-67")
def a_file_that_may_not_be_read(folder: Path) -> Path:
    path = _written(folder / "run.txt", value_of("BASE_RUN"))
    path.chmod(0)
    if os.access(path, os.R_OK):  # as root: become somebody else until the test is over
        for parent in (folder, *folder.parents[:3]):
            parent.chmod(0o755)
        _become(65534)
    return path


def _written(path: Path, content: bytes | bytearray) -> Path:
    path.write_bytes(content)
    return path


def _become(user: int) -> None:
    try:
        os.seteuid(user)
    except OSError:
        pytest.skip("root may read everything here, and cannot become another user")


@pytest.fixture(autouse=True)
def _same_user_afterwards() -> Iterator[None]:
    user = os.geteuid()
    yield
    if os.geteuid() != user:
        os.seteuid(user)


def own_cases() -> Iterator[Any]:
    for name in (n for n in CASES if n not in (*DIRECT, *LEFT_OUT) and not n.startswith("FI")):
        slow = [pytest.mark.slow] if name.startswith(("FA", "LO-01", "LO-02")) else []
        needs = [pytest.mark.needs(NEEDED[name])] if name in NEEDED else []
        yield pytest.param(name, id=name, marks=[*slow, *needs])


@pytest.mark.parametrize("name", list(own_cases()))
def test_the_outcome_is_the_one_described(name, tmp_path, monkeypatch):
    OWN[name](tmp_path, monkeypatch)


def files(folder: Path) -> tuple[Path, Path]:
    """The judgments and the run that every case varies."""
    qrels = _written(folder / "qrels.txt", value_of(LIST["base"]["qrels_file"]))
    return qrels, _written(folder / "run.txt", value_of("BASE_RUN"))


def same_as_base(result: jd.Values) -> None:
    wanted = LIST["base"]["values"]
    assert {name: result.mean()[str(jd.measures.parse(name))] for name in wanted} == pytest.approx(wanted, abs=1e-6)
    check_warnings(result, None)


MASKED = np.ma.array([0.5, 0.9, 0.7, 0.3], mask=[False, False, False, True])
REFUSED: dict[str, tuple[str, Callable[[], Any]]] = {
    "AR-03": ("form", lambda: jd.evaluate(QRELS, {"query": ["q1"] * 4, "doc": [*"abcd"], "score": MASKED}, MEASURES)),
    "AR-10": ("dtype", lambda: jd.metrics.ndcg(np.array([1, 0], object), [0.1, 0.2])),
    "AR-11": ("empty-run", lambda: jd.metrics.ndcg(np.empty((0, 3)), np.empty((0, 3)))),
    "AR-16": ("label", lambda: jd.metrics.ndcg([-1, 1, 0], [0.9, 0.8, 0.7])),
    "AR-28": ("dtype", lambda: jd.metrics.ndcg(torch.ones(3, device="meta"), torch.ones(3))),
}
GRADIENTS = {"requires_grad": True}
EQUAL: dict[str, Callable[[], tuple[Any, Any]]] = {
    "AR-01": lambda: (jd.metrics.reciprocal_rank([[1, 0, 0]], np.array([[0, 9, 7]], np.uint8)).tolist(), [1 / 3]),
    "AR-05": lambda: (jd.metrics.ndcg([1, 0, 2], [0.5, 0.9, 0.7]), jd.metrics.ndcg([[1, 0, 2]], [[0.5, 0.9, 0.7]])[0]),
    "AR-07": lambda: (jd.metrics.ndcg([True, False, True], [1, 2, 3]), jd.metrics.ndcg([1, 0, 1], [1, 2, 3])),
    "AR-09": lambda: (
        jd.metrics.ndcg(np.array([1, 0, 2], ">i4"), np.array([1, 2, 3], ">f8")),
        jd.metrics.ndcg([1, 0, 2], [1.0, 2.0, 3.0]),
    ),
    "AR-13": lambda: (
        jd.metrics.ndcg([1, 0, 2], torch.tensor([1.5, 3.5, 2.5], **GRADIENTS)),
        jd.metrics.ndcg([1, 0, 2], [1.5, 3.5, 2.5]),
    ),
    "AR-15": lambda: (
        jd.metrics.reciprocal_rank([0, 0, 1], torch.tensor([1, 1 + 2e-9, 1 + 1e-9], dtype=torch.float64)),
        1 / 2,
    ),
    "AR-18": lambda: (
        jd.metrics.ndcg([[1, 0, -100]], [[0.1, 0.2, 0.9]], pad=-100)[0],
        jd.metrics.ndcg([1, 0], [0.1, 0.2]),
    ),
    "AR-23": lambda: (
        jd.metrics.ndcg(torch.tensor([1, 0, 2], dtype=torch.uint8), [1, 2, 3]),
        jd.metrics.ndcg([1, 0, 2], [1, 2, 3]),
    ),
}


def check_equal(name: str) -> None:
    found, wanted = EQUAL[name]()
    assert found == wanted


OWN |= {name: lambda folder, monkeypatch, name=name: refusal(*REFUSED[name]) for name in REFUSED}
OWN |= {name: lambda folder, monkeypatch, name=name: check_equal(name) for name in EQUAL}


@runs("AR-14")
def bfloat16_scores(folder, monkeypatch):
    found = jd.score([[0, 1, 0]], torch.tensor([[0.501, 0.503, 0.502]], dtype=torch.bfloat16), "RR")
    scores = torch.tensor([0.501, 0.503, 0.502], dtype=torch.bfloat16).tolist()
    assert found["RR"].tolist() == [1 / (1 + sum(other > scores[1] for other in scores) + (scores[0] == scores[1]))]
    assert "ties" in [w.slug for w in found.warnings]


@runs("AR-25")
def fewer_queries(folder, monkeypatch):
    caught = refusal("shape", jd.metrics.ndcg, np.ones((1000, 3)), np.ones((1, 3)))
    assert "(1000, 3) and (1, 3)" in str(caught)


@runs("AR-19")
def a_cutoff_that_is_no_rank(folder, monkeypatch):
    for cutoff in (0, -1, 2.5, True, math.nan, "10"):
        refusal("cutoff", jd.measures.AP, cutoff=cutoff)
    for text in ("AP@0", "AP@-1", "AP@2.5", "AP@1e400", "AP@nan", "AP@ten", "AP@"):
        with pytest.raises(jd.UsageError):
            jd.evaluate(QRELS, RUN, text)


@runs("AR-20")
def an_exponential_gain_that_overflows(folder, monkeypatch):
    run = {"q": ["b", "a"]}
    refusal("gain-overflow", jd.evaluate, {"q": {"a": 1100, "b": 1}}, run, "nDCG(gain='exp')")
    below = jd.evaluate({"q": {"a": 960, "b": 1}}, run, "nDCG(gain='exp')").mean()
    assert below == {"nDCG(gain='exp')": pytest.approx(1 / math.log2(3))}


@runs("AR-22")
def a_grade_above_the_top_of_the_scale(folder, monkeypatch):
    caught = refusal("label-above-max", jd.evaluate, {"q": {"a": 5, "b": 1}}, {"q": ["a", "b"]}, "ERR")
    assert caught.value == 5
    assert jd.evaluate({"q": {"a": 5}}, {"q": ["a"]}, "ERR(max=5)").mean() == {"ERR(max=5)": (2**5 - 1) / 2**5}


@runs("AP-01")
def a_generator_used_twice(folder, monkeypatch):
    rows = ((query, doc, score) for query, docs in RUN.items() for doc, score in docs.items())
    same_as_base(jd.evaluate(QRELS, rows, MEASURES))
    refusal("form", jd.evaluate, QRELS, rows, MEASURES)
    judgments = iter([("q1", "d1", 1)])
    jd.evaluate(judgments, RUN, MEASURES)
    refusal("form", jd.evaluate, judgments, RUN, MEASURES)
    with files(folder)[1].open() as stream:
        run = jd.read_run(stream)  # what a reader gives can be used again and again
    for _ in range(2):
        same_as_base(jd.evaluate(QRELS, run, MEASURES))


@runs("AP-02")
def paths_of_every_type(folder, monkeypatch):
    qrels, run = files(folder)
    for kind in (Path, str, os.fsencode):
        same_as_base(jd.evaluate(kind(qrels), kind(run), MEASURES))


@runs("AP-04")
def a_hyphen_in_a_query_id(folder, monkeypatch):
    measures = ["ERR", "nDCG(gain='exp')@10"]
    plain_id = jd.evaluate({"a1": QRELS["q1"], "a2": QRELS["q2"]}, {"a1": RUN["q1"], "a2": RUN["q2"]}, measures)
    hyphen = jd.evaluate({"a-1": QRELS["q1"], "a-2": QRELS["q2"]}, {"a-1": RUN["q1"], "a-2": RUN["q2"]}, measures)
    assert hyphen.mean() == plain_id.mean()
    assert hyphen.queries == ("a-1", "a-2")


@runs("AP-07")
def a_polars_frame(folder, monkeypatch):
    import polars

    rows = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    same_as_base(jd.evaluate(QRELS, frame, MEASURES))
    same_as_base(jd.evaluate(QRELS, frame.lazy(), MEASURES))


@runs("AP-10")
def twenty_seven_runs_in_one_table(folder, monkeypatch):
    results = [jd.evaluate(QRELS, jd.read_run(RUN, name=f"run{i}"), MEASURES) for i in range(27)]
    rows = Evaluations(tuple(results)).tables()[0].rows
    assert [row[0] for row in rows] == [f"run{i}" for i in range(27)]
    assert len({row[1:] for row in rows}) == 1


@runs("AP-12")
def inputs_stay_as_they_were(folder, monkeypatch):
    import pandas

    qrels, run = copy.deepcopy(QRELS), copy.deepcopy(RUN)
    frame = pandas.DataFrame(
        [(q, d, s) for q, docs in run.items() for d, s in docs.items()], columns=["qid", "docno", "score"]
    )
    before = frame.copy(deep=True)
    jd.evaluate(qrels, run, MEASURES, queries="both", ties="expected", unjudged="condensed", depth=1, bounds=True)
    jd.evaluate(qrels, frame, MEASURES, duplicates="best")
    assert (qrels, run) == (QRELS, RUN)
    assert [list(docs) for docs in run.values()] == [list(docs) for docs in RUN.values()]
    pandas.testing.assert_frame_equal(frame, before)
    judged = jd.join(qrels, run)
    with pytest.raises(AttributeError):
        judged.queries = ()


@runs("AP-13")
def a_nul_at_the_end_of_an_id(folder, monkeypatch):
    for qrels, run in (
        ({"q": {"a\0": 1}}, {"q": ["a"]}),
        ({"q": {"a": 1}}, {"q": ["a\0"]}),
        ({"q\0": {"a": 1}}, {"q": ["a"]}),
    ):
        refusal("nul", jd.evaluate, qrels, run, MEASURES)


@runs("AP-14")
def infinite_scores_and_missing_values_in_files(folder, monkeypatch):
    run = jd.read_run({"q": {"a": math.inf, "b": -math.inf, "c": 5e-324}})
    for ending in ("json", "jsonl"):
        refusal("format", jd.write_run, run, folder / f"x.{ending}")
        assert not (folder / f"x.{ending}").exists()
    for ending in ("run", "csv", "tsv", "parquet"):
        jd.write_run(run, folder / f"x.{ending}")
        assert jd.read_run(folder / f"x.{ending}").score.tolist() == [math.inf, -math.inf, 5e-324]
    values = jd.evaluate({"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, "AP RR", empty="skip")
    values.save(folder / "v.json")
    assert [str(x) for x in jd.load(folder / "v.json")["AP"]] == ["nan", "1.0"]
    json.loads((folder / "v.json").read_text(), parse_constant=pytest.fail)
    check_values_of_other_bytes(folder)


def check_values_of_other_bytes(folder: Path) -> None:
    """Query ids that are not UTF-8: exact where they can be held, refused where not."""
    values = jd.evaluate(io.BytesIO(b"q\x81 0 d 1\n"), io.BytesIO(b"q\x81 Q0 d 1 1 t\n"), "AP")
    values.save(folder / "other.json")
    assert jd.load(folder / "other.json").to_dict() == values.to_dict() == {"q\udc81": {"AP": 1.0}}
    values.save(folder / "other.csv")
    assert (folder / "other.csv").read_bytes() == b"query,AP\nq\x81,1.0\n"
    for convert in (values.to_pandas, values.to_polars, values.to_arrow):
        refusal("id-type", convert)


@runs("AP-16")
def an_id_with_a_blank_in_a_trec_file(folder, monkeypatch):
    path = folder / "x.run"
    for run in ({"q 1": ["d"]}, {"q": ["d 1"]}, {"q": ["d\t1"]}, {"q": ["d\n1"]}):
        refusal("format", jd.write_run, run, path)
    refusal("format", jd.write_qrels, {"q": {"d 1": 1}}, folder / "x.qrels")
    tagged = jd.read_run(io.BytesIO(b"q\tQ0\td\t1\t1\tmy run\n"))
    assert tagged.tag == "my run"
    refusal("format", jd.write_run, tagged, path)
    assert not list(folder.iterdir())


@runs("AP-18")
def scores_of_numpy_types(folder, monkeypatch):
    for kind in (np.int64, np.int8, np.uint8, np.float16, np.longdouble):
        scores = {query: {doc: kind(10 * score) for doc, score in docs.items()} for query, docs in RUN.items()}
        same_as_base(jd.evaluate(QRELS, scores, MEASURES))


@runs("AP-19")
def gains_below_one(folder, monkeypatch):
    qrels, perfect = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": ["a", "c", "b"]}
    assert list(jd.evaluate(qrels, perfect, "ndcg.1=0.9,2=0.1,3=0.5").mean().values()) == [1.0]


@runs("AP-20")
def a_grade_of_a_million(folder, monkeypatch):
    check_large_grade(1_000_000, "AP-20")


@runs("LO-05")
def a_grade_of_a_hundred_million(folder, monkeypatch):
    check_large_grade(100_000_000, "LO-05")


def check_large_grade(grade: int, name: str) -> None:
    """Value, warning, and memory that does not depend on the grade."""
    peaks = []
    for high in (2, 2, grade):  # the first call loads what is loaded once
        tracemalloc.start()
        result = jd.evaluate({"q": {"a": high, "b": 1}}, {"q": ["b", "a"]}, "nDCG@10")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]
    ours, ideal = 1 + grade / math.log2(3), grade + 1 / math.log2(3)
    assert result.mean() == {"nDCG@10": pytest.approx(ours / ideal, rel=1e-14)}
    check_warnings(result, DIFFERENT[name][1])


@runs("AP-22")
def a_name_that_begins_with_a_hyphen(folder, monkeypatch):
    files(folder)[1].rename(folder / "-x.run")
    monkeypatch.chdir(folder)
    same_as_base(jd.evaluate("qrels.txt", "-x.run", MEASURES))
    for name in (["--", "-x.run"], ["./-x.run"]):
        outcome = CliRunner().invoke(cli, ["eval", "qrels.txt", *name], catch_exceptions=False)
        assert "0.6503" in outcome.stdout


@runs("AP-23")
def nothing_on_standard_input(folder, monkeypatch):
    with raised():
        outcome = CliRunner().invoke(cli, ["eval", str(files(folder)[0]), "-"], input=b"")
    assert (outcome.exception.slug, outcome.stdout) == ("empty-run", "")


@runs("AP-24")
def the_line_is_the_one_an_editor_shows(folder, monkeypatch):
    qrels, run = files(folder)
    run.write_bytes(b"# a comment\n\nq1 Q0 d1 1 0.5 tag\n   \nq1 Q0 d2 2\n")
    caught = refusal("columns", jd.evaluate, qrels, run, MEASURES)
    assert str(caught).startswith(f"{run}:5: ")


@runs("SE-01")
def a_yaml_file_that_runs_a_command(folder, monkeypatch):
    target = folder / "done"
    text = f'name: x\nrun: !!python/object/apply:os.system ["touch {target}"]\n'
    qrels, run = files(folder)
    evil = _written(folder / "evil.yaml", text.encode())
    for pair in ((qrels, evil), (evil, run)):
        refusal(DIFFERENT["SE-01"][1], jd.evaluate, *pair, MEASURES)
    assert not target.exists()


@runs("SE-04")
def a_gzip_bomb(folder, monkeypatch):
    part = gzip.compress(b"x" * (64 << 20), 9)
    bomb = _written(folder / "bomb.gz", part * 16)
    assert bomb.stat().st_size < 2 << 20
    refusal("too-large", jd.evaluate, files(folder)[0], bomb, MEASURES)


@runs("SE-07")
def an_id_that_is_a_formula(folder, monkeypatch):
    formula = '=HYPERLINK("http://x.example","y")'
    qrels, run = {formula: {formula: 1}}, {formula: {formula: 0.5}}
    jd.write_run(run, folder / "x.csv")
    assert jd.read_run(folder / "x.csv").queries.tolist() == [formula.encode()]
    values = jd.evaluate(qrels, jd.read_run(run, name="=cmd"), "AP")
    values.save(folder / "v.csv")
    assert first_row((folder / "v.csv").read_text()) == {"query": formula, "AP": "1.0"}
    row = first_row(Evaluations((values,), per_query=True).to_csv(spreadsheet_safe=True))
    assert (row["run"], row["query"]) == ("'=cmd", f"'{formula}")


def first_row(text: str) -> dict[str, str]:
    return next(csv.DictReader(io.StringIO(text)))


@runs("SE-09")
def terminal_escapes_in_ids(folder, monkeypatch):
    query, doc = "q\x1b[31m", "d\x1b]0;owned\x07"
    result = jd.evaluate({query: {doc: 1}}, {query: [doc]}, "AP")
    shown = [
        Evaluations((result,), per_query=True, summary=False).to_text(),
        str(result.explain("AP", query)),
        *(Evaluations((result,), per_query=True).render(f) for f in ("trec", "csv", "md", "latex", "json")),
    ]
    assert all(text.replace("\n", "").replace("\t", "").isprintable() for text in shown)
    assert "q\\x1b[31m" in shown[0]
    assert "d\\x1b]0;owned\\x07" in shown[1]


SAVER = """
import sys
import judged as jd
runs = [jd.read_run(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for run in runs:
        jd.write_run(run, sys.argv[1])
"""


@contextmanager
def saving(folder: Path) -> Iterator[tuple[Path, set[bytes], subprocess.Popen[str]]]:
    """Another process that writes two runs to one file, over and over."""
    target, contents = folder / "saved.run", []
    for n, name in ((20_000, "a.run"), (30_000, "b.run")):
        jd.write_run({"q": {f"d{i}": i * n for i in range(n)}}, folder / name)
        contents.append((folder / name).read_bytes())
    _written(target, contents[0])
    command = [sys.executable, "-c", SAVER, str(target), str(folder / "a.run"), str(folder / "b.run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield target, set(contents), process
        finally:
            process.kill()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@runs("FA-03")
def killed_while_saving(folder, monkeypatch):
    moments = random.Random(3)
    for _ in range(2):
        with saving(folder) as (target, whole, process):
            time.sleep(moments.uniform(0, 0.15))
            process.kill()
            process.wait()
        assert target.read_bytes() in whole


@runs("FA-05")
def read_while_it_is_saved(folder, monkeypatch):
    with saving(folder) as (target, _, process):
        until, sizes = time.monotonic() + 1, set()
        while time.monotonic() < until or len(sizes) < 2:
            run = jd.read_run(target)
            sizes.add(len(run.query))
            assert run.score.max() == (len(run.query) - 1) * len(run.query)
            assert time.monotonic() < until + 60
        assert process.poll() is None
    assert sizes == {20_000, 30_000}


@runs("FA-04")
def cut_at_every_byte(folder, monkeypatch):
    line = "query{0} Q0 document{1} {1} {2} tag\n"
    run = "".join(line.format(q, r, 9.5 - r) for q in range(1, 6) for r in range(1, 10)).encode()
    qrels = "".join(f"query{q} 0 document{r} {r % 3}\n" for q in range(1, 6) for r in range(1, 10)).encode()
    assert len(run) > 1_200
    for size in range(len(run)):
        check_cut(qrels, run[:size], run[:size])
    for size in range(len(qrels)):
        check_cut(qrels[:size], run, qrels[:size])
    packed = gzip.compress(run)
    for size in range(len(packed)):
        with pytest.raises(jd.DataError):
            jd.read_run(io.BytesIO(packed[:size]))
    saved = jd.evaluate(io.BytesIO(qrels), io.BytesIO(run), "AP").to_json()
    for size in range(len(saved)):
        refusal("values-file", jd.Values.from_json, saved[:size])


def check_cut(qrels: bytes, run: bytes, cut: bytes) -> None:
    """An error; or a value, and a warning unless the cut fell behind a whole line."""
    try:
        said = {w.slug for w in jd.evaluate(io.BytesIO(qrels), io.BytesIO(run), "AP").warnings}
    except jd.DataError as error:
        said = {error.slug}
    wanted = {"columns", "swapped", "empty-run", "empty-qrels", "score-type", "grade-type", "no-final-newline"}
    assert cut.endswith(b"\n") or said & wanted


def a_long_run(folder: Path, n: int = 1_000_000) -> tuple[Path, Path]:
    """One query with n documents, every thousandth judged."""
    run = "".join(f"q1 Q0 doc{i:08d} {i + 1} {n - i}.5 tag\n" for i in range(n))
    qrels = "".join(f"q1 0 doc{i:08d} {i // 1000 % 3}\n" for i in range(0, n, 1000))
    return _written(folder / "qrels.txt", qrels.encode()), _written(folder / "run.txt", run.encode())


def in_another_process(code: str, *words: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=120, check=False)


LIMITED = """
import resource, sys
import judged.evaluation.evaluate, judged.page.report
from judged.cli.main import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv.pop(1)) * 2**20,) * 2)
main()
"""


@runs("FA-09")
def too_little_memory(folder, monkeypatch):
    qrels, run = a_long_run(folder)
    refused = 0
    for megabytes in (1, 60):
        outcome = in_another_process(LIMITED, megabytes, "eval", qrels, run, "-m", "AP")
        if outcome.returncode == 0:  # the native core needs little more than the mapped file
            assert "AP" in outcome.stdout
            continue
        refused += 1
        assert (outcome.returncode, outcome.stdout) == (3, "")
        assert outcome.stderr.endswith("[memory]\n")
    assert refused


RESIDENT = """
import resource, sys
import judged as jd
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
before = peak()
print(jd.evaluate(sys.argv[1], sys.argv[2], "AP").mean()["AP"], peak() - before)
"""


@runs("LO-01")
def a_million_documents(folder, monkeypatch):
    qrels, run = a_long_run(folder)
    value, memory = in_another_process(RESIDENT, qrels, run).stdout.split()
    ranks = [1000 * i + 1 for i in range(1000) if i % 3]
    wanted = math.fsum((found + 1) / rank for found, rank in enumerate(ranks)) / len(ranks)
    assert float(value) == pytest.approx(wanted, rel=1e-13)
    assert int(memory) <= 3 * run.stat().st_size


@runs("LO-02")
def a_hundred_thousand_queries(folder, monkeypatch):
    work = []
    for n in (10_000, 10_000, 100_000):  # the first call loads what is loaded once
        qrels = "".join(f"q{i} 0 d{i} {i % 2}\n" for i in range(n)).encode()
        run = "".join(f"q{i} Q0 d{i} 1 1.0 tag\n" for i in range(n)).encode()
        calls = itertools.count()
        tracemalloc.start()
        sys.setprofile(lambda frame, event, value, calls=calls: event.endswith("call") and next(calls))
        try:
            result = jd.evaluate(io.BytesIO(qrels), io.BytesIO(run), MEASURES)
        finally:
            sys.setprofile(None)
            work.append((next(calls), tracemalloc.get_traced_memory()[1]))
            tracemalloc.stop()
        assert result.mean() == {"nDCG@10": 0.5, "AP": 0.5}
    for small, large in zip(*work[1:], strict=True):  # function calls, bytes
        assert large <= 10.5 * small
