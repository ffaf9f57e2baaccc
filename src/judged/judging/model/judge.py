"""`model_judge`: a language model as a judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from judged.errors import UsageError, shown
from judged.judging.judgments import Judgment, Judgments
from judged.judging.model.answers import agreed_grade, grade_in, schema_of
from judged.judging.model.cache import Answer, Cache, key_of
from judged.judging.model.endpoint import Endpoint
from judged.judging.model.prompts import Prompt
from judged.judging.scale import Scale
from judged.judging.texts import Missing, texts_to_judge, whole_text
from judged.judging.todo import TodoItem, read_todo
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.result import RecordTable
from judged.tables.text import counted

Progress = Callable[[int, int], object]
_LETTERS = 4  # per token, about, in English


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A model that judges documents; see `model_judge`."""

    ask: Endpoint | Callable[[str], str]
    name: str
    prompt: Prompt
    scale: Scale
    repeat: int
    cache: str | None

    @step("asking the model")
    def judge(
        self,
        todo: Any,
        doc_texts: Any,
        query_texts: Any = None,
        *,
        concurrency: int = 4,
        missing: Missing = "error",
        prices: tuple[float, float] | None = None,
        progress: Progress | None = None,
    ) -> Judgments:
        """Judge documents; answers are kept in the cache, so that the same call continues after an interruption.

        Args:
            todo: documents to judge, such as a pool or its file.
            doc_texts: texts of the documents, as in `report`.
            query_texts: texts of the queries. [default: the ids of the queries are their texts]
            concurrency: number of requests at a time.
            missing: what to do with documents or queries without a text: raise an error, or leave them without an answer.
            prices: of a million tokens that the model reads, and writes; for the note on costs.
            progress: callback `progress(done, total)`.

        Raises:
            DataError: a text is missing.
            EngineError: the endpoint cannot be reached, or refuses. Answers until then are in the cache.
        """
        check_count(concurrency, "concurrency")
        items = read_todo(todo).items
        requests = self._requests(items, doc_texts, query_texts, missing)
        with closing(Cache(self.cache)) as cache, ThreadPoolExecutor(concurrency) as pool:
            found: list[Judgment] = []
            tokens = [0, 0]
            try:
                for judgment, used in pool.map(partial(self._judge_one, cache), items, requests):
                    found.append(judgment)
                    tokens = [tokens[0] + used[0], tokens[1] + used[1]]
                    if progress is not None:
                        progress(len(found), len(items))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return Judgments(tuple(found), notes=_about(found, tokens, prices))

    def dry_run(self, todo: Any, doc_texts: Any, query_texts: Any = None, *, n: int = 3) -> RecordTable:
        """Return the first n prompts, with an estimate of the tokens of all of them; the model is not asked."""
        items = read_todo(todo).items
        prompts = self._requests(items, doc_texts, query_texts, "skip")
        letters = sum(len(prompt) for prompt in prompts if prompt is not None)
        asked = sum(prompt is not None for prompt in prompts) * self.repeat
        note = f"{counted(asked, 'request')}, about {letters * self.repeat // _LETTERS:,} tokens to read"
        absent = sum(prompt is None for prompt in prompts)
        notes = (note, f"{counted(absent, 'document')} without a text") if absent else (note,)
        pairs = islice(((i, p) for i, p in zip(items, prompts, strict=True) if p is not None), n)
        rows = [{"query": str(item.query), "doc": str(item.doc), "prompt": prompt} for item, prompt in pairs]
        return RecordTable.of(rows, words=("query", "doc", "prompt"), title="first prompts", notes=notes)

    def _requests(
        self, items: Sequence[TodoItem], doc_texts: Any, query_texts: Any, missing: Missing
    ) -> list[str | None]:
        """Return the prompt of each document; None where a text is missing."""
        pairs = texts_to_judge(items, doc_texts, query_texts, missing)
        return [
            None if pair is None else self.prompt.fill(pair[0], whole_text(pair[1]) or "", self.scale) for pair in pairs
        ]

    def _judge_one(self, cache: Cache, item: TodoItem, prompt: str | None) -> tuple[Judgment, tuple[int, int]]:
        """Return the judgment of one document, and the tokens that new answers took."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        if prompt is None:
            return Judgment(item.query, item.doc, None, self.name, now, "no text", by="model"), (0, 0)
        texts, used = [], [0, 0]
        for number in range(self.repeat):
            key = key_of(self._identity(), prompt, self.scale.numbers, number)
            answer = cache.get(key)
            if answer is None:
                answer = self._ask(prompt, number)
                cache.put(key, answer)
                used = [used[0] + answer.tokens_in, used[1] + answer.tokens_out]
            texts.append(answer.text)
        grades = [grade for text in texts if (grade := grade_in(text, self.scale)) is not None]
        grade = agreed_grade(grades)
        note = "" if grade is not None else f"no grade in the answer {shown(texts[0][:80])}"
        return Judgment(item.query, item.doc, grade, self.name, now, note, tuple(grades), "model"), (used[0], used[1])

    def _identity(self) -> tuple[object, ...]:
        """Return what an answer depends on besides the prompt."""
        if isinstance(self.ask, Endpoint):
            return self.ask.model, self.ask.temperature, self.ask.options
        return (self.name,)

    def _ask(self, prompt: str, number: int) -> Answer:
        if isinstance(self.ask, Endpoint):
            return self.ask.ask(prompt, schema_of(self.scale), number)
        answer = self.ask(prompt)
        if not isinstance(answer, str):
            raise UsageError("model", f"the function must return text, got {type(answer).__name__}")
        return Answer(answer)


def model_judge(
    url: str | Callable[[str], str],
    *,
    model: str | None = None,
    prompt: str | os.PathLike[str] = "umbrela",
    scale: Any = "graded",
    repeat: int = 1,
    cache: str | os.PathLike[str] | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    temperature: float = 0.0,
    request: Mapping[str, Any] | None = None,
) -> ModelJudge:
    """Return a judge that asks a language model for grades.

    The texts of documents are data in the prompt, but a document can still try to persuade the model: compare its grades with those of people
    (`agree`) before you rely on them. An answer that is not exactly one grade counts as no answer. The API key is read from the environment
    (JUDGED_API_KEY or OPENAI_API_KEY) and stored nowhere.

    Args:
        url: address of an OpenAI-compatible API, such as http://localhost:8080/v1; or a function from a prompt to an answer.
        model: name of the model; of a function, its name in the judgments.
        prompt: umbrela, brief, a text with {query}, {document} and {scale}, or a file of one.
        scale: graded (0 to 3), binary, {number: name}, or a JSON file of one; see `Scale`.
        repeat: number of answers per document; the most frequent grade counts, of equally frequent ones the lowest.
        cache: SQLite file of answers. [default: none]
        timeout: seconds until a request is given up.
        retries: number of further attempts after a time-out or an answer 429 or 5xx, with growing pauses.
        temperature: of the model.
        request: further fields of each request, such as {"max_tokens": 50}.

    >>> judge = model_judge(lambda prompt: '{"grade": 2}', model="optimist")
    >>> [item.grade for item in judge.judge([("q", "d")], {"d": "a text"})]
    [2]
    """
    check_count(repeat, "repeat")
    if callable(url):
        ask: Endpoint | Callable[[str], str] = url
    elif model is None:
        raise UsageError("model", "no model was named", hint="name it with model=, as the server calls it")
    else:
        ask = Endpoint(url, model, timeout, retries, temperature, tuple(sorted((request or {}).items())))
    name = model or str(getattr(url, "__name__", "model"))
    return ModelJudge(
        ask, name, Prompt.of(prompt), Scale.of(scale), repeat, None if cache is None else os.fspath(cache)
    )


def _about(found: Sequence[Judgment], tokens: Sequence[int], prices: tuple[float, float] | None) -> tuple[str, ...]:
    """Say how many tokens were used, what they cost, and how often repeated answers agreed."""
    notes = []
    if any(tokens):
        notes.append(f"{tokens[0]:,} tokens read, {tokens[1]:,} written")
        if prices is not None:
            notes[-1] += f", for {(tokens[0] * prices[0] + tokens[1] * prices[1]) / 1e6:,.2f}"
    several = [item.grades for item in found if len(item.grades) > 1]
    if several:
        same = sum(len(set(grades)) == 1 for grades in several)
        notes.append(f"all answers agreed for {same:,} of {counted(len(several), 'document')}")
    return tuple(notes)
