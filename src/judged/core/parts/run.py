"""Runs in parts: too large to be held, on many machines, or both. A rank is a count, and counts of parts add up.

Every part is looked through twice: once for the judged documents it holds (`core/looking.py`), and once, with those of all parts known, for
how many of its documents beat each of them (`core/counting.py`). Nothing is sorted and nothing is brought together but hits and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import EngineError, JudgedError, Place

if TYPE_CHECKING:
    from judged.core.parts.pass_one import LocatedHits, LocateHits

__all__ = [
    "ROW_BITS",
    "Item",
    "Part",
    "PartTask",
    "PartitionedRun",
    "Somewhere",
    "Task",
    "one_by_one",
    "place_of",
    "raise_errors",
]

Result = TypeVar("Result")


class Part(Protocol):
    """A part of a run, to be looked through where it lies as often as needed. It can be pickled, and is small."""

    @property
    def size(self) -> int:
        """How much there is to do, in bytes, about: what progress is told in."""
        ...

    def batches(self) -> Iterator[Run | UnreadRun]:
        """Its rows from the first to the last, the same each time; a batch has at least one, and is let go before the next is taken."""
        ...


Item = tuple[int, Part]  # a part with its number
Task = Callable[[Item], Any]


def one_by_one(task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The simplest way to carry out a task on every part."""
    return map(task, items)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PartitionedRun(UnreadRun):
    """A run in parts. `read` puts all of it into memory.

    Args:
        parts: the parts, in the order of the run; none where only `carry` knows them (the partitions of a table).
        carry: carries out a task on every part and hands back the results in the order of the parts; those of a task that has `together` may
            be added up on their way. Whatever does it, on whatever machines, and however often it has to begin again, it gives the same.
        whole: each query lies in one part: one look is enough, and repeated documents are all found.
        ordered: the rows have an order that means something; those of a table of a database have none.
        look: finds the judged documents in a better way than part by part, where there is one.
        gather: the same run with each query in one part.
    """

    parts: Sequence[Part] = ()
    carry: Callable[[Task, Sequence[Item]], Iterable[Any]] = one_by_one
    whole: bool = False
    ordered: bool = True
    look: Callable[[LocateHits], LocatedHits] | None = None
    gather: Callable[[], PartitionedRun] | None = None

    @property
    def carries_itself(self) -> bool:
        """Whether only its own `carry` can reach the parts."""
        return not self.parts

    def results(self, task: Task, tell: Callable[[int], object] | None = None) -> Iterator[Any]:
        """What the task gives for each part, in their order; `tell` hears how much is done by it."""
        items = list(enumerate(self.parts))
        sizes = np.cumsum([part.size for part in self.parts]).tolist()
        carried, count = self.carry(task, items), 0
        try:
            for result in carried:
                count += getattr(result, "parts", 1)
                yield result
                if tell is not None and 0 < count <= len(sizes):
                    tell(sizes[count - 1])
        finally:
            _close(carried)
        if items and count != len(items):  # a part that is lost, or counted twice, would change numbers
            raise EngineError("engine", f"a result for each of {len(items)} parts", got=str(count), where=self.name, hint="map(task, items) gives task(item) for every item, in their order")  # fmt: skip


ROW_BITS = (
    36  # of a position; the bits above them are the number of the part. Together 53: a position is exact as a double
)


class PartTask(Generic[Result]):
    """Something that is done to each part. It is sent to where the part lies without what it made for itself.

    An error of ours is a result like any other, whatever carries the task out: `raise_errors` raises it.
    """

    def __call__(self, item: Item) -> Result | JudgedError:
        number, part = item
        try:
            return self.on(part, number << ROW_BITS)
        except JudgedError as error:
            return error

    def on(self, part: Part, position: int) -> Result:
        """What the task gives for a part whose first row is at this position."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}  # type: ignore[arg-type]


def raise_errors(results: Iterable[Result | JudgedError]) -> Iterator[Result]:
    """The results, up to the first that is an error; then nothing more is done."""
    try:
        for result in results:
            if isinstance(result, JudgedError):
                raise result
            yield result
    finally:
        _close(results)


def _close(results: Any) -> None:
    """End what hands out results now, not when it is collected: it may have threads."""
    if hasattr(results, "close"):
        results.close()


@dataclass(frozen=True, slots=True)
class Somewhere:
    """Where a row is that came from far away: no more is known than the name of its run."""

    name: str

    def __call__(self, row: int) -> Place:
        return Place(self.name)


def place_of(parts: Sequence[Part], position: int, name: str) -> Place:
    """Where a row is; the batches of its part are read until it comes."""
    number, row = position >> ROW_BITS, position & ((1 << ROW_BITS) - 1)
    if number >= len(parts):
        return Place(f"{name}, partition {number}")
    for batch in parts[number].batches():
        run = batch.read() if isinstance(batch, UnreadRun) else batch
        if row < len(run):
            return run.where(row)
        row -= len(run)
    return Place(name)
