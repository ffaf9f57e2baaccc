"""Curves of several measures on one axes."""

import pytest
from needs import optional

import judged as jd
from judged.plots.style import DARK_COLOURS

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


def test_each_curve_has_a_line_and_a_name(curves):
    ax = figure.Figure().add_subplot()
    assert curves.plot(ax=ax) is ax
    assert [curve.name for curve in curves][:3] == ["bm25 nDCG", "bm25 P", "bm25 CG"]
    assert [line.get_label() for line in ax.get_lines()] == [curve.name for curve in curves]


def test_a_picture_says_what_its_bands_are(curves):
    assert "40 queries, 95% band" in curves.picture("svg").decode()


def test_curves_follow_a_dark_style(curves):
    with plt.style.context("dark_background"):
        ax = curves.plot()
    assert set(colours(ax).values()) <= set(DARK_COLOURS)
