"""Find the judged documents of a partitioned run: two passes whose counts add up, or one if no query spans two partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from judged.core.find.hits import Hits
from judged.core.find.pool import IdPool
from judged.core.parts.one_pass import find_in_one_pass
from judged.core.parts.run import PartitionedRun
from judged.core.policy import Policy
from judged.core.tables import IdKind
from judged.errors import UsageError

Progress = Callable[[int, int], object]


def find_in_partitions(
    pool: IdPool, run: PartitionedRun, policy: Policy, kinds: tuple[IdKind, IdKind], progress: Progress | None
) -> Hits:
    """Find the judged documents and their ranks; bit-identical to `reference.find` on all rows.

    Raises:
        DataError: as `reference.find`; or a run that changed between the two passes.
    """
    check_order(policy, run.name, {"order": ("input",), "ties": ("input",)} if not run.partitions.ordered else {})
    once = find_in_one_pass(pool, run, policy, kinds, _progress_of(run, progress, 1))
    if once is not None:
        return once
    if run.partitions.whole or policy.repeats == "all":
        from judged.core.parts.whole_queries import find_whole_queries

        if run.partitions.whole:
            return find_whole_queries(pool, run, policy, kinds, progress)
        regrouped = replace(run, partitions=run.partitions.regroup())
        return find_whole_queries(pool, regrouped, policy, kinds, progress, regrouped=True)
    from judged.core.parts.two_passes import find_in_two_passes

    both = _progress_of(run, progress, 0), _progress_of(run, progress, 1)
    return find_in_two_passes(pool, run, policy, kinds, both)


def _progress_of(run: PartitionedRun, progress: Progress | None, number: int) -> Callable[[int], object] | None:
    """Progress of the first (0) or the second (1) of two passes."""
    size = sum(run.partitions.sizes)
    return None if progress is None else lambda done: progress(number * size + done, 2 * size)


def check_order(policy: Policy, name: str, needs_order: Mapping[str, tuple[str, ...]]) -> None:
    """Raise `order` if a policy has a value that needs the order of rows in a table that has none."""
    for option, values in needs_order.items():
        if (value := getattr(policy, option)) in values:
            raise UsageError(
                "order",
                f"{option}={value!r} needs the order of the rows, which a database table does not have",
                where=name,
                value=value,
            )
