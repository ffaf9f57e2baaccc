"""Fixtures of all tests, and the count of values compared with other tools."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from judged.errors import JudgedError

settings.register_profile("patient", deadline=None)  # machines are shared: how long a test takes says nothing
settings.load_profile("patient")

_COMPARED: Counter[str] = Counter()
_SKIPPED: list[str] = []


@pytest.fixture
def compared():
    """Count values compared with a tool: `compared("pytrec_eval", 120)`."""

    def count(tool: str, values: int) -> None:
        _COMPARED[tool] += values

    return count


@pytest.fixture
def refusal() -> Callable[..., JudgedError]:
    """The error of a call that must be refused with this slug."""

    def refused(slug: str, call: Callable[..., Any], *args: Any, **options: Any) -> JudgedError:
        with pytest.raises(JudgedError) as caught:
            call(*args, **options)
        assert caught.value.slug == slug, str(caught.value)
        return caught.value

    return refused


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
