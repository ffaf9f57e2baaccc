"""Documents assigned to judges."""

from for_each import for_each

from judged.judging.todo import TodoItem, assign


def items(*sizes):
    return [TodoItem(f"q{q}", f"d{d}") for q, size in enumerate(sizes) for d in range(size)]


@for_each("overlap", [0, 0.1, 0.25, 0.5, 1])
@for_each("judges", [2, 3, 7])
@for_each("sizes", [(1,), (1, 1, 1), (50, 3, 3, 2, 20), (7,) * 20])
def test_every_document_has_a_judge_and_the_share_has_all(overlap, judges, sizes):
    todo = items(*sizes)
    found = assign(todo, judges, overlap)
    times = [sum(place in order for order in found.values()) for place in range(len(todo))]
    assert all(len(set(order)) == len(order) for order in found.values())
    assert set(times) <= {1, judges}
    assert times.count(judges) == round(overlap * len(todo))


def test_a_query_belongs_to_one_judge_who_judges_all_its_documents():
    todo = items(*(10,) * 9)
    found = assign(todo, ["ann", "bob", "cem"], 0.2)
    for query in range(9):
        places = set(range(10 * query, 10 * query + 10))
        counts = sorted(len(places & set(order)) for order in found.values())
        assert counts == [2, 2, 10]


def test_the_judges_have_about_the_same_number_of_documents():
    found = assign(items(*range(1, 31)), 4, 0.2)
    counts = [len(order) for order in found.values()]
    assert max(counts) - min(counts) <= 2


def test_judges_see_the_documents_of_a_query_together_and_in_different_orders():
    todo = items(20, 20)
    found = assign(todo, 2, 1)
    for order in found.values():
        assert [place // 20 for place in order] == [0] * 20 + [1] * 20
    assert found["judge 1"] != found["judge 2"]
    assert assign(todo, 2, 1) == found
    assert assign(todo, 2, 1, seed=1) != found


def test_without_judges_anyone_judges_everything():
    found = assign(items(5, 5))
    assert list(found) == [""]
    assert sorted(found[""]) == list(range(10))
