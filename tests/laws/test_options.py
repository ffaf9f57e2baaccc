"""Every option of an evaluation changes the result on inputs made for it, or is refused: for each kind of input, from `EvaluateOptions`."""

import json

import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.core.policy import POLICY_OPTIONS
from judged.errors import JudgedError
from judged.evaluation.options import EvaluateOptions

pd = optional("pandas")

# Query, document, rank, score. One query each for the order, ties, precision, a document like the query, chunks; `odd` has no relevant document.
RUN = [
    ("order", "a", 3, 3.0), ("order", "c", 2, 1.0), ("order", "b", 1, 2.0),
    ("ties", "m", 1, 1.0), ("ties", "b", 2, 1.0), ("ties", "z", 3, 1.0), ("ties", "r", 4, 1.0), ("ties", "c", 5, 1.0), ("ties", "a", 6, 1.0),
    ("near", "x", 1, 1.0), ("near", "b", 2, 1.0 + 2e-16), ("unjudged", "new", 1, 2.0), ("unjudged", "b", 2, 1.0),
    ("self", "self", 1, 2.0), ("self", "b", 2, 1.0), ("chunks", "g#2", 1, 2.0), ("chunks", "g#1", 2, 1.5), ("chunks", "h#1", 3, 1.0), ("odd", "a", 1, 1.0),
]  # fmt: skip
QRELS = [
    ("order", "a", 0), ("order", "b", 2), ("order", "c", 1), ("ties", "m", 1), ("ties", "b", 2), ("ties", "z", 0), ("ties", "r", 0), ("ties", "c", 1), ("ties", "a", 0),
    ("near", "x", 0), ("near", "b", 1), ("unjudged", "b", 1), ("self", "self", 0), ("self", "b", 1), ("chunks", "g#2", 0), ("chunks", "g#1", 0), ("chunks", "h#1", 1),
    ("odd", "a", 0), ("missing", "a", 1),
]  # fmt: skip
TWICE = [*RUN, ("order", "c", 4, 4.0)]
TWO_GRADES = [("order", "a", 1), ("order", "b", 0), ("order", "b", 2), ("order", "b", 4), ("order", "b", 1)]
MEASURES = "nDCG nDCG@1 AP RR P@1"
TOKENS = {doc: 2 for _, doc, *_ in RUN}


