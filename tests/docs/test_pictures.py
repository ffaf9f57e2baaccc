"""Pictures of the documentation are those that the code on its pages draws."""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
SHOWN = re.compile(r"pictures/([\w-]+\.svg)#only-(light|dark)")


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module("make_pictures")
    finally:
        sys.path.pop(0)


def pages():
    return sorted(path for path in (ROOT / "docs").rglob("*.md") if SHOWN.search(path.read_text(encoding="utf-8")))


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def drawing(text: str) -> dict[str, list]:
    """Texts and shapes of an SVG, with coordinates in whole points."""
    paths = [re.sub(r"-?\d+\.?\d*", lambda n: f"{float(n[0]):.0f}", d) for d in re.findall(r' d="([^"]*)"', text)]
    return {
        "texts": re.findall(r"<text[^>]*>([^<]*)</text>", text),
        "paths": [" ".join(path.split()) for path in paths],
    }


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_each_picture_is_shown_light_and_dark_and_drawn_by_its_page(page, tool):
    shown = {(name, scheme) for name, scheme in SHOWN.findall(page.read_text(encoding="utf-8"))}
    drawn = {Path(name).stem for name in tool.written(page)}
    assert shown == {(f"{name}.svg", "light") for name in drawn} | {(f"{name}-dark.svg", "dark") for name in drawn}


@pytest.mark.slow
@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_pictures_are_up_to_date(page, tool, monkeypatch):
    """The shapes are compared if the same matplotlib drew them, as its layout changes with versions; texts always."""
    import matplotlib as mpl

    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for name, text in tool.drawn(page, dark=False).items():
        kept = (PICTURES / name).read_text(encoding="utf-8")
        found, wanted = drawing(kept), drawing(text)
        parts = ("texts", "paths") if f"Matplotlib v{mpl.__version__}," in kept else ("texts",)
        assert [found[part] for part in parts] == [wanted[part] for part in parts], "run: python tools/make_pictures.py"
