"""A gate in the form that somebody asked for: text, a job summary in Markdown, JUnit XML, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

from judged.errors import safe
from judged.quality_gate.result import Gate
from judged.quality_gate.tables import difference_table, reason_table, text, worse_tables
from judged.tables.formats.markdown import table_markdown

__all__ = ["GATES", "render_gate"]


def render_gate(gate: Gate, form: str, *, places: int = 4) -> str:
    """A gate as text that ends with a newline."""
    return GATES[form](gate, places)


def _text(gate: Gate, places: int) -> str:
    return text(gate, places=places) + "\n"


def _json(gate: Gate, places: int) -> str:
    return json.dumps(json.loads(gate.to_json()), indent=2, allow_nan=False) + "\n"


def _markdown(gate: Gate, places: int) -> str:
    """A job summary: the verdict and the reasons; the figures behind them folded, unless it failed."""
    parts = [f"## judged gate: {'PASS' if gate.passed else 'FAIL'}", table_markdown(reason_table(gate))]
    if gate.comparison is not None:
        figures = table_markdown(difference_table(gate, places=places))
        parts += ["### Differences", figures] if not gate.passed else [_folded("Differences", figures)]
    for table in worse_tables(gate, places=places):
        words, _, rest = table.title.partition(" got worse")
        parts.append(_folded(f"{words} got worse{rest}", table_markdown(table)))
    return "\n\n".join(parts) + "\n\n"  # what another step adds begins a new paragraph


def _folded(title: str, body: str) -> str:
    from html import escape

    return f"<details><summary>{escape(safe(title))}</summary>\n\n{body}\n\n</details>"


def _junit(gate: Gate, places: int) -> str:
    r"""One test case a rule, measure and slice, in the form that Jenkins, GitLab and others read (the schema of Jenkins' xUnit plugin, junit-10.xsd).

    Control characters, which XML cannot hold, are written out (`\x07`). There is no time in it: the same gate gives the same bytes.
    """
    from xml.etree import ElementTree as Xml

    counts = {
        "tests": str(len(gate.reasons)),
        "failures": str(len(gate.broken)),
        "errors": "0",
        "skipped": str(sum(r.skipped for r in gate.reasons)),
    }
    root = Xml.Element("testsuites", {"name": "judged gate", **{k: v for k, v in counts.items() if k != "skipped"}})
    suite = Xml.SubElement(root, "testsuite", {"name": "judged gate", **counts, "time": "0"})
    properties = Xml.SubElement(suite, "properties")
    for name, value in _facts(gate).items():
        Xml.SubElement(properties, "property", {"name": name, "value": safe(value)})
    for reason in gate.reasons:
        where = f"{reason.measure}, {reason.slice}" if reason.slice is not None else reason.measure
        case = Xml.SubElement(
            suite, "testcase", {"classname": f"judged.gate.{reason.rule}", "name": safe(where), "time": "0"}
        )
        words = safe(reason.words)
        if reason.skipped:
            Xml.SubElement(case, "skipped", {"message": words})
        elif not reason.passed:
            Xml.SubElement(case, "failure", {"message": words, "type": reason.rule}).text = "\n".join(
                [words, *_worst(gate, reason.measure)]
            )
        else:
            Xml.SubElement(case, "system-out").text = words
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _facts(gate: Gate) -> dict[str, str]:
    baseline, candidate = gate.names
    facts = {
        "candidate": candidate,
        "policy": str(gate.candidate.policy),
        "profile": gate.candidate.profile,
        "mode": gate.rules.mode,
    }
    warnings = {f"warning {i}": str(w) for i, w in enumerate(gate.warnings, 1)}
    return {**({} if baseline is None else {"baseline": baseline}), **facts, **warnings}


def _worst(gate: Gate, measure: str) -> list[str]:
    return [safe(f"{c.query}: {c.value_a:.4f} → {c.value_b:.4f}") for c in gate.worse.get(measure, ())]


GATES: dict[str, Callable[[Gate, int], str]] = {"table": _text, "md": _markdown, "json": _json, "junit": _junit}
