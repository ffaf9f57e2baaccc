"""`python -m tools.site`: build the documentation into `build/site` and check it; `serve` shows it and follows changes."""

from __future__ import annotations

import sys

from tools.site.build import BUILD, ROOT, build, serve
from tools.site.links import check_files, check_site


def main(words: list[str]) -> int:
    """Build, or build and serve; return 1 if something is wrong with the pages."""
    pages = build()
    if words == ["serve"]:
        serve()
        return 0
    site, files = check_site(BUILD / "site"), check_files(ROOT)
    for problem in [*site.problems, *files.problems]:
        print(problem)
    print(
        f"{len(pages)} pages, {site.links + files.links} links checked, {len(site.problems) + len(files.problems)} problems; the site is in {BUILD.relative_to(ROOT)}/site"
    )
    return 1 if site.problems or files.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
