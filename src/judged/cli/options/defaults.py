"""Defaults of options, from `judged.toml` or `pyproject.toml`: keys at the top are options of all commands, tables are options of one command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import click

from judged.errors import UsageError, shown
from judged.registry import nearest_name

_FILE = "judged.defaults"  # in `Context.meta`: the file in use
_RESERVED = ("gate", "search")  # tables that are not of options: their commands read them
# Options that mean something else in most commands: here only the table of the command sets them.
_OTHERWISE = frozenset({
    *("agree.weights", "board.by", "board.missing", "correlate.measures", "curve.measures", "fuse.weights", "gate.baseline"),
    *("merge.missing", "merge.ties", "pool.depth", "recommend.history", "recommend.measures"),
})  # fmt: skip
_TYPES = {"boolean": bool, "integer": int, "integer range": int, "float": int | float, "numbers": int | float | str}


def set_defaults(
    ctx: click.Context, group: click.Group, name: str, command: click.Command, path: str, content: dict[str, Any]
) -> None:
    """Set the defaults of a command that is about to be called; those of its table take precedence over those at the top.

    Raises:
        UsageError: an unknown key or table, or a value that the option does not take.
    """
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    for key in tables.keys() - {*_RESERVED}:
        if group.get_command(ctx, key) is None:
            raise _unknown(path, key, "command", group.list_commands(ctx))
    found = {key: content[key] for key in content.keys() - tables.keys()}
    found |= {f"{name}.{key}": value for key, value in tables.get(name, {}).items() if name not in _RESERVED}
    options = _options(command)
    defaults: dict[str, Any] = {"config": path} if name == "gate" and name in tables else {}
    for place, value in found.items():
        own, _, key = place.replace("_", "-").rpartition(".")
        if key in options and (own or f"{name}.{key}" not in _OTHERWISE):
            defaults[str(options[key].name)] = _read(path, place, value, options[key])
        elif own or key not in _all_options(ctx, group):
            raise _unknown(path, place, "option", options if own else _all_options(ctx, group))
    below = dict.fromkeys(getattr(command, "commands", ()), defaults)  # of `judged clicks`
    ctx.default_map, ctx.meta[_FILE] = {name: defaults | below}, path


def take_note(ctx: click.Context) -> str:
    """Return the note that names the file of the defaults that are used; empty if there are none, or if it was taken before."""
    path = ctx.meta.pop(_FILE, "")
    sources = map(ctx.get_parameter_source, ctx.default_map or ())
    return f"defaults from {path}" if path and click.core.ParameterSource.DEFAULT_MAP in sources else ""


def _options(command: click.Command | None) -> dict[str, click.Option]:
    """The options of a command by their flags without dashes."""
    commands = command.commands.values() if isinstance(command, click.Group) else [command] if command else []
    return {p.opts[-1].lstrip("-"): p for one in commands for p in one.params if isinstance(p, click.Option)}


def _all_options(ctx: click.Context, group: click.Group) -> Iterator[str]:
    """The options of all commands, each of which is imported when its turn comes."""
    for name in group.list_commands(ctx):
        yield from _options(group.get_command(ctx, name))


def _unknown(path: str, place: str, kind: str, known: Iterable[str]) -> UsageError:
    near = nearest_name(place.rpartition(".")[2], known)
    hint = f"did you mean {near}?" if near else "see `judged help all`"
    return UsageError("unknown-option", f"{place}: no {kind} has this name", hint=hint, where=path, value=place)


def _read(path: str, place: str, value: Any, option: click.Option) -> Any:
    """Check a value, and return it as click takes it: a path from the current folder, several words as a list."""
    kind = "boolean" if option.is_flag else option.type.name
    words = value if isinstance(value, list) and option.multiple else [value]
    try:
        for i, word in enumerate(words):
            if isinstance(word, bool) != option.is_flag or not isinstance(word, _TYPES.get(kind, str)):
                raise click.BadParameter(f"expected a value of type {kind}, got {shown(word)}.")
            if option.is_flag:
                return word if option.is_bool_flag else option.flag_value if word else None
            option.type.convert(word, option, None)
            located = os.path.join(os.path.dirname(path), str(word))
            file = "://" not in str(word) and option.metavar == "FILE"
            words[i] = located if file or (option.metavar == "RUN" and os.path.exists(located)) else word
    except click.BadParameter as error:
        raise UsageError("option", f"{place}: {error.message}", hint="correct the file", where=path) from error
    return words if option.multiple else words[0]
