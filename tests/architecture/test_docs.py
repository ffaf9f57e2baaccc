"""What is generated inside written pages is what the declarations make."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = """
import make_docs
for page in make_docs.pages():
    assert page.read_text(encoding="utf-8") == make_docs.current(page), f"{page}: run python tools/make_docs.py"
"""
PUBLISHED = """
import make_docs
text = "`pip install '.[plot]'` in a clone, or `'.[all]'`. See '.'.\\n$ pip install .\\n"
assert make_docs.install_words(text) == "`pip install 'judged[plot]'`, or `'judged[all]'`. See '.'.\\n$ pip install judged\\n"
assert "uvx judged demo" in "\\n".join(make_docs.install_lines())
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    # In a process of its own: files of measures that other tests imported first would come first.
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tools", capture_output=True, text=True)


def test_what_is_generated_in_pages_is_what_the_declarations_make():
    done = run(CHECK)
    assert done.returncode == 0, done.stderr


def test_one_word_switches_every_page_to_the_published_package(tmp_path):
    source = (ROOT / "tools" / "make_docs.py").read_text(encoding="utf-8")
    published = source.replace("PUBLISHED = False", "PUBLISHED = True")
    assert published != source
    (tmp_path / "make_docs.py").write_text(published, encoding="utf-8")
    done = run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PUBLISHED}")
    assert done.returncode == 0, done.stderr
