"""Our `dataclass` and that of the standard library make classes that behave alike."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, TypeAlias, get_type_hints

import pytest

from judged import _dataclass

Name: TypeAlias = int
OPTIONS = [
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "repr": False},
    {"frozen": True, "init": False},
]


def point() -> type:
    class Point:
        x: int
        y: list[int] = field(default_factory=list)
        label: str = field(default="", compare=False, repr=False)
        seen: int = field(default=7, init=False)
        made: dict[str, int] = field(default_factory=dict, init=False, compare=False)
        last: str = field(default="z", kw_only=True)

        def __post_init__(self) -> None:
            if self.x == 13:
                raise ValueError("thirteen")

    return Point


def own_methods() -> type:
    class OwnMethods:
        x: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 3

    return OwnMethods


def empty() -> type:
    class Empty:
        pass

    return Empty


def one() -> type:
    class One:
        x: Any

    return One


def both(declare: Callable[[], type], **options: bool) -> list[Any]:
    """The class by the standard library and by us."""
    return [decorator(**options)(declare()) for decorator in (dataclasses.dataclass, _dataclass.dataclass)]


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def behaviour(cls: Any) -> dict[str, Any]:
    """What a caller can observe of instances of `Point`."""
    calls: dict[str, Any] = {
        "plain": lambda: repr(cls(x=1)),
        "full": lambda: repr(cls(x=1, y=[2], label="a", last="b")),
        "positions": lambda: repr(cls(1, [2], "a")),
        "missing": lambda: repr(cls()),
        "too many": lambda: cls(1, [2], "a", "b", "c"),
        "unknown": lambda: cls(x=1, other=2),
        "not accepted": lambda: cls(x=1, seen=2),
        "check": lambda: cls(x=13),
        "equal": lambda: (cls(x=1) == cls(x=1), cls(x=1) == cls(x=2), cls(x=1) == 1, cls(x=1) != cls(x=1)),
        "not compared": lambda: cls(x=1, label="a") == cls(x=1, label="b"),
        "hash of a list": lambda: isinstance(hash(cls(x=1)), int),
        "hash": lambda: hash(cls(x=1, y=(2,))) == hash(cls(x=1, y=(2,), label="b")),
        "new lists": lambda: cls(x=1).y is cls(x=1).y,
        "set": lambda: setattr(cls(x=1), "x", 2),
        "set another": lambda: setattr(cls(x=1), "other", 2),
        "delete": lambda: delattr(cls(x=1), "x"),
        "replace": lambda: repr(dataclasses.replace(cls(x=1, y=[3]), x=2)),
        "as dict": lambda: dataclasses.asdict(cls(x=1)),
        "copy": lambda: repr(copy.copy(cls(x=1, y=[3]))),
        "deep copy": lambda: repr(copy.deepcopy(cls(x=1, y=[3]))),
        "signature": lambda: str(inspect.signature(cls)),
        "fields": lambda: [(f.name, f.type, f.init, f.kw_only) for f in dataclasses.fields(cls)],
        "patterns": lambda: cls.__match_args__,
        "places": lambda: getattr(cls, "__slots__", None),
    }
    return {name: outcome(call) for name, call in calls.items()}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_behave_as_those_of_the_standard_library(options):
    expected, found = map(behaviour, both(point, **options))
    different = {name for name in expected if expected[name] != found[name]}
    if not options.get("repr", True):
        different -= {"plain", "full", "positions", "replace", "copy", "deep copy"}  # which show addresses
    if options.get("frozen") and options.get("slots"):
        assert found["set another"] == (FrozenInstanceError, "cannot assign to field 'other'")
        different -= {"set another"}  # a TypeError up to Python 3.13, by mistake
    assert different == set()


@pytest.mark.parametrize("declare", [empty, one, own_methods])
@pytest.mark.parametrize("frozen", [True, False])
def test_few_fields_and_own_methods_are_kept(declare, frozen):
    args = () if declare is empty else (1,)
    theirs, ours = (cls(*args) for cls in both(declare, frozen=frozen))
    assert repr(ours) == repr(theirs)
    assert ours == type(ours)(*args)
    assert outcome(lambda: hash(ours)) == outcome(lambda: hash(theirs))


def test_equality_compares_as_tuples_do():
    nan = float("nan")
    for made in both(one, frozen=True):
        assert made(nan) == made(nan)  # the same object
        assert made(nan) != made(float("nan"))


def test_a_class_that_contains_itself_has_a_representation():
    for made in both(one):
        item = made(None)
        item.x = [item]
        assert repr(item).endswith("One(x=[...])")


def test_a_subclass_has_the_fields_of_its_base_and_stays_frozen():
    @_dataclass.dataclass(frozen=True, slots=True)
    class Base:
        x: int = 1

    @_dataclass.dataclass(frozen=True, slots=True)
    class Derived(Base):
        y: int = 2

    assert repr(Derived(3)).endswith("Derived(x=3, y=2)")
    assert Base() != Derived()
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        Derived().x = 2  # type: ignore[misc]


@_dataclass.dataclass(frozen=True)
class WithAttributes:
    x: Name = 1  # an annotation that only this module can resolve


def test_annotations_of_the_constructor_can_be_resolved():
    assert get_type_hints(WithAttributes.__init__) == {"x": int, "return": type(None)}
    assert inspect.signature(WithAttributes, eval_str=True).parameters["x"].annotation is int


def test_the_standard_decorator_can_be_used_on_a_subclass():
    @dataclasses.dataclass(frozen=True)
    class Derived(WithAttributes):
        y: int = 2

    assert (Derived(3).x, Derived(3).y, hash(Derived(3)) == hash(Derived(3))) == (3, 2, True)
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclasses.dataclass(type("Other", (WithAttributes,), {}))
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        _dataclass.dataclass(type("Other", (WithAttributes,), {}))


class Plain(WithAttributes):
    """A subclass that is not a dataclass may have attributes besides the fields."""


def test_only_the_fields_of_a_plain_subclass_are_frozen():
    item = Plain(1)
    item.note = "a"  # type: ignore[attr-defined]
    del item.note  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del item.x  # type: ignore[misc]


@_dataclass.dataclass(frozen=True, slots=True)
class Kept:
    x: int
    y: int = field(default=2, init=False)


def test_instances_can_be_pickled():
    assert pickle.loads(pickle.dumps(Kept(5))) == Kept(5)
    assert pickle.loads(pickle.dumps(WithAttributes(5))) == WithAttributes(5)
