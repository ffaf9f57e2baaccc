"""Write `docs/explanations/error_rates.md`: `python -m simulations [scale] [section …]`, where 1 is the published page and 0.05 a quick look."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from simulations import families, gate, others, pairs, units
from simulations.table import SimulatedTable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanations" / "error_rates.md"

HEAD = """# Error rates, measured

How often does a 5% test find a difference between equal systems? How often does a 95% interval contain the true value? The tables on this page were simulated with the
functions that `judged` uses, on values of real TREC systems (TREC-8 ad hoc and Web 2011 topics; Urbano, Lima and Hanjalic, SIGIR 2019) and on generated data. `make simulate` regenerates this page; the seeds are fixed.

Topics are drawn with replacement from 50 real ones, and each repetition draws another pair of systems. *Swapped*: the labels of the two systems are swapped at random for each query, so the systems are exchangeable. *Recentred*: real
differences less their mean. *Reweighted*: topics drawn with weights under which the mean difference is 0, which keeps the values of discrete measures. *Tied*: only a tenth, or a twentieth, of the queries changes.
*Weak systems too*: the lowest quarter of the systems is left out elsewhere, but not here. *Thin pools*: reweighted, and each system has its value on a fifth of the queries, and 0 on the others, as if its documents were unjudged.

A figure **meets** its goal if the 95% interval of the simulated rate is within the goal. It **misses** it, and is in **bold**, if the interval is outside. Otherwise it is **not decided**, and has a question mark: there are too few repetitions to tell, or the rate is at the
edge of the goal. The goal applies to real measures and 50 queries or more; tables without a goal have no marks.

Type-I errors of `t` are from 100,000 repetitions, its coverage and its errors with weights and clusters from 20,000, failures of the gate from 50,000, and other figures from 200 to 5,000, clicks from 30 to 500; above 250 queries there are fewer. One standard error of a
rate of 5% is 0.07 points with 100,000 repetitions, 0.15 with 20,000, and 1 point with 500. `make simulate SIMULATE=4` has four times as many.
"""

SECTIONS: tuple[tuple[str, str, Callable[[float], Iterable[SimulatedTable]]], ...] = (
    ("Type-I error of one comparison", "Nominal 5%, goal 4.5% to 5.5%. `t` is the default.", pairs.type_one_errors),
    (
        "Coverage of intervals of a difference",
        "Nominal 95%, goal 94% to 96%. `t` is the default.",
        pairs.coverage_of_differences,
    ),
    (
        "Coverage of intervals of a mean",
        "`t` is the default; a measure that is 0 or 1 for every query has Wilson's interval.",
        pairs.coverage_of_means,
    ),
    (
        "Tables of several runs",
        "The default is Bonferroni's correction over the pairs of a measure, with intervals at the same level. `max` uses the permutation test; where systems differ in shape it finds too much.",
        families.family_wise_errors,
    ),
    ("Weights and clusters", "Nominal 5%, goal 4.5% to 5.5%.", units.tables),
    (
        "Seeds and judges",
        "`variance`, 50 queries: intervals of a difference for other queries, judges and seeds. They are wide rather than short with two judges or seeds.",
        units.seeds_and_judges,
    ),
    ("Several measures", "", families.families_of_measures),
    ("Contradictions", "Better or worse exactly if the interval excludes 0.", families.contradictions),
    (
        "Leaderboards",
        "Nominal: at most 5% of boards of equal systems separated, goal at most 5.5%; sets of ranks at least 95%, goal 94.5%.",
        families.leaderboards,
    ),
    (
        "Quality gate",
        "See [the quality gate](../guides/gate.md) for the modes. Nominal: at most 5% false failures in mode `significant`, and 2.5% false passes in mode `sure`; goals 5.5% and 3%.",
        gate.tables,
    ),
    ("Clicks", "Goals: coverage 94% to 96%, false findings at most 5.5%.", others.clicks),
    ("Agreement, classification", "Goal 94% to 96%.", others.the_rest),
)


def main(scale: float, titles: Sequence[str] = (), page: Path = PAGE) -> None:
    """Simulate every section, or those whose title begins with one of the words, and write them into the page."""
    old = page.read_text(encoding="utf-8").split("\n## ")[1:] if page.exists() else []
    texts = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in old}
    for title, intro, tables in SECTIONS:
        if titles and not title.lower().startswith(tuple(word.lower() for word in titles)):
            continue
        start = time.time()
        lines = [f"## {title}", "", *([intro, ""] if intro else [])]
        for table in tables(scale):
            lines += list(table.markdown())
            lines += [table.summary(), ""] if table.summary() else []
        texts[title] = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
        page.write_text("\n".join([HEAD, *(texts[t] for t, _, _ in SECTIONS if t in texts)]), encoding="utf-8")
        print(f"{title}: {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, sys.argv[2:])
