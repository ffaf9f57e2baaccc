"""Find a column of a result by any name of its measure; ids of queries for other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judged.core.tables import Id
from judged.errors import DataError, UsageError, shown
from judged.measures.grammar import parse
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure


def find_measure(name: str | Measure, measures: Sequence[Measure], profile: str) -> Measure:
    """The measure of a result that a name means: as printed, by any other name, or as it was before the profile and the level were applied.

    Raises:
        UsageError: none was computed, or the name fits several of them equally well.
    """
    written = str(name)
    for own in measures:
        if str(own) == written:
            return own
    measure = parse(name)
    for meant in (measure, find_profile(profile).apply(measure)):
        for own in measures:
            if own == meant:
                return own
    fitting = [own for own in measures if fits(measure, own)]
    if len(fitting) == 1:
        return fitting[0]
    raise UsageError(
        "not-asked",
        f"no values for {shown(str(name))}",
        hint=f"choose one of {', '.join(map(str, measures))}",
        value=str(name),
    )


def meant_measure(name: str | Measure, measures: Sequence[Measure], profile: str) -> Measure:
    """The measure of a result that a name means, or, if it was not computed, the measure as the profile would compute it."""
    try:
        return find_measure(name, measures, profile)
    except UsageError:
        return find_profile(profile).apply(parse(name))


class ByMeasure(dict[str, Any]):
    """Something of each measure, by the name of the measure as it is printed, and found by its other names too."""

    def __init__(
        self,
        values: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        measures: Sequence[Measure] = (),
        profile: str = "trec_eval-10",
    ) -> None:
        super().__init__(values)
        self._measures, self._profile = measures, profile

    def __missing__(self, name: str | Measure) -> Any:
        try:
            return self[str(find_measure(name, self._measures, self._profile))]
        except UsageError as error:
            raise KeyError(name) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def fits(measure: Measure, own: Measure) -> bool:
    """True if a measure was computed with the parameters that a name gives, its cutoff and budget among them."""
    if own.definition is not measure.definition:
        return False
    fixed = {*measure.explicit, "tokens", measure.definition.at or "tokens"}
    return all(own.get(parameter) == measure.get(parameter) for parameter in fixed)


def utf8_ids(queries: Sequence[Id]) -> list[Id]:
    """Return ids for libraries whose text is UTF-8, and whose integers have 64 bits."""
    for query in queries:
        try:
            str(query).encode()
        except UnicodeEncodeError as error:
            raise DataError(
                "id-encoding",
                f"query id {shown(query)} is not UTF-8",
                value=query,
                hint="use to_dict, to_json or CSV, which keep other bytes",
            ) from error
    wide = any(isinstance(query, int) and abs(query) >= 2**63 for query in queries)
    return [str(query) for query in queries] if wide else list(queries)
