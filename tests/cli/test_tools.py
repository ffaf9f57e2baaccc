"""Collections and files of evaluation tools on the command line, in every command that takes judgments or runs."""

import json
from pathlib import Path

import pytest
from commands import OTHER, QRELS, RUN, refused, run

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
