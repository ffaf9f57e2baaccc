"""State of a stream: every value, or exact sums; and counts of warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.stream.exact_means import ExactSum, summand

COVERAGE = "judged@10"  # an additional column: the share of judged documents


@dataclass(frozen=True, slots=True)
class Batch:
    """Values of some lists, one column per measure. `names` is None for lists that are numbered in order of arrival."""

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
        """Add a batch, or raise and change nothing."""
        self._extend(batch.size, batch.names, [batch.columns])

    def merge(self, other: KeptValues) -> None:
        """Append the values of another stream."""
        self._extend(other.size, list(other.names) if other.names else None, other.parts)

    def _extend(self, size: int, names: Sequence[Id] | None, parts: Sequence[Mapping[str, Column]]) -> None:
        if not size:
            return
        if self.size and bool(self.names) != (names is not None):
            raise UsageError("layout", "some batches have a qid and others do not")
        check_repeated([name for name in names or () if name in self.names])
        self.names.update(dict.fromkeys(names or ()))
        self.parts.extend(parts)
        self.size += size

    def table(self, key: Callable[[Id], Any]) -> tuple[tuple[Id, ...], dict[str, Column]]:
        """All lists sorted by name, or in order of arrival if they have no names."""
        columns = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        if not self.names:
            return tuple(range(self.size)), columns
        names = list(self.names)
        try:
            order = sorted(range(self.size), key=[key(name) for name in names].__getitem__)
        except TypeError as error:
            raise DataError(
                "id-type", "names of lists have different types", hint="convert them, for example to str"
            ) from error
        return tuple(names[i] for i in order), {name: column[order] for name, column in columns.items()}


@dataclass(slots=True)
class KeptSums:
    """Exact sums of the values, in constant memory."""

    summaries: Mapping[str, str]
    sums: dict[str, ExactSum] = field(default_factory=dict)
    size: int = 0

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        for name, column in batch.columns.items():
            self.sums.setdefault(name, ExactSum()).add(summand(column, self.summaries.get(name, "mean")))
        self.size += batch.size

    def merge(self, other: KeptSums) -> None:
        """Add the sums of another stream."""
        for name, total in other.sums.items():
            self.sums.setdefault(name, ExactSum()).merge(total)
        self.size += other.size

    def copy(self) -> KeptSums:
        """An independent copy."""
        new = KeptSums(self.summaries)
        new.merge(self)
        return new


@dataclass(slots=True)
class StreamTally:
    """Warnings of all batches: their count, the number of batches, and one text that does not depend on the order of batches."""

    counts: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def add(self, warnings: Iterable[Warned]) -> None:
        """Count the warnings of one batch."""
        for w in warnings:
            self._count(w.slug, w.count, 1, w.text)

    def merge(self, other: StreamTally) -> None:
        """Add the counts of another tally."""
        for slug, (count, batches, text) in other.counts.items():
            self._count(slug, count, batches, text)

    def _count(self, slug: str, count: int, batches: int, text: str) -> None:
        before = self.counts.get(slug, (0, 0, text))
        self.counts[slug] = (before[0] + count, before[1] + batches, min(before[2], text))

    def warnings(self) -> tuple[Warned, ...]:
        """One warning per slug, sorted."""
        return tuple(
            Warned(slug, count, text if batches == 1 else f"{count} in {batches} batches, for example: {text}")
            for slug, (count, batches, text) in sorted(self.counts.items())
        )


def check_repeated(names: Sequence[Id]) -> None:
    """Raise if lists arrive a second time."""
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise DataError(
            "duplicate-query",
            f"query {shown(names[0])}{more} is in two batches",
            value=names[0],
            hint="put all items of a query into one batch, or call reset() to start again",
        )
