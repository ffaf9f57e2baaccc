"""The drop-in of ir_measures beside ir_measures itself: its README, its tests, generated rankings and wrong input."""

import gzip
import io
import math
from collections import namedtuple
from importlib import import_module

import pytest
from for_each import for_each
from generated_rankings import answered
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import each
from profile_answers import IR_MEASURES, asked, recorded_inputs, table

from judged.compat import ir_measures as ours
from judged.errors import JudgedError

MODULES = ["judged.compat.ir_measures", *each("ir_measures")]
QRELS = {"Q0": {"D0": 0, "D1": 1}, "Q1": {"D0": 0, "D3": 2}}
RUN = {"Q0": {"D0": 1.2, "D1": 1.0}, "Q1": {"D0": 2.4, "D3": 3.6}}
QREL_LINES = "Q0 0 D0 0\nQ0 0 D1 1\nQ1 0 D0 0\nQ1 0 D3 2\n"
RUN_LINES = "Q0 Q0 D0 1 1.2 run\nQ0 Q0 D1 2 1.0 run\n\nQ1 Q0 D0 2 2.4 run\nQ1 Q0 D3 1 3.6 run\n"


@pytest.fixture(params=MODULES)
def module(request):
    return import_module(request.param)


@pytest.fixture
def theirs():
    return import_module("ir_measures")


def readme_measures(m):
    return [m.AP, m.nDCG, m.RR, m.nDCG @ 10, m.P(rel=2) @ 10]


def test_the_means_of_the_readme(module):
    found = module.calc_aggregate(readme_measures(module), QRELS, RUN)
    half = (1 + 1 / math.log2(3)) / 2
    assert {str(m): value for m, value in found.items()} == {
        "AP": 3 / 4, "RR": 3 / 4, "nDCG": pytest.approx(half), "nDCG@10": pytest.approx(half), "P(rel=2)@10": pytest.approx(1 / 20),
    }  # fmt: skip
    assert found[module.nDCG @ 10] == found[module.parse_measure("nDCG@10")]


def test_the_values_of_queries_of_the_readme(module):
    found = {(m.query_id, repr(m.measure)): m.value for m in module.iter_calc(readme_measures(module), QRELS, RUN)}
    assert found["Q0", "AP"] == found["Q0", "RR"] == 1 / 2
    assert found["Q1", "P(rel=2)@10"] == 1 / 10
    assert len(found) == 10


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    "form", ["dicts", "frame", "tuples", "generator", "other tuples", "text", "path", "gzip", "open file"]
)
def test_every_form_of_input_of_the_readme(module, form, tmp_path):
    import pandas as pd

    qrels = [module.Qrel(q, d, g) for q, row in QRELS.items() for d, g in row.items()]
    run = [module.ScoredDoc(q, d, s) for q, row in RUN.items() for d, s in row.items()]
    (tmp_path / "qrels").write_text(QREL_LINES)
    (tmp_path / "run").write_text(RUN_LINES)
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(QREL_LINES.encode()))
    (tmp_path / "run.gz").write_bytes(gzip.compress(RUN_LINES.encode()))
    longer = namedtuple("longer", "doc_id query_id relevance score rank")
    given = {
        "dicts": lambda: (QRELS, RUN),
        "frame": lambda: (pd.DataFrame(qrels), pd.DataFrame(run)),
        "tuples": lambda: (qrels, run),
        "generator": lambda: (iter(qrels), iter(run)),
        "other tuples": lambda: ([longer(d, q, g, 0, 0) for q, d, g, _ in qrels], [longer(d, q, 0, s, 1) for q, d, s in run]),
        "text": lambda: (module.read_trec_qrels(QREL_LINES), module.read_trec_run(RUN_LINES)),
        "path": lambda: (module.read_trec_qrels(str(tmp_path / "qrels")), module.read_trec_run(str(tmp_path / "run"))),
        "gzip": lambda: (module.read_trec_qrels(str(tmp_path / "qrels.gz")), module.read_trec_run(str(tmp_path / "run.gz"))),
        "open file": lambda: (module.read_trec_qrels(io.StringIO(QREL_LINES)), module.read_trec_run(io.StringIO(RUN_LINES))),
    }[form]()  # fmt: skip
    assert module.calc_aggregate([module.AP], *given) == {module.AP: 3 / 4}


