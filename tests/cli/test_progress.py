"""Progress: every command that can take long names its steps on a terminal, in order, and writes nothing to a pipe."""

import io
import os
import re
from functools import partial
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from commands import run

from judged.cli import doctor
from judged.cli.main import COMMANDS, cli
from judged.cli.options.command import show_steps
from judged.steps import step

pytestmark = [pytest.mark.slow, pytest.mark.needs("unix")]  # pseudo-terminals

INPUTS = ("reading qrels.txt", "joining a.run with qrels.txt", "joining b.run with qrels.txt")
NAMED = ("joining a with qrels.txt", "joining b with qrels.txt")
STEPS = {  # the steps of each command, in order; others may be between them
    ("eval", "qrels.txt", "a.run", "b.run"): (INPUTS[0], INPUTS[1], "measuring", INPUTS[2], "measuring"),
    ("compare", "qrels.txt", "a.run", "b.run"): (*INPUTS, "measuring", "comparing"),
    ("gate", "qrels.txt", "b.run", "-b", "a.run"): (
        INPUTS[0], "joining b.run with qrels.txt", "joining a.run with qrels.txt", "comparing", "applying the rules",
    ),
    ("report", "qrels.txt", "a.run", "b.run"): (INPUTS[0], *NAMED, "comparing", "preparing the page", "computing curves", "writing report.html"),
    ("explain", "AP", "qrels.txt", "a.run"): (*INPUTS[:2], "explaining"),
    ("conventions", "AP", "qrels.txt", "a.run", "--to", "0.9"): (*INPUTS[:2], "applying conventions", "trying conventions"),
    ("agree", "qrels.txt", "other.txt"): ("reading qrels.txt", "reading other.txt", "computing agreement"),
    ("merge", "qrels.txt", "other.txt", "--how", "max", "-o", "m.txt"): ("reading other.txt", "merging judgments", "writing m.txt"),
    ("doctor",): ("importing packages",),
    ("cite", "a.json"): ("reading a.json",),
    ("board", "a.json", "b.json"): ("reading a.json", "reading b.json", "ranking the runs"),
    ("clicks", "fit", "log.csv"): ("reading log.csv", "fitting dbn"),
    ("clicks", "interleave", "a.run", "b.run"): ("reading a.run", "reading b.run", "interleaving"),
    ("clicks", "score", "log.csv", "--run", "a.run"): ("reading log.csv", "fitting pbm", "fitting pbm to resamples"),
    ("convert", "a.run", "a.json"): ("reading a.run", "writing a.json"),
    ("correlate", "a.run", "b.run"): ("reading a.run", "reading b.run", "correlating"),
    ("curve", "pr", "qrels.txt", "a.run", "-o", "pr.svg"): (*INPUTS[:2], "computing curves", "drawing", "writing pr.svg"),
    ("fuse", "a.run", "b.run", "-o", "f.run"): ("reading a.run", "reading b.run", "fusing", "writing f.run"),
    ("recommend", "a.run", "--history", "qrels.txt"): ("reading a.run", "reading qrels.txt", "measuring"),
    ("demo",): ("measuring", "explaining", "comparing", "preparing the page", "writing report.html"),
    ("power", "qrels.txt", "a.run", "b.run"): (*INPUTS, "measuring", "estimating power"),
    ("trec_eval", "qrels.txt", "a.run"): (*INPUTS[:2], "measuring"),
    ("pool", "a.run", "b.run", "-o", "p.jsonl"): ("reading a.run", "reading b.run", "writing p.jsonl"),
    ("label", "todo.jsonl", "--doc-texts", "docs.jsonl", "-o", "l.html"): ("reading todo.jsonl", "reading docs.jsonl", "writing l.html"),
    ("next", "qrels.txt", "a.run", "b.run"): (*INPUTS, "measuring", "comparing", "choosing documents"),
    ("judge", "todo.jsonl", "--doc-texts", "docs.jsonl", "--url", "http://localhost:9/v1", "--model", "m", "--dry-run"): ("reading todo.jsonl", "reading docs.jsonl"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(doctor, "_OPTIONAL", {})  # importing all of them takes seconds
    Path("other.txt").write_text("q1 0 d1 1\nq1 0 d2 1\nq2 0 d4 0\n")
    Path("todo.jsonl").write_text('{"query": "q1", "doc": "d1"}\n')
    Path("docs.jsonl").write_text('{"_id": "d1", "text": "tea"}\n')
    for name in "ab":
        run("eval", "qrels.txt", f"{name}.run", "-q", "--format", "json", "-o", f"{name}.json")
    rows = "".join(f"{i},q1,d{d},{int(i % d == 0)}\n" for i in range(50) for d in (1, 2, 3))
    Path("log.csv").write_text("session,query,doc,click\n" + rows)
    return collection


class Terminal:
    """A pseudo-terminal that keeps what was written to it."""

    def __init__(self) -> None:
        self.leader, follower = os.openpty()
        self.stream = os.fdopen(follower, "w")

    def read(self) -> str:
        """What was written so far; there is no more to come."""
        self.stream.close()
        text = b""
        try:
            while block := os.read(self.leader, 1 << 16):
                text += block
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(self.leader)
        return text.decode()


def shown(text: str) -> list[str]:
    """The steps that a terminal showed."""
    lines = [line.removesuffix(" …") for line in re.split(r"\r\x1b\[K", text) if line]
    return [re.sub(r": \d+%.*", "", line) for line in lines]


def in_order(expected: tuple[str, ...], lines: list[str]) -> bool:
    left = iter(lines)
    return all(any(line == name for line in left) for name in expected)


def test_every_command_that_computes_is_here():
    assert {words[0] for words in STEPS} == set(COMMANDS) - {"help", "measures"}


@pytest.mark.parametrize("words", STEPS, ids=" ".join)
def test_a_command_shows_its_steps_in_order_and_erases_them(words):
    terminal = Terminal()
    steps = partial(
        show_steps, terminal.stream, count(0, 10).__next__
    )  # ten seconds between any two looks at the clock
    with patch("judged.cli.options.command.show_steps", steps), patch("judged.cli.trec_eval.show_steps", steps):
        outcome = CliRunner().invoke(cli, words)
    text = terminal.read()
    assert outcome.exit_code in (0, 1), outcome.output
    assert in_order(STEPS[words], shown(text)), shown(text)
    assert text.endswith("\r\x1b[K")


def test_nothing_is_shown_during_the_first_second():
    terminal, now = Terminal(), [0.0]
    with show_steps(terminal.stream, lambda: now[0]):
        with step("reading"):
            now[0] = 0.99
        with step("joining") as report:
            report(1, 2)
    assert terminal.read() == ""


def test_the_share_that_is_done_and_the_time_left_are_shown():
    terminal, now = Terminal(), [0.0]
    with show_steps(terminal.stream, lambda: now[0]), step("joining a.run") as report:
        now[0] = 30.0
        report(1, 5)
        now[0] = 149.0
        report(149, 150)
    assert "joining a.run: 20%, 2 min 0 s left …" in terminal.read()


def test_a_step_that_fails_leaves_no_line_behind():
    terminal = Terminal()
    with pytest.raises(ZeroDivisionError), show_steps(terminal.stream, count(0, 10).__next__), step("comparing"):
        raise ZeroDivisionError
    assert terminal.read().endswith("comparing …\r\x1b[K")


@pytest.mark.parametrize("stream", [io.StringIO(), io.TextIOWrapper(io.BytesIO())])
def test_only_a_terminal_has_a_listener(stream):
    with show_steps(stream, count(0, 10).__next__), step("comparing") as report:
        assert report is None
