"""`jd.cite`: the papers of what a result used."""

import json
from pathlib import Path

import pytest
from commands import refused, run
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.citations import _PAPERS, _REGISTRIES
from judged.references import keys_in, parse_bibtex, references

QRELS, BM25, DENSE = (str(jd.sample_path(name)) for name in ("qrels.txt", "runs/bm25.run", "runs/dense.run"))
DECLARED = [(kind, entry) for kind, registry in _REGISTRIES.items() for entry in registry]


def keys(*sources) -> set[str]:
    return {row["key"] for row in jd.cite(*sources).records()} - {"judged"}


@for_each(("kind", "entry"), DECLARED, ids=lambda x: getattr(x, "name", x))
def test_every_declared_name_has_its_papers(kind, entry):
    found = jd.cite(entry.name)
    first = next(k for k, other in DECLARED if other.name == entry.name)
    if kind == first:  # a name that two kinds have means the first
        assert {key for key, uses in found.uses.items() if key != "judged"} == {*keys_in(entry.paper)}
        assert found.without == (() if entry.paper else (f"{kind} {entry.name}",))


@pytest.mark.parametrize(("kind", "papers"), _PAPERS.items())
def test_names_without_a_registry_have_their_papers(kind, papers):
    assert {name: keys(name) for name in papers} == {name: {*keys_in(paper)} for name, paper in papers.items()}


def test_each_paper_is_named_once_with_all_that_it_is_cited_for():
    found = jd.cite("nDCG@10 DCG nDCG@5", jd.measures.parse("CG"))
    assert found.uses["jarvelin2002"] == ("measure nDCG", "measure DCG", "measure CG")
    assert found.to_bibtex().count("{jarvelin2002,") == 1


def test_a_comparison_cites_its_measures_test_correction_and_interval():
    compared = jd.compare(QRELS, [BM25, DENSE], "nDCG@10 AP", test="wilcoxon", correction="holm")
    assert keys(compared) == keys("nDCG AP wilcoxon holm t")


def test_results_of_every_kind_name_what_they_used():
    judges = {name: str(jd.sample_path(f"qrels.{name}.txt")) for name in "ab"}
    log = [
        (i, "q01", doc, rank, i % (rank + 1) == 0) for i in range(40) for rank, doc in enumerate(("d163", "d197"), 1)
    ]
    assert keys("kappa alpha") <= keys(jd.agree(judges))
    assert keys(jd.correlate(BM25, DENSE)) == keys("tau_b tau_ap rbo overlap")
    assert keys("isr") <= keys(jd.tune_fusion(QRELS, [BM25, DENSE], "logn_isr", "nDCG@10"))
    assert keys(jd.clicks.fit_clicks(log, "pbm")) == keys("pbm")
    assert keys("ips P") <= keys(jd.clicks.evaluate_from_clicks(log, DENSE, "P@3", propensity=[1, 0.5, 0.3]))
    assert keys(jd.recommenders.beyond_accuracy(BM25, "Coverage", items=2000)) == keys("Coverage")
    assert keys("AP t bonferroni") <= keys(jd.gate(QRELS, DENSE, baseline=BM25, min={"AP": 0.2}))


def test_a_measure_without_a_paper_is_named_in_a_note():
    assert jd.cite("Success@5").tables()[0].notes == ("without a paper: measure Success",)


@pytest.mark.parametrize(
    ("source", "slug"), [("ndgc", "unknown-name"), (3, "unknown-name"), (b"AP", "unknown-name"), ({}, "unknown-name")]
)
def test_what_cannot_be_cited_is_an_error(source, slug):
    refusal(slug, jd.cite, source)


@pytest.mark.parametrize("content", ["{}", "[1, 2]", '{"measure": 3, "summary": [], "test": ["x"]}'])
def test_a_file_that_names_nothing_is_an_error(content, tmp_path):
    Path(tmp_path, "other.json").write_text(content)
    assert refused("cite", str(tmp_path / "other.json")).slug == "values-file"


def test_the_command_prints_bibtex_unless_asked_for_another_format():
    assert list(parse_bibtex(run("cite", "AP", "holm"))) == ["judged", "harman1992", "buckley2005", "holm1979"]
    rows = json.loads(run("cite", "AP", "--format", "json"))
    assert [row["bibtex"] for row in rows[1:]] == [references()[key].bibtex for key in ("harman1992", "buckley2005")]