def test_rows_of_files_are_tuples(module):
    qrels, run = list(module.read_trec_qrels(QREL_LINES)), list(module.read_trec_run(RUN_LINES))
    assert qrels[1] == ("Q0", "D1", 1, "0")
    assert run[-1] == ("Q1", "D3", 3.6)
    assert (qrels[1].relevance, qrels[1].iteration, run[0].score) == (1, "0", 1.2)
    rows = module.read_trec_run(RUN_LINES)
    assert next(rows).doc_id == "D0"
    assert len(list(rows)) == 3


def test_an_evaluator_takes_several_runs(module):
    evaluator = module.evaluator([module.AP, module.NumRet], QRELS)
    again = {query: dict.fromkeys(reversed(row), 1.0) | {"D9": 9.0} for query, row in RUN.items()}
    assert evaluator.calc_aggregate(RUN) == {module.AP: 3 / 4, module.NumRet: 4}
    assert evaluator.calc_aggregate(again)[module.NumRet] == 6
    aggregated, per_query = evaluator.calc(RUN)
    assert aggregated[module.AP] == 3 / 4
    assert {m.query_id for m in per_query} == evaluator.qrel_qids == {"Q0", "Q1"}


def test_a_measure_has_methods(module):
    measure = module.P @ 1
    assert measure.calc_aggregate(QRELS, RUN) == 1 / 2
    assert measure.calc(QRELS, RUN).aggregated == 1 / 2
    assert sorted(m.value for m in measure.iter_calc(QRELS, RUN)) == [0.0, 1.0]
    assert measure.evaluator(QRELS).calc_aggregate(RUN) == {measure: 1 / 2}


@for_each(
    "name",
    ["P(rel=2)@5", "nDCG(dcg='exp-log2')@10", "nDCG(gains={0:1})@5", "RBP(rel=1)", "RBP(p=0.5)", "SetF(beta=0.5)", "IPrec@0.5", "Compat(p=0.8)", "Judged@10",
     "NumRet(rel=1)", "alpha_nDCG(alpha=0.3)@5", "AP(judged_only=True)", "ERR@20", "Success(rel=2)@3", "INST(max_rel=3)", "NRBP(beta=0.6)"],
)  # fmt: skip
def test_a_name_is_printed_as_it_is_parsed(module, name):
    assert repr(module.parse_measure(name)) == str(module.parse_measure(name)) == name
    assert module.parse_measure(module.parse_measure(name)) == module.parse_measure(name)


@pytest.mark.needs("ir_measures")
def test_every_measure_has_the_name_that_it_has_there(theirs):
    names = [name for name in theirs.measures.registry if name not in ("ERR_IA",)]
    assert [repr(getattr(ours, name)) for name in names] == [repr(getattr(theirs, name)) for name in names]


@pytest.mark.needs("ir_measures")
@pytest.mark.parametrize("name", ["map", "P", "P_10,5", "ndcg_cut.3", "recall", "success", "iprec_at_recall", "iprec_at_recall_0.50", "set_F.1.0,0.5", "recip_rank", "official", "set", "all_trec"])  # fmt: skip
def test_names_of_trec_eval_are_the_same_measures(theirs, name, capsys):
    assert list(map(repr, ours.parse_trec_measure(name))) == list(map(repr, theirs.parse_trec_measure(name)))


TIED = ("Compat", "Accuracy")  # whose exceptions the profile names
NAMES = [name for name in IR_MEASURES if not name.startswith(TIED)] + ["NumRet", "NumRelRet", "Judged", "SetRelP", "IPrec(rel=2)@0.5"]  # fmt: skip


