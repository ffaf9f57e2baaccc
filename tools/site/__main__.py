"""`python -m tools.site`: build the documentation into `build/site` and check it; `serve` shows it and follows changes."""

from __future__ import annotations

import sys
import warnings

from tools.site.build import BUILD, ROOT, build, serve
from tools.site.complete import missing
from tools.site.links import check_files, check_site
from tools.site.spelling import all_texts, check_spelling

from judged.errors import JudgedWarning


def main(words: list[str]) -> int:
    """Build, or serve; return 1 if something is wrong with the pages."""
    warnings.simplefilter("ignore", JudgedWarning)  # examples show what results say
    if words == ["serve"]:
        serve()
        return 0
    pages = build()
    site, files, found = check_site(BUILD / "site"), check_files(ROOT), missing(pages)
    spelling = check_spelling(all_texts(pages))
    problems = [*site.problems, *files.problems]
    problems += [f"no page describes {name} ({kind})" for kind, (_, names) in found.items() for name in names]
    problems += [f"spelling: {line}" for line in spelling]
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages; {site.links + files.links:,} links and anchors checked")
    print(
        "documented: " + ", ".join(f"{count - len(names)} of {count} {kind}" for kind, (count, names) in found.items())
    )
    print(
        f"{len(problems)} problems"
        if problems
        else f"the site is in {BUILD.relative_to(ROOT)}/site; make docs-serve shows it"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
