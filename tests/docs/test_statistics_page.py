"""The error rates that the page on statistics quotes are those of the page with all of them."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "explanations"


def table(lines: list[str]) -> dict[str, list[str]]:
    cells = ([cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    return {name: values for name, *values in cells}


def test_the_quoted_error_rates_are_those_that_were_simulated():
    rates = (PAGES / "error_rates.md").read_text(encoding="utf-8")
    quoted = (PAGES / "statistics.md").read_text(encoding="utf-8")
    header, *rows = re.search(r"\| differences between equal runs .*?\n\n", quoted, re.DOTALL)[0].strip().split("\n")
    tests = [cell.strip(" `") for cell in header.strip("|").split("|")][1:]
    simulated = {}
    for test in tests:
        part = rates.split(f"*Type-I error of `{test}`, %*\n\n", 1)[1].split("\n\n")[0]
        found = table(part.split("\n"))
        at = found["differences"].index("n = 50")
        simulated[test] = {name: f"{values[at].removesuffix(' ?')}%" for name, values in found.items()}
    shown = table(rows[1:])
    assert len(shown) == 5
    for name, values in shown.items():
        assert values == [simulated[test][name] for test in tests]
