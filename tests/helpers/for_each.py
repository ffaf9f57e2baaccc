"""One test case for many values: it lists all values for which it fails."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def for_each(names: str | Sequence[str], values: Iterable[Any], **_: Any) -> Callable[[Callable[..., None]], Any]:
    """Run a test for every value, as `pytest.mark.parametrize` does, but as one case.

    For rules that hold for everything that is declared: each failure names its value, and none hides the others.
    """
    words = [names] if isinstance(names, str) else list(names)
    rows = [value if len(words) > 1 else (value,) for value in values]
    assert rows

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            failures = []
            for row in rows:
                try:
                    test(**dict(zip(words, row, strict=True)), **fixtures)
                except Exception as error:
                    error.add_note(f"for {', '.join(str(getattr(value, 'name', value)) for value in row)}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(rows)} values", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in words]
        run_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run_all

    return decorate
