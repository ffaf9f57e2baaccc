"""Names in and out."""

import pickle

import numpy as np
import pytest
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.measures import AP, P, nDCG, parse, parse_all
from judged.measures.other_tools import NICKNAMES
from judged.measures.registry import MEASURES, measure


@for_each(
    ("text", "canonical"),
    [
        ("pre@2", "P@2"),
        ("nDCG@10", "nDCG@10"),
        ("ndcg @ 10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
        ("nDCG(gain=exp, base=3)", "nDCG(gain='exp', base=3)"),
        ("nDCG(gains={1: 2, 2: 5})@5", "nDCG(gains={1: 2, 2: 5})@5"),
        ("AP(level=1)", "AP"),
        ("MAP", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P_5", "P@5"),
        ("map_cut.100", "AP@100"),
        ("recip_rank", "RR"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall..25", "IPrec@0.25"),
        ("Rprec_mult.0.5", "Rprec@0.5"),
        ("set_F.0.25", "SetF(beta=0.5)"),  # trec_eval's number is the square of β
        ("nDCG(gains={2: 5, 1: 2})", "nDCG(gains={1: 2, 2: 5})"),
        ("ndcg.1=3,2=9", "nDCG(gains={1: 3, 2: 9})"),
        ("utility.2,-1,0,0", "Utility(weights=[2, -1, 0, 0])"),
        ("rbp.p=0.5", "RBP(p=0.5)"),
        ("map@10-l2", "AP(level=2)@10"),
        ("ndcg@10-l2", "nDCG(level=2)@10"),
        ("bpref-l2", "Bpref(level=2)"),
        ("rbp.95", "RBP(p=0.95)"),
        ("hit_rate@5", "Success@5"),
        ("r-precision", "Rprec"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("P(rel=2)@5", "P(level=2)@5"),
        ("RR(judged_only=True)", "RR(judged_only=True)"),
        ("RetrievalMAP", "AP"),
        ("relstring(cutoff=None)", "relstring(cutoff=None)"),
    ],
)
def test_names_of_all_tools_resolve_to_the_same_objects(text, canonical):
    assert str(parse(text)) == canonical
    assert parse(str(parse(text))) == parse(text)


def test_the_largest_cutoff_is_a_cutoff():
    assert parse("MAR@1000000000") == jd.measures.MAR @ 10**9


def test_several_at_once():
    assert parse_all("P@{1,5} map") == [P @ 1, P @ 5, AP]
    assert parse_all(["P.5,10", nDCG @ 3]) == [P @ 5, P @ 10, nDCG @ 3]
    assert parse_all("nDCG@1,5,10 P@1") == parse_all("nDCG@{1,5,10} P@1")
    assert parse_all("AP map MAP") == [AP]
    refusal("measure", parse, "P@{1,5}")
    assert parse_all("nDCG@3,AP, P@{1,5}") == [nDCG @ 3, AP, P @ 1, P @ 5]


def test_the_lists_of_trec_eval_stand_for_their_measures():
    official = parse_all("official")
    assert [str(m) for m in official[:6]] == ["NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "GMAP"]
    assert P @ 1000 in official
    assert len(parse_all("all_trec")) > 80


@pytest.mark.parametrize("name", NICKNAMES)
def test_the_name_of_a_list_never_means_one_measure(name):
    """`set` and `prefs` differ from measures in upper and lower case only."""
    assert len(parse_all(name)) > 1


def test_the_names_of_ragas_are_read():
    qrels, run = {"q": ["a", "b", "c"], "none": ["z"]}, {"q": ["x", "a", "b"], "none": ["y"]}
    values = jd.evaluate(qrels, run, "context_precision context_recall").to_dict()
    assert list(values["q"].values()) == [(1 / 2 + 2 / 3) / 2, 2 / 3]
    assert list(values["none"].values()) == [0, 0]


def test_objects_read_like_names():
    assert str(nDCG(gain="exp") @ 10) == "nDCG(gain='exp')@10"
    assert parse("P@10") == P @ 10
    assert len({P @ 10, parse("precision@10")}) == 1


@pytest.mark.parametrize(
    ("text", "slug", "hint"),
    [
        ("ndgc@10", "unknown-name", "did you mean nDCG@10?"), ("NDGC", "unknown-name", "did you mean nDCG?"),
        ("faithfulness", "unknown-name", "answers, not rankings"), ("answer_relevancy", "unknown-name", "answers, not rankings"),
        ("P.5,x", "unknown-name", "judged measures"),
        ("nDCG@100000000000000000000", "cutoff", "leave out the cutoff"), ("NDCG:top=5;border=0.5", "parameter", "level="), ("ERR:top=3", "unknown-name", ""),
        ("P@0", "cutoff", "@10"), ("ndcg@-5", "cutoff", "@10"), ("ndcg@010", "cutoff", "@10"), ("P@2.5", "cutoff", "@10"),
        ("P@ten", "cutoff", ""), ("map@2-", "cutoff", "@10"), ("P@1000000001", "cutoff", "leave out"), ("Bpref@10", "cutoff", ""),
        ("nDCG(gian='exp')", "parameter", "did you mean 'gain'?"), ("nDCG(gain='linaer')", "parameter", ""), ("RBP(p=1)", "parameter", ""),
        ("AP(level='high')", "parameter", ""), ("AP(2)", "measure", ""), ("AP(", "measure", ""), ("", "measure", "nDCG@10"),
    ],
)  # fmt: skip
def test_a_wrong_name_says_what_is_right(text, slug, hint):
    caught = refusal(slug, parse_all, text)
    assert hint in str(caught.hint or "")


@for_each(
    ("text", "name"),
    [
        ("HR@10", "Success@10"), ("hit_rate@10", "Success@10"), ("mean_average_precision", "AP"), ("mean_reciprocal_rank@5", "RR@5"),
        ("NumRet(rel=2)", "NumRelRet(level=2)"), ("SetP(relative=True)", "SetRelP"), ("SetP(rel=2, relative=True)@5", "SetRelP(level=2)@5"),
        ("SetP(relative=False)", "SetP"), ("SetP(rel=2)@5", "SetP(level=2)@5"), ("SetR(rel=2)@5", "SetR(level=2)@5"),
        ("ndcg_metric", "nDCG(gain='exp')"), ("precision_metric@3", "P(short='shrink')@3"), ("mrr_metric", "RR"), ("opa_metric", "OPA"),
        ("average_precision_score", "AP(tied='together')"), ("label_ranking_average_precision_score", "AP(tied='together')"), ("dcg_score@5", "DCG@5"),
        ("roc_auc_score(max_fpr=0.5)", "AUC(max_fpr=0.5)"), ("f1_score", "SetF"), ("matthews_corrcoef", "MCC"), ("top_k_accuracy_score", "Success@2"),
        ("top_k_accuracy_score(k=3)", "Success@3"), ("coverage_error", "LastHit"), ("label_ranking_loss", "RankingLoss"),
        ("NDCG:top=5", "nDCG@5"), ("NDCG:top=5;type=Exp;denominator=Position", "nDCG(gain='exp', discount='rank')@5"), ("MAP:top=3", "AP(norm='capped')@3"),
        ("PrecisionAt:top=3", "P(short='shrink')@3"), ("PFound:decay=0.9;top=3", "PFound(decay=0.9, chance='grade')@3"), ("MRR:top=-1", "RR"),
        ("expected_reciprocal_rank@3", "ERR@3"), ("average_precision", "AP"), ("ndcg_score", "nDCG"), ("ndcg_at_10", "nDCG@10"), ("recall_at_5", "R@5"), ("hit_rate_at_3", "Success@3"),
    ],
)  # fmt: skip
def test_names_that_people_use_are_understood(text, name):
    assert str(parse(text)) == name


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("DCG(log_base=10)", "DCG(discount='log', log_base=10)"), ("nDCG(logb=2)@10", "nDCG(discount='jk')@10"),
        ("nDCG(logb=3, discount='log')", "nDCG(discount='log', log_base=3)"), ("CG(base=3)", "CG(gain='exp', base=3)"), ("DCG(log_base=2)", "DCG"),
    ],
)  # fmt: skip
def test_a_parameter_selects_what_it_belongs_to(text, meant):
    assert str(parse(text)) == meant
    qrels, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": ["b", "a", "c"]}
    assert jd.evaluate(qrels, run, text).mean() == jd.evaluate(qrels, run, meant).mean()


def test_dcg_in_another_base_is_divided_by_its_logarithm():
    value = jd.evaluate({"q": {"a": 1, "c": 2}}, {"q": ["b", "a", "c"]}, "DCG(log_base=10)").mean()
    assert list(value.values()) == [pytest.approx(1 / np.log10(3) + 2 / np.log10(4))]


@pytest.mark.parametrize(
    "text",
    ["DCG(log_base=10, discount='log2')", "CG(base=3, gain='linear')", "RBP(level=1, max=3)", "RBP(level=1, gains={1: 2})", "Utility(collection=9)",
     "nDCG(dcg='log2', gain='exp')", "nDCG(logb=2, log_base=3)", "PFound(chance='grade', max=2)",
     "nDCG(level=2, gains={1: 3, 2: 5})", "nDCG(gains={2: 1e999})", "nDCG(gains={2: 1e200})"],
)  # fmt: skip
def test_a_parameter_without_an_effect_is_refused(text):
    refusal("parameter", jd.evaluate, {"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}, text)


@pytest.mark.needs("ir_measures")
def test_objects_of_ir_measures_are_measures():
    import ir_measures

    objects = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 5, ir_measures.RR]
    assert parse_all(objects) == parse_all(["nDCG@10", "P(level=2)@5", "RR"])
    assert parse(ir_measures.AP) == parse("AP")


def test_a_label_is_printed_and_does_not_change_the_measure():
    (kept,) = parse_all("map", keep_names=True)
    assert (str(kept), kept) == ("map", parse("AP"))
    assert str(kept @ 10) == "AP@10"


def test_a_name_that_is_taken_cannot_be_declared_again():
    refusal("parameter", lambda: jd.measure("Mine", aliases=("map",))(lambda j: j.retrieved))


@pytest.mark.parametrize(
    "text",
    [
        "P(self=1)", "rbp.p=0.5,self=1", "P(level=2)@5-l3", "rbp.p=0.5,gains=1,1=3", "nDCG(gains={[1]:2})", "nDCG(dcg=[1])",
        "P@" + "0" * 5000, "P(" + "-" * 5000 + "1)", "P(level=" + "-" * 100_000 + "1)", "P(rel=2,level=3)@5", "P(cutoff=5)@3",
        "P(cutoff=5,k=3)", "P@{}", "P@{,}", "P@99999999999999999999999", "F(beta=1e200)@1", "INST(T=1e300)", "INSQ(T=1e-300)",
        "IPrec11(points=[])", "Utility(weights=[1e308,1e308,1,1])", "-q", "P-",
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_our_own_words(text):
    with pytest.raises(jd.UsageError):
        parse_all(text)


@pytest.mark.needs("ir_measures")
def test_ir_measures_spellings_give_its_numbers():
    import ir_measures

    qrels, run = (
        {"q": {"a": 2, "b": 0, "c": 1, "d": 2}},
        {"q": {"x": 9.0, "a": 8.0, "c": 7.0, "b": 6.0, "y": 5.0, "d": 4.0, "z": 3.0}},
    )
    for name in (
        "NumRet(rel=1)",
        "NumRet(rel=2)",
        "SetP(relative=True)",
        "SetP(rel=2)",
        "SetR(rel=2)",
        "SetP(judged_only=True)",
    ):
        measure = ir_measures.parse_measure(name)
        theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        assert jd.evaluate(qrels, run, measure).mean()[name] == pytest.approx(theirs)


def test_a_set_with_a_cutoff_is_that_of_the_first_documents():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 0}}, {"q": ["a", "c", "b"]}
    for name in ("SetP", "SetR", "SetRelP"):
        first = jd.evaluate(qrels, {"q": run["q"][:2]}, name).mean()[name]
        assert jd.evaluate(qrels, run, f"{name}@2").mean() == {f"{name}@2": first}
        assert jd.evaluate(qrels, run, f"{name}@9").mean() == {f"{name}@9": jd.evaluate(qrels, run, name).mean()[name]}


def test_a_measure_of_ones_own_cannot_change_the_columns_of_others():
    @measure("SortsInPlace")
    def sorts_in_place(j):
        """A mistake."""
        j.grade.sort()
        return j.total(j.grade)

    judgments, run = {"q": {"a": 1, "b": 2}}, {"q": ["b", "a"]}
    try:
        joined = jd.join(judgments, run)
        with pytest.raises(ValueError, match="read-only"):
            jd.evaluate(joined, "SortsInPlace")
        assert jd.evaluate(joined, "nDCG").mean() == {"nDCG": 1.0}
    finally:
        MEASURES.discard("SortsInPlace")


@pytest.mark.parametrize("names", [7, None, [7], [["P@5"], None]])
def test_what_is_neither_a_name_nor_a_list_of_names_is_refused(names):
    refusal("measure", parse_all, names)


def test_a_parameter_of_a_measure_has_a_type_that_says_what_it_means():
    """At the declaration, not at the first use."""
    with pytest.raises(TypeError, match="share"):

        @measure("HasNoSuchType")
        def share_of(j, *, share: float = 0.5):
            """A share."""
            return j.retrieved * share


def test_a_formula_may_divide_by_nothing():
    try:

        @measure("Nothing")
        def nothing(j):
            """0 / 0 for a query without a ranking, and 1 / 0 for the others."""
            return (j.retrieved > 0) / np.zeros(len(j))

        found = jd.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]}, "Nothing")["Nothing"]
        assert found.tolist() == pytest.approx([np.inf, np.nan], nan_ok=True)
    finally:
        MEASURES.discard("Nothing")


def test_a_measure_of_ones_own_is_unpickled_only_where_it_is_declared():
    @measure("OnlyHere")
    def only_here(j):
        """A constant."""
        return np.ones(len(j))

    packed = pickle.dumps(parse("OnlyHere"))
    assert pickle.loads(packed) == parse("OnlyHere")
    MEASURES.discard("OnlyHere")
    refusal("unknown-name", pickle.loads, packed)
