"""Waiting for what a page does, however busy the machine is."""

import time

SECONDS = 60


def until(page, condition):
    """Wait until a function returns true, or an expression does in the page (Playwright's own way is refused by the page's policy)."""
    holds = condition if callable(condition) else lambda: page.evaluate(condition)
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)
