"""Every choice of a policy has a name in the native core, and every native choice is used."""

import pytest

from judged.core.native import native
from judged.core.policy import POLICY_OPTIONS
from judged.core.scan import POLICY_CODES

pytestmark = pytest.mark.needs("native")


def test_the_tables_of_python_and_cpp_have_the_same_choices():
    choices = {option.name: option.choices for option in POLICY_OPTIONS}
    assert {name: tuple(codes) for name, codes in POLICY_CODES.items()} == {
        name: choices[name] for name in POLICY_CODES
    }
    assert {name: set(codes.values()) for name, codes in POLICY_CODES.items()} == {
        name: set(names) for name, names in native.POLICY_CHOICES.items()
    }


def test_an_unknown_choice_is_an_error():
    with pytest.raises(ValueError, match="random"):
        native.Policy(order="score", ties="random", duplicates="error", depth=0, single=False)
