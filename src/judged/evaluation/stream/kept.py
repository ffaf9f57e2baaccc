"""What a stream keeps of its batches: every value, or exact sums; and how often something was doubtful."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.stream.exact_means import ExactSum, summand

__all__ = ["COVERAGE", "Batch", "KeptSums", "KeptValues", "StreamTally", "refuse_repeated"]

COVERAGE = "judged@10"  # a column beside those asked for: the share of judged documents


@dataclass(frozen=True, slots=True)
class Batch:
    """Values of some lists: one column a measure. `names` is None for lists that are numbered as they come."""

    size: int
    names: Sequence[Id] | None
    columns: Mapping[str, Column]
    warnings: tuple[Warned, ...] = ()


@dataclass(slots=True)
class KeptValues:
    """The values of every list."""

    parts: list[Mapping[str, Column]] = field(default_factory=list)
    names: dict[Id, None] = field(default_factory=dict)
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Take in a batch whole, or raise and take nothing."""
        self._extend(batch.size, batch.names, [batch.columns])

    def merge(self, other: KeptValues) -> None:
        """Take in what another kept, behind our own."""
        self._extend(other.size, list(other.names) if other.names else None, other.parts)

    def _extend(self, size: int, names: Sequence[Id] | None, parts: Sequence[Mapping[str, Column]]) -> None:
        if not size:
            return
        if self.size and bool(self.names) != (names is not None):
            raise UsageError("layout", "a qid for the lists of every batch, or for none", got="both")
        refuse_repeated([name for name in names or () if name in self.names])
        self.names.update(dict.fromkeys(names or ()))
        self.parts.extend(parts)
        self.size += size

    def table(self, key: Callable[[Id], Any]) -> tuple[tuple[Id, ...], dict[str, Column]]:
        """All lists by their names, in the order of these; or as they came."""
        columns = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        if not self.names:
            return tuple(range(self.size)), columns
        names = list(self.names)
        try:
            order = sorted(range(self.size), key=[key(name) for name in names].__getitem__)
        except TypeError as error:
            raise DataError("id-type", "names of lists of one type", got="several", hint="convert them, for example to str") from error  # fmt: skip
        return tuple(names[i] for i in order), {name: column[order] for name, column in columns.items()}


@dataclass(slots=True)
class KeptSums:
    """Exact sums of the values, in memory that does not grow."""

    summaries: Mapping[str, str]
    sums: dict[str, ExactSum] = field(default_factory=dict)
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Take in a batch."""
        for name, column in batch.columns.items():
            self.sums.setdefault(name, ExactSum()).add(summand(column, self.summaries.get(name, "mean")))
        self.size += batch.size

    def merge(self, other: KeptSums) -> None:
        """Take in what another kept."""
        for name, found in other.sums.items():
            self.sums.setdefault(name, ExactSum()).merge(found)
        self.size += other.size

    def copy(self) -> KeptSums:
        """Sums that can be added to without touching these."""
        found = KeptSums(self.summaries)
        found.merge(self)
        return found


@dataclass(slots=True)
class StreamTally:
    """Warnings of all batches: how often, in how many of them, and one text, which does not depend on their order."""

    found: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def add(self, warnings: Iterable[Warned]) -> None:
        """Count the warnings of one batch."""
        for w in warnings:
            self._count(w.slug, w.count, 1, w.text)

    def merge(self, other: StreamTally) -> None:
        """Count those of another."""
        for slug, (count, batches, text) in other.found.items():
            self._count(slug, count, batches, text)

    def _count(self, slug: str, count: int, batches: int, text: str) -> None:
        before = self.found.get(slug, (0, 0, text))
        self.found[slug] = (before[0] + count, before[1] + batches, min(before[2], text))

    def warnings(self) -> tuple[Warned, ...]:
        """One for each kind, in the order of their slugs."""
        return tuple(
            Warned(slug, count, text if batches == 1 else f"{count} in {batches} batches, such as: {text}")
            for slug, (count, batches, text) in sorted(self.found.items())
        )


def refuse_repeated(names: Sequence[Id]) -> None:
    """An error where lists come a second time."""
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise DataError("duplicate-query", "every query in one batch, whole", got=f"{shown(names[0])}{more} a second time", value=names[0],
                        hint="put all items of a query into one batch; reset() begins anew")  # fmt: skip
