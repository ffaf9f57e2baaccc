"""The split of an input that has several, such as a BEIR folder or predictions of MTEB: one is read, and none is chosen silently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judged.errors import DataError, Hint, Place, UsageError
from judged.io.tables.column_names import list_columns
from judged.registry import nearest_name


@dataclass(slots=True, repr=False, eq=False)
class Split:
    """The split that the caller named. `used` is True once an input has had it."""

    name: str
    used: bool = False

    def check_used(self) -> None:
        """Raise `split` if no input has splits."""
        if not self.used:
            raise UsageError(
                "split", "no input has splits", hint=Hint("omit {split}", split=self.name), value=self.name
            )


def choose_split(names: Sequence[str], split: Split | None, where: Place) -> str:
    """Return the name of the split to read: the only one, or the one that the caller named.

    Args:
        names: of the splits that the input has, such as `test` or `default/test`.
        split: the caller's, by its whole name or by one part of it.
        where: the input, for messages.
    """
    if split is None:
        if len(names) == 1:
            return names[0]
        usual = next((name for name in names if name.rpartition("/")[2] == "test"), names[0])
        hint = Hint("choose one with {split}", split=usual)
        raise DataError("split", f"several splits: {list_columns(names)}", where=where, hint=hint)
    split.used = True
    if split.name in names:
        return split.name
    fitting = [name for name in names if split.name in name.split("/")]
    last = split.name.rpartition("/")[2]  # of an input without subsets, beside one that has them
    fitting = fitting or [name for name in names if name == last]
    if len(fitting) == 1:
        return fitting[0]
    problem = f"several splits are called {split.name!r}" if fitting else f"no split {split.name!r}"
    parts = {part: name for name in reversed(names) for part in (*name.split("/"), name)}
    near = parts.get(nearest_name(split.name, parts) or "", names[0])
    hint = Hint("use {split}", split=fitting[0] if fitting else near)
    raise DataError(
        "split", f"{problem}; the splits are {list_columns(names)}", where=where, hint=hint, value=split.name
    )
