"""The bibliography: papers by key, as BibTeX and in short form.

Declarations hold keys, separated by blanks (`paper="cohen1960 cohen1968"`); people see `short_form(paper)`. A user's own measure may have
a text instead, which is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}\n")
_FIELD = re.compile(r"  (\w+) = \{(.*)\},\n")


class Reference(NamedTuple):
    """A paper: its key, the kind of entry and its fields, as BibTeX has them."""

    key: str
    kind: str
    fields: dict[str, str]
    short: str  # authors, venue and year: `Järvelin and Kekäläinen, TOIS 2002`; the title in place of an unnamed venue

    @property
    def bibtex(self) -> str:
        """The entry."""
        rows = [f"  {name} = {{{value}}},\n" for name, value in self.fields.items()]
        return f"@{self.kind}{{{self.key},\n{''.join(rows)}}}\n"


@cache
def references() -> dict[str, Reference]:
    """Every paper by its key, in the order of the file, which is that of keys."""
    from importlib.resources import files

    return parse_bibtex(files(__package__).joinpath("references.bib").read_text(encoding="utf-8"))


def parse_bibtex(text: str) -> dict[str, Reference]:
    """Read entries as `Reference.bibtex` writes them: one field per line, values in braces, a blank line between entries.

    The field `short` is ours: BibTeX does not know how people read authors and venue.
    """
    found = [(m[2], m[1], dict(_FIELD.findall(m[3]))) for m in _ENTRY.finditer(text)]
    assert text == "\n".join(m[0] for m in _ENTRY.finditer(text)), "a line that is no part of an entry"
    return {key: Reference(key, kind, fields, fields.pop("short", "")) for key, kind, fields in found}


def keys_in(paper: str) -> tuple[str, ...]:
    """Return the keys in the `paper` of a declaration; none for a text of a user's own measure."""
    words = tuple(paper.split())
    return words if words and all(word in references() for word in words) else ()


def short_form(paper: str) -> str:
    """Return the papers of a declaration in short form; a text that is not made of keys stays.

    >>> short_form("jarvelin2002 burges2005")
    'Järvelin and Kekäläinen, TOIS 2002; Burges et al., ICML 2005'
    """
    return "; ".join(references()[key].short for key in keys_in(paper)) or paper
