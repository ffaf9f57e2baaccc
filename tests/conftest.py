"""Fixtures of all tests, what they need, and the count of values compared with other tools."""

import os
from collections import Counter

import needs
import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")  # no window
os.environ["JUDGED_CONFIG"] = ""  # no defaults from files above the folder of a test
os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process of tests has one core, and waiting threads burn it
settings.register_profile("patient", deadline=None)  # machines are shared: how long a test takes says nothing
settings.register_profile("quick", deadline=None, max_examples=20)  # make quick
settings.load_profile("patient")

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
_COMPARED: Counter[str] = Counter()
_SKIPPED: Counter[str] = Counter()  # by reason
_WITHOUT = pytest.StashKey[set[str]]()


@pytest.fixture(scope="session")
def chromium():
    """One browser per process: Playwright cannot start a second one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=needs.CHROMIUM, args=CHROMIUM_FLAGS, timeout=60_000)
        yield browser
        browser.close()


@pytest.fixture
def compared():
    """Count values compared with a tool: `compared("pytrec_eval", 120)`."""

    def count(tool: str, values: int) -> None:
        _COMPARED[tool] += values

    return count


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    _COMPARED.update(getattr(node, "workeroutput", {}).get("compared", {}))


def pytest_addoption(parser):
    parser.addoption(
        "--without", default="", metavar="NAMES", help="skip tests that need these, which CI then does not count: names, or dependency groups"
    )  # fmt: skip


def pytest_configure(config):
    try:
        config.stash[_WITHOUT] = needs.named(config.getoption("--without"))
    except ValueError as problem:
        raise pytest.UsageError(str(problem)) from None


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(config, items):
    for item in items:
        if unknown := _needed(item) - needs.NEEDS.keys():
            raise pytest.UsageError(f"{item.nodeid} needs what tests/helpers/needs.py does not name: {min(unknown)}")
        if "collections" in _needed(item):
            item.add_marker("collections")
    if (
        not needs.TOGETHER
    ):  # tools that cannot be installed beside the others have an environment and a target of their own
        apart = [item for item in items if _needed(item) & needs.APART.keys()]
        config.hook.pytest_deselected(items=apart)
        items[:] = [item for item in items if item not in apart]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    without = item.config.stash[_WITHOUT]
    for name in sorted(_needed(item)):
        if name in without:
            pytest.skip(f"without {name}, as asked for")
        if needs.is_missing(name):
            pytest.skip(needs.NEEDS[name].missing)


def _needed(item) -> set[str]:
    return {name for mark in item.iter_markers("needs") for name in mark.args}


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        _SKIPPED[report.longrepr[2].removeprefix("Skipped: ")] += 1


def pytest_collectreport(report):
    if report.skipped:
        _SKIPPED[f"{report.nodeid} was not collected"] += 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # under xdist the controller adds the workers' counts up
        output["compared"] = dict(_COMPARED)
    elif os.environ.get("CI") and set(_SKIPPED) - _uncounted(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED  # in CI nothing may be skipped


def _uncounted(config) -> set[str]:
    """Reasons to skip that nothing on this machine can remove, or that were asked for."""
    asked = {f"without {name}, as asked for" for name in config.stash[_WITHOUT]}
    return asked | {need.missing for need in needs.NEEDS.values() if not need.counts}


def pytest_terminal_summary(terminalreporter, config):
    if not needs.TOGETHER:
        terminalreporter.line(f"Tests inside {', '.join(needs.APART.values())} are run by make external.")
    for reason, tests in _SKIPPED.most_common():
        refused = " In CI nothing may be skipped." if os.environ.get("CI") and reason not in _uncounted(config) else ""
        terminalreporter.line(f"Skipped {tests:,} test{'s' * (tests > 1)}: {reason}.{refused}")
    if _COMPARED:
        terminalreporter.section("values compared with other tools, zero differences unless a test failed")
        for tool, values in sorted(_COMPARED.items()):
            terminalreporter.line(f"{tool:<40} {values:>10,}")
