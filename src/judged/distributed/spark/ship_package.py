"""judged itself as an archive, sent along to workers that have none."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from judged.core.numeric.native import NATIVE
from judged.io.tables.spark_frames import talking

__all__ = ["shipped"]

_AWAY = {"__pycache__", "cli", "page", "sample", "integrations"}  # what no worker needs
_sent: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def shipped(session: Any) -> str:
    """The folder of judged among the files of a session; sent when it is first asked for."""
    if session not in _sent:
        archive = _archive()
        with talking():
            session.addArtifact(f"{archive}#{archive.stem}", archive=True)
        _sent[session] = archive.stem
    return _sent[session]


@cache
def _archive() -> Path:
    """The package as a zip, with its native library. Workers fetch it as long as the session lives."""
    files = sorted(_files().items())
    digest = hashlib.blake2b(digest_size=8)
    for name, path in files:
        digest.update(name.encode() + b"\0" + path.read_bytes())
    folder = tempfile.mkdtemp(prefix="judged-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = Path(folder) / f"judged-{digest.hexdigest()}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, path in files:
            made.write(path, name)
    return archive


def _files() -> dict[str, Path]:
    """What the archive holds: names there, and where they lie here."""
    root = Path(import_module("judged").__file__ or "").parent
    found = {
        f"judged/{path.relative_to(root).as_posix()}": path
        for path in root.rglob("*")
        if path.is_file() and not _AWAY & set(path.relative_to(root).parts)
    }
    if NATIVE:  # it may lie elsewhere, where judged is worked on
        library = Path(import_module("judged.core._native").__file__ or "")
        found[f"judged/core/{library.name}"] = library
    return found
