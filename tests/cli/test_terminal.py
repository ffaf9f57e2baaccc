"""Output on a terminal: no line exceeds its width, and no number or word is broken."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from commands import called
from for_each import for_each

import judged as jd

pytestmark = [pytest.mark.slow, pytest.mark.needs("unix")]  # pseudo-terminals

SAMPLE = [
    str(jd.sample_path("qrels.txt")),
    *(str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "tfidf", "dense")),
]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K")  # colours, and the line of a step if the machine is slow


def on_terminal(columns: int, *words: str, **environment: str) -> str:
    """Run `judged` in a pseudo-terminal, and return what it prints."""
    import fcntl
    import termios

    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")} | {"TERM": "xterm"} | environment
    command = [sys.executable, "-c", "from judged.cli.main import main; main()", *words]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL, env=env
    )  # no progress
    os.close(follower)
    output = b""
    try:
        while block := os.read(leader, 1 << 16):
            output += block
    except OSError:  # how Linux says that the other end is closed
        pass
    assert process.wait(60) == 0, output.decode()
    os.close(leader)
    return output.decode().replace("\r\n", "\n")


def shown(columns: int, *words: str) -> list[str]:
    """The lines that a command prints on a terminal, called in this process."""
    with patch.dict(os.environ, {"COLUMNS": str(columns)}):
        return ESCAPE.sub("", called(*words, terminal=True).stdout).splitlines()


def test_the_width_is_that_of_the_terminal():
    words = ("curve", "pr", *SAMPLE)
    printed = [ESCAPE.sub("", on_terminal(columns, *words)).splitlines() for columns in (60, 120)]
    assert printed == [shown(60, *words), shown(120, *words)]
    assert max(map(len, printed[0])) <= 60 < max(map(len, printed[1]))


@for_each("columns", [60, 80, 120])
@for_each("words", [
    ("eval", *SAMPLE), ("compare", *SAMPLE, "-m", "nDCG@10", "AP"), ("eval", *SAMPLE[:2], "-q"), ("power", *SAMPLE[:3]), ("measures", "nDCG"),
    ("curve", "pr", *SAMPLE), ("curve", "at-k", *SAMPLE[:2]), ("explain", "nDCG@10", *SAMPLE[:2]), ("measures", "kappa"),
], ids=lambda words: words[0])  # fmt: skip
def test_no_line_is_wider_than_the_terminal(columns, words):
    assert [line for line in shown(columns, *words) if len(line) > columns] == []


@pytest.mark.parametrize(("columns", "bars"), [(60, 1), (80, 1), (120, 4)])
def test_a_comparison_answers_first_and_draws_bars_where_there_is_room(columns, bars):
    lines = shown(columns, "compare", *SAMPLE, "-m", "nDCG@10")
    assert lines[0] == "dense is clearly best on nDCG@10."
    starts = [
        next(i for i, line in enumerate(lines) if line.startswith(f"{title}?"))
        for title in ("By how much", "How certain", "Where")
    ]
    assert starts == sorted(starts)
    assert sum("●" in line or "○" in line for line in lines) == bars
    (header,) = (line for line in lines if line.startswith("run    against"))
    assert header.split()[-1] == ("verdict" if columns < 120 else "0")
    assert lines[-1].endswith("]")  # a warning, with its code


def test_a_terminal_without_such_characters_gets_plain_ones():
    text = on_terminal(80, "compare", *SAMPLE, "-m", "nDCG@10", PYTHONIOENCODING="ascii")
    assert text.isascii()
    assert "-*-" in text
    assert "->" in text


def test_colour_is_left_out_on_request():
    assert "\x1b[" in on_terminal(80, "eval", *SAMPLE[:2])
    assert "\x1b[" not in on_terminal(80, "eval", *SAMPLE[:2], NO_COLOR="1")


HOSTILE = "\x1b]0;title\x07\u202e\x9b2J"  # sets the title, reverses what follows, clears the screen
CALLS = [
    ["eval", "qrels.txt", f"{HOSTILE}.run", "-q"],
    ["compare", "qrels.txt", f"{HOSTILE}.run", "b.run", "--slices", "slices.csv", "--by", HOSTILE],
    ["gate", "qrels.txt", f"{HOSTILE}.run", "-b", "b.run", "--max-query-drop", "0"],
    ["gate", "qrels.txt", "b.run", "--save", f"{HOSTILE}.json"],
    ["explain", "AP", "qrels.txt", f"{HOSTILE}.run", "--query", f"q1{HOSTILE}"],
    ["trec_eval", "-q", "-m", "runid", "-m", "map", "qrels.txt", "b.run"],
    ["trec_eval", "qrels.txt", f"{HOSTILE}.none"],
    ["agree", "qrels.txt", "other.txt", "--disagreements", "-"],
    ["convert", "b.run", f"{HOSTILE}.json"],
    ["eval", "qrels.txt", "b.run", "--depth", HOSTILE],
    [HOSTILE],
]


@for_each("words", CALLS, ids=lambda words: " ".join(words[:2]).replace(HOSTILE, ""))
def test_no_name_controls_the_terminal(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = [(f"q{q}{HOSTILE}", f"d{d}{HOSTILE}") for q in range(3) for d in range(3)]
    for name, step in (("qrels.txt", 1), ("other.txt", 2)):
        Path(name).write_text("".join(f"{q} 0 {d} {i * step % 3}\n" for i, (q, d) in enumerate(pairs)))
    for name, step in ((f"{HOSTILE}.run", 2), ("b.run", 1)):
        Path(name).write_text("".join(f"{q} Q0 {d} 1 {i * step % 5} {HOSTILE}\n" for i, (q, d) in enumerate(pairs)))
    Path("slices.csv").write_text(f"query,{HOSTILE}\n" + "".join(f"q{q}{HOSTILE},{HOSTILE}\n" for q in range(3)))
    outcome = called(*words, terminal=True)
    text = ESCAPE.sub("", outcome.stdout + outcome.stderr)
    assert {c for c in text if not c.isprintable()} <= {"\n", "\t"}
    assert "\\u202e" in text


def test_the_shell_completes_commands_and_measures():
    def complete(line: str) -> list[str]:
        env = os.environ | {
            "_JUDGED_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split()) - 1),
        }
        command = [sys.executable, "-c", "from judged.cli.main import main; main()"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        return [word.partition(",")[2] for word in done.stdout.split()]

    assert complete("judged ev") == ["eval"]
    assert "nDCG" in complete("judged eval q.txt r.run -m nD")
    assert "--ties" in complete("judged eval --ti")
