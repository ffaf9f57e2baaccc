"""`judged trec_eval` prints what trec_eval 10.0 prints, byte for byte, with its exit codes."""

import csv
import gzip
import json
import shlex
from pathlib import Path

import pytest
import trec_eval_cases as known
from recorded import DATA
from trec_eval_cases import call, options

from judged.evaluation.trec_eval_output import evaluate

pytestmark = pytest.mark.conformance


@pytest.mark.parametrize("case", known.edge_cases(), ids=lambda case: case.name)
def test_every_edge_case_comes_out_as_trec_eval_prints_it(case: Path, compared):
    files = [str(known.present(case / name)) for name in ("qrels", "run")]
    for recorded in known.recorded_calls(case):
        code, ours, said = call(*shlex.split(recorded["args"]), *files)
        theirs = recorded["stdout"].split("\n")[:-1]
        wrong, _ = known.differences(case.name, recorded["args"], ours, theirs)
        assert (recorded["args"], code, wrong) == (recorded["args"], recorded["exit"], [])
        assert bool(said) == bool(recorded["stderr"]) or case.name.startswith("nan_")
        compared("trec_eval 10.0, lines of edge cases", len(theirs))


def test_every_exception_is_needed_and_documented():
    """An exception that no recorded output needs would hide a difference; one without a line in the docs, too."""
    needed = set()
    for case in known.edge_cases():
        files = [known.present(case / name) for name in ("qrels", "run")]
        for recorded in known.recorded_calls(case):
            if not recorded["exit"] and known.could_differ(case.name, recorded["args"]):
                outcome = known.outcome(options(recorded["args"]), *files)
                needed |= known.differences(case.name, recorded["args"], outcome, recorded["stdout"].split("\n")[:-1])[
                    1
                ]
    page = (Path(__file__).parents[2] / "docs" / "reference" / "trec_eval.md").read_text()
    assert [why for *_, why in known.EXCEPTIONS if why not in needed or why not in page] == []


@pytest.mark.needs("collections")
@pytest.mark.parametrize("pair", known.pairs() or [None], ids=str)
def test_every_collection_comes_out_as_trec_eval_prints_it(pair, compared):
    run = pair.run()
    for args, path in pair.outputs.items():
        chosen = options(args)
        outcome = evaluate(chosen, pair.qrels(chosen.form), run)
        theirs = known.lines(path)
        wrong, _ = known.differences(str(pair), args, [*outcome.lines], theirs)
        assert (path.name, outcome.exit_code, wrong[:5]) == (path.name, 0, [])
        compared("trec_eval 10.0, lines of collections", len(theirs))


def _table(name: str) -> list[dict[str, str]]:
    path = known.OWN / name
    return [*csv.DictReader(path.read_text().splitlines(), delimiter="\t")] if path.exists() else [{}]


@pytest.mark.needs("collections")
@pytest.mark.parametrize("row", _table("nist_commands.tsv"), ids=lambda row: row.get("inputs", "none").split(" ")[0])
def test_what_nist_expects_of_trec_eval_comes_out(row, compared, monkeypatch):
    monkeypatch.chdir(known.OWN / "nist")
    files = [str(known.present(Path(name))) for name in row["inputs"].split()]
    code, ours, said = call(*shlex.split(row["options"]), *files)
    theirs = Path(row["expected_output"]).read_text().split("\n")[:-1]
    assert (code, ours, said) == (0, theirs, "")
    compared("trec_eval, lines that NIST expects", len(theirs))


@pytest.mark.needs("collections")
@pytest.mark.parametrize("row", _table("trec_eval/commands.tsv"), ids=lambda row: row.get("name", "none"))
def test_nists_own_files_with_other_flags(row, compared, monkeypatch):
    monkeypatch.chdir(known.OWN / "nist")
    files = [str(known.present(Path(name))) for name in row["inputs"].split()]
    code, ours, said = call(*shlex.split(row["options"]), *files)
    assert (code, said.strip().replace("\n", " | ")) == (int(row["exit"]), row["stderr"])
    if not code:
        theirs = known.lines(known.OWN / "trec_eval" / f"{row['name']}.txt.gz")
        assert ours == theirs
        compared("trec_eval 10.0, lines of collections", len(theirs))


@pytest.mark.needs("collections")
@pytest.mark.parametrize("flag", ["q", "c"])
def test_a_run_without_any_judged_topic(flag, compared):
    folder = DATA / "msmarco_doc_dev"
    recorded = json.loads(gzip.decompress((folder / "trec_eval" / f"word2vec.{flag}.by_10.0.json.gz").read_bytes()))
    code, ours, said = call(
        *shlex.split(recorded["args"]), str(folder / "qrels.txt.gz"), str(folder / "runs" / "word2vec.run.gz")
    )
    theirs = recorded["stdout"].split("\n")[:-1]
    assert (code, ours, said) == (recorded["exit"], theirs, recorded["stderr"])
    compared("trec_eval 10.0, lines of collections", len(theirs))
