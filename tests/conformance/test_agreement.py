"""Agreement of judges against published examples, recorded answers of other tools, and scikit-learn and statsmodels themselves."""

import csv
import gzip
import io
import json
import re

import numpy as np
import pytest
from recorded import DATA

import judged as jd
from judged.stats.agreement import coefficients, pair_weights, parse_coefficient
from judged.stats.ratings import Ratings

pytestmark = pytest.mark.conformance

EXACT = 1e-10
PUBLISHED = DATA / "agreement_published" / "examples.json"
EXAMPLES = {e["name"]: e for e in json.loads(PUBLISHED.read_text())} if PUBLISHED.exists() else {}
WITH_MISSING = {"krippendorff_3_coders_15_units": 0, "krippendorff_4_observers_12_units": 1}
IRRCAC = {"fleiss": "fleiss", "gwet": "ac2", "krippendorff": "alpha"}
NLTK = {"avg_Ao": "raw", "pi": "fleiss", "kappa": "kappa"}


def one(ratings, key, **options):
    (found,) = coefficients(ratings, [parse_coefficient(key, ratings)], **options).values()
    return found


def from_table(confusion):
    """Two columns of labels with this confusion matrix."""
    a, b = np.nonzero(np.array(confusion) >= 0)
    times = np.array(confusion).ravel()
    return Ratings.of(np.repeat(a, times), np.repeat(b, times), categories=tuple(range(len(confusion))))


def ratings_of(example):
    if "ratings_raters_by_units" in example:
        return Ratings.of(*example["ratings_raters_by_units"])
    if "confusion" in example:
        return from_table(example["confusion"])
    return of_counts(example["counts_units_by_categories"])


def of_counts(counts):
    """Labels of anonymous raters with these counts, units × categories: fleiss and alpha do not depend on who gave a label."""
    units = [np.repeat(np.arange(len(row)), row) for row in np.asarray(counts).astype(int)]
    wide = max(map(len, units))
    columns = np.array([np.r_[unit, np.full(wide - len(unit), np.nan)] for unit in units]).T
    return Ratings.of(*columns, categories=tuple(range(len(counts[0]))))


def value_of(ratings, name):
    """What we say where another tool's answer is recorded under this name; None where it is no coefficient of agreement."""
    if name == "percent_agreement":
        return one(ratings, "raw").value
    if match := re.fullmatch(r"sklearn\.cohen_kappa_score\(weights=(\w+)\)", name):
        return one(ratings, f"kappa({match[1].replace('None', 'nominal')})").value
    if match := re.fullmatch(r"statsmodels\.cohens_kappa\(wt=(\w+)\)\.(\w+)", name):
        return one(ratings, f"kappa({match[1].replace('None', 'nominal')})").value if match[2] == "kappa" else None
    if match := re.fullmatch(r"nltk\.AnnotationTask\.(\w+)", name):
        return one(ratings, NLTK[match[1]]).value if match[1] in NLTK else None
    if match := re.fullmatch(r"krippendorff\.alpha\((\w+)\)", name):
        return one(ratings, f"alpha({match[1]})").value if match[1] != "ratio" else None
    if match := re.fullmatch(r"statsmodels\.fleiss_kappa(\(randolph\))?", name):
        return None if match[1] else one(ratings, "fleiss").value
    if match := re.fullmatch(r"irrCAC\.(\w+)\(weights=(\w+)\)(\.se)?", name):
        weights = match[2].replace("identity", "nominal")
        if match[3] or match[1] not in IRRCAC or weights not in ("nominal", "linear", "quadratic"):
            return None  # errors, coefficients and weights that are not computed here
        if match[1] == "krippendorff":
            weights = weights.replace("quadratic", "interval")
        return one(ratings, f"{IRRCAC[match[1]]}({weights})").value
    return None


def exact(value):
    return pytest.approx(float(value), rel=EXACT, abs=1e-11)  # irrCAC was recorded with 12 decimals


@pytest.mark.needs("collections")
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_recorded_answer_to_a_published_example(name):
    example, ratings = EXAMPLES[name], ratings_of(EXAMPLES[name])
    compared = 0
    for key, value in example["computed"].items():
        raters = re.match(r"raters (\d),(\d): ", key)
        told = ratings.take([int(raters[1]) - 1, int(raters[2]) - 1]) if raters else ratings
        told = Ratings.of(*np.append(told.numbers, np.nan)[told.codes]) if raters else told  # its own labels alone
        plain = key[raters.end() :] if raters else key
        if raters and re.search(r"\((wt|weights)=", plain):
            told = by_place(told)  # these tools count places, not grades; the irr package drops labels that nobody gave
        if name in WITH_MISSING and plain.startswith("irrCAC."):
            continue  # see test_irrcac_with_missing_labels
        ours = value_of(told, plain)
        if ours is not None:
            assert ours == exact(value), key
            compared += 1
    assert compared


def by_place(ratings):
    """Labels renamed 0, 1, 2 …: a label that nobody gave leaves no gap."""
    return Ratings(ratings.codes, tuple(range(len(ratings.categories))), ratings.names)


