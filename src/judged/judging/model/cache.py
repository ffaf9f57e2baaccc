"""Answers that were given already, in an SQLite file, so that a run that was interrupted continues where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from dataclasses import dataclass

from judged.errors import FileError


@dataclass(frozen=True, slots=True)
class Answer:
    """Words of a model, and the tokens that it read and wrote, if they are known."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


def key_of(*parts: object) -> str:
    """Return the key of an answer: a hash of all its inputs."""
    return hashlib.sha256(
        json.dumps(parts, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")
    ).hexdigest()


class Cache:
    """Answers by key. Without a path they are kept in memory; each is written to disk at once. Any number of threads may use it."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._lock = threading.Lock()
        self._path = ":memory:" if path is None else os.fspath(path)
        try:
            self._file = sqlite3.connect(self._path, check_same_thread=False, timeout=60)
            with self._file:
                self._file.execute(
                    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, text TEXT, tokens_in INTEGER, tokens_out INTEGER)"
                )
        except sqlite3.Error as error:
            hint = "name another file, or a folder that exists"
            raise FileError("cache", f"cannot use the cache: {error}", where=self._path, hint=hint) from error

    def get(self, key: str) -> Answer | None:
        """Return the answer of a key, if there is one."""
        with self._lock:
            row = self._file.execute("SELECT text, tokens_in, tokens_out FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else Answer(*row)

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer."""
        try:
            with self._lock, self._file:
                row = (key, answer.text, answer.tokens_in, answer.tokens_out)
                self._file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise FileError("cache", f"cannot write the cache: {error}", where=self._path) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()
