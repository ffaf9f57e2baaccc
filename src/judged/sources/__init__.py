"""Reading and writing: judgments and rankings in any form, to and from columns."""

from judged.sources._file import read_text, write_atomically
from judged.sources.read import open_run, read_qrels, read_run
from judged.sources.sample import sample_path
from judged.sources.write import convert, write_qrels, write_run

__all__ = [
    "convert",
    "open_run",
    "read_qrels",
    "read_run",
    "read_text",
    "sample_path",
    "write_atomically",
    "write_qrels",
    "write_run",
]
