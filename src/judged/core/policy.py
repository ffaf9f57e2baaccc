"""Policies: the choices that every evaluation makes, with the words for each in `--help`, the docs and the printed line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypedDict

from judged.errors import UsageError, shown

Queries = Literal["judged", "both", "strict"]
Empty = Literal["zero", "skip", "one", "error"]
Order = Literal["score", "rank", "input"]
Ties = Literal["id-desc", "id-asc", "input", "best", "worst", "expected"]
Duplicates = Literal["error", "first", "best"]
Rejudged = Literal["error", "max", "min", "first", "last", "mean"]
Unjudged = Literal["irrelevant", "condensed"]
Precision = Literal["float64", "float32"]
Crossing = Literal["out", "in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Policies of an evaluation. The defaults are those of trec_eval with `-c`.

    Args:
        queries: queries that count: all judged ones (0 if missing from the run), those in both, or all with an error for a missing one (strict).
        empty: value of a query without a relevant document.
        order: field to order rankings by. The rank column is ignored unless it is selected here.
        ties: order of documents with equal scores.
        duplicates: what to do with duplicate documents in a ranking: raise an error, or keep the first or the highest.
        rejudged: grade to use if a document has two different grades.
        unjudged: unjudged documents are not relevant, or removed from the rankings.
        depth: number of documents per ranking to evaluate; None for all.
        precision: the floating-point type used to compare scores.
        crossing: whether the document that exceeds a token budget (`@2000tok`) is excluded or included.
        prepared: how judgments and run were prepared before the join.
        partitioned: only judged documents were checked for duplicates, as in a partitioned run; set by the join.
        unscored: the run has ranks or lists but no scores, so `order="score"` follows the ranks; set by the join.
    """

    queries: Queries = "judged"
    empty: Empty = "zero"
    order: Order = "score"
    ties: Ties = "id-desc"
    duplicates: Duplicates = "error"
    rejudged: Rejudged = "error"
    unjudged: Unjudged = "irrelevant"
    depth: int | None = None
    precision: Precision = "float64"
    crossing: Crossing = "out"
    prepared: tuple[str, ...] = ()
    partitioned: bool = field(default=False, compare=False)
    unscored: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prepared", tuple(map(str, self.prepared)))  # a list if it comes from JSON
        if self.depth is not None and (type(self.depth) is not int or not 1 <= self.depth < 1 << 63):
            raise UsageError(
                "parameter", f"depth must be an integer ≥ 1 or None, got {shown(self.depth)}", value=self.depth
            )
        for option in POLICY_OPTIONS:
            value = getattr(self, option.name)
            if option.choices and value not in option.choices:
                choices = ", ".join(option.choices)
                action = (
                    "use skip, which gives NaN and leaves the query out of the mean"
                    if (option.name, value) == ("empty", "nan")
                    else None
                )
                raise UsageError(
                    "policy", f"{option.name} must be one of {choices}, got {shown(value)}", value=value, hint=action
                )

    @property
    def used_order(self) -> Order:
        """The field that determined the rankings: ranks, if a run has no scores."""
        return "rank" if self.unscored and self.order == "score" else self.order

    def __str__(self) -> str:
        """One line with every choice that matters."""
        words = [
            _WORDS["queries"][1][self.queries],
            f"no relevant document: {self.empty}",
            f"order by {self.used_order}" + (" in float32" if self.precision == "float32" else ""),
            f"ties: {self.ties}",
            f"unjudged: {self.unjudged}",
        ]
        if self.depth is not None:
            words.append(f"depth {self.depth}")
        if self.duplicates != "error":
            words.append(f"duplicates: keep {self.duplicates}")
        if self.partitioned:
            words.append("duplicates detected among judged documents")
        if self.rejudged != "error":
            words.append(f"judged twice: {self.rejudged}")
        if self.crossing != "out":
            words.append("document that exceeds the token budget: included")
        return " · ".join([*words, *self.prepared])


class PolicyOptions(TypedDict, total=False):
    """The fields of `Policy` as keyword arguments: `**policy: Unpack[PolicyOptions]`."""

    queries: Queries
    empty: Empty
    order: Order
    ties: Ties
    duplicates: Duplicates
    rejudged: Rejudged
    unjudged: Unjudged
    depth: int | None
    precision: Precision
    crossing: Crossing


class PolicyOption(NamedTuple):
    """One policy, for the command line and the docs.

    Args:
        name: the keyword argument.
        choices: the allowed values; empty for `depth`, which is an integer ≥ 1 or None.
        default: the default.
        help: one line, without the default.
        meanings: a phrase for each choice.
    """

    name: str
    choices: tuple[str, ...]
    default: Any
    help: str
    meanings: Mapping[str, str]


_WORDS: dict[str, tuple[str, dict[str, str]]] = {  # help, and the meaning of each choice
    "queries": (
        "Queries that count.",
        {
            "judged": "all judged queries",
            "both": "queries in both",
            "strict": "all queries present",
        },
    ),
    "empty": (
        "Value of a query without a relevant document.",
        {
            "zero": "0",
            "skip": "NaN, excluded from the mean",
            "one": "1",
            "error": "an error",
        },
    ),
    "order": (
        "Field that determines the ranking.",
        {
            "score": "score, descending",
            "rank": "rank column",
            "input": "order of the input",
        },
    ),
    "ties": (
        "Order of documents with equal scores.",
        {
            "id-desc": "document id, descending by bytes, as trec_eval",
            "id-asc": "document id, ascending by bytes",
            "input": "order of the input",
            "best": "highest grades first",
            "worst": "lowest grades first",
            "expected": "expected value over all orders",
        },
    ),
    "duplicates": (
        "What to do with duplicate documents in a ranking.",
        {
            "error": "an error that names both places",
            "first": "keep the first",
            "best": "keep the one ranked highest",
        },
    ),
    "rejudged": (
        "Grade of a document judged twice with different grades.",
        {
            "error": "an error that names both places",
            "max": "the highest grade",
            "min": "the lowest grade",
            "first": "the first grade",
            "last": "the last grade",
            "mean": "the mean grade",
        },
    ),
    "unjudged": (
        "What to do with unjudged documents.",
        {
            "irrelevant": "count them as not relevant",
            "condensed": "remove them from the rankings",
        },
    ),
    "depth": ("Number of documents per ranking to evaluate.", {}),
    "precision": ("Floating-point type used to compare scores.", {"float64": "64 bits", "float32": "32 bits"}),
    "crossing": (
        "What to do with the document that exceeds the token budget.",
        {"out": "exclude it", "in": "include it"},
    ),
}

POLICY_OPTIONS: tuple[PolicyOption, ...] = tuple(
    PolicyOption(spec.name, tuple(meanings), spec.default, text, meanings)
    for spec in fields(Policy)
    if spec.name in _WORDS
    for text, meanings in [_WORDS[spec.name]]
)
