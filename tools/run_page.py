"""Run the code blocks of a Markdown page as a reader would: `python tools/run_page.py docs/start.md [--update]`.

A page runs in a new folder with the files of the sample collection. With a line
`<!-- terminal -->` its commands write to a terminal of 100 columns instead of a pipe, so that tables fit. Its blocks run in order:

- `python` with `>>>` is a doctest; other `python` blocks share one namespace, and a block `text` directly below has what they print;
- `console` has commands after `$` and their output, with `[exit 1]` after the output of a command that fails;
- `bash` has commands without output;
- a block with `title="NAME"` is a file that is written, not run;
- below `<!-- not run: REASON -->` a block is only shown.

In an output, `…` stands for any text within a line, or on a line of its own for any lines. `--update` writes the real outputs into the page.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src" / "judged" / "sample"
CODE = ("python", "console", "bash")
MORE = "…"
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)(?P<info>.*)$")
_NOT_RUN = re.compile(r"^ *<!-- not run: (.+) -->$")
_TERMINAL = re.compile(r"^<!-- terminal -->$", re.MULTILINE)
_NEEDS = re.compile(r"^<!-- needs: ([\w, ]+) -->$", re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')
_DOCTEST = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@dataclass
class Block:
    """A fenced block of a page: lines `first` up to `last` of it, the fences not included."""

    language: str
    title: str
    not_run: str
    lines: list[str]
    first: int
    last: int
    indent: str
    output: Block | None = None

    @property
    def code(self) -> bool:
        """True if the block is to be executed unless it says why not."""
        return self.language in CODE and not self.title


@dataclass
class PageRun:
    """A page whose blocks were run: how many, and what was not as shown."""

    page: Path
    terminal: bool = False
    run: int = 0
    not_run: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    edits: list[tuple[int, int, list[str]]] = field(default_factory=list)

    def expect(self, first: int, shown: list[str], real: list[str], indent: str) -> None:
        """Note a problem, and the edit that repairs it, unless the lines from `first` are the real ones."""
        if _same(shown, real):
            return
        self.problems.append(f"{self.page.name}:{first + 1}: the output is\n" + "\n".join(real))
        lines = [f"{indent}{line}".rstrip() for line in _shorten(real, shown)]
        self.edits.append((first, first + len(shown), lines))

    def updated(self) -> str:
        """The page with the real outputs."""
        lines = self.page.read_text(encoding="utf-8").split("\n")
        for first, last, new in sorted(self.edits, reverse=True):
            lines[first:last] = new
        return "\n".join(lines)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page; an output directly below a Python block belongs to it."""
    lines, found, position = text.split("\n"), list[Block](), 0
    while position < len(lines):
        fence = _FENCE.match(lines[position])
        position += 1
        if fence is None:
            continue
        indent, first = fence["indent"], position
        while lines[position].rstrip() != f"{indent}```":
            position += 1
        above = lines[first - 2] if first > 1 else ""
        reason, title = _NOT_RUN.match(above), _TITLE.search(fence["info"])
        body = [line.removeprefix(indent) for line in lines[first:position]]
        block = Block(fence["language"], title[1] if title else "", reason[1] if reason else "", body, first, position, indent)  # fmt: skip
        before = found[-1] if found else None
        if before and block.language == "text" and before.language == "python" and before.code and not block.title:
            between = lines[before.last + 1 : first - 1]
            before.output = None if any(line.strip() for line in between) else block
        found.append(block)
        position += 1
    return found


def run_page(page: Path, folder: Path) -> PageRun:
    """Run the blocks of a page in a folder that is made for it."""
    text = page.read_text(encoding="utf-8")
    result = PageRun(page, terminal=_TERMINAL.search(text) is not None)
    for path in (*SAMPLE.glob("*.txt"), *SAMPLE.glob("*.jsonl"), *SAMPLE.glob("runs/*.run")):
        shutil.copy(path, folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for block in blocks(text):
            place = f"{page.name}:{block.first}"
            if not block.language:
                result.problems.append(f"{place}: a block needs a language; `text` if it is not code")
            elif block.title:
                Path(block.title).parent.mkdir(parents=True, exist_ok=True)
                Path(block.title).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            elif block.code and block.not_run:
                result.not_run.append(f"{place}: {block.not_run}")
            elif block.code:
                result.run += 1
                try:
                    {"python": _run_python, "console": _run_console, "bash": _run_bash}[block.language](block, result, names)  # fmt: skip
                except Exception as error:  # whatever a page's code raises is that page's problem
                    result.problems.append(f"{place}: {type(error).__name__}: {error}")
    return result


def needs(page: Path) -> list[str]:
    """Libraries and programs that a page names in a line `<!-- needs: java, pyspark -->`, as tests/helpers/needs.py does."""
    named = _NEEDS.search(page.read_text(encoding="utf-8"))
    return re.split(r", *", named[1]) if named else []


def _run_python(block: Block, result: PageRun, names: dict[str, Any]) -> None:
    source = "\n".join(block.lines) + "\n"
    if source.lstrip().startswith(">>>"):
        _run_session(source, block, result, names)
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, f"{result.page.name}:{block.first}", "exec"), names)
    if block.output:
        result.expect(block.output.first, block.output.lines, _lines(printed.getvalue()), block.output.indent)


