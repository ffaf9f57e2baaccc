"""Curves of several measures: one panel per measure, one colour per run."""

from __future__ import annotations

import pytest
from needs import optional

import judged as jd
from judged.plots.style import COLOURS, DARK_COLOURS

plt = optional("matplotlib.pyplot")
figure = optional("matplotlib.figure")
pytestmark = pytest.mark.needs("matplotlib")

RUNS = ("bm25", "tfidf", "dense")


@pytest.fixture(scope="module")
def curves():
    runs = {name: jd.sample_path(f"runs/{name}.run") for name in RUNS}
    return jd.curves.curve("at-k", jd.sample_path("qrels.txt"), runs, "nDCG P CG", points=10)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def colours(ax):
    return {line.get_label(): line.get_color() for line in ax.get_lines()}


def test_each_measure_has_a_panel_and_each_run_a_colour(curves):
    axes = curves.plot()
    assert [ax.get_title(loc="left") for ax in axes] == ["nDCG", "P", "CG"]
    assert all(colours(ax) == dict(zip(RUNS, COLOURS, strict=False)) for ax in axes)
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(RUNS)
    assert [ax.get_ylim()[1] > 1.5 for ax in axes] == [False, False, True]


def test_names_of_curves_stay(curves):
    assert [curve.name for curve in curves][:3] == ["bm25 nDCG", "bm25 P", "bm25 CG"]
    assert curves["dense CG"].panel == "CG"


def test_on_one_axes_runs_have_colours_and_measures_dashes(curves):
    ax = figure.Figure().add_subplot()
    assert curves.plot(ax=ax) is ax
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert len(lines) == len(curves)
    for run, colour in zip(RUNS, COLOURS, strict=False):
        assert {lines[f"{run} {m}"].get_color() for m in ("nDCG", "P", "CG")} == {colour}
    assert len({lines[f"bm25 {m}"].get_linestyle() for m in ("nDCG", "P", "CG")}) > 1


def test_a_picture_says_what_its_bands_are(curves):
    assert "40 queries, 95% band" in curves.picture("svg").decode()


def test_curves_follow_a_dark_style(curves):
    with plt.style.context("dark_background"):
        axes = curves.plot()
    assert set(colours(axes[0]).values()) <= set(DARK_COLOURS)
