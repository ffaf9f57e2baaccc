"""A curve as data: its area, its height, and the pictures drawn of it."""

import json

import numpy as np
import pytest

import judged as jd
from judged.curves.points import Curve, Curves

ROC = Curve("r", np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0]))
PR = Curve("p", np.array([0.5, 0.5, 1.0]), np.array([1.0, 0.5, 2 / 3]), rule="step")


def picture(*curves: Curve, **more) -> Curves:
    return Curves("pr", curves or (PR,), "recall", "precision", "rank", **more)


def test_the_area_is_that_of_trapezoids_or_of_recall_gained_times_precision():
    assert ROC.area() == pytest.approx(0.5 * 0.5 + 0.5 * 0.75)
    assert PR.area() == pytest.approx(0.5 * 1 + 0 * 0.5 + 0.5 * 2 / 3)


def test_json_holds_null_where_there_is_no_number():
    data = json.loads(picture(Curve("n", np.array([0.0]), np.array([np.nan]), at=np.array([np.inf]))).to_json())
    assert data["curves"][0] == {"name": "n", "at": [None], "x": [0.0], "y": [None]}


def test_a_curve_is_found_by_name_and_a_wrong_name_is_told():
    found = picture()
    assert found["p"] is PR is found[0]
    assert list(found) == [PR]
    assert len(found) == 1
    with pytest.raises(jd.UsageError, match="one of p"):
        found["q"]


def test_the_terminal_shows_axes_signs_names_and_notes():
    text = str(picture(PR, ROC, marks=("(AP 0.83)", ""), notes=("two curves",), limits={"x": (0, 1), "y": (0, 1)}))
    assert "● p (AP 0.83)" in text
    assert "○ r" in text
    assert "two curves" in text
    assert text.splitlines()[0].strip() == "precision"
    assert "recall" in text


def test_control_characters_in_a_name_do_not_reach_the_terminal():
    text = str(picture(Curve("a\x1b[31m", PR.x, PR.y)))
    assert "\x1b" not in text


@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize(
    "curve", [Curve("e", np.empty(0), np.empty(0)), Curve("n", np.array([0.5]), np.array([np.nan]))]
)
def test_a_curve_without_points_draws_an_empty_frame(curve):
    assert "└" in str(picture(curve))
    assert picture(curve).picture("svg").startswith(b"<?xml")


@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize(("form", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_are_the_same_bytes_each_time(form, magic):
    first = picture(notes=("costs $5 & <b>",)).picture(form)
    assert first.startswith(magic)
    assert picture(notes=("costs $5 & <b>",)).picture(form) == first


@pytest.mark.needs("matplotlib")
def test_a_name_is_text_in_a_picture_never_markup_or_mathematics():
    drawn = picture(Curve("<script>$x^2$", PR.x, PR.y)).picture("svg").decode()
    assert "<script>" not in drawn
    assert "&lt;script&gt;$x^2$" in drawn


@pytest.mark.needs("matplotlib")
def test_curves_are_drawn_on_the_axes_that_are_given():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert picture(PR, ROC).plot(ax=axes) is axes
    assert axes.get_xlabel() == "recall"
    assert axes.get_ylabel() == "precision"
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {"p", "r"}


@pytest.mark.needs("matplotlib")
def test_curves_differ_in_more_than_colour():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    picture(*(Curve(str(i), PR.x, PR.y) for i in range(7))).plot(ax=axes)
    lines = axes.get_lines()[-7:]
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 7
