"""Mutation testing of `measures/` and `stats/`: would the tests notice a mistake in each line?

    python tools/mutate.py            # map, run and report; continues where it stopped
    python tools/mutate.py --again    # only the survivors of the last run, after tests were added

First all tests run once, to learn which test reaches which line. Then each mutant runs, in a forked process that has
already collected the tests, those tests that reach its line: past killers first, then the fastest, until one fails.
The mutated code replaces the code of the living functions, so that nothing is imported again. A mutant outside of
functions, and one that survives, runs once more in a process that has not imported judged. A mutant that takes ten times as long
as the test, plus five seconds, counts as killed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "judged"
STATE = ROOT / ".mutate"
PACKAGES = ("measures", "stats")
TESTS = (
    "laws", "unit/measures", "unit/stats", "unit/comparison", "unit/correlation", "unit/judges", "unit/curves", "unit/evaluation",
    "architecture/test_examples.py", "conformance/test_notes.py", "conformance/test_cwl.py", "conformance/test_diversity.py",
    "conformance/test_ntcireval.py", "conformance/test_agreement.py", "conformance/test_correlation.py", "conformance/test_arrays.py",
    "conformance/test_profiles.py", "conformance/test_trec_eval.py",
)  # fmt: skip
CHOSEN = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow and not spark and not browser"]
FIRST, SECOND = 3.0, 60.0  # seconds of tests per mutant: in the first pass, and for its survivors
HEAVY = (
    "torch",
    "jax",
    "jaxlib",
    "pyspark",
    "lightning",
    "torchmetrics",
    "rax",
    "judged",
    "tests",
    "conftest",
    "numba",
    "ranx",
)


class Mapping:
    """A pytest plugin that learns the lines each test reaches and the time it takes."""

    def __init__(self) -> None:
        import coverage

        self.seconds: dict[str, float] = {}
        self.coverage = coverage.Coverage(
            data_file=None, include=[f"{SOURCE / name}/*" for name in PACKAGES], config_file=False
        )

    def pytest_configure(self) -> None:
        self.coverage.start()

    def pytest_runtest_protocol(self, item: Any) -> None:
        for module in [m for n, m in list(sys.modules.items()) if n.startswith("judged.")]:
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", int)()  # a cached result would hide that a test needs the function
        self.coverage.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + (report.duration if report.passed else 1e9)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        tests = [test for test, seconds in self.seconds.items() if seconds < 1e6]
        number = {test: i for i, test in enumerate(tests)}
        data, lines = self.coverage.get_data(), {}
        for file in data.measured_files():
            reached = {
                line: sorted(number[t] for t in found if t in number)
                for line, found in data.contexts_by_lineno(file).items()
            }
            lines[str(Path(file).relative_to(SOURCE))] = {line: found for line, found in reached.items() if found}
        third = {n.partition(".")[0] for n in sys.modules} - set(HEAVY)
        modules = [
            n
            for n, m in sys.modules.items()
            if n.partition(".")[0] in third and getattr(m, "__file__", None) and "site-packages" in str(m.__file__)
        ]
        STATE.mkdir(exist_ok=True)
        (STATE / "map.json").write_text(
            json.dumps(
                {"tests": tests, "seconds": [self.seconds[t] for t in tests], "lines": lines, "modules": modules}
            )
        )


class Plan:
    """The mutants, and the tests that reach each."""

    def __init__(self) -> None:
        from mutations import MutatedFile

        found = json.loads((STATE / "map.json").read_text())
        self.tests, self.seconds, self.modules = (
            found["tests"],
            dict(zip(found["tests"], found["seconds"], strict=True)),
            found["modules"],
        )
        self.lines = {path: {int(k): v for k, v in lines.items()} for path, lines in found["lines"].items()}
        paths = sorted(str(p.relative_to(SOURCE)) for name in PACKAGES for p in (SOURCE / name).rglob("*.py"))
        self.files = {path: MutatedFile(SOURCE, path) for path in paths}
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)

    def in_order(self, seed: int, inside: bool) -> list[Any]:
        """Mutants inside or outside of functions, so that any first part of them is a sample stratified by file."""
        draw, placed = random.Random(seed), []
        for file in self.files.values():
            some = [m for m in file.mutants if m.scope.startswith("def ") == inside]
            draw.shuffle(some)
            placed += [((i + draw.random()) / len(some), m.key, m) for i, m in enumerate(some)]
        return [m for _, _, m in sorted(placed, key=lambda p: p[:2])]

    def reached(self, mutant: Any, seconds: float) -> list[str]:
        """The tests for a mutant, up to this many seconds: past killers, then one case of each test function, a second one …, the fastest first."""
        lines = self.lines.get(mutant.path, {})
        if mutant.scope.startswith("def "):
            numbers = {t for line in range(mutant.lines[0], mutant.lines[1] + 1) for t in lines.get(line, ())}
        else:
            numbers = {t for found in lines.values() for t in found}
        killers, total, chosen = self.killers[mutant.path + mutant.scope], 0.0, []
        turn: Counter[str] = Counter()
        order = []
        for test in sorted((self.tests[n] for n in numbers), key=self.seconds.__getitem__):
            name = test.partition("[")[0]
            turn[name] += 1
            order.append((-killers[test], turn[name], self.seconds[test], test))
        for *_, test in sorted(order):
            total += self.seconds[test]
            if chosen and total > seconds:
                break
            chosen.append(test)
        return chosen


def fork_each(
    mutants: Iterable[Any],
    work: Callable[[Any], str | None],
    done: Callable[[Any, str, str, float], None],
    workers: int,
    stop: float,
) -> None:
    """Call `work`, which returns the test that failed or None, in a process for each mutant; `done(mutant, status, killer, seconds)`."""
    waiting, living = iter(mutants), {}
    pending = next(waiting, None)
    while pending is not None or living:
        while pending is not None and len(living) < workers and time.time() < stop:
            place = tempfile.mkdtemp(prefix="mutant-")
            pid = os.fork()
            if not pid:
                _child(place, work, pending)
            living[pid], pending = (pending, place, time.time()), next(waiting, None)
        if time.time() >= stop and not living:
            return
        pid, status, used = os.wait4(-1, os.WNOHANG)
        if not pid:
            for old, (_, _, since) in living.items():
                if time.time() - since > 600:
                    os.kill(old, signal.SIGKILL)
            time.sleep(0.005)
            continue
        mutant, place, _ = living.pop(pid)
        killer = Path(place, "killer")
        name = killer.read_text() if killer.exists() else ""
        shutil.rmtree(place, ignore_errors=True)
        verdict = "timeout" if os.WIFSIGNALED(status) else "survived" if name == "none" else "killed"
        done(mutant, verdict, name, used.ru_utime + used.ru_stime)


def _child(place: str, work: Callable[[Any], str | None], mutant: Any) -> None:
    try:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = tempfile.tempdir = place
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        Path(place, "killer").write_text(work(mutant) or "none")
    finally:
        os._exit(0)


def limit(seconds: float) -> None:
    """End this process if it uses much more processor time than a test took."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + 10 * seconds + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


