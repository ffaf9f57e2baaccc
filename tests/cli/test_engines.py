"""Every command that takes judgments and runs takes responses of search engines, with the values of the same TREC files."""

import json
from pathlib import Path

import pytest
from commands import refused, run, values
from engine_documents import GRADES, RANKINGS, elasticsearch, lines, quepid_csv, rank_eval_request, solr

DOCS = [doc for ranking in RANKINGS.values() for doc in ranking]
COMMANDS = {
    "eval": ["eval", "{qrels}", "{run}", "--format", "json"],
    "compare": ["compare", "{qrels}", "a={run}", "b=other.json", "--format", "json"],
    "gate": ["gate", "{qrels}", "{run}", "-b", "other.json", "--format", "json", "--min-queries", "1"],
    "explain": ["explain", "AP", "{qrels}", "{run}", "--query", "boots"],
    "power": ["power", "{qrels}", "a={run}", "b=other.json", "--format", "json"],
    "curve": ["curve", "pr", "{qrels}", "a={run}", "--format", "json"],
    "correlate": ["correlate", "a={run}", "b=other.json", "--format", "json"],
    "next": ["next", "{qrels}", "a={run}", "b=other.json", "--format", "json"],
    "pool": ["pool", "a={run}", "b=other.json", "--format", "json"],
    "agree": ["agree", "a={qrels}", "b=qrels.json", "--format", "json"],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.json").write_text(json.dumps(GRADES))
    Path("run.json").write_text(json.dumps(RANKINGS))
    Path("other.json").write_text(
        json.dumps({query: dict.fromkeys(ranking, 1.0) | {"d1": 3.0} for query, ranking in RANKINGS.items()})
    )
    Path("request.json").write_text(json.dumps(rank_eval_request()))
    Path("ratings.csv").write_text(quepid_csv() + "\n")


def save_responses(build, name: str) -> str:
    Path(name).write_text(lines([{"query": query, "response": build(ranking)} for query, ranking in RANKINGS.items()]))
    return name


def output(words: list[str], qrels: str, responses: str) -> str:
    text = run(*(word.format(qrels=qrels, run=responses) for word in words))
    return text.replace(qrels, "QRELS").replace(responses, "RUN").replace(responses.partition(".")[0], "RUN")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_gives_the_values_of_ordinary_files(command):
    expected = values_in(output(COMMANDS[command], "qrels.json", "run.json"))
    assert expected
    for build, qrels in ((elasticsearch, "request.json"), (solr, "ratings.csv")):
        responses = save_responses(build, "responses.jsonl")
        assert values_in(output(COMMANDS[command], qrels, responses)) == expected


def values_in(text: str) -> object:
    """The numbers of an output; hashes, ranks and names of inputs differ."""
    try:
        return numbers(json.loads(text))
    except ValueError:
        return [word for word in text.split() if word.replace(".", "").isdigit()]


def numbers(value: object) -> list[object]:
    """The numbers and documents of an output."""
    if isinstance(value, dict):
        return [
            number
            for key, entry in value.items()
            if key not in ("provenance", "warnings", "policy")
            for number in numbers(entry)
        ]
    if isinstance(value, list):
        return [number for entry in value for number in numbers(entry)]
    return [value] if isinstance(value, float) or value in DOCS else []


def test_convert_writes_what_it_reads():
    responses = save_responses(elasticsearch, "responses.jsonl")
    run("convert", responses, "a.json", "--kind", "run")
    assert values("qrels.json", "a.json", "-m", "AP") == values("qrels.json", "run.json", "-m", "AP")
    run("convert", "request.json", "out.csv", "--to", "quepid")
    assert values("out.csv", "run.json", "-m", "AP") == values("qrels.json", "run.json", "-m", "AP")
    assert refused("convert", responses, "out.json", "--to", "quepid").slug == "swapped"
