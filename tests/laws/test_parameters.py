"""Every parameter of every measure changes a value, or is refused; taken from the registry: no list of names."""

import re
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from for_each import for_each

import judged as jd
from judged.errors import JudgedError
from judged.evaluation.measuring import is_empty
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES, Definition, Measure

DEFINITIONS = [d for d in MEASURES if d.family != "own"]
VALUES = [
    None,
    True,
    False,
    0.0,
    0.25,
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    4.0,
    6.0,
    500.0,
    {1: 3.0, 2: 0.5, 3: 1.0},
    {1: 0.0, 2: 5.0},
    [0.25, 2.0, 1.0, 3.0],
    [0.3, 0.8],
]


@cache
def _collection(needs: str, tokens: bool = False):
    """Rankings of 40 queries with all kinds of grades, judged and unjudged documents, ties, subtopics and spans."""
    random = np.random.default_rng(1)
    if needs == "spans":
        return _spans(random)
    qrels, run = [], {}
    for q in range(40):
        docs = [f"d{i}" for i in range(random.integers(4, 14))]
        for doc in docs:
            if random.random() < 0.75:
                grade = float(random.choice([-1, 0, 0, 0.5, 1, 1, 2, 3] if q % 4 else [0, 0, 0, 0, 0, 1, 3]))
                subtopics = random.choice(3, random.integers(1, 4), replace=False) + 1 if needs != "grades" else [0]
                qrels += [(f"q{q}", str(s), doc, grade if needs == "grades" else max(grade, 0)) for s in subtopics]
        qrels += [(f"q{q}", "1" if needs != "grades" else "0", "missed", 2.0)] * (q % 2)
        kept = random.permutation(docs)[: random.integers(1, len(docs) + 1)]
        run[f"q{q}"] = {str(doc): float(random.integers(0, 6)) for doc in kept}
    qrels += [("late", "1" if needs != "grades" else "0", "a", 1.0)]  # one relevant document, below the number of them
    lengths = {f"d{i}": 40 + 7 * i for i in range(14)} | {"x": 5, "a": 9, "missed": 3}
    return jd.join(qrels, {**run, "late": {"x": 2.0, "a": 1.0}}, **({"tokens": lengths} if tokens else {}))


def _spans(random):
    qrels = {
        f"q{q}": [{"doc": "d", "start": int(s), "end": int(s) + 30} for s in random.integers(0, 300, 3)]
        for q in range(20)
    }
    run = {
        f"q{q}": [{"doc": "d", "start": int(s), "end": int(s) + 50} for s in random.permutation(10)[:8] * 40]
        for q in range(20)
    }
    return jd.join(qrels, run)


@cache
def values(measure: Measure, tokens: bool = False):
    """The values of a measure; None if it refuses its parameters."""
    try:
        return measure.on(_collection(measure.definition.needs, tokens))
    except JudgedError as error:
        if error.slug in ("parameter", "label-above-max", "gain-overflow", "columns"):
            return None
        raise


def given(measure: Measure, **parameters) -> Measure | None:
    try:
        return measure(**parameters)
    except JudgedError as error:
        if error.slug in ("parameter", "cutoff"):
            return None
        raise


@cache
def choices(definition: Definition, name: str) -> list[Measure]:
    """The values of a parameter other than its default."""
    spec, default = definition.parameters[name]
    try:
        spec.check("?")
    except JudgedError as error:
        words = re.findall(r"'(\w+)'", error.problem.partition(", got")[0])
    tried = [
        value
        for value in (*VALUES, *words)
        if given(Measure(definition), **{name: value}) is not None or name == "collection"
    ]
    return [value for value in tried if value != default]


def own_parameters(definition: Definition) -> list[str]:
    return [
        name for name in definition.parameters if name not in ("judged_only", "tokens")
    ]  # which change the ranking, not the formula


def same(a, b) -> bool:
    return bool(np.all(a == b)) if a.dtype == object else np.allclose(a, b, rtol=1e-9, atol=0, equal_nan=True)


