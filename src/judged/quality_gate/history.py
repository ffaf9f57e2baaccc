"""`BuildHistory`: the builds of a gate in a JSON Lines file, over which its error is controlled.

The first line has alpha and the anchor, with its values per query; each other line is a build. Each line has a checksum of itself
and of that of the line before, so lines that were edited, removed or added are found. Build k may use
alpha · 6/(π² k²), and these shares add up to alpha, so the chance of any wrong decision in all builds is at most alpha,
whatever the builds have in common (the same queries, mostly the same system).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._version import __version__
from judged.errors import DataError, Place, UsageError, shown
from judged.io.files.atomic import write_atomically
from judged.io.files.source import read_text
from judged.quality_gate.baseline import Baseline, parse_baseline
from judged.tables.text import plain_data

if TYPE_CHECKING:
    from judged.quality_gate.drops import Losses
    from judged.quality_gate.reasons import Reason
    from judged.quality_gate.rules import Rules

_FORMAT = 2
_NEW = "begin a new history in another file"


def spent(alpha: float, build: int) -> float:
    """The part of alpha that a build may use; all parts add up to alpha.

    >>> round(sum(spent(0.05, k) for k in range(1, 100_000)), 4)
    0.05
    """
    return alpha * 6 / (math.pi * build) ** 2


@dataclass(frozen=True, slots=True)
class Build:
    """A build of a history: its number and the level that it may use of alpha.

    The number is 0 if no query changed: such a build cannot fail by chance, and uses nothing of alpha.
    """

    number: int
    alpha: float
    whole: float
    fingerprint: str
    repeated: bool = False  # it was decided before

    def __str__(self) -> str:
        again = ", decided before" if self.repeated else ""
        which = f"build {self.number} of the history" if self.number else "a build that is not counted in the history"
        return f"{which}{again}: alpha {self.alpha:.2g}, and {self.whole:g} over all builds"


@dataclass(frozen=True, slots=True)
class BuildHistory:
    """The anchor and the builds of a file; a file that does not exist or is empty has none."""

    path: str
    alpha: float
    qrels: str  # SHA-256 of the judgments
    anchor: Baseline | None = None
    anchor_name: str = "anchor"
    builds: tuple[dict[str, Any], ...] = ()
    text: str = ""
    checksum: str = ""  # of the last line

    @classmethod
    def read(cls, path: str | os.PathLike[str], rules: Rules, qrels: str, inputs: Iterable[Any]) -> BuildHistory:
        """Read a history; raise if it is of other judgments, measures, another alpha or version, or is one of the inputs."""
        name = os.fspath(path)
        for other in inputs:
            if isinstance(other, str | os.PathLike) and _same(name, other):
                problem = f"the history would overwrite the input {os.fspath(other)}"
                raise UsageError("history", problem, hint="choose another file", value=name)
        text = read_text(name) if Path(name).exists() else ""
        if not text.strip():
            return cls(name, rules.alpha, qrels)
        lines = text.splitlines()
        head = _record(lines[0], name, 1, {"judged-history": int, "alpha": float, "name": str, "anchor": dict})
        anchor = parse_baseline(json.dumps(head["anchor"]), name)
        kinds = {"build": int, "alpha": float, "fingerprint": str, "passed": bool}
        builds = tuple(_record(line, name, i, kinds) for i, line in enumerate(lines[1:], 2))
        whole = text if text.endswith("\n") else f"{text}\n"
        last = str((builds[-1] if builds else head).get("checksum"))
        found = cls(name, rules.alpha, qrels, anchor, head["name"], builds, whole, last)
        found._check(head, rules)
        found._check_lines([head, *builds])
        return found

    def _check_lines(self, records: Sequence[dict[str, Any]]) -> None:
        before = ""
        for number, record in enumerate(records, 1):
            content = {key: value for key, value in record.items() if key != "checksum"}
            if record.get("checksum") != (before := _checksum(content, before)):
                problem = "the line does not match its checksum: the history was edited"
                raise DataError("history", problem, where=Place(self.path, number), hint=_NEW)

    def _check(self, head: dict[str, Any], rules: Rules) -> None:
        assert self.anchor is not None
        pairs: tuple[tuple[str, Any, Any], ...] = (
            ("format", head["judged-history"], _FORMAT),
            ("version of judged", self.anchor.version, __version__),
            ("judgments", self.anchor.qrels, self.qrels),
            ("measures", " ".join(sorted(self.anchor.values.columns)), " ".join(sorted(rules.measures))),
            ("alpha", head["alpha"], rules.alpha),
        )
        for what, old, new in pairs:
            if old != new:
                old, new = (f"SHA-256 {str(x)[:12]}…" if what == "judgments" else x for x in (old, new))
                problem = f"the history has another {what}: {old}, now {new}"
                problem = problem.replace("another judgments", "other judgments").replace("another meas", "other meas")
                raise DataError("history", problem, where=Place(self.path, 1), hint=_NEW)

    def begin(self, losses: Sequence[Losses], mode: str, test: str) -> Build:
        """The build of these losses: a new one, or the one that was decided by the same losses and bounds."""
        digest = hashlib.sha256(f"{mode}\0{test}".encode())
        for one in losses:
            digest.update(f"{one.rule}\0{one.row.measure}\0{one.row.part}\0{one.allowed!r}".encode())
            digest.update(np.ascontiguousarray(one.losses + 0.0, "<f8").tobytes())
            digest.update(b"" if one.cheap is None else np.ascontiguousarray(one.cheap.values + 0.0, "<f8").tobytes())
            digest.update(b"" if one.clusters is None else np.ascontiguousarray(one.clusters, "<i8").tobytes())
        fingerprint = digest.hexdigest()
        for old in self.builds:
            if old["fingerprint"] == fingerprint:
                return Build(old["build"], old["alpha"], self.alpha, fingerprint, repeated=True)
        number = 1 + max((old["build"] for old in self.builds), default=0)
        counts = mode == "sure" or any(one.losses.any() for one in losses)
        return Build(number if counts else 0, spent(self.alpha, number), self.alpha, fingerprint)

    def save(
        self, build: Build, baseline: Baseline, names: tuple[str, str], reasons: Sequence[Reason], passed: bool
    ) -> None:
        """Add a build to the file, atomically. A build that was decided before is not added again."""
        if build.repeated:
            return
        text, before = self.text, self.checksum
        if self.anchor is None:
            head = {
                "judged-history": _FORMAT,
                "alpha": self.alpha,
                "name": names[0],
                "anchor": json.loads(baseline.to_json()),
            }
            text, before = _line(head, "")
        drops = [
            {
                "rule": r.rule,
                "measure": r.measure,
                "slice": r.slice,
                "drop": r.observed,
                "allowed": r.allowed,
                "low": r.low,
                "high": r.high,
                "p": r.p,
                "passed": r.passed,
            }
            for r in reasons
            if r.rule in ("max_drop", "max_total_drop") and not r.skipped
        ]
        record = {
            "build": build.number,
            "alpha": build.alpha,
            "baseline": names[0],
            "candidate": names[1],
            "fingerprint": build.fingerprint,
            "passed": passed,
            "drops": drops,
        }
        with write_atomically(self.path) as file:
            file.write(text + _line(record, before)[0])


def _line(record: dict[str, Any], before: str) -> tuple[str, str]:
    """A line with its checksum, and the checksum, which depends on that of the line before."""
    content = plain_data(record)
    checksum = _checksum(content, before)
    return json.dumps({**content, "checksum": checksum}, allow_nan=False, separators=(",", ":")) + "\n", checksum


def _checksum(content: dict[str, Any], before: str) -> str:
    return hashlib.sha256(f"{before}\0{json.dumps(content, sort_keys=True)}".encode()).hexdigest()


def _record(line: str, path: str, number: int, kinds: dict[str, Any]) -> dict[str, Any]:
    where = Place(path, number)
    try:
        record = json.loads(line)
    except ValueError as error:
        raise DataError("history", f"not a line of a history: {error}", where=where, hint=_NEW) from error
    if not isinstance(record, dict):
        raise DataError("history", f"not a line of a history: {shown(record)}", where=where, hint=_NEW)
    for key, kind in kinds.items():
        value: Any = record.get(key)
        if type(value) is not kind or (kind is float and not 0 < value < 0.5) or (kind is int and value < 0):
            problem = f"not a line of a history: {key} is {'missing' if key not in record else shown(value)}"
            raise DataError("history", problem, where=where, hint=_NEW)
    return record


def _same(path: str, other: str | os.PathLike[str]) -> bool:
    a, b = Path(path), Path(other)
    return a.exists() and b.exists() and a.samefile(b)
