"""Check that everything public has a page: names, commands, measures, policies, profiles, errors."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tools.site import api_names, cli_pages, measure_pages, policy_pages

from judged import metrics
from judged.core.policy import POLICY_OPTIONS
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES
from judged.recommenders.measures import BEYOND

ROOT = Path(__file__).resolve().parents[2]


def missing(pages: dict[str, str]) -> dict[str, tuple[int, list[str]]]:
    """For each kind of thing, how many there are, and those that no page describes."""
    names, where = api_names.public_names(), api_names.page_of_name()
    measures = [d.name for d in [*(d for d in MEASURES if d.family != "own"), *BEYOND]]
    commands = [words for words, _ in cli_pages.commands()]
    slugs = list(tomllib.loads((ROOT / "tests" / "golden" / "messages.toml").read_text(encoding="utf-8")))
    functions, errors = pages.get("reference/api/array_functions.md", ""), pages.get("reference/errors.md", "")
    policies, profiles = pages.get(policy_pages.POLICIES, ""), pages.get(policy_pages.PROFILES_PAGE, "")
    return {
        "public names": (len(names), [name for name in names if where.get(name) not in pages]),
        "array functions": (
            len(dir(metrics)),
            [n for n in dir(metrics) if f"`{n}`" not in functions],
        ),
        "measures": (len(measures), [name for name in measures if measure_pages.paths().get(name) not in pages]),
        "commands": (len(commands), [" ".join(words) for words in commands if cli_pages.path_of(words) not in pages]),
        "policies": (len(POLICY_OPTIONS), [o.name for o in POLICY_OPTIONS if f"\n## {o.name}\n" not in policies]),
        "profiles": (len(PROFILES), [name for name in PROFILES if f"\n## {name}\n" not in profiles]),
        "errors and warnings": (len(slugs), [slug for slug in slugs if f'<a id="{slug}">' not in errors]),
    }
