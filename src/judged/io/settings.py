"""Settings in TOML files: `judged.toml`, or the table [tool.judged] of `pyproject.toml`."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from judged.errors import DataError

_SHARED = "pyproject.toml"  # also has settings of other programs


def find_settings() -> tuple[str, dict[str, Any]]:
    """Return the path and the content of the file that `JUDGED_CONFIG` names, or of the nearest one from the current folder upwards.

    Of two files in one folder, `judged.toml` wins. The path is empty if there is none, or if the variable is.
    """
    named = os.environ.get("JUDGED_CONFIG")
    if named is not None:
        return named, read_settings(named) if named else {}
    folder = ""
    with suppress(FileNotFoundError):  # the current folder was deleted
        for _ in range(os.getcwd().count(os.sep) + 1):
            for path in (f"{folder}judged.toml", f"{folder}{_SHARED}"):
                if os.path.isfile(path) and ((content := read_settings(path)) or not path.endswith(_SHARED)):
                    return path, content
            folder += "../"
    return "", {}


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the settings of judged in a TOML file; empty if it is a `pyproject.toml` without them."""
    shared = str(path).endswith(_SHARED)
    if shared:
        with open(path, "rb") as file:
            if b"judged" not in file.read():
                return {}
    import tomllib

    from judged.io.files import read_text

    text = read_text(path)

    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError("option", f"not TOML: {error}", where=str(path), hint="correct the file") from error
    for name in ("tool", "judged") if shared or content.keys() == {"tool"} else ():
        content = content.get(name, {})
        if not isinstance(content, dict):
            raise DataError("option", f"{name!r} is no table", where=str(path), hint="write it as [tool.judged]")
    return content
