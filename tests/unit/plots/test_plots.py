"""Results on matplotlib axes: the numbers that were drawn are the result's own."""

import sys

import numpy as np
import pytest
from contrast import contrast
from needs import optional
from refusals import refusal

import judged as jd
from judged.plots.results import draw_comparison
from judged.plots.style import BETTER, COLOURS, DARK_BETTER, DARK_COLOURS, theme_of

mpl = optional("matplotlib")
plt = optional("matplotlib.pyplot")
figure = optional("matplotlib.figure")
pytestmark = pytest.mark.needs("matplotlib")

KINDS = ["means", "differences", "queries"]


@pytest.fixture(scope="module")
def sample():
    runs = {name: jd.sample_path(f"runs/{name}.run") for name in ("bm25", "tfidf", "dense")}
    return jd.compare(jd.sample_path("qrels.txt"), runs, "nDCG@10 AP RR FallOut NumRet")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def points(ax):
    """(x, y) of each marker that stands alone."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if len(line.get_xdata()) == 1 and line.get_marker() not in ("None", "")
    ]


def spans(ax, y):
    """The ends of the intervals of a row."""
    return [
        tuple(map(float, line.get_xdata()))
        for line in ax.lines
        if len(line.get_xdata()) == 2 and list(line.get_ydata()) == [y, y]
    ]


def names(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def drawn(ax):
    """The axes, after everything was laid out and drawn."""
    ax.figure.draw_without_rendering()
    return ax


def test_every_query_is_a_point_and_the_mean_has_its_interval(sample):
    values = sample.results[0]
    ax = drawn(values.plot("nDCG@10 AP RR"))
    assert names(ax) == ["nDCG@10", "AP", "RR"]
    for row, measure in enumerate(["nDCG@10", "AP", "RR"]):
        strip = ax.collections[row].get_offsets()
        assert np.array_equal(np.sort(strip[:, 0]), np.sort(values[measure]))
        assert (np.abs(strip[:, 1] - row) < 0.5).all()
        assert spans(ax, row)[0] == values.interval(measure)
        assert (values.mean()[measure], row) in points(ax)
        box = ax.patches[row]
        assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx(np.quantile(values[measure], [0.25, 0.75]))
    assert ax.get_xlim() == (-0.03, 1.03)
    said = [text.get_text() for text in ax.texts]
    low, high = values.interval("AP")
    assert f"{values.mean()['AP']:.3f} [{low:.3f}, {high:.3f}]" in said


def test_points_of_equal_value_do_not_hide_each_other(sample):
    strip = sample.results[0].plot("RR").collections[0].get_offsets()
    assert len({tuple(point) for point in strip.tolist()}) == len(sample.results[0])


def test_a_measure_beyond_one_has_an_axis_of_its_own(sample):
    values = sample.results[0]
    ax = values.plot(["NumRet"])
    assert ax.get_xlim()[1] > values["NumRet"].max()
    assert points(ax) == [(values["NumRet"].mean(), 0.0)]  # the sum has no place among its parts
    for measures in (None, "nDCG@10 NumRet"):
        caught = refusal("plot", values.plot, measures)
        assert caught.value == "NumRet"


@pytest.mark.parametrize(
    ("measures", "value"), [("P@10", "P@10"), (["AP", "P@10"], "P@10"), ("nDCG@10 ERR", "ERR"), ([], None)]
)
def test_an_unknown_measure_is_named(sample, measures, value):
    caught = refusal("not-asked", sample.results[0].plot, measures)
    assert caught.value == value


def test_measures_by_other_names_and_as_objects(sample):
    assert names(sample.results[0].plot("map ndcg_cut_10")) == ["AP", "nDCG@10"]
    assert names(sample.results[0].plot([jd.measures.AP])) == ["AP"]


def test_one_query_has_a_point_and_no_interval():
    ax = drawn(jd.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "AP RR").plot())
    assert spans(ax, 0) == []
    assert points(ax) == [(0.5, 0.0), (0.5, 1.0)]


def test_missing_values_are_left_out():
    values = jd.evaluate({"q": {"a": 1}, "r": {"a": 0}}, {"q": ["b", "a"], "r": ["a"]}, "AP NumRet", empty="skip")
    assert np.isnan(values["AP"]).any()
    ax = drawn(values.plot("AP"))
    assert ax.collections[0].get_offsets()[:, 0].tolist() == [0.5]
    nothing = jd.evaluate({"r": {"a": 0}}, {"r": ["a"]}, "AP", empty="skip")
    assert "–" in [text.get_text() for text in drawn(nothing.plot()).texts]


def test_means_stand_with_their_intervals_the_best_first(sample):
    ax = drawn(draw_comparison(sample, "means", "AP"))
    means = {name: by["AP"] for name, by in sample.means().items()}
    assert names(ax) == sorted(means, key=means.get, reverse=True) == ["dense", "tfidf", "bm25"]
    for row, name in enumerate(names(ax)):
        assert points(ax)[row] == pytest.approx((means[name], row))
        assert spans(ax, row) == [sample.results[sample.names.index(name)].interval("AP")]
    assert ax.get_xlabel() == "mean AP"


def test_where_lower_is_better_the_lowest_is_first_and_it_is_said(sample):
    ax = draw_comparison(sample, "means", "FallOut")
    means = {name: by["FallOut"] for name, by in sample.means().items()}
    assert names(ax) == sorted(means, key=means.get)
    assert "lower is better" in ax.get_xlabel()


def test_several_measures_are_groups_of_rows(sample):
    both = jd.compare(dict(zip(sample.names, [_only(r, ["AP", "RR"]) for r in sample.results], strict=True)))
    ax = drawn(draw_comparison(both))
    assert names(ax) == ["AP", "bm25", "tfidf", "dense", "RR", "bm25", "tfidf", "dense"]
    expected = [both.means()[run][m] for m in ("AP", "RR") for run in both.names]
    assert [x for x, _ in points(ax)] == pytest.approx(expected)
    ax = drawn(draw_comparison(both, "differences"))
    assert [x for x, _ in points(ax)] == [
        d for m in ("AP", "RR") for d in sorted((row.difference for row in both.rows if row.measure == m), reverse=True)
    ]


def _only(values, measures):
    from dataclasses import replace

    kept = tuple(m for m in values.measures if str(m) in measures)
    return replace(values, measures=kept, columns={str(m): values[m] for m in kept})


@pytest.mark.parametrize("kind", ["means", "differences"])
def test_measures_of_different_scales_are_not_put_on_one_axis(sample, kind):
    caught = refusal("plot", draw_comparison, sample, kind)
    assert "measure=" in str(caught.hint)


def test_differences_are_those_of_the_table_and_verdicts_differ_in_colour_and_marker(sample):
    ax = drawn(draw_comparison(sample, "differences", "nDCG@10"))
    rows = sorted((row for row in sample.rows if row.measure == "nDCG@10"), key=lambda row: -row.difference)
    assert names(ax) == ["dense − bm25", "dense − tfidf", "tfidf − bm25"]
    alone = [line for line in ax.lines if len(line.get_xdata()) == 1]
    for y, row in enumerate(rows):
        assert spans(ax, y) == [(row.low, row.high)]
        assert alone[y].get_xdata()[0] == row.difference
    look = {row.verdict: (line.get_marker(), line.get_color()) for row, line in zip(rows, alone, strict=True)}
    assert set(look) == {"better", "no clear difference"}
    assert look["better"][0] != look["no clear difference"][0]
    assert look["better"][1] == BETTER
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"better", "no clear difference"}


def test_the_margin_is_a_band(sample):
    results = dict(zip(sample.names, sample.results, strict=True))
    ax = draw_comparison(jd.compare(results, margin=0.05), "differences", "AP")
    assert [ax.patches[0].get_x(), ax.patches[0].get_width()] == pytest.approx([-0.05, 0.1])


def test_bars_are_the_differences_of_queries_sorted(sample):
    ax = drawn(draw_comparison(sample, "queries", "AP", "bm25", "dense"))
    d = sample.matrix("AP")[:, 2] - sample.matrix("AP")[:, 0]
    bars = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches}
    assert [bars[i] for i in range(len(d))] == sorted(d.tolist(), reverse=True)
    queries = [tick.get_text() for tick in ax.get_xticklabels()]
    assert queries == [sample.results[0].queries[i] for i in np.argsort(-d, kind="stable")]
    row = sample.of("AP", "bm25", "dense")
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"dense better: {row.wins}" in said
    assert f"dense worse: {row.losses}" in said
    assert f"mean: {row.difference:+.3f}" in said


def test_bars_of_a_measure_where_lower_is_better_are_won_below_zero(sample):
    ax = draw_comparison(sample, "queries", "FallOut", "bm25", "dense")
    row = sample.of("FallOut", "bm25", "dense")
    better = [bar for bar in ax.patches if bar.get_facecolor() == mpl.colors.to_rgba(BETTER)]
    assert len(better) == row.wins
    assert all(bar.get_height() < 0 for bar in better)


@pytest.mark.parametrize("kind", KINDS)
def test_it_draws_on_the_axes_that_are_given_and_leaves_pyplot_alone(sample, kind):
    ax = figure.Figure(layout="constrained").add_subplot()
    assert draw_comparison(sample, kind, "AP", ax=ax) is ax
    drawn(ax)
    assert ax.figure.get_supxlabel() == ""
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_query_and_runs_that_never_differ_can_be_drawn(kind):
    run = {"q": ["a", "b"], "r": ["a"]}
    drawn(draw_comparison(jd.compare({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}, "y": run}, "RR"), kind))
    drawn(draw_comparison(jd.compare({"q": {"a": 1}, "r": {"a": 1}}, {"x": run, "y": run}, "RR"), kind))


@pytest.mark.parametrize("kind", KINDS)
def test_queries_without_a_value_are_left_out_of_all_runs(kind):
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 0}}
    runs = {"x": {"q": ["b", "a"], "r": ["a"], "s": ["a"]}, "y": {"q": ["a", "b"], "r": ["b", "a"], "s": ["a"]}}
    found = jd.compare(qrels, runs, "RR", empty="skip")
    ax = drawn(draw_comparison(found, kind))
    if kind == "means":
        assert [x for x, _ in points(ax)] == [0.75, 0.75]
    elif kind == "queries":
        assert len(ax.patches) == 2
        assert "1 query without a value excluded" in ax.get_xlabel()


def test_the_pair_is_the_baseline_and_the_first_other_unless_named(sample):
    results = dict(zip(sample.names, sample.results, strict=True))
    against = jd.compare(results, baseline="tfidf")
    assert draw_comparison(against, "queries", "AP").get_ylabel() == "AP: bm25 − tfidf"
    assert draw_comparison(against, "queries", "AP", b="tfidf").get_ylabel() == "AP: tfidf − bm25"
    assert draw_comparison(sample, "queries", "AP", a="dense").get_ylabel() == "AP: bm25 − dense"


@pytest.mark.parametrize(
    ("slug", "options", "value"),
    [
        ("plot", {"kind": "pie"}, "pie"),
        ("plot", {"kind": "means", "measure": "AP", "a": "bm25"}, None),
        ("not-asked", {"kind": "means", "measure": "P@10"}, "P@10"),
        ("not-asked", {"kind": "queries", "measure": "nonsense"}, "nonsense"),
        ("runs", {"kind": "queries", "measure": "AP", "a": "bm26"}, "bm26"),
        ("runs", {"kind": "queries", "measure": "AP", "a": "bm25", "b": "bm25"}, "bm25"),
    ],
)
def test_what_does_not_exist_is_refused(sample, slug, options, value):
    caught = refusal(slug, draw_comparison, sample, **options)
    assert caught.value == value


def test_hostile_and_long_names_are_shown_as_text(sample):
    hostile = {"$x_{1": sample.results[0], "_hidden\n": sample.results[1], "z" * 200: sample.results[2]}
    found = jd.compare(hostile)
    for kind in KINDS:
        ax = drawn(draw_comparison(found, kind, "AP"))
        assert max(len(text.get_text()) for text in ax.findobj(mpl.text.Text)) < 110
        plt.close(ax.figure)


def test_without_matplotlib_it_is_said_what_to_install(sample, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: sample.results[0].plot("AP"), lambda: draw_comparison(sample, "means", "AP")):
        caught = refusal("needs", call)
        assert "judged[plot]" in str(caught.hint)


@pytest.mark.parametrize("kind", [*KINDS, "values"])
@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_everything_is_visible_on_the_paper_of_the_style(sample, kind, style):
    with plt.style.context(style):
        ax = sample.results[0].plot("AP") if kind == "values" else draw_comparison(sample, kind, "nDCG@10")
        paper = mpl.colors.to_hex(ax.get_facecolor())
    texts = [text for text in [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label, ax.title] if text.get_text()]
    for line in ax.lines:
        if (
            line.get_markerfacecolor() in (theme_of(ax).paper, line.get_color())
            and line.get_color() == theme_of(ax).paper
        ):
            continue  # an outline, or a dot on a bar
        assert contrast(mpl.colors.to_hex(line.get_color()), paper) >= 3
    for bar in ax.patches:
        assert contrast(mpl.colors.to_hex(bar.get_facecolor()), paper) >= 1.5
    assert texts
    assert all(contrast(mpl.colors.to_hex(text.get_color()), paper) >= 4.5 for text in texts)


def test_the_palette_is_that_of_the_paper_and_ink_is_that_of_the_axes():
    light, dark, clear = (
        figure.Figure(facecolor=face).add_subplot(facecolor=face) for face in ("white", "#202020", "none")
    )
    assert (theme_of(light).runs, theme_of(light).better) == (COLOURS, BETTER)
    assert (theme_of(dark).runs, theme_of(dark).better) == (DARK_COLOURS, DARK_BETTER)
    assert theme_of(clear).runs == COLOURS  # black ink, so the paper is light
    dark.xaxis.label.set_color("#eeeeee")
    assert theme_of(dark).ink == mpl.colors.to_rgb("#eeeeee")


def many(count, measures="nDCG@10"):
    runs = {f"run {i}": {f"q{k}": ["a", "b", "c", "d"][(i + k) % 4 :] for k in range(20)} for i in range(count)}
    return jd.compare({f"q{k}": {"a": 2, "c": 1} for k in range(20)}, runs, measures)


def test_of_many_pairs_the_largest_are_shown_and_the_others_counted():
    board = many(12)
    ax = drawn(draw_comparison(board, "differences"))
    sizes = sorted((abs(row.difference) for row in board.rows), reverse=True)
    assert [x for x, _ in points(ax)] == pytest.approx(sizes[:40])
    assert f"{len(sizes) - 40} pairs with smaller differences not shown" in ax.get_xlabel()
    assert ax.figure.get_figheight() < 12
    assert ax.figure.get_figheight() > draw_comparison(many(4), "differences").figure.get_figheight()


def test_differences_from_a_baseline_keep_their_sign(sample):
    board = jd.compare(dict(zip(sample.names, sample.results, strict=True)), baseline="dense")
    ax = drawn(draw_comparison(board, "differences", "AP"))
    assert names(ax) == ["tfidf − dense", "bm25 − dense"]
    assert all(x < 0 for x, _ in points(ax))
    assert any(text.get_text().startswith("−0.") for text in ax.texts)
    assert not any("-0." in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_figure_says_what_it_shows(sample, kind):
    assert "40 queries" in draw_comparison(sample, kind, "nDCG@10").figure.get_supxlabel()
