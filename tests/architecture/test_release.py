"""What a release contains agrees with the package."""

import json
import re
import tomllib
from pathlib import Path

import needs

import judged as jd

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}


def test_citation_and_metadata_have_the_version_and_licence_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = dict(re.findall(r"^(\w+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    described = json.loads((ROOT / "codemeta.json").read_text())
    assert cited["version"] == described["version"] == jd.__version__
    assert cited["license"] == project["license"] == described["license"].rpartition("/")[2]
    assert described["description"] == project["description"]


def test_the_supported_pythons_are_declared_tested_and_built():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["project"]["classifiers"]))
    assert f">={declared[0]}" == project["project"]["requires-python"]
    assert json.loads(re.search(r"python: (\[.*\])", WORKFLOWS["test.yml"])[1]) == declared
    built = re.findall(r"cp3(\d+)-", " ".join(project["tool"]["cibuildwheel"]["build"]))
    assert built == ["11", project["tool"]["scikit-build"]["wheel"]["py-api"].removeprefix("cp3")]


def test_actions_are_pinned_to_a_whole_version():
    used = [name for text in WORKFLOWS.values() for name in re.findall(r"uses: (\S+)", text)]
    assert [name for name in used if not re.search(r"@v\d+\.\d+\.\d+$|^\./", name)] == []


def test_workflows_call_targets_paths_and_needs_that_exist():
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for text in WORKFLOWS.values():
        assert set(re.findall(r"run: make (\S+)", text)) <= made
        assert all((ROOT / path).exists() for path in re.findall(r"\btests/[\w/.]+", text))
        for words in re.findall(r"(?:--without |WITHOUT=)(\S+)", text):
            needs.named(words)
