"""Output formats: each is one function in the file of its name in this folder, found without being listed anywhere.

@output_format("md", aliases=("markdown",), ending=".md")
def markdown(result: Renderable, places: int) -> str: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from judged.registry import Registry
from judged.tables.table import Detail, Table

__all__ = ["FORMATS", "OutputFormat", "Renderable", "output_format"]


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


Render = TypeVar("Render", bound=Callable[[Renderable, int], str])


def output_format(name: str, *, ending: str, aliases: tuple[str, ...] = ()) -> Callable[[Render], Render]:
    """Declare the function below it as an output format."""

    def declare(render: Render) -> Render:
        FORMATS.add(OutputFormat(name, render, ending, aliases))
        return render

    return declare
