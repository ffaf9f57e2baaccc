"""The package as pip builds it: with a compiler the native core, without one the reference, and the same values."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from needs import pythons
from packaging.requirements import Requirement

import judged as jd
import judged.core

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGE = {p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src" / "judged").rglob("*") if p.is_file()}
PACKAGE = {name for name in PACKAGE if not name.endswith((".so", ".pyd", ".pyc"))}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NATIVE = "cp311-cp311" if sys.version_info < (3, 12) else "cp312-abi3"

EVALUATE = """
import json
import warnings
import judged as jd
from judged.core import NATIVE
from judged.errors import JudgedWarning
warnings.simplefilter("ignore", JudgedWarning)  # q19 is absent from the run
files = jd.sample_path("qrels.txt"), jd.sample_path("runs/bm25.run")
values = [jd.evaluate(*files, "nDCG@10 AP RR bpref ERR", ties=ties).to_dict() for ties in ("id-desc", "input", "best")]
values += [jd.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"b": 0.1, "c": 0.1, "a": 0.0}}, "nDCG AP").to_dict()]
print(json.dumps([NATIVE, values]))
"""


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    """What the command prints, with these environment variables and none that would choose a compiler or a core."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "JUDGED_NATIVE", "PYTHONPATH")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=kept | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-8000:]}"
    return done.stdout


def pip(*words: str | Path, **variables: str) -> str:
    return run(sys.executable, "-m", "pip", *words, **variables)


class Venv:
    """A fresh virtual environment with what pip installs."""

    def __init__(self, folder: Path, *installed: str | Path, python: str = sys.executable):
        run(python, "-m", "venv", "--without-pip", folder)
        self.folder = folder
        self.python = folder / "bin" / "python"
        if installed:
            pip("--python", self.python, "install", "--quiet", "--no-compile", *installed)

    def evaluated(self) -> list:
        """Whether the native core is at work, and values of it."""
        return json.loads(run(self.python, "-c", EVALUATE))

    def demo(self) -> str:
        return run(self.folder / "bin" / "judged", "demo", cwd=self.folder).replace(str(self.folder), "")


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def tag(wheel: Path) -> str:
    return wheel.stem.split("-", 2)[2]