def _run_session(source: str, block: Block, result: PageRun, names: dict[str, Any]) -> None:
    """Run a doctest; the lines of an example's output are compared and updated one example at a time."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=_DOCTEST)
    for example in doctest.DocTestParser().get_examples(source, result.page.name):
        real = io.StringIO()
        test = doctest.DocTest([example], names, result.page.name, None, None, None)
        failed = runner.run(test, out=real.write, clear_globs=False).failed
        names.update(test.globs)
        if not failed:
            continue
        _, got, output = real.getvalue().partition("Got:\n")
        if not got and "Got nothing" not in real.getvalue():
            raise RuntimeError(real.getvalue())
        first = block.first + example.lineno + example.source.count("\n")
        shown = _lines(example.want)
        result.expect(first, shown, [line.removeprefix("    ") or "<BLANKLINE>" for line in _lines(output)], block.indent)  # fmt: skip


def _run_console(block: Block, result: PageRun, names: dict[str, Any]) -> None:
    starts = [i for i, line in enumerate(block.lines) if line.startswith("$ ")]
    if not starts or starts[0]:
        raise ValueError("a console block begins with `$ `")
    for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
        command = [block.lines[start].removeprefix("$ ")]
        while command[-1].endswith("\\"):
            command.append(block.lines[start + len(command)])
        begin = start + len(command)
        shown = block.lines[begin:end]
        while shown and not shown[-1].strip():
            shown.pop()
        output, code = _shell("\n".join(command), result.terminal)
        real = _lines(output) + ([f"[exit {code}]"] if code else [])
        result.expect(block.first + begin, shown, real, block.indent)


def _run_bash(block: Block, result: PageRun, names: dict[str, Any]) -> None:
    output, code = _shell("set -e\n" + "\n".join(block.lines), result.terminal)
    if code:
        raise RuntimeError(f"exit code {code}\n{output}")


def _shell(command: str, terminal: bool) -> tuple[str, int]:
    """Output and exit code of a command; `cd` holds for what follows."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    plain = {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}
    if command.startswith("judged ") and not terminal and not set(command) & set("|&;<>$*?`~(){}#!"):
        output, code = _run_here(shlex.split(command.replace("\\\n", " ")), plain)
        return output.replace(f"{Path.cwd()}/", ""), code
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as where:
        words = ["bash", "-c", f"trap 'pwd > \"{where.name}\"' EXIT\n{command}"]
        output, code = (_run_in_terminal if terminal else _run_in_pipe)(words, _environment() | plain)
        folder = where.read().strip()
    output = output.replace(f"{Path.cwd()}/", "")
    os.chdir(folder)
    return output, code


def _run_here(words: list[str], environment: dict[str, str]) -> tuple[str, int]:
    """Run a command of judged in this process, which saves the second that starting another one takes."""
    from judged.cli.main import main

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with (
        mock.patch.dict(os.environ, _environment() | environment, clear=True),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return stream.buffer.getvalue().decode("utf-8"), code


def _environment() -> dict[str, str]:
    """The environment of a reader: files with defaults are looked for, as tests do not."""
    return {name: value for name, value in os.environ.items() if name != "JUDGED_CONFIG"}


def _run_in_pipe(words: list[str], environment: dict[str, str]) -> tuple[str, int]:
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, encoding="utf-8")  # fmt: skip
    return done.stdout, done.returncode


def _run_in_terminal(words: list[str], environment: dict[str, str]) -> tuple[str, int]:
    import pty
    import termios

    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, 100))
    process = subprocess.Popen(words, env=environment, stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL)
    os.close(terminal)
    seen = b""
    with contextlib.suppress(OSError):  # Linux raises EIO at the end
        while chunk := os.read(screen, 65536):
            seen += chunk
    os.close(screen)
    return seen.decode("utf-8").replace("\r\n", "\n"), process.wait()


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def _same(shown: list[str], real: list[str]) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == MORE else re.escape(line.rstrip()).replace(MORE, ".*?") + r"\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in real)) is not None


def _shorten(real: list[str], shown: list[str]) -> list[str]:
    """The real lines, left out where the page left lines out: as many are kept at either end."""
    gaps = [i for i, line in enumerate(shown) if line.strip() == MORE]
    if not gaps or len(real) <= len(shown):
        return real
    head, tail = gaps[0], len(shown) - gaps[-1] - 1
    return [*real[:head], MORE, *(real[-tail:] if tail else [])]


def pages() -> Iterator[Path]:
    """The README and every written page of the documentation."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def main() -> int:
    """Run the pages that are named, or all; return the number that are not as shown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--update", action="store_true", help="write the real outputs into the page")
    options = parser.parse_args()
    wrong = run = 0
    not_run: list[str] = []
    for page in options.pages or pages():
        with tempfile.TemporaryDirectory() as folder:
            result = run_page(page.resolve(), Path(folder).resolve())
        run += result.run
        not_run += result.not_run
        print(*result.problems, sep="\n", end="\n" if result.problems else "")
        if options.update and result.edits:
            page.write_text(result.updated(), encoding="utf-8")
        wrong += bool(result.problems)
    print(f"{run} blocks run, {len(not_run)} not run, {wrong} pages not as shown")
    print(*not_run, sep="\n", end="\n" if not_run else "")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.path[0] = ""
    os.environ["MPLBACKEND"] = "Agg"
    sys.exit(main())
