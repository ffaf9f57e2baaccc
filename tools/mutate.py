"""Mutation testing of `measures/` and `stats/`: would the tests notice a small mistake?

    python tools/mutate.py                    # map, run, report; continues where it stopped
    python tools/mutate.py --again            # only the survivors of the last run, after tests were added
    python tools/mutate.py --mutants 99999    # all mutants of functions, instead of a sample stratified by file

First all tests run once with coverage, to learn which of them reach which line. Then each mutant runs the tests that
reach its line: past killers first, then one case of every test function, then a second one, and so on, until one fails or the
seconds of a mutant are over. A mutant of a function runs in a fork of a process that has collected the tests; its code replaces
the code of the living functions, so that nothing is imported again. A mutant of a declaration runs in a fork of a process that
has not imported judged. One that uses ten times the processor time of a test, plus five seconds, counts as killed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from mutations import Mutant, MutatedFile, functions
from processes import fork_each, limit

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "judged"
STATE = ROOT / ".mutate"
PACKAGES = ("measures", "stats")
TESTS = (
    "laws", "unit/measures", "unit/stats", "unit/comparison", "unit/correlation", "unit/judges", "unit/curves", "unit/evaluation",
    "architecture/test_examples.py", "conformance/test_notes.py", "conformance/test_cwl.py", "conformance/test_diversity.py",
    "conformance/test_ntcireval.py", "conformance/test_agreement.py", "conformance/test_correlation.py", "conformance/test_arrays.py",
    "conformance/test_profiles.py", "conformance/test_trec_eval.py", "conformance/test_trec_eval_flags.py",
)  # fmt: skip
PYTEST = ["-q", "-s", "-p", "no:cacheprovider", "-m", "not slow and not spark and not browser"]
OURS = ("judged", "tests", "conftest")
UNSAFE = (
    "torch",
    "jax",
    "jaxlib",
    "pyspark",
    "lightning",
    "torchmetrics",
    "rax",
    "numba",
    "ranx",
)  # they start threads, which a fork loses


class Mapping:
    """A pytest plugin that learns the lines that each test reaches, and its time."""

    def __init__(self) -> None:
        import coverage

        self.seconds: dict[str, float] = {}
        include = [f"{SOURCE / name}/*" for name in PACKAGES]
        self.coverage = coverage.Coverage(data_file=None, include=include, config_file=False)

    def pytest_configure(self) -> None:
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        for module in [m for n, m in list(sys.modules.items()) if n.startswith("judged.")]:
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", int)()  # a cached result hides that a test needs the function
        self.coverage.switch_context(item.nodeid)
        before = time.process_time()  # not the time on the clock: other processes may be busy
        done = yield
        self.seconds[item.nodeid] = time.process_time() - before
        return done

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data, number, lines = self.coverage.get_data(), {test: i for i, test in enumerate(self.seconds)}, {}
        for file in data.measured_files():
            reached = {
                n: sorted(number[t] for t in found if t in number) for n, found in data.contexts_by_lineno(file).items()
            }
            lines[str(Path(file).relative_to(SOURCE))] = {n: found for n, found in reached.items() if found}
        left_out = {*OURS, *UNSAFE}
        modules = [
            n
            for n, m in sys.modules.items()
            if "site-packages" in str(getattr(m, "__file__", "")) and n.partition(".")[0] not in left_out
        ]
        STATE.mkdir(exist_ok=True)
        found = {
            "tests": list(self.seconds),
            "seconds": list(self.seconds.values()),
            "lines": lines,
            "modules": modules,
        }
        (STATE / "map.json").write_text(json.dumps(found))


class Plan:
    """The mutants, the tests that reach each, and the results so far."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.log = options, STATE / "results.jsonl"
        known = json.loads((STATE / "map.json").read_text())
        self.tests, self.modules = known["tests"], known["modules"]
        self.seconds = dict(zip(known["tests"], known["seconds"], strict=True))
        self.lines = {path: {int(n): found for n, found in lines.items()} for path, lines in known["lines"].items()}
        paths = sorted(str(p.relative_to(SOURCE)) for name in PACKAGES for p in (SOURCE / name).rglob("*.py"))
        self.files = {path: MutatedFile(SOURCE, path) for path in paths}
        rows = self.log.read_text().splitlines() if self.log.exists() else []
        self.results = {row["key"]: row for row in map(json.loads, rows)}
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.results.values():
            self.killers[row["scope"]][row["killer"]] += 1

    def chosen(self, *, inside: bool) -> list[Mutant]:
        """The mutants to run: a sample stratified by file, so that a longer sample contains a shorter one."""
        draw, placed = random.Random(self.options.seed), []
        for file in self.files.values():
            some = [m for m in file.mutants if m.inside == inside]
            draw.shuffle(some)
            placed += [((i + draw.random()) / len(some), m.key, m) for i, m in enumerate(some)]
        count = self.options.mutants if inside else self.options.declarations
        sample = [m for *_, m in sorted(placed, key=lambda p: p[:2])[:count]]
        if self.options.again:
            return [m for m in sample if self.status(m) in ("survived", "unreached")]
        return [m for m in sample if m.key not in self.results]

    def status(self, mutant: Mutant) -> str:
        return str(self.results.get(mutant.key, {}).get("status", ""))

    def reached_by(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant in their order, as many as its seconds allow; for a declaration, those that reach a function of its file, or else of its folder."""
        lines = self.lines.get(mutant.path, {})
        if mutant.inside:
            numbers = {test for line in range(mutant.lines[0], mutant.lines[1] + 1) for test in lines.get(line, ())}
        else:
            folder = mutant.path.rpartition("/")[0]
            near = [lines] if lines else [found for path, found in self.lines.items() if path.startswith(folder)]
            numbers = {test for found in near for tests in found.values() for test in tests}
        killers, cases, order = self.killers[mutant.scope], Counter[str](), []
        for test in sorted((self.tests[n] for n in numbers), key=self.seconds.__getitem__):
            name = test.partition("[")[0]
            cases[name] += 1
            order.append((-killers[test], cases[name], self.seconds[test], test))
        total, tests = 0.0, list[str]()
        for *_, seconds, test in sorted(order):
            total += seconds
            if tests and total > self.options.seconds:
                break
            tests.append(test)
        return tests

    def done(self, mutant: Mutant, status: str, killer: str, seconds: float) -> None:
        """Keep a result."""
        row = {
            "key": mutant.key,
            "scope": mutant.scope,
            "line": mutant.lines[0],
            "status": status,
            "killer": killer,
            "seconds": round(seconds, 2),
        }
        self.results[mutant.key] = row
        self.killers[mutant.scope][killer] += 1
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")

    def run(self, mutants: list[Mutant], work: Callable[[Mutant], str | None]) -> None:
        """Call `work`, which returns the test that failed or None, in a process for each mutant that a test reaches."""
        for mutant in mutants:
            if not self.reached_by(mutant):
                self.done(mutant, "unreached", "", 0.0)
        fork_each(
            [m for m in mutants if self.reached_by(m)], work, self.done, self.options.workers, 60 * self.options.minutes
        )


def no_shrinking() -> None:
    """Stop at the first example that fails."""
    from hypothesis import HealthCheck, Phase, settings

    phases, checks = (Phase.explicit, Phase.generate), list(HealthCheck)
    settings.register_profile(
        "mutate", deadline=None, derandomize=True, database=None, phases=phases, suppress_health_check=checks
    )
    settings.load_profile("mutate")


class Living:
    """A pytest plugin that runs mutants of functions once the tests are collected."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.failed = plan, False

    def pytest_collection(self) -> None:
        no_shrinking()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        living: dict[str, list[FunctionType]] = defaultdict(list)
        for value in gc.get_objects():
            if isinstance(value, FunctionType):
                living[value.__code__.co_filename].append(value)
        gc.freeze()

        def place(code: CodeType) -> tuple[str, int]:
            return code.co_qualname, code.co_firstlineno

        def work(mutant: Mutant) -> str | None:
            file = self.plan.files[mutant.path]
            changed = {place(code): code for code in functions(file.compiled(mutant))}
            for function in living[file.path]:
                new = changed.get(place(function.__code__))
                if new is not None and new.co_freevars == function.__code__.co_freevars:
                    function.__code__ = new
            tests = [items[t] for t in self.plan.reached_by(mutant) if t in items]
            for item, following in zip(tests, [*tests[1:], None], strict=True):
                limit(self.plan.seconds[item.nodeid])
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    return str(item.nodeid)
            return None

        self.plan.run(self.plan.chosen(inside=True), work)
        return True


class Chosen:
    """A pytest plugin that runs some tests in a given order, and notes the first that fails."""

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

    pytest_collectreport = pytest_runtest_logreport


def run_declarations(plan: Plan) -> None:
    """Run mutants outside of functions, in forks that import judged anew."""
    for name in plan.modules:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: S112 - a part of a library that wants to be imported in another order
            continue

    def work(mutant: Mutant) -> str | None:
        from importlib.machinery import SourceFileLoader

        file, original = plan.files[mutant.path], SourceFileLoader.get_code

        def get_code(loader: Any, name: str) -> Any:
            return file.compiled(mutant) if loader.path == file.path else original(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        tests = plan.reached_by(mutant)
        limit(20)
        one = Chosen(tests, plan.seconds)
        try:
            status = pytest.main([*PYTEST, "-x", *sorted({t.partition("::")[0] for t in tests})], plugins=[one])
        except BaseException as problem:  # at the import of a plugin
            return type(problem).__name__
        return one.killer or (f"exit status {status}" if status not in (0, 5) else None)

    plan.run(plan.chosen(inside=False), work)


def report(plan: Plan) -> None:
    """Print the survivors and the score."""
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for mutant in (m for file in plan.files.values() for m in file.mutants):
        row, status = (
            table[mutant.path.partition("/")[0], "functions" if mutant.inside else "declarations"],
            plan.status(mutant),
        )
        row["mutants"] += 1
        row[status] += 1
        row["run"] += bool(status)
        if status in ("survived", "unreached"):
            print(f"{status:<10} src/judged/{mutant.path}:{mutant.lines[0]}  {mutant.text}")
    names = ("mutants", "run", "killed", "timeout", "unreached", "survived")
    print(f"\n{'':<24}" + "".join(f"{name:>11}" for name in (*names, "score")))
    for place, row in sorted(table.items()):
        score = (row["killed"] + row["timeout"]) / max(row["run"], 1)
        print(f"{' '.join(place):<24}" + "".join(f"{row[name]:>11,}" for name in names) + f"{score:>11.1%}")


def main() -> None:
    """Run one phase, or all of them, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=1000, help="number of mutants of functions")
    parser.add_argument("--declarations", type=int, default=0, help="number of mutants of declarations and constants")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the sample")
    parser.add_argument("--seconds", type=float, default=12.0, help="seconds of tests per mutant")
    parser.add_argument("--minutes", type=float, default=1e6, help="minutes per phase")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="only survivors")
    parser.add_argument("--phase", choices=["map", "functions", "declarations", "report"])
    options = parser.parse_args()
    if options.phase is None:
        for phase in ("map", "functions", "declarations", "report"):
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--phase", phase], check=True)
        return
    os.chdir(ROOT)
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    tests = [f"tests/{name}" for name in TESTS]
    if options.phase == "declarations":
        run_declarations(Plan(options))
    elif options.phase == "report":
        report(Plan(options))
    else:
        plugin = Mapping() if options.phase == "map" else Living(Plan(options))
        sys.exit(pytest.main([*PYTEST, *tests], plugins=[plugin]))


if __name__ == "__main__":
    main()
