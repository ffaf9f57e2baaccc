"""The scripts of the page: linted, formatted, typed, and tested without a browser. deno does all four, and comes from the Python registry."""

import json
import subprocess
import tempfile
from pathlib import Path
from random import Random

import pytest
from needs import DENO

ROOT = Path(__file__).parents[2]
PAGE = ["src/judged/page/web", "docs/interactive", "tests/page"]

# Nothing of the caller's, and a folder of its own for what deno keeps.
ALONE = {"NO_COLOR": "1", "DENO_DIR": str(Path(tempfile.gettempdir()) / "judged-deno"), "PATH": "/usr/bin:/bin"}

pytestmark = pytest.mark.needs("deno")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["lint"], ["fmt", "--check"], ["check"], ["test", "--no-prompt", "--allow-read=src"]],
    ids=lambda words: words[0],
)
def test_deno_finds_nothing(words):
    folders = ["tests/page"] if words[0] == "test" else PAGE
    done = subprocess.run([DENO, *words, *folders], cwd=ROOT, capture_output=True, text=True, env=ALONE)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_numbers_are_written_as_python_writes_them(tmp_path):
    """Ties at the last decimal included: every second value here is a fraction of a power of two."""
    random = Random(0)
    values = [random.random() * 10 ** random.randrange(-6, 4) for _ in range(5_000)]
    values += [random.choice((-1, 1)) * random.randrange(4_096) / 2 ** random.randrange(1, 14) for _ in range(5_000)]
    script = tmp_path / "numbers.js"
    module = (ROOT / PAGE[0] / "data" / "format.js").as_uri()
    script.write_text(
        f'import {{ numberText }} from "{module}";\nconst values = {values};\n'
        "console.log(JSON.stringify([0, 2, 4].map((places) => values.map((value) => numberText(value, places)))));\n"
    )
    done = subprocess.run([DENO, "run", "--quiet", str(script)], capture_output=True, text=True, env=ALONE)
    wanted = [[f"{value:z.{places}f}".replace("-", "−") for value in values] for places in (0, 2, 4)]
    assert json.loads(done.stdout) == wanted, done.stderr
