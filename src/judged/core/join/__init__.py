"""Judgments, a run and a policy become a `Judged`."""
