"""The bibliography: papers by key, as BibTeX and in short form.

Declarations hold keys, separated by blanks (`paper="cohen1960 cohen1968"`); people see `short_form(paper)`. A user's own measure may have
a text instead, which is shown as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from unicodedata import normalize

_ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}\n")
_FIELD = re.compile(r"  (\w+) = \{(.*)\},\n")
_ACCENT = re.compile(r"""\{\\(["'`^~cv])\s*\{?(\\?\w)\}?\}""")
_MARKS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327", "v": "\u030c"}
_LETTERS = {"{\\o}": "ø", "{\\ss}": "ß", "\\&": "&", "--": "-", "~": " "}
_OURS = "venue"  # the journal or conference in short form, which BibTeX does not know
_MOST_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper: its key, the kind of entry and its fields, as BibTeX has them."""

    key: str
    kind: str
    fields: dict[str, str]

    @property
    def short(self) -> str:
        """Authors, venue and year: `Järvelin and Kekäläinen, TOIS 2002`; the title in place of an unnamed venue."""
        venue, year = self.fields.get(_OURS), self.fields.get("year")
        title = self.fields["title"].partition(":")[0]
        place = f"{venue} {year}" if venue else ", ".join(filter(None, (title, year)))
        return f"{self._authors}, {plain_text(place)}"

    @property
    def _authors(self) -> str:
        names = [plain_text(name.partition(",")[0]) for name in self.fields["author"].split(" and ")]
        if len(names) > _MOST_AUTHORS or names[-1] == "others":
            return f"{names[0]} et al."
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    @property
    def bibtex(self) -> str:
        """The entry, without a field of ours."""
        rows = [f"  {name} = {{{value}}},\n" for name, value in self.fields.items() if name != _OURS]
        return f"@{self.kind}{{{self.key},\n{''.join(rows)}}}\n"


@cache
def references() -> dict[str, Reference]:
    """Every paper by its key, in the order of the file, which is that of keys."""
    from importlib.resources import files

    return parse_bibtex(files(__package__).joinpath("references.bib").read_text(encoding="utf-8"))


def parse_bibtex(text: str) -> dict[str, Reference]:
    """Read entries as `Reference.bibtex` writes them: one field per line, values in braces, a blank line between entries."""
    found = [Reference(m[2], m[1], dict(_FIELD.findall(m[3]))) for m in _ENTRY.finditer(text)]
    assert text == "\n".join(m[0] for m in _ENTRY.finditer(text)), "a line that is no part of an entry"
    return {reference.key: reference for reference in found}


def plain_text(text: str) -> str:
    r"""Return text of BibTeX as people read it.

    >>> plain_text(r"J{\"a}rvelin \& {\v{S}}id{\'a}k, {TREC}")
    'Järvelin & Šidák, TREC'
    """
    text = _ACCENT.sub(lambda m: normalize("NFC", m[2].lstrip("\\") + _MARKS[m[1]]), text)
    for written, meant in _LETTERS.items():
        text = text.replace(written, meant)
    return text.replace("{", "").replace("}", "")


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
