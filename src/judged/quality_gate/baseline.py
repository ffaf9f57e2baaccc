"""`Baseline`: a saved result, with hashes of its inputs; and the history of builds, whose first line holds the first baseline."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from judged._version import __version__
from judged.core.tables import Qrels
from judged.errors import DataError, FileError, Hint, Place, Warned
from judged.evaluation.saved_values import load_saved, values_arguments, with_checksum
from judged.evaluation.values import Values
from judged.io.atomic import write_atomically
from judged.io.files import open_content, raise_file_error, read_text
from judged.io.fingerprint import content_of, file_hash
from judged.tables.table import plain_data

_INPUTS = ("version", "qrels", "qrels_file", "run_file")  # what a file has beside the values
_SAVED = re.compile(r'\ufeff?\s*(\[\s*)?\{\s*"judged"\s*:')


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Values per query with their policy, and hashes of the judgments and of the run.

    The same inputs give the same bytes: the file contains no date and no machine name.
    """

    values: Values
    version: str | None = None  # of judged; None if the file has none
    qrels: str | None = None  # SHA-256 of the judgments, in any format, and of those of a model; see `content_of`
    qrels_file: str | None = None  # SHA-256 of the file; None for judgments in memory
    run_file: str | None = None

    @classmethod
    def of(cls, values: Values, qrels: Qrels, qrels_source: Any = None, run_source: Any = None) -> Baseline:
        """Make a baseline of values; sources that are files are hashed."""
        return cls(values, __version__, content_of(qrels), file_hash(qrels_source), file_hash(run_source))

    def to_json(self) -> str:
        """`Values.to_json` with the inputs, one value per line, so that versions can be compared."""
        data = json.loads(self.values.to_json())
        inputs = {name: getattr(self, name) for name in _INPUTS}
        data = with_checksum({"judged": data.pop("judged"), "inputs": inputs, **data})
        return json.dumps(data, indent=1, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, atomically; `jd.load` reads its values."""
        with write_atomically(path, inputs=self.values.input_files) as file:
            file.write(self.to_json())

    def warnings(self, qrels: Qrels, *, allow_changed: bool) -> tuple[Warned, ...]:
        """Warnings of a comparison with these judgments; raise if the baseline has different ones, unless this is allowed."""
        said = []
        if self.version is not None and self.version != __version__:
            said.append(f"the baseline was made by judged {self.version}; this is {__version__}")
        if self.qrels is None:
            said.append("the baseline does not record its judgments; they may be different ones")
        elif (now := content_of(qrels)) != self.qrels:
            if not allow_changed:
                changed = f"SHA-256 {self.qrels[:12]}…, now {now[:12]}…"
                problem = f"the baseline ({self.values.names[1]}) has different judgments: {changed}"
                allow = Hint(
                    "save the baseline again, or accept it with {allow_changed_judgments}", allow_changed_judgments=True
                )
                raise DataError("incomparable", problem, where=qrels.name, hint=allow)
            said.append("the baseline has different judgments, which may explain a difference")
        return tuple(Warned("baseline", 1, text) for text in said)


def read_baseline(source: Any) -> Baseline | None:
    """Read a saved result, see `Values.save`; None if the source is a run."""
    if isinstance(source, Baseline):
        return source
    if isinstance(source, Values):
        return Baseline(source)
    if (
        not isinstance(source, str | os.PathLike)
        or source == "-"
        or not (Path(source).is_file() or ".json" in Path(source).suffixes)
    ):
        return None  # also a pipe, which can be read only once
    with open_content(source) as content:
        head = bytes(content.head).decode("utf-8", "replace")
    return parse_baseline(read_text(source), os.fsdecode(source)) if _SAVED.match(head) else None


def parse_baseline(text: str, name: str) -> Baseline:
    """Read the text of a saved result."""
    data = load_saved(text, name)
    values, inputs = Values(**values_arguments(data, name)), data.get("inputs", {})
    return Baseline(values, *map(inputs.get, _INPUTS))


# ── the history of builds ────────────────────────────────────────────────────────────────────────


def read_anchor(path: str | os.PathLike[str]) -> tuple[str, Baseline] | None:
    """Return the name and the values of the first baseline of a history; None if the file is missing or empty."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            _lock(file)  # another gate may be writing the first line
            head = file.readline()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise_file_error(os.fspath(path), error)
    if not head.strip():
        return None
    try:
        data = json.loads(head)
        return data["name"], parse_baseline(json.dumps(data["anchor"]), os.fspath(path))
    except (ValueError, TypeError, KeyError) as error:
        hint = "begin a new history in another file"
        raise DataError(
            "values-file", "not the first line of a history", where=Place(os.fspath(path), 1), hint=hint
        ) from error


def append_build(path: str | os.PathLike[str], name: str, anchor: Baseline, build: dict[str, Any]) -> int:
    """Append a build to a history, after its first line if the file is new, and return its number, from 1.

    The file is locked meanwhile, so that gates that run at once lose no build.
    """
    try:
        with Path(path).open("a+", encoding="utf-8", newline="\n") as file:
            _lock(file)
            file.seek(0)
            text = file.read()
            number = max(len(text.splitlines()), 1)
            if text and not text.endswith("\n"):  # a write that did not end
                file.write("\n")
            head = {"judged-history": 3, "name": name, "anchor": json.loads(anchor.to_json())}
            for record in ([] if text else [head]) + [{"build": number, **build}]:
                file.write(json.dumps(plain_data(record), allow_nan=False, separators=(",", ":")) + "\n")
    except OSError as error:
        raise FileError(
            "io", f"cannot append to the history: {error.strerror or error}", where=os.fspath(path)
        ) from error
    return number


def _lock(file: IO[str]) -> None:
    """Wait for an exclusive lock of an open file, which ends when the file is closed."""
    if os.name == "nt":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
