"""Ship judged to workers that do not have it, as an archive."""

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
from judged.io.frames import talking

_EXCLUDED = {"__pycache__", "cli", "page", "sample", "integrations"}  # not needed on workers
_sent: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def ship(session: Any) -> str:
    """Send judged to the workers of a session, once, and return its folder among the files of the session."""
    if session not in _sent:
        archive = _archive()
        with talking():
            session.addArtifact(f"{archive}#{archive.stem}", archive=True)
        _sent[session] = archive.stem
    return _sent[session]


@cache
def _archive() -> Path:
    """Write the package, with its native library, as a zip file. Workers fetch it as long as the session lives."""
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
    """Return the names in the archive and the paths of the files."""
    files = {}
    for package in ("judged", "lazy_loader"):  # all that importing judged needs besides numpy
        root = Path(import_module(package).__file__ or "").parent
        for path in root.rglob("*"):
            inside = path.relative_to(root)
            if path.is_file() and not _EXCLUDED & set(inside.parts):
                files[f"{package}/{inside.as_posix()}"] = path
    if NATIVE:  # in another folder if judged is installed as editable
        library = Path(import_module("judged.core._native").__file__ or "")
        files[f"judged/core/{library.name}"] = library
    return files
