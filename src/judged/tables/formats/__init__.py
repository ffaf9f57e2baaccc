"""Output formats: each is one function in the file of its name in this folder, found without being listed anywhere.

@output_format("md", aliases=("markdown",), ending=".md")
def markdown(result: Renderable, places: int) -> str: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from judged.registry import Registry
from judged.tables.table import Detail, Table

__all__ = ["FORMATS", "OutputFormat", "Renderable", "answer_of", "output_format", "render_result"]


class Renderable(Protocol):
    """A result, as formats see it."""

    def tables(self, *, places: int = 4) -> list[Table]: ...
    def records(self) -> list[dict[str, Any]]: ...
    def headline(self) -> Sequence[str]: ...
    def details(self) -> Sequence[Detail]: ...
    def to_data(self) -> Any: ...


class OutputFormat(NamedTuple):
    """A name, the file extension, and the function that writes a result as text that ends with a newline."""

    name: str
    render: Callable[[Renderable, int], str]
    ending: str
    aliases: tuple[str, ...] = ()


FORMATS: Registry[OutputFormat] = Registry("format", package=__name__)


def output_format(
    name: str, *, ending: str, aliases: tuple[str, ...] = ()
) -> Callable[[Callable[[Renderable, int], str]], Callable[[Renderable, int], str]]:
    """Declare the function below it as an output format."""

    def declare(render: Callable[[Renderable, int], str]) -> Callable[[Renderable, int], str]:
        FORMATS.add(OutputFormat(name, render, ending, aliases))
        return render

    return declare


def answer_of(result: Renderable) -> tuple[str, list[Detail]]:
    """The first sentence of a headline and the lines below it; the other sentences are the last of them. Empty without details."""
    first, *others = result.headline() or [""]
    details = list(result.details())
    if not details:
        return "", []
    return first, [*details, *([Detail("Also", " ".join(others))] if others else [])]


def render_result(result: Renderable, name: str, places: int = 4) -> str:
    """Write a result in a format: one of `FORMATS`, or one that only this result has (`Values.to_trec`, `Gate.to_junit`)."""
    own: Callable[..., str] | None = getattr(result, f"to_{name}", None) if FORMATS.get(name) is None else None
    if own is None:
        return FORMATS.find(name).render(result, places)
    from inspect import signature

    return own(places=places) if "places" in signature(own).parameters else own()