@pytest.mark.needs("ir_measures")
@pytest.mark.conformance
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answered(), st.sets(st.sampled_from(NAMES), min_size=3, max_size=8))
def test_every_value_is_that_of_ir_measures(compared, case, names):
    import ir_measures as theirs

    qrels, run = case
    found: dict[str, dict[str, float]] = {}
    for query, measure, value in ours.iter_calc(names, qrels, run):
        found.setdefault(repr(measure), {})[query] = value
    for name in names:  # one at a time: together, measures with gains overwrite each other there
        wanted = asked(theirs, name, qrels, run)
        row = found[repr(ours.parse_measure(name))]
        assert row.keys() == wanted.keys()
        wrong = {q: (row[q], x) for q, x in wanted.items() if not abs(row[q] - x) <= 1e-12}
        undefined = name.startswith("IPrec(judged_only") and all(math.isnan(x) for _, x in wrong.values())
        assert undefined or wrong == {}, name
        compared("drop-in ir_measures", len(wanted))


@pytest.mark.conformance
def test_measures_of_cwl_eval_and_gdeval_are_those_that_were_recorded(compared):
    for kind, answers in table("ir_measures").items():
        qrels, run = recorded_inputs(kind)
        for name, wanted in answers.items():
            if "_IA" in name or name.startswith(("alpha", "StRecall", "NRBP", "nNRBP")):
                continue
            found = {m.query_id: m.value for m in ours.parse_measure(name).iter_calc(qrels, run)}
            places = 0.5e-5 + 1e-12 if name.startswith(("ERR@", "nDCG(")) else 1e-12  # printed with five decimals
            assert {q: x for q, x in wanted.items() if q in found and abs(found[q] - x) > places} == {}, (kind, name)
            compared("drop-in ir_measures (recorded)", len(wanted))


def test_subtopics_are_iterations():
    """Both documents cover the first subtopic, and only the second document the second one."""
    qrels = [ours.Qrel("q", "a", 1, "1"), ours.Qrel("q", "b", 1, "1"), ours.Qrel("q", "b", 1, "2")]
    assert (ours.StRecall @ 1).calc_aggregate(qrels, {"q": {"a": 2.0, "b": 1.0}}) == 1 / 2


def test_queries_that_the_run_lacks_count_as_0_and_are_counted():
    """ir_measures gives NumQ and NumRel the value 0 for them."""
    found = ours.calc_aggregate([ours.AP, ours.NumQ, ours.NumRel], QRELS, {"Q1": RUN["Q1"]})
    assert found == {ours.AP: 1 / 2, ours.NumQ: 2, ours.NumRel: 2}


def test_a_run_without_a_judged_query_has_zeros(module):
    assert module.calc_aggregate([module.AP], QRELS, {"Q7": {"D1": 1.0}}) == {module.AP: 0.0}
    assert module.calc_aggregate([module.AP], QRELS, {}) == {module.AP: 0.0}


def test_no_measures_give_no_values():
    """ir_measures raises IndexError."""
    assert ours.calc_aggregate([], QRELS, RUN) == {}
    assert list(ours.iter_calc([], QRELS, RUN)) == ours.calc([], QRELS, RUN).per_query == []


@pytest.mark.parametrize(
    ("error", "act"),
    [
        (NameError, lambda m: m.parse_measure("Nothing@5")),
        (ValueError, lambda m: m.parse_measure("P(rel=2")),
        (ValueError, lambda m: m.parse_trec_measure("nothing")),
        (ValueError, lambda m: m.parse_trec_measure("Rndcg")),
        (ValueError, lambda m: m.calc_aggregate([m.AP], object(), RUN)),
        (ValueError, lambda m: m.calc_aggregate([m.AP], QRELS, object())),
        (ValueError, lambda m: m.calc_aggregate([m.AP], [("Q0", "D0")], RUN)),
        (ValueError, lambda m: list(m.read_trec_run("Q0 Q0 D1 1\n"))),
        (OSError, lambda m: list(m.read_trec_run("missing.run"))),
        (AttributeError, lambda m: m.Nothing),
    ],
)
def test_wrong_input_raises_the_type_that_ir_measures_raises(module, error, act):
    with pytest.raises(error) as found:
        act(module)
    assert module.__name__ == "ir_measures" or error is AttributeError or isinstance(found.value, JudgedError)
