"""`judged help`: List all commands, or show the options of one."""

from __future__ import annotations

import click

from judged.cli.options.command import Command


@click.command("help", cls=Command)
@click.argument("topic", required=False)
@click.pass_context
def command(ctx: click.Context, topic: str | None) -> None:
    """List all commands, or show all options of one: `judged help all`, `judged help eval`."""
    from judged.cli.main import COMMANDS, PLUGINS, cli, summary
    from judged.registry import owner_of, plugins

    root = ctx.find_root()
    if topic not in (None, "all"):
        found = cli.get_command(root, str(topic))
        if found is None:
            raise click.UsageError(f"No such command {topic!r}.", root)
        inner = click.Context(found, parent=root, info_name=topic)
        inner.meta["judged.help_all"] = True
        click.echo(found.get_help(inner))
    elif topic is None:
        click.echo(root.get_help())
    else:
        formatter = root.make_formatter()
        rows = [(name, summary(name)) for name in COMMANDS]
        for plugin in plugins(PLUGINS):
            taken = ": not used, since the name is taken by judged" if plugin.name in COMMANDS else ""
            rows.append((plugin.name, f"From {owner_of(plugin)}{taken}."))
        formatter.write_dl(rows)
        click.echo(formatter.getvalue(), nl=False)
