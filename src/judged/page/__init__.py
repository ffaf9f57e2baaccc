"""One HTML file that says how good rankings are, how sure that is, where they differ, and why."""

from judged.page.report import report

__all__ = ["report"]
