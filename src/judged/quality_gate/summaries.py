"""A gate for continuous integration: a job summary for GitHub, and JUnit XML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from judged.errors import safe
from judged.quality_gate.tables import difference_table, reason_table, worse_tables
from judged.tables.formats.md import table_markdown

if TYPE_CHECKING:
    from judged.quality_gate.result import Gate


def github(gate: Gate, *, places: int = 4) -> str:
    """A job summary: the verdict and the reasons; the differences folded, unless the gate failed."""
    parts = [f"## judged gate: {'PASS' if gate.passed else 'FAIL'}", table_markdown(reason_table(gate))]
    if gate.comparison is not None:
        table = difference_table(gate, places=places)
        figures = table_markdown(table._replace(notes=(*table.notes, *(f"warning: {w}" for w in gate.warnings))))
        parts += ["### Differences", figures] if not gate.passed else [_fold("Differences", figures)]
    parts += [
        _fold(table.title, table_markdown(table._replace(title=""))) for table in worse_tables(gate, places=places)
    ]
    return "\n\n".join(parts) + "\n\n"  # the text of another step begins a new paragraph


def _fold(title: str, body: str) -> str:
    return f"<details><summary>{escape(safe(title))}</summary>\n\n{body}\n\n</details>"


def junit(gate: Gate) -> str:
    r"""One test case per rule, measure and slice, by the schema of Jenkins' xUnit plugin (junit-10.xsd).

    Control characters, which XML cannot contain, are escaped (`\x07`). It contains no time: the same gate gives the same bytes.
    """
    from xml.etree import ElementTree as Xml

    counts = {"tests": str(len(gate.reasons)), "failures": str(len(gate.broken)), "errors": "0"}
    skipped = {"skipped": str(sum(r.skipped for r in gate.reasons)), "time": "0"}
    root = Xml.Element("testsuites", {"name": "judged gate", **counts})
    suite = Xml.SubElement(root, "testsuite", {"name": "judged gate", **counts, **skipped})
    properties = Xml.SubElement(suite, "properties")
    for name, value in _properties(gate).items():
        Xml.SubElement(properties, "property", {"name": name, "value": safe(value)})
    for reason in gate.reasons:
        name = f"{reason.measure}, {reason.slice}" if reason.slice is not None else reason.measure
        about = {"classname": f"judged.gate.{reason.rule}", "name": safe(name), "time": "0"}
        case, words = Xml.SubElement(suite, "testcase", about), safe(reason.words)
        if reason.skipped:
            Xml.SubElement(case, "skipped", {"message": words})
        elif not reason.passed:
            worst = [safe(f"{c.query}: {c.value_a:.4f} → {c.value_b:.4f}") for c in gate.worse.get(reason.measure, ())]
            Xml.SubElement(case, "failure", {"message": words, "type": reason.rule}).text = "\n".join([words, *worst])
        else:
            Xml.SubElement(case, "system-out").text = words
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _properties(gate: Gate) -> dict[str, str]:
    baseline, candidate = gate.names
    properties = {} if baseline is None else {"baseline": baseline}
    properties |= {
        "candidate": candidate,
        "policy": str(gate.candidate.policy),
        "profile": gate.candidate.profile,
        "mode": gate.rules.mode,
    }
    return properties | {f"warning {i}": str(w) for i, w in enumerate(gate.warnings, 1)}
