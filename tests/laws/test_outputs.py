"""No command writes over a file that it reads: every parameter that writes with every one that reads, from the command tree."""

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from commands import OTHER, QRELS, RUN, called, refused, shell
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.cli.main import cli
from judged.cli.options.command import GROUPS
from judged.io.write import convert

pytestmark = pytest.mark.slow


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.txt", QRELS), ("a.run", RUN), ("b.run", OTHER)):
        Path(name).write_bytes(content)


def commands(
    command: click.Command = cli, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    ctx = click.Context(command)
    for name in command.list_commands(ctx):
        child = command.get_command(ctx, name)
        assert child is not None
        yield from commands(child, (*words, name))


COMMANDS = [
    (words, command) for words, command in commands() if words != ("trec_eval",)
]  # writes to standard output only
PAIRS = [
    (words, command, writer, reader)
    for words, command in COMMANDS
    for writer in command.outputs
    for reader in command.inputs
]
LINKS: dict[str, Callable[[Path, Path], object]] = {
    "the file itself": lambda data, other: None,
    "a symbolic link": lambda data, other: other.symlink_to(data),
    "a hard link": lambda data, other: os.link(data, other),
}


def invocation(words, command, writer, reader, data: str, output: str, other: str) -> list[str]:
    """A command line in which one parameter reads a file, and one writes it."""
    arguments = []
    options = []
    for parameter in command.params:
        value = {writer.name: output, reader.name: data}.get(parameter.name, other)
        if isinstance(parameter, click.Argument):
            several = parameter is reader and parameter.nargs == -1
            arguments += (
                [other, value] if several else [value] if parameter.required or parameter in (reader, writer) else []
            )
        elif parameter in (reader, writer) or parameter.required:
            options += [parameter.opts[0], value]
    return [*words, *arguments, *options]


def named(case) -> str:
    words, _, writer, reader = case
    return f"{' '.join(words)}: {writer.name} over {reader.name}"


@for_each("link", LINKS)
@for_each("case", PAIRS, ids=named)
def test_no_output_of_a_command_replaces_its_input(case, link, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, other, output = Path("data.txt"), Path("other.txt"), Path("output.txt")
    output.unlink(missing_ok=True)
    for file in (data, other):
        file.write_bytes(b"precious")
    target = data if LINKS[link](data, output) is None and not output.exists() else output
    for value in ("data.txt", f"name={tmp_path / 'data.txt'}"):
        error = refused(*invocation(*case, value, str(target), "other.txt"))
        assert (error.slug, error.exit_code) == ("output-is-input", 2)
    assert data.read_bytes() == b"precious"
    assert {file.name for file in tmp_path.iterdir()} <= {"data.txt", "other.txt", "output.txt"}


def test_every_command_with_files_is_tested():
    assert len({words for words, *_ in PAIRS}) > 12
    assert {words[0] for words, _ in COMMANDS} - {words[0] for words, *_ in PAIRS} == {"demo", "doctor", "help"}
    for _, command in COMMANDS:
        for parameter in command.params:
            if isinstance(parameter, click.Option) and "FILE" in str(parameter.metavar):
                assert parameter.group in GROUPS
                assert (parameter in command.inputs) != (parameter in command.outputs), parameter.name


def test_files_that_the_rules_name_are_inputs(collection, monkeypatch):
    monkeypatch.delenv("JUDGED_CONFIG")
    Path("judged.toml").write_text('[gate]\nqrels = "qrels.txt"\nbaseline = "a.run"\n')
    for output in ("judged.toml", "qrels.txt", "a.run"):
        assert refused("gate", "b.run", "-o", output).slug == "output-is-input"
        assert refused("gate", "b.run", "--save", output).slug == "output-is-input"
    assert [Path(name).read_bytes() for name in ("qrels.txt", "a.run", "b.run")] == [QRELS, RUN, OTHER]
    Path("judged.toml").write_text('[gate]\nqrels = "qrels.txt"\nbaseline = "base.json"\nmeasures = ["AP"]\n')
    for _ in range(2):  # a saved baseline is made to be saved again
        assert called("gate", "a.run", "--save", "base.json").returncode == 0


def test_standard_input_and_output_are_files_too(collection):
    with Path("a.run").open("rb") as stdin:
        assert "output-is-input" in shell("eval", "qrels.txt", "-", "-o", "a.run", stdin=stdin).stderr
    with Path("a.run").open("ab") as stdout:
        done = shell("eval", "qrels.txt", "a.run", capture_output=False, stdout=stdout, stderr=-1)
    assert (done.returncode, "output-is-input" in done.stderr) == (2, True)
    for name in ("a.run", "qrels.txt"):
        with Path(name).open("ab") as stdout:
            done = shell("trec_eval", "qrels.txt", "a.run", capture_output=False, stdout=stdout, stderr=-1)
        assert (done.returncode, "output-is-input" in done.stderr) == (2, True)
    assert (Path("a.run").read_bytes(), Path("qrels.txt").read_bytes()) == (RUN, QRELS)


def test_functions_that_know_their_inputs_do_not_replace_them(tmp_path):
    qrels, run = tmp_path / "q.json", tmp_path / "r.json"
    jd.write_qrels({"q": {"d": 1}}, qrels)
    jd.write_run({"q": {"d": 1.0}}, run)
    before = qrels.read_bytes(), run.read_bytes()
    values = jd.evaluate(qrels, run, "AP")
    (tmp_path / "link.json").symlink_to(run)
    for path in (qrels, run, tmp_path / "link.json"):
        refusal("output-is-input", values.save, path)
        refusal("output-is-input", jd.report, values, path)
        refusal("output-is-input", jd.curves.curve("pr", qrels, run).save, path)
        refusal("output-is-input", jd.curves.curve("pr", jd.join(qrels, run)).save, path)
        refusal("output-is-input", jd.baseline(qrels, run, "AP").save, path)
    refusal("output-is-input", jd.write_run, run, run)
    refusal("output-is-input", jd.write_run, jd.read_run(run), run)
    refusal("output-is-input", jd.write_qrels, qrels, qrels)
    refusal("output-is-input", convert, run, tmp_path / "link.json", kind="run")
    joined = jd.join(qrels, run)
    for judged in (joined, joined.select([0]), type(joined).merge([joined])):
        refusal("output-is-input", jd.evaluate(judged, measures="AP").save, tmp_path / "link.json")
    assert (qrels.read_bytes(), run.read_bytes()) == before


def test_open_files_are_inputs(tmp_path):
    qrels, run = tmp_path / "q.json", tmp_path / "r.json"
    jd.write_qrels({"q": {"d": 1}}, qrels)
    jd.write_run({"q": {"d": 1.0}}, run)
    before = run.read_bytes()
    (tmp_path / "link.json").symlink_to(run)
    for path in (run, tmp_path / "link.json"):
        with qrels.open() as judgments, run.open() as ranking:
            values = jd.evaluate(judgments, ranking, "AP")
        refusal("output-is-input", values.save, path)
        with run.open("rb") as ranking:
            refusal("output-is-input", jd.write_run, ranking, path)
            read = jd.read_run(ranking)
        refusal("output-is-input", jd.write_run, read, path)
        with open(os.open(run, os.O_RDONLY), "rb") as ranking:  # noqa: PTH123 - it has a number for a name
            refusal("output-is-input", jd.write_run, ranking, path)
            refusal("output-is-input", jd.write_run, jd.read_run(ranking), path)
    assert run.read_bytes() == before
    jd.write_run(jd.read_run(io.BytesIO(before)), run)  # in memory
