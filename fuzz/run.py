"""Hostile input: build the native core with sanitizers, and fuzz it against the reference.

    python fuzz/run.py --seconds 60     build, fuzz; fails with the input in build/fuzz/found
    python fuzz/run.py --replay FILE    what is wrong with such an input

Nine fuzzers take turns: `scan` (scan.cpp, libFuzzer alone: fast), then the targets of compare.py (atheris), guided by the
coverage of the C++, under AddressSanitizer and UndefinedBehaviorSanitizer; then files.py, which needs neither. Corpora are kept in build/fuzz/corpus from
one call to the next.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
SHARE = {
    "scan": 0.15,
    "lines": 0.2,
    "tables": 0.15,
    "numbers": 0.05,
    "rows": 0.1,
    "mapping": 0.1,
    "documents": 0.05,
    "json": 0.1,
    "files": 0.1,
}  # of the time
LONGEST = 2048  # bytes of an input; `inputs.py` puts more around it where that matters
PACKAGES = ("clang", "llvm", "libclang-rt-dev")  # the last is part of the first on some systems

SANITIZED = (
    "-g -fno-omit-frame-pointer -fno-sanitize-recover=undefined -D_GLIBCXX_ASSERTIONS -D_GLIBCXX_SANITIZE_VECTOR "
    "-fsanitize={fuzzer},address,undefined -fno-sanitize=vptr,function"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for all fuzzers together")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="an input that a fuzzer left")
    parser.add_argument("--only", choices=SHARE, action="append", help="these fuzzers")
    chosen = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # cmake and ninja
    if chosen.only == ["files"]:
        raise SystemExit(not fuzz_files(chosen.seconds))
    need_compiler()
    scan, extension = build_scan(), build_extension()
    if chosen.replay:
        target = chosen.replay.name.partition("-")[0]
        command = [str(scan)] if target == "scan" else [*compare(), "--replay", target]
        raise SystemExit(call([*command, str(chosen.replay.resolve())], extension, target).returncode)
    shutil.rmtree(BUILD / "seeds", ignore_errors=True)
    run([sys.executable, "-m", "fuzz.seeds", str(BUILD / "seeds")])
    targets = chosen.only or list(SHARE)
    whole = sum(SHARE[target] for target in targets)
    seconds = {t: round(chosen.seconds * SHARE[t] / whole) for t in targets}
    good = [fuzz_files(seconds[t]) if t == "files" else fuzz(t, scan, extension, seconds[t]) for t in targets]
    raise SystemExit(not all(good))


def fuzz_files(seconds: int) -> bool:
    """The files that Python alone reads and writes, without sanitizers."""
    command = [sys.executable, "-m", "fuzz.files", "--seconds", str(seconds)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def fuzz(target: str, scan: Path, extension: Path, seconds: int) -> bool:
    """One fuzzer for some time; whether nothing was found. `scan` and `lines` share their corpus."""
    inputs = "lines" if target == "scan" else target
    corpus, found = BUILD / "corpus" / inputs, BUILD / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    known = set(found.glob(f"{target}-*"))
    command = [str(scan)] if target == "scan" else [*compare(), target]
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-artifact_prefix={found}/{target}-", "-timeout=20",
               "-rss_limit_mb=4096"]  # fmt: skip
    if (words := BUILD / "seeds" / f"{inputs}.dict").exists():
        options.append(f"-dict={words}")
    print(f"── {target}, {seconds} s", flush=True)
    done = call([*command, *options, str(corpus), str(BUILD / "seeds" / inputs)], extension, target, quiet=True)
    lines = done.stderr.splitlines()
    if done.returncode:
        print("\n".join(line for line in lines if "\tNEW" not in line and "\tREDUCE" not in line))
        for file in set(found.glob(f"{target}-*")) - known:
            print(f"\nto see it again: {sys.executable} fuzz/run.py --replay {file.relative_to(ROOT)}", flush=True)
        return False
    print("\n".join(line for line in lines if "\tDONE" in line), flush=True)
    return True


# ── building ─────────────────────────────────────────────────────────────────────────────────────


def need_compiler() -> None:
    if has_sanitizers():
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        run(["apt-get", "update", "--quiet"])
        for package in PACKAGES:
            subprocess.run(["apt-get", "install", "--yes", "--quiet", package])
    if not has_sanitizers():
        raise SystemExit(f"clang++ with its sanitizers is missing; as root: apt-get install {' '.join(PACKAGES)}")


def has_sanitizers() -> bool:
    if not shutil.which("clang++"):
        return False
    command = ["clang++", "-fsanitize=fuzzer,address,undefined", "-x", "c++", "-", "-o", os.devnull]
    code = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    return subprocess.run(command, input=code, text=True, capture_output=True).returncode == 0


def build_scan() -> Path:
    """`scan.cpp`, a program of its own."""
    BUILD.mkdir(parents=True, exist_ok=True)
    out, judgments = BUILD / "scan", ROOT / "fuzz" / "judgments.tsv"
    native = ROOT / "src" / "native"
    sources = [ROOT / "fuzz" / "scan.cpp", native / "pool.cpp"]
    flags = ["-std=c++20", "-O2", "-pthread", *SANITIZED.format(fuzzer="fuzzer").split()]
    if os.uname().machine == "x86_64":
        flags.append("-march=x86-64-v2")
    if not newer(out, [*sources, *native.glob("*.hpp")]):
        run(["clang++", *flags, f"-I{native}", f'-DJUDGMENTS="{judgments}"', *map(str, sources), "-o", str(out)])
    return out


def build_extension() -> Path:
    """The extension, as CMakeLists.txt has it, with sanitizers that atheris brings the runtime for."""
    folder = BUILD / "extension"
    nanobind = output([sys.executable, "-m", "nanobind", "--cmake_dir"])
    settings = {
        "CMAKE_CXX_COMPILER": "clang++",
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_CXX_FLAGS": SANITIZED.format(fuzzer="fuzzer-no-link"),
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind,
    }
    given = [f"-D{name}={value}" for name, value in settings.items()]
    run(["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(folder), *given], quiet=True)
    # without its stubs, for which it would be imported, and the sanitizers' runtime is not there yet
    run(["cmake", "--build", str(folder), "--target", "_native", "--parallel", str(os.cpu_count() or 1)], quiet=True)
    return next(folder.glob("_native*.so"))


def newer(out: Path, sources: list[Path]) -> bool:
    return out.exists() and out.stat().st_mtime > max(source.stat().st_mtime for source in sources)


# ── calling ──────────────────────────────────────────────────────────────────────────────────────


def compare() -> list[str]:
    return [sys.executable, "-m", "fuzz.compare"]


def call(command: list[str], extension: Path, target: str, *, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """A fuzzer, with the sanitizers' runtime in front of everything else."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "JUDGED_FUZZ_NATIVE": str(extension),
        "ASAN_OPTIONS": "allocator_may_return_null=1" + ("" if target == "scan" else ":detect_leaks=0"),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    if target != "scan":
        where = output([sys.executable, "-c", "import atheris; print(atheris.path())"])
        environment["LD_PRELOAD"] = str(Path(where) / "asan_with_fuzzer.so")
    said = subprocess.PIPE if quiet else None
    return subprocess.run(command, env=environment, cwd=ROOT, text=True, errors="replace", stderr=said)


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, cwd=ROOT).stdout.strip()


def run(command: list[str], *, quiet: bool = False) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE if quiet else None)
    if done.returncode:
        raise SystemExit(f"{done.stdout or ''}{' '.join(command)} failed")


if __name__ == "__main__":
    main()
