"""Collections: BEIR folders, datasets of ir_datasets, the choice of a split, and what is written for BEIR and MTEB."""

import gzip
import json
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from refusals import refusal

import judged as jd
from judged.errors import Place
from judged.io.columns import Split, choose_split
from judged.io.texts import read_texts
from judged.io.write import convert

BEIR = Path(__file__).parents[3] / "data" / "tools" / "beir"
TEST = {"q1": {"d1": 2, "d4": 0}, "q2": {"d2": 1}}
RUN = {"q1": {"d4": 2.0, "d1": 1.0}, "q2": {"d2": 1.0}}


@pytest.fixture
def folder(tmp_path):
    """A BEIR folder with one split."""
    path = tmp_path / "shop"
    shutil.copytree(BEIR, path)
    (path / "qrels" / "dev.tsv").unlink()
    return path


def test_a_beir_folder_is_judgments_and_texts(folder):
    values = jd.evaluate(TEST, RUN, "AP nDCG@10").to_dict()
    for source in (folder, str(folder), f"{folder}/"):
        assert jd.evaluate(source, RUN, "AP nDCG@10").to_dict() == values
    assert jd.read_qrels(folder).path == str(folder / "qrels" / "test.tsv")  # the file, whose hash is in results
    docs, queries = read_texts(folder), read_texts(folder, kind="queries")
    assert (docs["d1"].title, docs["d1"].text, queries["q3"].text) == ("Shoes", "red running shoes", "hat")


def test_files_of_a_beir_folder_may_be_compressed(folder):
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    assert len(jd.read_qrels(folder).query) == 3
    assert (len(read_texts(folder)), len(read_texts(folder, kind="queries"))) == (4, 3)


def test_a_split_of_a_beir_folder_is_chosen_never_silently():
    assert "split='test'" in str(refusal("split", jd.evaluate, BEIR, RUN, "AP"))
    assert jd.evaluate(BEIR, RUN, "AP", split="test").to_dict() == jd.evaluate(TEST, RUN, "AP").to_dict()
    assert jd.read_qrels(BEIR, split="dev").queries.tolist() == [b"q3"]
    refusal("split", jd.read_qrels, BEIR, split="train")


def test_a_beir_folder_without_what_is_needed_says_what_is_missing(folder):
    refusal("swapped", jd.evaluate, TEST, folder, "AP")
    for name in ("corpus.jsonl", "qrels"):
        shutil.rmtree(folder / name) if name == "qrels" else (folder / name).unlink()
    refusal("collection", jd.read_qrels, folder)
    refusal("collection", read_texts, folder)
    (folder / "queries.jsonl").unlink()
    refusal("io", jd.read_qrels, folder)


@pytest.mark.parametrize(
    ("names", "split", "chosen"),
    [
        (["test"], None, "test"),
        (["dev", "test"], "test", "test"),
        (["en/dev", "en/test"], "test", "en/test"),
        (["en/test", "fr/test"], "fr", "fr/test"),
        (["en/test", "fr/test"], "en/test", "en/test"),
        (["dev", "test"], "en/test", "test"),
        (["test", "test/test"], "test", "test"),
        (["dev", "test"], None, None),
        (["en/test", "fr/test"], "test", None),
        (["dev"], "test", None),
    ],
)
def test_a_split_is_found_by_its_name_or_by_a_part_that_only_it_has(names, split, chosen):
    named = None if split is None else Split(split)
    if chosen is None:
        refusal("split", choose_split, names, named, Place("run"))
    else:
        assert choose_split(names, named, Place("run")) == chosen


