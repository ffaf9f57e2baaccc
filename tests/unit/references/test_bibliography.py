"""The bibliography: every paper is used, complete, and readable for BibTeX and for people."""

import re
import subprocess
from pathlib import Path
from unicodedata import normalize

import pytest
from for_each import for_each

from judged.citations import _PAPERS, _REGISTRIES
from judged.measures.registry import MEASURES
from judged.references import Reference, keys_in, parse_bibtex, references, short_form
from judged.stats.two_phase import PAPER

NEEDED = {
    "article": {"journal", "year"}, "inproceedings": {"booktitle", "year"}, "incollection": {"booktitle", "publisher", "year"},
    "book": {"publisher", "year"}, "techreport": {"institution", "year"}, "misc": {"howpublished"},
}  # fmt: skip
SHAPES = {
    "year": r"[12]\d{3}", "pages": r"\d+(:\d+)?--\d+(:\d+)?", "doi": r"10\.\d{4,}/[!-z]+", "volume": r"\d+", "author": r"[^,]+(, [^,]+)?( and [^,]+, [^,]+)*",
}  # fmt: skip


ACCENT = re.compile(r"""\{\\(["'`^~cv])\s*\{?(\\?\w)\}?\}""")
MARKS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327", "v": "\u030c"}
LETTERS = {"{\\o}": "ø", "{\\ss}": "ß", "\\&": "&", "--": "-", "~": " ", "{": "", "}": ""}


def plain_text(text: str) -> str:
    """Text of BibTeX as people read it."""
    text = ACCENT.sub(lambda m: normalize("NFC", m[2].lstrip("\\") + MARKS[m[1]]), text)
    for written, meant in LETTERS.items():
        text = text.replace(written, meant)
    return text


def authors(reference: Reference) -> str:
    """The family names of up to three authors, or of the first one."""
    names = [plain_text(name.partition(",")[0]) for name in reference.fields["author"].split(" and ")]
    if len(names) > 3 or names[-1] == "others":
        return f"{names[0]} et al."
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def declared() -> list[str]:
    """The papers of everything that is declared."""
    entries = [entry for registry in (MEASURES, *_REGISTRIES.values()) for entry in registry]
    return [
        *(entry.paper for entry in entries),
        *(key for papers in _PAPERS.values() for key in papers.values()),
        PAPER,
    ]


def test_every_declared_paper_is_in_the_bibliography():
    assert [paper for paper in declared() if paper and not keys_in(paper)] == []


def test_every_paper_of_the_bibliography_is_used():
    assert references().keys() - {key for paper in declared() for key in keys_in(paper)} == {"judged"}


@for_each("reference", references().values(), ids=references())
def test_an_entry_is_complete_and_in_ascii(reference):
    assert {"author", "title", *NEEDED[reference.kind]} <= reference.fields.keys()
    assert reference.bibtex.isascii()
    for name, shape in SHAPES.items():
        assert re.fullmatch(shape, reference.fields.get(name, "")) or name not in reference.fields, name
    family = plain_text(reference.fields["author"].partition(",")[0]).casefold()
    year = reference.fields.get("year", "")
    plain = "".join(letter for letter in normalize("NFD", family) if letter.isascii() and letter != " ")
    assert re.fullmatch(rf"{plain}{year}[a-z]?", reference.key) or reference.key == "judged"


@for_each("reference", references().values(), ids=references())
def test_the_short_form_names_the_authors_and_the_year(reference):
    assert reference.short.startswith(f"{authors(reference)}, ")
    assert reference.short.endswith(reference.fields.get("year", ""))


def test_the_entries_are_in_the_order_of_their_keys():
    assert list(references()) == sorted(references())


def test_what_is_written_can_be_read():
    for reference in references().values():
        read = parse_bibtex(reference.bibtex)[reference.key]
        assert read._replace(short=reference.short) == reference


def test_people_read_names_without_tex():
    forms = [reference.short for reference in references().values()]
    assert [form for form in forms if re.search(r"[\\{}~]|--", form)] == []
    assert short_form("dunn1961 burges2005") == "Dunn, JASA 1961; Burges et al., ICML 2005"
    assert plain_text(references()["anelli2021"].fields["author"]).split(" and ")[1] == "Bellogín, Alejandro"


def test_a_text_of_a_users_own_measure_stays():
    assert (short_form("Me, 2026"), keys_in("Me, 2026"), short_form("")) == ("Me, 2026", (), "")


@pytest.mark.needs("bibtex")
def test_bibtex_and_latex_accept_every_entry(tmp_path):
    everything = "\n".join(reference.bibtex for reference in references().values())
    Path(tmp_path, "all.bib").write_text(everything, encoding="ascii")
    lines = (r"\documentclass{article}", r"\begin{document}", r"\nocite{*}", r"\bibliographystyle{plain}", r"\bibliography{all}", r"\end{document}")  # fmt: skip
    Path(tmp_path, "papers.tex").write_text("\n".join(lines))
    for command in (["pdflatex"], ["bibtex"], ["pdflatex"]):
        flags = ["-halt-on-error", "-interaction=nonstopmode"] if command == ["pdflatex"] else []
        done = subprocess.run([*command, *flags, "papers"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    said = Path(tmp_path, "papers.blg").read_text()
    assert re.findall(r"^Warning--(?!empty year in judged).*", said, re.MULTILINE) == []
    assert Path(tmp_path, "papers.bbl").read_text().count(r"\bibitem") == len(references())
