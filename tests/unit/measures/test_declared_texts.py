"""Every measure is explained: an intuition in words, and a typeset formula in one notation."""

import re

import pytest
from for_each import for_each

from judged.measures.notation import LIST_NOTATION, NOTATION
from judged.measures.registry import MEASURES
from judged.recommenders.measures import BEYOND

DECLARED = [*(d for d in MEASURES if d.family != "own"), *BEYOND]
NAMES = [d.name for d in DECLARED]
COUNTS = {d.name for d in MEASURES if d.family != "own" and (d.family == "count" or d.text or d.whole)}


@for_each("declared", DECLARED, ids=NAMES)
def test_a_formula_is_typeset_unless_the_measure_is_a_plain_count(declared):
    assert bool(declared.latex) == (declared.name not in COUNTS)
    assert declared.latex.count("{") == declared.latex.count("}")
    assert declared.latex.count(r"\left") == declared.latex.count(r"\right")
    named = declared.latex.partition(" = ")[0].partition("@")[0]
    assert named == rf"\mathrm{{{declared.name.replace('_', chr(92) + '_')}}}" or not declared.latex


@pytest.mark.needs("latex2mathml")
def test_typeset_formulas_become_mathml():
    from latex2mathml.converter import convert

    formulas = {d.name: d.latex for d in DECLARED if d.latex}
    formulas |= {symbol: symbol for symbol in (*NOTATION, *LIST_NOTATION)}
    unknown = {name: re.findall(r"\\[A-Za-z]+", convert(latex)) for name, latex in formulas.items()}
    assert {name: commands for name, commands in unknown.items() if commands} == {}


def test_every_letter_of_a_formula_is_explained():
    """Each is in the notation, defined in the formula, or a parameter of the measure."""
    for declared in DECLARED:
        notation = {**NOTATION, **LIST_NOTATION} if declared.needs == "recommendations" else NOTATION
        defined = {part.partition(" = ")[0] for part in declared.latex.split(r"\quad ")[1:]}
        known = letters(" ".join([*notation, *defined])) | {*"ibvumdeftqhj"}  # indices and bound variables
        params = letters(" ".join(declared.parameters)) | GREEK.get(declared.name, set())
        assert letters(declared.latex) - known - params == set(), declared.name


GREEK = {
    **{name: {r"\beta"} for name in ("SetF", "F", "Q", "O_measure", "P_measure", "P_plus", "NCUguBR", "NCUrbBR", "SearchEconomics", "NRBP", "nNRBP")},
    **{name: {r"\alpha", r"\beta"} for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")},
    **{name: {r"\beta", r"\gamma"} for name in ("NCUrbP", "NCUrbBR")},
    "Utility": {"w"}, "infAP": {r"\epsilon"}, "RSP": {r"\pi"}, "REO": {r"\pi"}, "Rndcg": {"E"}, "G": {"H"},
}  # fmt: skip


def letters(latex: str) -> set[str]:
    """The letters of a formula, without words and commands that are not letters."""
    bare = re.sub(r"\\(mathrm|text)\{[^}]*\}", " ", latex)
    greek = {*re.findall(r"\\(?:alpha|beta|gamma|epsilon|rho|sigma|nu|pi|phi|delta)(?![A-Za-z])", bare)}
    return greek | {*re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", bare))}
