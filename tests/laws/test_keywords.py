"""A keyword that a public function does not take is refused by name; from the lists of public names."""

import inspect
from types import ModuleType

import pytest
from for_each import for_each

import judged as jd
from judged.errors import JudgedError

WRONG = "no_such_keyword"
QRELS, RUN, OTHER = {"q": {"a": 1}, "p": {"a": 1}}, {"q": ["a"], "p": ["b"]}, {"q": ["b"], "p": ["a"]}
CLICKS = [{"session": "s", "query": "q", "doc": doc, "rank": rank, "click": 1} for rank, doc in enumerate("ab", 1)]
INPUTS = [  # for functions that hand keywords on, which look at some input first
    (QRELS, RUN), (QRELS, [RUN, OTHER]), ("pr", QRELS, RUN), (QRELS, RUN, OTHER), (QRELS, {"a": [RUN, OTHER], "b": [OTHER, RUN]}), (CLICKS, "pbm"), (RUN,), (RUN, "#"),
    ([1.0, 2.0, 3.0],), ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), ([1, 0], [0.5, 0.25]), ("Name",), ("AP",), (QRELS, RUN, "AP", "q"),
]  # fmt: skip
SPACES = [jd, *(space for name in jd.__all__ if isinstance(space := getattr(jd, name), ModuleType))]
FUNCTIONS = [
    value
    for space in SPACES
    for name in space.__all__
    if (inspect.isfunction(value := getattr(space, name)) or inspect.isclass(value)) and inspect.getmodule(value) is not None
    and not getattr(value, "_is_protocol", False) and not (inspect.isclass(value) and issubclass(value, BaseException))
]  # fmt: skip


def told(function, *inputs) -> str:
    """The message, if it names the keyword, and the function too if it is one of Python's."""
    try:
        made = function(*inputs, **{WRONG: 1})
        return told(made, lambda judged: judged.rank) if inspect.isfunction(made) else ""  # a decorator
    except JudgedError as error:
        return str(error) if WRONG in str(error) else ""
    except TypeError as error:
        return str(error) if WRONG in str(error) and "()" in str(error) else ""


@for_each("function", FUNCTIONS)
def test_an_unknown_keyword_is_named(function):
    open_ended = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())
    open_ended |= inspect.isfunction(function) and bool(function.__code__.co_flags & inspect.CO_VARKEYWORDS)
    assert any(told(function, *inputs) for inputs in ([(), *INPUTS] if open_ended else [()]))


@pytest.mark.parametrize("function", [jd.evaluate, jd.compare])
def test_the_keyword_that_was_meant_is_suggested(function):
    for wrong, meant in {"mesures": "measures", "tie": "ties", "querycol": "query_col"}.items():
        with pytest.raises(JudgedError, match=f"[Dd]id you mean '{meant}'") as caught:
            function(QRELS, [RUN, OTHER] if function is jd.compare else RUN, **{wrong: "x"})
        assert caught.value.slug == "unknown-option"


def test_functions_of_labels_suggest_their_own_keywords_and_those_of_the_measure():
    for wrong, meant in {"tie": "ties", "emty": "empty", "gropu": "group", "discont": "discount"}.items():
        with pytest.raises(JudgedError, match=f"no parameter '{wrong}'. Did you mean '{meant}'"):
            jd.metrics.ndcg([1, 0], [0.5, 0.2], **{wrong: "best"})
