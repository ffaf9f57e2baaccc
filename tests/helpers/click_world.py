"""Users with known click parameters, and the logs that they leave: written from the stories of the models, without their code."""

from dataclasses import dataclass

import numpy as np

from judged.clicks import ClickLog, read_clicks

DOCS = ("a", "b", "c", "d", "e", "f")


@dataclass(frozen=True)
class Users:
    """The parameters of a model, by (query, doc) and by rank."""

    model: str
    attractiveness: dict[tuple[str, str], float]
    satisfaction: dict[tuple[str, str], float]
    examination: np.ndarray
    persistence: float = 0.85

    def clicks(self, query: str, docs: list[str], rng: np.random.Generator) -> list[int]:
        """The clicks of one user on a list."""
        clicks = [0] * len(docs)
        for k, doc in enumerate(docs):
            attracts = rng.random() < self.attractiveness[query, doc]
            if self.model == "pbm":
                clicks[k] = int(attracts and rng.random() < self.examination[k])
                continue
            clicks[k] = int(attracts)
            if self.model == "cascade" and attracts:
                break
            if self.model == "dbn":
                satisfied = attracts and rng.random() < self.satisfaction[query, doc]
                if satisfied or rng.random() >= self.persistence:
                    break
        return clicks

    def chance(self, query: str, docs: list[str], clicks: list[int]) -> float:
        """The probability of a session: every hidden way to get there, added up."""

        def onward(k: int, looking: bool) -> float:
            if k == len(docs):
                return 1.0
            if not looking:
                return 0.0 if clicks[k] else onward(k + 1, False)
            a = self.attractiveness[query, docs[k]]
            if self.model == "pbm":
                click = a * self.examination[k]
                return (click if clicks[k] else 1 - click) * onward(k + 1, True)
            if self.model == "cascade":
                return a * onward(k + 1, False) if clicks[k] else (1 - a) * onward(k + 1, True)
            go = self.persistence * (1 - self.satisfaction[query, docs[k]] if clicks[k] else 1)
            here = a if clicks[k] else 1 - a
            return here * (go * onward(k + 1, True) + (1 - go) * onward(k + 1, False))

        return onward(0, True)


def users(model: str, queries: int = 2, docs: int = 4, seed: int = 0) -> Users:
    """Users whose parameters are away from 0 and 1."""
    rng = np.random.default_rng(seed)
    pairs = [(f"q{i}", doc) for i in range(queries) for doc in DOCS[:docs]]
    attraction, satisfaction = rng.uniform(0.1, 0.7, len(pairs)), rng.uniform(0.2, 0.8, len(pairs))
    examination = 1 / np.arange(1, docs + 1) ** 0.8
    return Users(
        model, dict(zip(pairs, attraction, strict=True)), dict(zip(pairs, satisfaction, strict=True)), examination
    )


def shown_lists(known: Users, sessions: int, rng: np.random.Generator, *, shuffled: float = 1.0):
    """(query, [doc, …]) for each session: the queries in turn, some lists in random order."""
    lists: dict[str, list[str]] = {}
    for query, doc in known.attractiveness:
        lists.setdefault(query, []).append(doc)
    for i in range(sessions):
        query, docs = list(lists.items())[i % len(lists)]
        yield query, rng.permutation(docs).tolist() if rng.random() < shuffled else docs


def simulate(known: Users, lists, seed: int = 1) -> ClickLog:
    """A log of users who see these lists, one session each."""
    rng = np.random.default_rng(seed)
    return log_of([(i, query, docs, known.clicks(query, docs, rng)) for i, (query, docs) in enumerate(lists)])


def simulated(known: Users, sessions: int, seed: int = 1, *, shuffled: float = 1.0) -> ClickLog:
    """A log of users who see every document of each query."""
    return simulate(known, shown_lists(known, sessions, np.random.default_rng([seed, 1]), shuffled=shuffled), seed)


def log_of(rows) -> ClickLog:
    """A log of (session, query, docs, clicks)."""
    return read_clicks(
        [(s, q, d, r, c) for s, q, docs, clicks in rows for r, (d, c) in enumerate(zip(docs, clicks, strict=True), 1)]
    )
