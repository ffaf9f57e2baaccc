"""Tests of paired differences: each is declared once, in the file of its function, and found by name.

The command line, the documentation, the page and all messages use `TESTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from judged._types import Floats
from judged.errors import UsageError
from judged.registry import Registry
from judged.stats.differences import Alternative, TestOutcome, pairwise


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """A test of differences d = b - a, queries × pairs.

    Args:
        name: the name by which it is chosen.
        aliases: other names.
        title: name in sentences.
        null: null hypothesis.
        assumes: assumptions of its p-values.
        paper: reference.
        function: computes a `TestOutcome` from differences.
        options: keyword options of the function, besides `alternative`.
        of_pairs: the same from values of queries × systems and pairs of columns, if that is faster.
        direction: direction of the tested quantity, per pair; None if it is that of the mean.
        flips_signs: True if the smallest p of n queries is 2 / 2ⁿ.
        corrects: True if the outcome has p-values corrected over all pairs (`max`).
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str
    null: str
    assumes: str
    paper: str
    function: Callable[..., TestOutcome]
    options: tuple[str, ...] = ()
    of_pairs: Callable[..., TestOutcome] | None = None
    direction: Callable[[Floats], Floats] | None = None
    flips_signs: bool = False
    corrects: bool = False

    def least_p(self, queries: int) -> float:
        """Return the smallest possible p-value for this number of queries; 0 without a bound."""
        return 2.0 ** (1 - queries) if self.flips_signs and queries else 0.0


TESTS: Registry[PairTest] = Registry(
    "test", modules=tuple(f"{__package__}.{m.name}" for m in iter_modules([str(Path(__file__).parent)]))
)


def outcome(
    d: Any, test: str | PairTest = "permutation", *, alternative: Alternative = "two-sided", **options: Any
) -> TestOutcome:
    """Test differences d = b - a, one column or queries × pairs.

    An option of None has the default of the test. All tests accept a seed; only random ones use it.

    Raises:
        UsageError: an unknown test, or an option that it does not have.

    >>> outcome([0.1, 0.2, 0.3, 0.4], "t").p.round(4)
    array([0.0305])
    """
    chosen = _find(test)
    return chosen.function(d, alternative=alternative, **_own_options(chosen, options))


def outcome_of_pairs(
    x: Any, pairs: Any, test: str | PairTest = "permutation", *, alternative: Alternative = "two-sided", **options: Any
) -> TestOutcome:
    """Test x[:, b] - x[:, a] for each row (a, b) of `pairs`; x holds values of queries × systems."""
    chosen = _find(test)
    own = _own_options(chosen, options)
    if chosen.of_pairs is not None:
        return chosen.of_pairs(x, pairs, alternative=alternative, **own)
    return chosen.function(pairwise(x, pairs)[2], alternative=alternative, **own)


def _find(test: str | PairTest) -> PairTest:
    return test if isinstance(test, PairTest) else TESTS.find(test)


def _own_options(test: PairTest, options: dict[str, Any]) -> dict[str, Any]:
    chosen = {name: value for name, value in options.items() if value is not None}
    for name in chosen:
        if name not in test.options and name != "seed":
            known = ", ".join(test.options)
            hint = f"choose one of {known}" if known else "leave it out"
            raise UsageError("option", f"the {test.title} has no option {name!r}", hint=hint, value=name)
    return {name: value for name, value in chosen.items() if name in test.options}
