"""Checks of rankings in documents of other programs, and what is warned of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.origin import Context
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.io.formats.shape_rows import QueryPage


def place_of(context: Context, item: int) -> Place:
    """Return the place of an item: its line, or the whole source."""
    return context.place if context.lines is None else context.items().place(item)


def check_whole(groups: Iterable[list[QueryPage]], context: Context) -> None:
    """Raise for a second ranking of a query, if the first is complete."""
    for first, *more in groups:
        if more and first.ranking.whole:
            where, other = place_of(context, more[0].item), place_of(context, first.item)
            problem = f"duplicate query {shown(first.query)}" + ("" if context.lines is None else f"; first at {other}")
            hint = "keep one of them, or give each an id of its own"
            raise DataError("duplicate-query", problem, where=where, value=first.query, hint=hint)


def check_hits(groups: list[list[QueryPage]], context: Context) -> None:
    """Raise for a query without documents, unless none matches it: an empty ranking would count as a bad one."""
    for group in groups:
        rankings = [page.ranking for page in group]
        reason = next(filter(None, (ranking.partial for ranking in rankings)), "")
        total = max(ranking.total or 0 for ranking in rankings)
        if not any(ranking.docs for ranking in rankings) and (reason or total):
            problem = f"the response to query {shown(group[0].query)} has no documents"
            problem += (
                f": {reason}" if reason else f", although {counted(total, 'document matches', 'documents match')}"
            )
            hint = "repeat the request" if reason else "repeat the request with a size above 0"
            raise DataError("no-hits", problem, where=place_of(context, group[0].item), hint=hint)


def warn_runs(groups: list[list[QueryPage]], context: Context) -> Iterator[Warned]:
    """Warn of rankings that are partial, have no scores or begin late."""
    lists = [[page.ranking for page in group] for group in groups]
    partial = [next(filter(None, (ranking.partial for ranking in rankings)), "") for rankings in lists]
    if count := sum(map(bool, partial)):
        text = f"{counted(count, 'response')} of {context.name} may lack documents: {next(filter(None, partial))}"
        yield Warned("partial-response", count, text, Hint("repeat the requests"))
    if count := sum(any(ranking.unscored for ranking in rankings) for rankings in lists):
        text = (
            f"the scores of {counted(count, 'response')} of {context.name} are null; the order of the documents is used"
        )
        yield Warned("hits-order", count, text)
    if count := sum(rankings[0].start > 0 for rankings in lists):
        text = (
            f"{context.name} lacks the first documents of {counted(count, 'query')}; the others are ranked without them"
        )
        yield Warned("rank-offset", count, text, Hint("request the documents from the first one on"))


def warn_judgments(groups: list[list[QueryPage]], context: Context) -> Iterator[Warned]:
    """Warn of judgments that depend on a ranking: measures that need all relevant documents are then too high."""
    reasons = [next(filter(None, (page.ranking.partial for page in group)), "") for group in groups]
    if count := sum(map(bool, reasons)):
        text = f"judgments of {counted(count, 'query')} of {context.name} may be missing: {next(filter(None, reasons))}"
        yield Warned("partial-judgments", count, text, Hint("use the ratings of the request"))
