"""The GitHub action and the pre-commit hook: what they declare, and what their scripts do, with a `gh` that writes down its calls."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from needs import optional

from judged.io.sample import sample_path

yaml = optional("yaml")
pytestmark = pytest.mark.needs("yaml")

ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step.get("name", step.get("uses")): step for step in ACTION["runs"]["steps"]}
BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "guides" / "gate.md").read_text(encoding="utf-8"), re.DOTALL)
GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
if [[ "$*" == *--jq* && -f "$CALLS.id" ]]; then cat "$CALLS.id"; fi
"""
needs_bash = pytest.mark.needs("unix")  # the scripts of the action run on Linux


@pytest.fixture
def step(tmp_path):
    """Run a step of the action with these variables; returns the process and what it wrote to its outputs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "judged").write_text(f'#!/usr/bin/env bash\nexec "{sys.executable}" -m judged "$@"\n')
    (programs / "gh").write_text(GH)
    for program in programs.iterdir():
        program.chmod(0o755)

    def run(name: str, **variables: Any) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
        declared = STEPS[name]["env"]
        assert variables.keys() <= declared.keys() | {"GITHUB_REPOSITORY"}
        files = {word: str(tmp_path / word) for word in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")}
        environment = {**os.environ, **dict.fromkeys(declared, ""), **files, **variables, "PATH": f"{programs}:{os.environ['PATH']}",
                       "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # fmt: skip
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True)
        output = tmp_path / "GITHUB_OUTPUT"
        return done, dict(line.split("=", 1) for line in output.read_text().splitlines()) if output.exists() else {}

    return run


@needs_bash
@pytest.mark.parametrize(("measure", "passed"), [("0.4", "true"), ("0.6", "false")])
def test_the_gate_writes_a_junit_file_a_page_and_a_summary(step, tmp_path, measure, passed):
    files = {"QRELS": "qrels.txt", "BASELINE": "runs/tfidf.run", "CANDIDATE": "runs/bm25.run"}
    inputs = {name: str(sample_path(file)) for name, file in files.items()}
    done, outputs = step("Run the gate", **inputs, FOLDER=str(tmp_path / "out"), OPTIONS=f"--min\nnDCG@10={measure}\n--measures\nnDCG@10\n--mode\nmean\n--max-drop\n1\n")  # fmt: skip
    assert (done.returncode, outputs["passed"]) == (0, passed), done.stderr
    assert (tmp_path / "out" / "gate.xml").read_text().startswith("<?xml")
    assert "tfidf" in (tmp_path / "out" / "judged.html").read_text()
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == (tmp_path / "out" / "summary.md").read_text() != ""
    failed, _ = step("Fail if the candidate does not pass", CODE=outputs["code"])
    assert failed.returncode == (0 if passed == "true" else 1)


@needs_bash
def test_an_error_of_the_gate_fails_the_job(step, tmp_path):
    done, outputs = step("Run the gate", CANDIDATE="missing.run", QRELS="missing.txt", FOLDER=str(tmp_path / "out"))
    assert (done.returncode, outputs["passed"]) == (0, "false")
    assert step("Fail if the candidate does not pass", CODE=outputs["code"])[0].returncode >= 2
    assert step("Fail if the candidate does not pass")[0].returncode == 3  # the gate did not even start


@needs_bash
def test_the_first_comment_is_written_and_later_ones_replace_it(step, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "summary.md").write_text("**PASS**\n")
    variables = {
        "FOLDER": str(folder),
        "NAME": "judged",
        "PULL": "7",
        "PAGES": "https://example.org/run",
        "GITHUB_REPOSITORY": "o/r",
    }
    assert step("Keep one comment up to date", **variables)[0].returncode == 0
    calls = tmp_path / "CALLS"
    assert calls.read_text().splitlines()[-1].startswith("api --silent -X POST repos/o/r/issues/7/comments -F body=@")
    text = (folder / "comment.md").read_text()
    assert text.startswith("<!-- judged gate: judged -->\n**PASS**")
    assert "https://example.org/run" in text
    (tmp_path / "CALLS.id").write_text("42\n")
    step("Keep one comment up to date", **variables)
    assert calls.read_text().splitlines()[-1].startswith("api --silent -X PATCH repos/o/r/issues/comments/42 -F body=@")


def test_scripts_take_values_from_variables_only():
    """An expression in a script would run what a branch or file is called."""
    for name, one in STEPS.items():
        assert "${{" not in one.get("run", ""), name


def test_the_workflow_of_the_docs_uses_inputs_of_the_action():
    workflow = next(yaml.safe_load(block) for block in BLOCKS if block.startswith("name: ranking"))
    used = next(one for one in workflow["jobs"]["gate"]["steps"] if "judged@" in one.get("uses", ""))["with"]
    assert used.keys() <= ACTION["inputs"].keys()
    assert {name for name, entry in ACTION["inputs"].items() if entry.get("required")} <= used.keys()
    page = (ROOT / "docs" / "guides" / "gate.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in (*ACTION["inputs"], *ACTION["outputs"]))
    from click.testing import CliRunner

    from judged.cli.main import cli

    flags = re.findall(r"--[a-z-]+", used["options"])
    text = CliRunner().invoke(cli, ["gate", "--help"]).stdout
    assert flags
    assert all(flag in text for flag in flags)


def test_the_hook_of_the_docs_exists():
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    config = next(yaml.safe_load(block) for block in BLOCKS if block.startswith("repos:"))
    assert config["repos"][0]["hooks"][0]["id"] == hook["id"]
    assert hook["entry"] == "judged gate"
