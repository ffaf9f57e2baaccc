"""Conformance tests report how many values they compared with other tools."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # machines are shared: how long a test takes says nothing
settings.load_profile("patient")
sys.path.insert(0, str(Path(__file__).parent / "conformance"))

_COMPARED: Counter[str] = Counter()
_SKIPPED: list[str] = []


@pytest.fixture
def compared():
    """Count values compared with a tool: `compared("pytrec_eval", 120)`."""

    def count(tool: str, values: int) -> None:
        _COMPARED[tool] += values

    return count


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    _COMPARED.update(getattr(node, "workeroutput", {}).get("compared", {}))


def pytest_runtest_logreport(report):
    if report.skipped:
        _SKIPPED.append(report.nodeid)


def pytest_collectreport(report):
    if report.skipped:
        _SKIPPED.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # under xdist the controller adds the workers' counts up
        output["compared"] = dict(_COMPARED)
    elif _SKIPPED and os.environ.get("CI"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED  # in CI nothing may be skipped


def pytest_terminal_summary(terminalreporter):
    if _COMPARED:
        terminalreporter.section("values compared with other tools, zero differences unless a test failed")
        for tool, values in sorted(_COMPARED.items()):
            terminalreporter.line(f"{tool:<40} {values:>10,}")