def modes(definition: Definition) -> list[dict[str, Any]]:
    """One parameter each that may switch others off: a word, or a value where the default is none."""
    found = [{}]
    for name in own_parameters(definition):
        spec, default = definition.parameters[name]
        tried = choices(definition, name)
        found += [{name: value} for value in tried if isinstance(value, str)]
        found += [{name: tried[len(tried) // 2]}] if default is None and tried and not spec.at else []
    return found


def written(definition: Definition) -> list[list[Measure]]:
    """The measure without a cutoff, and at one; each as it is, and with another number: the square of a weight of 1 is 1."""
    plain, at = Measure(definition), {"cutoff": 3, "recall": 0.35, "multiple": 0.4}
    numbers = [
        name
        for name in own_parameters(definition)
        if type(definition.parameters[name][1]) is float and name != definition.at
    ]
    others = [
        plain(**{name: tried[len(tried) // 2]})
        for name in numbers
        if len(tried := choices(definition, name)) and name != "collection"
    ]
    whole = [plain, *others]
    if definition.at is None:
        return [whole]
    cut = [measure @ at[definition.at] for measure in whole]
    return [whole, cut] if definition.parameters[definition.at][1] is None else [[*whole, *cut]]


def uses_tokens(definition: Definition) -> bool:
    """True if the lengths of documents change a value of some parameter, or are needed for one."""
    own = choices(definition, "of") if "of" in definition.parameters else []
    plain = [Measure(definition), *(Measure(definition)(of=of) for of in own)]
    return definition.needs == "grades" and any(
        (b := values(m, True)) is not None and ((a := values(m)) is None or not same(a, b)) for m in plain
    )


def enables(definition: Definition, name: str, value: Any) -> bool:
    """True for a value that gives others an effect, and is the default until they are set: the logarithm to the base 2."""
    return any(spec.only and spec.only.other == name and spec.only.holds(value) for spec, _ in definition.parameters.values())  # fmt: skip


def skipped(definition: Definition, fixed: dict[str, Any], name: str) -> bool:
    """True where the parameter is fixed, or cancels out: the base of a logarithm in the ratio of two sums."""
    cancels = (definition.name, name) == ("nDCG", "log_base") and fixed.get("discount") != "jk"
    return name in fixed or cancels


@pytest.mark.slow
@for_each("definition", DEFINITIONS)
def test_every_parameter_changes_a_value_or_is_refused(definition):
    contexts = written(definition)
    lengths = [False, True] if uses_tokens(definition) else [False]
    for fixed, name, tokens in product(modes(definition), own_parameters(definition), lengths):
        if skipped(definition, fixed, name):
            continue
        for group in contexts:
            tried = [(value, base, changed) for cut in group if (base := given(cut, **fixed)) is not None
                     for value in choices(definition, name) if (changed := given(base, **{name: value})) is not None]  # fmt: skip
            effects: dict[Any, list[bool]] = {}
            for value, base, changed in tried:
                a, b = values(base, tokens), values(changed, tokens)
                kind = value if isinstance(value, str | bool) else type(value)
                effects.setdefault(kind, []).append(a is None or b is None or not same(a, b))
            for kind, changes in effects.items():
                assert any(changes) or enables(definition, name, kind), (
                    f"{group[0]}, {fixed}: {name}={kind!r} is ignored"
                )


@for_each("definition", DEFINITIONS, ids=lambda d: d.name)
def test_no_parameter_is_infinite_or_not_a_number(definition):
    for name, number in product(definition.parameters, (np.inf, -np.inf, np.nan)):
        for value in (number, {1: number}, {number: 1.0}, [0.5, number, 0.0, 1.0]):
            assert given(Measure(definition), **{name: value}) is None, f"{definition.name}({name}={value})"


EXTREMES = (5e-324, 1e-308, 1e-9, 1 - 2**-53, 1 + 2**-52, 1e9, 1e15, 1e99, 1e307, 1.7e308, 2**70, 10**400)


@for_each("definition", DEFINITIONS, ids=lambda d: d.name)
def test_extreme_parameters_give_numbers_or_are_refused(definition):
    for name, size in product(own_parameters(definition), EXTREMES):
        for value in (size, -size, {1: size, 2: -size, 3: size}, [size, -size, size, size]):
            if name == "cutoff" and value == 1e9:  # which some measures walk down to
                continue
            measure = given(Measure(definition), **{name: value})
            found = None if measure is None else values(measure)
            if found is not None and not definition.text:
                undefined = np.isnan(values(Measure(definition))) | is_empty(measure, _collection(definition.needs))
                assert np.isfinite(found[~undefined]).all(), f"{definition.name}({name}={value})"


@for_each("definition", DEFINITIONS, ids=lambda d: d.name)
def test_extreme_grades_give_numbers_or_are_refused(definition):
    if definition.text or definition.needs == "spans":
        return
    words = [str(n) if definition.needs != "grades" else "0" for n in (1, 2)]
    for top, gain in product(
        (2.0**53, 1023.0, 960.0, 5e-324), choices(definition, "gain") if "gain" in definition.parameters else ["linear"]
    ):
        qrels = [("q", words[n % 2], f"d{n}", top * share) for n, share in enumerate((1, 1, 0.5, 0, 1, 1))]
        judged = jd.join(qrels, {"q": ["d3", "d4", "d2", "d0", "d1"]})
        try:
            measure = Measure(definition)(**({"gain": gain} if "gain" in definition.parameters else {}))
            value = measure.on(judged)
        except JudgedError as error:
            assert error.slug in ("gain-overflow", "label-above-max")  # noqa: PT017 - or a number
        else:
            assert np.isfinite(value).all() or is_empty(measure, judged).all()


LATE = [(d, name, spec.only) for d in DEFINITIONS for name, (spec, _) in d.parameters.items() if spec.only and spec.only.late and spec.only.other == "cutoff"]  # fmt: skip


@pytest.mark.parametrize(("definition", "name", "only"), LATE, ids=lambda x: getattr(x, "name", None))
def test_a_parameter_of_a_cutoff_waits_for_it_and_is_refused_without_one(definition, name, only):
    value = next(v for v in choices(definition, name) if only.lacks(v, {}))
    measure = Measure(definition)(**{name: value})
    assert values(measure @ 3) is not None
    assert (measure @ 3).given == Measure(definition)(cutoff=3, **{name: value}).given
    for refused in (measure, measure @ "2000tok"):
        with pytest.raises(JudgedError, match=f"'{name}' has no effect without a cutoff") as caught:
            refused.on(_collection(definition.needs))
        assert caught.value.slug == "parameter"


@pytest.mark.parametrize("profile", PROFILES)
def test_parameters_of_a_profile_are_left_out_where_they_have_no_effect(profile):
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"x": 3, "b": 2, "a": 1}}
    found = jd.evaluate(qrels, run, "P AP Q P@2 AP@2 Q@2", profile=profile)
    again = jd.evaluate(qrels, run, list(map(str, found.measures)), profile=profile)  # printed names are accepted
    assert again.mean() == found.mean()
    curve = jd.curves.curve("at-k", qrels, run, "P AP Q", profile=profile, points=[2], band=None)
    assert [line.y[0] for line in curve.curves] == [found.mean()[name] for name in ("P@2", "AP@2", "Q@2")]
