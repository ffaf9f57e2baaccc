"""The error of a call that must be refused."""

from collections.abc import Callable
from typing import Any

import pytest

from judged.errors import JudgedError


def refusal(slug: str, call: Callable[..., Any], *args: Any, **options: Any) -> JudgedError:
    """Return the error of a call that must be refused with this slug."""
    with pytest.raises(JudgedError) as caught:
        call(*args, **options)
    assert caught.value.slug == slug, str(caught.value)
    return caught.value
