"""The generated pages are those that the declarations make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = """
import make_docs
assert make_docs.TARGET.read_text(encoding="utf-8") == make_docs.page(), "run: python tools/make_docs.py"
comparison = make_docs.COMPARISON.read_text(encoding="utf-8")
assert comparison == make_docs.comparison_page(comparison), "run: python tools/make_docs.py"
formats = make_docs.FORMATS.read_text(encoding="utf-8")
assert formats == make_docs.formats_page(formats), "run: python tools/make_docs.py"
fusion = make_docs.FUSION.read_text(encoding="utf-8")
assert fusion == make_docs.fusion_page(fusion), "run: python tools/make_docs.py"
"""


def test_the_generated_pages_are_those_that_the_declarations_make():
    # In a process of its own: files of measures that other tests imported first would come first.
    done = subprocess.run([sys.executable, "-c", CHECK], cwd=ROOT / "tools", capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
