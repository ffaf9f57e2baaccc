"""The reference of policies and of profiles, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator

from tools.site.writing import block, code, front, prose, table

from judged.core.policy import POLICY_OPTIONS, Policy
from judged.measures.profiles import PROFILES

POLICIES, PROFILES_PAGE = "reference/policies.md", "reference/profiles.md"


def policy_pages() -> Iterator[tuple[str, str]]:
    """Path and text of the two pages, and of the first page of the reference."""
    yield "reference/index.md", "\n".join(_reference())
    yield POLICIES, "\n".join(_policies())
    yield PROFILES_PAGE, "\n".join(_profiles())


def _reference() -> Iterator[str]:
    yield from front("Reference", "Every measure, public name, command, policy, profile, format and error.")
    rows = [
        (
            "[Measures](measures/index.md)",
            "the idea, formula, parameters, edge cases, a worked example, names in other tools and paper of each",
        ),
        ("[Policies](policies.md)", "which queries count, how ties are ordered, and other choices of an evaluation"),
        ("[Profiles](profiles.md)", "the conventions of other tools"),
        ("[Python](api/index.md)", "every public name, by purpose"),
        ("[Command line](cli/index.md)", "every command with its options"),
        ("[Formats](formats.md)", "files that are read and written"),
        ("[Errors and warnings](errors.md)", "every message by its slug, and the exit codes"),
        ("[trec_eval](trec_eval.md)", "the command that takes the flags of trec_eval and prints what it prints"),
        (
            "[Explanations](../explanations/statistics.md)",
            "the statistics, ties, unjudged documents, and the reasons behind them",
        ),
        ("[Error rates](../explanations/error_rates.md)", "of tests and intervals, simulated"),
    ]
    yield from (*table(("page", "contents"), rows), "")
    yield "How to do one task is in the [guides](../guides/inputs.md)."
    yield ""


def _policies() -> Iterator[str]:
    yield from front("Policies", "The choices that every evaluation makes, their defaults, and how to change them.")
    yield "An evaluation makes choices that change its values: which queries count, in which order equal scores are, what to do with a document that was judged twice."
    yield "Each is a keyword argument in Python and an option of the commands that evaluate; the defaults are those of trec_eval with `-c`. Every result prints the line of its policies:"
    yield from ("", *block(f"policy: {Policy()}"), "")
    rows = [(f"[`{o.name}`](#{o.name})", prose(o.help, POLICIES), _default(o.default)) for o in POLICY_OPTIONS]
    yield from (*table(("policy", "decides", "default"), rows), "")
    for o in POLICY_OPTIONS:
        yield from (f"## {o.name}", "", prose(o.help, POLICIES), "")
        if o.choices:
            rows = [
                (code(c) + (" (default)" if c == o.default else ""), prose(o.meanings[c], POLICIES)) for c in o.choices
            ]
            yield from (*table((f"`{o.name}=`", "meaning"), rows), "")
        else:
            yield from (f"An integer ≥ 1, or `None` for all of them. The default is {_default(o.default)}.", "")
    yield "A [profile](profiles.md) sets several policies at once. [Ties](../explanations/ties.md) and [unjudged documents](../explanations/unjudged.md) show what the choices change."
    yield ""


def _default(value: object) -> str:
    return code(str(value))


def _profiles() -> Iterator[str]:
    yield from front(
        "Profiles", "The conventions of another tool, all at once, and where it gives another number all the same."
    )
    yield "A profile sets the conventions of another tool, all at once: `evaluate(…, profile=NAME)`, `--profile NAME`. Explicit parameters and options take precedence."
    yield "A profile may set policies for single measures; results print them as `policy of RR@10: …`. Each profile is compared with its tool in `tests/conformance/test_profiles.py`."
    yield ""
    for p in PROFILES.values():
        yield from (f"## {p.name}", "", prose(f"{p.text}.", PROFILES_PAGE), "")
        if p.policy:
            yield from (
                "Policies: " + ", ".join(code(f"{name}={value!r}") for name, value in p.policy.items()) + ".",
                "",
            )
        rows = [_convention(c) for c in p.conventions]
        if rows:
            yield from (*table(("measures", "convention"), rows), "")
        if p.except_for:
            yield from (f"**Not the same:** {prose(p.except_for, PROFILES_PAGE)}.", "")
    yield "[Conventions](../explanations/conventions.md) shows one measure under every profile; [moving in](../migration/index.md) has a page for each tool."
    yield ""


def _convention(c: object) -> tuple[str, str]:
    from judged.measures.profiles import Convention

    assert isinstance(c, Convention)
    words = [code(f"{n}={v!r}") for n, v in c.params.items()] + [
        f"policy {code(f'{n}={v!r}')}" for n, v in c.policy.items()
    ]
    words += [f"means {c.instead}"] if c.instead else []
    when = [f"{code(n)} set" if v is ... else code(f"{n}={v!r}") for n, v in c.when.items()]
    return ", ".join(c.measures.split()), ", ".join(words) + (f"; only with {', '.join(when)}" if when else "")
