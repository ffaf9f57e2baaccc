"""Policies: the questions every evaluation answers, each with one owner and one printed word."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Literal, TypedDict, get_args, get_type_hints

from judged.errors import UsageError

__all__ = ["POLICY_OPTIONS", "Policy", "PolicyOption", "PolicyOptions"]

Queries = Literal["judged", "both", "strict"]
Empty = Literal["zero", "skip", "one", "nan", "error"]
Order = Literal["score", "rank", "input"]
Ties = Literal["id-desc", "id-asc", "input", "best", "worst", "expected"]
Duplicates = Literal["error", "first", "best"]
Repeats = Literal["auto", "all", "judged"]
Rejudged = Literal["error", "max", "min", "first", "last", "mean"]
Unjudged = Literal["irrelevant", "condensed"]
Precision = Literal["float64", "float32"]
Crossing = Literal["out", "in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How the open questions of an evaluation are answered. The defaults are trec_eval's, with `-c`.

    Args:
        queries: which count: every judged one (absent from the run: 0), those in both, or all must be there.
        empty: the value of a query without a relevant document.
        order: what a ranking is ordered by; the rank column is ignored unless asked for.
        ties: the order of documents with equal scores.
        duplicates: a document twice in one ranking.
        repeats: which documents that stand twice are looked for: all; or judged ones, which is what `auto` means for a run in parts: there
            the others need its rows brought together. No value depends on it.
        rejudged: a document judged twice with different grades.
        unjudged: not relevant, or taken out of the ranking.
        depth: documents per ranking that are looked at; None for all.
        precision: in which scores are compared.
        crossing: whether the document that no longer fits into a budget of tokens (`@2000tok`) is left out, or the last one in.
        prepared: what was done to judgments and run before, in words.
    """

    queries: Queries = "judged"
    empty: Empty = "zero"
    order: Order = "score"
    ties: Ties = "id-desc"
    duplicates: Duplicates = "error"
    repeats: Repeats = field(default="auto", compare=False)
    rejudged: Rejudged = "error"
    unjudged: Unjudged = "irrelevant"
    depth: int | None = None
    precision: Precision = "float64"
    crossing: Crossing = "out"
    prepared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for spec in fields(self):
            value, choices = getattr(self, spec.name), _choices().get(spec.name, ())
            if spec.name == "prepared":
                object.__setattr__(self, "prepared", tuple(map(str, value)))  # a list, where it comes from JSON
            elif spec.name == "depth":
                if value is not None and (type(value) is not int or value < 1):
                    raise UsageError("depth", "a depth that is a whole number from 1, or None", got=repr(value))
            elif value not in choices:
                raise UsageError(
                    "policy", f"{spec.name} to be one of {', '.join(choices)}", got=repr(value), value=value
                )

    def __str__(self) -> str:
        """One line: every answer, in words."""
        words = [
            {"judged": "all judged queries", "both": "queries in both", "strict": "all queries present"}[self.queries],
            f"no relevant document: {self.empty}",
            f"order by {self.order}" + (" in float32" if self.precision == "float32" else ""),
            f"ties: {self.ties}",
            f"unjudged: {self.unjudged}",
        ]
        if self.depth is not None:
            words.append(f"depth {self.depth}")
        if self.duplicates != "error":
            words.append(f"duplicates: keep {self.duplicates}")
        if self.repeats == "judged":
            words.append("repeats looked for among judged documents")
        if self.rejudged != "error":
            words.append(f"judged twice: {self.rejudged}")
        if self.crossing != "out":
            words.append("the document that crosses a budget of tokens: in")
        words += self.prepared
        return " · ".join(words)


@cache
def _choices() -> dict[str, tuple[str, ...]]:
    """The answers that each question allows, as the types say."""
    return {name: get_args(hint) for name, hint in get_type_hints(Policy).items()}


class PolicyOptions(TypedDict, total=False):
    """The fields of `Policy`, as keyword options of the functions that take them."""

    queries: Queries
    empty: Empty
    order: Order
    ties: Ties
    duplicates: Duplicates
    repeats: Repeats
    rejudged: Rejudged
    unjudged: Unjudged
    depth: int | None
    precision: Precision
    crossing: Crossing


@dataclass(frozen=True, slots=True)
class PolicyOption:
    """One question, as an option of the command line."""

    name: str
    choices: tuple[str, ...]
    default: str
    help: str


_HELP = {
    "ties": "Order of documents with equal scores.",
    "duplicates": "Duplicate document in a ranking.",
    "rejudged": "Document judged twice with different grades.",
    "empty": "Value of a query without relevant documents.",
    "order": "Order of each ranking.",
    "queries": "Queries that count: all judged ones, those in both files, or strict.",
}
POLICY_OPTIONS = tuple(PolicyOption(name, _choices()[name], getattr(Policy(), name), text) for name, text in _HELP.items())
