"""axe-core, the accessibility checker, on a page in the browser."""

from needs import AXE

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page):
    """What axe-core finds, as lines."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("tags => axe.run(document, { runOnly: tags, resultTypes: ['violations'] })", TAGS)
    return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]
