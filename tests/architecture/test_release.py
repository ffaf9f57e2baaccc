"""What a release contains agrees with the package."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import judged as jd
from judged.references.bibliography import parse_bibtex, plain_text

ROOT = Path(__file__).parents[2]


def test_citation_and_metadata_have_the_version_and_licence_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = dict(re.findall(r"^(\w+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    described = json.loads((ROOT / "codemeta.json").read_text())
    assert cited["version"] == described["version"] == jd.__version__
    assert cited["license"] == project["license"] == described["license"].rpartition("/")[2]
    assert described["description"] == project["description"]


def test_judged_is_cited_as_the_citation_file_says():
    text = (ROOT / "CITATION.cff").read_text()
    cited = parse_bibtex(jd.cite().to_bibtex())["judged"].fields
    assert cited["title"] == re.search(r'^title: "(.+)"$', text, re.MULTILINE)[1]
    assert [plain_text(cited["author"])] == re.findall(r'^  - name: "(.+)"$', text, re.MULTILINE)
    assert cited["note"] == f"Version {jd.__version__}"


def test_the_changelog_begins_with_this_version():
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == jd.__version__