def binaries(wheel: Path) -> list[str]:
    return [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd", ".dylib"))]


@pytest.fixture(scope="module")
def tools(tmp_path_factory) -> str:
    """What a build needs, fetched once for the builds that do not test the fetching."""
    folder = tmp_path_factory.mktemp("tools")
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    pip("install", "--quiet", "--no-compile", "--target", folder, *needed, "cmake>=3.26", "ninja")
    return str(folder)


@pytest.fixture(scope="module")
def sdist(tools, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    run(sys.executable, "-c", code, cwd=ROOT, PYTHONPATH=tools)
    return only(folder)


def wheel_of(
    sdist: Path, tools: str, folder: Path, *options: str, python: str | Path = sys.executable, **variables: str
) -> tuple[Path, str]:
    """A wheel built from the source distribution, and the log of its build."""
    words = ["wheel", "--verbose", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, *options, sdist]
    log = pip("--python", python, *words, PYTHONPATH=tools, **variables)
    return only(folder), log


@pytest.fixture(scope="module")
def native(sdist, tools, tmp_path_factory) -> tuple[Path, str]:
    return wheel_of(sdist, tools, tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="module")
def hidden(tmp_path_factory) -> dict[str, str]:
    """An environment in which there is no compiler, nor anything else."""
    folder = tmp_path_factory.mktemp("nothing")
    return {"PATH": str(folder), "CXX": str(folder / "c++")}


@pytest.fixture(scope="module")
def reference(sdist, hidden, tmp_path_factory) -> Path:
    """The wheel as pip builds it for a user without a compiler: isolated, with tools from the registry."""
    folder = tmp_path_factory.mktemp("reference")
    pip("wheel", "--no-deps", "--wheel-dir", folder, sdist, **hidden)
    return only(folder)


@pytest.fixture(scope="module")
def with_native(native, tmp_path_factory) -> Venv:
    return Venv(tmp_path_factory.mktemp("with") / "venv", native[0])


@pytest.fixture(scope="module")
def without_native(reference, tmp_path_factory) -> Venv:
    return Venv(tmp_path_factory.mktemp("without") / "venv", reference)


def test_the_source_distribution_holds_what_a_build_needs_and_no_more(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    beside = {"CHANGELOG.md", "CMakeLists.txt", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    native = {
        p.relative_to(ROOT).as_posix() for folder in ("licenses", "src/native") for p in (ROOT / folder).iterdir()
    }
    assert names == beside | native | {f"src/{name}" for name in PACKAGE}


def test_a_compiler_gives_the_native_core_for_the_stable_abi_where_python_has_one(native):
    wheel, _ = native
    assert tag(wheel).startswith(NATIVE)
    assert [Path(name).name.split(".")[0] for name in binaries(wheel)] == ["_native"]
    assert ("abi3" in binaries(wheel)[0]) == (NATIVE == "cp312-abi3")


def test_the_native_core_compiles_without_a_warning(native):
    assert [line for line in native[1].splitlines() if "src/native" in line and "warning:" in line] == []


def test_without_a_compiler_the_wheel_is_pure_python(reference):
    assert tag(reference) == "py3-none-any"
    assert binaries(reference) == []


def test_both_wheels_hold_the_whole_package(native, reference):
    for wheel in (native[0], reference):
        inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("judged/")}
        assert inside - set(binaries(wheel)) == PACKAGE


def test_the_wheel_holds_the_licences_of_what_is_compiled_in(native):
    with zipfile.ZipFile(native[0]) as wheel:
        inside = {name: wheel.read(name) for name in wheel.namelist() if "/licenses/" in name}
    files = [ROOT / "LICENSE", *(ROOT / "licenses").iterdir()]
    assert {name.split("/licenses/", 1)[1]: text for name, text in inside.items()} == {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files
    }


def test_the_examples_of_the_readme_run_where_only_the_wheel_is_installed(with_native):
    said = run(with_native.python, ROOT / "tools" / "run_page.py", ROOT / "README.md", cwd=with_native.folder)
    assert re.search(r"[1-9]\d* blocks? run", said), said


def test_both_give_the_same_bits(with_native, without_native):
    native, values = with_native.evaluated()
    assert native is True
    assert without_native.evaluated() == [False, values]


def test_a_compiler_that_passes_every_check_and_then_fails_is_as_good_as_none(sdist, tools, tmp_path):
    real = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    compiler = tmp_path / "c++"
    fails = 'case "$*" in *_native.dir*|*nanobind*) exit 1;; esac'
    compiler.write_text(f'#!/bin/sh\n{fails}; exec {real} "$@"\n')
    compiler.chmod(0o755)
    wheel, log = wheel_of(sdist, tools, tmp_path / "wheel", CXX=str(compiler))
    assert tag(wheel) == "py3-none-any"
    assert binaries(wheel) == []
    assert "built without its native core" in log


def test_an_editable_install_without_a_compiler_runs_from_the_sources(sdist, tools, hidden, without_native, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / sdist.name.removesuffix(".tar.gz")
    venv = Venv(tmp_path / "venv")
    words = ["install", "--quiet", "--no-compile", "--no-build-isolation", "--editable", source]
    pip("--python", venv.python, *words, PYTHONPATH=tools, **hidden | {"PATH": f"{tools}/bin"})
    assert run(venv.python, "-c", "import judged; print(judged.__file__)").strip().startswith(str(source))
    assert venv.evaluated() == without_native.evaluated()


@pytest.mark.needs("pythons")
def test_one_wheel_of_the_stable_abi_serves_later_pythons(sdist, tools, with_native, tmp_path):
    found = pythons()
    first, last = found[min(found)], found[max(found)]
    unoptimised = "--config-settings=cmake.build-type=None"  # sooner built, and the ABI is the same
    wheel, _ = wheel_of(sdist, tools, tmp_path / "wheel", unoptimised, python=first)
    assert tag(wheel).startswith("cp312-abi3-")
    assert binaries(wheel) == ["judged/core/_native.abi3.so"]
    assert Venv(tmp_path / "last", wheel, python=last).evaluated() == with_native.evaluated()


COMMANDS = {
    "eval": ["eval", "QRELS", "BM25", "-m", "nDCG@10", "AP"],
    "compare": ["compare", "QRELS", "BM25", "DENSE"],
    "gate": ["gate", "QRELS", "DENSE", "-b", "BM25", "--max-drop", "1"],
    "report": ["report", "QRELS", "BM25", "DENSE", "-o", "page.html"],
    "explain": ["explain", "nDCG@10", "QRELS", "BM25"],
    "doctor": ["doctor"],
}
LACKING = {  # what asks for an optional package, and the words of the answer
    "a Parquet file": (["convert", "BM25", "run.parquet"], "judged[parquet]"),
    "a picture": (["curve", "pr", "QRELS", "BM25", "-o", "curve.png"], "judged[plot]"),
}


@pytest.fixture(scope="module")
def command(without_native, tmp_path_factory):
    """A command in an environment without optional packages: exit code, output, errors."""
    sample = run(without_native.python, "-c", "import judged; print(judged.sample_path('qrels.txt').parent)").strip()
    known = {"QRELS": "qrels.txt", "BM25": "runs/bm25.run", "DENSE": "runs/dense.run"}
    folder = tmp_path_factory.mktemp("commands")

    def called(words: list[str]) -> subprocess.CompletedProcess[str]:
        words = [str(Path(sample, known[word])) if word in known else word for word in words]
        program = [str(without_native.folder / "bin" / "judged"), *words]
        return subprocess.run(program, cwd=folder, capture_output=True, text=True, encoding="utf-8")

    return called


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_work_without_optional_packages(command, name):
    done = command(COMMANDS[name])
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", LACKING)
def test_what_needs_an_optional_package_says_what_to_install(command, name):
    words, answer = LACKING[name]
    done = command(words)
    assert done.returncode == 2
    assert "[needs]" in done.stderr
    assert f"pip install {answer}" in done.stderr.replace("'", "").replace('"', "")
    assert answer.partition("[")[2].rstrip("]") in PROJECT["optional-dependencies"]


def lowest(*extras: str) -> list[str]:
    """The dependencies of the package and of some extras, pinned to the lowest version that they may have."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    pinned = []
    for needed in map(Requirement, lines):
        [bound] = [one for one in needed.specifier if one.operator == ">="]
        if needed.marker is None or needed.marker.evaluate():
            pinned.append(f"{needed.name}=={bound.version}")
    return pinned


# Tests of others of the paired tests call SciPy, their peer, with arguments that only newer versions have.
CORE = "core clicks evaluation/test_evaluate.py evaluation/test_values.py measures stats/paired/test_permutation.py io/formats/test_parquet.py"


@pytest.mark.needs("lowest python")
def test_the_lowest_supported_versions_work(native, with_native, tmp_path):
    pinned = lowest("parquet", "plot")
    venv = Venv(tmp_path / "lowest", native[0], *pinned, "pytest", "hypothesis")
    freeze = "from importlib.metadata import version; import sys; print(*map(version, sys.argv[1:]))"
    names, versions = zip(*(one.split("==") for one in pinned), strict=True)
    installed = run(venv.python, "-c", freeze, *names).split()
    assert all(
        found == given or found.startswith(f"{given}.") for found, given in zip(installed, versions, strict=True)
    )
    assert venv.evaluated() == with_native.evaluated()
    assert venv.demo() == with_native.demo()
    for name in COMMANDS:
        assert "Usage:" in run(venv.folder / "bin" / "judged", name, "--help")
    run(venv.folder / "bin" / "judged", "curve", "pr", *map(jd.sample_path, ("qrels.txt", "runs/bm25.run")), "-o", tmp_path / "curve.png")  # fmt: skip
    tests = [ROOT / "tests" / "unit" / name for name in CORE.split()]
    words = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-x", "--basetemp", tmp_path / "base"]
    said = run(venv.python, "-m", "pytest", *words, *tests, cwd=ROOT, CI="")
    assert int(re.search(r"(\d+) passed", said)[1]) > 500
