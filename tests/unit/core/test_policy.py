"""Policies: every option is declared once, with its type, its words and its default."""

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from refusals import refusal

from judged.core.policy import POLICY_OPTIONS, Policy, PolicyOptions


def test_options_are_the_fields_of_a_policy_without_its_history():
    names = [spec.name for spec in fields(Policy) if spec.name not in ("prepared", "partitioned", "unscored")]
    assert list(PolicyOptions.__annotations__) == names == [option.name for option in POLICY_OPTIONS]
    policy_types, option_types = get_type_hints(Policy), get_type_hints(PolicyOptions)
    assert {name: policy_types[name] for name in names} == option_types


def test_every_choice_has_a_meaning_and_the_default_is_a_choice():
    types = get_type_hints(Policy)
    for option in POLICY_OPTIONS:
        assert option.help.endswith(".")
        assert option.default == getattr(Policy(), option.name)
        if option.name != "depth":
            assert option.choices == get_args(types[option.name]) == tuple(option.meanings)
            assert option.default in option.choices
            assert all(option.meanings.values())


def test_every_choice_makes_a_policy_with_its_line():
    for option in POLICY_OPTIONS:
        for choice in option.choices:
            assert str(Policy(**{option.name: choice}))


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"ties": "random"}, "policy"),
        ({"depth": 0}, "parameter"),
        ({"depth": True}, "parameter"),
        ({"queries": None}, "policy"),
    ],
)
def test_a_value_that_a_policy_does_not_allow_is_an_error(options, slug):
    refusal(slug, Policy, **options)