@pytest.mark.needs("collections")
@pytest.mark.parametrize("name", WITH_MISSING)
def test_irrcac_with_missing_labels(name):
    """Recorded under pandas 3, whose `stack` keeps NaN: irrCAC then takes it for one more category that nobody gave.

    So its Gwet, Brennan-Prediger and ordinal weights are those of a scale with an idle category where NaN was sorted to. With
    that category we have the same numbers; without it we have those that irrCAC's own documentation and tests give, below.
    """
    ratings, at = ratings_of(EXAMPLES[name]), WITH_MISSING[name]
    codes = np.where(ratings.codes >= at, ratings.codes + 1, ratings.codes)
    idle = Ratings(codes, tuple(range(len(ratings.categories) + 1)), ratings.names)
    for key, value in EXAMPLES[name]["computed"].items():
        if not key.startswith("irrCAC."):
            continue
        if value_of(idle, key) is None:
            continue
        assert value_of(idle, key) == exact(value), key
        if "identity" in key and "gwet" not in key:
            assert value_of(ratings, key) == exact(value), key


def rounded(value, published):
    """To the digits that were published."""
    places = len(str(published).partition(".")[2])
    return pytest.approx(published, abs=0.51 * 10**-places) == value


@pytest.mark.needs("collections")
def test_published_values_to_the_digits_they_were_published_with():
    for name in ("krippendorff_3_coders_15_units", "krippendorff_4_observers_12_units"):
        ratings = ratings_of(EXAMPLES[name])
        for key, value in EXAMPLES[name]["published"].items():
            metric = key.split()[1]
            assert metric == "ratio" or rounded(one(ratings, f"alpha({metric})").value, value), key
    fleiss = one(ratings_of(EXAMPLES["fleiss_1971_diagnoses"]), "fleiss")
    assert rounded(fleiss.value, 0.4302445)
    wikipedia = ratings_of(EXAMPLES["fleiss_wikipedia"])
    assert rounded(one(wikipedia, "fleiss").value, 0.21)
    each = pair_weights(p := wikipedia.patterns(), np.eye(5))[p.unit]
    assert all(rounded(x, y) for x, y in zip(each, EXAMPLES["fleiss_wikipedia"]["published"]["P_i"], strict=True))
    for name in ("randolph_1", "randolph_2"):
        ratings, published = ratings_of(EXAMPLES[name]), EXAMPLES[name]["published"]
        assert rounded(one(ratings, "fleiss").value, published["fixed marginal kappa"])
        assert rounded(one(ratings, "raw").value, published["overall agreement"])


def test_s4_kappa_with_e16_corrected_and_v9_own_and_pooled_marginals():
    """The note's P(A) lacks a parenthesis: it is (tp + tn) / total. 300 both yes, 20 and 10 one yes, 70 both no."""
    both_yes, only_first, only_second, both_no = 300, 20, 10, 70
    total = both_yes + only_first + only_second + both_no
    agreed = (both_yes + both_no) / total
    yes_1, yes_2 = (both_yes + only_first) / total, (both_yes + only_second) / total
    by_chance = yes_1 * yes_2 + (1 - yes_1) * (1 - yes_2)
    first = [1] * (both_yes + only_first) + [0] * (only_second + both_no)
    second = [1] * both_yes + [0] * only_first + [1] * only_second + [0] * both_no
    found = jd.agree(first, second)
    assert found["raw"].value == pytest.approx(agreed, rel=1e-14)
    assert found["kappa"].expected == pytest.approx(by_chance, rel=1e-14)
    assert found["kappa"].value == pytest.approx((agreed - by_chance) / (1 - by_chance), rel=1e-13)
    assert round(found["kappa"].value, 5) == 0.77612
    yes = (yes_1 + yes_2) / 2
    pooled = yes**2 + (1 - yes) ** 2
    assert found["fleiss"].value == pytest.approx((agreed - pooled) / (1 - pooled), rel=1e-13)
    assert round(found["fleiss"].value, 5) == 0.77591


