"""The reference of commands: an index and one page per command and subcommand, from click's declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
from tools.site.writing import block, code, front, prose, table

from judged.cli.main import cli

FOLDER = "reference/cli/"
_GUIDES = {  # the guide of each command
    "agree": "guides/agreement.md", "board": "guides/comparison.md", "clicks": "guides/clicks.md", "compare": "guides/comparison.md",
    "conventions": "explanations/conventions.md", "convert": "reference/formats.md", "correlate": "guides/correlation.md", "curve": "guides/curves.md",
    "demo": "start.md", "eval": "guides/inputs.md", "explain": "reference/measures/index.md", "fuse": "guides/fusion.md", "gate": "guides/gate.md",
    "judge": "guides/judging.md", "label": "guides/judging.md", "measures": "reference/measures/index.md", "merge": "guides/agreement.md", "next": "guides/judging.md",
    "pool": "guides/judging.md", "power": "guides/power.md", "recommend": "guides/recommenders.md", "report": "guides/report.md", "trec_eval": "reference/trec_eval.md",
}  # fmt: skip


def commands() -> Iterator[tuple[tuple[str, ...], click.Context]]:
    """Every command with its words, groups before their commands."""
    root = click.Context(cli, info_name="judged", **cli.context_settings)  # with -h, which commands remember
    yield from _below((), root)


def _below(words: tuple[str, ...], ctx: click.Context) -> Iterator[tuple[tuple[str, ...], click.Context]]:
    command = ctx.command
    assert isinstance(command, click.Group)
    for name in command.list_commands(ctx):
        found = command.get_command(ctx, name)
        assert found is not None
        inside = click.Context(found, info_name=name, parent=ctx)
        yield (*words, name), inside
        if isinstance(found, click.Group):
            yield from _below((*words, name), inside)


def path_of(words: tuple[str, ...]) -> str:
    """The page of a command."""
    return f"{FOLDER}{'_'.join(words)}.md"


def cli_pages(exists: set[str]) -> Iterator[tuple[str, str]]:
    """Path and text of each page; `exists` are the written pages that can be linked."""
    known = list(commands())
    yield f"{FOLDER}index.md", "\n".join(_index(known))
    for words, ctx in known:
        yield path_of(words), "\n".join(_page(words, ctx, exists))


def _index(known: list[tuple[tuple[str, ...], click.Context]]) -> Iterator[str]:
    yield from front("Command line", "Every command of judged, with all its options.")
    yield from ("Every command takes `--help`; the pages below have the same text.", "")
    yield from table(("command", "purpose"), [(f"[`{ctx.command_path}`]({path_of(words).removeprefix(FOLDER)})", _summary(words, ctx)) for words, ctx in known])  # fmt: skip
    yield from ("", "`judged --version` shows the version; `--json` adds Python and the native core.", "")
    yield from (
        "Exit codes and messages are in [errors and warnings](../errors.md). A typical session is in [Start](../../start.md).",
        "",
    )


def _summary(words: tuple[str, ...], ctx: click.Context) -> str:
    if len(words) > 1:
        return prose(ctx.command.get_short_help_str(200), f"{FOLDER}index.md")
    module = inspect.getmodule(ctx.command.callback)
    text = (module.__doc__ or "").split("\n")[0].partition(": ")[2] if module is not None else ""
    return prose(text[:1].upper() + text[1:], f"{FOLDER}index.md")


def _page(words: tuple[str, ...], ctx: click.Context, exists: set[str]) -> Iterator[str]:
    page, command = path_of(words), ctx.command
    text, examples = _parts(inspect.cleandoc(command.help or ""))
    yield from front(ctx.command_path, text[0] if text else "")
    for paragraph in text:
        yield from (prose(paragraph, page), "")
    yield from (*block(ctx.get_usage(), "text"), "")
    if examples:
        yield from ("## Examples", "", *block("\n".join(examples), "bash"), "")
    if isinstance(command, click.Group):
        rows = [(f"[`{ctx.command_path} {name}`]({path_of((*words, name)).removeprefix(FOLDER)})", prose(found.get_short_help_str(200), page))
                for name in command.list_commands(ctx) if (found := command.get_command(ctx, name))]  # fmt: skip
        yield from ("## Commands", "", *table(("command", "purpose"), rows), "")
    for name, records in help_groups(ctx).items():
        head = ("argument", "meaning") if name == "Arguments" else ("option", "meaning")
        yield from (
            f"## {name}",
            "",
            *table(head, [(code(flags), prose(meaning, page)) for flags, meaning in records]),
            "",
        )
    links = ["[All commands](index.md)", "[errors and warnings](../errors.md)"]
    if (guide := _GUIDES.get(words[0], "")) in exists or guide.startswith("reference/measures"):
        links.insert(0, f"[Guide](../../{guide})")
    yield from ("See also: " + " · ".join(links) + ".", "")


def help_groups(ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Arguments and options by group, as `--help` lists them: names and meaning."""
    collected = _Collector()
    ctx.command.format_options(ctx, collected)
    groups = {name: records for name, records in collected.sections.items() if name != "Commands"}
    return {
        name: [(flags, " ".join(meaning.split())) for flags, meaning in records] for name, records in groups.items()
    }


class _Collector(click.HelpFormatter):
    """Takes the place of the formatter of `--help`, and keeps what a command tells it."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: dict[str, list[tuple[str, str]]] = {}

    def write_heading(self, heading: str) -> None:
        self._name = heading

    def write_dl(self, rows: object, col_max: int = 30, col_spacing: int = 2) -> None:
        self.sections.setdefault(self._name, []).extend(rows)  # type: ignore[call-overload]


def _parts(text: str) -> tuple[list[str], list[str]]:
    """Paragraphs, and the lines that are commands, which follow a line that tells click not to wrap them."""
    paragraphs: list[str] = []
    examples: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        lines = part.split("\n")
        if lines[0] == "\b":
            commands = all(line.startswith("judged") for line in lines[1:])
            if commands:
                examples += lines[1:]
            else:
                paragraphs.append("\n".join(lines[1:]))
        else:
            paragraphs.append(" ".join(lines))
    return paragraphs, examples