class Running:
    """A pytest plugin that takes over once all tests are collected: each mutant in a fork of this process."""

    def __init__(self, plan: Plan, mutants: list[Any], done: Callable[..., None], options: Any) -> None:
        self.plan, self.mutants, self.done, self.options, self.failed = plan, mutants, done, options, False

    def pytest_collection(self) -> None:
        no_shrinking()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        code = {path: str(SOURCE / path) for path in self.plan.files}
        living: dict[str, list[FunctionType]] = defaultdict(list)
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename.startswith(str(SOURCE)):
                living[value.__code__.co_filename].append(value)
        gc.freeze()

        def work(mutant: Any) -> str | None:
            from mutations import functions

            changed = {key_of(c): c for c in functions(self.plan.files[mutant.path].compiled(mutant))}
            for function in living[code[mutant.path]]:
                new = changed.get(key_of(function.__code__))
                if new is not None and new.co_freevars == function.__code__.co_freevars:
                    function.__code__ = new
            chosen = [items[t] for t in self.plan.reached(mutant, self.options.seconds) if t in items]
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                limit(self.plan.seconds[item.nodeid])
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    return str(item.nodeid)
            return None

        fork_each(self.mutants, work, self.done, self.options.workers, self.options.stop)
        return True


def key_of(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def no_shrinking() -> None:
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutate",
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutate")


class Chosen:
    """A pytest plugin that runs some tests, in a given order, and notes the first that fails."""

    def __init__(self, tests: list[str], seconds: dict[str, float]) -> None:
        self.order, self.seconds, self.killer = {t: i for i, t in enumerate(tests)}, seconds, ""

    def pytest_collection(self) -> None:
        no_shrinking()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_setup(self, item: Any) -> None:
        limit(self.seconds[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.killer = self.killer or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.killer = self.killer or f"collection of {report.nodeid}"


def run_anew(plan: Plan, mutants: list[Any], done: Callable[..., None], options: Any) -> None:
    """Run mutants in forks of a process that has imported libraries, but not judged."""
    import pytest

    for name in plan.modules:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: S112
            continue
    assert not any(n.partition(".")[0] == "judged" for n in sys.modules)
    gc.freeze()

    def work(mutant: Any) -> str | None:
        from importlib.machinery import SourceFileLoader

        file, original = plan.files[mutant.path], SourceFileLoader.get_code

        def get_code(loader: Any, name: str) -> Any:
            return file.compiled(mutant) if loader.path == file.path else original(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        tests = plan.reached(mutant, options.second)
        limit(20)
        chosen = Chosen(tests, plan.seconds)
        try:
            status = pytest.main(
                [*CHOSEN, "-x", "-s", *sorted({t.partition("::")[0] for t in tests})], plugins=[chosen]
            )
        except BaseException as problem:
            return f"import: {type(problem).__name__}"
        return chosen.killer or (f"exit status {status}" if status not in (0, 5) else None)

    fork_each(mutants, work, done, options.workers, options.stop)


def report(results: dict[str, Any], plan: Plan) -> None:
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for file in plan.files.values():
        for mutant in file.mutants:
            where = "functions" if mutant.scope.startswith("def ") else "declarations"
            row = table[mutant.path.partition("/")[0], where]
            row["all"] += 1
            if mutant.key in results:
                row[results[mutant.key]["status"]] += 1
    print(
        f"{'package':<10}{'where':<14}{'mutants':>8}{'run':>7}{'killed':>8}{'timeout':>8}{'unreached':>10}{'survived':>9}{'score':>8}"
    )
    for (package, where), row in sorted(table.items()):
        run = sum(row[s] for s in ("killed", "timeout", "unreached", "survived"))
        score = (row["killed"] + row["timeout"]) / run if run else 0.0
        print(
            f"{package:<10}{where:<14}{row['all']:>8}{run:>7}{row['killed']:>8}{row['timeout']:>8}{row['unreached']:>10}{row['survived']:>9}{score:>8.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inside", type=int, default=3000, help="number of mutants of functions")
    parser.add_argument("--outside", type=int, default=300, help="number of mutants of declarations and constants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--seconds", type=float, default=FIRST, help="seconds of tests per mutant")
    parser.add_argument("--second", type=float, default=SECOND)
    parser.add_argument("--phase", choices=["map", "inside", "anew", "report"])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.stop = time.time() + 60 * options.minutes
    if options.phase is None:
        for phase in ("map", "inside", "anew", "report"):
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--phase", phase], check=True, cwd=ROOT)
        return
    os.chdir(ROOT)
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    sys.path.insert(0, str(Path(__file__).parent))
    tests = [f"tests/{name}" for name in TESTS]
    if options.phase == "map":
        import pytest

        sys.exit(pytest.main([*CHOSEN, *tests], plugins=[Mapping()]))
    plan = Plan()
    log = STATE / "results.jsonl"
    results = {r["key"]: r for r in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    for r in results.values():
        if r["status"] == "killed":
            plan.killers[r["path"] + r["scope"]][r["killer"]] += 1
    if options.phase == "report":
        report(results, plan)
        return

    def done(mutant: Any, status: str, killer: str, seconds: float) -> None:
        row = {
            "key": mutant.key,
            "path": mutant.path,
            "scope": mutant.scope,
            "line": mutant.lines[0],
            "status": status,
            "killer": killer,
            "seconds": round(seconds, 2),
            "phase": options.phase,
        }
        results[mutant.key] = row
        if status == "killed":
            plan.killers[mutant.path + mutant.scope][killer] += 1
        with log.open("a") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")

    inside = [m for m in plan.in_order(options.seed, True)[: options.inside] if options.only in m.key]
    outside = [m for m in plan.in_order(options.seed, False)[: options.outside] if options.only in m.key]
    if options.phase == "inside":
        if options.again:
            inside = [m for m in inside if results.get(m.key, {}).get("status") in ("survived", "unreached")]
        else:
            inside = [m for m in inside if m.key not in results]
        for mutant in inside:
            if not plan.reached(mutant, FIRST):
                done(mutant, "unreached", "", 0.0)
        inside = [m for m in inside if plan.reached(m, FIRST)]
        import pytest

        pytest.main([*CHOSEN, "-s", *tests], plugins=[Running(plan, inside, done, options)])
    if options.phase == "anew":
        left = [
            m
            for m in inside
            if results.get(m.key, {}).get("status") == "survived" and results[m.key]["phase"] == "inside"
        ]
        left += [
            m for m in outside if m.key not in results or (options.again and results[m.key]["status"] == "survived")
        ]
        run_anew(plan, left, done, options)


if __name__ == "__main__":
    main()