def test_a_split_for_inputs_without_splits_is_an_error(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2.0 x\n")
    for read, args in ((jd.read_run, (path,)), (jd.read_qrels, (TEST,)), (jd.evaluate, (TEST, path, "AP"))):
        refusal("split", read, *args, split="test")


def test_one_split_is_used_in_every_input_that_has_splits():
    predictions = {"mteb_model_meta": {"model_name": "m"}, "default": {"dev": {"q3": {"d3": 1.0}}, "test": RUN}}
    compared = jd.compare(BEIR, {"a": predictions, "b": RUN}, "AP", split="test")
    assert compared.results[0].to_dict() == compared.results[1].to_dict() == jd.evaluate(TEST, RUN, "AP").to_dict()


Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
SubQrel = namedtuple("SubQrel", "query_id doc_id relevance subtopic_id")
Scored = namedtuple("Scored", "query_id doc_id score")


class Dataset:
    """Methods as those of ir_datasets; without `rows` a method is missing."""

    def __init__(self, **rows):
        for name, values in rows.items():
            setattr(self, f"{name}_iter", lambda values=values: iter(values))


QRELS = [Qrel("q1", "d1", 2, "0"), Qrel("q1", "d4", 0, "0"), Qrel("q2", "d2", 1, "0")]
SCORED = [Scored(query, doc, score) for query, ranking in RUN.items() for doc, score in ranking.items()]


def test_a_dataset_is_judgments_a_run_and_texts():
    doc = namedtuple("Doc", "doc_id title body")
    page = namedtuple("Page", "doc_id warc payload default_text")
    dataset = Dataset(
        qrels=QRELS,
        scoreddocs=SCORED,
        docs=[doc("d1", "Shoes", "red"), page("d2", "warc", b"", lambda: "coat")],
        queries=[("q1", "red shoes")],
    )
    values = jd.evaluate(TEST, RUN, "AP").to_dict()
    assert jd.evaluate(dataset, RUN, "AP").to_dict() == values
    assert jd.evaluate(dataset, dataset, "AP").to_dict() == values
    for runs in ({"a": dataset, "b": RUN}, [dataset, dataset]):
        assert jd.compare(TEST, runs, "AP").results[0].to_dict() == values
    texts = read_texts(dataset)
    assert (texts["d1"].title, texts["d1"].text, texts["d2"].text) == ("Shoes", "red", "coat")
    assert read_texts(dataset, kind="queries")["q1"].text == "red shoes"
    assert jd.report(jd.evaluate(dataset, dataset, "AP"), doc_texts=dataset, query_texts=dataset) is not None


def test_subtopics_of_a_dataset_are_kept():
    qrels = jd.read_qrels(Dataset(qrels=[SubQrel("q1", "d1", 1, "1"), SubQrel("q1", "d1", 0, "2")]))
    assert qrels.aspect.tolist() == [b"1", b"2"]


def test_a_dataset_without_what_is_needed_or_that_fails_says_so():
    def fails():
        raise OSError("no network")
        yield

    dataset = Dataset(qrels=QRELS)
    refusal("collection", jd.evaluate, TEST, dataset, "AP")
    refusal("collection", read_texts, dataset)
    dataset.qrels_iter = fails
    assert "no network" in str(refusal("collection", jd.read_qrels, dataset))
    refusal("empty-qrels", jd.read_qrels, Dataset(qrels=[]))
    refusal("grade-type", jd.read_qrels, Dataset(qrels=[Qrel("q1", "d1", "x", "0")]))


@pytest.mark.needs("ir_datasets")
def test_datasets_of_the_library_itself_are_read(tmp_path):
    import ir_datasets

    (tmp_path / "docs.tsv").write_text("d1\tred running shoes\nd2\tcoat for rain\n")
    (tmp_path / "queries.tsv").write_text("q1\tred shoes\nq2\train coat\n")
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, row in TEST.items() for d, g in row.items()))
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    assert jd.evaluate(dataset, RUN, "AP").to_dict() == jd.evaluate(TEST, RUN, "AP").to_dict()
    assert read_texts(dataset)["d1"].text == "red running shoes"
    assert read_texts(dataset, {"q2"}, kind="queries")["q2"].text == "rain coat"
    refusal("collection", jd.read_run, dataset)
    named = ir_datasets.load("beir/scifact")  # without judgments, which are those of a split
    assert str(refusal("collection", jd.read_qrels, named)).startswith("beir/scifact: the dataset has no qrels_iter")


def test_judgments_are_written_for_beir_to_a_file_or_a_folder_and_read_back(tmp_path):
    for target, source in ((tmp_path / "new", tmp_path / "new"), (tmp_path / "x.tsv", tmp_path / "x.tsv")):
        jd.write_qrels(TEST, target, format="beir")
        assert jd.evaluate(source, RUN, "AP nDCG").to_dict() == jd.evaluate(TEST, RUN, "AP nDCG").to_dict()
    lines = (tmp_path / "new" / "qrels" / "test.tsv").read_text().splitlines()
    assert lines == ["query-id\tcorpus-id\tscore", "q1\td1\t2", "q1\td4\t0", "q2\td2\t1"]


@pytest.mark.parametrize(
    "qrels",
    [{"q1": {"d1": 0.5}}, {"q\t1": {"d1": 1}}, {"q1": {'d"1': 1}}, {"q1": {"a": 1}, "q2": {}}],
)
def test_judgments_that_beir_would_read_differently_are_refused(qrels, tmp_path):
    refusal("format", jd.write_qrels, qrels, tmp_path / "qrels.tsv", format="beir")
    refusal("format", jd.write_run, RUN, tmp_path / "qrels.tsv", format="beir")


@pytest.mark.parametrize(("name", "kind"), [("beir", "qrels"), ("quepid", "qrels")])
def test_convert_knows_what_a_format_contains(name, kind, tmp_path):
    for source in (TEST, RUN):
        (tmp_path / "x.json").write_text(json.dumps(source))
        assert convert(tmp_path / "x.json", tmp_path / "out.any", format=name) == 3
        assert (jd.read_qrels if kind == "qrels" else jd.read_run)(tmp_path / "out.any") is not None
