"""`ComparisonSettings`: the test and the correction of a comparison, and what its intervals hold for."""

from __future__ import annotations

from dataclasses import dataclass

from judged.stats.multiple.corrections import CORRECTIONS
from judged.stats.paired.registry import TESTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """The test and the correction of a comparison, from which intervals and verdicts follow.

    `test` is the one that was used, and `remarks` says why if another one was chosen. `tests` and `slice_tests` are the
    numbers of tests that are corrected together: over all queries, and over slices.
    """

    test: str
    correction: str
    alpha: float
    margin: float
    min_queries: int
    resamples: int | None
    seed: int
    clusters: int | None = None  # number of clusters of queries
    weighted: bool = False  # queries have weights
    model: bool = False  # human judgments of some queries, and those of a model of all
    tests: int = 0
    slice_tests: int = 0
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        drawn = f", {self.resamples:,} resamples" if self.resamples else ""
        drawn += f", {self.clusters:,} clusters of queries" if self.clusters else ""
        drawn += ", weighted queries" if self.weighted else ""
        drawn += ", human judgments with the help of a model's" if self.model else ""
        over = f"{self.tests:,} tests (pairs × measures)"
        over += f", slices over {self.slice_tests:,} (pairs × measures × slices)" if self.slice_tests else ""
        alone = self.correction == "none" or max(self.tests, self.slice_tests) <= 1
        corrected = "no correction" if alone else f"{self.correction} correction over {over}"
        margin = f", margin {self.margin:g}" if self.margin else ""
        seed = f", seed {self.seed}" if "seed" in TESTS.find(self.test).options else ""
        return f"{self.test} test{drawn}, {corrected}, alpha {self.alpha:g}{margin}{seed}"

    def interval_name(self, *, slices: bool = False) -> str:
        """The head of the column of intervals, which says what their confidence level holds for."""
        tests = self.slice_tests if slices else self.tests
        share = f"{round(100 * (1 - self.alpha), 6):g}% interval"
        if self.correction == "none" or tests <= 1:
            return share
        return f"simultaneous {share}" if CORRECTIONS.find(self.correction).level else "interval at its level"

    @property
    def about_intervals(self) -> str:
        """A sentence on the confidence level of the intervals of differences; empty for a single test."""
        name, share = self.interval_name(), f"{round(100 * (1 - self.alpha), 6):g}%"
        if name.startswith("simultaneous"):
            return f"all {self.tests:,} intervals hold at once with a confidence of {share}"
        if name == f"{share} interval":
            return ""
        return f"intervals are at the level at which {self.correction} tests each pair"
