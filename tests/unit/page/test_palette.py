"""One palette for the page and for plots: ten colours that stay apart without red or green, and apart from better and worse."""

import re
from pathlib import Path

import numpy as np
import pytest
from contrast import contrast

import judged.page.assemble as assemble
from judged.plots import style

CSS = (Path(assemble.__file__).parent / "web/styles/page.css").read_text("utf-8")
# Machado, Oliveira & Fernandes 2009, severity 1: no red, no green receptors.
SIGHTS = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour):
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light):
    xyz = np.clip(light, 0, 1) @ TO_XYZ.T / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(one, other):
    """CIEDE2000 (Sharma, Wu & Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(g * a1, b1), np.hypot(g * a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, g * a1)) % 360, np.degrees(np.arctan2(b2, g * a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else ((h1 + h2 + 360) / 2) % 360
    t = 1 - 0.17 * np.cos(np.radians(hm - 30)) + 0.24 * np.cos(np.radians(2 * hm)) + 0.32 * np.cos(np.radians(3 * hm + 6)) - 0.2 * np.cos(np.radians(4 * hm - 63))  # fmt: skip
    dl /= 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    dc, dh = dc / (1 + 0.045 * cm), dh / (1 + 0.015 * cm * t)
    turned = -2 * np.sqrt(cm**7 / (cm**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((hm - 275) / 25) ** 2))))
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + turned * dc * dh))


def named(theme, name):
    found = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\);", CSS)
    return found[1 if theme == "light" else 2]


THEMES = {
    "light": (style.COLOURS, (style.BETTER, style.WORSE)),
    "dark": (style.DARK_COLOURS, (style.DARK_BETTER, style.DARK_WORSE)),
}


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_and_the_plots_have_the_same_colours(theme):
    runs, verdicts = THEMES[theme]
    assert tuple(named(theme, f"run{i}") for i in range(10)) == runs
    assert (named(theme, "better"), named(theme, "worse")) == verdicts


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_ten_runs_better_and_worse_stay_apart(theme, sight):
    runs, verdicts = THEMES[theme]
    seen = [lab(linear(c) @ SIGHTS[sight].T) for c in (*runs, *verdicts)]
    apart = {(i, j): distance(seen[i], seen[j]) for i in range(10) for j in range(i + 1, 12)}
    assert min(apart.values()) > 8.9, min(apart, key=apart.get)


@pytest.mark.parametrize("theme", THEMES)
def test_every_run_stands_out_from_the_paper(theme):
    runs, _ = THEMES[theme]
    assert min(contrast(c, named(theme, "paper")) for c in runs) >= 3