def as_files(folder, qrels, run):
    (folder / "q.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in qrels))
    (folder / "r.run").write_text("".join(f"{q} Q0 {d} {r} {s!r} t\n" for q, d, r, s in run))
    return folder / "q.txt", folder / "r.run"


def as_csv(folder, qrels, run):
    """Tables with a second column of each role, under a name that nobody knows."""
    rows = "".join(f"{q},{d},{g},{q}2,other {d},{3 - g}\n" for q, d, g in qrels)
    (folder / "q.csv").write_text(f"query,doc,grade,col1,col2,col3\n{rows}")
    rows = "".join(f"{q},{d},{r},{s!r},{q}2,{d}2,{-s!r},{9 - r}\n" for q, d, r, s in run)
    (folder / "r.csv").write_text(f"query,doc,rank,score,col1,col2,col4,col5\n{rows}")
    return folder / "q.csv", folder / "r.csv"


def as_frames(folder, qrels, run):
    return tuple(map(pd.read_csv, as_csv(folder, qrels, run)))


def as_dicts(folder, qrels, run):
    """Dictionaries hold each document once: duplicates are lists."""
    judged, found = {}, {}
    for q, d, g in qrels:
        judged.setdefault(q, []).append((d, g))
    for q, d, _, s in run:
        found.setdefault(q, []).append((d, s))
    once = len({(q, d) for q, d, *_ in run}) == len(run) and len({(q, d) for q, d, _ in qrels}) == len(qrels)
    return [{q: dict(rows) for q, rows in table.items()} if once else table for table in (judged, found)]


def as_questions(folder, qrels, run):
    queries = dict.fromkeys(q for q, *_ in qrels)
    records = [
        {
            "qid": q,
            "query": q.upper(),
            "contexts": [{"id": d, "score": s} for other, d, _, s in run if other == q] or None,
            "relevant": [{"id": d, "grade": g} for other, d, g in qrels if other == q],
        }
        for q in queries
    ]
    for record in records:
        record |= {"found": (record["contexts"] or [])[1:], "answers": record["relevant"][1:]}
    (folder / "q.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder / "q.jsonl", None


def as_labels(folder, qrels, run):
    """A LETOR file, and a score for each of its lines."""
    grades = {}
    for q, d, g in qrels:
        grades.setdefault((q, d), []).append(g)
    rows = [(q, d, g, s) for q, d, _, s in run for g in grades.get((q, d), [])]
    (folder / "q.letor").write_text("".join(f"{g} qid:{q} 1:0 # docid = {d}\n" for q, d, g, _ in rows))
    (folder / "s.txt").write_text("".join(f"{s!r}\n" for *_, s in rows))
    return folder / "q.letor", folder / "s.txt"


KINDS = {
    "files": as_files,
    "csv": as_csv,
    "frames": as_frames,
    "dicts": as_dicts,
    "questions": as_questions,
    "labels": as_labels,
}

DEFAULTS = {
    "queries": "judged",
    "empty": "zero",
    "order": "score",
    "ties": "id-desc",
    "unjudged": "irrelevant",
    "precision": "float64",
}
WORDS = {option.name: option.choices for option in POLICY_OPTIONS if option.choices}
VALUES = {
    **{name: [value for value in values if value != DEFAULTS.get(name)] for name, values in WORDS.items()},
    "duplicates": ["first", "best"], "rejudged": ["max", "min", "first", "last", "mean"], "crossing": ["in"], "depth": [1],
    "query_col": ["col1"], "doc_col": ["col2"], "grade_col": ["col3"], "score_col": ["col4"], "rank_col": ["col5"],
    "grade_map": [{"1": 5, 1: 5}], "split": ["test"], "tag": ["u"], "question": ["query"], "retrieved": ["found"], "relevant": ["answers"],
    "roll_up": ["max", "sum", "first"], "documents": ["#"], "chunks": [[{"chunk": "g#1", "doc": "h#1"}]], "tokens": [TOKENS], "exclude_self": [True],
    "overlap": ["gold>=0.5"],
}  # fmt: skip
SAME = {"engine"}  # its promise is the same result; see test_partitions
BESIDE = {  # what an option needs to have an effect
    "crossing": ({"tokens": TOKENS}, "R@3tok"),
    "tokens": ({}, "R@3tok"),
    "roll_up": ({"documents": "#"}, MEASURES),
    "documents": ({"roll_up": "max"}, MEASURES),
    "rank_col": ({"order": "rank"}, MEASURES),
    ("questions", "ties"): ({"order": "score"}, MEASURES),  # lists have none
    ("questions", "precision"): ({"order": "score"}, MEASURES),
}
WORLDS = {"duplicates": (QRELS, TWICE), "rejudged": (TWO_GRADES, RUN[:3])}
IMPOSSIBLE = {  # no such input can have what the option is about
    ("labels", "queries"): "each query has scores",
    ("labels", "unjudged"): "each document has a label",
}


def outcome(kind, folder, name, options, beside, measures):
    qrels, run = KINDS[kind](folder, *WORLDS.get(name, (QRELS, RUN)))
    try:
        result = jd.evaluate(qrels, run, measures, **{**beside, **options})
    except JudgedError as error:
        return error.slug, error.problem
    return {str(m): dict(zip(result.queries, map(repr, result[m].tolist()), strict=True)) for m in result.measures}


def test_every_option_has_values():
    assert VALUES.keys() | SAME == set(EvaluateOptions.__annotations__)


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_option_changes_the_result_or_is_refused(kind, name, tmp_path):
    if (kind, name) in IMPOSSIBLE:
        return
    beside, measures = BESIDE.get((kind, name)) or BESIDE.get(name, ({}, MEASURES))
    values = ["score"] if (kind, name) == ("questions", "order") else VALUES[name]
    without = {k: v for k, v in beside.items() if name != "roll_up" or k != "documents"}
    plain = outcome(kind, tmp_path, name, {}, without, measures)
    for value in values:
        assert outcome(kind, tmp_path, name, {name: value}, beside, measures) != plain, value


def questions(order: int, *, scored: bool = True) -> list[dict[str, object]]:
    """Questions whose chunks have scores, in some order."""
    found = [("a", 0.9), ("b", 0.5), ("d", 0.1), ("c", 0.7)][::order]
    return [{"qid": "q", "contexts": [{"id": d, "score": s} if scored else d for d, s in found], "relevant": ["c"]}]


def test_questions_are_ranked_by_the_scores_of_their_chunks_if_asked():
    for order in (1, -1):
        result = jd.evaluate(questions(order), measures="RR", order="score")
        assert result.mean() == {"RR": 1 / 2}
        assert "order by score" in str(result.policy)
        assert not [warning for warning in result.warnings if warning.slug == "scores-rise"]
    assert jd.evaluate(jd.rag.read_questions(questions(-1)), measures="RR", order="score").mean() == {"RR": 1 / 2}
    result = jd.evaluate(questions(1), measures="RR")
    assert result.mean() == {"RR": 1 / 4}
    [warning] = result.warnings
    assert dict(warning.hint.options) == {"order": "score"}
    refusal("policy", jd.evaluate, questions(1, scored=False), measures="RR", order="score")
