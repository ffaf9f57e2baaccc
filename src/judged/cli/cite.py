"""`judged cite`: print the papers to cite for a result, as BibTeX."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.files import emit, output_options


@click.command("cite", cls=Command)
@click.argument("cited", nargs=-1)
@output_options("bibtex", default="bibtex")
def command(cited: tuple[str, ...], **options: Any) -> None:
    """Print BibTeX entries for judged and for the measures, tests, corrections, intervals and methods used.

    CITED are results written with `--format json`, or names.

    \b
    judged cite comparison.json > papers.bib
    judged cite nDCG@10 t bonferroni --format table
    """
    from judged.citations import cite

    emit(cite(*cited), options)