@pytest.fixture(scope="module")
def dl20():
    """{judge: column with None}, and the topics."""
    with gzip.open(DATA / "agreement_dl20" / "judgements.tsv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    judges = list(rows[0])[2:]
    columns = {j: np.array([float(r[j]) if r[j] else np.nan for r in rows]) for j in judges}
    return columns, np.array([r["qid"] for r in rows]), rows


def answers(file="agreement.tsv"):
    path = DATA / "agreement_dl20" / file
    return list(csv.reader(io.StringIO(path.read_text()), delimiter="\t"))[1:] if path.exists() else []


PAIRS = sorted({name.partition(": ")[0] for name, _ in answers() if "~" in name})


def at(column, level):
    return np.where(np.isnan(column), np.nan, column >= level)


def compared(columns, name):
    first, second = name.removesuffix(" (0-3)").split("~")
    judge, _, level = first.partition(">=")
    return Ratings.of(at(columns[judge], int(level)) if level else columns[judge], columns[second])


@pytest.mark.needs("collections")
@pytest.mark.parametrize("pair", PAIRS)
def test_two_judges_of_deep_learning_2020(pair, dl20):
    ratings = compared(dl20[0], pair)
    recorded = {name.partition(": ")[2]: value for name, value in answers() if name.startswith(f"{pair}: ")}
    ours = {name: value_of(ratings, name) for name in recorded}
    assert (
        sum(value is not None for value in ours.values()) == 13
    )  # the others are correlations, and what is not computed here
    for name, value in ours.items():
        if value is not None:
            assert value == exact(recorded[name]), name


@pytest.mark.needs("collections")
def test_five_binary_judges_of_deep_learning_2020(dl20):
    columns = dl20[0]
    binary = Ratings.of(*(column if name.startswith("binary") else at(column, 2) for name, column in columns.items()))
    complete = binary.take(units=binary.rated() == 5)
    told = [(name, value) for name, value in answers() if name.startswith("5 binary")]
    assert len(told) == 34
    for name, value in told:
        group, _, key = name.partition(": ")
        ratings = complete if "complete" in group else binary
        ours = len(ratings) if key == "rows" else value_of(ratings, key)
        assert ours is None or ours == exact(value), name


@pytest.mark.needs("collections")
def test_confusion_matrices_of_deep_learning_2020(dl20):
    recorded = json.loads((DATA / "agreement_dl20" / "confusion.json").read_text())
    for name, matrix in recorded.items():
        assert compared(dl20[0], name.replace(" x ", "~")).confusion().tolist() == matrix, name
    assert len(recorded) == 7


@pytest.mark.needs("collections")
def test_every_topic_of_deep_learning_2020(dl20):
    rows = dl20[2]
    human = {}
    machine = {}
    for row in rows:
        human.setdefault(row["qid"], {})[row["docid"]] = int(row["human"])
        if row["umbrela_gpt4"]:
            machine.setdefault(row["qid"], {})[row["docid"]] = int(row["umbrela_gpt4"])
    found = jd.agree(human, machine, names=["human", "umbrela_gpt4"])
    assert found["kappa"].value == exact(
        dict(answers())["human~umbrela_gpt4 (0-3): sklearn.cohen_kappa_score(weights=None)"]
    )
    ours = found.per_query("kappa", "kappa(quadratic)", "alpha(ordinal)")
    by_topic = {query: values for query, *values in zip(*list(ours.columns.values())[:-1], strict=True)}
    recorded = answers("per_topic.tsv")
    assert len(recorded) == len(by_topic) == 54
    for topic, n, *values in recorded:
        assert by_topic[topic][0] == int(n)
        for mine, value in zip(by_topic[topic][1:], values[:3], strict=True):
            assert mine == exact(value), topic


def generated(seed, raters, units, categories, missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(categories, units, p=rng.dirichlet(np.ones(categories)))
    labels = np.where(rng.random((raters, units)) < 0.6, truth, rng.integers(0, categories, (raters, units))).astype(
        float
    )
    labels[rng.random(labels.shape) < missing] = np.nan
    return labels


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("seed", range(12))
def test_kappa_equals_scikit_learn_also_with_missing_labels(seed):
    from sklearn import metrics

    a, b = generated(seed, 2, 300, 2 + seed % 5, missing=0.1 * (seed % 3))
    both = ~np.isnan(a) & ~np.isnan(b)
    scale = list(range(2 + seed % 5))
    for weights in (None, "linear", "quadratic"):
        ours = one(Ratings.of(a, b, categories=scale), f"kappa({weights or 'nominal'})").value
        theirs = metrics.cohen_kappa_score(a[both].astype(int), b[both].astype(int), weights=weights, labels=scale)
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)
    assert one(Ratings.of(a, b), "raw").value == pytest.approx(metrics.accuracy_score(a[both], b[both]), rel=1e-14)


def coincidences(labels, distance):
    """Krippendorff's alpha as he describes it (2011): the matrix of coincidences, cell by cell."""
    values = sorted({x for row in labels for x in row if x == x})
    o = np.zeros((len(values), len(values)))
    for unit in zip(*labels, strict=True):
        there = [values.index(x) for x in unit if x == x]
        for i, c in enumerate(there):
            for j, k in enumerate(there):
                if i != j:
                    o[c, k] += 1 / (len(there) - 1)
    n_c = o.sum(axis=0)
    n = n_c.sum()
    d = np.array([[distance(values, n_c, c, k) for k in range(len(values))] for c in range(len(values))])
    return 1 - (n - 1) * (o * d).sum() / (np.outer(n_c, n_c) * d).sum()


DISTANCES = {
    "nominal": lambda v, n, c, k: float(c != k),
    "ordinal": lambda v, n, c, k: (n[min(c, k) : max(c, k) + 1].sum() - (n[c] + n[k]) / 2) ** 2,
    "interval": lambda v, n, c, k: (v[c] - v[k]) ** 2,
}


@pytest.mark.parametrize("metric", DISTANCES)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_what_the_matrix_of_coincidences_gives(metric, seed):
    labels = generated(400 + seed, 4, 80, 5, missing=0.3)
    ours = one(Ratings.of(*labels), f"alpha({metric})").value
    assert ours == pytest.approx(coincidences(labels, DISTANCES[metric]), rel=1e-12)
