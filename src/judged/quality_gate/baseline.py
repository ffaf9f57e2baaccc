"""`Baseline`: a result to come back to, with what it was made from."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judged._version import __version__
from judged.core.tables import Qrels
from judged.errors import DataError, FileError, Warned
from judged.evaluation.result.storage import load
from judged.evaluation.result.values import Values
from judged.io.files.atomic import write_atomically
from judged.io.files.source import read_text
from judged.io.fingerprint import content_of, file_hash

__all__ = ["Baseline", "saved_result"]

_SAVED = re.compile(r'\s*(\[\s*)?\{\s*"judged"\s*:')
_AGAIN = "save it with `judged gate QRELS RUN --save FILE`"


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Values of each query, the policy they were computed under, and hashes of the judgments and of the run.

    It holds no date and no machine: the same inputs give the same bytes.
    """

    values: Values
    version: str | None = None  # of judged; None where the file does not say
    qrels: str | None = None  # SHA-256 of the judgments themselves, whatever form they came in, see `content_of`
    qrels_file: str | None = None  # SHA-256 of the bytes of the file, as sha256sum has it; None for what lay in memory
    run_file: str | None = None

    @classmethod
    def of(cls, values: Values, qrels: Qrels, qrels_source: Any = None, run_source: Any = None) -> Baseline:
        """The baseline that these values make; sources are hashed where they are files."""
        return cls(values, __version__, content_of(qrels), file_hash(qrels_source), file_hash(run_source))

    def to_json(self) -> str:
        """What `Values.to_json` has, with the inputs; one value a line, so that versions of it can be compared."""
        data = json.loads(self.values.to_json())
        inputs = {
            "version": self.version,
            "qrels": self.qrels,
            "qrels_file": self.qrels_file,
            "run_file": self.run_file,
        }
        return json.dumps({"judged": data.pop("judged"), "inputs": inputs, **data}, indent=1, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it; the file appears whole or not at all. `jd.load` reads the values of it too."""
        with write_atomically(path) as file:
            file.write(self.to_json())

    def warnings(self, qrels: Qrels, *, allow_changed: bool) -> tuple[Warned, ...]:
        """What is doubtful about a comparison by these judgments; an error where they are others, unless that is allowed."""
        found = []
        name = self.values.names[1]
        if self.version is not None and self.version != __version__:
            found.append(
                Warned("baseline-version", 1, f"the baseline was made by judged {self.version}; this is {__version__}")
            )
        if self.qrels is None:
            found.append(
                Warned(
                    "baseline-unhashed", 1, "the baseline does not say what judgments it was made with: are they these?"
                )
            )
        elif (now := content_of(qrels)) != self.qrels:
            if not allow_changed:
                raise DataError(
                    "incomparable", f"the judgments that the baseline ({name}) was made with, SHA-256 {self.qrels[:12]}…",
                    got=f"others, {now[:12]}…", where=qrels.name, hint="save the baseline again, or --allow-changed-judgments",
                )  # fmt: skip
            found.append(
                Warned("judgments-changed", 1, "the baseline was made with other judgments: a difference may be theirs")
            )
        return tuple(found)


def saved_result(source: Any) -> Baseline | None:
    """The saved result that this is, or None: then it is a run."""
    if isinstance(source, Baseline):
        return source
    if isinstance(source, Values):
        return Baseline(source)
    if not isinstance(source, str | os.PathLike) or source == "-":
        return None
    path = Path(source)
    head = _head(path)
    if head.startswith(b"PAR1"):
        return _in_parquet(path)
    if not (head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) or ".json" in path.suffixes):
        return None
    text = read_text(path)
    return _read(text, str(source)) if _SAVED.match(text) else None


def _head(path: Path) -> bytes:
    try:
        if not path.is_file() and path.exists():
            return b""  # a pipe can be read once: it holds a run
        with path.open("rb") as file:
            return file.read(256)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(
            "io", "a file that can be read", got=reason, where=str(path), hint="check the path of the baseline"
        ) from error


def _read(text: str, name: str) -> Baseline:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DataError(
            "values-file", "a saved result", got=f"a part of one ({error})", where=name, hint="was the file cut off?"
        ) from error
    if isinstance(data, list):
        raise DataError("values-file", "one saved result", got=f"{len(data)}", where=name, hint=_AGAIN)
    if "values" not in data or "queries" not in data:
        raise DataError(
            "values-file",
            "a value for each query",
            got="means only",
            where=name,
            hint=f"{_AGAIN}, or `judged eval -q --format json`",
        )
    values, inputs = Values.from_json(text, name), data.get("inputs", {})
    if not isinstance(inputs, dict) or not all(v is None or isinstance(v, str) for v in inputs.values()):
        raise DataError(
            "values-file", "the version and the hashes of the inputs", got="something else", where=name, hint=_AGAIN
        )
    if len(set(values.queries)) < len(values.queries):
        raise DataError("values-file", "each query once", got="one of them twice", where=name, hint=_AGAIN)
    return Baseline(values, *(inputs.get(key) for key in ("version", "qrels", "qrels_file", "run_file")))


def _in_parquet(path: Path) -> Baseline | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except pa.ArrowInvalid:
        return None  # the reader of runs says what is wrong
    return Baseline(load(path)) if b"judged" in metadata else None
