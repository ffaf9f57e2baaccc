"""Threads that use the package at once, with and without an interpreter lock: the same bits as one after the other."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import judged as jd
from judged.registry import Registry

WAIT = 0.2  # seconds; a thread that waits for longer is expected to: no result depends on the number
MEASURES = ("nDCG@10", "AP", "ERR@20", "bpref", "P@5", "Judged@10", "RBP", "infAP")


class Entry(NamedTuple):
    name: str
    function: Callable[[], Any]
    aliases: tuple[str, ...] = ()


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    """The results of functions that are called at the same time; an exception is a result."""
    start, results = threading.Barrier(len(works)), [None] * len(works)

    def call(i: int) -> None:
        start.wait()
        try:
            results[i] = works[i]()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def grades(queries: int, docs: int) -> dict[str, dict[str, int]]:
    return {f"q{i}": {f"é{j}": (i * j) % 4 for j in range(i % 7, docs)} for i in range(queries)}


def scores(queries: int, docs: int) -> dict[str, dict[str, float]]:
    return {f"q{i}": {f"é{j}": (j * 7919 + i) % 17 / 4 for j in range(docs)} for i in range(queries)}


FILE = """
from declarations import ENTRIES, Entry, reached, go_on
ENTRIES.add(Entry("{name}", lambda: later))
if "{name}" == "b" and not go_on.is_set():
    reached.set()
    go_on.wait()
later = "{name}"
"""


@pytest.fixture
def declarations(tmp_path, monkeypatch):
    """A registry whose package has the files a, b and c; the import of b stops after its declaration until `go_on` is set."""
    package = tmp_path / "declared"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in "abc":
        (package / f"{name}.py").write_text(FILE.format(name=name))
    shared = type(sys)("declarations")
    shared.Entry, shared.ENTRIES = Entry, Registry[Entry]("entry", package="declared")
    shared.reached, shared.go_on = threading.Event(), threading.Event()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "declarations", shared)
    yield shared
    shared.go_on.set()
    for name in [name for name in sys.modules if name.partition(".")[0] == "declared"]:
        del sys.modules[name]


USES: dict[str, Callable[[Registry[Entry]], Any]] = {
    "names": lambda entries: entries.names,
    "length": len,
    "exact": lambda entries: entries.find("b").function(),
    "another file": lambda entries: entries.find("c").function(),
    "spelling": lambda entries: entries.find("B").name,
    "nearest": lambda entries: entries.nearest("bb"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("first", ["names", "exact"])
def test_a_declaration_is_used_when_its_file_is_complete(use, first, declarations):
    results: dict[str, Any] = {}

    def call(thread: str, of: str) -> None:
        try:
            results[thread] = USES[of](declarations.ENTRIES)
        except Exception as error:
            results[thread] = error

    one, other = (threading.Thread(target=call, args=pair) for pair in (("one", first), ("other", use)))
    one.start()
    declarations.reached.wait()
    other.start()
    other.join(WAIT)
    declarations.go_on.set()
    one.join()
    other.join()
    assert results == {"one": USES[first](declarations.ENTRIES), "other": USES[use](declarations.ENTRIES)}
    assert declarations.ENTRIES.names == ("a", "b", "c")


@pytest.mark.parametrize("file", ["b", "c"])
def test_the_order_of_declarations_does_not_depend_on_the_file_that_was_imported_first(file, declarations):
    declarations.go_on.set()
    __import__(f"declared.{file}")
    declarations.ENTRIES.add(Entry("own", str))
    assert declarations.ENTRIES.names == ("a", "b", "c", "own")


@pytest.mark.parametrize("opened", [dict, jd.Run])
@pytest.mark.parametrize("ties", ["id-desc", "expected"])
def test_threads_that_share_judgments_and_a_run_get_the_same_bits(opened, ties):
    def works() -> list[Callable[[], Any]]:
        qrels, run = jd.Qrels(grades(6, 15)), opened(scores(6, 18))
        return [lambda m=m: jd.evaluate(qrels, run, m, ties=ties).records() for m in MEASURES]

    expected = [work() for work in works()]
    assert [at_once(works()) for _ in range(3)] == [expected] * 3


def test_threads_that_share_a_result_get_the_same_text():
    uses = [str, lambda v: v.to_csv(), lambda v: list(v.warnings), lambda v: v.coverage, lambda v: v.records()]
    expected = [use(jd.evaluate(grades(5, 20), scores(6, 25), "AP nDCG@10")) for use in uses]
    shared = jd.evaluate(grades(5, 20), scores(6, 25), "AP nDCG@10")
    assert repr(at_once([lambda use=use: use(shared) for use in uses])) == repr(expected)


@pytest.mark.parametrize("listed", [False, True])
def test_containers_that_another_thread_changes_give_a_result_or_an_error(listed):
    """No exception of another kind, and no crash: documents are read while they are removed."""
    run: dict[str, Any] = scores(10, 40)
    if listed:
        run = {query: list(docs) for query, docs in run.items()}
    qrels, done = grades(10, 30), threading.Event()

    def change() -> None:
        for i in range(10**9):
            if done.is_set():
                return
            query = f"q{i % 10}"
            run[query] = [f"é{j}{i}" for j in range(i % 50)] if listed else {f"é{j}{i}": 0.5 for j in range(i % 50)}
            run[query].clear()
            run.pop(query)
            run[query] = [f"é{j}" for j in range(30)] if listed else {f"é{j}": float(j) for j in range(30)}

    def read() -> int:
        try:
            for _ in range(30):
                try:
                    assert len(jd.evaluate(qrels, run, "AP nDCG@10").records()) > 0
                except (jd.JudgedError, RuntimeError):  # one of Python: a dictionary changed during iteration
                    continue
        finally:
            done.set()
        return 30

    assert at_once([change, read, read]) == [None, 30, 30]


START = """
import json, sys, threading
lock = getattr(sys, "_is_gil_enabled", bool)()
import judged as jd
qrels, run = ({f"q{i}": {f"d{j}": (i * j) % n for j in range(30)} for i in range(9)} for n in (3, 7))
works = {
    "evaluate": lambda: jd.evaluate(qrels, run, "ERR@20 INST AP").records(),
    "array": lambda: float(jd.metrics.ndcg([[0, 1, 2]], [[0.3, 0.2, 0.1]], k=2)[0]),
    "compare": lambda: jd.compare(qrels, {"a": run, "b": qrels}, "AP", test="wilcoxon").records(),
    "names": lambda: list(jd.measures.MEASURES.names),
    "explain": lambda: str(jd.explain("nDCG@5", qrels, run, "q1")),
    "text": lambda: jd.evaluate(qrels, run, "RR").to_csv(),
    "curve": lambda: str(jd.curve("pr", qrels, run)),
    "fuse": lambda: jd.evaluate(qrels, jd.fuse([run, qrels]), "AP").records(),
}
found = {}
def call(name):
    start.wait()
    found[name] = works[name]()
if sys.argv[1] == "threads":
    start = threading.Barrier(len(works))
    threads = [threading.Thread(target=call, args=(name,)) for name in works]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
else:
    found = {name: work() for name, work in works.items()}
assert getattr(sys, "_is_gil_enabled", bool)() == lock, "the import turned the interpreter lock on"
print(json.dumps(found, sort_keys=True))
"""


def test_threads_that_import_everything_at_once_get_the_results_of_one():
    def run(how: str) -> Any:
        return json.loads(subprocess.check_output([sys.executable, "-W", "error", "-c", START, how]))

    expected = run("one")
    assert run("threads") == expected
