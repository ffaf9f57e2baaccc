"""Collections and files of evaluation tools on the command line, in every command that takes judgments or runs."""

import json
from pathlib import Path

import pytest
from commands import OTHER, QRELS, RUN, refused, run, values

DATA = Path(__file__).parents[1] / "data" / "tools"


TSV = "query-id\tcorpus-id\tscore\n"


@pytest.fixture(autouse=True)
def tools(collection):
    """The judgments as a BEIR folder, the runs as predictions of MTEB; all of them with two splits."""
    Path("shop/qrels").mkdir(parents=True)
    rows = (line.split() for line in QRELS.decode().splitlines())
    Path("shop/qrels/test.tsv").write_text(TSV + "".join(f"{query}\t{doc}\t{grade}\n" for query, _, doc, grade in rows))
    Path("shop/qrels/dev.tsv").write_text(f"{TSV}q9\td9\t1\n")
    for name, content in (("a", RUN), ("b", OTHER)):
        found: dict[str, dict[str, float]] = {}
        for query, _, doc, _, score, _ in (line.split() for line in content.decode().splitlines()):
            found.setdefault(query, {})[doc] = float(score)
        document = {"mteb_model_meta": {"model_name": name}, "default": {"dev": {"q9": {"d9": 1.0}}, "test": found}}
        Path(f"{name}.json").write_text(json.dumps(document))


def test_what_is_converted_for_beir_and_mteb_is_the_same_and_is_converted_back():
    run("convert", "qrels.txt", "new", "--to", "beir")
    run("convert", "a.run", "new.json", "--to", "mteb")
    assert Path("new/qrels/test.tsv").read_text() == Path("shop/qrels/test.tsv").read_text()
    assert (
        json.loads(Path("new.json").read_text())["default"]["test"]
        == json.loads(Path("a.json").read_text())["default"]["test"]
    )
    run("convert", "shop", "back.txt", "--kind", "qrels", "--split", "test")
    run("convert", "a.json", "back.run", "--split", "test")
    assert Path("back.txt").read_bytes() == QRELS
    assert Path("back.run").read_bytes() == RUN.replace(b" a\n", b" judged\n")


@pytest.mark.parametrize(
    "words",
    [("eval", "QRELS", "A", "B", "-m", "AP"), ("compare", "QRELS", "A", "B", "-m", "AP")],
    ids=lambda words: words[0],
)
def test_commands_read_folders_and_predictions_with_a_split(words):
    Path("plain").mkdir()  # files of one table each, with the same names
    Path("plain/test.tsv").write_bytes(Path("shop/qrels/test.tsv").read_bytes())
    for name in ("a.json", "b.json"):
        Path("plain", name).write_text(json.dumps(json.loads(Path(name).read_text())["default"]["test"]))
    plain = {"QRELS": "plain/test.tsv", "A": "plain/a.json", "B": "plain/b.json"}
    given = {"QRELS": "shop", "A": "a.json", "B": "b.json"}
    shown = run(*(given.get(word, word) for word in words), "--split", "test")
    assert shown == run(*(plain.get(word, word) for word in words))
    assert refused(*(given.get(word, word) for word in words)).slug == "split"


def test_texts_of_a_folder_are_on_the_page():
    for name, record in (("corpus", {"_id": "d1", "text": "Red shoes"}), ("queries", {"_id": "q1", "text": "red"})):
        Path(f"shop/{name}.jsonl").write_text(json.dumps(record) + "\n")
    texts = ("--doc-texts", "shop", "--query-texts", "shop")
    run("report", "shop/qrels/test.tsv", "a.run", "-m", "AP", *texts, "-o", "with.html")
    run("report", "shop/qrels/test.tsv", "a.run", "-m", "AP", "-o", "without.html")
    assert Path("with.html").stat().st_size > Path("without.html").stat().st_size


@pytest.mark.parametrize(
    "name",
    ["azure_data.jsonl", "azure_results.json", "ragas_ids.jsonl", "langsmith_experiment.jsonl", "langsmith_rows.json"],
)
def test_files_with_judgments_and_rankings_are_evaluated_alone(name):
    source = DATA / name
    assert set(values(source, "-m", "R").values()) == {1.0}
    assert run("compare", source, source, "-m", "RR")
    run("convert", source, "out.json", "--kind", "run")
    run("convert", source, "gold.json", "--kind", "qrels")
    assert values("gold.json", "out.json", "-m", "RR") == values(source, "-m", "RR")


def test_judgments_of_umbrela_and_other_inputs_are_named_as_what_they_are():
    assert refused("eval", "qrels.txt", DATA / "umbrela.jsonl").slug == "swapped"
    assert refused("eval", DATA / "MockRetrievalTask_predictions.json", "a.run").slug == "swapped"
    assert refused("eval", "qrels.txt", "shop").slug == "swapped"
    assert refused("eval", "qrels.txt", "a.run", "--split", "test").slug == "split"
    assert refused("convert", "a.run", "x.tsv", "--kind", "run", "--to", "beir").slug == "format"
